"""JupyterLab as a learner meets it, and nobody else: its settings go with the command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SETTINGS = Path(__file__).with_name("jupyter")  # as in a folder of JUPYTER_CONFIG_PATH


def environment() -> dict[str, str]:
    """What JupyterLab is started with: without the news pop-up, and without what only instructors
    need."""
    paths = [str(SETTINGS), *filter(None, [os.environ.get("JUPYTER_CONFIG_PATH")])]
    return {**os.environ, "JUPYTER_CONFIG_PATH": os.pathsep.join(paths)}


def command(root: Path, options: list[str]) -> list[str]:
    """JupyterLab in the learner's folder `root`."""
    return [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}", *options]
