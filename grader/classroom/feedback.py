"""A learner gets back the notebook as it was graded, as one small page that loads nothing: the
marks, each exercise's verdict with what is wrong first, then the cells that the learner wrote. And
the class's grades are written."""

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from markupsafe import Markup
from nbgrader.api import Comment, SolutionCell

from .. import course as lessons
from ..course import variants
from ..course.kinds import ExerciseKind, Write, unmarked
from ..course.weave import CHECK, grade_id
from ..errors import unless
from ..grouped import grouped
from ..judge import beside
from ..page_templates import page_template
from ..submissions.intake import HANDED_IN, STAMP, checks, note, time_of
from ..whole_files import whole
from . import (
    ClassroomError,
    changes,
    coursefile,
    handing_out,
    planning,
    rubric,
    sanitize_html,
    verdicts,
)
from .export import NOT_HANDED_IN, ExerciseRow, GradesExporter, of_cells, rows, total
from .folder import CourseFolder
from .judges import Track
from .plugin import apart, shared

TO_ALL, TO_PASSED, TO_NOBODY = "all", "passed", ""  # who sees our solutions
CACHE_KEY = "cache_key.txt"  # beside a page: a name for the notebook and the marks that it shows
# What is coloured in a learner's code, by Pygments' classes.
COLOURS = {
    "#0550ae": ("k", "kt", "kd", "kr", "m", "mi", "mf", "mh"),
    "#6e7781": ("c", "c1", "cm", "ch"),
    "#0a3069": ("s", "s1", "s2"),
    "#953800": ("cp", "cpf"),
}
_UNCOLOURED = re.compile(
    rf'<span class="(?!(?:{"|".join(name for names in COLOURS.values() for name in names)})")'
    r'[a-z]{1,2}\d?">([^<]*)</span>'
)


@dataclass(frozen=True)
class PageContent:
    """All that a page is made of beside the graded notebook."""

    title: str  # the lesson's
    kinds: Mapping[str, ExerciseKind]  # by exercise
    rows: tuple[ExerciseRow, ...]  # the marks
    comments: Mapping[str, Sequence[str]]  # an instructor's, by exercise
    changes: tuple[changes.MarkChange, ...]
    due: str  # a time; empty: never
    optional: tuple[str, ...] = ()  # exercises that add nothing to the marks
    ours: Mapping[str, str] = field(default_factory=dict)  # solutions that may be shown
    to_all: bool = False  # solutions are shown also beside an answer that did not pass
    by_whom: Mapping[str, str] = field(default_factory=dict)  # by exercise, who marked by hand
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the rubric's, by exercise


# --- the class -----------------------------------------------------------------------------------


def write_all(
    course: CourseFolder, lesson: str, learners: list[str], track: Track, solutions: str = TO_NOBODY
) -> int:
    """Make the pages that are missing or show what is no longer so, with our `solutions` for one of
    the three above. Returns how many."""
    contents = _contents(course, lesson, learners, solutions)
    keys = {name: _key(course, lesson, name, contents[name]) for name in learners}
    places = {name: course.path("feedback", lesson, name) for name in learners}
    late = [
        name
        for name, place in places.items()
        if not (place / f"{lesson}.html").is_file() or note(place / CACHE_KEY) != keys[name]
    ]
    for learner in track(late, description=f"{lesson}: feedback", total=len(late)):
        _write(course, lesson, learner, contents[learner], keys[learner])
    return len(late)


def _write(course: CourseFolder, lesson: str, learner: str, content: PageContent, key: str) -> None:
    """Put the page also where nbgrader lets that learner, and nobody else, fetch it. The `key` is
    kept for `write_all`."""
    graded, place = (course.path(step, lesson, learner) for step in ("autograded", "feedback"))
    if place.exists():  # another grader's page may have brought files along
        shutil.rmtree(place)
    verdicts.keep_shown(course, lesson, learner)
    whole(place / f"{lesson}.html", page(course, lesson, learner, content))
    for name in HANDED_IN:
        if text := note(graded / name):
            (place / name).write_text(text, encoding="utf-8")
    # Only what came through the exchange has both.
    if all((place / name).is_file() for name in HANDED_IN):
        course.run(course.exchange.ReleaseFeedback, lesson, learner)
    (place / CACHE_KEY).write_text(key, encoding="utf-8")


