"""The memory per launch can reach, by state space, with every access checked; and where variables
lie in it.

Addresses are int64 arrays, one per lane. A space turns them into element positions in a `Store`
(a flat run of bytes) or raises OutOfBounds or Misaligned, naming the first thread concerned.
"""

import mmap
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from ...ptx.program import Function, LinkedProgram, PtxModule, Variable, function_addresses
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


class Heap:
    """What a kernel's `malloc` hands out: CUDA's default of 8 MB, never given out twice, with a
    gap after each piece so that running over its end is noticed."""

    ADDRESS = 0x3000_0000_0000
    SIZE = 8 << 20

    def __init__(self) -> None:
        # Pages that the system makes, of zeroes, when they are touched; `np.zeros` may take memory
        # that was used before, and clear all of it.
        data, written, self.states = (
            np.frombuffer(mmap.mmap(-1, self.SIZE), np.uint8) for _ in range(3)
        )
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
    """An access that cannot be: which lane (position in the access), and where it goes. This is
    "outside" of an array, with its `address` in the `space` and the `store` that is near, if there
    is one; "null", or an `address` near it; what was "freed", or is "unallocated" on the heap; or
    the shared memory of a `block` that its "cluster" does not have. Raised by a space; the
    instruction turns it into an error with line, block and thread."""

    position: int
    where: Literal["outside", "null", "freed", "unallocated", "cluster"]
    space: str = ""
    address: int = 0
    store: Store | None = None
    block: int = 0


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
            lanes, store = np.flatnonzero(owner == at), self.stores[at]
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
                return Fault(position, "outside", "global", address)
            return Fault(position, "null", address=address)
        return Fault(position, "outside", "global", address, near[int(np.argmin(distance))])


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
            astray = (pieces.launch[page] != self.launches[lanes][chosen]) | (
                where + size > pieces.ends[page]
            )
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
        position = at if lanes is None else int(lanes[at])
        raise Fault(position, "freed" if first[at] == FREED else "unallocated")


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
        self.size, self.variables = size, variables
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
        astray = (
            None
            if 0 <= np.bitwise_or.reduce(addresses) <= self.size - size  # no address is larger
            else (addresses < 0) | (addresses + size > self.size)
        )
        if self.variables is not None and (astray is None or not np.count_nonzero(astray)):
            first, last = self.variables[addresses], self.variables[addresses + (size - 1)]
            astray = (first < 0) | (first != last)
        if astray is not None and np.count_nonzero(astray):
            position = int(np.argmax(astray))
            raise Fault(position, "outside", self.name, int(addresses[position]), self.store)

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


# ---- where variables lie: a module's in global memory, a kernel's in shared and local memory ----

RED_ZONE = 128  # bytes: a multiple of what one round of the 32 banks holds
# What CUDA sets aside in each block for cooperative groups of several warps.
_RESERVED = Variable("%reserved_smem_offset_1", "shared", "b8", 288, 16)
STACK_SIZE = 1024  # bytes a thread has for recursion: CUDA's default cudaLimitStackSize


@dataclass(frozen=True, eq=False)
class SharedLayout:
    """`size` bytes per block, red zones included; `static` bytes declared; where each variable
    starts; for each byte the number of the variable it belongs to, -1 in a red zone (None where
    there is but one variable); `cleared`: the bytes that are zero when a block begins."""

    size: int
    static: int
    symbols: dict[str, int]
    owner: np.ndarray | None
    cleared: slice


@dataclass(frozen=True)
class LocalLayout:
    """`size` bytes per thread; `symbols` the fixed addresses; the stack starts at `stack`;
    `frame_sizes` and `frame_offsets` (function, offset) are for functions that recurse."""

    size: int
    symbols: dict[str, int]
    stack: int
    frame_sizes: dict[str, int]
    frame_offsets: dict[str, tuple[str, int]]


