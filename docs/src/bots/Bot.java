import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A bot for Gothello that speaks the protocol of the network referee.
 *
 * <pre>java Bot.java SIDE HOST PORT [NAME]</pre>
 *
 * SIDE is black or white. The port is 29068 plus the server number. The bot makes the move that
 * captures most. To make it stronger, change chooseMove.
 */
public class Bot {
    enum Color { BLACK, WHITE }

    /** A board. A point has a number: 0 is a1, 4 is e1, 24 is e5. */
    static class Board {
        static final int POINTS = 25;

        /** The color of the stone at each point; null where there is none. */
        final Color[] stones;

        Board(Color[] stones) {
            this.stones = stones.clone();
        }

        static String name(int point) {
            return "" + (char) ('a' + point % 5) + (char) ('1' + point / 5);
        }

        static int point(String name) {
            return name.charAt(0) - 'a' + 5 * (name.charAt(1) - '1');
        }

        static List<Integer> neighbors(int point) {
            List<Integer> neighbors = new ArrayList<>();
            for (int other = 0; other < POINTS; other++) {
                int files = Math.abs(point % 5 - other % 5);
                int ranks = Math.abs(point / 5 - other / 5);
                if (files + ranks == 1) {
                    neighbors.add(other);
                }
            }
            return neighbors;
        }

        /** Returns the points of the group to which the stone at a point belongs. */
        Set<Integer> group(int point) {
            List<Integer> unvisited = new ArrayList<>(List.of(point));
            Set<Integer> group = new HashSet<>(unvisited);
            while (!unvisited.isEmpty()) {
                for (int neighbor : neighbors(unvisited.remove(unvisited.size() - 1))) {
                    if (stones[neighbor] == stones[point] && group.add(neighbor)) {
                        unvisited.add(neighbor);
                    }
                }
            }
            return group;
        }

        /** Returns whether the group of the stone at a point has an empty neighbor. */
        boolean hasLiberty(int point) {
            return group(point).stream()
                .flatMap(stone -> neighbors(stone).stream())
                .anyMatch(neighbor -> stones[neighbor] == null);
        }

        /** Returns the stones that a move captures, or null if the move is illegal. */
        Set<Integer> captures(Color color, int point) {
            if (stones[point] != null) {
                return null;
            }
            Board after = new Board(stones);
            after.stones[point] = color;
            // Unlike in Go, the stone must have a liberty before it captures.
            if (!after.hasLiberty(point)) {
                return null;
            }
            Set<Integer> captured = new HashSet<>();
            for (int neighbor : neighbors(point)) {
                Color stone = after.stones[neighbor];
                if (stone != null && stone != color && !after.hasLiberty(neighbor)) {
                    captured.addAll(after.group(neighbor));
                }
            }
            return captured;
        }

        /** Places a stone. What it captures changes its color, and stays on the board. */
        void play(Color color, int point) throws IOException {
            Set<Integer> captured = captures(color, point);
            if (captured == null) {
                throw new IOException("the referee accepts " + name(point) + ", which is illegal");
            }
            stones[point] = color;
            for (int stone : captured) {
                stones[stone] = color;
            }
        }

        List<Integer> legalMoves(Color color) {
            List<Integer> moves = new ArrayList<>();
            for (int point = 0; point < POINTS; point++) {
                if (captures(color, point) != null) {
                    moves.add(point);
                }
            }
            return moves;
        }
    }

    final Random random = new Random();
    final Board board = new Board(new Color[Board.POINTS]);
    final Color side;
    final String opening; // the first request, after the version
    final Socket socket;
    int plies = 0; // moves and passes of both players so far
    List<Integer> moves = new ArrayList<>(); // the moves to choose from in this turn
    Integer move = null; // the move that was sent last; null is a pass
    boolean hasBegun = false;
    boolean isOver = false;

