"""A worker's replies, read as they come: each on time, of a bounded size, and about what was asked
for."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import msgspec
import numpy as np

from ...cuda.diagnostics import bounded
from ...status import Status
from .. import protocol
from ..protocol import CaseRequest, Failed, Ran, Reply, Request
from ..verdict import shortened
from . import watch
from .exit_diagnosis import ended, exit_diagnosis, too_slow
from .limits import Limits
from .worker import Pipe, Worker

SLACK = 1 << 20  # bytes of a reply beside its arrays
TOLD = 8 << 20  # bytes of an element's making
NO_REPLY = (
    "The process that ran your kernel sent something that is no answer; "
    "please show it to your instructor"
)
LAST_BREATH = 1.0  # seconds a worker that has closed its pipe is given to end by itself

Outcome = Ran | Failed


def outcomes(worker: Worker, asked: Request, limits: Limits, end: float) -> Iterator[Outcome]:
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
            yield too_slow(compiled, asked)
            return
        except MemoryError:
            yield ended("the judge", compiled, asked)
            return
        except protocol.ProtocolError as error:
            yield Failed(Status.UNSUPPORTED, f"{NO_REPLY} ({error}).")
            return
        except EOFError:
            if (code := worker.end(LAST_BREATH)) or not compiled:
                yield exit_diagnosis(code, worker.complaint(), compiled, asked)
            return
        yield outcome
        if ran_out_of_time(outcome):
            return


def ran_out_of_time(outcome: Outcome) -> bool:
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
        _size(one) * (2 + len(case.further_orders))
        for case in asked.cases
        for one in case.outputs.values()
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
    if not case.leaves_arrays:
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
    if not case.leaves_arrays:
        return {}
    return {
        f"{order}/{name}": (one.shape, one.dtype)
        for order in case.further_orders
        for name, one in case.outputs.items()
    }
