"""A right answer in which one thread does what all should share is judged like any other: it may
cost too much, and is not called endless.

Four of them are tried; with WARPWISE_VERDICTS=all each one."""

import os
import random

import pytest

from grader import course
from grader.judge import Limits, judge

pytestmark = pytest.mark.slow

BEGIN, END = "// BEGIN SOLUTION\n", "    // END SOLUTION"
# By exercise, what stands between these two, the first time that they stand there.
ANSWERS = {
    "03_shuffle_reduction/row_share": """\
    __shared__ float all[1024];
    __syncthreads();
    all[threadIdx.x] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 0; t < blockDim.x; t++) result = Op::combine(result, all[t]);
        of_warp[0] = result;
    }
    __syncthreads();
    result = of_warp[0];
""",
    "04_safe_softmax/elementary": """\
    if (threadIdx.x == 0) {
        for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
            for (int i = first; i < n && i < first + blockDim.x; i++) sum += expf(x[i] - largest);
        }
    }
""",
    "04_safe_softmax/on_device": """\
    if (threadIdx.x == 0) {
        for (int b = 0; b < gridDim.x; b++) value = combine(value, partial[b]);
        of_warp[0] = value;
    }
    __syncthreads();
    value = of_warp[0];
    __syncthreads();
""",
    "04_safe_softmax/row_softmax": """\
    if (threadIdx.x == 0) {
        for (int row = blockIdx.x; row < rows; row += gridDim.x) {
            const float* in = x + row * columns;
            float largest = -INFINITY, sum = 0.0f;
            for (int c = 0; c < columns; c++) largest = fmaxf(largest, in[c]);
            for (int c = 0; c < columns; c++) sum += expf(in[c] - largest);
            for (int c = 0; c < columns; c++) y[row * columns + c] = expf(in[c] - largest) / sum;
        }
    }
""",
    "05_online_softmax/online_row": """\
    if (threadIdx.x == 0) {
        Pair all = {-INFINITY, 0.0f};
        for (int i = 0; i < columns; i++) all = merge(all, {x[start + i], 1.0f});
        for (int i = 0; i < columns; i++) y[start + i] = expf(x[start + i] - all.max) / all.sum;
    }
""",
    "05_online_softmax/long_vector": """\
    if (threadIdx.x == 0) {
        Pair mine = {-INFINITY, 0.0f};
        for (int i = blockIdx.x; i < n; i += gridDim.x) mine = merge(mine, {x[i], 1.0f});
        partial[blockIdx.x] = mine;
    }
""",
    "05_online_softmax/axis": """\
    if (i < inner && threadIdx.y == 0) {
        const size_t column = static_cast<size_t>(blockIdx.x) * length * inner + i;
        Pair all = {-INFINITY, 0.0f};
        for (int k = 0; k < length; k++) all = merge(all, {x[column + k * inner], 1.0f});
        for (int k = 0; k < length; k++) {
            y[column + k * inner] = expf(x[column + k * inner] - all.max) / all.sum;
        }
    }
""",
    "06_pack_vectorization/warp_per_row": """\
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows || lane > 0) return;
    float largest = 0.0f;
    for (int c = 0; c < columns; c++) largest = fmaxf(largest, fabsf(x[row * columns + c]));
    const float scale = largest > 0.0f ? largest : 1.0f;
    for (int c = 0; c < columns; c++) y[row * columns + c] = x[row * columns + c] / scale;
""",
    "07_fused_softmax/warp_softmax": """\
    const size_t row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (row >= rows || lane > 0) return;
    const float* from = x + row * columns;
    float largest = -INFINITY, sum = 0.0f;
    for (int c = 0; c < columns; c++) largest = fmaxf(largest, from[c]);
    for (int c = 0; c < columns; c++) sum += __expf(from[c] - largest);
    for (int c = 0; c < columns; c++) y[row * columns + c] = __expf(from[c] - largest) / sum;
""",
    "07_fused_softmax/block_softmax": """\
        if (threadIdx.x > 0) continue;
        float largest = -INFINITY, sum = 0.0f;
        for (int c = 0; c < columns; c++) largest = fmaxf(largest, x[start + c]);
        for (int c = 0; c < columns; c++) sum += __expf(x[start + c] - largest);
        for (int c = 0; c < columns; c++) y[start + c] = __expf(x[start + c] - largest) / sum;
""",
    "07_fused_softmax/masked_softmax": """\
    if (lane > 0) return;
    const float* in = x + row * keys;
    const int seen = static_cast<int>(row) % queries + 1 + keys - queries;
    float largest = -INFINITY, sum = 0.0f;
    for (int k = 0; k < seen; k++) largest = fmaxf(largest, scale * in[k]);
    const float origin = largest == -INFINITY ? 0.0f : largest;
    for (int k = 0; k < seen; k++) sum += __expf(scale * in[k] - origin);
    for (int k = 0; k < keys; k++) {
        const bool none = k >= seen || sum == 0.0f;
        y[row * keys + k] = none ? 0.0f : __expf(scale * in[k] - origin) / sum;
    }
""",
}
# So many steps take one thread the two seconds that a case has; a busy machine counts them alike.
LIMITS = Limits(steps=400_000, steps_ratio=1, case_seconds=600, total_seconds=3600)


TRIED = ANSWERS if "WARPWISE_VERDICTS" in os.environ else random.Random(3).sample([*ANSWERS], 4)


def answer(exercise_id: str) -> str:
    lesson_name, _, name = exercise_id.partition("/")
    lesson = course.lesson(lesson_name)
    front, _, rest = lesson.solution(lesson.exercise(name)).partition(BEGIN)
    return front + ANSWERS[exercise_id] + rest[rest.index(END) :]


@pytest.mark.parametrize("exercise_id", TRIED)
def test_one_thread_alone_is_right_and_at_most_over_budget(exercise_id):
    verdict = judge(exercise_id, answer(exercise_id), limits=LIMITS)
    statuses = {case.name: case.status for case in verdict.cases}
    assert set(statuses.values()) <= {"passed", "over_budget", "not_run"}, statuses
