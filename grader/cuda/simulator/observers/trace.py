"""What the first block of a launch did, step by step, and what the first few blocks touched:
enough to draw it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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


class Trace:
    """`events` are all of block 0's; `touched` is what the first `blocks` of the `launched` blocks
    did with global memory, an Event for each block."""

    def __init__(self, blocks: int = 1):
        self.blocks = blocks
        self.launched = 0
        self._events: list[Event] = []
        self._elsewhere: list[Event] = []

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)

    @property
    def touched(self) -> tuple[Event, ...]:
        own = [event for event in self._events if event.space == "global"]
        return (*own, *self._elsewhere)

    @property
    def full(self) -> bool:
        """Whether there may have been more than was kept."""
        return MOST_EVENTS in (len(self._events), len(self._elsewhere))

    def add(self, line: int | None, kind: str, threads: np.ndarray, **what) -> None:
        if len(self._events) < MOST_EVENTS:
            self._events.append(Event(len(self._events), line or 0, kind, threads, **what))

    def add_elsewhere(self, block: int, line: int | None, kind: str, threads, **what) -> None:
        """The same of a block other than the first."""
        if len(self._elsewhere) < MOST_EVENTS:
            step = len(self._elsewhere)
            self._elsewhere.append(Event(step, line or 0, kind, threads, block=block, **what))
