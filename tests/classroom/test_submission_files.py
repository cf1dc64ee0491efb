"""Which of the files that somebody handed in is the notebook, and what is said where none is."""

import json

import nbformat
import pytest

from grader.submissions import intake

LESSON = "01_add"


def handed_in(folder, *names):
    """What is read of a folder in which files of these names hold a notebook."""
    notebook = json.dumps(nbformat.v4.new_notebook())
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(notebook)
    return intake.read(folder, LESSON, worked_on=lambda _: 1)


@pytest.mark.parametrize(
    "name",
    [
        "01_add.ipynb.txt",
        "01_add.ipynb.json",
        "01_ADD.IPYNB",
        "my answers/01_add.ipynb",
        "Übung 2, Lösung.ipynb",
    ],
)
def test_the_only_notebook_counts_wherever_it_lies_and_whatever_ends_its_name(tmp_path, name):
    found = handed_in(tmp_path, name)
    assert not found.refused
    assert found.remark.startswith(f"{name} counts, because the work is in it")


def test_what_cannot_be_seen_in_a_name_is_written_out(tmp_path):
    found = handed_in(tmp_path, "a\u202eb.ipynb")
    assert found.remark.startswith("a\\u202eb.ipynb counts")


def test_where_there_is_no_notebook_the_files_that_are_there_are_named(tmp_path):
    found = handed_in(tmp_path, "homework.zip")
    assert found.refused.endswith("The folder holds homework.zip: hand in the notebook itself.")


def test_what_jupyter_keeps_for_itself_is_no_notebook_handed_in(tmp_path):
    found = handed_in(tmp_path, ".ipynb_checkpoints/01_add-checkpoint.ipynb")
    assert found.refused == "There is no notebook 01_add.ipynb here."
