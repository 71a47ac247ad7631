"""How much a policy loses against best play: ground truth for judging networks and other players.

>>> import gothello
>>> from gothello import arrays, loss
>>> keys = loss.random_positions(200, stones=range(16, 20), seed=1)
>>> def last_point(position):
...     return max(position.legal_moves()[:-1] or ["pass"])  # the pass is the last one
>>> report = loss.exact_loss(last_point, keys)
>>> report.positions
200
>>> 0 <= report.best_moves <= 1 and report.stones >= 0
True
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Optional, Tuple, Union

import numpy as np

from . import arrays, dataset
from ._arguments import check_function, listed, wrong_move
from ._gothello import Move, Position, Solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Loss", "exact_loss", "random_positions"]


@dataclass(frozen=True)
class Loss:
    """What the moves of a policy lose against best play, on average."""

    positions: int
    """The number of positions."""
    stones: float
    """The stones lost: the value of the position minus that of the move, on average; 0 is perfect."""
    results: float
    """The results lost on average, where a win is 1, a draw 1/2, and a loss 0; 0 is perfect."""
    best_moves: float
    """The share of moves that lose nothing, 0 to 1."""
    by_stones: "Dict[int, Loss]"
    """The same for the positions with each number of stones on the board; empty there."""

    def __str__(self) -> str:
        return (
            f"{self.positions} positions: {self.stones:.3f} stones and {self.results:.4f} results lost "
            f"per move, {100 * self.best_moves:.1f} % best moves"
        )


def exact_loss(
    policy: Callable[[Any], Any],
    positions: "Union[ArrayLike, Iterable[Position]]",
    *,
    solver: Optional[Solver] = None,
    batch: bool = False,
) -> Loss:
    """Returns what a policy loses in these positions: an iterable of them, or their keys.

    `policy` is called with each position and returns a legal move: a `Move`, its text, or its index. With
    `batch=True` it is called once with the array of keys, and returns an array of indexes. A solver with
    a larger tablebase makes positions with 7 to 12 stones fast, some of which otherwise take seconds.

    Raises ValueError if a move is illegal, a key is not that of a legal position, or there are no positions,
    and TypeError if what the policy returns is no move.
    """
    check_function("policy", policy)
    given: Any = listed(positions)
    keys = arrays._keys_of(given)
    if not len(keys):
        raise ValueError("there are no positions")
    on_board = arrays.stones(keys)
    # An illegal move is told before anything is searched.
    if batch:
        after, leads = _play_all(keys, policy(keys.copy()))
    else:
        # Those that were given say which color is to move.
        are_positions = isinstance(given, list) and isinstance(given[0], Position)
        asked = given if are_positions else arrays.positions(keys)
        after, leads = arrays.play(keys, [_move(policy, position) for position in asked])
    best = arrays.solve(keys, solver).astype(np.int16)
    goes_on = leads == arrays.UNKNOWN
    got = leads.astype(np.int16)
    got[goes_on] = -arrays.solve(after[goes_on], solver).astype(np.int16)
    stones = best - got
    results = (np.sign(best) - np.sign(got)) / 2
    by_stones = {
        int(number): _mean(stones[on_board == number], results[on_board == number], {})
        for number in np.unique(on_board)
    }
    return _mean(stones, results, by_stones)


def random_positions(
    count: int, *, stones: Iterable[int] = range(13, 25), seed: int = 0
) -> "NDArray[np.uint64]":
    """Returns the keys of different positions from games of random placements, with these numbers of stones.

    Each is from a game of its own (see `dataset.positions`, with `source="random-games"`), and a random
    one of its eight images. No position is the image of another one. By default all have 13 stones or more,
    which `exact_loss` judges in milliseconds; some of those with 7 to 12 stones take seconds. The same
    seed, 0 to 2**64 - 1, gives the same positions. Raises ValueError if random games do not seem to have
    so many.
    """
    keys = dataset.positions(count, stones=stones, seed=seed, source="random-games")
    # NumPy has frozen this generator: its numbers are the same with every version.
    random = np.random.RandomState(np.random.MT19937(np.random.SeedSequence(seed)))
    return arrays.images(keys)[np.arange(count), random.randint(8, size=count)]


def _move(policy: Callable[[Any], Any], position: Position) -> int:
    """The index of the move of a policy, which is legal."""
    move = policy(position)
    try:
        position.play(move)
        return Move(move).index
    except (TypeError, ValueError) as error:
        raise wrong_move(f"the policy returned {move!r}", position, error) from None


def _play_all(
    keys: "NDArray[np.uint64]", returned: Any
) -> "Tuple[NDArray[np.uint64], NDArray[np.int8]]":
    """Plays the moves of a policy that is called once."""
    moves = np.asarray(returned)
    if moves.shape != keys.shape:
        wrong = f"the policy returned moves of shape {moves.shape}, not {keys.shape}, an index for each key"
        if moves.shape == keys.shape + (arrays.MOVES,):
            best = "np.where(arrays.legal_moves(keys), scores, -np.inf).argmax(axis=-1)"
            wrong += f": for a score of each move, return {best}"
        raise ValueError(wrong)
    try:
        return arrays.play(keys, moves)
    except (TypeError, ValueError) as error:
        raise type(error)(f"the moves that the policy returned: {error}") from None


def _mean(
    stones: "NDArray[Any]", results: "NDArray[Any]", by_stones: "Dict[int, Loss]"
) -> Loss:
    return Loss(
        len(stones),
        float(stones.mean()),
        float(results.mean()),
        float((stones == 0).mean()),
        by_stones,
    )
