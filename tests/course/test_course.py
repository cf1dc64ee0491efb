"""The course's constitution: what holds for every lesson folder, whoever wrote it."""

from __future__ import annotations

import ast
import builtins
import os
import re
from collections import Counter
from collections.abc import Callable

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from grader import compilers, course
from grader.bench import measuring, timings
from grader.classroom import handing_out
from grader.classroom.folder import new_course
from grader.compilers.lexer import without_comments
from grader.course import catalogue, kinds, mistakes, solution_counts, variants
from grader.course.weave import text, weave, weave_page
from grader.cuda import simulator
from grader.judge import judge
from grader.learner import folder
from grader.status import Pattern
from tools import equivalent_mutants, exercises_page

pytestmark = pytest.mark.slow

WORDS_A_MINUTE = 150  # of prose that is to be understood
KERNEL = re.compile(r'extern "C" __global__ void\s+(?:__\w+\([^)]*\)\s*)*(\w+)\(')
SITTING = re.compile(r"\n## (?:Second|Third|Fourth) sitting: ")

CPP = frozenset(
    re.findall(
        r"\w+",
        """
        alignas auto bool break case char class const constexpr continue default do double else enum
        explicit extern false float for friend if inline int long mutable namespace new operator
        private public return short signed size_t sizeof static static_assert static_cast struct
        reinterpret_cast const_cast switch template this true typedef typename union unsigned using
        void volatile while
        """,
    )
)

LESSONS = course.lessons()
PAGES = sorted((course.KERNELS / handing_out.PAGES).glob("*.md"))
ASKED = [(lesson, one) for lesson in LESSONS for one in lesson.exercises]
EXERCISES = [(lesson, one) for lesson, one in ASKED if one.cases]  # the others are questions
WRITTEN = [(lesson, one) for lesson, one in EXERCISES if one.kind.name == "write"]
BENCHMARKS = [(lesson, benchmark) for lesson in LESSONS for benchmark in lesson.benchmarks]
WRONG = [(lesson, wrong) for lesson in LESSONS for wrong in lesson.wrong_kernels]

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
# A notebook takes long to run, so half of them are, in one of their forms; WARPWISE_LESSONS=all:
# every one in both.
EVERY_FORM = "WARPWISE_LESSONS" in os.environ
RUN_SOLVED = LESSONS if EVERY_FORM else LESSONS[1::4]
RUN_HANDED_OUT = LESSONS if EVERY_FORM else LESSONS[::4]
# `grader new` begins one with a single exercise, which keeps every other rule.
FINISHED = [lesson for lesson in LESSONS if sum(one is lesson for one, _ in EXERCISES) > 1]
each_finished = pytest.mark.parametrize("lesson", FINISHED, ids=lambda lesson: lesson.name)
each_exercise = pytest.mark.parametrize(
    ("lesson", "exercise"), EXERCISES, ids=[exercise.id for _, exercise in EXERCISES]
)
each_written = pytest.mark.parametrize(
    ("lesson", "exercise"), WRITTEN, ids=[exercise.id for _, exercise in WRITTEN]
)
each_benchmark = pytest.mark.parametrize(
    ("lesson", "benchmark"),
    BENCHMARKS,
    ids=[f"{lesson.name}/{one.name}" for lesson, one in BENCHMARKS],
)
each_wrong_kernel = pytest.mark.parametrize(
    ("lesson", "wrong"), WRONG, ids=[f"{lesson.name}/{wrong.name}" for lesson, wrong in WRONG]
)


@pytest.fixture(scope="session")
def handed_out(tmp_path_factory):
    """The learner's notebook of every lesson, by name, as nbgrader makes it from the sources."""
    scratch = tmp_path_factory.mktemp("course")
    paths = handing_out.build(new_course(scratch / "build"), scratch / "notebooks")
    return {path.stem: path.read_text() for path in paths}


@each_exercise
def test_the_solution_gets_full_marks(lesson, exercise):
    verdict = judge(exercise.id, lesson.solution(exercise))
    assert verdict.status == "passed", verdict.message
    assert verdict.points == verdict.max_points == exercise.points


@each_exercise
def test_what_is_handed_out_gets_nothing_and_reads_not_attempted(handed_out, lesson, exercise):
    cells = nbformat.reads(handed_out[lesson.name], as_version=4).cells
    (answer,) = [cell.source for cell in cells if _grade_id(cell) == exercise.name]
    verdict = judge(exercise.id, answer.partition("\n")[2])
    assert (verdict.status, verdict.points) == ("not_attempted", 0)


