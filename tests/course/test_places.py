"""A rule about where elements were taken from is told only if all of them keep to it."""

import pytest

from grader.course import exercise
from grader.judge import judge
from grader.judge.explaining.stores import by_strides, rule

OURS = [(0, 0), (0, 5), (1, 2), (2, 1), (3, 4)]


def rows(taken, ours=OURS):
    return [(taken(*index), index) for index in ours]


@pytest.mark.parametrize(
    ("taken", "said"),
    [
        (lambda row, col: (col, row), "Row and column of this element are swapped"),
        (lambda row, col: (row, col + 1), "the second index is 1 too large"),
        (lambda row, col: (row - 2, col), "the first index is 2 too small"),
        (lambda row, col: (row, 5 - col), "the second index is 5 minus the correct one"),
        (lambda row, col: (4 * row, col), "the first index is 4 times what it should"),
        (lambda row, col: (0, col), "the first index is always 0"),
    ],
)
def test_what_all_elements_have_in_common_is_told(taken, said):
    assert said in rule(rows(taken))


def test_one_element_that_keeps_to_no_rule_silences_it():
    for taken in (lambda row, col: (col, row), lambda row, col: (row, col + 1)):
        assert rule([*rows(taken), ((9, 9), (1, 7))]) == ""


def test_two_elements_are_too_few_for_a_rule_about_numbers():
    assert rule([((1,), (0,)), ((2,), (1,))]) == ""
    assert rule([]) == ""


def test_three_dimensions_name_the_two_that_were_exchanged():
    ours = [(0, 1, 2), (3, 4, 5), (1, 1, 0)]
    assert "The second and the third index are swapped." in rule(
        [((a, c, b), (a, b, c)) for a, b, c in ours]
    )


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("x[place]", "x[place > 0 ? place - 1 : 0]", "the index is 1 too small"),
        ("out[i]", "out[count - 1 - i]", "the index is 9 minus the correct one"),
        ("x[place]", "x[place / 16]", "the index is always 0"),
    ],
)
def test_a_copy_from_elsewhere_is_told_by_its_rule(right, wrong, said):
    solution = exercise("01_expand_where/expand").solution
    verdict = judge(
        "01_expand_where/expand", solution.replace(right, wrong), hidden=False, sizes=False
    )
    assert verdict.status == "wrong_answer"
    assert "comes from x[" in verdict.message and said in verdict.message


PLACES = [(0, 1), (0, 7), (1, 3), (2, 0), (4, 6), (5, 5)]


def flat(row_stride, col_stride):
    return [row * row_stride + col * col_stride for row, col in PLACES]


@pytest.mark.parametrize(
    ("mine", "said"),
    [
        (flat(1, 40), "Row and column are swapped."),
        (flat(30, 1), "The index changes by 30 instead of 40 from row to row."),
        (flat(40, 0), "The index changes by 0 instead of 1 from column to column."),
        (flat(40, 1), ""),  # as it should be
        ([*flat(1, 40)[:-1], 3], ""),  # one keeps to no rule
    ],
)
def test_strides_of_a_flat_array_are_told_by_the_output_s_rows_and_columns(mine, said):
    assert by_strides(PLACES, mine, flat(40, 1)).endswith(said)
    assert bool(by_strides(PLACES, mine, flat(40, 1))) == bool(said)


def test_strides_are_told_only_where_more_places_agree_than_always_would():
    assert by_strides(PLACES[:3], flat(1, 40)[:3], flat(40, 1)[:3]) == ""
    assert by_strides([(3,), (4,), (5,)], [1, 2, 3], [3, 4, 5]) == ""


def test_exchanged_strides_of_an_expanded_array_are_told():
    right = "x[row * row_stride + col * col_stride];"
    wrong = "x[row * col_stride + col * row_stride];"
    solution = exercise("01_expand_where/expand_2d").solution
    source = solution.replace(right, wrong)
    verdict = judge("01_expand_where/expand_2d", source, hidden=False, sizes=False)
    assert verdict.status == "wrong_answer"
    assert "out[0, 1] comes from x[0], and should come from x[1]" in verdict.message
    assert "Row and column are swapped" in verdict.message
