"""The four steps of this lesson against each other and against libraries, on a GPU, fp32."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from grader.course import Benchmark, Launch, Variant

THREADS = 128  # a block, in every variant
Size = tuple[int, int]  # rows, columns


def matrices(xp, size: Size) -> dict:
    """x, standard normal, and y: float32[rows, columns]."""
    rng = xp.random.default_rng(6)
    return {"x": rng.standard_normal(size, dtype=xp.float32), "y": xp.empty(size, xp.float32)}


def reference(arrays: dict):
    x = arrays["x"].astype(np.float64)
    return x / abs(x).max(axis=1, keepdims=True)


def a_block_a_row(source: str, kernel: str) -> Variant:
    def launches(size: Size) -> tuple[Launch, ...]:
        rows, columns = size
        return (Launch(kernel, rows, THREADS, ("x", "y", np.int32(columns))),)

    return Variant(source, launches)


def a_warp_a_row(source: str, kernel: str) -> Variant:
    def launches(size: Size) -> tuple[Launch, ...]:
        rows, columns = size
        args = ("x", "y", np.int32(rows), np.int32(columns))
        return (Launch(kernel, -(-rows // (THREADS // 32)), THREADS, args),)

    return Variant(source, launches)


def rows_in_flight(size: Size) -> tuple[Launch, ...]:
    """Two rows a warp at a time up to 128 columns, one above."""
    rows, columns = size
    kernel, rows_a_block = ("scale_128", 8) if columns <= 128 else ("scale_1024", 4)
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return (Launch(kernel, -(-rows // rows_a_block), THREADS, args),)


def with_cupy(arrays: dict) -> Callable:
    import cupy

    x, y = arrays["x"], arrays["y"]
    return lambda: cupy.divide(x, cupy.abs(x).max(axis=1, keepdims=True), out=y)


def torch_scale(x, y) -> None:
    y.copy_(x / x.abs().amax(dim=1, keepdim=True))


def with_torch(arrays: dict) -> Callable:
    import torch

    x, y = torch.from_dlpack(arrays["x"]), torch.from_dlpack(arrays["y"])
    return lambda: torch.div(x, x.abs().amax(dim=1, keepdim=True), out=y)


def with_torch_compile(arrays: dict) -> Callable:
    import torch

    x, y = torch.from_dlpack(arrays["x"]), torch.from_dlpack(arrays["y"])
    compiled = torch.compile(torch_scale, dynamic=False)
    return lambda: compiled(x, y)


rows = Benchmark(
    name="rows",
    title="Rows of 128 over their largest absolute value",
    sizes=tuple((27 * 4**k, 128) for k in (3, 4, 5, 6, 7)),  # the last one is 442,368 rows
    extents=("rows", "columns"),
    arrays=matrices,
    result="y",
    reference=reference,
    rtol=1e-6,
    bytes=lambda size: 2 * 4 * size[0] * size[1],  # x is read once, y written once
    flops=lambda size: 2 * size[0] * size[1],  # a maximum and a division for each element
    variants={
        "1 baseline with CUB": a_block_a_row("1_baseline_cub.cu", "baseline_cub"),
        "2 packs": a_block_a_row("2_packs.cu", "packs"),
        "3 row in registers": a_block_a_row("3_row_in_registers.cu", "row_in_registers"),
        "4 warp a row": a_warp_a_row("4_warp_per_row.cu", "warp_per_row"),
        "rows in flight": Variant("9_rows_in_flight.cu", rows_in_flight),
    },
    libraries={"CuPy": with_cupy, "PyTorch": with_torch, "torch.compile": with_torch_compile},
)

widths = replace(
    rows,
    name="widths",
    title="55,296 rows over their largest absolute value",
    sizes=tuple((55_296, columns) for columns in (64, 128, 256, 512, 1_024)),
    libraries={"CuPy": with_cupy, "PyTorch": with_torch},
)
