"""A launch played back: what some of its blocks did, step by step, as plain data."""

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ..ptx.assigned import Result

READY, AT_BARRIER, AT_WARP, GONE = range(4)  # what a thread is at when it does not run
ALL_STEPS, STEPS_A_LEVEL = 600, 300  # kept: all of the first, then as many before every thinning
ALL_VALUES, VALUES_A_LEVEL = 150_000, 25_000  # numbers in them, likewise
AROUND = 30  # steps kept before and after what went wrong, and at the end
Cell = tuple[int, int, int, int]  # what a thread touches: memory, owner, offset, width


@dataclass(frozen=True)
class MemoryPart:
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
    parts: tuple[MemoryPart, ...]
    phase: int = 0

    def dtype_at(self, offsets: np.ndarray) -> np.dtype | None:
        """What the elements at these byte offsets are, if that is known and the same for all."""
        return next(
            (
                part.dtype
                for part in self.parts
                if part.start <= offsets.min() and offsets.max() < part.start + part.size
            ),
            None,
        )


@dataclass(frozen=True, eq=False)
class Assigned:
    """What a line left for others: `values` (threads,), by thread."""

    result: Result
    threads: np.ndarray
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Touch:
    """An access: `kind` is "load", "store" or "atomic"; `memory` counts in `Recording.memories`;
    `offsets` in bytes, `width` bytes per thread; `values` (threads, elements) as they lie there
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
    def told(self) -> tuple[Assigned | Touch | Shuffle, ...]:
        """All that has values by thread."""
        return (*self.assigned, *self.touches, *self.shuffles)

    @property
    def weight(self) -> int:
        """How many numbers it holds, about."""
        return len(self.threads) // 8 + sum(one.values.size for one in self.told)


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


class Thinning:
    """Which steps of a long run a recording keeps: `frames` grows by them."""

    def __init__(self, frames: list[Frame]):
        self.frames = frames
        self.every = 1
        self.room, self.values = ALL_STEPS, ALL_VALUES
        self.last_hazard = -AROUND - 1
        self.latest: deque[tuple[Frame, bool]] = deque()  # undecided, and whether it is one to keep
        self.missed: dict[Cell, tuple[int, np.ndarray]] = {}  # what the frames left out stored last

    def take(self, frame: Frame) -> None:
        if frame.hazards:
            self.last_hazard = frame.number
        near = frame.number - self.last_hazard <= AROUND and len(self.frames) < 4 * ALL_STEPS
        if near or frame.hazards:
            self.flush()
            self._keep(frame)
            return
        self.latest.append((frame, frame.number % self.every == 0))
        if len(self.latest) > AROUND:
            oldest, kept = self.latest.popleft()
            (self._keep if kept else self._leave_out)(oldest)

    def flush(self) -> None:
        """Keep the latest frames, whatever would have become of them."""
        for frame, _ in self.latest:
            self._append(frame)
        self.latest.clear()

    def _keep(self, frame: Frame) -> None:
        self._append(frame)
        self.room, self.values = self.room - 1, self.values - frame.weight
        if self.room <= 0 or self.values <= 0:
            self.every *= 2
            self.room, self.values = STEPS_A_LEVEL, VALUES_A_LEVEL

    def _append(self, frame: Frame) -> None:
        for (memory, owner, offset, width), (thread, values) in self.missed.items():
            where = np.array([thread]), np.array([offset]), width, values[None, :]
            frame.caught_up.append(Touch("store", memory, *where, np.array([owner])))
        self.missed = {}
        self.frames.append(frame)

    def _leave_out(self, frame: Frame) -> None:
        for touch in (*frame.caught_up, *frame.touches):
            for row, thread in enumerate(touch.threads.tolist() if touch.kind != "load" else ()):
                key = touch.memory, int(touch.owner[row]), int(touch.offsets[row]), touch.width
                self.missed.pop(key, None)  # so that the latest comes last
                self.missed[key] = thread, touch.values[row]
