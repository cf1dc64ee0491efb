"""`grader bench --device gpu`: time the benchmarks of lessons, show them, and record them.

Benchmarks in a process of their own, so that a library that hangs can be stopped.

The other process says who begins before it begins, and then what it found, a line of JSON each. Who
lets nothing be heard for PATIENCE seconds is stopped with that process, and named; another process
goes on at the same size without them.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table

from .. import course
from ..course import Benchmark, Lesson
from ..cuda import gpu_count
from ..errors import BadInput, NotInCourse, unless
from . import timings
from .timings import Device, Size, Timing, Timings, size_text


def bench(
    names: Sequence[str], root: Path, record: bool, console: Console
) -> dict[str, list[Timings]]:
    """Time the benchmarks of the lessons `names`, by default of all that have some, and show them:
    what was found, by lesson. Raises BadInput where there is no GPU, no such lesson, or nothing to
    time."""
    found = lessons(names, root)
    unless(
        gpu_count(),
        BadInput("There is no GPU here to time kernels on; `--device simulator` runs here."),
    )
    from . import measuring

    device = measuring.device()
    device = replace(device, versions={**device.versions, **measuring.libraries()})
    copy, peak = f"{device.copy_gb_per_s:,.0f} GB/s", f"{device.peak_gflop_per_s:,.0f} GFLOP/s"
    console.print(f"{device.name}: a large copy reaches {copy}, its clock allows {peak} in fp32.")
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
    try:
        found = [course.lesson(course.full_name(name, root), root) for name in names]
    except NotInCourse as error:
        raise BadInput(str(error)) from error
    if bare := [lesson.name for lesson in found if not lesson.benchmarks]:
        raise BadInput(f"{bare[0]} has no benchmarks: it has no benchmarks.py.")
    found = found or [lesson for lesson in course.lessons(root) if lesson.benchmarks]
    unless(found, BadInput("No lesson has benchmarks yet."))
    return found


def show_timings(console: Console, timings: Timings) -> None:
    """A table, with a section for each size; then what is not in it."""
    table = Table("size", "variant", title=timings.title, title_justify="left")
    for heading in ("ms", "10th to 90th percentile", "GB/s", "of a copy"):
        table.add_column(heading, justify="right", no_wrap=True)
    for size in timings.sizes:
        table.add_section()
        first = size_text(size)
        for row in (row for row in timings.rows if row.size == size):
            table.add_row(
                *(first, row.variant, f"{row.ms:.4g}", f"{row.low:.4g} to {row.high:.4g}"),
                *(f"{row.gb_per_s:,.0f}", f"{row.fraction:.0%}"),
            )
            first = ""
    console.print(table)
    for sentence in timings.skipped:
        console.print(sentence, markup=False, highlight=False)


PATIENCE = 60.0  # seconds: libraries compile for a size in less
Command = Callable[[int, Sequence[tuple[str, Size]]], Sequence[str]]


class Hung(Exception):
    """Nothing more was heard."""


def measure(
    lesson: Lesson, benchmark: Benchmark, device: Device, report: Callable[[str], object]
) -> Timings:
    """As measuring.measure does it, but that a library that hangs is stopped, and named in the
    timings' `skipped`. Raises BadInput if a variant of the lesson hangs, or the process fails."""
    from .measuring import Begins, gathered

    def command(first: int, left: Sequence[tuple[str, Size]]) -> Sequence[str]:
        about = (str(lesson.path), benchmark.name, asdict(device), first, left)
        return (sys.executable, "-P", "-m", __name__, json.dumps(about))

    forms: dict[str, Any] = {"begins": Begins, "timing": Timing, "skipped": str}
    found = (
        msgspec.convert(one, forms[kind])
        for kind, one in supervise(command, benchmark.sizes, [*benchmark.variants])
    )
    return gathered(benchmark, device, found, report)


def supervise(
    command: Command,
    sizes: Sequence[Size],
    ours: Sequence[str],
    patience: float = PATIENCE,
) -> Iterator[tuple[str, Any]]:
    """What the processes say, as pairs such as ("timing", {...}). `command(first, left)` starts
    one at the size of number `first`, without those `left` out; `ours` must not hang."""
    first = 0
    left: list[tuple[str, Size]] = []
    while True:
        name, size = "", sizes[first]
        try:
            for kind, one in _said(command(first, left), patience):
                if kind == "begins":
                    name, size = one["name"], tuple(one["size"])
                yield kind, one
            return
        except Hung:
            first = sizes.index(size)
            at = f"at {size_text(size)}"
            if name in ("", *ours):
                raise BadInput(f"{name or 'The timing'} {at} hangs.") from None
            left.append((name, size))
            yield "skipped", f"{name} {at} was stopped: it hung for {patience:.0f} s."


def _said(command: Sequence[str], patience: float) -> Iterator[tuple[str, Any]]:
    """What one process says until its end, after which nobody waits for it: libraries' own
    processes may take long to leave. Raises Hung after so many seconds of silence, and BadInput if
    it stops in the middle."""
    here = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    same = os.environ | {"PYTHONPATH": os.pathsep.join(here)}  # the grader that this process has
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, start_new_session=True, env=same
    ) as process:
        assert process.stdout
        pipe, rest = process.stdout.fileno(), b""
        try:
            while select.select([pipe], [], [], patience)[0]:
                if not (read := os.read(pipe, 1 << 16)):
                    raise BadInput(f"The process that times ended with {process.wait(patience)}.")
                *lines, rest = (rest + read).split(b"\n")
                for kind, one in map(json.loads, lines):
                    if kind == "end":
                        return
                    yield kind, one
            raise Hung
        finally:  # it, and what it has started: compilers, where a library brings one
            if sys.platform == "win32":
                process.kill()
            else:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def main(path: str, name: str, device: dict[str, Any], first: int, left: list[Any]) -> None:
    """The other process. What libraries print must not come between what it says."""
    from .measuring import Begins, findings

    said = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    lesson = course.lesson(Path(path).name, Path(path).parent)
    for one in findings(
        lesson,
        lesson.benchmark(name),
        Device(**device),
        first,
        frozenset((who, tuple(size)) for who, size in left),
    ):
        kind = {Begins: "begins", Timing: "timing"}.get(type(one), "skipped")
        print(json.dumps([kind, one if isinstance(one, str) else asdict(one)]), file=said)
    print(json.dumps(["end", ""]), file=said)


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
