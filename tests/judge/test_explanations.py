"""A wrong answer is told by what its first wrong element was made of."""

import re

import pytest

from grader import course
from grader.compilers import chosen_name
from grader.judge import judge

CAUSES = {
    "00_first_kernel": {
        "first_block_only": "In our kernel thread 0 of block 1 writes out[256].",
        "bias_of_the_row": "does not use bias[1], but should. It uses bias[0], but should not.",
        "turned_round": "comes from picture[7, 31], and should come from picture[0, 31]",
    },
    "01_expand_where": {
        "never_divides": "out[1] comes from x[6], and should come from x[0]",
    },
    "02_tree_reduction": {
        "zero_for_max": "0 comes from a number in your code (line 13). The search for the largest",
        "block_stride": "y[256] to y[511] of launch 1 twice instead of once",
        "stops_early": "partial[0] does not use x[1], x[3], x[5] and 125 more, but should.",
    },
}


EDITS = {  # of a solution, by exercise: words that stand there, what is put there, what is told
    "00_first_kernel/saxpy": (
        "out[i] = a * x[i] + y[i];",
        "out[i] = a * (x[i] + y[i]);",
        r"adds \S+ \(x\[0\]\) and \S+ \(y\[0\]\)\. .*Our kernel first multiplies \S+ \(x\[0\]\) by"
        r"|Our kernel first multiplies \S+ by \S+ \(x\[0\]\)",
    ),
    "01_expand_where/fast_expand": (
        "(rest + __umulhi(rest, multipliers[d])) >> shifts[d]",
        "__umulhi(rest, multipliers[d]) >> shifts[d]",
        r"On line \d+, .* shifts 2 to the right by 3 \(shifts\[3\]\)\. "
        r"A step is missing before this one\. .*Our kernel first adds 2 and 6",
    ),
    "04_safe_softmax/on_device": (
        "y[i] = expf(x[i] - largest) / total;",
        "y[i] = exp2f(x[i] - largest) / total;",
        r"takes 2 to the power of (-\d+\.?\d*)\. .*Our kernel takes the exponential of \1",
    ),
    "05_online_softmax/merge": (
        "both.max == -INFINITY ?",
        "both.max < -1e20f ?",
        r"asks whether -3e\+25 < -1e\+20, and takes 0\. .*Our kernel asks whether -3e\+25 == -inf",
    ),
    "06_pack_vectorization/any_type": (
        "static_cast<T>(static_cast<Real>(kept[k].element[i]) / scale)",
        "static_cast<T>(static_cast<float>(kept[k].element[i]) / static_cast<float>(scale))",
        r"rounds \S+ \(x\[0, 0\]\) to 32 bits",
    ),
    "08_project/cross_entropy": (
        "c == right ?",
        "c == right + 1 ?",
        r"takes 0, because `(\d+ == \d+)` is false\. "
        r".*Our kernel asks whether (?!\1)(\d+) == \2, and takes 1",
    ),
    "08_project/attention_row": (
        "const float share = 1.0f / sum;",
        "const float share = 1.0f;",
        r"This value is only an intermediate result: .*Our kernel then multiplies",
    ),
}


def told(verdict):
    """All that a learner can come to read, hints included."""
    return f"{verdict.message} {verdict.parts.ours}"


def edited(exercise):
    """A solution with the edit of `EDITS` made."""
    lesson = course.lesson(exercise.partition("/")[0])
    solution = lesson.solution(lesson.exercise(exercise.partition("/")[2]))
    before, after, _ = EDITS[exercise]
    assert before in solution
    return solution.replace(before, after)


@pytest.mark.parametrize("exercise", EDITS)
def test_the_first_step_or_choice_that_the_solution_does_not_take_is_told(exercise):
    verdict = judge(exercise, edited(exercise), hidden=False)
    assert re.search(EDITS[exercise][2], told(verdict)), told(verdict)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            "coordinate * strides[d]",
            "coordinate * strides[dims - 1 - d]",
            "changes by 0 instead of 5 if the first coordinate grows by 1",
        ),
        ("int place = 0;", "int place = 2;", "compared, the index into x is 2 too large"),
    ],
)
def test_an_index_that_leaves_its_array_is_told_by_its_strides(before, after, said):
    exercise = "01_expand_where/expand"
    source = course.exercise(exercise).solution.replace(before, after)
    verdict = judge(exercise, source, hidden=False, sizes=False)
    assert verdict.status == "out_of_bounds"
    assert "he index into x " in verdict.message and said in verdict.message


def test_beyond_an_array_that_nothing_is_copied_from_no_strides_are_told():
    wrong = wrong_kernel("02_tree_reduction", "everyone_adds")
    verdict = judge(f"02_tree_reduction/{wrong.exercise}", wrong.source, hidden=False)
    assert verdict.status == "out_of_bounds" and "he index into" not in verdict.message


