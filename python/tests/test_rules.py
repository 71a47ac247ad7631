"""The rules, and what makes objects of them good citizens of Python."""

import copy
import pickle
from pathlib import Path

import pytest

import gothello
from gothello import Game, Move, Outcome, Position

CORNER = Position("...../b..../w..../wb.../b.... b")
SGF = Path(__file__).parents[2] / "docs" / "src" / "examples" / "late.sgf"


def test_a_capture_changes_the_color_of_the_stones() -> None:
    after = CORNER.play("b3")
    assert str(after) == "...../b..../bb.../bb.../b.... w"


def test_two_passes_end_the_game() -> None:
    passed = CORNER.play("pass")
    assert isinstance(passed, Position) and passed.after_pass
    assert passed.play("pass") == Outcome("B+1")


@pytest.mark.parametrize(
    "move, why",
    [
        ("a4", "a4 is occupied"),
        ("z9", "invalid move"),
        (26, "use 0 to 25"),
    ],
)
def test_a_wrong_move_is_a_value_error_that_says_why(move: "str | int", why: str) -> None:
    with pytest.raises(ValueError, match=why):
        CORNER.play(move)


def test_moves_have_texts_and_indexes() -> None:
    for index in range(26):
        move = Move(index)
        assert move == Move(str(move)) and move.index == index
    assert [Move("a1").index, Move("b1").index, Move("a2").index] == [0, 1, 5]
    assert Move(25).is_pass


def test_positions_are_values() -> None:
    again = Position(str(CORNER))
    assert again == CORNER and hash(again) == hash(CORNER)
    assert len({again, CORNER, Position()}) == 2
    for duplicate in (
        copy.copy(CORNER),
        copy.deepcopy(CORNER),
        pickle.loads(pickle.dumps(CORNER)),
        Position.from_key(CORNER.key, "black"),
    ):
        assert duplicate == CORNER


def test_the_images_of_a_position_have_one_canonical_image() -> None:
    images = CORNER.images()
    assert images[0] == CORNER and len(set(images)) == 8
    assert len({image.canonical() for image in images}) == 1


def test_a_game_keeps_its_moves() -> None:
    game = Game(moves=["c3", "b2", "pass"])
    assert [str(move) for move in game.moves] == ["c3", "b2", "pass"]
    assert len(game) == 3 and game.to_move == "white" and not game.is_over
    for duplicate in (
        copy.deepcopy(game),
        pickle.loads(pickle.dumps(game)),
        Game.from_sgf(game.to_sgf()),
    ):
        assert duplicate == game
        duplicate.play("pass")
        assert duplicate.is_over and duplicate != game
    assert game.undo() and len(game) == 2


def test_a_game_that_is_over_has_no_position() -> None:
    game = Game(moves=["pass", "pass"])
    assert game.position is None and str(game.outcome) == "0"
    with pytest.raises(ValueError, match="over"):
        game.play("c3")


def test_sgf_files_are_read_from_text_and_bytes() -> None:
    data = SGF.read_bytes()
    assert Game.from_sgf(data) == Game.from_sgf(data.decode())
    with pytest.raises(ValueError):
        Game.from_sgf("no SGF")


def test_notebooks_show_a_board() -> None:
    assert CORNER._repr_svg_().startswith("<svg ")
    assert CORNER.svg().count("<circle") == 5


@pytest.mark.parametrize("text", ["", "x", "bbbbb/bbbbb/bbbbb/bbbbb/bbbbb b"])
def test_what_is_no_position_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError):
        Position(text)


def test_the_version_is_that_of_the_program() -> None:
    assert gothello.__version__.split(".")[0] == "1"
