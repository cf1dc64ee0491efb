"""`grader report`: one page about a class's lesson, which needs nothing but itself to be read.

It is made of a class's answers to a lesson (marks, verdicts, and source texts), and of its figures
as numbers: how many in which column, and what made whom fail."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby, product
from operator import attrgetter
from pathlib import Path
from statistics import StatisticsError, correlation, mean, median, mode

import msgspec
from jinja2 import Template
from markupsafe import Markup

from ...course import Lesson, variants
from ...cuda.errors import Diagnostic, Message, visible
from ...errors import counted, unless
from ...grouped import grouped
from ...judge import Verdict
from ...judge.partial import said
from ...page_templates import page_template
from ...submissions.intake import as_typed, cuda_source
from ...whole_files import filed
from .. import ClassroomError, planning, renaming, study_table, verdicts
from ..coursefile import CourseFile
from ..export import NOT_HANDED_IN, ExerciseRow, ShownNames, rows, total, write_rows
from ..folder import CourseFolder
from . import alike

CAUSES = 6  # shown with their lines
SHOWN = 20  # pairs of similar notebooks
LARGE = 20  # learners
COLUMNS = 48  # that fit the page's width
FEWEST = 5  # learners in a figure that could be about one of them
_STEPS = [timedelta(minutes=n) for n in (1, 5, 15, 60, 360, 1440, 7 * 1440, 28 * 1440)]


# --- answers -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class GradedAnswer:
    """One learner's answer to one exercise."""

    row: ExerciseRow  # the gradebook's; its note says what is wrong with the notebook or the mark
    message: str  # the verdict's sentence
    source: str
    diagnostics: tuple[Diagnostic, ...] = ()  # the compiler's errors
    part: str = ""  # how the points came about that one named fault leaves


@dataclass(frozen=True)
class Class:
    """Everybody's answers to a lesson."""

    lesson: Lesson
    answers: dict[str, list[GradedAnswer]]  # by exercise in the lesson's order
    absent: tuple[str, ...]  # who handed in nothing
    handed_out: tuple[str, ...]  # CUDA, skeletons and the lesson's own kernels
    # What learners are called, where that may be shown.
    called: Mapping[str, str]
    anonymous: bool
    strangers: tuple[str, ...]  # sentences about those who are not on the roster
    others: Mapping[str, str]  # by learner, the CUDA of the cells that answer no exercise
    sections: Mapping[str, str]  # by learner, empty where the roster has none
    help: Mapping[str, str]  # by learner, why they need some; of nobody where names are left out
    # By exercise that is in the study's table: its learners, the median of their checks up to the
    # first right one (0: nobody had one), and the commonest status of a first wrong one.
    checks: Mapping[str, tuple[int, float, str]]
    varied: bool = False  # learners have variants, in which arrays lie in memory in different ways

    @property
    def rows(self) -> list[ExerciseRow]:
        return [answer.row for answers in self.answers.values() for answer in answers]


def read(course: CourseFolder, lesson: Lesson, names: ShownNames) -> Class:
    """All there is in the gradebook and in autograded/, of those and under the names that `names`
    gives."""
    with course.gradebook() as gradebook:
        found = [row for row in rows(course, gradebook, lesson.name) if names.has(row.learner)]
        called = names.called(gradebook)
        shown = () if names.anonymous else {row.learner for row in found}
        strangers = tuple(renaming.off_roster(names.file, gradebook, shown))
    absent = {row.learner for row in found if row.status == NOT_HANDED_IN}
    answers: dict[str, list[GradedAnswer]] = {exercise.name: [] for exercise in lesson.exercises}
    others = {}
    for learner, mine in groupby(
        (row for row in found if row.learner not in absent), attrgetter("learner")
    ):
        path = course.notebook("autograded", lesson.name, learner)
        cells, kept = list(_cells(path)), verdicts.read_if_any(path.parent)
        sources = {name: source for name, source in cells if name}
        others[names.name(learner)] = "\n".join(source for name, source in cells if not name)
        for row in (row for row in mine if row.exercise in answers):
            verdict = kept[row.exercise]["verdict"] if row.exercise in kept else {}
            answers[row.exercise].append(
                GradedAnswer(
                    names.shown([row])[0],
                    verdict.get("message", ""),
                    sources.get(row.exercise, ""),
                    msgspec.convert(verdict.get("diagnostics", ()), tuple[Diagnostic, ...]),
                    said(Verdict.from_dict(verdict)) if verdict.get("partial") else "",
                )
            )
    varied = names.file.plan(lesson.name).service.vary
    handed_out = [
        *(source for _, source in _cells(course.notebook("release", lesson.name))),
        *(
            lesson.handed_out(variants.recoded(lesson.exercise(name), anew))
            for name, some in (variants.kept(lesson.path) if varied else {}).items()
            for anew in some
        ),
    ]
    return Class(
        lesson,
        answers,
        absent=tuple(sorted(map(names.name, absent))),
        handed_out=tuple(handed_out),
        varied=varied,
        called=called,
        anonymous=names.anonymous,
        strangers=strangers,
        others=others,
        sections={names.name(row.learner): names.file.person(row.learner).section for row in found},
        help={} if names.anonymous else _in_need(found, names.file),
        checks=_checks(course, lesson.name),
    )


