"""`grader report`: one page about a class's lesson, which needs nothing but itself to be read."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from ...counted import counted
from ...course import Lesson
from ...cuda.sanitize import visible
from ...notebook import cards
from ...notebook.html import prose
from ...submissions.cells import as_typed
from .. import ClassroomError
from ..coursefile import CourseFile
from ..export import Row, rows, write_csv, write_json
from ..files import whole
from ..folder import CourseFolder
from ..marks import Names
from ..verdicts import UNREADABLE
from . import alike, figures, side_by_side, similar
from .answers import Class, GradedAnswer, read

CAUSES = 6  # shown with their lines
SHOWN = 20  # pairs of similar notebooks
LARGE = 20  # learners


def write(course: CourseFolder, lesson: Lesson, names: Names | None = None) -> Path:
    """Make build/report/LESSON.html, and beside it the marks as .csv and .json, of those and under
    the names that `names` gives. Returns the page. ClassroomError when nothing is graded yet."""
    names = names or Names(course, CourseFile())
    group = read(course, lesson, names)
    if not group.rows:
        raise ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson.name}`.")
    path = _folder(course) / f"{lesson.name}.html"
    whole(path, page(group))
    with course.gradebook() as gradebook:
        _export(names.shown(rows(course, gradebook, lesson.name)), path)
    return path


def write_course(course: CourseFolder, lessons: list[Lesson], names: Names | None = None) -> Path:
    """The page of each lesson that is graded, and build/report/course.html, which leads to them,
    with all marks beside it. Returns that page."""
    names = names or Names(course, CourseFile())
    graded = [lesson for lesson in lessons if course.learners("autograded", lesson.name)]
    if not graded:
        raise ClassroomError("Nothing is graded yet: run `grader autograde LESSON`.")
    for lesson in graded:
        write(course, lesson, names)
    path = _folder(course) / "course.html"
    groups = [read(course, lesson, names) for lesson in graded]
    whole(path, _template("course.html").render(**_course(groups)))
    with course.gradebook() as gradebook:
        found = [row for one in graded for row in rows(course, gradebook, one.name)]
        _export(names.shown(found), path)
    return path


def page(group: Class) -> str:
    """The page about one lesson."""
    causes = figures.causes(group)
    shown = [cause for cause in causes[:CAUSES] if len(cause.learners) > 1] or causes[:1]
    statuses = {name: figures.statuses(answers) for name, answers in group.answers.items()}
    found = _similar_notebooks(group)
    named = {one.pair.learners for one in found}
    similar_answers = {
        name: _likeness(answers, group, named) for name, answers in group.answers.items()
    }
    return _template("lesson.html").render(
        lesson=group.lesson,
        group=group,
        scores=figures.scores(group),
        statuses=statuses,
        legend=dict.fromkeys(status for found in statuses.values() for status, _ in found),
        causes=shown,
        more_causes=len(causes) - len(shown),
        handed_in=figures.handed_in(group),
        notebooks=found[:SHOWN],
        more_notebooks=len(found[SHOWN:]),
        alike=similar_answers,
        similar=similar,
        large=LARGE,
        problems=_by_sentence(group, "problem"),
        parts=_by_sentence(group, "part"),
        by_learner=_by_learner(group),
    )


def _similar_notebooks(group: Class) -> list[side_by_side.SimilarNotebooks]:
    """The pairs of learners whose notebooks are alike, the most alike first."""
    notebooks: dict[str, dict[str, tuple[str, str]]] = {}
    for name, answers in group.answers.items():
        for learner, answer in _written(answers).items():
            failed = "" if answer.row.status == "passed" else answer.row.status
            notebooks.setdefault(learner, {})[name] = (answer.source, failed)
    for learner, source in group.others.items():
        if learner in notebooks:
            notebooks[learner]["other cells"] = (source, "")
    found = alike.compare(notebooks, group.handed_out)
    return [side_by_side.notebooks(pair, notebooks) for pair in found]


def _written(answers: list[GradedAnswer]) -> dict[str, GradedAnswer]:
    """By learner, the answers that somebody wrote."""
    return {
        answer.row.learner: answer
        for answer in answers
        if answer.source.strip() and answer.row.status not in ("not_attempted", UNREADABLE)
    }


def _likeness(
    answers: list[GradedAnswer], group: Class, named: set[tuple[str, str]]
) -> tuple[similar.Likeness, list[side_by_side.SideBySide]]:
    """How alike the answers to an exercise are, and each pair's lines side by side; in a LARGE
    class of those alone whose notebooks are alike, as others meet by chance."""
    sources = {learner: answer.source for learner, answer in _written(answers).items()}
    found = similar.compare(sources, group.handed_out)
    if len(sources) >= LARGE:
        pairs = [
            pair
            for pair in found.pairs
            if not named.isdisjoint(tuple(sorted(both)) for both in product(*pair.learners))
        ]
        found = replace(found, pairs=tuple(pairs))
    return found, [side_by_side.pair(pair, sources) for pair in found.pairs[: similar.SHOWN]]


def _by_sentence(group: Class, what: str) -> dict[str, list[str]]:
    """What was wrong with notebooks ("problem"), or how the points came about that one fault leaves
    ("part"): the learners, by sentence."""
    found: dict[str, dict[str, None]] = {}
    for answers in group.answers.values():
        for answer in answers:
            if sentence := getattr(answer, what):
                found.setdefault(sentence, {})[answer.row.learner] = None
    return {sentence: list(names) for sentence, names in found.items()}


def _by_learner(group: Class) -> dict[str, dict[str, Row]]:
    found: dict[str, dict[str, Row]] = {}
    for row in group.rows:
        found.setdefault(row.learner, {})[row.exercise] = row
    return dict(sorted(found.items()))


def _course(groups: list[Class]) -> dict[str, object]:
    scores = {group.lesson.name: figures.scores(group) for group in groups}
    totals: dict[str, dict[str, float]] = {}
    for lesson, found in scores.items():
        for learner, score in found.by_learner.items():
            totals.setdefault(learner, {})[lesson] = score
    causes = {group.lesson.name: figures.causes(group)[:1] for group in groups}
    learners = dict(sorted(totals.items()))
    called = groups[0].called
    known: dict[str, object] = {"groups": groups, "scores": scores, "causes": causes}
    return known | {"learners": learners, "called": called}


def _export(found: list[Row], beside: Path) -> None:
    write_csv(found, beside.with_suffix(".csv"))
    write_json(found, beside.with_suffix(".json"))


def _folder(course: CourseFolder) -> Path:
    folder = course.root / "report"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@cache
def _template(name: str) -> Template:
    pages = Environment(
        loader=PackageLoader(__name__, "pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    pages.filters |= {"words": _words, "explained": _explained, "prose": _prose, "points": _points}
    pages.filters["counted"] = counted
    return pages.get_template(name)


def _words(status: str) -> str:
    return status.replace("_", " ")


def _points(value: float | None) -> str:
    return "no mark" if value is None else f"{round(value, 2):g}"


def _prose(text: str) -> Markup:
    return Markup(prose(text))  # it escapes the text itself


def _explained(answer: GradedAnswer) -> Markup:
    """An answer's diagnosis under the line it is about, as its learner sees it."""
    row = answer.row
    what = cards.Diagnosis(
        row.status,
        visible(answer.message),
        visible(as_typed(answer.source, row.exercise)),
        line=row.line,
        diagnostics=answer.diagnostics,
    )
    return Markup(cards.explain(what).html)
