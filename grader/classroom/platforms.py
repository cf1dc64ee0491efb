"""`grader export --for SYSTEM`: the class's marks as the file that this system imports, or that
people open. A system is one function from marks to a file's content, entered in `SYSTEMS`;
docs/gradebooks.md says by what documentation each goes. Where a roster came from the same system,
its own columns go back as they were, and a lesson has the heading that the system gave it."""

import io
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter
from typing import Any

from ..cuda.errors import visible
from ..errors import unless
from . import ClassroomError
from .export import LearnerLine, MarksTable
from .spreadsheets import cell, lines

# Columns about a learner, and what of a line stands there.
ABOUT = {
    **{"id": "learner", "last_name": "last", "first_name": "first", "email": "email"},
    **{"section": "person.section", "team": "person.team"},
}
# The same for each platform, where the learner has no row of its roster.
_KNOWN_BY = {
    "": ABOUT,
    "canvas": {
        **{"Student": "listed", "ID": "", "SIS User ID": "", "SIS Login ID": "learner"},
        **{"Section": "person.section"},
    },
    "moodle": {"Username": "learner", "ID number": "", "Email address": "email"},
    "blackboard": {
        **{"Last Name": "last", "First Name": "first", "Username": "learner", "Student ID": ""}
    },
    "brightspace": {"OrgDefinedId": "", "Username": "learner"},
}
_POSSIBLE = "    Points Possible"
_WIDE, _NARROW = 22, 12  # columns of a workbook, in characters


def canvas(marks: MarksTable, decimal: str) -> bytes:
    """The gradebook's CSV: five columns about a learner, then one an assignment, and under the
    head a row with the points possible. Canvas tells semicolons and decimal commas. Without a row
    of Canvas's, its learner is found by login or name."""
    head, *rows = _rows(marks, "canvas")
    return _csv(
        [head, [_POSSIBLE, "", "", "", "", *(each.most for each in marks.columns)], *rows], decimal
    ).encode()


def moodle(marks: MarksTable, decimal: str) -> bytes:
    """The columns that *Import from CSV file* maps: by what a user is known, then for each lesson
    its points and a feedback text, both of which have to be mapped."""
    head, *rows = _rows(marks, "moodle")
    about = len(_KNOWN_BY["moodle"])
    table = [
        [*head[:about], *chain(*[[name, f"{name} (Feedback)"] for name in head[about:]])],
        *[
            [
                *row[:about],
                *chain(
                    *zip(
                        ("-" if score == "" else score for score in row[about:]),
                        [line.comments.get(each.lesson, "") for each in marks.columns],
                        strict=True,
                    )
                ),
            ]
            for line, row in zip(marks.lines, rows, strict=True)
        ],
    ]
    return _csv(table, decimal).encode()


def blackboard(marks: MarksTable, decimal: str) -> bytes:
    """Grade Center's own download: UTF-16, tabs. A learner is the user name; a column that
    Blackboard has given no number becomes a new one."""
    return _csv(
        _rows(marks, "blackboard", "{0.lesson} [Total Pts: {0.most:g} Score]"), decimal, "\t"
    ).encode("utf-16")


def brightspace(marks: MarksTable, decimal: str) -> bytes:
    """OrgDefinedId, user name, a `... Points Grade` for each lesson, and the column at the end."""
    head, *rows = _rows(marks, "brightspace", "{0.lesson} Points Grade")
    return _csv(
        [[*head, "End-of-Line Indicator"], *([*row, "#"] for row in rows)], decimal
    ).encode()


def delimited(marks: MarksTable, decimal: str) -> bytes:
    """A line per learner: points by lesson, their sum and the maximum. With a byte order mark,
    by which Excel knows UTF-8; semicolons where the comma is a decimal one."""
    return _csv(_with_sums(marks), decimal).encode("utf-8-sig")


