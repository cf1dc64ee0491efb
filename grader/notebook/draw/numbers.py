"""Cells of shared memory as numbers, short enough for a small box."""

from __future__ import annotations

import numpy as np

_FLOATS = {2: np.float16, 4: np.float32, 8: np.float64}


def read_cells(memory: np.ndarray, width: int, cells: list[int]) -> np.ndarray:
    """(cells, numbers in each): what `cells` of `memory` (uint8) hold, in units of `width` bytes.

    The trace does not know types. Bits that all make everyday floats are taken for floats (8
    bytes for a pair of them before one double), others for signed integers, which as floats
    would nearly all be close to 0. Cells of other widths are not read: no numbers."""
    if width not in (1, 2, 4, 8):
        return np.empty((len(cells), 0))
    raw = memory[: len(memory) // width * width].view(f"i{width}")[cells][:, None]
    if width == 8 and raw.astype(np.int32).any():  # doubles of few digits end in zeros
        pairs = raw.view(np.float32)
        if _everyday(pairs):
            return pairs
    floats = raw.view(_FLOATS[width]) if width in _FLOATS else raw
    return floats if _everyday(floats) else raw


def _everyday(floats: np.ndarray) -> bool:
    with np.errstate(all="ignore"):
        size = np.abs(floats.astype(np.float64))
        return bool((~np.isfinite(size) | (size == 0) | ((size > 1e-12) & (size < 1e12))).all())


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
