"""The case of sizes that no other case tries.

Once all other cases have passed, or are over budget and nothing worse, a worker tries launches at
the numbers that stand in the kernel. One that goes wrong, or leaves other values than the solution,
is made a case like any other: it is run again by the judge, and only what goes wrong then is told.
The solution must stand the same launch, else a rule is wrong and nobody is blamed. The case gives
its points where all others have passed.
Where Z3 is installed, the worker then reasons about every size that the rules allow. That moves no
mark: a launch that only Z3 finds is told, and costs nothing.
"""

import math
from collections.abc import Iterator, Set
from dataclasses import replace

import numpy as np

from .. import proofs as analysis
from ..course import Case, Exercise, Launch, Problem, rules as course_rules
from ..cuda.errors import Message
from ..proofs.launches import Trial, as_wanted
from ..status import Status
from . import compare
from .cases import CaseInstance
from .explaining.explanation import explained_case
from .protocol import Examine, Examined, Failed, Ran, Reply, Tried
from .session import Limits, Outcomes, Session
from .verdict import CaseResult, EverySize, Verdict

MAY_PASS = {Status.PASSED, Status.OVER_BUDGET}  # how a right answer's cases end
NAME = "sizes that no other case tries"
COME_FIRST = "Not run: the other cases come first."
GO_WELL = "No launch that was tried goes wrong. The points come once all other cases pass."
NO_Z3 = (
    "no launch that was tried goes wrong, and a proof needs Z3 (`pip install 'warpwise[proofs]'`)"
)
REMARK = "A remark that costs no points: reasoning found a launch that goes wrong."
TOO_LONG = "it took too much"
FEW_TRIALS = 0.4  # seconds, as `Limits.trials`, of launches that move no mark
MEANS = (
    "No launch that the exercise allows goes out of bounds, is misaligned, has a data race, or "
    "leaves a thread behind at a barrier or a shuffle. (Only the cases and the launches that "
    "were tried show that the numbers are right.)"
)
ASSUMES = "This was found by reasoning about the compiled kernel, and assumes:"


def result(exercise: Exercise, status: Status, message: str = "") -> CaseResult:
    """This case as it ends without a launch that goes wrong."""
    most = exercise.size_points
    return CaseResult(NAME, True, status, most if status == Status.PASSED else 0.0, most, message)


def can_be_looked_for(verdict: Verdict, exercise: Exercise) -> bool:
    """Whether `looked_for` will take a while: the answer is right in all other cases, and keeps to
    the budget of one."""
    ends = {case.status for case in verdict.cases}
    return exercise.size_points > 0 and Status.PASSED in ends and ends <= MAY_PASS


def looked_for(verdict: Verdict, exercise: Exercise, source: str, limits: Limits) -> Verdict:
    """A verdict on all other cases, with this one's result behind them."""
    if not exercise.size_points:
        return verdict
    if not can_be_looked_for(verdict, exercise):
        return with_case(verdict, result(exercise, Status.NOT_RUN, COME_FIRST))
    in_budget = verdict.status == Status.PASSED
    found, broken = reasoned(
        exercise, source, limits if in_budget else replace(limits, reasoning=0.0, trials=FEW_TRIALS)
    )
    ending = (Status.PASSED, "") if in_budget else (Status.NOT_RUN, GO_WELL)
    return replace(
        with_case(verdict, broken or result(exercise, *ending)),
        every_size=found if in_budget or broken else None,
    )


def reasoned(
    exercise: Exercise, source: str, limits: Limits
) -> tuple[EverySize, CaseResult | None]:
    """What is known of all sizes, and the result of a launch that goes wrong, if one is found: the
    same of the same text each time, whatever else the machine does."""
    limits = limits if analysis.available else replace(limits, reasoning=0.0)
    outcome = reason(source, exercise, limits)
    why = outcome.message if isinstance(outcome, Failed) else TOO_LONG
    examined = (isinstance(outcome, Ran) and outcome.examined) or Examined(why=why)
    found = _told(examined, exercise)
    broken = _broken(found.tried, exercise, source, limits) if found.tried else None
    if found.tried and broken is None:
        return EverySize("not decided", why="a launch that was suspected goes well"), None
    return (
        (replace(found, why=broken.message), None)
        if broken and examined.reasoned
        else (found, broken)
    )


def reason(source: str, exercise: Exercise, limits: Limits) -> Reply:
    """What a worker of its own finds: it knows the solution, which no worker is told that runs the
    cases."""
    solution = exercise.solution if exercise.solved else ""
    compared = course_rules.compared(exercise) if solution else {}
    with Session(source, limits, more=(solution,) if solution else ()) as session:
        return session.examine(
            Examine(exercise.rules, solution, compared, limits.reasoning, limits.trials)
        )


