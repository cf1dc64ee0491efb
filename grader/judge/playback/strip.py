"""A few steps of a launch as text: what a page shows of a run where no script plays it; and a
sentence or two about each step, the text twin of the player's pictures. Elements are named as a
learner writes them: `tile[3]`, `tile[2][5]`, `x[64]`.

Which launch and blocks of a case are recorded to see how it went wrong; and what went wrong in a
recorded run, at which of its steps.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, groupby
from math import prod
from typing import Annotated, SupportsFloat

import numpy as np
from msgspec import Meta

from ...cuda.limits import WARP, Extent
from ...errors import counted
from ...machine.events import Observer
from ...status import headline
from ...watch.findings import HazardReport
from ...watch.observe import Kind
from ...watch.recording import (
    AT_BARRIER,
    AT_WARP,
    GONE,
    Cell,
    Frame,
    Memory,
    MemoryPart,
    Recording,
    Touch,
    recording,
)

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
    recorded = FIRST_BLOCKS[: max(1, _MOST_THREADS // (-(-threads // WARP) * WARP))]
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
    return sorted(
        (
            _mark(recording, position, known[number])
            for position, frame in enumerate(recording.frames)
            for number in frame.hazards
            if known[number].block in (None, *recording.indices)
        ),
        key=lambda mark: mark.warning,
    )


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
    has = {  # of the numbers that the thread stored, loaded, received or assigned there
        at: len(
            wanted
            & {
                str(float(value))
                for one in recording.frames[at].told
                for value in one.values[one.threads == number].flat
            }
        )
        for at in passed
    }
    return (
        None
        if not any(has.values()) and len(has) != 1
        else Mark(max(has, key=has.__getitem__), "", "", slot, thread, step="First difference")
    )


def wrong_element(recording: Recording, name: str, offset: int, title: str, text: str) -> Mark:
    """A mark at the last store to the byte at `offset` of the array argument `name`, an element
    that turned out wrong, or at the end if there was none."""
    last = len(recording.frames) - 1
    for position, touch in (
        (at, touch) for at in range(last, -1, -1) for touch in recording.frames[at].touches[::-1]
    ):
        memory = recording.memories[touch.memory]
        start = next((part.start for part in memory.parts if part.name == name), None)
        if touch.kind != "load" and start is not None and memory.space == "global":
            near = offset + start - touch.offsets
            for row in np.flatnonzero((near >= 0) & (near < touch.width))[::-1].tolist():
                slot, thread = divmod(int(touch.threads[row]), recording.stride)
                return Mark(
                    position,
                    title,
                    text,
                    slot,
                    thread,
                    cells=(_cell(touch, row),),
                    step="Wrong element",
                )
    return Mark(max(last, 0), title, text, step="The end")


def _mark(recording: Recording, position: int, hazard: HazardReport) -> Mark:
    """Where a hazard came to light, and the last step up to it at which the other thread touched
    one of the cells, on the line that the hazard names."""
    slot = recording.indices.index(tuple(hazard.block)) if hazard.block is not None else 0
    thread, other = (
        None
        if one is None
        else int(np.ravel_multi_index(one[::-1], recording.block[::-1], mode="clip"))
        for one in (hazard.thread, hazard.other_thread)
    )
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
            if both := tuple(one for one in cells if any(_overlap(one, their) for their in theirs)):
                return replace(
                    mark, step="Second access", other_step="First access", other=at, cells=both
                )
    return mark


def _loop(recording: Recording, number: int, line: int | None) -> int | None:
    """The frame at which a thread enters the loop at a line that it is in at the end: from there on
    it passes no other lines than in the last round. None where it is not seen to come round."""
    passed = [at for at, frame in enumerate(recording.frames) if number in frame.threads]
    rounds = [at for at in passed if recording.frames[at].line == line]
    if len(rounds) < 2:
        return None
    inside = {recording.frames[at].line for at in passed if at >= rounds[-2]}
    outside = next((at for at in reversed(passed) if recording.frames[at].line not in inside), -1)
    return next(at for at in passed if at > outside)


def _cells(recording: Recording, at: int, slot: int, thread: int | None) -> tuple[Cell, ...]:
    """What a thread touches at a frame."""
    number = slot * recording.stride + (thread or 0)
    return tuple(
        _cell(touch, row)
        for touch in (recording.frames[at].touches if thread is not None else ())
        for row in np.flatnonzero(touch.threads == number).tolist()
    )


def _cell(touch: Touch, row: int) -> Cell:
    return touch.memory, int(touch.owner[row]), int(touch.offsets[row]), touch.width


def _overlap(one: Cell, other: Cell) -> bool:
    (memory, owner, start, width), (its_memory, its_owner, its_start, its_width) = one, other
    return (memory, owner) == (its_memory, its_owner) and (
        start < its_start + its_width and its_start < start + width
    )


MOST_STEPS = 6
MOST_ROWS = 8  # of a step
ACTIVE, APART, STANDS_BY, WAITS, LEFT = SIGNS = "●○·‖✕"


@dataclass(frozen=True)
class Warps:
    """Neighbouring warps whose lanes are in the same state."""

    first: Annotated[int, Meta(description="The number of the first, from 0.")]
    last: Annotated[int, Meta(description="The number of the last.")]
    lanes: Annotated[
        str,
        Meta(
            description=f"A sign for each lane: `{ACTIVE}` runs, `{APART}` its warp runs without "
            f"it, `{STANDS_BY}` is inactive, `{WAITS}` waits, `{LEFT}` has left."
        ),
    ]


@dataclass(frozen=True)
class Step:
    """A stretch of instructions of one source line that the same threads pass together."""

    number: Annotated[int, Meta(description="Its number, from 0.")]
    line: Annotated[int, Meta(description="Its source line, from 1; 0 if it has none.")]
    warps: Annotated[tuple[Warps, ...], Meta(description="The block's warps, from the first on.")]
    more: Annotated[int, Meta(description="How many warps there are beyond these.")]
    said: Annotated[str, Meta(description="The event, in a sentence or two.")]
    wrong: Annotated[str, Meta(description="The fault at this step; empty if there is none.")] = ""


@dataclass(frozen=True)
class Strip:
    """A few steps of one block of a launch: those that lead to the fault."""

    kernel: Annotated[str, Meta(description="The kernel's name.")]
    block: Annotated[tuple[int, int, int], Meta(description="The block's blockIdx.")]
    of: Annotated[int, Meta(description="How many steps the recording has.")]
    steps: Annotated[tuple[Step, ...], Meta(description="The steps, in order.")]


def strip_of(recording: Recording, found: list[Mark]) -> Strip:
    """The steps that matter most of the block in which the first of the marks is, or of the first
    block."""
    slot = next((mark.slot for mark in found), 0)
    told = {mark.frame: f"{mark.title}: {mark.text}" for mark in reversed(found)}
    return Strip(
        recording.kernel,
        recording.indices[slot] if recording.indices else (0, 0, 0),
        recording.steps,
        tuple(
            _step(recording, recording.frames[at], slot, told.get(at, ""))
            for at in _chosen(recording, found, slot)
        ),
    )


def _step(recording: Recording, frame: Frame, slot: int, wrong: str) -> Step:
    rows = lanes(recording, frame, slot)
    groups = [(signs, list(some)) for signs, some in groupby(range(len(rows)), rows.__getitem__)]
    shown = [Warps(alike[0], alike[-1], signs) for signs, alike in groups[:MOST_ROWS]]
    return Step(
        number=frame.number,
        line=frame.line,
        warps=tuple(shown),
        more=len(rows) - 1 - shown[-1].last,
        said=sentence(recording, frame, slot),
        wrong=wrong,
    )


def lanes(recording: Recording, frame: Frame, slot: int) -> list[str]:
    """What each thread of a block is at, a row of signs for each warp."""
    stride = recording.stride
    state = frame.state[slot * stride : (slot + 1) * stride]
    running = np.zeros(stride, bool)
    running[frame.threads[frame.threads // stride == slot] % stride] = True
    signs = np.full(stride, STANDS_BY, "U1")
    signs[running.reshape(-1, WARP).any(axis=1).repeat(WARP)] = APART
    signs[(state == AT_BARRIER) | (state == AT_WARP)] = WAITS
    signs[state == GONE] = LEFT
    signs[running] = ACTIVE
    rows: list[str] = signs.view(f"U{WARP}").tolist()
    if last := recording.threads % WARP:
        rows[-1] = rows[-1][:last]
    return rows


def _chosen(recording: Recording, found: list[Mark], slot: int) -> list[int]:
    """Positions of the frames to show: what went wrong and what it clashed with, and those before
    it; else those of accesses, spread over the run."""
    wanted = [at for mark in found if mark.slot == slot for at in (mark.frame, mark.other)]
    first = [at for at in wanted if at is not None][:4]
    acting = [
        at
        for at, frame in enumerate(recording.frames)
        if (frame.threads // recording.stride == slot).any()
        and (frame.touches or frame.shuffles or frame.passed)
    ]
    every = max(1, -(-len(acting) // MOST_STEPS))
    near = [at for at in acting if at < found[0].frame][::-1] if found else acting[::every]
    return sorted(list(dict.fromkeys([*first, *near]))[:MOST_STEPS])


def part_at(memory: Memory, offset: int) -> MemoryPart | None:
    """The variable or array that a byte offset lies in: of several, the first."""
    return next(
        (part for part in memory.parts if part.start <= offset < part.start + part.size), None
    )


def element(memory: Memory, offset: int, width: int) -> str:
    """The element at a byte offset, of which `width` bytes are touched."""
    part = part_at(memory, offset)
    if part is None:
        return f"byte {offset}"
    size = part.dtype.itemsize if part.dtype is not None else width
    if part.size <= size and not part.inner:
        return part.name
    first, rest = divmod((offset - part.start) // size, prod(part.inner))
    return part.name + "".join(
        f"[{index}]" for index in (first, *np.unravel_index(rest, part.inner))
    )


def elements(memory: Memory, touch: Touch, rows: np.ndarray) -> str:
    """What the threads at some rows of an access touch, in a few words."""
    offsets = touch.offsets[rows]
    offsets = offsets if (offsets[1:] > offsets[:-1]).all() else np.unique(offsets)
    first, last = int(offsets[0]), int(offsets[-1])
    names = [element(memory, offset, touch.width) for offset in (first, last)]
    if len(offsets) == 1:
        return names[0]
    if len(offsets) == 2:
        return " and ".join(names)
    gaps = offsets[1:] - offsets[:-1]
    even = bool((gaps == gaps[0]).all())
    if even and gaps[0] == touch.width:
        return f"{names[0]} … {names[1]}"
    if even:
        return f"{names[0]}, {element(memory, int(offsets[1]), touch.width)}, … {names[1]}"
    part = part_at(memory, first)
    of = f" of {part.name}" if part else ""
    return f"{len(offsets)} elements{of} from {names[0]} to {names[1]}"


_RANGES = 6  # of a list that is cut
_FEW = 3  # values that are all told
_DID = {"load": "read", "store": "wrote", "atomic": "updated atomically"}


def sentence(recording: Recording, frame: Frame, slot: int) -> str:
    """What the threads of a recorded block, the one at position `slot`, do at a step; "" if none
    of them takes part."""
    mine = _own(recording, frame.threads, slot)
    if not len(mine):
        return ""
    who = (
        f"{counted(len(mine), 'thread')} ({ranges(mine)})"
        if len(mine) < recording.threads
        else f"all {counted(len(mine), 'thread')}"
        if len(mine) > 1
        else "the only thread"
    )
    touched = dict.fromkeys(
        _phrase(recording, touch, rows)
        for touch in frame.touches
        if len(rows := np.flatnonzero(touch.threads // recording.stride == slot))
    )
    did = [
        *list(touched)[:6],
        *(
            f"{one}, {times} times" if times > 1 else one
            for one, times in Counter(_shuffled(recording, frame, slot)).items()
        ),
    ]
    text = (f"Line {frame.line}, {who}" if frame.line else f"Code of no line, {who}") + (
        f": {'; '.join(did)}." if did else "."
    )
    return " ".join([text, *_turns(recording, frame, slot, mine)])


def ranges(threads: np.ndarray) -> str:
    """E.g. "0-15, 32"; long lists are cut."""
    steps = threads[1:] - threads[:-1]
    if len(threads) > 2 and steps[0] > 1 and (steps == steps[0]).all():
        return f"{threads[0]}, {threads[1]}, … {threads[-1]}"
    runs = np.split(threads, np.flatnonzero(steps != 1) + 1)
    found = [f"{one[0]}-{one[-1]}" if len(one) > 1 else f"{one[0]}" for one in runs[:_RANGES]]
    return ", ".join(found) + (", …" if len(runs) > _RANGES else "")


def _own(recording: Recording, threads: np.ndarray, slot: int) -> np.ndarray:
    """Those of a recorded block, counted within it."""
    first = slot * recording.stride
    return threads[(threads >= first) & (threads < first + recording.stride)] - first


def _phrase(recording: Recording, touch: Touch, rows: np.ndarray) -> str:
    memory = recording.memories[touch.memory]
    return (
        f"{_DID[touch.kind]} memory of their own"
        if memory.space == "local"
        else f"{_DID[touch.kind]} {elements(memory, touch, rows)} ({_values(touch, rows)})"
    )


def _values(touch: Touch, rows: np.ndarray) -> str:
    """What lies in the elements, in their order: all of a few, or the first two and the last."""
    offsets = touch.offsets[rows]
    if not (offsets[1:] > offsets[:-1]).all():
        rows = rows[np.unique(offsets, return_index=True)[1]]
    few = len(rows) * touch.values.shape[1] <= _FEW
    told = [shown(one) for one in touch.values[rows[:_FEW]].reshape(-1)[: _FEW if few else 2]]
    return ", ".join(told) if few else f"{', '.join(told)}, … {shown(touch.values[rows[-1], -1])}"


def _shuffled(recording: Recording, frame: Frame, slot: int) -> Iterator[str]:
    for one in frame.shuffles:
        rows = one.threads // recording.stride == slot
        moved = int(np.count_nonzero(rows & (one.source != one.threads)))
        if rows.any():
            kept = int(np.count_nonzero(rows)) - moved
            rest = f", {kept} got back {'its' if kept == 1 else 'their'} own" if kept else ""
            yield f"shuffle: {counted(moved, 'lane')} received another lane's value{rest}"


def _turns(recording: Recording, frame: Frame, slot: int, mine: np.ndarray) -> list[str]:
    """What becomes of the threads at the end of the step."""
    opened = sum(len(group) for group in [_own(recording, group, slot) for group in frame.passed])
    said = [f"The barrier opens: {counted(opened, 'thread')} go on."] if opened else []
    turns = {
        AT_BARRIER: "wait at the barrier",
        AT_WARP: "wait for the rest of their warp",
        GONE: "leave the kernel",
    }
    state = frame.state[slot * recording.stride :][mine]
    said += [
        f"{counted(number, 'thread')} {words if number > 1 else _one(words)}."
        for what, words in turns.items()
        if (number := int(np.count_nonzero(state == what)))
    ]
    if frame.parted and not said:
        said.append("Here the threads diverge.")
    return said


def _one(words: str) -> str:
    verb, _, rest = words.partition(" ")
    return f"{verb}s {rest}".replace("their", "its")


def shown(value: SupportsFloat) -> str:
    """A number with as many digits as a cell has room for."""
    return f"{float(value):.5g}" if np.asarray(value).dtype.kind == "f" else str(value)
