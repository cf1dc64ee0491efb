"""What an answer gets whose only fault is one that the lesson names.

A mistake of mistakes.toml is known again by the cases that fail, their status, and in each

- for a hazard, its causes: what the threads did, in a loop or not, and to which array;
- for a wrong answer, how many elements are wrong and what some of them hold, with inputs that are
  the same each time.

No text takes part, neither of the source nor of a message, and no line's number. `known_faults`
measures them when a lesson is built, with each compiler, into faults.json and faults.clang.json.

The answer gets a part, which the mistake `leaves`, of what it would get without the fault. That is
judged, not assumed: cases that a hazard ended are run once more past it, and must leave what is
right in every order that the judge tries; what a wrong answer leaves must be just what the mistake
leaves; and budgets, requirements and bans hold as ever.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from ..compilers.lexer import tokens
from ..course import Expected, solution_counts
from ..errors import counted
from ..status import Status
from . import arrangement, compare, sizes, technique
from .cases import CaseInstance, drawn
from .protocol import OTHER_ORDERS, Ran, Reply
from .session import Judged, Session
from .verdict import CaseResult, Partial, Verdict

KEPT_IN = "faults"
SEED = 33  # what the inputs of wrong answers are drawn from, when they are kept and compared
ROUNDED = 16  # times the spacing of floats at 1: what another order of additions can change
SAMPLES = 6  # wrong elements of an array that are kept
HAZARDS = {
    Status.DATA_RACE,
    Status.BARRIER_DIVERGENCE,
    Status.SHUFFLE_DIVERGENCE,
    Status.UNINITIALIZED_READ,
}

Sample = tuple[int, float | str | None]  # an element's index, and what it holds; None: unwritten
Wrong = tuple[str, int, tuple[Sample, ...]]  # an array, its wrong elements, some of them
Finding = tuple[Any, ...]  # a hazard's causes, each a str, or what is wrong, each a `Wrong`


@dataclass(frozen=True)
class NamedFault:
    """A named mistake: `mistake` in words, the `status` of the `cases` that fail with it, what is
    found in each, and which part of the points it `leaves`."""

    mistake: str
    status: str
    leaves: float
    cases: Mapping[str, Finding]


Pair = tuple[CaseInstance, Ran]  # a case, and what a kernel left in it
Mended = tuple[NamedFault, tuple[CaseResult, ...]]  # a fault, and the results without it


def known(lesson: Path, exercise: str, compiler: str) -> tuple[NamedFault, ...]:
    """The faults that are known of an exercise, from the lesson's folder."""
    return msgspec.convert(
        solution_counts.kept(lesson, compiler, KEPT_IN).get(exercise, ()), tuple[NamedFault, ...]
    )


def left_wrong(instance: CaseInstance, ran: Ran) -> tuple[Wrong, ...]:
    """What a run has left wrong: each array with wrong elements, how many, and some of them."""
    return tuple(
        (
            name,
            len(wrong),
            tuple(
                (int(at), _value(now, written, at))
                for at in wrong[
                    np.linspace(0, len(wrong) - 1, min(SAMPLES, len(wrong))).astype(int)
                ]
            ),
        )
        for name, expected, now, written in _arrays(instance, ran)
        if len(wrong := np.flatnonzero(~(compare.right(expected, now) & written)))
    )


def is_left(kept: Finding, instance: CaseInstance, ran: Ran) -> bool:
    """Whether a run has left wrong what was `kept` of another one, as far as rounding can tell."""
    now = left_wrong(instance, ran)
    if [one[:2] for one in now] != [tuple(one[:2]) for one in kept]:
        return False
    arrays = {name: (expected, held) for name, expected, held, _ in _arrays(instance, ran)}
    return all(
        _alike(arrays[name], sample, other)
        for (name, _, samples), (_, _, others) in zip(now, kept, strict=True)
        for sample, other in zip(samples, others, strict=True)
    )


def _arrays(
    instance: CaseInstance, ran: Ran
) -> Iterator[tuple[str, Expected, np.ndarray, np.ndarray]]:
    """Each array that a case is judged by: its name, what it should hold, holds, and where it was
    written."""
    problem = instance.problem
    for name, before in problem.inputs.items():
        now = ran.arrays[f"input/{name}"]
        yield name, Expected(before, before.dtype), now, np.ones(now.shape, bool)
    yield from (
        (name, expected, ran.arrays[f"output/{name}"], ran.arrays[f"written/{name}"])
        for name, expected in problem.outputs.items()
    )


def _value(now: np.ndarray, written: np.ndarray, at: int) -> float | str | None:
    """What JSON can hold of an element."""
    value = float(now.flat[at])
    return (value if np.isfinite(value) else str(value)) if written.flat[at] else None


