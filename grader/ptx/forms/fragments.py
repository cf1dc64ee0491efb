"""The pieces of a matrix that the lanes of a warp hold in their registers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...machine.lanes import WARP
from ..numeric.types import DTYPES

ELEMENTS = {"f16": 2, "bf16": 2, "tf32": 1, "f32": 1, "s32": 1, "s8": 4, "u8": 4}  # a register
_LANE = np.arange(WARP)
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
        words = np.stack(registers, axis=-1)  # (lanes, registers)
        values = words.view(DTYPES[self.kind]).reshape(-1, *self.rows.shape)
        found = np.empty((len(values), *self.shape), values.dtype)
        found[:, self.rows, self.columns] = values
        return found

    def lanes(self, registers: list[np.ndarray]) -> np.ndarray:
        """The elements that each lane holds: (lanes, elements)."""
        return np.stack(registers, axis=-1).view(DTYPES[self.kind])

    def words(self, elements: np.ndarray) -> list[np.ndarray]:
        """The registers that hold these elements (lanes, elements) of each lane."""
        return list(np.ascontiguousarray(elements).view(np.uint32).T)

    def registers(self, matrices: np.ndarray) -> list[np.ndarray]:
        """The registers, each (32 * warps,) uint32, that hold matrices (warps, *shape)."""
        values = np.ascontiguousarray(matrices[:, self.rows, self.columns])
        words = values.view(np.uint32).reshape(-1, self.count)
        return list(words.T)


def factor_a(kind: str, k: int) -> Fragment:
    """A of an m16n8 product: registers 0, 2, ... hold the upper eight rows, the others the lower
    ones; each pair of registers the next columns."""
    register, element = _places(kind, k * 16)
    per = ELEMENTS[kind]
    rows = _GROUP[:, None, None] + 8 * (register % 2) + 0 * element
    columns = _WITHIN[:, None, None] * per + element + register // 2 * 4 * per
    return Fragment(kind, (16, k), rows, columns)


def factor_b(kind: str, k: int) -> Fragment:
    """B of an m16n8 product: each register holds the next rows."""
    register, element = _places(kind, k * 8)
    per = ELEMENTS[kind]
    rows = _WITHIN[:, None, None] * per + element + register * 4 * per
    return Fragment(kind, (k, 8), rows, _GROUP[:, None, None] + 0 * (register + element))


def result(kind: str) -> Fragment:
    """C and D of an m16n8 product: two neighbours of a row in the upper half, two in the lower."""
    register, element = _places(kind, 16 * 8)
    number = register * ELEMENTS[kind] + element  # of the four elements
    rows = _GROUP[:, None, None] + 8 * (number // 2)
    columns = _WITHIN[:, None, None] * 2 + number % 2
    return Fragment(kind, (16, 8), rows, columns)


def spread(kind: str, shape: tuple[int, int], count: int) -> Fragment:
    """`count` registers a lane, along the rows of the matrix from lane to lane; where there is more
    room than the matrix has elements, it is there several times. (Which lane has what of a wmma
    fragment, the PTX ISA leaves open.)"""
    per = ELEMENTS[kind]
    place = np.arange(WARP * count * per).reshape(WARP, count, per) % (shape[0] * shape[1])
    return Fragment(kind, shape, place // shape[1], place % shape[1])


def _places(kind: str, elements: int) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the registers (1, registers, 1) and of the elements in one (1, 1, elements),
    where the warp holds so many elements."""
    per = ELEMENTS[kind]
    count = elements // (WARP * per)
    return np.arange(count)[None, :, None], np.arange(per)[None, None, :]
