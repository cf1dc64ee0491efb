"""What each source line of a program assigns, as far as registers tell.

A line table names no variables, so all that is known of a register is which line wrote it and which
lines read it. What a line computes on its way (an address, a product that is added at once) is left
out; what other lines read, or the same line when a loop comes round again, is what it assigned.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import product

from ..grouped import grouped
from .program import Carries, Function, Immediate, Instruction, Role, Symbol, registers

_COPYING = (Carries.COPIED, Carries.CHOSEN, Carries.ACROSS)
_COPIES = 3  # of copies that are followed
_BUILT_IN = {"%tid": "threadIdx", "%ntid": "blockDim", "%ctaid": "blockIdx", "%nctaid": "gridDim"}

Code = tuple[Instruction, ...]


@dataclass(frozen=True)
class Result:
    """A register that an instruction leaves for other lines; its PTX type ("f32", "s32", ...); what
    CUDA calls the value, where the instruction reads it from a built-in variable; and whether it is
    a number in the code."""

    register: str
    type: str
    built_in: str = ""
    constant: bool = False


def assigned(function: Function, types: dict[str, str]) -> dict[int, tuple[Result, ...]]:
    """By instruction, what it assigns; instructions that assign nothing are left out. `types` are
    those of its registers."""
    code = function.instructions
    hidden = _addresses(function)
    readers = grouped((name, at) for at, one in enumerate(code) for name in one.used)
    results = {
        at: tuple(
            Result(
                name,
                types[name],
                built_in(one),
                constant=all(isinstance(source, Immediate) for source in one.operands[1:]),
            )
            for name in one.written
            if types.get(name, "pred") != "pred"
            and name not in hidden
            # It does more than fetch a parameter, or make an address global.
            and not (one.form.of_address or one.form.goes_to("param"))
            # Another line reads it, or a loop's next round.
            and any(
                code[reader].line != one.line or reader <= at for reader in readers.get(name, ())
            )
        )
        for at, one in enumerate(code)
    }
    return {at: assigns for at, assigns in results.items() if assigns}


def register_types(function: Function) -> dict[str, str]:
    """What each register holds: its declared type or, where that says no more than how wide it is,
    that of the instructions that say more, a signed one before an unsigned one; a copy holds what
    the original does."""
    declared = function.registers
    types = {name: kind for name, kind in declared.items() if kind[0] != "b"}
    for sign, one in product("fsu", function.instructions):
        if one.form.type[:1] == sign and not one.form.converts:
            alike = (n for n in (*one.written, *one.read) if _alike(declared, n, one.form.type))
            types |= {name: one.form.type for name in alike if name not in types}
    copies = [one for one in function.instructions if one.form.carries in _COPYING]
    for one in (one for one in copies * _COPIES if one.written and one.read):
        _share(types, declared, one.written[0], one.read[0])
    return {name: "u" + kind[1:] for name, kind in declared.items() if kind[0] == "b"} | types


def _alike(declared: dict[str, str], name: str, kind: str) -> bool:
    """Whether a register is declared as wide as a type."""
    return declared.get(name, "")[1:] == kind[1:]


def _share(types: dict[str, str], declared: dict[str, str], one: str, other: str) -> None:
    """A register and its copy hold the same, if one of them is known."""
    known = types.get(one) or types.get(other)
    if known and _alike(declared, one, known) and _alike(declared, other, known):
        types.setdefault(one, known)
        types.setdefault(other, known)


def _addresses(function: Function) -> set[str]:
    """Registers that serve as addresses alone, and sums on the way to one."""
    # By register and use of it: what must be addresses for it to be one (None: it is a value).
    needs: dict[str, list[frozenset[str] | None]] = defaultdict(list)
    for one in function.instructions:
        written = frozenset(one.written)
        bases, values = one.registers_of(Role.ADDRESS), one.registers_of(Role.READ)
        # What makes bytes of an index has an index of the learner's for its source.
        indices = {*values} - {*registers(*one.operands[3:])} if one.form.scales else set()
        for name in {*bases, *values}:
            is_value = name in values if name in bases else name in indices or not written
            onward = frozenset() if name in bases else written - {name}
            needs[name].append(None if is_value else onward)
    hidden: set[str] = set()
    while more := {
        name
        for name, uses in needs.items()
        if name not in hidden and all(need is not None and need <= hidden for need in uses)
    }:
        hidden |= more
    return hidden


def built_in(one: Instruction) -> str:
    """`threadIdx.x` for an instruction that reads `%tid.x`."""
    if one.form.carries is not Carries.COPIED or not isinstance(one.operands[-1], Symbol):
        return ""
    name, _, axis = one.operands[-1].name.partition(".")
    return f"{_BUILT_IN[name]}.{axis}" if name in _BUILT_IN else ""
