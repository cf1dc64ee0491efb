"""What an exercise promises, as classes of launches, and that its cases meet all of them."""

import re
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

from grader import course
from grader.cli import app
from grader.course import Case, Launch, Problem, Rule, chosen, classes, covering
from grader.course.inputs import VALUES, classes_of, mixed, quarters
from grader.cuda import simulator
from grader.judge import judge

EXERCISES = [one for lesson in course.lessons() for one in lesson.exercises]
PROMISING = [one for one in EXERCISES if one.rules]
each_promise = pytest.mark.parametrize("exercise", PROMISING, ids=lambda one: one.id)
SCALE = Rule(
    exercise="scale",
    kernel="scale",
    parameters=("float x[rows * columns]", "int rows", "int columns"),
    blocks=(32, 64),
    where=("columns % 4 == 0", "columns <= 64", "gridDim.x * blockDim.x >= rows"),
    edges=(("rows", "blockDim.x"), ("columns", "32")),
    values=("ordinary", "all -inf", "a NaN"),
)


def scaled(rng, rows, columns, grid, block, draw=quarters):
    x = draw(rng, (rows, columns))
    args = ("x", np.int32(rows), np.int32(columns))
    return Problem({"x": x}, {}, (Launch("scale", grid, block, args),))


def scaling(*cases):
    return course.Exercise("scale", "", "", tuple(cases), rules=(SCALE,))


def names(rule=SCALE):
    return set(classes.promised(rule).classes)


def unmet(exercise):
    (found,) = classes.met(exercise, classes.drawn(exercise))
    return list(found.told())


@each_promise
@pytest.mark.parametrize("seed", [0, 7])
def test_the_cases_of_an_exercise_meet_all_that_it_promises(exercise, seed):
    found = classes.met(exercise, classes.drawn(exercise, seed))
    assert [sentence for one in found for sentence in one.told()] == []


@each_promise
def test_every_case_that_is_to_cover_launches_has_some(exercise):
    made = [chosen.of_case(case) for case in exercise.cases]
    assert all(one.rows for one in made if one)


def test_an_exercise_without_a_rule_says_what_it_promises_instead():
    of_boxes = {"neighbours", "warpgroup"}  # no rule can say what a tensor map is of
    kernels = [one for one in EXERCISES if one.cases]  # no question
    without = [one for one in kernels if not one.rules and one.name not in of_boxes]
    assert {one.kind.name for one in without} == {"break"}
    result = CliRunner().invoke(app, ["cases", "00/one_too_far"])
    assert "goes wrong in" not in result.output
    assert "promises no others" in result.output
    assert result.exit_code == 0


def test_a_class_is_there_for_each_edge_and_each_side_of_it():
    sizes = {what for factor, what in names() if factor == "columns"}
    assert sizes == {"32 - 4", "32", "32 + 4", "64 - 4", "64"}
    assert ("gridDim.x", "above 32") in names()
    assert {what for factor, what in names() if factor == "threads"} == {"a warp", "some warps"}


def test_what_a_rule_forbids_is_no_class():
    one_block = replace(SCALE, where=(*SCALE.where, "gridDim.x == 1"))
    assert not {factor for factor, _ in names(one_block)} & {"gridDim.x"}
    assert ("rows", "above 255") not in names(one_block)
    assert ("arrays begin", "anywhere") not in names(replace(SCALE, aligned=True))


def test_a_pair_that_no_launch_can_be_of_is_not_asked_for():
    promise = classes.promised(SCALE)
    known = list(promise.classes)
    above, one_block = known.index(("rows", "blockDim.x + 1")), known.index(("gridDim.x", "1"))
    assert not promise.wanted[above, one_block]
    assert promise.wanted[above, known.index(("gridDim.x", "2 to 32"))]


def test_what_is_beyond_16_bits_is_asked_of_ordinary_values_and_beside_no_other_class():
    promise = classes.promised(course.exercise("00/saxpy").rules[0])
    beyond = list(promise.classes).index(("n", "above 65,536"))
    assert promise.wanted[beyond, beyond]
    alone = [
        what
        for what, together in zip(promise.classes, promise.wanted[beyond], strict=True)
        if together
    ]
    assert ("values", "ordinary") in alone  # a NaN would hide a wrong element
    others = {factor for factor, what in alone if what != "ordinary"}
    assert others <= {"n", "elements", "threads of the grid"}


@pytest.mark.parametrize("name", VALUES)
def test_values_are_known_by_what_stands_in_the_array_for_what_they_were_drawn_as(name):
    drawn = mixed([name])(np.random.default_rng(0), (3, 40))
    assert name in classes_of(drawn, VALUES)


