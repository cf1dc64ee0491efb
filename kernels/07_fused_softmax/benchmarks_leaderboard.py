"""The dispatcher: which kernel for which softmax on an H200, with the measured reason; and what
libraries reach.

A figure is the fraction of a large copy (4,283 GB/s) that least bytes over time come to, measured
on one H200 on 22 November 2026, those of a line in one run; `copy` is what a copy of as many bytes
reaches in the same run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from grader.course import Benchmark, Launch, Variant
from grader.course.references import softmax

Size = tuple[int, int]  # rows, columns


class Choice(NamedTuple):
    """Up to `columns`: `kernel` of `file`, in blocks of `threads` (those that calculate and the
    others), `blocks` of them to a row, or `rows` rows to a block; `shared` bytes of dynamic shared
    memory per block; of a ring, so many clusters at once. And why not the one before."""

    columns: int
    file: str
    kernel: str
    threads: int
    why: str
    blocks: int = 1
    rows: int = 1
    shared: int = 0
    at_once: int = 0


REGISTERS, BLOCK = "9_rows_in_registers.cu", "9_block_in_registers.cu"
CLUSTER, HALVES = "9_cluster_in_registers.cu", "9_cluster_halves.cu"
RING, GPU, VECTOR = "9_cluster_ring.cu", "9_whole_gpu.cu", "9_one_vector.cu"
MULTIPROCESSORS = 132
EVERY = MULTIPROCESSORS  # blocks: one for each multiprocessor, launched cooperatively
SLOTS = 16 * 384 * 36  # bytes of the ring

MANY_ROWS = (
    Choice(
        128,
        REGISTERS,
        "float_rows_of_128",
        128,
        "8 rows per block .965; 8 lanes per row .958",
        rows=8,
    ),
    Choice(256, REGISTERS, "float_rows_of_256", 128, ".947; two rows per warp .936", rows=4),
    Choice(512, REGISTERS, "float_rows_of_512", 64, ".935 to .932; two warps per row .928", rows=2),
    Choice(1_024, BLOCK, "block_1024", 64, "two warps per row .945; one .940 and more registers"),
    Choice(2_048, BLOCK, "block_2048", 64, "8 packs per thread .950; 4 packs .951, 2 packs .947"),
    Choice(4_096, BLOCK, "block_4096", 512, ".964; 256 threads .957"),
    Choice(4_099, BLOCK, "odd_4099", 256, "odd lengths .903; 512 threads .881"),
    Choice(8_192, BLOCK, "block_8192", 1_024, "2 packs per thread .973; 4 packs .961"),
    Choice(16_384, BLOCK, "block_16384", 512, ".972; 256 threads of 16 packs .968"),
    Choice(32_768, CLUSTER, "cluster_32768", 512, ".985; one block of 1,024 threads .981", 4),
    Choice(57_344, CLUSTER, "odd_57344", 128, "50,257: .945; 256 threads in 8 blocks .937", 16),
    Choice(65_536, CLUSTER, "cluster_65536", 1_024, ".988; 4 blocks .984; the ring .917", 2),
    Choice(131_072, CLUSTER, "cluster_131072", 512, ".983; 4 blocks .976; the ring .894", 8),
    Choice(262_144, CLUSTER, "cluster_262144", 256, ".951; 8 blocks .945; the ring .901", 16),
    Choice(524_288, RING, "ring_524288", 384, ".821; registers .784", 16, shared=SLOTS, at_once=7),
    Choice(1_115_136, GPU, "gpu_1m", 512, ".876; 672 threads .845", EVERY, shared=225_280),
    Choice(2_128_896, GPU, "gpu_2m", 768, ".845; without a lag .594", EVERY, shared=215_040),
    Choice(4_325_376, GPU, "gpu_4m", 576, ".708; no room for a lag", EVERY, shared=212_992),
    Choice(2**62, VECTOR, "one_vector", 1_024, "2^26: .642; .75 possible", EVERY, shared=196_608),
)

# Fewer rows than a wave: more and smaller blocks per row, so that every multiprocessor has some.
FEW_ROWS = (
    Choice(2_048, BLOCK, "few_2048", 256, "launch-bound: .099, copy .111"),
    Choice(8_192, BLOCK, "block_8192", 1_024, "launch-bound: .286, copy .335"),
    Choice(32_768, CLUSTER, "few_32768", 128, ".651; one block per row .569; copy .663", 8),
    Choice(65_536, CLUSTER, "few_65536", 128, ".778; 8 blocks .759; copy .790", 16),
    Choice(131_072, CLUSTER, "few_131072", 256, ".873; 8 blocks .826; copy .888", 16),
    *(choice for choice in MANY_ROWS if choice.columns > 131_072),
)

# Of halves; a kernel for bfloat16s is the same template, and called bfloat_.
OF_HALVES = (
    Choice(128, REGISTERS, "half_rows_of_128", 64, ".942; 16 lanes per row .831", rows=8),
    Choice(1_024, BLOCK, "half_1024", 64, ".898; a warp per row .868"),
    Choice(4_096, BLOCK, "half_4096", 256, ".959"),
    Choice(16_384, BLOCK, "half_16384", 512, ".972"),
    Choice(32_768, HALVES, "half_32768", 256, ".970; kept as floats .968, in one block .892", 2),
    Choice(65_536, HALVES, "half_65536", 512, ".980; kept as floats .907", 4),
    Choice(131_072, HALVES, "half_131072", 512, ".978; kept as floats .848", 4),
    Choice(262_144, HALVES, "half_262144", 512, ".967; kept as floats .756, 16 blocks .870", 8),
)


def choose(rows: int, columns: int, kind: str = "float") -> Choice:
    """The kernel for the softmax of `rows` rows of so many of a `kind`: "float", "half", "bfloat".
    ValueError for the latter two beyond 262,144."""
    table = FEW_ROWS if rows <= MULTIPROCESSORS else MANY_ROWS
    if kind != "float":
        table = OF_HALVES
    for choice in table:
        if columns <= choice.columns:
            return choice._replace(kernel=choice.kernel.replace("half_", f"{kind}_"))
    raise ValueError(f"no kernel here takes rows of {columns:,} of {kind}")


def launches(size: Size, kind: str = "float") -> tuple[Launch, ...]:
    """What the dispatcher's choice takes: one launch, or one a row where a row is very long."""
    (rows, columns), choice = size, choose(*size, kind)
    numbers = np.int32(rows), np.int32(columns)
    args: dict[str, tuple] = {
        REGISTERS: ("x", "y", *numbers),
        BLOCK: ("x", "y", numbers[1]),
        CLUSTER: ("x", "y", numbers[1]),
        HALVES: ("x", "y", numbers[1]),
        RING: ("x", "y", *numbers),
        GPU: ("x", "y", "messages", *numbers),
    }
    together = choice.file in (GPU, VECTOR)
    grid = EVERY if together else -(-rows // choice.rows) * choice.blocks
    if choice.file == RING:
        grid = choice.blocks * min(choice.at_once, rows)
    launch = partial(Launch, choice.kernel, grid, choice.threads, shared_mem=choice.shared)
    if choice.file != VECTOR:
        return (launch(args=args[choice.file], cooperative=together),)
    vector = ("x", "y", "pairs", "finished", np.uint64(columns))
    return tuple(launch(args=(*vector, np.int32(row)), cooperative=True) for row in range(rows))


# --- libraries ---------------------------------------------------------------------------------


def with_cupy(arrays: dict) -> Callable:
    from cupyx.scipy.special import softmax as of_cupy

    return lambda: of_cupy(arrays["x"], axis=1)


def as_tensors(arrays: dict):
    """x and y; bfloat16 is kept as its bits."""
    import torch

    tensors = [torch.as_tensor(arrays[name], device="cuda") for name in ("x", "y")]
    bits = arrays["x"].dtype == np.uint16
    return [tensor.view(torch.bfloat16) for tensor in tensors] if bits else tensors


def with_torch(arrays: dict) -> Callable:
    import torch

    x, y = as_tensors(arrays)

    def run() -> None:
        torch.softmax(x, 1, out=y)

    return run


def torch_rows(x, y) -> None:
    y.copy_(x.softmax(1))


def with_torch_compile(arrays: dict) -> Callable:
    import torch

    x, y = as_tensors(arrays)
    compiled = torch.compile(torch_rows, dynamic=False)
    return lambda: compiled(x, y)


def with_quack(arrays: dict) -> Callable:
    from quack.softmax import _softmax_fwd

    x, y = as_tensors(arrays)

    def run() -> None:
        _softmax_fwd(x, y)

    return run


@cache
def triton_kernels() -> tuple:
    """The two below, compiled on first use; they look `tl` up in this module."""
    global tl
    import triton
    import triton.language as tl

    return triton.jit(triton_whole), triton.jit(triton_online)


def with_triton(arrays: dict) -> Callable:
    """A program a row: the whole row at once up to 65,536 columns (floats: 32,768, if the length is
    a power of two), beyond that online, in tiles."""
    whole, online = triton_kernels()
    x, y = as_tensors(arrays)
    rows, columns = x.shape
    kernel, tile = whole, 1 << (columns - 1).bit_length()
    if columns > 65_536 or (columns > 32_768 and x.element_size() == 4 and tile == columns):
        kernel, tile = online, 8192
    warps = min(32, max(1, tile // 256))

    def run() -> None:  # what a launch returns is not the answer
        kernel[(rows,)](x, y, columns, TILE=tile, num_warps=warps)

    return run


def triton_whole(x, y, columns, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, TILE)
    value = tl.load(x + row + at, mask=at < columns, other=-float("inf")).to(tl.float32)
    e = tl.exp(value - tl.max(value, 0))
    tl.store(y + row + at, (e / tl.sum(e, 0)).to(y.dtype.element_ty), mask=at < columns)


def triton_online(x, y, columns, TILE: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    at = tl.arange(0, TILE)
    largest = tl.full([TILE], -float("inf"), tl.float32)
    total = tl.zeros([TILE], tl.float32)
    for first in range(0, columns, TILE):
        there = first + at < columns
        value = tl.load(x + row + first + at, mask=there, other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, value)
        origin = tl.where(new == -float("inf"), 0.0, new)
        total = total * tl.exp(largest - origin) + tl.exp(value - origin)
        largest = new
    of_row = tl.max(largest, 0)
    share = 1.0 / tl.sum(total * tl.exp(largest - of_row), 0)
    for first in range(0, columns, TILE):
        there = first + at < columns
        value = tl.load(x + row + first + at, mask=there, other=-float("inf")).to(tl.float32)
        part = (tl.exp(value - of_row) * share).to(y.dtype.element_ty)
        tl.store(y + row + first + at, part, mask=there)


LIBRARIES = {
    "CuPy": with_cupy,
    "PyTorch": with_torch,
    "torch.compile": with_torch_compile,
    "Triton": with_triton,
    "QuACK": with_quack,
}


# --- benchmarks --------------------------------------------------------------------------------


def matrices(xp, size: Size) -> dict:
    """x, standard normal, y, and what the blocks of a whole GPU tell each other by."""
    x = xp.random.default_rng(7).standard_normal(size, dtype=xp.float32)
    return {
        "x": x,
        "y": xp.empty(size, np.float32),
        "pairs": xp.full((EVERY, 2), -1, np.int32).view(np.float32),
        "messages": xp.zeros((2, 8, EVERY), np.uint64),
        "finished": xp.zeros(1, np.uint32),
    }


def halves(xp, size: Size) -> dict:
    x = xp.random.default_rng(7).standard_normal(size, dtype=xp.float32)
    return {"x": x.astype(np.float16), "y": xp.empty(size, np.float16)}


LEADERBOARD = (
    *((128, n << 10) for n in (2, 8, 64, 128, 256, 512, 1024, 2048, 4096)),
    *((442_368, 128), (131_072, 256), (65_536, 512), (32_768, 1_024), (32_768, 4_096)),
    *((16_384, 16_384), (16_384, 32_768), (8_192, 65_536), (4_096, 131_072), (2_048, 262_144)),
    *((100_000, 1_000), (4_097, 4_097), (1_000, 50_257), (1, 67_108_864)),
)

leaderboard = Benchmark(
    name="leaderboard",
    title="Softmax of rows, fp32",
    sizes=LEADERBOARD,
    extents=("rows", "columns"),
    arrays=matrices,
    result="y",
    reference=lambda arrays: softmax(arrays["x"]),
    rtol=1e-5,
    bytes=lambda size: 2 * 4 * size[0] * size[1],  # x is read once, y written once
    flops=lambda size: 5 * size[0] * size[1],  # maximum, difference, exponential, sum, product
    variants={"dispatched": Variant((REGISTERS, BLOCK, CLUSTER, RING, GPU, VECTOR), launches)},
    libraries=LIBRARIES,
    tiny=(3, 20),
)

half = replace(
    leaderboard,
    name="half",
    title="Softmax of rows, fp16",
    sizes=(
        *((442_368, 128), (32_768, 1_024), (32_768, 4_096), (16_384, 16_384), (16_384, 32_768)),
        *((8_192, 65_536), (2_048, 262_144)),
    ),
    arrays=halves,
    rtol=1e-3,
    bytes=lambda size: 2 * 2 * size[0] * size[1],
    variants={"dispatched": Variant((REGISTERS, BLOCK, HALVES), partial(launches, kind="half"))},
    libraries={name: LIBRARIES[name] for name in ("PyTorch", "Triton", "QuACK")},
)


def floats(bits):
    """The bfloat16s of which these are the bits, as float32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def bfloats(xp, size: Size) -> dict:
    x = xp.random.default_rng(7).standard_normal(size, dtype=xp.float32)
    return {"x": (x.view(np.uint32) >> 16).astype(np.uint16), "y": xp.empty(size, np.uint16)}


bfloat = replace(
    half,
    name="bfloat",
    title="Softmax of rows, bf16",
    arrays=bfloats,
    reference=lambda arrays: softmax(floats(arrays["x"])),
    decoded=floats,
    rtol=1e-2,
    variants={"dispatched": Variant((REGISTERS, BLOCK, HALVES), partial(launches, kind="bfloat"))},
)
