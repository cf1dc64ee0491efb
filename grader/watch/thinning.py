"""Which steps of a long run a recording keeps."""

from __future__ import annotations

from collections import deque

import numpy as np

from .recording import Cell, Frame, Touch

ALL_STEPS, STEPS_A_LEVEL = 600, 300  # kept: all of the first, then as many before every thinning
ALL_VALUES, VALUES_A_LEVEL = 150_000, 25_000  # numbers in them, likewise
AROUND = 30  # steps kept before and after what went wrong, and at the end


class Kept:
    """Which frames stay: `frames` grows by them."""

    def __init__(self, frames: list[Frame]):
        self.frames = frames
        self.every = 1
        self.room, self.values = ALL_STEPS, ALL_VALUES
        self.last_hazard = -AROUND - 1
        self.latest: deque[tuple[Frame, bool]] = deque()  # undecided, and whether it is one to keep
        self.missed: dict[Cell, tuple[int, np.ndarray]] = {}  # what the frames left out stored last

    def take(self, frame: Frame) -> None:
        if frame.hazards:
            self.last_hazard = frame.number
        near = frame.number - self.last_hazard <= AROUND and len(self.frames) < 4 * ALL_STEPS
        if near or frame.hazards:
            self.flush()
            self._keep(frame)
            return
        self.latest.append((frame, frame.number % self.every == 0))
        if len(self.latest) > AROUND:
            oldest, kept = self.latest.popleft()
            (self._keep if kept else self._leave_out)(oldest)

    def flush(self) -> None:
        """Keep the latest frames, whatever would have become of them."""
        for frame, _ in self.latest:
            self._append(frame)
        self.latest.clear()

    def _keep(self, frame: Frame) -> None:
        self._append(frame)
        self.room, self.values = self.room - 1, self.values - frame.weight
        if self.room <= 0 or self.values <= 0:
            self.every *= 2
            self.room, self.values = STEPS_A_LEVEL, VALUES_A_LEVEL

    def _append(self, frame: Frame) -> None:
        frame.caught_up = [_cell(*key, *what) for key, what in self.missed.items()]
        self.missed = {}
        self.frames.append(frame)

    def _leave_out(self, frame: Frame) -> None:
        stores = [t for t in (*frame.caught_up, *frame.touches) if t.kind != "load"]
        for touch in stores:
            for row, thread in enumerate(touch.threads.tolist()):
                key = touch.memory, int(touch.owner[row]), int(touch.offsets[row]), touch.width
                self.missed.pop(key, None)  # so that the latest comes last
                self.missed[key] = thread, touch.values[row]


def _cell(
    memory: int, owner: int, offset: int, width: int, thread: int, values: np.ndarray
) -> Touch:
    one = np.array([thread]), np.array([offset])
    return Touch("store", memory, *one, width, values[None, :], np.array([owner]))
