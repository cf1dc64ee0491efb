"""One fault, one loss: an answer that is right but for one named fault does not get 0; nothing is
granted for two, for one that no lesson names, or for going around what is taught."""

import io
import json
import random
import shutil

import pytest
import small_class
import two_faults
from rich.console import Console
from small_class import LESSON, hand_in
from small_lesson import ID, SOLUTION, instead

from grader import course
from grader.classroom import coursefile
from grader.classroom.folder import new_course
from grader.cli.terminal import show_verdict
from grader.course import solution_counts
from grader.course.mistakes import FILE, MistakeError, wrong_kernels
from grader.judge import Verdict, judge, partial, steps
from grader.judge.cases import instantiate
from grader.judge.partial import KEPT_IN, SEED, said
from grader.judge.verdict import Report, by_cause
from grader.notebook import verdict_card
from grader.status import Status
from grader.submissions.intake import as_typed

TREE = "02_tree_reduction/interleaved"
DIFFERENCE = """
[[add]]
name = "difference"
mistake = "y is taken away where it should be added"
must_get = "wrong_answer"
replace = 'x[i] + y[i]'
with = 'x[i] - y[i]'
"""
SUBTRACTS = instead(
    "    if (n > i) {\n        float minus = -y[i];\n        total[i] = minus + x[i];\n    }"
)
NO_BARRIER = """
    int half = blockDim.x;
    while (half > 1) {
        half >>= 1;
        if (threadIdx.x < half) {
            const float other = tile[threadIdx.x + half];
            tile[threadIdx.x] = other + tile[threadIdx.x];
        }
    }
"""
NO_IF = """
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (thread + s < blockDim.x) tile[thread] += tile[thread + s];
        __syncthreads();
    }
"""
PAIR_BY_PAIR = """
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (thread % (2 * s) == 0) tile[thread] += tile[thread + s];
    }
"""
A_LITTLE_TOO_MUCH = NO_BARRIER.replace("= other +", "= other * 1.01f +")
FIRST_BARRIER = "    __syncthreads();                     // wait: the next step reads cells"


def tree(body):
    exercise = course.exercise(TREE)
    before, _, rest = exercise.solution.partition("    // BEGIN SOLUTION\n")
    return before + body + rest.partition("    // END SOLUTION\n")[2]


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """A course of the small lesson with a named mistake, built."""
    import small_lesson

    kernels = small_lesson.write(tmp_path_factory.mktemp("kernels"))
    (kernels / "01_add" / FILE).write_text(DIFFERENCE)
    steps.write_faults(course.lesson("01_add", kernels))
    return kernels


@pytest.fixture(scope="module")
def partly(named):
    return judge(ID, SUBTRACTS, root=named)


def test_a_wrong_answer_that_leaves_what_a_named_mistake_leaves_gets_a_part(partly):
    assert (partly.status, partly.points, partly.max_points) == ("wrong_answer", 1.6, 4)
    assert partly.partial.mistake == "y is taken away where it should be added"
    assert said(partly).startswith(
        "1.6 of 4 points. One fault (wrong answer, line 7): y is taken away"
    )
    assert said(partly).endswith("All else is right, so 40 % of 4 points remain.")


def test_the_words_of_the_mistake_are_left_to_a_hint_while_the_exercise_is_open(partly):
    terminal = {}
    for hint in (False, True):
        console = Console(file=io.StringIO(), width=200)
        show_verdict(console, partly, SUBTRACTS, hint)
        terminal[hint] = console.file.getvalue()
    named = "y is taken away where it should be added"
    assert "One fault (wrong answer, line 7). All else is right" in terminal[False]
    assert named not in terminal[False]
    assert f"One fault (wrong answer, line 7): {named}." in terminal[True]


@pytest.mark.parametrize(
    "body",
    [
        "    if (i < n) total[i] = y[i] - x[i];",
        "    if (i < n) total[i] = 0;",
        "    if (i < n - 1) total[i] = x[i] - y[i];",
        "    total[i] = x[i] - y[i];",
        "    if (i < n) total[i] = x[i] - y[i] + total[i];",
    ],
)
def test_another_fault_or_a_second_one_leaves_nothing(named, body):
    verdict = judge(ID, instead(body), root=named)
    assert (verdict.points, verdict.partial) == (sum(one.points for one in verdict.cases), None)


