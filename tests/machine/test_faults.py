"""What can go wrong while a class is graded: nothing is lost, nothing is graded twice, and
whoever sits in front of it reads one sentence."""

import contextlib
import html
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from small_class import LESSON, NO_GUARD, SCALED, WRONG_SUM, grader, hand_in
from small_lesson import SOLUTION

from grader.classroom import batch, verdicts
from grader.classroom.folder import new_course, seed
from grader.errors import MachineError

pytestmark = pytest.mark.slow

ANSWERS = {"ada": SOLUTION, "ben": NO_GUARD, "cleo": WRONG_SUM, "dora": SOLUTION}
POINTS = {"ada": 4.0, "ben": 3.0, "cleo": 0.0, "dora": 4.0}
GO_ON = "the same command"


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory, kernels, grading):
    """A class that has handed in; the fixture `here` gives each test a copy."""
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    for learner, source in ANSWERS.items():
        hand_in(here, learner, add=source, scale=SCALED)
    seed(Path(here.config.JudgeAnswers.secret_file), LESSON)  # one secret for all the copies
    return here


@pytest.fixture
def here(tmp_path, handed_in, kernels):
    shutil.copytree(handed_in.root, tmp_path / "course")
    return new_course(tmp_path / "course", kernels)


def marks(here):
    """Every learner's points for the exercise add."""
    with here.gradebook() as gradebook:
        found = gradebook.assignment_submissions(LESSON)
        grades = {one.student.id: one.notebooks[0].grades for one in found}
        return {
            learner: next(grade.score for grade in of_learner if grade.name == "check-add")
            for learner, of_learner in grades.items()
        }


