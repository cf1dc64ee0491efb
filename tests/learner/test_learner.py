"""A learner's own folder: made once, brought up to date, handed in from; nothing in it is lost."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from typer.testing import CliRunner

from grader import course
from grader.cli import app
from grader.cli.app import COMMANDS
from grader.course.weave import grade_id, graded
from grader.errors import LearnerError
from grader.learner import editions, folder, progress, start_page
from tools import labextension

LESSON = course.lesson("02_tree_reduction")


def cell(name: str, source: str, kind=v4.new_code_cell):
    return kind(source, id=name)


def notebook(*cells):
    made = v4.new_notebook(cells=list(cells))
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    return made


FIRST = notebook(
    cell("title", "# A lesson", v4.new_markdown_cell),
    cell("shown", "print(1)"),
    v4.new_code_cell("%%cuda mine\n// write it", id="mine", metadata=graded("mine", solution=True)),
    cell("last", "Read on.", v4.new_markdown_cell),
)


def changed(**sources):
    """The first edition with other sources."""
    other = copy.deepcopy(FIRST)
    for one in other.cells:
        one.source = sources.get(one.id, one.source)
    return other


@pytest.fixture
def published(tmp_path):
    """Where the course's notebooks are; call it with an edition to publish that."""
    where = tmp_path / "notebooks"
    where.mkdir()

    def publish(edition):
        nbformat.write(edition, where / "00_a.ipynb")
        return where

    return publish


@pytest.fixture
def mine(tmp_path, published):
    """A learner's folder with the first edition, in which the exercise is answered, a cell added
    and one taken out."""
    root = tmp_path / "mine"
    assert folder.make(root, published(FIRST)) == ["00_a"]
    own = changed(mine="%%cuda mine\n// written")
    own.cells[1].outputs = [v4.new_output("stream", text="1\n")]
    own.cells.insert(2, cell("own", "my_notes = 1"))
    nbformat.write(own, root / "00_a.ipynb")
    return root


def sources(root: Path) -> list[str]:
    return [one.source for one in nbformat.read(root / "00_a.ipynb", 4).cells]


# --- the folder ----------------------------------------------------------------------------------


def test_making_a_folder_again_touches_nothing_that_is_there(mine, published):
    before = (mine / "00_a.ipynb").read_bytes()
    assert folder.make(mine, published(changed(shown="print(2)"))) == []
    assert (mine / "00_a.ipynb").read_bytes() == before


def test_what_was_open_is_remembered_in_the_folder_it_was_open_in(tmp_path):
    asked = start_page.command(tmp_path, ["--no-browser"])
    assert f"--LabApp.workspaces_dir={tmp_path / '.warpwise' / 'workspaces'}" in asked
    assert asked[-1] == "--no-browser"


def test_a_lesson_that_the_learner_deleted_stays_deleted_until_an_update(mine, published):
    (mine / "00_a.ipynb").unlink()
    assert folder.make(mine, published(FIRST)) == []
    assert not (mine / "00_a.ipynb").exists()


def test_the_course_itself_is_no_learner_s_folder():
    with pytest.raises(LearnerError, match="is the course itself"):
        folder.make(course.KERNELS.parent)


# --- a new edition -------------------------------------------------------------------------------


def test_an_update_changes_what_the_learner_left_alone_and_keeps_the_rest(mine, published):
    (changes,) = editions.update(mine, published(changed(shown="print(2)", last="Go on."))).values()
    assert sources(mine) == [
        "# A lesson",
        "print(2)",
        "my_notes = 1",
        "%%cuda mine\n// written",
        "Go on.",
    ]
    assert changes[editions.CHANGED] == ["print(2)", "Go on."]
    assert changes[editions.KEPT] == ["my_notes = 1", "mine"]


def test_a_cell_that_both_have_changed_is_kept_and_the_new_text_stands_below(mine, published):
    (changes,) = editions.update(
        mine, published(changed(mine="%%cuda mine\n// write it well"))
    ).values()
    at = sources(mine).index("%%cuda mine\n// written")
    assert "// write it well" in sources(mine)[at + 1]
    assert changes[editions.BELOW] == ["mine"]


def test_outputs_of_cells_that_did_not_change_are_kept(mine, published):
    editions.update(mine, published(changed(last="Go on.")))
    shown = nbformat.read(mine / "00_a.ipynb", 4).cells[1]
    assert shown.outputs[0]["text"] == "1\n"


