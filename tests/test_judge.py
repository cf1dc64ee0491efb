"""The judge through its public interface: source text in, verdict out."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
import small_lesson
from small_lesson import EXERCISES, ID, SOLUTION, instead

from grader import cuda
from grader.judge import Limits, judge, landlock, process


@pytest.fixture
def verdict_on(root):
    return lambda source, **options: judge(ID, source, root=root, **options)


def test_the_solution_gets_full_marks(verdict_on):
    verdict = verdict_on(SOLUTION)
    assert verdict.status == "passed"
    assert verdict.points == verdict.max_points == 4
    assert [case.status for case in verdict.cases] == ["passed"] * 3


def test_counters_are_those_of_the_case_with_a_budget(verdict_on):
    assert verdict_on(SOLUTION).counters["global_load_sectors"] == 2 * 128 * 4 / 32


def test_the_same_source_and_seed_give_the_same_verdict(verdict_on):
    source = instead("    if (i < n) total[i] = x[i] - y[i];")
    assert verdict_on(source, seed=7) == verdict_on(source, seed=7)
    assert verdict_on(source, seed=7).message != verdict_on(source, seed=8).message


def test_leaving_hidden_cases_out_changes_nothing_about_the_visible(verdict_on):
    source = instead("    if (i < n) total[i] = x[i] - y[i];")
    everything, visible = verdict_on(source), verdict_on(source, hidden=False)
    assert visible.cases == everything.cases[:2]
    assert visible.max_points == 3


@pytest.mark.parametrize(
    "source",
    [
        "",
        "// only a comment\n",
        instead(""),
        instead("    // YOUR CODE HERE"),
        instead("  /* to do */").replace("    ", "\t"),
    ],
)
def test_a_blank_is_not_attempted(verdict_on, source):
    verdict = verdict_on(source)
    assert (verdict.status, verdict.points, verdict.max_points) == ("not_attempted", 0, 4)


def test_a_wrong_answer_shows_the_first_mismatches(verdict_on):
    verdict = verdict_on(instead("    if (i < n) total[i] = x[i] + (i < 3 ? y[i] : 0.0f);"))
    case = verdict.cases[0]
    assert (case.status, case.points) == ("wrong_answer", 0)
    assert [found.index for found in case.mismatches] == [(3,), (4,), (5,), (6,), (7,)]
    assert case.message.startswith("total[3] should be ")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("true", "All 128 elements are wrong."),
        ("i >= 3", "Only the first 3 of 128 elements are right: look at what is different after"),
        ("i >= 64", "Only the first 64 of 128 elements are right: "),
        ("i > 64", "Only the last 63 of 128 elements are wrong: look at what happens at the end"),
        ("i == 127", "Only the last of 128 elements is wrong: look at what happens at the end"),
        ("i == 7", "1 of 128 elements is wrong."),
        ("i % 2", "64 of 128 elements are wrong."),
    ],
)
def test_where_the_wrong_elements_lie_says_where_to_look(verdict_on, wrong, said):
    source = instead(f"    if (i < n) total[i] = x[i] + ({wrong} ? 9.0f : y[i]);")
    assert f". {said}" in verdict_on(source).message


def test_among_two_elements_there_is_no_pattern(tmp_path):
    exercises = small_lesson.write(tmp_path) / "01_add/exercises.py"
    exercises.write_text(EXERCISES.replace("add(128), 2", "add(2), 2"))
    source = instead("    if (i < n) total[i] = x[i] + (i == 1 ? 9.0f : y[i]);")
    message = judge(ID, source, root=tmp_path).message
    assert message.endswith(" 1 of 2 elements is wrong.")


def test_nan_is_not_taken_for_a_right_answer(verdict_on):
    verdict = verdict_on(instead("    if (i < n) total[i] = NAN;"))
    assert verdict.status == "wrong_answer"
    assert "found" in json.dumps(verdict.to_dict(), allow_nan=False)


def test_a_variable_the_compiler_replaced_by_nan_is_thought_of(verdict_on):
    """In an unrolled loop the compiler sees that the sum never got a value, and takes NaN."""
    body = "    float sum;\n    for (int k = 0; k < 2; k++) sum += k ? x[i] : y[i];"
    verdict = verdict_on(instead(f"    if (i >= n) return;\n{body}\n    total[i] = sum;"))
    assert verdict.status == "wrong_answer"
    assert "and is nan. NaN is what" in verdict.message
    assert "a variable that never got a value" in verdict.message


def test_a_large_number_is_not_taken_for_infinity(tmp_path):
    root = small_lesson.write(tmp_path)
    exercises = root / "01_add/exercises.py"
    drawn = "rng.standard_normal((2, n), dtype=np.float32)"
    exercises.write_text(EXERCISES.replace(drawn, "np.full((2, n), np.inf, np.float32)"))
    verdict = judge(ID, instead("    if (i < n) total[i] = FLT_MAX;"), root=root)
    assert verdict.message.startswith("total[0] should be inf and is 3.4028")
    assert judge(ID, SOLUTION, root=root).status == "passed"


def test_a_missing_guard_is_out_of_bounds_and_costs_only_its_case(verdict_on):
    verdict = verdict_on(instead("    total[i] = x[i] + y[i];"))
    assert verdict.status == "out_of_bounds"
    assert [case.status for case in verdict.cases] == ["passed", "passed", "out_of_bounds"]
    assert (verdict.points, verdict.line) == (3, 5)


def test_what_a_hidden_case_holds_stays_hidden(verdict_on):
    shown = verdict_on(instead("    total[i] = x[i] + y[i];")).for_learner()
    assert shown.line is None
    assert shown.message == (
        "A hidden case failed (out_of_bounds): a length that is no multiple of the block."
    )


def test_an_element_that_nobody_wrote_is_named(verdict_on):
    verdict = verdict_on(instead("    if (i < n && i != 7) total[i] = x[i] + y[i];"))
    assert verdict.status == "wrong_answer"
    assert verdict.message.startswith("total[7] was never written")


def test_a_changed_input_is_a_wrong_answer(verdict_on):
    source = instead("    if (i < n) { total[i] = x[i] + y[i]; x[i] = 0.0f; }")
    verdict = verdict_on(source.replace("const float* x", "float* x"))
    assert verdict.status == "wrong_answer"
    assert verdict.message.startswith("The kernel changed its input: x[0] was ")


def test_a_compile_error_is_shown_in_the_learners_line(verdict_on):
    verdict = verdict_on(instead("    total[i] = x[j];"))
    assert (verdict.status, verdict.line, verdict.points) == ("compile_error", 5, 0)
    assert '"j"' in verdict.message


def test_a_kernel_of_another_name_is_told_both_names(verdict_on):
    verdict = verdict_on(SOLUTION.replace("void add(", "void plus("))
    assert verdict.status == "launch_error"
    assert "calls the kernel add, but the source defines plus" in verdict.message


def test_a_kernel_without_extern_c_is_told_so(verdict_on):
    verdict = verdict_on(SOLUTION.replace('extern "C" ', ""))
    assert verdict.status == "launch_error"
    assert 'lacks extern "C"' in verdict.message


def test_over_budget_names_counter_limit_and_reason(verdict_on):
    source = instead("    if (i < n) total[i] = x[i] + y[i] + 0.0f * x[n - 1 - i] * x[i / 2];")
    verdict = verdict_on(source)
    assert [case.status for case in verdict.cases] == ["passed", "over_budget", "passed"]
    assert "global_load_sectors came to" in verdict.message
    assert "the budget is 32. Neighbouring threads should" in verdict.message


def test_an_instruction_that_is_called_for_must_be_executed(tmp_path):
    root = small_lesson.write(tmp_path)
    exercises = root / "01_add" / "exercises.py"
    wanted = 'requires=(Requirement(SHUFFLE, "a shuffle", 4, "one a warp"),)'
    stated = EXERCISES.replace("import Budget", "import SHUFFLE, Budget, Requirement")
    exercises.write_text(stated.replace("budgets=(sectors,)", wanted))
    shuffled = "    if (i < n) total[i] = __shfl_sync(~0u, x[i], threadIdx.x) + y[i];"
    unused = (
        "    if (i < n) total[i] = x[i] + y[i];\n    if (n < 0) total[i] = __shfl_sync(~0u, n, 0);"
    )
    assert judge(ID, instead(shuffled), root=root, hidden=False).status == "passed"
    verdict = judge(ID, instead(unused), root=root, hidden=False)
    assert verdict.status == "over_budget"
    assert "executed a shuffle 0 times where 4 are called for. One a warp." in verdict.message


def test_an_endless_loop_is_named_by_its_line_and_costs_only_its_case(verdict_on):
    verdict = verdict_on(instead("    while (n == 100) {}\n    total[i] = x[i] + y[i];"))
    assert [case.status for case in verdict.cases] == ["passed", "passed", "timeout"]
    assert verdict.line == 5


def test_the_clock_stops_a_case_and_the_others_are_still_judged(verdict_on):
    source = instead("    while (n == 128) {}\n    if (i < n) total[i] = x[i] + y[i];")
    seconds = 2 if cuda.device == "simulator" else 8  # a GPU takes its time to wake up
    verdict = verdict_on(source, limits=Limits(case_seconds=seconds, steps=10**9))
    assert [case.status for case in verdict.cases] == ["timeout", "timeout", "passed"]
    assert verdict.message.startswith(f"The kernel was still running after {seconds} s")


def test_ten_gigabytes_are_refused_in_one_sentence(verdict_on):
    table = "__device__ char table[10ll << 30];\n"
    verdict = verdict_on(table + instead("    if (i < n) total[i] = x[i] + y[i] + table[i];"))
    assert verdict.status == "launch_error"
    assert verdict.message.startswith("The run asked for 10 GiB, and a run may use 4 GiB in all.")


def children():
    return set(psutil.Process().children())


def kill_first_children(number, others):
    """Kill so many new children of this process, each as soon as it is there."""
    killed = set()
    while len(killed) < number:
        for child in children() - others - killed:
            child.kill()
            killed.add(child)


def test_a_sandbox_that_is_killed_once_costs_nothing(verdict_on):
    others = children()
    with ThreadPoolExecutor() as pool:
        judging = pool.submit(verdict_on, SOLUTION)
        kill_first_children(1, others)
        assert judging.result().status == "passed"


def test_a_sandbox_that_is_killed_again_and_again_leaves_a_verdict(verdict_on):
    others = children()
    with ThreadPoolExecutor() as pool:
        judging = pool.submit(verdict_on, instead("    while (true) {}"))
        kill_first_children(2, others)
        verdict = judging.result()
    assert [case.status for case in verdict.cases] == ["launch_error"] * 3
    assert "was ended by SIGKILL" in verdict.message


def test_time_runs_out_for_all_cases_together(verdict_on):
    verdict = verdict_on(SOLUTION, limits=Limits(total_seconds=0))
    assert [case.status for case in verdict.cases] == ["timeout"] * 3
    assert "Not run" in verdict.message


def test_an_unknown_exercise_is_a_key_error_with_the_names_there_are(root):
    with pytest.raises(KeyError, match="it has: add"):
        judge("01_add/subtract", SOLUTION, root=root)
    with pytest.raises(KeyError, match="there are: 01_add"):
        judge("../elsewhere/add", SOLUTION, root=root)


def test_the_judge_imports_without_jupyter_and_without_a_command_line():
    code = "import sys, grader.judge.sandbox; print(*sys.modules)"
    modules = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"IPython", "matplotlib", "nbformat", "nbgrader", "rich", "typer"} & set(modules)


def test_a_judge_that_cannot_import_the_course_says_how_to_install_it(verdict_on, monkeypatch):
    bare = (sys.executable, "-I", "-S", "-m", "grader.judge.sandbox")  # -S: no site-packages
    monkeypatch.setattr(process, "COMMAND", bare)
    verdict = verdict_on(SOLUTION)
    assert verdict.status == "unsupported"
    assert "No module named" in verdict.message and "`pip install --user`" in verdict.message


def test_a_compiler_that_cannot_read_its_own_files_says_where_it_may(verdict_on, monkeypatch):
    if not landlock.version():
        pytest.skip("NO LANDLOCK IN THIS KERNEL: what is out of reach was not tried")
    if cuda.device == "gpu":
        pytest.skip("A CUDA TOOLKIT OF THE SYSTEM IS IN REACH: an NVRTC out of reach was not tried")
    without = (
        "from grader.cuda import compiler; from grader.judge import sandbox; from pathlib import *;"
        "(out,) = compiler.library_folders(); site = out.parents[2];"
        "kept = [path for path in site.iterdir() if path not in out.parents];"
        "folders = [*map(Path, (*sandbox._LIBRARIES, sandbox.sys.base_prefix)), *kept];"
        "sandbox._readable = lambda: [*folders, Path(sandbox.__file__).parents[1]];"
        "sandbox.main()"
    )
    monkeypatch.setattr(process, "COMMAND", (sys.executable, "-I", "-c", without))
    verdict = verdict_on(SOLUTION.replace("owns", "has"))  # not in the compiler's cache
    assert verdict.status == "unsupported"
    assert "may read only what is under" in verdict.message


def test_half_a_character_in_a_comment_is_no_mistake(verdict_on):
    assert verdict_on("// \ud800\n" + SOLUTION).status == "passed"
