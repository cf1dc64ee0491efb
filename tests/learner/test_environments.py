"""environment.yml (conda, Binder), .devcontainer and the workflow say no other than pyproject.toml
does, and can be read by those whom they are for."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet

REPOSITORY = Path(__file__).parents[2]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((REPOSITORY / "environment.yml").read_text())["dependencies"]
YAML = sorted(
    [*REPOSITORY.glob("*.y*ml"), *REPOSITORY.glob(".*.y*ml"), *REPOSITORY.glob(".github/**/*.y*ml")]
)
CONTAINER = json.loads((REPOSITORY / ".devcontainer/devcontainer.json").read_text())


def test_conda_s_python_is_one_the_course_runs_on_written_as_binder_reads_it():
    # repo2docker takes any other form than `python=X.Y` for "some Python", and brings an older one.
    exact = re.fullmatch(r"python=(3\.\d+)", CONDA[0])
    assert exact
    assert exact[1] in SpecifierSet(PROJECT["requires-python"])


def test_packages_are_listed_in_pyproject_alone():
    assert CONDA[1:] == ["pip", {"pip": ["--constraint constraints.txt", "--editable .[dev]"]}]


def test_the_devcontainer_has_the_same_python_and_the_makefile_installs_into_it():
    assert CONTAINER["image"].rpartition(":")[2] == CONDA[0].removeprefix("python=")
    ready = CONTAINER["postCreateCommand"].removeprefix("make ")
    assert f"READY := {ready}" in (REPOSITORY / "Makefile").read_text()


@pytest.mark.parametrize("path", YAML, ids=lambda path: str(path.relative_to(REPOSITORY)))
def test_every_yaml_file_can_be_read(path):
    # A command with ": " in it, for one, is no text there unless it is quoted.
    assert isinstance(yaml.safe_load(path.read_text(encoding="utf-8")), dict)


WORKFLOW = yaml.safe_load((REPOSITORY / ".github/workflows/ci.yml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("job", WORKFLOW["jobs"])
def test_every_job_of_the_workflow_runs_a_python_that_the_course_runs_on(job):
    job = WORKFLOW["jobs"][job]
    (setup,) = (step for step in job["steps"] if "setup-python" in step.get("uses", ""))
    version = setup["with"]["python-version"]
    versions = job["strategy"]["matrix"]["python"] if "matrix" in version else [version]
    assert all(one in SpecifierSet(PROJECT["requires-python"]) for one in versions)
    assert all(isinstance(step.get("run", step.get("uses")), str) for step in job["steps"])


# --- a wheel holds the course ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The course as pip builds it from a copy of this repository: setuptools writes into build/ of
    what it builds, and other tests look at build/ of the repository at the same time."""
    folder = tmp_path_factory.mktemp("wheel")
    left_out = shutil.ignore_patterns(".*", "build", "my-warpwise", "__pycache__", "*.egg-info")
    copy = shutil.copytree(REPOSITORY, folder / "repository", ignore=left_out)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, copy)
    (made,) = folder.glob("*.whl")
    return made


def run(*command, cwd=None, rc=0):
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    env["PATH"] += os.pathsep + str(Path(sys.executable).parent)  # alembic, which nbgrader calls
    done = subprocess.run([*map(str, command)], cwd=cwd, env=env, capture_output=True, text=True)
    assert done.returncode == rc, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.core
def test_a_wheel_holds_every_lesson_and_notebook(wheel):
    held = set(zipfile.ZipFile(wheel).namelist())
    for name in ("kernels", "notebooks"):
        tracked = subprocess.run(
            ["git", "ls-files", name], cwd=REPOSITORY, check=True, capture_output=True, text=True
        ).stdout.split()
        assert tracked
        assert {f"grader/course_files/{path}" for path in tracked} <= held
    tracked = subprocess.run(
        ["git", "ls-files", "grader"], cwd=REPOSITORY, check=True, capture_output=True, text=True
    ).stdout.split()
    assert set(tracked) <= held
    assert "grader/course_files/nbgrader_config.py" in held
    assert any(name.endswith("/data/etc/jupyter/jupyter_nbconvert_config.json") for name in held)


# --- a class of who has installed it with pip -----------------------------------------------------


# The grader itself, and large packages that it needs for nothing here.
LEFT_OUT = "grader|__editable__|warpwise|pip|cupy|pandas|sphinx|mypy|torch"


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """An environment with the course's wheel, no clone, and what `[classroom]` needs beside it."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=False)
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / Path(sys.executable).name
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(python, "-c", where).strip())
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if path.suffix != ".pth" and not re.match(LEFT_OUT, path.name):
            if path.is_dir():
                shutil.copytree(path, packages / path.name, copy_function=linked)
            else:
                linked(path, packages / path.name)
    run(sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-deps", wheel)
    return python, packages / "grader"


def linked(path, to):
    """The same file once more, in no more room: the judge may read no link to elsewhere."""
    try:
        os.link(path, to)
    except OSError:  # another disk
        shutil.copy2(path, to)


def files_of(package):
    return {path for path in package.rglob("*") if path.is_file() and path.suffix != ".pyc"}


@pytest.mark.slow
def test_who_has_installed_it_makes_a_course_releases_grades_and_gives_feedback(
    installed, tmp_path, grading
):
    """Of the public lessons; and nothing is written into the installation."""
    python, package = installed
    before = files_of(package)
    (tmp_path / "class.csv").write_text("id,name\nada,Ada Byron\n")
    said = run(python, "-m", "grader", "roster", "class.csv", cwd=tmp_path, rc=2)
    assert "`grader --course FOLDER new` makes it a course" in said
    here = tmp_path / "class-2027"
    here.mkdir()
    run(python, "-m", "grader", "--course", here, "new", cwd=tmp_path)

    def grader(*arguments):
        return run(python, "-m", "grader", *arguments, cwd=here)

    assert "now have 1 learner from a file of csv" in grader("roster", tmp_path / "class.csv")
    assert "released 00_first_kernel to build/" in grader("release", "00")
    released = here / "build/release/00_first_kernel/00_first_kernel.ipynb"
    handed_in = here / "build/submitted/ada/00_first_kernel"
    handed_in.mkdir(parents=True)
    (handed_in / released.name).write_bytes(released.read_bytes())
    assert "graded: 1 submission, in build/gradebook.db" in grader("autograde", "00")
    assert "1 page in build/feedback" in grader("feedback", "00")
    assert files_of(package) == before
