"""A small class from release to feedback, through the real nbgrader and the command line."""

import csv
import re
import shutil

import nbformat
import pytest
import small_class
from nbgrader.apps import NbGraderAPI
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory
from small_class import (
    LESSON,
    NO_GUARD,
    SCALED,
    UNGUARDED_SCALE,
    WRONG_SUM,
    cell_of,
    grader,
    hand_in,
)
from small_lesson import SOLUTION

from grader import course
from grader.classroom import ClassroomError, batch, demo, feedback, judges, verdicts
from grader.classroom.export import ExerciseRow
from grader.classroom.feedback import PageContent
from grader.classroom.folder import new_course, open_course, seed
from grader.course.kinds import unmarked
from grader.judge import judge

pytestmark = [pytest.mark.slow, pytest.mark.core]


@pytest.fixture(scope="module")
def released(tmp_path_factory, kernels):
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    return here


@pytest.fixture(scope="module")
def graded(released, grading):
    """The course after `grader autograde`, and what that said."""
    here = released
    lesson = course.lesson(LESSON, here.kernels)
    demo.hand_in(here, lesson, "ada", {"add": SOLUTION, "scale": SCALED})  # by the exchange
    hand_in(here, "ben", add=NO_GUARD, scale=UNGUARDED_SCALE)
    hand_in(here, "blank")
    hand_in(here, "attacker", small_class.attack, add=WRONG_SUM, scale=SCALED)
    hand_in(here, "copied", small_class.copy, add=unmarked(SOLUTION), scale=unmarked(SCALED))
    hand_in(here, "copied_and_changed", small_class.copy_changed, add=SOLUTION, scale=SCALED)
    hand_in(here, "deleted", small_class.delete, scale=SCALED)
    hand_in(here, "emptied", small_class.empty, scale=SCALED)
    hand_in(here, "torn", add=SOLUTION, scale=SCALED)
    torn = here.notebook("submitted", LESSON, "torn")
    torn.write_text(torn.read_text()[:-200])
    hand_in(here, "misnamed", add=SOLUTION, scale=SCALED)
    misnamed = here.notebook("submitted", LESSON, "misnamed")
    misnamed.rename(misnamed.with_name("Untitled.ipynb"))
    return here, grader(here, "autograde", LESSON)


def points(here, learner):
    with here.gradebook() as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, learner)
        return {grade.name.removeprefix("check-"): grade.score for grade in notebook.grades}


def test_learners_are_handed_the_blank_and_never_the_solution(released):
    handed_out = released.shelves / "outbound" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(handed_out, as_version=4)
    assert "// YOUR CODE HERE" in cell_of(notebook, "add").source
    assert "total[i] =" not in handed_out.read_text()
    assert "SOLUTION" not in handed_out.read_text()


@pytest.mark.parametrize(
    ("learner", "expected"),
    [
        ("ada", {"add": 4, "scale": 2}),
        ("ben", {"add": 3, "scale": 1}),
        ("blank", {"add": 0, "scale": 0}),
        ("attacker", {"add": 0, "scale": 2}),
        ("copied", {"add": 4, "scale": 2}),
        ("copied_and_changed", {"add": 0, "scale": 2}),
        ("deleted", {"add": 0, "scale": 2}),
        ("emptied", {"add": 0, "scale": 2}),
        ("torn", {"add": 0, "scale": 0}),
        ("misnamed", {"add": 4, "scale": 2}),
    ],
)
def test_the_gradebook_has_the_points_of_every_exercise(graded, learner, expected):
    here, _ = graded
    assert points(here, learner) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "copied: The notebook has 2 cells for add, all alike; one of them counts.",
        "copied_and_changed: The notebook has 2 cells for add with different code in them",
        "deleted: The cell for add is missing from the notebook.",
        "emptied: The cell for add is empty.",
        "torn: 01_add.ipynb is not a notebook (it is not JSON as Jupyter writes it)",
        "misnamed: Untitled.ipynb counts, because the work is in it. "
        "Next time, name it 01_add.ipynb.",
    ],
)
def test_a_damaged_notebook_gets_one_sentence_and_a_status_of_1(graded, sentence):
    _, said = graded
    assert said.exit_code == 1
    assert [line.startswith(sentence) for line in said.stderr.splitlines()].count(True) == 1
    assert len(said.stderr.splitlines()) == 6


