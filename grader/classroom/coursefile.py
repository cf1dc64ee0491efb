"""course.toml: what a department decides and nbgrader's gradebook has no field for. Who is in which
section and team, when a lesson is due for whom, what lateness costs, and which exercises count.

It lies beside the gradebook, is read at every `grader autograde` and written into the gradebook
then (see `lateness`). The commands change it; so may you. docs/course-file.md has every field.

And how a service takes a lesson: how often, from when until when, and what it answers. All of that
is data and arithmetic. Times are seconds since 1970; who calls passes the clock. A lesson with a
`start` is an exam: it has a window for each learner, and tells no diagnosis before the last window
has closed.
"""

import math
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
import tomlkit
from nbgrader.api import Grade

from ..errors import counted, unless
from ..whole_files import filed
from . import ClassroomError
from .folder import CourseFolder

FILE, VERSION = "course.toml", 1
LAST, BEST = "last", "best"
CLOSED, PASSED = "closed", "passed"
UTC_ZONE = ZoneInfo("UTC")

ALL, STATUS, NOTHING = "all", "status", "nothing"  # what a service shows, if not "visible" alone
MINUTE, DAY = 60.0, 24 * 60 * 60  # seconds
ALWAYS = (0.0, 250e9)  # a window that is open until the year 9892

_Days = Annotated[int, msgspec.Meta(ge=0)]
_Factor = Annotated[float, msgspec.Meta(ge=1, le=10)]
_Attempts, _Solutions = Literal["last", "best"], Literal["closed", "passed"]
_Exercises, _Logins = frozenset[str], tuple[str, ...]
_Sections = Annotated[frozenset[str], "sections"]  # told from _Exercises by what it is called
_WANTED: dict[object, str] = {  # what a field should be, in words
    _Days: "a whole number that is not less than 0",
    _Factor: "a number from 1 to 10, as 1.25 for a quarter more",
    bool: "true or false",
    str: "a text",
    dict: "a table",
    _Attempts: f"{LAST!r} or {BEST!r}",
    _Solutions: f"{CLOSED!r} or {PASSED!r}",
    _Exercises: "a list of exercises' names",
    _Logins: "a list of logins",
    _Sections: "a list of sections",
}

_NEW = f"# Of this course: docs/course-file.md says what each line means.\nversion = {VERSION}\n"
_PARTIAL = "partial_marks"


@dataclass(frozen=True)
class Policy:
    """The price of lateness."""

    much: float  # taken off for each step that has begun
    percent: bool  # of the most that the lesson gives; else it is points
    step: int  # seconds
    most_days: int | None = None  # work later than that is worth nothing; None: never too late

    def penalty(self, seconds: float, score: float, most: float) -> float:
        """The points off a `score` (never more than that) for being `seconds` late."""
        if seconds <= 0:
            return 0.0
        if self.most_days is not None and seconds > self.most_days * DAY:
            return score
        each = self.much / 100 * most if self.percent else self.much
        return min(score, math.ceil(seconds / self.step) * each)

    def ends(self, most: float) -> float:
        """So many seconds after it was due work is worth nothing; infinite: never. `most`: what
        the lesson gives."""
        each = self.much / 100 * most if self.percent else self.much
        return min(
            (math.ceil(most / each) - 1) * self.step if each else math.inf,
            math.inf if self.most_days is None else self.most_days * DAY,
        )


# --- how a service takes a lesson ----------------------------------------------------------------


class NotTaken(ClassroomError):
    """The service does not take, or tell, what a learner asks for. `status` is HTTP's: from 500 on
    the same request may be taken later. `more` may have the `receipt` that there is already."""

    def __init__(self, sentence: str, status: int = 403, **more: object):
        super().__init__(sentence)
        self.status, self.answer = status, {"error": sentence, **more}


