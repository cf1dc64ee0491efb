"""What an answer gets whose only fault is one that the lesson names.

It gets a part, which the mistake `leaves`, of what it would get without the fault. That is judged,
not assumed: cases that a hazard ended are run once more past it, and must leave what is right in
every order that the judge tries; what a wrong answer leaves must be just what the mistake leaves;
and budgets, requirements and bans hold as ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from msgspec import structs

from ..counted import counted
from ..course import Exercise, Lesson
from ..status import Status
from . import arrangement, compare, faults, sizes, technique
from .cases import CaseInstance, instantiate
from .faults import NamedFault
from .protocol import OTHER_ORDERS, Ran
from .running.limits import Limits
from .running.process import simulate
from .running.replies import Outcome
from .verdict import CaseResult, Partial, Verdict
from .words import Words


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


def with_part(
    verdict: Verdict, lesson: Lesson, exercise: Exercise, source: str, limits: Limits
) -> Verdict:
    """`verdict` with what its one named fault leaves, where that is more than its passed cases are
    worth."""
    known = faults.known(lesson.path, exercise.name, verdict.compiler)
    results = {one.name: one for one in verdict.cases if one.name != sizes.NAME}
    fitting = [one for one in known if _fits(one, results)]
    if not fitting or arrangement.changed(exercise, lesson.handed_out(exercise), source):
        return verdict
    again = _Again(source, lesson, exercise, limits, verdict)
    is_hazard = verdict.status in faults.HAZARDS
    mended = again.past_the_hazard(fitting) if is_hazard else again.beside_the_mistake(fitting)
    if mended is None:
        return verdict
    fault, points = mended
    whole = {**results, **{one.name: one for one in points}}
    of = sum(one.points for one in whole.values())
    if all(one.status == Status.PASSED for one in whole.values()):
        of += exercise.size_points
    granted = round(fault.leaves * of, 2)
    if granted <= verdict.points:
        return verdict
    return replace(verdict, points=granted, partial=Partial(fault.mistake, fault.leaves, of))


def _fits(fault: NamedFault, results: dict[str, CaseResult]) -> bool:
    """Whether the cases that fail are those that fail with the fault, each with its status."""
    failed = [one for one in results.values() if one.name in fault.cases]
    return bool(failed) and all(
        one.status == fault.status if one.name in fault.cases else one.status in sizes.MAY_PASS
        for one in results.values()
    )


@dataclass(frozen=True)
class _Again:
    """An answer's failed cases, run once more."""

    source: str
    lesson: Lesson
    exercise: Exercise
    limits: Limits
    verdict: Verdict

    def past_the_hazard(
        self, known: list[NamedFault]
    ) -> tuple[NamedFault, list[CaseResult]] | None:
        """The fault whose causes are just those of the answer, and the results without it; None
        where no fault's are, or something is wrong beside it."""
        failing = self._failing(known[0], self.verdict.seed)
        instances = tuple(replace(one, tolerated=self.verdict.status) for one in failing)
        outcomes = simulate(self.source, instances, self.limits, self._allowed)
        results = self._results(instances, outcomes, instances, outcomes)
        if any(one.status not in sizes.MAY_PASS for one in results):
            return None
        causes = {
            one.case.name: ran.causes
            for one, ran in zip(instances, outcomes, strict=True)
            if isinstance(ran, Ran) and _ran_in_other_orders(ran)
        }
        if len(causes) < len(outcomes):
            return None
        alike = [
            one for one in known if all(tuple(one.cases[name]) == causes[name] for name in causes)
        ]
        return _least(alike, results)

    def beside_the_mistake(
        self, known: list[NamedFault]
    ) -> tuple[NamedFault, list[CaseResult]] | None:
        """The fault that leaves just what the answer leaves, and the results by what it costs.
        What is kept of a fault can be read, with the inputs that it is of. So the lesson's own
        kernel with the fault is run, too, with the verdict's inputs; a learner's copy of a lesson,
        which has no solutions, has no such kernel either."""
        pairs = self._pairs(self.source, known[0], faults.SEED)
        alike = [
            fault
            for fault in known
            if pairs
            and all(faults.is_left(fault.cases[one.case.name], one, its) for one, its in pairs)
        ]
        if alike and self.exercise.solved:
            pairs = self._pairs(self.source, alike[0], self.verdict.seed)
            alike = [fault for fault in alike if pairs and self._leaves_the_same(fault, pairs)]
        if not alike:
            return None
        instances, ran = zip(*pairs, strict=True)
        as_left = [_as_left(one, its) for one, its in pairs]
        results = self._results(instances, list(ran), *zip(*as_left, strict=True))
        right = all(one.status in sizes.MAY_PASS for one in results)
        return _least(alike, results) if right else None

    def _leaves_the_same(self, fault: NamedFault, pairs: list[tuple[CaseInstance, Ran]]) -> bool:
        """Whether a kernel of the lesson with that fault leaves what the answer left."""
        named = self.exercise.name, fault.mistake
        for wrong in self.lesson.wrong_kernels:
            if (wrong.exercise, wrong.mistake) == named:
                theirs = self._pairs(wrong.source, fault, self.verdict.seed)
                left = [faults.left_wrong(*one) for one in theirs]
                if left and all(map(faults.is_left, left, *zip(*pairs, strict=True))):
                    return True
        return False

    def _pairs(self, source: str, fault: NamedFault, seed: int) -> list[tuple[CaseInstance, Ran]]:
        """The cases that fail with a fault, and what a source leaves in them; nothing if one does
        not come to its end."""
        instances = self._failing(fault, seed)
        outcomes = simulate(source, instances, self.limits, self._allowed)
        ran = [one for one in outcomes if isinstance(one, Ran)]
        return list(zip(instances, ran, strict=True)) if len(ran) == len(outcomes) else []

    def _failing(self, fault: NamedFault, seed: int) -> tuple[CaseInstance, ...]:
        """The cases of the verdict that fail with a fault."""
        ran = {one.name for one in self.verdict.cases}
        return tuple(
            one
            for one in instantiate(self.exercise, seed, hidden=True)
            if one.case.name in fault.cases and one.case.name in ran
        )

    def _results(
        self,
        instances: tuple[CaseInstance, ...],
        outcomes: list[Outcome],
        compared: Sequence[CaseInstance],
        left: Sequence[Outcome],
    ) -> list[CaseResult]:
        """The results of cases, whose arrays are `compared` with what was `left`."""
        solution = self.lesson.solution(self.exercise)
        words = [Words(self.source, solution, one.problem) for one in instances]
        rows = zip(compared, left, words, strict=True)
        results = [compare.on_simulator(*row) for row in rows]
        return technique.kept_to(
            self.source, instances, outcomes, results, words, self.limits, self._allowed
        )

    @property
    def _allowed(self) -> dict[str, int]:
        return {one.name: one.ours.get("steps", 0) for one in self.exercise.cases}


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


def _least(
    known: list[NamedFault], results: list[CaseResult]
) -> tuple[NamedFault, list[CaseResult]] | None:
    """Of several faults that look alike, the one that leaves least."""
    return (min(known, key=lambda one: one.leaves), results) if known else None
