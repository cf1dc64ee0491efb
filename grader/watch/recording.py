"""What some blocks of a launch did, step by step, with values: enough to play it again.

A step is a stretch of instructions of one source line that the same threads pass together. A
recording is bounded: all of its first steps are kept, of later ones every second, fourth, eighth,
... and those around what went wrong; `Recording.steps` says how many there were.
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from ..compilers.parameters import DTYPES as DECLARED
from ..cuda.errors import CudaError
from ..machine.events import Observer
from ..machine.lanes import Geometry, Index, Lanes, Step, Successors, lane_index
from ..machine.memory.access import Access, Accessed, Hit
from ..machine.memory.spaces import Store
from ..machine.naming import plain
from ..machine.wave import Wave
from ..ptx.link import Result
from ..ptx.numbers import DTYPES, unsigned
from ..ptx.program import Flow, Instruction
from .counters import SECTOR
from .findings import FindingReport
from .observe import Kind, Run

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
    `Run.hazards`. `last` is its last instruction so far."""

    number: int
    line: int
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
        self.frames, self.every = frames, 1
        self.room, self.values = ALL_STEPS, ALL_VALUES
        self.last_hazard = -AROUND - 1
        self.latest: deque[tuple[Frame, bool]] = deque()  # undecided, and whether it is one to keep
        self.missed: dict[Cell, tuple[int, np.ndarray]] = {}  # what the frames left out stored last

    def take(self, frame: Frame) -> None:
        if frame.hazards:
            self.last_hazard = frame.number
        if frame.hazards or (
            frame.number - self.last_hazard <= AROUND and len(self.frames) < 4 * ALL_STEPS
        ):
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


_NOBODY = (np.empty(0, np.int64),) * 3
MOST_THREADS = 1024  # recorded, of whole blocks; but one block always is


def recording(blocks: Sequence[int | Index], most: int = MOST_THREADS) -> Kind:
    """What `observe(observers=[...])` takes, to record these blocks: as many of them as have `most`
    threads in all, but one always."""
    return partial(Recorder, wanted=blocks, most=most)


def recordings(run: Run) -> list[Recording]:
    """What was recorded of each launch of a run."""
    return [one.recording for one in run.observers if isinstance(one, Recorder)]


