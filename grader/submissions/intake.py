"""The answers in a learner's notebook: source texts, found by the cells' grade_id or by their
`%%cuda NAME`.

Whatever is wrong with the notebook becomes one sentence, and costs no other exercise anything. A
file is read piece by piece without what its cells printed: whatever its size, memory holds one
piece and what is left of the file.
"""

import json
import os
import re
import stat
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.validator import normalize

from ..course.weave import CHECK
from ..cuda.errors import encodable
from ..errors import LearnerError
from .cells import cuda_source

LONGEST_FILE = 2 << 30  # bytes
LONGEST_NOTEBOOK = 32 << 20  # bytes of a notebook without its outputs
PIECE = 1 << 20  # bytes read at once
MOST_PARTS = 100_000  # lists and objects in its JSON; a cell has a few
OUTPUTS = ("outputs", "widgets")  # keys of a notebook's JSON, widgets those of its metadata
ATTACHMENTS = (*OUTPUTS, "attachments")  # and pictures in cells of text

# A string of JSON; closed or not, so that every text is read once.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_REST = re.compile(rb"(?:[^\"\\]++|\\.)*+", re.DOTALL)  # of a string, to its end
_PLAIN = rb'[^"\[\]{}]++|"(?:[^"\\]++|\\.)*+"'
_PAIR = rb"[\[{](?:%b)*+[\]}]" % _PLAIN
_PAIRS = rb"[\[{](?:%b|%b)*+[\]}]" % (_PLAIN, _PAIR)
# To a bracket or to a string that breaks off; lists in lists at one go, as there may be millions.
_BETWEEN = re.compile(rb"(?:%b|%b|%b)*+" % (_PLAIN, _PAIR, _PAIRS), re.DOTALL)


class UnreadableNotebook(LearnerError):
    """The file is no notebook; the message is a sentence for whoever handed it in."""


class LongFile(ValueError):
    """A file has more bytes, without its outputs, than are read."""


@dataclass(frozen=True)
class Answer:
    """A learner's answer to an exercise."""

    name: str  # the exercise's
    source: str | None = None  # CUDA; None: there is nothing to judge
    problem: str = ""  # a sentence about the notebook, empty when all is well
    cell: int | None = None  # the index of the cell that the answer is in
    unreadable: bool = False  # there is an answer, and nobody can tell which


# --- files ---------------------------------------------------------------------------------------


def read_notebook(path: Path) -> NotebookNode:
    """The notebook in `path`, of any format version, in the newest one, with its outputs. Raises
    UnreadableNotebook."""
    advice = "clear its outputs in JupyterLab (Edit, Clear Outputs of All Cells) and save it"
    content = _explained(path, lambda: regular_file(path, LONGEST_NOTEBOOK), advice)
    return parse_notebook(path.name, content)


def read_answers(path: Path) -> NotebookNode:
    """The same without outputs, whatever their size. Raises UnreadableNotebook."""
    return parse_notebook(path.name, read_file(path))


def read_file(path: Path, seen: Callable[[bytes], object] = len) -> bytes:
    """The content of the notebook `path` without its outputs and, where that is still too long,
    without pictures in cells of text. `seen` is given the whole content, piece by piece. Raises
    UnreadableNotebook."""

    def content() -> bytes:
        pieces = _pieces(path, seen)
        with suppress(LongFile):
            return without(OUTPUTS, pieces, LONGEST_NOTEBOOK)
        deque(pieces, 0)  # `seen` is given the rest, too
        return without(ATTACHMENTS, _pieces(path), LONGEST_NOTEBOOK)

    advice = "delete the cells that you do not need, save it and hand in that file"
    return _explained(path, content, advice)


def _explained(path: Path, content: Callable[[], bytes], advice: str) -> bytes:
    """The `content` of a notebook's file; what goes wrong as an UnreadableNotebook."""
    try:
        return content()
    except (FileNotFoundError, NotADirectoryError):
        raise UnreadableNotebook(f"There is no notebook {path.name} here.") from None
    except OSError as error:
        raise UnreadableNotebook(f"{path.name} cannot be opened: {error.strerror}.") from None
    except ValueError as error:
        most = f"{LONGEST_NOTEBOOK >> 20} MB"
        most += " without its outputs" if isinstance(error, LongFile) else ""
        raise UnreadableNotebook(f"{path.name} has more than {most}: {advice}.") from None


def regular_file(path: Path, most: int) -> bytes:
    """The content of a regular file; nothing else is opened. FileNotFoundError when there is
    none, ValueError when it has more than `most` bytes."""
    content = b""
    for piece in _pieces(path):
        content += piece
        if len(content) > most:
            raise ValueError(path)
    return content