    Bot(String side, String host, int port, String name) throws IOException {
        this.side = side.equals("black") ? Color.BLACK : Color.WHITE;
        String quoted = name.isEmpty() ? "" : " \"" + name.replace("\"", "\"\"") + "\"";
        opening = "player " + side + quoted;
        socket = new Socket(host, port);
    }

    /** Chooses one of the moves; there is at least one. */
    int chooseMove() {
        int most = 0;
        List<Integer> best = new ArrayList<>();
        for (int point : moves) {
            int captured = board.captures(side, point).size();
            if (captured > most) {
                most = captured;
                best.clear();
            }
            if (captured == most) {
                best.add(point);
            }
        }
        return best.get(random.nextInt(best.size()));
    }

    void send(String request) throws IOException {
        System.err.println("> " + request);
        socket.getOutputStream().write((request + "\r").getBytes(StandardCharsets.US_ASCII));
    }

    /** Sends one of the moves that are left. If there is none, it must pass. */
    void sendMove() throws IOException {
        move = moves.isEmpty() ? null : chooseMove();
        int number = plies / 2 + 1; // 1 for the first move of Black and for that of White
        String dots = side == Color.WHITE ? "... " : "";
        send(number + " " + dots + (move == null ? "pass" : Board.name(move)));
    }

    void beginTurn() throws IOException {
        moves = board.legalMoves(side);
        sendMove();
    }

    /** Reads the words of a move, `311 2 d3 ...` or `312 2 ... d3 ...`, of either player. */
    void seeMove(String[] words) throws IOException {
        Color color = words[2].equals("...") ? Color.WHITE : Color.BLACK;
        String word = color == Color.WHITE ? words[3] : words[2];
        if (!word.equals("pass")) {
            board.play(color, Board.point(word));
        }
        plies++;
        if (hasBegun && color != side) {
            beginTurn();
        }
    }

    /** Handles a line of the referee. What counts is its code, the first three characters. */
    void handle(String line) throws IOException {
        System.err.println("< " + line);
        if (line.startsWith("000")) { // the greeting
            // With version 0.9.2, a referee that was interrupted lets this bot go on in its match.
            send((line.contains("0.9.2") ? "0.9.2 " : "0.9.1 ") + opening);
        } else if (line.startsWith("19")) {
            throw new IOException("there is no seat");
        } else if (line.startsWith("35")) { // the game begins, or goes on after the moves so far
            hasBegun = true;
            if ((plies % 2 == 0) == (side == Color.BLACK)) {
                beginTurn();
            }
        } else if (line.startsWith("29")) { // refused; it is still this bot's turn
            if (move == null) {
                throw new IOException("the referee refuses a pass");
            }
            moves.remove(move);
            sendMove();
        } else if (line.startsWith("31")) { // a move or a pass, and the game goes on
            seeMove(line.split(" "));
        } else if (line.matches("(20[1-4]|3[269]).*")) {
            isOver = true; // won, lost or drawn, on the board or off it
        }
        // The others tell nothing that this bot needs: 100 and 101 a seat and the clocks, 200 and
        // 207 that the move is accepted, 341 to 344 the names.
    }

    /** Plays until the referee closes the connection; returns whether the game has ended. */
    boolean play() throws IOException {
        BufferedReader reader = new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            handle(line);
        }
        return isOver;
    }

    public static void main(String[] arguments) {
        int count = arguments.length;
        if ((count != 3 && count != 4) || !List.of("black", "white").contains(arguments[0])) {
            System.err.println("usage: java Bot.java black|white HOST PORT [NAME]");
            System.exit(2);
        }
        try {
            String name = count == 4 ? arguments[3] : "";
            int port = Integer.parseInt(arguments[2]);
            if (!new Bot(arguments[0], arguments[1], port, name).play()) {
                throw new IOException("the connection was lost");
            }
        } catch (IOException | IllegalArgumentException error) {
            System.err.println(arguments[1] + ", port " + arguments[2] + ": " + error.getMessage());
            System.exit(1);
        }
    }
}
