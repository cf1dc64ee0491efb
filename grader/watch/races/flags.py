"""Order by flags: a fence, then a flag that one thread sets and another sees, then a fence.

A thread that has passed `__threadfence()` and then makes a strong access (an atomic, a volatile
store) posts at that address what it did before the fence, and what others of its block or warp
did before the barrier that came before the fence. A thread that makes a strong access there later
(an atomic, a volatile load) sees the post, and knows it once it has passed a fence of its own or a
barrier, which lets the others there know it too. Within a block `__threadfence_block()` and
atomics of the block's scope are enough, and the flag may lie in shared memory. This is the PTX
memory model's release and acquire (Lustig et al., 2019), simplified in two ways: whatever a thread
sees there has been posted by all who wrote before; and a barrier is as good as the reader's fence
(NVIDIA's own threadFenceReduction rests on that), which strong accesses need not pass at all.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import reduce

import numpy as np

from ...machine.lanes import WARP, Geometry, Lanes, lane_index
from .posts import Knowledge, Log, Place, Post, more

# What a lane knew at its fence, and the `parts` and `met` of its post.
Fenced = tuple[Knowledge, np.ndarray | None, np.ndarray | None]
# (parts, met) of a lane's post
Details = Callable[[int], tuple[np.ndarray | None, np.ndarray | None]]
_NOWHERE = np.iinfo(np.int64).min


class Flags:
    """Who has posted what at which address, and who knows of it."""

    def __init__(self, geometry: Geometry):
        self.stride, self.lanes = geometry.stride, geometry.lanes
        self.logs: dict[Place, Log] = defaultdict(Log)
        self.count: dict[int, int] = defaultdict(int)  # posts by address
        self.nothing = Knowledge({}, self.logs)
        self.begin_wave(0)

    def begin_wave(self, first_block: int) -> None:
        self.first_block = first_block
        # Per lane, for fences that only the block sees and for those that all blocks see: the
        # epoch of the last one, and of the last barriers of the block and the warp before it.
        self.fenced = {wide: np.zeros((3, self.lanes), np.int64) for wide in (False, True)}
        self.at_fence: dict[bool, dict[int, Fenced]] = {False: {}, True: {}}
        # The last place that a lane saw, with how many posts; and those that it saw before.
        self.seen = np.full((2, self.lanes), _NOWHERE)
        self.seen_wide = np.zeros(self.lanes, bool)
        self.seen_before: dict[int, dict[Place, int]] = {}
        # The place of a lane's last post and the fence it spoke of, so as not to repeat it.
        self.posted = np.full((2, self.lanes), _NOWHERE)
        # What each lane knows, and whether it is anything; whether it may know more than the others
        # of its warp, or else of its block.
        self.knowledge = np.full(self.lanes, self.nothing, object)
        self.knowing, self.alone, self.by_warp = np.zeros((3, self.lanes), bool)
        for place in [place for place in self.logs if place[0] < 0]:  # shared memory of others
            del self.logs[place]

    def fence(
        self,
        lanes: Lanes,
        epoch: int,
        barriers: tuple[np.ndarray, np.ndarray],
        wide: bool,
        details: Details | None,
    ) -> None:
        """Lanes pass a fence, which all blocks see if it is `wide`: it makes known what they have
        seen, and is what their next post speaks of. `barriers` are, per lane of the wave, the
        epochs of its last ones, of the block and of the warp; `details(lane)` gives the `parts`
        and `met` of a post."""
        self.take_in(lanes, wide)
        for seen_by in (False, True) if wide else (False,):
            self.fenced[seen_by][0, lanes] = epoch
            for row, epochs in enumerate(barriers, 1):
                self.fenced[seen_by][row, lanes] = epochs[lanes]
            for lane in lane_index(lanes).tolist() if details or self.knowing[lanes].any() else ():
                of_parts = details(lane) if details else (None, None)
                self.at_fence[seen_by][lane] = self.knowledge[lane], *of_parts

    def releases(self, lanes: np.ndarray, met: np.ndarray) -> bool:
        """Whether all these lanes have passed a fence since their last barrier, per lane `met`."""
        return bool((self.fenced[False][0, lanes] > met[lanes]).all())

    def access(
        self, addresses: np.ndarray, lanes: Lanes, reads: bool, writes: np.ndarray, wide: bool
    ) -> None:
        """Lanes make strong accesses, one after the other: each sees what was posted at its
        address if it `reads`, and posts there, past a fence, if it `writes` (a bool per lane).
        `wide`: other blocks take part."""
        lane = lane_index(lanes)
        if (addresses == addresses[0]).all():
            self._access(int(addresses[0]), lane, reads, writes, wide)
            return
        order = np.argsort(addresses, kind="stable")
        starts = np.flatnonzero(np.diff(addresses[order], prepend=_NOWHERE))
        for group in np.split(order, starts[1:]):
            self._access(int(addresses[group[0]]), lane[group], reads, writes[group], wide)

    def _access(
        self, address: int, lane: np.ndarray, reads: bool, writes: np.ndarray, wide: bool
    ) -> None:
        epoch, count = self.fenced[False][0, lane], self.count.get(address, 0)
        repeated = (self.posted[0, lane] == address) & (self.posted[1, lane] == epoch)
        posts = writes & (epoch > 0) & ~repeated
        if reads and (count or posts.any()):
            self._see(address, lane, count + np.cumsum(posts) - posts, wide)
        self.posted[0, lane[posts]], self.posted[1, lane[posts]] = address, epoch[posts]
        for one in lane[posts].tolist():
            self._post(address, one, wide)

    def _see(self, address: int, lane: np.ndarray, counts: np.ndarray, wide: bool) -> None:
        elsewhere = (self.seen[0, lane] != address) | (self.seen_wide[lane] != wide)
        for one in lane[elsewhere & (self.seen[0, lane] != _NOWHERE)].tolist():
            before = self.seen_before.setdefault(one, {})
            before |= more(before, dict(self._sight(one, True)))
        self.seen[0, lane], self.seen[1, lane] = address, counts
        self.seen_wide[lane] = wide

    def _sight(self, lane: int, wide: bool) -> Iterator[tuple[Place, int]]:
        address, count = self.seen[:, lane].tolist()
        if count > 0:
            yield (address, self._block(lane)), count
            if wide and self.seen_wide[lane]:
                yield (address, None), count

    def _post(self, address: int, lane: int, wide: bool) -> None:
        number, block = self.count[address], self._block(lane)
        self.count[address] += 1
        far = wide and bool(self.fenced[True][0, lane])
        near = self.fenced[False][0, lane] > self.fenced[True][0, lane]
        if far:
            post, knowledge = self._content(block, lane, True)
            self.logs[address, None].add(number, post, knowledge)
        if near or not far:
            post, knowledge = self._content(block, lane, False)
        self.logs[address, block].add(number, post, knowledge)

    def _content(self, block: int, lane: int, wide: bool) -> tuple[Post, Knowledge]:
        known, parts, met = self.at_fence[wide].get(lane, (self.nothing, None, None))
        fence, barrier, warp_barrier = self.fenced[wide][:, lane].tolist()
        return Post(block, lane, fence, barrier, warp_barrier, parts, met), known

    def take_in(self, lanes: Lanes, wide: bool) -> None:
        """What these lanes have seen they know now; only of their own block unless `wide`."""
        for lane in lane_index(lanes)[self.seen[1, lanes] > 0].tolist():
            self.tell([lane], self._all_seen(lane, wide))
            if wide:
                self.seen_before.pop(lane, None)
                self.seen[:, lane] = _NOWHERE

    def _all_seen(self, lane: int, wide: bool) -> dict[Place, int]:
        """What a lane has seen; only of its own block unless `wide`."""
        counts = dict(self._sight(lane, wide))
        before = self.seen_before.get(lane, {})
        return counts | more(counts, {p: n for p, n in before.items() if wide or p[1] is not None})

    def meet(self, lanes: Lanes, scope: str, cluster: int) -> None:
        """These lanes have met with all of their "warp", "block" or "cluster" (of so many
        blocks), and know what any of them knew."""
        self.take_in(lanes, True)
        size = {"warp": WARP, "block": self.stride, "cluster": self.stride * cluster}[scope]
        news = self.knowing if scope == "cluster" else self.alone | (self.by_warp & (size > WARP))
        index = lane_index(lanes)
        for number in np.unique(index[news[index]] // size).tolist():
            group = slice(number * size, (number + 1) * size)
            self.knowledge[group] = self.known_to_any(group)
            self.alone[group], self.by_warp[group] = False, scope == "warp"
            self.knowing[group] = True

    def known_to_any(self, lanes: Lanes) -> Knowledge:
        """What is known to some of these lanes."""
        different = {id(known): known for known in self.knowledge[lanes]}
        return reduce(lambda one, other: one.with_more(other.counts), different.values())

    def tell(self, lanes: Iterable[int], counts: dict[Place, int]) -> None:
        """Lanes are told of posts, as what others brought to a barrier."""
        for lane in lanes if counts else ():
            self.knowledge[lane] = self.knowledge[lane].with_more(counts)
            self.knowing[lane] = self.alone[lane] = True

    def ordered(self, epoch: int, lane: int, theirs: int, reader: int, uncached: bool) -> bool:
        """Whether what `lane` of block `theirs` did in epoch `epoch` comes before what the lane
        `reader` of the wave does now; if `uncached`, what it has seen need not be taken in."""
        if self.knowledge[reader].covers(theirs, lane, epoch):
            return True
        seen = Knowledge(self._all_seen(reader, True), self.logs) if uncached else self.nothing
        return seen.covers(theirs, lane, epoch)

    def _block(self, lane: int) -> int:
        return self.first_block + lane // self.stride
