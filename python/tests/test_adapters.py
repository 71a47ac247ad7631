"""The adapters, under the tests that their own projects have for environments."""

import numpy as np
import pytest

from gothello import Game, arrays

gymnasium = pytest.importorskip("gymnasium")
from gothello.gymnasium import GothelloEnv  # noqa: E402


class _OnlyLegal(GothelloEnv):
    """Replaces an illegal action by a pass: the checker samples any action."""

    def step(self, action):  # type: ignore[no-untyped-def]
        position = self.game.position
        legal = position is not None and position.is_legal(int(action))
        return super().step(action if legal else arrays.PASS)


def test_pettingzoo_accepts_the_environment() -> None:
    pytest.importorskip("pettingzoo")
    from pettingzoo.test import api_test, seed_test

    from gothello import pettingzoo

    api_test(pettingzoo.env(), num_cycles=200)
    seed_test(pettingzoo.env, num_cycles=50)


def test_pettingzoo_ends_as_the_game_does() -> None:
    pytest.importorskip("pettingzoo")
    from gothello import pettingzoo

    env = pettingzoo.raw_env(margin=True)
    env.reset()
    for action in (12, arrays.PASS, arrays.PASS):
        env.step(action)
    assert env.rewards == {"black": 1 / 25, "white": -1 / 25}


def test_infos_have_the_exact_value() -> None:
    pytest.importorskip("pettingzoo")
    from gothello import pettingzoo

    env = pettingzoo.env(exact=True)
    env.reset()
    info = env.infos["black"]
    assert info["value"] == 3 and env.infos["white"] == {}
    env.step(info["best_moves"][0])
    assert env.infos["white"]["value"] == -3


def test_gymnasium_accepts_the_environment() -> None:
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("gothello/Gothello-v0", level=1, side="white")
    observation, _ = env.reset(seed=1)
    # Black has moved.
    assert observation["observation"][1].sum() == 1
    check_env(_OnlyLegal(level=1), skip_render_check=True)
    with pytest.raises(ValueError, match="invalid side"):
        GothelloEnv(side="red")


def test_openspiel_plays_random_games() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    import gothello.openspiel  # noqa: F401

    game = pyspiel.load_game("python_gothello")
    pyspiel.random_sim_test(game, num_sims=20, serialize=False, verbose=False)
    state = game.new_initial_state()
    for action in arrays.random_games(1, seed=5).moves:
        state.apply_action(int(action))
    played = Game(moves=[int(move) for move in arrays.random_games(1, seed=5).moves])
    assert state.is_terminal() and played.outcome is not None
    assert state.returns()[0] == np.sign(played.outcome.lead("black"))
