"""A Verdict as a card: the table of cases, and the first failure explained; a wrong output as
pictures in the page's own colours, each with a text twin: which elements are wrong, what the first
of them should be, and which inputs flow into it. Shapes say what colours say.
"""

from collections.abc import Sequence
from dataclasses import replace
from html import escape
from itertools import groupby

import numpy as np

from grader.course import Exercise
from grader.cuda import simulator
from grader.errors import counted
from grader.judge import partial, sizes
from grader.judge.beside import beside
from grader.judge.compare import SHOWN, right
from grader.judge.verdict import (
    CaseResult,
    Mismatch,
    Part,
    Verdict,
    by_cause,
    foremost,
    indexed,
    stopped,
    told_apart,
)
from grader.learner import study
from grader.status import headline
from grader.submissions.intake import as_typed

from .cards import (
    Diagnosis,
    Page,
    aligned,
    boxed,
    code,
    difference,
    explain,
    html_of,
    joined,
    marked,
    paragraph,
    prose,
    sentences,
)
from .player import Replay, drawn, of_replay

_ACROSS, _DOWN = 64, 32  # cells at most
_MARKS = {"passed": "✓", "not_run": "·"}
COMPARE = "Compare with ours"
CAUSE = "Now looking for the cause ..."
SIZES = "Right so far. Now looking for sizes that break it and that no case tries ..."
PROVED = "✓ Proved for every size"


def page(
    verdict: Verdict,
    source: str,
    exercise: Exercise,
    replay: Replay | None = None,
    cell: str = "",
    ours: bool = True,
    *,
    hinted: Sequence[Page] = (),
) -> Page:
    """`verdict` on `source`, as it is shown to the learner; `replay` is a failing case recorded,
    `cell` the name of the `%%cuda` cell that lines are to lead to, if there is one: then the
    exercise is open, and the remedy is left to a hint. Without `ours` the lesson's own solution is
    left out. The hints that were `hinted` at stand above the player, next to their button."""
    name, of_kind, hints = exercise.name, exercise.kind.title, bool(verdict.parts.hints)
    verdict = verdict.while_open() if cell else verdict
    if verdict.status == "not_attempted":
        text = f"`{name}` is still as it was handed out. {exercise.kind.to_do}. Run its cell, "
        return boxed("note", sentences(f'{text}then run `check("{name}")` again.'))
    if verdict.status == "kept":
        return boxed(
            "note",
            sentences(f"`{name}`, {counted(verdict.max_points, 'point')}: {verdict.message}"),
        )
    kind = "success" if verdict.status == "passed" else "error"
    outcome = "passed" if kind == "success" else "not there yet"
    points = of_points(verdict.points, verdict.max_points)
    rows = [
        (
            case.status == "passed",
            f"{_MARKS.get(case.status, '✗')} {exercise.kind.word(case.status)}",
            _name(case),
            f"{case.points:g} / {case.max_points:g}",
        )
        for case in verdict.cases
    ]
    width = max((len(name) for *_, name, _ in rows), default=0)
    parts = [
        Page(
            html_of("heading", kind, prose(f"`{name}`: {outcome}"), f" · {points} · {of_kind}"),
            f"{name}: {outcome}, {points} ({of_kind})",
        ),
        sentences(partial.said(verdict)),  # how the points with one named fault came about
        sentences(  # which steps are passed, and what to write in the first other one
            *(
                f"{row} {step.write}" if row[0] == "✗" else row
                for row, step in zip(verdict.progress, exercise.steps, strict=False)
            )
        ),
        (
            Page(
                html_of("cases", rows),
                "\n".join(
                    f"  {words:<24} {name:<{width}}  {points}" for _, words, name, points in rows
                ),
            )
        ),
    ]
    shown, failed = as_typed(source, name), foremost(verdict.cases)
    if failed:
        parts += [
            _first_failure(failed, verdict, shown, exercise, cell),
            _elements(replay, failed),
        ]
        if failed.made_of and failed.mismatches:
            parts.append(flow_map(failed.made_of, failed.mismatches[0]))
    else:
        # What the exercise's kind says, and what was seen where something was to go wrong.
        parts += [
            sentences(exercise.kind.solved, *dict.fromkeys(case.note for case in verdict.cases)),
            _every_size(verdict),
            _beside_ours(verdict, shown, exercise, ours),
        ]
    parts += [_next_step(verdict, exercise, hints, cell), _strip(verdict, shown)]
    card = joined(boxed(kind, *parts), *hinted)
    if replay is None or not study.has("player"):
        return card
    played = of_replay(replay)
    return joined(
        card,
        Page(
            html_of(
                "folded", html_of("accented", "note", "Step through it"), played.html, is_open=True
            ),
            f"\nStep through it\n{played.text}",
        ),
    )


