"""bench(): a lesson's kernels timed on this machine's GPU, or as they were on ours."""

from html import escape

from IPython.display import display

from grader import cuda
from grader.bench import timings as records
from grader.bench.timings import Device, Timings, size_text, when
from grader.course import Benchmark, Lesson
from grader.errors import NotInCourse

from . import cards, session
from .failures import Notice
from .html import Page, boxed, card, heading, paragraph, prose, sentences, table

Row = tuple[str, ...]
_HOW = (
    "The median of many runs, interleaved, each on data that is not in the L2 cache; GB/s counts "
    "the bytes that must be moved at least, the percentage is that of a large copy "
    "({copy:,.0f} GB/s)."
)


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
        timings = _measured_now(lesson, benchmark)
    else:
        timings = records.read(lesson, benchmark)
        display(recalled(timings))
    if timings.rows:
        from .draw.timing_curves import bandwidth  # and matplotlib

        display(bandwidth(timings))
    return timings


def _measured_now(lesson: Lesson, benchmark: Benchmark) -> Timings:
    """A line tells how far the measurement is until the table takes its place."""
    from grader.bench import measuring

    shown = display(cards.line("note", "Timing", benchmark.title), display_id=True)
    timings = measuring.measure(
        lesson,
        benchmark,
        measuring.device(),
        lambda where: shown.update(cards.line("note", "Timing", f"{where} …")),
    )
    shown.update(measured(timings))
    return timings


# ---- timings as a card: where and when they were taken, and the table ----


def recalled(timings: Timings) -> Page:
    """What was measured on another machine, said so; a sentence where nothing was."""
    if not timings.device:
        text = (
            f"Only a GPU can show how fast `{timings.name}` is: there is none here, and no times "
            "have been recorded yet. Everything else on this page works without."
        )
        return boxed("note", sentences(text))
    return _page(timings, timings.device, f"Measured {when(timings.device)}; there is no GPU here.")


def measured(timings: Timings) -> Page:
    """What was measured on this machine just now."""
    return _page(timings, timings.measured_on, f"Measured here, {when(timings.measured_on)}.")


def _page(timings: Timings, device: Device, measured: str) -> Page:
    rows = _one_size(timings) if len(timings.sizes) == 1 else _sizes(timings)
    notes = [measured, _HOW.format(copy=device.copy_gb_per_s)]
    cells = [  # the size or the variant that a row begins with stays on one line
        (escape(first).replace(" ", "&nbsp;"), *map(escape, others)) for first, *others in rows
    ]
    html = card(
        "note",
        heading("note", prose(timings.title)),
        table(cells[0], cells[1:]),
        *(paragraph(text, muted=True) for text in (" ".join(notes), *timings.skipped)),
    )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join([f"  {first:<{widths[0]}}", *map(str.rjust, others, widths[1:])])
        for first, *others in rows
    ]
    return Page(html, "\n".join([timings.title, *lines, *notes, *timings.skipped]))


def _one_size(timings: Timings) -> list[Row]:
    """Everything about each variant."""
    columns = ("ms", "10th to 90th percentile", "GB/s", "of a copy")
    rows = [
        (
            row.variant,
            _ms(row.ms),
            f"{_ms(row.low)} to {_ms(row.high)}",
            f"{row.gb_per_s:,.0f}",
            f"{row.fraction:.0%}",
        )
        for row in timings.rows
    ]
    return [(size_text(timings.sizes[0]), *columns), *rows]


def _sizes(timings: Timings) -> list[Row]:
    """A row for each size, a column for each variant."""
    rows: list[Row] = [("ms (of a copy)", *timings.variants)]
    for size in timings.sizes:
        times = (timings.row(variant, size) for variant in timings.variants)
        cells = (f"{_ms(one.ms)} ({one.fraction:.0%})" if one else "-" for one in times)
        rows.append((size_text(size), *cells))
    return rows


def _ms(ms: float) -> str:
    """To three digits, without an exponent."""
    return f"{ms:.4f}" if ms < 0.1 else f"{ms:#.3g}" if ms < 99.95 else f"{ms:.0f}"
