"""What is advised is true of the mistake, and said in the learner's own words."""

import re

import numpy as np
import pytest
import small_lesson
from kernel_files import broken, run, said as said_kernels

from grader import course, cuda
from grader.cuda import simulator
from grader.judge import judge
from grader.judge.verdict import told_apart
from grader.submissions.intake import cuda_source

LAST_BLOCK = course.lesson("02_tree_reduction")
KERNEL = 'extern "C" __global__ void k'


def said(code, *args, grid=1, block=64, shared_mem=0, name="k", options=()):
    """The error of a launch; its last line number stands in its sentence."""
    module = simulator.RawModule(code=code, name_expressions=options or None)
    with pytest.raises(cuda.CudaError) as caught, simulator.options(step_limit=20_000):
        module.get_function(name)(grid, block, args, shared_mem=shared_mem)
    message = str(caught.value)
    assert not re.search(r"0x(?!ffffffff|0000ffff)\w|\bbyte \d|_Z", message), message
    return caught.value


def numbers(n=64):
    return np.ones(n, np.float32)


def zeros(n=1, dtype=np.uint32):
    return np.zeros(n, dtype)


# --- fences ---

TICKET = f"""{KERNEL}(const float* x, float* partial, float* total, unsigned* done) {{
  __shared__ bool last;
  partial[blockIdx.x] = x[blockIdx.x];
  WORK
  __syncthreads();
  if (last && threadIdx.x == 0) {{
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += partial[b];
    *total = sum;
  }}
}}
"""
DRAWN = "last = atomicAdd(done, 1) == gridDim.x - 1;"
LOCK = f"""{KERNEL}(int* lock, float* total) {{
  if (threadIdx.x == 0) {{
    while (atomicCAS(lock, 0, 1) != 0);
    __threadfence();
    total[0] += 1.0f;
    atomicExch(lock, 0);
  }}
}}
"""


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (f"if (threadIdx.x == 0)\n {DRAWN}", "`__threadfence()` between line 3 and line 5"),
        (
            f"if (threadIdx.x == 0) {{\n {DRAWN}\n __threadfence(); }}",
            "The fence on line 6 comes too late",
        ),
        (
            f"if (threadIdx.x == 0) {{\n __threadfence_block();\n {DRAWN} }}",
            "The `__threadfence_block()` on line 5 orders writes for its own block only",
        ),
    ],
    ids=["missing", "behind the ticket", "for the block only"],
)
def test_a_fence_that_is_missing_or_misplaced_is_told_with_its_lines(work, told):
    code = TICKET.replace("WORK", work)
    message = str(said(code, numbers(4), numbers(4), numbers(1), zeros(), grid=4, block=1))
    assert told in message
    assert "`partial[0]`" in message
    assert "atomic:" not in message and "launch twice" not in message


def test_a_fence_missing_before_a_lock_is_let_go_is_told_as_that():
    message = str(said(LOCK, zeros(dtype=np.int32), zeros(dtype=np.float32), grid=3))
    assert "Put a `__threadfence()` between line 5 and line 6." in message


def test_one_fence_for_threads_that_it_has_not_waited_for_is_told_as_that():
    code = f"""{KERNEL}(float* copy, float* out, unsigned* done) {{
  __shared__ bool last;
  copy[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f;
  if (threadIdx.x == 0) {{
    __threadfence();
    last = atomicAdd(done, 1) == gridDim.x - 1;
  }}
  __syncthreads();
  if (last) out[threadIdx.x] = copy[threadIdx.x];
}}
"""
    message = str(said(code, numbers(128), numbers(), zeros(), grid=2))
    assert "Put a `__syncthreads()` between line 3 and the fence on line 5." in message


@pytest.mark.parametrize("look", ["atomicAdd(flag, 0)", "*(volatile unsigned*)flag"])
def test_a_reader_that_has_not_waited_for_who_saw_the_flag_is_told_as_that(look):
    code = f"""{KERNEL}(float* data, unsigned* flag, float* out) {{
  if (blockIdx.x == 0) {{
    if (threadIdx.x > 0) return;
    data[0] = 3.0f;
    __threadfence();
    atomicExch(flag, 1);
    return;
  }}
  if (threadIdx.x == 0) {{
    while ({look} == 0);
    __threadfence();
  }}
  out[threadIdx.x] = data[0];
}}
"""
    with simulator.options(order="forwards"):
        message = str(said(code, numbers(1), zeros(), numbers(128), grid=2))
    assert "Line 10 shows thread 0 that thread 0 of block 0 has executed line 4." in message
    assert "this thread has not waited for thread 0" in message
    assert "Put a `__syncthreads()` between line 10 and line 13" in message