def noted(page: Page, verdict: Verdict, source: str) -> Page:
    """The page that tells the editor where the exercise fails, or that it is passed."""
    return replace(
        page,
        note=marked(
            Diagnosis(
                verdict.status,
                verdict.parts.while_open,
                source,
                line=verdict.line,
                diagnostics=verdict.diagnostics,
                cell=verdict.exercise.rpartition("/")[2],
            ),
            passed=verdict.status == "passed",
        ),
    )


def looking(page: Page, what: str) -> Page:
    """The same while something is looked for: CAUSE or SIZES."""
    return joined(page, sentences(what, muted=True))


def of_points(points: float, most: float) -> str:
    """What an answer got, in words."""
    return f"{points:g} of {counted(most, 'point')}"


def _every_size(verdict: Verdict) -> Page:
    """That a kernel is proved for every size, and by a click what that means and assumes; or what
    Z3 alone found."""
    known = verdict.every_size
    if known and known.outcome == "counterexample":
        return sentences(f"{sizes.REMARK} {known.why}")
    if known is None or known.outcome != "proved":
        return Page("", "")
    return Page(
        html_of(
            "folded",
            html_of("accented", "success", PROVED),
            html_of("proved", sizes.MEANS, sizes.ASSUMES, known.assumes),
        ),
        "\n".join(
            [f"{PROVED}: {sizes.MEANS} {sizes.ASSUMES}", *(f"  - {one}" for one in known.assumes)]
        ),
    )


def _name(case: CaseResult) -> str:
    return case.name if case.visible else f"{case.name} (hidden)"


def _first_failure(
    case: CaseResult, verdict: Verdict, shown: str, exercise: Exercise, cell: str
) -> Page:
    """What is wrong in the first case that failed, and which others failed of the same."""
    what = Diagnosis(
        *(case.status, case.parts, shown),
        line=case.line,
        diagnostics=verdict.diagnostics if case.visible else (),
        cell=cell,
    )
    title = exercise.kind.called.get(case.status, headline(case.status))
    title = f"{title[:1].upper()}{title[1:]} (case: {_name(case)})"
    page = explain(what, title=title)
    alike = next(cases for cases in by_cause(verdict) if case in cases)
    also = f"This stopped {stopped(alike, verdict)}." if len(alike) > 1 else ""
    return joined(Page(page.html, f"\n{page.text}"), Page(paragraph(also), also))


def _elements(replay: Replay | None, failed: CaseResult) -> Page:
    """Which elements of the first wrong output are wrong, and the first of them beside what they
    should be; the few that the verdict names where the case was not run again."""
    if replay is None or replay.error is not None:
        if len(failed.mismatches) < 2:  # one is told in the message
            return Page("", "")
        rows = [(m.place, *m.values) for m in failed.mismatches[:SHOWN]]
        return Page(
            html_of(
                "table", ("Element", "Expected", "Found"), [tuple(map(code, row)) for row in rows]
            ),
            "\n".join(
                f"  {where:<16} expected {want:<14} found {got}" for where, want, got in rows
            ),
        )
    for buffer, expected in sorted(  # those of the launch that is told first
        replay.words.problem.outputs.items(),
        key=lambda one: (
            failed.where is not None and replay.words.launch(one[0]) != failed.where.launch
        ),
    ):
        found, name = replay.buffers[buffer], replay.words.name(buffer)
        missing = ~simulator.written(found)
        wrong = missing | ~right(expected, found)
        if wrong.any():
            return joined(
                # The smallest case that fails alike may be another.
                sentences(
                    f"In the case `{replay.case.name}`:" if replay.case.name != failed.name else ""
                ),
                element_map(name, wrong, missing) if wrong.size > 1 else Page("", ""),
                expected_beside_found(
                    name, wrong, np.broadcast_to(expected.value, found.shape), found, missing
                ),
            )
    return Page("", "")


def _strip(verdict: Verdict, shown: str) -> Page:
    """The steps that lead to where a case went wrong, of a verdict that has them."""
    for case in verdict.cases:
        if case.strip:
            steps = drawn(case.strip, shown)
            title = f"Step by step (case: {case.name})"
            return Page(
                f'<div style="margin: 6px 0">{html_of("accented", "note", escape(title))}'
                f"{steps.html}</div>",
                f"\n{title}\n{steps.text}",
            )
    return Page("", "")


