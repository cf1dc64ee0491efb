"""What a learner handed in for a lesson, as far as anything here reads it: three regular files of
a bounded size. Nothing else in the folder is opened or copied, so that no pipe, device or odd file
of one learner's can stop the grading of a class."""

import hashlib
import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from nbformat import NotebookNode, from_dict

from . import intake, open_nbgrader

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
        if self.refused:
            raise intake.UnreadableNotebook(self.refused)
        notebook = intake.parse_notebook(self.name, self.content)
        notebook.metadata = from_dict({})
        for cell in notebook.cells:
            name = intake.grade_id(cell)
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
    paths = sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    seen = [path for path in paths if not any(part.startswith(".") for part in path.parts)]
    files = [path.as_posix() for path in seen if path.as_posix() not in HANDED_IN]
    notebooks = [path for path in files if _NOTEBOOK.search(path)]
    others = _named([path for path in notebooks if path != name])
    chosen = _most_worked_on(folder, notebooks, name, worked_on) if others and worked_on else name
    if chosen != name:
        remarks = [f"{shown(chosen)} counts, because the work is in it. Next time, name it {name}."]
        others = ()
    known = _digest("", others)
    try:
        content = intake.read_file(folder / chosen, known.update)
    except intake.UnreadableNotebook as error:
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
        remarks.append(UNKNOWN_TIME)
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
        with suppress(intake.UnreadableNotebook):
            work[path] = worked_on(intake.read_answers(folder / path))
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
        return intake.regular_file(path, LONGEST_NOTE).decode("ascii")
    except (OSError, ValueError):
        return None


def handed_in_at(folder: Path) -> datetime | None:
    """The time that nbgrader wrote beside a submission, in UTC; None if there is none."""
    return time_of(note(folder / STAMP) or "")


def time_of(text: str) -> datetime | None:
    """The time, in UTC, when something was handed in; None if nbgrader could not have written this
    for one."""
    if not _TIME.fullmatch(text.strip()):
        return None
    open_nbgrader()
    from nbgrader.utils import parse_utc  # here: it takes long, and most ask for no time

    with suppress(ValueError, OverflowError):
        time: datetime = parse_utc(text.strip())
        return time
    return None


def is_name(learner: str) -> bool:
    """True if this can be a learner's id: letters of any script, digits and . _ - @ +, with a
    letter or digit first."""
    return len(learner) <= LONGEST_ID and bool(_NAME.fullmatch(learner)) and learner.isprintable()
