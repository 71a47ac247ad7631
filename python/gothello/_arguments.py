"""What is given to functions: errors name it, and say what would be right."""

import operator
from typing import Any, Iterable, List

from ._gothello import Position

__all__ = ["number", "stone_numbers", "wrong_move"]


def number(name: str, value: Any) -> float:
    """Returns a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is a number, not {value!r}") from None


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