class Recorder(Observer):
    """Records the `wanted` blocks of a launch, each given by its number or its blockIdx, up to
    `most` threads."""

    def __init__(self, report: FindingReport, wanted: Sequence[int | Index], most: int):
        self.wave, self.hazards = report.wave, report.hazards
        wave, geometry, names = self.wave, self.wave.geometry, self.wave.names
        numbers = [one if isinstance(one, int) else _block_number(geometry, one) for one in wanted]
        blocks = tuple(one for one in numbers if one < geometry.blocks)[
            : max(1, most // geometry.stride)
        ]
        self.recording = Recording(
            names.kernel,
            names.source,
            geometry.grid,
            geometry.block,
            blocks,
            indices=tuple(geometry.block_coordinates(number) for number in blocks),
            launched=geometry.blocks,
            threads=geometry.threads,
            stride=geometry.stride,
        )
        self._numbers: dict[Store, int] = {}  # of what has been hit, in `Recording.memories`
        self.types = dict(wave.program.register_types)  # more comes to light as it runs
        self.results = wave.program.assigned
        self.state = np.zeros(len(blocks) * geometry.stride, np.uint8)
        self.state.reshape(-1, geometry.stride)[:, geometry.threads :] = GONE
        self.frame: Frame | None = None
        self.kept = Thinning(self.recording.frames)
        self.told = len(self.hazards)
        self._chosen = _NOBODY

    def begin_wave(self, first_block: int) -> None:
        """Which lanes of this wave hold a recorded block's threads."""
        geometry = self.wave.geometry
        self._last: Lanes | None = None
        self._slots = np.full(geometry.wave_blocks, -1)
        for slot, number in enumerate(self.recording.blocks):
            if 0 <= number - first_block < geometry.wave_blocks:
                self._slots[number - first_block] = slot
        slot = self._slots[geometry.block_of_lane]
        self._thread_of_lane = np.where(
            slot >= 0, slot * geometry.stride + geometry.thread_of_lane, -1
        )

    def follow(self, at: int, step: Step) -> Step:
        """The step of the instruction at `at`, recorded; one on the way to others only where it is
        the last."""
        code, results = self.wave.kernel.instructions[at], self.results.get(at, ())
        touches = any(transfer.space != "param" for _, transfer in code.form.transfers)
        shown = results or touches or code.form.control

        def recorded(lanes: Lanes) -> Successors | None:
            _, mine, threads = self._among(lanes) if shown else _NOBODY
            frame = None
            if len(mine):
                acting = self._guarded(code, mine)
                frame = self._begin(at, code.line or 0, threads)
                self.state[threads] = READY
            try:
                onward: Successors | None = step(lanes)
            except CudaError:
                *_, threads = self._among(lanes)
                if len(threads):
                    frame = frame or self._begin(at, code.line or 0, threads)
                    self._leaving(threads)
                    self._notice(frame)
                raise
            if frame:
                for one in results if acting.any() else ():
                    known = replace(one, type=self.types[one.register])
                    values = self._column(one.register)[mine[acting]]
                    frame.assigned.append(Assigned(known, threads[acting], values))
                if code.form.control:
                    self._parked(frame, code, threads, onward)
                self._notice(frame)
            return onward

        return recorded

    def access(self, done: Accessed) -> None:
        access, hit, kind = done.access, done.hit, done.kind
        mine, _, threads = self._among(hit.lanes)
        if (
            hit.space not in ("shared", "global", "const", "local")
            or not len(mine)
            or self.frame is None
        ):
            return
        byte = hit.element[mine] << access.shift
        raw = np.ascontiguousarray(hit.store.data[byte[:, None] + np.arange(access.width)])
        owner, offsets = threads // self.recording.stride, byte
        if hit.space == "shared":
            memory = self.wave.shared
            owner, offsets = self._slots[byte // memory.pitch], memory.natural(byte % memory.pitch)
        number = self._number(hit)
        dtype = self._elements(number, offsets, access)
        if kind == "load":
            # Registers of which no more is known than how wide they are hold what was loaded.
            of_loaded = f"{dtype.kind.replace('i', 's')}{8 * dtype.itemsize}"
            vague = f"u{8 * dtype.itemsize}" if of_loaded in DTYPES else None
            loaded = self.wave.kernel.instructions[access.at].written
            self.types |= {name: of_loaded for name in loaded if self.types.get(name, "") == vague}
        self.frame.touches.append(
            Touch(kind, number, threads, offsets, access.width, raw.view(dtype), owner)
        )

    def shuffled(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        mine, recorded, threads = self._among(lanes)
        if len(mine) and self.frame is not None:
            code = self.wave.kernel.instructions[at]
            target = code.written[0]
            self.types[target] = self.types.get(next(iter(code.read), target), "u32")
            self.frame.shuffles.append(
                Shuffle(threads, threads + source[mine] - recorded, self._column(target)[recorded])
            )

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        *_, threads = self._among(lanes)
        if len(threads) and self.frame is not None:
            self.frame.passed.append(threads)
            self.state[threads] = READY

    def end(self) -> None:
        """What came to light at the very end belongs to the last step, or is one of its own: that
        at which nothing goes on."""
        frame, late = self.frame, self.hazards[self.told :]
        if frame is None:
            return
        if late and late[0].line not in (None, frame.line):
            self._close(frame)
            frame = self._next(frame.last, late[0].line or 0, np.empty(0, np.int64))
        self._notice(frame)
        self._close(frame)
        self.kept.flush()

    def _begin(self, at: int, line: int, threads: np.ndarray) -> Frame:
        """Go on with the step that is being recorded, or begin the next one."""
        if (now := self.frame) is not None:
            if (
                line in (now.line, 0)
                and now.last < at
                and not now.hazards
                and np.array_equal(now.threads, threads)
            ):
                now.last = at
                return now
            self._close(now)
        return self._next(at, line, threads)

    def _next(self, at: int, line: int, threads: np.ndarray) -> Frame:
        self.frame = Frame(self.recording.steps, line, at, threads)
        self.recording.steps += 1
        return self.frame

    def _close(self, frame: Frame) -> None:
        frame.state = self.state.copy()
        self.kept.take(frame)

    def _notice(self, frame: Frame) -> None:
        """Hazards that have come to light belong to the step that is being recorded."""
        frame.hazards.extend(range(self.told, len(self.hazards)))
        self.told = len(self.hazards)

    def _leaving(self, threads: np.ndarray) -> None:
        """Those of the threads that do not run any more are gone."""
        stride = self.wave.geometry.stride
        block = np.array(self.recording.blocks, np.int64)[threads // stride] - self.wave.first_block
        self.state[threads[~self.wave.running[block * stride + threads % stride]]] = GONE

    def _parked(
        self, frame: Frame, code: Instruction, threads: np.ndarray, onward: Successors | None
    ) -> None:
        """Threads that do not go on after a control instruction wait there, or have left."""
        groups = [self._among(group)[2] for _, group in onward or ()]
        self.state[threads] = AT_WARP if code.form.collective else AT_BARRIER
        for group in groups:
            self.state[group] = READY
        self._leaving(threads[self.state[threads] != READY])
        frame.parted |= sum(map(bool, map(len, groups))) > 1

    def _guarded(self, code: Instruction, lanes: np.ndarray) -> np.ndarray:
        """Which of the lanes an instruction's guard lets act."""
        return (
            np.ones(len(lanes), bool)
            if code.guard is None or code.form.flow is Flow.BRANCH
            else self.wave.registers.storage(code.guard.name)[lanes] != code.guard_negated
        )

    def _column(self, register: str) -> np.ndarray:
        """A register of all lanes, as what it holds."""
        storage = self.wave.registers.storage(register)
        dtype = DTYPES[self.types[register]]
        return storage.view(dtype if dtype.itemsize == storage.itemsize else storage.dtype)

    def _among(self, lanes: Lanes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The lanes that are recorded: their positions in the set, they, and as threads of the
        recording."""
        if lanes is not self._last:  # a group's set is the same for all of its straight run
            index = lane_index(lanes)
            threads = self._thread_of_lane[index]
            chosen = np.flatnonzero(threads >= 0)
            self._last, self._chosen = lanes, (chosen, index[chosen], threads[chosen])
        return self._chosen

    def _number(self, hit: Hit) -> int:
        """The position in `Recording.memories` of the memory that an access hits."""
        memories = self.recording.memories
        if hit.store not in self._numbers:
            self._numbers[hit.store] = len(memories)
            parts = _variables(self.wave) if hit.space == "shared" else _arrays(self.wave, hit)
            memories.append(Memory(hit.space, tuple(parts), hit.store.address % SECTOR))
        return self._numbers[hit.store]

    def _elements(self, memory: int, offsets: np.ndarray, access: Access) -> np.dtype:
        """What an access moves: elements as declared or else as the instruction has it."""
        known = next(
            (
                part.dtype
                for part in self.recording.memories[memory].parts
                if part.start <= offsets.min() and offsets.max() < part.start + part.size
            ),
            None,
        )
        if known is not None and access.width % known.itemsize == 0:
            return known
        kind = DTYPES.get(self.wave.kernel.instructions[access.at].form.type)
        return (
            kind
            if kind is not None and kind.itemsize == access.size and kind.kind != "b"
            else unsigned(min(access.size, 4))
        )


def _block_number(geometry: Geometry, block: Index) -> int:
    """The number of a block that is given by its blockIdx."""
    everywhere = np.stack(geometry.block_coordinates(np.arange(geometry.blocks)))
    return int(np.argmax((np.array(block) == everywhere.T).all(axis=1)))


def _variables(wave: Wave) -> list[MemoryPart]:
    """The variables in shared memory; of several at one place, the first."""
    memory = wave.shared
    parts: dict[int, MemoryPart] = {}
    for symbol, start in memory.symbols.items():
        one = wave.names.declared.find(plain(symbol), "shared")
        inner = one.dimensions[1:] if one else ()
        known = tuple(n for n in inner if n is not None)
        at, size = int(memory.natural(start)), memory.extent(start)
        shape = _dtype(one.type) if one else None, known if len(known) == len(inner) else ()
        parts.setdefault(at, MemoryPart(plain(symbol), at, size, *shape))
    return [parts[at] for at in sorted(parts) if parts[at].size]


def _arrays(wave: Wave, hit: Hit) -> list[MemoryPart]:
    """The array arguments that lie in a buffer, or the variable that it is."""
    store, size = hit.store, len(hit.store.data)
    if hit.space == "local":
        return [MemoryPart("its own memory", 0, size, None)]
    parts = [
        MemoryPart(
            one.name,
            start,
            size - start,
            dtype
            if (dtype := _dtype(one.type.replace("const", "").strip()))
            and dtype.itemsize == one.size
            else None,
        )
        for one in wave.names.arguments
        if 0 <= (start := one.address - store.address) < max(size, 1)
    ]
    name = plain(store.name)
    declared = wave.names.declared.find(name, "device")
    return parts or [MemoryPart(name, 0, size, _dtype(declared.type) if declared else None)]


def _dtype(name: str) -> np.dtype | None:
    return np.dtype(DECLARED[name]) if name in DECLARED else None
