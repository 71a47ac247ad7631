"""Exact values."""

import copy
import pickle
import signal
import sys
import threading
import time
from typing import Callable, List

import pytest

import gothello
from gothello import Move, Player, Position, Solver, Tablebase, arrays, dataset

LATE = Position("w.bb./b.bw./.bwww/b..ww/w..ww b")


def test_a_position_has_a_value_best_moves_and_best_play() -> None:
    assert gothello.solve(LATE) == 3
    assert gothello.best_moves(LATE) == [Move("c2")]
    values = gothello.move_values(LATE)
    assert list(values) == LATE.legal_moves()
    assert [move for move, value in values.items() if value == 3] == [Move("c2")]
    assert max(values.values()) == 3


def test_best_play_ends_with_the_value() -> None:
    position: object = LATE
    for move in gothello.line(LATE):
        assert isinstance(position, Position)
        position = position.play(move)
    assert isinstance(position, gothello.Outcome)
    assert position.lead("black") == 3


def test_black_wins_by_three() -> None:
    assert gothello.probe(Position()) == Tablebase().probe(Position()) == 3
    assert Tablebase().stones == 7
    assert Tablebase().probe(LATE) is None


def test_a_solver_without_a_tablebase_searches() -> None:
    solver = Solver(memory_mib=16, threads=1, tablebase=None)
    assert solver.probe(Position()) is None
    assert solver.solve(LATE) == 3 and solver.positions > 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signal to a thread")
def test_ctrl_c_interrupts_a_search() -> None:
    solver = Solver(memory_mib=16, threads=1, tablebase=None)
    main = threading.get_ident()
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        solver.solve(Position())
    assert time.monotonic() - begin < 30
    # It can be used as before.
    assert solver.solve(LATE) == 3


def test_other_threads_run_during_a_search() -> None:
    solver = Solver(memory_mib=16, threads=1, tablebase=None)
    count = 0
    over = threading.Event()

    def run() -> None:
        nonlocal count
        while not over.is_set():
            count += 1

    thread = threading.Thread(target=run)
    thread.start()
    for stones in range(14, 12, -1):
        solver.solve(Position("w.bb./b.b../.bwww/b..w./w..w. b"))
    over.set()
    thread.join()
    assert count > 0


def test_players_follow_from_their_seed() -> None:
    def moves(seed: int) -> "list[Move]":
        player = Player(1, seed)
        return [player.choose(Position()) for _ in range(10)]

    assert moves(1) == moves(1)
    assert moves(1) != moves(2)
    assert Player("perfect").choose(LATE) == Move("c2")
    assert Player().choose(LATE, time=1.0) == Move("c2")
    with pytest.raises(ValueError, match="1 to 9 or perfect"):
        Player(10)
    with pytest.raises(ValueError):
        Player().choose(LATE, time=-1.0)


def test_what_is_no_tablebase_is_refused(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "none"
    with pytest.raises(FileNotFoundError) as missing:
        Tablebase(path)
    assert missing.value.filename == str(path) and str(path) in str(missing.value)
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match="none: "):
        Tablebase(path)


def test_a_tablebase_is_built_and_used_in_a_folder(tmp_path) -> None:  # type: ignore[no-untyped-def]
    folder = tmp_path / "layers"
    for wrong in ({"most": -1}, {"fewest": 25}, {"keep": [-1]}, {"shard": (0, 1)}, {"shard": (-1, 1)}, {"threads": 0}):
        with pytest.raises(ValueError):
            Tablebase.build(folder, **wrong)
    shards = [Tablebase.build(folder, 24, 24, keep=[24], shard=(shard, 2)) for shard in (1, 2)]
    assert shards == [False, True]
    tablebase = Tablebase(folder)
    assert tablebase.stones == 24
    keys = dataset.positions(20, stones=[24], seed=1)
    late = arrays.positions(keys)[0]
    assert tablebase.probe(late) == Solver(16, 1).solve(late)
    assert Solver(16, 1, tablebase=tablebase).probe(late) == tablebase.probe(late)
    probed = arrays.probe([late.key, Position().key, LATE.key], tablebase)
    assert probed.tolist() == [tablebase.probe(late), 3, arrays.UNKNOWN]
    # What the folder lacks is looked up in the built-in one.
    assert tablebase.probe(Position()) == 3
    assert tablebase.probe(LATE) is None
    assert (dataset.solve_many(keys, tablebase=folder).values == dataset.solve_many(keys).values).all()


def test_a_damaged_file_in_a_folder_is_told_and_not_used(tmp_path) -> None:  # type: ignore[no-untyped-def]
    Tablebase.build(tmp_path, 24, 24, keep={24})
    for file in tmp_path.rglob("*.blocks"):
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
    keys = dataset.positions(5_000, stones=[24])
    with pytest.warns(RuntimeWarning, match="damaged"):
        values = arrays.probe(keys, Tablebase(tmp_path))
    assert (values == arrays.UNKNOWN).any()


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_a_copied_player_starts_again(again: Callable[[Player], Player]) -> None:
    player = Player(1, 7)
    first = [player.choose(Position()) for _ in range(10)]
    assert [again(player).choose(Position()) for _ in range(10)] == [first[0]] * 10
    copied = again(player)
    assert [copied.choose(Position()) for _ in range(10)] == first
    assert repr(copied) == repr(player) == 'Player("1", seed=7)'


def test_a_player_is_for_one_thread() -> None:
    player = Player("perfect")
    slow = Position("..ww./...../wb.../...b./.bw.b b")
    together = threading.Barrier(2)
    chosen: List[Move] = []
    refused: List[str] = []

    def choose() -> None:
        together.wait()
        try:
            chosen.append(player.choose(slow, time=1.0))
        except RuntimeError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=choose) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(chosen) == 1 and chosen[0] in slow.legal_moves()
    assert len(refused) == 1 and "another thread" in refused[0]
    assert player.choose(LATE) == Move("c2")
