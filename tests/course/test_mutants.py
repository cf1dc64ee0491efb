"""Every solution with a small mistake put into it: the cases of its exercise must notice.

A sample of the exercises is tried so; WARPWISE_MUTANTS=all tries all of them."""

import os
import random

import pytest

from grader import course
from tools.equivalent_mutants import trial
from tools.mutants import mutants

pytestmark = pytest.mark.slow

LESSONS = course.lessons()
EXERCISES = [  # of a kernel that is to break, most changes break it no less
    (lesson, exercise)
    for lesson in LESSONS
    for exercise in lesson.exercises
    if exercise.cases and exercise.kind.name != "break"
]
ALL = "WARPWISE_MUTANTS" in os.environ
TRIED = EXERCISES if ALL else random.Random(29).sample(EXERCISES, 6)

SOURCE = """\
extern "C" __global__ void k(const float* x, float* y, int n) {
    __shared__ float tile[32];
    // BEGIN SOLUTION
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float best = -INFINITY;  // i < n is no code
    for (int j = i; j < n; j += 32) best = fmaxf(best, x[j]);
    tile[threadIdx.x] = __shfl_xor_sync(0xffffffff, best, 16);
    __syncthreads();
    // END SOLUTION
    if (i < n) y[i] = tile[31 - threadIdx.x];
}
"""


def changes(kind: str) -> set[str]:
    return {mutant.after for mutant in mutants(SOURCE) if mutant.kind == kind}


def test_a_barrier_is_removed():
    assert changes("barrier removed") == {""}


def test_comparisons_and_loop_bounds_are_shifted():
    assert changes("comparison shifted") == {
        "for (int j = i; j <= n; j += 32) best = fmaxf(best, x[j]);"
    }
    assert changes("loop bound changed") == {
        "for (int j = i; j < ((n) - 1); j += 32) best = fmaxf(best, x[j]);",
        "for (int j = i; j < ((n) + 1); j += 32) best = fmaxf(best, x[j]);",
    }


def test_terms_of_an_index_are_dropped():
    assert {
        "const int i = blockIdx.x * blockDim.x;",
        "const int i = threadIdx.x;",
        "const int i = blockIdx.x + threadIdx.x;",
        "const int i = blockDim.x + threadIdx.x;",
    } == changes("index term dropped")


def test_masks_identities_and_operators_are_exchanged():
    assert changes("mask changed") == {
        "tile[threadIdx.x] = __shfl_xor_sync(0x0000ffffu, best, 16);"
    }
    assert changes("identity changed") == {"float best = 0.0f;  // i < n is no code"}
    assert "for (int j = i; j < n; j += 32) best = fminf(best, x[j]);" in changes(
        "operator swapped"
    )


def test_only_what_a_learner_writes_is_changed():
    assert {mutant.line for mutant in mutants(SOURCE)} == {4, 5, 6, 7, 8}


@pytest.mark.parametrize(("lesson", "exercise"), TRIED, ids=[exercise.id for _, exercise in TRIED])
def test_the_cases_notice_every_mutant_that_is_a_mistake(lesson, exercise):
    tried = trial(lesson, exercise)
    assert tried.killed > 0
    assert [(one.kind, one.before, one.after) for one in tried.unexplained] == []
    assert tried.stale == ()
