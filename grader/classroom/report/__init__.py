"""`grader report`: one page about a class's lesson, which needs nothing but itself to be read."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

from jinja2 import Template
from markupsafe import Markup

from ...course import Lesson
from ...cuda.errors import Message, visible
from ...errors import unless
from ...grouped import grouped
from ...page_templates import page_template
from ...submissions.intake import as_typed
from ...whole_files import filed
from .. import ClassroomError
from ..export import ShownNames, rows
from ..export import write as write_rows
from ..folder import CourseFolder
from ..verdicts import UNREADABLE
from . import alike, figures

CAUSES = 6  # shown with their lines
SHOWN = 20  # pairs of similar notebooks
LARGE = 20  # learners


def write(course: CourseFolder, lesson: Lesson, names: ShownNames) -> Path:
    """Make build/report/LESSON.html, and beside it the marks as .csv and .json, of those and under
    the names that `names` gives. Returns the page. ClassroomError when nothing is graded yet."""
    group = figures.read(course, lesson, names)
    unless(
        group.rows, ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson.name}`.")
    )
    return _write(course, [lesson], names, f"{lesson.name}.html", page(group))


def write_course(course: CourseFolder, lessons: list[Lesson], names: ShownNames) -> Path:
    """The page of each lesson that is graded, and build/report/course.html, which leads to them,
    with all marks beside it. Returns that page."""
    graded = [lesson for lesson in lessons if course.learners("autograded", lesson.name)]
    unless(graded, ClassroomError("Nothing is graded yet: run `grader autograde LESSON`."))
    for lesson in graded:
        write(course, lesson, names)
    groups = [figures.read(course, lesson, names) for lesson in graded]
    scores = {group.lesson.name: figures.scores(group) for group in groups}
    totals = grouped(
        (learner, (name, score))
        for name, found in scores.items()
        for learner, score in found.by_learner.items()
    )
    content = _template("course.html").render(
        groups=groups,
        scores=scores,
        causes={group.lesson.name: figures.causes(group)[:1] for group in groups},
        learners={learner: dict(mine) for learner, mine in sorted(totals.items())},
        called=groups[0].called,
    )
    return _write(course, graded, names, "course.html", content)


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


def page(group: figures.Class) -> str:
    """The page about one lesson."""
    causes = figures.causes(group)
    shown = [cause for cause in causes[:CAUSES] if len(cause.learners) > 1] or causes[:1]
    statuses = {name: figures.statuses(answers) for name, answers in group.answers.items()}
    found = _similar_notebooks(group)
    named = {one.pair.learners for one in found}
    return _template("lesson.html").render(
        lesson=group.lesson,
        group=group,
        scores=figures.scores(group),
        statuses=statuses,
        legend=dict.fromkeys(status for found in statuses.values() for status, _ in found),
        causes=shown,
        more_causes=len(causes) - len(shown),
        handed_in=figures.handed_in(group),
        sections=figures.by_section(group),
        goes_with={name: figures.discrimination(group, name) for name in group.answers},
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


def _similar_notebooks(group: figures.Class) -> list[alike.SimilarNotebooks]:
    """The pairs of learners whose notebooks are alike, the most alike first."""
    written = grouped(
        (learner, (name, (each.source, "" if each.row.status == "passed" else each.row.status)))
        for name, answers in group.answers.items()
        for learner, each in _written(answers).items()
    )
    others = {learner: {"other cells": (source, "")} for learner, source in group.others.items()}
    notebooks = {learner: dict(mine) | others.get(learner, {}) for learner, mine in written.items()}
    return [
        alike.side_by_side(pair, notebooks) for pair in alike.compare(notebooks, group.handed_out)
    ]


def _written(answers: list[figures.GradedAnswer]) -> dict[str, figures.GradedAnswer]:
    """By learner, the answers that somebody wrote."""
    return {
        answer.row.learner: answer
        for answer in answers
        if answer.source.strip() and answer.row.status not in ("not_attempted", UNREADABLE)
    }


def _likeness(
    answers: list[figures.GradedAnswer], group: figures.Class, named: set[tuple[str, str]]
) -> alike.Likeness:
    """How alike the answers to an exercise are; in a LARGE class with those pairs alone whose
    notebooks are alike, as others meet by chance."""
    sources = {learner: answer.source for learner, answer in _written(answers).items()}
    found = alike.compare_answers(sources, group.handed_out)
    if len(sources) >= LARGE:
        pairs = [
            pair
            for pair in found.pairs
            if not named.isdisjoint(tuple(sorted(both)) for both in product(*pair.learners))
        ]
        found = replace(found, pairs=tuple(pairs))
    return found


def _by_sentence(
    group: figures.Class, said: Callable[[figures.GradedAnswer], str]
) -> dict[str, list[str]]:
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


def _explained(answer: figures.GradedAnswer) -> Markup:
    """An answer's diagnosis under the line it is about, as its learner sees it."""
    from ...notebook import cards

    row = answer.row
    what = cards.Diagnosis(
        row.status,
        Message(visible(answer.message)),
        visible(as_typed(answer.source, row.exercise)),
        line=row.line,
        diagnostics=answer.diagnostics,
    )
    return Markup(cards.explain(what).html)
