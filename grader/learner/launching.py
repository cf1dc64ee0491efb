"""JupyterLab as a learner meets it, and nobody else: its settings go with the command. And the
package index that files are fetched from: the one that pip or uv are told to use, else the one that
JupyterLab takes its extensions from. Neither pip nor uv need be here."""

import configparser
import os
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import urljoin

from .. import disk_cache

SETTINGS = Path(__file__).with_name("jupyter")  # as Jupyter expects its folders to be


def environment() -> dict[str, str]:
    """The environment that JupyterLab is started in: with our extension as it lies here, without
    the news pop-up, and without what only instructors need."""
    return os.environ | {
        name: os.pathsep.join([str(SETTINGS), *filter(None, [os.environ.get(name)])])
        for name in ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH")
    }


def command(root: Path, options: list[str]) -> list[str]:
    """JupyterLab in the learner's folder `root`, which also remembers what was open there: else
    it would look here for the notebooks of another folder."""
    tabs = f"--LabApp.workspaces_dir={root / '.warpwise' / 'workspaces'}"
    where = f"--ServerApp.root_dir={root}"
    # In a container one often is root, and JupyterLab starts for root only if it is told so.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    as_root = ["--allow-root"] if is_root and "--allow-root" not in options else []
    return [sys.executable, "-m", "jupyterlab", where, tabs, *as_root, *options]


def package_index() -> str:
    """The address of the index's "simple" page."""
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL"):
        if index := os.environ.get(name):
            return index
    for path in _pips_files():
        config = configparser.RawConfigParser()
        with suppress(configparser.Error, UnicodeDecodeError, OSError):
            config.read(path, encoding="utf-8")
            if index := config.get("global", "index-url", fallback=""):
                return index
    from jupyterlab.extensions.pypi import PyPIExtensionManager

    return urljoin(str(PyPIExtensionManager.base_url.default_value), "/simple")


def _pips_files() -> list[Path]:
    """Where pip's configuration is looked for, what counts more first."""
    home, name = disk_cache.user_home(), "pip.conf"
    own = Path(os.environ.get("XDG_CONFIG_HOME", home / ".config"), "pip")
    folders = [own, home / "Library/Application Support/pip", home / ".pip", Path("/etc")]
    if sys.platform == "win32":
        name, folders = "pip.ini", [Path(os.environ.get("APPDATA", home), "pip")]
    first = [Path(path) for path in (os.environ.get("PIP_CONFIG_FILE"),) if path is not None]
    return [*first, *(folder / name for folder in (Path(sys.prefix), *folders))]
