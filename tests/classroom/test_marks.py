"""No mark is stale, lost or silently overridden."""

import csv
import json
import shutil
import subprocess
import sys
from datetime import datetime

import msgspec
import pandas
import pytest
import small_class
from nbgrader.api import Gradebook
from small_class import LESSON, NO_GUARD, SCALED, grader, hand_in
from small_lesson import SOLUTION

from grader.classroom import judges
from grader.classroom.folder import new_course
from grader.judge import judge


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Ada is right, ben has left out the guard, and absent handed in nothing."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)
    hand_in(here, "ben", add=NO_GUARD, scale=SCALED)
    for learner in ("ada", "ben"):
        stamp = here.path("submitted", LESSON, learner) / "timestamp.txt"
        stamp.write_text("2026-01-02 12:00:00 UTC")
    with here.gradebook() as gradebook:
        gradebook.add_student("absent", first_name='=HYPERLINK("x")', last_name="a\n,,6.0")
    assert grader(here, "autograde", LESSON).exit_code == 0
    return here


@pytest.fixture
def here(graded, tmp_path):
    return small_class.copied(graded, tmp_path)


@pytest.fixture
def judged(monkeypatch):
    """What the judge is asked from now on."""
    asked = []

    def counted(exercise_id, source, **options):
        asked.append(exercise_id)
        return judge(exercise_id, source, **options)

    monkeypatch.setattr(judges, "judge", counted)
    return asked


def scores(here):
    with here.gradebook() as gradebook:
        found = gradebook.assignment_submissions(LESSON)
        return {one.student.id: (one.score, one.max_score) for one in found}


def grades(here):
    """grades.csv, by learner, as feedback writes it."""
    assert grader(here, "feedback", LESSON).exit_code == 0
    with (here.root / "grades.csv").open(newline="") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}


def test_points_raised_after_grading_are_everybody_s_and_the_most_there_is(here):
    assert scores(here) == {"ada": (6, 6), "ben": (5, 6)}
    exercises = here.kernels / LESSON / "exercises.py"
    exercises.write_text(exercises.read_text().replace("add(128), 2)", "add(128), 7)"))
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert scores(here) == {"ada": (11, 11), "ben": (10, 11)}


def test_a_due_date_and_a_policy_of_later_take_off_points_and_judge_nothing(here, judged):
    late = here.root / "nbgrader_config.py"
    policy = '\nc.LateSubmissionPlugin.penalty_method = "zero"\n'
    late.write_text(late.read_text() + policy)
    with here.gradebook() as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=datetime(2026, 1, 1))
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert grades(here)["ada"]["score"] == "0.0"
    with here.gradebook() as gradebook:
        gradebook.update_or_create_assignment(LESSON, duedate=datetime(2026, 1, 3))
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert grades(here)["ada"]["score"] == "6.0"
    assert judged == []


def test_nothing_is_judged_twice_unless_it_is_forced(here, judged):
    assert grader(here, "autograde", "01").exit_code == 0
    assert judged == []
    assert grader(here, "autograde", "01", "--force").exit_code == 0
    assert sorted(judged) == ["01_add/add", "01_add/add", "01_add/scale"]