def test_rows_of_one_array_are_of_different_values():
    some = ("ordinary", "all -inf", "a NaN", "tiny")
    assert classes_of(mixed(some)(np.random.default_rng(0), (4, 9)), some) == set(some)


def test_a_case_too_tame_is_told_what_it_does_not_meet():
    lines = unmet(scaling(Case("one", lambda rng: scaled(rng, 5, 32, 1, 32), 1)))
    assert "gridDim.x: above 32" in lines
    assert "values: all -inf" in lines
    assert "columns: 32" not in lines


def test_launches_are_chosen_until_nothing_is_missing():
    exercise = scaling(covering("all", scaled))
    rows = chosen.choose(exercise)
    full = replace(exercise, cases=tuple(chosen.dealt(exercise.cases, rows)))
    assert unmet(full) == []
    assert len(rows) < 40


def test_a_choice_holds_nothing_that_the_others_meet_together_or_more_cheaply():
    rows = {"a large one": "011110", "left": "111000", "right": "000111", "the same": "000111"}
    covers = np.array([[sign == "1" for sign in row] for row in rows.values()])
    options = chosen.LaunchChoices(covers, np.array([1.0, 1.0, 1.0, 0.5]), np.zeros(4, int))
    assert {list(rows)[at] for at in options.cover()} == {"left", "the same"}


def test_launches_with_blocks_of_one_shape_are_chosen_as_they_run_at_the_same_time():
    covers = np.array([[True, False], [False, True], [False, True]])
    options = chosen.LaunchChoices(covers, np.array([0.1, 0.1, 0.2]), np.array([0, 1, 0]))
    assert sorted(options.cover()) == [0, 2]


def test_what_other_cases_meet_is_not_chosen_again():
    whole = scaling(covering("all", scaled))
    rows = chosen.choose(whole)
    (met,) = chosen.dealt(whole.cases, rows)
    plain = replace(met, problem=lambda rng: met.problem(rng))
    assert chosen.choose(scaling(plain, covering("rest", scaled))) == []


def test_a_row_belongs_to_the_first_case_that_takes_it():
    cases = (
        covering("anywhere", scaled, lambda row: row["anywhere"]),
        covering("the rest", scaled),
    )
    rows = [{"anywhere": True, "rows": 1}, {"anywhere": False, "rows": 2}]
    first, second = (chosen.of_case(case) for case in chosen.dealt(cases, rows))
    assert (first.rows, second.rows) == ((rows[0],), (rows[1],))


def test_the_command_says_what_is_missing_and_exits_with_1(monkeypatch):
    saxpy = course.exercise("00/saxpy")
    tame = replace(saxpy, cases=saxpy.cases[:1])
    monkeypatch.setattr(course.Lesson, "exercise", lambda self, name: tame)
    result = CliRunner().invoke(app, ["cases", "00/saxpy"])
    assert result.exit_code == 1
    assert "not met: gridDim.x: above 32" in result.output


