"""What a system other than Linux lacks is not needed: checking one's own kernel works without, and
nobody else's is graded there unless somebody insists."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import small_class
import without_posix
from small_lesson import ID, SOLUTION, instead
from typer.testing import CliRunner

from grader import course
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.compilers import cuda_files
from grader.errors import EXTRAS
from grader.judge import Limits, judge, worker
from grader.judge.sandbox import landlock
from grader.learner import start_page

ROOT = Path(__file__).parents[2]
SOURCES = sorted([*(ROOT / "grader").rglob("*.py"), *(ROOT / "kernels").rglob("*.py")])
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in SOURCES
    if path.is_relative_to(ROOT / "grader") and path.stem != "__main__"
]
# What needs a GPU, or another extra than tests have; and what is Linux's own, and asks first.
LEFT_OUT = (
    "grader.bench.measuring",
    "grader.cuda.gpu",
    "grader.judge.sandbox.hardware",
    "grader.judge.sandbox.forkserver",
)


@pytest.fixture
def a_course(root, tmp_path):
    """A folder as WARPWISE_COURSE names one, with the small lesson."""
    (tmp_path / "kernels").symlink_to(root)
    return tmp_path


def elsewhere(system, *arguments, **options):
    """Run a module as Python would on that system, as far as our own code can tell."""
    return subprocess.run(
        [sys.executable, Path(without_posix.__file__), system, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        **options,
    )


@pytest.mark.costly
@pytest.mark.parametrize("system", without_posix.LACKS)
def test_every_module_can_be_imported(system):
    names = [name for name in MODULES if not name.startswith(LEFT_OUT)]
    said = elsewhere(system, "importlib_all", *names)
    assert said.returncode == 0, said.stderr


@pytest.mark.parametrize("system", without_posix.LACKS)
@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("    if (i < n) total[i] = x[i] + y[i];", "passed"),
        ("    total[i] = x[i] + y[i];", "out_of_bounds"),
        ("    if (i < n) total[i] = x[i] + y[i]", "compile_error"),
        ("    while (true) {}", "timeout"),
    ],
)
def test_one_s_own_kernel_gets_the_same_verdict(system, root, a_course, tmp_path, body, status):
    path = tmp_path / "answer.cu"
    path.write_text(instead(body), encoding="utf-8")
    asked = ("grader", "check", str(path), "--exercise", ID, "--json")
    said = elsewhere(system, *asked, env={**os.environ, "WARPWISE_COURSE": str(a_course)})
    assert said.stdout, said.stderr
    (one,) = json.loads(said.stdout)["checked"]
    here = judge(ID, instead(body), root=root)
    found = one["verdict"]
    assert (found["status"], found["line"], found["points"]) == (status, here.line, here.points)


@pytest.fixture
def watched(root, monkeypatch):
    """The small lesson's judge as on Windows, in this process."""
    monkeypatch.setattr(worker, "WATCHED", True)
    monkeypatch.setattr(worker, "COMMAND", without_posix.worker("win32"))
    monkeypatch.setattr(worker, "FORKS", False)
    return lambda source, **limits: judge(ID, source, root=root, limits=Limits(**limits))


def test_without_resource_limits_memory_is_watched(watched):
    verdict = watched(SOLUTION, memory_bytes=8 << 20)
    assert "was ended by the grader. Most likely it needed more than" in verdict.message


def test_without_timers_the_processor_s_time_is_watched(watched):
    long = instead("    for (volatile unsigned k = 0; k < 0xfffffff0u; k++) {}")
    verdict = watched(long, steps=1 << 40, case_seconds=0.2)
    assert verdict.status == "timeout" and "still running after 0.2 s" in verdict.message


@pytest.mark.skipif(
    sys.platform == "win32" or cuda_files.fetched_folder().is_dir(),
    reason="WINDOWS ALWAYS NAMES A HOME, and on a Mac CUDA's headers lie in it: it was not tried",
)
def test_who_has_no_home_is_judged_all_the_same(root, monkeypatch):
    # as in a container that is told to run as some number: no HOME, and no entry among the users
    import pwd

    def nobody(number):
        raise KeyError(number)

    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", nobody)
    assert judge(ID, SOLUTION, root=root).status == "passed"
    assert start_page.package_index()


