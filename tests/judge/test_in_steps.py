"""Exercises in steps: an answer that is half finished is told which steps are passed, and the
message is about the first other one; points and statuses are as without steps."""

import json
import re
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from rich.console import Console

from grader import course
from grader.cli import terminal
from grader.course.kinds import Write
from grader.course.weave import weave
from grader.judge import judge
from grader.judge.stepped import handy_failure
from grader.judge.verdict import Checked, Report, Verdict, by_cause, foremost
from grader.notebook import verdict_card
from tools import schema_page

ID = "01_powers/powers"
PASSED, HERE, LATER = "passed", "not there yet", "comes later"

EXERCISES = """
import numpy as np
from grader.course import Budget, Case, Exercise, Expected, Launch, Problem, WritingStep

BLOCK = 64


def powers(n):
    def problem(rng):
        x = rng.integers(1, 9, n).astype(np.float32)
        exact = x.astype(np.float64)
        outputs = {name: Expected(one, np.float32) for name, one in
                   (("double_", 2 * exact), ("square", exact**2), ("sum", x_sums(exact)))}
        args = ("x", "double_", "square", "sum", "done", np.int32(n))
        inputs = {"x": x, "done": np.zeros(1, np.uint32)}
        return Problem(inputs, outputs, (Launch("powers", 1, BLOCK, args),))
    return problem


def x_sums(exact):
    return np.array([exact.sum()])


exercise = Exercise(
    name="powers",
    title="Powers",
    source="1_powers.cu",
    cases=(
        Case("a whole block", powers(64), 1),
        Case("half a block", powers(32), 1),
        Case("within budget", powers(64), 1, budgets=(
            Budget("global_load_sectors", 8, "x is read once"),)),
        Case("a few", powers(7), 1, visible=False),
    ),
    steps=(
        WritingStep("the doubles", "Write `double_`.", outputs=("double_",)),
        WritingStep("the squares", "Write `square`.", ("a whole block",), ("square",)),
        WritingStep("the rest", "Write `sum`, and read x once."),
    ),
)
"""
KERNEL = """\
extern "C" __global__ void powers(const float* x, float* double_, float* square, float* sum,
                                  unsigned int* done, int n) {
    __shared__ float tile[64];
    const int i = threadIdx.x;
    // BEGIN SOLUTION
%s
    // END SOLUTION
}
"""
DOUBLES = "    if (i < n) double_[i] = 2.0f * x[i];"
SQUARES = "    if (i < n) square[i] = x[i] * x[i];"
SUM = """
    tile[i] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i == 0) {
        float all = 0.0f;
        for (int k = 0; k < n; k++) all += tile[k];
        *sum = all;
    }"""
ALL = """
    const float mine = i < n ? x[i] : 0.0f;
    tile[i] = mine;
    if (i < n) { double_[i] = 2.0f * mine; square[i] = mine * mine; }
    __syncthreads();
    if (i == 0) {
        float all = 0.0f;
        for (int k = 0; k < n; k++) all += tile[k];
        *sum = all;
    }"""


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """A course of one exercise in three steps, as the folder that holds it."""
    root = tmp_path_factory.mktemp("kernels")
    lesson = root / "01_powers"
    lesson.mkdir()
    (lesson / "lesson.md").write_text("# Powers\n\n```{exercise} powers\n```\n")
    (lesson / "exercises.py").write_text(EXERCISES)
    (lesson / "1_powers.cu").write_text(KERNEL % ALL)
    return root


@pytest.fixture(scope="module")
def answered(kernels):
    """The verdict on an answer, with hidden cases or without."""
    return lambda *lines, hidden=True: judge(
        ID, KERNEL % "\n".join(lines), root=kernels, hidden=hidden
    )


def states(verdict):
    """What is said of each step."""
    return tuple(re.search(r": ([^:]+)\.$", row)[1] for row in verdict.progress)


def card(verdict, kernels):
    """What the card says."""
    return verdict_card.page(verdict, KERNEL % "", course.exercise(ID, kernels)).text


def test_a_right_first_step_and_an_empty_second_are_told_apart(answered, kernels):
    verdict = answered(DOUBLES)
    assert states(verdict) == (PASSED, HERE, LATER)
    assert verdict.message.startswith("No thread wrote to square.")
    shown = card(verdict, kernels)
    assert "✓ step 1, the doubles: passed.\n" in shown
    assert "✗ step 2, the squares: not there yet. Write `square`.\n" in shown
    assert "· step 3, the rest: comes later.\n" in shown


