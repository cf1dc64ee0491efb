"""A conversation about one source: a confined worker compiles it once and answers every question.

Each question has limits of its own. A worker that dies, or that ran out of time or memory, costs
the question it was at and no other: the next one goes to a new worker, which has the same program
from the compiler's cache. So nothing depends on what was asked before. What is expected is never
sent, and the exercise's own kernel has a session of its own.

Several sessions may share the cases of one run (`Limits.workers`): each has a worker of its own,
and a case's outcome does not depend on which of them runs it.

What came of an answer's cases: `Outcomes`; and what is known of it while it is judged: `Judged`,
which goes from stage to stage.
"""

import math
import signal
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from msgspec import structs

from .. import compilers
from ..course import Exercise, Lesson, rules
from ..cuda.errors import bounded, in_parts
from ..cuda.limits import registers_for
from ..errors import unless
from ..say import verdict_process as say
from ..status import Status
from .cases import CaseInstance, described
from .compare import Words
from .playback.strip import Strip
from .protocol import (
    Asked,
    CaseRequest,
    Device,
    Element,
    Examine,
    Failed,
    Made,
    Opening,
    ProtocolError,
    Question,
    Ran,
    Recorded,
    Reply,
    Shapes,
    ThreadPath,
    ThreadPlace,
    encode,
)
from .verdict import CaseResult, foremost, shortened
from .worker import FORKS, KILLED, Worker

MUCH = 1 << 16  # elements
FOLLOWING = 6.0  # seconds of the CPU's time in all; a case takes some three times its own
RECORDING = 3.0  # the same of a case that is told step by step: it takes about its own
SLACK = 1 << 20  # bytes of a reply beside its arrays
TOLD = 8 << 20  # bytes of an element's making
STARTING = 0.05 if FORKS else 1.0  # seconds until another worker is ready for a case
# POSIX's, so Windows has none.
_TIME_IS_UP = [-getattr(signal, name) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)]


@dataclass(frozen=True)
class Limits:
    """What one verdict may use. After `steps` instruction steps, or `steps_ratio` times what the
    solution needed, whichever is more, the simulated device calls a loop endless and names its
    line; reasoning about every size may be as much work as `reasoning` seconds of a usual machine,
    and launches that are tried as much as `trials`. All of it is counted, so that a verdict is the
    same on every machine. Time is the net behind that: the compilation has `compile_seconds` of the
    CPU's time, each case `case_seconds`, all cases of one worker `total_seconds`, and the reasoning
    `reasoning_seconds`. On the clock each may take `patience` times as long. At most so many
    `workers` share the cases."""

    steps: int = 30_000
    steps_ratio: int = 8
    compile_seconds: float = 6.0
    case_seconds: float = 5.0
    total_seconds: float = 15.0
    reasoning: float = 4.5
    trials: float = 1.5
    reasoning_seconds: float = 10.0
    patience: float = 15.0
    memory_bytes: int = 1792 << 20
    file_bytes: int = 64 << 20
    workers: int = 1


class Killed(Failed, frozen=True):
    """Somebody killed the process from outside, not this one. Made here alone: no worker can say
    so of itself."""


class NotRun(Failed, frozen=True):
    """The time of its group was over before the question was asked. Made here alone, too."""