def test_no_python_of_a_learner_is_executed(graded):
    here, _ = graded
    assert not list(here.root.rglob("executed"))


def test_what_was_handed_in_is_left_as_it_was(graded):
    here, _ = graded
    assert not here.notebook("submitted", LESSON, "torn").read_text().endswith("}\n")
    assert not list(here.root.glob("unreadable-*"))


def test_the_verdict_is_kept_beside_the_graded_notebook(graded):
    here, _ = graded
    kept = verdicts.read(here.path("autograded", LESSON, "ben"))
    assert kept["add"]["verdict"]["status"] == "out_of_bounds"
    assert kept["add"]["verdict"]["line"] == 6
    assert kept["add"]["verdict"]["seed"] == seed(here.root / "secret", f"{LESSON}/add")


def test_the_check_cell_shows_what_nbgrader_scores_and_the_learner_reads(graded):
    here, _ = graded
    notebook = nbformat.read(here.notebook("autograded", LESSON, "ben"), as_version=4)
    (output,) = cell_of(notebook, "check-add").outputs
    assert output.output_type == "execute_result"
    assert output.data["text/plain"] == "3.0"
    assert "a length that is no multiple of the block" in output.data["text/html"]


def test_a_hidden_case_is_named_and_nothing_else_of_it_is_shown(graded):
    here, _ = graded
    page = small_class.feedback_page(here, "ben")
    assert "a length that is no multiple of the block" in page
    hidden = verdicts.read(here.path("autograded", LESSON, "ben"))["add"]["verdict"]["cases"][2]
    assert hidden["message"] and hidden["message"] not in page
    assert str(seed(here.root / "secret", f"{LESSON}/add")) not in page
    assert not list(here.path("feedback", LESSON, "ben").glob("*.json"))


def test_feedback_says_what_was_wrong_with_the_notebook(graded):
    here, _ = graded
    assert "01_add.ipynb is not a notebook" in small_class.feedback_page(here, "torn")


def test_feedback_goes_through_the_exercises_as_the_notebook_does(graded):
    here, _ = graded
    rows = [
        ExerciseRow("ben", LESSON, name, 0, 1, "wrong_answer", None, "", None)
        for name in ("by_hand", "scale", "add")
    ]
    html = feedback.page(here, LESSON, "ben", PageContent("Adding", {}, tuple(rows), {}, (), ""))
    assert re.findall(r'section id="check-(\w+)"', html) == ["add", "scale", "by_hand"]


def test_feedback_and_grades_reach_learner_and_instructor(graded):
    here, _ = graded
    said = grader(here, "feedback", LESSON)
    assert (said.exit_code, said.stderr) == (0, "")
    assert len(here.learners("feedback", LESSON)) == 10
    assert len(list((here.shelves / "feedback").glob("*.html"))) == 1  # ada's, by the exchange
    with (here.root / "grades.csv").open() as file:
        scores = {row["student_id"]: row["score"] for row in csv.DictReader(file)}
    assert float(scores["ada"]) == 6.0
    assert float(scores["ben"]) == 4.0
    assert scores["torn"] == scores["copied_and_changed"] == ""  # nobody knows what they are worth


def test_formgrader_sees_the_class(graded):
    here, _ = graded
    where = CourseDirectory(config=here.config)
    api = NbGraderAPI(coursedir=where, config=here.config)
    seen = {row["student"]: row["score"] for row in api.get_submissions(LESSON)}
    assert len(seen) == 10
    assert seen["ada"] == 6.0


def test_formgrader_s_own_button_gives_the_marks_that_the_command_completes(
    tmp_path, kernels, grading
):
    here = new_course(tmp_path, kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ben", small_class.delete, scale=UNGUARDED_SCALE)
    place = here.path("autograded", LESSON, "ben")
    here.run(Autograde, LESSON, "ben")
    assert points(here, "ben") == {"add": 0, "scale": 1}
    told = verdicts.read(place)
    assert told["add"]["problem"] == "The cell for add is missing from the notebook."
    assert verdicts.fingerprint(place) == ""
    assert grader(here, "autograde", LESSON).exit_code == 1
    assert verdicts.read(place) == told
    assert verdicts.fingerprint(place)


def test_what_is_handed_in_again_meanwhile_waits_for_the_next_time(tmp_path, kernels, grading):
    """A submission is read once: its answers, its notebook and its fingerprint belong together."""
    here = new_course(tmp_path, kernels)
    assert grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=SOLUTION, scale=SCALED)

    def track(steps, description, **_):
        if description.endswith("grading"):
            hand_in(here, "ada", add=WRONG_SUM, scale=SCALED)
        return steps

    batch.autograde(here, LESSON, ["ada"], track=track)
    assert points(here, "ada") == {"add": 4, "scale": 2}
    assert grader(here, "autograde", LESSON).exit_code == 0
    assert points(here, "ada") == {"add": 0, "scale": 2}


