"""A few steps of a launch as text: what a page shows of a run where no script plays it; and a
sentence or two about each step, the text twin of the player's pictures. Elements are named as a
learner writes them: `tile[3]`, `tile[2][5]`, `x[64]`."""

from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import Annotated, SupportsFloat

import numpy as np
from msgspec import Meta

from ...counted import counted
from ...machine.lanes import WARP
from ...watch.recording import (
    AT_BARRIER,
    AT_WARP,
    GONE,
    Frame,
    Memory,
    MemoryPart,
    Recording,
    Touch,
)
from .marks import Mark

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
    steps = tuple(
        _step(recording, recording.frames[at], slot, told.get(at, ""))
        for at in _chosen(recording, found, slot)
    )
    block = recording.indices[slot] if recording.indices else (0, 0, 0)
    return Strip(recording.kernel, block, recording.steps, steps)


def _step(recording: Recording, frame: Frame, slot: int, wrong: str) -> Step:
    rows = lanes(recording, frame, slot)
    groups = [(signs, list(some)) for signs, some in groupby(range(len(rows)), rows.__getitem__)]
    shown = [Warps(alike[0], alike[-1], signs) for signs, alike in groups[:MOST_ROWS]]
    more = len(rows) - 1 - shown[-1].last
    said = sentence(recording, frame, slot)
    return Step(frame.number, frame.line, tuple(shown), more, said, wrong)


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
    if found:
        near = [at for at in acting if at < found[0].frame][::-1]
    else:
        every = max(1, -(-len(acting) // MOST_STEPS))
        near = acting[::every]
    return sorted(list(dict.fromkeys([*first, *near]))[:MOST_STEPS])


def part_at(memory: Memory, offset: int) -> MemoryPart | None:
    """The variable or array that a byte offset lies in: of several, the first."""
    inside = (part for part in memory.parts if part.start <= offset < part.start + part.size)
    return next(inside, None)


def element(memory: Memory, offset: int, width: int) -> str:
    """The element at a byte offset, of which `width` bytes are touched."""
    part = part_at(memory, offset)
    if part is None:
        return f"byte {offset}"
    size = part.dtype.itemsize if part.dtype is not None else width
    if part.size <= size and not part.inner:
        return part.name
    first, rest = divmod((offset - part.start) // size, prod(part.inner))
    indices = (first, *np.unravel_index(rest, part.inner))
    return part.name + "".join(f"[{index}]" for index in indices)


def elements(memory: Memory, touch: Touch, rows: np.ndarray) -> str:
    """What the threads at some rows of an access touch, in a few words."""
    offsets = touch.offsets[rows]
    if not (offsets[1:] > offsets[:-1]).all():  # most are in order already
        offsets = np.unique(offsets)
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
    if len(mine) < recording.threads:
        who = f"{counted(len(mine), 'thread')} ({ranges(mine)})"
    else:
        who = f"all {counted(len(mine), 'thread')}" if len(mine) > 1 else "the only thread"
    did = [*_touched(recording, frame, slot), *_shuffled(recording, frame, slot)]
    text = f"Line {frame.line}, {who}" if frame.line else f"Code of no line, {who}"
    text += f": {'; '.join(did)}." if did else "."
    return " ".join([text, *_turns(recording, frame, slot, mine)])


def ranges(threads: np.ndarray) -> str:
    """E.g. "0-15, 32"; long lists are cut."""
    steps = threads[1:] - threads[:-1]
    if len(threads) > 2 and steps[0] > 1 and (steps == steps[0]).all():
        return f"{threads[0]}, {threads[1]}, … {threads[-1]}"
    breaks = np.flatnonzero(steps != 1)
    firsts = threads[np.concatenate([[0], breaks + 1])].tolist()
    lasts = threads[np.concatenate([breaks, [len(threads) - 1]])].tolist()
    pairs = list(zip(firsts, lasts, strict=True))
    found = [f"{first}-{last}" if last > first else f"{first}" for first, last in pairs[:_RANGES]]
    return ", ".join(found) + (", …" if len(pairs) > _RANGES else "")


def _own(recording: Recording, threads: np.ndarray, slot: int) -> np.ndarray:
    """Those of a recorded block, counted within it."""
    if len(recording.blocks) == 1:
        return threads
    first = slot * recording.stride
    return threads[(threads >= first) & (threads < first + recording.stride)] - first


def _touched(recording: Recording, frame: Frame, slot: int) -> list[str]:
    phrases = [
        _phrase(recording, touch, rows)
        for touch in frame.touches
        if len(rows := np.flatnonzero(touch.threads // recording.stride == slot))
    ]
    return list(dict.fromkeys(phrases))[:6]


def _phrase(recording: Recording, touch: Touch, rows: np.ndarray) -> str:
    memory = recording.memories[touch.memory]
    if memory.space == "local":
        return f"{_DID[touch.kind]} memory of their own"
    return f"{_DID[touch.kind]} {elements(memory, touch, rows)} ({_values(touch, rows)})"


def _values(touch: Touch, rows: np.ndarray) -> str:
    """What lies in the elements, in their order: all of a few, or the first two and the last."""
    offsets = touch.offsets[rows]
    if not (offsets[1:] > offsets[:-1]).all():
        rows = rows[np.unique(offsets, return_index=True)[1]]
    few = len(rows) * touch.values.shape[1] <= _FEW
    firsts = touch.values[rows[:_FEW]].reshape(-1)[: _FEW if few else 2]
    told = [shown(one) for one in firsts]
    return ", ".join(told) if few else f"{', '.join(told)}, … {shown(touch.values[rows[-1], -1])}"


def _shuffled(recording: Recording, frame: Frame, slot: int) -> list[str]:
    phrases = []
    for one in frame.shuffles:
        rows = one.threads // recording.stride == slot
        moved = int(np.count_nonzero(rows & (one.source != one.threads)))
        if rows.any():
            kept = int(np.count_nonzero(rows)) - moved
            rest = f", {kept} got back {'its' if kept == 1 else 'their'} own" if kept else ""
            phrases.append(f"shuffle: {counted(moved, 'lane')} received another lane's value{rest}")
    return phrases


def _turns(recording: Recording, frame: Frame, slot: int, mine: np.ndarray) -> list[str]:
    """What becomes of the threads at the end of the step."""
    passed = [_own(recording, group, slot) for group in frame.passed]
    opened = sum(len(group) for group in passed)
    said = [f"The barrier opens: {counted(opened, 'thread')} go on."] if opened else []
    state = frame.state[slot * recording.stride :][mine]
    turns = {
        AT_BARRIER: "wait at the barrier",
        AT_WARP: "wait for the rest of their warp",
        GONE: "leave the kernel",
    }
    counts = np.bincount(state, minlength=len(turns) + 1).tolist()
    said += [
        f"{counted(number, 'thread')} {words if number > 1 else _one(words)}."
        for what, words in turns.items()
        if (number := counts[what])
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
