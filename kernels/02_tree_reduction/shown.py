"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

x = np.arange(1024, dtype=np.float32)
sums = {"partial": ((4,), np.float32)}

cross_pair_packed = Shown(
    "1_cross_pair_packed.cu",
    (Launch("cross_pair_packed", 4, 256, ("x", "partial", np.int32(1000))),),
    {"x": x[:1000]},
    blank=sums,
)
tickets = Shown(
    "6_tickets.cu",
    (Launch("tickets", 8, 1, ("x", "stored", "total", "finished")),),
    {"x": x[:8], "finished": np.zeros(1, np.uint32)},
    blank={"stored": ((8,), np.float32), "total": ((1,), np.float32)},
)
find_the_bug = Shown(
    "8_find_the_bug.cu",
    (Launch("find_the_bug", 4, 256, ("x", "partial", np.int32(1024))),),
    {"x": x},
    blank=sums,
)
