"""Requests for a regrade: a learner's way to ask, and an instructor's way to answer."""

import json
import os
import shutil

import pytest
import small_class
from nbgrader.utils import get_username
from small_class import LESSON, NO_GUARD, UNGUARDED_SCALE, feedback_page, grader, hand_in
from typer.testing import CliRunner

from grader import course
from grader.classroom import appeals, changes, coursefile, renaming
from grader.classroom.folder import new_course
from grader.cli.app import app
from grader.learner import editions, progress

ME = get_username()
WHY = "Only the guard is missing."
ANSWER = "You are right, the rest is as it should be."
HOSTILE = "</p><script>alert(1)</script> \x1b[31m\u202e [bold]&amp;\nben: add, 4 of 4"


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """The learner with the name of this user, and ben, left out guards; both were a day late."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    late = ("--due", "2026-01-01", "--late", "3 points/day", "--yes")
    assert grader(here, "release", LESSON, *late).exit_code == 0
    for learner in (ME, "ben"):
        hand_in(here, learner, add=NO_GUARD, scale=UNGUARDED_SCALE)
        stamp = here.path("submitted", LESSON, learner) / "timestamp.txt"
        stamp.write_text("2026-01-02 12:00:00 UTC")
    assert grader(here, "autograde", LESSON, "--jobs", "1").exit_code == 0
    return here


@pytest.fixture
def here(graded, tmp_path):
    return small_class.copied(graded, tmp_path)


@pytest.fixture
def own(here, tmp_path, monkeypatch):
    """A learner's folder, of a course with the small lesson."""
    root = tmp_path / "own"
    (root / progress.MARK).mkdir(parents=True)
    monkeypatch.chdir(root)
    monkeypatch.setattr(editions, "find_lesson", lambda name: course.lesson(LESSON, here.kernels))
    return root


@pytest.fixture
def exchange(here, tmp_path, monkeypatch):
    """What nbgrader tells this user of an exchange."""
    config = tmp_path / "etc" / "nbgrader_config.py"
    config.parent.mkdir()
    config.write_text(
        f"c = get_config()\nc.CourseDirectory.course_id = 'warpwise'\n"
        f"c.Exchange.root = {str(here.shelves.parent)!r}\n"
    )
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(config.parent))
    return here.shelves / "inbound"


def ask(exercise="add", why=WHY):
    return CliRunner().invoke(app, ["appeal", LESSON, exercise, why])


def asked(here, learner="ben", exercise="add", **changed):
    """Put a request where an instructor puts a file that came otherwise."""
    path = here.root / "appeals" / learner / "request.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    request = {"lesson": LESSON, "exercise": exercise, "why": WHY, "at": "2026-01-05 10:00"}
    path.write_text(json.dumps(request | changed))
    return path


def answer(here, learner="ben", exercise="add", *more, text=ANSWER):
    return grader(here, "appeals", "--answer", learner, LESSON, exercise, text, *more)


def files(here, *steps):
    return {
        path: path.read_bytes()
        for step in steps
        for path in (here.root / step).rglob("*")
        if path.is_file()
    }


def score(here, learner="ben", exercise="add"):
    with here.gradebook() as gradebook:
        grade = gradebook.find_grade(f"check-{exercise}", LESSON, LESSON, learner)
        return grade.score, grade.manual_score


# --- asking --------------------------------------------------------------------------------------


def test_a_request_travels_through_the_exchange_and_what_was_handed_in_stays(here, own, exchange):
    before = files(here, "submitted", "autograded", "gradebook.db")
    said = ask()
    assert (said.exit_code, said.stdout) == (
        *(0,),
        f"Your request about add in {LESSON} is sent through nbgrader.\n",
    )
    shown = grader(here, "appeals")
    assert f"{ME}: add in {LESSON}, 3 of 4, since 20" in shown.stdout
    assert f"asks: {WHY}" in shown.stdout
    assert shown.stdout.endswith("1 open request\n")
    assert not list(exchange.iterdir())
    assert files(here, "submitted", "autograded", "gradebook.db") == before
    assert grader(here, "autograde", LESSON, "--jobs", "1").exit_code == 0
    assert files(here, "submitted", "autograded") == {
        path: content for path, content in before.items() if path.name != "gradebook.db"
    }


