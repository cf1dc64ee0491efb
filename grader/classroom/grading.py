"""What there is to grade of a lesson: what each learner handed in that counts, what the judge has
to be asked about it, and whether the marks in the gradebook are for just that.

Exercises outside a lesson's maximum stand in nbgrader's own field for extra credit: in the
gradebook such an exercise has a maximum, and so a score, of 0; what it adds is a grade's
`extra_credit`.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType

from nbformat import NotebookNode, v4
from nbgrader.api import Grade, GradeCell

from ..course import Lesson
from ..course.weave import CHECK, text
from ..errors import MachineError, counted, unless
from ..submissions import intake
from . import (
    ClassroomError,
    changes,
    coursefile,
    export,
    handing_out,
    lateness,
    rubric,
    verdicts,
)
from .folder import CourseFolder
from .judges import ToJudge, VerdictStore, judge_key, lesson_key, marking
from .plugin import Marking

DIGITS = 16  # of the name of a part

TakenApart = tuple[tuple[intake.Answer, ...], str]  # a notebook's answers, and what to show of it


@dataclass(frozen=True)
class SubmittedWork:
    """A submission, read once."""

    fingerprint: str  # a name for everything that the marks depend on
    answers: tuple[intake.Answer, ...]  # what there is to judge
    notebook: str  # what there is to show of it, a file's text
    beside: dict[str, str]  # what nbgrader put there, by name
    marking: Marking
    had: float = 0.0  # points of what an unreadable one replaces


@dataclass(frozen=True)
class Grading:
    """A lesson being graded. What learners hand in alike is taken apart once."""

    course: CourseFolder
    lesson: str
    store: VerdictStore
    seeds: dict[str, int]  # by exercise, what its hidden cases are drawn from
    scores: dict[str, float]  # of those who have marks in the gradebook already
    file: coursefile.CourseFile
    blank: dict[str, str]  # by exercise, the answer as it was handed out
    _read: dict[tuple[str, bytes], TakenApart] = field(
        default_factory=dict, compare=False, repr=False
    )

    def known(self, learner: str) -> str:
        """The fingerprint of the marks in the gradebook; empty where there are none, or where
        they may fall that were kept."""
        kept = learner in self.scores and not verdicts.may_fall(self.course, self.lesson, learner)
        return verdicts.fingerprint(self._place(learner)) if kept else ""

    def work(self, folder: Path, learner: str, known: str = "") -> SubmittedWork | None:
        """The learner's work in `folder`; None where its fingerprint is the `known` one."""
        handed_in = intake.read(folder, self.lesson, self._worked_on)
        drawn = handing_out.drawn(self.course, self.file, self.lesson, learner)
        # A name for everything that a learner's marks depend on, part by part: judge:...
        # lesson:.... When it was handed in is a part of its own, as lateness alone depends on it.
        parts = {
            "judge": f"{self.store.key(self.lesson, judge_key)} {marking()}",
            "lesson": self.store.key(self.lesson, lesson_key),
            "points": f"{sorted(self.file.plan(self.lesson).outside)}"
            + " partial" * self.file.partial_marks,
            "secret": repr((self.seeds, drawn) if drawn else self.seeds),
            "stamp": repr(sorted(handed_in.beside.items())),
        }
        named = {
            **{name: hashlib.sha256(part.encode()).hexdigest() for name, part in parts.items()},
            "submission": handed_in.known,
        }
        fingerprint = " ".join(f"{name}:{part[:DIGITS]}" for name, part in named.items())
        if fingerprint == known:
            return None
        unreadable, same = "", (handed_in.refused, handed_in.content)
        taken: TakenApart = ((), text(v4.new_notebook()))
        try:
            if same not in self._read:
                self._read[same] = self._of(handed_in.notebook())
            taken = self._read[same]
        except intake.UnreadableNotebook as error:
            unreadable = str(error)
        return SubmittedWork(
            fingerprint,
            *taken,
            handed_in.beside,
            Marking((), unreadable, handed_in.remark, handed_in.others, drawn),
        )

    def instead(self, learner: str, work: SubmittedWork) -> SubmittedWork:
        """The work that counts for `learner`: of a work that cannot be read what was handed in
        before or, where nothing of that can be read either, nothing."""
        answers, notebook, marking, had = work.answers, work.notebook, work.marking, 0.0
        if why := marking.unreadable:
            if earlier := self._earlier(learner):
                answers, notebook = self._of(earlier)
                marking = replace(
                    marking, remark=f"{why} What was handed in before that counts.", unreadable=""
                )
            elif had := verdicts.had(self._place(learner)) or self.scores.get(learner, 0.0):
                marking = replace(
                    marking,
                    unreadable=f"{why} What was handed in before had {counted(had, 'point')}, and "
                    "no longer counts.",
                )
        return replace(
            work,
            answers=answers,
            notebook=notebook,
            marking=replace(
                marking, floors=verdicts.floors(self.course, self.lesson, learner, answers)
            ),
            had=had,
        )

    def questions(self, work: SubmittedWork) -> Iterator[ToJudge]:
        """The questions to the judge about it."""
        return (
            self.question(f"{self.lesson}/{answer.name}", answer.source, work.marking)
            for answer in work.answers
            if answer.source is not None
        )

    def question(self, exercise: str, source: str, marking: Marking) -> ToJudge:
        name = exercise.partition("/")[2]
        return ToJudge(exercise, source, self.seeds[name], dict(marking.drawn).get(name, ""))

    def _place(self, learner: str) -> Path:
        return self.course.path("autograded", self.lesson, learner)

    def _of(self, notebook: NotebookNode) -> TakenApart:
        return intake.find(notebook, self.seeds), text(notebook)

    def _worked_on(self, notebook: NotebookNode) -> int:
        """How many of the lesson's exercises have an answer that is not the one handed out."""
        return sum(
            answer.source is not None
            and answer.source.strip() != self.blank.get(answer.name, "").strip()
            for answer in intake.find(notebook, self.seeds)
        )

    def _earlier(self, learner: str) -> NotebookNode | None:
        """The last notebook of a learner's that could be read, as it was graded; None if there is
        none."""
        place = self._place(learner)
        try:
            kept = verdicts.read(place)
            notebook = intake.read_notebook(place / f"{self.lesson}.ipynb")
        except (OSError, MachineError, intake.UnreadableNotebook):
            return None
        statuses = {each["verdict"]["status"] for each in kept.values()}
        return None if statuses <= {verdicts.UNREADABLE} else notebook


