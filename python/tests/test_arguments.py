"""What a newcomer gives by mistake: one sentence says what was wrong, and what would be right."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Type

import numpy as np
import pytest

import gothello
from gothello import Game, Outcome, Player, Position, Solver, Tablebase, arrays, awari, client, dataset, loss

KEYS = loss.random_positions(3, stones=[20])
TEXT = "w.bb./b.bw./.bwww/b..ww/w..ww b"


def wrong(value: Any) -> Any:
    """Hides the type of a value from type checkers, which refuse it, too."""
    return value


def policy(position: Position) -> str:
    return "pass"


@pytest.mark.parametrize(
    "call",
    [
        gothello.solve,
        gothello.best_moves,
        gothello.move_values,
        gothello.line,
        gothello.probe,
        Tablebase().probe,
        Solver(16).solve,
        Solver(16).probe,
        Player().choose,
        Game,
        lambda given: arrays.keys([given]),
    ],
)
@pytest.mark.parametrize("given", [TEXT, Game(), None, 3])
def test_what_is_no_position_gets_a_hint(call: Callable[[Any], object], given: Any) -> None:
    if call is Game and given is None:
        pytest.skip("the game starts from the empty board")
    with pytest.raises(TypeError) as raised:
        call(given)
    told = f"a position is a Position, such as Position(text) or game.position, not {given!r}"
    assert str(raised.value).endswith(told)


@pytest.mark.parametrize(
    "call, error, told",
    [
        (lambda: Position(wrong(3)), TypeError, "a position is a text such as '...../...../..b../...../..... w', not 3"),
        (lambda: Position(wrong(Position())), TypeError, "a position is a text such as"),
        (lambda: Position.from_key(wrong("x")), TypeError, "a key is an integer such as position.key, not 'x'"),
        (lambda: Position().count(wrong(3)), TypeError, "a color is \"black\" or \"white\", not 3"),
        (lambda: Position().play(True), TypeError, "a move is a Move, a text such as 'c3', or an index from 0 to 25, not True"),
        (lambda: Position().play(wrong([1] * 200)), TypeError, "from 0 to 25, not an object of type list"),
        (lambda: Outcome(wrong(3)), TypeError, "an outcome is a text such as 'B+3', or '0' for a draw, not 3"),
        (lambda: Game(moves="c3"), TypeError, "moves are an iterable such as ['c3', 'pass'], not 'c3'"),
        (lambda: Game(moves=wrong(3)), TypeError, "moves are an iterable such as ['c3', 'pass'], not 3"),
        (lambda: Game.from_sgf(wrong(Path("a.sgf"))), TypeError, "such as Path('a.sgf').read_bytes(), not "),
        (lambda: Player(wrong(3.5)), TypeError, "level is 'perfect' or an integer from 1 to 9, not 3.5"),
        (lambda: Player(True), TypeError, "level is 'perfect' or an integer from 1 to 9, not True"),
        (lambda: Player().choose(Position(), -1), ValueError, "time in seconds is a number from 0 to 1000000000, not -1"),
        (lambda: Player().choose(Position(), float("nan")), ValueError, "a number from 0 to 1000000000, not nan"),
        (lambda: Player().choose(Position(), wrong("1")), TypeError, "a number from 0 to 1000000000, not '1'"),
        (lambda: Solver(tablebase=wrong(3)), TypeError, "tablebase is a Tablebase, such as Tablebase(path), or None, not 3"),
        (lambda: awari.Game(wrong(3)), TypeError, "a position is a text such as '4,4,4,4,4,4/4,4,4,4,4,4 0 0 s', not 3"),
        (lambda: awari.Game(moves="ABC"), TypeError, "moves are an iterable of pits such as ['F', 'a'], not 'ABC'"),
        (lambda: awari.Game(variant=wrong(3)), TypeError, "a variant is a text such as 'e claim', not 3"),
        (lambda: awari.Game().play(wrong(3)), TypeError, "a pit is a letter from 'A' to 'F' or 'a' to 'f', not 3"),
        (lambda: awari.Player(wrong(3)), TypeError, "a database is a Database, such as Database.load(path), not 3"),
        (lambda: awari.Player().choose(wrong("A")), TypeError, "a game is an awari.Game, such as awari.Game(position, moves), not 'A'"),
        (lambda: awari.Player().choose(awari.Game(), -1), ValueError, "time in seconds is a number from 0 to 1000000000, not -1"),
        (lambda: arrays.keys([Position(), wrong("text")]), TypeError, "row 1: a position is a Position, .*, not 'text'"),
        (lambda: arrays.keys(wrong(Position())), TypeError, "positions are an iterable such as [Position()], not Position("),
        (lambda: dataset.solve_many(KEYS, progress=wrong(True)), TypeError, "progress is a function such as lambda done, count: "),
        (lambda: arrays.planes([TEXT]), TypeError, "keys are uint64, not <U31: `arrays.keys` turns an iterable of positions"),
        (lambda: arrays.solve(KEYS, wrong(3)), TypeError, "solver is a Solver, such as Solver(memory_mib=64), not 3"),
        (lambda: arrays.move_values(KEYS, wrong(0)), TypeError, "solver is a Solver, such as Solver(memory_mib=64), not 0"),
        (lambda: arrays.probe(KEYS, wrong("a")), TypeError, "tablebase is a Tablebase, such as Tablebase(path), not 'a'"),
        (lambda: dataset.solve_many(TEXT), TypeError, "positions are an array of keys, or an iterable such as [Position()], not 'w.bb"),
        (lambda: dataset.solve_many(wrong(3)), TypeError, "positions are an array of keys, or an iterable such as [Position()], not 3"),
        (lambda: dataset.solve_many(KEYS, client="x"), TypeError, "client is a distributed.Client, such as distributed.Client(address), not 'x'"),
        (lambda: dataset.solve_many(KEYS, tablebase=wrong(Tablebase())), TypeError, "tablebase is the path of a file or a folder, not Tablebase()"),
        (lambda: dataset.positions(3, errors=0.1), ValueError, "errors is for source='games-with-errors', not \"uniform\""),
        (lambda: dataset.positions(3, errors=0.1, source="random-games"), ValueError, "errors is for source='games-with-errors'"),
        (lambda: dataset.positions(3, errors=1.1, source="games-with-errors"), ValueError, "errors is a number from 0 to 1, not 1.1"),
        (lambda: loss.exact_loss(wrong("pass"), KEYS), TypeError, "policy is a function from a position to a move, not 'pass'"),
        (lambda: loss.exact_loss(policy, TEXT), TypeError, "positions are an array of keys, or an iterable such as [Position()], not 'w.bb"),
        (lambda: loss.exact_loss(policy, KEYS, solver=wrong(3)), TypeError, "solver is a Solver, such as Solver(memory_mib=64), not 3"),
        (lambda: client.play(wrong(True)), TypeError, "choose is a function from a position to a move, not True"),
        (lambda: client.play(policy, patience=-1), ValueError, "patience in seconds is a number from 0 to 1000000000, not -1"),
        (lambda: client.play(policy, patience=wrong("1")), TypeError, "patience in seconds is a number from 0 to 1000000000, not '1'"),
    ],
)
def test_a_mistake_is_told_in_one_sentence(call: Callable[[], object], error: Type[Exception], told: str) -> None:
    with pytest.raises(error) as raised:
        call()
    assert re.search(re.escape(told).replace(r"\.\*", ".*"), str(raised.value))
    assert "\n" not in str(raised.value)


def test_the_scores_of_a_network_are_no_moves() -> None:
    def scores(keys: Any) -> Any:
        return np.zeros((len(keys), arrays.MOVES))

    with pytest.raises(ValueError, match=r"shape \(3, 26\), not \(3,\), .* return np\.where\(.*argmax") as raised:
        loss.exact_loss(scores, KEYS, batch=True)
    # What the error says is right.
    right = str(raised.value).partition("return ")[2]
    assert loss.exact_loss(lambda keys: eval(right, {"np": np, "arrays": arrays, "keys": keys, "scores": scores(keys)}), KEYS, batch=True)


def test_errors_are_those_of_games_by_default() -> None:
    def draw(**errors: Any) -> Any:
        return dataset.positions(20, stones=range(1, 4), source="games-with-errors", **errors).tolist()

    assert draw() == draw(errors=0.1) != draw(errors=0.9)


def test_a_folder_that_is_missing_is_told_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "a.npz"
    with pytest.raises(FileNotFoundError) as raised:
        dataset.write(file, 3)
    assert raised.value.filename == str(file)


def test_the_package_imports_its_modules() -> None:
    code = "import gothello; gothello.awari, gothello.client, gothello.loss.exact_loss"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_values_of_moves_are_looked_up_by_moves() -> None:
    values = gothello.move_values(Position(TEXT))
    assert values[gothello.Move("c2")] == 3
    with pytest.raises(KeyError):
        values[wrong("c2")]
