"""Inputs that bring mistakes to light, for the cases of exercises: each a float32 array.

A kernel that is right for uniform random numbers can still be wrong: partial sums look plausible,
a forgotten element changes little, a large offset hides in rounding.
"""

from __future__ import annotations

import numpy as np

Shape = int | tuple[int, ...]


def whole_numbers(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """1 to 9: their float32 sums are exact, and one element too few or too many always shows."""
    return rng.integers(1, 10, shape).astype(np.float32)


def quarters(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """0.25 to 9.75 in steps of a quarter, none of them whole: their float32 sums are exact like
    those of `whole_numbers`, and a value that went through an int always shows."""
    numbers: np.ndarray = rng.integers(0, 10, shape) + rng.choice([0.25, 0.5, 0.75], shape)
    return numbers.astype(np.float32)


def normal(rng: np.random.Generator, shape: Shape, scale: float = 1.0) -> np.ndarray:
    """Standard normal numbers times `scale`."""
    return (scale * rng.standard_normal(shape)).astype(np.float32)


def offset(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """A large common part and a small individual one."""
    return (1000 + rng.standard_normal(shape)).astype(np.float32)


def heavy_tailed(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Mostly small numbers of both signs, a few enormous ones."""
    return rng.standard_cauchy(shape).astype(np.float32)


def negative(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """-100 to -0.5: 0 is larger than all of them."""
    return -rng.uniform(0.5, 100, shape).astype(np.float32)


def spikes(rng: np.random.Generator, n: int, every: int) -> np.ndarray:
    """Zero but for the last element of every stretch of `every`, and the last of all."""
    x = np.zeros(n, np.float32)
    x[every - 1 :: every] = rng.uniform(1, 2, x[every - 1 :: every].size)
    x[-1] = rng.uniform(1, 2)
    return x
