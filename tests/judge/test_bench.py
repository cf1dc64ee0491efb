"""`grader bench --device gpu`, as far as it needs no GPU: libraries that hang, what is written, and
what became faster or slower."""

import csv
import time
from dataclasses import replace
from functools import partial

import pytest
from rich.console import Console

from grader import course
from grader.bench import records, timings
from grader.bench.timings import changes
from grader.cli import bench_commands
from grader.errors import BadInput

SIZES = ((8,), (16,), (32,))


def times(hangs, end, first, left):
    """Finds what findings() would, hangs where it is told to, and comes to that end."""
    for size in SIZES[first:]:
        for name in ("ours", "peer", "other"):
            if (name, size) not in left:
                yield timings.Begins(name, size)
                time.sleep(600 if (name, *size) in hangs else 0)
        yield timings.Timing(f"without {left}", size, 1, 1, 1, 1, 1, 1)
    exec(end)


def supervise(*hangs, end="", patience=None):
    patience = patience or (6.0 if hangs else 300.0)  # seconds; some machines start slowly
    found = records.supervise(partial(times, hangs, end), SIZES, ["ours"], patience)
    return [one for one in found if not isinstance(one, timings.Begins)]


def test_nothing_is_said_of_libraries_that_answer():
    assert [type(one) for one in supervise()] == [timings.Timing] * 3


def test_a_library_that_hangs_is_stopped_and_named_and_all_others_are_timed():
    first, sentence, second, third = supervise(("peer", 16))
    assert sentence == "peer at 16 was stopped: it hung for 6 s."
    assert (first.size, first.variant) == ((8,), "without []")
    assert (second.size, second.variant) == ((16,), "without [('peer', (16,))]")
    assert third.size == (32,)


def test_two_may_hang_at_one_size():
    found = supervise(("peer", 16), ("other", 16))
    assert [type(one).__name__ for one in found] == ["Timing", "str", "str", "Timing", "Timing"]


def test_a_kernel_of_ours_must_not_hang():
    with pytest.raises(BadInput, match="ours at 8 hangs"):
        supervise(("ours", 8))


def test_nobody_waits_for_a_process_that_has_said_all():
    began = time.monotonic()
    stays = "import threading; threading.Thread(target=time.sleep, args=(600,)).start()"
    assert len(supervise(end=stays, patience=300.0)) == 3
    assert time.monotonic() - began < 300


def test_what_a_process_prints_is_none_of_what_it_finds():
    assert len(supervise(end="print('Compiling ...'); import os; os.write(1, b'{}')")) == 3


def test_a_process_that_stops_in_the_middle_is_no_success():
    with pytest.raises(BadInput, match="ended with 0"):
        supervise(end="import os; os._exit(0)")


def test_a_process_that_fails_is_no_success():
    with pytest.raises(BadInput, match="ended with 3"):
        supervise(end="raise SystemExit(3)", patience=300.0)


# --- what is written ---------------------------------------------------------------------------

LESSON = course.lesson("03_shuffle_reduction")


@pytest.fixture
def found():
    return {LESSON.name: [timings.read(LESSON, one) for one in LESSON.benchmarks]}


def test_each_benchmark_has_a_table_and_a_picture_and_each_lesson_its_times(found, tmp_path):
    bench_commands.write(found, tmp_path)
    with (tmp_path / f"{LESSON.name}.row_sums.csv").open() as file:
        (row, *_) = csv.DictReader(file)
    assert row["size"] == "1,048,576 x 64" and float(row["ms"]) > 0
    picture = (tmp_path / f"{LESSON.name}.row_sums.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    kept = timings.kept(tmp_path / f"{LESSON.name}.json")
    assert kept["row_sums"].rows == found[LESSON.name][0].rows


# --- beside an earlier run ---------------------------------------------------------------------


def test_what_became_slower_is_told_and_what_did_not_is_counted(found, tmp_path):
    bench_commands.write(found, tmp_path)
    then = tmp_path / f"{LESSON.name}.json"
    first, *rest = found[LESSON.name][0].rows
    slower = replace(first, ms=2 * first.ms, low=2 * first.low, high=2 * first.high)
    now = {LESSON.name: [replace(found[LESSON.name][0], rows=(slower, *rest))]}
    console = Console(record=True, width=120)
    bench_commands.show_changes(now, then, console)
    told = console.export_text()
    assert "tree" in told and "0.500" in told
    assert f"tell: {len(rest)} more." in told


def test_times_whose_spreads_touch_are_no_change(found):
    now = found[LESSON.name][0]
    noisy = tuple(replace(row, ms=1.05 * row.ms, low=row.ms) for row in now.rows)
    assert list(changes(replace(now, rows=noisy), now)) == []


def test_a_file_that_holds_no_times_is_named(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(BadInput, match=r"a\.json holds no times"):
        timings.kept(tmp_path / "a.json")
