"""Loops that never end are proved so, and named; who waits for another one that will come is never
accused."""

import re

import numpy as np
import pytest
from kernel_files import clean, run

from grader import cuda
from grader.cuda import simulator

LIMIT = 30_000  # steps, of which a proof needs few
STILL_RUNNING = "is still running after"
PROVED_SO = re.compile("never leaves this loop|waits without end")


def error_of(body, grid=1):
    """What is said of a kernel with this body, which may use `x` and `n`."""
    source = f'extern "C" __global__ void k(float* x, int n) {{\n{body}\n}}'
    kernel = simulator.RawModule(code=source).get_function("k")
    x = np.ones(1024, np.float32)
    watched, limit = simulator.observe(), simulator.options(step_limit=LIMIT)
    with watched as seen, limit, pytest.raises(cuda.StepLimit) as caught:
        kernel((grid,), (64,), (x, np.int32(64)))
    return caught.value, seen


PROVED = {  # a body, and what is said of it
    "with nothing in it": ("while (true) {}", "The loop changes nothing that could end it."),
    "around barriers, while what is computed grows": (
        """
    __shared__ float s[128];
    s[threadIdx.x] = 1;
    s[threadIdx.x + 64] = 1;
    int stride = n;
    while (stride > 0) {
        if (threadIdx.x < stride) s[threadIdx.x] += s[threadIdx.x + stride];
        __syncthreads();
    }
    x[threadIdx.x] = s[0];""",
        "the condition `stride > 0` reads: `stride` is 64 in every round.",
    ),
    "whose step is lost": (
        "    for (int k = 1; k < 10; k *= n / 64) x[threadIdx.x] += 1;",
        "the condition `k < 10` reads: `k` is 1 in every round.",
    ),
    "that goes to and fro": (
        "    int k = n; while (k > 2) { k = 100 - k; if (k == 30) x[0] = k; } x[1] = k;",
        "everything that the condition `k > 2` reads has its earlier value again.",
    ),
    "that some threads go round, before the others' turn": (
        "    if (threadIdx.x < 5) while (n > 3) {}\n    x[threadIdx.x] = 2;",
        "The loop changes nothing that the condition `n > 3` reads.",
    ),
    "that waits for memory nobody writes": (
        "    volatile float* flag = x; x[1] = 2; while (flag[0] == 1) {}",
        "reads `x[0]` again and again. None of the threads that still run will write another value",
    ),
    "that waits for a lock nobody gives back": (
        "    while (atomicCAS((int*)x, 0, 1) != 0) {}\n    x[1] = 2;",
        "reads `x[0]` again and again. None of the threads that still run will write another value",
    ),
    "that waits for shared memory which another warp has written already": (
        """
    __shared__ volatile int turn;
    if (threadIdx.x == 32) turn = 0;
    __syncthreads();
    while (threadIdx.x < 32 && turn == 0) {}
    if (threadIdx.x < 32) x[0] = turn;""",
        "reads `turn` again and again. None of the threads that still run will write another value",
    ),
}


@pytest.mark.parametrize("loop", PROVED)
def test_a_loop_that_never_ends_is_proved_within_few_steps(loop):
    body, words = PROVED[loop]
    error, seen = error_of(body)
    assert PROVED_SO.search(str(error)) and words in str(error)
    assert error.status == "timeout" and seen.hazards[-1].message == str(error)
    assert sum(seen.counters.opcodes.values()) < LIMIT / 4  # of two warps


def test_who_waits_for_a_barrier_meanwhile_writes_nothing():
    body = """
    volatile float* flag = x;
    if (threadIdx.x == 0) while (flag[0] == 1) {}
    __syncthreads();
    x[0] = 2;"""
    assert PROVED_SO.search(str(error_of(body)[0]))


