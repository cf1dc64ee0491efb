"""Row sums and the sum of one long vector on a GPU: a tree, shuffles, CUB, and libraries.

A long vector is summed as a matrix of `ROWS` rows, and its row sums as a matrix of one row: the
same kernel, launched twice.
"""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant

BLOCK = 256
ROWS = 2048  # blocks of the first launch over a long vector
FILES = {
    "tree": ("6_row_sum_tree.cu", "row_sum_tree"),
    "shuffles": ("6_row_sum_shuffle.cu", "row_sum_shuffle"),
    "CUB": ("7_row_sum_cub.cu", "row_sum_cub"),
}


def _matrix(xp, size):
    x = xp.random.default_rng(0).random(size, dtype=xp.float32)
    return {"x": x, "total": xp.empty(size[0], xp.float32)}


def _vector(xp, size):
    x = xp.random.default_rng(0).random(size, dtype=xp.float32)
    return {"x": x, "partial": xp.empty(ROWS, xp.float32), "total": xp.empty(1, xp.float32)}


def _row_sums(kernel: str):
    def launches(size):
        rows, columns = size
        return (Launch(kernel, rows, BLOCK, ("x", "total", np.int32(columns))),)

    return launches


def _rows_in_flight(size):
    """8 lanes a row up to 256 columns, which are two packs a lane at a time, then a whole warp."""
    rows, columns = size
    kernel, lanes, threads = ("sums_of_64", 8, 512) if columns <= 256 else ("sums_of_1024", 32, 128)
    args = ("x", "total", np.int32(rows), np.int32(columns))
    return (Launch(kernel, -(-rows * lanes // threads), threads, args),)


def _vector_sum(kernel: str):
    def launches(size):
        columns = size[0] // ROWS
        return (
            Launch(kernel, ROWS, BLOCK, ("x", "partial", np.int32(columns))),
            Launch(kernel, 1, BLOCK, ("partial", "total", np.int32(ROWS))),
        )

    return launches


def _variants(launches) -> dict[str, Variant]:
    return {name: Variant(file, launches(kernel)) for name, (file, kernel) in FILES.items()}


def _cupy(arrays):
    x, total = arrays["x"], arrays["total"]
    if x.ndim == 1:  # as anybody would write it; as a matrix of one row it is left to one block
        return lambda: x.sum(out=total.reshape(()))
    return lambda: x.sum(axis=1, out=total)


def _torch(arrays):
    import torch

    x, total = (torch.from_dlpack(arrays[name]) for name in ("x", "total"))
    rows = x.view(len(total), -1)

    def total_of_rows():
        torch.sum(rows, dim=1, out=total)

    return total_of_rows


row_sums = Benchmark(
    name="row_sums",
    title="The sum of every row",
    sizes=((1 << 20, 64), (1 << 18, 256), (1 << 16, 1024), (1 << 14, 4096), (1 << 12, 1 << 14)),
    extents=("rows", "columns"),
    tiny=(4, 1000),
    arrays=_matrix,
    result="total",
    reference=lambda arrays: arrays["x"].sum(axis=1, dtype="float64"),
    rtol=1e-5,
    bytes=lambda size: 4 * (size[0] * size[1] + size[0]),
    variants={
        **_variants(_row_sums),
        "rows in flight": Variant("9_rows_in_flight.cu", _rows_in_flight),
    },
    libraries={"CuPy": _cupy, "PyTorch": _torch},
)

vector_sum = Benchmark(
    name="vector_sum",
    title="The sum of one long vector",
    sizes=tuple((1 << power,) for power in (20, 22, 24, 26, 28)),
    arrays=_vector,
    result="total",
    reference=lambda arrays: arrays["x"].sum(dtype="float64", keepdims=True),
    rtol=1e-5,
    bytes=lambda size: 4 * size[0],
    variants=_variants(_vector_sum),
    libraries={"CuPy": _cupy, "PyTorch": _torch},
)
