"""A worker's process: started, asked, and ended with all that it started.

Each worker gets its own process group, an empty directory, an environment of what CUDA needs and
no inherited descriptors; at the end its whole group gets SIGKILL, whatever it is doing. It is
forked from a server that has the imports behind it (`forkserver`), or, where there is no fork and
for a GPU, whose driver does not survive one, a fresh Python.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ..cuda import compilers
from . import forkserver, protocol
from .protocol import Request

COMMAND = (sys.executable, "-I", "-m", "grader.judge.sandbox")
PASSED_ON = (
    *("CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PATH"),
    compilers.CHOICE,
)
COMPLAINT = 4096  # bytes of a worker's stderr that are read


@dataclass
class Worker:
    """A running worker: its process group, who can end it, where it answers and complains."""

    pid: int
    parent: subprocess.Popen[bytes] | forkserver.ForkServer
    replies: int
    complaints: BinaryIO
    code: int | None = None

    def end(self, patience: float = 0.0) -> int:
        """Its exit status, after waiting `patience` seconds for it to end by itself."""
        if self.code is None:
            try:
                self.code = self._end(patience)
            except forkserver.ServerGone:  # somebody killed it
                _kill_group(self.pid)
                self.code = -signal.SIGKILL
        return self.code

    def _end(self, patience: float) -> int:
        if isinstance(self.parent, forkserver.ForkServer):
            return self.parent.end(self.pid, patience)
        with suppress(subprocess.TimeoutExpired):
            self.parent.wait(patience)
        _kill_group(self.pid)
        return self.parent.wait()

    def complaint(self) -> str:
        """The last line of its stderr."""
        size = self.complaints.seek(0, os.SEEK_END)
        self.complaints.seek(max(0, size - COMPLAINT))
        return self.complaints.read().decode(errors="replace").strip().rpartition("\n")[2]


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


@contextmanager
def started(asked: Request) -> Iterator[Worker]:
    """A running worker that has been asked. Its whole process group is gone afterwards."""
    with (
        tempfile.TemporaryFile() as question,
        tempfile.TemporaryFile() as complaints,
        tempfile.TemporaryDirectory(prefix="warpwise-") as folder,
    ):
        question.write(protocol.encode(asked))
        question.seek(0)
        replies, answers = os.pipe()
        try:
            files = (question.fileno(), answers, complaints.fileno())
            try:
                pid, parent = _start(asked.device, folder, files)
            finally:
                os.close(answers)
            worker = Worker(pid, parent, replies, complaints)
            try:
                yield worker
            finally:
                worker.end()
        finally:
            os.close(replies)


def _start(
    device: str, folder: str, files: tuple[int, int, int]
) -> tuple[int, subprocess.Popen[bytes] | forkserver.ForkServer]:
    """A worker's process id, and who can end it."""
    if forkserver.AVAILABLE and device in ("simulator", "reasoning"):
        with suppress(forkserver.ServerGone, OSError):
            server = forkserver.server(COMMAND, _environment("/nonexistent"))
            if pid := server.fork(folder, files):
                return pid, server
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
    return child.pid, child


def _environment(folder: str) -> dict[str, str]:
    """What CUDA needs to be found, a home that is the empty folder, and the compiler's cache."""
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    # BLAS would start a thread for each core, and each reserves address space.
    return {**passed_on, "HOME": folder, "XDG_CACHE_HOME": cache, "OPENBLAS_NUM_THREADS": "1"}
