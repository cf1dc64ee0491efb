"""Measured speeds for people at a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from .. import course
from ..bench import records as recording
from ..bench.speed import Figure, measure
from ..bench.timings import kept
from ..errors import BadInput
from . import bench_files


def bench(
    lessons: list[str],
    device: str,
    classroom: bool,
    record: bool,
    into: Path | None,
    against: Path | None,
) -> None:
    """What `grader bench` does. BadInput for options that do not go together."""
    console = Console()
    times = record or into or against
    if classroom:
        bench_classroom(console)
    elif device == "gpu":
        if against:
            kept(against)  # which says so now if it cannot be read
        found = recording.bench(lessons, course.KERNELS, record, console)
        if into:
            bench_files.write(found, into)
        if against:
            bench_files.show_changes(found, against, console)
    elif device == "simulator" and not lessons and not times:
        bench_simulator(console)
    else:
        raise BadInput(
            "Lessons are timed, and recorded, with --device gpu; --device simulator alone "
            "measures the simulated GPU itself."
        )


def bench_simulator(console: Console) -> None:
    """Measure the simulated GPU, and show it."""
    show_speed(console, measure())
    if not find_spec("numba"):
        missing = "Numba is not here to compare with: pip install --editable '.[bench]'."
        console.print(missing, markup=False, highlight=False)


def bench_classroom(console: Console) -> None:
    """The same for the grading of a class."""
    from ..classroom import throughput

    lesson = throughput.lesson_to_measure()
    show_speed(console, throughput.measure(lesson), f"Grading a class, {lesson.name}")
    if not find_spec("distributed"):
        missing = "Dask is not here to compare with: pip install --editable '.[cluster]'."
        console.print(missing, markup=False, highlight=False)


def show_speed(
    console: Console, figures: Iterable[Figure], title: str = "The simulated GPU"
) -> None:
    table = Table("what", title=title, title_justify="left")
    for heading in ("measured", "target", "of the target"):
        table.add_column(heading, justify="right", no_wrap=True)
    for figure in figures:
        table.add_row(figure.what, f"{figure.value:,.3g} {figure.unit}", *_target(figure))
    console.print(table)


def _target(figure: Figure) -> tuple[Text, ...]:
    if figure.target is None:
        return ()
    bound = "at least" if figure.at_least else "at most"
    style = "green" if figure.reached else "bold red"
    share = Text(f"{figure.value / figure.target:.2f}", style)
    return Text(f"{bound} {figure.target:g} {figure.unit}"), share
