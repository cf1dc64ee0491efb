"""A class's submissions of one lesson: judged, and entered in the gradebook.

First every distinct source is judged, many at a time, and its verdict kept (see `judges`). Then one
writer enters the submissions, a handful at a time (see `entering`), and finds the verdicts ready. A
submission whose marks are up to date is passed over, so that a run that was stopped goes on where
it was, and one that was not changes nothing.

A lesson is graded again first without consequences: whose mark would change, from what to what, and
why. The trial is a real grading in a copy of the course, so that it cannot be another one.

Marks entered in the gradebook, as nbgrader's own autograde step enters them.

That step opens the gradebook ten times for a submission and checks each notebook eight times, which
takes ten times as long as everything here; it reads a submission's rows one by one and goes to the
disk three times per learner. What it would do under the course's own config is little: our two
preprocessors make the notebook (see `plugin`), and what stands in its check cells goes into the
gradebook, in one transaction for many learners. formgrader's button still goes nbgrader's way, and
tests/classroom/test_entering.py holds one beside the other, file by file and row by row.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

import nbformat
from nbgrader import utils
from nbgrader.api import (
    Comment,
    Grade,
    Gradebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    new_uuid,
)
from sqlalchemy import func, or_, select
from sqlalchemy.dialects.sqlite import insert

from .. import course as lessons
from ..course.weave import grade_id, text
from ..errors import LearnerError, unless
from ..submissions.intake import STAMP
from ..whole_files import filed, linked, whole
from . import ClassroomError, changes, coursefile, export, handing_out, rubric, verdicts
from .collecting import Graded
from .folder import CourseFolder, alone, explained, shipped
from .grading import Grading, SubmittedWork, grading_of, settle
from .judges import Judges, Track, judges
from .planning import HandIn, attempts, counting, everybody, standings
from .plugin import Marking, fill, released_pairs, take

_STUDENTS, _SUBMITTED, _NOTEBOOKS, _GRADES, _COMMENTS = (
    table.__table__ for table in (Student, SubmittedAssignment, SubmittedNotebook, Grade, Comment)
)
_OF_CELL = ("cell_id", "notebook_id")  # by which the gradebook knows a grade or a comment
_NEW_COMMENTS, _NEW_GRADES = insert(_COMMENTS), insert(_GRADES)
_NEW_COMMENTS = _NEW_COMMENTS.on_conflict_do_update(
    _OF_CELL, set_={"auto_comment": _NEW_COMMENTS.excluded.auto_comment}
)
_NEW_GRADES = _NEW_GRADES.on_conflict_do_update(
    _OF_CELL,
    set_={
        "auto_score": _NEW_GRADES.excluded.auto_score,
        "needs_manual_grade": or_(
            _NEW_GRADES.excluded.needs_manual_grade, _GRADES.c.manual_score.is_not(None)
        ),
    },
)


@dataclass(frozen=True)
class MarkedNotebook:
    """A submission with its marks."""

    notebook: str  # the file's text
    kept: bytes  # the content of the file of verdicts
    scores: Mapping[str, float | None]  # by check cell; None: it could not be judged
    blank: frozenset[str]  # solution cells that are as handed out


class Entering:
    """The way of one run into the gradebook, which the caller holds open. What learners hand in
    alike is marked once."""

    def __init__(self, grading: Grading, gradebook: Gradebook):
        name = grading.lesson
        self.grading, self.gradebook, self.db = grading, gradebook, gradebook.db
        self.lesson = lessons.lesson(name, grading.course.kernels)
        self.pairs = released_pairs(gradebook, name)
        released = gradebook.find_notebook(name, name)
        self.assignment, self.notebook = released.assignment_id, released.id
        self.checksums = {cell.name: cell.checksum for cell in released.source_cells}
        self.checks = {cell.name: cell.id for cell in released.grade_cells}
        self.answers = {cell.name: cell.id for cell in released.solution_cells}
        rows = self.db.execute(
            select(_SUBMITTED.c.student_id, _SUBMITTED.c.id, _NOTEBOOKS.c.id)
            .join(_NOTEBOOKS, _NOTEBOOKS.c.assignment_id == _SUBMITTED.c.id)
            .where(_NOTEBOOKS.c.notebook_id == released.id)
        )
        # By learner the ids of the submission and of its notebook.
        self.submitted = {learner: (submission, book) for learner, submission, book in rows}
        self._marked: dict[tuple[str, Marking], MarkedNotebook] = {}
        self._lies: dict[str, tuple[Path, int]] = {}  # by notebook's text: where, inode

    def enter(self, works: Mapping[str, SubmittedWork]) -> None:
        """Write the graded notebooks, by learner, then all their marks, then that both are there:
        whoever is stopped in between begins these submissions anew. MachineError, or ClassroomError
        when that failed for one of these alone, and then for none of them is anything saved."""
        lesson, course = self.grading.lesson, self.grading.course
        with explained(lesson):
            places = {learner: course.path("autograded", lesson, learner) for learner in works}
            marked = {learner: self._mark(work) for learner, work in works.items()}
            for learner, work in works.items():
                self._write(places[learner], marked[learner], work.beside)
            try:
                for learner, work in works.items():
                    self._save(learner, marked[learner], work)
                self.db.commit()
            except BaseException:
                self.db.rollback()
                raise
            for learner, work in works.items():
                verdicts.complete(places[learner], work.fingerprint, work.had)

    # --- notebooks -------------------------------------------------------------------------------

    def _mark(self, work: SubmittedWork) -> MarkedNotebook:
        same = (work.notebook, work.marking)
        if same in self._marked:
            return self._marked[same]
        notebook = nbformat.reads(work.notebook, as_version=4)
        kept = fill(
            notebook,
            self.lesson,
            take(notebook, deepcopy(self.pairs), work.marking.unreadable),
            lambda exercise, source: self.grading.store.verdict(
                self.grading.question(exercise, source, work.marking)
            ),
            work.marking,
        )
        scores, blank = {}, set()
        for cell in filter(grade_id, notebook.cells):
            name = grade_id(cell)
            cell.metadata.nbgrader["checksum"] = self.checksums[name]
            if utils.is_grade(cell):
                scores[name] = verdicts.mark_of(cell)
            elif cell.metadata.nbgrader["checksum"] == utils.compute_checksum(cell):
                blank.add(name)
        self._marked[same] = MarkedNotebook(
            text(notebook), verdicts.packed(kept), scores, frozenset(blank)
        )
        return self._marked[same]

    def _write(self, place: Path, marked: MarkedNotebook, beside: dict[str, str]) -> None:
        """All that nbgrader leaves of a submission in autograded/, and nothing of an earlier one.
        Of notebooks that are alike in all, as those of a team, there is one on the disk."""
        if place.exists():
            shutil.rmtree(place)
        filed(place / verdicts.FILE, marked.kept, verdicts.READ_ONLY)
        for name, content in beside.items():
            whole(place / name, content, verdicts.READ_ONLY)
        path = place / f"{self.grading.lesson}.ipynb"
        twin, inode = self._lies.get(marked.notebook, (path, 0))
        # Somebody may have had the other graded anew meanwhile, with formgrader's button.
        if not (twin.exists() and twin.stat().st_ino == inode and linked(path, twin)):
            whole(path, marked.notebook, verdicts.READ_ONLY)
            self._lies[marked.notebook] = path, path.stat().st_ino

    # --- rows of the gradebook -------------------------------------------------------------------

    def _save(self, learner: str, marked: MarkedNotebook, work: SubmittedWork) -> None:
        """Tell the gradebook of a submission, in place of an earlier one. A mark given by hand
        stays, and waits for a look. Where nbgrader may not make students, a learner must be
        known."""
        if self.grading.course.config.Autograde.get("create_student", True):
            self.db.execute(insert(_STUDENTS).on_conflict_do_nothing(), {"id": learner})
        else:
            self.gradebook.find_student(learner)
        submission, book = self.submitted.setdefault(learner, (new_uuid(), new_uuid()))
        stamp, new = work.beside.get(STAMP, "").strip(), insert(_SUBMITTED)
        new = new.on_conflict_do_update(
            ["id"],
            set_={"timestamp": func.coalesce(new.excluded.timestamp, _SUBMITTED.c.timestamp)},
        )
        self.db.execute(
            new,
            {
                "id": submission,
                "timestamp": utils.parse_utc(stamp) if stamp else None,
                "assignment_id": self.assignment,
                "student_id": learner,
            },
        )
        self.db.execute(
            insert(_NOTEBOOKS).on_conflict_do_nothing(),
            {"id": book, "assignment_id": submission, "notebook_id": self.notebook},
        )
        if self.checks:
            self.db.execute(
                _NEW_GRADES,
                [
                    {
                        "auto_score": marked.scores[name],
                        "needs_manual_grade": marked.scores[name] is None,
                        "notebook_id": book,
                        "cell_id": cell,
                    }
                    for name, cell in self.checks.items()
                ],
            )
            self.db.execute(
                _NEW_COMMENTS,
                [
                    {
                        "auto_comment": "No response." if name in marked.blank else None,
                        "notebook_id": book,
                        "cell_id": cell,
                    }
                    for name, cell in self.answers.items()
                ],
            )


HANDFUL = 25  # submissions whose marks go to the disk at once


def autograde(
    course: CourseFolder,
    lesson: str,
    learners: list[str],
    workers: Judges | None = None,
    track: Track = lambda steps, **_: steps,
    force: bool = False,
) -> list[Graded]:
    """Grade the submissions that are not up to date, with `force` all, and return all. What is
    wrong with a notebook is said when it is graded, and not again. An unreadable notebook gets a
    sentence and no mark; marks given by hand stay; lateness is as due dates and policy say now.
    `workers` judge; by default one a CPU."""
    # Under a config that leaves nbgrader its own way, it would run learners' Python; and further
    # steps of somebody's own would be gone by formgrader's button, and not here.
    config, ours = course.config.Autograde, shipped().Autograde
    unless(
        all(
            config.get(name) == ours[name]
            for name in ("sanitize_preprocessors", "autograde_preprocessors")  # the latter executes
        ),
        ClassroomError(
            "This nbgrader_config.py would have nbgrader execute learners' notebooks, or go steps "
            "that are not the course's: it must set Autograde's two lists of preprocessors as the "
            "course's own nbgrader_config.py does."
        ),
    )
    about = lessons.lesson(lesson, course.kernels)
    with alone(course):
        coursefile.settle(course)
        with judges() if workers is None else nullcontext(workers) as there:
            handing_out.require_solved(course, about, there)
            before = changes.record(course, lesson)  # what was done by hand since
            grading = grading_of(course, about)
            learners = everybody(grading.file, lesson, learners)
            judge = partial(_judge, grading, there, track)
            works = _works(grading, learners, judge, force)
            judge(works.values(), force)
        stuck = _enter_all(grading, works, track)
        settle(course, lesson, before)
        with course.gradebook() as gradebook:
            marked = export.by_learner(gradebook, lesson)
        graded = []
        for learner in learners:
            exercises = verdicts.read(course.path("autograded", lesson, learner))
            problems = dict.fromkeys(
                (
                    *(kept["problem"] for kept in exercises.values() if learner in works),
                    # Marks by hand that have met another one of the judge's since.
                    *(mark.note for mark in marked.get(learner, ())),
                )
            )
            graded.append(
                stuck.get(learner) or Graded(learner, exercises, tuple(filter(None, problems)))
            )
        return graded


def _works(
    grading: Grading,
    learners: list[str],
    judge: Callable[[Iterable[SubmittedWork], bool], None],
    force: bool,
) -> dict[str, SubmittedWork]:
    """The work that counts for each whose marks are not up to date, with `force` for all. Where
    that is the best of several attempts, all of them are judged."""
    course, file, lesson = grading.course, grading.file, grading.lesson
    read: dict[Path, SubmittedWork] = {}
    if file.plan(lesson).attempts == coursefile.BEST:
        tried = {path: name for name in learners for path in attempts(course, file, lesson, name)}
        read = {path: work for path in sorted(tried) if (work := grading.work(path, tried[path]))}
        judge(read.values(), False)
    worth, works = _worth(grading, read), {}
    for learner in learners:
        folder = counting(course, file, lesson, learner, partial(worth, learner))
        known = "" if force else grading.known(learner)
        work = read.get(folder) or grading.work(folder, learner, known)
        if work and work.fingerprint != known:
            read[folder] = work  # a team's
            works[learner] = grading.instead(learner, work)
    return works


def _worth(
    grading: Grading, read: dict[Path, SubmittedWork]
) -> Callable[[str, Path, datetime | None], float]:
    """The points of a learner's attempt, its lateness taken off without any late days."""
    file, lesson = grading.file, grading.lesson
    most = sum(handing_out.points(file, lessons.lesson(lesson, grading.course.kernels)).values())
    optional = {f"{lesson}/{name}" for name in file.plan(lesson).optional}

    def worth(learner: str, folder: Path, when: datetime | None) -> float:
        floors = dict(verdicts.floors(grading.course, lesson, learner, read[folder].answers))
        score = sum(
            max(verdict.points, floors.get(verdict.exercise.partition("/")[2], 0.0))
            for verdict in map(grading.store.find, grading.questions(read[folder]))
            if verdict and verdict.exercise not in optional
        )
        ((_, late),) = standings(
            replace(file, late_days=0), learner, [HandIn(lesson, when, score, most)]
        )
        return score - (late.penalty or 0.0)

    return worth


