"""Messages between the judge and its sandbox: JSON and arrays in an npz, never pickle.

A message is 8 bytes of length (big endian) and an npz whose member "json" holds the JSON text as
bytes; every other member is an array.
"""

from __future__ import annotations

import io
import json
from typing import BinaryIO

import numpy as np

Arrays = dict[str, np.ndarray]
Message = tuple[dict, Arrays]

_LENGTH = 8


def pack(data: dict, arrays: Arrays) -> bytes:
    """One message holding `data` (JSON-ready) and `arrays` (any numeric dtype, by name)."""
    body = io.BytesIO()
    np.savez(body, json=np.frombuffer(json.dumps(data).encode(), np.uint8), **arrays)
    return body.tell().to_bytes(_LENGTH, "big") + body.getvalue()


def unpack(buffer: bytearray) -> Message | None:
    """Take the first whole message off the front of `buffer`; None while it is incomplete."""
    end = _LENGTH + int.from_bytes(buffer[:_LENGTH], "big")
    if len(buffer) < _LENGTH or len(buffer) < end:
        return None
    message = _message(bytes(buffer[_LENGTH:end]))
    del buffer[:end]
    return message


def read(stream: BinaryIO) -> Message:
    """The one message that `stream` holds."""
    return _message(stream.read()[_LENGTH:])


def _message(body: bytes) -> Message:
    with np.load(io.BytesIO(body), allow_pickle=False) as members:
        arrays = dict(members)
    return json.loads(arrays.pop("json").tobytes()), arrays
