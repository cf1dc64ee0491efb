"""The judge through its public interface: source text in, verdict out."""

import ast
import json
import multiprocessing
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
import psutil
import pytest
import small_lesson
from small_lesson import EXERCISES, ID, SOLUTION, instead

from grader import course, cuda
from grader.errors import AuthorError, NotInCourse
from grader.judge import Limits, Verdict, judge, protocol, steps, worker
from grader.judge.sandbox import landlock
from grader.say import verdict_process
from grader.say.verdict_process import STOPPED_BEFORE

if worker.FORKS:
    from grader.judge.sandbox import forkserver


@pytest.fixture
def verdict_on(root):
    return partial(judge, ID, root=root)


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
    assert visible.max_points == everything.max_points == 4


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
    assert case.message.startswith("total[3] is ")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("true", "All 128 elements of total are wrong."),
        ("i >= 3", "Only the first 3 of 128 elements of total are right. Which value"),
        ("i >= 64", "Only the first 64 of 128 elements of total are right. "),
        ("i > 64", "Only the last 63 of 128 elements of total are wrong. Which value"),
        ("i == 127", "Only the last of 128 elements of total is wrong. Which value"),
        ("i == 7", "1 of 128 elements of total is wrong."),
        ("i % 2", "64 of 128 elements of total are wrong."),
    ],
)
def test_where_the_wrong_elements_lie_says_where_to_look(verdict_on, wrong, said):
    source = instead(f"    if (i < n) total[i] = x[i] + ({wrong} ? 9.0f : y[i]);")
    assert f". {said}" in verdict_on(source).message


def test_a_message_has_parts_and_one_of_an_older_version_is_split(verdict_on):
    verdict = verdict_on(instead("    total[i] = x[i] + y[i];"))
    data = verdict.to_dict()
    told = next(case for case in data["cases"] if case["message"])
    parts = [told["parts"][name] for name in ("first", "why", "remedy")]
    assert all(parts) and told["message"] == " ".join(parts)
    for case in data["cases"]:
        del case["parts"]
    older = Verdict.from_dict(data)
    assert str(older.parts) == older.message == verdict.message
    assert len(older.parts.first.split()) <= 30


def test_while_an_exercise_is_open_a_verdict_has_neither_the_remedy_nor_ours(verdict_on):
    verdict = verdict_on(instead("    total[i] = x[i] - y[i];"))
    titles, texts = zip(*verdict.parts.hints, strict=True)
    assert titles == ("What to look at next", "What our kernel does")
    seen = json.dumps(verdict.while_open().to_dict())
    assert verdict.parts.first in seen and not any(text in seen for text in texts)


def test_among_two_elements_there_is_no_pattern(tmp_path):
    exercises = small_lesson.write(tmp_path) / "01_add/exercises.py"
    exercises.write_text(EXERCISES.replace("add(128), 2", "add(2), 2"))
    source = instead("    if (i < n) total[i] = x[i] + (i == 1 ? 9.0f : y[i]);")
    message = judge(ID, source, root=tmp_path).message
    assert " 1 of 2 elements of total is wrong." in message


def test_nan_is_not_taken_for_a_right_answer(verdict_on):
    verdict = verdict_on(instead("    if (i < n) total[i] = NAN;"))
    assert verdict.status == "wrong_answer"
    assert "found" in json.dumps(verdict.to_dict(), allow_nan=False)


def test_a_variable_the_compiler_replaced_by_nan_is_thought_of(verdict_on):
    """In an unrolled loop the compiler sees that the sum never got a value, and takes NaN."""
    body = "    float sum;\n    for (int k = 0; k < 2; k++) sum += k ? x[i] : y[i];"
    verdict = verdict_on(instead(f"    if (i >= n) return;\n{body}\n    total[i] = sum;"))
    if verdict.compiler == "clang":  # it is kept from that
        assert (verdict.status, verdict.line) == ("uninitialized_read", 7)
        return
    assert verdict.status == "wrong_answer"
    assert "is nan, and should be " in verdict.message
    assert "a variable that never got a value" in verdict.message


