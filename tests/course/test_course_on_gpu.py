"""The course on a real GPU: what the simulated one says holds there too.

Needs only NumPy, CuPy and pytest beside the course, so that it runs on any machine with a GPU.
"""

from __future__ import annotations

import numpy as np
import pytest

from grader import course, cuda
from grader.cuda import simulator
from grader.judge import judge
from grader.judge.cases import instantiate
from grader.judge.protocol import Failed
from grader.judge.session import Limits, run_on_gpu

pytestmark = pytest.mark.gpu
LESSONS = course.lessons()
EXERCISES = [(lesson, exercise) for lesson in LESSONS for exercise in lesson.exercises]
ON_BOTH = [(lesson, one) for lesson, one in EXERCISES if not one.kind.goes_wrong]
WRONG = [(lesson.name, wrong) for lesson in LESSONS for wrong in lesson.wrong_kernels]


def each(exercises):
    names = [exercise.id for _, exercise in exercises]
    return pytest.mark.parametrize(("lesson", "exercise"), exercises, ids=names)


@each(ON_BOTH)  # what is to break might take other tests' memory with it
def test_the_simulated_and_the_real_gpu_agree_to_rounding(lesson, exercise):
    source = lesson.solution(exercise)
    for case in exercise.cases:
        problem = case.problem(np.random.default_rng(0))
        simulated = _outputs(problem, simulator.RawModule(code=source), np.asarray)
        real = _outputs(problem, cuda.RawModule(code=source), cuda.xp.asarray)
        for name, expected in problem.outputs.items():
            assert _agree(simulated[name], real[name], expected), (case.name, name)


@each(EXERCISES)
def test_the_solution_passes_on_the_gpu_as_well(lesson, exercise):
    verdict = judge(exercise.id, lesson.solution(exercise))
    where = "simulator" if exercise.kind.goes_wrong else "gpu"
    assert (verdict.status, verdict.device) == ("passed", where), verdict.message
    assert verdict.points == exercise.points


@pytest.mark.parametrize(
    ("lesson", "wrong"), WRONG, ids=[f"{lesson}/{wrong.name}" for lesson, wrong in WRONG]
)
def test_a_wrong_kernel_gets_the_same_diagnosis_as_without_a_gpu(lesson, wrong):
    verdict = judge(f"{lesson}/{wrong.exercise}", wrong.source)
    assert verdict.status == wrong.status, verdict.message


def test_a_block_of_more_registers_than_there_are_is_refused_and_told_what_helps():
    source = """
    extern "C" __global__ void k(const float* x, float* y) {
        float kept[96];
    #pragma unroll
        for (int i = 0; i < 96; i++) kept[i] = x[threadIdx.x + 1024 * i];
        __syncthreads();  // no load may wait until here: y could be x
    #pragma unroll
        for (int i = 0; i < 96; i++) y[threadIdx.x + 1024 * i] = kept[95 - i];
    }"""
    array = cuda.xp.zeros(96 * 1024, np.float32)
    bounded = source.replace("void k", "void __launch_bounds__(1024) k")
    with pytest.raises(cuda.LaunchError, match=r"registers.*Write __launch_bounds__\(1024\)"):
        cuda.RawModule(code=source).get_function("k")((1,), (1024,), (array, array))
    cuda.RawModule(code=bounded).get_function("k")((1,), (1024,), (array, array))


def test_a_case_that_stops_on_the_gpu_leaves_the_others_as_they_are():
    """Each begins with its `__device__` variables as written, in a process without an error."""
    first, second, *_ = instantiate(course.exercise("00_first_kernel/squares"), 0, hidden=True)
    stops = first.problem.launches[0].args[-1]
    source = f"""
    __device__ unsigned threads;
    extern "C" __global__ void squares(const float* x, float* y, float mean, int n) {{
        if (n == {stops}) __trap();
        const int i = blockIdx.x * blockDim.x + threadIdx.x;
        const bool third_run = atomicAdd(&threads, 1) >= 2 * gridDim.x * blockDim.x;
        if (i < n) y[i] = third_run ? 0 : (x[i] - mean) * (x[i] - mean);
    }}"""
    failed, ran = run_on_gpu(source, (first, second), Limits())
    assert isinstance(failed, Failed)
    wanted = second.problem.outputs["y"].value
    np.testing.assert_allclose(ran.arrays["second/y"], wanted, rtol=1e-5)


def _agree(simulated: np.ndarray, real: np.ndarray, expected: course.Expected) -> bool:
    """Both lie within the tolerance of one value, so within twice the tolerance of each other."""
    with np.errstate(invalid="ignore"):
        allowed = 2 * (expected.atol + expected.rtol * np.abs(expected.value))
        close = np.abs(simulated.astype(np.float64) - real) <= allowed
        same = (simulated == real) | (np.isnan(simulated) & np.isnan(real))
    return bool((close | same).all())


def _outputs(problem: course.Problem, module, to_device) -> dict[str, np.ndarray]:
    """What the launches leave in the outputs, as NumPy arrays."""
    blank = {name: (one.value.shape, one.dtype) for name, one in problem.outputs.items()}
    host = dict(problem.inputs) | {
        name: np.zeros(shape, dtype) for name, (shape, dtype) in (blank | problem.scratch).items()
    }
    buffers = {name: to_device(array) for name, array in host.items()}
    for launch in problem.launches:
        args = cuda.arguments(launch.args, buffers)
        grid, block = (
            side if isinstance(side, tuple) else (side,) for side in (launch.grid, launch.block)
        )
        module.get_function(launch.kernel)(grid, block, args, shared_mem=launch.shared_mem)
    found = {name: buffers[name] for name in problem.outputs}
    return {name: array.get() if hasattr(array, "get") else array for name, array in found.items()}
