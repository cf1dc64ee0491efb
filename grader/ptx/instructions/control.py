"""Branches, exits and barriers: where lanes part, end, or wait for each other."""

from __future__ import annotations

import numpy as np

from ...cuda.errors import CudaError
from ...machine.barriers import Aligned, Reduction
from ...machine.events import Step, Successors
from ...machine.lanes import Lanes, compact, merge
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Source
from ...machine.operands import read
from ...machine.wave import Wave
from ..forms.form import Flow
from ..forms.steps import guard_of
from ..forms.table import collective, control, effect
from ..ptx import Instruction, Operand, symbol_of

_MADE_BY_THE_COMPILER = (
    " It stands on no line: the compiler puts one where it sees that what is written cannot be"
    " done, such as an atomic on a variable of the thread's own."
)


@control("bra", "uni? : a", flow=Flow.BRANCH)
def branch(instruction: Instruction, at: int, wave: Wave) -> Step:
    target = wave.kernel.labels[symbol_of(instruction.operands[0])]
    if instruction.guard is None:
        return lambda lanes: ((target, lanes),)
    guard, negated = guard_of(instruction, wave), instruction.guard_negated

    def step(lanes: Lanes) -> Successors:
        taken = guard[lanes] ^ negated
        number = int(np.count_nonzero(taken))
        for tell in wave.events.branch:
            tell(at, lanes, taken)
        if number == len(taken):
            return ((target, lanes),)
        if number == 0:
            return ((at + 1, lanes),)
        index = lane_index(lanes)
        return ((target, compact(index[taken])), (at + 1, compact(index[~taken])))

    return step


@control("brx", "idx uni? : a, b", flow=Flow.TABLE)
def branch_by_index(instruction: Instruction, at: int, wave: Wave) -> Step:
    """index, table: a jump through a list of labels."""
    index, table = instruction.operands
    targets = [wave.kernel.labels[name] for name in wave.kernel.tables[symbol_of(table)]]
    chosen = read(index, "u32", wave)

    def step(lanes: Lanes) -> Successors:
        lane, which = lane_index(lanes), chosen[lanes]
        parts: dict[int, list[Lanes]] = {}
        for number in np.unique(which):
            parts.setdefault(targets[int(number)], []).append(compact(lane[which == number]))
        return tuple((target, merge(groups)) for target, groups in parts.items())

    return step


@control(
    "bar barrier",
    "cta? sync aligned? : a, b?",
    "cta? arrive aligned? : a, b",
    "cta? red popc aligned? u32 : d, a, c or d, a, b, c",
    "cta? red and|or aligned? pred : d, a, c or d, a, b, c",
)
def block_barrier(instruction: Instruction, at: int, wave: Wave) -> Step:
    """id[, threads]; a reduction has a result before them and a predicate after them."""
    operands = list(instruction.operands)
    if instruction.form.has("red"):
        target, predicate = operands.pop(0), operands.pop()
        wave.barriers.reductions[at] = _reduction(instruction, target, predicate, wave)
    which, *rest = [read(operand, "u32", wave) for operand in operands]
    threads = rest[0] if rest else None
    waits = not instruction.form.has("arrive")
    aligned = instruction.form.name == "bar" or instruction.form.has("aligned")

    def step(lanes: Lanes) -> Successors:
        onward: Successors = ()
        for barrier, number, group in _by_barrier(lanes, which, threads):
            if barrier == 0 and number == wave.geometry.stride:
                number = None  # `__syncthreads()`, spelled out
            if aligned and number is not None:
                here = Aligned(at, barrier, number, waits)
                onward += wave.barriers.arrive_aligned(group, here)
            else:
                onward += wave.barriers.arrive(group, at, barrier, number, waits)
        return onward

    return step


def _by_barrier(
    lanes: Lanes, which: Source, threads: Source | None
) -> list[tuple[int, int | None, Lanes]]:
    """(barrier id, number of threads or None, the lanes that name them)."""
    ids = which[lanes]
    first = int(ids[0])
    if (ids == first).all():
        return [(first, int(threads[lanes][0]) if threads is not None else None, lanes)]
    index = lane_index(lanes)
    return [
        group
        for barrier in np.unique(ids)
        for group in _by_barrier(compact(index[ids == barrier]), which, threads)
    ]


def _reduction(
    instruction: Instruction, target: Operand, predicate: Operand, wave: Wave
) -> Reduction:
    """What bar.red leaves in every thread: a count, or whether all or any predicates held."""
    operation = instruction.form.one_of(("popc", "and", "or")) or ""
    out = wave.registers.write(target, "u32" if operation == "popc" else "pred")
    predicate = read(predicate, "pred", wave)

    def give(index: np.ndarray, held: np.ndarray, met: np.ndarray) -> None:
        out[index] = {"popc": held, "and": held == met, "or": held > 0}[operation]

    return Reduction(lambda index: predicate[index], give)


@collective("bar", "warp sync : mask")
def warp_barrier(instruction: Instruction, at: int, wave: Wave) -> Step:
    """`__syncwarp`."""
    masks = np.asarray(read(instruction.operands[0], "u32", wave))

    def combine(together: Lanes) -> None:
        for tell in wave.events.warp_barrier:
            tell(at, together, masks)

    return combine


@effect("membar", "cta|gl|sys :", orders=True)
@effect(
    "fence",
    "sc|acq_rel|acquire|release? SCOPE :",
    "acquire|release sync_restrict::shared::cluster|sync_restrict::shared::cta cluster :",
    "proxy alias|async :",
    "proxy async::generic acquire|release "
    "sync_restrict::shared::cluster|sync_restrict::shared::cta cluster :",
    "proxy async global|shared::cta|shared::cluster :",
    "mbarrier_init release cluster :",
    orders=True,
)
def fence(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Every access takes effect at once here; what a fence does is to order it for others."""
    wide = "cta" not in instruction.form.mods

    def step(lanes: Lanes) -> None:
        for tell in wave.events.fence:
            tell(at, lanes, wide)

    return step


@effect("nanosleep", "u32 : a")
def nanosleep(instruction: Instruction, at: int, wave: Wave) -> Step:
    def step(lanes: Lanes) -> None:
        wave.schedule.spins += 1

    return step


@control("trap", ":", flow=Flow.TRAP)
def trap(instruction: Instruction, at: int, wave: Wave) -> Step:
    def step(lanes: Lanes) -> None:
        lane = int(lane_index(lanes)[0])
        what = "stops the kernel with a trap."
        if not wave.kernel.instructions[at].line:
            what += _MADE_BY_THE_COMPILER
        raise wave.report.error(CudaError, at, lane, what)

    return step
