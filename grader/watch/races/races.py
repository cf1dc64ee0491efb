"""Data races: the accesses of a wave, fed to a detector for each memory that threads share.

What a run shows of two accesses that met: who they were, and how they came to.

A block that is told something by another, through an atomic or a volatile access to one place, is
meant to see what the other did before. Where it races with that all the same, what lacks is a fence
or a barrier on the way from the one access to the other. The strong accesses and the fences of a
run are kept here, those of few threads, as flags are.
"""

from collections import defaultdict
from dataclasses import dataclass
from functools import reduce
from operator import attrgetter

import msgspec
import numpy as np

from ...machine.lanes import WARP, Lanes, count, lane_index
from ...machine.memory.access import Access, Accessed, Hit, Values, bits_of
from ...machine.memory.spaces import Store
from ...ptx.program import Address, Instruction
from ..findings import Evidence, Fence, FindingReport, Race, RacingAccess, Signal, Visit
from .detector import Conflict, RaceDetector, Touched
from .ordering import COMPARED, LANDED, NARROW, STRONG, Ordering, epoch_of, lane_of, stamped

_MOST = 20_000  # accesses remembered: a spinning thread makes many, a histogram more
# The same of instructions that are one statement's, as where the compiler unrolls a loop.
_statement = attrgetter("form.name", "form.type", "line", "callers")


@dataclass(frozen=True)
class Strong:
    """Strong accesses, or fences, that threads made in one epoch."""

    epoch: int
    at: int  # the instruction
    kind: str  # "load", "store", "atomic" or "fence"
    lanes: np.ndarray
    blocks: np.ndarray  # by lane, the number of its block
    barriers: np.ndarray  # by lane, the epoch of the last barrier of its block
    addresses: np.ndarray  # by lane; a fence has none
    wide: bool  # the fence is for the whole device

    def barrier(self, lane: int) -> int:
        return int(self.barriers[self.lanes == lane][0])


