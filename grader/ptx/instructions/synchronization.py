"""Barriers of a block, a warp and a cluster, fences, and atomic read-modify-write operations; then
what the lanes of a warp do together: shuffles, votes, matches, reductions, who is active (PTX ISA,
"Parallel Synchronization and Communication Instructions"). Barriers in memory stand in
`asynchronous_copies`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from ...machine.lanes import WARP, Lanes, Step, Successors, by_value, lane_index, put
from ...machine.memory.access import LaneValues, compare_and_swap
from ...machine.wave import Arrival, Reduction, Wave
from ..numbers import DTYPES, flush, fmax, fmin, on_registers
from ..program import (
    Carries,
    Immediate,
    Instruction,
    Operand,
    require,
    several,
)
from ..table import Compute, collective, control, effect, results_of
from .floating_point import KINDS


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
        wave.barriers.reductions[at] = _reduction(
            instruction, operands.pop(0), operands.pop(), wave
        )
    which, *rest = [wave.read(operand, "u32") for operand in operands]
    threads = rest[0] if rest else None
    fixed = int(which[slice(1)][0]) if isinstance(operands[0], Immediate) else None
    waits = not instruction.form.has("arrive")
    aligned = instruction.form.name == "bar" or instruction.form.has("aligned")

    def step(lanes: Lanes) -> Successors:
        onward: Successors = ()
        for barrier, group in (
            ((fixed, lanes),) if fixed is not None else by_value(lanes, which[lanes])
        ):
            asked = int(threads[group][0]) if threads is not None else None
            # Barrier 0 for the whole block is `__syncthreads()`, spelled out.
            number = None if barrier == 0 and asked == wave.geometry.stride else asked
            here, one_by_one = Arrival(at, barrier, number, waits), not aligned or number is None
            arrive = wave.barriers.arrive if one_by_one else wave.barriers.arrive_aligned
            onward += arrive(group, here)
        return onward

    return step


def _reduction(
    instruction: Instruction, target: Operand, predicate: Operand, wave: Wave
) -> Reduction:
    """What bar.red leaves in every thread: a count, or whether all or any predicates held."""
    operation = instruction.form.one_of(("popc", "and", "or")) or ""
    out = wave.registers.write(target, "u32" if operation == "popc" else "pred")
    predicate = wave.read(predicate, "pred")

    def give(lanes: Lanes, held: np.ndarray, met: np.ndarray) -> None:
        out[lanes] = {"popc": held, "and": held == met, "or": held > 0}[operation]

    return Reduction(lambda lanes: predicate[lanes], give)


@collective("bar", "warp sync : mask")
def warp_barrier(instruction: Instruction, at: int, wave: Wave) -> Step:
    """`__syncwarp`."""
    masks = np.asarray(wave.read(instruction.operands[0], "u32"))
    return lambda together: wave.events.warp_barrier(at, together, masks)


@effect("membar", "cta|gl|sys :", orders=True)
@effect("fence", "sc|acq_rel|acquire|release? SCOPE :", orders=True)
@effect(
    "fence",
    "acquire|release sync_restrict::shared::cluster|sync_restrict::shared::cta cluster :",
    "proxy alias|async :",
    "proxy async::generic acquire|release "
    "sync_restrict::shared::cluster|sync_restrict::shared::cta cluster :",
    "proxy async global|shared::cta|shared::cluster :",
    "mbarrier_init release cluster :",
)
def fence(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Every access takes effect at once here; what a fence does is to order it for others."""
    wide = "cta" not in instruction.form.mods
    return lambda lanes: wave.events.fence(at, lanes, wide)


@control(
    "barrier", "cluster arrive release|relaxed? aligned? :", "cluster wait acquire? aligned? :"
)
def cluster_barrier(instruction: Instruction, at: int, wave: Wave) -> Step:
    """To arrive is not to wait."""
    return (
        (lambda lanes: wave.clusters.wait(lanes, at))
        if instruction.form.has("wait")
        else (lambda lanes: (*wave.clusters.arrive(lanes), (at + 1, lanes)))
    )