def with_case(verdict: Verdict, case: CaseResult) -> Verdict:
    """A verdict with one more case, the last."""
    changed = replace(
        verdict,
        cases=(*verdict.cases, case),
        points=verdict.points + case.points,
    )
    return (
        changed
        if verdict.status != Status.PASSED or case.status in (Status.PASSED, Status.NOT_RUN)
        else replace(changed, status=case.status, message=case.message, line=case.line)
    )


def _told(examined: Examined, exercise: Exercise) -> EverySize:
    if examined.tried:
        return EverySize("counterexample", tried=examined.tried)
    if examined.proved:
        return EverySize(
            "proved",
            assumes=(
                *(f"{one.kernel}: {course_rules.sentence(one)}" for one in exercise.rules),
                "arrays lie apart in memory, and begin at multiples of 256 bytes",
                "every loop ends",
            ),
        )
    return EverySize("not decided", why=examined.why or NO_Z3, lines=examined.lines)


def instances(verdict: Verdict, exercise: Exercise) -> Iterator[CaseInstance]:
    """The launch that a verdict found to go wrong, as a case; nothing where there is none."""
    found = verdict.every_size
    if found and found.tried and (trial := _trial(found.tried, exercise)):
        yield _instance(trial, exercise)


def _broken(tried: Tried, exercise: Exercise, source: str, limits: Limits) -> CaseResult | None:
    """The result of a launch that goes wrong, and only with the learner's kernel."""
    trial = _trial(tried, exercise)
    if trial is None:  # a worker may say anything
        return None
    with Session(source, limits) as session, Session(exercise.solution, limits) as ours:
        answer = Outcomes(
            exercise=exercise, source=source, limits=limits, session=session, ours=ours
        )
        if (found := _fault(trial, answer) or _other_values(trial, answer)) is None:
            return None
        told = explained_case(found, 0).results[0]
    return replace(
        told.saying(told.parts + Message(f"This happens with {trial}.")), step=len(exercise.steps)
    )


def _fault(trial: Trial, answer: Outcomes) -> Outcomes | None:
    """The answer in a launch that it does not come to the end of, and the solution does."""
    answer = answer.run((_instance(trial, answer.exercise),))
    if not _is_fault(answer.outcomes[0]) or _is_fault(answer.ours.run(answer.instances)[0]):
        return None
    return replace(
        answer,
        results=tuple(
            compare.on_simulator(*row, False)
            for row in zip(answer.instances, answer.outcomes, answer.words, strict=True)
        ),
    )


def _other_values(trial: Trial, answer: Outcomes) -> Outcomes | None:
    """The answer in a launch that leaves other outputs than the solution does."""
    blocks = math.prod(trial.grid)
    compared = course_rules.compared(answer.exercise).get(trial.rule.kernel, {}).items()
    one = _instance(trial, answer.exercise, {name for name, most in compared if blocks <= most})
    (right,) = answer.ours.run((one,))
    if not isinstance(right, Ran):
        return None
    outputs = {name: as_wanted(right.arrays[f"output/{name}"]) for name in one.problem.outputs}
    answer = answer.run((replace(one, problem=replace(one.problem, outputs=outputs)),))
    ((one, words, mine),) = zip(answer.instances, answer.words, answer.outcomes, strict=True)
    if isinstance(mine, Failed) or compare.wrong_output(one, right, words):
        return None
    found = compare.wrong_output(one, mine, words)
    return replace(answer, results=(found,)) if found else None


def _is_fault(outcome: Reply) -> bool:
    return isinstance(outcome, Failed) and outcome.status in analysis.FAULTS


def _trial(tried: Tried, exercise: Exercise) -> Trial | None:
    """The launch, if it is one that the exercise's rules allow."""
    return next(
        (
            trial
            for rule in exercise.rules
            if rule.kernel == tried.kernel
            and (trial := Trial(rule, tried.grid, tried.block, tried.numbers)).keeps_to_its_rule()
        ),
        None,
    )


def _instance(trial: Trial, exercise: Exercise, outputs: Set[str] = frozenset()) -> CaseInstance:
    """A launch as a case; what `outputs` must hold is still to be found."""
    given = trial.arguments()
    arrays = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    launch = Launch(
        trial.rule.kernel,
        trial.grid,
        trial.block,
        course_rules.passed(trial.rule, given),
        trial.shared_mem,
    )
    problem = Problem(
        {name: value for name, value in arrays.items() if name not in outputs},
        {name: as_wanted(value) for name, value in arrays.items() if name in outputs},
        (launch,),
    )
    return CaseInstance(Case(NAME, lambda rng: problem, exercise.size_points), problem)
