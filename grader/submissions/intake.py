"""The answers in a learner's notebook: source texts, found by the cells' grade_id or by their
`%%cuda NAME`, those to questions by `%%answer NAME`. None of them is run here.

Whatever is wrong with the notebook becomes one sentence, and costs no other exercise anything. A
file is read piece by piece without what its cells printed: whatever its size, memory holds one
piece and what is left of the file.

A source text that somebody hands in: of a `%%cuda NAME` cell, or of a file.

JupyterLab numbers the lines of a cell from its first, which is the magic's. So a cell's source is
the cell with a blank line in place of the magic's: whatever is said of line 5 of it, by compiler,
simulated GPU, judge or feedback, is said of line 5 of the cell. This is the one place that knows.

What a learner handed in for a lesson, as far as anything here reads it: three regular files of
a bounded size. Nothing else in the folder is opened or copied, so that no pipe, device or odd file
of one learner's can stop the grading of a class.
"""

import hashlib
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
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, ValidationError, from_dict, reads, validate
from nbformat.validator import normalize

from ..course.weave import CHECK, grade_id
from ..cuda.errors import encodable
from ..errors import LearnerError, unless
from . import open_nbgrader

STAMP, SECRET = HANDED_IN = ("timestamp.txt", "submission_secret.txt")  # nbgrader's own
LONGEST_NAME, MOST_NAMES = 60, 3  # of other notebooks: characters, and how many are named
MOST_READ = 10  # notebooks of one folder
LONGEST_NOTE = 1000  # bytes of one of these
STRANGE = (
    "The submission holds something that is no file (a link, a pipe, a device), and is not "
    "opened: hand in real files."
)

WorkedOn = Callable[[NotebookNode], int]  # how many answers a notebook has that were not handed out


@dataclass(frozen=True)
class Submission:
    """A notebook that was handed in, with what lay beside it."""

    name: str  # of the notebook's file
    content: bytes  # of that file, without outputs
    refused: str  # why the file cannot be read; empty when it can
    beside: dict[str, str]  # what nbgrader put there, by name
    remark: str  # what is wrong with that, or with the notebook's name
    others: tuple[str, ...] = ()  # the notebooks of other names there, which nobody grades
    known: str = ""  # a digest of the whole file, outputs and all, and of the others' names

    def notebook(self) -> NotebookNode:
        """All that can be graded or shown of the notebook: each cell's text, pictures and grade_id.
        UnreadableNotebook when there is nothing."""
        unless(not self.refused, UnreadableNotebook(self.refused))
        notebook = parse_notebook(self.name, self.content)
        notebook.metadata = from_dict({})
        for cell in notebook.cells:
            name = grade_id(cell)
            cell.metadata = from_dict({"nbgrader": {"grade_id": name}} if name else {})
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        return notebook


def read(folder: Path, lesson: str, worked_on: WorkedOn | None = None) -> Submission:
    """The submission in `folder`, whatever lies there. Of several notebooks, or of one with another
    name, the one counts that was `worked_on` most; without that, only LESSON.ipynb does."""
    name, content, refused, remarks = f"{lesson}.ipynb", b"", "", []
    beside: dict[str, str] = {}
    if not only_files(folder):
        return Submission(name, content, STRANGE, beside, "", (), _digest(STRANGE).hexdigest())
    # But for what nbgrader put there and what is hidden, as what Jupyter keeps for itself.
    files = [
        path.as_posix()
        for path in sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
        if path.as_posix() not in HANDED_IN and not any(part.startswith(".") for part in path.parts)
    ]
    # Some browsers put .txt or .json behind it when they save one.
    notebooks = [
        path for path in files if re.search(r"\.ipynb(\.txt|\.json)?$", path, re.IGNORECASE)
    ]
    others = _named([path for path in notebooks if path != name])
    chosen = _most_worked_on(folder, notebooks, name, worked_on) if others and worked_on else name
    if chosen != name:
        remarks = [f"{shown(chosen)} counts, because the work is in it. Next time, name it {name}."]
        others = ()
    known = _digest("", others)
    try:
        content = read_file(folder / chosen, known.update)
    except UnreadableNotebook as error:
        refused = str(error)
        if files and not (folder / name).exists():
            advice = (
                f" instead: hand it in as {name}" if others else ": hand in the notebook itself"
            )
            refused += f" The folder holds {', '.join(others or _named(files))}{advice}."
        known = _digest(refused, others)
    if (stamp := note(folder / STAMP)) and time_of(stamp):
        beside[STAMP] = stamp
    elif stamp != "":
        remarks.append(
            "When it was handed in is not known: its timestamp.txt is not as nbgrader writes it."
        )
    if secret := note(folder / SECRET):
        beside[SECRET] = secret
    return Submission(name, content, refused, beside, " ".join(remarks), others, known.hexdigest())


