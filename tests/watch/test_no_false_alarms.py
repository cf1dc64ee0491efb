"""Correct kernels of the kind that detectors like to complain about: nothing is said of them."""

import pytest
from kernel_files import clean, run

from grader.cuda import simulator

each_kernel = pytest.mark.parametrize("kernel", clean(), ids=lambda kernel: kernel.id)


@each_kernel
def test_a_correct_kernel_runs_clean_and_is_right(kernel):
    with simulator.observe() as seen:
        after = run(kernel, simulator.RawModule, simulator.empty)
    assert seen.hazards == []
    assert kernel.is_right(after)


@pytest.mark.gpu
@each_kernel
def test_a_correct_kernel_is_right_on_real_hardware_as_well(kernel):
    import cupy

    from grader.cuda import gpu

    assert kernel.is_right(run(kernel, gpu.RawModule, cupy.empty, cupy.asarray))


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "name", ["producer_and_consumer", "lock_in_shared_memory", "scan_look_back", "lock_by_ticket"]
)
def test_threads_that_wait_for_each_other_end_in_any_order(name, seed):
    (kernel,) = [one for one in clean() if one.name == name]
    with simulator.options(order="shuffled", seed=seed):
        after = run(kernel, simulator.RawModule, simulator.empty)
    assert kernel.is_right(after)
