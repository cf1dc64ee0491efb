"""Elements of memory as a learner writes them: `tile[3]`, `tile[2][5]`, `x[64]`."""

from __future__ import annotations

import numpy as np

from ...watch.recording import Memory, MemoryPart, Touch


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
    flat = (offset - part.start) // size
    indices = []
    for length in reversed(part.inner):
        flat, index = divmod(flat, length)
        indices.append(index)
    return part.name + "".join(f"[{index}]" for index in (flat, *reversed(indices)))


def elements(memory: Memory, touch: Touch, rows: np.ndarray) -> str:
    """What the threads at some rows of an access touch, in a few words."""
    offsets = _distinct(touch.offsets[rows])
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


def _distinct(offsets: np.ndarray) -> np.ndarray:
    """Each once, in order, as most are already."""
    return offsets if (offsets[1:] > offsets[:-1]).all() else np.unique(offsets)
