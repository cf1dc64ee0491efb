"""Flags, tickets and locks as a run shows them: who told whom, and where a fence was wanting.

A block that is told something by another, through an atomic or a volatile access to one place, is
meant to see what the other did before. Where it races with that all the same, what lacks is a fence
or a barrier on the way from the one access to the other. The strong accesses and the fences of a
run are kept here, those of few threads, as flags are; from them comes the sentence.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from ...machine.lanes import WARP, Lanes, count
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Access, Hit

if TYPE_CHECKING:
    from ...watch.races.races import Races

_MOST = 20_000  # accesses remembered: a spinning thread makes many, a histogram more

_NOWHERE = np.empty(0, np.int64)


@dataclass(frozen=True)
class Strong:
    """Threads made strong accesses in one epoch: where, the lanes, the number of the wave's first
    block, and per lane the epoch of the last barrier of its block. `kind` is "load", "store",
    "atomic" or "fence"; a fence has no addresses, and may be `wide`: for the whole device."""

    epoch: int
    at: int
    kind: str
    lanes: np.ndarray
    addresses: np.ndarray
    first_block: int
    barriers: np.ndarray
    wide: bool = True

    def barrier(self, lane: int) -> int:
        return int(self.barriers[self.lanes == lane][0])


@dataclass(frozen=True)
class Told:
    """One thread posted (`post`, by lane `poster`), and later another saw it (`sight`, `seer`)."""

    post: Strong
    poster: int
    sight: Strong
    seer: int


class Signals:
    """What a launch's threads told each other."""

    def __init__(self, races: Races):
        self.races, self.wave = races, races.wave
        self.sights: list[Strong] = []
        self.posts: dict[tuple[int, int], list[tuple[Strong, int]]] = defaultdict(list)
        self.fences: list[Strong] = []
        self._kept = 0

    def note(self, access: Access, hit: Hit, kind: str) -> None:
        """A strong access has been made in the present epoch."""
        one = self._strong(access.at, kind, hit.lanes)
        if one is None:
            return
        # In shared memory a place is known by where it lies in that of the whole wave.
        shared = hit.space == "shared"
        addresses = -1 - hit.element * access.size if shared else hit.addresses
        one = replace(one, addresses=addresses.copy())
        if kind != "store":
            self.sights.append(one)
        if kind != "load":
            for place, block, lane in zip(addresses, self._blocks(one), one.lanes, strict=True):
                self.posts[int(place), int(block)].append((one, int(lane)))

    def fenced(self, lanes: Lanes, at: int, wide: bool) -> None:
        """Lanes have passed a fence, which the whole device sees if it is `wide`."""
        one = self._strong(at, "fence", lanes)
        if one is not None:
            self.fences.append(replace(one, wide=wide))

    def told(self, since: int, theirs: int, mine: int) -> Told | None:
        """How block number `mine` was last told something by block number `theirs`, which posted it
        after epoch `since`. Of one block, told by one thread to another."""
        for sight in reversed(self.sights):
            if sight.epoch < since:
                break
            seen = np.flatnonzero(self._blocks(sight) == mine)
            for seer, place in zip(sight.lanes[seen], sight.addresses[seen], strict=True):
                for post, poster in reversed(self.posts.get((int(place), theirs), ())):
                    if post.epoch <= since:
                        break
                    # In one epoch, the lanes of an atomic come one after the other.
                    earlier = post.epoch < sight.epoch or (
                        post.epoch == sight.epoch and poster < seer
                    )
                    if earlier and (theirs != mine or poster != seer):
                        return Told(post, poster, sight, int(seer))
        return None

    def fences_of(self, lane: int, block: int) -> list[Strong]:
        """The fences that a lane of a block has passed, in order."""
        return [one for one in self.fences if lane in one.lanes[self._blocks(one) == block]]

    def _strong(self, at: int, kind: str, lanes: Lanes) -> Strong | None:
        """What lanes do at the present epoch; None where it is too many of them to be a flag, or
        too much to remember."""
        wave = self.wave
        number = count(lanes)
        if number > wave.geometry.warps or self._kept + number > _MOST:
            return None
        index = lane_index(lanes)
        if kind == "load" and self._spins(at, index):
            self._kept -= len(self.sights.pop().lanes)
        self._kept += number
        barriers = self.races.ordering.synced["block"][index] >> 32
        first = wave.first_block
        return Strong(self.races.now, at, kind, index, _NOWHERE, first, barriers)

    def _spins(self, at: int, index: np.ndarray) -> bool:
        """Whether these lanes have made this very access the last time somebody looked."""
        last = self.sights[-1] if self.sights else None
        if last is None or last.at != at or last.first_block != self.wave.first_block:
            return False
        return np.array_equal(last.lanes, index)

    def _blocks(self, one: Strong) -> np.ndarray:
        """The number of the block of each of the lanes."""
        return one.first_block + one.lanes // self.wave.geometry.stride


def same_warp(one: int, other: int) -> bool:
    return one // WARP == other // WARP