def test_cells_come_and_go_with_the_edition(mine, published):
    new = copy.deepcopy(FIRST)
    new.cells[1] = cell("other", "print(3)")
    (changes,) = editions.update(mine, published(new)).values()
    assert "print(1)" not in sources(mine)
    assert "print(3)" in sources(mine)
    assert (changes[editions.NEW], changes[editions.GONE]) == (["print(3)"], ["print(1)"])


def test_an_answer_whose_exercise_is_gone_is_kept(mine, published):
    new = copy.deepcopy(FIRST)
    del new.cells[2]
    editions.update(mine, published(new))
    assert "%%cuda mine\n// written" in sources(mine)


def test_what_a_notebook_was_before_an_update_is_kept(mine, published):
    before = (mine / "00_a.ipynb").read_bytes()
    editions.update(mine, published(changed(shown="print(2)")))
    (kept,) = (mine / editions.BEFORE).iterdir()
    assert kept.read_bytes() == before


def test_a_second_update_finds_nothing_to_do(mine, published):
    newer = published(changed(shown="print(2)", mine="%%cuda mine\n// better"))
    editions.update(mine, newer)
    before = sources(mine)
    assert editions.update(mine, newer) == {}
    assert sources(mine) == before


def test_every_lesson_goes_through_an_update_with_every_cell_in_its_place(tmp_path):
    for path in sorted(folder.NOTEBOOKS.glob("*.ipynb")):
        new = nbformat.read(path, 4)
        old = copy.deepcopy(new)
        for one in old.cells:
            one.source += "\n# before"
        merged, _ = editions.merged(old, old, new)
        assert [one.source for one in merged.cells] == [one.source for one in new.cells]


# --- progress ------------------------------------------------------------------------------------


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / progress.MARK).mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_files_put_one_behind_the_other_are_both_of_them(own):
    progress.passed("a", "one")
    progress.predicted("a", "key", "8", True)
    here = (own / progress.FILE).read_text()
    elsewhere = [
        {"at": "2020-01-01T00:00:00+00:00", "lesson": "a", "passed": "two"},
        {"at": "2020-01-01T00:00:00+00:00", "lesson": "a", "predicted": "key", "choice": "16"},
    ]
    elsewhere[1]["right"] = False
    other = "".join(json.dumps(line) + "\n" for line in elsewhere)
    for merged in (here + other, other + here, here + other + here):
        (own / progress.FILE).write_text(merged)
        done = progress.read(own)["a"]
        assert done.passed == {"one", "two"}
        assert done.predicted == {"key": ("16", False)}  # the first answer counts


def test_lines_that_nobody_here_wrote_are_passed_over(own):
    progress.passed("a", "one")
    with (own / progress.FILE).open("a") as file:
        file.write('{"at": 3}\n[]\nnull\nnot JSON\n{"at": "x", "lesson": "a", "stars": 5}\n')
    assert progress.read(own)["a"].passed == {"one"}


def test_a_file_that_is_deleted_is_a_new_beginning(own):
    progress.passed("a", "one")
    (own / progress.FILE).unlink()
    assert progress.of("a").passed == set()


def test_a_notebook_in_a_folder_inside_belongs_to_the_learner_s_folder(own, monkeypatch):
    (own / "deeper").mkdir()
    monkeypatch.chdir(own / "deeper")
    progress.passed("a", "one")
    assert progress.read(own)["a"].passed == {"one"}


# --- the start page ------------------------------------------------------------------------------


def test_the_start_page_says_what_is_done_and_where_to_go_on(own):
    folder.make(own)
    assert "Begin here: Your first kernel" in start_page.page(own)
    progress.passed(LESSON.name, "interleaved")
    progress.predicted(LESSON.name, "key", "8", True)
    shown = start_page.page(own)
    assert f"Go on here: {LESSON.title}" in shown
    assert f"1 of {len(LESSON.exercises)} exercises passed" in shown
    assert "1 of 12 predictions made, 1 right" in shown


def test_of_lessons_without_questions_no_predictions_are_counted(own):
    folder.make(own)
    for path in (own / folder.LESSONS).glob("*.ipynb"):
        path.write_text(path.read_text().replace("predict(", "print("))
    shown = start_page.page(own)
    assert f"0 of {len(LESSON.exercises)} exercises passed" in shown
    assert "made" not in shown


