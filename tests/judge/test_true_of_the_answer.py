"""What is said of a wrong answer is true of that answer: its cause by name, on its line."""

import re

import numpy as np
import pytest
from told import told

from grader import course, cuda
from grader.compilers.declared import Declarations
from grader.compilers.loop_faults import repeated_shuffle
from grader.cuda import simulator
from grader.judge import judge


@pytest.mark.parametrize(
    ("exercise", "before", "after", "said"),
    [
        (
            "00_first_kernel/squares",
            "distance * distance",
            "powf(distance, 3.0f)",
            r"computes powf\((\S+), 3\)\..* Our kernel multiplies \1 by \1",
        ),
        (
            "05_online_softmax/rescale",
            "expf(from[i] - to[i])",
            "powf(2.0f, from[i] - to[i])",
            r"computes powf\(2, (\S+)\)\..* Our kernel takes the exponential of \1",
        ),
        (
            "08_project/cross_entropy",
            "logf(all.sum)",
            "log2f(all.sum)",
            r"computes log2f\((\S+)\)\..* Our kernel takes the logarithm of \1\.",
        ),
        (
            "08_project/layer_norm",
            "rsqrtf(all.m2",
            "sqrtf(all.m2",
            r"the square root of (\S+)\..* Our kernel divides 1 by the square root of \1\.",
        ),
    ],
)
def test_a_library_call_is_one_step(exercise, before, after, said):
    message, line = told(exercise, (before, after))
    assert re.search(said, message), message
    assert after in line
    assert "instead of" not in message and "more often" not in message


def test_a_formula_that_uses_an_element_twice_is_not_said_to_count_it_twice():
    message, _ = told(
        "05_online_softmax/merge", ("a.sum * expf(a.max", "a.sum * a.sum * expf(a.max")
    )
    assert "more often" not in message and "twice" not in message


@pytest.mark.parametrize(
    ("edits", "line"),
    [
        (
            [("(value - mean) * (value - mean);", "(value - mean) * (value + mean);")],
            "squares += (value - mean) * (value + mean);",
        ),
        (
            [
                ("squares += (value - mean) * (value - mean);", "squares += value * value;"),
                ("squares / columns;", "squares / columns - mean * mean;"),
            ],
            "variance[row] = squares / columns - mean * mean;",
        ),
    ],
)
def test_cancellation_is_told_by_what_the_same_steps_give_in_double(edits, line):
    message, where = told("08_project/variance_of_rows", *edits)
    exact = re.search(r"by cancellation on line .* In double, .* steps give (\S+)\. ", message)
    found, wanted = re.search(r" is (\S+), and should be (\S+)\. ", message).groups()
    assert abs(float(exact[1]) - float(wanted)) < abs(float(found) - float(wanted)) / 10, message
    assert where.strip() == line
    assert "instead of" not in message


@pytest.mark.parametrize(
    ("exercise", "before", "after", "said", "status"),
    [
        (
            "02_tree_reduction/interleaved",
            "tile[thread + stride]",
            "tile[thread + 1]",
            "`tile[thread + 1]` does not use `stride`",
            "data_race",
        ),
        (
            "05_online_softmax/axis",
            "cell[stride * across]",
            "cell[across]",
            "`cell[across]` does not use `stride`",
            "data_race",
        ),
        (
            "09_scan_histogram/doubling",
            "tile[t - offset]",
            "tile[t - 1]",
            "`tile[t - 1]` does not use `offset`",
            "wrong_answer",
        ),
        (
            "09_scan_histogram/up_and_down",
            "+= tile[right - offset]",
            "+= tile[right - 1]",
            "The distance in `tile[right - 1]` does not use `offset`",
            "wrong_answer",
        ),
        (
            "03_shuffle_reduction/warp_sum",
            "sum, offset)",
            "sum, 1)",
            "`__shfl_down_sync` does not use `offset`",
            "wrong_answer",
        ),
    ],
)
def test_an_index_that_ignores_the_stride_of_its_loop_is_told_as_that(
    exercise, before, after, said, status
):
    message, line = told(exercise, (before, after), status=status)
    assert said in message and after in line
    assert "Put" not in message  # a barrier would leave the answer wrong


def test_a_race_of_a_tree_that_uses_its_stride_is_told_with_a_barrier():
    barrier = "        __syncthreads();  // outside the if: every thread of the block must arrive\n"
    message, _ = told("02_tree_reduction/interleaved", (barrier, ""), status="data_race")
    assert "does not use" not in message and "Put a `__syncthreads()`" in message


@pytest.mark.parametrize(
    ("exercise", "before", "after", "said"),
    [
        (
            "03_shuffle_reduction/five_steps",
            "__shfl_xor_sync",
            "__shfl_down_sync",
            "its own value back, because `__shfl_down_sync` goes beyond the last lane on line 10.* "
            "Our kernel uses `__shfl_xor_sync`",
        ),
        (
            "09_scan_histogram/segments",
            "__shfl_up_sync",
            "__shfl_down_sync",
            r"takes a value with `__shfl_down_sync` on line \d+.* Our kernel uses `__shfl_up_sync`",
        ),
    ],
)
def test_a_shuffle_from_other_lanes_is_named(exercise, before, after, said):
    message, line = told(exercise, (before, after))
    assert re.search(said, message) and after in line


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (
            "cond[x_place] ?",
            r"decides by cond\[0\] \(1\) on line 27, and should decide by cond\[4\]",
        ),
        (
            "!cond[cond_place] ?",
            r"by cond\[0\] \(1\) on line 27\. .* is right\. The choice that depends on it",
        ),
    ],
)
def test_the_element_that_decided_a_condition_is_named(after, said):
    message, _ = told("01_expand_where/where", ("cond[cond_place] ?", after))
    assert re.search(said, message), message


def test_a_condition_that_no_thread_meets_is_named_where_nothing_is_written():
    edit = ("a.value > b.value || (a.value == b.value && a.index < b.index)", "a.value >= b.value")
    message, line = told("08_project/top_four", edit)
    assert "No thread wrote to value." in message
    assert "only if `best[0].index == first.index`" in message
    assert "if (best[0].index == first.index)" in line


def test_a_ticket_that_every_thread_draws_is_told_as_that():
    edit = ("if (threadIdx.x == 0) {", "{")
    message, _ = told("02_tree_reduction/ticket", edit, status="data_race")
    assert re.search(r"More than one thread .* atomic on line 11, such as thread \d+\.", message)


@pytest.mark.parametrize(
    ("exercise", "before", "after", "said"),
    [
        (
            "06_pack_vectorization/row_absmax",
            "fmaxf(largest, fabsf(pack.element[i]))",
            "fmaxf(largest, pack.element[i])",
            r"Our kernel first takes the absolute value of (\S+) \(x\[0, \d+\]\)",
        ),
        (
            "03_shuffle_reduction/below_max",
            "mine ? x[i] : -INFINITY",
            "mine ? x[i] : 0.0f",
            r"subtracts 0 from \S+ \(x\[0, 0\]\)\. The 0 is a number in your code \(line 17\)",
        ),
        (
            "06_pack_vectorization/warp_per_row",
            "largest > 0.0f ? largest : 1.0f",
            "largest",
            r"divides 0 .* by 0 .* Our kernel divides 0 \(x\[3, 0\]\) by 1\.",
        ),
        ("03_shuffle_reduction/lane_and_warp", "i % 32", "i % 16", r"wrote \w+\[\d+\] on line 10"),
    ],
)
def test_an_index_a_maximum_or_nan_has_its_line_and_its_origin(exercise, before, after, said):
    message, line = told(exercise, (before, after))
    assert re.search(said, message) and "but should not" not in message, message
    assert line


RIGHT = "Everything that this step uses is right."


def test_a_step_whose_operands_are_turned_round_uses_the_right_values():
    message, line = told("05_online_softmax/merge", ("expf(a.max - from)", "expf(from - a.max)"))
    assert f"{RIGHT} The step itself is wrong." in message and "from - a.max" in line


