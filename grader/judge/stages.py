"""What is done with an answer, one stage after the other, from a source text to a verdict.

A stage takes what is known of an answer and returns it with more known; it leaves alone what does
not concern it, such as an answer that is not even compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .. import compilers, cuda
from ..course.model import COUNTERS
from ..cuda.diagnostics import summary
from ..say import verdict_answers as say
from ..status import Status
from . import arrangement, compare, hazards, technique
from . import cases as scenes
from . import partial as partial_marks
from . import sizes as every_size
from .cases import instantiate
from .explaining import places
from .explaining.explanation import explained
from .explaining.telling import Pair
from .judged import Judged
from .protocol import Failed, Ran
from .session import run_on_gpu
from .stepped import stepped
from .verdict import CaseResult, Verdict, foremost, told_once
from .words import Words

LONGEST_SOURCE = 100_000  # characters
_TOO_LONG = (
    "The source has {:,} characters, and no kernel here needs more than {:,}: hand in the kernel "
    "alone."
)
NOT_ATTEMPTED = "Nothing is written here yet: the kernel is as it was handed out."


def blank(judged: Judged) -> Judged:
    """A source that is too long, or that nobody has written anything in, is not even compiled."""
    exercise, source = judged.exercise, judged.source
    if len(source) > LONGEST_SOURCE:
        status, message = Status.COMPILE_ERROR, _TOO_LONG.format(len(source), LONGEST_SOURCE)
    elif arrangement.is_blank(source, judged.lesson.handed_out(exercise)):
        status, message = Status.NOT_ATTEMPTED, NOT_ATTEMPTED
    else:
        return judged
    cases = [case for case in exercise.cases if case.visible or judged.hidden]
    return replace(judged, results=tuple(compare.failed(case, status, message) for case in cases))


def run(judged: Judged) -> Judged:
    """The cases are drawn while the source is compiled, and run on the simulated device."""
    if judged.results:
        return judged
    judged.session.start()
    instances = instantiate(judged.exercise, judged.seed, judged.hidden)
    solution = judged.lesson.solution(judged.exercise)
    words = tuple(Words(judged.source, solution, one.problem) for one in instances)
    outcomes = tuple(judged.session.run(instances))
    return replace(judged, instances=instances, outcomes=outcomes, words=words)


def compared(judged: Judged) -> Judged:
    """What each case left is held against what is expected."""
    if not judged.instances:
        return judged
    names_the_dearest = judged.exercise.kind.names_the_dearest_line
    rows = zip(judged.instances, judged.outcomes, judged.words, strict=True)
    results = tuple(
        hazards.on_simulator(*row)
        if row[0].case.hazard
        else compare.on_simulator(*row, names_the_dearest)
        for row in rows
    )
    judged = replace(judged, results=results)
    return replace(judged, counters=_counters(judged))


def _counters(judged: Judged) -> dict[str, int]:
    """Totals over the last passed case with a budget, a visible one if there is one, or over the
    last case."""
    rows = zip(judged.instances, judged.outcomes, judged.results, strict=True)
    budgeted = [
        (one.case.visible, outcome)
        for one, outcome, result in rows
        if one.case.budgets and result.status == Status.PASSED
    ]
    visible = [outcome for seen, outcome in budgeted if seen]
    last = [*judged.outcomes[-1:], *(outcome for _, outcome in budgeted), *visible][-1]
    return last.counters if isinstance(last, Ran) else {}


def arranged(judged: Judged) -> Judged:
    """Cases that passed fail where what was given is not as it must be."""
    if not judged.instances:
        return judged
    handed_out = judged.lesson.handed_out(judged.exercise)
    changed = arrangement.changed(judged.exercise, handed_out, judged.source)
    if changed is None:
        return judged
    cases = [one.case for one in judged.instances]
    return judged.with_passed(lambda at, _: compare.failed(cases[at], Status.OVER_BUDGET, *changed))


def explain(judged: Judged) -> Judged:
    """The first case that failed is explained if it may be seen, and is a wrong answer or an index
    that leaves an array. What goes wrong although it must not is told without advice."""
    at = judged.first_failed
    if judged.exercise.solved and judged.instances and at is not None:
        judged = _explained(judged, at)
    if judged.instances and judged.exercise.kind.goes_wrong:
        rows = zip(judged.instances, judged.outcomes, judged.results, strict=True)
        judged = replace(judged, results=tuple(hazards.too_far(*row) for row in rows))
    return judged


def _explained(judged: Judged, at: int) -> Judged:
    instance, outcome, result = judged.instances[at], judged.outcomes[at], judged.results[at]
    if not result.visible or instance.case.hazard:
        return judged
    if result.status == Status.OUT_OF_BOUNDS:
        said = places.beyond_an_array(judged, at)
        return judged.with_result(at, replace(result, message=f"{result.message} {said}".rstrip()))
    wrong = None
    if result.status == Status.WRONG_ANSWER and isinstance(outcome, Ran):
        wrong = compare.first_wrong(instance, outcome)
    if wrong is None:
        return judged
    both = judged.session, judged.ours
    made = [session.follow(instance, (wrong.element,)) for session in both]
    if not all(made):
        return judged
    (mine,), (ours,) = made
    pair = Pair(wrong, mine, ours)
    if pair.of_another_place and wrong.others:
        others = [session.follow(instance, wrong.others) for session in both]
        pair = replace(pair, others=tuple(zip(*others, strict=False)))
    result = explained(result, pair, judged.words[at])
    if mine.stored:
        result = scenes.in_block(result, instance.problem, mine.stored.block)
    return judged.with_result(at, result)


def hardware(judged: Judged) -> Judged:
    """Cases that passed get what this machine's GPU makes of them, if there is one."""
    if not judged.instances or judged.exercise.kind.goes_wrong:
        return judged
    judged = replace(judged, device=cuda.device)
    if cuda.device != "gpu":
        return judged
    passed = [at for at, one in enumerate(judged.results) if one.status == Status.PASSED]
    instances = tuple(judged.instances[at] for at in passed)
    outcomes = run_on_gpu(judged.source, instances, judged.limits)
    by_place = dict(zip(passed, outcomes, strict=True))

    def confirmed(at: int, _: CaseResult) -> CaseResult:
        return compare.on_gpu(judged.instances[at], by_place[at], judged.words[at])

    return judged.with_passed(confirmed)


