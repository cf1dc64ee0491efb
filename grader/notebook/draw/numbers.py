"""Cells of shared memory as numbers, short enough for a small box."""

from __future__ import annotations

import numpy as np

_FLOATS = {2: np.float16, 4: np.float32, 8: np.float64}


def read_cells(memory: np.ndarray, width: int, cells: list[int]) -> np.ndarray:
    """The numbers in `cells` of `memory` (uint8), counted in units of `width` bytes.

    The trace does not know types: bits that all make everyday floats are taken for floats,
    others for signed integers (as floats, small integers would all be nearly 0)."""
    if width not in (1, 2, 4, 8):
        return np.full(len(cells), np.nan)
    raw = memory[: len(memory) // width * width].view(f"i{width}")[cells]
    if width not in _FLOATS:
        return raw
    floats = raw.view(_FLOATS[width])
    with np.errstate(all="ignore"):
        size = np.abs(floats.astype(np.float64))
        everyday = ~np.isfinite(size) | (size == 0) | ((size > 1e-12) & (size < 1e12))
    return floats if everyday.all() else raw


def short(value: float, room: int) -> str:
    """`value` in at most about `room` characters, at least four."""
    if not np.isfinite(value):
        return {"inf": "∞", "-inf": "-∞"}.get(str(float(value)), "nan")
    if float(value).is_integer() and len(f"{value:.0f}") <= room:
        return f"{value:.0f}"
    for digits in range(room, 0, -1):
        text = f"{value:.{digits}g}"
        if abs(value) < 1:
            text = text.replace("0.", ".", 1)
        if len(text) <= room:
            return text
    return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
