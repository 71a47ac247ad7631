"""The program that travels in the wheel."""

import subprocess
import sys

import gothello
from gothello.__main__ import program


def test_it_is_installed_and_has_the_same_version() -> None:
    version = subprocess.run([str(program()), "--version"], capture_output=True, text=True)
    assert version.stdout.split() == ["gothello", gothello.__version__]


def test_it_runs_as_a_module() -> None:
    command = [sys.executable, "-m", "gothello"]
    session = subprocess.run(command, input="name\nquit\n", capture_output=True, text=True)
    assert session.stdout.startswith("= ") and session.returncode == 0
    wrong = subprocess.run([*command, "--nothing"], capture_output=True, text=True)
    assert wrong.returncode == 2


def test_its_values_are_those_of_the_package() -> None:
    text = "w.bb./b.bw./.bwww/b..ww/w..ww b"
    solved = subprocess.run([str(program()), "solve", text], capture_output=True, text=True)
    assert "B+3" in solved.stdout and gothello.solve(gothello.Position(text)) == 3
