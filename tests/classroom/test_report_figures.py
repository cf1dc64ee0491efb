"""The figures of `grader report`: how exercises go with the rest, sections, checks of a study, and
who needs help. Names of those stay on the instructor's page."""

import json
import shutil
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pytest
import small_class
from nbgrader.api import SubmittedAssignment
from small_class import LESSON, NO_GUARD, SCALED, UNGUARDED_SCALE, hand_in
from small_lesson import SOLUTION

from grader.classroom.export import ExerciseRow
from grader.classroom.folder import new_course
from grader.classroom.report import Class, GradedAnswer, by_section, discrimination
from grader.learner.study import StudyRow

NOW = datetime.now(UTC).replace(tzinfo=None)


def group(points, sections=None, anonymous=False):
    """A class whose learners have these points, out of 10, in exercises a, b, ..."""
    answers = {}
    for learner, mine in points.items():
        for name, score in zip("abcd", mine, strict=False):
            row = ExerciseRow(learner, LESSON, name, score, 10.0, "passed", None, "", None)
            answers.setdefault(name, []).append(GradedAnswer(row, "", ""))
    return Class(
        lesson=None,
        answers=answers,
        absent=(),
        handed_out=(),
        called={},
        anonymous=anonymous,
        strangers=(),
        others={},
        sections={name: (sections or {}).get(name, "") for name in points},
        help={},
        checks={},
    )


def test_an_exercise_that_the_strong_pass_goes_with_the_rest_and_its_opposite_against_it():
    made = group({str(k): (k, 10 - k, k) for k in range(6)})
    assert discrimination(made, "a") is None, "b and c always sum to the same"
    made = group({str(k): (k, 2 * k, 10 - k) for k in range(6)})
    assert discrimination(made, "a") == pytest.approx(1)
    assert discrimination(made, "c") == pytest.approx(-1)


def test_of_few_learners_or_equal_points_nothing_is_said():
    assert discrimination(group({str(k): (k, k) for k in range(4)}), "a") is None
    assert discrimination(group({str(k): (3, k) for k in range(6)}), "a") is None
    assert discrimination(group({str(k): (k,) for k in range(6)}), "a") is None
    unreadable = {str(k): (k, None if k < 2 else k) for k in range(6)}
    assert discrimination(group(unreadable), "a") is None


def test_sections_are_compared_where_there_are_several():
    points = {"ada": (10, 8), "ben": (4, 2), "cem": (1, 1)}
    found = by_section(group(points, {"ada": "one", "ben": "two", "cem": "two"}))
    assert {name: (len(each.by_learner), each.median) for name, each in found.items()} == {
        "one": (1, 18),
        "two": (2, 4),
    }
    assert by_section(group(points)) == {}
    assert list(by_section(group(points, {"ada": "one"}))) == ["none", "one"]


def test_without_names_a_section_of_few_is_left_out():
    points = {str(k): (k, k) for k in range(7)}
    sections = {str(k): "small" if k < 2 else "large" for k in range(7)}
    assert list(by_section(group(points, sections, anonymous=True))) == ["large"]


# --- on the page ---------------------------------------------------------------------------------


