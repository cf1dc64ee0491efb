"""course.toml: what a department decides and nbgrader's gradebook has no field for. Who is in which
section and team, when a lesson is due for whom, what lateness costs, and which exercises count.

It lies beside the gradebook, is read at every `grader autograde` and written into the gradebook
then (see `lateness`). The commands change it; so may you. docs/course-file.md has every field.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

import tomlkit
from nbgrader.api import Grade

from . import ClassroomError
from .files import whole
from .folder import CourseFolder
from .policy import Policy, parse

FILE, VERSION = "course.toml", 1
LAST, BEST = "last", "best"
CLOSED, PASSED = "closed", "passed"
UTC_ZONE = ZoneInfo("UTC")

_HEAD = "Of this course: docs/course-file.md says what each line means."
_PARTIAL = "partial_marks"
_COURSE = {"version", "time_zone", "late_days", _PARTIAL, "lessons", "learners"}
_LESSON = {"due", "late", "attempts", "teams", "extra", "optional", "sections", "extensions"}
_LESSON |= {"columns", "solutions"}
_PERSON = {"section", "team", "also", "canvas", "moodle", "blackboard", "brightspace", "csv"}


@dataclass(frozen=True)
class Plan:
    """What holds for a lesson. Times are UTC without a zone, as in nbgrader's gradebook; None: not
    due. `solutions` says from when on feedback shows ours: CLOSED, when nobody can hand in any
    more, or PASSED, to whom has passed. `sections` and `extensions` say when it is due for a
    section, or a learner, instead; `columns` what a learning platform calls its column; several
    names where it is not known which of them is the lesson's."""

    due: datetime | None = None
    late: Policy | None = None
    attempts: str = LAST
    teams: bool = False
    extra: frozenset[str] = frozenset()
    optional: frozenset[str] = frozenset()
    sections: Mapping[str, datetime] = field(default_factory=dict)
    extensions: Mapping[str, datetime] = field(default_factory=dict)
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    solutions: str = CLOSED

    @property
    def outside(self) -> frozenset[str]:
        """The exercises whose points are not in the lesson's maximum."""
        return self.extra | self.optional


@dataclass(frozen=True)
class Person:
    """A learner; `systems` has the row of each learning platform that the roster came from, and
    `also` the other logins under which this learner hands in."""

    section: str = ""
    team: str = ""
    also: tuple[str, ...] = ()
    systems: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class CourseFile:
    """The whole file. `late_days`: so many days late a learner may be in all without a penalty.
    `partial_marks`: whether one fault that a lesson names leaves a part of the points; `settle`
    writes that into the file of a course without marks."""

    zone: ZoneInfo = UTC_ZONE
    late_days: int = 0
    partial_marks: bool = False
    lessons: Mapping[str, Plan] = field(default_factory=dict)
    learners: Mapping[str, Person] = field(default_factory=dict)

    def plan(self, lesson: str) -> Plan:
        return self.lessons.get(lesson, Plan())

    def person(self, learner: str) -> Person:
        return self.learners.get(learner, Person())

    def team(self, lesson: str, learner: str) -> tuple[str, ...]:
        """Everybody who shares what this learner hands in for the lesson, by name."""
        name = self.person(learner).team if self.plan(lesson).teams else ""
        if not name:
            return (learner,)
        return tuple(sorted(one for one, who in self.learners.items() if who.team == name))

    def off_roster(self, learners: Iterable[str]) -> list[str]:
        """Those who are not on the roster; nobody where no roster was ever read."""
        has_roster = any(who.systems for who in self.learners.values())
        return sorted(set(learners) - self.learners.keys()) if has_roster else []

    def local(self, when: datetime) -> str:
        """A time of the gradebook as people here write it."""
        return when.replace(tzinfo=UTC).astimezone(self.zone).strftime("%Y-%m-%d %H:%M")


