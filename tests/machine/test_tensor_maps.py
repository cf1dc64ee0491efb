"""Tensor maps and the copies of boxes that they describe: as an H100 does it, and broken."""

from contextlib import nullcontext
from itertools import product

import numpy as np
import pytest

from grader import cuda
from grader.cuda import simulator
from grader.cuda.tensor_maps import encoding

BOXES = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;
// Takes the box of `from` at (x, y) to `raw` as it lies in shared memory, and to the same place of
// `to`: stored, or added.
extern "C" __global__ void through(const __grid_constant__ CUtensorMap from,
                                   const __grid_constant__ CUtensorMap to, int x, int y, int bytes,
                                   int room, unsigned* raw, int adds) {
  extern __shared__ __align__(1024) unsigned tile[];
  __shared__ uint64_t bar;
  int t = threadIdx.x, at[2] = {x, y};
  for (int i = t; i < room / 4; i += blockDim.x) tile[i] = 0;
  if (t == 0) mbarrier_init(&bar, 1);
  fence_proxy_async(space_shared);
  __syncthreads();
  if (t == 0) {
    mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &bar, bytes);
    cp_async_bulk_tensor(space_cluster, space_global, tile, &from, at, &bar);
  }
  while (!mbarrier_try_wait_parity(&bar, 0)) continue;
  for (int i = t; i < room / 4; i += blockDim.x) raw[i] = tile[i];
  __syncthreads();
  if (t == 0) {
    if (adds) cp_reduce_async_bulk_tensor(space_global, space_shared, op_add, &to, at, tile);
    else cp_async_bulk_tensor(space_global, space_shared, &to, at, tile);
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group(n32_t<0>());
  }
}
"""


def through(x, y, dtype=np.float16, box=(16, 32), swizzle=0, adds=0, on=simulator, **how):
    """What lies in shared memory, and in the array that the box went to, which held 1 before."""
    xp, shape = np, (40, 144)
    if on is not simulator:
        import cupy as xp
    source = (xp.arange(np.prod(shape)) % 251).astype(dtype).reshape(shape)
    target = xp.ones(shape, dtype)
    maps = [
        on.cuTensorMapEncodeTiled(*encoding(array, box, swizzle=swizzle, **how))
        for array in (source, target)
    ]
    rows = -(-box[0] // (how.get("steps") or (1,))[0])
    row = box[1] * np.dtype(dtype).itemsize
    room = rows * max(row, swizzle)
    raw = xp.zeros(room // 4, np.uint32)
    kernel = on.RawModule(code=BOXES).get_function("through")
    kernel.max_dynamic_shared_size_bytes = room
    numbers = (np.int32(x), np.int32(y), np.int32(rows * row), np.int32(room))
    kernel((1,), (64,), (*maps, *numbers, raw, np.int32(adds)), shared_mem=room)
    return [x if xp is np else x.get() for x in (raw, target)]


def test_a_box_is_dense_in_shared_memory_with_zeros_for_places_outside_of_the_tensor():
    raw, target = through(136, 30)
    tile = raw.view(np.float16).reshape(16, 32)
    inside = (np.arange(40 * 144) % 251).reshape(40, 144)[30:, 136:]
    assert (tile[:10, :8] == inside).all()
    assert not tile[10:].any()
    assert not tile[:, 8:].any()
    assert (target[30:, 136:] == inside).all()
    assert (target[:30] == 1).all()
    assert (target[:, :136] == 1).all()


@pytest.mark.parametrize("swizzle", [32, 64, 128])
def test_a_swizzle_exchanges_sixteen_bytes_within_the_rows_of_a_box(swizzle):
    width = swizzle // 2
    plain, _ = through(0, 0, box=(16, width))
    raw, target = through(0, 0, box=(16, width), swizzle=swizzle)
    units = plain.reshape(-1, 4)
    where = np.arange(len(units))
    pattern = where ^ (where >> 3 & swizzle // 16 - 1)
    assert (raw.reshape(-1, 4)[pattern] == units).all()
    assert (target[:16, :width] == (np.arange(40 * 144) % 251).reshape(40, 144)[:16, :width]).all()


def test_a_box_can_be_added_to_what_lies_there():
    _, target = through(16, 2, dtype=np.float32, adds=1)
    inside = (np.arange(40 * 144) % 251).reshape(40, 144)[2:18, 16:48]
    assert (target[2:18, 16:48] == inside + 1).all()
    assert target.sum() == target.size + inside.sum()


def test_every_second_row_makes_a_box_of_half_the_rows():
    raw, _ = through(0, 0, dtype=np.float32, box=(16, 8), steps=(2, 1))
    rows = (np.arange(40 * 144) % 251).reshape(40, 144)[0:16:2, :8]
    assert (raw.view(np.float32).reshape(8, 8) == rows).all()


SIDE_BY_SIDE = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;
// Each warp stores a box of 8 x 8 elements, STEP columns after that of the one before.
extern "C" __global__ void side_by_side(const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) unsigned short tile[8][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = 7;
  fence_proxy_async(space_shared);
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    const int at[2] = {STEP * (int)(threadIdx.x / 32), 0};
    cp_async_bulk_tensor(space_global, space_shared, &to, at, tile);
    cp_async_bulk_commit_group();
    cp_async_bulk_wait_group_read(n32_t<0>());
  }
}
"""


