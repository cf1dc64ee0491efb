"""A contest for the cheapest kernel: counters of the simulated GPU beside what none gets below.

Times depend on the machine, and on how they are taken; these counts depend on the kernel alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

COUNTERS = ("global_sectors", "inst_executed")  # what is compared


@dataclass(frozen=True, order=True)
class Standing:
    """How many times the least a kernel costs; a smaller one is better, traffic first: it is what
    bounds a kernel on rows, and of two that move the same the one with fewer instructions leaves
    more of the time to others. In hundredths, as they are shown."""

    sectors: float
    instructions: float


@dataclass(frozen=True)
class Contest:
    """Who answers an exercise most cheaply, counted on its last case, which is hidden and has a
    budget. `sectors`: the fewest of 32 bytes that must be loaded and stored; `instructions`: the
    fewest that warps must execute. The lesson's page derives both."""

    exercise: str
    sectors: int
    instructions: int

    def standing(self, counters: Mapping[str, int]) -> Standing:
        """Where the `contest` of a passed verdict puts its kernel."""
        moved, executed = (counters[name] for name in COUNTERS)
        return Standing(round(moved / self.sectors, 2), round(executed / self.instructions, 2))
