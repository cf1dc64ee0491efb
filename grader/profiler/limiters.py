"""What limits a launch, and what to do about the line that wastes most of each resource."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..counted import counted
from ..cuda.limits import Architecture
from ..watch.counters import Counters

WARP = 32
_WORTH_TELLING = 0.1  # of a resource, wasted on one line
Counts = Mapping[str, int]


@dataclass(frozen=True)
class Resource:
    """`used(counts)` and `wasted(counts)` in the same unit, which is its `name`; `advice` is what
    to do about a line that wastes it."""

    name: str
    used: Callable[[Counts], float]
    wasted: Callable[[Counts], float]
    advice: str


@dataclass(frozen=True)
class Waste:
    """`line` wastes `amount` of the `total` of a resource that the launch uses."""

    resource: Resource
    line: int
    amount: float
    total: float

    @property
    def share(self) -> float:
        return self.amount / self.total

    @property
    def sentence(self) -> str:
        return (
            f"Line {self.line} wastes {self.amount:,.0f} of the {self.total:,.0f} "
            f"{self.resource.name} ({self.share:.0%}). {self.resource.advice}"
        )


def _sum(*names: str) -> Callable[[Counts], float]:
    return lambda counts: sum(counts[name] for name in names)


def _beyond(*names: str) -> Callable[[Counts], float]:
    """What was paid beyond the ideal."""
    return lambda counts: sum(max(counts[n] - counts[f"{n}_ideal"], 0) for n in names)


def _idle_lanes(counts: Counts) -> float:
    return max(WARP * counts["inst_executed"] - counts["thread_inst_executed"], 0)


_SECTORS = ("global_load_sectors", "global_store_sectors")
_WAVEFRONTS = ("shared_load_wavefronts", "shared_store_wavefronts")
RESOURCES = (
    Resource(
        "global-memory sectors",
        _sum(*_SECTORS),
        _beyond(*_SECTORS),
        "Let neighbouring threads touch neighbouring elements, so that a warp's 32 accesses fall "
        "into few sectors; where the order must change, change it in shared memory.",
    ),
    Resource(
        "shared-memory wavefronts",
        _sum(*_WAVEFRONTS),
        _beyond(*_WAVEFRONTS),
        "Its threads meet in the same banks: pad the row by one element, or let neighbouring "
        "threads touch neighbouring words.",
    ),
    Resource(
        "thread slots of warp instructions",
        lambda counts: WARP * counts["inst_executed"],
        _idle_lanes,
        "Most of the warp is switched off there: let whole warps take the same side of a branch.",
    ),
)


def wastes(counters: Counters) -> list[Waste]:
    """By resource, the line that wastes most of it, the worst first; small ones are left out."""
    found = []
    for resource in RESOURCES:
        total = resource.used(counters.total)
        lines = {line: resource.wasted(counts) for line, counts in counters.lines.items() if line}
        line = max(lines, key=lines.__getitem__, default=0)
        if line and total and lines[line] / total >= _WORTH_TELLING:
            found.append(Waste(resource, line, lines[line], total))
    return sorted(found, key=lambda waste: -waste.share)


def occupancy(device: Architecture, blocks: int, threads: int, shared: int) -> str:
    """How many blocks of so many threads, and bytes of shared memory, a multiprocessor holds at a
    time, and what stands in the way of more; registers aside, which only the assembler knows."""
    whole = -(-threads // WARP) * WARP
    rooms = {"blocks": device.blocks, "threads": device.threads // whole}
    if shared:
        rooms["shared memory"] = device.shared // shared
    limit = min(rooms, key=rooms.__getitem__)
    held = max(rooms[limit], 0)
    text = (
        f"A multiprocessor holds {held} of these blocks at a time, as its {limit} allow"
        f"{'s' if limit == 'shared memory' else ''}: {held * whole:,} of {device.threads:,} "
        f"threads, an occupancy of at most {held * whole / device.threads:.0%} (registers aside)."
    )
    if blocks < device.sms:
        text += (
            f" The grid has {counted(blocks, 'block')}, the device {device.sms} "
            "multiprocessors: the others have nothing to do."
        )
    return text