def _digest(refused: str, others: tuple[str, ...] = ()) -> "hashlib._Hash":
    return hashlib.sha256(repr((refused, others)).encode())


def shown(name: str) -> str:
    """A file's name as it can stand in a sentence."""
    return repr(name)[1:-1][:LONGEST_NAME]


def _named(names: list[str]) -> tuple[str, ...]:
    """The first few, and how many there are more."""
    listed = tuple(map(shown, names[:MOST_NAMES]))
    return (*listed, f"{len(names) - MOST_NAMES} more") if names[MOST_NAMES:] else listed


def _most_worked_on(folder: Path, notebooks: list[str], name: str, worked_on: WorkedOn) -> str:
    """The one of the folder's notebooks with the most work in it: `name` rather than another, a
    newer one rather than an older."""
    work: dict[str, int] = {}
    by_age = sorted(notebooks, key=lambda path: (path == name, (folder / path).stat().st_mtime))
    for path in by_age[-MOST_READ:]:
        work[path] = 0
        with suppress(UnreadableNotebook):
            work[path] = worked_on(read_answers(folder / path))
    best = max(reversed(work), key=work.__getitem__)
    return best if work[best] > 0 else name


def only_files(folder: Path) -> bool:
    """True if a submission is a folder that holds nothing but folders and regular files, and can
    be read. Whoever opened a link would be led to files that its learner has no right to read;
    whoever opened a pipe might wait forever."""
    left = [folder]
    with suppress(OSError):
        while left:
            path = left.pop()
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                left += path.iterdir()
            elif not stat.S_ISREG(mode) or not os.access(path, os.R_OK):
                return False
        return folder.is_dir()
    return False


def note(path: Path) -> str | None:
    """The text of a small file; empty when there is none, None when it is anything else."""
    if not os.path.lexists(path):
        return ""
    try:
        return regular_file(path, LONGEST_NOTE).decode("ascii")
    except (OSError, ValueError):
        return None


def handed_in_at(folder: Path) -> datetime | None:
    """The time that nbgrader wrote beside a submission, in UTC; None if there is none."""
    return time_of(note(folder / STAMP) or "")


def time_of(text: str) -> datetime | None:
    """The time, in UTC, when something was handed in; None if nbgrader could not have written this
    for one."""
    # As nbgrader writes it; what it would make of other texts depends on the day, or other files.
    if not re.fullmatch(
        r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?( [A-Za-z]{1,6}| [+-]\d{4})?", text.strip()
    ):
        return None
    open_nbgrader()
    from nbgrader.utils import parse_utc  # here: it takes long, and most ask for no time

    with suppress(ValueError, OverflowError):
        return parse_utc(text.strip())  # type: ignore[no-any-return]
    return None


def is_name(learner: str) -> bool:
    """True if this can be a learner's id: letters of any script, digits and . _ - @ +, with a
    letter or digit first."""
    # A login or a number, or an e-mail address. nbgrader takes it for a pattern and for a folder,
    # and spreadsheets take what begins with = + - @ for a formula.
    return (
        len(learner) <= 100
        and bool(re.fullmatch(r"\w[\w.@+-]*(?: [\w.@+-]+)*", learner))
        and learner.isprintable()
    )


def cuda_source(cell: str) -> str:
    """The CUDA source in the text of a cell; of one without the magic, the text itself."""
    # The magic's line, and blank ones before it.
    match = re.match(r"\s*%%(?:cuda|answer)\b[^\n]*(?:\n|\Z)", cell)
    return below_magic(cell[match.end() :], match[0].count("\n")) if match else cell


def as_typed(source: str, name: str) -> str:
    """The source as the cell of exercise `name` shows it: with the magic's line."""
    return f"%%cuda {name}{source}" if source.startswith("\n") else source


