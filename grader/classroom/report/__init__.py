"""`grader report`: one page about a class's lesson, which needs nothing but itself to be read."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from ...counted import counted
from ...course import Lesson
from ...cuda.diagnostics import visible
from ...submissions.cells import as_typed
from .. import ClassroomError
from ..coursefile import CourseFile
from ..export import ExerciseRow, rows, write_csv, write_json
from ..folder import CourseFolder, whole
from ..marks import ShownNames
from ..verdicts import UNREADABLE
from . import alike, figures, similar
from .figures import Class, GradedAnswer, read

CAUSES = 6  # shown with their lines
SHOWN = 20  # pairs of similar notebooks
LARGE = 20  # learners


def write(course: CourseFolder, lesson: Lesson, names: ShownNames | None = None) -> Path:
    """Make build/report/LESSON.html, and beside it the marks as .csv and .json, of those and under
    the names that `names` gives. Returns the page. ClassroomError when nothing is graded yet."""
    names = names or ShownNames(course, CourseFile())
    group = read(course, lesson, names)
    if not group.rows:
        raise ClassroomError(f"Nothing is graded yet: run `grader autograde {lesson.name}`.")
    path = _place(course, f"{lesson.name}.html")
    whole(path, page(group))
    _export(course, [lesson], names, path)
    return path


def write_course(
    course: CourseFolder, lessons: list[Lesson], names: ShownNames | None = None
) -> Path:
    """The page of each lesson that is graded, and build/report/course.html, which leads to them,
    with all marks beside it. Returns that page."""
    names = names or ShownNames(course, CourseFile())
    graded = [lesson for lesson in lessons if course.learners("autograded", lesson.name)]
    if not graded:
        raise ClassroomError("Nothing is graded yet: run `grader autograde LESSON`.")
    for lesson in graded:
        write(course, lesson, names)
    path = _place(course, "course.html")
    groups = [read(course, lesson, names) for lesson in graded]
    scores = {group.lesson.name: figures.scores(group) for group in groups}
    totals: dict[str, dict[str, float]] = {}
    for name, found in scores.items():
        for learner, score in found.by_learner.items():
            totals.setdefault(learner, {})[name] = score
    content = _template("course.html").render(
        groups=groups,
        scores=scores,
        causes={group.lesson.name: figures.causes(group)[:1] for group in groups},
        learners=dict(sorted(totals.items())),
        called=groups[0].called,
    )
    whole(path, content)
    _export(course, graded, names, path)
    return path


def _place(course: CourseFolder, name: str) -> Path:
    folder = course.root / "report"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / name


def _export(course: CourseFolder, lessons: list[Lesson], names: ShownNames, beside: Path) -> None:
    with course.gradebook() as gradebook:
        found = [row for lesson in lessons for row in rows(course, gradebook, lesson.name)]
    shown = names.shown(found)
    write_csv(shown, beside.with_suffix(".csv"))
    write_json(shown, beside.with_suffix(".json"))


def page(group: Class) -> str:
    """The page about one lesson."""
    causes = figures.causes(group)
    shown = [cause for cause in causes[:CAUSES] if len(cause.learners) > 1] or causes[:1]
    statuses = {name: figures.statuses(answers) for name, answers in group.answers.items()}
    found = _similar_notebooks(group)
    named = {one.pair.learners for one in found}
    answers = group.answers.items()
    by_learner: dict[str, dict[str, ExerciseRow]] = {}
    for row in group.rows:
        by_learner.setdefault(row.learner, {})[row.exercise] = row
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
        alike={name: _likeness(mine, group, named) for name, mine in answers},
        similar=similar,
        large=LARGE,
        problems=_by_sentence(group, lambda answer: answer.row.note),
        parts=_by_sentence(group, lambda answer: answer.part),
        by_learner=dict(sorted(by_learner.items())),
    )


def _similar_notebooks(group: Class) -> list[alike.SimilarNotebooks]:
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
    return [alike.side_by_side(pair, notebooks) for pair in found]


def _written(answers: list[GradedAnswer]) -> dict[str, GradedAnswer]:
    """By learner, the answers that somebody wrote."""
    return {
        answer.row.learner: answer
        for answer in answers
        if answer.source.strip() and answer.row.status not in ("not_attempted", UNREADABLE)
    }


def _likeness(
    answers: list[GradedAnswer], group: Class, named: set[tuple[str, str]]
) -> tuple[similar.Likeness, list[similar.SideBySide]]:
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
    return found, [similar.side_by_side(pair, sources) for pair in found.pairs[: similar.SHOWN]]


def _by_sentence(group: Class, said: Callable[[GradedAnswer], str]) -> dict[str, list[str]]:
    """By sentence that is said of an answer, the learners."""
    names: dict[str, dict[str, None]] = {}
    for answers in group.answers.values():
        for answer in answers:
            if sentence := said(answer):
                names.setdefault(sentence, {})[answer.row.learner] = None
    return {sentence: list(learners) for sentence, learners in names.items()}


@cache
def _template(name: str) -> Template:
    pages = Environment(
        loader=PackageLoader(__name__, "pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    from ...notebook.html import prose

    pages.filters |= {
        "counted": counted,
        "words": lambda status: status.replace("_", " "),
        "points": lambda value: "no mark" if value is None else f"{round(value, 2):g}",
        "prose": lambda text: Markup(prose(text)),  # it escapes the text itself
        "explained": _explained,
    }
    return pages.get_template(name)


def _explained(answer: GradedAnswer) -> Markup:
    """An answer's diagnosis under the line it is about, as its learner sees it."""
    from ...notebook import cards

    row = answer.row
    what = cards.Diagnosis(
        row.status,
        visible(answer.message),
        visible(as_typed(answer.source, row.exercise)),
        line=row.line,
        diagnostics=answer.diagnostics,
    )
    return Markup(cards.explain(what).html)
