"""draw.owners: which thread touched which element of an array."""

from __future__ import annotations

from collections import defaultdict
from math import prod

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from ..failures import Notice
from .arguments import require_run
from .picture import BLUE, FAINT, INK, ORANGE, PAPER, SMALL, Picture, counted, empty, swatch

_MOST_COLUMNS, _MOST_ROWS = 32, 24
_LEFT, _TOP, _ACROSS = 0.75, 1.1, 9.0  # inches
_COLOURS = (BLUE, ORANGE, "#009E73", "#CC79A7", "#56B4E9", "#F0E442")  # Okabe and Ito
_TINT = 0.45  # how much of a colour is left under text
_KINDS = {"load": "loaded", "store": "stored"}
_LEGEND = "Threads are numbered within their block, along x first, then y. 8x: 8 threads did."

Owners = dict[int, set[tuple[int, int]]]  # by element: (block, thread)


def owners(run, argument: int, shape: tuple[int, ...] | None = None, kind: str | None = None):
    """The elements of the array that was argument number `argument` (from 0) of the launch, each
    with the thread that touched it, coloured by block. `shape` folds them into other rows than
    the array's own; `kind` is "load" or "store", by default "store" if there was one. Only the
    blocks that `watch(..., blocks=...)` kept are known."""
    require_run(run, "draw.owners")
    array, dtype = _array(run, argument)
    rows, columns = _rows(array, shape)
    kind = kind or _likeliest(run, argument)
    if kind not in _KINDS:
        raise Notice('`draw.owners` shows who did a `kind="load"` or a `kind="store"`.')
    found = _owners(run, argument, kind, dtype.itemsize)
    title = f"Which thread {_KINDS[kind]} which element (argument {argument})"
    if not found:
        return empty(title, run, f"No thread of {_blocks(run)} {_KINDS[kind]} any of it.")
    across, down = min(columns, _MOST_COLUMNS), min(rows, _MOST_ROWS)
    cell = min(_ACROSS / across, 0.62)
    tall = down * max(min(cell, 0.4), 0.26)
    left_out = _left_out(rows, columns, down, across)
    words = _description(title, run, found, rows * columns)
    picture = Picture(_TOP + tall + 0.45, title, f"{words}\n  {left_out}{_LEGEND}")
    picture.key(_key(found, rows * columns), columns=8)
    axes = picture.panel(_LEFT, _TOP, cell * across, tall)
    _paint(axes, found, rows, columns, down, across, cell)
    picture.write(0.15, picture.height - 0.15, left_out + _LEGEND)
    return picture


def _array(run, argument: int) -> tuple[tuple[int, ...], np.dtype]:
    arrays = {number: one for number, one in enumerate(run.arrays) if one}
    if argument not in arrays:
        known = ", ".join(map(str, arrays)) or "none"
        raise Notice(f"Argument {argument} of this launch is no array; arrays are: {known}.")
    return arrays[argument]


