"""What is given to functions: errors name it, and say what would be right."""

import operator
from typing import Any, Iterable, List

from ._gothello import Position

__all__ = ["integer", "number", "stone_numbers", "wrong_move"]


def integer(name: str, value: Any, least: int, most: int) -> int:
    """Returns an integer in a range. Numbers of NumPy are integers, too."""
    limit = "2**64 - 1" if most == 2**64 - 1 else str(most)
    wrong = f"{name} is an integer from {least} to {limit}, not {value!r}"
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(wrong) from None
    if not least <= found <= most:
        raise ValueError(wrong)
    return found


def number(name: str, value: Any) -> float:
    """Returns a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, not {value!r}") from None


def stone_numbers(stones: Iterable[int]) -> List[int]:
    """Returns numbers of stones in order, each once."""
    try:
        return sorted({operator.index(number) for number in stones})
    except TypeError:
        what = "one or more integers from 0 to 24, such as range(14, 21) or [8]"
        raise TypeError(f"stones are {what}, not {stones!r}") from None


def wrong_move(returned: str, position: Position, why: Exception) -> Exception:
    """The error of a function of the user that has returned what is no legal move."""
    kind = TypeError if isinstance(why, TypeError) else ValueError
    return kind(f"{returned} in {position}: {why}")