def _beside_ours(verdict: Verdict, shown: str, exercise: Exercise, ours: bool) -> Page:
    """What the kernel cost beside its budgets and beside our solution, and how ours is written."""
    both = beside(verdict, shown, exercise)
    if both is None:
        return Page("", "")
    rows = [one.row for one in both.costs]
    return joined(
        Page(
            html_of(
                "table",
                ("Counter", "Yours", "Budget", "Ours"),
                [(code(counter), *others) for counter, *others in rows],
            )
            if rows
            else "",
            "\n".join(
                f"  {name}: {yours} of {most} allowed, ours {its}"
                for name, yours, most, its in rows
            ),
        ),
        compared(both.changes) if ours and both.changes else Page("", ""),
    )


def compared(changes: tuple[str, ...]) -> Page:
    """By a click the lines in which a kernel and ours differ."""
    lines = difference(changes)
    return Page(
        html_of(
            "folded",
            html_of("accented", "note", COMPARE) + ": lines that differ, - yours, + ours",
            lines.html,
        ),
        f"\n{COMPARE} (- yours, + ours)\n{lines.text}",
    )


def _next_step(verdict: Verdict, exercise: Exercise, hints: bool, cell: str) -> Page:
    """What a learner can call next; where the exercise is open, with `hints` on the failure."""
    steps, shown = [], Page("", "")
    if verdict.status != "passed" and (exercise.hints or (hints and cell)):
        steps.append(f'`hint("{exercise.name}")` gives you a hint.')
        shown = Page(html_of("button", "Hint", "hint", exercise.name) if cell else "", "")
    ran = {case.name for case in verdict.cases}
    if hidden := [one for one in exercise.cases if not one.visible and one.name not in ran]:
        points = counted(sum(one.points for one in hidden), "point")
        steps.append(
            f"Not run: {counted(len(hidden), 'hidden case')}, {points}: "
            f'`check("{exercise.name}", hidden=True)`.'
        )
    return joined(sentences(*steps, muted=True), shown)


# ---- which elements are wrong ----


def element_map(name: str, wrong: np.ndarray, missing: np.ndarray | None = None) -> Page:
    """`wrong` (bool, any shape) as rows of cells: of a matrix its rows, else rows of 64 elements;
    `missing` are those of them that nobody wrote. A cell stands for several elements where there
    are too many."""
    missing = np.zeros_like(wrong) if missing is None else missing
    (grid, each), (unwritten, _) = _cells(wrong), _cells(missing)
    said = _counted_wrong(name, wrong, missing) + (
        f" A cell stands for up to {each} elements." if each > 1 else ""
    )
    # A cell is all unwritten, empty, right, wrong, or one of several that are partly wrong.
    signs = np.select(
        [unwritten == 1, np.isnan(grid), grid == 0, grid == 1], ["∅", "", "·", "✗"], "o"
    )
    explained = "  (∅ not written, ✗ another value)" if missing.any() else ""
    text = "\n".join([f"{said}{explained}", *(f"  {''.join(row)}" for row in signs.tolist())])
    wrong_box = "filled" if (signs == "∅").any() else "crossed"
    boxes = {
        **{"·": "empty box: right", "✗": f"{wrong_box} box: wrong"},
        **{"o": "half-filled box: partly wrong", "∅": "crossed box: not written"},
    }
    key = ", ".join(text for sign, text in boxes.items() if (signs == sign).any())
    return Page(html_of("element_map", signs.tolist(), said, key), text)


