"""Bulk copies (`cp.async.bulk`) and the barriers that they tell."""

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator

COPIES = r"""
#include <cuda/barrier>
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
__device__ void bring(void* to, const void* from, unsigned bytes, unsigned long long* bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
               "[%0], [%1], %2, [%3];"
               :: "r"(at(to)), "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(at(bar))
               : "memory");
}
__device__ void wait(unsigned long long* bar, unsigned parity) {
  unsigned done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; "
                 "selp.u32 %0, 1, 0, p; }" : "=r"(done) : "r"(at(bar)), "r"(parity) : "memory");
}
// y = 2 * x, through a tile that one thread fetches and one thread takes back.
extern "C" __global__ void twice(const float* x, float* y, int expected, int bytes) {
  __shared__ __align__(128) float tile[256], out[256];
  __shared__ unsigned long long bar;
  int i = threadIdx.x;
  if (i == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(at(&bar)));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (i == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :: "r"(at(&bar)), "r"(expected) : "memory");
    bring(tile, x + blockIdx.x * 256, bytes, &bar);
  }
  WAIT
  out[i] = 2 * tile[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (i == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 :: "l"(__cvta_generic_to_global(y + blockIdx.x * 256)), "r"(at(out)), "r"(1024)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
"""


def twice(wait="wait(&bar, 0);", expected=1024, size=1024, source=COPIES, module_of=None):
    x, y = np.arange(1024, dtype=np.float32), np.zeros(1024, np.float32)
    module = (module_of or simulator.RawModule)(code=source.replace("WAIT", wait))
    with simulator.observe() as seen:
        module.get_function("twice")((4,), (256,), (x, y, np.int32(expected), np.int32(size)))
    return x, y, seen


def test_a_tile_comes_by_a_bulk_copy_and_goes_by_one():
    x, y, seen = twice()
    assert (y == 2 * x).all()
    assert seen.hazards == []


def test_the_hardware_does_the_same():
    if not cuda.gpu_count():
        pytest.skip("NO GPU HERE: this kernel ran on the simulated one only")
    import cupy

    from grader.cuda import gpu

    x, y = cupy.arange(1024, dtype=cupy.float32), cupy.zeros(1024, cupy.float32)
    module = gpu.RawModule(code=COPIES.replace("WAIT", "wait(&bar, 0);"))
    module.get_function("twice")((4,), (256,), (x, y, np.int32(1024), np.int32(1024)))
    assert (y == 2 * x).all()


def test_what_a_copy_brings_is_not_there_before_its_barrier_says_so():
    with pytest.raises(cuda.UninitializedRead, match=r"`tile\[0\]`"):
        twice(wait="")


def test_who_does_not_ask_the_barrier_himself_races_with_the_copy():
    with pytest.raises((cuda.DataRace, cuda.UninitializedRead)):
        twice(wait="if (i < 32) wait(&bar, 0);")


def test_a_barrier_that_expects_other_bytes_than_come_is_waited_for_in_vain():
    with simulator.options(step_limit=1_500), pytest.raises(cuda.StepLimit):
        twice(expected=2048)


def test_a_barrier_told_of_too_few_bytes_opens_too_early_for_the_rest():
    with pytest.raises(cuda.UninitializedRead):
        twice(expected=512, size=512)


def test_a_copy_that_brings_bytes_which_the_phase_does_not_expect_may_come_late():
    copy = "bring(tile, x + blockIdx.x * 256, bytes, &bar);"
    twice_sent = COPIES.replace(copy, f"{copy} {copy}")
    with pytest.raises(cuda.UninitializedRead, match="may not have brought yet"):
        twice(source=twice_sent)
    _, _, seen = twice(source=twice_sent, expected=2048)
    assert seen.hazards == []


def test_a_bulk_copy_past_the_end_of_an_array_is_named():
    source = COPIES.replace("x + blockIdx.x * 256", "x + 4 + blockIdx.x * 256")
    with pytest.raises(cuda.OutOfBounds, match="x"):
        twice(source=source)


