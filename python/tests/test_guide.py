"""Every Python block of the guide and of the README runs."""

import re
from pathlib import Path
from typing import Any, Dict, List

import pytest

from gothello import client

from test_client import Referee

FOLDER = Path(__file__).parents[1]
PAGES = [FOLDER / "README.md", FOLDER.parent / "docs" / "src" / "python.md"]


def blocks(page: Path) -> List[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_blocks_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pettingzoo")
    pytest.importorskip("pyspiel")
    referee = Referee("60", "--house", "1")
    monkeypatch.setattr(client, "FIRST_PORT", referee.port)
    try:
        found = blocks(page)
        assert found
        names: Dict[str, Any] = {}
        for block in found:
            exec(block, names)
    finally:
        referee.kill()
