"""What several test files begin with, where tests that need a GPU are run, and which of a test's
many cases --most-cases draws."""

import os
import random
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from grader import cuda
from grader.judge.sandbox import landlock

# The attacks' sizes are read from POSIX's resource usage.
collect_ignore = ["judge/test_attacks.py"] if sys.platform == "win32" else []


def pytest_addoption(parser):
    parser.addoption(
        "--most-cases",
        type=int,
        metavar="N",
        help="run at most N cases of each test, drawn anew for every commit (WARPWISE_SEED: those "
        "of another one)",
    )


def pytest_collection_modifyitems(config, items):
    """Leaves out what --most-cases does not draw. A test's cases are drawn by the commit, so that
    all of them are run sooner or later, and a failure can be had again."""
    most = config.getoption("--most-cases")
    if most is None:
        return
    families = defaultdict(list)
    for item in items:
        families[item.nodeid.partition("[")[0]].append(item)
    seed = drawn_by()
    drawn = set()
    for name, cases in families.items():
        drawn.update(random.Random(f"{seed} {name}").sample(cases, min(most, len(cases))))
    left_out = [item for item in items if item not in drawn]
    items[:] = [item for item in items if item in drawn]
    config.hook.pytest_deselected(items=left_out)


def pytest_report_header(config):
    most = config.getoption("--most-cases")
    return None if most is None else f"at most {most} cases a test, WARPWISE_SEED={drawn_by()}"


def drawn_by():
    """The commit, or what WARPWISE_SEED says."""
    if "WARPWISE_SEED" in os.environ:
        return os.environ["WARPWISE_SEED"]
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    here = Path(__file__).parent
    said = subprocess.run(command, cwd=here, capture_output=True, text=True, check=False)
    return said.stdout.strip() or "no commit"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A course of the small lesson, as the folder that holds it; to be read only."""
    import small_lesson

    return small_lesson.write(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory):
    """A course of the lesson that the small class is given; to be read only."""
    import small_class  # here, as it needs nbformat, and tests on a GPU machine do without

    return small_class.write_lesson(tmp_path_factory.mktemp("kernels"))


def pytest_runtest_setup(item):
    if item.get_closest_marker("gpu") and cuda.device != "gpu":
        pytest.skip("NO GPU HERE: nothing ran on real hardware")


@pytest.fixture
def cache_home(monkeypatch):
    """Has caches lie in a folder from then on. CUDA's files are there, too, where NVIDIA has no
    wheel of them and they were fetched."""
    from grader.compilers import fetched

    def lie_in(folder):
        files = fetched.folder()
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        if files.is_dir() and not fetched.folder().exists():
            fetched.folder().parent.mkdir(parents=True)
            fetched.folder().symlink_to(files)

    return lie_in


@pytest.fixture(scope="session")
def grading():
    """Asked for by whatever grades what others wrote."""
    if not landlock.version():
        pytest.skip("NO LANDLOCK HERE: what others wrote was not graded")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """A test that grades without asking for `grading` would fail where there is no Landlock."""
    require = landlock.require

    def unasked():
        require()
        pytest.fail("this grades what others wrote: ask for the fixture `grading` (conftest.py)")

    with pytest.MonkeyPatch.context() as patch:
        if "grading" not in item.fixturenames:
            patch.setattr(landlock, "require", unasked)
        return (yield)
