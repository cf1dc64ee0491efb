"""A class's submissions of one lesson: judged, and entered in the gradebook.

First every distinct source is judged, many at a time, and its verdict kept (see `store`). Then one
writer takes the submissions through nbgrader's own step, one after the other, which finds the
verdicts ready. A submission whose marks are up to date is passed over, so that a run that was
stopped goes on where it was, and one that was not changes nothing.
"""

from __future__ import annotations

import fcntl
import hashlib
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from nbformat import v4
from nbgrader.api import MissingEntry
from nbgrader.converters import Autograde
from sqlalchemy.exc import OperationalError

from ..judge import Verdict
from ..weave import text
from . import ClassroomError, intake, submission, verdicts
from .collecting import Graded
from .folder import CourseFolder
from .intake import UnreadableNotebook
from .judges import answer, judges
from .secret import seed
from .store import Question, Store
from .submission import Submission

Track = Callable[..., Iterable]  # rich's track(steps, description=..., total=...)

LOCK = "autograde.lock"
_FULL = ("No space left", "disk is full")
BUSY_FOR = 6  # times that SQLite waits its five seconds for somebody else to leave the gradebook


@dataclass(frozen=True)
class Grading:
    """A lesson being graded: the course, the store of verdicts, what each exercise's hidden cases
    are drawn from, and who has marks in the gradebook already."""

    course: CourseFolder
    lesson: str
    store: Store
    seeds: dict[str, int]
    marked: frozenset[str]


def autograde(
    course: CourseFolder,
    lesson: str,
    learners: list[str],
    workers: Executor | None = None,
    track: Track = lambda steps, **_: steps,
) -> list[Graded]:
    """Grade the submissions that are not up to date, and return all. An unreadable notebook gets
    0 points and a sentence; marks given by hand stay. `workers` judge; by default one a CPU."""
    _require_judge(course)
    with _alone(course):
        grading = _grading(course, lesson)
        late = [learner for learner in learners if not _up_to_date(grading, learner)]
        with _workers(workers) as pool:
            _judge(grading, late, pool, track)
        stuck = {}
        for learner in track(late, description=f"{lesson}: grading", total=len(late)):
            if why := _enter(grading, learner):
                stuck[learner] = Graded(learner, {}, (why,))
        return [stuck.get(name) or _graded(course, lesson, name) for name in learners]


# --- what there is to do -------------------------------------------------------------------------


def _grading(course: CourseFolder, lesson: str) -> Grading:
    store = Store(course.root / "verdicts", course.kernels)
    try:
        with course.gradebook() as gradebook:
            names = [cell.name for cell in gradebook.find_notebook(lesson, lesson).solution_cells]
            marked = {one.student.id for one in gradebook.assignment_submissions(lesson)}
    except MissingEntry as error:
        raise ClassroomError(
            f"{lesson} was never released: run `grader release {lesson}`."
        ) from error
    except OperationalError as error:
        raise _explained(ClassroomError(str(error.orig)), "the very start") from error
    secret = Path(course.config.JudgeAnswers.secret_file)
    seeds = {name: seed(secret, f"{lesson}/{name}") for name in sorted(names)}
    return Grading(course, lesson, store, seeds, frozenset(marked))


def _up_to_date(grading: Grading, learner: str) -> bool:
    """Whether the marks in the gradebook are for what lies in submitted/ now."""
    place = grading.course.path("autograded", grading.lesson, learner)
    known = verdicts.fingerprint(place)
    return learner in grading.marked and known == _fingerprint(grading, learner)


def _fingerprint(grading: Grading, learner: str) -> str:
    """A name for everything that a learner's marks hang on."""
    digest = hashlib.sha256(grading.store.edition(grading.lesson).encode())
    digest.update(repr(grading.seeds).encode())
    handed_in = _handed_in(grading.course, grading.lesson, learner)
    digest.update(repr((handed_in.refused, sorted(handed_in.beside.items()))).encode())
    digest.update(handed_in.content)
    return digest.hexdigest()


def _handed_in(course: CourseFolder, lesson: str, learner: str) -> Submission:
    return submission.read(course.path("submitted", lesson, learner), lesson)


def _questions(grading: Grading, learner: str) -> Iterator[Question]:
    """What the judge has to be asked about a submission."""
    try:
        notebook = _handed_in(grading.course, grading.lesson, learner).notebook()
    except UnreadableNotebook:
        return
    for found in intake.find(notebook, grading.seeds):
        if found.source is not None:
            exercise = f"{grading.lesson}/{found.name}"
            yield Question(exercise, found.source, grading.seeds[found.name])


