"""Rubrics: items with points, which a person puts on answers, and the mark that comes of them.

rubric.toml has the items, by lesson and exercise. rubric.jsonl has every act of a person, one JSON
object a line: an item put on answers or taken off, an item changed, an act undone. It is only ever
added to. What counts follows from both and from the verdicts, whenever it is asked for.
docs/grades.md has the rule.

An act holds for one answer, for all equal ones, or for all with the same mistake, also for those
that are handed in later. It does not hold for another answer of the same learner.
"""

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from ..compilers.lexer import tokens, without_comments
from ..course import KINDS, Explain, Lesson, lesson
from ..course.weave import grade_id
from ..errors import NotInCourse, counted, unless
from ..grouped import grouped
from ..submissions.intake import cuda_source
from . import ClassroomError, coursefile, verdicts
from .folder import CourseFolder, user

FILE, LOG = "rubric.toml", "rubric.jsonl"
HOW = "rubric: "  # begins the reason of each mark that comes of a rubric

Entry = TypeVar("Entry")

_NEW = "# The items of rubrics: docs/grades.md says how a mark is made.\nversion = 1\n"


class RubricItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A thing that is said of answers, and the points that it adds. If `mistake` is a named
    mistake's, they take the place of the points that the grader takes off for that mistake."""

    text: str
    points: float
    mistake: str = ""

    def __post_init__(self) -> None:
        unless(math.isfinite(self.points), ValueError("points must be a number"))


class _RubricFile(msgspec.Struct, forbid_unknown_fields=True):
    version: Literal[1]
    lessons: dict[str, dict[str, dict[str, RubricItem]]] = {}  # msgspec copies it