def read(course: CourseFolder) -> CourseFile:
    """The course's file; without one, a course without due dates. ClassroomError names what in it
    cannot be."""
    path = course.root / FILE
    if not os.path.lexists(path):  # else nobody would be late any more
        return CourseFile()
    try:
        return _course(tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClassroomError(f"{path} is no TOML: {error}.") from error
    except ClassroomError as error:
        raise ClassroomError(f"{path}: {error}") from error


@contextmanager
def changed(course: CourseFolder) -> Iterator[tomlkit.TOMLDocument]:
    """The file's document, to be changed; it is written, comments and all, if what came of it can
    be read."""
    path = course.root / FILE
    if os.path.lexists(path):
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
    else:
        document = tomlkit.document()
        document.add(tomlkit.comment(_HEAD))
        document["version"] = VERSION
    yield document
    text = tomlkit.dumps(document)
    _course(tomllib.loads(text))
    path.parent.mkdir(parents=True, exist_ok=True)
    whole(path, text)


def settle(course: CourseFolder) -> None:
    """Turn partial marks on where nothing is said of them and nobody has a mark yet: what has been
    marked without them is not marked otherwise in silence."""
    path = course.root / FILE
    said = path.is_file() and _PARTIAL in tomllib.loads(path.read_text(encoding="utf-8"))
    if not (said or holds_marks(course)):
        with changed(course) as document:
            document[_PARTIAL] = True


def holds_marks(course: CourseFolder) -> bool:
    """Whether somebody has a mark in the gradebook."""
    with course.gradebook() as gradebook:
        marks = gradebook.db.query(Grade)
        given = marks.filter(Grade.auto_score.isnot(None) | Grade.manual_score.isnot(None))
        return given.first() is not None


def table(document: Any, *names: str) -> Any:
    """The table of that name within `document`, made if there is none."""
    for name in names:
        if name not in document:
            document[name] = tomlkit.table()
        document = document[name]
    return document


def moment(text: object, zone: ZoneInfo, what: str) -> datetime:
    """A time as people write it (a date alone is the end of that day) as the gradebook has it."""
    try:
        if isinstance(text, str):
            text = datetime.fromisoformat(text) if len(text) > 10 else date.fromisoformat(text)
        if isinstance(text, date) and not isinstance(text, datetime):
            text = datetime.combine(text, time(23, 59, 59))
        if not isinstance(text, datetime):
            raise ValueError(text)
    except ValueError as error:
        raise ClassroomError(
            f"{what} is {text!s:.40}, and should be a time like 2026-12-01 23:59."
        ) from error
    aware = text if text.tzinfo else text.replace(tzinfo=zone)
    return aware.astimezone(UTC).replace(tzinfo=None)


# --- from what TOML holds ------------------------------------------------------------------------


def _course(data: dict[str, Any]) -> CourseFile:
    _known(data, _COURSE, "the file")
    if data.get("version") != VERSION:
        raise ClassroomError(f"version must be {VERSION}, as this grader reads no other.")
    try:
        zone = ZoneInfo(data.get("time_zone", "UTC"))
    except (KeyError, ValueError, TypeError, OSError) as error:
        raise ClassroomError(
            f"time_zone is {data['time_zone']!r}, and should be one like Europe/Berlin."
        ) from error
    days = _typed(data, "late_days", int, 0, "the file")
    if days < 0:
        raise ClassroomError("late_days cannot be less than 0.")
    lessons = _typed(data, "lessons", dict, {}, "the file")
    learners = _typed(data, "learners", dict, {}, "the file")
    return CourseFile(
        zone,
        days,
        _typed(data, _PARTIAL, bool, False, "the file"),
        {name: _plan(one, zone, f"lessons.{name}") for name, one in lessons.items()},
        {name: _person(one, f"learners.{name}") for name, one in learners.items()},
    )


def _plan(data: Any, zone: ZoneInfo, where: str) -> Plan:
    _known(data, _LESSON, where)
    attempts = _one_of(data, "attempts", (LAST, BEST), where)
    due = moment(data["due"], zone, f"{where}.due") if "due" in data else None
    late = parse(_typed(data, "late", str, "", where), f"{where}.late") if "late" in data else None
    plan = Plan(
        due,
        late,
        attempts,
        _typed(data, "teams", bool, False, where),
        _names(data, "extra", where),
        _names(data, "optional", where),
        _moments(data, "sections", zone, where),
        _moments(data, "extensions", zone, where),
        _columns(data, where),
        _one_of(data, "solutions", (CLOSED, PASSED), where),
    )
    if both := plan.extra & plan.optional:
        raise ClassroomError(f"{where}: {min(both)} is in extra and in optional; keep it in one.")
    if due is None and (plan.sections or plan.extensions):
        raise ClassroomError(f"{where} has no due, which its sections and extensions change.")
    return plan


def _person(data: Any, where: str) -> Person:
    _known(data, _PERSON, where)
    kept = {name: dict(data[name]) for name in data if isinstance(data[name], dict)}
    also = tuple(sorted(_names(data, "also", where, "logins")))
    return Person(
        _typed(data, "section", str, "", where), _typed(data, "team", str, "", where), also, kept
    )


def _columns(data: dict[str, Any], where: str) -> dict[str, tuple[str, ...]]:
    found = _typed(data, "columns", dict, {}, where)
    return {name: (one,) if isinstance(one, str) else tuple(one) for name, one in found.items()}


def _known(data: Any, names: set[str], where: str) -> None:
    if not isinstance(data, dict):
        raise ClassroomError(f"{where} should be a table.")
    if strange := data.keys() - names:
        raise ClassroomError(
            f"{where} cannot have {min(strange)!r}; it can have {', '.join(sorted(names))}."
        )


def _typed(data: dict[str, Any], name: str, kind: type, default: object, where: str) -> Any:
    found = data.get(name, default)
    if not isinstance(found, kind) or (kind is int and isinstance(found, bool)):
        wanted = {int: "a whole number", str: "a text", bool: "true or false", dict: "a table"}
        raise ClassroomError(f"{where}: {name} should be {wanted[kind]}.")
    return found


def _one_of(data: dict[str, Any], name: str, words: tuple[str, str], where: str) -> str:
    """One of two words, the first where there is none."""
    found = data.get(name, words[0])
    if found not in words:
        raise ClassroomError(
            f"{where}.{name} is {found!r}, and should be {words[0]!r} or {words[1]!r}."
        )
    return str(found)


def _names(
    data: dict[str, Any], name: str, where: str, what: str = "exercises' names"
) -> frozenset[str]:
    found = data.get(name, [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise ClassroomError(f"{where}: {name} should be a list of {what}.")
    return frozenset(found)


def _moments(data: dict[str, Any], name: str, zone: ZoneInfo, where: str) -> dict[str, datetime]:
    found = _typed(data, name, dict, {}, where)
    return {who: moment(when, zone, f"{where}.{name}.{who}") for who, when in found.items()}
