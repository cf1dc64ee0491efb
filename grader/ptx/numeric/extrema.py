"""The smaller and the larger of two numbers where a number wins over NaN, whichever machine
simulates: on Arm NumPy's fmin and fmax let a signalling NaN win (IEEE 754-2008's minNum does)."""

from __future__ import annotations

import numpy as np

_SIGNALLING = np.full(33, 0x7FA00000, np.uint32).view(np.float32)  # vectors, and what is left over
with np.errstate(invalid="ignore"):
    _MAY_WIN = bool(np.isnan(np.fmin(_SIGNALLING, np.float32(1))).any())


def fmin(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return _number(np.fmin(a, b), a, b)


def fmax(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return _number(np.fmax(a, b), a, b)


def _number(found: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    if _MAY_WIN and np.isnan(found).any():
        return np.where(np.isnan(found), np.where(np.isnan(a), b, a), found)
    return found
