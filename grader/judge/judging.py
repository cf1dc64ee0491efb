"""judge(): the one way from a source text to a verdict."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from .. import course, cuda
from ..cuda.sanitize import encodable, one_line_end
from . import compare, steps
from .blank import is_blank
from .cases import Drawn, draw
from .process import Answer, Limits, run_on_gpu, simulate
from .verdict import CaseResult, Verdict, told_once
from .words import Words

STANDARD_LIMITS = Limits()
LONGEST_SOURCE = 100_000  # characters
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
    if len(source) > LONGEST_SOURCE:
        return _verdict(exercise_id, _too_long(source, exercise, hidden), {}, "simulator", seed)
    if is_blank(source, lesson.solution(exercise)):
        results = _unheard(exercise, hidden, "not_attempted", NOT_ATTEMPTED)
        return _verdict(exercise_id, results, {}, "simulator", seed)
    drawn = draw(exercise, seed, hidden)
    answers = simulate(source, drawn, limits, steps.of_solution(lesson, exercise))
    words = [Words(source, lesson.solution(exercise), one.problem) for one in drawn]
    results = [compare.on_simulator(*row) for row in zip(drawn, answers, words, strict=True)]
    diagnostics = answers[0].diagnostics if answers else ()
    counters = _counters(drawn, answers, results)
    if cuda.device == "gpu":
        results = _confirmed(source, drawn, results, words, limits)
    verdict = _verdict(exercise_id, results, counters, cuda.device, seed)
    return replace(verdict, diagnostics=diagnostics)


def _too_long(source: str, exercise: course.Exercise, hidden: bool) -> list[CaseResult]:
    message = (
        f"The source has {len(source):,} characters, and no kernel here needs more than "
        f"{LONGEST_SOURCE:,}: hand in the kernel alone."
    )
    return _unheard(exercise, hidden, "compile_error", message)


def _unheard(
    exercise: course.Exercise, hidden: bool, status: str, message: str
) -> list[CaseResult]:
    """The results of a source that is not even compiled."""
    cases = [case for case in exercise.cases if case.visible or hidden]
    return [compare.failed(case, status, message) for case in cases]


def _confirmed(
    source: str,
    drawn: tuple[Drawn, ...],
    results: list[CaseResult],
    words: list[Words],
    limits: Limits,
) -> list[CaseResult]:
    """`results`, with those that passed replaced by what the hardware makes of the same case."""
    passed = [index for index, result in enumerate(results) if result.status == "passed"]
    answers = run_on_gpu(source, tuple(drawn[index] for index in passed), limits)
    confirmed = list(results)
    for index, answer in zip(passed, answers, strict=True):
        confirmed[index] = compare.on_gpu(drawn[index], answer, words[index])
    return confirmed


def _counters(
    drawn: tuple[Drawn, ...], answers: list[Answer], results: list[CaseResult]
) -> dict[str, int]:
    """Totals over the last passed case with a budget, or over the last case if it ran."""
    rows = zip(reversed(drawn), reversed(answers), reversed(results), strict=True)
    budgeted = (
        answer.counters
        for one, answer, result in rows
        if one.case.budgets and result.status == "passed"
    )
    ran = [answer.counters for answer in answers[-1:] if answer.status == "ran"]
    return next(budgeted, ran[0] if ran else {})


def _verdict(
    exercise_id: str, results: list[CaseResult], counters: dict[str, int], device: str, seed: int
) -> Verdict:
    results = told_once(results)
    failure = next((result for result in results if result.status != "passed"), None)
    return Verdict(
        exercise=exercise_id,
        points=sum(result.points for result in results),
        max_points=sum(result.max_points for result in results),
        status=failure.status if failure else "passed",
        message=failure.message if failure else "",
        line=failure.line if failure else None,
        cases=results,
        counters=counters,
        device=device,
        seed=seed,
    )
