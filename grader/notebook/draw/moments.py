"""The trace regrouped into moments: one source line, passed once by each warp that reached it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from grader.cuda.simulator import Event

from .picture import WARP

# An interval between barriers, and what a warp passed in it: line, kind, space, for which time.
_Place = tuple[int, int, str, str, int]


@dataclass(frozen=True)
class Moment:
    """Events of one kind that different warps had at one line, between the same two barriers and
    for the n-th time there. `parts` holds one event for each of those warps."""

    line: int
    interval: int
    parts: tuple[Event, ...]

    @property
    def threads(self) -> np.ndarray:
        """Linear indices, in the block, of the threads that took part."""
        return np.concatenate([part.threads for part in self.parts])


def addresses(access: Event) -> np.ndarray:
    """Those of an access, one for each thread; none of anything else."""
    return np.zeros(0, np.int64) if access.address is None else access.address


def moments(events: Iterable[Event], kinds: tuple[str, ...]) -> list[Moment]:
    """Moments of `kinds`, in the order in which every warp passed them.

    Across warps only barriers order anything, so which warp the simulated GPU ran first must not
    show: what warps did at the same line for the n-th time is drawn as one moment."""
    parts: dict[_Place, list[Event]] = defaultdict(list)
    passed: dict[int, dict[int, list[_Place]]] = defaultdict(lambda: defaultdict(list))
    times: Counter[tuple[object, ...]] = Counter()
    for interval, event in _with_interval(events):
        if event.kind not in kinds:
            continue
        for warp, part in _by_warp(event):
            place = (interval, part.line, part.kind, part.space)
            key = (*place, times[warp, place])
            times[warp, place] += 1
            passed[interval][warp].append(key)
            parts[key].append(part)
    order = [key for warps in passed.values() for key in _merged(warps.values())]
    return [Moment(key[1], key[0], tuple(parts[key])) for key in order]


def _with_interval(events: Iterable[Event]) -> Iterator[tuple[int, Event]]:
    """Each event with the number of barriers that opened before it."""
    interval = 0
    for event in events:
        yield interval, event
        interval += event.kind == "barrier"


def _by_warp(event: Event) -> Iterator[tuple[int, Event]]:
    warps = event.threads // WARP
    for warp in np.unique(warps):
        mine = warps == warp
        address = None if event.address is None else event.address[mine]
        yield int(warp), replace(event, threads=event.threads[mine], address=address)


def _merged(sequences: Iterable[list[_Place]]) -> list[_Place]:
    """One order that keeps the order of each sequence wherever they agree."""
    order: list[_Place] = []
    known: set[_Place] = set()
    for sequence in sequences:
        at = 0
        for key in sequence:
            if key not in known:
                order.insert(at, key)
                known.add(key)
                at += 1
            elif order[at : at + 1] == [key]:
                at += 1
            elif key in order[at:]:
                at = order.index(key, at) + 1
    return order
