"""Handing in: through nbgrader's exchange where the lesson was handed out there, else as a file."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from .. import course
from ..errors import LearnerError, MachineError
from ..judge.blank import is_blank
from ..submissions import intake

HANDED_IN = "handed_in"


@dataclass(frozen=True)
class HandedIn:
    """`to`: the file that is to be handed in, or None when nbgrader took it. `blank` are exercises
    that nothing was written for, `problems` sentences about cells that cannot be graded."""

    lesson: str
    to: Path | None
    blank: tuple[str, ...]
    problems: tuple[str, ...]


def hand_in(root: Path, lesson: course.Lesson) -> HandedIn:
    """Hand in the lesson's notebook in the learner's folder `root`."""
    path = root / f"{lesson.name}.ipynb"
    names = [exercise.name for exercise in lesson.exercises]
    answers = intake.find(intake.read_notebook(path), names)
    blank = tuple(
        answer.name
        for answer in answers
        if answer.source is not None
        and is_blank(answer.source, lesson.handed_out(lesson.exercise(answer.name)))
    )
    problems = tuple(answer.problem for answer in answers if answer.problem)
    to = None if _released(lesson.name) else _as_file(root, path)
    if to is None:
        _through_the_exchange(path, lesson.name)
    return HandedIn(lesson.name, to, blank, problems)


def _as_file(root: Path, path: Path) -> Path:
    to = root / HANDED_IN / f"{datetime.now():%Y-%m-%dT%H-%M-%S}" / path.name
    to.parent.mkdir(parents=True)
    shutil.copyfile(path, to)
    return to


def _released(lesson: str) -> bool:
    """Whether an exchange is set up here from which the lesson was handed out."""
    if not find_spec("nbgrader"):  # a learner's own machine
        return False
    from nbgrader.apps import NbGrader
    from nbgrader.coursedir import CourseDirectory
    from nbgrader.exchange.default import Exchange

    app = NbGrader()
    app.log.setLevel("ERROR")  # that there is no configuration is no news to a learner
    app.load_config_file()
    here = CourseDirectory(config=app.config)
    root = Path(Exchange(coursedir=here, config=app.config).root)
    return bool(here.course_id) and (root / here.course_id / "outbound" / lesson).is_dir()


def _through_the_exchange(path: Path, lesson: str) -> None:
    """nbgrader hands in folders, of the lesson's name."""
    with tempfile.TemporaryDirectory(prefix="warpwise-submit-") as scratch:
        folder = Path(scratch) / lesson
        folder.mkdir()
        shutil.copyfile(path, folder / path.name)
        command = [sys.executable, "-m", "nbgrader", "submit", lesson]
        ran = subprocess.run(command, cwd=scratch, capture_output=True, text=True, encoding="utf-8")
    if ran.returncode:
        said = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise MachineError(f"nbgrader did not take {lesson}: {said}")


def find_lesson(given: str) -> course.Lesson:
    """The lesson called `given`, or beginning so, as 02 does."""
    if given.endswith(".ipynb"):
        raise LearnerError(f"Name the lesson, {Path(given).stem}, and not its file.")
    return course.lesson(course.full_name(given))
