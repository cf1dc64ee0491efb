"""draw.owners: which thread touched which element of an array."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import prod
from textwrap import wrap

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Patch, Rectangle

from grader.counted import counted
from grader.cuda.simulator import Run
from grader.watch.arrays import Array
from grader.watch.trace import MOST_EVENTS

from ..failures import Notice
from .ownership import Ownership, ownership, sentences
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
    Style,
    array_argument,
    empty,
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
_TINT = 0.45  # how much of a colour is left under text
_KINDS = {"store": "stored", "load": "loaded", "atomic": "changed"}
_DESCRIBED = 24  # lines

Who = list[tuple[int, int]]  # (block, thread)


@dataclass(frozen=True)
class _Grid:
    """The array in `rows` of `columns`, of which `down` by `across` are drawn, each cell `wide` by
    `high` inches. `folded`: it is a vector. `blocks`: whether labels must tell them apart."""

    rows: int
    columns: int
    folded: bool
    blocks: bool

    @property
    def down(self) -> int:
        return min(self.rows, _MOST_ROWS)

    @property
    def across(self) -> int:
        return min(self.columns, _MOST_COLUMNS)

    @property
    def wide(self) -> float:
        return min(_ACROSS / self.across, _WIDEST)

    @property
    def roomy(self) -> bool:
        return self.wide >= _ROOMY

    @property
    def high(self) -> float:
        return 0.4 if self.roomy else 0.36 if self.blocks else 0.28

    def label(self, who: Who, cells: int) -> str:
        """The text of a box as wide as `cells` cells."""
        roomy = cells * self.wide >= _ROOMY
        if len(who) > 1:
            return f"{len(who)} threads" if roomy else f"{len(who)}x"
        block, thread = who[0]
        if roomy:
            return f"b{block} t{thread}"
        return f"b{block}\nt{thread}" if self.blocks else f"t{thread}"


def owners(
    run: Run, argument: int, shape: tuple[int, ...] | None = None, kind: str | None = None
) -> Picture:
    """The elements of the array that was argument number `argument` (from 0) of the launch, each
    with the thread that touched it, coloured by block. `shape` folds them into other rows than
    the array's own; `kind` is "store", "load" or "atomic", by default the first of these that
    happened. Only the blocks that `watch(..., blocks=...)` kept are known."""
    require_run(run, "draw.owners")
    if kind not in (None, *_KINDS):
        raise Notice('`draw.owners` shows who did a `kind="load"`, a "store" or an "atomic".')
    array = array_argument(run, argument)
    rows, columns, folded = _rows(array, shape)
    did, found = _likeliest(run, array, kind)
    title = f"Which thread {did} which element of {named(run, argument)}"
    if not len(found.elements):
        return empty(title, run, f"No thread of {_blocks(run)} {did} any of it.")
    grid = _Grid(rows, columns, folded, len(found.blocks) > 1)
    return _drawn(run, title, found, grid, array.size)


def _drawn(run: Run, title: str, found: Ownership, grid: _Grid, elements: int) -> Picture:
    cells = {
        (row, column): found.of(row * grid.columns + column)
        for row in range(grid.down)
        for column in range(grid.across)
        if row * grid.columns + column < elements
    }
    boxes = _boxes(cells)
    notes = _notes(run, grid, boxes)
    lines, tall = wrap(notes, 150), grid.down * grid.high
    words = f"{_description(title, run, found, elements)}\n  {notes}"
    picture = Picture(_TOP + tall + _BELOW + _LINE * len(lines), title, words)
    picture.key(_key(run, cells.values()), columns=8)
    axes = picture.panel(_LEFT, _TOP, grid.wide * grid.across, tall)
    _label_axes(axes, grid)
    _paint(axes, grid, boxes)
    _part(axes, cells)
    for number, text in enumerate(reversed(lines)):
        picture.write(0.15, picture.height - 0.13 - _LINE * number, text)
    return picture


def _rows(array: Array, shape: tuple[int, ...] | None) -> tuple[int, int, bool]:
    """Rows and columns to draw, and whether they are a vector's that was folded."""
    if shape is not None:
        shape = tuple(np.atleast_1d(shape).tolist())
        if not all(isinstance(length, int) and length >= 0 for length in shape):
            raise Notice("`shape` is a tuple of lengths, for example `shape=(8, 16)`.")
        if prod(shape) != array.size:
            raise Notice(
                f"`shape={shape}` has {counted(prod(shape), 'element')}, the array {array.size}."
            )
    shape = array.shape if shape is None else shape
    if len(shape) == 1 and shape[0] > _FOLD:
        return -(-shape[0] // _FOLD), _FOLD, True
    columns = shape[-1] if shape else 1
    return prod(shape[:-1]), columns, len(shape) == 1


def _likeliest(run: Run, array: Array, kind: str | None) -> tuple[str, Ownership]:
    """What was done, in a word, and by whom."""
    touched = run.trace.touched
    for one in (kind,) if kind else _KINDS:
        found = ownership(touched, array, one)
        if len(found.elements) or kind:
            return _KINDS[one], found
    return "touched", found


def _label_axes(axes: Axes, grid: _Grid) -> None:
    axes.set(xlim=(0, grid.across), ylim=(grid.down, 0))
    top_axis(axes, "element" if grid.folded else "column")
    step = 1 if grid.across <= 16 else 4
    axes.set_xticks(
        np.arange(0, grid.across, step) + 0.5, [str(n) for n in range(0, grid.across, step)]
    )
    if grid.folded and grid.rows == 1:
        axes.set_yticks([])
        return
    step = 1 if grid.down <= 12 else 4
    first = grid.columns if grid.folded else 1
    labels = [f"{row * first:,}" for row in range(0, grid.down, step)]
    axes.set_yticks(np.arange(0, grid.down, step) + 0.5, labels)
    axes.set_ylabel("from element" if grid.folded else "row", size=SMALL, color=INK)


def _boxes(cells: dict[tuple[int, int], Who]) -> list[tuple[int, int, int, Who]]:
    """(row, first column, columns, who): what the same threads have side by side, as a pack, is
    one box. What nobody has stays apart, to be counted."""
    boxes: list[tuple[int, int, int, Who]] = []
    for (row, column), who in cells.items():
        if who and boxes and (boxes[-1][0], boxes[-1][3]) == (row, who):
            _, first, columns, _ = boxes.pop()
            boxes.append((row, first, columns + 1, who))
        else:
            boxes.append((row, column, 1, who))
    return boxes


def _paint(axes: Axes, grid: _Grid, boxes: list[tuple[int, int, int, Who]]) -> None:
    labels = [grid.label(who, columns) if who else "" for _, _, columns, who in boxes]
    middle: Style = {"color": INK, "ha": "center", "va": "center", "linespacing": 1.05}
    middle["size"] = _size(grid, boxes, labels)
    for (row, column, columns, who), label in zip(boxes, labels, strict=True):
        style: Style = {"edgecolor": FAINT, "lw": 0.6, "facecolor": _colour(who)}
        if not who:
            style["hatch"] = "////"
        axes.add_patch(Rectangle((column, row), columns, 1, clip_on=False, **style))
        for edge in range(column + 1, column + columns):
            axes.plot([edge, edge], [row + 0.85, row + 1], color=FAINT, lw=0.6)
        if label:
            axes.text(column + columns / 2, row + 0.52, label, **middle)


def _part(axes: Axes, cells: dict[tuple[int, int], Who]) -> None:
    """Lines between blocks."""
    line: Style = {"color": INK, "lw": 1.2, "zorder": 3}
    for (row, column), who in cells.items():
        if _parted(who, cells.get((row + 1, column))):
            axes.plot([column, column + 1], [row + 1, row + 1], **line)
        if _parted(who, cells.get((row, column + 1))):
            axes.plot([column + 1, column + 1], [row, row + 1], **line)


def _size(grid: _Grid, boxes: list[tuple[int, int, int, Who]], labels: list[str]) -> float:
    """Points that every label fits its box in; a character is 0.6 as wide as high."""
    room = min(
        (
            grid.wide * columns / len(line)
            for (_, _, columns, _), label in zip(boxes, labels, strict=True)
            for line in label.splitlines()
        ),
        default=1.0,
    )
    return float(np.clip(0.86 * room * 72 / 0.6, _SMALLEST, _LARGEST))


def _parted(who: Who, neighbours: Who | None) -> bool:
    """Whether two cells are different blocks', so that one sees it without colours."""
    return bool(who) and bool(neighbours) and _of(who) != _of(neighbours or [])


def _of(who: Who) -> set[int]:
    return {block for block, _ in who}


def _colour(who: Who) -> Colour:
    blocks = _of(who)
    if not blocks:
        return PAPER
    return PALE if len(blocks) > 1 else _tint(blocks.pop())


def _tint(block: int) -> Colour:
    red, green, blue = to_rgb(_COLOURS[block % len(_COLOURS)])
    return _paler(red), _paler(green), _paler(blue)


def _paler(part: float) -> float:
    return 1 - _TINT * (1 - part)


def _key(run: Run, cells: Collection[Who]) -> list[Patch]:
    """What the cells' colours mean."""
    alone = _alone(cells)[: len(_COLOURS)]
    handles = [swatch(_tint(block), f"block {block}") for block in alone]
    if any(len(_of(who)) > 1 for who in cells):
        handles.append(swatch(PALE, "several blocks"))
    if not all(cells):
        nobody = "nobody" if _all_known(run) else "none of these blocks"
        handles.append(swatch(PAPER, nobody, hatch="////"))
    return handles


def _alone(cells: Iterable[Who]) -> list[int]:
    """The blocks that have a cell for themselves, and so a colour in the picture."""
    return sorted({who[0][0] for who in cells if len(_of(who)) == 1})


def _notes(run: Run, grid: _Grid, boxes: list[tuple[int, int, int, Who]]) -> str:
    """What is left out, and how to read the labels."""
    shown = ((grid.down, grid.rows, "row"), (grid.across, grid.columns, "column"))
    cut = [f"{some} of {counted(count, noun)}" for some, count, noun in shown if some < count]
    notes = [f"The first {' and '.join(cut)}."] if cut else []
    if not _all_known(run):
        launched = run.trace.launched
        notes.append(f"Seen: {_blocks(run)}; `watch(..., blocks={launched})` keeps all {launched}.")
    if any(not hazard.warning for hazard in run.hazards):
        notes.append("The run stopped at a mistake before the end.")
    if run.trace.full:
        notes.append(f"The trace ends after {MOST_EVENTS:,} events: who came later is not shown.")
    notes.append("Threads are numbered within their block, along x first, then y.")
    labelled = [(who, grid.label(who, columns)) for *_, columns, who in boxes if who]
    counts = [len(who) for who, label in labelled if label.endswith("x")]
    if counts:
        notes.append(f"{max(counts)}x: {max(counts)} threads.")
    if len(_alone(who for *_, who in boxes)) > len(_COLOURS):
        notes.append(f"Colours come again after {len(_COLOURS)} blocks.")
    return " ".join(notes)


def _all_known(run: Run) -> bool:
    return run.trace.blocks >= run.trace.launched


def _blocks(run: Run) -> str:
    kept, launched = run.trace.blocks, run.trace.launched
    if kept == 1 or launched == 1:
        return "block 0"
    return f"all {launched} blocks" if _all_known(run) else f"the first {kept} of {launched} blocks"


def _description(title: str, run: Run, found: Ownership, elements: int) -> str:
    said = sentences(found)
    lines = [
        f"{title}, {_blocks(run)}:",
        f"  {len(found.elements)} of {counted(elements, 'element')} touched, "
        f"{found.shared} by several threads",
        *(f"  {sentence}" for sentence in said[:_DESCRIBED]),
    ]
    if len(said) > _DESCRIBED:
        lines.append(f"  and {counted(len(said) - _DESCRIBED, 'more such line')}")
    return "\n".join(lines)
