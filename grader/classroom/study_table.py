"""The rows of all learners who agreed to a study, without names, as CSV with a codebook."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from ..grouped import grouped
from ..learner.study import KEY, StudyRow
from ..submissions import intake
from ..whole_files import filed
from . import ClassroomError, spreadsheets
from .folder import CourseFolder

FEWEST = 5  # learners: what fewer have in common is left out
OTHER = "other"

_CODEBOOK = """\
# Codebook of study.csv

{learners} learners agreed. There is one line for each learner and piece. The lines have no names.
They are sorted by their content, so their order shows nothing. A piece with fewer than {fewest}
learners is left out. The number of such pieces is {left_out}.

| column | meaning |
| --- | --- |
{columns}"""


@dataclass(frozen=True)
class CarriedRows:
    """What one notebook carries; learners can write anything there."""

    changes: int  # of the learner's mind
    events: int  # in the learner's log
    rows: list[StudyRow] = field(default_factory=list)


def shown(course: CourseFolder, lessons: list[str]) -> tuple[list[StudyRow], int, int]:
    """The rows that are in the table, how many learners agreed, and how many pieces are left out.
    ClassroomError if fewer than five agreed."""
    carried = grouped(_carried(course, lessons)).values()
    newest = [max(mine, key=lambda each: (each.changes, each.events)) for mine in carried]
    # Each learner counts once for each piece.
    agreed = [{row.piece: row for row in each.rows} for each in newest if each.rows]
    if len(agreed) < FEWEST:
        raise ClassroomError(f"Fewer than {FEWEST} learners agreed, so nothing is exported.")
    every = [row for mine in agreed for row in mine.values()]
    pieces = Counter(row.piece for row in every)
    messages = Counter((row.piece, row.first_message) for row in every)
    rows = [
        row
        if not row.first_message or messages[row.piece, row.first_message] >= FEWEST
        else replace(row, first_message=OTHER)
        for row in every
        if pieces[row.piece] >= FEWEST
    ]
    return rows, len(agreed), sum(count < FEWEST for count in pieces.values())


def write(course: CourseFolder, lessons: list[str]) -> tuple[Path, int]:
    """Write build/study/study.csv and codebook.md. Returns the first, and how many learners are in
    it. ClassroomError if fewer than five agreed."""
    rows, agreed, left_out = shown(course, lessons)
    path = course.root / "study" / "study.csv"
    columns = get_type_hints(StudyRow, include_extras=True)
    filed(
        path.with_name("codebook.md"),
        _CODEBOOK.format(
            learners=agreed,
            fewest=FEWEST,
            left_out=left_out,
            columns="".join(
                f"| {name} | {_description(hint)} |\n" for name, hint in columns.items()
            ),
        ),
    )
    spreadsheets.write(path, list(columns), sorted(map(asdict, rows), key=repr))
    return path, agreed


def _description(hint: object) -> str:
    """The last one; those before it are a type's own."""
    return [one.description for one in get_args(hint) if isinstance(one, msgspec.Meta)][-1] or ""


def _carried(course: CourseFolder, lessons: list[str]) -> Iterator[tuple[str, CarriedRows]]:
    """By learner, what each notebook in submitted/ carries, if it has the right form."""
    for lesson in lessons:
        for learner in course.learners("submitted", lesson):
            found = intake.read(course.path("submitted", lesson, learner), lesson)
            with suppress(intake.UnreadableNotebook, msgspec.ValidationError):
                if not found.refused:
                    metadata = intake.parse_notebook(found.name, found.content).metadata
                    ours = msgspec.convert(metadata.get("warpwise"), dict[str, Any])
                    yield learner, msgspec.convert(ours.get(KEY), CarriedRows)
