"""Timing kernels, as far as that goes without a GPU: who takes part, figures, what is recalled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import small_lesson
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from rich.console import Console
from traitlets.config import Config
from typer.testing import CliRunner

from grader import course, cuda
from grader.bench import measuring, timings
from grader.bench.records import show_timings
from grader.cli.app import app
from grader.cuda import simulator
from grader.cuda.errors import CudaError
from grader.errors import NotInCourse
from grader.notebook import draw, session
from grader.notebook.cards import Notice
from grader.notebook.draw.timing_curves import apart, bandwidth
from grader.notebook.profiling import measured, recalled

DEVICE = timings.Device(
    name="NVIDIA H200",
    date="2026-11-21",
    copy_gb_per_s=4000.0,
    peak_gflop_per_s=67_000.0,
    l2_bytes=50 << 20,
    versions={"CUDA runtime": "13.0"},
)
SIZES = ((1 << 10,), (1 << 20,), (1 << 24,))
without_a_gpu = pytest.mark.skipif(cuda.device == "gpu", reason="there is a GPU: it measures")


@pytest.fixture
def root(tmp_path):
    (tmp_path / "kernels").mkdir()
    return small_lesson.write(tmp_path / "kernels")


@pytest.fixture
def lesson(root):
    return course.lesson("01_add", root)


@pytest.fixture
def benchmark(lesson):
    return lesson.benchmark("add")


def timed(benchmark, sizes=SIZES, variants=("ours", "CuPy")):
    """Timings as a GPU might give: the second variant takes twice as long as the first."""
    rows = tuple(
        timings.timing(benchmark, variant, size, [k * (1 + size[0] / 1e6)] * 3, 4000.0)
        for size in sizes
        for k, variant in enumerate(variants, 1)
    )
    skipped = ("PyTorch is not installed here.",)
    return timings.Timings(benchmark.name, benchmark.title, DEVICE, rows, skipped)


# --- who takes part ----------------------------------------------------------------------------


def validated(lesson, benchmark, source=small_lesson.SOLUTION, size=(100,)):
    """Run the benchmark's first variant with `source` as its kernel on the simulated GPU."""
    (lesson.path / "1_add.cu").write_text(source)
    arrays = benchmark.arrays(np, size)
    variant = benchmark.variants["ours"]
    kernels = measuring.kernels(lesson, variant, simulator.RawModule)
    run = measuring.run_of_variant(variant, kernels, size, [arrays])
    measuring.validate(benchmark, run, arrays, benchmark.reference(arrays), np)
    return arrays


def test_a_right_kernel_takes_part(lesson, benchmark):
    arrays = validated(lesson, benchmark)
    assert np.array_equal(arrays["total"], arrays["x"] + arrays["y"])


def test_a_wrong_answer_does_not(lesson, benchmark):
    wrong = small_lesson.instead("    if (i < n) total[i] = x[i] - y[i];")
    with pytest.raises(measuring.Skipped, match="gave an answer that is wrong by"):
        validated(lesson, benchmark, wrong)


def test_an_element_that_is_not_written_is_a_wrong_answer(lesson, benchmark):
    wrong = small_lesson.instead("    if (i < n - 1) total[i] = x[i] + y[i];")
    with pytest.raises(measuring.Skipped, match="wrong by nan"):
        validated(lesson, benchmark, wrong)


def test_an_answer_that_is_right_the_first_time_only_is_wrong(lesson, benchmark):
    counts_up = small_lesson.SOLUTION.replace('extern "C"', '__device__ int runs;\nextern "C"')
    counts_up = counts_up.replace("x[i] + y[i];", "x[i] + y[i] * (atomicAdd(&runs, 1) < n);")
    with pytest.raises(measuring.Skipped, match="wrong by"):
        validated(lesson, benchmark, counts_up)


def test_a_launch_may_ask_for_more_shared_memory_than_a_kernel_has_by_default(lesson, benchmark):
    def wide(size):
        return tuple(replace(one, shared_mem=100_000) for one in whole.launches(size))

    whole = benchmark.variants["ours"]
    variants = {"ours": replace(whole, launches=wide)}
    assert validated(lesson, replace(benchmark, variants=variants))


