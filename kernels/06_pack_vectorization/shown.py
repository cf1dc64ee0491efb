"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

PACKS = 1000
x = np.linspace(-1, 1, 4 * PACKS, dtype=np.float32)
float_pack = ("x", "y", np.int32(PACKS))
answer = {"y": ((4 * PACKS,), np.float32)}

pack_types = Shown(
    "5_pack_types.cu",
    (
        Launch("copy_floats", 4, 256, float_pack),
        Launch("copy_doubles", 4, 256, ("x_64", "y_64", np.int32(PACKS))),
        Launch("copy_halves", 4, 256, ("x_16", "y_16", np.int32(PACKS))),
    ),
    {
        "x": x,
        "x_64": x[: 2 * PACKS].astype(np.float64),
        "x_16": np.resize(x, 8 * PACKS).astype("e"),
    },
    blank={
        **answer,
        "y_64": ((2 * PACKS,), np.float64),
        "y_16": ((8 * PACKS,), np.float16),
    },
)
pack_union = Shown(
    "5_pack_union.cu",
    tuple(Launch(kernel, 4, 256, float_pack) for kernel in ("twice_struct", "twice_union")),
    {"x": x},
    blank=answer,
)
find_the_bug = Shown(
    "9_find_the_bug.cu",
    (Launch("find_the_bug", 4, 128, ("x", "y", np.int32(16), np.int32(248))),),
    {"x": x[: 16 * 248]},
    blank={"y": ((16, 248), np.float32)},
)
