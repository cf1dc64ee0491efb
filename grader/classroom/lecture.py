"""A lesson in the browser, served from here.

`grader demo --live`: its slides, on which kernels can be edited and judged in place. The page is
the same file as without; a script in it (slides/template/live.js) wakes up where it is served.
Only this machine can connect, and only who knows the token of this run gets anything: another page
in the same browser does not, by whatever name it calls this machine.

`grader rubric` serves its page in the same way (see `rubric_page`).

`grader preview`: its page for its author, made anew whenever a file of it is saved.
"""

import asyncio
import json
import secrets
import webbrowser
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from nbformat import NotebookNode
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application, RequestHandler

from .. import course
from ..course.weave import weave
from ..errors import BadInput, CourseError, unless
from ..judge import judge, steps
from ..submissions.intake import cuda_source

HERE = "127.0.0.1"
MOST = 1_000_000  # bytes of a question
TOKEN = "X-Warpwise-Token"  # in the header of each question; the page's address has it, too

PAGE = "index.html"
_WRONG = """<!doctype html><meta charset="utf-8"><title>{name}</title>
<body style="font: 1.1rem system-ui; max-width: 44rem; margin: 4rem auto">
<h1>{name}</h1><p>{said}</p><p>Save the file again, and this page is made anew.</p>"""


@dataclass(frozen=True)
class ServedPage(ABC):
    """A `page`, the HTML, that asks questions; only those who know the token may see it."""

    page: str
    token: str = field(default_factory=secrets.token_urlsafe, kw_only=True)

    @abstractmethod
    def answer(self, asked: Any) -> dict[str, Any]:
        """CourseError; or ValueError, KeyError and TypeError where it was no question."""


@dataclass(frozen=True)
class Lecture(ServedPage):
    """The slides of a `lesson`. One kernel is judged at a time."""

    lesson: course.Lesson
    _turn: Lock = field(default_factory=Lock)

    def answer(self, asked: Any) -> dict[str, Any]:
        """The card for the text of a `%%cuda` cell, on all cases with inputs drawn afresh; hidden
        ones by their category, as learners see them."""
        from ..notebook import verdict_card

        exercise = self.lesson.exercise(str(asked["exercise"]))
        source, root = cuda_source(str(asked["source"])), self.lesson.path.parent
        with self._turn:
            found = judge(exercise.id, source, seed=secrets.randbelow(2**31), root=root)
        return {"html": verdict_card.page(found.for_learner(), source, exercise).html}


class PageRequest(RequestHandler):
    """`/` is the page; questions are posted to it. Only who knows the token, and asks this machine
    by its own name, gets anything: a page from elsewhere whose name leads here does neither."""

    def initialize(self, shown: ServedPage, port: int) -> None:
        self.shown, self.port = shown, port

    def set_default_headers(self) -> None:
        self.set_header("Cache-Control", "no-store")
        self.set_header("Referrer-Policy", "no-referrer")  # the address has the token in it
        self.set_header("X-Frame-Options", "DENY")

    def prepare(self) -> None:
        is_mine = self.request.host in (f"{HERE}:{self.port}", f"localhost:{self.port}")
        in_address, in_header = self.get_query_argument("token", ""), self.request.headers
        token = in_address if self.request.method == "GET" else in_header.get(TOKEN, "")
        if not is_mine or not secrets.compare_digest(token.encode(), self.shown.token.encode()):
            self.set_status(403)
            self.finish({"error": "Open the address that the command said: it holds a token."})

    def get(self) -> None:
        self.finish(self.shown.page)

    async def post(self) -> None:
        """Answer a question, which waits in a thread of its own."""
        try:
            unless(len(self.request.body) <= MOST, BadInput(f"These are more than {MOST:,} bytes."))
            answer = await asyncio.to_thread(self.shown.answer, json.loads(self.request.body))
        except CourseError as error:
            answer = {"error": str(error)}
        except (ValueError, KeyError, TypeError):
            self.set_status(400)
            answer = {"error": "This page does not ask so."}
        self.finish(answer)


async def served(page: ServedPage, port: int, ready: Callable[[str], object]) -> None:
    """Serve a page on this machine alone, at `port` or, if that is 0, at one that is free; `ready`
    is called with its address."""
    sockets = bind_sockets(port, HERE)
    _, port = sockets[0].getsockname()
    application = Application(
        [("/(?:judge|rubric)?", PageRequest, {"shown": page, "port": port})],
        log_function=lambda _: None,
    )
    HTTPServer(application).add_sockets(sockets)
    ready(f"http://{HERE}:{port}/?token={page.token}")
    await asyncio.Event().wait()


def serve(page: ServedPage, port: int, say: Callable[[str], None], what: str) -> None:
    """Show it in the browser until somebody presses Ctrl-C, and say where `what` is done."""

    def ready(address: str) -> None:
        say(f"{what}, until Ctrl-C: {address}")
        webbrowser.open(address)

    asyncio.run(served(page, port, ready))


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
