"""What one verdict may use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one verdict may use. After `steps` instruction steps, or `steps_ratio` times what the
    solution needed, whichever is more, the simulated device calls a loop endless and names its
    line; reasoning about every size may be as much work as `reasoning` seconds of a usual machine.
    Both are counted, so that a verdict is the same on every machine. Time is the net behind that:
    the compilation has `compile_seconds` of the CPU's time, each case `case_seconds`, all of them
    together `total_seconds`, and the reasoning `reasoning_seconds`. On the clock each may take
    `patience` times as long."""

    steps: int = 30_000
    steps_ratio: int = 8
    compile_seconds: float = 6.0
    case_seconds: float = 5.0
    total_seconds: float = 15.0
    reasoning: float = 4.5
    reasoning_seconds: float = 10.0
    patience: float = 15.0
    memory_bytes: int = 1792 << 20
    file_bytes: int = 64 << 20