class RubricAct(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line of the log. It puts an `item` on answers or, where it is not `on`, takes it off. With
    `before` or `after` it changes the item itself; with `undoes` it undoes an earlier act."""

    number: int
    when: str  # UTC
    who: str
    lesson: str
    exercise: str
    item: str = ""
    on: bool = True
    # The answers that it holds for: by the name of an attribute of `AnswerToMark`, its values;
    # nothing where it changes an item or undoes an act.
    whose: dict[Literal["learner", "section", "name", "mistake"], tuple[str, ...]] = {}
    line: int = 0  # of the answer, from 1; 0: none
    code: str = ""  # the text of that line
    before: RubricItem | None = None
    after: RubricItem | None = None
    hand: float | None = None  # the mark by hand that it replaced
    undoes: int = 0


@dataclass(frozen=True)
class AnswerToMark:
    """A learner's answer to an exercise, with the grader's verdict."""

    learner: str
    section: str  # the learner's; empty: none
    exercise: str
    source: str
    kept: verdicts.KeptVerdict

    @cached_property
    def name(self) -> str:
        """A name that answers share which are equal but for white space, and kernels also but for
        comments, texts but for capitals."""
        is_kernel = KINDS[self.kept["verdict"].get("kind", "write")].magic == "cuda"
        text = without_comments(self.source) if is_kernel else self.source.casefold()
        return verdicts.named("".join(text.split()))

    @cached_property
    def mistake(self) -> str:
        """The named mistake that the grader found, else the status and the text of the line that
        the verdict names; empty where it names none."""
        verdict, words = self.kept["verdict"], zip(*tokens(self.source), strict=True)
        line = " ".join(word for word, at in words if at == verdict["line"])
        named = (verdict.get("partial") or {}).get("mistake", "")
        return named or (f"{verdict['status']}: {line}" if line else "")

    def line(self, act: RubricAct) -> int:
        """The line that an act is about: the nearest one with its text; 0 where there is none."""
        return min(
            (at for at, text in enumerate(self.source.split("\n"), 1) if text.strip() == act.code),
            key=lambda at: abs(at - act.line),
            default=0,
        )


@dataclass(frozen=True)
class RubricAccount:
    """How the mark of an answer comes about."""

    mark: float | None  # None: the grader's counts
    said: tuple[str, ...]  # a sentence for each item
    how: str  # all of it, in one line
    on: Mapping[str, int]  # the items, with the line that each is about


@dataclass(frozen=True)
class Rubric:
    """The rubrics of a lesson's exercises, and what was done with them."""

    items: Mapping[str, Mapping[str, RubricItem]]  # by exercise and the item's name
    edited: frozenset[tuple[str, str]]  # those that rubric.toml has
    acts: tuple[RubricAct, ...]  # oldest first

    @cached_property
    def in_force(self) -> list[RubricAct]:
        undone = {act.undoes for act in self.acts}
        return [act for act in self.acts if act.number not in undone and not act.undoes]

    def account(self, answer: AnswerToMark) -> RubricAccount | None:
        """None where nothing of a rubric bears on the answer."""
        items = self.items.get(answer.exercise, {})
        judged, verdict = verdicts.points(answer.kept), answer.kept["verdict"]
        start, fault = judged, self.fault(answer)
        on = self._on(answer, items, fault)
        # The fault is taken once: by the grader, by its item, or not at all.
        taken = fault if fault in on and (answer.exercise, fault) not in self.edited else ""
        counts, most = [one for one in on if one != taken], verdict["max_points"]
        if not taken and (fault or any(items[one].mistake for one in counts)):
            start = verdict["partial"]["of"] if fault else most
        if not counts and start == judged:
            return None
        points = (start or 0.0) + sum(items[name].points for name in counts)
        mark: float | None = round(min(max(points, 0.0), most), 4)
        given = "no mark" if judged is None else counted(round(judged, 4), "point")
        said = [_said(items[name], on[name]) for name in counts]
        if start is not None and start != judged:
            said.insert(0, f"Without the fault: {counted(start, 'point')}")
        how = ". ".join(
            part.rstrip(".")
            for part in (f"{HOW}the grader gives {given}", *said, f"In all {mark:g} of {most:g}")
        )
        return RubricAccount(None if mark == judged else mark, tuple(said), how, on)

    def fault(self, answer: AnswerToMark) -> str:
        """The item of the one fault that the grader found; empty if there is none."""
        partial = answer.kept["verdict"].get("partial") or {"mistake": None}
        return next(
            (
                name
                for name, item in self.items.get(answer.exercise, {}).items()
                if item.mistake == partial["mistake"]
            ),
            "",
        )

    def _on(
        self, answer: AnswerToMark, items: Mapping[str, RubricItem], fault: str
    ) -> dict[str, int]:
        """The items on an answer, with the line of each: the last act that holds decides."""
        on = {fault: answer.kept["verdict"]["line"] or 0} if fault else {}
        for act in self.in_force:
            holds = act.exercise == answer.exercise and act.item in items and act.whose
            if holds and all(getattr(answer, what) in few for what, few in act.whose.items()):
                line = on.pop(act.item, 0)
                if act.on:
                    on[act.item] = answer.line(act) if act.line else line
        return on


def how(account: RubricAccount | None, by_hand: float | None) -> str:
    """How a mark came about that is `by_hand` in the gradebook; empty if no rubric made it."""
    return account.how if account and account.mark is not None and account.mark == by_hand else ""


def _said(item: RubricItem, line: int) -> str:
    more = [f"{item.points:+g}" if item.points else "", f"line {line}" if line else ""]
    return item.text + (f" ({', '.join(filter(None, more))})" if any(more) else "")


# --- files ---------------------------------------------------------------------------------------


def read(course: CourseFolder, name: str) -> Rubric:
    """The rubrics of the lesson `name`. ClassroomError says what in rubric.toml cannot be."""
    listed = list[tuple[str, str, RubricItem]]()  # an exercise, an item's name, the item
    with suppress(NotInCourse):  # its folder may be gone
        listed += _first_items(lesson(name, course.kernels))
    edited = [
        (of, item, one)
        for of, mine in _file(course).lessons.get(name, {}).items()
        for item, one in mine.items()
    ]
    return Rubric(
        {
            of: dict(mine)
            for of, mine in grouped((of, (item, one)) for of, item, one in listed + edited).items()
        },
        frozenset((of, item) for of, item, _ in edited),
        tuple(act for act in logged(course.root / LOG, RubricAct) if act.lesson == name),
    )


def _first_items(about: Lesson) -> Iterator[tuple[str, str, RubricItem]]:
    """The items that nobody has to write, each after its exercise and its name: the lesson's named
    mistakes, with what the grader takes off for each. A text that a person marks has one for each
    result."""
    for wrong in about.wrong_kernels:
        points = round((about.leaves(wrong) - 1) * about.exercise(wrong.exercise).points, 2)
        yield wrong.exercise, wrong.name, RubricItem(wrong.mistake, points, wrong.mistake)
    yield from (
        (asked.name, name, RubricItem(said, part * asked.points))
        for asked in about.exercises
        if isinstance(asked.kind, Explain)
        for name, said, part in (  # of a text: an item's name, what it says, the part of the points
            ("right", "The answer is right", 1.0),
            ("in_part", "The answer is right in part", 0.5),
            ("not_right", "The answer is not right", 0.0),
        )
    )


def _file(course: CourseFolder) -> _RubricFile:
    path = course.root / FILE
    try:
        return msgspec.toml.decode(path.read_bytes() if path.exists() else _NEW, type=_RubricFile)
    except ValueError as error:  # it is no TOML, or has another form
        raise ClassroomError(f"{path}: {error}.") from error


def logged(log: Path, kind: type[Entry]) -> Iterator[Entry]:
    """The lines of a log, each the JSON of a `kind`, oldest first; one that was torn is passed
    over."""
    for line in log.read_bytes().splitlines() if log.is_file() else ():
        with suppress(msgspec.DecodeError):
            yield msgspec.json.decode(line, type=kind)


def answers(course: CourseFolder, name: str) -> Iterator[AnswerToMark]:
    """Everybody's answers to the exercises of a lesson, as they were graded last."""
    file = coursefile.read(course)
    for learner in course.learners("autograded", name):
        kept = verdicts.read_if_any(course.path("autograded", name, learner))
        graded = verdicts.cells(course.notebook("autograded", name, learner)) if kept else ()
        yield from (
            AnswerToMark(
                learner,
                file.person(learner).section,
                exercise,
                cuda_source("".join(cell["source"])),
                kept[exercise],
            )
            for cell in graded
            if (exercise := grade_id(cell)) in kept
        )


def accounts(course: CourseFolder, name: str) -> dict[tuple[str, str], RubricAccount]:
    """By learner and exercise, how each mark of a lesson comes about that a rubric bears on."""
    if not any(
        name.encode() in path.read_bytes()
        for path in (course.root / FILE, course.root / LOG)
        if path.exists()
    ):
        return {}
    rubric = read(course, name)
    return {
        (each.learner, each.exercise): account
        for each in answers(course, name)
        if (account := rubric.account(each)) is not None
    }


# --- acts ----------------------------------------------------------------------------------------


def add(course: CourseFolder, name: str, exercise: str, **act: Any) -> RubricAct:
    """Write an act of this user into the log. The caller keeps others out, by `alone`."""
    made = RubricAct(
        1 + max((one.number for one in logged(course.root / LOG, RubricAct)), default=0),
        f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}",
        *(user(), name, exercise),
        **act,
    )
    with (course.root / LOG).open("ab") as log:
        log.write(json.dumps(msgspec.to_builtins(made)).encode() + b"\n")
    return made


