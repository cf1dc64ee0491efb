"""`grader bench --device gpu`: time the benchmarks of lessons, show them, and record them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.table import Table

from .. import course
from ..cuda import gpu_count
from ..errors import BadInput, NotInCourse
from . import timings
from .timings import Timings, size_text


def bench(
    names: Sequence[str], root: Path, record: bool, console: Console
) -> dict[str, list[Timings]]:
    """Time the benchmarks of the lessons `names`, by default of all that have some, and show them:
    what was found, by lesson. Raises BadInput where there is no GPU, no such lesson, or nothing to
    time."""
    found = lessons(names, root)
    if not gpu_count():
        raise BadInput("There is no GPU here to time kernels on; `--device simulator` runs here.")
    from . import measuring, supervised

    device = measuring.device()
    device = replace(device, versions={**device.versions, **measuring.libraries()})
    copy, peak = f"{device.copy_gb_per_s:,.0f} GB/s", f"{device.peak_gflop_per_s:,.0f} GFLOP/s"
    console.print(f"{device.name}: a large copy reaches {copy}, its clock allows {peak} in fp32.")
    all_found: dict[str, list[Timings]] = {}
    for lesson in found:
        measured = all_found[lesson.name] = []
        for benchmark in lesson.benchmarks:
            with console.status("") as status:
                measured.append(supervised.measure(lesson, benchmark, device, status.update))
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
    bare = [lesson.name for lesson in found if not lesson.benchmarks]
    if bare:
        raise BadInput(f"{bare[0]} has no benchmarks: it has no benchmarks.py.")
    found = found or [lesson for lesson in course.lessons(root) if lesson.benchmarks]
    if not found:
        raise BadInput("No lesson has benchmarks yet.")
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
