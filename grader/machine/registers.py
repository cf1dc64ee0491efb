"""What the lanes of a wave hold: registers (an array for each, an element per lane), PTX's special
registers, and the stack frames of functions that call themselves."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..ptx.link import Group, Places, Seen
from ..ptx.numbers import DTYPES, size_of, stored, unsigned
from ..ptx.program import SINK, Immediate, Operand, Register, require
from .lanes import WARP, Geometry, Lanes, coordinates, count, seen_by_all
from .memory.spaces import LocalLayout


class RegisterFile(dict[Seen, list[np.ndarray]]):
    """Registers are stored as unsigned integers (predicates as bool) and seen through views of
    whatever type an instruction wants, so a move between types costs nothing. Those of one group
    are the rows of one array, of which all views are made at once. `kinds`: the type of each that
    is declared."""

    def __init__(self, kinds: dict[str, str], places: Places, lanes: int):
        self.kinds, self.places, self.lanes = kinds, places, lanes
        self._groups: dict[Group, np.ndarray] = {}
        self._alone: dict[str, np.ndarray] = {}  # what no instruction names

    def __missing__(self, seen: Seen) -> list[np.ndarray]:
        group, dtype = seen.group, seen.dtype
        if group not in self._groups:
            self._groups[group] = np.zeros((group.size, self.lanes), group.dtype)
        # The low bytes of each register, which come first.
        self[seen] = list(
            self._groups[group].view(dtype)[..., :: group.dtype.itemsize // dtype.itemsize]
        )
        return self[seen]

    def storage(self, name: str) -> np.ndarray:
        if name in self.places.groups:
            dtype = self.places.groups[name][0].dtype
            kind = "pred" if dtype.kind == "b" else f"b{8 * dtype.itemsize}"
            return self.read(Register(name), kind)
        if name not in self._alone:
            kind = self.kinds.get(name, "b64")  # only the sink `_` is not declared
            self._alone[name] = np.zeros(self.lanes, stored(kind))
        return self._alone[name]

    def read(self, operand: Operand, kind: str) -> np.ndarray:
        """The operand as an array (lanes,) of PTX type `kind`. A register wider than the type
        shows its low part; an immediate is one value seen by every lane. Malformed if it is
        neither, or too small a register."""
        if isinstance(operand, Immediate):
            return seen_by_all(literal(operand, kind), self.lanes)
        seen, number = self.places.read(operand, kind)
        return self[seen][number]

    def write(self, register: Operand, kind: str) -> np.ndarray:
        """The array to assign results of type `kind` to. What goes to the sink is lost. Malformed
        if it is no register, or too small a one."""
        if register == SINK:
            return np.empty(self.lanes, DTYPES[kind])
        seen, number = self.places.written(register, kind)
        return self[seen][number]


def literal(operand: Immediate, kind: str) -> np.ndarray:
    """An immediate as a 0-d array of PTX type `kind`; Malformed for a fraction as an integer."""
    dtype, value = DTYPES[kind], operand.value
    require(
        operand.float_width in (0, dtype.itemsize) or dtype.kind == "f",
        "number_with_a_point",
        kind=kind,
    )
    if operand.float_width and operand.float_width != dtype.itemsize:
        return np.array(value, np.uint64).view(np.float64).astype(dtype)
    return (
        np.array(bool(value))
        if kind == "pred"
        else np.array(value & ((1 << 8 * dtype.itemsize) - 1), unsigned(dtype.itemsize)).view(dtype)
    )


GRID_WORKSPACE = 0x2000_0000_0000  # where a cooperative launch keeps its grid barrier
_PER_BLOCK = ("%ctaid", "%nctaid", "%smid", "%clusterid", "%cluster_cta")

CLOCKS = {  # and which bits of the clock each holds
    "%clock": 0,
    "%clock_hi": 32,
    "%clock64": 0,
    "%globaltimer": 0,
    "%globaltimer_lo": 0,
    "%globaltimer_hi": 32,
}


@dataclass(eq=False)
class Derived:
    """An operand whose values are worked out, by `of(lanes)`, whenever they are read."""

    of: Callable[[Lanes], np.ndarray]

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return self.of(lanes)


_ALL = 0xFFFFFFFF


class SpecialRegisters:
    """Arrays (lanes,) of uint32, made when first asked for; those that depend on the block are
    refilled in place when a wave begins. `thread` and `block`: those of each lane, by number.

    A clock says, whenever it is read, how many steps have been taken: `now()`. It tells before
    from after, not how long hardware would take."""

    def __init__(self, geometry: Geometry, cooperative: bool, sms: int, now: Callable[[], int]):
        self.geometry, self.now = geometry, now
        self.sms, self.cooperative = sms, cooperative
        self.thread, self.block = geometry.thread_of_lane, geometry.block_of_lane
        self._arrays: dict[str, np.ndarray] = {}

    def read(self, name: str, kind: str) -> np.ndarray | Derived | None:
        """The register called e.g. "%tid.x" as integers of PTX type `kind`; None if there is no
        such register."""
        dtype = unsigned(size_of(kind))
        if name in CLOCKS:
            return Derived(
                lambda lanes: np.full(count(lanes), np.uint64(self.now() >> CLOCKS[name])).astype(
                    dtype
                )
            )
        if name.partition(".")[0] not in _VALUES:
            return None
        if name not in self._arrays:
            full = np.broadcast_to(np.asarray(self._values(name), np.uint32), self.geometry.lanes)
            self._arrays[name] = full.copy() if name.startswith(_PER_BLOCK) else full
        array = self._arrays[name]
        return array.view(np.int32) if kind == "s32" else array.astype(dtype, copy=False)

    def begin_wave(self, first_block: int) -> None:
        self.block = first_block + self.geometry.block_of_lane
        for name, array in self._arrays.items():
            if name.startswith(_PER_BLOCK):
                array[:] = self._values(name)

    def _values(self, name: str) -> np.ndarray | int:
        base, _, axis = name.partition(".")
        return _VALUES[base](self, "xyz".find(axis) if axis else 0)


# Each value by lane, or the one that all lanes have, of an axis: 0, 1 or 2 for x, y or z.
_VALUES: dict[str, Callable[[SpecialRegisters, int], np.ndarray | int]] = {
    "%tid": lambda of, axis: coordinates(of.thread, of.geometry.block)[axis],
    "%ntid": lambda of, axis: of.geometry.block[axis],
    "%ctaid": lambda of, axis: of.geometry.block_coordinates(of.block)[axis],
    "%nctaid": lambda of, axis: of.geometry.grid_of(of.block)[axis],
    "%laneid": lambda of, _: of.thread & WARP - 1,
    "WARP_SZ": lambda of, _: WARP,  # what `warpSize` is where it must be a constant
    "%warpid": lambda of, _: of.thread // WARP,
    "%nwarpid": lambda of, _: of.geometry.stride // WARP,
    "%smid": lambda of, _: of.block % of.sms,
    "%nsmid": lambda of, _: of.sms,
    "%gridid": lambda of, _: 1,
    "%lanemask_eq": lambda of, _: 1 << of.thread % WARP,
    "%lanemask_lt": lambda of, _: (1 << of.thread % WARP) - 1,
    "%lanemask_le": lambda of, _: (2 << of.thread % WARP) - 1,
    "%lanemask_gt": lambda of, _: _ALL & ~((2 << of.thread % WARP) - 1),
    "%lanemask_ge": lambda of, _: _ALL & ~((1 << of.thread % WARP) - 1),
    "%clusterid": lambda of, axis: coordinates(
        of.block // of.geometry.cluster_blocks, of.geometry.clusters
    )[axis],
    "%nclusterid": lambda of, axis: of.geometry.clusters[axis],
    "%cluster_ctaid": lambda of, axis: coordinates(
        of.block % of.geometry.cluster_blocks, of.geometry.cluster
    )[axis],
    "%cluster_nctaid": lambda of, axis: of.geometry.cluster[axis],
    "%cluster_ctarank": lambda of, _: of.block % of.geometry.cluster_blocks,
    "%cluster_nctarank": lambda of, _: of.geometry.cluster_blocks,
    "%is_explicit_cluster": lambda of, _: of.geometry.cluster_blocks > 1,
    "%envreg1": lambda of, _: GRID_WORKSPACE >> 32 if of.cooperative else 0,
    "%envreg2": lambda of, _: GRID_WORKSPACE & _ALL if of.cooperative else 0,
}


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

    def framed(self, symbol: str) -> Derived:
        """The address of a local variable of a function that calls itself, for every lane: in the
        current frame, for frames come and go."""
        function, offset = self.offsets[symbol]
        return Derived(lambda lanes: self.begins[function][lanes] + offset)

    def push(self, name: str, lanes: Lanes) -> np.ndarray:
        """A new frame for each lane; where the stacks of the lanes end with it, in bytes."""
        self.begins[name][lanes] = self._top[lanes]
        self._top[lanes] += self._sizes[name]
        return self._top[lanes]

    def pop(self, name: str, lanes: Lanes) -> None:
        """The lanes leave their last frame."""
        self._top[lanes] -= self._sizes[name]
