"""judge(): the one way from a source text to a verdict, one stage after the other.

A stage takes what is known of an answer and returns it with more known; it leaves alone what does
not concern it.

`in_step` finds the step of an exercise (`WritingStep`) that a case fails in. A hidden case belongs
to the last step, so that a learner reads no more of it than whether it passed. A hazard ends a run
before its arrays can be compared; so the case is run once more, past the hazard, and fails in the
first step whose outputs are wrong then, or in the last one. Any other error leaves nothing to
compare: its case fails in the first step that it decides. An input that is not as it was counts in
the last step.
"""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from .. import compilers, course, cuda
from ..course import Exercise, authors
from ..course.kinds import NOT_RIGHT, WrittenQuestion
from ..course.model import COUNTERS
from ..cuda.errors import Message, encodable, one_line_end, summary, visible
from ..errors import AuthorError, LearnerError, unless
from ..say import verdict_answers as say
from ..status import Status
from . import arrangement, cases, compare, partial, sizes as every_size, stepped, technique
from .explaining.explanation import doubted, explained_case, with_returns
from .protocol import Failed, Ran, Reply
from .session import Judged, Limits, NotRun, Session, run_on_gpu
from .verdict import CaseResult, Verdict, foremost, told_once

LONGEST_SOURCE = 100_000  # characters
STANDARD_LIMITS = Limits()
# While somebody waits, several workers share the cases; a class has a worker for each answer.
WHILE_SOMEBODY_WAITS = replace(STANDARD_LIMITS, workers=min(4, os.cpu_count() or 1))
LATER = "The answer is kept. The marks of the lesson show whether it is right."


def judge(
    exercise_id: str | Exercise,
    source: str,
    *,
    seed: int = 0,
    hidden: bool = True,
    root: Path = course.KERNELS,
    limits: Limits = STANDARD_LIMITS,
    sizes: bool = True,
    steps: bool = False,
    partial_marks: bool = True,
    explained: bool = True,
    marked: Callable[[Verdict], object] = lambda verdict: None,
) -> Verdict:
    """Judge `source`, the text of a .cu file, as an answer to the exercise "lesson/name", or to one
    that was drawn anew (`variants.vary`). The answer to a question is a text that is only read;
    without `hidden` its verdict tells no more than the lesson lets a learner know.

    The same source and seed give the same verdict. Without `hidden` only the visible cases are
    run, and give points; without `sizes` none are looked for that no case tries;
    without `partial_marks` a fault that the lesson names leaves nothing but the cases that passed;
    with `steps` a visible case that failed has those that led there, told by one run more; without
    `explained` it is found what fails on the simulated device, and not why. `marked` gets the
    verdict on an answer that fails as soon as its points are known, before the cause is looked for.
    On a machine with a GPU a case that is clean on the simulated device must also be right on the
    hardware. NotInCourse: there is no such exercise.
    """
    drawn = exercise_id if isinstance(exercise_id, Exercise) else None
    lesson_name, _, name = (drawn.id if drawn else str(exercise_id)).partition("/")
    lesson = course.lesson(lesson_name, root, compilers.chosen_name())
    exercise = drawn or lesson.exercise(name)
    source = one_line_end(encodable(source))
    if isinstance(exercise.kind, WrittenQuestion):
        return _answered(exercise, exercise.kind, source, hidden)
    allowed = {one.name: one.ours["steps"] for one in exercise.cases if "steps" in one.ours}
    with (
        Session(source, limits, allowed) as session,
        Session(exercise.solution if exercise.solved else "", limits, allowed) as ours,
    ):
        judged = blank(
            Judged(
                lesson=lesson,
                exercise=exercise,
                source=source,
                seed=seed,
                hidden=hidden,
                limits=limits,
                allowed=allowed,
                session=session,
                ours=ours,
            )
        )
        stages = () if judged.results else STAGES
        for stage in stages[:_FOUND]:
            judged = stage(judged)
        first = partial.with_part(judged, summed(judged)) if partial_marks else summed(judged)
        if first.status != Status.PASSED:
            marked(first)
        for stage in stages[_FOUND:] if explained else ():
            judged = stage(judged)
        verdict = partial.with_part_of(first, summed(judged))
        if sizes:
            verdict = every_size.looked_for(verdict, exercise, source, limits)
        if steps:
            verdict = stepped.stepped(judged, verdict)
    return verdict


