"""What threads tell each other: posts at an address, messages by mbarriers and barriers of some
warps, and what is known through them.

A post says what is done by the time it is made: all that its thread did before its fence, all that
its block or warp did before their last barrier before that, and what the thread itself knew of
posts elsewhere. Whoever sees the place later knows the first so many posts there, and through
them those that they knew of. So what a thread knows is one number for each place: this is the
vector clock of happens-before detectors (Mattern, 1989; Flanagan and Freund, FastTrack, 2009),
indexed by place instead of by thread, and a look-up costs a binary search, not a walk.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from ...machine.lanes import WARP, Geometry, Lanes, lane_index

# An address, and the only block to which the posts there count (None: all blocks).
Place = tuple[int, int | None]
# A block, a warp of it, or a lane of that.
Part = int | tuple[int, int] | tuple[int, int, int]


@dataclass(frozen=True)
class Post:
    """What thread `lane` of a block says is done: all that it did before epoch `fence`, all that
    its block and its warp did up to the epochs of their last barriers. `parts` (None: there were
    none) holds, by warp of the block, the epochs of barriers for a part of the block; `met`, by
    lane of the warp, those of barriers for a part of the warp."""

    block: int
    lane: int
    fence: int
    barrier: int
    warp_barrier: int
    parts: np.ndarray | None
    met: np.ndarray | None

    def epochs(self) -> Iterator[tuple[Part, int]]:
        """(what part of the grid, epoch): all that this part did up to then is done."""
        warp = self.lane // WARP
        yield self.block, self.barrier
        yield (self.block, warp), self.warp_barrier
        yield (self.block, warp, self.lane), self.fence - 1
        if self.parts is not None:
            first = warp - warp % len(self.parts)
            yield from (((self.block, first + n), int(m)) for n, m in enumerate(self.parts))
        if self.met is not None:
            lane = warp * WARP
            yield from (((self.block, warp, lane + n), int(m)) for n, m in enumerate(self.met))


def more(known: dict[Place, int], counts: dict[Place, int]) -> dict[Place, int]:
    """Those of the counts that say more than is known."""
    return {place: n for place, n in counts.items() if n > known.get(place, 0)}


class _Rising:
    """A value that only grows, with the number of the post from which on it was so large."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.values: list[int] = []

    def raise_to(self, value: int, number: int) -> None:
        if value > (self.values[-1] if self.values else 0):
            self.numbers.append(number)
            self.values.append(value)

    def among(self, count: int) -> int:
        """How large it was after the first `count` posts."""
        at = bisect_left(self.numbers, count)
        return self.values[at - 1] if at else 0


class Log:
    """The posts at one place: per part of the grid, up to which epoch it is done; per other
    place, how many of the posts there were known."""

    def __init__(self) -> None:
        self.done: dict[Part, _Rising] = defaultdict(_Rising)
        self.imports: dict[Place, _Rising] = defaultdict(_Rising)

    def add(self, number: int, post: Post, knowledge: Knowledge) -> None:
        for part, epoch in post.epochs():
            if epoch > 0:
                self.done[part].raise_to(epoch, number)
        for place, count in knowledge.counts.items():
            self.imports[place].raise_to(count, number)


@dataclass(frozen=True, eq=False)
class Knowledge:
    """By place, how many of the posts there somebody knows. Never changed once made."""

    counts: dict[Place, int]
    logs: dict[Place, Log]

    def with_more(self, counts: dict[Place, int]) -> Knowledge:
        new = more(self.counts, counts)
        return Knowledge(self.counts | new, self.logs) if new else self

    @cached_property
    def everything(self) -> dict[Place, int]:
        """The same with what is known through those posts."""
        found: dict[Place, int] = {}
        todo = list(self.counts.items())
        while todo:
            place, count = todo.pop()
            if count <= found.get(place, 0):
                continue
            found[place] = count
            todo += [(p, rising.among(count)) for p, rising in self.logs[place].imports.items()]
        return found

    @cached_property
    def epoch(self) -> Callable[[Part], int]:
        """Up to which epoch a part of the grid is known to be done."""

        def epoch(part: Part) -> int:
            posts = ((self.logs[place].done, number) for place, number in self.everything.items())
            return max((done[part].among(n) for done, n in posts if part in done), default=0)

        return cache(epoch)

    def covers(self, block: int, lane: int, epoch: int) -> bool:
        """Whether what `lane` of `block` did in an epoch is known to be done."""
        warp = lane // WARP
        parts = (block, (block, warp), (block, warp, lane))
        return any(epoch <= self.epoch(part) for part in parts)


