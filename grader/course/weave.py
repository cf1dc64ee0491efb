"""lesson.md and its CUDA files become the solved notebook: a pure function of the lesson's folder.

Three kinds of fence at the left margin of lesson.md become code cells; all else is prose:

    ```python                  a Python cell
    ```{kernel} 1_name.cu      `%%cuda name` and the file's text; with `folded` behind it, a click
                               shows it
    ```{exercise} name         `%%cuda name` and the solved file, then the cell that grades it; with
                               `without rules` behind it, the launches stay unsaid for which it
                               must be right

Nothing varies between two runs: a cell's id is a hash of what it is, not of where or when.
"""

import ast
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path, PurePath
from typing import Any

from nbformat import NO_CONVERT, NotebookNode, v4, writes

from ..errors import AuthorError, NotInCourse, unless
from ..grouped import grouped
from . import Exercise, Lesson, authors, costs, rules
from .kinds import unmarked

CUDA = {"magics_language": "cuda"}  # metadata by which nbconvert colours a cell as CUDA
CHECK = "check-"  # the cell that grades exercise NAME has grade_id "check-NAME"

_FOLDED = {"jupyter": {"source_hidden": True}}  # metadata of a cell whose text a click shows
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "pygments_lexer": "ipython3"},
}

# A whole fence, a place where prose is split, or a fence that is not closed before the end or the
# next one.
_BREAK = re.compile(
    r"^(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)\n(?P<body>(?:(?!(?P=fence)).*\n)*)(?P=fence)[`~]* *$"
    r"|^(?P<heading>(?=## ))"
    r"|^(?P<unclosed>`{3}|~{3})",
    re.MULTILINE,
)
_DIRECTIVE = re.compile(r"\{(kernel|exercise)\} *(\S+)(?P<more> folded| without rules)?")


class LessonError(AuthorError):
    """lesson.md asks for something that cannot be woven; the sentence says where and what."""


def weave(lesson: Lesson, partial_marks: bool = True, variants: str = "") -> NotebookNode:
    """The solved notebook (nbformat 4.5, no outputs) of `lesson`, with nbgrader's metadata;
    `partial_marks` and `variants` as `grader.notebook.lesson` has them."""
    more = ", partial_marks=False" * (not partial_marks) + f', variants="{variants}"' * bool(
        variants
    )
    title, _, prose = authors.text(lesson.path / "lesson.md").partition("\n")
    unless(
        title.startswith("# "),
        _error(lesson, 1, "the first line must be `# The title of the lesson`"),
    )
    cells = [
        v4.new_markdown_cell(f"# {title[2:].strip()}"),
        v4.new_code_cell(
            "from grader.notebook import bench, check, draw, hint, lesson, predict, watch\n"
            f'import numpy as np\nlesson("{lesson.name}"{more})'
        ),
        *_cells(lesson, "\n" + prose),
    ]
    _require_all_shown(lesson, "\n" + prose)
    return _notebook("lesson", lesson.name, cells)


def weave_page(page: Path) -> NotebookNode:
    """The notebook of a page that is only to be read, a Markdown file with Python cells."""
    title, _, prose = authors.text(page).partition("\n")
    body = list(_cells(Lesson(page.stem, page.parent, title, ()), "\n" + prose))
    set_up = [v4.new_code_cell("from grader.notebook import draw\nimport numpy as np")] * any(
        cell.cell_type == "code" for cell in body
    )
    return _notebook("page", page.stem, [v4.new_markdown_cell(title), *set_up, *body])


def _notebook(kind: str, name: str, cells: list[NotebookNode]) -> NotebookNode:
    """A cell's id survives edits elsewhere in the lesson; a graded cell's survives edits to
    itself."""
    seen: Counter[str] = Counter()
    for cell in cells:
        key = (
            cell.metadata.get("nbgrader", {}).get("grade_id") or f"{cell.cell_type}\n{cell.source}"
        )
        seen[key] += 1
        cell.id = cell_id(name, key, seen[key])
    return NotebookNode(
        v4.new_notebook(cells=cells, metadata={**METADATA, "warpwise": {kind: name}})
    )


def text(notebook: NotebookNode) -> str:
    """`notebook` as the text of an .ipynb file."""
    return f"{writes(notebook, version=NO_CONVERT)}\n"


