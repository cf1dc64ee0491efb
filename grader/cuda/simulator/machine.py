"""The SIMT machine: runs a kernel's program over waves of blocks.

Threads that stand at the same instruction execute it together, one NumPy operation for all of
them. Where they part, the group at the lowest instruction goes first, so that groups meet again
at the first place their paths join ("thread frontiers", Diamos et al., 2011). A group that waits
(barrier, shuffle) is parked until the others have come. A group that spins on memory gives way
after a while, so that locks and flags make progress, as they do on hardware since Volta.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..errors import BarrierDivergence, OutOfTime, ShuffleDivergence, StepLimit
from ..limits import architecture
from .assembly import Assembly
from .calls import Calls
from .geometry import Geometry
from .hazards.naming import Names
from .hazards.races import Races
from .hazards.report import Reporter
from .hazards.unset import Unset, UnsetLoaded
from .isa.form import Flow
from .isa.instruction_set import bind
from .lanes import Lanes, compact, count, warps
from .lanes import index as lane_index
from .memory.copies import Copies
from .memory.layout import LocalLayout
from .memory.spaces import GlobalSpace, Heap, PrivateSpace
from .program.dataflow import Traffic
from .program.linker import Image
from .program.liveness import MaybeUnset, with_loads
from .program.ptx import Function
from .registers import RegisterFile
from .schedule import schedule
from .special import SpecialRegisters
from .waiting.barriers import Barriers
from .waiting.clusters import ClusterBarrier
from .waiting.collectives import Collectives
from .watching.observe import Options, Run
from .watching.watch import Watch

FIRST_PAUSE = 1024  # steps

Successors = tuple[tuple[int, Lanes], ...]


@dataclass(frozen=True)
class Job:
    """A launch, ready to run: what to execute, on how many threads, with which memory.

    `block_end` is what `block_ends` makes of the image; `constants` are the parameters that point
    to const; `swap_starts` is what the function of that name finds; `assembly` knows what of it
    was written by hand; `spaces` maps "global", "shared" and "local" to the memory behind them;
    `symbols` gives the address of every variable and parameter.
    """

    image: Image
    block_end: list[int]
    traffic: Traffic
    maybe_unset: MaybeUnset
    constants: frozenset[str]
    swap_starts: frozenset[int]
    assembly: Assembly
    layout: LocalLayout
    names: Names
    geometry: Geometry
    heap: Heap
    spaces: dict[str, GlobalSpace | PrivateSpace]
    symbols: dict[str, int]
    options: Options
    run: Run
    observed: bool
    cooperative: bool


class Machine:
    """One launch: registers, memory and program bound together, wave after wave."""

    def __init__(self, job: Job):
        self.image, self.kernel = job.image, job.image.function
        self.traffic, self.constants = job.traffic, job.constants
        self.swap_starts, self.assembly = job.swap_starts, job.assembly
        self.geometry, self.heap = job.geometry, job.heap
        self.names = job.names
        self.spaces, self.symbols = job.spaces, job.symbols
        self.options, self.run_log, self.observed = job.options, job.run, job.observed
        self.device = architecture(job.options.architecture)
        self.registers = RegisterFile(self.kernel.registers, job.geometry.lanes)
        self.special = SpecialRegisters(
            job.geometry, job.cooperative, self.device.sms, lambda: self.steps_taken
        )
        self.report = Reporter(self)
        self.barriers = Barriers(self)
        self.collectives = Collectives(self)
        self.clusters = ClusterBarrier(self)
        self.copies = Copies(job.geometry.lanes)
        self.calls = Calls(job.image, job.layout, self)
        self.watch = Watch(self)
        self.races = Races(self) if job.options.checks else None
        follows = job.options.checks and job.maybe_unset.at_entry
        self.maybe_unset, self.follows_loads = job.maybe_unset, False
        self.unset = Unset(job.maybe_unset, self) if follows else None
        self.step_sites = array("q", [-1])  # by moment: the instruction that ran then
        self.steps_taken = 0
        self.schedule = schedule(job.options.order, job.options.seed)
        self.results: dict[int, str | None] = {}  # by call: the slot its result goes to
        code = self.kernel.instructions
        self.block_end = job.block_end
        self.steps: list[Callable | None] = [None] * len(code)  # bound when first come to
        self.executed_warps = np.zeros(len(code) + 1, np.int64)
        self.executed_threads = np.zeros(len(code) + 1, np.int64)
        self.executed_before = self.executed_warps  # as it was some time ago, for `endless_loop`
        self.idle_warps = np.zeros(len(code), np.int64)  # whose guard held in no lane

    def run(self) -> None:
        """Run every block of the grid; raises what goes wrong, races at the very end."""
        geometry = self.geometry
        with np.errstate(all="ignore"):
            waves = range(0, geometry.blocks, geometry.wave_blocks)
            for first in reversed(waves) if self.options.order == "backwards" else waves:
                self._run_wave(first, min(geometry.wave_blocks, geometry.blocks - first))
        self.run_log.steps += self.steps_taken
        self._count_instructions()
        self.report.raise_first_hazard()

    def tick(self, at: int) -> int:
        """A new moment, at which the instruction at `at` touches memory or synchronises."""
        self.step_sites.append(at)
        return self.now

    @property
    def now(self) -> int:
        """The moment that `tick` made last."""
        return len(self.step_sites) - 1

    def step_line(self, step: int) -> int | None:
        """The source line of what happened at a moment."""
        return self.kernel.instructions[self.step_sites[step]].line

    def exit(self, lanes: Lanes) -> None:
        """These threads have left the kernel."""
        blocks = self.geometry.block_of_lane[lanes]
        self.live -= np.bincount(blocks, minlength=self.geometry.wave_blocks)
        self.running[lanes] = False
        if self.races and self.geometry.cluster_blocks > 1:
            self.races.visits.leave(blocks[self.live[blocks] == 0])
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
        self.spaces["shared"].forget()
        self.spaces["local"].forget()
        self.copies.forget()
        if self.races:
            self.races.begin_wave(first_block, self.tick(0))
        if self.unset:
            self.unset.begin_wave()
        self.step_limit = self.steps_taken + self.options.step_limit
        self.pause = min(self.steps_taken + FIRST_PAUSE, self.step_limit)
        self.calls.begin_wave()
        entry = self.image.parts[self.kernel.name].entry
        self.schedule.push(entry, compact(np.flatnonzero(self.running)))
        while group := self.schedule.pop():
            self._run_from(*group)
        self._nothing_is_left_waiting()
        self.watch.paths.end_wave()

    def _run_from(self, pc: int, lanes: Lanes) -> None:
        """Run a group until it parts, waits, ends, or another group stands at or before it."""
        steps, block_end = self.steps, self.block_end
        try:
            while True:
                end = block_end[pc]
                if steps[pc] is None:
                    self._bind(pc, end)
                self._account(pc, end, lanes)
                try:
                    for step in steps[pc:end]:
                        step(lanes)
                    successors = steps[end](lanes)
                except UnsetLoaded as load:
                    self._follow_loads()
                    self._bind(pc, end)
                    for step in steps[load.at : end]:
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

    def _follow_loads(self) -> None:
        """From now on what is loaded, and was never written, is followed to where it matters."""
        self.maybe_unset, self.follows_loads = with_loads(self.maybe_unset, self.image), True
        self.unset = Unset(self.maybe_unset, self, self.unset)
        self.steps[:] = [None] * len(self.steps)

    def _bind(self, pc: int, end: int) -> None:
        """Make the steps of a straight run of instructions."""
        code = self.kernel.instructions
        for at in range(pc, end + 1):
            with self.assembly.may_be_wrong(code[at]):
                self.steps[at] = bind(code[at], at, self)
        if not code[end].form.control:
            self.steps[end] = _then_next(self.steps[end], end)

    def _account(self, pc: int, end: int, lanes: Lanes) -> None:
        self.steps_taken += end + 1 - pc
        if self.steps_taken > self.pause:
            self._pause(end, lanes)
        if self.observed:
            number, threads = warps(lanes), count(lanes)
            self.executed_warps[pc] += number
            self.executed_warps[end + 1] -= number
            self.executed_threads[pc] += threads
            self.executed_threads[end + 1] -= threads
            self.watch.paths.execute(lanes, end + 1 - pc)
            if self.first_block == 0:
                self._trace_execution(pc, end, lanes)

    def _trace_execution(self, pc: int, end: int, lanes: Lanes) -> None:
        lane = lane_index(lanes)
        threads = lane[: int(np.searchsorted(lane, self.geometry.stride))]
        if len(threads):
            code = self.kernel.instructions
            for line in dict.fromkeys(code[at].line for at in range(pc, end + 1)):
                self.run_log.trace.add(line, "execute", threads)

    def _pause(self, at: int, lanes: Lanes) -> None:
        """At twice the steps of the last pause: has this come to its end, and what did it do?"""
        if self.steps_taken > self.step_limit:
            steps = f"after {self.options.step_limit:,} instruction steps"
            raise self._still_running(at, lanes, steps)
        self.executed_before = self.executed_warps.copy()
        self.pause = min(2 * self.steps_taken, self.step_limit)

    def _still_running(self, at: int, lanes: Lanes, when: str) -> StepLimit:
        since = (self.executed_warps - self.executed_before).cumsum()
        return self.report.error(
            StepLimit,
            endless_loop(self.kernel, since, at),
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

    def _count_instructions(self) -> None:
        if not self.observed:
            return
        counters = self.run_log.counters
        counters.add_paths(self.watch.paths.counted)
        per_warp, per_thread = self.executed_warps.cumsum(), self.executed_threads.cumsum()
        for at, instruction in enumerate(self.kernel.instructions):
            counters.add(instruction.line, "inst_executed", per_warp[at])
            counters.add(instruction.line, "thread_inst_executed", per_thread[at])
            executed = int(per_warp[at] - self.idle_warps[at])
            counters.opcodes[instruction.form.opcode] += executed


def _then_next(step, at: int):
    """A plain instruction before a label, made to end its straight run."""

    def run_and_fall_through(lanes: Lanes) -> Successors:
        step(lanes)
        return ((at + 1, lanes),)

    return run_and_fall_through


def endless_loop(kernel: Function, executed: np.ndarray, at: int) -> int:
    """The jump back of the outermost loop that has gone round, by what each instruction has
    `executed` of late; `at` where none has, as in a recursion."""
    loops = [
        (end - kernel.labels[operand.name], end)
        for end, instruction in enumerate(kernel.instructions)
        if instruction.form.flow is Flow.BRANCH and executed[end]
        for operand in instruction.operands
        if kernel.labels.get(getattr(operand, "name", ""), end + 1) <= end
    ]
    return max(loops, default=(0, at))[1]


def block_ends(kernel: Function) -> list[int]:
    """For each instruction, the index of the one that ends its straight run: the next control
    instruction, or the last one before a label."""
    code = kernel.instructions
    targets = set(kernel.labels.values())
    ends, end = [0] * len(code), len(code) - 1
    for at in reversed(range(len(code))):
        if code[at].form.control or at + 1 in targets:
            end = at
        ends[at] = end
    return ends
