"""The Gradescope bundle, run as Gradescope lays out its folders: source, submission, results."""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
import small_class
from small_class import LESSON, NO_GUARD, SCALED, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader.classroom.folder import new_course
from grader.classroom.handing_out import seeds
from grader.cli.app import app
from grader.compilers import chosen_name
from grader.course import lesson
from grader.judge.sandbox import landlock

ANSWERS = {
    "ada": {"add": SOLUTION, "scale": SCALED},
    "ben": {"add": NO_GUARD, "scale": SCALED},
    "cem": {"scale": SCALED},
}


def run(here, *arguments):
    with contextlib.chdir(here.root):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


@pytest.fixture(scope="module")
def here(tmp_path_factory, grading):
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert run(here, "release", LESSON).exit_code == 0
    for learner, answers in ANSWERS.items():
        hand_in(here, learner, **answers)
    assert run(here, "autograde", LESSON).exit_code == 0
    return here


def bundled(here, *options):
    said = run(here, "bundle", "gradescope", LESSON, "--leaderboard", *options)
    assert said.exit_code == 0, said.stderr
    return zipfile.ZipFile(here.root / f"export/{LESSON}-gradescope.zip")


@pytest.fixture(scope="module")
def packed(here):
    return bundled(here)


@pytest.fixture(scope="module")
def trusting(here):
    """The bundle for containers whose kernel lacks Landlock."""
    return bundled(here, "--unsafe")


WITHOUT_LANDLOCK = (sys.executable, Path(__file__).parents[1].joinpath("without_landlock.py"))


def judged(packed, here, learner, tmp_path, below=()):
    """results.json, from the learner's folder as it was handed in, under any name; `below` is the
    command that runs the autograder."""
    root = tmp_path / "autograder"
    packed.extractall(root / "source")
    shutil.copy(root / "source/run_autograder", root / "run_autograder")
    (root / "run_autograder").chmod(0o755)
    (root / "venv").symlink_to(Path(sys.prefix))  # what setup.sh makes
    shutil.copytree(here.path("submitted", LESSON, learner), root / "submission")
    notebook = root / f"submission/{LESSON}.ipynb"
    notebook.rename(notebook.with_name("Homework (1).ipynb"))
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    subprocess.run([*below, root / "run_autograder"], check=True, env=environment, cwd="/")
    assert not (root / "source/plan.json").exists()
    return json.loads((root / "results/results.json").read_text())


@pytest.mark.parametrize("learner", ANSWERS)
def test_the_bundle_gives_the_gradebook_s_marks(packed, here, learner, tmp_path):
    results = judged(packed, here, learner, tmp_path)
    with here.gradebook() as gradebook:
        marked = gradebook.find_submission(LESSON, learner)
        assert sum(test["score"] for test in results["tests"]) == marked.score
        assert sum(test["max_score"] for test in results["tests"]) == marked.max_score
    assert "Homework (1).ipynb counts" in results["output"]
    assert results["leaderboard"][0] == {"name": "points", "value": marked.score}


def test_a_hidden_case_is_a_category_and_a_visible_one_says_which_line(packed, here, tmp_path):
    results = judged(packed, here, "ben", tmp_path)
    tests = {test["name"]: test for test in results["tests"]}
    hidden = tests["add: a length that is no multiple of the block (hidden)"]
    assert (hidden["status"], hidden["score"], hidden["max_score"]) == ("failed", 0, 1)
    assert "Line" not in hidden["output"] and "x[" not in hidden["output"]
    for test in results["tests"]:
        assert test.keys() >= {"name", "score", "max_score", "output", "visibility", "status"}
        assert test["visibility"] in ("visible", "hidden", "after_due_date", "after_published")


def test_work_that_cannot_be_read_asks_for_a_person_and_says_why(packed, here, tmp_path):
    """Gradescope's format has no empty mark: each test must have a score."""
    hand_in(here, "kim", add=SOLUTION, scale=SCALED)
    notebook = here.path("submitted", LESSON, "kim") / f"{LESSON}.ipynb"
    notebook.write_text(notebook.read_text()[:500])
    results = judged(packed, here, "kim", tmp_path)
    names = [one.name for one in lesson(LESSON, here.kernels).exercises]
    assert results["extra_data"] == {"not_judged": names}
    assert {results["output"]} == {one["output"] for one in results["tests"]} != {""}
    asked = "could not be judged; a person must look at it"
    assert [one["name"] for one in results["tests"]] == [f"{name}: {asked}" for name in names]
    assert {(one["status"], one["score"]) for one in results["tests"]} == {("failed", 0)}


def test_an_answer_that_is_there_twice_asks_for_a_person_and_no_other_does(packed, here, tmp_path):
    hand_in(here, "lou", add=SOLUTION, scale=SCALED)
    path = here.path("submitted", LESSON, "lou") / f"{LESSON}.ipynb"
    notebook = json.loads(path.read_text())
    typed = next(one for one in notebook["cells"] if "%%cuda add" in "".join(one["source"]))
    again = {**typed, "id": "again", "source": "".join(typed["source"]) + "// another try"}
    path.write_text(json.dumps({**notebook, "cells": [*notebook["cells"], again]}))
    results = judged(packed, here, "lou", tmp_path)
    assert results["extra_data"] == {"not_judged": ["add"]}
    assert "different code in them" in results["output"]
    passed = [one["name"] for one in results["tests"] if one["status"] == "passed"]
    assert passed and all(name.startswith("scale") for name in passed)


