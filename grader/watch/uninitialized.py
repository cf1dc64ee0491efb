"""Variables that never got a value, followed from register to register to where it matters.

Copying such a value, or choosing another one instead of it, is harmless, and compilers do it all
the time. It matters where it decides a branch, makes an address, or goes into an array; this is
how Valgrind's memcheck judges too (Seward and Nethercote, "Using Valgrind to detect undefined
value errors with bit-precision", 2005), but by whole registers, not by bits.

The compiler may take any value for one that never was set. Where it has settled on a constant, a
NaN as a rule, there is nothing left to follow, here as on hardware.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..machine.events import Observer, Rebind, Undefined
from ..machine.lanes import Lanes, Step, fill, lane_index, seen_by_all
from ..machine.memory.access import Access, Accessed, Hit
from ..machine.memory.spaces import Store
from ..ptx.flow import passes, with_loads
from ..ptx.numbers import size_of
from ..ptx.program import (
    SINK,
    Address,
    Carries,
    Flow,
    Instruction,
    Operand,
    Register,
    Vector,
    address_of,
    components,
    registers,
    symbol_of,
)
from .findings import Finding, FindingReport, Location, NeverSet, UnwrittenRead, bytes_of

# The origin of a register's value in a lane: SET, UNTOUCHED (never set, and only copied since), or
# FIRST + the index of the first instruction that computed with what was never set.
SET, UNTOUCHED, FIRST = 0, 1, 2

# For what an operand of which every bit decides makes the other irrelevant: what makes it 0.
_DECIDED: dict[Carries, Callable[..., Any]] = {
    Carries.ALL_BITS: np.asarray,
    Carries.ALL_BITS_SET: np.invert,
}

Origins = list[np.ndarray]  # of some registers, each (lanes,)


class Uninitialized(Observer):
    """The origins of values that never were set, of the registers in which there may be such.

    What is loaded and was never written is an error at once, unless a choice may yet discard it:
    then it is followed, too, from the first such load on.
    """

    def __init__(self, report: FindingReport):
        self.report, self.wave, self.code = report, report.wave, report.wave.kernel.instructions
        self._maybe = self.wave.program.maybe_uninitialized
        self._from_loads = FIRST + len(self.code)
        # By instruction, a load of what nobody wrote, and its addresses by lane.
        self._loads: dict[int, tuple[Access, Hit, np.ndarray]] = {}
        self._follows_loads = False
        self._origins: dict[str, np.ndarray] = {}  # by register
        self._in_memory: dict[Store, np.ndarray] = {}  # by byte, like the registers' origins
        # The same of what calls pass and hand back.
        self._passed: dict[str, np.ndarray] | None = None
        if self._maybe.at_entry:
            self._follow_reached()

    def begin_wave(self, first_block: int) -> None:
        self._in_memory.clear()
        fill((self._passed or {}).values(), SET)
        fill((self._origins[name] for name in self._maybe.at_entry), UNTOUCHED)

    def execute(self, at: int, step: Step) -> Step:
        """The step, which also follows what never was set. An instruction that branches,
        synchronizes or goes to memory must have real values."""
        if not self._origins:
            return step
        instruction = self.code[at]
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
        carried, dense = self._rule(at, ins), self.wave.dense

        def followed(lanes: Lanes) -> None:
            part, chosen = dense.of(lanes)
            origin = carried(part)  # before the step, which may overwrite what it reads
            step(lanes)
            for out in outs:
                if chosen is True:
                    out[part] = origin
                else:
                    np.copyto(out[part], origin, where=chosen)

        return followed

    def shuffled(self, at: int, lanes: Lanes, source: np.ndarray) -> None:
        instruction = self.code[at]
        origins = self._of(instruction.operands[1])
        for out in self._tracked(instruction.written)[:1]:
            out[lanes] = SET if origins is None else origins[source]

    def read(self, access: Access, hit: Hit) -> None:
        """Reading what nobody wrote gives whatever lay there: an error, unless a choice may yet
        discard it, or the instruction leaves it: a struct's padding, in a vector."""
        instruction = self.code[access.at]
        loads = instruction.form.carries is Carries.LOADED
        for component in range(access.components):
            if (missing := access.unwritten(hit, component)) is None:
                continue
            target = components(instruction.operands[0])[component] if loads else None
            if target == SINK:
                continue
            if target is None or symbol_of(target) not in self._maybe.discardable:
                first = int(np.argmax(missing))
                where = int(hit.addresses[first]) + component * access.size
                self.report.stop(
                    self._unwritten(access, hit, int(lane_index(hit.lanes)[first]), where)
                )
            elif not self._follows_loads:
                # From now on what is loaded, and was never written, is followed, too.
                self._maybe = with_loads(self._maybe, self.wave.linked)
                self._follows_loads = True
                self._follow_reached()
                raise Rebind(access.at)

    def access(self, done: Accessed) -> None:
        access, hit, kind = done.access, done.hit, done.kind
        if not self._origins:
            return
        instruction = self.code[access.at]
        carries = instruction.form.carries
        if kind == "store" and hit.store in self._in_memory:
            self._in_memory[hit.store][bytes_of(access, hit)] = SET
        if kind == "store" and carries is Carries.STORED:
            self._stored(access, hit, instruction.operands[1])
        elif kind == "load" and carries is Carries.LOADED:
            self._loaded(access, hit, instruction.operands[0])

    def _stored(self, access: Access, hit: Hit, source: Operand) -> None:
        """Into an array in global memory what never was set must not go; in shared or local memory
        it is followed."""
        for component, origin in self._components(source):
            if np.count_nonzero(origin[hit.lanes]):
                if hit.space == "global":
                    self._refuse(access.at, hit.lanes, origin[hit.lanes])
                if hit.store not in self._in_memory:
                    self._in_memory[hit.store] = np.zeros(len(hit.store.data), np.int32)
                self._in_memory[hit.store][bytes_of(access, hit, component)] = origin[hit.lanes][
                    :, None
                ]

    def _loaded(self, access: Access, hit: Hit, target: Operand) -> None:
        """What nobody wrote is an error only if it comes to matter."""
        outs = self._components(target)
        if hit.store in self._in_memory:
            of_bytes = self._in_memory[hit.store]
            for component, out in outs:
                out[hit.lanes] = of_bytes[bytes_of(access, hit, component)].max(axis=1)
        for component, out in outs:
            if (missing := access.unwritten(hit, component)) is not None:
                lanes = lane_index(hit.lanes)[missing]
                out[lanes] = self._from_loads + access.at
                *_, where = self._loads.get(access.at, (np.full(self.wave.geometry.lanes, -1),))
                where[lanes] = hit.addresses[missing] + component * access.size
                self._loads[access.at] = access, hit, where

    def _follow_reached(self) -> None:
        for name in self._maybe.reached - self._origins.keys():
            self._origins[name] = np.zeros(self.wave.geometry.lanes, np.int32)

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
            fill(outs, SET, lanes)
            return step(lanes)

        return refusing

    def _refuse(self, at: int, lanes: Lanes, origin: np.ndarray) -> None:
        if np.count_nonzero(origin):
            position = int(np.argmax(origin != SET))
            self.report.stop(
                self._finding(at, int(lane_index(lanes)[position]), int(origin[position]))
            )

    def _finding(self, at: int, lane: int, origin: int) -> Finding:
        """What never was set matters at `at`; the finding is about the line that used it first."""
        use = self.report.here.location(at, lane)
        if origin >= self._from_loads:
            access, hit, where = self._loads[origin - self._from_loads]
            reader = lane if where[lane] >= 0 else int(np.argmax(where >= 0))
            return self._unwritten(access, hit, reader, int(where[reader]), use)
        return NeverSet(
            self.report.here.location(at if origin == UNTOUCHED else origin - FIRST, lane),
            use,
            self.code[at].line,
        )

    def _unwritten(
        self, access: Access, hit: Hit, lane: int, address: int, use: Location | None = None
    ) -> UnwrittenRead:
        here, at = self.report.here, access.at
        mine = int(np.argmax(lane_index(hit.lanes) == lane))  # its block's memory, not the first's
        coming = self.wave.copies.towards(
            hit.store, hit.element[mine] * access.size + address - int(hit.addresses[mine])
        )
        copy = coming and (
            here.location(*coming[:2]),
            coming[2],
            (here.line(coming[3]) if coming[3] >= 0 else None, *coming[4:]),
        )
        return UnwrittenRead(
            here.location(at, lane),
            access.verb,
            here.bytes(hit.space, hit.store, address, access.size, at),
            use,
            copy,
        )

    def _components(self, operand: Operand) -> list[tuple[int, np.ndarray]]:
        """The tracked registers of what is loaded or stored, each with its place in it."""
        return [
            (place, origin)
            for place, origin in enumerate(map(self._of, components(operand)))
            if origin is not None
        ]

    def _of(self, operand: Operand) -> np.ndarray | None:
        return self._origins.get(operand.name) if isinstance(operand, Register) else None

    def _everywhere(self, operand: Operand) -> np.ndarray:
        """The origins of any operand; what is no register, or always set, is SET everywhere."""
        of = self._of(operand)
        return seen_by_all(np.array(SET, np.int32), self.wave.geometry.lanes) if of is None else of

    def _tracked(self, names: list[str]) -> Origins:
        return [self._origins[name] for name in names if name in self._origins]

    def _rule(self, at: int, ins: Origins) -> Step:
        """What gives the origins of its results for a set of lanes: of what the instruction at `at`
        makes of the origins `ins` of the registers that it reads, of which there is anything to be
        followed."""
        if not ins:
            return lambda lanes: SET
        instruction = self.code[at]
        carries, operands = instruction.form.carries, instruction.operands[1:]
        if carries is Carries.CHOSEN:  # selp d, a, b, p: what is not chosen does not matter
            a, b, of_p = map(self._everywhere, operands)
            p = self.wave.read(operands[2], "pred")
            return lambda lanes: np.maximum(np.where(p[lanes], a[lanes], b[lanes]), of_p[lanes])
        if carries is Carries.COPIED:
            if not isinstance(operands[0], Vector):
                return _worst(ins)
            # mov d, {a, b}: set if a part is, for who takes it apart again may want that one.
            parts = [self._everywhere(item) for item in operands[0].items]
            return lambda lanes: np.minimum.reduce([part[lanes] for part in parts])
        worst = self._decided(instruction) if carries in _DECIDED else _worst(ins)

        def computed(lanes: Lanes) -> np.ndarray:
            origin = worst(lanes)
            known = np.count_nonzero(origin) == 0
            return origin if known else np.where(origin == UNTOUCHED, at + FIRST, origin)

        return computed

    def _decided(self, instruction: Instruction) -> Step:
        """and, or: an operand of which every bit decides makes the other one irrelevant."""
        operands, form = instruction.operands[1:], instruction.form
        a, b = (self.wave.read(operand, form.type) for operand in operands)
        of_a, of_b = map(self._everywhere, operands)
        everything = _DECIDED[form.carries]

        def decided(lanes: Lanes) -> np.ndarray:
            decides = [
                (origin[lanes] == SET) & (everything(value[lanes]) == 0)
                for value, origin in ((a, of_a), (b, of_b))
            ]
            return np.where(decides[0] | decides[1], SET, np.maximum(of_a[lanes], of_b[lanes]))

        return decided


def _worst(ins: Origins) -> Step:
    return lambda lanes: np.maximum.reduce([origin[lanes] for origin in ins])


@dataclass(eq=False)
class UndefinedResults(Observer):
    """Raises what the table of instructions says of undefined results, as of a division by zero."""

    report: FindingReport

    def undefined(self, at: int, lane: int, what: Undefined) -> None:
        raise self.report.error(what.error, at, lane, what.fault)
