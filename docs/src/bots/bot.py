"""A bot for Gothello that speaks the protocol of the network referee.

    python3 bot.py SIDE HOST PORT [NAME]

SIDE is black or white. The port is 29068 plus the server number. The bot makes the move that
captures most. To make it stronger, change choose_move.
"""

import random
import socket
import sys

POINTS = [file + rank for file in "abcde" for rank in "12345"]


def distance(a, b):
    return abs(ord(a[0]) - ord(b[0])) + abs(ord(a[1]) - ord(b[1]))


NEIGHBORS = {a: [b for b in POINTS if distance(a, b) == 1] for a in POINTS}
OPPONENT = {"black": "white", "white": "black"}


class Board:
    def __init__(self, stones=()):
        # The color of the stone at each point; empty points are missing.
        self.stones = dict(stones)

    def group(self, point):
        """Returns the points of the group to which the stone at a point belongs."""
        group = {point}
        unvisited = [point]
        while unvisited:
            for neighbor in NEIGHBORS[unvisited.pop()]:
                if neighbor not in group and self.stones.get(neighbor) == self.stones[point]:
                    group.add(neighbor)
                    unvisited.append(neighbor)
        return group

    def has_liberty(self, point):
        """Returns whether the group of the stone at a point has an empty neighbor."""
        return any(
            neighbor not in self.stones
            for stone in self.group(point)
            for neighbor in NEIGHBORS[stone]
        )

    def captures(self, color, point):
        """Returns the stones that a move captures, or None if the move is illegal."""
        if point in self.stones:
            return None
        after = Board(self.stones)
        after.stones[point] = color
        # Unlike in Go, the stone must have a liberty before it captures.
        if not after.has_liberty(point):
            return None
        captured = set()
        for neighbor in NEIGHBORS[point]:
            is_enemy = after.stones.get(neighbor) == OPPONENT[color]
            if is_enemy and not after.has_liberty(neighbor):
                captured |= after.group(neighbor)
        return captured

    def play(self, color, point):
        """Places a stone. What it captures changes its color, and stays on the board."""
        captured = self.captures(color, point)
        if captured is None:
            sys.exit(f"the referee accepts {point}, which is illegal on this board")
        for changed in {point} | captured:
            self.stones[changed] = color

    def legal_moves(self, color):
        return [point for point in POINTS if self.captures(color, point) is not None]


def choose_move(board, color, moves):
    """Chooses one of the moves; there is at least one."""
    most = max(len(board.captures(color, move)) for move in moves)
    return random.choice([move for move in moves if len(board.captures(color, move)) == most])


class Bot:
    def __init__(self, side, host, port, name):
        self.side = side
        self.name = name
        self.board = Board()
        self.plies = 0  # moves and passes of both players so far
        self.moves = []  # the moves to choose from in this turn
        self.move = None  # the move that was sent last
        self.has_begun = False
        self.is_over = False
        self.connection = socket.create_connection((host, port))

    def send(self, request):
        print(">", request, file=sys.stderr)
        self.connection.sendall(request.encode("ascii") + b"\r")

    def send_move(self):
        """Sends one of the moves that are left. If there is none, it must pass."""
        self.move = choose_move(self.board, self.side, self.moves) if self.moves else "pass"
        number = self.plies // 2 + 1  # 1 for the first move of Black and for that of White
        self.send(f"{number} {self.move}" if self.side == "black" else f"{number} ... {self.move}")

    def begin_turn(self):
        self.moves = self.board.legal_moves(self.side)
        self.send_move()

    def see_move(self, words):
        """Reads the words of a move, `311 2 d3 ...` or `312 2 ... d3 ...`, of either player."""
        color, move = ("white", words[3]) if words[2] == "..." else ("black", words[2])
        if move != "pass":
            self.board.play(color, move)
        self.plies += 1
        if self.has_begun and color != self.side:
            self.begin_turn()

    def handle(self, line):
        """Handles a line of the referee. What counts is its code, the first three characters."""
        print("<", line, file=sys.stderr)
        code = line[:3]
        if code == "000":  # the greeting
            quoted = self.name.replace('"', '""')
            name = f' "{quoted}"' if self.name else ""
            # With version 0.9.2, a referee that was interrupted lets this bot go on in its match.
            version = "0.9.2" if "0.9.2" in line else "0.9.1"
            self.send(f"{version} player {self.side}{name}")
        elif code.startswith("19"):  # no seat
            sys.exit(line)
        elif code.startswith("35"):  # the game begins, or goes on after the moves so far
            self.has_begun = True
            if self.side == ("black" if self.plies % 2 == 0 else "white"):
                self.begin_turn()
        elif code.startswith("29"):  # refused; it is still this bot's turn
            if self.move == "pass":
                sys.exit("the referee refuses a pass")
            self.moves.remove(self.move)
            self.send_move()
        elif code.startswith("31"):  # a move or a pass, and the game goes on
            self.see_move(line.split())
        elif code in ("201", "202", "203", "204") or code[:2] in ("32", "36", "39"):
            self.is_over = True  # won, lost or drawn, on the board or off it
        # The others tell nothing that this bot needs: 100 and 101 a seat and the clocks, 200 and
        # 207 that the move is accepted, 341 to 344 the names.

    def play(self):
        """Plays until the referee closes the connection; returns whether the game has ended."""
        try:
            for line in self.connection.makefile(encoding="ascii", errors="replace", newline="\r\n"):
                self.handle(line.rstrip("\r\n"))
        except OSError as error:
            print(error, file=sys.stderr)
        return self.is_over


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5) or sys.argv[1] not in OPPONENT:
        print("usage: python3 bot.py black|white HOST PORT [NAME]", file=sys.stderr)
        sys.exit(2)
    side, host, port, *name = sys.argv[1:]
    if not "".join(name).isascii():
        sys.exit("a name has ASCII characters only")
    try:
        bot = Bot(side, host, int(port), "".join(name))
    except (OSError, OverflowError, ValueError) as error:
        sys.exit(f"cannot connect to {host}, port {port}: {error}")
    if not bot.play():
        sys.exit("the connection was lost")
