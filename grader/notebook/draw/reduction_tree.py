"""draw.tree: the reduction tree as it really ran in block 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.lines import Line2D
from matplotlib.patches import FancyArrowPatch

from .levels import Level, Tree, tree_of
from .numbers import read_cells, short
from .picture import (
    ACTIVITY,
    BLUE,
    FAINT,
    INK,
    PALE,
    RED,
    SMALL,
    WARP,
    Picture,
    activity,
    counted,
    empty,
    note,
    swatch,
    thread_axis,
)

_MOST_LEVELS, _MOST_NUMBERED, _MOST_ARROWS = 16, 32, 512
_LEFT, _TOP, _ACROSS = 1.1, 1.5, 6.2  # inches
_STRIP = 1.0  # inches, for the threads at work
_WRITTEN, _KEPT = "#b9dcf2", "#ffffff"


@dataclass(frozen=True)
class _Sheet:
    """Where things go: `axes` counts cells across and inches down; `tops` is the upper edge of
    each level's row, `box` a row's height."""

    axes: Axes
    tree: Tree
    levels: tuple[Level, ...]
    tops: np.ndarray
    box: float

    @property
    def numbered(self) -> bool:
        return len(self.tree.cells) <= _MOST_NUMBERED

    @property
    def written(self) -> str:
        """The colour of a written cell: strong where a cell is a hair's breadth."""
        return _WRITTEN if self.numbered else BLUE


def tree(run) -> Picture:
    """Cells of shared memory across, barriers down; arrows lead from the cells a thread read to
    the cell it wrote. On the right, the threads that worked in each interval."""
    whole = tree_of(run.trace.events)
    levels = whole.levels[:_MOST_LEVELS]
    title = "Shared memory from barrier to barrier (block 0)"
    if not levels:
        return empty(title, "This run wrote nothing to shared memory.")
    box, gap = (0.42, 0.55) if len(whole.cells) <= _MOST_NUMBERED else (0.16, 0.5)  # inches
    tall = len(levels) * (box + gap) - gap
    picture = Picture(_TOP + tall + 0.45, title, _description(title, levels, whole))
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    axes.set(xlim=(whole.cells.start - 0.5, whole.cells.stop - 0.5), ylim=(tall, 0), yticks=[])
    sheet = _Sheet(axes, whole, levels, np.arange(len(levels)) * (box + gap), box)
    _paint_tree(sheet)
    _paint_threads(sheet, picture.panel(_LEFT + _ACROSS + 0.25, _TOP, _STRIP, tall))
    _explain(picture, sheet, run)
    return picture


def _paint_tree(sheet: _Sheet) -> None:
    owner: dict[int, int] = {}
    for level, top in zip(sheet.levels, sheet.tops, strict=True):
        owner |= level.writer
        if level.writer:
            _paint_cells(sheet, level, top, set(owner))
        else:
            _paint_global(sheet, level, top)
        name = f"at barrier {level.barrier}" if level.barrier else "at the end"
        left = {"transform": sheet.axes.get_yaxis_transform(), "va": "center", "ha": "right"}
        sheet.axes.text(-0.02, top + sheet.box / 2, name, size=SMALL, color=INK, **left)
        _paint_arrows(sheet, level, top)
    wide = f"shared-memory cell ({counted(sheet.tree.width, 'byte')} each)"
    thread_axis(sheet.axes, sheet.tree.cells.stop, wide)


def _paint_cells(sheet: _Sheet, level: Level, top: float, known: set[int]) -> None:
    """A row of cells: which were written since the row above, which hold an older value."""
    cells = list(sheet.tree.cells)
    state = [0 if cell in level.writer else 1 if cell in known else 2 for cell in cells]
    colours = ListedColormap([sheet.written, _KEPT, PALE])
    extent = (cells[0] - 0.5, cells[-1] + 0.5, top + sheet.box, top)
    style = {"vmin": 0, "vmax": 2, "aspect": "auto", "interpolation": "none"}
    sheet.axes.imshow([state], colours, extent=extent, **style)
    edges = np.arange(cells[0], cells[-1] + 2) - 0.5
    lines = edges if sheet.numbered else edges[[0, -1]]
    sheet.axes.vlines(lines, top, top + sheet.box, colors=FAINT, lw=0.7, clip_on=False)
    sheet.axes.hlines([top, top + sheet.box], *edges[[0, -1]], colors=FAINT, lw=0.7, clip_on=False)
    if sheet.numbered:
        _write_numbers(sheet, level, top, sorted(known))


def _write_numbers(sheet: _Sheet, level: Level, top: float, known: list[int]) -> None:
    count = len(sheet.tree.cells)
    size = min(SMALL, 0.39 * _ACROSS * 72 / count)
    center = {"ha": "center", "va": "center"}
    cells = known if count <= 16 else sorted(level.writer)  # no room to repeat old values
    if level.values is not None:
        values = read_cells(level.values, sheet.tree.width, cells)
        for cell, value in zip(cells, values, strict=True):
            style = {"size": size, "color": INK if cell in level.writer else FAINT}
            text = short(value, 5 if count <= 16 else 4)
            sheet.axes.text(cell, top + 0.33 * sheet.box, text, **style, **center)
    for cell, thread in level.writer.items():
        style = {"size": 0.9 * size, "color": "#005a8c", "weight": "bold"}
        sheet.axes.text(cell, top + 0.76 * sheet.box, f"t{thread}", **style, **center)


