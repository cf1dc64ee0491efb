"""A few steps of a launch as text: what a page shows of a run where no script plays it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Annotated

import numpy as np
from msgspec import Meta

from ...machine.lanes import WARP
from ...watch.recording import AT_BARRIER, AT_WARP, GONE, Frame, Recording
from .marks import Mark
from .sentences import sentence

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
            f"it, `{STANDS_BY}` stands by, `{WAITS}` waits, `{LEFT}` has left."
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
    shown = _folded(rows)[:MOST_ROWS]
    more = len(rows) - 1 - shown[-1].last
    said = sentence(recording, frame, slot)
    return Step(frame.number, frame.line, tuple(shown), more, said, wrong)


def _folded(rows: list[str]) -> list[Warps]:
    """Rows, one a warp, with neighbours that are alike in one."""
    found: list[Warps] = []
    for alike, group in groupby(range(len(rows)), rows.__getitem__):
        first, *rest = group
        found.append(Warps(first, [first, *rest][-1], alike))
    return found


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
    chosen = dict.fromkeys([at for at in wanted if at is not None][:4])
    acting = [at for at, frame in enumerate(recording.frames) if _tells(recording, frame, slot)]
    if found:
        near = [at for at in acting if at < found[0].frame][::-1]
    else:
        every = max(1, -(-len(acting) // MOST_STEPS))
        near = acting[::every]
    for at in near:
        if len(chosen) < MOST_STEPS:
            chosen[at] = None
    return sorted(chosen)


def _tells(recording: Recording, frame: Frame, slot: int) -> bool:
    mine = (frame.threads // recording.stride == slot).any()
    return bool(mine and (frame.touches or frame.shuffles or frame.passed))
