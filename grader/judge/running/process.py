"""What workers are asked: to run cases, to follow an element, to answer questions about the way to
it, to reason."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import msgspec

from ...course.model import Rule
from ...status import Status
from .. import cases, protocol
from ..cases import CaseInstance
from ..protocol import Arrays, CaseRequest, Device, Failed, Ran, Request
from ..strip import Strip
from .exit_diagnosis import Killed
from .limits import Limits
from .replies import Outcome, outcomes, ran_out_of_time
from .worker import started

MUCH = 1 << 16  # elements
GPU_WAKES = 8.0  # seconds of the CPU's that a process spends on making a GPU ready
STOPPED_BEFORE = "Not run: the case before this one took too long and was stopped."
FOLLOWING = 6.0  # seconds of the CPU's time in all; a case takes some three times its own
RECORDING = 3.0  # the same of a case that is told step by step: it takes about its own


@dataclass(frozen=True)
class Heard:
    """What one worker answered: on the compilation, and on each case it got to."""

    compiled: Outcome
    cases: tuple[Outcome, ...] = ()

    @property
    def last(self) -> Outcome:
        return self.cases[-1] if self.cases else self.compiled


def simulate(
    source: str, instances: tuple[CaseInstance, ...], limits: Limits, steps: dict[str, int]
) -> list[Outcome]:
    """One outcome for each of `instances`, from the simulated device; `steps` are those of the
    solution, by case. A worker that dies costs the case it was in, and another takes the rest while
    there is time; after a case that took too long none is run. Once, a worker that was killed from
    outside costs nothing: a machine out of memory does not choose by guilt."""
    # Those with much data come last: one that is stopped takes no other's turn.
    order = sorted(range(len(instances)), key=lambda at: _data(instances[at]) > MUCH)
    ran = _in_turn(source, tuple(instances[at] for at in order), limits, steps)
    by_place = dict(zip(order, ran, strict=True))
    return [by_place[at] for at in range(len(instances))]


def _data(instance: CaseInstance) -> int:
    """Elements that a case's launches read and write."""
    problem = instance.problem
    made = sum(one.value.size for one in problem.outputs.values())
    return made + sum(one.size for one in problem.inputs.values())


def _in_turn(
    source: str, instances: tuple[CaseInstance, ...], limits: Limits, steps: dict[str, int]
) -> list[Outcome]:
    end = time.monotonic() + limits.total_seconds * limits.patience
    outcomes: list[Outcome] = []
    spared = False
    while left := instances[len(outcomes) :]:
        if time.monotonic() >= end:
            return outcomes + [_no_time(limits)] * len(left)
        requests = tuple(_described(one, limits, steps) for one in left)
        heard = _one_worker(_request(source, requests, limits, cases.inputs(left)), limits, end)
        if isinstance(heard.last, Killed) and not spared:
            spared = True
            outcomes += heard.cases[:-1]
            continue
        if isinstance(heard.compiled, Failed):
            return outcomes + [heard.compiled] * len(left)
        warned = heard.compiled.warnings
        outcomes += [msgspec.structs.replace(one, warnings=warned) for one in heard.cases]
        if ran_out_of_time(heard.last):
            stopped = Failed(Status.TIMEOUT, STOPPED_BEFORE)
            return outcomes + [stopped] * (len(left) - len(heard.cases))
    return outcomes


def run_on_gpu(source: str, instances: tuple[CaseInstance, ...], limits: Limits) -> list[Outcome]:
    """One outcome for each of `instances`, from this machine's GPU. Each case has a process of its
    own, for a CUDA error sticks to its process; the compiler has one too, which has given up
    every file that is not CUDA's."""
    from ...cuda.gpu import real_architecture

    end = time.monotonic() + limits.total_seconds * limits.patience
    asked = _request(source, (), limits, {}, "compiler", real_architecture())
    compiled = _one_worker(asked, limits, end).compiled
    if isinstance(compiled, Failed):
        return [compiled] * len(instances)
    outcomes: list[Outcome] = []
    for one in instances:
        if time.monotonic() >= end:
            return outcomes + [_no_time(limits)] * (len(instances) - len(outcomes))
        arrays = compiled.arrays | cases.inputs((one,))
        asked = _request(source, (_described(one, limits, {}),), limits, arrays, "gpu")
        outcomes.append(_one_worker(asked, limits, end).last)
    return outcomes


