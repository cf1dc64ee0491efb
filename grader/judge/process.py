"""The sandbox's life: start it, read its answers as they come, end it when it takes too long.

Each child gets its own process group, an empty directory, an environment of what CUDA needs and
no inherited descriptors; at the end its whole group gets SIGKILL, whatever it is doing.
"""

from __future__ import annotations

import math
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from . import wire
from .cases import Drawn, request

COMMAND = (sys.executable, "-I", "-m", "grader.judge.sandbox")
ALONE = (
    "The judge's process sees neither what `pip install --user` installed nor PYTHONPATH, where "
    "a learner's file could take a module's place: install the course into an environment of its "
    "own, by `make lab` or by pip in a virtual environment"
)
PASSED_ON = ("CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "PATH")


@dataclass(frozen=True)
class Limits:
    """What one verdict may use. The compilation and each case have `case_seconds` of the CPU's
    time, so that a busy machine changes no verdict; all of them together have `total_seconds`.
    On the clock each may take `patience` times as long. After `steps` instruction steps the
    simulated device calls a loop endless and names its line, as a rule well before that."""

    steps: int = 200_000
    case_seconds: float = 10.0
    total_seconds: float = 30.0
    patience: float = 4.0
    memory_bytes: int = 4 << 30
    file_bytes: int = 64 << 20


@dataclass(frozen=True)
class Answer:
    """What came of one case; `killed`: that somebody killed its process, not this one. With
    `status` "ran" there are `counters`, `costs` (counter -> the line
    that costs most, and how much), `opcodes` (PTX opcode -> warp instructions), `steps`, `arrays`
    to judge, and in `left` what the first of several launches left changed; any
    other is a verdict's, with its `message` and `line`."""

    status: str
    message: str = ""
    line: int | None = None
    counters: dict[str, int] = field(default_factory=dict)
    costs: dict[str, list[int]] = field(default_factory=dict)
    opcodes: dict[str, int] = field(default_factory=dict)
    steps: int = 0
    arrays: wire.Arrays = field(default_factory=dict)
    left: str = ""
    killed: bool = False


def simulate(source: str, drawn: tuple[Drawn, ...], limits: Limits) -> list[Answer]:
    """One answer for each of `drawn`, from the simulated device. A child that is stopped or dies
    costs the case it was in; another child takes the rest while there is time. Once, a child that
    was killed from outside costs nothing: a machine out of memory does not choose by guilt."""
    end = time.monotonic() + limits.total_seconds * limits.patience
    answers: list[Answer] = []
    spared = False
    while left := drawn[len(answers) :]:
        if time.monotonic() >= end:
            return answers + [Answer("timeout", _no_time(limits))] * len(left)
        asked = request(source, left, _settings("simulator", limits), {})
        compiled, *found = _one_child(asked, limits, end)
        if not spared and (found or [compiled])[-1].killed:
            spared = True
            answers += found[:-1]
            continue
        if compiled.status != "ran":
            return answers + [compiled] * len(left)
        answers += found
    return answers


def run_on_gpu(source: str, drawn: tuple[Drawn, ...], limits: Limits) -> list[Answer]:
    """One answer for each of `drawn`, from this machine's GPU. Each case has a process of its
    own, for a CUDA error sticks to its process; the compiler has one too, which has given up
    every file that is not CUDA's."""
    from ..cuda.gpu import real_architecture

    end = time.monotonic() + limits.total_seconds * limits.patience
    asked = _settings("compiler", limits) | {"architecture": real_architecture()}
    compiled, *_ = _one_child(request(source, (), asked, {}), limits, end)
    if compiled.status != "ran":
        return [compiled] * len(drawn)
    answers: list[Answer] = []
    for one in drawn:
        if time.monotonic() >= end:
            return answers + [Answer("timeout", _no_time(limits))] * (len(drawn) - len(answers))
        asked = request(source, (one,), _settings("gpu", limits), compiled.arrays)
        answers.append(_one_child(asked, limits, end)[-1])
    return answers


def try_out(source: str, limits: Limits) -> Answer:
    """What the judge's own process makes of `source` when it compiles it."""
    end = time.monotonic() + limits.total_seconds * limits.patience
    return _one_child(request(source, (), _settings("simulator", limits), {}), limits, end)[0]


def _settings(device: str, limits: Limits) -> dict:
    return {
        "device": device,
        "steps": limits.steps,
        "memory_bytes": limits.memory_bytes,
        "file_bytes": limits.file_bytes,
        "cpu_seconds": math.ceil(limits.total_seconds),
        "case_seconds": limits.case_seconds,
    }


def _one_child(asked: bytes, limits: Limits, end: float) -> list[Answer]:
    """One child's answers: on the compilation, then on each case it got to. When it ended before
    it was through, the last of them says why."""
    answers: list[Answer] = []
    buffer = bytearray()
    with _child(asked) as (child, complaints):
        while True:
            deadline = min(end, time.monotonic() + limits.case_seconds * limits.patience)
            try:
                data, arrays = _next_message(child, buffer, deadline)
            except TimeoutError:
                return [*answers, Answer("timeout", _too_slow(bool(answers), limits))]
            except EOFError:
                code = child.wait()
                if code == 0:
                    return answers
                return [*answers, _obituary(code, complaints, bool(answers), limits)]
            answers.append(Answer(**data, arrays=arrays))


def _next_message(child: subprocess.Popen, buffer: bytearray, deadline: float) -> wire.Message:
    """The next message; TimeoutError at `deadline` (of time.monotonic), EOFError at the end."""
    ready = select.poll()
    ready.register(child.stdout, select.POLLIN)
    while (message := wire.unpack(buffer)) is None:
        if not ready.poll(max(0.0, deadline - time.monotonic()) * 1000):
            raise TimeoutError
        chunk = os.read(child.stdout.fileno(), 1 << 20)
        if not chunk:
            raise EOFError
        buffer += chunk
    return message


@contextmanager
def _child(asked: bytes) -> Iterator[tuple[subprocess.Popen, BinaryIO]]:
    """A running sandbox that has been asked, and the file of its stderr. Its whole process group
    is gone afterwards."""
    with (
        tempfile.TemporaryFile() as question,
        tempfile.TemporaryFile() as complaints,
        tempfile.TemporaryDirectory(prefix="warpwise-") as folder,
    ):
        question.write(asked)
        question.seek(0)
        child = subprocess.Popen(
            COMMAND,
            stdin=question,
            stdout=subprocess.PIPE,
            stderr=complaints,
            cwd=folder,
            env=_environment(folder),
            start_new_session=True,
        )
        try:
            yield child, complaints
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            child.stdout.close()


def _environment(folder: str) -> dict[str, str]:
    """What CUDA needs to be found, a home that is the empty folder, and the compiler's cache."""
    passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    # BLAS would start a thread for each core, and each reserves address space.
    return {**passed_on, "HOME": folder, "XDG_CACHE_HOME": cache, "OPENBLAS_NUM_THREADS": "1"}


def _too_slow(compiled: bool, limits: Limits) -> str:
    if not compiled:
        return (
            f"The compiler was still busy after {limits.case_seconds:g} s. Look for templates or "
            "constexpr functions that never come to an end."
        )
    return (
        f"The kernel was still running after {limits.case_seconds:g} s and was stopped. "
        "Look for a loop whose condition never becomes false."
    )


def _no_time(limits: Limits) -> str:
    return (
        f"Not run: the cases before this one used up all of the {limits.total_seconds:g} s "
        "that one verdict may take."
    )


def _obituary(code: int, complaints: BinaryIO, compiled: bool, limits: Limits) -> Answer:
    """What to tell of a child that ended with exit status `code` before it was through."""
    if code in (-signal.SIGPROF, -signal.SIGXCPU):
        return Answer("timeout", _too_slow(compiled, limits))
    if code < 0:
        name = signal.Signals(-code).name
        return Answer(
            "launch_error",
            f"The process that ran your kernel was ended by {name}, most likely because it asked "
            f"for more than the {limits.memory_bytes / 2**30:.3g} GiB it may use. Look at the "
            "sizes of your arrays and at recursion without an end.",
            killed=code == -signal.SIGKILL,
        )
    complaints.seek(0)
    last = complaints.read().decode(errors="replace").strip().rpartition("\n")[2]
    if "No module named" in last:
        last += f". {ALONE}"
    return Answer("unsupported", f"The grader's sandbox failed ({last}); tell your instructor.")