def test_a_variant_may_choose_among_the_kernels_of_several_files(lesson, benchmark):
    twice = small_lesson.SOLUTION.replace("add(", "add_twice(").replace("+ y[i]", "+ 2 * y[i]")
    (lesson.path / "2_twice.cu").write_text(twice)
    either = replace(benchmark.variants["ours"], source=("1_add.cu", "2_twice.cu"))
    find = measuring.kernels(lesson, either, simulator.RawModule)
    assert [find(name).name for name in ("add", "add_twice")] == ["add", "add_twice"]
    with pytest.raises(CudaError, match="add_thrice"):
        find("add_thrice")


def test_a_variant_may_leave_a_size_out(lesson, benchmark):
    small = benchmark.variants["ours, small"]
    with pytest.raises(measuring.Skipped, match="is not made for this size"):
        measuring.run_of_variant(small, None, (1 << 24,), [])


def test_a_library_may_answer_with_a_new_array_or_in_the_result_buffer(benchmark):
    arrays = benchmark.arrays(np, (100,))
    reference = benchmark.reference(arrays)
    libraries = (
        lambda arrays: lambda: arrays["x"] + arrays["y"],
        lambda arrays: lambda: np.copyto(arrays["total"], arrays["x"] + arrays["y"]),
    )
    for library in libraries:
        run = measuring.run_of_library(library, [arrays])
        measuring.validate(benchmark, run, arrays, reference, np)
    short = measuring.run_of_library(lambda arrays: lambda: arrays["x"][1:], [arrays])
    with pytest.raises(measuring.Skipped, match="gave 99 numbers instead of 100"):
        measuring.validate(benchmark, short, arrays, reference, np)


def test_the_simulated_gpu_runs_a_size_of_few_elements(benchmark):
    assert benchmark.tiny_size() == (1024,)
    assert replace(benchmark, sizes=((442_368, 128),)).tiny_size() == (54, 64)
    assert replace(benchmark, tiny=(7,)).tiny_size() == (7,)


# --- figures -----------------------------------------------------------------------------------


def test_a_timing_is_the_median_and_its_spread(benchmark):
    row = timings.timing(benchmark, "ours", (1 << 20,), range(1, 12), copy_gb_per_s=4.0)
    assert (row.ms, row.low, row.high) == (6.0, 2.0, 10.0)
    assert row.bytes == 12 << 20
    assert row.gb_per_s == pytest.approx(12 * 2**20 / 6e-3 / 1e9, rel=1e-3)
    assert row.fraction == pytest.approx(row.gb_per_s / 4.0, rel=1e-3)
    assert row.flops == 1 << 20


def test_figures_are_asked_for_by_variant_and_size(benchmark):
    found = timed(benchmark)
    assert found.ms("CuPy", (1 << 10,)) == 2 * found.ms("ours", (1 << 10,)) > 0
    assert found.gb_per_s("ours", (1 << 24,)) == found.row("ours", (1 << 24,)).gb_per_s
    assert np.isnan(found.ms("nobody", (1 << 10,)))
    assert found.sizes == SIZES
    assert found.variants == ("ours", "CuPy")


def test_a_table_in_the_terminal_has_a_line_for_each_timing(benchmark):
    console = Console(record=True, width=100)
    show_timings(console, timed(benchmark))
    text = console.export_text()
    assert text.count("CuPy") == 3
    assert "16,777,216" in text and "PyTorch is not installed here." in text


# --- what is recorded and recalled -------------------------------------------------------------


def test_what_was_recorded_is_recalled(lesson, benchmark):
    found = timed(benchmark)
    timings.write(lesson.path / timings.FILE, DEVICE, [found])
    assert timings.read(lesson, benchmark) == found


