"""The blocks of a launch that run at once: their registers, their memory, and who hears of them."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from ..cuda.limits import architecture
from ..ptx.numbers import DTYPES, size_of, unsigned
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
from .lanes import Dense, Lanes, lane_index, merge, seen_by_all
from .launch import PreparedLaunch
from .memory.access import Access, ErrorReport, LaneValues, PendingCopies, WaveMemory
from .registers import Derived, Frames, RegisterFile, SpecialRegisters


class Schedule(Protocol):
    """`spins` counts accesses that a thread waiting for another makes (atomics, volatile loads)
    since the last change of group."""

    spins: int

    def push(self, pc: int, lanes: Lanes) -> None: ...

    def pop(self) -> tuple[int, Lanes] | None: ...

    def may_go_on(self, pc: int, lanes: Lanes) -> bool: ...

    def groups(self) -> list[tuple[int, Lanes]]: ...


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
        self.dense = Dense()
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

    def standing_at(self, places: set[int]) -> np.ndarray:
        """The lanes whose turn would come at one of these instructions, as an index array."""
        parts = [lanes for at, lanes in self.schedule.groups() if at in places]
        return lane_index(merge(parts)) if parts else np.zeros(0, np.int64)

    def spin(self) -> None:
        """Threads have made an access that a thread which waits for another makes."""
        self.schedule.spins += 1

    def read(self, operand: Operand, kind: str) -> LaneValues:
        """An operand as an array (lanes,) of PTX type `kind`. Malformed if it cannot be that."""
        if isinstance(operand, Negated):
            if kind != "pred":
                raise Malformed(f"`!` makes no value of type .{kind}")
            predicate = self.registers.read(operand.register, "pred")
            return Derived(lambda lanes: ~predicate[lanes])
        if not isinstance(operand, Symbol):
            return self.registers.read(operand, kind)
        name = operand.name
        if DTYPES[kind].kind not in "ui":
            raise Malformed(f"{name} is no value of type .{kind}")
        if name in self.frames.offsets:
            return self.frames.framed(name)
        special = self.special.read(name, kind)
        if special is not None:
            return special
        return self._lies_at(name, self.address_of(name), unsigned(size_of(kind)))

    def _lies_at(self, name: str, address: int, dtype: np.dtype) -> LaneValues:
        """The address of what is called so (""; an address that is a number), by lane."""
        fixed = np.array(address, np.int64)
        if (moved := self.flat.moved.get(name)) is not None:
            return Derived(lambda lanes: (fixed + moved[lanes]).astype(dtype))
        return seen_by_all(fixed.astype(dtype), self.geometry.lanes)

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
