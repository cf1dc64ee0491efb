"""An exercise as it was handed out, for somebody whose cell is past mending, or gone. What they
wrote stays: below the cell, and in a copy of the notebook."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from .. import course
from ..course.weave import CHECK, text
from ..submissions.intake import grade_id, read_notebook
from .editions import keep, place, to_be_read
from .folder import LESSONS

_YOURS = "This is what stood in the cell above before it was restored:"


def restore(root: Path, lesson: course.Lesson, name: str | None) -> Path | None:
    """Bring the cells of the exercise `name`, or without one the whole lesson, back as they were
    handed out, in the learner's folder `root`. Returns where the notebook as it was has been kept;
    None if there was none. UnreadableNotebook for one exercise of what is no notebook."""
    mine, handed_out = (folder / f"{lesson.name}.ipynb" for folder in (root, root / LESSONS))
    given = read_notebook(handed_out)
    if name is None:
        kept = keep(root, mine) if mine.exists() else None
        shutil.copyfile(handed_out, mine)
        return kept
    lesson.exercise(name)  # NotInCourse, with the names there are
    notebook = read_notebook(mine)
    for wanted in (name, CHECK + name):
        _restore(notebook, given, wanted)
    kept = keep(root, mine)
    nbformat.validate(notebook)
    mine.write_text(text(notebook), encoding="utf-8")
    return kept


def _restore(notebook: NotebookNode, given: NotebookNode, name: str) -> None:
    """One cell of nbgrader's in the learner's notebook: the first of that name as it was given, in
    place of all there are, with their texts below it."""
    (cell,) = [one for one in given.cells if grade_id(one) == name]
    had = [one for one in notebook.cells if grade_id(one) == name]
    at = notebook.cells.index(had[0]) if had else place(notebook.cells, given.cells, cell)
    others = [one for one in notebook.cells if one not in had]
    taken = {one.id for one in others}
    texts = [one.source for one in had if one.source.strip() not in ("", cell.source.strip())]
    numbers = (number for number in range(len(taken) + len(texts) + 1))
    names = (f"was-{cell.id}-{number}" for number in numbers)
    free = (one for one in names if one not in taken)
    beside = [to_be_read(_YOURS, source, next(free)) for source in texts]
    notebook.cells = [*others[:at], cell, *beside, *others[at:]]
