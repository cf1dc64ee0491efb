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
# Where a cell could begin for any of them, what makes it a formula (also in its wide form).
_FORMULA = re.compile(r"(?:(?<=^)|(?<=[;,|]))([\s\"']*)(?=[=+\-@\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


def cell(value: object) -> object:
    """`value` as it can stand in a CSV file: None is an empty cell, a number is itself, and a
    formula in a text has an apostrophe in front, by which spreadsheets know it for text."""
    if value is None or isinstance(value, int | float):
        return "" if value is None else value
    text = visible(_BREAKS.sub(" ", str(value)))
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub(r"\1'", text)


def write(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> None:
    """The file, with the names of `columns` in its first line; texts are quoted."""
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    writer.writerows([cell(row[name]) for name in columns] for row in rows)
    whole(path, text.getvalue())
