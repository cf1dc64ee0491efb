"""What can cost a mark beside the result stands on the page, with the figure that the card has."""

import math
import re

import numpy as np
import pytest
import small_lesson

from grader.course import Place, lesson, lessons
from grader.course.kinds import unmarked
from grader.course.weave import weave
from grader.judge import judge
from grader.judge.beside import beside
from grader.notebook import verdict_card

ALL = [(one, exercise) for one in lessons() for exercise in one.exercises if exercise.cases]
COUNTING = [(one, e) for one, e in ALL if any(case.budgets or case.exactly for case in e.cases)]
BROKEN = [(one, e) for one, e in ALL if e.kind.goes_wrong]
ADVICE = re.compile(r"\b(put|guard|let|give|keep|move|should|must be outside)\b", re.IGNORECASE)


def by_id(pairs):
    return pytest.mark.parametrize(("found", "exercise"), pairs, ids=lambda one: one.name)


def stated(found, exercise):
    """The Markdown between the exercise's text and its cells."""
    cells = weave(found).cells
    at = next(
        n for n, cell in enumerate(cells) if cell.source.startswith(f"%%cuda {exercise.name}\n")
    )
    above = [cells[at - 1].source, cells[at - 2].source]
    return next((text for text in above if text.startswith("**What ")), "")


def line_about(text, counter, case, part=""):
    """The line of a counter that is about a case; hidden cases share lines, so that of a limit by
    times of ours has to hold this part."""
    heading = next(row for row in text.splitlines() if row.startswith("**What is counted**"))
    for row in text.splitlines():
        _, code, where = row.partition(f"(`{counter}`)")
        by_heading = "only in" not in where and f"*{case.name}*" in heading
        by_number = not case.visible and "hidden case" in where
        if not row.startswith("- ") or part not in row:
            continue
        if code and (by_heading or by_number or f"*{case.name}*" in where):
            return row.removeprefix("- ")
    raise AssertionError(f"{counter} of {case.name!r} is not in: {text}")


def how_many(unit, case):
    """So many of a unit a case has: counted here once more."""
    shapes = [
        (math.prod(np.atleast_1d(one.grid)), math.prod(np.atleast_1d(one.block)))
        for one in case.problem(np.random.default_rng(1)).launches
    ]
    return {
        "warp": sum(blocks * math.ceil(threads / 32) for blocks, threads in shapes),
        "block": sum(blocks for blocks, _ in shapes),
        "launch": len(shapes),
    }[unit]


def total(row, case, said=None):
    """What a line's figure comes to over its case."""
    figure = re.match(r"(?:at most|exactly) ([\d,]+) ", row)
    number = int(figure[1].replace(",", "")) if figure else 0
    unit = re.search(r" per ([^(]+) \(`", row)
    if not unit:
        return number
    return number * (dict([said])[unit[1]] if said else how_many(unit[1], case))


@by_id(COUNTING)
def test_what_can_cost_a_mark_is_on_the_page_with_the_figure_of_the_judge(found, exercise):
    text = stated(found, exercise)
    for case in exercise.cases:
        for budget in case.budgets:
            if budget.relative is None or budget.relative.factor == 1:
                row = line_about(text, budget.counter, case)
                assert total(row, case, budget.per) == budget.at_most, row
            else:
                times = f": at most {budget.relative.factor:g} times those "
                row = line_about(text, budget.counter, case, times)
                alike = sum(
                    other.counter == budget.counter and other.relative == budget.relative
                    for hidden in exercise.cases
                    if not hidden.visible
                    for other in hidden.budgets
                )
                said = re.search(r"(\d+) hidden case", row)
                assert said is None or int(said[1]) == alike, row
        for wanted in case.exactly:
            row = line_about(text, wanted.counter, case)
            assert row.startswith("exactly ")
            assert total(row, case) == wanted.count
        for asked in (*case.requires, *case.bans):
            assert asked.kind.named in text


