"""A launch played back: what some of its blocks did, step by step, as plain data."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..ptx.assigned import Result

READY, AT_BARRIER, AT_WARP, GONE = range(4)  # what a thread is at when it does not run
Cell = tuple[int, int, int, int]  # what a thread touches: memory, owner, offset, width


@dataclass(frozen=True)
class Part:
    """A variable or array argument in a memory: where it begins and how long it is, in bytes; its
    elements, if they are known, and how many along each dimension after the first."""

    name: str
    start: int
    size: int
    dtype: np.dtype | None
    inner: tuple[int, ...] = ()


@dataclass(frozen=True)
class Memory:
    """A block's shared memory, or a buffer of global memory, which begins `phase` bytes after the
    start of a sector."""

    space: str
    parts: tuple[Part, ...]
    phase: int = 0

    def dtype_at(self, offsets: np.ndarray) -> np.dtype | None:
        """What the elements at these byte offsets are, if that is known and the same for all."""
        for part in self.parts:
            if part.start <= offsets.min() and offsets.max() < part.start + part.size:
                return part.dtype
        return None


@dataclass(frozen=True, eq=False)
class Assigned:
    """What a line left for others: `values` (threads,), by thread."""

    result: Result
    threads: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Touch:
    """An access: `kind` is "load", "store" or "atomic"; `memory` counts in `Recording.memories`;
    `offsets` in bytes, `width` bytes a thread; `values` (threads, elements) as they lie there
    afterwards; `owner`: by thread, whose block's shared memory it is (a position in
    `Recording.blocks`)."""

    kind: str
    memory: int
    threads: np.ndarray
    offsets: np.ndarray
    width: int
    values: np.ndarray
    owner: np.ndarray


@dataclass(frozen=True, eq=False)
class Shuffle:
    """Each of `threads` received `values` from the thread at the same place in `source`."""

    threads: np.ndarray
    source: np.ndarray
    values: np.ndarray


@dataclass(eq=False)
class Frame:
    """One step. Threads are counted through the recorded blocks, each as many as whole warps have.
    `caught_up` are the last stores to shared memory in steps left out just before; `passed` those
    who went on from a barrier; `state` (threads,) what each is at afterwards; `hazards` count in
    `Run.hazards`. `first` to `last` are instructions."""

    number: int
    line: int
    first: int
    last: int
    threads: np.ndarray
    assigned: list[Assigned] = field(default_factory=list)
    touches: list[Touch] = field(default_factory=list)
    shuffles: list[Shuffle] = field(default_factory=list)
    caught_up: list[Touch] = field(default_factory=list)
    passed: list[np.ndarray] = field(default_factory=list)
    parted: bool = False
    state: np.ndarray = field(default_factory=lambda: np.empty(0, np.uint8))
    hazards: list[int] = field(default_factory=list)

    @property
    def weight(self) -> int:
        """How many numbers it holds, about."""
        sets: tuple[Assigned | Touch | Shuffle, ...]
        sets = (*self.assigned, *self.touches, *self.shuffles)
        return len(self.threads) // 8 + sum(one.values.size for one in sets)


@dataclass(eq=False)
class Recording:
    """Of one launch: `blocks` are the numbers of those recorded, of `launched`; `stride` threads
    are counted for each, `threads` of them real; `block`, `grid` the launch's shape. `steps` is
    how many there were, `frames` those kept."""

    kernel: str
    source: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    blocks: tuple[int, ...]
    indices: tuple[tuple[int, int, int], ...]
    launched: int
    threads: int
    stride: int
    memories: list[Memory] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    steps: int = 0