@pytest.mark.parametrize("look", ["atomicAdd(flag, 0)", "*(volatile unsigned*)flag"])
@pytest.mark.parametrize(
    ("fence", "told"),
    [
        ("", "Put a `__threadfence()` between line 8 and line 10"),
        (
            "__threadfence_block();",
            "Replace the `__threadfence_block()` on line 9 with a `__threadfence()`.",
        ),
    ],
    ids=["no fence", "one for the block"],
)
def test_a_reader_without_a_fence_of_its_own_is_told_as_that(look, fence, told):
    code = f"""{KERNEL}(float* data, unsigned* flag, float* out) {{
  if (blockIdx.x == 0) {{
    data[0] = 3.0f;
    __threadfence();
    atomicExch(flag, 1);
    return;
  }}
  while ({look} == 0);
  {fence}
  out[0] = data[0];
}}
"""
    message = str(said(code, numbers(1), zeros(), numbers(1), grid=2, block=1))
    assert told in message
    assert "that thread 0 of block 0 has executed line 3" in message


def test_a_loop_that_waits_for_a_plain_flag_is_told_of_volatile_and_not_of_launches():
    """The compiler reads it once, so the run shows no second read."""
    code = f"""{KERNEL}(int* flag, float* out) {{
  if (blockIdx.x == 1) {{
    atomicExch(flag, 1);
    return;
  }}
  while (*flag == 0);
  out[0] = 1.0f;
}}
"""
    message = str(said(code, zeros(dtype=np.int32), numbers(1), grid=2, block=1))
    assert "it must read `flag[0]` as `volatile` or with an atomic." in message
    assert "launch" not in message and "ticket" not in message


# --- what the kernel already has ---


def told_of(name):
    """The message about a kernel of tests/broken or tests/said."""
    kernel = next(one for one in (*broken(), *said_kernels()) if one.name == name)
    with pytest.raises(cuda.CudaError) as caught, simulator.options(step_limit=100_000):
        run(kernel, simulator.RawModule, simulator.empty)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "told", "untold"),
    [
        (
            "bulk_copy_not_read_for_another",
            "Thread 32 must wait for this copy before another thread executes line 11 again. Does "
            "the wait on line 20 come in time?",
            "commit",
        ),
        ("bulk_source_overwritten", "wait for this copy with `cp.async.bulk.wait_group", "commit"),
        ("bulk_sum_read_too_early", "with `cp.async.bulk.wait_group 0` before line 21", "commit"),
        ("read_wait_is_not_enough", "with `cp.async.bulk.wait_group 0` before line", "on line 20"),
        ("stage_freed_before_the_product", "Does the wait on line 54 come in time?", "commit"),
        ("wgmma_factor_overwritten", "Does the wait on line 32 come in time?", "commit"),
        ("last_product_not_waited_for", "Does it include this `wgmma`?", "commit"),
        (
            "wgmma_not_committed",
            "Put a `wgmma.commit_group.sync.aligned` after line 26, before the wait on line 30.",
            "`wgmma.wait_group",
        ),
        ("wgmma_not_waited_for", "`wgmma.wait_group.sync.aligned 0` before line 32", "commit"),
    ],
)
def test_a_commit_or_a_wait_that_is_there_is_not_advised_again(name, told, untold):
    message = told_of(name)
    assert told in message and untold not in message