class Signals:
    """What a launch's threads told each other."""

    def __init__(self, ordering: Ordering):
        self.wave, self.ordering = ordering.wave, ordering
        self.sights: list[Strong] = []
        self.posts: dict[tuple[int, int], list[tuple[Strong, int]]] = defaultdict(list)
        self.fences: list[Strong] = []
        self._remembered = 0

    def note(self, access: Access, hit: Hit, addresses: np.ndarray, kind: str) -> None:
        """A strong access has been made in the present epoch, to places known by `addresses`."""
        if (strong := self._strong(access.at, kind, hit.lanes, addresses)) is None:
            return
        if kind != "store":
            self.sights.append(strong)
        if kind != "load":
            for place, block, lane in zip(
                *(addresses.tolist(), strong.blocks.tolist(), strong.lanes.tolist()), strict=True
            ):
                self.posts[place, block].append((strong, lane))

    def fenced(self, lanes: Lanes, at: int, wide: bool) -> None:
        """Lanes have passed a fence, which the whole device sees if it is `wide`."""
        if (fence := self._strong(at, "fence", lanes, np.empty(0, np.int64), wide)) is not None:
            self.fences.append(fence)

    def signal(self, since: int, me: tuple[int, int], other: tuple[int, int]) -> Signal | None:
        """How the later thread's block was last told something by the `other` one, which posted it
        after epoch `since`; each thread is given by its block and lane. Within one block, what one
        thread told another, which waited for it."""
        (mine, lane), (theirs, other_lane), code = me, other, self.wave.kernel.instructions
        if (met := self._last_told(since, theirs, mine)) is None:
            return None
        post, poster, sight, seer = met
        sees = code[sight.at]
        if not sees.written or not (theirs != mine or sight.kind == "load" or sees.form.compares):
            return None  # an atomic that finds nothing out; or one that counts, and tells nobody
        fences = self._fences_of(poster, theirs)
        before = [fence for fence in fences if fence.epoch < post.epoch]
        own, thread = poster == other_lane, self.wave.geometry.thread

        def facts(some: list[Strong]) -> tuple[Fence, ...]:
            return tuple(Fence(code[fence.at].line, fence.wide) for fence in some)

        return Signal(
            code[post.at].line,
            sees.line,
            thread(poster),
            thread(seer),
            own,
            seer == lane,
            ordering=facts(
                [
                    fence
                    for fence in before
                    if (own and fence.epoch > since) or fence.barrier(poster) >= since
                ]
            ),
            before=facts(before),
            after=facts([fence for fence in fences if fence.epoch > post.epoch]),
            waited=post.barrier(poster) >= since,
            fenced=facts([one for one in self._fences_of(seer, mine) if one.epoch > sight.epoch]),
            met=epoch_of(self.ordering.synced["block"][lane]) >= sight.epoch,
        )

    def _last_told(
        self, since: int, theirs: int, mine: int
    ) -> tuple[Strong, int, Strong, int] | None:
        """A post by a lane of block `theirs`, and its sight by a lane of block `mine`."""
        for sight in reversed(self.sights):
            if sight.epoch < since:
                break
            seen = np.flatnonzero(sight.blocks == mine)
            for seer, place in zip(sight.lanes[seen], sight.addresses[seen], strict=True):
                for post, poster in reversed(self.posts.get((int(place), theirs), ())):
                    if post.epoch <= since:
                        break
                    # In one epoch, the lanes of an atomic come one after the other.
                    earlier = (post.epoch, poster) < (sight.epoch, seer)
                    if earlier and (theirs != mine or poster != seer):
                        return post, poster, sight, int(seer)
        return None

    def _fences_of(self, lane: int, block: int) -> list[Strong]:
        """The fences that a lane of a block has passed, in order."""
        return [one for one in self.fences if lane in one.lanes[one.blocks == block]]

    def _strong(
        self, at: int, kind: str, lanes: Lanes, addresses: np.ndarray, wide: bool = True
    ) -> Strong | None:
        """What lanes do at the present epoch; None where it is too many of them to be a flag, or
        too much to remember."""
        wave, number = self.wave, count(lanes)
        if number > wave.geometry.warps or self._remembered + number > _MOST:
            return None
        index = lane_index(lanes)
        blocks = wave.first_block + index // wave.geometry.stride
        last = self.sights[-1] if self.sights and kind == "load" else None
        if (
            last
            and last.at == at
            and np.array_equal(last.lanes, index)
            and np.array_equal(last.blocks, blocks)
        ):
            self.sights.pop()
            self._remembered -= number
        self._remembered += number
        barriers = self.ordering.synced["block"][index] >> 32
        return Strong(self.ordering.now, at, kind, index, blocks, barriers, addresses.copy(), wide)


