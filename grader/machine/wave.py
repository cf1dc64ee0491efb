"""All that an instruction sees: a wave's state, how its threads wait for each other, and calls.

How threads wait for each other: barriers of a block, of a warp (`__shfl_*_sync`, `__syncwarp`,
votes: every lane that the mask names must come before any goes on) and of a cluster.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .lanes import WARP, Groups, Lanes, Successors, compact, count, lane_index
from .schedule import Schedule
from .state import Calls, PreparedLaunch, WaveState


@dataclass(frozen=True)
class Reduction:
    """What the barrier at an instruction also does: `held(lanes)` says of each lane whether its
    predicate holds; `give(lanes, held, met)` leaves the result in these lanes, told per lane how
    many predicates of its block held and how many threads met."""

    held: Callable[[Lanes], np.ndarray]
    give: Callable[[Lanes, np.ndarray, np.ndarray], None]


class Arrival(NamedTuple):
    """Threads come to barrier number `barrier` at instruction `at`, for `threads` threads (None:
    the whole block), and perhaps wait there."""

    at: int
    barrier: int
    threads: int | None
    waits: bool


# Who waits forever: the instruction, one of the lanes, and the fault's name with its facts.
Waiting = tuple[int, int, str, dict[str, Any]]
MISSED_BARRIER = "missed_barrier"


class Barriers:
    """The barriers of every block of a wave. Per barrier id: how many threads of each block have
    arrived, and the groups parked there with the instruction they wait at."""

    def __init__(self, wave: WaveState, collectives: "Collectives"):
        self.wave, self.collectives = wave, collectives
        blocks = wave.geometry.wave_blocks
        self.arrived: dict[int, np.ndarray] = defaultdict(lambda: np.zeros(blocks, np.int64))
        self.parked: dict[int, Groups] = defaultdict(list)
        self.asked: dict[int, int | None] = {}
        self.reductions: dict[int, Reduction] = {}
        # Lanes that came to an aligned barrier without the rest of their warp, by that barrier.
        self.parts: dict[Arrival, np.ndarray] = {}

    def arrive_aligned(self, lanes: Lanes, here: Arrival) -> Successors:
        """Threads come to a barrier for some warps that all threads of a warp must come to
        together: those whose warp is not yet complete wait for it. Returns the groups that may go
        on."""
        index, alive = lane_index(lanes), self.collectives.alive
        if here in self.parts:
            index = np.sort(np.concatenate([self.parts.pop(here), index]))
        whole = (alive & ~self.wave.present(index))[index // WARP] == 0
        if not whole.all():
            self.parts[here] = index[~whole]
        return self.arrive(compact(index[whole]), here) if whole.any() else ()

    def arrive(self, lanes: Lanes, here: Arrival) -> Successors:
        """Threads come to a barrier. Returns the groups that may go on from there."""
        wave, (at, barrier, threads, waits) = self.wave, here
        if threads is None and waits and not self.parked[barrier] and self._everybody(lanes):
            self._pass(((at, lanes),), None)
            return ((at + 1, lanes),)
        index = lane_index(lanes)
        # Told a number of threads, the hardware counts warps: each stands for all its lanes.
        counted = index if threads is None else np.unique(index // WARP * WARP).repeat(WARP)
        self.arrived[barrier] += np.bincount(
            wave.geometry.block_of_lane[counted], minlength=wave.geometry.wave_blocks
        )
        if threads is not None:
            wave.events.arrive(at, index, barrier)
        if waits:
            self.parked[barrier].append((at, index))
        self.asked[barrier] = threads
        return (*(() if waits else ((at + 1, lanes),)), *self._release(barrier))

    def released_by_exit(self) -> Successors:
        """Threads have exited: a barrier no longer waits for them."""
        whole = [self.arrive_aligned(self.parts.pop(here), here) for here in list(self.parts)]
        waiting = [barrier for barrier, groups in self.parked.items() if groups]
        return tuple(chain(*whole, *map(self._release, waiting)))

    def waiting(self) -> Iterator[Waiting]:
        """Groups that wait forever."""
        for here, index in self.parts.items():
            came = int(np.count_nonzero(index // WARP == index[0] // WARP))
            yield here.at, int(index[0]), "part_of_a_warp_at_a_barrier", {"came": came}
        for barrier, groups in self.parked.items():
            for at, index in groups:
                yield at, int(index[0]), MISSED_BARRIER, self.lacks(barrier, int(index[0]))

    def _everybody(self, lanes: Lanes) -> bool:
        """Are these all the threads of all the blocks, none of them exited?"""
        live, threads = self.wave.live, self.wave.geometry.threads
        return count(lanes) == int(live.sum()) == int(np.count_nonzero(live)) * threads

    def _release(self, barrier: int) -> Successors:
        wave, arrived = self.wave, self.arrived[barrier]
        expected = wave.live if self.asked[barrier] is None else self.asked[barrier]
        complete = (arrived >= expected) & (arrived > 0)
        if not complete.any():
            return ()
        parts, self.parked[barrier] = _parted(
            self.parked[barrier], complete[wave.geometry.block_of_lane]
        )
        arrived[complete] = 0
        # Joined where they wait at the same instruction. The parts of a warp that reach a barrier
        # one after the other execute it once: ptxas lets them meet in front of it.
        released = [
            (place, np.sort(np.concatenate([index for at, index in parts if at == place])))
            for place in dict.fromkeys(at for at, _ in parts)
        ]
        wave.events.opening(barrier, released)
        passing = tuple((at, compact(index)) for at, index in released)
        self._pass(passing, None if self.asked[barrier] is None else barrier)
        wave.events.close(barrier, complete)
        return tuple((at + 1, lanes) for at, lanes in passing)

    def lacks(self, barrier: int, lane: int) -> dict[str, int | None]:
        """What a barrier lacks at which a lane waits forever, as its block sees it: its number, how
        many threads it needs (None: all of the block), how many have `arrived`, have `gone` from
        the kernel and are `waiting` here, and the `threads` of the block."""
        geometry = self.wave.geometry
        block = int(geometry.block_of_lane[lane])
        here = [geometry.block_of_lane[index] == block for _, index in self.parked[barrier]]
        return {
            "barrier": barrier,
            "asked": self.asked[barrier],
            "arrived": int(self.arrived[barrier][block]),
            "gone": geometry.threads - int(self.wave.live[block]),
            "waiting": int(sum(map(np.count_nonzero, here))),
            "threads": geometry.threads,
        }

    def _pass(self, passing: Successors, part: int | None) -> None:
        """Threads have met the whole block, or those who came to the barrier numbered `part`."""
        groups = [(self.reductions[at], lanes) for at, lanes in passing if at in self.reductions]
        if groups:  # the values of all who pass together, however many groups they come in
            blocks = self.wave.geometry.block_of_lane
            held, met = np.zeros((2, self.wave.geometry.wave_blocks), np.int64)
            for reduction, lanes in groups:
                held += np.bincount(blocks[lanes][reduction.held(lanes)], minlength=len(held))
                met += np.bincount(blocks[lanes], minlength=len(met))
            for reduction, lanes in groups:
                reduction.give(lanes, held[blocks[lanes]], met[blocks[lanes]])
        for at, lanes in passing:
            self.wave.events.barrier(at, lanes, part)


def _parted(groups: Groups, free: np.ndarray) -> tuple[Groups, Groups]:
    """The groups as far as their lanes are `free` (bool, by lane of the wave), and the rest."""
    released = [(at, index[free[index]]) for at, index in groups if free[index].any()]
    return released, [(at, index[~free[index]]) for at, index in groups if not free[index].all()]


class ClusterBarrier:
    """`barrier.cluster.arrive` and `.wait`: per cluster of a wave, how many threads have arrived
    and how often the barrier has opened; per lane, which opening it waits for."""

    def __init__(self, wave: WaveState):
        self.wave, geometry = wave, wave.geometry
        clusters = -(-geometry.wave_blocks // geometry.cluster_blocks)
        self.cluster_of_lane = geometry.block_of_lane // geometry.cluster_blocks
        self.arrived, self.opened = np.zeros((2, clusters), np.int64)
        self.awaited = np.zeros(geometry.lanes, np.int64)
        self.parked: Groups = []

    def arrive(self, lanes: Lanes) -> Successors:
        """These threads have come; the groups that this lets go on from their wait."""
        cluster = self.cluster_of_lane[lanes]
        self.awaited[lanes] = self.opened[cluster] + 1
        self.arrived += np.bincount(cluster, minlength=len(self.arrived))
        return self.released()

    def wait(self, lanes: Lanes, at: int) -> Successors:
        """These threads wait for the opening they arrived for."""
        self.parked.append((at, lane_index(lanes)))
        return self.released()

    def released(self) -> Successors:
        """Open where everybody has arrived (or left the kernel); the groups that may go on."""
        live = np.bincount(
            np.arange(self.wave.geometry.wave_blocks) // self.wave.geometry.cluster_blocks,
            self.wave.live,
            len(self.arrived),
        )
        full = (self.arrived >= live) & (self.arrived > 0)
        self.opened[full] += 1
        self.arrived[full] = 0
        released, self.parked = _parted(
            self.parked, self.opened[self.cluster_of_lane] >= self.awaited
        )
        for at, index in released:
            self.wave.events.cluster_barrier(at, index)
        return tuple((at + 1, compact(index)) for at, index in released)

    def waiting(self) -> Iterator[Waiting]:
        """Threads that wait forever."""
        yield from ((at, int(index[0]), "cluster_barrier", {}) for at, index in self.parked)


FULL = 0xFFFFFFFF


class Collectives:
    """Lanes parked at warp-wide instructions, by instruction."""

    def __init__(self, wave: WaveState):
        self.wave = wave
        self.launched = self.alive = np.zeros(wave.geometry.warps, np.uint32)
        self.parked: dict[int, np.ndarray] = {}
        self.masks: dict[int, np.ndarray] = {}

    def begin_wave(self) -> None:
        """Per warp, which of its lanes hold a thread, and which one that has not yet left."""
        self.launched = self.wave.present(np.flatnonzero(self.wave.running))
        self.alive = self.launched.copy()

    def leave(self, lanes: Lanes) -> None:
        """Threads have left: nobody waits for them, whatever the mask."""
        self.alive &= ~self.wave.present(lane_index(lanes))

    def gather(self, lanes: Lanes, at: int, masks: np.ndarray) -> Lanes | None:
        """Lanes come to the instruction at `at`; `masks` holds every lane's member mask (lanes of
        the wave,). Returns those whose whole group is there, or None; the rest are parked. Lanes
        that a mask names are not waited for if they have left, or are just about to."""
        if at not in self.parked and whole_warps(lanes) and (masks[lanes] == FULL).all():
            return lanes
        index = lane_index(lanes)
        if at in self.parked:
            index = np.sort(np.concatenate([self.parked.pop(at), index]))
        self.wave.events.gather(at, index, masks)
        absent = self._staying() & ~self.wave.present(index)
        complete = (masks[index] & absent[index // WARP]) == 0
        if not complete.all():
            self.parked[at] = index[~complete]
            self.masks[at] = masks
        return compact(index[complete]) if complete.any() else None

    def waiting(self) -> Iterator[Waiting]:
        """Lanes that wait forever."""
        for at, index in self.parked.items():
            lane = int(index[0])
            mask = int(self.masks[at][lane])
            absent = mask & ~int(self.wave.present(index)[lane // WARP])
            left = absent & int(self.launched[lane // WARP])  # meanwhile all of them may have left
            missing = absent & int(self.alive[lane // WARP]) or left
            yield at, lane, "absent_lanes", {"mask": mask, "missing": missing}

    def why_absent(self, lane: int, mask: int) -> str:
        """Why a lane of the wave does not take part in an operation for the lanes in `mask`."""
        reasons = {  # of lanes that are not in a mask
            "unnamed": mask,
            "no_thread": self.launched[lane // WARP],
            "left": self._staying()[lane // WARP],
        }
        return next(
            (why for why, lanes in reasons.items() if not int(lanes) >> lane % WARP & 1),
            "elsewhere",
        )

    def _staying(self) -> np.ndarray:
        """Per warp, which lanes have neither left nor are just about to."""
        return self.alive & ~self.wave.present(self.wave.standing_at(self.wave.program.exits))


def whole_warps(lanes: Lanes) -> bool:
    return type(lanes) is slice and lanes.start % WARP == 0 and lanes.stop % WARP == 0


class Wave(WaveState):
    """The blocks of a launch that run at once."""

    def __init__(self, job: PreparedLaunch, schedule: Schedule):
        super().__init__(job, schedule)
        self.collectives = Collectives(self)
        self.barriers = Barriers(self, self.collectives)
        self.clusters, self.calls = ClusterBarrier(self), Calls(self)

    def begin(self, first_block: int, blocks: int) -> None:
        """The next `blocks` blocks of the grid take the lanes, beginning with `first_block`."""
        geometry, self.first_block = self.geometry, first_block
        self.special.begin_wave(first_block)
        self.flat.begin_wave(geometry.launch_of(self.special.block))
        self.running = (geometry.thread_of_lane < geometry.threads) & (
            geometry.block_of_lane < blocks
        )
        self.live = np.where(np.arange(geometry.wave_blocks) < blocks, geometry.threads, 0)
        self.collectives.begin_wave()
        self.clusters.opened[:] = 0
        self.shared.reset()
        self.local.reset()
        self.forget_copies()
        self.events.begin_wave(first_block)
        self.calls.depth[:] = 0
        self.frames.begin_wave()

    def exit(self, lanes: Lanes) -> Successors:
        """These threads have left the kernel: they go on nowhere."""
        self.live -= np.bincount(
            self.geometry.block_of_lane[lanes], minlength=self.geometry.wave_blocks
        )
        self.running[lanes] = False
        self.events.exit(lanes)
        for copies in self.outgoing:  # whatever they have issued ends
            copies.arrive(lanes, -1)
        self.collectives.leave(lanes)
        for successor in (*self.barriers.released_by_exit(), *self.clusters.released()):
            self.schedule.push(*successor)
        return ()