def put(course: CourseFolder, act: RubricAct, item: RubricItem | None) -> None:
    """Make `item` what rubric.toml has in the place of the act's item; None: nothing."""
    with coursefile.edited(course.root / FILE, _NEW, lambda _: None) as document:
        place = coursefile.table(document, "lessons", act.lesson, act.exercise)
        place.pop(act.item, None)
        place.update({act.item: msgspec.to_builtins(item)} if item else {})


def undo(course: CourseFolder, name: str, exercise: str) -> RubricAct:
    """Undo this user's last act on an exercise, and return it. ClassroomError where there is none,
    or where somebody has changed the item since."""
    mine = [
        act for act in read(course, name).in_force if (act.exercise, act.who) == (exercise, user())
    ]
    last = unless(
        mine, ClassroomError(f"You have done nothing with {exercise} that can be undone.")
    )[-1]
    if not last.whose:
        unless(
            _file(course).lessons.get(name, {}).get(exercise, {}).get(last.item)
            in (last.after, last.before),  # before: the command was killed between its files
            ClassroomError(f"Somebody has changed {last.item} since, so it stays as it is."),
        )
        put(course, last, last.before)
    add(course, name, exercise, undoes=last.number)
    return last


def rename(course: CourseFolder, old: str, new: str) -> None:
    """Give the items of a lesson its new name."""
    if old in _file(course).lessons:
        with coursefile.edited(course.root / FILE, _NEW, lambda _: None) as document:
            document["lessons"][new] = document["lessons"].pop(old)
