"""The cause of a wrong answer is named by what the learner wrote: a step, a condition, a loop."""

import re

import pytest
from told import told

from grader import course
from grader.compilers.declared import Declarations
from grader.judge import judge


@pytest.mark.parametrize(
    ("exercise", "edits", "status", "said"),
    [
        pytest.param(
            "00_first_kernel/mirror",
            [("cols - 1 - col;", "gridDim.x * blockDim.x - 1 - col;")],
            "out_of_bounds",
            r"Here `row` is \d+ \(line 10\) and `opposite` is (\d+) \(line 12\).* should execute "
            r"line 13, but with another index\. Is \1 the right value of `opposite` \(line 12\)\?",
            id="an index with one name that is not as in the solution",
        ),
        pytest.param(
            "12_attention/causal_tiles",
            [("scale * q[row", "q[row")],
            "wrong_answer",
            r"multiplies 4 \((\S+)\) by 0 \((\S+)\)\..*0 \(\2\) is right here\. A step that uses "
            r"4 \(\1\) is missing before this one\.",
            id="a factor that is missing before another one",
        ),
        pytest.param(
            "08_project/attention_row",
            [("= scale * sum_of", "= sum_of")],
            "wrong_answer",
            r"takes the larger of -inf and (\S+)\. A step that uses \1 is missing before",
            id="a factor that is missing before a maximum",
        ),
        pytest.param(
            "08_project/layer_norm",
            [
                (
                    "const float scale = rsqrtf(all.m2 / all.n + epsilon);",
                    "const float variance = all.m2 / (columns - 1);\n"
                    "    const float scale = 1.0f / sqrtf(variance + epsilon);",
                )
            ],
            "wrong_answer",
            r"^y\[0, 0\] is .* On line 52, thread 0 of block 0 subtracts 1 from 300\. "
            r"The 1 is a number in your code \(line 52\)\.",
            id="a whole number beside a parameter",
        ),
        pytest.param(
            "11_async_copies/neighbours",
            [("threadIdx.x + j]", "threadIdx.x + j - 3]")],
            "wrong_answer",
            r"4 threads of block 0 load them from shared memory\.",
            id="elements that a copy brought into shared memory",
        ),
        pytest.param(
            "09_scan_histogram/together",
            [("__ffs(same) - 1", "__ffs(same)")],
            "wrong_answer",
            r"`__ffs` counts bits from 1, and returns 0 if no bit is 1\.",
            id="a function that counts from 1",
        ),
        pytest.param(
            "07_fused_softmax/masked_softmax",
            [
                (
                    "const int seen = query + 1 + keys - queries;",
                    "int seen = query + 2 + keys - queries;\n    if (seen < 0) seen = 0;",
                )
            ],
            "out_of_bounds",
            r"`seen` is 13 \(line 28\)",
            id="a value that a later line would have changed",
        ),
        pytest.param(
            "01_expand_where/expand_2d",
            [
                (
                    "const int col = i % cols;\n"
                    "        out[i] = x[row * row_stride + col * col_stride];",
                    "const int col = i - row * rows;\n"
                    "        const int place = row * row_stride + col * col_stride;\n"
                    "        out[i] = x[place];",
                ),
            ],
            "out_of_bounds",
            r"`place` is 37 \(line 15\).* Is `col` \(line 14\) right\? If it is, which other part",
            id="a name that is computed from another one",
        ),
        pytest.param(
            "01_expand_where/expand_2d",
            [("const int row = i / cols;", "const int row = i / rows;")],
            "out_of_bounds",
            r"^In launch 1 of 3 .* Launch 3 fails, too \(out of bounds\)\. Correct launch 1 ",
            id="the first launch that is wrong, two before the one that fails",
        ),
        pytest.param(
            "02_tree_reduction/interleaved",
            [
                (
                    "for (int stride = blockDim.x / 2; stride > 0; stride /= 2)",
                    "for (int stride = 1; stride < blockDim.x; stride *= 2)",
                ),
                ("if (thread < stride)", "if (2 * stride * thread < blockDim.x)"),
                (
                    "tile[thread] += tile[thread + stride]",
                    "tile[2 * stride * thread] += tile[2 * stride * thread + stride]",
                ),
            ],
            "over_budget",
            r"lane 0 accesses `tile\[0\]` and lane 16 `tile\[32\]`, which are in the same bank\.",
            id="wavefronts of shared memory",
        ),
        pytest.param(
            "04_safe_softmax/elementary",
            [("block_all_reduce<add>(sum, 0.0f", "block_all_reduce<fmaxf>(sum, -INFINITY")],
            "wrong_answer",
            r"takes the larger of (\S+) and (\S+)\..* \1 and \2 are right here\. The operation is "
            r"wrong, or a step is missing\..* Which operation belongs here",
            id="a maximum in the place of a sum",
        ),
        pytest.param(
            "08_project/layer_norm",
            [("a.m2 + b.m2 + delta * delta * a.n * share", "a.m2 + b.m2")],
            "wrong_answer",
            r"right here\. A value is missing in this step, or before it\..* "
            r"Should this step use `share` \(0\.5, line 16\), too\?",
            id="a value that is missing, with its name",
        ),
        pytest.param(
            "05_online_softmax/merge",
            [
                (
                    "both.sum = a.sum * expf(a.max - from) + b.sum * expf(b.max - from);",
                    "const float da = expf(a.max - both.max), db = expf(b.max - both.max);\n"
                    "    const float fa = a.max == -INFINITY ? 0.0f : da;\n"
                    "    const float fb = a.max == -INFINITY ? 0.0f : db;\n"
                    "    both.sum = fa * a.sum + fb * b.sum;",
                )
            ],
            "wrong_answer",
            r"On line 21, `a\.max == -INFINITY` decides for 0\..* "
            r"Is `a\.max == -INFINITY` the right condition on line 21\?",
            id="a condition that puts a number in the place of an element",
        ),
        pytest.param(
            "05_online_softmax/long_vector",
            [("merge(mine, partial[b])", "merge(mine, {partial[b].max, 1.0f})")],
            "wrong_answer",
            r"does not use partial\[0\]\.sum, but should\. No thread uses it\..* "
            r"Which line should use partial\[0\]\.sum\?",
            id="a launch of several whose member is not used",
        ),
        pytest.param(
            "05_online_softmax/axis",
            [
                (
                    "*cell = merge(*cell, cell[stride * across]);",
                    "*cell = merge(*cell, tile[other]);",
                ),
                (
                    "if (threadIdx.y < stride)",
                    "const int other = threadIdx.y * across + threadIdx.x + stride;\n"
                    "        if (threadIdx.y < stride)",
                ),
            ],
            "data_race",
            r"Is `other` \(line 39\) right\? If it is,",
            id="a race at an index that is not as in the solution",
        ),
        pytest.param(
            "08_project/cross_entropy",
            [
                (
                    "__expf(kept[c] - all.max) * share - (c == right ? 1.0f : 0.0f);",
                    "(__expf(kept[c] - all.max) - (c == right ? 1.0f : 0.0f)) / all.sum;",
                )
            ],
            "wrong_answer",
            r"divides (\S+) by .* Before that, it subtracts 1 from .* "
            r"Which of these two steps should come first\?",
            id="two steps in the wrong order",
        ),
        pytest.param(
            "08_project/top_four",
            [
                (
                    "const bool earlier = precedes(next, one);",
                    "const bool earlier = next.value >= one.value;",
                )
            ],
            "wrong_answer",
            r"are both .* On line 36, `>=` is true for equal values, too\..* "
            r"Which of two equal elements should come first there\?",
            id="equal elements in the wrong order",
        ),
        pytest.param(
            "09_scan_histogram/segments",
            [
                (
                    "31 - __clz(heads & (~0u >> (31 - lane)))",
                    "__ffs(heads & (~0u >> (31 - lane))) - 1",
                ),
                (
                    "if (lane - offset >= start) sum += below;",
                    "const bool inside = lane - offset >= start;\n"
                    "        sum += inside ? below : 0.0f;",
                ),
            ],
            "wrong_answer",
            r"chooses \S+, not 0\..* `inside` \(line 18\) right\? If they are, should `inside` "
            r"hold",
            id="a choice that takes what does not belong",
        ),
        pytest.param(
            "09_scan_histogram/together",
            [(": 256;               //", ": 255;               //")],
            "wrong_answer",
            r"bins\[255\] also counts the 255 that line 15 gives where `i < n` is false\.",
            id="a number in the place of no element",
        ),
        pytest.param(
            "10_tiles/product",
            [
                (
                    "        of_a[ty][tx] = row < m && first + tx < k ?",
                    "        const int along = first + tx;\n"
                    "        float of_1 = 0.0f, of_2 = 0.0f;\n"
                    "        if (row < m && along < k) of_1 =",
                ),
                ("a[row * k + first + tx] : 0.0f;", "a[row * k + first + tx];"),
                (
                    "of_b[ty][tx] = first + ty < k && col < n ?",
                    "if (along < k && col < n) of_2 =",
                ),
                (
                    "b[(first + ty) * n + col] : 0.0f;",
                    "b[(first + ty) * n + col];\n        of_a[ty][tx] = of_1, of_b[ty][tx] = of_2;",
                ),
            ],
            "out_of_bounds",
            r"in the branch `along < k && col < n` \(line 17\)\..* Is `along` \(line 14\) right\? "
            r"If it is, is the condition or the index on line 17 wrong",
            id="the condition on the line of the access itself",
        ),
        pytest.param(
            "00_first_kernel/mirror",
            [
                (
                    "if (row < rows && col < cols) {",
                    "const bool inside = row < rows || col < cols;\n    if (inside) {",
                )
            ],
            "out_of_bounds",
            r"The access is in the branch `inside` \(line 12\)\..* Is `inside` \(line 11\) right\?",
            id="a branch whose condition has a name",
        ),
        pytest.param(
            "02_tree_reduction/dot",
            [
                ("    for (int i = ", "    const int step = blockDim.x;\n    int i = "),
                ("i < n; i += gridDim.x * blockDim.x) {", "\n    while (i < n) {"),
                ("sum += x[i] * y[i];", "sum += x[i] * y[i];\n        i += step;"),
            ],
            "wrong_answer",
            r"is in the loop on line \d+: `while \(i < n\)`\. "
            r"Line \d+ is its step: `i \+= step;`\..* "
            r"Is `step` \(line \d+\) right\? If it is, write down the rounds",
            id="the step of a while loop",
        ),
        pytest.param(
            "02_tree_reduction/last_block",
            [("== gridDim.x - 1;", "== gridDim.x;")],
            "wrong_answer",
            r"does not write it: on line (\d+), `!last` is true\. `last` is false \(line \d+\)\."
            r".*Is false the right value of `last` \(line \d+\)\?",
            id="a flag that keeps a thread from a store",
        ),
        pytest.param(
            "08_project/cross_entropy",
            [("for (int c = threadIdx.x; c < classes; c += blockDim.x) to[c] = 0.0f;", "")],
            "wrong_answer",
            r"does not write it: on line \d+, `-1 < 0` is true\. `right` is -1 \(line \d+\)\.",
            id="the condition under which threads leave, not one inside it",
        ),
        pytest.param(
            "04_safe_softmax/row_softmax",
            [("row += gridDim.x)", "row += 2 * gridDim.x)")],
            "wrong_answer",
            r"but not y\[\d+, 0\]\. Line \d+ is in the loop on line \d+: "
            r"`for \(int row = blockIdx\.x; row < rows; row \+= 2 \* gridDim\.x\)`",
            id="the loop around the loop of a store",
        ),
        pytest.param(
            "11_async_copies/neighbours",
            [("int j = 3; j < 6;", "int j = 4; j < 7;")],
            "wrong_answer",
            r"^(?!.*gets its first value).*y\[0, 0\] uses x\[0, 2\] and x\[1, 2\], but should not",
            id="a sum that no outer round begins anew",
        ),
        pytest.param(
            "06_pack_vectorization/scale_packed",
            [
                ("} else {", "} else if (p == n / 4) {"),
                ("int i = 4 * p; i < n; i++", "int i = n / 4 * 4; i < n - 1; i++"),
            ],
            "wrong_answer",
            r"^(?!.*several blocks write).*but not y\[",
            id="a store of one block",
        ),
        pytest.param(
            "06_pack_vectorization/row_absmax",
            [("fmaxf(largest, fabsf(from[c]))", "fmaxf(largest, from[c])")],
            "wrong_answer",
            r"takes the larger of \S+ \(no element\) and (\S+ \(x\[\d+, \d+\]\))\. "
            r"A step that uses \1 is missing before this one\.",
            id="a step that is missing before a maximum",
        ),
        pytest.param(
            "09_scan_histogram/look_back",
            [("b >= 0; b--", "b > 0; b--")],
            "wrong_answer",
            r"On line \d+, thread \d+ of block \d+ makes no round of the loop",
            id="a loop without a round, which a compiler has turned round",
        ),
        pytest.param(
            "08_project/top_four",
            [("a.index < b.index", "a.index > b.index")],
            "wrong_answer",
            r"Is `precedes` \(line 18\) right\? If it is, should `earlier` hold for thread",
            id="equal elements that a function compares",
        ),
        pytest.param(
            "12_attention/tiled",
            [("sum_of_lanes(weight)", "weight")],
            "wrong_answer",
            r"Each sum that it uses has values of one thread alone\..*Is line 49 right\? If it is, "
            r"which line should put the values of all threads into one sum\?",
            id="a sum that no lanes exchange",
        ),
        pytest.param(
            "09_scan_histogram/block_scan",
            [("if (lane >= offset) sum += below;", "sum += below;")],
            "wrong_answer",
            r"gets its own value back.* what should a thread do where its shuffle finds no lane\?",
            id="a scan that adds what a lane gets back",
        ),
        pytest.param(
            "02_tree_reduction/max",
            [
                ("i < n ? x[i] : -INFINITY", "i < n ? x[i] : 0.0f"),
                (
                    "tile[thread] = fmaxf(tile[thread], tile[thread + stride]);",
                    "if (tile[thread] < tile[thread + stride]) "
                    "tile[thread] = tile[thread + stride];",
                ),
            ],
            "wrong_answer",
            r"The search for the largest starts from it, but every element is below .*, even",
            id="a number of the code, and a condition that uses the round before",
        ),
        pytest.param(
            "10_tiles/swizzle",
            [("return 32 * row + (col ^ row);", "return 32 * row + col + row;")],
            "out_of_bounds",
            r"Is `cell` \(line 8\) right\? If it is,",
            id="an index that a function computes",
        ),
        pytest.param(
            "06_pack_vectorization/row_absmax",
            [("int p = lane; p < columns / 4", "int p = threadIdx.x; p < columns / 4")],
            "wrong_answer",
            r"replaced it\. On line 23, thread 32 of block 0 makes no round of the loop",
            id="a loop without a round leaves a number of the code",
        ),
        pytest.param(
            "10_tiles/transpose",
            [
                (
                    "if (left + k < cols && top + lane < rows) {",
                    "const bool there = top + k < rows && left + lane < cols;\n"
                    "        if (there) {",
                )
            ],
            "uninitialized_read",
            r"Is `there` \(line 20\) right\? If it is, should this thread read it\?",
            id="the condition of a read that nobody wrote",
        ),
        pytest.param(
            "11_async_copies/shared_weights",
            [
                (
                    "while (!mbarrier_try_wait_parity(&full, 0)) continue;\n            for (int b",
                    "for (int b",
                )
            ],
            "uninitialized_read",
            r"No line between 24 and \d+ waits for this copy\. Which wait should come before line",
            id="a copy of what an earlier copy brings",
        ),
        pytest.param(
            "01_expand_where/where",
            [
                ("int d = dims - 1; d >= 0; d--", "int d = 0; d < dims; d++"),
                (
                    "out[i] = cond[cond_place] ? x[x_place] : y[y_place];",
                    "float result = y[y_place];\n"
                    "    if (cond[cond_place] != 0) result = x[x_place];\n"
                    "    out[i] = result;",
                ),
            ],
            "wrong_answer",
            r"loads x\[\d+\] on line 28 and stores it on line 29\.",
            id="a load that a compiler gave the line of the store",
        ),
        pytest.param(
            "09_scan_histogram/look_back",
            [
                (
                    "before += seen == 2 ? up_to[b] : own[b];\n        if (seen == 2) break;",
                    "if (seen == 1) {\n            before += own[b];\n        } else {\n"
                    "            before += up_to[b];\n        }",
                ),
            ],
            "wrong_answer",
            r"On line 42, thread \d+ of block \d+ adds",
            id="a sum that a compiler gave the line of the loop",
        ),
        pytest.param(
            "03_shuffle_reduction/below_max",
            [
                (
                    "    if (mine) y[i] = value - largest;",
                    "    const int end = max(min(columns, 2), 1);\n"
                    "    if (mine) y[i] = column < end ? value - largest : 0.0f;",
                )
            ],
            "wrong_answer",
            r"takes 0, because `2 < 2` is false\..* `end` is 2 \(line 23\)\.",
            id="a name in the condition of a choice that max and min compute",
        ),
        pytest.param(
            "02_tree_reduction/interleaved",
            [
                (
                    "tile[thread] = i < n ? x[i] : 0.0f;",
                    "const float v = i < n ? x[i] : 0.0f;\n"
                    "    tile[thread] = 0.0f;\n"
                    "    const unsigned all = __ballot_sync(~0u, v > -1e30f);\n"
                    "    if (__popc(all) == thread + 400) {\n"
                    "        atomicAdd(&tile[thread], v);\n"
                    "    }",
                )
            ],
            "wrong_answer",
            r"On line 14, `32 == 400` is false for thread 0 of block 0\..* "
            r"Should this condition be true for thread 0 of block 0\?",
            id="a condition of the thread that should bring the elements",
        ),
        pytest.param(
            "12_attention/ragged",
            [
                ("j < here; j++) add_key", "j < TILE; j++) add_key"),
                (
                    "for (int j = 0; j < here; j++) {\n            of_k[j][lane] = k",
                    "for (int j = 0; j < TILE; j++) {\n"
                    "            of_k[j][lane] = j >= here ? 0.0f : k",
                ),
                ("of_v[j][lane] = v", "of_v[j][lane] = j >= here ? 0.0f : v"),
            ],
            "wrong_answer",
            r"multiplies \S+ by 0 \(no element\)\..* "
            r"which value should `score` have after line 19\?",
            id="a factor without an element is asked about by the sum of its products",
        ),
        pytest.param(
            "02_tree_reduction/last_block",
            [
                (
                    "*total = sum;\n        *finished = 0;\n    }",
                    "*total = sum;\n    }\n"
                    "    if (thread == gridDim.x) {\n        *finished = 0;\n    }",
                )
            ],
            "wrong_answer",
            r"only if `thread == gridDim\.x` \(line 54\)\..* "
            r"For which threads is the condition on line 54 true\?",
            id="a reset under a condition that no thread passes",
        ),
        pytest.param(
            "11_async_copies/bulk_ring",
            [("from + 1024 * next", "x + (size_t)blockIdx.x * rows * 128 + 512 * next")],
            "wrong_answer",
            r"The kernel copies from x on line 27\. No thread uses .*"
            r"hich elements do the copies on line 27 bring\?",
            id="elements that no thread uses, and the copies from their array",
        ),
        pytest.param(
            "07_fused_softmax/warp_softmax",
            [("constexpr int PACKS = 8;", "constexpr int PACKS = 4;")],
            "wrong_answer",
            r"should thread 0 of block 0 make more than 4 writes, or should these begin more than "
            r"128 elements apart\?",
            id="writes that are evenly apart and end too early",
        ),
        pytest.param(
            "09_scan_histogram/look_back",
            [("        if (seen == 2) break;\n", "")],
            "wrong_answer",
            r"Both values already contain some of these elements\..* "
            r"Which values should line 39 add\?",
            id="elements that a loop in a function adds again",
        ),
        pytest.param(
            "08_project/layer_norm",
            [("0.0f : b.n / n", "0.0f : a.n / n")],
            "wrong_answer",
            r"is right in another step, but not in this one\..* Which other value should line 16 "
            r"use\? (?!Or does)",
            id="a value of another step, from a line that is right",
        ),
        pytest.param(
            "11_async_copies/bulk_reverse",
            [
                ("while (!mbarrier_try_wait_parity(&full, 0)) continue;", ""),
                ("y[first + t] = tile[255 - t];", "if (t < 256) y[first + t] = tile[255 - t];"),
            ],
            "uninitialized_read",
            r"may not have brought yet\. No line between \d+ and \d+ waits for this copy\.",
            id="a copy that no line waits for, whatever lets the thread pass",
        ),
        pytest.param(
            "00_first_kernel/add_bias",
            [
                (
                    "const float* x, const float* bias, float* out,",
                    "const float* bias, const float* x, float* out,",
                )
            ],
            "out_of_bounds",
            r"In your order, a parameter gets the value of another one\. (?!.*Is ).*Write the "
            r"parameters in the order",
            id="parameters in another order, and no condition or line",
        ),
        pytest.param(
            "05_online_softmax/two_by_hand",
            [("fmaxf(a, b)", "fmaxf(0.0f, fmaxf(a, b))")],
            "wrong_answer",
            r"every element is below 0, even the largest, x\[\d+\]\.",
            id="a search for the largest that starts from 0",
        ),
        pytest.param(
            "12_attention/tiled",
            [("total[r] *= shrink;", "")],
            "wrong_answer",
            r"was computed with the maximum \S+ \((?:line \d+|`\w+`, line \d+)\)\.",
            id="values of two maxima, with the variable that has one",
        ),
        pytest.param(
            "10_tiles/product",
            [("of_a[ty][j] * of_b[j][tx]", "of_a[ty][j] * of_b[j][ty]")],
            "wrong_answer",
            r"thread \(\d+, \d+\) of .* A thread is \(x, y\), an element is \[row, column\]\.",
            id="threads beside elements of rows and columns",
        ),
        pytest.param(
            "00_first_kernel/add_bias",
            [("const int i = row * cols + col;", "const int i = row * cols + col + 1;")],
            "out_of_bounds",
            r"The last element, `x\[\d+\]`, is in row \d+, column \d+\.",
            id="an index past the end of an array of rows",
        ),
        pytest.param(
            "11_async_copies/bulk_ring",
            [
                (
                    "uint64_t* here = &full[next % 4];",
                    "uint64_t* here = &full[next % 4];\n            const int begin = 512 * next;",
                ),
                ("from + 1024 * next", "x + (size_t)blockIdx.x * rows * 128 + begin"),
            ],
            "wrong_answer",
            r"Is `begin` \(line \d+\) right\? If it is, which elements do the copies on line \d+ ",
            id="an offset of copies that is not as in the solution",
        ),
    ],
)
def test_the_cause_is_named(exercise, edits, status, said):
    message, _ = told(exercise, *edits, status=status)
    assert re.search(said, message), message


