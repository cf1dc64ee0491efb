"""What a learner handed in for a lesson, as far as anything here reads it: three regular files of
a bounded size. Nothing else in the folder is opened or copied, so that no pipe, device or odd file
of one learner's can stop the grading of a class."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode, from_dict

from . import intake
from .intake import UnreadableNotebook

STAMP, SECRET = HANDED_IN = ("timestamp.txt", "submission_secret.txt")  # nbgrader's own
LONGEST_NAME, MOST_NAMES = 60, 3  # of other notebooks: characters, and how many are named
MOST_READ = 10  # notebooks of one folder
LONGEST_NOTE = 1000  # bytes of one of these
STRANGE = (
    "The submission holds something that is no file (a link, a pipe, a device), and is not "
    "opened: hand in real files."
)
UNKNOWN_TIME = "When it was handed in is not known: its timestamp.txt is not as nbgrader writes it."

# As nbgrader writes it; what it would make of other texts depends on the day, or on other files.
_TIME = re.compile(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?( [A-Za-z]{1,6}| [+-]\d{4})?")
# Some browsers put .txt or .json behind it when they save one.
_NOTEBOOK = re.compile(r"\.ipynb(\.txt|\.json)?$", re.IGNORECASE)
# A login or a number, or an e-mail address. nbgrader takes it for a pattern and for a folder, and
# spreadsheets take what begins with = + - @ for a formula.
_NAME = re.compile(r"\w[\w.@+-]*(?: [\w.@+-]+)*")
LONGEST_ID = 100


WorkedOn = Callable[[NotebookNode], int]  # how many answers a notebook has that were not handed out


@dataclass(frozen=True)
class Submission:
    """`content` is the notebook's file without outputs; when it cannot be read, `refused` says
    why. `beside` has what nbgrader put there, by name, and `remark` says what is wrong with that.
    `others` are the notebooks of other names that lie there too, which nobody grades. `known` is a
    name for the whole file, outputs and all, and for the others."""

    name: str
    content: bytes
    refused: str
    beside: dict[str, str]
    remark: str
    others: tuple[str, ...] = ()
    known: str = ""

    def notebook(self) -> NotebookNode:
        """What can be graded or shown of the notebook: each cell's text, pictures and grade_id.
        UnreadableNotebook when there is nothing."""
        if self.refused:
            raise UnreadableNotebook(self.refused)
        notebook = intake.parse_notebook(self.name, self.content)
        notebook.metadata = from_dict({})
        for cell in notebook.cells:
            name = intake.grade_id(cell)
            cell.metadata = from_dict({"nbgrader": {"grade_id": name}} if name else {})
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        return notebook


def read(folder: Path, lesson: str, worked_on: WorkedOn | None = None) -> Submission:
    """What lies in `folder`, whatever that is. Of several notebooks, or of one with another name,
    the one counts that was `worked_on` most; without that, only LESSON.ipynb does."""
    name, content, refused, remark = f"{lesson}.ipynb", b"", "", ""
    beside: dict[str, str] = {}
    if not only_files(folder):
        return Submission(name, content, STRANGE, beside, remark, (), _known(STRANGE).hexdigest())
    others = other_notebooks(folder, name)
    chosen = _most_worked_on(folder, name, worked_on) if others and worked_on else name
    if chosen != name:
        remark = f"{shown(chosen)} counts, as it has the work: name it {name} the next time."
        others = ()
    known = _known("", others)
    try:
        content = intake.read_file(folder / chosen, known.update)
    except UnreadableNotebook as error:
        refused = str(error)
        if not (folder / name).exists():
            refused += _instead(name, others, _named(_files(folder)))
        known = _known(refused, others)
    if (stamp := note(folder / STAMP)) and is_time(stamp):
        beside[STAMP] = stamp
    elif stamp != "":
        remark = " ".join(filter(None, (remark, UNKNOWN_TIME)))
    if secret := note(folder / SECRET):
        beside[SECRET] = secret
    return Submission(name, content, refused, beside, remark, others, known.hexdigest())


def _known(refused: str, others: tuple[str, ...] = ()) -> hashlib._Hash:
    return hashlib.sha256(repr((refused, others)).encode())


def _instead(name: str, notebooks: tuple[str, ...], files: tuple[str, ...]) -> str:
    """What to do where there is no notebook called `name`; nothing for an empty folder."""
    if notebooks:
        return f" The folder holds {', '.join(notebooks)} instead: hand it in as {name}."
    return f" The folder holds {', '.join(files)}: hand in the notebook itself." if files else ""


def other_notebooks(folder: Path, name: str) -> tuple[str, ...]:
    """What notebooks lie beside the one called `name`, as they can be shown."""
    return _named([path for path in _notebooks(folder) if path != name])


def shown(name: str) -> str:
    """A file's name as it can stand in a sentence."""
    return repr(name)[1:-1][:LONGEST_NAME]


def _named(names: list[str]) -> tuple[str, ...]:
    """The first few, and how many there are more."""
    listed = tuple(map(shown, names[:MOST_NAMES]))
    return (*listed, f"{len(names) - MOST_NAMES} more") if names[MOST_NAMES:] else listed


def _notebooks(folder: Path) -> list[str]:
    return [name for name in _files(folder) if _NOTEBOOK.search(name)]


def _files(folder: Path) -> list[str]:
    """The files in a submission, from its folder on, but for what nbgrader put there and what
    is hidden, as what Jupyter keeps for itself."""
    found = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    seen = [path for path in found if not any(part.startswith(".") for part in path.parts)]
    return [path.as_posix() for path in seen if path.as_posix() not in HANDED_IN]


def _most_worked_on(folder: Path, name: str, worked_on: WorkedOn) -> str:
    """Of the folder's notebooks the one with the most work in it: `name` rather than another, a
    newer one rather than an older."""
    found = sorted(
        _notebooks(folder), key=lambda path: (path == name, (folder / path).stat().st_mtime)
    )
    work = {path: _work(folder / path, worked_on) for path in found[-MOST_READ:]}
    best = max(reversed(work), key=work.__getitem__)
    return best if work[best] > 0 else name


def _work(path: Path, worked_on: WorkedOn) -> int:
    try:
        return worked_on(intake.read_answers(path))
    except UnreadableNotebook:
        return 0


def only_files(folder: Path) -> bool:
    """Whether a submission is a folder that holds nothing but folders and regular files, and can
    be read. Whoever opened a link would be led to files that its learner has no right to read;
    whoever opened a pipe might wait for ever."""
    left = [folder]
    try:
        while left:
            path = left.pop()
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                left += path.iterdir()
            elif not stat.S_ISREG(mode) or not os.access(path, os.R_OK):
                return False
    except OSError:
        return False
    return folder.is_dir()


def note(path: Path) -> str | None:
    """The text of a small file; empty when there is none, None when it is anything else."""
    if not os.path.lexists(path):
        return ""
    try:
        return intake.regular_file(path, LONGEST_NOTE).decode("ascii")
    except (OSError, ValueError):
        return None


def is_time(text: str) -> bool:
    """Whether nbgrader could have written this for the time when something was handed in."""
    from nbgrader.utils import parse_utc  # here: it takes two seconds, and most ask for none

    try:
        return _TIME.fullmatch(text.strip()) is not None and bool(parse_utc(text.strip()))
    except (ValueError, OverflowError):
        return False


def is_name(learner: str) -> bool:
    """Whether this can be a learner's id: letters of any script, digits and . _ - @ +, with a
    letter or digit first."""
    return len(learner) <= LONGEST_ID and bool(_NAME.fullmatch(learner)) and learner.isprintable()
