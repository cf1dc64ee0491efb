"""draw.roofline: how far a benchmark's variants are from what the GPU allows."""

from __future__ import annotations

import math

from matplotlib.axes import Axes

from grader.bench.timings import Size, Timing, Timings, size_text, when
from grader.counted import counted

from ..failures import Notice
from .bandwidth_curves import apart, name, style
from .picture import FAINT, INK, PALE, SMALL, Picture

_HEIGHT, _LEFT, _TOP, _WIDE, _TALL = 4.4, 0.85, 0.45, 5.7, 3.3  # inches
_LINE = 0.17  # inches from label to label


def roofline(timings: Timings, size: Size | None = None) -> Picture:
    """Where each variant stands at `size` (by default the last one measured): the operations it
    does a second, over the operations for each byte that must be moved, under the roof of the
    copy's bandwidth and of the clock's fp32 operations. `timings` is what bench() returned."""
    title = f"Roofline of {timings.title}"
    if not timings.rows:
        reason = "Nothing was timed here, and no times are recorded."
        picture = Picture(0.8, title, f"{title}. {reason}")
        picture.write(0.15, 0.6, reason)
        return picture
    size = tuple(size or timings.sizes[-1])
    rows = [row for row in timings.rows if row.size == size]
    _require(timings, rows, size)
    title += f" at {size_text(size)}, {when(timings.measured_on)}"
    picture = Picture(_HEIGHT, title, _description(title, timings, rows))
    axes = picture.panel(_LEFT, _TOP, _WIDE, _TALL)
    _roof(axes, timings, rows)
    for row in rows:
        look = style(timings.variants.index(row.variant))
        axes.plot(_intensity(row), _gflop_per_s(row), ls="", ms=8, zorder=3, **look)
    _label(axes, timings, rows)
    return picture


def _require(timings: Timings, rows: list[Timing], size: Size) -> None:
    if not rows:
        known = ", ".join(map(size_text, timings.sizes))
        raise Notice(f"Nothing was timed at {size_text(size)}. The sizes are: {known}.")
    if rows[0].flops is None:
        raise Notice(f"The benchmark `{timings.name}` does not say how many operations it does.")


def _intensity(row: Timing) -> float:
    """Operations for each byte that must be moved."""
    return (row.flops or 0) / row.bytes


def _gflop_per_s(row: Timing) -> float:
    return (row.flops or 0) / row.ms / 1e6


def _roof_at(intensity: float, timings: Timings) -> float:
    """The most GFLOP/s at that many operations a byte."""
    device = timings.measured_on
    return min(intensity * device.copy_gb_per_s, device.peak_gflop_per_s)


def _roof(axes: Axes, timings: Timings, rows: list[Timing]) -> None:
    device = timings.measured_on
    ridge = device.peak_gflop_per_s / device.copy_gb_per_s
    intensity = _intensity(rows[0])
    left, right = min(intensity, ridge) / 8, max(intensity, ridge) * 8
    axes.set(xscale="log", yscale="log", xlim=(left, right))
    slowest = min(map(_gflop_per_s, rows))
    axes.set_ylim(min(slowest, _roof_at(left, timings)) / 2, device.peak_gflop_per_s * 3)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.minorticks_off()
    axes.grid(color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.plot([left, ridge, right], [_roof_at(x, timings) for x in (left, ridge, right)], color=INK)
    axes.axvline(intensity, color=FAINT, lw=0.8, ls=":")
    axes.set_xlabel(
        f"operations for each byte that must be moved (here {intensity:.3g})", size=SMALL, color=INK
    )
    axes.set_ylabel("GFLOP/s", size=SMALL, color=INK)
    axes.text(
        ridge,
        device.peak_gflop_per_s * 1.25,
        f"fp32 at full clock: {device.peak_gflop_per_s:,.0f} GFLOP/s",
        size=SMALL,
        color=INK,
        ha="center",
    )
    _along_the_slope(axes, left, timings)


def _along_the_slope(axes: Axes, left: float, timings: Timings) -> None:
    """What the rising part of the roof is, written along it."""
    copy = timings.measured_on.copy_gb_per_s
    across, up = (math.log(high / low) for low, high in (axes.get_xlim(), axes.get_ylim()))
    axes.annotate(
        f"a large copy: {copy:,.0f} GB/s",
        (left * 1.15, _roof_at(left * 1.15, timings)),
        (0, 4),
        textcoords="offset points",
        rotation=math.degrees(math.atan2(_TALL / up, _WIDE / across)),
        rotation_mode="anchor",
        size=SMALL,
        color=INK,
    )


def _label(axes: Axes, timings: Timings, rows: list[Timing]) -> None:
    """Each variant's name and its share of the roof, right of the picture, a line leading there."""
    low, high = axes.get_ylim()
    wanted = [math.log(_gflop_per_s(row) / low) / math.log(high / low) for row in rows]
    for row, height in zip(rows, apart(wanted, _LINE / _TALL), strict=True):
        share = _gflop_per_s(row) / _roof_at(_intensity(row), timings)
        text = f"{row.variant}: {share:.0%} of the roof"
        point = _intensity(row), _gflop_per_s(row)
        name(axes, timings.variants.index(row.variant), text, point, height)


def _description(title: str, timings: Timings, rows: list[Timing]) -> str:
    intensity = _intensity(rows[0])
    roof = _roof_at(intensity, timings)
    lines = [
        f"  {row.variant}: {_gflop_per_s(row):,.0f} GFLOP/s, {_gflop_per_s(row) / roof:.0%}"
        for row in rows
    ]
    operations = counted(float(f"{intensity:.3g}"), "operation")
    head = f"{title}: at {operations} a byte the roof is {roof:,.0f} GFLOP/s."
    return "\n".join([head, *lines])
