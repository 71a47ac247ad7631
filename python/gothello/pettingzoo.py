"""A PettingZoo AEC environment with two players.

>>> from gothello import pettingzoo                              # doctest: +SKIP
>>> env = pettingzoo.env(exact=True)                             # doctest: +SKIP

The agents are "black" and "white". Observations, actions and rewards are those of `gothello.gymnasium`. An
illegal action ends the game with -1 for the agent, as in PettingZoo's own board games. The agent that is not
to move sees the same board from its side, with zeros in the plane of the legal placements and in the mask.
"""

import operator
from typing import Any, Dict, Optional, SupportsIndex

from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from . import arrays
from ._gothello import Game
from ._truth import ground_truth
from .gymnasium import checked_render_mode, observation, observation_space, score

__all__ = ["GothelloAEC", "env", "raw_env"]


def env(**options: Any) -> Any:
    """Returns the environment in the wrappers that PettingZoo's own board games have."""
    wrapped: Any = GothelloAEC(**options)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class GothelloAEC(AECEnv):  # type: ignore[misc]
    """The environment itself.

    With `margin=True`, the reward is the lead in stones divided by 25, else 1, 0 or -1. With `exact=True`,
    the infos of the agent to move have the exact "value" for it, the indexes of the "best_moves", and
    "move_values", the values of all moves as in `arrays.move_values`. To find them takes up
    to some seconds with 7 to 12 stones, and less otherwise.
    """

    metadata = {"name": "gothello_v0", "is_parallelizable": False, "render_modes": ["ansi"]}

    def __init__(
        self, margin: bool = False, exact: bool = False, render_mode: Optional[str] = None
    ) -> None:
        super().__init__()
        self.margin = margin
        self.exact = exact
        self.render_mode = checked_render_mode(render_mode, self.metadata)
        self.possible_agents = ["black", "white"]
        self.observation_spaces = {agent: observation_space() for agent in self.possible_agents}
        self.action_spaces = {
            agent: spaces.Discrete(arrays.MOVES) for agent in self.possible_agents
        }
        self.game = Game()

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> None:
        self.game = Game()
        self.agents = self.possible_agents[:]
        self.rewards = {agent: 0.0 for agent in self.agents}
        self._cumulative_rewards = {agent: 0.0 for agent in self.agents}
        self.terminations = {agent: False for agent in self.agents}
        self.truncations = {agent: False for agent in self.agents}
        self.infos: Dict[str, Dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = "black"
        self._tell()

    def observe(self, agent: str) -> Dict[str, Any]:
        if agent not in self.possible_agents:
            raise ValueError(f'invalid agent {agent!r}: use "black" or "white"')
        seen = observation(self.game)
        if agent != self.game.to_move:
            # The other player has no action, and the same board from its side.
            planes = seen["observation"]
            planes[[0, 1]] = planes[[1, 0]]
            planes[2] = 0
            seen["action_mask"][:] = 0
        return seen

    def step(self, action: Optional[SupportsIndex]) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        if action is None:
            raise ValueError("the agent to move needs an action")
        self.game.play(operator.index(action))
        outcome = self.game.outcome
        if outcome is not None:
            self.rewards = {
                "black": score(outcome.lead("black"), self.margin),
                "white": score(outcome.lead("white"), self.margin),
            }
            self.terminations = {agent: True for agent in self.agents}
        self.agent_selection = "white" if agent == "black" else "black"
        self._accumulate_rewards()
        self._tell()

    def render(self) -> Optional[str]:
        return None if self.render_mode is None else str(self.game.position or self.game.outcome)

    def close(self) -> None:
        pass

    def _tell(self) -> None:
        self.infos = {agent: {} for agent in self.agents}
        if self.exact:
            self.infos[self.agent_selection] = ground_truth(self.game.position)


raw_env = GothelloAEC
