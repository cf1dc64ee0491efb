"""Moves between registers, loads and stores in every state space and width, addresses between state
spaces, and hints, which change how fast memory is and not what is in it; then conversions between
types, `cvt` (PTX ISA, "Data Movement and Conversion Instructions").
"""

from collections.abc import Callable
from functools import reduce
from typing import Any

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
from .. import exact
from ..flow import passes
from ..numbers import (
    DTYPES,
    FORMATS,
    constant,
    flush,
    from_bfloat,
    narrowed,
    reaches_normal,
    relu,
    rounded,
    rounding,
    saturate,
    size_of,
    to_bfloat,
)
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
        "parts_of_a_value",
        kind=kind,
        parts=parts,
    )
    bits = 8 * size_of(kind)
    whole, part = f"b{bits}", f"b{bits // parts}"
    shifts = [DTYPES[whole].type(place * bits // parts) for place in range(parts)]

    def pack(*items: np.ndarray) -> np.ndarray:
        total = items[0].astype(DTYPES[whole])
        for shift, item in zip(shifts[1:], items[1:], strict=True):
            total |= item.astype(total.dtype) << shift
        return total

    return (
        Elementwise(pack, (part,) * parts, whole, operands=source.items)
        if isinstance(source, Vector)
        else Elementwise(
            lambda a: [(a >> shift).astype(DTYPES[part]) for shift in shifts],
            (whole,),
            (part,) * parts,
        )
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
    # What a thread that waits for another uses.
    spinning = instruction.form.has("volatile", "relaxed", "acquire")

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


# ---- conversions between types ----

_TO_INTEGRAL = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
_INTEGERS = {f"{sign}{bits}" for sign in "su" for bits in (8, 16, 32, 64)}
_TYPES = "s8|u8|INT|FLOAT"


@elementwise(
    "cvt",
    f"ROUND|rni|rzi|rmi|rpi? ftz? sat? relu? {_TYPES} {_TYPES} : d, a",
    "rn|rz|rna relu? tf32 f32 : d, a",
    "rn|rz relu? f16x2|bf16x2 f32 : d, a, b",
    converts=True,
)
def cvt(instruction: Instruction) -> Elementwise:
    """d, a; into a pair of halves d, a, b, where a becomes the upper one."""
    *mods, result, source = instruction.form.mods
    scalar = result.removesuffix("x2")
    fn = _conversion(tuple(mods), scalar, source)
    if result == scalar:
        return Elementwise(fn, (source,), "f32" if result == "tf32" else result)

    def both(upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
        high, low = (fn(x).view(np.uint16).astype(np.uint32) for x in (upper, lower))
        return high << np.uint32(16) | low

    return Elementwise(both, (source, source), "b32")


def _conversion(mods: tuple[str, ...], result: str, source: str) -> Callable[..., Any]:
    if source in _INTEGERS and result in _INTEGERS:
        dtype = DTYPES[result]
        return _clamp_to(dtype) if "sat" in mods else lambda a: a.astype(dtype)
    if source in _INTEGERS:
        return _int_to_float(mods, result)
    fn = (_float_to_float if result in FORMATS else _float_to_int)(mods, result, source)
    return fn if source != "bf16" else lambda a: fn(from_bfloat(a))


def _clamp_to(dtype: np.dtype) -> Callable[..., Any]:
    limits = np.iinfo(dtype)

    def saturate_integer(a: np.ndarray) -> np.ndarray:
        own = np.iinfo(a.dtype)
        return a.clip(max(limits.min, own.min), min(limits.max, own.max)).astype(dtype)

    return saturate_integer


def _int_to_float(mods: tuple[str, ...], result: str) -> Callable[..., Any]:
    mode, dtype = rounding(mods), FORMATS[result].dtype
    finish = _finish(mods, result)
    if mode == "rn" and result != "bf16":
        return lambda a: finish(a.astype(dtype))

    def convert(a: np.ndarray) -> np.ndarray:
        wide = a.astype(f"{a.dtype.kind}8")  # two parts that float64 holds exactly
        upper, lower = (wide >> 32).astype(np.float64), (wide & 0xFFFFFFFF).astype(np.float64)
        return finish(rounded(exact.add(upper * 2.0**32, lower), result, mode))

    return convert


def _float_to_int(mods: tuple[str, ...], result: str, source: str) -> Callable[..., Any]:
    """Out of range becomes the nearest end; NaN 0, or where 64 bits are involved the top bit."""
    to_integral = next((_TO_INTEGRAL[mod] for mod in mods if mod in _TO_INTEGRAL), np.trunc)
    dtype, bits = DTYPES[result], 8 * size_of(result)
    lowest, beyond = float(np.iinfo(dtype).min), float(int(np.iinfo(dtype).max) + 1)
    highest, least = (dtype.type(end) for end in (np.iinfo(dtype).max, np.iinfo(dtype).min))
    wide = source == "f64" or bits == 64
    of_nan = np.array(1 << bits - 1 if wide else 0, f"u{bits // 8}").view(dtype)

    def convert(a: np.ndarray) -> np.ndarray:
        a = a.astype(np.float64) if source in ("f16", "bf16") else a
        whole = to_integral(flush(a) if "ftz" in mods and source == "f32" else a)
        if lowest <= np.minimum.reduce(whole) and np.maximum.reduce(whole) < beyond:
            return whole.astype(dtype)
        whole = whole.astype(np.float64)
        inside = (whole >= lowest) & (whole < beyond)
        ends = np.where(whole != whole, of_nan, np.where(whole > 0, highest, least))
        return np.where(inside, np.where(inside, whole, 0).astype(dtype), ends)

    return convert


def _float_to_float(mods: tuple[str, ...], result: str, source: str) -> Callable[..., Any]:
    mode = rounding(mods)
    to_integral = next((_TO_INTEGRAL[mod] for mod in mods if mod in _TO_INTEGRAL), np.asarray)
    change, finish = _change_of_format(result, source, mode), _finish(mods, result)
    flushes = "ftz" in mods and source == "f32"
    flushes_result = "ftz" in mods and result == "f32"

    def is_normal(a: np.ndarray) -> np.ndarray:
        return reaches_normal((a.astype(np.float64), np.zeros(a.shape)), result, mode)

    def convert(a: np.ndarray) -> np.ndarray:
        a = to_integral(flush(a) if flushes else a)
        changed = change(a)
        return finish(flush(changed, is_normal, (a,)) if flushes_result else changed)

    return convert


def _change_of_format(result: str, source: str, mode: str) -> Callable[..., Any]:
    """Floats of one format to floats of another (bf16 and tf32 as float32)."""
    if result == source:
        return np.asarray
    dtype = FORMATS[result].dtype
    exact_anyway = (FORMATS[result].precision >= FORMATS[source].precision and source != "f16") or (
        result in ("f32", "f64") and source in ("f16", "bf16")
    )
    rounds_to_nearest = result in ("f16", "f32") or (result == "bf16" and source in ("f16", "f32"))
    return (
        (lambda a: a.astype(dtype))
        if exact_anyway or (mode == "rn" and rounds_to_nearest)  # of bf16, by its encoding
        else (lambda a: narrowed(a.astype(np.float64), result, mode))
    )


def _finish(mods: tuple[str, ...], result: str) -> Callable[..., Any]:
    """Clamping of the result, and the bits of a bfloat16."""
    steps = [
        *(fn for mod, fn in (("sat", saturate), ("relu", relu)) if mod in mods),
        *([to_bfloat] if result == "bf16" else []),
    ]
    return (lambda x: reduce(lambda y, step: step(y), steps, x)) if steps else np.asarray


@lanewise("cvt", "pack sat u16|s16 s32 : d, a, b", types="s32 s32 b32", converts=True)
@lanewise("cvt", "pack sat u8|s8 s32 b32 : d, a, b, c", types="s32 s32 b32 b32", converts=True)
def pack(form: Form, a: np.ndarray, b: np.ndarray, *c: np.ndarray) -> np.ndarray:
    """a and b clamped, a as the upper half; of bytes two, and the low half of c above them."""
    clamp, size = _clamp_to(DTYPES[form.mods[2]]), size_of(form.mods[2])
    high, low = (clamp(x).view(f"u{size}").astype(np.uint32) for x in (a, b))
    packed = high << np.uint32(8 * size) | low
    return c[0] << np.uint32(16) | packed if c else packed
