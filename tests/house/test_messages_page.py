"""docs/messages.md has every message about a kernel, and `grader messages` prints it."""

import re

import pytest
from kernel_files import broken, run, said
from typer.testing import CliRunner

from grader import cuda
from grader.cli import app
from grader.cuda import simulator
from tools import messages_page
from tools.messages_page import PAGE, example, names, templates, unseen


def test_each_sentence_is_on_the_page():
    """In an example, or in the list at its end; a new sentence needs the page to be made anew."""
    page = PAGE.read_text(encoding="utf-8")
    listed = page.partition("## Messages without an example")[2]
    missing = [one for one in unseen(page) if f"- {one}\n" not in listed]
    assert not missing, "run `python -m tools.messages_page`"
    assert len(templates()) > 200


def test_a_sentence_that_no_example_has_is_found():
    assert "From which lane should this value come?" in unseen("A page without it.")
    assert "From which lane should this value come?" not in unseen(
        "It goes below lane 0. From which lane should this value come?"
    )


def test_the_list_at_the_end_has_only_what_no_example_has():
    page = PAGE.read_text(encoding="utf-8")
    examples, _, listed = page.partition("## Messages without an example")
    assert [f"- {one}" for one in unseen(examples)] == listed.strip().splitlines()


@pytest.mark.parametrize("name", [name for name in names() if "/" not in name])
def test_an_example_of_a_cell_is_what_the_simulated_gpu_says(name):
    shown = example(name)
    assert shown.text in PAGE.read_text(encoding="utf-8")
    assert is_short(shown)
    assert shown.message.remedy in shown.card  # a cell is no exercise


@pytest.mark.parametrize("kernel", [*broken(), *said()], ids=lambda kernel: kernel.name)
def test_what_everybody_reads_first_of_a_kernel_has_at_most_30_words(kernel):
    with pytest.raises(cuda.CudaError) as caught, simulator.options(step_limit=100_000):
        run(kernel, simulator.RawModule, simulator.empty)
    assert len(caught.value.parts.first.split()) <= 30, caught.value.parts.first
    assert str(caught.value.parts) == str(caught.value)


def rounded(text):
    """The text with three digits of each number that has more."""
    return re.sub(r"\d+\.\d{3,}(?:e[+-]?\d+)?", lambda number: f"{float(number[0]):.3g}", text)


def is_short(shown):
    """Whether the heading, which may name the line, and the first part have at most 30 words; the
    compiler has its own."""
    heading, *_ = shown.card.splitlines()
    place = heading.partition(", ")[2]
    return len(f"{place} {shown.message.first}".split()) <= 30 or shown.status == "compile_error"


@pytest.mark.parametrize("kernel", said(), ids=lambda kernel: kernel.name)
def test_a_kernel_of_tests_said_gets_the_status_and_the_line_that_it_names(kernel):
    with pytest.raises(cuda.CudaError) as caught, simulator.options(step_limit=100_000):
        run(kernel, simulator.RawModule, simulator.empty)
    assert (caught.value.status, caught.value.line) == (kernel.status, kernel.line)
    assert getattr(caught.value, "other_line", None) == kernel.other_line or not kernel.other_line


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in names() if "/" in name])
def test_an_example_of_a_lesson_is_what_the_judge_says(name):
    shown = example(name)
    # Processors round the last digits of functions such as exp in other ways.
    assert rounded(shown.text) in rounded(PAGE.read_text(encoding="utf-8"))
    assert is_short(shown)
    told = " ".join(f"{shown.card} {shown.terminal}".split())
    assert not any(text in told for _, text in shown.message.hints)


def test_the_page_has_its_examples_by_status():
    page = messages_page.page([example("missing_guard"), example("shift_without_barrier")])
    assert page.index("## Out of bounds") < page.index("### missing_guard")
    assert page.index("## Data race") < page.index("### shift_without_barrier")


def test_the_command_prints_the_page():
    result = CliRunner().invoke(app, ["messages"])
    assert result.exit_code == 0
    assert result.stdout.strip() == PAGE.read_text(encoding="utf-8").strip()
