"""What commands show to people at a terminal: sentences, verdicts and profiles."""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ..course import KINDS
from ..cuda.errors import lines_of, shown, visible, window
from ..cuda.work import Work
from ..errors import BadInput, counted, unless
from ..judge import partial, sizes
from ..judge.beside import Beside
from ..judge.verdict import CaseResult, Verdict, by_cause, stopped
from ..watch.counters import METRICS, Counters


def say(*sentences: str, stderr: bool = False) -> None:
    """A line for each that is not empty."""
    for sentence in filter(None, sentences):
        Console(stderr=stderr, soft_wrap=True, emoji=False).print(
            sentence, markup=False, highlight=False
        )


def complain(*sentences: str) -> None:
    """The same on stderr."""
    say(*sentences, stderr=True)


def require_meant(objections: Iterable[str], yes: bool) -> None:
    """Ask on a terminal whether something is meant that could harm somebody; elsewhere BadInput
    without `yes`."""
    if said := list(filter(None, objections)):
        unless(yes or sys.stdin.isatty(), BadInput(f"{said[0]} Give --yes if that is meant."))
        say(*said)
        if not yes:
            typer.confirm("Is that meant?", abort=True)


def short(path: Path) -> str:
    """`path` as one would type it here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


def table(
    columns: Sequence[str], rows: Iterable[Iterable[str | Text]], figures: int = 0, **look: Any
) -> Table:
    """Rows under headings, of which the last `figures` stand above numbers; cells are no markup."""
    made = Table(*columns, **look)
    for column in made.columns[len(columns) - figures :]:
        column.justify, column.no_wrap = "right", True
    for row in rows:
        made.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return made


# ---- verdicts ----

CONTEXT = 2  # source lines shown before and after the one to look at


def show_verdict(
    console: Console, verdict: Verdict, source: str, hint: bool | None = False
) -> None:
    """The cases as a table; for each thing that went wrong the sentence, the source line and the
    reason, with a `hint` what to look at next and what our own kernel does."""
    console.print(_heading(verdict if hint else verdict.while_open()))
    for row in verdict.progress if verdict.status != "not_attempted" else ():
        console.print(Text(row, {"✓": "green", "✗": "red"}.get(row[0], "dim")))
    every_size = verdict.every_size
    if every_size and every_size.outcome == "proved":
        said = [f": {sizes.MEANS} {sizes.ASSUMES}", *(f"  - {one}" for one in every_size.assumes)]
        console.print(Text.assemble(("✓ proved for every size", "green"), "\n".join(said)))
    if verdict.status == "passed" and every_size and every_size.tried:
        console.print(Text(f"{sizes.REMARK} {visible(every_size.why)}"))
    if verdict.cases and verdict.status != "not_attempted":
        console.print(
            table(
                ("case", "", "status", "points"),
                (
                    (
                        case.name,
                        "" if case.visible else "hidden",
                        _status(verdict, case.status),
                        f"{case.points:g} / {case.max_points:g}",
                    )
                    for case in verdict.cases
                ),
                figures=1,
            )
        )
    show_failures(console, verdict, source, hint)


def show_failures(
    console: Console, verdict: Verdict, source: str, hint: bool | None = False
) -> None:
    """The sentence, the source line and the reason for each way in which cases failed."""
    for cases in by_cause(verdict):
        console.print(_explanation(cases, verdict, source, console.width))
        for title, text in cases[0].parts.hints if hint else ():
            console.print(Text.assemble((title, "bold"), f": {visible(text)}"))
    if verdict.parts.hints and hint is False:
        console.print(Text("With --hint, this command also says what to look at next.", "dim"))


def _heading(verdict: Verdict) -> Text:
    points, kind = counted(verdict.max_points, "point"), KINDS[verdict.kind]
    lines = [
        # A service may tell none, and an answer that is only kept has none yet.
        ""
        if not verdict.max_points
        else f"{points} ({kind.title})"
        if verdict.status == "kept"
        else f"{verdict.points:g} of {points}, on the {verdict.device} ({kind.title})",
        visible(partial.said(verdict)),
        verdict.message if verdict.status == "kept" else "",
    ]
    if verdict.status == "passed":  # and what was seen where something was to go wrong
        lines += [
            kind.solved,
            *dict.fromkeys(visible(case.note) for case in verdict.cases if case.note),
        ]
    return Text.assemble(
        (verdict.exercise, "bold"),
        "  ",
        _status(verdict, verdict.status),
        "  ",
        "\n".join(filter(None, lines)),
    )


def _status(verdict: Verdict, status: str) -> Text:
    mark, style = {"passed": ("✓", "green"), "not_run": ("·", "dim"), "kept": ("·", "")}.get(
        status, ("✗", "red")
    )
    return Text(f"{mark} {KINDS[verdict.kind].called.get(status, status)}", style)


def _explanation(cases: list[CaseResult], verdict: Verdict, source: str, columns: int) -> Group:
    """What is wrong in `cases`, some of the verdict's, and where."""
    first, names = cases[0], stopped(cases, verdict)
    if verdict.diagnostics and first.status == "compile_error":
        return Group(
            Text(),
            Text.assemble(
                (names, "bold"),
                f": does not compile\n{shown(verdict.diagnostics, source, columns)}",
            ),
        )
    others = (
        f"    {place} is {is_now}, and should be {wanted}"
        for place, (wanted, is_now) in ((one.place, one.values) for one in first.mismatches[1:])
    )
    return Group(
        Text(),
        Text.assemble(
            (names, "bold"),
            f", for example {first.name}" if names == "all cases" else "",
            f": {visible(first.parts.first)}",
        ),
        *map(Text, others),
        *([_excerpt(source, first.line)] if first.line else []),
        *(
            [Text.assemble(("Why", "bold"), f": {visible(first.parts.why.strip())}")]
            if first.parts.why
            else []
        ),
    )


