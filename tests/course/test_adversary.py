"""Mistakes of meaning put into kernels, and whether the cases notice: a part of what
`python -m tools.adversary` tries whole."""

import itertools
import random
from dataclasses import replace

import pytest

from grader import course
from tools import adversary, changes, trials

SEED, SAMPLE = 1, 24
TAME = "02_tree_reduction/dot"

SOURCE = """\
extern "C" __global__ void k(const float* x, float* y, int rows, int columns) {
    __shared__ float tile[32];
    // BEGIN SOLUTION
    float best = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) best = fmaxf(best, x[i]);
    best = fmaxf(best, __shfl_xor_sync(0xffffffff, best, 16));
    tile[threadIdx.x % 32] = best;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = expf(tile[1] - tile[0]);
    // END SOLUTION
}
"""


def after(kind: str) -> set[str]:
    return {" ".join(one.after.split()) for one in changes.changes(SOURCE) if one.kind == kind}


def test_a_bound_becomes_the_others_nearby():
    assert {"rows", "32", "gridDim.x", "blockDim.y"} <= after("another bound")
    assert {"(columns + 1)", "(columns - 1)"} <= after("a bound moved by one")
    assert {"<=", ">", "!="} <= after("another comparison")


def test_indices_become_narrow():
    assert {"short i = threadIdx.x;", "(short)(i)", "(unsigned char)(i)"} <= after("index narrowed")


def test_an_identity_becomes_each_of_the_others():
    assert after("another identity") == set(changes.IDENTITIES) - {"-INFINITY"}


def test_an_exponential_becomes_a_quotient():
    assert after("exponential as a quotient") == {"(expf(tile[1]) / expf(tile[0]))"}


def test_a_shuffle_becomes_the_others():
    assert after("another shuffle") == {"__shfl_down_sync", "__shfl_up_sync"}


def test_a_loop_is_gone_through_once_or_by_one_alone():
    assert after("body executed once") == {"{ best = fmaxf(best, x[i]); break; }"}
    (alone,) = after("work: a loop gone through by one warp")
    assert alone.startswith("if (threadIdx.x < 32) for (int i = threadIdx.x; i < columns; i += 32)")


def test_a_barrier_moves_by_a_statement():
    assert after("a barrier moved up") == {"__syncthreads(); tile[threadIdx.x % 32] = best;"}
    (down,) = after("a barrier moved down")
    assert down.startswith("if (threadIdx.x == 0)") and down.endswith("__syncthreads();")
    assert after("a barrier dropped") == {";"}


def test_lanes_warps_blocks_and_rounds_are_left_out_or_taken_twice():
    for who in ("lane 31", "the last warp", "the first block", "the last element"):
        assert after(f"{who} left out")
    assert after("twice for the last block")
    assert after("the first element taken twice")


def test_only_what_a_learner_writes_is_changed():
    lines = {one.line for one in changes.changes(SOURCE) if "done by" not in one.kind}
    assert lines == {4, 5, 6, 7, 8, 9}


@pytest.mark.slow
def test_cases_that_are_too_tame_are_shown_by_what_survives():
    bench = trials.bench(TAME)
    source = bench.exercise.solution.replace("i < n;", "i < 1000;")
    assert source != bench.exercise.solution
    assert bench.fails(source)
    tame = replace(bench, instances=())
    assert not tame.fails(source)
    assert trials.told_apart(tame, tame.exercise.solution, source, {})


@pytest.mark.slow
def test_what_says_the_same_in_other_words_is_shown_equal():
    bench = trials.bench(TAME)
    source = bench.exercise.solution.replace("i < n;", "!(i >= n) && i != n;")
    assert source != bench.exercise.solution
    assert not bench.fails(source)
    assert trials.told_apart(bench, bench.exercise.solution, source, {}) == ""


@pytest.mark.slow
def test_no_change_of_a_sample_survives():
    every = [(part, place) for part in adversary.parts("", 0, 0) for place in part.places]
    chosen = random.Random(SEED).sample(every, SAMPLE)
    rows = [
        row for part, place in chosen for row in adversary.tried(replace(part, places=(place,)))
    ]
    assert [row for row in rows if row.fate == "survived"] == []
    assert sum(row.fate == "caught" for row in rows) > SAMPLE / 2


def test_what_is_excused_is_still_a_change_and_there_are_twenty_at_most():
    excused = adversary.excused()
    assert len(excused) <= 20
    for exercise, change in excused:
        made = changes.changes(trials.bench(exercise).exercise.solution)
        assert change in map(changes.in_few_words, made)


def test_a_run_that_was_cut_off_goes_on_where_its_file_ends(tmp_path):
    file = tmp_path / "rows.jsonl"
    first, second = list(adversary.parts(TAME, 0, 0))[:2]
    done = adversary.run([first], 1, file)
    assert adversary.split([first, second], file) == (done, [second])


@pytest.mark.parametrize("lesson", course.lessons(), ids=lambda lesson: lesson.name)
def test_every_exercise_has_small_launches_that_may_tell_a_mistake_from_the_solution(lesson):
    for exercise in lesson.exercises:
        if exercise.cases and exercise.kind.name != "break":
            launches = itertools.islice(trials.bench(exercise.id).small_launches(), 3)
            assert list(launches), exercise.id