def test_a_large_number_is_not_taken_for_infinity(tmp_path):
    root = small_lesson.write(tmp_path)
    exercises = root / "01_add/exercises.py"
    drawn = "rng.standard_normal((2, n), dtype=np.float32)"
    exercises.write_text(EXERCISES.replace(drawn, "np.full((2, n), np.inf, np.float32)"))
    verdict = judge(ID, instead("    if (i < n) total[i] = FLT_MAX;"), root=root)
    assert verdict.message.startswith("total[0] is 3.4028")
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


def test_of_cases_that_end_alike_one_that_a_learner_sees_is_told(tmp_path):
    root = small_lesson.write(tmp_path)
    exercises = root / "01_add/exercises.py"
    hidden = 'Case("a length that is no multiple of the block", add(100), 1, visible=False),'
    seen = 'Case("another such length", add(90), 1),'
    exercises.write_text(EXERCISES.replace(hidden, hidden + seen))
    verdict = judge(ID, instead("    total[i] = x[i] + y[i];"), root=root)
    assert [case.status for case in verdict.cases[2:]] == ["out_of_bounds"] * 2
    shown = verdict.for_learner()
    assert verdict.message == shown.message == verdict.cases[3].message
    assert verdict.line == shown.line == 5


def test_an_element_that_nobody_wrote_is_named(verdict_on):
    verdict = verdict_on(instead("    if (i < n && i != 7) total[i] = x[i] + y[i];"))
    assert verdict.status == "wrong_answer"
    assert verdict.message.startswith("No thread wrote to total[7]")


def test_a_changed_input_is_a_wrong_answer(verdict_on):
    source = instead("    if (i < n) { total[i] = x[i] + y[i]; x[i] = 0.0f; }")
    verdict = verdict_on(source.replace("const float* x", "float* x"))
    assert verdict.status == "wrong_answer"
    assert verdict.message.startswith("The kernel changed its input: x[0] was ")


def test_a_compile_error_is_shown_in_the_learners_line(verdict_on):
    verdict = verdict_on(instead("    total[i] = x[j];"))
    assert (verdict.status, verdict.line, verdict.points) == ("compile_error", 5, 0)
    assert re.search(r"identifier ['\"]j['\"]", verdict.message)


def test_a_kernel_of_another_name_is_told_both_names(verdict_on):
    verdict = verdict_on(SOLUTION.replace("void add(", "void plus("))
    assert verdict.status == "launch_error"
    assert "calls the kernel add, but the source defines plus" in verdict.message


def test_a_kernel_without_extern_c_is_told_so(verdict_on):
    verdict = verdict_on(SOLUTION.replace('extern "C" ', ""))
    assert verdict.status == "launch_error"
    assert 'lacks extern "C"' in verdict.message


def test_a_device_function_in_a_kernel_s_place_is_told_as_that(verdict_on):
    verdict = verdict_on(SOLUTION.replace("__global__", "__device__"))
    assert (verdict.status, verdict.points) == ("launch_error", 0)
    assert "add is a __device__ function, which only kernels can call" in verdict.message


def test_kernels_that_are_not_the_one_asked_for_are_listed_as_written(verdict_on):
    source = SOLUTION.replace("void add(", "void plus(").replace('extern "C" ', "")
    more = "template <int N> __global__ void many(float* x) { x[0] = N; }\n"
    more += "template __global__ void many<4>(float*);\n"
    message = verdict_on(more + source).message
    assert "the source defines " in message
    assert "plus" in message and "many<4>" in message and "_Z" not in message


