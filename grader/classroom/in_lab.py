"""The rubric page in the instructor's own JupyterLab: /warpwise/rubric has a link for each lesson.

A server that serves a course's folder, the one with nbgrader_config.py, gets the page; no other one
does. Who may see it is Jupyter's question: the page needs no token of its own, and each request
must come from a page of this server (Jupyter's XSRF cookie).
"""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from jupyter_server.base.handlers import JupyterHandler
from jupyter_server.utils import url_path_join
from tornado import web

from ..errors import CourseError, unless
from ..page_templates import page_template

if TYPE_CHECKING:
    from jupyter_server.serverapp import ServerApp

    from .lecture import RubricPage

_LINKS = "classroom/pages/rubrics.html"  # or what is wrong


class RubricInLab(JupyterHandler):
    """GET: the page of a lesson, or links to all of them. POST: a question of the page, as JSON.
    What cannot be is told in a sentence. `pages`: those that were opened, by lesson."""

    def initialize(self, config_file: Path, pages: "dict[str, RubricPage]") -> None:
        self.config_file, self.pages = config_file, pages

    @web.authenticated
    async def get(self, lesson: str) -> None:
        from .. import course
        from . import folder, lecture

        self.set_header("X-XSRFToken", self.xsrf_token)  # which sets the cookie
        try:
            here = folder.open_course(self.config_file)
            if lesson:
                page = self.pages[lesson] = await asyncio.to_thread(
                    lecture.rubric_page, here, lesson
                )
                self.finish(page.page)
            else:
                self.finish(
                    page_template(_LINKS).render(
                        lessons=course.names(here.kernels),
                        at=self.request.path.rstrip("/"),
                        said="",
                    )
                )
        except CourseError as error:
            self.finish(page_template(_LINKS).render(said=str(error)))

    @web.authenticated
    async def post(self, lesson: str) -> None:
        from . import lecture

        # After a 404, load it again.
        await lecture.answer(self, unless(self.pages.get(lesson), web.HTTPError(404)))


def _load_jupyter_server_extension(app: "ServerApp") -> None:
    config_file = Path(app.root_dir).expanduser() / "nbgrader_config.py"
    if config_file.is_file():
        address = url_path_join(app.web_app.settings["base_url"], "warpwise", "rubric")
        app.web_app.add_handlers(
            ".*$",
            [(rf"{address}/?([\w.-]*)", RubricInLab, {"config_file": config_file, "pages": {}})],
        )
