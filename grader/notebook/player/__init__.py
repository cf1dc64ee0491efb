"""A recorded launch as a page that plays it: forwards, backwards, thread by thread.

The player is a frame of its own that holds script, style and data. A frame whose page stands in
`srcdoc` needs no server, no kernel and no widget, so that it plays in a saved notebook and in a
page made of one. Below it stands the strip, a few steps as text, which the script hides; where
scripts or frames are taken out, the strip is what remains. What a step is in words, and what went
wrong at it, says `judge.playback`.
"""

import base64
import zlib
from collections.abc import Sequence
from dataclasses import asdict
from functools import cache, lru_cache
from html import escape
from importlib.resources import files

import msgspec
import numpy as np

from grader.counted import counted
from grader.cuda.errors import lines_of, visible, window
from grader.judge.playback.strip import (
    ACTIVE,
    APART,
    LEFT,
    STANDS_BY,
    WAITS,
    Mark,
    Step,
    Strip,
    sentence,
    strip_of,
)
from grader.ptx.assigned import Result
from grader.watch.recording import Frame, Memory, Recording, Touch

from ..cards import ACCENTS, BORDER, CODE_FONT, MUTED, TEXT, Page, prose, unless_escaped

HEIGHT = 620  # pixels, until the script knows better
PLAYER = "ww-player"  # the class by which pages know it
_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>{style}</style></head><body><main id="player"></main>
<script type="application/octet-stream" id="data">{data}</script><script>{script}</script>
</body></html>"""


def player(recording: Recording, marks: list[Mark], note: str = "") -> Page:
    """The recording as a page, opened at the first of its `marks`, or at its first step.
    `note` is a sentence shown with it."""
    steps = drawn(strip_of(recording, marks), recording.source)
    title = f"{recording.kernel}, step by step"
    inside = _PAGE.format(
        title=escape(title),
        style=_file("player.css"),
        data=packed(recording, marks),
        script="\n".join(
            _file(f"{name}.js") for name in ("model", "values", "memory", "views", "controls")
        ),
    )
    frame = (
        f'<iframe title="{escape(title)}" srcdoc="{escape(inside)}" width="100%" height="{HEIGHT}" '
        'style="border: 0; display: block; min-width: 0; color-scheme: normal"></iframe>'
    )
    first = f'<div style="color: {TEXT}; margin: 2px 0 4px 0">{prose(note)}</div>' if note else ""
    return Page(
        f'{first}<div class="{PLAYER}">{unless_escaped(frame)}<div>{steps.html}</div></div>',
        "\n".join(part for part in (note, steps.text) if part),
    )


@cache
def _file(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


# ---- a few steps as text, for pages in which no script runs ----

KEY = (
    f"{ACTIVE} runs   {APART} its warp runs without it   {STANDS_BY} inactive   "
    f"{WAITS} waits   {LEFT} has left"
)
_LINE = f"font-family: {CODE_FONT}; font-size: var(--jp-code-font-size, 13px); line-height: 1.4;"
_BOX = f"margin: 6px 0; padding: 6px 8px; border: 1px solid {BORDER}; color: {TEXT};"
_WARPS = f"{_LINE} margin: 4px 0; padding: 0; border: 0; color: {TEXT}; background: transparent;"
_CODE = f"{_LINE} white-space: pre-wrap; overflow-wrap: anywhere;"
_WRONG = f"color: {ACCENTS['error']}; font-weight: 600;"


def drawn(strip: Strip, source: str) -> Page:
    """The steps of a launch of `source`, one below the other: each with its line, a sign for every
    lane, and what happens in words."""
    lines = lines_of(source)
    x, y, z = strip.block
    block = f"({x}, {y}, {z})" if y or z else str(x)
    head = f"{strip.kernel}: {len(strip.steps)} of {counted(strip.of, 'step')} of block {block}"
    key = f'<div style="color: {MUTED}">{escape(head)} &#160; {escape(KEY)}</div>'
    boxes = [_box(step, strip.of, lines) for step in strip.steps]
    return Page(
        key + "".join(box.html for box in boxes),
        "\n\n".join([f"{head}\n{KEY}", *(box.text for box in boxes)]),
    )


def _box(step: Step, of: int, lines: Sequence[str]) -> Page:
    text, _ = window(lines[step.line - 1].strip() if 0 < step.line <= len(lines) else "", None)
    head = f"step {step.number + 1:,} of {of:,}   {step.line:>3} | {visible(text)}"
    warps = _warps(step)
    signs = escape("\n".join(warps))
    parts = [
        f'<div style="{_CODE}">{escape(head)}</div>',
        f'<pre style="{_WARPS}" aria-hidden="true">{signs}</pre>' if signs else "",
        f"<div>{escape(step.said)}</div>" if step.said else "",
        f'<div style="{_WRONG}">✗ {prose(step.wrong)}</div>' if step.wrong else "",
    ]
    said = [sentence for sentence in (step.said, step.wrong and f"✗ {step.wrong}") if sentence]
    return Page(f'<div style="{_BOX}">{"".join(parts)}</div>', "\n".join([head, *warps, *said]))


def _warps(step: Step) -> list[str]:
    names = [
        f"warp {some.first}" if some.first == some.last else f"warps {some.first}-{some.last}"
        for some in step.warps
    ]
    width = max(map(len, names), default=0)
    rows = [f"  {name:<{width}} {one.lanes}" for name, one in zip(names, step.warps, strict=True)]
    return [*rows, f"  and {counted(step.more, 'more warp')}"] if step.more else rows


# ---- a recording as JSON, small: what the script reads (model.js is its twin) ----

# Whole numbers travel as a list or, where they rise evenly, as {"f": first, "d": difference, "n":
# how many}; 32-bit floats as their bits; a state of all threads as value, count, value, count.

_EFFORT = 1  # of zlib's 9: beside its 6 a quarter of the time, for a fifth more bytes
Series = list[int] | dict[str, int]  # whole numbers as they travel


def packed(recording: Recording, marks: list[Mark]) -> str:
    """The recording, compressed (zlib) and as base64."""
    results: dict[Result, int] = {}
    data = {
        "kernel": recording.kernel,
        "source": [visible(line) for line in lines_of(recording.source)],
        "grid": recording.grid,
        "block": recording.block,
        "indices": recording.indices,
        "launched": recording.launched,
        "threads": recording.threads,
        "stride": recording.stride,
        "steps": recording.steps,
        "memories": [_memory(memory) for memory in recording.memories],
        "frames": [
            _frame(recording, frame, results, before)
            for before, frame in zip((None, *recording.frames), recording.frames, strict=False)
        ],
        "results": [[one.type, one.built_in, one.constant] for one in results],
        "marks": [asdict(mark) for mark in marks],
        "open": marks[0].frame if marks else 0,
    }
    return base64.b64encode(zlib.compress(msgspec.json.encode(data), _EFFORT)).decode()


def series(numbers: np.ndarray) -> Series:
    """Whole numbers (int64), written short."""
    return _series(numbers.astype(np.int64, copy=False).tobytes())


@lru_cache(1024)
def _series(raw: bytes) -> Series:
    """The same of their bytes: the same threads come again and again."""
    numbers = np.frombuffer(raw, np.int64)
    steps = np.diff(numbers)
    if len(numbers) > 2 and (steps == steps[0]).all():
        return {"f": int(numbers[0]), "d": int(steps[0]), "n": len(numbers)}
    listed: list[int] = numbers.tolist()
    return listed


def values(numbers: np.ndarray) -> list[object]:
    """Numbers as [kind, numbers]: "f" are the bits of 32-bit floats, "d" floats, "i" integers."""
    flat = numbers.reshape(-1)
    if flat.dtype.kind == "f" and flat.dtype.itemsize <= 4:
        return ["f", series(flat.astype(np.float32).view(np.uint32).astype(np.int64))]
    if flat.dtype.kind == "f":
        return ["d", [one if np.isfinite(one) else str(one) for one in flat.tolist()]]
    if flat.dtype.itemsize < 8:
        return ["i", series(flat.astype(np.int64))]
    return ["i", [one if abs(one) < 1 << 53 else str(one) for one in flat.tolist()]]


def _frame(
    recording: Recording, frame: Frame, results: dict[Result, int], before: Frame | None
) -> dict[str, object]:
    made: dict[str, object] = {
        "n": frame.number,
        "l": frame.line,
        "t": series(frame.threads),
        "say": [sentence(recording, frame, slot) for slot in range(len(recording.blocks))],
        "a": [
            [results.setdefault(one.result, len(results)), series(one.threads), values(one.values)]
            for one in frame.assigned
        ],
        "m": [_touch(touch) for touch in frame.touches],
        "s": [
            [series(one.threads), series(one.source), values(one.values)] for one in frame.shuffles
        ],
        "c": [_touch(touch) for touch in frame.caught_up],
        "b": [series(threads) for threads in frame.passed],
        "p": int(frame.parted),
    }
    if before is None or not np.array_equal(before.state, frame.state):
        made["w"] = _runs(frame.state)
    return {key: value for key, value in made.items() if value not in ([], 0) or key in "nlt"}


def _touch(touch: Touch) -> list[object]:
    where = series(touch.threads), series(touch.offsets), touch.width
    return [touch.kind[0], touch.memory, *where, values(touch.values), series(touch.owner)]


def _memory(memory: Memory) -> dict[str, object]:
    return {
        "space": memory.space,
        "parts": [
            [one.name, one.start, one.size, one.dtype.itemsize if one.dtype else 0, *one.inner]
            for one in memory.parts
        ],
        "phase": memory.phase,
    }


def _runs(state: np.ndarray) -> list[int]:
    starts = np.concatenate([[0], np.flatnonzero(np.diff(state)) + 1])
    counts = np.diff(np.append(starts, len(state)))
    runs: list[int] = np.stack([state[starts], counts], axis=1).reshape(-1).tolist()
    return runs
