"""What blocks leave for each other must be right whichever of them comes first."""

import numpy as np
import pytest
import small_lesson

from grader.cuda import simulator
from grader.judge import judge

ID = "01_add/add"
EXERCISES = """
import numpy as np
from grader.course import Case, Exercise, Expected, Launch, Problem


def whole(rng):
    x = rng.integers(1, 10, 4 * 64).astype(np.float32)
    total = Expected(x.sum(keepdims=True, dtype=np.float64), np.float32)
    launch = Launch("add", 4, 64, ("x", "partial", "done", "total"))
    inputs = {"x": x, "done": np.zeros(1, np.uint32)}
    return Problem(inputs, {"total": total}, (launch,), {"partial": ((4,), np.float32)})


exercise = Exercise(
    name="add", title="Add", source="1_add.cu", cases=(Case("four blocks", whole, 1),)
)
"""
LAST_BLOCK = """
extern "C" __global__ void add(const float* x, float* partial, unsigned* done, float* total) {
    __shared__ float tile[64];
    const int t = threadIdx.x;
    tile[t] = x[64 * blockIdx.x + t];
    __syncthreads();
    if (t > 0) return;
    float sum = 0;
    for (int k = 0; k < 64; k++) sum += tile[k];
    partial[blockIdx.x] = sum;
    __threadfence();
    const unsigned ticket = atomicAdd(done, 1);
    __threadfence();
    if (WHO) {
        sum = 0;
        for (int b = 0; b < 4; b++) sum += WHAT;
        *total = sum;
        *done = 0;
    }
}
"""
ORDERS = ["highest block first", *(f"block {number} last" for number in range(4))]


def last_block(who="ticket == 3", what="partial[b]"):
    return LAST_BLOCK.replace("WHO", who).replace("WHAT", what)


@pytest.fixture
def judged(tmp_path):
    root = small_lesson.write(tmp_path)
    (root / "01_add" / "benchmarks.py").unlink()
    (root / "01_add" / "exercises.py").write_text(EXERCISES)
    return lambda source: judge(ID, source, root=root)


def tickets(order):
    """Which ticket each of four blocks draws."""
    code = 'extern "C" __global__ void draw(unsigned* n, unsigned* mine) {\n'
    code += "  if (threadIdx.x == 0) mine[blockIdx.x] = atomicAdd(n, 1);\n}"
    drawn, mine = np.zeros(1, np.uint32), np.zeros(4, np.uint32)
    with simulator.options(order=order):
        simulator.RawModule(code=code).get_function("draw")((4,), (64,), (drawn, mine))
    return mine.tolist()


def test_the_highest_block_can_be_the_first():
    assert tickets("highest block first") == [3, 2, 1, 0]


def steps(order, n):
    """What eight blocks take that add up n elements each and hand one number over."""
    code = """extern "C" __global__ void add(const float* x, float* total, int n) {
        float sum = 0;
        for (int k = threadIdx.x; k < n; k += 32) sum += x[k];
        atomicAdd(total, sum);
    }"""
    x, total = np.ones(n, np.float32), np.zeros(1, np.float32)
    with simulator.options(order=order, checks=False), simulator.observe(counted=False) as run:
        simulator.RawModule(code=code).get_function("add")((8,), (32,), (x, total, np.int32(n)))
    assert total[0] == 8 * n
    return run.steps


@pytest.mark.parametrize("order", ["highest block first", "block 3 last", "warps by chance"])
def test_blocks_take_turns_only_where_one_may_notice_another(order):
    more = [steps(one, 3200) - steps(one, 320) for one in ("lockstep", order)]
    assert more[0] == more[1]


def test_a_block_that_waits_for_a_later_one_gives_way_in_its_turn():
    code = """extern "C" __global__ void wait(volatile int* flag, int* seen) {
        if (blockIdx.x == 0) *flag = 1;
        else while (*flag == 0) {}
        if (threadIdx.x == 0) seen[blockIdx.x] = 1;
    }"""
    for order in ("highest block first", "block 0 last", "warps by chance"):
        flag, seen = np.zeros(1, np.int32), np.zeros(3, np.int32)
        with simulator.options(order=order, checks=False, step_limit=20_000):
            simulator.RawModule(code=code).get_function("wait")((3,), (32,), (flag, seen))
        assert seen.tolist() == [1, 1, 1]


@pytest.mark.parametrize("late", range(4))
def test_each_block_can_be_the_last(late):
    drawn = tickets(f"block {late} last")
    assert drawn[late] == 3 and sorted(drawn) == [0, 1, 2, 3]


@pytest.mark.parametrize("order", ORDERS)
def test_who_waits_for_another_block_lets_it_come_first(order):
    code = """extern "C" __global__ void pass(volatile unsigned* turn) {
        if (threadIdx.x > 0) return;
        while (*turn != blockIdx.x) {}
        __threadfence();
        *turn = blockIdx.x + 1;
    }"""
    turn = np.zeros(1, np.uint32)
    with simulator.options(order=order):
        simulator.RawModule(code=code).get_function("pass")((4,), (32,), (turn,))
    assert turn[0] == 4


def test_a_right_hand_over_passes_in_every_order(judged):
    verdict = judged(last_block())
    assert verdict.status == "passed", verdict.message


@pytest.mark.parametrize(
    ("who", "what"),
    [
        ("blockIdx.x == 3", "(b == 3 || ticket >= 3 ? partial[b] : 0)"),
        ("ticket == 3", "(b <= blockIdx.x ? partial[b] : 0)"),
        (
            "ticket == 3",
            "(b < ticket ? partial[b] : blockIdx.x < 3 ? 0 : sum < 0 ? 0 : partial[3])",
        ),
    ],
    ids=["the highest block is the last", "blocks before mine", "the last is the highest"],
)
def test_who_trusts_in_the_order_of_blocks_is_told(judged, who, what):
    verdict = judged(last_block(who, what))
    assert verdict.status in ("wrong_answer", "data_race")
    if verdict.status == "wrong_answer":
        assert "The answer is right if blocks and warps run in order" in verdict.message
        assert (
            "A GPU runs blocks in any order. The result must not depend on it." in verdict.message
        )
