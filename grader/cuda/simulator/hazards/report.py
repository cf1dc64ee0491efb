"""Errors and hazards as sentences, with kernel, line, block and thread."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...errors import BarrierDivergence, CudaError, DataRace, Misaligned, UninitializedRead
from ..lanes import count
from ..memory.access import Access, Hit
from ..memory.spaces import AccessFault, Store, counted_bytes
from . import bounds
from .advice import Adviser
from .detector import Clash
from .evidence import Race
from .flow import Flow
from .hazards import Hazard
from .naming import Place
from .ordering import lane_of, step_of
from .signals import Signals

_MEETS = "`__syncthreads()` must be where all threads of the block pass: move it out of the branch "
_MEETS += "or loop, or let no thread leave before it."


class Reporter:
    """Turns what a machine finds into exceptions and `Hazard` records."""

    def __init__(self, machine):
        self.machine = machine
        self.found: list[Hazard] = []
        self.signals = Signals(machine)
        self.adviser = Adviser(machine)
        self._seen: set = set()

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.machine.kernel)

    def error(self, kind: type[CudaError], at: int, lane: int, predicate: str) -> CudaError:
        """An exception about the thread in `lane` at instruction `at`: "thread 3 of block 0
        {predicate}". If others of its block wait at a barrier that it has gone around, the
        exception is about that: whatever else goes wrong then comes from it."""
        if kind is not BarrierDivergence and (waits := self._gone_around(at, lane)):
            barrier, waiting = waits
            kind, predicate = BarrierDivergence, self._around(at, lane, predicate)
            at, lane = barrier, waiting
        message = f"{self._where(at, lane)}: {self._who(lane)} {predicate}"
        hazard = Hazard(kind.status, message, **self._place(at, lane))
        self.machine.run_log.hazards.append(hazard)
        return kind(message, **self._place(at, lane))

    def access_error(self, fault: AccessFault, at: int, lane: np.ndarray, verb: str, size: int):
        """An access of `size` bytes that goes where it must not."""
        fault = fault.fault
        me = int(lane[fault.position])
        if fault.store is None:
            return self.error(fault.kind, at, me, f"{verb} {fault.reason}.")
        place = self.place(fault.space, fault.store, fault.address, size, at)
        predicate = f"{verb} {_wide(place, size)}{_beyond(place)}."
        repeats = self.flow.repeats(at)
        reads = verb == "reads"
        advice = bounds.beyond(place, size, self._thread(me), fault.space, reads, repeats)
        return self.error(fault.kind, at, me, f"{predicate} {advice}".rstrip())

    def unwritten(self, access: Access, hit: Hit, lane: int, address: int) -> CudaError:
        """A thread reads, at `address`, what nobody has written."""
        place = self.place(hit.space, hit.store, address, access.size, access.at)
        text = f"{access.verb} {_wide(place, access.size)}, which nobody has written yet. "
        if hit.space == "shared":
            text += (
                "Shared memory holds whatever lay there before: give it a value first. If another "
                "thread does so on a line before this one, a barrier is missing between the two."
            )
        elif hit.space == "local":
            text += "Which elements of the array have got a value by then, and which not?"
        else:
            text += (
                "What lies there is left over from something else: it must be written before it is "
                "read, here or before the launch."
            )
        return self.error(UninitializedRead, access.at, lane, text)

    def unset(self, at: int, lane: int, needed: int | None) -> CudaError:
        """A thread computes at `at` with what never got a value, and line `needed` matters."""
        declared, line = self.machine.names.declared, self._line(at)
        name = declared.without_value(line)
        text = f"uses {f'`{name}`, which' if name else 'a variable that'} never got a value"
        text += f", and line {needed} needs the result. " if needed not in (None, line) else ". "
        text += (
            "A variable holds whatever its register held before: give it a value where you declare "
            "it, or find the path to this line on which it gets none."
        )
        if declared.local_arrays(line):
            text += " (An element past the end of a thread's own array never gets one.)"
        return self.error(UninitializedRead, at, lane, text)

    def misaligned(self, access: Access, lane: int, address: int) -> CudaError:
        """A thread's address is no multiple of the access's size."""
        text = f"{access.verb} {access.width} bytes"
        spaces = self.machine.spaces
        if access.space in ("shared", "local"):
            store, space = spaces[access.space].store, access.space
        else:
            store, space = spaces["global"].below(address), "global"
        place = self.place(space, store, address, 1, access.at) if store else Place("")
        if place.array:
            text += f" that begin in {place.text}"
        text += (
            f", at an address that is not a multiple of {access.width}. An access of {access.width}"
            f" bytes must begin at a multiple of {access.width} bytes"
        )
        if place.array and place.size and place.size < access.width:
            text += (
                f": at {place.owner} plus a multiple of {access.width // place.size} elements. Or "
                f"is one element meant? It has {counted_bytes(place.size)}"
            )
        return self.error(Misaligned, access.at, lane, f"{text}.")

    def race(self, clash: Clash, access: Access, hit: Hit, lane: np.ndarray, wrote: bool) -> None:
        """Two threads, one place, no order. Reported once per pair of lines."""
        machine, at = self.machine, access.at
        other_line = machine.step_line(step_of(clash.other))
        key = (self._line(at), other_line, wrote, clash.other_wrote, clash.benign)
        if key in self._seen:
            return
        self._seen.add(key)
        race = self._race(clash, access, hit, lane, wrote)
        hazard = Hazard(
            "data_race",
            self._race_sentence(race, access.verb),
            **self._place(at, race.me),
            other_line=other_line,
            other_thread=machine.geometry.thread(race.other),
            warning=clash.benign,
        )
        self.found.append(hazard)
        machine.run_log.hazards.append(hazard)

    def visit(self, at: int, lane: int, host: int) -> None:
        """A thread uses the shared memory of block number `host`, which does not wait for it."""
        self._visit(
            at,
            lane,
            host,
            "may have left the kernel by then, and its shared memory with it. Put a "
            "`cluster.sync()` between the last such access and the end of the kernel.",
        )

    def visit_before_start(self, at: int, lane: int, host: int) -> None:
        """A thread uses the shared memory of block number `host`, for which it has not waited."""
        self._visit(
            at,
            lane,
            host,
            "may not have started yet: the blocks of a cluster run together, but do not begin at "
            "the same moment. Put a `cluster.sync()` before the first such access.",
        )

    def _visit(self, at: int, lane: int, host: int, why: str) -> None:
        machine = self.machine
        if (self._line(at), "visit") in self._seen:
            return
        self._seen.add((self._line(at), "visit"))
        block = _short(machine.geometry.block_coordinates(host))
        what = f"{self._who(lane)} uses the shared memory of block {block}, which {why}"
        hazard = Hazard("data_race", f"{self._where(at, lane)}: {what}", **self._place(at, lane))
        self.found.append(hazard)
        machine.run_log.hazards.append(hazard)

    def raise_first_hazard(self) -> None:
        for hazard in self.found:
            if not hazard.warning:
                raise DataRace(
                    hazard.message,
                    kernel=hazard.kernel,
                    line=hazard.line,
                    block=hazard.block,
                    thread=hazard.thread,
                    other_line=hazard.other_line,
                    other_thread=hazard.other_thread,
                )

    def place(self, space: str, store: Store, address: int, width: int, at: int) -> Place:
        """What a learner calls the place at an address of "global", "shared" or "local" memory."""
        names, line = self.machine.names, self._line(at)
        if space == "shared":
            memory = self.machine.spaces["shared"]
            return names.in_shared(memory.symbols, memory, address, width, line)
        if space == "local":
            return names.in_local(self.machine.spaces["local"].size, address, width, line)
        return names.in_buffer(store, address, width, line)

    def _line(self, at: int) -> int | None:
        return self.machine.kernel.instructions[at].line

    def _where(self, at: int, lane: int) -> str:
        """`softmax, line 12`; of a function that the kernel calls, also where it was called."""
        line, kernel = self._line(at), self.machine.names.kernel
        calls = self._called_on(at, lane)
        return f"{kernel}, line {line}{_called(calls)}" if line else kernel

    def _called_on(self, at: int, lane: int | None) -> list[int]:
        """The lines of the calls that lead to an instruction, innermost first. What was not
        inlined is known for the thread in `lane`, now."""
        code, calls = self.machine.kernel.instructions, self.machine.calls
        lines = list(code[at].callers)
        depth = 0 if lane is None else int(calls.depth[lane])
        for level in reversed(range(depth)):
            site = code[int(calls.sites[level][lane])]
            lines += [line for line in (site.line, *site.callers) if line]
        return lines

    def _who(self, lane: int) -> str:
        geometry = self.machine.geometry
        block = geometry.block_index(lane, self.machine.first_block)
        return f"thread {_short(geometry.thread(lane))} of block {_short(block)}"

    def _thread(self, lane: int) -> bounds.Thread:
        geometry = self.machine.geometry
        block = geometry.block_index(lane, self.machine.first_block)
        thread = geometry.thread(lane)
        names = self.machine.names
        arrays = {one.name: one.count for one in names.arguments}
        numbers = (tuple(map(int, index)) for index in (thread, block))
        return bounds.Thread(*numbers, geometry.block, geometry.grid, names.given, arrays)

    def _race(self, clash: Clash, access: Access, hit: Hit, lane: np.ndarray, wrote: bool) -> Race:
        machine = self.machine
        parts = len(lane) // count(hit.lanes)
        position, part = divmod(clash.position, parts)
        size = access.width // parts
        address = int(hit.addresses[position]) + part * size
        me, step = int(lane[clash.position]), step_of(clash.other)
        return Race(
            clash=clash,
            wrote=wrote,
            at=access.at,
            other_at=machine.step_sites[step],
            me=me,
            other=int(lane_of(clash.other)),
            line=self._line(access.at),
            other_line=machine.step_line(step),
            mine=machine.first_block + me // machine.geometry.stride,
            theirs=machine.races.ordering.block_of(clash.other),
            place=self.place(hit.space, hit.store, address, size, access.at),
            shared=hit.space == "shared",
            detector=machine.races.detectors[hit.store],
        )

    def _race_sentence(self, race: Race, verb: str) -> str:
        machine = self.machine
        who = f"thread {_short(machine.geometry.thread(race.other))}"
        if race.theirs != race.mine:
            who += f" of block {_short(machine.geometry.block_coordinates(race.theirs))}"
        where = f"{self._where(race.at, race.me)}: {self._who(race.me)}"
        text = f"{where} {verb} {race.place.text}, which {who} "
        if race.clash.benign:
            return (
                f"{text}wrote too, the same value in the same instruction: harmless, but wasteful."
            )
        did = "wrote" if race.clash.other_wrote else "read"
        did = "updated atomically" if self.adviser.seen.atomic(race.other_at) else did
        on_line = f" on line {race.other_line}" if race.other_line else ""
        if race.other_line != race.line:
            on_line += _called(self._called_on(race.other_at, None))
        nothing = "no barrier lies between the two"
        if race.theirs != race.mine and not race.shared:
            nothing = "nothing orders the two blocks"
        if step_of(race.clash.other) == machine.now:
            return f"{text}{did} at the same moment. {self.adviser.of(race)}"
        return f"{text}{did}{on_line}, and {nothing}. {self.adviser.of(race)}"

    def _gone_around(self, at: int, lane: int) -> tuple[int, int] | None:
        """A barrier that others of the thread's block wait at, and that it cannot come to any
        more: the barrier's instruction, and the lane of a thread that waits there."""
        machine = self.machine
        block = lane // machine.geometry.stride
        for barrier, groups in machine.barriers.parked.items():
            if machine.barriers.asked.get(barrier) is not None:
                continue  # for some of the threads only
            for waits_at, index in groups:
                here = index[machine.geometry.block_of_lane[index] == block]
                if len(here) and not self.flow.reaches(self._in_kernel(at, lane), waits_at):
                    return waits_at, int(here[0])
        return None

    def _in_kernel(self, at: int, lane: int) -> int:
        """Where the thread stands in the kernel itself: at the call, if it is in a function."""
        calls = self.machine.calls
        if self.machine.image.owner[at] != self.machine.kernel.name and calls.depth[lane]:
            return int(calls.sites[0][lane])
        return at

    def _around(self, at: int, lane: int, predicate: str) -> str:
        who = f"thread {_short(self.machine.geometry.thread(lane))}"
        line = self._line(at)
        return (
            f"waits at a barrier that {who} of its block has gone around: that one is on line "
            f"{line} already, where it {predicate.partition('. ')[0].rstrip('.')}. {_MEETS}"
        )

    def _place(self, at: int, lane: int) -> dict:
        machine = self.machine
        return {
            "kernel": machine.names.kernel,
            "line": machine.kernel.instructions[at].line,
            "block": machine.geometry.block_index(lane, machine.first_block),
            "thread": machine.geometry.thread(lane),
        }


