"""The notebook of the guide runs, and its network learns."""

import json
from pathlib import Path
from typing import Any, Dict

import pytest

from gothello.loss import Loss

NOTEBOOK = Path(__file__).parents[2] / "docs" / "src" / "examples" / "exact-loss.ipynb"

SMALL = {"POSITIONS": 1_500, "TEST": 400, "HIDDEN": 64, "EPOCHS": 15}


def test_the_notebook_trains_a_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib").use("agg")
    # It writes a picture.
    monkeypatch.chdir(tmp_path)
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    names: Dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        assert cell["outputs"] == [] and cell["execution_count"] is None
        exec("".join(cell["source"]), names)
        if "parameters" in cell["metadata"].get("tags", []):
            assert set(SMALL) < set(names)
            names.update(SMALL)
    reports: Dict[str, Loss] = names["reports"]
    assert {report.positions for report in reports.values()} == {SMALL["TEST"]}
    assert reports["network"].stones < 0.7 * reports["greedy"].stones < reports["random"].stones
    assert (tmp_path / "network-loss.svg").read_text().startswith("<?xml")
