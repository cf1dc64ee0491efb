"""A course folder (source, release, submitted, autograded, feedback, gradebook.db) and nbgrader's
steps in it, configured by the one nbgrader_config.py that JupyterLab's formgrader reads too."""

import getpass
import hashlib
import logging
import os
import re
import secrets
import sqlite3
import sys
import warnings
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import traitlets.log
from nbgrader.api import Gradebook
from nbgrader.auth import Authenticator
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange import ExchangeFactory
from traitlets.config.loader import Config, PyFileConfigLoader

from .. import course
from ..course.authors import blamed, shown
from ..course_folder import CHOICE, WARPWISE
from ..errors import CourseError, MachineError, of_the_machine, unless
from ..submissions.intake import is_name
from ..whole_files import filed
from . import ClassroomError

CONFIG = course.KERNELS.with_name("nbgrader_config.py")
PATIENCE = 30  # seconds that SQLite waits for somebody else to leave the gradebook

_ELSEWHERE = """\
# The same course in this folder.
from pathlib import Path

c = get_config()
load_subconfig({name!r}, path={folder!r})
course = Path(__file__).parent
c.CourseDirectory.root = str(course)
c.Exchange.root = str(course / "exchange")
c.Exchange.cache = str(course / "cache")
c.JudgeAnswers.secret_file = str(course / "secret")
c.JudgeAnswers.kernels = {kernels!r}
"""

_OF_ITS_OWN = """\
# How nbgrader sees this course; JupyterLab's formgrader and `grader` both read it.
from pathlib import Path

from grader.course_folder import WARPWISE

c = get_config()
load_subconfig("nbgrader_config.py", path=str(WARPWISE))
here = Path(__file__).parent
course = here / "build"
c.CourseDirectory.course_id = {name!r}
c.CourseDirectory.root = str(course)
c.Exchange.root = str(course / "exchange")  # for a class, a folder that everybody can write to
c.Exchange.cache = str(course / "cache")
c.JudgeAnswers.secret_file = str(course / "secret")
c.JudgeAnswers.kernels = str({lessons} / "kernels")
"""


@dataclass(frozen=True)
class CourseFolder:
    """Everything nbgrader needs to know, as read from a config file."""

    config: Config

    @property
    def root(self) -> Path:
        return Path(self.config.CourseDirectory.root)

    @property
    def shelves(self) -> Path:
        """The exchange's folder: outbound/LESSON to fetch from, inbound/ to hand in to."""
        return Path(self.config.Exchange.root, self.config.CourseDirectory.course_id)

    @property
    def exchange(self) -> ExchangeFactory:
        """The exchange's steps, each a class: ReleaseAssignment, Collect, ReleaseFeedback..."""
        return ExchangeFactory(config=self.config)

    @property
    def secret_file(self) -> Path:
        """Where the secret lies from which hidden cases are drawn."""
        return Path(self.config.JudgeAnswers.secret_file)

    @property
    def kernels(self) -> Path:
        return Path(self.config.JudgeAnswers.get("kernels", course.KERNELS))

    def path(self, step: str, lesson: str, learner: str = ".") -> Path:
        """The folder of a submission ("submitted", "autograded", "feedback") or, without a
        learner, of a lesson ("source", "release")."""
        return self.root / step / learner / lesson

    def notebook(self, step: str, lesson: str, learner: str = ".") -> Path:
        return self.path(step, lesson, learner) / f"{lesson}.ipynb"

    def learners(self, step: str, lesson: str) -> list[str]:
        """The learners who have a folder for `lesson` in this step."""
        return list(filter(is_name, self.folders(step, lesson)))

    def folders(self, step: str, lesson: str) -> list[str]:
        """The names of their folders, and of those beside them that no learner can have."""
        return sorted(path.parent.name for path in self.root.glob(f"{step}/*/{lesson}"))

    def inbound(self, lesson: str) -> dict[Path, tuple[str, str]]:
        """The folders in the exchange that nbgrader would collect, without those that were put
        aside: the learner and the time that are in the name, LEARNER+LESSON+TIME+ANYTHING."""
        return {
            folder: (learner, when)
            for folder in sorted((self.shelves / "inbound").glob(f"[!.]*+{lesson}+*"))
            for learner, _, when, *_ in [[*folder.name.rsplit("+", 3), "", ""]]
        }

    def gradebook(self) -> Gradebook:
        """Made if there is none, as in a clone in which nothing was released yet."""
        self.root.mkdir(parents=True, exist_ok=True)
        self._require_whole_gradebook()
        where = CourseDirectory(config=self.config)
        longer = f"?timeout={PATIENCE}" if re.fullmatch("sqlite:[^?]*", where.db_url) else ""
        return Gradebook(where.db_url + longer, where.course_id)

    def _require_whole_gradebook(self) -> None:
        """SQLite makes of a file with nothing in it a new gradebook, in which nobody has marks."""
        path = self.root / "gradebook.db"
        unless(
            not path.is_file() or path.stat().st_size,
            MachineError(
                "gradebook.db is damaged, there is nothing in it: put back a copy of it or, if "
                "nobody has marks yet, delete it."
            ),
        )

    def run(self, step: type, lesson: str, learner: str = "*", **options: object) -> None:
        """Run one of nbgrader's converters or exchange steps; `options` are its traits.
        When it fails, a CourseError: ours if one of ours was raised in it, MachineError if the
        machine was the cause, else ClassroomError with what nbgrader said."""
        self._require_whole_gradebook()
        where = CourseDirectory(config=self.config, assignment_id=lesson, student_id=learner)
        doing = step(coursedir=where, config=self.config, **options)
        if hasattr(doing, "authenticator"):
            doing.authenticator = Authenticator(config=self.config)
        with explained(lesson):
            doing.start()

    def configured(self, **changes: dict[str, object]) -> "CourseFolder":
        """The same course with some options changed, e.g. Exchange={"root": ...}."""
        config = deepcopy(self.config)  # Config.copy() shares what is nested
        config.merge(Config(changes))
        return CourseFolder(config)


