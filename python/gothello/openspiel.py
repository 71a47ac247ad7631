"""Gothello in OpenSpiel, as the game "python_gothello".

>>> import pyspiel                                               # doctest: +SKIP
>>> import gothello.openspiel                                    # doctest: +SKIP
>>> state = pyspiel.load_game("python_gothello").new_initial_state()  # doctest: +SKIP

Player 0 is Black. An action is the index of a move, and the observation has the planes of
`gothello.arrays.planes`; the player who is not to move sees the same board from its side, with zeros in the
plane of the legal placements. Returns are 1, 0 or -1.
"""

from typing import Any, Dict, List, Optional

import numpy as np
import pyspiel

from . import arrays
from ._gothello import Game, Move
from ._truth import ground_truth

__all__ = ["GothelloGame", "GothelloState"]

MAX_GAME_LENGTH = 50
"""At most 24 stones, a pass before each, and two passes at the end."""

_TYPE = pyspiel.GameType(
    short_name="python_gothello",
    long_name="Gothello",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={},
)

_INFO = pyspiel.GameInfo(
    num_distinct_actions=arrays.MOVES,
    max_chance_outcomes=0,
    num_players=2,
    min_utility=-1.0,
    max_utility=1.0,
    utility_sum=0.0,
    max_game_length=MAX_GAME_LENGTH,
)


class GothelloGame(pyspiel.Game):  # type: ignore[misc]
    """The game."""

    def __init__(self, params: Any = None) -> None:
        super().__init__(_TYPE, _INFO, params or {})

    def new_initial_state(self) -> "GothelloState":
        return GothelloState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        return _Observer(params)


class GothelloState(pyspiel.State):  # type: ignore[misc]
    """A state: the game so far is `state.game`, and `state.info()` is the ground truth."""

    def __init__(self, game: GothelloGame) -> None:
        super().__init__(game)
        self.game = Game()

    def current_player(self) -> int:
        if self.game.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.game.to_move == "white")

    def _legal_actions(self, player: int) -> List[int]:
        position = self.game.position
        return [] if position is None else [move.index for move in position.legal_moves()]

    def _apply_action(self, action: int) -> None:
        self.game.play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(Move(action))

    def is_terminal(self) -> bool:
        return self.game.is_over

    def returns(self) -> List[float]:
        outcome = self.game.outcome
        black = 0.0 if outcome is None else float(np.sign(outcome.lead("black")))
        return [black, -black]

    def info(self) -> Dict[str, Any]:
        """Returns the exact "value" for the player to move, the actions that are "best_moves", and
        "move_values", the values of all actions as in `arrays.move_values`; after the end, an empty dict.
        To find them takes up to some seconds with 7 to 12 stones, and less otherwise.
        """
        return ground_truth(self.game.position)

    def __str__(self) -> str:
        return str(self.game.position or self.game.outcome)


class _Observer:
    """What a player sees: the planes from its side; after the end, zeros."""

    def __init__(self, params: Any) -> None:
        if params:
            raise ValueError(f"Observation parameters not supported; passed {params}")
        self.tensor = np.zeros(100, dtype=np.float32)
        self.dict = {"observation": self.tensor.reshape(4, 5, 5)}

    def set_from(self, state: GothelloState, player: int) -> None:
        planes = self.dict["observation"]
        position = state.game.position
        if position is None:
            planes.fill(0)
            return
        planes[:] = arrays.planes(position.key)
        if player != state.current_player():
            planes[[0, 1]] = planes[[1, 0]]
            planes[2] = 0

    def string_from(self, state: GothelloState, player: int) -> Optional[str]:
        return str(state)


pyspiel.register_game(_TYPE, GothelloGame)
