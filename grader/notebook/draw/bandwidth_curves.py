"""The bandwidth that each variant of a benchmark reaches, against the size of the problem; and what
pictures of timings share: a colour and a marker for each variant, labels side by side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from grader.bench.timings import Size, Timing, Timings, size_text, when

from .picture import BLUE, FAINT, INK, ORANGE, PALE, RED, SMALL, TEXT, Picture, Style

_HEIGHT, _LEFT, _TOP, _WIDE, _TALL = 4.4, 0.75, 0.45, 6.4, 3.3  # inches
_LINE = 0.17  # inches from label to label
_KIBI = 1024
_LOST = 30  # a line this many times lower than the axis is high would lie on its zero
_UNITS = "K = 1,024 and M = 1,024 K"


def bandwidth(timings: Timings) -> Picture:
    """GB/s against size, a line for each variant, beside what a large copy reaches."""
    title = f"{timings.title}: bandwidth {when(timings.measured_on)}"
    below = _LINE * max(0, len(timings.extents) - 3)  # a size may stand on many lines
    picture = Picture(_HEIGHT + below, title, _description(title, timings))
    axes = picture.panel(_LEFT, _TOP, _WIDE, _TALL)
    places = _size_axis(axes, timings)
    _speed_axis(axes, timings)
    axes.axhline(timings.measured_on.copy_gb_per_s, color=INK, lw=1.2, ls="--")
    for place, variant in enumerate(timings.variants):
        rows = _rows(timings, variant)
        at = [places[row.size] for row in rows]
        line = "-" if _varying(timings.sizes) is not None else ""
        axes.plot(at, [row.gb_per_s for row in rows], ls=line, lw=1.6, ms=6, **style(place))
    _label_ends(axes, timings, places)
    return picture


def _speed_axis(axes: Axes, timings: Timings) -> None:
    """GB/s up from zero; on a logarithmic axis where even the best of some variant would not be
    told from zero."""
    best = [max(row.gb_per_s for row in _rows(timings, one)) for one in timings.variants]
    top = max(timings.measured_on.copy_gb_per_s, *best)
    axes.set_ylabel("GB/s of the bytes that must be moved", size=SMALL, color=INK)
    if _LOST * min(best) < top:
        axes.set_yscale("log")
        axes.set_ylim(0.7 * min(row.gb_per_s for row in timings.rows), 1.5 * top)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.yaxis.set_major_formatter("{x:,g}")
        axes.minorticks_off()
    else:
        axes.set_ylim(0, 1.08 * top)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.axhline(0, color=FAINT, lw=1)
    axes.grid(axis="y", color=PALE, lw=0.8)
    axes.set_axisbelow(True)


def _rows(timings: Timings, variant: str) -> list[Timing]:
    return [row for row in timings.rows if row.variant == variant]


def _size_axis(axes: Axes, timings: Timings) -> Mapping[Size, float]:
    """Where each size stands: by the one extent that differs, on a logarithmic axis, or one after
    the other where several differ."""
    sizes = timings.sizes
    varying = _varying(sizes)
    if varying is None:
        places = {size: float(number) for number, size in enumerate(sizes)}
        axes.set_xlim(-0.5, len(sizes) - 0.5)
        names = ["\nx ".join(map(_brief, size)) for size in sizes]
        axes.set_xticks(list(places.values()), names, size=SMALL)
        label = f"size: {' x '.join(timings.extents)}"
        label += f"; {_UNITS}" if "K" in "".join(names) else ""
        axes.set_xlabel(label, size=SMALL, color=INK)
        return places
    places = {size: float(size[varying]) for size in sizes}
    axes.set_xscale("log")
    first, last = min(places.values()), max(places.values())
    room = (last / first) ** 0.04
    axes.set_xlim(first / room, last * room)
    shown = _far_enough(sorted(places.values()))
    axes.set_xticks(shown, [_short(int(extent)) for extent in shown])
    axes.minorticks_off()
    axes.set_xlabel(_extent_label(timings, varying), size=SMALL, color=INK)
    return places


def _varying(sizes: tuple[Size, ...]) -> int | None:
    """The place of the only extent that differs between the sizes; None if it is not one."""
    differing = [k for k, extents in enumerate(zip(*sizes, strict=True)) if len({*extents}) > 1]
    return differing[0] if len(differing) == 1 else None


def _far_enough(extents: list[float]) -> list[float]:
    """Those whose labels have room beside the one before."""
    inches = _WIDE * 0.92 / math.log(extents[-1] / extents[0])
    shown = extents[:1]
    for extent in extents[1:]:
        if math.log(extent / shown[-1]) * inches > 0.42:
            shown.append(extent)
    return shown


def _extent_label(timings: Timings, varying: int) -> str:
    """E.g. "size: 128 rows x n columns"."""
    numbers = [f"{extent:,}" for extent in timings.sizes[0]]
    numbers[varying] = "n"
    named = map(" ".join, zip(numbers, timings.extents, strict=True))
    return f"size: {' x '.join(named)}; {_UNITS}"


def _short(extent: int) -> str:
    """E.g. 2,048 as 2K."""
    for unit, letter in ((_KIBI**2, "M"), (_KIBI, "K")):
        if extent % unit == 0:
            return f"{extent // unit:,}{letter}"
    return f"{extent:,}"


def _brief(extent: int) -> str:
    """As it is, if it has room beside its neighbours."""
    return f"{extent:,}" if extent < 100_000 else _short(extent)


def _label_ends(axes: Axes, timings: Timings, places: Mapping[Size, float]) -> None:
    """Each line's name right of its last point, and what the dashed line is."""
    copy, edge = timings.measured_on.copy_gb_per_s, axes.get_xlim()[1]
    ends: list[tuple[int | None, str, tuple[float, float]]] = [
        (None, f"a large copy: {copy:,.0f}", (edge, copy))
    ]
    for place, variant in enumerate(timings.variants):
        last = _rows(timings, variant)[-1]
        ends.append((place, variant, (places[last.size], last.gb_per_s)))
    to_axes = axes.transData + axes.transAxes.inverted()
    heights = apart([to_axes.transform(point)[1] for _, _, point in ends], _LINE / _TALL)
    for end, height in zip(ends, heights, strict=True):
        name(axes, *end, height)