@pytest.mark.parametrize(
    "change",
    [
        lambda kept: kept.replace(msgspec.msgpack.encode(3.0), msgspec.msgpack.encode(4.0)),
        lambda kept: kept.partition(b"\n")[2],
        lambda kept: kept[: len(kept) // 2],
        lambda kept: b"[]",
        lambda kept: b"",
    ],
    ids=["forged", "unsealed", "torn", "no_verdict", "empty"],
)
def test_a_kept_verdict_that_was_changed_counts_as_none(here, judged, change):
    kept = {path: path.read_bytes() for path in (here.root / "verdicts").iterdir()}
    assert any(change(content) != content for content in kept.values())
    for path, content in kept.items():
        path.write_bytes(change(content))
    hand_in(here, "cem", add=NO_GUARD, scale=SCALED)
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert "01_add/add" in judged
    assert scores(here)["cem"] == (5, 6)


def test_a_mark_by_hand_that_meets_a_resubmission_is_said_until_it_is_saved_again(here):
    with here.gradebook() as gradebook:
        gradebook.find_grade("check-add", LESSON, LESSON, "ben").manual_score = 2.0
        gradebook.db.commit()
    assert grader(here, "autograde", LESSON).stderr == ""
    hand_in(here, "ben", add=SOLUTION, scale=SCALED)
    sentence = "add keeps the 2 points given by hand; judged again since then, it would get 4"
    for _ in range(2):
        said = grader(here, "autograde", LESSON)
        assert said.exit_code == 1
        assert f"ben: {sentence}" in said.stderr
    assert sentence in grades(here)["ben"]["note"]
    assert grader(here, "report", LESSON).exit_code == 0
    assert sentence in (here.root / f"report/{LESSON}.html").read_text()
    frame = pandas.read_csv(here.root / f"report/{LESSON}.csv").set_index(["learner", "exercise"])
    assert sentence in frame.loc["ben", "add"]["note"]
    assert (frame.loc["ben", "add"]["by_hand"], frame.loc["ben", "add"]["by_judge"]) == (2.0, 4.0)
    with here.gradebook() as gradebook:  # as formgrader does when a mark is saved
        gradebook.find_grade("check-add", LESSON, LESSON, "ben").needs_manual_grade = False
        gradebook.db.commit()
    assert grader(here, "autograde", LESSON).exit_code == 0


def test_a_damaged_resubmission_takes_nothing_away_and_is_said(here):
    here.notebook("submitted", LESSON, "ada").write_text('{"cells": [')
    for more, told in (([], True), ([], False), (["--force"], True)):
        said = grader(here, "autograde", LESSON, *more)
        assert said.exit_code == told
        assert ("is not a notebook" in said.stderr) is told
        assert ("What was handed in before that counts." in said.stderr) is told
        assert scores(here)["ada"] == (6, 6)
    assert "What was handed in before that counts." in grades(here)["ada"]["note"]


def test_a_damaged_submission_whose_forerunner_is_lost_is_unreadable_everywhere(here):
    shutil.rmtree(here.path("autograded", LESSON, "ada"))
    here.notebook("submitted", LESSON, "ada").write_text('{"cells": [')
    for more, told in (([], True), ([], False), (["--force"], True)):
        said = grader(here, "autograde", LESSON, *more)
        assert said.exit_code == 1
        assert ("What was handed in before had 6 points" in said.stderr) is told
        assert "1 unreadable (ada)" in said.stdout
    assert scores(here)["ada"] == (0, 6)
    assert "had 6 points" in grades(here)["ada"]["note"]
    assert grader(here, "report", LESSON).exit_code == 0
    rows = json.loads((here.root / f"report/{LESSON}.json").read_text())
    assert {row["status"] for row in rows if row["learner"] == "ada"} == {"unreadable"}
    assert "had 6 points" in (here.root / f"report/{LESSON}.html").read_text()


def test_the_right_notebook_beside_an_untouched_one_counts_and_is_named(here):
    hand_in(here, "cem")
    place = here.path("submitted", LESSON, "cem")
    right = here.notebook("submitted", LESSON, "ada").read_bytes()
    (place / f"{LESSON}-Copy1.ipynb").write_bytes(right)
    said = grader(here, "autograde", LESSON)
    assert said.exit_code == 1
    assert f"{LESSON}-Copy1.ipynb counts, because the work is in it" in said.stderr
    assert said.stderr.count("\n") == 1
    assert scores(here)["cem"] == (6, 6)


def test_of_two_notebooks_the_one_with_more_work_counts_and_the_lesson_s_name_before_others(here):
    hand_in(here, "cem", add=SOLUTION, scale=SCALED)
    place = here.path("submitted", LESSON, "cem")
    hand_in(here, "dora", add=SOLUTION)
    half = here.notebook("submitted", LESSON, "dora").read_bytes()
    (place / "Homework final.ipynb").write_bytes(half)
    (place / f"{LESSON} (1).ipynb").write_bytes(b"{")
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert scores(here)["cem"] == (6, 6)


def test_a_cell_without_nbgrader_s_mark_is_known_by_its_first_line(here):
    def strip(notebook):
        for cell in notebook.cells:
            cell.metadata = {}

    hand_in(here, "cem", strip, add=SOLUTION, scale=SCALED)
    assert grader(here, "autograde", LESSON).stderr == ""
    assert scores(here)["cem"] == (6, 6)


def test_what_was_not_collected_is_blank_and_no_name_is_a_formula_or_a_row(here):
    row = grades(here)["absent"]
    assert (row["raw_score"], row["score"], row["late_submission_penalty"]) == ("", "", "")
    assert row["max_score"] == "6.0"
    assert row["first_name"] == '\'=HYPERLINK("x")'
    frame = pandas.read_csv(here.root / "grades.csv")
    assert sorted(frame["student_id"]) == ["absent", "ada", "ben"]
    assert frame.set_index("student_id")["score"].isna().to_dict()["absent"]


def test_nbgrader_export_writes_the_same_file(here):
    grades(here)
    command = [sys.executable, "-m", "nbgrader", "export", "--to=exported.csv"]
    subprocess.run(command, cwd=here.root, check=True, capture_output=True)
    assert (here.root / "exported.csv").read_text() == (here.root / "grades.csv").read_text()


def test_a_learner_whose_id_is_a_row_is_refused_with_a_sentence(here):
    place = here.root / "submitted" / "mallory,,,6.0" / LESSON
    shutil.copytree(here.path("submitted", LESSON, "ada"), place)
    said = grader(here, "autograde", LESSON)
    assert said.exit_code == 1
    assert "'mallory,,,6.0': This is no learner's id" in said.stderr
    with Gradebook(f"sqlite:///{here.root}/gradebook.db", "warpwise") as gradebook:
        assert not [one for one in gradebook.students if "mallory" in one.id]
