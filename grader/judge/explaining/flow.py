"""Which elements went into a wrong element, and which should have: what its picture is drawn of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..protocol import Element, Used
from ..verdict import Part
from ..words import Words

MOST = 600  # parts told of


def times(used: Sequence[Used]) -> dict[Element, int]:
    """How often each element went in."""
    return {
        Element(one.first.buffer, index): one.times
        for one in used
        for index in range(one.first.index, one.first.index + one.count)
    }


def parts(
    mine: Mapping[Element, int], ours: Mapping[Element, int], words: Words
) -> tuple[Part, ...]:
    """Runs of neighbouring elements that went in as often, and should have; none where they are
    too many."""
    runs: list[Part] = []
    together = sorted({*mine, *ours}, key=lambda one: (one.buffer, one.index))
    for at, one in enumerate(together):
        found, expected = mine.get(one, 0), ours.get(one, 0)
        before = together[at - 1] if at else None
        follows = before == Element(one.buffer, one.index - 1)
        if runs and follows and (runs[-1].found, runs[-1].expected) == (found, expected):
            last = runs[-1]
            runs[-1] = Part(last.buffer, last.first, last.index, last.count + 1, found, expected)
        elif len(runs) == MOST:
            return ()
        else:
            name, where = words.name(one.buffer), words.index(one)
            runs.append(Part(name, where, one.index, 1, found, expected))
    return tuple(runs)
