"""A class's submissions of one lesson: judged, and entered in the gradebook.

First every distinct source is judged, many at a time, and its verdict kept (see `judges`). Then one
writer enters the submissions, a handful at a time (see `entering`), and finds the verdicts ready. A
submission whose marks are up to date is passed over, so that a run that was stopped goes on where
it was, and one that was not changes nothing.

A lesson is graded again first without consequences: whose mark would change, from what to what, and
why. The trial is a real grading in a copy of the course, so that it cannot be another one.
"""

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path

from .. import course as lessons
from ..errors import GradebookBusy, LearnerError
from ..whole_files import linked
from . import ClassroomError, changes, coursefile, export, handing_out, lateness, verdicts
from .collecting import Graded
from .entering import Entering
from .folder import CourseFolder, alone, shipped
from .grading import Grading, SubmittedWork, give_extra_credit, grading_of
from .judges import Judges, Track, judges
from .planning import HandIn, attempts, counting, everybody, standings

Total = float | None  # a lesson's points, lateness taken off; None without a mark

LISTS = ("sanitize_preprocessors", "autograde_preprocessors")  # in the second nbgrader executes
HANDFUL = 25  # submissions whose marks go to the disk at once
BUSY_FOR = 6  # times that SQLite waits its five seconds for somebody else to leave the gradebook

_COPIED = ("gradebook.db", coursefile.FILE, "source", "release")
_SHARED = ("submitted", "verdicts")  # nothing in these is changed by grading but verdicts added


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
    _require_judge(course)
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
        give_extra_credit(course, grading.file, lesson)
        lateness.apply(course)
        changes.record(course, lesson, before)
        with course.gradebook() as gradebook:
            marked = export.by_learner(gradebook, lesson)
        graded = []
        for learner in learners:
            exercises = verdicts.read(course.path("autograded", lesson, learner))
            problems = [kept["problem"] for kept in exercises.values() if learner in works]
            # Marks by hand that have met another one of the judge's since.
            problems += map(export.overridden, marked.get(learner, ()))
            said = tuple(dict.fromkeys(filter(None, problems)))
            graded.append(stuck.get(learner) or Graded(learner, exercises, said))
        return graded


def _require_judge(course: CourseFolder) -> None:
    """Under a config that leaves nbgrader its own way, it would run learners' Python; and further
    steps of somebody's own would be gone by formgrader's button, and not here."""
    config, ours = course.config.Autograde, shipped().Autograde
    if any(config.get(name) != ours[name] for name in LISTS):
        raise ClassroomError(
            "This nbgrader_config.py would have nbgrader execute learners' notebooks, or go steps "
            "that are not the course's: it must set Autograde's two lists of preprocessors as the "
            "course's own nbgrader_config.py does."
        )


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
        tried = {path for name in learners for path in attempts(course, file, lesson, name)}
        read = {path: work for path in sorted(tried) if (work := grading.work(path))}
        judge(read.values(), False)
    worth = _worth(grading, read)
    works = {}
    for learner in learners:
        folder = counting(course, file, lesson, learner, partial(worth, learner))
        known = "" if force else grading.known(learner)
        work = read.get(folder) or grading.work(folder, known)
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
        found = map(grading.store.find, grading.questions(read[folder]))
        floors = dict(verdicts.floors(grading.course, lesson, learner, read[folder].answers))
        score = sum(
            max(verdict.points, floors.get(verdict.exercise.partition("/")[2], 0.0))
            for verdict in found
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
    new = list(dict.fromkeys(asked)) if force else grading.store.unsettled(asked)
    there.ask(grading.store, new, track, f"{grading.lesson}: judging")


def _enter_all(
    grading: Grading, works: dict[str, SubmittedWork], track: Track
) -> dict[str, Graded]:
    """Enter the marks of each; of whom that could not be done, and why."""
    names, stuck = list(works), {}
    handfuls = [names[start : start + HANDFUL] for start in range(0, len(names), HANDFUL)]
    with grading.course.gradebook() as gradebook:
        entering = Entering(grading, gradebook)
        for handful in track(handfuls, description=f"{grading.lesson}: grading"):
            try:
                entering.enter({learner: works[learner] for learner in handful})
            except (ClassroomError, LearnerError, GradebookBusy):  # whose, is to be found out
                for learner in handful:
                    if why := _enter(entering, learner, works[learner]):
                        stuck[learner] = Graded(learner, {}, (why,))
    return stuck


def _enter(entering: Entering, learner: str, work: SubmittedWork) -> str:
    """Enter one submission's marks. When that fails for this one alone, why; another CourseError
    when it would fail for others too."""
    for attempt in range(1, BUSY_FOR + 1):
        try:
            entering.enter({learner: work})
            break
        except GradebookBusy:
            if attempt == BUSY_FOR:
                raise
        except (ClassroomError, LearnerError) as error:
            return f"The submission could not be graded ({error})."
    return ""


# --- once more -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Regraded:
    """The outcome of a grading."""

    graded: list[Graded]  # everybody's, as it is then
    changes: list[changes.MarkChange]  # those that changed a mark
    # By learner the lesson's points before and after, of those who had marks before.
    totals: dict[str, tuple[Total, Total]]

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

    @property
    def largest(self) -> tuple[str, Total, Total]:
        """Whose points changed most, from what to what."""
        learner = max(sorted(self.changed), key=lambda name: abs(self.difference(name)))
        return learner, *self.totals[learner]

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
    new = [each for each in changes.between(lesson, before, after) if each.before != each.after]
    return Regraded(graded, new, {name: (had[name], have.get(name)) for name in had})


@contextmanager
def trial(course: CourseFolder, lesson: str) -> Iterator[CourseFolder]:
    """The course as a folder of its own, for a `regrade` that changes nothing but verdicts that are
    kept: what grading writes is copied, what it reads is shared."""
    coursefile.read(course)  # what is wrong with it is said of the course's own file
    with tempfile.TemporaryDirectory(prefix="regrade-", dir=course.root) as name:
        folder = Path(name)
        for what in _COPIED:
            _copy(course.root / what, folder / what)
        for what in _SHARED:
            (course.root / what).mkdir(exist_ok=True)
            try:
                (folder / what).symlink_to(course.root / what)
            except OSError:  # which Windows leaves to administrators
                shutil.copytree(course.root / what, folder / what)
        for learner in course.learners("autograded", lesson):
            for step in ("autograded", "feedback"):
                # What was graded is only ever replaced, so it need not be there twice.
                own = course.path(step, lesson, learner)
                _copy(own, folder / step / learner / lesson, link=True)
        yield course.configured(CourseDirectory={"root": str(folder)})


def _copy(source: Path, to: Path, link: bool = False) -> None:
    """A file, or all files of a folder. The first error is raised as it is; shutil's own would have
    them all in a list, without their numbers."""
    files = (path for path in source.rglob("*") if path.is_file()) if source.is_dir() else [source]
    for path in files:
        if path.exists():
            place = to / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            if not (link and linked(place, path)):
                shutil.copy2(path, place)
