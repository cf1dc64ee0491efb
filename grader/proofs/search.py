"""Kernel by kernel: proved, shown to be wrong, or neither."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import z3

from ..course import rules
from ..course.model import Rule
from ..cuda import simulator
from ..ptx.link import link
from . import Found, Outcome
from .counterexamples import trials
from .effort import Effort
from .launches import random_trials
from .loops import Undecided
from .prove import Doubt, examined
from .replay import replayed
from .trial import Trial

MOST_DOUBTS = 12  # that are followed up
MOST_TRIALS = 3  # for each
FIRST_DRAWN = 3  # launches drawn at random, before there is any reasoning
MOST_DRAWN = 40  # in all, where a kernel is not proved
FOR_DRAWN = 0.1  # of the effort


def search(source: str, given: Sequence[Rule], effort: Effort) -> Found:
    """As `analysis.examine`."""
    undecided: list[Found] = []
    for number, rule in enumerate(given):
        others = len(given) - number - 1  # each of which has as much left as this one may spend
        found = _kernel(source, rule, effort.but(others / (others + 1)))
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
    launches = _Launches(source, effort)
    if shown := launches.broken(islice(drawn, FIRST_DRAWN)):
        return shown
    doubts: list[Doubt] = []
    why, line = "", None
    try:
        for doubt in examined(program, link(program, function), rule, effort.but(FOR_DRAWN)):
            doubts.append(doubt)
            why = "what may go wrong there could not be shown"
            if shown := launches.broken(islice(trials(doubt, effort), MOST_TRIALS)):
                return shown
            if len(doubts) == MOST_DOUBTS:
                break
    except Undecided as reason:
        why, line = str(reason), reason.line
    except z3.Z3Exception as reason:
        why = f"Z3 gave up: {reason}"
    if not why:
        return Found(Outcome.PROVED, rule.kernel)
    suspected = (line, *(at for one in doubts for at in one.lines))
    return launches.broken(drawn) or _not_decided(rule, why, suspected)


def _not_decided(rule: Rule, why: str, lines: Iterable[int | None] = ()) -> Found:
    suspected = tuple(dict.fromkeys(line for line in lines if line))
    return Found(Outcome.NOT_DECIDED, rule.kernel, why=why, suspected=suspected)


@dataclass
class _Launches:
    """Launches of a kernel tried on the simulated GPU, none of them twice."""

    source: str
    effort: Effort
    tried: set[str] = field(default_factory=set)

    def broken(self, trials: Iterable[Trial]) -> Found | None:
        """The first of some launches that breaks the kernel."""
        for trial in trials:
            if not self.effort.left or not rules.any_numbers_will_do(trial.rule):
                return None
            if str(trial) in self.tried:
                continue
            self.tried.add(str(trial))
            if error := replayed(self.source, trial, self.effort):
                return Found(Outcome.COUNTEREXAMPLE, trial.rule.kernel, error, trial)
        return None
