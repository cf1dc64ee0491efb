"""Tensor maps: how a matrix of up to five dimensions lies in global memory, and which box of it one
`cp.async.bulk.tensor` moves (CUDA Driver API, "Tensor Map Object Management").

    map = cuda.tensor_map(array, box=(64, 32), swizzle=128)
    kernel(grid, block, (map, ...))  # for `const __grid_constant__ CUtensorMap map`

A map for the simulated GPU has a layout of its own; one for a GPU is the driver's.
"""

import math
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ..errors import counted, unless
from .errors import LaunchError

SIZE = 128  # bytes of a CUtensorMap
UNIT = 16  # bytes that a swizzle moves together
SWIZZLES = (0, 32, 64, 128)  # bytes of a row that are swizzled, by CUtensorMapSwizzle
# By CUtensorMapDataType, the types of PTX; the other types change what they copy.
KINDS = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16")
_MAGIC = b"warp"  # what the simulated GPU's maps begin with


class TensorMap(msgspec.Struct, frozen=True, array_like=True):
    """Dimension 0 is the innermost. `dims` and `box` count elements of PTX type `kind`, `strides`
    bytes, the first of them an element's; of a box every `steps`-th element is taken. `swizzle`:
    the bytes of a row of the box that are swizzled; `nan`: places outside of the tensor become NaN
    in place of 0."""

    kind: str
    address: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    box: tuple[int, ...]
    steps: tuple[int, ...]
    swizzle: int = 0
    nan: bool = False

    @property
    def size(self) -> int:
        """Bytes of an element."""
        return self.strides[0]

    @property
    def counts(self) -> tuple[int, ...]:
        """Elements that a copy moves, by dimension."""
        return tuple(-(-width // step) for width, step in zip(self.box, self.steps, strict=True))

    @property
    def moved(self) -> int:
        """Bytes that a copy moves."""
        return math.prod(self.counts) * self.size

    def places(self, coordinates: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """Of the box that begins at `coordinates`, in its order in shared memory: the addresses
        int64 and whether they lie in the tensor, bool, both (elements,)."""
        boxes = [*zip(coordinates, self.steps, self.counts, strict=True)][::-1]
        index = np.ix_(*[first + step * np.arange(count) for first, step, count in boxes])
        kept = [(one >= 0) & (one < n) for one, n in zip(index, self.dims[::-1], strict=True)]
        address = sum(map(np.multiply, index, self.strides[::-1]), np.array(self.address))
        return address.ravel(), reduce(np.logical_and, kept).ravel()

    def encoded(self) -> np.void:
        """The 128 bytes, as an argument of a launch."""
        return np.void((_MAGIC + msgspec.msgpack.encode(self)).ljust(SIZE, b"\0"))


def decoded(bits: bytes) -> TensorMap | None:
    """The map that 128 bytes are; None if they are none."""
    return (
        # What is encoded ends with `nan`, never with a zero.
        msgspec.msgpack.decode(bits.removeprefix(_MAGIC).rstrip(b"\0"), type=TensorMap)
        if bits.startswith(_MAGIC)
        else None
    )


def swizzled(address: np.ndarray, swizzle: int) -> np.ndarray:
    """Where in shared memory a byte lies that would lie at `address` (int64) without a swizzle: the
    number of its 16 bytes in a row is combined with the row's by exclusive or."""
    return np.asarray(address ^ (address >> 7 & (swizzle // UNIT - 1 if swizzle else 0)) << 4)


class Encoding(NamedTuple):
    """The arguments of the driver's `cuTensorMapEncodeTiled`, in its order, without the first.
    `globalAddress` is an array or the address of one; lists begin with the innermost dimension,
    `globalStrides` (bytes) with the second; the last four are numbers of the driver's enums."""

    tensorDataType: int
    tensorRank: int
    globalAddress: Any
    globalDim: Sequence[int]
    globalStrides: Sequence[int]
    boxDim: Sequence[int]
    elementStrides: Sequence[int]
    interleave: int = 0
    swizzle: int = 0
    l2Promotion: int = 0
    oobFill: int = 0

    def problems(self, address: int) -> list[str]:
        """What the driver would refuse of an array at `address`."""
        rank, kind = self.tensorRank, self.tensorDataType
        if not 1 <= rank <= 5 or not 0 <= kind < len(KINDS) or self.swizzle not in range(4):
            return ["the rank must be 1 to 5, the type one of 0 to 9, the swizzle one of 0 to 3"]
        wanted = dict.fromkeys(("globalDim", "boxDim", "elementStrides"), rank)
        wanted["globalStrides"] = rank - 1
        for name, number in wanted.items():
            if (found := len(getattr(self, name))) != number:
                return [f"{name} has {counted(found, 'number')}, and not {number}"]
        row, widest = self.boxDim[0] * size_of_kind(KINDS[kind]), SWIZZLES[self.swizzle] or 1 << 16
        rules = {
            "interleave is not 0, which is all that the simulated GPU has": self.interleave == 0,
            f"the address 0x{address:x} is no multiple of 16": address % UNIT == 0,
            "globalDim has a length below 1 or above 2^32": _all_in(self.globalDim, 1 << 32),
            "boxDim has a length below 1 or above 256": _all_in(self.boxDim, 256),
            "elementStrides has a number below 1 or above 8": _all_in(self.elementStrides, 8),
            "globalStrides has a stride that is no multiple of 16 bytes, or 2^40 or more": all(
                one % UNIT == 0 and 0 <= one < 1 << 40 for one in self.globalStrides
            ),
            f"a row of the box has {row} bytes, no multiple of 16": row % UNIT == 0,
            f"a row of the box has {row} bytes, more than the swizzle's {widest}": row <= widest,
            "NaN fills only floats": not self.oobFill or KINDS[kind][0] in "fb",
        }
        return [problem for problem, holds in rules.items() if not holds]

    def map(self, address: int) -> TensorMap:
        """The map of an array at `address`; LaunchError where the driver would refuse it."""
        if problems := self.problems(address):
            raise LaunchError(
                f"cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE ({'; '.join(problems)})."
            )
        kind = KINDS[self.tensorDataType]
        return TensorMap(
            kind,
            address,
            tuple(self.globalDim),
            (size_of_kind(kind), *self.globalStrides),
            tuple(self.boxDim),
            (1, *self.elementStrides[1:]),
            SWIZZLES[self.swizzle],
            bool(self.oobFill),
        )


def encoding(
    array: Any,
    box: Sequence[int],
    swizzle: int = 0,
    steps: Sequence[int] | None = None,
    nan: bool = False,
) -> Encoding:
    """What to pass for the map of `array`, of up to five dimensions, of which a copy moves a box of
    shape `box`; both shapes begin with the outermost dimension, as NumPy's do. `swizzle`: 0, 32,
    64 or 128 bytes. `steps`: of each dimension but the last only every so many elements are moved.
    `nan`: places outside of the array become NaN in place of 0. bfloat16 goes as uint16. Raises
    LaunchError."""
    dtype = array.dtype
    kind = f"{dtype.kind.replace('i', 's')}{8 * dtype.itemsize}"
    what = f"arrays of {dtype}" if kind not in KINDS else f"a swizzle of {swizzle} bytes"
    unless(
        kind in KINDS and swizzle in SWIZZLES,
        LaunchError(f"There is no tensor map for {what}."),
    )
    return Encoding(
        KINDS.index(kind),
        array.ndim,
        array,
        array.shape[::-1],
        array.strides[-2::-1] if array.ndim > 1 else (),
        tuple(box)[::-1],
        tuple(steps or (1,) * array.ndim)[::-1],
        swizzle=SWIZZLES.index(swizzle),
        oobFill=int(nan),
    )


def size_of_kind(kind: str) -> int:
    """Bytes of an element of one of `KINDS`."""
    return int(kind.lstrip("usbf")) // 8


def _all_in(numbers: Sequence[int], most: int) -> bool:
    return all(1 <= one <= most for one in numbers)
