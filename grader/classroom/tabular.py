"""A table out of a file that a learning platform or a spreadsheet wrote: CSV with any of the usual
encodings and delimiters, or an Excel workbook's first sheet."""

from __future__ import annotations

import codecs
import csv
import io
import zipfile
from pathlib import Path

from . import ClassroomError

LARGEST = 32 << 20  # bytes
_DELIMITERS = ",;\t"
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def read(path: Path) -> list[list[str]]:
    """The rows of the file, without those that are empty; every cell a text without blanks around
    it. ClassroomError when it is no table."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ClassroomError(f"{path} cannot be read: {error.strerror}.") from error
    if len(content) > LARGEST:
        raise ClassroomError(f"{path} has more than {LARGEST >> 20} MB, which no roster has.")
    found = _workbook(path, content) if content[:2] == b"PK" else _csv(path, content)
    rows = [[cell.strip() for cell in row] for row in found]
    rows = [row for row in rows if any(row)]
    if len(rows) < 2:
        raise ClassroomError(f"{path} has no rows under a first one with the columns' names.")
    return rows


def _csv(path: Path, content: bytes) -> list[list[str]]:
    text = _text(content)
    if "\0" in text:
        raise ClassroomError(f"{path} is neither CSV nor an Excel workbook (.xlsx).")
    first = text.lstrip("\r\n").splitlines()[0] if text.strip() else ""
    delimiter = max(_DELIMITERS, key=first.count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    except csv.Error as error:
        raise ClassroomError(f"{path} is no CSV: {error}.") from error


def _text(content: bytes) -> str:
    """As the byte order mark says; else UTF-8, or what Excel writes in the west of the world."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, errors="replace")
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _workbook(path: Path, content: bytes) -> list[list[str]]:
    import openpyxl

    try:
        sheet = openpyxl.load_workbook(io.BytesIO(content), read_only=True).worksheets[0]
        return [["" if one is None else str(one) for one in row] for row in sheet.values]
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError) as error:
        raise ClassroomError(f"{path} is no Excel workbook (.xlsx) that can be read.") from error