class ServiceRules(msgspec.Struct, frozen=True):
    """The rules that course.toml has under lessons.NAME.serve. Times are seconds since 1970."""

    tries: Annotated[int, msgspec.Meta(ge=1)] | None = None  # None: as many as a learner likes
    cool_down: Annotated[float, msgspec.Meta(ge=0)] = 0.0  # minutes between two tries
    shows: Literal["all", "visible", "status", "nothing"] = "all"
    start: float | None = None  # None: this is no exam
    end: float | None = None
    # From the start or, where there is an end, from the learner's own beginning.
    minutes: Annotated[float, msgspec.Meta(gt=0)] | None = None
    vary: bool = False  # each learner gets variants of the exercises that have some

    def __post_init__(self) -> None:
        """ValueError names what cannot be."""
        start, end = self.start, self.end
        for fault, is_so in {
            "it has end or minutes, and no start, which makes it an exam": start is None
            and (end or self.minutes),
            "it has a start, and neither end nor minutes": start and not (end or self.minutes),
            "it ends before it starts": start and end and end <= start,
            f"it is an exam, and shows should be {STATUS!r} or {NOTHING!r}": start
            and self.shows not in (STATUS, NOTHING),
        }.items():
            unless(not is_so, ValueError(fault))

    def longer(self, factor: float) -> "ServiceRules":
        """The same for a learner with more time: windows are `factor` times as long, and pauses
        between two tries as much shorter."""
        return msgspec.structs.replace(
            self,
            cool_down=self.cool_down / factor,
            end=self.start and self.end and self.start + (self.end - self.start) * factor,
            minutes=self.minutes and self.minutes * factor,
        )

    def window(self, begun: float | None = None) -> tuple[float, float]:
        """From when until when a learner can hand in, who has begun then; None for the latest end
        there can be."""
        if self.start is None:
            return ALWAYS
        each = (self.minutes or math.inf) * MINUTE
        closes = self.end or self.start + each
        return self.start, min(closes, each + (closes if begun is None else begun))

    def require_open(self, now: float, begun: float | None) -> None:
        """NotTaken outside the learner's window."""
        opens, closes = self.window(begun)
        late = math.ceil(now - closes)
        ago = f"{late} s" if late < 120 else f"{late // 60} min"
        unless(now >= opens, NotTaken(f"This exam opens on {told(opens)}."))
        unless(
            now <= closes,
            NotTaken(
                f"This exam closed for you on {told(closes)}, {ago} ago: nothing more is taken. "
                "When it is over for all, `grader submit LESSON --results` shows your results."
            ),
        )

    def require_try(self, before: Sequence[float], now: float, begun: float | None) -> None:
        """NotTaken if no try is possible now; `before` are the times of earlier ones."""
        self.require_open(now, begun)
        last = max((at for at in before if at <= now), default=0.0)
        wait = math.ceil(last + self.cool_down * MINUTE - now)
        unless(
            self.start is None or begun is not None,
            NotTaken("Begin this exam first: `grader exam` gives you your notebook."),
        )
        unless(
            len(before) < (self.tries or math.inf),
            NotTaken(
                f"This lesson has {counted(self.tries or 0, 'try', 'tries')}, and you have used "
                "all of them."
            ),
        )
        unless(
            wait <= 0,
            NotTaken(
                "Between two tries of this lesson there is a pause: the next one is possible in "
                f"{wait} s.",
                429,
            ),
        )


def shown(moment: float) -> str:
    """A time as nbgrader writes it beside a submission."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S.%f} UTC"


def told(moment: float) -> str:
    """The same for a person, who needs no fractions of a second."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M:%S} UTC"