def test_a_nan_of_the_input_is_asked_about_before_a_loop():
    source = course.lesson("09_scan_histogram").solution(
        course.exercise("09_scan_histogram/compact")
    )
    verdict = judge(
        "09_scan_histogram/compact", source.replace("value > 0.0f;", "!(value <= 0.0f);")
    )
    assert re.search(r"hich comparison decides about x\[\d+\]\?", verdict.message)
    assert "rounds of the loop" not in verdict.message


def test_the_factor_of_another_row_is_told_where_it_is_used():
    message, _ = told(
        "12_attention/tensor_tile",
        (
            "total[n][2 * h] *= shrink, total[n][2 * h + 1] *=",
            "total[n][h] *= shrink, total[n][2 + h] *=",
        ),
    )
    assert "is right in another step" not in message
    assert re.search(r"Line 57 gives \S+ to the call on line \d+\. It is not the right", message)


def test_a_loop_that_steps_by_the_threads_of_one_block_is_named():
    source = course.exercise("00_first_kernel/saxpy").solution.replace(
        "if (i < n) out[i] = a * x[i] + y[i];",
        "int e = i;\n"
        "    const int step = blockDim.x;\n"
        "    while (e < n) {\n"
        "        out[e] = a * x[e] + y[e];\n"
        "        e += step;\n"
        "    }",
    )
    verdict = judge("00_first_kernel/saxpy", source)
    assert verdict.status == "data_race"
    assert re.search(
        r"In each round of the loop on line \d+, `e` grows by `step`, which does not use "
        r"`gridDim`\. So several blocks come to the same elements\.",
        verdict.message,
    )


