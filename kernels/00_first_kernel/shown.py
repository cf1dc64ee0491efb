"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

x = np.linspace(-1, 1, 1000, dtype=np.float32)
row = {"y": ((1024,), np.float32)}
doubled = ("x", "y", np.float32(2))

scale = Shown(
    "1_scale.cu", (Launch("scale", 4, 256, (*doubled, np.int32(1000))),), {"x": x}, blank=row
)
who_am_i = Shown("2_who_am_i.cu", (Launch("who_am_i", 3, 4, ()),))
no_guard = Shown(
    "3_no_guard.cu",
    (Launch("no_guard", 4, 256, (*doubled, np.int32(1024))),),
    {"x": np.resize(x, 1024)},
    blank=row,
)
find_the_bug = Shown(
    "8_find_the_bug.cu",
    (Launch("find_the_bug", 4, 256, ("x", "y", "boils", np.int32(1000))),),
    {"x": 100 * x},
    blank={**row, "boils": ((1000,), np.int32)},
)
