"""The ground truth that the adapters tell with each step."""

from typing import Any, Dict, Optional

import numpy as np

from . import arrays
from ._gothello import Position

__all__ = ["ground_truth"]


def ground_truth(position: Optional[Position]) -> Dict[str, Any]:
    """Returns the exact "value" of a position, the indexes of its "best_moves", and "move_values", those of
    all moves as in `arrays.move_values`: all for the player to move. After the end, it is empty."""
    if position is None:
        return {}
    values = arrays.move_values(position.key)
    best = values.max()
    return {
        "value": int(best),
        "best_moves": np.flatnonzero(values == best).tolist(),
        "move_values": values,
    }
