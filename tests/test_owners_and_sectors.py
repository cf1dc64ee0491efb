"""draw.owners and draw.sectors: the pictures say what threads did with global memory."""

from __future__ import annotations

import numpy as np
import pytest

from grader.notebook import Kernel, draw, watch
from grader.notebook.failures import Notice


def launched(body: str, grid=1, block=32, blocks=1, arrays=2, elements=256):
    """The run of `move(x, y)` (or `move(x)`) on float arrays."""
    names = ("const float* x", "float* y")[-arrays:]
    source = f'extern "C" __global__ void move({", ".join(names)}) {{\n{body}\n}}\n'
    given = tuple(np.ones(elements, np.float32) for _ in names)
    return watch(Kernel("move", source), (grid,), (block,), given, blocks=blocks)


def words(picture) -> str:
    data, _ = picture._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    return data["text/plain"]


FLAT = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\ny[i] = x[i];"


def test_every_element_names_its_block_and_thread():
    run = launched(FLAT, grid=3, block=4, blocks=3, elements=14)
    said = words(draw.owners(run, 1))
    assert "Which thread stored which element (argument 1), the first 3 blocks" in said
    assert "12 of 14 elements touched, 0 by several threads" in said
    assert "element 9: block 2 thread 1" in said


def test_only_the_blocks_that_were_kept_are_shown():
    said = words(draw.owners(launched(FLAT, grid=3, block=4, elements=12), 1))
    assert "4 of 12 elements touched" in said and "block 1" not in said


def test_blocks_of_a_later_wave_are_known_too():
    run = launched(FLAT, grid=200, block=256, blocks=200, elements=51_200)
    assert {event.block for event in run.trace.touched} == set(range(200))


def test_other_pictures_still_show_block_0_alone():
    run = launched(FLAT, grid=3, block=4, blocks=3, elements=12)
    assert {event.block for event in run.trace.events} == {0}


def test_an_element_that_several_threads_read_says_how_many():
    run = launched("y[threadIdx.x] = x[threadIdx.x / 8];", elements=32)
    said = words(draw.owners(run, 0, kind="load"))
    assert "4 of 32 elements touched, 4 by several threads" in said
    assert "element 1: block 0 thread 8, block 0 thread 9, block 0 thread 10 and 5 more" in said


def test_a_pack_belongs_to_one_thread():
    run = launched("((float4*)y)[threadIdx.x] = ((float4*)x)[threadIdx.x];", block=8)
    said = words(draw.owners(run, 0, shape=(16, 16)))
    assert all(f"element {n}: block 0 thread 1" in said for n in (4, 5, 6, 7))


def test_what_is_left_out_is_said():
    said = words(draw.owners(launched(FLAT, elements=4096), 1))
    assert "The first 24 of 128 rows." in said


@pytest.mark.parametrize(
    ("body", "load"),
    [
        ("y[threadIdx.x] = x[threadIdx.x];", "4 sectors for 128 bytes (at least 4)"),
        ("y[threadIdx.x] = x[threadIdx.x + 1];", "5 sectors for 128 bytes (at least 4)"),
        ("y[threadIdx.x] = x[8 * threadIdx.x];", "32 sectors for 128 bytes (at least 4)"),
        ("y[threadIdx.x] = x[threadIdx.x / 8];", "1 sector for 16 bytes (at least 1)"),
        (
            "((float4*)y)[threadIdx.x] = ((float4*)x)[threadIdx.x];",
            "16 sectors for 512 bytes (at least 16)",
        ),
    ],
)
def test_a_request_shows_its_sectors_and_bytes_as_they_were_counted(body, load):
    run = launched(body)
    assert f"load: {load}" in words(draw.sectors(run, argument=0))
    total = run.counters.total
    assert load.startswith(f"{total['global_load_sectors']} sector")
    assert load.endswith(f"(at least {total['global_load_sectors_ideal']})")


def test_a_line_or_an_array_can_be_chosen():
    run = launched(FLAT, elements=32)
    assert "store:" not in words(draw.sectors(run, argument=0))
    assert "Warp 0 asked global memory for nothing there" in words(draw.sectors(run, line=2))


def test_a_blank_kernel_gives_a_calm_picture():
    run = launched("")
    assert "Warp 0 asked global memory for nothing there" in words(draw.sectors(run))
    assert "No thread of block 0 loaded any of it" in words(draw.owners(run, 0))


def test_what_cannot_be_drawn_is_said():
    run = launched(FLAT, elements=32)
    with pytest.raises(Notice, match="Argument 2 of this launch is no array; arrays are: 0, 1"):
        draw.owners(run, 2)
    with pytest.raises(Notice, match="has 33 elements, the array 32"):
        draw.owners(run, 0, shape=(3, 11))
    with pytest.raises(Notice, match='kind="load"'):
        draw.owners(run, 0, kind="atomic")
    with pytest.raises(Notice, match="watch"):
        draw.sectors("run")
