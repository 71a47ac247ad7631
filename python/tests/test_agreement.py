"""The package agrees with the program, which has the rules and the solver of its own process."""

import subprocess
from typing import List

import numpy as np
from numpy.typing import NDArray

from gothello import Move, Position, Solver, arrays, loss
from gothello.__main__ import program


def run(*arguments: str, text: str = "") -> List[str]:
    command = [str(program()), *arguments]
    return subprocess.run(command, input=text, capture_output=True, text=True).stdout.splitlines()


def perft(position: Position, depth: int) -> int:
    if depth == 0:
        return 1
    leaves = 0
    for move in position.legal_moves():
        after = position.play(move)
        # A game that ends counts one leaf at the depth where it ends, and none deeper.
        leaves += perft(after, depth - 1) if isinstance(after, Position) else int(depth == 1)
    return leaves


def test_the_leaves_of_the_game_tree_are_as_many() -> None:
    for text in ("...../...../...../...../..... b", "..b.b/...ww/w.b.w/bbwwb/.w.bb w"):
        lines = [line.split() for line in run("perft", "3", text)]
        counted = [int(words[2]) for words in lines if words[0] == "perft"]
        assert counted == [perft(Position(text), depth) for depth in (1, 2, 3)]


def lead(result: str) -> int:
    """Returns Black's lead: B+3 is 3."""
    return 0 if result == "0" else int(result[1:]) * (1 if result[0] == "B" else -1)


def late_keys(count: int) -> "NDArray[np.uint64]":
    """Returns the keys of different positions with 17 stones or more."""
    keys = np.unique(arrays.random_games(count, seed=8).keys)
    late = keys[arrays.stones(keys) >= 17]
    return np.random.RandomState(8).permutation(late)[:count]


def test_values_of_100_000_positions_are_the_same() -> None:
    keys = late_keys(100_000)
    assert len(keys) == 100_000
    text = "\n".join(str(position) for position in arrays.positions(keys))
    answers = run("solve", "--batch", "--threads", "2", text=text)
    # Black is to move in all.
    leads = [lead(answer.split("\t", 1)[0]) for answer in answers]
    assert leads == arrays.solve(keys, Solver(memory_mib=64)).tolist()


def test_winners_of_10_000_openings_are_the_same() -> None:
    keys = loss.random_positions(10_000, stones=range(8), seed=9)
    text = "\n".join(str(position) for position in arrays.positions(keys))
    answers = run("solve", "--batch", "--threads", "2", "--winner", text=text)
    # "Black wins", "White wins", "draw": Black is to move in all.
    signs = {"B": 1, "W": -1, "d": 0}
    assert [signs[answer[0]] for answer in answers] == np.sign(arrays.probe(keys)).tolist()


def test_values_and_best_moves_are_the_same() -> None:
    keys = np.concatenate([late_keys(500), loss.random_positions(20, stones=range(7), seed=5)])
    positions = [str(position) for position in arrays.positions(keys)]
    answers = run("solve", "--batch", "--threads", "2", text="\n".join(positions))
    solver = Solver(memory_mib=64)
    assert len(answers) == len(positions)
    for text, value, answer in zip(positions, arrays.solve(keys, solver), answers):
        result, best = answer.split("\t")[:2]
        assert lead(result) == value, text
        assert set(best.split()) == {str(move) for move in solver.best_moves(Position(text))}, text


def test_games_have_the_same_records() -> None:
    games = arrays.random_games(1_000, seed=6)
    starts = np.flatnonzero(np.diff(games.game, prepend=-1))
    session = []
    for first, after in zip(starts, [*starts[1:], len(games.moves)]):
        session.append("clear_board")
        colors = ["black", "white"]
        for ply, move in enumerate(games.moves[first:after]):
            session.append(f"play {colors[ply % 2]} {Move(int(move))}")
        session.append("final_score")
    answers = [line for line in run("gtp", text="\n".join([*session, "quit", ""])) if line]
    assert not [line for line in answers if line.startswith("?")]
    scores = [line[2:] for line in answers if line[2:3] in ("0", "B", "W") and len(line) > 2]
    expected = [f"B+{lead}" if lead > 0 else f"W+{-lead}" if lead < 0 else "0" for lead in games.leads]
    assert scores == expected
