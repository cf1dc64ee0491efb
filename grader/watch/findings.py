"""Findings: what is wrong, or doubtful, in a run, as data. `grader.say` has the sentences.

Where something happened: the thread, the line, and the calls that lead there.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache, partial
from typing import Any, ClassVar, Protocol

import msgspec
import numpy as np

from ..cuda.errors import (
    BarrierDivergence,
    ConstWrite,
    CudaError,
    DataRace,
    Index,
    Message,
    Misaligned,
    OutOfBounds,
    ShuffleDivergence,
    StepLimit,
    UninitializedRead,
)
from ..machine.memory.access import Access, ErrorReport, Hit
from ..machine.memory.spaces import Fault, Store
from ..machine.wave import Wave
from ..ptx.flow import reaches, repeats


class HazardReport(msgspec.Struct, frozen=True):
    """A finding as it is shown: in words, and where. None where something is unknown."""

    status: str  # the verdict's word for it
    parts: Message
    kernel: str
    line: int | None  # from 1, in the learner's source
    other_line: int | None = None
    block: Index | None = None
    thread: Index | None = None
    other_thread: Index | None = None
    warning: bool = False  # doubtful, not wrong

    @property
    def message(self) -> str:
        """All that it says."""
        return str(self.parts)


class ThreadAtLine(msgspec.Struct, frozen=True):
    """A thread of a launch at a line of the source."""

    line: int | None
    calls: tuple[int, ...]  # lines of the calls that lead there, innermost first
    block: Index
    thread: Index
    repeats: bool  # a thread may come to the instruction again


class Location(ThreadAtLine, frozen=True):
    """A thread at an instruction of a launch."""

    at: int  # index of the instruction
    lane: int  # the thread's, in its wave
    kernel: str  # as the source calls it
    between: tuple[int, int]  # the lines of what stands before and after it; 0: nothing does


class Bytes(msgspec.Struct, frozen=True):
    """What an access touches in a memory."""

    space: str  # "global", "shared" or "local"
    store: Store
    address: int  # in global memory absolute, else from the start of the thread's own
    width: int  # in bytes
    line: int | None  # of the source, where the access stands


class Finding(msgspec.Struct, frozen=True):
    """Something that a thread does wrong."""

    where: Location
    partner: ClassVar[str] = ""  # its field with a line, of another access or a copy

    @property
    def raised(self) -> type[CudaError]:
        """The exception that is raised for it."""
        return RAISED[type(self)]


class MachineFault(Finding, frozen=True):
    """What the machine, or an instruction, finds wrong."""

    raised: type[CudaError]
    fault: str  # its name in `say.machine_faults`
    facts: dict[str, Any]  # what its sentence needs


class GoneAround(Finding, frozen=True):
    """A thread waits at a barrier that another of its block can come to no more."""

    other: Finding  # what that other thread does instead


class OutOfStore(Finding, frozen=True):
    """An access that goes where it must not."""

    fault: Fault
    verb: str  # what the access does: "reads", "writes", "updates"
    size: int  # bytes of the access
    copied: bool  # the compiler made the access, of a call or of one assignment


class MisalignedAccess(Finding, frozen=True):
    """An address that is no multiple of the access's size."""

    verb: str
    width: int  # bytes of the access
    touched: Bytes | None  # the first byte, where it lies in some memory
    alike: int  # by how many bytes all threads of the warp miss a multiple; 0 if they differ


class ReadOnlyWrite(Finding, frozen=True):
    """A write to what must not be written."""

    touched: Bytes
    constant: bool  # for it is declared so


class EndlessLoop(Finding, frozen=True):
    """A loop that is proved never to end."""

    runs: Counter[tuple[int, int]]  # by straight run (first, last instruction): how often in it
    awaited: Bytes | None  # what is waited for; None: the thread waits for nobody
    # Of an mbarrier, the arrivals and the bytes that lack, and how many arrivals each phase has.
    missing: tuple[int, int, int] | None


class UnwrittenRead(Finding, frozen=True):
    """A read of what nobody has written."""

    verb: str
    touched: Bytes
    use: Location | None  # where a value that was followed comes to matter
    # One on its way there: who issued it, and the groups that its thread has committed since, with
    # its own (None: an mbarrier is told of it); the line of the thread's last wait for groups, how
    # many these groups were then, and how many it let continue.
    copy: tuple[Location, int | None, tuple[int | None, int, int]] | None


class NeverSet(Finding, frozen=True):
    """A computation with a variable that never got a value."""

    use: Location  # where the result comes to matter
    needed: int | None  # the line there


class TwoBarriers(Finding, frozen=True):
    """A barrier while others of the block wait at another one."""

    other_line: int | None  # where those wait


class UnnamedLane(Finding, frozen=True):
    """A warp-wide operation by a lane that its own mask does not name."""

    mask: int


