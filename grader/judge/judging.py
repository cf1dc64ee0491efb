"""judge(): the one way from a source text to a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from .. import course, cuda
from ..cuda.diagnostics import Diagnostic
from ..cuda.sanitize import encodable, one_line_end
from ..status import Status
from . import compare, hazards, steps
from .blank import is_blank
from .cases import CaseInstance, instantiate
from .explanation import Pair, explained
from .process import Limits, Outcome, follow, run_on_gpu, simulate
from .protocol import Failed, Ran
from .verdict import CaseResult, Verdict, told_once
from .words import Words

STANDARD_LIMITS = Limits()
LONGEST_SOURCE = 100_000  # characters
_TOO_LONG = (
    "The source has {:,} characters, and no kernel here needs more than {:,}: hand in the kernel "
    "alone."
)
NOT_ATTEMPTED = "Nothing is written here yet: the kernel is as it was handed out."


def judge(
    exercise_id: str,
    source: str,
    *,
    seed: int = 0,
    hidden: bool = True,
    root: Path = course.KERNELS,
    limits: Limits = STANDARD_LIMITS,
) -> Verdict:
    """Judge `source`, the text of a .cu file, as an answer to the exercise "lesson/name".

    The same source and seed give the same verdict. Without `hidden` only the visible cases are
    run, and only their points counted. On a machine with a GPU a case that is clean on the
    simulated device must also be right on the hardware. NotInCourse: there is no such exercise.
    """
    lesson_name, _, name = exercise_id.partition("/")
    lesson = course.lesson(lesson_name, root)
    exercise = lesson.exercise(name)
    source = one_line_end(encodable(source))
    refused = _not_run(source, lesson, exercise, hidden)
    if refused is not None:
        return _verdict(exercise, refused, "simulator", seed)
    instances = instantiate(exercise, seed, hidden)
    outcomes = simulate(source, instances, limits, steps.of_solution(lesson, exercise))
    words = [Words(source, lesson.solution(exercise), one.problem) for one in instances]
    rows = zip(instances, outcomes, words, strict=True)
    results = [_on_simulator(*row, exercise.kind) for row in rows]
    counters = _counters(instances, outcomes, results)
    results = _explained(source, lesson, exercise, instances, outcomes, results, words, limits)
    if cuda.device == "gpu" and not exercise.kind.simulated_alone:
        results = _confirmed(source, instances, results, words, limits)
    first = outcomes[0] if outcomes else None
    diagnostics = first.diagnostics if isinstance(first, Failed) else ()
    device = "simulator" if exercise.kind.simulated_alone else cuda.device
    return _verdict(exercise, results, device, seed, counters, diagnostics)


def _not_run(
    source: str, lesson: course.Lesson, exercise: course.Exercise, hidden: bool
) -> list[CaseResult] | None:
    """The results of a source that is not even compiled; None if it is to be."""
    if len(source) > LONGEST_SOURCE:
        status, message = Status.COMPILE_ERROR, _TOO_LONG.format(len(source), LONGEST_SOURCE)
    elif is_blank(source, lesson.handed_out(exercise)):
        status, message = Status.NOT_ATTEMPTED, NOT_ATTEMPTED
    else:
        return None
    cases = [case for case in exercise.cases if case.visible or hidden]
    return [compare.failed(case, status, message) for case in cases]


def _on_simulator(
    instance: CaseInstance, outcome: Outcome, words: Words, kind: course.Kind
) -> CaseResult:
    """The result of a case, which may be asked to go wrong."""
    if instance.case.hazard:
        return hazards.on_simulator(instance, outcome, words)
    return compare.on_simulator(instance, outcome, words, kind.names_the_dearest_line)


def _explained(
    source: str,
    lesson: course.Lesson,
    exercise: course.Exercise,
    instances: tuple[CaseInstance, ...],
    outcomes: list[Outcome],
    results: list[CaseResult],
    words: list[Words],
    limits: Limits,
) -> list[CaseResult]:
    """`results`, the first that failed explained if it is a wrong answer and may be seen."""
    rows = zip(instances, outcomes, results, words, strict=True)
    first = next((row for row in rows if row[2].status != Status.PASSED), None)
    if first is None or not first[2].visible or first[2].status != Status.WRONG_ANSWER:
        return results
    instance, outcome, result, word = first
    if instance.case.hazard:
        return results
    wrong = compare.first_wrong(instance, outcome) if isinstance(outcome, Ran) else None
    if wrong is None:
        return results
    allowed = steps.of_solution(lesson, exercise)
    runs = [
        follow(text, instance, (wrong.element,), limits, allowed)
        for text in (source, lesson.solution(exercise))
    ]
    if not all(runs):
        return results
    told = explained(result, Pair(wrong, *(made for (made,) in runs)), instance, word)
    return [told if one is result else one for one in results]


def _confirmed(
    source: str,
    instances: tuple[CaseInstance, ...],
    results: list[CaseResult],
    words: list[Words],
    limits: Limits,
) -> list[CaseResult]:
    """`results`, with those that passed replaced by what the hardware makes of the same case."""
    passed = [index for index, result in enumerate(results) if result.status == Status.PASSED]
    outcomes = run_on_gpu(source, tuple(instances[index] for index in passed), limits)
    confirmed = list(results)
    for index, outcome in zip(passed, outcomes, strict=True):
        confirmed[index] = compare.on_gpu(instances[index], outcome, words[index])
    return confirmed


def _counters(
    instances: tuple[CaseInstance, ...], outcomes: list[Outcome], results: list[CaseResult]
) -> dict[str, int]:
    """Totals over the last passed case with a budget, or over the last case."""
    rows = zip(reversed(instances), reversed(outcomes), reversed(results), strict=True)
    budgeted = (
        outcome
        for one, outcome, result in rows
        if one.case.budgets and result.status == Status.PASSED
    )
    counted = next(budgeted, outcomes[-1] if outcomes else None)
    return counted.counters if isinstance(counted, Ran) else {}


def _verdict(
    exercise: course.Exercise,
    results: list[CaseResult],
    device: str,
    seed: int,
    counters: Mapping[str, int] = MappingProxyType({}),
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Verdict:
    cases = told_once(results)
    failure = next((case for case in cases if case.status != Status.PASSED), None)
    return Verdict(
        exercise=exercise.id,
        points=sum(case.points for case in cases),
        max_points=sum(case.max_points for case in cases),
        status=failure.status if failure else Status.PASSED,
        message=failure.message if failure else "",
        line=failure.line if failure else None,
        cases=cases,
        diagnostics=diagnostics,
        counters=dict(counters),
        device=device,
        seed=seed,
        compiler=cuda.compilers.chosen_name(),
        kind=exercise.kind.name,
    )
