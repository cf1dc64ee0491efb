"""The SIMT machine: runs a kernel's program over waves of blocks.

Threads that stand at the same instruction execute it together, one NumPy operation for all of
them. Where they part, the group at the lowest instruction goes first, so that groups meet again
at the first place their paths join ("thread frontiers", Diamos et al., 2011). A group that waits
(barrier, shuffle) is parked until the others have come. A group that spins on memory gives way
after a while, so that locks and flags make progress, as they do on hardware since Volta.

Loops that never end, proved by a state that comes back.

Where a thread goes on depends on what `Executable.deciding` names, on memory that is loaded from
there, and on whom the thread waits for. If all of that is as it was some rounds ago, and nobody
has changed it or is left to change it, these rounds are repeated forever, however the threads'
turns come. A float sum that grows in the loop is no part of it, as long as nothing is decided by
the sum. A clock, a state that comes back only by writing a flag again, or blocks that have not
begun and may write one: nothing is proved then.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from ..cuda.errors import (
    BarrierDivergence,
    CudaError,
    OutOfTime,
    ShuffleDivergence,
    StepLimit,
)
from ..ptx.flow import ANYWHERE, PASSED, block_ends, endless_loop
from ..ptx.instructions import bind, fused
from ..ptx.program import Flow, Malformed, Unsupported, mentioned
from .events import Events, Observer, Rebind
from .lanes import Lanes, Step, compact, count, lane_index
from .memory.access import Access, Accessed, ErrorReport, Hit, Values, bits_of
from .memory.spaces import Store
from .schedule import IN_TURN, schedule
from .state import CLOCKS, PreparedLaunch
from .wave import Wave


@dataclass(eq=False)
class Recurrence(Observer):
    """Looks whether threads come back to a state that they have been in. As in Brent's cycle
    detection the state to compare with is taken anew after twice as many steps each time. When the
    threads that run have come back to it, they are observed until all of the wave have done so."""

    wave: Wave
    at: int = -1  # the instruction that threads must come back to
    # That of the wave; of none while nobody is observed.
    state: list[np.ndarray] = field(default_factory=list)

    def begin(self, at: int, lanes: Lanes) -> None:
        """What decides about these lanes now, before the instruction at `at`, is to come back."""
        self._stop()
        wave, names = self.wave, self.wave.program.deciding
        self.arrays = [
            *map(wave.registers.storage, sorted(names & wave.kernel.registers.keys())),
            *(wave.calls.slots.values() if PASSED in names else ()),
        ]
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
                raise self.wave.report.endless(
                    endless_loop(self.wave.kernel, executed, self.at), self.lane, self.runs, reads
                )

    def run(self, first: int, last: int, lanes: Lanes) -> None:
        self.ran[lanes] = True
        self.runs[first, last] += self.lane in lane_index(lanes)

    def read(self, access: Access, hit: Hit) -> None:
        if not self.wave.program.deciding.isdisjoint(
            self.wave.kernel.instructions[access.at].written
        ):
            self.stores.add(hit.store)
            self.plain |= not access.mbarrier
            mine = lane_index(hit.lanes) == self.lane
            if (own := bool(mine.any())) or access.mbarrier:
                self.reads[own, access.at] = access, hit.part(mine) if own else hit

    def write(self, access: Access, hit: Hit, values: Values) -> None:
        if any(
            (bits_of(hit.store.view(value.dtype)[hit.element + component]) != bits_of(value)).any()
            for component, value in enumerate(values)
        ):
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
        self.plain = False  # by an access that no mbarrier answers
        self.changed: set[Store] = set()
        # Those of `lane`, and of others from mbarriers: by whether they are its own, and where.
        self.reads: dict[tuple[bool, int], tuple[Access, Hit]] = {}
        self.wave.events.attend([*self.wave.events.observers, self])

    def _stop(self) -> None:
        """Nothing is proved before the machine begins anew."""
        self.at, self.state = -1, []
        if self in self.wave.events.observers:
            self.wave.events.attend(self.wave.events.observers[:-1])

    def _state(self) -> list[np.ndarray]:
        """All that decides how the wave goes on, memory aside."""
        wave, where = self.wave, np.full(self.wave.geometry.lanes, -1)
        calls, barriers, clusters, copies = wave.calls, wave.barriers, wave.clusters, wave.copies
        parts = [(here.at, index) for here, index in barriers.parts.items()]
        parked = chain(*barriers.parked.values(), wave.collectives.parked.items(), clusters.parked)
        for at, lanes in chain(
            wave.schedule.groups(), ((-2 - at, one) for at, one in chain(parked, parts))
        ):
            where[lanes] = at
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
            or (
                store.writable
                and (not store.names or use.touches(store.names, ("writes", "updates")))
            )
        }

    def _chance_decides(self) -> bool:
        """Whether something decides that comes by chance: a clock, which threads are together, or
        when a copy arrives that is on its way (an mbarrier is told of all of its copies when it is
        asked)."""
        copies, instructions = self.wave.copies, self.wave.kernel.instructions
        code = [one for first, last in self.runs for one in instructions[first : last + 1]]
        by_chance = {
            name
            for one in code
            for name in one.written
            if one.form.by_chance
            or any(part.name in CLOCKS for operand in one.operands for part in mentioned(operand))
        }
        return (
            (self.plain and (bool(copies.pending) or any(copies.landings.values())))
            or not by_chance.isdisjoint(self.wave.program.deciding)
            or any(one.form.by_chance and not one.written for one in code)
        )


FIRST_PAUSE = 1024  # instructions that a wave runs before it is asked whether it comes to its end
A_STEP = 2048  # threads at most that an instruction runs for and counts as one step


# Who makes the errors of a launch, and who observes it.
class Machine:
    """One launch: the program's instructions bound to a wave, and run wave after wave."""

    def __init__(
        self,
        job: PreparedLaunch,
        attach: Callable[[Wave], tuple[ErrorReport, Sequence[Observer]]],
    ):
        self.options = job.options
        order, in_turn = job.options.order, IN_TURN.fullmatch(job.options.order)
        places = noticed(job) if in_turn else frozenset[int]()
        self.schedule = schedule(order, job.options.seed, job.geometry.stride, places)
        self.wave = Wave(job, self.schedule)
        function, usual = job.program.linked.function, job.program.block_end
        self.block_end = block_ends(function, places) if places else usual
        # By where a straight run of instructions begins, its steps; made when first come to.
        self.steps: dict[int, list[Step]] = {}
        self.recent: set[int] = set()  # where straight runs have begun since the last pause
        self.wave.report, observers = attach(self.wave)
        self.wave.events = Events(observers)
        self.recurrence = Recurrence(self.wave)
        self.unstarted = job.geometry.blocks

    def run(self) -> None:
        """Run every block of the grid, or those of the options; raises what goes wrong."""
        runs = self.options.blocks or (range(self.wave.geometry.blocks),)
        wave = self.wave.geometry.wave_blocks
        waves = [run[first : first + wave] for run in runs for first in range(0, len(run), wave)]
        try:
            with np.errstate(all="ignore"):
                for blocks in reversed(waves) if self.options.order == "backwards" else waves:
                    self._run_wave(blocks.start, len(blocks))
        finally:
            self.wave.events.end()
        self.wave.events.complete()

    def _run_wave(self, first_block: int, blocks: int) -> None:
        self.wave.begin(first_block, blocks)
        self.unstarted -= blocks
        self.step_limit = self.wave.steps_taken + self.options.step_limit
        first = FIRST_PAUSE * -(-self.wave.geometry.lanes // A_STEP)  # of all lanes together
        self.pause = min(self.wave.steps_taken + first, self.step_limit)
        self.schedule.push(
            self.wave.linked.parts[self.wave.kernel.name].entry,
            compact(np.flatnonzero(self.wave.running)),
        )
        pc: int = 0
        lanes: Lanes = slice(0, 1)
        try:
            while group := self.schedule.pop():
                pc, lanes = group
                self._run_from(pc, lanes)
        except OutOfTime:  # between two groups; inside one, its place is known by now
            raise self._out_of_time(self.block_end[pc], lanes) from None
        self._nothing_is_left_waiting()

    def _run_from(self, pc: int, lanes: Lanes) -> None:
        """Run a group until it parts, waits, ends, or another group stands at or before it."""
        steps, block_end = self.steps, self.block_end
        try:
            while True:
                end = block_end[pc]
                if pc not in steps:
                    steps[pc] = self._bound(pc, end)
                self._account(pc, end, lanes)
                try:
                    for step in steps[pc]:
                        successors = step(lanes)
                except Rebind as wish:
                    steps.clear()
                    for step in self._bound(wish.at, end):
                        successors = step(lanes)
                if len(successors) == 1 and self.schedule.may_go_on(*successors[0]):
                    pc, lanes = successors[0]
                    continue
                for successor in successors:
                    self.schedule.push(*successor)
                return
        except OutOfTime:
            raise self._out_of_time(end, lanes) from None

    def _bound(self, pc: int, end: int) -> list[Step]:
        """The steps of a straight run of instructions; the last says where lanes go on."""
        code, steps = self.wave.kernel.instructions, list[Step]()
        for at in range(pc, end + 1):
            try:
                steps.append(bind(code[at], at, self.wave))
            except (Malformed, Unsupported) as error:
                raise self.wave.report.refused(error, code[at]) from error
        return fused(
            steps if code[end].form.control else [*steps, lambda lanes: ((end + 1, lanes),)]
        )

    def _account(self, pc: int, end: int, lanes: Lanes) -> None:
        self.wave.steps_taken += (end + 1 - pc) * -(-count(lanes) // A_STEP)
        if self.wave.steps_taken > self.pause:
            self._pause(pc, end, lanes)
        elif pc == self.recurrence.at:
            self.recurrence.visit(lanes, self.unstarted)
        self.recent.add(pc)
        self.wave.events.run(pc, end, lanes)

    def _pause(self, pc: int, end: int, lanes: Lanes) -> None:
        """At twice the steps of the last pause: has this come to its end, and what did it do?"""
        if self.wave.steps_taken > self.step_limit:
            raise self._still_running(end, lanes, self.options.step_limit)
        self.recent.clear()
        self.recurrence.begin(pc, lanes)
        self.pause = min(2 * self.wave.steps_taken, self.step_limit)

    def _out_of_time(self, at: int, lanes: Lanes) -> BaseException:
        """Of a batch nobody knows which launch would have taken too long."""
        return OutOfTime() if self.wave.geometry.launches > 1 else self._still_running(at, lanes, 0)

    def _still_running(self, at: int, lanes: Lanes, steps: int) -> CudaError:
        """After so many steps; 0: its time is up."""
        executed = {at for pc in self.recent for at in range(pc, self.block_end[pc] + 1)}
        # One thread may work while all others of the wave have ended or wait: then the loop may
        # end, only later than anybody wants to wait.
        elsewhere = set(range(len(self.wave.kernel.instructions))) - self.wave.program.exits
        threads = self.wave.geometry.threads * self.wave.geometry.blocks
        return self.wave.report.error(
            StepLimit,
            endless_loop(self.wave.kernel, executed, at),
            lane_index(lanes)[0],
            "still_running",
            steps=steps,
            alone=count(lanes) == 1 < threads and not len(self.wave.standing_at(elsewhere)),
        )

    def _nothing_is_left_waiting(self) -> None:
        wave = self.wave
        for kind, what in (
            (ShuffleDivergence, wave.collectives),
            (BarrierDivergence, wave.barriers),
            (BarrierDivergence, wave.clusters),
        ):
            for at, lane, fault, facts in what.waiting():
                raise wave.report.error(kind, at, lane, fault, **facts)


def noticed(job: PreparedLaunch) -> frozenset[int]:
    """The instructions that touch memory which the launch changes and others may use: global
    memory (in a cluster shared memory, too), and whatever is atomic or volatile. What a call does
    is taken to be noticed."""
    use = job.program.memory_use
    names = {ANYWHERE}.union(
        *(
            store.names
            for store in job.flat.stores
            if store.writable and use.touches(store.names, ("writes", "updates"))
        )
    )
    clustered = job.geometry.cluster_blocks > 1
    return frozenset(
        at
        for at, one in enumerate(job.program.linked.function.instructions)
        if one.form.flow is Flow.CALL
        or (one.form.has("wait_group") and one.form.has("aligned"))  # of a warpgroup
        or not use.touched.get(at, frozenset()).isdisjoint(names)
        or any(transfer.strong or clustered for _, transfer in one.form.transfers)
    )
