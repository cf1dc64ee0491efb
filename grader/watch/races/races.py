"""Data races: the accesses of a wave, fed to a detector for each memory that threads share."""

from __future__ import annotations

from array import array

import numpy as np

from ...machine.collectives import FULL, whole_warps
from ...machine.events import Accessed, Observer, Values
from ...machine.lanes import WARP, Lanes
from ...machine.lanes import index as lane_index
from ...machine.memory.access import Access, Hit, bits_of
from ...machine.memory.copies import Landing
from ...machine.memory.spaces import Store
from ...ptx.ptx import Function
from ..whereabouts import Report
from .detector import Conflict, RaceDetector, Touched
from .evidence import RaceFindings, Signals
from .flags import Flags
from .ordering import COMPARED, LANDED, NARROW, STRONG, Ordering, stamped


class Races(Observer):
    """Watches shared memory, and every buffer in global memory that the kernel may write.

    `cells` says how many bytes of a space count as one place: the narrowest access that the
    kernel makes, so that neighbouring bytes written by two threads are no race. `sites` gives, by
    epoch, the instruction that touched memory or synchronized then.
    """

    def __init__(self, report: Report):
        self.wave = report.wave
        geometry, kernel = self.wave.geometry, self.wave.kernel
        flags = Flags(geometry) if any(one.form.orders for one in kernel.instructions) else None
        self.ordering = Ordering(geometry, flags)
        self.sites = array("q", [-1])
        self.swapped = self.wave.program.swap_starts
        self.cells = {space: _narrowest(kernel, space) for space in ("shared", "global")}
        shared, ordering = self.wave.shared.store, self.ordering
        self.in_cluster = geometry.cluster_blocks > 1
        unordered = ordering.unordered_in_block
        unordered = ordering.unordered_in_cluster if self.in_cluster else unordered
        many = len(shared.data) // self.cells["shared"]
        self.shared = RaceDetector(many, unordered, ordering)
        self.detectors = self._detect_global() | {shared: self.shared}
        self.signals = Signals(self.wave, self.ordering, self.sites)
        self.findings = RaceFindings(report, self.signals, self.detectors)
        self.visits = Visits(self.findings)
        self._unchanged = np.zeros(0, bool)  # of the store that is about to be made

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
        if self.in_cluster:
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
        access, hit, kind = done.access, done.hit, done.kind
        if not self._watches(access, hit):
            return
        epoch, far = self._new_epoch(access.at), hit.space != "local"
        if access.strong and far:
            # In shared memory a place is known by where it lies in that of the whole wave.
            shared = hit.space == "shared"
            addresses = -1 - hit.element * access.size if shared else hit.addresses
            self.signals.note(access, hit, addresses, kind)
            if self.ordering.flags:
                self._flag(self.ordering.flags, done, addresses)
        detector = self.detectors.get(hit.store)
        if detector is None:
            return
        cells, lane = self._places(access, hit)
        conflict = self._conflict(detector, done, Touched(cells, lane, epoch, marks))
        if conflict:
            self.findings.race(conflict, access, hit, lane, wrote=kind != "load")
        if self.in_cluster and hit.space == "shared" and not marks & LANDED:
            pitch = self.wave.shared.pitch // self.cells["shared"]
            self.visits.note(cells // pitch, lane, epoch, access.at)

    def _conflict(
        self, detector: RaceDetector, done: Accessed, touched: Touched
    ) -> Conflict | None:
        """What an access races with."""
        cells, lane, epoch, _ = touched
        access, hit, kind = done.access, done.hit, done.kind
        self.ordering.uncached = access.strong
        if kind == "load":
            return detector.read(cells, lane, epoch, self._marks(access, kind))
        if access.strong and (kind == "atomic" or self._is_flag(hit, lane)):
            return detector.strong(cells, lane, epoch, self._marks(access, kind))
        same = np.repeat(self._unchanged, len(lane) // len(self._unchanged))
        conflict = detector.write(touched, same, lambda at: self.sites[at] == access.at)
        self._check_collisions(detector, done, touched)
        return conflict

    def _new_epoch(self, at: int) -> int:
        """A new epoch, in which the instruction at `at` touches memory or synchronizes."""
        self.sites.append(at)
        return len(self.sites) - 1

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

    def _flag(self, flags: Flags, done: Accessed, addresses: np.ndarray) -> None:
        """A strong access may be one to a flag: see what it says, say what is done. An atomic
        whose comparison has failed has said nothing."""
        access, lanes = done.access, done.hit.lanes
        if access.releases:
            self.fence(access.at, lanes, access.wide)
        writes = np.full(len(addresses), done.kind != "load")
        if done.failed is not None:
            writes &= ~done.failed
        flags.access(addresses, lanes, done.kind != "store", writes, access.wide)
        if access.acquires:
            flags.take_in(lanes, access.wide)

    def _is_flag(self, hit: Hit, lane: np.ndarray) -> bool:
        """Whether a volatile store is strong. In shared memory only one past a fence is: volatile
        alone, the way of warp-synchronous code, puts nothing in order."""
        if hit.space == "global":
            return True
        flags, met = self.ordering.flags, self.ordering.synced["block"] >> 32
        return flags is not None and flags.releases(lane, met)

    def _check_collisions(self, detector: RaceDetector, done: Accessed, touched: Touched) -> None:
        """Lanes that stored to one place in one instruction: the last one's value stays."""
        cells, lane, epoch, marks = touched
        lost = detector.collisions(cells, lane, epoch, marks)
        if not len(lost):
            return
        access, hit, values = done.access, done.hit, done.values or []
        parts = len(lane) // len(values[0])
        stays = np.ones(len(values[0]), bool)
        for component, value in enumerate(values):
            stays &= bits_of(access.read(hit, component, value.dtype)) == bits_of(value)
        overruled = ~stays[lost // parts]
        benign = not overruled.any()
        position = int(lost[0] if benign else lost[np.argmax(overruled)])
        other = int(detector.written[cells[position]])
        self.findings.race(Conflict(position, other, True, benign), access, hit, lane, wrote=True)

    def _detect_global(self) -> dict[Store, RaceDetector]:
        """A detector for each buffer that may be written; read-only ones cannot race."""
        use, ordering, detectors = self.wave.program.memory_use, self.ordering, {}
        for store in self.wave.flat.stores:
            if store.writable and store.names and use.touches(store.names, ("writes", "atomics")):
                cells = -(-len(store.data) // self.cells["global"])
                reads = use.touches(store.names, ("reads",))
                detectors[store] = RaceDetector(cells, ordering.unordered_in_grid, ordering, reads)
        return detectors


def _narrowest(kernel: Function, space: str) -> int:
    sizes = [
        transfer.size
        for instruction in kernel.instructions
        for _, transfer in instruction.form.transfers
        if transfer.may_touch(space)
    ]
    return min(sizes, default=4)


class Visits:
    """Shared memory of another block of the cluster is there when that block has started, and gone
    when it has left the kernel: a cluster barrier must lie before the first visit; after the last,
    one, or a message that it has waited for. Per block visited and warp of its visitors: the epoch
    of the last visit, the visitor's lane and the instruction."""

    def __init__(self, findings: RaceFindings):
        self.findings, self.wave = findings, findings.wave
        self.last: dict[int, dict[int, tuple[int, int, int]]] = {}

    def begin_wave(self) -> None:
        self.last = {}

    def note(self, host: np.ndarray, lane: np.ndarray, epoch: int, at: int) -> None:
        """Lanes touch, in an epoch, the shared memory of the blocks `host` (one a lane)."""
        wave = self.wave
        for position in np.flatnonzero(host != wave.geometry.block_of_lane[lane]):
            block, visitor = int(host[position]), int(lane[position])
            self.last.setdefault(block, {})[visitor // WARP] = epoch, visitor, at
            if not wave.live[block]:
                self.findings.visit(at, visitor, wave.first_block + block, started=True)
            elif not wave.clusters.opened[block // wave.geometry.cluster_blocks]:
                self.findings.visit(at, visitor, wave.first_block + block, started=False)

    def leave(self, blocks: np.ndarray) -> None:
        """All threads of these blocks have now left."""
        stride = self.wave.geometry.stride
        for block in set(blocks.tolist()) & set(self.last):
            hosts = np.arange(block * stride, (block + 1) * stride)
            for epoch, visitor, at in self.last[block].values():
                stamps = stamped(epoch, np.full(stride, visitor))
                unordered = self.findings.ordering.unordered_in_cluster(stamps, hosts)
                if unordered is not None and unordered.all():
                    number = self.wave.first_block + block
                    self.findings.visit(at, visitor, number, started=True)