@pytest.mark.parametrize(
    ("name", "told", "untold"),
    [
        ("stage_released_before_use", "Line 25 tells `pipe` that they have, but", "parity"),
        ("half_a_block_barrier", "No barrier for both threads is between", "one store of"),
        ("wgmma_without_proxy_fence", "by a `wgmma`, but no proxy fence", "copy"),
        ("bulk_store_without_proxy_fence", "by a bulk copy, but no proxy fence", "wgmma"),
        ("mbarrier_used_before_it_is_set_up", "uses `full`, which thread 0 set up on", "updates"),
        ("one_buffer_under_two_names", "`left` and `right` begin at the same byte", "index"),
        ("a_barrier_in_each_branch", "reach line 18, and which reach line 13?", "these two"),
        ("named_barrier_for_too_many", "Threads with `t >= 64` (line 12) leave before.", "Exactly"),
        ("lock_without_fence", "`__threadfence()` between line 6 and line 11.", "the data"),
        ("flag_in_shared_without_fence", "`volatile` does not order writes.", "the data"),
        ("reader_that_did_not_wait", "Only threads with `threadIdx.x == 0` (line", "any order"),
        ("every_block_the_same_elements", "also writes. Nothing orders", "moment"),
        ("registers_given_back_by_one_warp", "the same branches?", "multiple of 128"),
    ],
)
def test_nothing_is_said_that_is_not_true_of_the_kernel(name, told, untold):
    message = told_of(name)
    assert told in message and untold not in message


@pytest.mark.parametrize(
    ("lines", "merged"),
    [
        ("if (n == 3)\n    s[threadIdx.x] = 1.0f;\n  else\n    s[threadIdx.x] = 2.0f;", True),
        ("#ifdef OTHER\n  s[threadIdx.x] = x[0];\n#else\n  s[threadIdx.x] = x[1];\n#endif", False),
    ],
    ids=["two branches", "two branches for the preprocessor"],
)
def test_one_store_of_two_lines_is_told_only_where_both_are_compiled(lines, merged):
    code = f"""{KERNEL}(const float* x, float* y, int n) {{
  __shared__ float s[64];
  {lines}
  y[threadIdx.x] = s[63 - threadIdx.x];
}}
"""
    message = str(said(code, numbers(), numbers(), np.int32(3)))
    assert ("The compiler made one store of lines" in message) == merged


def test_a_block_that_reads_one_element_before_another_writes_it_is_told_to_wait():
    code = f"""{KERNEL}(float* data, float* out) {{
  if (blockIdx.x == 1) {{
    data[0] = 3.0f;
    return;
  }}
  out[threadIdx.x] = data[0];
}}
"""
    message = str(said(code, numbers(1), numbers(64), grid=2, block=1))
    assert "wait for the flag" in message or "may read before the other block writes" in message


def test_blocks_that_share_no_flag_are_told_of_blocks_and_not_of_fences():
    code = f"{KERNEL}(float* x) {{\n  x[blockIdx.x] = 1.0f;\n  x[2] = x[1 - blockIdx.x];\n}}"
    message = str(said(code, numbers(3), grid=2, block=1))
    assert "Blocks run in any order" in message or "then has one of the two values" in message
    assert "The fence on" not in message and "Put a `__threadfence" not in message


@pytest.mark.parametrize("fence", ["missing", "late"])
def test_the_lesson_tells_of_the_fence_of_its_last_block(fence):
    source = LAST_BLOCK.solution(LAST_BLOCK.exercise("last_block"))
    line = "        __threadfence();  // whoever sees the ticket drawn sees the sum too\n"
    verdict = judge("02_tree_reduction/last_block", source.replace(line, ""), hidden=False)
    assert verdict.status == "data_race"
    assert "`__threadfence()`" in verdict.message or "fence on line" in verdict.message
    assert "`partial[" in verdict.message


# --- stages that are filled again ---

ROLES = course.lesson("11_async_copies")
ARRIVES = "            mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[k % 2]);\n"
READS = "            for (int r = 0; r < 8; r++) sum += tile[k % 2][128 * r + t];\n"


@pytest.mark.parametrize(
    ("steps", "count", "expected"),
    [
        (ARRIVES + READS, 128, "Line 25 tells `empty` that they have, but line 26 reads after"),
        (READS + ARRIVES, 96, "as on line 26? Is the count in the `init` of `empty` right? Is the"),
    ],
)
def test_what_is_filled_too_early_behind_an_mbarrier_needs_no_barrier_of_the_block(
    steps, count, expected
):
    code = re.sub(r".*(BEGIN|END) SOLUTION\n", "", ROLES.solution(ROLES.exercise("two_roles")))
    before, found, after = code.partition(ARRIVES + READS)
    assert found
    code = before.replace("&empty[s], 128", f"&empty[s], {count}") + "\n" + steps + after
    message = str(
        said(code, numbers(5 * 1024), numbers(128), np.int32(40), block=160, name="two_roles")
    )
    assert expected in message
    assert "__syncthreads()" not in message


