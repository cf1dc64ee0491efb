"""The case of sizes that no other case tries, from the judge to the card."""

import pytest
from small_lesson import ID, SOLUTION, instead

pytest.importorskip("z3")

from wrong_sizes import NO_CASE_CATCHES, edited

from grader import course, proofs as analysis
from grader.cli.kernel_commands import proved
from grader.course import Rule
from grader.course.weave import weave
from grader.judge import judge, sizes
from grader.judge.judging import STANDARD_LIMITS
from grader.judge.protocol import Examine, Examined, Ran
from grader.judge.sandbox import reasoning
from grader.notebook import verdict_card
from grader.notebook.player import of_failure
from grader.proofs.launches import MOST_ELEMENTS, Trial

RULES = """
from grader.course import Rule
from grader.course.weave import weave

add = Rule(
    exercise="add",
    kernel="add",
    parameters=("float x[n]", "float y[n]", "float total[n]", "int n"),
    blocks=(64,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
)
"""
IN_A_SHORT = SOLUTION.replace("int i =", "short i =")  # right up to 32,767
UNGUARDED = instead("    total[i] = x[i] + y[i];")


@pytest.fixture
def ruled(root):
    """The small lesson with a rule."""
    (root / "01_add" / "rules.py").write_text(RULES)
    yield root
    (root / "01_add" / "rules.py").unlink()


def last(verdict):
    return verdict.cases[-1]


def test_an_index_that_no_case_overflows_costs_the_case_of_sizes(ruled):
    verdict = judge(ID, IN_A_SHORT, root=ruled)
    assert [case.status for case in verdict.cases[:-1]] == ["passed"] * 3
    assert (last(verdict).name, last(verdict).status) == (sizes.NAME, "out_of_bounds")
    assert verdict.status == "out_of_bounds" and verdict.line == 6
    assert verdict.points == verdict.max_points - last(verdict).max_points == 4
    assert "This happens with n = " in last(verdict).message
    assert last(verdict).message.startswith("add, line 6: ")
    assert verdict.every_size.outcome == "counterexample"


def test_the_same_text_gets_the_same_verdict_again(ruled):
    assert judge(ID, IN_A_SHORT, root=ruled) == judge(ID, IN_A_SHORT, root=ruled)


def test_what_is_found_can_be_stepped_through(ruled):
    exercise = course.exercise(ID, ruled)
    verdict = judge(ID, IN_A_SHORT, root=ruled)
    replay = of_failure(verdict, IN_A_SHORT, exercise)
    assert replay.case.name == sizes.NAME
    assert replay.error.status == "out_of_bounds"
    shown = verdict_card.page(verdict, IN_A_SHORT, exercise, replay)
    assert "sizes that no other case tries" in shown.text and "Step through it" in shown.text


def test_a_right_kernel_is_proved_and_told_what_that_assumes(ruled):
    verdict = judge(ID, SOLUTION, root=ruled)
    assert verdict.status == "passed" and verdict.points == verdict.max_points == 4.5
    assert verdict.every_size.outcome == "proved"
    shown = verdict_card.page(verdict, SOLUTION, course.exercise(ID, ruled))
    assert "<summary>" in shown.html and "Proved for every size" in shown.html
    assert "n &gt;= 1" in shown.html and "every loop ends" in shown.text


def test_where_another_case_fails_no_sizes_are_looked_for(ruled):
    verdict = judge(ID, UNGUARDED, root=ruled)
    assert (last(verdict).status, last(verdict).points) == ("not_run", 0)
    assert last(verdict).message == sizes.COME_FIRST
    assert verdict.message == verdict.cases[2].message
    assert verdict.every_size is None


ANSWERS = {
    "right": SOLUTION,
    "in a short": IN_A_SHORT,
    "in another style": SOLUTION.replace("i < n", "i < n && i >= 0"),
    "only for reasoning": SOLUTION.replace("[i] =", "[i + (i * i % 65537 == 3217)] ="),
    "unguarded": UNGUARDED,
}


