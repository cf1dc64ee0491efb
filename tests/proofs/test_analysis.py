"""Reasoning about every size: what is proved, what is shown to break, and what stays open."""

import os
import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from proofs import examined as examined_as_known, mistakes, solutions

pytest.importorskip("z3")

import traced_loops
from analysed_loops import LOOPS, wrong_about
from random_kernels import kernel

from grader import course, proofs as analysis
from grader.course import Rule, rules
from grader.proofs import Outcome
from grader.proofs.launches import STEP, Effort, random_trials
from grader.proofs.trying import MOST_STEPS, replayed

VECTOR = Rule(
    exercise="scale",
    kernel="scale",
    parameters=("float x[n]", "int n"),
    blocks=(256,),
    where=("n >= 1",),
)
OWN = "int i = blockIdx.x * blockDim.x + threadIdx.x;"


def scale(body, before=""):
    return f'{before}\nextern "C" __global__ void scale(float* x, int n) {{\n{body}\n}}'


def examined(body, rule=VECTOR):
    return analysis.prove(scale(body), (rule,), seconds=20)


def test_a_guarded_kernel_is_proved():
    assert examined(f"{OWN} if (i < n) x[i] = 1;").outcome is Outcome.PROVED


def test_a_grid_stride_loop_is_proved():
    body = f"{OWN} for (; i < n; i += gridDim.x * blockDim.x) x[i] = 1;"
    assert examined(body).outcome is Outcome.PROVED


def test_a_missing_guard_is_shown_by_a_launch_with_its_line():
    found = examined(f"{OWN}\nx[i] = 1;")
    assert found.outcome is Outcome.COUNTEREXAMPLE
    assert found.error.status == "out_of_bounds"
    assert found.error.line == 4
    assert "n = " in str(found.trial) and "of 256 threads" in str(found.trial)


def test_an_index_in_a_short_is_shown_beyond_32_767():
    found = examined("short i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1;")
    assert found.outcome is Outcome.COUNTEREXAMPLE
    assert found.trial.grid[0] * 256 > 32_767


def test_a_launch_of_a_million_elements_is_found_where_no_smaller_one_goes_wrong():
    found = examined(f"{OWN} short warp = i / 32; if (i < n && i % 32 == 0) x[warp] = 1;")
    assert found.error.status == "out_of_bounds"
    assert found.trial.numbers["n"] > 2**20


ROWS = Rule(
    exercise="scale",
    kernel="scale",
    parameters=("float x[rows * cols]", "int rows", "int cols"),
    blocks=(64,),
    where=("rows >= 1", "cols >= 1"),
)
OF_A_ROW = """short start = blockIdx.x * cols;
if (blockIdx.x < rows) for (int c = threadIdx.x; c < cols; c += 64) x[start + c] = 1;"""


def test_no_launch_is_proposed_that_is_too_large_for_the_judge():
    source = f'extern "C" __global__ void scale(float* x, int rows, int cols) {{\n{OF_A_ROW}\n}}'
    found = analysis.prove(source, (ROWS,), seconds=20)
    assert found.outcome is Outcome.COUNTEREXAMPLE
    assert found.trial.keeps_to_its_rule()


@pytest.mark.parametrize(
    ("places", "lanes", "outcome"),
    [
        (1024, "1", Outcome.PROVED),
        (1023, "1", Outcome.COUNTEREXAMPLE),
        (
            1024,
            "__shfl_sync(0xffffffff, 1.0f, 0)",
            Outcome.NOT_DECIDED,
        ),  # the last warp may lack some
    ],
)
def test_blocks_of_any_width_are_looked_at_at_once(places, lanes, outcome):
    rule = Rule("scale", "scale", ("float x[n]", "int n"), tuple(range(1, 1025)), ("n >= 1",))
    body = f"""__shared__ float tile[{places}];
    tile[threadIdx.x] = {lanes};
    {OWN} if (i < n) x[i] = tile[threadIdx.x];"""
    assert examined(body, rule).outcome is outcome


def test_a_kernel_that_is_not_decided_leaves_enough_for_the_next():
    """No square is 3 more than a multiple of 4, which the reasoning does not know."""
    given = "float* x, int n"
    far = f"{OWN} int k = i % 999; if (i < n) x[k * k % 4 == 3 ? n : i] = 1;"
    source = f"""extern "C" __global__ void far({given}) {{ {far} }}
    extern "C" __global__ void scale({given}) {{ if (n == 999) x[n + threadIdx.x] = 1; }}"""
    first = replace(VECTOR, kernel="far")
    found = analysis.prove(source, (first, VECTOR), seconds=1)
    assert (found.kernel, found.outcome) == ("scale", Outcome.COUNTEREXAMPLE)


def test_a_launch_that_is_stopped_costs_what_it_took():
    endless = scale("while (x[n - 1] < 1e30f) continue;")
    trial = next(random_trials(VECTOR, np.random.default_rng(0), 1))
    effort = Effort(10**9)
    assert replayed(endless, trial, effort).fault is None
    assert effort.meter.spent >= MOST_STEPS * STEP


def test_a_hard_coded_size_is_shown():
    found = examined("if (blockIdx.x == 0 && n > 256) x[threadIdx.x + 256] = 1;")
    assert found.outcome is Outcome.COUNTEREXAMPLE
    assert 256 < found.trial.numbers["n"] < 512