# --- the file ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Plan:
    """The plan for a lesson. Times are UTC without a zone, as in nbgrader's gradebook."""

    due: datetime | None = None  # None: not due
    late: Policy | None = None  # None: nbgrader's own plug-in says what lateness costs
    attempts: str = LAST  # or BEST: which of several counts
    teams: bool = False  # a team hands in together
    extra: frozenset[str] = frozenset()  # exercises that are extra credit
    optional: frozenset[str] = frozenset()  # exercises that add nothing
    sections: Mapping[str, datetime] = field(default_factory=dict)  # when it is due for those
    extensions: Mapping[str, datetime] = field(default_factory=dict)  # the same by learner
    # By learning platform, what that calls the lesson's column; several names where it is not
    # known which of them is the lesson's.
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    # From when on feedback shows our solutions: CLOSED, when nobody can hand in any more, or
    # PASSED, to whoever has passed.
    solutions: str = CLOSED
    service: ServiceRules = field(default_factory=ServiceRules)  # how `grader serve` takes it

    @property
    def outside(self) -> frozenset[str]:
        """The exercises whose points are not in the lesson's maximum."""
        return self.extra | self.optional


@dataclass(frozen=True)
class Person:
    """A learner on the roster."""

    section: str = ""
    team: str = ""
    more_days: int = 0  # so many days later every lesson is due
    time_factor: float = 1.0  # by which windows of minutes or hours are longer, as an exam's
    also: tuple[str, ...] = ()  # other logins under which this learner hands in
    # The row of each learning platform that the roster came from.
    systems: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class CourseFile:
    """The whole file."""

    zone: ZoneInfo = UTC_ZONE
    late_days: int = 0  # so many days late a learner may be in all without a penalty
    # One fault that a lesson names leaves a part of the points; `settle` writes that into the file
    # of a course without marks.
    partial_marks: bool = False
    lessons: Mapping[str, Plan] = field(default_factory=dict)
    learners: Mapping[str, Person] = field(default_factory=dict)
    tas: Mapping[str, frozenset[str]] = field(default_factory=dict)  # by login: sections

    def plan(self, lesson: str) -> Plan:
        return self.lessons.get(lesson, Plan())

    def closes(self, lesson: str) -> float:
        """When the window of the last learner has closed, with all the extra time."""
        factors = (one.time_factor for one in self.learners.values())
        return self.plan(lesson).service.longer(max(factors, default=1.0)).window()[1]

    def person(self, learner: str) -> Person:
        return self.learners.get(learner, Person())

    def team(self, lesson: str, learner: str) -> tuple[str, ...]:
        """Everybody who shares what this learner hands in for the lesson, by name."""
        name = self.person(learner).team if self.plan(lesson).teams else ""
        return (
            tuple(sorted(one for one, who in self.learners.items() if who.team == name))
            if name
            else (learner,)
        )

    def sections_of(self, user: str, asked: str | None) -> frozenset[str] | None:
        """The sections that a command of `user` is about: the one `asked` for or, for a TA, the
        TA's own; None: all learners. ClassroomError where there is no such section, or where it is
        another TA's."""
        own = self.tas.get(user)
        if asked is None:
            return own
        known = {one.section for one in self.learners.values()}.union(*self.tas.values()) - {""}
        unless(
            asked in known,
            ClassroomError(
                f"Nobody is in section {asked!r}; there are: {', '.join(sorted(known)) or 'none'}."
            ),
        )
        unless(
            own is None or asked in own,
            ClassroomError(
                f"{FILE} says that {user} is a TA of {', '.join(sorted(own or ()))}, and not of "
                f"{asked}."
            ),
        )
        return frozenset({asked})

    def off_roster(self, learners: Iterable[str]) -> list[str]:
        """Those who are not on the roster; nobody where no roster was ever read."""
        has_roster = any(who.systems for who in self.learners.values())
        return sorted(set(learners) - self.learners.keys()) if has_roster else []

    def local(self, when: datetime) -> str:
        """A time of the gradebook as people here write it."""
        return when.replace(tzinfo=UTC).astimezone(self.zone).strftime("%Y-%m-%d %H:%M")

    def at(self, moment: float) -> str:
        """The same of seconds since 1970."""
        return self.local(datetime.fromtimestamp(moment, UTC))


