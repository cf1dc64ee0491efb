"""Verdicts on what is handed in: kept by content, and found by those who judge, so many at a time
on this machine, or the workers of a Dask cluster.

A source is judged once, however many hand it in, and however often the class is graded. Each entry
is sealed, so that one that was damaged, or written by somebody who does not know what hidden cases
are drawn from, counts as none.

An entry goes by a name for everything that decides a mark: with another one, what was judged before
no longer counts. Nothing is listed by hand that somebody could forget to add to: which source files
take part is read from what they import, and of a lesson's folder every file counts but those that
are only to be read, shown or timed.
"""

import hashlib
import os
import platform
import re
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import (
    FIRST_COMPLETED,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
    wait,
)
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import cache
from glob import glob
from importlib import metadata
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

from .. import compilers, course
from ..course import variants
from ..disk_cache import DiskCache
from ..errors import GO_ON, CourseError, MachineError, of_the_machine, unless
from ..judge import Verdict, judge
from ..judge.sandbox import landlock
from . import ClassroomError

Track = Callable[..., Iterable[Any]]  # rich's track(steps, description=..., total=...)

PATIENCE = 15  # seconds until a scheduler must have answered, or a worker be there
LOOK = 1.0  # seconds between two looks whether anybody still works
RETRIES = 2  # what a lost worker had in hand goes to so many others before it counts as lost

_ADDRESS = re.compile(r"(tcp|tls|ws|wss|ucx)://(\[[\w:%.]+\]|[\w.-]+):(\d{1,5})/?")


# --- what a verdict depends on --------------------------------------------------------------------

PACKAGE = Path(__file__).parents[1]
KNOWN = 16  # characters of a name

# Of a lesson: prose and pictures, what is only shown or timed, mistakes to try, and variants.
_NO_MARK_HANGS_ON = (
    *("*.md", "*.svg", "*.png", "*.jpg", "*.gif", "*.pyc", ".*", "wrong", "__pycache__"),
    *("benchmarks*.py", "shown.py", "measured.json", "mistakes.toml", "equivalent_mutants.toml"),
    *("variants.json", "operations.toml"),
)


def cache_key(kernels: Path, lesson: str) -> str:
    """A name for all that the verdicts on answers to a lesson depend on: the judge with all it is
    made of, what the lesson's files import of the grader, those files, and the versions of Python,
    NumPy and the CUDA compiler with its headers."""
    return hashlib.sha256(
        f"{judge_key(kernels, lesson)} {lesson_key(kernels, lesson)}".encode()
    ).hexdigest()[:KNOWN]


def judge_key(kernels: Path, lesson: str) -> str:
    """A name for the part of it that is not the lesson's own."""
    own = (path.read_bytes() for path in _deciding(kernels / lesson) if path.suffix == ".py")
    known = repr((compilers.chosen_name(), versions())) + _grader((), frozenset(own))
    return hashlib.sha256(known.encode()).hexdigest()[:KNOWN]


def lesson_key(kernels: Path, lesson: str) -> str:
    """A name for the part of it that is the lesson's own files."""
    return _digest(sorted(_deciding(kernels / lesson)), kernels / lesson)[:KNOWN]


def marking() -> str:
    """A name for what decides, beside verdicts, on a mark: how answers are found in a notebook, and
    what the gradebook is told."""
    return _grader(
        ("grader.classroom.grading", "grader.submissions.intake", "grader.classroom.verdicts")
    )


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Name and version of Python, NumPy, CuPy, and NVIDIA's compiler, headers and runtime."""
    names = {str(each.metadata["Name"]).lower(): each for each in metadata.distributions()}
    known = {
        name: each.version
        for name, each in names.items()
        # As their distributions' names begin.
        if name.startswith(("numpy", "cupy", "cuda-", "nvidia-cuda-", "ziglang"))
    }
    return (("python", platform.python_version()), *sorted(known.items()))


@cache
def _of_the_judge(package: Path) -> ModuleFinder:
    """Has found the modules that the judge is made of. What lies beside the grader, where it is
    installed, is left out: its versions count, and the finder fails on a namespace package. So is
    grader.notebook: what verdicts look like, not what they are."""
    beside = (path.name.partition(".")[0] for path in package.parent.iterdir() if path != package)
    finder = ModuleFinder([str(package.parent)], excludes=["grader.notebook", *beside])
    for name in ("grader.judge", "grader.judge.sandbox.main"):
        finder.import_hook(name)
    return finder