def test_a_compiler_that_runs_out_of_memory_is_told_as_the_compiler(verdict_on):
    """Types of millions of letters, in messages that NVRTC has and hands over whole."""
    bomb = "template <class A, class B> struct P {};\n"
    bomb += "template <int N> struct D { using t = P<typename D<N-1>::t, typename D<N-1>::t>; };\n"
    bomb += "template <> struct D<0> { using t = int; };\n__device__ int q = D<22>::t();\n"
    for megabytes in (300, 400):
        verdict = verdict_on(bomb + SOLUTION, limits=Limits(memory_bytes=megabytes << 20))
        assert verdict.status == "compile_error"
        assert "compiler" in verdict.message and "templates" in verdict.message


def test_arrays_larger_than_the_memory_of_a_run_are_told_as_that(verdict_on):
    body = "    __shared__ float tile[1024];\n    far[i] = tile[0] = x[0];\n    total[i] = far[i];"
    source = "__device__ float far[1 << 28];\n" + instead(body)
    verdict = verdict_on(source, limits=Limits(memory_bytes=700 << 20))
    assert (verdict.status, verdict.points) == ("launch_error", 0)
    assert "a run may use 0.684 GiB in all" in verdict.message


def test_over_budget_names_counter_limit_and_reason(verdict_on):
    source = instead("    if (i < n) total[i] = x[i] + y[i] + 0.0f * x[n - 1 - i] * x[i / 2];")
    verdict = verdict_on(source)
    assert [case.status for case in verdict.cases] == ["passed", "over_budget", "passed"]
    assert "(`global_load_sectors`)" in verdict.message
    assert "the budget is 32. Line 5 alone costs 56. Neighbouring threads should" in verdict.message


def test_what_is_called_for_must_be_on_the_way_to_every_element(tmp_path):
    wanted = 'requires=(Requirement(SHUFFLE, "each passes one"),)'
    root = rewritten(tmp_path, "SHUFFLE, Requirement", wanted)
    there = "    int other = threadIdx.x ^ 1, j = blockIdx.x * blockDim.x + other;\n"
    shuffled = f"{there}    total[i] = __shfl_xor_sync(~0u, x[j] + y[j], 1);"
    assert judge(ID, instead(shuffled), root=root, hidden=False).status == "passed"
    half = f"{there}    total[i] = x[i] + __shfl_xor_sync(~0u, y[j], 1);"
    verdict = judge(ID, instead(half), root=root, hidden=False)
    assert verdict.status == "over_budget"
    told = "x[0] reaches total[0] through no shuffle: thread 0 of block 0 loads it"
    assert f"{told} on line 6. The same holds for 127 other elements. Each passes one." in (
        verdict.message
    )


def test_a_fence_is_on_no_way_and_is_counted(tmp_path):
    wanted = 'requires=(Requirement(FENCE, "one a warp", at_least=4),)'
    root = rewritten(tmp_path, "FENCE, Requirement", wanted)
    fenced = "    __threadfence();\n    if (i < n) total[i] = x[i] + y[i];"
    assert judge(ID, instead(fenced), root=root, hidden=False).status == "passed"
    verdict = judge(ID, SOLUTION, root=root, hidden=False)
    assert "its warps execute 0 fences, and this case needs 4. One a warp." in verdict.message


def rewritten(folder, imports: str, budget: str):
    """A course of the small lesson, whose case within budget has another one."""
    root = small_lesson.write(folder)
    exercises = root / "01_add" / "exercises.py"
    stated = EXERCISES.replace("import Budget", f"import {imports}, Budget")
    exercises.write_text(stated.replace("budgets=(sectors,)", budget))
    return root


def test_a_budget_in_times_is_held_against_what_the_solution_takes(tmp_path):
    root = rewritten(tmp_path, "work_is_shared", "budgets=work_is_shared()")
    with pytest.raises(AuthorError, match="run `grader build`"):
        judge(ID, SOLUTION, root=root, hidden=False)
    steps.write(course.lesson("01_add", root))
    assert judge(ID, SOLUTION, root=root, hidden=False).status == "passed"
    alone = instead("    if (i == 0) for (int k = 0; k < n; k++) total[k] = x[k] + y[k];")
    verdict = judge(ID, alone, root=root, hidden=False)
    assert verdict.status == "over_budget"
    measured = course.lesson("01_add", root, verdict.compiler)
    ours = measured.exercise("add").cases[1].ours["longest_path"]
    said = f"it needs {verdict.counters['longest_path']:,} instructions of the busiest thread"
    assert said in verdict.message
    assert f"the budget is {3 * ours:,}" in verdict.message