# --- what the next launch begins with ---


def test_a_ticket_that_is_not_put_back_is_told_as_that():
    source = LAST_BLOCK.solution(LAST_BLOCK.exercise("last_block"))
    source = source.replace("        *finished = 0;\n", "").replace("finished", "ticket")
    message = judge("02_tree_reduction/last_block", source, hidden=False).message
    assert "The kernel does not reset ticket[0]: it was 0 before the kernel ran and is" in message
    assert "const" not in message


def test_a_variable_of_the_module_that_is_not_put_back_is_told_as_that():
    source = LAST_BLOCK.solution(LAST_BLOCK.exercise("last_block"))
    source = "__device__ unsigned int tickets;\n" + source.replace("        *finished = 0;\n", "")
    source = source.replace("atomicAdd(finished, 1)", "atomicAdd(&tickets, 1)")
    message = judge("02_tree_reduction/last_block", source, hidden=False).message
    assert message.startswith("In launch 2 of 2 (n = 700): No thread wrote to total")
    assert "has left `tickets` at 1, where it began with 0" in message


def counting_exercise(arguments, scratch):
    """A small lesson's exercise: `clear`, then `count` thrice, each with its own output."""
    return f'''
"""Counting."""
import numpy as np
from grader.course import Case, Exercise, Expected, Launch, Problem

def counting(rng):
    x = rng.standard_normal(64).astype(np.float32)
    x[5] = np.nan
    expected = Expected(np.arange(64), np.int32)
    launches = [Launch("clear", 1, 64, ({arguments}"none",))]
    launches += [Launch("count", 1, 64, ({arguments}"x", f"y_{{k}}")) for k in (0, 1, 2)]
    outputs = {{f"y_{{k}}": expected for k in (0, 1, 2)}} | {{
        "none": Expected(np.zeros(1), np.int32)}}
    return Problem({{"x": x}}, outputs, tuple(launches), scratch={scratch})

count = Exercise(name="add", title="Count", source="1_add.cu", cases=(Case("a", counting, 1),))
'''


def counting(root, parameters, name, more=""):
    """The verdict on a kernel that numbers its threads by a counter `name`, and leaves it."""
    source = f"""{more}
extern "C" __global__ void clear({parameters}int* none) {{
  if (threadIdx.x == 0) none[0] = {name}[0] = 0;
}}
extern "C" __global__ void count({parameters}const float* x, int* mine) {{
  mine[threadIdx.x] = atomicAdd(&{name}[0], 1);
}}
"""
    return judge("01_add/add", source, root=root)


@pytest.mark.parametrize("where", ["scratch", "module"])
def test_a_counter_is_told_of_wherever_it_lies_and_nothing_else_is(tmp_path, where):
    """x holds a NaN, which is no change; `clear` may write what `count` counts in."""
    root = small_lesson.write(tmp_path)
    in_scratch = where == "scratch"
    arguments = '"seen", ' if in_scratch else ""
    exercise = counting_exercise(arguments, '{"seen": ((1,), np.int32)}' if in_scratch else "{}")
    (root / "01_add/exercises.py").write_text(exercise)
    parameters, more = ("int* seen, ", "") if in_scratch else ("", "__device__ int seen[1];")
    message = counting(root, parameters, "seen", more).message
    assert message.startswith("In launch 3 of 4: mine[0] is 64, and should be 0")
    assert "An earlier launch has left `seen` at 64, where it began with 0" in message
    assert "nan" not in message


# --- two threads, one element ---


@pytest.mark.parametrize(
    ("statement", "element"),
    [
        ("s[threadIdx.x / 2] = x[threadIdx.x];", "`s[0]`"),
        ("s[max(threadIdx.x, 1) - 1] = x[threadIdx.x];", "`s[0]`"),
        ("if (threadIdx.x > 0) s[threadIdx.x % 32] = x[threadIdx.x];", "`s["),
    ],
)
def test_two_threads_with_one_element_are_told_which(statement, element):
    code = f"""{KERNEL}(const float* x, float* y) {{
  __shared__ float s[64];
  {statement}
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x / 4];
}}
"""
    message = str(said(code, np.arange(64, dtype=np.float32), numbers()))
    assert f". {element}" in message and "then has one of the two values, by chance." in message
    assert "sync" not in message


