"""draw.owners: which thread touched which element of an array."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from math import prod
from textwrap import wrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch

from grader.errors import counted, unless
from grader.grouped import grouped
from grader.watch.observe import MOST_EVENTS, ArrayLayout, Event, Run

from ..cards import Notice
from .picture import (
    BLUE,
    FAINT,
    INK,
    ORANGE,
    PALE,
    PAPER,
    SMALL,
    Colour,
    Picture,
    addresses,
    array_argument,
    box,
    empty,
    holding,
    middle,
    named,
    require_run,
    swatch,
    top_axis,
)

_FOLD, _MOST_COLUMNS, _MOST_ROWS = 32, 40, 24  # a vector is folded; more columns, rows are cut
_LEFT, _TOP, _ACROSS, _BELOW, _LINE = 0.75, 1.1, 9.0, 0.28, 0.17  # inches
_WIDEST, _ROOMY = 0.62, 0.5  # inches of a cell; with room for "b0 t31"
_LARGEST, _SMALLEST = 7.5, 5.0  # points of a label
_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#F0E442")  # Okabe and Ito
_KINDS = {"store": "stored", "load": "loaded", "atomic": "changed"}
_DESCRIBED = 24  # lines
_MOST_THREADS = 1024  # of a block

Who = list[tuple[int, int]]  # (block, thread) of everyone who touched an element, ascending


# ---- who touched what ----


def _owners(events: Iterable[Event], array: ArrayLayout, kind: str) -> dict[int, Who]:
    """By element, ascending, who did a "load", "store" or "atomic" with it."""
    parts = [
        (addresses(event) + byte, event.block * _MOST_THREADS + event.threads)
        for event in events
        if event.buffer == array.buffer and event.kind == kind
        for byte in range(0, event.width, array.dtype.itemsize)
    ]
    if not parts:
        return {}
    address, threads = map(np.concatenate, zip(*parts, strict=True))
    return grouped(
        (element, divmod(thread, _MOST_THREADS))
        for element, thread in sorted(
            set(zip(array.elements(address).tolist(), threads.tolist(), strict=True))
        )
        if element >= 0
    )


def _stretches(owned: dict[int, Who]) -> list[str]:
    """Neighbouring elements that belong to the same threads, or one by one to threads that follow
    each other, e.g. "elements 32 to 63: block 1 threads 0 to 31"."""
    stretches: list[tuple[int, int]] = []  # the first and the last element of each
    step = None  # from owner to owner in the last stretch, once it has two elements
    for element, who in owned.items():
        before = owned.get(element - 1, [])
        following = [(block, thread + 1) for block, thread in before]
        further = 0 if who == before else 1 if who == following and len(who) == 1 else None
        if further is not None and step in (None, further):
            stretches[-1], step = (stretches[-1][0], element), further
        else:
            stretches.append((element, element))
            step = None
    return [_stretch_said(first, last, owned) for first, last in stretches]


def _stretch_said(first: int, last: int, owned: dict[int, Who]) -> str:
    place = f"elements {first} to {last}" if first < last else f"element {first}"
    begin, end = owned[first], owned[last]
    who = ", ".join(f"block {block} thread {thread}" for block, thread in begin[:3])
    return (
        f"{place}: block {begin[0][0]} threads {begin[0][1]} to {end[0][1]}"
        if begin != end
        else f"{place}: {who}" + (f" and {len(begin) - 3} more" if len(begin) > 3 else "")
    )


# ---- the picture ----


@dataclass(frozen=True)
class _Box:
    """What the same threads have side by side, as a pack."""

    row: int
    column: int  # the first one
    columns: int
    who: Who


@dataclass(frozen=True)
class _Grid:
    """The array in rows and columns, of which the first ones are drawn."""

    rows: int
    columns: int
    folded: bool  # it is a vector
    blocks: bool  # labels must tell blocks apart

    @property
    def down(self) -> int:
        return min(self.rows, _MOST_ROWS)

    @property
    def across(self) -> int:
        return min(self.columns, _MOST_COLUMNS)

    @property
    def wide(self) -> float:
        """Inches of a cell."""
        return min(_ACROSS / self.across, _WIDEST)

    @property
    def high(self) -> float:
        return 0.4 if self.wide >= _ROOMY else 0.36 if self.blocks else 0.28

    def label(self, box: _Box) -> str:
        roomy = box.columns * self.wide >= _ROOMY
        if len(box.who) != 1:
            return (f"{len(box.who)} threads" if roomy else f"{len(box.who)}x") if box.who else ""
        block, thread = box.who[0]
        between = " " if roomy else "\n"
        return f"b{block}{between}t{thread}" if roomy or self.blocks else f"t{thread}"


def owners(
    run: Run, argument: int, shape: tuple[int, ...] | None = None, kind: str | None = None
) -> Picture:
    """The elements of the array that was argument number `argument` (from 0) of the launch, each
    with the thread that touched it, coloured by block. `shape` folds them into other rows than
    the array's own; `kind` is "store", "load" or "atomic", by default the first of these that
    happened. Only the blocks that `watch(..., blocks=...)` kept are known."""
    require_run(run, "draw.owners")
    unless(
        kind in (None, *_KINDS),
        Notice('`draw.owners` shows who did a `kind="load"`, a "store" or an "atomic".'),
    )
    array = array_argument(run, argument)
    rows, columns, folded = _rows(array, shape)
    each = ((did, _owners(run.trace.touched, array, did)) for did in ((kind,) if kind else _KINDS))
    did, owned = next((one for one in each if one[1]), (kind or "", {}))
    verb = _KINDS.get(did, "touched")
    title = f"Which thread {verb} which element of {named(run, argument)}"
    if not owned:
        return empty(title, f"No thread of {_blocks(run)} {verb} any of it.", run)
    grid = _Grid(
        rows, columns, folded, len({block for who in owned.values() for block, _ in who}) > 1
    )
    cells = {
        (row, column): owned.get(row * columns + column, [])
        for row in range(grid.down)
        for column in range(grid.across)
        if row * columns + column < array.size
    }
    # What nobody has stays apart, to be counted.
    alike = [list(one) for _, one in groupby(cells, lambda cell: (cell[0], cells[cell] or cell))]
    boxes = [_Box(*one[0], len(one), cells[one[0]]) for one in alike]
    notes = _notes(run, grid, boxes)
    lines, tall = wrap(notes, 150), grid.down * grid.high
    picture = Picture(
        _TOP + tall + _BELOW + _LINE * len(lines),
        title,
        f"{_description(title, run, owned, array.size)}\n  {notes}",
    )
    picture.key(_key(run, boxes), columns=8)
    axes = picture.panel(_LEFT, _TOP, grid.wide * grid.across, tall)
    _label_axes(axes, grid)
    _paint(axes, grid, boxes)
    _part_blocks(axes, cells)
    picture.foot(*lines, line=_LINE)
    return picture


def _part_blocks(axes: Axes, cells: dict[tuple[int, int], Who]) -> None:
    """Lines between the cells of different blocks, to be seen without colours."""
    for (row, column), who in cells.items():
        for down, right in ((1, 0), (0, 1)):
            neighbours = cells.get((row + down, column + right))
            if who and neighbours and _blocks_of(who) != _blocks_of(neighbours):
                axes.plot(
                    [column + right, column + 1],
                    [row + down, row + 1],
                    color=INK,
                    lw=1.2,
                    zorder=3,
                )


def _rows(array: ArrayLayout, shape: tuple[int, ...] | None) -> tuple[int, int, bool]:
    """Rows and columns to draw, and whether they are a vector's that was folded."""
    if shape is not None:
        shape = tuple(np.atleast_1d(shape).tolist())
        unless(
            all(isinstance(length, int) and length >= 0 for length in shape),
            Notice("`shape` is a tuple of lengths, for example `shape=(8, 16)`."),
        )
        unless(
            prod(shape) == array.size,
            Notice(
                f"`shape={shape}` has {counted(prod(shape), 'element')}, the array {array.size}."
            ),
        )
    shape = array.shape if shape is None else shape
    return (
        (-(-shape[0] // _FOLD), _FOLD, True)
        if len(shape) == 1 and shape[0] > _FOLD
        else (prod(shape[:-1]), shape[-1] if shape else 1, len(shape) == 1)
    )


def _label_axes(axes: Axes, grid: _Grid) -> None:
    axes.set(xlim=(0, grid.across), ylim=(grid.down, 0))
    top_axis(axes, "element" if grid.folded else "column")
    shown = range(0, grid.across, 1 if grid.across <= 16 else 4)
    axes.set_xticks(np.array(shown) + 0.5, list(map(str, shown)))
    if grid.folded and grid.rows == 1:
        axes.set_yticks([])
        return
    shown = range(0, grid.down, 1 if grid.down <= 12 else 4)
    first = grid.columns if grid.folded else 1
    axes.set_yticks(np.array(shown) + 0.5, [f"{row * first:,}" for row in shown])
    axes.set_ylabel("from element" if grid.folded else "row", size=SMALL, color=INK)


def _paint(axes: Axes, grid: _Grid, boxes: list[_Box]) -> None:
    """Boxes with labels of one size that fits them all; a character is 0.6 as wide as high."""
    labels = [grid.label(box) for box in boxes]
    rooms = [
        grid.wide * box.columns / len(line)
        for box, label in zip(boxes, labels, strict=True)
        for line in label.splitlines()
    ]
    size = float(np.clip(0.86 * min(rooms, default=1.0) * 72 / 0.6, _SMALLEST, _LARGEST))
    for item, label in zip(boxes, labels, strict=True):
        box(
            axes,
            (item.column, item.row),
            (item.columns, 1),
            facecolor=_colour(_blocks_of(item.who)),
            edgecolor=FAINT,
            lw=0.6,
            hatch=None if item.who else "////",
        )
        for edge in range(item.column + 1, item.column + item.columns):
            axes.plot([edge, edge], [item.row + 0.85, item.row + 1], color=FAINT, lw=0.6)
        if label:
            middle(
                axes,
                item.column + item.columns / 2,
                item.row + 0.52,
                label,
                size=size,
                linespacing=1.05,
            )


def _blocks_of(who: Who) -> set[int]:
    return {block for block, _ in who}


def _colour(blocks: set[int]) -> Colour:
    """The pale colour of the one block; of several, or of none, another."""
    if len(blocks) != 1:
        return PALE if blocks else PAPER
    red, green, blue = (
        1 - 0.45 * (1 - part)  # how much of a colour is left under text
        for part in to_rgb(_COLOURS[min(blocks) % len(_COLOURS)])
    )
    return red, green, blue


def _key(run: Run, boxes: list[_Box]) -> list[Patch]:
    """What the cells' colours mean."""
    return [
        *(swatch(_colour({one}), f"block {one}") for one in _alone(boxes)[: len(_COLOURS)]),
        *holding(
            {
                swatch(PALE, "several blocks"): any(len(_blocks_of(box.who)) > 1 for box in boxes),
                swatch(
                    PAPER, "nobody" if _all_known(run) else "none of these blocks", hatch="////"
                ): not all(box.who for box in boxes),
            }
        ),
    ]


def _alone(boxes: list[_Box]) -> list[int]:
    """The blocks that have a cell for themselves, and so a colour in the picture."""
    return sorted({box.who[0][0] for box in boxes if len(_blocks_of(box.who)) == 1})


def _notes(run: Run, grid: _Grid, boxes: list[_Box]) -> str:
    """What is left out, and how to read the labels."""
    cut = [
        f"{some} of {counted(count, noun)}"
        for some, count, noun in (
            (grid.down, grid.rows, "row"),
            (grid.across, grid.columns, "column"),
        )
        if some < count
    ]
    launched = run.trace.launched
    most = max((len(box.who) for box in boxes if grid.label(box).endswith("x")), default=0)
    notes = {
        f"The first {' and '.join(cut)}.": cut,
        f"Seen: {_blocks(run)}; `watch(..., blocks={launched})` keeps all {launched}.": (
            not _all_known(run)
        ),
        "The run stopped at a mistake before the end.": any(
            not hazard.warning for hazard in run.hazards
        ),
        f"The trace ends after {MOST_EVENTS:,} events: who came later is not shown.": (
            run.trace.full
        ),
        "Threads are numbered within their block, along x first, then y.": True,
        f"{most}x: {most} threads.": most,
        f"Colours come again after {len(_COLOURS)} blocks.": len(_alone(boxes)) > len(_COLOURS),
    }
    return " ".join(holding(notes))


def _all_known(run: Run) -> bool:
    return run.trace.blocks >= run.trace.launched


def _blocks(run: Run) -> str:
    kept, launched = run.trace.blocks, run.trace.launched
    if kept == 1 or launched == 1:
        return "block 0"
    return f"all {launched} blocks" if _all_known(run) else f"the first {kept} of {launched} blocks"


def _description(title: str, run: Run, owned: dict[int, Who], elements: int) -> str:
    stretches = _stretches(owned)
    more = len(stretches) - _DESCRIBED
    return "\n".join(
        [
            f"{title}, {_blocks(run)}:",
            f"  {len(owned)} of {counted(elements, 'element')} touched, "
            f"{sum(len(who) > 1 for who in owned.values())} by several threads",
            *(f"  {stretch}" for stretch in stretches[:_DESCRIBED]),
            *([f"  and {counted(more, 'more such line')}"] if more > 0 else []),
        ]
    )
