"""Copies the docstrings of the compiled classes into the stubs of a wheel: `python3 document.py WHEEL`.

Editors show what is in the stubs. The docstrings are written once, in Rust. `build` calls this.
"""

import ast
import inspect
import os
import sys
import tempfile
from base64 import urlsafe_b64encode
from hashlib import sha256
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from textwrap import indent
from typing import Any, Dict, List, Tuple
from zipfile import ZipFile

CLASSES = {"gothello/_gothello.pyi": None, "gothello/_awari.pyi": "awari"}
"""The stubs of what users call, and the attribute of the compiled module that each is of."""


def compiled(name: str, content: bytes) -> Any:
    """Loads a compiled module."""
    folder = tempfile.mkdtemp()
    path = Path(folder) / Path(name).name
    path.write_bytes(content)
    spec = spec_from_loader("_gothello", ExtensionFileLoader("_gothello", str(path)))
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    if os.name != "nt":  # Windows does not remove what is loaded.
        path.unlink()
        os.rmdir(folder)
    return module


def literal(doc: str, spaces: int) -> str:
    """Returns a docstring as it is written in a source file."""
    escaped = doc.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    end = "\n" if "\n" in doc or doc.endswith('"') else ""
    return indent(f'"""{escaped}{end}"""', " " * spaces)


def documented(stub: str, module: Any) -> str:
    """Returns a stub with the docstrings of the classes and of what does not begin with an underscore."""
    lines = stub.split("\n")
    changes: List[Tuple[int, str]] = []

    def visit(body: List[ast.stmt], owner: Any) -> None:
        for node in body:
            if not isinstance(node, (ast.ClassDef, ast.FunctionDef)) or node.name.startswith("_"):
                continue
            found = getattr(owner, node.name)
            doc = inspect.getdoc(found)
            if doc and ast.get_docstring(node) is None:
                # A class has its docstring after its line, a function in place of `...`.
                at = node.lineno if isinstance(node, ast.ClassDef) else node.body[0].lineno
                changes.append((at, literal(doc, node.col_offset + 4)))
            if isinstance(node, ast.ClassDef):
                visit(node.body, found)

    visit(ast.parse(stub).body, module)
    for at, text in sorted(changes, reverse=True):
        line = lines[at - 1]
        lines[at - 1] = line[: -len(" ...")] if line.endswith(": ...") else line
        lines.insert(at, text)
    return "\n".join(lines)


def record(name: str, content: bytes) -> str:
    """Returns the line of a file in the list of those of a wheel."""
    digest = urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def main(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        files = [(info, archive.read(info)) for info in archive.infolist()]
    contents: Dict[str, bytes] = {info.filename: content for info, content in files}
    (name,) = [name for name in contents if name.endswith(tuple(EXTENSION_SUFFIXES))]
    module = compiled(name, contents[name])
    for stub, part in CLASSES.items():
        owner = module if part is None else getattr(module, part)
        contents[stub] = documented(contents[stub].decode(), owner).encode()
    (listed,) = [name for name in contents if name.endswith(".dist-info/RECORD")]
    entries = [line.split(",")[0] for line in contents[listed].decode().splitlines()]
    lines = [f"{entry},," if entry == listed else record(entry, contents[entry]) for entry in entries]
    contents[listed] = "".join(f"{line}\n" for line in lines).encode()
    new = wheel.with_suffix(".new")
    with ZipFile(new, "w") as archive:
        for info, _ in files:
            archive.writestr(info, contents[info.filename])
    new.replace(wheel)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
