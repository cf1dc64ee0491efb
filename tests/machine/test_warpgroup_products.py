"""Products of a warpgroup (`wgmma`): every layout in shared memory, a whole matrix product, and
what is missing named with its line."""

from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator
from grader.cuda.tensor_maps import encoding, swizzled

HALVES = ("f16", "bf16")
DEPTH = {"f16": 16, "bf16": 16, "tf32": 8}  # of a product; 32 for elements of a byte

ONE = r"""
// d += a * b, whose bytes lie in shared memory as `raw` has them; a, 16,384 bytes, comes first.
extern "C" __global__ void once(const unsigned* raw, const unsigned* c, unsigned* out,
                                unsigned long long a, unsigned long long b, int words, int adds) {
  extern __shared__ __align__(1024) unsigned tile[];
  for (int i = threadIdx.x; i < words; i += blockDim.x) tile[i] = raw[i];
  PROXY
  __syncthreads();
  const unsigned long long start = __cvta_generic_to_shared(tile) >> 4;
  unsigned d[COUNT], left[4];
  for (int i = 0; i < COUNT; i++) d[i] = c[threadIdx.x * COUNT + i];
  for (int i = 0; i < 4; i++) left[i] = raw[threadIdx.x * 4 + i];
  a += start; b += start;
  FENCE
  asm volatile("{ .reg .pred p; setp.ne.b32 p, ADDS, 0; "
    "wgmma.mma_async.sync.aligned.SHAPE {NAMES}, A, B, pSCALES; }" : OUTS : INS, "l"(b), "r"(adds));
  COMMIT
  WAIT
  for (int i = 0; i < COUNT; i++) out[threadIdx.x * COUNT + i] = d[i];
}
"""
PARTS = {
    "PROXY": 'asm volatile("fence.proxy.async.shared::cta;" ::: "memory");',
    "FENCE": 'asm volatile("wgmma.fence.sync.aligned;" ::: "memory");',
    "COMMIT": 'asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");',
    "WAIT": 'asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");',
}


def once(n, kinds, turned=(0, 0), in_registers=False, **missing):
    """The source of one product of n columns."""
    d, a, b = kinds
    count = n // 4 if d == "f16" else n // 2
    inputs = [f'"r"(left[{i}])' for i in range(4)] if in_registers else ['"l"(a)']
    held = ", ".join(f"%{count + i}" for i in range(4))
    first = f"{{{held}}}" if in_registers else f"%{count}"
    scales = "" if a in ("s8", "u8") else ", 1, 1"
    if a in HALVES:
        scales += f", {turned[1]}" if in_registers else f", {turned[0]}, {turned[1]}"
    words = {
        **PARTS,
        "COUNT": count,
        "SHAPE": f"m64n{n}k{DEPTH.get(a, 32)}.{d}.{a}.{b}",
        "NAMES": ", ".join(f"%{i}" for i in range(count)),
        "ADDS": f"%{count + len(inputs) + 1}",
        "SCALES": scales,
        "OUTS": ", ".join(f'"+r"(d[{i}])' for i in range(count)),
        "INS": ", ".join(inputs),
        " A, B": f" {first}, %{count + len(inputs)}",
        **missing,
    }
    source = ONE
    for word, text in words.items():
        source = source.replace(word, str(text))
    return source


def descriptor(start, turned, swizzle):
    """Of a matrix whose 16-byte units lie densely; the distance of its parts is that of eight
    rows, or, in the other direction, 128 bytes."""
    leading, stride = (128, 256) if not swizzle else (16 * swizzle, 8 * swizzle)
    if turned and not swizzle:
        leading, stride = 2048, 128
    code = {0: 0, 128: 1, 64: 2, 32: 3}[swizzle]
    return start >> 4 | (leading >> 4) << 16 | (stride >> 4) << 32 | code << 62


