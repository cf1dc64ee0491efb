"""A lesson in the browser, served from here.

`grader demo --live`: its slides, on which kernels can be edited and judged in place. The page is
the same file as without; a script in it (slides/template/live.js) wakes up where it is served.
Only this machine can connect, and only who knows the token of this run gets anything: another page
in the same browser does not, by whatever name it calls this machine.

`grader preview`: its page for its author, made anew whenever a file of it is saved.
"""

import asyncio
import json
import secrets
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

from nbformat import NotebookNode
from tornado import web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from .. import course
from ..course.weave import weave
from ..errors import CourseError, unless
from ..judge import judge, steps
from ..submissions.intake import cuda_source

HERE = "127.0.0.1"
MOST = 1_000_000  # bytes of a question
TOKEN = "X-Warpwise-Token"  # in the header of each question; the page's address has it, too

PAGE = "index.html"
_WRONG = """<!doctype html><meta charset="utf-8"><title>{name}</title>
<body style="font: 1.1rem system-ui; max-width: 44rem; margin: 4rem auto">
<h1>{name}</h1><p>{said}</p><p>Save the file again, and this page is made anew.</p>"""
_NOT_YOURS = "Open the address that `grader demo --live` said: it holds a token."
_HEADERS = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",  # the address has the token in it
    "X-Frame-Options": "DENY",
}


@dataclass(frozen=True)
class Lecture:
    """The slides of a `lesson`, and who may see them. One kernel is judged at a time."""

    lesson: course.Lesson
    page: str
    token: str = field(default_factory=secrets.token_urlsafe)
    _turn: Lock = field(default_factory=Lock)

    def verdict(self, exercise: str, cell: str) -> str:
        """The card for the text of a `%%cuda` cell, on all cases with inputs drawn afresh; hidden
        ones by their category, as learners see them."""
        from ..notebook import verdict_card

        asked = self.lesson.exercise(exercise)
        source, root = cuda_source(cell), self.lesson.path.parent
        with self._turn:
            found = judge(asked.id, source, seed=secrets.randbelow(2**31), root=root)
        return verdict_card.page(found.for_learner(), source, asked).html


def listen(lecture: Lecture, port: int = 0) -> str:
    """Have the running event loop answer on this machine alone, at `port`, or at one that is free.
    Returns the address, with the token."""
    sockets = bind_sockets(port, HERE)
    port = sockets[0].getsockname()[1]
    hosts = (f"{HERE}:{port}", f"localhost:{port}")
    # Nothing is logged: the address would be in it.
    here = web.Application(
        [("/(.*)", _Slides)], lecture=lecture, hosts=hosts, log_function=lambda _: None
    )
    HTTPServer(here).add_sockets(sockets)
    return f"http://{hosts[0]}/?token={lecture.token}"


def serve(lecture: Lecture, port: int, say: Callable[[str], None]) -> None:
    """Show it in the browser until somebody presses Ctrl-C."""

    async def serving() -> None:
        address = listen(lecture, port)
        say(f"To edit and run kernels on the slides, until Ctrl-C: {address}")
        webbrowser.open(address)
        await asyncio.Event().wait()

    asyncio.run(serving())


class _Slides(web.RequestHandler):
    """GET /: the page. POST /judge, with an exercise and a source: the card."""

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)

    def prepare(self) -> None:
        """Refuse who does not know the token, or asks this machine by another name than its own,
        as a page from elsewhere does whose name leads here."""
        is_question = self.request.method == "POST"
        given = self.request.headers.get(TOKEN, "")
        token = given if is_question else self.get_query_argument("token", "")
        is_known = secrets.compare_digest(token.encode(), self.settings["lecture"].token.encode())
        if not is_known or self.request.host not in self.settings["hosts"]:
            self.set_status(HTTPStatus.FORBIDDEN)
            self.finish({"error": _NOT_YOURS} if is_question else _NOT_YOURS)

    def get(self, path: str) -> None:
        unless(not path, web.HTTPError(HTTPStatus.NOT_FOUND))
        self.finish(self.settings["lecture"].page)

    async def post(self, path: str) -> None:
        unless(path == "judge", web.HTTPError(HTTPStatus.NOT_FOUND))
        do = asyncio.get_running_loop().run_in_executor
        try:
            asked = json.loads(self.request.body[:MOST])  # what is longer breaks off there
            about = str(asked["exercise"]), str(asked["source"])
            self.finish({"html": await do(None, self.settings["lecture"].verdict, *about)})
        except (ValueError, KeyError, TypeError):
            self.set_status(HTTPStatus.BAD_REQUEST)
            self.finish({"error": f"This is no exercise and no source of at most {MOST:,} bytes."})
        except CourseError as error:
            self.finish({"error": str(error)})


# --- for its author -----------------------------------------------------------------------------


class Preview:
    """The page of the lesson `name` under `kernels`, solved and with every output. Its cells are
    executed again only when something that they show may have changed: prose is there at once."""

    def __init__(self, name: str, kernels: Path, folder: Path):
        self.name, self.kernels, self.folder = name, kernels, folder
        self._shown: object = None
        self._outputs: list[list[NotebookNode]] = []

    def write(self) -> str:
        """Make the page; what is wrong with the lesson, in a sentence that the page has too."""
        said = ""
        try:
            page = self._html(course.lesson(self.name, self.kernels))
        except CourseError as error:
            said = str(error)
            page = _WRONG.format(name=escape(self.name), said=escape(said))
        (self.folder / PAGE).write_text(page, encoding="utf-8")
        return said

    def _html(self, lesson: course.Lesson) -> str:
        from nbconvert import HTMLExporter

        from . import handing_out

        notebook = weave(lesson)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        # Its files that decide what cells show, and when each was saved.
        files = [path for path in lesson.path.iterdir() if path.suffix in (".py", ".cu", ".toml")]
        shows = (
            [cell.source for cell in cells],
            sorted((path.name, path.stat().st_mtime_ns) for path in files),
        )
        if shows != self._shown:
            steps.require_no_oversight(lesson)
            solved = handing_out.solved(lesson, self.folder)
            done = [cell for cell in solved.cells if cell.cell_type == "code"]
            self._outputs, self._shown = [cell.outputs for cell in done], shows
        for cell, outputs in zip(cells, self._outputs, strict=True):
            cell.outputs = outputs
        body, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
        return body


def serve_preview(name: str, kernels: Path, port: int) -> None:
    """Show the lesson at http://localhost:`port` until somebody presses Ctrl-C."""
    from livereload import Server

    with TemporaryDirectory(prefix="preview-") as folder:
        preview = Preview(name, kernels, Path(folder))
        preview.write()
        server = Server()
        server.watch(str(kernels / name / "*"), preview.write)
        server.serve(port=port, host="localhost", root=folder, open_url_delay=1)