def test_of_a_wrong_first_step_and_an_empty_second_the_first_is_told(answered, kernels):
    verdict = answered(DOUBLES.replace("2.0f", "3.0f"))
    assert states(verdict) == (HERE, LATER, LATER)
    assert verdict.message.startswith("double_[0] is ")
    assert "square" not in verdict.message
    assert "Write `double_`." in card(verdict, kernels)
    assert "Write `square`." not in card(verdict, kernels)


def test_a_wrong_first_step_comes_before_a_right_second(answered):
    assert states(answered(SQUARES, SUM)) == (HERE, LATER, LATER)


def test_two_right_steps_leave_the_third(answered):
    verdict = answered(DOUBLES, SQUARES)
    assert states(verdict) == (PASSED, PASSED, HERE)
    assert verdict.message.startswith("No thread wrote to sum.")


def test_the_whole_right_passes_every_step(answered, kernels):
    verdict = answered(ALL)
    assert verdict.status == "passed"
    assert states(verdict) == (PASSED, PASSED, PASSED)
    assert "not there yet" not in card(verdict, kernels)


def test_a_right_answer_over_budget_lacks_the_last_step_alone(answered):
    verdict = answered(DOUBLES, SQUARES, SUM)
    assert verdict.status == "over_budget"
    assert states(verdict) == (PASSED, PASSED, HERE)


def test_a_hidden_case_fails_in_the_last_step_so_that_it_tells_no_more(answered):
    verdict = answered(ALL.replace("mine * mine", "n == 7 ? 0.0f : mine * mine"))
    told = verdict.for_learner()
    assert states(told) == (PASSED, PASSED, HERE)
    assert told.message == "A hidden case failed (wrong_answer): a few."


def test_a_first_step_that_fails_in_a_later_case_is_told_before_a_second_in_an_earlier(
    answered, kernels
):
    verdict = answered(DOUBLES.replace("2.0f", "(n < 64 ? 3.0f : 2.0f)"))
    first, second = verdict.cases[:2]
    assert (first.step, second.step) == (2, 1)
    assert foremost(verdict.cases) is second
    assert verdict.message.startswith("double_[0] is ")
    assert {case.step for cases in by_cause(verdict) for case in cases} == {1}
    assert handy_failure(verdict, course.exercise(ID, kernels))[1] is second


def test_a_race_of_the_second_step_does_not_take_the_first_away(answered):
    race = "    tile[i] = i < n ? x[i] : 0.0f; if (i < n) square[i] = tile[n - 1 - i];"
    verdict = answered(DOUBLES, race)
    assert verdict.status == "data_race"
    assert states(verdict) == (PASSED, HERE, LATER)


def test_a_race_that_leaves_all_right_fails_in_the_last_step(answered):
    verdict = answered(ALL.replace("    __syncthreads();\n", ""))
    assert verdict.status == "data_race"
    assert states(verdict)[-1] != PASSED


def test_an_error_that_ends_the_run_passes_no_step(answered):
    assert states(answered(DOUBLES, "    square[i + 100000] = 0.0f;")) == (HERE, LATER, LATER)
    assert states(answered("    int;;;no")) == (HERE, LATER, LATER)


def test_an_input_that_was_changed_counts_in_the_last_step(answered):
    verdict = answered(ALL, "    if (i == 0) *done = 1;")
    assert states(verdict) == (PASSED, PASSED, HERE)
    assert "done" in verdict.message


def test_a_blank_answer_passes_no_step_and_its_card_lists_none(answered, kernels):
    verdict = answered("    // YOUR CODE HERE")
    assert verdict.status == "not_attempted"
    assert states(verdict) == (HERE, LATER, LATER)
    assert "step 1" not in card(verdict, kernels)
    assert "step 1" not in in_terminal(verdict)


def in_terminal(verdict):
    console = Console(width=120, record=True)
    terminal.show_verdict(console, verdict, KERNEL % "")
    return console.export_text()


