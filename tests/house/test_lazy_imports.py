"""A command and a notebook import what they use and no more: whoever starts one waits for it."""

import shutil
import subprocess
import sys

import pytest
from small_class import LESSON, hand_in
from small_lesson import SOLUTION

from grader.classroom.folder import new_course
from grader.classroom.handing_out import generate
from grader.course import lesson
from grader.learner import folder
from grader.notebook import draw

# Pictures, JupyterLab's server with nbgrader's extensions of it, pages of notebooks, the solver.
HEAVY = ("matplotlib", "grader.notebook", "nbgrader.server_extensions", "notebook", "jupyterlab")
HEAVY += ("nbconvert", "z3")


@pytest.fixture(scope="module")
def places(tmp_path_factory, kernels):
    """The folders that commands are given in: a course of a small lesson, which ada has handed
    in, and a learner's own."""
    root = tmp_path_factory.mktemp("course")
    here = new_course(root, shutil.copytree(kernels, root / "kernels"))
    generate(here, lesson(LESSON, here.kernels))
    with here.gradebook() as gradebook:
        gradebook.update_or_create_student("ada")
    (here.root / "course.toml").write_text(
        f'version = 1\n[lessons.{LESSON}]\ndue = "2098-12-01 12:00"\n'
    )
    hand_in(here, "ada", add=SOLUTION)
    (here.root / "add.cu").write_text(SOLUTION)
    own = tmp_path_factory.mktemp("own") / "learner"
    folder.make(own)
    return {"own": own, "course": here.root}


COMMANDS = {
    "status": ("course", "status", LESSON),
    "extend": ("course", "extend", LESSON, "ada", "--until", "2099-01-01"),
    "export": ("course", "export", LESSON),
    "check": ("course", "--course", ".", "check", "add.cu", "--exercise", f"{LESSON}/add"),
    "submit": ("own", "submit", "01"),
}


def imported(arguments, folder):
    """The modules that a command imports, in its own process."""
    command = [sys.executable, "-X", "importtime", "-m", "grader", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8")
    lines = done.stderr.splitlines()
    said = [line for line in lines if not line.startswith("import time:")]
    assert done.returncode == 0, said
    return {line.rpartition("|")[2].strip() for line in lines if line.startswith("import time:")}


@pytest.mark.costly
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_imports_no_pictures_no_server_and_no_solver(places, name):
    where, *arguments = COMMANDS[name]
    modules = imported(arguments, places[where])
    assert "grader.cli.app" in modules
    beginnings = tuple(f"{name}." for name in HEAVY)
    assert [one for one in modules if f"{one}.".startswith(beginnings)] == []


@pytest.mark.costly
@pytest.mark.parametrize("name", ["export", "roster", "autograde", "serve", "status", "submit"])
def test_help_is_there_without_a_gradebook_and_without_a_server(places, name):
    modules = imported((name, "--help"), places["own"])
    assert "grader.cli.app" in modules
    assert modules.isdisjoint({"sqlalchemy", "nbgrader.api", "jupyter_server.base.handlers"})


def test_nbgrader_has_its_server_extensions_once_somebody_asks_for_them():
    said = (
        "import sys, grader.classroom.folder, nbgrader\n"
        "assert not [one for one in sys.modules if 'server_extensions' in one]\n"
        "assert nbgrader.__version__ and not hasattr(nbgrader, '__no_such_name__')\n"
        "assert nbgrader._jupyter_server_extension_points() == [{'module': 'nbgrader'}]\n"
        "assert nbgrader.load_formgrader is sys.modules["
        "'nbgrader.server_extensions.formgrader'].load_jupyter_server_extension\n"
    )
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# --- notebooks and help ---------------------------------------------------------------------------


def modules_after(code: str) -> set[str]:
    """The names of all that a fresh Python has imported after `code`."""
    script = f"{code}\nimport sys; print(*sys.modules, sep='\\n')"
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(ran.stdout.splitlines())


@pytest.fixture(scope="module")
def notebook_modules():
    return modules_after("from grader.notebook import *")


@pytest.mark.parametrize("module", ["matplotlib", "nbgrader", "z3"])
def test_a_notebook_imports_nothing_heavy_before_it_needs_it(notebook_modules, module):
    assert "grader.notebook.draw" in notebook_modules
    assert module not in notebook_modules


@pytest.mark.parametrize("module", ["judging", "sandbox.simulated"])
def test_neither_the_judge_nor_its_worker_imports_what_reads_notebooks(module):
    found = modules_after(f"import grader.judge.{module}")
    assert f"grader.judge.{module}" in found
    assert found.isdisjoint({"nbformat", "traitlets", "jsonschema", "grader.submissions"})


def test_a_picture_brings_matplotlib_along():
    assert "matplotlib" in modules_after("from grader.notebook import draw; draw.tree")


def test_every_picture_can_be_asked_for_and_nothing_else():
    assert dir(draw) == sorted(draw.__all__)
    assert all(getattr(draw, name).__name__ == name for name in draw.__all__)
    with pytest.raises(AttributeError, match="there are: banks, compare"):
        draw.nothing  # noqa: B018


@pytest.mark.parametrize("arguments", [["--help"], ["doctor", "--help"], ["check", "--help"]])
def test_help_imports_no_command_but_the_one_that_it_is_of(arguments):
    code = f"""
from contextlib import suppress, redirect_stdout
from io import StringIO
from grader.cli import app
with suppress(SystemExit), redirect_stdout(StringIO()):
    app({arguments!r})"""
    commands = {name for name in modules_after(code) if name.startswith("grader.cli.")}
    own = {"doctor": {"doctor"}, "check": {"kernel_commands", "terminal"}}.get(arguments[0], set())
    assert commands == {f"grader.cli.{name}" for name in {"app", *own}}
