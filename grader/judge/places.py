"""How the elements that were taken stand to those that should have been: one rule for all of them.

A rule is told only if every wrong element that was looked at keeps to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from . import phrases

Index = tuple[int, ...]
Rows = Sequence[tuple[Index, Index]]  # taken, and what should have been, both of one array

FEW = 3  # different places at least, for a rule about numbers


def rule(rows: Rows) -> str:
    """A sentence; nothing where there is no rule. All indices are of one length."""
    if not rows or any(len(mine) != len(ours) for mine, ours in rows):
        return ""
    return next((said for one in _RULES for said in one(rows)), "")


def _changed(rows: Rows) -> Iterator[str]:
    """Two dimensions that have changed places."""
    dimensions = len(rows[0][0])
    if all(mine == ours for mine, ours in rows):
        return
    for a, b in combinations(range(dimensions), 2):
        if all(mine == _exchanged(ours, a, b) for mine, ours in rows):
            if dimensions == 2:
                yield "Row and column have changed places."
            else:
                yield f"Its indices {a + 1} and {b + 1}, from the left, have changed places."


def _exchanged(index: Index, a: int, b: int) -> Index:
    found = list(index)
    found[a], found[b] = found[b], found[a]
    return tuple(found)


def _along(
    said: Callable[[np.ndarray, np.ndarray, str], str | None],
) -> Callable[[Rows], Iterator[str]]:
    """A rule about the one dimension in which the two differ."""

    def of(rows: Rows) -> Iterator[str]:
        mine, ours = (np.array([row[at] for row in rows]) for at in (0, 1))
        other = (mine != ours).any(axis=0)
        if mine.ndim != 2 or other.sum() != 1:
            return
        (axis,) = np.flatnonzero(other)
        if len(np.unique(ours[:, axis])) < FEW:
            return
        which = "index" if mine.shape[1] == 1 else f"index {axis + 1}, from the left,"
        if found := said(mine[:, axis], ours[:, axis], which):
            yield f"So it is with all {len(rows)} that were looked at: {found}."

    return of


def _one(mine: np.ndarray, _: np.ndarray, which: str) -> str | None:
    return f"the {which} is always {mine[0]}" if (mine == mine[0]).all() else None


def _shifted(mine: np.ndarray, ours: np.ndarray, which: str) -> str | None:
    (off, *others) = set((mine - ours).tolist())
    if others:
        return None
    return f"the {which} is {abs(off)} too {'large' if off > 0 else 'small'}"


def _mirrored(mine: np.ndarray, ours: np.ndarray, which: str) -> str | None:
    (total, *others) = set((mine + ours).tolist())
    return None if others else f"the {which} runs backwards, from {total} down"


def _scaled(mine: np.ndarray, ours: np.ndarray, which: str) -> str | None:
    some = ours != 0
    if (mine[~some] != 0).any() or not some.any():
        return None
    times = np.unique(mine[some] / ours[some])
    if len(times) != 1 or times[0] == 1:
        return None
    return f"the {which} is {phrases.factor(float(times[0]))} what it should be"


_RULES = (_changed, *map(_along, (_one, _shifted, _mirrored, _scaled)))
