"""The reduction tree in a trace: what was read and written between each two barriers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from grader.cuda.simulator import Event

from .moments import addresses


@dataclass(frozen=True)
class Arrow:
    """A value's way: out of `source` as `level` left it, into cell `target` (None: into global
    memory). `foreign`: another thread than the reader had written it, so a barrier had to stand
    between."""

    level: int
    source: int
    target: int | None
    foreign: bool


@dataclass
class Level:
    """What happened between two barriers. `writer` is the thread that last wrote each cell,
    `threads` all that touched shared memory, `senders` those that went on to write to global
    memory what they had read. `barrier` numbers the closing barrier from 1 and `values` is shared
    memory (uint8) when it opened; None when the kernel ended first."""

    writer: dict[int, int] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    threads: set[int] = field(default_factory=set)
    senders: set[int] = field(default_factory=set)
    barrier: int | None = None
    values: np.ndarray | None = None


@dataclass(frozen=True)
class Tree:
    """The levels at which anything was written; the cells ever touched, counted in units of
    `width` bytes; the number of threads in the block."""

    levels: tuple[Level, ...]
    cells: range
    width: int
    threads: int


def tree_of(events: Iterable[Event]) -> Tree:
    """Read the tree off a trace of block 0. What a thread reads, it is taken to have used for
    what it writes next; what it wrote itself since the last barrier starts no arrow."""
    events = tuple(events)
    shared = [event for event in events if event.space == "shared"]
    width = Counter(event.width for event in shared).most_common(1)[0][0] if shared else 4
    touched = [cell for event in shared for cell in (addresses(event) // width).tolist()]
    cells = range(min(touched), max(touched) + 1) if touched else range(0)
    threads = 1 + max((int(event.threads.max()) for event in events), default=0)
    return Tree(_kept(_Reader(width).read(events)), cells, width, threads)


class _Reader:
    """Walks a trace, remembering who wrote each cell and what each thread has read."""

    def __init__(self, width: int):
        self.width = width
        self.levels = [Level()]
        self.owner: dict[int, int] = {}  # cell -> the thread whose value stands in it
        self.read_by: dict[int, list[Arrow]] = {}  # thread -> what it read and has not used
        self.stale: set[int] = set()  # threads whose next read starts afresh

    def read(self, events: Iterable[Event]) -> list[Level]:
        for event in events:
            if event.kind == "barrier":
                self.levels[-1].barrier = len(self.levels)
                self.levels[-1].values = event.memory
                self.levels.append(Level())
                self.stale |= set(self.read_by)
            elif event.kind == "store" and event.space == "global":
                self._send(event)
            elif event.space == "shared":
                self._touch(event)
        return self.levels

    def _touch(self, event: Event) -> None:
        cells = (addresses(event) // self.width).tolist()
        reads, writes = event.kind in ("load", "atomic"), event.kind in ("store", "atomic")
        for thread, cell in zip(event.threads.tolist(), cells, strict=True):
            self.levels[-1].threads.add(thread)
            if reads:
                self._load(thread, cell)
            if writes:
                self._store(thread, cell)

    def _load(self, thread: int, cell: int) -> None:
        if thread in self.stale:
            self.read_by[thread] = []
            self.stale.discard(thread)
        if self.levels[-1].writer.get(cell) == thread:
            return
        foreign = self.owner.get(cell) != thread
        arrow = Arrow(len(self.levels) - 2, cell, None, foreign)
        self.read_by.setdefault(thread, []).append(arrow)

    def _store(self, thread: int, cell: int) -> None:
        level = self.levels[-1]
        level.arrows += [replace(arrow, target=cell) for arrow in self.read_by.get(thread, ())]
        level.writer[cell] = self.owner[cell] = thread
        self.stale.add(thread)

    def _send(self, event: Event) -> None:
        for thread in event.threads.tolist():
            if arrows := self.read_by.get(thread):
                self.levels[-1].arrows += arrows
                self.levels[-1].senders.add(thread)
            self.stale.add(thread)


def _kept(levels: list[Level]) -> tuple[Level, ...]:
    """The levels that wrote something. Arrows lead on from the last of them that wrote to shared
    memory; those from before the first are dropped."""
    kept: list[Level] = []
    latest, left_by = -1, []  # left_by[i]: whose cells those are that level i left behind
    for level in levels:
        if level.writer or level.senders:
            kept.append(level)
        latest = len(kept) - 1 if level.writer else latest
        left_by.append(latest)
    for level in kept:
        started = [arrow for arrow in dict.fromkeys(level.arrows) if arrow.level >= 0]
        moved = [replace(arrow, level=left_by[arrow.level]) for arrow in started]
        level.arrows = [arrow for arrow in moved if arrow.level >= 0]
    return tuple(kept)


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
    if width == 8 and raw.astype(np.int32).any():  # doubles of few digits end in zeros
        pairs = raw.view(np.float32)
        if _everyday(pairs):
            return pairs
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
    for digits in range(room, 0, -1):
        text = f"{value:.{digits}g}"
        if abs(value) < 1:
            text = text.replace("0.", ".", 1)
        if len(text) <= room:
            return text
    return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
