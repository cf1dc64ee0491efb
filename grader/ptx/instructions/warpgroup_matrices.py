"""Products of matrices by a warpgroup, four warps together (PTX ISA, "Asynchronous Warpgroup Level
Matrix Instructions": wgmma).

D (64 x n) += A (64 x k) * B (k x n), where k elements have 32 bytes. Each warp holds 16 rows of D,
and of A where that is in registers; else a descriptor says how A lies in shared memory, as it does
for B. A product is computed when it is issued. Its factors are read once more when a warp of its
warpgroup waits for it, so that whoever writes there before that races with the product.

A wait is for the parts of all four warps: on an H200 it took as long as the last of them had not
issued its own, and whoever has waited may have the factors overwritten.
"""

import re
from dataclasses import dataclass
from itertools import chain

import numpy as np

from ...cuda.tensor_maps import UNIT, swizzled
from ...machine.lanes import WARP, Lanes, Step, Successors, compact, lane_index, put
from ...machine.memory.access import Access, LaneValues, Rereading
from ...machine.wave import Wave
from ..numbers import DTYPES
from ..program import (
    Instruction,
    Transfer,
    Vector,
    immediate_of,
    several,
)
from ..table import collective, control, effect
from .asynchronous_copies import commit
from .data_movement import nothing
from .warp_matrices import factor_a, multiply_add, result

GROUP = 4  # warps
OF_GROUPS = ("setmaxnreg", "wgmma")  # what four whole warps execute together
_ROWS = 16  # of a warp
_SWIZZLES = (0, 128, 64, 32)  # bytes of a row, by the number in a descriptor


def _shapes(k: int) -> str:
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
        words = [self.access.read(hit, word, np.dtype(np.uint64)) for word in range(2)]
        stored = np.stack(words, axis=-1).view(DTYPES[self.kind])
        rows = stored.reshape(*places.shape[:2], -1)  # (warps, rows, k), or (warps, k, rows)
        return rows.swapaxes(1, 2) if self.turned else rows

    def _places(self, bits: np.ndarray, own: np.ndarray) -> np.ndarray:
        """The addresses of units of 16 bytes: (warps, rows, 2), or (warps, k, units) if turned."""
        width, bits = _SWIZZLES[int(bits[0] >> 62 & 3)], bits[:, None, None]
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
    f"mma_async sync aligned {_shapes(16)} f32 f16 f16 : {_BOTH_WAYS}",
    f"mma_async sync aligned {_shapes(16)} f16 f16 f16 : {_BOTH_WAYS}",
    f"mma_async sync aligned {_shapes(16)} f32 bf16 bf16 : {_BOTH_WAYS}",
    f"mma_async sync aligned {_shapes(8)} f32 tf32 tf32 : {_SCALED}",
    f"mma_async sync aligned {_shapes(32)} f16|f32 e4m3|e5m2 e4m3|e5m2 : {_SCALED}",
    f"mma_async sync aligned {_shapes(32)} satfinite? s32 s8|u8 s8|u8 : d, a, b, scale",
    whole_warp=True,
)
def multiply_by_group(instruction: Instruction, at: int, wave: Wave) -> Step:
    """d, a or descriptor, descriptor, whether D counts[, 1 or -1 for A, for B[, transposed...]]"""
    form, (target, a, b, scale, *more) = instruction.form, instruction.operands
    d_kind, a_kind, b_kind = form.mods[-3:]
    columns, k = map(int, re.findall(r"[nk](\d+)", form.mods[3]))
    signs, turned = more[:2], [bool(immediate_of(one)) for one in more[2:]]
    sign = int(np.prod([immediate_of(one) for one in signs]))
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
    turned = [False] * (2 - len(turned)) + turned
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
        asked, parked = wave.barriers.asked, wave.barriers.parked.items()
        waiting = [groups for barrier, groups in parked if asked.get(barrier) is None]
        for _, others in chain(*waiting):  # these barriers wait for the lanes here, too
            coming[others] = False
        fewest = (
            np.where(coming, products.committed, np.iinfo(np.int64).max)
            .reshape(-1, size)
            .min(axis=1)
        )
        before = products.committed[index] - newest
        early = before > fewest[index // size]
        through = index[~early]
        ended = np.zeros_like(fewest)
        np.maximum.at(ended, through // size, before[~early])
        products.land(ended.repeat(size))
        wave.events.products_over(at, through, size // WARP)
        parts = ((at + 1, through), (at, index[early]))
        return tuple((to, compact(some)) for to, some in parts if len(some))

    return step
