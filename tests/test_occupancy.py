"""How many blocks a multiprocessor holds: the calculator, and the figure that is made of it."""

import re
from itertools import pairwise

import pytest

from grader import cuda
from grader.cuda.limits import ARCHITECTURES
from grader.cuda.occupancy import occupancy
from grader.notebook import draw
from grader.notebook.draw import occupancy_figure

KERNEL = """
extern "C" __global__ void __launch_bounds__(1024) held(const float* x, float* y, int n) {
    extern __shared__ float tile[];
    float kept[KEPT];
    for (int k = 0; k < KEPT; k++) kept[k] = x[threadIdx.x + k * n];
    tile[threadIdx.x] = kept[0];
    __syncthreads();
    for (int k = KEPT - 1; k >= 0; k--) y[threadIdx.x + k * n] = kept[k] * tile[0];
}
"""


@pytest.mark.parametrize(
    ("threads", "registers", "shared", "blocks", "by"),
    [
        (256, 32, 0, 8, ["warps", "registers"]),
        (32, 32, 0, 32, ["blocks"]),
        (256, 33, 0, 6, ["registers"]),  # 40 registers, since a warp gets 1,280
        (128, 255, 0, 2, ["registers"]),
        (1024, 64, 0, 1, ["registers"]),
        (1024, 65, 0, 0, ["registers"]),  # such a launch is refused
        (192, 40, 0, 8, ["registers"]),  # 51 warps' registers, but in whole fours: 48
        (128, 32, 227 * 1024, 1, ["shared memory"]),
        (128, 32, 113 * 1024, 2, ["shared memory"]),
        (128, 32, 113 * 1024 + 1, 1, ["shared memory"]),  # and 1 KB more is CUDA's
        (128, 32, 48 * 1024, 4, ["shared memory"]),
    ],
)
def test_an_h200s_multiprocessor_holds_so_many_blocks(threads, registers, shared, blocks, by):
    found = occupancy(threads, registers, shared)
    assert (found.blocks, found.limited_by) == (blocks, by)
    assert found.warps == blocks * -(-threads // 32)


def test_more_of_anything_never_gets_more_blocks_in():
    for arch in ARCHITECTURES:
        for threads in (32, 100, 512, 1024):
            rows = [
                [occupancy(threads, registers, shared, arch).blocks for shared in (0, 9999, 50_000)]
                for registers in (16, 33, 64, 128, 255)
            ]
            for few, more in pairwise(rows):
                assert all(a >= b for a, b in zip(few, more, strict=True))
            assert all(row == sorted(row, reverse=True) for row in rows)


def test_what_no_block_can_have_is_said():
    with pytest.raises(ValueError, match="1 to 255 registers"):
        occupancy(128, 256)


def test_the_figures_table_is_the_calculators():
    html = draw.occupancy(256, 64, 32 * 1024).html
    (table,) = re.findall(r"TABLE = &quot;(\w+)&quot;", html)
    kilobytes = occupancy_figure._kilobytes(227)
    registers = occupancy_figure.REGISTER_STEPS
    at = occupancy_figure.THREADS.index(256) * len(registers) + registers.index(64)
    row = table[at * len(kilobytes) :][: len(kilobytes)]
    assert [int(one, 36) for one in row] == [
        occupancy(256, 64, 1024 * kb).blocks for kb in kilobytes
    ]


def test_the_figure_says_in_words_what_limits():
    said = draw.occupancy(256, 64, 32 * 1024).text
    assert "4 blocks, 32 of 64 warps, limited by registers." in said


@pytest.mark.gpu
@pytest.mark.parametrize("kept", [1, 20, 60, 120])
def test_cuda_says_the_same_on_this_gpu(kept):
    """cudaOccupancyMaxActiveBlocksPerMultiprocessor, for kernels with few registers and many."""
    from cupy.cuda import Device, driver

    kernel = cuda.RawModule(code=f"#define KEPT {kept}\n{KERNEL}").get_function("held")
    arch = f"sm_{Device().compute_capability}"
    for threads in (32, 128, 192, 256, 512, 1024):
        for shared in (0, 1000, 20_000, 48 * 1024):
            said = driver.occupancyMaxActiveBlocksPerMultiprocessor(
                kernel.kernel.ptr, threads, shared
            )
            assert occupancy(threads, kernel.num_regs, shared, arch).blocks == said