def test_the_start_page_leads_to_the_pages_that_have_no_exercise_and_they_are_no_lessons(own):
    folder.make(own)
    shown = start_page.page(own)
    for path in sorted((course.KERNELS / "pages").glob("*.md")):
        assert f'<a href="{path.stem}.ipynb">' in shown
    assert [station.lesson.name for station in start_page.stations(own)] == course.names()


def test_the_start_page_tells_of_every_lesson_what_the_course_knows(own):
    folder.make(own)
    for station, lesson in zip(start_page.stations(own), course.lessons(), strict=True):
        assert station.lesson.title == lesson.title
        assert {*station.lesson.exercises} == {exercise.name for exercise in lesson.exercises}


def test_what_the_start_page_needs_loads_neither_numpy_nor_the_course():
    """It is the first thing that somebody waits for; the server imports it."""
    said = "import sys, grader.learner.start_page; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True).stdout
    assert "grader.learner.start_page" in loaded.split()
    assert {"numpy", "grader.course", "IPython"}.isdisjoint(loaded.split())


def test_a_lesson_is_done_when_all_its_exercises_are_passed(own):
    folder.make(own)
    for exercise in LESSON.exercises:
        progress.passed(LESSON.name, exercise.name)
    (station,) = [one for one in start_page.stations(own) if one.lesson.name == LESSON.name]
    assert station.done


def test_the_start_page_says_when_there_is_a_new_edition(own):
    folder.make(own)
    assert "new edition" not in start_page.page(own)
    (own / folder.LESSONS / f"{LESSON.name}.ipynb").write_text("{}")
    assert f"new edition of {LESSON.name}" in start_page.page(own)


# --- handing in ----------------------------------------------------------------------------------


def test_where_there_is_no_exchange_a_copy_to_hand_in_is_made(own):
    folder.make(own)
    path = own / f"{LESSON.name}.ipynb"
    done = editions.hand_in(own, LESSON)
    assert done.to.read_bytes() == path.read_bytes()
    assert done.to.name == path.name
    assert done.to.is_relative_to(own)


def test_handing_in_says_what_is_not_answered_or_cannot_be_graded(own):
    folder.make(own)
    path = own / f"{LESSON.name}.ipynb"
    given = nbformat.read(path, 4)
    answered, lost, *blank = [exercise.name for exercise in LESSON.exercises]
    for one in list(given.cells):
        name = one.metadata.get("nbgrader", {}).get("grade_id")
        if name == answered:
            one.source += "\n__device__ int more;"
        if name == lost:
            given.cells.remove(one)
    nbformat.write(given, path)
    done = editions.hand_in(own, LESSON)
    assert done.blank == tuple(blank)
    assert done.problems == (f"The cell for {lost} is missing from the notebook.",)


def with_saxpy(own, change):
    """The first lesson in the learner's folder, its cell for saxpy changed."""
    folder.make(own)
    path = own / "00_first_kernel.ipynb"
    given = nbformat.read(path, 4)
    (one,) = [one for one in given.cells if grade_id(one) == "saxpy"]
    change(given, one)
    nbformat.write(given, path)
    return path


def like(one, name, source):
    return nbformat.from_dict({**one, "id": name, "source": source})


def submitted(own):
    ran = CliRunner().invoke(app, ["submit", "00"])
    assert ran.exception is None or isinstance(ran.exception, SystemExit)
    return ran


SILLY = {
    "empty": (lambda nb, one: one.update(source=""), "The cell for saxpy is empty"),
    "gone": (lambda nb, one: nb.cells.remove(one), "The cell for saxpy is missing"),
    "another name": (
        lambda nb, one: one.update(source=one.source.replace("saxpy", "sxapy")),
        "saxpy does not pass yet: launch error",
    ),
    "Python": (
        lambda nb, one: one.update(source="print('done')"),
        "saxpy does not pass yet: compile error",
    ),
    "half a kernel": (
        lambda nb, one: one.update(source=one.source.replace("(const", "const")),
        "saxpy does not pass yet: compile error, line ",
    ),
    "twice": (
        lambda nb, one: nb.cells.append(like(one, "z", one.source + "\nint z;")),
        "2 cells for saxpy with different code",
    ),
}


