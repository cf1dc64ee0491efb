"""Beside a picture's rows: the warps of the block, and how much of each was at work."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from grader.counted import counted

from .picture import ACTIVITY, INK, SMALL, WARP, Style, activity, index_axis

_HALF = 0.09  # of a strip's height, in inches


def paint_work(axes: Axes, count: int, working: list[set[int]], middles: np.ndarray) -> None:
    """A strip for each set of `working` threads out of `count`; `axes` counts inches down, and
    `middles` says where each strip goes."""
    for threads, middle in zip(working, middles, strict=True):
        active = np.isin(np.arange(count), sorted(threads))
        if count <= 2 * WARP:
            _paint_lanes(axes, active, middle)
        else:
            _paint_warps(axes, active, middle)
        beside: Style = {"transform": axes.get_yaxis_transform(), "va": "center", "color": INK}
        axes.text(1.06, middle, at_work(threads), size=SMALL - 0.5, **beside)
    index_axis(axes, range(count), "threads at work")
    axes.set(xlim=(-0.5, count - 0.5), xticks=[0, count - 1])


def at_work(threads: set[int]) -> str:
    warps = len({thread // WARP for thread in threads})
    return f"{counted(len(threads), 'thread')}, {counted(warps, 'warp')}"


def _paint_lanes(axes: Axes, active: np.ndarray, middle: float) -> None:
    extent = (-0.5, len(active) - 0.5, middle + _HALF, middle - _HALF)
    style: Style = {"vmin": 0, "vmax": 2, "aspect": "auto", "interpolation": "none"}
    axes.imshow([activity(active)], ListedColormap(list(ACTIVITY)), extent=extent, **style)
    edges = np.minimum(np.arange(0, len(active) + WARP, WARP), len(active)) - 0.5
    axes.vlines(edges, middle - _HALF, middle + _HALF, colors=INK, lw=0.9, clip_on=False)


def _paint_warps(axes: Axes, active: np.ndarray, middle: float) -> None:
    """Many warps: each filled, from below, to the share of its lanes that work."""
    working, idle_lane, idle_warp = ACTIVITY
    first = np.arange(0, len(active), WARP)
    share = np.add.reduceat(active, first, dtype=float) / WARP
    rest = np.where(share > 0, idle_lane, idle_warp)
    bars: Style = {
        "width": (0.8 if len(first) <= 16 else 1) * WARP,
        "align": "edge",
        "lw": 0,
        "bottom": middle + _HALF,
    }
    axes.bar(first - 0.5, -2 * _HALF, color=rest, **bars)
    axes.bar(first - 0.5, -2 * _HALF * share, color=working, **bars)
