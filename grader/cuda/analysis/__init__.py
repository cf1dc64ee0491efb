"""Reasoning about a kernel's PTX for every size that an exercise's rule allows.

    found = analysis.examine(source, rules, solution=ours, seconds=10)
    found.outcome, found.error, str(found.trial)

A symbolic thread goes through the program (`thread`, `rounds`); what must not happen is asked of Z3
(`questions`, `scenes`), and what may happen is tried on the simulated GPU (`counterexamples`,
`replay`). Z3 is the extra `warpwise[proofs]`; without it nothing is examined.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...course.model import Rule
from ..errors import CudaError

if TYPE_CHECKING:
    from .counterexamples import Trial

available = find_spec("z3") is not None


class Outcome(StrEnum):
    PROVED = "proved"
    COUNTEREXAMPLE = "counterexample"
    NOT_DECIDED = "not decided"


@dataclass(frozen=True)
class Found:
    """`error` is what the simulated GPU said of the launch `trial`; `why` a kernel is not decided,
    in a sentence; `suspected` are the lines of what could be neither excluded nor shown; `seconds`
    of this process's own time were spent."""

    outcome: Outcome
    kernel: str = ""
    error: CudaError | None = None
    trial: Trial | None = None
    why: str = ""
    suspected: tuple[int | None, ...] = ()
    seconds: float = field(default=0.0, compare=False)


def examine(
    source: str, rules: Sequence[Rule], solution: str | None = None, seconds: float = 10
) -> Found:
    """Whether the kernels of a source are right for every launch that the rules allow: in bounds,
    aligned, without races, all threads together where they must meet. A launch that goes wrong
    counts only where the `solution` stands it. Raises CompileError."""
    from .search import search

    start = time.process_time()
    found = search(source, rules, solution, seconds)
    return Found(**{**vars(found), "seconds": time.process_time() - start})


__all__ = ["Found", "Outcome", "available", "examine"]
