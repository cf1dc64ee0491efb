"""draw.lanes: which threads of block 0 were active at each step."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap

from grader.counted import counted
from grader.cuda.simulator import Run

from .moments import Moment, moments
from .picture import (
    ACTIVITY,
    INK,
    SMALL,
    WARP,
    Picture,
    Style,
    activity,
    activity_key,
    empty,
    index_axis,
    note,
    source_line,
)

_MOST_ROWS = 60
_LEGEND = (
    "Dashed: a barrier. Lines that the same threads passed between two barriers are shown once, "
    "however often they looped."
)
_ROW, _LEFT, _TOP, _ACROSS = 0.21, 3.45, 1.2, 5.0  # inches
_GUTTER = 3.3  # inches, for the source lines left of the grid


def lanes(run: Run) -> Picture:
    """Steps down, threads across, warps marked off; a lane that idles while its warp works is
    paid for and not used. A step is one source line. Lines that the same threads pass one after
    the other between two barriers stand in source order, each once: the compiler mixes them."""
    steps = _steps(moments(run.trace.events, ("execute",)))
    title = "Which threads were active at each step (block 0)"
    if not steps:
        return empty(title, run, "No thread of this run got as far as an instruction.")
    shown = steps[:_MOST_ROWS]
    threads = 1 + max(int(step.threads.max()) for step in steps)
    tall = _ROW * len(shown)
    picture = Picture(_TOP + tall + 0.45, title, _description(title, steps))
    picture.key(activity_key(_active(step, threads) for step in shown))
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    _paint(axes, shown, threads)
    _label(axes, shown, run)
    picture.write(_LEFT - _GUTTER, _TOP - 0.08, "source line")
    left_out = note(run, len(shown), len(steps), "step")
    picture.write(0.15, picture.height - 0.15, left_out + _LEGEND)
    return picture


def _steps(passed: list[Moment]) -> list[Moment]:
    def alike(moment: Moment) -> tuple[int, tuple[int, ...]]:
        return moment.interval, tuple(sorted(moment.threads))

    known = [moment for moment in passed if moment.line]
    together = [{m.line: m for m in group} for _, group in groupby(known, alike)]
    return [group[line] for group in together for line in sorted(group)]


def _paint(axes: Axes, shown: list[Moment], threads: int) -> None:
    columns = _columns(threads)
    grid = np.full((len(shown), columns[-1] + 1), np.nan)  # the gaps stay empty
    for row, step in enumerate(shown):
        grid[row, columns] = activity(_active(step, threads))
    colours = ListedColormap(list(ACTIVITY))
    axes.imshow(grid, colours, vmin=0, vmax=2, aspect="auto", interpolation="none")
    across, down = axes.get_xlim(), axes.get_ylim()
    if threads <= 2 * WARP:
        axes.vlines(np.arange(columns[-1] + 2) - 0.5, *down, colors="white", lw=0.8)
    axes.hlines(np.arange(len(shown) + 1) - 0.5, *across, colors="white", lw=0.8)
    parted = [row for row in range(1, len(shown)) if shown[row].interval > shown[row - 1].interval]
    axes.hlines(np.array(parted) - 0.5, *across, colors=INK, lw=1.0, linestyles="--")
    label = "thread of the block, warps set apart" if threads > WARP else "thread of the block"
    index_axis(axes, range(threads), label)
    axes.set_xticks(columns[axes.get_xticks().astype(int)], axes.get_xticks().astype(int))


def _active(step: Moment, threads: int) -> np.ndarray:
    """bool[threads]"""
    return np.isin(np.arange(threads), step.threads)


def _columns(threads: int) -> np.ndarray:
    """int[threads]: the column of each thread, with a gap between warps."""
    thread = np.arange(threads)
    return thread + thread // WARP * max(1, threads // 80)


def _label(axes: Axes, shown: list[Moment], run: Run) -> None:
    axes.set_yticks([])
    beside: Style = {"transform": axes.get_yaxis_transform(), "va": "center", "color": INK}
    for row, step in enumerate(shown):
        code: Style = {"size": SMALL - 1, "family": "monospace"}
        axes.text(-_GUTTER / _ACROSS, row, source_line(run, step.line, 50), **beside, **code)
        axes.text(1.015, row, _count(step), **beside, size=SMALL - 0.5)


def _count(step: Moment) -> str:
    warps = len(np.unique(step.threads // WARP))
    return f"{counted(len(step.threads), 'thread')}, {counted(warps, 'warp')}"


def _description(title: str, steps: list[Moment]) -> str:
    rows = [f"  line {step.line}: {_count(step)}" for step in steps[:_MOST_ROWS]]
    return "\n".join([title + ":", *rows])
