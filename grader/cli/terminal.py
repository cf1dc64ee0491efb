"""What commands show to people at a terminal: sentences, verdicts and profiles."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from ..counted import counted
from ..course import KINDS
from ..cuda import diagnostics
from ..cuda.diagnostics import lines_of, visible, window
from ..judge import partial, sizes
from ..judge.beside import Beside
from ..judge.verdict import CaseResult, Verdict, by_cause, stopped
from ..profiler.work import Work
from ..watch.counters import METRICS, Counters


def say(sentence: str) -> None:
    Console(soft_wrap=True).print(sentence, markup=False, highlight=False)


def complain(sentence: str) -> None:
    Console(stderr=True, soft_wrap=True).print(sentence, markup=False, highlight=False)


def short(path: Path) -> str:
    """`path` as one would type it here."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)


# ---- verdicts ----

CONTEXT = 2  # source lines shown before and after the one to look at


def show_verdict(console: Console, verdict: Verdict, source: str) -> None:
    """The cases as a table; for each thing that went wrong the sentence and the source line."""
    console.print(_heading(verdict))
    every_size = verdict.every_size
    if every_size and every_size.outcome == "proved":
        rests = "\n".join(f"  - {one}" for one in every_size.assumes)
        told = f": {sizes.MEANS} {sizes.ASSUMES}\n{rests}"
        console.print(Text.assemble(("✓ proved for every size", "green"), told))
    if verdict.status == "passed" and every_size and every_size.tried:
        console.print(Text(f"{sizes.REMARK} {visible(every_size.why)}"))
    if verdict.status != "not_attempted":
        table = Table("case", "", "status")
        table.add_column("points", justify="right")
        for case in verdict.cases:
            points = f"{case.points:g} / {case.max_points:g}"
            kind = "" if case.visible else "hidden"
            table.add_row(Text(case.name), kind, _status(verdict, case.status), points)
        console.print(table)
    show_failures(console, verdict, source)


def show_failures(console: Console, verdict: Verdict, source: str) -> None:
    """The sentence and the source line for each way in which cases failed."""
    for cases in by_cause(verdict):
        console.print(_explanation(cases, verdict, source, console.width))


def _heading(verdict: Verdict) -> Text:
    points = (
        f"{verdict.points:g} of {counted(verdict.max_points, 'point')}, on the {verdict.device}"
    )
    kind = KINDS[verdict.kind]
    lines = [f"{points} ({kind.title})", visible(partial.said(verdict))]
    if verdict.status == "passed":  # and what was seen where something was to go wrong
        notes = dict.fromkeys(visible(case.note) for case in verdict.cases if case.note)
        lines += [kind.solved, *notes]
    heading = (verdict.exercise, "bold"), "  ", _status(verdict, verdict.status), "  "
    return Text.assemble(*heading, "\n".join(filter(None, lines)))


def _status(verdict: Verdict, status: str) -> Text:
    mark, style = {"passed": ("✓", "green"), "not_run": ("·", "dim")}.get(status, ("✗", "red"))
    return Text(f"{mark} {KINDS[verdict.kind].called.get(status, status)}", style)


def _explanation(cases: list[CaseResult], verdict: Verdict, source: str, columns: int) -> Group:
    """What is wrong in `cases`, some of the verdict's, and where."""
    first, names = cases[0], stopped(cases, verdict)
    if verdict.diagnostics and first.status == "compile_error":
        errors = diagnostics.shown(verdict.diagnostics, source, columns)
        return Group(Text(), Text.assemble((names, "bold"), f": does not compile\n{errors}"))
    parts = [Text(), Text.assemble((names, "bold"), f": {visible(first.message)}")]
    for mismatch in first.mismatches[1:]:
        wanted, is_now = mismatch.values
        parts.append(Text(f"    {mismatch.place} should be {wanted} and is {is_now}"))
    if first.line:
        parts.append(_excerpt(source, first.line))
    return Group(*parts)


def show_beside(console: Console, both: Beside) -> None:
    """What a kernel that passed cost beside ours, and the lines that differ."""
    table = Table("counter")
    for title in ("yours", "budget", "ours"):
        table.add_column(title, justify="right")
    for cost in both.costs:
        ours = "not kept" if cost.ours is None else f"{cost.ours:,}"
        table.add_row(cost.counter, f"{cost.yours:,}", cost.budget, ours)
    if both.costs:
        console.print(table)
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

