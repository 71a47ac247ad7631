"""What policies lose."""

from typing import List

import numpy as np
import pytest
from numpy.typing import NDArray

import gothello
from gothello import Position, Solver, arrays, loss

KEYS = loss.random_positions(60, stones=range(15, 19), seed=1)
SOLVER = Solver(memory_mib=64)


def test_a_perfect_policy_loses_nothing() -> None:
    report = loss.exact_loss(lambda p: SOLVER.best_moves(p)[0], KEYS, solver=SOLVER)
    assert (report.positions, report.stones, report.results, report.best_moves) == (60, 0, 0, 1)


def test_a_policy_that_passes_loses_what_passes_lose() -> None:
    report = loss.exact_loss(lambda p: "pass", KEYS, solver=SOLVER)
    lost = []
    for position in arrays.positions(KEYS):
        values = dict(SOLVER.move_values(position))
        lost.append(max(values.values()) - values[gothello.Move("pass")])
    assert report.stones == pytest.approx(np.mean(lost)) and report.stones > 0
    assert 0 < report.results <= 1
    assert sum(part.positions for part in report.by_stones.values()) == 60
    assert set(report.by_stones) <= set(range(15, 19))
    assert "% best moves" in str(report)


def test_a_batch_policy_is_asked_once() -> None:
    calls = []

    def policy(keys: "NDArray[np.uint64]") -> "NDArray[np.int64]":
        calls.append(len(keys))
        return np.full(keys.shape, arrays.PASS)

    report = loss.exact_loss(policy, KEYS, solver=SOLVER, batch=True)
    single = loss.exact_loss(lambda p: 25, arrays.positions(KEYS), solver=SOLVER)
    assert calls == [60] and report == single


def test_random_positions_are_different_and_repeatable() -> None:
    smallest = arrays.images(KEYS).min(axis=-1)
    assert len(set(smallest.tolist())) == 60
    assert (loss.random_positions(60, stones=range(15, 19), seed=1) == KEYS).all()
    assert (loss.random_positions(60, stones=range(15, 19), seed=2) != KEYS).any()
    with pytest.raises(ValueError, match="only 1 position with 0 stones"):
        loss.random_positions(5, stones=[0])


def test_mistakes_are_told() -> None:
    with pytest.raises(ValueError, match="no positions"):
        loss.exact_loss(lambda p: "pass", [])
    with pytest.raises(ValueError, match="shape"):
        loss.exact_loss(lambda keys: [25], KEYS, batch=True)
    occupied = Position("...../...../..b../...../..... w")
    # With few stones, a search would take seconds.
    few = loss.random_positions(200, stones=[8])
    told = r"the policy returned 'c3' in [bw./]+ b( pass)?: .*(occupied|liberty)"
    with pytest.raises(ValueError, match="the policy returned 'c3' in .* w: .*occupied"):
        loss.exact_loss(lambda p: "c3", [occupied])
    with pytest.raises(ValueError, match=told):
        loss.exact_loss(lambda p: "c3", few)
    with pytest.raises(TypeError, match="the policy returned None in .*: a move is a Move"):
        loss.exact_loss(lambda p: None, few)
    with pytest.raises(ValueError, match="the moves that the policy returned: row"):
        loss.exact_loss(lambda keys: np.full(keys.shape, 12), few, batch=True)
    with pytest.raises(TypeError, match="the moves that the policy returned: moves are integers"):
        loss.exact_loss(lambda keys: ["pass"] * len(keys), few, batch=True)
    with pytest.raises(ValueError, match="row 1: .* is not the key"):
        loss.exact_loss(lambda p: "pass", [0, 2**62])


def test_keys_may_be_in_a_list() -> None:
    listed = loss.exact_loss(lambda p: "pass", KEYS[:5].tolist(), solver=SOLVER)
    assert listed == loss.exact_loss(lambda p: "pass", KEYS[:5], solver=SOLVER)


def test_positions_in_an_array_keep_their_colors() -> None:
    white = [Position.from_key(int(key), "white") for key in KEYS[:4]]
    asked = []

    def policy(position: Position) -> str:
        asked.append(position)
        return "pass"

    report = loss.exact_loss(policy, np.array(white).reshape(2, 2), solver=SOLVER)
    assert asked == white and report == loss.exact_loss(lambda p: "pass", KEYS[:4], solver=SOLVER)


def test_random_positions_are_a_sample_of_those_of_games() -> None:
    keys = loss.random_positions(200, stones=range(15, 19), seed=1)
    # Not only the smallest of the eight images of each.
    canonical = keys == arrays.images(keys).min(axis=-1)
    assert 0 < canonical.sum() < 100
    # In no order of keys or of numbers of stones, which those of one game have.
    stones = [position.stones for position in arrays.positions(keys)]
    rises = sum(before < after for before, after in zip(stones, stones[1:]))
    assert 40 < rises < 110
    games = arrays.random_games(200, seed=1)
    assert not np.isin(keys, games.keys).any()


def test_the_default_has_no_slow_positions() -> None:
    stones = {position.stones for position in arrays.positions(loss.random_positions(100))}
    assert stones <= set(range(13, 25)) and len(stones) > 6


def test_a_policy_may_change_its_keys() -> None:
    def policy(keys: "NDArray[np.uint64]") -> "NDArray[np.int64]":
        keys[:] = 0
        return np.full(keys.shape, arrays.PASS)

    changed = loss.exact_loss(policy, KEYS, solver=SOLVER, batch=True)
    assert changed == loss.exact_loss(lambda p: "pass", KEYS, solver=SOLVER)


def test_positions_may_come_from_a_generator() -> None:
    listed = arrays.positions(KEYS[:5])
    report = loss.exact_loss(lambda p: "pass", (p for p in listed), solver=SOLVER)
    assert report == loss.exact_loss(lambda p: "pass", listed, solver=SOLVER)


def test_floats_are_no_keys_or_moves() -> None:
    with pytest.raises(TypeError, match="keys are uint64, not float64"):
        loss.exact_loss(lambda p: "pass", KEYS.astype(np.float64))
    with pytest.raises(TypeError, match="moves are integers or Move objects, not float64"):
        loss.exact_loss(lambda keys: np.full(keys.shape, 24.9), KEYS, solver=SOLVER, batch=True)
