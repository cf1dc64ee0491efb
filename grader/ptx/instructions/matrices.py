"""Matrices of a warp and of a warpgroup: two chapters of the PTX ISA.

Matrices of a warp: products, and the way between memory and registers (PTX ISA, "Warp Level
Matrix Instructions": mma, wmma, which `nvcuda::wmma` is made of, ldmatrix, stmatrix).

The warp holds A (m x k), B (k x n) and C, D (m x n) in pieces: which lane has which element in
which register is what the figures of the PTX ISA show, and `Fragment` in numbers.

Products are to the bit as an H200's tensor cores compute them.
Each product of two factors is exact, and its exponent is the sum of theirs (of a subnormal number,
that of the smallest normal one). The products of one element and its addend are lined up with the
one of the highest exponent, and what lies more than 25 bits below that is cut off each of them; the
sum of what is left is exact, and is cut off to float32 (or rounded to float16). The method to find
such rules is that of Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor
cores", PeerJ Computer Science 7:e330 (2021); these were found on an H200. With factors of 8 bits an
H100 keeps 13 bits in place of 25, and cuts the float32 off after as many.

Products of matrices by a warpgroup, four warps together (PTX ISA, "Asynchronous Warpgroup Level
Matrix Instructions": wgmma).

D (64 x n) += A (64 x k) * B (k x n), where k elements have 32 bytes. Each warp holds 16 rows of D,
and of A where that is in registers; else a descriptor says how A lies in shared memory, as it does
for B. A product is computed when it is issued. Its factors are read once more when a warp of its
warpgroup waits for it, so that whoever writes there before that races with the product.

A wait is for the parts of all four warps: on an H200 it took as long as the last of them had not
issued its own, and whoever has waited may have the factors overwritten.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from msgspec.structs import replace

from ...cuda.tensor_maps import UNIT, swizzled
from ...machine.lanes import WARP, Lanes, Step, Successors, compact, lane_index, put
from ...machine.memory.access import Access, LaneValues, Rereading
from ...machine.wave import Wave
from ..numbers import DTYPES, FORMATS, from_bfloat, narrowed
from ..program import Form, Instruction, Transfer, Vector, immediate_of, several
from ..table import collective, control, effect
from .asynchronous_copies import commit
from .data_movement import nothing

# In a register.
ELEMENTS = {
    **{"f16": 2, "bf16": 2, "tf32": 1, "f32": 1, "s32": 1},
    **dict.fromkeys(("s8", "u8", "e4m3", "e5m2"), 4),
}
_LANE = np.arange(WARP)[:, None, None]
_GROUP, _WITHIN = _LANE // 4, _LANE % 4  # the PTX ISA's groupID and threadID_in_group


@dataclass(frozen=True, eq=False)
class Fragment:
    """Where the elements of a matrix of `shape` and of PTX type `kind` lie: `rows` and `columns`
    are (32 lanes, registers, elements of a register), all integers."""

    kind: str
    shape: tuple[int, int]
    rows: np.ndarray
    columns: np.ndarray

    @property
    def count(self) -> int:
        """Registers a lane."""
        return self.rows.shape[1]

    def matrix(self, registers: list[np.ndarray]) -> np.ndarray:
        """The matrices (warps, *shape) that registers, each (32 * warps,) uint32, hold; elements
        as they are stored (bf16 and tf32: their bits)."""
        values = self.lanes(registers).reshape(-1, *self.rows.shape)
        matrices = np.empty((len(values), *self.shape), values.dtype)
        matrices[:, self.rows, self.columns] = values
        return matrices

    def lanes(self, registers: list[np.ndarray]) -> np.ndarray:
        """The elements that each lane holds: (lanes, elements)."""
        return np.stack(registers, axis=-1).view(DTYPES[self.kind])

    def words(self, elements: np.ndarray) -> list[np.ndarray]:
        """The registers that hold these elements (lanes, elements) of each lane."""
        return list(np.ascontiguousarray(elements).view(np.uint32).T)

    def registers(self, matrices: np.ndarray) -> list[np.ndarray]:
        """The registers, each (32 * warps,) uint32, that hold matrices (warps, *shape)."""
        return self.words(matrices[:, self.rows, self.columns].reshape(WARP * len(matrices), -1))


def factor_a(kind: str, k: int) -> Fragment:
    """A of an m16n8 product: registers 0, 2, ... hold the upper eight rows, the others the lower
    ones; each pair of registers the next columns."""
    return _laid_out(
        kind,
        (16, k),
        lambda register, element, number, per: (
            _GROUP + 8 * (register % 2),
            _WITHIN * per + element + register // 2 * 4 * per,
        ),
    )


def factor_b(kind: str, k: int) -> Fragment:
    """B of an m16n8 product: each register holds the next rows."""
    return _laid_out(
        kind,
        (k, 8),
        lambda register, element, number, per: (
            _WITHIN * per + element + register * 4 * per,
            _GROUP,
        ),
    )


def result(kind: str, columns: int = 8) -> Fragment:
    """C and D of a product of 16 rows: of every eight columns two neighbours of a row in the upper
    half, two in the lower."""
    return _laid_out(
        kind,
        (16, columns),
        lambda register, element, number, per: (
            _GROUP + 8 * (number // 2 % 2),
            _WITHIN * 2 + number % 2 + number // 4 * 8,
        ),
    )


def spread(kind: str, shape: tuple[int, int], count: int) -> Fragment:
    """`count` registers per lane, along the rows of the matrix from lane to lane. If there is more
    room than the matrix has elements, it is there several times. (Which lane has what of a wmma
    fragment, the PTX ISA leaves open.)"""
    per = ELEMENTS[kind]
    place = np.arange(WARP * count * per).reshape(WARP, count, per) % (shape[0] * shape[1])
    return Fragment(kind, shape, place // shape[1], place % shape[1])


def _laid_out(kind: str, shape: tuple[int, int], place: Callable[..., Any]) -> Fragment:
    """The fragment whose rows and columns `place(register, element, number, per)` gives, by the
    numbers of the registers (1, registers, 1), of the elements in one (1, 1, elements), `per` of
    them, and of the elements of all (1, registers, elements)."""
    per = ELEMENTS[kind]
    number = np.arange(shape[0] * shape[1] // WARP).reshape(1, -1, per)
    rows, columns = place(number[:, :, :1] // per, number[:, :1], number, per)
    return Fragment(kind, shape, *np.broadcast_arrays(rows, columns, number)[:2])


@collective(
    "mma",
    "sync aligned m16n8k8|m16n8k16 row col f16 f16 f16 f16 : d, a, b, c",
    "sync aligned m16n8k8|m16n8k16 row col f32 f16 f16 f32 : d, a, b, c",
    "sync aligned m16n8k8|m16n8k16 row col f32 bf16 bf16 f32 : d, a, b, c",
    "sync aligned m16n8k4|m16n8k8 row col f32 tf32 tf32 f32 : d, a, b, c",
    "sync aligned m16n8k16|m16n8k32 row col satfinite? s32 s8|u8 s8|u8 s32 : d, a, b, c",
    whole_warp=True,
)
def multiply_matrices(instruction: Instruction, at: int, wave: Wave) -> Step:
    """D = A * B + C"""
    d, a, b, c = instruction.form.mods[-4:]
    k = int(instruction.form.mods[2].partition("k")[2])
    return _product(instruction, (result(d), factor_a(a, k), factor_b(b, k), result(c)), wave)


def _product(instruction: Instruction, layouts: tuple[Fragment, ...], wave: Wave) -> Step:
    """D = A * B + C, whose elements lie as `layouts` say, one for each operand."""
    targets, *factors = (
        several(operand, layout.count)
        for operand, layout in zip(instruction.operands, layouts, strict=True)
    )
    sources = [[wave.read(item, "b32") for item in items] for items in factors]
    outs = [wave.registers.write(item, "b32") for item in targets]
    clamps = instruction.form.has("satfinite")

    def combine(together: Lanes) -> None:
        a, b, c = (
            layout.matrix([register[together] for register in registers])
            for registers, layout in zip(sources, layouts[1:], strict=True)
        )
        d = multiply_add(a, b, c, (layouts[1].kind, layouts[2].kind), clamps).astype(
            DTYPES[layouts[0].kind]
        )
        put(outs, together, layouts[0].registers(d))

    return combine


_SHAPES = "m16n16k16|m8n32k16|m32n8k16"
_LAYOUT = "row|col"


def _fragment(part: str, form: Form, kind: str) -> Fragment:
    """The part "a", "b", "c" or "d" of a product."""
    shape = next(mod for mod in form.mods if re.fullmatch(r"m\d+n\d+k\d+", mod))
    m, n, k = map(int, re.findall(r"\d+", shape))
    rows, columns = {"a": (m, k), "b": (k, n)}.get(part, (m, n))
    # Of factors of halves 16, whatever the shape.
    elements = 16 if kind == "f16" and part in ("a", "b") else rows * columns // WARP
    return spread(kind, (rows, columns), elements // ELEMENTS[kind])


@collective(
    "wmma",
    f"load a|b sync aligned {_LAYOUT} {_SHAPES} SPACE? f16|bf16|s8|u8 : d, reads[a], stride?",
    f"load a|b sync aligned {_LAYOUT} m16n16k8 SPACE? tf32 : d, reads[a], stride?",
    f"load c sync aligned {_LAYOUT} {_SHAPES} SPACE? f16|f32|s32 : d, reads[a], stride?",
    f"load c sync aligned {_LAYOUT} m16n16k8 SPACE? f32 : d, reads[a], stride?",
    f"store d sync aligned {_LAYOUT} {_SHAPES} SPACE? f16|f32|s32 : writes[a], b, stride?",
    f"store d sync aligned {_LAYOUT} m16n16k8 SPACE? f32 : writes[a], b, stride?",
    whole_warp=True,
)
def move_fragment(instruction: Instruction, at: int, wave: Wave) -> Step:
    form, loads = instruction.form, instruction.form.has("load")
    layout = _fragment(form.mods[1], form, form.type)
    access = wave.access(form.transfer(int(loads)), instruction.operands[loads], at)
    # The distance of rows (or columns), which need not be given: then they are side by side.
    stride = (
        wave.read(instruction.operands[2], "u32")
        if len(instruction.operands) > 2
        else np.broadcast_to(
            np.uint32(layout.shape[0 if form.has("col") else 1]), wave.geometry.lanes
        )
    )
    registers = _registers(instruction, layout.count, wave)

    def combine(together: Lanes) -> None:
        rows, columns = (
            np.tile(x.reshape(WARP, -1), (len(stride[together]) // WARP, 1))
            for x in (layout.rows, layout.columns)
        )
        major, minor = (columns, rows) if form.has("col") else (rows, columns)
        places = (major * stride[together].astype(np.int64)[:, None] + minor) * access.size
        if loads:
            loaded = [access.load(together, DTYPES[form.type], moved) for moved in places.T]
            put(registers, together, layout.words(np.hstack(loaded)))
        else:
            elements = layout.lanes([register[together] for register in registers])
            for moved, column in zip(places.T, elements.T, strict=True):
                access.store(together, column[:, None], moved)

    return combine


def _registers(instruction: Instruction, count: int, wave: Wave) -> list[Any]:
    """What is loaded into, or stored from: an array (lanes,) for each register of a lane."""
    loads = instruction.form.reads
    one = wave.registers.write if loads else wave.read
    return [one(item, "b32") for item in several(instruction.operands[not loads], count)]


@collective(
    "wmma",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} {_SHAPES} f16|f32 f16|f32 : d, a, b, c",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} {_SHAPES} f32 bf16 bf16 f32 : d, a, b, c",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} m16n16k8 f32 tf32 tf32 f32 : d, a, b, c",
    f"mma sync aligned {_LAYOUT} {_LAYOUT} {_SHAPES} satfinite? s32 s8|u8 s8|u8 s32 : d, a, b, c",
    whole_warp=True,
)
def multiply_fragments(instruction: Instruction, at: int, wave: Wave) -> Step:
    """D = A * B + C; of halves, only the types of D and C are named."""
    form = instruction.form
    types = [mod for mod in form.mods if mod in ELEMENTS]
    kinds = types if len(types) == 4 else (types[0], "f16", "f16", types[1])
    layouts = (_fragment(part, form, kind) for part, kind in zip("dabc", kinds, strict=True))
    return _product(instruction, tuple(layouts), wave)


_LINE = "sync aligned m8n8 x1|x2|x4 trans? shared|shared::cta? b16"
_SIZES = {"x1": 1, "x2": 2, "x4": 4}
_WORDS = 4  # of a row


@collective("ldmatrix", f"{_LINE} : d, reads.b32[a]", whole_warp=True)
@collective("stmatrix", f"{_LINE} : writes.b32[a], b", whole_warp=True)
def move_matrices(instruction: Instruction, at: int, wave: Wave) -> Step:
    """Lanes 0 to 7 say where the rows of the first matrix lie, the next eight those of the second,
    ...; a lane has two neighbours of a row, or with .trans of a column."""
    ((position, transfer),), turned = instruction.form.transfers, instruction.form.has("trans")
    size = _SIZES[instruction.form.one_of(_SIZES) or "x1"]
    access = wave.access(replace(transfer, components=_WORDS), instruction.operands[position], at)
    registers = _registers(instruction, size, wave)

    def with_rows(pairs: np.ndarray) -> np.ndarray:
        """Matrices, two elements in each uint32, or turned ones."""
        matrices = np.ascontiguousarray(pairs).view(np.uint16).reshape(-1, size, 8, 8)
        return np.ascontiguousarray(matrices.swapaxes(2, 3) if turned else matrices).view(np.uint32)

    def combine(together: Lanes) -> None:
        index = lane_index(together)
        naming = compact(index[index % WARP < 8 * size])  # the rows
        if position:
            words = with_rows(access.load(naming, np.dtype(np.uint32))).swapaxes(0, 1)
            put(registers, together, words.reshape(size, -1))
        else:
            pairs = [register[together].reshape(-1, WARP) for register in registers]
            access.store(naming, with_rows(np.stack(pairs, axis=1)).reshape(-1, _WORDS))

    return combine


# ---- products ----

_KEPT_OF_TF32 = np.uint32(0xFFFFE000)  # the last 13 bits are not looked at
_CUT_OF_BYTES = np.uint32(0xFFFFFC00)
_NONE = -(1 << 14)  # less than any exponent
_LEAST = -1000  # of a unit that float64 can still divide by
_TOGETHER = 16  # warps, so that their products fit into a cache


def multiply_add(
    a: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    factors: tuple[str, str],
    clamps: bool = False,
) -> np.ndarray:
    """a @ b + c for matrices (warps, m, k), (warps, k, n) and (warps, m, n), in the dtype of `c`;
    the factors are stored elements of these PTX types. Integers wrap around, or, with `clamps`,
    stop at the ends of int32."""
    if c.dtype == np.int32:
        total = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64) + c  # exact
        limits = np.iinfo(np.int32)
        return (total.clip(limits.min, limits.max) if clamps else total).astype(np.int32)
    one, other = (
        (np.asarray(_READ.get(kind, np.asarray)(x), np.float64), kind)
        for x, kind in zip((a, b), factors, strict=True)
    )
    total = np.concatenate(
        [
            _cut_sum((one[0][at], one[1]), (other[0][at], other[1]), c[at].astype(np.float64))
            for at in (slice(first, first + _TOGETHER) for first in range(0, len(c), _TOGETHER))
        ]
    )
    if c.dtype == np.float16:
        return total.astype(np.float16) + np.float16(0)
    within = np.abs(total) < 2.0**128  # what is larger is infinite
    cut = np.where(within, narrowed(total, "f32", "rz"), total).astype(np.float32)
    narrow = factors[0] in _OF_BYTES
    return (cut.view(np.uint32) & _CUT_OF_BYTES).view(np.float32) if narrow else cut


# The values of all 256 numbers of eight bits: float64. Read as the upper byte of a float16 they are
# those of e5m2; a float16's exponent has one bit more than e4m3's, and counts from 8 less.
_BYTES = np.arange(256, dtype=np.uint16)
_OF_BYTES = {
    "e4m3": ((_BYTES & 0x80) << 8 | (_BYTES & 0x7F) << 7).view(np.float16).astype(np.float64) * 256,
    "e5m2": (_BYTES << 8).view(np.float16).astype(np.float64),
}
_OF_BYTES["e4m3"][[0x7F, 0xFF]] = np.nan
_OF_BYTES["e5m2"][np.isnan(_OF_BYTES["e5m2"])] = np.nan  # of one sign, with no number in it
# How stored elements are read, where it is not as what NumPy stores.
_READ: dict[str, Callable[..., np.ndarray]] = {
    "bf16": from_bfloat,
    "tf32": lambda matrix: (matrix & _KEPT_OF_TF32).view(np.float32),
    **{kind: values.__getitem__ for kind, values in _OF_BYTES.items()},
}


def _cut_sum(a: tuple[np.ndarray, str], b: tuple[np.ndarray, str], c: np.ndarray) -> np.ndarray:
    """a @ b + c of float64, whose addends are cut off where the largest one's precision ends.
    Factors have the least exponent of their type or a higher one."""
    (one, kind), (other, other_kind) = a, b
    products = one[:, :, :, None] * other[:, None, :, :]  # (warps, m, k, n)
    of_a = np.maximum(_exponent(one), FORMATS[kind].least_exponent)
    of_b = np.maximum(_exponent(other), FORMATS[other_kind].least_exponent)
    exponents = np.where(products == 0, _NONE, of_a[:, :, :, None] + of_b[:, None, :, :])
    highest = np.maximum(exponents.max(axis=2), np.where(c == 0, _NONE, _exponent(c)))
    # Bits that a sum keeps below the leading one: float32's 23 and 2 more; 13, also of the result,
    # if factors have 8 bits.
    unit = np.ldexp(1.0, np.maximum(highest - (13 if kind in _OF_BYTES else 25), _LEAST))
    total = np.trunc(products / unit[:, :, None, :]).sum(axis=2) + np.trunc(c / unit)
    plain = one @ other + c  # what infinities and NaN make of it
    return np.where(np.isfinite(plain), total * unit, plain)


def _exponent(x: np.ndarray) -> np.ndarray:
    return np.frexp(x)[1] - 1


# ---- of a warpgroup ----

GROUP = 4  # warps
OF_GROUPS = ("setmaxnreg", "wgmma")  # what four whole warps execute together
_ROWS = 16  # of a warp


def _group_shapes(k: int) -> str:
    return "|".join(f"m64n{n}k{k}" for n in range(8, 257, 8))


_SCALED = "d, a, b, scale, n, n"
_BOTH_WAYS = f"{_SCALED}, t, t or {_SCALED}, t"  # with A in registers, only B may be transposed


@dataclass(frozen=True)
class _Matrix:
    """The `rows` (of A, or columns of B) of a factor in shared memory, whose descriptor is an
    operand; `turned`: neighbours in memory are elements of one column of k."""

    descriptor: LaneValues
    rows: int
    kind: str
    turned: bool
    access: Access
    later: Access  # the same, when the product ends

    def read(self, first: np.ndarray, wave: Wave, at: int) -> np.ndarray:
        """The factors of warps whose first lanes these are: (warps, rows, k), elements as they are
        stored. Of A each warp reads its own rows."""
        own = first // WARP % GROUP * _ROWS if self.rows == _ROWS else np.zeros_like(first)
        places = self._places(self.descriptor[first].astype(np.int64), own)
        (hit,) = self.access.hits(np.repeat(first, places[0].size), places.ravel())
        self.access.get(hit)
        wave.products.add(Rereading(self.later, hit, []))
        stored = np.stack(
            [self.access.read(hit, word, np.dtype(np.uint64)) for word in range(2)], axis=-1
        ).view(DTYPES[self.kind])
        rows = stored.reshape(*places.shape[:2], -1)  # (warps, rows, k), or (warps, k, rows)
        return rows.swapaxes(1, 2) if self.turned else rows

    def _places(self, bits: np.ndarray, own: np.ndarray) -> np.ndarray:
        """The addresses of units of 16 bytes: (warps, rows, 2), or (warps, k, units) if turned."""
        # Bytes of a swizzle's row, by the number in a descriptor.
        width, bits = (0, 128, 64, 32)[int(bits[0] >> 62 & 3)], bits[:, None, None]
        start, leading, stride = ((bits >> at & 0x3FFF) << 4 for at in (0, 16, 32))
        base = (bits >> 49 & 7) << 7
        if self.turned:
            k, unit = np.arange(16)[None, :, None], np.arange(self.rows // 8)
            unit = unit[None, None, :] + own[:, None, None] // 8
            across = width // UNIT or 1
            along, beyond = (stride, leading) if width else (leading, stride)
            row = k % 8 * (width or UNIT) + k // 8 * along
            place = row + unit % across * UNIT + unit // across * beyond
        else:
            rows = np.arange(self.rows)[None, :, None] + own[:, None, None]
            unit = np.arange(2)[None, None, :]
            along = UNIT if width else leading
            place = rows // 8 * stride + rows % 8 * (width or UNIT) + unit * along
        return swizzled(start + place - base, width) + base


@collective(
    "wgmma",
    f"mma_async sync aligned {_group_shapes(16)} f32 f16 f16 : {_BOTH_WAYS}",
    f"mma_async sync aligned {_group_shapes(16)} f16 f16 f16 : {_BOTH_WAYS}",
    f"mma_async sync aligned {_group_shapes(16)} f32 bf16 bf16 : {_BOTH_WAYS}",
    f"mma_async sync aligned {_group_shapes(8)} f32 tf32 tf32 : {_SCALED}",
    f"mma_async sync aligned {_group_shapes(32)} f16|f32 e4m3|e5m2 e4m3|e5m2 : {_SCALED}",
    f"mma_async sync aligned {_group_shapes(32)} satfinite? s32 s8|u8 s8|u8 : d, a, b, scale",
    whole_warp=True,
)
def multiply_by_group(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d, a or descriptor, descriptor, whether D counts[, 1 or -1 for A, for B[, transposed...]]"""
    form, (target, a, b, scale, *more) = instruction.form, instruction.operands
    d_kind, a_kind, b_kind = form.mods[-3:]
    columns, k = map(int, re.findall(r"[nk](\d+)", form.mods[3]))
    sign = int(np.prod([immediate_of(one) for one in more[:2]]))
    of_d, of_a = result(d_kind, columns), factor_a(a_kind, k)
    outs = [wave.registers.write(item, "b32") for item in several(target, of_d.count)]
    sums = [wave.read(item, "b32") for item in several(target, of_d.count)]
    counts, origin = wave.read(scale, "pred"), (np.zeros(wave.geometry.lanes, np.int64), 0)
    accesses = [
        Access(Transfer("reads", "shared", 8, 2, bulk=True, asynchronous=now), at, origin, wave)
        for now in (True, False)
    ]
    in_registers = isinstance(a, Vector)
    rows = [wave.read(item, "b32") for item in several(a, of_a.count)] if in_registers else []
    turned = [False, False, *(bool(immediate_of(one)) for one in more[2:])][-2:]
    of_b = _Matrix(wave.read(b, "b64"), columns, b_kind, turned[1], *accesses)
    memory_a = (
        None if in_registers else _Matrix(wave.read(a, "b64"), _ROWS, a_kind, turned[0], *accesses)
    )

    def combine(together: Lanes) -> None:
        first = lane_index(together)[::WARP]
        factor = (
            memory_a.read(first, wave, at)
            if memory_a
            else of_a.matrix([register[together] for register in rows])
        )
        other = of_b.read(first, wave, at).swapaxes(1, 2)
        added = of_d.matrix([register[together] for register in sums])
        added = np.where(counts[first][:, None, None], added, np.zeros((), added.dtype))
        total = multiply_add(factor, other, added * sign, (a_kind, b_kind), form.has("satfinite"))
        put(outs, together, of_d.registers((total * sign).astype(added.dtype)))

    return combine