def cuda_cell(name: str, source: str, magic: str = "cuda") -> str:
    """The text of a notebook cell that holds the CUDA source of `name`, or the answer to it."""
    return f"%%{magic} {name}\n{source.rstrip()}"


def learners_cell(name: str, source: str) -> str:
    """The same of a learner who answers with `source`: without what marks the solution there."""
    return cuda_cell(name, unmarked(source))


def hand_out(notebook: NotebookNode, lesson: Lesson, given: Mapping[str, Exercise]) -> None:
    """Put these exercises, by name and as learners get them, into the cells of a notebook that has
    the lesson's own; into the cells before each, its text."""
    for at, cell in enumerate(notebook.cells):
        if (name := grade_id(cell)) in given:
            said = dict(zip(told(lesson.exercise(name)), told(given[name]), strict=True))
            for box in takewhile(lambda one: not grade_id(one), notebook.cells[at - 1 :: -1]):
                box.source = said.get(box.source, box.source)
            cell.source = cuda_cell(name, lesson.handed_out(given[name]), given[name].kind.magic)


def graded(grade_id: str, **what: object) -> dict[str, dict[str, object]]:
    """Metadata that make nbgrader call a cell `grade_id`; `what` sets grade, solution, points..."""
    return {
        "nbgrader": {
            **{"schema_version": 3, "grade_id": grade_id},
            **{"grade": False, "locked": False, "solution": False, "task": False},
            **what,
        }
    }


def grade_id(cell: dict[str, Any]) -> str:
    """The name that nbgrader has for the cell; empty when it is none of nbgrader's or its mark is
    broken."""
    mark = cell["metadata"].get("nbgrader")
    name = mark.get("grade_id") if isinstance(mark, dict) else None
    return name if isinstance(name, str) else ""


def cell_id(lesson_name: str, key: str, occurrence: int = 1) -> str:
    """The id of the cell with grade_id `key`, or of the nth cell with that content."""
    return hashlib.sha256(f"{lesson_name}\n{key}\n{occurrence}".encode()).hexdigest()[:16]


def _cells(lesson: Lesson, markdown: str) -> Iterator[NotebookNode]:
    start = 0
    for match in _BREAK.finditer(markdown):
        line = markdown.count("\n", 0, match.start()) + 1
        unless(
            not match["unclosed"],
            _error(lesson, line, "the fence that opens here is never closed"),
        )
        code = [] if match["heading"] is not None else _code_cells(lesson, match, line)
        if code or match["heading"] is not None:  # a fence that is only to be read is prose
            yield from _prose_cells(markdown[start : match.start()])
            yield from code
            start = match.end()
    yield from _prose_cells(markdown[start:])


def _prose_cells(prose: str) -> list[NotebookNode]:
    return [v4.new_markdown_cell(prose.strip())] if prose.strip() else []


def _code_cells(lesson: Lesson, fence: re.Match[str], line: int) -> list[NotebookNode]:
    """The code cells that a fence stands for; none if it is not one of our three kinds."""
    info = fence["info"].strip()
    if info == "python":
        return [_python_cell(lesson, fence["body"], line)]
    if not info.startswith("{"):
        return []
    directive = unless(
        _DIRECTIVE.fullmatch(info),
        _error(lesson, line, f"`{info}` is neither {{kernel}} FILE.cu nor {{exercise}} NAME"),
    )
    unless(
        not fence["body"].strip(),
        _error(lesson, line, f"the fence `{info}` must be empty: its text comes from a file"),
    )
    return (
        _exercise_cells(lesson, directive[2], line, directive["more"] != " without rules")
        if directive[1] == "exercise"
        else _kernel_cells(lesson, directive[2], line, folded=directive["more"] == " folded")
    )


def _python_cell(lesson: Lesson, body: str, line: int) -> NotebookNode:
    """Of a fence that opens on `line`. A question is folded: its text holds the answer."""
    code = body.strip("\n")
    # What is no Python, and runs all the same.
    if not re.search(r"^\s*[%!]|\?\s*$", code, flags=re.MULTILINE):
        try:
            ast.parse(body)
        except SyntaxError as error:
            raise _error(lesson, line + (error.lineno or 0), error.msg) from None
    return NotebookNode(
        v4.new_code_cell(code, metadata=_FOLDED if code.startswith("predict(") else {})
    )