def _alike(array: tuple[Expected, np.ndarray], sample: Sample, other: Sample) -> bool:
    """Whether two runs left the same in an element: its tolerance is twice that of a case.
    A case may allow less than rounding does: its tolerance is relative to what is right, and a
    wrong element can be far larger."""
    expected, now = array
    (at, mine), (there, theirs) = sample, other
    if at != there or mine is None or theirs is None:
        return at == there and mine is theirs
    value = np.array(float(theirs), expected.value.dtype)
    atol = 2 * np.broadcast_to(expected.atol, now.shape).flat[at]
    rtol = max(2 * expected.rtol, ROUNDED * np.finfo(now.dtype).eps if now.dtype.kind == "f" else 0)
    return bool(compare.right(Expected(value, now.dtype, atol, rtol), np.array(float(mine))))


def said(verdict: Verdict) -> str:
    """How the points of a verdict with a named fault came about; "" of all others."""
    part = verdict.partial
    if part is None:
        return ""
    status = verdict.status.replace("_", " ")
    where = f"{status}, line {verdict.line}" if verdict.line else status
    return (
        f"{verdict.points:g} of {verdict.max_points:g} points. "
        f"One fault ({where}){f': {part.mistake}' if part.mistake else ''}. "
        f"All else is right, so {100 * part.leaves:g} % of {counted(part.of, 'point')} remain."
    )


def with_part(judged: Judged, verdict: Verdict) -> Verdict:
    """The verdict with what its one named fault leaves, where that is more than its passed cases
    are worth."""
    lesson, exercise = judged.lesson, judged.exercise
    results = {one.name: one for one in verdict.cases if one.name != sizes.NAME}
    called = {one.own_name or one.name: one.name for one in exercise.cases}
    fitting = [
        fault
        for one in known(lesson.path, exercise.name, verdict.compiler)
        for cases in [{called.get(name, name): left for name, left in one.cases.items()}]
        for fault in [replace(one, cases=cases)]
        if _fits(fault, results)
    ]
    if not fitting or arrangement.changed(exercise, lesson.handed_out(exercise), judged.source):
        return verdict
    mended = (
        _past_the_hazard(judged, fitting, verdict.status)
        if verdict.status in HAZARDS
        else _beside_the_mistake(judged, fitting)
    )
    if mended is None:
        return verdict
    fault, points = mended
    whole = {**results, **{one.name: one for one in points}}
    all_pass = all(one.status == Status.PASSED for one in whole.values())
    of = sum(one.points for one in whole.values()) + (exercise.size_points if all_pass else 0)
    granted = round(fault.leaves * of, 2)
    return (
        verdict
        if granted <= verdict.points
        else replace(verdict, points=granted, partial=Partial(fault.mistake, fault.leaves, of))
    )


def with_part_of(first: Verdict, explained: Verdict) -> Verdict:
    """The explained verdict with the part that the first one grants. Where the hardware has failed
    a case, there is more than one fault."""
    same = [one.status for one in first.cases] == [one.status for one in explained.cases]
    return replace(explained, points=first.points, partial=first.partial) if same else explained


def _fits(fault: NamedFault, results: dict[str, CaseResult]) -> bool:
    """Whether the cases that fail are those that fail with the fault, each with its status."""
    return not fault.cases.keys().isdisjoint(results) and all(
        one.status == fault.status if one.name in fault.cases else one.status in sizes.MAY_PASS
        for one in results.values()
    )


def _past_the_hazard(judged: Judged, known: list[NamedFault], status: Status) -> Mended | None:
    """The fault whose causes are just those of the answer, and the results without it; None where
    no fault's are, or something is wrong beside it. One case is enough to show that."""
    results: tuple[CaseResult, ...] = ()
    names = _cheapest_first(judged, known[0])
    for some in filter(None, (names[:1], names[1:])):
        again = _run_again(judged, some, judged.seed, status)
        results += _results(again, again.instances, again.outcomes)
        if any(one.status not in sizes.MAY_PASS for one in results):
            return None
        causes = {
            one.case.name: ran.causes
            for one, ran in zip(again.instances, again.outcomes, strict=True)
            if isinstance(ran, Ran)
            and {name.rpartition("/")[0] for name in ran.arrays}.issuperset(OTHER_ORDERS)
        }
        known = [one for one in known if all(tuple(one.cases[at]) == causes[at] for at in causes)]
        if len(causes) < len(again.outcomes) or not known:
            return None
    return _least(known, results)


