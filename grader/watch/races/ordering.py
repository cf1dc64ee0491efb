"""Which accesses are ordered: by a barrier, within a warp, across blocks by a flag.

An access is remembered as a stamp: the epoch it happened in, the lane that made it, and
what kind it was (`marks`). Epochs are counted through the whole launch; lanes are those of the
wave that ran then.
"""

from array import array
from typing import Any

import numpy as np

from ...machine.events import Observer
from ...machine.lanes import WARP, Lanes, by_value, fill, lane_index
from ...machine.memory.access import Hit, Landing
from ...machine.wave import FULL, Wave, whole_warps
from .posts import Flags, Place, WarpClocks, more

STRONG = 1 << 30  # an atomic, or volatile: ordered with other strong ones
COMPARED = 1 << 29  # a compare-and-swap, or the plain read that such a loop starts from
NARROW = 1 << 28  # strong within its block only
LANDED = 1 << 27  # in shared memory, when an mbarrier was told of it
_EPOCH = 32


def stamped(epoch: int, lane: np.ndarray, marks: int = 0) -> np.ndarray:
    """The stamps of accesses that lanes make in an epoch; never 0, which means "never". `marks`:
    STRONG, COMPARED, NARROW, LANDED."""
    return (epoch << _EPOCH) | marks | (lane + 1)


def lane_of(stamps: Any) -> Any:
    return (stamps & (LANDED - 1)) - 1


def epoch_of(stamp: int) -> int:
    return int(stamp) >> _EPOCH


