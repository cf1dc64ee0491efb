"""CSV that a spreadsheet shows as what it is: no text in it becomes a formula, a cell of its own or
a row, and every number stays one."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ..cuda.sanitize import visible
from .files import whole

# What splits lines or cells here or in another program, as tabs and semicolons do for some.
_BREAKS = re.compile("[\t\n\v\f\r\x1c-\x1e\x85\u2028\u2029]+")
_SEPARATORS = re.compile(r"[\s;,|\"]+")
# What makes a cell a formula (also in its wide form), wherever one could begin for any of them.
_BEGINS = "=+-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf"(?:(?<=^)|(?<=[;,|]))([\s\"']*)(?=[{re.escape(_BEGINS)}])")
_LEADING = re.compile(rf"^[\s']*[{re.escape(_BEGINS)}][\s'{re.escape(_BEGINS)}]*")
_JOINERS = dict.fromkeys((0x200C, 0x200D))  # without width; Persian names have them, among others
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cell(value: object) -> object:
    """`value` as it can stand in a CSV file: None is an empty cell, a number is itself, and a
    formula in a text has an apostrophe in front, by which spreadsheets know it for text."""
    if value is None or isinstance(value, int | float):
        return "" if value is None else value
    text = visible(_BREAKS.sub(" ", str(value)))
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1'", text)


def plain(text: str) -> str:
    """A name for nbgrader's gradebook, whose own exporter writes it as it is, unquoted: without
    what ends a cell there, and with nothing in front that makes it a formula. Who is meant can
    still be read."""
    return _LEADING.sub("", _SEPARATORS.sub(" ", visible(text.translate(_JOINERS)))).strip()


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """The file, with the names of `columns` in its first line; texts are quoted."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    writer.writerows([cell(row[name]) for name in columns] for row in rows)
    whole(path, text.getvalue())
