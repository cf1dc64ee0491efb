"""A profile for people at a terminal: one table for each kind of cost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import course
from ..cuda.errors import CudaError
from ..cuda.sanitize import lines_of
from ..watch.counters import METRICS
from . import profile as profiling
from .profile import LaunchArguments, Profile

Counts = dict[str, int]


@dataclass(frozen=True)
class Column:
    """`counters` are what the figures are made of; `show` makes one from a line's counts."""

    heading: str
    counters: tuple[str, ...]
    show: Callable[[Counts], Text]


def profile_file(path: Path, exercise: str | None, launch: LaunchArguments, as_json: bool) -> int:
    """What `grader profile` does: launch the file's kernels as an exercise does or else as `launch`
    says (the arguments of `profile.work_of_file`), show what that costs, return the exit status."""
    try:
        if exercise:
            work = profiling.work_of_exercise(path, exercise, course.KERNELS)
        else:
            work = profiling.work_of_file(path, *launch)
        found = profiling.profile(work)
    except CudaError as error:
        print(error, file=sys.stderr)
        return 1
    if as_json:
        print(profiling.as_json(found))
    else:
        show_profile(Console(), found)
    return 0


def show_profile(console: Console, profile: Profile) -> None:
    for launch in profile.work.launches:
        console.print(Text(f"{launch.kernel}  grid {launch.grid}, block {launch.block}", "bold"))
    for title, columns in TABLES:
        if any(profile.counters.total[name] for column in columns for name in column.counters):
            console.print(_table(title, columns, profile))


def _table(title: str, columns: tuple[Column, ...], profile: Profile) -> Table:
    table = Table(title=title, title_justify="left", caption=_metrics(columns), box=SIMPLE_HEAD)
    table.caption_justify, table.padding, table.pad_edge = "left", (0, 1, 0, 0), False
    table.add_column("line", justify="right", no_wrap=True)
    table.add_column("source")
    for column in columns:  # a word a row, so that figures leave the source some room
        table.add_column(column.heading.replace(" ", "\n"), justify="right", no_wrap=True)
    source = lines_of(profile.work.source)
    for line, counts in sorted(profile.counters.lines.items()):
        if any(counts[name] for column in columns for name in column.counters):
            text = source[line - 1].partition("//")[0].strip() if line else "(code of no line)"
            figures = [column.show(counts) for column in columns]
            table.add_row(str(line or ""), Text(text), *figures)
    table.add_section()
    total = profile.counters.total
    table.add_row("", Text("in all", "bold"), *[column.show(total) for column in columns])
    return table


def _metrics(columns: tuple[Column, ...]) -> Text:
    """The names that Nsight Compute gives the columns."""
    named = (column for column in columns if len(column.counters) == 1)
    return Text("\n".join(f"{c.heading}: {METRICS[c.counters[0]]}" for c in named), "dim")


def _plain(heading: str, counter: str) -> Column:
    return Column(heading, (counter,), lambda counts: _number(counts[counter]))


def _beside(heading: str, counter: str) -> Column:
    """A cost, marked where it is more than its ideal."""
    ideal = f"{counter}_ideal"

    def show(counts: Counts) -> Text:
        found, least = counts[counter], counts[ideal]
        return _number(found, "bold yellow" if found > least else "")

    return Column(heading, (counter,), show)


def _ideal(counter: str) -> Column:
    """The ideal, and how many times as much was paid."""
    ideal = f"{counter}_ideal"

    def show(counts: Counts) -> Text:
        found, least = counts[counter], counts[ideal]
        times = Text(f" x{found / least:.1f}", "yellow") if found > least else Text("     ")
        return _number(least) + times if least else Text("")

    return Column("ideal", (ideal,), show)


def _active_lanes(counts: Counts) -> Text:
    warps, threads = counts["inst_executed"], counts["thread_inst_executed"]
    return Text(f"{threads / warps:.1f}" if warps else "")


def _number(count: int, style: str = "") -> Text:
    return Text(f"{count:,}" if count else "", style)


def _memory(accesses: str, unit: str, also: str) -> tuple[Column, ...]:
    """Of accesses such as "global_load": how many, what they cost in units, and a third figure."""
    cost = f"{accesses}_{unit}"
    return (
        _plain("requests", f"{accesses}_requests"),
        _beside(unit, cost),
        _ideal(cost),
        _plain(also, f"{accesses}_{also.replace(' ', '_')}"),
    )


TABLES: tuple[tuple[str, tuple[Column, ...]], ...] = (
    (
        "PTX instructions",
        (
            _plain("of warps", "inst_executed"),
            _plain("of threads", "thread_inst_executed"),
            Column("active lanes", ("inst_executed", "thread_inst_executed"), _active_lanes),
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