def _kernel_cells(lesson: Lesson, file: str, line: int, folded: bool) -> list[NotebookNode]:
    """A kernel is folded where its text holds most of the answer to an exercise before it."""
    unless(
        (lesson.path / file).is_file(),
        _error(lesson, line, f"there is no file {file} in the lesson's folder"),
    )
    source = authors.text(lesson.path / file)
    unless(
        "BEGIN SOLUTION" not in source,
        _error(lesson, line, f"{file} holds a solution; show it with {{exercise}} NAME"),
    )
    return [
        v4.new_code_cell(
            cuda_cell(re.sub(r"^\d+_", "", PurePath(file).stem), source),
            metadata={**CUDA, **(_FOLDED if folded else {})},
        )
    ]


def _exercise_cells(lesson: Lesson, name: str, line: int, with_rules: bool) -> list[NotebookNode]:
    try:
        exercise = lesson.exercise(name)
    except NotInCourse as error:
        raise _error(lesson, line, str(error).rstrip(".")) from None
    solution = lesson.solution(exercise)
    if fault := exercise.kind.fault(solution):
        raise LessonError(f"{authors.place_of(lesson.path, name)}: {exercise.source} {fault}.")
    kind, boxes = exercise.kind, told(exercise, with_rules)
    return [
        *(v4.new_markdown_cell(words) for words in boxes if words),
        v4.new_code_cell(
            cuda_cell(name, solution, kind.magic),
            metadata={
                **(CUDA if kind.magic == "cuda" else {}),
                **graded(name, solution=True),
                "warpwise": {"kind": kind.name, "minutes": exercise.minutes},
            },
        ),
        v4.new_code_cell(
            f'check("{name}")',
            metadata=graded(CHECK + name, grade=True, locked=True, points=exercise.points),
        ),
    ]


def told(exercise: Exercise, with_rules: bool = True) -> tuple[str, ...]:
    """What the page says of an exercise in front of its cell, "" for what there is not; last,
    `with_rules`, for which launches it must be right."""
    rows = [f"- `{one.kernel}`: {rules.sentence(one, code='`')}" for one in exercise.rules]
    summary = "<details><summary>For which launches it must be right</summary>"
    return (
        exercise.kind.asked(),
        _steps(exercise),
        costs.stated(exercise),
        "\n".join([summary, "", *rows, "", "</details>"]) if rows and with_rules else "",
    )


def _steps(exercise: Exercise) -> str:
    """What to write, one step after the other."""
    rows = [f"{at}. *{one.name}*: {one.write}" for at, one in enumerate(exercise.steps, start=1)]
    return (
        "\n".join(
            ["**What to write**, step by step. `check` shows which steps are passed:", "", *rows]
        )
        if rows
        else ""
    )


def _require_all_shown(lesson: Lesson, markdown: str) -> None:
    """Each exercise stands on the page once, and each kernel of the folder somewhere."""
    lines = grouped(  # by directive and name
        ((directive[1], directive[2]), markdown.count("\n", 0, match.start()) + 1)
        for match in _BREAK.finditer(markdown)
        if (directive := _DIRECTIVE.fullmatch((match["info"] or "").strip()))
    )
    for exercise in lesson.exercises:
        first, *more = lines.get(("exercise", exercise.name), [0])
        unless(
            first,
            LessonError(
                f"{authors.place_of(lesson.path, exercise.name)}: no fence of lesson.md has the "
                f"exercise {exercise.name!r}."
            ),
        )
        unless(
            not more,
            _error(
                lesson,
                min(more, default=first),
                f"the exercise {exercise.name!r} stands on line {first} too; it may stand once",
            ),
        )
    solved = {exercise.source for exercise in lesson.exercises}
    for path in sorted(lesson.path.glob("*.cu")):
        unless(
            path.name in solved or ("kernel", path.name) in lines,
            LessonError(
                f"{authors.shown(path)}: no exercise has this kernel, and no {{kernel}} shows it."
            ),
        )


def _error(lesson: Lesson, line: int, what: str) -> LessonError:
    return LessonError(f"kernels/{lesson.name}/lesson.md, line {line}: {what}.")