def _judge(
    grading: Grading, there: Judges, track: Track, works: Iterable[SubmittedWork], force: bool
) -> None:
    """Have every distinct source judged whose verdict is not known, with `force` all."""
    asked = [question for work in works for question in grading.questions(work)]
    there.ask(
        grading.store,
        dict.fromkeys(asked) if force else grading.store.unsettled(asked),
        track,
        f"{grading.lesson}: judging",
    )


def _enter_all(
    grading: Grading, works: dict[str, SubmittedWork], track: Track
) -> dict[str, Graded]:
    """Enter the marks of each; of whom that could not be done, and why."""
    names, stuck = list(works), dict[str, Graded]()
    with grading.course.gradebook() as gradebook:
        entering = Entering(grading, gradebook)
        for handful in track(
            [names[start : start + HANDFUL] for start in range(0, len(names), HANDFUL)],
            description=f"{grading.lesson}: grading",
        ):
            try:
                entering.enter({learner: works[learner] for learner in handful})
            except (ClassroomError, LearnerError):  # whose, is to be found out
                stuck |= {
                    learner: Graded(learner, {}, (why,))
                    for learner in handful
                    if (why := _enter(entering, learner, works[learner]))
                }
    return stuck


def _enter(entering: Entering, learner: str, work: SubmittedWork) -> str:
    """Enter one submission's marks. When that fails for this one alone, why; another CourseError
    when it would fail for others too."""
    try:
        entering.enter({learner: work})
    except (ClassroomError, LearnerError) as error:
        return f"The submission could not be graded ({error})."
    return ""