class DifferentMasks(Finding, frozen=True):
    """A warp-wide operation by two lanes that pass different masks."""

    mask: int
    other: int  # the other lane, in its warp
    other_mask: int


class AbsentSource(Finding, frozen=True):
    """A shuffle from a lane that takes no part."""

    source: int  # the lane, in its warp
    reason: str  # why, a key of `say.machine_faults.ABSENT`
    mask: int  # of the shuffle
    left: bool  # it has left the kernel


class Visit(Finding, frozen=True):
    """An access to the shared memory of a block that may not be there."""

    host: Index  # the block
    started: bool  # it may be gone; else it may not have begun


class UnfencedRead(Finding, frozen=True):
    """A read by a copy engine or a tensor core of what an ordinary store wrote, without a proxy
    fence in between."""

    touched: Bytes
    writer: Location
    partner = "writer"


class UnwaitedCopy(Finding, frozen=True):
    """A use of memory that a bulk copy or a product still reads, or has not written yet."""

    issued: Location
    touched: Bytes | None  # None: the thread leaves the kernel, which may do no harm
    verb: str  # what the thread does: "reads", "writes", "updates"
    # "product", "counted" (an mbarrier is told of the copy) or "grouped" (it is in a group).
    kind: str
    partner = "issued"


class NoRegisterFence(Finding, frozen=True):
    """A `wgmma` whose registers were used, or that is the first, with no `wgmma.fence` since."""


class EarlyUse(Finding, frozen=True):
    """A use of registers that a `wgmma` still works on."""

    product: int | None  # its line
    committed: bool  # it belongs to a group that could be waited for


class PartOfGroup(Finding, frozen=True):
    """What not all four warps of a warpgroup have executed equally often."""

    name: str  # of the instruction
    counts: tuple[int, ...]  # by warp


class RacingAccess(ThreadAtLine, frozen=True):
    """One of the two accesses of a race."""

    wrote: bool
    reads: bool  # the instruction reads memory
    atomic: bool
    volatile: bool
    unfinished: str  # "copy" or "product", some time after its issue; an mbarrier's "set-up"; ""


class Fence(msgspec.Struct, frozen=True):
    """A fence that a thread has passed."""

    line: int | None
    wide: bool  # for the whole device, not for the block alone


class Signal(msgspec.Struct, frozen=True):
    """How one thread of a race, or of its block, has told another that something is done."""

    post: int | None  # the line that tells
    sight: int | None  # the line that sees it
    poster: Index  # who tells
    seer: Index  # who sees
    posted_itself: bool  # the poster made the earlier access
    seen_itself: bool  # the seer makes the later access
    ordering: tuple[Fence, ...]  # fences that put the earlier access before the post
    before: tuple[Fence, ...]  # the poster's fences before the post
    after: tuple[Fence, ...]  # and after it
    waited: bool  # the poster has met its block between the earlier access and the post
    fenced: tuple[Fence, ...]  # the seer's fences since
    met: bool  # who makes the later access has met its block since


class Evidence(msgspec.Struct, frozen=True):
    """What a launch and its program show of how two accesses came to meet."""

    same_instruction: bool
    same_address: bool  # the two take their address from one register
    updates: bool  # the line reads and writes the place, as `count += 1` does
    kernel_lines: tuple[int | None, int | None]  # in the function that has both, the earlier first
    apart: bool  # they stand in different functions
    may_repeat: bool  # they may be of different rounds of a loop
    took_part: bool  # the later thread, too, wrote when the earlier access was made
    wrote_since: bool  # and has written on the line since
    barriers_of_some: bool  # barriers are for some of the threads
    one_warp: bool  # blocks have one warp
    signal: Signal | None


class Race(Finding, frozen=True):
    """Two accesses to one place, at least one a write, that nothing orders."""

    partner = "other"
    verb: str
    touched: Bytes
    mine: RacingAccess
    other: RacingAccess  # the earlier one
    same_block: bool
    same_warp: bool
    at_once: bool  # both in one instruction
    benign: bool  # both wrote the same value in it
    arguments: tuple[int, ...]  # numbers, from 1, of the array arguments that lie there
    evidence: Evidence

    @property
    def shared(self) -> bool:
        return self.touched.space == "shared"

    @property
    def between_blocks(self) -> bool:
        """The two are of different blocks, and meet in global memory."""
        return not (self.same_block or self.shared)

    @property
    def unfinished(self) -> RacingAccess | None:
        """The one of a copy, a product or a set-up that the other had to wait for."""
        return next((one for one in (self.mine, self.other) if one.unfinished), None)

    @property
    def both_wrote(self) -> bool:
        return self.mine.wrote and self.other.wrote

    @property
    def same_line(self) -> bool:
        return self.mine.line == self.other.line


