"""A Verdict as a card: the table of cases, and the first failure explained."""

from __future__ import annotations

from html import escape

import numpy as np

from grader.counted import counted
from grader.course import Exercise
from grader.cuda import simulator
from grader.judge import partial, sizes
from grader.judge.beside import Beside, beside
from grader.judge.compare import right
from grader.judge.verdict import CaseResult, Mismatch, Verdict, by_cause, foremost, stopped
from grader.submissions.cells import as_typed

from . import diagnosis, difference
from .element_map import element_map
from .expected_found import expected_beside_found
from .flow_map import flow_map
from .html import ACCENTS, Page, accented, card, code, heading, paragraph, prose, table
from .player.replay import Replay
from .player.strip import drawn
from .playing import of_replay

_SHOWN_MISMATCHES = 5
COMPARE = "Compare with ours"
PROVED = "✓ Proved for every size"
LOOKING = "Right so far. Now looking for sizes that break it and that no case tries ..."


def page(
    verdict: Verdict,
    source: str,
    exercise: Exercise,
    replay: Replay | None = None,
    cell: str = "",
    ours: bool = True,
) -> Page:
    """`verdict` on `source`, as it is shown to the learner; `replay` is a failing case recorded,
    `cell` the name of the `%%cuda` cell that lines are to lead to, if there is one. Without `ours`
    the lesson's own solution is left out."""
    if verdict.status == "not_attempted":
        return _not_attempted(exercise)
    kind = "success" if verdict.status == "passed" else "error"
    parts = [_title(verdict, exercise, kind), _part(verdict), _cases(verdict, exercise)]
    failed = foremost(verdict.cases)
    if failed:
        parts += [
            _first_failure(failed, verdict, source, exercise, cell),
            _elements(replay, failed),
            flow_map(failed.made_of, failed.mismatches[0]) if _is_drawn(failed) else Page("", ""),
        ]
    else:
        parts += [_solved(verdict, exercise), _every_size(verdict)]
        parts += _beside(beside(verdict, as_typed(source, exercise.name), exercise), ours)
    parts += [_next_step(verdict, exercise), _told_steps(verdict, source, exercise)]
    html = card(kind, *(part.html for part in parts))
    if replay:
        steps = _steps(replay)
        return Page(html + steps.html, "\n".join([*(p.text for p in parts if p.text), steps.text]))
    return Page(html, "\n".join(part.text for part in parts if part.text))


def _not_attempted(exercise: Exercise) -> Page:
    text = (
        f"`{exercise.name}` is still as it was handed out. {exercise.kind.to_do}. Run its cell, "
        f'then run `check("{exercise.name}")` again.'
    )
    return Page(card("note", paragraph(text)), text)


def _title(verdict: Verdict, exercise: Exercise, kind: str) -> Page:
    outcome = "passed" if kind == "success" else "not there yet"
    points = of_points(verdict.points, verdict.max_points)
    of_kind = exercise.kind.title
    html = heading(kind, prose(f"`{exercise.name}`: {outcome}"), f" · {points} · {of_kind}")
    return Page(html, f"{exercise.name}: {outcome}, {points} ({of_kind})")


def of_points(points: float, most: float) -> str:
    """What an answer got, in words."""
    return f"{_number(points)} of {counted(most, 'point')}"


def _part(verdict: Verdict) -> Page:
    """How the points of an answer with one named fault came about."""
    told = partial.said(verdict)
    return Page(paragraph(told), told) if told else Page("", "")


def _solved(verdict: Verdict, exercise: Exercise) -> Page:
    """What the exercise's kind says of a right answer, and what was seen where something was to go
    wrong."""
    notes = dict.fromkeys(case.note for case in verdict.cases if case.note)
    told = [one for one in (exercise.kind.solved, *notes) if one]
    return Page("".join(map(paragraph, told)), "\n".join(told))


def _every_size(verdict: Verdict) -> Page:
    """That a kernel is proved for every size, and by a click what that means and assumes; or what
    Z3 alone found."""
    found = verdict.every_size
    if found and found.outcome == "counterexample":
        told = f"{sizes.REMARK} {found.why}"
        return Page(paragraph(told), told)
    if found is None or found.outcome != "proved":
        return Page("", "")
    head = accented("success", PROVED)
    rows = "".join(f"<li>{prose(one)}</li>" for one in found.assumes)
    told = f"{paragraph(sizes.MEANS)}{paragraph(sizes.ASSUMES)}<ul>{rows}</ul>"
    html = f'<details style="margin: 6px 0"><summary>{head}</summary>{told}</details>'
    text = [f"{PROVED}: {sizes.MEANS} {sizes.ASSUMES}", *(f"  - {one}" for one in found.assumes)]
    return Page(html, "\n".join(text))


def looking(page: Page) -> Page:
    """The same while sizes are looked for that no case tries."""
    return Page(page.html + paragraph(LOOKING, muted=True), f"{page.text}\n{LOOKING}")


def _cases(verdict: Verdict, exercise: Exercise) -> Page:
    rows: list[tuple[str, ...]] = [
        (
            _outcome(case, exercise),
            escape(_name(case)),
            f"{_number(case.points)}&nbsp;/&nbsp;{_number(case.max_points)}",
        )
        for case in verdict.cases
    ]
    width = max((len(_name(case)) for case in verdict.cases), default=0)
    text = [
        f"  {_words(case, exercise):<24} {_name(case):<{width}}  "
        f"{_number(case.points)} / {_number(case.max_points)}"
        for case in verdict.cases
    ]
    return Page(table(("Result", "Case", "Points"), rows), "\n".join(text))


def _name(case: CaseResult) -> str:
    return case.name if case.visible else f"{case.name} (hidden)"