def _paint_global(sheet: _Sheet, level: Level, top: float) -> None:
    left, right = sheet.axes.get_xlim()
    sheet.axes.fill_between([left, right], top, top + sheet.box, color=PALE, lw=0)
    who = min(level.senders)
    by = f"thread {who}" if len(level.senders) == 1 else counted(len(level.senders), "thread")
    middle = {"ha": "center", "va": "center", "size": SMALL, "color": INK}
    text = f"global memory, written by {by}"
    sheet.axes.text((left + right) / 2, top + sheet.box / 2, text, **middle)


def _paint_arrows(sheet: _Sheet, level: Level, top: float) -> None:
    every = -(-len(level.arrows) // _MOST_ARROWS)
    for arrow in level.arrows[:: max(every, 1)]:
        start = (arrow.source, sheet.tops[arrow.level] + sheet.box)
        end = (arrow.source if arrow.target is None else arrow.target, top)
        colour = RED if arrow.foreign else FAINT
        if sheet.numbered:
            style = {
                "arrowstyle": "-|>",
                "mutation_scale": 8,
                "lw": 1.1,
                "shrinkA": 0,
                "shrinkB": 0,
            }
            sheet.axes.add_patch(FancyArrowPatch(start, end, color=colour, **style))
        else:
            thin = min(1.2, max(0.4, 40 / len(level.arrows)))
            sheet.axes.plot(*zip(start, end, strict=True), color=colour, lw=thin, alpha=0.7)


def _paint_threads(sheet: _Sheet, axes: Axes) -> None:
    """Beside each row, the block's warps: how much of each was at work."""
    count = sheet.tree.threads
    axes.set(xlim=(-0.5, count - 0.5), ylim=sheet.axes.get_ylim(), yticks=[])
    for level, top in zip(sheet.levels, sheet.tops, strict=True):
        working = level.threads | level.senders
        active = np.isin(np.arange(count), sorted(working))
        middle = top + sheet.box / 2
        if count <= 2 * WARP:
            _paint_lanes(axes, active, middle)
        else:
            _paint_warps(axes, active, middle)
        edges = np.minimum(np.arange(0, count + WARP, WARP), count) - 0.5
        axes.vlines(edges, middle - 0.09, middle + 0.09, colors=INK, lw=0.9, clip_on=False)
        beside = {"transform": axes.get_yaxis_transform(), "va": "center", "color": INK}
        axes.text(1.06, middle, _at_work(working), size=SMALL, **beside)
    axes.set_xlim(-0.5, count - 0.5)
    thread_axis(axes, count, "threads at work")
    axes.set_xticks([0, count - 1])


def _paint_lanes(axes: Axes, active: np.ndarray, middle: float) -> None:
    extent = (-0.5, len(active) - 0.5, middle + 0.09, middle - 0.09)
    style = {"vmin": 0, "vmax": 2, "aspect": "auto", "interpolation": "none"}
    axes.imshow([activity(active)], ListedColormap(list(ACTIVITY)), extent=extent, **style)


def _paint_warps(axes: Axes, active: np.ndarray, middle: float) -> None:
    """Many warps: each filled to the share of its lanes that work, from below."""
    working, idle_lane, idle_warp = ACTIVITY
    for first in range(0, len(active), WARP):
        share = active[first : first + WARP].mean()
        span = {"x": first - 0.5, "width": WARP, "align": "edge", "lw": 0}
        rest = idle_lane if share else idle_warp
        axes.bar(height=-0.18, bottom=middle + 0.09, color=rest, **span)
        axes.bar(height=-0.18 * share, bottom=middle + 0.09, color=working, **span)


def _at_work(working: set[int]) -> str:
    warps = len({thread // WARP for thread in working})
    return f"{counted(len(working), 'thread')}, {counted(warps, 'warp')}"


def _explain(picture: Picture, sheet: _Sheet, run) -> None:
    line = {"lw": 1.6, "marker": ">", "markersize": 5, "markevery": [-1]}
    written = "written since the barrier before" + " (t3: by thread 3)" * sheet.numbered
    cells = [swatch(sheet.written, written), swatch(_KEPT, "unchanged")]
    foreign = Line2D([0, 1], [0, 0], color=RED, label="read what another thread wrote", **line)
    own = Line2D([0, 1], [0, 0], color=FAINT, label="read what the thread itself wrote", **line)
    picture.key([*cells, foreign, own], columns=2)
    at_work = [swatch(*entry) for entry in ACTIVITY.items()]
    picture.key(at_work, left=_LEFT + _ACROSS + 0.2, columns=1)
    text = note(run, len(sheet.levels), len(sheet.tree.levels), "row")
    most = max(len(level.arrows) for level in sheet.levels)
    if most > _MOST_ARROWS:
        text += f"Only one arrow in {-(-most // _MOST_ARROWS)} is drawn where they are many."
    picture.write(0.15, picture.height - 0.15, text)


def _description(title: str, levels: tuple[Level, ...], whole: Tree) -> str:
    rows = [
        f"  {f'at barrier {level.barrier}' if level.barrier else 'at the end'}: "
        f"{_at_work(level.threads | level.senders)} wrote {counted(len(level.writer), 'cell')}"
        for level in levels
    ]
    return "\n".join([f"{title}, {counted(len(whole.cells), 'cell')}:", *rows])
