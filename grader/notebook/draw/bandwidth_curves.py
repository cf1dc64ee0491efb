"""The bandwidth that each variant of a benchmark reaches, against the size of the problem."""

from __future__ import annotations

import math
from collections.abc import Mapping

from matplotlib.axes import Axes

from grader.measure.timings import Size, Timings, size_text, when

from .picture import FAINT, INK, PALE, SMALL, Picture
from .series import apart, name, style

_HEIGHT, _LEFT, _TOP, _WIDE, _TALL = 4.4, 0.75, 0.45, 6.4, 3.3  # inches
_LINE = 0.17  # inches from label to label
_KIBI = 1024
_UNITS = "K = 1,024 and M = 1,024 K"


def bandwidth(timings: Timings) -> Picture:
    """GB/s against size, a line for each variant, beside what a large copy reaches."""
    title = f"{timings.title}: bandwidth {when(timings.device)}"
    picture = Picture(_HEIGHT, title, _description(title, timings))
    axes = picture.panel(_LEFT, _TOP, _WIDE, _TALL)
    places = _size_axis(axes, timings.sizes)
    copy = timings.device.copy_gb_per_s
    axes.set_ylim(0, 1.08 * max(copy, *(row.gb_per_s for row in timings.rows)))
    axes.set_ylabel("GB/s of the bytes that must be moved", size=SMALL, color=INK)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.grid(axis="y", color=PALE, lw=0.8)
    axes.set_axisbelow(True)
    axes.axhline(copy, color=INK, lw=1.2, ls="--")
    axes.axhline(0, color=FAINT, lw=1)
    for place, variant in enumerate(timings.variants):
        rows = [row for row in timings.rows if row.variant == variant]
        at = [places[row.size] for row in rows]
        line = "-" if _varying(timings.sizes) is not None else ""
        axes.plot(at, [row.gb_per_s for row in rows], ls=line, lw=1.6, ms=6, **style(place))
    _label_ends(axes, timings, places)
    return picture


def _size_axis(axes: Axes, sizes: tuple[Size, ...]) -> Mapping[Size, float]:
    """Where each size stands: by the one extent that differs, on a logarithmic axis, or one after
    the other where several differ."""
    varying = _varying(sizes)
    if varying is None:
        places = {size: float(number) for number, size in enumerate(sizes)}
        axes.set_xlim(-0.5, len(sizes) - 0.5)
        names = ["\nx ".join(map(_brief, size)) for size in sizes]
        axes.set_xticks(list(places.values()), names, size=SMALL)
        axes.set_xlabel(_UNITS if "K" in "".join(names) else "", size=SMALL, color=INK)
        return places
    places = {size: float(size[varying]) for size in sizes}
    axes.set_xscale("log")
    first, last = min(places.values()), max(places.values())
    room = (last / first) ** 0.04
    axes.set_xlim(first / room, last * room)
    shown = _far_enough(sorted(places.values()))
    axes.set_xticks(shown, [_short(int(extent)) for extent in shown])
    axes.minorticks_off()
    axes.set_xlabel(_extent_label(sizes[0], varying), size=SMALL, color=INK)
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


def _extent_label(size: Size, varying: int) -> str:
    named = [f"{extent:,}" for extent in size]
    named[varying] = "n"
    return f"size: {' x '.join(named)} elements; {_UNITS}"


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
    copy, (edge, top) = timings.device.copy_gb_per_s, (axes.get_xlim()[1], axes.get_ylim()[1])
    ends = [(None, f"a large copy: {copy:,.0f}", (edge, copy))]
    for place, variant in enumerate(timings.variants):
        last = [row for row in timings.rows if row.variant == variant][-1]
        ends.append((place, variant, (places[last.size], last.gb_per_s)))
    heights = apart([point[1] / top for _, _, point in ends], _LINE / _TALL)
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
    copy = f"  a large copy: {timings.device.copy_gb_per_s:,.0f}"
    return "\n".join([f"{title}, in GB/s:", *rows, copy])
