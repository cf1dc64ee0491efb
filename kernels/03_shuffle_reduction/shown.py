"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

x = np.arange(32, dtype=np.float32)
floats = ((32,), np.float32)
ints = ((32,), np.int32)

give_and_take = Shown(
    "1_give_and_take.cu",
    (Launch("give_and_take", 1, 32, ("x", "down", "exchange", "zero")),),
    {"x": np.arange(32, dtype=np.int32)},
    blank={"down": ints, "exchange": ints, "zero": ints},
)
butterfly = Shown(
    "3_butterfly.cu", (Launch("butterfly", 1, 32, ("x", "sum")),), {"x": x}, blank={"sum": floats}
)
fold_down = Shown(
    "3_fold_down.cu",
    (Launch("fold_down", 1, 32, ("x", "sum", "largest")),),
    {"x": x},
    blank={"sum": floats, "largest": floats},
)
in_the_branch = Shown(
    "4_in_the_branch.cu",
    (Launch("in_the_branch", 2, 128, ("x", "largest", np.int32(224))),),
    {"x": np.resize(x, 224)},
    blank={"largest": ((8,), np.float32)},
)
find_the_bug = Shown(
    "9_find_the_bug.cu",
    (Launch("find_the_bug", 4, 128, ("x", "total", np.int32(1000))),),
    {"x": np.resize(x, (4, 1000))},
    blank={"total": ((4,), np.float32)},
)
