"""Kernel by kernel: proved, shown to be wrong, or neither."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from ...course.model import Rule
from .. import simulator
from ..simulator.program.linker import link
from . import Found, Outcome
from .counterexamples import trials
from .loops import Undecided
from .prove import Doubt, examined
from .replay import can_be_replayed, replayed
from .scenes import Clock, deadline

MOST_DOUBTS = 12  # that are followed up
MOST_TRIALS = 3  # for each


def search(source: str, rules: Sequence[Rule], solution: str | None, seconds: float) -> Found:
    """As `analysis.examine`."""
    clock = deadline(seconds)
    undecided: list[Found] = []
    for rule in rules:
        found = _kernel(source, rule, solution, clock)
        if found.outcome is Outcome.COUNTEREXAMPLE:
            return found
        if found.outcome is Outcome.NOT_DECIDED:
            undecided.append(found)
    if undecided:
        return undecided[0]
    if not rules:
        return Found(Outcome.NOT_DECIDED, why="the exercise states no rule")
    return Found(Outcome.PROVED)


def _kernel(source: str, rule: Rule, solution: str | None, clock: Clock) -> Found:
    program = simulator.RawModule(code=source).program
    function = program.functions.get(rule.kernel)
    if function is None or len(function.parameters) != len(rule.parameters):
        return _not_decided(rule, f"there is no {rule.kernel} with the rule's parameters")
    doubts: list[Doubt] = []
    try:
        for doubt in examined(program, link(program, function), rule, clock):
            doubts.append(doubt)
            shown = _shown(source, solution, doubt, clock)
            if shown:
                return shown
            if len(doubts) == MOST_DOUBTS:
                break
    except Undecided as reason:
        where = f" (line {reason.line})" if reason.line else ""
        return _not_decided(rule, f"{reason}{where}", doubts)
    except z3.Z3Exception as reason:
        return _not_decided(rule, f"Z3 gave up: {reason}", doubts)
    if doubts:
        return _not_decided(rule, "what may go wrong there could not be shown", doubts)
    return Found(Outcome.PROVED, rule.kernel)


def _not_decided(rule: Rule, why: str, doubts: Sequence[Doubt] = ()) -> Found:
    lines = tuple(dict.fromkeys(line for one in doubts for line in one.lines))
    return Found(Outcome.NOT_DECIDED, rule.kernel, why=why, suspected=lines)


def _shown(source: str, solution: str | None, doubt: Doubt, clock: Clock) -> Found | None:
    """The launch in which a doubt comes true on the simulated GPU, if there is one: a launch that
    breaks the solution too is the rule's fault."""
    for number, trial in enumerate(trials(doubt, clock)):
        if number == MOST_TRIALS or not can_be_replayed(trial):
            return None
        error = replayed(source, trial)
        if error and (solution is None or replayed(solution, trial) is None):
            return Found(Outcome.COUNTEREXAMPLE, trial.rule.kernel, error, trial)
    return None
