"""Positions with the exact value of every move: ground truth for training and judging networks and other players.

>>> from gothello import dataset
>>> keys = dataset.positions(100, stones=range(16, 20), seed=1)
>>> data = dataset.solve_many(keys)
>>> data.move_values.shape, bool((data.move_values.max(axis=1) == data.values).all())
((100, 26), True)

`gothello dataset` writes the same positions and the same files. Positions that differ only by a symmetry of
the board or by exchanging the colors count as one. At most one of them is drawn: the canonical one
(`Position.canonical`). With a client of Dask, `solve_many` and
`write` search on a cluster.
"""

import json
import os
import sys
import threading
from contextlib import closing
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Generator,
    Iterable,
    List,
    Literal,
    NamedTuple,
    Optional,
    Tuple,
    Union,
)

import numpy as np

from . import _gothello, arrays
from ._arguments import stone_numbers
from ._gothello import Move, Position, Solver, Tablebase, integer, number

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Source = Literal["uniform", "random-games", "games-with-errors"]
    File = Union[str, "os.PathLike[str]"]

__all__ = ["Dataset", "load", "positions", "solve_many", "write"]

Plan = Tuple[str, Optional[float], int, List[int], int]

FAST = range(13, 25)
"""The numbers of stones of positions that are solved in milliseconds."""

VALUES = (-25, 25)
"""The least and the largest value."""

CHUNK = 64
"""The number of positions of a task on a cluster, and of those that are solved at a time for each core."""


class Dataset(NamedTuple):
    """Positions with the values of their moves: arrays with a row for each position."""

    keys: "NDArray[np.uint64]"
    """The keys, see `Position.key`: uint64, shape (n,)."""
    stones: "NDArray[np.uint8]"
    """The numbers of stones on the board: uint8, shape (n,)."""
    values: "NDArray[np.int8]"
    """The values in stones for the player to move, -25 to 25: int8, shape (n,)."""
    move_values: "NDArray[np.int8]"
    """The value of each move by its index for the player who makes it: int8, shape (n, 26), -128 where
    it is illegal. The largest one is the value of the position."""


def positions(
    count: int,
    *,
    stones: Iterable[int] = FAST,
    seed: int = 0,
    source: "Source" = "uniform",
    errors: Optional[float] = None,
    tablebase: "Optional[File]" = None,
) -> "NDArray[np.uint64]":
    """Draws positions, and returns their keys: uint64, shape (count,). Ctrl-C interrupts it.

    They have these numbers of stones, 0 to 24. The same arguments give the same positions on every machine.

    - `source="uniform"`: every legal position is equally likely, whether a game leads to it or not; the last
      move was never a pass.
    - `source="random-games"`: each is from a game of its own, in which placements are random and a player
      passes only if no placement is legal. The game ends at its first position with the largest of the
      numbers of stones; one of its positions with any of the numbers is chosen at random.
    - `source="games-with-errors"`: the same from games of best play, in which each move is, with the
      probability `errors` (0.1 if it is None), a random placement that is not best. The best play of a game takes about half a
      second of a core; `tablebase`, as in `solve_many`, makes it shorter and changes nothing.

    Raises ValueError if there are fewer positions, if games do not seem to have more, or if `errors` is given
    for another source.
    """
    return _draw(_plan(count, stones, seed, source, errors), tablebase)


def solve_many(
    positions: "Union[ArrayLike, Iterable[Position]]",
    *,
    tablebase: "Optional[File]" = None,
    client: Any = None,
    progress: Optional[Callable[[int, int], object]] = None,
) -> Dataset:
    """Finds the value of every move of many positions: keys in an array, or positions.

    They are solved in parallel, on all cores of this machine, or with a `distributed.Client` on the
    workers of its cluster, which need this package. The result is the same. If a worker is lost, others
    repeat the chunks of positions that it had. `progress` is called from time to time, with the number of
    positions that are solved and the number of all.

    `tablebase` is the path of a packed file or of the folder of a tablebase, on a cluster one that
    the workers see. With it, positions with 7 to 12 stones are fast, which otherwise take from hundredths of a
    second to seconds on average. Ctrl-C interrupts the search; on a cluster, chunks that a worker
    has begun run to their end.

    Raises ValueError if a key is not that of a legal position, and OSError or ValueError if the tablebase
    cannot be read.
    """
    # A copy: the caller may change the array.
    keys = arrays._keys_of(positions).copy()
    _check_arguments(client, progress)
    # A wrong key is named before anything is searched.
    arrays.legal_moves(keys)
    name = _name(tablebase)
    rows = np.full((len(keys), arrays.MOVES), arrays.UNKNOWN, dtype=np.int8)
    done = 0
    solve = _on_cluster(client, keys, name) if client is not None else _here(keys, name)
    # If `progress` fails, the workers stop at once, too.
    with closing(solve):
        for first, chunk in solve:
            solved = np.frombuffer(chunk, dtype=np.int8).reshape(-1, arrays.MOVES)
            rows[first : first + len(solved)] = solved
            done += len(solved)
            if progress is not None:
                progress(done, len(keys))
    return Dataset(keys, arrays.stones(keys), rows.max(axis=1), rows)