@pytest.mark.parametrize("name", ANSWERS)
def test_two_graders_give_the_same_marks_with_and_without_z3(ruled, monkeypatch, name):
    with_z3 = judge(ID, ANSWERS[name], root=ruled)
    monkeypatch.setattr(analysis, "available", False)
    without = judge(ID, ANSWERS[name], root=ruled)
    assert (without.points, without.status, without.cases) == (
        with_z3.points,
        with_z3.status,
        with_z3.cases,
    )


def test_without_z3_the_verdict_says_that_nothing_was_proved(ruled, monkeypatch):
    monkeypatch.setattr(analysis, "available", False)
    verdict = judge(ID, ANSWERS["in another style"], root=ruled)
    assert verdict.every_size.outcome == "not decided"
    assert "Z3" in verdict.every_size.why


def test_what_reasoning_alone_finds_is_a_remark_that_costs_nothing(ruled, monkeypatch):
    nothing = analysis.Found(analysis.Outcome.NOT_DECIDED)
    monkeypatch.setattr(analysis, "counterexample", lambda *given: nothing)
    exercise = course.exercise(ID, ruled)
    found = reasoning.examined(IN_A_SHORT, Examine(exercise.rules, "", {}, 4.0, 1.5))
    assert found.reasoned and found.tried
    monkeypatch.setattr(sizes, "reason", lambda *given: Ran(examined=found))
    verdict = judge(ID, IN_A_SHORT, root=ruled)
    assert verdict.status == "passed" and verdict.points == verdict.max_points
    assert verdict.every_size.outcome == "counterexample"
    assert verdict.every_size.why.startswith("add, line 6: ")
    assert "This happens with n = " in verdict.every_size.why
    shown = verdict_card.page(verdict, IN_A_SHORT, exercise)
    assert sizes.REMARK in shown.text and verdict.every_size.why in shown.text


OVER_BUDGET = instead(
    "    float spare = 0.0f;\n"
    "    if (i < n) for (int k = 0; k < 32; k++) spare += x[k * 37 % n];\n"
    "    if (i < n) total[i] = x[i] + y[i] + 0.0f * spare;"
)


@pytest.mark.parametrize("source", [UNGUARDED, "no kernel"])
def test_sizes_are_never_said_to_fail_as_another_case_does(ruled, source):
    verdict = judge(ID, source, root=ruled)
    assert verdict.status != "passed"
    assert (last(verdict).name, last(verdict).status) == (sizes.NAME, "not_run")
    assert verdict.status in {case.status for case in verdict.cases[:-1]}


def test_sizes_are_tried_too_where_another_case_is_only_over_budget(ruled):
    verdict = judge(ID, OVER_BUDGET, root=ruled)
    assert {case.status for case in verdict.cases[:-1]} == {"passed", "over_budget"}
    assert (last(verdict).status, last(verdict).points) == ("not_run", 0)
    assert last(verdict).message == sizes.GO_WELL
    assert (verdict.status, verdict.every_size) == ("over_budget", None)


def test_a_size_that_breaks_a_kernel_over_budget_has_its_own_status(ruled):
    verdict = judge(ID, OVER_BUDGET.replace("int i =", "short i ="), root=ruled)
    assert (last(verdict).status, last(verdict).points) == ("out_of_bounds", 0)
    assert "This happens with n = " in last(verdict).message
    assert (verdict.status, verdict.every_size.outcome) == ("over_budget", "counterexample")
    assert verdict.message == verdict.cases[1].message


def test_nothing_is_reasoned_about_a_kernel_over_budget(ruled, monkeypatch):
    effort = []

    def reason(source, exercise, limits):
        effort.append(limits.reasoning)
        return Ran(examined=Examined())

    monkeypatch.setattr(sizes, "reason", reason)
    judge(ID, OVER_BUDGET, root=ruled)
    assert effort == [0]


