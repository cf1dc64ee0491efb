"""A lesson brought up to date, or an exercise brought back, in a notebook that somebody works in.

A new edition of a lesson is brought in by three texts of every cell. The learner's text is kept,
always; a cell that they left alone becomes what it is now. Cells are told apart by their ids, which
survive edits elsewhere in a lesson. A broken exercise is restored with what was written
below its cell, and in a copy of the notebook.

Handing in: through nbgrader's exchange where the lesson was handed out there, else as a file.

Requests for a regrade, which go the same way: a learner says why a mark should be another one. A
request is a small file of its own. What was handed in, and when, stays as it is.
"""

import copy
import secrets
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Annotated

import msgspec
from nbformat import NotebookNode, v4, validate

from .. import course
from ..course.weave import CHECK, grade_id, text
from ..course_folder import NOTEBOOKS
from ..cuda.errors import encodable, visible
from ..errors import LearnerError, MachineError, unless
from ..judge import Verdict, judge
from ..judge.arrangement import is_blank
from ..submissions import intake, open_nbgrader
from ..whole_files import filed, whole
from . import progress, study
from .folder import LESSONS, outdated

BEFORE = Path(progress.MARK) / "before"


# What an update did to a lesson's cells: by kind, in the order in which that is told, their first
# lines.
Changes = dict[str, list[str]]
NEW, CHANGED, GONE = "new", "changed", "gone"
# Cells of the learner's; and those among them whose text was changed by the course too, which
# stands below theirs now.
KEPT, BELOW = "kept", "below"


def update(root: Path, notebooks: Path = NOTEBOOKS) -> dict[str, Changes]:
    """Bring every lesson in `root` up to its edition in `notebooks`; by lesson, what that changed.
    The notebooks as they were are kept."""
    updated = {}
    for name in outdated(root, notebooks):
        path = notebooks / f"{name}.ipynb"
        mine, base = root / path.name, root / LESSONS / path.name
        if mine.exists():
            new = intake.read_notebook(path)
            was = intake.read_notebook(base) if base.exists() else new
            result, updated[name] = merged(was, intake.read_notebook(mine), new)
            keep(root, mine)
            _write(mine, result)
        else:
            updated[name] = {NEW: ["the whole lesson"]}
            shutil.copyfile(path, mine)
        shutil.copyfile(path, base)
    return updated


def merged(
    base: NotebookNode, mine: NotebookNode, new: NotebookNode
) -> tuple[NotebookNode, Changes]:
    """`mine`, which began as `base`, with what `new` has changed since; and what that is."""
    changes: Changes = {kind: [] for kind in (NEW, CHANGED, GONE, KEPT, BELOW)}
    was, now, had = ({cell.id: cell for cell in each.cells} for each in (base, new, mine))
    own = {
        cell.id
        for cell in mine.cells
        if cell.id not in was or cell.source.strip() != was[cell.id].source.strip()
    }
    changes[KEPT] += [_named(cell) for cell in mine.cells if cell.id in own]
    result = copy.deepcopy(new)
    result.cells = []
    for cell in new.cells:
        ours, theirs = was.get(cell.id), had.get(cell.id)
        is_changed = ours is not None and cell.source != ours.source
        if theirs is None and ours is not None and not (is_changed or grade_id(cell)):
            continue  # the learner took it out
        if theirs is None or (is_changed and cell.id not in own):
            changes[NEW if theirs is None else CHANGED].append(_named(cell))
            result.cells.append(copy.deepcopy(cell))
        else:
            stays = copy.deepcopy(theirs)  # with what nbgrader knows the cell by
            stays.metadata = {**theirs.metadata, **cell.metadata}
            result.cells.append(stays)
            if is_changed:
                changes[BELOW].append(_named(cell))
                result.cells.append(
                    _to_be_read(
                        "This cell has a new text in this edition of the course. "
                        "Yours, above, was kept:",
                        cell.source,
                        f"new-{cell.id}",
                    )
                )
    for cell in [each for each in mine.cells if each.id in own - now.keys()]:
        result.cells.insert(_place(result.cells, mine.cells, cell), cell)
    gone = had.keys() - now.keys() - own
    changes[GONE] += [_named(cell) for key, cell in was.items() if key in gone]
    return result, changes


def _to_be_read(sentence: str, source: str, name: str) -> NotebookNode:
    """A cell with a sentence and the text of another; its id is `name`."""
    return NotebookNode(v4.new_markdown_cell(f"{sentence}\n\n~~~~\n{source}\n~~~~", id=name))


def _place(result: list[NotebookNode], other: list[NotebookNode], cell: NotebookNode) -> int:
    """Where in `result` a cell of another notebook belongs: behind the nearest cell above it there
    that is in both."""
    at = {each.id: number for number, each in enumerate(result)}
    return next(
        (at[each.id] + 1 for each in reversed(other[: other.index(cell)]) if each.id in at), 0
    )


