"""Kernel by kernel: proved, shown to be wrong, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
import z3

from ...course import rules
from ...course.model import Rule
from .. import simulator
from ..simulator.program.linker import link
from . import Found, Outcome
from .counterexamples import random_trials, trials
from .effort import Effort
from .loops import Undecided
from .prove import Doubt, examined
from .replay import replayed
from .trial import Trial

MOST_DOUBTS = 12  # that are followed up
MOST_TRIALS = 3  # for each
FIRST_DRAWN = 8  # launches drawn at random, before there is any reasoning
MOST_DRAWN = 40  # in all, where a kernel is not proved
FOR_DRAWN = 0.1  # of the effort


def search(source: str, given: Sequence[Rule], effort: Effort) -> Found:
    """As `analysis.examine`."""
    undecided: list[Found] = []
    for rule in given:
        found = _kernel(source, rule, effort)
        if found.outcome is Outcome.COUNTEREXAMPLE:
            return found
        if found.outcome is Outcome.NOT_DECIDED:
            undecided.append(found)
    if undecided:
        return undecided[0]
    if not given:
        return Found(Outcome.NOT_DECIDED, why="the exercise states no rule")
    return Found(Outcome.PROVED)


def _kernel(source: str, rule: Rule, effort: Effort) -> Found:
    program = simulator.RawModule(code=source).program
    function = program.functions.get(rule.kernel)
    if function is None or len(function.parameters) != len(rule.parameters):
        return _not_decided(rule, f"there is no {rule.kernel} with the rule's parameters")
    drawn = random_trials(rule, np.random.default_rng(0), MOST_DRAWN)
    if shown := _tried(source, islice(drawn, FIRST_DRAWN), effort):
        return shown
    doubts: list[Doubt] = []
    why = ""
    try:
        for doubt in examined(program, link(program, function), rule, effort.but(FOR_DRAWN)):
            doubts.append(doubt)
            why = "what may go wrong there could not be shown"
            if shown := _shown(source, doubt, effort):
                return shown
            if len(doubts) == MOST_DOUBTS:
                break
    except Undecided as reason:
        why = f"{reason} (line {reason.line})" if reason.line else str(reason)
    except z3.Z3Exception as reason:
        why = f"Z3 gave up: {reason}"
    if not why:
        return Found(Outcome.PROVED, rule.kernel)
    return _tried(source, drawn, effort) or _not_decided(rule, why, doubts)


def _not_decided(rule: Rule, why: str, doubts: Sequence[Doubt] = ()) -> Found:
    lines = tuple(dict.fromkeys(line for one in doubts for line in one.lines))
    return Found(Outcome.NOT_DECIDED, rule.kernel, why=why, suspected=lines)


def _shown(source: str, doubt: Doubt, effort: Effort) -> Found | None:
    """The launch in which a doubt comes true on the simulated GPU, if there is one."""
    return _tried(source, islice(trials(doubt, effort), MOST_TRIALS), effort)


def _tried(source: str, launches: Iterable[Trial], effort: Effort) -> Found | None:
    """The first of some launches that breaks a kernel."""
    for trial in launches:
        if not effort.left or not rules.any_numbers_will_do(trial.rule):
            return None
        if error := replayed(source, trial, effort):
            return Found(Outcome.COUNTEREXAMPLE, trial.rule.kernel, error, trial)
    return None