def test_two_blocks_with_one_element_are_asked_for_their_block():
    code = f"{KERNEL}(float* y) {{\n  y[threadIdx.x] = blockIdx.x;\n}}"
    message = str(said(code, numbers(), grid=2))
    assert "`y[0]` then has one of the two values" in message and "blockIdx" in message


def test_an_update_that_several_threads_make_wants_an_atomic():
    code = f"{KERNEL}(float* y) {{\n  __shared__ int n[2];\n"
    code += "  if (threadIdx.x < 2) n[threadIdx.x] = 0;\n  __syncthreads();\n"
    code += "  n[threadIdx.x % 2]++;\n}"
    message = str(said(code, numbers()))
    assert "Use an atomic" in message and "sync" not in message and "`n[" in message


def test_rounds_of_a_tree_are_kept_apart_by_a_barrier_between_rounds():
    code = f"""{KERNEL}(float* x, int n) {{
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int s = n / 2; s > 0; s /= 2)
    if (threadIdx.x < s) tile[threadIdx.x] += tile[threadIdx.x + s];
  x[threadIdx.x] = tile[0];
}}
"""
    message = str(said(code, numbers(), np.int32(64)))
    assert "between one round of the loop and the next" in message


# --- barriers ---


@pytest.mark.parametrize(
    "after",
    ["y[threadIdx.x] = tile[threadIdx.x];", "y[1000 + threadIdx.x] = 1.0f;"],
    ids=["reads what is not there yet", "out of bounds"],
)
def test_a_barrier_in_a_branch_is_told_whatever_goes_wrong_after_it(after):
    code = f"""{KERNEL}(float* y) {{
  __shared__ float tile[64];
  if (threadIdx.x < 32) {{
    tile[threadIdx.x] = 1.0f;
    __syncthreads();
    tile[threadIdx.x + 32] = 1.0f;
  }}
  {after}
}}
"""
    error = said(code, numbers())
    assert isinstance(error, cuda.BarrierDivergence)
    assert error.line == 5
    assert "of its block skipped" in str(error) and "line 8" in str(error)


def test_what_goes_wrong_before_a_barrier_is_not_blamed_on_it():
    code = f"""{KERNEL}(float* y) {{
  if (threadIdx.x < 32) y[0] = 1.0f;
  else y[1000 + threadIdx.x] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = 2.0f;
}}
"""
    assert isinstance(said(code, numbers()), cuda.OutOfBounds)


@pytest.mark.parametrize(
    ("leave", "mask", "why"),
    [
        (
            "if (threadIdx.x >= 20) return;",
            "0xffffffff",
            "it has left the kernel. The value that it gets is undefined. Let no lane",
        ),
        ("", "threadIdx.x < 16 ? 0xffff : 0xffff0000", "the mask 0x0000ffff does not name it"),
        ("", "0xffffffff", "the block has no thread there"),
    ],
    ids=["left", "not named", "no thread"],
)
def test_a_lane_that_takes_no_part_in_a_shuffle_is_told_with_the_reason(leave, mask, why):
    code = f"""{KERNEL}(float* y) {{
  float mine = y[threadIdx.x];
  {leave}
  y[threadIdx.x] = mine + __shfl_down_sync({mask}, mine, 16);
}}
"""
    error = said(code, numbers(), block=20 if "no thread" in why else 32)
    assert isinstance(error, cuda.ShuffleDivergence)
    assert error.line == 4 and why in str(error)


def test_one_thread_that_does_the_work_of_all_is_told_what_the_others_do():
    code = f"""{KERNEL}(const float* x, float* y, int n) {{
  if (threadIdx.x > 0) return;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += x[i];
  y[0] = sum;
}}
"""
    message = str(said(code, numbers(8192), numbers(), np.int32(8192)))
    assert "line 4" in message and "No other thread still runs" in message
    together = code.replace("threadIdx.x > 0", "n == 0").replace("y[0]", "y[threadIdx.x]")
    assert "No other" not in str(said(together, numbers(8192), numbers(), np.int32(8192)))


# --- helpers ---


