"""What pictures of timings share: a colour and a marker for each variant, labels side by side."""

from __future__ import annotations

from collections.abc import Sequence

from matplotlib.axes import Axes

from .picture import BLUE, FAINT, INK, ORANGE, RED, TEXT, Style

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
