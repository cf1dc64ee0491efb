"""Kernels drawn at random from shapes that learners write, right ones and wrong ones."""

from __future__ import annotations

import numpy as np

from grader.course import Rule

INDICES = (
    "threadIdx.x",
    "blockIdx.x * blockDim.x + threadIdx.x",
    "blockIdx.x + threadIdx.x",
    "n - 1 - threadIdx.x",
    "2 * threadIdx.x",
    "(threadIdx.x + 1) / 2",
    "threadIdx.x % 32",
    "threadIdx.x ^ 1",
)
STEPS = ("blockDim.x", "gridDim.x * blockDim.x", "1", "7", "32", "m", "2 * blockDim.x")
ENDS = ("n", "n - 1", "n / 2", "n + 1", "n & ~3", "m")
PLACES = ("i", "i / 2", "n - 1 - i", "i % n", "i * m", "i ^ 1", "max(i - 1, 0)", "min(i, n - 1)")
LENGTHS = ("n", "n * m", "n + m", "2 * n", "n + 1")
SHAPES = (
    "for (int i = {index}; i < {end}; i += {step}) if (i >= 0) x[{place}] = 1;",
    "int i = {index}; if (i >= 0 && i < {end}) x[{place}] = 2;",
    "for (int i = {end} - 1; i >= 0; i -= {step})"
    " if (i % blockDim.x == threadIdx.x) x[{place}] = 3;",
    "int k = n % 8; int i = threadIdx.x;"
    " if (k > 0) do {{ if (i < n) x[{place}] = 4; i += {step}; }} while (--k != 0);",
    "for (int r = blockIdx.x; r < n; r += gridDim.x)"
    " for (int i = threadIdx.x; i < m; i += blockDim.x) x[r * m + i] = 5;",
    "__shared__ float t[64]; for (int i = threadIdx.x; i < {end}; i += {step}) {{"
    " t[threadIdx.x] = i; __syncthreads(); if (i < n) x[i] = t[63 - threadIdx.x]; {barrier} }}",
    "__shared__ float t[64]; t[threadIdx.x] = n; __syncthreads();"
    " for (int s = blockDim.x / 2; s > 0; s /= 2) {{"
    " if (threadIdx.x < s) t[threadIdx.x] += t[threadIdx.x + s]; {barrier} }}"
    " if (threadIdx.x == 0) x[blockIdx.x % n] = t[0];",
)


def kernel(rng: np.random.Generator) -> tuple[str, Rule]:
    """A kernel over `float x[]`, `int n` and `int m`, and a rule for it."""
    drawn = {
        "index": rng.choice(INDICES),
        "step": rng.choice(STEPS),
        "end": rng.choice(ENDS),
        "place": rng.choice(PLACES),
        "barrier": rng.choice(["__syncthreads();", ""]),
    }
    body = str(rng.choice(SHAPES)).format(**drawn)
    source = f'extern "C" __global__ void drawn(float* x, int n, int m) {{\n    {body}\n}}'
    rule = Rule(
        exercise="drawn",
        kernel="drawn",
        parameters=(f"float x[{rng.choice(LENGTHS)}]", "int n", "int m"),
        blocks=(32, 64),
        where=("n >= 1", "m >= 1", *rng.choice(["gridDim.x == 1", "n >= 2"], 1)),
    )
    return source, rule
