"""Whatever file of a graded course is damaged, every command ends in what it is for or in one
sentence, and no mark is lost that `grader autograde` cannot make again.

A sample is tried, another one whenever the classroom's own code changes; WARPWISE_BREAKAGES=all
tries every damage of every kind of file at every command.
"""

import contextlib
import hashlib
import os
import random
import re
import shutil
from itertools import product
from pathlib import Path

import pytest
from small_class import LESSON, NO_GUARD, SCALED, grader, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader import classroom, whole_files
from grader.classroom import feedback, verdicts
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.errors import of_a_file

pytestmark = pytest.mark.slow

ALL = "WARPWISE_BREAKAGES" in os.environ
COMMANDS = {
    "autograde": ("autograde", LESSON),
    "dry run": ("regrade", LESSON, "--dry-run"),
    "export": ("export", LESSON),
    "extend": ("extend", LESSON, "ada", "--until", "2098-12-09"),
    "feedback": ("feedback", LESSON),
    "report": ("report", LESSON),
    "roster": ("roster", "roster.csv"),
    "status": ("status", LESSON),
}
# The files that grading keeps, and a learner's own; what is wrong with lessons is test_breakages'.
FILES = (
    "course.toml",
    "changes.jsonl",
    "gradebook.db",
    "secret",
    "grades.csv",
    f"release/{LESSON}/{LESSON}.ipynb",
    f"source/{LESSON}/{LESSON}.ipynb",
    f"submitted/ada/{LESSON}/{LESSON}.ipynb",
    f"autograded/ada/{LESSON}/{LESSON}.ipynb",
    f"autograded/ada/{LESSON}/verdicts.json",
    f"feedback/ada/{LESSON}/{LESSON}.html",
    f"feedback/ada/{LESSON}/{feedback.CACHE_KEY}",
    "verdicts/*",
)


def folder(path):
    path.unlink()
    path.mkdir()


def loop(path):
    path.unlink()
    path.symlink_to(path.name)


DAMAGES = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(3000)),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "list": lambda path: path.write_text("[]\n"),
    "number": lambda path: path.write_text("3\n"),
    "another": lambda path: path.write_text('{"cells": [3], "exercises": {"add": 3}}\n'),
    "folder": folder,
    "loop": loop,
}
TRIED = list(product(FILES, DAMAGES))
SAMPLE = 40
CODE = sorted(Path(classroom.__file__).parent.glob("*.py"))
SEED = hashlib.sha256(b"".join(path.read_bytes() for path in CODE)).digest()


@pytest.fixture(scope="module")
def whole(tmp_path_factory, kernels, grading):
    """A course with a roster, a due date and marks."""
    here = new_course(tmp_path_factory.mktemp("whole") / "course", kernels)
    (here.root / "roster.csv").write_text("id,name,section\nada,Ada,a\nben,Ben,b\n")
    for command in (("roster", "roster.csv"), ("release", LESSON, "--due", "2098-12-01")):
        assert grader(here, *command).exit_code == 0
    for learner, source in {"ada": SOLUTION, "ben": NO_GUARD}.items():
        hand_in(here, learner, add=source, scale=SCALED)
    for command in ("autograde", "feedback", "report"):
        assert grader(here, command, LESSON).exit_code == 0
    return here


@pytest.fixture
def here(tmp_path, whole, kernels):
    shutil.copytree(whole.root, tmp_path / "course")
    return new_course(tmp_path / "course", kernels)


def damage(here, name, how):
    path = sorted(here.root.glob(name))[0]
    path.chmod(0o644)
    DAMAGES[how](path)


def chosen():
    """What is damaged, how, and at which command."""
    everything = [(*one, command) for one in TRIED for command in COMMANDS]
    return everything if ALL else random.Random(SEED).sample(everything, SAMPLE)


def ends_well(said):
    """With what it is for, or in a sentence with what to do."""
    told = said.stderr.strip()
    assert said.exit_code in (0, 1, 2) and "stumbled" not in told, told
    assert said.exit_code != 2 or re.match(r"[^\n]{20,}[.]$", told), told