def test_what_was_judged_or_left_out_asks_for_nobody(packed, here, tmp_path):
    assert "extra_data" not in judged(packed, here, "cem", tmp_path)


def including(here, learner, name, place):
    """Hand in a right kernel that includes a file of the autograder's, lain out in `place`."""
    hand_in(here, learner, add=f'#include "{place}/autograder/source/{name}"\n{SOLUTION}')


def told(results):
    return " ".join([results.get("output", ""), *(one["output"] for one in results["tests"])])


def test_without_landlock_it_grades_only_where_it_was_packed_for_that(packed, here, tmp_path):
    results = judged(packed, here, "ada", tmp_path, WITHOUT_LANDLOCK)
    assert "no Landlock" in results["output"] and "--unsafe" in results["output"]
    assert sum(test["score"] for test in results["tests"]) == 0


@pytest.mark.costly
@pytest.mark.parametrize("learner", ANSWERS)
def test_marks_are_the_same_where_landlock_is_missing(trusting, here, learner, tmp_path):
    results = judged(trusting, here, learner, tmp_path, WITHOUT_LANDLOCK)
    with here.gradebook() as gradebook:
        marked = gradebook.find_submission(LESSON, learner)
        assert sum(test["score"] for test in results["tests"]) == marked.score


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plan.json", ""),  # deleted before anything is compiled
        (f"kernels/{LESSON}/1_add.cu", ""),
        (f"kernels/{LESSON}/exercises.py", 'identifier "import" is undefined'),
    ],
)
def test_without_landlock_an_include_shows_neither_seeds_nor_solutions(
    trusting, here, name, shown, tmp_path
):
    including(here, "spy", name, tmp_path)
    said = told(judged(trusting, here, "spy", tmp_path, WITHOUT_LANDLOCK))
    if chosen_name() == "nvrtc":  # clang is shown no files but its own
        assert shown in said  # so that what is not there was not held back by Landlock
    plan = json.loads(trusting.read("plan.json"))
    assert not any(str(number) in said for number in plan["seeds"].values())
    assert "total[i] = x[i] + y[i]" not in said
    assert (here.root / "secret").read_text().strip() not in said


@pytest.mark.skipif(not landlock.version(), reason="NO LANDLOCK IN THIS KERNEL")
def test_with_landlock_an_include_opens_nothing_of_the_autograder_s(packed, here, tmp_path):
    including(here, "spy", f"kernels/{LESSON}/exercises.py", tmp_path)
    assert 'identifier "import"' not in told(judged(packed, here, "spy", tmp_path))


def test_a_blank_kernel_of_every_kind_gets_nothing(here, tmp_path):
    """The bundle knows what was handed out without the solutions it was made from."""
    with zipfile.ZipFile(here.root / f"export/{LESSON}-gradescope.zip") as packed:
        packed.extractall(tmp_path)
    there, home = (lesson(LESSON, one) for one in (tmp_path / "kernels", here.kernels))
    for one in home.exercises:
        assert there.handed_out(there.exercise(one.name)) == home.handed_out(one)


def test_the_zip_has_what_the_specification_asks_for_at_its_root(packed):
    modes = {one.filename: one.external_attr >> 16 for one in packed.infolist()}
    assert modes["setup.sh"] & 0o111 and modes["run_autograder"] & 0o111
    assert packed.read("run_autograder").startswith(b"#!")


@pytest.mark.parametrize(("own", "taken"), [("0", "python3"), ("1", "python3.11")])
def test_setup_takes_a_python_that_the_course_runs_on(packed, tmp_path, own, taken):
    """With commands that only say how they were called; `own`: what python3 says to being asked
    whether it is new enough."""
    told = tmp_path / "told.txt"
    for name in ("apt-get", "python3", "python3.11"):
        says = f'#!/bin/sh\necho "{name} $*" >> {told}\n[ "$1" != -c ] || exit {own}\n'
        (tmp_path / name).write_text(says)
        (tmp_path / name).chmod(0o755)
    setup = packed.read("setup.sh").decode().replace("/autograder", str(tmp_path / "none"))
    path = f"{tmp_path}:{os.environ['PATH']}"
    subprocess.run(["bash", "-c", setup], env={"PATH": path}, capture_output=True)
    assert told.read_text().splitlines()[-1] == f"{taken} -m venv {tmp_path}/none/venv"
    needed = tomllib.loads(packed.read("pyproject.toml").decode())["project"]["requires-python"]
    assert needed == ">=3.11" and "(3, 11)" in setup


def test_neither_the_secret_nor_a_solution_is_in_the_zip(packed, here):
    secret = (here.root / "secret").read_bytes().strip()
    whole = b"".join(packed.read(name) for name in packed.namelist())
    assert secret not in whole
    assert b"total[i] = x[i] + y[i]" not in whole
    plan = json.loads(packed.read("plan.json"))
    assert plan["seeds"] == seeds(here, lesson(LESSON, here.kernels))


def test_there_is_no_bundle_for_other_systems(here):
    assert "'gradescope', 'github'" in run(here, "bundle", "moss", LESSON).stderr
