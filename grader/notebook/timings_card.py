"""Timings as a card: where and when they were taken, and the table."""

from __future__ import annotations

from html import escape

from grader.bench.timings import Device, Timing, Timings, size_text, when

from .html import Page, card, heading, paragraph, prose, table

_HOW = (
    "The median of many runs, interleaved, each on data that is not in the L2 cache; GB/s counts "
    "the bytes that must be moved at least, the percentage is that of a large copy "
    "({copy:,.0f} GB/s)."
)


def recalled(timings: Timings) -> Page:
    """What was measured on another machine, said so; a sentence where nothing was."""
    if not timings.device:
        text = (
            f"Only a GPU can show how fast `{timings.name}` is: there is none here, and no times "
            "have been recorded yet. Everything else on this page works without."
        )
        return Page(card("note", paragraph(text)), text)
    return _page(timings, timings.device, f"Measured {when(timings.device)}; there is no GPU here.")


def measured(timings: Timings) -> Page:
    """What was measured on this machine just now."""
    device = timings.measured_on
    return _page(timings, device, f"Measured here, {when(device)}.")


def _page(timings: Timings, device: Device, measured: str) -> Page:
    header, rows = _long(timings) if len(timings.sizes) == 1 else _wide(timings)
    notes = [measured, _HOW.format(copy=device.copy_gb_per_s)]
    skipped = list(timings.skipped)
    html = card(
        "note",
        heading("note", prose(timings.title)),
        table(_cells(header), [_cells(row) for row in rows]),
        *(paragraph(text, muted=True) for text in (" ".join(notes), *skipped)),
    )
    return Page(html, "\n".join([timings.title, *_columns([header, *rows]), *notes, *skipped]))


def _cells(row: tuple[str, ...]) -> tuple[str, ...]:
    """As HTML; the size or the variant that the row begins with stays on one line."""
    first, *others = map(escape, row)
    return (first.replace(" ", "&nbsp;"), *others)


def _long(timings: Timings) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """One size: everything about each variant."""
    header: tuple[str, ...] = (
        size_text(timings.sizes[0]),
        "ms",
        "10th to 90th percentile",
        "GB/s",
        "of a copy",
    )
    rows: list[tuple[str, ...]] = [
        (
            row.variant,
            _ms(row.ms),
            f"{_ms(row.low)} to {_ms(row.high)}",
            f"{row.gb_per_s:,.0f}",
            f"{row.fraction:.0%}",
        )
        for row in timings.rows
    ]
    return header, rows


def _wide(timings: Timings) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """A row for each size, a column for each variant."""
    header = ("ms (of a copy)", *timings.variants)
    rows = [
        (size_text(size), *(_cell(timings.row(variant, size)) for variant in timings.variants))
        for size in timings.sizes
    ]
    return header, rows


def _cell(row: Timing | None) -> str:
    return f"{_ms(row.ms)} ({row.fraction:.0%})" if row else "-"


def _ms(ms: float) -> str:
    """To three digits, without an exponent."""
    return f"{ms:.4f}" if ms < 0.1 else f"{ms:#.3g}" if ms < 99.95 else f"{ms:.0f}"


def _columns(rows: list[tuple[str, ...]]) -> list[str]:
    """Rows of text, the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  "
        + "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
