"""The project's kernels on a GPU, fp32, beside PyTorch and torch.compile."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from grader.course import Benchmark, Launch, Variant
from grader.course.references import softmax

Size = tuple[int, int]  # rows and columns, or heads and keys
DIM, K = 64, 4
EPSILON, SCALE = np.float32(1e-5), np.float32(0.125)
BLOCK = 256


def ceil_div(n: int, size: int) -> int:
    return -(-n // size)


def tensors(arrays: dict, *names: str) -> tuple:
    import torch

    return tuple(torch.as_tensor(arrays[name], device="cuda") for name in names)


def compiled(operation: Callable) -> Callable:
    import torch

    return torch.compile(operation, dynamic=False)


# --- layer_norm --------------------------------------------------------------------------------


def norm_arrays(xp, size: Size) -> dict:
    rng = xp.random.default_rng(8)
    return {
        "x": rng.standard_normal(size, dtype=xp.float32),
        "weight": rng.standard_normal(size[1], dtype=xp.float32),
        "bias": rng.standard_normal(size[1], dtype=xp.float32),
        "y": xp.empty(size, np.float32),
    }


def norm_reference(arrays: dict):
    exact = arrays["x"].astype(np.float64)
    apart = exact - exact.mean(axis=1, keepdims=True)
    s = ((apart**2).mean(axis=1, keepdims=True) + float(EPSILON)) ** 0.5
    return apart / s * arrays["weight"] + arrays["bias"]


def norm_in_torch(x, weight, bias):
    import torch.nn.functional as F

    return F.layer_norm(x, x.shape[1:], weight, bias, float(EPSILON))


def norm_with_torch(arrays: dict) -> Callable:
    inputs = tensors(arrays, "x", "weight", "bias")
    return lambda: norm_in_torch(*inputs)


def norm_with_compile(arrays: dict) -> Callable:
    inputs, run = tensors(arrays, "x", "weight", "bias"), compiled(norm_in_torch)
    return lambda: run(*inputs)


def norm_launches(size: Size) -> tuple[Launch, ...]:
    args = ("x", "weight", "bias", "y", np.int32(size[1]), EPSILON)
    return (Launch("layer_norm", size[0], BLOCK, args),)


def norm_once_launches(size: Size) -> tuple[Launch, ...]:
    """The whole row in registers: 1, 4 or 16 floats of it for each of 1,024 threads, or packed so
    for 256."""
    rows, columns = size
    kernel, block = next(
        (kernel, block)
        for most, kernel, block in (
            (1_024, "layer_norm_1", BLOCK),
            (4_096, "layer_norm_4", BLOCK),
            (16_384, "layer_norm_long", 1_024),
        )
        if columns <= most
    )
    args = ("x", "weight", "bias", "y", np.int32(columns), EPSILON)
    return (Launch(kernel, rows, block, args),)


layer_norm = Benchmark(
    name="layer_norm",
    title="Layer normalisation of rows, fp32",
    sizes=((32_768, 1024), (16_384, 4096), (4_096, 16_384)),
    extents=("rows", "columns"),
    arrays=norm_arrays,
    result="y",
    reference=norm_reference,
    rtol=1e-5,
    bytes=lambda size: 8 * size[0] * size[1] + 8 * size[1],
    variants={
        "layer_norm": Variant("1_layer_norm.cu", norm_launches),
        "row in registers": Variant("5_layer_norm_once.cu", norm_once_launches),
    },
    libraries={"PyTorch": norm_with_torch, "torch.compile": norm_with_compile},
)


# --- cross_entropy -----------------------------------------------------------------------------


def entropy_arrays(xp, size: Size) -> dict:
    rng = xp.random.default_rng(8)
    return {
        "x": rng.standard_normal(size, dtype=xp.float32),
        "row": xp.arange(size[0]),
        "target": xp.arange(size[0], dtype=np.int32) * 7919 % size[1],
        "loss": xp.empty(size[0], np.float32),
        "gradient": xp.empty(size, np.float32),
    }


def entropy_reference(arrays: dict):
    gradient = softmax(arrays["x"])
    gradient[arrays["row"], arrays["target"]] -= 1
    return gradient


def entropy_in_torch(x, target):
    import torch.nn.functional as F

    share = x.softmax(1)
    loss = F.nll_loss(x.log_softmax(1), target, reduction="none")
    return share - F.one_hot(target, x.shape[1]), loss


def entropy_with_torch(arrays: dict) -> Callable:
    import torch
    import torch.nn.functional as F

    x, target = tensors(arrays, "x", "target")
    x, target = x.requires_grad_(), target.long()
    return lambda: torch.autograd.grad(F.cross_entropy(x, target, reduction="sum"), x)[0]


def entropy_with_compile(arrays: dict) -> Callable:
    x, target = tensors(arrays, "x", "target")
    run, target = compiled(entropy_in_torch), target.long()
    return lambda: run(x, target)[0]


def entropy_launches(size: Size) -> tuple[Launch, ...]:
    args = ("x", "target", "loss", "gradient", np.int32(size[1]))
    return (Launch("cross_entropy", size[0], BLOCK, args, 4 * size[1]),)


cross_entropy = Benchmark(
    name="cross_entropy",
    title="Cross-entropy of rows and its gradient, fp32",
    sizes=((32_768, 1024), (8_192, 8192), (4_096, 50_257)),
    extents=("rows", "classes"),
    arrays=entropy_arrays,
    result="gradient",
    reference=entropy_reference,
    rtol=1e-5,
    bytes=lambda size: 8 * size[0] * size[1] + 8 * size[0],
    variants={"cross_entropy": Variant("2_cross_entropy.cu", entropy_launches)},
    libraries={"PyTorch": entropy_with_torch, "torch.compile": entropy_with_compile},
)


# --- top_four ----------------------------------------------------------------------------------


def top_arrays(xp, size: Size) -> dict:
    rng = xp.random.default_rng(8)
    return {
        "x": rng.standard_normal(size, dtype=xp.float32),
        "value": xp.empty((size[0], K), np.float32),
        "index": xp.empty((size[0], K), np.int32),
    }


def top_reference(arrays: dict):
    x = arrays["x"].astype(np.float64)
    x.sort(axis=1)
    return x[:, : -K - 1 : -1]


def top_in_torch(x):
    return x.topk(K, dim=1)


def top_with_torch(arrays: dict) -> Callable:
    (x,) = tensors(arrays, "x")
    return lambda: top_in_torch(x)[0]


def top_with_compile(arrays: dict) -> Callable:
    (x,), run = tensors(arrays, "x"), compiled(top_in_torch)
    return lambda: run(x)[0]


def top_launches(size: Size) -> tuple[Launch, ...]:
    args = ("x", "value", "index", np.int32(size[0]), np.int32(size[1]))
    return (Launch("top_four", ceil_div(size[0] * 32, BLOCK), BLOCK, args),)


top_four = Benchmark(
    name="top_four",
    title="The four largest of each row, fp32",
    sizes=((262_144, 128), (65_536, 512), (16_384, 4096)),
    extents=("rows", "columns"),
    arrays=top_arrays,
    result="value",
    reference=top_reference,
    rtol=0.0,
    bytes=lambda size: 4 * size[0] * (size[1] + 2 * K),
    variants={"top_four": Variant("3_top_four.cu", top_launches)},
    libraries={"PyTorch": top_with_torch, "torch.compile": top_with_compile},
)


# --- attention_row -----------------------------------------------------------------------------


def attention_arrays(xp, size: Size) -> dict:
    heads, keys = size
    rng = xp.random.default_rng(8)
    return {
        "q": rng.standard_normal((heads, DIM), dtype=xp.float32),
        "K": rng.standard_normal((heads, keys, DIM), dtype=xp.float32),
        "V": rng.standard_normal((heads, keys, DIM), dtype=xp.float32),
        "y": xp.empty((heads, DIM), np.float32),
    }


def attention_reference(arrays: dict):
    q, keys, values = (arrays[name].astype(np.float64) for name in ("q", "K", "V"))
    weights = softmax(float(SCALE) * (q[:, None, :] * keys).sum(axis=2))
    return (weights[:, :, None] * values).sum(axis=1)


def attention_in_torch(q, keys, values):
    import torch.nn.functional as F

    return F.scaled_dot_product_attention(q[:, None], keys, values, scale=float(SCALE))[:, 0]


def attention_with_torch(arrays: dict) -> Callable:
    inputs = tensors(arrays, "q", "K", "V")
    return lambda: attention_in_torch(*inputs)


def attention_with_compile(arrays: dict) -> Callable:
    inputs, run = tensors(arrays, "q", "K", "V"), compiled(attention_in_torch)
    return lambda: run(*inputs)


def attention_launches(size: Size) -> tuple[Launch, ...]:
    args = ("q", "K", "V", "y", SCALE, np.int32(size[1]))
    return (Launch("attention_row", size[0], BLOCK, args),)


attention_row = Benchmark(
    name="attention_row",
    title="Attention of one query a head, fp32",
    sizes=((4_096, 256), (1_024, 2048), (256, 16_384)),
    extents=("heads", "keys"),
    arrays=attention_arrays,
    result="y",
    reference=attention_reference,
    rtol=1e-5,
    bytes=lambda size: 8 * DIM * size[0] * (size[1] + 1),
    variants={"attention_row": Variant("4_attention_row.cu", attention_launches)},
    libraries={"PyTorch": attention_with_torch, "torch.compile": attention_with_compile},
    tiny=(3, 20),
)