def _in_need(found: list[ExerciseRow], file: CourseFile) -> dict[str, str]:
    """By learner, why they need help this week: the lesson was due or came in the last seven days,
    and they have less than half of its points, or nothing."""
    now, needs = datetime.now(UTC).replace(tzinfo=None), dict[str, str]()
    for learner, mine in grouped((row.learner, row) for row in found).items():
        due, absent = planning.due(file, mine[0].lesson, learner), mine[0].status == NOT_HANDED_IN
        came = [datetime.fromisoformat(row.timestamp) for row in mine if row.timestamp]
        score, most = 0.0 if absent else total(mine), sum(row.max_score for row in mine)
        is_recent = any(
            timedelta() <= now - at <= timedelta(days=7) for at in (*came, *([due] if due else []))
        )
        if is_recent and score is not None and score < most / 2:
            short = ", ".join(row.exercise for row in mine if (row.score or 0.0) < row.max_score)
            has = f"{score:g} of {counted(most, 'point')}, look at {short}"
            needs[learner] = "handed in nothing" if absent else has
    return needs


def _checks(course: CourseFolder, lesson: str) -> dict[str, tuple[int, float, str]]:
    """The checks of each exercise; none where fewer agreed than the study's table needs."""
    with suppress(ClassroomError):
        studied = grouped((row.piece, row) for row in study_table.shown(course, [lesson])[0])
        return {
            piece.removeprefix(f"{lesson}/"): (
                len(mine),
                median([row.tries for row in mine if row.right] or [0]),
                mode([row.first_message for row in mine if row.first_message] or [""]),
            )
            for piece, mine in studied.items()
        }
    return {}


def _cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """The grade_id, empty if there is none, and the text of each CUDA cell."""
    for cell in verdicts.cells(notebook) if notebook.is_file() else ():
        source = "".join(cell["source"])
        mark = cell["metadata"].get("nbgrader", {})
        if mark.get("solution") or source.startswith("%%cuda"):
            yield mark.get("grade_id", ""), cuda_source(source)


# --- figures -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bar:
    """One column of a chart."""

    name: str  # what it counts
    count: int
    label: str  # may be empty


@dataclass(frozen=True)
class Scores:
    """The class's totals in points, lateness taken off; of nobody who has no mark."""

    by_learner: dict[str, float]
    most: float

    @property
    def median(self) -> float:
        return median(self.by_learner.values() or (0.0,))

    @property
    def mean(self) -> float:
        return mean(self.by_learner.values() or (0.0,))

    @property
    def full(self) -> int:
        return sum(score >= self.most for score in self.by_learner.values())

    @property
    def none(self) -> int:
        return sum(score == 0 for score in self.by_learner.values())

    def columns(self) -> list[Bar]:
        """Learners by tenths of the points there are, in percent; full marks stand alone."""
        tenths = Counter(
            min(10, max(0, int(10 * score / self.most))) if self.most else 0
            for score in self.by_learner.values()
        )
        names = [f"{10 * k} to {10 * k + 9}" for k in range(10)] + ["100"]
        return [Bar(name, tenths[k], name) for k, name in enumerate(names)]


def scores(group: Class) -> Scores:
    return Scores(
        {
            learner: score
            for learner, mine in grouped((row.learner, row) for row in group.rows).items()
            if (score := total(mine)) is not None
        },
        sum(answers[0].row.max_score for answers in group.answers.values() if answers),
    )


def by_section(group: Class) -> dict[str, Scores]:
    """The totals of each section where there are several; without names, only of those of which
    nobody can tell who is meant."""
    every, least = scores(group), FEWEST if group.anonymous else 1
    found = grouped(
        (group.sections[name] or "none", (name, each)) for name, each in every.by_learner.items()
    )
    shown = {name: mine for name, mine in sorted(found.items()) if len(mine) >= least}
    return {name: Scores(dict(mine), every.most) for name, mine in shown.items() if len(found) > 1}


