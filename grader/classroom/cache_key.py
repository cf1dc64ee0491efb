"""A name for everything that decides a mark: with another one, what was judged before no longer
counts. Nothing is listed by hand that somebody could forget to add to: which source files take
part is read from what they import, and of a lesson's folder every file counts but those that are
only to be read, shown or timed.
"""

import hashlib
import platform
from collections.abc import Iterable
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import cache
from glob import glob
from importlib import metadata
from modulefinder import ModuleFinder
from pathlib import Path
from typing import Any

from .. import compilers

PACKAGE = Path(__file__).parents[1]
KNOWN = 16  # characters of a name

_JUDGE = ("grader.judge", "grader.judge.sandbox.main")  # what decides on a source text
# What decides which text that is, and what its points become in the gradebook.
_MARKING = (
    "grader.classroom.grading",
    "grader.submissions.intake",
    "grader.classroom.verdicts",
)
_SHOWS_ONLY = "grader.notebook"  # what verdicts look like, not what they are

# Of a lesson: prose and pictures, what is only shown or timed, mistakes to try, and variants.
_NO_MARK_HANGS_ON = (
    *("*.md", "*.svg", "*.png", "*.jpg", "*.gif", "*.pyc", ".*", "wrong", "__pycache__"),
    *("benchmarks*.py", "shown.py", "measured.json", "mistakes.toml", "equivalent_mutants.toml"),
    "variants.json",
)

# As their distributions' names begin.
_LIBRARIES = ("numpy", "cupy", "cuda-", "nvidia-cuda-", "ziglang")


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
    return _grader(_MARKING)


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Name and version of Python, NumPy, CuPy, and NVIDIA's compiler, headers and runtime."""
    names = {str(each.metadata["Name"]).lower(): each for each in metadata.distributions()}
    known = {name: each.version for name, each in names.items() if name.startswith(_LIBRARIES)}
    return (("python", platform.python_version()), *sorted(known.items()))


@cache
def _of_the_judge(package: Path) -> dict[str, Any]:
    """By full name, the modules that the judge is made of, in modulefinder's form."""
    finder = ModuleFinder([str(package.parent)], excludes=[_SHOWS_ONLY])
    for name in _JUDGE:
        finder.import_hook(name)
    return finder.modules


def files_of(
    roots: Iterable[str] = (), sources: Iterable[bytes] = (), package: Path = PACKAGE
) -> list[Path]:
    """The files of the grader that the judge, the modules called `roots` and the texts `sources`
    are made of: every module that they import, wherever in its text, and all of a folder like
    judge/ or cuda/ of which one is used, as not all there is found by importing (a header, a module
    loaded by name). Of the classroom's own folder only what is imported."""
    finder = ModuleFinder([str(package.parent)], excludes=[_SHOWS_ONLY])
    finder.modules |= _of_the_judge(package)
    for name in roots:
        finder.import_hook(name)
    for source in sources:
        with suppress(SyntaxError):  # said where the lesson is opened
            finder.scan_code(compile(source, "lesson", "exec"), finder.add_module("lesson"))
    files = {Path(found) for one in finder.modules.values() if (found := vars(one)["__file__"])}
    modules = {path for path in files if path.is_relative_to(package)}
    rooms = {path.relative_to(package).parts[0] for path in modules} - {"classroom"}
    whole = (path for room in rooms for path in (package / room).rglob("*"))
    beside = (path for path in whole if path.is_file() and path.suffix != ".pyc")
    return sorted({*modules, *(path for path in beside if "__pycache__" not in path.parts)})


@cache
def _grader(roots: tuple[str, ...], sources: frozenset[bytes] = frozenset()) -> str:
    return _digest(files_of(roots, sources), PACKAGE)


def _digest(files: Iterable[Path], folder: Path) -> str:
    """SHA-256 of their names and contents, in hexadecimal digits."""
    known = ((path.relative_to(folder).as_posix(), path.read_bytes()) for path in files)
    parts = (f"{name}\0{len(content)}\0".encode() + content for name, content in known)
    return hashlib.sha256(b"".join(parts)).hexdigest()


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
