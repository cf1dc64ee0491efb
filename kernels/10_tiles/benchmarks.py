"""What a transpose and a matrix product take on a GPU, next to libraries."""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant


def _tiles(n: int, side: int) -> int:
    return -(-n // side)


# --- transpose ---------------------------------------------------------------------------------


def _matrix(xp, size):
    rows, cols = size
    x = xp.random.default_rng(0).random((rows, cols), dtype=xp.float32)
    return {"x": x, "y": xp.empty((cols, rows), xp.float32)}


def _transposed_by(kernel: str, rows_per_block: int):
    def launches(size):
        rows, cols = size
        grid = (_tiles(cols, 32), _tiles(rows, rows_per_block))
        return (Launch(kernel, grid, (32, 8), ("x", "y", np.int32(rows), np.int32(cols))),)

    return launches


def _by_packs(size):
    rows, cols = size
    grid = (_tiles(rows, 64), _tiles(cols, 64))
    return (Launch("fast_transpose", grid, 256, ("x", "y", np.int32(rows), np.int32(cols))),)


def _cupy_transpose(arrays):
    x, y = arrays["x"], arrays["y"]

    def copy():
        y[...] = x.T

    return copy


def _torch_transpose(arrays):
    import torch

    x, y = (torch.from_dlpack(arrays[name]) for name in ("x", "y"))
    return lambda: y.copy_(x.t())


transposes = Benchmark(
    name="transposes",
    title="Transpose of a square matrix, fp32",
    sizes=((1024, 1024), (4096, 4096), (16_384, 16_384)),
    extents=("rows", "columns"),
    tiny=(44, 72),
    arrays=_matrix,
    result="y",
    reference=lambda arrays: arrays["x"].T.astype("float64"),
    rtol=0.0,
    bytes=lambda size: 2 * 4 * size[0] * size[1],
    variants={
        "element by element": Variant("0_naive_transpose.cu", _transposed_by("naive_transpose", 8)),
        "tile with spare cells": Variant("1_transpose.cu", _transposed_by("transpose", 32)),
        "tile with a swizzle": Variant("2_swizzle.cu", _transposed_by("swizzle", 32)),
        "packs on both sides": Variant("9_fast_transpose.cu", _by_packs),
    },
    libraries={"CuPy": _cupy_transpose, "PyTorch": _torch_transpose},
)


# --- matrix product ----------------------------------------------------------------------------


def _factors(xp, size):
    (n,) = size
    rng = xp.random.default_rng(0)
    a, b = (rng.random((n, n), dtype=xp.float32) for _ in range(2))
    return {"a": a, "b": b, "c": xp.empty((n, n), xp.float32)}


def _multiplied_by(kernel: str, block_of_c: int):
    def launches(size):
        (n,) = size
        grid = (_tiles(n, block_of_c), _tiles(n, block_of_c))
        return (Launch(kernel, grid, (16, 16), ("a", "b", "c", *[np.int32(n)] * 3)),)

    return launches


def _of_8_by_16(size):
    (n,) = size
    grid, args = (_tiles(n, 128), _tiles(n, 128)), ("a", "b", "c", *[np.int32(n)] * 3)
    return (Launch("fast_product", grid, 128, args, shared_mem=65_536),)


def _cupy_product(arrays):
    import cupy

    a, b, c = (arrays[name] for name in "abc")
    return lambda: cupy.matmul(a, b, out=c)


def _torch_product(arrays):
    import torch

    torch.backends.cuda.matmul.allow_tf32 = False
    a, b, c = (torch.from_dlpack(arrays[name]) for name in "abc")
    return lambda: torch.matmul(a, b, out=c)


products = Benchmark(
    name="products",
    title="Product of two square matrices, fp32",
    sizes=((512,), (1024,), (2048,), (4096,), (8192,)),
    extents=("rows and columns",),
    tiny=(128,),
    arrays=_factors,
    result="c",
    reference=lambda arrays: arrays["a"].astype("float64") @ arrays["b"].astype("float64"),
    rtol=1e-4,
    bytes=lambda size: 3 * 4 * size[0] ** 2,
    flops=lambda size: 2 * size[0] ** 3,
    variants={
        "one element, no tile": Variant("3_naive_product.cu", _multiplied_by("naive_product", 16)),
        "tiles of 16 x 16": Variant("4_product.cu", _multiplied_by("product", 16)),
        "two buffers": Variant("6_two_buffers.cu", _multiplied_by("two_buffers", 16)),
        "4 x 4 in registers": Variant("5_register_tile.cu", _multiplied_by("register_tile", 64)),
        "8 x 16 in registers": Variant("9_fast_product.cu", _of_8_by_16),
    },
    libraries={"CuPy": _cupy_product, "PyTorch": _torch_product},
)
