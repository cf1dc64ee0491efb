"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

n = 1000
x = np.arange(n, dtype=np.float32)
one_row = np.arange(100, dtype=np.float32)
shape = np.array([2, 3, 4, 2], np.int32)  # of the answer; below, the shapes of what is chosen from

where_1d = Shown(
    "1_where_1d.cu",
    (Launch("where_1d", 4, 256, ("cond", "x", "y", "out", np.int32(0), np.int32(n))),),
    {"cond": (np.arange(n) % 3 > 0).astype(np.uint8), "x": x, "y": np.zeros(1, np.float32)},
    blank={"out": ((n,), np.float32)},
)
down_columns = Shown(
    "3_down_columns.cu",
    (Launch("down_columns", 16, 256, ("x", "out", *map(np.int32, (40, 100, 0, 1)))),),
    {"x": one_row},
    blank={"out": ((40, 100), np.float32)},
)
find_the_bug = Shown(
    "6_find_the_bug.cu",
    (
        Launch(
            "find_the_bug",
            1,
            64,
            ("cond", "x", "y", "out", "cond_shape", "x_shape", "y_shape", "shape", np.int32(48)),
        ),
    ),
    {
        "cond": np.array([0, 1], np.uint8),
        "cond_shape": np.array([2, 1, 1, 1], np.int32),
        "x": np.arange(12, dtype=np.float32),
        "x_shape": np.array([1, 3, 4, 1], np.int32),
        "y": np.arange(24, dtype=np.float32),
        "y_shape": np.array([1, 3, 4, 2], np.int32),
        "shape": shape,
    },
    blank={"out": ((2, 3, 4, 2), np.float32)},
)
