"""Data races in shared memory: the accesses of a machine, fed to a `RaceDetector`."""

from __future__ import annotations

import numpy as np

from .access import Access, Hit
from .hazards import Clash, RaceDetector
from .lanes import Lanes
from .lanes import index as lane_index
from .ptx import Function
from .types import DTYPES, size_of

_TOUCHING = ("ld", "st", "atom", "red")


class Races:
    """`cell` is how many bytes of shared memory count as one place: the narrowest access that
    the kernel makes, so that neighbouring bytes written by two threads are no race."""

    def __init__(self, machine):
        self.machine = machine
        self.cell = _narrowest_shared_access(machine.kernel)
        cells = len(machine.spaces["shared"].store.data) // self.cell
        self.detector = RaceDetector(cells, machine.geometry)

    def forget(self) -> None:
        self.detector.forget()

    def synchronize(self, lanes: Lanes, step: int, scope: str) -> None:
        """These lanes have met at a barrier of their "warp", "block" or "cluster"."""
        self.detector.synchronize(lanes, step, scope)

    def check(self, access: Access, hit: Hit, kind: str, same=None, values=None) -> None:
        """An access has been made; `same` says of each stored value whether it was there before,
        `values` what was stored."""
        machine = self.machine
        step = machine.tick(access.at)
        lane, parts = lane_index(hit.lanes), access.width // self.cell
        cells = hit.element * (access.size // self.cell)  # elements count from the wave's start
        if parts > 1:
            cells = (cells[:, None] + np.arange(parts)).ravel()
            lane = np.repeat(lane, parts)
            same = None if same is None else np.repeat(same, parts)
        if kind == "load":
            clash = self.detector.read(cells, lane, step)
        elif kind == "atomic":
            clash = self.detector.atomic(cells, lane, step)
        else:
            clash = self.detector.write(cells, lane, step, same, self._runs(access.at))
            self._check_collisions(access, hit, cells, lane, step, values)
        if clash:
            machine.report.race(clash, access.at, lane, wrote=kind != "load")

    def _runs(self, at: int):
        sites = self.machine.step_sites
        return lambda step: sites[step] == at

    def _check_collisions(self, access: Access, hit: Hit, cells, lane, step, values) -> None:
        """Lanes that stored to one place in one instruction: the last one's value stays."""
        lost = self.detector.collision(cells, lane, step)
        if not len(lost):
            return
        parts = len(lane) // len(values[0])
        kept = np.ones(len(values[0]), bool)
        for component, value in enumerate(values):
            kept &= access.read(hit, component, value.dtype) == value
        overruled = ~kept[lost // parts]
        benign = not overruled.any()
        position = int(lost[0] if benign else lost[np.argmax(overruled)])
        other = self.detector.winner(int(cells[position]))
        clash = Clash(position, step, other, True, benign)
        self.machine.report.race(clash, access.at, lane, wrote=True)


def _narrowest_shared_access(kernel: Function) -> int:
    sizes = [
        size_of(instruction.type)
        for instruction in kernel.instructions
        if instruction.base in _TOUCHING
        and instruction.type in DTYPES
        and not {"global", "param", "local", "const"} & set(instruction.mods)
    ]
    return min(sizes, default=4)
