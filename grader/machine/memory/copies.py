"""What is on its way into shared memory: `cp.async` and its groups, and what mbarriers count."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..lanes import Lanes
from ..lanes import index as lane_index
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
        words = [word[chosen] for word in self.words]
        return _Copy(self.access, self.hit.part(chosen), words, self.group[chosen])


@dataclass(frozen=True, eq=False)
class Landing:
    """A bulk copy, or stores to another block's shared memory, that tell a barrier of their `size`
    bytes once they are there: where they go, the words to be put there (an array for each
    component), and which of those issued it is, perhaps in part."""

    access: Access
    hit: Hit
    words: list[np.ndarray]
    number: int

    @property
    def size(self) -> int:
        return self.access.width * len(self.hit.element)

    def split(self, size: int) -> tuple[Landing, Landing]:
        """The first lanes' part, of at least `size` bytes, and the rest."""
        first = np.arange(len(self.hit.element)) * self.access.width < size
        return self._part(first), self._part(~first)

    def _part(self, chosen: np.ndarray) -> Landing:
        words = [word[chosen] for word in self.words]
        return Landing(self.access, self.hit.part(chosen), words, self.number)


class Copies:
    """What the threads of a wave have issued and not waited for. `committed` counts, per lane,
    the groups it has closed."""

    def __init__(self, lanes: int):
        self.committed = np.zeros(lanes, np.int64)
        self.pending: list[_Copy] = []
        self.announced = 0
        # By barrier (its store and place), in the order in which they were issued.
        self.landings: dict[tuple[Store, int], deque[Landing]] = {}

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

    def announce(self, access: Access, hit: Hit, words: list[np.ndarray], told: Hit) -> Landing:
        """Lanes issue what the one barrier at which `told` hits will be told of. Until that barrier
        is asked, the destination counts as not written."""
        self.mark_unwritten(access, hit)
        self.announced += 1
        landing = Landing(access, hit, words, self.announced)
        self.landings.setdefault((told.store, int(told.element[0])), deque()).append(landing)
        return landing

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
