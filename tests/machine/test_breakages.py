"""Whatever is broken, at whichever command: one sentence with what to do, a status that is not 0,
no traceback, and no waiting forever.

Each breakage is tried at one of the commands it must stop, another from one to the next;
WARPWISE_BREAKAGES=all tries each at all of them.
"""

import contextlib
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import small_class
from small_class import LESSON, SCALED, grader, hand_in
from small_lesson import SOLUTION

from grader import course
from grader.classroom import grading, judges
from grader.classroom.folder import new_course

COMMANDS = {
    "release": ("release", "01"),
    "autograde": ("autograde", "01"),
    "feedback": ("feedback", "01"),
    "report": ("report", "01"),
    "course": ("report",),
    "demo": ("demo", "--lesson", "01"),
    "check": ("check", "answer.cu", "--exercise", "01/add"),
}
ALL = frozenset(COMMANDS)
WEAVING = frozenset({"release", "demo"})
JUDGING = frozenset({"release", "autograde", "check"})
PROVING = frozenset({"release", "autograde"})
GRADEBOOK = frozenset({"release", "autograde", "feedback", "report", "course"})
WRITING = ("release", "autograde", "feedback", "report")
ALL_TRIED = "WARPWISE_BREAKAGES" in os.environ


def changed(name, old, new):
    def damage(here):
        path = here.kernels / LESSON / name
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new, 1))

    return damage


def more(name, text):
    def damage(here):
        path = here.kernels / LESSON / name
        path.write_text((path.read_text() if path.exists() else "") + text)

    return damage


def gone(name):
    return lambda here: (here.kernels / LESSON / name).unlink()


def gradebook(make):
    def damage(here):
        path = here.root / "gradebook.db"
        path.unlink()
        make(path)

    return damage


def without_tables(path):
    with contextlib.closing(sqlite3.connect(path)) as made:
        made.execute("CREATE TABLE assignment (id INT)")
        made.commit()


EX = "exercises.py"
# what is broken: how, at which commands that must stop, and a part of the sentence
BROKEN = {
    "syntax": (more(EX, "\ndef f(:\n"), ALL, "exercises.py, line 48: invalid syntax"),
    "exception": (more(EX, "\n1 / 0\n"), ALL, "ZeroDivisionError: division by zero"),
    "exit": (more(EX, "\nraise SystemExit(3)\n"), ALL, "SystemExit: 3"),
    "import": (more(EX, "\nimport nobody_has_it\n"), ALL, "No module named 'nobody_has_it'"),
    "field_missing": (changed(EX, 'title="Add two vectors",', ""), ALL, "'title'"),
    "field_unknown": (changed(EX, "title=", "colour=1, title="), ALL, "'colour'"),
    "field_of_type": (changed(EX, "add(128), 2)", 'add(128), "2")'), ALL, "points must be float"),
    "not_a_case": (changed(EX, "cases=(", "cases=(3,"), ALL, "cases must be tuple[Case, ...]"),
    "points_nan": (changed(EX, "add(128), 2)", 'add(128), float("nan"))'), ALL, "is worth nan"),
    "two_alike": (changed(EX, 'name="scale"', 'name="add"'), ALL, "two exercises are called"),
    "source_gone": (gone("1_add.cu"), ALL, "there is no file"),
    "lesson_gone": (gone("lesson.md"), ALL, "There is no file"),
    "benchmarks": (more("benchmarks.py", "\nx = = 1\n"), ALL, "benchmarks.py, line"),
    "shown": (more("shown.py", "\nraise RuntimeError('no')\n"), ALL, "shown.py, line 2"),
    "binary": (lambda here: (here.kernels / LESSON / EX).write_bytes(b"\xff\xfe\x00"), ALL, EX),
    "file_named": (more("lesson.md", "\n```{kernel} 9.cu\n```\n"), WEAVING, "no file 9.cu"),
    "fence": (more("lesson.md", "\n```python\n"), WEAVING, "is never closed"),
    "cell": (more("lesson.md", "\n```python\n1 / 0\n```\n"), {"demo"}, "lesson.md cannot be run"),
    "case_raises": (changed(EX, "x, y =", "x, z ="), JUDGING, "NameError: name 'y'"),
    "case_returns": (changed(EX, "return Problem({", "return dict({"), JUDGING, "case"),
    "buffer": (changed(EX, '("x", "y"', '("w", "y"'), JUDGING, "'w'"),
    "shape": (changed(EX, "atol=1e-6", "atol=np.ones(3)"), JUDGING, "atol of 'total' has"),
    "objects": (changed(EX, '{"x": x,', '{"x": x.astype(object),'), JUDGING, "'x' holds object"),
    "counter": (changed(EX, "global_load_sectors", "sectors"), JUDGING, "'sectors'"),
    "reference": (changed(EX, ") + y,", ") - y,"), PROVING, "fails the case 'whole blocks'"),
    "dtype": (changed(EX, ") + y, np.float32", ") + y, np.int32"), PROVING, "fails the case"),
    "solution": (changed("1_add.cu", "x[i] + y", "x[i] * y"), PROVING, "fails the case"),
    "no_database": (gradebook(lambda path: path.write_bytes(b"x" * 5000)), GRADEBOOK, "damaged"),
    "torn": (
        lambda here: (here.root / "gradebook.db").write_bytes(
            (here.root / "gradebook.db").read_bytes()[:5000] + b"\0" * 20000
        ),
        GRADEBOOK,
        "gradebook",
    ),
    "empty": (gradebook(lambda path: path.touch()), GRADEBOOK, "put back a copy"),
    "lost": (gradebook(lambda path: None), {"feedback"}, "the gradebook has no marks"),
    "tables": (gradebook(without_tables), GRADEBOOK, "put back a copy"),
    "no_gradebook": (gradebook(lambda path: path.mkdir()), GRADEBOOK, "cannot be opened"),
}