def _answered(exercise: Exercise, kind: WrittenQuestion, source: str, hidden: bool) -> Verdict:
    """The verdict on `source`, the text of the cell with the answer to a question: no compiler and
    no worker, as nothing is run. Without `hidden` it tells no more than the lesson lets a learner
    know before the marks."""
    status, said = Status.NOT_ATTEMPTED, "There is no answer yet."
    # Characters that nobody sees come along when people copy.
    if answer := kind.written(visible(source).replace("\N{REPLACEMENT CHARACTER}", "")):
        fault = kind.fault("") if kind.key else ""  # the author's, and not this answer's
        unless(not fault, AuthorError(f"{exercise.id}: {exercise.source} {fault}."))
        try:
            status, said = kind.marked(kind.read(answer))
            if status in (Status.PASSED, Status.WRONG_ANSWER) and not (hidden or kind.feedback):
                status, said = Status.KEPT, LATER
        except LearnerError as error:
            status, said = Status.WRONG_ANSWER, str(error)
    right = status == Status.PASSED
    points = exercise.points if right else 0.0
    case = CaseResult(
        *("the answer", True, status, points, exercise.points), note=said if right else ""
    )
    return Verdict(
        exercise=exercise.id,
        points=points,
        max_points=exercise.points,
        status=status,
        message="" if right else said,
        cases=()
        if status == Status.KEPT or kind.by_hand
        else (case if right else case.saying(Message(said or NOT_RIGHT)),),
        kind=kind.name,
    )


def blank(judged: Judged) -> Judged:
    """A source that is too long, or that nobody has written anything in, is not even compiled."""
    exercise, source = judged.exercise, judged.source
    if len(source) > LONGEST_SOURCE:
        status, message = Status.COMPILE_ERROR, say.TOO_LONG.format(len(source), LONGEST_SOURCE)
    elif arrangement.is_blank(source, judged.lesson.handed_out(exercise)):
        status, message = Status.NOT_ATTEMPTED, say.NOT_ATTEMPTED
    else:
        return judged
    return replace(
        judged,
        results=tuple(
            replace(compare.failed(case, status, message), step=min(1, len(exercise.steps)))
            for case in exercise.cases
            if case.visible or judged.hidden
        ),
    )


def run(judged: Judged) -> Judged:
    """The cases are drawn while the source is compiled, and run on the simulated device."""
    judged.session.start()
    return judged.run(cases.instantiate(judged.exercise, judged.seed, judged.hidden))


def compared(judged: Judged) -> Judged:
    """What each case left is held against what is expected."""
    dearest = judged.exercise.kind.names_the_dearest_line
    judged = replace(
        judged,
        instances=tuple(
            in_step(judged, *row)
            for row in zip(judged.instances, judged.outcomes, judged.words, strict=True)
        ),
    )
    results = [
        technique.goes_wrong(*row) if row[0].case.hazard else compare.on_simulator(*row, dearest)
        for row in zip(judged.instances, judged.outcomes, judged.words, strict=True)
    ]
    judged = replace(
        judged,
        results=tuple(
            replace(
                result, ran=not isinstance(outcome, NotRun), step=one.step if result.failed else 0
            )
            for one, outcome, result in zip(judged.instances, judged.outcomes, results, strict=True)
        ),
    )
    return replace(judged, counters=_counters(judged))


def _counters(judged: Judged) -> dict[str, int]:
    """Totals over the last passed case with a budget, a visible one if there is one, or over the
    last case."""
    counted = [
        row
        for row in zip(judged.instances, judged.outcomes, judged.results, strict=True)
        if row[0].counted
    ]
    budgeted = [
        (one.case.visible, outcome)
        for one, outcome, result in counted
        if one.case.budgets and result.status == Status.PASSED
    ]
    last = [
        None,
        *(outcome for _, outcome, _ in counted[-1:]),
        *(outcome for _, outcome in budgeted),
        *(outcome for seen, outcome in budgeted if seen),
    ][-1]
    return last.counters if isinstance(last, Ran) else {}


def arranged(judged: Judged) -> Judged:
    """Cases that passed fail where what was given is not as it must be."""
    changed = arrangement.changed(
        judged.exercise, judged.lesson.handed_out(judged.exercise), judged.source
    )
    if changed is None:
        return judged
    for at in judged.passed:
        judged = judged.with_result(
            at, compare.failed(judged.instances[at].case, Status.OVER_BUDGET, *changed)
        )
    return judged


