"""Logins that are not on the roster, columns of learning platforms, names, and lessons whose folder
has another name now."""

import contextlib
import csv
import io
import os
import shutil
from pathlib import Path

import pytest
import small_class
from small_class import LESSON, NO_GUARD, SCALED, grader, hand_in
from small_lesson import SOLUTION

from grader.classroom import changes, coursefile, renaming
from grader.classroom.folder import new_course
from grader.classroom.roster import matches

LESSONS = {
    "02_tree_reduction": "Tree reduction",
    "03_shuffle_reduction": "Shuffle reduction",
    "04_safe_softmax": "Safe softmax",
    "08_project": "A row operation of your own",
}
ROSTER = "id,name,section\nada,Ada Lovelace,A\nzoe,Zoe Zimmer,A\nmaria,Maria Müller,B\n"
CANVAS = """\
Student,ID,SIS User ID,SIS Login ID,Section,{columns}
    Points Possible,,,,,6
"Lovelace, Ada",101,S-1,ada,Evening,
"Doe, Jr., Dan",102,S-2,zoe,Evening,
"""
NEW = "01_adding"


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Ada is right, zed's guard is missing; no roster has been read."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)
    hand_in(here, "zed", add=NO_GUARD, scale=SCALED)
    stamp(here, "zed", "2026-11-20 10:00:00 UTC")
    assert grader(here, "autograde", LESSON).exit_code == 0
    return here


@pytest.fixture
def here(graded, tmp_path):
    return small_class.copied(graded, tmp_path)


def stamp(here, learner, when):
    (here.path("submitted", LESSON, learner) / "timestamp.txt").write_text(when)


def read_roster(here, text=ROSTER, *options):
    (here.root / "roster.csv").write_text(text)
    said = grader(here, "roster", "roster.csv", *options)
    assert said.exit_code == 0, said.stderr
    return said


def exported(here, system, *options):
    said = grader(here, "export", LESSON, "--for", system, *options)
    assert said.exit_code == 0, said.stderr
    (path,) = (here.root / "export").glob(f"{LESSON}-{system}.*")
    return said, list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))


def scores(here, lesson=LESSON):
    return {key: mark.after for key, mark in changes.now(here, lesson).items()}


# --- logins --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("command", ["autograde", "status", "report", "export"])
def test_a_login_off_the_roster_is_named_with_the_nearest_one_that_is_on_it(here, command):
    read_roster(here)
    said = grader(here, command, LESSON)
    assert "zed is not on the roster." in said.stderr
    assert "`grader roster --same zed=zoe`" in said.stderr
    assert "ada is not" not in said.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["autograde", "status", "report", "export"])
def test_without_a_roster_nothing_is_said_of_one(here, command):
    (here.root / "course.toml").write_text('version = 1\n[learners]\nada = {team = "blue"}\n')
    said = grader(here, command, LESSON)
    assert (said.exit_code, said.stderr) == (0, "")
    assert "roster" not in said.stdout


@pytest.mark.slow
@pytest.mark.parametrize("system", ["canvas", "csv"])
def test_a_login_off_the_roster_is_exported_only_when_told_so(here, system):
    read_roster(here)
    said, rows = exported(here, system)
    assert not any("zed" in row for row in rows)
    assert "as they are not on the roster: zed. --everybody" in said.stderr
    said, rows = exported(here, system, "--everybody")
    assert any("zed" in row for row in rows)
    assert "zed is not on the roster." in said.stderr


@pytest.mark.slow
def test_the_report_s_page_and_the_status_name_who_is_off_the_roster(here):
    read_roster(here)
    assert grader(here, "report", LESSON).exit_code == 0
    page = (here.root / f"report/{LESSON}.html").read_text()
    assert "zed is not on the roster." in page
    said = grader(here, "status", LESSON).stdout
    assert "1 not on the roster" in said


@pytest.mark.slow
def test_many_logins_off_the_roster_are_one_sentence(here):
    read_roster(here)
    with here.gradebook() as gradebook:
        for number in range(40):
            gradebook.add_student(f"guest{number}")
    said = grader(here, "export", LESSON)
    assert said.stderr.count("\n") < 10
    assert "36 more logins are not on the roster" in said.stderr


