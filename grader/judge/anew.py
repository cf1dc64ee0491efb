"""Variants of exercises, tried before anybody is shown one.

A variant is kept if its own solution passes every case, also that of sizes no case tries, with the
exercise's budgets in proportion to what its solution costs; if each named mistake, made in it as
in the exercise, fails a case; and if no variant that is kept already has the same indices.
"""

import time
from collections import Counter
from dataclasses import dataclass, field, replace

from ..course import Exercise, Lesson
from ..course import variants as varied
from ..course.kinds import Write
from ..course.variants import Anew, Plan, Refused
from ..status import Status
from .cases import instantiate
from .judging import STANDARD_LIMITS, judge
from .protocol import Ran
from .session import Session

WANTED = {Write.name: 20}  # variants that are kept of an exercise of a kind
OTHERS = 6
TRIES = 3  # times as many are tried, and of so many the indices are looked at
LOOKED_AT = 500
LIMITS = replace(STANDARD_LIMITS, reasoning=0.0)
MOST_COSTLY = 3.5  # times what the exercise's own solution costs


@dataclass
class Tried:
    """What came of the variants of an exercise: those `kept`, why others were not, how many the
    judge `tried`, and seconds."""

    exercise: Exercise
    kept: list[Anew] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    tried: int = 0  # by the judge
    seconds: float = 0.0


def all_tried(lesson: Lesson, exercise: Exercise, wanted: int = 0) -> Tried:
    """Try variants of an exercise until so many are kept."""
    found, begun = Tried(exercise), time.monotonic()
    wanted = wanted or WANTED.get(exercise.kind.name, OTHERS)
    known = varied.arrays(exercise)
    found.refused.update(one.why for one in known if one.why)
    names = {name for one in known for _, name, _ in one.places}
    seen = {("", varied.structure(exercise, names))}
    for one in varied.candidates(exercise, lesson.wrong_kernels)[:LOOKED_AT]:
        if len(found.kept) == wanted or found.tried == TRIES * wanted:
            break
        try:
            plan = varied.plan_of(known, one)
            key = one.bug, varied.structure(varied.recoded(exercise, one, plan), names)
            if key in seen:
                raise Refused("its indices are those of another")
            seen.add(key)
            found.tried += 1
            found.kept.append(tried(lesson, exercise, one, plan))
        except Refused as error:
            found.refused[str(error)] += 1
    found.seconds = time.monotonic() - begun
    return found


def tried(lesson: Lesson, exercise: Exercise, anew: Anew, plan: Plan) -> Anew:
    """The variant with what its solution costs; Refused where it is not as it must be."""
    made = replace(anew, costs=_costs(exercise, varied.recoded(exercise, anew, plan)))
    new = varied.recoded(exercise, made, plan, f"{exercise.name}_1")
    root = lesson.path.parent
    for case in judge(new, new.solution, root=root, limits=LIMITS, partial_marks=False).cases:
        if case.status != Status.PASSED:
            raise Refused(f"its solution fails: {case.status}")
    for one in lesson.wrong_kernels:
        if one.exercise == exercise.name and not _fails(new, one.source, plan, lesson):
            raise Refused(f"its cases do not catch {one.name}")
    return made


def _costs(exercise: Exercise, new: Exercise) -> dict[str, float]:
    """By counter that a budget is on, how many times the costs of the exercise's own solution."""
    kept = {one.name: one.ours for one in exercise.cases}
    limited = replace(new, cases=tuple(one for one in new.cases if one.budgets))
    instances = instantiate(limited, 0, hidden=True)
    with Session(new.solution, STANDARD_LIMITS, {}) as session:
        outcomes = session.run(instances) if instances else []
    times: dict[str, float] = {}
    for one, ran in zip(instances, outcomes, strict=True):
        if not isinstance(ran, Ran):
            raise Refused(f"its solution fails: {ran.status}")
        ours = kept[one.case.name]
        for counter in {budget.counter for budget in one.case.budgets}:
            now, before = ran.counters.get(counter, 0), ours.get(counter, 0)
            if before:
                times[counter] = max(times.get(counter, 0.0), round(now / before + 0.005, 2))
    if dear := [counter for counter, ratio in times.items() if ratio > MOST_COSTLY]:
        raise Refused(f"its solution costs more than {MOST_COSTLY} times as many {dear[0]}")
    return {counter: ratio for counter, ratio in times.items() if abs(ratio - 1) > 0.01}


def _fails(new: Exercise, mistake: str, plan: Plan, lesson: Lesson) -> bool:
    """Whether a named mistake, made in the variant, gets less than full marks; the cheapest cases
    come first. One that does other things to its arrays than the solution does is not made."""
    try:
        source = varied.recoded_source(mistake, plan)
    except Refused:
        return True
    cheap = sorted(new.cases, key=lambda one: one.ours.get("steps", 0))
    for cases in (cheap[: len(cheap) // 2], cheap[len(cheap) // 2 :]):
        some = replace(new, cases=tuple(cases), steps=(), size_points=0.0)
        verdict = judge(
            some, source, root=lesson.path.parent, partial_marks=False, explained=False
        )
        if any(one.status != Status.PASSED for one in verdict.cases):
            return True
    return False
