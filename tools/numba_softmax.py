"""The softmax of microbenchmarks/softmax.cu on Numba's CUDA simulator, beside ours.

    NUMBA_ENABLE_CUDASIM=1 python -m tools.numba_softmax

prints for one block and for four how many times as fast our simulated GPU is, with all checks on.
Numba (the extra `bench`) is imported nowhere else.
"""

import math
import time

import numpy as np
from numba import cuda, float32

from grader.bench import microbenchmarks
from grader.bench.speed import SMALL_COLUMNS, Ready

THREADS = 256


@cuda.jit(device=True)
def merge(max_: float, sum_: float, other_max: float, other_sum: float) -> tuple[float, float]:
    top = max(max_, other_max)
    if top == -math.inf:
        return max_, sum_
    return top, sum_ * math.exp(max_ - top) + other_sum * math.exp(other_max - top)


@cuda.jit
def softmax(x: np.ndarray, y: np.ndarray) -> None:
    maxima = cuda.shared.array(THREADS, float32)
    sums = cuda.shared.array(THREADS, float32)
    row, thread = cuda.blockIdx.x, cuda.threadIdx.x
    columns = x.shape[1]

    max_, sum_ = -math.inf, 0.0
    for c in range(thread, columns, cuda.blockDim.x):
        max_, sum_ = merge(max_, sum_, x[row, c], 1.0)
    maxima[thread], sums[thread] = max_, sum_

    stride = cuda.blockDim.x // 2
    while stride > 0:
        cuda.syncthreads()
        if thread < stride:
            other = thread + stride
            maxima[thread], sums[thread] = merge(
                maxima[thread], sums[thread], maxima[other], sums[other]
            )
        stride //= 2
    cuda.syncthreads()

    max_, scale = maxima[0], 1.0 / sums[0]
    for c in range(thread, columns, cuda.blockDim.x):
        y[row, c] = math.exp(x[row, c] - max_) * scale


def seconds(rows: int, columns: int) -> float:
    x = np.random.default_rng(0).standard_normal((rows, columns), np.float32)
    y = np.zeros_like(x)
    start = time.perf_counter()
    softmax[rows, THREADS](x, y)
    taken = time.perf_counter() - start
    assert np.allclose(y.sum(axis=1), 1, atol=1e-5)
    return taken


if __name__ == "__main__":
    for blocks in (1, 4):
        ours = Ready(microbenchmarks.softmax(blocks, SMALL_COLUMNS)).seconds(True)
        print(f"{blocks} x {SMALL_COLUMNS:,}: {seconds(blocks, SMALL_COLUMNS) / ours:.0f} x")
