"""A hint names the place of one small change that makes a kernel right, and never the change."""

import re

import pytest

from grader import course
from grader.judge import judge, small_changes
from grader.judge.small_changes import changes, place_of_mistake


@pytest.fixture(autouse=True)
def without_hurry(monkeypatch):
    """A busy machine tries as many changes as a quick one."""
    monkeypatch.setattr(small_changes, "SECONDS", 300.0)


def searched(exercise_id, *edits, names=()):
    """What the search says of a solution in which each (before, after) is replaced, and each
    variable of `names` is called otherwise."""
    exercise = course.exercise(exercise_id)
    source = exercise.solution
    for before, after in edits:
        assert before in source
        source = source.replace(before, after, 1)
    for name in names:
        source = re.sub(rf"\b{name}\b", f"my_{name}", source)
    return place_of_mistake(exercise, source, judge(exercise_id, source)), source


@pytest.mark.parametrize(
    ("exercise", "edit", "place", "asked"),
    [
        pytest.param(
            "00_first_kernel/saxpy",
            ("i < n", "i <= n"),
            "replace `<=` on line",
            "What should stand there?",
            id="a comparison",
        ),
        pytest.param(
            "01_expand_where/expand_2d",
            ("i % cols", "i % rows"),
            "replace `rows` on line",
            "What should stand there?",
            id="a name",
        ),
        pytest.param(
            "01_expand_where/where",
            ("y_place += coordinate * y_strides", "y_place += coordinate * x_strides"),
            "replace `x_strides` on line",
            "What should stand there?",
            id="a name that was copied with its line",
        ),
        pytest.param(
            "10_tiles/transpose",
            ("tile[lane][k]", "tile[k][lane]"),
            "replace `[k][lane]` on line",
            "What should stand there?",
            id="two indices in the wrong order",
        ),
        pytest.param(
            "02_tree_reduction/interleaved",
            ("__syncthreads();  // outside", "//"),
            "add one line after line",
            "What should it do?",
            id="a barrier",
        ),
        pytest.param(
            "03_shuffle_reduction/warp_sum",
            ("__shfl_down_sync", "__shfl_up_sync"),
            "replace `__shfl_up_sync` on line",
            "What should stand there?",
            id="a shuffle",
        ),
    ],
)
def test_the_place_of_one_mistake_is_found(exercise, edit, place, asked):
    said, _ = searched(exercise, edit)
    assert said.startswith(f"It is enough to {place}")
    assert said.endswith(f"Then every case passes. {asked}")


@pytest.mark.parametrize(
    ("exercise", "names", "edit", "place"),
    [
        pytest.param(
            "01_expand_where/expand",
            ("rest", "place", "d", "coordinate"),
            ("int d = dims - 1; d >= 0; d--", "int d = 0; d < dims; d++"),
            "replace `0; my_d < dims; my_d++` on line",
            id="a loop in the other direction",
        ),
        pytest.param(
            "03_shuffle_reduction/below_max",
            ("offset", "value", "largest", "mine"),
            ("offset = width / 2", "offset = 16"),
            "replace `16` on line",
            id="where a loop begins",
        ),
        pytest.param(
            "04_safe_softmax/row_softmax",
            ("in", "largest", "sum", "c"),
            ("sum = block_all_reduce<add>(sum, 0.0f, of_warp);", ""),
            "add one line after line",
            id="a line that is missing",
        ),
        pytest.param(
            "04_safe_softmax/row_softmax",
            ("in", "largest", "sum", "c"),
            ("sum = block_all_reduce<add>(sum,", "sum = block_all_reduce<add>(largest,"),
            "replace `my_largest` on line",
            id="an argument",
        ),
        pytest.param(
            "02_tree_reduction/last_block",
            ("sum", "thread", "last"),
            ("__threadfence();  // whoever", "// whoever"),
            "add one line after line",
            id="a line of which there is another one",
        ),
        pytest.param(
            "02_tree_reduction/dot",
            ("sum", "thread"),
            ("i += gridDim.x * blockDim.x", "i += blockDim.x"),
            "add something to line",
            id="a factor that is missing",
        ),
        pytest.param(
            "01_expand_where/expand",
            ("rest", "place"),
            ("coordinate * strides[d]", "coordinate * strides[d] + 1"),
            "change `+ 1` on line",
            id="an operation too many",
        ),
    ],
)
def test_a_piece_of_the_solution_is_looked_for_whatever_the_variables_are_called(
    exercise, names, edit, place
):
    said, _ = searched(exercise, edit, names=names)
    assert said.startswith(f"It is enough to {place}")


def test_a_condition_may_have_to_be_a_loop():
    said, _ = searched(
        "04_safe_softmax/elementary",
        (
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
            "blockDim.x) {\n        y",
            "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n        y",
        ),
    )
    assert "make a loop of the `if` on line" in said


def test_what_the_verdict_names_is_changed_first():
    exercise = course.exercise("00_first_kernel/saxpy")
    source = exercise.solution.replace("i < n", "i <= n")
    verdict = judge(exercise.id, source)
    made = list(changes(exercise, source, verdict))
    assert made[0].line == verdict.line
    assert [one.rank for one in made] == sorted(one.rank for one in made)
    assert len({one.source for one in made} | {source}) == len(made) + 1


def test_lines_that_were_handed_out_stay():
    exercise = course.exercise("02_tree_reduction/interleaved")
    source = exercise.solution.replace("stride /= 2", "stride /= 4")
    given = exercise.kind.handed_out(exercise.solution).split("\n")
    made = changes(exercise, source, judge(exercise.id, source))
    assert not any(source.split("\n")[one.line - 1] in given for one in made)


def test_nothing_is_said_of_two_mistakes():
    said, _ = searched("00_first_kernel/saxpy", ("i < n", "i <= n"), ("] + y[i];", "] - y[i];"))
    assert said == ""


def test_a_source_with_an_endless_line_is_not_searched():
    said, _ = searched("00_first_kernel/saxpy", ("i < n", f"i <= n{' ' * 2_000}"))
    assert said == ""