def grading_of(course: CourseFolder, lesson: Lesson) -> Grading:
    """The gradebook must know the lesson's exercises; the points they have now it is told."""
    with course.gradebook() as gradebook:
        export.require_released(gradebook, lesson.name)
        released = gradebook.find_notebook(lesson.name, lesson.name)
        points = {cell.name: cell.max_score for cell in released.grade_cells}
        blank = {cell.name: intake.cuda_source(cell.source) for cell in released.source_cells}
        scores = {
            who: sum(mark.score or 0.0 for mark in mine)
            for who, mine in export.by_learner(gradebook, lesson.name).items()
        }
    file = coursefile.read(course)
    now = {CHECK + name: points for name, points in handing_out.points(file, lesson).items()}
    others = sorted(name.removeprefix(CHECK) for name in now.keys() ^ points.keys())
    unless(
        not others,
        ClassroomError(
            f"{lesson.name} was released with other exercises than it has now "
            f"({', '.join(others)}): give them back their names or, if nobody has marks yet, run "
            f"`grader release {lesson.name}`."
        ),
    )
    if now != points:
        # Extra credit that exercises had outside the maximum goes; what an instructor gave for one
        # inside it stays.
        with course.gradebook() as gradebook:
            for _, _, grade in export.of_cells(
                gradebook, lesson.name, Grade, GradeCell, Grade
            ).filter(GradeCell.name.in_([name for name in now if now[name]])):
                if grade.cell.max_score == 0 and grade.manual_score is None:
                    grade.extra_credit = None
            gradebook.db.commit()
        handing_out.generate(course, lesson)
    return Grading(
        course,
        lesson.name,
        handing_out.store(course),
        handing_out.seeds(course, lesson),
        scores,
        file,
        blank,
    )


def settle(
    course: CourseFolder,
    lesson: str,
    before: changes.State,
    decided: changes.Decided = MappingProxyType({}),
    why: str = "",
) -> None:
    """Bring up to date what depends on the verdicts and on what instructors did: marks by rubrics,
    extra credit, lateness. Add to the log what is new since `before`, and `why` where that is
    known. A mark that was given by hand and not by a rubric stays, but where somebody has
    `decided`, by learner and exercise: it becomes that mark or, by None, the rubric's. Everybody
    gets the judge's points for each exercise that is extra credit, and none for an optional one;
    where there is a mark by hand, that alone counts."""
    accounts, last = rubric.accounts(course, lesson), changes.last(course, lesson)
    plan = coursefile.read(course).plan(lesson)
    with course.gradebook() as gradebook:
        for learner, cell, grade in export.of_cells(gradebook, lesson, Grade, GradeCell, Grade):
            name, now = cell.removeprefix(CHECK), grade.manual_score
            at = (learner, name)
            mark = accounts[at].mark if at in accounts else None
            by_rubric = at in last and (last[at].by_rubric, last[at].after) == (True, now)
            if at in decided or ((now is None or by_rubric) and (now, mark) != (None, None)):
                grade.manual_score = mark if decided.get(at) is None else decided[at]
                grade.extra_credit = None
                grade.needs_manual_grade = grade.manual_score is grade.auto_score is None
            if name in plan.outside and grade.manual_score is None:
                kept = verdicts.read_if_any(course.path("autograded", lesson, learner))
                is_extra = name in plan.extra and name in kept  # else it was graded by hand alone
                grade.extra_credit = verdicts.points(kept[name]) if is_extra else None
        gradebook.db.commit()
    lateness.apply(course)
    changes.record(course, lesson, before, why, decided)