@pytest.mark.parametrize(
    ("exercise", "before", "after", "said"),
    [
        (
            "00_first_kernel/saxpy",
            "a * x[i] + y[i]",
            "a * y[i] + x[i]",
            r"multiplies (\S+ \(y\[0\]\)) by \S+\. \1 does not belong in this step",
        ),
        (
            "05_online_softmax/one_column",
            "k * inner + i] - all.max)",
            "k * inner + i] - x[i])",
            r"subtracts (\S+ \(x\[0, 1\]\)) from \S+ \(x\[0, 1\]\)\. \1 does not belong",
        ),
        (
            "04_safe_softmax/row_softmax",
            "sum += expf(in[c] - largest)",
            "sum += expf(in[c] - largest) + 1.0f",
            r"adds .*\b1\. The 1 is a number in your code",
        ),
    ],
)
def test_a_step_with_a_wrong_value_is_told_with_that_value(exercise, before, after, said):
    message, line = told(exercise, (before, after))
    assert re.search(said, message) and after in line and RIGHT not in message, message


def test_a_right_value_in_another_lane_is_told_at_the_store():
    message, line = told(
        "06_pack_vectorization/row_absmax",
        ("__shfl_xor_sync", "__shfl_down_sync"),
        ("if (lane == 0)", "if (lane == 31)"),
    )
    assert "Thread 0 has the right value, and thread 31 stores its own on line" in message
    assert "absmax[row] = largest" in line


def test_what_a_float_cannot_hold_is_told_where_it_begins():
    edit = ("sum += expf(in[c] - largest)", "sum += expf(in[c])")
    message, line = told("04_safe_softmax/row_softmax", edit)
    assert "takes the exponential of" in message and "too large for a float" in message
    assert edit[1] in line and "the first NaN" not in message


def test_elements_that_do_not_belong_are_told_where_they_join_the_right_ones():
    message, _ = told(
        "04_safe_softmax/row_softmax",
        ("        float sum = 0.0f;\n", ""),
        ("    for (int row = blockIdx.x", "    float sum = 0.0f;\n    for (int row = blockIdx.x"),
    )
    assert "but should not. On line" in message


@pytest.mark.parametrize(
    ("exercise", "edits", "said", "line"),
    [
        (
            "04_safe_softmax/row_softmax",
            [
                ("        float sum = 0.0f;\n", ""),
                (
                    "    for (int row = blockIdx.x",
                    "    float sum = 0.0f;\n    for (int row = blockIdx.x",
                ),
            ],
            r"`sum` gets its first value on line \d+, before the loop on line \d+\. Each round",
            "float sum = 0.0f;",
        ),
        (
            "03_shuffle_reduction/warp_sum",
            [
                ("sum += __shfl_down_sync", "const float got = __shfl_up_sync"),
                ("sum, offset);", "sum, offset);\n        if (lane >= offset) sum += got;"),
            ],
            r"gets no value of another lane: on line \d+, `__shfl_up_sync` brings values of lower",
            "__shfl_up_sync",
        ),
        (
            "02_tree_reduction/last_block",
            [
                ("for (int b = thread; b <", "if (const int b = thread; b <"),
                ("gridDim.x; b += blockDim.x) {", "gridDim.x) {"),
            ],
            r"The results are in partial\[\d+\] to partial\[\d+\], but no thread uses them\.",
            "partial[b]",
        ),
        (
            "09_scan_histogram/segments",
            [("sum, offset);", "offset, sum);")],
            r"The third argument of `__shfl_up_sync` on line \d+ is `sum`, a float\.",
            "__shfl_up_sync",
        ),
        (
            "09_scan_histogram/look_back",
            [("seen == 2 ? up_to[b] : own[b]", "own[b]")],
            r"^With the highest block first: .* does not use x\[0\] to .* on line \d+\. ",
            "up_to[tile] = before + sum;",
        ),
    ],
)
def test_the_line_that_must_change_is_told(exercise, edits, said, line):
    message, where = told(exercise, *edits)
    assert re.search(said, message) and line in where, message


def test_of_elements_that_are_lost_it_is_told_who_loads_them():
    message, line = told("09_scan_histogram/compact", ("kept += of_warp[w]", "kept += of_warp[0]"))
    assert re.search(r"count\[0\] does not use .*Threads 32 to \d+ of block 0 load x", message)
    assert "Is line 24 right?" in message
    assert "kept += of_warp[0]" in line


def test_a_choice_that_took_the_right_side_is_not_blamed():
    """The sum of the larger maximum is taken rightly; its exponential has the wrong sign."""
    message, line = told(
        "05_online_softmax/merge",
        ("a.sum * expf(a.max - from) + b.sum * expf(b.max - from)", BY_CHOICE),
    )
    assert "asks whether" not in message and "expf(fabsf(" in line


BY_CHOICE = (
    "(a.max >= b.max ? a.sum : b.sum)"
    " + (a.max >= b.max ? b.sum : a.sum) * expf(fabsf(a.max - b.max))"
)


KERNEL = 'extern "C" __global__ void k'


def stopped(code, *args, block=32, shared_mem=0):
    """The message of a launch that an error ends."""
    kernel = simulator.RawModule(code=code).get_function("k")
    with pytest.raises(cuda.CudaError) as caught:
        kernel(1, block, args, shared_mem=shared_mem)
    return str(caught.value)


def packs(start):
    return f"""{KERNEL}(const float* x, float4* y) {{
      y[threadIdx.x] = *reinterpret_cast<const float4*>({start});
    }}"""


@pytest.mark.parametrize(
    ("start", "said"),
    [
        (
            "x + 1 + 4 * threadIdx.x",
            "4 bytes after such a multiple. Which part of the address is the same",
        ),
        ("x + threadIdx.x", "The index into `x` must be a multiple of 4"),
    ],
)
def test_a_misaligned_base_is_told_apart_from_a_misaligned_index(start, said):
    x = np.zeros(256, np.float32)
    assert said in stopped(packs(start), x, np.zeros((32, 4), np.float32))


def test_an_index_before_a_dynamic_array_is_not_put_on_the_static_one_before_it():
    code = f"""{KERNEL}(float* y) {{
      __shared__ float of_warp[32];
      extern __shared__ float kept[];
      of_warp[threadIdx.x] = y[threadIdx.x];
      __syncthreads();
      kept[static_cast<int>(threadIdx.x) - 1] = of_warp[31 - threadIdx.x];
    }}"""
    message = stopped(code, np.zeros(32, np.float32), shared_mem=128)
    assert "writes `kept[-1]`, before the first element of `kept`" in message


def test_a_skip_that_reads_twice_is_told_of_what_it_reads():
    again = "{ kept[k] = from[k * 32 + lane]; for (float& value : kept[k].element) sum"
    message, _ = told(
        "07_fused_softmax/warp_softmax",
        ("for (float& value : kept[k].element) sum", again),
        ("(value = __expf(value - largest));", "(value = __expf(value - largest)); }"),
        status="over_budget",
    )
    assert re.search(r"loads ([\d,]+) bytes of global memory, 2 times what our kernel", message)


def test_a_skip_that_reads_as_much_in_smaller_pieces_is_told_of_that():
    message, _ = told(
        "06_pack_vectorization/row_absmax",
        ("if (columns % 4 == 0) {", "if (columns % 4 == 5) {"),
        status="over_budget",
    )
    assert "as many bytes of global memory as ours, but its accesses are smaller" in message


def test_of_several_launches_the_first_fault_is_told_first_and_the_status_stays():
    message, line = told(
        "04_safe_softmax/elementary",
        ("sum += expf(x[i] - largest);", "sum += expf(x[i]);"),
        ("y[i] = expf(x[i] - largest) / total;", "y[i % 100] = expf(x[i] - largest) / total;"),
        status="data_race",
    )
    assert message.startswith("After launch 2: partial[0] is ")
    assert message.index("takes the exponential") < message.index("Launch 3 fails, too (")
    assert "y[" not in message
    assert line.strip() == "sum += expf(x[i]);"