def files_of(
    roots: Iterable[str] = (), sources: Iterable[bytes] = (), package: Path = PACKAGE
) -> list[Path]:
    """The files of the grader that the judge, the modules called `roots` and the texts `sources`
    are made of: every module that they import, wherever in its text, and all of a folder like
    judge/ or cuda/ of which one is used, as not all there is found by importing (a header, a module
    loaded by name). Of the classroom's own folder only what is imported."""
    finder = deepcopy(_of_the_judge(package))
    for name in roots:
        finder.import_hook(name)
    for source in sources:
        with suppress(SyntaxError):  # said where the lesson is opened
            finder.scan_code(compile(source, "lesson", "exec"), finder.add_module("lesson"))
    files = {Path(found) for one in finder.modules.values() if (found := vars(one)["__file__"])}
    modules = {path for path in files if path.is_relative_to(package)}
    rooms = {path.relative_to(package).parts[0] for path in modules} - {"classroom"}
    return sorted(
        modules.union(
            path
            for room in rooms
            for path in (package / room).rglob("*")
            if path.is_file() and path.suffix != ".pyc" and "__pycache__" not in path.parts
        )
    )


@cache
def _grader(roots: tuple[str, ...], sources: frozenset[bytes] = frozenset()) -> str:
    return _digest(files_of(roots, sources), PACKAGE)


def _digest(files: Iterable[Path], folder: Path) -> str:
    """SHA-256 of their names and contents, in hexadecimal digits."""
    known = ((path.relative_to(folder).as_posix(), path.read_bytes()) for path in files)
    return hashlib.sha256(
        b"".join(f"{name}\0{len(content)}\0".encode() + content for name, content in known)
    ).hexdigest()


def _deciding(folder: Path) -> list[Path]:
    """The files of a lesson's folder that a mark can depend on."""
    return [
        folder / name
        for name in glob("**", root_dir=folder, recursive=True)  # noqa: PTH207, links are followed
        if (folder / name).is_file()
        and not any(
            fnmatchcase(part, pattern) for part in Path(name).parts for pattern in _NO_MARK_HANGS_ON
        )
    ]


# --- verdicts that are kept, and who judges -------------------------------------------------------


@dataclass(frozen=True)
class ToJudge:
    """A question to the judge: is this source an answer to that exercise?"""

    exercise: str  # LESSON/NAME
    source: str
    seed: int  # what hidden cases are drawn from
    anew: str = ""  # JSON of the variant, where the learner has one


@dataclass(frozen=True)
class VerdictStore:
    """A folder of verdicts for the lessons under `kernels`, as they were when first asked about."""

    folder: Path
    kernels: Path
    partial_marks: bool = True  # without, verdicts are given without what a named fault leaves
    _keys: dict[object, str] = field(default_factory=dict, compare=False, repr=False)

    def find(self, question: ToJudge) -> Verdict | None:
        """The verdict that has been kept, if there is one."""
        key, secret = self._entry(question)
        if (found := DiskCache(self.folder).read(key, dict, secret)) is None:
            return None
        verdict = Verdict.from_dict(found)
        return verdict if self.partial_marks else verdict.without_part()

    def verdict(self, question: ToJudge) -> Verdict:
        """The verdict that has been kept; MachineError where somebody has taken it away."""
        return unless(
            self.find(question), MachineError(f"A verdict is gone from {self.folder}. {GO_ON}")
        )

    def keep(self, question: ToJudge, verdict: Verdict) -> None:
        """Write it so that a reader sees the whole of it or nothing."""
        key, secret = self._entry(question)
        DiskCache(self.folder).add(key, verdict.to_dict(), secret)

    def unsettled(self, questions: Iterable[ToJudge]) -> list[ToJudge]:
        """Those of the questions, each once, of which there is no verdict that another machine, or
        another day, would give as well."""
        # A busy or broken machine can be the cause of these two.
        return [
            question
            for question in dict.fromkeys(questions)
            if (verdict := self.find(question)) is None
            or not {"timeout", "unsupported"}.isdisjoint(case.status for case in verdict.cases)
        ]

    def key(self, lesson: str, of: Callable[[Path, str], str] = cache_key) -> str:
        """The cache key of a lesson, or a part `of` it: found once."""
        if (of, lesson) not in self._keys:
            self._keys[of, lesson] = of(self.kernels, lesson)
        return self._keys[of, lesson]

    def _entry(self, question: ToJudge) -> tuple[str, bytes]:
        """The name of a question's entry, and its secret: nobody can tell them without the seed."""
        named = [self.key(question.exercise.partition("/")[0]), question]
        return hashlib.sha256(repr(named).encode()).hexdigest(), f"seal\n{question.seed}".encode()


