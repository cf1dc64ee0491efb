"""A lesson of one exercise, written into a folder: what the judge's tests judge against."""

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
    (lesson / "1_add.cu").write_text(SOLUTION)
    return root


def instead(body: str) -> str:
    """The solution with `body` in place of what a learner writes; its first line is line 5."""
    before, _, rest = SOLUTION.partition("    // BEGIN SOLUTION\n")
    _, _, after = rest.partition("    // END SOLUTION\n")
    return f"{before}    // BEGIN SOLUTION\n{body}\n{after}"