def test_a_counter_that_was_not_put_back_is_told_before_the_race_that_comes_of_it():
    edit = ("drawn == gridDim.x - 1", "drawn == gridDim.x")
    message, line = told("02_tree_reduction/ticket", edit, status="data_race")
    assert message.index("only if `drawn == gridDim.x`") < message.index("Launch 2 fails, too")
    assert "drawn == gridDim.x" in line


@pytest.mark.parametrize(
    ("exercise", "right", "wrong", "said"),
    [
        (
            "02_tree_reduction/max",
            "stride > 0",
            "stride > 1",
            "Line 18 is in the loop on line 16: `",
        ),
        ("02_tree_reduction/max", "blockDim.x / 2;", "blockDim.x / 4;", "the loop on line 16: `"),
        ("03_shuffle_reduction/warp_sum", "offset = 16", "offset = 8", "the loop on line 15: `"),
        ("06_pack_vectorization/row_absmax", "p += 32", "p += 128", "the loop on line 23: `"),
        ("10_tiles/product", "first < k;", "first + 16 <= k;", "Look at the loop on line 11: `"),
    ],
)
def test_a_loop_that_leaves_elements_out_is_named(exercise, right, wrong, said):
    message, line = told(exercise, (right, wrong))
    assert said in message and wrong in line
    assert "when does it end?" in message


def test_the_solution_s_own_loops_are_not_named_where_elements_are_left_out():
    message, _ = told(
        "09_scan_histogram/block_scan", ("of_warp[warp] = sum", "of_warp[warp] = value")
    )
    assert "does not use x[0]" in message and "the loop on line" not in message


@pytest.mark.parametrize(
    ("exercise", "right", "wrong", "name"),
    [
        ("02_tree_reduction/dot", "sum += x[i] * y[i]", "sum = x[i] * y[i]", "sum"),
        ("02_tree_reduction/last_block", "sum += partial[b]", "sum = partial[b]", "sum"),
        ("09_scan_histogram/compact", "kept += of_warp[w]", "kept = of_warp[w]", "kept"),
        ("01_expand_where/expand", "place += coordinate", "place = coordinate", "place"),
        ("02_tree_reduction/dot", "+= tile[thread + str", "= tile[thread + str", "tile[thread]"),
    ],
)
def test_a_value_that_each_round_replaces_is_named(exercise, right, wrong, name):
    message, line = told(exercise, (right, wrong))
    assert f"gives `{name}` a new value in each round of the loop on line" in message
    assert wrong in line


def test_an_array_of_another_launch_is_told_with_its_launch():
    message, _ = told("02_tree_reduction/dot", ("stride > 0", "stride > 1"))
    assert "In launch 2 of 2" in message and "does not use y[1], x[1]" in message
    assert "of launch 1, but should" in message


def test_a_store_without_a_loop_in_a_launch_of_few_threads_is_told_as_that():
    message, line = told(
        "04_safe_softmax/elementary",
        (
            "    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * "
            "blockDim.x) {\n        y[i]",
            "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) {\n"
            "        y[i]",
        ),
    )
    assert "The launch has 256 threads, and y has " in message and "y[i] =" in line
    assert "How can a thread write more than one element of y?" in message


def test_a_loop_before_the_last_use_of_what_is_missing_is_not_named():
    message, _ = told(
        "09_scan_histogram/compact",
        (
            "        for (int w = 0; w < blockDim.x / 32; w++) {",
            "        for (int v = 0; v < warp; v++) place += of_warp[v];\n"
            "        kept += of_warp[warp];\n        for (int w = 0; w < 0; w++) {",
        ),
    )
    assert "the loop on line" not in message, message


def test_a_shuffle_that_passes_on_the_same_value_in_each_round_is_named():
    message, line = told(
        "03_shuffle_reduction/warp_sum", ("(full_mask, sum, offset)", "(full_mask, x[i], offset)")
    )
    assert "passes on `x[i]`, which is the same in each round of the loop on line 15" in message
    assert "__shfl" in line


def test_a_load_that_the_compiler_moves_out_of_its_loop_has_the_line_that_names_the_array():
    _, line = told("02_tree_reduction/dot", ("x[i] * y[i]", "x[i] * y[thread]"))
    assert "y[thread]" in line


def test_an_exponential_of_the_value_itself_has_its_line():
    message, line = told(
        "04_safe_softmax/row_softmax",
        ("out[c] = expf(in[c] - largest) / sum", "out[c] = expf(in[c]) / sum"),
    )
    assert "takes the exponential of" in message and "out[c] = " in line


def test_a_sum_that_is_complete_before_more_is_added_is_told_there():
    message, line = told(
        "09_scan_histogram/block_scan", ("lane < warp ? of_warp", "lane <= warp ? of_warp")
    )
    assert "adds 7.25 (x[0]) and" in message and "total + sum" in line


def test_two_threads_with_one_index_are_told_the_index():
    message, line = told(
        "00_first_kernel/mirror", ("mirror[row * cols", "mirror[row * rows"), status="data_race"
    )
    assert "The index `row * rows + col` is 8 for both threads" in message and "mirror[" in line
    assert "thread (8, 0) of block 0 writes `mirror[8]`, which thread (0, 1) also writes" in message


@pytest.mark.parametrize(
    ("exercise", "right", "wrong", "said"),
    [
        ("04_safe_softmax/row_softmax", "/ sum;", "/ columns;", "(an exponential) by 300."),
        ("05_online_softmax/online_row", "/ all.sum;", "/ mine.sum;", "divides"),
        ("08_project/cross_entropy", "logf(all.sum)", "all.sum", "adds 4.5777 and 14.6971."),
    ],
)
def test_the_last_step_is_told_where_its_value_is_wrong_or_all_are_right(
    exercise, right, wrong, said
):
    message, line = told(exercise, (right, wrong))
    assert said in message and wrong in line


def test_an_index_that_is_another_number_has_the_lines_of_its_store_and_its_value():
    message, line = told(
        "08_project/top_four", ("{x[row * columns + c], c}", "{x[row * columns + c], lane}")
    )
    assert (
        re.search(r"wrote index\[.* on line 53\. Its value comes from line 27\.", message)
        and "index[" in line
    )


def test_a_large_ratio_is_no_missing_factor():
    message, line = told(
        "02_tree_reduction/max",
        ("fmaxf(tile[thread], tile[thread + stride])", "tile[thread] + tile[thread + stride]"),
    )
    assert "times what it should be" not in message and "+ tile" in line


def test_a_lane_that_gets_its_own_value_back_is_told_also_where_ours_needs_no_shuffle():
    message, line = told("09_scan_histogram/segments", ("lane - offset >=", "lane >="))
    assert "gets its own value back, because `__shfl_up_sync` goes below lane 0" in message
    assert "if (lane >= start)" in line


def test_a_choice_the_other_way_round_asks_about_the_choice():
    message, _ = told(
        "01_expand_where/where", ("? x[x_place] : y[y_place]", "? y[y_place] : x[x_place]")
    )
    assert "For which values of cond should out[0] come from x[0]?" in message


def test_the_step_that_uses_elements_again_is_told_with_its_calls():
    message, _ = told(
        "05_online_softmax/long_vector",
        ("butterfly(of_warp[threadIdx.x % 8], 4)", "butterfly(of_warp[threadIdx.x % 8], 8)"),
    )
    assert "Both values already contain" in message


def test_a_sum_in_a_helper_is_told_with_the_line_that_calls_it():
    message, line = told("05_online_softmax/online_row", ("int apart = 4", "int apart = 8"))
    assert "expf(a.max - from) + " in line and "This code is called on line 35." in message


def test_a_store_that_goes_elsewhere_is_told_though_another_thread_has_overwritten_it():
    message, line = told("01_expand_where/expand_2d", ("out[i] =", "out[row * row_stride + col] ="))
    assert (
        "No thread wrote to out[1, 0]." in message
        and "writes out[0, 0], but not out[1, 0]." in message
    )
    assert "out[row * row_stride + col]" in line