@pytest.mark.parametrize("inlined", ["__forceinline__", "__noinline__"])
def test_what_goes_wrong_in_a_helper_names_the_call_of_it(inlined):
    code = f"""__device__ {inlined} float last_of(const float* x, int n) {{
  return x[n];
}}
{KERNEL}(const float* x, float* y, int n) {{
  y[threadIdx.x] = last_of(x, n);
}}
"""
    message = str(said(code, numbers(), numbers(), np.int32(64)))
    assert "line 2 (called on line 5)" in message and "`x[64]`" in message


def test_a_helper_that_is_called_twice_may_have_the_barrier_itself():
    code = f"""__device__ __forceinline__ float spread(float value, float* place) {{
  if (threadIdx.x == 0) *place = value;
  __syncthreads();
  return *place;
}}
{KERNEL}(float* y) {{
  __shared__ float place;
  float first = spread(y[0], &place);
  y[threadIdx.x] = first + spread(y[1], &place);
}}
"""
    message = str(said(code, numbers()))
    assert "before line 2, in the function that lines 8 and 9 call" in message


def test_a_member_of_a_struct_is_told_without_its_bytes():
    code = f"""struct Pair {{ float max; float sum; }};
{KERNEL}(float* y) {{
  __shared__ Pair pairs[64];
  if (threadIdx.x < 8) pairs[threadIdx.x] = {{y[0], 1.0f}};
  __syncthreads();
  y[threadIdx.x] = pairs[threadIdx.x].sum;
}}
"""
    message = str(said(code, numbers()))
    assert "reads `pairs[8].sum`, which nobody has written" in message


# --- signatures ---


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("float a,", "double a,", "Parameter 4 is `double a` instead of `float a`"),
        ("int n)", "long n)", "`long n` instead of `int n`"),
        ("int n)", "int n, int m)", "`saxpy` takes 6 parameters instead of 5"),
    ],
)
def test_a_changed_signature_is_told_as_that(before, after, told):
    lesson = course.lesson("00_first_kernel")
    source = lesson.solution(lesson.exercise("saxpy")).replace(before, after)
    verdict = judge("00_first_kernel/saxpy", source, hidden=False)
    assert verdict.status == "launch_error"
    assert "The exercise calls the kernel as `saxpy(" in verdict.parts.why
    assert told in verdict.message
    assert "np." not in verdict.message


def test_parameters_in_another_order_are_told_as_that():
    lesson = course.lesson("00_first_kernel")
    source = lesson.solution(lesson.exercise("saxpy"))
    source = source.replace("const float* x, const float* y, float* out", "ARGUMENTS")
    source = source.replace("ARGUMENTS", "float* out, const float* x, const float* y")
    verdict = judge("00_first_kernel/saxpy", source, hidden=False)
    assert verdict.points == 0
    assert "The exercise calls the kernel as `saxpy(const float* x," in verdict.parts.why
    assert "Parameter 1 is `float* out` instead of `const float* x`" in verdict.message


# --- guards ---

PLACED = KERNEL + "(const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x"
PLACED += " + threadIdx.x;\n  y[i % 64] = INDEXED;\n}"


@pytest.mark.parametrize(
    ("indexed", "guarded", "told"),
    [
        ("x[i]", True, "Guard the access: the index must be below `n`."),
        ("x[i < n ? i + 1 : 0]", False, "If not, guard the access."),
        ("x[i < n ? i * 4 : 0]", False, "4 times the thread's number in the grid"),
        ("x[i < n ? (i * 37 + 5) : 0]", False, "by hand for this thread"),
    ],
)
def test_a_guard_is_advised_only_where_there_are_too_many_threads(indexed, guarded, told):
    code = PLACED.replace("INDEXED", indexed)
    message = str(said(code, numbers(100), numbers(), np.int32(100), grid=2))
    assert told in message
    assert ("Guard the access" in message) == guarded


