"""What the table says of one way to write an instruction, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


class Role(Enum):
    """What an instruction does with one of its operands."""

    WRITTEN = auto()
    READ = auto()
    ADDRESS = auto()


class Flow(Enum):
    """Where a thread goes on after an instruction."""

    NEXT = auto()
    BRANCH = auto()  # to its label, or (if guarded) to the next one
    TABLE = auto()  # to one of a list of labels
    CALL = auto()
    RETURN = auto()  # to the caller, or out of the kernel
    EXIT = auto()
    TRAP = auto()


class Carries(Enum):
    """What becomes, in an instruction's results, of values that never were set."""

    COMPUTED = auto()  # they are used: the results are computed from them
    COPIED = auto()  # the results are no more and no less than they were
    ONE_OF = auto()  # they are used, and the result is one of the operands
    CHOSEN = auto()  # the last operand decides which of two others counts
    ALL_BITS = auto()  # an operand whose every bit is 0 makes the other one irrelevant
    ALL_BITS_SET = auto()  # likewise one whose every bit is 1
    ACROSS = auto()  # they go from lane to lane, as the instruction itself tells
    STORED = auto()  # they go to memory, as the instruction itself tells
    LOADED = auto()  # they come from there


@dataclass(frozen=True)
class Transfer:
    """What an instruction does at one address: "reads", "writes" or "updates" (as atomics do)
    `components` values of `size` bytes in a state space ("generic": the address says which).

    `strong` accesses (`volatile` ones are) take part in synchronisation, `wide` beyond their own
    block; one that `releases` orders what came before it, one that `acquires` what comes after;
    one that `compares` swaps only what is as expected; what is `asynchronous` happens some time
    later, by no store instruction; `bulk` is moved by a copy engine, many values for one thread;
    `mbarrier` is done to a barrier in memory, by a unit of its own.
    """

    verb: str
    space: str
    size: int
    components: int = 1
    strong: bool = False
    volatile: bool = False
    releases: bool = False
    acquires: bool = False
    wide: bool = True
    compares: bool = False
    asynchronous: bool = False
    bulk: bool = False
    mbarrier: bool = False

    @property
    def width(self) -> int:
        """Bytes a lane."""
        return self.size * self.components

    def may_touch(self, space: str) -> bool:
        return self.space in (space, "generic")


@dataclass(frozen=True)
class Form:
    """One way to write an instruction, found once for each instruction of a program.

    `opcode` is as written; `name` its first word; `mods` the others, in the order in which the
    table names them; `type` the last of them that is a type ("" if none is). `roles` are those of
    the operands, the last one's also that of all further ones. `transfers` pairs operands (by
    position) with what happens at that address. `control`: lanes may part, wait or end here;
    `collective`: those that a mask names must come to it together; `orders`: it can order what
    threads do that do not meet at a barrier; `atomic`: it is one of what C++ calls so; `scales`: it
    multiplies integers, or shifts them to the left; `converts`: `type` is that of its source;
    `of_address`: it makes an address of one state space one of another.
    `build(instruction, index, wave)` makes the step that executes it; `refusal` says why there
    is none.
    """

    opcode: str
    name: str
    mods: tuple[str, ...] = ()
    type: str = ""
    roles: tuple[Role, ...] = ()
    transfers: tuple[tuple[int, Transfer], ...] = ()
    flow: Flow = Flow.NEXT
    carries: Carries = Carries.COMPUTED
    control: bool = False
    collective: bool = False
    orders: bool = False
    atomic: bool = False
    scales: bool = False
    converts: bool = False
    of_address: bool = False
    build: Callable[..., Any] | None = None
    refusal: str = ""

    def role(self, position: int) -> Role:
        return self.roles[min(position, len(self.roles) - 1)]

    def has(self, *mods: str) -> bool:
        """Whether it has one of these modifiers."""
        return not set(mods).isdisjoint(self.mods)

    def one_of(self, mods: Iterable[str]) -> str | None:
        """The first of its modifiers that is one of `mods`."""
        return next((mod for mod in self.mods if mod in mods), None)

    @property
    def reads(self) -> bool:
        """Whether it is a plain or a volatile load."""
        return any(one.verb == "reads" for _, one in self.transfers)

    @property
    def compares(self) -> bool:
        return any(one.compares for _, one in self.transfers)

    @property
    def volatile(self) -> bool:
        return any(one.volatile for _, one in self.transfers)

    @property
    def strong(self) -> bool:
        return any(one.strong for _, one in self.transfers)

    def transfer(self, position: int) -> Transfer:
        """What happens at the address that stands at this position."""
        return dict(self.transfers)[position]
