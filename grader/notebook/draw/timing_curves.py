"""Pictures of timings: the bandwidth that each variant of a benchmark reaches, against the size of
the problem; and draw.roofline, how far the variants are from what the GPU allows.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from grader.bench.timings import Size, Timing, Timings, size_text, when
from grader.errors import counted, unless

from ..cards import Notice
from .picture import BLUE, FAINT, INK, ORANGE, RED, SMALL, TEXT, Picture, Style, empty, pale_grid

_HEIGHT, _TOP, _TALL = 4.4, 0.45, 3.3  # inches
_LINE = 0.17  # inches from label to label
# Okabe and Ito's colours without their yellow, which is too pale for a line on paper. There are
# more markers than colours, so that the 7th variant is told apart by its marker.
_COLOURS = (BLUE, RED, "#009E73", "#CC79A7", ORANGE, "#56B4E9")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")

# ---- bandwidth ----

_LEFT, _WIDE = 0.75, 6.4  # inches
_KIBI = 1024
_UNITS = "K = 1,024 and M = 1,024 K"


def bandwidth(timings: Timings) -> Picture:
    """GB/s against size, a line for each variant, beside what a large copy reaches."""
    title = f"{timings.title}: bandwidth {when(timings.measured_on)}"
    copy = timings.measured_on.copy_gb_per_s
    lines = {variant: _rows(timings, variant) for variant in timings.variants}
    speeds = [
        f"  {variant}: {', '.join(f'{size_text(row.size)} {row.gb_per_s:,.0f}' for row in rows)}"
        for variant, rows in lines.items()
    ]
    picture = Picture(
        _HEIGHT + _LINE * max(0, len(timings.extents) - 3),  # a size may stand on many lines
        title,
        "\n".join([f"{title}, in GB/s:", *speeds, f"  a large copy: {copy:,.0f}"]),
    )
    axes = picture.panel(_LEFT, _TOP, _WIDE, _TALL)
    places = _size_axis(axes, timings)
    _speed_axis(axes, timings)
    axes.axhline(copy, color=INK, lw=1.2, ls="--")
    for place, rows in enumerate(lines.values()):
        axes.plot(
            [places[row.size] for row in rows],
            [row.gb_per_s for row in rows],
            ls="" if _varying(timings.sizes) is None else "-",
            lw=1.6,
            ms=6,
            **_style(place),
        )
    points = [
        (axes.get_xlim()[1], copy),
        *((places[rows[-1].size], rows[-1].gb_per_s) for rows in lines.values()),
    ]
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = apart([to_axes.transform(point)[1] for point in points], _LINE / _TALL)
    _name(axes, None, f"a large copy: {copy:,.0f}", points[0], heights[0])
    for place, variant in enumerate(lines):
        _name(axes, place, variant, points[place + 1], heights[place + 1])
    return picture


def _rows(timings: Timings, variant: str) -> list[Timing]:
    return [row for row in timings.rows if row.variant == variant]


def _speed_axis(axes: Axes, timings: Timings) -> None:
    """GB/s up from zero; on a logarithmic axis where even the best of some variant would not be
    told from zero."""
    best = [max(row.gb_per_s for row in _rows(timings, name)) for name in timings.variants]
    top = max(timings.measured_on.copy_gb_per_s, *best)
    axes.set_ylabel("GB/s of the bytes that must be moved", size=SMALL, color=INK)
    if 30 * min(best) < top:  # else the lowest line would lie on the axis' zero
        axes.set(yscale="log", ylim=(0.7 * min(row.gb_per_s for row in timings.rows), 1.5 * top))
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.minorticks_off()
    else:
        axes.set_ylim(0, 1.08 * top)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.axhline(0, color=FAINT, lw=1)
    pale_grid(axes, "y")


def _size_axis(axes: Axes, timings: Timings) -> Mapping[Size, float]:
    """Where each size stands: by the one extent that differs, on a logarithmic axis, or one after
    the other where several differ."""
    sizes, varying = timings.sizes, _varying(timings.sizes)
    if varying is None:
        places = {size: float(number) for number, size in enumerate(sizes)}
        axes.set_xlim(-0.5, len(sizes) - 0.5)
        names = [
            "\nx ".join(f"{n:,}" if n < 100_000 else _short(n) for n in size) for size in sizes
        ]
        axes.set_xticks(list(places.values()), names, size=SMALL)
        units = f"; {_UNITS}" if "K" in "".join(names) else ""
        axes.set_xlabel(f"size: {' x '.join(timings.extents)}{units}", size=SMALL, color=INK)
        return places
    places = {size: float(size[varying]) for size in sizes}
    first, *_, last = extents = sorted(places.values())
    room = (last / first) ** 0.04
    axes.set(xscale="log", xlim=(first / room, last * room))
    shown = [first]  # those whose labels have room beside the one before
    for extent in extents[1:]:
        if math.log(extent / shown[-1]) * (_WIDE * 0.92 / math.log(last / first)) > 0.42:
            shown.append(extent)
    axes.set_xticks(shown, [_short(int(extent)) for extent in shown])
    axes.minorticks_off()
    numbers = ["n" if at == varying else f"{extent:,}" for at, extent in enumerate(sizes[0])]
    named = map(" ".join, zip(numbers, timings.extents, strict=True))  # 128 rows x n columns
    axes.set_xlabel(f"size: {' x '.join(named)}; {_UNITS}", size=SMALL, color=INK)
    return places


def _varying(sizes: tuple[Size, ...]) -> int | None:
    """The place of the only extent that differs between the sizes; None if it is not one."""
    differing = [k for k, extents in enumerate(zip(*sizes, strict=True)) if len({*extents}) > 1]
    return differing[0] if len(differing) == 1 else None


def _short(extent: int) -> str:
    """E.g. 2,048 as 2K."""
    unit, letter = next(
        one for one in ((_KIBI**2, "M"), (_KIBI, "K"), (1, "")) if extent % one[0] == 0
    )
    return f"{extent // unit:,}{letter}"


# ---- the roofline ----

_ROOF_LEFT, _ROOF_WIDE = 0.85, 5.7  # inches


def roofline(timings: Timings, size: Size | None = None) -> Picture:
    """Where each variant stands at `size` (by default the last one measured): the operations it
    does a second, over the operations for each byte that must be moved, under the roof of the
    copy's bandwidth and of the clock's fp32 operations. `timings` is what bench() returned."""
    title = f"Roofline of {timings.title}"
    if not timings.rows:
        return empty(title, "Nothing was timed here, and no times are recorded.")
    size = tuple(size or timings.sizes[-1])
    rows = unless(
        [row for row in timings.rows if row.size == size],
        Notice(
            f"Nothing was timed at {size_text(size)}. The sizes are: "
            f"{', '.join(map(size_text, timings.sizes))}."
        ),
    )
    unless(
        rows[0].flops is not None,
        Notice(f"The benchmark `{timings.name}` does not say how many operations it does."),
    )
    title += f" at {size_text(size)}, {when(timings.measured_on)}"
    roof = _roof_at(_intensity(rows[0]), timings)
    operations = counted(float(f"{_intensity(rows[0]):.3g}"), "operation")
    speeds = [
        f"  {row.variant}: {_gflop_per_s(row):,.0f} GFLOP/s, {_gflop_per_s(row) / roof:.0%}"
        for row in rows
    ]
    picture = Picture(
        _HEIGHT,
        title,
        "\n".join([f"{title}: at {operations} a byte the roof is {roof:,.0f} GFLOP/s.", *speeds]),
    )
    axes = picture.panel(_ROOF_LEFT, _TOP, _ROOF_WIDE, _TALL)
    _paint_roof(axes, timings, rows)
    for row in rows:
        axes.plot(
            _intensity(row),
            _gflop_per_s(row),
            ls="",
            ms=8,
            zorder=3,
            **_style(timings.variants.index(row.variant)),
        )
    low, high = axes.get_ylim()
    wanted = [math.log(_gflop_per_s(row) / low) / math.log(high / low) for row in rows]
    for row, height in zip(rows, apart(wanted, _LINE / _TALL), strict=True):
        point = _intensity(row), _gflop_per_s(row)
        text = f"{row.variant}: {point[1] / _roof_at(point[0], timings):.0%} of the roof"
        _name(axes, timings.variants.index(row.variant), text, point, height)
    return picture


def _intensity(row: Timing) -> float:
    """Operations for each byte that must be moved."""
    return (row.flops or 0) / row.bytes


def _gflop_per_s(row: Timing) -> float:
    return (row.flops or 0) / row.ms / 1e6


def _roof_at(intensity: float, timings: Timings) -> float:
    """The most GFLOP/s at that many operations a byte."""
    device = timings.measured_on
    return min(intensity * device.copy_gb_per_s, device.peak_gflop_per_s)


def _paint_roof(axes: Axes, timings: Timings, rows: list[Timing]) -> None:
    """The roof with what its parts are, that of the copy written along the slope."""
    copy, peak = timings.measured_on.copy_gb_per_s, timings.measured_on.peak_gflop_per_s
    ridge, intensity = peak / copy, _intensity(rows[0])
    left, right = min(intensity, ridge) / 8, max(intensity, ridge) * 8
    axes.set(
        xscale="log",
        yscale="log",
        xlim=(left, right),
        ylim=(min(_roof_at(left, timings), *map(_gflop_per_s, rows)) / 2, peak * 3),
    )
    axes.xaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_major_formatter("{x:,g}")
    axes.minorticks_off()
    pale_grid(axes, "both")
    axes.plot([left, ridge, right], [_roof_at(x, timings) for x in (left, ridge, right)], color=INK)
    axes.axvline(intensity, color=FAINT, lw=0.8, ls=":")
    axes.set_xlabel(
        f"operations for each byte that must be moved (here {intensity:.3g})", size=SMALL, color=INK
    )
    axes.set_ylabel("GFLOP/s", size=SMALL, color=INK)
    text: Style = {"size": SMALL, "color": INK}
    axes.text(ridge, peak * 1.25, f"fp32 at full clock: {peak:,.0f} GFLOP/s", ha="center", **text)
    across, up = (math.log(high / low) for low, high in (axes.get_xlim(), axes.get_ylim()))
    axes.annotate(
        f"a large copy: {copy:,.0f} GB/s",
        (left * 1.15, _roof_at(left * 1.15, timings)),
        (0, 4),
        textcoords="offset points",
        rotation=math.degrees(math.atan2(_TALL / up, _ROOF_WIDE / across)),
        rotation_mode="anchor",
        **text,
    )


# ---- a colour and a marker for each variant, labels side by side ----


def _style(place: int) -> Style:
    """How the variant at `place` looks, as keywords of matplotlib's plot."""
    return {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKERS[place % len(_MARKERS)]}


