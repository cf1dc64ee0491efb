"""A class's submissions of one lesson: judged, and entered in the gradebook.

First every distinct source is judged, many at a time, and its verdict kept (see `store`). Then one
writer enters the submissions, a handful at a time (see `entering`), and finds the verdicts ready. A
submission whose marks are up to date is passed over, so that a run that was stopped goes on where
it was, and one that was not changes nothing.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from .. import course as lessons
from ..errors import GradebookBusy, LearnerError
from . import (
    ClassroomError,
    changes,
    counting,
    coursefile,
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
from .entering import Entering
from .entering import open_for as entering_of
from .folder import CourseFolder, shipped
from .grading import Grading, Work
from .grading import of as grading_of
from .judges import Judges, judges

Track = Callable[..., Iterable[Any]]  # rich's track(steps, description=..., total=...)

LOCK = "autograde.lock"
LISTS = ("sanitize_preprocessors", "autograde_preprocessors")  # in the second nbgrader executes
HANDFUL = 25  # submissions whose marks go to the disk at once
BUSY_FOR = 6  # times that SQLite waits its five seconds for somebody else to leave the gradebook


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
    found = lessons.lesson(lesson, course.kernels)
    with alone(course):
        coursefile.settle(course)
        with _judges(workers) as there:
            release.require_solved(course, found, there)
            before = changes.record(course, lesson)  # what was done by hand since
            grading = grading_of(course, found)
            learners = counting.everybody(grading.file, lesson, learners)
            works = _works(grading, learners, there, track, force)
            _judge(grading, works.values(), there, track, force)
        stuck = _enter_all(grading, works, track)
        extra_credit.apply(course, grading.file, lesson)
        lateness.apply(course)
        changes.record(course, lesson, before)
        by_hand = _by_hand(course, lesson)
        graded = [_graded(course, lesson, one, by_hand, one in works) for one in learners]
        return [stuck.get(one.learner) or one for one in graded]


# --- reading -------------------------------------------------------------------------------------


def _works(
    grading: Grading, learners: list[str], there: Judges, track: Track, force: bool
) -> dict[str, Work]:
    """What counts for each whose marks are not up to date, with `force` for all. Where that is the
    best of several attempts, all of them are judged."""
    course, file, lesson = grading.course, grading.file, grading.lesson
    read: dict[Path, Work] = {}
    if file.plan(lesson).attempts == BEST:
        tried = {path for one in learners for path in attempts(course, file, lesson, one)}
        read = {path: work for path in sorted(tried) if (work := grading.work(path))}
        _judge(grading, read.values(), there, track, force=False)
    worth = _worth(grading, read)
    found = {}
    for learner in learners:
        folder = counting.counting(course, file, lesson, learner, partial(worth, learner))
        known = "" if force else grading.known(learner)
        work = read.get(folder) or grading.work(folder, known)
        if work and work.fingerprint != known:
            read[folder] = work  # a team's
            found[learner] = grading.instead(learner, work)
    return found


def _worth(
    grading: Grading, read: dict[Path, Work]
) -> Callable[[str, Path, datetime | None], float]:
    """The points of a learner's attempt, its lateness taken off without any late days."""
    file, lesson = grading.file, grading.lesson
    most = sum(release.points(file, lessons.lesson(lesson, grading.course.kernels)).values())
    optional = {f"{lesson}/{name}" for name in file.plan(lesson).optional}

    def worth(learner: str, folder: Path, when: datetime | None) -> float:
        found = [grading.store.find(one) for one in grading.questions(read[folder])]
        floors = grading.floors(learner, read[folder])
        score = sum(
            max(one.points, floors.get(one.exercise.partition("/")[2], 0.0))
            for one in found
            if one and one.exercise not in optional
        )
        tried = HandIn(lesson, when, score, most)
        ((_, standing),) = standings(replace(file, late_days=0), learner, [tried])
        return score - (standing.penalty or 0.0)

    return worth


# --- judging -------------------------------------------------------------------------------------


def _judge(
    grading: Grading, works: Iterable[Work], there: Judges, track: Track, force: bool
) -> None:
    """Have every distinct source judged whose verdict is not known, with `force` all."""
    asked = dict.fromkeys(one for work in works for one in grading.questions(work))
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


def _enter_all(grading: Grading, works: dict[str, Work], track: Track) -> dict[str, Graded]:
    """Enter the marks of each; of whom that could not be done, and why."""
    names, stuck = list(works), {}
    handfuls = [names[start : start + HANDFUL] for start in range(0, len(names), HANDFUL)]
    with grading.course.gradebook() as gradebook:
        entering = entering_of(grading, gradebook)
        done = track(handfuls, description=f"{grading.lesson}: grading", total=len(handfuls))
        for handful in done:
            try:
                entering.enter({learner: works[learner] for learner in handful})
            except (ClassroomError, LearnerError, GradebookBusy):  # whose, is to be found out
                for learner in handful:
                    if why := _enter(entering, learner, works[learner]):
                        stuck[learner] = Graded(learner, {}, (why,))
    return stuck


def _enter(entering: Entering, learner: str, work: Work) -> str:
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


def _by_hand(course: CourseFolder, lesson: str) -> dict[str, list[str]]:
    """By learner, the marks given by hand that have met another one of the judge's since."""
    found: dict[str, list[str]] = {}
    with course.gradebook() as gradebook:
        for mark in export.marks(gradebook, lesson):
            if said := export.overridden(mark):
                found.setdefault(mark.learner, []).append(said)
    return found


def _graded(
    course: CourseFolder, lesson: str, learner: str, by_hand: dict[str, list[str]], new: bool
) -> Graded:
    exercises = verdicts.read(course.path("autograded", lesson, learner))
    problems = [kept["problem"] for kept in exercises.values() if new and kept["problem"]]
    problems += by_hand.get(learner, [])
    return Graded(learner, exercises, tuple(dict.fromkeys(problems)))


# --- who may grade, and what ---------------------------------------------------------------------


@contextmanager
def alone(course: CourseFolder) -> Iterator[None]:
    """Two at once would get into each other's way: the second is told so. The lock is SQLite's, on
    a file without a table, as that is one on every system; it goes with the process, however that
    ends."""
    with closing(sqlite3.connect(course.root / LOCK, timeout=0, isolation_level=None)) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise ClassroomError(
                "Another `grader autograde` is at work in this course; wait until it is done."
            ) from error
        yield


def _require_judge(course: CourseFolder) -> None:
    """Under a config that leaves nbgrader its own way, it would run learners' Python; and further
    steps of somebody's own would be gone by formgrader's button, and not here."""
    found, ours = course.config.Autograde, shipped().Autograde
    if any(found.get(name) != ours[name] for name in LISTS):
        raise ClassroomError(
            "This nbgrader_config.py would have nbgrader execute learners' notebooks, or go steps "
            "that are not the course's: it must set Autograde's two lists of preprocessors as the "
            "course's own nbgrader_config.py does."
        )
