"""Errors and hazards as sentences, with kernel, line, block and thread."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...errors import BarrierDivergence, CudaError, DataRace, Misaligned, UninitializedRead
from ..lanes import count
from ..memory.access import Access, Hit
from ..memory.spaces import AccessFault, Fault, counted_bytes
from . import bounds
from .advice import Adviser
from .detector import Clash
from .evidence import Race
from .flow import Flow
from .hazards import Hazard
from .naming import Place
from .ordering import lane_of, step_of
from .signals import Signals
from .whereabouts import Whereabouts, called, short

_MEETS = "`__syncthreads()` must be where all threads of the block pass: move it out of the branch "
_MEETS += "or loop, or let no thread leave before it."


class Reporter:
    """Turns what a machine finds into exceptions and `Hazard` records."""

    def __init__(self, machine):
        self.machine = machine
        self.found: list[Hazard] = []
        self.signals = Signals(machine)
        self.adviser = Adviser(machine)
        self.here = Whereabouts(machine)
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
        message = f"{self.here.where(at, lane)}: {self.here.who(lane)} {predicate}"
        hazard = Hazard(kind.status, message, **self.here.fields(at, lane))
        self.machine.run_log.hazards.append(hazard)
        return kind(message, **self.here.fields(at, lane))

    def access_error(self, fault: AccessFault, at: int, lane: np.ndarray, verb: str, size: int):
        """An access of `size` bytes that goes where it must not."""
        fault = fault.fault
        me = int(lane[fault.position])
        meant = self.here.meant(at, verb) if fault.space == "global" else None
        store = meant or fault.store
        if store is None:
            return self.error(
                fault.kind, at, me, f"{verb} {fault.reason}.{self._far_off(fault, at)}"
            )
        place = self.here.place(fault.space, store, fault.address, size, at)
        predicate = f"{verb} {_wide(place, size)}{_beyond(place)}."
        repeats = self.flow.repeats(at)
        reads = verb == "reads"
        advice = bounds.beyond(place, size, self.here.thread(me), fault.space, reads, repeats)
        return self.error(fault.kind, at, me, f"{predicate} {advice}".rstrip())

    def _far_off(self, fault: Fault, at: int) -> str:
        """Of a place far from all arrays: which ones the line may mean."""
        given = self.machine.names.declared.only_assigned
        named = [one.name for one in self.here.named(at) if not given(self.here.line(at), one.name)]
        if fault.space != "global" or not named:
            return ""
        arrays = " and ".join(f"`{name}`" for name in named)
        return f" On this line stand {arrays}: work out again how far their indices go."

    def unwritten(self, access: Access, hit: Hit, lane: int, address: int) -> CudaError:
        """A thread reads, at `address`, what nobody has written."""
        place = self.here.place(hit.space, hit.store, address, access.size, access.at)
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
        declared, line = self.machine.names.declared, self.here.line(at)
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
        place = self.here.place(space, store, address, 1, access.at) if store else Place("")
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
        key = (self.here.line(at), other_line, wrote, clash.other_wrote, clash.benign)
        if key in self._seen:
            return
        self._seen.add(key)
        race = self._race(clash, access, hit, lane, wrote)
        hazard = Hazard(
            "data_race",
            self._race_sentence(race, access.verb),
            **self.here.fields(at, race.me),
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
        if (self.here.line(at), "visit") in self._seen:
            return
        self._seen.add((self.here.line(at), "visit"))
        block = short(machine.geometry.block_coordinates(host))
        what = f"{self.here.who(lane)} uses the shared memory of block {block}, which {why}"
        hazard = Hazard(
            "data_race",
            f"{self.here.where(at, lane)}: {what}",
            **self.here.fields(at, lane),
        )
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
            line=self.here.line(access.at),
            other_line=machine.step_line(step),
            mine=machine.first_block + me // machine.geometry.stride,
            theirs=machine.races.ordering.block_of(clash.other),
            place=self.here.place(hit.space, hit.store, address, size, access.at),
            shared=hit.space == "shared",
            detector=machine.races.detectors[hit.store],
        )

    def _race_sentence(self, race: Race, verb: str) -> str:
        machine = self.machine
        who = f"thread {short(machine.geometry.thread(race.other))}"
        if race.theirs != race.mine:
            who += f" of block {short(machine.geometry.block_coordinates(race.theirs))}"
        where = f"{self.here.where(race.at, race.me)}: {self.here.who(race.me)}"
        text = f"{where} {verb} {race.place.text}, which {who} "
        if race.clash.benign:
            return (
                f"{text}wrote too, the same value in the same instruction: harmless, but wasteful."
            )
        did = "wrote" if race.clash.other_wrote else "read"
        did = "updated atomically" if self.adviser.seen.atomic(race.other_at) else did
        on_line = f" on line {race.other_line}" if race.other_line else ""
        if race.other_line != race.line:
            on_line += called(self.here.called_on(race.other_at, None))
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
                if len(here) and not self.flow.reaches(self.here.in_kernel(at, lane), waits_at):
                    return waits_at, int(here[0])
        return None

    def _around(self, at: int, lane: int, predicate: str) -> str:
        who = f"thread {short(self.machine.geometry.thread(lane))}"
        line = self.here.line(at)
        return (
            f"waits at a barrier that {who} of its block has gone around: that one is on line "
            f"{line} already, where it {predicate.partition('. ')[0].rstrip('.')}. {_MEETS}"
        )


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
