"""environment.yml (conda, Binder), .devcontainer and the workflow say no other than pyproject.toml
does, and can be read by those whom they are for."""

import json
import re
import subprocess
import sys
import tomllib
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


@pytest.mark.slow
@pytest.mark.core
def test_a_wheel_holds_every_lesson_and_notebook(tmp_path):
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "-w",
        str(tmp_path),
        REPOSITORY,
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
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