def _named(cell: NotebookNode) -> str:
    return grade_id(cell) or next(iter(cell.source.strip().splitlines()), "")[:60]


def keep(root: Path, mine: Path) -> Path:
    """Copy a notebook to where those lie that something was done to; returns the copy."""
    kept = root / BEFORE / f"{mine.stem}.{datetime.now():%Y-%m-%dT%H-%M-%S-%f}.ipynb"
    kept.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(mine, kept)
    return kept


def _write(path: Path, notebook: NotebookNode) -> None:
    validate(notebook)
    path.write_text(text(notebook), encoding="utf-8")


# --- an exercise as it was handed out ------------------------------------------------------------


def restore(root: Path, lesson: course.Lesson, name: str | None) -> Path | None:
    """Bring the cells of the exercise `name`, or without one the whole lesson, back as they were
    handed out, in the learner's folder `root`. Returns where the notebook as it was has been kept;
    None if there was none. UnreadableNotebook for one exercise of what is no notebook."""
    mine, handed_out = (folder / f"{lesson.name}.ipynb" for folder in (root, root / LESSONS))
    given = intake.read_notebook(handed_out)
    if name is None:
        kept = keep(root, mine) if mine.exists() else None
        shutil.copyfile(handed_out, mine)
        return kept
    lesson.exercise(name)  # NotInCourse, with the names there are
    notebook = intake.read_notebook(mine)
    for wanted in (name, CHECK + name):
        _restore(notebook, given, wanted)
    kept = keep(root, mine)
    _write(mine, notebook)
    return kept


def _restore(notebook: NotebookNode, given: NotebookNode, name: str) -> None:
    """One cell of nbgrader's in the learner's notebook: the first of that name as it was given, in
    place of all there are, with their texts below it."""
    (cell,) = [each for each in given.cells if grade_id(each) == name]
    had = [each for each in notebook.cells if grade_id(each) == name]
    at = notebook.cells.index(had[0]) if had else _place(notebook.cells, given.cells, cell)
    others = [each for each in notebook.cells if each not in had]
    taken = {each.id for each in others}
    texts = [each.source for each in had if each.source.strip() not in ("", cell.source.strip())]
    free = (name for number in count() if (name := f"was-{cell.id}-{number}") not in taken)
    beside = [
        _to_be_read("Before it was restored, the cell above had this text:", source, next(free))
        for source in texts
    ]
    notebook.cells = [*others[:at], cell, *beside, *others[at:]]


HANDED_IN = "handed_in"


@dataclass(frozen=True)
class HandedIn:
    """A lesson that was handed in, and what it does not answer."""

    lesson: str
    to: Path | None  # the file that is to be handed in; None: nbgrader took it
    blank: tuple[str, ...]  # exercises that nothing was written for
    verdicts: dict[str, Verdict]  # by exercise, from the visible cases alone
    problems: tuple[str, ...]  # sentences about what cannot be graded


def hand_in(root: Path, lesson: course.Lesson) -> HandedIn:
    """Hand in the lesson's notebook in the learner's folder `root`. Other notebooks there, which
    are no lesson of the course, may hold answers to this one."""
    path, copies = root / f"{lesson.name}.ipynb", {}
    known = {f"{name}.ipynb" for name in course.names(lesson.path.parent)}
    for other in sorted(root.glob("[!.]*.ipynb")):
        if other.name not in known:
            with suppress(intake.UnreadableNotebook):
                copies[other.name] = len(_answers(lesson, other)[1])
    try:
        answers, written = _answers(lesson, path)
    except intake.UnreadableNotebook as error:
        others = ", ".join(name for name, count in copies.items() if count)
        there = f" There are answers to it in {others}: call the file with yours {path.name}."
        raise LearnerError(f"{error}{there if others else ''}") from None
    blank = [each.name for each in answers if each.source is not None and each.name not in written]
    problems = [
        *(answer.problem for answer in answers if answer.problem),
        *(
            f"{name} has more answers than {path.name}, which is handed in: if it is yours, give "
            "it that name."
            for name, count in copies.items()
            if count > len(written)
        ),
    ]
    verdicts = {
        name: judge(f"{lesson.name}/{name}", source, hidden=False, sizes=False).for_learner()
        for name, source in written.items()
    }
    to = None if exchange(lesson.name) else kept_copy(root, path)
    if to is None:
        _through_the_exchange(root, path, lesson.name)
    return HandedIn(lesson.name, to, tuple(blank), verdicts, tuple(problems))


def kept_copy(root: Path, path: Path) -> Path:
    """A copy of the notebook that is handed in, in a folder that is called by the time."""
    to = root / HANDED_IN / f"{datetime.now():%Y-%m-%dT%H-%M-%S-%f}" / path.name
    to.parent.mkdir(parents=True)
    study.copy_notebook(root, path, to)
    return to


