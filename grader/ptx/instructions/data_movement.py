"""Moves between registers, loads and stores in every state space and width, addresses between state
spaces, and hints, which change how fast memory is and not what is in it (PTX ISA, "Data Movement
and Conversion Instructions").
"""

import numpy as np

from ...machine.lanes import Lanes, Step
from ...machine.memory.spaces import (
    LOCAL_WINDOW,
    OFFSET_MASK,
    RANK_SHIFT,
    SHARED_WINDOW,
    WINDOW_SIZE,
)
from ...machine.wave import Wave
from ..flow import passes
from ..numbers import DTYPES, constant, size_of
from ..program import (
    Carries,
    Form,
    Instruction,
    Symbol,
    Vector,
    components,
    require,
    several,
)
from ..table import Elementwise, effect, elementwise, lanewise

# By special mode of prmt, which byte of {b, a} goes to each place, for selectors 0 to 3.
_MODES = {
    name: np.array(rows, np.uint32)
    for name, rows in {
        "f4e": [(n, n + 1, n + 2, n + 3) for n in range(4)],
        "b4e": [tuple((n - k) % 8 for k in range(4)) for n in range(4)],
        "rc8": [(n, n, n, n) for n in range(4)],
        "ecl": [tuple(max(n, k) for k in range(4)) for n in range(4)],
        "ecr": [tuple(min(n, k) for k in range(4)) for n in range(4)],
        "rc16": [(0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)],
    }.items()
}


@lanewise("prmt", f"b32 {'|'.join(_MODES)}? : d, a, b, c", types="b32 b32 b32 b32")
def prmt(form: Form, a: np.ndarray, b: np.ndarray, selector: np.ndarray) -> np.ndarray:
    """d, a, b, selector: each byte of d is one of the eight of {b, a}, or (bit 3
    of its selector) eight copies of that byte's sign."""
    octets, mode, fixed = np.empty((len(a), 4), np.uint8), form.one_of(_MODES), constant(selector)
    if mode is None and fixed is not None and not int(fixed) & 0x8888:
        bytes_of_both = np.stack((a, b), axis=1).view(np.uint8)
        for place in range(4):  # many kernels pack values so: bytes are moved, nothing is computed
            octets[:, place] = bytes_of_both[:, int(fixed) >> 4 * place & 7]
        return octets.view(np.uint32)[:, 0]
    choices = (
        [selector >> np.uint32(4 * place) & np.uint32(15) for place in range(4)]
        if mode is None
        else _MODES[mode].T[:, selector & 3]
    )
    pool = a.astype(np.uint64) | b.astype(np.uint64) << np.uint64(32)
    for place, choice in enumerate(choices):
        octet = (pool >> ((choice & 7) << 3).astype(np.uint64)).astype(np.uint8)
        if (choice & 8).any():
            octet = np.where(choice & 8, (octet.view(np.int8) >> 7).view(np.uint8), octet)
        octets[:, place] = octet
    return octets.view(np.uint32)[:, 0]