def test_a_kernel_that_never_ends_is_told_so_where_the_solution_is_not_measured_yet(tmp_path):
    root = rewritten(tmp_path, "work_is_shared", "budgets=work_is_shared()")
    exercises = root / "01_add" / "exercises.py"
    exercises.write_text(exercises.read_text().replace("add(128), 1,", "add(64), 1,"))
    endless = instead("    while (n == 64) {}\n    if (i < n) total[i] = x[i] + y[i];")
    verdict = judge(ID, endless, root=root, hidden=False)
    assert [case.status for case in verdict.cases] == ["passed", "timeout"]


def test_what_hangs_on_who_comes_first_is_seen_in_another_order(tmp_path):
    """Which warp draws which ticket is chance; in lockstep the first draws the first."""
    root = small_lesson.write(tmp_path)
    exercises = root / "01_add" / "exercises.py"
    made = 'return Problem({"x": x, "y": y}, {"total": total}, (launch,))'
    assert made in EXERCISES
    source = f"__device__ int tickets;\n{SOLUTION}".replace(
        "// BEGIN SOLUTION",
        """const int warp = blockIdx.x * 2 + threadIdx.x / 32;
    int mine = threadIdx.x % 32 ? 0 : atomicAdd(&tickets, 1);
    mine = __shfl_sync(0xffffffff, mine, 0);
    const float wrong = mine == warp ? 0.0f : 1.0f;
    // BEGIN SOLUTION""",
    ).replace("+ y[i]", "+ y[i] + wrong")
    verdict = judge(ID, source, root=root)
    assert verdict.status == "wrong_answer"
    assert verdict.parts.first.startswith("With ")
    assert "right if blocks and warps run in order, but wrong with " in verdict.parts.why
    exercises.write_text(EXERCISES.replace(made, made[:-1] + ', order="shuffled")'))
    assert judge(ID, source, root=root).status == "wrong_answer"
    assert judge(ID, SOLUTION, root=root).status == "passed"


def test_an_endless_loop_is_named_by_its_line_and_costs_only_its_case(verdict_on):
    verdict = verdict_on(instead("    while (n == 100) {}\n    total[i] = x[i] + y[i];"))
    assert [case.status for case in verdict.cases] == ["passed", "passed", "timeout"]
    assert verdict.line == 5


def test_after_a_case_that_took_too_long_none_is_run(verdict_on):
    source = instead("    while (n == 128) {}\n    if (i < n) total[i] = x[i] + y[i];")
    verdict = verdict_on(source)
    assert [case.status for case in verdict.cases] == ["timeout"] * 3
    assert verdict.cases[1].parts == STOPPED_BEFORE


LOOPS = {  # each marked where it goes round
    "with nothing in it": "    while (true) {}  // here",
    "that holds a barrier": """
    __shared__ float s[64];
    int k = 0;
    while (k >= 0) {  // here
        s[threadIdx.x] = x[i % n];
        __syncthreads();
        if (s[0] == -1e30f) k = -1;
        __syncthreads();
    }
    total[i % n] = s[0];""",
    "around one that ends": """
    float sum = 0;
    int k = 0;
    while (k < 10) {  // here
        for (int j = 0; j < n; j++)
            sum += x[(i + j) % n];
        if (sum == -1e30f) k++;
    }
    total[i % n] = sum;""",
    "inside one that would end": """
    float sum = 0;
    for (int r = 0; r < 4; r++) {
        int k = 0;
        while (k < 10) {  // here
            sum += x[(i + k) % n];
            if (sum == -1e30f) k++;
        }
    }
    total[i % n] = sum;""",
    "that waits for memory": """
    volatile float* flag = total;
    flag[i % n] = 0;
    while (flag[i % n] == 0) {}  // here""",
    "that waits for a lock": "    while (atomicCAS(&lock, 1, 2) != 1) {}  // here",
}
SPIN = """\
__device__ __noinline__ float spin(float a) {
    while (a != -1e30f)  // here
        a = a * 0.5f + 1.0f;
    return a;
}
"""


