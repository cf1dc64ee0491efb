"""JupyterLab as a learner meets it, and nobody else: its settings go with the command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SETTINGS = Path(__file__).with_name("jupyter")  # as Jupyter expects its folders to be


def environment() -> dict[str, str]:
    """What JupyterLab is started with: our extension as it lies here, without the news pop-up, and
    without what only instructors need."""
    ours = {name: _before(name) for name in ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH")}
    return {**os.environ, **ours}


def _before(name: str) -> str:
    return os.pathsep.join([str(SETTINGS), *filter(None, [os.environ.get(name)])])


def command(root: Path, options: list[str]) -> list[str]:
    """JupyterLab in the learner's folder `root`, which also remembers what was open there: else
    it would look here for the notebooks of another folder."""
    tabs = f"--LabApp.workspaces_dir={root / '.warpwise' / 'workspaces'}"
    where = f"--ServerApp.root_dir={root}"
    return [sys.executable, "-m", "jupyterlab", where, tabs, *options]
