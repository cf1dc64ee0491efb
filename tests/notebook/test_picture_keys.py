"""The key of a picture explains the colours and labels that the picture has, and no others."""

from __future__ import annotations

import numpy as np

from grader.notebook import Kernel, draw, watch


def launched(body: str, block=32):
    """The run of `move(x, y)` on two vectors of 1,024 floats."""
    source = f'extern "C" __global__ void move(const float* x, float* y) {{\n{body}\n}}\n'
    given = (np.ones(1024, np.float32), np.ones(1024, np.float32))
    return watch(Kernel("move", source), (1,), (block,), given)


def key(picture) -> list[str]:
    """What the entries say."""
    return [text.get_text() for legend in picture.artists for text in legend.get_texts()]


def through_shared(stride: int) -> str:
    return (
        "__shared__ float s[1024];\n"
        f"s[{stride} * threadIdx.x] = x[threadIdx.x];\n"
        f"y[threadIdx.x] = s[{stride} * threadIdx.x];"
    )


def test_sectors_that_were_wanted_whole_need_no_word_for_the_rest():
    assert key(draw.sectors(launched("y[threadIdx.x] = x[threadIdx.x];"))) == ["asked for"]
    gaps = draw.sectors(launched("y[2 * threadIdx.x] = x[threadIdx.x];"))
    assert key(gaps) == ["asked for", "moved with it, not asked for"]


def test_banks_without_a_conflict_are_explained_without_conflicts():
    assert key(draw.banks(launched(through_shared(1)))) == ["1 word: no conflict"]
    assert key(draw.banks(launched(through_shared(2)))) == ["not used", "2 words"]
    assert key(draw.banks(launched(through_shared(32)))) == ["not used", "17-32 words"]


def test_lanes_that_all_work_are_explained_without_idle_ones():
    assert key(draw.lanes(launched("y[threadIdx.x] = x[threadIdx.x];"))) == ["active"]
    half = launched("if (threadIdx.x < 16) y[threadIdx.x] = x[threadIdx.x];")
    assert key(draw.lanes(half)) == ["active", "idle while its warp works"]


def test_a_number_of_threads_is_explained_where_a_cell_has_no_room_for_the_word():
    narrow = draw.owners(launched("y[threadIdx.x / 8] = 1.0f;"), 1, shape=(32, 32))
    assert "8x: 8 threads." in narrow.description
    roomy = draw.owners(launched("y[threadIdx.x % 16] = 1.0f;"), 1, shape=(64, 16))
    assert "2x" not in roomy.description
    pairs = "((float2*)y)[threadIdx.x % 16] = make_float2(1.0f, 1.0f);"
    wide = draw.owners(launched(pairs), 1, shape=(32, 32))
    assert "2x" not in wide.description  # a pack's box has room for "2 threads"
