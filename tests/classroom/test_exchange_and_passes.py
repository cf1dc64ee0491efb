"""draw.exchange and draw.passes: the pictures say what the traces and counters hold."""

from __future__ import annotations

import re

import numpy as np
import pytest

from grader.cuda import simulator
from grader.notebook import Kernel, draw, watch
from grader.notebook.cards import Notice

FULL = "0xffffffff"


def shuffling(shuffle: str, threads: int = 32):
    """The run of a kernel that hands its lane numbers over by `shuffle`, and what each received."""
    source = f"""extern "C" __global__ void hand_over(int* got) {{
    int lane = threadIdx.x;
    {shuffle}
}}
"""
    got = np.full(threads, -1, np.int32)
    return watch(Kernel("hand_over", source), (1,), (threads,), (got,)), got


def words(picture) -> str:
    """What a picture says; it must be a PNG as well."""
    data, _ = picture._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    return data["text/plain"]


def streaming(source: str, elements: int, grid: int = 1, block: int = 32):
    """The run of kernel `move(x, y)` on two float arrays, one of them zeros."""
    x, y = np.ones(elements, np.float32), np.zeros(elements, np.float32)
    head = 'extern "C" __global__ void move(const float* x, float* y) {\n'
    return watch(Kernel("move", head + source + "\n}\n"), (grid,), (block,), (x, y))


COPY = "y[threadIdx.x + 32 * blockIdx.x] = x[threadIdx.x + 32 * blockIdx.x];"
STRIDED = "y[8 * threadIdx.x] = x[8 * threadIdx.x];"


# --- what a shuffle leaves in the trace --------------------------------------------------------

SHUFFLES = {
    "down": f"got[lane] = __shfl_down_sync({FULL}, lane, 4);",
    "down, farther than the warp": f"got[lane] = __shfl_down_sync({FULL}, lane, 31);",
    "down, in eights": f"got[lane] = __shfl_down_sync({FULL}, lane, 2, 8);",
    "up": f"got[lane] = __shfl_up_sync({FULL}, lane, 1);",
    "up, in fours": f"got[lane] = __shfl_up_sync({FULL}, lane, 3, 4);",
    "xor": f"got[lane] = __shfl_xor_sync({FULL}, lane, 5);",
    "xor, in sixteens": f"got[lane] = __shfl_xor_sync({FULL}, lane, 16, 16);",
    "from one lane": f"got[lane] = __shfl_sync({FULL}, lane, 7);",
    "from one lane of each eight": f"got[lane] = __shfl_sync({FULL}, lane, 3, 8);",
    "a permutation": f"got[lane] = __shfl_sync({FULL}, lane, lane * 5);",
    "in half a warp": "if (lane < 16) got[lane] = __shfl_xor_sync(0xffff, lane, 1);",
    "in odd lanes": "if (lane % 2) got[lane] = __shfl_xor_sync(0xaaaaaaaa, lane, 2);",
}


@pytest.mark.parametrize("shuffle", SHUFFLES.values(), ids=SHUFFLES)
def test_the_trace_names_the_lane_that_each_lane_received_from(shuffle):
    run, got = shuffling(shuffle)
    (event,) = (event for event in run.trace.events if event.kind == "shuffle")
    assert event.threads.tolist() == np.flatnonzero(got >= 0).tolist()
    assert event.source.tolist() == got[got >= 0].tolist()


def test_in_a_later_warp_the_giver_is_a_thread_of_the_block():
    run, got = shuffling(f"got[lane] = __shfl_xor_sync({FULL}, lane, 1);", threads=96)
    events = [event for event in run.trace.events if event.kind == "shuffle"]
    threads = np.concatenate([event.threads for event in events])
    source = np.concatenate([event.source for event in events])
    assert sorted(threads.tolist()) == list(range(96))
    assert source.tolist() == got[threads].tolist()


def test_only_shuffles_have_a_giver():
    run, _ = shuffling(f"got[lane] = __ballot_sync({FULL}, lane < 3); __syncthreads();")
    assert {event.source for event in run.trace.events} == {None}


# --- draw.exchange -----------------------------------------------------------------------------

FOLD = f"for (int by = 16; by; by /= 2) lane += __shfl_down_sync({FULL}, lane, by); got[0] = lane;"


def test_exchange_has_a_level_for_each_shuffle_of_the_first_warp():
    run, _ = shuffling(FOLD)
    seen = re.findall(r"shuffle \d, line 3: (\d+) lanes received from lane \+ (\d+)", told(run))
    assert seen == [("16", "16"), ("24", "8"), ("28", "4"), ("30", "2"), ("31", "1")]
    assert len(seen) == run.counters.total["shuffles"]


def told(run) -> str:
    return words(draw.exchange(run))


