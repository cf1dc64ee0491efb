"""A lesson in front of a class: its slides, and its mistakes in a terminal."""

import base64
import io
import json
import re
from dataclasses import replace
from html import unescape

import pytest
import small_class
from nbformat import v4
from rich.console import Console

from grader import course
from grader.classroom import demo
from grader.classroom.handing_out import Mistake, changes
from grader.classroom.slides import slides
from grader.cli import classroom_commands
from grader.course.weave import learners_cell
from grader.judge import judge
from grader.submissions.intake import cuda_source

LEFT, RIGHT = "\x1b[D", "\x1b[C"
PNG = base64.b64encode(b"a picture").decode()


@pytest.fixture(scope="module")
def lesson(tmp_path_factory):
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    return course.lesson(small_class.LESSON, kernels)


@pytest.fixture(scope="module")
def mistake(lesson):
    (wrong,) = lesson.wrong_kernels
    kernels = lesson.path.parent
    verdict = judge(
        f"{lesson.name}/{wrong.exercise}",
        cuda_source(learners_cell(wrong.exercise, wrong.source)),
        root=kernels,
    )
    return Mistake(wrong, verdict.for_learner())


# --- slides --------------------------------------------------------------------------------------


def slides_of(*cells):
    """The slides, as text, that these cells become."""
    page = slides(v4.new_notebook(cells=list(cells)), "A lesson")
    leaves = re.findall(r"<section((?:(?!<section|</section>).)*)</section>", page, re.S)
    return [unescape(re.sub(r"^[^>]*>|<[^>]*>", "", leaf)).strip() for leaf in leaves]


def prose(source):
    return v4.new_markdown_cell(source)


def code(source, *outputs, **metadata):
    return v4.new_code_cell(source, outputs=list(outputs), metadata=metadata)


def shown(**data):
    return v4.new_output("display_data", data={k.replace("_", "/"): v for k, v in data.items()})


def test_a_section_begins_a_slide_and_what_a_slide_has_no_room_for_the_next():
    first, second = slides_of(prose("## Sums\n\nAdd."), prose("## Products\n\nMultiply."))
    assert (first, second) == ("Sums¶Add.", "Products¶Multiply.")
    assert len(slides_of(prose("## Sums\n\n" + "\n\n".join(["Word. " * 100] * 6)))) > 1


def test_formulas_need_no_script():
    page = slides(v4.new_notebook(cells=[prose("So $x^2$ is\n\n$$\\sum_i x_i$$")]), "A lesson")
    assert page.count("<math") == 2
    assert "x^2" not in page


def test_slides_load_nothing_over_a_network():
    page = slides(v4.new_notebook(cells=[prose("# Sums")]), "A lesson")
    assert not re.search(r"""(src|href)=["'](https?:)?//""", page)


def test_no_line_of_a_long_diff_is_lost_nor_are_there_too_many_on_a_slide():
    lines = [f"+line {number};" for number in range(60)]
    pages = slides_of(prose("\n".join(["### Mistake", "", "```diff", *lines, "```"])))
    told = [re.findall(r"\+line .*;", page) for page in pages]
    assert [line for few in told for line in few] == lines
    assert all(10 <= len(few) <= 24 for few in told)


def test_the_answer_of_a_long_diff_cell_is_cut_likewise():
    lines = "\n".join(f"<span>+ line {number};</span>" for number in range(60))
    whole = shown(text_html=f'<pre style="margin: 0">{lines}</pre>', text_plain="x\n" * 60)
    told = [page.count("+ line") for page in slides_of(code("diff(a, b)", whole))]
    assert sum(told) == 60 and max(told) <= 24


def test_a_table_and_a_picture_that_do_not_fit_together_have_a_slide_each():
    table = shown(text_html="<p>THE TABLE</p>", text_plain="a row\n" * 8)
    picture = shown(image_png=PNG, text_plain="a picture")
    page = slides(v4.new_notebook(cells=[code("bench('sum')", table, picture)]), "A lesson")
    between = page[page.index("THE TABLE") : page.index(PNG)]
    assert "<section" in between
    small = shown(text_html="<p>THE TABLE</p>", text_plain="a row")
    page = slides(v4.new_notebook(cells=[code("bench('sum')", small, picture)]), "A lesson")
    assert "<section" not in page[page.index("THE TABLE") : page.index(PNG)]