def workbook(marks: MarksTable, decimal: str) -> bytes:
    """Two sheets, by learner and by exercise; numbers are numbers, and no text is a formula."""
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    _sheet(book, "Marks", _with_sums(marks), frozen="B2")
    names = ("learner", "lesson", "exercise", "score", "max_score", "status", "line", "note")
    marked = (row for row in marks.rows if row.score is not None)
    _sheet(book, "Exercises", [names, *map(attrgetter(*names), marked)], frozen="A2")
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _rows(marks: MarksTable, system: str = "", heading: str = "{0.lesson}") -> list[list[Any]]:
    """The head, and a row per learner: by what the system knows them, then each lesson's points.
    Nothing stands where nobody collected anything: a 0 would be somebody's mark."""
    own = [each.headings.get(system, (heading.format(each),))[0] for each in marks.columns]
    return [
        [*_KNOWN_BY[system], *own],
        *(
            [
                *(known.get(name, "") for name in _KNOWN_BY[system]),
                *(line.scores.get(each.lesson, "") for each in marks.columns),
            ]
            for line in marks.lines
            for known in [row_of(line, system)]
        ),
    ]


def row_of(line: LearnerLine, system: str) -> Mapping[str, str]:
    """The cells by which a system knows the learner, by column: the row of its roster, or else what
    stands for that in the line."""
    return line.person.systems.get(system) or {
        name: attrgetter(of)(line) for name, of in _KNOWN_BY[system].items() if of
    }


def _with_sums(marks: MarksTable) -> list[list[Any]]:
    head, *rows = _rows(marks)
    sums = (float(sum(line.scores.values())) if line.scores else None for line in marks.lines)
    return [
        [*head, "sum", "max"],
        *([*row, total, float(marks.most)] for row, total in zip(rows, sums, strict=True)),
    ]


def _sheet(
    book: Any,  # a Workbook of openpyxl, which has no types
    title: str,
    rows: Sequence[Sequence[object]],
    frozen: str,
) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Font

    sheet = book.create_sheet(title)
    sheet.freeze_panes = frozen
    for number, name in enumerate(rows[0]):
        sheet.column_dimensions[chr(ord("A") + number % 26)].width = (
            _WIDE if name in (*ABOUT, "learner", "exercise", "note") else _NARROW
        )
    for number, row in enumerate(rows):
        values = (one if isinstance(one, int | float) else visible(str(one or "")) for one in row)
        cells = [WriteOnlyCell(sheet, None if one == "" else one) for one in values]
        for made in cells:
            made.font = Font(bold=not number)
            if isinstance(made.value, str):
                made.data_type = "s"  # also where it begins with =
        sheet.append(cells)


def _csv(rows: Iterable[Sequence[object]], decimal: str, delimiter: str = "") -> str:
    def written(value: object) -> object:
        if isinstance(value, float):
            return f"{value:.10g}".replace(".", decimal)
        # Blanks in front of Points Possible are Canvas's own, a lone "-" is Moodle's for no mark.
        return value if value in ("-", _POSSIBLE) else cell(value)

    return lines(
        (map(written, row) for row in rows), delimiter=delimiter or (";" if decimal == "," else ",")
    )


# --- systems -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ExportFormat:
    """The file that a system imports."""

    write: Callable[[MarksTable, str], bytes]  # gives the file's content
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
    return (
        f'{lesson} is the column "{headings[0]}" of {system}.'
        if len(headings) == 1
        else f"Several columns of {system} match {lesson}: {', '.join(map(repr, headings))}. "
        f"Choose one: grader export {lesson} --for {system} --column {shlex.quote(headings[0])}"
    )


def content(name: str, marks: MarksTable, decimal: str, anonymous: bool) -> bytes:
    """The file for the system called `name`; ClassroomError where it cannot have what is asked."""
    unless(
        decimal == "." or SYSTEMS[name].comma,
        ClassroomError(f"For {name} a decimal comma means nothing; leave --decimal out."),
    )
    unless(
        SYSTEMS[name].nameless or not anonymous,
        ClassroomError(f"{name} knows learners by their names: --anonymous is for csv and xlsx."),
    )
    for each in marks.columns:
        headings = each.headings.get(name, ())
        unless(len(headings) <= 1, ClassroomError(column(name, each.lesson, headings)))
    return SYSTEMS[name].write(marks, decimal)
