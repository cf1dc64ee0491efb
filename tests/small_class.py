"""A lesson of two exercises, and notebooks handed in for it, whole and damaged."""

import contextlib
import shutil

import nbformat
import small_lesson
from small_lesson import instead
from typer.testing import CliRunner

from grader.classroom import feedback
from grader.classroom.folder import CONFIG, new_course
from grader.cli.app import app
from grader.course import mistakes
from grader.course.weave import cuda_cell, text
from grader.submissions import intake

LESSON = "01_add"
MARKDOWN = """\
# Adding

```{exercise} add
```

```{exercise} scale
```
"""
SCALE = """
def scale(n):
    def problem(rng):
        x = rng.standard_normal(n, dtype=np.float32)
        doubled = Expected(2 * x.astype(np.float64), np.float32)
        launch = Launch("scale", -(-n // BLOCK), BLOCK, ("x", "doubled", np.int32(n)))
        return Problem({"x": x}, {"doubled": doubled}, (launch,))
    return problem


other = Exercise(
    name="scale",
    title="Double a vector",
    source="2_scale.cu",
    cases=(
        Case("whole blocks", scale(128), 1),
        Case("a length with a remainder", scale(100), 1, visible=False),
    ),
)
"""
SCALED = """\
extern "C" __global__ void scale(const float* x, float* doubled, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    // BEGIN SOLUTION
    if (i < n) doubled[i] = 2 * x[i];
    // END SOLUTION
}
"""
MISTAKES = """
[[scale]]
name = "unguarded"
mistake = "the guard is missing"
must_get = "out_of_bounds"
line = 'doubled[i] ='
replace = 'if (i < n) doubled'
with = 'doubled'
"""
NO_GUARD = instead("    total[i] = x[i] + y[i];")
UNGUARDED_SCALE = SCALED.replace("if (i < n) ", "")
WRONG_SUM = instead("    if (i < n) total[i] = x[i] - y[i];")


def write_lesson(kernels):
    small_lesson.write(kernels)
    lesson = kernels / LESSON
    (lesson / "lesson.md").write_text(MARKDOWN)
    (lesson / "exercises.py").write_text(small_lesson.EXERCISES + SCALE)
    (lesson / "2_scale.cu").write_text(SCALED)
    (lesson / mistakes.FILE).write_text(MISTAKES)
    return kernels


def place_of(here):
    """Where commands about the course are given: in the folder that holds its config."""
    return here.root if (here.root / CONFIG.name).is_file() else here.root.parent


def grader(here, *arguments):
    """Run `grader ARGUMENTS` in the course's folder."""
    with contextlib.chdir(place_of(here)):
        return CliRunner().invoke(app, list(arguments), env={"COLUMNS": "200"})


def copied(course, folder):
    """A copy of a course and of its lessons."""
    kernels = shutil.copytree(course.kernels, folder / "kernels")
    return new_course(shutil.copytree(course.root, folder / "course"), kernels)


def cell_of(notebook, name):
    return next(cell for cell in notebook.cells if intake.grade_id(cell) == name)


def hand_in(here, learner, damage=None, **answers):
    """Submit `answers` as `learner`, after `damage` has been done to the notebook."""
    notebook = nbformat.read(here.notebook("release", LESSON), as_version=4)
    for name, source in answers.items():
        cell_of(notebook, name).source = cuda_cell(name, source)
    if damage:
        damage(notebook)
    path = here.notebook("submitted", LESSON, learner)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text(notebook))


def feedback_page(here, learner):
    """The HTML that the learner is shown."""
    feedback.write_all(here, LESSON, [learner], lambda steps, **_: steps)
    return (here.path("feedback", LESSON, learner) / f"{LESSON}.html").read_text()


def copy_changed(notebook):
    copied = nbformat.from_dict(cell_of(notebook, "add"))
    notebook.cells.append(nbformat.from_dict({**copied, "id": "copied", "source": WRONG_SUM}))


def copy(notebook):
    notebook.cells.append(nbformat.from_dict({**cell_of(notebook, "add"), "id": "copied"}))


def delete(notebook):
    gone = ("add", "check-add")
    notebook.cells = [cell for cell in notebook.cells if intake.grade_id(cell) not in gone]


def empty(notebook):
    cell_of(notebook, "add").source = ""


def attack(notebook):
    """Everything that earns full marks, or more, where notebooks are executed and believed."""
    evil = "open('executed', 'w').close()\nimport grader.notebook as n\nn.check = lambda name: 99.0"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(evil))
    check = cell_of(notebook, "check-add")
    check.source = "99.0"
    check.metadata.nbgrader["points"] = 1000
    check.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": "99.0"})]
    check.metadata["warpwise"] = {"problem": "", "judged": True}
    cell_of(notebook, "scale").metadata.nbgrader = {"grade": True, "grade_id": "scale", "x": []}
    cell_of(notebook, "check-scale").metadata.nbgrader = "nonsense"