@pytest.mark.slow
def test_work_under_another_login_moves_to_the_learner_with_marks_and_history(here):
    read_roster(here)
    with here.gradebook() as gradebook:
        gradebook.find_grade("check-scale", LESSON, LESSON, "zed").manual_score = 1.25
        gradebook.db.commit()
    before = scores(here)
    said = grader(here, "roster", "--same", "zed=zoe")
    assert (said.exit_code, said.stderr) == (0, "")
    assert f"moved: {LESSON}" in said.stdout
    assert scores(here) == {
        (learner.replace("zed", "zoe"), what): score for (learner, what), score in before.items()
    }
    with here.gradebook() as gradebook:
        assert {one.id for one in gradebook.students} == {"ada", "zoe", "maria"}
    assert {one.why for one in changes.read(here, LESSON) if one.learner == "zoe"} == {
        "handed in as zed"
    }
    for step in ("submitted", "autograded"):
        assert here.learners(step, LESSON) == ["ada", "zoe"]
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert scores(here)["zoe", "scale"] == 1.25
    said, rows = exported(here, "csv")
    assert said.stderr == ""
    assert [row[0] for row in rows[1:]] == ["ada", "maria", "zoe"]


@pytest.mark.slow
def test_what_is_handed_in_later_under_the_other_login_is_the_learner_s_too(here):
    read_roster(here)
    assert grader(here, "roster", "--same", "zed=zoe").exit_code == 0
    hand_in(here, "zed", add=SOLUTION, scale=SCALED)
    stamp(here, "zed", "2026-11-21 10:00:00 UTC")
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert here.learners("submitted", LESSON) == ["ada", "zoe"]
    assert scores(here)["zoe", "add"] == 4
    read_roster(here)  # which knows nothing of zed
    assert coursefile.read(here).learners["zoe"].also == ("zed",)


@pytest.mark.slow
@pytest.mark.parametrize(("when", "points"), [("2026-11-19", 4), ("2026-11-21", 3)])
def test_where_both_handed_in_nothing_moves_unless_the_later_one_may_count(here, when, points):
    """Zed's work of 20 November has 3 points in add, zoe's has 4."""
    read_roster(here)
    hand_in(here, "zoe", add=SOLUTION, scale=SCALED)
    stamp(here, "zoe", f"{'2026-11-21' if points == 4 else '2026-11-19'} 10:00:00 UTC")
    assert grader(here, "autograde", LESSON).exit_code == 0
    before = scores(here)
    said = grader(here, "roster", "--same", "zed=zoe")
    assert said.exit_code == 2
    assert f"both handed in {LESSON}, so nothing was moved" in said.stderr
    assert scores(here) == before
    assert grader(here, "roster", "--same", "zed=zoe", "--later").exit_code == 0
    assert scores(here)["zoe", "add"] == points
    assert {learner for learner, _ in scores(here)} == {"ada", "zoe"}
    assert (here.root / "replaced/submitted").is_dir()
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert scores(here)["zoe", "add"] == points


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "sentence"),
    [
        ("zed=zo", "zo is not on the roster; the nearest name is zoe."),
        ("ada=zoe", "ada is on the roster"),
        ("nobody=zoe", "Nobody has handed in anything as 'nobody'"),
        ("zed", "should be OTHER=LEARNER"),
    ],
)
def test_logins_that_cannot_be_one_person_are_said_to_be_so(here, pair, sentence):
    read_roster(here)
    before = scores(here)
    said = grader(here, "roster", "--same", pair)
    assert (said.exit_code, sentence in said.stderr) == (2, True), said.stderr
    assert scores(here) == before


def killed(at, command):
    """Run the command in a process that ends at its rename number `at`; whether it got there."""
    process = os.fork()
    if not process:
        rename, count = Path.rename, iter(range(at))
        Path.rename = lambda *paths: rename(*paths) if next(count, None) is not None else end()

        def end():
            os._exit(9)

        with contextlib.suppress(BaseException):
            command()
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 9


@pytest.mark.slow
def test_whoever_is_killed_while_logins_are_joined_goes_on_with_the_same_command(here):
    read_roster(here)
    before = scores(here)
    at = 0
    while killed(at, lambda: renaming.join(here, "zed", "zoe")):
        at += 1
    assert at >= 2  # and each went on where the one before was killed
    assert here.learners("submitted", LESSON) == here.learners("autograded", LESSON)
    assert {learner for learner, _ in scores(here)} == {"ada", "zoe"}
    assert sorted(scores(here).values()) == sorted(before.values())


