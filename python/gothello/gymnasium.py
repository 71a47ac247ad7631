"""A Gymnasium environment: one player against a built-in level.

>>> import gymnasium                                             # doctest: +SKIP
>>> import gothello.gymnasium                                    # doctest: +SKIP
>>> env = gymnasium.make("gothello/Gothello-v0", level=3)        # doctest: +SKIP

The observation has the planes of `gothello.arrays.planes`, and a mask of the legal actions; an action is the
index of a move. The reward at the end is 1, 0 or -1, or with `margin=True` the lead in stones divided by
25. An illegal action raises ValueError, and one that is not an integer TypeError.
"""

import operator
from typing import Any, Dict, Optional, Tuple

import gymnasium
import numpy as np
from gymnasium import spaces

from . import arrays
from ._gothello import Game, Player
from ._truth import ground_truth

__all__ = ["GothelloEnv"]


class GothelloEnv(gymnasium.Env[Dict[str, Any], Any]):
    """Gothello against a built-in player.

    `level` is 1 to 9 or "perfect". `side` is "black", "white", or None for either one at random. With
    `exact=True`, `info` has the exact "value" of the position for the player, the indexes of the
    "best_moves", and "move_values", the values of all moves as in `arrays.move_values`. To find them takes
    up to some seconds with 7 to 12 stones, and less otherwise.
    """

    metadata = {"render_modes": ["ansi", "svg"]}

    def __init__(
        self,
        level: Any = 3,
        side: Optional[str] = None,
        margin: bool = False,
        exact: bool = False,
        render_mode: Optional[str] = None,
    ) -> None:
        if side not in ("black", "white", None):
            raise ValueError(f'invalid side {side!r}: use "black", "white", or None')
        self.render_mode = checked_render_mode(render_mode, self.metadata)
        self.level = level
        self.side = side
        self.margin = margin
        self.exact = exact
        self.action_space = spaces.Discrete(arrays.MOVES)
        self.observation_space = observation_space()
        self.game = Game()
        self.opponent = Player(level)
        self.color: Any = side or "black"

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Dict[str, Any], Dict[str, Any]]:
        super().reset(seed=seed)
        self.game = Game()
        self.opponent = Player(self.level, int(self.np_random.integers(2**63)))
        self.color = self.side or ("black", "white")[int(self.np_random.integers(2))]
        if self.color == "white":
            self._reply()
        return observation(self.game), self._info()

    def step(self, action: Any) -> Tuple[Dict[str, Any], float, bool, bool, Dict[str, Any]]:
        self.game.play(operator.index(action))
        if not self.game.is_over:
            self._reply()
        outcome = self.game.outcome
        reward = 0.0 if outcome is None else score(outcome.lead(self.color), self.margin)
        return observation(self.game), reward, outcome is not None, False, self._info()

    def render(self) -> Any:
        if self.render_mode == "svg":
            return self.game.svg()
        return str(self.game.position or self.game.outcome)

    def _reply(self) -> None:
        position = self.game.position
        if position is not None:
            self.game.play(self.opponent.choose(position))

    def _info(self) -> Dict[str, Any]:
        return ground_truth(self.game.position) if self.exact else {}


def observation_space() -> spaces.Dict:
    """Returns the space of observations, which all adapters share."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0.0, 1.0, (4, 5, 5), np.float32),
            "action_mask": spaces.Box(0, 1, (arrays.MOVES,), np.int8),
        }
    )


def observation(game: Game) -> Dict[str, Any]:
    """Returns what the player to move sees; after the end, zeros."""
    position = game.position
    if position is None:
        mask = np.zeros(arrays.MOVES, dtype=np.int8)
        return {"observation": np.zeros((4, 5, 5), dtype=np.float32), "action_mask": mask}
    return {
        "observation": arrays.planes(position.key),
        "action_mask": arrays.legal_moves(position.key).astype(np.int8),
    }


def checked_render_mode(mode: Optional[str], metadata: Dict[str, Any]) -> Optional[str]:
    """Returns a render mode, or raises ValueError if an environment with this metadata does not have it."""
    modes = metadata["render_modes"]
    if mode is not None and mode not in modes:
        right = " or ".join([f'"{each}"' for each in modes] + ["None"])
        raise ValueError(f"invalid render_mode {mode!r}: use {right}")
    return mode


def score(lead: int, margin: bool) -> float:
    """Returns the reward of a lead in stones at the end."""
    return lead / 25 if margin else float(np.sign(lead))


gymnasium.register("gothello/Gothello-v0", entry_point="gothello.gymnasium:GothelloEnv", max_episode_steps=200)