def _name(
    axes: Axes, place: int | None, text: str, point: tuple[float, float], height: float
) -> None:
    """`text` right of the axes at `height` (0 to 1), with the marker of the variant at `place` if
    there is one, and a line that leads to it from `point` (in data coordinates)."""
    look = _style(place) if place is not None else {"color": FAINT}
    if place is not None:
        axes.plot(1.03, height, ms=6, transform=axes.transAxes, clip_on=False, **look)
    axes.annotate(
        "",
        point,
        (1.03, height),
        textcoords="axes fraction",
        annotation_clip=False,
        arrowprops={"arrowstyle": "-", "color": look["color"], "lw": 0.6, "alpha": 0.7},
    )
    axes.text(1.05, height, text, transform=axes.transAxes, size=TEXT, color=INK, va="center")


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """`heights` moved as little as it takes that any two are `gap` from each other, in order: less
    the gaps they must not fall, and the nearest numbers that do not are known by means of stretches
    (T. Robertson et al., Order Restricted Statistical Inference, 1988, section 1.4)."""
    order, gaps = np.argsort(heights, kind="stable"), gap * np.arange(len(heights))
    wanted, moved = np.array(heights)[order] - gaps, np.empty(len(heights))
    for at, place in enumerate(order):
        firsts, lasts = range(at + 1), range(at + 1, len(order) + 1)
        moved[place] = max(min(wanted[i:j].mean() for j in lasts) for i in firsts) + gaps[at]
    return list(moved.tolist())
