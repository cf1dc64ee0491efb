"""Commands of the grader's in processes that are forked from one that has imported what they need,
so that a test can give a hundred of them."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import served
from small_class import place_of

FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    [
        *(f"grader.cli.{name}_commands" for name in ("learner", "classroom", "course")),
        *(f"grader.classroom.{name}" for name in ("appeals", "batch", "feedback", "lecture")),
        *(f"grader.classroom.{name}" for name in ("pushing", "report", "serving")),
        *("grader.notebook.verdict_card", "pytest", "typer.testing"),
    ]
)
PATIENCE = 120.0  # seconds


class Command:
    """A command of a user's at work. `broken` as `served.command` has it."""

    def __init__(self, here, *arguments, broken=(), user=None):
        self.folder = Path(tempfile.mkdtemp(prefix="command-"))
        environment = dict(os.environ) | ({"LOGNAME": user} if user else {})
        given = (arguments, broken, place_of(here), environment, self.folder)
        self.process = FORKS.Process(target=_begin, args=given)
        self.process.start()
        self.pid, self._seen = self.process.pid, 0

    def line(self):
        """The next whole line on stdout; empty where the command has ended."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            is_over = not self.process.is_alive()
            line, is_whole, _ = self.said("stdout")[self._seen :].partition("\n")
            if is_whole or is_over:
                self._seen += len(line + is_whole)
                return line + is_whole
            time.sleep(0.02)
        raise AssertionError(self.said("stderr"))

    def said(self, stream):
        path = self.folder / stream
        return path.read_text() if path.exists() else ""

    def wait(self, timeout=PATIENCE):
        """The exit status; below 0 the signal."""
        self.process.join(timeout)
        assert self.process.exitcode is not None, "it is still at work"
        return self.process.exitcode

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """As by `kill -9`, if it is still at work; also what it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self.process.join()
        shutil.rmtree(self.folder)


def _begin(arguments, broken, place, environment, folder):
    """In the process itself."""
    os.setsid()
    os.chdir(place)
    os.environ.clear()
    os.environ.update(environment)
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(folder / name, os.O_CREAT | os.O_WRONLY | os.O_APPEND), number)
    sys.argv = ["grader", str(len(broken)), *broken, *arguments]
    exec(served.BROKEN, {"__name__": "__main__"})


def ran(here, *arguments, broken=(), user=None):
    """What `served.ran` returns."""
    with Command(here, *arguments, broken=broken, user=user) as command:
        status = command.wait()
        return subprocess.CompletedProcess(
            arguments, status, command.said("stdout"), command.said("stderr")
        )


class Service(served.Service):
    """`grader serve`."""

    def __init__(self, here, *options, broken=()):
        self.process = Command(here, "serve", *options, broken=broken)
        self.url = served.address(self.process.line(), self.process.said("stderr"))

    def __exit__(self, *how):
        self.process.__exit__(*how)