@pytest.mark.parametrize("silly", SILLY)
def test_whatever_is_silly_in_a_cell_is_told_when_it_is_handed_in(own, silly):
    change, said = SILLY[silly]
    with_saxpy(own, change)
    ran = submitted(own)
    assert said in ran.stderr
    assert "Hand in this file" in ran.stdout
    assert ran.exit_code == 0


@pytest.mark.parametrize("content", ["", "[]", '{"cells": [', "\0"])
def test_what_is_no_notebook_is_one_sentence_when_it_is_handed_in(own, content):
    folder.make(own)
    (own / "00_first_kernel.ipynb").write_text(content)
    ran = submitted(own)
    assert ran.exit_code == 2
    assert "is not a notebook" in ran.stderr
    assert len(ran.stderr.strip().splitlines()) == 1


def test_work_in_a_file_of_another_name_is_noticed_when_a_lesson_is_handed_in(own):
    path = with_saxpy(own, lambda nb, one: one.update(source=one.source + "\n// z\nint z;"))
    path.rename(own / "saxpy at last.ipynb")
    assert "answers to it in saxpy at last.ipynb: call the file" in submitted(own).stderr
    shutil.copy(own / folder.LESSONS / path.name, path)
    ran = submitted(own)
    assert "saxpy at last.ipynb has more answers than 00_first_kernel.ipynb" in ran.stderr
    assert "Hand in this file" in ran.stdout


# --- an exercise as it was handed out ------------------------------------------------------------


def saxpy_of(path):
    return [one.source for one in nbformat.read(path, 4).cells if grade_id(one) == "saxpy"]


@pytest.mark.parametrize("ruin", ["written over", "gone", "twice", "empty"])
def test_an_exercise_comes_back_as_it_was_handed_out_and_what_was_written_stays(own, ruin):
    def change(notebook, one):
        mine = one.source.replace("// YOUR CODE HERE", "y[i] = 0;  // mine")
        if ruin == "gone":
            notebook.cells.remove(one)
        if ruin == "twice":
            notebook.cells.insert(0, like(one, "another", mine))
        if ruin in ("written over", "twice"):
            one.source = mine
        if ruin == "empty":
            one.source = ""

    path = with_saxpy(own, change)
    before = path.read_bytes()
    ran = CliRunner().invoke(app, ["restore", "00", "saxpy"])
    assert ran.exit_code == 0, ran.output
    given = saxpy_of(own / folder.LESSONS / path.name)
    assert saxpy_of(path) == given
    cells = nbformat.read(path, 4).cells
    kept = [one for one in cells if one.cell_type == "markdown" and "// mine" in one.source]
    assert len(kept) == {"written over": 1, "twice": 2}.get(ruin, 0)
    if kept:
        assert cells.index(kept[0]) - 1 == [grade_id(one) for one in cells].index("saxpy")
    (copied,) = (own / editions.BEFORE).iterdir()
    assert copied.read_bytes() == before
    again = CliRunner().invoke(app, ["restore", "00", "saxpy"])
    assert again.exit_code == 0
    assert len(nbformat.read(path, 4).cells) == len(cells)


def test_a_cell_that_is_gone_comes_back_where_it_was(own):
    path = with_saxpy(own, lambda notebook, one: notebook.cells.remove(one))
    CliRunner().invoke(app, ["restore", "00", "saxpy"])
    ids = [
        [one.id for one in nbformat.read(file, 4).cells]
        for file in (path, folder.NOTEBOOKS / path.name)
    ]
    assert ids[0] == ids[1]


def test_a_whole_lesson_comes_back_even_where_nothing_of_it_can_be_read(own):
    path = with_saxpy(own, lambda notebook, one: None)
    path.write_text('{"cells": [')
    assert CliRunner().invoke(app, ["restore", "00", "saxpy"]).exit_code == 2
    assert CliRunner().invoke(app, ["restore", "00"]).exit_code == 0
    assert path.read_bytes() == (own / folder.LESSONS / path.name).read_bytes()
    assert [one.read_text() for one in (own / editions.BEFORE).iterdir()] == ['{"cells": [']


