"""What attention takes on a GPU, next to libraries.

NumPy has no bfloat16, so arrays of bfloat16 numbers hold their bits.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from grader.course import Benchmark, Boxes, Launch, Variant

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


# --- bfloat16 on tensor cores --------------------------------------------------------------------

QUERIES = {128: 128, 64: 192}  # of a block, by elements of a head
SHARED = {128: 163_912, 64: 90_184}  # bytes
MOST_SCORES = 1 << 26  # of the reference, at a time


def _heads(xp, size):
    rng = xp.random.default_rng(0)
    drawn = {name: rng.standard_normal(size, dtype=xp.float32) for name in "qkv"}
    bits = {name: (x.view(xp.uint32) >> 16).astype(xp.uint16) for name, x in drawn.items()}
    return {**bits, "y": xp.empty(size, xp.uint16)}


def _numbers(bits):
    """float32[...] of the bits of bfloat16 numbers."""
    return (bits.view("uint16").astype("uint32") << 16).view("float32")


def _attended_by_heads(arrays, causal: bool):
    """float64[heads][keys][elements], computed by parts of the queries."""
    y = np.zeros_like(arrays["q"], np.float64)
    heads, keys, dim = y.shape
    part = max(1, MOST_SCORES // keys)
    for head in range(heads):
        q, k, v = (_numbers(arrays[name][head]).astype("float64") for name in "qkv")
        for first in range(0, keys, part):
            scores = q[first : first + part] @ k.T * dim**-0.5
            if causal:
                scores[np.triu(np.ones_like(scores, bool), first + 1)] = -np.inf  # later keys
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            y[head, first : first + part] = weights @ v
    return y


def _on_tensor_cores(size, causal: bool):
    heads, keys, dim = size
    queries = QUERIES[dim]
    maps = (
        Boxes(name, (1, rows, 64), 128) for name, rows in (("q", queries), ("k", 128), ("v", 128))
    )
    scale = np.float32(dim**-0.5 * np.log2(np.e))
    args = (*maps, "y", scale, np.int32(keys), np.int32(keys), np.int32(causal))
    grid, block = (-(-keys // queries), heads), 128 + 2 * queries
    return (Launch(f"attention_{dim}", grid, block, args, shared_mem=SHARED[dim]),)


def _torch_heads(arrays, backend: str, causal: bool):
    import torch
    from torch.nn.attention import SDPBackend, sdpa_kernel

    q, k, v = (
        torch.as_tensor(arrays[name], device="cuda").view(torch.bfloat16)[None] for name in "qkv"
    )
    attend = torch.nn.functional.scaled_dot_product_attention

    def run():
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return attend(q, k, v, is_causal=causal)[0].view(torch.int16)

    return run


def _of_heads(causal: bool) -> Benchmark:
    """Each head has as many queries as keys. Half of the scores count if it is causal."""
    return Benchmark(
        name="causal_heads" if causal else "heads",
        title="Causal attention, bf16" if causal else "Attention, bf16",
        sizes=((16, 4096, 128), (16, 16_384, 128), (32, 4096, 64), (32, 16_384, 64)),
        extents=("heads", "keys", "elements of a head"),
        tiny=(1, 136, 128),
        arrays=_heads,
        result="y",
        reference=partial(_attended_by_heads, causal=causal),
        rtol=1e-2,
        decoded=_numbers,
        bytes=lambda size: 4 * 2 * size[0] * size[1] * size[2],
        flops=lambda size: 4 * size[0] * size[1] ** 2 * size[2] // (2 if causal else 1),
        variants={
            "tensor cores": Variant("9_bf16_attention.cu", partial(_on_tensor_cores, causal=causal))
        },
        libraries={
            "cuDNN": partial(_torch_heads, backend="CUDNN_ATTENTION", causal=causal),
            "FlashAttention 2": partial(_torch_heads, backend="FLASH_ATTENTION", causal=causal),
        },
    )


heads, causal_heads = _of_heads(causal=False), _of_heads(causal=True)