def _cells(wrong: np.ndarray) -> tuple[np.ndarray, int]:
    """The share of wrong elements by cell (rows, columns), NaN where there is none; and how many
    elements a cell stands for at most."""
    if wrong.ndim > 1:
        flat = wrong.reshape(-1, wrong.shape[-1]).astype(np.float64)
    else:  # in rows of 64, or in _DOWN rows where it is longer than those hold
        across = min(max(_ACROSS, -(-wrong.size // _DOWN)), wrong.size)
        flat = np.append(wrong, np.full(-wrong.size % across, np.nan)).reshape(-1, across)
    rows, columns = flat.shape
    down, across = max(1, -(-rows // _DOWN)), max(1, -(-columns // _ACROSS))
    padded = np.pad(  # to whole cells
        flat, ((0, -rows % down), (0, -columns % across)), constant_values=np.nan
    )
    parts = padded.reshape(len(padded) // down, down, -1, across)
    number = (~np.isnan(parts)).sum(axis=(1, 3))
    return np.nansum(parts, axis=(1, 3)) / np.where(number, number, np.nan), down * across


def _counted_wrong(name: str, wrong: np.ndarray, missing: np.ndarray) -> str:
    number = int(wrong.sum())
    first = np.argwhere(wrong)[0].tolist() if wrong.ndim else []
    are = "is" if number == 1 else "are"
    said = f"{number} of {counted(wrong.size, 'element')} of {name} {are} wrong" + (
        f", the first is {indexed(name, first)}" if number < wrong.size and number > 1 else ""
    )
    if unwritten := int(missing.sum()):
        all_of = "" if unwritten < number else "; all of these" if number > 1 else "; it"
        were = "were" if unwritten > 1 else "was"
        said += f"{all_of or f'; {unwritten} of these'} {were} not written"
    return f"{said}."


# ---- the first of them beside what they should be ----

_SHOWN = 8  # elements
_BEFORE = 2  # of them before the first wrong one, which is in view on a narrow page too
_DIGITS = 6


def expected_beside_found(
    name: str,
    wrong: np.ndarray,
    expected: np.ndarray,
    found: np.ndarray,
    missing: np.ndarray | None = None,
) -> Page:
    """Neighbours in a row of an array, of which the first wrong one is one, as a table: what each
    should be above what it is, or that it was not written where it is `missing`. `wrong` and
    `missing` (bool) have the shape of both."""
    first = tuple(np.argwhere(wrong)[0].tolist())
    places = [first]
    if first:
        *row, column = first
        begin = max(0, column - _BEFORE) if wrong.shape[-1] > _SHOWN else 0
        places = [(*row, at) for at in range(begin, min(begin + _SHOWN, wrong.shape[-1]))]
    columns = []  # name, expected, found
    for place in places:
        want, got = float(expected[place]), float(found[place])
        shown = (
            told_apart(want, got, _DIGITS)
            if wrong[place]
            else (f"{want:.{_DIGITS}g}", f"{got:.{_DIGITS}g}")
        )
        shown = (shown[0], "not written") if missing is not None and missing[place] else shown
        columns.append(
            (indexed(name, place), shown[0], f"{shown[1]} ✗" if wrong[place] else shown[1])
        )
    names, wanted, values = zip(*columns, strict=True)
    return Page(
        html_of("beside", names, wanted, values),
        aligned((("  ", *names), ("  expected", *wanted), ("  found", *values))),
    )


# ---- which inputs flow into the first of them ----

_ROWS = 4  # arrays at most
_LACKS, _SOME, _HOLDS, _MORE, _RIGHT, _NEITHER = "○", "◐", "✗", "+", "●", "·"
_KEY = {
    _RIGHT: "used, as it should be",
    _HOLDS: "used, but should not be",
    _LACKS: "not used, but should be",
    _SOME: "used only in part",
    _MORE: "used more often than it should be",
}
_RANK = (_NEITHER, _RIGHT, _MORE, _HOLDS, _LACKS, _SOME)  # of several elements the last counts


def flow_map(parts: Sequence[Part], wrong: Mismatch) -> Page:
    """The element `wrong` and what it was made of. A row of cells is a stretch of an array. A line
    leads from a cell to the element that was made of it; a dashed one is missing."""
    rows = [_row(list(some)) for _, some in groupby(parts, key=lambda one: one.buffer)][:_ROWS]
    expected, found = wrong.values
    said = f"{wrong.place} is {found}, and should be {expected}. What it uses:"
    key = ", ".join(
        f"{sign} {meaning}"
        for sign, meaning in _KEY.items()
        if any(sign in signs for _, signs in rows)
    )
    width = max(len(name) for name, _ in rows)
    return Page(
        html_of("flow", rows, wrong, f"{said} {key}"),
        "\n".join([said, *(f"  {name:<{width}}  {''.join(signs)}" for name, signs in rows), key]),
    )


def _row(parts: Sequence[Part]) -> tuple[str, list[str]]:
    """An array's name, with the stretch that is shown, and a sign for each cell."""
    begin, end = parts[0].index, parts[-1].index + parts[-1].count
    each = -(-(end - begin) // _ACROSS)
    signs = [_NEITHER] * -(-(end - begin) // each)
    for part in parts:
        used = _MORE if part.found > part.expected else _RIGHT
        sign = used if part.found and part.expected else _HOLDS if part.found else _LACKS
        last = part.index + part.count - 1 - begin
        for cell in range((part.index - begin) // each, last // each + 1):
            both = {signs[cell], sign}
            signs[cell] = _SOME if both == {_RIGHT, _LACKS} else max(both, key=_RANK.index)
    first = indexed(parts[0].buffer, parts[0].first)
    several = f", {each} per cell" if each > 1 else ""
    return f"from {first} on{several}" if end - begin > 1 else first, signs
