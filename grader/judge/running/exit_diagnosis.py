"""What to tell of a worker that ended, or was ended, before it was through."""

from __future__ import annotations

import signal

from ...compilers.compiler import TOO_MUCH
from ...status import Status
from ..protocol import Failed, Request
from .worker import KILLED

ALONE = (
    "The judge's process sees neither what `pip install --user` installed nor PYTHONPATH, where "
    "a learner's file could take a module's place: install the course into an environment of its "
    "own, by `make lab` or by pip in a virtual environment"
)


class Killed(Failed, frozen=True):
    """Somebody killed the process from outside, not this one. Made here alone: no worker can say
    so of itself."""


def too_slow(compiled: bool, asked: Request) -> Failed:
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


def exit_diagnosis(code: int, complaint: str, compiled: bool, asked: Request) -> Failed:
    """What to tell of a worker that ended with exit status `code` before it was through."""
    if code in _TIME_IS_UP:
        return too_slow(compiled, asked)
    if code < 0:
        found = ended(signal.Signals(-code).name, compiled, asked)
        return Killed(Status.LAUNCH_ERROR, found.message) if code == KILLED else found
    if code >= 1 << 31:  # how Windows tells of what nobody caught
        return ended(f"{code:#x}", compiled, asked)
    if "No module named" in complaint:
        complaint += f". {ALONE}"
    message = f"The grader's sandbox failed ({complaint}); tell your instructor."
    return Failed(Status.UNSUPPORTED, message)


# POSIX's, so Windows has none.
_TIME_IS_UP = [-getattr(signal, name) for name in ("SIGPROF", "SIGXCPU") if hasattr(signal, name)]


def ended(what: str, compiled: bool, asked: Request) -> Failed:
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