def test_a_line_in_an_else_is_not_said_to_be_in_the_branch():
    declared = Declarations(
        """\
void f() {
    if (packed) {
        a[0] = 1;
        if (n) c = 1;
        else c = 2;
        b = 3;
    } else {
        b[0] = 2;
    }
    if (a) {
        x = 1;
    } else if (b) {
        y = 1;
    }
}
"""
    )
    guards = [declared.guard(line)[0] for line in (3, 4, 5, 6, 8, 11, 13)]
    assert guards == ["packed", "n", "packed", "packed", "", "a", "b"]


def test_an_array_is_made_of_its_first_values():
    declared = Declarations("float four[2] = {u.x, u.y};\nsum += four[r];\n")
    assert {"four", "u"} <= declared.made_of("sum")


def test_a_line_that_is_only_written_otherwise_is_not_asked_about_beside_a_wrong_name():
    source = course.exercise("10_tiles/product").solution
    source = re.sub(r"\btx\b", "across", re.sub(r"\bty\b", "down", source))
    source = source.replace("of_b[j][across]", "of_b[j][down]").replace(
        "row < m && col < n)", "col < n && row < m)"
    )
    verdict = judge("10_tiles/product", source)
    assert verdict.status == "wrong_answer"
    assert not verdict.parts.remedy.startswith("Is line 21 right?")


@pytest.mark.parametrize(
    ("exercise", "mistake", "asked"),
    [
        ("12_attention/backward", "exponential_for_each_gradient", "Is line 36 right?"),
        ("09_scan_histogram/up_and_down", "adds_on_the_left", "Is line 24 right?"),
        ("10_tiles/register_tile", "one_column_for_all", "Is line 28 right?"),
    ],
)
def test_the_only_line_that_is_not_as_in_the_solution_is_asked_about(exercise, mistake, asked):
    lesson, _, _ = exercise.partition("/")
    (source,) = (one.source for one in course.lesson(lesson).wrong_kernels if one.name == mistake)
    assert judge(exercise, source, sizes=False).parts.remedy.startswith(asked)
