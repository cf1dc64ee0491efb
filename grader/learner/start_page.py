"""The page that JupyterLab opens with: where the learner is in the course, and where to go on. The
server gives it to our labextension.

JupyterLab as a learner meets it, and nobody else: its settings go with the command. And the
package index that files are fetched from: the one that pip or uv are told to use, else the one that
JupyterLab takes its extensions from. Neither pip nor uv need be here.
"""

import asyncio
import configparser
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from .. import disk_cache
from ..cuda import gpu_count
from ..errors import counted, unless
from ..page_templates import page_template
from . import progress, recall, study
from .folder import outdated

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

_WARM_UP = "warm_up"  # the notebook that begins with warmup()


def _load_jupyter_server_extension(app: "ServerApp") -> None:
    # Here, as they take long to import: most read nothing but where a learner is in the course.
    from jupyter_server.base.handlers import APIHandler
    from jupyter_server.utils import url_path_join
    from tornado import web

    class StartPage(APIHandler):
        """GET: {"html": the page}; 404 where the server's folder is not a learner's."""

        @web.authenticated
        async def get(self) -> None:
            served = Path(self.settings["server_root_dir"]).expanduser()
            root = unless(progress.folder(served), web.HTTPError(404))
            self.finish(json.dumps({"html": await asyncio.to_thread(page, root)}))

    app.web_app.add_handlers(
        ".*$", [(url_path_join(app.web_app.settings["base_url"], "warpwise", "start"), StartPage)]
    )


@dataclass(frozen=True)
class Station:
    """A lesson on the map, with what its learner has done."""

    lesson: recall.HandedOut
    did: progress.Done
    there: bool  # the learner's folder has the notebook

    @property
    def left(self) -> list[str]:
        """The exercises that are not passed, in order."""
        return [name for name in self.lesson.exercises if name not in self.did.passed]

    @property
    def done(self) -> bool:
        return not self.left

    @property
    def passed(self) -> str:
        """How many exercises are passed, in words."""
        every = len(self.lesson.exercises)
        return f"{every - len(self.left)} of {counted(every, 'exercise')} passed"

    @property
    def begun(self) -> bool:
        return not self.done and (
            len(self.left) < len(self.lesson.exercises) or bool(self.did.predicted)
        )


def stations(root: Path) -> list[Station]:
    """Every lesson, with what was done of it in the learner's folder `root`."""
    done = progress.read(root)
    return [
        Station(each, done.get(each.name, progress.Done()), _is_there(root, each.name))
        for each in recall.handed_out(root)
        if each.exercises
    ]


def _is_there(root: Path, name: str) -> bool:
    return (root / f"{name}.ipynb").exists()


def next_station(lessons: list[Station]) -> Station | None:
    """The last lesson that was begun and is not done, else the first that is not done."""
    left = [station for station in lessons if not station.done]
    return next(iter([station for station in left if station.begun][-1:] or left), None)


def page(root: Path) -> str:
    """The start page of the learner's folder `root` as HTML, whose classes our labextension
    styles; a lesson is a link to its notebook."""
    lessons = stations(root)
    pieces = (
        recall.warm_up(root) if _is_there(root, _WARM_UP) and study.has("warm_up", root) else []
    )
    return page_template("learner/pages/start.html").render(
        stations=lessons,
        concepts=recall.concepts(root),
        go_on=next_station(lessons),
        warm_up=recall.length(pieces) if pieces else "",
        warm_up_notebook=_WARM_UP,
        newer=[name for name in outdated(root) if _is_there(root, name)],
        has_gpu=gpu_count() > 0,
        pages=[
            each
            for each in recall.handed_out(root)
            if not each.exercises and _is_there(root, each.name)
        ],
    )


SETTINGS = Path(__file__).with_name("jupyter")  # as Jupyter expects its folders to be


def environment() -> dict[str, str]:
    """The environment that JupyterLab is started in: with our extension as it lies here, without
    the news pop-up, and without what only instructors need. Its terminals know `grader`."""
    first = {
        "JUPYTER_CONFIG_PATH": SETTINGS,
        "JUPYTER_PATH": SETTINGS,
        "PATH": Path(sys.executable).parent,  # where `grader` was installed
    }
    return os.environ | {
        name: os.pathsep.join([str(folder), *filter(None, [os.environ.get(name)])])
        for name, folder in first.items()
    }


def command(root: Path, options: list[str]) -> list[str]:
    """JupyterLab in the learner's folder `root`, which also remembers what was open there: else
    it would look here for the notebooks of another folder."""
    # In a container one often is root, and JupyterLab starts for root only if it is told so.
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [
        *(sys.executable, "-m", "jupyterlab"),
        f"--ServerApp.root_dir={root}",
        f"--LabApp.workspaces_dir={root / '.warpwise' / 'workspaces'}",
        *(["--allow-root"] if is_root and "--allow-root" not in options else []),
        *options,
    ]


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
    return [
        *[Path(path) for path in (os.environ.get("PIP_CONFIG_FILE"),) if path is not None],
        *(folder / name for folder in (Path(sys.prefix), *folders)),
    ]
