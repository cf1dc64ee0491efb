"""What attention takes on a GPU, next to a library."""

from __future__ import annotations

import numpy as np

from grader.course import Benchmark, Launch, Variant

DIM = 32
SCALE = np.float32(DIM**-0.5)


def _vectors(xp, size):
    queries, keys = size
    rng = xp.random.default_rng(0)
    q, k, v = (rng.standard_normal((rows, DIM), dtype=xp.float32) for rows in (queries, keys, keys))
    return {
        **{"q": q, "k": k, "v": v},
        **{"y": xp.empty((queries, DIM), xp.float32), "lse": xp.empty(queries, xp.float32)},
    }


def _attended(arrays):
    q, k, v = (arrays[name].astype("float64") for name in "qkv")
    scores = float(SCALE) * q @ k.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v


def _by(kernel: str, rows_of_a_block: int, threads: int, *more: str):
    def launches(size):
        queries, keys = size
        args = ("q", "k", "v", "y", *more, SCALE, np.int32(queries), np.int32(keys))
        return (Launch(kernel, -(-queries // rows_of_a_block), threads, args),)

    return launches


def _rows(size):
    queries, keys = size
    args = ("q", "k", "v", "y", SCALE, np.int32(keys))
    return (Launch("one_row", queries, 128, args, shared_mem=4 * keys),)


def _torch_attention(arrays):
    import torch

    q, k, v, y = (torch.from_dlpack(arrays[name]) for name in "qkvy")
    attend = torch.nn.functional.scaled_dot_product_attention
    return lambda: y.copy_(attend(q[None, None], k[None, None], v[None, None])[0, 0])


attention = Benchmark(
    name="attention",
    title="Attention with one head of 32 elements, fp32",
    sizes=((1024, 1024), (4096, 4096), (8192, 8192)),
    extents=("queries", "keys"),
    tiny=(20, 45),
    arrays=_vectors,
    result="y",
    reference=_attended,
    rtol=1e-3,
    bytes=lambda size: 4 * DIM * (2 * size[0] + 2 * size[1]),
    flops=lambda size: 4 * DIM * size[0] * size[1],
    variants={
        "one block per query": Variant("1_one_row.cu", _rows),
        "one thread per query": Variant("2_one_query.cu", _by("one_query", 32, 32)),
        "tiles of 16 x 32": Variant("3_tiled.cu", _by("tiled", 16, 128, "lse")),
    },
    libraries={"PyTorch": _torch_attention},
)