def test_the_store_is_told_of_a_thread_that_has_stored_in_shared_memory_often():
    message, _ = told("07_fused_softmax/block_softmax", ("row += gridDim.x", "row = rows"))
    assert "No thread wrote to y[2, 0]." in message and "writes y[0, 0] and" in message


def test_a_value_that_was_overwritten_is_told_where_it_is_used():
    message, line = told(
        "08_project/cross_entropy",
        ("__expf(kept[c] - all.max) * share", "(kept[c] = __expf(kept[c] - all.max)) * share"),
        (
            "    if (threadIdx.x == 0) loss[blockIdx.x] = (",
            "    __syncthreads();\n"
            "    float sum = 0.0f;\n"
            "    for (int c = 0; c < classes; c++) sum += kept[c];\n"
            "    if (threadIdx.x == 0) loss[blockIdx.x] = (",
        ),
        ("logf(all.sum)", "logf(sum)"),
    )
    assert "all.max - kept[right]" in line and "is not the right value here" in message


def test_of_a_step_that_lacks_another_the_right_value_is_named():
    message, line = told(
        "06_pack_vectorization/row_absmax", ("fabsf(pack.element[i])", "pack.element[i]")
    )
    assert "0.180668 is right here. A step that uses -0.659627 (x[0, 27]) is missing" in message
    assert "fmaxf(largest, pack.element[i])" in line


@pytest.mark.parametrize(
    ("exercise", "before", "after", "said"),
    [
        (
            "07_fused_softmax/block_softmax",
            "__expf(mine.max - all.max) / all.sum",
            "1.0f / all.sum",
            r"the maximum 8.44165 \((?:`\w+`, )?line \d+\)\. \S+ is a factor for values with the "
            "maximum 9",
        ),
        (
            "08_project/cross_entropy",
            "__expf(kept[c] - all.max)",
            "__expf(kept[c] - mine.max)",
            r"with the maximum 8.3981 \((?:`\w+`, )?line \d+\)\. \S+ is a factor for values with "
            "the maximum 8",
        ),
    ],
)
def test_values_of_different_maxima_are_told_with_these(exercise, before, after, said):
    message, line = told(exercise, (before, after))
    assert re.search(said, message) and "share" in line
    assert "ow can the kernel first give both values the same maximum?" in message


def test_a_loop_without_a_round_is_told_with_the_comparison_that_ends_it():
    message, line = told("02_tree_reduction/dot", ("i < n; i += ", "i + 7 < n; i += "))
    assert "makes no round of the loop: `8 < 2` is false." in message and "i + 7 < n" in line
    assert "Should this condition be true for thread 1 of block 0?" in message


def test_what_nothing_should_use_is_told_with_the_condition_that_let_it_pass():
    message, line = told(
        "07_fused_softmax/masked_softmax",
        ("query + 1 + keys - queries;", "max(1, query + 1 + keys - queries);"),
    )
    assert "y[0, 0] uses x[0, 0], but should not." in message
    assert "On line 35, `0 < 1` is true." in message and "first < seen" in line
    assert "NaN" not in message


def test_of_a_condition_the_value_is_asked_about_that_an_earlier_line_gives():
    message, line = told(
        "00_first_kernel/mirror", ("blockIdx.y * blockDim.y", "(blockIdx.y + 1) * blockDim.y")
    )
    asked = re.search(r"Is (\d+) the right value of `row` \(line (\d+)\)\? If it is, ", message)
    assert asked and f"`row` is {asked[1]} (line {asked[2]})" in message and "row < rows" in line
    assert re.search(rf"the part `{asked[1]} < \d+` is false\.", message)


def test_a_choice_that_depends_on_a_right_value_leaves_out_a_loop_before_it():
    message, _ = told("01_expand_where/where", ("cond[cond_place] ?", "cond[cond_place] == 1 ?"))
    assert "is right. The choice that depends on it is wrong." in message
    assert "loop" not in message


def test_a_lane_that_brings_its_old_value_is_told_with_the_line_of_that():
    message, _ = told(
        "03_shuffle_reduction/row_share",
        ("lane < warps ? of_warp[lane] : Op::identity()", "lane < warps ? of_warp[lane] : value"),
    )
    assert re.search(r"Thread \d+ of block 0 brings a value from line (\d+)\.", message)
    assert re.search(r"Which value should thread \d+ of block 0 bring to line \d+\?", message)


def test_of_mbarriers_that_wait_for_each_other_the_one_is_told_that_some_arrived_at():
    message, line = told(
        "11_async_copies/bulk_reverse",
        ("mbarrier_init(&full, 1)", "mbarrier_init(&full, 256)"),
        status="timeout",
    )
    assert "the mbarrier `full`: 255 of 256 arrivals are missing." in message
    assert "try_wait" in line


def test_what_a_bulk_copy_brings_is_told_by_its_elements():
    message, line = told("11_async_copies/neighbours", ("int j = 3; j < 6", "int j = 2; j < 5"))
    assert "y[0, 0] does not use x[0, 1] or x[1, 1], but should." in message
    assert "box[threadIdx.y" in line


def test_a_variable_of_an_unsigned_type_is_told_as_it_holds_a_number_below_0():
    source = """
extern "C" __global__ void last(const float* x, float* y, int n) {
    const int i = threadIdx.x;
    const size_t left = n - i - 8;
    if (left > 0) y[i] = x[i];
}
"""
    assert (
        Declarations(source).computed_on("left > 0", 5, {"n": 4, "threadIdx.x": 0})
        == ": `left` is 18446744073709551612 (line 4, unsigned)"
    )


def test_no_element_of_a_tensor_core_s_product_is_called_wrong():
    message, _ = told(
        "12_attention/tensor_tile",
        ("&score[i / 2][i % 2 * 2]", "&score[i % 2][i / 2 * 2]"),
    )
    assert "are right, but some are in the wrong registers." in message
    assert "in each register of this instruction?" in message
    assert "does not belong" not in message


def test_a_cell_that_nobody_has_written_has_the_condition_of_its_only_store():
    message, _ = told(
        "02_tree_reduction/interleaved",
        ("tile[thread] = i < n ? x[i] : 0.0f;", "if (i < n) tile[thread] = x[i];"),
        status="uninitialized_read",
    )
    assert "Line 11 writes to tile only if `i < n` (line 11)." in message


def test_threads_of_a_block_of_two_dimensions_have_two_coordinates_and_nothing_is_said_twice():
    message, _ = told(
        "05_online_softmax/axis", ("const Pair all = tile[threadIdx.x]", "const Pair all = tile[0]")
    )
    assert message.count("On line 46, thread (1, 0) of block 0 subtracts") == 1


def test_a_factor_is_told_with_the_parameter_that_it_is():
    message, _ = told(
        "12_attention/backward", ("sum_k += scale * of_score", "sum_k += scale * scale * of_score")
    )
    assert "5.65685 is 1 / `scale`." in message
    assert "Which step divides by 5.65685" in message


def test_an_element_that_got_lost_is_told_with_the_line_that_was_the_last_to_use_it():
    message, line = told(
        "08_project/top_four",
        ("if (best[0].index == first.index)", "if (best[0].value == first.value)"),
    )
    assert re.search(r"Line (\d+) is the last line that uses x\[\d+, \d+\]\.", message)
    assert "best[0].value == first.value" in line


@pytest.mark.parametrize(
    ("exercise", "before", "after", "asked"),
    [
        (
            "07_fused_softmax/masked_softmax",
            "query + 1 + keys - queries;",
            "query + 1;",
            "Is line 28 right? If it is, which line should bring x[0, 1] to x[0, 253] into",
        ),
        (
            "09_scan_histogram/segments",
            "(~0u >> (31 - lane))",
            "((1u << lane) - 1)",
            "Is -1 the right value of `start` (line 14)? If it is, should `lane - offset >= start`",
        ),
        (
            "12_attention/tiled",
            "sum[r] * shrink + sum_of_lanes(weight)",
            "sum[r] * shrink + weight",
            "right? If it is, which line should put the values of all threads",
        ),
    ],
)
def test_what_the_solution_has_not_alike_on_the_way_to_a_wrong_choice_or_element_is_asked_first(
    exercise, before, after, asked
):
    message, _ = told(exercise, (before, after))
    assert asked in message


