"""What trips a reader of compiled kernels up: one test for each trap of the census."""

import re

import numpy as np
import pytest

from grader import compilers, cuda
from grader.cuda import simulator


def run(code, *args, grid=1, block=32, kernel="k", together=False, options=(), names=None, **how):
    """Compiles and launches; what the kernel printed."""
    module = simulator.RawModule(
        code=code, options=options, name_expressions=names, enable_cooperative_groups=together
    )
    with simulator.observe() as seen:
        module.get_function(kernel)(grid, block, args, **how)
    return seen.printed


def ints(n=32):
    return np.zeros(n, np.int32)


def test_scopes_of_inline_assembly_have_registers_and_labels_of_their_own():
    y = ints()
    code = r"""
    extern "C" __global__ void k(int* y) {
      int a = threadIdx.x, b = 0;
      for (int turn = 0; turn < 2; ++turn)
        asm volatile(R"({ .reg .pred %p1; .reg .b32 %r0, t;
          mov.u32 t, 0; mov.u32 %r0, 100;
          LOOP: add.u32 t, t, 1;
          { .reg .b32 t, %r0; .reg.b16 h; mov.u32 t, 1000; mov.u32 %r0, t; cvt.u16.u32 h, t;
            cvt.u32.u16 t, h; }
          setp.lt.u32 %p1, t, 5; @%p1 bra LOOP;
          @!%p1 add.u32 %r0, %r0, t;
          add.u32 %0, %1, %r0; })" : "=r"(b) : "r"(a + b));
      y[a] = b;
    }"""
    run(code.replace("%p1", "%%p1").replace("%r0", "%%r0"), y)
    assert y.tolist() == [2 * t + 210 for t in range(32)]


def test_upper_case_hexadecimal_numbers():
    y = np.zeros(2, np.uint32)
    code = """extern "C" __global__ void k(unsigned* y) {
      asm volatile("mov.u32 %0, 0X1F79U; xor.b32 %1, %2, 0XFFFF0000U;"
                   : "=r"(y[0]), "=r"(y[1]) : "r"(0xABCD1234u));
    }"""
    run(code, y, block=1)
    assert y.tolist() == [0x1F79, 0x54321234]


def test_a_struct_parameter_is_read_through_the_address_of_its_name():
    layout = np.dtype([("size", "i4"), ("values", "f4", 5), ("wide", "f8")], align=True)
    given = np.array([(3, (1, 2, 4, 8, 16), 0.5)], layout)[0]
    code = """struct Given { int size; float values[5]; double wide; };
    extern "C" __global__ void k(Given given, float* y) {
      y[threadIdx.x] = given.values[threadIdx.x % 5] * given.size + given.wide;
    }"""
    y = np.zeros(32, np.float32)
    run(code, given, y)
    assert y.tolist() == [3 * 2 ** (t % 5) + 0.5 for t in range(32)]


@pytest.mark.parametrize("flag", [True, False])
def test_a_bool_parameter(flag):
    y = ints()
    run(
        'extern "C" __global__ void k(bool b, int* y) { y[threadIdx.x] = b ? 5 : 7; }',
        np.bool_(flag),
        y,
    )
    assert set(y) == {5 if flag else 7}


def test_printf_packs_its_arguments():
    code = r"""extern "C" __global__ void k(float f, long long big) {
      if (threadIdx.x == 1)
        printf("%d %s %5.2f %c %lld %u%% %x %e\n", -3, "words", f, 'z', big, 7u, 255, 1e10);
      printf("");
      if (threadIdx.x == 2) printf("no arguments\n");
    }"""
    printed = run(code, np.float32(1.5), np.int64(1 << 40))
    assert printed == "-3 words  1.50 z 1099511627776 7% ff 1.000000e+10\nno arguments\n"


def test_a_failing_assert_names_its_condition_and_line():
    code = """
    #include <cassert>
    extern "C" __global__ void k(int* y) {
      assert(threadIdx.x < 20);
      y[threadIdx.x] = 1;
    }"""
    with pytest.raises(cuda.CudaError, match=r"threadIdx\.x < 20") as caught:
        run(code, ints())
    assert caught.value.line == 4


def test_entries_of_templates_have_mangled_names():
    code = "template <typename T, int N> __global__ void k(T* y) { y[threadIdx.x] = N; }"
    ptx = compilers.compile_ptx(code, (), ("k<float, 3>",)).text
    assert re.search(r"\.(weak|visible) \.entry _Z1kIfLi3EEvPT_\(", ptx)
    y = np.zeros(32, np.float32)
    run(code, y, kernel="k<float, 3>", names=("k<float, 3>",))
    assert set(y) == {3}


