"""Handing in: through nbgrader's exchange where the lesson was handed out there, else as a file."""

import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

from .. import course
from ..errors import LearnerError, MachineError
from ..judge import Verdict, judge
from ..judge.arrangement import is_blank
from ..submissions import intake, open_nbgrader

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
    problems = [answer.problem for answer in answers if answer.problem]
    problems += [
        f"{name} has more answers than {path.name}, which is handed in: if it is yours, give it "
        "that name."
        for name, count in copies.items()
        if count > len(written)
    ]
    verdicts = {
        name: judge(f"{lesson.name}/{name}", source, hidden=False, sizes=False).for_learner()
        for name, source in written.items()
    }
    to = None
    if _is_released(lesson.name):
        _through_the_exchange(path, lesson.name)
    else:
        to = root / HANDED_IN / f"{datetime.now():%Y-%m-%dT%H-%M-%S}" / path.name
        to.parent.mkdir(parents=True)
        shutil.copyfile(path, to)
    return HandedIn(lesson.name, to, tuple(blank), verdicts, tuple(problems))


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


def _is_released(lesson: str) -> bool:
    """True if an exchange is set up here from which the lesson was handed out."""
    if not find_spec("nbgrader"):  # a learner's own machine
        return False
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