class Ordering(Observer):
    """Hears of all that synchronises threads, and knows what comes before what.

    Stamps up to `synced` (per lane; "warp", "block", "cluster") are ordered before whatever the
    lane does next, if they are of the same scope; up to "landed", if they are LANDED. `sites`
    gives, by epoch, the instruction that touched memory or synchronized then.
    """

    def __init__(self, wave: Wave):
        geometry = wave.geometry
        self.wave, self.geometry = wave, geometry
        self.sites = array("q", [-1])
        self.flags = Flags(geometry) if wave.program.orders else None
        self.clocks, self.in_cluster = WarpClocks(geometry), geometry.cluster_blocks > 1
        self.uncached = False  # whether the access asked about is strong: no cache comes between
        self.synced = {
            scope: np.zeros(geometry.lanes, np.int64)
            for scope in ("warp", "block", "cluster", "landed")
        }
        self.wave_starts: list[int] = []
        self.wave_blocks: list[int] = []

    @property
    def now(self) -> int:
        """The present epoch."""
        return len(self.sites) - 1

    def new_epoch(self, at: int) -> int:
        """A new epoch, in which the instruction at `at` touches memory or synchronizes."""
        self.sites.append(at)
        return len(self.sites) - 1

    def begin_wave(self, first_block: int) -> None:
        self.wave_starts.append(self.new_epoch(0))
        self.wave_blocks.append(first_block)
        fill(self.synced.values(), 0)
        # Per lane and lane of its warp, the same, once a barrier was for a part of a warp.
        self.met: np.ndarray | None = None
        # By number of a barrier for some warps, and block: what those who have come know of flags.
        self.flagged: dict[tuple[int, int], dict[Place, int]] = {}
        self.clocks.begin_wave()
        if self.flags:
            self.flags.begin_wave(first_block)

    @property
    def partial(self) -> bool:
        """Whether more orders accesses than barriers of whole warps and blocks."""
        return any(one is not None for one in (self.flags, self.met, self.clocks.heard))

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        epoch = self.new_epoch(at)
        if part is None:
            self._meet(lanes, epoch, "block")
            return
        index = lane_index(lanes)
        self.clocks.tell(index, self.clocks.brought[part][self.geometry.block_of_lane[index]])
        if self.flags:
            for block, own in by_value(index, self.geometry.block_of_lane[index]):
                self.flags.tell(own, self.flagged.get((part, block), {}))

    def arrive(self, at: int, lanes: np.ndarray, barrier: int) -> None:
        known = self.clocks.known(lanes, self.new_epoch(at) << _EPOCH, self.synced)
        brought = self.clocks.brought.setdefault(
            barrier, np.zeros((self.geometry.wave_blocks, self.clocks.warps), np.int64)
        )
        np.maximum.at(brought, self.geometry.block_of_lane[lanes], known)
        if self.flags:
            self.flags.take_in(lanes, True)
            for block, own in by_value(lanes, self.geometry.block_of_lane[lanes]):
                flagged = self.flagged.setdefault((barrier, block), {})
                flagged |= more(flagged, self.flags.known_to_any(own).counts)

    def close(self, barrier: int, blocks: np.ndarray) -> None:
        if barrier in self.clocks.brought:
            self.clocks.brought[barrier][blocks] = 0
            for block in np.flatnonzero(blocks).tolist():
                self.flagged.pop((barrier, block), None)

    def cluster_barrier(self, at: int, lanes: np.ndarray) -> None:
        self._meet(lanes, self.new_epoch(at), "cluster")

    def warp_barrier(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """Lanes may meet with the whole warp, or with a part of it."""
        epoch = self.new_epoch(at)
        if whole_warps(lanes) and (masks[lanes] == FULL).all():
            self._meet(lanes, epoch, "warp")
            return
        index = lane_index(lanes)
        whole = (masks[index] | ~self.wave.collectives.alive[index // WARP]) == FULL
        self._meet(index[whole], epoch, "warp")
        if not whole.all():
            self._meet_masked(index[~whole], epoch, masks[index[~whole]])

    def phase_over(self, at: int, lanes: Lanes, barriers: np.ndarray, phases: np.ndarray) -> None:
        """All that was done before the arrivals of that phase, and all that has landed, is ordered
        before what the lanes do next."""
        self.synced["landed"][lanes] = self.new_epoch(at) << _EPOCH
        if self.flags:
            self.flags.meet(lanes, "block", self.geometry.cluster_blocks)
        self.clocks.over(lane_index(lanes), barriers, phases)

    def arrived(self, at: int, hit: Hit, phases: np.ndarray) -> None:
        known = self.clocks.known(lane_index(hit.lanes), self.new_epoch(at) << _EPOCH, self.synced)
        for place, phase, own in zip(hit.element.tolist(), phases.tolist(), known, strict=True):
            self.clocks.bring(place, phase, own)

    def sent(self, at: int, landing: Landing) -> None:
        self.clocks.letters[landing.number] = self.clocks.known(
            lane_index(landing.hit.lanes), self.new_epoch(at) << _EPOCH, self.synced
        ).max(axis=0)

    def landed(self, landing: Landing, barrier: int, phase: int) -> None:
        self.clocks.bring(barrier, phase, self.clocks.letters[landing.number])

    def products_over(self, at: int, lanes: np.ndarray, warps: int) -> None:
        """What the warps have read is ordered before what the lanes do next. So is what else they
        have done so far, which an H200 agrees with and nobody promises."""
        now, clocks = self.new_epoch(at) << _EPOCH, self.clocks
        group = np.arange(clocks.warps) // warps
        clocks.tell(lanes, np.where(group == group[lanes // WARP % clocks.warps, None], now, 0))

    def fence(self, at: int, lanes: Lanes, wide: bool) -> None:
        if self.flags:
            epoch = self.new_epoch(at)
            barriers = self.synced["block"] >> _EPOCH, self.synced["warp"] >> _EPOCH
            some = self.clocks.heard is not None or self.met is not None
            self.flags.fence(lanes, epoch, barriers, wide, self._of_parts if some else None)

    def _of_parts(self, lane: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The epochs of a lane's barriers with parts of its block, and of its warp."""
        heard, (own,) = self.clocks.heard, self.clocks.of_own_block(np.array([lane]))
        parts = None if heard is None else heard[lane, own] >> _EPOCH
        return parts, None if self.met is None else self.met[lane] >> _EPOCH

    def _meet(self, lanes: Lanes, epoch: int, scope: str) -> None:
        """These lanes have met with all others of their "warp", "block" or "cluster"."""
        self.synced[scope][lanes] = epoch << _EPOCH
        if self.flags:
            self.flags.meet(lanes, scope, self.geometry.cluster_blocks)
        if scope != "cluster":  # which tells them all there is to know
            self.clocks.meet(lanes, WARP if scope == "warp" else self.geometry.stride)

    def _meet_masked(self, lanes: np.ndarray, epoch: int, masks: np.ndarray) -> None:
        """Each of these lanes has met with the lanes of its warp that its mask names, and knows
        from then on what they knew."""
        if self.met is None:
            self.met = np.zeros((self.geometry.lanes, WARP), np.int64)
        known = np.maximum(self.met[lanes], self.synced["warp"][lanes, None])
        known[masks[:, None] >> np.arange(WARP, dtype=np.uint32) & 1 == 1] = epoch << _EPOCH
        _, group = np.unique(lanes // WARP << WARP | masks, return_inverse=True)
        shared = np.zeros((int(group.max()) + 1, WARP), np.int64)
        np.maximum.at(shared, group, known)
        self.met[lanes] = shared[group]
        if self.flags:
            self.flags.take_in(lanes, True)
            for number in range(len(shared)):
                together = lanes[group == number]
                self.flags.tell(together, self.flags.known_to_any(together).counts)

    def unordered_in_block(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray | None:
        """Which accesses, stamped by threads of the lane's own block, nothing orders before the
        lane's next; None where all are ordered."""
        since = self.synced["block"][lane]
        if self.clocks.heard is not None:
            since = np.maximum(since, np.where(stamps & LANDED, self.synced["landed"][lane], 0))
        late = stamps > since
        if not np.count_nonzero(late):
            return None
        other = lane_of(stamps)
        late = self.clocks.unheard(late & (other != lane), stamps, other, lane)
        same_warp = other // WARP == lane // WARP
        met = self.synced["warp"][lane]
        met = np.maximum(met, self.met[lane, other % WARP]) if self.met is not None else met
        return self._unflagged(late & ~(same_warp & (stamps <= met)), stamps, lane)

    def unordered_in_cluster(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray | None:
        """The same where threads of other blocks of the cluster may have been there."""
        if not np.count_nonzero(stamps):
            return None
        block, other = self.geometry.block_of_lane, lane_of(stamps)
        # Whoever saw to it that something landed is as good as a neighbour who wrote it.
        same_block = (block[other] == block[lane]) | (stamps & LANDED != 0)
        in_block = self.unordered_in_block(stamps, lane)
        late = np.where(same_block, False if in_block is None else in_block, stamps > 0)
        late = self.clocks.unheard(late, stamps, other, lane)
        return late & (stamps > self.synced["cluster"][lane])

    def unordered_in_grid(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray | None:
        """The same where threads of any block of the grid may have been there."""
        if not np.count_nonzero(stamps):
            return None
        here = self.here(stamps)
        within = self.unordered_in_cluster(np.where(here, stamps, 0), lane)
        return self._unflagged(
            np.where(here, False if within is None else within, stamps > 0), stamps, lane
        )

    def blocks_of(self, stamps: np.ndarray) -> np.ndarray:
        """The numbers of the blocks whose threads made the stamps."""
        wave = np.searchsorted(self.wave_starts, stamps >> _EPOCH, side="right") - 1
        return np.asarray(self.wave_blocks)[wave] + lane_of(stamps) // self.geometry.stride

    def elsewhere(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray:
        """Which stamps are of threads of another block than the lane's."""
        here, block = self.here(stamps), self.geometry.block_of_lane
        return ~here | (block[np.where(here, lane_of(stamps), 0)] != block[lane])

    def here(self, stamps: np.ndarray) -> np.ndarray:
        """Whether stamps are of the wave that runs now."""
        return stamps >> _EPOCH >= self.wave_starts[-1]

    def _unflagged(self, late: np.ndarray, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray:
        """Those of the `late` accesses that no flag orders either."""
        if self.flags is None or not np.count_nonzero(late):
            return late
        knowing = self.flags.knowing[lane]
        knowing = knowing | (self.flags.seen[1, lane] > 0) if self.uncached else knowing
        if len(some := np.flatnonzero(late & knowing)):
            then = stamps[some]
            theirs = np.column_stack((self.blocks_of(then), lane_of(then), then >> _EPOCH))
            late[some] = ~self.flags.ordered(theirs, lane[some], self.uncached)
        return late