@pytest.mark.parametrize(
    ("rows", "columns", "limit"),
    [
        (5, 20, "the index must be below `rows * columns`."),
        (
            100,
            1,
            "the index must be below the number of elements of `x` (100 here).",
        ),
        (7, 9, "the index must be below the number of elements of `x` (100 here)."),
    ],
)
def test_a_limit_is_told_in_the_kernels_words_only_where_they_are_certain(rows, columns, limit):
    code = f"{KERNEL}(const float* x, float* y, int rows, int columns) {{\n"
    code += "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  y[0 * rows + i % 64] = x[i];\n}"
    args = (numbers(100), numbers(), np.int32(rows), np.int32(columns))
    assert limit in str(said(code, *args, grid=2))


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("y[0] = x[threadIdx.x];", "must stop at the number of elements of `x` (4 here)"),
        ("x[threadIdx.x] = 1.0f;", "Should the index be `blockIdx.x`?"),
    ],
)
def test_who_reads_what_each_block_left_is_told_where_to_stop(statement, told):
    code = f"{KERNEL}(float* x, float* y) {{\n  {statement}\n}}"
    message = str(said(code, numbers(4), numbers(), grid=4))
    assert told in message
    assert ("a loop or a guard" in message) == statement.startswith("y")


def test_a_multiple_of_the_index_is_taken_for_bytes_only_where_it_may_be():
    for per_thread, bytes_an_element in ((4, True), (2, False), (8, False)):
        code = f"{KERNEL}(const float* x, float* y) {{\n"
        code += f"  if (threadIdx.x < 60) y[threadIdx.x] = x[{per_thread} * threadIdx.x];\n}}"
        message = str(said(code, numbers(60), numbers()))
        assert re.search(
            rf"The index `{per_thread} \* threadIdx\.x` is \d+ for this thread", message
        )
        assert f"That is {per_thread} times the thread's number in the grid" in message
        assert ("the number of bytes per element" in message) == bytes_an_element


def test_an_access_of_several_elements_is_never_taken_for_bytes_or_neighbours():
    code = f"{KERNEL}(const float4* x, float* y) {{\n"
    code += "  y[threadIdx.x] = x[threadIdx.x / 2 * 4 + threadIdx.x % 2].x + x[threadIdx.x].w;\n}"
    message = str(said(code, numbers(128), numbers()))
    assert "bytes per element" not in message and "neighbour" not in message


def test_rows_and_columns_that_are_swapped_are_told_as_that():
    code = KERNEL + "(const float* x, float* y, int rows, int cols) {\n"
    code += "  int col = threadIdx.x, row = threadIdx.y;\n"
    code += "  y[0] = x[row * rows + col + 0 * cols];\n}"
    args = (numbers(32), numbers(), np.int32(16), np.int32(2))
    message = str(said(code, *args, block=(2, 16)))
    assert "the row should be multiplied by `cols`" in message


# --- words ---

NAMED = """struct Pair { float max; float sum; };
constexpr int WIDE = 16;
__device__ int hist[4][8];
template <typename T> __global__ void k(const T* x, T* y, int n) {
  __shared__ T tile[4][WIDE + 1];
  __shared__ Pair pairs[8];
  __shared__ bool last;
  extern __shared__ float s[];
  float own[7];
  for (int i = 0; i < 7; i++) own[(i + n) % 7] = n;
  if (n == 3) last = x[0] > 0;
  STATEMENT
}
"""


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("y[0] = tile[3][n];", "`tile[3][5]`"),
        ("y[0] = pairs[n].sum;", "`pairs[5].sum`"),
        ("y[0] = last;", "`last`"),
        ("y[0] = s[n + 1];", "`s[6]`"),
        ("y[0] = own[n + 3];", "`own[8]`"),
        ("y[n * 100] = 1;", "`y[500]`"),
        ("hist[n][n] = 1;", "`hist[5][5]`"),
        ("if (n) y[0] = x[-n];", "`x[-5]`"),
    ],
)
def test_a_place_is_told_as_the_source_has_it(statement, named):
    code = NAMED.replace("STATEMENT", statement)
    how = {"shared_mem": 64, "name": "k<float>", "options": ("k<float>",)}
    error = said(code, numbers(), numbers(), np.int32(5), block=1, **how)
    assert named in str(error)
    assert str(error).startswith("k<float>, line 12: ")
    assert error.kernel == "k<float>"


def test_a_view_is_counted_from_where_it_begins():
    code = f"{KERNEL}(float* y) {{\n  y[threadIdx.x + 1] = 1.0f;\n}}"
    assert "`y[60]`, and `y` has 60 elements" in str(said(code, numbers()[4:]))


def test_a_verdict_names_the_learners_parameters():
    lesson = course.lesson("00_first_kernel")
    source = lesson.solution(lesson.exercise("saxpy"))
    source = re.sub(r"\bout\b", "mine", source).replace("mine[i] =", "mine[i] = 1.0f +")
    verdict = judge("00_first_kernel/saxpy", source, hidden=False)
    assert verdict.message.startswith("mine[")
    assert verdict.cases[0].mismatches[0].place.startswith("mine[")


