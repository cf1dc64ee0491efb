"""What a kernel does at every size that an exercise's rule allows.

    found = proofs.counterexample(source, rules, solution)
    found = proofs.prove(source, rules, seconds=10)
    found.outcome, found.error, str(found.trial), found.why

`counterexample` launches it at the numbers that stand in its PTX (`launches`, `trying`), on the
simulated GPU. `prove` reasons: a symbolic thread goes through the program (`thread`, `rounds`);
what must not happen is asked of Z3 (`solver`), and what may happen is tried on the simulated GPU
(`search`). Z3 is the extra `warpwise[proofs]`; `counterexample` needs none.
"""

import gc
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec

from ..course.model import Rule
from .launches import FAULTS, SECOND, TRIALS, Effort, Found, Outcome

__all__ = ["FAULTS", "Found", "Outcome", "available", "counterexample", "prove"]

available = find_spec("z3") is not None


def prove(source: str, rules: Sequence[Rule], seconds: float = 10) -> Found:
    """Whether the kernels of a source are right for every launch that the rules allow: in bounds,
    aligned, without races, all threads together where they must meet. What is found is the same on
    every machine: `seconds` stand for so much work, not for time. Raises CompileError."""
    from .search import search

    # Z3 numbers its terms anew when others are freed, and takes other ways with other numbers; so
    # that must not hang on when Python collects.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _measured(lambda effort: search(source, rules, effort), seconds)
    finally:
        if collects:
            gc.enable()


def counterexample(
    source: str,
    rules: Sequence[Rule],
    solution: str = "",
    compared: Mapping[str, Mapping[str, int]] | None = None,
    seconds: float = TRIALS,
) -> Found:
    """What becomes of a source's kernels in launches at the numbers that stand in them, on the
    simulated GPU: a counterexample, or nothing known. It needs no Z3. `solution` is right; numbers
    that it lacks are tried first. `compared` names outputs, by kernel and parameter, that must be
    as the solution leaves them, in launches of at most so many blocks. `seconds` stand for work,
    too. Raises CompileError."""
    from .trying import broken_at_its_numbers

    return _measured(
        lambda effort: (
            broken_at_its_numbers(source, rules, solution, compared or {}, effort)
            or Found(Outcome.NOT_DECIDED)
        ),
        seconds,
    )


def _measured(find: Callable[[Effort], Found], seconds: float) -> Found:
    """What is found with an effort of so many seconds, and what that took."""
    start, effort = time.process_time(), Effort(int(seconds * SECOND))
    return replace(find(effort), seconds=time.process_time() - start, spent=effort.meter.spent)
