"""The rows of all learners who agreed to a study, without names, as CSV with a codebook."""

import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from ..errors import unless
from ..grouped import grouped
from ..learner.study import FEATURES, KEY, StudyRow
from ..submissions import intake
from ..whole_files import filed
from . import ClassroomError, coursefile, spreadsheets
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
    newest = [
        max(mine, key=lambda each: (each.changes, each.events))
        for mine in grouped(_carried(course, lessons)).values()
    ]
    # Each learner counts once for each piece.
    agreed = [{row.piece: row for row in each.rows} for each in newest if each.rows]
    unless(
        len(agreed) >= FEWEST,
        ClassroomError(f"Fewer than {FEWEST} learners agreed, so nothing is exported."),
    )
    every = [row for mine in agreed for row in mine.values()]
    pieces = Counter(row.piece for row in every)
    values = Counter((row.piece, one) for row in every for one in (row.first_message, row.group))

    def common(row: StudyRow, one: str) -> str:
        return one if not one or values[row.piece, one] >= FEWEST else OTHER

    rows = [
        replace(row, first_message=common(row, row.first_message), group=common(row, row.group))
        for row in every
        if pieces[row.piece] >= FEWEST
    ]
    return rows, len(agreed), sum(count < FEWEST for count in pieces.values())


def draw(course: CourseFolder, feature: str) -> Path:
    """Write build/study/FEATURE.csv: a code for each learner on the roster, by which half of them
    work without a feature. Who has a code keeps it. ClassroomError: there is no such feature."""
    unless(
        feature in FEATURES,
        ClassroomError(f"{feature!r} is no feature. Choose one of {', '.join(FEATURES)}."),
    )
    path = course.root / "study" / f"{feature}.csv"
    drawn = dict(spreadsheets.read(path)[1:]) if path.exists() else {}
    roster, chance = coursefile.read(course).learners, secrets.SystemRandom()
    unless(roster, ClassroomError("There is no roster yet: `grader roster FILE` reads one."))
    new = [one for one in roster if one not in drawn]
    for learner in chance.sample(new, len(new)):
        odd = sum(int(code[-1], 16) % 2 for code in drawn.values())
        is_odd = 2 * odd + chance.random() < len(drawn) + 0.5  # the smaller half, or either
        drawn[learner] = f"{feature}-{chance.randrange(0, 1 << 24, 2) + is_odd:06x}"
    path.parent.mkdir(exist_ok=True)
    spreadsheets.write(
        path,
        ["learner", "code"],
        [{"learner": learner, "code": code} for learner, code in sorted(drawn.items())],
    )
    return path


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
                f"| {name} | {meta[-1].description or ''} |\n"
                for name, hint in columns.items()
                for meta in [[one for one in get_args(hint) if isinstance(one, msgspec.Meta)]]
            ),
        ),
    )
    spreadsheets.write(path, list(columns), sorted(map(asdict, rows), key=repr))
    return path, agreed


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
