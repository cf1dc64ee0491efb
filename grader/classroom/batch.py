"""A class's submissions of one lesson: judged, and entered in the gradebook.

First every distinct source is judged, many at a time, and its verdict kept (see `store`). Then one
writer takes the submissions through nbgrader's own step, one after the other, which finds the
verdicts ready. A submission whose marks are up to date is passed over, so that a run that was
stopped goes on where it was, and one that was not changes nothing.
"""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from nbformat import v4
from nbgrader.converters import Autograde

from .. import course as lessons
from ..course.weave import text
from ..errors import GradebookBusy, LearnerError
from ..judge import Verdict
from ..submissions.intake import UnreadableNotebook
from . import (
    ClassroomError,
    changes,
    counting,
    export,
    extra_credit,
    lateness,
    release,
    verdicts,
)
from .collecting import Graded
from .counting import attempts
from .coursefile import BEST
from .deadlines import HandIn, standings
from .folder import CourseFolder
from .grading import Grading
from .grading import of as grading_of
from .judges import Judges, answer, judges
from .store import Question, Store

Track = Callable[..., Iterable[Any]]  # rich's track(steps, description=..., total=...)

LOCK = "autograde.lock"
READING = "reading-"  # how a folder begins in which one submission lies while it is graded
BUSY_FOR = 6  # times that SQLite waits its five seconds for somebody else to leave the gradebook


def autograde(
    course: CourseFolder,
    lesson: str,
    learners: list[str],
    workers: Judges | None = None,
    track: Track = lambda steps, **_: steps,
    force: bool = False,
) -> list[Graded]:
    """Grade the submissions that are not up to date, with `force` all, and return all. An
    unreadable notebook gets 0 points and a sentence; marks given by hand stay; lateness is as due
    dates and policy say now. `workers` judge; by default one a CPU."""
    _require_judge(course)
    found = lessons.lesson(lesson, course.kernels)
    with _alone(course):
        with _judges(workers) as there:
            release.require_solved(course, found, there)
            grading = grading_of(course, found)
            changes.record(course, lesson)  # what was done by hand since
            learners = counting.everybody(grading.file, lesson, learners)
            grading = _with_counting(grading, learners, there, track)
            late = [one for one in learners if force or not grading.up_to_date(one)]
            _judge(grading, [grading.counts[one] for one in late], there, track, force)
        stuck = _enter_all(grading, late, track)
        extra_credit.apply(course, grading.file, lesson)
        lateness.apply(course)
        changes.record(course, lesson)
        by_hand = _by_hand(course, lesson)
        return [stuck.get(one) or _graded(course, lesson, one, by_hand) for one in learners]


def _with_counting(grading: Grading, learners: list[str], there: Judges, track: Track) -> Grading:
    """The same, knowing which folder counts for whom. Where that is the best of several attempts,
    all of them are judged."""
    course, file, lesson = grading.course, grading.file, grading.lesson
    if file.plan(lesson).attempts == BEST:
        tried = (path for one in learners for path in attempts(course, file, lesson, one))
        _judge(grading, list(dict.fromkeys(tried)), there, track, force=False)
    most = sum(release.points(file, lessons.lesson(lesson, course.kernels)).values())

    def worth(learner: str, folder: Path, when: datetime | None) -> float:
        """The points of an attempt, its lateness taken off without any late days."""
        found = [grading.store.find(one) for one in grading.questions(folder)]
        optional = {f"{lesson}/{name}" for name in file.plan(lesson).optional}
        score = sum(one.points for one in found if one and one.exercise not in optional)
        tried = HandIn(lesson, when, score, most)
        ((_, standing),) = standings(replace(file, late_days=0), learner, [tried])
        return score - (standing.penalty or 0.0)

    counts = {
        one: counting.counting(course, file, lesson, one, partial(worth, one)) for one in learners
    }
    return replace(grading, counts=counts)


# --- judging -------------------------------------------------------------------------------------


def _judge(grading: Grading, folders: list[Path], there: Judges, track: Track, force: bool) -> None:
    """Have every distinct source judged whose verdict is not known, with `force` all."""
    asked = dict.fromkeys(one for folder in folders for one in grading.questions(folder))
    new = [question for question in asked if force or not grading.store.settled(question)]
    finished = there.ask(grading.store, new)
    for _ in track(finished, description=f"{grading.lesson}: judging", total=len(new)):
        pass


@contextmanager
def _judges(given: Judges | None) -> Iterator[Judges]:
    if given is not None:
        yield given
        return
    with judges() as found:
        yield found


# --- entering ------------------------------------------------------------------------------------