def test_nbgrader_collects_no_request_as_a_submission(here, own, exchange):
    ask()
    (request,) = exchange.iterdir()
    assert f"+{LESSON}+" not in request.name
    assert oct(request.stat().st_mode)[-3:] == "644"
    before = files(here, "submitted")
    here.run(here.exchange.List, LESSON, inbound=True)
    here.run(here.exchange.Collect, LESSON, update=True)
    assert files(here, "submitted") == before
    assert list(exchange.iterdir()) == [request]


def test_without_an_exchange_the_command_says_which_file_to_send(here, own):
    said = ask()
    path = own / "appeals" / f"{LESSON}.add.json"
    assert said.stdout == f"Send this file to your instructor: {path}\n"
    to = here.root / "appeals" / "ben"
    to.mkdir(parents=True)
    shutil.copy(path, to / "add (1).json")
    assert f"ben: add in {LESSON}, 3 of 4" in grader(here, "appeals").stdout
    assert [one.name for one in to.iterdir()] == [LESSON]


@pytest.mark.parametrize(
    ("exercise", "why", "said"),
    [
        ("nothing", WHY, f"Lesson {LESSON} has no exercise 'nothing'; it has: add, scale."),
        ("add", " \n", "The text is empty: write at least one sentence."),
        ("add", "x" * 2001, "The text has 2,001 characters. Shorten it to at most 2,000."),
    ],
    ids=["unknown", "empty", "long"],
)
def test_what_cannot_be_asked_is_one_sentence_and_sends_nothing(own, exchange, exercise, why, said):
    done = ask(exercise, why)
    assert (done.exit_code, done.stderr) == (2, said + "\n")
    assert not list(exchange.iterdir())
    assert not (own / "appeals").exists()


def test_a_second_request_is_told_to_the_learner_and_refused_to_the_instructor(here, own, exchange):
    assert "before" not in ask().stdout
    said = ask(why="And another thing.").stdout
    assert "As long as that request has no answer, this one does not count." in said
    shown = grader(here, "appeals")
    assert f"{ME}: An earlier request about add in {LESSON} is still open." in shown.stderr
    assert WHY in shown.stdout and "another thing" not in shown.stdout
    assert grader(here, "appeals").stderr == ""


def test_the_page_says_how_to_ask(here):
    command = f'<code>grader appeal {LESSON} EXERCISE "why"</code>'
    assert command in feedback_page(here, "ben")


# --- what arrives --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learner", "changed"),
    [
        ("nobody", {}),
        ("ben", {"exercise": "unknown"}),
        ("ben", {"exercise": "../../../ben"}),
        ("ben", {"lesson": "../.."}),
    ],
)
def test_a_request_about_what_has_no_mark_is_refused(here, learner, changed):
    asked(here, learner, **changed)
    shown = grader(here, "appeals")
    assert f"{learner}: The gradebook has no mark for " in shown.stderr
    assert "This request is put aside." in shown.stderr
    assert shown.stdout == "0 open requests\n"
    assert grader(here, "appeals").stderr == ""
    kept = [one for one in (here.root / "appeals").rglob("*") if one.is_file()]
    assert all(one.name.startswith(".refused+") for one in kept)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_text("[" * 10_000),
        lambda path: path.write_bytes(b" " * 100_000),
        lambda path: (path.unlink(), path.symlink_to("/etc/passwd")),
        lambda path: (path.unlink(), os.mkfifo(path)),
        lambda path: path.write_text(path.read_text().replace("2026-01-05", "\\u001b[31m")),
        lambda path: path.write_text(path.read_text().replace(WHY, "x" * 2001)),
        lambda path: path.write_text(path.read_text().replace(WHY, " ")),
    ],
    ids=["not_json", "large", "link", "pipe", "time", "long", "empty"],
)
def test_a_file_that_is_no_request_is_put_aside_and_said_once(here, spoil):
    spoil(asked(here))
    shown = grader(here, "appeals")
    assert shown.exit_code == 0
    assert shown.stderr.startswith("ben: ") and shown.stderr.count("\n") == 1
    assert "This request is put aside." in shown.stderr
    shown = grader(here, "appeals")
    assert (shown.stdout, shown.stderr) == ("0 open requests\n", "")


