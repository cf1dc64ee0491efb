"""`grader export --for SYSTEM`: the class's marks as the file that this system imports, or that
people open. A system is one function from marks to a file's content, entered in `SYSTEMS`;
docs/gradebooks.md says by what documentation each goes. Where a roster came from the same system,
its own columns go back as they were, and a lesson has the heading that the system gave it."""

import csv
import io
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ..cuda.diagnostics import visible
from . import ClassroomError
from .marks import LearnerLine, LessonColumn, MarksTable
from .spreadsheets import cell

if TYPE_CHECKING:
    from openpyxl import Workbook

Decimal = Literal[".", ","]
ABOUT = ("id", "last_name", "first_name", "email", "section", "team")
_POSSIBLE = "    Points Possible"
_WIDE, _NARROW = 22, 12  # columns of a workbook, in characters


def canvas(marks: MarksTable, decimal: str) -> bytes:
    """The gradebook's CSV: five columns about a learner, then one an assignment, and under the
    head a row with the points possible. Canvas tells semicolons and decimal commas. Without a row
    of Canvas's, its learner is found by login or name."""
    about = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
    head = [*about, *(_heading(each, "canvas", each.lesson) for each in marks.columns)]
    possible = [_POSSIBLE, "", "", "", "", *(each.most for each in marks.columns)]
    rows = []
    for line in marks.lines:
        name = ", ".join(filter(None, (line.last, line.first))) or line.learner
        own = {"Student": name, "SIS Login ID": line.learner, "Section": line.person.section}
        kept = line.person.systems.get("canvas") or own
        rows.append([*(kept.get(column, "") for column in about), *_scores(line, marks)])
    return _csv([head, possible, *rows], decimal).encode()


def moodle(marks: MarksTable, decimal: str) -> bytes:
    """The columns that *Import from CSV file* maps: by what a user is known, then for each lesson
    its points and a feedback text, both of which have to be mapped."""
    about = ("Username", "ID number", "Email address")
    lessons = [_heading(each, "moodle", each.lesson) for each in marks.columns]
    head = [*about, *(f"{name}{what}" for name in lessons for what in ("", " (Feedback)"))]
    rows = []
    for line in marks.lines:
        own = {"Username": line.learner, "Email address": line.email}
        kept = line.person.systems.get("moodle", own)
        row: list[object] = [kept.get(column, "") for column in about]
        for each in marks.columns:
            row += [line.scores.get(each.lesson, "-"), line.comments.get(each.lesson, "")]
        rows.append(row)
    return _csv([head, *rows], decimal).encode()


def blackboard(marks: MarksTable, decimal: str) -> bytes:
    """Grade Center's own download: UTF-16, tabs. A learner is the user name; a column that
    Blackboard has given no number becomes a new one."""
    about = ("Last Name", "First Name", "Username", "Student ID")
    owns = [f"{each.lesson} [Total Pts: {each.most:g} Score]" for each in marks.columns]
    columns = zip(marks.columns, owns, strict=True)
    head = [*about, *(_heading(each, "blackboard", own) for each, own in columns)]
    rows = []
    for line in marks.lines:
        own = {"Last Name": line.last, "First Name": line.first, "Username": line.learner}
        kept = line.person.systems.get("blackboard", own)
        rows.append([*(kept.get(column, "") for column in about), *_scores(line, marks)])
    return _csv([head, *rows], decimal, "\t").encode("utf-16")


def brightspace(marks: MarksTable, decimal: str) -> bytes:
    """OrgDefinedId, user name, a `... Points Grade` for each lesson, and the column at the end."""
    about = ("OrgDefinedId", "Username")
    lessons = [
        _heading(each, "brightspace", f"{each.lesson} Points Grade") for each in marks.columns
    ]
    rows = []
    for line in marks.lines:
        kept = line.person.systems.get("brightspace", {"Username": line.learner})
        rows.append([*(kept.get(column, "") for column in about), *_scores(line, marks), "#"])
    return _csv([[*about, *lessons, "End-of-Line Indicator"], *rows], decimal).encode()


def delimited(marks: MarksTable, decimal: str) -> bytes:
    """A line a learner: points by lesson, their sum and the most there are. With a byte order mark,
    by which Excel knows UTF-8; semicolons where the comma is a decimal one."""
    return _csv(_learners(marks), decimal).encode("utf-8-sig")


