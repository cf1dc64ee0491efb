"""Flags, tickets and locks as a run shows them: who told whom, and where a fence was wanting.

A block that is told something by another, through an atomic or a volatile access to one place, is
meant to see what the other did before. Where it races with that all the same, what lacks is a fence
or a barrier on the way from the one access to the other. The strong accesses and the fences of a
run are kept here, those of few threads, as flags are; from them comes the sentence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..lanes import WARP, Lanes
from ..lanes import index as lane_index

_MOST = 100_000  # accesses remembered: a spinning thread makes many, a histogram more


@dataclass(frozen=True)
class Strong:
    """Threads made strong accesses at one moment: where, the lanes, the number of the wave's first
    block, and per lane the moment of the last barrier of its block. `kind` is "load", "store",
    "atomic" or "fence"; a fence has no addresses, and may be `wide`: for the whole device."""

    step: int
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
    """What a machine's threads told each other."""

    def __init__(self, machine):
        self.machine = machine
        self.strong: list[Strong] = []
        self.fences: list[Strong] = []
        self._kept = 0

    def note(self, access, hit, kind: str) -> None:
        """A strong access has been made at the machine's present moment."""
        shared = hit.space == "shared"
        addresses = -1 - hit.element * access.size if shared else hit.addresses
        self._keep(self.strong, access.at, kind, hit.lanes, addresses, True)

    def fenced(self, lanes: Lanes, at: int, wide: bool) -> None:
        self._keep(self.fences, at, "fence", lanes, np.empty(0, np.int64), wide)

    def told(self, since: int, theirs: int, mine: int) -> Told | None:
        """How block number `mine` was last told something by block number `theirs`, which posted it
        after moment `since`. Of one block, told by one thread to another."""
        for sight in reversed(self.strong):
            if sight.step < since:
                break
            if sight.kind == "store":
                continue
            for post in self.strong:
                between = since < post.step <= sight.step and post.kind != "load"
                if between and (found := self._pair(post, theirs, sight, mine)):
                    return found
        return None

    def fences_of(self, lane: int, block: int) -> list[Strong]:
        """The fences that a lane of a block has passed, in order."""
        return [one for one in self.fences if lane in one.lanes[self._blocks(one) == block]]

    def _keep(self, kept: list[Strong], at: int, kind: str, lanes: Lanes, addresses, wide) -> None:
        machine, index = self.machine, lane_index(lanes)
        if len(index) > machine.geometry.warps or self._kept > _MOST:
            return
        if kept and kept[-1].at == at and kind == "load" and self._same(kept[-1], index):
            kept.pop()  # a thread that spins
        self._kept += len(index)
        barriers = machine.races.ordering.synced["block"][index] >> 32
        first = machine.first_block
        kept.append(Strong(machine.now, at, kind, index, addresses.copy(), first, barriers, wide))

    def _same(self, last: Strong, index: np.ndarray) -> bool:
        return np.array_equal(last.lanes, index) and last.first_block == self.machine.first_block

    def _blocks(self, one: Strong) -> np.ndarray:
        return one.first_block + one.lanes // self.machine.geometry.stride

    def _pair(self, post: Strong, theirs: int, sight: Strong, mine: int) -> Told | None:
        posted = self._blocks(post) == theirs
        seen = self._blocks(sight) == mine
        common = np.intersect1d(post.addresses[posted], sight.addresses[seen])
        for place in common:
            poster = int(post.lanes[posted & (post.addresses == place)][0])
            seer = int(sight.lanes[seen & (sight.addresses == place)][-1])
            if poster != seer and (post.step < sight.step or poster < seer):
                return Told(post, poster, sight, seer)
        return None


def same_warp(one: int, other: int) -> bool:
    return one // WARP == other // WARP
