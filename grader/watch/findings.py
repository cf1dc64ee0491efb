"""Findings: what is wrong, or doubtful, in a run, as data. `grader.say` has the sentences."""

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

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
from ..machine.memory.spaces import Fault, Store


@dataclass(frozen=True)
class HazardReport:
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


@dataclass(frozen=True)
class Location:
    """A thread at an instruction of a launch."""

    at: int  # index of the instruction
    lane: int  # the thread's, in its wave
    kernel: str  # as the source calls it
    line: int | None  # of the source
    between: tuple[int, int]  # the lines of what stands before and after it; 0: nothing does
    calls: tuple[int, ...]  # lines of the calls that lead there, innermost first
    block: Index
    thread: Index
    repeats: bool  # a thread may come to the instruction again


@dataclass(frozen=True)
class Bytes:
    """What an access touches in a memory."""

    space: str  # "global", "shared" or "local"
    store: Store
    address: int  # in global memory absolute, else from the start of the thread's own
    width: int  # in bytes
    line: int | None  # of the source, where the access stands


@dataclass(frozen=True)
class Finding:
    """Something that a thread does wrong."""

    error: ClassVar[type[CudaError]]
    where: Location

    @property
    def raised(self) -> type[CudaError]:
        """The exception that is raised for it."""
        return self.error


@dataclass(frozen=True)
class MachineFault(Finding):
    """What the machine, or an instruction, finds wrong, and has words for."""

    kind: type[CudaError]
    predicate: str | Message  # "thread 3 of block 0 {predicate}"

    @property
    def raised(self) -> type[CudaError]:
        return self.kind


@dataclass(frozen=True)
class GoneAround(Finding):
    """A thread waits at a barrier that another of its block can come to no more."""

    error = BarrierDivergence
    other: Finding  # what that other thread does instead


@dataclass(frozen=True)
class OutOfStore(Finding):
    """An access that goes where it must not."""

    error = OutOfBounds
    fault: Fault
    verb: str  # what the access does: "reads", "writes", "updates"
    size: int  # bytes of the access
    copied: bool  # the compiler made the access, of a call or of one assignment


@dataclass(frozen=True)
class MisalignedAccess(Finding):
    """An address that is no multiple of the access's size."""

    error = Misaligned
    verb: str
    width: int  # bytes of the access
    touched: Bytes | None  # the first byte, where it lies in some memory
    alike: int  # by how many bytes all threads of the warp miss a multiple; 0 if they differ


@dataclass(frozen=True)
class ReadOnlyWrite(Finding):
    """A write to what must not be written."""

    error = ConstWrite
    touched: Bytes
    constant: bool  # for it is declared so


@dataclass(frozen=True)
class EndlessLoop(Finding):
    """A loop that is proved never to end."""

    error = StepLimit
    runs: Counter[tuple[int, int]]  # by straight run (first, last instruction): how often in it
    awaited: Bytes | None  # what is waited for; None: the thread waits for nobody


@dataclass(frozen=True)
class UnwrittenRead(Finding):
    """A read of what nobody has written."""

    error = UninitializedRead
    verb: str
    touched: Bytes
    use: Location | None  # where a value that was followed comes to matter


@dataclass(frozen=True)
class NeverSet(Finding):
    """A computation with a variable that never got a value."""

    error = UninitializedRead
    use: Location  # where the result comes to matter
    needed: int | None  # the line there


@dataclass(frozen=True)
class MissedBarrier(Finding):
    """A barrier that some threads of the block have left without."""

    error = BarrierDivergence
    missing: Message  # what the machine says of them


@dataclass(frozen=True)
class TwoBarriers(Finding):
    """A barrier while others of the block wait at another one."""

    error = BarrierDivergence
    other_line: int | None  # where those wait


@dataclass(frozen=True)
class UnnamedLane(Finding):
    """A warp-wide operation by a lane that its own mask does not name."""

    error = ShuffleDivergence
    mask: int


@dataclass(frozen=True)
class DifferentMasks(Finding):
    """A warp-wide operation by two lanes that pass different masks."""

    error = ShuffleDivergence
    mask: int
    other: int  # the other lane, in its warp
    other_mask: int


@dataclass(frozen=True)
class AbsentSource(Finding):
    """A shuffle from a lane that takes no part."""

    error = ShuffleDivergence
    source: int  # the lane, in its warp
    reason: Message  # what the machine says of it
    left: bool  # it has left the kernel


@dataclass(frozen=True)
class Visit(Finding):
    """An access to the shared memory of a block that may not be there."""

    error = DataRace
    host: Index  # the block
    started: bool  # it may be gone; else it may not have begun


@dataclass(frozen=True)
class RacingAccess:
    """One of the two accesses of a race."""

    line: int | None
    calls: tuple[int, ...]  # lines of the inlined calls that lead there, innermost first
    block: Index
    thread: Index
    wrote: bool
    reads: bool  # the instruction reads memory
    atomic: bool
    volatile: bool
    repeats: bool  # a thread may come there again


@dataclass(frozen=True)
class Fence:
    """A fence that a thread has passed."""

    line: int | None
    wide: bool  # for the whole device, not for the block alone


@dataclass(frozen=True)
class Signal:
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
    fenced: bool  # the seer has passed a fence since
    met: bool  # who makes the later access has met its block since


@dataclass(frozen=True)
class Evidence:
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


@dataclass(frozen=True)
class Race(Finding):
    """Two accesses to one place, at least one a write, that nothing orders."""

    error = DataRace
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
    def both_wrote(self) -> bool:
        return self.mine.wrote and self.other.wrote

    @property
    def same_line(self) -> bool:
        return self.mine.line == self.other.line