NOT_PROVED = {  # a body, and blocks
    "counts on": ("    for (unsigned c = 1; c != 0; c++) x[c % n] = c;", 1),
    "waits for a block that has not begun": (
        """
    volatile float* flag = x;
    if (blockIdx.x == 0) while (flag[0] == 1) {}
    if (blockIdx.x == gridDim.x - 1) flag[0] = 2;""",
        100_000,
    ),
    "reads a clock": ("    long long end = clock64() + 1000000000; while (clock64() < end) {}", 1),
    "misses, by its turns alone, a flag that goes up and down": (
        """
    volatile float* flag = x;
    if (threadIdx.x == 0) while (flag[1] == 1) { flag[0] = 2; flag[0] = 1; }
    else while (flag[0] == 1) {}
    flag[1] = 2;""",
        1,
    ),
}


@pytest.mark.parametrize("loop", NOT_PROVED)
def test_what_may_end_late_or_by_another_turn_is_left_to_the_step_limit(loop):
    body, blocks = NOT_PROVED[loop]
    error, _ = error_of(body, grid=blocks)
    assert STILL_RUNNING in str(error) and not PROVED_SO.search(str(error))


WAITING = {  # right, and each waits for more steps than a proof needs
    "for a flag of another block": """
    volatile float* flag = x;
    if (blockIdx.x == 0) {
        while (flag[1] != 5) {}
        __threadfence();
        if (threadIdx.x == 0) x[0] = x[2];
    } else if (threadIdx.x == 0) {
        float sum = 0;
        for (int k = 0; k < 2000; k++) sum += x[3 + k % n];
        x[2] = sum;
        __threadfence();
        flag[1] = 5;
    }""",
    "for its ticket": """
    volatile int* ticket = (int*)x + 1;
    if (threadIdx.x == 0) {
        while (*ticket - 0x3f800000 != blockIdx.x) {}
        __threadfence();
        float sum = x[2];
        for (int k = 0; k < 1000; k++) sum += x[3 + k % n];
        x[2] = sum;
        __threadfence();
        *ticket = *ticket + 1;
        if (blockIdx.x == 1) x[0] = sum - 1;
    }""",
    "for a lock": """
    int* lock = (int*)x + 1;
    volatile float* kept = x;
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0x3f800000, 7) != 0x3f800000) {}
        __threadfence();
        float sum = kept[2];
        for (int k = 0; k < 1000; k++) sum += x[3 + k % n];
        kept[2] = sum;
        if (sum > 2000) kept[0] = sum - 1;
        __threadfence();
        atomicExch(lock, 0x3f800000);
    }""",
    "for an mbarrier": """
    __shared__ unsigned long long gate;
    unsigned at = __cvta_generic_to_shared(&gate);
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at));
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x < 33) {
        if (threadIdx.x == 32) {
            float sum = 0;
            for (int k = 0; k < 2000; k++) sum += x[3 + k % n];
            x[2] = sum;
            unsigned long long state;
            asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                : "=l"(state) : "r"(at) : "memory");
        } else {
            int over = 0;
            while (!over)
                asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                    "selp.s32 %0, 1, 0, p;}" : "=r"(over) : "r"(at) : "memory");
            if (threadIdx.x == 0) x[0] = x[2];
        }
    }""",
}
ORDERS = ("lockstep", "forwards", "backwards", "shuffled", "highest block first", "warps by chance")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("waiting", WAITING)
def test_who_waits_for_one_that_comes_is_not_accused(waiting, order):
    source = f'extern "C" __global__ void k(float* x, int n) {{{WAITING[waiting]}\n}}'
    x = np.ones(128, np.float32)
    with simulator.observe() as seen, simulator.options(order=order):
        simulator.RawModule(code=source).get_function("k")((2,), (64,), (x, np.int32(64)))
    assert seen.hazards == [] and seen.steps > 4_000
    assert x[0] == 2_000


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    "name", ["scan_look_back", "lock_by_ticket", "barrier_of_the_grid_by_hand"]
)
def test_spins_of_many_blocks_end(name, seed):
    (kernel,) = [one for one in clean() if one.name == name]
    with simulator.options(order="shuffled", seed=seed):
        assert kernel.is_right(run(kernel, simulator.RawModule, simulator.empty))
