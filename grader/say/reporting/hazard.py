"""Findings: what is wrong, or doubtful, in a run, and where."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Hazard:
    """Something wrong, or (`warning`) doubtful, in a run. `status` is the verdict's word for it.
    Lines count from 1 in the learner's source; indices are (x, y, z); None where unknown."""

    status: str
    message: str
    kernel: str
    line: int | None
    other_line: int | None = None
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None
    other_thread: tuple[int, int, int] | None = None
    warning: bool = False
