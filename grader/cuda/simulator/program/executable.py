"""A kernel ready to run: linked, and what the analyses say of it."""

from __future__ import annotations

from dataclasses import dataclass

from .control_flow import block_ends
from .dataflow import MemoryUse, memory_use
from .linker import LinkedProgram, link
from .liveness import MaybeUninitialized, maybe_uninitialized
from .ptx import Function, Program
from .swaps import swap_starts


@dataclass(frozen=True)
class Executable:
    """`block_end` is what `block_ends` makes of the program; `swap_starts` what the function of
    that name finds."""

    linked: LinkedProgram
    block_end: list[int]
    memory_use: MemoryUse
    maybe_uninitialized: MaybeUninitialized
    swap_starts: frozenset[int]


def executable(program: Program, kernel: Function) -> Executable:
    """Nothing of it changes when it runs."""
    linked = link(program, kernel)
    return Executable(
        linked,
        block_ends(linked.function),
        memory_use(linked),
        maybe_uninitialized(linked),
        swap_starts(linked.function),
    )