@elementwise("mov", "pred|BITS|INT|FLOAT : d, a", carries=Carries.COPIED)
def mov(instruction: Instruction) -> Elementwise:
    """Also packs `{a, b}` into a register and unpacks a register into `{d, e}`."""
    (target, source), kind = instruction.operands, instruction.form.type
    parts = max(len(components(target)), len(components(source)))
    if not (isinstance(target, Vector) or isinstance(source, Vector)):
        return Elementwise(lambda a: a, (kind,), kind)
    require(
        parts in (1, 2, 4, 8) and parts <= size_of(kind),
        f"a value of type .{kind} has no {parts} parts",
    )
    bits = 8 * size_of(kind)
    whole, part = f"b{bits}", f"b{bits // parts}"
    shifts = [DTYPES[whole].type(place * bits // parts) for place in range(parts)]

    def pack(*items: np.ndarray) -> np.ndarray:
        total = items[0].astype(DTYPES[whole])
        for shift, item in zip(shifts[1:], items[1:], strict=True):
            total |= item.astype(total.dtype) << shift
        return total

    if isinstance(source, Vector):
        return Elementwise(pack, (part,) * parts, whole, operands=source.items)
    return Elementwise(
        lambda a: [(a >> shift).astype(DTYPES[part]) for shift in shifts], (whole,), (part,) * parts
    )


_WINDOWS = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW}


@elementwise(
    "cvta",
    "to? global|local|const|param|param::entry|shared|shared::cta|shared::cluster u64 : d, a",
    converts=True,
    of_address=True,
)
def cvta(instruction: Instruction) -> Elementwise:
    """Between an address in a state space and a generic address."""
    space = next(mod for mod in instruction.form.mods if mod not in ("to", "u64"))
    shift = np.uint64(_WINDOWS.get(space.partition("::")[0], 0))
    moved = np.subtract if instruction.form.has("to") else np.add
    return Elementwise(lambda a: moved(a, shift), ("u64",), "u64")


@lanewise("isspacep", "global|local|shared|shared::cta|shared::cluster : d, a", types="u64 pred")
def isspacep(form: Form, address: np.ndarray) -> np.ndarray:
    """Whether a generic address lies in a state space; in global memory if in no other."""
    space = form.mods[0].partition("::")[0]
    windows = [np.uint64(w) for name, w in _WINDOWS.items() if space in (name, "global")]
    inside = [address - window < np.uint64(WINDOW_SIZE) for window in windows]
    return ~np.logical_or.reduce(inside) if space == "global" else inside[0]


@lanewise("mapa", "shared::cluster? u32|u64 : d, a, b", types="t u32 t")
def mapa(form: Form, address: np.ndarray, rank: np.ndarray) -> np.ndarray:
    """d, a, rank: the same variable in another block."""
    window = 0 if form.has("shared::cluster") else SHARED_WINDOW
    offset = address.astype(np.int64) - window & OFFSET_MASK
    return (offset | rank.astype(np.int64) + 1 << RANK_SHIFT) + window


@elementwise("getctarank", "shared::cluster? u32|u64 : d, a")
def getctarank(instruction: Instruction) -> Elementwise:
    """The rank of the block in whose shared memory an address lies."""
    window = 0 if instruction.form.has("shared::cluster") else SHARED_WINDOW

    def rank_of(address: np.ndarray, own: np.ndarray) -> np.ndarray:
        rank = (address.astype(np.int64) - window) >> RANK_SHIFT
        return np.where(rank == 0, own, rank - 1)

    return Elementwise(
        rank_of,
        (instruction.form.type, "u32"),
        "u32",
        operands=(instruction.operands[1], Symbol("%cluster_ctarank")),
    )


_SPINNING = ("volatile", "relaxed", "acquire")  # what a thread that waits for another uses
_ANYWHERE = "SPACE|local|const|param|param::entry|param::func"
_HINTS = "EVICTIONS? EVICTIONS? L2::cache_hint? L2::64B|L2::128B|L2::256B?"


@effect(
    "ld",
    f"weak|volatile|relaxed|acquire? mmio? SCOPE? {_ANYWHERE}? CACHE? nc? {_HINTS} "
    "v2|v4|v8? SCALAR : d, reads[a], policy?",
    carries=Carries.LOADED,
)
@effect("ldu", "global? v2|v4? SCALAR : d, reads[a]", carries=Carries.LOADED)
def load(instruction: Instruction, at: int, wave: Wave) -> Step:
    target, address = instruction.operands[:2]
    if passes(instruction, wave.linked):
        return wave.calls.move(instruction, address, target)
    transfer = instruction.form.transfer(1)
    access = wave.access(transfer, address, at)
    kind, dtype = instruction.form.type, DTYPES[instruction.form.type]
    outs = [wave.registers.write(item, kind) for item in several(target, transfer.components)]
    spinning = instruction.form.has(*_SPINNING)

    def step(lanes: Lanes) -> None:
        if spinning:
            wave.spin()
        for hit in access.hits(lanes):
            access.get(hit)
            for component, out in enumerate(outs):
                out[hit.lanes] = access.read(hit, component, dtype)

    return step


@effect(
    "st",
    f"weak|volatile|relaxed|release? mmio? SCOPE? {_ANYWHERE}? CACHE? {_HINTS} "
    "v2|v4|v8? SCALAR : writes[a], b, policy?",
    carries=Carries.STORED,
)
def store(instruction: Instruction, at: int, wave: Wave) -> Step:
    address, source = instruction.operands[:2]
    if passes(instruction, wave.linked):
        return wave.calls.move(instruction, address, source)
    transfer = instruction.form.transfer(0)
    access = wave.access(transfer, address, at)
    sources = [
        wave.read(item, instruction.form.type) for item in several(source, transfer.components)
    ]

    def step(lanes: Lanes) -> None:
        for hit in access.hits(lanes):
            access.put(hit, [source[hit.lanes] for source in sources])

    return step


@elementwise(
    "createpolicy",
    "fractional EVICTIONS EVICTIONS? b64 : d, a?",
    "range global? EVICTIONS EVICTIONS? b64 : d, [a], b, c",
    "cvt L2 b64 : d, a",
)
def create_policy(instruction: Instruction) -> Elementwise:
    """A cache policy is an opaque number; ours says nothing."""
    return Elementwise(lambda: 0, (), "b64", operands=())


@effect("griddepcontrol", "launch_dependents|wait :")
@effect("pmevent", "mask? : a")
@effect("prefetch", "global|local? L1|L2|EVICTIONS : [a]", "const|param? tensormap : [a]")
@effect("prefetchu", "L1 : [a]")
@effect("discard", "global? L2 : [a], n")
@effect("applypriority", "global? EVICTIONS : [a], n")
@effect("cp", "async bulk prefetch L2 global L2::cache_hint? : [a], n, policy?")
@effect(
    "cp",
    "async bulk prefetch tensor 1d|2d|3d|4d|5d L2 global tile? L2::cache_hint? : [a], c, policy?",
)
def nothing(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Cache hints change no value, and a grid starts when those before it have ended."""
    return lambda lanes: None