class RaceFindings:
    """Makes findings of what the detectors of a launch see, one for each pair of lines."""

    def __init__(
        self, report: FindingReport, signals: Signals, detectors: dict[Store, RaceDetector]
    ):
        self.report, self.here, self.wave = report, report.here, report.wave
        self.signals, self.detectors = signals, detectors
        self.ordering, self.sites = signals.ordering, signals.ordering.sites
        self.code = self.wave.kernel.instructions
        # Epochs in which a copy engine or a tensor core did something after its issue.
        self.late: set[int] = set()
        self.set_ups: set[int] = set()  # instructions that set up an mbarrier
        self._seen: set[tuple[object, ...]] = set()

    def race(
        self, conflict: Conflict, access: Access, hit: Hit, lane: np.ndarray, wrote: bool
    ) -> None:
        """Two threads, one place, no order. `lane`: by position in the access, whose it is."""
        at, epoch, shared = access.at, epoch_of(conflict.other), self.wave.shared
        if conflict.benign and hit.store is shared.store:
            place = hit.element[conflict.position * count(hit.lanes) // len(lane)] * access.size
            if place % shared.pitch in range(shared.cleared.start, shared.cleared.stop):
                return  # what cooperative groups keep there
        deeds = wrote, conflict.other_wrote, conflict.benign
        if self.wave.job.options.tolerated and not conflict.benign:
            me, now = int(lane[conflict.position]), epoch == self.ordering.now
            apart = bool(self.ordering.elsewhere(np.array([conflict.other]), np.array([me]))[0])
            if self._is_new(at, self.sites[epoch], deeds, now, apart, hit.store):
                self.report.note(self._race(conflict, access, hit, lane, wrote))
        if self._is_new(self.here.line(at), self.code[self.sites[epoch]].line, deeds):
            self.report.add(self._race(conflict, access, hit, lane, wrote))

    def visit(self, at: int, lane: int, host: int, started: bool) -> None:
        """A thread uses the shared memory of block number `host`, which may be gone by then, or
        else may not have `started`."""
        if self._is_new(self.here.line(at)):
            self.report.add(
                Visit(
                    self.here.location(at, lane),
                    self.wave.geometry.block_coordinates(host),
                    started,
                )
            )

    def _is_new(self, *key: object) -> bool:
        new = key not in self._seen
        self._seen.add(key)
        return new

    def _race(
        self, conflict: Conflict, access: Access, hit: Hit, lane: np.ndarray, wrote: bool
    ) -> Race:
        me, other = int(lane[conflict.position]), int(lane_of(conflict.other))
        mine = self.wave.first_block + me // self.wave.geometry.stride
        at, since = access.at, epoch_of(conflict.other)
        theirs = int(self.ordering.blocks_of(np.array([conflict.other]))[0])
        parts, store = len(lane) // count(hit.lanes), hit.store
        position, part = divmod(conflict.position, parts)
        size = access.width // parts
        inside = range(store.address, store.address + len(store.data))
        return Race(
            self.here.location(at, me),
            access.verb,
            self.here.bytes(hit.space, store, int(hit.addresses[position]) + part * size, size, at),
            msgspec.structs.replace(
                self._access(at, mine, me, wrote, self.ordering.now in self.late),
                line=self.here.line(at),
            ),
            self._access(
                self.sites[since], theirs, other, conflict.other_wrote, since in self.late
            ),
            same_block=mine == theirs,
            same_warp=me // WARP == other // WARP,
            at_once=since == self.ordering.now,
            benign=conflict.benign,
            arguments=tuple(
                number
                for number, one in enumerate(self.wave.names.arguments, 1)
                if one.address in inside
            ),
            evidence=self._evidence(
                at,
                me,
                wrote,
                since,
                stamps=self.detectors[store].written,
                signal=self.signals.signal(since, (mine, me), (theirs, other)),
            ),
        )

    def _access(self, at: int, block: int, lane: int, wrote: bool, late: bool) -> RacingAccess:
        one, geometry = self.code[at], self.wave.geometry
        engine = "product" if one.form.has("mma_async") else "copy"
        return RacingAccess(
            one.line,
            one.callers,
            geometry.block_coordinates(block),
            geometry.thread(lane),
            self.here.repeats(at),
            wrote,
            one.form.reads,
            one.form.atomic,
            any(transfer.volatile for _, transfer in one.form.transfers),
            "set-up" if at in self.set_ups else engine if late else "",
        )

    def _evidence(
        self,
        at: int,
        me: int,
        wrote: bool,
        since: int,
        stamps: np.ndarray,
        signal: Signal | None,
    ) -> Evidence:
        """Of what lane `me` does at instruction `at`, and what was done in epoch `since`. `stamps`:
        by cell of the memory, the last write."""
        code, wave, line = self.code, self.wave, self.here.line(at)
        then, first = code[at], code[self.sites[since]]
        stored = then if wrote else first
        where, same_line = _address(stored), line == first.line

        # The epochs in which this thread has written to the memory.
        epochs = (stamps[lane_of(stamps) == me] >> 32).tolist() if same_line else []
        return Evidence(
            same_instruction=at == self.sites[since],
            same_address=_address(then) == _address(first),
            updates=any(
                one.form.reads and one.line == line and _address(one) == where for one in code
            ),
            kernel_lines=_in_one_function(first, then),
            apart=bool(first.callers and then.callers and first.callers != then.callers),
            may_repeat=(same_line and [*map(_statement, code)].count(_statement(stored)) > 1)
            or wave.linked.owner[at] != wave.kernel.name
            or self.here.repeats(at),
            took_part=since in epochs,
            wrote_since=any(
                since < epoch < self.ordering.now and code[self.sites[epoch]].line == line
                for epoch in epochs
            ),
            barriers_of_some=any(asked is not None for asked in wave.barriers.asked.values()),
            one_warp=wave.geometry.stride == WARP,
            signal=signal,
        )


def _address(one: Instruction) -> Address | None:
    return next((operand for operand in one.operands if isinstance(operand, Address)), None)


def _in_one_function(first: Instruction, then: Instruction) -> tuple[int | None, int | None]:
    """The lines of two instructions in the function that has them both."""
    chains = [(*one.callers[::-1], one.line) for one in (first, then)]
    return next(
        ((line, other) for line, other in zip(*chains, strict=False) if line != other),
        (chains[0][-1], chains[1][-1]),
    )


class Races(Ordering):
    """Watches shared memory, and every buffer in global memory that the kernel may write.

    `cells` says how many bytes of a space count as one place: the narrowest access that the
    kernel makes, so that neighbouring bytes written by two threads are no race.
    """

    def __init__(self, report: FindingReport):
        wave = report.wave
        super().__init__(wave)
        self.cells, use = wave.program.cells, wave.program.memory_use
        self.detectors: dict[Store, RaceDetector] = {}  # of shared memory: of the present wave
        for store in wave.flat.stores:  # those that are only read cannot race
            if store.writable and store.names and use.touches(store.names, ("writes", "updates")):
                self.detectors[store] = RaceDetector(
                    -(-len(store.data) // self.cells["global"]),
                    self.unordered_in_grid,
                    self,
                    use.touches(store.names, ("reads",)),
                )
        self.signals = Signals(self)
        self.findings = RaceFindings(report, self.signals, self.detectors)
        self.visits = Visits(self.findings)

    def begin_wave(self, first_block: int) -> None:
        super().begin_wave(first_block)
        store = self.wave.shared.store
        unordered = self.unordered_in_cluster if self.in_cluster else self.unordered_in_block
        cells = len(store.data) // self.cells["shared"]
        self.detectors[store] = RaceDetector(cells, unordered, self)
        self.visits.last.clear()
        self._set_up = np.zeros(cells, np.int64)  # by cell, the `init` of an mbarrier

    def fence(self, at: int, lanes: Lanes, wide: bool) -> None:
        if self.flags and self.findings.code[at].form.orders:  # not for a proxy alone
            super().fence(at, lanes, wide)
            self.signals.fenced(lanes, at, wide)

    def exit(self, lanes: Lanes) -> None:
        if self.in_cluster:
            blocks = self.geometry.block_of_lane[lanes]
            self.visits.leave(blocks[self.wave.live[blocks] == 0])

    def write(self, access: Access, hit: Hit, values: Values) -> None:
        if self._watches(access, hit):
            self._unchanged = _holds(access, hit, values)  # of the store that is about to be made

    def copy(self, access: Access, hit: Hit, values: Values) -> None:
        """It may land at any time from now on: whoever still reads the place races with it. What
        updates a place as atomics do is looked at when it does."""
        if not access.strong:
            self._unchanged = np.zeros(len(hit.element), bool)
            self._access(Accessed(access, hit, "store", values))

    def access(self, done: Accessed) -> None:
        access, stores = done.access, done.kind != "load"
        landed = done.kind == "store" and access.asynchronous and done.hit.space == "shared"
        late = access.bulk and (done.hit.space == "global" if stores else not access.asynchronous)
        self._access(done, LANDED if landed else 0, late)

    def _access(self, done: Accessed, marks: int = 0, late: bool = False) -> None:
        """`marks`: LANDED for what was copied and is there now; `late`: a copy engine or a tensor
        core does it some time after its issue."""
        access, hit, kind = done.access, done.hit, done.kind
        if not self._watches(access, hit):
            return
        epoch, detector, cell = (
            self.new_epoch(access.at),
            self.detectors.get(hit.store),
            self.cells[hit.space],
        )
        if late:
            self.findings.late.add(epoch)
        lane, parts = lane_index(hit.lanes), access.width // cell
        cells = hit.element if access.size == cell else hit.element * (access.size // cell)
        if parts > 1:
            cells, lane = (cells[:, None] + np.arange(parts)).ravel(), np.repeat(lane, parts)
        touched = Touched(cells, lane, epoch, stamped(epoch, lane, marks))
        early = (  # before it may tell that it is set up
            self._before_set_up(detector, access, touched) if detector and access.mbarrier else None
        )
        if access.strong and hit.space != "local":
            self._strong(done)
        if detector is None:
            return
        if conflict := early or self._conflict(detector, done, touched):
            self.findings.race(conflict, access, hit, lane, wrote=kind != "load")
        if self.in_cluster and hit.space == "shared" and not marks & LANDED:
            self.visits.note(cells // (self.wave.shared.pitch // cell), lane, epoch, access.at)

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
        writes = np.full(len(addresses), kind != "load") if done.failed is None else ~done.failed
        self.flags.access(addresses, hit.lanes, kind != "store", writes, access.wide)
        if access.acquires:
            self.flags.take_in(hit.lanes, access.wide)

    def _conflict(
        self, detector: RaceDetector, done: Accessed, touched: Touched
    ) -> Conflict | None:
        """What an access races with."""
        cells, lane, epoch, stamps = touched
        access, hit, kind = done.access, done.hit, done.kind
        self.uncached = access.strong
        marks = COMPARED if kind == "load" and access.at in self.wave.program.swap_starts else 0
        if access.strong:
            marks = STRONG | (COMPARED if access.compares else 0) | (0 if access.wide else NARROW)
        if kind == "load":
            return detector.read(cells, lane, stamps, marks)
        # In shared memory a volatile store is strong past a fence only: volatile alone, the way of
        # warp-synchronous code, puts nothing in order.
        if access.strong and (
            kind == "atomic"
            or hit.space == "global"
            or (self.flags is not None and self.flags.releases(lane, self.synced["block"] >> 32))
        ):
            return detector.strong(cells, lane, epoch, marks)
        same = np.repeat(self._unchanged, len(lane) // len(self._unchanged))
        conflict = detector.write(touched, same, lambda then: self.sites[then] == access.at)
        self._check_collisions(detector, done, touched)
        return conflict

    def _before_set_up(
        self, detector: RaceDetector, access: Access, touched: Touched
    ) -> Conflict | None:
        """Who uses an mbarrier must come after its `init`, which an arrival does not order."""
        cells, lane, epoch, _ = touched
        if access.strong:
            return detector.conflict(self._set_up[cells], lane, wrote=True)
        self._set_up[cells] = stamped(epoch, lane)
        self.findings.set_ups.add(access.at)
        return None

    def _check_collisions(self, detector: RaceDetector, done: Accessed, touched: Touched) -> None:
        """Lanes that stored to one place in one instruction: the last one's value stays."""
        cells, lane, _, stamps = touched
        # The positions whose place another lane wrote in the same epoch.
        lost = (detector.written[cells] != stamps).nonzero()[0]
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
    return reduce(np.logical_and, there)


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
                unordered = self.findings.ordering.unordered_in_cluster(
                    stamped(epoch, np.full(stride, visitor)), hosts
                )
                if unordered is not None and unordered.all():
                    self.findings.visit(at, visitor, self.wave.first_block + block, started=True)
