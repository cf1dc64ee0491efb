"""The stack frames of functions that call themselves."""

from __future__ import annotations

import numpy as np

from .lanes import Lanes
from .memory.layout import LocalLayout


class Framed:
    """An address in the current frame; read when indexed, for frames come and go."""

    def __init__(self, frame: np.ndarray, offset: int):
        self.frame = frame
        self.offset = offset

    def __getitem__(self, lanes: Lanes) -> np.ndarray:
        return self.frame[lanes] + self.offset


class Frames:
    """By function that calls itself, where the frame of each lane begins in local memory."""

    def __init__(self, layout: LocalLayout, lanes: int):
        self.offsets = layout.frame_offsets  # by local variable: its function, its place in a frame
        self.begins = {name: np.zeros(lanes, np.int64) for name in layout.frame_sizes}
        self._sizes, self._stack = layout.frame_sizes, layout.stack
        self._top = np.full(lanes, layout.stack, np.int64)

    def begin_wave(self) -> None:
        """No lane has called anything yet."""
        self._top[:] = self._stack

    def framed(self, symbol: str) -> Framed:
        """The address of a local variable of a function that calls itself, for every lane."""
        function, offset = self.offsets[symbol]
        return Framed(self.begins[function], offset)

    def push(self, name: str, lanes: Lanes) -> np.ndarray:
        """A new frame for each lane; where the stacks of the lanes end with it, in bytes."""
        self.begins[name][lanes] = self._top[lanes]
        self._top[lanes] += self._sizes[name]
        return self._top[lanes]

    def pop(self, name: str, lanes: Lanes) -> None:
        """The lanes leave their last frame."""
        self._top[lanes] -= self._sizes[name]
