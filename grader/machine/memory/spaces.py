"""The memory per launch can reach, by state space, with every access checked.

Addresses are int64 arrays, one per lane. A space turns them into element positions in a `Store`
(a flat run of bytes) or raises OutOfBounds or Misaligned, naming the first thread concerned.
"""

import mmap
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ..lanes import Lanes, fill

# Generic addresses: windows through which shared and local memory are seen, far from global.
SHARED_WINDOW = 0x0100_0000_0000
LOCAL_WINDOW = 0x0200_0000_0000
WINDOW_SIZE = 1 << 32
# A shared-memory address in a cluster has the rank of its block, plus one, above this bit; zero
# means the block's own.
RANK_SHIFT = 24
OFFSET_MASK = (1 << RANK_SHIFT) - 1

IN_USE, FREED = 1, 2


@dataclass(eq=False)
class Store:
    """A flat run of bytes. `written` marks initialised bytes (None: all are); `names` are those of
    the parameters and variables that stand for it in the kernel; `states` says of each byte
    whether it is IN_USE or FREED (None: all are in use); `refused`: that it was too small for some
    `malloc`."""

    name: str
    data: np.ndarray
    written: np.ndarray | None = None
    writable: bool = True
    argument: int | None = None
    address: int = 0
    names: set[str] = field(default_factory=set)
    states: np.ndarray | None = None
    refused: bool = False
    _views: dict[Any, np.ndarray] = field(default_factory=dict)

    def view(self, dtype: np.dtype) -> np.ndarray:
        """The bytes as whole elements of `dtype`; a shorter tail is left out."""
        if dtype not in self._views:
            whole = len(self.data) - len(self.data) % dtype.itemsize
            self._views[dtype] = self.data[:whole].view(dtype)
        return self._views[dtype]

    def marks(self, size: int) -> np.ndarray:
        """`written` seen `size` bytes at a time: 0 means that none of them was written."""
        if size not in self._views:
            written = np.zeros(0, np.uint8) if self.written is None else self.written
            self._views[size] = written[: len(written) - len(written) % size].view(f"u{size}")
        return self._views[size]


def _untouched(size: int) -> np.ndarray:
    """Zeroes (size,) uint8, of pages that the system makes when they are touched; `np.zeros` may
    take memory that was used before, and clear all of it."""
    return np.frombuffer(mmap.mmap(-1, size), np.uint8)


