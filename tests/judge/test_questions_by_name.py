"""A message asks about the learner's own line, index, condition or value, by name."""

import re

import pytest

from grader import course
from grader.compilers import chosen_name
from grader.judge import judge

WRONG = "wrong_answer"
SUM = "    for (int c = 0; c < columns; c++) sum += expf(in[c] - largest);\n"
LAST = "    for (int c = 0; c < columns; c++) out"
OWN = "largest = maxima[blockIdx.x];\n    float sum"
CASES = {  # the exercise, (words of its solution, words put there) ..., the status, what is told
    "the index of a store": (
        "00_first_kernel/darken",
        [("i % cols", "i % rows")],
        WRONG,
        r"but not darker\[0, 7\]\. Compute the index `row \* cols \+ col` \(lines 9 and 10\) by",
    ),
    "the index of a load": (
        "00_first_kernel/add_bias",
        [("x[i] + bias[col]", "x[i] + bias[row]")],
        WRONG,
        r"Is `row` the right index on line \d+\?",
    ),
    "a step of an index that leaves its array": (
        "01_expand_where/fast_expand",
        [
            (
                "(rest + __umulhi(rest, multipliers[d])) >> shifts[d]",
                "rest + (__umulhi(rest, multipliers[d]) >> shifts[d])",
            )
        ],
        "out_of_bounds",
        r"multiplies (\d+) by \d+ \(shape\[\d\]\)\. A step is missing before this one\..*"
        r"hat should happen to \1 before line \d+ uses it\?",
    ),
    "an int that overflows": (
        "01_expand_where/expand",
        [("unsigned rest = first + i;", "int rest = first + i;")],
        "out_of_bounds",
        r"divides -\S+ by \d+ \(shape\[\d\]\)\. The right number is above 2,147,483,647",
    ),
    "a shuffle from the lane itself": (
        "03_shuffle_reduction/warp_sum",
        [
            ("int offset = 16; offset > 0; offset /= 2", "int k = 0; k < 5; k++"),
            ("__shfl_down_sync(full_mask, sum, offset)", "__shfl_xor_sync(full_mask, sum, 2 ^ k)"),
        ],
        WRONG,
        r"gets its own value back, because `__shfl_xor_sync` names the lane itself on line 16\. .*"
        "Compute the third argument by hand",
    ),
    "a condition that is computed": (
        "09_scan_histogram/segments",
        [("~0u >> (31 - lane)", "(1u << lane) - 1")],
        WRONG,
        r"Is -1 the right value of `start` \(line 14\)\? If it is, should `lane - offset >= start` "
        r"hold for thread 0 of block 0\?",
    ),
    "the loop of a step": (
        "03_shuffle_reduction/below_max",
        [("int offset = width / 2", "int offset = 16")],
        WRONG,
        r"is in the loop on line (\d+): `for \(int offset = 16.* the rounds of the loop on line \1",
    ),
    "the line that writes an array, and what kept a thread from it": (
        "09_scan_histogram/look_back",
        [("    float before = 0.0f;", "    if (tile == 0) return 0.0f;\n    float before = 0.0f;")],
        WRONG,
        r"No thread wrote to up_to\. Thread \d+ of block 0 does not write it: on line 32, `0 == 0`",
    ),
    "a number that a line subtracts": (
        "04_safe_softmax/softmax_alone",
        [
            ("    float sum = 0.0f;\n", ""),
            ("float largest = -INFINITY;", "float largest = -INFINITY, sum = 0.0f;\n" + SUM),
            (SUM + LAST, LAST),
        ],
        WRONG,
        r"subtracts -inf from \S+ \(x\[0, 0\]\)\. The -inf is a number in your code \(line 10\)",
    ),
    "a step rather than a ratio by chance": (
        "04_safe_softmax/on_device",
        [("largest = finish<fmaxf>(maxima, -INFINITY, of_warp);\n    float sum", OWN)],
        WRONG,
        r"is not the right value here\. .*It does not use x\[\d+\], but should",
    ),
    "the condition of a read": (
        "10_tiles/transpose",
        [
            (
                "if (left + k < cols && top + lane < rows)",
                "if (top + k < rows && left + lane < cols)",
            )
        ],
        "uninitialized_read",
        r"on line 20, .* is true\. .*Is the condition on line 20 or the index on line 21 wrong",
    ),
    "the condition on the line of an access": (
        "10_tiles/product",
        [("first + ty < k && col < n", "first + tx < k && col < n")],
        "out_of_bounds",
        r"Is the condition or the index on line \d+ wrong for this thread\?",
    ),
}


@pytest.mark.skipif(chosen_name() != "nvrtc", reason="CLANG TAKES OTHER STEPS: not asked")
@pytest.mark.parametrize("name", CASES)
def test_what_to_look_at_next_names_the_learners_own_code(name):
    exercise, edits, status, said = CASES[name]
    source = course.lesson(exercise.partition("/")[0]).solution(course.exercise(exercise))
    for before, after in edits:
        assert before in source
        source = source.replace(before, after)
    verdict = judge(exercise, source, hidden=False, sizes=False, partial_marks=False)
    assert verdict.status == status
    assert re.search(said, verdict.message, re.DOTALL), verdict.message


def test_a_thread_that_does_the_work_of_all_is_not_asked_whether_its_loop_ends():
    exercise = "04_safe_softmax/row_softmax"
    source = course.exercise(exercise).solution
    steps = re.findall(r"int c = threadIdx.x; c < columns; c \+= blockDim.x", source)
    assert steps
    source = source.replace(steps[0], "int c = 0; threadIdx.x == 0 && c < columns; c++")
    verdict = judge(exercise, source, sizes=False)
    assert verdict.status == "over_budget"
    assert "ever become false" not in verdict.message
