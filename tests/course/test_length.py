"""How much a learner reads in a lesson, how much of it without a break, and how a lesson ends."""

import re
from collections.abc import Iterator

import pytest

from grader import course
from grader.course.weave import weave

MOST_WORDS = 3200  # in a notebook; the words of folds and of boxes above an exercise count half
LONGEST = 180  # words without a picture, a cell, a question or a small table
SMALL = 5  # rows of a table that is a break
LESSONS = course.lessons()
LAST = "## What you can do now"
RULES = "<details><summary>For which launches"  # a list to look something up in, made by `weave`

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)

FOLD = re.compile(r"<details>.*?</details>", re.DOTALL)
BOX = re.compile(r"\*\*What ")  # of an exercise: what is counted, what may be changed
DRAWN = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)  # a picture made of characters
WHOLE = re.compile(rf"({FOLD.pattern}|{DRAWN.pattern})", re.DOTALL | re.MULTILINE)


@each_lesson
def test_a_notebook_has_at_most_3200_words(lesson):
    assert sum(weight(text) for text in texts(lesson) if text) <= MOST_WORDS


@each_lesson
def test_nobody_reads_more_than_180_words_without_a_break(lesson):
    length, begins = max(stretches(read_on_the_way(lesson)))
    assert length <= LONGEST, f"{length:.0f} words from: {begins}"


@each_lesson
def test_a_fold_has_at_most_180_words_without_a_break(lesson):
    for text in filter(None, read_on_the_way(lesson)):
        for fold in FOLD.findall(text):
            length, begins = max(stretches([re.sub(r"</?details>", "", fold)]))
            assert length <= LONGEST, f"{length:.0f} words from: {begins}"


def test_a_stretch_ends_at_a_small_table_and_not_at_a_heading_or_a_large_table():
    row = "| a | b |\n"
    table = row + "|---|---|\n"
    assert max(stretches(["one two\n\n## three\n\nfour"])) == (4, "one two")
    assert max(stretches([f"one two\n\n{table}{row * 5}\nfour"])) == (2, "one two")
    assert max(stretches([f"one two\n\n{table}{row * 6}\nfour"])) == (3 + 2 * 7, "one two")
    assert max(stretches(["one two", None, "four"])) == (2, "one two")
    assert max(stretches(["**What is counted** here"])) == (2, "**What is counted** here")


@each_lesson
def test_a_lesson_ends_with_what_one_can_do_and_a_link_to_the_next(lesson):
    page = (lesson.path / "lesson.md").read_text()
    following = [one.name for one in LESSONS if one.name > lesson.name][:1]
    ending = page.rstrip().rpartition("\n\n")[2]
    assert f"\n{LAST}\n\n" in page
    assert ending.startswith("**Next:** [")
    assert all(f"]({name}.ipynb)" in ending for name in following)


def texts(lesson: course.Lesson) -> list[str | None]:
    """The Markdown cells of a lesson; None for each other cell."""
    cells = weave(lesson).cells
    return [cell.source if cell.cell_type == "markdown" else None for cell in cells]


def read_on_the_way(lesson: course.Lesson) -> list[str | None]:
    return [text for text in texts(lesson) if not (text or "").startswith(RULES)]


def stretches(texts: list[str | None]) -> Iterator[tuple[float, str]]:
    """The words of each stretch without a break, and how it begins; None stands for a cell."""
    length, begins = 0.0, ""
    for text in texts:
        for block in [None] if text is None else blocks(text):
            if block is None or is_break(block):
                yield length, begins
                length, begins = 0.0, ""
            elif block.strip():
                begins = begins or block.strip()[:60]
                length += weight(block)
    yield length, begins


def blocks(text: str) -> Iterator[str]:
    """Paragraphs, folds, tables and drawings; the box of an exercise as a whole."""
    if BOX.match(text):
        yield text
        return
    for part in WHOLE.split(text):
        yield from [part] if WHOLE.fullmatch(part) else part.split("\n\n")


def is_break(block: str) -> bool:
    """A picture, a question's answer in a fold, or a table of at most five rows."""
    rows = [row for row in block.splitlines() if row.startswith("|")]
    return (
        "![" in block
        or block.startswith(("```", "<details><summary>An answer"))
        or 2 < len(rows) <= 2 + SMALL
    )


def weight(text: str) -> float:
    """The words of `text`, those of folds and of an exercise's box counted half."""
    if BOX.match(text):
        return words(text) / 2
    return words(FOLD.sub("", text)) + sum(words(fold) for fold in FOLD.findall(text)) / 2


def words(text: str) -> int:
    return len(re.findall(r"\S*\w\S*", text))