class Heap:
    """What a kernel's `malloc` hands out: CUDA's default of 8 MB, never given out twice, with a
    gap after each piece so that running over its end is noticed."""

    ADDRESS = 0x3000_0000_0000
    SIZE = 8 << 20

    def __init__(self) -> None:
        data, written, self.states = (_untouched(self.SIZE) for _ in range(3))
        self.store = Store("the heap", data, written, address=self.ADDRESS, states=self.states)
        self.sizes: dict[int, int] = {}  # by address, of the pieces in use
        self.used = 0

    def allocate(self, sizes: np.ndarray) -> np.ndarray:
        """The addresses of fresh pieces of `sizes` bytes, in order; 0 where there are not as many
        left. Both (pieces,) uint64."""
        addresses = np.zeros(len(sizes), np.uint64)
        changes = np.flatnonzero(sizes[1:] != sizes[:-1]) + 1
        for start, end in pairwise([0, *changes.tolist(), len(sizes)]):
            found = self._alike(int(sizes[start]), end - start)
            addresses[start : start + len(found)] = found
        return addresses

    def _alike(self, size: int, wanted: int) -> range:
        """The addresses of as many pieces of `size` bytes as there is room for."""
        pitch, left = -(-size // 16) * 16 + 16, self.SIZE - self.used - size
        number = min(wanted, left // pitch + 1) if left >= 0 else 0
        self.store.refused |= number < wanted
        end = self.used + number * pitch
        for start in range(self.used, end, pitch):
            self.states[start : start + size] = IN_USE
        addresses = range(self.ADDRESS + self.used, self.ADDRESS + end, pitch)
        self.sizes.update(dict.fromkeys(addresses, size))
        self.used = end
        return addresses

    def free(self, address: int) -> bool:
        """Takes a piece back; False if there is no such piece in use."""
        if (size := self.sizes.pop(address, None)) is None:
            return False
        start = address - self.ADDRESS
        self.states[start : start + size] = FREED
        return True


@dataclass(eq=False)
class Fault(Exception):
    """An access that cannot be: which lane (position in the access), and why in words. Of one
    that lies outside an array: its `address` in the `space`, and the `store` that is near. Raised
    by a space; the instruction turns it into an error with line, block and thread."""

    position: int
    reason: str
    space: str = ""
    address: int = 0
    store: Store | None = None


Found = list[tuple[Store, np.ndarray | None]]  # stores, and the lanes (None: all) that hit them


class GlobalSpace:
    """The buffers passed to the launch and the module's variables, each a region of its own.
    `moved` says how far behind its address a parameter lies, by lane; none of these moves."""

    moved: Mapping[str, np.ndarray] = {}

    def __init__(self, stores: list[Store]):
        self.stores = sorted(stores, key=lambda store: store.address)
        self.starts = [store.address for store in self.stores]

    def begin_wave(self, launches: np.ndarray) -> None:
        """The next blocks take the lanes; `launches` (lanes,) are theirs, of a batch."""

    def locate(self, addresses: np.ndarray, size: int, lanes: Lanes) -> Found:
        """Per store touched by the accesses of `lanes`: the store, and the positions in `addresses`
        (None: all of them)."""
        lowest, highest = int(np.minimum.reduce(addresses)), int(np.maximum.reduce(addresses))
        store = self.below(lowest)
        if store is not None and highest + size <= store.address + len(store.data):
            _check_in_use(store, addresses, size, None)
            return [(store, None)]
        return self._locate_each(addresses, size)

    def below(self, address: int) -> Store | None:
        """The store that begins last at or before `address`."""
        at = bisect_right(self.starts, address) - 1
        return self.stores[at] if at >= 0 else None

    def _locate_each(self, addresses: np.ndarray, size: int) -> Found:
        owner = np.searchsorted(self.starts, addresses, side="right") - 1  # -1: before all of them
        found: Found = []
        for at in np.unique(owner).tolist():
            lanes = np.flatnonzero(owner == at)
            store = self.stores[at]
            last = store.address + len(store.data) - size if at >= 0 else -np.inf
            if len(outside := lanes[addresses[lanes] > last]):
                position = int(outside[0])
                raise self.describe(int(addresses[position]), position)
            _check_in_use(store, addresses, size, lanes)
            found.append((store, lanes))
        return found

    def describe(self, address: int, position: int) -> Fault:
        near = [store for store in self.stores if store.names]
        distance = [
            max(store.address - address, address - store.address - len(store.data), 0)
            for store in near
        ]
        if not near or min(distance) > 1 << 20:
            if not 0 <= address < 1 << 16:
                return Fault(position, "an address outside of all its arrays", "global", address)
            where = "a null pointer" + (" plus an index" if address else "")
            if any(store.refused for store in self.stores):
                where += f" (`malloc` returns it when all {Heap.SIZE >> 20} MB are in use)"
            return Fault(position, where)
        store = near[int(np.argmin(distance))]
        return Fault(position, f"outside {store.name}", "global", address, store)


PAGE_SHIFT = 9  # a buffer of a batch has whole pages, of 512 bytes
PAGE = 1 << PAGE_SHIFT


@dataclass
class Pieces:
    """The parts of a store that belong to the launches of a batch: by page the `launch`, and where
    in the store its part `ends`."""

    launch: np.ndarray
    ends: np.ndarray


class BatchSpace(GlobalSpace):
    """The memory of launches that run at once. For each array that they pass there is a store, of
    which each has a part, and can reach no other; the `parameters` of a launch lie `pitch` bytes
    behind those of the launch before."""

    def __init__(
        self,
        stores: list[Store],
        pieces: dict[Store, Pieces],
        parameters: Iterable[str],
        pitch: int,
        lanes: int,
    ):
        super().__init__(stores)
        self.pieces, self.pitch = pieces, pitch
        self.launches, moved = np.zeros((2, lanes), np.int64)
        self.moved = dict.fromkeys(parameters, moved)

    def begin_wave(self, launches: np.ndarray) -> None:
        self.launches[:] = launches
        fill(self.moved.values(), launches * self.pitch)

    def locate(self, addresses: np.ndarray, size: int, lanes: Lanes) -> Found:
        found = super().locate(addresses, size, lanes)
        for store, which in (one for one in found if one[0] in self.pieces):
            pieces = self.pieces[store]
            chosen = np.arange(len(addresses)) if which is None else which
            where = addresses[chosen] - store.address
            page = where >> PAGE_SHIFT
            astray = pieces.launch[page] != self.launches[lanes][chosen]
            astray |= where + size > pieces.ends[page]
            if np.count_nonzero(astray):
                position = int(chosen[np.argmax(astray)])
                raise self.describe(int(addresses[position]), position)
        return found


def _check_in_use(store: Store, addresses: np.ndarray, size: int, lanes: np.ndarray | None) -> None:
    """Raises Fault if some of the lanes' addresses (None: of all) are not in use."""
    if store.states is None:
        return
    where = (addresses if lanes is None else addresses[lanes]) - store.address
    first, last = store.states[where], store.states[where + (size - 1)]
    unusable = (first != IN_USE) | (last != IN_USE)
    if unusable.any():
        at = int(np.argmax(unusable))
        why = "freed with `free`" if first[at] == FREED else "not allocated by `malloc`"
        position = at if lanes is None else int(lanes[at])
        raise Fault(position, f"memory of the heap that was {why}")


class PrivateSpace:
    """Memory of which every block (shared) or every thread (local) has `size` bytes of its own,
    addressed from 0. `owner` gives, per lane of the wave, which piece is its own; `variables`,
    per byte of a piece, which variable it belongs to (-1: none; None: there is only one); the bytes
    `cleared` of every piece are zero at first, the others unwritten; `symbols`: where each
    variable begins."""

    def __init__(
        self,
        name: str,
        size: int,
        pieces: int,
        owner: np.ndarray,
        variables: np.ndarray | None = None,
    ):
        self.name = name
        self.symbols: dict[str, int] = {}
        self.cleared = slice(0)
        self.size = size
        self.variables = variables
        self.pitch = -(-size // 16) * 16
        self.base = (owner * self.pitch).astype(np.int64)
        length = self.pitch * pieces
        self.store = Store(name, np.zeros(length, np.uint8), np.zeros(length, np.uint8))

    def reset(self) -> None:
        """A new wave begins: nothing is written yet."""
        written = self.store.marks(1)
        written[:] = 0
        if self.cleared.stop:
            written.reshape(-1, self.pitch)[:, self.cleared] = 1
            self.store.data.reshape(-1, self.pitch)[:, self.cleared] = 0

    def check(self, addresses: np.ndarray, size: int) -> None:
        """Raises Fault if some address is outside, or between two variables."""
        astray = None
        if not 0 <= np.bitwise_or.reduce(addresses) <= self.size - size:  # no address is larger
            astray = (addresses < 0) | (addresses + size > self.size)
        if self.variables is not None and (astray is None or not np.count_nonzero(astray)):
            first, last = self.variables[addresses], self.variables[addresses + (size - 1)]
            astray = (first < 0) | (first != last)
        if astray is not None and np.count_nonzero(astray):
            position = int(np.argmax(astray))
            reason, address = f"outside of its {self.name} memory", int(addresses[position])
            raise Fault(position, reason, self.name, address, self.store)

    def extent(self, start: int) -> int:
        """How many bytes the variable that begins at `start` has."""
        owner = self.variables
        return self.size if owner is None else int(np.count_nonzero(owner == owner[start]))

    def natural(self, address: Any) -> Any:
        """The address as it would be without red zones; works on ints and on arrays."""
        return (
            address
            if self.variables is None
            else address - self._red_bytes_below[np.clip(address, 0, self.size)]
        )

    @cached_property
    def _red_bytes_below(self) -> np.ndarray:
        """Per address: how many bytes of red zones come before it."""
        variables = np.zeros(0, np.int16) if self.variables is None else self.variables
        return np.concatenate([[0], np.cumsum(variables < 0)])

    def without_red_zones(self) -> np.ndarray:
        """A copy of the first piece's bytes, as they would lie on hardware."""
        data = self.store.data[: self.size]
        return data.copy() if self.variables is None else data[self.variables >= 0]
