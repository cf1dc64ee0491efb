"""draw.tree: the reduction tree as it really ran in block 0."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import ListedColormap
from matplotlib.patches import FancyArrowPatch

from grader.cuda.simulator import Event, Run
from grader.errors import counted

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
    addresses,
    arrow,
    at_work,
    beside,
    empty,
    holding,
    index_axis,
    middle,
    note,
    swatch,
)

# ---- the tree in a trace: what was read and written between each two barriers ----


@dataclass(frozen=True)
class Arrow:
    """A value's way from the cell that it was read from to the cell that it went into."""

    level: int  # the value is as this level left it
    source: int  # cell
    target: int | None  # cell; None: it went into global memory
    foreign: bool  # another thread than the reader had written it: a barrier had to stand between

    @property
    def end(self) -> int:
        return self.source if self.target is None else self.target


@dataclass
class Level:
    """What happened between two barriers."""

    writer: dict[int, int] = field(default_factory=dict)  # cell -> the thread that last wrote it
    arrows: list[Arrow] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)  # all that touched shared memory
    senders: set[int] = field(default_factory=set)  # wrote to global memory what they had read
    barrier: int | None = None  # number of the closing one, from 1; None: the kernel ended first
    values: np.ndarray | None = None  # uint8: shared memory when that barrier opened

    @property
    def name(self) -> str:
        return f"at barrier {self.barrier}" if self.barrier else "at the end"

    @property
    def workers(self) -> set[int]:
        return self.threads | self.senders


@dataclass(frozen=True)
class Tree:
    """What a trace says of shared memory."""

    levels: tuple[Level, ...]  # those at which anything was written
    cells: range  # all that were ever touched
    width: int  # bytes of a cell
    threads: int  # of the block