def numbers(kind, size, rng):
    """So many bytes of elements of a type, whose products differ much in size."""
    wide = np.exp2(rng.integers(-9, 9, size))
    values = (rng.standard_normal(size) * wide).astype(np.float32)
    if kind in ("f32", "tf32"):
        return values[: size // 4].view(np.uint8)
    if kind == "f16":
        return values[: size // 2].astype(np.float16).view(np.uint8)
    if kind == "bf16":
        return (values[: size // 2].view(np.uint32) >> 16).astype(np.uint16).view(np.uint8)
    bits = rng.integers(0, 256, size).astype(np.uint8)
    if kind == "e4m3":
        bits[bits & 0x7F == 0x7F] = 0x3C
    if kind == "e5m2":
        bits[bits & 0x7F >= 0x7C] = 0x3C
    return bits


def computed(n, kinds, swizzle=0, turned=(0, 0), in_registers=False, **how):
    """(raw, c, d) as uint32."""
    on, source, adds = how.get("on", simulator), how.get("source"), how.get("adds", 1)
    xp = np
    if on is not simulator:
        import cupy as xp
    rng = np.random.default_rng(n + swizzle)
    raw = np.concatenate([numbers(kinds[1], 16384, rng), numbers(kinds[2], 49152, rng)])
    count = n // 4 if kinds[0] == "f16" else n // 2
    c = numbers(kinds[0] if kinds[0] != "s32" else "u8", 512 * count, rng).view(np.uint32)
    raw, out = raw.view(np.uint32), xp.zeros(128 * count, np.uint32)
    code = source or once(n, kinds, turned, in_registers)
    kernel = on.RawModule(code=code).get_function("once")
    kernel.max_dynamic_shared_size_bytes = raw.nbytes
    pairs = zip((0, 16384), turned, strict=True)
    where = [np.uint64(descriptor(start, way, swizzle)) for start, way in pairs]
    sizes = np.int32(len(raw)), np.int32(adds)
    args = (xp.asarray(raw), xp.asarray(c), out, *where, *sizes)
    kernel((1,), (128,), args, shared_mem=raw.nbytes)
    return raw, c, out if xp is np else out.get()


def factor(raw, first, rows, swizzle, turned):
    """The matrix (rows, 16) of halves that lies as `descriptor` says."""
    row, k = np.arange(rows)[:, None], np.arange(16)[None, :]
    width = swizzle or 16
    if not turned:
        far = 16 if swizzle else 128
        place = row // 8 * (8 * width if swizzle else 256) + row % 8 * width + k // 8 * far
        place = place + k % 8 * 2
    else:
        unit, units = row // 8, width // 16
        place = unit % units * 16 + unit // units * (16 * swizzle if swizzle else 128)
        place = place + k % 8 * width + k // 8 * (8 * width if swizzle else 2048) + row % 8 * 2
    place = first + swizzled(place, swizzle)
    return raw.view(np.float16)[place // 2].astype(np.float64)


def result(d, n):
    """The matrix (64, n) of float32 that 128 threads hold."""
    lane = np.arange(128)[:, None]
    number = np.arange(n // 2)[None, :]
    rows = lane // 32 * 16 + lane % 32 // 4 + number // 2 % 2 * 8
    columns = number // 4 * 8 + lane % 4 * 2 + number % 2
    matrix = np.zeros((64, n))
    matrix[rows, columns] = d.view(np.float32).reshape(128, -1)
    return matrix


@pytest.mark.parametrize("turned", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("swizzle", [0, 32, 64, 128])
def test_a_product_is_that_of_the_matrices_that_the_descriptors_describe(swizzle, turned):
    raw, c, d = computed(64, ("f32", "f16", "f16"), swizzle, turned)
    a, b = (factor(raw, at, 64, swizzle, t) for at, t in zip((0, 16384), turned, strict=True))
    expected = a @ b.T + result(c, 64)
    scale = np.abs(a) @ np.abs(b.T) + np.abs(result(c, 64))
    assert (np.abs(result(d, 64) - expected) <= scale * 2.0**-20).all()


def test_what_the_registers_held_counts_only_if_it_is_to():
    raw, _, d = computed(64, ("f32", "f16", "f16"), 128, adds=0)
    a, b = (factor(raw, at, 64, 128, 0) for at in (0, 16384))
    assert np.allclose(result(d, 64), a @ b.T, rtol=1e-3, atol=1e-1)


TRIED = [
    *product(
        (8, 96),
        (
            *(("f32", kind, kind) for kind in ("f16", "bf16", "tf32")),
            *(("f16", "f16", "f16"), ("f32", "e4m3", "e5m2"), ("f16", "e5m2", "e5m2")),
            *(("s32", "s8", "u8"), ("s32", "u8", "s8")),
        ),
        (0, 32, 64, 128),
        ((0, 0), (1, 1)),
        (False, True),
    )
]


@pytest.mark.gpu
def test_the_hardware_computes_the_same_to_the_bit():
    if not cuda.gpu_count():
        pytest.skip("NO GPU HERE: products were computed by the simulated one only")
    from grader.cuda import gpu

    for n, kinds, swizzle, turned, in_registers in TRIED:
        if any(turned) and (kinds[1] not in HALVES or in_registers):
            continue
        how = (n, kinds, swizzle, turned, in_registers)
        ours, theirs = computed(*how)[2], computed(*how, on=gpu)[2]
        assert (ours == theirs).all(), how


MISSING = {
    "PROXY": (cuda.DataRace, "no proxy fence follows the ordinary store on line 6"),
    "FENCE": (cuda.DataRace, "issues a `wgmma` without a `wgmma.fence`"),
    "COMMIT": (cuda.UninitializedRead, "Put a `wgmma.commit_group.sync.aligned` after line"),
    "WAIT": (cuda.UninitializedRead, "uses a register of the `wgmma` on line 1"),
}


@pytest.mark.parametrize("part", MISSING)
def test_what_is_missing_around_a_product_is_named(part):
    error, says = MISSING[part]
    kinds = ("f32", "f16", "f16")
    with pytest.raises(error) as caught:
        computed(64, kinds, 128, source=once(64, kinds, **{part: ""}))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "before, after",
    [("if (threadIdx.x >= 96) return;", ""), ("if (threadIdx.x < 96) {", "} __syncthreads();")],
)
def test_a_product_of_three_of_the_four_warps_is_named(before, after):
    kinds = ("f32", "f16", "f16")
    parts = {"FENCE": f"{before} {PARTS['FENCE']}", "WAIT": f"{PARTS['WAIT']} {after}"}
    source = once(64, kinds, **parts)
    with pytest.raises(cuda.ShuffleDivergence, match="1, 1, 1, 0 times"):
        computed(64, kinds, 128, source=source)


def test_factors_that_are_overwritten_before_the_wait_are_a_race():
    kinds = ("f32", "f16", "f16")
    late = f"{PARTS['COMMIT']} __syncthreads(); tile[threadIdx.x] = 0;"
    with pytest.raises(cuda.DataRace):
        computed(64, kinds, 128, source=once(64, kinds, COMMIT=late))


# Two warpgroups: the first copies, the second multiplies. c (64 x 64) = a (64 x k) * b (64 x k)^T.
MATRIX_PRODUCT = r"""
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_bf16.h>
using namespace cuda::ptx;
constexpr int STAGES = 2;
struct alignas(1024) Stage { __nv_bfloat16 a[64][64], b[64][64]; };
__device__ uint64_t described(const void* at) {
  uint64_t start = __cvta_generic_to_shared(at);
  return start >> 4 | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b) {
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %34, 0; "
    "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {NAMES}, %32, %33, p, 1, 1, 0, 0; }"
    : OUTS : "l"(a), "l"(b), "r"(1));
}
extern "C" __global__ void times(const __grid_constant__ CUtensorMap a,
                                 const __grid_constant__ CUtensorMap b, float* c, int k) {
  extern __shared__ Stage stage[];
  __shared__ uint64_t full[STAGES], empty[STAGES];
  const int t = threadIdx.x % 128;
  if (threadIdx.x == 0) {
    for (int s = 0; s < STAGES; s++) mbarrier_init(&full[s], 1), mbarrier_init(&empty[s], 128);
    fence_proxy_async(space_shared);
  }
  __syncthreads();
  if (threadIdx.x < 128) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    for (int step = 0; step < k / 64 && t == 0; step++) {
      const int s = step % STAGES, at[2] = {64 * step, 64 * (int)blockIdx.x};
      const int bt[2] = {64 * step, 64 * (int)blockIdx.y};
      while (!mbarrier_try_wait_parity(&empty[s], (step / STAGES + 1) % 2)) continue;
      mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full[s], 16384);
      cp_async_bulk_tensor(space_cluster, space_global, stage[s].a, &a, at, &full[s]);
      cp_async_bulk_tensor(space_cluster, space_global, stage[s].b, &b, bt, &full[s]);
    }
    return;
  }
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  float d[32] = {};
  for (int step = 0; step < k / 64; step++) {
    const int s = step % STAGES;
    while (!mbarrier_try_wait_parity(&full[s], step / STAGES % 2)) continue;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    for (int i = 0; i < 64; i += 16)
      multiply(d, described(&stage[s].a[0][i]), described(&stage[s].b[0][i]));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    AFTER
  }
  LAST
  #pragma unroll
  for (int i = 0; i < 32; i++) {
    int row = 64 * blockIdx.x + t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
    c[row * 64 * gridDim.y + 64 * blockIdx.y + i / 4 * 8 + t % 4 * 2 + i % 2] = d[i];
  }
}
""".replace("NAMES", ", ".join(f"%{i}" for i in range(32))).replace(
    "OUTS", ", ".join(f'"+f"(d[{i}])' for i in range(32))
)
WAIT, LEAVE = PARTS["WAIT"], "mbarrier_arrive(&empty[s]);"
AT_ONCE = {"AFTER": f"{WAIT} {LEAVE}", "LAST": ""}
ONE_BEHIND = {
    "AFTER": f"{WAIT.replace('0;', '1;')} if (step) mbarrier_arrive(&empty[(step - 1) % STAGES]);",
    "LAST": WAIT,
}
# One thread of the warpgroup says that all of it is done with a stage, as CUTLASS does it.
ONE_SPEAKS = {
    "AFTER": f"{WAIT} if (t == 64) {LEAVE}",
    "LAST": "",
    "&empty[s], 128)": "&empty[s], 1)",
}


def times(parts, on=simulator, k=320):
    xp = np
    if on is not simulator:
        import cupy as xp
    rng = np.random.default_rng(0)
    drawn = [rng.integers(-8, 9, (128, k)).astype(np.float32) for _ in range(2)]
    halves = [xp.asarray((x.view(np.uint32) >> 16).astype(np.uint16)) for x in drawn]
    kind = 9  # CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
    maps = [
        on.cuTensorMapEncodeTiled(*encoding(x, (64, 64), swizzle=128)._replace(tensorDataType=kind))
        for x in halves
    ]
    source = MATRIX_PRODUCT
    for name, text in parts.items():
        source = source.replace(name, text)
    c = xp.zeros((128, 128), np.float32)
    kernel = on.RawModule(code=source).get_function("times")
    kernel.max_dynamic_shared_size_bytes = 32768
    kernel((2, 2), (256,), (*maps, c, np.int32(k)), shared_mem=32768)
    return c if xp is np else c.get(), drawn[0] @ drawn[1].T


@pytest.mark.parametrize("parts", [AT_ONCE, ONE_BEHIND], ids=["each waited for", "one behind"])
def test_a_ring_of_boxes_and_products_multiplies_matrices(parts):
    found, expected = times(parts)
    assert (found == expected).all()


@pytest.mark.parametrize("order", ["lockstep", "forwards", "backwards", "shuffled"])
def test_a_wait_is_for_the_parts_of_all_four_warps(order):
    with simulator.options(order=order):
        found, expected = times(ONE_SPEAKS)
    assert (found == expected).all()


def test_a_wait_is_not_for_the_products_of_another_warpgroup():
    source = once(64, ("f32", "f16", "f16"), WAIT=f"{PARTS['WAIT']} if (!threadIdx.x) tile[0] = 0;")
    raw, c, out = np.zeros(8192, np.uint32), np.zeros(8192, np.uint32), np.zeros(8192, np.uint32)
    kernel = simulator.RawModule(code=source).get_function("once")
    bits = [np.uint64(descriptor(start, 0, 128)) for start in (0, 16384)]
    for threads, races in ((128, False), (256, True)):
        args = (raw, c, out, *bits, np.int32(8192), np.int32(1))
        with pytest.raises(cuda.DataRace) if races else nullcontext():
            kernel((1,), (threads,), args, shared_mem=32768)


@pytest.mark.gpu
def test_the_hardware_multiplies_them_too():
    if not cuda.gpu_count():
        pytest.skip("NO GPU HERE: matrices were multiplied by the simulated one only")
    from grader.cuda import gpu

    for parts in (AT_ONCE, ONE_BEHIND, ONE_SPEAKS):
        found, expected = times(parts, gpu)
        assert (found == expected).all()


def test_a_stage_that_is_given_back_before_the_wait_is_a_race_with_the_next_copy():
    with pytest.raises(cuda.DataRace):
        times({"AFTER": f"{LEAVE} {WAIT}", "LAST": ""})


def test_a_product_that_nobody_waits_for_is_named_where_its_sum_is_used():
    with pytest.raises(cuda.UninitializedRead, match="may still be running"):
        times({**ONE_BEHIND, "LAST": ""})
