"""Kernels with one mistake each: it is named, and nothing is said of the correct twin."""

import json

import pytest
import sanitizer
from kernel_files import broken, clean, run

from grader import compilers, cuda
from grader.cuda import simulator

BROKEN = broken()
# What is told where clang has compiled, if it is not what the kernel's file says: status, line, the
# other side of a race.
WITH_CLANG = {
    # Both barriers are waited at, and clang has the other branch first.
    "a_barrier_in_each_branch": ("barrier_divergence", 13, None),
    # clang has thread 0 write before the others read, who then find a value.
    "flag_of_the_block_without_barrier": ("data_race", 10, 6),
    # Both tiles race, and clang reads the other one first.
    "matmul_without_first_barrier": ("data_race", 17, 11),
}


def expected(kernel):
    if compilers.chosen_name() == "clang" and kernel.name in WITH_CLANG:
        return WITH_CLANG[kernel.name]
    return kernel.status, kernel.line, kernel.other_line


each_broken = pytest.mark.parametrize("kernel", BROKEN, ids=lambda kernel: kernel.name)
each_twin = pytest.mark.parametrize(
    "kernel", [one.twin() for one in BROKEN], ids=lambda kernel: kernel.name
)


def simulate(kernel):
    with simulator.options(step_limit=100_000):
        return run(kernel, simulator.RawModule, simulator.empty)


def test_there_are_enough_of_them_to_mean_something():
    assert len(BROKEN) >= 44


@each_broken
def test_a_broken_kernel_gets_the_status_and_the_line_of_its_mistake(kernel):
    with pytest.raises(cuda.CudaError) as caught:
        simulate(kernel)
    error, (status, line, other_line) = caught.value, expected(kernel)
    assert (error.status, error.line) == (status, line), str(error)
    if other_line:
        assert error.other_line == other_line, str(error)


@each_twin
def test_its_correct_twin_runs_clean_and_is_right(kernel):
    with simulator.observe() as seen:
        after = simulate(kernel)
    assert seen.hazards == []
    assert kernel.is_right(after)


@pytest.mark.gpu
@each_twin
def test_the_correct_twin_is_right_on_real_hardware_as_well(kernel):
    import cupy

    from grader.cuda import gpu

    assert kernel.is_right(run(kernel, gpu.RawModule, cupy.empty, cupy.asarray))


def test_the_page_in_docs_is_what_the_command_makes():
    results = json.loads(sanitizer.RESULTS.read_text()) if sanitizer.RESULTS.exists() else None
    assert sanitizer.TABLE.read_text() == sanitizer.table(results)


def test_a_report_of_compute_sanitizer_is_read():
    text = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at k(float *)+0x90 in kernel.cu:7
=========     and Read access at k(float *)+0x160 in kernel.cu:9 [508 hazards]
=========
========= Invalid __global__ write of size 4 bytes
=========     at k(float *)+0x160 in kernel.cu:12
=========     by thread (0,0,0) in block (0,0,0)
=========     Saved host backtrace up to driver entry point at kernel launch time
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) on CUDA API call to cuCtxSynchronize
========= ERROR SUMMARY: 2 errors
"""
    assert [one["lines"] for one in sanitizer.messages(text)] == [[7, 9], [12]]


# --- correct kernels of the kind that detectors like to complain about ----------------------------


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
