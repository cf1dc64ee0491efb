"""The step at which nbgrader makes the learner's notebook of the solved one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions

from .. import course
from ..course.weave import cuda_cell
from ..submissions.intake import grade_id

Resources = dict[str, Any]  # nbconvert's, which each step may add to


class HandOut(ClearSolutions):
    """Each exercise's cell as its kind hands it out; a notebook that is no lesson's is cleared of
    solutions as nbgrader does it."""

    def preprocess(self, nb: NotebookNode, resources: Resources) -> tuple[NotebookNode, Resources]:
        if "lesson" not in nb.metadata.get("warpwise", {}):
            cleared: tuple[NotebookNode, Resources] = super().preprocess(nb, resources)
            return cleared
        kernels = Path(self.config.JudgeAnswers.get("kernels", course.KERNELS))
        lesson = course.lesson(nb.metadata.warpwise.lesson, kernels)
        names = {exercise.name for exercise in lesson.exercises}
        for cell in nb.cells:
            if (name := grade_id(cell)) in names:
                cell.source = cuda_cell(name, lesson.handed_out(lesson.exercise(name)))
        return nb, resources