def test_a_launch_that_breaks_the_solution_too_accuses_nobody(ruled):
    path = ruled / "01_add" / "rules.py"
    path.write_text(RULES.replace("float total[n]", "float total[n - 1]"))  # a wrong rule
    verdict = judge(ID, SOLUTION, root=ruled)
    assert verdict.status == "passed"
    assert verdict.every_size.outcome == "not decided"


def test_an_exercise_without_a_rule_has_no_such_case(root):
    verdict = judge(ID, SOLUTION, root=root)
    assert len(verdict.cases) == 3 and verdict.max_points == 4
    assert verdict.every_size is None


def test_sizes_are_looked_for_within_their_own_time(ruled):
    """A kernel with so many branches that nobody could reason about them."""
    one = "    if (n > {0} && x[{0}] > 1e30f) total[{0}] = 0.0f;"
    branches = "\n".join(one.format(number) for number in range(900))
    found = instead(f"    if (i < n) total[i] = x[i] + y[i];\n{branches}")
    exercise = course.exercise(ID, ruled)
    told, broken = sizes.reasoned(exercise, found, STANDARD_LIMITS)
    assert (told.outcome, broken) == ("not decided", None)
    assert "too many branches" in told.why


def test_a_reasoner_that_dies_costs_nothing(ruled):
    from dataclasses import replace

    limits = replace(STANDARD_LIMITS, compile_seconds=0, reasoning_seconds=0)
    exercise = course.exercise(ID, ruled)
    found, broken = sizes.reasoned(exercise, IN_A_SHORT, limits)
    assert found.outcome == "not decided" and broken is None


RULE = Rule("add", "add", ("float x[n]", "int n"), (64,), ("n >= 1", "gridDim.x * 64 >= n"))


@pytest.mark.parametrize(
    ("grid", "block", "numbers", "kept"),
    [
        ((2, 1, 1), (64, 1, 1), {"n": 100}, True),
        ((2, 2, 1), (64, 1, 1), {"n": 100}, False),
        ((2, 1, 1), (32, 1, 1), {"n": 30}, False),
        ((1, 1, 1), (64, 1, 1), {"n": 100}, False),
        ((2, 1, 1), (64, 1, 1), {}, False),
        ((2, 1, 1), (64, 1, 1), {"n": 100, "m": 1}, False),
        ((2**24, 1, 1), (64, 1, 1), {"n": MOST_ELEMENTS + 1}, False),
        ((0, 1, 1), (64, 1, 1), {"n": 1}, False),
    ],
)
def test_only_a_launch_within_the_rule_is_tried(grid, block, numbers, kept):
    assert Trial(RULE, grid, block, numbers).keeps_to_its_rule() == kept


def test_a_rule_stands_on_the_page_of_its_exercise():
    cells = [cell.source for cell in weave(course.lesson("05_online_softmax")).cells]
    ((number, told),) = [
        (number, source) for number, source in enumerate(cells) if "`merge_pairs`" in source
    ]
    assert "For which launches it must be right" in told
    assert "`float merged[2 * n]`" in told and "blocks of 256 threads" in told
    assert cells[number + 1].startswith("%%cuda merge")


def test_prove_quotes_what_happens_in_a_launch(ruled, tmp_path):
    answer = tmp_path / "answer.cu"
    answer.write_text(IN_A_SHORT)
    ((said, broken),) = proved(str(answer), ID, 6, ruled)
    assert broken and "a size that breaks it. add, line " in said and "happens with n = " in said
    ((said, broken),) = proved("01_add", None, 6, ruled)
    assert not broken and "proved for every size" in said


@pytest.mark.slow
@pytest.mark.parametrize(("exercise_id", "old", "new", "status"), NO_CASE_CATCHES)
def test_what_no_case_catches_is_shown_at_a_size_that_none_tries(exercise_id, old, new, status):
    verdict = judge(exercise_id, edited(exercise_id, old, new))
    assert {case.status for case in verdict.cases[:-1]} == {"passed"}
    assert (last(verdict).name, last(verdict).status) == (sizes.NAME, status)
    assert "This happens with " in last(verdict).message