def tree_of(events: Iterable[Event]) -> Tree:
    """Read the tree off a trace of block 0. What a thread reads, it is taken to have used for
    what it writes next; what it wrote itself since the last barrier starts no arrow."""
    events = tuple(events)
    shared = [event for event in events if event.space == "shared"]
    width = Counter(event.width for event in shared).most_common(1)[0][0] if shared else 4
    touched = [cell for event in shared for cell in (addresses(event) // width).tolist()]
    cells = range(min(touched), max(touched) + 1) if touched else range(0)
    threads = 1 + max((int(event.threads.max()) for event in events), default=0)
    reader = _Reader(width)
    for event in events:
        reader.read(event)
    return Tree(_written(reader.levels), cells, width, threads)


@dataclass
class _Reader:
    """Walks a trace, remembering who wrote each cell and what each thread has read."""

    width: int  # bytes of a cell
    levels: list[Level] = field(default_factory=lambda: [Level()])
    owner: dict[int, int] = field(default_factory=dict)  # cell -> the thread that last wrote it
    # Thread -> what it read and has not used.
    read_by: defaultdict[int, list[Arrow]] = field(default_factory=lambda: defaultdict(list))
    stale: set[int] = field(default_factory=set)  # threads whose next read starts afresh

    def read(self, event: Event) -> None:
        level, threads = self.levels[-1], event.threads.tolist()
        if event.kind == "barrier":
            level.barrier, level.values = len(self.levels), event.memory
            self.levels.append(Level())
            self.stale |= set(self.read_by)
        elif event.kind == "store" and event.space == "global":
            level.arrows += [arrow for thread in threads for arrow in self.read_by[thread]]
            level.senders |= {thread for thread in threads if self.read_by[thread]}
            self.stale |= set(threads)
        elif event.space == "shared":
            level.threads |= set(threads)
            for thread, cell in zip(
                threads, (addresses(event) // self.width).tolist(), strict=True
            ):
                if event.kind in ("load", "atomic"):
                    self._load(thread, cell)
                if event.kind in ("store", "atomic"):
                    level.arrows += [replace(arrow, target=cell) for arrow in self.read_by[thread]]
                    level.writer[cell] = self.owner[cell] = thread
                    self.stale.add(thread)

    def _load(self, thread: int, cell: int) -> None:
        if thread in self.stale:
            self.read_by[thread] = []
            self.stale.discard(thread)
        if self.levels[-1].writer.get(cell) != thread:
            self.read_by[thread].append(
                Arrow(len(self.levels) - 2, cell, None, self.owner.get(cell) != thread)
            )


def _written(levels: list[Level]) -> tuple[Level, ...]:
    """The levels that wrote something. Arrows lead on from the last of them that wrote to shared
    memory; those from before the first are dropped."""
    written: list[Level] = []
    latest, left_by = -1, []  # left_by[i]: whose cells those are that level i left behind
    for level in levels:
        if level.writer or level.senders:
            written.append(level)
        latest = len(written) - 1 if level.writer else latest
        left_by.append(latest)
    for level in written:
        level.arrows = [
            replace(arrow, level=left_by[arrow.level])
            for arrow in dict.fromkeys(level.arrows)
            if arrow.level >= 0 and left_by[arrow.level] >= 0
        ]
    return tuple(written)


# ---- cells of shared memory as numbers, short enough for a small box ----

_FLOATS = {2: np.float16, 4: np.float32, 8: np.float64}


def read_cells(memory: np.ndarray, width: int, cells: list[int]) -> np.ndarray:
    """(cells, numbers in each): what `cells` of `memory` (uint8) hold, in units of `width` bytes.

    The trace does not know types. Bits that all make everyday floats are taken for floats (8
    bytes for a pair of them before one double), others for signed integers, which as floats
    would nearly all be close to 0. Cells of other widths are not read: no numbers."""
    if width not in (1, 2, 4, 8):
        return np.empty((len(cells), 0))
    raw = memory[: len(memory) // width * width].view(f"i{width}")[cells][:, None]
    # Doubles of few digits end in zeros.
    if width == 8 and raw.astype(np.int32).any() and _everyday(raw.view(np.float32)):
        return raw.view(np.float32)
    floats = raw.view(_FLOATS[width]) if width in _FLOATS else raw
    return floats if _everyday(floats) else raw


def _everyday(floats: np.ndarray) -> bool:
    with np.errstate(all="ignore"):
        size = np.abs(floats.astype(np.float64))
        return bool((~np.isfinite(size) | (size == 0) | ((size > 1e-12) & (size < 1e12))).all())


def short(value: float, room: int) -> str:
    """`value` in at most about `room` characters, at least four."""
    if not np.isfinite(value):
        return {"inf": "∞", "-inf": "-∞"}.get(str(float(value)), "nan")
    if float(value).is_integer() and len(f"{value:.0f}") <= room:
        return f"{value:.0f}"
    texts = (f"{value:.{digits}g}" for digits in range(room, 0, -1))
    shorter = (text.replace("0.", ".", 1) if abs(value) < 1 else text for text in texts)
    return next(
        (text for text in shorter if len(text) <= room),
        f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-"),
    )


# ---- the picture ----

_MOST_LEVELS, _MOST_NUMBERED, _MOST_ARROWS = 16, 32, 512
_LEFT, _TOP, _ACROSS = 1.1, 1.5, 6.1  # inches
_STRIP, _HALF = 0.95, 0.09  # inches, for the threads at work: across, and half a strip's height
_WRITTEN, _KEPT = "#b9dcf2", "#ffffff"
_CELLS: Style = {"vmin": 0, "vmax": 2, "aspect": "auto", "interpolation": "none"}


@dataclass(frozen=True)
class _Sheet:
    """Where things go."""

    axes: Axes  # counts cells across and inches down
    tree: Tree  # of the levels that are drawn
    tops: np.ndarray  # inches: the upper edge of each level's row
    box: float  # inches: a row's height

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
    levels, cells = whole.levels[:_MOST_LEVELS], whole.cells
    title = "Shared memory from barrier to barrier (block 0)"
    if not levels:
        return empty(title, "This run wrote nothing to shared memory.", run)
    numbered = (0.54 if whole.width == 8 else 0.42), 0.55  # 8 bytes may show two numbers
    box, gap = numbered if len(cells) <= _MOST_NUMBERED else (0.16, 0.5)  # inches
    tall = len(levels) * (box + gap) - gap
    rows = [
        f"  {level.name}: {at_work(level.workers)} wrote {counted(len(level.writer), 'cell')}"
        for level in levels
    ]
    picture = Picture(
        _TOP + tall + 0.45, title, "\n".join([f"{title}, {counted(len(cells), 'cell')}:", *rows])
    )
    axes = picture.panel(_LEFT, _TOP, _ACROSS, tall)
    axes.set(xlim=(cells.start - 0.5, cells.stop - 0.5), ylim=(tall, 0), yticks=[])
    sheet = _Sheet(axes, replace(whole, levels=levels), np.arange(len(levels)) * (box + gap), box)
    _paint_tree(sheet)
    strip = picture.panel(_LEFT + _ACROSS + 0.25, _TOP, _STRIP, tall)
    strip.set(ylim=(tall, 0), yticks=[])
    patterns = _paint_work(strip, sheet)
    written = "written since the barrier before" + " (t3: by thread 3)" * sheet.numbered
    picture.key(
        holding(
            {
                swatch(sheet.written, written): True,
                swatch(_KEPT, "unchanged"): True,
                swatch(PALE, "not yet written"): {*cells} - levels[0].writer.keys(),
                arrow(RED, "read what another thread wrote", 1.6): True,
                arrow(FAINT, "read what the thread itself wrote", 1.6): True,
            }
        ),
        columns=2,
    )
    every = max(_every(level.arrows) for level in levels)
    many = f"Where arrows are many, only those into one cell in {every} are drawn."
    picture.foot(note(run, len(levels), len(whole.levels), "row") + many * (every > 1), above=0.15)
    picture.key(activity_key(patterns), left=_LEFT + _ACROSS + 0.2, columns=1)
    return picture


def _paint_tree(sheet: _Sheet) -> None:
    axes, owner = sheet.axes, set[int]()
    left, right = axes.get_xlim()
    for level, top in zip(sheet.tree.levels, sheet.tops, strict=True):
        owner |= level.writer.keys()
        if level.writer:
            _paint_cells(sheet, level, top, owner)
        else:
            axes.fill_between([left, right], top, top + sheet.box, color=PALE, lw=0)
            who = (
                counted(len(level.senders), "thread")
                if len(level.senders) > 1
                else f"thread {min(level.senders)}"
            )
            middle(
                axes,
                (left + right) / 2,
                top + sheet.box / 2,
                f"global memory, written by {who}",
                size=SMALL,
            )
        beside(axes, -0.02, top + sheet.box / 2, level.name, size=SMALL, ha="right")
        _paint_arrows(sheet, level, top)
    index_axis(
        axes, sheet.tree.cells, f"shared-memory cell ({counted(sheet.tree.width, 'byte')} each)"
    )


def _paint_cells(sheet: _Sheet, level: Level, top: float, known: set[int]) -> None:
    """A row of cells: which were written since the row above, which hold an older value."""
    cells, axes = list(sheet.tree.cells), sheet.axes
    axes.imshow(
        [[0 if cell in level.writer else 1 if cell in known else 2 for cell in cells]],
        ListedColormap([sheet.written, _KEPT, PALE]),
        extent=(cells[0] - 0.5, cells[-1] + 0.5, top + sheet.box, top),
        **_CELLS,
    )
    edges = np.arange(cells[0], cells[-1] + 2) - 0.5
    line: Style = {"colors": FAINT, "lw": 0.7, "clip_on": False}
    axes.vlines(edges if sheet.numbered else edges[[0, -1]], top, top + sheet.box, **line)
    axes.hlines([top, top + sheet.box], edges[0], edges[-1], **line)
    if sheet.numbered:
        _write_numbers(sheet, level, top, sorted(known))


def _write_numbers(sheet: _Sheet, level: Level, top: float, known: list[int]) -> None:
    """What stands in the cells, and who wrote it."""
    count = len(sheet.tree.cells)
    size = min(SMALL, 0.39 * _ACROSS * 72 / count)
    cells = known if count <= 16 else sorted(level.writer)  # no room to repeat old values
    if level.values is not None:
        values = read_cells(level.values, sheet.tree.width, cells)
        for cell, numbers in zip(cells, values, strict=True):
            middle(
                sheet.axes,
                cell,
                top + (sheet.box - 0.14) / 2 + 0.02,
                "\n".join(short(number, 5 if count <= 16 else 4) for number in numbers),
                size=size,
                color=INK if cell in level.writer else FAINT,
                linespacing=1.0,
            )
    for cell, thread in level.writer.items():
        middle(
            sheet.axes,
            cell,
            top + sheet.box - 0.1,
            f"t{thread}",
            size=0.9 * size,
            color="#005a8c",
            weight="bold",
            linespacing=1.0,
        )


def _paint_arrows(sheet: _Sheet, level: Level, top: float) -> None:
    """All arrows into every n-th cell, where there are too many to tell them apart."""
    arrows = [arrow for arrow in level.arrows if arrow.target is not None or not level.writer]
    ends = set(sorted({arrow.end for arrow in arrows})[:: _every(arrows)])
    drawn = [arrow for arrow in arrows if arrow.end in ends]
    ways = [
        ((arrow.source, sheet.tops[arrow.level] + sheet.box), (arrow.end, top)) for arrow in drawn
    ]
    colours = [RED if arrow.foreign else FAINT for arrow in drawn]
    if not sheet.numbered:
        thin = min(1.2, max(0.4, 40 / max(len(arrows), 1)))
        sheet.axes.add_collection(LineCollection(ways, colors=colours, lw=thin, alpha=0.7))
        return
    for (start, end), colour in zip(ways, colours, strict=True):
        sheet.axes.add_patch(
            FancyArrowPatch(
                start,
                end,
                arrowstyle="-|>",
                mutation_scale=8,
                lw=1.1,
                shrinkA=0,
                shrinkB=0,
                color=colour,
            )
        )


def _every(arrows: list[Arrow]) -> int:
    return max(1, -(-len(arrows) // _MOST_ARROWS))


def _paint_work(axes: Axes, sheet: _Sheet) -> list[np.ndarray]:
    """Beside each row the warps of the block, and how much of each was at work: returns for each
    row bool[threads]."""
    count, levels = sheet.tree.threads, sheet.tree.levels
    patterns = [np.isin(np.arange(count), sorted(level.workers)) for level in levels]
    for level, active, centre in zip(levels, patterns, sheet.tops + sheet.box / 2, strict=True):
        if count <= 2 * WARP:
            axes.imshow(
                [activity(active)],
                ListedColormap(list(ACTIVITY)),
                extent=(-0.5, count - 0.5, centre + _HALF, centre - _HALF),
                **_CELLS,
            )
            edges = np.minimum(np.arange(0, count + WARP, WARP), count) - 0.5
            axes.vlines(edges, centre - _HALF, centre + _HALF, colors=INK, lw=0.9, clip_on=False)
        else:
            _paint_warps(axes, active, centre)
        beside(axes, 1.06, centre, at_work(level.workers), size=SMALL - 0.5)
    index_axis(axes, range(count), "threads at work")
    axes.set(xlim=(-0.5, count - 0.5), xticks=[0, count - 1])
    return patterns


def _paint_warps(axes: Axes, active: np.ndarray, centre: float) -> None:
    """Many warps: each filled, from below, to the share of its lanes that work."""
    working, idle_lane, idle_warp = ACTIVITY
    first = np.arange(0, len(active), WARP)
    share = np.add.reduceat(active, first, dtype=float) / WARP
    bars: Style = {
        "width": (0.8 if len(first) <= 16 else 1) * WARP,
        "align": "edge",
        "lw": 0,
        "bottom": centre + _HALF,
    }
    axes.bar(first - 0.5, -2 * _HALF, color=np.where(share > 0, idle_lane, idle_warp), **bars)
    axes.bar(first - 0.5, -2 * _HALF * share, color=working, **bars)