def graded_files(here):
    """What lies in autograded/, and when it was written."""
    files = [path for path in (here.root / "autograded").rglob("*") if path.is_file()]
    return {path: (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


def start(here, *arguments):
    """`grader ARGUMENTS` as a process of its own."""
    command = [sys.executable, "-m", "grader", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        command, cwd=here.root, start_new_session=True, preexec_fn=_hear_ctrl_c, **pipes
    )


def _hear_ctrl_c():
    """What a shell runs in the background ignores Ctrl-C, and so do its children."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def wait_for(something, seconds=300):
    end = time.monotonic() + seconds
    while not (found := something()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.01)
    return found


def kept(here):
    return list((here.root / "verdicts").glob("[0-9a-f]*"))  # a name that begins otherwise is half


def test_grading_again_changes_nothing(here):
    assert grader(here, "autograde", LESSON).exit_code == 0
    before = graded_files(here)
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert graded_files(here) == before
    assert marks(here) == POINTS


def test_a_new_submission_is_graded_and_the_others_are_left_alone(here):
    grader(here, "autograde", LESSON)
    before = graded_files(here)
    hand_in(here, "cleo", add=SOLUTION, scale=SCALED)
    grader(here, "autograde", LESSON)
    assert marks(here) == POINTS | {"cleo": 4.0}
    changed = [path for path, what in graded_files(here).items() if what != before[path]]
    assert {path.relative_to(here.root).parts[1] for path in changed} == {"cleo"}


def test_a_changed_lesson_is_judged_again(here, tmp_path, kernels):
    grader(here, "autograde", LESSON)
    fixed = shutil.copytree(kernels, tmp_path / "fixed")
    exercises = fixed / LESSON / "exercises.py"
    exercises.write_text(exercises.read_text().replace("add(100), 1,", "add(128), 1,"))
    changed = here.configured(JudgeAnswers={"kernels": str(fixed)})
    batch.autograde(changed, LESSON, sorted(ANSWERS))
    assert marks(here) == POINTS | {"ben": 4.0}  # a guard is not missed at a length of 128


def test_the_same_marks_with_any_number_of_jobs(here, tmp_path, kernels):
    twin = new_course(shutil.copytree(here.root, tmp_path / "twin"), kernels)
    for course, jobs in ((here, "1"), (twin, "4")):
        assert grader(course, "autograde", LESSON, "--jobs", jobs).exit_code == 0
    for learner in ANSWERS:
        one, other = (course.path("autograded", LESSON, learner) for course in (here, twin))
        for file in (verdicts.FILE, f"{LESSON}.ipynb"):
            assert (one / file).read_bytes() == (other / file).read_bytes()


@pytest.mark.parametrize("last_words", [signal.SIGKILL, signal.SIGINT])
def test_a_run_that_was_stopped_goes_on_where_it_was(here, last_words):
    already = len(kept(here))  # of the solution, which a release judges
    run = start(here, "autograde", LESSON, "--jobs", "1")
    wait_for(lambda: len(kept(here)) > already)
    os.kill(run.pid, last_words)
    _, said = run.communicate(timeout=600)
    if last_words == signal.SIGINT:
        assert run.returncode == 130, said
        assert said.strip().endswith(
            "Stopped. The results so far are kept. The same command continues from there."
        )
    before = {path: path.stat().st_mtime_ns for path in kept(here)}
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert marks(here) == POINTS
    assert before.items() <= {path: path.stat().st_mtime_ns for path in kept(here)}.items()


def test_a_run_that_died_while_entering_marks_goes_on(here):
    run = start(here, "autograde", LESSON)
    wait_for(lambda: list(here.root.glob("autograded/*")))
    run.kill()
    run.communicate()
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert marks(here) == POINTS


def test_whose_marks_the_gradebook_refuses_costs_nobody_else_a_grade(here):
    """Many learners' marks go to the disk at once, and one of them is a stranger there."""
    strict = here.configured(Autograde={"create_student": False})
    with here.gradebook() as gradebook:
        for learner in ("ada", "ben", "dora"):
            gradebook.add_student(learner)
    graded = {one.learner: one for one in batch.autograde(strict, LESSON, sorted(ANSWERS))}
    assert "cleo" in graded["cleo"].problems[0]
    assert not any(graded[learner].problems for learner in ("ada", "ben", "dora"))
    assert marks(here) == {"ada": 4.0, "ben": 3.0, "dora": 4.0}
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert marks(here) == POINTS


def test_a_judge_that_is_killed_costs_nobody_a_grade(here):
    run = start(here, "autograde", LESSON, "--jobs", "1")
    judge, *_ = wait_for(lambda: psutil.Process(run.pid).children())
    judge.kill()
    run.communicate(timeout=600)
    assert run.returncode == 0
    assert marks(here) == POINTS


def test_a_second_autograde_at_the_same_time_is_refused(here):
    with batch.alone(here):
        said = grader(here, "autograde", LESSON)
    assert said.exit_code == 2
    assert said.stderr.startswith("Another `grader autograde` is at work in this course")
    assert said.stderr.count("\n") == 1


def test_a_locked_gradebook_is_named_and_nothing_is_lost(here):
    impatient = here.configured(
        CourseDirectory={"db_url": f"sqlite:///{here.root}/gradebook.db?timeout=0.1"}
    )
    holder = sqlite3.connect(here.root / "gradebook.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")  # as formgrader does while it saves
    with pytest.raises(MachineError, match="keeps the gradebook locked") as caught:
        batch.autograde(impatient, LESSON, sorted(ANSWERS))
    assert GO_ON in str(caught.value)
    holder.execute("ROLLBACK")
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert marks(here) == POINTS


@pytest.mark.parametrize("room", [4, 24, 40])
def test_a_full_disk_is_named_and_nothing_is_lost(here, tmp_path, room):
    """On a file system with `room` KB to spare, in a mount namespace of its own."""
    files = [path for path in here.root.rglob("*") if path.is_file()]
    full = sum(-(-path.stat().st_size // 4096) * 4 for path in files)
    small = tmp_path / "small"
    small.mkdir()
    commands = [
        f"mount -t tmpfs -o size={full + room}k none {small}",
        f"cp -r {here.root}/. {small}",
        f"cd {small}",
        f"{sys.executable} -m grader autograde {LESSON}; status=$?",
        f"rm -rf {here.root}/* && cp -r {small}/. {here.root}; exit $status",
    ]
    shell = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec", " && ".join(commands)]
    if subprocess.run([*shell[:4], "mount", "-t", "tmpfs", "none", small], check=False).returncode:
        pytest.skip("NO MOUNT NAMESPACES HERE: a full disk was not tried")
    done = subprocess.run(shell, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "The disk is full" in done.stderr and GO_ON in done.stderr
    assert "Traceback" not in done.stderr
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert marks(here) == POINTS


def test_a_clock_that_moved_back_grades_nothing_twice(here):
    for learner in ANSWERS:
        stamp = here.path("submitted", LESSON, learner) / "timestamp.txt"
        stamp.write_text("2031-01-01 12:00:00.000000 UTC\n")
    grader(here, "autograde", LESSON)
    before = graded_files(here)
    past = time.time() - 10_000
    for path in (here.root / "submitted").rglob("*"):
        os.utime(path, (past, past))
    grader(here, "autograde", LESSON)
    assert graded_files(here) == before
    assert marks(here) == POINTS


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\x00\xff\xfe" * 1000, "is not a notebook (it is not JSON as Jupyter writes it)"),
        (b'{"cells": [{"cell_type": "code", "sou', "is not a notebook (it is not JSON"),
        (b"[" * 100_000, "is not a notebook (it is not JSON"),
        (b"", "is not a notebook (it is not JSON"),
    ],
)
def test_a_notebook_that_is_none_costs_its_learner_the_points_and_nobody_else(
    here, content, sentence
):
    here.notebook("submitted", LESSON, "ada").write_bytes(content)
    said = grader(here, "autograde", LESSON)
    assert said.exit_code == 1
    assert sentence in said.stderr and said.stderr.count("\n") == 1
    assert marks(here) == POINTS | {"ada": 0.0}


# --- one learner's odd submission, and everybody else -------------------------------------------


def instead_of_the_notebook(make):
    def damage(place):
        notebook = place / f"{LESSON}.ipynb"
        notebook.unlink()
        make(notebook)

    return damage


def beside_the_notebook(name, make):
    return lambda place: make(place / name)


def rewritten(change):
    """The notebook's text changed by `change`, to text or bytes."""

    def damage(place):
        notebook = place / f"{LESSON}.ipynb"
        changed = change(notebook.read_text())
        notebook.write_bytes(changed if isinstance(changed, bytes) else changed.encode())

    return damage


def with_more(json, last=False):
    """The notebook with `json` beside what says its version."""
    return rewritten(
        lambda text: (
            text.replace('"nbformat_minor": 5', f'"nbformat_minor": 5, {json}')
            if last
            else text.replace('"nbformat": 4', f'{json}, "nbformat": 4')
        )
    )


def folder_that_is_a_file(place):
    shutil.rmtree(place)
    place.write_text("not a folder")


def socket_at(path):
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as made:
        made.bind(path.name)


def large(path):
    path.touch()
    os.truncate(path, 1 << 40)


def parts(path):
    path.write_text('{"cells": [' + "{}, " * 100_000 + "{}]}")


def odd_names(place):
    for name in ("a\nb", "-rf", "x" * 255, os.fsdecode(b"\xff\xfe"), "*", "\u202e", verdicts.FILE):
        (place / name).touch()
    (place / "folder" / f"{LESSON}.ipynb").mkdir(parents=True)


def stamped(text):
    return beside_the_notebook("timestamp.txt", lambda path: path.write_bytes(text))


HALF = '"source": "\\ud800'
NO_FILE = "holds something that is no file"
NO_JSON = "is not JSON as Jupyter writes it"
NO_TIME = "its timestamp.txt is not as nbgrader writes it"
# learner: what is odd, the points for add, and what is said
ODD = {
    "pipe": (instead_of_the_notebook(os.mkfifo), 0, NO_FILE),
    "socket": (instead_of_the_notebook(socket_at), 0, NO_FILE),
    "zero": (instead_of_the_notebook(lambda path: path.symlink_to("/dev/zero")), 0, NO_FILE),
    "folder": (instead_of_the_notebook(Path.mkdir), 0, "There is no notebook"),
    "file": (folder_that_is_a_file, 0, NO_FILE),
    "large": (instead_of_the_notebook(large), 0, "has more than 32 MB"),
    "many_parts": (instead_of_the_notebook(parts), 0, "consists of more than 100,000 parts"),
    "pipe_beside": (beside_the_notebook("data", os.mkfifo), 0, NO_FILE),
    "stamp_pipe": (beside_the_notebook("timestamp.txt", os.mkfifo), 0, NO_FILE),
    "stamp_folder": (beside_the_notebook("timestamp.txt", Path.mkdir), 4, NO_TIME),
    "stamp_large": (beside_the_notebook("timestamp.txt", large), 4, NO_TIME),
    "stamp_bytes": (stamped(b"\xff\x00"), 4, NO_TIME),
    "stamp_words": (stamped(b"yesterday"), 4, NO_TIME),
    "stamp_of_year_1": (stamped(b"0001-01-01 00:00:00.0 +1400"), 4, NO_TIME),
    "stamp_of_a_file": (stamped(b"2026-01-01 00:00:00.0 ../../../dev/zero"), 4, NO_TIME),
    "secret_bytes": (beside_the_notebook("submission_secret.txt", large), 4, ""),
    "names": (odd_names, 4, ""),
    "half_in_prose": (rewritten(lambda text: text.replace('"source": "', HALF)), 4, ""),
    "half_in_code": (rewritten(lambda text: text.replace("// ", "// \\ud800")), 4, ""),
    "half_in_ids": (
        rewritten(lambda text: text.replace('"id": "', '"id": "\\udfff')),
        0,
        "cells/0/id",
    ),
    "byte_order": (rewritten(lambda text: "\ufeff" + text), 4, ""),
    "utf_16": (rewritten(lambda text: text.encode("utf-16")), 4, ""),
    "not_a_number": (with_more('"odd": [NaN, -Infinity, 1e999]'), 4, ""),
    "deep": (with_more('"odd": ' + "[" * 50 + "]" * 50), 4, ""),
    "too_deep": (with_more('"odd": ' + "[" * 9000 + "]" * 9000), 0, NO_JSON),
    "long_number": (with_more('"odd": ' + "9" * 5000), 0, NO_JSON),
    "said_twice": (with_more('"nbformat": 3'), 4, ""),
    "endless_version": (with_more('"nbformat_minor": 1e999', last=True), 0, NO_JSON),
}
NAMES = ("*", "a\nb", "[a]", os.fsdecode(b"\xff"), ".hidden")  # that no learner can have


@pytest.fixture(scope="module")
def odd(tmp_path_factory, handed_in, kernels):
    """A class of odd ones with ada among them, and what each command said to it."""
    root = tmp_path_factory.mktemp("odd") / "course"
    shutil.copytree(handed_in.root, root)
    here = new_course(root, kernels)
    for learner, (damage, _, _) in ODD.items():
        hand_in(here, learner, add=SOLUTION, scale=SCALED)
        damage(here.path("submitted", LESSON, learner))
    for name in NAMES:
        shutil.copytree(root / "submitted/ada", root / "submitted" / name)
    commands = ("autograde", "feedback", "report")
    return here, {name: grader(here, name, LESSON) for name in commands}


def test_nobody_s_submission_stops_a_command(odd):
    _, said = odd
    assert {name: run.exit_code for name, run in said.items()} == {
        "autograde": 1,
        "feedback": 0,
        "report": 0,
    }
    assert not any("Traceback" in run.output + run.stderr for run in said.values())


def test_odd_ones_get_what_can_be_read_of_them_and_everybody_else_is_graded(odd):
    here, _ = odd
    assert marks(here) == POINTS | {learner: points for learner, (_, points, _) in ODD.items()}


@pytest.mark.parametrize("learner", ODD)
def test_an_odd_one_reads_one_sentence(odd, learner):
    here, _ = odd
    kept = verdicts.read(here.path("autograded", LESSON, learner))["add"]
    assert ODD[learner][2] in kept["problem"] and bool(kept["problem"]) == bool(ODD[learner][2])
    assert kept["problem"] in html.unescape(page(here, learner))


def test_names_that_no_learner_can_have_are_named(odd):
    here, said = odd
    assert "This is no learner's id" in said["autograde"].stderr
    assert {path.parent.name for path in here.root.glob(f"autograded/*/{LESSON}")} == set(
        marks(here)
    )


def test_everybody_is_in_the_feedback_the_report_and_the_exports(odd):
    here, _ = odd
    everybody = set(POINTS) | set(ODD)
    assert set(here.learners("feedback", LESSON)) == everybody
    for name in (
        "grades.csv",
        f"report/{LESSON}.csv",
        f"report/{LESSON}.json",
        f"report/{LESSON}.html",
    ):
        told = (here.root / name).read_text()
        assert all(learner in told for learner in everybody), name


def test_odd_ones_are_not_graded_again(odd):
    here, _ = odd
    before = graded_files(here)
    grader(here, "autograde", LESSON)
    assert graded_files(here) == before
    assert ", 0 made now" in grader(here, "feedback", LESSON).output


TIME = "2026-01-01 12:00:00.000000 UTC"
# learner: what is odd about what came through the exchange, the points for add, and what is said
INBOUND = {
    "plain": (lambda place: None, 4, ""),
    "pipe": (beside_the_notebook("data", os.mkfifo), None, NO_FILE),
    "file": (folder_that_is_a_file, None, NO_FILE),
    "large": (beside_the_notebook("data", large), None, "Directory size is too big"),
    "stamp_bytes": (stamped(b"\xff\x00"), 4, ""),
    "stamp_gone": (lambda place: (place / "timestamp.txt").unlink(), 4, ""),
    "names": (odd_names, 4, ""),
}
ODD_FOLDERS = (
    "odd+01_add+never+x",
    "*+01_add+" + TIME,
    "\n+01_add+" + TIME,
    "a+01_add+" + "1" * 240,
)


def test_what_is_odd_in_the_exchange_stops_nobody_s_either(here):
    inbound = here.shelves / "inbound"
    for learner, (damage, _, _) in INBOUND.items():
        hand_in(here, learner, add=SOLUTION, scale=SCALED)
        place = here.path("submitted", LESSON, learner)
        (place / "timestamp.txt").write_text(TIME)
        (place / "submission_secret.txt").write_text(f"secret of {learner}")
        damage(place)
        place.rename(inbound / f"{learner}+{LESSON}+{TIME}+x")
    for name in ODD_FOLDERS:
        (inbound / name).mkdir()
    said = grader(here, "autograde", LESSON)
    assert said.exit_code == 1
    fetched = {learner: points for learner, (_, points, _) in INBOUND.items() if points is not None}
    assert marks(here) == POINTS | fetched
    for learner, (_, _, sentence) in INBOUND.items():
        assert not sentence or any(
            learner in line and sentence in line for line in said.stderr.splitlines()
        )
    assert said.stderr.count("nbgrader gives no submission this name") == 1
    assert grader(here, "feedback", LESSON).exit_code == 0
    assert len(list((here.shelves / "feedback").glob("*.html"))) == len(fetched)
    before = graded_files(here)
    grader(here, "autograde", LESSON)
    assert graded_files(here) == before


def page(here, learner):
    return (here.path("feedback", LESSON, learner) / f"{LESSON}.html").read_text()


def test_links_are_not_followed(here):
    stolen = here.notebook("submitted", LESSON, "cleo")
    stolen.unlink()
    stolen.symlink_to(here.notebook("source", LESSON))
    said = grader(here, "autograde", LESSON)
    assert "cleo: The submission holds something that is no file" in said.stderr
    assert marks(here) == POINTS


def test_what_is_wrong_with_many_notebooks_is_one_line(here):
    for number in range(7):
        place = here.notebook("submitted", LESSON, f"lost_{number}")
        place.parent.mkdir(parents=True)
        place.write_text("{}")
    said = grader(here, "autograde", LESSON)
    assert said.stderr.count("\n") == 1
    assert said.stderr.startswith("lost_0, lost_1, lost_2, lost_3, lost_4 and 2 more: ")


def test_a_scheduler_that_is_not_there_is_named(here):
    pytest.importorskip("distributed", reason="NO DASK HERE: the cluster was not tried")
    said = grader(here, "autograde", LESSON, "--scheduler", "tcp://127.0.0.1:9")
    assert said.exit_code == 2
    assert "No Dask scheduler answers at tcp://127.0.0.1:9" in said.stderr


def test_a_lost_worker_of_a_cluster_costs_a_retry_and_not_a_grade(here):
    distributed = pytest.importorskip("distributed", reason="NO DASK HERE: it was not tried")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    already = len(kept(here))  # of the solution, which a release judges
    with distributed.LocalCluster(**options) as cluster:
        run = start(here, "autograde", LESSON, "--scheduler", cluster.scheduler_address)
        wait_for(lambda: len(kept(here)) > already)
        os.kill(cluster.workers[0].process.pid, signal.SIGKILL)
        _, said = run.communicate(timeout=600)
    assert run.returncode == 0, said
    assert marks(here) == POINTS
