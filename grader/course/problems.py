"""Problems that are one launch over a few arrays, as short exercises need them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from .model import Dim, Expected, Launch, Problem

Array = np.ndarray


def one_launch(
    kernel: str,
    grid: Dim,
    block: Dim,
    inputs: Mapping[str, Array],
    outputs: Mapping[str, Array],
    *numbers: np.generic,
    atol: float | Array = 0.0,
    rtol: float = 0.0,
) -> Problem:
    """One launch of `kernel`, which is passed the inputs, the outputs and the `numbers` in this
    order. An output's array is what must be there afterwards, in the dtype that the kernel writes;
    in float64 a float32 is meant."""
    return Problem(
        inputs=dict(inputs),
        outputs={name: _expected(value, atol, rtol) for name, value in outputs.items()},
        launches=(Launch(kernel, grid, block, (*inputs, *outputs, *numbers)),),
    )


def _expected(value: Array, atol: float | Array, rtol: float) -> Expected:
    if value.dtype.kind != "f":
        return Expected(value, value.dtype)
    dtype = np.float32 if value.dtype == np.float64 else value.dtype
    return Expected(value.astype(np.float64), dtype, atol=atol, rtol=rtol)
