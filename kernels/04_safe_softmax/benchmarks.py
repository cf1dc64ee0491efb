"""What safe softmax takes on a GPU: the rows of a matrix, and one long vector."""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant
from grader.course.references import softmax

BLOCK = 256
MOST_BLOCKS = 4 * 132  # four for each multiprocessor of an H200


def blocks_for(n: int) -> int:
    return min(-(-n // BLOCK), MOST_BLOCKS)


def cupy_softmax(arrays):
    from cupyx.scipy.special import softmax

    return lambda: softmax(arrays["x"], axis=-1)


def torch_softmax(arrays):
    import torch

    x, y = (torch.as_tensor(arrays[name], device="cuda") for name in ("x", "y"))
    return lambda: torch.softmax(x, -1, out=y)


LIBRARIES = {"CuPy": cupy_softmax, "PyTorch": torch_softmax}


def row_arrays(xp, size):
    return {
        "x": xp.random.standard_normal(size).astype(np.float32),
        "y": xp.empty(size, np.float32),
    }


def rows_in_blocks_of(threads: int) -> Variant:
    def launches(size):
        args = ("x", "y", *(np.int32(extent) for extent in size))
        return (Launch("row_softmax", size[0], threads, args),)

    return Variant("5_row_softmax.cu", launches)


rows = Benchmark(
    name="rows",
    title="Row softmax in three passes, fp32",
    sizes=((128, 2048), (4096, 1024), (128, 32768), (128, 131072)),
    extents=("rows", "columns"),
    arrays=row_arrays,
    result="y",
    reference=lambda arrays: softmax(arrays["x"]),
    rtol=1e-4,
    bytes=lambda size: 2 * 4 * size[0] * size[1],
    variants={
        "blocks of 256": rows_in_blocks_of(256),
        "blocks of 1024": rows_in_blocks_of(1024),
    },
    libraries=LIBRARIES,
)


def vector_arrays(xp, size):
    blocks = blocks_for(size[1])
    partial = {name: xp.empty(blocks, np.float32) for name in ("maxima", "sums")}
    return row_arrays(xp, size) | partial


def three_launches(size):
    n, blocks = np.int32(size[1]), blocks_for(size[1])
    return (
        Launch("vector_max", blocks, BLOCK, ("x", "maxima", n)),
        Launch("vector_exp_sum", blocks, BLOCK, ("x", "maxima", "sums", n)),
        Launch("vector_normalize", blocks, BLOCK, ("x", "maxima", "sums", "y", n)),
    )


vector = Benchmark(
    name="vector",
    title="Softmax of one long vector, fp32",
    sizes=tuple((1, 1 << power) for power in (12, 16, 20, 22, 24)),
    extents=("row", "columns"),
    arrays=vector_arrays,
    result="y",
    reference=lambda arrays: softmax(arrays["x"]),
    rtol=1e-4,
    bytes=lambda size: 2 * 4 * size[1],
    variants={
        "one block": rows_in_blocks_of(1024),
        "three launches": Variant("4_on_device.cu", three_launches),
    },
    libraries=LIBRARIES,
)
