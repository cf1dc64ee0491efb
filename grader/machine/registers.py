"""The register file of a wave: one array per PTX register, one element per lane."""

from __future__ import annotations

import struct

import numpy as np

from ..ptx.numeric.types import DTYPES, size_of, unsigned
from ..ptx.ptx import Immediate, Malformed, Operand, Register, is_sink


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
        type (loads, conversions), assignment extends by the sign of `kind`. Malformed if it is no
        register, or too small a one."""
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
        if (other or storage.itemsize < DTYPES[kind].itemsize) and not is_sink(register):
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
