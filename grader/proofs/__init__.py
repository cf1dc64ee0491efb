"""What a kernel does at every size that an exercise's rule allows.

    found = analysis.tried(source, rules, solution)
    found = analysis.examine(source, rules, seconds=10)
    found.outcome, found.error, str(found.trial)

`tried` launches it at the numbers that stand in its PTX (`constants`, `launches`, `trying`), on the
simulated GPU. `examine` reasons: a symbolic thread goes through the program (`thread`, `rounds`);
what must not happen is asked of Z3 (`questions`, `scenes`), and what may happen is tried on the
simulated GPU (`counterexamples`, `replay`). Z3 is the extra `warpwise[proofs]`; `tried` needs none.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ..course.model import Rule
from ..cuda.errors import CudaError
from ..status import Status

if TYPE_CHECKING:
    from .trial import Trial

available = find_spec("z3") is not None


FAULTS = frozenset(
    {
        Status.OUT_OF_BOUNDS,
        Status.MISALIGNED,
        Status.DATA_RACE,
        Status.BARRIER_DIVERGENCE,
        Status.SHUFFLE_DIVERGENCE,
        Status.UNINITIALIZED_READ,  # of what the kernel itself should have written
    }
)


class Outcome(StrEnum):
    PROVED = "proved"
    COUNTEREXAMPLE = "counterexample"
    NOT_DECIDED = "not decided"


@dataclass(frozen=True)
class Found:
    """`error` is what the simulated GPU said of the launch `trial`; `why` a kernel is not decided,
    in a sentence; `suspected` are the lines of what could be neither excluded nor shown; `seconds`
    of this process's own time were spent, and `spent` of what is counted (`effort`)."""

    outcome: Outcome
    kernel: str = ""
    error: CudaError | None = None
    trial: Trial | None = None
    why: str = ""
    suspected: tuple[int, ...] = ()
    seconds: float = field(default=0.0, compare=False)
    spent: int = 0


def examine(source: str, rules: Sequence[Rule], seconds: float = 10) -> Found:
    """Whether the kernels of a source are right for every launch that the rules allow: in bounds,
    aligned, without races, all threads together where they must meet. What is found is the same on
    every machine: `seconds` stand for so much work, not for time. Raises CompileError."""
    from . import effort
    from .search import search

    start = time.process_time()
    allowed = effort.seconds(seconds)
    with _nothing_collected():
        found = search(source, rules, allowed)
    spent = allowed.meter.spent
    return replace(found, seconds=time.process_time() - start, spent=spent)


def tried(source: str, rules: Sequence[Rule], solution: str = "") -> Found:
    """What becomes of a source's kernels in launches at the numbers that stand in them, on the
    simulated GPU: a counterexample, or nothing known. It needs no Z3. `solution` is right; numbers
    that it lacks are tried first. Raises CompileError."""
    from . import effort
    from .trying import tried

    start = time.process_time()
    allowed = effort.seconds(effort.TRIALS)
    found = tried(source, rules, solution, allowed) or Found(Outcome.NOT_DECIDED)
    spent = allowed.meter.spent
    return replace(found, seconds=time.process_time() - start, spent=spent)


@contextmanager
def _nothing_collected() -> Iterator[None]:
    """Z3 numbers its terms anew when others are freed, and takes other ways with other numbers; so
    that must not hang on when Python collects."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


__all__ = ["FAULTS", "Found", "Outcome", "available", "examine"]
