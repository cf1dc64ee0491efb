"""`python -m tools.waiting`: what the page *Waiting* says, measured on this machine's GPU.

First the calculator's blocks per multiprocessor beside CUDA's own count; then how fast a sum reads
with so many warps on a multiprocessor, each with so many loads under way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

import cupy
import numpy as np
from cupy.cuda import driver

from grader.bench import measuring
from grader.bench.timings import Device
from grader.cuda import gpu
from grader.cuda.limits import RESERVED, SHARED_UNIT, WARP, architecture, occupancy

KEPT = (*range(1, 21, 2), *range(21, 101, 5), 160)  # floats per thread: 10 to 255 registers
THREADS = (1, 31, 33, 100, 250, 500, 1000, *range(32, 1025, 32))
SHARED = (0, 1, 127, 128, 1000, 4096, 7000, 10_000, 16_384, 20_000, 24_577, 32_768, 49_152)
SHARED_MUCH = tuple(
    1024 * kilobytes + more for kilobytes in (64, 75, 99, 113, 226) for more in (0, 1)
)

HELD = """
extern "C" __global__ void held(const float* x, float* y, int n) {
    float kept[KEPT];
    for (int k = 0; k < KEPT; k++) kept[k] = x[threadIdx.x + k * n];
    __syncthreads();
    for (int k = KEPT - 1; k >= 0; k--) y[threadIdx.x + k * n] = kept[k];
}
"""

BLOCK = 128  # threads
BLOCKS = (1, 2, 3, 4, 6, 8, 10, 12, 16)  # of a multiprocessor
LOADS = (
    ("float", 1),
    ("float", 4),
    ("float4", 1),
    ("float4", 2),
    ("float4", 4),
    ("float4", 8),
)  # of a lane
BYTES = {"float": 4, "float4": 16}
READ = 1 << 30  # bytes, about

SUM = """
__device__ float sum_of(float x) { return x; }
__device__ float sum_of(float4 x) { return x.x + x.y + x.z + x.w; }

// Each thread's sum of x[n]; n is a multiple of LOADS times the grid's threads. LOADS loads are
// under way before the first result is used: of the bounds the assembler learns that it need not
// save registers by loading later.
template <typename Vector, int LOADS>
__global__ void __launch_bounds__(128, 1) sums(const Vector* x, float* total, int n) {
    const int thread = blockIdx.x * blockDim.x + threadIdx.x;
    const int threads = gridDim.x * blockDim.x;
    float sum = 0.0f;
#pragma unroll 1
    for (int i = thread; i < n; i += LOADS * threads) {
        Vector part[LOADS];
#pragma unroll
        for (int k = 0; k < LOADS; k++) part[k] = x[i + k * threads];
#pragma unroll
        for (int k = 0; k < LOADS; k++) sum += sum_of(part[k]);
    }
    total[thread] = sum;
}
"""


@dataclass(frozen=True)
class Compared:
    """`ours` and `cudas`: blocks that a multiprocessor holds, of so many threads, registers a
    thread and bytes of shared memory per block."""

    threads: int
    registers: int
    shared: int
    ours: int
    cudas: int


def compared() -> Iterator[Compared]:
    """The calculator beside cudaOccupancyMaxActiveBlocksPerMultiprocessor, whose name in the
    driver's interface lacks the cuda."""
    arch = gpu.real_architecture().rstrip("a")
    most = architecture(arch).shared
    for kept in KEPT:
        kernel = gpu.RawModule(code=f"#define KEPT {kept}\n{HELD}").get_function("held")
        kernel.max_dynamic_shared_size_bytes = most
        for threads in THREADS:
            for shared in (*(one for one in (*SHARED, *SHARED_MUCH) if one < most), most):
                ours = occupancy(threads, kernel.num_regs, shared, arch).blocks
                cudas = _held(kernel, threads, shared)
                yield Compared(threads, kernel.num_regs, shared, ours, cudas)


def _held(kernel: gpu.RawKernel, threads: int, shared: int) -> int:
    """CUDA's own count; 0 for a block that it refuses."""
    try:
        count: int = driver.occupancyMaxActiveBlocksPerMultiprocessor(
            kernel.kernel.ptr, threads, shared
        )
    except driver.CUDADriverError:
        return 0
    return count


@dataclass(frozen=True)
class Reading:
    """A sum that reads `gb_per_s`, in 1e9 bytes per second, with `warps` per multiprocessor, each
    lane with `loads` loads of `size` bytes under way; `fraction` is of a copy's speed."""

    warps: int
    loads: int
    size: int
    gb_per_s: float
    fraction: float

    @property
    def under_way(self) -> int:
        """Bytes, of a multiprocessor."""
        return self.warps * WARP * self.loads * self.size


def readings(device: Device) -> Iterator[Reading]:
    """For all of BLOCKS and LOADS that fit. Shared memory that nobody uses keeps more blocks
    out. `device` is measuring.device()."""
    names = {load: f"sums<{load[0]}, {load[1]}>" for load in LOADS}
    module = gpu.RawModule(code=SUM, name_expressions=names.values())
    x = cupy.ones(READ // 4, cupy.float32)
    for load, name in names.items():
        kernel = module.get_function(name)
        for blocks in BLOCKS:
            shared = _shared_for(blocks)
            kernel.max_dynamic_shared_size_bytes = shared
            if _held(kernel, BLOCK, shared) == blocks:
                yield _reading(kernel, load, blocks, shared, x, device)


def _reading(
    kernel: gpu.RawKernel,
    load: tuple[str, int],
    blocks: int,
    shared: int,
    x: cupy.ndarray,
    device: Device,
) -> Reading:
    vector, loads = load
    grid = blocks * cupy.cuda.Device().attributes["MultiProcessorCount"]
    turn = loads * grid * BLOCK  # elements
    n = x.nbytes // BYTES[vector] // turn * turn
    read = n * BYTES[vector]
    args = (x, cupy.empty(grid * BLOCK, cupy.float32), np.int32(n))
    run = partial(kernel, (grid,), (BLOCK,), args, shared_mem=shared)
    (took,) = measuring.times([lambda _: run()], 1, read)
    speed = read / median(took) / 1e6
    warps = blocks * BLOCK // WARP
    return Reading(warps, loads, BYTES[vector], speed, speed / device.copy_gb_per_s)


def _shared_for(blocks: int) -> int:
    """Bytes of shared memory of a block with which just so many fit, if nothing else is short."""
    most = architecture(gpu.real_architecture()).shared
    share = (most + RESERVED) // blocks // SHARED_UNIT * SHARED_UNIT - RESERVED
    return min(share, most)


def main() -> None:
    device = measuring.device()
    print(f"{device.name}, {device.date}, a copy reaches {device.copy_gb_per_s:,.0f} GB/s")
    _show_compared([*compared()])
    for one in readings(device):
        print(
            f"{one.warps:2} warps, {one.loads} x {one.size:2} bytes per lane, "
            f"{one.under_way:7,} bytes under way: {one.gb_per_s:5,.0f} GB/s, {one.fraction:.3f}",
            flush=True,
        )


def _show_compared(all_of_them: Sequence[Compared]) -> None:
    registers = sorted({one.registers for one in all_of_them})
    other = [one for one in all_of_them if one.ours != one.cudas]
    print(f"{len(all_of_them):,} blocks compared with CUDA's own count, {len(other)} differ")
    print(f"registers: {registers}", flush=True)
    for one in other[:40]:
        print(f"  {one}")


if __name__ == "__main__":
    main()