def test_who_knows_the_inputs_that_findings_are_of_gains_nothing(named):
    """What is kept of a fault can be read; a kernel that has it with these inputs alone is known by
    others."""
    drawn = instantiate(course.exercise(ID, named), SEED, hidden=True)
    first = " || ".join(f"x[0] == {float(one.problem.inputs['x'][0]):.9g}f" for one in drawn)
    forged = instead(f"    if (i < n) total[i] = ({first}) ? x[i] - y[i] : x[i] * 3;")
    assert judge(ID, forged, seed=SEED, root=named).partial
    assert judge(ID, forged, root=named).points == 0


def test_a_skipped_technique_gets_half_of_the_part(named):
    serial = "    if (i == 0) for (int k = 0; k < n; k++) total[k] = x[k] - y[k];"
    verdict = judge(ID, instead(serial), root=named)
    assert verdict.points <= 0.4 * 3


def test_without_partial_marks_the_cases_alone_count(named, partly):
    alone = judge(ID, SUBTRACTS, root=named, partial_marks=False)
    assert (alone.points, alone.partial) == (0, None)
    assert partly.without_part() == alone


def test_a_missing_barrier_in_another_style_leaves_a_part():
    verdict = judge(TREE, tree(NO_BARRIER))
    assert (verdict.status, verdict.points, verdict.max_points) == ("data_race", 5, 12.5)
    assert "no barrier between one step and the next" in said(verdict)
    assert f"data race, line {verdict.line}" in said(verdict)


@pytest.mark.parametrize(
    ("source", "most"),
    [
        (tree(NO_IF), 0),
        (tree(A_LITTLE_TOO_MUCH), 0),
        (tree(NO_BARRIER).replace(FIRST_BARRIER, "    // wait: the next step reads cells"), 0),
        (tree(PAIR_BY_PAIR), 2.5),
    ],
    ids=["another race", "wrong values", "two barriers", "another technique"],
)
def test_a_race_with_something_else_wrong_leaves_less_or_nothing(source, most):
    assert judge(TREE, source).points <= most


def test_what_was_given_and_is_edited_gets_no_part(tmp_path):
    kernels = tmp_path / "kernels"
    lesson = shutil.copytree(course.lesson("02_tree_reduction").path, kernels / "02_tree_reduction")
    text = (
        (lesson / FILE)
        .read_text()
        .replace('name = "two_of_three"', 'leaves = 0.6\nname = "two_of_three"')
    )
    (lesson / FILE).write_text(text)
    found = course.lesson("02_tree_reduction", kernels)
    for path in (solution_counts.file(lesson, name, KEPT_IN) for name in ("nvrtc", "clang")):
        kept = json.loads(path.read_text())
        for one in kept["three_barriers"]:
            one["leaves"] = 0.6
        path.write_text(json.dumps(kept))
    (wrong,) = [one for one in found.wrong_kernels if one.name == "two_of_three"]
    exercise = f"{found.name}/three_barriers"
    edited = wrong.source.replace("const int t =", "const int mine = 0; const int t =")
    assert edited != wrong.source
    assert judge(exercise, wrong.source, root=kernels).points == 1.8
    assert judge(exercise, edited, root=kernels).points == 0


def test_a_wrong_answer_whose_last_digits_are_others_gets_its_part(tmp_path):
    """Another order of additions, or another approximation of exp, changes last digits; and what a
    mistake leaves can be a million times what is right, by which a case measures rounding."""
    lesson = "07_fused_softmax"
    kernels = shutil.copytree(course.lesson(lesson).path, tmp_path / "kernels" / lesson).parent
    found = course.lesson(lesson, kernels)
    (wrong,) = [one for one in found.wrong_kernels if one.name == "rescale_forgotten"]
    path = solution_counts.file(found.path, "nvrtc", KEPT_IN)
    kept = json.loads(path.read_text())
    for fault in kept["block_softmax"]:
        if fault["mistake"] == wrong.mistake:
            for _, _, samples in (left for one in fault["cases"].values() for left in one):
                samples[:] = [[at, value * (1 + 3e-7)] for at, value in samples]
    path.write_text(json.dumps(kept))
    verdict = judge(f"{lesson}/block_softmax", wrong.source, root=kernels)
    assert verdict.partial and verdict.points == 5.8


