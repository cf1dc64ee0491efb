"""A lesson whose folder has another name now: what the course still has under the old one, and how
all of it gets the new one."""

import shutil
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from nbgrader.api import Assignment

from .. import course as lessons
from ..counted import counted
from ..course.weave import CHECK
from . import ClassroomError, changes
from .coursefile import changed, table
from .folder import CourseFolder, alone
from .joining import nearest

_HANDED_OUT = ("source", "release", "outbound")


def gone(course: CourseFolder) -> list[str]:
    """A sentence for each lesson that the gradebook has and that has no folder here. nbgrader may
    have assignments of an instructor's own, too: their cells have other names."""
    if not (course.root / "gradebook.db").is_file():
        return []
    here, sentences = lessons.names(course.kernels), []
    with course.gradebook() as gradebook:
        marks = {each.name: each.num_submissions for each in gradebook.assignments}
        new = {name: () for name in here if not marks.get(name)}
        for each in gradebook.assignments:
            name, books = each.name, each.notebooks
            checks = [cell.name.startswith(CHECK) for book in books for cell in book.grade_cells]
            if name not in here and checks and all(checks):
                command = f"`grader rename {name} {nearest(name, new) or 'NEW'}`"
                sentences.append(
                    f"The gradebook has {name} ({counted(marks[name], 'mark')}), and there is no "
                    f"folder kernels/{name}. If that lesson was renamed, {command} moves "
                    "everything to its new name; else put the folder back."
                )
    return sentences


def rename(course: CourseFolder, old: str, new: str) -> int:
    """Give everything that the course has of the lesson `old` the name `new`, which a folder of
    kernels/ has. Returns how many learners' marks that are. ClassroomError, and nothing is moved,
    where both have marks or work. Whoever is stopped gives the same command again: the gradebook,
    by which `gone` knows the old name, comes last."""
    here = lessons.names(course.kernels)
    if old in here:
        raise ClassroomError(f"kernels/{old} is still there: give that folder its new name first.")
    if new not in here:
        raise ClassroomError(f"There is no folder kernels/{new}; there are: {', '.join(here)}.")
    with alone(course):
        moves = list(_moves(course, old, new))
        with course.gradebook() as gradebook:
            found = {each.name: each for each in gradebook.assignments}
            if not moves and old not in found:
                raise ClassroomError(f"The course has nothing of a lesson {old!r}.")
            _require_one_of_both(moves, found, old, new)
            for source, target in moves:
                _move(source, target, old, new)
            with changed(course) as document:
                if old in document.get("lessons", {}):
                    kept = table(document, "lessons", new)
                    for name, value in document["lessons"].pop(old).items():
                        kept.setdefault(name, value)  # what it says of the new name goes before
            changes.rename(course, old, new)
            if old in found:
                if new in found:  # which nobody has marks of
                    gradebook.remove_assignment(new)
                for notebook in found[old].notebooks:
                    notebook.name = new
                found[old].name = new
                gradebook.db.commit()
            renamed = found.get(old) or found.get(new)
            return renamed.num_submissions if renamed else 0


def _require_one_of_both(
    moves: list[tuple[Path, Path]], found: dict[str, Assignment], old: str, new: str
) -> None:
    if all(name in found and found[name].num_submissions for name in (old, new)):
        raise ClassroomError(
            f"The gradebook has marks of {old} ({found[old].num_submissions}) and of {new} "
            f"({found[new].num_submissions}), so nothing was moved."
        )
    both = [
        source.parent.name
        for source, target in moves
        if target.parents[1].name == "submitted" and target.exists()
    ]
    if both:
        raise ClassroomError(
            f"Both {old} and {new} were handed in by {', '.join(both)}, so nothing was moved: keep "
            "one of the folders in submitted/."
        )


def _moves(course: CourseFolder, old: str, new: str) -> Iterator[tuple[Path, Path]]:
    """Each folder of the old lesson, and where it belongs."""
    steps = [place / old for place in (course.root / "source", course.root / "release")]
    steps += [course.shelves / "outbound" / old]
    for step in ("autograded", "feedback", "submitted"):
        steps += sorted((course.root / step).glob(f"*/{old}"))
    for folder in steps:
        if folder.is_dir():
            yield folder, folder.with_name(new)
    for folder in sorted((course.shelves / "inbound").glob(f"*+{old}+*")):
        yield folder, folder.with_name(folder.name.replace(f"+{old}+", f"+{new}+"))


def _move(source: Path, target: Path, old: str, new: str) -> None:
    """A folder and what in it has the lesson's name. What was handed out anew under the new name
    stays; what was graded under it stands for no marks."""
    for suffix in (".ipynb", ".html"):
        with suppress(OSError):  # there is none, or it is a learner's: any name is read
            (source / f"{old}{suffix}").rename(source / f"{new}{suffix}")
    if target.exists():
        stays = source.parent.name in _HANDED_OUT
        shutil.rmtree(source if stays else target)
    if source.exists():
        source.rename(target)