@pytest.mark.parametrize("loop", LOOPS)
def test_an_endless_loop_is_named_by_its_line(verdict_on, loop):
    source = "__device__ int lock;\n" + instead(LOOPS[loop])
    verdict = verdict_on(source)
    assert verdict.status == "timeout", verdict.message
    assert "// here" in _line(source, verdict.line), verdict.message


def test_an_endless_loop_in_a_helper_is_named_by_its_line(verdict_on):
    source = SPIN + instead("    total[i % n] = spin(x[i % n]);")
    verdict = verdict_on(source)
    assert verdict.status == "timeout"
    assert "// here" in _line(source, verdict.line)


def test_what_is_slow_in_each_step_is_stopped_by_the_cpus_time_with_its_line(verdict_on):
    source = "__device__ int lock;\n" + instead(
        "    for (unsigned k = 0; k < 0xfffffff0u; k++) atomicAdd(&lock, k);"
    )
    verdict = verdict_on(source, limits=Limits(case_seconds=1, steps=10**9))
    assert (verdict.status, verdict.line) == ("timeout", 6)
    assert "at its time limit" in verdict.message


def _line(source, number):
    return source.splitlines()[number - 1]


@pytest.mark.skipif(
    worker.WATCHED,
    reason="NO SYSTEM'S LIMIT ON MEMORY HERE, looking finds what is touched: it was not tried",
)
def test_ten_gigabytes_are_refused_in_one_sentence(verdict_on):
    table = "__device__ char table[10ll << 30];\n"
    verdict = verdict_on(table + instead("    if (i < n) total[i] = x[i] + y[i] + table[i];"))
    assert verdict.status == "launch_error"
    assert verdict.message.startswith(
        "The run asked for 10 GiB, and a run may use 1.75 GiB in all."
    )
    assert verdict.parts.remedy == "Look at the sizes of your arrays."


@pytest.mark.parametrize(
    "told",
    [
        verdict_process.too_slow(compiles=True, seconds=6),
        verdict_process.too_slow(compiles=False, seconds=6),
        verdict_process.still_busy(seconds=6),
        verdict_process.ended("SIGKILL", compiles=True, memory_bytes=1 << 30),
        verdict_process.ended("SIGKILL", compiles=False, memory_bytes=1 << 30),
        verdict_process.too_much("Unable to allocate 9.31 GiB", memory_bytes=1 << 30),
    ],
    ids=lambda told: told.first,
)
def test_a_process_that_is_stopped_has_a_remedy_that_only_a_hint_shows(told):
    assert told.remedy.startswith("Look ")
    assert "Look " not in str(told.while_open)


def children():
    """The processes below this one: the server that forks, and what it has forked."""
    return set(psutil.Process().children(recursive=True))


def kill_first_children(number, others):
    """Kill so many new children of this process, each as soon as it is there."""
    killed = set()
    while len(killed) < number:
        for child in children() - others - killed:
            with suppress(psutil.NoSuchProcess):
                child.kill()
            killed.add(child)


def test_a_sandbox_that_is_killed_once_costs_nothing(verdict_on):
    verdict_on(SOLUTION)  # so that the server is there
    others = children()
    with ThreadPoolExecutor() as pool:
        judging = pool.submit(verdict_on, SOLUTION)
        kill_first_children(1, others)
        assert judging.result().status == "passed"


