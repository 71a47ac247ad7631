"""Runs the program `gothello` that the package brings: `python -m gothello`."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path


def program() -> Path:
    """Returns the path of the program. Raises FileNotFoundError if it is not installed."""
    name = "gothello" + (sysconfig.get_config_var("EXE") or "")
    user = "nt_user" if os.name == "nt" else "posix_user"
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", scheme=user)]
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            return path
    places = ", ".join(folders)
    raise FileNotFoundError(f"the program {name} is not in {places}: install the package again")


def main() -> None:
    """Runs the program with the arguments of this process, and exits as it does."""
    arguments = [str(program()), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(arguments).returncode)
    os.execv(arguments[0], arguments)


if __name__ == "__main__":
    main()
