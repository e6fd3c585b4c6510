"""A project of dlt's own, made by its ``init`` from a commit of this clone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

CLONE = Path(__file__).parents[2]
_DLT = ("-c", "from dlt._workspace.cli._dlt import main; main()")


class Project:
    """``folder`` is where ``dlt init repair_shop <destination>`` put it."""

    def __init__(self, parent: Path, destination: str) -> None:
        clone, self.folder = parent / "clone", parent / "work"
        self.folder.mkdir(exist_ok=True)
        shutil.copytree(
            CLONE / "sources", clone / "sources", ignore=shutil.ignore_patterns("__pycache__")
        )
        git = ["git", "-C", str(clone), "-c", "user.name=a", "-c", "user.email=a@b.example"]
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
            subprocess.run([*git, *command], check=True)
        self.dlt("--non-interactive", "init", "repair_shop", destination, "--location", str(clone))

    def dlt(self, *command: str) -> str:
        """What dlt's command line says."""
        return self.run(*_DLT, *command)

    def run(self, *command: str) -> str:
        """What Python prints in the project's folder, without this clone on its path."""
        done = subprocess.run(
            [sys.executable, *command],
            cwd=self.folder,
            env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
