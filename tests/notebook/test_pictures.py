"""The pictures say what threads did with global memory, and how a wrong element was made; their
keys explain what is in them."""

from __future__ import annotations

import numpy as np
import pytest

from grader.judge.verdict import Mismatch, Part
from grader.notebook import Kernel, draw, watch
from grader.notebook.cards import Notice
from grader.notebook.verdict_card import flow_map


def launched(body: str, grid=1, block=32, blocks=1, given=None, elements=256):
    """The run of `move(x, y)` on `given`, by default two float arrays."""
    source = f'extern "C" __global__ void move(const float* x, float* y) {{\n{body}\n}}\n'
    given = given or (np.ones(elements, np.float32), np.ones(elements, np.float32))
    return watch(Kernel("move", source), (grid,), (block,), given, blocks=blocks)


def words(picture) -> str:
    data, _ = picture._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    return data["text/plain"]


FLAT = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\ny[i] = x[i];"


def test_every_element_names_its_block_and_thread():
    run = launched(FLAT, grid=3, block=4, blocks=3, elements=14)
    said = words(draw.owners(run, 1))
    assert "Which thread stored which element of y, all 3 blocks:" in said
    assert "12 of 14 elements touched, 0 by several threads" in said
    assert "elements 8 to 11: block 2 threads 0 to 3" in said


def test_only_the_blocks_that_were_kept_are_shown():
    said = words(draw.owners(launched(FLAT, grid=3, block=4, elements=12), 1))
    assert "4 of 12 elements touched" in said and "block 1" not in said
    assert "Seen: block 0; `watch(..., blocks=3)` keeps all 3." in said
    said = words(draw.owners(launched(FLAT, grid=3, block=4, blocks=2, elements=12), 1))
    assert "the first 2 of 3 blocks:\n  8 of 12 elements touched" in said


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
    assert "32 of 256 elements touched" in said
    assert "elements 4 to 7: block 0 thread 1\n" in said


def test_a_pack_is_one_box_with_its_thread():
    run = launched("((float4*)y)[threadIdx.x] = ((float4*)x)[threadIdx.x];", block=8, elements=32)
    assert labels(draw.owners(run, 0)) == [f"b0 t{thread}" for thread in range(8)]


def test_what_is_left_out_is_said():
    said = words(draw.owners(launched(FLAT, elements=4096), 1))
    assert "The first 24 of 128 rows." in said


def test_a_trace_that_ended_early_is_said():
    run = launched(FLAT)
    assert "trace ends" not in words(draw.owners(run, 1)) + words(draw.sectors(run))
    while not run.trace.full:
        run.trace.add(2, "execute", np.arange(32))
    assert "The trace ends after 50,000 events" in words(draw.owners(run, 1))
    assert "The trace ends after 50,000 events" in words(draw.sectors(run))


def test_a_hatched_cell_says_whether_it_is_nobodys_or_not_known():
    def meanings(blocks: int) -> list[str]:
        picture = draw.owners(launched(FLAT, grid=2, block=4, blocks=blocks, elements=12), 1)
        return [text.get_text() for text in picture.artists[0].get_texts()]

    assert meanings(blocks=1) == ["block 0", "none of these blocks"]
    assert meanings(blocks=2) == ["block 0", "block 1", "nobody"]


def test_a_run_that_stopped_at_a_mistake_says_so():
    run = launched("y[threadIdx.x] = 1;\ny[threadIdx.x + 1] = x[threadIdx.x + 1];", elements=32)
    assert "The run stopped at a mistake before the end." in words(draw.owners(run, 1))


def test_a_launch_that_never_began_gives_a_calm_picture():
    assert "No thread of block 0 touched any of it" in words(
        draw.owners(launched(FLAT, block=2000), 0)
    )


def test_an_atomic_owns_what_it_changes():
    said = words(draw.owners(launched("atomicAdd(y + threadIdx.x / 8, 1.0f);"), 1))
    assert "Which thread changed which element of y, block 0:" in said
    assert "4 of 256 elements touched, 4 by several threads" in said


