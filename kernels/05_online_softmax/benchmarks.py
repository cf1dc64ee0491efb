"""What online softmax takes on a GPU: rows, one long vector, and an axis in the middle."""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant
from grader.course.references import softmax

BLOCK = 256
MOST_BLOCKS = 8 * 132  # eight for each multiprocessor of an H200


def ceil_div(n: int, size: int) -> int:
    return -(-n // size)


def floats(count: int) -> int:
    return 4 * count


def random(xp, shape: tuple[int, ...]):
    return xp.random.default_rng(0).standard_normal(shape, dtype=xp.float32)


def cupy_softmax(axis: int):
    def prepare(arrays):
        from cupyx.scipy.special import softmax

        return lambda: softmax(arrays["x"], axis=axis)

    return prepare


def torch_softmax(axis: int):
    def prepare(arrays):
        import torch

        x, y = (torch.as_tensor(arrays[name], device="cuda") for name in ("x", "y"))
        return lambda: torch.softmax(x, axis, out=y)

    return prepare


def libraries(axis: int) -> dict:
    return {"CuPy": cupy_softmax(axis), "PyTorch": torch_softmax(axis)}


# --- rows --------------------------------------------------------------------------------------


def row_arrays(xp, size):
    return {"x": random(xp, size), "y": xp.empty(size, np.float32)}


def by_rows(source: str, kernel: str) -> Variant:
    def launches(size):
        rows, columns = size
        return (Launch(kernel, rows, BLOCK, ("x", "y", np.int32(columns))),)

    return Variant(source, launches)


rows = Benchmark(
    name="rows",
    title="Row softmax of 128 rows, fp32",
    sizes=tuple((128, n << 10) for n in (2, 32, 64, 128, 256, 2048, 4096)),
    extents=("rows", "columns"),
    tiny=(4, 1000),
    arrays=row_arrays,
    result="y",
    reference=lambda arrays: softmax(arrays["x"]),
    rtol=1e-4,
    bytes=lambda size: floats(2 * size[0] * size[1]),
    variants={
        "three passes": by_rows("1_three_passes.cu", "three_passes"),
        "online, tree": by_rows("3_online_tree.cu", "online_tree"),
        "online, shuffles": by_rows("4_online_row.cu", "online_row"),
        "online, CUB": by_rows("5_online_cub.cu", "online_cub"),
    },
    libraries=libraries(axis=1),
)


# --- one long vector ---------------------------------------------------------------------------


def blocks_for(n: int) -> int:
    return min(ceil_div(n, BLOCK), MOST_BLOCKS)


def vector_arrays(xp, size):
    (n,) = size
    return {
        "x": random(xp, n),
        "partial": xp.empty((blocks_for(n), 2), np.float32),
        "total": xp.empty((1, 2), np.float32),
        "y": xp.empty(n, np.float32),
    }


def one_block(size):
    return (Launch("online_row", 1, BLOCK, ("x", "y", np.int32(size[0]))),)


def three_launches(size):
    (n,) = size
    blocks = blocks_for(n)
    return (
        Launch("block_pairs", blocks, BLOCK, ("x", "partial", np.int32(n))),
        Launch("merge_partials", 1, BLOCK, ("partial", "total", np.int32(blocks))),
        Launch("normalize", blocks, BLOCK, ("x", "total", "y", np.int32(n))),
    )


vector = Benchmark(
    name="vector",
    title="Softmax of one long vector, fp32",
    sizes=tuple((1 << power,) for power in (14, 18, 22, 26)),
    arrays=vector_arrays,
    result="y",
    reference=lambda arrays: softmax(arrays["x"]),
    rtol=1e-4,
    bytes=lambda size: floats(2 * size[0]),
    variants={
        "one block": Variant("4_online_row.cu", one_block),
        "many blocks": Variant("6_long_vector.cu", three_launches),
    },
    libraries=libraries(axis=0),
)


# --- any axis ----------------------------------------------------------------------------------


def threads_along(size):
    outer, length, inner = size
    args = ("x", "y", np.int32(length), np.int32(inner))
    return (Launch("axis_by_rows", (outer, inner), BLOCK, args),)


def threads_across(size):
    outer, length, inner = size
    across = min(32, 1 << (inner - 1).bit_length())
    grid, block = (outer, ceil_div(inner, across)), (across, BLOCK // across)
    return (Launch("softmax_axis", grid, block, ("x", "y", np.int32(length), np.int32(inner))),)


middle = Benchmark(
    name="axis",
    title="Softmax along the middle one of three axes, fp32",
    sizes=tuple((1 << 14 - k, 1024, 1 << k) for k in (0, 1, 2, 3, 4, 5, 8, 12)),
    extents=("outer", "length", "inner"),
    tiny=(2, 500, 3),
    arrays=row_arrays,
    result="y",
    reference=lambda arrays: softmax(arrays["x"], axis=1),
    rtol=1e-4,
    bytes=lambda size: floats(2 * size[0] * size[1] * size[2]),
    variants={
        "threads along the axis": Variant("7_axis_by_rows.cu", threads_along),
        "threads across columns": Variant("7_softmax_axis.cu", threads_across),
    },
    libraries=libraries(axis=1),
)
