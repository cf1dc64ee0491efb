"""Who is in the class: read from what a learning platform exports, into nbgrader's gradebook (id,
name, e-mail) and course.toml (section, team, and the platform's own columns, for the way back).

Which column of a platform is a lesson's has to be found out: teachers call them "Lab 02 Tree
reduction", "HW2: tree reductions" or "Assignment 2", and platforms add numbers and words of their
own.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import tomlkit

from ..errors import unless
from ..submissions.intake import is_name
from . import ClassroomError, coursefile, spreadsheets
from .folder import CourseFolder

Row = Mapping[str, str]  # by the column's name


@dataclass(frozen=True)
class RosterFormat:
    """How a platform's file is known, and what its columns are called."""

    name: str
    mark: tuple[str, ...]  # columns that no other system has
    kept: tuple[str, ...] = ()  # columns that its own import asks for
    id: tuple[str, ...] = ()  # columns, as the next two in this order of preference
    section: tuple[str, ...] = ()
    team: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()  # how rows begin that are no learner's
    several: bool = True  # a cell may name several sections or teams, of which the first counts


SYSTEMS = (
    RosterFormat(
        "canvas",
        mark=("Student", "ID"),
        kept=("Student", "ID", "SIS User ID", "SIS Login ID", "Integration ID", "Section"),
        id=("SIS Login ID", "SIS User ID", "ID"),
        section=("Section",),
        team=("Group Name",),
        skipped=("Points Possible", "Student, Test", "Manual Posting"),
    ),
    RosterFormat(
        "brightspace",
        mark=("OrgDefinedId",),
        kept=("OrgDefinedId", "Username"),
        id=("Username", "OrgDefinedId"),
        section=("Sections", "Section"),
        team=("Groups", "Group"),
    ),
    RosterFormat(
        "blackboard",
        mark=("Last Name", "First Name", "Username"),
        kept=("Last Name", "First Name", "Username", "Student ID"),
        id=("Username", "Student ID"),
    ),
    RosterFormat(
        "moodle",
        mark=("Email address",),
        kept=("Username", "ID number", "Email address"),
        id=("Username", "ID number", "Email address"),
        section=("Section",),
        team=("Group", "Groups"),
    ),
    RosterFormat(
        "csv",
        mark=(),
        kept=("id",),
        id=("id", "learner", "login", "username", "student_id"),
        section=("section",),
        team=("team", "group"),
        several=False,
    ),
)
_FIRST = ("First Name", "First name", "FirstName", "first_name", "first name")
_LAST = ("Last Name", "Last name", "LastName", "Surname", "last_name", "last name")
_WHOLE = ("Student", "name")
_EMAIL = ("Email address", "Email Address", "Email", "email", "e-mail")
# What stands behind a last name and is a part of it; behind a comma it is no first name.
_SUFFIX = re.compile(r"([js]n?r|junior|senior|i{2,3}|iv|vi{1,3}|ix|esq|ph\.?d|m\.?d)\.?", re.I)
_SEVERAL = re.compile(r"\s*(?:,|;|\band\b)\s*")  # where a cell names several sections

# Words that say that a column is some lesson's, and not which.
_GENERAL = frozenset(
    re.findall(
        r"\w+",
        "a an and assessment assignment chapter course cuda ex exercise for homework hw in l lab "
        "laboratory lesson module no nr number of on p part points practical problem project ps "
        "session set sheet task the to topic unit week",
    )
)
# Words of a column that is no lesson's, though it may be about one.
_OTHER = frozenset(
    re.findall(r"\w+", "attendance exam final midterm participation quiz quizze review survey test")
)
Rank = tuple[int, int, int]  # the name: 3 it is all of the heading, 2 a part, 1 it is not there


@dataclass(frozen=True)
class RosterMember:
    """A learner as a roster has it. `first` is all of a name that is in one piece."""

    id: str
    first: str
    last: str
    email: str
    section: str
    team: str
    row: Row


@dataclass(frozen=True)
class Roster:
    """A file of a learning platform."""

    system: RosterFormat  # where it is from
    members: tuple[RosterMember, ...]
    headings: tuple[str, ...]  # of its columns


