"""Gothello in Python alone, for comparison: sets of points are the bits of integers."""

from random import Random
from typing import List, Tuple

PASS = 25
BOARD = (1 << 25) - 1
NOT_FIRST = sum(0b11110 << 5 * row for row in range(5))
NOT_LAST = sum(0b01111 << 5 * row for row in range(5))


def beside(points: int) -> int:
    """Returns the points beside these, and some of these."""
    across = (points & NOT_LAST) << 1 | (points & NOT_FIRST) >> 1
    return across | points << 5 & BOARD | points >> 5


BESIDE = [beside(1 << point) for point in range(25)]


def group(point: int, stones: int) -> int:
    """Returns the group of a stone, given as a bit."""
    grown = point
    while True:
        larger = grown | beside(grown) & stones
        if larger == grown:
            return grown
        grown = larger


def legal_placements(mover: int, opponent: int) -> List[int]:
    """Returns the points where the player to move can place a stone."""
    empty = BOARD & ~(mover | opponent)
    legal = []
    for index in range(25):
        point = 1 << index
        if not empty & point:
            continue
        if BESIDE[index] & empty:
            legal.append(index)
        elif BESIDE[index] & mover and beside(group(point, mover | point)) & empty & ~point:
            legal.append(index)
    return legal


def place(index: int, mover: int, opponent: int) -> Tuple[int, int]:
    """Places a stone, and turns what it captures: returns the stones of both."""
    mover |= 1 << index
    empty = BOARD & ~(mover | opponent)
    attacked = BESIDE[index] & opponent
    while attacked:
        captured = group(attacked & -attacked, opponent)
        attacked &= ~captured
        if not beside(captured) & empty:
            mover |= captured
            opponent &= ~captured
    return mover, opponent


def random_game(random: Random) -> Tuple[List[int], int]:
    """Plays a game of random placements, with passes where there are none: returns moves and Black's lead."""
    mover = opponent = 0
    moves: List[int] = []
    while moves[-2:] != [PASS, PASS]:
        legal = legal_placements(mover, opponent)
        move = random.choice(legal) if legal else PASS
        if move != PASS:
            mover, opponent = place(move, mover, opponent)
        moves.append(move)
        mover, opponent = opponent, mover
    lead = bin(mover).count("1") - bin(opponent).count("1")
    return moves, lead if len(moves) % 2 == 0 else -lead
