"""environment.yml (conda, Binder) and .devcontainer say no other than pyproject.toml does."""

import json
import re
import tomllib
from pathlib import Path

import yaml
from packaging.specifiers import SpecifierSet

REPOSITORY = Path(__file__).parents[1]
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
CONDA = yaml.safe_load((REPOSITORY / "environment.yml").read_text())["dependencies"]
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
