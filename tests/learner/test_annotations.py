"""GitHub's annotations: which line of a learner's file they point at."""

import json
from pathlib import Path

import pytest
import yaml
from nbformat import v4

from grader import course
from grader.classroom import bundles
from grader.cli.kernel_commands import CheckedAnswer, line_in_file, workflow_commands
from grader.course.weave import text
from grader.judge import Verdict
from grader.status import Status
from grader.submissions.intake import cuda_source

CELL = '%%cuda add\n__global__ void add() {\n    "50%: a,b";\n    oops\n}'


@pytest.fixture
def notebook(tmp_path):
    made = v4.new_notebook(
        cells=[v4.new_markdown_cell("Some\nprose"), v4.new_code_cell(CELL), v4.new_code_cell("1")]
    )
    path = tmp_path / "01_add.ipynb"
    path.write_text(text(made))
    return path


def verdict(status, line=None, message=""):
    return Verdict("01_add/add", 1.0, 4.0, status, message, line)


@pytest.mark.parametrize("line", [1, 2, 3, 4, 5])
def test_a_line_of_a_cell_is_found_in_the_notebook_s_file(notebook, line):
    content = notebook.read_text()
    found = line_in_file(notebook, content, cuda_source(CELL), line)
    shown = content.splitlines()[found - 1]
    assert json.loads(shown.strip().removesuffix(",")).rstrip("\n") == CELL.splitlines()[line - 1]


def test_where_a_notebook_is_one_line_the_file_is_annotated_without_a_line(notebook):
    compact = json.dumps(json.loads(notebook.read_text()))
    assert line_in_file(notebook, compact, cuda_source(CELL), 4) is None


def test_an_annotation_is_one_line_and_nothing_in_it_ends_it(notebook):
    wrong = verdict(Status.COMPILE_ERROR, 4, "50%: a,b\nsecond line")
    (line,) = workflow_commands(notebook, [CheckedAnswer("01_add/add", "", wrong, CELL)])
    content = notebook.read_text()
    where = line_in_file(notebook, content, cuda_source(CELL), 4)
    assert line.startswith(f"::error file={notebook},line={where},title=")
    assert line.endswith(",title=01_add/add%3A 1 of 4 points::50%25: a,b%0Asecond line")
    assert "\n" not in line


def test_what_passed_says_nothing_and_what_is_missing_warns(notebook):
    passed = CheckedAnswer("01_add/add", "", verdict(Status.PASSED), CELL)
    missing = CheckedAnswer("01_add/scale", "The cell for scale is missing.", None)
    (line,) = workflow_commands(notebook, [passed, missing])
    assert line.startswith("::warning ") and line.endswith("::The cell for scale is missing.")


def test_a_kernel_s_own_file_keeps_its_lines(tmp_path):
    path = tmp_path / "add.cu"
    path.write_text("one\ntwo\n")
    assert line_in_file(path, path.read_text(), "one\ntwo\n", 2) == 2


def test_the_workflow_is_yaml_that_checks_the_notebook():
    lesson = course.lessons()[0]
    made = yaml.safe_load(bundles.workflow(lesson, "owner/warpwise"))
    steps = made["jobs"]["grade"]["steps"]
    assert steps[1]["with"]["repository"] == "owner/warpwise"
    assert steps[-1]["run"] == f"grader check {lesson.name}.ipynb --github"
    assert made["permissions"] == {"contents": "read"}
    assert Path(bundles.WORKFLOW).parts[:2] == (".github", "workflows")
