"""Why a case fails: the element, index or launch that is told of is followed, in the answer and in
the solution.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, partial
from typing import TypeVar

import numpy as np

from ...compilers.declared import Declarations
from ...course import Expected, rules
from ...course.model import Problem
from ...cuda.errors import Message
from ...say import places
from ...say import verdict_answers as say
from ...status import Status
from .. import cases, compare
from ..cases import CaseInstance
from ..compare import Words, Wrong
from ..protocol import Failed, Made, Ran
from ..session import Outcomes
from ..verdict import CaseResult
from . import telling, thread_paths
from .explanation import explained
from .telling import Pair, copied

Known = TypeVar("Known", bound=Outcomes)


def explained_case(judged: Known, at: int) -> Known:
    """The case at a place, told with the reason why it fails, as far as that can be followed."""
    instance, outcome, result = judged.instances[at], judged.outcomes[at], judged.results[at]
    if instance.case.hazard:
        return judged
    if isinstance(outcome, Failed) and (earlier := _before(judged, at, outcome)):
        first, launches = earlier.results[at], len(earlier.instances[at].problem.launches)
        every = len(instance.problem.launches)
        told = result.saying(say.already_wrong(first.parts, launches, every, result.parts))
        return judged.with_result(at, replace(told, line=first.line or result.line))
    problem = instance.problem
    if compare.apart(problem) and result.where:  # one launch is followed sooner than all
        launch = problem.launches[result.where.launch - 1]
        written = [name for name in problem.outputs if name in launch.args]
        instance = replace(
            instance, problem=replace(problem.comparing(written), launches=(launch,))
        )
    if result.status in (Status.OUT_OF_BOUNDS, Status.UNINITIALIZED_READ) and isinstance(
        outcome, Failed
    ):
        seen = telling.beyond_an_array(judged, instance, judged.words[at])
        parts = thread_paths.of_stray(judged, at, outcome, seen)
        return judged.with_result(at, _in_coordinates(result.saying(parts), problem))
    if changed := _changed_inputs(result, judged.words[at]):
        return _only_written(judged, at, changed.pop())
    if isinstance(outcome, Ran) and result.where and result.where.order != problem.order:
        instance = replace(instance, problem=replace(instance.problem, order=result.where.order))
        (outcome,) = judged.session.run((instance,))
    wrong = (
        compare.first_wrong(instance, outcome)
        if result.status == Status.WRONG_ANSWER and isinstance(outcome, Ran)
        else None
    )
    if wrong is None:
        return judged
    both = judged.session, judged.ours

    def followed(instance: CaseInstance) -> list[tuple[Made, ...]]:
        with ThreadPoolExecutor(len(both)) as pool:
            return list(pool.map(lambda one: one.follow(instance, (wrong.element,)), both))

    made = followed(instance)
    if not all(made) and (alone := _launch_alone(judged, at, wrong)):
        instance = alone
        made = followed(instance)
    if not all(made):
        unwritten = wrong.element.buffer if not wrong.written else ""
        return _only_written(judged, at, judged.words[at].name(unwritten)) if unwritten else judged
    (mine,), (ours,) = made
    pair, copies = Pair(wrong, mine, ours), copied(mine, ours)
    if copies and copies[0] != copies[1] and wrong.others:
        others = [session.follow(instance, wrong.others) for session in both]
        pair = replace(pair, others=tuple(zip(*others, strict=False)))
    if result.where:
        number = min(result.where.launch, len(instance.problem.launches))
        pair = replace(pair, path=cache(partial(judged.session.path, instance, number)))
    told = explained(result, pair, judged.words[at])
    told = cases.in_block(told, problem, mine.stored.block) if mine.stored else told
    return judged.with_result(at, _in_coordinates(told, problem))


def _launch_alone(judged: Outcomes, at: int, wrong: Wrong) -> CaseInstance | None:
    """The first launch that gets a wrong output, as a case of its own after the solution's earlier
    launches; None where there are none, or where it goes right then."""
    instance = judged.instances[at]
    problem, buffer = instance.problem, wrong.element.buffer
    number = next(n for n, one in enumerate(problem.launches) if buffer in one.args)
    *before, launch = problem.launches[: number + 1]
    if not before:
        return None
    between = {name: Expected(np.zeros(*made), made[1]) for name, made in problem.scratch.items()}
    earlier = replace(
        problem, outputs={**problem.outputs, **between}, scratch={}, launches=tuple(before)
    )
    (ran,) = judged.ours.run((replace(instance, problem=earlier),))
    if not isinstance(ran, Ran):
        return None
    left = {
        name: ran.arrays[f"output/{name}"]
        for name in earlier.outputs
        if name in launch.args and ran.arrays[f"written/{name}"].all()
    }
    given = {name: one for name, one in problem.inputs.items() if name in launch.args}
    written = [name for name in problem.outputs if name in launch.args and name not in left]
    scratch = {name: made for name, made in problem.scratch.items() if name not in left}
    alone = replace(
        replace(problem, scratch=scratch).comparing(written),
        inputs=given | left,
        launches=(launch,),
    )
    one = replace(instance, problem=alone)
    (outcome,) = judged.session.run((one,))
    again = compare.first_wrong(one, outcome) if isinstance(outcome, Ran) else None
    return one if again else None


def _in_coordinates(result: CaseResult, problem: Problem) -> CaseResult:
    """A result whose threads and blocks are named by their coordinates, where they have several."""
    launch = problem.launches[result.where.launch - 1 if result.where else -1]
    shapes = rules.dimensions(launch.block), rules.dimensions(launch.grid)
    return result.saying(places.in_coordinates(result.parts, *shapes))


def _changed_inputs(result: CaseResult, words: Words) -> set[str]:
    """The inputs that a result tells of, as a counter that is not put back, by the learner's names;
    none where it tells of an output."""
    return {one.buffer for one in result.mismatches} & {*map(words.name, words.problem.inputs)}


def _only_written(judged: Known, at: int, name: str) -> Known:
    """With the condition under which the only line that writes to an array does so."""
    result = judged.results[at]
    said, line = Declarations(judged.source).only_written(name)
    return judged.with_result(at, replace(result.saying(result.parts + Message(said)), line=line))


def _before(judged: Known, at: int, failure: Failed) -> Known | None:
    """The same with only the launches of a case that came before the one that failed, where they
    left something wrong that no later launch writes; None where they did not."""
    instance, words = judged.instances[at], judged.words[at]
    where, problem = cases.of_failure(instance, failure), instance.problem
    if where is None or where.launch < 2:
        return None
    launches, later = problem.launches[: where.launch - 1], problem.launches[where.launch - 1 :]
    passed = {one for launch in later for one in launch.args if isinstance(one, str)}
    left = [
        name
        for name in problem.outputs
        if name not in passed or (words.constant(name) and name in str(launches))
    ]
    earlier = replace(instance, problem=replace(problem.comparing(left), launches=launches))
    (outcome,) = judged.session.run((earlier,))
    result = compare.on_simulator(earlier, outcome, replace(words, problem=earlier.problem))
    again = all(one.kernel == launches[0].kernel for one in later)  # else another may put it back
    if (
        result.status != Status.WRONG_ANSWER
        or not isinstance(outcome, Ran)
        or (not again and _changed_inputs(result, words))
    ):
        return None
    judged = replace(
        judged,
        instances=(*judged.instances[:at], earlier, *judged.instances[at + 1 :]),
        outcomes=(*judged.outcomes[:at], outcome, *judged.outcomes[at + 1 :]),
    )
    return explained_case(judged.with_result(at, result), at)
