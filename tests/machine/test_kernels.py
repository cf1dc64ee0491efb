"""Kernels of every kind, run on each device there is and compared with NumPy."""

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator


class Device:
    """One way to run a kernel: arrays in, arrays out, whichever the device."""

    def __init__(self, name):
        self.name = name
        if name == "simulator":
            self.module = simulator.RawModule
        else:
            from grader.cuda import gpu

            self.module = gpu.RawModule

    def run(self, code, name, grid, block, args, *, template=None, together=False, **launch):
        names = (template,) if template else None
        module = self.module(code=code, name_expressions=names, enable_cooperative_groups=together)
        kernel = module.get_function(template or name)
        if self.name == "simulator":
            kernel(grid, block, args, **launch)
            return
        import cupy

        on_device = [cupy.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
        kernel(grid, block, tuple(on_device), **launch)
        for host, device in zip(args, on_device, strict=True):
            if isinstance(host, np.ndarray):
                host[...] = cupy.asnumpy(device)


@pytest.fixture(params=["simulator", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request):
    return Device(request.param)


def floats(n, seed=0):
    return np.random.default_rng(seed).standard_normal(n).astype(np.float32)


SAXPY = r"""
extern "C" __global__ void saxpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
"""


@pytest.mark.parametrize("n", [1, 31, 32, 33, 1000])
def test_saxpy_is_exact_to_the_last_bit(device, n):
    x, y = floats(n), floats(n, 1)
    expected = (np.float64(2.5) * x + y).astype(np.float32)  # one fused multiply-add
    device.run(SAXPY, "saxpy", (8,), (128,), (np.float32(2.5), x, y, np.int32(n)))
    assert np.array_equal(y, expected)


TREE = r"""
template <typename T, bool kInterleaved>
__global__ void tree_sum(const T* x, T* partial, int n) {
  extern __shared__ unsigned char bytes[];
  T* tile = reinterpret_cast<T*>(bytes);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : T(0);
  __syncthreads();
  if (kInterleaved) {
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
      if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
      __syncthreads();
    }
  } else {
    for (int s = 1; s < blockDim.x; s *= 2) {
      if (threadIdx.x % (2 * s) == 0) tile[threadIdx.x] += tile[threadIdx.x + s];
      __syncthreads();
    }
  }
  if (threadIdx.x == 0) partial[blockIdx.x] = tile[0];
}
"""


@pytest.mark.parametrize("interleaved", ["true", "false"])
@pytest.mark.parametrize(
    ("cpp", "dtype"), [("float", np.float32), ("double", np.float64), ("int", np.int32)]
)
def test_tree_reduction_in_shared_memory(device, cpp, dtype, interleaved):
    n, block = 1003, 128
    x = (floats(n) * 100).astype(dtype)
    partial = np.zeros(8, dtype)
    name = f"tree_sum<{cpp}, {interleaved}>"
    size = block * x.itemsize
    args = (x, partial, np.int32(n))
    device.run(TREE, "tree_sum", (8,), (block,), args, template=name, shared_mem=size)
    expected = [x[b * block : (b + 1) * block].sum(dtype=np.float64) for b in range(8)]
    assert np.allclose(partial, expected, rtol=1e-5, atol=1e-3)


SHUFFLE = r"""
extern "C" __global__ void shuffles(const int* x, int* down, int* up, int* butterfly, int* idx,
                                    int* segment, unsigned* ballot) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[t];
  down[t] = __shfl_down_sync(0xffffffff, v, 5);
  up[t] = __shfl_up_sync(0xffffffff, v, 3);
  butterfly[t] = __shfl_xor_sync(0xffffffff, v, 9);
  idx[t] = __shfl_sync(0xffffffff, v, 7);
  segment[t] = __shfl_down_sync(0xffffffff, v, 2, 8);
  ballot[t] = __ballot_sync(0xffffffff, v % 3 == 0);
}
"""


def test_shuffles_and_votes(device):
    x = np.random.default_rng(3).integers(0, 1000, 128).astype(np.int32)
    outs = [np.zeros(128, np.int32) for _ in range(5)] + [np.zeros(128, np.uint32)]
    device.run(SHUFFLE, "shuffles", (2,), (64,), (x, *outs))
    lane = np.arange(128) % 32
    base = np.arange(128) - lane
    take = lambda source: x[base + source]  # noqa: E731
    assert np.array_equal(outs[0], take(np.where(lane + 5 < 32, lane + 5, lane)))
    assert np.array_equal(outs[1], take(np.where(lane >= 3, lane - 3, lane)))
    assert np.array_equal(outs[2], take(lane ^ 9))
    assert np.array_equal(outs[3], take(7))
    assert np.array_equal(outs[4], take(np.where(lane % 8 + 2 < 8, lane + 2, lane)))
    bits = (x % 3 == 0).reshape(-1, 32) @ (1 << np.arange(32, dtype=np.uint64))
    assert np.array_equal(outs[5], np.repeat(bits, 32).astype(np.uint32))


CUB_SOFTMAX = r"""
#include <cub/cub.cuh>
struct Pair { float max, sum; };
struct Merge {
  __device__ Pair operator()(const Pair& a, const Pair& b) const {
    float m = fmaxf(a.max, b.max);
    float left = a.max == m ? a.sum : a.sum * expf(a.max - m);
    float right = b.max == m ? b.sum : b.sum * expf(b.max - m);
    return Pair{m, left + right};
  }
};
extern "C" __global__ void softmax(const float* x, float* y, int columns) {
  using Reduce = cub::BlockReduce<Pair, 128>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ Pair total;
  x += blockIdx.x * columns;
  y += blockIdx.x * columns;
  Pair mine{-INFINITY, 0.0f};
  for (int c = threadIdx.x; c < columns; c += blockDim.x) mine = Merge()(mine, Pair{x[c], 1.0f});
  mine = Reduce(storage).Reduce(mine, Merge());
  if (threadIdx.x == 0) total = mine;
  __syncthreads();
  for (int c = threadIdx.x; c < columns; c += blockDim.x)
    y[c] = expf(x[c] - total.max) / total.sum;
}
"""


def test_online_softmax_through_cub(device):
    rows, columns = 6, 1000
    x = floats(rows * columns).reshape(rows, columns) * 5
    y = np.zeros_like(x)
    device.run(CUB_SOFTMAX, "softmax", (rows,), (128,), (x, y, np.int32(columns)))
    exact = np.exp(x - x.max(axis=1, keepdims=True).astype(np.float64))
    assert np.allclose(y, exact / exact.sum(axis=1, keepdims=True), rtol=1e-5, atol=0)


LONG_SOFTMAX = r"""
__device__ void merge(float max, float sum, float& m, float& s) {
  float top = fmaxf(m, max);
  if (top == -INFINITY) return;
  s = s * expf(m - top) + sum * expf(max - top);
  m = top;
}
__device__ void tree(float* max, float* sum) {
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride)
      merge(max[threadIdx.x + stride], sum[threadIdx.x + stride], max[threadIdx.x],
            sum[threadIdx.x]);
  }
}
extern "C" __global__ void pairs(const float* x, const float* counts, float* maxima, float* sums,
                                 int n) {
  extern __shared__ float cache[];
  float* tail = cache + blockDim.x;
  float m = -INFINITY, s = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    merge(x[i], counts ? counts[i] : 1.0f, m, s);
  cache[threadIdx.x] = m;
  tail[threadIdx.x] = s;
  tree(cache, tail);
  if (threadIdx.x == 0) maxima[blockIdx.x] = cache[0], sums[blockIdx.x] = tail[0];
}
extern "C" __global__ void normalize(const float* x, float* y, const float* max, const float* sum,
                                     int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = expf(x[i] - *max) / *sum;
}
"""


def test_softmax_of_one_long_vector_in_three_launches(device):
    n, blocks, threads = 5000, 7, 128
    x, y = floats(n) * 10, np.zeros(n, np.float32)
    maxima, sums = np.zeros(blocks, np.float32), np.zeros(blocks, np.float32)
    m, s = np.zeros(1, np.float32), np.zeros(1, np.float32)
    size = {"shared_mem": 8 * threads}
    args = (x, None, maxima, sums, np.int32(n))
    device.run(LONG_SOFTMAX, "pairs", (blocks,), (threads,), args, **size)
    args = (maxima, sums, m, s, np.int32(blocks))
    device.run(LONG_SOFTMAX, "pairs", (1,), (threads,), args, **size)
    device.run(LONG_SOFTMAX, "normalize", (blocks,), (threads,), (x, y, m, s, np.int32(n)))
    exact = np.exp(x - x.max().astype(np.float64))
    assert np.allclose(y, exact / exact.sum(), rtol=1e-5, atol=0)


PACK = r"""
extern "C" __global__ void absmax_scale(const float4* x, float4* y, int rows) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float4 v = x[row * 32 + threadIdx.x];
  float m = fmaxf(fmaxf(fabsf(v.x), fabsf(v.y)), fmaxf(fabsf(v.z), fabsf(v.w)));
  for (int mask = 16; mask > 0; mask /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffff, m, mask));
  y[row * 32 + threadIdx.x] = make_float4(v.x / m, v.y / m, v.z / m, v.w / m);
}
"""


def test_packs_of_128_bits_with_a_warp_per_row(device):
    x = floats(9 * 128).reshape(9, 128)
    y = np.zeros_like(x)
    device.run(PACK, "absmax_scale", (3,), (32, 4), (x, y, np.int32(9)))
    assert np.array_equal(y, x / np.abs(x).max(axis=1, keepdims=True))


EXPAND = r"""
extern "C" __global__ void where3(const bool* cond, const float* x, const double* y, double* out,
                                  long long n, int columns, int stride_row, int stride_column) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row = i / columns, column = i % columns;
  int at = row * stride_row + column * stride_column;
  out[i] = cond[i] ? x[at] : y[column];
}
"""


def test_where_with_broadcast_strides(device):
    rows, columns = 13, 21
    cond = np.random.default_rng(1).random((rows, columns)) < 0.5
    x, y, out = floats(rows), np.random.default_rng(2).random(columns), np.zeros((rows, columns))
    sizes = (np.int64(out.size), np.int32(columns), np.int32(1), np.int32(0))
    device.run(EXPAND, "where3", (3,), (100,), (cond, x, y, out, *sizes))
    assert np.array_equal(out, np.where(cond, x[:, None], y))


HISTOGRAM = r"""
extern "C" __global__ void histogram(const int* x, int* bins, unsigned* ticket, float* total,
                                     int n) {
  __shared__ int local[10];
  if (threadIdx.x < 10) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[x[i]], 1);
    atomicAdd(total, (float)x[i]);
  }
  __syncthreads();
  if (threadIdx.x < 10) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
  if (threadIdx.x == 0) atomicInc(ticket, 2u);
}
"""


def test_atomics_in_shared_and_global_memory(device):
    x = np.random.default_rng(4).integers(0, 10, 1000).astype(np.int32)
    bins, ticket, total = np.zeros(10, np.int32), np.zeros(1, np.uint32), np.zeros(1, np.float32)
    device.run(HISTOGRAM, "histogram", (4,), (64,), (x, bins, ticket, total, np.int32(1000)))
    assert np.array_equal(bins, np.bincount(x, minlength=10))
    assert ticket[0] == 1  # 4 increments that wrap after 2: 1, 2, 0, 1
    assert total[0] == x.sum()


LAST_BLOCK = r"""
__device__ unsigned finished = 0;
extern "C" __global__ void total(const float* x, volatile float* partial, float* out, int n) {
  __shared__ float tile[64];
  __shared__ bool last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = 32; s > 0; s /= 2) {
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = tile[0];
    __threadfence();
    last = atomicAdd(&finished, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];
    *out = sum;
    finished = 0;
  }
}
"""


def test_the_last_block_finishes_the_sum(device):
    x, partial, out = floats(1000), np.zeros(16, np.float32), np.zeros(1, np.float32)
    device.run(LAST_BLOCK, "total", (16,), (64,), (x, partial, out, np.int32(1000)))
    assert np.isclose(out[0], x.sum(dtype=np.float64), atol=1e-3)


SPIN_LOCK = r"""
extern "C" __global__ void locked(int* lock, int* count) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *(volatile int*)count = *(volatile int*)count + 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
}
"""


def test_a_spin_lock_inside_a_warp_ends(device):
    lock, count = np.zeros(1, np.int32), np.zeros(1, np.int32)
    device.run(SPIN_LOCK, "locked", (2,), (64,), (lock, count))
    assert count[0] == 128


LOCAL = r"""
extern "C" __global__ void median_of_seven(const float* x, float* y, const int* at) {
  float window[7];
  for (int k = 0; k < 7; ++k) window[k] = x[threadIdx.x + k];
  for (int i = 1; i < 7; ++i) {
    float v = window[i];
    int j = i - 1;
    while (j >= 0 && window[j] > v) {
      window[j + 1] = window[j];
      --j;
    }
    window[j + 1] = v;
  }
  y[threadIdx.x] = window[at[threadIdx.x]];
}
"""


def test_an_array_in_local_memory_indexed_at_run_time(device):
    x, y, at = floats(70), np.zeros(64, np.float32), np.full(64, 3, np.int32)
    device.run(LOCAL, "median_of_seven", (1,), (64,), (x, y, at))
    assert np.array_equal(y, [np.median(x[i : i + 7]) for i in range(64)])


INTEGERS = r"""
extern "C" __global__ void integers(const int* a, const int* b, long long* out) {
  int t = threadIdx.x, x = a[t], y = b[t];
  unsigned u = x, v = y;
  long long* o = out + 16 * t;
  o[0] = x / y;
  o[1] = x % y;
  o[2] = u / v;
  o[3] = u % v;
  o[4] = (long long)x * y;
  o[5] = __mulhi(x, y);
  o[6] = __popc(u) + __clz(x) * 100 + __brev(u) % 7;
  o[7] = x >> (v % 40);
  o[8] = (long long)x / (y | 1);
  o[9] = min(x, y) - max(u, v);
  o[10] = (short)x + (unsigned char)y;
  o[11] = ~x ^ (y << 3);
  o[12] = (long long)(float)x;
  o[13] = __float2int_rn((float)y * 0.37f);
  o[14] = (unsigned long long)u * v >> 32;
  o[15] = abs(x);
}
"""


def test_integer_arithmetic_is_cs(device):
    rng = np.random.default_rng(5)
    a = rng.integers(-(2**31), 2**31, 64).astype(np.int32)
    b = rng.integers(-1000, 1000, 64).astype(np.int32)
    b[b == 0] = 7
    out = np.zeros((64, 16), np.int64)
    device.run(INTEGERS, "integers", (1,), (64,), (a, b, out))
    x, y = a.astype(object), b.astype(object)
    u, v = x % 2**32, y % 2**32
    quotient = np.array([int(p / q) if abs(p) < 2**50 else 0 for p, q in zip(x, y, strict=True)])
    assert np.array_equal(out[:, 0], quotient)
    assert np.array_equal(out[:, 1], (x - quotient * y).astype(np.int64))
    assert np.array_equal(out[:, 2], (u // v).astype(np.int64))
    assert np.array_equal(out[:, 3], (u % v).astype(np.int64))
    assert np.array_equal(out[:, 4], (x * y).astype(np.int64))
    assert np.array_equal(out[:, 5], (x * y >> 32).astype(np.int64))
    assert np.array_equal(out[:, 7], [p >> min(q, 31) for p, q in zip(x, v % 40, strict=True)])
    assert np.array_equal(out[:, 12], a.astype(np.float32).astype(np.int64))
    assert np.array_equal(out[:, 14], (u * v >> 32).astype(np.int64))


HALF = r"""
#include <cuda_fp16.h>
extern "C" __global__ void halves(const __half* x, const __half* y, __half* sum, __half2* product) {
  int t = threadIdx.x;
  sum[t] = __hadd(x[t], y[t]);
  if (t < 32) product[t] = __hmul2(((const __half2*)x)[t], ((const __half2*)y)[t]);
}
"""


def test_half_precision_singly_and_in_pairs(device):
    x, y = floats(64).astype(np.float16), floats(64, 1).astype(np.float16)
    total, product = np.zeros(64, np.float16), np.zeros(64, np.float16)
    device.run(HALF, "halves", (1,), (64,), (x, y, total, product))
    assert np.array_equal(total, x + y)
    assert np.array_equal(product, x * y)


TILES = r"""
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void tiles(const float* x, float* out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  float v = x[block.thread_rank()];
  for (int k = tile.size() / 2; k > 0; k /= 2) v += tile.shfl_down(v, k);
  if (tile.thread_rank() == 0) out[block.thread_rank() / 8] = v;
  block.sync();
}
"""


def test_cooperative_groups_of_eight(device):
    x, out = floats(96), np.zeros(12, np.float32)
    device.run(TILES, "tiles", (1,), (96,), (x, out))
    assert np.allclose(out, x.reshape(12, 8).sum(axis=1), atol=1e-5)


STRUCTS = r"""
struct Shape { int rows, columns; float scale; };
__constant__ float weights[4] = {1.0f, 2.0f, 4.0f, 8.0f};
extern "C" __global__ void scaled(const float* x, float* y, Shape shape, bool twice) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < shape.rows * shape.columns)
    y[i] = x[i] * shape.scale * weights[i % 4] * (twice ? 2.0f : 1.0f);
}
"""


def test_struct_and_bool_parameters_and_constant_memory(device):
    kind = np.dtype([("rows", np.int32), ("columns", np.int32), ("scale", np.float32)])
    shape = np.array((5, 9, 0.5), kind)[()]
    x, y = floats(45), np.zeros(45, np.float32)
    device.run(STRUCTS, "scaled", (1,), (64,), (x, y, shape, np.bool_(True)))
    assert np.array_equal(y, x * np.float32([1, 2, 4, 8])[np.arange(45) % 4])


MATH = r"""
extern "C" __global__ void functions(const float* x, float* out, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float v = x[t];
  float* o = out + 8 * t;
  o[0] = expf(v), o[1] = logf(fabsf(v)), o[2] = sqrtf(fabsf(v)), o[3] = rsqrtf(fabsf(v));
  o[4] = tanhf(v), o[5] = sinf(v), o[6] = __expf(v), o[7] = 1.0f / v;
}
"""


def test_special_functions_are_close_and_exact_ones_exact(device):
    x = floats(256) * 3
    out = np.zeros((256, 8), np.float32)
    device.run(MATH, "functions", (2,), (128,), (x, out, np.int32(256)))
    wide = x.astype(np.float64)
    a = np.abs(wide)
    close = [np.exp(wide), np.log(a), np.sqrt(a), 1 / np.sqrt(a), np.tanh(wide), np.sin(wide)]
    for column, expected in enumerate(close):
        assert np.allclose(out[:, column], expected, rtol=1e-6, atol=2e-7)
    assert np.allclose(out[:, 6], np.exp(wide), rtol=4e-6)
    assert np.array_equal(out[:, 2], np.sqrt(np.abs(x)))
    assert np.array_equal(out[:, 7], np.float32(1) / x)


CALLS = r"""
struct Shape { __device__ virtual float area(float x) const = 0; };
struct Square : Shape { __device__ float area(float x) const override { return x * x; } };
struct Line : Shape { __device__ float area(float x) const override { return -x; } };
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ float sum(const float* x, int n) {
  float s = 0.0f;
  for (int i = 0; i < n; ++i) s += x[i];
  return s;
}
extern "C" __global__ void calls(float* y, int* f) {
  int t = threadIdx.x;
  Square square;
  Line line;
  const Shape* shape = t % 3 ? (const Shape*)&square : (const Shape*)&line;
  float mine[4] = {1.0f * t, 2.0f, 3.0f, 4.0f};
  float* heap = (float*)malloc(8);
  heap[1] = shape->area(t);
  y[t] = heap[1] + (t < 20 ? sum(mine, t % 5) : 0.0f);
  free(heap);
  f[t] = fibonacci(t % 9);
}
"""


def test_calls_recursion_virtual_functions_and_malloc(device):
    y, f = np.zeros(40, np.float32), np.zeros(40, np.int32)
    device.run(CALLS, "calls", (1,), (40,), (y, f))
    t = np.arange(40)
    prefix = [sum([t, 2, 3, 4][: t % 5]) if t < 20 else 0 for t in range(40)]
    assert np.array_equal(y, np.where(t % 3, t * t, -t) + prefix)
    assert np.array_equal(f, np.array([0, 1, 1, 2, 3, 5, 8, 13, 21])[t % 9])


MANY_BLOCKS = r"""
extern "C" __global__ void where_am_i(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  out[block * blockDim.x + threadIdx.x] = block;
}
"""


def test_every_block_of_a_large_grid_knows_its_place(device):
    out = np.zeros(5 * 7 * 11 * 64, np.int32)
    device.run(MANY_BLOCKS, "where_am_i", (5, 7, 11), (64,), (out,))
    assert np.array_equal(out, np.repeat(np.arange(5 * 7 * 11), 64))


GRID_SYNC = r"""
#include <cooperative_groups.h>
extern "C" __global__ void two_phases(const float* x, float* partial, float* out, int n) {
  auto grid = cooperative_groups::this_grid();
  __shared__ float tile[64];
  float s = 0.0f;
  for (int i = grid.thread_rank(); i < n; i += grid.size()) s += x[i];
  tile[threadIdx.x] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int t = 1; t < blockDim.x; ++t) s += tile[t];
    partial[blockIdx.x] = s;
  }
  grid.sync();
  if (grid.thread_rank() == 0) {
    float total = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}
"""


def test_a_cooperative_launch_synchronises_the_grid(device):
    x, partial, out = floats(3000), np.zeros(200, np.float32), np.zeros(1, np.float32)
    args = (x, partial, out, np.int32(3000))
    device.run(GRID_SYNC, "two_phases", (200,), (64,), args, together=True)
    assert np.isclose(out[0], x.sum(dtype=np.float64), atol=1e-3)


CLUSTER = r"""
#include <cooperative_groups.h>
extern "C" __global__ void __cluster_dims__(4, 1, 1) neighbours(const float* x, float* out) {
  auto cluster = cooperative_groups::this_cluster();
  __shared__ float tile[32];
  __shared__ int arrivals;
  if (threadIdx.x == 0) arrivals = 0;
  tile[threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
  cluster.sync();
  unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
  atomicAdd(cluster.map_shared_rank(&arrivals, 0), 1);
  float v = *cluster.map_shared_rank(&tile[31 - threadIdx.x], next);
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = v + (cluster.block_rank() == 0 ? arrivals : 0);
}
"""


def test_a_cluster_shares_its_shared_memory(device):
    x, out = floats(8 * 32), np.zeros(8 * 32, np.float32)
    device.run(CLUSTER, "neighbours", (8,), (32,), (x, out))
    rows = x.reshape(2, 4, 32)
    expected = np.roll(rows, -1, axis=1)[:, :, ::-1].copy()
    expected[:, 0] += 128
    assert np.array_equal(out, expected.ravel())


BARRIERS = r"""
extern "C" __global__ void barriers(const int* x, int* counts, int* handed, int n) {
  int t = threadIdx.x;
  counts[t] = __syncthreads_count(x[t] > 0);
  counts[t] += 1000 * __syncthreads_and(x[t] > -9) + 2000 * __syncthreads_or(x[t] > 90);
  __shared__ int box[32];
  if (t < 32) {  // the producer warp
    box[t] = x[t] * 2;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {  // the consumer warp
    asm volatile("bar.sync 1, 64;" ::: "memory");
    handed[t - 32] = box[t - 32];
  }
}
"""


def test_barriers_that_count_and_barriers_for_some_warps(device):
    x = np.random.default_rng(6).integers(-9, 90, 64).astype(np.int32)
    counts, handed = np.zeros(64, np.int32), np.zeros(32, np.int32)
    device.run(BARRIERS, "barriers", (1,), (64,), (x, counts, handed, np.int32(64)))
    assert np.array_equal(counts, np.full(64, (x > 0).sum() + 1000 * (x > -9).all()))
    assert np.array_equal(handed, x[:32] * 2)


JUMP_TABLE = r"""
extern "C" __global__ void jumps(const int* x, int* y) {
  int v = x[threadIdx.x], r = -1;
  asm volatile(
      "{\n\t"
      ".reg .pred %%p1;\n\t"
      "targets: .branchtargets one, two, three;\n\t"
      "setp.gt.u32 %%p1, %1, 2;\n\t"
      "@%%p1 bra done;\n\t"
      "brx.idx %1, targets;\n\t"
      "one: mov.u32 %0, 10; bra done;\n\t"
      "two: mov.u32 %0, 20; bra done;\n\t"
      "three: mov.u32 %0, 0X1EU;\n\t"
      "done:\n\t"
      "}"
      : "+r"(r) : "r"(v));
  y[threadIdx.x] = r;
}
"""


def test_a_jump_table_in_inline_assembly(device):
    x, y = (np.arange(64) % 5).astype(np.int32), np.zeros(64, np.int32)
    device.run(JUMP_TABLE, "jumps", (1,), (64,), (x, y))
    assert np.array_equal(y, np.array([10, 20, 30, -1, -1])[x])


SYMBOLS = r"""
__constant__ float taps[3];
__device__ int calls = 5;
static __device__ double quiet;
struct Matrix { int width; float* elements; };
__global__ void weighted(Matrix m, float* y) {
  y[threadIdx.x] = taps[threadIdx.x] * m.elements[m.width - 1 - threadIdx.x];
  if (threadIdx.x == 0) { calls += 1; quiet = calls; }
}
extern "C" __global__ void nothing(void) {}
extern "C" __global__ void width(int* y) {
  y[threadIdx.x] = threadIdx.x / warpSize;
}
"""


@pytest.fixture(scope="module")
def symbols():
    names = ("weighted", "&taps", "&quiet")
    return simulator.RawModule(code=SYMBOLS, name_expressions=names)


def test_variables_are_filled_and_read_between_launches(symbols):
    symbols.get_global("taps").view(np.float32)[:] = [2, 3, 4]
    matrix = np.dtype([("width", np.int32), ("elements", np.uint64)], align=True)
    x, y = np.array([1, 10, 100], np.float32), np.zeros(3, np.float32)
    argument = np.array([(3, simulator.address(x))], matrix)[0]
    symbols.get_function("weighted")(1, 3, (argument, y))
    assert y.tolist() == [200, 30, 4]
    assert symbols.get_global("calls").view(np.int32)[0] == 6
    assert symbols.get_global("quiet").view(np.float64)[0] == 6


def test_an_unknown_variable_is_named(symbols):
    with pytest.raises(cuda.LaunchError, match="no kernel here uses a variable called 'tops'"):
        symbols.get_global("tops")


def test_an_array_reached_by_its_address_has_bounds(symbols):
    matrix = np.dtype([("width", np.int32), ("elements", np.uint64)], align=True)
    x, y = np.ones(2, np.float32), np.zeros(3, np.float32)
    argument = np.array([(3, simulator.address(x))], matrix)[0]
    with pytest.raises(cuda.OutOfBounds):
        symbols.get_function("weighted")(1, 3, (argument, y))


def test_a_kernel_may_say_that_it_takes_nothing(symbols):
    symbols.get_function("nothing")(1, 1, ())


def test_the_warp_size_is_a_constant_of_the_language(symbols):
    y = np.zeros(64, np.int32)
    symbols.get_function("width")(1, 64, (y,))
    assert y.tolist() == [0] * 32 + [1] * 32


CLOCKS = r"""
extern "C" __global__ void clocks(long long* ticks, const float* x, float* y) {
  long long start = clock64();
  unsigned low = clock();
  y[threadIdx.x] = sinf(x[threadIdx.x]);
  __threadfence();
  ticks[threadIdx.x] = (clock64() - start) | (clock() == low ? -1 : 0);
}
"""


def test_clocks_go_forward(device):
    ticks = np.zeros(32, np.int64)
    device.run(CLOCKS, "clocks", (1,), (32,), (ticks, floats(32), np.zeros(32, np.float32)))
    assert (ticks > 0).all()


PIPELINE = r"""
#include <cuda/pipeline>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void shift(const float* x, float* y, int tiles) {
  __shared__ float stage[2][32];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cg::this_thread_block();
  bool produces = threadIdx.x >= 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int lane = threadIdx.x % 32;
  for (int t = 0; t < tiles; ++t) {
    if (produces) {
      pipe.producer_acquire();
      cuda::memcpy_async(&stage[t % 2][lane], &x[32 * t + lane], sizeof(float), pipe);
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      y[32 * t + lane] = stage[t % 2][31 - lane];
      pipe.consumer_release();
    }
  }
}
"""


def test_a_pipeline_between_a_producing_and_a_consuming_warp(device):
    x, y = floats(160), np.zeros(160, np.float32)
    device.run(PIPELINE, "shift", (1,), (64,), (x, y, np.int32(5)))
    assert np.array_equal(y, x.reshape(5, 32)[:, ::-1].ravel())


def test_lanes_that_compare_and_swap_at_one_place_take_turns(device):
    code = """extern "C" __global__ void k(int* x, int* y) {
      y[threadIdx.x] = atomicCAS(x, threadIdx.x / 2 * 2, threadIdx.x + 2);
    }"""
    x, y = np.zeros(1, np.int32), np.zeros(32, np.int32)
    device.run(code, "k", (1,), (32,), (x, y))
    if device.name == "simulator":  # the order of lanes; a real GPU may take any
        assert y.tolist() == [t // 2 * 2 + t % 2 * 2 for t in range(32)]
        assert x[0] == 32
