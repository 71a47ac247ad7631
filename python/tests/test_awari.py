"""Awari."""

import copy
import pickle
from collections import Counter
from random import Random
from typing import Any, List

import pytest

from gothello import awari


def test_a_game_is_played_to_its_end() -> None:
    game = awari.Game()
    assert game.pits == [4] * 12
    while not game.is_over:
        before = sum(game.pits) + sum(game.scores)
        game.play(game.legal_moves()[0])
        assert before == sum(game.pits) + sum(game.scores) == 48 or game.is_over
    assert game.end_reason in ("25 stones", "no move", "repetition", "grand slam")
    assert game.legal_moves() == []
    again = awari.Game(moves=game.moves)
    assert again == game and again.scores == game.scores
    assert pickle.loads(pickle.dumps(game)) == game == copy.deepcopy(game)
    assert game.undo() and not game.is_over


def test_what_is_illegal_is_a_value_error_that_says_why() -> None:
    game = awari.Game()
    for pit in ("a", "G", ""):
        with pytest.raises(ValueError):
            game.play(pit)
    with pytest.raises(ValueError, match="claim or discard"):
        awari.Game(variant="z")
    with pytest.raises(ValueError, match="four words"):
        awari.Game("nothing")


def test_a_database_bounds_what_can_be_won() -> None:
    database = awari.Database.build(6)
    assert database.stones == 6 and database.variant == "e claim"
    assert database.look_up(awari.Game()) is None
    game = awari.Game("0,0,0,0,0,1/0,0,0,0,0,1 23 23 s")
    bounds = database.look_up(game)
    assert bounds is not None
    low, high = bounds
    assert 0 <= low <= high <= 2
    other = awari.Game(variant="a discard")
    with pytest.raises(ValueError, match="database is for"):
        database.look_up(other)
    with pytest.raises(ValueError, match="0 to 21, not 22"):
        awari.Database.build(22)


def test_the_player_chooses_a_legal_move() -> None:
    game = awari.Game()
    assert awari.Player(depth=4).choose(game, time=0.2) in game.legal_moves()


def test_a_player_refuses_a_game_of_another_variant() -> None:
    player = awari.Player(awari.Database.build(4))
    game = awari.Game(variant="a discard")
    with pytest.raises(ValueError, match="^the database is for the variant e claim, the game has a discard$"):
        player.choose(game, time=0.1)
    with pytest.raises(ValueError, match="^the database is for the variant e claim, the game has a discard$"):
        awari.Database.build(4).look_up(game)
    assert player.choose(awari.Game(), time=0.1) in awari.Game().legal_moves()


def test_a_missing_file_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        awari.Database.load("no-such-file")


def oware(state: Any) -> List[int]:
    """Returns the stones in OpenSpiel's houses, South's first, and both scores."""
    return [round(48 * share) for share in state.observation_tensor(0)]


def boards(game: awari.Game) -> List[int]:
    return [*game.pits[6:], *game.pits[:6], *game.scores]


def test_random_games_agree_with_openspiel() -> None:
    """OpenSpiel's Oware has the rules "b claim" but for three things, which are at the ends here."""
    pyspiel = pytest.importorskip("pyspiel")
    start = pyspiel.load_game("oware")
    random = Random(1)
    ends: "Counter[str]" = Counter()
    for _ in range(500):
        state, game = start.new_initial_state(), awari.Game(variant="b claim")
        while not state.is_terminal():
            assert not game.is_over and oware(state) == boards(game)
            north = game.to_move == "north"
            legal = ["abcdef"[action] if north else "ABCDEF"[action] for action in state.legal_actions()]
            if legal != game.legal_moves():
                # A move that gives a player without stones some, and would capture all of them: a grand slam there,
                # which captures nothing. Here it starves the opponent.
                (extra,) = set(legal) - set(game.legal_moves())
                assert sum(game.pits[6:] if north else game.pits[:6]) == 0
                assert game.pits["abcdefABCDEF".index(extra)] > 11
                ends["slam"] += 1
                break
            pit = random.choice(legal)
            game.play(pit)
            state.apply_action("abcdefABCDEF".index(pit) % 6)
        else:
            if not game.is_over:
                # No move gives the opponent stones: the game is over there, and here after the next move.
                game.play(random.choice(game.legal_moves()))
                assert game.end_reason == "no move"
            final = oware(state)[12:]
            if game.end_reason == "25 stones":
                # The winner is known. There, the rest is divided all the same.
                south, north_score = game.scores
                assert final == [south + sum(game.pits[6:]), north_score + sum(game.pits[:6])]
            else:
                assert final == list(game.scores)
            assert state.returns()[0] == (final[0] > final[1]) - (final[0] < final[1])
            ends[str(game.end_reason)] += 1
    assert set(ends) >= {"25 stones", "no move", "repetition"}