def write(
    path: "File",
    count: int,
    *,
    stones: Iterable[int] = FAST,
    seed: int = 0,
    source: "Source" = "uniform",
    errors: Optional[float] = None,
    tablebase: "Optional[File]" = None,
    client: Any = None,
    progress: Optional[Callable[[int, int], object]] = None,
) -> Dataset:
    """Draws one or more positions, solves them, and writes them to a file, `.npz` or `.jsonl`.

    The arguments are those of `positions` and `solve_many`; with a client, the positions are drawn here. The
    file and its data card, `path` with `.md` behind, have the same bytes as those of `gothello dataset
    --output`. Each is written whole or not at all, and replaces an older one. Raises OSError if they cannot
    be written.
    """
    if Path(path).suffix not in (".npz", ".jsonl"):
        raise ValueError(f"give a file whose name ends with .npz or .jsonl, in small letters, not {os.fspath(path)}")
    # Before a long search.
    _gothello.dataset.check_writable(path)
    _check_arguments(client, progress)
    # The command in the data card draws at least one.
    integer("count", count, 1, _gothello.dataset.MAX_POSITIONS)
    plan = _plan(count, stones, seed, source, errors)
    keys = _draw(plan, tablebase)
    data = solve_many(keys, tablebase=tablebase, client=client, progress=progress)
    _gothello.dataset.write(path, plan, keys.tobytes(), data.move_values.tobytes())
    return data


def load(path: "File") -> Dataset:
    """Reads a file that `write` or `gothello dataset` has written.

    Raises OSError if it cannot be read, and ValueError if it is another file.
    """
    name = os.fspath(path)
    if Path(path).suffix == ".npz":
        content = BytesIO(Path(path).read_bytes())
        try:
            with np.load(content) as file:
                stored = [np.asarray(file[array]) for array in Dataset._fields if array in file]
        except MemoryError:
            raise
        except Exception:
            # What NumPy, zipfile and zlib raise for other files and damaged ones is of many kinds.
            raise ValueError(f"{name} is no dataset: it is no NumPy archive of arrays") from None
        if len(stored) < len(Dataset._fields):
            needed = ", ".join(Dataset._fields)
            raise ValueError(f"{name} is no dataset: it does not have all the arrays {needed}")
        data = _checked(name, stored[0], stored[-1])
        if not all(map(np.array_equal, data, stored)):
            raise ValueError(f"{name} is no dataset: its stones or values are not those of its moves")
        return data
    keys, rows = [], []
    with open(path, "rb") as lines:
        for line_number, line in enumerate(lines, 1):
            row = np.full(arrays.MOVES, arrays.UNKNOWN, dtype=np.int8)
            try:
                record = json.loads(line)
                key = integer("key", record["key"], 0, 2**64 - 1)
                for move, value in record["moves"].items():
                    row[Move(move).index] = integer(f"the value of {move}", value, *VALUES)
                _check_record(line, record, key, row)
                keys.append(key)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                why = f"it has no {error}" if isinstance(error, KeyError) else getattr(error, "msg", error)
                raise ValueError(f"{name}, line {line_number}, is no record of a dataset: {why}") from None
            rows.append(row)
    return _checked(name, keys, np.array(rows, dtype=np.int8).reshape(-1, arrays.MOVES))


def _check_record(text: bytes, record: Any, key: int, row: "NDArray[np.int8]") -> None:
    """Checks that what a record says is what follows from its key and the values of its moves."""
    keys = np.array([key], dtype=np.uint64).tobytes()
    (line,) = _gothello.dataset.json_lines(keys, row.tobytes())
    # As `write` has written it.
    if text == line.encode() + b"\n":
        return
    for field, right in json.loads(line).items():
        # As texts: 1, 1.0 and True are equal.
        given, right = (json.dumps(value, sort_keys=True) for value in (record[field], right))
        if given != right:
            raise ValueError(f"its {field} is {given}, where {right} follows from its key and moves")


