"""Many positions on a cluster of Dask, with processes of their own: the result is the same as here."""

import os
import signal
from pathlib import Path
from typing import Any, Iterator, List

import pytest

from gothello import dataset

distributed = pytest.importorskip("distributed")

KEYS = dataset.positions(3_000, stones=range(13, 17), seed=1)


@pytest.fixture
def client() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_a_killed_worker_changes_nothing(client: Any, tmp_path: Path) -> None:
    expected = dataset.write(tmp_path / "here.npz", 3_000, stones=range(13, 17), seed=1)
    processes: List[int] = list(client.run(os.getpid).values())
    assert len(set(processes)) == 2 and os.getpid() not in processes
    seen: List[int] = []

    def progress(done: int, count: int) -> None:
        assert count == 3_000
        if not seen:
            # Most chunks are not solved: this worker has some.
            os.kill(processes[0], signal.SIGKILL)
        seen.append(done)

    data = dataset.write(
        tmp_path / "there.npz",
        3_000,
        stones=range(13, 17),
        seed=1,
        client=client,
        progress=progress,
    )
    assert seen == sorted(seen) and seen[0] < 100 and seen[-1] == 3_000
    assert processes[0] not in client.run(os.getpid).values()
    for field in dataset.Dataset._fields:
        assert (getattr(data, field) == getattr(expected, field)).all()
    assert (tmp_path / "there.npz").read_bytes() == (tmp_path / "here.npz").read_bytes()


def test_an_error_of_a_worker_is_an_error_here(client: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no positions of a tablebase"):
        dataset.solve_many(KEYS[:100], tablebase=tmp_path, client=client)
