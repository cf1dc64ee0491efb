"""JupyterLab as a learner meets it, and nobody else: its settings go with the command. And the
package index that files are fetched from: the one that pip or uv are told to use, else the one that
JupyterLab takes its extensions from. Neither pip nor uv need be here."""

import configparser
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

from .. import disk_cache

SETTINGS = Path(__file__).with_name("jupyter")  # as Jupyter expects its folders to be
_NAMED_BY = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")


def environment() -> dict[str, str]:
    """The environment that JupyterLab is started in: with our extension as it lies here, without
    the news pop-up, and without what only instructors need."""
    ours = {
        name: os.pathsep.join([str(SETTINGS), *filter(None, [os.environ.get(name)])])
        for name in ("JUPYTER_CONFIG_PATH", "JUPYTER_PATH")
    }
    return {**os.environ, **ours}


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
    named = (os.environ.get(name, "") for name in _NAMED_BY)
    if index := next(filter(None, (*named, *map(_configured, _pips_files()))), ""):
        return index
    from jupyterlab.extensions.pypi import PyPIExtensionManager

    return urljoin(str(PyPIExtensionManager.base_url.default_value), "/simple")


def _configured(path: Path) -> str:
    """The index that a file of pip's names; empty if it names none."""
    config = configparser.RawConfigParser()
    try:
        config.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        return ""
    return config.get("global", "index-url", fallback="")


def _pips_files() -> Iterator[Path]:
    """Where pip's configuration is looked for, what counts more first."""
    home = disk_cache.user_home()
    if "PIP_CONFIG_FILE" in os.environ:
        yield Path(os.environ["PIP_CONFIG_FILE"])
    if sys.platform == "win32":
        yield Path(sys.prefix, "pip.ini")
        yield Path(os.environ.get("APPDATA", home), "pip", "pip.ini")
        return
    yield Path(sys.prefix, "pip.conf")
    yield Path(os.environ.get("XDG_CONFIG_HOME", home / ".config"), "pip", "pip.conf")
    yield home / "Library/Application Support/pip/pip.conf"
    yield home / ".pip/pip.conf"
    yield Path("/etc/pip.conf")