def test_a_learner_fills_neither_the_folder_nor_the_answer(here):
    for number in range(20):
        asked(here, why=f"{WHY} {number}", answer="full marks for me")
        grader(here, "appeals")
    kept = [path for path in files(here, "appeals") if not path.name.startswith(".")]
    assert [path.name for path in kept] == ["add.json"]
    assert json.loads(kept[0].read_text())["answer"] == ""


def test_hostile_text_is_shown_as_text(here):
    asked(here, why=HOSTILE)
    shown = grader(here, "appeals").stdout
    assert "asks: </p><script>alert(1)</script> \ufffd[31m\ufffd [bold]&amp;\n        ben" in shown
    assert "\x1b" not in shown
    assert answer(here, text=HOSTILE).exit_code == 0
    page = feedback_page(here, "ben")
    assert "<script>alert(1)" not in page and "&lt;script&gt;alert(1)" in page
    assert "\x1b" not in page and "\u202e" not in page


def test_open_requests_come_first_and_of_these_the_oldest(here):
    asked(here, "ben", at="2026-01-01 10:00")
    answer(here)
    asked(here, ME, at="2026-01-09 10:00")
    grader(here, "appeals")
    asked(here, "ben", "scale", at="2026-01-08 10:00")
    grader(here, "appeals")
    assert [(one[0], one[2].exercise) for one in appeals.queue(here)] == [
        ("ben", "scale"),
        (ME, "add"),
        ("ben", "add"),
    ]


# --- answering -----------------------------------------------------------------------------------


def test_an_answer_and_its_mark_stand_on_the_page_and_in_the_log_and_survive(here):
    asked(here)
    said = answer(here, "ben", "add", "--points", "3.5")
    assert said.stdout == f"answered with 3.5 points; `grader feedback {LESSON}` shows it to ben\n"
    grader(here, "autograde", LESSON, "--force", "--jobs", "1")
    grader(here, "regrade", LESSON, "--jobs", "1")
    assert score(here) == (3.5, 3.5)
    page = feedback_page(here, "ben")
    assert "3.5 of 4 points" in page
    assert f"Answer to a regrade request: {ANSWER}" in page
    lines = [line for line in changes.read(here, LESSON) if line.before is not None]
    assert [(line.what, line.before, line.after, line.by_hand) for line in lines] == [
        ("add", 3, 3.5, True)
    ]
    assert lines[0].why == f"Answer to a regrade request: {ANSWER}"
    assert score(here, ME) == (3, None)


def test_an_answer_may_leave_the_mark_and_an_earlier_comment(here):
    with here.gradebook() as gradebook:
        gradebook.find_comment("add", LESSON, LESSON, "ben").manual_comment = "Nearly."
        gradebook.db.commit()
    asked(here)
    assert answer(here).exit_code == 0
    assert score(here) == (3, None)
    page = feedback_page(here, "ben")
    assert f"Nearly.\n\nAnswer to a regrade request: {ANSWER}" in page
    assert "Marked by hand" not in page