def test_static_and_dynamic_shared_memory_by_symbol_offset_and_register():
    code = r"""
    extern __shared__ int dynamic[];
    extern "C" __global__ void k(int* y) {
      __shared__ int fixed[3][32];
      int t = threadIdx.x, at;
      fixed[2][t] = t; dynamic[t] = 10 * t; dynamic[32 + t] = 1000;
      __syncthreads();
      if (t == 0) { fixed[0][0] = 7; fixed[1][1] = 8; dynamic[0] = 9; dynamic[1] = 11; }
      __syncthreads();
      int* moved = t % 2 ? &fixed[2][0] : dynamic;
      at = moved[31 - t];
      y[t] = fixed[0][0] + fixed[1][1] + dynamic[0] + dynamic[1] + dynamic[33] + 10000 * at;
    }"""
    y = ints()
    run(code, y, shared_mem=4 * 64)
    others = [31 - t if t % 2 else 10 * (31 - t) if t < 30 else 11 for t in range(32)]
    assert y.tolist() == [1035 + 10000 * other for other in others]


def test_64_bit_division_with_and_without_high_words():
    a = np.array([7, -7, 1 << 40, -(1 << 62), 100, (1 << 63) - 1] * 6, np.int64)[:32]
    b = np.array([2, 3, 3, 1 << 33, -7, 5, 1 << 20] * 5, np.int64)[:32]
    quotient, rest = np.zeros(32, np.int64), np.zeros(32, np.uint64)
    code = """extern "C" __global__ void k(const long long* a, const long long* b, long long* q,
                                           unsigned long long* r) {
      int t = threadIdx.x;
      q[t] = a[t] / b[t];
      r[t] = (unsigned long long)a[t] % (unsigned long long)b[t];
    }"""
    run(code, a, b, quotient, rest)
    sign = np.where((a < 0) == (b < 0), 1, -1).tolist()
    exact = [abs(int(x)) // abs(int(y)) for x, y in zip(a, b, strict=True)]
    assert quotient.tolist() == [s * q for s, q in zip(sign, exact, strict=True)]
    assert np.array_equal(rest, a.view(np.uint64) % b.view(np.uint64))


def test_expf_in_full_precision():
    x = np.linspace(-110, 95, 256).astype(np.float32)
    y = np.zeros_like(x)
    code = 'extern "C" __global__ void k(const float* x, float* y) {'
    code += " int t = threadIdx.x; y[t] = expf(x[t]); }"
    run(code, x, y, block=256)
    with np.errstate(over="ignore"):
        exact = np.exp(x.astype(np.float64)).astype(np.float32)
    finite = np.isfinite(exact)
    assert np.array_equal(np.isfinite(y), finite)
    assert np.allclose(y[finite], exact[finite], rtol=3e-7, atol=1e-44)


def test_sine_and_cosine_of_large_arguments_take_the_slow_path():
    x = np.array([0.5, 3.0, 1e5, 1.2e6, 3e10, -7e22, 1e38, 105615.0] * 4, np.float32)
    y, z = np.zeros_like(x), np.zeros_like(x)
    code = """extern "C" __global__ void k(const float* x, float* y, float* z) {
      int t = threadIdx.x; y[t] = sinf(x[t]); z[t] = cosf(x[t]); }"""
    run(code, x, y, z)
    # math.sin reduces exactly; NumPy's float64 does as well
    assert np.allclose(y, np.sin(x.astype(np.float64)), atol=2e-7)
    assert np.allclose(z, np.cos(x.astype(np.float64)), atol=2e-7)


def test_trigonometry_in_double_precision_and_its_carry_chains():
    x = np.array([0.5, 3.0, 1e5, 1e12, 1e300, -7e22, 2.0**52, 1e-9] * 4)
    y, z = np.zeros_like(x), np.zeros_like(x)
    code = """extern "C" __global__ void k(const double* x, double* y, double* z) {
      int t = threadIdx.x; sincos(x[t], &y[t], &z[t]); }"""
    run(code, x, y, z)
    assert np.allclose(y, np.sin(x), rtol=0, atol=4e-16)
    assert np.allclose(z, np.cos(x), rtol=0, atol=4e-16)


def test_packs_with_an_immediate_and_halves_in_a_float_register():
    y = np.zeros(2, np.uint32)
    code = """extern "C" __global__ void k(unsigned* y) {
      float packed; unsigned short h = threadIdx.x + 0x3F80, low, high;
      asm volatile("mov.b32 %0, {0, %1};" : "=f"(packed) : "h"(h));
      asm volatile("mov.b32 {%0, %1}, %2;" : "=h"(low), "=h"(high) : "f"(packed));
      y[0] = __float_as_uint(packed);
      y[1] = low + (high << 8);
    }"""
    run(code, y, block=1)
    assert y.tolist() == [0x3F800000, 0x3F8000]


def test_two_destinations_and_a_sink():
    y = ints()
    code = r"""extern "C" __global__ void k(int* y) {
      int t = threadIdx.x, a, b, c;
      asm volatile(R"({ .reg .pred p, q; .reg .b32 v;
        shfl.sync.down.b32 v|p, %3, 8, 0x1f, 0xffffffff;
        selp.b32 %0, v, -1, p;
        setp.lt.s32 p|q, %3, 10;
        selp.b32 %1, 1, 0, p; selp.b32 %2, 1, 0, q;
        setp.lt.and.s32 p|_, %3, 10, q;
        shfl.sync.idx.b32 v, %3, 0, 0x1f, 0xffffffff; })"
                   : "=r"(a), "=r"(b), "=r"(c) : "r"(t));
      y[t] = 100 * a + 10 * b + c;
    }"""
    run(code, y)
    down = [t + 8 if t < 24 else -1 for t in range(32)]
    assert y.tolist() == [100 * down[t] + (10 if t < 10 else 1) for t in range(32)]


@pytest.mark.parametrize("compiler", compilers.COMPILERS)
@pytest.mark.parametrize(
    "given", ["__align__(16) Three { float a, b, c; }", "Three { char a, b, c; short d; }"]
)
def test_the_padding_that_a_vector_brings_along_is_read_by_nobody(compiler, given):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    code = f"""struct {given};
    extern "C" __global__ void k(float* y) {{
      __shared__ Three all[32];
      Three& own = all[threadIdx.x];
      own.a = 1; own.b = 2; own.c = 3;
      __syncthreads();
      Three& other = all[31 - threadIdx.x];
      y[threadIdx.x] = other.a + other.b + other.c; }}"""
    y = np.zeros(32, np.float32)
    with compilers.used(compiler):
        run(code, y)
    assert set(y) == {6}


def test_a_sink_takes_part_of_a_vector():
    x, y = np.arange(128, dtype=np.int32), ints()
    code = """extern "C" __global__ void k(const int* x, int* y) {
      asm volatile("ld.global.v4.u32 {_, %0, _, _}, [%1];"
                   : "=r"(y[threadIdx.x]) : "l"(x + 4 * threadIdx.x));
    }"""
    run(code, x, y)
    assert y.tolist() == list(range(1, 128, 4))


def test_a_call_passes_a_struct_of_64_bytes_by_value():
    y = np.zeros(32)
    code = """struct Block { double v[8]; };
    __device__ __noinline__ double weigh(Block b, int from) {
      double sum = 0;
      for (int n = from; n < 8; ++n) sum += b.v[n] * (n + 1);
      b.v[0] = -1;
      return sum;
    }
    extern "C" __global__ void k(double* y) {
      Block b;
      for (int n = 0; n < 8; ++n) b.v[n] = threadIdx.x;
      y[threadIdx.x] = weigh(b, threadIdx.x % 8) + b.v[0];
    }"""
    run(code, y)
    assert y.tolist() == [t * sum(range(t % 8 + 1, 9)) + t for t in range(32)]


ADDRESSED = """
struct Odd { char c[3]; short s; int i[3]; };
struct __align__(16) Wide { float4 f; int n; __device__ __noinline__ float at(int k) const {
  return (&f.x)[k]; } };
__device__ __noinline__ int odd(Odd o, int k) {
  o.i[k] += 1; return ((const char*)&o)[k] + o.i[(k + 1) % 3] + o.s; }
__device__ __noinline__ float wide(Wide w, int k) { (&w.f.x)[k] *= 2; return w.at(k) + w.n; }
__device__ float deep(Wide w, int k) { return k ? deep(w, k - 1) + w.at(k) : w.at(0); }
__device__ __noinline__ float mixed(int a, Wide w, float b, Odd o, int k) {
  return a + wide(w, k) + b + odd(o, k % 3) + w.at(k) + deep(w, k); }
extern "C" __global__ void k(float* y, Wide w, Odd o) {
  y[threadIdx.x] = mixed(threadIdx.x, w, 0.5f, o, threadIdx.x % 4); }"""


@pytest.mark.parametrize("options", [(), ("--device-debug",)], ids=["optimised", "debug"])
@pytest.mark.parametrize("compiler", compilers.COMPILERS)
def test_a_function_takes_the_address_of_what_it_is_given_by_value(compiler, options):
    if not compilers.COMPILERS[compiler].available():
        pytest.skip(f"{compiler} is not installed")
    w = np.array([((1, 2, 4, 8), 3, (0, 0, 0))], [("f", "f4", 4), ("n", "i4"), ("pad", "i4", 3)])
    o = np.array(
        [((1, 2, 3), 7, (5, 6, 9))],
        np.dtype([("c", "i1", 3), ("s", "i2"), ("i", "i4", 3)], align=True),
    )
    y = np.zeros(32, np.float32)
    with compilers.used(compiler):
        run(ADDRESSED, y, w[0], o[0], options=options)
    for t in range(32):
        k, f = t % 4, w["f"][0]
        odd = o["c"][0][k % 3] + o["i"][0][(k % 3 + 1) % 3] + 7
        assert y[t] == t + 2 * f[k] + 3 + 0.5 + odd + f[k] + f[: k + 1].sum()


def test_indirect_calls_of_several_prototypes():
    y = np.zeros(32, np.float32)
    code = """typedef float (*Unary)(float);
    typedef void (*Action)(float*, int);
    __device__ float twice(float x) { return 2 * x; }
    __device__ float plus(float x) { return x + 1; }
    __device__ void put(float* y, int at) { y[at] += 100; }
    __device__ void skip(float*, int) {}
    __device__ Unary unary[2] = {twice, plus};
    extern "C" __global__ void k(float* y) {
      int t = threadIdx.x;
      Action action = t < 16 ? put : skip;
      y[t] = unary[t % 2](t);
      action(y, t);
    }"""
    run(code, y)
    values = [(t + 1 if t % 2 else 2 * t) + (100 if t < 16 else 0) for t in range(32)]
    assert y.tolist() == values


def test_memory_from_malloc_and_new():
    y = ints()
    code = """struct Node { int value; Node* next; };
    extern "C" __global__ void k(int* y) {
      Node* list = nullptr;
      for (int n = 0; n <= threadIdx.x % 5; ++n) list = new Node{n, list};
      int* copy = (int*)malloc(4 * sizeof(int));
      copy[3] = 0;
      for (Node* at = list; at; at = at->next) copy[3] = 10 * copy[3] + at->value;
      y[threadIdx.x] = copy[3];
      free(copy);
      while (list) { Node* next = list->next; delete list; list = next; }
    }"""
    run(code, y)
    assert y.tolist() == [(0, 10, 210, 3210, 43210)[t % 5] for t in range(32)]


def test_a_barrier_of_the_whole_grid():
    x, y = ints(8 * 32), ints(8 * 32)
    code = """#include <cooperative_groups.h>
    extern "C" __global__ void k(int* x, int* y) {
      auto grid = cooperative_groups::this_grid();
      int t = grid.thread_rank();
      x[t] = t;
      grid.sync();
      y[t] = x[grid.size() - 1 - t];
      grid.sync();
      x[t] = y[(t + 1) % grid.size()];
    }"""
    run(code, x, y, grid=8, together=True)
    assert np.array_equal(y, np.arange(256)[::-1])
    assert np.array_equal(x, np.roll(y, -1))


def test_a_spin_lock_taken_by_the_lanes_of_a_warp():
    lock, total = ints(1), ints(1)
    code = """extern "C" __global__ void k(int* lock, volatile int* total) {
      while (atomicCAS(lock, 0, 1) != 0) {}
      __threadfence();
      *total = *total + 1;
      __threadfence();
      atomicExch(lock, 0);
    }"""
    run(code, lock, total, grid=3, block=40)
    assert total[0] == 120


def test_active_lanes_are_counted_before_one_of_them_adds_for_all():
    total, y = ints(1), ints(64)
    code = """extern "C" __global__ void k(int* total, int* y) {
      int t = threadIdx.x;
      y[t] = -1;
      if (t % 3 == 0) {
        unsigned active = __activemask(), below;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
        int leader = __ffs(active) - 1, start = 0;
        if (t % 32 == leader) start = atomicAdd(total, __popc(active));
        y[t] = __shfl_sync(active, start, leader) + __popc(active & below);
      }
    }"""
    run(code, total, y, block=64)
    assert total[0] == 22
    assert sorted(y[y >= 0]) == list(range(22))


MATHEMATICS = """extern "C" __global__ void k(const float* x, float* y) {
  int t = threadIdx.x;
  float v = x[t];
  y[t] = expf(v) / (1 + v * v) + sqrtf(v) + tanhf(v) + sinf(v) * cosf(v) + logf(v) + powf(v, 1.5f)
       + rsqrtf(v) + __fdividef(v, 3.0f);
}"""


def test_fast_mathematics_and_exact_mathematics_agree_roughly():
    x = np.linspace(0.1, 4, 32).astype(np.float32)
    fast, exact = np.zeros_like(x), np.zeros_like(x)
    run(MATHEMATICS, x, fast, options=("-use_fast_math",))
    run(MATHEMATICS, x, exact)
    v = x.astype(np.float64)
    value = np.exp(v) / (1 + v * v) + np.sqrt(v) + np.tanh(v) + np.sin(v) * np.cos(v) + np.log(v)
    value += v**1.5 + 1 / np.sqrt(v) + v / 3
    assert np.allclose(exact, value, rtol=1e-6)
    assert np.allclose(fast, value, rtol=1e-4)
    assert not np.array_equal(fast, exact)


FAST = (
    *("expf(v)", "exp10f(v)", "logf(v)", "log2f(v)", "log10f(v)", "sinf(v)", "cosf(v)", "tanf(v)"),
    *(
        "tanhf(v)",
        "powf(v, 1.5f)",
        "exp(v)",
        "sin(v)",
        "log(v)",
        "pow(v, 2.5f)",
        "sine + 2 * cosine",
    ),
    *(
        "sqrtf(v)",
        "rsqrtf(v)",
        "v / 3.7f",
        "1 / v",
        "cbrtf(v)",
        "exp2f(v)",
        "erff(v)",
        "__tanhf(v)",
    ),
)


@pytest.mark.skipif(
    not all(one.available() for one in compilers.COMPILERS.values()), reason="ONE COMPILER HERE"
)
def test_fast_mathematics_is_the_same_to_the_bit_with_each_compiler():
    x, found = np.linspace(0.1, 4, 32).astype(np.float32), []
    lines = "".join(f"  y[32 * {n} + t] = {one};\n" for n, one in enumerate(FAST))
    code = f"""extern "C" __global__ void k(const float* x, float* y) {{
  int t = threadIdx.x; float v = x[t], sine, cosine; sincosf(v, &sine, &cosine);\n{lines}}}"""
    for compiler in compilers.COMPILERS:
        found.append(np.zeros(32 * len(FAST), np.float32))
        with compilers.used(compiler):
            run(code, x, found[-1], options=("-use_fast_math",))
    assert np.array_equal(*found)


def test_fast_mathematics_flushes_subnormal_numbers():
    x, y = np.full(32, 1e-39, np.float32), np.ones(32, np.float32)
    code = 'extern "C" __global__ void k(const float* x, float* y) { '
    code += "y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }"
    run(code, x, y, options=("-use_fast_math",))
    assert not y.any()
    run(code, x, y)
    assert (y > 0).all()


def test_a_debug_build_stores_generically_and_calls_what_is_inlined_elsewhere():
    x, y = np.arange(128, dtype=np.float32), np.zeros(4, np.float32)
    code = """#include <cooperative_groups.h>
    namespace cg = cooperative_groups;
    __device__ float add(float a, float b) { return a + b; }
    extern "C" __global__ void k(const float* x, float* y) {
      __shared__ float tile[128];
      auto block = cg::this_thread_block();
      float local[4];
      for (int n = 0; n < 4; ++n) local[n] = x[threadIdx.x] * n;
      tile[threadIdx.x] = local[threadIdx.x % 4];
      block.sync();
      for (int s = 64; s; s /= 2) {
        if (threadIdx.x < s) tile[threadIdx.x] = add(tile[threadIdx.x], tile[threadIdx.x + s]);
        __syncthreads();
      }
      if (threadIdx.x == 0) y[0] = tile[0];
    }"""
    options = ("--device-debug",)
    assert len(re.findall(r"\bst\.[bf]32", compilers.compile_ptx(code, options).text)) > 1
    run(code, x, y, block=128, options=options)
    assert y[0] == (x * (np.arange(128) % 4)).sum()


def test_what_learners_take_for_granted():
    code = r"""
    #include <cmath>
    #include <cstdio>
    #include <cstdint>
    extern "C" __global__ void k(float* y, uint n) {
      int64_t big = 1;
      std::printf("%u\n", n);
      y[0] = __FLT_MAX__; y[1] = ceil(7); y[2] = std::max(2, 3) + std::abs(-4.5f);
      y[3] = std::sqrt(16.0f) + (big << 33 > 0); y[4] = M_PI; y[5] = std::isnan(NAN) + isinf(y[0]);
      y[6] = ceil(n / 2) + floorf(2.5f) + fmaxf(1, 2);
    }"""
    y = np.zeros(7, np.float32)
    assert run(code, y, np.uint32(9), block=1) == "9\n"
    largest = np.finfo(np.float32).max
    assert y.tolist() == [largest, 7, 7.5, 5, np.float32(np.pi), 1, 8]


def test_constants_of_the_library_that_nobody_uses_cost_nothing():
    code = """#include <cuda/std/limits>
    #include <cuda/std/utility>
    extern "C" __global__ void k(int* y) {
      y[threadIdx.x] = cuda::std::numeric_limits<int>::max();
    }"""
    y = ints()
    run(code, y, options=("-default-device",))
    assert set(y) == {2**31 - 1}


def test_the_memory_that_cuda_reserves_for_groups_of_several_warps():
    code = """#define _CG_ABI_EXPERIMENTAL
    #include <cooperative_groups.h>
    #include <cooperative_groups/reduce.h>
    namespace cg = cooperative_groups;
    extern "C" __global__ void k(const int* x, int* y) {
      __shared__ cg::block_tile_memory<128> scratch;
      auto tile = cg::tiled_partition<64>(cg::this_thread_block(scratch));
      y[threadIdx.x] = cg::reduce(tile, x[threadIdx.x], cg::plus<int>());
    }"""
    x, y = np.arange(128, dtype=np.int32), ints(128)
    run(code, x, y, block=128)
    assert np.array_equal(y, np.repeat(x.reshape(2, 64).sum(axis=1), 64))


@pytest.mark.skipif(not compilers.COMPILERS["nvrtc"].available(), reason="NO NVRTC HERE")
def test_a_trap_that_nvrtc_made_is_told_as_such():
    code = 'extern "C" __global__ void k(int* y) { int v = 0; y[0] = atomicAdd(&v, 1); }'
    told = r"a trap\. The compiler puts a trap, without a line, .* an atomic on"
    with compilers.used("nvrtc"), pytest.raises(cuda.CudaError, match=told):
        run(code, ints())


@pytest.mark.parametrize("options", [(), ("-D_CG_ABI_EXPERIMENTAL",)])
@pytest.mark.parametrize("header", ["cooperative_groups.h", "cooperative_groups/reduce.h"])
def test_to_wait_for_several_devices_is_a_trap(header, options):
    code = f"""#include <{header}>
    extern "C" __global__ void k(int* y) {{
      cooperative_groups::this_multi_grid().sync(); }}"""
    with pytest.raises(cuda.CudaError, match=r"line 3: .* with a trap\."):
        run(code, ints(), options=options)


def test_a_trap_of_the_source_is_told_with_its_line():
    y = ints()
    with pytest.raises(cuda.CudaError, match=r"line 1: .* with a trap\.$"):
        run('extern "C" __global__ void k(int* y) { if (y[0] == 0) __trap(); y[0] = 1; }', y)


def test_what_is_called_by_a_wild_pointer_is_not_told_by_its_address():
    with pytest.raises(cuda.OutOfBounds, match=r"by a pointer that points to none\.$"):
        run('extern "C" __global__ void k(int* y) { ((void (*)())(1234ll + y[0]))(); }', ints())


def test_a_directive_that_is_not_understood_is_quoted_without_what_follows_it():
    code = 'extern "C" __global__ void k(int* y) { asm volatile(".section .x\\n"); y[0] = 1; }'
    with pytest.raises(cuda.CudaError) as caught:
        run(code, ints())
    assert ".section .x" in str(caught.value)
    assert "inline asm" not in str(caught.value) and "%r" not in str(caught.value)