@pytest.mark.skipif(chosen_name() != "nvrtc", reason="CLANG CHOOSES BY OTHER STEPS: not asked")
def test_the_wrong_one_of_two_equal_elements_is_told():
    exercise = "08_project/top_four"
    source = course.exercise(exercise).solution.replace("a.index < b.index", "a.index > b.index")
    verdict = judge(exercise, source, hidden=False, sizes=False)
    assert re.search(
        r"x\[0, \d+\] and x\[0, \d+\] are both \S+\. \S+(, \d+\])? is the index of the wrong one",
        verdict.message,
    )


def test_what_lies_where_a_number_of_the_code_does_not_is_no_number_of_the_code():
    """A thread's index is a constant of its thread, and stands nowhere in the kernel."""
    exercise = "00_first_kernel/saxpy"
    source = course.exercise(exercise).solution.replace("a * x[i]", "a * x[i] + threadIdx.x")
    assert "is in your code" not in judge(exercise, source, hidden=False).message


def test_the_verdict_says_what_the_first_wrong_element_was_made_of():
    wrong = wrong_kernel("00_first_kernel", "bias_of_the_row")
    verdict = judge(f"00_first_kernel/{wrong.exercise}", wrong.source, hidden=False)
    failed = next(case for case in verdict.cases if case.status != "passed")
    told = {(part.buffer, part.first, part.found, part.expected) for part in failed.made_of}
    assert told == {("bias", (0,), 1, 0), ("bias", (1,), 0, 1), ("x", (0, 1), 1, 1)}
    assert "other_elements" in verdict.ends


def test_where_one_array_is_wrong_and_another_unwritten_all_is_told_of_the_unwritten_one():
    exercise = "04_safe_softmax/elementary"
    source = course.exercise(exercise).solution
    source = source.replace("partial[blockIdx.x] = largest;", "partial[blockIdx.x] = largest + 1;")
    source = source.replace("partial[blockIdx.x] = sum;", "return;")
    verdict = judge(exercise, source, hidden=False, sizes=False)
    assert "No thread wrote to partial" in verdict.message
    assert verdict.parts.ours == "In our kernel thread 0 of block 0 writes partial[0]."


def wrong_kernel(lesson, name):
    return next(one for one in course.lesson(lesson).wrong_kernels if one.name == name)


@pytest.mark.parametrize(
    ("lesson", "name", "cause"),
    [(lesson, name, cause) for lesson, some in CAUSES.items() for name, cause in some.items()],
)
def test_a_wrong_answer_says_what_it_was_made_of(lesson, name, cause):
    wrong = wrong_kernel(lesson, name)
    verdict = judge(f"{lesson}/{wrong.exercise}", wrong.source, hidden=False)
    assert verdict.status == "wrong_answer" and cause in told(verdict)


def test_of_a_hidden_case_nothing_is_explained():
    """What a hidden case holds stays hidden: its category is all."""
    wrong = wrong_kernel("02_tree_reduction", "zero_for_max")
    told = judge(f"02_tree_reduction/{wrong.exercise}", wrong.source).for_learner()
    hidden = [case for case in told.cases if not case.visible and case.status != "passed"]
    assert all(case.message.startswith("A hidden case failed") for case in hidden)
    assert all(case.line is None and not case.made_of and not case.patterns for case in hidden)


def test_where_a_hidden_case_fails_first_the_visible_one_that_is_told_is_explained():
    exercise = "02_tree_reduction/last_block"
    source = course.exercise(exercise).solution
    every = re.search(r"for \((.*) = thread; (.*) < gridDim.x; .*\) ", source)
    once = f"if ({every[1]} = thread; {every[2]} < gridDim.x) "
    verdict = judge(exercise, source.replace(every[0], once), sizes=False)
    failed = [case for case in verdict.cases if case.failed]
    assert not failed[0].visible and any(case.visible for case in failed)
    assert "does not use x[1024]" in verdict.parts.first and verdict.line


@pytest.mark.parametrize(
    ("exercise", "before", "after", "said"),
    [
        ("00_first_kernel/saxpy", "i < n", "i <= n", r"on line \d+, `(\d+) <= \1` is true"),
        ("00_first_kernel/add_bias", "row < rows && ", "row > -1 && ", r"`\d+ > -1` is true"),
    ],
)
def test_of_a_stray_access_the_conditions_are_told_that_let_its_thread_pass(
    exercise, before, after, said
):
    source = course.exercise(exercise).solution
    assert before in source
    parts = judge(exercise, source.replace(before, after), sizes=False).parts
    assert re.search(said, parts.why), parts
    assert re.search("[Gg]uard|should stop this thread", parts.remedy)


def test_no_guard_is_asked_for_where_the_thread_has_work_and_another_index():
    exercise = "01_expand_where/outer_sum"
    source = course.exercise(exercise).solution
    turned = source.replace("a[row] + b[col", "a[col] + b[row")
    assert turned != source
    assert "but with another index" in judge(exercise, turned, sizes=False).parts.remedy