ONE_CHOSEN_BY_VALUE = """
struct Entry {
    float value;
    int index;
};

__device__ bool comes_first(Entry a, Entry b) { return a.value > b.value; }

__device__ void insert(Entry (&best)[4], Entry one) {
    for (int k = 0; k < 4; k++) {
        if (comes_first(one, best[k])) {
            const Entry other = best[k];
            best[k] = one;
            one = other;
        }
    }
}

extern "C" __global__ void top_four(const float* x, float* value, int* index, int rows,
                                    int columns) {
    const int lane = threadIdx.x % 32;
    const size_t row = static_cast<size_t>(blockIdx.x) * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows) return;
    Entry best[4];
    for (int k = 0; k < 4; k++) best[k] = {-INFINITY, 0x7fffffff};
    for (int c = lane; c < columns; c += 32) insert(best, {x[row * columns + c], c});
    for (int apart = 16; apart > 0; apart /= 2) {
        Entry other[4];
        for (int k = 0; k < 4; k++) {
            other[k].value = __shfl_xor_sync(0xffffffff, best[k].value, apart);
            other[k].index = __shfl_xor_sync(0xffffffff, best[k].index, apart);
        }
        for (int k = 0; k < 4; k++) insert(best, other[k]);
    }
    for (int k = 0; k < 4 && lane == 0; k++) {
        value[row * 4 + k] = best[k].value;
        index[row * 4 + k] = best[k].index;
    }
}
"""


def test_the_function_that_decides_between_two_equal_elements_is_asked_about_first():
    verdict = judge("08_project/top_four", ONE_CHOSEN_BY_VALUE, hidden=False, sizes=False)
    assert "is the index of the wrong one." in verdict.message
    assert "Is `comes_first` (line 7) right? If it is, should `comes_first(one, best[k])`" in (
        verdict.message
    )


def test_no_name_is_doubted_where_a_comparison_with_nan_decides():
    message, _ = told(
        "06_pack_vectorization/warp_per_row",
        (
            "largest = fmaxf(largest, fabsf(kept[k].element[i]));",
            "{\n"
            "                const float size = fabsf(kept[k].element[i]);\n"
            "                if (!(size <= largest)) largest = size;\n"
            "            }",
        ),
    )
    assert "No comparison with NaN is true, except `!=`." in message
    assert "right? If it is" not in message


def test_of_conditions_that_all_hold_none_decides_alone():
    message, _ = told(
        "10_tiles/transpose",
        ("tile[32][33]", "tile[32 * 32]"),
        ("tile[k][lane]", "tile[33 * k + lane]"),
        ("tile[lane][k]", "tile[33 * lane + k]"),
        status="out_of_bounds",
    )
    assert "the part `31 < 32` is true" in message and "decides alone" not in message


def test_a_product_is_told_on_its_own_line_though_another_line_adds_it():
    """A compiler makes one instruction of both, which has the line of the sum."""
    message, _ = told(
        "00_first_kernel/saxpy",
        (
            "if (i < n) out[i] = a * x[i] + y[i];",
            "const float product = i < n ? a * y[i] : 0;\n    if (i < n) out[i] = product + x[i];",
        ),
    )
    assert "On line 10, thread 0 of block 0 multiplies " in message


@pytest.mark.parametrize(
    ("change", "is_repeated"),
    [
        ("sum = fmaxf(sum, other);", True),
        ("sum = other, value = sum;", False),
        ("if (other > value) sum = 0.0f, value = other;", False),
        ("sum = 0.0f; take(value, other);", False),
        ("sum = 0.0f; give(&value);", False),
    ],
)
def test_a_shuffle_repeats_a_value_only_if_no_round_can_change_it(change, is_repeated):
    declared = Declarations(f"""
__device__ void take(float& to, float from) {{
    to += from;
}}
__global__ void k(float value) {{
    float sum = 0.0f;
    for (int apart = 16; apart > 0; apart /= 2) {{
        float other = __shfl_xor_sync(~0u, value, apart);
        {change}
    }}
}}
""")
    assert (repeated_shuffle(declared, 8) is not None) == is_repeated


def test_an_index_that_leaves_its_row_of_a_shared_array_is_told_with_its_value():
    message, line = told(
        "08_project/attention_row",
        ("total_of_warp[32][DIM / 2]", "total_of_warp[32][DIM / 4]"),
        status="data_race",
    )
    assert "The index `lane` is 16 for thread 16 of block 0, but a row of `total_of_warp` has" in (
        message
    )
    assert "s the index too large, or is the row too short?" in message
    assert "total_of_warp[warp][lane] = total" in line


def test_a_copy_whose_group_the_wait_lets_continue_is_told_with_the_place_of_its_group():
    message, _ = told(
        "11_async_copies/copy_pipeline",
        (
            "if (k + 2 < tiles) copy_tile(tile[(k + 2) % 3], from + 1024 * (k + 2));\n"
            "        __pipeline_commit();",
            "if (k + 2 < tiles) {\n"
            "            copy_tile(tile[(k + 2) % 3], from + 1024 * (k + 2));\n"
            "            __pipeline_commit();\n"
            "        }",
        ),
        status="uninitialized_read",
    )
    assert re.search(
        r"Line (\d+) lets the newest group continue\. When thread \d+ waited there, this copy was "
        r"in the newest group\. So line \1 did not wait for this copy\.",
        message,
    )


def test_a_copy_that_nobody_has_committed_is_told_as_such():
    message, _ = told(
        "11_async_copies/copy_pipeline",
        ("__pipeline_commit();", ";"),
        status="uninitialized_read",
    )
    assert "Its thread has not committed the group of this copy yet." in message


def test_bank_conflicts_are_told_with_two_lanes_and_their_elements_of_one_bank():
    message, line = told(
        "10_tiles/transpose", ("tile[32][33]", "tile[32][32]"), status="over_budget"
    )
    assert "lane 0 accesses `tile[0][0]` and lane 1 `tile[1][0]`, which are in the same" in message
    assert "tile[lane][k]" in line


@pytest.mark.parametrize(
    ("exercise", "before", "after", "status", "said"),
    [
        (
            "08_project/variance_of_rows",
            "sum / columns",
            "sum * (1 / columns)",
            "wrong_answer",
            "On line 11, `1 / columns` divides two ints.",
        ),
        (
            "05_online_softmax/one_column",
            "all = merge(all, {x[k * inner + i], 1.0f});",
            "{\n        all.max = fmaxf(all.max, x[k * inner + i]);\n"
            "        all.sum += expf(x[k * inner + i] - all.max);\n    }",
            "wrong_answer",
            "ow can the kernel first give both values the same maximum?",
        ),
        (
            "04_safe_softmax/on_device",
            "for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x) value",
            "const int b = threadIdx.x;\n    if (b < gridDim.x) value",
            "wrong_answer",
            "The results are in sums[32] to sums[70], but no thread uses them.",
        ),
        (
            "05_online_softmax/online_row",
            "of_warp[lane % 8]",
            "of_warp[lane]",
            "out_of_bounds",
            "Guard the access: `lane < 8`. What should the other threads have instead?",
        ),
        (
            "06_pack_vectorization/row_absmax",
            "if (columns % 4 == 0)",
            "if (columns % 2 == 0)",
            "misaligned",
            "The access is in the branch `columns % 2 == 0` (line 21).",
        ),
        (
            "07_fused_softmax/warp_softmax",
            "fmaxf(largest, __shfl_xor_sync(",
            "fmaxf(largest, __shfl_down_sync(",
            "wrong_answer",
            "After the last `__shfl_down_sync`, only the first lane has the whole result.",
        ),
        (
            "05_online_softmax/merge",
            "both.sum = ",
            "both.max = from;\n    both.sum = ",
            "wrong_answer",
            "hould 0 be the value of merged[11].max?",
        ),
        (
            "02_tree_reduction/interleaved",
            "        }\n        __syncthreads();",
            "        __syncthreads();\n        }",
            "barrier_divergence",
            "This one is in the branch `thread < stride` (line 17).",
        ),
        (
            "02_tree_reduction/last_block",
            "    sum = 0.0f;\n",
            "",
            "wrong_answer",
            "Which value should `sum` have before the loop on line",
        ),
        (
            "03_shuffle_reduction/warp_sum",
            "sum += __shfl_down_sync",
            "sum = __shfl_down_sync",
            "wrong_answer",
            "gives `sum` only what `__shfl_down_sync` brings: the lane's own value is lost.",
        ),
        (
            "02_tree_reduction/ticket",
            "            *finished = 0;",
            "",
            "wrong_answer",
            "Only the atomic on line",
        ),
        (
            "12_attention/tensor_tile",
            "weights[i] = two",
            "weights[i % 2 * 2 + i / 2] = two",
            "wrong_answer",
            "are in the wrong registers. Its arrays get values on line",
        ),
    ],
)
def test_the_cause_of_a_common_mistake_is_named(exercise, before, after, status, said):
    message, _ = told(exercise, (before, after), status=status)
    assert said in message