def test_the_terminal_shows_the_steps_and_only_what_is_wrong_in_the_first_other_one(answered):
    text = in_terminal(answered(DOUBLES.replace("2.0f", "(n < 64 ? 3.0f : 2.0f)")))
    assert "✗ step 1, the doubles: not there yet." in text
    assert "· step 2, the squares: comes later." in text
    assert "half a block: double_[0] is " in text
    assert "No thread wrote to square" not in text


def test_the_page_lists_the_steps_above_the_cell(kernels):
    cells = weave(course.lesson("01_powers", kernels)).cells
    (box,) = [one.source for one in cells if one.source.startswith("**What to write**")]
    assert "\n1. *the doubles*: Write `double_`.\n2. *the squares*: Write `square`.\n3. " in box
    where = [one.source for one in cells].index(box)
    assert cells[where + 1].source.startswith("**What is counted**")
    assert cells[where + 2].source.startswith("%%cuda powers")


HALVES = [
    (DOUBLES,),
    (DOUBLES, SQUARES),
    (DOUBLES, SQUARES, SUM),
    (ALL,),
    ("",),
    (SQUARES, SUM),
    (ALL.replace("    __syncthreads();\n", ""),),
    (ALL.replace("mine * mine", "n == 7 ? 0.0f : mine * mine"),),
]


@pytest.mark.parametrize("lines", HALVES)
def test_steps_change_no_points_and_agree_with_them(answered, kernels, tmp_path, lines):
    lesson = tmp_path / "01_powers"
    lesson.mkdir()
    for path in (kernels / "01_powers").glob("*.*"):
        text = re.sub(r"    steps=\(.*?\n    \),\n", "", path.read_text(), flags=re.DOTALL)
        (lesson / path.name).write_text(text)
    verdict = answered(*lines)
    without = judge(ID, KERNEL % "\n".join(lines), root=tmp_path)
    assert (verdict.points, verdict.max_points) == (without.points, without.max_points)
    assert [case.status for case in verdict.cases] == [case.status for case in without.cases]
    assert without.progress == () and {case.step for case in without.cases} == {0}
    assert (set(states(verdict)) == {PASSED}) == (verdict.points == verdict.max_points)


def test_json_has_the_steps_and_is_as_the_schema_says(answered):
    verdict = answered(DOUBLES)
    report = json.loads(json.dumps(Report((Checked(ID, "", verdict),)).to_dict()))
    jsonschema.validate(report, schema_page.json_schema())
    found = report["checked"][0]["verdict"]
    assert found["steps"] == ["the doubles", "the squares", "the rest"]
    assert [one["step"] for one in found["cases"]] == [2, 3, 3, 3]
    assert Verdict.from_dict(found).progress == verdict.progress


def test_a_verdict_of_an_older_version_has_no_steps(answered):
    old = replace(answered(DOUBLES), steps=()).to_dict()
    del old["steps"]
    for case in old["cases"]:
        del case["step"]
    assert Verdict.from_dict(old).progress == ()


# ---- the course's own ----

EXERCISES_IN_STEPS = [one for lesson in course.lessons() for one in lesson.exercises if one.steps]
LONG = {
    "02_tree_reduction/last_block",
    *(one.id for one in course.lesson("08_project").exercises if isinstance(one.kind, Write)),
}
each = pytest.mark.parametrize("exercise", EXERCISES_IN_STEPS, ids=lambda one: one.name)


def test_every_long_exercise_has_steps():
    assert {one.id for one in EXERCISES_IN_STEPS} >= LONG


@each
def test_every_step_has_cases_that_are_there_and_have_its_outputs(exercise):
    visible = {case.name: case for case in exercise.cases if case.visible}
    for step in exercise.steps[:-1]:
        names = step.cases or [name for name, case in visible.items() if not case.budgets]
        assert names
        for name in names:
            made = visible[name].problem(np.random.default_rng(0))
            assert set(step.outputs) <= set(made.outputs)


@each
def test_outputs_stand_in_the_order_of_their_steps(exercise):
    made = exercise.cases[0].problem(np.random.default_rng(0))
    asked = [name for step in exercise.steps for name in step.outputs]
    assert asked == [name for name in made.outputs if name in asked]