def chosen(commands_of):
    """(what is broken, command) of all there are, or one command for each breakage."""
    dice = random.Random(12)
    return [
        (what, command)
        for what, commands in commands_of.items()
        for command in (sorted(commands) if ALL_TRIED else [dice.choice(sorted(commands))])
    ]


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """A course after its first week; the fixture `here` gives each test a copy."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)
    assert grader(here, "autograde", LESSON).exit_code == 0
    return here


@pytest.fixture
def here(graded, tmp_path, monkeypatch):
    kernels = shutil.copytree(graded.kernels, tmp_path / "kernels")
    root = shutil.copytree(graded.root, tmp_path / "course")
    (root / "answer.cu").write_text(SOLUTION)
    monkeypatch.setattr(course, "KERNELS", kernels)
    return new_course(root, kernels)


def assert_one_sentence(said, part=""):
    assert said.exit_code == 2, said.output
    assert said.stderr.count("\n") == 1 and len(said.stderr) < 600, said.stderr
    assert part in said.stderr
    assert "Traceback" not in said.stdout + said.stderr


@pytest.mark.parametrize(
    ("what", "command"), chosen({what: commands for what, (_, commands, _) in BROKEN.items()})
)
def test_what_is_broken_is_said_in_a_sentence(here, what, command):
    damage, _, part = BROKEN[what]
    damage(here)
    assert_one_sentence(grader(here, *COMMANDS[command]), part)


def test_a_broken_lesson_stops_no_command_about_another(here, monkeypatch):
    shutil.copytree(here.kernels / LESSON, here.kernels / "02_broken")
    (here.kernels / "02_broken/exercises.py").write_text("def f(:\n")
    for name in ("release", "autograde", "feedback", "report", "check"):
        said = grader(here, *COMMANDS[name])
        assert (said.exit_code, said.stderr) == (0, ""), said.stderr


@pytest.mark.parametrize("short", ["", "0", "9", "01_addition", "../01_add"])
def test_a_name_that_is_not_one_lesson_s_is_told_those_there_are(here, short):
    shutil.copytree(here.kernels / LESSON, here.kernels / "02_twin")
    for command in ("release", "autograde", "feedback", "report"):
        if (command, short) != ("release", "") and (command, short) != ("report", ""):
            assert_one_sentence(grader(here, command, short), "there are: 01_add, 02_twin")


@pytest.mark.parametrize(
    "address",
    ["127.0.0.1", "localhost:8786", "tcp://", "tcp://h", "tcp://h:99999", "x://h:1", "tcp://h:p"],
)
def test_a_malformed_scheduler_is_told_how_to_write_one(here, address):
    said = grader(here, "autograde", LESSON, f"--scheduler={address}")
    assert_one_sentence(said, "--scheduler tcp://HOST:PORT")


def test_a_cluster_without_workers_is_waited_for_and_then_named(here, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="NO DASK HERE: it was not tried")
    monkeypatch.setattr(judges, "PATIENCE", 3)
    options = {"n_workers": 0, "processes": False, "dashboard_address": None}
    hand_in(here, "ben", add=small_class.WRONG_SUM, scale=SCALED)
    with distributed.LocalCluster(**options, protocol="tcp://") as cluster:
        said = grader(here, "autograde", LESSON, "--scheduler", cluster.scheduler_address)
    assert_one_sentence(said, "has no workers")


def test_a_cluster_whose_workers_all_leave_is_named_and_what_was_judged_is_kept(here, monkeypatch):
    distributed = pytest.importorskip("distributed", reason="NO DASK HERE: it was not tried")
    monkeypatch.setattr(judges, "PATIENCE", 3)

    def kept():
        return set((here.root / "verdicts").iterdir())

    before = kept()
    for number in range(12):
        hand_in(here, f"n{number}", add=f"{small_class.WRONG_SUM}// {number}\n", scale=SCALED)
    options = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options, processes=False, protocol="tcp://") as cluster,
        ThreadPoolExecutor() as meanwhile,
    ):

        def send_home():
            while kept() == before:
                time.sleep(0.01)
            cluster.scale(0)

        gone = meanwhile.submit(send_home)
        said = grader(here, "autograde", LESSON, "--scheduler", cluster.scheduler_address)
        gone.result()
    assert_one_sentence(said, "has no workers any more")
    assert kept() > before
    assert grader(here, "autograde", LESSON).exit_code == 0


def test_a_fault_of_the_grader_s_own_is_a_sentence_too(here, monkeypatch):
    def stumble(*_):
        raise TypeError("unheard of")

    monkeypatch.setattr(grading.Grading, "questions", stumble)
    said = grader(here, "autograde", LESSON, "--force")
    assert said.exit_code == 3
    assert said.stderr.startswith("The grader itself failed (TypeError: unheard of; ")
    assert said.stderr.count("\n") == 1
    assert "Traceback" in Path(said.stderr.split()[-1].rstrip(".")).read_text()


# --- a machine that is full, or lets nobody write: in a namespace of its own ---------------------

LOCKED = {
    "gradebook": "chmod 444 gradebook.db && chmod 555 . ",
    "build": "chmod -R a-w .",
}
ROOM = (4, 60)  # KiB left on the disk


@pytest.mark.parametrize(("what", "command"), chosen(dict.fromkeys(LOCKED, WRITING)))
def test_what_may_not_be_written_is_named(here, what, command):
    """As a user without root's rights over files, which `unshare --user` makes of root too."""
    changed(EX, "add(128), 2)", "add(128), 3)")(here)  # which the gradebook must be told
    hand_in(here, "ben", add=small_class.WRONG_SUM, scale=SCALED)
    arguments = " ".join(COMMANDS[command])
    shell = f"{LOCKED[what]} && {sys.executable} -m grader {arguments}"
    done = _unshared(["--user"], shell, here)
    subprocess.run(["chmod", "-R", "u+w", here.root], check=True)
    _assert_refused(done)