def test_nothing_is_said_of_maxima_where_the_solution_looks_for_none():
    message, _ = told(
        "12_attention/backward",
        (
            "expf(scale * sum_of_lanes(of_q * of_k) - lse[row])",
            "expf(lse[row] - scale * sum_of_lanes(of_q * of_k))",
        ),
    )
    assert "maximum" not in message


def test_the_lines_that_change_an_index_of_a_stray_access_are_named():
    message, _ = told(
        "01_expand_where/where",
        ("* y_strides[", "* x_strides["),
        status="out_of_bounds",
    )
    assert re.search(r"The index is computed on lines? \d+", message)


def test_a_maximum_that_the_next_row_begins_with_is_told_with_the_line_of_its_first_value():
    message, line = told(
        "04_safe_softmax/row_softmax",
        ("        float largest = -INFINITY;\n", ""),
        (
            "    for (int row = blockIdx.x",
            "    float largest = -INFINITY;\n    for (int row = blockIdx.x",
        ),
    )
    assert "Which value should `largest` have when a round of the loop on line" in message
    assert "float largest = -INFINITY;" in line


@pytest.mark.parametrize(
    ("exercise", "edits", "status", "said"),
    [
        (
            "03_shuffle_reduction/five_steps",
            [
                ("    for (int apart = 16;", "    int apart = 16;\n    for (int step = 0;"),
                ("apart > 0; apart /= 2", "step < 5; step++"),
                ("sum, apart);", "x[i], apart);\n        apart /= 2;"),
            ],
            "wrong_answer",
            "passes on `x[i]`, which is the same in each round of the loop",
        ),
        (
            "05_online_softmax/online_row",
            [("for (int apart = 4;", "for (int apart = 16;")],
            "wrong_answer",
            "How many rounds should the loop on line",
        ),
        (
            "06_pack_vectorization/warp_per_row",
            [("k * 32 + lane", "lane * PACKS + k")],
            "over_budget",
            "from each sector of 32 bytes it uses only 16 bytes",
        ),
        (
            "07_fused_softmax/warp_softmax",
            [
                ("(float& value : kept[k].element) sum", "(float value : kept[k].element) sum"),
                (
                    "sum += (value = __expf(value - largest));",
                    "{ value = __expf(value - largest); sum += value; }",
                ),
            ],
            "wrong_answer",
            "changes `value`, which is a copy of the element",
        ),
        (
            "05_online_softmax/online_row",
            [("for (int apart = 4;", "for (int apart = 8;")],
            "wrong_answer",
            "Both values already contain",
        ),
        (
            "09_scan_histogram/compact",
            [("(1u << lane) - 1", "(2u << lane) - 1")],
            "data_race",
            "If not, correct the index (lines 17, 21 and 23), or guard the write",
        ),
        (
            "11_async_copies/copy_pipeline",
            [("__pipeline_wait_prior(1)", "__pipeline_wait_prior(2)")],
            "uninitialized_read",
            "this copy was in the second newest group. So line 28 did not wait for this copy.",
        ),
        (
            "12_attention/ragged",
            [("const int here = min(TILE, end - first);", "const int here = TILE;")],
            "out_of_bounds",
            "Is `here` (line 43) right? If it is, should the loop",
        ),
        (
            "00_first_kernel/add_bias",
            [
                (
                    "if (row < rows && col < cols) {",
                    "if (row >= rows && col >= cols) return;\n    {",
                )
            ],
            "out_of_bounds",
            "one part of the condition decides alone. Is `&&` right?",
        ),
        (
            "00_first_kernel/add_bias",
            [
                ("const int i = row * cols + col;", "float* to = out + row * rows;"),
                ("out[i] = x[i] + bias[col];", "to[col] = x[row * cols + col] + bias[col];"),
            ],
            "data_race",
            "If not, correct the index (lines 11 and 14), or guard the write",
        ),
        (
            "01_expand_where/where",
            [
                ("y_place += coordinate * y_strides[d];", "y_place += coordinate * x_strides[d];"),
            ],
            "out_of_bounds",
            "The index is computed on lines 19 and 24, with",
        ),
        (
            "02_tree_reduction/dot",
            [
                (
                    "tile[thread] += tile[thread + stride];",
                    "tile[thread] = sum + tile[thread + stride];",
                )
            ],
            "wrong_answer",
            "gives `tile[thread]` a new value in each round of the loop",
        ),
        (
            "03_shuffle_reduction/below_max",
            [("__shfl_xor_sync", "__shfl_down_sync")],
            "wrong_answer",
            "After the last `__shfl_down_sync`, only the first lane has the whole result.",
        ),
        (
            "06_pack_vectorization/row_absmax",
            [("if (columns % 4 == 0) {", "if (columns >= 4) {")],
            "misaligned",
            "The access is in the branch `columns >= 4`",
        ),
        (
            "08_project/top_four",
            [
                (
                    "a.value > b.value || (a.value == b.value && a.index < b.index)",
                    "a.value > b.value",
                ),
                ("if (best[0].index == first.index) {", "if (best[0].index == first.index)"),
                ("best[i] = best[i + 1];", "best[i] = best[i + 1];\n        if (lane == 0) {"),
            ],
            "wrong_answer",
            "Equal elements are compared on line",
        ),
        (
            "09_scan_histogram/together",
            [("lane == __ffs(same) - 1", "lane == 0")],
            "wrong_answer",
            "Line 17 also writes to mine, but bins[2] uses nothing that it wrote.",
        ),
        (
            "05_online_softmax/axis",
            [
                ("Pair* cell = &tile[", "const int me = "),
                ("across + threadIdx.x];\n    *cell", "across + threadIdx.x;\n    tile[me]"),
                (
                    "*cell = merge(*cell, cell[stride * across]",
                    "tile[me] = merge(tile[me], tile[me + stride]",
                ),
            ],
            "data_race",
            "Is the index `me + stride` right? If it is, read",
        ),
        (
            "06_pack_vectorization/any_type",
            [("16 / sizeof(T)", "4")],
            "wrong_answer",
            "In `scale_halves`, thread 0 of block 0 writes",
        ),
        (
            "00_first_kernel/rise",
            [("if (i >= n) return;", "if (i == 0 || i >= n) return;")],
            "wrong_answer",
            "on line 8, the part `0 == 0` is true.",
        ),
        (
            "01_expand_where/expand_2d",
            [("x[row * row_stride", "!row_stride ? 0.0f : x[row * row_stride")],
            "wrong_answer",
            "On line 15, `!row_stride` decides for 0.",
        ),
        (
            "02_tree_reduction/interleaved",
            [("+= tile[thread + stride]", "+= tile[thread] + tile[thread + stride]")],
            "wrong_answer",
            "Which values should line 18 add?",
        ),
        (
            "06_pack_vectorization/warp_per_row",
            [
                (
                    "reinterpret_cast<const Pack<float, 4>*>(x + row * columns)",
                    "reinterpret_cast<const Pack<float, 4>*>(x) + row * columns",
                )
            ],
            "out_of_bounds",
            "Is `from` (line",
        ),
        (
            "09_scan_histogram/together",
            [("__syncwarp();  // in the next", "// in the next")],
            "data_race",
            "in different rounds of a loop, put a ",
        ),
        (
            "09_scan_histogram/look_back",
            [
                (
                    "up_to[tile] = before + sum;\n    __threadfence();\n    state[tile] = 2;",
                    "state[tile] = 2;\n    __threadfence();\n    up_to[tile] = before + sum;",
                )
            ],
            "data_race",
            "sets a flag, and line",
        ),
        (
            "10_tiles/register_tile",
            [
                ("sums[r].x +=", "float4 part = sums[r];\n                part.x +="),
                ("sums[r].y", "part.y"),
                ("sums[r].z", "part.z"),
                ("sums[r].w", "part.w"),
            ],
            "wrong_answer",
            "changes `part`, which is a copy of `sums[r]`: line",
        ),
        (
            "11_async_copies/copy_pipeline",
            [
                ("__pipeline_wait_prior(1);", "@"),
                ("__syncthreads();           // those", "__pipeline_wait_prior(1);  // those"),
                ("@", "__syncthreads();"),
            ],
            "data_race",
            "after the wait on line",
        ),
        (
            "12_attention/tiled",
            [
                (
                    "const float before = largest[r];\n"
                    "            largest[r] = fmaxf(before, max_of_lanes(score));",
                    "largest[r] = fmaxf(largest[r], max_of_lanes(score));\n"
                    "            const float before = largest[r];",
                )
            ],
            "wrong_answer",
            "It is 1, because thread",
        ),
        (
            "08_project/layer_norm",
            [("all.m2 / all.n +", "all.m2 / (all.n - 1.0f) +")],
            "wrong_answer",
            "subtracts 1 from 300",
        ),
        (
            "09_scan_histogram/segments",
            [
                ("heads & (~0u >> (31 - lane))", "heads & ((1u << lane) - 1)"),
                ("lane - offset >= start", "lane >= start + offset"),
            ],
            "wrong_answer",
            "Here `lane` is 0 (line",
        ),
        (
            "09_scan_histogram/segments",
            [
                ("heads & (~0u >> (31 - lane))", "heads & ((1u << lane) - 1)"),
                ("lane - offset >= start", "lane >= start + offset"),
            ],
            "wrong_answer",
            "and `start + offset` is 0, 1, 3, 7, 15",
        ),
        (
            "09_scan_histogram/compact",
            [
                ("int place = kept + __popc", "int before = __popc"),
                ("if (w < warp) place +=", "if (w < warp) before +="),
                (
                    "        if (i < n) y[keep ? place : n - 1 - (i - place)] = value;",
                    "        const int place = kept + before;\n"
                    "        if (i < n && keep) y[place] = value;\n"
                    "        if (i < n && !keep) y[n - 1 - (i - place)] = value;",
                ),
            ],
            "out_of_bounds",
            "Which of `kept` and `before` is wrong on line",
        ),
    ],
)
def test_the_cause_of_a_mistake_in_several_lines_is_named(exercise, edits, status, said):
    message, _ = told(exercise, *edits, status=status)
    assert said in message