# --- columns and names ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "lesson"),
    [
        ("Lab 02 Tree reduction (4711)", "02_tree_reduction"),
        ("02_tree_reduction (4711)", "02_tree_reduction"),
        ("HW2: tree reductions (1)", "02_tree_reduction"),
        ("TREE REDUCTION", "02_tree_reduction"),
        ("TreeReduction (12)", "02_tree_reduction"),
        ("Lab02 (1)", "02_tree_reduction"),
        ("Assignment #2 (1)", "02_tree_reduction"),
        ("Assignment: Lab 2 (Real)", "02_tree_reduction"),
        ("Lab 2 [Total Pts: 68 Score] |88123", "02_tree_reduction"),
        ("Lab 2 Points Grade <Numeric MaxPoints:68>", "02_tree_reduction"),
        ("Lab 3 Tree reduction (5)", "02_tree_reduction"),  # numbered otherwise than here
        ("Reduction II: shuffle reduction (3)", "03_shuffle_reduction"),
        ("Project (8)", "08_project"),
        ("Quiz 2 (8)", ""),
        ("Quiz on tree reduction (8)", ""),
        ("Lab 12 (8)", ""),
        ("Reduction (8)", ""),
        ("Assignment: Lab 2 (Feedback)", ""),
        ("Labs 2 Current Score", ""),
        ("Midterm 02 (3)", ""),
        ("Section 2 attendance", ""),
    ],
)
def test_a_column_is_known_by_what_teachers_call_a_lesson(heading, lesson):
    found = {name: found for name, found in matches(LESSONS, [heading]).items() if found}
    assert found == ({lesson: (heading,)} if lesson else {})


def test_two_columns_that_match_alike_are_both_told_and_an_exact_one_goes_before():
    alike = ("Lab 02 Tree reduction (1)", "Lab 02 Tree reduction resubmission (2)")
    assert matches(LESSONS, alike)["02_tree_reduction"] == alike
    exact = "02_tree_reduction (3)"
    assert matches(LESSONS, (*alike, exact))["02_tree_reduction"] == (exact,)


@pytest.mark.slow
def test_the_export_goes_to_the_column_that_matches_and_says_so(here):
    text = CANVAS.format(columns="Lab 01: Add (4711)")
    assert (
        f'{LESSON} is the column "Lab 01: Add (4711)" of canvas.' in read_roster(here, text).stdout
    )
    said, rows = exported(here, "canvas")
    assert f'{LESSON} is the column "Lab 01: Add (4711)" of canvas.' in said.stdout
    assert rows[0][5:] == ["Lab 01: Add (4711)"]


@pytest.mark.slow
def test_a_column_that_nothing_matches_is_a_new_one_or_the_one_that_is_named(here):
    read_roster(here, CANVAS.format(columns="Vectors (4711)"))
    said, rows = exported(here, "canvas")
    assert f"No column of canvas matches {LESSON}: it gets a new one." in said.stdout
    assert rows[0][5:] == [LESSON]
    for options in (["--column", "Vectors (4711)"], []):  # and it is remembered
        said, rows = exported(here, "canvas", *options)
        assert rows[0][5:] == ["Vectors (4711)"]


@pytest.mark.slow
def test_columns_that_match_alike_are_refused_until_one_is_named(here):
    said = read_roster(here, CANVAS.format(columns="Lab 1 (4711),Homework 1 (4712)"))
    assert f"Several columns of canvas match {LESSON}" in said.stdout
    said = grader(here, "export", LESSON, "--for", "canvas")
    assert said.exit_code == 2
    assert "'Lab 1 (4711)', 'Homework 1 (4712)'" in said.stderr
    _, rows = exported(here, "canvas", "--column", "Homework 1")
    assert rows[0][5:] == ["Homework 1 (4712)"]
    read_roster(here, CANVAS.format(columns="Lab 1 (4711),Homework 1 (4712)"))  # forgets nothing
    _, rows = exported(here, "canvas")
    assert rows[0][5:] == ["Homework 1 (4712)"]


@pytest.mark.slow
def test_a_column_is_named_for_one_lesson_and_a_platform(here):
    for options in (["--for", "canvas", "--column", "x"], [LESSON, "--column", "x"]):
        said = grader(here, "export", *options)
        assert (said.exit_code, "--column is for one lesson" in said.stderr) == (2, True)


NAMES = {
    "Doe, Jr., Dan": ("Dan", "Doe Jr."),
    "Doe, Dan, Jr.": ("Dan", "Doe Jr."),
    "Doe Jr., Dan": ("Dan", "Doe Jr."),
    "King, III, Stephen": ("Stephen", "King III"),
    "Dan Doe, Jr.": ("Dan Doe Jr.", None),
    "Nguyen, V": ("V", "Nguyen"),
    "van der Berg, Anna": ("Anna", "van der Berg"),
    "'t Hooft, Gerard": ("Gerard", "'t Hooft"),
    "O'Brien, Pat": ("Pat", "O'Brien"),
    "García Márquez, Gabriel José": ("Gabriel José", "García Márquez"),
    "Cher": ("Cher", None),
    "山田, 太郎": ("太郎", "山田"),
    "山田\uff0c太郎": ("太郎", "山田"),
    "Иванов, Иван Иванович": ("Иван Иванович", "Иванов"),
    "رضایی، علی": ("علی", "رضایی"),
}


