"""`grader leaderboard`: who passed with the least traffic, from the verdicts that were kept."""

import pytest
import small_class
from small_class import LESSON, SCALED, grader, hand_in
from small_lesson import SOLUTION, instead

from grader import course
from grader.classroom import batch
from grader.classroom.folder import new_course
from grader.classroom.handing_out import release
from grader.course import Contest, Standing
from grader.judge import judge

pytestmark = pytest.mark.slow

CONTEST = """
from grader.course import Contest

add_contest = Contest(exercise="add", sectors=10, instructions=10)
"""
HIDDEN = 'Case("a length that is no multiple of the block", add(100), 1, visible=False)'
LONGER = instead("    if (i < n) total[i] = n > 1000 ? sinf(x[i]) : x[i] + y[i];")
WRONG = instead("    if (i < n) total[i] = x[i];")


@pytest.fixture(scope="module")
def here(tmp_path_factory, grading):
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    exercises = kernels / LESSON / "exercises.py"
    cases = exercises.read_text().replace(HIDDEN, HIDDEN.replace("1,", "1, budgets=(sectors,),"))
    exercises.write_text(cases + CONTEST)
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    release(here, course.lesson(LESSON, kernels))
    answers = {"ada": LONGER, "ben": SOLUTION, "cem": SOLUTION + "\n// mine", "dora": WRONG}
    for learner, source in answers.items():
        hand_in(here, learner, add=source, scale=SCALED)
    batch.autograde(here, LESSON, list(answers))
    return here


def rows(said):
    return [line.split() for line in said.output.splitlines() if line.split()[0:1] != []]


def test_whose_kernel_costs_least_comes_first_and_who_fails_is_not_there(here):
    said = grader(here, "leaderboard", "01")
    assert said.exit_code == 0, said.output
    ranked = [(row[0], row[1]) for row in rows(said) if row[0].isdigit()]
    assert ranked == [("1", "ben"), ("1", "cem"), ("3", "ada")]


def test_aliases_stand_for_names_and_tell_nobody(here):
    said = grader(here, "leaderboard", "01", "--anonymous").output
    assert said.count("anon-") == 3
    assert "ben" not in said and "ada" not in said


def test_a_lesson_without_a_contest_says_so(here, tmp_path):
    (tmp_path / "kernels").mkdir()
    kernels = small_class.write_lesson(tmp_path / "kernels")
    said = grader(new_course(tmp_path / "course", kernels), "leaderboard", "01")
    assert said.exit_code == 2
    assert "There is no contest in 01_add." in said.output


@pytest.mark.parametrize(
    ("lesson", "contest"),
    [(lesson, contest) for lesson in course.lessons() for contest in lesson.contests],
    ids=lambda one: getattr(one, "exercise", getattr(one, "name", "")),
)
def test_what_is_compared_is_counted_on_the_hidden_case(lesson, contest):
    exercise = lesson.exercise(contest.exercise)
    verdict = judge(exercise.id, lesson.solution(exercise))
    measured = course.lesson(lesson.name, compiler=verdict.compiler)
    ours = measured.exercise(exercise.name).cases[-1].ours
    assert verdict.contest == {name: ours[name] for name in ("global_sectors", "inst_executed")}
    assert judge(exercise.id, lesson.solution(exercise), hidden=False).contest == {}


def test_traffic_decides_first_and_instructions_then():
    contest = Contest("add", sectors=100, instructions=50)
    counters = {"global_sectors": 125, "inst_executed": 100}
    assert contest.standing(counters) == Standing(1.25, 2.0)
    assert Standing(1.0, 9.0) < Standing(1.01, 1.0) < Standing(1.01, 1.5)


@pytest.mark.parametrize(
    ("lesson", "contest"),
    [(lesson, contest) for lesson in course.lessons() for contest in lesson.contests],
    ids=lambda one: getattr(one, "exercise", getattr(one, "name", "")),
)
def test_a_solution_stands_above_the_bound_on_a_hidden_case_that_is_the_last(lesson, contest):
    *_, last = lesson.exercise(contest.exercise).cases
    assert not last.visible and last.budgets
    standing = contest.standing(last.ours)
    assert 1 <= standing.sectors < 2
    assert standing.instructions > 1
