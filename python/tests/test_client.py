"""The client, against the referee that the package brings."""

import re
import signal
import socket
import subprocess
import threading
from pathlib import Path
from typing import Iterator, List, Tuple

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
    with pytest.raises(ValueError, match="occupied|liberty|illegal"):
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