def test_two_blocks_that_write_one_place_race():
    found = examined("if (threadIdx.x < n) x[threadIdx.x] = blockIdx.x;")
    assert found.outcome is Outcome.COUNTEREXAMPLE
    assert found.error.status == "data_race"
    assert found.trial.grid[0] > 1


def test_a_barrier_that_some_threads_miss_is_shown():
    found = examined(f"{OWN} if (i >= n) return; x[i] = 1; __syncthreads();")
    assert found.outcome is Outcome.COUNTEREXAMPLE or found.suspected
    found = examined(f"{OWN} if (i < n) {{ x[i] = 1; __syncthreads(); }}")
    assert found.outcome is not Outcome.PROVED


def test_what_holds_for_one_round_of_a_loop_is_not_taken_to_hold_for_the_next():
    shared = """__shared__ float last;
    for (int k = 0; k < n; k++) {
        if (threadIdx.x == k % 256) last = k;
        __syncthreads();
        if (threadIdx.x == 0 && blockIdx.x == 0) x[k] = last;
    }"""
    found = examined(shared)
    assert found.outcome is Outcome.COUNTEREXAMPLE
    assert found.error.status == "data_race"


def test_two_barriers_around_it_make_the_same_loop_right():
    shared = """__shared__ float last;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (threadIdx.x == k % 256) last = k;
        __syncthreads();
        if (threadIdx.x == 0 && blockIdx.x == 0) x[k] = last;
    }"""
    assert examined(shared).outcome is Outcome.PROVED


def test_an_index_that_comes_from_memory_is_not_decided():
    rule = Rule("scale", "scale", ("float x[n]", "int places[n]", "int n"), (256,), ("n >= 1",))
    body = f"{OWN} if (i < n) x[places[i]] = 1;"
    source = f'extern "C" __global__ void scale(float* x, const int* places, int n) {{ {body} }}'
    assert analysis.prove(source, (rule,)).outcome is Outcome.NOT_DECIDED


def test_equal_values_that_race_without_harm_accuse_nobody():
    found = examined("if (threadIdx.x < n) x[0] = 1;")
    assert found.outcome is not Outcome.PROVED


@pytest.mark.parametrize("seed", range(12))
def test_what_is_proved_of_random_kernels_no_random_launch_breaks(seed):
    rng = np.random.default_rng(seed)
    source, rule = kernel(rng)
    found = analysis.prove(source, (rule,), seconds=6)
    if found.outcome is Outcome.PROVED:
        for trial in random_trials(rule, rng, 25):
            assert replayed(source, trial, Effort(0)).fault is None, f"{trial}\n{source}"


@pytest.mark.slow
@pytest.mark.parametrize("one", list(solutions()), ids=lambda one: one.name)
def test_no_random_launch_within_its_rule_breaks_a_solution(one):
    rng = np.random.default_rng(7)
    for rule in filter(rules.any_numbers_will_do, one.exercise.rules):
        for trial in random_trials(rule, rng, 8):
            assert replayed(one.source, trial, Effort(0)).fault is None, str(trial)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["saxpy", "add_bias", "mirror"])
def test_the_solutions_of_the_first_lesson_are_proved(name):
    lesson = course.lesson("00_first_kernel")
    exercise = lesson.exercise(name)
    source = lesson.solution(exercise)
    assert analysis.prove(source, exercise.rules).outcome is Outcome.PROVED


MISTAKES = [one for one in mistakes() if one.exercise.rules]


@pytest.mark.slow
@pytest.mark.parametrize("one", random.Random(20).sample(MISTAKES, 8), ids=lambda one: one.name)
def test_no_mistake_is_proved_and_what_is_shown_names_its_line(one):
    found = examined_as_known(one)
    assert found.outcome is not Outcome.PROVED
    if found.error and one.line and found.error.status == one.status:
        assert found.error.line == one.line


SAME = """
import sys
from grader import proofs as analysis
from grader import course
exercise = course.exercise(sys.argv[1])
found = analysis.prove(exercise.solution, exercise.rules)
print(found.outcome, found.spent)
"""


@pytest.mark.slow
@pytest.mark.parametrize("exercise_id", ["03_shuffle_reduction/below_max", "02_tree_reduction/dot"])
def test_reasoning_comes_to_the_same_under_any_hash_seed(exercise_id):
    command = [sys.executable, "-c", SAME, exercise_id]
    said = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in "123"
    }
    assert len(said) == 1


def test_what_is_too_much_work_is_not_decided_whatever_the_clock_says():
    found = analysis.prove(scale(f"{OWN} if (i < n) x[i] = 1;"), (VECTOR,), seconds=0.0)
    assert found.outcome is Outcome.NOT_DECIDED
    assert found.spent < 10_000


@pytest.mark.parametrize("loop", LOOPS, ids=lambda loop: loop.name)
def test_what_may_go_wrong_in_a_loop_is_known_and_nothing_that_happens_is_excluded(loop):
    assert wrong_about(loop) == []


@pytest.mark.parametrize("loop", traced_loops.TRACED, ids=lambda loop: loop.course.name)
def test_what_a_loop_carries_is_what_the_simulated_gpu_finds_in_its_registers(loop):
    assert traced_loops.wrong_about(loop) == []
