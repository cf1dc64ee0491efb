"""A process that has imported what workers need, and forks one for each learner's kernel.

A fork takes a few milliseconds where a fresh Python takes a quarter of a second. The server reads
nothing that a learner wrote and nothing that a worker says: it is told where to fork to, by
descriptors and a folder, and which worker to end. So a worker finds in its memory what the
modules hold, and no trace of one before it. The server has one thread, else it refuses to fork;
it ends when its socket is closed or its parent is gone, and its workers with it. Linux alone has
what this takes.
"""

import gc
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import msgspec

if sys.platform != "linux":  # macOS lacks pidfd, and Windows all of it
    raise ImportError("only Linux has what the server takes")

AVAILABLE = hasattr(os, "fork") and hasattr(os, "pidfd_open") and hasattr(socket, "send_fds")
SERVE = "serve"  # the command-line argument that makes a worker's program a server
LONGEST = 8192  # bytes of an order: little more than a path


class Fork(msgspec.Struct, frozen=True, tag=True):
    """Fork a worker that works in `folder`; its stdin, stdout and stderr come along. The answer is
    its process id, or 0 where the server must not fork."""

    folder: str


class End(msgspec.Struct, frozen=True, tag=True):
    """Wait `patience` seconds for a worker to end, kill its process group, and answer with its
    exit status."""

    pid: int
    patience: float


def serve(warm_up: Callable[[], None], work: Callable[[], NoReturn]) -> None:
    """Fork workers that do `work`, as the socket on stdin asks."""
    control = socket.socket(fileno=os.dup(0))
    warm_up()
    gc.freeze()  # what is here now stays shared with every worker
    workers: set[int] = set()
    try:
        while _hears(control):
            message, files, _, _ = socket.recv_fds(control, LONGEST, 3)
            if not message:
                return
            order = msgspec.msgpack.decode(message, type=Fork | End)
            if isinstance(order, Fork):
                control.send(msgspec.msgpack.encode(_fork(order, files, workers, work)))
            else:
                # A worker that this server does not have counts as killed.
                status = _end(order) if order.pid in workers else -signal.SIGKILL
                workers.discard(order.pid)
                control.send(msgspec.msgpack.encode(status))
    finally:
        for pid in workers:
            _kill(pid)


def _hears(control: socket.socket) -> bool:
    """Wait for an order; False when the parent is gone."""
    with suppress(ProcessLookupError):
        parent = os.pidfd_open(os.getppid())
        try:
            return parent not in select.select([control.fileno(), parent], [], [])[0]
        finally:
            os.close(parent)
    return False


def _fork(order: Fork, files: list[int], workers: set[int], work: Callable[[], NoReturn]) -> int:
    """The worker's process id; 0 where forking would not be safe."""
    try:
        if len(os.listdir("/proc/self/task")) > 1:  # noqa: PTH208, names alone
            return 0
        pid = os.fork()
        if pid == 0:
            _become(order.folder, files, work)
        workers.add(pid)
        return pid
    finally:
        for file in files:
            os.close(file)


def _become(folder: str, files: list[int], work: Callable[[], NoReturn]) -> NoReturn:
    """What the forked process does: it leaves everything of the server's, and works."""
    try:
        os.setsid()
        for target, file in enumerate(files):
            os.dup2(file, target)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.chdir(folder)
        os.environ["HOME"] = folder
        work()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


def _end(order: End) -> int:
    worker = os.pidfd_open(order.pid)
    select.select([worker], [], [], order.patience)
    os.close(worker)
    _kill(order.pid)  # it, and what it may have started
    return os.waitstatus_to_exitcode(os.waitpid(order.pid, 0)[1])


def _kill(pid: int) -> None:
    # A worker killed before it has a group of its own is killed by its process id.
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


class ServerGone(Exception):
    """The server has ended, or could not be started."""


class ForkServer:
    """The judge's end. Its methods may be called by several threads."""

    def __init__(self, command: tuple[str, ...], environment: dict[str, str]):
        self._started_with = (command, environment)
        self._one_at_a_time = threading.Lock()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control.settimeout(60.0)  # seconds in which it starts on a busy machine
        with theirs:
            self._process = subprocess.Popen(
                (*command, SERVE),
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=Path("/"),
                env=environment,
                start_new_session=True,
            )

    def serves(self, command: tuple[str, ...], environment: dict[str, str]) -> bool:
        """Whether it is alive, and was started with these."""
        return self._started_with == (command, environment) and self._process.poll() is None

    def close(self) -> None:
        self._control.close()

    def ask(self, order: Fork | End, files: tuple[int, ...] = ()) -> int:
        """The server's answer to an order, with the `files` that a new worker gets. ServerGone."""
        with self._one_at_a_time:
            try:
                socket.send_fds(self._control, [msgspec.msgpack.encode(order)], files)
                return msgspec.msgpack.decode(self._control.recv(LONGEST), type=int)
            except (OSError, msgspec.DecodeError) as error:
                self._control.close()
                raise ServerGone from error


_servers: list[ForkServer] = []  # at most one, of this process
_choosing = threading.Lock()


def server(command: tuple[str, ...], environment: dict[str, str]) -> ForkServer:
    """This process's server for `command` in `environment`, started when there is none."""
    with _choosing:
        if not (_servers and _servers[0].serves(command, environment)):
            reset()
            _servers.append(ForkServer(command, environment))
        return _servers[0]


def reset() -> None:
    """Let go of the server; it ends when nobody holds its socket."""
    for old in _servers:
        old.close()
    _servers.clear()


def _in_a_forked_process() -> None:
    global _choosing
    _choosing = threading.Lock()  # another thread may have held it
    reset()


if AVAILABLE:
    os.register_at_fork(after_in_child=_in_a_forked_process)