@by_id(COUNTING)
def test_the_lines_say_in_how_many_hidden_cases_they_count(found, exercise):
    heading, *rows = stated(found, exercise).partition("**What is counted**")[2].splitlines()
    said = [re.search(r"(\d+) hidden case", row) for row in rows if "(`longest_path`)" in row]
    counting = [
        case
        for case in exercise.cases
        if any(budget.counter == "longest_path" for budget in case.budgets)
        and not (case.visible or f"*{case.name}* (hidden" in heading)
    ]
    assert sum(int(number[1]) for number in said if number) == len(counting)


@by_id(COUNTING)
def test_the_sizes_of_the_case_are_on_the_page(found, exercise):
    heading = stated(found, exercise).partition("**What is counted**")[2].split("\n")[0]
    for case in exercise.cases:
        launch, *others = case.problem(np.random.default_rng(2)).launches
        # Only a rule knows the names of parameters.
        if f"*{case.name}* (" in heading and not others and exercise.rules:
            for number in (one for one in launch.args if isinstance(one, np.integer)):
                assert f"= {int(number):,}" in heading


@by_id(ALL)
def test_nothing_else_is_said_to_count(found, exercise):
    text = stated(found, exercise)
    counters = {one.counter for case in exercise.cases for one in (*case.budgets, *case.exactly)}
    assert set(re.findall(r"\(`(\w+)`\)", text)) == counters
    assert "budget" not in exercise.solution.lower()


@pytest.mark.parametrize("found", lessons(), ids=lambda one: one.name)
def test_the_page_names_no_budget_by_hand(found):
    prose = "\n".join(cell.source for cell in weave(found).cells if cell.cell_type == "markdown")
    assert not re.search(r"your\s+budget[^.\n]*\d", prose, re.IGNORECASE)


@by_id([pair for pair in COUNTING if pair[1].name in ("interleaved", "where", "any_type")])
def test_the_card_has_the_figures_of_the_page(found, exercise):
    solution = unmarked(exercise.solution)
    verdict = judge(exercise.id, solution, hidden=False)
    case = [one for one in exercise.cases if one.visible and one.budgets][-1]
    text, costs = stated(found, exercise), beside(verdict, solution, exercise).costs
    assert [one.counter for one in costs] == [one.counter for one in case.budgets]
    shown = verdict_card.page(verdict, solution, exercise).text
    for cost in costs:
        row = line_about(text, cost.counter, case)
        assert f"of {cost.budget} allowed" in shown
        if each := re.match(r"([\d,]+) per (.+)", cost.share):
            assert row.startswith(f"at most {each[1]} ")
            assert f" per {each[2]} (`" in row


def test_the_message_of_a_budget_says_it_as_the_page_does(tmp_path):
    root = small_lesson.write(tmp_path)
    again = "    if (i < n) total[i] = x[i] + y[i] + 0.0f * x[n - 1 - i] * x[i / 2];"
    verdict = judge(small_lesson.ID, small_lesson.instead(again), root=root)
    assert (
        "The number 32 means 8 per warp: this case has 2 blocks of 64 threads." in verdict.message
    )


def with_budget(folder, budget, launches="(launch,)"):
    """What the page of the small lesson says of another budget."""
    root = small_lesson.write(folder)
    text = small_lesson.EXERCISES.replace(
        'sectors = Budget("global_load_sectors", 32, "', f"sectors = {budget}  # "
    )
    (root / "01_add/exercises.py").write_text(text.replace("(launch,)", launches))
    (root / "01_add/lesson.md").write_text("# Adding\n\n```{exercise} add\n```\n")
    found = lesson("01_add", root)
    return stated(found, found.exercises[0])


@pytest.mark.parametrize(
    ("budget", "said"),
    [
        ('Budget("barriers", 8, "w")', "at most 2 barriers per warp"),
        ('Budget("barriers", 4, "w")', "at most 1 barrier per warp"),
        ('Budget("divergent_branches", 2, "w")', "at most 1 divergent branch per block"),
        ('Budget("barriers", 3, "w")', "at most 3 barriers per launch"),
        ('Budget("barriers", 0, "w")', "no barriers"),
        ('Budget("global_load_requests", 4, "w")', "1 load request to global memory per warp"),
        ('Budget("global_load_bytes", 512, "w", per=("row", 4))', "128 bytes loaded from global"),
        ('Budget("shared_store_wavefronts", 8, "w")', "2 store wavefronts to shared memory per"),
        ('Budget("atomics", 6, "w")', "at most 3 atomic operations per block"),
    ],
)
def test_a_limit_is_said_per_the_smallest_unit_that_divides_it(tmp_path, budget, said):
    assert said in with_budget(tmp_path, budget)