@pytest.mark.parametrize("step", [8, 0])
def test_boxes_of_narrow_elements_race_only_where_they_overlap(step):
    target = np.ones((8, 16), np.uint16)
    module = simulator.RawModule(code=SIDE_BY_SIDE, options=(f"-DSTEP={step}",))
    with nullcontext() if step else pytest.raises(cuda.DataRace), simulator.observe() as run:
        module.get_function("side_by_side")((1,), (64,), (cuda.tensor_map(target, (8, 8)),))
    assert bool(run.hazards) == (step == 0)
    assert step == 0 or (target == 7).all()


PADDED = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;
// A box of 8 rows of 24 ints, of which the tensor has WIDE: nobody writes the other columns.
extern "C" __global__ void padded(const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(128) int tile[8][24];
  int t = threadIdx.x, at[2] = {0, 0};
  for (int row = 0; row < 8; row++) if (t < 16) tile[row][t] = row * 16 + t;
  fence_proxy_async(space_shared);
  __syncthreads();
  if (t) return;
  cp_async_bulk_tensor(space_global, space_shared, &to, at, tile);
  cp_async_bulk_commit_group();
  cp_async_bulk_wait_group(n32_t<0>());
}
"""


@pytest.mark.parametrize("wide", [16, 20])
def test_what_a_stored_box_has_outside_of_the_tensor_need_not_have_a_value(wide):
    target = np.zeros((8, wide), np.int32)
    kernel = simulator.RawModule(code=PADDED).get_function("padded")
    with pytest.raises(cuda.UninitializedRead) if wide > 16 else nullcontext():
        kernel((1,), (32,), (cuda.tensor_map(target, (8, 24)),))
    assert wide > 16 or (target.ravel() == np.arange(128)).all()


BOXES_TRIED = [
    {"dtype": dtype, "box": (16, width), "swizzle": swizzle, "x": x, "y": y, "adds": adds}
    for (dtype, width), swizzle, (x, y), adds in product(
        ((np.float16, 16), (np.float32, 8), (np.uint8, 32), (np.float64, 4), (np.float16, 64)),
        (0, 32, 128),
        ((0, 30), (0, -3), (-16, 0), (8, 4), (5, 0), (-2, 3), (200, 0), (0, 50), (136, 38)),
        (0, 1),
    )
    if width * np.dtype(dtype).itemsize <= (swizzle or 256)
    and not (adds and dtype in (np.uint8, np.float64))
]


@pytest.mark.gpu
def test_boxes_on_the_hardware_are_the_same():
    """One process for each box that the simulated GPU refuses: such an error ends a process."""
    if not cuda.gpu_count():
        pytest.skip("NO GPU HERE: boxes were copied on the simulated one only")
    from grader.cuda import gpu

    for how in BOXES_TRIED:
        try:
            ours = through(**how)
        except cuda.CudaError:
            continue
        for found, expected in zip(through(**how, on=gpu), ours, strict=True):
            assert found.tobytes() == expected.tobytes(), how


def test_boxes_that_the_hardware_refuses_are_named():
    with pytest.raises(cuda.Misaligned, match="column 5, which is byte 10 of a row"):
        through(5, 0)
    with pytest.raises(cuda.OutOfBounds, match="stores a box that begins at a negative coordinate"):
        through(0, -3)
    with pytest.raises(cuda.Misaligned, match="no multiple of 128"):
        code = BOXES.replace("tile, &from", "tile + 4, &from")
        broken(code)


def broken(code, **how):
    x, y = np.zeros((2, 40, 144), np.float16)
    maps = [simulator.cuTensorMapEncodeTiled(*encoding(array, (16, 32), **how)) for array in (x, y)]
    kernel = simulator.RawModule(code=code).get_function("through")
    numbers = (np.int32(0), np.int32(0), np.int32(1024), np.int32(1024))
    kernel((1,), (64,), (*maps, *numbers, np.zeros(256, np.uint32), np.int32(0)), shared_mem=4096)


def test_a_tensor_larger_than_its_array_is_out_of_bounds():
    x = np.zeros((40, 144), np.float16)
    given = encoding(x, (16, 32))._replace(globalDim=(144, 100))
    map = simulator.cuTensorMapEncodeTiled(*given)
    kernel = simulator.RawModule(code=BOXES).get_function("through")
    numbers = (np.int32(0), np.int32(60), np.int32(1024), np.int32(1024))
    with pytest.raises(cuda.OutOfBounds):
        args = (map, map, *numbers, np.zeros(256, np.uint32), np.int32(0))
        kernel((1,), (64,), args, shared_mem=1024)


def test_what_is_no_map_is_named():
    nothing = np.zeros(1, "V128")[0]
    kernel = simulator.RawModule(code=BOXES).get_function("through")
    numbers = (np.int32(0), np.int32(0), np.int32(1024), np.int32(1024))
    with pytest.raises(cuda.LaunchError, match="no map at the address"):
        args = (nothing, nothing, *numbers, np.zeros(256, np.uint32), np.int32(0))
        kernel((1,), (64,), args, shared_mem=1024)


def test_bytes_expected_but_not_sent_are_waited_for_in_vain():
    with simulator.options(step_limit=3_000), pytest.raises(cuda.StepLimit):
        broken(BOXES.replace("&bar, bytes)", "&bar, bytes + 16)"))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"boxDim": (4, 16)}, "a row of the box has 8 bytes, no multiple of 16"),
        ({"boxDim": (257, 16)}, "boxDim has a length below 1 or above 256"),
        (
            {"boxDim": (64, 16), "swizzle": 2},
            "a row of the box has 128 bytes, more than the swizzle's 64",
        ),
        ({"globalStrides": (120,)}, "globalStrides has a stride that is no multiple of 16"),
        ({"elementStrides": (1, 9)}, "elementStrides has a number below 1 or above 8"),
        ({"globalDim": (0, 16)}, "globalDim has a length below 1"),
        ({"globalDim": (16,)}, "globalDim has 1 number, and not 2"),
        ({"tensorRank": 6}, "the rank must be 1 to 5"),
        ({"interleave": 1}, "interleave is not 0"),
    ],
)
def test_a_map_that_the_driver_refuses_is_refused_with_the_reason(change, why):
    given = encoding(np.zeros((40, 144), np.float16), (16, 32))._replace(**change)
    with pytest.raises(cuda.LaunchError, match="CUDA_ERROR_INVALID_VALUE") as error:
        simulator.cuTensorMapEncodeTiled(*given)
    assert why in str(error.value)


MULTICAST = r"""
#include <cuda.h>
#include <cuda/ptx>
using namespace cuda::ptx;
// Block 0 of each cluster of two brings one box to both; each block adds its number.
extern "C" __global__ void __cluster_dims__(2) both(const __grid_constant__ CUtensorMap from,
                                                    float* out) {
  __shared__ __align__(128) float tile[64];
  __shared__ uint64_t bar;
  int t = threadIdx.x, at[2] = {0, 0};
  if (t == 0) {
    mbarrier_init(&bar, 1);
    fence_mbarrier_init(sem_release, scope_cluster);
    mbarrier_arrive_expect_tx(sem_release, scope_cluster, space_shared, &bar, 256);
  }
  barrier_cluster_arrive();
  barrier_cluster_wait();
  if (t == 0 && blockIdx.x % 2 == 0)
    cp_async_bulk_tensor(space_cluster, space_global, tile, &from, at, &bar, MASK);
  while (!mbarrier_try_wait_parity(&bar, 0)) continue;
  out[blockIdx.x * 64 + t] = tile[t] + blockIdx.x;
}
"""


def multicast(mask, on=simulator):
    xp = np
    if on is not simulator:
        import cupy as xp
    x, out = xp.arange(64, dtype=np.float32).reshape(4, 16), xp.zeros(256, np.float32)
    map = on.cuTensorMapEncodeTiled(*encoding(x, (4, 16)))
    on.RawModule(code=MULTICAST.replace("MASK", mask)).get_function("both")((4,), (64,), (map, out))
    return out if xp is np else out.get()


def test_one_copy_can_bring_a_box_to_several_blocks_of_a_cluster():
    expected = np.arange(64) + np.arange(4)[:, None]
    assert (multicast("uint16_t(3)").reshape(4, 64) == expected).all()


def test_a_block_that_the_mask_leaves_out_waits_for_ever():
    with simulator.options(step_limit=3_000), pytest.raises(cuda.StepLimit):
        multicast("uint16_t(1)")


@pytest.mark.gpu
def test_the_hardware_brings_it_to_several_blocks_too():
    if not cuda.gpu_count():
        pytest.skip("NO GPU HERE: boxes were copied on the simulated one only")
    from grader.cuda import gpu

    assert (multicast("uint16_t(3)", gpu) == multicast("uint16_t(3)")).all()