def _description(title: str, timings: Timings) -> str:
    rows = [
        f"  {variant}: "
        + ", ".join(
            f"{size_text(row.size)} {row.gb_per_s:,.0f}"
            for row in timings.rows
            if row.variant == variant
        )
        for variant in timings.variants
    ]
    copy = f"  a large copy: {timings.measured_on.copy_gb_per_s:,.0f}"
    return "\n".join([f"{title}, in GB/s:", *rows, copy])


# ---- what pictures of timings share ----

# Okabe and Ito's colours without their yellow, which is too pale for a line on paper. There are
# more markers than colours, so that the 7th variant is told apart by its marker.
_COLOURS = (BLUE, RED, "#009E73", "#CC79A7", ORANGE, "#56B4E9")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


def style(place: int) -> Style:
    """How the variant at `place` looks, as keywords of matplotlib's plot."""
    return {"color": _COLOURS[place % len(_COLOURS)], "marker": _MARKERS[place % len(_MARKERS)]}


def name(
    axes: Axes, place: int | None, text: str, point: tuple[float, float], height: float
) -> None:
    """`text` right of the axes at `height` (0 to 1), with the marker of the variant at `place` if
    there is one, and a line that leads to it from `point` (in data coordinates)."""
    look = style(place) if place is not None else {"color": FAINT}
    if place is not None:
        axes.plot(1.03, height, ms=6, transform=axes.transAxes, clip_on=False, **look)
    axes.annotate("", point, (1.03, height), **_LEADER, arrowprops=_thin(look["color"]))
    axes.text(1.05, height, text, transform=axes.transAxes, size=TEXT, color=INK, va="center")


_LEADER: Style = {"textcoords": "axes fraction", "annotation_clip": False}


def _thin(colour: str) -> Style:
    return {"arrowstyle": "-", "color": colour, "lw": 0.6, "alpha": 0.7}


def apart(heights: Sequence[float], gap: float) -> list[float]:
    """`heights` moved as little as it takes that any two are `gap` from each other, in order."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    placed: list[list[float]] = []  # groups that touch, each a list of wanted heights
    for place in order:
        placed.append([heights[place]])
        while len(placed) > 1 and _low(placed[-1], gap) < _high(placed[-2], gap) + gap:
            last = placed.pop()
            placed[-1] += last
    moved = [_low(group, gap) + k * gap for group in placed for k in range(len(group))]
    found = [0.0] * len(heights)
    for place, height in zip(order, moved, strict=True):
        found[place] = height
    return found


def _low(group: list[float], gap: float) -> float:
    return sum(group) / len(group) - gap * (len(group) - 1) / 2


def _high(group: list[float], gap: float) -> float:
    return sum(group) / len(group) + gap * (len(group) - 1) / 2
