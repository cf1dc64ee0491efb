"""`grader rubric`: a page on which instructors and TAs mark a lesson's answers by rubrics, served
from here as a lecture is. Each act goes into the log, into the gradebook and into changes.jsonl
before the page shows it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from msgspec import to_builtins

from ..course import Exercise, Lesson
from ..errors import unless
from ..learner.editions import checked
from ..page_templates import page_template
from . import ClassroomError, changes, export, rubric
from .folder import alone, explained, user
from .grading import settle
from .lecture import ServedPage

PATIENCE = 10  # seconds that an act waits for another TA's
SHOWN = 15  # acts in the list of the last ones
ONE, MISTAKE = "one", "mistake"  # answers that an act holds for; else equal ones

Act = Mapping[str, Any]  # as the page asks for it
Decided = Mapping[tuple[str, str], float | None]  # by learner and exercise; see `grading.settle`


@dataclass(frozen=True)
class RubricPage(ServedPage):
    """The answers to a lesson's exercises, of those whom `names` gives, and who may mark them."""

    lesson: Lesson
    names: export.ShownNames
    page: str = field(default=page_template("classroom/pages/rubric.html").render(), kw_only=True)

    def answer(self, asked: Any) -> dict[str, Any]:
        """Do what is asked, if anything is; all that the page shows of one exercise then."""
        exercise = self.lesson.exercise(str(asked["exercise"] or self.lesson.exercises[0].name))
        if asked.get("act"):
            self.do(exercise, asked["act"])
        return self._state(exercise.name)

    def do(self, exercise: Exercise, act: Act) -> None:
        """An act on an exercise, and all that comes of it in the gradebook. `do` says which:
        "undo", "item" (add, change or remove one), "put" (an item on answers, or off) or
        "nothing", after which marks are as a rubric.toml says that was edited."""
        course, name = self.names.course, self.lesson.name
        acts = {"undo": self._undo, "item": self._change, "put": self._put}
        with explained(name), alone(course, PATIENCE):
            before = changes.record(course, name)
            decided = {} if act["do"] == "nothing" else acts[act["do"]](exercise, act, before)
            settle(course, name, before, decided)

    def _undo(self, exercise: Exercise, _: Act, __: changes.State) -> Decided:
        undone = rubric.undo(self.names.course, self.lesson.name, exercise.name)
        mates = undone.whose.get("learner", ())
        return {(mate, exercise.name): undone.hand for mate in mates if undone.hand is not None}

    def _put(self, exercise: Exercise, act: Act, before: changes.State) -> Decided:
        """Put an item on answers, or take it off. A mark by hand of the one answer gives way."""
        course, name, at = self.names.course, self.lesson.name, (act["learner"], exercise.name)
        found = [one for one in rubric.answers(course, name) if (one.learner, one.exercise) == at]
        unless(
            found and act["item"] in rubric.read(course, name).items.get(exercise.name, {}),
            ClassroomError(f"{at[0]}'s answer to {at[1]}, or the item {act['item']}, is gone."),
        )
        (answer,), line, code = found, int(act.get("line") or 0), found[0].source.split("\n")
        team = self.names.file.team(name, answer.learner) if act["scope"] == ONE else ()
        whose = (
            {"mistake": (answer.mistake,)} if act["scope"] == MISTAKE else {"name": (answer.name,)}
        )
        unless(
            whose.get("mistake") != ("",),
            ClassroomError("The grader names no mistake in this answer: choose other answers."),
        )
        was = before.get(at)
        by_hand = team and was and was.by_hand and not was.by_rubric
        rubric.add(
            *(course, name, exercise.name),
            item=act["item"],
            on=bool(act["on"]),
            whose=whose
            | ({"learner": team} if team else {})
            | ({"section": tuple(sorted(mine))} if (mine := self.names.sections) else {}),
            line=line,
            code="".join(code[line - 1 : line]).strip() if line else "",
            hand=was.after if was and by_hand else None,
        )
        return dict.fromkeys((mate, exercise.name) for mate in team)

    def _change(self, exercise: Exercise, act: Act, _: changes.State) -> Decided:
        """Add an item, change it or take it away, for all answers."""
        known, most = rubric.read(self.names.course, self.lesson.name), exercise.points
        items, item, after = known.items.get(exercise.name, {}), act["item"], None
        if not act.get("remove"):
            text, points = " ".join(checked(act["text"]).split()), float(act["points"])
            unless(
                abs(points) <= most,
                ClassroomError(
                    f"{exercise.name} has {most:g} points: give from {-most:g} to {most:g}."
                ),
            )
            after = rubric.RubricItem(text, points, items[item].mistake if item in items else "")
            name = re.sub(r"\W+", "_", text.casefold()).strip("_")[:30] or "item"
            names = chain([name], (f"{name}_{number}" for number in count(2)))
            item = item or next(one for one in names if one not in items)
        kept = items[item] if (exercise.name, item) in known.edited else None
        unless(kept or after, ClassroomError(f"{item!a} is not in {rubric.FILE}, and so stays."))
        made = rubric.add(
            *(self.names.course, self.lesson.name, exercise.name),
            item=item,
            before=kept,
            after=after,
        )
        rubric.put(self.names.course, made, after)
        return {}

    # --- what the page shows ---------------------------------------------------------------------

    def _state(self, exercise: str) -> dict[str, Any]:
        course = self.names.course
        known = rubric.read(course, self.lesson.name)
        with course.gradebook() as gradebook:
            called = self.names.called(gradebook)
            marks = {
                (mark.learner, mark.exercise): mark
                for mine in export.by_learner(gradebook, self.lesson.name).values()
                for mark in mine
                if self.names.has(mark.learner)
            }
        acts = [act for act in known.acts if act.exercise == exercise]
        return {
            "lesson": self.lesson.name,
            "who": user(),
            "sections": sorted(self.names.sections or ()),
            "exercise": exercise,
            "exercises": [
                {
                    "name": each.name,
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
                for each in rubric.answers(course, self.lesson.name)
                if each.exercise == exercise and (each.learner, exercise) in marks
            ],
            "acts": [
                {**to_builtins(act), "holds": act in known.in_force}
                for act in acts[: -SHOWN - 1 : -1]
            ],
        }


def _shown(
    known: rubric.Rubric, answer: rubric.AnswerToMark, mark: export.ExerciseRow, called: str
) -> dict[str, Any]:
    """An answer as the page has it."""
    verdict, account = answer.kept["verdict"], known.account(answer)
    how = rubric.how(account, mark.by_hand)
    return {
        "learner": answer.learner,
        "called": called,
        "section": answer.section,
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
