"""A client of the referee `gothello netref`, and of others that speak its protocol.

>>> from gothello import client
>>> def choose(position):
...     return position.legal_moves()[0]
>>> result = client.play(choose, "localhost", side="black", name="Ann")  # doctest: +SKIP
>>> result.winner, result.reason                                         # doctest: +SKIP
('white', 'by the last pass')
"""

import socket
import time as clock
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Optional, Tuple

from ._arguments import check_function, wrong_move
from ._gothello import Game, Move, Outcome, Position, integer, seconds

__all__ = ["FIRST_PORT", "MatchResult", "RefereeError", "play"]

FIRST_PORT = 29068
"""The port of server number 0."""

MAX_PORT = 65535
"""The largest port."""

MAX_SERVER = 29
"""The largest server number, as in `gothello netref`: others are reached by their port."""

VERSION = "0.9.2"
"""The version of the protocol: a client that names it can go on in an interrupted match."""

GREETING_TIME = 10.0
"""The seconds that a server has for its greeting."""

PAUSE = 0.2
"""The seconds between two tries to connect again."""

FINAL = "has no game left"
"""What a refusal of a seat says if it stays: the team has played all its games of this side."""

_REASONS = {"32": "by the last pass", "36": "on time", "39": "by disconnection"}


class RefereeError(Exception):
    """The referee refuses the seat, ends the match without a result, says what is not in the protocol, sends
    no greeting, or is lost for too long."""


class _LostError(Exception):
    """The connection is lost: an error of its own, because `choose` may raise OSError."""


@dataclass(frozen=True)
class MatchResult:
    """How a match ended."""

    side: str
    """The side that was played, "black" or "white"."""
    winner: Optional[str]
    """The winner, "black" or "white"; None if the match is drawn."""
    reason: str
    """Why it ended: "by the last pass", "by resignation", "on time", or "by disconnection"."""
    game: Game
    """The moves."""

    @property
    def outcome(self) -> Optional[Outcome]:
        """The count of the stones; None if the game did not end by two passes."""
        return self.game.outcome


def play(
    choose: Callable[[Position], Any],
    host: str = "localhost",
    server: int = 0,
    side: str = "?",
    name: Optional[str] = None,
    *,
    port: Optional[int] = None,
    patience: float = 60.0,
) -> MatchResult:
    """Plays one match, and returns how it ended.

    `choose` is called with each position in which this player is to move, and returns a legal move: a
    `Move`, its text, or its index. `server` is the number of the table, 0 to 29; `port` replaces the port
    that follows from it. `side` is "black", "white", or "?" for either one. With a `name`, at most 31 characters
    of ASCII, a lost connection is tried again for `patience` seconds, which count anew only after another
    move. That includes the time until the referee notices that the old connection is lost, but ends at once if
    the team has no game left. The match goes on if
    the referee lets players return, or was lost itself; otherwise it is lost, and if the referee begins another
    one, that is played with a RuntimeWarning.

    Raises RefereeError if there is no greeting within ten seconds, no seat, or no result, OSError if there is
    no connection at first, and ValueError if `choose` returns an illegal move or an argument is wrong. What
    `choose` raises ends the match.
    """
    check_function("choose", choose)
    if side not in ("black", "white", "?"):
        raise ValueError(f'invalid side {side!r}: use "black", "white", or "?"')
    if name is not None and not isinstance(name, str):
        raise TypeError(f"name is a text, not {name!r}")
    if name is not None and not (name.isascii() and name.isprintable() and 0 < len(name) <= 31):
        raise ValueError(f"a name has 1 to 31 printable ASCII characters, unlike {name!r}")
    server = integer("server", server, 0, MAX_SERVER)
    patience = seconds("patience", patience)
    at = FIRST_PORT + server if port is None else integer("port", port, 1, MAX_PORT)
    address = (host, at)
    match = _Match(choose, side, name)
    try:
        connection = socket.create_connection(address)
    except ConnectionRefusedError as error:
        option = "" if port is None else f" --port {port}"
        how = f"`gothello netref {server} 300 --house 3{option}` starts one"
        raise ConnectionRefusedError(error.errno, f"no referee listens at {host}:{at}: {how}") from None
    except socket.gaierror as error:
        raise socket.gaierror(error.errno, f"there is no host {host!r}: {error.strerror}") from None
    connection.settimeout(GREETING_TIME)
    # The moves of the match when the deadline was set: a move after that sets the next one.
    moves, until = -1, 0.0
    while True:
        try:
            with connection:
                return match.follow(connection)
        except _LostError as error:
            lost = error
        if not match.may_resume and isinstance(lost.__cause__, socket.timeout):
            wrong = f"the server at {host}:{at} sent no greeting of a referee within {GREETING_TIME:g} seconds"
            raise RefereeError(f"{wrong}: use the port that `gothello netref` prints") from lost
        if name is None or not match.may_resume:
            raise RefereeError("the connection was lost") from lost
        known = max(len(match.game), match.moves_before)
        if known != moves:
            moves, until = known, clock.monotonic() + patience
        connection = _connect_again(address, until, lost)
        match = _Match(choose, match.side, name, may_resume=True, moves_before=moves)


