"""What an answer gets whose only fault is one that the lesson names.

It gets a part, which the mistake `leaves`, of what it would get without the fault. That is judged,
not assumed: cases that a hazard ended are run once more past it, and must leave what is right in
every order that the judge tries; what a wrong answer leaves must be just what the mistake leaves;
and budgets, requirements and bans hold as ever.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from msgspec import structs

from ..counted import counted
from ..status import Status
from . import arrangement, compare, faults, sizes, technique
from .cases import CaseInstance, instantiate
from .faults import NamedFault
from .judged import Judged
from .protocol import OTHER_ORDERS, Ran, Reply
from .session import Session
from .verdict import CaseResult, Partial, Verdict
from .words import Words

Pair = tuple[CaseInstance, Ran]  # a case, and what a kernel left in it
Mended = tuple[NamedFault, tuple[CaseResult, ...]]  # a fault, and the results without it


def said(verdict: Verdict) -> str:
    """How the points of a verdict with a named fault came about; "" of all others."""
    part = verdict.partial
    if part is None:
        return ""
    status = verdict.status.replace("_", " ")
    where = f"{status}, line {verdict.line}" if verdict.line else status
    return (
        f"{verdict.points:g} of {verdict.max_points:g}: one fault, '{part.mistake}' ({where}); it "
        f"leaves {100 * part.leaves:g} % of the {counted(part.of, 'point')} that the rest is worth."
    )


def with_part(judged: Judged) -> Judged:
    """The verdict with what its one named fault leaves, where that is more than its passed cases
    are worth."""
    verdict, lesson, exercise = judged.verdict, judged.lesson, judged.exercise
    assert verdict is not None, "the results are summed up"
    known = faults.known(lesson.path, exercise.name, verdict.compiler)
    results = {one.name: one for one in verdict.cases if one.name != sizes.NAME}
    fitting = [one for one in known if _fits(one, results)]
    if not fitting or arrangement.changed(exercise, lesson.handed_out(exercise), judged.source):
        return judged
    is_hazard = verdict.status in faults.HAZARDS
    mended = (_past_the_hazard if is_hazard else _beside_the_mistake)(judged, fitting)
    if mended is None:
        return judged
    fault, points = mended
    whole = {**results, **{one.name: one for one in points}}
    of = sum(one.points for one in whole.values())
    if all(one.status == Status.PASSED for one in whole.values()):
        of += exercise.size_points
    granted = round(fault.leaves * of, 2)
    if granted <= verdict.points:
        return judged
    part = Partial(fault.mistake, fault.leaves, of)
    return replace(judged, verdict=replace(verdict, points=granted, partial=part))


def _fits(fault: NamedFault, results: dict[str, CaseResult]) -> bool:
    """Whether the cases that fail are those that fail with the fault, each with its status."""
    failed = [one for one in results.values() if one.name in fault.cases]
    return bool(failed) and all(
        one.status == fault.status if one.name in fault.cases else one.status in sizes.MAY_PASS
        for one in results.values()
    )


def _past_the_hazard(judged: Judged, known: list[NamedFault]) -> Mended | None:
    """The fault whose causes are just those of the answer, and the results without it; None where
    no fault's are, or something is wrong beside it."""
    assert judged.verdict is not None, "the caller has it"
    again = _run_again(judged, known[0], judged.seed, judged.verdict.status)
    results = _results(again, again.instances, again.outcomes)
    if any(one.status not in sizes.MAY_PASS for one in results):
        return None
    causes = {
        one.case.name: ran.causes
        for one, ran in zip(again.instances, again.outcomes, strict=True)
        if isinstance(ran, Ran) and _ran_in_other_orders(ran)
    }
    if len(causes) < len(again.outcomes):
        return None
    alike = [one for one in known if all(tuple(one.cases[name]) == causes[name] for name in causes)]
    return _least(alike, results)


