"""Which launch and blocks of a case are recorded to see how it went wrong; and what went wrong in a
recorded run, at which of its steps."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from ...cuda.limits import Extent
from ...machine.events import Observer
from ...machine.lanes import WARP
from ...status import headline
from ...watch.findings import HazardReport
from ...watch.observe import Kind
from ...watch.recorder import recording
from ...watch.recording import Cell, Frame, Recording, Touch

STEPS = 20_000  # instructions a wave of blocks: a recording is looked at, and somebody waits for it
FIRST_BLOCKS = (0, 1, 2, 3)
_MOST_THREADS = 128  # recorded: what went wrong is in one block

Blocks = Sequence[int | Extent]  # by number, or by blockIdx


def blocks_around(block: Extent | None, threads: int) -> Blocks:
    """The first few blocks, of so many threads each; or that one, if it is none of those that are
    recorded."""
    if block is None:
        return FIRST_BLOCKS
    number, y, z = block
    warps = -(-threads // WARP)
    recorded = FIRST_BLOCKS[: max(1, _MOST_THREADS // (warps * WARP))]
    return FIRST_BLOCKS if number in recorded and not (y or z) else (block,)


def one_launch(blocks: Blocks, launch: int) -> Kind:
    """What records these blocks of one launch of several, counted from 1, or of each (0)."""
    record, numbers = recording(blocks, _MOST_THREADS), count(1)
    return lambda report: record(report) if next(numbers) == launch or not launch else Observer()


@dataclass(frozen=True)
class Mark:
    """At frame `frame`, `thread` of the recorded block at position `slot` did something wrong, as
    `text` says; `other` is the frame at which `other_thread` did what it clashes with. `cells` are
    the (memory, owner, offset, width) that it is about. `step` and `other_step` name the two."""

    frame: int
    title: str
    text: str
    slot: int = 0
    thread: int | None = None
    other: int | None = None
    other_thread: int | None = None
    cells: tuple[Cell, ...] = ()
    warning: bool = False
    step: str = "The fault"
    other_step: str = "Other thread"


def marks_of(recording: Recording, hazards: Iterable[HazardReport]) -> list[Mark]:
    """Of each hazard that came to light while the recording was made, or at its end; the others
    happened in blocks that were not recorded."""
    known = list(hazards)
    marks = [
        _mark(recording, position, known[number])
        for position, frame in enumerate(recording.frames)
        for number in frame.hazards
        if known[number].block in (None, *recording.indices)
    ]
    return sorted(marks, key=lambda mark: mark.warning)


def first_difference(
    recording: Recording, block: int, thread: int, line: int | None, values: Iterable[float]
) -> Mark | None:
    """A mark, without title and text, at the first step of a thread (both numbers are linear) on a
    line that has the most of some values; None where none was recorded, or several may be meant."""
    if block not in recording.blocks:
        return None
    slot = recording.blocks.index(block)
    number = slot * recording.stride + thread
    passed = [
        at
        for at, frame in enumerate(recording.frames)
        if frame.line == line and number in frame.threads
    ]
    wanted = {str(float(one)) for one in values}
    has = {at: len(wanted & _values(recording.frames[at], number)) for at in passed}
    if not any(has.values()) and len(has) != 1:
        return None
    return Mark(max(has, key=has.__getitem__), "", "", slot, thread, step="First difference")


def _values(frame: Frame, number: int) -> set[str]:
    """The numbers that a thread stored, loaded, received or assigned at a frame."""
    found = (one.values[one.threads == number].flat for one in frame.told)
    return {str(float(value)) for values in found for value in values}


def wrong_element(recording: Recording, name: str, offset: int, title: str, text: str) -> Mark:
    """A mark at the last store to the byte at `offset` of the array argument `name`, an element
    that turned out wrong, or at the end if there was none."""
    last = len(recording.frames) - 1
    touches = (
        (at, touch) for at in range(last, -1, -1) for touch in recording.frames[at].touches[::-1]
    )
    for position, touch in touches:
        memory = recording.memories[touch.memory]
        start = next((part.start for part in memory.parts if part.name == name), None)
        if touch.kind != "load" and start is not None and memory.space == "global":
            near = offset + start - touch.offsets
            for row in np.flatnonzero((near >= 0) & (near < touch.width))[::-1].tolist():
                slot, thread = divmod(int(touch.threads[row]), recording.stride)
                cells = (_cell(touch, row),)
                return Mark(position, title, text, slot, thread, cells=cells, step="Wrong element")
    return Mark(max(last, 0), title, text, step="The end")


def _mark(recording: Recording, position: int, hazard: HazardReport) -> Mark:
    """Where a hazard came to light, and the last step up to it at which the other thread touched
    one of the cells, on the line that the hazard names."""
    slot = recording.indices.index(tuple(hazard.block)) if hazard.block is not None else 0
    thread, other = (_linear(recording, one) for one in (hazard.thread, hazard.other_thread))
    cells = _cells(recording, position, slot, thread)
    mark = Mark(
        position,
        headline(hazard.status),
        hazard.message,
        slot,
        thread,
        None,
        other,
        cells[-1:] if hazard.status == "data_race" else (),
        hazard.warning,
    )
    if hazard.status == "timeout" and thread is not None:
        first = _loop(recording, slot * recording.stride + thread, hazard.line)
        return mark if first is None else replace(mark, frame=first, step="The loop")
    for at in range(position, -1, -1) if other is not None else ():
        if hazard.other_line in (None, recording.frames[at].line):
            theirs = _cells(recording, at, slot, other)
            both = tuple(one for one in cells if any(_overlap(one, their) for their in theirs))
            if both:
                mark = replace(mark, step="Second access", other_step="First access")
                return replace(mark, other=at, cells=both)
    return mark


def _loop(recording: Recording, number: int, line: int | None) -> int | None:
    """The frame at which a thread enters the loop at a line that it is in at the end: from there on
    it passes no other lines than in the last round. None where it is not seen to come round."""
    passed = [at for at, frame in enumerate(recording.frames) if number in frame.threads]
    rounds = [at for at in passed if recording.frames[at].line == line]
    if len(rounds) < 2:
        return None
    inside = {recording.frames[at].line for at in passed if at >= rounds[-2]}
    before = (at for at in reversed(passed) if recording.frames[at].line not in inside)
    outside = next(before, -1)
    return next(at for at in passed if at > outside)


def _cells(recording: Recording, at: int, slot: int, thread: int | None) -> tuple[Cell, ...]:
    """What a thread touches at a frame."""
    number = slot * recording.stride + (thread or 0)
    touches = recording.frames[at].touches if thread is not None else ()
    return tuple(
        _cell(touch, row)
        for touch in touches
        for row in np.flatnonzero(touch.threads == number).tolist()
    )


def _cell(touch: Touch, row: int) -> Cell:
    return touch.memory, int(touch.owner[row]), int(touch.offsets[row]), touch.width


def _overlap(one: Cell, other: Cell) -> bool:
    (memory, owner, start, width), (its_memory, its_owner, its_start, its_width) = one, other
    if (memory, owner) != (its_memory, its_owner):
        return False
    return start < its_start + its_width and its_start < start + width


def _linear(recording: Recording, thread: Extent | None) -> int | None:
    if thread is None:
        return None
    x, y, z = (int(one) for one in thread)
    return x + recording.block[0] * (y + recording.block[1] * z)
