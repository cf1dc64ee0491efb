"""Asking workers: read their replies as they come, end them when they take too long, and say of
one that ended too early why that was."""

from __future__ import annotations

import math
import os
import select
import signal
import time
from dataclasses import dataclass, field

import numpy as np

from ..cuda.diagnostics import Diagnostic, bounded
from . import cases, protocol
from .cases import Drawn
from .protocol import Arrays, CaseRequest, Reply, Request
from .verdict import shortened
from .worker import started

ALONE = (
    "The judge's process sees neither what `pip install --user` installed nor PYTHONPATH, where "
    "a learner's file could take a module's place: install the course into an environment of its "
    "own, by `make lab` or by pip in a virtual environment"
)
SLACK = 1 << 20  # bytes of a reply beside its arrays
GPU_WAKES = 8.0  # seconds of the CPU's that a process spends on making a GPU ready
NO_REPLY = (
    "The process that ran your kernel sent something that is no answer; "
    "please show it to your instructor"
)
STOPPED_BEFORE = "Not run: the case before this one took too long and was stopped."
LAST_BREATH = 1.0  # seconds a worker that has closed its pipe is given to end by itself


@dataclass(frozen=True)
class Limits:
    """What one verdict may use. The compilation has `compile_seconds` of the CPU's time, each case
    `case_seconds`, so that a busy machine changes no verdict; all of them together have
    `total_seconds`. On the clock each may take `patience` times as long. After `steps` instruction
    steps, or `steps_ratio` times what the solution needed, whichever is more, the simulated device
    calls a loop endless and names its line, as a rule well before that."""

    steps: int = 100_000
    steps_ratio: int = 20
    compile_seconds: float = 6.0
    case_seconds: float = 2.0
    total_seconds: float = 10.0
    patience: float = 15.0
    memory_bytes: int = 1792 << 20
    file_bytes: int = 64 << 20


@dataclass(frozen=True)
class Answer:
    """What came of one case; `killed`: that somebody killed its process, not this one. With
    `status` "ran" there are `counters` (with "timeout" those up to then), `costs` (counter -> the
    line that costs most, and how much), `opcodes` (PTX opcode -> warp instructions), `steps`,
    `arrays` to judge, and in `left`, by the number of a launch, what earlier ones have left
    changed; any other is a verdict's, with its `message` and `line`, a compiler's also with its
    `diagnostics`."""

    status: str
    message: str = ""
    line: int | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    counters: dict[str, int] = field(default_factory=dict)
    costs: dict[str, tuple[int, int]] = field(default_factory=dict)
    opcodes: dict[str, int] = field(default_factory=dict)
    steps: int = 0
    arrays: Arrays = field(default_factory=dict)
    left: dict[int, str] = field(default_factory=dict)
    killed: bool = False


def simulate(
    source: str, drawn: tuple[Drawn, ...], limits: Limits, steps: dict[str, int]
) -> list[Answer]:
    """One answer for each of `drawn`, from the simulated device; `steps` are those of the solution,
    by case. A worker that dies costs the case it was in, and another takes the rest while there is
    time; after a case that took too long none is run. Once, a worker that was killed from outside
    costs nothing: a machine out of memory does not choose by guilt."""
    end = time.monotonic() + limits.total_seconds * limits.patience
    answers: list[Answer] = []
    spared = False
    while left := drawn[len(answers) :]:
        if time.monotonic() >= end:
            return answers + [Answer("timeout", _no_time(limits))] * len(left)
        requests = tuple(_described(one, limits, steps) for one in left)
        asked = _request(source, requests, limits, protocol.packed(cases.inputs(left)))
        compiled, *found = _one_worker(asked, limits, end)
        last = found[-1] if found else compiled
        if not spared and last.killed:
            spared = True
            answers += found[:-1]
            continue
        if compiled.status != "ran":
            return answers + [compiled] * len(left)
        answers += found
        if last.status == "timeout":
            return answers + [Answer("timeout", STOPPED_BEFORE)] * (len(left) - len(found))
    return answers


def run_on_gpu(source: str, drawn: tuple[Drawn, ...], limits: Limits) -> list[Answer]:
    """One answer for each of `drawn`, from this machine's GPU. Each case has a process of its
    own, for a CUDA error sticks to its process; the compiler has one too, which has given up
    every file that is not CUDA's."""
    from ..cuda.gpu import real_architecture

    end = time.monotonic() + limits.total_seconds * limits.patience
    asked = _request(source, (), limits, {}, "compiler", real_architecture())
    compiled, *_ = _one_worker(asked, limits, end)
    if compiled.status != "ran":
        return [compiled] * len(drawn)
    answers: list[Answer] = []
    for one in drawn:
        if time.monotonic() >= end:
            return answers + [Answer("timeout", _no_time(limits))] * (len(drawn) - len(answers))
        arrays = protocol.packed(compiled.arrays | cases.inputs((one,)))
        asked = _request(source, (_described(one, limits, {}),), limits, arrays, "gpu")
        answers.append(_one_worker(asked, limits, end)[-1])
    return answers


def try_out(source: str, limits: Limits) -> Answer:
    """What the judge's own process makes of `source` when it compiles it."""
    end = time.monotonic() + limits.total_seconds * limits.patience
    return _one_worker(_request(source, (), limits, {}), limits, end)[0]


def _described(one: Drawn, limits: Limits, steps: dict[str, int]) -> CaseRequest:
    allowed = max(limits.steps, limits.steps_ratio * steps.get(one.case.name, 0))
    return cases.described(one, allowed)