# The exception that is raised for each kind of finding.
RAISED: dict[type[Finding], type[CudaError]] = {
    GoneAround: BarrierDivergence,
    OutOfStore: OutOfBounds,
    MisalignedAccess: Misaligned,
    ReadOnlyWrite: ConstWrite,
    EndlessLoop: StepLimit,
    UnwrittenRead: UninitializedRead,
    NeverSet: UninitializedRead,
    TwoBarriers: BarrierDivergence,
    UnnamedLane: ShuffleDivergence,
    DifferentMasks: ShuffleDivergence,
    AbsentSource: ShuffleDivergence,
    Visit: DataRace,
    UnfencedRead: DataRace,
    UnwaitedCopy: DataRace,
    NoRegisterFence: DataRace,
    EarlyUse: UninitializedRead,
    PartOfGroup: ShuffleDivergence,
    Race: DataRace,
}


class Whereabouts:
    """Says of a wave's lanes and instructions which threads and lines they are."""

    def __init__(self, wave: Wave):
        self.wave, self.code = wave, wave.kernel.instructions
        self.repeats = cache(partial(repeats, wave.kernel))

    def location(self, at: int, lane: int) -> Location:
        """The thread in a lane, which stands at an instruction now."""
        wave, geometry = self.wave, self.wave.geometry
        # What was not inlined is known for the thread in this lane, now.
        calls = self.wave.calls
        sites = (
            self.code[int(calls.sites[level][lane])]
            for level in reversed(range(int(calls.depth[lane])))
        )
        return Location(
            self.line(at),
            (
                *self.code[at].callers,
                *(line for site in sites for line in (site.line, *site.callers) if line),
            ),
            geometry.block_coordinates(wave.first_block + int(lane) // geometry.stride),
            geometry.thread(lane),
            self.repeats(at),
            at,
            lane,
            wave.names.kernel,
            self._around(at),
        )

    def bytes(self, space: str, store: Store, address: int, width: int, at: int) -> Bytes:
        """What the instruction at `at` touches."""
        return Bytes(space, store, address, width, self.line(at))

    def line(self, at: int) -> int | None:
        """The learner's line. A loop that NVRTC makes of a copy has none in its line table: then
        the only `memset`, `memcpy` or `memmove` that stands where it can be."""
        if line := self.code[at].line:
            return line
        first, last = self._around(at)
        source = self.wave.names.source.splitlines()[first - 1 : last] if first else []
        copies = [
            number
            for number, text in enumerate(source, first)
            if re.search(r"\bmem(set|cpy|move)\s*\(", text)
        ]
        return copies[0] if len(copies) == 1 else None

    def waiting(self, at: int, lane: int) -> Location | None:
        """A thread that waits at a barrier which the one in `lane`, of its block, cannot come to
        any more."""
        wave = self.wave
        block, calls = lane // wave.geometry.stride, wave.calls
        in_function = wave.linked.owner[at] != wave.kernel.name and calls.depth[lane]
        start = int(calls.sites[0][lane]) if in_function else at  # in the kernel itself
        for barrier, groups in wave.barriers.parked.items():
            # Not at one for some of the threads only.
            for waits_at, index in groups if wave.barriers.asked.get(barrier) is None else ():
                here = index[wave.geometry.block_of_lane[index] == block]
                if len(here) and not reaches(wave.kernel, start, waits_at):
                    return self.location(waits_at, int(here[0]))
        return None

    def _around(self, at: int) -> tuple[int, int]:
        """The lines of what comes before and after an instruction; 0: there are none."""
        owner = self.wave.linked.owner

        def nearest(places: Iterable[int]) -> int:
            return next(
                (
                    line
                    for place in places
                    if owner[place] == owner[at] and (line := self.code[place].line)
                ),
                0,
            )

        around = nearest(reversed(range(at))), nearest(range(at, len(self.code)))
        return min(around), max(around)


def bytes_of(access: Access, hit: Hit, component: int | None = None) -> np.ndarray:
    """Where the bytes of an access, or of a component of it, lie in its memory: (lanes, bytes)."""
    first, width = (0, access.width) if component is None else (component, access.size)
    return ((hit.element + first) * access.size)[:, None] + np.arange(width)


class FindingReport(ErrorReport, Protocol):
    """Whom observers tell of what they find; the machine makes errors by it, too."""

    @property
    def wave(self) -> Wave: ...

    @property
    def here(self) -> Whereabouts: ...

    @property
    def hazards(self) -> list[HazardReport]: ...

    def add(self, finding: Finding) -> None:
        """A race has come to light, which stops nothing for now."""

    def stop(self, finding: Finding) -> None:
        """Raise what is wrong, unless that is tolerated."""

    def note(self, finding: Finding) -> None:
        """Note what a finding comes from."""
