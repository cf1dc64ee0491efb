"""A learner's feedback as one small page that loads nothing: the marks, each exercise's verdict
with what is wrong first, then the cells that the learner wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

from ..counted import counted
from ..course.kinds import ExerciseKind, Write
from ..course.weave import CHECK
from ..submissions.submission import is_time, note
from . import graded, sanitize_html, verdicts
from .changes import Change
from .export import Row
from .folder import CourseFolder
from .shared_styles import apart, shared

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
INSTRUCTOR = "your instructor"  # who comments, where no name is known
_FRACTION = re.compile(r"(?<=:\d\d)\.\d+")  # of a second


@dataclass(frozen=True)
class Shown:
    """All that a page is made of beside the graded notebook: the lesson's title, the kinds of its
    exercises by name, the marks, an instructor's comments by exercise, what changed when, when it
    was due (empty: never), the exercises that add nothing to the marks, our solutions where they
    may be shown, and who marked by hand."""

    title: str
    kinds: Mapping[str, ExerciseKind]
    rows: tuple[Row, ...]
    comments: Mapping[str, tuple[str, ...]]
    changes: tuple[Change, ...]
    due: str
    optional: tuple[str, ...] = ()
    ours: Mapping[str, str] = field(default_factory=dict)
    by_whom: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Verdict:
    """An exercise on the page. `called` is what became of it, in words; `card` is the judge's, as
    HTML."""

    row: Row
    called: str
    card: Markup
    comments: tuple[str, ...]
    explained: str
    by_whom: str

    @property
    def passed(self) -> bool:
        return self.row.status == "passed"


def page(course: CourseFolder, lesson: str, learner: str, shown: Shown) -> str:
    """The page's HTML."""
    place = course.path("autograded", lesson, learner)
    notebook = graded.cells(place / f"{lesson}.ipynb")
    kept = _kept(place)
    sources = {graded.grade_id(cell): _source(cell) for cell in notebook}
    found = {graded.grade_id(cell): apart(_card(cell, kept, shown, sources)) for cell in notebook}
    cards = {name: Markup(card) for name, (_, card) in found.items()}
    rules = dict.fromkeys(rule for told, _ in found.values() for rule in told)
    order = list(cards)
    exercises = [
        Verdict(
            row,
            shown.kinds.get(row.exercise, Write()).word(row.status),
            cards.get(CHECK + row.exercise, Markup()),
            shown.comments.get(row.exercise, ()),
            _explained(row, kept.get(row.exercise)),
            shown.by_whom.get(row.exercise, INSTRUCTOR),
        )
        for row in sorted(shown.rows, key=lambda row: _position(order, CHECK + row.exercise))
    ]
    late = max((row.late_penalty or 0.0 for row in shown.rows), default=0.0)
    stamp = (note(place / "timestamp.txt") or "").strip()
    return _template().render(
        rules=Markup("\n".join(rules)),
        colours=COLOURS,
        title=shown.title,
        learner=learner,
        handed_in=_FRACTION.sub("", stamp) if is_time(stamp) else "",
        due=shown.due,
        optional=shown.optional,
        score=_total(shown.rows, late),
        most=sum(row.max_score for row in shown.rows),
        late=late,
        exercises=sorted(exercises, key=lambda one: one.passed),
        changes=shown.changes,
        cells=list(_own(notebook, _handed_out(course, lesson))),
    )


def _total(rows: Iterable[Row], late: float) -> float | None:
    """None where something that counts has no mark."""
    scores = [row.score for row in rows if row.score is not None or row.max_score]
    return None if None in scores else max(0.0, sum(one or 0.0 for one in scores) - late)


def _kept(place: Path) -> dict[str, verdicts.Kept]:
    try:
        return verdicts.read(place)
    except FileNotFoundError:  # marked by hand alone
        return {}


def _explained(row: Row, kept: verdicts.Kept | None) -> str:
    """How the mark came about, where it is not the verdict's."""
    if row.score is None:
        return "This could not be judged, and has no mark until an instructor gives one."
    if row.by_hand is not None:
        gave = "no mark" if row.by_judge is None else counted(round(row.by_judge, 2), "point")
        return f"The judge gave {gave}."
    if kept and "keeps" in kept:
        now = counted(round(float(kept["verdict"]["points"]), 2), "point")
        return (
            f"This counts as you were shown it before: for the same answer the present version of "
            f"the course gives {now}."
        )
    return ""


def _position(order: list[str], name: str) -> int:
    """Where in the notebook; last what is not in it."""
    return order.index(name) if name in order else len(order)


def _own(notebook: list[dict[str, Any]], handed_out: frozenset[str]) -> Iterator[Markup]:
    """The learner's cells: answers, and all that was not handed out as it is."""
    for cell in notebook:
        name, source = graded.grade_id(cell), _source(cell)
        if name.startswith(CHECK) or not source.strip():
            continue
        if name or source not in handed_out:
            yield Markup(_html(cell, source))  # both filters escape or clean what they are given


def _html(cell: dict[str, Any], source: str) -> str:
    if cell["cell_type"] == "code":
        language = "cuda" if source.startswith("%%cuda") else "ipython3"
        return _coloured(source, language)
    return sanitize_html.markdown_to_html({"cell": cell}, source)


@lru_cache(maxsize=4096)
def _coloured(source: str, language: str) -> str:
    return _UNCOLOURED.sub(r"\1", sanitize_html.code_to_html(source, language))


def _handed_out(course: CourseFolder, lesson: str) -> frozenset[str]:
    path = course.notebook("release", lesson)
    seen = (str(path), path.stat().st_mtime_ns) if path.is_file() else ("", 0)
    return _sources(*seen)


@lru_cache(maxsize=16)
def _sources(path: str, changed: int) -> frozenset[str]:
    if not path:
        return frozenset()
    return frozenset(_source(cell) for cell in graded.cells(Path(path)))


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _card(
    cell: dict[str, Any],
    kept: Mapping[str, verdicts.Kept],
    shown: Shown,
    sources: Mapping[str, str],
) -> str:
    """What JudgeAnswers put into a check cell, the grader's own HTML, with the mark that counts;
    below it our solution, where that may be shown."""
    if not graded.grade_id(cell).startswith(CHECK):
        return ""
    name = graded.grade_id(cell).removeprefix(CHECK)
    pages = ["".join(one["data"].get("text/html", "")) for one in cell.get("outputs", ())]
    card = verdicts.without_ours("".join(pages))
    row = next((one for one in shown.rows if one.exercise == name), None)
    if row is None or name not in kept:
        return card
    if row.by_hand is not None or "keeps" in kept[name] or row.score is None:
        card = verdicts.with_mark(card, kept[name], row.score)
    if name in shown.ours and row.status == "passed":
        card += shared(verdicts.beside_ours(sources.get(name, ""), shown.ours[name]))
    return card


@cache
def _template() -> Template:
    pages = Environment(
        loader=PackageLoader(__package__, "pages"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    pages.filters |= {
        "counted": lambda value, noun: counted(round(value, 2), noun),
        "points": lambda value: "no mark" if value is None else f"{round(value, 2):g}",
    }
    return pages.get_template("feedback.html")