def test_a_player_has_a_slide_of_its_own():
    player = shown(text_html='<div class="ww-player">THE PLAYER</div>', text_plain="a step\n" * 3)
    pages = slides_of(prose("## Sums"), code("play(run)", player), prose("Then this."))
    assert pages[-2:] == ["THE PLAYER", "Then this."]


# --- a mistake -----------------------------------------------------------------------------------


def test_a_mistake_is_shown_as_what_it_changes_in_the_solution(lesson, mistake):
    assert [line for line in changes(lesson, mistake) if line[0] in "+-"] == [
        "-    if (i < n) doubled[i] = 2 * x[i];",
        "+    doubled[i] = 2 * x[i];",
    ]


def test_a_mistake_is_told_by_the_lines_of_its_learner_s_cell(lesson, mistake):
    unended = small_class.SCALED.replace("2 * x[i];", "2 * x[i]")
    typo = replace(mistake, wrong=replace(mistake.wrong, source=unended))
    verdict = judge(f"{lesson.name}/scale", typo.source, root=lesson.path.parent)
    assert typo.cell.splitlines()[verdict.line - 1].endswith("2 * x[i]")


@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("the guard is missing", "The guard is missing"),
        ("a row has columns", "A row has columns"),
        ("gridDim in place of blockDim", "gridDim in place of blockDim"),
        ("x of the grid runs along a row", "x of the grid runs along a row"),
        ("max() of two pairs", "max() of two pairs"),
        ("-1e20f is not minus infinity", "-1e20f is not minus infinity"),
    ],
)
def test_its_title_is_a_sentence_and_names_of_the_code_stay_as_they_are(mistake, said, title):
    assert replace(mistake, wrong=replace(mistake.wrong, mistake=said)).title == title


# --- the terminal --------------------------------------------------------------------------------


def stepped(lesson, mistakes, *keys):
    """The screens that `keys` lead through, as text; a terminal that is gone ends them."""
    screens = io.StringIO()
    left = iter((*keys, ""))
    console = Console(file=screens, width=100, force_terminal=True, color_system=None)
    classroom_commands.step_through(lesson, mistakes, console, lambda: next(left))
    return [
        re.sub(r"\x1b\[[0-9;?]*\w", "", screen)
        for screen in screens.getvalue().split("\x1b[2J")[1:]
    ]


def test_a_key_shows_what_was_changed_and_then_what_the_judge_says(lesson, mistake):
    change, verdict = stepped(lesson, [mistake], RIGHT)
    assert "The guard is missing" in change and "+    doubled[i] = 2 * x[i];" in change
    assert "A hidden case failed" not in change
    assert "A hidden case failed (out_of_bounds)" in verdict


def test_the_arrows_go_on_and_back_and_q_stops(lesson, mistake):
    at = [
        "1 of 2" in screen
        for screen in stepped(lesson, [mistake] * 2, LEFT, RIGHT, " ", LEFT, RIGHT, "q", RIGHT)
    ]
    assert at == [True, True, True, False, True, False]


def test_after_the_last_screen_it_ends(lesson, mistake):
    assert len(stepped(lesson, [mistake], *[RIGHT] * 9)) == 2


@pytest.mark.slow
def test_a_lesson_is_presented_with_its_mistakes_and_their_diagnoses(tmp_path):
    lesson = course.lessons()[0]
    made = demo.present(lesson, tmp_path, lambda steps, **_: steps)
    told = made.notebook.read_text()
    for wrong in lesson.wrong_kernels:
        assert json.dumps(wrong.mistake[1:])[1:-1] in told
    assert "What goes wrong: " in told and "out of bounds" in told.lower()
    assert "widget" not in told  # their buttons would be broken links until the cell is run
    assert "<section" in made.slides.read_text()


@pytest.mark.slow
def test_slides_for_a_lecture_have_no_exercises_no_folds_and_one_mistake_of_each_exercise(
    monkeypatch, tmp_path
):
    lesson = course.lesson("02_tree_reduction")
    whole = demo.present(lesson, tmp_path, lambda steps, **_: steps).slides.read_text()
    brief = demo.present(lesson, tmp_path, lambda steps, **_: steps, brief=True)
    shown = [mistake.wrong.exercise for mistake in brief.mistakes]
    assert sorted(shown) == sorted({wrong.exercise for wrong in lesson.wrong_kernels})
    told = brief.slides.read_text()  # the same file
    assert told.count("<section") < 0.6 * whole.count("<section")
    assert "A tree instead of a line" in told and "What you can do now" in told
    for left_out in ("What is counted", "For which launches", "On your own", "Going further"):
        assert left_out not in told
