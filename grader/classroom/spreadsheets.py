"""Tables out of files that a learning platform or a spreadsheet wrote (CSV with any of the usual
encodings and delimiters, or an Excel workbook's first sheet), and CSV that a spreadsheet shows as
what it is: no text in it becomes a formula, a cell of its own or a row, and every number stays one.
"""

import csv
import io
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..cuda.errors import visible
from ..errors import unless
from ..whole_files import whole
from . import ClassroomError

LARGEST = 32 << 20  # bytes
# What splits lines or cells here or in another program, as tabs and semicolons do for some.
# What makes a cell a formula (also in its wide form), wherever one could begin for any of them.
_BEGINS = "=+-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf"(?:(?<=^)|(?<=[;,|]))([\s\"']*)(?=[{re.escape(_BEGINS)}])")
_LEADING = re.compile(rf"^[\s']*[{re.escape(_BEGINS)}][\s'{re.escape(_BEGINS)}]*")
_JOINERS = dict.fromkeys((0x200C, 0x200D))  # without width; Persian names have them, among others


def read(path: Path) -> list[list[str]]:
    """The rows of the file, without those that are empty; every cell a text without blanks around
    it. ClassroomError when it is no table."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ClassroomError(f"{path} cannot be read: {error.strerror}.") from error
    unless(
        len(content) <= LARGEST,
        ClassroomError(f"{path} has more than {LARGEST >> 20} MB, which no roster has."),
    )
    rows = [
        [cell.strip() for cell in row]
        for row in (_workbook(path, content) if content[:2] == b"PK" else _csv(path, content))
        if any(map(str.strip, row))
    ]
    unless(
        len(rows) > 1,
        ClassroomError(f"{path} has no rows under a first one with the columns' names."),
    )
    return rows


def _csv(path: Path, content: bytes) -> list[list[str]]:
    from bs4.dammit import UnicodeDammit

    # As the byte order mark says; else UTF-8, or what Excel writes in the west of the world.
    text = (
        UnicodeDammit(content, user_encodings=["utf-8", "cp1252", "latin-1"]).unicode_markup or ""
    )
    unless(
        "\0" not in text, ClassroomError(f"{path} is neither CSV nor an Excel workbook (.xlsx).")
    )
    first = text.lstrip("\r\n").splitlines()[0] if text.strip() else ""
    try:
        return list(
            csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
        )
    except csv.Error as error:
        raise ClassroomError(f"{path} is no CSV: {error}.") from error


def _workbook(path: Path, content: bytes) -> list[list[str]]:
    import openpyxl

    try:
        sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).worksheets[0]
        return [["" if one is None else str(one) for one in row] for row in sheet.values]
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError) as error:
        raise ClassroomError(f"{path} is no Excel workbook (.xlsx) that can be read.") from error


def cell(value: object) -> object:
    """`value` as it can stand in a CSV file: None is an empty cell, a number is itself, and a
    formula in a text has an apostrophe in front, by which spreadsheets know it for text."""
    if value is None or isinstance(value, int | float):
        return "" if value is None else value
    text = visible(re.sub("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+", " ", str(value)))
    return (
        text
        if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text)
        else _FORMULA.sub(r"\1'", text)
    )


def plain(text: str) -> str:
    """A name for nbgrader's gradebook, whose own exporter writes it as it is, unquoted: without
    what ends a cell there, and with nothing in front that makes it a formula. Who is meant can
    still be read."""
    return _LEADING.sub("", re.sub(r"[\s;,|\"]+", " ", visible(text.translate(_JOINERS)))).strip()


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """The file, with the names of `columns` in its first line; texts are quoted."""
    whole(
        path,
        lines(
            [columns, *([cell(row[name]) for name in columns] for row in rows)],
            quoting=csv.QUOTE_NONNUMERIC,
        ),
    )


def lines(rows: Iterable[Iterable[object]], **form: Any) -> str:
    """The text of a CSV file; `form` is as for csv.writer."""
    text = io.StringIO()
    csv.writer(text, **form).writerows(rows)
    return text.getvalue()