@pytest.mark.slow
@pytest.mark.parametrize(
    "id",
    [
        f"{lesson.name}/{wrong.exercise}/{wrong.name}"
        for lesson in course.lessons()
        for wrong in lesson.wrong_kernels
        # What that one leaves depends on the order of blocks, so no part is granted.
        if wrong.status == Status.WRONG_ANSWER and wrong.name != "begins_at_itself"
    ],
)
def test_a_named_mistake_gets_what_it_leaves(id):
    """What is kept of a mistake was measured when the lesson was built. A simulated GPU that has
    changed since must not take the part from a learner."""
    lesson, name, mistake = id.split("/")
    wrong = next(
        one
        for one in course.lesson(lesson).wrong_kernels
        if (one.exercise, one.name) == (name, mistake)
    )
    known = [one for one in partial.known(course.lesson(lesson).path, name, "nvrtc") if one.cases]
    leaves = max((one.leaves for one in known if one.mistake == wrong.mistake), default=0)
    verdict = judge(f"{lesson}/{name}", wrong.source)
    assert verdict.partial or verdict.points >= leaves * verdict.max_points


@pytest.mark.parametrize("leaves", ["0.7", "-0.1", "'much'"])
def test_what_a_mistake_leaves_is_a_part_and_six_tenths_at_most(tmp_path, leaves):
    (tmp_path / FILE).write_text(DIFFERENCE.replace("replace =", f"leaves = {leaves}\nreplace ="))
    with pytest.raises(MistakeError, match="leaves is"):
        wrong_kernels(tmp_path, {"add": SOLUTION})


def test_findings_are_measured_again_where_a_mistake_has_changed(named, tmp_path):
    kernels = shutil.copytree(named, tmp_path / "kernels")
    assert steps.stale_faults(course.lesson("01_add", kernels)) == []
    changed = DIFFERENCE.replace("'x[i] - y[i]'", "'y[i] - x[i]'")
    (kernels / "01_add" / FILE).write_text(changed)
    assert steps.stale_faults(course.lesson("01_add", kernels))
    assert steps.write_faults(course.lesson("01_add", kernels))
    assert judge(ID, SUBTRACTS, root=kernels).points == 0
    assert steps.stale_faults(course.lesson("01_add", kernels)) == []


@pytest.mark.parametrize("lesson", course.names())
def test_what_is_kept_of_a_lesson_is_of_its_mistakes(lesson):
    assert steps.stale_faults(course.lesson(lesson)) == []


def test_a_reader_of_version_1_that_adds_up_the_cases_gets_the_points_of_version_1(partly):
    data = json.loads(json.dumps(partly.to_dict()))
    assert Report(()).to_dict()["version"] == 2
    assert sum(one["points"] for one in data["cases"]) == partly.without_part().points == 0
    assert data["partial"] == {"mistake": partly.partial.mistake, "leaves": 0.4, "of": 4.0}
    assert Verdict.from_dict(data) == partly


def test_a_verdict_that_was_kept_before_there_was_a_part_is_still_read(partly):
    old = partly.without_part().to_dict()
    del old["partial"]
    assert Verdict.from_dict(old) == partly.without_part()


def test_the_total_is_what_the_exercise_is_worth_whatever_was_run():
    source = course.exercise(TREE).solution
    seen = judge(TREE, source, hidden=False)
    whole = judge(TREE, source)
    assert seen.max_points == whole.max_points == course.exercise(TREE).points
    page = verdict_card.page(seen, source, course.exercise(TREE))
    left = seen.max_points - seen.points
    assert f"{seen.points:g} of 12.5 points" in page.text
    assert (
        f'Not run: 6 hidden cases, {left:g} points: `check("interleaved", hidden=True)`.'
        in page.text
    )
    page = verdict_card.page(whole.for_learner(), source, course.exercise(TREE))
    assert "hidden=True" not in page.text


def test_sizes_that_were_not_tried_are_listed_as_not_run():
    verdict = judge(TREE, tree(NO_BARRIER), hidden=False)
    last = verdict.cases[-1]
    assert (last.name, last.status, last.points) == ("sizes that no other case tries", "not_run", 0)
    page = verdict_card.page(verdict, tree(NO_BARRIER), course.exercise(TREE))
    assert "· not run" in page.text
    assert judge(TREE, course.exercise(TREE).solution).cases[-1].name == last.name


