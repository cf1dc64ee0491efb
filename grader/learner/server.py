"""What JupyterLab's server tells our labextension: the start page of a learner's folder."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_server.base.handlers import APIHandler
from jupyter_server.utils import url_path_join
from tornado import web

from . import progress, start_page

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp


class StartPage(APIHandler):
    """GET: {"html": the page}; 404 where the server's folder is not a learner's."""

    @web.authenticated
    async def get(self) -> None:
        root = progress.folder(Path(self.settings["server_root_dir"]).expanduser())
        if root is None:
            raise web.HTTPError(404)
        shown = await asyncio.get_running_loop().run_in_executor(None, start_page.page, root)
        self.finish(json.dumps({"html": shown}))


def _jupyter_server_extension_points() -> list[dict[str, str]]:
    return [{"module": __name__}]


def _load_jupyter_server_extension(app: ServerApp) -> None:
    base = app.web_app.settings["base_url"]
    app.web_app.add_handlers(".*$", [(url_path_join(base, "warpwise", "start"), StartPage)])