def open_course(config_file: Path | None = None) -> CourseFolder:
    """The course that `config_file` describes; as for nbgrader itself, that is by default the
    nbgrader_config.py in the current folder, if that is about the chosen lessons. Where there is
    none it is that of the course which `grader --course` names, or of the clone around here."""
    if config_file is not None:
        return _read(config_file)
    if (nearest := Path.cwd() / CONFIG.name).is_file() and nearest.parent != WARPWISE.resolve():
        here = _read(nearest)
        kernels = here.config.JudgeAnswers.get("kernels", WARPWISE / "kernels")
        if not os.environ.get(CHOICE) or Path(kernels).absolute() == course.KERNELS:
            return here
    return _read(own(CONFIG))


def own(path: Path) -> Path:
    """The file or folder right in a course's folder, if a command may write there: what came with
    the grader is written to only in a clone, by who stands in it or names it."""
    ours, here = WARPWISE.resolve(), Path(os.environ.get(CHOICE) or Path.cwd()).resolve()
    is_there = (ours / "pyproject.toml").is_file() and here.is_relative_to(ours)
    return unless(
        path if CONFIG.is_file() and (is_there or path.parent.resolve() != ours) else None,
        ClassroomError(
            f"{here} holds no course that this command can change. Make a new folder: `grader "
            "--course FOLDER new` makes it a course of the public lessons, and `grader --course "
            "FOLDER new 01_name` one of your own lessons. Then give the command there."
        ),
    )


def _read(config_file: Path) -> CourseFolder:
    """The course that a config describes; AuthorError or ClassroomError says what is wrong with it,
    for it is Python, and instructors change it."""
    with blamed(config_file):
        config = PyFileConfigLoader(config_file.name, str(config_file.parent)).load_config()
    for section, name in (
        ("CourseDirectory", "course_id"),
        ("CourseDirectory", "root"),
        ("Exchange", "root"),
        ("Exchange", "cache"),
        ("JudgeAnswers", "secret_file"),
    ):
        unless(
            isinstance(config[section].get(name), str),
            ClassroomError(
                f"{shown(config_file)} does not set c.{section}.{name}, or not to a text: set it "
                "as the course's own nbgrader_config.py does, or load that one first."
            ),
        )
    return CourseFolder(config)


