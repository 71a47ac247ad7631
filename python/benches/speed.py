"""Measures the package beside others, in one run: `python python/benches/speed.py [SECONDS]`, for each line.

All are seconds of processor time on one core, which other programs change little. It needs `pip install chess
open_spiel pettingzoo gymnasium pygame-ce` beside the package.
"""

import random
import sys
import time
from pathlib import Path
from typing import Any, Callable, List

import chess
import numpy as np
import pyspiel
from pettingzoo.classic import connect_four_v3

import gothello
import gothello.openspiel  # noqa: F401
from gothello import arrays, loss, pettingzoo
import pure

sys.path.append(str(Path(__file__).parents[2] / "docs" / "src" / "bots"))
import bot  # noqa: E402

SECONDS = float(sys.argv[1]) if len(sys.argv) > 1 else 2.0
RANDOM = random.Random(1)


def rate(work: Callable[[], int]) -> float:
    """Returns how many things are done a second: the median of five times, each as often as time allows."""
    work()
    rates: List[float] = []
    for _ in range(5):
        done, begin = 0, time.process_time()
        while True:
            done += work()
            passed = time.process_time() - begin
            if passed > SECONDS / 5:
                break
        rates.append(done / passed)
    return sorted(rates)[2]


def batch() -> int:
    return len(arrays.random_games(2_000, seed=RANDOM.getrandbits(64)).moves)


def objects() -> int:
    position: Any = gothello.Position()
    moves = 0
    while isinstance(position, gothello.Position):
        legal = position.legal_moves()
        # The pass is the last one.
        position = position.play(RANDOM.choice(legal[:-1] or legal))
        moves += 1
    return moves


def in_python() -> int:
    return len(pure.random_game(RANDOM)[0])


def by_the_bot() -> int:
    board, colors = bot.Board(), ("black", "white")
    moves = passes = 0
    while passes < 2:
        color = colors[moves % 2]
        legal = board.legal_moves(color)
        if legal:
            board.play(color, RANDOM.choice(legal))
        passes = 0 if legal else passes + 1
        moves += 1
    return moves


def spiel(name: str) -> Callable[[], int]:
    game = pyspiel.load_game(name)

    def play() -> int:
        state = game.new_initial_state()
        moves = 0
        while not state.is_terminal():
            state.apply_action(RANDOM.choice(state.legal_actions()))
            moves += 1
        return moves

    return play


def zoo(env: Any) -> Callable[[], int]:
    def play() -> int:
        env.reset(seed=1)
        moves = 0
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            env.step(int(RANDOM.choice(np.flatnonzero(observation["action_mask"]).tolist())))
            moves += 1
        return moves

    return play


def chess_game() -> int:
    board = chess.Board()
    moves = 0
    while not board.is_game_over():
        board.push(RANDOM.choice(list(board.legal_moves)))
        moves += 1
    return moves


def chess_positions() -> List[chess.Board]:
    boards = []
    for _ in range(20):
        board = chess.Board()
        while not board.is_game_over() and len(boards) < 500:
            boards.append(board.copy(stack=False))
            board.push(RANDOM.choice(list(board.legal_moves)))
    return boards


def check() -> None:
    """The game in Python has the rules of the package, or the comparison is void."""
    for _ in range(200):
        moves, lead = pure.random_game(RANDOM)
        outcome = gothello.Game(moves=moves).outcome
        assert outcome is not None and outcome.lead("black") == lead
    games = arrays.random_games(200, seed=1)
    bits = 1 << np.arange(25)
    stones = arrays.planes(games.keys)[:, :2].reshape(-1, 2, 25).astype(np.int64) @ bits
    for (mover, opponent), legal in zip(stones.tolist(), arrays.legal_moves(games.keys)):
        assert pure.legal_placements(mover, opponent) == np.flatnonzero(legal)[:-1].tolist()


def main() -> None:
    check()
    print("| random games, on one core | moves a second | times pure Python |")
    print("|---|---|---|")
    base = rate(in_python)
    lines: "List[tuple[str, Callable[[], int]]]" = [
        ("`arrays.random_games`", batch),
        ("`Position.legal_moves` and `Position.play`", objects),
        ("Python alone, sets of points as bits (`python/benches/pure.py`)", in_python),
        ("Python alone, the rules of the guide's `bot.py`", by_the_bot),
        ("`gothello.openspiel`", spiel("python_gothello")),
        ("OpenSpiel's Connect Four", spiel("connect_four")),
        ("`gothello.pettingzoo`", zoo(pettingzoo.env())),
        ("PettingZoo's Connect Four", zoo(connect_four_v3.env())),
        ("python-chess", chess_game),
    ]
    for name, work in lines:
        moves = base if work is in_python else rate(work)
        print(f"| {name} | {moves:,.0f} | {moves / base:.3g} |", flush=True)

    keys = arrays.random_games(5_000, seed=1).keys
    positions = arrays.positions(keys[:2_000])
    boards = chess_positions()
    moves = arrays.random_games(5_000, seed=1).moves
    many = arrays.random_games(200_000, seed=1).keys
    few = many[arrays.stones(many) <= 7]
    seven = many[arrays.stones(many) == 7]
    del many
    tablebase = gothello.Tablebase()
    listed = arrays.positions(few[:1_000])

    print("\n| | a second |")
    print("|---|---|")
    rows: "List[tuple[str, Callable[[], int]]]" = [
        ("legal moves found by `arrays.legal_moves`", lambda: int(arrays.legal_moves(keys).sum())),
        ("by `Position.legal_moves`", lambda: sum(len(position.legal_moves()) for position in positions)),
        ("by python-chess", lambda: sum(len(list(board.legal_moves)) for board in boards)),
        ("moves made by `arrays.play`", lambda: len(arrays.play(keys, moves)[0])),
        ("positions turned into `arrays.planes`", lambda: len(arrays.planes(keys))),
        (f"values looked up by `arrays.probe`, {len(few):,} at once", lambda: len(arrays.probe(few))),
        (f"with 7 stones, {len(seven):,} at once", lambda: len(arrays.probe(seven))),
        ("with 7 stones, 1,000 at once", lambda: len(arrays.probe(seven[:1_000]))),
        ("by `Tablebase.probe`", lambda: sum(tablebase.probe(position) is not None for position in listed)),
    ]
    for name, work in rows:
        print(f"| {name} | {rate(work):,.0f} |", flush=True)

    print("\n| stones | value, median | worst | values of all moves, median | worst |")
    print("|---|---|---|---|---|")
    for stones in (8, 9, 10, 11, 12, 13, 14, 16, 18, 20):
        some = loss.random_positions(20 if stones < 11 else 200, stones=[stones], seed=1)
        row = [str(stones)]
        for function in (arrays.solve, arrays.move_values):
            solver = gothello.Solver(memory_mib=64, threads=1)
            times = []
            for key in some:
                begin = time.process_time()
                function(key, solver)
                times.append(1000 * (time.process_time() - begin))
            row += [f"{np.median(times):.3g} ms", f"{max(times):.3g} ms"]
        print(f"| {' | '.join(row)} |", flush=True)


if __name__ == "__main__":
    main()
