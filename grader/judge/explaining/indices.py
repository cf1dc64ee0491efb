"""How the elements that were taken stand to those that should have been: one rule for all of them.

A rule is told only if every wrong element that was looked at keeps to it. Of an index that leaves
an array which it should copy from, it is told by which strides it goes, and should: the case is run
again with room around its inputs, so that the run comes to its end, and elements of the output are
told the place that they were taken from, wherever that lies.
"""

import re
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from ...cuda.errors import Message
from ...grouped import grouped
from ..cases import CaseInstance
from ..compare import Words
from ..protocol import Element
from ..session import Outcomes
from .two_trails import index_step
from .used import capital, copied, factor

Index = tuple[int, ...]
Rows = Sequence[tuple[Index, Index]]  # taken, and what should have been, both of one array
ROOM = 1 << 14  # elements before and behind
FEW = 3  # different places at least, for a rule about numbers
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
LOOKED_AT = 24  # elements of the output


def rule(rows: Rows) -> str:
    """A sentence; nothing where there is no rule. All indices are of one length."""
    return (
        ""
        if not rows or any(len(mine) != len(ours) for mine, ours in rows)
        else _exchanged_dimensions(rows) or _along_one(rows)
    )


def _exchanged_dimensions(rows: Rows) -> str:
    """Two dimensions that have changed places."""
    dimensions = len(rows[0][0])
    for a, b in combinations(range(dimensions), 2):
        swapped = all(mine == _exchanged(ours, a, b) for mine, ours in rows)
        if swapped and any(mine != ours for mine, ours in rows):
            return (
                "Row and column are swapped."
                if dimensions == 2
                else f"The {ORDINALS[a]} and the {ORDINALS[b]} index are swapped."
            )
    return ""


def _exchanged(index: Index, a: int, b: int) -> Index:
    return tuple(index[{a: b, b: a}.get(at, at)] for at in range(len(index)))


def _along_one(rows: Rows) -> str:
    """A rule about the one dimension in which the two differ."""
    mine, ours = (np.array([row[at] for row in rows]) for at in (0, 1))
    other = (mine != ours).any(axis=0)
    if mine.ndim != 2 or other.sum() != 1:
        return ""
    which = "the index" if mine.shape[1] == 1 else f"the {ORDINALS[other.argmax()]} index"
    a, b = mine[:, other].ravel(), ours[:, other].ravel()
    if len(np.unique(b)) < FEW:
        return ""
    off, total, some = a - b, a + b, b != 0
    ratios = np.unique(a[some] / b[some])
    rules = (
        ((a == a[0]).all(), f"is always {a[0]}"),
        ((off == off[0]).all(), f"is {abs(off[0])} too {'large' if off[0] > 0 else 'small'}"),
        ((total == total[0]).all(), f"is {total[0]} minus the correct one"),
        (
            len(ratios) == 1 and not a[~some].any(),
            f"is {factor(float(ratios[0]))} what it should be",
        ),
    )
    found = next((said for holds, said in rules if holds), "")
    return (
        f"In all {len(rows)} elements that the grader compared, {which} {found}." if found else ""
    )


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
        else tuple(f"the {one} coordinate" for one in ORDINALS[: len(places[0])])
    )
    steps = [
        f"by {a} instead of {b} " + (f"from {name} to {name}" if flat else f"if {name} grows by 1")
        for name, a, b in zip(names, found[:-1], wanted[:-1], strict=True)
        if a != b
    ]
    swapped = [
        f" {capital(names[a])} and {names[b]} are swapped."
        for a, b in combinations(range(len(names)), 2)
        if _exchanged(found[:-1], a, b) == wanted[:-1]
    ]
    return f"The index changes {', '.join(steps)}.{''.join(swapped[:1])}"


def _strides(places: Sequence[Index], taken: Sequence[int]) -> Index | None:
    """The whole numbers, a last one for where it begins, by which `taken` depends on `places`."""
    rows = np.column_stack([np.array(places), np.ones(len(places), int)])
    fitted, _, rank, _ = np.linalg.lstsq(rows, np.array(taken), rcond=None)
    whole = np.rint(fitted).astype(int)
    # One more than there are unknowns: what always fits is no rule.
    return (
        None
        if rank < rows.shape[1] or len(places) <= rank or (rows @ whole != taken).any()
        else tuple(whole.tolist())
    )


def beyond_an_array(judged: Outcomes, instance: CaseInstance, words: Words) -> Message:
    """A rule for a case, or the step that goes wrong; nothing where the output is no copy, or
    neither is found."""
    elements = _of_a_copy(instance)
    if not elements:
        return Message()
    mine, ours = (one.follow(instance, elements, ROOM) for one in (judged.session, judged.ours))
    taken = grouped(  # by buffer: (place in the output, taken, what should have been)
        (pair[1].buffer, (words.place(element), pair[0].index, pair[1].index))
        for element, *both in zip(elements, mine, ours, strict=False)
        if (pair := copied(*both))
    )
    for buffer, rows in taken.items():
        flat = [((one,), (other,)) for _, one, other in rows]
        if said := rule(flat) or by_strides(*zip(*rows, strict=True)):
            return Message(
                why=re.sub("[Tt]he index", rf"\g<0> into {words.name(buffer)}", said, count=1)
            )
    steps = (index_step(*pair, words.element) for pair in zip(mine, ours, strict=False))
    return next((one for one in steps if one.why), Message())


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
