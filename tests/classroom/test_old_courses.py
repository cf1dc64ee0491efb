"""A course that an earlier version graded and handed back, graded on by this one. The files are
those of commit dc16ab2, made by its own commands: ada, ben and eva were right, wrong and right in
a way that a stricter lesson refuses, and of kim's file there is half; a date went into the past and
back, ben has a mark by hand, and everybody has a feedback page."""

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from small_class import LESSON, SCALED, grader, hand_in
from small_lesson import instead

from grader.classroom.folder import new_course

pytestmark = pytest.mark.slow

OLD_COURSE = Path(__file__).parents[1] / "course_of_dc16ab2.json"
FILES = json.loads(OLD_COURSE.read_text(encoding="utf-8"))
STORED_TWICE = instead(
    "    volatile float* t = total;\n    if (i < n) { t[i] = 0; t[i] = x[i] + y[i]; }"
)
STRICTER = 'budgets=(sectors, Budget("global_store_sectors", 16, "Store each float once.")))'


def said(here, *arguments):
    done = grader(here, *arguments)
    return done.exit_code, " ".join(done.stdout.split()), " ".join(done.stderr.split())


def make_stricter(here):
    """A new version of the lesson, in which eva's `add` has 3 points of 4."""
    exercises = here.kernels / LESSON / "exercises.py"
    exercises.write_text(exercises.read_text().replace("budgets=(sectors,))", STRICTER))


@pytest.fixture
def here(tmp_path, kernels, grading):
    root = tmp_path / "course"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with closing(sqlite3.connect(root / "gradebook.db")) as gradebook:
        gradebook.executescript((root / "gradebook.sql").read_text())
    return new_course(root, shutil.copytree(kernels, tmp_path / "kernels"))


@pytest.fixture
def young(tmp_path, kernels, grading):
    """A course of today, in which eva is graded."""
    here = new_course(tmp_path / "course", shutil.copytree(kernels, tmp_path / "kernels"))
    assert said(here, "release", LESSON)[0] == 0
    hand_in(here, "eva", add=STORED_TWICE, scale=SCALED)
    assert said(here, "autograde", LESSON)[0] == 0
    return here


def marks(here):
    with here.gradebook() as gradebook:
        return {
            one.student.id: {
                grade.name.removeprefix("check-"): None
                if grade.auto_score is grade.manual_score is None
                else grade.score
                for grade in one.notebooks[0].grades
            }
            for one in gradebook.assignment_submissions(LESSON)
        }


def page(here, learner):
    assert said(here, "feedback", LESSON)[0] == 0
    return (here.path("feedback", LESSON, learner) / f"{LESSON}.html").read_text()


def section(html, exercise):
    return html.partition(f'id="check-{exercise}"')[2].partition("</section>")[0]


OLD = {
    "ada": {"add": 4, "scale": 2},
    "ben": {"add": 3.5, "scale": 1},
    "eva": {"add": 4, "scale": 2},
    "kim": {"add": None, "scale": None},
}


def test_a_course_of_an_earlier_version_grades_on_without_changing_a_mark(here):
    code, told, _ = said(here, "autograde", LESSON)
    assert code == 1 and "graded: 4 submissions, 1 unreadable (kim)" in told
    assert marks(here) == OLD
    assert told.endswith(
        "marks of 1 learner changed: could not be judged; largest 0 to no mark (kim); "
        "changes.jsonl has them all"
    )
    assert "kept" not in told


def test_a_page_shows_no_line_without_a_before_whatever_wrote_the_log(here):
    said(here, "autograde", LESSON)
    told = page(here, "ada").partition("Changes of your marks")[2].partition("</table>")[0]
    numbers = re.findall(r'<td class="number">([^<]*)</td>', told)
    assert numbers == ["0", "-6", "-6", "0"]


def test_a_page_of_what_an_earlier_version_graded_holds_our_solution_back(here):
    assert "Compare with ours" in here.notebook("autograded", LESSON, "ada").read_text()
    assert "Compare with ours" not in page(here, "ada")
    assert "passed" in section(page(here, "ada"), "add")


