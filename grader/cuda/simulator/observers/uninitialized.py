"""Variables that never got a value, followed from register to register to where it matters.

Copying such a value, or choosing another one instead of it, is harmless, and compilers do it all
the time. It matters where it decides a branch, makes an address, or goes into an array; this is
how Valgrind's memcheck judges too (Seward and Nethercote, "Using Valgrind to detect undefined
value errors with bit-precision", 2005), but by whole registers, not by bits.

The compiler may take any value for one that never was set. Where it has settled on a constant, a
NaN as a rule, there is nothing left to follow, here as on hardware.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...errors import UninitializedRead
from ..engine.lanes import Lanes
from ..engine.lanes import index as lane_index
from ..engine.operands import read
from ..isa.form import Carries, Flow
from ..memory.access import Access, Hit
from ..memory.spaces import Store
from ..program.liveness import MaybeUninitialized
from ..program.ptx import Instruction, Operand, Register, Vector, components, registers

# What is kept of a register in a lane: SET, UNTOUCHED (never set, and only copied since), or
# FIRST + the index of the first instruction that computed with what was never set.
SET, UNTOUCHED, FIRST = 0, 1, 2

# For what an operand of which every bit decides makes the other irrelevant: what makes it 0.
_DECIDED = {Carries.ALL_BITS: np.asarray, Carries.ALL_BITS_SET: np.invert}


class UninitializedLoaded(Exception):
    """The instruction `at` is about to load what nobody wrote, and a choice may yet discard it."""

    def __init__(self, at: int):
        self.at = at


def must_be_followed(access: Access, hit: Hit) -> None:
    """UninitializedLoaded if an access reads what nobody wrote."""
    if any(access.unwritten(hit, n) is not None for n in range(access.components)):
        raise UninitializedLoaded(access.at)


class Uninitialized:
    """The origins of values that never were set; made only where the kernel may have such.
    `before`: those of fewer registers, kept until now."""

    def __init__(self, maybe: MaybeUninitialized, machine, before: Uninitialized | None = None):
        self.machine = machine
        self._from_loads = FIRST + len(machine.kernel.instructions)
        self._read: dict[int, tuple[Access, Hit, np.ndarray]] = {}  # by load; addresses by lane
        self._at_entry = maybe.at_entry
        lanes = machine.geometry.lanes
        self._origins = {name: np.zeros(lanes, np.int32) for name in maybe.reached}
        self._in_memory: dict[Store, np.ndarray] = {}  # by byte, like the registers' origins
        if before:
            self._origins |= before._origins
            self._in_memory = before._in_memory

    def begin_wave(self) -> None:
        self._in_memory.clear()
        for name in self._at_entry:
            self._origins[name][:] = UNTOUCHED

    def follow(self, instruction: Instruction, at: int, step: Callable, uses: bool) -> Callable:
        """`step`, which also follows what never was set. With `uses` the instruction must have
        real values: it branches, synchronises, or goes to memory."""
        form, written, read = instruction.form, instruction.written, instruction.read
        if form.carries is Carries.STORED:  # its values are `stored`
            read = registers(instruction.operands[0])
        if form.flow is Flow.BRANCH and instruction.guard:
            read = [instruction.guard.name]
        outs, ins = self._tracked(written), self._tracked(read)
        if form.carries is Carries.ACROSS or not (outs or ins):  # what is shuffled is `shuffled`
            return step
        if uses:
            return self._refusing(at, step, outs, ins)
        carried = self._rule(instruction, at, ins)

        def followed(lanes: Lanes) -> None:
            origin = carried(lanes)  # before the step, which may overwrite what it reads
            step(lanes)
            for out in outs:
                out[lanes] = origin

        return followed

    def shuffled(self, instruction: Instruction) -> Callable | None:
        """What has to be done with the lanes of a shuffle and with those they read from."""
        outs = self._tracked(instruction.written)
        origins = self._of(instruction.operands[1])
        if not outs:
            return None

        def move(lanes: Lanes, source: np.ndarray) -> None:
            outs[0][lanes] = SET if origins is None else origins[source]

        return move

    def stored(self, source: Operand) -> Callable | None:
        """What has to be done after a store of `source`, with the access and where it hit. Into
        an array in global memory it must not go; in shared or local memory it is followed."""
        origins = self._components(source)
        if not origins:
            return None

        def keep(access: Access, hit: Hit) -> None:
            for component, origin in origins:
                if np.count_nonzero(origin[hit.lanes]):
                    if hit.space == "global":
                        self._refuse(access.at, hit.lanes, origin[hit.lanes])
                    of_bytes = self._of_bytes(hit.store)
                    of_bytes[_bytes(access, hit, component)] = origin[hit.lanes][:, None]

        return keep

    def loaded(self, target: Operand) -> Callable | None:
        """What has to be done after a load into `target`, with the access and where it hit."""
        outs = self._components(target)
        if not outs:
            return None

        def take(access: Access, hit: Hit) -> None:
            if hit.store in self._in_memory:
                of_bytes = self._in_memory[hit.store]
                for component, out in outs:
                    out[hit.lanes] = of_bytes[_bytes(access, hit, component)].max(axis=1)
            for component, out in outs:
                unwritten = access.unwritten(hit, component)
                if unwritten is not None:
                    self._read_unwritten(access, hit, component, unwritten, out)

        return take

    def _read_unwritten(self, access: Access, hit: Hit, component: int, unwritten, out) -> None:
        """Some lanes have loaded what nobody wrote: an error only if it comes to matter."""
        lanes = lane_index(hit.lanes)[unwritten]
        out[lanes] = self._from_loads + access.at
        *_, where = self._read.get(access.at, (np.full(self.machine.geometry.lanes, -1),))
        where[lanes] = hit.addresses[unwritten] + component * access.size
        self._read[access.at] = access, hit, where

    def overwritten(self, store: Store, element: np.ndarray, size: int) -> None:
        """These elements of `size` bytes have been written."""
        if store in self._in_memory:
            self._in_memory[store][_bytes_of(element, size)] = SET

    def _refusing(self, at: int, step: Callable, outs, ins) -> Callable:
        def refusing(lanes: Lanes):
            for origin in ins:
                self._refuse(at, lanes, origin[lanes])
            for out in outs:
                out[lanes] = SET
            return step(lanes)

        return refusing

    def _rule(self, instruction: Instruction, at: int, ins: list[np.ndarray]) -> Callable:
        """Of a set of lanes, the origins of an instruction's results."""
        if not ins:
            return lambda lanes: SET
        carries = instruction.form.carries
        if carries is Carries.CHOSEN:
            return self._chosen(instruction)
        if carries is Carries.COPIED:
            return self._packed(instruction.operands[1]) or _worst(ins)
        worst = self._decided(instruction) if carries in _DECIDED else _worst(ins)

        def computed(lanes: Lanes) -> np.ndarray:
            origin = worst(lanes)
            return np.where(origin == UNTOUCHED, at + FIRST, origin)

        return computed

    def _packed(self, source: Operand) -> Callable | None:
        """mov d, {a, b}: set if a part is, for who takes it apart again may want that one."""
        if not isinstance(source, Vector):
            return None
        parts = [self._everywhere(item) for item in source.items]
        return lambda lanes: np.minimum.reduce([part[lanes] for part in parts])

    def _chosen(self, instruction: Instruction) -> Callable:
        """selp d, a, b, p: what is not chosen does not matter."""
        *sources, predicate = instruction.operands[1:]
        a, b = (self._everywhere(source) for source in sources)
        p, undecided = read(predicate, "pred", self.machine), self._everywhere(predicate)
        return lambda lanes: np.maximum(np.where(p[lanes], a[lanes], b[lanes]), undecided[lanes])

    def _decided(self, instruction: Instruction) -> Callable:
        """and, or: an operand of which every bit decides makes the other one irrelevant."""
        first, second = instruction.operands[1:]
        a, b = (read(operand, instruction.form.type, self.machine) for operand in (first, second))
        of_a, of_b = self._everywhere(first), self._everywhere(second)
        everything = _DECIDED[instruction.form.carries]

        def decided(lanes: Lanes) -> np.ndarray:
            decides = [
                (origin[lanes] == SET) & (everything(value[lanes]) == 0)
                for value, origin in ((a, of_a), (b, of_b))
            ]
            return np.where(decides[0] | decides[1], SET, np.maximum(of_a[lanes], of_b[lanes]))

        return decided

    def _refuse(self, at: int, lanes: Lanes, origin: np.ndarray) -> None:
        if np.count_nonzero(origin):
            position = int(np.argmax(origin != SET))
            lane = int(lane_index(lanes)[position])
            raise self._error(at, lane, int(origin[position]))

    def _error(self, at: int, lane: int, origin: int) -> UninitializedRead:
        """What never was set matters at `at`; the error is about the line that used it first."""
        if origin >= self._from_loads:
            access, hit, where = self._read[origin - self._from_loads]
            reader = lane if where[lane] >= 0 else int(np.argmax(where >= 0))
            return self.machine.report.unwritten(access, hit, reader, int(where[reader]))
        code = self.machine.kernel.instructions
        first = at if origin == UNTOUCHED else origin - FIRST
        return self.machine.report.uninitialized(first, lane, code[at].line)

    def _of_bytes(self, store: Store) -> np.ndarray:
        if store not in self._in_memory:
            self._in_memory[store] = np.zeros(len(store.data), np.int32)
        return self._in_memory[store]

    def _components(self, operand: Operand) -> list[tuple[int, np.ndarray]]:
        """The tracked registers of what is loaded or stored, each with its place in it."""
        found = [(place, self._of(item)) for place, item in enumerate(components(operand))]
        return [(place, origin) for place, origin in found if origin is not None]

    def _of(self, operand: Operand) -> np.ndarray | None:
        return self._origins.get(operand.name) if isinstance(operand, Register) else None

    def _everywhere(self, operand: Operand) -> np.ndarray:
        """The origins of any operand; what is no register, or always set, is SET everywhere."""
        of = self._of(operand)
        return np.broadcast_to(np.int32(SET), self.machine.geometry.lanes) if of is None else of

    def _tracked(self, names: list[str]) -> list[np.ndarray]:
        return [self._origins[name] for name in names if name in self._origins]


def _bytes(access: Access, hit: Hit, component: int) -> np.ndarray:
    return _bytes_of(hit.element + component, access.size)


def _bytes_of(element: np.ndarray, size: int) -> np.ndarray:
    """Where the bytes of elements lie: (elements, size)."""
    return (element * size)[:, None] + np.arange(size)


def _worst(ins: list[np.ndarray]) -> Callable:
    if len(ins) == 1:
        return lambda lanes: ins[0][lanes]
    return lambda lanes: np.maximum.reduce([origin[lanes] for origin in ins])
