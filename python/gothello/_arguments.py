"""What is given to functions: errors name it, and say what would be right."""

import operator
from typing import Any, Iterable, List, Type

import numpy as np

from ._gothello import Position

__all__ = ["check_function", "check_instance", "listed", "stone_numbers", "wrong_move"]


def check_function(name: str, value: Any) -> None:
    """Raises TypeError if what a user gives for a function from a position to a move is none."""
    if not callable(value):
        raise TypeError(f"{name} is a function from a position to a move, not {value!r}")


def check_instance(name: str, kind: Type[Any], such_as: str, value: Any) -> None:
    """Raises TypeError if what a user gives is no object of this class."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is a {kind.__name__}, such as {such_as}, not {value!r}")


def listed(positions: Any) -> Any:
    """Returns positions or keys: an array of numbers as it is, anything else as a list."""
    if isinstance(positions, np.ndarray):
        return list(positions.flat) if positions.dtype == object else positions
    if isinstance(positions, str) or not hasattr(positions, "__iter__"):
        raise TypeError(f"positions are an array of keys, or an iterable such as [Position()], not {positions!r}")
    return list(positions)


def stone_numbers(stones: Iterable[int]) -> List[int]:
    """Returns numbers of stones in order, each once."""
    what = "one or more integers from 0 to 24, such as range(14, 21) or [8]"
    wrong = f"stones are {what}, not {stones!r}"
    try:
        numbers = sorted({operator.index(number) for number in stones})
    except TypeError:
        raise TypeError(wrong) from None
    if not numbers or numbers[0] < 0 or numbers[-1] > 24:
        raise ValueError(wrong)
    return numbers


def wrong_move(returned: str, position: Position, why: Exception) -> Exception:
    """The error of a function of the user that has returned what is no legal move."""
    kind = TypeError if isinstance(why, TypeError) else ValueError
    return kind(f"{returned} in {position}: {why}")
