"""What strong accesses tell each other: posts at an address, and what is known through them.

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

from ...machine.lanes import WARP

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