def test_a_bulk_copy_from_an_odd_place_or_of_an_odd_size_is_named():
    with pytest.raises(cuda.Misaligned):
        twice(source=COPIES.replace("x + blockIdx.x * 256", "x + 1"))
    with pytest.raises(cuda.Misaligned, match="multiple of 16"):
        twice(expected=1000, size=1000)


REDUCTIONS = r"""
#include <cuda_fp16.h>
// sums[i] = OP(sums[i], x[i], x[n + i], ...), a tile of 64 elements per block.
extern "C" __global__ void reduce(const TYPE* x, TYPE* sums) {
  __shared__ __align__(128) TYPE tile[64];
  int i = threadIdx.x;
  tile[i] = x[64 * blockIdx.x + i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (i == 0) {
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.OP [%0], [%1], %2;"
                 :: "l"(__cvta_generic_to_global(sums)),
                    "r"((unsigned)__cvta_generic_to_shared(tile)), "r"((unsigned)sizeof tile)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
"""
# The operation with its PTX type, C++ type, dtype, and what it does to elements of several blocks.
FORMS = [
    ("add.u32", "unsigned", np.uint32, np.add),
    ("add.s32", "int", np.int32, np.add),
    ("add.u64", "unsigned long long", np.uint64, np.add),
    ("add.f32", "float", np.float32, np.add),
    ("add.f64", "double", np.float64, np.add),
    ("add.noftz.f16", "__half", np.float16, np.add),
    ("min.s32", "int", np.int32, np.minimum),
    ("max.u32", "unsigned", np.uint32, np.maximum),
    ("min.u64", "unsigned long long", np.uint64, np.minimum),
    ("max.s64", "long long", np.int64, np.maximum),
    ("min.f16", "__half", np.float16, np.minimum),
    ("and.b32", "unsigned", np.uint32, np.bitwise_and),
    ("or.b32", "unsigned", np.uint32, np.bitwise_or),
    ("xor.b64", "unsigned long long", np.uint64, np.bitwise_xor),
    ("inc.u32", "unsigned", np.uint32, lambda old, most: np.where(old >= most, 0, old + 1)),
    (
        "dec.u32",
        "unsigned",
        np.uint32,
        lambda old, most: np.where((old == 0) | (old > most), most, old - 1),
    ),
]
each_form = pytest.mark.parametrize("form", FORMS, ids=lambda form: form[0])


def reduced(form, raw_module, to_device=np.copy):
    """What a bulk reduction of 5 tiles leaves, and what NumPy makes of them: (64,) both."""
    operation, of, dtype, combine = form
    source = REDUCTIONS.replace("OP", operation).replace("TYPE", of)
    x = np.random.default_rng(1).integers(0, 90, (5, 64)).astype(dtype)
    sums = to_device(np.full(64, 40, dtype))
    raw_module(code=source).get_function("reduce")((5,), (64,), (to_device(x), sums))
    expected = np.full(64, 40, dtype)
    for tile in x:
        expected = combine(expected, tile).astype(dtype)
    return (sums.get() if hasattr(sums, "get") else sums), expected


@each_form
def test_a_bulk_reduction_updates_each_element_as_an_atomic_does(form):
    found, expected = reduced(form, simulator.RawModule)
    if form[0] not in ("inc.u32", "dec.u32"):  # whose result depends on the order of the blocks
        assert np.array_equal(found, expected)
    else:
        assert found.max() <= 90


@pytest.mark.gpu
@each_form
def test_the_hardware_reduces_to_the_same(form):
    import cupy

    from grader.cuda import gpu

    found, expected = reduced(form, gpu.RawModule, cupy.asarray)
    if form[0] not in ("inc.u32", "dec.u32"):
        assert np.array_equal(found, expected)


def test_there_is_no_bulk_reduction_of_elements_that_the_hardware_does_not_know():
    with pytest.raises(cuda.UnsupportedInstruction):
        reduced(("xor.f32", "float", np.float32, np.add), simulator.RawModule)