class _Barrier:
    """What those who came to an mbarrier knew: in the present phase, and in the one before."""

    def __init__(self, warps: int):
        self.present = -1  # the parity of the phase
        self.brought = np.zeros((2, warps), np.int64)  # by parity

    def bring(self, phase: int, known: np.ndarray) -> None:
        if phase != self.present:
            self.present, self.brought[phase] = phase, 0
        np.maximum(self.brought[phase], known, out=self.brought[phase])


class WarpClocks:
    """What the lanes of a wave have heard of the warps of their clusters (without clusters, of
    their blocks), other than by barriers of all threads.

    Whoever comes to a barrier of some warps of its block, arrives at an mbarrier, as a release, or
    sends what one will be told of (`st.async`, a bulk copy), brings along what it knows; whoever
    passes that barrier or sees that phase over knows it, too. Barriers of a warp or of a block let
    the others there know.

    What a lane knows is kept by the warps of its cluster: stamps up to there, of that warp's
    lanes, are ordered before whatever the lane does next. Within one block the end of a phase
    counts as a barrier of the block (see `Ordering.phase_over`), and needs none of this.
    """

    def __init__(self, geometry: Geometry):
        self.geometry = geometry
        self.warps = geometry.stride * geometry.cluster_blocks // WARP
        self.begin_wave()

    def begin_wave(self) -> None:
        self.heard: np.ndarray | None = None  # (lanes, warps of the cluster); None: nothing
        self.barriers: dict[int, _Barrier] = {}  # by place
        self.letters: dict[int, np.ndarray] = {}  # by landing's number: what the senders knew
        # By number of a barrier for some warps: what those who have come know, by block.
        self.brought: dict[int, np.ndarray] = {}

    def unheard(
        self, late: np.ndarray, stamps: np.ndarray, other: np.ndarray, lane: np.ndarray
    ) -> np.ndarray:
        """Those of the `late` accesses, stamped by lanes `other` of the lanes' clusters, of which
        the lanes have not heard."""
        heard = self.heard
        return late if heard is None else late & (stamps > heard[lane, other // WARP % self.warps])

    def of_own_block(self, lanes: np.ndarray) -> np.ndarray:
        """The warps of each lane's block, among those of its cluster: (lanes, warps of a block)."""
        number = self.geometry.stride // WARP
        block = lanes // self.geometry.stride % self.geometry.cluster_blocks
        return block[:, None] * number + np.arange(number)

    def known(self, lanes: np.ndarray, now: int, synced: dict[str, np.ndarray]) -> np.ndarray:
        """What each of these lanes knows at the stamp `now`: (lanes, warps of the cluster);
        `synced` is that of Ordering."""
        known = np.repeat(synced["cluster"][lanes, None], self.warps, axis=1)
        if self.heard is not None:
            np.maximum(known, self.heard[lanes], out=known)
        place = np.arange(len(lanes))
        own = place[:, None], self.of_own_block(lanes)
        known[own] = np.maximum(known[own], synced["block"][lanes, None])
        known[place, lanes // WARP % self.warps] = now
        return known

    def bring(self, barrier: int, phase: int, known: np.ndarray) -> None:
        """Those who know that come to the mbarrier at a place, in the phase of that parity."""
        if barrier not in self.barriers:
            self.barriers[barrier] = _Barrier(self.warps)
        self.barriers[barrier].bring(phase, known)

    def over(self, lanes: np.ndarray, barriers: np.ndarray, phases: np.ndarray) -> None:
        """Lanes have seen that these phases (one a lane) are over."""
        for barrier, phase in set(zip(barriers.tolist(), phases.tolist(), strict=True)):
            if barrier in self.barriers:
                who = lanes[(barriers == barrier) & (phases == phase)]
                self.tell(who, self.barriers[barrier].brought[phase])

    def tell(self, lanes: np.ndarray, known: np.ndarray) -> None:
        """Lanes hear of what is known, all of the same or each of a row."""
        if self.heard is None:
            self.heard = np.zeros((self.geometry.lanes, self.warps), np.int64)
        self.heard[lanes] = np.maximum(self.heard[lanes], known)

    def meet(self, lanes: Lanes, size: int) -> None:
        """Lanes have met with all of their `size` neighbours: a warp, or a block."""
        if self.heard is None:
            return
        index = lane_index(lanes)
        starts = np.flatnonzero(np.diff(index // size, prepend=-1))
        together = np.maximum.reduceat(self.heard[index], starts, axis=0)
        self.heard[index] = together.repeat(np.diff(starts, append=len(index)), axis=0)
