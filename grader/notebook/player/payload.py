"""A recording as JSON, small: what the player's script reads (player/model.js is its twin).

Whole numbers travel as a list or, where they rise evenly, as {"f": first, "d": difference, "n":
how many}; 32-bit floats as their bits; a state of all threads as value, count, value, count.
"""

from __future__ import annotations

import base64
import zlib
from dataclasses import asdict
from functools import lru_cache

import msgspec
import numpy as np

from grader.cuda.sanitize import lines_of, visible
from grader.judge.playback.marks import Mark
from grader.judge.playback.sentences import sentence
from grader.ptx.assigned import Result
from grader.watch.recording import Frame, Memory, Recording, Touch

_EFFORT = 1  # of zlib's 9: beside its 6 a quarter of the time, for a fifth more bytes
Series = list[int] | dict[str, int]  # whole numbers as they travel


def packed(recording: Recording, found: list[Mark], opened: int) -> str:
    """The recording, compressed (zlib) and as base64, to be opened at frame `opened`."""
    text = msgspec.json.encode(payload(recording, found, opened))
    return base64.b64encode(zlib.compress(text, _EFFORT)).decode()


def payload(recording: Recording, found: list[Mark], opened: int) -> dict[str, object]:
    """The same as plain data."""
    results: dict[Result, int] = {}
    frames: list[dict[str, object]] = []
    state: np.ndarray | None = None
    for frame in recording.frames:
        frames.append(_frame(recording, frame, results, state))
        state = frame.state
    return {
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
        "frames": frames,
        "results": [[result.type, result.built_in] for result in results],
        "marks": [asdict(mark) for mark in found],
        "open": opened,
    }


def series(numbers: np.ndarray) -> Series:
    """Whole numbers (int64), written short."""
    return _series(numbers.astype(np.int64, copy=False).tobytes())


@lru_cache(1024)
def _series(raw: bytes) -> Series:
    """The same of their bytes: the same threads come again and again."""
    numbers = np.frombuffer(raw, np.int64)
    if len(numbers) > 2:
        steps = numbers[1:] - numbers[:-1]
        if (steps == steps[0]).all():
            return {"f": int(numbers[0]), "d": int(steps[0]), "n": len(numbers)}
    found: list[int] = numbers.tolist()
    return found


def values(found: np.ndarray) -> list[object]:
    """Numbers as [kind, numbers]: "f" are the bits of 32-bit floats, "d" floats, "i" integers."""
    flat = found.reshape(-1)
    if flat.dtype.kind == "f" and flat.dtype.itemsize <= 4:
        return ["f", series(flat.astype(np.float32).view(np.uint32).astype(np.int64))]
    if flat.dtype.kind == "f":
        return ["d", [one if np.isfinite(one) else str(one) for one in flat.tolist()]]
    if flat.dtype.itemsize < 8:
        return ["i", series(flat.astype(np.int64))]
    return ["i", [one if abs(one) < 1 << 53 else str(one) for one in flat.tolist()]]


def _frame(
    recording: Recording, frame: Frame, results: dict[Result, int], state: np.ndarray | None
) -> dict[str, object]:
    said = [sentence(recording, frame, slot) for slot in range(len(recording.blocks))]
    made: dict[str, object] = {
        "n": frame.number,
        "l": frame.line,
        "t": series(frame.threads),
        "say": said,
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
    if state is None or not np.array_equal(state, frame.state):
        made["w"] = _runs(frame.state)
    return {key: value for key, value in made.items() if value not in ([], 0) or key in "nlt"}


def _touch(touch: Touch) -> list[object]:
    where = series(touch.threads), series(touch.offsets), touch.width
    return [touch.kind[0], touch.memory, *where, values(touch.values), series(touch.owner)]


def _memory(memory: Memory) -> dict[str, object]:
    parts = [
        [one.name, one.start, one.size, one.dtype.itemsize if one.dtype else 0, *one.inner]
        for one in memory.parts
    ]
    return {"space": memory.space, "parts": parts, "phase": memory.phase}


def _runs(state: np.ndarray) -> list[int]:
    edges = np.flatnonzero(np.diff(state)) + 1
    starts = np.concatenate([[0], edges])
    counts = np.diff(np.concatenate([starts, [len(state)]]))
    found: list[int] = np.stack([state[starts], counts], axis=1).reshape(-1).tolist()
    return found
