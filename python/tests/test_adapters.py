"""The adapters, under the tests that their own projects have for environments."""

from typing import Any, Dict, List, Optional

import numpy as np
import pytest

from gothello import Game, Move, Position, arrays, best_moves, move_values, solve

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


def assert_truth(info: Dict[str, Any], position: Optional[Position]) -> None:
    """Infos have the exact value, the best moves, and the values of all moves for the player to move."""
    if position is None:
        assert info == {}
        return
    values = info["move_values"]
    assert (values.dtype, values.shape) == (np.int8, (arrays.MOVES,))
    assert {Move(i): values[i] for i in range(arrays.MOVES) if values[i] != arrays.UNKNOWN} == move_values(position)
    assert info["value"] == solve(position)
    assert [Move(index) for index in info["best_moves"]] == best_moves(position)


LATE = Position("w.bb./b.bw./.bwww/b..ww/w..ww b")


def test_infos_of_pettingzoo_have_the_truth() -> None:
    pytest.importorskip("pettingzoo")
    from gothello import pettingzoo

    env = pettingzoo.env(exact=True)
    env.reset()
    assert env.infos["black"]["value"] == 3 and env.infos["white"] == {}
    assert_truth(env.infos["black"], Position())
    env.step(env.infos["black"]["best_moves"][0])
    assert env.infos["white"]["value"] == -3
    raw = pettingzoo.raw_env(exact=True)
    raw.reset()
    raw.game = Game(LATE)
    while not raw.game.is_over:
        raw.step(arrays.PASS)
        assert_truth(raw.infos[raw.agent_selection], raw.game.position)


def test_infos_of_gymnasium_have_the_truth() -> None:
    env = GothelloEnv(level=1, side="black", exact=True)
    _, info = env.reset(seed=1)
    assert_truth(info, Position())
    env.game = Game(LATE)
    is_over = False
    while not is_over:
        _, _, is_over, _, info = env.step(arrays.PASS)
        assert_truth(info, env.game.position)


def test_states_of_openspiel_have_the_truth() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    import gothello.openspiel  # noqa: F401

    state = pyspiel.load_game("python_gothello").new_initial_state()
    assert_truth(state.info(), Position())
    state.game = Game(LATE)
    while not state.is_terminal():
        state.apply_action(state.info()["best_moves"][0])
        assert_truth(state.clone().info(), state.game.position)


def test_gymnasium_accepts_the_environment() -> None:
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("gothello/Gothello-v0", level=1, side="white")
    observation, _ = env.reset(seed=1)
    # Black has moved.
    assert observation["observation"][1].sum() == 1
    check_env(_OnlyLegal(level=1), skip_render_check=True)
    with pytest.raises(ValueError, match="invalid side"):
        GothelloEnv(side="red")


def test_an_unknown_render_mode_is_refused() -> None:
    pytest.importorskip("pettingzoo")
    from gothello import pettingzoo

    with pytest.raises(ValueError, match="invalid render_mode 'human': use \"ansi\" or \"svg\" or None"):
        GothelloEnv(render_mode="human")
    with pytest.raises(ValueError, match="invalid render_mode 'svg': use \"ansi\" or None"):
        pettingzoo.env(render_mode="svg")
    assert GothelloEnv(render_mode="svg").render().startswith("<svg")
    assert pettingzoo.raw_env(render_mode="ansi").render() == str(Position())


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


def test_the_player_who_waits_sees_no_legal_placements() -> None:
    pytest.importorskip("pettingzoo")
    from gothello import pettingzoo

    env = pettingzoo.raw_env()
    env.reset()
    env.step(12)
    black, white = env.observe("black"), env.observe("white")
    assert white["observation"][2].sum() == 24 and white["action_mask"].sum() == 25
    assert black["observation"][2].sum() == 0 and black["action_mask"].sum() == 0
    assert (black["observation"][[1, 0]] == white["observation"][:2]).all()
    with pytest.raises(ValueError, match="invalid agent 'red'"):
        env.observe("red")


def test_openspiel_shows_the_player_who_waits_no_legal_placements() -> None:
    pyspiel = pytest.importorskip("pyspiel")
    import gothello.openspiel  # noqa: F401

    game = pyspiel.load_game("python_gothello")
    observer = game.make_py_observer()
    state = game.new_initial_state()
    state.apply_action(12)
    placements = []
    for player in (0, 1):
        observer.set_from(state, player)
        planes = observer.dict["observation"]
        placements.append((planes[0].sum(), planes[1].sum(), planes[2].sum()))
    assert placements == [(1, 0, 0), (0, 1, 24)]


def test_actions_are_integers() -> None:
    pytest.importorskip("pettingzoo")
    from gothello import pettingzoo

    env = GothelloEnv(level=1, side="black")
    env.reset(seed=1)
    aec = pettingzoo.raw_env()
    aec.reset()
    steps: List[Any] = [env.step, aec.step]
    for step in steps:
        with pytest.raises(TypeError):
            step(12.9)
        step(np.int64(12))
