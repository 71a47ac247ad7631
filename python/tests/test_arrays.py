"""Batches: every function agrees with the methods of one position."""

import signal
import subprocess
import sys
import threading
import time
from typing import Any, Callable, List

import numpy as np
import pytest

from gothello import _gothello, Move, Outcome, Position, Solver, Tablebase, arrays, loss

GAMES = arrays.random_games(50, seed=3)
POSITIONS = arrays.positions(GAMES.keys)


def test_random_games_are_legal_and_end_as_they_say() -> None:
    ends = {}
    for game, position, move in zip(GAMES.game, POSITIONS, GAMES.moves):
        after = position.play(int(move))
        if isinstance(after, Outcome):
            ends[int(game)] = (position, after)
    assert sorted(ends) == list(range(50))
    again = arrays.random_games(50, seed=3)
    assert GAMES.keys.tolist() == again.keys.tolist()
    assert GAMES.moves.tolist() == again.moves.tolist()
    assert len(arrays.random_games(0).keys) == 0


def test_legal_moves_are_those_of_the_positions() -> None:
    legal = arrays.legal_moves(GAMES.keys)
    for row, position in zip(legal, POSITIONS):
        assert [Move(int(i)) for i in np.flatnonzero(row)] == position.legal_moves()


def test_playing_leads_to_the_same_positions() -> None:
    after, leads = arrays.play(GAMES.keys, GAMES.moves)
    for position, move, key, lead in zip(POSITIONS, GAMES.moves, after, leads):
        next = position.play(int(move))
        if isinstance(next, Outcome):
            assert lead == next.lead(position.to_move) and key == position.key
        else:
            assert lead == arrays.UNKNOWN and key == next.key