def test_who_has_an_answer_may_ask_again(here):
    for points in ("3.5", "4"):
        asked(here)
        assert answer(here, "ben", "add", "--points", points).exit_code == 0
    assert score(here) == (4, 4)
    assert feedback_page(here, "ben").count("<td>Answer to a regrade request") == 2


def test_lateness_is_taken_off_the_new_mark(here):
    with here.gradebook() as gradebook:
        for name in ("add", "scale"):
            gradebook.find_grade(f"check-{name}", LESSON, LESSON, "ben").manual_score = 0.0
        gradebook.db.commit()
    grader(here, "autograde", LESSON, "--jobs", "1")
    asked(here)
    answer(here, "ben", "add", "--points", "4")
    lines = [line for line in changes.read(here, LESSON) if line.learner == "ben"]
    assert [(line.what, line.after) for line in lines[-2:]] == [("add", 4), (changes.LATENESS, -3)]


@pytest.mark.parametrize("place", ["grading.settle", "lateness.apply", "appeals.filed"])
def test_an_answer_whose_command_was_killed_is_given_again_and_said_once(here, monkeypatch, place):
    asked(here)
    assert grader(here, "appeals").exit_code == 0
    with monkeypatch.context() as patch:
        patch.setattr(f"grader.classroom.{place}", lambda *_: 1 / 0)
        assert answer(here, "ben", "add", "--points", "4").exit_code != 0
    assert answer(here, "ben", "add", "--points", "4").exit_code == 0
    assert score(here) == (4, 4)
    assert feedback_page(here, "ben").partition("Changes of your marks")[0].count(ANSWER) == 1
    (line,) = [one for one in changes.read(here, LESSON) if one.after == 4]
    assert line.why == f"Answer to a regrade request: {ANSWER}"


def test_a_request_that_a_killed_command_has_taken_in_is_not_refused(here):
    path = asked(here)
    content = path.read_text()
    grader(here, "appeals")
    path.write_text(content)  # as if it had not been removed yet
    shown = grader(here, "appeals")
    assert shown.stderr == "" and shown.stdout.endswith("1 open request\n")
    assert not list(path.parent.glob("*.json")) and not list(path.parent.glob(".*"))


def test_an_answer_is_for_the_whole_team(here):
    with coursefile.changed(here) as document:
        coursefile.table(document, "lessons", LESSON)["teams"] = True
        for learner in (ME, "ben"):
            coursefile.table(document, "learners", learner)["team"] = "blue"
    asked(here)
    answer(here, "ben", "add", "--points", "4")
    assert (score(here), score(here, ME)) == ((4, 4), (4, 4))
    assert ANSWER in feedback_page(here, ME)


def test_the_mark_of_extra_credit_is_what_the_answer_says(here):
    with coursefile.changed(here) as document:
        coursefile.table(document, "lessons", LESSON)["extra"] = ["scale"]
    grader(here, "autograde", LESSON, "--jobs", "1")
    assert score(here, "ben", "scale") == (1, None)
    asked(here, exercise="scale")
    assert answer(here, "ben", "scale", "--points", "2").exit_code == 0
    grader(here, "autograde", LESSON, "--force", "--jobs", "1")
    assert score(here, "ben", "scale") == (2, 2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--answer", "ben", LESSON, "add", "x", "--points", "4.5"), "add has 4 points: give from"),
        (("--answer", "ben", LESSON, "add", "x", "--points", "-1"), "add has 4 points: give from"),
        (("--answer", "ben", LESSON, "add", "x", "--points", "nan"), "add has 4 points: give from"),
        (
            ("--answer", "ben", LESSON, "scale", "x"),
            f"ben has no open request about scale in {LESSON}",
        ),
        (("--answer", "ben", LESSON, "other", "x"), "has no exercise 'other'"),
        (("--answer", "ben", LESSON, "add", " "), "The text is empty"),
        (("--answer", "ben", LESSON, "add", "x" * 2001), "The text has 2,001 characters"),
        (("--points", "4"), "--points goes with --answer"),
    ],
    ids=["much", "negative", "nan", "not_asked", "unknown", "empty", "long", "alone"],
)
def test_an_answer_that_cannot_be_is_one_sentence_and_changes_nothing(here, arguments, said):
    asked(here)
    grader(here, "appeals")
    before = files(here, "appeals", "gradebook.db", changes.FILE)
    done = grader(here, "appeals", *arguments)
    assert done.exit_code == 2
    assert said in done.stderr
    assert files(here, "appeals", "gradebook.db", changes.FILE) == before


