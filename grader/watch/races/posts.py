"""What threads tell each other: posts at an address, messages by mbarriers and barriers of some
warps, and what is known through them.

A post says what is done by the time it is made: all that its thread did before its fence, all that
its block or warp did before their last barrier before that, and what the thread itself knew of
posts elsewhere. Whoever sees the place later knows the first so many posts there, and through
them those that they knew of. So what a thread knows is one number for each place: this is the
vector clock of happens-before detectors (Mattern, 1989; Flanagan and Freund, FastTrack, 2009),
indexed by place instead of by thread, and a look-up costs a binary search, not a walk.

Order by flags: a fence, then a flag that one thread sets and another sees, then a fence.

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

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, reduce

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
            warps = enumerate(self.parts, warp - warp % len(self.parts))
            yield from (((self.block, one), int(epoch)) for one, epoch in warps)
        if self.met is not None:
            lanes = enumerate(self.met, warp * WARP)
            yield from (((self.block, warp, one), int(epoch)) for one, epoch in lanes)


def more(known: dict[Place, int], counts: dict[Place, int]) -> dict[Place, int]:
    """Those of the counts that say more than is known."""
    return {place: n for place, n in counts.items() if n > known.get(place, 0)}


@dataclass(eq=False)
class _Rising:
    """A value that only grows, with the number of the post from which on it was so large."""

    numbers: list[int] = field(default_factory=list)
    values: list[int] = field(default_factory=list)

    def raise_to(self, value: int, number: int) -> None:
        if value > (self.values[-1] if self.values else 0):
            self.numbers.append(number)
            self.values.append(value)

    def among(self, count: int) -> int:
        """How large it was after the first `count` posts."""
        at = bisect_left(self.numbers, count)
        return self.values[at - 1] if at else 0


@dataclass(eq=False)
class Log:
    """The posts at one place: per part of the grid, up to which epoch it is done; per other
    place, how many of the posts there were known."""

    done: dict[Part, _Rising] = field(default_factory=lambda: defaultdict(_Rising))
    imports: dict[Place, _Rising] = field(default_factory=lambda: defaultdict(_Rising))

    def add(self, number: int, post: Post, knowledge: "Knowledge") -> None:
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

    def with_more(self, counts: dict[Place, int]) -> "Knowledge":
        new = more(self.counts, counts)
        return Knowledge(self.counts | new, self.logs) if new else self

    @cached_property
    def everything(self) -> dict[Place, int]:
        """The same with what is known through those posts."""
        found: dict[Place, int] = {}
        todo = list(self.counts.items())
        while todo:
            place, count = todo.pop()
            if count > found.get(place, 0):
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

    @cached_property
    def latest(self) -> int:
        """The latest epoch up to which any part of the grid is known to be done."""
        return max(
            (
                rising.among(count)
                for place, count in self.everything.items()
                for rising in self.logs[place].done.values()
            ),
            default=0,
        )

    def covers(self, block: int, lane: int, epoch: int) -> bool:
        """Whether what `lane` of `block` did in an epoch is known to be done."""
        warp = lane // WARP
        return any(
            epoch <= self.epoch(part) for part in (block, (block, warp), (block, warp, lane))
        )


class WarpClocks:
    """What the lanes of a wave have heard of the warps of their clusters (without clusters, of
    their blocks), other than by barriers of all threads.

    Whoever comes to a barrier of some warps of its block, arrives at an mbarrier, as a release, or
    sends what one will be told of (`st.async`, a bulk copy), brings along what it knows; whoever
    passes that barrier or sees that phase over knows it, too. Barriers of a warp or of a block let
    the others there know.

    What a lane knows is kept by the warps of its cluster: stamps up to there, of that warp's
    lanes, are ordered before whatever the lane does next.
    """

    def __init__(self, geometry: Geometry):
        self.geometry = geometry
        self.warps = geometry.stride * geometry.cluster_blocks // WARP

    def begin_wave(self) -> None:
        self.heard: np.ndarray | None = None  # (lanes, warps of the cluster); None: nothing
        # By an mbarrier's place: the parity of the present phase, and, by parity, what those knew
        # who came in it and in the one before.
        self.barriers: dict[int, tuple[int, np.ndarray]] = {}
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
        present, brought = self.barriers.get(barrier, (-1, np.zeros((2, self.warps), np.int64)))
        if phase != present:
            brought[phase] = 0
        np.maximum(brought[phase], known, out=brought[phase])
        self.barriers[barrier] = phase, brought

    def over(self, lanes: np.ndarray, barriers: np.ndarray, phases: np.ndarray) -> None:
        """Lanes have seen that these phases (one a lane) are over."""
        for barrier, phase in set(zip(barriers.tolist(), phases.tolist(), strict=True)):
            if barrier in self.barriers:
                self.tell(
                    lanes[(barriers == barrier) & (phases == phase)],
                    self.barriers[barrier][1][phase],
                )

    def tell(self, lanes: np.ndarray, known: np.ndarray) -> None:
        """Lanes hear of what is known, all of the same or each of a row."""
        if self.heard is None:
            self.heard = np.zeros((self.geometry.lanes, self.warps), np.int64)
        self.heard[lanes] = np.maximum(self.heard[lanes], known)

    def meet(self, lanes: Lanes, size: int) -> None:
        """Lanes have met with all of their `size` neighbours: a warp, or a block."""
        if self.heard is not None:
            index = lane_index(lanes)
            starts = np.flatnonzero(np.diff(index // size, prepend=-1))
            self.heard[index] = np.maximum.reduceat(self.heard[index], starts, axis=0).repeat(
                np.diff(starts, append=len(index)), axis=0
            )


_NOWHERE = np.iinfo(np.int64).min


class Flags:
    """Who has posted what at which address, and who knows of it."""

    def __init__(self, geometry: Geometry):
        self.stride, self.lanes = geometry.stride, geometry.lanes
        self.logs: dict[Place, Log] = defaultdict(Log)
        self.count: dict[int, int] = defaultdict(int)  # posts by address
        self.nothing = Knowledge({}, self.logs)

    def begin_wave(self, first_block: int) -> None:
        self.first_block = first_block
        # Per lane, for fences that only the block sees and for those that all blocks see: the
        # epoch of the last one, and of the last barriers of the block and the warp before it.
        self.fenced = {wide: np.zeros((3, self.lanes), np.int64) for wide in (False, True)}
        # What a lane knew at that fence, and the `parts` and `met` of its post.
        self.known_then = {wide: np.full(self.lanes, self.nothing, object) for wide in self.fenced}
        self.details: dict[tuple[bool, int], tuple[np.ndarray | None, np.ndarray | None]] = {}
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
        details: Callable[[int], tuple[np.ndarray | None, np.ndarray | None]] | None,
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
            if self.knowing[lanes].any():
                self.known_then[seen_by][lanes] = self.knowledge[lanes]
            if details:
                self.details |= {(seen_by, one): details(one) for one in lane_index(lanes).tolist()}

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
        for group in np.split(
            order, np.flatnonzero(np.diff(addresses[order], prepend=_NOWHERE))[1:]
        ):
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
        near = bool(self.fenced[False][0, lane] > self.fenced[True][0, lane])
        if far:
            self.logs[address, None].add(number, *self._content(block, lane, True))
        self.logs[address, block].add(number, *self._content(block, lane, far and not near))

    def _content(self, block: int, lane: int, wide: bool) -> tuple[Post, Knowledge]:
        fence, barrier, warp_barrier = self.fenced[wide][:, lane].tolist()
        details = self.details.get((wide, lane), (None, None))
        return (
            Post(block, lane, fence, barrier, warp_barrier, *details),
            self.known_then[wide][lane],
        )

    def take_in(self, lanes: Lanes, wide: bool) -> None:
        """What these lanes have seen they know now; only of their own block unless `wide`."""
        index = lane_index(lanes)[self.seen[1, lanes] > 0]
        for places in self._alike(index):
            some = index[places]
            self.tell(some, self._all_seen(int(some[0]), wide))
        if wide:
            for lane in self.seen_before.keys() & set(index.tolist()):
                del self.seen_before[lane]
            self.seen[:, index] = _NOWHERE

    def _alike(self, lanes: np.ndarray) -> Iterator[np.ndarray]:
        """The places of those of `lanes` that know and have seen the same, group by group."""
        if not len(lanes):  # as at most fences and barriers
            return
        known = np.fromiter(map(id, self.knowledge[lanes]), np.int64, len(lanes))
        before = np.where(np.isin(lanes, [*self.seen_before]), lanes, _NOWHERE)
        rows = np.stack(
            (known, before, lanes // self.stride, *self.seen[:, lanes], self.seen_wide[lanes])
        )
        order = np.lexsort(rows)
        yield from np.split(
            order, np.flatnonzero((np.diff(rows[:, order], axis=1) != 0).any(axis=0)) + 1
        )

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
        different = dict.fromkeys(self.knowledge[lanes].tolist())
        return reduce(lambda one, other: one.with_more(other.counts), different)

    def tell(self, lanes: Lanes, counts: dict[Place, int]) -> None:
        """Lanes are told of posts, as what others brought to a barrier."""
        if counts:
            known = {id(one): one for one in self.knowledge[lanes]}
            news = {at: one.with_more(counts) for at, one in known.items()}
            self.knowledge[lanes] = [news[id(one)] for one in self.knowledge[lanes]]
            self.knowing[lanes] = self.alone[lanes] = True

    def ordered(self, theirs: np.ndarray, readers: np.ndarray, uncached: bool) -> np.ndarray:
        """Which of some accesses, by row (block, lane, epoch), come before what the lanes `readers`
        of the wave do now; if `uncached`, what these have seen need not be taken in."""
        found = np.zeros(len(readers), bool)
        for places in self._alike(readers):
            reader = int(readers[places[0]])
            seen = Knowledge(self._all_seen(reader, True), self.logs) if uncached else self.nothing
            for known in (self.knowledge[reader], seen):
                able = places[~found[places] & (theirs[places, 2] <= known.latest)]
                if len(able):
                    rows, each = np.unique(theirs[able], axis=0, return_inverse=True)
                    found[able] = np.array([known.covers(*row) for row in rows.tolist()])[
                        each.ravel()
                    ]
        return found

    def _block(self, lane: int) -> int:
        return self.first_block + lane // self.stride