def _request(
    source: str,
    requests: tuple[CaseRequest, ...],
    limits: Limits,
    arrays: dict[str, protocol.Array],
    device: str = "simulator",
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


def _one_worker(asked: Request, limits: Limits, end: float) -> list[Answer]:
    """One worker's answers: on the compilation, then on each case it got to. When it ended before
    it was through, the last of them says why."""
    answers: list[Answer] = []
    buffer = bytearray()
    longest = _longest(asked, limits)
    with started(asked) as worker:
        while len(answers) <= len(asked.cases):
            seconds = asked.case_seconds if answers else asked.compile_seconds
            deadline = min(end, time.monotonic() + seconds * limits.patience)
            try:
                reply = _next_reply(worker.replies, buffer, deadline, longest)
                answers.append(_answer(reply, asked, len(answers)))
            except TimeoutError:
                return [*answers, Answer("timeout", _too_slow(bool(answers), asked))]
            except protocol.ProtocolError as error:
                return [*answers, Answer("unsupported", f"{NO_REPLY} ({error}).")]
            except EOFError:
                code = worker.end(LAST_BREATH)
                if code == 0:
                    return answers
                return [*answers, _exit_diagnosis(code, worker.complaint(), bool(answers), asked)]
            if answers[-1].status == "timeout":
                break
    return answers


def _next_reply(replies: int, buffer: bytearray, deadline: float, longest: int) -> Reply:
    """The next reply; TimeoutError at `deadline` (of time.monotonic), EOFError at the end,
    ProtocolError for what is none."""
    ready = select.poll()
    ready.register(replies, select.POLLIN)
    while (reply := protocol.take(buffer, Reply, longest)) is None:
        if not ready.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        chunk = os.read(replies, 1 << 20)
        if not chunk:
            raise EOFError
        buffer += chunk
    return reply


def _longest(asked: Request, limits: Limits) -> int:
    """Bytes that a reply may have."""
    if asked.device == "compiler":
        return SLACK + limits.file_bytes
    inputs = sum(array.data.nbytes for array in asked.arrays.values())
    made = sum(_size(one) for case in asked.cases for one in case.outputs.values())
    return SLACK + inputs + 2 * made  # as it is, and which of it was written or a second run's


def _size(buffer: protocol.Buffer) -> int:
    return math.prod(buffer.shape) * np.dtype(buffer.dtype).itemsize


def _answer(reply: Reply, asked: Request, number: int) -> Answer:
    """The worker's reply number `number`, taken only if its arrays are those that were asked for.
    The first is about the compilation."""
    arrays = protocol.unpacked(reply.arrays)
    if number and reply.status == "ran":
        wanted = _wanted(asked, asked.cases[number - 1])
        if {name: (one.shape, one.dtype.str) for name, one in arrays.items()} != wanted:
            raise protocol.ProtocolError("other arrays than were asked for")
    return Answer(
        reply.status,
        shortened(reply.message),
        reply.line,
        bounded(reply.diagnostics),
        reply.counters,
        reply.costs,
        reply.opcodes,
        reply.steps,
        arrays,
        {number: shortened(text) for number, text in reply.left.items()},
    )


def _wanted(asked: Request, case: CaseRequest) -> dict[str, tuple[tuple[int, ...], str]]:
    """The shape and dtype of every array of a reply about `case`, by name."""
    sent = ((name, asked.arrays[f"{case.position}/{name}"]) for name in case.inputs)
    wanted = {f"input/{name}": (tuple(one.shape), one.dtype) for name, one in sent}
    for name, one in case.outputs.items():
        wanted[f"output/{name}"] = (one.shape, one.dtype)
        if asked.device == "gpu":
            wanted[f"second/{name}"] = (one.shape, one.dtype)
        else:
            wanted[f"written/{name}"] = (one.shape, "|b1")
    return wanted


def _too_slow(compiled: bool, asked: Request) -> str:
    if not compiled:
        return (
            f"The compiler was still busy after {asked.compile_seconds:g} s. Look for templates or "
            "constexpr functions that never come to an end."
        )
    return (
        f"The kernel was still running after {asked.case_seconds:g} s and was stopped. "
        "Look for a loop whose condition never becomes false."
    )


def _no_time(limits: Limits) -> str:
    return (
        f"Not run: the cases before this one used up all of the {limits.total_seconds:g} s "
        "that one verdict may take."
    )


def _exit_diagnosis(code: int, complaint: str, compiled: bool, asked: Request) -> Answer:
    """What to tell of a worker that ended with exit status `code` before it was through."""
    if code in (-signal.SIGPROF, -signal.SIGXCPU):
        return Answer("timeout", _too_slow(compiled, asked))
    if code < 0:
        name = signal.Signals(-code).name
        who, look = (
            ("process that ran your kernel", "the sizes of your arrays and at recursion")
            if compiled
            else ("compiler", "huge arrays, unrolled loops and templates")
        )
        return Answer(
            "launch_error" if compiled or code == -signal.SIGKILL else "compile_error",
            f"The {who} was ended by {name}, most likely because it asked "
            f"for more than the {asked.memory_bytes / 2**30:.3g} GiB it may use. Look at "
            f"{look} without an end.",
            killed=code == -signal.SIGKILL,
        )
    if "No module named" in complaint:
        complaint += f". {ALONE}"
    return Answer(
        "unsupported", f"The grader's sandbox failed ({complaint}); tell your instructor."
    )
