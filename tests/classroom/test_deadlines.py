"""Due dates, lateness, teams, attempts: course.toml, and the gradebook it is written into."""

import contextlib
import shutil
from datetime import datetime

import pytest
import small_class
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, hand_in
from small_lesson import SOLUTION
from typer.testing import CliRunner

from grader.classroom import ClassroomError, coursefile, judges
from grader.classroom.coursefile import CourseFile, Person, Plan
from grader.classroom.folder import new_course
from grader.classroom.planning import HandIn, due, standings
from grader.cli.app import app
from grader.judge import judge

DAY = 24 * 60 * 60
NOON = datetime(2098, 12, 1, 12)


def run(here, *arguments):
    with contextlib.chdir(here.root):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


def plan_of(here, text):
    (here.root / "course.toml").write_text(f"version = 1\n{text}")


def stamp(here, learner, when):
    (here.path("submitted", LESSON, learner) / "timestamp.txt").write_text(f"{when} UTC")


def marks(here):
    """By learner: points, the most there is, and what lateness takes off."""
    with here.gradebook() as gradebook:
        found = gradebook.assignment_submissions(LESSON)
        return {
            one.student.id: (one.score, one.max_score, one.late_submission_penalty) for one in found
        }


# --- what the words mean -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "days", "off"),
    [
        ("10%/day", 0.001, 2),
        ("10%/day", 1, 2),
        ("10%/day", 1.5, 4),
        ("10 % per day", 100, 15),
        ("10%/day, at most 3 days", 3, 6),
        ("10%/day, at most 3 days", 3.01, 15),
        ("2.5 points/day", 2, 5),
        ("1 point/hour", 0.25, 6),
        ("none", 0.001, 15),
        ("none", 0, 0),
    ],
)
def test_a_policy_takes_off_what_its_words_say_and_never_more_than_the_score(said, days, off):
    assert coursefile.parse_policy(said, "late").penalty(
        days * DAY, score=15, most=20
    ) == pytest.approx(off)


@pytest.mark.parametrize("said", ["", "10%", "-1%/day", "10%/day at most 3", "lots/day, none", "%"])
def test_words_that_mean_no_policy_are_refused_with_examples(said):
    with pytest.raises(ClassroomError, match="should be like '10%/day, at most 3 days'"):
        coursefile.parse_policy(said, "late")


def test_an_extension_goes_before_the_section_and_that_before_the_lesson():
    later, latest = NOON.replace(day=2), NOON.replace(day=3)
    plan = Plan(due=NOON, sections={"B": latest}, extensions={"cem": later})
    people = {name: Person(section="B") for name in ("ben", "cem")}
    file = CourseFile(lessons={"01": plan}, learners=people)
    assert [due(file, "01", who) for who in ("ada", "ben", "cem")] == [NOON, latest, later]


def test_a_team_has_the_time_of_the_member_who_has_most():
    plan = Plan(due=NOON, teams=True, extensions={"ada": NOON.replace(day=9)})
    people = {name: Person(team="blue") for name in ("ada", "ben")}
    file = CourseFile(lessons={"01": plan}, learners=people)
    assert due(file, "01", "ben") == NOON.replace(day=9)


def test_late_days_are_spent_in_order_of_due_dates_and_only_where_they_save_points():
    late = coursefile.parse_policy("10%/day, at most 2 days", "late")
    lessons = {
        "c_first": Plan(due=NOON, late=late),
        "b_second": Plan(due=NOON.replace(day=8), late=late),
        "a_third": Plan(due=NOON.replace(day=15), late=late),
    }
    file = CourseFile(late_days=2, lessons=lessons)
    handed_in = [
        HandIn("a_third", NOON.replace(day=17), 10, 10),  # 2 days late, 1 late day left
        HandIn("b_second", NOON.replace(day=28), 10, 10),  # beyond all saving
        HandIn("c_first", NOON.replace(day=2), 10, 10),  # 1 day late
    ]
    found = {one.lesson: standing for one, standing in standings(file, "ada", handed_in)}
    assert {name: one.spent for name, one in found.items()} == {
        "c_first": 1,
        "b_second": 0,
        "a_third": 1,
    }
    assert {name: one.penalty for name, one in found.items()} == {
        "c_first": 0,
        "b_second": 10,
        "a_third": 1,
    }


