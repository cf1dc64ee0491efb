"""What the first block of a launch did, step by step, and what the first few blocks touched:
enough to draw it."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..machine.events import Observer
from ..machine.lanes import Lanes, lane_index
from ..machine.memory.access import Accessed
from ..machine.wave import Wave

_TRACED = ("global", "shared", "local")

MOST_EVENTS = 50_000  # a trace is for drawing; what follows in a longer run is left out


@dataclass(frozen=True, eq=False)
class Event:
    """One thing that threads of a block did together.

    `kind` is "execute" (a run of instructions of one source line), "load", "store", "atomic",
    "shuffle" or "barrier"; `threads` are linear thread indices. For accesses, `address` are byte
    offsets, one per thread, in shared memory or from the start of the buffer that was argument
    `buffer` of the launch; `width` is bytes per thread. For a barrier, `memory` is the block's
    shared memory as it opens (uint8). For a shuffle, `source` is the thread that each thread
    received from; its own index where it kept its value. `block` is the block's number.
    """

    step: int
    line: int
    kind: str
    threads: np.ndarray
    space: str = ""
    address: np.ndarray | None = None
    width: int = 0
    buffer: int | None = None
    memory: np.ndarray | None = None
    source: np.ndarray | None = None
    block: int = 0


@dataclass(eq=False)
class Trace:
    """`events` are all of block 0's; `touched` is what the first `blocks` of the `launched` blocks
    did with global memory, an Event for each block."""

    blocks: int = 1
    launched: int = 0
    events: list[Event] = field(default_factory=list)
    _elsewhere: list[Event] = field(default_factory=list)

    @property
    def touched(self) -> list[Event]:
        return [event for event in self.events if event.space == "global"] + self._elsewhere

    @property
    def full(self) -> bool:
        """Whether there may have been more than was kept."""
        return MOST_EVENTS in (len(self.events), len(self._elsewhere))

    def add(
        self, line: int | None, kind: str, threads: np.ndarray, block: int = 0, **what: Any
    ) -> None:
        events = self._elsewhere if block else self.events
        if len(events) < MOST_EVENTS:
            events.append(Event(len(events), line or 0, kind, threads, block=block, **what))


class Tracing(Observer):
    """Adds to the trace of a run."""

    def __init__(self, wave: Wave, trace: Trace):
        self.wave, self.trace = wave, trace
        self.trace.launched = self.wave.geometry.blocks
        self._lines = [one.line for one in self.wave.kernel.instructions]

    def run(self, first: int, last: int, lanes: Lanes) -> None:
        if len(threads := self._threads(lanes)):
            for line in dict.fromkeys(self._lines[first : last + 1]):
                self.trace.add(line, "execute", threads)

    def shuffled(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        if len(threads := self._threads(lanes)):
            self.trace.add(self._lines[at], "shuffle", threads, source=source[: len(threads)])

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        if len(threads := self._threads(lanes)):
            self.trace.add(
                self._lines[at], "barrier", threads, memory=self.wave.shared.without_red_zones()
            )

    def access(self, done: Accessed) -> None:
        access, hit, kind = done.access, done.hit, done.kind
        if hit.space not in _TRACED or access.bulk:
            return
        lane, geometry, first = lane_index(hit.lanes), self.wave.geometry, self.wave.first_block
        shown = self.trace.blocks if hit.space == "global" else 1  # blocks, from number 0 on
        for block in range(first, min(first + geometry.wave_blocks, shown)):
            start = (block - first) * geometry.stride
            mine = slice(*np.searchsorted(lane, (start, start + geometry.stride)))
            if mine.start < mine.stop:
                self.trace.add(
                    self._lines[access.at],
                    kind,
                    lane[mine] - start,
                    block,
                    space=hit.space,
                    address=access.offsets(hit)[mine],
                    width=access.width,
                    buffer=hit.store.argument,
                )

    def _threads(self, lanes: Lanes) -> np.ndarray:
        """The threads among `lanes` that belong to block 0 of the grid."""
        if self.wave.first_block:
            return np.empty(0, np.int64)
        lane = lane_index(lanes)
        return lane[: int(np.searchsorted(lane, self.wave.geometry.stride))]