@pytest.fixture
def without_landlock(monkeypatch):
    monkeypatch.setattr(landlock, "version", lambda: 0)


@pytest.mark.costly
@pytest.mark.parametrize("command", [("autograde",), ("regrade", "--dry-run")])
def test_what_others_wrote_is_graded_without_landlock_only_when_one_insists(
    command, tmp_path, without_landlock, monkeypatch
):
    (tmp_path / "kernels").mkdir()
    kernels = small_class.write_lesson(tmp_path / "kernels")
    here = new_course(tmp_path / "course", kernels)
    monkeypatch.chdir(here.root)
    said = CliRunner().invoke(app, ["release", small_class.LESSON])
    assert said.exit_code == 0, said.stderr
    small_class.hand_in(here, "ada", add=SOLUTION)
    name, *options = command
    refused = CliRunner().invoke(app, [name, small_class.LESSON, *options])
    assert refused.exit_code == 2
    assert "cannot grade what others have written" in refused.stderr
    insisted = CliRunner().invoke(app, [name, small_class.LESSON, *options, "--unsafe"])
    assert insisted.exit_code == 0, insisted.stderr


def test_formgrader_s_button_refuses_too(without_landlock, root):
    from grader.classroom.plugin import JudgeAnswers

    with pytest.raises(landlock.Unconfined):
        JudgeAnswers()._verdict(course.lesson("01_add", root), ID, SOLUTION)


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
@pytest.mark.parametrize("body", ["    total[i] = x[i] + y[i];", "    total[i] = x[i] +;"])
def test_other_line_ends_give_the_same_lines(root, ends, body):
    plain = judge(ID, instead(body), root=root)
    other = judge(ID, instead(body).replace("\n", ends), root=root)
    assert (other.status, other.line) == (plain.status, plain.line) and plain.line


def test_a_console_without_our_characters_is_no_traceback(a_course, tmp_path):
    path = tmp_path / "answer.cu"
    path.write_text(SOLUTION, encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "cp1252", "WARPWISE_COURSE": str(a_course)}
    command = [sys.executable, "-m", "grader", "check", path, "--exercise", ID]
    said = subprocess.run(command, capture_output=True, env=environment)
    assert said.returncode == 0, said.stderr.decode("cp1252")
    assert b"passed" in said.stdout and said.stderr == b""


def unencoded(path):
    """The lines on which a text is read or written in the machine's own encoding."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Attribute, ast.Name)):
            continue
        given = {one.arg for one in node.keywords}
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        owner = getattr(getattr(node.func, "value", None), "id", "")
        modes = [one for one in node.args if isinstance(one, ast.Constant)]
        modes += [one.value for one in node.keywords if one.arg == "mode"]
        binary = any("b" in str(getattr(one, "value", "")) for one in modes)
        text = (
            (name == "read_text" and not node.args)
            or name == "write_text"
            or (name == "open" and owner not in ("os", "webbrowser") and not binary)
            or (name in ("run", "Popen", "check_output") and "text" in given)
        )
        if text and "encoding" not in given:
            yield node.lineno


def test_no_text_depends_on_the_machine_s_encoding():
    files = [*SOURCES, ROOT / "setup.py", ROOT / "nbgrader_config.py"]
    found = {path.relative_to(ROOT): [*unencoded(path)] for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_every_module_that_only_an_extra_brings_is_known_by_it():
    import tomllib
    from importlib.metadata import packages_distributions

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known = packages_distributions()
    if "cupy" not in known:
        pytest.skip("NO CUPY HERE, as on a Mac: which package has it is not known")
    for module, extra in EXTRAS.items():
        names = {name.lower().replace("_", "-") for name in known.get(module, [module])}
        listed = {
            line.partition(";")[0].partition(">")[0]
            for line in project["optional-dependencies"][extra]
        }
        assert names & listed, (module, extra)
        assert not names & {line.partition(">")[0] for line in project["dependencies"]}


def test_a_command_whose_extra_is_missing_says_what_to_install():
    code = "import sys; sys.modules['nbgrader'] = None; from grader.cli import app; app()"
    command = [sys.executable, "-c", code, "export", "00"]
    said = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert said.returncode == 2
    assert 'pip install "warpwise[classroom]"' in said.stderr
