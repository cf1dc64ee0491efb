"""A number of things is said in one way, by `counted`: nobody is told of "1 submissions"."""

import pytest

from grader.counted import counted


@pytest.mark.parametrize(
    "number, said",
    [
        (1, "1 point"),
        (0, "0 points"),
        (1.0, "1 point"),
        (2.5, "2.5 points"),
        (3000, "3,000 points"),
    ],
)
def test_one_thing_is_no_plural(number, said):
    assert counted(number, "point") == said


def test_a_noun_may_have_a_plural_of_its_own():
    assert [counted(n, "entry", "entries") for n in (1, 2)] == ["1 entry", "2 entries"]