class Session(AbstractContextManager["Session"]):
    """The questions about `source`. `allowed`: the steps that each case takes the solution, by its
    name; `opening`: more of the first message. A worker starts when it is needed, or by `start`."""

    def __init__(
        self,
        source: str,
        limits: Limits,
        allowed: Mapping[str, int] = MappingProxyType({}),
        device: Device = "simulator",
        **opening: Any,
    ):
        self._limits, self._allowed, self._device = limits, allowed, device
        self._calling = (
            Session(source, limits, allowed, options=compilers.AS_CALLS)
            if device == "simulator" and not opening and compilers.calls_library(source)
            else None
        )
        self._compiled: Reply | None = None
        self._worker: Worker | None = None
        self._kernels: tuple[str, ...] = ()
        self._spared = False  # whether a worker was killed already
        self._past_hazards: dict[bytes, Reply] = {}  # two stages ask for the same runs
        self._helpers: list[Session] = []  # sessions that run some of its cases
        self._group(limits.case_seconds, limits.total_seconds)
        self._opening = Opening(
            device=device,
            source=source,
            seconds=limits.compile_seconds,
            latest=math.ceil(self._total),
            memory_bytes=limits.memory_bytes,
            file_bytes=limits.file_bytes,
            **opening,
        )

    def close(self, *_: object) -> None:
        """End the worker."""
        worker, self._worker = self._worker, None
        for one in filter(None, (*self._helpers, self._calling)):
            one.close()
        if worker:
            worker.close()

    __exit__ = close

    def compiled(self) -> Reply:
        """What became of compiling the source; after one that failed nothing is asked."""
        if self._compiled is None:
            self.start()
            self._compiled = self._heard(self._opening)
            if isinstance(self._compiled, Killed) and not self._spared:
                self._spared, self._compiled = True, None
                return self.compiled()
        return self._compiled

    def run(self, instances: tuple[CaseInstance, ...]) -> list[Reply]:
        """One outcome for each of `instances`. A worker that dies costs the case it was in; after a
        case that took too long none is run. Once, a worker that was killed from outside costs
        nothing: a machine out of memory does not choose by guilt. Where the cases take longer than
        a worker does to start, other sessions run some of them."""
        kernels = tuple(
            dict.fromkeys(launch.kernel for one in instances for launch in one.problem.launches)
        )
        while len(self._helpers) < min(self._limits.workers, len(instances)) - 1:
            self._helpers.append(Session(self._opening.source, self._limits, self._allowed))
        for one in (self, *self._helpers):
            one._group(self._limits.case_seconds, self._limits.total_seconds)
            one._kernels, one._past_hazards = kernels, self._past_hazards
        # Those with much data come last: one that is stopped takes no other's turn.
        order = sorted(range(len(instances)), key=lambda at: instances[at].size > MUCH)
        left, outcomes, busy = iter(order), dict[int, Reply](), threading.Lock()

        def run_those_left(session: Session) -> None:
            for at in left:
                outcomes[at] = session._outcome(instances[at])
                if ran_out_of_time(outcomes[at]) or not busy.locked():  # or interrupted
                    deque(left, maxlen=0)  # nobody runs the others

        def help_out(session: Session) -> None:
            while not busy.acquire(timeout=0.01 if session._worker else STARTING):
                if isinstance(self._compiled, Ran):  # so the program is in the cache
                    return run_those_left(session)
            busy.release()

        with ThreadPoolExecutor(self._limits.workers) as pool, busy:
            helping = pool.map(help_out, self._helpers)
            run_those_left(self)
        deque(helping, maxlen=0)  # raises what went wrong there
        stopped: Failed | None = None  # what becomes of the rest
        for at in order:
            outcomes[at] = structs.replace(
                stopped or outcomes[at], warnings=self._compiled.warnings if self._compiled else ()
            )
            if stopped is None and ran_out_of_time(outcomes[at]):
                stopped = NotRun(Status.TIMEOUT, say.STOPPED_BEFORE)
        return [outcomes[at] for at in range(len(instances))]

    def _outcome(self, instance: CaseInstance) -> Reply:
        """What came of a case. One that goes on after a hazard may be known from another stage."""
        if time.monotonic() >= self._end:
            return NotRun(Status.TIMEOUT, say.no_time(self._total))
        case = self._described(instance)
        key = encode(Question(case, (), 0.0, 0)) if case.tolerated else b""
        outcome = self._past_hazards.get(key) or self._ask(case)
        if key and isinstance(outcome, Ran):
            self._past_hazards[key] = outcome
        return outcome

    def follow(
        self, instance: CaseInstance, elements: tuple[Element, ...], room: int = 0
    ) -> tuple[Made, ...]:
        """The making of some elements of a case's buffers, where so many elements beyond its inputs
        can be read; () where the case is too long to be followed. Functions of the library are
        calls then, if that compiles."""
        return (
            self._calling.follow(instance, elements, room)
            if self._calling and isinstance(self._calling.compiled(), Ran)
            else self._told(
                structs.replace(self._described(instance), followed=elements, room=room), FOLLOWING
            ).made
        )

    def record(self, instance: CaseInstance, recorded: Recorded) -> Strip | None:
        """The steps of a case that lead to what went wrong in it, as a worker tells them; None
        where it does not go wrong once more, or cannot be recorded."""
        case = self._described(instance)
        return self._told(
            structs.replace(
                case,
                order=recorded.where.order,
                steps=min(case.steps, recorded.steps),
                recorded=recorded,
            ),
            RECORDING,
        ).strip

    def path(self, instance: CaseInstance, launch: int, thread: ThreadPlace) -> ThreadPath:
        """What a thread does in a launch of a case, from 1, if earlier ones come first; nothing
        where that cannot be followed. A path ends where the launch goes wrong."""
        case = self._described(instance)
        asked = structs.replace(case, launches=case.launches[:launch], path=thread)
        return self._told(asked, FOLLOWING).path or ThreadPath()

    def _told(self, case: CaseRequest, seconds: float) -> Ran:
        """What a worker tells of one case in so many seconds of the CPU's time; nothing where it
        fails."""
        self._group(seconds, seconds)
        outcome = self._ask(case)
        return outcome if isinstance(outcome, Ran) else Ran()

    def ways(self, questions: Iterable[tuple[CaseInstance, tuple[Asked, ...]]]) -> Iterator[Reply]:
        """For each of some cases what came of the questions about the ways to its results; after
        one that took too long, the same of the rest."""
        self._group(FOLLOWING, FOLLOWING)
        outcome: Reply | None = None
        for instance, asked in questions:
            if outcome is None or not ran_out_of_time(outcome):
                outcome = self._ask(structs.replace(self._described(instance), asked=asked))
            yield outcome

    def examine(self, examine: Examine) -> Reply:
        """What is known of the source at every size that some rules allow; it costs the same effort
        on every machine, and `Limits.reasoning` says what happens where that fails."""
        seconds = self._limits.compile_seconds + self._limits.reasoning_seconds
        self._group(seconds, seconds)
        return self._ask(examine)

    def _group(self, seconds: float, total: float) -> None:
        """From now on each question may take so many seconds of the CPU's time, all together
        `total`; one worker that somebody kills costs nothing."""
        self._spared = False
        # A process spends some seconds of the CPU's on making a GPU ready.
        waking = 8.0 if self._device == "gpu" else 0.0
        self._seconds = seconds + waking
        self._total: float = total + waking
        self._end = time.monotonic() + total * self._limits.patience
        self._before = self._worker.seconds() if self._worker and self._compiled else 0.0

    def _described(self, instance: CaseInstance) -> CaseRequest:
        return described(
            instance,
            max(
                self._limits.steps,
                self._limits.steps_ratio * self._allowed.get(instance.case.name, 0),
            ),
        )

    def start(self) -> None:
        """Start a worker where there is none; it compiles while the judge does something else."""
        if self._worker is None:
            self._before, self._worker = 0.0, Worker(self._device)
            self._worker.send(self._opening)

    def _ask(self, about: CaseRequest | Examine) -> Reply:
        if self._worker is None and isinstance(self._compiled, Ran):
            self._compiled = None  # the one before is gone
        compiled = self.compiled()
        if isinstance(compiled, Failed) or self._worker is None:
            return compiled
        question = Question(
            about, self._kernels, self._seconds, latest=math.ceil(self._before + self._total)
        )
        self._worker.send(question)
        outcome = self._heard(question)
        if isinstance(outcome, Killed) and not self._spared:
            self._spared = True
            return self._ask(about)
        return outcome

    def _heard(self, message: Opening | Question) -> Reply:
        """The reply to a message. A worker that has broken it off is asked nothing more."""
        worker, limits = self._worker, self._limits
        assert worker is not None, "somebody was asked"
        compiles = isinstance(message, Opening)
        deadline = min(self._end, time.monotonic() + message.seconds * limits.patience)
        try:
            reply = worker.receive(
                deadline, _longest(message, self._device), message.seconds, limits.memory_bytes
            )
            outcome = _checked(reply, message, self._device)
            if not (isinstance(outcome, Failed) and (compiles or outcome.broken_off)):
                return outcome
        except TimeoutError:
            outcome = _too_slow(message)
        except MemoryError:
            outcome = _ended("the grader", compiles, limits)
        except ProtocolError as error:
            outcome = Failed(Status.UNSUPPORTED, say.no_reply(str(error)))
        except EOFError:
            # It has closed its pipe, and is given a second to end by itself.
            outcome = _diagnosis(worker.end(1.0), worker.complaint(), message, limits)
        self.close()
        return outcome