def _rows(array: tuple[int, ...], shape: tuple[int, ...] | None) -> tuple[int, int]:
    """Rows and columns to draw; a long vector is folded."""
    if shape is not None and prod(shape) != prod(array):
        raise Notice(f"`shape={shape}` has {prod(shape)} elements, the array {prod(array)}.")
    shape = shape or array
    if len(shape) == 1 and shape[0] > _MOST_COLUMNS:
        return -(-shape[0] // _MOST_COLUMNS), _MOST_COLUMNS
    columns = shape[-1] if shape else 1
    return prod(shape[:-1]), columns


def _likeliest(run, argument: int) -> str:
    stored = any(e.buffer == argument and e.kind == "store" for e in run.trace.touched)
    return "store" if stored else "load"


def _owners(run, argument: int, kind: str, itemsize: int) -> Owners:
    found: Owners = defaultdict(set)
    for event in run.trace.touched:
        if event.buffer == argument and event.kind == kind:
            first = event.address // itemsize
            for part in range(max(event.width // itemsize, 1)):
                for element, thread in zip(first + part, event.threads, strict=True):
                    found[int(element)].add((event.block, int(thread)))
    return found


def _paint(axes: Axes, found: Owners, rows, columns, down, across, cell: float) -> None:
    axes.set(xlim=(0, across), ylim=(down, 0))
    for row in range(down):
        for column in range(across):
            who = found.get(row * columns + column, set())
            _paint_cell(axes, row, column, who, cell)
            below, beside = (row + 1) * columns + column, row * columns + column + 1
            if row + 1 < down and _parted(who, found.get(below, set())):
                axes.plot([column, column + 1], [row + 1, row + 1], color=INK, lw=1.2, zorder=3)
            if column + 1 < across and _parted(who, found.get(beside, set())):
                axes.plot([column + 1, column + 1], [row, row + 1], color=INK, lw=1.2, zorder=3)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    step = 1 if across <= 16 else 4
    axes.set_xticks(np.arange(0, across, step) + 0.5, range(0, across, step))
    axes.set_xlabel("column" if rows > 1 else "element", size=SMALL, color=INK)
    step = 1 if down <= 12 else 4
    labels = [row if rows == down or row < down else "" for row in range(0, down, step)]
    axes.set_yticks(np.arange(0, down, step) + 0.5, labels)
    if rows > 1:
        axes.set_ylabel("row", size=SMALL, color=INK)
    else:
        axes.set_yticks([])


def _parted(who: set, neighbours: set) -> bool:
    """Whether two cells are different blocks', so that one sees it without colours."""
    one, other = ({block for block, _ in owners} for owners in (who, neighbours))
    return bool(one and other) and one != other


def _paint_cell(axes: Axes, row: int, column: int, who: set, cell: float) -> None:
    style = {"edgecolor": FAINT, "lw": 0.6, "facecolor": PAPER}
    if not who:
        style["hatch"] = "////"
    elif len({block for block, _ in who}) == 1:
        style["facecolor"] = _tint(next(iter(who))[0])
    axes.add_patch(Rectangle((column, row), 1, 1, clip_on=False, **style))
    size = 7.5 if cell >= 0.45 else 6.0
    axes.text(
        column + 0.5, row + 0.52, _label(who, cell), size=size, color=INK, ha="center", va="center"
    )


def _label(who: set, cell: float) -> str:
    if not who:
        return ""
    if len(who) > 1:
        return f"{len(who)}x"
    ((block, thread),) = who
    return f"b{block} t{thread}" if cell >= 0.5 else f"t{thread}"


def _tint(block: int) -> tuple[float, ...]:
    colour = np.array(to_rgb(_COLOURS[block % len(_COLOURS)]))
    return tuple(1 - _TINT * (1 - colour))


def _key(found: Owners, elements: int) -> list:
    blocks = sorted({block for who in found.values() for block, _ in who})
    handles = [swatch(_tint(block), f"block {block}") for block in blocks[:6]]
    nobody = swatch(PAPER, "nobody")
    nobody.set_hatch("////")
    return [*handles, nobody] if len(found) < elements else handles


def _left_out(rows: int, columns: int, down: int, across: int) -> str:
    parts = [
        f"{shown} of {counted(count, noun)}"
        for shown, count, noun in ((down, rows, "row"), (across, columns, "column"))
        if shown < count
    ]
    return f"The first {' and '.join(parts)}. " if parts else ""


def _blocks(run) -> str:
    return "block 0" if run.trace.blocks == 1 else f"the first {run.trace.blocks} blocks"


def _description(title: str, run, found: Owners, elements: int) -> str:
    shared = sum(len(who) > 1 for who in found.values())
    lines = [
        f"{title}, {_blocks(run)}:",
        f"  {len(found)} of {counted(elements, 'element')} touched, {shared} by several threads",
    ]
    for element, who in sorted(found.items())[:16]:
        named = ", ".join(f"block {block} thread {thread}" for block, thread in sorted(who)[:3])
        more = f" and {len(who) - 3} more" if len(who) > 3 else ""
        lines.append(f"  element {element}: {named}{more}")
    return "\n".join([*lines, *(["  ..."] if len(found) > 16 else [])])