def discrimination(group: Class, exercise: str) -> float | None:
    """The correlation of learners' points for an exercise with their points for the others, from
    -1 to 1. None where it says nothing: of few learners, or where all have the same."""
    points = {
        learner: {row.exercise: row.score or 0.0 for row in mine}
        for learner, mine in grouped((row.learner, row) for row in group.rows).items()
        if all(row.score is not None for row in mine)
    }
    pairs = [(own := mine.get(exercise, 0.0), sum(mine.values()) - own) for mine in points.values()]
    with suppress(StatisticsError):
        return correlation(*zip(*pairs, strict=True)) if len(pairs) >= FEWEST else None
    return None


@dataclass(frozen=True)
class FailureCause:
    """A diagnosis that several learners got at the same place."""

    exercise: str
    status: str
    learners: tuple[str, ...]
    # One of the answers; all have the same text, names aside, in the line of the verdict.
    example: GradedAnswer


def causes(group: Class) -> list[FailureCause]:
    """The reasons why learners failed, the commonest first."""
    alike = grouped(
        ((name, answer.row.status, _line(answer)), answer)
        for name, answers in group.answers.items()
        for answer in answers
        if answer.row.status not in ("passed", "not_attempted", "kept", verdicts.UNREADABLE, "")
    )
    return [
        FailureCause(name, status, tuple(each.row.learner for each in answers), answers[0])
        for (name, status, _), answers in sorted(alike.items(), key=lambda one: -len(one[1]))
    ]


def _line(answer: GradedAnswer) -> tuple[str, ...]:
    """The text of the line that the verdict names, names aside."""
    return tuple(
        token.plain
        for token in alike.tokens(answer.source)
        if token.line == answer.row.line and token.plain
    )


def statuses(answers: Iterable[GradedAnswer]) -> list[tuple[str, list[str]]]:
    """The learners by diagnosis: passed first, not attempted last, the commonest between them."""
    names = grouped((answer.row.status or "by hand", answer.row.learner) for answer in answers)
    place = {"passed": 0, "kept": 1, "not_attempted": 2, verdicts.UNREADABLE: 3}
    return sorted(names.items(), key=lambda item: (place.get(item[0], 1), -len(item[1]), item[0]))