def labels(picture) -> list[str]:
    return [text.get_text() for text in picture.axes[0].texts]


def test_a_cell_with_room_names_block_and_thread_or_how_many_threads():
    run = launched("y[threadIdx.x] = x[threadIdx.x / 8];", elements=4)
    assert labels(draw.owners(run, 0)) == ["8 threads"] * 4
    assert labels(draw.owners(launched(FLAT, block=4, elements=4), 1))[3] == "b0 t3"


def test_a_narrow_cell_names_its_block_where_there_are_several():
    run = launched(FLAT, grid=2, block=16, blocks=2, elements=32)
    assert labels(draw.owners(run, 1))[17] == "b1\nt1"
    assert labels(draw.owners(launched(FLAT, elements=32), 1))[17] == "t17"


def test_elements_of_several_blocks_have_a_colour_of_their_own():
    run = launched("y[threadIdx.x] = x[threadIdx.x];", grid=2, block=4, blocks=2, elements=8)
    key = draw.owners(run, 0, kind="load").legends or draw.owners(run, 0, kind="load").artists
    meanings = [text.get_text() for text in key[0].get_texts()]
    assert meanings == ["several blocks", "nobody"]


def test_a_view_counts_its_own_elements():
    whole, y = np.ones(33, np.float32), np.ones(32, np.float32)
    said = words(draw.owners(launched(FLAT, given=(whole[1:], y)), 0))
    assert "32 of 32 elements touched" in said
    assert "elements 0 to 31: block 0 threads 0 to 31" in said


def test_a_transposed_array_lies_as_its_columns_do():
    x, y = np.ones((4, 8), np.float32), np.ones(32, np.float32)
    said = words(draw.owners(launched(FLAT, given=(x.T, y)), 0))
    assert "element 1: block 0 thread 8" in said and "element 4: block 0 thread 1" in said


def test_two_arguments_may_share_their_memory():
    both = np.ones(64, np.float32)
    run = launched(FLAT, given=(both[:32], both[32:]))
    assert "32 of 32 elements touched" in words(draw.owners(run, 0, kind="load"))
    assert "32 of 32 elements touched" in words(draw.owners(run, 1, kind="store"))
    assert "No thread of block 0 stored any of it" in words(draw.owners(run, 0, kind="store"))


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
    assert "No thread of block 0 touched any of it" in words(draw.owners(run, 0))


def test_a_line_loads_before_its_atomic_changes_anything():
    said = words(draw.sectors(launched("atomicAdd(&y[threadIdx.x % 10], x[threadIdx.x]);")))
    assert said.index("load: 4 sectors") < said.index("atomic: 2 sectors for 40 bytes")


def test_sectors_that_are_skipped_leave_dots():
    run = launched("y[threadIdx.x] = x[8 * threadIdx.x];\n", elements=1024)
    assert "…" not in words(draw.sectors(run))
    run = launched("y[threadIdx.x] = x[16 * threadIdx.x];\n", elements=1024)
    assert "…: sectors that are not touched." in words(draw.sectors(run))


def test_further_requests_of_a_line_are_counted():
    run = launched("y[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x + 1];")
    said = words(draw.sectors(run, argument=0))
    assert "The first of 2 such requests of warp 0; the other: 5 sectors" in said
    assert run.counters.total["global_load_sectors"] == 4 + 5


def test_a_place_that_several_lanes_ask_for_says_how_many():
    shown = draw.sectors(launched("y[threadIdx.x] = x[threadIdx.x / 8];"), argument=0)
    assert labels(shown) == ["8x"] * 4 + ["byte 0"] and "8x: 8 lanes." in words(shown)


@pytest.mark.parametrize("blocks", [0, -1, 2.5, "3"])
def test_watch_keeps_one_block_or_more(blocks):
    with pytest.raises(Notice, match="should be how many blocks to show, 1 or more"):
        launched(FLAT, blocks=blocks)


