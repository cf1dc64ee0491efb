"""Barriers of a block, a warp and a cluster, fences, and atomic read-modify-write operations (PTX
ISA, "Parallel Synchronization and Communication Instructions"). What a warp does together stands in
`warp`, barriers in memory in `mbarrier`."""

import numpy as np

from ...machine.lanes import Lanes, Step, Successors, by_value, put
from ...machine.memory.turns import compare_and_swap
from ...machine.wave import Arrival, Reduction, Wave
from ..numbers import flush, fmax, fmin, on_registers
from ..program import (
    Immediate,
    Instruction,
    Operand,
    require,
    several,
)
from ..table import Compute, collective, control, effect
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
        target, predicate = operands.pop(0), operands.pop()
        wave.barriers.reductions[at] = _reduction(instruction, target, predicate, wave)
    which, *rest = [wave.read(operand, "u32") for operand in operands]
    threads = rest[0] if rest else None
    fixed = int(which[slice(1)][0]) if isinstance(operands[0], Immediate) else None
    waits = not instruction.form.has("arrive")
    aligned = instruction.form.name == "bar" or instruction.form.has("aligned")

    def step(lanes: Lanes) -> Successors:
        onward: Successors = ()
        parts = ((fixed, lanes),) if fixed is not None else by_value(lanes, which[lanes])
        for barrier, group in parts:
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
    return lambda lanes: wave.events.fence(at, lanes, wide)


@control(
    "barrier", "cluster arrive release|relaxed? aligned? :", "cluster wait acquire? aligned? :"
)
def cluster_barrier(instruction: Instruction, at: int, wave: Wave) -> Step:
    """To arrive is not to wait."""
    if instruction.form.has("wait"):
        return lambda lanes: wave.clusters.wait(lanes, at)
    return lambda lanes: (*wave.clusters.arrive(lanes), (at + 1, lanes))


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
    require(
        len(sources) == (2 if form.compares else 1),
        "a value or the cache policy is missing among its operands",
    )
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
