"""The sum of a long vector on a GPU: an element per thread, or many; two launches, or one."""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant

BLOCK = 256
MULTIPROCESSORS = 132  # of an H200
MOST_BLOCKS = 8 * MULTIPROCESSORS  # as many as it holds at once: 2,048 threads on each


def _blocks_for(n: int) -> int:
    return -(-n // BLOCK)


def _grid(n: int) -> int:
    return min(MOST_BLOCKS, _blocks_for(n))


def _arrays(xp, size):
    (n,) = size
    first = _blocks_for(n)
    return {
        "x": xp.random.default_rng(0).random(n, dtype=xp.float32),
        "partial": xp.empty(first, xp.float32),
        "partial_2": xp.empty(_blocks_for(first), xp.float32),
        "partial_3": xp.empty(_blocks_for(_blocks_for(first)), xp.float32),
        "finished": xp.zeros(1, xp.uint32),
        "told": xp.full(MULTIPROCESSORS, -1, np.int32).view(np.float32),
        "total": xp.empty(1, xp.float32),
    }


def _again_and_again(kernel: str):
    """The kernel on x, then on its own partial sums, until one number is left."""

    def launches(size):
        (n,) = size
        made, source, stage = [], "x", 0
        while n > 1:
            blocks, stage = _blocks_for(n), stage + 1
            target = (
                {1: "partial", 2: "partial_2", 3: "partial_3"}[stage] if blocks > 1 else "total"
            )
            made.append(Launch(kernel, blocks, BLOCK, (source, target, np.int32(n))))
            n, source = blocks, target
        return tuple(made)

    return launches


def _two_launches(size):
    (n,) = size
    grid = _grid(n)
    return (
        Launch("grid_sum", grid, BLOCK, ("x", "partial", np.int32(n))),
        Launch("grid_sum", 1, BLOCK, ("partial", "total", np.int32(grid))),
    )


def _one_launch(size):
    (n,) = size
    args = ("x", "partial", "total", "finished", np.int32(n))
    return (Launch("last_block", _grid(n), BLOCK, args),)


def _in_flight(size):
    (n,) = size
    args = ("x", "told", "total", np.uint64(n))
    return (Launch("fast_sum", MULTIPROCESSORS, 512, args),)


def _dot_in_flight(size):
    (n,) = size
    args = ("x", "y", "told", "total", np.uint64(n))
    return (Launch("fast_dot", 2 * MULTIPROCESSORS, 512, args),)


def _cupy(arrays):
    x, total = arrays["x"], arrays["total"]
    return lambda: x.sum(out=total.reshape(()))


def _torch(arrays):
    import torch

    x, total = (torch.from_dlpack(arrays[name]) for name in ("x", "total"))

    def of_all():
        torch.sum(x, dim=0, keepdim=True, out=total)

    return of_all


vector_sum = Benchmark(
    name="sum",
    title="The sum of a long vector",
    sizes=((1 << 20,), (1 << 24,), (1 << 28,)),
    arrays=_arrays,
    result="total",
    reference=lambda arrays: arrays["x"].sum(dtype="float64", keepdims=True),
    rtol=1e-5,
    bytes=lambda size: 4 * size[0],
    variants={
        "cross-pair": Variant("1_cross_pair.cu", _again_and_again("cross_pair")),
        "interleaved": Variant("2_interleaved.cu", _again_and_again("interleaved")),
        "grid-stride loop": Variant("5_second_reduction.cu", _two_launches),
        "last block": Variant("7_last_block.cu", _one_launch),
        "loads in flight": Variant("9_loads_in_flight.cu", _in_flight),
    },
    libraries={"CuPy": _cupy, "PyTorch": _torch},
)


def _two_vectors(xp, size):
    (n,) = size
    rng = xp.random.default_rng(0)
    return {
        "x": rng.random(n, dtype=xp.float32),
        "y": rng.random(n, dtype=xp.float32),
        "told": xp.full(2 * MULTIPROCESSORS, -1, np.int32).view(np.float32),
        "total": xp.empty(1, xp.float32),
    }


def _cupy_dot(arrays):
    x, y, total = arrays["x"], arrays["y"], arrays["total"]
    return lambda: x.dot(y, out=total.reshape(()))


def _torch_dot(arrays):
    import torch

    x, y = (torch.from_dlpack(arrays[name]) for name in ("x", "y"))
    total = torch.from_dlpack(arrays["total"]).view(())

    def product():
        torch.dot(x, y, out=total)

    return product


dot = Benchmark(
    name="dot",
    title="The dot product of two long vectors",
    sizes=((1 << 24,), (1 << 28,)),
    arrays=_two_vectors,
    result="total",
    reference=lambda arrays: (arrays["x"].astype("float64") * arrays["y"].astype("float64")).sum(
        keepdims=True
    ),
    rtol=1e-5,
    bytes=lambda size: 2 * 4 * size[0],
    variants={"loads in flight": Variant("9_loads_in_flight.cu", _dot_in_flight)},
    libraries={"CuPy": _cupy_dot, "PyTorch": _torch_dot},
)