def follow(
    source: str,
    instance: CaseInstance,
    elements: tuple[protocol.Element, ...],
    limits: Limits,
    steps: dict[str, int],
    room: int = 0,
) -> tuple[protocol.Made, ...]:
    """The making of some elements of a case's buffers, on the simulated device, where so many
    elements beyond its inputs can be read; () where the case is too long to be followed."""
    case = _described(instance, limits, steps)
    case = msgspec.structs.replace(case, followed=elements, room=room)
    (outcome,) = _followed(source, (instance,), (case,), limits)
    return outcome.made if isinstance(outcome, Ran) else ()


def record(
    source: str,
    instance: CaseInstance,
    recorded: protocol.Recorded,
    limits: Limits,
    steps: dict[str, int],
) -> Strip | None:
    """The steps of a case that lead to what went wrong in it, on the simulated device, as a worker
    tells them; None where it does not go wrong once more, or cannot be recorded."""
    case = _described(instance, limits, steps)
    case = msgspec.structs.replace(
        case, order=recorded.where.order, steps=min(case.steps, recorded.steps), recorded=recorded
    )
    (outcome,) = _followed(source, (instance,), (case,), limits, RECORDING)
    return outcome.strip if isinstance(outcome, Ran) else None


def ask(
    source: str,
    asked: list[tuple[CaseInstance, tuple[protocol.Asked, ...]]],
    limits: Limits,
    steps: dict[str, int],
) -> list[Outcome]:
    """For each of some cases what came of the questions about it, on the simulated device."""
    requests = tuple(
        msgspec.structs.replace(_described(one, limits, steps), asked=questions)
        for one, questions in asked
    )
    return _followed(source, tuple(one for one, _ in asked), requests, limits) if asked else []


def _followed(
    source: str,
    instances: tuple[CaseInstance, ...],
    requests: tuple[CaseRequest, ...],
    limits: Limits,
    seconds: float = FOLLOWING,
) -> list[Outcome]:
    """One outcome for each of `instances`; of those that one worker did not get to, its last."""
    limits = replace(limits, case_seconds=seconds, total_seconds=seconds)
    end = time.monotonic() + limits.total_seconds * limits.patience
    heard = _one_worker(_request(source, requests, limits, cases.inputs(instances)), limits, end)
    missing = len(instances) - len(heard.cases)
    return [*heard.cases, *[heard.last] * missing]


def reason(source: str, rules: tuple[Rule, ...], solution: str, limits: Limits) -> Outcome:
    """What is known of `source` at every size that some rules allow, of which `solution` is right;
    it costs the same effort on every machine, and `Limits.reasoning` says what happens where that
    fails."""
    seconds = limits.compile_seconds + limits.reasoning_seconds
    limits = replace(limits, compile_seconds=seconds, total_seconds=seconds)
    asked = _request(source, (), limits, {}, "reasoning")
    asked = msgspec.structs.replace(asked, rules=rules, solution=solution, effort=limits.reasoning)
    end = time.monotonic() + seconds * limits.patience
    return _one_worker(asked, limits, end).compiled


def try_out(source: str, limits: Limits) -> Outcome:
    """What the judge's own process makes of `source` when it compiles it."""
    end = time.monotonic() + limits.total_seconds * limits.patience
    return _one_worker(_request(source, (), limits, {}), limits, end).compiled


def _described(one: CaseInstance, limits: Limits, steps: dict[str, int]) -> CaseRequest:
    allowed = max(limits.steps, limits.steps_ratio * steps.get(one.case.name, 0))
    return cases.described(one, allowed)


def _request(
    source: str,
    requests: tuple[CaseRequest, ...],
    limits: Limits,
    arrays: Arrays,
    device: Device = "simulator",
    architecture: str = "",
) -> Request:
    waking = GPU_WAKES if device == "gpu" else 0.0
    return Request(
        device=device,
        source=source,
        cases=requests,
        compile_seconds=limits.compile_seconds,
        case_seconds=limits.case_seconds + waking,
        cpu_seconds=math.ceil(limits.total_seconds + waking),
        memory_bytes=limits.memory_bytes,
        file_bytes=limits.file_bytes,
        architecture=architecture,
        arrays=arrays,
    )


def _one_worker(asked: Request, limits: Limits, end: float) -> Heard:
    """Ask one worker. When it ended before it was through, the last of its outcomes says why."""
    with started(asked) as worker:
        compiled, *ran = outcomes(worker, asked, limits, end)
    return Heard(compiled, tuple(ran))


def _no_time(limits: Limits) -> Failed:
    return Failed(
        Status.TIMEOUT,
        f"Not run: the cases before this one used up all of the {limits.total_seconds:g} s "
        "that one verdict may take.",
    )
