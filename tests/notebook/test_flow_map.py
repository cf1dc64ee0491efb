"""The picture of what flows into a wrong element, and what should."""

from grader.judge.verdict import Mismatch, Part
from grader.notebook.wrong_elements import flow_map

WRONG = Mismatch("partial", (0,), expected=3.0, found=1.0)


def rows(*parts):
    """The rows of signs in the picture's text, by what stands in front of them."""
    lines = flow_map([Part("x", (part[0],), *part) for part in parts], WRONG).text.splitlines()
    return [line.split()[-1] for line in lines[1:-1]]


def test_an_element_that_is_missing_one_too_many_and_one_twice_have_signs_of_their_own():
    assert rows((0, 1, 1, 1), (1, 1, 0, 1), (2, 1, 1, 0), (3, 1, 2, 1)) == ["●○✗+"]


def test_what_lies_between_has_no_line_to_the_element():
    assert rows((0, 1, 0, 1), (4, 1, 1, 0)) == ["○···✗"]
    assert flow_map([Part("x", (0,), 0, 1, 0, 1)], WRONG).html.count("<path") == 1


def test_of_many_elements_a_cell_stands_for_several_and_says_if_they_differ():
    alternating = [(at, 1, 1 - at % 2, 1) for at in range(256)]
    assert rows(*alternating) == ["◐" * 64]


def test_the_picture_takes_the_colours_of_the_page_and_says_what_it_shows():
    page = flow_map([Part("x", (0,), 0, 1, 0, 1)], WRONG)
    assert "var(--jp-ui-font-color1" in page.html and "var(--jp-error-color1" in page.html
    assert "partial[0] is 1, and should be 3" in page.html.partition('aria-label="')[2]
    assert page.text.startswith("partial[0] is 1, and should be 3")
