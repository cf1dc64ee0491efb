"""`grader check` and `grader doctor` as a shell meets them: output, complaints, exit status."""

import json
from pathlib import Path

import pytest
from nbformat import v4
from small_lesson import ID, SOLUTION, instead
from typer.testing import CliRunner

from grader import course
from grader.cli.app import app

NO_GUARD = instead("    total[i] = x[i] + y[i];")


@pytest.fixture
def grader(root, monkeypatch, tmp_path):
    """Run `grader ARGUMENTS` with the small lesson as the course, in an empty directory."""
    monkeypatch.setattr(course, "KERNELS", root)
    monkeypatch.chdir(tmp_path)

    def invoke(*arguments, columns=120):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": str(columns)})

    return invoke


def source_file(text):
    Path("answer.cu").write_text(text)
    return "answer.cu"


def notebook_file(*cells, lesson="01_add"):
    set_up = v4.new_code_cell(f'from grader.notebook import lesson\nlesson("{lesson}")')
    Path("answer.ipynb").write_text(json.dumps(v4.new_notebook(cells=[set_up, *cells])))
    return "answer.ipynb"


def solution_cell(source, name="add"):
    marks = {"schema_version": 3, "grade_id": name, "solution": True, "grade": False}
    return v4.new_code_cell(f"%%cuda {name}\n{source}", metadata={"nbgrader": marks})


def test_a_right_kernel_exits_with_status_0(grader):
    result = grader("check", source_file(SOLUTION), "--exercise", ID)
    assert result.exit_code == 0
    assert "4 of 4 points" in result.stdout
    assert result.stderr == ""


def test_a_wrong_kernel_shows_the_line_and_exits_with_status_1(grader):
    result = grader("check", source_file(NO_GUARD), "--exercise", ID)
    assert result.exit_code == 1
    assert "✗ out_of_bounds" in result.stdout
    assert "→    5 │     total[i] = x[i] + y[i];" in result.stdout


def test_the_remedy_is_a_hint_that_is_asked_for(grader):
    asked = "check", source_file(NO_GUARD), "--exercise", ID
    without, with_hint = grader(*asked), grader(*asked, "--hint")
    assert "Guard the access" not in without.stdout and "With --hint" in without.stdout
    assert "Why: " in without.stdout
    said = " ".join(with_hint.stdout.split())
    assert "What to look at next: Guard the access" in said
    assert "One small change: It is enough to add a condition to line 5." in said
    assert "One small change" not in without.stdout


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("before", ["", "\t\t", "i = i + 0; " * 12, "\ti = i;" * 30])
def test_the_caret_stands_under_what_is_wrong_however_narrow_the_terminal(grader, before, columns):
    wrong = source_file(instead(f"{before}total[i] = nothing; {'i = i; ' * 9}"))
    result = grader("check", wrong, "--exercise", ID, columns=columns)
    rows = result.stdout.splitlines()
    caret = next(at for at, row in enumerate(rows) if row.strip(" |") == "^")
    assert rows[caret - 1][rows[caret].index("^") :].startswith("nothing")
    assert max(map(len, rows)) <= columns


@pytest.mark.parametrize("answer", ["    total[i] = x[i] + y[i];", "    total[i] = nothing;"])
def test_an_excerpt_of_a_notebook_shows_the_cell_s_lines(grader, answer):
    kernel = 'extern "C" __global__ void add(const float* x, const float* y, float* total, int n) {'
    index = "int i = blockIdx.x * blockDim.x + threadIdx.x;"
    source = f"{kernel} {index}\n{answer}\n}}"
    result = grader("check", notebook_file(solution_cell(source)))
    assert f"3 {'|' if 'nothing' in answer else '│'} {answer}" in result.stdout
    assert "nothing" in answer or "1 │ %%cuda add\n" in result.stdout


def verdicts(result):
    """Those of a report that `--json` prints."""
    report = json.loads(result.stdout)
    assert report["version"] == 2
    return [one["verdict"] for one in report["checked"]]