def run_on_gpu(source: str, instances: tuple[CaseInstance, ...], limits: Limits) -> list[Reply]:
    """One outcome for each of `instances`, from this machine's GPU. One process runs them, and the
    next one after a CUDA error, which sticks to its process; the compiler has a process too, which
    has given up every file that is not CUDA's. A kernel may use as many registers as the largest
    block leaves to a thread: the simulated GPU has no such limit, and the mark is the same on
    both."""
    from ..cuda.gpu import real_architecture

    launches = (launch for one in instances for launch in one.problem.launches)
    threads = max((threads for _, threads in rules.blocks_and_threads(launches)), default=1)
    with Session(
        source,
        limits,
        device="compiler",
        architecture=real_architecture(),
        options=(f"--maxrregcount={registers_for(threads)}",),
    ) as session:
        compiled = session.compiled()
    if isinstance(compiled, Failed):
        return [compiled] * len(instances)
    with Session(source, replace(limits, workers=1), device="gpu", cubin=compiled.cubin) as session:
        return session.run(instances)


def ran_out_of_time(outcome: Reply) -> bool:
    return isinstance(outcome, Failed) and outcome.status == Status.TIMEOUT


def _too_slow(message: Opening | Question) -> Failed:
    return Failed(Status.TIMEOUT, say.too_slow(isinstance(message, Opening), message.seconds))


