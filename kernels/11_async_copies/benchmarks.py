"""What a matrix product of bfloat16 numbers on tensor cores takes on a GPU, next to a library.

NumPy has no bfloat16, so the arrays hold the bits of its numbers.
"""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Boxes, Launch, Variant

MULTIPROCESSORS = 132  # of an H100 and an H200: a block for each
SIDE = 256  # of a tile of c that two blocks make


def _factors(xp, size):
    (n,) = size
    rng = xp.random.default_rng(0)
    a, b = (rng.standard_normal((n, n), dtype=xp.float32) for _ in range(2))
    bits = {name: (x.view(xp.uint32) >> 16).astype(xp.uint16) for name, x in (("a", a), ("b", b))}
    return {**bits, "c": xp.empty((n, n), xp.uint16)}


def _numbers(bits):
    """float32[...] of the bits of bfloat16 numbers."""
    return (bits.astype("uint32") << 16).view("float32")


def _product(arrays):
    a, b = (_numbers(arrays[name]).astype("float64") for name in "ab")
    return a @ b.T


def _on_tensor_cores(size):
    (n,) = size
    tiles = (-(-n // SIDE)) ** 2
    maps = Boxes("a", (128, 64), 128), Boxes("b", (128, 64), 128), Boxes("c", (64, 64), 128)
    args = (*maps, *[np.int32(n)] * 3)
    blocks = min(MULTIPROCESSORS, 2 * tiles)
    return (Launch("bf16_product", blocks, 384, args, shared_mem=230_400),)


def _torch_product(arrays):
    import torch

    a, b, c = (torch.as_tensor(arrays[name], device="cuda").view(torch.bfloat16) for name in "abc")

    def run() -> None:
        torch.matmul(a, b.t(), out=c)

    return run


bf16_products = Benchmark(
    name="bf16_products",
    title="Product of two square matrices, bf16, the second one transposed",
    sizes=((2048,), (4096,), (8192,), (16_384,)),
    extents=("rows and columns",),
    tiny=(72,),
    arrays=_factors,
    result="c",
    reference=_product,
    rtol=1e-2,
    decoded=_numbers,
    bytes=lambda size: 3 * 2 * size[0] ** 2,
    flops=lambda size: 2 * size[0] ** 3,
    variants={"tensor cores": Variant("9_bf16_product.cu", _on_tensor_cores)},
    libraries={"PyTorch": _torch_product},
)
