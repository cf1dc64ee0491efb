"""pyproject.toml declares what is imported and nothing more, and constraints.txt holds versions of
all of it."""

import ast
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
FILES = {
    "grader": sorted((ROOT / "grader").rglob("*.py")),
    "kernels": sorted((ROOT / "kernels").rglob("*.py")),
    "tests": sorted((ROOT / "tests").rglob("*.py")),
    "tools": sorted((ROOT / "tools").rglob("*.py")),
    "nbgrader_config.py": [ROOT / "nbgrader_config.py"],
}
FILES["setup.py"] = [ROOT / "setup.py"]
SCRIPTS = [*FILES["tests"], *FILES["tools"]]  # which import each other
OURS = {"grader", "tools", "setuptools", *(path.stem for path in SCRIPTS)}  # setuptools builds it
# Rooms whose modules stand on what an extra brings; who needs them says what to install.
ROOMS_OF_EXTRAS = {"classroom": "classroom", "proofs": "proofs"}
# Modules that are imported only where there is a GPU, for which there is the extra [gpu].
NEED_A_GPU = {"gpu", "hardware", "measuring"}
NAMED_OTHERWISE = {"quack": "quack-kernels"}  # a module that need not be here, and its package
# What nothing imports: the file that runs it or says that it is needed, and the words there.
RUN_BY_NAME = {
    "cuda-toolkit": ("grader/compilers/cuda_files.py", "find_nvidia_header_directory"),
    "nvidia-cuda-nvcc-cu12": ("grader/compilers/cuda_files.py", "nvidia-cuda-nvcc-cu12"),
    "clang-format": ("Makefile", "/clang-format"),
    "sphinx": ("Makefile", "/sphinx-build"),
    "myst-parser": ("docs/conf.py", "myst_parser"),
    "furo": ("docs/conf.py", '"furo"'),
    "ruff": ("Makefile", "/ruff"),
    "pre-commit": ("CONTRIBUTING.md", "/pre-commit install"),
    "pytest-xdist": ("Makefile", "/pytest -n auto"),
}
MACHINES = {
    "Linux on x86": ("linux", "x86_64", True),
    "Linux on Arm": ("linux", "aarch64", True),
    "Windows": ("win32", "AMD64", True),
    "a Mac": ("darwin", "arm64", False),
    "an older Mac": ("darwin", "x86_64", False),
    "Windows on Arm": ("win32", "ARM64", False),
}


def declared(lines):
    return {canonicalize_name(Requirement(line).name) for line in lines}


NEEDED = declared(PROJECT["dependencies"])
OPTIONAL = declared(line for extra in EXTRAS.values() for line in extra) - {"warpwise"}


@cache
def imports(path, everywhere=True):
    """The modules of others that a file imports; only what its import takes, or `everywhere`."""
    tree, found = ast.parse(path.read_text()), set()
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            found.update(name.name.partition(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module.partition(".")[0])
    return found


needs_cupy = pytest.mark.skipif(
    find_spec("cupy") is None, reason="NO CUPY HERE, as on a Mac: which package has it is not known"
)


def distributions(paths, **which):
    """The packages to be installed for what files import, each with the files that do."""
    known, found = packages_distributions(), {}
    for path in paths:
        for module in imports(path, **which) - sys.stdlib_module_names - OURS:
            for name in known.get(module, [NAMED_OTHERWISE.get(module, module)]):
                found.setdefault(canonicalize_name(name), []).append(path.relative_to(ROOT))
    return found


@needs_cupy
@pytest.mark.parametrize("folder", FILES)
def test_what_is_imported_is_declared(folder):
    found = distributions(FILES[folder])
    assert {name: paths for name, paths in found.items() if name not in NEEDED | OPTIONAL} == {}


@needs_cupy
def test_what_the_course_cannot_start_without_is_no_extra():
    # A module named for an extra is what that extra is for.
    found = distributions(FILES["grader"], everywhere=False)
    assert {path.stem for path in found.pop("cupy-cuda12x")} == NEED_A_GPU
    of_rooms = {room: declared(EXTRAS[extra]) for room, extra in ROOMS_OF_EXTRAS.items()}
    for name in found.keys() - NEEDED:
        for path in found[name]:
            rooms = [room for room in path.parts if name in of_rooms.get(room, ())]
            assert rooms or path.stem.partition("_")[0] == name, (path, name)


@needs_cupy
def test_what_is_declared_is_imported_or_run_by_name():
    found = distributions(path for paths in FILES.values() for path in paths)
    assert (NEEDED | OPTIONAL) - found.keys() == RUN_BY_NAME.keys()
    for file, words in RUN_BY_NAME.values():
        assert words in (ROOT / file).read_text()


@pytest.mark.parametrize("machine", MACHINES)
def test_cuda_is_installed_where_there_are_wheels_of_it_and_clang_elsewhere(machine):
    platform, processor, has = MACHINES[machine]
    here = default_environment() | {"sys_platform": platform, "platform_machine": processor}
    for line in PROJECT["dependencies"]:
        requirement = Requirement(line)
        wanted = requirement.marker is None or requirement.marker.evaluate(here)
        if requirement.name == "ziglang":  # the compiler where NVIDIA has none for the system
            assert wanted == (not has)
        else:
            assert wanted == (has or not requirement.name.startswith("cuda")), line


def test_constraints_hold_one_version_of_everything_that_make_installs():
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = [line.split("==") for line in lines if not line.startswith("#")]
    versions = {canonicalize_name(name): version for name, version in pairs}
    assert len(versions) == len(pairs)
    extras = [line for name in ("clang", "classroom", "dev", "gpu") for line in EXTRAS[name]]
    for line in [*PROJECT["dependencies"], *extras]:
        requirement = Requirement(line)
        if requirement.name == "warpwise":
            continue  # its own extras, which are in the list
        version = versions[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), line
    assert "--constraint constraints.txt" in (ROOT / "Makefile").read_text()


@pytest.mark.parametrize(
    ("module", "absent"),
    [("nbformat", "lark"), ("grader.classroom.bundles", "nbgrader.api")],
)
def test_what_learners_wait_for_imports_nothing_that_takes_seconds(module, absent):
    said = f"import sys, {module}; sys.exit({absent!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", said], cwd=ROOT).returncode == 0