def read(
    path: Path, id: str | None = None, section: str | None = None, team: str | None = None
) -> Roster:
    """The roster in a file; `id`, `section` and `team` name the columns to take instead of the
    system's usual ones. ClassroomError names the line that cannot be."""
    head, *rest = spreadsheets.read(path)
    system = unless(
        next(
            (
                system
                for system in SYSTEMS
                if {*system.mark} <= {*head} and not {*system.id}.isdisjoint(head)
            ),
            None,
        ),
        ClassroomError(
            f"No learner's id is known by these columns: {', '.join(head[:12])}; a plain CSV file "
            "needs one called id."
        ),
    )
    members: dict[str, RosterMember] = {}
    chosen: dict[str, Any] = {
        name: (column,)
        for name, column in (("id", id), ("section", section), ("team", team))
        if column
    }
    for (column,) in chosen.values():
        unless(
            column in head,
            ClassroomError(f"{path.name} has no column {column!r}; it has {', '.join(head[:12])}."),
        )
    for number, cells in enumerate(rest, 2):
        member = _member(replace(system, **chosen), dict(zip(head, cells, strict=False)))
        if cells[0].startswith(system.skipped) or not (member.id or member.first or member.last):
            continue
        unless(
            is_name(member.id),
            ClassroomError(
                f"{path.name}, row {number}: {member.id!r} is no learner's id (letters, digits and "
                ". _ - @ +); --id COLUMN takes it from another column."
            ),
        )
        unless(
            member.id not in members,
            ClassroomError(f"{path.name}, row {number}: {member.id} is there twice."),
        )
        members[member.id] = member
    return Roster(system, tuple(members.values()), tuple(head))


def keep(
    course: CourseFolder, roster: Roster, lessons: Mapping[str, str]
) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Put the roster into gradebook and course file. Returns who is in the gradebook and not in it,
    for nobody is removed; and by lesson what the platform calls its column, or columns, where that
    is not sure. `lessons` gives titles by name, to know their columns by."""
    with course.gradebook() as gradebook:
        known = {one.id for one in gradebook.students}
        for one in roster.members:
            fields = {"email": one.email} if one.email else {}
            if one.first or one.last:  # both, as all of a name may stand in one of them
                fields |= {"first_name": one.first, "last_name": one.last}
            gradebook.update_or_create_student(
                one.id,
                **{name: spreadsheets.plain(value) or None for name, value in fields.items()},
            )
    before = coursefile.read(course)
    matched = _columns(roster, lessons, before)
    with coursefile.changed(course) as document:
        coursefile.table(document, "learners").update(
            {one.id: _entry(roster.system, one, before.person(one.id)) for one in roster.members}
        )
        for lesson, found in matched.items():
            coursefile.table(document, "lessons", lesson, "columns")[roster.system.name] = (
                found[0] if len(found) == 1 else list(found)
            )
    return sorted(known - {one.id for one in roster.members}), matched


def _columns(
    roster: Roster, lessons: Mapping[str, str], before: coursefile.CourseFile
) -> dict[str, tuple[str, ...]]:
    """By lesson, the columns that match it, if any does. One that was chosen stays while the
    platform has it."""
    if roster.system.name == "csv":
        return {}
    about = {*roster.system.id, *roster.system.kept, *_FIRST, *_LAST, *_WHOLE, *_EMAIL}
    found = matches(lessons, (one for one in roster.headings if one not in about))
    chosen = {name: before.plan(name).columns.get(roster.system.name, ()) for name in lessons}
    return {name: one for name, one in found.items() if one} | {
        name: one for name, one in chosen.items() if len(one) == 1 and one[0] in roster.headings
    }


def _entry(system: RosterFormat, member: RosterMember, before: coursefile.Person) -> Any:
    """A learner's line in course.toml; what this roster does not say stays as it was."""
    known = {
        "section": member.section or before.section,
        "team": member.team or before.team,
        "more_days": before.more_days,
        "also": list(before.also),
    }
    entry = tomlkit.inline_table()
    entry.update(
        {
            **{name: value for name, value in known.items() if value},
            **before.systems,
            system.name: {name: member.row[name] for name in system.kept if name in member.row},
        }
    )
    return entry