def workbook(marks: MarksTable, decimal: str) -> bytes:
    """Two sheets, by learner and by exercise; numbers are numbers, and no text is a formula."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    _sheet(book, "Marks", _learners(marks), frozen="B2")
    names = ("learner", "lesson", "exercise", "score", "max_score", "status", "line", "note")
    judged = [row for row in marks.rows if row.score is not None]
    exercises = [[getattr(row, name) for name in names] for row in judged]
    _sheet(book, "Exercises", [names, *exercises], frozen="A2")
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _learners(marks: MarksTable) -> list[Sequence[object]]:
    rows: list[Sequence[object]] = [
        [*ABOUT, *(each.lesson for each in marks.columns), "sum", "max"]
    ]
    for line in marks.lines:
        about = (line.learner, line.last, line.first, line.email)
        scores = [line.scores.get(each.lesson) for each in marks.columns]
        known = [score for score in scores if score is not None]
        total = float(sum(known)) if known else None
        person = (line.person.section, line.person.team)
        rows.append([*about, *person, *scores, total, float(marks.most)])
    return rows


def _sheet(book: "Workbook", title: str, rows: Sequence[Sequence[object]], frozen: str) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    sheet = book.create_sheet(title)
    sheet.freeze_panes = frozen
    for number, name in enumerate(rows[0]):
        wide = _WIDE if name in (*ABOUT, "learner", "exercise", "note") else _NARROW
        sheet.column_dimensions[chr(ord("A") + number % 26)].width = wide
    for number, row in enumerate(rows):
        cells = [WriteOnlyCell(sheet, None) for _ in row]
        for made, value in zip(cells, row, strict=True):
            if isinstance(value, int | float):
                made.value = value
            elif value:
                made.value = visible(str(value))
                made.data_type = "s"  # also where it begins with =
            made.font = Font(bold=not number)
        sheet.append(cells)


def _heading(column: LessonColumn, system: str, own: str) -> str:
    return column.headings.get(system, (own,))[0]


def _scores(line: LearnerLine, marks: MarksTable) -> list[float | str]:
    """Nothing where nobody collected anything: a 0 would be somebody's mark."""
    return [line.scores.get(each.lesson, "") for each in marks.columns]


def _csv(rows: Iterable[Sequence[object]], decimal: str, delimiter: str = "") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter or (";" if decimal == "," else ","))
    writer.writerows([_written(value, decimal) for value in row] for row in rows)
    return text.getvalue()


def _written(value: object, decimal: str) -> object:
    if isinstance(value, float):
        return f"{value:.10g}".replace(".", decimal)
    # Blanks in front of Points Possible are Canvas's own, and a lone "-" is Moodle's for no mark.
    return value if value in ("-", _POSSIBLE) else cell(value)


# --- systems -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExportFormat:
    """The file that a system imports."""

    write: Callable[[MarksTable, Decimal], bytes]  # gives the file's content
    suffix: str  # ends its name
    comma: bool = False  # the system reads numbers with a decimal comma
    nameless: bool = False  # it can do without names


SYSTEMS = {
    "canvas": ExportFormat(canvas, ".csv", comma=True),
    "moodle": ExportFormat(moodle, ".csv", comma=True),
    "blackboard": ExportFormat(blackboard, ".txt"),
    "brightspace": ExportFormat(brightspace, ".csv"),
    "csv": ExportFormat(delimited, ".csv", comma=True, nameless=True),
    "xlsx": ExportFormat(workbook, ".xlsx", nameless=True),
}
PLATFORMS = ("canvas", "moodle", "blackboard", "brightspace")  # which have columns of their own


def column(system: str, lesson: str, headings: tuple[str, ...]) -> str:
    """A sentence about the columns of a platform that match a lesson."""
    if not headings:
        return f"No column of {system} matches {lesson}: it gets a new one."
    if len(headings) == 1:
        return f'{lesson} is the column "{headings[0]}" of {system}.'
    return (
        f"Several columns of {system} match {lesson}: {', '.join(map(repr, headings))}. Choose "
        f"one: grader export {lesson} --for {system} --column {shlex.quote(headings[0])}"
    )


def content(name: str, marks: MarksTable, decimal: str, anonymous: bool) -> bytes:
    """The file for the system called `name`; ClassroomError where it cannot have what is asked."""
    if name not in SYSTEMS:
        raise ClassroomError(f"There is no system {name!r}; there are: {', '.join(SYSTEMS)}.")
    if decimal not in (".", ","):
        raise ClassroomError(f"--decimal is {decimal!r}, and should be a point or a comma.")
    if decimal == "," and not SYSTEMS[name].comma:
        raise ClassroomError(f"For {name} a decimal comma means nothing; leave --decimal out.")
    if anonymous and not SYSTEMS[name].nameless:
        raise ClassroomError(
            f"{name} knows learners by their names: --anonymous is for csv and xlsx."
        )
    for each in marks.columns:
        if len(headings := each.headings.get(name, ())) > 1:
            raise ClassroomError(column(name, each.lesson, headings))
    return SYSTEMS[name].write(marks, "," if decimal == "," else ".")
