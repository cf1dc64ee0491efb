"""A name for everything that decides a mark: with another one, what was judged before no longer
counts. Nothing is listed by hand that somebody could forget to add to: which source files take
part is read from what they import, and of a lesson's folder every file counts but those that are
only to be read, shown or timed.
"""

import ast
import hashlib
import platform
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from functools import cache
from glob import glob
from importlib import metadata
from pathlib import Path

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
    of_grader = {
        name
        for path in _deciding(kernels / lesson)
        if path.suffix == ".py"
        for name in _imports_of(path.read_bytes(), ())
        if name.split(".")[0] == "grader"
    }
    known = repr((compilers.chosen_name(), versions())) + _grader(frozenset(_JUDGE) | of_grader)
    return hashlib.sha256(known.encode()).hexdigest()[:KNOWN]


def lesson_key(kernels: Path, lesson: str) -> str:
    """A name for the part of it that is the lesson's own files."""
    return _digest(sorted(_deciding(kernels / lesson)), kernels / lesson)[:KNOWN]


def marking() -> str:
    """A name for what decides, beside verdicts, on a mark: how answers are found in a notebook, and
    what the gradebook is told."""
    return _grader(frozenset(_MARKING))


@cache
def versions() -> tuple[tuple[str, str], ...]:
    """Name and version of Python, NumPy, CuPy, and NVIDIA's compiler, headers and runtime."""
    names = {str(each.metadata["Name"]).lower(): each for each in metadata.distributions()}
    known = {name: each.version for name, each in names.items() if name.startswith(_LIBRARIES)}
    return (("python", platform.python_version()), *sorted(known.items()))


def files_of(roots: Iterable[str], package: Path = PACKAGE) -> list[Path]:
    """The files of the grader that the modules called `roots` are made of: every module that they
    import, wherever in its text, and all of a folder like judge/ or cuda/ of which one is used,
    as not all there is found by importing (a header, a module loaded by name). Of the classroom's
    own folder only what is imported."""
    modules: dict[str, Path] = {}
    left = set(roots)
    while left:
        name = left.pop()
        parts = name.split(".")
        if parts[0] != "grader" or name in modules or f"{name}.".startswith(f"{_SHOWS_ONLY}."):
            continue
        left |= {name.rpartition(".")[0]} - {""}
        place = package.joinpath(*parts[1:])
        for path in (place / "__init__.py", place.with_suffix(".py")):
            if path.is_file():
                modules[name] = path
                here = tuple(parts if path.name == "__init__.py" else parts[:-1])
                left |= _imports_of(path.read_bytes(), here) - modules.keys()
                break
    rooms = {name.split(".")[1] for name in modules if name.count(".") > 0} - {"classroom"}
    whole = (path for room in rooms for path in (package / room).rglob("*"))
    sources = (path for path in whole if path.is_file() and path.suffix != ".pyc")
    return sorted(
        {*modules.values(), *(path for path in sources if "__pycache__" not in path.parts)}
    )


@cache
def _grader(roots: frozenset[str]) -> str:
    return _digest(files_of(sorted(roots)), PACKAGE)


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


# --- who imports whom ----------------------------------------------------------------------------


@cache
def _imports_of(source: bytes, here: tuple[str, ...]) -> frozenset[str]:
    """The modules that a source text imports, by full name; also what may be a module or a name in
    one. `here` is the package from which relative imports start."""
    found: set[str] = set()
    try:
        module = ast.parse(source)
    except SyntaxError:  # said where the lesson is opened
        return frozenset()
    for node in _statements(module):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = here[: len(here) + 1 - node.level] if node.level else ()
            source_of = ".".join([*start, *(node.module.split(".") if node.module else ())])
            found |= {source_of, *(f"{source_of}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All in it, however deep; what is no statement imports nothing, and is most of a text."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for one in getattr(node, part, ()):
            yield one
            yield from _statements(one)