def study(notebook, said):
    """Put what the learner's copy carries to a study."""
    row = StudyRow(f"{LESSON}/add", 3, True, said, 0, 5, 0, "", None)
    rows = json.loads(json.dumps([asdict(row)]))
    notebook.metadata["warpwise"] = {"study": {"changes": 1, "events": 3, "rows": rows}}


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """Six of seven learners handed in, all of whom agreed to the study."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert small_class.grader(here, "release", LESSON).exit_code == 0
    for name in ("ada", "ben", "cem"):
        hand_in(here, name, lambda notebook: study(notebook, "data_race"), add=SOLUTION)
    for name in ("dora", "eve"):
        answers = {"add": SOLUTION, "scale": SCALED}
        hand_in(here, name, lambda notebook: study(notebook, "data_race"), **answers)
    wrong = {"add": NO_GUARD, "scale": UNGUARDED_SCALE}
    hand_in(here, "fay", lambda notebook: study(notebook, "out_of_bounds"), **wrong)
    assert small_class.grader(here, "autograde", LESSON).exit_code == 0
    (here.root / "roster.csv").write_text(
        "id,name,section\n"
        + "".join(
            f"{name},{name.title()} Doe,{'early' if name < 'd' else 'late'}\n"
            for name in ("ada", "ben", "cem", "dora", "eve", "fay", "gil")
        )
    )
    assert small_class.grader(here, "roster", "roster.csv").exit_code == 0
    return here


@pytest.fixture
def here(graded, tmp_path):
    return new_course(shutil.copytree(graded.root, tmp_path / "course"), graded.kernels)


def came(here, learner, when):
    with here.gradebook() as gradebook:
        (row,) = gradebook.db.query(SubmittedAssignment).filter_by(student_id=learner)
        row.timestamp = when
        gradebook.find_grade("check-add", LESSON, LESSON, learner).manual_score = 0.5
        gradebook.db.commit()


def is_due(here, when):
    text = (here.root / "course.toml").read_text()
    plan = f'[lessons.{LESSON}]\ndue = "{when:%Y-%m-%d %H:%M}"\n'
    (here.root / "course.toml").write_text(f"{text}\n{plan}")


def report(here, *options, page=LESSON):
    said = small_class.grader(here, "report", *options)
    assert said.exit_code == 0, said.output
    text = (here.root / f"report/{page}.html").read_text()
    return " ".join(text.split())


def test_the_page_has_sections_and_how_exercises_go_with_the_rest(here):
    page = report(here, LESSON)
    assert '<th scope="row">early</th><td class="number">3</td><td class="number">4</td>' in page
    assert '<th scope="row">late</th><td class="number">3</td><td class="number">6</td>' in page
    row = '<th scope="row"><code>add</code></th><td class="number">'
    value = float(page.partition(row)[2].partition("</td>")[0])
    assert -1 <= value <= 1


def test_the_checks_are_those_of_the_study_s_table(here):
    page = report(here, LESSON)
    cells = '<td class="number">6</td><td class="number">3</td><td>data race</td>'
    assert cells in page
    shutil.rmtree(here.root / "submitted/ada")
    shutil.rmtree(here.root / "submitted/ben")
    assert "Checks up to the first right one" not in report(here, LESSON)


def test_who_came_or_was_due_in_these_days_with_little_needs_help(here):
    came(here, "fay", NOW - timedelta(days=2))
    came(here, "ben", NOW - timedelta(days=9))
    page = report(here, LESSON)
    needs = page.partition("Who needs help this week")[2].partition("<h2>")[0]
    assert "fay" in needs
    assert "Fay Doe" in needs
    assert "ben" not in needs
    assert "gil" not in needs, "nothing was due"
    is_due(here, NOW - timedelta(days=1))
    needs = report(here, page="course").partition("Who needs help this week")[2]
    needs = needs.partition("<h2>")[0]
    assert f"Gil Doe</span>, {LESSON}: handed in nothing" in needs
    assert f"Ben Doe</span>, {LESSON}: 0.5 of 6 points, look at add, scale" in needs
    assert "ada" not in needs


def test_nobody_needs_help_before_it_is_due_or_long_after(here):
    for days in (20, -3):
        shutil.copy(here.root / "course.toml", here.root / "before.toml")
        is_due(here, NOW - timedelta(days=days))
        assert "Who needs help" not in report(here, LESSON)
        shutil.copy(here.root / "before.toml", here.root / "course.toml")


def test_who_needs_help_is_nowhere_but_on_the_instructor_s_page(here):
    came(here, "fay", NOW - timedelta(days=2))
    is_due(here, NOW - timedelta(days=1))
    assert "Who needs help" in report(here, LESSON)
    for system in ("csv", "canvas", "moodle", "xlsx"):
        assert small_class.grader(here, "export", "--for", system).exit_code == 0
    assert small_class.grader(here, "feedback", LESSON).exit_code == 0
    files = [
        *(path for path in (here.root / "report").iterdir() if path.suffix != ".html"),
        *(path for name in ("export", "feedback") for path in (here.root / name).rglob("*.*")),
    ]
    assert len(files) > 6
    for content in (path.read_bytes() for path in files):
        assert b"needs help" not in content
        assert b"look at add" not in content
    for page in (LESSON, "course"):
        text = report(here, "--anonymous", page=page)
        assert "needs help" not in text
        assert "look at add" not in text