# --- once more -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Regraded:
    """The outcome of a grading."""

    graded: list[Graded]  # everybody's, as it is then
    changes: list[changes.MarkChange]  # those that changed a mark
    # By learner the lesson's points before and after, of those who had marks before; lateness is
    # taken off, and None is no mark.
    totals: dict[str, tuple[float | None, float | None]]

    @property
    def changed(self) -> set[str]:
        """The learners who had marks, and have others now."""
        return {change.learner for change in self.changes} & self.totals.keys()

    @property
    def reasons(self) -> list[str]:
        """Why, each once and in few words."""
        said = (
            changes.LATENESS if change.what == changes.LATENESS else change.why
            for change in self.changes
            if change.learner in self.totals
        )
        return list(dict.fromkeys(one.partition(":")[0] for why in said for one in why.split("; ")))

    def difference(self, learner: str) -> float:
        before, after = self.totals[learner]
        return (after or 0.0) - (before or 0.0)


def regrade(
    course: CourseFolder,
    lesson: str,
    learners: list[str],
    workers: Judges,
    track: Track,
    lowers: bool = False,
) -> Regraded:
    """Grade again what is not up to date. What that changed is in the log then. With `lowers` marks
    that feedback has shown may fall."""
    for learner in learners if lowers else ():
        verdicts.forget_shown(course, lesson, learner)
    return watched(course, lesson, lambda: autograde(course, lesson, learners, workers, track))


