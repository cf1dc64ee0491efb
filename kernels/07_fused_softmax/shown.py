"""Launches of the kernels that the page only shows, or only times together with others."""

import numpy as np

from grader.course import Launch, Shown

rng = np.random.default_rng(7)
ROWS, COLUMNS, PARTS = 2, 20_000, 4
x = rng.standard_normal((ROWS, COLUMNS), np.float32)
scores = rng.standard_normal((64, 128), np.float32)
numbers = (np.int32(0), np.int32(COLUMNS))

split_pairs = Shown(
    "7_split_pairs.cu",
    (Launch("part_pairs", (PARTS, ROWS), 256, ("x", "partial", *numbers)),),
    {"x": x},
    blank={"partial": ((ROWS, PARTS, 2), np.float32)},
)
split_write = Shown(
    "7_split_write.cu",
    (Launch("write_parts", (PARTS, ROWS), 256, ("x", "partial", "y", *numbers)),),
    {"x": x, "partial": rng.uniform(4, 5, (ROWS, PARTS, 2)).astype(np.float32)},
    blank={"y": ((ROWS, COLUMNS), np.float32)},
)


def fast(
    source: str, kernel: str, grid: int, block: int, columns: int, *rows: int, **more
) -> Shown:
    """One of the fastest kernels on a few rows; `rows` where the kernel is told of them."""
    number = np.int32(columns)
    args = ("x", "y", *more.pop("told", ()), *map(np.int32, rows), number)
    matrix = rng.standard_normal((3, columns), np.float32)
    arrays = {"x": matrix, **more.pop("arrays", {})}
    launch = Launch(kernel, grid, block, args, **more)
    return Shown(source, (launch,), arrays, blank={"y": (matrix.shape, np.float32)})


BLOCKS = 3  # in place of 132
meeting = {
    "pairs": np.full((BLOCKS, 2), -1, np.int32).view(np.float32),
    "finished": np.zeros(1, np.uint32),
}
rows_in_registers = fast("9_rows_in_registers.cu", "float_rows_of_256", 2, 128, 251, 3)
block_in_registers = fast("9_block_in_registers.cu", "block_4096", 3, 512, 4001)
cluster_in_registers = fast("9_cluster_in_registers.cu", "few_32768", 24, 128, 9001)
cluster_halves = Shown(
    "9_cluster_halves.cu",
    (Launch("half_32768", 4, 256, ("x", "y", np.int32(9001))),),
    {"x": rng.standard_normal((2, 9001), np.float32).astype(np.float16)},
    blank={"y": ((2, 9001), np.float16)},
)
cluster_ring = fast("9_cluster_ring.cu", "ring_524288", 16, 384, 3001, 3, shared_mem=16 * 384 * 36)
whole_gpu = fast(
    "9_whole_gpu.cu",
    "gpu_2m",
    BLOCKS,
    768,
    3001,
    3,
    told=("messages",),
    arrays={"messages": np.zeros((2, 4, BLOCKS), np.uint64)},
    shared_mem=215_040,
    cooperative=True,
)
vector = ("x", "y", "pairs", "finished", np.uint64(20_001), np.int32(0))
one_vector = Shown(
    "9_one_vector.cu",
    (Launch("one_vector", BLOCKS, 1024, vector, shared_mem=196_608, cooperative=True),),
    {"x": rng.standard_normal((1, 20_001), np.float32), **meeting},
    blank={"y": ((1, 20_001), np.float32)},
)
find_the_bug = Shown(
    "9_find_the_bug.cu",
    (Launch("find_the_bug", 16, 128, ("x", "y", np.float32(0.1), *map(np.int32, (64, 64, 128)))),),
    {"x": scores},
    blank={"y": ((64, 128), np.float32)},
)
