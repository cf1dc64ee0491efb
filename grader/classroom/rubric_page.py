"""`grader rubric`: a page on which instructors and TAs mark a lesson's answers by rubrics, served
from here as a lecture is. Each act goes into the log, into the gradebook and into changes.jsonl
before the page shows it."""

import math
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from msgspec import to_builtins

from ..course import Lesson
from ..course.weave import CHECK
from ..errors import unless
from ..learner.asking import checked
from . import ClassroomError, changes, export, rubric
from .folder import CourseFolder, alone, user
from .grading import settle

PATIENCE = 10  # seconds that an act waits for another TA's
SHOWN = 15  # acts in the list of the last ones
ONE, EQUAL, MISTAKE = "one", "equal", "mistake"  # answers that an act holds for

Decided = dict[tuple[str, str], float | None]  # by learner and exercise; see `grading.settle`


@dataclass(frozen=True)
class RubricPage:
    """The answers to a lesson's exercises, of those whom `names` gives, and who may mark them."""

    lesson: Lesson
    names: export.ShownNames
    token: str = field(default_factory=secrets.token_urlsafe)
    _turn: Lock = field(default_factory=Lock)

    @property
    def page(self) -> str:
        return Path(__file__).with_name("pages").joinpath("rubric.html").read_text("utf-8")

    @property
    def course(self) -> CourseFolder:
        return self.names.course

    def answer(self, asked: Any) -> dict[str, Any]:
        """Do what is asked, if anything is; all that the page shows of one exercise then."""
        exercise = str(asked["exercise"] or self.lesson.exercises[0].name)
        with self._turn:
            if act := asked.get("act"):
                self.do(self.lesson.exercise(exercise).name, act)
            return self._state(exercise)

    def do(self, exercise: str, act: Mapping[str, Any]) -> None:
        """An act on an exercise, and all that comes of it in the gradebook. `do` says which:
        "undo", "item" (add, change or remove one), "put" (an item on answers, or off) or, so that
        marks follow a rubric.toml that was edited, "nothing"."""
        with alone(self.course, PATIENCE):
            before, decided = changes.record(self.course, self.lesson.name), Decided()
            if act["do"] == "undo":
                undone = rubric.undo(self.course, self.lesson.name, exercise)
                if undone.hand is not None:
                    decided = self._decided(undone.learner, exercise, undone.hand)
            elif act["do"] == "item":
                self._change(exercise, act)
            elif act["do"] == "put":
                decided = self._put(exercise, act, before)
            settle(self.course, self.names.file, self.lesson.name, before, decided)

    def _decided(self, learner: str, exercise: str, mark: float | None) -> Decided:
        team = self.names.file.team(self.lesson.name, learner)
        return {(mate, exercise): mark for mate in team}

    def _put(self, exercise: str, act: Mapping[str, Any], before: changes.State) -> Decided:
        """Put an item on answers, or take it off. A mark by hand of the one answer gives way."""
        name, learner, item = self.lesson.name, str(act["learner"]), str(act["item"])
        found = [
            each
            for each in rubric.answers(self.course, name)
            if (each.learner, each.exercise) == (learner, exercise)
        ]
        known = rubric.read(self.course, name).items.get(exercise, {})
        unless(
            found and item in known,
            ClassroomError(f"{learner}'s answer to {exercise}, or the item {item}, is gone."),
        )
        (answer,), scope, line = found, act["scope"], int(act.get("line") or 0)
        unless(
            scope != MISTAKE or answer.mistake,
            ClassroomError("The grader names no mistake in this answer: choose other answers."),
        )
        was = before.get((learner, exercise))
        by_hand = was is not None and was.by_hand and not was.why.startswith(rubric.HOW)
        rubric.add(
            *(self.course, name, exercise),
            item=item,
            on=bool(act["on"]),
            learner=learner if scope == ONE else "",
            answer="" if scope == MISTAKE else answer.name,
            mistake=answer.mistake if scope == MISTAKE else "",
            sections=tuple(sorted(self.names.sections or ())),
            line=line,
            code="".join(answer.source.split("\n")[line - 1 : line]).strip() if line else "",
            hand=was.after if was and by_hand and scope == ONE else None,
        )
        return self._decided(learner, exercise, None) if scope == ONE else {}

    def _change(self, exercise: str, act: Mapping[str, Any]) -> None:
        """Add an item, change it or take it away, for all answers."""
        known, most = rubric.read(self.course, self.lesson.name), self._most(exercise)
        items, points = known.items.get(exercise, {}), float(act.get("points") or 0.0)
        item, after = str(act.get("item") or ""), None
        if not act.get("remove"):
            text = " ".join(checked(str(act["text"])).split())
            unless(
                math.isfinite(points) and abs(points) <= most,
                ClassroomError(f"{exercise} has {most:g} points: give from {-most:g} to {most:g}."),
            )
            after = rubric.RubricItem(text, points, items[item].mistake if item in items else "")
            name = re.sub(r"\W+", "_", text.casefold()).strip("_")[:30] or "item"
            item = item or next(
                free
                for free in (name, *(f"{name}_{n}" for n in range(2, 999)))
                if free not in items
            )
        kept = items[item] if (exercise, item) in known.edited else None
        unless(kept or after, ClassroomError(f"{item!a} is not in {rubric.FILE}, and so stays."))
        made = rubric.add(
            self.course, self.lesson.name, exercise, item=item, before=kept, after=after
        )
        rubric.put(self.course, made, after)

    def _most(self, exercise: str) -> float:
        return self.lesson.exercise(exercise).points

    # --- what the page shows ---------------------------------------------------------------------

    def _state(self, exercise: str) -> dict[str, Any]:
        known = rubric.read(self.course, self.lesson.name)
        with self.course.gradebook() as gradebook:
            called = self.names.called(gradebook)
            marks = {
                (mark.learner, mark.cell.removeprefix(CHECK)): mark
                for mine in export.by_learner(gradebook, self.lesson.name).values()
                for mark in mine
                if self.names.has(mark.learner)
            }
        acts = [act for act in known.acts if act.exercise == exercise]
        in_force = {act.number for act in known.in_force}
        return {
            "lesson": self.lesson.name,
            "who": user(),
            "sections": sorted(self.names.sections or ()),
            "exercise": exercise,
            "exercises": [
                {
                    "name": each.name,
                    "title": each.title,
                    "most": each.points,
                    "left": sum(
                        name == each.name and mark.score is None
                        for (_, name), mark in marks.items()
                    ),
                }
                for each in self.lesson.exercises
            ],
            "items": [
                {**to_builtins(one), "item": item, "edited": (exercise, item) in known.edited}
                for item, one in known.items.get(exercise, {}).items()
            ],
            "answers": [
                _shown(known, each, marks[each.learner, exercise], called.get(each.learner, ""))
                for each in rubric.answers(self.course, self.lesson.name)
                if each.exercise == exercise and (each.learner, exercise) in marks
            ],
            "acts": [
                {**to_builtins(act), "holds": act.number in in_force}
                for act in acts[: -SHOWN - 1 : -1]
            ],
        }


def _shown(
    known: rubric.Rubric, answer: rubric.AnswerToMark, mark: export.GradebookMark, called: str
) -> dict[str, Any]:
    """An answer as the page has it."""
    verdict, account = answer.kept["verdict"], known.account(answer)
    how = rubric.how(account, mark.by_hand)
    return {
        "learner": answer.learner,
        "called": called,
        "section": known.file.person(answer.learner).section,
        "source": answer.source,
        "same": answer.name,
        "mistake": answer.mistake,
        "status": verdict["status"],
        "message": verdict.get("message", ""),
        "line": verdict["line"],
        "fault": known.fault(answer),
        "on": account.on if account else dict.fromkeys(filter(None, [known.fault(answer)]), 0),
        "judged": mark.by_judge,
        "mark": mark.score,
        "by_hand": mark.by_hand is not None and not how,
        "how": how or (account.how if account else ""),
    }