def test_what_cannot_be_drawn_is_said():
    run = launched(FLAT, elements=32)
    with pytest.raises(Notice, match="Argument 2 of this launch is no array; arrays are: 0, 1"):
        draw.owners(run, 2)
    with pytest.raises(Notice, match="Argument 7 of this launch is no array"):
        draw.sectors(run, argument=7)
    with pytest.raises(Notice, match="a tuple of lengths"):
        draw.owners(run, 0, shape=(4, -1))
    with pytest.raises(Notice, match="has 33 elements, the array 32"):
        draw.owners(run, 0, shape=(3, 11))
    with pytest.raises(Notice, match='kind="load"'):
        draw.owners(run, 0, kind="write")
    with pytest.raises(Notice, match="watch"):
        draw.sectors("run")


# --- the key explains the colours and labels that the picture has, and no others ------------------


def roomy(body):
    return launched(body, elements=1024)


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
    assert key(draw.sectors(roomy("y[threadIdx.x] = x[threadIdx.x];"))) == ["asked for"]
    gaps = draw.sectors(roomy("y[2 * threadIdx.x] = x[threadIdx.x];"))
    assert key(gaps) == ["asked for", "moved with it, not asked for"]


def test_banks_without_a_conflict_are_explained_without_conflicts():
    assert key(draw.banks(roomy(through_shared(1)))) == ["1 word: no conflict"]
    assert key(draw.banks(roomy(through_shared(2)))) == ["not used", "2 words"]
    assert key(draw.banks(roomy(through_shared(32)))) == ["not used", "17-32 words"]


def test_lanes_that_all_work_are_explained_without_idle_ones():
    assert key(draw.lanes(roomy("y[threadIdx.x] = x[threadIdx.x];"))) == ["active"]
    half = roomy("if (threadIdx.x < 16) y[threadIdx.x] = x[threadIdx.x];")
    assert key(draw.lanes(half)) == ["active", "idle while its warp works"]


def test_a_number_of_threads_is_explained_where_a_cell_has_no_room_for_the_word():
    narrow = draw.owners(roomy("y[threadIdx.x / 8] = 1.0f;"), 1, shape=(32, 32))
    assert "8x: 8 threads." in narrow.description
    square = draw.owners(roomy("y[threadIdx.x % 16] = 1.0f;"), 1, shape=(64, 16))
    assert "2x" not in square.description
    pairs = "((float2*)y)[threadIdx.x % 16] = make_float2(1.0f, 1.0f);"
    wide = draw.owners(roomy(pairs), 1, shape=(32, 32))
    assert "2x" not in wide.description  # a pack's box has room for "2 threads"


# --- what flows into a wrong element, and what should ---------------------------------------------


WRONG = Mismatch("partial", (0,), expected=3.0, found=1.0)


def rows(*parts):
    """The rows of signs in the picture's text, by what stands in front of them."""
    lines = flow_map([Part("x", (part[0],), *part) for part in parts], WRONG).text.splitlines()
    return [line.split()[-1] for line in lines[1:-1]]


def test_an_element_that_is_missing_one_too_many_and_one_twice_have_signs_of_their_own():
    assert rows((0, 1, 1, 1), (1, 1, 0, 1), (2, 1, 1, 0), (3, 1, 2, 1)) == ["●○✗+"]


def test_what_lies_between_has_no_line_to_the_element():
    assert rows((0, 1, 0, 1), (4, 1, 1, 0)) == ["○···✗"]
    assert flow_map([Part("x", (0,), 0, 1, 0, 1)], WRONG).html.count("<path") == 1


def test_of_many_elements_a_cell_stands_for_several_and_says_if_they_differ():
    alternating = [(at, 1, 1 - at % 2, 1) for at in range(256)]
    assert rows(*alternating) == ["◐" * 64]


def test_the_picture_takes_the_colours_of_the_page_and_says_what_it_shows():
    page = flow_map([Part("x", (0,), 0, 1, 0, 1)], WRONG)
    assert "var(--jp-ui-font-color1" in page.html and "var(--jp-error-color1" in page.html
    assert "partial[0] is 1, and should be 3" in page.html.partition('aria-label="')[2]
    assert page.text.startswith("partial[0] is 1, and should be 3")
