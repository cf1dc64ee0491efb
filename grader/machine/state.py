"""The blocks of a launch that run at once: their registers, their memory, and who hears of them.

Registers (an array for each, an element per lane), PTX's special registers, and the stack frames
of functions that call themselves.

Calls of device functions: argument slots, return addresses, frames.

A call's arguments travel in `.param` slots, one row of bytes per lane. A function's registers
exist once, so one that may be running already has its caller's copies kept aside, by depth.

A launch, ready to run, and how it is to run: what is looked for, in which order threads go, how
long it may take.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import numpy as np

from ..cuda.errors import OutOfBounds
from ..cuda.limits import DEFAULT, architecture
from ..ptx.link import Executable, Group, Places, Seen
from ..ptx.numbers import DTYPES, size_of, stored, unsigned
from ..ptx.program import (
    SINK,
    Address,
    Carries,
    Immediate,
    Instruction,
    Negated,
    Operand,
    Register,
    Symbol,
    Transfer,
    address_of,
    require,
    several,
    symbol_of,
)
from .lanes import (
    WARP,
    Dense,
    Geometry,
    Lanes,
    Step,
    Successors,
    by_value,
    coordinates,
    count,
    lane_index,
    merge,
    seen_by_all,
    warp_masks,
)
from .memory.access import Access, LaneValues, PendingCopies, WaveMemory
from .memory.spaces import (
    LOCAL_WINDOW,
    SHARED_WINDOW,
    Fault,
    GlobalSpace,
    Heap,
    LocalLayout,
    PrivateSpace,
)
from .naming import MemoryNames
from .printf import Output, template
from .schedule import Schedule


class RegisterFile(dict[Seen, list[np.ndarray]]):
    """Registers are stored as unsigned integers (predicates as bool) and seen through views of
    whatever type an instruction wants, so a move between types costs nothing. Those of one group
    are the rows of one array, of which all views are made at once. `kinds`: the type of each that
    is declared."""

    def __init__(self, kinds: dict[str, str], places: Places, lanes: int):
        self.kinds, self.places, self.lanes = kinds, places, lanes
        self._groups: dict[Group, np.ndarray] = {}
        self._alone: dict[str, np.ndarray] = {}  # what no instruction names

    def __missing__(self, seen: Seen) -> list[np.ndarray]:
        group, dtype = seen.group, seen.dtype
        if group not in self._groups:
            self._groups[group] = np.zeros((group.size, self.lanes), group.dtype)
        # The low bytes of each register, which come first.
        self[seen] = list(
            self._groups[group].view(dtype)[..., :: group.dtype.itemsize // dtype.itemsize]
        )
        return self[seen]

    def storage(self, name: str) -> np.ndarray:
        if name in self.places.groups:
            dtype = self.places.groups[name][0].dtype
            kind = "pred" if dtype.kind == "b" else f"b{8 * dtype.itemsize}"
            return self.read(Register(name), kind)
        if name not in self._alone:
            kind = self.kinds.get(name, "b64")  # only the sink `_` is not declared
            self._alone[name] = np.zeros(self.lanes, stored(kind))
        return self._alone[name]

    def read(self, operand: Operand, kind: str) -> np.ndarray:
        """The operand as an array (lanes,) of PTX type `kind`. A register wider than the type
        shows its low part; an immediate is one value seen by every lane. Malformed if it is
        neither, or too small a register."""
        if isinstance(operand, Immediate):
            return seen_by_all(literal(operand, kind), self.lanes)
        seen, number = self.places.read(operand, kind)
        return self[seen][number]

    def write(self, register: Operand, kind: str) -> np.ndarray:
        """The array to assign results of type `kind` to. What goes to the sink is lost. Malformed
        if it is no register, or too small a one."""
        if register == SINK:
            return np.empty(self.lanes, DTYPES[kind])
        seen, number = self.places.written(register, kind)
        return self[seen][number]


def literal(operand: Immediate, kind: str) -> np.ndarray:
    """An immediate as a 0-d array of PTX type `kind`; Malformed for a fraction as an integer."""
    dtype, value = DTYPES[kind], operand.value
    require(
        operand.float_width in (0, dtype.itemsize) or dtype.kind == "f",
        "number_with_a_point",
        kind=kind,
    )
    if operand.float_width and operand.float_width != dtype.itemsize:
        return np.array(value, np.uint64).view(np.float64).astype(dtype)
    return (
        np.array(bool(value))
        if kind == "pred"
        else np.array(value & ((1 << 8 * dtype.itemsize) - 1), unsigned(dtype.itemsize)).view(dtype)
    )


GRID_WORKSPACE = 0x2000_0000_0000  # where a cooperative launch keeps its grid barrier
_PER_BLOCK = ("%ctaid", "%nctaid", "%smid", "%clusterid", "%cluster_cta")

CLOCKS = {  # and which bits of the clock each holds
    "%clock": 0,
    "%clock_hi": 32,
    "%clock64": 0,
    "%globaltimer": 0,
    "%globaltimer_lo": 0,
    "%globaltimer_hi": 32,
}


@dataclass(eq=False)
class Derived:
    """An operand whose values are worked out, by `of(lanes)`, whenever they are read."""

    of: Callable[[Lanes], np.ndarray]

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return self.of(lanes)


_ALL = 0xFFFFFFFF


class SpecialRegisters:
    """Arrays (lanes,) of uint32, made when first asked for; those that depend on the block are
    refilled in place when a wave begins. `thread` and `block`: those of each lane, by number.

    A clock says, whenever it is read, how many steps have been taken: `now()`. It tells before
    from after, not how long hardware would take."""

    def __init__(self, geometry: Geometry, cooperative: bool, sms: int, now: Callable[[], int]):
        self.geometry, self.now = geometry, now
        self.sms, self.cooperative = sms, cooperative
        self.thread, self.block = geometry.thread_of_lane, geometry.block_of_lane
        self._arrays: dict[str, np.ndarray] = {}

    def read(self, name: str, kind: str) -> np.ndarray | Derived | None:
        """The register called e.g. "%tid.x" as integers of PTX type `kind`; None if there is no
        such register."""
        dtype = unsigned(size_of(kind))
        if name in CLOCKS:
            return Derived(
                lambda lanes: np.full(count(lanes), np.uint64(self.now() >> CLOCKS[name])).astype(
                    dtype
                )
            )
        if name.partition(".")[0] not in _VALUES:
            return None
        if name not in self._arrays:
            full = np.broadcast_to(np.asarray(self._values(name), np.uint32), self.geometry.lanes)
            self._arrays[name] = full.copy() if name.startswith(_PER_BLOCK) else full
        array = self._arrays[name]
        return array.view(np.int32) if kind == "s32" else array.astype(dtype, copy=False)

    def begin_wave(self, first_block: int) -> None:
        self.block = first_block + self.geometry.block_of_lane
        for name, array in self._arrays.items():
            if name.startswith(_PER_BLOCK):
                array[:] = self._values(name)

    def _values(self, name: str) -> np.ndarray | int:
        base, _, axis = name.partition(".")
        return _VALUES[base](self, "xyz".find(axis) if axis else 0)


# Each value by lane, or the one that all lanes have, of an axis: 0, 1 or 2 for x, y or z.
_VALUES: dict[str, Callable[[SpecialRegisters, int], np.ndarray | int]] = {
    "%tid": lambda of, axis: coordinates(of.thread, of.geometry.block)[axis],
    "%ntid": lambda of, axis: of.geometry.block[axis],
    "%ctaid": lambda of, axis: of.geometry.block_coordinates(of.block)[axis],
    "%nctaid": lambda of, axis: of.geometry.grid_of(of.block)[axis],
    "%laneid": lambda of, _: of.thread & WARP - 1,
    "WARP_SZ": lambda of, _: WARP,  # what `warpSize` is where it must be a constant
    "%warpid": lambda of, _: of.thread // WARP,
    "%nwarpid": lambda of, _: of.geometry.stride // WARP,
    "%smid": lambda of, _: of.block % of.sms,
    "%nsmid": lambda of, _: of.sms,
    "%gridid": lambda of, _: 1,
    "%lanemask_eq": lambda of, _: 1 << of.thread % WARP,
    "%lanemask_lt": lambda of, _: (1 << of.thread % WARP) - 1,
    "%lanemask_le": lambda of, _: (2 << of.thread % WARP) - 1,
    "%lanemask_gt": lambda of, _: _ALL & ~((2 << of.thread % WARP) - 1),
    "%lanemask_ge": lambda of, _: _ALL & ~((1 << of.thread % WARP) - 1),
    "%clusterid": lambda of, axis: coordinates(
        of.block // of.geometry.cluster_blocks, of.geometry.clusters
    )[axis],
    "%nclusterid": lambda of, axis: of.geometry.clusters[axis],
    "%cluster_ctaid": lambda of, axis: coordinates(
        of.block % of.geometry.cluster_blocks, of.geometry.cluster
    )[axis],
    "%cluster_nctaid": lambda of, axis: of.geometry.cluster[axis],
    "%cluster_ctarank": lambda of, _: of.block % of.geometry.cluster_blocks,
    "%cluster_nctarank": lambda of, _: of.geometry.cluster_blocks,
    "%is_explicit_cluster": lambda of, _: of.geometry.cluster_blocks > 1,
    "%envreg1": lambda of, _: GRID_WORKSPACE >> 32 if of.cooperative else 0,
    "%envreg2": lambda of, _: GRID_WORKSPACE & _ALL if of.cooperative else 0,
}


class Frames:
    """By function that calls itself, where the frame of each lane begins in local memory."""

    def __init__(self, layout: LocalLayout, lanes: int):
        self.offsets = layout.frame_offsets  # by local variable: its function, its place in a frame
        self.begins = {name: np.zeros(lanes, np.int64) for name in layout.frame_sizes}
        self._sizes, self._stack = layout.frame_sizes, layout.stack
        self._top = np.full(lanes, layout.stack, np.int64)

    def begin_wave(self) -> None:
        """No lane has called anything yet."""
        self._top[:] = self._stack

    def framed(self, symbol: str) -> Derived:
        """The address of a local variable of a function that calls itself, for every lane: in the
        current frame, for frames come and go."""
        function, offset = self.offsets[symbol]
        return Derived(lambda lanes: self.begins[function][lanes] + offset)

    def push(self, name: str, lanes: Lanes) -> np.ndarray:
        """A new frame for each lane; where the stacks of the lanes end with it, in bytes."""
        self.begins[name][lanes] = self._top[lanes]
        self._top[lanes] += self._sizes[name]
        return self._top[lanes]

    def pop(self, name: str, lanes: Lanes) -> None:
        """The lanes leave their last frame."""
        self._top[lanes] -= self._sizes[name]


@dataclass(frozen=True)
class Options:
    """`checks`: look for races, uninitialised reads and divergence (bounds and alignment are
    always checked). `step_limit`: instruction steps a wave of blocks may take; an instruction that
    runs for many threads at once counts as several. `order`: "lockstep" runs warps side by side,
    fastest; "forwards" and "backwards" run groups that have parted one after the other, the first
    or the last threads of the grid first; "shuffled" one warp after the other from barrier to
    barrier, in a random order drawn from `seed`, so that a race not only is reported but shows;
    "highest block first" and "block N last" one block after the other, each as far as it gets,
    "warps by chance" one warp after the other, wherever one may notice what another does.
    `architecture`: whose launch limits hold, e.g. "sm_80". `blocks`: the runs of blocks, by their
    numbers, that are executed; none means all of the grid. `tolerated`: the status of hazards that
    stop no launch; `Run.causes` then says what they are."""

    checks: bool = True
    step_limit: int = 2_000_000
    order: str = "lockstep"
    seed: int = 0
    architecture: str = DEFAULT
    blocks: tuple[range, ...] = ()
    tolerated: str = ""


_options: ContextVar[Options | None] = ContextVar("options", default=None)


@contextmanager
def options(**changes: Any) -> Iterator[None]:
    """Changes `Options` for the launches in the block, e.g. `options(checks=False)`."""
    token = _options.set(replace(current_options(), **changes))
    try:
        yield
    finally:
        _options.reset(token)


def current_options() -> Options:
    return _options.get() or Options()


@dataclass(frozen=True)
class PreparedLaunch:
    """A launch, ready to run: what to execute, on how many threads, with which memory.

    `constants` are the parameters that point to const; `names` knows what memory is called in the
    source; `flat` is global memory with constants and parameters; `symbols` gives the address of
    every variable and parameter; `output` takes what is printed.
    """

    program: Executable
    constants: frozenset[str]
    layout: LocalLayout
    names: MemoryNames
    geometry: Geometry
    heap: Heap
    flat: GlobalSpace
    shared: PrivateSpace
    local: PrivateSpace
    symbols: dict[str, int]
    options: Options
    output: Output
    cooperative: bool


class WaveState(WaveMemory):
    """What the lanes of a wave hold, whoever runs them. A lane is the place of a thread: block by
    block, each with whole warps. `running`: by lane, whether a thread is there that has not left;
    `live`: by block, how many; `results`: by call, the slot that its result goes to."""

    def __init__(self, job: PreparedLaunch, schedule: Schedule):
        self.job, self.program, self.linked = job, job.program, job.program.linked
        self.kernel = self.linked.function
        self.constants, self.names, self.output = job.constants, job.names, job.output
        self.geometry, self.heap, self.symbols = job.geometry, job.heap, job.symbols
        self.flat, self.shared, self.local = job.flat, job.shared, job.local
        self.device = architecture(job.options.architecture)
        self.schedule = schedule
        self.registers = RegisterFile(self.kernel.registers, job.program.places, job.geometry.lanes)
        self.special = SpecialRegisters(
            job.geometry, job.cooperative, self.device.sms, lambda: self.steps_taken
        )
        self.dense = Dense()
        self.forget_copies()
        self.frames = Frames(job.layout, job.geometry.lanes)
        self.results: dict[int, str | None] = {}
        self.steps_taken = 0  # instructions of straight runs, so far
        self.first_block, self.running = 0, np.zeros(job.geometry.lanes, bool)
        self.live = np.zeros(job.geometry.wave_blocks, np.int64)

    def forget_copies(self) -> None:
        """Nothing is on its way: copies into shared memory; products; and of bulk copies to global
        memory what they read, and what they write."""
        self.copies, self.products, *self.outgoing = (
            PendingCopies(self.geometry.lanes) for _ in range(4)
        )

    def standing_at(self, places: set[int]) -> np.ndarray:
        """The lanes whose turn would come at one of these instructions, as an index array."""
        parts = [lanes for at, lanes in self.schedule.groups() if at in places]
        return lane_index(merge(parts)) if parts else np.zeros(0, np.int64)

    def present(self, index: np.ndarray) -> np.ndarray:
        """Per warp, the mask of its lanes that are in `index`."""
        return warp_masks(index, self.geometry.warps)

    def spin(self) -> None:
        """Threads have made an access that a thread which waits for another makes."""
        self.schedule.spins += 1

    def read(self, operand: Operand, kind: str) -> LaneValues:
        """An operand as an array (lanes,) of PTX type `kind`. Malformed if it cannot be that."""
        if isinstance(operand, Negated):
            require(kind == "pred", "type_of_a_negation", kind=kind)
            predicate = self.registers.read(operand.register, "pred")
            return Derived(lambda lanes: ~predicate[lanes])
        if not isinstance(operand, Symbol):
            return self.registers.read(operand, kind)
        name = operand.name
        require(DTYPES[kind].kind in "ui", "no_value", name=name, kind=kind)
        if name in self.frames.offsets:
            return self.frames.framed(name)
        return (
            special
            if (special := self.special.read(name, kind)) is not None
            else self._lies_at(name, self.address_of(name), unsigned(size_of(kind)))
        )

    def _lies_at(self, name: str, address: int, dtype: np.dtype) -> LaneValues:
        """The address of what is called so (""; an address that is a number), by lane."""
        fixed, moved = np.array(address, np.int64), self.flat.moved.get(name)
        return (
            seen_by_all(fixed.astype(dtype), self.geometry.lanes)
            if moved is None
            else Derived(lambda lanes: (fixed + moved[lanes]).astype(dtype))
        )

    def address_of(self, name: str) -> int:
        """Where a variable, a parameter or a function lies; Malformed for any other name."""
        require(name in self.symbols, "nothing_of_that_name", name=name)
        return self.symbols[name]

    def access(self, transfer: Transfer, operand: Operand, at: int, verb: str = "") -> Access:
        """The access of the instruction at index `at` to the address that `operand` names."""
        access = Access(transfer, at, self._start(address_of(operand)), self, verb)
        reached = self.program.memory_use.targets.get(at)
        access.constant = reached is not None and bool(reached) and reached <= self.constants
        return access

    def _start(self, operand: Address) -> tuple[LaneValues, int]:
        """The address's base for each lane, and its offset in bytes."""
        name, offset = operand.base and operand.base.name, operand.offset
        if isinstance(operand.base, Register):
            if self.registers.storage(operand.base.name).itemsize != 4:
                return self.registers.read(operand.base, "s64"), offset
            # The sum wraps at 32 bits, as the hardware's does; its upper half lies before 0.
            narrow, added = self.registers.read(operand.base, "u32"), np.uint32(offset & 0xFFFFFFFF)
            return Derived(lambda lanes: (narrow[lanes] + added).view(np.int32).astype(np.int64)), 0
        if name in self.frames.offsets:
            return self.frames.framed(name), offset
        fixed = (self.address_of(name) if name else 0) + offset
        return self._lies_at(name or "", fixed, np.dtype(np.int64)), 0


