"""Datasets: the same positions, values and bytes as those of the program."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any, List

import numpy as np
import pytest

from gothello import Position, Solver, arrays, dataset

KEYS = dataset.positions(150, stones=range(17, 25), seed=1)


def run(*arguments: str) -> None:
    subprocess.run(["gothello", "dataset", *arguments], check=True)


def test_positions_are_canonical_and_different() -> None:
    for source, stones in [
        ("uniform", range(25)),
        ("random-games", [14, 17]),
        ("games-with-errors", range(1, 6)),
    ]:
        keys = dataset.positions(100, stones=stones, seed=2, source=source)  # type: ignore[arg-type]
        assert keys.dtype == np.uint64 and len(set(keys.tolist())) == 100
        assert (keys == arrays.images(keys).min(axis=-1)).all()
        assert set(arrays.stones(keys).tolist()) <= set(stones)
        again = dataset.positions(100, stones=stones, seed=2, source=source)  # type: ignore[arg-type]
        assert keys.tolist() == again.tolist()


def test_values_are_those_of_the_solver() -> None:
    data = dataset.solve_many(KEYS)
    solver = Solver(memory_mib=16)
    assert (data.keys == KEYS).all()
    assert (data.stones == [position.stones for position in arrays.positions(KEYS)]).all()
    assert (data.values == arrays.solve(KEYS, solver)).all()
    assert (data.move_values == arrays.move_values(KEYS, solver)).all()


def test_positions_may_be_given_as_such() -> None:
    listed = [Position(), Position("...../...../..b../...../..... w")]
    data = dataset.solve_many(listed)
    assert data.values.tolist() == [3, -3]
    assert dataset.solve_many([]).move_values.shape == (0, 26)
    assert dataset.solve_many([p.key for p in listed]).keys.tolist() == data.keys.tolist()
    assert dataset.solve_many(np.array(listed)).keys.tolist() == data.keys.tolist()
    assert dataset.solve_many(p for p in listed).keys.tolist() == data.keys.tolist()


@pytest.mark.parametrize("name", ["data.npz", "data.jsonl"])
def test_the_program_writes_the_same_bytes(tmp_path: Path, name: str) -> None:
    for source in ["uniform", "random-games", "games-with-errors"]:
        stones = range(2, 6) if source == "games-with-errors" else range(18, 25)
        file = tmp_path / name
        data = dataset.write(file, 50, stones=stones, seed=5, source=source)  # type: ignore[arg-type]
        theirs = tmp_path / "theirs" / name
        theirs.parent.mkdir(exist_ok=True)
        span = f"{stones[0]}..{stones[-1]}"
        run(
            *("--positions", "50", "--stones", span, "--seed", "5"),
            *("--source", source, "--output", str(theirs)),
        )
        assert file.read_bytes() == theirs.read_bytes()
        card, other = (Path(f"{path}.md").read_text() for path in (file, theirs))
        assert card == other
        loaded = dataset.load(file)
        for field in dataset.Dataset._fields:
            mine, read = getattr(data, field), getattr(loaded, field)
            assert mine.dtype == read.dtype and (mine == read).all()


def test_numpy_reads_the_archive(tmp_path: Path) -> None:
    data = dataset.write(tmp_path / "data.npz", 20, stones=[20], seed=1)
    with np.load(tmp_path / "data.npz") as file:
        assert sorted(file) == ["keys", "move_values", "stones", "values"]
        assert (file["keys"] == data.keys).all() and file["keys"].dtype == np.uint64
        assert (file["move_values"] == data.move_values).all()


def test_progress_ends_with_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "CHUNK", 1)
    seen: List[int] = []

    def progress(done: int, count: int) -> None:
        assert count == len(KEYS)
        seen.append(done)

    dataset.solve_many(KEYS, progress=progress)
    assert seen == sorted(seen) and len(seen) > 1 and seen[-1] == len(KEYS)


def test_mistakes_are_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="only 183 positions with 2 stones"):
        dataset.positions(184, stones=[2])
    with pytest.raises(ValueError, match="only 1 position with 0 stones"):
        dataset.positions(2, stones=[0], source="random-games")
    for stones in ([], [25], [-1]):
        with pytest.raises(ValueError, match="0 to 24"):
            dataset.positions(1, stones=stones)
    with pytest.raises(ValueError, match="games-with-errors"):
        dataset.positions(1, source="games")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="0 to 1"):
        dataset.positions(1, source="games-with-errors", errors=1.5)
    with pytest.raises(ValueError, match="0 to 10000000"):
        dataset.positions(-1)
    with pytest.raises(ValueError, match="seed"):
        dataset.positions(1, seed=-1)
    with pytest.raises(ValueError, match="row 1: .* is not the key"):
        dataset.solve_many(np.array([0, 2**62], dtype=np.uint64))
    with pytest.raises(ValueError, match=".npz or .jsonl"):
        dataset.write(tmp_path / "data.csv", 1)
    # The program refuses this number, too.
    with pytest.raises(ValueError, match="count is an integer from 1 to 10000000, not 0"):
        dataset.write(tmp_path / "data.npz", 0)
    assert not (tmp_path / "data.npz").exists()
    with pytest.raises(FileNotFoundError):
        dataset.write(tmp_path / "no" / "data.npz", 1, stones=[20])
    with pytest.raises(FileNotFoundError):
        dataset.solve_many(KEYS, tablebase=tmp_path / "no.tablebase")
    with pytest.raises(ValueError, match="no positions of a tablebase"):
        dataset.solve_many(KEYS, tablebase=tmp_path)


def test_a_folder_that_is_missing_is_told_before_the_search(tmp_path: Path) -> None:
    told: List[int] = []
    with pytest.raises(FileNotFoundError, match="nowhere"):
        dataset.write(tmp_path / "nowhere" / "d.npz", 5, progress=lambda done, _: told.append(done))
    assert told == []


def test_a_file_that_cannot_be_written_is_told_before_the_search(tmp_path: Path) -> None:
    for folder in ("dir.npz", "card.npz.md"):
        (tmp_path / folder).mkdir()
        told: List[int] = []
        with pytest.raises(OSError, match=folder):
            dataset.write(tmp_path / folder.replace(".md", ""), 5, progress=lambda done, _: told.append(done))
        assert told == []


def test_other_files_are_no_datasets(tmp_path: Path) -> None:
    end = '"moves":{"pass":0}}\n'
    for name, content, told in [
        ("a.npz", b"PK", "no NumPy archive"),
        ("text.npz", b"nothing", "no NumPy archive"),
        ("b.jsonl", b'{"key":1}\n', "line 1, .* it has no 'moves'"),
        ("c.jsonl", b"[1]\n", "line 1, is no record"),
        ("d.jsonl", b"nothing\n", "line 1, .*: Expecting value$"),
        ("e.jsonl", b'{"moves":{"z9":1},"key":1}\n', "line 1, .*z9"),
        ("f.jsonl", b'{"moves":{"a1":1000},"key":1}\n', "line 1, is no record"),
        ("g.jsonl", f'{{"key":-1,{end}'.encode(), "line 1, .*: key is an integer from 0 to .*, not -1"),
        ("h.jsonl", f'{{"key":{2**62},{end}'.encode(), f"{2**62} is not the key"),
        ("i.jsonl", f'{{"key":0,{end}'.encode(), "line 1, .* it has no 'position'"),
        ("j.jsonl", b"\xff\xfe\xff\n", "line 1, is no record"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=told) as raised:
            dataset.load(tmp_path / name)
        assert name in str(raised.value)


def test_other_arrays_are_no_datasets(tmp_path: Path) -> None:
    data = dataset.solve_many(KEYS[:5])
    wrong: Any = {
        "does not have all the arrays": {"stones": None},
        "no NumPy archive": {"keys": np.array([None])},
        "keys are uint64, not float64": {"keys": data.keys.astype(np.float64)},
        "row of 26": {"move_values": data.move_values[:4]},
        "move_values is int8": {"move_values": data.move_values.astype(np.int32)},
        "stones or values are not": {"values": data.values + 1},
        "values are from -25 to 25": {"move_values": np.where(data.move_values == data.move_values.max(), np.int8(100), data.move_values)},
        "not all legal moves": {"move_values": np.zeros_like(data.move_values)},
    }
    for told, other in wrong.items():
        arrays_of_file = {**data._asdict(), **other}
        kept = {name: array for name, array in arrays_of_file.items() if array is not None}
        np.savez(tmp_path / "a.npz", **kept)
        with pytest.raises(ValueError, match=f"a.npz is no dataset: .*{told}"):
            dataset.load(tmp_path / "a.npz")
    np.savez(tmp_path / "a.npz", **data._asdict())
    assert (dataset.load(tmp_path / "a.npz").move_values == data.move_values).all()


def test_numbers_are_integers() -> None:
    seed: Any = np.int64(1)
    assert (dataset.positions(150, stones=np.arange(17, 25), seed=seed) == KEYS).all()
    wrong: Any = {"stones": [[18.7], "14..20", 30], "count": [2.5, "5"], "seed": [None], "errors": ["a", [0.1]]}
    for name, values in wrong.items():
        for value in values:
            given = {"count": 5, name: value}
            with pytest.raises(TypeError, match=f"^{name} (is|are) .*not {re.escape(repr(value))}$"):
                dataset.positions(given.pop("count"), **given)


def test_a_record_says_what_follows_from_its_moves(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    dataset.write(file, 3, stones=[20], seed=1)
    lines = file.read_text().splitlines()
    right = json.loads(lines[1])
    move = right["best_moves"][0]
    value = right["value"]

    def load(**other: Any) -> dataset.Dataset:
        lines[1] = json.dumps({**right, **other})
        file.write_text("\n".join(lines) + "\n")
        return dataset.load(file)

    assert len(load(mine="kept").keys) == 3
    wrong: List[Any] = [
        ("stones is 19", {"stones": 19}),
        ("stones is 20.0", {"stones": 20.0}),
        ("value is ", {"value": value + 1}),
        ("position is ", {"position": str(Position())}),
        (r"best_moves is \[\]", {"best_moves": []}),
        ("key is an integer", {"key": float(right["key"])}),
        ("row 0: 1152921504606846976 is not the key|position is", {"key": 2**60}),
        ("value of .* is an integer from -25 to 25, not 3.7", {"moves": {**right["moves"], move: 3.7}}),
        ("value of .* is an integer from -25 to 25, not '3'", {"moves": {**right["moves"], move: "3"}}),
        ("value of .* is an integer from -25 to 25, not 100", {"moves": {**right["moves"], move: 100}}),
        ("is ", {"moves": {**right["moves"], move: True}}),
        ("is ", {"moves": {move.upper() if at == move else at: of for at, of in right["moves"].items()}}),
    ]
    for told, other in wrong:
        with pytest.raises(ValueError, match=f"line 2, is no record of a dataset: .*{told}"):
            load(**other)
    # Of a position in which more moves are legal.
    del right["moves"]["pass"]
    if move != "pass":
        with pytest.raises(ValueError, match="not all legal moves have a value"):
            load(best_moves=[at for at in right["best_moves"] if at != "pass"])


def test_a_damaged_archive_is_no_dataset(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    data = dataset.write(file, 3, stones=[20], seed=1)
    content = file.read_bytes()
    for at in range(len(content)):
        for bit in (1, 0x80):
            damaged = bytearray(content)
            damaged[at] ^= bit
            file.write_bytes(damaged)
            try:
                loaded = dataset.load(file)
            except ValueError as error:
                assert "a.npz is no dataset" in str(error)
            else:
                # A byte that is not read, such as one of a date.
                for field in dataset.Dataset._fields:
                    assert np.array_equal(getattr(data, field), getattr(loaded, field))


def test_the_keys_are_a_copy() -> None:
    given = KEYS[:5].copy()
    data = dataset.solve_many(given)
    given[:] = 0
    assert (data.keys == KEYS[:5]).all()


def test_what_is_no_source_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="source is 'uniform', .*, not 5"):
        dataset.positions(1, source=5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="stones are one or more integers from 0 to 24"):
        dataset.positions(1, stones=[2**63])
