"""Where commands about a class write: into the folder of a course that its instructor has made, or
into a clone by who stands in it. Nothing is written into what came with the grader otherwise."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from grader.classroom import folder
from grader.classroom.folder import ClassroomError, begin, open_course, own
from grader.cli.app import app
from grader.course_folder import CHOICE, WARPWISE

CLASS = "id,name,section\nada,Ada Byron,day\nben,Ben Bitdiddle,evening\n"
REFUSED = "holds no course that this command can change"
WRITES = [
    *(["roster", "class.csv"], ["release", "00"], ["autograde", "00"], ["feedback", "00"]),
    *(["serve"], ["report"], ["export"], ["accommodate"], ["demo"], ["demo", "--lesson", "00"]),
    *(["new"], ["new", "20_histogram"], ["build"], ["cases", "00/triple", "--write"]),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a list of a class in it, in which commands are given."""
    monkeypatch.delenv(CHOICE, raising=False)
    (tmp_path / "class.csv").write_text(CLASS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("arguments", WRITES, ids=" ".join)
def test_outside_a_course_a_command_that_writes_says_how_to_make_one(place, arguments):
    before = sorted(WARPWISE.glob("build/*"))
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert f"{place} {REFUSED}" in done.stderr
    assert "`grader --course FOLDER new`" in done.stderr
    assert [path.name for path in place.iterdir()] == ["class.csv"]
    assert sorted(WARPWISE.glob("build/*")) == before


def test_who_stands_in_a_clone_or_names_it_works_on_the_clone_s_course(place, monkeypatch):
    for where in (WARPWISE, WARPWISE / "docs"):
        monkeypatch.chdir(where)
        assert open_course().root == WARPWISE / "build"
    monkeypatch.chdir(place)
    monkeypatch.setenv(CHOICE, str(WARPWISE))
    assert open_course().root == WARPWISE / "build"


def test_an_installed_course_is_written_to_by_nobody(place, monkeypatch):
    """Not even by who stands in it, or names it."""
    installed = place / "site-packages/grader/course_files"
    (installed / "kernels").mkdir(parents=True)
    config = installed / "nbgrader_config.py"
    config.write_text((WARPWISE / config.name).read_text())
    monkeypatch.setattr(folder, "WARPWISE", installed)
    monkeypatch.setattr(folder, "CONFIG", config)
    for where, chosen in ((place, ""), (installed, ""), (place, str(installed))):
        monkeypatch.chdir(where)
        monkeypatch.setenv(CHOICE, chosen)
        with pytest.raises(ClassroomError, match=REFUSED):
            open_course()
        with pytest.raises(ClassroomError, match=REFUSED):
            own(installed / "kernels")


def test_a_course_of_the_public_lessons_has_its_class_and_no_lessons(place):
    assert begin(place, public=True) and not begin(place, public=True)
    here = open_course()
    assert here.kernels == WARPWISE / "kernels"
    assert here.root == place / "build"
    done = CliRunner().invoke(app, ["roster", "class.csv"])
    assert done.exit_code == 0, done.output
    assert "The gradebook and course.toml in build now have 2 learners" in done.stdout
    assert {"course.toml", "gradebook.db"} <= {path.name for path in (place / "build").iterdir()}
    for command in (["build"], ["new", "20_histogram"]):
        assert REFUSED in CliRunner().invoke(app, command).stderr


def grader(here, *arguments, rc=0):
    command = [sys.executable, "-m", "grader", *map(str, arguments)]
    done = subprocess.run(command, cwd=here, capture_output=True, text=True)
    assert done.returncode == rc, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_course_folders_of_docs_teach_are_made_as_it_says(tmp_path):
    """For the public lessons and for one's own, word for word."""
    page = (Path(__file__).parents[2] / "docs/teach.md").read_text()
    section = page.partition("## Make a course folder\n")[2].partition("\n## ")[0]
    commands = [line.strip()[2:] for line in section.splitlines() if line.startswith("    $ ")]
    assert len(commands) > 10
    here = tmp_path
    for line in commands:
        name, *arguments = line.partition("  #")[0].split()
        if name == "cd":
            here = (here / arguments[0]).resolve()
        elif name == "mkdir":
            (here / arguments[0]).mkdir()
            (here / arguments[0] / "class.csv").write_text(CLASS)
        else:
            assert name == "grader"
            said = grader(here, *arguments)
            lines = said.replace(str(tmp_path), "/home/prof").splitlines()
            assert any(one and one in section for one in lines), (line, said)


@pytest.mark.slow
def test_commands_for_authors_and_serve_know_the_course_of_the_folder(tmp_path):
    here = tmp_path / "exam-2027"
    here.mkdir()
    grader(tmp_path, "--course", here, "new", "09_exam")
    assert "09_exam/" in grader(here, "cases", "09_exam")
    assert "09_exam/" in grader(here, "vary", "09_exam", "--list")
    assert "There is no lesson '09_exam'" in grader(tmp_path, "vary", "09_exam", rc=2)
    (here / "class.csv").write_text(CLASS)
    elsewhere = grader(tmp_path, "--course", here, "roster", here / "class.csv")
    assert f"in {here.relative_to(tmp_path)}/build now have" in elsewhere
