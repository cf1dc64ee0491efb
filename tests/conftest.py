"""What several test files begin with, where tests that need a GPU are run, and which of a test's
many cases --most-cases draws."""

import os
import random
import subprocess
import sys
from collections import defaultdict
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil
import pytest

from grader import cuda
from grader.judge.sandbox import landlock

# The attacks' sizes are read from POSIX's resource usage, a service that is attacked is told to end
# by a signal, and the term's commands are forked.
POSIX = [
    "judge/test_attacks.py",
    "classroom/test_attacks_through_the_service.py",
    "classroom/test_a_term.py",
    "classroom/test_a_term_in_browser.py",
]
collect_ignore = POSIX if sys.platform == "win32" else []


COLLECTED = pytest.StashKey[float]()  # the processor seconds used before the first test
FIRST = {"judge/test_attacks.py"}  # what a budget of processor seconds always reaches


def pytest_addoption(parser):
    parser.addoption(
        "--most-cases",
        type=int,
        metavar="N",
        help="run at most N cases of each test, one of a costly test and all of the core, drawn "
        "anew for every commit (WARPWISE_SEED: those of another one)",
    )
    parser.addoption(
        "--most-seconds",
        type=float,
        metavar="S",
        help="take the files in an order that the commit draws, and skip the tests that are left "
        "when the tests of a worker have used S seconds of the processor",
    )


def pytest_collection_modifyitems(config, items):
    """Leaves out the cases that --most-cases does not draw, and orders files for --most-seconds.
    The commit draws, so that every case and every file is reached sooner or later, and a failure
    can be had again."""
    most, seed = config.getoption("--most-cases"), drawn_by()
    if config.getoption("--most-seconds") is not None:
        items.sort(key=lambda item: _place(item, seed))
    if most is None:
        return
    families = defaultdict(list)
    for item in items:
        families[item.nodeid.partition("[")[0]].append(item)
    drawn = set()
    for name, cases in families.items():
        count = 1 if cases[0].get_closest_marker("costly") else most
        count = len(cases) if cases[0].get_closest_marker("core") else count
        drawn.update(random.Random(f"{seed} {name}").sample(cases, min(count, len(cases))))
    left_out = [item for item in items if item not in drawn]
    items[:] = [item for item in items if item in drawn]
    config.hook.pytest_deselected(items=left_out)


def _place(item, seed):
    file = item.path.relative_to(Path(__file__).parent).as_posix()
    return file not in FIRST, random.Random(f"{seed} {file}").random()


def pytest_report_header(config):
    most, seconds = config.getoption("--most-cases"), config.getoption("--most-seconds")
    return [
        *([f"at most {most} cases a test, WARPWISE_SEED={drawn_by()}"] if most else []),
        *([f"at most {seconds:g} processor seconds a worker"] if seconds else []),
    ]


def processor_seconds():
    """What this process and all those that it has started have used."""
    me = psutil.Process()
    used = 0.0
    for process in (me, *me.children(recursive=True)):
        with suppress(psutil.Error):
            used += sum(process.cpu_times()[:4])
    return used


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


def skip_what_no_time_is_left_for(config):
    most = config.getoption("--most-seconds")
    if most is not None and processor_seconds() - config.stash[COLLECTED] > most:
        pytest.skip("not tried: the processor seconds of --most-seconds are used")


def pytest_collection_finish(session):
    session.config.stash[COLLECTED] = processor_seconds()


def pytest_runtest_setup(item):
    skip_what_no_time_is_left_for(item.config)
    if item.get_closest_marker("gpu") and cuda.device != "gpu":
        pytest.skip("NO GPU HERE: nothing ran on real hardware")


@pytest.fixture
def cache_home(monkeypatch):
    """Has caches lie in a folder from then on. CUDA's files are there, too, where NVIDIA has no
    wheel of them and they were fetched."""
    from grader.compilers import cuda_files

    def lie_in(folder):
        files = cuda_files.fetched_folder()
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
        if files.is_dir() and not cuda_files.fetched_folder().exists():
            cuda_files.fetched_folder().parent.mkdir(parents=True)
            cuda_files.fetched_folder().symlink_to(files)

    return lie_in


@pytest.fixture(scope="session", autouse=True)
def alembic_asked_once():
    """nbgrader starts alembic for each new gradebook, to read which version nbgrader itself has.
    That takes most of a second, and the answer is the same for all courses of the tests."""
    api = sys.modules.get("nbgrader.api")
    with pytest.MonkeyPatch.context() as patch:
        if api:
            patch.setattr(api, "get_alembic_version", cache(api.get_alembic_version))
        yield


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
