"""What a function is given by value and takes the address of: PTX keeps a copy of such a parameter
among the function's local variables, and its name stands for where the copy lies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd

from .forms.form import Flow
from .forms.instruction_set import resolve
from .ptx import Address, Function, Instruction, Register, Symbol, Variable

_SIZES = (1, 2, 4, 8)  # bytes that one register holds


def with_copies(function: Function) -> Function:
    """A device function that begins by making these copies, and refers to them."""
    addressed = _addressed(function)
    passed = [one for one in function.parameters if one.name in addressed]
    if not passed:
        return function
    copies = {one.name: f"{one.name}.copy" for one in passed}
    first = [code for one in passed for code in _copied(one, copies[one.name], function.line)]
    code = (_referring(one, copies) for one in function.instructions)
    kept = (replace(one, name=copies[one.name], space="local") for one in passed)
    return replace(
        function,
        instructions=(*first, *code),
        labels={name: at + len(first) for name, at in function.labels.items()},
        registers=function.registers | {_register(size): f"b{8 * size}" for size in _SIZES},
        variables=(*function.variables, *kept),
    )


def _addressed(function: Function) -> set[str]:
    """The names that stand for an address; those that a call is given stand for what they hold."""
    return {
        operand.name
        for instruction in function.instructions
        if instruction.form.flow is not Flow.CALL
        for operand in instruction.operands
        if isinstance(operand, Symbol)
    }


def _copied(parameter: Variable, copy: str, line: int | None) -> Iterator[Instruction]:
    size = gcd(_SIZES[-1], parameter.align, parameter.size)
    register = Register(_register(size))
    for at in range(0, parameter.size, size):
        passed, kept = (Address(Symbol(name), at) for name in (parameter.name, copy))
        for opcode, operands in (("ld.param", (register, passed)), ("st.local", (kept, register))):
            form = resolve(f"{opcode}.b{8 * size}", operands)
            yield Instruction(form, operands, line=line)


def _register(size: int) -> str:
    return f"%copied{size}"


def _referring(one: Instruction, copies: dict[str, str]) -> Instruction:
    if one.form.flow is Flow.CALL:
        return one
    renamed = (
        Symbol(copies[operand.name])
        if isinstance(operand, Symbol) and operand.name in copies
        else operand
        for operand in one.operands
    )
    return replace(one, operands=tuple(renamed))
