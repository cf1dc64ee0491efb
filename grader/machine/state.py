"""The blocks of a launch that run at once: their registers, their memory, and who hears of them."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..cuda.limits import architecture
from ..ptx.numbers import DTYPES, size_of
from ..ptx.program import (
    Address,
    Malformed,
    Negated,
    Operand,
    Register,
    Symbol,
    Transfer,
    address_of,
)
from .events import Events, Observer
from .lanes import Lanes
from .launch import PreparedLaunch
from .memory.access import Access, ErrorReport, LaneValues, PendingCopies, WaveMemory
from .registers import Clock, Frames, RegisterFile, SpecialRegisters


class Schedule(Protocol):
    """`spins` counts accesses that a thread waiting for another makes (atomics, volatile loads)
    since the last change of group."""

    spins: int

    def push(self, pc: int, lanes: Lanes) -> None: ...

    def pop(self) -> tuple[int, Lanes] | None: ...

    def may_go_on(self, pc: int, lanes: Lanes) -> bool: ...

    def standing_at(self, places: set[int]) -> np.ndarray: ...


class _Inverted:
    """`!p`, read when indexed."""

    def __init__(self, predicate: np.ndarray):
        self.predicate = predicate

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return ~self.predicate[lanes]


class _Narrow:
    """A 32-bit address register plus an offset, as int64 whenever it is indexed. The sum wraps at
    32 bits, as the hardware's does; its upper half is what lies before address 0."""

    def __init__(self, base: np.ndarray, offset: int):
        self.base, self.offset = base, np.uint32(offset & 0xFFFFFFFF)

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return (self.base[lanes] + self.offset).view(np.int32).astype(np.int64)


class WaveState:
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
        self.registers = RegisterFile(self.kernel.registers, job.geometry.lanes)
        self.special = SpecialRegisters(
            job.geometry, job.cooperative, self.device.sms, lambda: self.steps_taken
        )
        self.copies = PendingCopies(job.geometry.lanes)
        self.frames = Frames(job.layout, job.geometry.lanes)
        self.results: dict[int, str | None] = {}
        self.steps_taken = 0  # instructions of straight runs, so far
        self.first_block = 0
        self.running = np.zeros(job.geometry.lanes, bool)
        self.live = np.zeros(job.geometry.wave_blocks, np.int64)

    def tell(self, report: ErrorReport, observers: Sequence[Observer]) -> None:
        """From now on, `report` makes errors and `observers` hear of events."""
        self.report, self.events = report, Events(observers)
        self.memory = WaveMemory(
            self.flat, self.shared, self.local, self.geometry, report, self.events
        )

    def spin(self) -> None:
        """Threads have made an access that a thread which waits for another makes."""
        self.schedule.spins += 1

    def read(self, operand: Operand, kind: str) -> LaneValues:
        """An operand as an array (lanes,) of PTX type `kind`. Malformed if it cannot be that."""
        if isinstance(operand, Register):  # as most are
            return self.registers.read(operand, kind)
        if isinstance(operand, Negated):
            if kind != "pred":
                raise Malformed(f"`!` makes no value of type .{kind}")
            return _Inverted(self.registers.read(operand.register, "pred"))
        if isinstance(operand, Symbol) and DTYPES[kind].kind not in "ui":
            raise Malformed(f"{operand.name} is no value of type .{kind}")
        if isinstance(operand, Symbol) and operand.name in self.frames.offsets:
            return self.frames.framed(operand.name)
        if isinstance(operand, Symbol):
            special = self.special.read(operand.name)
            if isinstance(special, Clock):
                return special.of_size(size_of(kind))
            if special is not None:
                return (
                    special.view(np.int32)
                    if kind == "s32"
                    else special.astype(f"u{size_of(kind)}", copy=False)
                )
            value = np.array(self.address_of(operand.name), np.uint64)
            return np.broadcast_to(value.astype(f"u{size_of(kind)}"), self.geometry.lanes)
        return self.registers.read(operand, kind)

    def address_of(self, name: str) -> int:
        """Where a variable, a parameter or a function lies; Malformed for any other name."""
        if name not in self.symbols:
            raise Malformed(f"there is nothing called {name} that has an address")
        return self.symbols[name]

    def access(self, transfer: Transfer, operand: Operand, at: int, verb: str = "") -> Access:
        """The access of the instruction at index `at` to the address that `operand` names."""
        access = Access(transfer, at, self._start(address_of(operand)), self.memory, verb)
        reached = self.program.memory_use.targets.get(at)
        access.constant = reached is not None and bool(reached) and reached <= self.constants
        return access

    def _start(self, operand: Address) -> tuple[LaneValues, int]:
        """The address's base for each lane, and its offset in bytes."""
        if isinstance(operand.base, Register):
            narrow = self.registers.storage(operand.base.name).itemsize == 4
            base = self.registers.read(operand.base, "u32" if narrow else "s64")
            return (_Narrow(base, operand.offset), 0) if narrow else (base, operand.offset)
        if isinstance(operand.base, Symbol) and operand.base.name in self.frames.offsets:
            return self.frames.framed(operand.base.name), operand.offset
        base = operand.base
        start = self.address_of(base.name) if isinstance(base, Symbol) else 0
        fixed = np.array(start + operand.offset, np.int64)
        return np.broadcast_to(fixed, self.geometry.lanes), 0