def explain(judged: Judged) -> Judged:
    """The case that the verdict tells of is explained if it is a wrong answer or an index that
    leaves an array. What goes wrong although it must not is told without advice."""
    at = judged.told
    if judged.exercise.solved and at is not None:
        judged = explained_case(judged, at)
        if not judged.exercise.kind.goes_wrong:
            judged = with_returns(doubted(judged, at), at)
    if judged.exercise.kind.goes_wrong:
        rows = zip(judged.instances, judged.outcomes, judged.results, strict=True)
        judged = replace(judged, results=tuple(technique.too_far(*row) for row in rows))
    return judged


def hardware(judged: Judged) -> Judged:
    """Cases that passed get what this machine's GPU makes of them, if there is one."""
    if judged.exercise.kind.goes_wrong:
        return judged
    judged = replace(judged, device=cuda.device)
    if cuda.device != "gpu":
        return judged
    passed = judged.passed
    outcomes = run_on_gpu(
        judged.source, tuple(judged.instances[at] for at in passed), judged.limits
    )
    for at, outcome in zip(passed, outcomes, strict=True):
        result = compare.on_gpu(judged.instances[at], outcome, judged.words[at])
        judged = judged.with_result(at, replace(result, ran=not isinstance(outcome, NotRun)))
    return judged


def warnings(judged: Judged) -> Judged:
    """The case that the verdict tells of adds what the compiler has doubted in the source."""
    doubts = summary(judged.outcomes[0].warnings) if judged.outcomes else ""
    at = judged.told
    if not doubts or at is None:
        return judged
    result = judged.results[at]
    return judged.with_result(at, result.saying(result.parts + say.doubted(doubts)))


def summed(judged: Judged) -> Verdict:
    """The results make a verdict. A contest compares the counters of the last case, if that one is
    hidden, has a budget, and passed."""
    exercise, results = judged.exercise, tuple(told_once(judged.results))
    failure = foremost(results)
    first = judged.outcomes[0] if judged.outcomes else None
    last = judged.outcomes[-1] if judged.outcomes else None
    return Verdict(
        exercise=exercise.id,
        points=sum(one.points for one in results),
        max_points=exercise.points,
        status=failure.status if failure else Status.PASSED,
        message=failure.message if failure else "",
        line=failure.line if failure else None,
        cases=results,
        diagnostics=first.diagnostics if isinstance(first, Failed) else (),
        counters=dict(judged.counters),
        contest={name: last.counters[name] for name in COUNTERS}
        if judged.hidden
        and exercise.cases[-1].budgets
        and not exercise.cases[-1].visible
        and isinstance(last, Ran)
        and results[-1].points
        and judged.instances[-1].counted
        else {},
        device=judged.device,
        seed=judged.seed,
        compiler=compilers.chosen_name(),
        kind=exercise.kind.name,
        steps=tuple(one.name for one in exercise.steps),
    )


STAGES: tuple[Callable[[Judged], Judged], ...] = (
    run,
    compared,
    arranged,
    technique.kept_to,
    explain,
    hardware,
    warnings,
)
_FOUND = STAGES.index(explain)  # stages that find what fails


def in_step(
    judged: Judged, instance: cases.CaseInstance, outcome: Reply, words: compare.Words
) -> cases.CaseInstance:
    """The case with the number of the step that it fails in, if it fails. Where outputs of that
    step are wrong, no others are compared. AuthorError: the case has no such output."""
    steps, case, left = judged.exercise.steps, instance.case, outcome
    for number, step in enumerate(steps[:-1] if case.visible else (), start=1):
        if case.name in step.cases if step.cases else not case.budgets:
            with authors.blamed(judged.lesson.path / judged.exercise.file, f"step {step.name!r}"):
                problem = instance.problem.comparing(step.outputs or instance.problem.outputs)
            only = replace(instance, step=number, problem=problem)
            if left is outcome and isinstance(left, Failed) and left.status in partial.HAZARDS:
                (left,) = judged.session.run((replace(instance, tolerated=left.status),))
            if not (step.outputs and isinstance(left, Ran)) or compare.wrong(
                replace(only, problem=replace(problem, inputs={})), left, words
            ):
                return only
    return replace(instance, step=len(steps))
