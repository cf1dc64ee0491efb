"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

rng = np.random.default_rng(4)
x = rng.standard_normal((8, 32), np.float32)
long = rng.standard_normal((4, 1000), np.float32)
rows_of_32 = {"y": ((8, 32), np.float32)}

naive_softmax = Shown(
    "1_naive_softmax.cu", (Launch("naive_softmax", 8, 32, ("x", "y")),), {"x": x}, rows_of_32
)
safe_softmax = Shown(
    "2_safe_softmax.cu", (Launch("safe_softmax", 8, 32, ("x", "y")),), {"x": x}, rows_of_32
)
two_exponentials = Shown(
    "6_two_exponentials.cu",
    (Launch("two_exponentials", 16, 256, ("x", "precise", "fast", np.int32(4000))),),
    {"x": long},
    blank={"precise": ((4000,), np.float32), "fast": ((4000,), np.float32)},
)
find_the_bug = Shown(
    "7_find_the_bug.cu",
    (Launch("find_the_bug", 4, 256, ("x", "y", np.int32(1000))),),
    {"x": long},
    blank={"y": ((4, 1000), np.float32)},
)