@pytest.mark.parametrize(("room", "command"), chosen(dict.fromkeys(ROOM, WRITING)))
def test_a_full_disk_is_named_at_every_step(here, tmp_path, room, command):
    more("lesson.md", "A long story. " * 20_000)(here)  # or a release would fit its old place
    hand_in(here, "ben", add=small_class.WRONG_SUM, scale=SCALED)
    files = [path for path in here.root.rglob("*") if path.is_file()]
    full = sum(-(-path.stat().st_size // 4096) * 4 for path in files)
    small = tmp_path / "small"
    small.mkdir()
    shell = (
        f"mount -t tmpfs -o size={full + room}k none {small} && cp -r {here.root}/. {small} && "
        f"cd {small} && head -c {room - 4}k /dev/zero > filler; "
        f"{sys.executable} -m grader {' '.join(COMMANDS[command])}"
    )
    _assert_refused(
        _unshared(["--user", "--map-root-user", "--mount"], shell, here), "disk is full"
    )


def _unshared(how, shell, here):
    command = ["unshare", *how, "sh", "-c"]
    if subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
        pytest.skip("NO NAMESPACES HERE: it was not tried")
    options = {"cwd": here.root, "capture_output": True, "text": True, "check": False}
    return subprocess.run([*command, shell], timeout=600, **options)


def _assert_refused(done, part=""):
    assert done.returncode == 2, done.stdout + done.stderr
    assert part in done.stderr
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