def test_a_time_is_of_the_course_s_zone_and_a_date_is_the_end_of_its_day(tmp_path, kernels):
    here = new_course(tmp_path, kernels)
    zone = 'time_zone = "Europe/Berlin"\n'
    for said, utc in (
        ('"2098-12-01 23:59"', datetime(2098, 12, 1, 22, 59)),
        ("2098-12-01", datetime(2098, 12, 1, 22, 59, 59)),
        ("2098-12-01T23:59:00Z", datetime(2098, 12, 1, 23, 59)),
        ('"2026-07-01 12:00"', datetime(2026, 7, 1, 10)),
    ):
        plan_of(here, f"{zone}[lessons.{LESSON}]\ndue = {said}")
        assert coursefile.read(here).plan(LESSON).due == utc


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[", "is no TOML"),
        ('late_days = "4"', "late_days should be a whole number"),
        ("late_days = -1", "late_days should be a whole number that is not less than 0"),
        ('time_zone = "Mars/Base"', "should be one like Europe/Berlin"),
        ("[lesson.x]", "the file cannot have 'lesson'"),
        ("[lessons.x]\ndeu = 1", "lessons.x cannot have 'deu'; it can have attempts, columns, due"),
        ('[lessons.x]\ndue = "soon"', "lessons.x.due is soon, and should be a time like"),
        ('[lessons.x]\nlate = "a lot"', "lessons.x.late is 'a lot'"),
        ('[lessons.x]\nattempts = "all"', "should be 'last' or 'best'"),
        ('[lessons.x]\nextra = "add"', "extra should be a list of exercises' names"),
        ('[lessons.x]\nextra = ["a"]\noptional = ["a"]', "a is in extra and in optional"),
        ('[lessons.x.extensions]\nada = "2098-12-01"', "lessons.x has no due"),
        ('[learners]\nada = "B"', "learners.ada should be a table"),
    ],
)
def test_what_the_file_cannot_say_is_named_in_one_sentence(tmp_path, kernels, text, sentence):
    here = new_course(tmp_path, kernels)
    plan_of(here, text)
    with pytest.raises(ClassroomError, match=r"course\.toml") as refused:
        coursefile.read(here)
    assert sentence in str(refused.value)


def test_another_version_of_the_file_is_not_guessed_at(tmp_path, kernels):
    here = new_course(tmp_path, kernels)
    (here.root / "course.toml").write_text("version = 2")
    with pytest.raises(ClassroomError, match="version must be 1"):
        coursefile.read(here)


# --- a class of it -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Ada and ben are right and handed in a day and a half late; cem's guard is missing twice."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    said = run(here, "release", LESSON, "--due", "2098-12-01 12:00", "--late", "10%/day")
    assert f"{LESSON} is due 2098-12-01 12:00 UTC" in said.stdout
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)
    hand_in(here, "ben", add=SOLUTION, scale=SCALED)
    hand_in(here, "cem", add=NO_GUARD, scale=UNGUARDED_SCALE)
    for learner in ("ada", "ben"):
        stamp(here, learner, "2098-12-03 00:00:00")
    stamp(here, "cem", "2098-12-01 11:00:00")
    with here.gradebook() as gradebook:
        gradebook.add_student("dora", first_name="Dora", last_name="Late")
    assert run(here, "autograde", LESSON).exit_code == 0
    return here


@pytest.fixture
def here(graded, tmp_path):
    return new_course(shutil.copytree(graded.root, tmp_path / "course"), graded.kernels)


@pytest.fixture
def judged(monkeypatch):
    """What the judge is asked from now on."""
    asked = []

    def counted(exercise_id, source, **options):
        asked.append(exercise_id)
        return judge(exercise_id, source, **options)

    monkeypatch.setattr(judges, "judge", counted)
    return asked


def test_a_changed_deadline_re_scores_and_judges_nothing(here, judged):
    assert marks(here)["ada"] == (6, 6, pytest.approx(1.2))
    assert marks(here)["cem"] == (4, 6, 0)
    assert run(here, "extend", LESSON, "ada", "--until", "2098-12-04").exit_code == 0
    assert run(here, "release", LESSON, "--late", "none").exit_code == 0
    assert run(here, "autograde", LESSON).exit_code == 0
    assert marks(here)["ada"] == (6, 6, 0)
    assert marks(here)["ben"] == (6, 6, 6)
    assert judged == []


