"""Which group of lanes runs next. A group stands at one instruction and runs until it parts,
waits, or ends.
"""

import re
from collections.abc import Callable, Collection
from zlib import crc32

import numpy as np

from .lanes import WARP, Lanes, compact, lane_index, merge
from .state import Schedule

_MANY = 1 << 31
SPIN_LIMIT = 32  # spins of one group before the others get a turn


class Lockstep:
    """All lanes at the lowest instruction go first, together; groups meet again where their paths
    join. A group that spins gives way to the one that has waited longest, which then runs until
    it parts, waits, ends, or spins itself: so everyone has a turn, however many wait."""

    def __init__(self) -> None:
        self.spins = 0
        self.ready: dict[int, list[Lanes]] = {}  # by instruction; who has waited longest is first
        self.favoured = False  # whether the group that runs has had the way given to it

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
        if not self.ready:
            return True
        if self.spins > SPIN_LIMIT or pc in self.ready:
            return False
        return self.favoured or pc < min(self.ready)

    def standing_at(self, places: set[int]) -> np.ndarray:
        """The lanes whose turn would come at one of these instructions, as an index array."""
        parts = [part for pc in places & self.ready.keys() for part in self.ready[pc]]
        return lane_index(merge(parts)) if parts else np.zeros(0, np.int64)

    def _foremost(self) -> int:
        return min(self.ready)


class Apart(Lockstep):
    """Groups that have parted go one after the other, each as far as it gets: that of the first
    threads of the grid before the others, or that of the `last`."""

    def __init__(self, last: bool):
        super().__init__()
        self.last = last

    def may_go_on(self, pc: int, lanes: Lanes) -> bool:
        return not self.ready or (self.spins <= SPIN_LIMIT and pc not in self.ready)

    def _foremost(self) -> int:
        if self.last:
            return max(self.ready, key=lambda pc: max(int(_ends(g)[1]) for g in self.ready[pc]))
        return min(self.ready, key=lambda pc: min(int(_ends(g)[0]) for g in self.ready[pc]))


def _ends(lanes: Lanes) -> tuple[int, int]:
    """The first and the last lane of a set."""
    if type(lanes) is slice:
        return lanes.start, lanes.stop - 1
    return lanes[0], lanes[-1]


class Shuffled:
    """One warp after the other, each as far as it gets, in an order drawn from a seed."""

    def __init__(self, seed: int):
        self.spins = 0
        self.random = np.random.default_rng(seed)
        self.warps: dict[int, Lockstep] = {}
        self.last = -1  # the warp that ran last

    def push(self, pc: int, lanes: Lanes) -> None:
        index = lane_index(lanes)
        warp = index // WARP
        for number in np.unique(warp):
            own = self.warps.setdefault(int(number), Lockstep())
            own.push(pc, compact(index[warp == number]))

    def pop(self) -> tuple[int, Lanes] | None:
        if not self.warps:
            return None
        if self.last in self.warps:
            self.warps[self.last].spins += self.spins
        self.spins = 0
        number = self.last = int(self.random.choice(sorted(self.warps)))
        group = self.warps[number].pop()
        if not self.warps[number].ready:
            del self.warps[number]
        return group

    def may_go_on(self, pc: int, lanes: Lanes) -> bool:
        own = self.warps.get(int(lane_index(lanes)[0]) // WARP)
        return self.spins <= SPIN_LIMIT and (own is None or own.may_go_on(pc, lanes))

    def standing_at(self, places: set[int]) -> np.ndarray:
        parts = [own.standing_at(places) for own in self.warps.values()]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)


class InTurn:
    """All together up to where one may notice another; there one block, or one warp, after the
    other, each as far as it gets: `following` sorts those that can run. At the instructions
    `noticed` threads use what others may use, too; what they do elsewhere can come at any time."""

    def __init__(self, lanes: int, following: Callable[[int], int], noticed: Collection[int]):
        self.spins = 0
        self.lanes, self.following, self.noticed = lanes, following, noticed
        self.together = Lockstep()
        self.units: dict[int, Lockstep] = {}  # so many `lanes` each, at what is noticed
        self.last = -1  # the unit whose turn it was last
        self.waiting: set[int] = set()  # units that have spun since all others had a turn

    def push(self, pc: int, lanes: Lanes) -> None:
        if pc not in self.noticed:
            self.together.push(pc, lanes)
            return
        index = lane_index(lanes)
        unit = index // self.lanes
        for number in np.unique(unit).tolist():
            self.units.setdefault(number, Lockstep()).push(pc, compact(index[unit == number]))

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
            self.last, self.spins = number, 0
        group = self.units[number].pop()
        if not self.units[number].ready:
            del self.units[number]
        return group

    def may_go_on(self, pc: int, lanes: Lanes) -> bool:
        return pc not in self.noticed and self.together.may_go_on(pc, lanes)

    def standing_at(self, places: set[int]) -> np.ndarray:
        every = (self.together, *self.units.values())
        return np.concatenate([one.standing_at(places) for one in every])


IN_TURN = re.compile(r"highest block first|block (\d+) last|warps by chance")


def schedule(order: str, seed: int, lanes_a_block: int, noticed: Collection[int]) -> Schedule:
    """The schedule called "lockstep", "forwards", "backwards", "shuffled", or as `IN_TURN` says;
    `noticed` is for those (see `InTurn`)."""
    made: dict[str, Callable[[], Schedule]] = {
        "lockstep": Lockstep,
        "forwards": lambda: Apart(last=False),
        "backwards": lambda: Apart(last=True),
        "shuffled": lambda: Shuffled(seed),
        "highest block first": lambda: InTurn(lanes_a_block, lambda block: -block, noticed),
        "warps by chance": lambda: InTurn(WARP, lambda warp: crc32(b"%d" % warp, seed), noticed),
    }
    if (late := IN_TURN.fullmatch(order)) and late[1]:
        number = int(late[1])
        return InTurn(lanes_a_block, lambda block: block + (block == number) * _MANY, noticed)
    if order not in made:
        raise ValueError(f"order is {order!r}; it can be {', '.join(made)}, block N last")
    return made[order]()
