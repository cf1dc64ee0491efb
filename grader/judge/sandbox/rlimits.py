"""What a worker holds itself to, as far as its system can: POSIX's resource limits, and its timer
of the processor's time. What it cannot, the judge watches from outside (see `worker.Worker`)."""

import math
import sys
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from ...cuda.errors import OutOfTime
from ..protocol import Opening

if sys.platform != "win32":
    import resource
    import signal

GRACE = 1.0  # seconds of the CPU's after which a worker that does not listen is killed


def limit(opening: Opening) -> None:
    """Limits on this process; the judge also watches the clock."""
    limits = {
        "RLIMIT_CPU": opening.latest,
        "RLIMIT_FSIZE": opening.file_bytes,
        "RLIMIT_CORE": 0,
    }
    if opening.device != "gpu":  # CUDA's driver reserves hundreds of GB, and needs threads
        limits["RLIMIT_NOFILE"] = 64
        if sys.platform == "linux":  # macOS knows the name, and does not hold anybody to it
            limits["RLIMIT_AS"] = opening.memory_bytes
    for what, most in limits.items():
        _hold_to(what, most)


def start_no_process() -> None:
    """From now on this process starts no other."""
    _hold_to("RLIMIT_NPROC", 0, for_good=True)


def end_at_the_latest(seconds: float, in_all: int) -> None:
    """A limit for what does not come back to Python to hear SIGPROF, and for a program that this
    process starts: so many `seconds` of the CPU's from now, and never more than `in_all`."""
    _hold_to("RLIMIT_CPU", min(math.ceil(time.process_time() + seconds + GRACE), in_all))


def _hold_to(what: str, most: int, for_good: bool = False) -> None:
    """Hold this process to a limit, which can be raised again unless it is `for_good`."""
    if sys.platform != "win32":
        limit = getattr(resource, what)
        with suppress(ValueError):  # the machine's own limit is tighter already
            resource.setrlimit(limit, (most, most if for_good else resource.getrlimit(limit)[1]))


def raise_when_time_is_up() -> None:
    """Let the end of `time_for` raise OutOfTime in Python, where it else ends the process."""
    if sys.platform != "win32":
        signal.signal(signal.SIGPROF, _out_of_time)


@contextmanager
def time_for(seconds: float) -> Iterator[None]:
    """SIGPROF after so many seconds of the CPU's time, whatever else the machine is doing."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        if sys.platform != "win32":
            signal.setitimer(signal.ITIMER_PROF, 0)


def _out_of_time(number: int, frame: types.FrameType | None) -> NoReturn:
    raise OutOfTime