def test_the_gradebook_has_due_date_and_extension_in_nbgrader_s_own_fields(here):
    run(here, "extend", LESSON, "ada", "--until", "2098-12-04 12:00")
    run(here, "autograde", LESSON)
    with here.gradebook() as gradebook:
        ada = gradebook.find_submission(LESSON, "ada")
        assert ada.assignment.duedate == NOON
        assert ada.duedate == NOON.replace(day=4)
        assert ada.total_seconds_late == 0


def test_an_extension_can_be_given_before_anything_was_handed_in(here):
    said = run(here, "extend", LESSON, "dora", "--until", "2098-12-05 18:00")
    assert "18:00 UTC for dora. Before, it was due 2098-12-01 12:00." in said.stdout
    hand_in(here, "dora", add=SOLUTION, scale=SCALED)
    stamp(here, "dora", "2098-12-05 17:00:00")
    assert run(here, "autograde", LESSON).exit_code == 0
    assert marks(here)["dora"] == (6, 6, 0)


def test_more_days_for_one_person_hold_for_every_lesson_and_are_listed(here):
    assert "Nobody has more days or time." in run(here, "accommodate").stdout
    said = run(here, "accommodate", "ada", "--days", "2")
    assert "ada: every lesson is due 2 days later" in said.stdout
    assert "ada: every lesson is due 2 days later" in run(here, "accommodate").stdout
    assert run(here, "autograde", LESSON).exit_code == 0
    with here.gradebook() as gradebook:
        ada, cem = (gradebook.find_submission(LESSON, who) for who in ("ada", "cem"))
        assert (ada.duedate, cem.duedate) == (NOON.replace(day=3), NOON)
        assert ada.total_seconds_late == 0
    file = coursefile.read(here)
    assert due(file, "09_a_later_lesson", "ada") is None
    run(here, "extend", LESSON, "ada", "--until", "2098-12-09")
    assert due(coursefile.read(here), LESSON, "ada").day == 9


def test_more_time_is_kept_listed_and_taken_back(here):
    said = run(here, "accommodate", "ada", "--time", "1.25")
    assert said.stdout == "ada: exams take 1.25 times as long\n"
    run(here, "accommodate", "ben", "--days", "1", "--time", "2")
    assert run(here, "accommodate").stdout.splitlines() == [
        "ada: exams take 1.25 times as long",
        "ben: every lesson is due 1 day later",
        "ben: exams take 2 times as long",
    ]
    assert coursefile.read(here).person("ada").time_factor == 1.25
    said = run(here, "accommodate", "ada", "--time", "1")
    assert said.stdout == "ada has no more days or time.\n"
    run(here, "extend", LESSON, "ada", "--until", "2099-12-05 18:00")
    listed = run(here, "accommodate").stdout.splitlines()
    assert f"ada: {LESSON} is due 2099-12-05 18:00 UTC" in listed


def test_fewer_days_than_before_are_asked_for(here):
    run(here, "accommodate", "ada", "--days", "2")
    refused = run(here, "accommodate", "ada", "--days", "0")
    assert refused.exit_code == 2
    assert "ada had 2 days more. What came in these days will be late." in refused.stderr
    assert run(here, "accommodate", "ada", "--days", "0", "--yes").exit_code == 0
    assert coursefile.read(here).person("ada").more_days == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("accommodate", "adda", "--days", "1"), "is called 'adda'"),
        (("accommodate", "ada"), "give --days or --time, too"),
        (("extend", LESSON, "adda", "--until", "2098-12-05"), "is called 'adda'"),
        (("extend", LESSON, "ada", "--until", "Friday"), "--until is Friday"),
        (("release", LESSON, "--due", "soon"), "--due is soon"),
        (("release", LESSON, "--late", "much"), "--late is 'much'"),
    ],
)
def test_a_slip_in_a_command_is_said_and_changes_nothing(here, arguments, sentence):
    before = (here.root / "course.toml").read_text()
    said = run(here, *arguments)
    assert (said.exit_code, sentence in said.stderr) == (2, True)
    assert (here.root / "course.toml").read_text() == before