@pytest.mark.parametrize(("file", "how", "command"), chosen())
def test_a_damaged_file_is_a_sentence_at_every_command(here, file, how, command):
    damage(here, file, how)
    ends_well(grader(here, *COMMANDS[command]))


@pytest.mark.parametrize("how", ["empty", "noise", "list", "another"])
@pytest.mark.parametrize("name", ["verdicts.json", f"{LESSON}.ipynb"])
@pytest.mark.parametrize("command", ["feedback", "report"])
def test_what_was_graded_and_damaged_is_named_and_what_the_sentence_says_mends_it(
    here, name, how, command
):
    damage(here, f"autograded/ada/{LESSON}/{name}", how)
    said = grader(here, command, LESSON)
    assert said.exit_code == 2 and f"ada/{LESSON}/{name} is damaged: delete the" in said.stderr
    shutil.rmtree(here.path("autograded", LESSON, "ada"))
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert grader(here, command, LESSON).exit_code == 0


@pytest.mark.parametrize("how", ["folder", "loop"])
@pytest.mark.parametrize("command", ["autograde", "status", "extend"])
def test_a_course_file_that_cannot_be_read_forgives_nobody_s_lateness(here, how, command):
    damage(here, "course.toml", how)
    said = grader(here, *COMMANDS[command])
    assert said.exit_code == 2 and "course.toml" in said.stderr


def test_a_file_that_cannot_be_written_is_called_by_its_own_name(tmp_path):
    (tmp_path / "course.toml").mkdir()
    for path in (tmp_path / "course.toml", tmp_path / "gone" / "grades.csv"):
        with pytest.raises(OSError) as caught:
            whole_files.whole(path, "text")
        assert str(of_a_file(caught.value)).startswith(f"{path} cannot be used")
    assert list(tmp_path.iterdir()) == [tmp_path / "course.toml"]


def test_a_released_notebook_says_release_mends_it(tmp_path):
    path = tmp_path / "release" / LESSON / f"{LESSON}.ipynb"
    assert f"`grader release {LESSON}`" in str(verdicts.damaged(path))


# --- nbgrader_config.py is an instructor's to change ---------------------------------------------

CONFIGS = {
    "empty": ("", "does not set c.CourseDirectory.course_id"),
    "syntax": ("c = = 1\n", "nbgrader_config.py, line 1: invalid syntax"),
    "noise": ("\0\1", "nbgrader_config.py"),
    "name": ("\nc = get_confg()\n", "line 2: NameError: name 'get_confg' is not defined"),
    "exit": ("raise SystemExit(3)\n", "line 1: SystemExit: 3"),
    "of a type": ("{whole}c.CourseDirectory.root = 3\n", "does not set c.CourseDirectory.root"),
    "another file": ("c = get_config()\nload_subconfig('gone.py')\n", "does not set c."),
}


@pytest.mark.parametrize("slip", CONFIGS)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_slip_in_the_config_is_said_with_its_line(here, slip, command):
    content, sentence = CONFIGS[slip]
    config = here.root / "nbgrader_config.py"
    config.write_text(content.replace("{whole}", config.read_text()))
    said = grader(here, *COMMANDS[command])
    ends_well(said)
    assert said.exit_code == 2 and sentence in said.stderr


def test_a_roster_is_the_first_thing_that_a_new_course_is_given(tmp_path, kernels):
    config = tmp_path / "nbgrader_config.py"
    new_course(tmp_path, kernels)
    config.write_text(f"{config.read_text()}c.CourseDirectory.root = {str(tmp_path / 'build')!r}\n")
    (tmp_path / "roster.csv").write_text("id,name\nada,Ada\n")
    with contextlib.chdir(tmp_path):
        said = CliRunner().invoke(app, ["roster", "roster.csv"])
    assert said.exit_code == 0, said.stderr