def module_variables(program: PtxModule) -> dict[str, Store]:
    """The module's `__device__` and `__constant__` variables that some kernel mentions. They
    keep their values from launch to launch."""
    mentioned = {
        *(name for function in program.functions.values() for name in function.symbols),
        *(name for variable in program.variables.values() for _, name in variable.pointers),
    }
    stores: dict[str, Store] = {}
    address = 0x5000_0000_0000
    for variable in (
        one
        for one in program.variables.values()
        if one.space in ("global", "const") and one.name in mentioned
    ):
        data = np.zeros(max(variable.size, len(variable.initial)), np.uint8)
        data[: len(variable.initial)] = np.frombuffer(variable.initial, np.uint8)
        stores[variable.name] = Store(
            variable.name,
            data,
            writable=variable.space == "global",
            address=address,
            names={variable.name},
        )
        address += -(-(len(data) + 4096) // 512) * 512
    addresses = function_addresses(program) | {n: store.address for n, store in stores.items()}
    for variable in program.variables.values():
        for offset, pointed in variable.pointers:
            if variable.name in stores and pointed in addresses:
                stores[variable.name].data[offset : offset + 8] = np.frombuffer(
                    addresses[pointed].to_bytes(8, "little"), np.uint8
                )
    return stores


def shared_layout(kernel: Function, program: PtxModule, dynamic: int) -> SharedLayout:
    """Where each shared variable of a block starts; dynamic shared memory comes last. A red zone
    of whole rounds of the banks lies between neighbours, so that running over the end of one is
    noticed and every address keeps its bank."""
    others = (v for v in (*program.variables.values(), _RESERVED) if v.name in kernel.symbols)
    shared = [v for v in (*kernel.variables, *others) if v.space == "shared"]
    fixed = [v for v in shared if v.size]
    flexible = [v for v in shared if not v.size]
    static, natural = _lay_out(fixed)
    pieces = [(natural[v.name], v.size) for v in fixed]
    if flexible or dynamic:
        start = static + (-static % max(16, *(v.align for v in flexible)) if flexible else 0)
        natural |= {v.name: start for v in flexible}
        pieces.append((start, dynamic))
    zone = max([RED_ZONE, *(v.align for v in shared)])  # every address keeps its alignment
    moved = {start: start + zone * number for number, (start, _) in enumerate(pieces)}
    size = max((moved[start] + length for start, length in pieces), default=0)
    owner = np.full(size, -1, np.int16)
    for number, (start, length) in enumerate(pieces):
        owner[moved[start] : moved[start] + length] = number
    symbols = {name: moved[start] for name, start in natural.items()}
    start = symbols.get(_RESERVED.name, 0)
    cleared = slice(start, start + _RESERVED.size if _RESERVED.name in symbols else 0)
    return SharedLayout(size, static, symbols, owner if len(pieces) > 1 else None, cleared)


def local_layout(linked: LinkedProgram) -> LocalLayout:
    """Where each local variable of a thread lies. Functions that call themselves have theirs in
    frames on a stack, which comes after those of all the others."""
    recursive = {name for name, part in linked.parts.items() if part.recursive}
    local = [v for v in linked.function.variables if v.space == "local"]
    size, symbols = _lay_out([v for v in local if v.name.partition("::")[0] not in recursive])
    stack = size + -size % 16
    frames = {
        name: _lay_out([v for v in local if v.name.startswith(f"{name}::")]) for name in recursive
    }
    return LocalLayout(
        *(stack + STACK_SIZE if recursive else size, symbols, stack),
        # A call costs 16 bytes of stack at least: a return address and its padding.
        {name: 16 + -(-needed // 16) * 16 for name, (needed, _) in frames.items()},
        {
            symbol: (name, offset)
            for name, (_, offsets) in frames.items()
            for symbol, offset in offsets.items()
        },
    )


def _lay_out(variables: list[Variable]) -> tuple[int, dict[str, int]]:
    size, symbols = 0, {}
    for variable in variables:
        size += -size % variable.align
        symbols[variable.name] = size
        size += variable.size
    return size, symbols
