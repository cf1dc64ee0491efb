"""What block 0 of a launch did, step by step: enough to draw it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MOST_EVENTS = 50_000  # a trace is for drawing; what follows in a longer run is left out


@dataclass(frozen=True, eq=False)
class Event:
    """One thing that threads of block 0 did together.

    `kind` is "execute" (a run of instructions of one source line), "load", "store", "atomic",
    "shuffle" or "barrier"; `threads` are linear thread indices. For accesses, `address` are byte
    offsets, one per thread, in shared memory or from the start of the buffer that was argument
    `buffer` of the launch; `width` is bytes per thread. For a barrier, `memory` is the block's
    shared memory as it opens (uint8). For a shuffle, `source` is the thread that each thread
    received from; its own index where it kept its value.
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


class Trace:
    def __init__(self):
        self._events: list[Event] = []

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(self._events)

    def add(self, line: int | None, kind: str, threads: np.ndarray, **what) -> None:
        if len(self._events) < MOST_EVENTS:
            self._events.append(Event(len(self._events), line or 0, kind, threads, **what))
