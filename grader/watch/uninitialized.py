"""Variables that never got a value, followed from register to register to where it matters.

Copying such a value, or choosing another one instead of it, is harmless, and compilers do it all
the time. It matters where it decides a branch, makes an address, or goes into an array; this is
how Valgrind's memcheck judges too (Seward and Nethercote, "Using Valgrind to detect undefined
value errors with bit-precision", 2005), but by whole registers, not by bits.

The compiler may take any value for one that never was set. Where it has settled on a constant, a
NaN as a rule, there is nothing left to follow, here as on hardware.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..machine.calls import Slots
from ..machine.events import Observer, Rebind, Step
from ..machine.lanes import Lanes
from ..machine.lanes import index as lane_index
from ..machine.memory.access import Access, Accessed, Hit
from ..machine.memory.spaces import Store
from ..ptx.flow import passes, with_loads
from ..ptx.numbers import size_of
from ..ptx.program import (
    Address,
    Carries,
    Flow,
    Instruction,
    Operand,
    Register,
    address_of,
    components,
    is_sink,
    registers,
    symbol_of,
)
from ..say.reporting.no_value import never_set, unwritten
from .carried import FIRST, SET, UNTOUCHED, rule

if TYPE_CHECKING:
    from ..cuda.errors import CudaError
    from ..say.reporting.reporter import Reporter

Origins = list[np.ndarray]  # of some registers, each (lanes,)
Loaded = tuple[Access, Hit, np.ndarray]  # a load of what nobody wrote, and its addresses by lane


class Uninitialized(Observer):
    """The origins of values that never were set, of the registers in which there may be such.

    What is loaded and was never written is an error at once, unless a choice may yet discard it:
    then it is followed, too, from the first such load on.
    """

    def __init__(self, report: Reporter):
        self.report, self.wave = report, report.wave
        self._maybe = self.wave.program.maybe_uninitialized
        self._from_loads = FIRST + len(self.wave.kernel.instructions)
        self._loads: dict[int, Loaded] = {}
        self._follows_loads = False
        self._origins: dict[str, np.ndarray] = {}  # by register
        self._in_memory: dict[Store, np.ndarray] = {}  # by byte, like the registers' origins
        self._passed: Slots | None = None  # the same of what calls pass and hand back
        if self._maybe.at_entry:
            self._follow_reached()

    def begin_wave(self, first_block: int) -> None:
        self._in_memory.clear()
        for of_bytes in (self._passed or {}).values():
            of_bytes[:] = SET
        for name in self._maybe.at_entry:
            self._origins[name][:] = UNTOUCHED

    def execute(self, at: int, step: Step) -> Step:
        """The step, which also follows what never was set. An instruction that branches,
        synchronizes or goes to memory must have real values."""
        if not self._origins:
            return step
        instruction = self.wave.kernel.instructions[at]
        form, used = instruction.form, instruction.read
        if form.carries is Carries.STORED:  # for its values see `access`
            used = registers(instruction.operands[0])
        if form.flow is Flow.BRANCH and instruction.guard:
            used = [instruction.guard.name]
        outs, ins = self._tracked(instruction.written), self._tracked(used)
        if slot := passes(instruction, self.wave.linked):
            return self._passing(instruction, slot, step)
        if form.carries is Carries.ACROSS or not (outs or ins):  # see `shuffled`
            return step
        if form.control or any(isinstance(one, Address) for one in instruction.operands):
            return self._refusing(at, step, outs, ins)
        carried = rule(at, ins, self._everywhere, self.wave)

        def followed(lanes: Lanes) -> None:
            origin = carried(lanes)  # before the step, which may overwrite what it reads
            step(lanes)
            for out in outs:
                out[lanes] = origin

        return followed

    def shuffled(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        instruction = self.wave.kernel.instructions[at]
        origins = self._of(instruction.operands[1])
        for out in self._tracked(instruction.written)[:1]:
            out[lanes] = SET if origins is None else origins[source]

    def read(self, access: Access, hit: Hit) -> None:
        """Reading what nobody wrote gives whatever lay there: UninitializedRead."""
        for component in range(access.components):
            missing = access.unwritten(hit, component)
            if missing is not None and not self._is_dropped(access.at, component):
                self._read_unwritten(access, hit, component, missing)

    def access(self, done: Accessed) -> None:
        access, hit, kind = done.access, done.hit, done.kind
        if not self._origins:
            return
        carries = self.wave.kernel.instructions[access.at].form.carries
        if kind == "store":
            for component in range(access.components):
                self._overwritten(hit.store, hit.element + component, access.size)
        if kind == "store" and carries is Carries.STORED:
            self._stored(access, hit)
        elif kind == "load" and carries is Carries.LOADED:
            self._loaded(access, hit)

    def _is_dropped(self, at: int, component: int) -> bool:
        """Whether an instruction loads what it then leaves: a struct's padding, in a vector."""
        one = self.wave.kernel.instructions[at]
        loads = one.form.carries is Carries.LOADED
        return loads and is_sink(components(one.operands[0])[component])

    def _read_unwritten(
        self, access: Access, hit: Hit, component: int, missing: np.ndarray
    ) -> None:
        if not self._may_discard(self.wave.kernel.instructions[access.at], component):
            lane = int(lane_index(hit.lanes)[np.argmax(missing)])
            where = int(hit.addresses[np.argmax(missing)]) + component * access.size
            error = unwritten(self.report, access, hit, lane, where)
            self.report.stop(error, access.at, f"a read of {hit.space} memory that nobody wrote")
            return
        if not self._follows_loads:
            self._follow_loads()
            raise Rebind(access.at)

    def _stored(self, access: Access, hit: Hit) -> None:
        """Into an array in global memory what never was set must not go; in shared or local memory
        it is followed."""
        source = self.wave.kernel.instructions[access.at].operands[1]
        for component, origin in self._components(source):
            if np.count_nonzero(origin[hit.lanes]):
                if hit.space == "global":
                    self._refuse(access.at, hit.lanes, origin[hit.lanes])
                of_bytes = self._of_bytes(hit.store)
                of_bytes[_bytes(access, hit, component)] = origin[hit.lanes][:, None]

    def _loaded(self, access: Access, hit: Hit) -> None:
        outs = self._components(self.wave.kernel.instructions[access.at].operands[0])
        if hit.store in self._in_memory:
            of_bytes = self._in_memory[hit.store]
            for component, out in outs:
                out[hit.lanes] = of_bytes[_bytes(access, hit, component)].max(axis=1)
        for component, out in outs:
            missing = access.unwritten(hit, component)
            if missing is not None:
                self._load_unwritten(access, hit, component, missing, out)

    def _load_unwritten(
        self, access: Access, hit: Hit, component: int, missing: np.ndarray, out: np.ndarray
    ) -> None:
        """Some lanes have loaded what nobody wrote: an error only if it comes to matter."""
        lanes = lane_index(hit.lanes)[missing]
        out[lanes] = self._from_loads + access.at
        *_, where = self._loads.get(access.at, (np.full(self.wave.geometry.lanes, -1),))
        where[lanes] = hit.addresses[missing] + component * access.size
        self._loads[access.at] = access, hit, where

    def _may_discard(self, one: Instruction, component: int) -> bool:
        if one.form.carries is not Carries.LOADED:
            return False
        return symbol_of(components(one.operands[0])[component]) in self._maybe.discardable

    def _follow_loads(self) -> None:
        """From now on what is loaded, and was never written, is followed to where it matters."""
        self._maybe, self._follows_loads = with_loads(self._maybe, self.wave.linked), True
        self._follow_reached()

    def _follow_reached(self) -> None:
        lanes = self.wave.geometry.lanes
        for name in self._maybe.reached:
            self._origins.setdefault(name, np.zeros(lanes, np.int32))

    def _overwritten(self, store: Store, element: np.ndarray, size: int) -> None:
        """These elements of `size` bytes have been written."""
        if store in self._in_memory:
            self._in_memory[store][_bytes_of(element, size)] = SET

    def _passing(self, one: Instruction, slot: str, step: Step) -> Step:
        """Of what a call passes or hands back, the bytes are followed as registers are."""
        if self._passed is None:
            self._passed = self.wave.calls.shadow()
        stores, size = one.form.carries is Carries.STORED, size_of(one.form.type)
        address, values = one.operands[:2] if stores else one.operands[1::-1]
        start = address_of(address).offset
        of_bytes = [
            self._passed[slot][:, at : at + size]
            for at in range(start, start + size * len(components(values)), size)
        ]
        given, outs = map(self._everywhere, components(values)), self._components(values)
        stored_to = list(zip(of_bytes, given, strict=True))

        def stored(lanes: Lanes) -> None:
            for part, origin in stored_to:
                part[lanes] = origin[lanes][:, None]
            step(lanes)

        def loaded(lanes: Lanes) -> None:
            for place, out in outs:
                out[lanes] = of_bytes[place][lanes].max(axis=1)
            step(lanes)

        return stored if stores else loaded

    def _refusing(self, at: int, step: Step, outs: Origins, ins: Origins) -> Step:
        def refusing(lanes: Lanes) -> Any:
            for origin in ins:
                self._refuse(at, lanes, origin[lanes])
            for out in outs:
                out[lanes] = SET
            return step(lanes)

        return refusing

    def _refuse(self, at: int, lanes: Lanes, origin: np.ndarray) -> None:
        if np.count_nonzero(origin):
            position = int(np.argmax(origin != SET))
            lane = int(lane_index(lanes)[position])
            error = self._error(at, lane, int(origin[position]))
            self.report.stop(error, at, "a use of what never got a value")

    def _error(self, at: int, lane: int, origin: int) -> CudaError:
        """What never was set matters at `at`; the error is about the line that used it first."""
        if origin >= self._from_loads:
            access, hit, where = self._loads[origin - self._from_loads]
            reader = lane if where[lane] >= 0 else int(np.argmax(where >= 0))
            return unwritten(self.report, access, hit, reader, int(where[reader]))
        code = self.wave.kernel.instructions
        first = at if origin == UNTOUCHED else origin - FIRST
        return never_set(self.report, first, lane, code[at].line)

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
        return np.broadcast_to(np.int32(SET), self.wave.geometry.lanes) if of is None else of

    def _tracked(self, names: list[str]) -> list[np.ndarray]:
        return [self._origins[name] for name in names if name in self._origins]


def _bytes(access: Access, hit: Hit, component: int) -> np.ndarray:
    return _bytes_of(hit.element + component, access.size)


def _bytes_of(element: np.ndarray, size: int) -> np.ndarray:
    """Where the bytes of elements lie: (elements, size)."""
    return (element * size)[:, None] + np.arange(size)