def _enter_all(grading: Grading, learners: list[str], track: Track) -> dict[str, Graded]:
    """Enter the marks of each; of whom that could not be done, and why."""
    stuck = {}
    for learner in track(learners, description=f"{grading.lesson}: grading", total=len(learners)):
        if why := _enter(grading, learner):
            stuck[learner] = Graded(learner, {}, (why,))
    return stuck


def _enter(grading: Grading, learner: str) -> str:
    """Take a submission through nbgrader's own step; the judge only looks its verdicts up. When
    that fails for this one alone, why; another CourseError when it would fail for others too."""
    known = {"judge": _known_verdict(grading.store), "fingerprint": grading.fingerprint(learner)}
    course = grading.course.configured(JudgeAnswers=known)
    for attempt in range(1, BUSY_FOR + 1):
        try:
            _autograde(course, grading, learner)
            break
        except GradebookBusy:
            if attempt == BUSY_FOR:
                raise
        except (ClassroomError, LearnerError) as error:
            return f"The submission could not be graded ({error})."
    return ""


def _known_verdict(store: Store) -> Callable[..., Verdict]:
    """The judge's interface, answered from the store."""

    def verdict(exercise_id: str, source: str, *, seed: int, root: Path) -> Verdict:
        question = Question(exercise_id, source, seed)
        found = store.find(question)
        if found is None:  # handed in again meanwhile
            found = answer(question, root, store.cache_key(exercise_id.partition("/")[0]))
            store.keep(question, found)
        return found

    return verdict


def _autograde(course: CourseFolder, grading: Grading, learner: str) -> None:
    """Take through nbgrader's step what can be read of a submission, and nothing else that lies in
    its folder. Where that is nothing, an empty notebook goes to the gradebook, gets 0 points, and
    says why in feedback. What was handed in stays as it is."""
    lesson = grading.lesson
    handed_in = grading.handed_in(learner)
    had, why, remark = 0.0, "", handed_in.remark
    try:
        notebook = handed_in.notebook()
    except UnreadableNotebook as error:
        if (earlier := grading.earlier(learner)) is not None:
            notebook = earlier
            remark = f"{error} What was handed in before that counts."
        else:
            notebook, had = v4.new_notebook(), grading.had(learner)
            lost = f" What was handed in before had {had:g} points, and no longer counts."
            why = f"{error}{lost if had else ''}"
    with tempfile.TemporaryDirectory(prefix=READING, dir=course.root) as folder:
        place = course.configured(
            CourseDirectory={"submitted_directory": Path(folder).name},
            TakeAnswers={"unreadable": why, "remark": remark},
            JudgeAnswers={"had": had, "others": list(handed_in.others)},
        )
        stand_in = Path(folder) / learner / lesson
        stand_in.mkdir(parents=True)
        for name, content in handed_in.beside.items():
            (stand_in / name).write_text(content)
        (stand_in / handed_in.name).write_text(text(notebook), encoding="utf-8")
        place.run(Autograde, lesson, learner, force=True)


def _by_hand(course: CourseFolder, lesson: str) -> dict[str, list[str]]:
    """By learner, the marks given by hand that have met another one of the judge's since."""
    found: dict[str, list[str]] = {}
    with course.gradebook() as gradebook:
        for mark in export.marks(gradebook, lesson):
            if said := export.overridden(mark):
                found.setdefault(mark.learner, []).append(said)
    return found


def _graded(
    course: CourseFolder, lesson: str, learner: str, by_hand: dict[str, list[str]]
) -> Graded:
    exercises = verdicts.read(course.path("autograded", lesson, learner))
    problems = [kept["problem"] for kept in exercises.values() if kept["problem"]]
    problems += by_hand.get(learner, [])
    return Graded(learner, exercises, tuple(dict.fromkeys(problems)))


# --- who may grade, and what ---------------------------------------------------------------------


@contextmanager
def _alone(course: CourseFolder) -> Iterator[None]:
    """Two at once would get into each other's way: the second is told so. The lock goes with the
    process, however that ends."""
    with (course.root / LOCK).open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ClassroomError(
                "Another `grader autograde` is at work in this course; wait until it is done."
            ) from error
        for left in course.root.glob(f"{READING}*"):  # by one that was killed
            shutil.rmtree(left, ignore_errors=True)
        yield


def _require_judge(course: CourseFolder) -> None:
    """Under a config that leaves nbgrader its own way, it would run learners' Python."""
    steps = course.config.Autograde.get("autograde_preprocessors", [])
    if "grader.classroom.plugin.JudgeAnswers" not in steps:
        raise ClassroomError(
            "This nbgrader_config.py would have nbgrader execute learners' notebooks: it must set "
            "Autograde's two lists of preprocessors as the course's own nbgrader_config.py does."
        )