def test_grading_again_keeps_marks_given_by_hand_and_changes_nothing(graded):
    here, _ = graded
    with here.gradebook() as gradebook:
        grade = gradebook.find_grade("check-add", LESSON, LESSON, "ben")
        grade.manual_score = 3.5
        gradebook.db.commit()
    before = here.notebook("autograded", LESSON, "ben").read_text()
    (again,) = batch.autograde(here, LESSON, ["ben"])
    assert points(here, "ben") == {"add": 3.5, "scale": 1}
    assert here.notebook("autograded", LESSON, "ben").read_text() == before
    assert again.problems == ()


def test_releasing_again_keeps_the_grades(graded):
    here, _ = graded
    assert grader(here, "release", LESSON).exit_code == 0
    assert points(here, "ada") == {"add": 4, "scale": 2}


def test_the_same_source_is_judged_once(graded, monkeypatch):
    here, _ = graded
    asked = []

    def counted(exercise_id, source, **options):
        asked.append(exercise_id)
        return judge(exercise_id, source, **options)

    monkeypatch.setattr(judges, "judge", counted)
    shutil.rmtree(here.root / "verdicts")
    for learner in ("ada", "copied"):
        shutil.rmtree(here.path("autograded", LESSON, learner))
    assert len(batch.autograde(here, LESSON, ["ada", "copied"])) == 2
    assert sorted(asked) == ["01_add/add", "01_add/scale"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["autograde", "99_nothing"], "There is no lesson '99_nothing'; there are: 01_add."),
        (["release", "99_nothing"], "There is no lesson '99_nothing'; there are: 01_add."),
        (["autograde", LESSON], "Nobody has handed in 01_add yet"),
        (["feedback", LESSON], "Nothing is graded yet: run `grader autograde 01_add`."),
    ],
)
def test_what_cannot_be_done_yet_is_said_in_one_sentence(
    tmp_path, kernels, grading, arguments, sentence
):
    said = grader(new_course(tmp_path, kernels), *arguments)
    assert sentence in said.stderr
    assert said.stderr.count("\n") == 1
    assert said.exit_code == 2


def test_a_lesson_that_was_never_released_cannot_be_graded(tmp_path, kernels, grading):
    here = new_course(tmp_path, kernels)
    here.path("submitted", LESSON, "ada").mkdir(parents=True)
    assert "run `grader release 01_add`" in grader(here, "autograde", LESSON).stderr


def test_a_config_that_would_execute_notebooks_is_refused(graded):
    here, _ = graded
    stock = here.configured(
        Autograde={"autograde_preprocessors": ["nbgrader.preprocessors.Execute"]}
    )
    with pytest.raises(ClassroomError, match="would have nbgrader execute"):
        batch.autograde(stock, LESSON, ["ada"])


def test_a_class_shares_its_seeds_and_another_class_has_others(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert seed(first, "01_add/add") == seed(first, "01_add/add")
    assert seed(first, "01_add/add") != seed(first, "01_add/scale")
    assert seed(first, "01_add/add") != seed(second, "01_add/add")
    assert first.stat().st_mode & 0o077 == 0


def test_the_demo_grades_the_solution_the_blank_and_each_wrong_kernel(tmp_path, kernels, grading):
    graded = demo.run(tmp_path / "demo", course.lesson(LESSON, kernels), lambda steps, **_: steps)
    found = {
        one.learner: {name: kept["verdict"]["status"] for name, kept in one.exercises.items()}
        for one in graded
    }
    assert found == {
        "solution": {"add": "passed", "scale": "passed"},
        "blank": {"add": "not_attempted", "scale": "not_attempted"},
        "unguarded": {"add": "passed", "scale": "out_of_bounds"},
    }
    assert (tmp_path / "demo/grades.csv").read_text().count("\n") == 4
    assert open_course(tmp_path / "demo/nbgrader_config.py").learners("feedback", LESSON)
