"""PTX's scalar types: their sizes in bytes and the NumPy dtypes that compute them."""

from __future__ import annotations

import numpy as np

DTYPES = {
    "pred": np.dtype(np.bool_),
    **{f"{kind}8": np.dtype(np.uint8) for kind in "bu"},
    **{f"{kind}16": np.dtype(np.uint16) for kind in "bu"},
    **{f"{kind}32": np.dtype(np.uint32) for kind in "bu"},
    **{f"{kind}64": np.dtype(np.uint64) for kind in "bu"},
    **{f"s{8 * size}": np.dtype(f"i{size}") for size in (1, 2, 4, 8)},
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "tf32": np.dtype(np.uint32),
    "f16x2": np.dtype(np.uint32),
    "bf16": np.dtype(np.uint16),
    "bf16x2": np.dtype(np.uint32),
    "s16x2": np.dtype(np.uint32),
    "u16x2": np.dtype(np.uint32),
}


def size_of(kind: str) -> int:
    """Bytes of one value of a PTX type, e.g. 4 for "f32"."""
    return 16 if kind == "b128" else DTYPES[kind].itemsize


def unsigned(size: int) -> np.dtype:
    """The unsigned integer dtype of `size` bytes."""
    return np.dtype(f"u{size}")
