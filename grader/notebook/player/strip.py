"""A few steps of a recording as text, for pages in which no script runs."""

from __future__ import annotations

from html import escape

import numpy as np

from grader.counted import counted
from grader.cuda.sanitize import lines_of, visible
from grader.cuda.simulator.engine.lanes import WARP
from grader.cuda.simulator.observers.recording import AT_BARRIER, AT_WARP, GONE, Frame, Recording

from ..html import FRAME, MUTED, Page
from .marks import Mark
from .words import sentence

FRAMES = 6
_ROWS = 8  # warps of a frame
ACTIVE, APART, STANDS_BY, WAITS, LEFT = "●○·‖✕"
KEY = f"{ACTIVE} runs   {APART} its warp runs without it   {STANDS_BY} stands by   "
KEY += f"{WAITS} waits   {LEFT} has left"


def strip(recording: Recording, found: list[Mark], opened: int) -> Page:
    """The steps that matter most of the block that the player opens with, one below the other."""
    slot = next((mark.slot for mark in found), 0)
    chosen = _chosen(recording, found, opened, slot)
    told = {mark.frame: mark for mark in reversed(found)}
    texts = [_frame(recording, at, slot, told.get(at)) for at in chosen]
    block = _short(recording.indices[slot]) if recording.indices else "0"
    head = (
        f"{recording.kernel}: {len(chosen)} of {counted(recording.steps, 'step')} of block {block}"
    )
    html = "".join(f'<pre style="{FRAME}">{escape(text)}</pre>' for text in texts)
    key = f'<div style="color: {MUTED}">{escape(head)} &#160; {escape(KEY)}</div>'
    return Page(key + html, "\n\n".join([f"{head}\n{KEY}", *texts]))


def lanes(recording: Recording, frame: Frame, slot: int) -> list[str]:
    """What each thread of a block is at, a row for each warp."""
    stride = recording.stride
    state = frame.state[slot * stride : (slot + 1) * stride]
    running = np.zeros(stride, bool)
    running[frame.threads[frame.threads // stride == slot] % stride] = True
    signs = np.full(stride, STANDS_BY, "U1")
    signs[running.reshape(-1, WARP).any(axis=1).repeat(WARP)] = APART
    signs[(state == AT_BARRIER) | (state == AT_WARP)] = WAITS
    signs[state == GONE] = LEFT
    signs[running] = ACTIVE
    rows = signs.view(f"U{WARP}").tolist()
    if last := recording.threads % WARP:
        rows[-1] = rows[-1][:last]
    return rows


def _chosen(recording: Recording, found: list[Mark], opened: int, slot: int) -> list[int]:
    """Positions of the frames to show: what went wrong and what it clashed with, the one that the
    player opens with and those before it; else those of accesses, spread over the run."""
    wanted = [at for mark in found if mark.slot == slot for at in (mark.frame, mark.other)]
    chosen = dict.fromkeys([at for at in wanted if at is not None][:4])
    acting = [at for at, frame in enumerate(recording.frames) if _tells(recording, frame, slot)]
    if found:
        near = [at for at in acting if at < opened][::-1]
    else:
        every = max(1, -(-len(acting) // FRAMES))
        near = acting[::every]
    for at in near:
        if len(chosen) < FRAMES:
            chosen[at] = None
    return sorted(chosen)


def _tells(recording: Recording, frame: Frame, slot: int) -> bool:
    mine = (frame.threads // recording.stride == slot).any()
    return bool(mine and (frame.touches or frame.shuffles or frame.passed))


def _frame(recording: Recording, at: int, slot: int, mark: Mark | None) -> str:
    frame, source = recording.frames[at], lines_of(recording.source)
    code = source[frame.line - 1].strip() if 0 < frame.line <= len(source) else ""
    rows = lanes(recording, frame, slot)
    shown = [f"  warp {number:<3} {row}" for number, row in enumerate(rows[:_ROWS])]
    if len(rows) > _ROWS:
        shown.append(f"  and {counted(len(rows) - _ROWS, 'more warp')}")
    said = sentence(recording, frame, slot)
    wrong = [f"✗ {mark.title}: {mark.text}"] if mark else []
    head = f"step {frame.number + 1} of {recording.steps}   {frame.line:>3} | {visible(code)}"
    return "\n".join([head, *shown, *([said] if said else []), *wrong])


def _short(index: tuple[int, int, int]) -> str:
    x, y, z = index
    return str(x) if not (y or z) else f"({x}, {y}, {z})"
