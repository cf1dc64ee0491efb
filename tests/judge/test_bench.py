"""`grader bench --device gpu`, as far as it needs no GPU: libraries that hang, what is written, and
what became faster or slower."""

import csv
import json
import sys
import time
from dataclasses import replace

import pytest
from rich.console import Console

from grader import course
from grader.bench import records, timings
from grader.bench.timings import changes
from grader.cli import bench_commands
from grader.errors import BadInput

SIZES = ((8,), (16,), (32,))

# Says what findings() would, and hangs where it is told to.
TIMES = """
import json, sys, time
first, left, hangs = json.loads(sys.argv[1])
for n in [8, 16, 32][first:]:
    for name in ("ours", "peer", "other"):
        if [name, [n]] in left:
            continue
        print(json.dumps(["begins", {"name": name, "size": [n]}]), flush=True)
        if [name, n] in hangs:
            time.sleep(600)
    print(json.dumps(["timing", {"size": [n], "left": left}]), flush=True)
print(json.dumps(["end", ""]), flush=True)
"""


def supervise(*hangs, source=TIMES, patience=None):
    patience = patience or (6.0 if hangs else 300.0)  # seconds; some machines start slowly

    def command(first, left):
        about = json.dumps([first, left, hangs])
        return (sys.executable, "-c", source, about)

    found = records.supervise(command, SIZES, ["ours"], patience)
    return [(kind, one) for kind, one in found if kind != "begins"]


def test_nothing_is_said_of_libraries_that_answer():
    assert [kind for kind, _ in supervise()] == ["timing"] * 3


def test_a_library_that_hangs_is_stopped_and_named_and_all_others_are_timed():
    (_, first), (kind, sentence), (_, second), (_, third) = supervise(("peer", 16))
    assert (kind, sentence) == ("skipped", "peer at 16 was stopped: it hung for 6 s.")
    assert first == {"size": [8], "left": []}
    assert second == {"size": [16], "left": [["peer", [16]]]}
    assert third["size"] == [32]


def test_two_may_hang_at_one_size():
    found = supervise(("peer", 16), ("other", 16))
    assert [kind for kind, _ in found] == ["timing", "skipped", "skipped", "timing", "timing"]


def test_a_kernel_of_ours_must_not_hang():
    with pytest.raises(BadInput, match="ours at 8 hangs"):
        supervise(("ours", 8))


def test_nobody_waits_for_a_process_that_has_said_all():
    began = time.monotonic()
    assert len(supervise(source=TIMES + "time.sleep(600)", patience=300.0)) == 3
    assert time.monotonic() - began < 300


def test_a_process_that_stops_in_the_middle_is_no_success():
    with pytest.raises(BadInput, match="ended with 0"):
        supervise(source=TIMES.replace('["end", ""]', '["begins", {"name": "", "size": [8]}]'))


def test_a_process_that_fails_is_no_success():
    with pytest.raises(BadInput, match="ended with 3"):
        supervise(source="import sys; sys.exit(3)", patience=300.0)


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
