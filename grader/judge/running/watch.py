"""A worker seen from outside: what it uses, and its end with all that it started.

Linux holds a process to limits on its memory and its time by itself. macOS does not limit memory,
and Windows has neither signals nor resource limits; there the judge looks ten times a second, and
what uses more than it may has had it for that long.
"""

from __future__ import annotations

import sys
from contextlib import suppress

import psutil

from ..sandbox.rlimits import GRACE

NEEDED = sys.platform != "linux"
EVERY = 0.1  # seconds between two looks


class Watch:
    """One step of a worker's, the compilation or a case: it may use `seconds` more of the CPU's
    time than it has when this begins, and `memory_bytes` in all."""

    def __init__(self, pid: int, seconds: float, memory_bytes: int):
        self._pid, self._memory_bytes = pid, memory_bytes
        self._latest = _used(pid)[0] + seconds + GRACE

    def look(self) -> None:
        """TimeoutError or MemoryError when the worker has used more than it may."""
        seconds, size = _used(self._pid)
        if size > self._memory_bytes:
            raise MemoryError
        if seconds > self._latest:
            raise TimeoutError


def kill_tree(pid: int) -> None:
    """End a process and all that it started, children first found."""
    for one in _tree(pid):
        with suppress(psutil.Error):
            one.kill()


def _tree(pid: int) -> list[psutil.Process]:
    """The process and its descendants; of one in Windows' virtual environment the only child is
    the Python that works."""
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        return [*root.children(recursive=True), root]
    return []


def _used(pid: int) -> tuple[float, int]:
    """Seconds of the CPU's time and bytes of memory, of the process and its descendants."""
    seconds, size = 0.0, 0
    for one in _tree(pid):
        with suppress(psutil.Error):
            times = one.cpu_times()
            seconds += times.user + times.system
            size += one.memory_info().rss
    return seconds, size