RIGHT_IN_TAME_LAUNCHES = {
    # Right up to 32 blocks, and for blocks of 32 threads.
    "02/last_block": (
        "wrong_answer",
        """
    if (thread == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicAdd(finished, 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (!last) return;
    sum = 0.0f;
    for (int b = thread; b < gridDim.x; b += 32) sum += partial[b];
    sum = block_sum(sum, tile);
    if (thread == 0) {
        *total = sum;
        *finished = 0;
    }
""",
    ),
    # Right up to column 32,767.
    "00/mirror": (
        "out_of_bounds",
        """
    const short col = blockIdx.x * blockDim.x + threadIdx.x;
    const int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        mirror[row * cols + col] = picture[row * cols + cols - 1 - col];
    }
""",
    ),
    # Right where a block has any number that is no -inf.
    "02/max": (
        "wrong_answer",
        """
    float largest = -3.402823466e+38f;
    if (i < n) largest = fmaxf(largest, x[i]);
    tile[thread] = largest;
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
        if (thread < stride) tile[thread] = fmaxf(tile[thread], tile[thread + stride]);
        __syncthreads();
    }
""",
    ),
    # Right while e^from and e^to are floats.
    "05/rescale": (
        "wrong_answer",
        """
    if (i < n) rescaled[i] = sum[i] * expf(from[i]) / expf(to[i]);
""",
    ),
    # Right where there is a dimension.
    "01/where": (
        "out_of_bounds",
        """
    if (i >= n) return;
    int rest = i, of_cond = 0, of_x = 0, of_y = 0;
    for (int d = dims - 1; d > 0; d--) {
        const int at = rest % shape[d];
        of_cond += at * cond_strides[d], of_x += at * x_strides[d], of_y += at * y_strides[d];
        rest /= shape[d];
    }
    of_cond += rest * cond_strides[0], of_x += rest * x_strides[0], of_y += rest * y_strides[0];
    out[i] = cond[of_cond] ? x[of_x] : y[of_y];
""",
    ),
    # Right for stretches that have a number, and for those of no element.
    "05/merge": (
        "wrong_answer",
        """
    both.max = fmaxf(a.max, b.max);
    both.sum = a.sum > 0.0f ? a.sum * expf(a.max - both.max) : 0.0f;
    if (b.sum > 0.0f) both.sum += b.sum * expf(b.max - both.max);
""",
    ),
    # Right, and as fast as ours, in grids of a few blocks.
    "00/saxpy": (
        "over_budget",
        """
    if (blockIdx.x > 0) return;
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = a * x[i] + y[i];
""",
    ),
    # Right, with two exponentials for each element that is written.
    "05/online_row": (
        "over_budget",
        """
    Pair mine = {-INFINITY, 0.0f};
    for (int i = threadIdx.x; i < columns; i += 256) mine = merge(mine, {x[start + i], 1.0f});
    for (int apart = 16; apart > 0; apart /= 2) {
        mine = merge(mine, {__shfl_xor_sync(0xffffffff, mine.max, apart),
                            __shfl_xor_sync(0xffffffff, mine.sum, apart)});
    }
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();
    Pair all = of_warp[lane % 8];
    for (int apart = 4; apart > 0; apart /= 2) {
        all = merge(all, {__shfl_xor_sync(0xffffffff, all.max, apart),
                          __shfl_xor_sync(0xffffffff, all.sum, apart)});
    }
    for (int i = threadIdx.x; i < columns; i += 256) {
        const float below = x[start + i] - all.max;
        y[start + i] = expf(0.25f * below) * expf(0.75f * below) / all.sum;
    }
""",
    ),
}


@pytest.mark.parametrize("exercise_id", RIGHT_IN_TAME_LAUNCHES)
def test_what_is_right_in_tame_launches_alone_gets_no_full_marks(exercise_id):
    exercise = course.exercise(exercise_id)
    status, body = RIGHT_IN_TAME_LAUNCHES[exercise_id]
    region = r"(?s)(// BEGIN SOLUTION\n).*?( *// END SOLUTION)"
    source = re.sub(region, lambda match: match[1] + body + match[2], exercise.solution)
    verdict = judge(exercise.id, source)
    assert verdict.status == status, verdict.message
    assert 0 < verdict.points < exercise.points


# --- arrays that begin anywhere in a larger one ---------------------------------------------------


PACKS = """
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n % 4 == 0 && i < n / 4) {
        const float4 u = reinterpret_cast<const float4*>(x)[i];
        const float4 v = reinterpret_cast<const float4*>(y)[i];
        reinterpret_cast<float4*>(out)[i] = {a * u.x + v.x, a * u.y + v.y, a * u.z + v.z,
                                             a * u.w + v.w};
    } else if (n % 4 && i < n) {
        out[i] = a * x[i] + y[i];
    }
}
"""


def test_packs_where_nothing_promises_that_they_lie_right_are_found_by_a_hidden_case():
    saxpy = course.exercise("00_first_kernel/saxpy")
    verdict = judge(saxpy.id, PACKS)
    hidden = [case for case in verdict.cases if not case.visible and case.status != "passed"]
    assert [case.status for case in hidden] == ["misaligned"]
    assert "begin anywhere" in hidden[0].name


def test_of_a_stretch_of_an_array_is_known_which_elements_were_written():
    kernel = simulator.RawModule(
        code='extern "C" __global__ void f(float* y) { y[threadIdx.x * 2] = 1.0f; }'
    ).get_function("f")
    stretch = simulator.empty(9, np.float32)[1:]
    kernel((1,), (4,), (stretch,))
    assert simulator.written(stretch).tolist() == [True, False] * 4


def test_together_keeps_where_the_buffers_of_each_problem_begin():
    saxpy = course.exercise("00_first_kernel/saxpy")
    case = next(case for case in saxpy.cases if "begin anywhere" in case.name)
    problem = case.problem(np.random.default_rng(0))
    assert set(problem.begins) == {*problem.inputs, *problem.outputs}
