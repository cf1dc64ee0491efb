"""Fused softmax on a GPU, fp32: which kernel of the lesson for which length of row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grader.course import Benchmark, Launch, Variant
from grader.course.references import softmax

Size = tuple[int, int]  # rows, columns
RESIDENT = 40 << 20  # bytes of rows that stay in the L2 cache of an H200 until they are read again
BLOCKS = 8 * 132  # eight of 256 threads for each multiprocessor of an H200
TINY = (2, 1000)  # where every kernel is tried on the simulated GPU, whatever it is made for


def ceil_div(n: int, size: int) -> int:
    return -(-n // size)


def suits(size: Size, least: int, most: int) -> bool:
    return least <= size[1] <= most or size == TINY


def whole_warps(threads: int, fewest: int) -> int:
    return min(1024, max(fewest, 32 * ceil_div(threads, 32)))


# --- a kernel each -----------------------------------------------------------------------------


def block_uncached(size: Size) -> tuple[Launch, ...]:
    rows, columns = size
    kernel = "block_online_any" if columns % 4 else "block_online"
    return (Launch(kernel, rows, whole_warps(columns // 16, 256), ("x", "y", np.int32(columns))),)


def warp_a_row(size: Size) -> tuple[Launch, ...]:
    rows, columns = size
    if not suits(size, 1, 1024):
        return ()
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return (Launch("warp_softmax", ceil_div(rows, 4), 128, args),)


def rows_in_registers(size: Size) -> tuple[Launch, ...]:
    rows, columns = size
    if not suits(size, 1, 1024):
        return ()
    longest = max(128, 1 << (columns - 1).bit_length())  # 128, 256, 512 or 1,024
    lanes = min(longest // 16, 32)
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return (Launch(f"rows_of_{longest}", ceil_div(rows * lanes, 128), 128, args),)


def block_cached(size: Size) -> tuple[Launch, ...]:
    rows, columns = size
    if not suits(size, 1, 32_768):
        return ()
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return (Launch("block_softmax", rows, whole_warps(columns // 16, 256), args, 4 * columns),)


def block_fetched(size: Size) -> tuple[Launch, ...]:
    rows, columns = size
    if not suits(size, 1, 32_768):
        return ()
    threads = whole_warps(columns // 16, 256)
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return (Launch("block_async", rows, threads, args, 4 * columns),)


def in_cluster(blocks: int) -> Callable[[Size], tuple[Launch, ...]]:
    def launches(size: Size) -> tuple[Launch, ...]:
        rows, columns = size
        part = ceil_div(columns // 4, blocks)  # packs
        if not suits(size, 8192, 32_768 * blocks):
            return ()
        args = ("x", "y", np.int32(columns))
        threads = whole_warps(part // 8, 256)
        return (Launch(f"cluster_{blocks}", rows * blocks, threads, args, 16 * part),)

    return launches


def two_launches(size: Size, together: int, parts: int) -> tuple[Launch, ...]:
    """For so many rows at a time, so many blocks a row."""
    rows, columns = size
    found = []
    for first in range(0, rows, together):
        grid, which = (parts, min(together, rows - first)), (np.int32(first), np.int32(columns))
        found.append(Launch("part_pairs", grid, 256, ("x", "partial", *which)))
        found.append(Launch("write_parts", grid, 256, ("x", "partial", "y", *which)))
    return tuple(found)


def split(size: Size) -> tuple[Launch, ...]:
    if not suits(size, 16_384, 1 << 30):
        return ()
    return two_launches(size, size[0], min(BLOCKS, ceil_div(size[1], 8 * 4096)))


def split_in_portions(size: Size) -> tuple[Launch, ...]:
    """As many rows at a time as stay in the L2 cache from the first launch to the second."""
    rows, columns = size
    together = min(rows, max(1, RESIDENT // (4 * columns)))
    if together == rows and size != TINY:
        return ()  # nothing to divide
    if not suits(size, 16_384, 1 << 30):
        return ()
    return two_launches(size, together, min(ceil_div(columns, 4096), max(1, BLOCKS // together)))


SPLIT = ("7_split_pairs.cu", "7_split_write.cu")

# --- benchmarks --------------------------------------------------------------------------------


def matrices(xp, size: Size) -> dict:
    rng = xp.random.default_rng(7)
    return {
        "x": rng.standard_normal(size, dtype=xp.float32),
        "y": xp.empty(size, np.float32),
        "partial": xp.empty((size[0], min(BLOCKS, ceil_div(size[1], 4096)), 2), np.float32),
    }


def least_bytes(size: Size) -> int:
    return 2 * 4 * size[0] * size[1]  # x is read once, y written once


def operations(size: Size) -> int:
    return 5 * size[0] * size[1]  # maximum, difference, exponential, sum, product


TOTAL = 1 << 25  # floats in the benchmark of lengths, whose sizes are (columns,)


def shape(size: tuple[int]) -> Size:
    (columns,) = size
    return TINY if columns == TINY[1] else (TOTAL // columns, columns)


def alone(source: str | tuple[str, ...], launches: Callable[[Size], tuple[Launch, ...]]) -> Variant:
    return Variant(source, lambda size: launches(shape(size)))


lengths = Benchmark(
    name="lengths",
    title="Softmax of 32M floats by length of row",
    sizes=tuple((1 << k,) for k in (7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20)),
    extents=("columns",),
    arrays=lambda xp, size: matrices(xp, shape(size)),
    result="y",
    reference=lambda arrays: softmax(arrays["x"]),
    rtol=1e-5,
    bytes=lambda size: least_bytes(shape(size)),
    flops=lambda size: operations(shape(size)),
    variants={
        "block, read twice": alone("1_block_online.cu", block_uncached),
        "warp a row": alone("2_warp_softmax.cu", warp_a_row),
        "rows in flight": alone("3_rows_in_flight.cu", rows_in_registers),
        "block, row kept": alone("4_block_softmax.cu", block_cached),
        "block, fetched": alone("5_block_async.cu", block_fetched),
        "cluster of 4": alone("6_cluster_softmax.cu", in_cluster(4)),
        "cluster of 8": alone("6_cluster_softmax.cu", in_cluster(8)),
        "two launches": alone(SPLIT, split),
        "two, in portions": alone(SPLIT, split_in_portions),
    },
    tiny=(TINY[1],),
)

# --- along the middle axis ---------------------------------------------------------------------


def of_columns(size: tuple[int, ...]) -> tuple[Launch, ...]:
    outer, length, inner = size
    args = ("x", "y", np.int32(length), np.int32(inner))
    return (Launch("axis_1024", outer * ceil_div(inner, 16), 256, args),)


def torch_middle(arrays: dict) -> Callable:
    import torch

    x, y = (torch.as_tensor(arrays[name], device="cuda") for name in ("x", "y"))

    def run() -> None:
        torch.softmax(x, 1, out=y)

    return run


middle = Benchmark(
    name="middle",
    title="Softmax along the middle axis, fp32",
    sizes=((64, 1_024, 256), (1_024, 1_024, 16)),
    extents=("outer", "length", "inner"),
    arrays=lambda xp, size: {
        "x": xp.random.default_rng(7).standard_normal(size, dtype=xp.float32),
        "y": xp.empty(size, np.float32),
    },
    result="y",
    reference=lambda arrays: softmax(arrays["x"].swapaxes(1, 2)).swapaxes(1, 2),
    rtol=1e-5,
    bytes=lambda size: 2 * 4 * size[0] * size[1] * size[2],
    variants={"columns in registers": Variant("9_inner_axis.cu", of_columns)},
    libraries={"PyTorch": torch_middle},
    tiny=(2, 9, 8),
)