@each
def test_a_step_is_one_sentence_and_the_last_one_is_the_whole(exercise):
    assert 2 <= len(exercise.steps) <= 4
    last = exercise.steps[-1]
    assert not last.cases and not last.outputs
    for step in exercise.steps:
        assert step.write.endswith(".") and len(step.write.split()) <= 20
        assert not re.search(r"[.!?] [A-Z]", step.write)


@each
def test_the_solution_passes_every_step(exercise):
    verdict = judge(exercise.id, exercise.solution, hidden=False, sizes=False)
    assert set(states(verdict)) == {PASSED}


ROW = """
    const float* from = x + static_cast<size_t>(blockIdx.x) * classes;
    const int right = target[blockIdx.x];
    if (threadIdx.x > 0) return;
    float largest = -INFINITY, all = 0.0f;
    for (int c = 0; c < classes && right >= 0; c++) largest = fmaxf(largest, from[c]);
    for (int c = 0; c < classes && right >= 0; c++) all += expf(from[c] - largest);
    loss[blockIdx.x] = right < 0 ? 0.0f : (largest - from[right]) + logf(all);
"""
SQUARES_OF_A_ROW = """
    float all = 0.0f, squares = 0.0f;
    for (int c = 0; c < columns; c++) { all += from[c]; squares += from[c] * from[c]; }
    const float mean = all / columns, variance = squares / columns - mean * mean;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        to[c] = (from[c] - mean) * rsqrtf(variance + epsilon) * weight[c] + bias[c];
    }
"""
NO_INDEX = """
    const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows || threadIdx.x % 32 > 0) return;
    float below = INFINITY;
    for (int k = 0; k < K; k++) {
        float best = -INFINITY;
        for (int c = 0; c < columns; c++) {
            const float one = x[row * columns + c];
            if (one < below) best = fmaxf(best, one);
        }
        value[row * K + k] = below = best;
    }
"""
NO_MAXIMUM = """
    for (int d = threadIdx.x; d < DIM; d += blockDim.x) {
        const size_t head = blockIdx.x;
        float sum = 0.0f, total = 0.0f;
        for (int n = 0; n < keys; n++) {
            float score = 0.0f;
            for (int e = 0; e < DIM; e++) {
                score += q[head * DIM + e] * K[(head * keys + n) * DIM + e];
            }
            sum += expf(scale * score);
            total += expf(scale * score) * V[(head * keys + n) * DIM + d];
        }
        y[head * DIM + d] = total / sum;
    }
"""
NO_FENCE = """
    if (thread == 0) {
        partial[blockIdx.x] = sum;
        if (atomicAdd(finished, 1) == gridDim.x - 1) {
            sum = 0.0f;
            for (int b = 0; b < gridDim.x; b++) sum += partial[b];
            *total = sum;
            *finished = 0;
        }
    }
"""
# An exercise, a half-finished answer to each of its blanks, how many steps are passed, and words of
# the message.
HALF_FINISHED = [
    ("02_tree_reduction/last_block", ("if (thread == 0) partial[blockIdx.x] = sum;",), 1, "total"),
    ("02_tree_reduction/last_block", (NO_FENCE,), 2, "__threadfence()"),
    ("08_project/layer_norm", ("return a;", SQUARES_OF_A_ROW), 1, "NaN"),
    ("08_project/cross_entropy", ("", ROW), 1, "No thread wrote to gradient"),
    ("08_project/top_four", ("", NO_INDEX), 1, "No thread wrote to index"),
    ("08_project/attention_row", ("", NO_MAXIMUM), 1, "0 by 0"),
    ("09_scan_histogram/look_back", ("own[tile] = sum; return 0.0f;",), 1, "wrote to up_to"),
]


@pytest.mark.parametrize(
    ("name", "answers", "passed", "said"),
    HALF_FINISHED,
    ids=[f"{one[0].partition('/')[2]}-{one[2]}" for one in HALF_FINISHED],
)
def test_a_half_finished_answer_is_told_what_is_right(name, answers, passed, said):
    parts = iter(answers)
    blank = re.compile(r"// BEGIN SOLUTION\n.*?// END SOLUTION", re.DOTALL)
    source = blank.sub(lambda _: next(parts), course.exercise(name).solution)
    verdict = judge(name, source, hidden=False, sizes=False)
    assert states(verdict)[: passed + 1] == (*[PASSED] * passed, HERE)
    assert said in verdict.message
