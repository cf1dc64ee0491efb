"""Marks by rubrics: items for one answer, for equal ones and for all with the same mistake; in the
gradebook, on feedback pages, in exports, the report, requests for a regrade and the log."""

import csv
import html
import io
import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import small_class
import small_questions
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, grader
from small_lesson import DIFFERENCE, SOLUTION, SUBTRACTS, instead

from grader import course
from grader.classroom import changes, coursefile, export, lecture, rubric
from grader.classroom.folder import alone, new_course
from grader.classroom.lecture import RubricPage
from grader.course import mistakes
from grader.errors import CourseError
from grader.judge import steps

SAME = instead("    if (i < n)  // the guard\n        total[i] = x[i] - y[i];")
OTHERWISE = instead(
    "    if (n > i) {\n        float minus = -y[i];\n        total[i] = minus + x[i];\n    }"
)
TEXT = "A thread could read too early."
EARLY = "it could   READ too early"


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Ada is right. Ben and cy have equal answers with a named mistake, dee has it in other words,
    and eve has a fault without a name. All but eve wrote a text."""
    kernels = small_questions.write_lesson(tmp_path_factory.mktemp("kernels"))
    file = kernels / LESSON / mistakes.FILE
    file.write_text(file.read_text() + DIFFERENCE)
    steps.write_faults(course.lesson(LESSON, kernels))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    for learner, add, why in (
        ("ada", SOLUTION, TEXT),
        ("ben", SUBTRACTS, TEXT.upper()),
        ("cy", SAME, "Because."),
        ("dee", OTHERWISE, "Because."),
        ("eve", NO_GUARD, None),
    ):
        answers = {} if why is None else {"why": why}
        small_questions.answer(here, learner, answers, add=add, scale=SCALED)
    with coursefile.changed(here) as document:
        sections = {"ada": "Morning", "ben": "Morning", "cy": "Evening", "dee": "Evening"}
        document["learners"] = {name: {"section": one} for name, one in sections.items()}
    said = grader(here, "autograde", LESSON, "--jobs", "1")
    assert said.exit_code == 0, said.output
    return here


@pytest.fixture
def here(graded, tmp_path):
    return small_class.copied(graded, tmp_path)


def page(here, section=None, user="tutor"):
    file = coursefile.read(here)
    names = export.ShownNames(here, file, file.sections_of(user, section))
    return RubricPage(lesson=course.lesson(LESSON, here.kernels), names=names)


def put(here, learner, item, scope="one", exercise="add", on=True, **more):
    act = {"do": "put", "learner": learner, "item": item, "scope": scope, "on": on, **more}
    return page(here, more.pop("section", None)).answer({"exercise": exercise, "act": act})


def change(here, text="", points=0.0, item="", exercise="add", **more):
    """The name of the item that is added or changed."""
    act = {"do": "item", "item": item, "text": text, "points": points, **more}
    found = page(here).answer({"exercise": exercise, "act": act})
    return item or found["acts"][0]["item"]


def undo(here, exercise="add"):
    return page(here).answer({"exercise": exercise, "act": {"do": "undo"}})


def marks(here, exercise="add"):
    with here.gradebook() as gradebook:
        found = export.by_learner(gradebook, LESSON)
    return {
        learner: mark.score
        for learner, mine in found.items()
        for mark in mine
        if mark.exercise == exercise
    }


def by_hand(here, learner, points, exercise="add"):
    """Give a mark as formgrader does."""
    with here.gradebook() as gradebook:
        grade = gradebook.find_grade(f"check-{exercise}", LESSON, LESSON, learner)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.db.commit()


AUTOMATIC = {"ada": 4.0, "ben": 1.6, "cy": 1.6, "dee": 1.6, "eve": 3.0}


def test_without_an_act_all_marks_are_the_graders(here):
    before = (here.root / "changes.jsonl").read_bytes()
    assert marks(here) == AUTOMATIC
    said = grader(here, "rubric", LESSON, "--no-serve")
    assert said.exit_code == 0, said.output
    assert (here.root / "changes.jsonl").read_bytes() == before
    assert not (here.root / rubric.FILE).exists()


# --- the rule ------------------------------------------------------------------------------------


def test_an_item_is_for_one_answer_for_equal_ones_or_for_all_with_the_mistake(here):
    names = change(here, "Good names", 0.5)
    put(here, "ben", names)
    assert marks(here) == AUTOMATIC | {"ben": 2.1}
    put(here, "ben", names, "equal")  # cy's has another layout and a comment
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1}
    put(here, "ben", names, "mistake")
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1, "dee": 2.1}
    put(here, "cy", names, on=False)  # an exception for one of them
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "dee": 2.1}
    put(here, "eve", names, "mistake")  # the same status on the same line
    assert marks(here)["eve"] == 3.5


def test_a_changed_item_changes_all_and_undo_goes_back_step_by_step(here):
    names = change(here, "Good names", 0.5)
    put(here, "ben", names, "mistake")
    change(here, "Very good names", 1, names)
    assert marks(here) == AUTOMATIC | {"ben": 2.6, "cy": 2.6, "dee": 2.6}
    change(here, item=names, remove=True)
    assert marks(here) == AUTOMATIC
    for expected in ({"ben": 2.6, "cy": 2.6, "dee": 2.6}, {"ben": 2.1, "cy": 2.1, "dee": 2.1}, {}):
        undo(here)
        assert marks(here) == AUTOMATIC | expected
    undo(here)
    with pytest.raises(CourseError, match="You have done nothing with add that can"):
        undo(here)
    assert names not in (here.root / rubric.FILE).read_text()
    with here.gradebook() as gradebook:
        grade = gradebook.find_grade("check-add", LESSON, LESSON, "ben")
        assert (grade.manual_score, grade.needs_manual_grade) == (None, False)


def test_a_fault_is_taken_once(here):
    assert marks(here)["ben"] == 1.6  # the grader leaves 40 %
    change(here, "y is taken away", -1, "difference")
    assert marks(here) == AUTOMATIC | {"ben": 3.0, "cy": 3.0, "dee": 3.0}  # 4 - 1, not 1.6 - 1
    put(here, "ben", "difference", "mistake")
    assert marks(here)["ben"] == 3.0
    put(here, "ada", "difference")  # also where the grader saw no fault
    assert marks(here)["ada"] == 3.0
    put(here, "dee", "difference", on=False)
    assert marks(here)["dee"] == 4.0
    found = rubric.accounts(here, LESSON)["ben", "add"]
    assert found.how == (
        "rubric: the grader gives 1.6 points. Without the fault: 4 points. "
        "y is taken away (-1, line 6). In all 3 of 4"
    )
    put(here, "eve", "difference")  # failed cases have taken it: of 4 points 3 are left, not 2
    assert marks(here)["eve"] == 3.0
    change(here, item="difference", remove=True)
    assert marks(here)["eve"] == 1.6  # what the grader leaves where it finds this fault alone
    for _ in range(6):
        undo(here)
    assert marks(here) == AUTOMATIC


def test_a_mark_is_never_below_0_or_above_the_worth(here):
    put(here, "ben", change(here, "All of it is copied", -4))
    put(here, "ada", change(here, "Beautiful", 2))
    assert marks(here) == AUTOMATIC | {"ben": 0.0}


def test_a_mark_by_hand_stays_but_where_a_person_decides_about_just_this_answer(here):
    by_hand(here, "ben", 3.25)
    names = change(here, "Good names", 0.5)
    put(here, "cy", names, "equal")
    assert marks(here) == AUTOMATIC | {"ben": 3.25, "cy": 2.1}
    said = grader(here, "autograde", LESSON, "--jobs", "1", "--force")
    assert said.exit_code == 1 and "ben: add keeps the 3.25 points given by hand" in said.stderr
    assert "cy" not in said.stderr
    assert marks(here) == AUTOMATIC | {"ben": 3.25, "cy": 2.1}
    (ben,) = [one for one in page(here).answer({"exercise": "add"})["answers"] if one["by_hand"]]
    assert (ben["learner"], ben["mark"]) == ("ben", 3.25)
    put(here, "ben", names)
    assert marks(here)["ben"] == 2.1
    undo(here)
    assert marks(here)["ben"] == 3.25
    change(here, "Good names", 1, names)
    assert marks(here) == AUTOMATIC | {"ben": 3.25, "cy": 2.6}


def test_a_mark_of_formgrader_goes_before_the_rubrics(here):
    put(here, "ben", change(here, "Good names", 0.5))
    by_hand(here, "ben", 4)
    grader(here, "rubric", LESSON, "--no-serve")
    assert marks(here)["ben"] == 4
    last = list(changes.read(here, LESSON))[-1]
    assert (last.before, last.after, last.why) == (2.1, 4, "marked by hand")


# --- later ---------------------------------------------------------------------------------------


def test_items_stay_with_the_answer_when_another_one_is_handed_in(here):
    names = change(here, "Good names", 0.5)
    put(here, "ben", names, "equal")
    small_questions.answer(here, "ben", {"why": TEXT}, add=NO_GUARD, scale=SCALED)
    small_questions.answer(here, "eve", {}, add=SAME, scale=SCALED)
    said = grader(here, "autograde", LESSON, "--jobs", "1")
    assert said.exit_code == 0, said.output
    assert marks(here) == AUTOMATIC | {"ben": 3.0, "cy": 2.1, "eve": 2.1}
    why = {line.learner: line.why for line in changes.read(here, LESSON) if line.what == "add"}
    assert why["ben"] == "handed in again"
    assert why["eve"].startswith("rubric: the grader gives 1.6 points. Good names (+0.5)")
    small_questions.answer(here, "ben", {"why": TEXT}, add=SUBTRACTS, scale=SCALED)
    grader(here, "autograde", LESSON, "--jobs", "1")
    assert marks(here)["ben"] == 2.1


def test_a_rubric_counts_from_what_the_grader_gives_now(here):
    put(here, "ben", change(here, "Good names", 0.5), "equal")
    file = here.kernels / LESSON / mistakes.FILE
    file.write_text(file.read_text() + "leaves = 0.5\n")
    steps.write_faults(course.lesson(LESSON, here.kernels))
    said = grader(here, "regrade", LESSON, "--dry-run", "--jobs", "1").stdout
    assert re.search(r"ben +add +2.1 +2.5 +rubric: the grader gives 2 points. Good", said)
    assert re.search(r"dee +add +1.6 +2 +", said)
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1}
    assert grader(here, "regrade", LESSON, "--jobs", "1").exit_code == 0
    assert marks(here) == AUTOMATIC | {"ben": 2.5, "cy": 2.5, "dee": 2.0}


def test_rubric_toml_can_be_edited(here):
    put(here, "ben", change(here, "Good names", 0.5))
    path = here.root / rubric.FILE
    path.write_text(path.read_text().replace("0.5", "1 # more"))
    assert grader(here, "rubric", LESSON, "--no-serve").exit_code == 0
    assert marks(here)["ben"] == 2.6
    change(here, "Short", 0.25)
    assert "1 # more" in path.read_text()
    for wrong, said in (
        ("version = 2\n", "Invalid enum value 2"),
        ("version = 1\nlessons = 3\n", "Expected `object`, got `int`"),
        (path.read_text().replace("1 # more", "nan"), "points must be a number"),
        (path.read_text().replace("points", "point"), "unknown field `point`"),
        ("[[[", "Invalid"),
    ):
        path.write_text(wrong)
        found = grader(here, "rubric", LESSON, "--no-serve")
        assert found.exit_code == 2 and said in found.stderr and rubric.FILE in found.stderr
        assert "Traceback" not in found.stderr


# --- texts ---------------------------------------------------------------------------------------


def test_texts_are_marked_and_the_lesson_has_a_total(here):
    assert marks(here, "why") == {"ada": None, "ben": None, "cy": None, "dee": None, "eve": 0.0}
    put(here, "ada", "right", "equal", "why")
    put(here, "cy", "not_right", "equal", "why")
    put(here, "ben", change(here, "In capitals", -0.5, exercise="why"), "one", "why")
    assert marks(here, "why") == {"ada": 3.0, "ben": 2.5, "cy": 0.0, "dee": 0.0, "eve": 0.0}
    said = grader(here, "autograde", LESSON, "--jobs", "1")
    assert "to mark by hand" not in said.stdout
    undo(here, "why"), undo(here, "why"), undo(here, "why")
    assert marks(here, "why") == {"ada": 3.0, "ben": 3.0, "cy": None, "dee": None, "eve": 0.0}
    assert "2 to mark by hand (cy, dee)" in grader(here, "autograde", LESSON).stdout
    assert "2 wait for a mark by hand" in grader(here, "status", LESSON).stdout


# --- everywhere the same -------------------------------------------------------------------------

HOW = "rubric: the grader gives 1.6 points. Good <names> (+0.5). In all 2.1 of 4"


def test_everywhere_is_the_same_number_and_how_it_came_about(here):
    put(here, "ben", change(here, "Good <names>", 0.5))
    put(here, "ben", "right", "equal", "why")
    put(here, "cy", "not_right", "equal", "why")
    for command in ("report", "feedback"):
        assert grader(here, command, LESSON).exit_code == 0
    rows = list(csv.DictReader(io.StringIO((here.root / f"report/{LESSON}.csv").read_text())))
    found = {(row["learner"], row["exercise"]): row for row in rows}
    assert (found["ben", "add"]["score"], found["ben", "add"]["how"]) == ("2.1", HOW)
    assert found["dee", "add"]["how"] == ""
    listed = json.loads((here.root / f"report/{LESSON}.json").read_text())
    assert HOW in [row["how"] for row in listed]
    assert html.escape(HOW) in (here.root / f"report/{LESSON}.html").read_text()
    shown = (here.path("feedback", LESSON, "ben") / f"{LESSON}.html").read_text()
    assert "2.1 of 4 points.</strong> The grader gave 1.6 points." in shown
    assert "<li>Good &lt;names&gt; (+0.5)</li>" in shown and "Good <names>" not in shown
    assert grader(here, "export", LESSON, "--for", "moodle").exit_code == 0
    assert HOW in (here.root / f"export/{LESSON}-moodle.csv").read_text()
    request = here.root / "appeals" / "ben" / "request.json"
    request.parent.mkdir(parents=True)
    asked = {"lesson": LESSON, "exercise": "add", "why": "Why?", "at": "2026-01-05 10:00"}
    request.write_text(json.dumps(asked))
    said = grader(here, "appeals").stdout
    assert "ben: add in 01_add, 2.1 of 4" in said and f"mark: {HOW}" in said
    (line,) = [one for one in changes.read(here, LESSON) if one.after == 2.1]
    assert line.why == HOW


def answered(here, points):
    """Give ben a mark in answer to a request."""
    request = here.root / "appeals" / "ben" / "request.json"
    request.parent.mkdir(parents=True)
    asked = {"lesson": LESSON, "exercise": "add", "why": "Why?", "at": "2026-01-05 10:00"}
    request.write_text(json.dumps(asked))
    answer = ("--answer", "ben", LESSON, "add", "You are right.", "--points", points)
    assert grader(here, "appeals", *answer).exit_code == 0


def test_an_answered_request_goes_before_the_rubric(here):
    put(here, "ben", change(here, "Good names", 0.5), "equal")
    answered(here, "3")
    assert grader(here, "autograde", LESSON, "--jobs", "1").exit_code == 0
    assert marks(here) == AUTOMATIC | {"ben": 3.0, "cy": 2.1}


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_mark_by_hand_stays_also_where_a_rubric_gives_as_much(here, when):
    """2.1 points, in answer to a request, `when` the first item was put on."""
    names, steps = change(here, "Good names", 0.5), [lambda: answered(here, "2.1")]
    steps.insert(when == "before", lambda: put(here, "ben", names, "equal"))
    for step in steps[:: 1 if when == "before" else -1]:
        step()
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1}
    (ben,) = [one for one in page(here).answer({"exercise": "add"})["answers"] if one["by_hand"]]
    assert ben["learner"] == "ben"
    more = change(here, "Short", 1)
    put(here, "ben", more, "equal")
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 3.1}
    change(here, "Short", 2, more)
    assert grader(here, "autograde", LESSON, "--jobs", "1").exit_code in (0, 1)
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 4.0}


def test_an_item_for_just_this_answer_takes_the_place_also_of_an_equal_mark(here):
    answered(here, "2.1")
    names = change(here, "Good names", 0.5)
    put(here, "ben", names)
    change(here, "Good names", 1, names)
    assert marks(here)["ben"] == 2.6
    undo(here), undo(here)
    put(here, "ben", names, "equal")
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1}


def test_a_comment_is_at_its_line_also_in_an_equal_answer_of_another_layout(here):
    lines = SUBTRACTS.split("\n")
    at = lines.index("    // BEGIN SOLUTION") + 1  # from 1, below the magic
    guard = change(here, "Nice guard", 0)
    put(here, "cy", guard, "equal", line=at + 3)
    found = {one["learner"]: one["on"] for one in page(here).answer({"exercise": "add"})["answers"]}
    source = {
        one["learner"]: one["source"].split("\n")
        for one in page(here).answer({"exercise": "add"})["answers"]
    }
    assert "total[i] =" in source["cy"][found["cy"][guard] - 1]
    assert found["ben"][guard] == 0  # there it is no line of its own
    assert marks(here) == AUTOMATIC  # a comment has no points
    grader(here, "feedback", LESSON)
    shown = (here.path("feedback", LESSON, "cy") / f"{LESSON}.html").read_text()
    assert f"<li>Nice guard (line {found['cy'][guard]})</li>" in shown


# --- sections and TAs ----------------------------------------------------------------------------


def test_a_section_sees_and_marks_its_own_answers_alone(here):
    evening = page(here, "Evening")
    assert [one["learner"] for one in evening.answer({"exercise": "add"})["answers"]] == [
        "cy",
        "dee",
    ]
    names = change(here, "Good names", 0.5)
    act = {"do": "put", "learner": "cy", "item": names, "scope": "equal", "on": True}
    evening.answer({"exercise": "add", "act": act})
    assert marks(here) == AUTOMATIC | {"cy": 2.1}


def test_commands_are_about_one_section(here):
    small_questions.answer(here, "ben", {"why": TEXT}, add=SOLUTION, scale=UNGUARDED_SCALE)
    small_questions.answer(here, "cy", {"why": TEXT}, add=SOLUTION, scale=UNGUARDED_SCALE)
    said = grader(here, "autograde", LESSON, "--jobs", "1", "--section", "Evening")
    assert "graded: 2 submissions" in said.stdout
    assert marks(here) == AUTOMATIC | {"cy": 4.0}
    said = grader(here, "feedback", LESSON, "--section", "Morning").stdout
    assert "feedback: 2 pages" in said
    assert not here.path("feedback", LESSON, "cy").exists()
    for command in ("autograde", "feedback", "report", "rubric"):
        said = grader(here, command, LESSON, "--section", "Night")
        assert said.exit_code == 2
        assert "Nobody is in section 'Night'; there are: Evening, Morning." in said.stderr


def test_a_ta_has_the_own_sections_without_being_asked(here, monkeypatch):
    with coursefile.changed(here) as document:
        document["tas"] = {"tim": ["Evening"], "tom": ["Morning", "Evening"]}
    monkeypatch.setenv("LOGNAME", "tim")
    assert "feedback: 2 pages" in grader(here, "feedback", LESSON).stdout
    said = grader(here, "report", LESSON, "--section", "Morning")
    assert said.exit_code == 2
    assert "course.toml says that tim is a TA of Evening, and not of Morning." in said.stderr
    put(here, "cy", change(here, "Good names", 0.5))
    act = json.loads((here.root / rubric.LOG).read_text().splitlines()[-1])
    assert act["who"] == "tim" and act["whose"]["learner"] == ["cy"]
    assert list(changes.read(here, LESSON))[-1].who == "tim"
    said = grader(here, "appeals", "--answer", "ben", LESSON, "add", "No.")
    assert "ben is in another section" in said.stderr
    monkeypatch.setenv("LOGNAME", "tom")
    assert "feedback: 4 pages" in grader(here, "feedback", LESSON).stdout
    with pytest.raises(CourseError, match="You have done nothing with add"):
        undo(here)  # each person undoes the own acts


def test_an_item_that_another_person_has_changed_since_is_not_put_back(here, monkeypatch):
    names = change(here, "Good names", 0.5)
    monkeypatch.setenv("LOGNAME", "tom")
    change(here, "Good names", 1, names)
    monkeypatch.setenv("LOGNAME", "root")
    with pytest.raises(CourseError, match="Somebody has changed good_names since"):
        undo(here)


def test_what_a_killed_command_has_begun_with_an_item_can_be_undone(here, monkeypatch):
    """The act is in the log, and rubric.toml has not what it says."""
    names = change(here, "Good names", 0.5)
    with monkeypatch.context() as patch:
        patch.setattr(rubric, "put", lambda *_: 1 / 0)
        for text, item in (("Very good names", names), ("Short", "")):
            with pytest.raises(CourseError):
                change(here, text, 1, item)
    undo(here), undo(here)
    assert "Good names" in (here.root / rubric.FILE).read_text()
    undo(here)
    assert names not in (here.root / rubric.FILE).read_text()


def test_two_who_mark_at_the_same_time_lose_nothing(here):
    change(here, "Good names", 0.5)
    change(here, "Short", 0.25)

    def mark(learner, item):
        for on in (True, False, True):
            put(here, learner, item, on=on)

    pairs = [("ben", "good_names"), ("dee", "short"), ("eve", "good_names")]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(mark, *zip(*pairs, strict=True)))
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "dee": 1.85, "eve": 3.5}
    acts = [json.loads(line) for line in (here.root / rubric.LOG).read_text().splitlines()]
    assert [act["number"] for act in acts] == list(range(1, 12))


def test_a_command_at_work_is_waited_for_and_then_named(here, monkeypatch):
    monkeypatch.setattr(lecture, "PATIENCE", 0.2)
    with alone(here), pytest.raises(CourseError, match="is at work in this course"):
        undo(here)


def test_a_torn_line_of_the_log_takes_no_other_with_it(here):
    put(here, "ben", change(here, "Good names", 0.5))
    with (here.root / rubric.LOG).open("a") as log:
        log.write('{"number": 3, "when":\n{"number": 3, "whose": {"__class__": []}}\n')
    put(here, "dee", "good_names")
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "dee": 2.1}


def test_a_team_has_one_mark(here):
    with coursefile.changed(here) as document:
        coursefile.table(document, "lessons", LESSON)["teams"] = True
        for name in ("ben", "cy"):
            document["learners"][name]["team"] = "blue"
    assert grader(here, "autograde", LESSON, "--jobs", "1").exit_code == 0
    put(here, "ben", change(here, "Good names", 0.5))
    assert marks(here) == AUTOMATIC | {"ben": 2.1, "cy": 2.1}


def test_extra_credit_can_have_items(here):
    with coursefile.changed(here) as document:
        coursefile.table(document, "lessons", LESSON)["extra"] = ["add"]
    assert grader(here, "autograde", LESSON, "--jobs", "1").exit_code == 0
    assert marks(here) == AUTOMATIC
    put(here, "ben", change(here, "Good names", 0.5))
    assert marks(here) == AUTOMATIC | {"ben": 2.1}
    undo(here)
    assert marks(here) == AUTOMATIC


# --- what moves, and what cannot be --------------------------------------------------------------


def test_a_renamed_lesson_and_a_joined_login_keep_their_rubrics(here):
    put(here, "ben", change(here, "Good names", 0.5))
    with coursefile.changed(here) as document:
        del document["learners"]["ben"]
        document["learners"]["benno"] = {"csv": {"id": "benno"}}
    said = grader(here, "roster", "--same", "ben=benno")
    assert said.exit_code == 0, said.output
    grader(here, "rubric", LESSON, "--no-serve")
    assert marks(here)["benno"] == 2.1
    (here.kernels / LESSON).rename(here.kernels / "01_sum")
    assert grader(here, "rename", LESSON, "01_sum").exit_code == 0
    assert rubric.accounts(here, "01_sum")["benno", "add"].mark == 2.1


@pytest.mark.parametrize(
    ("act", "said"),
    [
        ({"do": "item", "item": "", "text": " ", "points": 1}, "The text is empty"),
        (
            {"do": "item", "item": "", "text": "x", "points": 5},
            "add has 4 points: give from -4 to 4.",
        ),
        (
            {"do": "item", "item": "", "text": "x", "points": "nan"},
            "add has 4 points: give from -4 to 4.",
        ),
        (
            {"do": "item", "item": "difference", "remove": True},
            "'difference' is not in rubric.toml",
        ),
        ({"do": "put", "learner": "zed", "item": "difference", "scope": "one", "on": True}, "gone"),
        ({"do": "put", "learner": "ben", "item": "zed", "scope": "one", "on": True}, "gone"),
        (
            {"do": "put", "learner": "ada", "item": "difference", "scope": "mistake", "on": True},
            "The grader names no mistake in this answer",
        ),
    ],
)
def test_what_cannot_be_is_a_sentence_and_changes_nothing(graded, act, said):
    before = (graded.root / "changes.jsonl").read_bytes()
    with pytest.raises(CourseError, match=re.escape(said)):
        page(graded).answer({"exercise": "add", "act": act})
    assert not (graded.root / rubric.LOG).exists() and not (graded.root / rubric.FILE).exists()
    assert (graded.root / "changes.jsonl").read_bytes() == before
