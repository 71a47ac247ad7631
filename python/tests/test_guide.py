"""Every Python block of the guide and of the README runs."""

import re
import subprocess
from pathlib import Path
from typing import Any, Dict, List

import pytest

from gothello import client

from test_client import Referee

FOLDER = Path(__file__).parents[1]
GUIDE = FOLDER.parent / "docs" / "src"
PAGES = [FOLDER / "README.md", GUIDE / "python.md", GUIDE / "datasets.md"]


def blocks(page: Path, language: str) -> List[str]:
    block = rf"^```{language}\n(.*?)^```"
    return re.findall(block, page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pettingzoo")
    pytest.importorskip("pyspiel")
    referee = Referee("60", "--house", "1")
    monkeypatch.setattr(client, "FIRST_PORT", referee.port)
    monkeypatch.chdir(tmp_path)
    for block in blocks(page, "sh"):
        # Files that blocks of Python read.
        if " --output " in block:
            subprocess.run(block, shell=True, check=True)
    try:
        found = blocks(page, "python")
        assert found
        names: Dict[str, Any] = {}
        for block in found:
            exec(block, names)
    finally:
        referee.kill()