# --- other names ---------------------------------------------------------------------------------


def test_a_request_under_another_login_is_its_learner_s(here, own, exchange):
    with coursefile.changed(here) as document:
        coursefile.table(document, "learners", "ben")["also"] = [ME]
    ask()
    assert f"ben: add in {LESSON}, 3 of 4" in grader(here, "appeals").stdout


def test_requests_move_with_a_lesson_that_is_renamed(here):
    asked(here)
    grader(here, "appeals")
    (here.kernels / LESSON).rename(here.kernels / "01_adding")
    renaming.rename(here, LESSON, "01_adding")
    assert "ben: add in 01_adding, 3 of 4" in grader(here, "appeals").stdout


# --- an exchange into which anybody may write -----------------------------------------------------


def sent(exchange, learner=ME, end="x"):
    """A place in the exchange for a request of the learner's."""
    exchange.mkdir(parents=True, exist_ok=True)
    return exchange / f"{learner}+grader.appeal+2026-01-05 10:00:00.000000 UTC+{end}"


def test_a_name_that_is_put_aside_again_stops_nobody(here, own, exchange):
    """Folders with something in them, which no rename replaces."""
    for number in range(3):
        for path in (sent(exchange), sent(exchange, "odd\x1b")):
            path.mkdir()
            (path / "file").touch()
        ask(why=f"{WHY} {number}")
        shown = grader(here, "appeals")
        assert shown.exit_code == 0, shown.output
        assert "\x1b" not in shown.output
    assert shown.stdout.endswith("1 open request\n")
    assert all(one.name.startswith(".") for one in exchange.iterdir())


@pytest.mark.parametrize(
    "put",
    [
        lambda path: os.mkfifo(path),
        lambda path: path.symlink_to("/etc/passwd"),
        lambda path: path.symlink_to(path),
        lambda path: path.symlink_to(path.parent),
        lambda path: (path.touch(), path.chmod(0)),
        lambda path: path.write_bytes(b'{"lesson": "\x00'),
        lambda path: path.write_text(f'{{"lesson": "01_add", "exercise": {"[" * 9000}'),
        lambda path: path.write_text('{"lesson": NaN}'),
        lambda path: path.write_text(
            '{"lesson": "\\u0000", "exercise": "\\u001b[2J", "why": "x", "at": "2026-01-05 10:00"}'
        ),
        lambda path: path.write_text(
            '{"lesson": "01_add/.", "exercise": "add", "why": "x", "at": "2026-01-05 10:00"}'
        ),
    ],
)
def test_what_is_no_request_in_the_exchange_is_put_aside_and_said_once(here, own, exchange, put):
    put(sent(exchange))
    shown = grader(here, "appeals")
    assert (shown.exit_code, shown.stderr.count("\n")) == (0, 1)
    assert "This request is put aside." in shown.stderr and "\x1b" not in shown.stderr
    shown = grader(here, "appeals")
    assert (shown.stdout, shown.stderr) == ("0 open requests\n", "")


def test_a_request_that_is_gone_before_it_is_put_aside_stops_nothing(
    here, own, exchange, monkeypatch
):
    ask()
    read = appeals.read_appeal

    def gone(path):
        path.unlink()
        return read(path)

    monkeypatch.setattr(appeals, "read_appeal", gone)
    assert grader(here, "appeals").exit_code == 0