# --- who judges ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judges:
    """Where `answer` is executed."""

    pool: Executor
    workers: Callable[[], int] | None = None  # how many there are now; None: always somebody
    confined: bool = True  # only where nothing that others wrote can read files

    def ask(
        self,
        store: VerdictStore,
        questions: Iterable[ToJudge],
        track: Track = lambda steps, **_: steps,
        description: str = "",
    ) -> None:
        """Have the verdict on each question found and kept in `store`, with what `track` shows of
        that. MachineError when nobody is left who could."""
        expected = {each: store.key(each.exercise.partition("/")[0]) for each in questions}
        doing = {
            self.pool.submit(answer, question, store.kernels, known, self.confined): question
            for question, known in expected.items()
        }
        for done in track(self._finished(set(doing)), description=description, total=len(doing)):
            store.keep(doing[done], _verdict(done))

    def _finished(self, left: set[Future[Verdict]]) -> Iterator[Future[Verdict]]:
        alone_since = None
        while left:
            done, left = wait(left, LOOK if self.workers else None, FIRST_COMPLETED)
            yield from done
            if done or self.workers is None or self.workers():
                alone_since = None
                continue
            alone_since = alone_since or time.monotonic()
            if time.monotonic() - alone_since > PATIENCE:
                for future in left:
                    future.cancel()
                raise MachineError(
                    "The cluster has no workers any more, and had none for "
                    f"{PATIENCE} s: start some (`dask worker`), then give the same command again. "
                    "What is judged stays judged."
                )


def _verdict(done: Future[Verdict]) -> Verdict:
    """The result; what befell a worker is said as the machine's."""
    try:
        return done.result()
    except CourseError:
        raise
    except CancelledError as error:
        raise MachineError(
            "The connection to the cluster is lost: see to its scheduler, then give the same "
            "command again. What is judged stays judged."
        ) from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # Dask's, which need not be installed
            raise MachineError(
                f"{RETRIES + 1} workers of the cluster died over the same answer: see their logs, "
                "or judge here, without --scheduler."
            ) from error
        if known := of_the_machine(error):
            raise known from error
        raise


@contextmanager
def judges(
    jobs: int | None = None, scheduler: str | None = None, confined: bool = True
) -> Iterator[Judges]:
    """Those who judge: `jobs` verdicts at a time (by default one a CPU), each in a
    process of its own anyway; or the Dask cluster behind `scheduler`, e.g. tcp://host:8786. What
    has not begun when an exception passes through is called off. Unconfined where they are to be
    `confined`, as is right for what others wrote, and this machine cannot do that."""
    if scheduler:
        with _cluster(scheduler) as workers:
            yield replace(workers, confined=confined)
        return
    if confined:
        landlock.require()
    pool = ThreadPoolExecutor(jobs or os.cpu_count())
    try:
        yield Judges(pool, confined=confined)
    finally:
        pool.shutdown(cancel_futures=True)


def answer(question: ToJudge, kernels: Path, expected: str, confined: bool) -> Verdict:
    """Judge a question by the lessons under `kernels` or, where there is no such folder, those
    of the machine this runs on. ClassroomError if they, or the grader, are not the `expected`
    cache key; Unconfined as `judges` says."""
    if confined:
        landlock.require()
    root = kernels if kernels.is_dir() else course.KERNELS
    lesson, _, name = question.exercise.partition("/")
    unless(
        cache_key(root, lesson) == expected,
        ClassroomError(
            f"A worker has another version of {lesson} or of the grader than this machine: bring "
            "both to the same version, start the workers again, then give the same command."
        ),
    )
    own = question.anew and variants.read(
        course.lesson(lesson, root, compilers.chosen_name()).exercise(name), question.anew
    )
    return replace(
        judge(own or question.exercise, question.source, seed=question.seed, root=root, steps=True),
        exercise=question.exercise,
    )


@contextmanager
def _cluster(scheduler: str) -> Iterator[Judges]:
    unless(
        (address := _ADDRESS.fullmatch(scheduler)) and int(address[3]) <= 65535,
        ClassroomError(
            f"{scheduler!a} is no address of a Dask scheduler: write --scheduler tcp://HOST:PORT."
        ),
    )
    try:
        from distributed import Client
    except ImportError as error:
        raise ClassroomError(
            "--scheduler needs Dask, which is not installed: pip install 'warpwise[cluster]'."
        ) from error
    try:
        client = Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except Exception as error:  # of sockets, of TLS, of whatever else answers there
        said = (str(error) or type(error).__name__).splitlines()[0]
        raise MachineError(f"No Dask scheduler answers at {scheduler}: {said}.") from error
    try:
        yield Judges(client.get_executor(retries=RETRIES), lambda: _workers(client))
    finally:
        with suppress(Exception):  # it may be gone by now
            client.close(timeout=LOOK)


def _workers(client: Any) -> int:
    """How many there are at this moment; none when the scheduler does not say."""
    with suppress(Exception):
        return len(client.sync(client.scheduler.ncores, callback_timeout=PATIENCE))
    return 0
