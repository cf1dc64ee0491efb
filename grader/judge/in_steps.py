"""The step of an exercise (`WritingStep`) that a case fails in.

A hidden case belongs to the last step, so that a learner reads no more of it than whether it
passed. A hazard ends a run before its arrays can be compared; so the case is run once more, past
the hazard, and fails in the first step whose outputs are wrong then, or in the last one. Any other
error leaves nothing to compare: its case fails in the first step that it decides. An input that is
not as it was counts in the last step.
"""

from dataclasses import replace

from ..course import authors
from . import compare
from .cases import CaseInstance
from .judged import Judged
from .partial import HAZARDS
from .protocol import Failed, Ran, Reply
from .words import Words


def in_step(judged: Judged, instance: CaseInstance, outcome: Reply, words: Words) -> CaseInstance:
    """The case with the number of the step that it fails in, if it fails. Where outputs of that
    step are wrong, no others are compared. AuthorError: the case has no such output."""
    steps, case, left = judged.exercise.steps, instance.case, outcome
    if steps and case.visible and isinstance(outcome, Failed) and outcome.status in HAZARDS:
        (left,) = judged.session.run((replace(instance, tolerated=outcome.status),))
    for number, step in enumerate(steps[:-1] if case.visible else (), start=1):
        if case.name in step.cases if step.cases else not case.budgets:
            with authors.blamed(judged.lesson.path / judged.exercise.file, f"step {step.name!r}"):
                problem = instance.problem.comparing(step.outputs or instance.problem.outputs)
            only = replace(instance, step=number, problem=problem)
            if not (step.outputs and isinstance(left, Ran)) or compare.wrong(
                replace(only, problem=replace(problem, inputs={})), left, words
            ):
                return only
    return replace(instance, step=len(steps))
