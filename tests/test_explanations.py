"""A wrong answer is told by what its first wrong element was made of."""

import pytest

from grader import course
from grader.judge import judge

CAUSES = {
    "00_first_kernel": {
        "first_block_only": "In our kernel thread 0 of block 1 writes it.",
        "bias_of_the_row": "out[0, 1] lacks bias[1], and holds bias[0]",
        "turned_round": "is made of picture[7, 31], and should be made of picture[0, 31]",
    },
    "01_expand_where": {
        "never_divides": "out[1] is made of x[6], and should be made of x[0]",
    },
    "02_tree_reduction": {
        "zero_for_max": "The 0 in partial[2] stands in the code (line 15)",
        "block_stride": "y[256] to y[511] are in partial[0] twice",
        "stops_early": "partial[0] lacks x[1], x[3], x[5] and 125 more",
    },
}


def wrong_kernel(lesson, name):
    return next(one for one in course.lesson(lesson).wrong_kernels if one.name == name)


@pytest.mark.parametrize(
    ("lesson", "name", "cause"),
    [(lesson, name, cause) for lesson, some in CAUSES.items() for name, cause in some.items()],
)
def test_a_wrong_answer_says_what_it_was_made_of(lesson, name, cause):
    wrong = wrong_kernel(lesson, name)
    verdict = judge(f"{lesson}/{wrong.exercise}", wrong.source, hidden=False)
    assert verdict.status == "wrong_answer" and cause in verdict.message


def test_of_a_hidden_case_nothing_is_explained():
    """What a hidden case holds stays hidden: its category is all."""
    wrong = wrong_kernel("02_tree_reduction", "zero_for_max")
    told = judge(f"02_tree_reduction/{wrong.exercise}", wrong.source).for_learner()
    hidden = [case for case in told.cases if not case.visible and case.status != "passed"]
    assert all(case.message.startswith("A hidden case failed") for case in hidden)
    assert all(case.line is None for case in hidden)
