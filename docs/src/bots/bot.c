/* A bot for Gothello that speaks the protocol of the network referee.

       cc -O2 -o bot bot.c && ./bot SIDE HOST PORT [NAME]

   SIDE is black or white. The port is 29068 plus the server number. The bot makes the move that
   captures most. To make it stronger, change choose_move. */

#define _POSIX_C_SOURCE 200809L
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* A point has a number: 0 is a1, 4 is e1, 24 is e5. */
enum { POINTS = 25, PASS = -1 };
enum color { EMPTY, BLACK, WHITE };

static enum color board[POINTS];
static enum color side;
static int plies;         /* moves and passes of both players so far */
static int moves[POINTS]; /* the moves to choose from in this turn */
static int move_count;
static int last_move; /* the move that was sent last */
static int has_begun, is_over;
static FILE *referee; /* what the referee sends */

static void fail(int code, const char *error) {
    fprintf(stderr, "%s\n", error);
    exit(code);
}

static int are_neighbors(int a, int b) {
    return abs(a % 5 - b % 5) + abs(a / 5 - b / 5) == 1;
}

/* Finds the points of the group to which the stone at a point belongs, and returns how many they
   are. *has_liberty says whether one of them has an empty neighbor. */
static int find_group(const enum color *stones, int point, int *group, int *has_liberty) {
    int is_member[POINTS] = {0};
    int count = 0;
    group[count++] = point;
    is_member[point] = 1;
    *has_liberty = 0;
    for (int visited = 0; visited < count; visited++)
        for (int other = 0; other < POINTS; other++) {
            if (!are_neighbors(group[visited], other))
                continue;
            if (stones[other] == EMPTY)
                *has_liberty = 1;
            if (stones[other] == stones[point] && !is_member[other]) {
                is_member[other] = 1;
                group[count++] = other;
            }
        }
    return count;
}

/* Makes a move on `after`, a copy of the board. Returns the number of stones that it captures, or
   -1 if it is illegal. */
static int try_move(enum color color, int point, enum color *after) {
    int group[POINTS], has_liberty, captured = 0;
    memcpy(after, board, sizeof board);
    if (after[point] != EMPTY)
        return -1;
    after[point] = color;
    /* Unlike in Go, the stone must have a liberty before it captures. */
    find_group(after, point, group, &has_liberty);
    if (!has_liberty)
        return -1;
    for (int other = 0; other < POINTS; other++)
        if (are_neighbors(point, other) && after[other] != EMPTY && after[other] != color) {
            int size = find_group(after, other, group, &has_liberty);
            /* What is captured changes its color, and stays on the board. */
            for (int i = 0; i < size && !has_liberty; i++, captured++)
                after[group[i]] = color;
        }
    return captured;
}

/* Chooses one of the moves; returns PASS if there is none. */
static int choose_move(void) {
    enum color after[POINTS];
    int best = PASS, most = -1, equal = 0;
    for (int i = 0; i < move_count; i++) {
        int captured = try_move(side, moves[i], after);
        if (captured > most) {
            most = captured;
            equal = 0;
        }
        /* Each of the moves that capture most is equally likely to be the last one taken. */
        if (captured == most && rand() % ++equal == 0)
            best = moves[i];
    }
    return best;
}

static void send_request(const char *request) {
    char line[256];
    int length = snprintf(line, sizeof line, "%s\r", request);
    fprintf(stderr, "> %s\n", request);
    /* A connection that is lost is noticed where the next response is read. */
    for (int sent = 0; sent < length;) {
        ssize_t count = write(fileno(referee), line + sent, (size_t)(length - sent));
        if (count <= 0)
            return;
        sent += (int)count;
    }
}

/* Sends one of the moves that are left. If there is none, it must pass. */
static void send_move(void) {
    char word[8] = "pass", request[64];
    last_move = choose_move();
    if (last_move != PASS)
        snprintf(word, sizeof word, "%c%c", 'a' + last_move % 5, '1' + last_move / 5);
    /* The number is 1 for the first move of Black and for that of White. */
    snprintf(request, sizeof request, "%d %s%s", plies / 2 + 1, side == WHITE ? "... " : "", word);
    send_request(request);
}

static void begin_turn(void) {
    enum color after[POINTS];
    move_count = 0;
    for (int point = 0; point < POINTS; point++)
        if (try_move(side, point, after) >= 0)
            moves[move_count++] = point;
    send_move();
}