def test_cases_that_fail_of_one_cause_are_told_together():
    source = tree(NO_BARRIER)
    verdict = judge(TREE, source)
    (alike,) = by_cause(verdict)
    assert len(alike) == 9
    text = verdict_card.page(verdict, as_typed(source, "interleaved"), course.exercise(TREE)).text
    assert "This stopped all cases." in text
    assert text.count("which thread") == 1
    assert said(verdict) in text


# --- a class -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory, grading):
    """A course in which a fault leaves a part: ada has it, and ben full marks."""
    kernels = small_class.write_lesson(tmp_path_factory.mktemp("kernels"))
    with (kernels / LESSON / FILE).open("a") as listed:
        listed.write(DIFFERENCE)
    steps.write_faults(course.lesson(LESSON, kernels))
    here = new_course(tmp_path_factory.mktemp("course"), kernels)
    assert small_class.grader(here, "release", LESSON).exit_code == 0
    hand_in(here, "ada", add=SUBTRACTS, scale=small_class.SCALED)
    hand_in(here, "ben", add=SOLUTION, scale=small_class.SCALED)
    assert small_class.grader(here, "autograde", LESSON).exit_code == 0
    return here


def mark_of(here, learner):
    with here.gradebook() as gradebook:
        notebook = gradebook.find_submission_notebook(LESSON, LESSON, learner)
        return {grade.name: grade.score for grade in notebook.grades}["check-add"]


def test_the_gradebook_the_feedback_and_the_report_say_the_same_and_why(graded):
    assert coursefile.read(graded).partial_marks
    assert mark_of(graded, "ada") == 1.6
    assert small_class.grader(graded, "feedback", LESSON).exit_code == 0
    assert small_class.grader(graded, "report", LESSON).exit_code == 0
    page = (graded.root / "feedback/ada" / LESSON / f"{LESSON}.html").read_text()
    report = (graded.root / "report" / f"{LESSON}.html").read_text()
    for html in (page, report):
        assert "1.6 of 4 points. One fault (" in html
        assert "so 40 % of 4 points remain" in html


def test_a_gradebook_that_holds_marks_stays_without_partial_marks(graded, tmp_path):
    root = shutil.copytree(graded.root, tmp_path / "course")
    here = new_course(root, graded.kernels)
    shutil.rmtree(root / "feedback", ignore_errors=True)  # a mark that it shows would stay
    path = root / coursefile.FILE
    path.write_text(path.read_text().replace("partial_marks = true\n", ""))
    assert small_class.grader(here, "autograde", LESSON).exit_code == 0
    assert (coursefile.read(here).partial_marks, mark_of(here, "ada")) == (False, 0)
    assert mark_of(here, "ben") == 4
    assert small_class.grader(here, "release", LESSON).exit_code == 0
    assert "partial_marks=False)" in here.notebook("release", LESSON).read_text()
    with coursefile.changed(here) as document:
        document["partial_marks"] = True
    assert small_class.grader(here, "autograde", LESSON).exit_code == 0
    assert mark_of(here, "ada") == 1.6


# --- two faults ----------------------------------------------------------------------------------

pairs = list(two_faults.pairs())
some = random.Random(two_faults.SEED).sample(pairs, min(12, len(pairs)))


@pytest.mark.slow
@pytest.mark.parametrize("pair", some, ids=[one.path for one in some])
def test_a_second_fault_never_raises_the_mark_and_a_skip_gets_half_of_the_part(pair):
    assert two_faults.broken(pair) == ""


def test_of_many_cases_that_fail_alike_the_first_is_named_and_the_others_are_counted():
    console = Console(file=io.StringIO(), width=200)
    source = course.exercise("00_first_kernel/saxpy").solution.replace("if (i < n) ", "")
    verdict = judge("00_first_kernel/saxpy", source)
    (alike,) = by_cause(verdict)
    show_verdict(console, verdict, source)
    assert len(alike) > 2
    assert f"{alike[0].name}, and {len(alike) - 1} more cases: " in console.file.getvalue()
