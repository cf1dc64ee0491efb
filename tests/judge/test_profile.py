"""`grader profile`, `counters` and `bench`: what kernels cost, as a shell meets it."""

import json
import os
import random
import re
from pathlib import Path

import numpy as np
import pytest
import small_lesson
from rich.console import Console
from typer.testing import CliRunner

from grader import course, cuda
from grader.bench import microbenchmarks, ncu, speed
from grader.cli.app import app
from grader.cli.bench_commands import show_speed
from grader.cuda import simulator
from grader.cuda.work import buffers_of
from grader.errors import BadInput
from grader.profiler.profile import one_by_one, simulate

COPY = """\
extern "C" __global__ void copy(const float* x, float* y, int stride, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i * stride];
    }
}
"""
BY_EIGHT = ["--grid", "2", "--block", "32", "--arg", "float:512", "--arg", "out:float:64"]
BY_EIGHT += ["--arg", "int=8", "--arg", "int=64"]


@pytest.fixture
def grader(monkeypatch, tmp_path):
    """Run `grader ARGUMENTS` in a directory that holds copy.cu."""
    monkeypatch.chdir(tmp_path)
    Path("copy.cu").write_text(COPY)
    return lambda *arguments: CliRunner().invoke(app, list(arguments), env={"COLUMNS": "140"})


def test_a_profile_shows_each_line_beside_its_ideal(grader):
    result = grader("profile", "copy.cu", *BY_EIGHT)
    assert result.exit_code == 0, result.stderr
    tables = result.stdout.partition("Loads from global memory")[2]
    line = next(row for row in tables.splitlines() if "y[i] = x[i * stride];" in row)
    assert re.split(r"\s{2,}", line.strip()) == [
        "4",
        "y[i] = x[i * stride];",
        "2",  # requests
        "64",  # sectors
        "8 x8.0",  # the ideal, and how many times as much was paid
        "256",  # bytes
    ]
    assert "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" in result.stdout
    assert "shared memory" not in result.stdout  # it uses none


def test_in_a_narrow_terminal_the_source_can_still_be_read(grader, monkeypatch):
    long = COPY.replace("y[i] = x[i * stride];", "y[i] = x[i * stride];  // one element a thread")
    Path("copy.cu").write_text(long)
    result = CliRunner().invoke(app, ["profile", "copy.cu", *BY_EIGHT], env={"COLUMNS": "80"})
    rows = [row for row in result.stdout.splitlines() if "y[i] = x[i * stride];" in row]
    assert len(rows) == 3  # instructions, loads, stores
    assert max(map(len, result.stdout.splitlines())) <= 80
    table = result.stdout.partition("Loads from global memory")[0]
    assert "…" not in table  # a long line goes on below
    assert set(COPY.splitlines()[0].split()) <= set(table.split())


def test_json_has_every_counter_by_line_with_its_metric(grader):
    result = grader("profile", "copy.cu", *BY_EIGHT, "--json")
    profile = json.loads(result.stdout)
    assert profile["launches"] == [
        {"kernel": "copy", "grid": [2], "block": [32], "shared_mem": 0},
    ]
    assert profile["total"]["global_load_sectors"] == 64
    assert profile["lines"]["4"]["global_load_sectors_ideal"] == 8
    assert profile["metrics"].keys() == profile["total"].keys()
    assert (
        sum(line["inst_executed"] for line in profile["lines"].values())
        == (profile["total"]["inst_executed"])
    )


