"""The observer's side of a machine: counts and traces what the instructions report."""

from __future__ import annotations

import numpy as np

from ..lanes import WARP, Lanes, warps
from ..lanes import index as lane_index
from ..memory.access import Access, Hit
from .paths import Paths
from .traffic import global_traffic, shared_traffic

_COUNTED = ("global", "shared", "local")  # parameters and constants come from another cache


class Watch:
    """Adds to the run's counters and, for block 0 of the grid, to its trace."""

    def __init__(self, machine):
        self.machine = machine
        self.counters = machine.run_log.counters
        self.trace = machine.run_log.trace
        self.trace.launched = machine.geometry.blocks
        self.paths = Paths(machine.geometry.lanes)

    def access(self, hit: Hit, access: Access, kind: str) -> None:
        if hit.space not in _COUNTED:
            return
        line = self._line(access.at)
        if kind == "atomic":
            self.counters.add(line, "atomics", warps(hit.lanes) - hit.again)
        elif not self._copied(hit, access):
            self._count(hit, access, kind, line)
        self._trace_access(hit, access, kind, line)

    def branch(self, lanes: Lanes, at: int, taken: np.ndarray) -> None:
        line, lane = self._line(at), lane_index(lanes)
        self.counters.add(line, "branches", warps(lanes))
        if taken.any() and not taken.all():
            both = np.intersect1d(lane[taken] // WARP, lane[~taken] // WARP)
            self.counters.add(line, "divergent_branches", len(both))

    def shuffle(self, lanes: Lanes, at: int, source: np.ndarray) -> None:
        """`source`: the lane that each of `lanes` received from."""
        line = self._line(at)
        self.counters.add(line, "shuffles", warps(lanes))
        if len(threads := self._traced(lanes)):
            self.trace.add(line, "shuffle", threads, source=source[: len(threads)])

    def barrier(self, lanes: Lanes, at: int) -> None:
        line = self._line(at)
        self.counters.add(line, "barriers", warps(lanes))
        self.paths.barrier(lanes)
        if len(threads := self._traced(lanes)):
            shared = self.machine.spaces["shared"]
            memory = shared.without_red_zones()
            self.trace.add(line, "barrier", threads, memory=memory)

    def _count(self, hit: Hit, access: Access, kind: str, line: int | None) -> None:
        add = self.counters.add
        add(line, f"{hit.space}_{kind}_requests", warps(hit.lanes) - hit.again)
        if hit.space == "global":
            sectors, ideal = global_traffic(hit.lanes, hit.addresses, access.width)
            add(line, f"global_{kind}_sectors", sectors)
            add(line, f"global_{kind}_sectors_ideal", ideal)
            add(line, f"global_{kind}_bytes", len(hit.addresses) * access.width)
        elif hit.space == "shared":
            cost = shared_traffic(
                hit.lanes, self._offsets(hit), access.width, store=kind == "store"
            )
            add(line, f"shared_{kind}_wavefronts", cost.wavefronts)
            add(line, f"shared_{kind}_wavefronts_ideal", cost.ideal)
            add(line, f"shared_{kind}_bank_conflicts", cost.conflicts)

    def _copied(self, hit: Hit, access: Access) -> bool:
        """Whether this is an asynchronous copy's way into shared memory, which takes no store
        instruction and which Nsight Compute does not count as one."""
        return hit.space == "shared" and access.asynchronous

    def _trace_access(self, hit: Hit, access: Access, kind: str, line: int | None) -> None:
        threads = self._traced(hit.lanes)
        if len(threads):
            self.trace.add(
                line,
                kind,
                threads,
                space=hit.space,
                address=self._offsets(hit)[: len(threads)],
                width=access.width,
                buffer=hit.store.argument,
            )
        if self.trace.blocks > 1 and hit.space == "global":
            self._trace_elsewhere(hit, access, kind, line)

    def _trace_elsewhere(self, hit: Hit, access: Access, kind: str, line: int | None) -> None:
        """What the other blocks that pictures show have touched."""
        lane, stride = lane_index(hit.lanes), self.machine.geometry.stride
        block = self.machine.first_block + lane // stride
        for number in np.unique(block[(block > 0) & (block < self.trace.blocks)]).tolist():
            mine = block == number
            self.trace.add_elsewhere(
                number,
                line,
                kind,
                lane[mine] % stride,
                space=hit.space,
                address=self._offsets(hit)[mine],
                width=access.width,
                buffer=hit.store.argument,
            )

    def _offsets(self, hit: Hit) -> np.ndarray:
        """Where in its memory each lane touches; a copy, for a register may hold the addresses."""
        if hit.space == "shared":
            return self.machine.spaces["shared"].natural(hit.addresses.copy())
        return hit.addresses - hit.store.address

    def _traced(self, lanes: Lanes) -> np.ndarray:
        """The threads among `lanes` that belong to block 0 of the grid."""
        if self.machine.first_block:
            return np.empty(0, np.int64)
        lane = lane_index(lanes)
        return lane[: int(np.searchsorted(lane, self.machine.geometry.stride))]

    def _line(self, at: int) -> int | None:
        return self.machine.kernel.instructions[at].line
