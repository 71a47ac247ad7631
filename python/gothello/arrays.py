"""Batches of positions as NumPy arrays, in one call each.

A position is its key, a uint64 (see `Position.key`): the stones of the player to move, those of the
opponent, and whether the last move was a pass. Who that player is does not matter here. A move is its
index: column + 5 * row from a1, and 25 for the pass. Values are int8, in stones for the player to move;
where there is none, it is `UNKNOWN`, -128. Every function raises ValueError if a key is not that of a legal
position, and names its row, TypeError if keys or moves are not integers, and MemoryError if its result does
not fit in memory.

>>> import gothello, gothello.arrays as arrays
>>> keys = arrays.keys([gothello.Position(), gothello.Position("...../...../..b../...../..... w")])
>>> arrays.probe(keys).tolist()
[3, -3]
"""

import operator
from typing import TYPE_CHECKING, Any, Iterable, List, NamedTuple, Optional, Sequence, Union

import numpy as np

from . import _gothello
from ._arguments import check_instance, listed
from ._gothello import Move, Position, Solver, Tablebase, integer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from ._gothello import _Color as Color

__all__ = [
    "MOVES",
    "PASS",
    "UNKNOWN",
    "RandomGames",
    "images",
    "keys",
    "legal_moves",
    "move_images",
    "move_values",
    "planes",
    "play",
    "positions",
    "probe",
    "random_games",
    "solve",
    "stones",
]

MOVES = 26
"""The number of moves: 25 points and the pass."""

PASS = 25
"""The index of the pass."""

UNKNOWN = -128
"""Stands for a value or a lead where there is none: of an illegal move, or of a game that goes on."""


def keys(positions: Iterable[Position]) -> "NDArray[np.uint64]":
    """Returns the keys of positions: uint64, shape (n,)."""
    return np.frombuffer(_gothello.arrays.keys(positions), dtype=np.uint64)


def positions(keys: "ArrayLike", to_move: "Color" = "black") -> List[Position]:
    """Returns the positions with keys of any shape, in a flat list; the same player is to move in all."""
    return [Position.from_key(int(key), to_move) for key in _flat(keys)]


def stones(keys: "ArrayLike") -> "NDArray[np.uint8]":
    """Returns the numbers of stones on the board: uint8, the shape of `keys`."""
    keys = _array(keys)
    numbers = _gothello.arrays.stones(keys.tobytes())
    return np.frombuffer(numbers, dtype=np.uint8).reshape(keys.shape)


def legal_moves(keys: "ArrayLike") -> "NDArray[np.bool_]":
    """Returns which moves are legal: bool, shape `keys.shape + (26,)`."""
    keys = _array(keys)
    legal = _gothello.arrays.legal_moves(keys.tobytes())
    return np.frombuffer(legal, dtype=np.bool_).reshape(keys.shape + (MOVES,))


def play(
    keys: "ArrayLike", moves: "Union[ArrayLike, Move, Sequence[Move]]"
) -> "tuple[NDArray[np.uint64], NDArray[np.int8]]":
    """Plays a move in each position.

    Returns the keys of the positions after it, where the other player is to move, and an int8 array: the
    lead of the player who has moved if the move has ended the game (the key is then that of the position
    before), else `UNKNOWN`. A move is its index or a `Move`. Raises ValueError if a move is illegal.
    """
    keys = _array(keys)
    chosen = np.asarray(moves)
    if chosen.dtype == np.dtype(object):
        chosen = _of_objects(chosen, np.int64, "moves are integers or Move objects")
    if chosen.size and not np.issubdtype(chosen.dtype, np.integer):
        raise TypeError(f"moves are integers or Move objects, not {chosen.dtype}")
    try:
        chosen = np.ascontiguousarray(np.broadcast_to(chosen, keys.shape))
    except ValueError:
        raise ValueError(f"moves have the shape {chosen.shape}, and keys {keys.shape}") from None
    wrong = np.flatnonzero((chosen < 0) | (chosen >= MOVES))
    if wrong.size:
        row, index = wrong[0], chosen.flat[wrong[0]]
        raise ValueError(f"row {row}: invalid index of a move {index}: use 0 to 25")
    after, leads = _gothello.arrays.play(keys.tobytes(), chosen.astype(np.uint8).tobytes())
    return (
        np.frombuffer(after, dtype=np.uint64).reshape(keys.shape),
        np.frombuffer(leads, dtype=np.int8).reshape(keys.shape),
    )


def planes(keys: "ArrayLike") -> "NDArray[np.float32]":
    """Returns the input of a network: float32, shape `keys.shape + (4, 5, 5)`.

    The planes are the stones of the player to move, those of the opponent, the legal placements, and
    ones everywhere if the last move was a pass. Row 0 is row 1 of the board and column 0 is column a, so
    that move i is at row i // 5 and column i % 5.
    """
    keys = _array(keys)
    bits = _gothello.arrays.planes(keys.tobytes())
    shape = keys.shape + (4, 5, 5)
    return np.frombuffer(bits, dtype=np.uint8).reshape(shape).astype(np.float32)


