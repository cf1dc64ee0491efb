"""What a lesson's Python files define, and what is wrong with it in a sentence for its author. And
a new lesson that works as it stands (`grader new`)."""

import importlib.util
import re
import sys
import traceback
import types
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from ..errors import AuthorError, CourseError, unless

Defined = TypeVar("Defined")


def defined(path: Path, kind: type[Defined]) -> tuple[Defined, ...]:
    """The objects of `kind` at the module level of the file, each with fields of the types that
    `kind` declares; none if there is no such file."""
    if not path.is_file():
        return ()
    spec = importlib.util.spec_from_file_location(f"kernels.{path.parent.name}.{path.stem}", path)
    assert spec and spec.loader, "a file that ends in .py has a loader"
    module = importlib.util.module_from_spec(spec)
    with blamed(path):
        spec.loader.exec_module(module)
    found = tuple(value for value in vars(module).values() if isinstance(value, kind))
    for one in found:
        require(one, path)
    return found


def text(path: Path) -> str:
    """The text of one of a lesson's files."""
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise AuthorError(f"There is no file {shown(path)}, and the lesson needs it.") from None
    except UnicodeDecodeError:
        raise AuthorError(f"{shown(path)} is not text in UTF-8: save it as that.") from None


@contextmanager
def blamed(path: Path, doing: str = "") -> Iterator[None]:
    """Whatever the author's code in `path` raises meanwhile is said as the author's, with its
    line."""
    try:
        yield
    except CourseError:
        raise
    except SyntaxError as error:
        where = f"{shown(path)}{(error.lineno and f', line {error.lineno}') or ''}"
        raise AuthorError(f"{where}: {error.msg}".rstrip("?.") + ".") from error
    except (Exception, SystemExit) as error:
        parts = reversed(traceback.extract_tb(error.__traceback__))
        line = next((one.lineno for one in parts if one.filename == str(path)), None)
        if field := re.match(
            r"(\w+)\.__init__\(\) got an unexpected keyword argument '(\w+)'", str(error)
        ):
            raise AuthorError(_no_field(path, line or 1, *field.groups())) from error
        where = f"{shown(path)}{f', line {line}' if line else ''}{doing and f', {doing}'}"
        said = (str(error).strip().splitlines() or [""])[0][:200]
        raise AuthorError(f"{where}: {type(error).__name__}: {said}".rstrip(": .") + ".") from error


def _no_field(path: Path, begins: int, kind: str, field: str) -> str:
    """Of the call that begins on that line of the file."""
    rows = text(path).splitlines()
    line = next((n for n in range(begins, len(rows) + 1) if f"{field}=" in rows[n - 1]), begins)
    made = getattr(sys.modules["grader.course"], kind, None)
    close = get_close_matches(
        field, [one.name for one in fields(made)] if is_dataclass(made) else [], n=1
    )
    meant = f"; {close[0]!r} is like it" if close else ""
    return f"{shown(path)}, line {line}: {kind} has no field {field!r}{meant}."


def shown(path: Path) -> str:
    """A lesson's file as its author calls it: kernels/LESSON/FILE."""
    return "/".join(path.parts[-3:])


def place_of(folder: Path, name: str, case: str = "") -> str:
    """Where a lesson's folder defines the exercise called `name`, or a case of it: file and
    line."""
    return next(
        (
            at(file, name, case)
            for file in sorted(folder.glob("exercises*.py"))
            if f'name="{name}"' in text(file)
        ),
        f"{shown(folder / 'exercises.py')}: exercise {name!r}",
    )


def at(path: Path, *names: str) -> str:
    """The file, and the line that defines what has the last of `names` that it names, such as an
    exercise and a case of it; without a line where it names none of them."""
    whole = text(path)
    spelled = (
        words
        for name in filter(None, reversed(names))
        for words in (f'name="{name}"', f'name = "{name}"', f'"{name}"', f"'{name}'")
    )
    place = next((whole.index(words) for words in spelled if words in whole), None)
    line = "" if place is None else f", line {whole.count(chr(10), 0, place) + 1}"
    return f"{shown(path)}{line}"


