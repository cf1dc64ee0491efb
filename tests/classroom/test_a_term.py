"""The term of tests/a_term.py: every mark is right, and nothing is lost."""

import hashlib
import json

import a_term
import pytest
import served
from a_term import EXAM, LEARNERS, PROF, TAS, name_of, section_of
from forked import ran
from small_class import LESSON
from test_pushing import TOKEN, Canvas, Platform

from grader.learner import editions, sending

pytestmark = pytest.mark.slow


def platform_of(lesson, most):
    """The course on a platform, with one assignment."""
    played = Platform(Canvas)
    played.people = a_term.people()
    played.assignments = [{"id": 4711, "name": lesson, "points_possible": most}]
    return played


@pytest.fixture(scope="module")
def platforms():
    """By lesson, the course on a platform."""
    played = {LESSON: platform_of("Lab 01 Add", a_term.MOST), EXAM: platform_of("The exam", 13.5)}
    yield played
    for one in played.values():
        one.shutdown()
        one.server_close()


@pytest.fixture(scope="module")
def term(tmp_path_factory, grading, platforms):
    folder = tmp_path_factory.mktemp("term")
    (folder / "token").write_text(TOKEN)
    (folder / "token").chmod(0o600)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sending, "PAUSE", 0.3)
        patch.setattr(sending, "PATIENCE", 60.0)
        patch.setenv("BROWSER", "true")  # which shows nothing
        patch.setattr(editions, "find_lesson", a_term.lesson_of(folder))
        whole = a_term.of(folder)
        a_term.send(whole, platforms[LESSON], platforms[EXAM])
    return whole


def expected(term, lesson):
    """By learner the mark, counted by hand."""
    marks = {
        name_of(number): term.total(number)
        if lesson == LESSON
        else a_term.expected_in_exam(term, number)
        for number in range(LEARNERS)
    }
    return {learner: pytest.approx(mark) for learner, mark in marks.items() if mark is not None}


@pytest.mark.parametrize("lesson", [LESSON, EXAM])
def test_every_mark_is_the_one_counted_by_hand_wherever_it_is_told(term, platforms, lesson):
    marks = expected(term, lesson)
    assert len(marks) > LEARNERS - 5
    assert a_term.in_gradebook(term, lesson) == marks
    assert a_term.in_export(term, lesson) == marks
    assert a_term.on_pages(term, lesson) == marks
    assert a_term.on_platform(platforms[lesson]) == marks


def test_every_exercise_has_the_points_counted_by_hand(term):
    points = {
        (name_of(number), exercise): pytest.approx(mark)
        for number in term.answers
        for exercise, mark in term.expected(number).items()
    }
    assert a_term.exercises_in_gradebook(term, LESSON) == points
    assert a_term.in_report(term, LESSON) == points
    changed = a_term.in_log_of_changes(term, LESSON)
    late = {learner: lost for (learner, what), lost in changed.items() if what == "lateness"}
    assert {at: mark for at, mark in changed.items() if at[1] != "lateness"} == points
    assert late == {name_of(number): -0.2 * a_term.MOST for number in term.late}


def test_the_answers_of_the_class_are_of_many_kinds(term):
    for exercise, worth in a_term.WORTH.items():
        assert {answers[exercise] for answers in term.answers.values()} == worth.keys()
    assert set(term.done.values()) == set(a_term.DONE)
    assert len({json.dumps(a_term.variant(term, n).solution) for n in term.done}) > 4


def test_each_platform_got_each_mark_once(term, platforms):
    for played in platforms.values():
        assert len(played.saved) == len(set(played.saved)) == len(played.scores)


@pytest.fixture(scope="module")
def log(term):
    """The service's."""
    return served.log(term.here, ran)


def test_hand_ins_receipts_and_lines_of_the_log_agree(term, log):
    """As many as were handed in; each receipt has the code of its line, and belongs to the notebook
    that lies beside it and to the one that was filed."""
    kept = {}
    for path in term.folder.glob("desks/**/handed_in/*/receipt.json"):
        receipt = json.loads(path.read_text())
        (notebook,) = path.parent.glob("*.ipynb")
        assert hashlib.sha256(notebook.read_bytes()).hexdigest() == receipt["sha256"]
        kept[receipt["id"]] = receipt | {"notebook": notebook.read_bytes()}
    received = {line["id"]: line for line in log if line["what"] == "received"}
    judged = [line["id"] for line in log if line["what"] == "judged"]
    inbound = {path.name: path for path in (term.here.shelves / "inbound").iterdir()}
    filed = {name.rpartition("+")[2]: path for name, path in inbound.items()}
    assert len(kept) == term.receipts
    assert kept.keys() == received.keys() == filed.keys() == set(judged)
    assert len(judged) == len(inbound) == term.receipts
    for id, receipt in kept.items():
        assert received[id]["code"] == receipt["code"]
        assert received[id]["number"] == receipt["number"]
        (notebook,) = filed[id].glob("*.ipynb")
        assert notebook.read_bytes() == receipt["notebook"]
        assert (filed[id] / "timestamp.txt").read_text() == receipt["at"]


def test_each_beginning_of_the_exam_is_in_the_log_once(term, log):
    begun = [line["learner"] for line in log if line["what"] == "begun"]
    assert sorted(begun) == [name_of(number) for number in term.answers]


def test_each_answer_to_a_request_is_on_its_page_once(term):
    for number, answer in a_term.ANSWERS.items():
        shown = a_term.page(term, LESSON, name_of(number))
        assert shown.partition("Changes of your marks")[0].count(answer) == 1


def test_two_days_more_are_no_lateness_and_without_them_it_is(term):
    with term.here.gradebook() as gradebook:
        late = {
            number: gradebook.find_submission(LESSON, name_of(number)).late_submission_penalty
            for number in (a_term.LATE, a_term.ACCOMMODATED)
        }
    assert late == {a_term.LATE: pytest.approx(0.2 * a_term.MOST), a_term.ACCOMMODATED: 0.0}


def test_many_commands_were_killed(term):
    assert len(term.kills) >= 8
    killed = {line.partition(":")[0] for line in term.kills}
    assert {"autograde", "feedback", "push", "serve", "rubric", "appeals", "export"} <= killed


# --- what TAs may ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ta", TAS)
def test_every_command_of_a_ta_is_about_the_own_section(term, ta, tmp_path):
    other = next(section for section in TAS.values() if section != TAS[ta])
    mine = {name_of(n) for n in term.answers if section_of(n) == TAS[ta]}
    theirs = {name_of(n) for n in range(LEARNERS) if section_of(n) == other}
    file = tmp_path / "marks.csv"
    commands = {
        "status": ("status", LESSON),
        "autograde": ("autograde", LESSON),
        "feedback": ("feedback", LESSON),
        "appeals": ("appeals",),
        "report": ("report", LESSON),
        "export": ("export", LESSON, "--to", str(file)),
    }
    said = {name: term.said(ta, *command) for name, command in commands.items()}
    for name, command in (commands | {"rubric": ("rubric", LESSON)}).items():
        refused = term.said(ta, *command, "--section", other, status=2)
        assert f"{ta} is a TA of {TAS[ta]}, and not of {other}" in " ".join(refused.split()), name
    assert f"graded: {len(mine)} submissions" in said["autograde"]
    assert f"feedback: {len(mine)} pages" in said["feedback"]
    told = "".join(said.values()) + file.read_text()
    assert not [learner for learner in theirs if learner in told]
    assert all(learner in file.read_text() for learner in mine)
    assert {learner for learner, _ in a_term.in_report(term, LESSON)} == mine
    term.said(PROF, "report")