def _diagnosis(code: int, complaint: str, message: Opening | Question, limits: Limits) -> Failed:
    """What to tell of a worker that ended with exit status `code` in place of an answer."""
    compiles = isinstance(message, Opening)
    if code in _TIME_IS_UP:
        return _too_slow(message)
    if code < 0:
        found = _ended(signal.Signals(-code).name, compiles, limits)
        return Killed(Status.LAUNCH_ERROR, found.parts) if code == KILLED else found
    if code >= 1 << 31:  # how Windows tells of what nobody caught
        return _ended(f"{code:#x}", compiles, limits)
    return Failed(Status.UNSUPPORTED, say.failed(complaint))


def _ended(by: str, compiles: bool, limits: Limits) -> Failed:
    return Failed(
        Status.COMPILE_ERROR if compiles else Status.LAUNCH_ERROR,
        say.ended(by, compiles, limits.memory_bytes),
    )


def _longest(message: Opening | Question, device: Device) -> int:
    """Bytes that a reply may have."""
    if isinstance(message, Opening):
        return SLACK + (message.file_bytes if message.device == "compiler" else 0)
    case = message.about
    if isinstance(case, Examine):
        return SLACK
    wanted, optional = _arrays(case, device)
    size = sum(
        math.prod(shape) * np.dtype(dtype).itemsize for shape, dtype in (wanted | optional).values()
    )
    return SLACK + TOLD * len(case.followed) + size


