"""The register file of a wave: one array per PTX register, one element per lane."""

from __future__ import annotations

import struct

import numpy as np

from ..numeric.types import DTYPES, size_of, unsigned
from ..program.ptx import Immediate, Operand, symbol_of


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
        shows its low part; an immediate is one value seen by every lane."""
        if isinstance(operand, Immediate):
            return everywhere(literal(operand, kind), self.lanes)
        return low_part(self.storage(symbol_of(operand)), DTYPES[kind])

    def write(self, register: Operand, kind: str) -> np.ndarray:
        """The array to assign results of type `kind` to. Where the register is wider than the
        type (loads, conversions), assignment extends by the sign of `kind`."""
        storage = self.storage(symbol_of(register))
        dtype = DTYPES[kind]
        if dtype.itemsize == storage.itemsize:
            return storage.view(dtype)
        if dtype.kind == "f":
            return low_part(storage, dtype)
        return storage.view(f"{dtype.kind}{storage.itemsize}")


def everywhere(value: np.ndarray, lanes: int) -> np.ndarray:
    """A 0-d array seen by every lane, as `np.broadcast_to` makes it, in a fraction of the time."""
    return np.ndarray((lanes,), value.dtype, value, strides=(0,))


def low_part(storage: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The low `dtype.itemsize` bytes of each element, as `dtype` (little-endian)."""
    if dtype.itemsize >= storage.itemsize:
        return storage.view(dtype)
    return storage.view(dtype)[:: storage.itemsize // dtype.itemsize]


def literal(operand: Immediate, kind: str) -> np.ndarray:
    """An immediate as a 0-d array of PTX type `kind`."""
    dtype, value = DTYPES[kind], operand.value
    if operand.float_width and operand.float_width != dtype.itemsize:
        double = struct.unpack("<d", value.to_bytes(8, "little"))[0]
        return np.array(double, dtype)
    if dtype.kind == "f" and not operand.float_width:
        return np.array(value, unsigned(dtype.itemsize)).view(dtype)
    if kind == "pred":
        return np.array(bool(value))
    size = dtype.itemsize
    return np.array(value & ((1 << 8 * size) - 1), unsigned(size)).view(dtype)
