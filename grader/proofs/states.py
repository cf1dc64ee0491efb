"""What a symbolic thread is between two instructions, and what it leaves behind on its way."""

from __future__ import annotations

from dataclasses import dataclass

from ..machine.barriers import FULL
from ..ptx.program import Instruction
from .atoms import Formula, Scope
from .polynomials import Polynomial
from .values import Pointer, Value

Path = tuple[Formula, ...]
Epoch = tuple[Polynomial, ...]  # which barrier a thread came from, in which iterations


@dataclass(frozen=True)
class State:
    """A thread before an instruction: `path` is what must hold for it to be there."""

    path: Path
    registers: dict[str, Value]
    epoch: Epoch
    warp_epoch: Epoch


@dataclass(frozen=True)
class AccessSite:
    """One access: `verb` "reads", "writes" or "updates"; `width` bytes at `pointer`."""

    at: int
    path: Path
    verb: str
    pointer: Pointer
    width: int
    epoch: Epoch
    warp_epoch: Epoch


@dataclass(frozen=True)
class Meeting:
    """A place to which all threads of a block must come together, or the lanes of a warp that
    `mask` names."""

    at: int
    path: Path
    scope: Scope
    mask: int = FULL


@dataclass(frozen=True)
class Iteration:
    """What a pass through a loop's body found: states that go back and those that leave."""

    back: list[State]
    leave: list[tuple[int, State]]


def meets(one: Instruction) -> Scope:
    """Who must come to an instruction together, as the scope of the rounds of a loop with it."""
    if one.form.collective:
        return Scope.WARP_ROUND
    return Scope.BLOCK_ROUND if one.form.name in ("bar", "barrier") else Scope.THREAD