/* Reads a move, `311 2 d3 ...` or `312 2 ... d3 ...`, of either player. */
static void see_move(const char *line) {
    char word[8];
    enum color color = BLACK, after[POINTS];
    if (sscanf(line, "%*d %*d ... %7s", word) == 1)
        color = WHITE;
    else if (sscanf(line, "%*d %*d %7s", word) != 1)
        fail(1, "a move is missing");
    if (strcmp(word, "pass") != 0) {
        if (word[0] < 'a' || word[0] > 'e' || word[1] < '1' || word[1] > '5')
            fail(1, "a move is not understood");
        if (try_move(color, word[0] - 'a' + 5 * (word[1] - '1'), after) < 0)
            fail(1, "the referee accepts a move that is illegal on this board");
        memcpy(board, after, sizeof board);
    }
    plies++;
    if (has_begun && color != side)
        begin_turn();
}

/* Sends another move after one that was refused: it is still this bot's turn. */
static void try_again(void) {
    int left = 0;
    if (last_move == PASS)
        fail(1, "the referee refuses a pass");
    for (int i = 0; i < move_count; i++)
        if (moves[i] != last_move)
            moves[left++] = moves[i];
    move_count = left;
    send_move();
}

/* Handles a line of the referee. What counts is its code, the first three characters. */
static void handle(const char *line, const char *opening) {
    fprintf(stderr, "< %s\n", line);
    int code = atoi(line);
    if (strncmp(line, "000", 3) == 0) { /* the greeting */
        /* With version 0.9.2, a referee that was interrupted lets this bot go on in its match. */
        char request[160];
        const char *version = strstr(line, "0.9.2") != NULL ? "0.9.2" : "0.9.1";
        snprintf(request, sizeof request, "%s %s", version, opening);
        send_request(request);
    } else if (code / 10 == 19)
        fail(1, "there is no seat");
    else if (code / 10 == 35) { /* the game begins, or goes on after the moves so far */
        has_begun = 1;
        if ((plies % 2 == 0) == (side == BLACK))
            begin_turn();
    } else if (code / 10 == 29)
        try_again();
    else if (code / 10 == 31) /* a move or a pass, and the game goes on */
        see_move(line);
    else if ((code >= 201 && code <= 204) || code / 10 == 32 || code / 10 == 36 || code / 10 == 39)
        is_over = 1; /* won, lost or drawn, on the board or off it */
    /* The others tell nothing that this bot needs: 100 and 101 a seat and the clocks, 200 and 207
       that the move is accepted, 341 to 344 the names. */
}

static FILE *connect_to(const char *host, const char *port) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *addresses;
    int error = getaddrinfo(host, port, &hints, &addresses);
    if (error != 0) {
        fprintf(stderr, "cannot connect to %s, port %s: ", host, port);
        fail(1, gai_strerror(error));
    }
    for (struct addrinfo *address = addresses; address != NULL; address = address->ai_next) {
        int connection = socket(address->ai_family, address->ai_socktype, 0);
        if (connect(connection, address->ai_addr, address->ai_addrlen) == 0) {
            freeaddrinfo(addresses);
            return fdopen(connection, "r");
        }
        close(connection);
    }
    fprintf(stderr, "cannot connect to %s, port %s: ", host, port);
    perror(NULL);
    exit(1);
}

/* Writes the first request. The name is in quotes, and a quote in it is doubled. */
static void write_opening(char *opening, size_t size, const char *color, const char *name) {
    size_t length = (size_t)snprintf(opening, size, "player %s%s", color, *name ? " \"" : "");
    if (*name == '\0')
        return;
    for (; *name != '\0' && length + 4 < size; name++) {
        if (*name == '"')
            opening[length++] = '"';
        opening[length++] = *name;
    }
    strcpy(opening + length, "\"");
}

int main(int count, char **arguments) {
    char opening[128], line[512];
    int is_black = count > 1 && strcmp(arguments[1], "black") == 0;
    int is_white = count > 1 && strcmp(arguments[1], "white") == 0;
    if ((count != 4 && count != 5) || (!is_black && !is_white))
        fail(2, "usage: bot black|white HOST PORT [NAME]");
    side = is_black ? BLACK : WHITE;
    srand((unsigned)time(NULL) ^ (unsigned)getpid());
    signal(SIGPIPE, SIG_IGN); /* a lost connection is no reason to be killed */
    write_opening(opening, sizeof opening, arguments[1], count == 5 ? arguments[4] : "");
    referee = connect_to(arguments[2], arguments[3]);
    while (fgets(line, sizeof line, referee) != NULL) {
        line[strcspn(line, "\r\n")] = '\0';
        handle(line, opening);
    }
    if (!is_over)
        fail(1, "the connection was lost");
    return 0;
}