def test_commands_keep_an_instructor_s_comments(here):
    path = here.root / "course.toml"
    path.write_text(path.read_text() + "\n# Ask the dean about Friday.\n")
    run(here, "extend", LESSON, "ada", "--until", "2098-12-05")
    assert "# Ask the dean about Friday." in path.read_text()
    assert 'ada = "2098-12-05 23:59"' in path.read_text()


def test_extra_credit_and_optional_exercises_are_outside_the_maximum(here, judged):
    plan_of(here, f'[lessons.{LESSON}]\nextra = ["scale"]')
    assert run(here, "autograde", LESSON).exit_code == 0
    assert marks(here)["ada"][:2] == (6, 4)
    assert marks(here)["cem"][:2] == (4, 4)
    plan_of(here, f'[lessons.{LESSON}]\noptional = ["scale"]')
    assert run(here, "autograde", LESSON).exit_code == 0
    assert marks(here)["ada"][:2] == (4, 4)
    plan_of(here, "")
    assert run(here, "autograde", LESSON).exit_code == 0
    assert marks(here)["ada"][:2] == (6, 6)
    assert judged == []


def test_an_exercise_that_the_lesson_has_not_cannot_be_extra(here):
    plan_of(here, f'[lessons.{LESSON}]\nextra = ["scael"]')
    said = run(here, "autograde", LESSON)
    assert said.exit_code == 2
    assert "'scael'; the lesson has add, scale" in said.stderr


def test_a_team_hands_in_once_and_its_newest_counts(here, judged):
    plan_of(
        here,
        f'[lessons.{LESSON}]\ndue = "2098-12-01 12:00"\nlate = "1 point/day"\nteams = true\n'
        '[learners]\nada = {team = "blue"}\ncem = {team = "blue"}\ndora = {team = "blue"}\n',
    )
    assert run(here, "autograde", LESSON).exit_code == 0
    found = marks(here)
    assert found["ada"] == found["cem"] == found["dora"] == (6, 6, 2)
    assert judged == []


def test_the_best_attempt_counts_with_its_own_lateness(here):
    late = f'[lessons.{LESSON}]\ndue = "2098-12-01 12:00"\nlate = "2 points/day"\nattempts = "%s"\n'
    for when, answer in (("2098-12-01 10:00:00", "cem"), ("2098-12-01 11:30:00", "ada")):
        shelf = here.shelves / "inbound" / f"eve+{LESSON}+{when} UTC+x"
        shutil.copytree(here.path("submitted", LESSON, answer), shelf)
        (shelf / "timestamp.txt").write_text(f"{when} UTC")
    hand_in(here, "eve", add=SOLUTION, scale=SCALED)  # right as well, and two days late
    stamp(here, "eve", "2098-12-03 11:00:00")
    newest = here.shelves / "inbound" / f"eve+{LESSON}+2098-12-03 11:00:00 UTC+x"
    shutil.copytree(here.path("submitted", LESSON, "eve"), newest)
    plan_of(here, late % "last")
    assert run(here, "autograde", LESSON).exit_code == 0
    assert marks(here)["eve"] == (6, 6, 4)
    plan_of(here, late % "best")
    assert run(here, "autograde", LESSON).exit_code == 0
    assert marks(here)["eve"] == (6, 6, 0)


def test_status_says_who_is_late_extended_graded_or_waits(here):
    run(here, "extend", LESSON, "dora", "--until", "2098-12-05")
    with here.gradebook() as gradebook:
        gradebook.find_grade("check-add", LESSON, LESSON, "cem").manual_score = 2.0
        gradebook.find_grade("check-add", LESSON, LESSON, "cem").needs_manual_grade = True
        gradebook.db.commit()
    said = run(here, "status", LESSON)
    assert said.exit_code == 0
    rows = {line.split()[0]: line for line in said.stdout.splitlines() if line.strip()}
    assert "1 d 12 h" in rows["ada"] and "4.8" in rows["ada"]
    assert "extended" in rows["dora"] and "no" in rows["dora"].split()
    assert "look at its marks" in rows["cem"]
    assert "4 learners: 3 handed in, 2 of them late; 1 with an extension; 3 graded; 1 wait" in (
        " ".join(said.stdout.split())
    )