def images(keys: "ArrayLike") -> "NDArray[np.uint64]":
    """Returns the images under the eight symmetries of the board: shape `keys.shape + (8,)`.

    The first one is the position itself. `move_images` has the images of the moves in the same order.
    """
    keys = _array(keys)
    found = _gothello.arrays.images(keys.tobytes())
    return np.frombuffer(found, dtype=np.uint64).reshape(keys.shape + (8,))


def move_images() -> "NDArray[np.uint8]":
    """Returns the index of the image of each move under each symmetry: uint8, shape (8, 26)."""
    found = _gothello.arrays.move_images()
    return np.frombuffer(found, dtype=np.uint8).reshape(8, MOVES)


def probe(keys: "ArrayLike", tablebase: Optional[Tablebase] = None) -> "NDArray[np.int8]":
    """Returns the values of positions that a tablebase has, the built-in one by default; else `UNKNOWN`."""
    keys = _array(keys)
    if tablebase is None:
        tablebase = Tablebase()
    check_instance("tablebase", Tablebase, "Tablebase(path)", tablebase)
    values = tablebase._probe_keys(keys.tobytes())
    return np.frombuffer(values, dtype=np.int8).reshape(keys.shape)


def solve(keys: "ArrayLike", solver: Optional[Solver] = None) -> "NDArray[np.int8]":
    """Returns the values of positions: int8, the shape of `keys`. Ctrl-C interrupts the search."""
    keys = _array(keys)
    values = _solver(solver)._solve_keys(keys.tobytes())
    return np.frombuffer(values, dtype=np.int8).reshape(keys.shape)


def move_values(keys: "ArrayLike", solver: Optional[Solver] = None) -> "NDArray[np.int8]":
    """Returns the value of each move for the player who makes it, `UNKNOWN` for illegal ones.

    The result is int8, shape `keys.shape + (26,)`. Its largest value in each row is the value of
    the position.
    """
    keys = _array(keys)
    values = _solver(solver)._move_values_keys(keys.tobytes())
    return np.frombuffer(values, dtype=np.int8).reshape(keys.shape + (MOVES,))


class RandomGames(NamedTuple):
    """Games of random placements, one after the other, from the empty board to the end.

    Black has the first move."""

    game: "NDArray[np.uint32]"
    """The number of the game of each move, from 0: shape (m,)."""
    keys: "NDArray[np.uint64]"
    """The key of the position before each move: shape (m,)."""
    moves: "NDArray[np.uint8]"
    """The index of each move: shape (m,)."""
    leads: "NDArray[np.int8]"
    """Black's lead at the end of each game: shape (games,). The moves at even places of a game are Black's."""


def random_games(games: int, seed: int = 0) -> RandomGames:
    """Plays games of random placements; a player passes only where no placement is legal.

    The same seed, 0 to 2**64 - 1, gives the same games on every machine. Ctrl-C interrupts it.
    """
    games = integer("games", games, 0, 2**64 - 1)
    seed = integer("seed", seed, 0, 2**64 - 1)
    lengths, keys, moves, leads = _gothello.arrays.random_games(games, seed)
    numbers = np.arange(games, dtype=np.uint32)
    return RandomGames(
        np.repeat(numbers, np.frombuffer(lengths, dtype=np.uint32)),
        np.frombuffer(keys, dtype=np.uint64),
        np.frombuffer(moves, dtype=np.uint8),
        np.frombuffer(leads, dtype=np.int8),
    )


_HINT = "`arrays.keys` turns an iterable of positions into keys"


def _array(keys: "ArrayLike") -> "NDArray[np.uint64]":
    array = np.asarray(keys)
    if array.dtype == np.dtype(object):
        if any(isinstance(key, Position) for key in array.flat):
            raise TypeError(f"keys are uint64: {_HINT}")
        return _of_objects(array, np.uint64, "keys are uint64")
    if array.size and not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"keys are uint64, not {array.dtype}: {_HINT}")
    # NumPy would turn it into another number.
    if array.size and array.min() < 0:
        raise ValueError(f"keys are uint64, and {array.min()} is negative")
    return np.asarray(array, dtype=np.uint64, order="C")


def _of_objects(array: "NDArray[Any]", kind: Any, right: str) -> "NDArray[Any]":
    """Returns objects as integers of a kind; `right` says what would be right."""
    try:
        numbers = [operator.index(each) for each in array.flat]
        return np.array(numbers, dtype=kind).reshape(array.shape)
    except TypeError as error:
        raise TypeError(f"{right}: {error}") from None
    except OverflowError as error:
        raise ValueError(f"{right}: {error}") from None


def _flat(keys: "ArrayLike") -> "NDArray[np.uint64]":
    return _array(keys).ravel()


def _keys_of(positions: "Union[ArrayLike, Iterable[Position]]") -> "NDArray[np.uint64]":
    """The keys of positions, which are given as such or as keys, in a flat array."""
    given: Any = listed(positions)
    if isinstance(given, list) and all(isinstance(position, Position) for position in given):
        return keys(given)
    return _flat(given)


def _solver(solver: Optional[Solver]) -> Solver:
    from . import _solver as shared

    if solver is None:
        return shared()
    check_instance("solver", Solver, "Solver(memory_mib=64)", solver)
    return solver