def test_a_new_version_lowers_no_mark_that_feedback_has_shown(here):
    make_stricter(here)
    _, told, _ = said(here, "regrade", LESSON, "--dry-run")
    assert "eva" not in told and "kept: 1 mark of 1 learner, as feedback has shown them" in told
    _, told, _ = said(here, "autograde", LESSON)
    assert marks(here) == OLD
    assert (
        "kept: 1 mark of 1 learner" in told
        and "`grader regrade 01_add --yes` lets them fall" in told
    )
    assert "kept: 1 mark of 1 learner" in said(here, "autograde", LESSON)[1]
    box = section(page(here, "eva"), "add")
    assert "4 of 4 points" in box and "the present version of the course gives 3 points" in box
    said(here, "autograde", LESSON, "--force")
    assert marks(here) == OLD


def test_marks_fall_where_the_instructor_says_so_and_stay_there(here):
    make_stricter(here)
    said(here, "autograde", LESSON)
    _, told, _ = said(here, "regrade", LESSON, "--dry-run", "--yes")
    assert "eva add 4 3" in told and "0 up, 1 down; largest 6 to 5 (eva)" in told
    assert marks(here) == OLD
    _, told, _ = said(here, "regrade", LESSON, "--yes")
    assert "marks of 1 of 4 learners changed" in told and "kept" not in told
    fallen = OLD | {"eva": {"add": 3, "scale": 2}}
    assert marks(here) == fallen
    for command in (("autograde",), ("autograde", "--force"), ("feedback",), ("autograde",)):
        assert "kept" not in said(here, command[0], LESSON, *command[1:])[1]
        assert marks(here) == fallen


def test_a_mark_that_nobody_was_shown_falls_and_that_is_said(young):
    make_stricter(young)
    _, told, _ = said(young, "autograde", LESSON)
    assert marks(young)["eva"] == {"add": 3, "scale": 2}
    assert (
        "marks of 1 learner changed: the lesson's cases or points changed; largest 6 to 5" in told
    )


def test_a_mark_stays_for_the_answer_that_it_was_given_for_and_for_no_other(young):
    said(young, "feedback", LESSON)
    make_stricter(young)
    hand_in(young, "eva", add=STORED_TWICE, scale=SCALED.replace("2 *", "3 *"))
    said(young, "autograde", LESSON)
    assert marks(young)["eva"] == {"add": 4, "scale": 0}
    hand_in(young, "eva", add=STORED_TWICE.replace("t[i] = 0", "t[i] = 1"), scale=SCALED)
    said(young, "autograde", LESSON)
    assert marks(young)["eva"] == {"add": 3, "scale": 2}


def test_extra_credit_stays_too(young):
    plan = f'version = 1\n[lessons.{LESSON}]\nextra = ["add"]\n'
    (young.root / "course.toml").write_text(plan)
    said(young, "autograde", LESSON)
    said(young, "feedback", LESSON)
    make_stricter(young)
    assert "kept: 1 mark" in said(young, "autograde", LESSON)[1]
    assert marks(young)["eva"] == {"add": 4, "scale": 2}


def test_the_best_of_several_attempts_stays_the_best(young):
    worse = {"2026-11-01 12:00:00 UTC": ("add", "3 *"), "2026-11-02 12:00:00 UTC": ("", "2 *")}
    for when, (_, factor) in worse.items():
        hand_in(young, "eva", add=STORED_TWICE, scale=SCALED.replace("2 *", factor))
        place = young.path("submitted", LESSON, "eva")
        (place / "timestamp.txt").write_text(when)
        shutil.copytree(place, young.shelves / "inbound" / f"eva+{LESSON}+{when}+x")
    plan = f'version = 1\n[lessons.{LESSON}]\nattempts = "best"\n'
    (young.root / "course.toml").write_text(plan)
    said(young, "autograde", LESSON)
    said(young, "feedback", LESSON)
    make_stricter(young)
    said(young, "autograde", LESSON)
    assert marks(young)["eva"] == {"add": 4, "scale": 2}


def test_a_mark_is_never_above_the_most_there_is(young):
    said(young, "feedback", LESSON)
    make_stricter(young)
    exercises = young.kernels / LESSON / "exercises.py"
    exercises.write_text(exercises.read_text().replace("add(128), 2)", "add(128), 1)"))
    said(young, "autograde", LESSON)
    assert marks(young)["eva"]["add"] == 3


def test_formgrader_s_button_lowers_no_shown_mark_either(young):
    from nbgrader.converters import Autograde

    said(young, "feedback", LESSON)
    make_stricter(young)
    young.run(Autograde, LESSON, "eva", force=True)
    assert marks(young)["eva"] == {"add": 4, "scale": 2}
