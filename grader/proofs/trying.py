"""Launches tried on the simulated GPU before there is any reasoning."""

from __future__ import annotations

from collections.abc import Sequence

from ..course import rules
from ..course.model import Rule
from ..cuda import simulator
from . import Found, Outcome
from .constants import constants, same_code
from .effort import Effort
from .launches import launches
from .replay import breaks_in_part, replayed
from .trial import Trial


def tried(source: str, given: Sequence[Rule], solution: str, effort: Effort) -> Found | None:
    """The first launch that breaks a kernel, of those that are tried; None where there is none.
    `solution` is a source that is right ("": none is known)."""
    own = simulator.RawModule(code=source)
    right = simulator.RawModule(code=solution).program if solution else None
    for number, rule in enumerate(given):
        others = len(given) - number - 1
        allowed = effort.but(others / (others + 1))
        if rule.kernel not in own.program.functions or not rules.any_numbers_will_do(rule):
            continue
        if right and same_code(own.program, right, rule.kernel):
            continue
        seen: set[str] = set()
        for trial in launches(rule, *constants(own.program, rule.kernel, right)):
            if not allowed.left:
                break
            if str(trial) in seen:
                continue
            seen.add(str(trial))
            if found := _broken(source, trial, allowed):
                return found
    return None


def _broken(source: str, trial: Trial, effort: Effort) -> Found | None:
    if not breaks_in_part(source, trial, effort):
        return None
    error = replayed(source, trial, effort)
    return Found(Outcome.COUNTEREXAMPLE, trial.rule.kernel, error, trial) if error else None
