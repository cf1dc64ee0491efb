"""Launches with everything they need, whoever runs them, and their buffers on either device."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ..course.model import Launch

Blank = tuple[tuple[int, ...], npt.DTypeLike]  # the shape and dtype of a buffer


@dataclass(frozen=True)
class Work:
    """Launches of the kernels in `source`, one after the other. A launch's string arguments name
    buffers: `inputs` are arrays, `blank` gives (shape, dtype) of those nobody has written yet;
    `begins` those that lie in a larger one, behind so many of its elements."""

    name: str
    source: str
    launches: tuple[Launch, ...]
    inputs: Mapping[str, np.ndarray] = field(default_factory=dict)
    blank: Mapping[str, Blank] = field(default_factory=dict)
    begins: Mapping[str, int] = field(default_factory=dict)


def buffers_of(
    work: Work,
    to_device: Callable[[np.ndarray], Any],
    empty: Callable[[tuple[int, ...], npt.DTypeLike], Any],
    room: int = 0,
) -> dict[str, Any]:
    """The work's buffers by name, on a device; the inputs are copied there, each with so many
    elements of 0 as `room` before and after it."""
    buffers: dict[str, Any] = {}
    for name, array in work.inputs.items():
        begin = work.begins.get(name, 0) + room
        before, after = (np.zeros(size, array.dtype) for size in (begin, room))
        buffer = to_device(np.concatenate([before, array.ravel(), after]) if begin else array)
        buffers[name] = (buffer[begin : begin + array.size] if begin else buffer).reshape(
            array.shape
        )
    for name, (shape, dtype) in work.blank.items():
        begin = work.begins.get(name, 0)
        buffer = empty((begin + math.prod(shape),) if begin else shape, dtype)
        buffers[name] = buffer[begin:].reshape(shape) if begin else buffer
    return buffers