def test_a_sum_of_one_lane_alone_is_not_put_down_to_the_loop_that_loads():
    message, line = told(
        "12_attention/tiled",
        ("sum_of_lanes(weight)", "weight"),
        ("for (int j = warp; j < KEYS; j += 4) {", "for (int j = warp; KEYS > j; j += 4) {"),
    )
    assert "Look at the loop" not in message
    assert "weight" in line


def test_a_guard_that_two_threads_pass_is_told_with_the_value_that_each_compares():
    message, _ = told(
        "08_project/top_four",
        ("a.value > b.value || (a.value == b.value && a.index < b.index)", "a.value > b.value"),
        ("best[0].index == first.index", "lane == first.index % 32"),
        status="data_race",
    )
    assert "So `first.index % 32` is 1 for thread 1 and 31 for thread 31." in message


def test_values_that_belong_in_other_elements_are_told_as_that():
    message, line = told(
        "04_safe_softmax/side_by_side", ("total[blockIdx.x]", "total[gridDim.x - 1 - blockIdx.x]")
    )
    assert re.search(r"total\[\d\] has the value of total\[\d\]\.", message)
    assert "gridDim.x - 1 - blockIdx.x" in line


def test_a_name_in_a_condition_has_the_value_of_its_own_side():
    message, _ = told(
        "09_scan_histogram/segments",
        ("heads & (~0u >> (31 - lane))", "lane == 0 ? 1u : heads & ((1u << lane) - 1)"),
        ("float sum =", "const int reach = lane - start;\n    float sum ="),
        ("lane - offset >= start", "offset <= reach"),
    )
    assert "Here `offset` is" not in message
    assert "should `offset <= reach` hold" in message


def test_a_loop_elsewhere_is_not_asked_about_where_a_choice_is_told():
    message, line = told(
        "09_scan_histogram/block_scan",
        ("lane >= offset", "lane > offset"),
    )
    assert "Look at the loop" not in message
    assert "lane > offset" in line


@pytest.mark.parametrize(
    ("exercise", "edits", "status", "said"),
    [
        (
            "01_expand_where/where",
            [("y_place += coordinate * y_strides", "y_place += coordinate * x_strides")],
            "out_of_bounds",
            r"No line uses `y_strides`\..* is computed on lines? \d+.*"
            r"Which line should use `y_strides`\?",
        ),
        (
            "05_online_softmax/rescale",
            [("expf(from[i] - to[i])", "expf(-to[i])")],
            "wrong_answer",
            r"No line uses `from`\..* Which line should use `from`\?",
        ),
        (
            "00_first_kernel/saxpy",
            [("if (i < n) ", "")],
            "out_of_bounds",
            r"No line uses `n`\..* Guard the access: .* Which line should use `n`\?",
        ),
    ],
)
def test_a_parameter_that_no_line_uses_is_named(exercise, edits, status, said):
    message, _ = told(exercise, *edits, status=status)
    assert re.search(said, message)


@pytest.mark.parametrize(
    "body", ["int i = blockIdx.x", "out[0] = 1.0f;"], ids=["does not compile", "hardly begun"]
)
def test_no_parameter_is_named_where_something_else_says_more(body):
    source = course.exercise("00_first_kernel/saxpy").solution
    begin, end = source.index("    const int i"), source.index("    // END SOLUTION")
    verdict = judge("00_first_kernel/saxpy", f"{source[:begin]}    {body}\n{source[end:]}")
    assert "No line uses" not in verdict.message


def test_no_parameter_is_named_that_the_solution_does_not_use_either():
    message, _ = told(
        "02_tree_reduction/ticket", ("gridDim.x - 1", "gridDim.x"), status="data_race"
    )
    assert "No line uses" not in message


def test_an_exponential_from_which_nothing_is_subtracted_is_told_as_that():
    message, line = told(
        "04_safe_softmax/elementary", ("expf(x[i] - largest) / total", "expf(x[i]) / total")
    )
    assert "No maximum is subtracted from" in message
    assert "Which maximum belongs to this exponential?" in message
    assert "expf(x[i]) / total" in line


def test_two_values_that_are_subtracted_the_wrong_way_round_are_asked_about():
    message, _ = told(
        "07_fused_softmax/block_softmax",
        ("__expf(mine.max - all.max)", "__expf(all.max - mine.max)"),
    )
    assert "Everything that this step uses is right." in message
    assert "Which of these two values should be subtracted?" in message