def handed_in(group: Class) -> list[Bar]:
    """Submissions over time; none when nobody knows when they came."""
    known = {row.learner: row.timestamp for row in group.rows if row.timestamp}
    times = sorted(datetime.fromisoformat(at).replace(tzinfo=UTC) for at in known.values())
    if not times:
        return []
    step = next((s for s in _STEPS if (times[-1] - times[0]) / s < COLUMNS - 1), _STEPS[-1])
    first = int(times[0].timestamp() // step.total_seconds())
    counts = Counter(int(at.timestamp() // step.total_seconds()) - first for at in times)
    every = max(1, (max(counts) + 1) // 6)  # one label for so many columns
    form = "%d %b %H:%M" if step < timedelta(days=1) else "%d %b %Y"
    starts = [
        datetime.fromtimestamp((first + k) * step.total_seconds(), UTC).strftime(form)
        for k in range(max(counts) + 1)
    ]
    return [
        Bar(start, counts[k], start if k % every == 0 else "") for k, start in enumerate(starts)
    ]


# --- pages ---------------------------------------------------------------------------------------


def write(course: CourseFolder, lesson: Lesson, names: ShownNames) -> Path:
    """Make build/report/LESSON.html, and beside it the marks as .csv and .json, of those and under
    the names that `names` gives. Returns the page. ClassroomError when nothing is graded yet."""
    group = read(course, lesson, names)
    unless(
        group.rows, ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson.name}`.")
    )
    return _write(course, [lesson], names, f"{lesson.name}.html", page(group))


def write_course(course: CourseFolder, lessons: list[Lesson], names: ShownNames) -> Path:
    """The page of each lesson that is graded, and build/report/course.html, which leads to them,
    with all marks beside it. Returns that page."""
    graded = unless(
        [lesson for lesson in lessons if course.learners("autograded", lesson.name)],
        ClassroomError("Nothing is graded yet: run `grader autograde LESSON`."),
    )
    for lesson in graded:
        write(course, lesson, names)
    groups = [read(course, lesson, names) for lesson in graded]
    scored = {group.lesson.name: scores(group) for group in groups}
    totals = grouped(
        (learner, (name, score))
        for name, found in scored.items()
        for learner, score in found.by_learner.items()
    )
    return _write(
        *(course, graded, names, "course.html"),
        content=_template("course.html").render(
            groups=groups,
            scores=scored,
            causes={group.lesson.name: causes(group)[:1] for group in groups},
            learners={learner: dict(mine) for learner, mine in sorted(totals.items())},
            called=groups[0].called,
        ),
    )


def _write(
    course: CourseFolder, lessons: list[Lesson], names: ShownNames, name: str, content: str
) -> Path:
    """Put a page into build/report, and the marks of the lessons beside it."""
    path = course.root / "report" / name
    filed(path, content)
    with course.gradebook() as gradebook:
        shown = names.shown(
            row for lesson in lessons for row in rows(course, gradebook, lesson.name)
        )
    for suffix in (".csv", ".json"):
        write_rows(shown, path.with_suffix(suffix))
    return path


def page(group: Class) -> str:
    """The page about one lesson."""
    failed = causes(group)
    shown = [cause for cause in failed[:CAUSES] if len(cause.learners) > 1] or failed[:1]
    diagnosed = {name: statuses(answers) for name, answers in group.answers.items()}
    written = grouped(
        (learner, (name, (each.source, "" if each.row.status == "passed" else each.row.status)))
        for name, answers in group.answers.items()
        for learner, each in _written(answers).items()
    )
    others = {learner: {"other cells": (source, "")} for learner, source in group.others.items()}
    notebooks = {learner: dict(mine) | others.get(learner, {}) for learner, mine in written.items()}
    found = [
        (pair, alike.side_by_side(pair, notebooks))
        for pair in alike.compare(notebooks, group.handed_out, group.varied)
    ]
    named = {pair.learners for pair, _ in found}
    return _template("lesson.html").render(
        lesson=group.lesson,
        group=group,
        scores=scores(group),
        statuses=diagnosed,
        legend=dict.fromkeys(status for found in diagnosed.values() for status, _ in found),
        causes=shown,
        more_causes=len(failed) - len(shown),
        handed_in=handed_in(group),
        sections=by_section(group),
        goes_with={name: discrimination(group, name) for name in group.answers},
        notebooks=found[:SHOWN],
        more_notebooks=len(found[SHOWN:]),
        alike={name: _likeness(mine, group, named) for name, mine in group.answers.items()},
        limits=alike,
        large=LARGE,
        problems=_by_sentence(group, lambda answer: answer.row.note),
        parts=_by_sentence(group, lambda answer: answer.row.how or answer.part),
        by_learner={
            learner: {row.exercise: row for row in mine}
            for learner, mine in sorted(grouped((row.learner, row) for row in group.rows).items())
        },
    )


def _written(answers: list[GradedAnswer]) -> dict[str, GradedAnswer]:
    """By learner, the answers that somebody wrote."""
    return {
        answer.row.learner: answer
        for answer in answers
        if answer.source.strip() and answer.row.status not in ("not_attempted", verdicts.UNREADABLE)
    }


def _likeness(
    answers: list[GradedAnswer], group: Class, named: set[tuple[str, str]]
) -> alike.Likeness:
    """How alike the answers to an exercise are; in a LARGE class with those pairs alone whose
    notebooks are alike, as others meet by chance."""
    sources = {learner: answer.source for learner, answer in _written(answers).items()}
    found = alike.compare_answers(sources, group.handed_out)
    meant = (
        pair
        for pair in found.pairs
        if not named.isdisjoint(tuple(sorted(both)) for both in product(*pair.learners))
    )
    return replace(found, pairs=tuple(meant)) if len(sources) >= LARGE else found


def _by_sentence(group: Class, said: Callable[[GradedAnswer], str]) -> dict[str, list[str]]:
    """By sentence that is said of an answer, the learners."""
    names = grouped(
        (said(answer), answer.row.learner)
        for answers in group.answers.values()
        for answer in answers
    )
    return {sentence: list(dict.fromkeys(all_of)) for sentence, all_of in names.items() if sentence}


def _template(name: str) -> Template:
    from ...notebook.cards import prose

    return page_template(
        f"classroom/report/pages/{name}",
        words=lambda status: status.replace("_", " "),
        prose=prose,
        explained=_explained,
    )


def _explained(answer: GradedAnswer) -> Markup:
    """An answer's diagnosis under the line it is about, as its learner sees it."""
    from ...notebook import cards

    what = cards.Diagnosis(
        answer.row.status,
        Message(visible(answer.message)),
        visible(as_typed(answer.source, answer.row.exercise)),
        line=answer.row.line,
        diagnostics=answer.diagnostics,
    )
    return Markup(cards.explain(what).html)
