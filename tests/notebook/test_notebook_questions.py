"""A learner answers questions in a notebook, as JupyterLab and nbclient run it."""

import os

import nbformat
import pytest
import small_questions
from nbformat import v4
from small_questions import LESSON

from grader.course.kinds import BY_HAND
from grader.judge.judging import LATER

CELLS = (
    f'from grader.notebook import *\nlesson("{LESSON}")',
    'check("waits")',
    "%%answer how_many\n32 sectors",
    'check("how_many")',
    "%%answer how_many\n128 bytes",
    'check("how_many", hidden=True)',
    "%%answer waits\n# nothing yet",
    'check("waits")',
    "%%answer waits\ngrid",
    'check("waits", hidden=True)',
    '%%answer why\nIt\'s read too early: printf("x").',
    'check("why")',
    'hint("why")',
    'play("why")',
    "%%answer add\nno kernel",
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """By number of the cell, what it shows as text."""
    from nbclient import NotebookClient

    root = tmp_path_factory.mktemp("course")
    (root / "kernels").mkdir()
    small_questions.write_lesson(root / "kernels")
    notebook = v4.new_notebook(cells=[v4.new_code_cell(cell) for cell in CELLS])
    home = tmp_path_factory.mktemp("home")
    (home / ".warpwise").mkdir()
    NotebookClient(
        notebook,
        timeout=120,
        allow_errors=True,
        resources={"metadata": {"path": str(home)}},
        extra_arguments=["--log-level=ERROR"],
    ).execute(env={**os.environ, "WARPWISE_COURSE": str(root), "JUPYTERHUB_USER": "ada"})
    shown = dict(enumerate(map(_text, notebook.cells)))
    return shown | {"progress": (home / "progress.jsonl").read_text()}


def _text(cell: nbformat.NotebookNode) -> str:
    return "\n".join(one.get("data", {}).get("text/plain", "") for one in cell.outputs)


def test_check_asks_for_the_cell_of_the_answer_first(shown):
    assert "Run the cell that begins with `%%answer waits` first." in shown[1]


def test_running_an_answer_says_what_comes_next(shown):
    assert 'Run `check("how_many")`.' in shown[2]


def test_check_tells_at_once_what_is_wrong_in_the_authors_sentence_where_the_lesson_says_so(shown):
    assert "not right" in shown[3] and "Neighbouring threads share a sector." in shown[3]
    assert "how_many: passed, 1 of 1 point (a number)" in shown[5]
    assert "32 floats have 128 bytes." in shown[5]


def test_shuffled_options_are_shown_when_the_cell_runs_and_always_in_one_order(shown):
    assert "- `grid`: all" in shown[6]
    assert shown[6] == shown[8]
    assert "`waits` is still as it was handed out." in shown[7]


def test_elsewhere_check_says_only_that_the_answer_is_kept(shown):
    assert LATER in shown[9] and "Blocks" not in shown[9]


def test_a_text_is_kept_for_a_person(shown):
    assert f"`why`, 3 points: {BY_HAND}" in shown[11]


def test_a_question_has_no_run_to_play_and_a_kernel_no_answer(shown):
    assert "There are no more hints" in shown[12]
    assert "`why` is a question: no kernel runs." in shown[13]
    assert "`add` is a kernel: begin its cell with `%%cuda add`." in shown[14]


def test_a_kept_answer_counts_as_done_and_tells_nothing_of_right_or_wrong(shown):
    lines = shown["progress"].splitlines()
    waits = [line for line in lines if '"waits"' in line]
    assert len(waits) == 1 and '"passed": "waits"' in waits[0]
    assert sum('"tried": "how_many"' in line for line in lines) == 2