def read(course: CourseFolder) -> CourseFile:
    """The course's file; without one, a course without due dates. ClassroomError names what in it
    cannot be."""
    path = course.root / FILE
    if not os.path.lexists(path):  # else nobody would be late any more
        return CourseFile()
    try:
        return _course(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ClassroomError(f"{path} is no TOML: {error}.") from error
    except ClassroomError as error:
        raise ClassroomError(f"{path}: {error}") from error


def changed(course: CourseFolder) -> AbstractContextManager[tomlkit.TOMLDocument]:
    """The file's document, to be changed."""
    return edited(course.root / FILE, _NEW, _course)


@contextmanager
def edited(path: Path, new: str, check: Callable[[str], object]) -> Iterator[tomlkit.TOMLDocument]:
    """A file's document, to be changed; `new` is its text if there is none yet. It is written,
    comments and all, if what came of it can be read, for which `check` raises an error."""
    document = tomlkit.parse(path.read_text(encoding="utf-8") if os.path.lexists(path) else new)
    yield document
    text = tomlkit.dumps(document)
    check(text)
    filed(path, text)


def settle(course: CourseFolder) -> None:
    """Turn partial marks on where nothing is said of them and nobody has a mark yet: what has been
    marked without them is not marked otherwise in silence."""
    path = course.root / FILE
    if path.is_file() and _PARTIAL in tomllib.loads(path.read_text(encoding="utf-8")):
        return
    with course.gradebook() as gradebook:
        marked = (
            gradebook.db.query(Grade)
            .filter(Grade.auto_score.isnot(None) | Grade.manual_score.isnot(None))
            .first()
        )
    if marked is None:
        with changed(course) as document:
            document[_PARTIAL] = True


def table(document: Any, *names: str) -> Any:
    """The table of that name within `document`, made if there is none."""
    for name in names:
        document = document.setdefault(name, tomlkit.table())
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
    return (text if text.tzinfo else text.replace(tzinfo=zone)).astimezone(UTC).replace(tzinfo=None)


def parse_policy(text: str, where: str) -> Policy:
    """The policy that a sentence means, as "10%/day, at most 3 days", "2 points/day" or "none":
    nothing that is late counts. ClassroomError."""
    said = " ".join(text.lower().split())
    if said == "none":
        return Policy(100, True, DAY, 0)
    found = unless(
        re.fullmatch(
            r"(?P<much>\d+(?:\.\d+)?) ?(?P<unit>%|points?) ?(?:/|per|a) ?(?P<per>day|hour)"
            r"(?:, at most (?P<days>\d+) days?)?",
            said,
        ),
        ClassroomError(
            f"{where} is {text!r:.60}, and should be like '10%/day, at most 3 days', "
            "'2 points/day' or 'none'."
        ),
    )
    return Policy(
        float(found["much"]),
        percent=found["unit"] == "%",
        step=DAY if found["per"] == "day" else 60 * 60,
        most_days=int(found["days"]) if found["days"] else None,
    )


# --- from what TOML holds ------------------------------------------------------------------------


@lru_cache(maxsize=4)
def _course(text: str) -> CourseFile:
    data = tomllib.loads(text)
    _known(
        data,
        {"version", "time_zone", "late_days", _PARTIAL, "lessons", "learners", "tas"},
        "the file",
    )
    unless(
        data.get("version") == VERSION,
        ClassroomError(f"version must be {VERSION}, as this grader reads no other."),
    )
    try:
        zone = ZoneInfo(data.get("time_zone", "UTC"))
    except (KeyError, ValueError, TypeError, OSError) as error:
        raise ClassroomError(
            f"time_zone is {data['time_zone']!r}, and should be one like Europe/Berlin."
        ) from error
    lessons, learners, tas = (
        _typed(data, name, dict, {}, "the file") for name in ("lessons", "learners", "tas")
    )
    return CourseFile(
        zone,
        _typed(data, "late_days", _Days, 0, "the file"),
        _typed(data, _PARTIAL, bool, False, "the file"),
        {name: _plan(one, zone, f"lessons.{name}") for name, one in lessons.items()},
        {name: _person(one, f"learners.{name}") for name, one in learners.items()},
        {name: _typed(tas, name, _Sections, (), "tas") for name in tas},
    )


def _plan(data: Any, zone: ZoneInfo, where: str) -> Plan:
    _known(
        data,
        {
            *("due", "late", "attempts", "teams", "extra", "optional", "sections", "extensions"),
            *("columns", "solutions", "serve"),
        },
        where,
    )
    plan = Plan(
        moment(data["due"], zone, f"{where}.due") if "due" in data else None,
        parse_policy(_typed(data, "late", str, "", where), f"{where}.late")
        if "late" in data
        else None,
        _typed(data, "attempts", _Attempts, LAST, where),
        _typed(data, "teams", bool, False, where),
        _typed(data, "extra", _Exercises, (), where),
        _typed(data, "optional", _Exercises, (), where),
        **{
            name: {
                who: moment(when, zone, f"{where}.{name}.{who}")
                for who, when in _typed(data, name, dict, {}, where).items()
            }
            for name in ("sections", "extensions")
        },
        columns={
            name: (it,) if isinstance(it, str) else tuple(it)
            for name, it in _typed(data, "columns", dict, {}, where).items()
        },
        solutions=_typed(data, "solutions", _Solutions, CLOSED, where),
        service=_service(_typed(data, "serve", dict, {}, where), zone, f"{where}.serve"),
    )
    both = min(plan.extra & plan.optional, default="")
    unless(
        not both, ClassroomError(f"{where}: {both} is in extra and in optional; keep it in one.")
    )
    unless(
        plan.due or not (plan.sections or plan.extensions),
        ClassroomError(f"{where} has no due, which its sections and extensions change."),
    )
    unless(
        not (plan.teams and plan.service.vary),
        ClassroomError(f"{where} has teams and serve.vary, but variants are each learner's own."),
    )
    return plan


def _service(data: dict[str, Any], zone: ZoneInfo, where: str) -> ServiceRules:
    _known(data, {*ServiceRules.__struct_fields__}, where)
    times = {
        name: moment(data[name], zone, f"{where}.{name}").replace(tzinfo=UTC).timestamp()
        for name in {"start", "end"} & data.keys()
    }
    try:
        return msgspec.convert(
            {"shows": NOTHING if "start" in data else ALL, **data, **times}, ServiceRules
        )
    except msgspec.ValidationError as error:
        raise ClassroomError(f"{where}: {error}.") from error


def _person(data: Any, where: str) -> Person:
    _known(
        data,
        {
            *("section", "team", "more_days", "time_factor", "also"),
            *("canvas", "moodle", "blackboard", "brightspace", "csv"),
        },
        where,
    )
    return Person(
        _typed(data, "section", str, "", where),
        _typed(data, "team", str, "", where),
        _typed(data, "more_days", _Days, 0, where),
        _typed(data, "time_factor", _Factor, 1.0, where),
        also=tuple(sorted({*_typed(data, "also", _Logins, (), where)})),
        systems={name: dict(row) for name, row in data.items() if isinstance(row, dict)},
    )


def _known(data: Any, names: set[str], where: str) -> None:
    unless(isinstance(data, dict), ClassroomError(f"{where} should be a table."))
    if strange := data.keys() - names:
        raise ClassroomError(
            f"{where} cannot have {min(strange)!r}; it can have {', '.join(sorted(names))}."
        )


def _typed(data: dict[str, Any], name: str, kind: Any, default: object, where: str) -> Any:
    try:
        return msgspec.convert(data.get(name, default), kind)
    except msgspec.ValidationError:
        raise ClassroomError(f"{where}: {name} should be {_WANTED[kind]}.") from None
