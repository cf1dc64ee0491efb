"""A Verdict as a card: the table of cases, and the first failure explained."""

from dataclasses import replace
from html import escape

import numpy as np

from grader.course import Exercise
from grader.cuda import simulator
from grader.errors import counted
from grader.judge import partial, sizes
from grader.judge.beside import beside
from grader.judge.compare import right
from grader.judge.verdict import CaseResult, Verdict, by_cause, foremost, stopped
from grader.learner import study
from grader.submissions.intake import as_typed

from .cards import (
    Diagnosis,
    Page,
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
from .wrong_elements import element_map, expected_beside_found, flow_map

_SHOWN_MISMATCHES = 5
_MARKS = {"passed": "✓", "not_run": "·"}
COMPARE = "Compare with ours"
PROVED = "✓ Proved for every size"


def page(
    verdict: Verdict,
    source: str,
    exercise: Exercise,
    replay: Replay | None = None,
    cell: str = "",
    ours: bool = True,
) -> Page:
    """`verdict` on `source`, as it is shown to the learner; `replay` is a failing case recorded,
    `cell` the name of the `%%cuda` cell that lines are to lead to, if there is one: then the
    exercise is open, and the remedy is left to a hint. Without `ours` the lesson's own solution is
    left out."""
    name, of_kind, hints = exercise.name, exercise.kind.title, bool(verdict.parts.hints)
    verdict = verdict.while_open() if cell else verdict
    if verdict.status == "not_attempted":
        text = f"`{name}` is still as it was handed out. {exercise.kind.to_do}. Run its cell, "
        return boxed("note", sentences(f'{text}then run `check("{name}")` again.'))
    if verdict.status == "kept":
        worth = counted(verdict.max_points, "point")
        return boxed("note", sentences(f"`{name}`, {worth}: {verdict.message}"))
    kind = "success" if verdict.status == "passed" else "error"
    outcome = "passed" if kind == "success" else "not there yet"
    points = of_points(verdict.points, verdict.max_points)
    parts = [
        Page(
            html_of("heading", kind, prose(f"`{name}`: {outcome}"), f" · {points} · {of_kind}"),
            f"{name}: {outcome}, {points} ({of_kind})",
        ),
        sentences(partial.said(verdict)),  # how the points with one named fault came about
        _steps(verdict, exercise),
        _cases(verdict, exercise),
    ]
    shown = as_typed(source, name)
    failed = foremost(verdict.cases)
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
    card = boxed(kind, *parts)
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


def looking(page: Page) -> Page:
    """The same while sizes are looked for that no case tries."""
    return joined(
        page,
        sentences(
            "Right so far. Now looking for sizes that break it and that no case tries ...",
            muted=True,
        ),
    )


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
    inside = html_of("proved", sizes.MEANS, sizes.ASSUMES, known.assumes)
    text = [f"{PROVED}: {sizes.MEANS} {sizes.ASSUMES}", *(f"  - {one}" for one in known.assumes)]
    return Page(html_of("folded", html_of("accented", "success", PROVED), inside), "\n".join(text))


def _steps(verdict: Verdict, exercise: Exercise) -> Page:
    """Which of the exercise's steps are passed, and what to write in the first other one."""
    return sentences(
        *(
            f"{row} {step.write}" if row[0] == "✗" else row
            for row, step in zip(verdict.progress, exercise.steps, strict=False)
        )
    )


def _cases(verdict: Verdict, exercise: Exercise) -> Page:
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
    return Page(
        html_of("cases", rows),
        "\n".join(f"  {words:<24} {name:<{width}}  {points}" for _, words, name, points in rows),
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
    title = exercise.kind.called.get(case.status, what.title)
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
        rows = [(m.place, *m.values) for m in failed.mismatches[:_SHOWN_MISMATCHES]]
        return Page(
            html_of(
                "table", ("Element", "Expected", "Found"), [tuple(map(code, row)) for row in rows]
            ),
            "\n".join(
                f"  {where:<16} expected {want:<14} found {got}" for where, want, got in rows
            ),
        )
    for buffer, expected in replay.words.problem.outputs.items():
        found, name = replay.buffers[buffer], replay.words.name(buffer)
        missing = ~simulator.written(found)
        wrong = missing | ~right(expected, found)
        if wrong.any():
            # The smallest case that fails alike may be another.
            other = replay.case.name != failed.name
            return joined(
                sentences(f"In the case `{replay.case.name}`:" if other else ""),
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
    kept = "not kept"
    rows = [
        (one.counter, f"{one.yours:,}", one.budget, kept if one.ours is None else f"{one.ours:,}")
        for one in both.costs
    ]
    cells = [(code(counter), *others) for counter, *others in rows]
    texts = (f"  {name}: {yours} of {most} allowed, ours {its}" for name, yours, most, its in rows)
    return joined(
        Page(
            html_of("table", ("Counter", "Yours", "Budget", "Ours"), cells) if rows else "",
            "\n".join(texts),
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
        call = f'`check("{exercise.name}", hidden=True)`'
        steps.append(f"Not run: {counted(len(hidden), 'hidden case')}, {points}: {call}.")
    return joined(sentences(*steps, muted=True), shown)