def _checked(name: str, keys: "ArrayLike", move_values: "NDArray[Any]") -> Dataset:
    """The dataset of a file, if these are keys, with values of their legal moves."""
    try:
        keys = arrays._array(keys)
        legal = arrays.legal_moves(keys)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} is no dataset: {error}") from None
    if keys.ndim != 1 or move_values.shape != legal.shape or move_values.dtype != np.int8:
        raise ValueError(f"{name} is no dataset: move_values is int8 with a row of 26 for each key")
    # The pass is always legal.
    if not np.array_equal(legal, move_values != arrays.UNKNOWN):
        raise ValueError(f"{name} is no dataset: not all legal moves have a value, or others have one")
    least, most = VALUES
    if not ((move_values >= least) & (move_values <= most) | ~legal).all():
        raise ValueError(f"{name} is no dataset: values are from {least} to {most}")
    values = move_values.max(axis=1, initial=arrays.UNKNOWN)
    return Dataset(keys, arrays.stones(keys), values, move_values)


_LOCK = threading.Lock()


def _solver(tablebase: "Optional[File]") -> Solver:
    """The solver of this process, which the threads of a worker share."""
    with _LOCK:
        return _new_solver(_name(tablebase))


@lru_cache(maxsize=1)
def _new_solver(tablebase: Optional[str]) -> Solver:
    return Solver(tablebase=Tablebase(tablebase))


def _draw(plan: Plan, tablebase: "Optional[File]") -> "NDArray[np.uint64]":
    keys = _gothello.dataset.draw_positions(plan, _solver(tablebase))
    return np.frombuffer(keys, dtype=np.uint64)


def _solve_chunk(keys: bytes, tablebase: Optional[str], threads: Optional[int] = None) -> bytes:
    """Solves a chunk, here or on a worker."""
    return bytes(_gothello.dataset.move_values(keys, _solver(tablebase), threads))


def _check_arguments(client: Any, progress: Any) -> None:
    """Raises TypeError unless the client is one of Dask or None, and `progress` is a function or None."""
    # A client has imported it.
    distributed: Any = sys.modules.get("distributed")
    if client is not None and not (distributed and isinstance(client, distributed.Client)):
        raise TypeError(f"client is a distributed.Client, such as distributed.Client(address), not {client!r}")
    if progress is not None and not callable(progress):
        raise TypeError(f"progress is a function such as lambda done, count: print(done, count), not {progress!r}")


def _chunks(keys: "NDArray[np.uint64]", size: int) -> List[Tuple[int, bytes]]:
    firsts = range(0, len(keys), size)
    return [(first, keys[first : first + size].tobytes()) for first in firsts]


def _here(
    keys: "NDArray[np.uint64]", tablebase: Optional[str]
) -> "Generator[Tuple[int, bytes], None, None]":
    # A chunk is solved on all cores: the others wait for the last position of it.
    for first, chunk in _chunks(keys, CHUNK * (os.cpu_count() or 1)):
        yield first, _solve_chunk(chunk, tablebase)


def _on_cluster(
    client: Any, keys: "NDArray[np.uint64]", tablebase: Optional[str]
) -> "Generator[Tuple[int, bytes], None, None]":
    import distributed

    as_completed: Any = distributed.as_completed
    chunks = _chunks(keys, CHUNK)
    # A worker runs as many tasks as it has threads.
    futures = client.map(
        _solve_chunk,
        [chunk for _, chunk in chunks],
        tablebase=tablebase,
        threads=1,
        pure=False,
    )
    first_of = {future.key: first for future, (first, _) in zip(futures, chunks)}
    try:
        for future, chunk in as_completed(futures, with_results=True):
            yield first_of[future.key], chunk
            future.release()
    finally:
        client.cancel(futures)


def _plan(
    count: int, stones: Iterable[int], seed: int, source: str, errors: Optional[float]
) -> Plan:
    if not isinstance(source, str):
        raise TypeError(f"source is 'uniform', 'random-games' or 'games-with-errors', not {source!r}")
    return (
        source,
        None if errors is None else number("errors", errors, 0, 1),
        integer("count", count, 0, _gothello.dataset.MAX_POSITIONS),
        stone_numbers(stones),
        integer("seed", seed, 0, 2**64 - 1),
    )


def _name(path: "Optional[File]") -> Optional[str]:
    if path is None:
        return None
    try:
        return os.fspath(path)
    except TypeError:
        raise TypeError(f"tablebase is the path of a file or a folder, not {path!r}") from None