def test_a_sandbox_that_is_killed_again_and_again_leaves_a_verdict(verdict_on):
    verdict_on(SOLUTION)
    others = children()
    with ThreadPoolExecutor() as pool:
        judging = pool.submit(verdict_on, instead("    while (true) {}"))
        kill_first_children(2, others)
        verdict = judging.result()
    # The question that was asked is lost and no other: when the second process is killed decides
    # whether the cases behind it are tried, which never end.
    first, *others = (case.status for case in verdict.cases)
    assert first == "launch_error" and {*others} <= {"launch_error", "timeout"}
    assert "was ended by SIGKILL" in verdict.message


@pytest.mark.skipif(not worker.FORKS, reason="no fork here")
def test_a_server_that_is_killed_is_started_again(verdict_on):
    verdict_on(SOLUTION)
    for child in psutil.Process().children():
        with suppress(psutil.NoSuchProcess):  # one that was closed, and is not waited for yet
            if forkserver.SERVE in child.cmdline():
                child.kill()
    assert verdict_on(SOLUTION).status == "passed"
    assert verdict_on(SOLUTION).status == "passed"


@pytest.mark.skipif(not worker.FORKS, reason="no fork here")
def test_a_server_ends_with_its_parent():
    code = (
        "import psutil, os; from grader.judge import Limits;"
        "from grader.judge.session import Session; Session('', Limits()).compiled();"
        "print(psutil.Process().children()[0].pid, flush=True); os.kill(os.getpid(), 9)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    with suppress(psutil.NoSuchProcess):
        psutil.Process(int(found.stdout)).wait(timeout=300)


def test_learners_in_several_threads_are_judged_each_for_itself(verdict_on):
    wrong = instead("    if (i < n) total[i] = x[i] - y[i];")
    with ThreadPoolExecutor(4) as pool:
        verdicts = list(pool.map(verdict_on, [SOLUTION, wrong] * 4))
    assert [verdict.status for verdict in verdicts] == ["passed", "wrong_answer"] * 4


@pytest.mark.skipif(not worker.FORKS, reason="no fork here")
def test_a_process_that_was_forked_has_a_server_of_its_own(verdict_on):
    verdict_on(SOLUTION)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply(_status_of, (verdict_on.keywords["root"], SOLUTION)) == "passed"
    assert verdict_on(SOLUTION).status == "passed"


def _status_of(root, source):
    return judge(ID, source, root=root).status


def test_without_fork_a_fresh_process_gives_the_same_verdict(verdict_on, monkeypatch):
    forked = verdict_on(instead("    total[i] = x[i] + y[i];"))
    monkeypatch.setattr(worker, "FORKS", False)
    assert verdict_on(instead("    total[i] = x[i] + y[i];")) == forked


ONE_THREAD = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # else it would refuse to fork
WORKER = """
import os
from grader.judge.sandbox import forkserver

def work():
    files = [int(name) for name in os.listdir("/proc/self/fd")]
    here = files, os.getcwd(), os.environ["HOME"], os.getsid(0) == os.getpid()
    os.write(1, repr(here).encode())
    os._exit(0)

forkserver.serve(lambda: None, work)
"""


@pytest.mark.skipif(not worker.FORKS, reason="no fork here")
def test_a_worker_has_its_pipes_a_folder_and_a_group_of_its_own_and_nothing_else(tmp_path):
    server = forkserver.ForkServer((sys.executable, "-c", WORKER), ONE_THREAD)
    said = tmp_path / "said"
    with Path(os.devnull).open("rb") as nothing, said.open("wb") as answers:
        pid = server.ask(
            forkserver.Fork(str(tmp_path)),
            (nothing.fileno(), answers.fileno(), answers.fileno()),
        )
    assert pid, "the server did not fork, as it has a second thread (an emulator's own is one)"
    assert server.ask(forkserver.End(pid, 60)) == 0
    server.close()
    files, folder, home, alone = ast.literal_eval(said.read_text())
    assert sorted(files) == [0, 1, 2, 3]  # 3 is what lists them
    assert (folder, home, alone) == (str(tmp_path), str(tmp_path), True)


def array(shape, dtype, data):
    return {"shape": shape, "dtype": dtype, "data": data}


def message(content):
    """Any content as a message, also what `protocol.encode` would not send."""
    body = msgspec.msgpack.encode(content)
    return len(body).to_bytes(8, "big") + body


@pytest.mark.parametrize(
    "sent",
    [
        (10**9).to_bytes(8, "big"),
        (3).to_bytes(8, "big") + b"\x80\x04K",
        message({"type": "ran", "arrays": {"a": array((3,), "<f4", b"")}}),
        message({"type": "ran", "arrays": {"a": array((1,), "|O", bytes(8))}}),
        message({"type": "ran", "arrays": {"a": array((-1,), "<f4", b"")}}),
        message({"type": "ran", "arrays": {"a": array((1,), "float", b"")}}),
        message({"type": "ran", "arrays": {"a": 7}}),
        message({"type": "failed", "status": "excellent"}),
        message({"type": "killed", "status": "timeout"}),
        message({"status": "timeout"}),
    ],
)
def test_a_reply_that_is_none_is_refused(sent):
    with pytest.raises(protocol.ProtocolError):
        protocol.take_reply(bytearray(sent), 10**6)


def test_time_runs_out_for_all_cases_together(verdict_on):
    verdict = verdict_on(SOLUTION, limits=Limits(total_seconds=0))
    assert [case.status for case in verdict.cases] == ["timeout"] * 3
    assert "Not run" in verdict.message


def test_an_unknown_exercise_is_a_key_error_with_the_names_there_are(root):
    with pytest.raises(NotInCourse, match="it has: add"):
        judge("01_add/subtract", SOLUTION, root=root)
    with pytest.raises(NotInCourse, match="there are: 01_add"):
        judge("../elsewhere/add", SOLUTION, root=root)


def test_the_judge_imports_without_jupyter_and_without_a_command_line():
    code = "import sys, grader.judge.sandbox.main; print(*sys.modules)"
    modules = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert not {"IPython", "matplotlib", "nbformat", "nbgrader", "rich", "typer"} & set(modules)


def test_a_judge_that_cannot_import_the_course_says_how_to_install_it(verdict_on, monkeypatch):
    bare = (sys.executable, "-I", "-S", "-m", "grader.judge.sandbox.main")  # -S: no site-packages
    monkeypatch.setattr(worker, "COMMAND", bare)
    verdict = verdict_on(SOLUTION)
    assert verdict.status == "unsupported"
    assert "No module named" in verdict.message and "`pip install --user`" in verdict.message


def test_a_compiler_that_cannot_read_its_own_files_says_where_it_may(verdict_on, monkeypatch):
    if not landlock.version():
        pytest.skip("NO LANDLOCK IN THIS KERNEL: what is out of reach was not tried")
    if cuda.device == "gpu":
        pytest.skip("A CUDA TOOLKIT OF THE SYSTEM IS IN REACH: an NVRTC out of reach was not tried")
    without = (
        "from grader import compilers; from grader.judge.sandbox import main as sandbox;"
        "from pathlib import Path;"
        "out, *_ = compilers.chosen().folders(); site = out.parents[2];"
        "kept = [path for path in site.iterdir() if path not in out.parents];"
        "folders = [*map(Path, (*sandbox._LIBRARIES, sandbox.sys.base_prefix)), *kept];"
        "sandbox._readable = lambda: [*folders, Path(sandbox.__file__).parents[2]];"
        "sandbox.main()"
    )
    monkeypatch.setattr(worker, "COMMAND", (sys.executable, "-I", "-c", without))
    verdict = verdict_on(SOLUTION.replace("owns", "has"))  # not in the compiler's cache
    assert verdict.status == "unsupported"
    assert "may read only " in verdict.message


def test_half_a_character_in_a_comment_is_no_mistake(verdict_on):
    assert verdict_on("// \ud800\n" + SOLUTION).status == "passed"