def test_an_exercise_lends_its_first_launch(grader, monkeypatch, tmp_path):
    monkeypatch.setattr(course, "KERNELS", small_lesson.write(tmp_path))
    Path("answer.cu").write_text(small_lesson.SOLUTION)
    result = grader("profile", "answer.cu", "--exercise", small_lesson.ID, "--json")
    profile = json.loads(result.stdout)
    assert profile["launches"][0]["kernel"] == "add"
    assert profile["total"]["global_load_sectors"] == 2 * 128 * 4 // 32


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["copy.cu"], "--grid and --block, or --exercise"),
        (["none.cu", *BY_EIGHT], "There is no file none.cu."),
        (["copy.cu", "--grid", "2x2", "--block", "32"], "as in 4,2; not '2x2'"),
        (["copy.cu", "--grid", "1", "--block", "32", "--arg", "flot:8"], "no type 'flot'"),
        (["copy.cu", "--grid", "1", "--block", "32", "--arg", "8"], "'8' is no argument; write"),
        (["copy.cu", "--grid", "1", "--block", "32", "--arg", "int=x"], "'x' in 'int=x' is no int"),
        (["copy.cu", "--exercise", "99_nothing/at_all"], "There is no lesson"),
        (["two.cu", *BY_EIGHT], "with --kernel: one, two."),
    ],
)
def test_what_cannot_be_launched_gets_one_sentence(grader, arguments, sentence):
    kernel = 'extern "C" __global__ void {}() {{}}\n'
    Path("two.cu").write_text(kernel.format("one") + kernel.format("two"))
    result = grader("profile", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert sentence in result.stderr


def test_a_question_has_no_kernel_to_profile(grader):
    asked = ("--exercise", "06_pack_vectorization/which_are_aligned")
    result = grader("profile", "copy.cu", *asked)
    assert result.exit_code == 2
    assert "which_are_aligned is a question: it has no kernel to profile." in result.output


def test_a_kernel_that_goes_wrong_is_named_with_its_line(grader):
    result = grader("profile", "copy.cu", *[a.replace("float:512", "float:500") for a in BY_EIGHT])
    assert result.exit_code == 1
    assert "copy, line 4" in result.stderr


def test_zeros_vectors_and_several_dimensions_can_be_passed(grader):
    Path("wide.cu").write_text("""
extern "C" __global__ void wide(const float4* x, int* count, double* y) {
    const int i = blockIdx.y * 16 + threadIdx.y * 8 + threadIdx.x;
    atomicAdd(count, 1);
    y[i] = x[i].w;
}
""")
    arguments = ["--arg", "float4:32", "--arg", "zeros:int:1", "--arg", "out:double:32"]
    result = grader(
        "profile", "wide.cu", "--grid", "1,2", "--block", "8,2", *arguments, "--kernel", "wide"
    )
    assert result.exit_code == 0, result.stderr
    assert "atomics" in result.stdout


# --- beside Nsight Compute ---------------------------------------------------------------------


def ncu_csv(work, **changes):
    """What ncu prints for the launches of `work` if it counts as the simulated GPU does, but for
    the `changes`."""
    total = simulate(work).counters.total | changes
    plain = {m: total[c] for c, m in ncu.METRICS.items() if c not in ncu.OPCODES}
    opcodes = f"999 (BAR: {total['barriers']}; RED: {total['atomics']}; SHFL: {total['shuffles']})"
    heads = ["ID", "Kernel Name", *plain, ncu.PER_OPCODE]
    values = [f"{v:,}" if isinstance(v, int) else v for v in plain.values()]
    rows = [heads, ["", "", *["inst"] * len(plain), ""]]
    rows += [["0", f"{work.launches[0].kernel}(const float *, int)", *values, opcodes]]
    text = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    return f"# A GPU; ncu 1.0\n==PROF== Connected\n{text}"


def compared(tmp_path, work, **changes):
    csv = tmp_path / "ncu.csv"
    csv.write_text(ncu_csv(work, **changes))
    return ncu.compare([work], ncu.read(csv))


def test_equal_counts_are_printed_once(tmp_path):
    rows = compared(tmp_path, microbenchmarks.block_sums(1000))
    assert not list(ncu.differences(rows))
    page = ncu.page(rows, {"a/b": "it is left out"}, ncu.hardware(tmp_path / "ncu.csv"))
    assert "Hardware: `A GPU; ncu 1.0`." in page
    assert "Nothing differs." in page
    assert "- a/b: it is left out" in page


def test_sectors_must_be_equal_and_wavefronts_nearly(tmp_path):
    work = microbenchmarks.softmax(4, 1000)
    total = simulate(work).counters.total
    close = {name: total[name] + 1 for name in ("global_load_sectors", "shared_load_wavefronts")}
    rows = compared(tmp_path, work, **close)
    ((row, cell),) = ncu.differences(rows)
    assert (cell.counter, ncu.why(row)) == ("global_load_sectors", "not explained")
    assert rows[0].cells["shared_load_wavefronts"].state == "close"


def test_what_the_hardware_does_not_count_is_not_compared(tmp_path):
    rows = compared(tmp_path, microbenchmarks.block_sums(1000), shared_store_wavefronts="n/a")
    assert rows[0].cells["shared_store_wavefronts"].state == "n/a"
    assert not list(ncu.differences(rows))
    assert "/ n/a" in ncu.page(rows, {}, "a GPU")


def test_launches_in_another_order_are_refused(tmp_path):
    csv = tmp_path / "ncu.csv"
    csv.write_text(ncu_csv(microbenchmarks.block_sums(1000)))
    with pytest.raises(BadInput, match="measure again"):
        ncu.compare([microbenchmarks.softmax(1, 100)], ncu.read(csv))


@pytest.mark.skipif(cuda.gpu_count() > 0, reason="there is a GPU here")
def test_without_a_gpu_there_is_nothing_to_compare_with(grader):
    result = grader("counters")
    assert result.exit_code == 2
    assert "There is no GPU here" in result.stderr


def test_every_kernel_of_the_course_says_how_it_is_launched():
    found = ncu.launches()
    files = [path for lesson in course.lessons() for path in lesson.path.glob("*.cu")]
    assert len(found) == len(files)
    assert [name for name, work in found.items() if work is None] == []


def test_kernels_of_the_course_are_compared_unless_they_are_broken_on_purpose():
    """Some of them; WARPWISE_LESSONS=all runs every one."""
    found = ncu.launches()
    some = found if "WARPWISE_LESSONS" in os.environ else random.Random(13).sample([*found], 15)
    for name in some:
        said = ncu.problem(found[name])
        assert not said or said.startswith("the simulated GPU stops it"), name


def test_specimens_run_clean_and_are_more_than_twelve_kernels():
    works = microbenchmarks.works()
    assert len({work.launches[0].kernel for work in works}) > 12
    assert len({work.name for work in works}) == len(works)
    for work in works:
        assert not simulate(work).hazards, work.name


# --- how fast ----------------------------------------------------------------------------------


def test_the_softmax_that_is_timed_is_a_softmax():
    work = microbenchmarks.softmax(3, 500)
    buffers = buffers_of(work, np.array, np.empty)
    for run in one_by_one(work, simulator.RawModule, buffers):
        run()
    x, y = (buffer.reshape(3, 500) for buffer in [*buffers.values()][:2])
    exact = np.exp(x - x.max(axis=1, keepdims=True).astype(np.float64))
    assert np.allclose(y, exact / exact.sum(axis=1, keepdims=True), rtol=1e-5, atol=0)


def test_a_step_is_counted_once_however_many_threads_take_it():
    sums = [microbenchmarks.block_sums(256 * blocks) for blocks in (1, 8)]
    one, many = (speed.Ready(work).observed() for work in sums)
    assert one.steps == many.steps > 0
    instructions = one.counters.total["inst_executed"], many.counters.total["inst_executed"]
    assert instructions[1] == 8 * instructions[0]


def test_figures_stand_beside_their_targets():
    console = Console(record=True, width=100)
    figures = [
        speed.Figure("a step", "µs", 5.0, 10.0),
        speed.Figure("times as fast", "x", 50.0, 100.0, at_least=True),
        speed.Figure("memory", "MB", 7.0),
    ]
    assert [figure.reached for figure in figures] == [True, False, None]
    show_speed(console, figures)
    text = console.export_text()
    assert "at most 10 µs" in text and "at least 100 x" in text


def test_bench_measures_the_simulator_only(grader):
    result = grader("bench", "--device", "toaster")
    assert result.exit_code == 2
    assert "--device simulator" in result.stderr
