"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

rng = np.random.default_rng(5)
pairs = rng.uniform(1, 2, (32, 2)).astype(np.float32)
four = {name: rng.uniform(1, 2, 100).astype(np.float32) for name in ("ma", "sa", "mb", "sb")}

warp_pairs = Shown(
    "4_warp_pairs.cu",
    (
        Launch("two_shuffles", 1, 32, ("pairs", "merged")),
        Launch("one_wide_shuffle", 1, 32, ("pairs", "merged")),
    ),
    {"pairs": pairs},
    blank={"merged": ((32, 2), np.float32)},
)
find_the_bug = Shown(
    "8_find_the_bug.cu",
    (Launch("find_the_bug", 1, 128, (*four, "max", "sum", np.int32(100))),),
    {**four, "max": np.zeros(100, np.float32), "sum": np.zeros(100, np.float32)},
)