OPERATIONS: dict[str, Compute] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
    "exch": lambda old, new: new,
    "inc": lambda old, limit: np.where(old >= limit, 0, old + np.uint32(1)).astype(old.dtype),
    "dec": lambda old, limit: np.where((old == 0) | (old > limit), limit, old - np.uint32(1)),
    "cas": compare_and_swap,
}
_ON_FLOATS: dict[str, Compute] = {"add": np.add, "min": fmin, "max": fmax}


def operation_on(kind: str, name: str) -> Compute:
    """The operation of an atomic on values of a PTX type; KeyError if there is none."""
    return on_registers(_ON_FLOATS[name], kind) if kind in KINDS else OPERATIONS[name]


_WHERE = "SEM? SCOPE? SPACE?"
_REDUCTIONS = [  # what red knows as well
    f"{_WHERE} {{0}} L2::cache_hint? {{1}}".format(*pair)
    for pair in (
        ("add", "u32|s32|u64|f32|f64"),
        ("min|max", "u32|s32|u64|s64"),
        ("and|or|xor", "b32|b64"),
        ("inc|dec", "u32"),
        ("add noftz", "HALF"),
        ("add|min|max noftz", "v2|v4|v8 HALF"),
        ("add", "v2|v4 f32"),
    )
]


@effect("red", *[f"{line} : updates[a], b, policy?" for line in _REDUCTIONS], atomic=True)
@effect(
    "atom",
    *[f"{line} : d, updates[a], b, policy?" for line in _REDUCTIONS],
    f"{_WHERE} exch L2::cache_hint? b32|b64 : d, updates[a], b, policy?",
    f"{_WHERE} cas L2::cache_hint? b16|b32|b64 : d, updates[a], b, c, policy?",
    atomic=True,
)
def atomic(instruction: Instruction, at: int, wave: Wave) -> Step:
    """On global memory, adding float32 flushes subnormal numbers."""
    form, operands = instruction.form, list(instruction.operands)
    if form.has("L2::cache_hint"):
        operands.pop()
    target = operands.pop(0) if form.name == "atom" else None
    address, *sources = operands
    require(len(sources) == (2 if form.compares else 1), "no_value_or_policy")
    ((_, transfer),), kind = form.transfers, form.type
    operation = operation_on(kind, form.one_of(OPERATIONS) or "")
    access = wave.access(transfer, address, at, "atomically updates")
    number = transfer.components
    values_of = [[wave.read(item, kind) for item in several(one, number)] for one in sources]
    outs = [
        wave.registers.write(item, kind) for item in (several(target, number) if target else ())
    ]

    def step(lanes: Lanes) -> None:
        wave.spin()
        for hit in access.hits(lanes):
            cleaned: Compute = flush if kind == "f32" and hit.space == "global" else np.asarray
            values = [[cleaned(item[hit.lanes]) for item in source] for source in values_of]
            put(outs, hit.lanes, access.update(hit, operation, values, cleaned))

    return step


# ---- what the lanes of a warp do together ----


