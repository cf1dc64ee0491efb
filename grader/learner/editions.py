"""A new edition of a lesson in a notebook that somebody has worked in: three texts of every cell.

What the learner wrote is kept, always; what they left alone becomes what it is now. Cells are told
by their ids, which survive edits elsewhere in a lesson.
"""

from __future__ import annotations

import copy
import shutil
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

import nbformat
from nbformat import NotebookNode, v4

from ..course.weave import text
from ..course_folder import NOTEBOOKS
from ..submissions.intake import grade_id, read_notebook
from . import progress
from .folder import LESSONS

BEFORE = Path(progress.MARK) / "before"
_NEWER = "This cell has a new text in this edition of the course. Yours, above, was kept:"


@dataclass
class Changes:
    """What an update did to a lesson, each a list of cells' first lines. `kept` are cells of the
    learner's; `beside` those among them whose text was changed by the course too, which stands
    below theirs now."""

    lesson: str
    changed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    beside: list[str] = field(default_factory=list)


def update(root: Path, notebooks: Path = NOTEBOOKS) -> list[Changes]:
    """Bring every lesson in `root` up to its edition in `notebooks`."""
    found = [_update(root, path) for path in sorted(notebooks.glob("*.ipynb"))]
    return [changes for changes in found if changes]


def merged(
    base: NotebookNode, mine: NotebookNode, new: NotebookNode, changes: Changes
) -> NotebookNode:
    """`mine`, which began as `base`, with what `new` has changed since; says so in `changes`."""
    was, now = _by_id(base), _by_id(new)
    own = {cell.id: cell for cell in mine.cells if not _as_before(cell, was)}
    changes.kept += [_named(cell) for cell in own.values()]
    result = copy.deepcopy(new)
    result.cells = []
    had = {cell.id: cell for cell in mine.cells}
    for cell in new.cells:
        result.cells += _cells(cell, had.get(cell.id), was.get(cell.id), own, changes)
    for cell in mine.cells:
        if cell.id in own and cell.id not in now:
            result.cells.insert(place(result.cells, mine.cells, cell), cell)
    gone = [cell for key, cell in was.items() if key not in now and key not in own and key in had]
    changes.removed += [_named(cell) for cell in gone]
    return result


def _cells(
    new: NotebookNode,
    mine: NotebookNode | None,
    was: NotebookNode | None,
    own: dict[str, NotebookNode],
    changes: Changes,
) -> list[NotebookNode]:
    """What stands where the new edition has the cell `new`."""
    if mine is None:
        if was is not None and was.source == new.source and not grade_id(new):
            return []  # the learner took it out
        changes.added.append(_named(new))
        return [copy.deepcopy(new)]
    if was is None or new.source == was.source:
        return [_with_metadata(mine, new)]
    if new.id in own:
        changes.beside.append(_named(new))
        return [_with_metadata(mine, new), _newer(new)]
    changes.changed.append(_named(new))
    return [copy.deepcopy(new)]


def _newer(new: NotebookNode) -> NotebookNode:
    """The course's text of a cell that the learner has changed, to be read beside theirs."""
    return to_be_read(_NEWER, new.source, f"new-{new.id}")


def to_be_read(told: str, source: str, name: str) -> NotebookNode:
    """A cell with a sentence and the text of another; its id is `name`."""
    fence = "~~~~"
    text = f"{told}\n\n{fence}\n{source}\n{fence}"
    cell: NotebookNode = v4.new_markdown_cell(text, id=name)
    return cell


def _with_metadata(mine: NotebookNode, new: NotebookNode) -> NotebookNode:
    """The learner's text and outputs, with what nbgrader knows the cell by."""
    cell = copy.deepcopy(mine)
    cell.metadata = {**mine.metadata, **new.metadata}
    return cell


def _as_before(cell: NotebookNode, was: dict[str, NotebookNode]) -> bool:
    return cell.id in was and cell.source.strip() == was[cell.id].source.strip()


def place(result: list[NotebookNode], other: list[NotebookNode], cell: NotebookNode) -> int:
    """Where in `result` a cell of another notebook belongs: behind the nearest cell above it there
    that is in both."""
    at = {one.id: number for number, one in enumerate(result)}
    above = [one.id for one in other[: other.index(cell)]]
    return next((at[key] + 1 for key in reversed(above) if key in at), 0)


def _by_id(notebook: NotebookNode) -> dict[str, NotebookNode]:
    return {cell.id: cell for cell in notebook.cells}


def _named(cell: NotebookNode) -> str:
    return grade_id(cell) or next(iter(cell.source.strip().splitlines()), "")[:60]


def _update(root: Path, path: Path) -> Changes | None:
    """One lesson; None if it is up to date. The notebook as it was is kept."""
    mine, base = root / path.name, root / LESSONS / path.name
    changes = Changes(path.stem)
    if base.exists() and base.read_bytes() == path.read_bytes():
        return None
    if mine.exists():
        new = read_notebook(path)
        before = read_notebook(base) if base.exists() else new
        result = merged(before, read_notebook(mine), new, changes)
        keep(root, mine)
        nbformat.validate(result)
        mine.write_text(text(result), encoding="utf-8")
    else:
        changes.added.append("the whole lesson")
        shutil.copyfile(path, mine)
    shutil.copyfile(path, base)
    return changes


def keep(root: Path, mine: Path) -> Path:
    """Copy a notebook to where those lie that something was done to; returns the copy."""
    kept = root / BEFORE / f"{mine.stem}.{datetime.now():%Y-%m-%dT%H-%M-%S-%f}.ipynb"
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(mine, kept)
    return kept
