"""judge(): the one way from a source text to a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from .. import compilers, course, cuda
from ..course import solution_counts
from ..course.model import COUNTERS
from ..cuda.diagnostics import Diagnostic, summary
from ..cuda.sanitize import encodable, one_line_end
from ..status import Status
from . import arrangement, compare, hazards, partial, technique
from . import block_scene as scenes
from .blank import is_blank
from .cases import CaseInstance, instantiate
from .explaining import past_the_end
from .explaining.explanation import explained
from .explaining.telling import Pair
from .protocol import Failed, Ran
from .running.limits import Limits
from .running.process import follow, run_on_gpu, simulate
from .running.replies import Outcome
from .sizes import looked_for
from .stepped import stepped
from .verdict import CaseResult, Verdict, foremost, told_once
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
    sizes: bool = True,
    steps: bool = False,
    partial_marks: bool = True,
) -> Verdict:
    """Judge `source`, the text of a .cu file, as an answer to the exercise "lesson/name".

    The same source and seed give the same verdict. Without `hidden` only the visible cases are
    run, and give points; without `sizes` none are looked for that no case tries;
    without `partial_marks` a fault that the lesson names leaves nothing but the cases that passed;
    with `steps` a visible case that failed has those that led there, told by one run more. On a
    machine with a GPU a case that is clean on the simulated device must also be right on the
    hardware. NotInCourse: there is no such exercise.
    """
    lesson_name, _, name = exercise_id.partition("/")
    compiler = compilers.chosen_name()
    lesson = course.lesson(lesson_name, root, compiler)
    exercise = lesson.exercise(name)
    source = one_line_end(encodable(source))
    allowed = solution_counts.steps(lesson.path, name, compiler)
    verdict = _by_cases(lesson, exercise, source, seed, hidden, limits, allowed)
    verdict = looked_for(verdict, exercise, source, limits) if sizes else verdict
    if partial_marks:
        verdict = partial.with_part(verdict, lesson, exercise, source, limits)
    return stepped(verdict, exercise, source, limits, allowed) if steps else verdict


def _by_cases(
    lesson: course.Lesson,
    exercise: course.Exercise,
    source: str,
    seed: int,
    hidden: bool,
    limits: Limits,
    allowed: dict[str, int],
) -> Verdict:
    refused = _not_run(source, lesson, exercise, hidden)
    if refused is not None:
        return _verdict(exercise, refused, "simulator", seed)
    instances = instantiate(exercise, seed, hidden)
    outcomes = simulate(source, instances, limits, allowed)
    words = [Words(source, lesson.solution(exercise), one.problem) for one in instances]
    rows = zip(instances, outcomes, words, strict=True)
    named = exercise.kind.names_the_dearest_line
    results = [_on_simulator(*row, named) for row in rows]
    counters, contest = _counters(instances, outcomes, results), _contest(outcomes, exercise)
    results = _kept(lesson, exercise, source, results)
    results = technique.kept_to(source, instances, outcomes, results, words, limits, allowed)
    if exercise.solved:
        both = source, exercise.solution
        results = _explained(both, instances, outcomes, results, words, limits, allowed)
    if exercise.kind.goes_wrong:
        results = list(map(hazards.too_far, instances, outcomes, results))
    if cuda.device == "gpu" and not exercise.kind.goes_wrong:
        results = _confirmed(source, instances, results, words, limits)
    results = _warned(outcomes, results)
    first = outcomes[0] if outcomes else None
    diagnostics = first.diagnostics if isinstance(first, Failed) else ()
    device = "simulator" if exercise.kind.goes_wrong else cuda.device
    verdict = _verdict(exercise, results, device, seed, counters, diagnostics)
    return replace(verdict, contest=contest) if hidden and verdict.cases[-1].points else verdict


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
    instance: CaseInstance, outcome: Outcome, words: Words, name_the_dearest: bool
) -> CaseResult:
    """The result of a case, which may be asked to go wrong."""
    if instance.case.hazard:
        return hazards.on_simulator(instance, outcome, words)
    return compare.on_simulator(instance, outcome, words, name_the_dearest)


def _explained(
    both: tuple[str, str],
    instances: tuple[CaseInstance, ...],
    outcomes: list[Outcome],
    results: list[CaseResult],
    words: list[Words],
    limits: Limits,
    allowed: dict[str, int],
) -> list[CaseResult]:
    """`results`, the first that failed explained if it may be seen and is a wrong answer, or an
    index that leaves an array; `both` are the answer's source and the solution's."""
    rows = zip(instances, outcomes, results, words, strict=True)
    first = next((row for row in rows if row[2].status != Status.PASSED), None)
    if first is None or not first[2].visible or first[0].case.hazard:
        return results
    instance, outcome, result, word = first
    if result.status == Status.OUT_OF_BOUNDS:
        said = past_the_end.told(both, instance, word, limits, allowed)
        more = replace(result, message=f"{result.message} {said}".rstrip())
        return [more if one is result else one for one in results]
    if result.status != Status.WRONG_ANSWER:
        return results
    wrong = compare.first_wrong(instance, outcome) if isinstance(outcome, Ran) else None
    if wrong is None:
        return results
    runs = [follow(text, instance, (wrong.element,), limits, allowed) for text in both]
    if not all(runs):
        return results
    (mine,), (ours,) = runs
    pair = Pair(wrong, mine, ours)
    if pair.of_another_place and wrong.others:
        others = [follow(text, instance, wrong.others, limits, allowed) for text in both]
        pair = replace(pair, others=tuple(zip(*others, strict=False)))
    told = explained(result, pair, word)
    if mine.stored:
        told = scenes.in_block(told, instance.problem, mine.stored.block)
    return [told if one is result else one for one in results]


def _kept(
    lesson: course.Lesson, exercise: course.Exercise, source: str, results: list[CaseResult]
) -> list[CaseResult]:
    """`results`, with those that passed failed where what was given is not as it must be."""
    found = arrangement.changed(exercise, lesson.handed_out(exercise), source)
    if found is None:
        return results
    message, line = found
    return [
        replace(one, status=Status.OVER_BUDGET, points=0.0, message=message, line=line, note="")
        if one.status == Status.PASSED
        else one
        for one in results
    ]


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


def _warned(outcomes: list[Outcome], results: list[CaseResult]) -> list[CaseResult]:
    """`results`, the first that failed with what the compiler has doubted in the source."""
    told = summary(outcomes[0].warnings) if outcomes else ""
    first = next((one for one in results if one.status != Status.PASSED), None)
    if not told or first is None:
        return results
    message = f"{first.message}\nIt compiles, but not without a doubt:\n{told}"
    return [replace(one, message=message) if one is first else one for one in results]


def _counters(
    instances: tuple[CaseInstance, ...], outcomes: list[Outcome], results: list[CaseResult]
) -> dict[str, int]:
    """Totals over the last passed case with a budget, a visible one if there is one, or over the
    last case."""
    rows = list(zip(instances, outcomes, results, strict=True))
    budgeted = [
        (one.case.visible, outcome)
        for one, outcome, result in rows
        if one.case.budgets and result.status == Status.PASSED
    ]
    visible = [outcome for seen, outcome in budgeted if seen]
    counted = [*outcomes[-1:], *(outcome for _, outcome in budgeted), *visible]
    last = counted[-1] if counted else None
    return last.counters if isinstance(last, Ran) else {}


def _contest(outcomes: list[Outcome], exercise: course.Exercise) -> dict[str, int]:
    """What a contest compares, over the last case, if that is one that a contest can be about."""
    case, last = exercise.cases[-1], outcomes[-1] if outcomes else None
    if case.visible or not case.budgets or not isinstance(last, Ran):
        return {}
    return {name: last.counters[name] for name in COUNTERS}


def _verdict(
    exercise: course.Exercise,
    results: list[CaseResult],
    device: str,
    seed: int,
    counters: Mapping[str, int] = MappingProxyType({}),
    diagnostics: tuple[Diagnostic, ...] = (),
) -> Verdict:
    cases = told_once(results)
    failure = foremost(cases)
    return Verdict(
        exercise=exercise.id,
        points=sum(case.points for case in cases),
        max_points=exercise.points,
        status=failure.status if failure else Status.PASSED,
        message=failure.message if failure else "",
        line=failure.line if failure else None,
        cases=cases,
        diagnostics=diagnostics,
        counters=dict(counters),
        device=device,
        seed=seed,
        compiler=compilers.chosen_name(),
        kind=exercise.kind.name,
    )