def _wide(place: Place, size: int) -> str:
    """The place, with the size of the access where that is not the size of the elements."""
    wide = place.size is not None and size != place.size
    return f"{counted_bytes(size)} at {place.text}" if wide else place.text


def _beyond(place: Place) -> str:
    """How far outside of its array a place lies."""
    if place.index is None or place.count is None:
        return ", past its end or before its start"
    if place.index < 0:
        return f", before the first element of {place.owner}"
    return f", and {place.owner} has {bounds.elements(place.count)}"


def _called(lines: list[int]) -> str:
    """ " (called on line 40 by way of line 12)": from where a function is called."""
    if not lines:
        return ""
    *between, outermost = lines
    between = list(dict.fromkeys(reversed(between)))  # recursion comes by one line often
    ways = f" by way of {_lines(between)}" if between else ""
    return f" (called on line {outermost}{ways})"


def _lines(numbers: list[int]) -> str:
    """ "line 17", "lines 29 and 17"."""
    *most, last = map(str, numbers)
    return f"lines {', '.join(most)} and {last}" if most else f"line {last}"


def _short(index: tuple[int, int, int]) -> str:
    """(5, 0, 0) as "5", the way one-dimensional kernels speak of it."""
    x, y, z = (int(i) for i in index)
    return str(x) if not (y or z) else f"({x}, {y}, {z})"
