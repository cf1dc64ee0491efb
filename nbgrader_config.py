# How nbgrader sees this course; JupyterLab's formgrader and `grader` both read it.
import os
import shutil
import sys
from pathlib import Path

c = get_config()  # noqa: F821 (nbgrader provides it)
course = Path(__file__).parent / "build"

# To make a gradebook, nbgrader calls alembic by name, and a virtual environment may not be active.
if not shutil.which("alembic"):
    os.environ["PATH"] += os.pathsep + str(Path(sys.executable).parent)

c.CourseDirectory.course_id = "warpwise"
# source, release, submitted, autograded, feedback and gradebook.db all lie here.
c.CourseDirectory.root = str(course)
# Verdicts name hidden cases, so they never travel with a submission or with its feedback.
c.CourseDirectory.ignore = [
    ".ipynb_checkpoints",
    "*.pyc",
    "__pycache__",
    "feedback",
    "verdicts.json",
]

# For a class on one machine, make this a folder that everybody can write to.
c.Exchange.root = str(course / "exchange")
c.Exchange.cache = str(course / "cache")

# Each kind of exercise says what is handed out of its solution; so much for ClearSolutions.
c.GenerateAssignment.preprocessors = [
    "nbgrader.preprocessors.IncludeHeaderFooter",
    "nbgrader.preprocessors.LockCells",
    "grader.classroom.handing_out.HandOut",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.CheckCellMetadata",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.SaveCells",
    "nbgrader.preprocessors.ClearHiddenTests",
    "nbgrader.preprocessors.ClearMarkScheme",
    "nbgrader.preprocessors.ComputeChecksums",
    "nbgrader.preprocessors.CheckCellMetadata",
]
c.ClearSolutions.code_stub = {"python": "// YOUR CODE HERE"}  # of notebooks of your own

# A learner's notebook is never executed: its answers are taken out first and judged as text, and
# the second list, in which nbgrader would execute it, finds the judge's points in it.
c.Autograde.sanitize_preprocessors = [
    "grader.classroom.plugin.TakeAnswers",
    "nbgrader.preprocessors.ClearOutput",
    "nbgrader.preprocessors.OverwriteKernelspec",
    "nbgrader.preprocessors.OverwriteCells",
    "nbgrader.preprocessors.CheckCellMetadata",
    "grader.classroom.plugin.JudgeAnswers",
]
c.Autograde.autograde_preprocessors = [
    "nbgrader.preprocessors.SaveAutoGrades",
    "grader.classroom.lateness.AssignLateness",
    "nbgrader.preprocessors.CheckCellMetadata",
]
# The hidden cases are drawn from this secret, which is made when it is first needed.
c.JudgeAnswers.secret_file = str(course / "secret")

# `nbgrader export` writes CSV in which no learner's text can become a formula or a row.
c.ExportApp.plugin_class = "grader.classroom.export.GradesExporter"

# In feedback and formgrader, no HTML of a learner's gets to run.
c.HTMLExporter.filters = {
    "markdown2html": "grader.classroom.sanitize_html.markdown_to_html",
    "highlight_code": "grader.classroom.sanitize_html.code_to_html",
}
