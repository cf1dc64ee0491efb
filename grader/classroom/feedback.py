"""What a learner gets back: the notebook as it was graded, as a page, and the class's grades."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path

from nbgrader.api import Assignment, Comment, SubmittedAssignment, SubmittedNotebook
from nbgrader.converters import GenerateFeedback

from ..errors import MachineError
from ..submissions.submission import HANDED_IN
from . import ClassroomError
from .batch import Track
from .export import GradesExporter, marks
from .folder import CourseFolder

CACHE_KEY = "cache_key.txt"  # beside a page: a name for the notebook and the marks that it shows
WORTH_A_PROCESS = 8  # pages; a new process needs a second or two before its first


def write_all(course: CourseFolder, lesson: str, learners: list[str], track: Track) -> int:
    """Make the pages that are missing or show what is no longer so, one process a CPU. Returns how
    many."""
    now = _cache_keys(course, lesson, learners)
    late = [name for name in learners if _shown(course, lesson, name) != now[name]]
    jobs = min(os.cpu_count() or 1, len(late) // WORTH_A_PROCESS)
    if jobs < 2:
        for learner in track(late, description=f"{lesson}: feedback", total=len(late)):
            write(course, lesson, learner, now[learner])
        return len(late)
    _write_at_once(jobs, course, lesson, {name: now[name] for name in late}, track)
    return len(late)


def _write_at_once(
    jobs: int, course: CourseFolder, lesson: str, keys: dict[str, str], track: Track
) -> None:
    """Make the page of each learner in `keys`, `jobs` at a time."""
    # Ctrl-C is for the process that hands out the work.
    deaf = {"initializer": signal.signal, "initargs": (signal.SIGINT, signal.SIG_IGN)}
    with ProcessPoolExecutor(jobs, get_context("spawn"), **deaf) as pool:
        doing = [pool.submit(write, course, lesson, *one) for one in keys.items()]
        try:
            done = as_completed(doing)
            for page in track(done, description=f"{lesson}: feedback", total=len(doing)):
                page.result()
        except BrokenProcessPool as error:
            raise MachineError(
                "A process that made pages was killed, perhaps for want of memory: give the same "
                "command again, and it goes on."
            ) from error
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def write(course: CourseFolder, lesson: str, learner: str, key: str = "") -> Path:
    """Make a learner's feedback page, put it where nbgrader lets that learner, and nobody else,
    fetch it, and return where it is in the course. `key` is kept for `write_all`."""
    course.run(GenerateFeedback, lesson, learner, force=True)
    place = course.path("feedback", lesson, learner)
    _leave_only(place, {f"{lesson}.html", *HANDED_IN})
    # Only what came through the exchange has both.
    if all((place / name).is_file() for name in HANDED_IN):
        course.run(course.exchange.ReleaseFeedback, lesson, learner)
    (place / CACHE_KEY).write_text(key)
    return place / f"{lesson}.html"


def export(course: CourseFolder) -> Path:
    """Every grade of the course as CSV, as plain `nbgrader export` writes them."""
    path = course.root / "grades.csv"
    with course.gradebook() as gradebook:
        GradesExporter(config=course.config, to=str(path)).export(gradebook)
    return path


def _leave_only(folder: Path, names: set[str]) -> None:
    """nbgrader copies what else a learner handed in, a page of HTML perhaps: away with it."""
    for path in folder.iterdir():
        if path.name not in names:
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def _shown(course: CourseFolder, lesson: str, learner: str) -> str:
    """What a learner's page was made of; empty when there is no page."""
    place = course.path("feedback", lesson, learner)
    made = (place / f"{lesson}.html").is_file() and (place / CACHE_KEY).is_file()
    return (place / CACHE_KEY).read_text() if made else ""


def _cache_keys(course: CourseFolder, lesson: str, learners: list[str]) -> dict[str, str]:
    """By learner, a name for everything that the page shows: the graded notebook, the marks, and
    an instructor's comments. ClassroomError where somebody has no marks."""
    shown: dict[str, list] = {name: [] for name in learners}
    with course.gradebook() as gradebook:
        for learner, *rest in [*marks(gradebook, lesson), *_comments(gradebook, lesson)]:
            shown.get(learner, []).append(repr(rest))
    for learner, known in shown.items():
        if not known:
            raise ClassroomError(
                f"{learner}'s {lesson} is graded, but the gradebook has no marks of it: put back a "
                f"copy of gradebook.db, or run `grader autograde {lesson}`."
            )
    names = {}
    for learner in learners:
        digest = hashlib.sha256("\n".join(sorted(shown[learner])).encode())
        for path in sorted(course.path("autograded", lesson, learner).glob("*")):
            if path.is_file():
                digest.update(path.name.encode() + b"\0" + path.read_bytes())
        names[learner] = digest.hexdigest()
    return names


def _comments(gradebook, lesson: str) -> list[tuple]:
    """Learner, cell and text of each comment."""
    return (
        gradebook.db.query(SubmittedAssignment.student_id, Comment.cell_id, Comment.comment)
        .select_from(Comment)
        .join(SubmittedNotebook, SubmittedNotebook.id == Comment.notebook_id)
        .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
        .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
        .filter(Assignment.name == lesson, Comment.comment.isnot(None))
        .all()
    )
