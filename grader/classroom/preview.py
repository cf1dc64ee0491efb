"""`grader preview`: a lesson's page in the browser, made anew whenever a file of it is saved."""

from __future__ import annotations

from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from livereload import Server
from nbconvert import HTMLExporter
from nbformat import NotebookNode

from .. import course
from ..course import Lesson
from ..course.weave import weave
from ..errors import CourseError
from ..judge import steps
from . import presentation

PAGE = "index.html"

_WRONG = """<!doctype html><meta charset="utf-8"><title>{name}</title>
<body style="font: 1.1rem system-ui; max-width: 44rem; margin: 4rem auto">
<h1>{name}</h1><p>{said}</p><p>Save the file again, and this page is made anew.</p>"""


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

    def _html(self, lesson: Lesson) -> str:
        notebook = weave(lesson)
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        shows = [cell.source for cell in cells], _versions(lesson.path)
        if shows != self._shown:
            steps.require_no_oversight(lesson)
            solved = presentation.solved(lesson, self.folder)
            done = [cell for cell in solved.cells if cell.cell_type == "code"]
            self._outputs, self._shown = [cell.outputs for cell in done], shows
        for cell, outputs in zip(cells, self._outputs, strict=True):
            cell.outputs = outputs
        body, _ = HTMLExporter(template_name="lab").from_notebook_node(notebook)
        return body


def _versions(folder: Path) -> list[tuple[str, int]]:
    """When each file of a lesson was saved that decides what its cells show."""
    files = [path for path in folder.iterdir() if path.suffix in (".py", ".cu", ".toml")]
    return sorted((path.name, path.stat().st_mtime_ns) for path in files)


def serve(name: str, kernels: Path, port: int) -> None:
    """Show the lesson at http://localhost:`port` until somebody presses Ctrl-C."""
    with TemporaryDirectory(prefix="preview-") as folder:
        preview = Preview(name, kernels, Path(folder))
        preview.write()
        server = Server()
        server.watch(str(kernels / name / "*"), preview.write)
        server.serve(port=port, host="localhost", root=folder, open_url_delay=1)