def _words(case: CaseResult, exercise: Exercise) -> str:
    mark = {"passed": "✓", "not_run": "·"}.get(case.status, "✗")
    return f"{mark} {exercise.kind.word(case.status)}"


def _outcome(case: CaseResult, exercise: Exercise) -> str:
    colour = ACCENTS["success" if case.status == "passed" else "error"]
    words = escape(_words(case, exercise))
    return f'<span style="color: {colour}; white-space: nowrap">{words}</span>'


def _first_failure(
    case: CaseResult, verdict: Verdict, source: str, exercise: Exercise, cell: str
) -> Page:
    """What is wrong in the first case that failed, and which others failed of the same."""
    what = diagnosis.Diagnosis(
        case.status,
        case.message,
        as_typed(source, exercise.name),
        line=case.line,
        diagnostics=verdict.diagnostics if case.visible else (),
        cell=cell,
    )
    title = exercise.kind.called.get(case.status, what.title)
    title = f"{title[:1].upper()}{title[1:]} (case: {_name(case)})"
    shown = diagnosis.explain(what, title=title)
    alike = next(cases for cases in by_cause(verdict) if case in cases)
    also = f"This stopped {stopped(alike, verdict)}." if len(alike) > 1 else ""
    return Page(shown.html + paragraph(also), "\n".join(filter(None, ["\n" + shown.text, also])))


def _elements(replay: Replay | None, failed: CaseResult) -> Page:
    """Which elements of the first wrong output are wrong, and the first of them beside what they
    should be; the few that the verdict names where the case was not run again."""
    if replay is None or replay.error is not None:
        return _mismatches(failed.mismatches)
    for buffer, expected in replay.problem.outputs.items():
        found, name = replay.buffers[buffer], replay.called[buffer]
        missing = ~simulator.written(found)
        wrong = missing | ~right(expected, found)
        if wrong.any():
            value = np.broadcast_to(expected.value, found.shape)
            parts = [element_map(name, wrong, missing)] if wrong.size > 1 else []
            parts += [expected_beside_found(name, wrong, value, found, missing)]
            if replay.case.name != failed.name:  # the smallest that fails alike
                parts.insert(0, _of_case(replay.case.name))
            return Page("".join(p.html for p in parts), "\n".join(p.text for p in parts))
    return Page("", "")


def _is_drawn(failed: CaseResult) -> bool:
    return bool(failed.made_of and failed.mismatches)


def _of_case(name: str) -> Page:
    text = f"In the case `{name}`:"
    return Page(paragraph(text), text)


def _steps(replay: Replay) -> Page:
    """The case, to be stepped through from where it went wrong."""
    played = of_replay(replay)
    title = accented("note", "Step through it")
    html = f'<details open style="margin: 6px 0"><summary>{title}</summary>{played.html}</details>'
    return Page(html, f"\nStep through it\n{played.text}")


def _told_steps(verdict: Verdict, source: str, exercise: Exercise) -> Page:
    """The steps that lead to where a case went wrong, of a verdict that has them."""
    case = next((one for one in verdict.cases if one.strip), None)
    if case is None or case.strip is None:
        return Page("", "")
    told = drawn(case.strip, as_typed(source, exercise.name))
    title = f"Step by step (case: {case.name})"
    html = accented("note", escape(title))
    return Page(f'<div style="margin: 6px 0">{html}{told.html}</div>', f"\n{title}\n{told.text}")


def _mismatches(found: tuple[Mismatch, ...]) -> Page:
    if len(found) < 2:  # one is told in the message
        return Page("", "")
    rows = [(m.place, *m.values) for m in found[:_SHOWN_MISMATCHES]]
    text = [f"  {where:<16} expected {want:<14} found {got}" for where, want, got in rows]
    html = table(("Element", "Expected", "Found"), [tuple(map(code, row)) for row in rows])
    return Page(html, "\n".join(text))


def _beside(found: Beside | None, ours: bool) -> list[Page]:
    """What the kernel cost beside its budgets and beside our solution, and how ours is written."""
    if found is None:
        return []
    rows = [(one.counter, f"{one.yours:,}", one.budget, _ours(one.ours)) for one in found.costs]
    html = table(("Counter", "Yours", "Budget", "Ours"), [(code(row[0]), *row[1:]) for row in rows])
    text = [f"  {one}: {mine} of {most} allowed, ours {its}" for one, mine, most, its in rows]
    costs = Page(html, "\n".join(text)) if rows else Page("", "")
    return [costs, *([compared(found.changes)] if ours and found.changes else [])]


def _ours(count: int | None) -> str:
    return "not kept" if count is None else f"{count:,}"


def compared(changes: tuple[str, ...]) -> Page:
    """By a click the lines in which a kernel and ours differ."""
    title = accented("note", COMPARE)
    head = f"<summary>{title}: lines that differ, - yours, + ours</summary>"
    shown = difference.rows(changes)
    html = f'<details style="margin: 6px 0">{head}{shown.html}</details>'
    return Page(html, f"\n{COMPARE} (- yours, + ours)\n{shown.text}")


def _next_step(verdict: Verdict, exercise: Exercise) -> Page:
    told = []
    if verdict.status != "passed" and exercise.hints:
        told.append(f'`hint("{exercise.name}")` gives you a hint.')
    ran = {case.name for case in verdict.cases}
    if hidden := [one for one in exercise.cases if not one.visible and one.name not in ran]:
        points = counted(sum(one.points for one in hidden), "point")
        call = f'`check("{exercise.name}", hidden=True)`'
        told.append(f"Not run: {counted(len(hidden), 'hidden case')}, {points}: {call}.")
    text = "\n".join(told)
    html = "".join(paragraph(one, muted=True) for one in told)
    return Page(html, text)


def _number(points: float) -> str:
    return f"{points:g}"
