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