def test_a_limit_of_launches_that_differ_is_said_in_all(tmp_path):
    one = 'Launch("add", 1, BLOCK, ("x", "y", "total", np.int32(64)))'
    text = with_budget(tmp_path, 'Budget("barriers", 7, "w")', f"(launch, {one})")
    assert "- at most 7 barriers in all (`barriers`)" in text
    assert "2 blocks of 64 threads, then 1 block of 64 threads" in text


@by_id([pair for pair in ALL if pair[1].kind.keeps_what_is_given])
def test_what_may_be_changed_is_said_where_not_everything_may(found, exercise):
    assert exercise.kind.allowed in stated(found, exercise)


@by_id(BROKEN)
def test_what_must_go_wrong_is_said_with_the_lines_and_the_cases(found, exercise):
    text = stated(found, exercise)
    for case in exercise.cases:
        for words in case.hazard.between if case.hazard else ():
            assert f"`{words}`" in text
            assert f"*{case.name}*" in text


@by_id(BROKEN)
def test_a_hidden_case_asks_for_what_a_visible_one_has_shown(found, exercise):
    def shape(case):
        problem = case.problem(np.random.default_rng(3))
        return case.hazard, problem.launches, {k: v.shape for k, v in problem.inputs.items()}

    shown = [shape(case) for case in exercise.cases if case.hazard and case.visible]
    for case in exercise.cases:
        assert case.visible or not case.hazard or shape(case) in shown, case.name


@by_id(BROKEN)
def test_no_answer_to_break_it_is_told_how_to_avoid_the_hazard(found, exercise):
    for wrong in found.wrong_kernels:
        if wrong.exercise == exercise.name:
            verdict = judge(exercise.id, wrong.source)
            for case in verdict.cases:
                if case.status not in ("passed", "wrong_answer", "over_budget"):
                    assert not ADVICE.search(case.message), case.message


PLACED = """\
extern "C" __global__ void add(const float* x, const float* y, float* total, int n) {
    __shared__ float tile[64];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[63 - threadIdx.x] = i < n ? y[i] : 0.0f;
    // BEGIN SOLUTION
    __syncthreads();
    // END SOLUTION
    if (i < n) total[i] = x[i] + tile[63 - threadIdx.x];
}
"""
COOPERATIVE = "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"


@pytest.mark.parametrize(
    ("barrier", "above", "status"),
    [
        ('asm volatile("bar.sync 0;" ::: "memory");', "", "passed"),
        ('asm("barrier.sync 0;\\n\\tmembar.gl;");', "", "passed"),
        ("cg::this_thread_block().sync();", COOPERATIVE, "passed"),
        ("cg::thread_block b = cg::this_thread_block(); b.sync();", COOPERATIVE, "passed"),
        ("auto b = cg::this_thread_block();\n    cg::sync(b);", COOPERATIVE, "passed"),
        ("{ __syncthreads(); };", "", "passed"),
        ("SYNC;", "#define SYNC __syncthreads()\n", "over_budget"),
        ("meet();", "__device__ void meet() { __syncthreads(); }\n", "over_budget"),
        ('asm("bar.sync 0; mov.u32 %r1, 3;");', "", "over_budget"),
        ("const int more = 1; __syncthreads();", "", "over_budget"),
    ],
)
def test_whatever_waits_may_be_placed_and_nothing_else(tmp_path, barrier, above, status):
    root = small_lesson.write(tmp_path)
    (root / "01_add/1_add.cu").write_text(PLACED)
    text = small_lesson.EXERCISES.replace('source="1_add.cu"', 'source="1_add.cu", kind=Place()')
    (root / "01_add/exercises.py").write_text(text.replace("import Budget", "import Place, Budget"))
    verdict = judge(small_lesson.ID, above + PLACED.replace("__syncthreads();", barrier), root=root)
    assert verdict.status == status, verdict.message
    assert Place.allowed.startswith("**What may be changed**")
