"""Launches of the kernels that the page only shows."""

import numpy as np

from grader.course import Launch, Shown

SIDES = (np.int32(32), np.int32(48), np.int32(24))  # m, n, k
numbers = np.arange(48 * 24, dtype=np.float32) % 7

naive_product = Shown(
    "3_naive_product.cu",
    (Launch("naive_product", (3, 2), (16, 16), ("a", "b", "c", *SIDES)),),
    {"a": numbers[: 32 * 24], "b": numbers},
    blank={"c": ((32 * 48,), np.float32)},
)
