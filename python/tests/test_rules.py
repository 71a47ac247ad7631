"""The rules, and what makes objects of them good citizens of Python."""

import copy
import inspect
import pickle
from pathlib import Path
from typing import Any, Callable, Hashable, Type

import numpy as np
import pytest

import gothello
from gothello import Game, Move, Outcome, Player, Position, Solver, Tablebase, awari

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


def test_a_game_in_which_a_position_is_set_up_starts_from_there() -> None:
    game = Game.from_sgf("(;FF[4]GM[1]SZ[5];B[cc];W[dd];AB[aa][bb]AW[ee]PL[W];W[ca];B[cb])")
    assert str(game.start) == "b..../.b.../..b../...w./....w w"
    assert game.moves == [Move("c5"), Move("c4")] and len(game) == 2
    for duplicate in (copy.copy(game), pickle.loads(pickle.dumps(game)), Game.from_sgf(game.to_sgf())):
        assert duplicate == game
    assert [game.undo() for _ in range(3)] == [True, True, False]
    assert game == Game(game.start)


def test_sgf_files_keep_a_pass_before_the_start() -> None:
    game = Game(Position("...../...../..b../...../..... w pass"))
    assert Game.from_sgf(game.to_sgf()).position == game.position
    game.play("pass")
    assert Game.from_sgf(game.to_sgf()).outcome == game.outcome == Outcome("B+1")


def test_games_have_no_hash() -> None:
    # Type checkers know that as well.
    games: "list[Hashable]" = [Game(), awari.Game()]  # type: ignore[list-item]
    for game in games:
        with pytest.raises(TypeError):
            hash(game)


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


@pytest.mark.parametrize("wrong", [None, 1.5, [12], b"c3"])
def test_what_cannot_be_a_move_is_a_type_error_of_one_line(wrong: Any) -> None:
    for call in (Move, CORNER.play, CORNER.is_legal, CORNER.stone_at, Game().play):
        with pytest.raises(TypeError) as caught:
            call(wrong)
        (line,) = str(caught.value).splitlines()
        assert "a move is a Move, a text such as 'c3', or an index from 0 to 25, not " in line


@pytest.mark.parametrize("index", [-1, 26, 2**70, -(2**70)])
def test_an_index_outside_is_a_value_error(index: int) -> None:
    with pytest.raises(ValueError, match=f"invalid index of a move {index}: use 0 to 25"):
        Move(index)


def test_integers_of_numpy_are_indexes_and_keys() -> None:
    assert Move(np.int64(12)) == Move("c3")
    assert Game(moves=[np.uint8(12), "b2"]).moves == [Move("c3"), Move("b2")]
    assert Position.from_key(np.uint64(0)) == Position()


@pytest.mark.parametrize("key", [-1, 2**64, 2**62])
def test_what_is_no_key_is_a_value_error(key: int) -> None:
    with pytest.raises(ValueError, match=f"{key} is not the key"):
        Position.from_key(key)


def test_no_lead_is_larger_than_the_board() -> None:
    assert Outcome("B+25").lead("white") == -25
    for text in ("B+26", "W+99", "B+200"):
        with pytest.raises(ValueError, match="from 1 to 25"):
            Outcome(text)


def test_classes_have_signatures() -> None:
    for class_ in (Game, Move, Outcome, Player, Position, Solver, Tablebase, awari.Game, awari.Player):
        assert inspect.signature(class_).parameters
    assert inspect.signature(awari.Game).parameters["moves"].default == ()
    default = inspect.signature(Solver).parameters["tablebase"].default
    assert default is ...
    assert Solver(16, 1, tablebase=default).probe(Position()) == 3  # type: ignore[arg-type]


HUGE = 10**40
LAYERS = "no-such-folder"


@pytest.mark.parametrize(
    "call, error, told",
    [
        (lambda: awari.Database.build(300), ValueError, "stones is an integer from 0 to 21, not 300"),
        (lambda: awari.Database.build(-1), ValueError, "stones is an integer from 0 to 21, not -1"),
        (lambda: awari.Player(depth=300), ValueError, "depth is an integer from 1 to 100, not 300"),
        (lambda: Player(3, seed=-1), ValueError, "seed is an integer from 0 to 2**64 - 1, not -1"),
        (lambda: Player(3, seed=2**64), ValueError, f"seed is an integer from 0 to 2**64 - 1, not {2**64}"),
        (lambda: Player(3, seed=1.5), TypeError, "seed is an integer from 0 to 2**64 - 1, not 1.5"),  # type: ignore[arg-type]
        (lambda: Player(2**70), ValueError, f'"{2**70}"'),
        (lambda: Player(HUGE), ValueError, f'"{HUGE}"'),
        (lambda: Player(2.5), TypeError, "level is 'perfect' or an integer from 1 to 9, not 2.5"),  # type: ignore[arg-type]
        (lambda: Solver(memory_mib=HUGE), ValueError, f"memory_mib is an integer from 1 to 1048576, not {HUGE}"),
        (lambda: Solver(memory_mib=10**5000), ValueError, "memory_mib is an integer from 1 to 1048576, not a larger"),
        (lambda: Solver(memory_mib="16"), TypeError, "memory_mib is an integer from 1 to 1048576, not '16'"),  # type: ignore[arg-type]
        (lambda: Solver(threads=2**70), ValueError, f"threads is an integer from 1 to 256, not {2**70}"),
        (lambda: Solver(threads=0), ValueError, "threads is an integer from 1 to 256, not 0"),
        (lambda: Solver(threads=257), ValueError, "threads is an integer from 1 to 256, not 257"),
        (lambda: Solver(threads=True), TypeError, "threads is an integer from 1 to 256, not True"),
        (lambda: Solver(memory_mib=0), ValueError, "memory_mib is an integer from 1 to 1048576, not 0"),
        (lambda: Tablebase.build(LAYERS, threads=257), ValueError, "threads is an integer from 1 to 256, not 257"),
        (lambda: Tablebase.build(LAYERS, most=HUGE), ValueError, f"most is an integer from 0 to 24, not {HUGE}"),
        (lambda: Tablebase.build(LAYERS, 3, 4), ValueError, "fewest is an integer from 0 to 3, not 4"),
        (lambda: Tablebase.build(LAYERS, keep=[25]), ValueError, "each number in keep is an integer from 0 to 24"),
        (lambda: Tablebase.build(LAYERS, keep={25}), ValueError, "each number in keep is an integer from 0 to 24"),
        (lambda: Tablebase.build(LAYERS, keep=9), TypeError, "keep is an iterable of integers such as {8, 12}, not 9"),  # type: ignore[arg-type]
        (lambda: Tablebase.build(LAYERS, shard=(3, 2)), ValueError, "number of the shard is an integer from 1 to 2"),
    ],
)
def test_an_integer_outside_its_range_is_named(call: Callable[[], object], error: Type[Exception], told: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert told in str(raised.value)


def test_integers_of_numpy_are_arguments() -> None:
    assert repr(Player(np.int64(3), np.uint64(2**64 - 1))) == f"Player(\"3\", seed={2**64 - 1})"  # type: ignore[arg-type]
    assert Solver(np.uint64(1), np.int8(1)).probe(Position()) == 3  # type: ignore[arg-type]
