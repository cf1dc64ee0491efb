"""Verdicts and findings for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ..counted import counted
from ..course import KINDS, Standing
from ..cuda import diagnostics
from ..cuda.diagnostics import window
from ..cuda.sanitize import lines_of, visible
from ..judge import partial, sizes
from ..judge.beside import Beside
from ..judge.verdict import CaseResult, EverySize, Verdict, by_cause, stopped
from .check_file import Checked
from .doctor import Finding

CONTEXT = 2  # source lines shown before and after the one to look at


def show_verdicts(console: Console, checked: Iterable[Checked]) -> None:
    for one in checked:
        if one.verdict:
            _show_verdict(console, one.verdict, one.shown)
        if one.beside:
            _show_beside(console, one.beside)
        if one.standing:
            console.print(_place(one.standing))


def _show_verdict(console: Console, verdict: Verdict, source: str) -> None:
    """The cases as a table; for each thing that went wrong the sentence and the source line."""
    console.print(_heading(verdict))
    if verdict.every_size and verdict.every_size.outcome == "proved":
        console.print(_proved(verdict.every_size))
    if verdict.status == "passed" and verdict.every_size and verdict.every_size.tried:
        console.print(Text(f"{sizes.REMARK} {visible(verdict.every_size.why)}"))
    if verdict.status != "not_attempted":
        console.print(_case_table(verdict))
    show_failures(console, verdict, source)


def _proved(found: EverySize) -> Text:
    rests = "\n".join(f"  - {one}" for one in found.assumes)
    told = f": {sizes.MEANS} {sizes.ASSUMES}\n{rests}"
    return Text.assemble(("✓ proved for every size", "green"), told)


def _place(standing: Standing) -> Text:
    return Text(
        f"In the contest: {standing.sectors:.2f} times the sectors and "
        f"{standing.instructions:.2f} times the instructions that no kernel gets below."
    )


def show_failures(console: Console, verdict: Verdict, source: str) -> None:
    """The sentence and the source line for each way in which cases failed."""
    for cases in by_cause(verdict):
        console.print(_explanation(cases, verdict, source, console.width))


def _heading(verdict: Verdict) -> Text:
    points = (
        f"{verdict.points:g} of {counted(verdict.max_points, 'point')}, on the {verdict.device}"
    )
    kind = KINDS[verdict.kind]
    told = [f"{points} ({kind.title})", *filter(None, [visible(partial.said(verdict))])]
    if verdict.status == "passed":
        told += [one for one in (kind.solved, *_notes(verdict)) if one]
    heading = (verdict.exercise, "bold"), "  ", _status(verdict, verdict.status), "  "
    return Text.assemble(*heading, "\n".join(told))


def _notes(verdict: Verdict) -> list[str]:
    """What was seen where something was to go wrong."""
    return list(dict.fromkeys(visible(case.note) for case in verdict.cases if case.note))


def _status(verdict: Verdict, status: str) -> Text:
    mark, style = {"passed": ("✓", "green"), "not_run": ("·", "dim")}.get(status, ("✗", "red"))
    return Text(f"{mark} {KINDS[verdict.kind].called.get(status, status)}", style)


def _case_table(verdict: Verdict) -> Table:
    table = Table("case", "", "status")
    table.add_column("points", justify="right")
    for case in verdict.cases:
        points = f"{case.points:g} / {case.max_points:g}"
        kind = "" if case.visible else "hidden"
        table.add_row(Text(case.name), kind, _status(verdict, case.status), points)
    return table


def _explanation(cases: list[CaseResult], verdict: Verdict, source: str, columns: int) -> Group:
    """What is wrong in `cases`, some of the verdict's, and where."""
    first, names = cases[0], stopped(cases, verdict)
    if verdict.diagnostics and first.status == "compile_error":
        told = diagnostics.shown(verdict.diagnostics, source, columns)
        return Group(Text(), Text.assemble((names, "bold"), f": does not compile\n{told}"))
    parts = [Text(), Text.assemble((names, "bold"), f": {visible(first.message)}")]
    for found in first.mismatches[1:]:
        wanted, is_now = found.values
        parts.append(Text(f"    {found.place} should be {wanted} and is {is_now}"))
    if first.line:
        parts.append(_excerpt(source, first.line))
    return Group(*parts)


def _show_beside(console: Console, found: Beside) -> None:
    """What a kernel that passed cost beside ours, and the lines that differ."""
    table = Table("counter")
    for title in ("yours", "budget", "ours"):
        table.add_column(title, justify="right")
    for one in found.costs:
        ours = "not kept" if one.ours is None else f"{one.ours:,}"
        table.add_row(one.counter, f"{one.yours:,}", one.budget, ours)
    if found.costs:
        console.print(table)
    if found.changes:
        console.print(Text.assemble(("compare with ours", "bold"), " (- yours, + ours)"))
    for row in found.changes:
        console.print(Text(visible(row), {"-": "red", "+": "green"}.get(row[0], "dim")))


def _excerpt(source: str, line: int) -> Text:
    """The lines around `line`, with an arrow at it."""
    lines = [visible(window(text, None)[0]) for text in lines_of(source)]
    text = Text(no_wrap=True, overflow="ellipsis")
    for number in range(max(1, line - CONTEXT), min(len(lines), line + CONTEXT) + 1):
        arrow, style = ("→", "bold red") if number == line else (" ", "dim")
        text.append(f" {arrow} {number:>4} │ {lines[number - 1]}\n", style)
    return text


def show_findings(console: Console, findings: Iterable[Finding]) -> None:
    table = Table("what", "", "found, or how to get it")
    for finding in findings:
        if finding.found:
            state = Text("✓ found", "green")
        else:
            state = Text("✗ missing", "red") if finding.needed else Text("- none", "dim")
        table.add_row(finding.what, state, Text(finding.found or finding.fix))
    console.print(table)
