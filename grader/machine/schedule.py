"""Which group of lanes runs next. A group stands at one instruction and runs until it parts,
waits, or ends.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from zlib import crc32

import numpy as np

from ..errors import unless
from .lanes import WARP, Lanes, by_value, lane_index, merge

_MANY = 1 << 31
SPIN_LIMIT = 32  # spins of one group before the others get a turn


@dataclass(eq=False)
class Lockstep:
    """All lanes at the lowest instruction go first, together; groups meet again where their paths
    join. A group that spins gives way to the one that has waited longest, which then runs until
    it parts, waits, ends, or spins itself: so everyone has a turn, however many wait."""

    spins: int = 0
    # By instruction; who has waited longest is first.
    ready: dict[int, list[Lanes]] = field(default_factory=dict)
    favoured: bool = False  # whether the group that runs has had the way given to it

    def push(self, pc: int, lanes: Lanes) -> None:
        self.ready.setdefault(pc, []).append(lanes)

    def pop(self) -> tuple[int, Lanes] | None:
        if not self.ready:
            return None
        self.favoured = self.spins > SPIN_LIMIT and len(self.ready) > 1
        if self.favoured:
            self.spins, pc = 0, next(iter(self.ready))
        else:
            pc = self._foremost()
        return pc, merge(self.ready.pop(pc))

    def may_go_on(self, pc: int, lanes: Lanes) -> bool:
        """Whether a group that comes to `pc` may run on without asking."""
        return not self.ready or (
            self.spins <= SPIN_LIMIT
            and pc not in self.ready
            and (self.favoured or pc < min(self.ready))
        )

    def groups(self) -> list[tuple[int, Lanes]]:
        """The lanes whose turn will come, with the instructions where they stand."""
        return [(pc, part) for pc, parts in self.ready.items() for part in parts]

    def _foremost(self) -> int:
        return min(self.ready)


@dataclass(eq=False)
class Apart(Lockstep):
    """Groups that have parted go one after the other, each as far as it gets: that of the first
    threads of the grid before the others, or that of the `last`."""

    last: bool = False

    def may_go_on(self, pc: int, lanes: Lanes) -> bool:
        return not self.ready or (self.spins <= SPIN_LIMIT and pc not in self.ready)

    def _foremost(self) -> int:
        return (
            max(self.ready, key=lambda pc: max(int(_ends(g)[1]) for g in self.ready[pc]))
            if self.last
            else min(self.ready, key=lambda pc: min(int(_ends(g)[0]) for g in self.ready[pc]))
        )


def _ends(lanes: Lanes) -> tuple[int, int]:
    """The first and the last lane of a set."""
    return (lanes.start, lanes.stop - 1) if type(lanes) is slice else (lanes[0], lanes[-1])


@dataclass(eq=False)
class _Units:
    """Units of so many `lanes`, such as warps, of which one runs after the other."""

    lanes: int
    spins: int = 0
    units: dict[int, Lockstep] = field(default_factory=dict)  # those that can run, by number
    last: int = -1  # the unit whose turn it was last

    def push(self, pc: int, lanes: Lanes) -> None:
        for number, own in by_value(lanes, lane_index(lanes) // self.lanes):
            self.units.setdefault(number, Lockstep()).push(pc, own)

    def _group_of(self, number: int) -> tuple[int, Lanes] | None:
        """The next group of this unit, whose turn it is."""
        self.last = number
        group = self.units[number].pop()
        if not self.units[number].ready:
            del self.units[number]
        return group

    def groups(self) -> list[tuple[int, Lanes]]:
        return [group for unit in self.units.values() for group in unit.groups()]


class Shuffled(_Units):
    """One warp after the other, each as far as it gets, in an order drawn from a seed."""

    def __init__(self, seed: int):
        super().__init__(WARP)
        self.random = np.random.default_rng(seed)

    def pop(self) -> tuple[int, Lanes] | None:
        if not self.units:
            return None
        if self.last in self.units:
            self.units[self.last].spins += self.spins
        self.spins = 0
        return self._group_of(int(self.random.choice(sorted(self.units))))

    def may_go_on(self, pc: int, lanes: Lanes) -> bool:
        own = self.units.get(int(lane_index(lanes)[0]) // WARP)
        return self.spins <= SPIN_LIMIT and (own is None or own.may_go_on(pc, lanes))


class InTurn(_Units):
    """All together up to where one may notice another; there one block, or one warp, after the
    other, each as far as it gets: `following` sorts those that can run. At the instructions
    `noticed` threads use what others may use, too; what they do elsewhere can come at any time."""

    def __init__(self, lanes: int, following: Callable[[int], int], noticed: Collection[int]):
        super().__init__(lanes)
        self.following, self.noticed = following, noticed
        self.together = Lockstep()
        self.waiting: set[int] = set()  # units that have spun since all others had a turn

    def push(self, pc: int, lanes: Lanes) -> None:
        if pc in self.noticed:
            super().push(pc, lanes)
        else:
            self.together.push(pc, lanes)

    def pop(self) -> tuple[int, Lanes] | None:
        """Who spins waits for another one, so that all others have a turn first."""
        if self.together.ready or not self.units:
            return self.together.pop()
        if self.spins > SPIN_LIMIT:
            self.waiting.add(self.last)
        if not (others := self.units.keys() - self.waiting):
            self.waiting.clear()
        number = min(others or self.units, key=self.following)
        if number != self.last or self.spins > SPIN_LIMIT:
            self.spins = 0
        return self._group_of(number)

    def may_go_on(self, pc: int, lanes: Lanes) -> bool:
        return pc not in self.noticed and self.together.may_go_on(pc, lanes)

    def groups(self) -> list[tuple[int, Lanes]]:
        return [*self.together.groups(), *super().groups()]


# `spins` counts accesses that a thread waiting for another makes (atomics, volatile loads) since
# the last change of group.
Schedule = Lockstep | Shuffled | InTurn
IN_TURN = re.compile(r"highest block first|block (\d+) last|warps by chance")


def schedule(order: str, seed: int, lanes_a_block: int, noticed: Collection[int]) -> Schedule:
    """The schedule called "lockstep", "forwards", "backwards", "shuffled", or as `IN_TURN` says;
    `noticed` is for those (see `InTurn`)."""
    made: dict[str, Callable[[], Schedule]] = {
        "lockstep": Lockstep,
        "forwards": Apart,
        "backwards": lambda: Apart(last=True),
        "shuffled": lambda: Shuffled(seed),
        "highest block first": lambda: InTurn(lanes_a_block, lambda block: -block, noticed),
        "warps by chance": lambda: InTurn(WARP, lambda warp: crc32(b"%d" % warp, seed), noticed),
    }
    if (late := IN_TURN.fullmatch(order)) and late[1]:
        number = int(late[1])
        return InTurn(lanes_a_block, lambda block: block + (block == number) * _MANY, noticed)
    strange = ValueError(f"order is {order!r}; it can be {', '.join(made)}, block N last")
    return unless(made.get(order), strange)()