@pytest.mark.slow
def test_names_are_parted_as_people_write_them(here):
    rows = io.StringIO(newline="")
    csv.writer(rows).writerows([("id", "name"), *((f"p{at}", n) for at, n in enumerate(NAMES))])
    read_roster(here, rows.getvalue())
    with here.gradebook() as gradebook:
        known = {one.id: (one.first_name, one.last_name) for one in gradebook.students}
    assert {name: known[f"p{at}"] for at, name in enumerate(NAMES)} == NAMES


# --- renamed lessons -----------------------------------------------------------------------------


def renamed_folder(here):
    (here.kernels / LESSON).rename(here.kernels / NEW)
    return here


@pytest.mark.slow
@pytest.mark.parametrize("command", ["autograde", "status", "report", "export"])
@pytest.mark.parametrize("lesson", [LESSON, NEW])
def test_a_lesson_without_its_folder_is_named_with_the_marks_that_it_has(here, command, lesson):
    said = grader(renamed_folder(here), command, lesson)
    assert said.exit_code == 2
    assert f"The gradebook has {LESSON} (2 marks), and there is no folder" in said.stderr
    assert f"`grader rename {LESSON} {NEW}`" in said.stderr


@pytest.mark.slow
def test_a_renamed_lesson_s_marks_work_dates_and_history_move_with_it(here):
    due = ["--due", "2026-11-19 12:00", "--late", "10%/day", "--yes"]
    assert grader(here, "release", LESSON, *due).exit_code == 0
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert grader(here, "extend", LESSON, "ada", "--until", "2099-01-01").exit_code == 0
    assert grader(here, "feedback", LESSON).exit_code == 0
    with here.gradebook() as gradebook:
        gradebook.find_grade("check-scale", LESSON, LESSON, "zed").manual_score = 1.25
        gradebook.db.commit()
    before, history = scores(here), len(list(changes.read(here, LESSON)))
    plan = coursefile.read(here).plan(LESSON)
    said = grader(renamed_folder(here), "rename", LESSON, NEW)
    assert (said.exit_code, said.stderr) == (0, "")
    assert f"{LESSON} is {NEW} now, with 2 marks." in said.stdout
    assert scores(here, NEW) == before
    assert len(list(changes.read(here, NEW))) == history
    assert coursefile.read(here).plan(NEW) == plan
    assert not [path for path in here.root.rglob("*") if path.stem == LESSON]
    assert here.notebook("submitted", NEW, "zed").is_file()
    for command in ("status", "autograde", "feedback", "report", "export"):
        said = grader(here, command, NEW)
        assert said.exit_code != 2
        assert "no folder" not in said.stderr
    assert scores(here, NEW) == before


@pytest.mark.slow
def test_whoever_is_killed_while_a_lesson_is_renamed_goes_on_with_the_same_command(here):
    before = scores(here)
    renamed_folder(here)
    at = 0
    while killed(at, lambda: renaming.rename(here, LESSON, NEW)):
        at += 1
    assert at > 5
    assert scores(here, NEW) == before  # a run after so many that were killed
    assert not [path for path in here.root.rglob("*") if path.stem == LESSON]


@pytest.mark.slow
def test_a_lesson_released_under_its_new_name_takes_the_marks_of_the_old_one(here):
    before = scores(here)
    assert grader(renamed_folder(here), "release", NEW).exit_code == 0
    assert grader(here, "rename", LESSON, NEW).exit_code == 0
    assert scores(here, NEW) == before
    assert grader(here, "autograde", NEW).exit_code == 0


@pytest.mark.slow
def test_nothing_moves_where_two_lessons_would_become_one(here):
    said = grader(here, "rename", LESSON, NEW)
    assert (said.exit_code, f"kernels/{LESSON} is still there" in said.stderr) == (2, True)
    renamed_folder(here)
    said = grader(here, "rename", LESSON, "09_other")
    assert (said.exit_code, "There is no folder kernels/09_other" in said.stderr) == (2, True)
    shutil.copytree(here.path("submitted", LESSON, "zed"), here.path("submitted", NEW, "zed"))
    said = grader(here, "rename", LESSON, NEW)
    assert (said.exit_code, "were handed in by zed, so nothing" in said.stderr) == (2, True)
    assert here.notebook("submitted", LESSON, "ada").is_file()
