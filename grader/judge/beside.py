"""A kernel that passed beside the lesson's own: what both cost, and where their lines differ.

What ours costs was measured when the lesson was built; nothing is run here.
"""

import difflib
import itertools
from dataclasses import dataclass

import numpy as np

from ..course import Exercise, costs
from ..course.kinds import unmarked
from ..cuda.errors import lines_of
from ..status import Status
from .verdict import Verdict


@dataclass(frozen=True)
class Cost:
    """A counter of the simulated GPU: of your kernel, the most it may be and what that comes from
    ("25 per block", or ""), and of ours, None where that is not kept."""

    counter: str
    yours: int
    most: int
    share: str
    ours: int | None

    @property
    def budget(self) -> str:
        """The most it may be, as the page says it."""
        return f"{self.most:,} ({self.share})" if self.share else f"{self.most:,}"

    @property
    def row(self) -> tuple[str, str, str, str]:
        """The counter, yours, the budget and ours, as a table says them."""
        ours = "not kept" if self.ours is None else f"{self.ours:,}"
        return self.counter, f"{self.yours:,}", self.budget, ours


@dataclass(frozen=True)
class Beside:
    """`costs` on the last visible case with budgets; `changes`, a row for each line that differs,
    `-` yours and `+` ours; none where ours is not there."""

    costs: tuple[Cost, ...]
    changes: tuple[str, ...]


def beside(verdict: Verdict, source: str, exercise: Exercise) -> Beside | None:
    """A kernel beside the exercise's solution; None unless it passed."""
    return (
        None
        if verdict.status != Status.PASSED
        else Beside(
            _costs(verdict, exercise),
            changes(unmarked(source), unmarked(exercise.solution)) if exercise.solved else (),
        )
    )


def _costs(verdict: Verdict, exercise: Exercise) -> tuple[Cost, ...]:
    """Of the case that the verdict has the counters of."""
    visible = [case for case in exercise.cases if case.visible and case.budgets]
    if not visible:
        return ()
    kept, yours = visible[-1].ours, verdict.counters
    problem = visible[-1].problem(np.random.default_rng(verdict.seed))
    return tuple(
        Cost(
            budget.counter,
            yours.get(budget.counter, 0),
            budget.number,
            costs.share(budget, problem),
            kept.get(budget.counter, 0) if len(kept) > 1 else None,
        )
        for budget in visible[-1].budgets
    )


def changes(before: str, after: str) -> tuple[str, ...]:
    """A row for each line that differs, `-` gone and `+` new; a row of dots where lines between are
    the same. The head of a cell, its `%%cuda` and the comment, is left out."""
    rows: list[str] = []
    for line in list(difflib.unified_diff(_body(before), _body(after), n=0, lineterm=""))[2:]:
        if not line.startswith("@@"):
            rows.append(f"{line[0]} {line[1:]}".rstrip())
        elif rows:
            rows.append("  ⋮")
    return tuple(rows or ["  no line differs"])


def _body(source: str) -> list[str]:
    return list(
        itertools.dropwhile(
            lambda line: not line or line.startswith(("%%", "//")),
            map(str.rstrip, lines_of(source)),
        )
    )
