"""Watching launches: `with observe() as run: kernel(...)`."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any

import numpy as np

from ..machine.events import Observer
from ..machine.lanes import Lanes, lane_index
from ..machine.memory.access import Accessed
from ..machine.memory.allocations import owner_of
from ..machine.printf import Output
from ..machine.wave import Wave
from .counters import Counters
from .findings import FindingReport, HazardReport


@dataclass(frozen=True)
class ArrayLayout:
    """An array argument. Events call the memory that it lies in `buffer`, which is the first
    argument with that memory; its first element is `offset` bytes from the start of it. Of a
    view or a transposed array the elements lie `strides` bytes apart, as NumPy has it. `name` is
    the parameter's, where it is known."""

    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]
    buffer: int
    offset: int
    name: str = ""

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def elements(self, address: np.ndarray) -> np.ndarray:
        """For each byte offset in the buffer, the number (in C order) of the element that holds
        that byte; -1 where the array has none. int64, of the shape of `address`."""
        places = self.places()
        if not len(places):
            return np.full(np.shape(address), -1)
        order = np.argsort(places, kind="stable")
        at = np.searchsorted(places[order], address, side="right") - 1
        found = order[at]
        return np.where((at >= 0) & (address - places[found] < self.dtype.itemsize), found, -1)

    def places(self) -> np.ndarray:
        """The byte offset of every element, in C order."""
        places = np.full(1, self.offset)
        for length, stride in zip(self.shape, self.strides, strict=True):
            places = (places[:, None] + np.arange(length) * stride).reshape(-1)
        return places


def arrays_among(
    args: tuple[object, ...], names: tuple[str, ...] = ()
) -> tuple[ArrayLayout | None, ...]:
    """What is known of each argument of a launch, whose parameters have these names; None for what
    is no array."""
    first: dict[int, int] = {}
    return tuple(
        described(arg, first.setdefault(id(owner_of(arg)), number), name)
        if isinstance(arg, np.ndarray)
        else None
        for number, (arg, name) in enumerate(zip_longest(args, names[: len(args)], fillvalue=""))
    )


def described(array: np.ndarray, buffer: int, name: str) -> ArrayLayout:
    """What is known of an array whose memory is called `buffer`."""
    return ArrayLayout(
        array.shape,
        array.dtype,
        array.strides,
        buffer,
        offset=array.ctypes.data - owner_of(array).ctypes.data,
        name=name,
    )


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
        if hit.space not in ("global", "shared", "local") or access.bulk:
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
        lane, wave = lane_index(lanes), self.wave
        return lane[: 0 if wave.first_block else int(np.searchsorted(lane, wave.geometry.stride))]


Kind = Callable[[FindingReport], Observer]  # makes the observer of a launch; as a rule its class


@dataclass
class Run:
    """What was seen of the launches inside `observe`. `steps` counts the instructions that the
    machine executed, each once for all the threads that stood at it together. `observers` are
    those that were asked for, one of each kind for each launch; `counted`: whether counters and
    trace are kept, which takes as long as the launch itself; `traced`: whether the trace is.
    `source` and `arrays` (for each argument, None if it is no array) are for pictures, and are set
    by whoever launches for them. `causes` are those of the hazards that were tolerated: what the
    threads did and to what, without a line or a number of it."""

    hazards: list[HazardReport] = field(default_factory=list)
    counters: Counters = field(default_factory=Counters)
    trace: Trace = field(default_factory=Trace)
    output: Output = field(default_factory=Output)
    steps: int = 0
    kinds: Sequence[Kind] = ()
    counted: bool = True
    traced: bool = True
    observers: list[Observer] = field(default_factory=list)
    source: str = ""
    arrays: tuple[ArrayLayout | None, ...] = ()
    causes: set[str] = field(default_factory=set)

    @property
    def printed(self) -> str:
        """What the kernels printed."""
        return self.output.text

    def __repr__(self) -> str:
        return (
            f"<run: events traced: {len(self.trace.events)}, hazards: {len(self.hazards)}; "
            "see .counters.total, .hazards, .printed, .trace.events>"
        )


_run: ContextVar[Run | None] = ContextVar("run", default=None)
current_run = _run.get


@contextmanager
def observe(
    blocks: int = 1, observers: Sequence[Kind] = (), counted: bool = True, traced: bool = True
) -> Iterator[Run]:
    """Collects hazards, counters, trace and printed text of the launches in the block. Of the
    first `blocks` blocks of a grid the trace holds what they did with global memory. `observers`:
    classes of further observers, which each launch gets one of; without `counted` there are no
    counters and no trace, without `traced` no trace."""
    run = Run(trace=Trace(blocks), kinds=observers, counted=counted, traced=counted and traced)
    token = _run.set(run)
    try:
        yield run
    finally:
        _run.reset(token)