def named_twice(things: Iterable[Any]) -> str:
    """A name that two of the things have; empty if each has its own."""
    return next(
        (name for name, times in Counter(one.name for one in things).items() if times > 1), ""
    )


# --- the fields of what is defined ---------------------------------------------------------------


Trail = tuple[tuple[str, str], ...]  # kind and name of what holds what holds a field


def require(value: Any, path: Path, trail: Trail = ()) -> None:
    """AuthorError, naming the line of `path`, unless every field of a dataclass holds what its
    annotation says, also in the dataclasses inside it; `trail` is what it stands in."""
    called = getattr(value, "name", None)
    trail = *trail, (type(value).__name__, called if isinstance(called, str) else "")
    for name, hint in _hints(value.__class__).items():
        found = getattr(value, name)
        if not _fits(found, hint):
            where = at(path, *(known for _, known in trail))
            what = ": ".join(f"{kind} {known!r}" if known else kind for kind, known in trail)
            wrong = f"{name} must be {_spelled(hint)}, not {found!r:.80}."
            if get_origin(hint) is tuple and not isinstance(found, tuple):
                wrong += " A tuple of one is written with a comma: (one,)."
            raise AuthorError(" ".join(f"{where}: {what}: {wrong}".split()))
        parts = tuple(found.values()) if isinstance(found, Mapping) else found
        for part in parts if isinstance(parts, tuple) else (parts,):
            if is_dataclass(part) and not isinstance(part, type):
                require(part, path, trail)


@cache
def _hints(kind: type) -> dict[str, object]:
    """The annotation of each field of a dataclass."""
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _fits(value: object, hint: object) -> bool:
    """Whether `value` is what an annotation says, as far as that can be told without calling it."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in args)
    if origin is tuple:
        args = args[:1] * len(value) if isinstance(value, tuple) and args[-1:] == (...,) else args
        return isinstance(value, tuple) and len(value) == len(args) and all(map(_fits, value, args))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping) and all(
            _fits(key, args[0]) and _fits(one, args[1]) for key, one in value.items()
        )
    if origin is not None:  # Callable[...]
        return callable(value)
    numbers = {int: Integral, float: Real}
    return isinstance(value, numbers.get(hint, hint) if isinstance(hint, type) else object)


def _spelled(hint: object) -> str:
    """An annotation as an author would write it, without the modules' names."""
    name = hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", name)


# ---- a new lesson ----


def write_lesson(lesson: str, kernels: Path) -> Path:
    """The folder of a new lesson, called like 20_histogram, under `kernels`. AuthorError when that
    cannot be its name, or there is one."""
    name = unless(
        re.fullmatch(r"\d\d_([a-z][a-z0-9_]*)", lesson),
        AuthorError(
            f"A lesson's name is two digits and words in small letters, as in 20_histogram; "
            f"{lesson!r:.60} is not."
        ),
    )[1]
    folder = kernels / lesson
    unless(
        not folder.exists(),
        AuthorError(f"There is a folder {lesson} already; choose another name."),
    )
    if other := next(kernels.glob(f"{lesson[:3]}*"), None):
        raise AuthorError(f"{other.name} has the number {lesson[:2]} already; choose another.")
    folder.mkdir(parents=True)
    for template, path in {
        "lesson.md": "lesson.md",
        "exercises.py": "exercises.py",
        "mistakes.toml": "mistakes.toml",
        "kernel.cu": "1_{name}.cu",
    }.items():
        text = (Path(__file__).parent / f"scaffold/{template}.txt").read_text(encoding="utf-8")
        (folder / path.format(name=name)).write_text(
            text.replace("NAME", name).replace("TITLE", name.replace("_", " ").capitalize()),
            encoding="utf-8",
        )
    return folder


def left_over(lesson: Path) -> list[str]:
    """A sentence for each text of a new lesson, made for its author, that lesson.md still has."""
    return [
        f"{shown(lesson / 'lesson.md')} still has the text of `grader new`: {said[:50]!r} ..."
        for said in text(Path(__file__).parent / "scaffold/lesson.md.txt").splitlines()
        if said[:1].isalpha() and said[:50] in text(lesson / "lesson.md")
    ]