def test_a_benchmark_that_was_not_recorded_has_no_rows(lesson, benchmark):
    assert timings.read(lesson, benchmark).rows == ()
    timings.write(lesson.path / timings.FILE, DEVICE, [timed(replace(benchmark, name="another"))])
    assert timings.read(lesson, benchmark).rows == ()


def test_a_day_is_written_out():
    assert timings.when(DEVICE) == "on an NVIDIA H200 on 21 November 2026"


# --- in a notebook -----------------------------------------------------------------------------


@pytest.fixture
def run_cell(lesson, monkeypatch):
    """Run a cell in a notebook on the small lesson; what it showed, as a list of mime bundles."""
    monkeypatch.setattr(session, "_session", session.NotebookSession(lesson))
    shell = InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))

    def run(cell):
        with capture_output() as seen:
            shell.run_cell(cell).raise_error()
        return [output.data for output in seen.outputs]

    run("from grader.notebook import bench, draw")
    yield run
    InteractiveShell.clear_instance()


@without_a_gpu
def test_bench_recalls_and_says_where_and_when(run_cell, lesson, benchmark):
    timings.write(lesson.path / timings.FILE, DEVICE, [timed(benchmark)])
    table, picture = run_cell('timings = bench("add")')
    for twin in ("text/plain", "text/html"):
        assert (
            "Measured on an NVIDIA H200 on 21 November 2026; there is no GPU here." in table[twin]
        )
        assert "PyTorch is not installed here." in table[twin]
    assert picture["image/png"].startswith(b"\x89PNG")
    (value,) = run_cell('display(timings.ms("ours", (1024,)))')
    assert value["text/plain"] == "1.001"


@without_a_gpu
def test_without_a_gpu_and_a_recording_bench_says_so_and_the_page_goes_on(run_cell):
    told, picture = run_cell('display(draw.roofline(bench("add")))')
    assert "no times have been recorded yet" in told["text/plain"]
    assert "Nothing was timed here" in picture["text/plain"]


def test_a_benchmark_that_there_is_not_is_a_sentence(run_cell):
    with pytest.raises(NotInCourse, match="has no benchmark 'ad'; it has: add"):
        run_cell('bench("ad")')


def test_a_table_of_one_size_has_all_figures_and_one_of_several_the_important_ones(benchmark):
    one = measured(timed(benchmark, SIZES[-1:])).text.splitlines()
    assert one[1].split(maxsplit=2)[:2] == ["16,777,216", "ms"]
    assert one[1].endswith("10th to 90th percentile  GB/s  of a copy")
    assert one[2].split()[:2] == ["ours", "17.8"]
    several = recalled(timed(benchmark)).text.splitlines()
    assert several[1].split() == ["ms", "(of", "a", "copy)", "ours", "CuPy"]
    assert several[4].split() == ["16,777,216", "17.8", "(0%)", "35.5", "(0%)"]


def test_a_size_somebody_left_out_is_a_dash(benchmark):
    found = timed(benchmark)
    found = replace(found, rows=found.rows[:-1])
    assert recalled(found).text.splitlines()[4].split()[-1] == "-"


# --- pictures ----------------------------------------------------------------------------------


def test_the_picture_of_the_bandwidth_is_told_in_words(benchmark):
    picture = bandwidth(timed(benchmark))
    assert "on an NVIDIA H200 on 21 November 2026" in picture.description
    assert "ours: 1,024 0, 1,048,576 6, 16,777,216 11" in picture.description
    assert "a large copy: 4,000" in picture.description


def test_sizes_that_differ_in_several_extents_stand_side_by_side(benchmark):
    found = timed(benchmark, ((4, 1024), (1024, 4)))
    (axes,) = bandwidth(found).axes
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["4\nx 1,024", "1,024\nx 4"]
    assert axes.get_xscale() == "linear"


def test_sizes_that_differ_in_one_extent_stand_on_a_logarithmic_axis(benchmark):
    (axes,) = bandwidth(timed(benchmark)).axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1K", "1M", "16M"]
    assert axes.get_xscale() == "log"


