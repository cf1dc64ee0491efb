"""A kernel ready to run: linked, and what the analyses say of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .assigned import Result, assigned, register_types
from .dataflow import MemoryUse
from .linked import LinkedProgram
from .liveness import MaybeUninitialized


@dataclass(frozen=True)
class Executable:
    """`block_end` is what `block_ends` makes of the program; `swap_starts` what the function of
    that name finds."""

    linked: LinkedProgram
    block_end: list[int]
    memory_use: MemoryUse
    maybe_uninitialized: MaybeUninitialized
    swap_starts: frozenset[int]

    @cached_property
    def depends_on_order(self) -> bool:
        """Whether it uses what an atomic or a volatile load finds."""
        return any(
            (one.form.atomic and one.written) or (one.form.reads and one.form.strong)
            for one in self.linked.function.instructions
        )

    @cached_property
    def register_types(self) -> dict[str, str]:
        """What `register_types` makes of the program, for those who play it."""
        return register_types(self.linked.function)

    @cached_property
    def assigned(self) -> dict[int, tuple[Result, ...]]:
        """What `assigned` makes of it, likewise."""
        return assigned(self.linked.function, self.register_types)
