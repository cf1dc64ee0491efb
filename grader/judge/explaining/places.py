"""How the elements that were taken stand to those that should have been: one rule for all of them.

A rule is told only if every wrong element that was looked at keeps to it. Of an index that leaves
an array which it should copy from, it is told by which strides it goes, and should: the case is run
again with room around its inputs, so that the run comes to its end, and elements of the output are
told the place that they were taken from, wherever that lies.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

import numpy as np

from ..cases import CaseInstance
from ..judged import Judged
from ..protocol import Element
from . import telling

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
    return f"the {which} is {telling.factor(float(times[0]))} what it should be"


def by_strides(places: Sequence[Index], mine: Sequence[int], ours: Sequence[int]) -> str:
    """How far the places taken lie apart, in elements, from one element of the output to the next
    along each of its dimensions, beside how far they should. `places` are those of the output,
    `mine` and `ours` flat indices. Nothing where they are no linear function of the place."""
    if len({len(place) for place in places}) != 1 or len(places[0]) < 2:
        return ""
    found, wanted = _strides(places, mine), _strides(places, ours)
    if found is None or wanted is None or found[:-1] == wanted[:-1]:
        return ""
    flat = len(places[0]) == 2
    names = (
        ("row", "column")
        if flat
        else tuple(f"coordinate {axis + 1}" for axis in range(len(places[0])))
    )
    steps = [
        f"from {name} to {name} the index goes on by {a}, and should by {b}"
        if flat
        else f"where {name} is one more, the index goes on by {a}, and should by {b}"
        for name, a, b in zip(names, found[:-1], wanted[:-1], strict=True)
        if a != b
    ]
    pairs = combinations(range(len(names)), 2)
    swapped = [
        f"{names[a]} and {names[b]} have changed places"
        for a, b in pairs
        if _exchanged(found[:-1], a, b) == wanted[:-1]
    ]
    return telling.capital("; ".join(steps) + (f": {swapped[0]}." if swapped else "."))


def _strides(places: Sequence[Index], taken: Sequence[int]) -> Index | None:
    """The whole numbers, a last one for where it begins, by which `taken` hangs on `places`."""
    rows = np.column_stack([np.array(places), np.ones(len(places), int)])
    fitted, _, rank, _ = np.linalg.lstsq(rows, np.array(taken), rcond=None)
    whole = np.rint(fitted).astype(int)
    # One more than there are unknowns: what always fits is no rule.
    if rank < rows.shape[1] or len(places) <= rank or (rows @ whole != taken).any():
        return None
    return tuple(whole.tolist())


_RULES = (_changed, *map(_along, (_one, _shifted, _mirrored, _scaled)))


ROOM = 1 << 14  # elements before and behind
LOOKED_AT = 24  # elements of the output


def beyond_an_array(judged: Judged, at: int) -> str:
    """A sentence about the case at a place; "" where the output is no copy or there is no rule."""
    instance, words = judged.instances[at], judged.words[at]
    elements = _of_a_copy(instance)
    if not elements:
        return ""
    both = judged.session, judged.ours
    mine, ours = (session.follow(instance, elements, ROOM) for session in both)
    taken = defaultdict(list)  # by buffer: (place in the output, taken, what should have been)
    for element, one, other in zip(elements, mine, ours, strict=False):
        if pair := telling.copied(one, other):
            taken[pair[1].buffer].append((words.place(element), pair[0].index, pair[1].index))
    for buffer, rows in taken.items():
        flat = [((one,), (other,)) for _, one, other in rows]
        if said := rule(flat) or by_strides(*zip(*rows, strict=True)):
            return f"The index into {words.name(buffer)}: {said[0].lower()}{said[1:]}"
    return ""


def _of_a_copy(instance: CaseInstance) -> tuple[Element, ...]:
    """Some elements of an output of which each element is an input's."""
    inputs = [one.ravel() for one in instance.problem.inputs.values() if one.dtype.kind == "f"]
    for name, expected in instance.problem.outputs.items():
        value = expected.value
        if value.size and inputs and np.isin(value, np.concatenate(inputs)).all():
            spread = np.linspace(0, value.size - 1, LOOKED_AT).astype(int)
            first = np.arange(min(LOOKED_AT // 2, value.size))
            return tuple(Element(name, int(at)) for at in np.union1d(spread, first))
    return ()