def _beside_the_mistake(judged: Judged, known: list[NamedFault]) -> Mended | None:
    """The fault that leaves just what the answer leaves, and the results by what it costs.

    What is kept of a fault can be read, with the inputs that it is of. So the lesson's own kernel
    with the fault is run, too, with the verdict's inputs; a learner's copy of a lesson, which has
    no solutions, has no such kernel either."""
    again = _run_again(judged, known[0], faults.SEED)
    pairs = _pairs(again)
    alike = [
        fault
        for fault in known
        if pairs and all(faults.is_left(fault.cases[one.case.name], one, its) for one, its in pairs)
    ]
    if alike and judged.exercise.solved:
        again = _run_again(judged, alike[0], judged.seed)
        pairs = _pairs(again)
        alike = [fault for fault in alike if pairs and _leaves_the_same(judged, fault, pairs)]
    if not alike:
        return None
    results = _results(again, *zip(*(_as_left(*pair) for pair in pairs), strict=True))
    right = all(one.status in sizes.MAY_PASS for one in results)
    return _least(alike, results) if right else None


def _leaves_the_same(judged: Judged, fault: NamedFault, pairs: list[Pair]) -> bool:
    """Whether a kernel of the lesson with that fault leaves what the answer left."""
    for wrong in judged.lesson.wrong_kernels:
        if (wrong.exercise, wrong.mistake) == (judged.exercise.name, fault.mistake):
            with Session(wrong.source, judged.limits, judged.allowed) as session:
                theirs = _pairs(_run_again(replace(judged, session=session), fault, judged.seed))
            left = [faults.left_wrong(*one) for one in theirs]
            if left and all(map(faults.is_left, left, *zip(*pairs, strict=True))):
                return True
    return False


def _pairs(again: Judged) -> list[Pair]:
    """The cases that were run again, and what each left; nothing if one did not come to its end."""
    ran = [one for one in again.outcomes if isinstance(one, Ran)]
    return list(zip(again.instances, ran, strict=True)) if len(ran) == len(again.outcomes) else []


def _run_again(judged: Judged, fault: NamedFault, seed: int, tolerated: str = "") -> Judged:
    """The cases of a fault, run once more."""
    assert judged.verdict is not None, "the caller has it"
    ran = {one.name for one in judged.verdict.cases}
    instances = tuple(
        replace(one, tolerated=tolerated)
        for one in instantiate(judged.exercise, seed, hidden=True)
        if one.case.name in fault.cases and one.case.name in ran
    )
    solution = judged.lesson.solution(judged.exercise)
    words = tuple(Words(judged.source, solution, one.problem) for one in instances)
    outcomes = tuple(judged.session.run(instances))
    return replace(judged, instances=instances, words=words, outcomes=outcomes)


def _results(
    again: Judged, compared: Sequence[CaseInstance], left: Sequence[Reply]
) -> tuple[CaseResult, ...]:
    """The results of cases, whose arrays are `compared` with what was `left`."""
    rows = zip(compared, left, again.words, strict=True)
    results = tuple(compare.on_simulator(*row) for row in rows)
    return technique.kept_to(replace(again, results=results)).results


def _ran_in_other_orders(ran: Ran) -> bool:
    """Whether a case came to its end also with the first threads first, and with the last."""
    orders = {name.rpartition("/")[0] for name in ran.arrays}
    return orders.issuperset(OTHER_ORDERS)


def _as_left(instance: CaseInstance, ran: Ran) -> tuple[CaseInstance, Ran]:
    """A case for which all is right that a run has left, and the run as if it had written all."""
    problem, arrays = instance.problem, ran.arrays
    inputs = {name: arrays[f"input/{name}"] for name in problem.inputs}
    outputs = {
        name: replace(one, value=arrays[f"output/{name}"].astype(one.value.dtype))
        for name, one in problem.outputs.items()
    }
    every = {f"written/{name}": np.ones(one.value.shape, bool) for name, one in outputs.items()}
    right = replace(instance, problem=replace(problem, inputs=inputs, outputs=outputs))
    return right, structs.replace(ran, arrays=arrays | every)


def _least(known: list[NamedFault], results: tuple[CaseResult, ...]) -> Mended | None:
    """Of several faults that look alike, the one that leaves least."""
    return (min(known, key=lambda one: one.leaves), results) if known else None
