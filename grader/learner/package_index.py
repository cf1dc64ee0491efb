"""Which package index files are fetched from: the one that pip or uv are told to use, else the one
that JupyterLab takes its extensions from. Neither pip nor uv need be here."""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

from ..disk_cache import user_home

_NAMED_BY = ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL")


def address() -> str:
    """The address of the index's "simple" page."""
    named = (os.environ.get(name, "") for name in _NAMED_BY)
    return next(filter(None, (*named, *map(_configured, _pips_files()))), "") or _jupyterlabs()


def _jupyterlabs() -> str:
    from jupyterlab.extensions.pypi import PyPIExtensionManager

    return urljoin(str(PyPIExtensionManager.base_url.default_value), "/simple")


def _configured(path: Path) -> str:
    found = configparser.RawConfigParser()
    try:
        found.read(path, encoding="utf-8")
    except (configparser.Error, UnicodeDecodeError, OSError):
        return ""
    return found.get("global", "index-url", fallback="")


def _pips_files() -> Iterator[Path]:
    """Where pip's configuration is looked for, what counts more first."""
    if "PIP_CONFIG_FILE" in os.environ:
        yield Path(os.environ["PIP_CONFIG_FILE"])
    if sys.platform == "win32":
        yield Path(sys.prefix, "pip.ini")
        yield Path(os.environ.get("APPDATA", user_home()), "pip", "pip.ini")
        return
    yield Path(sys.prefix, "pip.conf")
    yield Path(os.environ.get("XDG_CONFIG_HOME", user_home() / ".config"), "pip", "pip.conf")
    yield user_home() / "Library/Application Support/pip/pip.conf"
    yield user_home() / ".pip/pip.conf"
    yield Path("/etc/pip.conf")
