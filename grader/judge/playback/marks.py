"""Which launch and blocks of a case are recorded to see how it went wrong; and what went wrong in a
recorded run, at which of its steps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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


Row = tuple[Touch, int]  # an access, and the place of a thread in it


@dataclass(frozen=True)
class Mark:
    """At frame `frame`, `thread` of the recorded block at position `slot` did something wrong, as
    `text` says; `other` is the frame at which `other_thread` did what it clashes with. `cells` are
    the (memory, owner, offset, width) that it is about."""

    frame: int
    title: str
    text: str
    slot: int = 0
    thread: int | None = None
    other: int | None = None
    other_thread: int | None = None
    cells: tuple[Cell, ...] = ()
    warning: bool = False


def marks_of(recording: Recording, hazards: Iterable[HazardReport]) -> list[Mark]:
    """Of each hazard that came to light while the recording was made, or at its end; the others
    happened in blocks that were not recorded."""
    found = []
    known = list(hazards)
    for position, frame in enumerate(recording.frames):
        for number in frame.hazards:
            if mark := _mark(recording, position, known[number]):
                found.append(mark)
    return sorted(found, key=lambda mark: mark.warning)


def stores_to(recording: Recording, name: str, offset: int) -> list[tuple[int, Touch, int]]:
    """Where the byte at `offset` of the array argument `name` was written: frame, access, row."""
    found = []
    for position, frame in enumerate(recording.frames):
        for touch in frame.touches:
            memory = recording.memories[touch.memory]
            start = next((part.start for part in memory.parts if part.name == name), None)
            if touch.kind == "load" or start is None or memory.space != "global":
                continue
            near = offset + start - touch.offsets
            rows = np.flatnonzero((near >= 0) & (near < touch.width))
            found += [(position, touch, int(row)) for row in rows]
    return found


def wrong_element(recording: Recording, name: str, offset: int, title: str, text: str) -> Mark:
    """A mark at the last store to an element that turned out wrong, or at the end if there was
    none."""
    stores = stores_to(recording, name, offset)
    if not stores:
        return Mark(max(len(recording.frames) - 1, 0), title, text)
    position, touch, row = stores[-1]
    slot, thread = divmod(int(touch.threads[row]), recording.stride)
    cell = touch.memory, int(touch.owner[row]), int(touch.offsets[row]), touch.width
    return Mark(position, title, text, slot, thread, cells=(cell,))


def _mark(recording: Recording, position: int, hazard: HazardReport) -> Mark | None:
    if hazard.block is not None and tuple(hazard.block) not in recording.indices:
        return None
    slot = recording.indices.index(tuple(hazard.block)) if hazard.block is not None else 0
    thread, other = (_linear(recording, one) for one in (hazard.thread, hazard.other_thread))
    touches = _of(recording, recording.frames[position], slot, thread)
    cells = tuple(_cell(touch, row) for touch, row in touches)
    clash = None
    if other is not None:
        clash = _clash(recording, position, slot, hazard, other, cells)
    position_of_other, cells = clash or (None, cells if hazard.status == "data_race" else ())
    if clash is None and len(cells) > 1:
        cells = cells[-1:]
    return Mark(
        position,
        headline(hazard.status),
        hazard.message,
        slot,
        thread,
        position_of_other,
        other,
        cells,
        hazard.warning,
    )


def _clash(
    recording: Recording,
    position: int,
    slot: int,
    hazard: HazardReport,
    other: int,
    cells: tuple[Cell, ...],
) -> tuple[int, tuple[Cell, ...]] | None:
    """The last step up to this one at which the other thread touched one of the cells, on the line
    that the hazard names; and the cells that both touched."""
    for at in range(position, -1, -1):
        frame = recording.frames[at]
        if hazard.other_line not in (None, frame.line):
            continue
        theirs = [_cell(*pair) for pair in _of(recording, frame, slot, other)]
        both = tuple(one for one in cells if any(_overlap(one, their) for their in theirs))
        if both:
            return at, both
    return None


def _of(recording: Recording, frame: Frame, slot: int, thread: int | None) -> list[Row]:
    """The accesses of a thread at a step, each with its row."""
    if thread is None:
        return []
    number = slot * recording.stride + thread
    return [
        (touch, int(row))
        for touch in frame.touches
        for row in np.flatnonzero(touch.threads == number)
    ]


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