def test_json_is_the_verdict(grader):
    result = grader("check", source_file(NO_GUARD), "--exercise", ID, "--json")
    (verdict,) = verdicts(result)
    assert (verdict["exercise"], verdict["status"], verdict["line"]) == (ID, "out_of_bounds", 5)
    assert result.exit_code == 1


def test_a_notebook_is_judged_by_its_solution_cells(grader):
    result = grader("check", notebook_file(solution_cell(SOLUTION)), "--json")
    assert result.exit_code == 0
    assert [verdict["status"] for verdict in verdicts(result)] == ["passed"]


def test_lines_of_a_notebook_count_from_after_the_magic(grader):
    result = grader("check", notebook_file(solution_cell(NO_GUARD)), "--json")
    assert verdicts(result)[0]["line"] == 6


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["answer.cu"], "Say which exercise answer.cu answers: --exercise LESSON/NAME."),
        (["answer.cu", "--exercise", "01_add/subtract"], "it has: add."),
        (["answer.cu", "--exercise", "99_nothing/add"], "there are: 01_add."),
        (["missing.cu", "--exercise", ID], "There is no file missing.cu."),
        (["missing.ipynb"], "There is no notebook missing.ipynb"),
        (["binary.cu", "--exercise", ID], "binary.cu is not a text file (UTF-8)."),
        (["folder", "--exercise", ID], "folder cannot be read: Is a directory."),
        (["not_json.ipynb"], "not_json.ipynb is not a notebook"),
        (["stranger.ipynb"], "no cell says which lesson this is"),
        (["answer.ipynb", "--exercise", "nothing"], "no exercise 'nothing'; it has: add."),
        (["answer.ipynb", "--exercise", "01_add/nothing"], "no exercise 'nothing'; it has: add."),
    ],
)
def test_bad_input_gets_one_sentence_on_stderr(grader, arguments, sentence):
    source_file(SOLUTION)
    notebook_file(solution_cell(SOLUTION))
    Path("folder").mkdir()
    Path("binary.cu").write_bytes(b"\xff\xfe\x00")
    Path("not_json.ipynb").write_text("{")
    Path("stranger.ipynb").write_text(json.dumps(v4.new_notebook()))
    result = grader("check", *arguments)
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert (result.stdout, result.exit_code) == ("", 2)


def test_one_exercise_of_a_notebook_is_judged_alone():
    notebook = course.KERNELS.parent / "notebooks" / "00_first_kernel.ipynb"
    arguments = ["check", str(notebook), "--exercise", "00_first_kernel/saxpy", "--json"]
    (verdict,) = verdicts(CliRunner().invoke(app, arguments))
    assert (verdict["exercise"], verdict["status"]) == ("00_first_kernel/saxpy", "not_attempted")


def test_a_notebook_cannot_name_a_lesson_outside_the_course(grader, tmp_path):
    (tmp_path / "evil").mkdir()
    (tmp_path / "evil/exercises.py").write_text("raise SystemExit('executed')")
    result = grader("check", notebook_file(lesson=f"../{tmp_path.name}/evil"))
    assert "there are: 01_add" in result.stderr


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        ([], "The cell for add is missing"),
        ([solution_cell("")], "The cell for add is empty"),
        ([solution_cell(SOLUTION), solution_cell(NO_GUARD)], "2 cells for add"),
    ],
)
def test_a_damaged_notebook_is_told_what_is_wrong(grader, cells, sentence):
    result = grader("check", notebook_file(*cells))
    assert sentence in result.stderr
    assert result.exit_code == 1


def test_doctor_finds_compiler_headers_and_device(grader):
    result = grader("doctor")
    assert result.exit_code == 0
    for what in (
        "CUDA compiler",
        "CUDA headers",
        "Judge's own process",
        "Device",
        "JupyterLab",
        "nbgrader formgrader",
    ):
        row = next(line for line in result.stdout.splitlines() if what in line)
        assert "✓ found" in row


def test_what_does_not_compile_is_told_once(grader):
    said = grader("check", source_file("I do not know\n"), "--exercise", ID).stdout
    assert said.count("does not compile") == 1
    assert "all cases: does not compile" in said
