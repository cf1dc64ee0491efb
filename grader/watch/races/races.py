"""Data races: the accesses of a wave, fed to a detector for each memory that threads share."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...machine.barriers import FULL, whole_warps
from ...machine.events import Observer
from ...machine.lanes import WARP, Lanes
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Access, Accessed, Hit, Landing, Values, bits_of
from ...machine.memory.spaces import Store
from ...ptx.program import Function
from ...say.races.race_reporter import RaceReporter
from ...say.races.signals import Signals
from .detector import Conflict, RaceDetector
from .flags import Flags
from .ordering import COMPARED, LANDED, NARROW, STRONG, Ordering, epoch_of
from .visits import Visits

if TYPE_CHECKING:
    from ...say.reporting.reporter import Reporter


class Made(NamedTuple):
    """What an instruction did in an `epoch`: the cells, and the lane behind each; `marks`: LANDED
    or none."""

    cells: np.ndarray
    lane: np.ndarray
    epoch: int
    marks: int


class Races(Observer):
    """Watches shared memory, and every buffer in global memory that the kernel may write.

    `cells` says how many bytes of a space count as one place: the narrowest access that the
    kernel makes, so that neighbouring bytes written by two threads are no race. `sites` gives, by
    epoch, the instruction that touched memory or synchronized then.
    """

    def __init__(self, report: Reporter):
        self.wave = report.wave
        geometry, kernel = self.wave.geometry, self.wave.kernel
        flags = Flags(geometry) if any(one.form.orders for one in kernel.instructions) else None
        self.ordering = Ordering(geometry, flags)
        self.sites = array("q", [-1])
        self.swapped = self.wave.program.swap_starts
        self.cells = {space: _narrowest(kernel, space) for space in ("shared", "global")}
        self.shared = self._detect_shared(self.wave.shared.store)
        self.detectors = self._detect_global()
        self.detectors[self.wave.shared.store] = self.shared
        self.visits, self.signals = Visits(self), Signals(self)
        self.report = RaceReporter(self, report)
        self._unchanged = np.zeros(0, bool)  # of the store that is about to be made

    @property
    def now(self) -> int:
        """The present epoch."""
        return len(self.sites) - 1

    def line(self, epoch: int) -> int | None:
        """The source line of what happened in an epoch."""
        return self.wave.kernel.instructions[self.sites[epoch]].line

    def begin_wave(self, first_block: int) -> None:
        self.ordering.begin_wave(first_block, self._new_epoch(0))
        self.shared.reset()
        self.visits.begin_wave()

    def barrier(self, at: int, lanes: Lanes, part: int | None) -> None:
        epoch = self._new_epoch(at)
        if part is None:
            self.ordering.synchronize(lanes, epoch, "block")
        else:
            self.ordering.meet_in_part(part, lane_index(lanes))

    def arrive(self, at: int, lanes: np.ndarray, barrier: int) -> None:
        self.ordering.come_to_part(barrier, lanes, self._new_epoch(at))

    def close(self, barrier: int, blocks: np.ndarray) -> None:
        self.ordering.part_is_over(barrier, blocks)

    def arrived(self, at: int, hit: Hit, phases: np.ndarray) -> None:
        self.ordering.arrive(lane_index(hit.lanes), self._new_epoch(at), hit.element, phases)

    def sent(self, at: int, landing: Landing) -> None:
        self.ordering.send(lane_index(landing.hit.lanes), self._new_epoch(at), landing)

    def landed(self, landing: Landing, barrier: int, phase: int) -> None:
        self.ordering.land(landing, barrier, phase)

    def phase_over(self, at: int, lanes: Lanes, barriers: np.ndarray, phases: np.ndarray) -> None:
        self.ordering.phase_over(lane_index(lanes), self._new_epoch(at), barriers, phases)

    def cluster_barrier(self, at: int, lanes: np.ndarray) -> None:
        self.ordering.synchronize(lanes, self._new_epoch(at), "cluster")

    def warp_barrier(self, at: int, lanes: Lanes, masks: np.ndarray) -> None:
        """Lanes may meet with the whole warp, or with a part of it."""
        epoch = self._new_epoch(at)
        if whole_warps(lanes) and (masks[lanes] == FULL).all():
            self.ordering.synchronize(lanes, epoch, "warp")
            return
        absent = ~self.wave.collectives.alive
        index = lane_index(lanes)
        whole = (masks[index] | absent[index // WARP]) == FULL
        self.ordering.synchronize(index[whole], epoch, "warp")
        if not whole.all():
            part = index[~whole]
            self.ordering.synchronize_masked(part, epoch, masks[part])

    def fence(self, at: int, lanes: Lanes, wide: bool) -> None:
        if self.ordering.flags:
            self.ordering.fence(lanes, self._new_epoch(at), wide)
            self.signals.fenced(lanes, at, wide)

    def exit(self, lanes: Lanes) -> None:
        if self.wave.geometry.cluster_blocks > 1:
            blocks = self.wave.geometry.block_of_lane[lanes]
            self.visits.leave(blocks[self.wave.live[blocks] == 0])

    def write(self, access: Access, hit: Hit, values: Values) -> None:
        if self._watches(access, hit):
            pairs = enumerate(values)
            same = [bits_of(access.read(hit, n, v.dtype)) == bits_of(v) for n, v in pairs]
            self._unchanged = np.logical_and.reduce(same)

    def copy(self, access: Access, hit: Hit, values: Values) -> None:
        """It may land at any time from now on: whoever still reads the place races with it."""
        self._unchanged = np.zeros(len(hit.element), bool)
        self._access(Accessed(access, hit, "store", values), 0)

    def access(self, done: Accessed) -> None:
        landed = done.kind == "store" and done.access.asynchronous and done.hit.space == "shared"
        self._access(done, LANDED if landed else 0)

    def _access(self, done: Accessed, marks: int) -> None:
        """`marks`: LANDED for what was copied and is there now."""
        access, hit, kind, values, failed = (
            done.access,
            done.hit,
            done.kind,
            done.values,
            done.failed,
        )
        if not self._watches(access, hit):
            return
        epoch, far = self._new_epoch(access.at), hit.space != "local"
        if access.strong and far:
            self.signals.note(access, hit, kind)
        if access.strong and far and self.ordering.flags:
            self._flag(self.ordering.flags, access, hit, kind, failed)
        detector = self.detectors.get(hit.store)
        if detector is None:
            return
        cells, lane = self._places(access, hit)
        made = Made(cells, lane, epoch, marks)
        conflict = self._conflict(detector, access, hit, kind, made, values)
        if conflict:
            self.report.race(conflict, access, hit, lane, wrote=kind != "load")
        in_cluster = hit.space == "shared" and self.wave.geometry.cluster_blocks > 1
        if in_cluster and not marks & LANDED:
            pitch = self.wave.shared.pitch // self.cells["shared"]
            self.visits.note(cells // pitch, lane, epoch, access.at)

    def _conflict(
        self,
        detector: RaceDetector,
        access: Access,
        hit: Hit,
        kind: str,
        made: Made,
        values: Values | None,
    ) -> Conflict | None:
        """What the accesses `made` by an instruction race with."""
        cells, lane, epoch, landed = made
        self.ordering.uncached = access.strong
        if kind == "load":
            return detector.read(cells, lane, epoch, self._marks(access, kind))
        if access.strong and (kind == "atomic" or self._is_flag(hit, lane)):
            return detector.strong(cells, lane, epoch, self._marks(access, kind))
        same = np.repeat(self._unchanged, len(lane) // len(self._unchanged))
        conflict = detector.write(cells, lane, epoch, same, self._made_by(access.at), landed)
        self._check_collisions(detector, access, hit, made, values or [])
        return conflict

    def _new_epoch(self, at: int) -> int:
        """A new epoch, in which the instruction at `at` touches memory or synchronizes."""
        self.sites.append(at)
        return self.now

    def _watches(self, access: Access, hit: Hit) -> bool:
        return hit.store in self.detectors or (access.strong and hit.space == "global")

    def _places(self, access: Access, hit: Hit) -> tuple[np.ndarray, np.ndarray]:
        """The cells that an access touches, and the lane behind each."""
        cell = self.cells[hit.space]
        lane, parts = lane_index(hit.lanes), access.width // cell
        cells = hit.element * (access.size // cell)
        if parts == 1:
            return cells, lane
        return (cells[:, None] + np.arange(parts)).ravel(), np.repeat(lane, parts)

    def _marks(self, access: Access, kind: str) -> int:
        """What sets an access apart from a plain one."""
        if access.strong:
            return STRONG | (COMPARED if access.compares else 0) | (0 if access.wide else NARROW)
        return COMPARED if kind == "load" and access.at in self.swapped else 0

    def _flag(
        self, flags: Flags, access: Access, hit: Hit, kind: str, failed: np.ndarray | None
    ) -> None:
        """A strong access may be one to a flag: see what it says, say what is done. An atomic
        whose comparison `failed` has said nothing."""
        if access.releases:
            self.fence(access.at, hit.lanes, access.wide)
        # In shared memory a place is known by where it lies in that of the whole wave.
        shared = hit.space == "shared"
        addresses = -1 - hit.element * access.size if shared else hit.addresses
        writes = np.full(len(addresses), kind != "load")
        if failed is not None:
            writes &= ~failed
        flags.access(addresses, hit.lanes, kind != "store", writes, access.wide)
        if access.acquires:
            flags.take_in(hit.lanes, access.wide)

    def _is_flag(self, hit: Hit, lane: np.ndarray) -> bool:
        """Whether a volatile store is strong. In shared memory only one past a fence is: volatile
        alone, the way of warp-synchronous code, puts nothing in order."""
        if hit.space == "global":
            return True
        flags, met = self.ordering.flags, self.ordering.synced["block"] >> 32
        return flags is not None and flags.releases(lane, met)

    def _made_by(self, at: int) -> Callable[[int], bool]:
        return lambda stamp: self.sites[epoch_of(stamp)] == at

    def _check_collisions(
        self, detector: RaceDetector, access: Access, hit: Hit, made: Made, values: Values
    ) -> None:
        """Lanes that stored to one place in one instruction: the last one's value stays."""
        cells, lane, epoch, marks = made
        lost = detector.collisions(cells, lane, epoch, marks)
        if not len(lost):
            return
        parts = len(lane) // len(values[0])
        kept = np.ones(len(values[0]), bool)
        for component, value in enumerate(values):
            kept &= bits_of(access.read(hit, component, value.dtype)) == bits_of(value)
        overruled = ~kept[lost // parts]
        benign = not overruled.any()
        position = int(lost[0] if benign else lost[np.argmax(overruled)])
        other = int(detector.written[cells[position]])
        self.report.race(Conflict(position, other, True, benign), access, hit, lane, wrote=True)

    def _detect_shared(self, store: Store) -> RaceDetector:
        in_cluster = self.wave.geometry.cluster_blocks > 1
        ordering = self.ordering
        unordered = ordering.unordered_in_cluster if in_cluster else ordering.unordered_in_block
        return RaceDetector(len(store.data) // self.cells["shared"], unordered, self.ordering)

    def _detect_global(self) -> dict[Store, RaceDetector]:
        """A detector for each buffer that may be written; read-only ones cannot race."""
        use = self.wave.program.memory_use
        detectors = {}
        for store in self.wave.flat.stores:
            if store.writable and store.names and use.touches(store.names, ("writes", "atomics")):
                cells = -(-len(store.data) // self.cells["global"])
                reads = use.touches(store.names, ("reads",))
                detector = RaceDetector(
                    cells, self.ordering.unordered_in_grid, self.ordering, reads
                )
                detectors[store] = detector
        return detectors


def _narrowest(kernel: Function, space: str) -> int:
    sizes = [
        transfer.size
        for instruction in kernel.instructions
        for _, transfer in instruction.form.transfers
        if transfer.may_touch(space)
    ]
    return min(sizes, default=4)
