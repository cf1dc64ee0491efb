"""Order by flags: a fence, then a flag that one thread sets and another sees.

A thread that has passed `__threadfence()` and then makes a strong access (an atomic, a volatile
store) posts at that address what it did before the fence, and what others of its block or warp
did before the barrier that came before the fence. A thread that makes a strong access there later
(an atomic, a volatile load) has seen the post, and after the next barrier so has its block, or its
warp. Within a block `__threadfence_block()` is enough, and the flag may lie in shared memory. This
is the PTX memory model's release and acquire, simplified: the reader's own fence is not asked for.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from ..geometry import Geometry
from ..lanes import WARP, Lanes
from ..lanes import index as lane_index


@dataclass(frozen=True)
class Post:
    """What is known to be done: in its block, all that `lane` did before moment `fence`, all that
    any thread of the block or of the warp did before the moment of their last barrier (`parts`:
    that of each warp that `lane` has met at barriers for a part of the block), and what the block
    had itself seen: the first so many posts at other addresses. `wide`: known to other blocks
    too."""

    block: int
    lane: int
    wide: bool
    fence: int
    barrier: int
    warp_barrier: int
    parts: np.ndarray | None
    number: int  # among the posts at its address
    passed_on: tuple[tuple[int, int], ...]

    def reaches(self, block: int) -> bool:
        return self.wide or self.block == block

    def covers(self, step: int, lane: int) -> bool:
        """Whether it tells of what `lane` of its block did at a moment."""
        if step <= self.barrier or (lane == self.lane and step < self.fence):
            return True
        if _met_in_part(self.parts, lane, step):
            return True
        return lane // WARP == self.lane // WARP and step <= self.warp_barrier


@dataclass(frozen=True)
class Sight:
    """Thread `lane` of a block saw, at moment `step`, the first `count` posts at an address."""

    address: int
    count: int
    lane: int
    step: int


@dataclass(frozen=True)
class Reader:
    """A thread that wants to know what comes before: its lane, and the moments of the last
    barriers of its block, of its warp, and with each warp of the block (None: there were none)."""

    lane: int
    barrier: int
    warp_barrier: int
    parts: np.ndarray | None

    def knows(self, sight: Sight) -> bool:
        """Whether it has seen that itself, or met somebody of its block who had."""
        if sight.lane == self.lane or sight.step <= self.barrier:
            return True
        if _met_in_part(self.parts, sight.lane, sight.step):
            return True
        return sight.lane // WARP == self.lane // WARP and sight.step <= self.warp_barrier


def _met_in_part(parts: np.ndarray | None, lane: int, step: int) -> bool:
    return parts is not None and step <= parts[lane // WARP % len(parts)]


class Flags:
    """Who has posted what at which address, and which posts each block has seen."""

    def __init__(self, geometry: Geometry):
        self.stride = geometry.stride
        # Per lane, for fences that only the block sees and for those that all blocks see: the
        # moment of the last one, and of the last barriers of the block and the warp before it.
        self.fenced = {wide: np.zeros((3, geometry.lanes), np.int64) for wide in (False, True)}
        self.parts = {wide: {} for wide in (False, True)}  # by lane: moments per warp, if any
        self.count: dict[int, int] = defaultdict(int)
        self.posts: dict[tuple[int, int], list[Post]] = defaultdict(list)  # by address and block
        self.relays: dict[int, list[Post]] = defaultdict(list)  # those that pass something on
        self.seen: dict[int, list[Sight]] = defaultdict(list)  # by block
        self.known: set[tuple[int, int, int, int]] = set()  # the same: block, address, count, lane

    def begin_wave(self) -> None:
        for moments in self.fenced.values():
            moments[:] = 0
        for parts in self.parts.values():
            parts.clear()

    def fence(self, lanes: Lanes, step: int, block, warp, parts, wide: bool) -> None:
        """Lanes pass a fence, which all blocks see if it is `wide`; `block` and `warp` are, per
        lane of the wave, the moments of its last barriers, `parts` (None: there were none) those
        of its barriers with each warp of the block."""
        for seen_by in (False, True) if wide else (False,):
            moments = self.fenced[seen_by]
            moments[0, lanes], moments[1, lanes], moments[2, lanes] = (
                step,
                block[lanes],
                warp[lanes],
            )
            if parts is not None:
                self.parts[seen_by] |= {lane: parts[lane] for lane in lane_index(lanes).tolist()}

    def releases(self, lanes: np.ndarray, met: np.ndarray) -> bool:
        """Whether all these lanes have passed a fence since their last barrier, per lane `met`."""
        return bool((self.fenced[False][0, lanes] > met[lanes]).all())

    def access(self, addresses, lanes: Lanes, step: int, first_block: int, kind: str) -> None:
        """Lanes make strong accesses, one after the other: a "load" sees what was posted at its
        address, a "store" past a fence posts there, an "atomic" does both."""
        for lane, address in zip(lane_index(lanes).tolist(), addresses.tolist(), strict=True):
            block = first_block + lane // self.stride
            if kind != "store" and (count := self.count.get(address)):
                self._see(block, Sight(address, count, lane, step))
            if kind != "load" and self.fenced[False][0, lane]:
                self._post(address, block, lane)

    def _see(self, block: int, sight: Sight) -> None:
        known = (block, sight.address, sight.count, sight.lane)
        if known not in self.known:  # a thread that spins sees the same again and again
            self.known.add(known)
            self.seen[block].append(sight)

    def _post(self, address: int, block: int, lane: int) -> None:
        number = self.count[address]
        self.count[address] += 1
        for wide, moments in self.fenced.items():
            fence, barrier, warp_barrier = moments[:, lane].tolist()
            if not fence or (not wide and fence == self.fenced[True][0, lane]):
                continue  # a fence for all blocks is one for the block as well
            passed_on = tuple(
                (sight.address, sight.count)
                for sight in self.seen[block]
                if sight.step < fence and sight.address != address
            )
            parts = self.parts[wide].get(lane)
            post = Post(block, lane, wide, fence, barrier, warp_barrier, parts, number, passed_on)
            self.posts[address, block].append(post)
            if passed_on:
                self.relays[address].append(post)

    def ordered(self, step: int, lane: int, theirs: int, mine: int, me: Reader) -> bool:
        """Whether what `lane` of block `theirs` did at moment `step` comes before what the thread
        `me` of block `mine` does now."""
        told = [(sight.address, sight.count) for sight in self.seen[mine] if me.knows(sight)]
        heard = set(told)
        while told:
            address, count = told.pop()
            for post in self.posts.get((address, theirs), ()):
                if post.number < count and post.reaches(mine) and post.covers(step, lane):
                    return True
            for post in self.relays.get(address, ()):
                if post.number < count and post.reaches(mine):
                    told += [one for one in post.passed_on if one not in heard]
                    heard.update(post.passed_on)
        return False