Counts = dict[str, int]


@dataclass(frozen=True)
class _Column:
    """A figure that is told of each line."""

    heading: str
    counters: tuple[str, ...]  # what it is made of
    show: Callable[[Counts], Text]


def show_profile(console: Console, work: Work, counters: Counters) -> None:
    """One table for each kind of cost."""
    for launch in work.launches:
        console.print(Text(f"{launch.kernel}  grid {launch.grid}, block {launch.block}", "bold"))
    for title, columns in _TABLES:
        if any(counters.total[name] for column in columns for name in column.counters):
            console.print(_table(title, columns, lines_of(work.source), counters))


def _table(
    title: str, columns: tuple[_Column, ...], source: list[str], counters: Counters
) -> Table:
    alone = (column for column in columns if len(column.counters) == 1)
    metrics = "\n".join(f"{one.heading}: {METRICS[one.counters[0]]}" for one in alone)
    caption = Text(metrics, "dim")  # the names that Nsight Compute gives the columns
    table = Table(title=title, title_justify="left", caption=caption, box=SIMPLE_HEAD)
    table.caption_justify, table.padding, table.pad_edge = "left", (0, 1, 0, 0), False
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("source")
    for column in columns:  # a word a row, so that figures leave the source some room
        table.add_column(column.heading.replace(" ", "\n"), justify="right", no_wrap=True)
    for line, counts in sorted(counters.lines.items()):
        if any(counts[name] for column in columns for name in column.counters):
            text = source[line - 1].partition("//")[0].strip() if line else "(code of no line)"
            figures = [column.show(counts) for column in columns]
            table.add_row(str(line or ""), Text(text), *figures)
    table.add_section()
    total = [column.show(counters.total) for column in columns]
    table.add_row("", Text("in all", "bold"), *total)
    return table


def _plain(heading: str, counter: str) -> _Column:
    return _Column(heading, (counter,), lambda counts: _number(counts[counter]))


def _active_lanes(counts: Counts) -> Text:
    warps, threads = counts["inst_executed"], counts["thread_inst_executed"]
    return Text(f"{threads / warps:.1f}" if warps else "")


def _number(count: int, style: str = "") -> Text:
    return Text(f"{count:,}" if count else "", style)


def _memory(accesses: str, unit: str, also: str) -> tuple[_Column, ...]:
    """Of accesses such as "global_load": how many, what they cost in units, marked where it is more
    than the ideal, the ideal and how many times as much was paid, and a third figure."""
    cost = f"{accesses}_{unit}"
    ideal = f"{cost}_ideal"

    def show_cost(counts: Counts) -> Text:
        return _number(counts[cost], "bold yellow" if counts[cost] > counts[ideal] else "")

    def show_ideal(counts: Counts) -> Text:
        paid, least = counts[cost], counts[ideal]
        times = Text(f" x{paid / least:.1f}", "yellow") if paid > least else Text("     ")
        return _number(least) + times if least else Text("")

    return (
        _plain("requests", f"{accesses}_requests"),
        _Column(unit, (cost,), show_cost),
        _Column("ideal", (ideal,), show_ideal),
        _plain(also, f"{accesses}_{also.replace(' ', '_')}"),
    )


_TABLES: tuple[tuple[str, tuple[_Column, ...]], ...] = (
    (
        "PTX instructions",
        (
            _plain("of warps", "inst_executed"),
            _plain("of threads", "thread_inst_executed"),
            _Column("active lanes", ("inst_executed", "thread_inst_executed"), _active_lanes),
            _plain("branches", "branches"),
            _plain("divergent", "divergent_branches"),
        ),
    ),
    ("Loads from global memory", _memory("global_load", "sectors", "bytes")),
    ("Stores to global memory", _memory("global_store", "sectors", "bytes")),
    ("Loads from shared memory", _memory("shared_load", "wavefronts", "bank conflicts")),
    ("Stores to shared memory", _memory("shared_store", "wavefronts", "bank conflicts")),
    (
        "Everything else, in warp instructions",
        (
            _plain("local loads", "local_load_requests"),
            _plain("local stores", "local_store_requests"),
            _plain("atomics", "atomics"),
            _plain("shuffles", "shuffles"),
            _plain("barriers", "barriers"),
        ),
    ),
)
