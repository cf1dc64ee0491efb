"""The SIMT machine: runs a kernel's program over waves of blocks.

Threads that stand at the same instruction execute it together, one NumPy operation for all of
them. Where they part, the group at the lowest instruction goes first, so that groups meet again
at the first place their paths join ("thread frontiers", Diamos et al., 2011). A group that waits
(barrier, shuffle) is parked until the others have come. A group that spins on memory gives way
after a while, so that locks and flags make progress, as they do on hardware since Volta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ...errors import BarrierDivergence, CudaError, OutOfTime, ShuffleDivergence, StepLimit
from ...limits import architecture
from ..isa.instruction_set import bind
from ..memory.access import Access, Hit
from ..memory.copies import Copies
from ..memory.layout import LocalLayout
from ..memory.spaces import AccessFault, GlobalSpace, Heap, PrivateSpace
from ..program.assembly import Assembly
from ..program.control_flow import endless_loop
from ..program.executable import Executable
from ..program.naming import Names
from .call_stack import Calls
from .events import Events, Observer, Rebind, Step, Successors
from .geometry import Geometry
from .lanes import Lanes, compact, count
from .lanes import index as lane_index
from .noticing import ends_before, noticed
from .options import Options
from .printf import Output
from .registers import RegisterFile
from .schedule import IN_TURN, schedule
from .special_registers import SpecialRegisters
from .synchronization.barriers import Barriers
from .synchronization.cluster_barrier import ClusterBarrier
from .synchronization.collectives import Collectives

FIRST_PAUSE = 1024  # steps
A_STEP = 2048  # threads at most that an instruction runs for and counts as one step


@dataclass(frozen=True)
class Job:
    """A launch, ready to run: what to execute, on how many threads, with which memory.

    `constants` are the parameters that point to const; `assembly` knows what of the program was
    written by hand, `names` what memory is called in the source; `flat` is global memory with
    constants and parameters; `symbols` gives the address of every variable and
    parameter; `output` takes what is printed.
    """

    program: Executable
    constants: frozenset[str]
    assembly: Assembly
    layout: LocalLayout
    names: Names
    geometry: Geometry
    heap: Heap
    flat: GlobalSpace
    shared: PrivateSpace
    local: PrivateSpace
    symbols: dict[str, int]
    options: Options
    output: Output
    cooperative: bool


class Report(Protocol):
    """Makes exceptions of what goes wrong at an instruction, with line, block and thread."""

    def error(self, kind: type[CudaError], at: int, lane: int, predicate: str) -> CudaError: ...

    def access_error(
        self, raised: AccessFault, at: int, lane: np.ndarray, verb: str, size: int
    ) -> CudaError: ...

    def misaligned(self, access: Access, lane: int, address: int) -> CudaError: ...

    def read_only(self, access: Access, hit: Hit) -> CudaError: ...


# Whom a machine reports to, and who observes it.
Attach = Callable[["Machine"], tuple[Report, Sequence[Observer]]]


class Machine:
    """One launch: registers, memory and program bound together, wave after wave."""

    def __init__(self, job: Job, attach: Attach):
        self.job, self.program, self.linked = job, job.program, job.program.linked
        self.kernel = self.linked.function
        self.constants, self.names, self.output = job.constants, job.names, job.output
        self.geometry, self.heap = job.geometry, job.heap
        self.flat, self.shared, self.local = job.flat, job.shared, job.local
        self.symbols = job.symbols
        self.options = job.options
        self.device = architecture(job.options.architecture)
        self.registers = RegisterFile(self.kernel.registers, job.geometry.lanes)
        self.special = SpecialRegisters(
            job.geometry, job.cooperative, self.device.sms, lambda: self.steps_taken
        )
        self.barriers = Barriers(self)
        self.collectives = Collectives(self)
        self.clusters = ClusterBarrier(self)
        self.copies = Copies(job.geometry.lanes)
        self.calls = Calls(self.linked, job.layout, self)
        self.steps_taken = 0
        order, in_turn = job.options.order, IN_TURN.fullmatch(job.options.order)
        places = noticed(job) if in_turn else frozenset[int]()
        self.schedule = schedule(order, job.options.seed, job.geometry.stride, places)
        self.results: dict[int, str | None] = {}  # by call: the slot its result goes to
        code = self.kernel.instructions
        self.block_end = ends_before(places, job.program.block_end)
        self.steps: list[Step] = [_unbound] * len(code)  # bound when first come to
        self.recent: set[int] = set()  # where straight runs have begun since the last pause
        self.first_block = 0
        self.running = np.zeros(job.geometry.lanes, bool)
        self.live = np.zeros(job.geometry.wave_blocks, np.int64)
        self.report, observers = attach(self)
        self.events = Events(observers)

    def run(self) -> None:
        """Run every block of the grid, or those of the options; raises what goes wrong."""
        runs = self.options.blocks or (range(self.geometry.blocks),)
        wave = self.geometry.wave_blocks
        waves = [run[first : first + wave] for run in runs for first in range(0, len(run), wave)]
        try:
            with np.errstate(all="ignore"):
                for blocks in reversed(waves) if self.options.order == "backwards" else waves:
                    self._run_wave(blocks.start, len(blocks))
        finally:
            for tell in self.events.end:
                tell()
        for tell in self.events.complete:
            tell()

    def exit(self, lanes: Lanes) -> None:
        """These threads have left the kernel."""
        blocks = self.geometry.block_of_lane[lanes]
        self.live -= np.bincount(blocks, minlength=self.geometry.wave_blocks)
        self.running[lanes] = False
        for tell in self.events.exit:
            tell(lanes)
        self.collectives.leave(lanes)
        for successor in (*self.barriers.released_by_exit(), *self.clusters.released()):
            self.schedule.push(*successor)

    def _run_wave(self, first_block: int, blocks: int) -> None:
        geometry = self.geometry
        self.first_block = first_block
        self.special.begin_wave(first_block)
        self.running = (geometry.thread_of_lane < geometry.threads) & (
            geometry.block_of_lane < blocks
        )
        self.live = np.where(np.arange(geometry.wave_blocks) < blocks, geometry.threads, 0)
        self.collectives.begin_wave()
        self.clusters.begin_wave()
        self.shared.reset()
        self.local.reset()
        self.copies.reset()
        for tell in self.events.begin_wave:
            tell(first_block)
        self.step_limit = self.steps_taken + self.options.step_limit
        self.pause = min(self.steps_taken + FIRST_PAUSE, self.step_limit)
        self.calls.begin_wave()
        entry = self.linked.parts[self.kernel.name].entry
        self.schedule.push(entry, compact(np.flatnonzero(self.running)))
        self._run_groups()
        self._nothing_is_left_waiting()

    def _run_groups(self) -> None:
        pc: int = 0
        lanes: Lanes = slice(0, 1)
        try:
            while group := self.schedule.pop():
                pc, lanes = group
                self._run_from(pc, lanes)
        except OutOfTime:  # between two groups; in one, it is known where that stands by now
            raise self._still_running(self.block_end[pc], lanes, "when its time was up") from None

    def _run_from(self, pc: int, lanes: Lanes) -> None:
        """Run a group until it parts, waits, ends, or another group stands at or before it."""
        steps, block_end = self.steps, self.block_end
        try:
            while True:
                end = block_end[pc]
                if steps[pc] is _unbound:
                    self._bind(pc, end)
                self._account(pc, end, lanes)
                try:
                    for step in steps[pc:end]:
                        step(lanes)
                    successors = steps[end](lanes)
                except Rebind as wish:
                    steps[:] = [_unbound] * len(steps)
                    self._bind(pc, end)
                    for step in steps[wish.at : end]:
                        step(lanes)
                    successors = steps[end](lanes)
                if len(successors) == 1 and self.schedule.may_go_on(*successors[0]):
                    pc, lanes = successors[0]
                    continue
                for successor in successors:
                    self.schedule.push(*successor)
                return
        except OutOfTime:
            raise self._still_running(end, lanes, "when its time was up") from None

    def _bind(self, pc: int, end: int) -> None:
        """Make the steps of a straight run of instructions."""
        code = self.kernel.instructions
        for at in range(pc, end + 1):
            with self.job.assembly.may_be_wrong(code[at]):
                self.steps[at] = bind(code[at], at, self)
        if not code[end].form.control:
            self.steps[end] = _then_next(self.steps[end], end)

    def _account(self, pc: int, end: int, lanes: Lanes) -> None:
        self.steps_taken += (end + 1 - pc) * -(-count(lanes) // A_STEP)
        if self.steps_taken > self.pause:
            self._pause(end, lanes)
        self.recent.add(pc)
        for tell in self.events.run:
            tell(pc, end, lanes)

    def _pause(self, at: int, lanes: Lanes) -> None:
        """At twice the steps of the last pause: has this come to its end, and what did it do?"""
        if self.steps_taken > self.step_limit:
            steps = f"after {self.options.step_limit:,} instruction steps"
            raise self._still_running(at, lanes, steps)
        self.recent.clear()
        self.pause = min(2 * self.steps_taken, self.step_limit)

    def _still_running(self, at: int, lanes: Lanes, when: str) -> CudaError:
        executed = {at for pc in self.recent for at in range(pc, self.block_end[pc] + 1)}
        return self.report.error(
            StepLimit,
            endless_loop(self.kernel, executed, at),
            lane_index(lanes)[0],
            f"is still running {when}. Does the loop's condition ever become false? If it waits "
            "for another thread or block, does that one ever do what it waits for?"
            f"{self._alone(lanes)}",
        )

    def _alone(self, lanes: Lanes) -> str:
        """Of one thread that works while all others of the wave have ended or wait: the loop may
        end, only later than anybody wants to wait."""
        elsewhere = set(range(len(self.kernel.instructions))) - self.collectives.exits
        if count(lanes) > 1 or len(self.schedule.standing_at(elsewhere)):
            return ""
        if self.geometry.threads * self.geometry.blocks == 1:
            return ""
        return (
            " Or does this one thread do alone, element by element, what all threads of the launch "
            "should share? No other is at work."
        )

    def _nothing_is_left_waiting(self) -> None:
        if waiting := self.collectives.waiting():
            at, lane, missing = waiting
            raise self.report.error(ShuffleDivergence, at, lane, missing)
        if waiting := self.barriers.waiting() or self.clusters.waiting():
            at, lane, missing = waiting
            raise self.report.error(BarrierDivergence, at, lane, missing)


def _unbound(lanes: Lanes) -> None:
    """Stands for the step of an instruction that nobody has come to yet."""
    raise NotImplementedError


def _then_next(step: Step, at: int) -> Step:
    """A plain instruction before a label, made to end its straight run."""

    def run_and_fall_through(lanes: Lanes) -> Successors:
        step(lanes)
        return ((at + 1, lanes),)

    return run_and_fall_through