def test_what_is_no_exercise_cannot_be_restored(own):
    folder.make(own)
    ran = CliRunner().invoke(app, ["restore", "00", "sxapy"])
    assert ran.exit_code == 2
    assert "no exercise 'sxapy'" in ran.stderr


# --- the extension -------------------------------------------------------------------------------


def test_the_extension_s_version_is_that_of_its_files():
    """Or browsers would go on with what they had; `make labextension` writes it."""
    assert labextension.written() == labextension.version()


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").touch()
    ran = CliRunner().invoke(app, ["lab", str(tmp_path / "file"), "--no-open"])
    assert ran.exit_code == 2
    assert len(ran.stderr.strip().splitlines()) == 1


# --- the command line ----------------------------------------------------------------------------


def test_status_says_what_is_passed_and_what_is_next(own):
    folder.make(own)
    first, second = LESSON.exercises[:2]
    progress.passed(LESSON.name, first.name)
    said = CliRunner().invoke(app, ["status"]).stdout.splitlines()
    assert f"{LESSON.name}: 1 of {len(LESSON.exercises)} exercises passed" in said
    assert [line.partition(":")[0] for line in said[:-1]] == course.names()
    assert said[-1] == f"Next: {second.name} in {LESSON.name}."


def test_status_of_one_lesson_is_about_that_lesson(own):
    folder.make(own)
    for exercise in LESSON.exercises:
        progress.passed(LESSON.name, exercise.name)
    said = CliRunner().invoke(app, ["status", "02"]).stdout.splitlines()
    all_of_it = f"{LESSON.name}: {len(LESSON.exercises)} of {len(LESSON.exercises)}"
    assert said == [f"{all_of_it} exercises passed", "You have passed all exercises."]


@pytest.mark.parametrize("arguments", [["status"], ["status", "00"]])
def test_status_elsewhere_tells_learners_where_to_go_and_of_no_extra(
    tmp_path, monkeypatch, arguments
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grader.cli.learner_commands.find_spec", lambda _: None)  # no nbgrader
    ran = CliRunner().invoke(app, arguments)
    assert ran.exit_code == 2
    assert "`grader lab FOLDER`" in ran.stderr and "extra" not in ran.stderr


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Give `grader lab` options, and get the command that it starts JupyterLab with, if any."""

    def lab(*options, folder=(str(tmp_path / "mine"),)):
        commands = []

        def run(command, **_):
            commands.append(command)
            return subprocess.CompletedProcess(command, 0)

        with monkeypatch.context() as patched:
            patched.setattr("grader.cli.learner_commands.subprocess.run", run)
            assert CliRunner().invoke(app, ["lab", *folder, *options]).exit_code == 0
        return commands

    return lab


def test_lab_without_a_browser_starts_jupyterlab_and_without_open_nothing(started):
    (command,) = started("--no-browser", "--port=8123")
    assert command[-2:] == ["--no-browser", "--port=8123"]
    (command,) = started()
    assert "--no-browser" not in command
    assert started("--no-open") == []


def test_an_option_of_jupyterlab_s_is_no_folder(started, own):
    (command,) = started("--port", "8123", folder=())
    assert command[-2:] == ["--port", "8123"]
    assert f"--ServerApp.root_dir={own}" in command


def test_jupyterlab_starts_for_root_too(started, monkeypatch):
    for user, flags in ((0, 1), (1000, 0)):
        monkeypatch.setattr("os.geteuid", lambda user=user: user, raising=False)
        (command,) = started("--no-browser")
        assert command.count("--allow-root") == flags


def test_the_help_of_no_open_names_no_browser():
    said = CliRunner().invoke(app, ["lab", "--help"], env={"COLUMNS": "200"}).stdout
    (line,) = [line for line in said.splitlines() if "--no-open" in line and "folder" in line]
    assert "see --no-browser" in line


def test_the_help_has_a_panel_for_each_reader_and_a_line_for_each_command():
    said = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "80"}).stdout
    panels = [line.split("─ ")[1].split(" ─")[0] for line in said.splitlines() if "╭─" in line]
    readers = ["For learners", "For instructors", "For authors", "Everything else"]
    assert panels == ["Options", *readers]
    commands = said.partition(readers[0])[2]
    first_words = [line[2:14].strip() for line in commands.splitlines() if line.startswith("│ ")]
    assert sorted(first_words) == sorted(COMMANDS)  # no line without a command: none wraps
