"""Asking workers: read their replies as they come, end them when they take too long, and say of
one that ended too early why that was."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec
import numpy as np

from ...course.model import Rule
from ...cuda.compilers.protocol import TOO_MUCH
from ...cuda.diagnostics import bounded
from ...status import Status
from .. import cases, protocol
from ..cases import CaseInstance
from ..protocol import Arrays, CaseRequest, Device, Failed, Ran, Reply, Request
from ..verdict import shortened
from . import watch
from .worker import KILLED, Pipe, Worker, started

ALONE = (
    "The judge's process sees neither what `pip install --user` installed nor PYTHONPATH, where "
    "a learner's file could take a module's place: install the course into an environment of its "
    "own, by `make lab` or by pip in a virtual environment"
)
SLACK = 1 << 20  # bytes of a reply beside its arrays
TOLD = 8 << 20  # bytes of an element's making
MUCH = 1 << 16  # elements
GPU_WAKES = 8.0  # seconds of the CPU's that a process spends on making a GPU ready
NO_REPLY = (
    "The process that ran your kernel sent something that is no answer; "
    "please show it to your instructor"
)
STOPPED_BEFORE = "Not run: the case before this one took too long and was stopped."
LAST_BREATH = 1.0  # seconds a worker that has closed its pipe is given to end by itself
FOLLOWING = 6.0  # seconds of the CPU's time in all; a case takes some three times its own


@dataclass(frozen=True)
class Limits:
    """What one verdict may use. After `steps` instruction steps, or `steps_ratio` times what the
    solution needed, whichever is more, the simulated device calls a loop endless and names its
    line; reasoning about every size may be as much work as `reasoning` seconds of a usual machine.
    Both are counted, so that a verdict is the same on every machine. Time is the net behind that:
    the compilation has `compile_seconds` of the CPU's time, each case `case_seconds`, all of them
    together `total_seconds`, and the reasoning `reasoning_seconds`. On the clock each may take
    `patience` times as long."""

    steps: int = 30_000
    steps_ratio: int = 8
    compile_seconds: float = 6.0
    case_seconds: float = 5.0
    total_seconds: float = 15.0
    reasoning: float = 4.5
    reasoning_seconds: float = 18.0
    patience: float = 15.0
    memory_bytes: int = 1792 << 20
    file_bytes: int = 64 << 20


class Killed(Failed, frozen=True):
    """Somebody killed the process from outside, not this one. Made here alone: no worker can say
    so of itself."""


Outcome = Ran | Failed


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
        if _ran_out_of_time(heard.last):
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
) -> list[Outcome]:
    """One outcome for each of `instances`; of those that one worker did not get to, its last."""
    limits = replace(limits, case_seconds=FOLLOWING, total_seconds=FOLLOWING)
    end = time.monotonic() + limits.total_seconds * limits.patience
    heard = _one_worker(_request(source, requests, limits, cases.inputs(instances)), limits, end)
    missing = len(instances) - len(heard.cases)
    return [*heard.cases, *[heard.last] * missing]


def reason(source: str, rules: tuple[Rule, ...], limits: Limits) -> Outcome:
    """What reasoning about every size that some rules allow makes of `source`; it costs the same
    effort on every machine, and `Limits.reasoning` says what happens where that fails."""
    seconds = limits.compile_seconds + limits.reasoning_seconds
    limits = replace(limits, compile_seconds=seconds, total_seconds=seconds)
    asked = _request(source, (), limits, {}, "reasoning")
    asked = msgspec.structs.replace(asked, rules=rules, effort=limits.reasoning)
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
        compiled, *ran = _outcomes(worker, asked, limits, end)
    return Heard(compiled, tuple(ran))


def _outcomes(worker: Worker, asked: Request, limits: Limits, end: float) -> Iterator[Outcome]:
    buffer, longest = bytearray(), _longest(asked, limits)
    for number in range(1 + len(asked.cases)):  # the first is about the compilation
        compiled = number > 0
        seconds = asked.case_seconds if compiled else asked.compile_seconds
        deadline = min(end, time.monotonic() + seconds * limits.patience)
        watched = watch.Watch(worker.pid, seconds, asked.memory_bytes) if watch.NEEDED else None
        try:
            reply = _next_reply(worker.replies, buffer, deadline, longest, watched)
            outcome = _checked(reply, asked, number)
        except TimeoutError:
            yield _too_slow(compiled, asked)
            return
        except MemoryError:
            yield _ended("the judge", compiled, asked)
            return
        except protocol.ProtocolError as error:
            yield Failed(Status.UNSUPPORTED, f"{NO_REPLY} ({error}).")
            return
        except EOFError:
            if (code := worker.end(LAST_BREATH)) or not compiled:
                yield _exit_diagnosis(code, worker.complaint(), compiled, asked)
            return
        yield outcome
        if _ran_out_of_time(outcome):
            return


def _ran_out_of_time(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) and outcome.status == Status.TIMEOUT


def _next_reply(
    replies: Pipe, buffer: bytearray, deadline: float, longest: int, watched: watch.Watch | None
) -> Reply:
    """The next reply; TimeoutError at `deadline` (of time.monotonic) or when the one `watched` has
    used up its time, MemoryError when its memory, EOFError at the end, ProtocolError for what is
    none."""
    while (reply := protocol.take_reply(buffer, longest)) is None:
        left = max(0.0, deadline - time.monotonic())
        try:
            chunk = replies.read(min(left, watch.EVERY) if watched else left)
        except TimeoutError:
            if watched is None or left <= watch.EVERY:
                raise
            watched.look()
            continue
        if not chunk:
            raise EOFError
        buffer += chunk
    return reply


def _longest(asked: Request, limits: Limits) -> int:
    """Bytes that a reply may have."""
    if asked.device == "compiler":
        return SLACK + limits.file_bytes
    inputs = sum(array.nbytes for array in asked.arrays.values())
    made = sum(
        _size(one) * (2 + len(case.orders)) for case in asked.cases for one in case.outputs.values()
    )  # as it is, which of it was written or a second run's, and in other orders
    told = TOLD * sum(len(case.followed) for case in asked.cases)
    return SLACK + inputs + told + made


def _size(buffer: protocol.Buffer) -> int:
    return math.prod(buffer.shape) * np.dtype(buffer.dtype).itemsize


def _checked(reply: Reply, asked: Request, number: int) -> Outcome:
    """The worker's reply number `number`, taken only if it fails with what a failure can be, or its
    arrays are those that were asked for. The first is about the compilation."""
    if isinstance(reply, Failed):
        if reply.status == Status.PASSED:
            raise protocol.ProtocolError("a failure that is none")
        told = bounded(reply.diagnostics)
        message = shortened(reply.message)
        return msgspec.structs.replace(reply, message=message, diagnostics=told)
    if number:
        case = asked.cases[number - 1]
        if not reply.too_long and _told(reply) != (len(case.followed), len(case.asked)):
            raise protocol.ProtocolError("other answers than were asked for")
        wanted = _wanted(asked, case)
        found = {name: (one.shape, one.dtype.str) for name, one in reply.arrays.items()}
        if not wanted.items() <= found.items() <= (wanted | _optional(case)).items():
            raise protocol.ProtocolError("other arrays than were asked for")
    left = {launch: shortened(text) for launch, text in reply.left.items()}
    return msgspec.structs.replace(reply, left=left, warnings=bounded(reply.warnings))


def _told(reply: Ran) -> tuple[int, int]:
    return len(reply.made), len(reply.ways)


def _wanted(asked: Request, case: CaseRequest) -> dict[str, tuple[tuple[int, ...], str]]:
    """The shape and dtype of every array of a reply about `case`, by name."""
    if case.followed or case.asked:
        return {}
    sent = ((name, asked.arrays[f"{case.position}/{name}"]) for name in case.inputs)
    wanted = {f"input/{name}": (one.shape, one.dtype.str) for name, one in sent}
    for name, one in case.outputs.items():
        wanted[f"output/{name}"] = (one.shape, one.dtype)
        if asked.device == "gpu":
            wanted[f"second/{name}"] = (one.shape, one.dtype)
        else:
            wanted[f"written/{name}"] = (one.shape, "|b1")
    return wanted


def _optional(case: CaseRequest) -> dict[str, tuple[tuple[int, ...], str]]:
    """The same of what a reply holds where the order of threads may matter."""
    if case.followed or case.asked:
        return {}
    return {
        f"{order}/{name}": (one.shape, one.dtype)
        for order in case.orders
        for name, one in case.outputs.items()
    }


def _too_slow(compiled: bool, asked: Request) -> Failed:
    if not compiled:
        return Failed(
            Status.TIMEOUT,
            f"The compiler was still busy after {asked.compile_seconds:g} s. {TOO_MUCH}",
        )
    return Failed(
        Status.TIMEOUT,
        f"The kernel was still running after {asked.case_seconds:g} s and was stopped. "
        "Look for a loop whose condition never becomes false.",
    )


def _no_time(limits: Limits) -> Failed:
    return Failed(
        Status.TIMEOUT,
        f"Not run: the cases before this one used up all of the {limits.total_seconds:g} s "
        "that one verdict may take.",
    )


def _exit_diagnosis(code: int, complaint: str, compiled: bool, asked: Request) -> Failed:
    """What to tell of a worker that ended with exit status `code` before it was through."""
    if code in _TIME_IS_UP:
        return _too_slow(compiled, asked)
    if code < 0:
        ended = _ended(signal.Signals(-code).name, compiled, asked)
        return Killed(Status.LAUNCH_ERROR, ended.message) if code == KILLED else ended
    if code >= 1 << 31:  # how Windows tells of what nobody caught
        return _ended(f"{code:#x}", compiled, asked)
    if "No module named" in complaint:
        complaint += f". {ALONE}"
    message = f"The grader's sandbox failed ({complaint}); tell your instructor."
    return Failed(Status.UNSUPPORTED, message)


# POSIX's, so Windows has none.
_TIME_IS_UP = [-getattr(signal, name) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)]


def _ended(what: str, compiled: bool, asked: Request) -> Failed:
    """The worker was ended by `what`."""
    who, look = (
        ("process that ran your kernel", "the sizes of your arrays and at recursion")
        if compiled
        else ("compiler", "huge arrays, unrolled loops and templates")
    )
    message = (
        f"The {who} was ended by {what}, most likely because it asked for more than the "
        f"{asked.memory_bytes / 2**30:.3g} GiB it may use. Look at {look} without an end."
    )
    return Failed(Status.LAUNCH_ERROR if compiled else Status.COMPILE_ERROR, message)
