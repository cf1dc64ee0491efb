"""Which accesses are ordered: by a barrier, within a warp, across blocks by a flag.

An access is remembered as a stamp: the epoch it happened in, the lane that made it, and
what kind it was (`marks`). Epochs are counted through the whole launch; lanes are those of the
wave that ran then.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...machine.lanes import WARP, Geometry, Lanes
from ...machine.memory.access import Landing
from .flags import Flags
from .messages import Messages
from .posts import Place

STRONG = 1 << 30  # an atomic, or volatile: ordered with other strong ones
COMPARED = 1 << 29  # a compare-and-swap, or the plain read that such a loop starts from
NARROW = 1 << 28  # strong within its block only
LANDED = 1 << 27  # in shared memory, when an mbarrier was told of it
_LANE = LANDED - 1
_EPOCH = 32


def stamped(epoch: int, lane: np.ndarray, marks: int = 0) -> np.ndarray:
    """The stamps of accesses that lanes make in an epoch; never 0, which means "never". `marks`:
    STRONG, COMPARED, NARROW, LANDED."""
    return (epoch << _EPOCH) | marks | (lane + 1)


def lane_of(stamps: Any) -> Any:
    return (stamps & _LANE) - 1


def epoch_of(stamp: int) -> int:
    return int(stamp) >> _EPOCH


class Ordering:
    """What synchronised whom. Per lane and scope ("warp", "block", "cluster"): stamps up to there
    are ordered before whatever the lane does next, if they are of the same scope."""

    def __init__(self, geometry: Geometry, flags: Flags | None):
        self.geometry = geometry
        self.flags = flags
        self.messages = Messages(geometry) if geometry.cluster_blocks > 1 else None
        self.uncached = False  # whether the access asked about is strong: no cache comes between
        zeros = np.zeros(geometry.lanes, np.int64)
        self.synced = {"warp": zeros, "block": zeros.copy(), "cluster": zeros.copy()}
        # Per lane and lane of its warp, the same, once a barrier was for a part of a warp.
        self.met: np.ndarray | None = None
        # Per lane and warp of its block, the same, once a barrier was for some of the warps only;
        # and by number of such a barrier, per block and warp, what those who have come know.
        self.parts: np.ndarray | None = None
        self.brought: dict[int, np.ndarray] = {}
        self.told: dict[
            tuple[int, int], dict[Place, int]
        ] = {}  # by barrier and block: what they know of flags
        self.wave_starts: list[int] = []
        self.wave_blocks: list[int] = []

    def begin_wave(self, first_block: int, epoch: int) -> None:
        self.wave_starts.append(epoch)
        self.wave_blocks.append(first_block)
        for stamps in self.synced.values():
            stamps[:] = 0
        self.met = self.parts = None
        self.brought.clear()
        self.told.clear()
        if self.flags:
            self.flags.begin_wave(first_block)
        if self.messages:
            self.messages.begin_wave()

    @property
    def partial(self) -> bool:
        """Whether more orders accesses than barriers of whole warps and blocks."""
        return self.flags is not None or self.met is not None or self.parts is not None

    def synchronize(self, lanes: Lanes, epoch: int, scope: str) -> None:
        """These lanes met, in an epoch, with all others of their "warp", "block" or "cluster"."""
        self.synced[scope][lanes] = epoch << _EPOCH
        if self.flags:
            self.flags.meet(lanes, scope, self.geometry.cluster_blocks)
        if self.messages and scope != "cluster":  # which tells them all there is to know
            self.messages.meet(lanes, WARP if scope == "warp" else self.geometry.stride)

    def phase_over(
        self, lanes: np.ndarray, epoch: int, barriers: np.ndarray, phases: np.ndarray
    ) -> None:
        """Lanes see, in an epoch, that these phases of these mbarriers are over. All that their own
        block has done is taken to be ordered before that."""
        self.synced["block"][lanes] = epoch << _EPOCH
        if self.flags:
            self.flags.meet(lanes, "block", self.geometry.cluster_blocks)
        if self.messages:
            self.messages.over(lanes, barriers, phases)

    def arrive(
        self, lanes: np.ndarray, epoch: int, barriers: np.ndarray, phases: np.ndarray
    ) -> None:
        """Lanes arrive, in an epoch, at these mbarriers, in these phases."""
        if self.messages:
            blocks = self.geometry.block_of_lane[lanes]
            which = np.stack([blocks, barriers, phases.astype(np.int64)])
            for block, barrier, phase in np.unique(which, axis=1).T.tolist():
                own = lanes[(blocks == block) & (barriers == barrier) & (phases == phase)]
                self.messages.bring(barrier, phase, self._known(own, epoch))

    def send(self, lanes: np.ndarray, epoch: int, landing: Landing) -> None:
        """Lanes issue, in an epoch, what an mbarrier will be told of."""
        if self.messages:
            blocks = self.geometry.block_of_lane[lanes]
            known = [self._known(lanes[blocks == block], epoch) for block in np.unique(blocks)]
            self.messages.letters[landing.number] = np.maximum.reduce(known)

    def land(self, landing: Landing, barrier: int, phase: int) -> None:
        """It is counted in this phase of the mbarrier at this place."""
        if self.messages:
            self.messages.bring(barrier, phase, self.messages.letters[landing.number])

    def _known(self, lanes: np.ndarray, epoch: int) -> np.ndarray:
        assert self.messages
        return self.messages.known(lanes, epoch << _EPOCH, self.synced, self.parts)

    def synchronize_masked(self, lanes: np.ndarray, epoch: int, masks: np.ndarray) -> None:
        """Each of these lanes met, in an epoch, with the lanes of its warp that its mask names,
        and knows from then on what they knew."""
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
                self.flags.tell(together, self.flags.known_to_any(together))

    def come_to_part(self, barrier: int, lanes: np.ndarray, epoch: int) -> None:
        """These lanes have come, in an epoch, to a barrier that is for some warps of the block."""
        warps = self.geometry.stride // WARP
        if self.parts is None:
            self.parts = np.zeros((self.geometry.lanes, warps), np.int64)
        known = np.maximum(self.parts[lanes], self.synced["block"][lanes, None])
        known[np.arange(len(lanes)), lanes // WARP % warps] = epoch << _EPOCH
        brought = self.brought.setdefault(
            barrier, np.zeros((self.geometry.wave_blocks, warps), np.int64)
        )
        blocks = self.geometry.block_of_lane[lanes]
        np.maximum.at(brought, blocks, known)
        if self.messages:
            for block in np.unique(blocks).tolist():
                self.messages.come_to_part(barrier, block, lanes[blocks == block])
        if self.flags:
            self.flags.take_in(lanes, True)
            for block in np.unique(blocks).tolist():
                news = self.flags.known_to_any(lanes[blocks == block])
                told = self.told.setdefault((barrier, block), {})
                told |= {place: n for place, n in news.items() if n > told.get(place, 0)}

    def meet_in_part(self, barrier: int, lanes: np.ndarray) -> None:
        """These lanes pass that barrier, and know what all who came to it knew."""
        blocks = self.geometry.block_of_lane[lanes]
        parts = self.parts
        if parts is not None:
            parts[lanes] = np.maximum(parts[lanes], self.brought[barrier][blocks])
        if self.messages:
            for block in np.unique(blocks).tolist():
                self.messages.meet_in_part(barrier, block, lanes[blocks == block])
        if self.flags:
            for block in np.unique(blocks).tolist():
                self.flags.tell(lanes[blocks == block], self.told.get((barrier, block), {}))

    def part_is_over(self, barrier: int, complete: np.ndarray) -> None:
        """That barrier begins anew in the blocks that are `complete`."""
        if barrier in self.brought:
            self.brought[barrier][complete] = 0
            for block in np.flatnonzero(complete).tolist():
                self.told.pop((barrier, block), None)
                if self.messages:
                    self.messages.parts.pop((barrier, block), None)

    def unordered_in_block(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray | None:
        """Which accesses, stamped by threads of the lane's own block, nothing orders before the
        lane's next; None where all are ordered."""
        late = stamps > self.synced["block"][lane]
        if not np.count_nonzero(late):
            return None
        other = lane_of(stamps)
        late &= other != lane
        if self.parts is not None:
            warp = other // WARP % (self.geometry.stride // WARP)
            late &= stamps > self.parts[lane, warp]
        same_warp = other // WARP == lane // WARP
        met = self.synced["warp"][lane]
        if self.met is not None:
            met = np.maximum(met, self.met[lane, other % WARP])
        return self._unflagged(late & ~(same_warp & (stamps <= met)), stamps, lane)

    def unordered_in_cluster(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray | None:
        """The same where threads of other blocks of the cluster may have been there."""
        if not np.count_nonzero(stamps):
            return None
        block = self.geometry.block_of_lane
        other = lane_of(stamps)
        # Whoever saw to it that something landed is as good as a neighbour who wrote it.
        same_block = (block[other] == block[lane]) | (stamps & LANDED != 0)
        in_block = self.unordered_in_block(stamps, lane)
        late = np.where(same_block, False if in_block is None else in_block, stamps > 0)
        if self.messages and self.messages.any:
            late &= stamps > self.messages.heard[lane, self.messages.warp_of(other)]
        return late & (stamps > self.synced["cluster"][lane])

    def unordered_in_grid(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray | None:
        """The same where threads of any block of the grid may have been there."""
        if not np.count_nonzero(stamps):
            return None
        here = self.here(stamps)
        within = self.unordered_in_cluster(np.where(here, stamps, 0), lane)
        late = ~here & (stamps > 0)
        if within is not None:
            late |= within
        return self._unflagged(late, stamps, lane)

    def blocks_of(self, stamps: np.ndarray) -> np.ndarray:
        """The numbers of the blocks whose threads made the stamps."""
        wave = np.searchsorted(self.wave_starts, stamps >> _EPOCH, side="right") - 1
        return np.asarray(self.wave_blocks)[wave] + lane_of(stamps) // self.geometry.stride

    def block_of(self, stamp: int) -> int:
        """The number of the block whose thread made a stamp."""
        return int(self.blocks_of(np.array([stamp]))[0])

    def elsewhere(self, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray:
        """Which stamps are of threads of another block than the lane's."""
        here = self.here(stamps)
        block = self.geometry.block_of_lane
        return ~here | (block[np.where(here, lane_of(stamps), 0)] != block[lane])

    def here(self, stamps: np.ndarray) -> np.ndarray:
        """Whether stamps are of the wave that runs now."""
        return stamps >> _EPOCH >= self.wave_starts[-1]

    def _unflagged(self, late: np.ndarray, stamps: np.ndarray, lane: np.ndarray) -> np.ndarray:
        """Those of the `late` accesses that no flag orders either."""
        if self.flags is None or not np.count_nonzero(late):
            return late
        knowing = self.flags.knowing[lane]
        if self.uncached:
            knowing = knowing | (self.flags.seen[1, lane] > 0)
        asked = np.flatnonzero(late & knowing)
        if not len(asked):
            return late
        epochs, others = (stamps[asked] >> _EPOCH).tolist(), lane_of(stamps[asked]).tolist()
        blocks, readers = self.blocks_of(stamps[asked]).tolist(), lane[asked].tolist()
        ordered = partial(self.flags.ordered, uncached=self.uncached)
        known = map(ordered, epochs, others, blocks, readers)
        late[asked] = ~np.fromiter(known, bool, len(asked))
        return late

    def fence(self, lanes: Lanes, epoch: int, wide: bool) -> None:
        """Lanes pass a fence, which the whole device sees if it is `wide`."""
        block, warp = (self.synced[scope] >> _EPOCH for scope in ("block", "warp"))
        details = None if self.parts is None and self.met is None else self._details
        if self.flags:
            self.flags.fence(lanes, epoch, block, warp, wide, details)

    def _details(self, lane: int) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The epochs of a lane's barriers with parts of its block, and of its warp."""
        parts, met = (
            None if one is None else one[lane] >> _EPOCH for one in (self.parts, self.met)
        )
        return parts, met
