"""Matrix instructions in kernels: what they compute, and what is said of those that go wrong."""

import numpy as np
import pytest
from every_device import devices

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
    with pytest.raises(cuda.ShuffleDivergence, match=r"that never come\. .* lanes 16 to "):
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


WMMA = r"""
#include <mma.h>
#include <type_traits>
using namespace nvcuda;
template <typename T, typename E, typename C, typename D, int M, int N, int K, typename LA,
          typename LB>
__global__ void product(const E* a, const E* b, const C* c, D* d) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;
  wmma::fragment<wmma::accumulator, M, N, K, C> z;
  wmma::fragment<wmma::accumulator, M, N, K, D> sum;
  wmma::load_matrix_sync(x, a, std::is_same<LA, wmma::row_major>::value ? K : M);
  wmma::load_matrix_sync(y, b, std::is_same<LB, wmma::row_major>::value ? N : K);
  wmma::load_matrix_sync(z, c, N, wmma::mem_row_major);
  wmma::mma_sync(sum, x, y, z);
  wmma::store_matrix_sync(d, sum, M, wmma::mem_col_major);
}
"""
# By the type of the fragments: C++'s type of elements, NumPy's, and types that C and D may have.
HALF_SUMS = [("float", "float"), ("__half", "__half"), ("__half", "float"), ("float", "__half")]
FACTORS = {
    "__half": ("__half", np.float16, HALF_SUMS),
    "__nv_bfloat16": ("__nv_bfloat16", np.uint16, [("float", "float")]),
    "wmma::precision::tf32": ("float", np.float32, [("float", "float")]),
    "signed char": ("signed char", np.int8, [("int", "int")]),
    "unsigned char": ("unsigned char", np.uint8, [("int", "int")]),
}
SUMS = {"float": np.float32, "__half": np.float16, "int": np.int32}
SHAPES = [(16, 16, 16), (8, 32, 16), (32, 8, 16)]
ROW, COLUMN = "wmma::row_major", "wmma::col_major"


def stored(matrix, kind, layout):
    """The matrix of small whole numbers as it lies in memory."""
    flat = np.ascontiguousarray(matrix if layout == ROW else matrix.T)
    if kind is np.uint16:
        return (flat.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return flat.astype(kind)


@pytest.mark.parametrize("factor", FACTORS)
def test_wmma_products_of_whole_numbers_are_exact_on_every_device(factor):
    element, kind, sums = FACTORS[factor]
    shapes = SHAPES if "tf32" not in factor else [(16, 16, 8)]
    instances = {
        (shape, c, d, first, second): (
            f"product<{factor}, {element}, {c}, {d}, "
            f"{', '.join(map(str, shape))}, {first}, {second}>"
        )
        for shape in shapes
        for c, d in sums
        for first in (ROW, COLUMN)
        for second in (ROW, COLUMN)
    }
    rng = np.random.default_rng(0)
    for module_of, there, back in devices():
        module = module_of(code=WMMA, name_expressions=tuple(instances.values()))
        for ((m, n, k), c, d, first, second), name in instances.items():
            least = 0 if kind is np.uint8 else -8
            a, b = rng.integers(least, 9, (m, k)), rng.integers(least, 9, (k, n))
            addend = rng.integers(-8, 9, (m, n))
            given = (stored(a, kind, first), stored(b, kind, second), addend.astype(SUMS[c]))
            found = there(np.zeros((n, m), SUMS[d]))
            arguments = (*map(there, given), found)
            module.get_function(name)((1,), (32,), arguments)
            assert (a @ b + addend == back(found).T).all(), name


def test_a_wmma_load_past_the_end_of_an_array_is_named():
    name = f"product<__half, __half, float, float, 16, 16, 16, {ROW}, {ROW}>"
    module = simulator.RawModule(code=WMMA, name_expressions=(name,))
    a, b = np.ones(255, np.float16), np.ones(256, np.float16)
    c, d = np.zeros(256, np.float32), np.zeros(256, np.float32)
    with pytest.raises(cuda.OutOfBounds, match=r"`a\[255\]`"):
        module.get_function(name)((1,), (32,), (a, b, c, d))