def export(course: CourseFolder) -> Path:
    """Every grade of the course as CSV, as plain `nbgrader export` writes them."""
    path = course.root / "grades.csv"
    with course.gradebook() as gradebook:
        GradesExporter(config=course.config, to=str(path)).export(gradebook)
    return path


def _key(course: CourseFolder, lesson: str, learner: str, content: PageContent) -> str:
    """A name for everything that a page shows, and for how it is made."""
    files = b"".join(
        path.name.encode() + b"\0" + path.read_bytes()
        for path in sorted(course.path("autograded", lesson, learner).glob("*"))
        if path.is_file()
    )
    return hashlib.sha256((repr(content) + _made_by()).encode() + files).hexdigest()


@cache
def _made_by() -> str:
    """A digest of the files that a page is made by."""
    here = Path(__file__)
    files = (
        *(here, here.parent / "pages/feedback.html"),
        *(here.parents[1] / name for name in ("page_templates.py", "pages/head.html")),
    )
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()


def _contents(
    course: CourseFolder, lesson: str, learners: list[str], solutions: str
) -> dict[str, PageContent]:
    """By learner, what the page shows beside the notebook. ClassroomError where somebody has no
    marks."""
    file, about = coursefile.read(course), lessons.lesson(lesson, course.kernels)
    kinds = {each.name: each.kind for each in about.exercises}
    solved = [each for each in about.exercises if solutions and each.solved]
    with course.gradebook() as gradebook:
        of_all = rows(course, gradebook, lesson)
        said = grouped(
            (learner, (name, text))
            for learner, name, text in of_cells(
                gradebook, lesson, Comment, SolutionCell, Comment.manual_comment
            ).filter(Comment.manual_comment.isnot(None))
        )
    marks = grouped((row.learner, row) for row in of_all if row.status != NOT_HANDED_IN)
    lines = grouped((line.learner, line) for line in changes.read(course, lesson))
    accounts, contents = rubric.accounts(course, lesson), {}
    for learner in learners:
        unless(
            learner in marks,
            ClassroomError(
                f"{learner}'s {lesson} is graded, but the gradebook has no marks of it: put "
                f"back a copy of gradebook.db, or run `grader autograde {lesson}`."
            ),
        )
        changed = lines.get(learner, [])
        last = {line.what: line for line in changed}
        due = planning.due(file, lesson, learner)
        drawn = dict(handing_out.drawn(course, file, lesson, learner))
        contents[learner] = PageContent(
            about.title,
            kinds,
            tuple(marks[learner]),
            grouped(said.get(learner, ())),
            tuple(changes.shown(changed)),
            f"{file.local(due)} {file.zone}" if due else "",
            tuple(sorted(file.plan(lesson).optional)),
            {each.name: variants.own(each, drawn).solution for each in solved},
            solutions == TO_ALL,
            {name: line.who for name, line in last.items() if line.by_hand},
            {name: one.said for (who, name), one in accounts.items() if who == learner},
        )
    return contents


# --- a page --------------------------------------------------------------------------------------


