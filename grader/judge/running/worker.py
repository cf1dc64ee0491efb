"""A worker's process: started, asked, and ended with all that it started.

Each worker gets its own process group, an empty directory, an environment of what CUDA needs and
no inherited descriptors; at the end its whole group gets SIGKILL, whatever it is doing (Windows has
no groups: it and its children are ended). It is forked from a server that has the imports behind it
(`forkserver`), or, where there is no fork and for a GPU, whose driver does not survive one, a fresh
Python.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from typing import IO

from ... import compilers
from ...disk_cache import cache_home
from .. import protocol
from ..protocol import Request
from . import watch

if sys.platform == "linux":
    from ..sandbox import forkserver

COMMAND = (sys.executable, "-I", "-m", "grader.judge.sandbox.main")
PASSED_ON = (
    *("CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PATH"),
    "SYSTEMROOT",  # Windows starts nothing without
    compilers.CHOICE,
)
FORKS = sys.platform == "linux" and forkserver.AVAILABLE
COMPLAINT = 4096  # bytes of a worker's stderr that are read
CHUNK = 1 << 20  # bytes of its answers that are read at a time
KILLED = -9  # the exit status of what was ended by SIGKILL


class Pipe:
    """The reading end of a pipe, which is this object's from now on. It is read by a thread, as
    only POSIX can wait for a pipe and give up; never further than what was asked for."""

    def __init__(self, descriptor: int):
        self._descriptor = descriptor
        self._orders: SimpleQueue[bool] = SimpleQueue()
        self._chunks: SimpleQueue[bytes] = SimpleQueue()
        self._reading = False
        threading.Thread(target=self._read, daemon=True).start()

    def read(self, seconds: float) -> bytes:
        """What comes next, b"" at the end. TimeoutError after so many seconds."""
        if not self._reading:
            self._orders.put(True)
            self._reading = True
        try:
            chunk = self._chunks.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None
        self._reading = False
        return chunk

    def close(self) -> None:
        """Once nothing more can come."""
        self._orders.put(False)

    def _read(self) -> None:
        try:
            while self._orders.get():
                self._chunks.put(os.read(self._descriptor, CHUNK))
        except OSError:  # Windows' way to say that the other end is gone
            self._chunks.put(b"")
        finally:
            os.close(self._descriptor)


@dataclass
class Worker:
    """A running worker: its process group, what ends that after some seconds of patience and tells
    the exit status, where it answers and complains."""

    pid: int
    ending: Callable[[float], int]
    replies: Pipe
    complaints: IO[bytes]
    code: int | None = None

    def end(self, patience: float = 0.0) -> int:
        """Its exit status, after waiting `patience` seconds for it to end by itself."""
        if self.code is None:
            self.code = self.ending(patience)
        return self.code

    def complaint(self) -> str:
        """The last line of its stderr."""
        size = self.complaints.seek(0, os.SEEK_END)
        self.complaints.seek(max(0, size - COMPLAINT))
        return self.complaints.read().decode(errors="replace").strip().rpartition("\n")[2]


@contextmanager
def started(asked: Request) -> Iterator[Worker]:
    """A running worker that has been asked. Its whole process group is gone afterwards."""
    with (
        tempfile.TemporaryFile() as question,
        tempfile.TemporaryFile() as complaints,
        tempfile.TemporaryDirectory(prefix="warpwise-", ignore_cleanup_errors=True) as folder,
    ):
        question.write(protocol.encode(asked))
        question.seek(0)
        end, answers = os.pipe()
        replies = Pipe(end)
        try:
            files = (question.fileno(), answers, complaints.fileno())
            try:
                pid, ending = _start(asked.device, folder, files)
            finally:
                os.close(answers)
            worker = Worker(pid, ending, replies, complaints)
            try:
                yield worker
            finally:
                worker.end()
        finally:
            replies.close()


def _start(
    device: str, folder: str, files: tuple[int, int, int]
) -> tuple[int, Callable[[float], int]]:
    """A worker's process id, and what ends it."""
    if sys.platform == "linux" and FORKS and device in ("simulator", "reasoning"):
        with suppress(forkserver.ServerGone, OSError):
            server = forkserver.server(COMMAND, _environment("/nonexistent"))
            if pid := server.fork(folder, files):
                return pid, partial(_end_forked, server, pid)
    stdin, stdout, stderr = files
    child = subprocess.Popen(
        COMMAND,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=folder,
        env=_environment(folder),
        start_new_session=True,
    )
    return child.pid, partial(_end, child)


def _end(child: subprocess.Popen[bytes], patience: float) -> int:
    with suppress(subprocess.TimeoutExpired):
        child.wait(patience)
    _kill_group(child.pid)
    return child.wait()


if sys.platform == "linux":

    def _end_forked(server: forkserver.ForkServer, pid: int, patience: float) -> int:
        try:
            return server.end(pid, patience)
        except forkserver.ServerGone:  # somebody killed it
            _kill_group(pid)
            return KILLED


def _kill_group(pid: int) -> None:
    if sys.platform == "win32":
        watch.kill_tree(pid)
    else:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _environment(folder: str) -> dict[str, str]:
    """What CUDA needs to be found, a home that is the empty folder, which goes with what is left in
    it, and the compiler's cache."""
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    cache = str(cache_home())
    own = dict.fromkeys(("HOME", "TMPDIR", "TEMP"), folder)
    # BLAS would start a thread for each core, and each reserves address space.
    return {**passed_on, **own, "XDG_CACHE_HOME": cache, "OPENBLAS_NUM_THREADS": "1"}