@each_wrong_kernel
def test_a_wrong_kernel_gets_the_diagnosis_that_is_foreseen(lesson, wrong):
    exercise = lesson.exercise(wrong.exercise)
    verdict = judge(exercise.id, wrong.source)
    assert verdict.status == wrong.status, verdict.message
    assert verdict.points < exercise.points
    if wrong.line is not None:
        assert verdict.line == wrong.line, verdict.message


@each_exercise
def test_mistakes_are_foreseen_at_least_four_of_three_kinds_where_all_is_to_be_written(
    lesson, exercise
):
    foreseen = [wrong for wrong in lesson.wrong_kernels if wrong.exercise == exercise.name]
    assert len(foreseen) >= (3 if exercise.minutes > 1 else 2)
    if exercise.kind.name == "write":
        assert len(foreseen) >= 4
        assert len({wrong.status for wrong in foreseen}) >= 3


@each_exercise
def test_an_exercise_has_visible_and_hidden_cases_and_hints(lesson, exercise):
    assert {case.visible for case in exercise.cases} == {True, False}
    assert len(exercise.hints) >= 2


@each_exercise
def test_a_case_asks_for_what_the_kind_is_about(lesson, exercise):
    cases, kind = exercise.cases, exercise.kind.name
    if kind in ("write", "cheaper"):
        assert any(case.budgets or case.bans for case in cases)
    if kind == "cheaper":  # and the price does not move elsewhere
        counters = {budget.counter for case in cases for budget in case.budgets}
        assert {"longest_path", "atomics"} <= counters
    assert (kind == "break") == any(case.hazard or case.exactly for case in cases)


@each_exercise
def test_what_is_handed_out_does_not_pass_when_it_is_touched(lesson, exercise):
    verdict = judge(exercise.id, lesson.handed_out(exercise) + "\nusing touched = int;\n")
    assert verdict.points < exercise.points
    if exercise.kind.name == "cheaper":
        assert verdict.status == "over_budget", verdict.message
    elif exercise.kind.name not in ("break", "place"):  # which may be right, but for what was added
        assert verdict.status != "over_budget", verdict.message


@each_finished
def test_a_lesson_has_six_to_ten_exercises_one_with_a_bug_to_find(lesson):
    assert 6 <= sum(one is lesson for one, _ in EXERCISES) <= 10
    assert "bug" in {exercise.kind.name for exercise in lesson.exercises}


@each_finished
def test_the_first_exercise_is_answered_within_two_minutes_of_opening_the_page(lesson):
    before, *_ = readings(page(lesson))
    assert before / WORDS_A_MINUTE + lesson.exercises[0].minutes <= 2


@each_lesson
def test_nobody_reads_for_more_than_ten_minutes_between_two_exercises(lesson):
    assert max(readings(page(lesson))) <= 10 * WORDS_A_MINUTE


@each_lesson
def test_no_sitting_takes_more_than_about_an_hour(lesson):
    """What is to be done alone at the end, and its answers, do not count."""
    minutes = {exercise.name: exercise.minutes for exercise in lesson.exercises}
    for sitting in SITTING.split(page(lesson)):
        exercises = re.findall(r"^```{exercise} (\w+)", sitting, re.MULTILINE)
        taken = sum(readings(sitting)) / WORDS_A_MINUTE + sum(minutes[one] for one in exercises)
        assert taken <= 62, f"{sitting.splitlines()[0]}: {taken:.0f} minutes"


@each_lesson
def test_no_sitting_has_more_than_about_3000_words(lesson):
    for sitting in SITTING.split(page(lesson)):
        assert sum(readings(sitting, questions=False)) <= 3050


@each_finished
def test_every_question_to_go_on_with_has_an_answer_that_one_can_open(lesson):
    _, _, alone = (lesson.path / "lesson.md").read_text().partition("\n## On your own")
    questions = re.findall(r"^\d\. \*\*", alone, re.MULTILINE)
    assert questions
    assert len(re.findall(r"^<details><summary>An answer", alone, re.MULTILINE)) == len(questions)
    assert alone.count("</details>") == alone.count("<details>")


@each_exercise
def test_an_exercise_says_how_long_it_takes_and_what_it_teaches(lesson, exercise):
    assert 1 <= exercise.minutes <= 30
    assert 10 <= len(exercise.teaches) <= 80


