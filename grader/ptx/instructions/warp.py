"""What the lanes of a warp do together: shuffles, votes, matches, reductions, who is active (PTX
ISA, "Parallel Synchronization and Communication Instructions")."""

from collections.abc import Callable

import numpy as np

from ...machine.events import Step
from ...machine.lanes import WARP, Lanes, lane_index, warp_masks
from ...machine.wave import Wave
from ..numbers import DTYPES
from ..program import Carries, Instruction, Operand, several
from ..table import collective, effect


@collective("shfl", "sync up|down|bfly|idx b32 : d, a, b, c, mask", carries=Carries.ACROSS)
def shuffle(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d[|p], a, distance, clamp and segment, mask"""
    target, *operands = instruction.operands
    target, *valid_of = several(target, 1, 2)
    mode = instruction.form.mods[1]
    out = wave.registers.write(target, "b32")
    valid = wave.registers.write(valid_of[0], "pred") if valid_of else None
    value, delta, clamp = (wave.read(operand, "b32") for operand in operands[:3])
    events = wave.events

    def combine(together: Lanes) -> None:
        lane = lane_index(together)
        source, inside = _source_lane(mode, lane % WARP, delta[together], clamp[together])
        source += lane - lane % WARP
        for tell in events.shuffle:
            tell(at, together, source)
        result = value[source]
        out[together] = result
        if valid is not None:
            valid[together] = inside
        for told in events.shuffled:
            told(at, together, source)

    return combine


def _source_lane(
    mode: str, lane: np.ndarray, delta: np.ndarray, clamp: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Which lane of its warp each lane reads, and whether that lies in its segment; as the PTX
    ISA defines it."""
    delta, clamp = delta.astype(np.int64), clamp.astype(np.int64)
    segment = clamp >> 8 & 31
    clamp = clamp & 31
    low = lane & segment
    high = low | (clamp & ~segment)
    if mode == "up":
        source = lane - (delta & 31)
        inside = source >= high
    else:
        source = {
            "down": lambda: lane + (delta & 31),
            "bfly": lambda: lane ^ (delta & 31),
            "idx": lambda: low | (delta & 31 & ~segment),
        }[mode]()
        inside = source <= high
    return np.where(inside, source, lane), inside


@collective("vote", "sync all|any|uni pred : d, a, mask", "sync ballot b32 : d, a, mask")
def vote(instruction: Instruction, at: int, wave: Wave) -> Step:
    mode = instruction.form.mods[1]
    target, predicate, mask = instruction.operands
    out = wave.registers.write(target, "b32" if mode == "ballot" else "pred")
    predicate, masks = wave.read(predicate, "pred"), wave.read(mask, "b32")

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        ballot = _ballot(index[predicate[index]], wave)[index // WARP] & masks[index]
        everyone = _ballot(index, wave)[index // WARP] & masks[index]
        out[together] = {
            "ballot": lambda: ballot,
            "any": lambda: ballot != 0,
            "all": lambda: ballot == everyone,
            "uni": lambda: (ballot == 0) | (ballot == everyone),
        }[mode]()

    return combine


@effect("activemask", "b32 : d")
def activemask(instruction: Instruction, at: int, wave: Wave) -> Step:
    out = wave.registers.write(instruction.operands[0], "b32")

    def step(lanes: Lanes) -> None:
        index = lane_index(lanes)
        out[lanes] = _ballot(index, wave)[index // WARP]

    return step


def _ballot(index: np.ndarray, wave: Wave) -> np.ndarray:
    return warp_masks(index, wave.geometry.warps)


_REDUCTIONS = {
    "add": np.add,
    "min": np.minimum,
    "max": np.maximum,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}


@collective("redux", "sync add|min|max s32|u32 : d, a, mask", "sync and|or|xor b32 : d, a, mask")
def redux(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Every lane gets the group's sum, minimum, ..."""
    operation, kind = _REDUCTIONS[instruction.form.mods[1]], instruction.form.type
    target, value, mask = instruction.operands
    out, value = wave.registers.write(target, kind), wave.read(value, kind)

    def combine(index: np.ndarray, masks: np.ndarray) -> None:
        order, starts = _groups(index, masks)
        total = operation.reduceat(value[index[order]], starts, dtype=DTYPES[kind])
        out[index[order]] = np.repeat(total, _sizes(starts, len(index)))

    return _in_groups(mask, combine, wave)


@collective("match", "any|all sync b32|b64 : d, a, mask")
def match(instruction: Instruction, at: int, wave: Wave) -> Step:
    """any: which lanes of the group hold the same value; all, d[|p]: the whole group if all do,
    else 0."""
    kind = instruction.form.type
    target, value, mask = instruction.operands
    target, *flags = several(target, 1, 2)
    out, value = wave.registers.write(target, "b32"), wave.read(value, kind)
    flag = wave.registers.write(flags[0], "pred") if flags else None

    def combine(index: np.ndarray, masks: np.ndarray) -> None:
        order, starts = _groups(index, masks, value[index])
        alike = np.repeat(_members(index[order], starts), _sizes(starts, len(index)))
        if "all" in instruction.form.mods:
            order_of_group, starts = _groups(index, masks)
            group = np.repeat(_members(index[order_of_group], starts), _sizes(starts, len(index)))
            everyone = np.empty_like(group)
            everyone[order_of_group] = group
            alike = np.where(alike == everyone[order], alike, np.uint32(0))
        out[index[order]] = alike
        if flag is not None:
            flag[index[order]] = alike != 0

    return _in_groups(mask, combine, wave)


@collective("elect", "sync : d, mask")
def elect(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d|p: d is the group's lowest lane, p is true there."""
    target, mask = instruction.operands
    leader, flag = several(target, 2)
    leader = wave.registers.write(leader, "b32")
    flag = wave.registers.write(flag, "pred")

    def combine(index: np.ndarray, masks: np.ndarray) -> None:
        order, starts = _groups(index, masks)
        chosen = np.repeat(index[order][starts], _sizes(starts, len(index)))
        flag[index[order]] = chosen == index[order]
        leader[index[order]] = chosen % WARP

    return _in_groups(mask, combine, wave)


def _in_groups(
    mask: Operand, combine: Callable[[np.ndarray, np.ndarray], None], wave: Wave
) -> Step:
    """`combine(lanes, their masks)` as a function of a set of lanes."""
    masks = wave.read(mask, "b32")

    def of_lanes(together: Lanes) -> None:
        index = lane_index(together)
        combine(index, masks[index])

    return of_lanes


def _groups(
    index: np.ndarray, masks: np.ndarray, value: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """An order of the lanes that puts groups (of one warp, one mask and, if given, one value) side
    by side, lowest lane first, and where each group starts."""
    key = (index // WARP << 32) | masks.astype(np.int64)
    order = np.lexsort((key,) if value is None else (value, key))
    fresh = key[order][1:] != key[order][:-1]
    if value is not None:
        fresh |= value[order][1:] != value[order][:-1]
    return order, np.flatnonzero(np.r_[True, fresh])


def _sizes(starts: np.ndarray, total: int) -> np.ndarray:
    return np.diff(np.r_[starts, total])


def _members(lanes: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Per group, the mask of its lanes: uint32."""
    bits = np.left_shift(np.uint32(1), (lanes % WARP).astype(np.uint32))
    return np.bitwise_or.reduceat(bits, starts)
