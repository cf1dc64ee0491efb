"""Small kernels in inline assembly that execute the instructions of a census, with what they give.

A `Kernel` takes one input array and fills one output array, both of raw bytes, a fixed number for
each of 32 threads.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

LANES = 32
_LETTER = {1: "h", 2: "h", 4: "r", 8: "l"}
_HOLDER = {1: "unsigned short", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long long"}
_MEMORY = {
    "global": ("out", ""),
    "shared": ("cells", "__shared__ __align__(16) unsigned char cells[32 * 32];"),
    "local": ("mine", "__align__(16) unsigned char mine[32];"),
    "const": ("table", ""),
    "generic": ("out", ""),
}
TABLE = bytes((7 * n + 1) % 251 for n in range(LANES * 32))  # what constant memory holds


@dataclass(frozen=True)
class Kernel:
    """`body` is C++ between `in` and `out`, pointers to a thread's own bytes; `expected` takes the
    input (32, n) uint8 and gives the output (32, m) uint8."""

    name: str
    body: str
    in_bytes: int
    out_bytes: int
    expected: Callable[[np.ndarray], np.ndarray]

    @property
    def source(self) -> str:
        return f"""
extern "C" __global__ void {self.name}(const unsigned char* from, unsigned char* to) {{
  const unsigned char* in = from + {self.in_bytes} * threadIdx.x;
  unsigned char* out = to + {self.out_bytes} * threadIdx.x;
  {self.body}
}}"""


def _form(opcode: str) -> tuple[str, int, str, int]:
    """Of `ld.global.v4.f32`: the space, the number of values, their type and its size."""
    parts = opcode.split(".")
    space = next((p for p in parts if p in _MEMORY), "generic")
    number = next((int(p[1]) for p in parts if p in ("v2", "v4")), 1)
    return space, number, parts[-1], int(parts[-1][1:]) // 8


def _address(space: str) -> str:
    """The address of a thread's own cell, as the space wants it."""
    cell = {"shared": "&cells[32 * threadIdx.x]", "const": "&table[32 * threadIdx.x]"}
    pointer = cell.get(space, _MEMORY[space][0])
    if space == "generic":
        return f'"l"({pointer})'
    window = {"const": "constant"}.get(space, space)
    return f'"l"(__cvta_generic_to_{window}({pointer}))'


def load(opcode: str, number: int) -> Kernel:
    """Each thread loads its own cell and stores what its registers hold."""
    space, values, kind, size = _form(opcode)
    held = max(size, 2)
    outs = ", ".join(f'"={_LETTER[size]}"(v[{n}])' for n in range(values))
    names = ", ".join(f"%{n}" for n in range(values))
    names = f"{{{names}}}" if values > 1 else names
    source = "in" if space in ("global", "generic") else None
    address = _address(space) if source is None else _address(space).replace("out", "in")
    fill = f"for (int n = 0; n < 32; ++n) ({_cell(space)})[n] = in[n];"
    body = f"""{_MEMORY[space][1]} {fill if space in ("shared", "local") else ""}
  {_HOLDER[size]} v[{values}];
  asm volatile("{opcode} {names}, [%{values}];" : {outs} : {address} : "memory");
  for (int n = 0; n < {values}; ++n) reinterpret_cast<{_HOLDER[size]}*>(out)[n] = v[n];"""

    def expected(given: np.ndarray) -> np.ndarray:
        cells = np.frombuffer(TABLE, np.uint8).reshape(LANES, 32) if space == "const" else given
        raw = np.ascontiguousarray(cells[:, : values * size])
        signed = "i" if kind[0] == "s" else "u"
        wide = raw.view(f"{signed}{size}").astype(f"{signed}{held}")
        return wide.view(np.uint8)

    return Kernel(f"memory_{number}", body, 32, values * held, expected)


def store(opcode: str, number: int) -> Kernel:
    """Each thread stores its values into its own cell, which is read back as bytes."""
    space, values, _, size = _form(opcode)
    ins = ", ".join(f'"{_LETTER[size]}"(v[{n}])' for n in range(values))
    names = ", ".join(f"%{n + 1}" for n in range(values))
    names = f"{{{names}}}" if values > 1 else names
    back = f"for (int n = 0; n < {values * size}; ++n) out[n] = ({_cell(space)})[n];"
    body = f"""{_MEMORY[space][1]} {_HOLDER[size]} v[{values}];
  for (int n = 0; n < {values}; ++n) v[n] = reinterpret_cast<const {_HOLDER[size]}*>(in)[n];
  asm volatile("{opcode} [%0], {names};" :: {_address(space)}, {ins} : "memory");
  {back if space in ("shared", "local") else ""}"""

    def expected(given: np.ndarray) -> np.ndarray:
        held = np.ascontiguousarray(given[:, : values * max(size, 2)]).view(f"u{max(size, 2)}")
        return held.astype(f"u{size}").view(np.uint8)

    return Kernel(f"memory_{number}", body, 32, values * size, expected)


def _cell(space: str) -> str:
    return {"shared": "cells + 32 * threadIdx.x", "local": "mine"}.get(space, "out")


def update(opcode: str, number: int) -> Kernel:
    """An atomic on a thread's own cell: what it found (not for `red`) and what it left."""
    parts = opcode.split(".")
    kind = parts[-1]
    size = 4 if kind.endswith("x2") else int(kind[1:]) // 8
    operation = next(p for p in parts if p in _OPERATIONS)
    space = "global" if "global" in parts else "generic"
    inputs = [f'"{_LETTER[size]}"(v[1])', f'"{_LETTER[size]}"(v[2])'][: 1 + (operation == "cas")]
    operands = ", ".join(f"%{n}" for n in range(2, 2 + len(inputs)))
    found = "" if parts[0] == "red" else "%0, "
    body = f"""const {_HOLDER[size]}* v = reinterpret_cast<const {_HOLDER[size]}*>(in);
  {_HOLDER[size]} *cell = reinterpret_cast<{_HOLDER[size]}*>(out) + 1, old = v[0];
  *cell = v[0];
  asm volatile("{opcode} {found}[%1], {operands};" : "+{_LETTER[size]}"(old)
               : {_address(space).replace("(out)", "(cell)")}, {", ".join(inputs)} : "memory");
  cell[-1] = old;"""
    body = body.replace(", %0, ", ", ")

    def expected(given: np.ndarray) -> np.ndarray:
        operands = [np.ascontiguousarray(given[:, n * size : n * size + size]) for n in range(3)]
        dtype = _dtype(kind, size)
        old, one, two = [operand.view(dtype) for operand in operands]
        new = _OPERATIONS[operation](old, one, two).astype(dtype)
        return np.hstack([operands[0], np.ascontiguousarray(new).view(np.uint8)])

    return Kernel(f"memory_{number}", body, 32, 2 * size, expected)


def _dtype(kind: str, size: int) -> str:
    if kind[0] == "f":
        return "f2" if kind.startswith("f16") else f"f{size}"
    return f"{'i' if kind[0] == 's' else 'u'}{size}"


_OPERATIONS = {
    "add": lambda old, a, b: old + a,
    "min": lambda old, a, b: np.minimum(old, a),
    "max": lambda old, a, b: np.maximum(old, a),
    "and": lambda old, a, b: old & a,
    "or": lambda old, a, b: old | a,
    "xor": lambda old, a, b: old ^ a,
    "exch": lambda old, a, b: a,
    "cas": lambda old, a, b: np.where(old == a, b, old),
    "inc": lambda old, a, b: np.where(old >= a, 0, old + 1),
    "dec": lambda old, a, b: np.where((old == 0) | (old > a), a, old - 1),
}