def _answers(lesson: course.Lesson, path: Path) -> tuple[tuple[intake.Answer, ...], dict[str, str]]:
    """The answers in a notebook; and by exercise the sources of those that are more than what was
    handed out."""
    answers = intake.find(intake.read_answers(path), [each.name for each in lesson.exercises])
    return answers, {
        answer.name: answer.source
        for answer in answers
        if answer.source is not None
        and not is_blank(answer.source, lesson.handed_out(lesson.exercise(answer.name)))
    }


def exchange(lesson: str) -> Path | None:
    """The course's folder in the exchange from which the lesson was handed out; None if none is
    set up here."""
    if not find_spec("nbgrader"):  # a learner's own machine
        return None
    open_nbgrader()
    from jupyter_core.application import JupyterApp
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange.default import Exchange

    # As nbgrader's own application finds its configuration, which takes long to import.
    app = JupyterApp(config_file_name="nbgrader_config")
    app.log.setLevel("ERROR")  # that there is no configuration is no news to a learner
    app.load_config_file()
    super(JupyterApp, app).load_config_file("nbgrader_config", str(Path.cwd()))
    here = CourseDirectory(config=app.config)
    shelves = Path(Exchange(coursedir=here, config=app.config).root, here.course_id)
    return shelves if here.course_id and (shelves / "outbound" / lesson).is_dir() else None


def _through_the_exchange(root: Path, path: Path, lesson: str) -> None:
    """nbgrader hands in folders, of the lesson's name."""
    with tempfile.TemporaryDirectory(prefix="warpwise-submit-") as scratch:
        folder = Path(scratch) / lesson
        folder.mkdir()
        study.copy_notebook(root, path, folder / path.name)
        ran = subprocess.run(
            [sys.executable, "-m", "nbgrader", "submit", lesson],
            cwd=scratch,
            capture_output=True,
            text=True,
            encoding="utf-8",
        )
    said = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
    unless(not ran.returncode, MachineError(f"nbgrader did not take {lesson}: {said}"))


def find_lesson(given: str) -> course.Lesson:
    """The lesson called `given`, or beginning so, as 02 does."""
    unless(
        not given.endswith(".ipynb"),
        LearnerError(f"Name the lesson, {Path(given).stem}, and not its file."),
    )
    return course.lesson(course.full_name(given))


# --- a request for a regrade ---------------------------------------------------------------------

APPEALS = "appeals"  # in a learner's folder, and in an instructor's course
IN_EXCHANGE = "grader.appeal"  # in the place of a lesson's name, so that no lesson collects it
LONGEST_TEXT = 2000  # characters


@dataclass(frozen=True)
class Appeal:
    """A request, and its answer."""

    lesson: str
    exercise: str
    why: str
    at: Annotated[str, msgspec.Meta(pattern=r"\A\d{4}-\d\d-\d\d \d\d:\d\d\Z")]  # UTC
    answer: str = ""  # an instructor's; empty: the request is open


def ask(root: Path, lesson: course.Lesson, exercise: str, why: str) -> tuple[Path, bool, bool]:
    """Write a request into the learner's folder `root` and, if the lesson came through an exchange
    of nbgrader's, put it there. Returns the file, True if it is in the exchange, and True if there
    was an earlier request."""
    name, now = lesson.exercise(exercise).name, datetime.now(UTC)
    path = root / APPEALS / f"{lesson.name}.{name}.json"
    content = msgspec.json.encode(Appeal(lesson.name, name, checked(why), f"{now:%Y-%m-%d %H:%M}"))
    shelves, is_again = exchange(lesson.name), path.exists()
    if shelves:
        from nbgrader.utils import get_username

        # Named as nbgrader names what is handed in; as there, a random end keeps others out.
        sent = shelves / (
            f"inbound/{get_username()}+{IN_EXCHANGE}+{now:%Y-%m-%d %H:%M:%S.%f} UTC"
            f"+{secrets.token_urlsafe(9)}"
        )
        whole(sent, content)
        sent.chmod(0o644)
    filed(path, content)
    return path, bool(shelves), is_again


def checked(text: str) -> str:
    """The text of a request or of an answer as it is kept, with a mark in place of each unseen
    character. LearnerError if it is empty or too long."""
    kept = unless(
        visible(encodable(text)).strip(),
        LearnerError("The text is empty: write at least one sentence."),
    )
    unless(
        len(kept) <= LONGEST_TEXT,
        LearnerError(
            f"The text has {len(kept):,} characters. Shorten it to at most {LONGEST_TEXT:,}."
        ),
    )
    return kept


def read_appeal(path: Path) -> Appeal:
    """The request in a file, which a learner may have written in any way. LearnerError if it is
    none."""
    try:
        appeal = msgspec.json.decode(intake.regular_file(path, 16 * LONGEST_TEXT), type=Appeal)
    except (OSError, ValueError):
        raise LearnerError(f"{intake.shown(path.name)} is no request for a regrade.") from None
    return replace(appeal, why=checked(appeal.why))
