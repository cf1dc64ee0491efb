"""One memory instruction's way to memory: addresses to elements, checked on the way; what is done
there, and who is told of it; how lanes that meet at one address take turns; what is on its way
(`cp.async` and bulk copies, with their groups, and what mbarriers count)."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Protocol, Self

import msgspec
import numpy as np

from ...cuda.errors import CudaError
from ...ptx.numbers import unsigned
from ...ptx.program import Instruction, Malformed, Transfer, Unsupported
from ..lanes import WARP, Geometry, Lanes, compact, count, lane_index
from .spaces import (
    LOCAL_WINDOW,
    OFFSET_MASK,
    RANK_SHIFT,
    SHARED_WINDOW,
    WINDOW_SIZE,
    Fault,
    Found,
    GlobalSpace,
    PrivateSpace,
    Store,
)

Operation = Callable[..., np.ndarray]
Crowds = Iterable[tuple[int, np.ndarray]]  # addresses, each with its lanes in their order
CROWD = 64  # lanes at one address for which running totals pay


def compare_and_swap(old: np.ndarray, expected: np.ndarray, new: np.ndarray) -> np.ndarray:
    return np.where(old == expected, new, old)


def by_place(element: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The positions of lanes, those at one address side by side, first come first served; and where
    each address's run of them begins, and how long it is."""
    order = np.argsort(element, kind="stable")
    place = element[order]
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]])
    return order, starts, np.diff(np.r_[starts, len(place)])


def in_turns(
    memory: np.ndarray, element: np.ndarray, operation: Operation, values: Sequence[np.ndarray]
) -> np.ndarray:
    """Apply the operation once per lane, in order of lanes; the values found before. Where lanes
    meet at one address they take turns, all addresses at once."""
    order, starts, sizes = by_place(element)
    crowds = (
        (element[order[start]], order[start : start + size])
        for start, size in zip(starts, sizes, strict=True)
    )
    old, most = np.empty(len(element), memory.dtype), int(sizes.max())
    if most > CROWD and isinstance(operation, np.ufunc):
        # A running total per address gives every lane's turn.
        for at, lane in crowds:
            running = operation.accumulate(np.r_[memory[at], values[0][lane]], dtype=memory.dtype)
            old[lane] = running[:-1]
            memory[at] = running[-1]
    elif most > 4 and operation is compare_and_swap:
        _swap(memory, crowds, values[0], values[1], old)
    elif most > CROWD * len(sizes):
        _one_by_one(memory, crowds, operation, values, old)
    else:
        for turn in range(most):
            lane = order[starts[sizes > turn] + turn]
            old[lane] = memory[element[lane]]
            memory[element[lane]] = operation(old[lane], *[value[lane] for value in values])
    return old


