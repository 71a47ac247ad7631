"""The stubs of the compiled classes have their docstrings, which editors show."""

import ast
import inspect
from pathlib import Path
from typing import Any

import pytest

from gothello import _gothello


@pytest.mark.parametrize("name, owner", [("_gothello", _gothello), ("_awari", _gothello.awari)])
def test_the_stubs_have_the_docstrings(name: str, owner: Any) -> None:
    stub = Path(_gothello.__file__).with_name(f"{name}.pyi")
    seen = 0
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found = getattr(owner, node.name)
            assert ast.get_docstring(node) == inspect.getdoc(found)
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("_"):
                    assert ast.get_docstring(member) == inspect.getdoc(getattr(found, member.name)), member.name
                    seen += 1
    assert seen > 10
