"""Marks for people: a CSV file that a spreadsheet opens as it is, and a workbook."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from ...cuda.sanitize import visible
from .. import export
from ..marks import Marks
from ..spreadsheets import cell

ABOUT = ("id", "last_name", "first_name", "email", "section", "team")
_WIDE, _NARROW = 22, 12  # columns, in characters


def delimited(marks: Marks, decimal: str) -> bytes:
    """A line a learner: points by lesson, their sum and the most there are. With a byte order mark,
    by which Excel knows UTF-8; semicolons where the comma is a decimal one."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=";" if decimal == "," else ",")
    for row in _rows(marks):
        writer.writerow([_number(value, decimal) for value in row])
    return text.getvalue().encode("utf-8-sig")


def workbook(marks: Marks, decimal: str) -> bytes:
    """Two sheets, by learner and by exercise; numbers are numbers, and no text is a formula."""
    book = Workbook(write_only=True)
    _sheet(book, "Marks", _rows(marks), frozen="B2")
    names = ("learner", "lesson", "exercise", "score", "max_score", "status", "line", "note")
    exercises = [[getattr(row, name) for name in names] for row in _handed_in(marks)]
    _sheet(book, "Exercises", [list(names), *exercises], frozen="A2")
    content = io.BytesIO()
    book.save(content)
    return content.getvalue()


def _rows(marks: Marks) -> Sequence[Sequence[object]]:
    head = [*ABOUT, *(one.lesson for one in marks.columns), "sum", "max"]
    rows = []
    for line in marks.lines:
        about = (line.learner, line.last, line.first, line.email)
        scores = [line.scores.get(one.lesson) for one in marks.columns]
        known = [score for score in scores if score is not None]
        total = float(sum(known)) if known else None
        person = (line.person.section, line.person.team)
        rows.append([*about, *person, *scores, total, float(marks.most)])
    return [head, *rows]


def _handed_in(marks: Marks) -> list[export.Row]:
    return [row for row in marks.rows if row.score is not None]


def _sheet(book: Workbook, title: str, rows: Sequence[Sequence[object]], frozen: str) -> None:
    sheet = book.create_sheet(title)
    sheet.freeze_panes = frozen
    for number, name in enumerate(rows[0]):
        wide = _WIDE if name in (*ABOUT, "learner", "exercise", "note") else _NARROW
        sheet.column_dimensions[chr(ord("A") + number % 26)].width = wide
    for number, row in enumerate(rows):
        sheet.append([_cell(sheet, value, bold=not number) for value in row])


def _cell(sheet: WriteOnlyWorksheet, value: object, bold: bool) -> WriteOnlyCell:
    made = WriteOnlyCell(sheet, None)
    if isinstance(value, int | float):
        made.value = value
    elif value:
        made.value = visible(str(value))
        made.data_type = "s"  # also where it begins with =
    made.font = Font(bold=bold)
    return made


def _number(value: object, decimal: str) -> object:
    if isinstance(value, float):
        return f"{value:.10g}".replace(".", decimal)
    return cell(value)