# Registers are written at once here; who looks for a missing fence sees that it is there.
effect("wgmma", "fence sync aligned :")(nothing)
effect("wgmma", "commit_group sync aligned :")(commit)


@control("wgmma", "wait_group sync aligned : n", by_chance=True)
def wait_for_products(instruction: Instruction, at: int, wave: Wave) -> Step:
    """For all groups but the n last ones, of all warps of the warpgroup."""
    newest, geometry = immediate_of(instruction.operands[0]), wave.geometry
    size = WARP if geometry.stride % (GROUP * WARP) else GROUP * WARP

    def step(lanes: Lanes) -> Successors:
        wave.spin()
        products, index = wave.products, lane_index(lanes)
        coming = wave.running.copy()
        waiting = [
            groups
            for barrier, groups in wave.barriers.parked.items()
            if wave.barriers.asked.get(barrier) is None
        ]
        for _, others in chain(*waiting):  # these barriers wait for the lanes here, too
            coming[others] = False
        fewest = (
            np.where(coming, products.committed, np.iinfo(np.int64).max)
            .reshape(-1, size)
            .min(axis=1)
        )
        before = products.committed[index] - newest
        early = before > fewest[index // size]
        through, ended = index[~early], np.zeros_like(fewest)
        np.maximum.at(ended, through // size, before[~early])
        products.land(ended.repeat(size))
        wave.events.products_over(at, through, size // WARP)
        return tuple(
            (to, compact(some)) for to, some in ((at + 1, through), (at, index[early])) if len(some)
        )

    return step