def _pieces(path: Path, seen: Callable[[bytes], object] = len) -> Iterator[bytes]:
    def opened(path: str, flags: int) -> int:
        if sys.platform != "win32":  # which has neither, nor pipes among its files
            flags |= os.O_NOFOLLOW | os.O_NONBLOCK  # if something else is there by now
        return os.open(path, flags)

    if not stat.S_ISREG(path.lstat().st_mode):
        raise FileNotFoundError(path)
    with open(path, "rb", opener=opened) as file:
        for _ in range(LONGEST_FILE // PIECE):
            if not (piece := file.read(PIECE)):
                return
            seen(piece)
            yield piece
        raise LongFile


# --- JSON without some of its values -------------------------------------------------------------


def without(dropped: tuple[str, ...], pieces: Iterable[bytes], most: int) -> bytes:
    """The JSON text in `pieces`, in which each list or object that is the value of a key in
    `dropped` is empty. A text that breaks off in one of them breaks off there. LongFile when that
    has more than `most` bytes."""
    # What is dropped, from its key to its first bracket, and a stretch of text without any. A
    # string counts as read once it is known what follows it.
    key = rb'"(?:%b)"\s*+:\s*+[\[{]' % "|".join(dropped).encode()
    string = rb'(?!%b)"(?:[^"\\]++|\\.)*+"\s*+(?::\s*+)?+(?=\S)' % key
    text = re.compile(rb'(?:[^"]++|%b)*+' % string, re.DOTALL)
    parts, size = [], 0
    for part in _parts_without(re.compile(key), text, pieces, most):
        parts.append(part)
        size += len(part)
        if size > most:
            raise LongFile
    return b"".join(parts)


def _parts_without(
    key: re.Pattern[bytes], text: re.Pattern[bytes], pieces: Iterable[bytes], most: int
) -> Iterator[bytes]:
    left, depth, quoted, closing = b"", 0, False, b""
    for piece in pieces:
        left, at = left + piece, 0
        while at < len(left):
            if quoted:  # in a string of what is dropped
                at = _end(_REST, left, at)
                if left[at : at + 1] != b'"':
                    break
                at, quoted = at + 1, False
            elif depth:  # in what is dropped
                at = _end(_BETWEEN, left, at)
                bracket = left[at : at + 1]
                at, quoted = at + 1, bracket == b'"'
                depth += (bracket in (b"[", b"{")) - (bracket in (b"]", b"}"))
                if not depth:
                    yield closing
            else:
                start, at = at, _end(text, left, at)
                yield left[start:at]
                if (begins := key.match(left, at)) is None:
                    break
                yield begins[0][:-1]
                at, depth = begins.end(), 1
                closing = b"[]" if begins[0].endswith(b"[") else b"{}"
        left = left[at:]
        if len(left) > most:
            raise LongFile
    if not depth:
        yield left


def _end(pattern: re.Pattern[bytes], text: bytes, at: int) -> int:
    """The end of a match of what may match nothing."""
    match = pattern.match(text, at)
    return match.end() if match else at


# --- answers -------------------------------------------------------------------------------------


def parse_notebook(name: str, content: bytes) -> NotebookNode:
    """The notebook in `content`, which is that of a file called `name`. Text that no file could
    hold, half a pair of surrogates, is replaced. Raises UnreadableNotebook."""
    plain = _STRING.sub(b"", content)
    if plain.count(b"[") + plain.count(b"{") > MOST_PARTS:
        raise UnreadableNotebook(
            f"{name} consists of more than {MOST_PARTS:,} parts: clear its outputs, delete the "
            "cells you do not need, save it and hand in that file."
        )
    notebook: NotebookNode
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing cell ids, which are made good
            whole = encodable(json.dumps(json.loads(content), ensure_ascii=False))
            _, notebook = normalize(nbformat.reads(whole, as_version=4))
        nbformat.validate(notebook, relax_add_props=True)
        return notebook
    except nbformat.ValidationError as error:
        why = f"what it has in {'/'.join(map(str, error.absolute_path))} cannot be"
    except Exception:  # converters of old formats fail in any way that Python knows
        why = "it is not JSON as Jupyter writes it"
    raise UnreadableNotebook(
        f"{name} is not a notebook ({why}): save it again in JupyterLab and hand in that file."
    )


def find(notebook: NotebookNode, names: Iterable[str]) -> tuple[Answer, ...]:
    """The answer to each exercise in `names`, from the cells whose grade_id is that name or, where
    there is none, that begin with `%%cuda NAME`."""
    return tuple(_answer(notebook, name) for name in names)


def grade_id(cell: dict[str, Any]) -> str:
    """The name that nbgrader has for the cell; empty when it is none of nbgrader's or its mark is
    broken."""
    mark = cell["metadata"].get("nbgrader")
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else ""


def checks(cells: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The check cells among a lesson's, by the name of the exercise."""
    return {
        grade_id(cell).removeprefix(CHECK): cell
        for cell in cells
        if grade_id(cell).startswith(CHECK)
    }


def _answer(notebook: NotebookNode, name: str) -> Answer:
    cells = dict(enumerate(notebook.cells))
    places = [index for index, cell in cells.items() if grade_id(cell) == name]
    if not places:  # other editors than Jupyter's lose nbgrader's marks, and a pasted cell has none
        magic = re.compile(rf"\s*%%cuda[ \t]+{re.escape(name)}[ \t]*(?:\n|\Z)")
        places = [
            index
            for index, cell in cells.items()
            if cell.cell_type == "code" and not grade_id(cell) and magic.match(cell.source)
        ]
    if not places:
        return Answer(name, problem=f"The cell for {name} is missing from the notebook.")
    if len({cuda_source(cells[index].source).strip() for index in places}) > 1:
        problem = (
            f"The notebook has {len(places)} cells for {name} with different code in them, so none "
            "can be graded: keep one and delete the others."
        )
        return Answer(name, problem=problem, cell=places[0], unreadable=True)
    source = cuda_source(cells[places[0]].source)
    if not source.strip():
        return Answer(name, problem=f"The cell for {name} is empty.", cell=places[0])
    problem = f"The notebook has {len(places)} cells for {name}, all alike; one of them counts."
    return Answer(name, source, problem if len(places) > 1 else "", places[0])
