"""bench(): a lesson's kernels timed on this machine's GPU, or as they were on ours."""

from __future__ import annotations

from IPython.display import display

from grader import cuda
from grader.bench import timings
from grader.bench.timings import Timings
from grader.course import Benchmark, Lesson
from grader.errors import NotInCourse

from . import cards, session, timings_card
from .draw.bandwidth_curves import bandwidth
from .failures import Notice


def bench(name: str) -> Timings:
    """Time the lesson's benchmark `name` on this machine's GPU or, where there is none, recall
    what was measured on ours and say on which day. Shows a table and a picture of the bandwidth,
    and returns the figures: `.rows`, `.ms(variant, size)`, `.gb_per_s(variant, size)`."""
    lesson = session.current().lesson
    try:
        benchmark = lesson.benchmark(name)
    except NotInCourse as error:
        raise Notice(str(error)) from None
    if cuda.device == "gpu":
        found = _measured(lesson, benchmark)
    else:
        found = timings.read(lesson, benchmark)
        display(timings_card.recalled(found))
    if found.rows:
        display(bandwidth(found))
    return found


def _measured(lesson: Lesson, benchmark: Benchmark) -> Timings:
    """The timings of now; a line tells how far they are until the table takes its place."""
    from grader.bench import measuring, stopwatch

    shown = display(cards.line("note", "Timing", benchmark.title), display_id=True)
    found = measuring.measure(
        lesson,
        benchmark,
        stopwatch.device(),
        lambda where: shown.update(cards.line("note", "Timing", f"{where} …")),
    )
    shown.update(timings_card.measured(found))
    return found