def show_beside(console: Console, both: Beside) -> None:
    """What a kernel that passed cost beside ours, and the lines that differ."""
    if both.costs:
        console.print(
            table(
                ("counter", "yours", "budget", "ours"),
                (cost.row for cost in both.costs),
                figures=3,
            )
        )
    if both.changes:
        console.print(Text.assemble(("compare with ours", "bold"), " (- yours, + ours)"))
    for row in both.changes:
        console.print(Text(visible(row), {"-": "red", "+": "green"}.get(row[0], "dim")))


def _excerpt(source: str, line: int) -> Text:
    """The lines around `line`, with an arrow at it."""
    lines = [visible(window(text, None)[0]) for text in lines_of(source)]
    text = Text(no_wrap=True, overflow="ellipsis")
    for number in range(max(1, line - CONTEXT), min(len(lines), line + CONTEXT) + 1):
        arrow, style = ("→", "bold red") if number == line else (" ", "dim")
        text.append(f" {arrow} {number:>4} │ {lines[number - 1]}\n", style)
    return text


# ---- profiles ----

Columns = dict[str, str]  # heading -> counter
LANES = "active lanes"  # of a warp, which no counter has: the threads of its instructions


def show_profile(console: Console, work: Work, counters: Counters) -> None:
    """One table for each kind of cost."""
    for launch in work.launches:
        console.print(Text(f"{launch.kernel}  grid {launch.grid}, block {launch.block}", "bold"))
    for title, columns in _TABLES.items():
        if _has(columns, counters.total):
            console.print(_table(title, columns, lines_of(work.source), counters))


def _has(columns: Columns, counts: dict[str, int]) -> bool:
    return any(counts.get(counter) for counter in columns.values())


def _table(title: str, columns: Columns, source: list[str], counters: Counters) -> Table:
    metrics = [f"{head}: {METRICS[one]}" for head, one in columns.items() if one in METRICS]
    made = table(
        # A word per row, so that figures leave the source some room.
        ("line", "source", *(heading.replace(" ", "\n") for heading in columns)),
        (
            (
                str(line or ""),
                source[line - 1].partition("//")[0].strip() if line else "(code of no line)",
                *(_figure(counter, counts) for counter in columns.values()),
            )
            for line, counts in sorted(counters.lines.items())
            if _has(columns, counts)
        ),
        figures=len(columns),
        title=title,
        title_justify="left",
        caption=Text("\n".join(metrics), "dim"),  # the names that Nsight Compute gives the columns
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
    )
    made.columns[0].justify, made.columns[0].no_wrap = "right", True
    made.add_section()
    made.add_row(
        *("", Text("in all", "bold")),
        *(_figure(counter, counters.total) for counter in columns.values()),
    )
    return made


def _figure(counter: str, counts: dict[str, int]) -> Text:
    """A counter of a line. More than the ideal stands out; the ideal says how many times as much
    was paid."""
    if counter == LANES:
        warps = counts["inst_executed"]
        return Text(f"{counts['thread_inst_executed'] / warps:.1f}" if warps else "")
    count, paid = counts[counter], counts[counter.removesuffix("_ideal")]
    text = Text(f"{count:,}" if count else "")
    if counter.endswith("_ideal") and count:
        text += Text(f" x{paid / count:.1f}", "yellow") if paid > count else Text("     ")
    elif count > counts.get(f"{counter}_ideal", count):
        text.style = "bold yellow"
    return text


def _memory(accesses: str, unit: str, also: str) -> Columns:
    """Of accesses such as "global_load": how many, what they cost in units, the least that they
    could cost, and a third figure."""
    return {
        "requests": f"{accesses}_requests",
        unit: f"{accesses}_{unit}",
        "ideal": f"{accesses}_{unit}_ideal",
        also: f"{accesses}_{also.replace(' ', '_')}",
    }


_TABLES: dict[str, Columns] = {
    "PTX instructions": {
        "of warps": "inst_executed",
        "of threads": "thread_inst_executed",
        LANES: LANES,
        "branches": "branches",
        "divergent": "divergent_branches",
    },
    "Loads from global memory": _memory("global_load", "sectors", "bytes"),
    "Stores to global memory": _memory("global_store", "sectors", "bytes"),
    "Loads from shared memory": _memory("shared_load", "wavefronts", "bank conflicts"),
    "Stores to shared memory": _memory("shared_store", "wavefronts", "bank conflicts"),
    "Everything else, in warp instructions": {
        "local loads": "local_load_requests",
        "local stores": "local_store_requests",
        "atomics": "atomics",
        "shuffles": "shuffles",
        "barriers": "barriers",
    },
}
