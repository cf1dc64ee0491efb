"""Where something happened: the thread, the line, and the calls that lead there."""

import re
from collections.abc import Iterable
from functools import cache, partial
from typing import Protocol

import numpy as np

from ..machine.memory.access import Access, ErrorReport, Hit
from ..machine.memory.spaces import Store
from ..machine.wave import Wave
from ..ptx.flow import reaches, repeats
from .findings import Bytes, Finding, HazardReport, Location

_COPY = re.compile(r"\bmem(set|cpy|move)\s*\(")


class Whereabouts:
    """Says of a wave's lanes and instructions which threads and lines they are."""

    def __init__(self, wave: Wave):
        self.wave, self.code = wave, wave.kernel.instructions
        self.repeats = cache(partial(repeats, wave.kernel))

    def location(self, at: int, lane: int) -> Location:
        """The thread in a lane, which stands at an instruction now."""
        wave, geometry = self.wave, self.wave.geometry
        return Location(
            at,
            lane,
            wave.names.kernel,
            self.line(at),
            self._around(at),
            self._calls(at, lane),
            geometry.block_coordinates(wave.first_block + int(lane) // geometry.stride),
            geometry.thread(lane),
            self.repeats(at),
        )

    def bytes(self, space: str, store: Store, address: int, width: int, at: int) -> Bytes:
        """What the instruction at `at` touches."""
        return Bytes(space, store, address, width, self.line(at))

    def line(self, at: int) -> int | None:
        """The learner's line. A loop that NVRTC makes of a copy has none in its line table: then
        the only `memset`, `memcpy` or `memmove` that stands where it can be."""
        if line := self.code[at].line:
            return line
        first, last = self._around(at)
        source = self.wave.names.source.splitlines()[first - 1 : last] if first else []
        copies = [number for number, text in enumerate(source, first) if _COPY.search(text)]
        return copies[0] if len(copies) == 1 else None

    def waiting(self, at: int, lane: int) -> Location | None:
        """A thread that waits at a barrier which the one in `lane`, of its block, cannot come to
        any more."""
        wave = self.wave
        block = lane // wave.geometry.stride
        calls = wave.calls
        in_function = wave.linked.owner[at] != wave.kernel.name and calls.depth[lane]
        start = int(calls.sites[0][lane]) if in_function else at  # in the kernel itself
        for barrier, groups in wave.barriers.parked.items():
            if wave.barriers.asked.get(barrier) is not None:
                continue  # for some of the threads only
            for waits_at, index in groups:
                here = index[wave.geometry.block_of_lane[index] == block]
                if len(here) and not reaches(wave.kernel, start, waits_at):
                    return self.location(waits_at, int(here[0]))
        return None

    def _around(self, at: int) -> tuple[int, int]:
        """The lines of what comes before and after an instruction; 0: there are none."""
        owner = self.wave.linked.owner

        def nearest(places: Iterable[int]) -> int:
            lines = (self.code[place].line for place in places if owner[place] == owner[at])
            return next(filter(None, lines), 0)

        around = nearest(reversed(range(at))), nearest(range(at, len(self.code)))
        return min(around), max(around)

    def _calls(self, at: int, lane: int) -> tuple[int, ...]:
        """What was not inlined is known for the thread in `lane`, now."""
        calls = self.wave.calls
        lines = list(self.code[at].callers)
        for level in reversed(range(int(calls.depth[lane]))):
            site = self.code[int(calls.sites[level][lane])]
            lines += [line for line in (site.line, *site.callers) if line]
        return tuple(lines)


def bytes_of(access: Access, hit: Hit, component: int) -> np.ndarray:
    """Where the bytes of a component of an access lie in its memory: (lanes, bytes)."""
    return ((hit.element + component) * access.size)[:, None] + np.arange(access.size)


class FindingReport(ErrorReport, Protocol):
    """Whom observers tell of what they find; the machine makes errors by it, too."""

    @property
    def wave(self) -> Wave: ...

    @property
    def here(self) -> Whereabouts: ...

    @property
    def hazards(self) -> list[HazardReport]: ...

    def add(self, finding: Finding) -> None:
        """A race has come to light, which stops nothing for now."""

    def stop(self, finding: Finding) -> None:
        """Raise what is wrong, unless that is tolerated."""

    def note(self, finding: Finding) -> None:
        """Note what a finding comes from."""
