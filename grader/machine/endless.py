"""Loops that never end, proved by a state that comes back.

Where a thread goes on depends on what `Executable.deciding` names, on memory that is loaded from
there, and on whom the thread waits for. If all of that is as it was some rounds ago, and nobody
has changed it or is left to change it, these rounds are repeated forever, however the threads'
turns come. A float sum that grows in the loop is no part of it, as long as nothing is decided by
the sum. A clock, a state that comes back only by writing a flag again, or blocks that have not
begun and may write one: nothing is proved then.
"""

from collections import Counter
from itertools import chain

import numpy as np

from ..ptx.flow import PASSED, endless_loop
from ..ptx.program import mentioned
from .events import Observer
from .lanes import Lanes, count, lane_index
from .memory.access import Access, Accessed, Hit, Values, bits_of
from .memory.spaces import Store
from .registers import CLOCKS
from .wave import Wave


class Recurrence(Observer):
    """Looks whether threads come back to a state that they have been in. As in Brent's cycle
    detection the state to compare with is taken anew after twice as many steps each time. When the
    threads that run have come back to it, they are observed until all of the wave have done so."""

    def __init__(self, wave: Wave):
        self.wave = wave
        self.at = -1  # the instruction that threads must come back to
        self.state: list[np.ndarray] = []  # that of the wave; of none while nobody is observed

    def begin(self, at: int, lanes: Lanes) -> None:
        """What decides about these lanes now, before the instruction at `at`, is to come back."""
        self._stop()
        wave, names = self.wave, self.wave.program.deciding
        own = sorted(names & wave.kernel.registers.keys())
        self.arrays = [wave.registers.storage(name) for name in own]
        self.arrays += wave.calls.slots.values() if PASSED in names else ()
        self.at, self.lanes, self.visits = at, lanes, 0
        self.before = [(array, array[lanes].copy()) for array in self.arrays]

    def visit(self, lanes: Lanes, unstarted: int) -> None:
        """Lanes have come to the instruction at `at`; raises StepLimit where it is proved that they
        will do so forever. `unstarted` blocks of the launch have not begun."""
        if not self._came_back(lanes):
            return
        if not self.state:
            self._observe()
        elif self.stores & self.changed:
            self._stop()
        else:
            common = self._common()
            idle = any(not self.ran[ready].all() for _, ready in self.wave.schedule.groups())
            elsewhere = unstarted and common - {self.wave.shared.store}
            now = [] if (common and idle) or elsewhere or self._chance_decides() else self._state()
            if len(now) == len(self.state) and all(map(np.array_equal, now, self.state)):
                reads = [one for one in self.reads.values() if one[1].store in common]
                executed = {last for (_, last), rounds in self.runs.items() if rounds}
                jump = endless_loop(self.wave.kernel, executed, self.at)
                raise self.wave.report.endless(jump, self.lane, self.runs, reads)

    def run(self, first: int, last: int, lanes: Lanes) -> None:
        self.ran[lanes] = True
        self.runs[first, last] += self.lane in lane_index(lanes)

    def read(self, access: Access, hit: Hit) -> None:
        if not self.wave.program.deciding.isdisjoint(
            self.wave.kernel.instructions[access.at].written
        ):
            self.stores.add(hit.store)
            mine = lane_index(hit.lanes) == self.lane
            if mine.any():
                self.reads[access.at] = access, hit.part(mine)

    def write(self, access: Access, hit: Hit, values: Values) -> None:
        for component, value in enumerate(values):
            there = hit.store.view(value.dtype)[hit.element + component]
            if (bits_of(there) != bits_of(value)).any():
                self.changed.add(hit.store)

    def access(self, done: Accessed) -> None:
        if done.kind == "atomic":  # its values are those that were there before
            self.write(done.access, done.hit, done.values or [])

    def _came_back(self, lanes: Lanes) -> bool:
        """Whether these are the lanes, and what decides about them is as it was. What has differed
        last is compared first; after some visits only each sixteenth is compared."""
        if count(lanes) != count(self.lanes) or not np.all(lanes == self.lanes):
            return False
        self.visits += 1
        if self.visits > 64 and self.visits % 16:
            return False
        for position, (array, before) in enumerate(self.before):
            if (array[lanes] != before).any():
                self.before.insert(0, self.before.pop(position))
                return False
        return True

    def _observe(self) -> None:
        """From now on hear of all that happens."""
        self.state = [array.copy() for array in self._state()]
        self.lane = int(lane_index(self.lanes)[0])
        self.ran = np.zeros(self.wave.geometry.lanes, bool)
        self.runs: Counter[tuple[int, int]] = Counter()
        self.stores: set[Store] = set()  # something that decides was loaded from these
        self.changed: set[Store] = set()
        self.reads: dict[int, tuple[Access, Hit]] = {}  # those of `lane`, by instruction
        self.wave.events.attend([*self.wave.events.observers, self])

    def _stop(self) -> None:
        """Nothing is proved before the machine begins anew."""
        self.at, self.state = -1, []
        if self in self.wave.events.observers:
            self.wave.events.attend(self.wave.events.observers[:-1])

    def _state(self) -> list[np.ndarray]:
        """All that decides how the wave goes on, memory aside."""
        wave, where = self.wave, np.full(self.wave.geometry.lanes, -1)
        for at, lanes in wave.schedule.groups():
            where[lanes] = at
        calls, barriers, clusters, copies = wave.calls, wave.barriers, wave.clusters, wave.copies
        parts = [(here.at, index) for here, index in barriers.parts.items()]
        parked = chain(*barriers.parked.values(), wave.collectives.parked.items(), clusters.parked)
        for at, index in chain(parked, parts):
            where[index] = -2 - at
        return [
            *(where, *self.arrays, calls.depth, *calls.sites.values()),
            *(array for kept in calls.kept.values() for array in kept.values()),
            *barriers.arrived.values(),
            *(clusters.arrived, clusters.opened, clusters.awaited, copies.committed),
            np.array([wave.heap.used, len(wave.heap.sizes), copies.announced]),
        ]

    def _common(self) -> set[Store]:
        """What decides was loaded from these, and threads other than the reader may write there."""
        wave, use = self.wave, self.wave.program.memory_use
        return {
            store
            for store in self.stores - {wave.local.store}
            if store is wave.shared.store
            or (store.writable and not store.names)
            or (store.writable and use.touches(store.names, ("writes", "atomics")))
        }

    def _chance_decides(self) -> bool:
        """Whether something decides that comes by chance: a clock, which threads are together, or
        when a copy arrives that is on its way."""
        copies, instructions = self.wave.copies, self.wave.kernel.instructions
        code = [one for first, last in self.runs for one in instructions[first : last + 1]]
        by_chance = {
            name
            for one in code
            for name in one.written
            if one.form.by_chance
            or any(part.name in CLOCKS for operand in one.operands for part in mentioned(operand))
        }
        on_its_way = bool(copies.pending) or any(copies.landings.values())
        return on_its_way or not by_chance.isdisjoint(self.wave.program.deciding)