@collective("shfl", "sync up|down|bfly|idx b32 : d, a, b, c, mask", carries=Carries.ACROSS)
def shuffle(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d[|p], a, distance, clamp and segment, mask"""
    target, *operands = instruction.operands
    mode, outs = instruction.form.mods[1], results_of(target, ("b32", "pred"), wave)
    value, delta, clamp = (wave.read(operand, "b32") for operand in operands[:3])
    events = wave.events

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        lane = index & WARP - 1  # NumPy takes ten times as long for the remainder
        # The lane of its warp that each lane reads, and whether that lies in its segment: as the
        # PTX ISA defines it.
        distance, bounds = _alike(delta[together]), _alike(clamp[together]).astype(np.int64)
        segment = bounds >> 8 & 31
        end = lane & segment | (bounds & 31 & ~segment)
        source = _SOURCES[mode](lane, distance.astype(np.int64) & 31, segment)
        inside = source >= end if mode == "up" else source <= end
        source = np.where(inside, source, lane) + (index - lane)
        events.shuffle(at, together, source)
        put(outs, together, (value[source], inside))
        events.shuffled(at, together, source)

    return combine


def _alike(values: np.ndarray) -> np.ndarray:
    """The one value that all lanes have, which broadcasts; or the values."""
    return values if np.count_nonzero(values != values[0]) else values[:1]


# By mode, which lane each reads: of `lane`, `delta` from 0 to 31 and the bits of the segment.
_SOURCES: dict[str, Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]] = {
    "up": lambda lane, delta, segment: lane - delta,
    "down": lambda lane, delta, segment: lane + delta,
    "bfly": lambda lane, delta, segment: lane ^ delta,
    "idx": lambda lane, delta, segment: lane & segment | (delta & ~segment),
}


@collective("vote", "sync all|any|uni pred : d, a, mask", "sync ballot b32 : d, a, mask")
def vote(instruction: Instruction, at: int, wave: Wave) -> Step:
    mode = instruction.form.mods[1]
    target, predicate, mask = instruction.operands
    out = wave.registers.write(target, "b32" if mode == "ballot" else "pred")
    predicate, masks = wave.read(predicate, "pred"), wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        ballot = wave.present(index[predicate[index]])[index // WARP] & masks[index]
        everyone = wave.present(index)[index // WARP] & masks[index]
        out[together] = {
            "ballot": lambda: ballot,
            "any": lambda: ballot != 0,
            "all": lambda: ballot == everyone,
            "uni": lambda: (ballot == 0) | (ballot == everyone),
        }[mode]()

    return combine


@effect("activemask", "b32 : d", by_chance=True)
def activemask(instruction: Instruction, at: int, wave: Wave) -> Step:
    out = wave.registers.write(instruction.operands[0], "b32")

    def step(lanes: Lanes) -> None:
        index = lane_index(lanes)
        out[lanes] = wave.present(index)[index // WARP]

    return step


@collective("redux", "sync add|min|max s32|u32 : d, a, mask", "sync and|or|xor b32 : d, a, mask")
def redux(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Every lane gets the group's sum, minimum, ..."""
    operation: Any = OPERATIONS[instruction.form.mods[1]]  # one of NumPy's own
    kind = instruction.form.type
    target, value, mask = instruction.operands
    out, value = wave.registers.write(target, kind), wave.read(value, kind)
    masks = wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        lanes, starts, sizes = _groups(lane_index(together), masks)
        out[lanes] = np.repeat(operation.reduceat(value[lanes], starts, dtype=DTYPES[kind]), sizes)

    return combine


@collective("match", "any|all sync b32|b64 : d, a, mask")
def match(instruction: Instruction, at: int, wave: Wave) -> Step:
    """any: which lanes of the group hold the same value; all, d[|p]: the whole group if all do,
    else 0."""
    target, value, mask = instruction.operands
    outs, value = results_of(target, ("b32", "pred"), wave), wave.read(value, instruction.form.type)
    masks = wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        lanes, starts, sizes = _groups(lane_index(together), masks, value)
        alike = np.repeat(_members(lanes, starts), sizes)
        if "all" in instruction.form.mods:
            lanes, starts, sizes = _groups(lanes, masks)  # in the same order
            alike = np.where(
                alike == np.repeat(_members(lanes, starts), sizes), alike, np.uint32(0)
            )
        put(outs, lanes, (alike, alike != 0))

    return combine


@collective("elect", "sync : d, mask")
def elect(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d|p: d is the group's lowest lane, p is true there."""
    target, mask = instruction.operands
    leader, flag = several(target, 2)
    leader, flag = wave.registers.write(leader, "b32"), wave.registers.write(flag, "pred")
    masks = wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        lanes, starts, sizes = _groups(lane_index(together), masks)
        chosen = np.repeat(lanes[starts], sizes)
        flag[lanes] = chosen == lanes
        leader[lanes] = chosen % WARP

    return combine


def _groups(
    index: np.ndarray, masks: LaneValues, value: LaneValues | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The lanes in an order that puts groups (of one warp, one mask and, if given, one value) side
    by side, lowest lane first; where each group starts, and how many lanes it has."""
    key = (index // WARP << 32) | masks[index].astype(np.int64)
    values = np.zeros(len(index), bool) if value is None else value[index]
    order = np.lexsort((values, key))
    key, values = key[order], values[order]
    starts = np.flatnonzero(np.r_[True, (key[1:] != key[:-1]) | (values[1:] != values[:-1])])
    return index[order], starts, np.diff(np.r_[starts, len(index)])


def _members(lanes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Per group, the mask of its lanes: uint32."""
    return np.bitwise_or.reduceat(
        np.left_shift(np.uint32(1), (lanes & WARP - 1).astype(np.uint32)), starts
    )