def _connect_again(
    address: Tuple[str, int], until: float, lost: Exception
) -> socket.socket:
    """Returns a new connection, which has time until the deadline to get the seat."""
    while True:
        clock.sleep(PAUSE)
        left = until - clock.monotonic()
        if left <= 0:
            raise RefereeError(f"the connection was lost, and is not back: {lost}") from lost
        try:
            return socket.create_connection(address, timeout=left)
        except OSError as error:
            lost = error


class _Match:
    """What a client knows of its match, from one connection."""

    def __init__(
        self,
        choose: Callable[[Position], Any],
        side: str,
        name: Optional[str],
        may_resume: bool = False,
        moves_before: int = 0,
    ) -> None:
        self.choose = choose
        self.side = side
        self.name = name
        self.game = Game()
        self.has_begun = False
        self.may_resume = may_resume
        # The moves of the match before its connection was lost.
        self.moves_before = moves_before
        self.connection: Optional[socket.socket] = None

    def follow(self, connection: socket.socket) -> MatchResult:
        """Plays until the match is over. Raises _LostError if the connection ends before."""
        self.connection = connection
        # Closed at once: the frames that a caller keeps with an exception would keep the seat.
        with connection.makefile(encoding="utf-8", errors="replace", newline="\r\n") as lines:
            while True:
                try:
                    line = lines.readline()
                except OSError as error:
                    raise _LostError(str(error)) from error
                if not line.endswith("\r\n"):
                    raise _LostError("the referee has closed the connection")
                result = self.handle(line.rstrip("\r\n"))
                if result is not None:
                    return result

    def send(self, request: str) -> None:
        assert self.connection is not None
        try:
            self.connection.sendall(request.encode("utf-8") + b"\r")
        except OSError as error:
            raise _LostError(str(error)) from error

    def handle(self, line: str) -> Optional[MatchResult]:
        code = line[:3]
        if code == "000":
            if not self.may_resume:
                # At the port of a team, the seat is there only when a table is free.
                assert self.connection is not None
                self.connection.settimeout(None)
            self.open(line)
        elif code in ("100", "101"):
            self.may_resume = True
            # The seat is taken: the opponent may think or be away for long.
            assert self.connection is not None
            self.connection.settimeout(None)
        elif code in ("191", "192") and self.may_resume and FINAL not in line:
            # The referee has not yet noticed that the old connection is lost.
            raise _LostError(line)
        elif code[:2] == "19" or code == "399":
            raise RefereeError(line)
        elif code in ("351", "352"):
            self.side = "white" if code == "351" else "black"
            self.has_begun = True
            if len(self.game) < self.moves_before:
                why = f"the match was lost with its connection, after {self.moves_before} moves: this is another one"
                warnings.warn(why, RuntimeWarning, stacklevel=4)
                self.moves_before = 0
            self.move()
        elif code[:2] == "29":
            raise RefereeError(f"the referee refuses the move: {line}")
        elif code[:2] == "31":
            self.see(line.split())
            self.move()
        elif code[:2] in _REASONS:
            return self.end(line)
        return None

    def open(self, greeting: str) -> None:
        version = VERSION if VERSION in greeting else "0.9.1"
        quoted = "" if self.name is None else ' "{}"'.format(self.name.replace('"', '""'))
        self.send(f"{version} player {self.side}{quoted}")

    def see(self, words: "list[str]") -> None:
        """Reads a move: `311 2 d3 ...` of Black, `312 2 ... d3 ...` of White."""
        at = 3 if words[2:3] == ["..."] else 2
        if len(words) <= at:
            raise RefereeError(f"the referee's line has too few words: {' '.join(words)}")
        self.replay(words[at])

    def replay(self, move: str) -> None:
        try:
            self.game.play(move)
        except ValueError as error:
            raise RefereeError(f"the referee tells an illegal move: {error}") from error

    def move(self) -> None:
        position = self.game.position
        if not self.has_begun or position is None or position.to_move != self.side:
            return
        chosen = self.choose(position)
        try:
            move = Move(chosen)
            position.play(move)
        except (TypeError, ValueError) as error:
            raise wrong_move(f"choose returned {chosen!r}", position, error) from None
        number = len(self.game) // 2 + 1
        dots = "" if self.side == "black" else "... "
        self.send(f"{number} {dots}{move}")

    def end(self, line: str) -> MatchResult:
        code = line[:3]
        # The end of a match off the board is told to clients without a name as a last pass.
        _, by, why = line.partition(" by ")
        reason = f"by {why}" if by else _REASONS[code[:2]]
        if code in ("327", "328"):
            reason = "by resignation"
        if code in ("325", "326"):
            winner = None
        elif code in ("321", "324", "327", "361", "392"):
            # 321 and 322 are about Black's last pass, 323 and 324 about White's, and 391 and 392
            # name the player who has left.
            winner = "black"
        else:
            winner = "white"
        if code[:2] == "32" and reason == _REASONS["32"]:
            self.replay("pass")
        return MatchResult(self.side, winner, reason, self.game)