def test_an_element_that_every_thread_starts_with_is_counted():
    message, _ = told(
        "05_online_softmax/online_row",
        ("Pair mine = {-INFINITY, 0.0f};", "Pair mine = {x[start], 1.0f};"),
    )
    assert re.search(r"uses x\[\d, 0\] \d\d\d times, and should use it 2 times\.", message)
    assert "which line uses this element too often?" in message.lower()


IN_BRACES = """if (first < seen) {
            kept[k] = from[first / 4];
        }"""


def test_of_elements_that_no_thread_loads_the_condition_is_told_that_skips_them():
    message, line = told(
        "07_fused_softmax/masked_softmax",
        ("query + 1 + keys - queries", "min(query + 1, keys)"),
        ("if (first < seen) kept[k] = from[first / 4];", IN_BRACES),
    )
    assert re.search(
        r"Thread 1 of block 0 skips line \d+: on line \d+, `4 < 1` is false\.", message
    )
    assert "if (first < seen)" in line


FILLED = """kept[k] = from[p];
        } else {
            kept[k] = {};
        }
        {
            for (float value"""


def test_a_thread_without_an_element_is_told_with_the_condition_that_gives_it_none():
    message, _ = told(
        "07_fused_softmax/warp_softmax",
        ("kept[k] = from[p];\n            for (float value", FILLED),
        (
            "if (k * 32 + lane < packs) {\n            for (float& value : kept[k].element) sum",
            "{\n            for (float& value : kept[k].element) sum",
        ),
    )
    assert re.search(r"has no element: on line \d+, `\d+ < \d+` is false\.", message)


def test_a_ticket_whose_number_is_not_used_is_told_as_that():
    message, _ = told(
        "02_tree_reduction/ticket",
        ("const unsigned int drawn = atomicAdd", "atomicAdd"),
        ("drawn == gridDim.x - 1", "*finished == gridDim.x"),
        status="data_race",
    )
    assert re.search(r"Line \d+ does not use what the atomic returns: the value before", message)


def test_a_wait_for_the_other_phase_of_an_mbarrier_is_asked_about_by_its_parity():
    message, _ = told(
        "11_async_copies/bulk_ring", ("k / 4 % 2", "k % 2"), status="uninitialized_read"
    )
    assert "mbarrier now has parity 0. So a wait for parity 1 ends at once." in message
    assert re.search(r"For which parity does line \d+ wait here\?\s*$", message)


def test_an_index_to_compute_by_hand_comes_with_its_numbers_and_short_arrays():
    message, _ = told(
        "01_expand_where/where",
        ("        rest /= shape[d];\n    }", "    }"),
        ("const int coordinate", "rest /= shape[d];\n        const int coordinate"),
    )
    assert re.search(r"by hand for thread \d+ of block 0: dims = \d, .*shape = \{\d+", message)


def test_a_choice_is_not_blamed_for_an_element_that_was_not_among_its_two():
    message, line = told(
        "05_online_softmax/two_by_hand",
        ("= x[2 * i];", "= x[i];"),
        ("= x[2 * i + 1];", "= x[n + i];"),
    )
    assert re.search(r"Thread \d+ of block 0 loads x\[\d+\] on line \d+\.", message)
    assert "Which step chooses" not in message
    assert "x[" in line


def test_of_two_blocks_that_write_one_element_both_lines_are_told():
    message, _ = told(
        "06_pack_vectorization/scale_packed",
        ("int i = 4 * p;", "int i = n % 4;"),
        status="data_race",
    )
    assert re.search(r"Which of the lines \d+ and \d+ should write `y\[\d+\]`\?", message)


def test_a_lane_without_a_lane_below_is_not_asked_about_another_shuffle():
    message, _ = told(
        "09_scan_histogram/block_scan",
        ("    if (lane == 0) before = 0.0f;\n", ""),
    )
    assert "What should a thread do where its shuffle finds no lane?" in message


def test_two_values_that_a_condition_compares_are_both_asked_about():
    message, _ = told(
        "06_pack_vectorization/any_type",
        ("const int p = k * 32 + lane;", "const int p = k * 32 + lane, packs = columns / 4;"),
        ("p < columns / N", "p < packs"),
        status="out_of_bounds",
    )
    assert re.search(r"(Are|Is) `p.*` \(line \d+\).* right\? If", message)


def test_an_element_in_another_s_place_is_not_followed_down_from_the_load_that_is_wrong():
    message, _ = told(
        "01_expand_where/where",
        ("        rest /= shape[d];\n    }", "    }"),
        ("const int coordinate", "rest /= shape[d];\n        const int coordinate"),
        ("x[x_place] :", "from_x :"),
        ("    out[i] =", "    const float from_x = x[x_place];\n    out[i] ="),
    )
    assert "Follow this" not in message


def test_nothing_is_said_of_the_index_of_a_store_that_may_be_two():
    message, _ = told(
        "09_scan_histogram/compact",
        (
            "if (i < n) y[keep ? place : n - 1 - (i - place)] = value;",
            "if (keep) y[place] = value;\n        else y[n - 1 - (i - place)] = value;",
        ),
        status="data_race",
    )
    assert "for both threads" not in message


def test_an_index_that_was_loaded_is_told_with_the_array_that_it_comes_from():
    message, _ = told(
        "08_project/cross_entropy",
        ("const int right = target[blockIdx.x];", LOADED_TOO_EARLY),
        status="out_of_bounds",
    )
    assert re.search(r"Line \d+ loads `right` from `target`\.", message)
    assert "What must hold for `right` before line" in message


LOADED_TOO_EARLY = """const int right = target[blockIdx.x];
    const float early = x[right];
    if (early == 12345.0f) loss[blockIdx.x] = early;"""


@pytest.mark.parametrize(
    ("exercise", "edits", "said", "unsaid"),
    [
        (
            "04_safe_softmax/on_device",
            [
                (
                    "for (int b = threadIdx.x; b < gridDim.x; b += blockDim.x)",
                    "int b = threadIdx.x;\n    if (b < gridDim.x)",
                ),
            ],
            "How can a thread read more than one element of",
            "Which threads should read",
        ),
        (
            "06_pack_vectorization/row_absmax",
            [("fabsf(from[c])", "from[c]")],
            "Which step should come before line",
            "Which operation belongs here",
        ),
        (
            "01_expand_where/fast_expand",
            [("rest = quotient;", "")],
            "changes `rest`.",
            "Which value should line",
        ),
        (
            "09_scan_histogram/together",
            [("~0u, value", "0xffffffff, value"), ("__ffs(same) - 1", "__ffs(same)")],
            "Should this condition be true for thread 143 of block 0?",
            "Is `same`",
        ),
        (
            "09_scan_histogram/look_back",
            [("break;", ";")],
            "uses each of",
            "have before the loop",
        ),
        (
            "08_project/top_four",
            [("best[0].index == first.index", "best[0].value == first.value")],
            "For which threads is the condition on line 50 true if elements are equal?",
            "come first",
        ),
    ],
)
def test_a_question_does_not_lead_to_what_is_right(exercise, edits, said, unsaid):
    message, _ = told(exercise, *edits)
    assert said in message
    assert unsaid not in message


def test_a_fence_of_all_threads_is_not_asked_for_again():
    source = course.exercise("02_tree_reduction/last_block").solution
    first, _, rest = source.partition("__threadfence();")
    verdict = judge("02_tree_reduction/last_block", first + rest, sizes=False)
    assert verdict.status == "data_race"
    assert verdict.parts.remedy.count("__threadfence()") == 1


def test_a_loop_that_made_rounds_is_not_said_to_make_none():
    source = course.exercise("11_async_copies/tensor_ring").solution
    wrong = re.sub(r"4 \* (\w+) \+ (\w+)", r"\1 + \2", source)
    assert wrong != source
    assert "makes no round" not in judge("11_async_copies/tensor_ring", wrong, sizes=False).message
