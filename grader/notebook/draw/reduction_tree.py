"""draw.tree: the reduction tree as it really ran in block 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import FancyArrowPatch

from grader.counted import counted
from grader.cuda.simulator import Run

from .levels import Arrow, Level, Tree, read_cells, short, tree_of
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
    Style,
    activity,
    activity_key,
    arrow,
    beside,
    empty,
    index_axis,
    note,
    swatch,
)

_MOST_LEVELS, _MOST_NUMBERED, _MOST_ARROWS = 16, 32, 512
_LEFT, _TOP, _ACROSS = 1.1, 1.5, 6.1  # inches
_STRIP = 0.95  # inches, for the threads at work
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


def tree(run: Run) -> Picture:
    """Cells of shared memory across, barriers down; arrows lead from the cells a thread read to
    the cell it wrote. On the right, the threads that worked in each interval."""
    whole = tree_of(run.trace.events)
    levels = whole.levels[:_MOST_LEVELS]
    title = "Shared memory from barrier to barrier (block 0)"
    if not levels:
        return empty(title, run, "This run wrote nothing to shared memory.")
    box, gap = _row_and_gap(whole)
    tall = len(levels) * (box + gap) - gap
    picture = Picture(_TOP + tall + 0.45, title, _description(title, levels, whole))
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    axes.set(xlim=(whole.cells.start - 0.5, whole.cells.stop - 0.5), ylim=(tall, 0), yticks=[])
    sheet = _Sheet(axes, whole, levels, np.arange(len(levels)) * (box + gap), box)
    _paint_tree(sheet)
    working = [level.threads | level.senders for level in levels]
    strip = picture.panel(_LEFT + _ACROSS + 0.25, _TOP, _STRIP, tall)
    strip.set(ylim=(tall, 0), yticks=[])
    paint_work(strip, whole.threads, working, sheet.tops + box / 2)
    _explain(picture, sheet, run)
    patterns = [np.isin(np.arange(whole.threads), sorted(threads)) for threads in working]
    picture.key(activity_key(patterns), left=_LEFT + _ACROSS + 0.2, columns=1)
    return picture


def _row_and_gap(whole: Tree) -> tuple[float, float]:
    """Inches; a cell of 8 bytes may show two numbers."""
    if len(whole.cells) > _MOST_NUMBERED:
        return 0.16, 0.5
    return (0.54 if whole.width == 8 else 0.42), 0.55


def _paint_tree(sheet: _Sheet) -> None:
    owner: dict[int, int] = {}
    for level, top in zip(sheet.levels, sheet.tops, strict=True):
        owner |= level.writer
        if level.writer:
            _paint_cells(sheet, level, top, set(owner))
        else:
            _paint_global(sheet, level, top)
        name = f"at barrier {level.barrier}" if level.barrier else "at the end"
        beside(sheet.axes, -0.02, top + sheet.box / 2, name, size=SMALL, ha="right")
        _paint_arrows(sheet, level, top)
    wide = f"shared-memory cell ({counted(sheet.tree.width, 'byte')} each)"
    index_axis(sheet.axes, sheet.tree.cells, wide)


def _paint_cells(sheet: _Sheet, level: Level, top: float, known: set[int]) -> None:
    """A row of cells: which were written since the row above, which hold an older value."""
    cells = list(sheet.tree.cells)
    state = [0 if cell in level.writer else 1 if cell in known else 2 for cell in cells]
    colours = ListedColormap([sheet.written, _KEPT, PALE])
    extent = (cells[0] - 0.5, cells[-1] + 0.5, top + sheet.box, top)
    style: Style = {"vmin": 0, "vmax": 2, "aspect": "auto", "interpolation": "none"}
    sheet.axes.imshow([state], colours, extent=extent, **style)
    edges = np.arange(cells[0], cells[-1] + 2) - 0.5
    lines = edges if sheet.numbered else edges[[0, -1]]
    sheet.axes.vlines(lines, top, top + sheet.box, colors=FAINT, lw=0.7, clip_on=False)
    sheet.axes.hlines(
        [top, top + sheet.box], edges[0], edges[-1], colors=FAINT, lw=0.7, clip_on=False
    )
    if sheet.numbered:
        _write_numbers(sheet, level, top, sorted(known))


def _write_numbers(sheet: _Sheet, level: Level, top: float, known: list[int]) -> None:
    count = len(sheet.tree.cells)
    size = min(SMALL, 0.39 * _ACROSS * 72 / count)
    style: Style = {"ha": "center", "va": "center", "linespacing": 1.0}
    cells = known if count <= 16 else sorted(level.writer)  # no room to repeat old values
    if level.values is not None:
        values = read_cells(level.values, sheet.tree.width, cells)
        for cell, numbers in zip(cells, values, strict=True):
            colour = INK if cell in level.writer else FAINT
            text = "\n".join(short(number, 5 if count <= 16 else 4) for number in numbers)
            middle = top + (sheet.box - 0.14) / 2 + 0.02
            sheet.axes.text(cell, middle, text, size=size, color=colour, **style)
    for cell, thread in level.writer.items():
        bold: Style = {"size": 0.9 * size, "color": "#005a8c", "weight": "bold"}
        sheet.axes.text(cell, top + sheet.box - 0.1, f"t{thread}", **bold, **style)


def _paint_global(sheet: _Sheet, level: Level, top: float) -> None:
    left, right = sheet.axes.get_xlim()
    sheet.axes.fill_between([left, right], top, top + sheet.box, color=PALE, lw=0)
    who = min(level.senders)
    by = f"thread {who}" if len(level.senders) == 1 else counted(len(level.senders), "thread")
    middle: Style = {"ha": "center", "va": "center", "size": SMALL, "color": INK}
    text = f"global memory, written by {by}"
    sheet.axes.text((left + right) / 2, top + sheet.box / 2, text, **middle)


def _paint_arrows(sheet: _Sheet, level: Level, top: float) -> None:
    arrows = [arrow for arrow in level.arrows if arrow.target is not None or not level.writer]
    drawn = _thinned(arrows)
    ways = [
        ((arrow.source, sheet.tops[arrow.level] + sheet.box), (_end(arrow), top)) for arrow in drawn
    ]
    colours = [RED if arrow.foreign else FAINT for arrow in drawn]
    if not sheet.numbered:
        thin = min(1.2, max(0.4, 40 / max(len(arrows), 1)))
        sheet.axes.add_collection(LineCollection(ways, colors=colours, lw=thin, alpha=0.7))
        return
    style: Style = {"arrowstyle": "-|>", "mutation_scale": 8, "lw": 1.1, "shrinkA": 0, "shrinkB": 0}
    for (start, end), colour in zip(ways, colours, strict=True):
        sheet.axes.add_patch(FancyArrowPatch(start, end, color=colour, **style))


def _thinned(arrows: list[Arrow]) -> list[Arrow]:
    """All arrows into every n-th cell, where there are too many to tell them apart."""
    ends = sorted({_end(arrow) for arrow in arrows})
    drawn = set(ends[:: _every(arrows)])
    return [arrow for arrow in arrows if _end(arrow) in drawn]


def _every(arrows: list[Arrow]) -> int:
    return max(1, -(-len(arrows) // _MOST_ARROWS))


def _end(arrow: Arrow) -> int:
    return arrow.source if arrow.target is None else arrow.target


def _explain(picture: Picture, sheet: _Sheet, run: Run) -> None:
    written = "written since the barrier before" + " (t3: by thread 3)" * sheet.numbered
    cells = [swatch(sheet.written, written), swatch(_KEPT, "unchanged")]
    foreign = arrow(RED, "read what another thread wrote", 1.6)
    own = arrow(FAINT, "read what the thread itself wrote", 1.6)
    if set(sheet.tree.cells) - sheet.levels[0].writer.keys():
        cells.append(swatch(PALE, "not yet written"))
    picture.key([*cells, foreign, own], columns=2)
    text = note(run, len(sheet.levels), len(sheet.tree.levels), "row")
    every = max(_every(level.arrows) for level in sheet.levels)
    if every > 1:
        text += f"Where arrows are many, only those into one cell in {every} are drawn."
    picture.write(0.15, picture.height - 0.15, text)


def _description(title: str, levels: tuple[Level, ...], whole: Tree) -> str:
    rows = [
        f"  {f'at barrier {level.barrier}' if level.barrier else 'at the end'}: "
        f"{at_work(level.threads | level.senders)} wrote {counted(len(level.writer), 'cell')}"
        for level in levels
    ]
    return "\n".join([f"{title}, {counted(len(whole.cells), 'cell')}:", *rows])


# ---- beside the rows: the warps of the block, and how much of each was at work ----

_HALF = 0.09  # of a strip's height, in inches


def paint_work(axes: Axes, count: int, working: list[set[int]], middles: np.ndarray) -> None:
    """A strip for each set of `working` threads out of `count`; `axes` counts inches down, and
    `middles` says where each strip goes."""
    for threads, middle in zip(working, middles, strict=True):
        active = np.isin(np.arange(count), sorted(threads))
        if count <= 2 * WARP:
            _paint_lane_strip(axes, active, middle)
        else:
            _paint_warp_strip(axes, active, middle)
        beside(axes, 1.06, middle, at_work(threads), size=SMALL - 0.5)
    index_axis(axes, range(count), "threads at work")
    axes.set(xlim=(-0.5, count - 0.5), xticks=[0, count - 1])


def at_work(threads: set[int]) -> str:
    warps = len({thread // WARP for thread in threads})
    return f"{counted(len(threads), 'thread')}, {counted(warps, 'warp')}"


def _paint_lane_strip(axes: Axes, active: np.ndarray, middle: float) -> None:
    extent = (-0.5, len(active) - 0.5, middle + _HALF, middle - _HALF)
    style: Style = {"vmin": 0, "vmax": 2, "aspect": "auto", "interpolation": "none"}
    axes.imshow([activity(active)], ListedColormap(list(ACTIVITY)), extent=extent, **style)
    edges = np.minimum(np.arange(0, len(active) + WARP, WARP), len(active)) - 0.5
    axes.vlines(edges, middle - _HALF, middle + _HALF, colors=INK, lw=0.9, clip_on=False)


def _paint_warp_strip(axes: Axes, active: np.ndarray, middle: float) -> None:
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