def test_the_course_has_sixty_exercises_of_six_kinds_and_twenty_five_are_written():
    found = Counter(exercise.kind.name for _, exercise in EXERCISES)
    assert found.total() >= 60
    assert found["write"] >= 25
    asking = {name for name, one in course.KINDS.items() if issubclass(one, kinds.WrittenQuestion)}
    assert set(found) == set(course.KINDS) - asking


def test_the_table_of_exercises_is_current():
    assert exercises_page.PAGE.read_text() == exercises_page.text(), (
        "run `python -m tools.exercises_page`"
    )


@each_written
def test_at_least_half_of_the_points_are_for_what_the_exercise_teaches(lesson, exercise):
    technique = [one for one in exercise.cases if one.budgets or one.requires or one.bans]
    # The case of sizes is looked for once all others have passed.
    without = exercise.points - exercise.size_points - sum(case.points for case in technique)
    assert 2 * without <= exercise.points
    counters = {budget.counter for case in technique for budget in case.budgets}
    assert {"longest_path", "atomics"} <= counters


@each_exercise
def test_hints_that_know_the_mistake_are_about_diagnoses_that_there_are(lesson, exercise):
    foreseen = {wrong.status for wrong in lesson.wrong_kernels if wrong.exercise == exercise.name}
    assert exercise.hints_on or exercise.kind.name != "write"
    assert set(exercise.hints_on) <= foreseen | {"over_budget"} | set(Pattern)


@each_exercise
def test_zeros_never_pass(lesson, exercise):
    for case in exercise.cases:
        outputs = case.problem(np.random.default_rng(0)).outputs.values()
        passes = all((np.abs(one.value) <= one.atol).all() for one in outputs)
        assert not passes, case.name  # a NaN is no zero either


@each_exercise
def test_the_seed_alone_decides_what_is_drawn(lesson, exercise):
    for case in exercise.cases:
        first, again, other = (case.problem(np.random.default_rng(seed)) for seed in (1, 1, 2))
        assert _same_inputs(first, again), case.name
        assert not _same_inputs(first, other), case.name


def test_what_the_field_has_a_name_for_is_called_by_it():
    prose = " ".join((lesson.path / "lesson.md").read_text() for lesson in LESSONS)
    names = ("coalesced", "divergent", "bank conflict", "occupancy", "latency", "roofline", "fence")
    assert [name for name in names if f"**{name}**" not in prose] == []


def test_each_word_of_cpp_is_taught_on_its_page_or_in_the_lesson_that_uses_it_first():
    untaught = untaught_words(
        lambda code: {
            word
            for word in re.findall(r"[A-Za-z_]\w*", code)
            if word in CPP or word.startswith("__")
        }
    )
    assert not untaught


def test_each_function_that_a_kernel_calls_is_its_own_or_taught_before():
    made = (  # functions, constructors, lambdas, and what is made by a constructor
        r"\b(\w+)\([^;{}()]*\)\s*(?:const\s*)?\{|\bstruct (?:\w+\([^)]*\) )?(\w+)"
        r"|\bauto (\w+) = \[|\b[A-Z]\w* (\w+)\("
    )

    def called(code: str) -> set[str]:
        named = set(re.findall(r"\b([A-Za-z_]\w*)(?:<[^;(){}]*>)?\(", code))
        return named - {name for found in re.findall(made, code) for name in found}

    assert not untaught_words(called)


def untaught_words(of: Callable[[str], set[str]]) -> dict[str, set[str]]:
    """By file, what `of` finds in its code and no page or lesson up to its own has named."""
    known = (course.KERNELS / handing_out.PAGES / "enough_cpp.md").read_text()
    untaught: dict[str, set[str]] = {}
    for lesson in LESSONS:
        known += (lesson.path / "lesson.md").read_text()
        for path in sorted(lesson.path.glob("*.cu")):
            words = of(without_comments(path.read_text()))
            unknown = {word for word in words if not re.search(rf"\b{word}\b", known)}
            untaught |= {f"{lesson.name}/{path.name}": unknown} if unknown else {}
    return untaught


