"""Calls of device functions: argument slots, return addresses, frames.

A call's arguments travel in `.param` slots, one row of bytes per lane. A function's registers
exist once, so one that may be running already has its caller's copies kept aside, by depth.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ..counted import counted
from ..cuda.errors import OutOfBounds
from ..ptx.numbers import DTYPES, size_of
from ..ptx.program import (
    Carries,
    Instruction,
    Malformed,
    Operand,
    address_of,
    several,
    symbol_of,
)
from .events import Step, Successors
from .lanes import Lanes, by_value, lane_index
from .memory.access import LaneValues
from .memory.spaces import LOCAL_WINDOW, SHARED_WINDOW, AccessFault
from .printf import template
from .state import WaveState

Slots = dict[str, np.ndarray]
_PARTS = (1, 2, 4, 8)  # of what is put into a parameter, or taken out of it, at once
PRINTED_TOGETHER = 1024  # threads at a time, so that a full buffer is noticed


class Calls:
    """`slots` maps a parameter of a call or function to its bytes, a row per lane. `carried`:
    these, and what is kept beside their bytes in arrays of the same shapes (`shadow`), and goes
    where they go."""

    def __init__(self, wave: WaveState):
        self.wave = wave
        self.linked = wave.linked
        lanes = wave.geometry.lanes
        self.slots = self._of_slots(np.uint8)
        self.carried = [self.slots]
        self.depth = np.zeros(lanes, np.int32)
        # By depth: the call each lane is to return to, and what recursion would overwrite.
        self.sites: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(lanes, np.int64))
        self.kept: dict[int, dict[str, np.ndarray]] = defaultdict(dict)

    def begin_wave(self) -> None:
        self.depth[:] = 0
        self.wave.frames.begin_wave()

    def enter(self, lanes: Lanes, at: int, name: str, arguments: list[str]) -> int:
        """Lanes at the call at `at` go into function `name`; where it starts."""
        part, caller = self.linked.parts[name], self.linked.owner[at]
        for depth, group in by_value(lanes, self.depth[lanes]):
            self.sites[depth][group] = at
            if self.linked.parts[caller].recursive:
                for kept, values in self._state(caller, self.kept[depth]):
                    kept[group] = values[group]
        for parameter, slot in zip(part.parameters, arguments, strict=True):
            for slots in self.carried:
                given = slots[slot]
                slots[parameter.name][lanes, : given.shape[1]] = given[lanes]
        if name in self.wave.frames.begins:
            self._push_frame(lanes, at, name)
        self.depth[lanes] += 1
        return part.entry

    def leave(self, lanes: Lanes, name: str, results: dict[int, str | None]) -> Successors:
        """Lanes return from function `name`; `results` gives the slot that each call puts the
        result in. Returns where they go on."""
        results_of = self.linked.parts[name].results[:1]
        handed = [(slots, slots[one.name].copy()) for slots in self.carried for one in results_of]
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

    def shadow(self) -> Slots:
        """Slots that are carried beside the others from now on, zeros as yet."""
        self.carried.append(self._of_slots(np.int32))
        return self.carried[-1]

    def move(self, instruction: Instruction, address: Operand, values: Operand) -> Step:
        """The step that loads `values` from the slot at `address`, or stores them there."""
        kind, where = instruction.form.type, address_of(address)
        size, slot = size_of(kind), self.slots[symbol_of(where.base)]
        parts = several(values, *_PARTS)
        if not 0 <= where.offset <= slot.shape[1] - size * len(parts):
            raise Malformed(
                f"it reaches beyond the {counted(slot.shape[1], 'byte')} of a parameter"
            )
        starts = [where.offset + n * size for n in range(len(parts))]
        views = [slot[:, at : at + size].view(DTYPES[kind])[:, 0] for at in starts]
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
        starts = [0, *(np.flatnonzero(changed) + 1).tolist(), len(lanes)]
        for start, end in pairwise(starts):
            for first in range(start, end, PRINTED_TOGETHER):
                if self.wave.output.full:
                    return
                group = lanes[first : min(first + PRINTED_TOGETHER, end)]
                self._print_alike(int(formats[start]), int(arguments[start]), group, at)

    def _print_alike(self, formats: int, arguments: int, lanes: np.ndarray, at: int) -> None:
        """What lanes print whose format is the same and whose arguments lie at one address."""
        made = template(self.text(formats, int(lanes[0]), at))
        printed = made.filled(
            self._packed(arguments, lanes, made.layout.size, at),
            lambda number, address: self.text(address, int(lanes[number]), at),
        )
        self.wave.output.add("".join(printed))

    def _packed(self, address: int, lanes: np.ndarray, size: int, at: int) -> bytes:
        """`size` bytes from a generic address on, for each lane; zeros where there is no more."""
        rows = np.zeros((len(lanes), size), np.uint8)
        local = self.wave.local
        if LOCAL_WINDOW <= address < LOCAL_WINDOW + local.size:
            at = address - LOCAL_WINDOW + np.arange(min(size, LOCAL_WINDOW + local.size - address))
            rows[:, : len(at)] = local.store.data[local.base[lanes][:, None] + at]
        elif address:
            data, offset = self._bytes(address, int(lanes[0]), at)
            found = data[offset : offset + size]
            rows[:, : len(found)] = found
        return rows.tobytes()

    def _of_slots(self, dtype: type) -> Slots:
        lanes, passed = self.wave.geometry.lanes, self.linked.passed.values()
        return {variable.name: np.zeros((lanes, variable.size), dtype) for variable in passed}

    def _state(
        self, name: str, kept: dict[str, np.ndarray]
    ) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """(copy kept aside, the array in use) of everything that is function `name`'s own."""
        part = self.linked.parts[name]
        own = {register: self.wave.registers.storage(register) for register in part.registers}
        for number, slots in enumerate(self.carried):
            mine = (slot for slot in slots if slot.startswith(f"{name}::"))
            own |= {f"{slot} {number}": slots[slot] for slot in mine}
        own["frame"] = self.wave.frames.begins[name]
        for key, values in own.items():
            key = f"{name} {key}"
            if key not in kept:
                kept[key] = np.zeros_like(values)
            yield kept[key], values

    def _push_frame(self, lanes: Lanes, at: int, name: str) -> None:
        over = self.wave.frames.push(name, lanes) > self.wave.local.size
        if over.any():
            calls = int(self.depth[lanes].max()) + 1
            raise self.wave.report.error(
                OutOfBounds,
                at,
                int(lane_index(lanes)[np.argmax(over)]),
                f"overflows its stack after {counted(calls, 'nested call')}. Recursion must end "
                "early: a thread's stack is small.",
            )

    def _bytes(self, address: int, lane: int, at: int) -> tuple[np.ndarray, int]:
        """The memory behind a lane's generic address, and where in it that is."""
        for window, memory in ((LOCAL_WINDOW, self.wave.local), (SHARED_WINDOW, self.wave.shared)):
            if window <= address < window + memory.size:
                start = int(memory.base[lane])
                return memory.store.data[start : start + memory.pitch], address - window
        try:
            where = np.array([address], np.uint64).view(np.int64)
            store = self.wave.flat.locate(where, 1, np.array([lane]))[0][0]
        except AccessFault as fault:
            raise self.wave.report.access_error(fault, at, np.array([lane]), "reads", 1) from None
        return store.data, address - store.address