# --- judging -------------------------------------------------------------------------------------


def _judge(grading: Grading, learners: list[str], pool: Executor, track: Track) -> None:
    """Have every distinct source judged whose verdict is not known."""
    asked = dict.fromkeys(one for learner in learners for one in _questions(grading, learner))
    new = [question for question in asked if not grading.store.settled(question)]
    expected, kernels = grading.store.edition(grading.lesson), grading.store.kernels
    doing = {pool.submit(answer, question, kernels, expected): question for question in new}
    finished = track(
        as_completed(doing), description=f"{grading.lesson}: judging", total=len(doing)
    )
    for done in finished:
        try:
            grading.store.keep(doing[done], done.result())
        except (OSError, RuntimeError) as error:
            raise _explained(ClassroomError(str(error)), doing[done].exercise) from error


@contextmanager
def _workers(given: Executor | None) -> Iterator[Executor]:
    if given is not None:
        yield given
        return
    with judges() as pool:
        yield pool


# --- entering ------------------------------------------------------------------------------------


def _enter(grading: Grading, learner: str) -> str:
    """Take a submission through nbgrader's own step; the judge only looks its verdicts up. When
    that fails for this one alone, why; ClassroomError when it would fail for others too."""
    course = grading.course.configured(
        JudgeAnswers={
            "judge": _known_verdict(grading.store),
            "fingerprint": _fingerprint(grading, learner),
        }
    )
    for attempt in range(BUSY_FOR):
        try:
            _autograde(course, grading.lesson, learner)
            break
        except ClassroomError as error:
            if not _of_the_course(str(error)):
                return f"The submission could not be graded ({error})."
            if "locked" not in str(error) or attempt == BUSY_FOR - 1:
                raise _explained(error, learner) from error
    return ""


def _of_the_course(error: str) -> bool:
    return any(cause in error for cause in ("locked", *_FULL))


def _explained(error: ClassroomError, learner: str) -> ClassroomError:
    kept = "What is graded stays graded; give the same command again and it goes on."
    if "locked" in str(error):
        return ClassroomError(
            f"Somebody else, perhaps formgrader, keeps the gradebook locked at {learner}. {kept}"
        )
    if any(cause in str(error) for cause in _FULL):
        return ClassroomError(f"The disk is full at {learner}: make room. {kept}")
    return ClassroomError(f"{learner}: {error} {kept}")


def _known_verdict(store: Store) -> Callable[..., Verdict]:
    """The judge's interface, answered from the store."""

    def verdict(exercise_id: str, source: str, *, seed: int, root: Path) -> Verdict:
        question = Question(exercise_id, source, seed)
        found = store.find(question)
        if found is None:  # handed in again meanwhile
            found = answer(question, root, store.edition(exercise_id.partition("/")[0]))
            store.keep(question, found)
        return found

    return verdict


def _autograde(course: CourseFolder, lesson: str, learner: str) -> None:
    """Take through nbgrader's step what can be read of a submission, and nothing else that lies in
    its folder. Where that is nothing, an empty notebook goes to the gradebook, gets 0 points, and
    says why in feedback. What was handed in stays as it is."""
    handed_in = _handed_in(course, lesson, learner)
    try:
        notebook, why = handed_in.notebook(), ""
    except UnreadableNotebook as error:
        notebook, why = v4.new_notebook(), str(error)
    with tempfile.TemporaryDirectory(prefix="reading-", dir=course.root) as folder:
        place = course.configured(
            CourseDirectory={"submitted_directory": Path(folder).name},
            TakeAnswers={"unreadable": why, "remark": handed_in.remark},
        )
        stand_in = Path(folder) / learner / lesson
        stand_in.mkdir(parents=True)
        for name, content in handed_in.beside.items():
            (stand_in / name).write_text(content)
        (stand_in / handed_in.name).write_text(text(notebook), encoding="utf-8")
        place.run(Autograde, lesson, learner, force=True)


def _graded(course: CourseFolder, lesson: str, learner: str) -> Graded:
    exercises = verdicts.read(course.path("autograded", lesson, learner))
    problems = [kept["problem"] for kept in exercises.values() if kept["problem"]]
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
        yield


def _require_judge(course: CourseFolder) -> None:
    """Under a config that leaves nbgrader its own way, it would run learners' Python."""
    steps = course.config.Autograde.get("autograde_preprocessors", [])
    if "grader.classroom.plugin.JudgeAnswers" not in steps:
        raise ClassroomError(
            "This nbgrader_config.py would have nbgrader execute learners' notebooks: it must set "
            "Autograde's two lists of preprocessors as the course's own nbgrader_config.py does."
        )
