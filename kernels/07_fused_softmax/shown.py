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
find_the_bug = Shown(
    "9_find_the_bug.cu",
    (Launch("find_the_bug", 16, 128, ("x", "y", np.float32(0.1), *map(np.int32, (64, 64, 128)))),),
    {"x": scores},
    blank={"y": ((64, 128), np.float32)},
)
