"""Where the array arguments of a launch lie, so that an address says which element it is."""

from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from ..machine.memory.allocations import owner_of


@dataclass(frozen=True)
class ArrayLayout:
    """An array argument. Events call the memory that it lies in `buffer`, which is the first
    argument with that memory; its first element is `offset` bytes from the start of it. Of a
    view or a transposed array the elements lie `strides` bytes apart, as NumPy has it. `name` is
    the parameter's, where it is known."""

    shape: tuple[int, ...]
    dtype: np.dtype
    strides: tuple[int, ...]
    buffer: int
    offset: int
    name: str = ""

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    def elements(self, address: np.ndarray) -> np.ndarray:
        """For each byte offset in the buffer, the number (in C order) of the element that holds
        that byte; -1 where the array has none. int64, of the shape of `address`."""
        places = self.places()
        if not len(places):
            return np.full(np.shape(address), -1)
        order = np.argsort(places, kind="stable")
        at = np.searchsorted(places[order], address, side="right") - 1
        found = order[at]
        return np.where((at >= 0) & (address - places[found] < self.dtype.itemsize), found, -1)

    def places(self) -> np.ndarray:
        """The byte offset of every element, in C order."""
        places = np.full(1, self.offset)
        for length, stride in zip(self.shape, self.strides, strict=True):
            places = (places[:, None] + np.arange(length) * stride).reshape(-1)
        return places


def arrays_among(
    args: tuple[object, ...], names: tuple[str, ...] = ()
) -> tuple[ArrayLayout | None, ...]:
    """What is known of each argument of a launch, whose parameters have these names; None for what
    is no array."""
    first: dict[int, int] = {}
    return tuple(
        described(arg, first.setdefault(id(owner_of(arg)), number), name)
        if isinstance(arg, np.ndarray)
        else None
        for number, (arg, name) in enumerate(zip_longest(args, names[: len(args)], fillvalue=""))
    )


def described(array: np.ndarray, buffer: int, name: str) -> ArrayLayout:
    """What is known of an array whose memory is called `buffer`."""
    offset = array.ctypes.data - owner_of(array).ctypes.data
    return ArrayLayout(array.shape, array.dtype, array.strides, buffer, offset, name)
