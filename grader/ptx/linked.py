"""A kernel and the device functions it may call, as one program: what `linker.link` makes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .ptx import Function, Program, Variable

FUNCTIONS_AT = 0x4000_0000_0000


@dataclass(frozen=True)
class Part:
    """One function within a linked program: where it starts, its parameters, results and registers,
    and whether it may be called again while it runs."""

    entry: int
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    registers: tuple[str, ...]
    recursive: bool


@dataclass(frozen=True)
class LinkedProgram:
    """`function` is the kernel with all it calls; `parts` the functions in it by name (the
    kernel's own included); `owner` says for each instruction whose it is; `addresses` what a
    pointer to a function holds; `module_variables` are the names of what no function owns."""

    function: Function
    parts: dict[str, Part]
    owner: tuple[str, ...]
    addresses: dict[str, int]
    module_variables: frozenset[str]

    @cached_property
    def passed(self) -> dict[str, Variable]:
        """The parameters and results of calls, and of the functions that are called, by name."""
        return {one.name: one for one in self.function.variables if one.space == "param"}


def function_addresses(program: Program) -> dict[str, int]:
    """The address that stands for each function."""
    return {name: FUNCTIONS_AT + 16 * number for number, name in enumerate(program.functions)}
