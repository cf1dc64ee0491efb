"""Arrays that begin anywhere in a larger one: kernels may not rely on more than an element's own
alignment, unless the exercise promises it."""

import numpy as np

from grader import course
from grader.cuda import simulator
from grader.judge import judge

PACKS = """
extern "C" __global__ void saxpy(const float* x, const float* y, float* out, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (n % 4 == 0 && i < n / 4) {
        const float4 u = reinterpret_cast<const float4*>(x)[i];
        const float4 v = reinterpret_cast<const float4*>(y)[i];
        reinterpret_cast<float4*>(out)[i] = {a * u.x + v.x, a * u.y + v.y, a * u.z + v.z,
                                             a * u.w + v.w};
    } else if (n % 4 && i < n) {
        out[i] = a * x[i] + y[i];
    }
}
"""


def test_packs_where_nothing_promises_that_they_lie_right_are_found_by_a_hidden_case():
    saxpy = course.exercise("00_first_kernel/saxpy")
    verdict = judge(saxpy.id, PACKS)
    hidden = [case for case in verdict.cases if not case.visible and case.status != "passed"]
    assert [case.status for case in hidden] == ["misaligned"]
    assert "begin anywhere" in hidden[0].name


def test_of_a_stretch_of_an_array_is_known_which_elements_were_written():
    kernel = simulator.RawModule(
        code='extern "C" __global__ void f(float* y) { y[threadIdx.x * 2] = 1.0f; }'
    ).get_function("f")
    stretch = simulator.empty(9, np.float32)[1:]
    kernel((1,), (4,), (stretch,))
    assert simulator.written(stretch).tolist() == [True, False] * 4


def test_together_keeps_where_the_buffers_of_each_problem_begin():
    saxpy = course.exercise("00_first_kernel/saxpy")
    case = next(case for case in saxpy.cases if "begin anywhere" in case.name)
    problem = case.problem(np.random.default_rng(0))
    assert set(problem.begins) == {*problem.inputs, *problem.outputs}