def _checked(reply: Reply, message: Opening | Question, device: Device) -> Reply:
    """The worker's reply, taken only if it fails with what a failure can be, or its arrays are
    those that were asked for."""
    if isinstance(reply, Failed):
        unless(reply.status != Status.PASSED, ProtocolError("a failure that is none"))
        told = replace(reply.parts, ours="")  # it knows nothing of our kernel
        return structs.replace(
            reply,
            parts=told if (text := shortened(str(told))) == str(told) else in_parts(text),
            diagnostics=bounded(reply.diagnostics),
        )
    if isinstance(message, Question) and isinstance(case := message.about, CaseRequest):
        unless(
            reply.too_long
            or (len(reply.made), len(reply.ways)) == (len(case.followed), len(case.asked)),
            ProtocolError("other answers than were asked for"),
        )
        wanted, optional = _arrays(case, device)
        found = {name: (one.shape, one.dtype.str) for name, one in reply.arrays.items()}
        unless(
            wanted.items() <= found.items() <= (wanted | optional).items(),
            ProtocolError("other arrays than were asked for"),
        )
    return structs.replace(
        reply,
        left={launch: shortened(text) for launch, text in reply.left.items()},
        warnings=bounded(reply.warnings),
    )


def _arrays(case: CaseRequest, device: Device) -> tuple[Shapes, Shapes]:
    """The arrays that a reply about a case must hold, and those that it may hold where the order of
    threads may matter."""
    if case.followed or case.asked or case.recorded or case.path:  # it tells how it came to that
        return {}, {}
    wanted = {
        **{f"input/{name}": (one.shape, one.dtype.str) for name, one in case.inputs.items()},
        **{f"output/{name}": one for name, one in case.outputs.items()},
    }
    further = (
        {f"second/{name}": one for name, one in case.outputs.items()}
        if device == "gpu"
        else {f"written/{name}": (shape, "|b1") for name, (shape, _) in case.outputs.items()}
    )
    return wanted | further, {
        f"{order}/{name}": one
        for order in case.further_orders
        for name, one in case.outputs.items()
    }


@dataclass(frozen=True, kw_only=True)
class Outcomes:
    """An answer and what came of its cases. Rows of `instances`, `outcomes`, `results` and `words`
    belong together, one for each case that is run."""

    exercise: Exercise
    source: str
    limits: Limits
    session: Session  # about the source
    ours: Session  # about the solution
    instances: tuple[CaseInstance, ...] = ()
    outcomes: tuple[Reply, ...] = ()
    words: tuple[Words, ...] = ()
    results: tuple[CaseResult, ...] = ()

    @property
    def told(self) -> int | None:
        """The place of the failed case whose message is the verdict's; None where all passed."""
        case = foremost(self.results)
        return next((at for at, one in enumerate(self.results) if one is case), None)

    def run(self, instances: tuple[CaseInstance, ...]) -> Self:
        """The same with these cases, and what came of each on the simulated device."""
        words = tuple(Words(self.source, self.exercise.solution, one.problem) for one in instances)
        return replace(
            self, instances=instances, outcomes=tuple(self.session.run(instances)), words=words
        )

    def with_result(self, at: int, result: CaseResult) -> Self:
        """The same with another result of the case at a place."""
        result = replace(result, step=self.instances[at].step if result.failed else 0)
        return replace(self, results=(*self.results[:at], result, *self.results[at + 1 :]))

    @property
    def passed(self) -> list[int]:
        """The places of the cases that passed."""
        return [at for at, one in enumerate(self.results) if one.status == Status.PASSED]


@dataclass(frozen=True, kw_only=True)
class Judged(Outcomes):
    """All that is known of an answer so far: these fields say how far to go; the stages fill the
    others in (see `judging`)."""

    lesson: Lesson
    seed: int
    hidden: bool  # whether hidden cases are run, too
    allowed: Mapping[str, int]  # steps of the solution, by case
    counters: dict[str, int] = field(default_factory=dict)
    device: str = "simulator"
