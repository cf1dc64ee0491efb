"""An index that leaves an array which it should copy from: by which strides it goes, and should.

The case is run again with room around its inputs, so that the run comes to its end, and elements of
the output are told the place that they were taken from, wherever that lies.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from ..cases import CaseInstance
from ..judged import Judged
from ..protocol import Element, Made
from .places import by_strides, rule
from .telling import only

ROOM = 1 << 14  # elements before and behind
LOOKED_AT = 24  # elements of the output


def told(judged: Judged, at: int) -> str:
    """A sentence about the case at a place; "" where the output is no copy or there is no rule."""
    instance, words = judged.instances[at], judged.words[at]
    elements = _of_a_copy(instance)
    if not elements:
        return ""
    both = judged.session, judged.ours
    mine, ours = (session.follow(instance, elements, ROOM) for session in both)
    taken = defaultdict(list)  # by buffer: (place in the output, taken, what should have been)
    for element, one, other in zip(elements, mine, ours, strict=False):
        pair = _of_one_buffer(one, other)
        if pair:
            taken[pair[1].buffer].append((words.place(element), pair[0].index, pair[1].index))
    for buffer, rows in taken.items():
        flat = [((one,), (other,)) for _, one, other in rows]
        if said := rule(flat) or by_strides(*zip(*rows, strict=True)):
            return f"The index into {words.name(buffer)}: {said[0].lower()}{said[1:]}"
    return ""


def _of_one_buffer(mine: Made, ours: Made) -> tuple[Element, Element] | None:
    """The elements that one is a copy of and should be, if both are of one buffer."""
    one, other = only(mine), only(ours)
    return (one, other) if one and other and one.buffer == other.buffer else None


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
