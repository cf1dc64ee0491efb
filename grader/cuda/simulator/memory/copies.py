"""Asynchronous copies on their way from global to shared memory: `cp.async` and its groups."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..engine.lanes import Lanes, compact
from ..engine.lanes import index as lane_index
from .access import Access, Hit
from .spaces import Store


@dataclass(frozen=True)
class _Copy:
    """Where it goes, the words to be put there (an array for each component) and, per lane, the
    number of the thread's group that it will be in."""

    access: Access
    hit: Hit
    words: list[np.ndarray]
    group: np.ndarray

    def part(self, chosen: np.ndarray) -> _Copy:
        hit = self.hit
        lanes = compact(lane_index(hit.lanes)[chosen])
        hit = replace(
            hit, lanes=lanes, element=hit.element[chosen], addresses=hit.addresses[chosen]
        )
        words = [word[chosen] for word in self.words]
        return _Copy(self.access, hit, words, self.group[chosen])


@dataclass(frozen=True)
class Landing:
    """A bulk copy that tells a barrier of its `size` bytes once they are there: where it goes, and
    the words to be put there (an array for each component)."""

    access: Access
    hit: Hit
    words: list[np.ndarray]
    size: int


class Copies:
    """What the threads of a wave have issued and not waited for. `committed` counts, per lane,
    the groups it has closed."""

    def __init__(self, lanes: int):
        self.committed = np.zeros(lanes, np.int64)
        self.pending: list[_Copy] = []
        self.landings: dict[tuple[Store, int], list[Landing]] = {}  # by barrier and its place

    def reset(self) -> None:
        """A new wave begins."""
        self.committed[:] = 0
        self.pending = []
        self.landings = {}

    def issue(self, access: Access, hit: Hit, words: list[np.ndarray]) -> None:
        """Until it has arrived, the destination counts as not written: a thread that does not
        wait for it gets whatever is there."""
        group = self.committed[hit.lanes].copy()
        self.mark_unwritten(access, hit)
        self.pending.append(_Copy(access, hit, words, group))

    def mark_unwritten(self, access: Access, hit: Hit) -> None:
        marks = hit.store.marks(access.size)
        for component in range(access.components):
            marks[hit.element + component] = 0

    def arrive(self, lanes: Lanes, newest: int) -> Iterator[tuple[Access, Hit, list[np.ndarray]]]:
        """Takes out what these lanes wait for: all their copies but those in the `newest` groups
        they closed last (-1: also those in no group yet)."""
        waits = np.zeros(len(self.committed), bool)
        waits[lanes] = True
        pending, self.pending = self.pending, []
        for copy in pending:
            lane = lane_index(copy.hit.lanes)
            done = waits[lane] & (copy.group < self.committed[lane] - newest)
            if not done.all():
                self.pending.append(copy.part(~done))
            if done.any():
                ready = copy.part(done)
                yield ready.access, ready.hit, ready.words
