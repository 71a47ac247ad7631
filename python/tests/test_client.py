"""The client, against the referee that the package brings."""

import re
import signal
import socket
import subprocess
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Dict, Iterator, List, Tuple, Type

import pytest

from gothello import Move, Player, Position, client
from gothello.__main__ import program


class Referee:
    """`gothello netref` on a free port."""

    def __init__(self, *arguments: str, port: int = 0) -> None:
        command = [str(program()), "netref", "0", "--port", str(port), *arguments]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            found = re.search(r"127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        # Its log must be read by somebody.
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


@pytest.fixture
def referee() -> Iterator[Referee]:
    referee = Referee("60", "--house", "1")
    yield referee
    referee.kill()


def first(position: Position) -> str:
    return str(position.legal_moves()[0])


@pytest.mark.parametrize("side", ["black", "white"])
@pytest.mark.parametrize("name", [None, 'Ann "A"'])
def test_a_bot_is_a_function(referee: Referee, side: str, name: "str | None") -> None:
    result = client.play(first, port=referee.port, side=side, name=name)
    assert result.side == side and result.game.is_over
    assert result.reason == "by the last pass" and result.outcome is not None
    assert result.winner == result.outcome.winner


def test_perfect_black_wins(referee: Referee) -> None:
    player = Player()

    def choose(position: Position) -> Move:
        return player.choose(position, time=0.5)

    result = client.play(choose, port=referee.port, side="black", name="Perfect")
    assert result.winner == "black"


def test_an_exception_of_the_bot_is_passed_on(referee: Referee) -> None:
    def fail(position: Position) -> str:
        raise KeyError("a fault")

    with pytest.raises(KeyError):
        client.play(fail, port=referee.port, side="black")
    with pytest.raises(ValueError, match=r"^choose returned .* in [bw.].*: .*(occupied|liberty|illegal)"):
        client.play(lambda position: "c3", port=referee.port, side="black")


def test_a_taken_side_is_refused() -> None:
    referee = Referee()
    with socket.create_connection(("127.0.0.1", referee.port)) as taker:
        lines = taker.makefile(newline="\r\n")
        lines.readline()
        taker.sendall(b"0.9.1 player black\r")
        assert lines.readline().startswith("100")
        with pytest.raises(client.RefereeError, match="^191"):
            client.play(first, port=referee.port, side="black")
    referee.kill()


def test_a_match_goes_on_after_a_crash_of_the_referee(tmp_path: Path) -> None:
    arguments = ("--state", str(tmp_path))
    referees = [Referee(*arguments)]
    port = referees[0].port
    crashed = threading.Event()

    def choose(position: Position) -> str:
        if position.stones == 6 and not crashed.is_set():
            crashed.set()
            referees[0].kill()
            referees.append(Referee(*arguments, port=port))
        return first(position)

    results: List[Tuple[str, client.MatchResult]] = []

    def play(side: str, name: str) -> None:
        results.append((side, client.play(choose, port=port, side=side, name=name)))

    players = [threading.Thread(target=play, args=who) for who in (("black", "Ann"), ("white", "Bob"))]
    for player in players:
        player.start()
    for player in players:
        player.join()
    referees[-1].kill()
    assert crashed.is_set() and len(results) == 2
    games = [result.game for _, result in results]
    assert games[0] == games[1] and games[0].is_over
    assert {result.side for _, result in results} == {"black", "white"}


def test_wrong_arguments_are_told() -> None:
    with pytest.raises(ValueError, match="invalid side"):
        client.play(first, side="red")
    with pytest.raises(ValueError, match="31"):
        client.play(first, name="x" * 32)


@contextmanager
def answering(*sessions: "str | None") -> "Iterator[Tuple[int, List[float]]]":
    """A referee that sends these lines to the clients, one session for each, closes the connections, and
    refuses the rest. None has no answer at all. Yields its port and the times of the connections."""
    times: List[float] = []
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            kept = []
            while True:
                connection, _ = server.accept()
                if over.is_set():
                    connection.close()
                    return
                session = sessions[min(len(times), len(sessions) - 1)]
                times.append(time.monotonic())
                if session is None:
                    kept.append(connection)
                    continue
                with connection:
                    connection.sendall(session.replace("\n", "\r\n").encode())
                    connection.shutdown(socket.SHUT_WR)
                    # Until the client has closed it.
                    while connection.recv(1000):
                        pass

        thread = threading.Thread(target=serve)
        thread.start()
        port = server.getsockname()[1]
        try:
            yield port, times
        finally:
            over.set()
            socket.create_connection(("127.0.0.1", port)).close()
            thread.join()


SEATED = "000 Gothello 0.9.2\n100 60\n"


@pytest.mark.parametrize("error", [OSError, TimeoutError, ConnectionResetError])
@pytest.mark.parametrize("name", [None, "Ann"])
def test_an_os_error_of_the_bot_is_no_lost_connection(error: Type[OSError], name: "str | None") -> None:
    def fail(position: Position) -> str:
        raise error("of the bot")

    with answering(SEATED + "352\n") as (port, times):
        with pytest.raises(error, match="of the bot"):
            client.play(fail, port=port, side="black", name=name)
    assert len(times) == 1


def test_a_kept_exception_does_not_keep_the_seat() -> None:
    def fail(position: Position) -> str:
        raise KeyError("a fault")

    lines = "000 Gothello 0.9.2\n100 60\n352\n"
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept: List[BaseException] = []

        def play() -> None:
            try:
                client.play(fail, port=server.getsockname()[1], side="black")
            except KeyError as error:
                kept.append(error)

        player = threading.Thread(target=play)
        player.start()
        connection, _ = server.accept()
        with connection:
            connection.settimeout(20)
            connection.sendall(lines.replace("\n", "\r\n").encode())
            while connection.recv(1000):
                pass
        player.join()
    assert kept


def test_reconnecting_pauses_and_has_one_deadline() -> None:
    with answering(SEATED) as (port, times):
        with pytest.raises(client.RefereeError, match="lost"):
            client.play(first, port=port, side="black", name="Ann", patience=1.0)
    assert 2 <= len(times) <= 7
    assert min(after - before for before, after in zip(times, times[1:])) > 0.15


TAKEN = "000 Gothello 0.9.2\n192 There are already two players\n"


def test_the_seat_is_tried_again_until_the_referee_notices_the_lost_connection() -> None:
    with answering(SEATED, TAKEN, TAKEN.replace("192", "191"), SEATED + "352\n327 Black wins\n") as (port, times):
        result = client.play(first, port=port, side="black", name="Ann", patience=30.0)
    assert result.winner == "black" and len(times) == 4
    assert min(after - before for before, after in zip(times, times[1:])) > 0.15
    with answering(SEATED, TAKEN) as (port, times):
        with pytest.raises(client.RefereeError, match="lost.*192"):
            client.play(first, port=port, side="black", name="Ann", patience=1.0)
    assert 2 < len(times) <= 7
    with answering(TAKEN) as (port, times):
        with pytest.raises(client.RefereeError, match="^192"):
            client.play(first, port=port, side="black", name="Ann", patience=30.0)
    assert len(times) == 1


def test_a_team_without_a_game_left_is_told_at_once() -> None:
    over = TAKEN.replace("192 There are already two players", "191 Ann has no game left in the tournament as black: ask for white")
    with answering(SEATED, over) as (port, times):
        with pytest.raises(client.RefereeError, match="^191 Ann has no game left"):
            client.play(first, port=port, side="black", name="Ann", patience=30.0)
    assert len(times) == 2


def test_a_match_that_was_lost_with_its_connection_is_told() -> None:
    begun = SEATED + "352\n311 1 a1\n312 1 ... b2\n"
    with answering(begun, SEATED + "352\n327 Black wins\n") as (port, _):
        with pytest.warns(RuntimeWarning, match="after 2 moves"):
            client.play(first, port=port, side="black", name="Ann")


def test_a_silent_referee_is_lost() -> None:
    with answering(SEATED, None) as (port, times):
        with pytest.raises(client.RefereeError, match="lost"):
            client.play(first, port=port, side="black", name="Ann", patience=1.0)
    assert len(times) == 2


@pytest.mark.parametrize("session", [None, "SSH-2.0-OpenSSH\n"])
def test_a_server_without_a_greeting_is_no_referee(monkeypatch: pytest.MonkeyPatch, session: "str | None") -> None:
    monkeypatch.setattr(client, "GREETING_TIME", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        told = f"127.0.0.1:{port} sent no greeting of a referee within 0.5 seconds: use the port that `gothello netref`"
        with send_to_one(server, session or ""), pytest.raises(client.RefereeError, match=told):
            client.play(first, "127.0.0.1", port=port, name="Ann")


def test_a_greeted_client_waits_for_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "GREETING_TIME", 0.3)
    greeting, seat = SEATED.splitlines(keepends=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        with send_to_one(server, greeting, seat + "352\n327 Black wins\n"):
            assert client.play(first, port=server.getsockname()[1], side="black").winner == "black"


@contextmanager
def send_to_one(server: socket.socket, *parts: str) -> Iterator[None]:
    """Sends these parts to one client, one second apart, and keeps the connection until it has left."""

    def serve() -> None:
        connection, _ = server.accept()
        with connection:
            for number, part in enumerate(parts):
                time.sleep(min(number, 1))
                connection.sendall(part.replace("\n", "\r\n").encode())
            while connection.recv(1000):
                pass

    thread = threading.Thread(target=serve)
    thread.start()
    yield
    thread.join()


@pytest.mark.parametrize("line", ["311", "311 1", "312 1 ...", "311 1 z9", "311 1 pass\n312 1 ... pass\n311 2 a1"])
def test_what_is_not_in_the_protocol_is_an_error_of_the_referee(line: str) -> None:
    with answering(SEATED + line + "\n") as (port, _):
        with pytest.raises(client.RefereeError, match="too few words|illegal"):
            client.play(first, port=port, side="white", name="Ann")


@pytest.mark.parametrize("where", [{"port": 0}, {"port": 65536}, {"port": -1}, {"server": -1}, {"server": 30}])
def test_a_port_outside_is_a_value_error(where: Dict[str, int]) -> None:
    with pytest.raises(ValueError, match="(port|server) is an integer from"):
        client.play(first, **where)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["", "x" * 32, "Jürgen", "a\tb"])
def test_a_name_is_ascii(name: str) -> None:
    with pytest.raises(ValueError, match="31 printable ASCII"):
        client.play(first, name=name)


def test_mistakes_of_a_newcomer_are_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        with pytest.raises(ConnectionRefusedError, match=f"no referee listens at 127.0.0.1:{port}: .*gothello netref"):
            client.play(lambda p: "pass", "127.0.0.1", port=port)
    with pytest.raises(TypeError, match="choose is a function from a position to a move, not Player"):
        client.play(Player(3))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="server is an integer from 0 to 29, not '0'"):
        client.play(lambda p: "pass", server="0")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name is a text, not 5"):
        client.play(lambda p: "pass", name=5)  # type: ignore[arg-type]
    with pytest.raises(OSError, match="there is no host 'no.such.host.invalid'"):
        client.play(lambda p: "pass", "no.such.host.invalid")
