"""Grading again: whose mark changes, from what to what, and why; and the page that shows it."""

import contextlib
import json
import shutil

import pytest
import small_class
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader.classroom.folder import new_course
from grader.cli.app import app


def run(here, *arguments):
    with contextlib.chdir(here.root):
        said = CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})
    return said.exit_code, " ".join(said.stdout.split()), said.stderr


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert run(here, "release", LESSON, "--due", "2098-12-01")[0] == 0
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)
    hand_in(here, "ben", innocent, add=NO_GUARD, scale=UNGUARDED_SCALE)
    for learner in ("ada", "ben"):
        stamp = here.path("submitted", LESSON, learner) / "timestamp.txt"
        stamp.write_text("2098-12-02 12:00:00 UTC")
    assert run(here, "autograde", LESSON)[0] == 0
    return here


def innocent(notebook):
    notebook.cells[0].source = "What I thought of it."


@pytest.fixture
def here(graded, tmp_path):
    kernels = shutil.copytree(graded.kernels, tmp_path / "kernels")
    return new_course(shutil.copytree(graded.root, tmp_path / "course"), kernels)


def raise_points(here):
    exercises = here.kernels / LESSON / "exercises.py"
    exercises.write_text(exercises.read_text().replace("add(128), 2)", "add(128), 7)"))


def everything(here):
    """The course's files that grading writes, and their content."""
    names = ("gradebook.db", "autograded", "source", "release", "changes.jsonl", "course.toml")
    return {
        path: path.read_bytes()
        for name in names
        for path in [here.root / name, *(here.root / name).rglob("*")]
        if path.is_file()
    }


def marks_of(here, learner):
    with here.gradebook() as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, learner)
        return {grade.name: (grade.score, grade.max_score) for grade in notebook.grades}


def log(here):
    lines = (here.root / "changes.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def page(here, learner):
    assert run(here, "feedback", LESSON)[0] == 0
    return (here.path("feedback", LESSON, learner) / f"{LESSON}.html").read_text()


def test_a_dry_run_says_what_would_change_and_changes_nothing(here):
    raise_points(here)
    before = everything(here)
    status, said, _ = run(here, "regrade", LESSON, "--dry-run")
    assert status == 0
    assert "ada add 4 9 points changed: 4 before, 9 now" in said
    assert "marks of 2 of 2 learners would change" in said
    assert everything(here) == before
    assert not list(here.root.glob("regrade-*"))


def test_applying_changes_what_the_dry_run_said(here):
    raise_points(here)
    _, tried, _ = run(here, "regrade", LESSON, "--dry-run")
    _, applied, _ = run(here, "regrade", LESSON)
    tried, applied = (said.partition("learner what")[2] for said in (tried, applied))
    assert applied and applied == tried.replace("would change", "changed")
    assert run(here, "regrade", LESSON, "--dry-run")[1].endswith(
        "marks of 0 of 2 learners would change"
    )


def test_a_moved_deadline_is_the_reason_where_it_is(here):
    run(here, "release", LESSON, "--late", "none")
    _, said, _ = run(here, "regrade", LESSON, "--dry-run")
    assert "ada lateness 0 -6 due date, policy or extension changed" in said
    run(here, "regrade", LESSON)
    run(here, "extend", LESSON, "ada", "--until", "2098-12-09")
    _, said, _ = run(here, "regrade", LESSON, "--dry-run")
    assert "ada lateness -6 0 due date, policy or extension changed" in said
    assert "ben" not in said


def test_team_mates_who_handed_in_nothing_are_counted(here):
    with (here.root / "course.toml").open("a") as file:
        file.write('teams = true\n[learners]\nada = {team = "blue"}\ncem = {team = "blue"}\n')
    assert run(here, "regrade", LESSON, "--dry-run")[1].endswith(
        "marks of 1 of 3 learners would change"
    )


def test_the_page_tells_an_optional_exercise_from_extra_credit(here):
    for said, shown in (("extra", ">1 extra<"), ("optional", ">optional<")):
        plain = '[lessons.01_add]\ndue = "2098-12-01"\n'
        (here.root / "course.toml").write_text(f'version = 1\n{plain}{said} = ["scale"]\n')
        assert run(here, "autograde", LESSON)[0] == 0
        assert shown in page(here, "ben")


def test_every_change_is_logged_once_with_who_and_why(here):
    first = log(here)
    assert {(one["learner"], one["what"], one["after"]) for one in first} == {
        ("ada", "add", 4),
        ("ada", "scale", 2),
        ("ben", "add", 3),
        ("ben", "scale", 1),
    }
    hand_in(here, "ben", add=SOLUTION, scale=UNGUARDED_SCALE)
    run(here, "autograde", LESSON)
    run(here, "autograde", LESSON)
    (change,) = log(here)[len(first) :]
    assert (change["learner"], change["what"], change["before"], change["after"]) == (
        *("ben", "add"),
        *(3, 4),
    )
    assert "handed in again" in change["why"] and change["who"]


def test_a_mark_by_hand_is_logged_and_never_changed(here):
    with here.gradebook() as gradebook:
        gradebook.find_grade("check-add", LESSON, LESSON, "ben").manual_score = 1.5
        gradebook.db.commit()
    raise_points(here)
    _, said, complained = run(here, "regrade", LESSON)
    assert marks_of(here, "ben")["check-add"] == (1.5, 9)
    assert "ben add" not in said
    assert "keeps the 1.5 points given by hand; judged again since then" in complained
    assert said.endswith("marks of 1 of 2 learners changed")  # ben keeps 1.5
    by_hand = next(one for one in log(here) if one["why"] == "marked by hand")
    assert (by_hand["before"], by_hand["after"]) == (3, 1.5)
    assert "marked by hand" in page(here, "ben")


def test_the_page_begins_with_what_is_wrong_and_shows_changes(here):
    hand_in(here, "ben", innocent, add=SOLUTION, scale=UNGUARDED_SCALE)
    run(here, "autograde", LESSON)
    shown = page(here, "ben")
    assert "<strong>5</strong> of 6 points" in shown
    assert shown.index('id="check-scale"') < shown.index('id="check-add"')
    assert "Changes of your marks" in shown and "handed in again" in shown
    assert shown.index("out of bounds") < shown.index('id="check-add"') < shown.index("Your cells")
    assert "What I thought of it." in shown
    assert "from grader.notebook import" not in shown  # as it was handed out
    assert len(shown) < 40_000
    assert "Changes of your marks" not in page(here, "ada")