def _member(system: RosterFormat, row: Row) -> RosterMember:
    # Brightspace puts # in front.
    login = _any(row, system.id).lstrip("#")
    first, last = _any(row, _FIRST), _any(row, _LAST)
    if not first and not last:  # `Last, First`; all of a name that has no such comma is the first
        # East Asia's and Arabic's commas are meant, too.
        last, *others = re.split(r"\s*[,\uff0c\u060c\u3001]\s*", _any(row, _WHOLE))
        suffixes = [one for one in others if _SUFFIX.fullmatch(one)]
        first = " ".join(one for one in others if one not in suffixes)
        last = " ".join([last, *suffixes])
        first, last = (first, last) if first else (_any(row, _WHOLE), "")
    section, team = _any(row, system.section), _any(row, system.team)
    if system.several:
        section, team = _SEVERAL.split(section)[0], _SEVERAL.split(team)[0]
    return RosterMember(login, first, last, _any(row, _EMAIL), section, team, row)


def _any(row: Row, columns: Iterable[str]) -> str:
    return next((row[name] for name in columns if row.get(name)), "")


# --- columns -------------------------------------------------------------------------------------


def matches(lessons: Mapping[str, str], headings: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """By lesson, the headings that match it best: none, one, or several that match alike.
    `lessons` gives titles by name. A heading that another lesson matches as well is not taken."""
    ranks: dict[str, dict[str, Rank]] = {name: {} for name in lessons}
    for heading in dict.fromkeys(headings):
        found = {name: _rank(heading, name, title) for name, title in lessons.items()}
        best = max(filter(None, found.values()), default=None)
        owners = [name for name, rank in found.items() if rank and rank == best]
        if best and len(owners) == 1:
            ranks[owners[0]][heading] = best
    # Neither of two that hold the name is better for being shorter.
    most = {
        name: max((rank[:2] for rank in mine.values()), default=None)
        for name, mine in ranks.items()
    }
    return {
        name: tuple(heading for heading, rank in mine.items() if rank[:2] == most[name])
        for name, mine in ranks.items()
    }


def _rank(heading: str, name: str, title: str) -> Rank | None:
    """How well a heading matches a lesson: by its name or title, by its number (1 the same, 0 none,
    -1 another), by how many of its words; None where it is not the lesson's."""
    if re.search(  # it takes no points, though a lesson's name may stand in it
        r"\((feedback|percentage|letter)\)$|\b(text grade|(current|final) (score|points|grade))\b",
        heading,
        re.IGNORECASE,
    ):
        return None
    own = re.sub(  # without what a platform puts behind a column's own name
        r"\s*(\(\d+\)|\(real\)|\[total pts:[^\]]*\]\s*(\|\d+)?|points grade.*)\s*$",
        "",
        heading,
        flags=re.IGNORECASE,
    )
    if own.casefold() in (name.casefold(), title.casefold()):
        return (3, 1, len(_words(name)[0]))
    (words, numbers), (_, own_numbers) = _words(own), _words(name)
    number = next(iter(own_numbers), None)
    agrees = 0 if not numbers or number is None else 1 if number in numbers else -1
    wanted = [_words(text)[0] for text in (name, title)]
    # How many words of the name or of the title stand there, if all do, also as one word.
    there = (mine for mine in wanted if "".join(mine) in words or set(mine) <= set(words))
    held = max(map(len, there), default=0)
    if _OTHER & set(words) - {word for mine in wanted for word in mine}:
        return None
    unexplained = len(set(words) - _GENERAL)
    if held and (agrees >= 0 or unexplained <= held):
        return (2, agrees, held)
    return (1, 1, 0) if agrees == 1 and len(numbers) == 1 and not unexplained else None


def _words(text: str) -> tuple[list[str], list[int]]:
    """The words, without capitals and the s of a plural, and the numbers. Where a small letter
    meets a capital, as in TreeReduction, a word begins."""
    found = re.findall(r"[^\W\d_]+|\d+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text))
    words = [word.casefold() for word in found if not word.isdigit()]
    numbers = [int(word) for word in found if word.isdigit()]
    return [word.removesuffix("s") if len(word) > 3 else word for word in words], numbers
