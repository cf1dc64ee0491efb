"""A worker's process: started, spoken to, watched, and ended with all that it started.

Each worker gets its own process group, an empty directory, an environment of what CUDA needs and
no inherited descriptors; at the end its whole group gets SIGKILL, whatever it is doing (Windows has
no groups: it and its children are ended). It is forked from a server that has the imports behind it
(`forkserver`), or, where there is no fork and for a GPU, whose driver does not survive one, a fresh
Python.

Linux holds a process to limits on its memory and its time by itself. macOS does not limit memory,
and Windows has neither signals nor resource limits; there the judge looks ten times per second, and
what uses more than it may has had it for that long.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from queue import Empty, SimpleQueue

import psutil

from .. import compilers
from ..disk_cache import cache_home
from ..errors import unless
from .protocol import Device, Opening, ProtocolError, Question, Reply, encode, take_reply
from .sandbox.rlimits import GRACE

if sys.platform == "linux":
    from .sandbox import forkserver

COMMAND = (sys.executable, "-I", "-m", "grader.judge.sandbox.main")
PASSED_ON = (
    *("CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PATH"),
    "SYSTEMROOT",  # Windows starts nothing without
    compilers.CHOICE,
)
FORKS = sys.platform == "linux" and forkserver.AVAILABLE
WATCHED = sys.platform != "linux"
EVERY = 0.1  # seconds between two looks
KILLED = -9  # the exit status of what was ended by SIGKILL


class Worker:
    """A running worker; `close` ends its whole process group."""

    def __init__(self, device: Device):
        with ExitStack() as held:
            self._complaints = held.enter_context(tempfile.TemporaryFile())
            folder = held.enter_context(
                tempfile.TemporaryDirectory(prefix="warpwise-", ignore_cleanup_errors=True)
            )
            stdin, self._questions = os.pipe()
            end, stdout = os.pipe()
            self._answers = _Reader(end)
            held.callback(self._answers.close)
            try:
                self.pid, self._ending = _start(
                    device, folder, (stdin, stdout, self._complaints.fileno())
                )
            except BaseException:
                os.close(self._questions)
                raise
            finally:
                os.close(stdin)
                os.close(stdout)
            self._held = held.pop_all()
        self._buffer = bytearray()
        self._writing: threading.Thread | None = None
        self._code: int | None = None

    def send(self, message: Opening | Question) -> None:
        """Begin to hand a message over. A thread does so, as the worker may never read it."""
        self._writing = threading.Thread(
            target=_write, args=(self._questions, encode(message)), daemon=True
        )
        self._writing.start()

    def receive(self, deadline: float, longest: int, seconds: float, memory_bytes: int) -> Reply:
        """The reply to the message that was sent last, of at most `longest` bytes; TimeoutError at
        `deadline` (of time.monotonic), EOFError at the end, ProtocolError for what is none. Of a
        process that no system holds to its limits, TimeoutError when it has used `seconds` more of
        the CPU's time than now, and MemoryError when it has more than `memory_bytes`."""
        latest = _used(self.pid)[0] + seconds + GRACE if WATCHED else 0.0
        while (reply := take_reply(self._buffer, longest)) is None:
            left = max(0.0, deadline - time.monotonic())
            try:
                chunk = self._answers.read(min(left, EVERY) if WATCHED else left)
            except TimeoutError:
                if not WATCHED or left <= EVERY:
                    raise
                used, size = _used(self.pid)
                if size > memory_bytes:
                    raise MemoryError from None
                if used > latest:
                    raise
                continue
            self._buffer += unless(chunk, EOFError())
        unless(not self._buffer, ProtocolError("more than one answer to a question"))
        return reply

    def seconds(self) -> float:
        """How much of the CPU's time the process has used, which its system's limit is about."""
        with suppress(psutil.Error):
            times = psutil.Process(self.pid).cpu_times()
            return float(times.user + times.system)
        return 0.0

    def end(self, patience: float = 0.0) -> int:
        """Its exit status, after waiting `patience` seconds for it to end by itself."""
        if self._code is None:
            self._code = self._ending(patience)
        return self._code

    def complaint(self) -> str:
        """The last line of its stderr, of which it reads 4 KiB."""
        self._complaints.seek(max(0, self._complaints.seek(0, os.SEEK_END) - 4096))
        return self._complaints.read().decode(errors="replace").strip().rpartition("\n")[2]

    def close(self) -> None:
        """End it, and let go of all that it had."""
        try:
            self.end()
        finally:
            if self._writing:
                self._writing.join(1.0)  # it notices soon that the other end of its pipe is gone
            if not (self._writing and self._writing.is_alive()):  # else the number is in use
                os.close(self._questions)
            self._held.close()


class _Reader:
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
                self._chunks.put(os.read(self._descriptor, 1 << 20))
        except OSError:  # Windows' way to say that the other end is gone
            self._chunks.put(b"")
        finally:
            os.close(self._descriptor)


def _write(descriptor: int, message: bytes) -> None:
    # OSError: the worker is gone, which its answers tell.
    with suppress(OSError), open(descriptor, "wb", closefd=False) as questions:
        questions.write(message)


def _start(
    device: Device, folder: str, files: tuple[int, int, int]
) -> tuple[int, Callable[[float], int]]:
    """A worker's process id, and what ends it."""
    if sys.platform == "linux" and FORKS and device == "simulator":
        with suppress(forkserver.ServerGone, OSError):
            server = forkserver.server(COMMAND, _environment("/nonexistent"))
            if pid := server.ask(forkserver.Fork(folder), files):
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
            return server.ask(forkserver.End(pid, patience))
        except forkserver.ServerGone:  # somebody killed it
            _kill_group(pid)
            return KILLED


def _kill_group(pid: int) -> None:
    if sys.platform == "win32":
        for process in _tree(pid):
            with suppress(psutil.Error):
                process.kill()
    else:
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)


def _environment(folder: str) -> dict[str, str]:
    """What CUDA needs to be found, a home that is the empty folder, which goes with what is left in
    it, and the compiler's cache."""
    return {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        **dict.fromkeys(("HOME", "TMPDIR", "TEMP"), folder),
        "XDG_CACHE_HOME": str(cache_home()),
        # BLAS would start a thread for each core, and each reserves address space.
        "OPENBLAS_NUM_THREADS": "1",
    }


def _used(pid: int) -> tuple[float, int]:
    """Seconds of the CPU's time and bytes of memory, of the process and its descendants."""
    seconds, size = 0.0, 0
    for process in _tree(pid):
        with suppress(psutil.Error):
            times = process.cpu_times()
            seconds += times.user + times.system
            size += process.memory_info().rss
    return seconds, size


def _tree(pid: int) -> list[psutil.Process]:
    """The process and its descendants, children first; of one in Windows' virtual environment the
    only child is the Python that works."""
    with suppress(psutil.Error):
        root = psutil.Process(pid)
        return [*root.children(recursive=True), root]
    return []