@each_lesson
def test_a_kernel_shares_its_name_with_nothing_else_on_its_page(lesson):
    """A cell makes a variable of each of its kernels; what had that name before could not be run
    again."""
    code = [cell.source for cell in weave(lesson).cells if cell.cell_type == "code"]
    named = [*dir(builtins)]
    for cell in code:
        if cell.startswith("%%cuda"):
            named += KERNEL.findall(cell)
        elif not cell.startswith("%%answer"):
            named += {
                node.id
                for node in ast.walk(ast.parse(cell))
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
    kernels = {launch for cell in code for launch in KERNEL.findall(cell)}
    assert [name for name, times in Counter(named).items() if times > 1 and name in kernels] == []


@each_lesson
def test_a_lesson_folder_holds_kernels_prose_and_exercises_and_nothing_else(lesson):
    files = [path for path in lesson.path.rglob("*") if path.is_file()]
    strays = {str(path.relative_to(lesson.path)) for path in files if path.suffix != ".pyc"} - {
        "lesson.md",
        *(path.name for path in catalogue.files_of(lesson.path, "exercises")),
        "benchmarks.py",
        *(path.name for path in lesson.path.glob("benchmarks_*.py")),
        "rules.py",
        "shown.py",
        mistakes.FILE,
        kinds.KEYS,
        equivalent_mutants.FILE,
        *(solution_counts.file(lesson.path, name).name for name in compilers.COMPILERS),
        *(f"faults{end}" for end in (".json", ".clang.json")),
        "launches.json",
        f"{variants.FILE}.json",
        "operations.toml",
        timings.FILE,
        *(path.name for path in lesson.path.glob("[0-9]_*.cu")),
    }
    assert not strays


@each_lesson
def test_every_kernel_is_shown_in_the_lesson(lesson):
    prose = (lesson.path / "lesson.md").read_text()
    answers = {exercise.source for exercise in lesson.exercises}
    for path in lesson.path.glob("*.cu"):
        shown = re.search(rf"^```{{kernel}} {path.name}( folded)?$", prose, re.MULTILINE)
        assert path.name in answers or shown, path.name


# The fastest kernels, a lesson's last step; the whole GPU's has warps of three kinds, and those for
# bfloat16 numbers spell out the registers of a product.
LAST_STEPS = re.compile(
    r"9_(?:.*_in_flight|.*_in_registers|cluster_halves|cluster_ring|one_vector|inner_axis"
    r"|scan_ring|lane_bins|fast_transpose|fast_product)\.cu"
)
LINES = {"9_whole_gpu.cu": 310, "9_bf16_product.cu": 250, "9_bf16_attention.cu": 250}


@each_lesson
def test_a_kernel_fits_on_a_page_and_the_last_step_of_a_lesson_on_two(lesson):
    for path in lesson.path.rglob("*.cu"):
        most = LINES.get(path.name, 195 if LAST_STEPS.fullmatch(path.name) else 80)
        assert len(path.read_text().splitlines()) <= most, path.name


@each_lesson
def test_the_committed_notebook_is_what_its_sources_make(handed_out, lesson):
    committed = handing_out.NOTEBOOKS / f"{lesson.name}.ipynb"
    assert committed.is_file(), f"{committed.name} is missing: run `make notebooks`"
    assert committed.read_text() == handed_out[lesson.name], "run `make notebooks`"


@pytest.mark.parametrize("lesson", RUN_SOLVED, ids=lambda lesson: lesson.name)
def test_the_solved_notebook_runs_from_top_to_bottom(lesson, tmp_path):
    notebook = weave(lesson)
    NotebookClient(
        notebook, timeout=600, resources=_in(tmp_path)
    ).execute()  # raises where it fails
    for exercise in (one for of, one in EXERCISES if of is lesson):
        (check,) = [cell for cell in notebook.cells if _grade_id(cell) == f"check-{exercise.name}"]
        (shown,) = check.outputs
        assert f"{exercise.name}: passed" in shown.data["text/plain"]


@pytest.mark.parametrize("lesson", RUN_HANDED_OUT, ids=lambda lesson: lesson.name)
def test_the_notebook_handed_out_runs_too_before_anything_is_solved(handed_out, lesson, tmp_path):
    notebook = nbformat.reads(handed_out[lesson.name], as_version=4)
    NotebookClient(notebook, timeout=600, resources=_in(tmp_path)).execute()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_to_read_runs_too_and_is_committed_as_its_source_makes_it(page, tmp_path):
    committed = (handing_out.NOTEBOOKS / f"{page.stem}.ipynb").read_text()
    notebook = weave_page(page)
    assert committed == text(notebook), "run `make notebooks`"
    folder.make(tmp_path)  # a warm-up needs a learner's
    NotebookClient(notebook, timeout=600, resources=_in(tmp_path)).execute()


@each_benchmark
def test_a_benchmark_can_be_run_at_each_of_its_sizes(lesson, benchmark):
    for size in benchmark.sizes:
        assert len(size) == len(benchmark.extents)
        assert benchmark.bytes(size) > 0
        assert benchmark.flops is None or benchmark.flops(size) > 0
        assert any(variant.launches(size) for variant in benchmark.variants.values()), size


@each_benchmark
def test_a_benchmark_launches_kernels_that_there_are_on_arrays_that_there_are(lesson, benchmark):
    arrays = benchmark.arrays(np, benchmark.tiny_size())
    for variant in benchmark.variants.values():
        kernels = measuring.kernels(lesson, variant, simulator.RawModule)
        for launch in (launch for size in benchmark.sizes for launch in variant.launches(size)):
            assert kernels(launch.kernel)
            assert {arg for arg in launch.args if isinstance(arg, str)} <= set(arrays)


@each_benchmark
def test_each_variant_gives_the_right_answer_on_the_simulated_gpu(lesson, benchmark):
    size = benchmark.tiny_size()
    arrays = benchmark.arrays(OnSimulator(), size)
    reference = benchmark.reference(arrays)
    for name, variant in benchmark.variants.items():
        kernels = measuring.kernels(lesson, variant, simulator.RawModule)
        try:
            run = measuring.run_of_variant(variant, kernels, size, [arrays])
            measuring.validate(benchmark, run, arrays, reference, np)
        except measuring.Skipped as wrong:
            pytest.fail(f"{name} at {timings.size_text(size)} {wrong}")


@each_benchmark
def test_what_is_recorded_is_what_the_benchmark_would_measure(lesson, benchmark):
    found = timings.read(lesson, benchmark)
    if not found.rows:
        pytest.skip(f"no times of {benchmark.name} are recorded")
    assert set(benchmark.variants) <= set(found.variants)
    assert set(found.variants) <= {*benchmark.variants, *benchmark.libraries}
    assert set(found.sizes) <= set(benchmark.sizes)
    for row in found.rows:
        assert row.bytes == benchmark.bytes(row.size)
        assert row.flops == (benchmark.flops(row.size) if benchmark.flops else None)


@each_lesson
def test_nothing_is_recorded_that_is_no_longer_measured(lesson):
    names = {benchmark.name for benchmark in lesson.benchmarks}
    assert set(timings.recorded(lesson)) <= names


def page(lesson) -> str:
    return (lesson.path / "lesson.md").read_text().partition("\n## On your own")[0]


def readings(prose: str, questions: bool = True) -> list[int]:
    """Words before the first exercise, between each two, and after the last: those of the prose,
    and those that `predict` asks and answers here. Its variants are asked in warm-ups."""
    words = [0]
    for part in re.split(r"^(```.*?^```)$", prose, flags=re.DOTALL | re.MULTILINE):
        if part.startswith("```{exercise}"):
            words.append(0)
        elif part.startswith("```python\npredict(") and questions:
            words[-1] += words_of_strings(part.removeprefix("```python").removesuffix("```"))
        elif not part.startswith("```"):
            words[-1] += len(part.split())
    return words


def words_of_strings(code: str) -> int:
    call = ast.parse(code).body[0].value
    asked_here = [*call.args, *(one.value for one in call.keywords if one.arg != "anew")]
    nodes = (node for part in asked_here for node in ast.walk(part))
    constants = (node for node in nodes if isinstance(node, ast.Constant))
    return sum(len(one.value.split()) for one in constants if isinstance(one.value, str))


class OnSimulator:
    """NumPy, but for `empty`, whose arrays hold nothing until a kernel has written them."""

    empty = staticmethod(simulator.empty)

    def __getattr__(self, name):
        return getattr(np, name)


def _in(folder) -> dict:
    return {"metadata": {"path": str(folder)}}


def _grade_id(cell) -> str:
    return cell.metadata.get("nbgrader", {}).get("grade_id", "")


def _same_inputs(one: course.Problem, other: course.Problem) -> bool:
    return all(
        np.array_equal(drawn, other.inputs[name], equal_nan=True)
        for name, drawn in one.inputs.items()
    )
