"""CUB's collectives of a block and of a warp: each is there and right, whichever compiler."""

from functools import cache

import numpy as np
import pytest

from grader import compilers
from grader.cuda import simulator

THREADS, ITEMS, WARP = 64, 4, 32  # of a block; of a thread
X = np.random.default_rng(2).integers(0, 16, THREADS * ITEMS, np.int32)
BY_THREAD = X.reshape(THREADS, ITEMS)
BY_WARP = X.reshape(-1, WARP * ITEMS)
RANKS = np.argsort(np.argsort(X, kind="stable"))


def striped(x):
    """Elements side by side in neighbouring threads, as each thread then has them."""
    return x.reshape(ITEMS, -1).T.ravel()


# A collective: its type, what a thread does with it and its own `v`, and what `out` then holds.
BLOCK = {
    "BlockLoad": ("<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE>", "c.Load(x, v); put(out, v);", X),
    "BlockStore": ("<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE>", "c.Store(out, v);", X),
    "BlockExchange": ("<int, 64, 4>", "c.BlockedToStriped(v, v); put(out, v);", striped(X)),
    "BlockReduce": ("<int, 64>", "int sum = c.Sum(v); if (t == 0) out[0] = sum;", [X.sum()]),
    "BlockScan": ("<int, 64>", "c.InclusiveSum(v, v); put(out, v);", X.cumsum()),
    "BlockShuffle": ("<int, 64>", "int w[4] = {}; c.Up(v, w); put(out, w);", [0, *X[:-1]]),
    "BlockRadixSort": ("<int, 64, 4>", "c.Sort(v); put(out, v);", np.sort(X)),
    "BlockRadixRank": (
        "<64, 4, false>",
        "int ranks[4]; unsigned keys[4] = {0u + v[0], 0u + v[1], 0u + v[2], 0u + v[3]};\n"
        "c.RankKeys(keys, ranks, cub::BFEDigitExtractor<unsigned>(0, 4)); put(out, ranks);",
        RANKS,
    ),
    "BlockMergeSort": ("<int, 64, 4>", "c.Sort(v, Less()); put(out, v);", np.sort(X)),
    "BlockHistogram": (
        "<int, 64, 4, 16>",
        "__shared__ int bins[16]; c.Histogram(v, bins); __syncthreads();\n"
        "if (t < 16) out[t] = bins[t];",
        np.bincount(X, minlength=16),
    ),
    "BlockDiscontinuity": (
        "<int, 64>",
        "int heads[4]; c.FlagHeads(heads, v, cub::Inequality()); put(out, heads);",
        np.diff(X, prepend=-1) != 0,
    ),
    "BlockAdjacentDifference": (
        "<int, 64>",
        "int w[4]; c.SubtractLeft(v, w, Minus()); put(out, w);",
        np.diff(X, prepend=0),
    ),
}
OF_A_WARP = {
    "WarpLoad": ("<int, 4, cub::WARP_LOAD_TRANSPOSE>", "c.Load(x, v); put(out, v);", X),
    "WarpStore": ("<int, 4, cub::WARP_STORE_TRANSPOSE>", "c.Store(out, v);", X),
    "WarpExchange": (
        "<int, 4>",
        "c.BlockedToStriped(v, v); put(out, v);",
        np.hstack([striped(x) for x in BY_WARP]),
    ),
    "WarpReduce": (
        "<int>",
        "int sum = c.Sum(v[0]); if (t == 0) out[0] = sum;",
        np.hstack([[x[::ITEMS].sum()] + [0] * (WARP * ITEMS - 1) for x in BY_WARP]),
    ),
    "WarpScan": (
        "<int>",
        "int sum; c.ExclusiveSum(v[0], sum); out[t] = sum;",
        np.hstack(
            [[*(x[::ITEMS].cumsum() - x[::ITEMS])] + [0] * (WARP * (ITEMS - 1)) for x in BY_WARP]
        ),
    ),
    "WarpMergeSort": ("<int, 4>", "c.Sort(v, Less()); put(out, v);", np.sort(BY_WARP).ravel()),
}
DECODED = """
extern "C" __global__ void BlockRunLengthDecode(const int* x, int* out) {
  int t = threadIdx.x, value[1] = {x[t]}, length[1] = {t % 8 + 1}, total, v[4];
  using Collective = cub::BlockRunLengthDecode<int, 64, 1, 4>;
  __shared__ typename Collective::TempStorage storage;
  Collective c(storage, value, length, total);
  c.RunLengthDecode(v, 0); put(out, v); }
"""
HEAD = """#include <cub/cub.cuh>
struct Less { __device__ bool operator()(int a, int b) const { return a < b; } };
struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };
template <int part = 64> __device__ void put(int* out, const int (&v)[4]) {
  for (int n = 0; n < 4; ++n) out[threadIdx.x % part * 4 + n] = v[n]; }
"""
KERNEL = """
extern "C" __global__ void {name}(const int* x, int* out) {{
  int warp = threadIdx.x / {part}, t = threadIdx.x % {part}, v[4];
  x += {part} * 4 * warp; out += {part} * 4 * warp;
  for (int n = 0; n < 4; ++n) v[n] = x[4 * t + n];
  using Collective = cub::{name}{parameters};
  __shared__ typename Collective::TempStorage storage[64 / {part}];
  Collective c(storage[warp]);
  {body} }}
"""
EXPECTED = {
    **{name: expected for name, (*_, expected) in (BLOCK | OF_A_WARP).items()},
    "BlockRunLengthDecode": np.repeat(X[:THREADS], np.arange(THREADS) % 8 + 1)[: X.size],
}


def source():
    code = HEAD + DECODED
    for kinds, part in ((BLOCK, THREADS), (OF_A_WARP, WARP)):
        for name, (parameters, body, _) in kinds.items():
            body = body.replace("put(", f"put<{part}>(")
            code += KERNEL.format(name=name, part=part, parameters=parameters, body=body)
    return code


@cache
def compiled(compiler):
    """All of them in one program: what takes time is to read CUB."""
    with compilers.used(compiler):
        module = simulator.RawModule(code=source())
        module.get_function("BlockLoad")
    return module


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_a_collective_is_right_and_runs_clean(compiler, name):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    out = np.zeros_like(X)
    with simulator.observe() as seen:
        compiled(compiler).get_function(name)((1,), (THREADS,), (X, out))
    expected = np.zeros_like(X)
    expected[: len(EXPECTED[name])] = EXPECTED[name]
    assert seen.hazards == []
    assert np.array_equal(out, expected)