def watched(course: CourseFolder, lesson: str, grade: Callable[[], list[Graded]]) -> Regraded:
    """The changes that `grade` makes in the lesson's marks."""
    before = changes.now(course, lesson)
    graded, after = grade(), changes.now(course, lesson)
    had, have = changes.totals(before), changes.totals(after)
    return Regraded(
        graded,
        [each for each in changes.between(before, after) if each.before != each.after],
        {name: (had[name], have.get(name)) for name in had},
    )


@contextmanager
def trial(course: CourseFolder, lesson: str) -> Iterator[CourseFolder]:
    """The course as a folder of its own, for a `regrade` that changes nothing but verdicts that are
    kept: what grading writes is copied, what it reads is shared."""
    coursefile.read(course)  # what is wrong with it is said of the course's own file
    with tempfile.TemporaryDirectory(prefix="regrade-", dir=course.root) as name:
        folder = Path(name)
        for what in (
            *("gradebook.db", coursefile.FILE, changes.FILE, rubric.FILE, rubric.LOG),
            *("source", "release"),
        ):
            _copy(course.root / what, folder / what)
        # Nothing in these is changed by grading but verdicts added.
        for what in ("submitted", "verdicts"):
            (course.root / what).mkdir(exist_ok=True)
            try:
                (folder / what).symlink_to(course.root / what)
            except OSError:  # which Windows leaves to administrators
                shutil.copytree(course.root / what, folder / what)
        for learner in course.learners("autograded", lesson):
            for step in ("autograded", "feedback"):
                # What was graded is only ever replaced, so it need not be there twice.
                _copy(
                    course.path(step, lesson, learner), folder / step / learner / lesson, link=True
                )
        yield course.configured(CourseDirectory={"root": str(folder)})


def _copy(source: Path, to: Path, link: bool = False) -> None:
    """A file, or all files of a folder. The first error is raised as it is; shutil's own would have
    them all in a list, without their numbers."""
    for path in filter(Path.is_file, source.rglob("*") if source.is_dir() else [source]):
        place = to / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not (link and linked(place, path)):
            shutil.copy2(path, place)
