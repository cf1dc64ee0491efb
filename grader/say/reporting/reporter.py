"""Errors and hazards as sentences, with kernel, line, block and thread."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...counted import counted
from ...cuda.errors import BarrierDivergence, ConstWrite, CudaError, DataRace, Misaligned
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Access, Hit
from ...machine.memory.spaces import AccessFault, Fault, Store
from ...machine.naming import ArrayPlace
from ...ptx.flow import ControlFlow
from . import index_advice
from .hazard import Hazard
from .whereabouts import Whereabouts, short

if TYPE_CHECKING:
    from ...machine.wave import Wave
    from ...watch.observe import Run

_MEETS = "`__syncthreads()` must be where all threads of the block pass: move it out of the branch "
_MEETS += "or loop, or let no thread leave before it."


class Reporter:
    """Turns what a wave finds into exceptions and `Hazard` records."""

    def __init__(self, wave: Wave, run: Run):
        self.wave, self.run = wave, run
        self.machine = wave  # what observers written for older versions call it
        self.found: list[Hazard] = []
        self.here = Whereabouts(wave)
        self.repeats = cache(self._repeats)

    @cached_property
    def flow(self) -> ControlFlow:
        return ControlFlow(self.wave.kernel)

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
        self.run.hazards.append(hazard)
        return kind(message, **self.here.fields(at, lane))

    def access_error(
        self, raised: AccessFault, at: int, lane: np.ndarray, verb: str, size: int
    ) -> CudaError:
        """An access of `size` bytes that goes where it must not."""
        fault = raised.fault
        me = int(lane[fault.position])
        meant = self.here.meant(at, verb) if fault.space == "global" else None
        store = meant or fault.store
        if store is None:
            return self.error(
                fault.kind, at, me, f"{verb} {fault.reason}.{self._far_off(fault, at)}"
            )
        place = self.here.place(fault.space, store, fault.address, size, at)
        predicate = f"{verb} {wide(place, size)}{_beyond(place)}."
        repeats = self.flow.repeats(at)
        reads = verb == "reads"
        if self.here.is_copy(at):
            predicate += f" How many bytes are copied here?{_owned(place)}"
            return self.error(fault.kind, at, me, predicate)
        advice = index_advice.beyond(place, size, self.here.thread(me), fault.space, reads, repeats)
        return self.error(fault.kind, at, me, f"{predicate} {advice}".rstrip())

    def _far_off(self, fault: Fault, at: int) -> str:
        """Of a place far from all arrays: which ones the line may mean."""
        given = self.wave.names.declared.only_assigned
        named = [one.name for one in self.here.named(at) if not given(self.here.line(at), one.name)]
        if fault.space != "global" or not named:
            return ""
        arrays = " and ".join(f"`{name}`" for name in named)
        return f" On this line stand {arrays}: work out again how far their indices go."

    def misaligned(self, access: Access, lane: int, address: int) -> CudaError:
        """A thread's address is no multiple of the access's size."""
        text = f"{access.verb} {access.width} bytes"
        private = {"shared": self.wave.shared, "local": self.wave.local}
        store: Store | None
        if access.space in private:
            store, space = private[access.space].store, access.space
        else:
            store, space = self.wave.flat.describe(address, 0, 1).store, "global"
        place = self.here.place(space, store, address, 1, access.at) if store else ArrayPlace("")
        if place.array:
            text += f" that begin in {place.text}"
        text += (
            f", at an address that is not a multiple of {access.width}. An access of {access.width}"
            f" bytes must begin at a multiple of {access.width} bytes"
        )
        if place.array and place.size and place.size < access.width:
            text += (
                f": at {place.owner} plus a multiple of {access.width // place.size} elements. Or "
                f"is one element meant? It has {counted(place.size, 'byte')}"
            )
        return self.error(Misaligned, access.at, lane, f"{text}.")

    def read_only(self, access: Access, hit: Hit) -> CudaError:
        """A thread writes to what must not be written."""
        lane, address = int(lane_index(hit.lanes)[0]), int(hit.addresses[0])
        place = self.here.place(hit.space, hit.store, address, access.width, access.at)
        why = f"{place.owner} is read-only"
        if access.constant:
            why = f"{place.owner} is declared a pointer to const"
        return self.error(ConstWrite, access.at, lane, f"writes to {place.text}, but {why}.")

    def stop(self, error: CudaError, at: int, what: str) -> None:
        """Raise an error about `what` the instruction at `at` does, unless that is tolerated."""
        if error.status != self.wave.job.options.tolerated:
            raise error
        self.run.causes.add(f"{what}{self.repeats(at)}")

    def _repeats(self, at: int) -> str:
        """ " in a loop" where a thread may come to an instruction again."""
        return " in a loop" if self.flow.repeats(at) else ""

    def add(self, hazard: Hazard) -> None:
        """A hazard has come to light, which stops nothing for now."""
        self.found.append(hazard)
        self.run.hazards.append(hazard)

    def raise_first_hazard(self) -> None:
        for hazard in self.found:
            if not hazard.warning and hazard.status != self.wave.job.options.tolerated:
                raise DataRace(
                    hazard.message,
                    kernel=hazard.kernel,
                    line=hazard.line,
                    block=hazard.block,
                    thread=hazard.thread,
                    other_line=hazard.other_line,
                    other_thread=hazard.other_thread,
                )

    def _gone_around(self, at: int, lane: int) -> tuple[int, int] | None:
        """A barrier that others of the thread's block wait at, and that it cannot come to any
        more: the barrier's instruction, and the lane of a thread that waits there."""
        wave = self.wave
        block = lane // wave.geometry.stride
        for barrier, groups in wave.barriers.parked.items():
            if wave.barriers.asked.get(barrier) is not None:
                continue  # for some of the threads only
            for waits_at, index in groups:
                here = index[wave.geometry.block_of_lane[index] == block]
                if len(here) and not self.flow.reaches(self.here.in_kernel(at, lane), waits_at):
                    return waits_at, int(here[0])
        return None

    def _around(self, at: int, lane: int, predicate: str) -> str:
        who = f"thread {short(self.wave.geometry.thread(lane))}"
        line = self.here.line(at)
        return (
            f"waits at a barrier that {who} of its block has gone around: that one is on line "
            f"{line} already, where it {predicate.partition('. ')[0].rstrip('.')}. {_MEETS}"
        )


def wide(place: ArrayPlace, size: int) -> str:
    """The place, with the size of the access where that is not the size of the elements."""
    wide = place.size is not None and size != place.size
    return f"{counted(size, 'byte')} at {place.text}" if wide else place.text


def _owned(place: ArrayPlace) -> str:
    """How many bytes an array has, where that is known."""
    if not place.size or not place.count:
        return ""
    return f" {place.owner} has {counted(place.size * place.count, 'byte')}."


def _beyond(place: ArrayPlace) -> str:
    """How far outside of its array a place lies."""
    if place.index is None or place.count is None:
        return ", past its end or before its start"
    if place.index < 0:
        return f", before the first element of {place.owner}"
    return f", and {place.owner} has {counted(place.count, 'element')}"