def warnings(judged: Judged) -> Judged:
    """The first case that failed tells what the compiler has doubted in the source."""
    doubts = summary(judged.outcomes[0].warnings) if judged.outcomes else ""
    at = judged.first_failed
    if not doubts or at is None:
        return judged
    result = judged.results[at]
    message = say.with_doubts(result.message, doubts)
    return judged.with_result(at, replace(result, message=message))


def summed(judged: Judged) -> Judged:
    """The results make a verdict. A contest compares the counters of the last case, if that one is
    hidden, has a budget, and passed."""
    exercise, cases = judged.exercise, told_once(judged.results)
    failure = foremost(cases)
    first = judged.outcomes[0] if judged.outcomes else None
    last = judged.outcomes[-1] if judged.outcomes else None
    is_contest = judged.hidden and exercise.cases[-1].budgets and not exercise.cases[-1].visible
    contest = {}
    if is_contest and isinstance(last, Ran) and cases[-1].points:
        contest = {name: last.counters[name] for name in COUNTERS}
    verdict = Verdict(
        exercise=exercise.id,
        points=sum(case.points for case in cases),
        max_points=exercise.points,
        status=failure.status if failure else Status.PASSED,
        message=failure.message if failure else "",
        line=failure.line if failure else None,
        cases=cases,
        diagnostics=first.diagnostics if isinstance(first, Failed) else (),
        counters=dict(judged.counters),
        contest=contest,
        device=judged.device,
        seed=judged.seed,
        compiler=compilers.chosen_name(),
        kind=exercise.kind.name,
    )
    return replace(judged, verdict=verdict)


def sizes(judged: Judged) -> Judged:
    """The case of sizes that no other case tries comes last."""
    if not judged.wants_sizes or judged.verdict is None:
        return judged
    exercise, source, limits = judged.exercise, judged.source, judged.limits
    verdict = every_size.looked_for(judged.verdict, exercise, source, limits)
    return replace(judged, verdict=verdict)


def partial(judged: Judged) -> Judged:
    """One fault that the lesson names leaves a part of the points."""
    return partial_marks.with_part(judged) if judged.wants_part else judged


def steps(judged: Judged) -> Judged:
    """A visible case that failed gets the steps that led there, told by one run more."""
    return stepped(judged) if judged.wants_steps else judged


STAGES: tuple[Callable[[Judged], Judged], ...] = (
    blank,
    run,
    compared,
    arranged,
    technique.kept_to,
    explain,
    hardware,
    warnings,
    summed,
    sizes,
    partial,
    steps,
)
