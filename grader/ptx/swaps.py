"""Plain loads that a loop of compare-and-swap starts from, as in

    old = *sum;
    do { assumed = old; old = atomicCAS(sum, assumed, f(assumed)); } while (old != assumed);

What such a load finds may be old: the swap then fails, and the loop takes another turn.
"""

from __future__ import annotations

from .forms.form import Carries
from .ptx import Function, Instruction, Operand, Symbol, mentioned, registers


def swap_starts(kernel: Function) -> frozenset[int]:
    """The loads whose value may reach what a compare-and-swap compares with, by index."""
    code = kernel.instructions
    swaps = [one for one in code if one.form.compares]
    if not swaps:
        return frozenset()
    wanted = {name for one in swaps for name in registers(one.operands[2])}
    flows = [(_results(one), _sources(one)) for one in code]
    before = -1
    while len(wanted) != before:
        before = len(wanted)
        for results, sources in flows:
            if not wanted.isdisjoint(results):
                wanted.update(sources)
    return frozenset(
        at
        for at, one in enumerate(code)
        if _from_memory(one) and not wanted.isdisjoint(_results(one))
    )


def _from_memory(one: Instruction) -> bool:
    return one.form.carries is Carries.LOADED and not _of_a_call(one)


def _of_a_call(one: Instruction) -> bool:
    """Whether it goes to or comes from the slot of a call's parameter."""
    return any(transfer.space == "param" for _, transfer in one.form.transfers)


def _results(one: Instruction) -> list[str]:
    """What an instruction gives a value: registers, and the slot of a call's parameter."""
    if one.form.carries is Carries.STORED:
        return _symbols(one.operands[0]) if _of_a_call(one) else []
    return one.written


def _sources(one: Instruction) -> list[str]:
    """What that value is made of, unless it comes from memory."""
    if one.form.atomic or _from_memory(one):
        return []
    if one.form.carries in (Carries.LOADED, Carries.STORED):
        return [*registers(*one.operands[1:]), *_symbols(one.operands[1])]
    return one.read


def _symbols(operand: Operand) -> list[str]:
    return [name.name for name in mentioned(operand) if isinstance(name, Symbol)]