def shipped() -> Config:
    """The config that every course begins with."""
    return _read(WARPWISE / CONFIG.name).config


def begin(course_files: Path, public: bool = False) -> bool:
    """Write the config of a course that is kept in a folder of its own, unless it has one: with
    lessons of its own, or with the `public` ones where they are."""
    config_file = course_files / CONFIG.name
    if config_file.exists():
        return False
    config_file.write_text(
        _OF_ITS_OWN.format(
            name=re.sub(r"[^\w.-]+", "_", course_files.name),
            lessons="WARPWISE" if public else "here",
        ),
        encoding="utf-8",
    )
    return True


def new_course(root: Path, kernels: Path = course.KERNELS) -> CourseFolder:
    """A course of its own in `root`; JupyterLab started there shows it in formgrader."""
    config_file, usual = root / CONFIG.name, str(CONFIG.parent)
    filed(config_file, _ELSEWHERE.format(name=CONFIG.name, folder=usual, kernels=str(kernels)))
    return open_course(config_file)


def user() -> str:
    """The name of whoever gave the command."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user without a name
        return "unknown"


# --- the course's secret -------------------------------------------------------------------------


def seed(secret_file: Path, exercise_id: str) -> int:
    """The official seed of an exercise, below 2**48, the same for the whole class; makes the secret
    when there is none yet."""
    return int.from_bytes(
        hashlib.sha256(f"{secret(secret_file)}\n{exercise_id}".encode()).digest()[:6], "big"
    )


def secret(path: Path) -> str:
    """The course's secret, made when there is none yet. MachineError when it is damaged."""
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            filed(draft, secrets.token_hex(32), 0o600)
            # Linking is atomic: who comes second, perhaps in another process, keeps the first's.
            with suppress(FileExistsError):
                os.link(draft, path)
        finally:
            draft.unlink(missing_ok=True)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise MachineError(
            f"{path} is damaged: put back a copy of it, as another secret gives other hidden cases."
        ) from error


# --- nbgrader at work ----------------------------------------------------------------------------


class _Complaints(logging.Handler):
    """All that nbgrader logs as errors, and the exceptions that it was handling then: those that it
    raises in the end only say "see above"."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.said: list[str] = []
        self.handled: list[BaseException] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage().strip())
        if (handled := sys.exception()) is not None:
            self.handled.append(handled)

    def explained(self, lesson: str, error: Exception) -> CourseError:
        """The cause of `error`; else the last line of the first traceback that was logged, or the
        first complaint."""
        for cause in (*self.handled, error):
            if isinstance(cause, CourseError):
                return cause
            if known := of_the_machine(cause):
                return known
        tracebacks = [said for said in self.said if said.startswith("Traceback")]
        reason = [*tracebacks, *self.said, str(error)][0].splitlines()[-1]
        return ClassroomError(f"{lesson}: {reason}")


@contextmanager
def explained(lesson: str) -> Iterator[None]:
    """Have what goes wrong in here, where nbgrader is at work on `lesson`, raised as a
    CourseError."""
    complaints, nbgrader = _Complaints(), traitlets.log.get_logger()
    logs = (
        nbgrader if isinstance(nbgrader, logging.Logger) else nbgrader.logger,
        logging.getLogger("tornado.application"),
    )
    for log in logs:
        log.addHandler(complaints)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of nbgrader's own code and of old notebooks
            yield
    except Exception as error:  # nbgrader and what it calls raise many kinds
        raise complaints.explained(lesson, error) from error
    finally:
        for log in logs:
            log.removeHandler(complaints)


@contextmanager
def alone(course: CourseFolder, patience: float = 0, command: str = "autograde") -> Iterator[None]:
    """Keep a second `command` out, as the two would get into each other's way: it is told so after
    it has waited for `patience` seconds. The lock is SQLite's, on a file without a table, as that
    is one on every system; it goes with the process, however that ends."""
    with closing(
        sqlite3.connect(course.root / f"{command}.lock", timeout=patience, isolation_level=None)
    ) as lock:
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            raise ClassroomError(
                f"Another `grader {command}` is at work in this course; wait until it is done."
            ) from error
        yield
