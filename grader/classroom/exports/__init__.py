"""`grader export --for SYSTEM`: the class's marks as the file that this system imports. A system is
one function from marks to a file's content, entered in `SYSTEMS`; docs/gradebooks.md says by what
documentation each goes."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from .. import ClassroomError
from ..marks import Marks
from . import plain, platforms

Decimal = Literal[".", ","]


@dataclass(frozen=True)
class System:
    """`write` gives the file's content; `suffix` ends its name. `comma`: that it reads numbers with
    a decimal comma; `nameless`: that it can do without names."""

    write: Callable[[Marks, Decimal], bytes]
    suffix: str
    comma: bool = False
    nameless: bool = False


SYSTEMS = {
    "canvas": System(platforms.canvas, ".csv", comma=True),
    "moodle": System(platforms.moodle, ".csv", comma=True),
    "blackboard": System(platforms.blackboard, ".txt"),
    "brightspace": System(platforms.brightspace, ".csv"),
    "csv": System(plain.delimited, ".csv", comma=True, nameless=True),
    "xlsx": System(plain.workbook, ".xlsx", nameless=True),
}

PLATFORMS = ("canvas", "moodle", "blackboard", "brightspace")  # which have columns of their own


def column(system: str, lesson: str, headings: tuple[str, ...]) -> str:
    """What to say of the columns of a platform that match a lesson."""
    if not headings:
        return f"No column of {system} matches {lesson}: it gets a new one."
    if len(headings) == 1:
        return f'{lesson} is the column "{headings[0]}" of {system}.'
    return (
        f"Several columns of {system} match {lesson}: {', '.join(map(repr, headings))}. Choose "
        f"one: grader export {lesson} --for {system} --column {shlex.quote(headings[0])}"
    )


def content(name: str, marks: Marks, decimal: str, anonymous: bool) -> bytes:
    """The file for the system called `name`; ClassroomError where it cannot have what is asked."""
    if name not in SYSTEMS:
        raise ClassroomError(f"There is no system {name!r}; there are: {', '.join(SYSTEMS)}.")
    if decimal not in (".", ","):
        raise ClassroomError(f"--decimal is {decimal!r}, and should be a point or a comma.")
    system = SYSTEMS[name]
    if decimal == "," and not system.comma:
        raise ClassroomError(f"For {name} a decimal comma means nothing; leave --decimal out.")
    if anonymous and not system.nameless:
        raise ClassroomError(
            f"{name} knows learners by their names: --anonymous is for csv and xlsx."
        )
    for one in marks.columns:
        if len(headings := one.headings.get(name, ())) > 1:
            raise ClassroomError(column(name, one.lesson, headings))
    return system.write(marks, "," if decimal == "," else ".")
