"""Call sequences: the `.param` slots that carry arguments, and what `printf` prints."""

from __future__ import annotations

import re
import struct

import numpy as np

from .memory import LOCAL_WINDOW, GlobalSpace
from .observe import PRINTF_LIMIT
from .ptx import Function, Vector
from .types import DTYPES

_CONVERSION = re.compile(
    r"%[-+ #0]*(\*|\d+)?(?:\.(\*|\d+))?(hh|h|ll|l|z|j|t)?([diouxXcsfFeEgGaAp%])"
)


class Calls:
    """`slots` maps a call parameter to its bytes, one row per lane."""

    def __init__(self, kernel: Function, machine):
        self.machine = machine
        self.slots = {
            variable.name: np.zeros((machine.geometry.lanes, variable.size), np.uint8)
            for variable in kernel.variables
            if variable.space == "param"
        }

    def load(self, instruction, target, address):
        views = self._views(instruction, address, target)
        outs = [self.machine.registers.write(r, instruction.type) for r in _items(target)]

        def step(lanes) -> None:
            for out, view in zip(outs, views, strict=True):
                out[lanes] = view[lanes]

        return step

    def store(self, instruction, address, source):
        from .instructions.registry import read

        views = self._views(instruction, address, source)
        values = [read(item, instruction.type, self.machine) for item in _items(source)]

        def step(lanes) -> None:
            for view, value in zip(views, values, strict=True):
                view[lanes] = value[lanes]

        return step

    def pointer(self, slot: str, lane: int) -> int:
        """The 64-bit address that a lane put into a slot."""
        return int(self.slots[slot][lane].view(np.uint64)[0])

    def text(self, address: int, lane: int) -> str:
        """The C string at a generic address."""
        data, offset = self._bytes(address, lane)
        return bytes(data[offset : offset + 4096]).partition(b"\0")[0].decode(errors="replace")

    def print(self, formats: int, arguments: int, lane: int) -> None:
        """What `printf` prints for one lane."""
        run = self.machine.run_log
        if len(run.printed) < PRINTF_LIMIT:
            data, offset = self._bytes(arguments, lane) if arguments else (b"", 0)
            text = format_printf(self.text(formats, lane), bytes(data[offset:]), self, lane)
            run.printed += text

    def _views(self, instruction, address, values) -> list[np.ndarray]:
        dtype, slot = DTYPES[instruction.type], self.slots[address.base.name]
        starts = [address.offset + n * dtype.itemsize for n in range(len(_items(values)))]
        return [slot[:, at : at + dtype.itemsize].view(dtype)[:, 0] for at in starts]

    def _bytes(self, address: int, lane: int) -> tuple[np.ndarray, int]:
        local = self.machine.spaces["local"]
        if LOCAL_WINDOW <= address < LOCAL_WINDOW + local.size:
            start = int(local.base[lane])
            return local.store.data[start : start + local.pitch], address - LOCAL_WINDOW
        everything: GlobalSpace = self.machine.spaces["global"]
        store = everything.locate(np.array([address], np.int64), 1)[0][0]
        return store.data, address - store.address


def _items(operand) -> tuple:
    return operand.items if isinstance(operand, Vector) else (operand,)


def format_printf(template: str, arguments: bytes, calls: Calls, lane: int) -> str:
    """C's printf, with the arguments packed as CUDA packs them: 4 bytes for an int, 8 for a
    long, a double or a pointer, each aligned to its size."""
    at = 0

    def take(code: str):
        nonlocal at
        size = struct.calcsize(code)
        at = -(-at // size) * size
        value = struct.unpack_from(f"<{code}", arguments, at)[0]
        at += size
        return value

    def convert(match: re.Match) -> str:
        width, precision, length, kind = match.groups()
        if kind == "%":
            return "%"
        flags = re.match(r"%([-+ #0]*)", match.group()).group(1)
        width = str(take("i")) if width == "*" else width or ""
        precision = str(take("i")) if precision == "*" else precision
        spec = f"%{flags}{width}" + (f".{precision}" if precision is not None else "")
        long = length in ("l", "ll", "z", "j", "t")
        if kind == "s":
            return f"{spec}s" % calls.text(take("Q"), lane)
        if kind == "p":
            return f"{spec}s" % hex(take("Q"))
        if kind in "fFeEgGaA":
            value = take("d")
            return float.hex(value) if kind in "aA" else f"{spec}{kind}" % value
        if kind == "c":
            return f"{spec}c" % (take("i") & 0xFF)
        signed = kind in "di"
        value = take(("q" if signed else "Q") if long else ("i" if signed else "I"))
        return f"{spec}{'d' if kind in 'diu' else kind}" % value

    return _CONVERSION.sub(convert, template)
