"""One memory instruction's way to memory: addresses to elements, checked on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ...counted import counted
from ...cuda.errors import CudaError, OutOfBounds
from ...ptx.forms.form import Transfer
from ..geometry import Geometry
from ..lanes import WARP, Lanes, compact
from ..lanes import index as lane_index
from .spaces import (
    LOCAL_WINDOW,
    OFFSET_MASK,
    RANK_SHIFT,
    SHARED_WINDOW,
    WINDOW_SIZE,
    AccessFault,
    Fault,
    Found,
    GlobalSpace,
    PrivateSpace,
    Store,
)


@dataclass(frozen=True)
class Hit:
    """The part of an access that falls into one store. `element` counts in components, one per
    lane; `addresses` are as the instruction computed them, within `space`. `again` of its warps
    also have lanes in an earlier part of the same access."""

    store: Store
    space: str
    lanes: Lanes
    element: np.ndarray
    addresses: np.ndarray
    again: int = 0

    def part(self, chosen: np.ndarray) -> Hit:
        """That of the `chosen` lanes (bool) alone."""
        lanes = compact(lane_index(self.lanes)[chosen])
        element, addresses = self.element[chosen], self.addresses[chosen]
        return replace(self, lanes=lanes, element=element, addresses=addresses)


class Source(Protocol):
    """What an operand holds: an array (lanes,), or what is worked out whenever it is read."""

    def __getitem__(self, lanes: Lanes, /) -> Any: ...


class Report(Protocol):
    """Makes exceptions of what goes wrong at an instruction, with line, block and thread."""

    def error(self, kind: type[CudaError], at: int, lane: int, predicate: str) -> CudaError: ...

    def access_error(
        self, raised: AccessFault, at: int, lane: np.ndarray, verb: str, size: int
    ) -> CudaError: ...

    def misaligned(self, access: Access, lane: int, address: int) -> CudaError: ...

    def read_only(self, access: Access, hit: Hit) -> CudaError: ...


class Listeners(Protocol):
    """Those who hear of accesses (`machine.events.Events`)."""

    @property
    def read(self) -> tuple[Callable[[Access, Hit], None], ...]: ...

    @property
    def write(self) -> tuple[Callable[[Access, Hit, list[np.ndarray]], None], ...]: ...

    @property
    def access(self) -> tuple[Callable[[Any], None], ...]: ...


@dataclass(frozen=True)
class WaveMemory:
    """The memory that the blocks of a wave reach, who makes errors, and who hears of accesses."""

    flat: GlobalSpace
    shared: PrivateSpace
    local: PrivateSpace
    geometry: Geometry
    report: Report
    events: Listeners


class Access:
    """One transfer of the instruction at index `at`: where it goes in `memory`, and what it does
    there. An address is `base` of the lane plus `offset`, in bytes; `constant`: it reaches only
    what must not be written; `verb` is what messages call it."""

    def __init__(
        self,
        transfer: Transfer,
        at: int,
        start: tuple[Source, int],
        memory: WaveMemory,
        verb: str = "",
    ):
        self.memory = memory
        self.at = at
        self.base, self.offset = start
        self.verb = verb or transfer.verb
        self.space, self.width = transfer.space, transfer.width
        self.size, self.components = transfer.size, transfer.components
        self.shift = self.size.bit_length() - 1
        # Strong accesses take part in synchronisation; a release orders what came before.
        self.strong, self.compares = transfer.strong, transfer.compares
        self.releases, self.acquires = transfer.releases, transfer.acquires
        self.wide = transfer.wide
        self.asynchronous, self.bulk = transfer.asynchronous, transfer.bulk
        self.mbarrier = transfer.mbarrier
        self.constant = False

    def hits(self, lanes: Lanes, moved: np.ndarray | None = None) -> list[Hit]:
        """Where the lanes' accesses go, each `moved` by so many bytes; raises OutOfBounds or
        Misaligned."""
        addresses = self.base[lanes]
        if self.offset:
            addresses = addresses + self.offset
        if moved is not None:
            addresses = addresses + moved
        if np.bitwise_or.reduce(addresses) & (self.width - 1):
            self._misaligned(lanes, addresses)
        try:
            return self._find(self.space, lanes, addresses)
        except AccessFault as fault:
            raise self.memory.report.access_error(
                fault, self.at, lane_index(lanes), self.verb, self.width
            ) from None

    def read(self, hit: Hit, component: int, dtype: np.dtype) -> np.ndarray:
        element = hit.element + component if component else hit.element
        return hit.store.view(dtype).take(element)

    def about_to_read(self, hit: Hit) -> None:
        """Tell that lanes are about to use what lies there."""
        for tell in self.memory.events.read:
            tell(self, hit)

    def unwritten(self, hit: Hit, component: int) -> np.ndarray | None:
        """Which lanes of a hit find in a component what nobody wrote; None where none does."""
        store = hit.store
        if store.written is None:
            return None
        found = store.marks(self.size).take(hit.element + component) == 0
        return found if np.count_nonzero(found) else None

    def offsets(self, hit: Hit) -> np.ndarray:
        """Where in its memory each lane touches, in bytes: in the block's shared memory as it
        would be without red zones, else from the start of the buffer. A copy, for a register may
        hold the addresses."""
        if hit.space == "shared":
            return self.memory.shared.natural(hit.addresses.copy())
        return hit.addresses - hit.store.address

    def write(self, hit: Hit, component: int, values: np.ndarray) -> None:
        store = hit.store
        if not store.writable or self.constant:
            self.refuse_write(hit)
        element = hit.element + component if component else hit.element
        store.view(values.dtype)[element] = values
        if store.written is not None:
            marks = store.marks(self.size)
            marks[element] = np.iinfo(marks.dtype).max

    def refuse_write(self, hit: Hit) -> None:
        raise self.memory.report.read_only(self, hit)

    def _find(self, space: str, lanes: Lanes, addresses: np.ndarray) -> list[Hit]:
        if space == "generic":
            return self._find_generic(lanes, addresses)
        if space == "shared":
            return self._find_private(self.memory.shared, lanes, addresses)
        if space == "local":
            return self._find_private(self.memory.local, lanes, addresses)
        found = self.memory.flat.locate(addresses, self.width)
        if len(found) > 1:
            return self._parts(found, space, lane_index(lanes), addresses)
        store = found[0][0]
        return [Hit(store, space, lanes, (addresses - store.address) >> self.shift, addresses)]

    def _find_private(self, memory: PrivateSpace, lanes: Lanes, addresses: np.ndarray) -> list[Hit]:
        base = memory.base[lanes]
        if memory.name == "shared" and self.memory.geometry.cluster_blocks > 1:
            base, addresses = self._in_cluster(lanes, base, addresses)
        memory.check(addresses, self.width)
        return [Hit(memory.store, memory.name, lanes, (base + addresses) >> self.shift, addresses)]

    def _parts(
        self, found: Found, space: str, lane: np.ndarray, addresses: np.ndarray
    ) -> list[Hit]:
        """The hits of an access that goes to several stores."""
        hits, seen = [], np.empty(0, np.int64)
        for store, which in found:
            where, warp = addresses[which], np.unique(lane[which] // WARP)
            again = int(np.isin(warp, seen).sum())
            seen = np.append(seen, warp)
            element = (where - store.address) >> self.shift
            hits.append(Hit(store, space, compact(lane[which]), element, where, again))
        return hits

    def _in_cluster(
        self, lanes: Lanes, own: np.ndarray, addresses: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Where the shared memory of the block that each address names begins, and the offsets."""
        geometry, pitch = self.memory.geometry, self.memory.shared.pitch
        rank = addresses >> RANK_SHIFT
        beyond = rank > geometry.cluster_blocks
        if beyond.any():
            position = int(np.argmax(beyond))
            where = f"the shared memory of block {int(rank[position]) - 1} of its cluster, which "
            where += f"has {counted(geometry.cluster_blocks, 'block')}"
            raise AccessFault(Fault(OutOfBounds, position, where))
        block = geometry.block_of_lane[lanes]
        first = block - block % geometry.cluster_blocks
        base = np.where(rank > 0, (first + rank - 1) * pitch, own)
        return base, addresses & OFFSET_MASK

    def _find_generic(self, lanes: Lanes, addresses: np.ndarray) -> list[Hit]:
        """A generic address says by its value which space it lies in."""
        hits = []
        elsewhere = np.ones(len(addresses), bool)
        for space, window in (("shared", SHARED_WINDOW), ("local", LOCAL_WINDOW)):
            inside = (addresses >= window) & (addresses < window + WINDOW_SIZE)
            if inside.any():
                own = compact(lane_index(lanes)[inside])
                hits += self._find(space, own, addresses[inside] - window)
                elsewhere &= ~inside
        if elsewhere.all():
            return self._find("global", lanes, addresses)
        if elsewhere.any():
            own = compact(lane_index(lanes)[elsewhere])
            hits += self._find("global", own, addresses[elsewhere])
        return hits

    def _misaligned(self, lanes: Lanes, addresses: np.ndarray) -> None:
        crooked = (addresses & (self.width - 1)) != 0
        lane = int(lane_index(lanes)[np.argmax(crooked)])
        address = int(addresses[np.argmax(crooked)])
        raise self.memory.report.misaligned(self, lane, address)


def bits_of(values: np.ndarray) -> np.ndarray:
    """The values as unsigned integers, under which a NaN equals itself and -0 is not 0."""
    return np.ascontiguousarray(values).view(f"u{values.itemsize}")
