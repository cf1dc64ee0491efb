"""notebooks/: what learners open, derived from kernels/ and from nothing else."""

from __future__ import annotations

import difflib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import nbformat

from .. import course
from ..counted import counted
from ..course.weave import text, weave_page
from ..course_folder import NOTEBOOKS
from .folder import CourseFolder, new_course
from .release import generate

PAGES = "pages"  # the folder beside the lessons with what is only to be read
SHOWN_LINES = 8  # of a difference


def build(folder: CourseFolder, notebooks: Path = NOTEBOOKS) -> list[Path]:
    """Make every lesson's notebook, and delete those of lessons that are gone. Returns what is
    there afterwards; a notebook that no lesson ever made is left alone."""
    notebooks.mkdir(exist_ok=True)
    made = dict(_made(folder))
    for name, content in made.items():
        (notebooks / name).write_text(content, encoding="utf-8")
    for stray in _strays(notebooks, set(made)):
        stray.unlink()
    return [notebooks / name for name in made]


def differences(kernels: Path = course.KERNELS, notebooks: Path = NOTEBOOKS) -> list[str]:
    """For each notebook that is not what `kernels` makes: its name and the first differences.
    Works in a folder of its own and changes nothing."""
    with tempfile.TemporaryDirectory(prefix="warpwise-build-") as scratch:
        made = dict(_made(new_course(Path(scratch), kernels)))
    found = [_difference(notebooks / name, content) for name, content in made.items()]
    strays = [f"{path.name}: no lesson makes it." for path in _strays(notebooks, set(made))]
    return [difference for difference in found if difference] + strays


def _made(folder: CourseFolder) -> Iterator[tuple[str, str]]:
    """File name and content of each learner's notebook, lessons first, the gradebook left alone."""
    folder = folder.configured(
        SaveCells={"enabled": False}, GenerateAssignment={"no_database": True}
    )
    for lesson in course.lessons(folder.kernels):
        generate(folder, lesson)
        released = folder.notebook("release", lesson.name)
        yield released.name, text(nbformat.read(released, as_version=4))
    for page in sorted((folder.kernels / PAGES).glob("*.md")):
        yield f"{page.stem}.ipynb", text(weave_page(page))


def _strays(notebooks: Path, made: set[str]) -> list[Path]:
    """Notebooks that a lesson once made and none makes any more."""
    return [
        path
        for path in sorted(notebooks.glob("*.ipynb"))
        if path.name not in made
        and '"warpwise"' in path.read_text(errors="replace", encoding="utf-8")
    ]


def _difference(path: Path, made: str) -> str:
    if not path.is_file():
        return f"{path.name}: missing."
    committed = path.read_text(encoding="utf-8", errors="replace")
    if committed == made:
        return ""
    lines = list(difflib.unified_diff(_sources(committed), _sources(made), n=0, lineterm=""))
    changed = [line for line in lines[2:] if not line.startswith("@@")]
    if not changed:
        return f"{path.name}: the cells' text is right, but ids, metadata or outputs are not."
    more = (
        [f"... and {counted(len(changed) - SHOWN_LINES, 'more line')}"]
        if changed[SHOWN_LINES:]
        else []
    )
    head = f"{path.name} (- as committed, + as its sources make it):"
    return "\n    ".join([head, *changed[:SHOWN_LINES], *more])


def _sources(notebook: str) -> list[str]:
    """The lines of all cells; the file's own lines when it is no notebook."""
    try:
        cells = json.loads(notebook)["cells"]
        return [line for cell in cells for line in "".join(cell["source"]).split("\n")]
    except (ValueError, KeyError, TypeError):
        return notebook.split("\n")
