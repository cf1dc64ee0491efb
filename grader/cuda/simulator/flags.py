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

from .geometry import Geometry
from .lanes import Lanes
from .lanes import index as lane_index


@dataclass(frozen=True)
class Post:
    """What is known to be done: in its block, all that `lane` did before moment `fence`, all that
    any thread did before moment `barrier`, and what the block had itself seen: the first so many
    posts at other addresses."""

    lane: int
    fence: int
    barrier: int
    number: int  # among the posts at its address
    passed_on: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Sight:
    """Thread `lane` of a block saw, at moment `step`, the first `count` posts at an address."""

    address: int
    count: int
    lane: int
    step: int


class Flags:
    """Who has posted what at which address, and which posts each block has seen."""

    def __init__(self, geometry: Geometry):
        self.stride = geometry.stride
        self.fenced = np.zeros(geometry.lanes, np.int64)
        self.met = np.zeros(geometry.lanes, np.int64)
        self.count: dict[int, int] = defaultdict(int)
        self.posts: dict[tuple[int, int], list[Post]] = defaultdict(list)  # by address and block
        self.relays: dict[int, list[Post]] = defaultdict(list)  # those that pass something on
        self.seen: dict[int, list[Sight]] = defaultdict(list)  # by block

    def begin_wave(self) -> None:
        self.fenced[:] = 0

    def fence(self, lanes: Lanes, step: int, met: np.ndarray) -> None:
        """Lanes pass a fence; `met` is, per lane of the wave, the moment of its last barrier."""
        self.fenced[lanes] = step
        self.met[lanes] = met[lanes]

    def access(self, addresses, lanes: Lanes, step: int, first_block: int, kind: str) -> None:
        """Lanes make strong accesses, one after the other: a "load" sees what was posted at its
        address, a "store" past a fence posts there, an "atomic" does both."""
        for lane, address in zip(lane_index(lanes).tolist(), addresses.tolist(), strict=True):
            block = first_block + lane // self.stride
            if kind != "store" and (count := self.count.get(address)):
                self._see(block, Sight(address, count, lane, step))
            if kind != "load" and self.fenced[lane]:
                self._post(address, block, lane)

    def _see(self, block: int, sight: Sight) -> None:
        known = (sight.address, sight.count, sight.lane)
        if all((s.address, s.count, s.lane) != known for s in self.seen[block]):
            self.seen[block].append(sight)

    def _post(self, address: int, block: int, lane: int) -> None:
        fence, number = int(self.fenced[lane]), self.count[address]
        passed_on = tuple(
            (sight.address, sight.count)
            for sight in self.seen[block]
            if sight.step < fence and sight.address != address
        )
        post = Post(lane, fence, int(self.met[lane]), number, passed_on)
        self.count[address] += 1
        self.posts[address, block].append(post)
        if passed_on:
            self.relays[address].append(post)

    def ordered(self, step: int, lane: int, theirs: int, mine: int, me: int, met: int) -> bool:
        """Whether what `lane` of block `theirs` did at moment `step` comes before what lane `me`
        of block `mine`, whose last barrier was at moment `met`, does now."""
        told = [
            (sight.address, sight.count)
            for sight in self.seen[mine]
            if sight.lane == me or sight.step <= met
        ]
        heard = set(told)
        while told:
            address, count = told.pop()
            for post in self.posts.get((address, theirs), ()):
                done = step <= post.barrier or (post.lane == lane and step < post.fence)
                if post.number < count and done:
                    return True
            for post in self.relays.get(address, ()):
                if post.number < count:
                    told += [one for one in post.passed_on if one not in heard]
                    heard.update(post.passed_on)
        return False
