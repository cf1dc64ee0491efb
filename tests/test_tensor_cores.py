"""Matrix instructions in kernels: what they compute, and what is said of those that go wrong."""

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator

PRODUCT = r"""
#include <cuda_fp16.h>
// One 16 x 8 tile of a @ b.T by a warp: a is 16 x 16, b is 8 x 16, both by rows in shared memory.
extern "C" __global__ void tile(const half* a, const half* b, float* c, int limit) {
  __shared__ __align__(16) half as[16 * 16], bs[8 * 16];
  int lane = threadIdx.x;
  for (int i = lane; i < 256; i += 32) as[i] = a[i];
  for (int i = lane; i < 128; i += 32) bs[i] = b[i];
  BARRIER
  unsigned x[4], y[2];
  unsigned at = __cvta_generic_to_shared(&as[lane % 16 * 16 + lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
  at = __cvta_generic_to_shared(&bs[lane % 8 * 16 + lane / 8 % 2 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(y[0]), "=r"(y[1]) : "r"(at) : "memory");
  float d[4] = {0, 0, 0, 0};
  if (lane < limit)
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]), "r"(y[0]), "r"(y[1]));
  for (int i = 0; i < 4; i++)
    c[(lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}
"""


def tile(barrier="__syncwarp();", limit=32, threads=32):
    rng = np.random.default_rng(0)
    a, b = (rng.integers(-4, 5, (rows, 16)).astype(np.float16) for rows in (16, 8))
    c = np.zeros((16, 8), np.float32)
    module = simulator.RawModule(code=PRODUCT.replace("BARRIER", barrier))
    with simulator.observe() as seen:
        module.get_function("tile")((1,), (threads,), (a, b, c, np.int32(limit)))
    return a.astype(np.float64) @ b.astype(np.float64).T, c, seen


def test_a_tile_of_a_matrix_product_is_exact():
    wanted, found, seen = tile()
    assert (found == wanted).all()
    assert seen.hazards == []


def test_matrix_loads_are_requests_to_shared_memory_that_are_counted():
    counted = tile()[2].counters.total
    assert counted["shared_load_requests"] == 2
    assert counted["shared_load_wavefronts"] == 8 + 4  # rows lie 32 bytes apart: half the banks


def test_a_product_that_half_a_warp_comes_to_is_named():
    with pytest.raises(cuda.ShuffleDivergence, match="lanes 16, 17, .* which never come here"):
        tile(limit=16)


def test_a_product_by_a_block_of_fewer_than_32_threads_is_named():
    with pytest.raises(cuda.ShuffleDivergence, match="multiple of 32"):
        tile(threads=24, limit=99)


def test_a_matrix_load_without_barrier_is_a_race():
    with pytest.raises(cuda.DataRace):
        tile(barrier="")


def test_a_matrix_load_of_what_nobody_wrote_is_named():
    code = PRODUCT.replace("i < 128; i += 32", "i < 64; i += 32")
    module = simulator.RawModule(code=code.replace("BARRIER", "__syncwarp();"))
    a, b, c = np.ones(256, np.float16), np.ones(128, np.float16), np.zeros(128, np.float32)
    with pytest.raises(cuda.UninitializedRead):
        module.get_function("tile")((1,), (32,), (a, b, c, np.int32(32)))


STORE = r"""
extern "C" __global__ void there_and_back(const unsigned* x, unsigned* y) {
  __shared__ __align__(16) unsigned s[128];
  unsigned at = __cvta_generic_to_shared(&s[threadIdx.x * 4]), r[4];
  for (int i = 0; i < 4; i++) r[i] = x[threadIdx.x * 4 + i];
  asm volatile("stmatrix.sync.aligned.m8n8.x4TURN.shared.b16 [%0], {%1, %2, %3, %4};"
               :: "r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  __syncwarp();
  asm volatile("ldmatrix.sync.aligned.m8n8.x4TURN.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at) : "memory");
  for (int i = 0; i < 4; i++) y[threadIdx.x * 4 + i] = r[i];
}
"""


@pytest.mark.parametrize("turn", ["", ".trans"])
def test_what_stmatrix_puts_away_ldmatrix_brings_back(turn):
    x = np.random.default_rng(0).integers(0, 2**32, 128, np.uint32)
    y = np.zeros_like(x)
    module = simulator.RawModule(code=STORE.replace("TURN", turn))
    module.get_function("there_and_back")((1,), (32,), (x, y))
    assert (x == y).all()
