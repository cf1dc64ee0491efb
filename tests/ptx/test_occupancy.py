"""How many blocks a multiprocessor holds: the calculator, and the figure that is made of it."""

import re
from html import unescape
from itertools import pairwise

import numpy as np
import pytest

from grader.cuda import simulator
from grader.cuda.limits import ARCHITECTURES, MOST_REGISTERS, occupancy, registers_for
from grader.notebook import draw
from grader.notebook.draw import occupancy_figure


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


def test_a_block_may_use_as_many_registers_as_one_multiprocessor_has_room_for():
    for threads in range(1, 1025):
        most = registers_for(threads)
        assert occupancy(threads, most).blocks, threads
        assert most == MOST_REGISTERS or not occupancy(threads, most + 1).blocks, threads


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
    (table,) = re.findall(r'TABLE = "(\w+)"', unescape(html))
    kilobytes = [*range(0, 227, occupancy_figure.SHARED_STEP), 227]
    registers = occupancy_figure.REGISTER_STEPS
    at = occupancy_figure.THREADS.index(256) * len(registers) + registers.index(64)
    row = table[at * len(kilobytes) :][: len(kilobytes)]
    assert [int(one, 36) for one in row] == [
        occupancy(256, 64, 1024 * kb).blocks for kb in kilobytes
    ]


def test_the_figure_says_in_words_what_limits():
    said = draw.occupancy(256, 64, 32 * 1024).text
    assert "4 blocks, 32 of 64 warps, limited by registers." in said


def test_the_sum_that_is_timed_with_so_many_loads_under_way_is_right():
    waiting = pytest.importorskip("tools.waiting")
    names = {load: f"sums<{load[0]}, {load[1]}>" for load in waiting.LOADS}
    module = simulator.RawModule(code=waiting.SUM, name_expressions=names.values())
    for (vector, loads), name in names.items():
        elements = loads * 2 * waiting.BLOCK * 3  # three turns of the loop
        x = np.arange(elements * waiting.BYTES[vector] // 4, dtype=np.float32) % 7
        total = np.empty(2 * waiting.BLOCK, np.float32)
        module.get_function(name)((2,), (waiting.BLOCK,), (x, total, np.int32(elements)))
        assert total.sum() == x.sum()


@pytest.mark.gpu
def test_cuda_counts_the_same_blocks_on_this_gpu():
    """cudaOccupancyMaxActiveBlocksPerMultiprocessor, of 39 numbers of threads, 24 of registers."""
    from tools import waiting

    assert [one for one in waiting.compared() if one.ours != one.cudas] == []
