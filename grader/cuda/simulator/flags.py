"""Order between blocks: a fence, then a flag that one block sets and another sees.

A thread that has passed `__threadfence()` and then makes a strong access (an atomic, a volatile
store) posts at that address what it did before the fence, and what others of its block did before
the barrier that came before the fence. A thread that makes a strong access there later (an
atomic, a volatile load) has seen the post, and after the next barrier so has its block. This is
the PTX memory model's release and acquire, simplified: the reader's own fence is not asked for.
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
    """What is known to be done: in `block`, all that `lane` did before moment `fence`, and all
    that any thread did before moment `barrier`."""

    block: int
    lane: int
    fence: int
    barrier: int


class Flags:
    """Posts by address, and which of them each block has seen (through which lane, and when)."""

    def __init__(self, geometry: Geometry):
        self.stride = geometry.stride
        self.fenced = np.zeros(geometry.lanes, np.int64)
        self.met = np.zeros(geometry.lanes, np.int64)
        self.posts: dict[int, list[Post]] = defaultdict(list)
        self.read: dict[tuple[int, int], int] = {}
        # by block that saw, then by block that posted: through which lane, when, and what
        self.seen: dict[int, dict[int, list[tuple[int, int, Post]]]] = defaultdict(dict)

    def begin_wave(self) -> None:
        self.fenced[:] = 0

    def fence(self, lanes: Lanes, step: int, met: np.ndarray) -> None:
        """Lanes pass a fence; `met` is, per lane of the wave, the moment of its last barrier."""
        self.fenced[lanes] = step
        self.met[lanes] = met[lanes]

    def acquire(self, addresses: np.ndarray, lanes: Lanes, step: int, first_block: int) -> None:
        """Lanes make strong accesses that see what was posted at their addresses."""
        for lane, address in zip(lane_index(lanes).tolist(), addresses.tolist(), strict=True):
            if posts := self.posts.get(address):
                block = first_block + lane // self.stride
                start = self.read.get((block, address), 0)
                self.read[block, address] = len(posts)
                for post in posts[start:]:
                    self.seen[block].setdefault(post.block, []).append((lane, step, post))

    def release(self, addresses: np.ndarray, lanes: Lanes, first_block: int) -> None:
        """Lanes make strong accesses that others may see; those past a fence post."""
        for lane, address in zip(lane_index(lanes).tolist(), addresses.tolist(), strict=True):
            if fence := int(self.fenced[lane]):
                block = first_block + lane // self.stride
                self.posts[address].append(Post(block, lane, fence, int(self.met[lane])))
                known = [seen for by_block in self.seen[block].values() for seen in by_block]
                passed_on = {post for _, when, post in known if when < fence}
                self.posts[address] += passed_on.difference(self.posts[address])

    def ordered(self, step: int, lane: int, theirs: int, mine: int, me: int, met: int) -> bool:
        """Whether what `lane` of block `theirs` did at moment `step` comes before what lane `me`
        of block `mine`, whose last barrier was at moment `met`, does now."""
        return any(
            (seer == me or when <= met)
            and (step <= post.barrier or (post.lane == lane and step < post.fence))
            for seer, when, post in self.seen[mine].get(theirs, ())
        )
