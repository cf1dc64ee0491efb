"""Benchmarks in a process of their own, so that a library that hangs can be stopped.

The other process says who begins before it begins, and then what it found, a line of JSON each. Who
lets nothing be heard for PATIENCE seconds is stopped with that process, and named; another process
goes on at the same size without them.
"""

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..course import Benchmark, Lesson
from ..errors import BadInput
from .timings import Device, Size, Timing, Timings, size_text

PATIENCE = 60.0  # seconds: libraries compile for a size in less
Command = Callable[[int, Sequence[tuple[str, Size]]], Sequence[str]]


class Hung(Exception):
    """Nothing more was heard."""


def measure(
    lesson: Lesson, benchmark: Benchmark, device: Device, report: Callable[[str], object]
) -> Timings:
    """As measuring.measure does it, but that a library that hangs is stopped, and named in the
    timings' `skipped`. Raises BadInput if a variant of the lesson hangs, or the process fails."""
    from .measuring import Begins, Finding, gathered

    def command(first: int, left: Sequence[tuple[str, Size]]) -> Sequence[str]:
        about = (str(lesson.path), benchmark.name, asdict(device), first, left)
        return (sys.executable, "-P", "-m", __name__, json.dumps(about))

    def found() -> Iterator[Finding]:
        for kind, one in supervise(command, benchmark.sizes, [*benchmark.variants]):
            if kind == "begins":
                yield Begins(one["name"], tuple(one["size"]))
            elif kind == "timing":
                yield Timing(**{**one, "size": tuple(one["size"])})
            else:
                yield one

    return gathered(benchmark, device, found(), report)


def supervise(
    command: Command,
    sizes: Sequence[Size],
    ours: Sequence[str],
    patience: float = PATIENCE,
) -> Iterator[tuple[str, Any]]:
    """What the processes say, as pairs such as ("timing", {...}). `command(first, left)` starts
    one at the size of number `first`, without those `left` out; `ours` must not hang."""
    first = 0
    left: list[tuple[str, Size]] = []
    while True:
        name, size = "", sizes[first]
        try:
            for kind, one in _said(command(first, left), patience):
                if kind == "begins":
                    name, size = one["name"], tuple(one["size"])
                yield kind, one
            return
        except Hung:
            first = sizes.index(size)
            at = f"at {size_text(size)}"
            if name in ("", *ours):
                raise BadInput(f"{name or 'The timing'} {at} hangs.") from None
            left.append((name, size))
            yield "skipped", f"{name} {at} was stopped: it hung for {patience:.0f} s."


def _said(command: Sequence[str], patience: float) -> Iterator[tuple[str, Any]]:
    """What one process says until its end, after which nobody waits for it: libraries' own
    processes may take long to leave. Raises Hung after so many seconds of silence, and BadInput if
    it stops in the middle."""
    here = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    same = os.environ | {"PYTHONPATH": os.pathsep.join(here)}  # the grader that this process has
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, start_new_session=True, env=same
    ) as process:
        assert process.stdout
        pipe, rest = process.stdout.fileno(), b""
        try:
            while select.select([pipe], [], [], patience)[0]:
                if not (read := os.read(pipe, 1 << 16)):
                    status = process.wait(patience)
                    raise BadInput(f"The process that times ended with {status}.")
                *lines, rest = (rest + read).split(b"\n")
                for kind, one in map(json.loads, lines):
                    if kind == "end":
                        return
                    yield kind, one
            raise Hung
        finally:  # it, and what it has started: compilers, where a library brings one
            if sys.platform == "win32":
                process.kill()
            else:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


def main(path: str, name: str, device: dict[str, Any], first: int, left: list[Any]) -> None:
    """The other process. What libraries print must not come between what it says."""
    from .. import course
    from .measuring import Begins, findings

    said = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    lesson = course.lesson(Path(path).name, Path(path).parent)
    without = frozenset((who, tuple(size)) for who, size in left)
    for one in findings(lesson, lesson.benchmark(name), Device(**device), first, without):
        kind = {Begins: "begins", Timing: "timing"}.get(type(one), "skipped")
        print(json.dumps([kind, one if isinstance(one, str) else asdict(one)]), file=said)
    print(json.dumps(["end", ""]), file=said)


if __name__ == "__main__":
    main(*json.loads(sys.argv[1]))