def test_the_size_axis_says_what_the_size_is(benchmark):
    (axes,) = bandwidth(timed(benchmark)).axes
    assert axes.get_xlabel().startswith("size: n elements")
    rows = replace(timed(benchmark, ((8, 1024), (8, 4096))), extents=("rows", "columns"))
    (axes,) = bandwidth(rows).axes
    assert axes.get_xlabel().startswith("size: 8 rows x n columns")
    (axes,) = bandwidth(replace(rows, rows=timed(benchmark, ((4, 8), (8, 4))).rows)).axes
    assert axes.get_xlabel() == "size: rows x columns"


def test_speeds_stand_on_a_logarithmic_axis_only_where_a_line_would_lie_on_zero(benchmark):
    found = timed(benchmark)
    near = tuple(replace(row, gb_per_s=200.0) for row in found.rows)
    (axes,) = bandwidth(replace(found, rows=near)).axes
    assert (axes.get_yscale(), axes.get_ylim()[0]) == ("linear", 0)
    far = tuple(replace(row, gb_per_s=2000.0 if row.variant == "ours" else 10.0) for row in near)
    (axes,) = bandwidth(replace(found, rows=far)).axes
    assert axes.get_yscale() == "log"
    assert axes.get_ylim()[0] < 10 < 4000 < axes.get_ylim()[1]


def test_a_roofline_says_what_share_of_the_roof_is_reached(benchmark):
    found = timed(benchmark)
    fast = replace(found.rows[-1], ms=12 * 2**24 / 4e12 * 1e3)  # as fast as the copy
    picture = draw.roofline(replace(found, rows=(*found.rows[:-1], fast)))
    assert "at 0.0833 operations a byte the roof is 333 GFLOP/s" in picture.description
    assert "CuPy: 333 GFLOP/s, 100%" in picture.description


def test_a_roofline_needs_operations_and_a_size_that_was_timed(benchmark):
    with pytest.raises(Notice, match="does not say how many operations"):
        draw.roofline(timed(replace(benchmark, flops=None)))
    with pytest.raises(Notice, match=r"Nothing was timed at 7\. The sizes are: 1,024, "):
        draw.roofline(timed(benchmark), size=(7,))


def test_labels_keep_apart_and_in_order():
    assert apart([0.0, 1.0, 2.0], 0.5) == [0.0, 1.0, 2.0]
    assert apart([1.0, 1.0], 0.5) == [0.75, 1.25]
    assert apart([0.5, 0.2, 0.5], 0.3) == pytest.approx([0.4, 0.1, 0.7])


# --- at the command line -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--device", "gpu", "99_none"], "There is no lesson '99_none'; there are: 01_add."),
        (["01_add"], "Lessons are timed, and recorded, with --device gpu;"),
        (["--record"], "Lessons are timed, and recorded, with --device gpu;"),
    ],
)
def test_what_cannot_be_timed_is_a_sentence(root, monkeypatch, arguments, sentence):
    monkeypatch.setattr(course, "KERNELS", root)
    result = CliRunner().invoke(app, ["bench", *arguments])
    assert result.exit_code == 2
    assert sentence in result.stderr


def test_a_lesson_without_benchmarks_is_a_sentence(root, lesson, monkeypatch):
    monkeypatch.setattr(course, "KERNELS", root)
    (lesson.path / "benchmarks.py").unlink()
    asked = CliRunner().invoke(app, ["bench", "--device", "gpu", "01_add"])
    assert "01_add has no benchmarks: it has no benchmarks.py." in asked.stderr
    asked_for_all = CliRunner().invoke(app, ["bench", "--device", "gpu"])
    assert "No lesson has benchmarks yet." in asked_for_all.stderr


@without_a_gpu
def test_without_a_gpu_nothing_is_timed(root, monkeypatch):
    monkeypatch.setattr(course, "KERNELS", root)
    result = CliRunner().invoke(app, ["bench", "--device", "gpu", "--record"])
    assert (result.exit_code, result.stdout) == (2, "")
    assert "There is no GPU here to time kernels on" in result.stderr