def page(course: CourseFolder, lesson: str, learner: str, content: PageContent) -> str:
    """The page's HTML."""
    place = course.path("autograded", lesson, learner)
    notebook = verdicts.cells(place / f"{lesson}.ipynb")
    kept, given = verdicts.read_if_any(place), course.notebook("release", lesson)
    handed_out = (
        _handed_out(given, given.stat().st_mtime_ns) if given.is_file() else frozenset[str]()
    )
    sources = {grade_id(cell): _source(cell) for cell in notebook}
    parts = {
        name: apart(_card(name, cell, kept, content, sources))
        for name, cell in checks(notebook).items()
    }
    cards = {name: Markup(card) for name, (_, card) in parts.items()}
    stamp = (note(place / STAMP) or "").strip()
    return page_template("classroom/pages/feedback.html").render(
        rules=Markup(
            "\n".join(dict.fromkeys(rule for rules, _ in parts.values() for rule in rules))
        ),
        colours=COLOURS,
        content=content,
        learner=learner,
        # Without fractions of a second.
        handed_in=re.sub(r"(?<=:\d\d)\.\d+", "", stamp) if time_of(stamp) else "",
        score=total(content.rows),
        late=max((row.late_penalty or 0.0 for row in content.rows), default=0.0),
        rows=sorted(
            content.rows,
            key=lambda row: (row.status == "passed", [*cards, row.exercise].index(row.exercise)),
        ),
        cards=cards,
        called={
            row.exercise: content.kinds.get(row.exercise, Write()).word(row.status)
            for row in content.rows
        },
        # By exercise whose mark stays as it was shown, the points that the verdict gives.
        instead={name: one["verdict"]["points"] for name, one in kept.items() if "keeps" in one},
        instructor="your instructor",
        cells=list(_own_cells(notebook, handed_out)),
    )


def _card(
    name: str,
    cell: dict[str, Any],
    kept: Mapping[str, verdicts.KeptVerdict],
    content: PageContent,
    sources: Mapping[str, str],
) -> str:
    """The grader's own HTML, which JudgeAnswers put into the check cell of exercise `name`, with
    the mark that counts; below it our solution, where that may be shown."""
    # They take long to import.
    from ..notebook.cards import sentences
    from ..notebook.verdict_card import COMPARE, compared, of_points

    pages = ["".join(each["data"].get("text/html", "")) for each in cell.get("outputs", ())]
    # An earlier version put our solution into it.
    ours = rf"<details[^>]*><summary>(?:(?!</summary>).)*{COMPARE}.*?</details>"
    card = re.sub(ours, "", "".join(pages), flags=re.DOTALL)
    row = next((each for each in content.rows if each.exercise == name), None)
    if row is None or name not in kept:
        return card
    if row.by_hand is not None or "keeps" in kept[name] or row.score is None:
        judged, most = (float(kept[name]["verdict"][each]) for each in ("points", "max_points"))
        counts = "no mark" if row.score is None else of_points(round(row.score, 2), most)
        card = card.replace(of_points(judged, most), counts, 1)
    if name in content.ours and (content.to_all or row.status == "passed"):
        if fault := (kept[name]["verdict"].get("partial") or {}).get("mistake"):
            card = shared(sentences(f"The fault: {fault}.").html) + card
        lines = beside.changes(unmarked(sources.get(name, "")), unmarked(content.ours[name]))
        card += shared(compared(lines).html)
    return card


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


@lru_cache(maxsize=16)
def _handed_out(path: Path, changed: int) -> frozenset[str]:
    """The cells' texts in the notebook that learners were given, which was last `changed` then."""
    return frozenset(map(_source, verdicts.cells(path)))


def _own_cells(notebook: list[dict[str, Any]], handed_out: frozenset[str]) -> Iterator[Markup]:
    """The learner's cells as HTML: answers, and all that was not handed out as it is. What makes
    it escapes or cleans what it is given."""
    for cell in notebook:
        name, source = grade_id(cell), _source(cell)
        if source.strip() and not name.startswith(CHECK) and (name or source not in handed_out):
            yield (
                _coloured(source)
                if cell["cell_type"] == "code"
                else Markup(sanitize_html.markdown_to_html({"cell": cell}, source))
            )


@lru_cache(maxsize=4096)
def _coloured(source: str) -> Markup:
    language = "cuda" if source.startswith("%%cuda") else "ipython3"
    return Markup(_UNCOLOURED.sub(r"\1", sanitize_html.code_to_html(source, language)))
