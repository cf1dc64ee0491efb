"""Data races: the accesses of a wave, fed to a detector for each memory that threads share."""

import numpy as np

from ...machine.lanes import WARP, Lanes, lane_index
from ...machine.memory.access import Access, Accessed, Hit, Values, bits_of
from ...machine.memory.spaces import Store
from ...ptx.program import Function
from ..whereabouts import FindingReport
from .detector import Conflict, RaceDetector, Touched
from .evidence import RaceFindings, Signals
from .ordering import COMPARED, LANDED, NARROW, STRONG, Ordering, stamped


class Races(Ordering):
    """Watches shared memory, and every buffer in global memory that the kernel may write.

    `cells` says how many bytes of a space count as one place: the narrowest access that the
    kernel makes, so that neighbouring bytes written by two threads are no race.
    """

    def __init__(self, report: FindingReport):
        wave = report.wave
        super().__init__(wave)
        self.cells = {space: _narrowest(wave.kernel, space) for space in ("shared", "global")}
        use = wave.program.memory_use
        self.detectors: dict[Store, RaceDetector] = {}  # of shared memory: of the present wave
        for store in wave.flat.stores:  # those that are only read cannot race
            if store.writable and store.names and use.touches(store.names, ("writes", "atomics")):
                cells = -(-len(store.data) // self.cells["global"])
                reads = use.touches(store.names, ("reads",))
                self.detectors[store] = RaceDetector(cells, self.unordered_in_grid, self, reads)
        self.signals = Signals(self)
        self.findings = RaceFindings(report, self.signals, self.detectors)
        self.visits = Visits(self.findings)
        self._unchanged = np.zeros(0, bool)  # of the store that is about to be made

    def begin_wave(self, first_block: int) -> None:
        super().begin_wave(first_block)
        store = self.wave.shared.store
        unordered = self.unordered_in_cluster if self.in_cluster else self.unordered_in_block
        cells = len(store.data) // self.cells["shared"]
        self.detectors[store] = RaceDetector(cells, unordered, self)
        self.visits.last.clear()

    def fence(self, at: int, lanes: Lanes, wide: bool) -> None:
        super().fence(at, lanes, wide)
        if self.flags:
            self.signals.fenced(lanes, at, wide)

    def exit(self, lanes: Lanes) -> None:
        if self.in_cluster:
            blocks = self.geometry.block_of_lane[lanes]
            self.visits.leave(blocks[self.wave.live[blocks] == 0])

    def write(self, access: Access, hit: Hit, values: Values) -> None:
        if self._watches(access, hit):
            self._unchanged = _holds(access, hit, values)

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
        epoch = self.new_epoch(access.at)
        if access.strong and hit.space != "local":
            self._strong(done)
        detector = self.detectors.get(hit.store)
        if detector is None:
            return
        cell = self.cells[hit.space]
        lane, parts = lane_index(hit.lanes), access.width // cell
        cells = hit.element * (access.size // cell)
        if parts > 1:
            cells, lane = (cells[:, None] + np.arange(parts)).ravel(), np.repeat(lane, parts)
        conflict = self._conflict(detector, done, Touched(cells, lane, epoch, marks))
        if conflict:
            self.findings.race(conflict, access, hit, lane, wrote=kind != "load")
        if self.in_cluster and hit.space == "shared" and not marks & LANDED:
            pitch = self.wave.shared.pitch // cell
            self.visits.note(cells // pitch, lane, epoch, access.at)

    def _watches(self, access: Access, hit: Hit) -> bool:
        return hit.store in self.detectors or (access.strong and hit.space == "global")

    def _strong(self, done: Accessed) -> None:
        """Treat a strong access as one to a flag: a read of it orders, a write of it signals. An
        atomic whose comparison failed signals nothing."""
        access, hit, kind = done.access, done.hit, done.kind
        # In shared memory a place is known by where it lies in that of the whole wave.
        addresses = -1 - hit.element * access.size if hit.space == "shared" else hit.addresses
        self.signals.note(access, hit, addresses, kind)
        if self.flags is None:
            return
        if access.releases:
            self.fence(access.at, hit.lanes, access.wide)
        writes = np.full(len(addresses), kind != "load")
        if done.failed is not None:
            writes &= ~done.failed
        self.flags.access(addresses, hit.lanes, kind != "store", writes, access.wide)
        if access.acquires:
            self.flags.take_in(hit.lanes, access.wide)

    def _conflict(
        self, detector: RaceDetector, done: Accessed, touched: Touched
    ) -> Conflict | None:
        """What an access races with."""
        cells, lane, epoch, _ = touched
        access, hit, kind = done.access, done.hit, done.kind
        self.uncached = access.strong
        marks = COMPARED if kind == "load" and access.at in self.wave.program.swap_starts else 0
        if access.strong:
            marks = STRONG | (COMPARED if access.compares else 0) | (0 if access.wide else NARROW)
        if kind == "load":
            return detector.read(cells, lane, epoch, marks)
        if access.strong and (kind == "atomic" or self._is_flag(hit, lane)):
            return detector.strong(cells, lane, epoch, marks)
        same = np.repeat(self._unchanged, len(lane) // len(self._unchanged))
        conflict = detector.write(touched, same, lambda then: self.sites[then] == access.at)
        self._check_collisions(detector, done, touched)
        return conflict

    def _is_flag(self, hit: Hit, lane: np.ndarray) -> bool:
        """Whether a volatile store is strong. In shared memory only one past a fence is: volatile
        alone, the way of warp-synchronous code, puts nothing in order."""
        return hit.space == "global" or (
            self.flags is not None and self.flags.releases(lane, self.synced["block"] >> 32)
        )

    def _check_collisions(self, detector: RaceDetector, done: Accessed, touched: Touched) -> None:
        """Lanes that stored to one place in one instruction: the last one's value stays."""
        cells, lane, epoch, marks = touched
        # The positions whose place another lane wrote in the same epoch.
        lost = (detector.written[cells] != stamped(epoch, lane, marks)).nonzero()[0]
        if not len(lost):
            return
        access, hit = done.access, done.hit
        stays = _holds(access, hit, done.values or [])
        overruled = ~stays[lost // (len(lane) // len(stays))]
        benign = not overruled.any()
        position = int(lost[0] if benign else lost[np.argmax(overruled)])
        other = int(detector.written[cells[position]])
        self.findings.race(Conflict(position, other, True, benign), access, hit, lane, wrote=True)


def _holds(access: Access, hit: Hit, values: Values) -> np.ndarray:
    """By lane, whether these values, an array for each component, lie where an access hits."""
    there = [bits_of(access.read(hit, n, v.dtype)) == bits_of(v) for n, v in enumerate(values)]
    return np.asarray(np.logical_and.reduce(there))


def _narrowest(kernel: Function, space: str) -> int:
    transfers = (one for code in kernel.instructions for _, one in code.form.transfers)
    return min((one.size for one in transfers if one.may_touch(space)), default=4)


class Visits:
    """Shared memory of another block of the cluster is there when that block has started, and gone
    when it has left the kernel: a cluster barrier must lie before the first visit; after the last,
    one, or a message that it has waited for. Per block visited and warp of its visitors: the epoch
    of the last visit, the visitor's lane and the instruction."""

    def __init__(self, findings: RaceFindings):
        self.findings, self.wave = findings, findings.wave
        self.last: dict[int, dict[int, tuple[int, int, int]]] = {}

    def note(self, host: np.ndarray, lane: np.ndarray, epoch: int, at: int) -> None:
        """Lanes touch, in an epoch, the shared memory of the blocks `host` (one a lane)."""
        wave = self.wave
        for position in np.flatnonzero(host != wave.geometry.block_of_lane[lane]):
            block, visitor = int(host[position]), int(lane[position])
            self.last.setdefault(block, {})[visitor // WARP] = epoch, visitor, at
            gone = not wave.live[block]
            if gone or not wave.clusters.opened[block // wave.geometry.cluster_blocks]:
                self.findings.visit(at, visitor, wave.first_block + block, started=gone)

    def leave(self, blocks: np.ndarray) -> None:
        """All threads of these blocks have now left."""
        stride = self.wave.geometry.stride
        for block in set(blocks.tolist()) & set(self.last):
            hosts = np.arange(block * stride, (block + 1) * stride)
            for epoch, visitor, at in self.last[block].values():
                stamps = stamped(epoch, np.full(stride, visitor))
                unordered = self.findings.ordering.unordered_in_cluster(stamps, hosts)
                if unordered is not None and unordered.all():
                    self.findings.visit(at, visitor, self.wave.first_block + block, started=True)