PRINTED_TOGETHER = 1024  # threads at a time, so that a full buffer is noticed


class Calls:
    """`slots` maps a parameter of a call or function to its bytes, a row per lane. `carried`:
    these, and what is kept beside their bytes in arrays of the same shapes (`shadow`), and goes
    where they go."""

    def __init__(self, wave: WaveState):
        self.wave, self.linked = wave, wave.linked
        lanes = wave.geometry.lanes
        self.slots = self._of_slots(np.uint8)
        self.carried, self.depth = [self.slots], np.zeros(lanes, np.int32)
        # By depth: the call each lane is to return to, and what recursion would overwrite.
        self.sites: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(lanes, np.int64))
        self.kept: dict[int, dict[str, np.ndarray]] = defaultdict(dict)

    def enter(self, lanes: Lanes, at: int, name: str, arguments: list[str]) -> int:
        """Lanes at the call at `at` go into function `name`; where it starts."""
        part, caller = self.linked.parts[name], self.linked.owner[at]
        for depth, group in by_value(lanes, self.depth[lanes]):
            self.sites[depth][group] = at
            if self.linked.parts[caller].recursive:
                for kept, values in self._state(caller, self.kept[depth]):
                    kept[group] = values[group]
        for (parameter, slot), slots in product(
            zip(part.function.parameters, arguments, strict=True), self.carried
        ):
            slots[parameter.name][lanes, : slots[slot].shape[1]] = slots[slot][lanes]
        if name in self.wave.frames.begins:
            over = self.wave.frames.push(name, lanes) > self.wave.local.size
            if over.any():
                raise self.wave.report.error(
                    OutOfBounds,
                    at,
                    int(lane_index(lanes)[np.argmax(over)]),
                    "stack_overflow",
                    calls=int(self.depth[lanes].max()) + 1,
                )
        self.depth[lanes] += 1
        return part.entry

    def leave(self, lanes: Lanes, name: str, results: dict[int, str | None]) -> Successors:
        """Lanes return from function `name`; `results` gives the slot that each call puts the
        result in. Returns where they go on."""
        handed = [
            (slots, slots[one.name].copy())
            for slots in self.carried
            for one in self.linked.parts[name].function.results[:1]
        ]
        if name in self.wave.frames.begins:
            self.wave.frames.pop(name, lanes)
        self.depth[lanes] -= 1
        onward = []
        for depth, group in by_value(lanes, self.depth[lanes]):
            for at, back in by_value(group, self.sites[depth][group]):
                caller = self.linked.owner[at]
                if self.linked.parts[caller].recursive:
                    for kept, values in self._state(caller, self.kept[depth]):
                        values[back] = kept[back]
                if slot := results.get(at):
                    for slots, value in handed:
                        slots[slot][back] = value[back, : slots[slot].shape[1]]
                onward.append((at + 1, back))
        return tuple(onward)

    def shadow(self) -> dict[str, np.ndarray]:
        """Slots that are carried beside the others from now on, zeros as yet."""
        self.carried.append(self._of_slots(np.int32))
        return self.carried[-1]

    def move(self, instruction: Instruction, address: Operand, values: Operand) -> Step:
        """The step that loads `values` from the slot at `address`, or stores them there."""
        kind, where = instruction.form.type, address_of(address)
        size, slot = size_of(kind), self.slots[symbol_of(where.base)]
        parts = several(values, 1, 2, 4, 8)
        require(
            0 <= where.offset <= slot.shape[1] - size * len(parts),
            "beyond_a_parameter",
            size=slot.shape[1],
        )
        views = [
            slot[:, at : at + size].view(DTYPES[kind])[:, 0]
            for at in range(where.offset, where.offset + size * len(parts), size)
        ]
        loads, registers = instruction.form.carries is Carries.LOADED, self.wave.registers
        moves: list[tuple[np.ndarray, LaneValues]] = [
            (registers.write(part, kind), view) if loads else (view, self.wave.read(part, kind))
            for part, view in zip(parts, views, strict=True)
        ]

        def step(lanes: Lanes) -> None:
            for to, source in moves:
                to[lanes] = source[lanes]

        return step

    def text(self, address: int, lane: int, at: int) -> str:
        """The C string at a generic address, which a lane reads by the call at `at`."""
        data, offset = self._bytes(address, lane, at)
        return bytes(data[offset : offset + 4096]).partition(b"\0")[0].decode(errors="replace")

    def words(self, slot: str, lanes: np.ndarray) -> np.ndarray:
        """The 64-bit values that the lanes put into a slot."""
        return self.slots[slot][lanes, :8].copy().view(np.uint64)[:, 0]

    def print(self, formats: np.ndarray, arguments: np.ndarray, lanes: np.ndarray, at: int) -> None:
        """What the `printf` at `at` prints for some lanes, in their order; two addresses a lane."""
        changed = (formats[1:] != formats[:-1]) | (arguments[1:] != arguments[:-1])
        for start, end in pairwise([0, *(np.flatnonzero(changed) + 1).tolist(), len(lanes)]):
            for first in range(start, end, PRINTED_TOGETHER):
                if self.wave.output.full:
                    return
                self._print_alike(
                    int(formats[start]),
                    int(arguments[start]),
                    lanes[first : min(first + PRINTED_TOGETHER, end)],
                    at,
                )

    def _print_alike(self, formats: int, arguments: int, lanes: np.ndarray, at: int) -> None:
        """What lanes print whose format is the same and whose arguments lie at one address."""
        made = template(self.text(formats, int(lanes[0]), at))
        self.wave.output.add(
            "".join(
                made.filled(
                    self._packed(arguments, lanes, made.layout.size, at),
                    lambda number, address: self.text(address, int(lanes[number]), at),
                )
            )
        )

    def _packed(self, address: int, lanes: np.ndarray, size: int, at: int) -> bytes:
        """`size` bytes from a generic address on, for each lane; zeros where there is no more."""
        rows, local = np.zeros((len(lanes), size), np.uint8), self.wave.local
        if LOCAL_WINDOW <= address < LOCAL_WINDOW + local.size:
            at = address - LOCAL_WINDOW + np.arange(min(size, LOCAL_WINDOW + local.size - address))
            rows[:, : len(at)] = local.store.data[local.base[lanes][:, None] + at]
        elif address:
            data, offset = self._bytes(address, int(lanes[0]), at)
            found = data[offset : offset + size]
            rows[:, : len(found)] = found
        return rows.tobytes()

    def _of_slots(self, dtype: type) -> dict[str, np.ndarray]:
        return {
            one.name: np.zeros((self.wave.geometry.lanes, one.size), dtype)
            for one in self.linked.passed.values()
        }

    def _state(
        self, name: str, kept: dict[str, np.ndarray]
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(copy kept aside, the array in use) of everything that is function `name`'s own."""
        for key, values in {
            **{
                register: self.wave.registers.storage(register)
                for register in self.linked.parts[name].function.registers
            },
            **{
                f"{slot} {number}": values
                for number, slots in enumerate(self.carried)
                for slot, values in slots.items()
                if slot.startswith(f"{name}::")
            },
            "frame": self.wave.frames.begins[name],
        }.items():
            key = f"{name} {key}"
            if key not in kept:
                kept[key] = np.zeros_like(values)
            yield kept[key], values

    def _bytes(self, address: int, lane: int, at: int) -> tuple[np.ndarray, int]:
        """The memory behind a lane's generic address, and where in it that is."""
        for window, memory in ((LOCAL_WINDOW, self.wave.local), (SHARED_WINDOW, self.wave.shared)):
            if window <= address < window + memory.size:
                start = int(memory.base[lane])
                return memory.store.data[start : start + memory.pitch], address - window
        try:
            store = self.wave.flat.locate(
                np.array([address], np.uint64).view(np.int64), 1, np.array([lane])
            )[0][0]
        except Fault as fault:
            raise self.wave.report.access_error(fault, at, np.array([lane]), "reads", 1) from None
        return store.data, address - store.address