def below_magic(body: str, lines: int = 1) -> str:
    """The source of which `body` is what stands below the magic, after so many lines."""
    return "\n" * lines + body


LONGEST_FILE = 2 << 30  # bytes
LONGEST_NOTEBOOK = 32 << 20  # bytes of a notebook without its outputs
PIECE = 1 << 20  # bytes read at once
MOST_PARTS = 100_000  # lists and objects in its JSON; a cell has a few
OUTPUTS = ("outputs", "widgets")  # keys of a notebook's JSON, widgets those of its metadata

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
    return parse_notebook(
        path.name, _explained(path, lambda: regular_file(path, LONGEST_NOTEBOOK), advice)
    )


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
        return without((*OUTPUTS, "attachments"), _pieces(path), LONGEST_NOTEBOOK)

    return _explained(
        path, content, "delete the cells that you do not need, save it and hand in that file"
    )


def _explained(path: Path, content: Callable[[], bytes], advice: str) -> bytes:
    """The `content` of a notebook's file; what goes wrong as an UnreadableNotebook."""
    try:
        return content()
    except (FileNotFoundError, NotADirectoryError):
        raise UnreadableNotebook(f"There is no notebook {path.name} here.") from None
    except OSError as error:
        raise UnreadableNotebook(f"{path.name} cannot be opened: {error.strerror}.") from None
    except ValueError as error:
        bare = " without its outputs" if isinstance(error, LongFile) else ""
        raise UnreadableNotebook(
            f"{path.name} has more than {LONGEST_NOTEBOOK >> 20} MB{bare}: {advice}."
        ) from None


def regular_file(path: Path, most: int) -> bytes:
    """The content of a regular file; nothing else is opened. FileNotFoundError when there is
    none, ValueError when it has more than `most` bytes."""
    content = b""
    for piece in _pieces(path):
        content += piece
        unless(len(content) <= most, ValueError(path))
    return content


def _pieces(path: Path, seen: Callable[[bytes], object] = len) -> Iterator[bytes]:
    def opened(path: str, flags: int) -> int:
        if sys.platform != "win32":  # which has neither, nor pipes among its files
            flags |= os.O_NOFOLLOW | os.O_NONBLOCK  # if something else is there by now
        return os.open(path, flags)

    unless(stat.S_ISREG(path.lstat().st_mode), FileNotFoundError(path))
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
        unless(size <= most, LongFile())
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
        unless(len(left) <= most, LongFile())
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
    # Without strings of JSON, closed or not, so that every text is read once.
    plain = re.sub(rb'"(?:[^"\\]++|\\.)*+"?', b"", content, flags=re.DOTALL)
    unless(
        plain.count(b"[") + plain.count(b"{") <= MOST_PARTS,
        UnreadableNotebook(
            f"{name} consists of more than {MOST_PARTS:,} parts: clear its outputs, delete the "
            "cells you do not need, save it and hand in that file."
        ),
    )
    notebook: NotebookNode
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about missing cell ids, which are made good
            _, notebook = normalize(
                reads(encodable(json.dumps(json.loads(content), ensure_ascii=False)), as_version=4)
            )
        validate(notebook, relax_add_props=True)
        return notebook
    except ValidationError as error:
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
        magic = re.compile(rf"\s*%%(?:cuda|answer)[ \t]+{re.escape(name)}[ \t]*(?:\n|\Z)")
        places = [
            index
            for index, cell in cells.items()
            if cell.cell_type == "code" and not grade_id(cell) and magic.match(cell.source)
        ]
    if not places:
        return Answer(name, problem=f"The cell for {name} is missing from the notebook.")
    if len({cuda_source(cells[index].source).strip() for index in places}) > 1:
        return Answer(
            name,
            problem=f"The notebook has {len(places)} cells for {name} with different code in "
            "them, so none can be graded: keep one and delete the others.",
            cell=places[0],
            unreadable=True,
        )
    source = cuda_source(cells[places[0]].source)
    several = f"The notebook has {len(places)} cells for {name}, all alike; one of them counts."
    return (
        Answer(name, source, several if len(places) > 1 else "", places[0])
        if source.strip()
        else Answer(name, problem=f"The cell for {name} is empty.", cell=places[0])
    )
