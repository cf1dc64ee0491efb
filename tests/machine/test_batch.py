"""Launches that run at the same time leave what they leave one after the other, or say that
something is wrong."""

import numpy as np
import pytest

from grader import course
from grader.course import Problem
from grader.course.chosen import of_case
from grader.cuda import simulator
from grader.cuda.errors import CudaError, DataRace, OutOfBounds, UninitializedRead
from grader.judge.cases import CaseInstance, described, instantiate
from grader.judge.sandbox import simulated

PLACES = """
extern "C" __global__ void places(const int* x, int* y, int n, double scale) {
    int at = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    at = at * blockDim.x + threadIdx.x;
    if (at < n) y[at] = x[at] * (int)scale + 1000 * gridDim.x + 100 * gridDim.y + gridDim.z;
}
"""
SHIFTED = """
extern "C" __global__ void shifted(const float* x, float* y, long long by) {
    y[threadIdx.x] = x[threadIdx.x + by];
}
"""
GRIDS = [(2, 1, 1), (1, 3, 2), (5, 1, 1), (40, 1, 1)]


def several(kernel):
    rng = np.random.default_rng(0)
    many = [int(np.prod(grid)) * 64 - 7 for grid in GRIDS]
    made = [(rng.integers(0, 99, n, np.int32), simulator.empty(n, np.int32)) for n in many]
    each = [
        (x, y, np.int32(len(x)), np.float64(number)) for number, (x, y) in enumerate(made, start=1)
    ]
    return each, [y for _, y in made]


def test_each_launch_has_its_own_grid_arguments_and_arrays():
    kernel = simulator.RawModule(code=PLACES).get_function("places")
    alone, expected = several(kernel)
    for grid, args in zip(GRIDS, alone, strict=True):
        kernel(grid, (64,), args)
    together, found = several(kernel)
    kernel.batch(GRIDS, (64,), together)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
        assert simulator.written(one).all()


def test_of_each_launch_only_some_blocks_can_run():
    kernel = simulator.RawModule(code=PLACES).get_function("places")
    args, outputs = several(kernel)
    chosen = [[1], [0, 5], [4], [0, 39]]
    kernel.batch(GRIDS, (64,), args, blocks=chosen)
    for blocks, y in zip(chosen, outputs, strict=True):
        written = np.flatnonzero(simulator.written(y)) // 64
        assert np.unique(written).tolist() == blocks


@pytest.mark.parametrize("by", [1, 64, 128, 1 << 20, -1, -64, -128])
def test_no_launch_reaches_the_arrays_of_another(by):
    kernel = simulator.RawModule(code=SHIFTED).get_function("shifted")
    arrays = [(np.ones(64, np.float32), simulator.empty(64)) for _ in range(3)]
    kernel.batch([1] * 3, 64, [(x, y, np.int64(0)) for x, y in arrays])
    with pytest.raises(OutOfBounds):
        shifts = [0, by, 0]
        each = zip(arrays, shifts, strict=True)
        kernel.batch([1] * 3, 64, [(x, y, np.int64(one)) for (x, y), one in each])


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("if (n == 2) y[0] = threadIdx.x; else y[threadIdx.x] = x[0];", DataRace),
        ("if (n == 2) y[threadIdx.x] = y[threadIdx.x + 1];", UninitializedRead),
    ],
)
def test_what_goes_wrong_in_one_of_them_is_found(body, error):
    source = f'extern "C" __global__ void k(const int* x, int* y, int n) {{ {body} }}'
    kernel = simulator.RawModule(code=source).get_function("k")
    args = [(np.ones(65, np.int32), simulator.empty(65, np.int32)) for _ in range(3)]
    right = [(x, y, np.int32(3)) for x, y in args]
    kernel.batch([1] * 3, 64, right)
    fresh = [(x, simulator.empty(65, np.int32), np.int32(n)) for n, (x, _) in enumerate(args, 1)]
    with pytest.raises(error):
        kernel.batch([1] * 3, 64, fresh)


@pytest.mark.parametrize(
    ("code", "can_be"),
    [
        ('extern "C" __global__ void k(int* x) { x[threadIdx.x] = 1; }', True),
        (
            '__device__ int d; extern "C" __global__ void k(int* x) { x[atomicAdd(&d, 1)] = 1; }',
            False,
        ),
        ('#include <cstdio>\nextern "C" __global__ void k(int* x) { printf("%p", x); }', False),
        ('__constant__ int c; extern "C" __global__ void k(int* x) { x[threadIdx.x] = c; }', True),
    ],
)
def test_what_launches_share_lets_them_run_one_after_the_other(code, can_be):
    assert simulator.RawModule(code=code).get_function("k").batchable is can_be


def exercises():
    return [one for lesson in course.lessons() for one in lesson.exercises]


def test_traffic_is_counted_in_all_cases_but_those_of_many_small_launches():
    uncounted = [
        (one.id, case.name)
        for one in exercises()
        for case in one.cases
        if not (CaseInstance(case, Problem({}, {}, ())).counted or of_case(case))
    ]
    assert uncounted == []


@pytest.mark.parametrize("exercise", exercises(), ids=lambda one: one.id)
def test_a_solution_s_launches_give_the_same_at_the_same_time(exercise, monkeypatch):
    lesson = course.lesson(exercise.id.partition("/")[0])
    source = lesson.solution(exercise)
    for one in instantiate(exercise, 1, hidden=True):
        request = described(one, 10**6)
        if len(request.launches) < 2 or not simulated.in_batches(source, request):
            continue
        together, steps = outcome(source, request)
        with monkeypatch.context() as patch:
            patch.setattr(simulated, "in_batches", lambda *_: ())
            alone, steps_alone = outcome(source, request)
        if "try_wait" in source:  # how often a thread asks depends on whose turn it is
            together, alone = together[:1], alone[:1]
        assert together == alone
        assert steps < steps_alone or isinstance(alone, str)  # else the batch was given up


def outcome(source, request):
    """What a case leaves and costs, or how it goes wrong; and in how many steps."""
    try:
        ran = simulated.run_case(source, request)
    except CudaError as error:
        return str(error), 0
    arrays = {name: array.tobytes() for name, array in ran.arrays.items()}
    return (arrays, ran.counters, ran.costs, ran.opcodes, ran.left), ran.steps
