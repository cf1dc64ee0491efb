"""Kernels with one mistake each: the simulated GPU names it, and says nothing of the correct twin."""

import pytest
from kernel_files import broken, run

from grader import cuda
from grader.cuda import simulator

BROKEN = broken()
NOT_YET = {}


def expected_to_fail(kernel):
    reason = NOT_YET.get(kernel.name)
    marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
    return pytest.param(kernel, id=kernel.id, marks=marks)


def simulate(kernel):
    with simulator.options(step_limit=100_000):
        return run(kernel, simulator.RawModule, simulator.empty)


def test_there_are_enough_of_them_to_mean_something():
    assert len(BROKEN) >= 44


@pytest.mark.parametrize("kernel", map(expected_to_fail, BROKEN))
def test_a_broken_kernel_gets_the_status_and_the_line_of_its_mistake(kernel):
    with pytest.raises(cuda.CudaError) as caught:
        simulate(kernel)
    error = caught.value
    assert (error.status, error.line) == (kernel.status, kernel.line), str(error)
    if kernel.other_line:
        assert error.other_line == kernel.other_line, str(error)


@pytest.mark.parametrize("kernel", [one.twin() for one in BROKEN], ids=lambda one: one.name)
def test_its_correct_twin_runs_clean_and_is_right(kernel):
    with simulator.observe() as seen:
        after = simulate(kernel)
    assert seen.hazards == []
    assert kernel.is_right(after)


@pytest.mark.parametrize("kernel", [one.twin() for one in BROKEN], ids=lambda one: one.name)
def test_the_correct_twin_is_right_on_real_hardware_as_well(kernel):
    if not cuda.gpu_count():
        pytest.skip("NO GPU HERE: this kernel ran on the simulated one only")
    import cupy

    from grader.cuda import gpu

    assert kernel.is_right(run(kernel, gpu.RawModule, cupy.empty, cupy.asarray))
