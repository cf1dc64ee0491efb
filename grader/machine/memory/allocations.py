"""Device allocations: NumPy arrays seen as buffers with a device address.

The array stays where it is and is changed in place; what is added is an address (512-byte
aligned, as CUDA's are, with a wide gap to its neighbours so that a stray access meets nothing)
and, for `empty` arrays, a record of which bytes have been written.
"""

import weakref
from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike

_ALIGNMENT = 512
_GAP = 1 << 20
POISON = 0xCB  # as a float: -2.7e7, as an int: -875836469; easy to recognise in a result


@dataclass(frozen=True)
class Allocation:
    """`written` has one byte per byte of the buffer, 0 where nobody has written yet; None where
    everything is initialised."""

    address: int
    written: np.ndarray | None


_allocations: dict[int, Allocation] = {}
_reachable: weakref.WeakValueDictionary[int, np.ndarray] = weakref.WeakValueDictionary()
_next_address = 0x7F00_0000_0000


def empty(shape: int | tuple[int, ...], dtype: DTypeLike = np.float32) -> np.ndarray:
    """An array that nobody has written, as `cupy.empty` gives: poisoned, and a kernel that reads
    an element before writing it gets UninitializedRead."""
    array = np.empty(shape, dtype)
    bytes_of(array)[:] = POISON
    _allocate(array, np.zeros(array.nbytes, np.uint8))
    return array


def written(array: np.ndarray) -> np.ndarray:
    """Which elements of `array`, whole or a stretch of another, are initialised: bool, of its
    shape."""
    allocation = allocation_of(array)
    if allocation.written is None:
        return np.ones(array.shape, bool)
    begin = array.ctypes.data - owner_of(array).ctypes.data
    return np.asarray(
        allocation.written[begin : begin + array.nbytes].reshape(-1, array.itemsize).all(axis=1)
    ).reshape(array.shape)


def allocation_of(array: np.ndarray) -> Allocation:
    """The allocation that holds `array`, made on first sight."""
    owner = owner_of(array)
    return _allocations.get(id(owner)) or _allocate(owner, None)


def address_of(array: np.ndarray) -> int:
    """The device address of the first element of `array`, which may be a view."""
    owner = owner_of(array)
    return allocation_of(owner).address + array.ctypes.data - owner.ctypes.data


def address(array: np.ndarray) -> np.uint64:
    """The device address of `array`, for a pointer inside a struct argument or inside another
    array (as `cupy.ndarray.data.ptr`). From then on kernels can reach the array through it for as
    long as the array lives."""
    owner = owner_of(array)
    _reachable[id(owner)] = owner
    return np.uint64(address_of(array))


def reachable() -> list[np.ndarray]:
    """The living arrays whose address somebody asked for."""
    return list(_reachable.values())


def owner_of(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory which `array` shows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def bytes_of(owner: np.ndarray) -> np.ndarray:
    """The memory of an owning array as uint8, shared with it."""
    return owner.ravel(order="K").view(np.uint8)


def _allocate(owner: np.ndarray, written: np.ndarray | None) -> Allocation:
    global _next_address
    allocation = Allocation(_next_address, written)
    _next_address += -(-(owner.nbytes + _GAP) // _ALIGNMENT) * _ALIGNMENT
    _allocations[id(owner)] = allocation
    weakref.finalize(owner, _allocations.pop, id(owner), None)
    return allocation
