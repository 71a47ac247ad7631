"""Gothello, a strongly solved 5x5 game between Go and Othello.

>>> import gothello
>>> position = gothello.Position("w.bb./b.bw./.bwww/b..ww/w..ww b")
>>> gothello.solve(position)
3
>>> gothello.best_moves(position)
[Move('c2')]

A value is the number of stones that the player to move has more than the opponent at the end of the
game under best play, from -25 to 25. `Position`, `Game` and `Move` are the rules; `Solver` and
`Tablebase` have the values; `gothello.arrays` has batches of positions as NumPy arrays; `gothello.dataset`
draws positions and solves many; `gothello.loss` measures policies against the values; `gothello.client`
plays against a referee.
"""

from functools import lru_cache
from typing import Dict, List, Optional

from . import arrays, awari, client, dataset, loss
from ._gothello import (
    __VERSION__,
    Game,
    Move,
    Outcome,
    Player,
    Position,
    Solver,
    Tablebase,
)
from .client import MatchResult, RefereeError, play

__version__: str = __VERSION__

__all__ = [
    "Game",
    "MatchResult",
    "Move",
    "Outcome",
    "Player",
    "Position",
    "RefereeError",
    "Solver",
    "Tablebase",
    "arrays",
    "awari",
    "best_moves",
    "client",
    "dataset",
    "line",
    "loss",
    "move_values",
    "play",
    "probe",
    "solve",
]


@lru_cache(maxsize=None)
def _solver() -> Solver:
    return Solver()


def solve(position: Position) -> int:
    """Returns the value of a position, -25 to 25 stones for the player to move."""
    return _solver().solve(position)


def best_moves(position: Position) -> List[Move]:
    """Returns the moves that keep the value of a position."""
    return _solver().best_moves(position)


def move_values(position: Position) -> Dict[Move, int]:
    """Returns the value of every legal move for the player who makes it: a dict, whose keys are `Move` objects.

    >>> move_values(Position())[Move("c3")]
    3
    """
    return dict(_solver().move_values(position))


def line(position: Position) -> List[Move]:
    """Returns best play by both players from a position to the end of the game."""
    return _solver().line(position)


def probe(position: Position) -> Optional[int]:
    """Returns the value of a position that the built-in tablebase has (at most 7 stones), else None."""
    return Tablebase().probe(position)