def test_two_numbers_are_told_with_the_digits_that_tell_them_apart():
    assert told_apart(1.0, 1.5) == ("1", "1.5")
    assert told_apart(1.0, 1.0 + 1e-12) == ("1", "1.000000000001")
    assert told_apart(1.24e-7, 1.21e-7, digits=2) == ("1.24e-07", "1.21e-07")


def test_over_budget_names_the_counter_the_dearest_line_and_the_budget():
    wrong = course.lesson("00_first_kernel").wrong_kernels
    (source,) = (one.source for one in wrong if one.name == "a_thread_a_row")
    verdict = judge("00_first_kernel/add_bias", source, hidden=False)
    assert verdict.status == "over_budget"
    assert f"Line {verdict.line} alone costs" in verdict.message
    assert "(`global_load_sectors`), and the" in verdict.message and "budget is" in verdict.message


def test_lines_of_a_cell_count_as_jupyterlab_shows_them():
    cell = f"%%cuda mine\n{KERNEL}(float* y) {{\n  y[threadIdx.x + 1] = 1.0f;\n}}\n"
    assert said(cuda_source(cell), numbers()).line == 3
    assert said(cuda_source("\n" + cell), numbers()).line == 4
    assert cuda_source(KERNEL) == KERNEL


# --- an index that is far off ---


@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("out[i] = x[i + FAR];", "reads `x[FAR]`"),
        ("out[i] = x[i - FAR];", "reads `x[-FAR]`, before the first element"),
        ("out[i + FAR] = x[i];", "writes `out[FAR]`"),
        ("out[i - FAR] = x[i];", "writes `out[-FAR]`, before the first element"),
    ],
)
@pytest.mark.parametrize("far", [100, 200, 300, 500, 5_000_000, 400_000_000])
def test_an_index_far_off_is_told_of_the_array_that_the_line_means(statement, place, far):
    """Whichever array's memory it has come to, or none."""
    body = f"{{\n  int i = threadIdx.x;\n  {statement.replace('FAR', str(far))}\n}}"
    code = f"{KERNEL}(const float* x, const float* y, float* out) {body}"
    message = str(said(code, numbers(), numbers(), numbers(), block=32))
    assert place.replace("FAR", str(far)) in message
    assert " rounds " not in message  # before it had come so far, the loop would have been wrong


def test_an_index_far_off_in_one_of_two_arrays_names_both():
    body = "{\n  int i = threadIdx.x;\n  out[i] = x[i + 400000000] + y[i];\n}"
    code = f"{KERNEL}(const float* x, const float* y, float* out) {body}"
    message = str(said(code, numbers(), numbers(), numbers(), block=32))
    assert "outside of all its arrays. This line uses `x` and `y`" in message


# --- copies that the compiler makes itself, which have no line in its line table ---


@pytest.mark.parametrize(
    "copy",
    [
        "memset(out, 0, 1ull << 40);",
        "memcpy(out, x, 4096);",
        "memset(out, 0, n * 4096ull);",
        "memcpy(out, x, sizeof(float) * n * 300);",
    ],
)
def test_a_copy_that_is_too_long_is_asked_for_its_bytes_on_its_line(copy):
    body = f"{{\n  int i = threadIdx.x;\n  if (i == 3) {{\n    {copy}\n  }}\n  out[i] = n;\n}}"
    error = said(
        f"{KERNEL}(const float* x, float* out, int n) {body}",
        numbers(), numbers(), np.int32(64), block=32,
    )  # fmt: skip
    assert error.line == 4
    assert "How many bytes are copied here?" in str(error)


def test_a_struct_that_is_too_long_is_said_to_lie_between_two_lines():
    code = f"""struct Row {{ float cells[4096]; }};
{KERNEL}(const float* x, float* out) {{
  int i = threadIdx.x;
  if (i == 3) {{
    *(Row*)out = *(const Row*)x;
  }}
  out[i] = i;
}}"""
    told = str(said(code, numbers(), numbers(), block=32))
    assert re.search("between lines [34] and 7: thread 3", told)  # as the compiler numbers it
