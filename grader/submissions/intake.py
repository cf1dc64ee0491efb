"""What a learner's notebook says about each exercise: source texts, found by the cells' grade_id or
by their `%%cuda NAME`.

Whatever is wrong with the notebook becomes one sentence, and costs no other exercise anything.
"""

from __future__ import annotations

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

import nbformat
from nbformat import NotebookNode
from nbformat.validator import normalize

from ..cuda.sanitize import encodable
from ..errors import LearnerError
from .cells import cuda_source
from .without_outputs import ATTACHMENTS, OUTPUTS, TooLong, kept

LONGEST_FILE = 2 << 30  # bytes
LONGEST_NOTEBOOK = 32 << 20  # bytes of a notebook without its outputs
PIECE = 1 << 20  # bytes read at once
MOST_PARTS = 100_000  # lists and objects in its JSON; a cell has a few


# A string of JSON; closed or not, so that every text is read once.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)


class UnreadableNotebook(LearnerError):
    """The file is no notebook; the message is a sentence for whoever handed it in."""


@dataclass(frozen=True)
class Answer:
    """The learner's answer to the exercise called `name`.

    `source` is CUDA source, None when there is nothing to judge; `problem` is a sentence about
    the notebook, empty when all is well; `cell` is the index of the cell the answer is in;
    `unreadable`: that there is an answer, and no telling which.
    """

    name: str
    source: str | None = None
    problem: str = ""
    cell: int | None = None
    unreadable: bool = False


def read_notebook(path: Path) -> NotebookNode:
    """The notebook in `path`, of any format version, in the newest one, with its outputs. Raises
    UnreadableNotebook."""
    advice = "clear its outputs in JupyterLab (Edit, Clear Outputs of All Cells) and save it"
    content = _read(path, lambda: regular_file(path, LONGEST_NOTEBOOK), advice)
    return parse_notebook(path.name, content)


def read_answers(path: Path) -> NotebookNode:
    """The same without outputs, whatever their size. Raises UnreadableNotebook."""
    return parse_notebook(path.name, read_file(path))


def read_file(path: Path, seen: Callable[[bytes], object] = len) -> bytes:
    """The content of the notebook `path` without its outputs and, where that is still too long,
    without pictures in cells of text. `seen` is given the whole content, piece by piece. Raises
    UnreadableNotebook."""
    advice = "delete the cells that you do not need, save it and hand in that file"
    return _read(path, lambda: _without_outputs(path, seen), advice)


def _without_outputs(path: Path, seen: Callable[[bytes], object]) -> bytes:
    pieces = _pieces(path, seen)
    with suppress(TooLong):
        return kept(pieces, OUTPUTS, LONGEST_NOTEBOOK)
    deque(pieces, 0)  # `seen` is given the rest, too
    return kept(_pieces(path), ATTACHMENTS, LONGEST_NOTEBOOK)


def _read(path: Path, content: Callable[[], bytes], advice: str) -> bytes:
    try:
        return content()
    except (FileNotFoundError, NotADirectoryError):
        raise UnreadableNotebook(f"There is no notebook {path.name} here.") from None
    except OSError as error:
        raise UnreadableNotebook(f"{path.name} cannot be opened: {error.strerror}.") from None
    except ValueError as error:
        most = f"{LONGEST_NOTEBOOK >> 20} MB"
        most += " without its outputs" if isinstance(error, TooLong) else ""
        raise UnreadableNotebook(f"{path.name} has more than {most}: {advice}.") from None


def parse_notebook(name: str, content: bytes) -> NotebookNode:
    """The notebook in `content`, which is that of a file called `name`. Text that no file could
    hold, half a pair of surrogates, is replaced. Raises UnreadableNotebook."""
    plain = _STRING.sub(b"", content)
    if plain.count(b"[") + plain.count(b"{") > MOST_PARTS:
        raise UnreadableNotebook(
            f"{name} consists of more than {MOST_PARTS:,} parts: clear its outputs, delete the "
            "cells you do not need, save it and hand in that file."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing cell ids, which are made good
            whole = encodable(json.dumps(json.loads(content), ensure_ascii=False))
            _, notebook = normalize(nbformat.reads(whole, as_version=4))
        nbformat.validate(notebook, relax_add_props=True)
    except nbformat.ValidationError as error:
        where = "/".join(map(str, error.absolute_path))
        raise UnreadableNotebook(_damaged(name, f"what it has in {where} cannot be")) from None
    except Exception:  # converters of old formats fail in any way that Python knows
        raise UnreadableNotebook(_damaged(name, "it is not JSON as Jupyter writes it")) from None
    found: NotebookNode = notebook
    return found


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
    if not stat.S_ISREG(path.lstat().st_mode):
        raise FileNotFoundError(path)
    with open(path, "rb", opener=_opened) as file:
        for _ in range(LONGEST_FILE // PIECE):
            if not (piece := file.read(PIECE)):
                return
            seen(piece)
            yield piece
        raise TooLong


def _opened(path: str, flags: int) -> int:
    if sys.platform != "win32":  # which has neither, nor pipes among its files
        flags |= os.O_NOFOLLOW | os.O_NONBLOCK  # if something else is there by now
    return os.open(path, flags)


def _damaged(name: str, why: str) -> str:
    return f"{name} is not a notebook ({why}): save it again in JupyterLab and hand in that file."


def find(notebook: NotebookNode, names: Iterable[str]) -> tuple[Answer, ...]:
    """The answer to each exercise in `names`, from the cells whose grade_id is that name or, where
    there is none, that begin with `%%cuda NAME`."""
    return tuple(_find(notebook, name) for name in names)


def grade_id(cell: NotebookNode) -> str:
    """What nbgrader calls the cell; empty when it is none of nbgrader's or its mark is broken."""
    mark = cell.metadata.get("nbgrader")
    found = mark.get("grade_id") if isinstance(mark, dict) else None
    return found if isinstance(found, str) else ""


def _find(notebook: NotebookNode, name: str) -> Answer:
    found = [index for index, cell in enumerate(notebook.cells) if grade_id(cell) == name]
    if not found:  # other editors than Jupyter's lose nbgrader's marks, and a pasted cell has none
        magic = re.compile(rf"\s*%%cuda[ \t]+{re.escape(name)}[ \t]*(?:\n|\Z)")
        found = [
            index
            for index, cell in enumerate(notebook.cells)
            if cell.cell_type == "code" and not grade_id(cell) and magic.match(cell.source)
        ]
    sources = {cuda_source(notebook.cells[index].source).strip() for index in found}
    if not found:
        return Answer(name, problem=f"The cell for {name} is missing from the notebook.")
    if len(sources) > 1:
        problem = (
            f"The notebook has {len(found)} cells for {name} with different code in them, so none "
            "can be graded: keep one and delete the others."
        )
        return Answer(name, problem=problem, cell=found[0], unreadable=True)
    source = cuda_source(notebook.cells[found[0]].source)
    if not source.strip():
        return Answer(name, problem=f"The cell for {name} is empty.", cell=found[0])
    problem = f"The notebook has {len(found)} cells for {name}, all alike; one of them counts."
    return Answer(name, source, problem if len(found) > 1 else "", found[0])