def test_the_values_that_an_index_is_computed_from_are_told_with_their_lines():
    exercise = "00_first_kernel/darken"
    source = course.exercise(exercise).solution
    by_rows = """\
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    const int row = i / rows, col = i % rows;
    darker[row * cols + col] = 0.5f * picture[row * cols + col];
}
"""
    head, _, _ = source.partition("{\n")
    both = judge(exercise, f"{head}{{\n{by_rows}", sizes=False)
    apart = by_rows.replace(", col", ";\n    const int col")
    each = judge(exercise, f"{head}{{\n{apart}", sizes=False)
    for verdict in (both, each):
        told = verdict.parts.why
        assert "with rows = 7, cols = 9" in told
        values = re.search(r"`row` is (\d+) \(line \d+\) and `col` is (\d+) \(", told)
        read = re.search(r"thread (\d+) of block 0 reads `picture\[(\d+)\]", verdict.message)
        assert values
        assert read
        row, col, thread, index = map(int, (*values.groups(), *read.groups()))
        assert (row, col, index) == (thread // 7, thread % 7, 9 * row + col)


def test_a_variable_that_gets_several_values_has_none_in_a_message():
    exercise = "00_first_kernel/darken"
    source = course.exercise(exercise).solution
    head, _, _ = source.partition("{\n")
    body = """\
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int at = i;
    if (i >= rows * cols) return;
    at += rows;
    darker[i] = 0.5f * picture[at];
}
"""
    remedy = judge(exercise, f"{head}{{\n{body}", sizes=False).parts.remedy
    assert "`at` is" not in remedy


def test_a_value_that_a_step_lacks_is_asked_for():
    exercise = "08_project/layer_norm"
    source = course.exercise(exercise).solution
    without = source.replace("delta * delta * a.n * share", "delta * delta * a.n * b.n")
    assert without != source
    said = judge(exercise, without, sizes=False).message
    assert re.search(r"is right here\. A step that uses 3 is missing before this one\. ", said)
    assert re.search(r"Should this step use `n` \([.\d]+, line 15\), too\?", said)


def test_a_loop_of_one_thread_is_not_asked_for_what_another_thread_loads():
    exercise = "07_fused_softmax/warp_softmax"
    source = course.exercise(exercise).solution
    head, _, after = source.partition("    for (int offset = 16;")
    own = "for (float value : kept[k].element) largest = fmaxf(largest, value);"
    four = "for (int e = 0; e < 4; e++) largest = fmaxf(largest, kept[k].element[e]);"
    assert own in head
    alone = head.replace(own, four) + after.partition("    }\n")[2]
    said = judge(exercise, alone, sizes=False).message
    assert re.search(r"Thread \d+ of block \d+ loads it\.", said), said
    assert "Write down the rounds" not in said
    assert "into this value, or correct the result later?" in said


def test_what_misses_a_step_is_told_and_the_other_value_is_not_doubted():
    """The maximum of x in place of that of |x|."""
    exercise = "06_pack_vectorization/warp_per_row"
    source = course.exercise(exercise).solution
    without = source.replace("fabsf(kept[k].element[i])", "kept[k].element[i]")
    said = judge(exercise, without, sizes=False).message
    missing = (
        r"[.\d]+ is right here\. A step that uses -[.\d]+ \(x\[0, \d+\]\) is missing before this"
    )
    assert re.search(missing, said), said


def test_a_condition_that_keeps_a_thread_from_its_element_is_told_with_the_values_of_its_names():
    exercise = "00_first_kernel/add_bias"
    source = course.exercise(exercise).solution.replace(
        "blockIdx.y * blockDim.y", "blockIdx.y * blockDim.x"
    )
    said = judge(exercise, source, sizes=False).message
    assert re.search(r"`(\d+) < \d+` is false.*\. Here .*`row` is \1 \(line \d+\)\. ", said), said


def test_of_an_element_that_nobody_writes_the_last_conditions_of_its_thread_are_told():
    exercise = "00_first_kernel/saxpy"
    source = course.exercise(exercise).solution.replace("i < n", "i < n / 2")
    said = str(judge(exercise, source, sizes=False).parts)
    assert re.search(
        r"Thread \d+ of block \d+ does not write it: on line \d+, `(\d+) < \1` is", said
    )


def test_of_an_element_that_nobody_writes_it_is_told_what_its_thread_writes_instead():
    exercise = "00_first_kernel/saxpy"
    source = course.exercise(exercise).solution
    close = source.replace(
        "blockIdx.x * blockDim.x", "(gridDim.x - 1 - blockIdx.x) * (blockDim.x / 2)"
    )
    assert close != source
    said = str(judge(exercise, close, sizes=False).parts)
    assert re.search(
        r"No thread wrote to out\[\d+\].* of block \d writes out\[\d+\], but not out\[\d+\]\.", said
    )
