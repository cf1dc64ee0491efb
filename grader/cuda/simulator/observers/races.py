"""Data races: the accesses of a machine, fed to a detector for each memory that threads share."""

from __future__ import annotations

import numpy as np

from ..engine.lanes import WARP, Lanes
from ..engine.lanes import index as lane_index
from ..engine.synchronization.cluster_barrier import Visits
from ..engine.synchronization.collectives import FULL, whole_warps
from ..memory.access import Access, Hit, bits_of
from ..memory.spaces import Store
from ..program.ptx import Function, Instruction
from .happens_before.detector import Conflict, RaceDetector
from .happens_before.flags import Flags
from .happens_before.ordering import COMPARED, NARROW, STRONG, Ordering, epoch_of


class Races:
    """Watches shared memory, and every buffer in global memory that the kernel may write.

    `cells` says how many bytes of a space count as one place: the narrowest access that the
    kernel makes, so that neighbouring bytes written by two threads are no race.
    """

    def __init__(self, machine):
        self.machine = machine
        geometry, kernel = machine.geometry, machine.kernel
        flags = Flags(geometry) if any(map(_orders, kernel.instructions)) else None
        self.ordering = Ordering(geometry, flags)
        self.swapped = machine.swap_starts
        self.cells = {space: _narrowest(kernel, space) for space in ("shared", "global")}
        self.shared = self._detect_shared(machine.spaces["shared"].store)
        self.detectors = self._detect_global(machine)
        self.detectors[machine.spaces["shared"].store] = self.shared
        self.visits = Visits(machine)

    def begin_wave(self, first_block: int, epoch: int) -> None:
        self.ordering.begin_wave(first_block, epoch)
        self.shared.reset()
        self.visits.begin_wave()

    def watches(self, access: Access, hit: Hit) -> bool:
        """Whether `check` wants to know of an access."""
        return hit.store in self.detectors or (access.strong and hit.space == "global")

    def synchronize(self, lanes: Lanes, epoch: int, scope: str) -> None:
        """These lanes have met at a barrier of their "warp", "block" or "cluster"."""
        self.ordering.synchronize(lanes, epoch, scope)

    def synchronize_warp(self, lanes: Lanes, epoch: int, masks: np.ndarray) -> None:
        """These lanes have met with those of their warps that `masks` (one a lane of the wave)
        names; with the whole warp, or with a part of it."""
        if whole_warps(lanes) and (masks[lanes] == FULL).all():
            self.ordering.synchronize(lanes, epoch, "warp")
            return
        absent = ~self.machine.collectives.alive
        index = lane_index(lanes)
        whole = (masks[index] | absent[index // WARP]) == FULL
        self.ordering.synchronize(index[whole], epoch, "warp")
        if not whole.all():
            part = index[~whole]
            self.ordering.synchronize_masked(part, epoch, masks[part])

    def fence(self, lanes: Lanes, at: int, wide: bool) -> None:
        """These lanes pass a fence, which the whole device sees if it is `wide`."""
        if self.ordering.flags:
            self.ordering.fence(lanes, self.machine.new_epoch(at), wide)
            self.machine.report.signals.fenced(lanes, at, wide)

    def check(self, access: Access, hit: Hit, kind: str, same=None, values=None) -> None:
        """An access has been made; `same` says of each stored value whether it was there before,
        `values` what was stored."""
        epoch = self.machine.new_epoch(access.at)
        if access.strong and hit.space != "local":
            self.machine.report.signals.note(access, hit, kind)
        if access.strong and self.ordering.flags and hit.space != "local":
            self._flag(access, hit, kind, epoch, same)
        detector = self.detectors.get(hit.store)
        if detector is None:
            return
        cells, lane = self._places(access, hit)
        self.ordering.uncached = access.strong
        if kind == "load":
            conflict = detector.read(cells, lane, epoch, self._marks(access, kind))
        elif access.strong and (kind == "atomic" or self._is_flag(hit, lane)):
            conflict = detector.strong(cells, lane, epoch, self._marks(access, kind))
        else:
            same = np.repeat(same, len(lane) // len(same))
            conflict = detector.write(cells, lane, epoch, same, self._runs(access.at))
            self._check_collisions(detector, access, hit, cells, lane, epoch, values)
        if conflict:
            self.machine.report.race(conflict, access, hit, lane, wrote=kind != "load")
        if hit.space == "shared" and self.machine.geometry.cluster_blocks > 1:
            pitch = self.machine.spaces["shared"].pitch // self.cells["shared"]
            self.visits.note(cells // pitch, lane, epoch, access.at)

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

    def _flag(self, access: Access, hit: Hit, kind: str, epoch: int, same) -> None:
        """A strong access may be one to a flag: see what it says, say what is done. An atomic
        whose comparison failed (`same`) has said nothing."""
        if access.releases:
            self.fence(hit.lanes, access.at, access.wide)
        # In shared memory a place is known by where it lies in that of the whole wave.
        shared = hit.space == "shared"
        addresses = -1 - hit.element * access.size if shared else hit.addresses
        writes = np.full(len(addresses), kind != "load")
        if kind == "atomic" and same is not None:
            writes &= ~same
        flags = self.ordering.flags
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

    def _runs(self, at: int):
        sites = self.machine.epoch_sites
        return lambda stamp: sites[epoch_of(stamp)] == at

    def _check_collisions(self, detector, access, hit, cells, lane, epoch, values) -> None:
        """Lanes that stored to one place in one instruction: the last one's value stays."""
        lost = detector.collisions(cells, lane, epoch)
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
        self.machine.report.race(
            Conflict(position, other, True, benign), access, hit, lane, wrote=True
        )

    def _detect_shared(self, store: Store) -> RaceDetector:
        in_cluster = self.machine.geometry.cluster_blocks > 1
        ordering = self.ordering
        unordered = ordering.unordered_in_cluster if in_cluster else ordering.unordered_in_block
        return RaceDetector(len(store.data) // self.cells["shared"], unordered, self.ordering)

    def _detect_global(self, machine) -> dict[Store, RaceDetector]:
        """A detector for each buffer that may be written; read-only ones cannot race."""
        flow = machine.memory_use
        detectors = {}
        for store in machine.spaces["global"].stores:
            if store.writable and store.names and flow.touches(store.names, ("writes", "atomics")):
                cells = -(-len(store.data) // self.cells["global"])
                reads = flow.touches(store.names, ("reads",))
                detector = RaceDetector(
                    cells, self.ordering.unordered_in_grid, self.ordering, reads
                )
                detectors[store] = detector
        return detectors


def _orders(instruction: Instruction) -> bool:
    """Whether an instruction can order what threads do that do not meet at a barrier."""
    return instruction.form.orders


def _narrowest(kernel: Function, space: str) -> int:
    sizes = [
        transfer.size
        for instruction in kernel.instructions
        for _, transfer in instruction.form.transfers
        if transfer.may_touch(space)
    ]
    return min(sizes, default=4)
