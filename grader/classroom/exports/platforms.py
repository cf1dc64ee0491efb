"""What Canvas, Moodle, Blackboard and Brightspace import. Where a roster came from the same system,
its own columns go back as they were, and a lesson has the heading that the system gave it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from ..marks import Column, Line, Marks
from ..spreadsheets import cell


def canvas(marks: Marks, decimal: str) -> bytes:
    """The gradebook's CSV: five columns about a learner, then one an assignment, and under the
    head a row with the points possible. Canvas tells semicolons and decimal commas."""
    about = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
    head = [*about, *(_heading(one, "canvas", one.lesson) for one in marks.columns)]
    possible = ["    Points Possible", "", "", "", "", *(one.most for one in marks.columns)]
    rows = [[*_canvas(line, about), *_scores(line, marks)] for line in marks.lines]
    return _csv([head, possible, *rows], decimal).encode()


def _canvas(line: Line, about: tuple[str, ...]) -> list[str]:
    """Without a row of Canvas's, its learner is found by login or name."""
    kept = line.person.systems.get("canvas", {})
    name = ", ".join(filter(None, (line.last, line.first))) or line.learner
    own = {"Student": name, "SIS Login ID": line.learner, "Section": line.person.section}
    return [kept.get(column, "" if kept else own.get(column, "")) for column in about]


def moodle(marks: Marks, decimal: str) -> bytes:
    """What *Import from CSV file* maps: by what a user is known, then for each lesson its points
    and a feedback text, both of which have to be mapped."""
    about = ("Username", "ID number", "Email address")
    lessons = [_heading(one, "moodle", one.lesson) for one in marks.columns]
    head = [*about, *(f"{name}{what}" for name in lessons for what in ("", " (Feedback)"))]
    rows = []
    for line in marks.lines:
        own = {"Username": line.learner, "Email address": line.email}
        kept = line.person.systems.get("moodle", own)
        told = [
            value
            for one in marks.columns
            for value in (line.scores.get(one.lesson, "-"), line.comments.get(one.lesson, ""))
        ]
        rows.append([*(kept.get(column, "") for column in about), *told])
    return _csv([head, *rows], decimal).encode()


def blackboard(marks: Marks, decimal: str) -> bytes:
    """Grade Center's own download: UTF-16, tabs. A learner is the user name; a column that
    Blackboard has given no number becomes a new one."""
    about = ("Last Name", "First Name", "Username", "Student ID")
    head = [*about, *(_heading(one, "blackboard", _points(one)) for one in marks.columns)]
    rows = []
    for line in marks.lines:
        own = {"Last Name": line.last, "First Name": line.first, "Username": line.learner}
        kept = line.person.systems.get("blackboard", own)
        rows.append([*(kept.get(column, "") for column in about), *_scores(line, marks)])
    return _csv([head, *rows], decimal, "\t").encode("utf-16")


def brightspace(marks: Marks, decimal: str) -> bytes:
    """OrgDefinedId, user name, a `... Points Grade` for each lesson, and the column at the end."""
    head = ["OrgDefinedId", "Username"]
    head += [_heading(one, "brightspace", f"{one.lesson} Points Grade") for one in marks.columns]
    rows = []
    for line in marks.lines:
        kept = line.person.systems.get("brightspace", {"Username": line.learner})
        about = (kept.get("OrgDefinedId", ""), kept.get("Username", ""))
        rows.append([*about, *_scores(line, marks), "#"])
    return _csv([[*head, "End-of-Line Indicator"], *rows], decimal).encode()


def _heading(column: Column, system: str, own: str) -> str:
    return column.headings.get(system, (own,))[0]


def _points(column: Column) -> str:
    return f"{column.lesson} [Total Pts: {column.most:g} Score]"


def _scores(line: Line, marks: Marks) -> list[float | str]:
    """Nothing where nobody collected anything: a 0 would be somebody's mark."""
    return [line.scores.get(one.lesson, "") for one in marks.columns]


def _csv(rows: Iterable[Sequence[object]], decimal: str, delimiter: str = "") -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter or (";" if decimal == "," else ","))
    writer.writerows([_written(value, decimal) for value in row] for row in rows)
    return text.getvalue()


def _written(value: object, decimal: str) -> object:
    if isinstance(value, float):
        return f"{value:.10g}".replace(".", decimal)
    # Blanks in front of Points Possible are Canvas's own, and a lone "-" is Moodle's for no mark.
    return value if value in ("-", "    Points Possible") else cell(value)
