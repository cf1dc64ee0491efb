"""A lesson of one exercise and one benchmark, written into a folder: what the judge's tests judge
against."""

from pathlib import Path

ID = "01_add/add"

EXERCISES = """
import numpy as np
from grader.course import Budget, Case, Exercise, Expected, Launch, Problem

BLOCK = 64


def add(n):
    def problem(rng):
        x, y = rng.standard_normal((2, n), dtype=np.float32)
        total = Expected(x.astype(np.float64) + y, np.float32, atol=1e-6, rtol=1e-6)
        launch = Launch("add", -(-n // BLOCK), BLOCK, ("x", "y", "total", np.int32(n)))
        return Problem({"x": x, "y": y}, {"total": total}, (launch,))
    return problem


sectors = Budget("global_load_sectors", 32, "Neighbouring threads should read neighbouring floats.")
exercise = Exercise(
    name="add",
    title="Add two vectors",
    source="1_add.cu",
    cases=(
        Case("whole blocks", add(128), 2),
        Case("within budget", add(128), 1, budgets=(sectors,)),
        Case("a length that is no multiple of the block", add(100), 1, visible=False),
    ),
)
"""

BENCHMARKS = """
import numpy as np
from grader.course import Benchmark, Launch, Variant

BLOCK = 64


def arrays(xp, size):
    rng = xp.random.default_rng(0)
    x, y = (rng.standard_normal(size, dtype=xp.float32) for _ in range(2))
    return {"x": x, "y": y, "total": xp.empty(size, xp.float32)}


def launches(size):
    (n,) = size
    return (Launch("add", -(-n // BLOCK), BLOCK, ("x", "y", "total", np.int32(n))),)


def cupy_add(arrays):
    import cupy
    return lambda: cupy.add(arrays["x"], arrays["y"], out=arrays["total"])


def nobody_has(arrays):
    import a_library_that_nobody_has


def wrong(arrays):
    return lambda: arrays["x"]


add = Benchmark(
    name="add",
    title="Adding two vectors",
    sizes=((1 << 10,), (1 << 16,), (1 << 22,), (1 << 24,)),
    arrays=arrays,
    result="total",
    reference=lambda arrays: arrays["x"].astype("float64") + arrays["y"],
    rtol=1e-6,
    bytes=lambda size: 12 * size[0],
    variants={
        "ours": Variant("1_add.cu", launches),
        "ours, small": Variant("1_add.cu", lambda size: launches(size) if size < (9**6,) else ()),
    },
    libraries={"CuPy": cupy_add, "a library": nobody_has, "a wrong library": wrong},
    flops=lambda size: size[0],
)
"""

SOLUTION = """\
// Each thread owns one element.
extern "C" __global__ void add(const float* x, const float* y, float* total, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i < n) {
        total[i] = x[i] + y[i];
    }
    // END SOLUTION
}
"""


def write(root: Path) -> Path:
    """Write the lesson under `root`, and return that."""
    lesson = root / "01_add"
    lesson.mkdir()
    (lesson / "lesson.md").write_text("# Adding\n")
    (lesson / "exercises.py").write_text(EXERCISES)
    (lesson / "benchmarks.py").write_text(BENCHMARKS)
    (lesson / "1_add.cu").write_text(SOLUTION)
    return root


def instead(body: str) -> str:
    """The solution with `body` in place of what a learner writes; its first line is line 5."""
    before, _, rest = SOLUTION.partition("    // BEGIN SOLUTION\n")
    _, _, after = rest.partition("    // END SOLUTION\n")
    return f"{before}    // BEGIN SOLUTION\n{body}\n{after}"


# A mistake that mistakes.toml may name, and an answer with it.
DIFFERENCE = """
[[add]]
name = "difference"
mistake = "y is taken away"
must_get = "wrong_answer"
replace = 'x[i] + y[i]'
with = 'x[i] - y[i]'
"""
SUBTRACTS = instead("    if (i < n) total[i] = x[i] - y[i];")
