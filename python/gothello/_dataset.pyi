from os import PathLike
from typing import List, Optional, Tuple, Union

from ._gothello import Solver

MAX_POSITIONS: int
_Plan = Tuple[str, float, int, List[int], int]

def draw_positions(plan: _Plan, solver: Solver) -> bytearray: ...
def move_values(keys: bytes, solver: Solver, threads: Optional[int] = None) -> bytearray: ...
def write(
    path: Union[str, PathLike[str]], plan: _Plan, keys: bytes, move_values: bytes
) -> None: ...
