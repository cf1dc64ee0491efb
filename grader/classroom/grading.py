"""What there is to grade of a lesson: what each learner handed in that counts, what the judge has
to be asked about it, and whether the marks in the gradebook are for just that."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbformat import NotebookNode, v4
from nbgrader.api import MissingEntry

from ..counted import counted
from ..course import Lesson
from ..course.weave import CHECK, text
from ..errors import MachineError
from ..submissions import intake, submission
from ..submissions.cells import cuda_source
from ..submissions.intake import Answer, UnreadableNotebook
from ..submissions.submission import Submission
from . import ClassroomError, coursefile, export, extra_credit, release, shown_marks, verdicts
from .cache_key import marking
from .coursefile import CourseFile
from .folder import CourseFolder
from .store import Question, Store

DIGITS = 16  # of the name of a part

Read = tuple[tuple[Answer, ...], str]  # a notebook's answers, and what there is to show of it


@dataclass(frozen=True)
class Work:
    """What was handed in, read once. `answers` say what there is to judge, and `notebook` is what
    there is to show of it, a file's text; where it is none, `unreadable` says why. `beside` has
    what nbgrader put there, by name, `remark` and `others` are as `Submission` has them,
    `fingerprint` names everything that the marks hang on, `had` is what an unreadable one
    replaces, and `floors` are the points that feedback has shown for the same answers."""

    fingerprint: str
    answers: tuple[Answer, ...]
    notebook: str
    beside: dict[str, str]
    remark: str
    others: tuple[str, ...]
    unreadable: str = ""
    had: float = 0.0
    floors: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Grading:
    """A lesson being graded: the course, the store of verdicts, what each exercise's hidden cases
    are drawn from, and the scores of those who have marks in the gradebook already. `file` is
    course.toml, and `blank` each exercise's answer as it was handed out. What learners hand in
    alike is taken apart once."""

    course: CourseFolder
    lesson: str
    store: Store
    seeds: dict[str, int]
    scores: dict[str, float]
    file: CourseFile
    blank: dict[str, str]
    _read: dict[tuple[str, bytes], Read] = field(default_factory=dict, compare=False, repr=False)

    def known(self, learner: str) -> str:
        """The fingerprint of the marks in the gradebook; empty where there are none, or where
        they may fall that were kept."""
        place = self.course.path("autograded", self.lesson, learner)
        if learner not in self.scores:
            return ""
        if kept := verdicts.keeping(place):
            shown = shown_marks.read(self.course, self.lesson, learner)
            if not shown.keys() >= set(kept):
                return ""
        return verdicts.fingerprint(place)

    def work(self, folder: Path, known: str = "") -> Work | None:
        """What lies in `folder`; None where its fingerprint is the `known` one."""
        handed_in = submission.read(folder, self.lesson, self._worked_on)
        fingerprint = self._fingerprint(handed_in)
        if fingerprint == known:
            return None
        work = Work(fingerprint, (), "", handed_in.beside, handed_in.remark, handed_in.others)
        try:
            return self._with(work, self._taken_apart(handed_in))
        except UnreadableNotebook as error:
            return replace(work, notebook=text(v4.new_notebook()), unreadable=str(error))

    def instead(self, learner: str, work: Work) -> Work:
        """What counts for `learner`: of a work that cannot be read what was handed in before or,
        where nothing of that can be read either, nothing."""
        if not work.unreadable:
            return self._at_least(learner, work)
        if (earlier := self._earlier(learner)) is not None:
            remark = f"{work.unreadable} What was handed in before that counts."
            work = self._with(replace(work, remark=remark, unreadable=""), self._of(earlier))
            return self._at_least(learner, work)
        had = self._had(learner)
        lost = f" What was handed in before had {counted(had, 'point')}, and no longer counts."
        return replace(work, unreadable=f"{work.unreadable}{lost if had else ''}", had=had)

    def floors(self, learner: str, work: Work) -> dict[str, float]:
        """By exercise the points that feedback has shown for these answers."""
        return shown_marks.floors(self.course, self.lesson, learner, work.answers)

    def _at_least(self, learner: str, work: Work) -> Work:
        return replace(work, floors=tuple(sorted(self.floors(learner, work).items())))

    def questions(self, work: Work) -> Iterator[Question]:
        """What the judge has to be asked about it."""
        for answer in work.answers:
            if answer.source is not None:
                yield self.question(f"{self.lesson}/{answer.name}", answer.source)

    def question(self, exercise: str, source: str) -> Question:
        return Question(exercise, source, self.seeds[exercise.partition("/")[2]])

    def _with(self, work: Work, read: Read) -> Work:
        answers, notebook = read
        return replace(work, notebook=notebook, answers=answers)

    def _taken_apart(self, handed_in: Submission) -> Read:
        same = (handed_in.refused, handed_in.content)
        if same not in self._read:
            self._read[same] = self._of(handed_in.notebook())
        return self._read[same]

    def _of(self, notebook: NotebookNode) -> Read:
        return intake.find(notebook, self.seeds), text(notebook)

    def _fingerprint(self, handed_in: Submission) -> str:
        """A name for everything that a learner's marks hang on, part by part: `judge:...
        lesson:...`. When it was handed in is a part of its own, as lateness alone hangs on it."""
        store = self.store
        partial = " partial" if self.file.partial_marks else ""
        parts = {
            "judge": f"{store.judge(self.lesson)} {marking()}",
            "lesson": store.lesson(self.lesson),
            "points": f"{sorted(self.file.plan(self.lesson).outside)}{partial}",
            "secret": repr(self.seeds),
            "stamp": repr(sorted(handed_in.beside.items())),
        }
        named = {name: hashlib.sha256(part.encode()).hexdigest() for name, part in parts.items()}
        named["submission"] = handed_in.known
        return " ".join(f"{name}:{part[:DIGITS]}" for name, part in named.items())

    def _worked_on(self, notebook: NotebookNode) -> int:
        """How many of the lesson's exercises have an answer that is not the one handed out."""
        sources = {one.name: one.source for one in intake.find(notebook, self.seeds)}
        return sum(
            source is not None and source.strip() != self.blank.get(name, "").strip()
            for name, source in sources.items()
        )

    def _earlier(self, learner: str) -> NotebookNode | None:
        """The last notebook of a learner's that could be read, as it was graded; None if there is
        none."""
        place = self.course.path("autograded", self.lesson, learner)
        try:
            kept = verdicts.read(place)
            notebook = intake.read_notebook(place / f"{self.lesson}.ipynb")
        except (OSError, MachineError, UnreadableNotebook):
            return None
        lost = all(one["verdict"]["status"] == verdicts.UNREADABLE for one in kept.values())
        return None if lost else notebook

    def _had(self, learner: str) -> float:
        """The points of the last notebook of a learner's that could be read."""
        place = self.course.path("autograded", self.lesson, learner)
        return verdicts.had(place) or self.scores.get(learner, 0.0)


def of(course: CourseFolder, lesson: Lesson) -> Grading:
    """The gradebook must know the lesson's exercises; the points they have now it is told."""
    try:
        with course.gradebook() as gradebook:
            released = gradebook.find_notebook(lesson.name, lesson.name)
            points = {cell.name: cell.max_score for cell in released.grade_cells}
            blank = {cell.name: cuda_source(cell.source) for cell in released.source_cells}
            marked = export.submissions(gradebook, lesson.name)
            scores = {one.student_id: one.score for one in marked}
    except MissingEntry as error:
        raise ClassroomError(
            f"{lesson.name} was never released: run `grader release {lesson.name}`."
        ) from error
    file = coursefile.read(course)
    now = {CHECK + name: points for name, points in release.points(file, lesson).items()}
    if now.keys() != points.keys():
        names = ", ".join(sorted(name.removeprefix(CHECK) for name in now.keys() ^ points.keys()))
        raise ClassroomError(
            f"{lesson.name} was released with other exercises than it has now ({names}): give them "
            f"back their names or, if nobody has marks yet, run `grader release {lesson.name}`."
        )
    if now != points:
        extra_credit.forget(course, lesson.name, [name for name in now if now[name]])
        release.generate(course, lesson)
    seeds = release.seeds(course, lesson)
    return Grading(course, lesson.name, release.store(course), seeds, scores, file, blank)
