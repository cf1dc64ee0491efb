"""A notebook and a command import what they use, and no more."""

import subprocess
import sys

import pytest

from grader.notebook import draw

HEAVY = ("matplotlib", "nbgrader", "z3")


def modules_after(code: str) -> set[str]:
    """The names of all that a fresh Python has imported after `code`."""
    script = f"{code}\nimport sys; print(*sys.modules, sep='\\n')"
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(ran.stdout.splitlines())


@pytest.fixture(scope="module")
def notebook_modules():
    return modules_after("from grader.notebook import *")


@pytest.mark.parametrize("module", HEAVY)
def test_a_notebook_imports_nothing_heavy_before_it_needs_it(notebook_modules, module):
    assert "grader.notebook.draw" in notebook_modules
    assert module not in notebook_modules


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
