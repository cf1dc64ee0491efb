"""mistakes.toml: an edit of the solution becomes a wrong kernel, or one sentence why not."""

import re

import pytest
from small_lesson import SOLUTION, instead

from grader.course.authors import shown
from grader.course.mistakes import FILE, MistakeError, wrong_kernels

GUARD = """
[[add]]
name = "unguarded"
mistake = "the guard is missing"
must_get = "out_of_bounds"
line = 'total[i] ='
replace = 'if (i < n) {'
with = '{'
"""


@pytest.fixture
def read(tmp_path):
    """The wrong kernels that a mistakes.toml makes of the small lesson's solution."""

    def read(text):
        (tmp_path / FILE).write_text(text)
        return wrong_kernels(tmp_path, {"add": SOLUTION})

    return read


def test_a_mistake_is_the_solution_with_its_edit(read):
    [wrong] = read(GUARD)
    assert wrong.source == SOLUTION.replace("if (i < n) {", "{")
    assert (wrong.name, wrong.exercise, wrong.status) == ("unguarded", "add", "out_of_bounds")
    assert wrong.mistake == "the guard is missing"


def test_its_line_is_where_the_words_stand_after_the_edit(read):
    longer = GUARD.replace("with = '{'", "with = '''\n// nobody is left out\n    {'''")
    assert [wrong.line for wrong in read(GUARD)] == [6]
    assert [wrong.line for wrong in read(longer)] == [7]
    assert [wrong.line for wrong in read(GUARD.replace("line = 'total[i] ='", ""))] == [None]


def test_several_edits_are_all_of_the_solution_in_any_order(read):
    swapped = "[[add.also]]\nreplace = 'x[i]'\nwith = 'y[i]'\n[[add.also]]\nreplace = 'y[i]'\n"
    [wrong] = read(f"{GUARD}{swapped}with = 'x[i]'\n")
    assert "    {\n        total[i] = y[i] + x[i];" in wrong.source


def test_a_whole_answer_stands_between_the_marks(read):
    text = GUARD.replace(
        "replace = 'if (i < n) {'\nwith = '{'", "answer = '''\n    total[i] = 0;\n'''"
    )
    [wrong] = read(text)
    assert wrong.source == instead("    total[i] = 0;").replace("0;\n", "0;\n    // END SOLUTION\n")
    assert wrong.line == 5


def test_without_the_file_there_are_no_mistakes(tmp_path):
    assert wrong_kernels(tmp_path, {"add": SOLUTION}) == ()


@pytest.mark.parametrize(
    ("right", "written", "sentence"),
    [
        ("(i < n)", "(i < m)", "add/unguarded: 'if (i < m) {' stands nowhere in the kernel"),
        ("'if (i < n) {'", "'{'", "add/unguarded: '{' stands 2 times in the kernel"),
        ("'total[i] ='", "'x'", "add/unguarded: 'x' stands 8 times"),
        ("'total[i] ='", "'if (i < n)'", "add/unguarded: 'if (i < n)' stands nowhere"),
        ("with = '{'", "with = 'if (i < n) {'", "add/unguarded: nothing is changed"),
        ("with =", "by =", "add/unguarded: nobody reads by"),
        ("mistake =", "mistaken =", "add/unguarded: nobody reads mistaken"),
        ("must_get = ", "# ", "add/unguarded: must_get is missing"),
        ("with =", "# ", "add/unguarded: with is missing"),
        ("replace = 'if (i < n) {'\nwith = '{'", "", "add/unguarded: replace, with is missing"),
        ("'{'\n", "3\n", "add/unguarded: with must be a text"),
        ('"unguarded"', "7", "add/7: name must be a text"),
        ("[[add]]", "[[odd]]", "there is no exercise 'odd'; there are: add"),
        ("'{'\n", "'{\n", "this is not TOML"),
        (
            "'{'\n",
            "'{'\n[[add.also]]\nreplace = '(i < n)'\nwith = ''\n",
            "add/unguarded: two edits",
        ),
        ("'{'\n", "'{'\n[add.also]\nwith = ''\n", "a further edit begins with [[add.also]]"),
        ("[[add]]", "[add]", "a mistake in add begins with [[add]]"),
        ("[[add]]", "add = 3\n[[more]]", "a mistake in add begins with [[add]]"),
        ("'{'\n", f"'{{'\n{GUARD}", "two mistakes are called 'unguarded'"),
    ],
)
def test_what_is_written_amiss_is_one_sentence_with_the_file_and_the_mistake(
    read, tmp_path, right, written, sentence
):
    assert right in GUARD
    with pytest.raises(MistakeError) as said:
        read(GUARD.replace(right, written))
    line = "" if "end of document" in str(said.value) else r", line \d+"
    assert re.match(rf"{re.escape(shown(tmp_path / FILE))}{line}: ", str(said.value))
    assert sentence in str(said.value)
    assert "\n" not in str(said.value)
