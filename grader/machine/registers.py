"""What the lanes of a wave hold: registers (an array for each, an element a lane), PTX's special
registers, and the stack frames of functions that call themselves."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..ptx.numbers import DTYPES, size_of, unsigned
from ..ptx.program import Immediate, Malformed, Operand, Register, is_sink
from .lanes import WARP, Geometry, Lanes, coordinates, count
from .memory.layout import LocalLayout


class RegisterFile:
    """Registers are stored as unsigned integers (predicates as bool) and seen through views of
    whatever type an instruction wants, so a move between types costs nothing."""

    def __init__(self, kinds: dict[str, str], lanes: int):
        self.lanes = lanes
        self._kinds = kinds
        self._storage: dict[str, np.ndarray] = {}

    def storage(self, name: str) -> np.ndarray:
        if name not in self._storage:
            kind = self._kinds.get(name, "b64")  # only the sink `_` is not declared
            dtype = DTYPES["pred"] if kind == "pred" else unsigned(size_of(kind))
            self._storage[name] = np.zeros(self.lanes, dtype)
        return self._storage[name]

    def read(self, operand: Operand, kind: str) -> np.ndarray:
        """The operand as an array (lanes,) of PTX type `kind`. A register wider than the type
        shows its low part; an immediate is one value seen by every lane. Malformed if it is
        neither, or too small a register."""
        if isinstance(operand, Immediate):
            return everywhere(literal(operand, kind), self.lanes)
        if is_sink(operand):
            raise Malformed("`_` holds nothing to read")
        return low_part(self._fitting(operand, kind), DTYPES[kind])

    def write(self, register: Operand, kind: str) -> np.ndarray:
        """The array to assign results of type `kind` to. Where the register is wider than the
        type (loads, conversions), assignment extends by the sign of `kind`. What goes to the sink
        is lost. Malformed if it is no register, or too small a one."""
        if is_sink(register):
            return np.empty(self.lanes, DTYPES[kind])
        storage, dtype = self._fitting(register, kind), DTYPES[kind]
        if dtype.itemsize == storage.itemsize:
            return storage.view(dtype)
        if dtype.kind == "f":
            return low_part(storage, dtype)
        return storage.view(f"{dtype.kind}{storage.itemsize}")

    def _fitting(self, register: Operand, kind: str) -> np.ndarray:
        """The storage of an operand that is a register, and holds what has this type."""
        if not isinstance(register, Register):
            raise Malformed(f"a register of type .{kind} is expected among the operands")
        storage = self.storage(register.name)
        other = (storage.dtype == np.bool_) != (kind == "pred")
        if other or storage.itemsize < DTYPES[kind].itemsize:
            raise Malformed(f"{register.name} is no register for a value of type .{kind}")
        return storage


def everywhere(value: np.ndarray, lanes: int) -> np.ndarray:
    """A 0-d array seen by every lane, as `np.broadcast_to` makes it, in a fraction of the time."""
    return np.ndarray((lanes,), value.dtype, value, strides=(0,))


def low_part(storage: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The low `dtype.itemsize` bytes of each element, as `dtype` (little-endian)."""
    if dtype.itemsize >= storage.itemsize:
        return storage.view(dtype)
    return storage.view(dtype)[:: storage.itemsize // dtype.itemsize]


def literal(operand: Immediate, kind: str) -> np.ndarray:
    """An immediate as a 0-d array of PTX type `kind`; Malformed for a fraction as an integer."""
    dtype, value = DTYPES[kind], operand.value
    if operand.float_width not in (0, dtype.itemsize) and dtype.kind != "f":
        raise Malformed(f"a number with a point is no value of type .{kind}")
    if operand.float_width and operand.float_width != dtype.itemsize:
        double = struct.unpack("<d", value.to_bytes(8, "little"))[0]
        return np.array(double, dtype)
    if dtype.kind == "f" and not operand.float_width:
        bits = value & ((1 << 8 * dtype.itemsize) - 1)
        return np.array(bits, unsigned(dtype.itemsize)).view(dtype)
    if kind == "pred":
        return np.array(bool(value))
    size = dtype.itemsize
    return np.array(value & ((1 << 8 * size) - 1), unsigned(size)).view(dtype)


GRID_WORKSPACE = 0x2000_0000_0000  # where a cooperative launch keeps its grid barrier
_PER_BLOCK = ("%ctaid", "%smid", "%clusterid", "%cluster_cta")

_CLOCKS = {  # and which bits of the clock each holds
    "%clock": 0,
    "%clock_hi": 32,
    "%clock64": 0,
    "%globaltimer": 0,
    "%globaltimer_lo": 0,
    "%globaltimer_hi": 32,
}


class Clock:
    """A register that says, whenever it is indexed, how many steps have been taken. It tells
    before from after, not how long hardware would take. `size` bytes of it are read."""

    def __init__(self, now: Callable[[], int], shift: int, size: int = 8):
        self.now = now
        self.shift = shift
        self.size = size

    def of_size(self, size: int) -> Clock:
        return Clock(self.now, self.shift, size)

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        value = np.uint64(self.now() >> self.shift)
        return np.full(count(lanes), value).astype(f"u{self.size}")


@dataclass(frozen=True)
class _View:
    """What the registers are computed from: `thread` and `block` per lane of the wave; `which` of
    x, y and z is asked for."""

    geometry: Geometry
    thread: np.ndarray
    block: np.ndarray
    which: int
    sms: int
    cooperative: bool

    @property
    def lane(self) -> np.ndarray:
        return self.thread % WARP

    @property
    def rank(self) -> np.ndarray:
        """Of each lane's block within its cluster."""
        return self.block % self.geometry.cluster_blocks

    @property
    def cluster(self) -> np.ndarray:
        """The number of each lane's cluster."""
        return self.block // self.geometry.cluster_blocks


_ALL = 0xFFFFFFFF
_VALUES: dict[str, Callable[[_View], np.ndarray | int]] = {
    "%tid": lambda v: coordinates(v.thread, v.geometry.block)[v.which],
    "%ntid": lambda v: v.geometry.block[v.which],
    "%ctaid": lambda v: v.geometry.block_coordinates(v.block)[v.which],
    "%nctaid": lambda v: v.geometry.grid[v.which],
    "%laneid": lambda v: v.lane,
    "WARP_SZ": lambda v: WARP,  # what `warpSize` is where it must be a constant
    "%warpid": lambda v: v.thread // WARP,
    "%nwarpid": lambda v: v.geometry.stride // WARP,
    "%smid": lambda v: v.block % v.sms,
    "%nsmid": lambda v: v.sms,
    "%gridid": lambda v: 1,
    "%lanemask_eq": lambda v: 1 << v.lane,
    "%lanemask_lt": lambda v: (1 << v.lane) - 1,
    "%lanemask_le": lambda v: (2 << v.lane) - 1,
    "%lanemask_gt": lambda v: _ALL & ~((2 << v.lane) - 1),
    "%lanemask_ge": lambda v: _ALL & ~((1 << v.lane) - 1),
    "%clusterid": lambda v: coordinates(v.cluster, v.geometry.clusters)[v.which],
    "%nclusterid": lambda v: v.geometry.clusters[v.which],
    "%cluster_ctaid": lambda v: coordinates(v.rank, v.geometry.cluster)[v.which],
    "%cluster_nctaid": lambda v: v.geometry.cluster[v.which],
    "%cluster_ctarank": lambda v: v.rank,
    "%cluster_nctarank": lambda v: v.geometry.cluster_blocks,
    "%is_explicit_cluster": lambda v: v.geometry.cluster_blocks > 1,
    "%envreg1": lambda v: GRID_WORKSPACE >> 32 if v.cooperative else 0,
    "%envreg2": lambda v: GRID_WORKSPACE & _ALL if v.cooperative else 0,
}


class SpecialRegisters:
    """Arrays (lanes,) of uint32, made when first asked for; those that depend on the block are
    refilled in place when a wave begins."""

    def __init__(self, geometry: Geometry, cooperative: bool, sms: int, now: Callable[[], int]):
        self.geometry = geometry
        self.now = now
        self.sms = sms
        self.cooperative = cooperative
        self._arrays: dict[str, np.ndarray] = {}
        self._first_block = 0

    def read(self, name: str) -> np.ndarray | Clock | None:
        """The register called e.g. "%tid.x"; None if there is no such register."""
        if name in _CLOCKS:
            return Clock(self.now, _CLOCKS[name])
        if name not in self._arrays:
            values = self._values(name)
            if values is None:
                return None
            full = np.broadcast_to(np.asarray(values, np.uint32), self.geometry.lanes)
            self._arrays[name] = full.copy() if name.startswith(_PER_BLOCK) else full
        return self._arrays[name]

    def begin_wave(self, first_block: int) -> None:
        self._first_block = first_block
        for name, array in self._arrays.items():
            if name.startswith(_PER_BLOCK):
                array[:] = self._values(name)

    def _values(self, name: str) -> np.ndarray | int | None:
        base, _, axis = name.partition(".")
        if base not in _VALUES:
            return None
        geometry = self.geometry
        block = self._first_block + geometry.block_of_lane
        which = "xyz".find(axis) if axis else 0
        thread = geometry.thread_of_lane
        return _VALUES[base](_View(geometry, thread, block, which, self.sms, self.cooperative))


class Framed:
    """An address in the current frame; read when indexed, for frames come and go."""

    def __init__(self, frame: np.ndarray, offset: int):
        self.frame = frame
        self.offset = offset

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return self.frame[lanes] + self.offset


class Frames:
    """By function that calls itself, where the frame of each lane begins in local memory."""

    def __init__(self, layout: LocalLayout, lanes: int):
        self.offsets = layout.frame_offsets  # by local variable: its function, its place in a frame
        self.begins = {name: np.zeros(lanes, np.int64) for name in layout.frame_sizes}
        self._sizes, self._stack = layout.frame_sizes, layout.stack
        self._top = np.full(lanes, layout.stack, np.int64)

    def begin_wave(self) -> None:
        """No lane has called anything yet."""
        self._top[:] = self._stack

    def framed(self, symbol: str) -> Framed:
        """The address of a local variable of a function that calls itself, for every lane."""
        function, offset = self.offsets[symbol]
        return Framed(self.begins[function], offset)

    def push(self, name: str, lanes: Lanes) -> np.ndarray:
        """A new frame for each lane; where the stacks of the lanes end with it, in bytes."""
        self.begins[name][lanes] = self._top[lanes]
        self._top[lanes] += self._sizes[name]
        return self._top[lanes]

    def pop(self, name: str, lanes: Lanes) -> None:
        """The lanes leave their last frame."""
        self._top[lanes] -= self._sizes[name]