def _one_by_one(
    memory: np.ndarray,
    crowds: Crowds,
    operation: Operation,
    values: Sequence[np.ndarray],
    old: np.ndarray,
) -> None:
    """Many lanes at few addresses, and no running total: as long as nothing changes, as in a sum
    that has grown too large for its format, twice as many are tried at a time."""
    for at, lane in crowds:
        tried = 1
        while len(lane):
            some = lane[:tried]
            found = np.repeat(memory[at : at + 1], len(some))
            left = operation(found, *[value[some] for value in values])
            changed = np.flatnonzero(left != found)
            taken = int(changed[0]) + 1 if len(changed) else len(some)
            old[some[:taken]] = found[:taken]
            memory[at] = left[taken - 1]
            tried = max(1, taken // 2) if len(changed) else 2 * tried
            lane = lane[taken:]


def _swap(
    memory: np.ndarray, crowds: Crowds, expected: np.ndarray, new: np.ndarray, old: np.ndarray
) -> None:
    """Many lanes compare and swap at few addresses, say for a lock: from one that swaps to the
    next, all find the same value."""
    for at, lane in crowds:
        while len(lane):
            equal = expected[lane] == memory[at]
            last = int(np.argmax(equal))
            found = lane[: last + 1] if equal[last] else lane
            old[found] = memory[at]
            if equal[last]:
                memory[at] = new[lane[last]]
            lane = lane[len(found) :]


Values = list[np.ndarray]  # an array (lanes,) for each component of an access


class Accessed(NamedTuple):
    """That lanes have read ("load"), written ("store", with what `values`) or updated ("atomic",
    which found `values`) memory; a comparison may have `failed` (bool), which writes nothing."""

    access: Access
    hit: Hit
    kind: str
    values: Values | None = None
    failed: np.ndarray | None = None


class Hit(msgspec.Struct, frozen=True, eq=False):
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
        return msgspec.structs.replace(
            self,
            lanes=compact(lane_index(self.lanes)[chosen]),
            element=self.element[chosen],
            addresses=self.addresses[chosen],
        )


class LaneValues(Protocol):
    """What an operand holds: an array (lanes,), or what is worked out whenever it is read."""

    def __getitem__(self, lanes: Lanes, /) -> Any: ...


class ErrorReport(Protocol):
    """Makes exceptions of what goes wrong at an instruction, with line, block and thread."""

    def error(
        self, kind: type[CudaError], at: int, lane: int, fault: str, **facts: Any
    ) -> CudaError: ...

    def refused(self, error: Malformed | Unsupported, instruction: Instruction) -> CudaError: ...

    def access_error(
        self, fault: Fault, at: int, lane: np.ndarray, verb: str, size: int
    ) -> CudaError: ...

    def misaligned(self, access: Access, lanes: np.ndarray, addresses: np.ndarray) -> CudaError: ...

    def read_only(self, access: Access, hit: Hit) -> CudaError: ...

    def endless(
        self, at: int, lane: int, runs: Counter[tuple[int, int]], reads: list[tuple[Access, Hit]]
    ) -> CudaError: ...


class WaveMemory:
    """The memory that the blocks of a wave reach, who makes errors, and who hears of accesses."""

    flat: GlobalSpace  # the launch's buffers, the module's variables, the heap
    shared: PrivateSpace  # a piece for each block
    local: PrivateSpace  # a piece for each lane
    geometry: Geometry
    report: ErrorReport
    events: Any  # `machine.events.Events`, which is made of what stands here


class Access:
    """One transfer of the instruction at index `at`: where it goes in `memory`, and what it does
    there. An address is `base` of the lane plus `offset`, in bytes; `constant`: it reaches only
    what must not be written; `verb` is what messages call it."""

    def __init__(
        self,
        transfer: Transfer,
        at: int,
        start: tuple[LaneValues, int],
        memory: WaveMemory,
        verb: str = "",
    ):
        self.memory, self.at = memory, at
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
        self.mbarrier, self.constant = transfer.mbarrier, False

    def hits(self, lanes: Lanes, moved: np.ndarray | None = None) -> list[Hit]:
        """Where the lanes' accesses go, each `moved` by so many bytes; raises OutOfBounds or
        Misaligned."""
        addresses = self.base[lanes]
        addresses = addresses + self.offset if self.offset else addresses
        addresses = addresses + moved if moved is not None else addresses
        if np.bitwise_or.reduce(addresses) & (self.width - 1):
            raise self.memory.report.misaligned(self, lane_index(lanes), addresses)
        try:
            return self._find(self.space, lanes, addresses)
        except Fault as fault:
            raise self.memory.report.access_error(
                fault, self.at, lane_index(lanes), self.verb, self.width
            ) from None

    def read(self, hit: Hit, component: int, dtype: np.dtype) -> np.ndarray:
        return hit.store.view(dtype).take(hit.element + component if component else hit.element)

    def load(self, lanes: Lanes, dtype: np.dtype, moved: np.ndarray | None = None) -> np.ndarray:
        """What the lanes load, each from `moved` so many bytes on: a row for each lane, a column
        for each component."""
        words = np.empty((count(lanes), self.components), dtype)
        for hit in self.hits(lanes, moved):
            self.get(hit)
            rows = np.searchsorted(lane_index(lanes), lane_index(hit.lanes))
            for component in range(self.components):
                words[rows, component] = self.read(hit, component, dtype)
        return words

    def store(self, lanes: Lanes, words: np.ndarray, moved: np.ndarray | None = None) -> None:
        """The lanes store `words`, of the same shape."""
        for hit in self.hits(lanes, moved):
            self.put(hit, list(words[np.searchsorted(lane_index(lanes), lane_index(hit.lanes))].T))

    def get(self, hit: Hit) -> None:
        """Tell that lanes load what lies where this access hits; they then may read it."""
        self.memory.events.read(self, hit)
        self.memory.events.access(Accessed(self, hit, "load"))

    def put(self, hit: Hit, values: Values) -> None:
        """Store `values`, an array for each component, where this access hits."""
        self.memory.events.write(self, hit, values)
        for component, value in enumerate(values):
            self.write(hit, component, value)
        self.memory.events.access(Accessed(self, hit, "store", values))

    def update(
        self,
        hit: Hit,
        operation: Callable[..., np.ndarray],
        sources: list[Values],
        cleaned: Callable[[np.ndarray], np.ndarray] = np.asarray,
    ) -> Values:
        """Read, modify and write where this access hits: `operation(old, *values)` once a lane, for
        each component, where `sources` holds an array (lanes of the hit,) for each component of
        each operand. Returns what lay there before, by component. `cleaned` is done to what lies
        in memory before and after."""
        self.memory.events.read(self, hit)
        if self.constant or not hit.store.writable:
            raise self.memory.report.read_only(self, hit)
        memory, before = hit.store.view(sources[0][0].dtype), []
        for component in range(self.components):
            element = hit.element + component
            if cleaned is not np.asarray:
                memory[element] = cleaned(memory[element])
            before.append(
                in_turns(memory, element, operation, [source[component] for source in sources])
            )
            if cleaned is not np.asarray:
                memory[element] = cleaned(memory[element])
        # Where a comparison fails, nothing is written.
        self.used(hit, before, before[0] != sources[0][0] if self.compares else None)
        return before

    def used(
        self, hit: Hit, before: Values | None = None, failed: np.ndarray | None = None
    ) -> None:
        """Tell that lanes have used a place as an atomic does."""
        self.memory.events.access(Accessed(self, hit, "atomic", before, failed))

    def unwritten(self, hit: Hit, component: int) -> np.ndarray | None:
        """Which lanes of a hit find in a component what nobody wrote; None where none does."""
        if hit.store.written is None:
            return None
        found = hit.store.marks(self.size).take(
            hit.element + component if component else hit.element
        )
        return None if np.count_nonzero(found) == len(found) else found == 0

    def offsets(self, hit: Hit) -> np.ndarray:
        """Where in its memory each lane touches, in bytes: in the block's shared memory as it
        would be without red zones, else from the start of the buffer. A copy, for a register may
        hold the addresses."""
        return (
            self.memory.shared.natural(hit.addresses.copy())
            if hit.space == "shared"
            else hit.addresses - hit.store.address
        )

    def write(self, hit: Hit, component: int, values: np.ndarray) -> None:
        store = hit.store
        if not store.writable or self.constant:
            raise self.memory.report.read_only(self, hit)
        element = hit.element + component if component else hit.element
        store.view(values.dtype)[element] = values
        if store.written is not None:
            marks = store.marks(self.size)
            marks[element] = ~marks.dtype.type(0)

    def _find(self, space: str, lanes: Lanes, addresses: np.ndarray) -> list[Hit]:
        if space == "generic":
            return self._find_generic(lanes, addresses)
        if space in ("shared", "local"):
            return self._find_private(getattr(self.memory, space), lanes, addresses)
        found = self.memory.flat.locate(addresses, self.width, lanes)
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
            again, seen = int(np.isin(warp, seen).sum()), np.append(seen, warp)
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
            raise Fault(position, "cluster", block=int(rank[position]) - 1)
        block = geometry.block_of_lane[lanes]
        first = block - block % geometry.cluster_blocks
        return np.where(rank > 0, (first + rank - 1) * pitch, own), addresses & OFFSET_MASK

    def _find_generic(self, lanes: Lanes, addresses: np.ndarray) -> list[Hit]:
        """A generic address says by its value which space it lies in."""
        hits, elsewhere = [], np.ones(len(addresses), bool)
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


def bits_of(values: np.ndarray) -> np.ndarray:
    """The values as unsigned integers, under which a NaN equals itself and -0 is not 0."""
    return np.ascontiguousarray(values).view(unsigned(values.itemsize))


@dataclass(frozen=True, eq=False)
class OnItsWay:
    """What ends some time after lanes have issued it: where that is, and the words (an array for
    each component) that are brought there, none where it is read."""

    access: Access
    hit: Hit
    words: list[np.ndarray]

    def part(self, chosen: np.ndarray) -> Self:
        """That of the `chosen` lanes (bool) alone."""
        return replace(self, hit=self.hit.part(chosen), words=[word[chosen] for word in self.words])

    def land(self) -> None:
        """It ends."""


@dataclass(frozen=True, eq=False)
class Landing(OnItsWay):
    """The words are put there. Of a bulk copy, or stores to another block's shared memory, that
    tell a barrier of their `size` bytes once they are there: which of those issued it is (0: of
    others), perhaps in part."""

    number: int = 0
    sources: tuple[Rereading, ...] = ()  # what is read until then

    @property
    def size(self) -> int:
        return self.access.width * len(self.hit.element)

    def split(self, size: int) -> tuple[Landing, Landing]:
        """The first lanes' part, of at least `size` bytes, and the rest."""
        first = np.arange(len(self.hit.element)) * self.access.width < size
        return self.part(first), self.part(~first)

    def land(self) -> None:
        for source in self.sources:
            source.land()
        self.access.put(self.hit, self.words)


class Rereading(OnItsWay):
    """A copy engine or a tensor core has read this for a lane, and may still do so until somebody
    has waited for it: whoever writes there before races with it."""

    def land(self) -> None:
        """It is read for the last time."""
        self.access.get(self.hit)


@dataclass(frozen=True, eq=False)
class Updating(OnItsWay):
    """A copy engine updates this for a lane, some time after it was issued."""

    operation: Callable[..., np.ndarray]

    def land(self) -> None:
        self.access.update(self.hit, self.operation, [self.words])


class PendingCopies:
    """What the threads of a wave have issued and not waited for. `committed` counts, per lane,
    the groups it has closed. `waited` has of its last wait for groups, by lane, the instruction (-1
    if there was none), the groups that were closed, and how many of these it let continue."""

    def __init__(self, lanes: int):
        self.committed = np.zeros(lanes, np.int64)
        self.waited = np.full((3, lanes), -1)
        # Each with the group of its thread, by lane of the wave, that it is in.
        self.pending: list[tuple[OnItsWay, np.ndarray]] = []
        self.announced = 0
        # By barrier (its store and place), in the order in which they were issued.
        self.landings: dict[tuple[Store, int], deque[Landing]] = {}

    def issue(self, access: Access, hit: Hit, words: list[np.ndarray]) -> None:
        """Until it has arrived, the destination counts as not written: a thread that does not
        wait for it gets whatever is there."""
        self.mark_unwritten(access, hit)
        self.add(Landing(access, hit, words))

    def add(self, *copies: OnItsWay) -> None:
        """Copies are in the group that their threads have not committed yet."""
        self.pending += [(copy, self.committed.copy()) for copy in copies]

    def announce(
        self,
        access: Access,
        hit: Hit,
        words: list[np.ndarray],
        told: Hit,
        sources: Iterable[Rereading] = (),
    ) -> Landing:
        """Lanes issue what the one barrier at which `told` hits will be told of. Until that barrier
        is asked, the destination counts as not written."""
        self.mark_unwritten(access, hit)
        self.announced += 1
        landing = Landing(access, hit, words, self.announced, tuple(sources))
        self.landings.setdefault((told.store, int(told.element[0])), deque()).append(landing)
        return landing

    def towards(self, store: Store, byte: int) -> tuple[int, int, int | None, int, int, int] | None:
        """The instruction and the lane of a copy on its way to a byte, and how many groups that
        lane has committed since, with its own (None: an mbarrier is told of it); of the lane's last
        wait for groups the instruction (-1: there was none), how many they were then, and how many
        it let continue. Instead of the last number the word of the mbarrier."""
        for one, group, key in (
            *((*both, None) for both in self.pending),
            *((one, None, key) for key, some in self.landings.items() for one in some),
        ):
            first = one.hit.element * one.access.size
            there = (first <= byte) & (byte < first + one.access.width)
            if one.hit.store is store and there.any():
                lane = int(lane_index(one.hit.lanes)[there][0])
                since = None if group is None else int(self.committed[lane] - group[lane])
                wait, then, newest = self.waited[:, lane].tolist()
                number = then - int(self.committed[lane]) + (since or 0)
                newest = int(key[0].view(np.dtype(np.uint64))[key[1]]) if key else newest
                return one.access.at, lane, since, wait, number, newest
        return None

    def mark_unwritten(self, access: Access, hit: Hit) -> None:
        marks = hit.store.marks(access.size)
        for component in range(access.components):
            marks[hit.element + component] = 0

    def arrive(self, lanes: Lanes, newest: int, at: int = -1) -> None:
        """What these lanes wait for, at an instruction, is there now: all their copies but those in
        the `newest` groups they closed last (-1: also those in no group yet)."""
        self.waited[:, lanes] = np.broadcast_arrays(at, self.committed[lanes], newest)
        before = np.full(len(self.committed), -1)
        before[lanes] = self.committed[lanes] - newest
        self.land(before)

    def land(self, before: np.ndarray) -> None:
        """What each lane issued in groups before that number (lanes,) is there now."""
        pending, self.pending = self.pending, []
        for copy, group in pending:
            lane = lane_index(copy.hit.lanes)
            done = group[lane] < before[lane]
            if not done.all():
                self.pending.append((copy.part(~done), group))
            if done.any():
                copy.part(done).land()
