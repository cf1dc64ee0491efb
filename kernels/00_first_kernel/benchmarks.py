"""A picture made brighter on a GPU, with the grid along its rows and down its columns."""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant

BLOCK = (32, 8)
FACTOR = np.float32(1.5)


def _arrays(xp, size):
    picture = xp.random.default_rng(0).random(size, dtype=xp.float32)
    return {"picture": picture, "brighter": xp.empty(size, xp.float32)}


def _launch(kernel: str, extents: tuple[int, int], size: tuple[int, int]) -> tuple[Launch, ...]:
    """`extents` are what x and y of the grid run over."""
    grid = tuple(-(-extent // threads) for extent, threads in zip(extents, BLOCK, strict=True))
    rows, cols = size
    args = ("picture", "brighter", FACTOR, np.int32(rows), np.int32(cols))
    return (Launch(kernel, grid, BLOCK, args),)


def _cupy(arrays):
    import cupy

    brighten = cupy.ElementwiseKernel(
        "float32 picture, float32 factor",
        "float32 brighter",
        "brighter = min(factor * picture, 1.f)",
    )
    return lambda: brighten(arrays["picture"], FACTOR, arrays["brighter"])


def _torch(arrays):
    import torch

    picture, brighter = (torch.from_dlpack(arrays[name]) for name in ("picture", "brighter"))

    def two_steps():
        torch.mul(picture, float(FACTOR), out=brighter)
        brighter.clamp_(max=1)

    return two_steps


brighten = Benchmark(
    name="brighten",
    title="A picture made brighter",
    sizes=tuple((side, side) for side in (512, 1024, 2048, 4096, 8192, 16384)),
    extents=("rows", "columns"),
    arrays=_arrays,
    result="brighter",
    reference=lambda arrays: (arrays["picture"].astype("float64") * float(FACTOR)).clip(None, 1),
    rtol=1e-6,
    bytes=lambda size: 2 * 4 * size[0] * size[1],
    variants={
        "along the rows": Variant(
            "5_brighten.cu", lambda size: _launch("brighten", (size[1], size[0]), size)
        ),
        "down the columns": Variant(
            "5_brighten_down.cu", lambda size: _launch("brighten_down", size, size)
        ),
    },
    libraries={"CuPy (one kernel)": _cupy, "PyTorch (two)": _torch},
)