def test_planes_have_the_stones_where_the_moves_are() -> None:
    planes = arrays.planes(GAMES.keys)
    assert planes.dtype == np.float32
    for stones, position in zip(planes, POSITIONS):
        for index in range(25):
            here = position.stone_at(index)
            expected = [here == position.to_move, here not in (None, position.to_move)]
            assert stones[:2, index // 5, index % 5].tolist() == expected
        assert (stones[3] == position.after_pass).all()


def test_images_keep_values_and_moves() -> None:
    keys = GAMES.keys[:200]
    images = arrays.images(keys)
    assert (images[:, 0] == keys).all()
    move_images = arrays.move_images()
    legal = arrays.legal_moves(keys)
    for symmetry in range(8):
        there = arrays.legal_moves(images[:, symmetry])
        assert (there[:, move_images[symmetry]] == legal).all()


def test_values_agree_with_those_of_single_positions() -> None:
    solver = Solver(memory_mib=64, threads=1)
    late = np.array([p.key for p in POSITIONS if p.stones >= 16], dtype=np.uint64)
    values = arrays.solve(late, solver)
    moves = arrays.move_values(late, solver)
    for key, value, row in zip(late, values, moves):
        position = Position.from_key(int(key))
        assert solver.solve(position) == value == row.max()
        assert {Move(int(i)): int(row[i]) for i in np.flatnonzero(row > -128)} == dict(
            solver.move_values(position)
        )


def test_probes_are_those_of_the_tablebase() -> None:
    # Some more than once, and in no order.
    keys = np.concatenate([GAMES.keys, GAMES.keys[:100], loss.random_positions(500, stones=range(8))])
    tablebase = Tablebase()
    for position, value in zip(arrays.positions(keys), arrays.probe(keys)):
        alone = tablebase.probe(position)
        assert value == (arrays.UNKNOWN if alone is None else alone)
        assert (alone is None) == (position.stones > 7)


def test_arrays_keep_their_shape() -> None:
    keys = np.zeros((2, 3), dtype=np.uint64)
    assert arrays.legal_moves(keys).shape == (2, 3, 26)
    assert arrays.planes(keys).shape == (2, 3, 4, 5, 5)
    assert arrays.images(keys).shape == (2, 3, 8)
    assert arrays.probe(keys).tolist() == [[3] * 3] * 2
    after, leads = arrays.play(keys, arrays.PASS)
    assert after.shape == leads.shape == (2, 3)


def test_a_wrong_row_is_named() -> None:
    with pytest.raises(ValueError, match="row 1: 4611686018427387904 is not the key"):
        arrays.planes([0, 2**62])
    with pytest.raises(ValueError, match="row 1: .*occupied"):
        arrays.play(arrays.play([0, 0], [25, 3])[0], [25, 3])
    with pytest.raises(ValueError, match="row 1: invalid index of a move 26: use 0 to 25"):
        arrays.play([0, 0], [3, 26])
    with pytest.raises(ValueError, match=r"moves have the shape \(2,\), and keys \(1,\)"):
        arrays.play([0], [3, 4])
    for function in (arrays.planes, arrays.stones):
        with pytest.raises(ValueError, match="-1 is negative"):
            function(np.array([0, -1]))
    with pytest.raises(ValueError, match=f"row 0: {2**62} is not the key"):
        arrays.stones(2**62)


def test_only_integers_are_keys_and_moves() -> None:
    moves: Any
    for moves in ([24.7], [True], ["c3"], [None]):
        with pytest.raises(TypeError, match="moves are integers or Move objects"):
            arrays.play([0], moves)
    with pytest.raises(ValueError, match="moves are integers or Move objects"):
        arrays.play([0], [2**70])
    keys: Any
    for keys in ([0.5], np.array([0.5], dtype=object), [None], [True], "x"):
        with pytest.raises(TypeError, match="keys are uint64"):
            arrays.planes(keys)
    for keys in ([2**64], [-1]):
        with pytest.raises(ValueError, match="key"):
            arrays.planes(keys)
    for position in (Position(), [Position()]):
        with pytest.raises(TypeError, match="`arrays.keys` turns"):
            arrays.planes(position)  # type: ignore[arg-type]
    assert arrays.planes(np.array([0], dtype=object)).shape == (1, 4, 5, 5)


def test_moves_may_be_given_as_such() -> None:
    moves = [Move("c3"), Move("d1"), Move("pass")]
    after, _ = arrays.play([0] * 3, moves)
    assert after.tolist() == arrays.play([0] * 3, [12, 3, 25])[0].tolist()
    assert arrays.play([0, 0], Move("c3"))[0].tolist() == arrays.play([0, 0], 12)[0].tolist()


def test_what_does_not_fit_the_memory_is_a_memory_error() -> None:
    for games in (2**62, 2**64 - 1):
        with pytest.raises(MemoryError):
            arrays.random_games(games)
    with pytest.raises(ValueError, match="games is an integer from 0"):
        arrays.random_games(-1)


@pytest.mark.skipif(sys.platform != "linux", reason="limits its memory as Linux does")
@pytest.mark.parametrize("call", ["planes(keys)", "images(keys)", "legal_moves(keys)", "play(keys, 25)"])
def test_a_large_result_is_a_memory_error(call: str) -> None:
    code = f"""
import resource
import numpy as np
from gothello import arrays
keys = np.zeros(10_000_000, dtype=np.uint64)
with open("/proc/self/statm") as statm:
    size = int(statm.read().split()[0]) * resource.getpagesize()
limit = size + 180_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    arrays.{call}
except MemoryError:
    print("refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "refused\n"), done.stderr


@pytest.mark.parametrize("function", [arrays.solve, arrays.move_values])
def test_ctrl_c_interrupts_many_short_searches(function: Callable[..., Any]) -> None:
    # One after the other, each is too short to look for signals.
    keys = np.repeat(GAMES.keys[[p.stones >= 20 for p in POSITIONS]][:1], 20_000_000)
    _interrupt(lambda: function(keys))


def test_ctrl_c_interrupts_random_games() -> None:
    _interrupt(lambda: arrays.random_games(4_000_000))


def _interrupt(work: Callable[[], Any]) -> None:
    """Interrupts at the third of many signals: without looks for signals, all are one after the work."""
    if sys.platform == "win32":
        pytest.skip("Windows sends no signal to a thread")
    seen: List[int] = []

    def handle(number: int, frame: Any) -> None:
        seen.append(number)
        if len(seen) == 3:
            raise KeyboardInterrupt

    main, over = threading.get_ident(), threading.Event()

    def send() -> None:
        while not over.wait(0.05):
            signal.pthread_kill(main, signal.SIGINT)

    before = signal.signal(signal.SIGINT, handle)
    sender = threading.Thread(target=send)
    sender.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        over.set()
        sender.join()
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("function, more", [("planes", ()), ("play", (bytes(2_000_000),))])
def test_other_threads_run_during_a_batch(function: str, more: "tuple[bytes, ...]") -> None:
    keys = bytes(8 * 2_000_000)
    batch = threading.Thread(target=getattr(_gothello.arrays, function), args=(keys, *more))
    ticks = 0
    batch.start()
    while batch.is_alive():
        time.sleep(0.001)
        ticks += 1
    # Where it holds the GIL, one or two.
    assert ticks > 5
