"""`grader bench --device gpu`: time the benchmarks of lessons, show them, and record them.

Benchmarks in a process of their own, so that a library that hangs can be stopped.

The other process says who begins before it begins, and then what it found. Who lets nothing be
heard for PATIENCE seconds is stopped with that process, and named; another process goes on at the
same size without them.
"""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain, repeat
from multiprocessing.connection import Connection
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .. import course
from ..cuda import gpu_count
from ..errors import BadInput, unless
from . import timings
from .timings import Begins, Device, Finding, Size, Timings, size_text


def bench(
    names: Sequence[str], root: Path, record: bool, console: Console
) -> dict[str, list[Timings]]:
    """Time the benchmarks of the lessons `names`, by default of all that have some, and show them:
    what was found, by lesson. Raises BadInput where there is no GPU or nothing to time, NotInCourse
    where there is no such lesson."""
    found = lessons(names, root)
    unless(
        gpu_count(),
        BadInput("There is no GPU here to time kernels on; `--device simulator` runs here."),
    )
    from . import measuring

    device = measuring.device()
    device = replace(device, versions={**device.versions, **measuring.libraries()})
    console.print(
        f"{device.name}: a large copy reaches {device.copy_gb_per_s:,.0f} GB/s, its clock allows "
        f"{device.peak_gflop_per_s:,.0f} GFLOP/s in fp32."
    )
    all_found: dict[str, list[Timings]] = {}
    for lesson in found:
        measured = all_found[lesson.name] = []
        for benchmark in lesson.benchmarks:
            with console.status("") as status:
                measured.append(measure(lesson, benchmark, device, status.update))
            show_timings(console, measured[-1])
        if record:
            path = lesson.path / timings.FILE
            timings.write(path, device, measured)
            console.print(f"Recorded in {path}.", highlight=False)
    return all_found


def lessons(names: Sequence[str], root: Path) -> list[course.Lesson]:
    """The lessons called `names`, or all that have benchmarks."""
    found = [course.lesson(course.full_name(name, root), root) for name in names]
    if bare := [lesson.name for lesson in found if not lesson.benchmarks]:
        raise BadInput(f"{bare[0]} has no benchmarks: it has no benchmarks.py.")
    return unless(
        found or [lesson for lesson in course.lessons(root) if lesson.benchmarks],
        BadInput("No lesson has benchmarks yet."),
    )


def show_timings(console: Console, timings: Timings) -> None:
    """A table, with a section for each size; then what is not in it."""
    table = Table("size", "variant", title=timings.title, title_justify="left")
    for heading in ("ms", "10th to 90th percentile", "GB/s", "of a copy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for size in timings.sizes:
        table.add_section()
        rows = (row for row in timings.rows if row.size == size)
        for first, row in zip(chain([size_text(size)], repeat("")), rows, strict=False):
            table.add_row(
                *(first, row.variant, f"{row.ms:.4g}", f"{row.low:.4g} to {row.high:.4g}"),
                *(f"{row.gb_per_s:,.0f}", f"{row.fraction:.0%}"),
            )
    console.print(table)
    for sentence in timings.skipped:
        console.print(sentence, markup=False, highlight=False)


PATIENCE = 60.0  # seconds: libraries compile for a size in less
# What finds something at the sizes from that number on, without these entrants.
Find = Callable[[int, Sequence[tuple[str, Size]]], Iterator[Finding]]


class Hung(Exception):
    """Nothing more was heard."""


def measure(
    lesson: course.Lesson,
    benchmark: course.Benchmark,
    device: Device,
    report: Callable[[str], object],
) -> Timings:
    """As measuring.measure does it, but that a library that hangs is stopped, and named in the
    timings' `skipped`. Raises BadInput if a variant of the lesson hangs, or the process fails."""
    return timings.gathered(
        benchmark,
        device,
        supervise(
            partial(_findings, lesson.path, benchmark.name, device),
            benchmark.sizes,
            [*benchmark.variants],
        ),
        report,
    )


def supervise(
    find: Find, sizes: Sequence[Size], ours: Sequence[str], patience: float = PATIENCE
) -> Iterator[Finding]:
    """What is found in the processes. `find` runs in one, and is pickled for it; it begins at the
    size of number `first`, without those `left` out. `ours` must not hang."""
    first = 0
    left: list[tuple[str, Size]] = []
    while True:
        name, size = "", sizes[first]
        try:
            for one in _said(partial(find, first, left), patience):
                if isinstance(one, Begins):
                    name, size = one.name, one.size
                yield one
            return
        except Hung:
            first, at = sizes.index(size), f"at {size_text(size)}"
            if name in ("", *ours):
                raise BadInput(f"{name or 'The timing'} {at} hangs.") from None
            left.append((name, size))
            yield f"{name} {at} was stopped: it hung for {patience:.0f} s."


def _said(find: Callable[[], Iterator[Finding]], patience: float) -> Iterator[Finding]:
    """What one process says until its end, after which nobody waits for it: libraries' own
    processes may take long to leave. Raises Hung after so many seconds of silence, and BadInput if
    it stops in the middle."""
    fresh = multiprocessing.get_context("spawn")
    pipe, end = fresh.Pipe(duplex=False)
    process = fresh.Process(target=_say, args=(end, find))
    process.start()
    end.close()
    try:
        while pipe.poll(patience):
            if (one := pipe.recv()) is None:
                return
            yield one
        raise Hung
    except EOFError:
        process.join(patience)
        raise BadInput(f"The process that times ended with {process.exitcode}.") from None
    finally:  # it, and what it has started: compilers, where a library brings one
        with suppress(ProcessLookupError):
            if sys.platform != "win32":
                os.killpg(process.pid or 0, signal.SIGKILL)
        process.kill()


def _say(pipe: Connection, find: Callable[[], Iterator[Finding]]) -> None:
    """The other process. What libraries print goes where errors go."""
    if sys.platform != "win32":
        os.setsid()
    os.dup2(2, 1)
    for one in chain(find(), [None]):
        pipe.send(one)


def _findings(
    path: Path, name: str, device: Device, first: int, left: Sequence[tuple[str, Size]]
) -> Iterator[Finding]:
    from .measuring import findings

    lesson = course.lesson(path.name, path.parent)
    return findings(lesson, lesson.benchmark(name), device, first, frozenset(left))