def test_exchange_shows_one_warp_of_several():
    run, _ = shuffling(f"got[lane] = __shfl_xor_sync({FULL}, lane, 1);", threads=128)
    assert run.counters.total["shuffles"] == 4
    assert "block 0), 1 shuffle:" in told(run)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("down", "28 lanes received from lane + 4; 4 kept their own (kept: 28-31)"),
        ("down, in eights", "24 lanes received from lane + 2; 8 kept their own"),
        ("up", "31 lanes received from lane - 1; 1 kept its own (kept: 0)"),
        ("up, in fours", "8 lanes received from lane - 3; 24 kept their own"),
        ("xor", "32 lanes received from lane ^ 5"),
        ("xor, in sixteens", "16 lanes received from lane - 16; 16 kept their own (kept: 0-15)"),
        ("from one lane", "31 lanes received from lane 7; 1 kept its own (kept: 7)"),
        ("from one lane of each eight", "28 lanes received from lane 3 of their 8; 4 kept"),
        ("in half a warp", "16 lanes received from lane ^ 1; 16 took no part (no part: 16-31)"),
        ("in odd lanes", "16 lanes received from lane ^ 2; 16 took no part"),
        ("a permutation", "(5→1, 10→2, 15→3"),
    ],
)
def test_exchange_says_by_which_rule_lanes_received(name, said):
    run, _ = shuffling(SHUFFLES[name])
    assert said in told(run)


def test_exchange_of_half_a_warp_of_threads_leaves_the_others_out():
    run, _ = shuffling("got[lane] = __shfl_down_sync(0xffff, lane, 1, 16);", threads=16)
    assert "15 lanes received from lane + 1; 1 kept its own; 16 took no part" in told(run)


def test_exchange_says_how_many_shuffles_it_leaves_out():
    again = f"for (int i = 0; i < 40; i++) lane += __shfl_xor_sync({FULL}, lane, 1); got[0] = lane;"
    run, _ = shuffling(again)
    assert told(run).endswith("and 28 shuffles more")


def test_exchange_of_a_kernel_without_shuffles_says_so():
    run, _ = shuffling("// YOUR CODE HERE")
    assert "completed no shuffle" in told(run)


def test_exchange_of_a_shuffle_that_failed_says_so():
    with simulator.observe() as run, pytest.raises(Exception, match="does not take part"):
        source = 'extern "C" __global__ void k(int* x) {\n'
        source += "if (threadIdx.x < 16) x[threadIdx.x] = __shfl_down_sync(0xffff, 1, 8); }"
        simulator.RawModule(code=source).get_function("k")((1,), (32,), (np.zeros(32, np.int32),))
    assert "completed no shuffle" in told(run)


@pytest.mark.parametrize("wrong", [None, {"mine": 1}, [1, 2]])
def test_exchange_of_something_else_than_a_run_is_one_sentence(wrong):
    with pytest.raises(Notice, match=r"`draw\.exchange` draws what `watch"):
        draw.exchange(wrong)


# --- draw.passes -------------------------------------------------------------------------------


def test_passes_are_the_counters_over_the_arrays_bytes():
    once, twice = streaming(COPY, 64, grid=2), streaming(COPY.replace("];", "] + x[0];"), 64, 2)
    said = words(draw.passes({"once": once, "twice": twice}, 256))
    assert "  once: read 1.00 times, written 1.00 times\n" in said
    assert "  twice: read 2.00 times, written 1.00 times\n" in said
    for run in (once, twice):
        total = run.counters.total
        for kind, verb in (("load", "read"), ("store", "written")):
            asked, sectors = (total[f"global_{kind}_{what}"] for what in ("bytes", "sectors"))
            assert f"{verb}: {asked:,} bytes in {sectors:,} sectors" in said


def test_passes_show_what_sectors_hold_beyond_what_was_asked_for():
    run = streaming(STRIDED, 256)
    said = words(draw.passes({"strided": run}, 128))
    total = run.counters.total
    assert total["global_load_sectors"] == total["global_store_sectors"] == 32
    assert "read 1.00 times, written 1.00 times; the sectors move another 14.00" in said
    assert "read: 128 bytes in 32 sectors, which hold 896 more bytes" in said


def test_a_word_that_all_lanes_want_does_not_hide_another_lines_waste():
    run = streaming("float one = x[0];\n" + STRIDED.replace(" = ", " = one + "), 256)
    assert "in 33 sectors, which hold 896 more bytes" in words(draw.passes({"both": run}, 128))


def test_passes_of_runs_without_traffic_say_so():
    run = streaming("// YOUR CODE HERE", 32)
    assert "Nothing was loaded" in words(draw.passes({"mine": run}, 128))


def test_passes_of_a_blank_beside_a_solved_exercise():
    runs = {"given": streaming(COPY, 32), "mine": streaming("// YOUR CODE HERE", 32)}
    assert "  mine: read 0.00 times, written 0.00 times\n" in words(draw.passes(runs, 128))


@pytest.mark.parametrize("first", ["x[threadIdx.x]", "x[threadIdx.x + 1]"])
def test_passes_of_a_run_that_failed_say_that_it_stopped(first):
    run = streaming(f"y[threadIdx.x + 1] = {first};", 32)
    assert "Stopped by a mistake before the end: mine." in words(draw.passes({"mine": run}, 128))


@pytest.mark.parametrize("size", [0, -4, 1.5, None, np.zeros(3)])
def test_passes_in_units_of_no_bytes_ask_for_nbytes(size):
    with pytest.raises(Notice, match=r"x\.nbytes"):
        draw.passes({"mine": streaming(COPY, 32)}, size)


@pytest.mark.parametrize("runs", [{}, None, "run"])
def test_passes_need_runs_by_name(runs):
    with pytest.raises(Notice, match="takes runs by name"):
        draw.passes(runs, 128)


def test_passes_need_runs():
    with pytest.raises(Notice, match=r"`draw\.passes` draws what `watch"):
        draw.passes({"mine": "run"}, 128)
