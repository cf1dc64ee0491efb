"""Messages between the judge and its worker: typed structs as MessagePack, never pickle.

A message is 8 bytes of length (big endian) and that many of MessagePack. Arrays travel as raw
bytes with dtype and shape. The worker runs what learners wrote, so what comes from it is taken
only in the declared types, and no longer than the reader says.
"""

from __future__ import annotations

import math
from typing import BinaryIO, TypeVar

import msgspec
import numpy as np

from ..cuda.diagnostics import Diagnostic

LENGTH = 8
KINDS = "biufcV"  # of dtypes: numbers, and raw bytes for what NumPy has no name for
Arrays = dict[str, np.ndarray]


class ProtocolError(Exception):
    """What came is not a message of the type asked for, or a longer one than it may be."""


class Buffer(msgspec.Struct, frozen=True):
    """The shape and dtype (e.g. "<f4") of a buffer that the worker makes."""

    shape: tuple[int, ...]
    dtype: str


class Array(msgspec.Struct, frozen=True):
    """An array: C-contiguous bytes, with what they mean."""

    shape: tuple[int, ...]
    dtype: str
    data: memoryview


class Argument(msgspec.Struct, frozen=True, omit_defaults=True):
    """A launch's argument: a buffer by name, or else the `value` of a NumPy scalar of `dtype`."""

    buffer: str = ""
    dtype: str = ""
    value: bool | int | float = 0


class LaunchRequest(msgspec.Struct, frozen=True):
    """One launch: `grid` and `block` in one to three dimensions, `shared_mem` in bytes."""

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    args: tuple[Argument, ...]
    shared_mem: int


class CaseRequest(msgspec.Struct, frozen=True):
    """What the worker is told of a case: never what is expected. Its inputs travel beside it as
    arrays called "position/name". `steps`: how many instruction steps it may take; `order`: in
    which the simulated GPU's threads run."""

    position: int
    inputs: tuple[str, ...]
    outputs: dict[str, Buffer]
    scratch: dict[str, Buffer]
    launches: tuple[LaunchRequest, ...]
    steps: int
    order: str = "lockstep"


class Request(msgspec.Struct, frozen=True):
    """Work for one worker. `device`: "simulator" compiles and runs the cases, "compiler" compiles
    for hardware and sends what came out, "gpu" runs cases of what was compiled before."""

    device: str
    source: str
    cases: tuple[CaseRequest, ...]
    compile_seconds: float
    case_seconds: float
    cpu_seconds: int
    memory_bytes: int
    file_bytes: int
    architecture: str = ""
    arrays: dict[str, Array] = {}


class Reply(msgspec.Struct, frozen=True):
    """What came of the compilation, or of one case. With `status` "ran" there are `counters`,
    `costs` (counter -> the line that costs most, and how much), `opcodes` (PTX opcode -> warp
    instructions), `steps`, `arrays`, and in `left`, by the number of a launch (from 1), what
    earlier ones have left changed; any other is a verdict's, with its `message` and `line`, of a
    source that does not compile with its `diagnostics`."""

    status: str
    message: str = ""
    line: int | None = None
    counters: dict[str, int] = {}
    costs: dict[str, tuple[int, int]] = {}
    opcodes: dict[str, int] = {}
    steps: int = 0
    arrays: dict[str, Array] = {}
    left: dict[int, str] = {}
    diagnostics: tuple[Diagnostic, ...] = ()


Message = TypeVar("Message", Request, Reply)


def packed(arrays: Arrays) -> dict[str, Array]:
    """Arrays made ready to travel."""
    return {name: _array(np.asarray(value)) for name, value in arrays.items()}


def unpacked(arrays: dict[str, Array]) -> Arrays:
    """The arrays that travelled, each in memory of its own. ProtocolError where bytes, shape and
    dtype do not belong together."""
    return {name: _numpy(array) for name, array in arrays.items()}


def encode(message: Request | Reply) -> bytes:
    """One message as bytes, its length in front."""
    body = msgspec.msgpack.encode(message)
    return len(body).to_bytes(LENGTH, "big") + body


def take(buffer: bytearray, kind: type[Message], longest: int) -> Message | None:
    """The first whole message off the front of `buffer`; None while it is incomplete.
    ProtocolError for one of more than `longest` bytes, or that is no `kind`."""
    if len(buffer) < LENGTH:
        return None
    end = LENGTH + int.from_bytes(buffer[:LENGTH], "big")
    if end > LENGTH + longest:
        raise ProtocolError(f"a message of {end - LENGTH:,} bytes, where {longest:,} are the most")
    if len(buffer) < end:
        return None
    body = bytes(buffer[LENGTH:end])
    del buffer[:end]
    return _decode(body, kind)


def read(stream: BinaryIO, kind: type[Message]) -> Message:
    """The one message that `stream` holds."""
    return _decode(stream.read()[LENGTH:], kind)


def _decode(body: bytes, kind: type[Message]) -> Message:
    try:
        return msgspec.msgpack.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ProtocolError(str(error)) from error


def _array(value: np.ndarray) -> Array:
    raw = np.ascontiguousarray(value).reshape(-1).view(np.uint8)
    return Array(value.shape, value.dtype.str, memoryview(raw))


def _numpy(array: Array) -> np.ndarray:
    try:
        dtype = np.dtype(array.dtype)
        fits = min(array.shape, default=0) >= 0 and dtype.kind in KINDS
        if not fits or math.prod(array.shape) * dtype.itemsize != array.data.nbytes:
            raise ProtocolError(f"{array.shape} of {array.dtype} in {array.data.nbytes} bytes")
        return np.frombuffer(array.data, dtype).reshape(array.shape).copy()
    except (TypeError, ValueError) as error:
        raise ProtocolError(str(error)) from error