def _beside_the_mistake(judged: Judged, known: list[NamedFault]) -> Mended | None:
    """The fault that leaves just what the answer leaves, and the results by what it costs.

    What is kept of a fault can be read, with the inputs that it is of. So the cheapest case says
    which fault it may be, and then the lesson's own kernel with the fault must leave what the
    answer left in every case. A learner's copy of a lesson, which has no solutions, has no such
    kernel: there every case is run with the inputs that are kept."""
    names = _cheapest_first(judged, known[0])
    kept = _pairs(_run_again(judged, names[:1] if judged.exercise.solved else names, SEED))
    alike = [
        fault
        for fault in known
        if kept and all(is_left(fault.cases[one.case.name], one, its) for one, its in kept)
    ]
    rows = {
        row[0].case.name: row
        for row in zip(judged.instances, judged.outcomes, judged.words, strict=True)
    }
    instances, outcomes, words = zip(*map(rows.__getitem__, names), strict=True)
    answer = replace(judged, instances=instances, outcomes=outcomes, words=words)
    pairs = _pairs(answer)
    if judged.exercise.solved:
        alike = [fault for fault in alike if pairs and _leaves_the_same(judged, fault, pairs)]
    if not alike or not pairs:
        return None
    results = _results(answer, *zip(*(_as_left(*pair) for pair in pairs), strict=True))
    return _least(alike, results) if all(one.status in sizes.MAY_PASS for one in results) else None


def _leaves_the_same(judged: Judged, fault: NamedFault, pairs: list[Pair]) -> bool:
    """Whether a kernel of the lesson with that fault leaves what the answer left: it does if it is
    the same text but for comments and white space, and is run otherwise."""
    sources = [
        wrong.source
        for wrong in judged.lesson.wrong_kernels
        if (wrong.exercise, wrong.mistake) == (judged.exercise.name, fault.mistake)
    ]
    answer = tokens(judged.source)[0]
    return any(tokens(source)[0] == answer for source in sources) or any(
        _leaves_these(judged, source, pairs) for source in sources
    )


def _leaves_these(judged: Judged, source: str, pairs: list[Pair]) -> bool:
    """Whether a kernel leaves the same of some cases as a run did; the first one can show that it
    does not."""
    with Session(source, judged.limits, judged.allowed) as session:
        return all(
            isinstance(theirs, Ran) and is_left(left_wrong(one, theirs), one, ran)
            for some in filter(None, (pairs[:1], pairs[1:]))
            for (one, ran), theirs in zip(
                some, session.run(tuple(one for one, _ in some)), strict=True
            )
        )


def _pairs(again: Judged) -> list[Pair]:
    """The cases that were run again, and what each left; nothing if one did not come to its end."""
    ran = [one for one in again.outcomes if isinstance(one, Ran)]
    return list(zip(again.instances, ran, strict=True)) if len(ran) == len(again.outcomes) else []


def _cheapest_first(judged: Judged, fault: NamedFault) -> list[str]:
    """The cases of a fault that were run."""
    return sorted(
        (one.case.name for one in judged.instances if one.case.name in fault.cases),
        key=lambda name: judged.allowed.get(name, 0),
    )


def _run_again(judged: Judged, names: list[str], seed: int, tolerated: str = "") -> Judged:
    """Some cases, run once more."""
    return judged.run(
        tuple(
            replace(one, tolerated=tolerated) for one in drawn(judged.exercise, seed, True, names)
        )
    )


def _results(
    again: Judged, compared: Sequence[CaseInstance], left: Sequence[Reply]
) -> tuple[CaseResult, ...]:
    """The results of cases, whose arrays are `compared` with what was `left`."""
    return technique.kept_to(
        replace(again, results=tuple(map(compare.on_simulator, compared, left, again.words)))
    ).results


def _as_left(instance: CaseInstance, ran: Ran) -> tuple[CaseInstance, Ran]:
    """A case for which all is right that a run has left, and the run as if it had written all."""
    problem, arrays = instance.problem, ran.arrays
    inputs = {name: arrays[f"input/{name}"] for name in problem.inputs}
    outputs = {
        name: replace(one, value=arrays[f"output/{name}"].astype(one.value.dtype))
        for name, one in problem.outputs.items()
    }
    every = {f"written/{name}": np.ones(one.value.shape, bool) for name, one in outputs.items()}
    return (
        replace(instance, problem=replace(problem, inputs=inputs, outputs=outputs)),
        msgspec.structs.replace(ran, arrays=arrays | every),
    )


def _least(known: list[NamedFault], results: tuple[CaseResult, ...]) -> Mended | None:
    """Of several faults that look alike, the one that leaves least."""
    return (min(known, key=lambda one: one.leaves), results) if known else None
