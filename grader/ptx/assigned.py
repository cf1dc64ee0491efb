"""What each source line of a program assigns, as far as registers tell.

A line table names no variables, so all that is known of a register is which line wrote it and which
lines read it. What a line computes on its way (an address, a product that is added at once) is left
out; what other lines read, or the same line when a loop comes round again, is what it assigned.
"""

from collections import defaultdict
from dataclasses import dataclass

from .program import Carries, Function, Instruction, Role, Symbol, registers

_COPYING = (Carries.COPIED, Carries.CHOSEN, Carries.ACROSS)
_COPIES = 3  # of copies that are followed
_BUILT_IN = {"%tid": "threadIdx", "%ntid": "blockDim", "%ctaid": "blockIdx", "%nctaid": "gridDim"}

Code = tuple[Instruction, ...]


@dataclass(frozen=True)
class Result:
    """A register that an instruction leaves for other lines; its PTX type ("f32", "s32", ...); and
    what CUDA calls the value, where the instruction reads it from a built-in variable."""

    register: str
    type: str
    built_in: str = ""


def assigned(function: Function, types: dict[str, str]) -> dict[int, tuple[Result, ...]]:
    """By instruction, what it assigns; instructions that assign nothing are left out. `types` are
    those of its registers."""
    code = function.instructions
    hidden, readers = _addresses(function), _readers(code)
    found = {}
    for at, one in enumerate(code):
        kept = tuple(
            Result(name, types[name], _built_in(one))
            for name in one.written
            if types.get(name, "pred") != "pred"
            and name not in hidden
            and not _is_set_up(one)
            and _goes_on(at, one, readers[name], code)
        )
        if kept:
            found[at] = kept
    return found


def register_types(function: Function) -> dict[str, str]:
    """What each register holds: its declared type or, where that says no more than how wide it is,
    that of the instructions that say more, a signed one before an unsigned one; a copy holds what
    the original does."""
    declared = function.registers
    types = {name: kind for name, kind in declared.items() if kind[0] != "b"}
    for sign in ("f", "s", "u"):
        for one in function.instructions:
            if one.form.type[:1] == sign and not one.form.converts:
                alike = (n for n in (*one.written, *one.read) if _alike(declared, n, one.form.type))
                types |= {name: one.form.type for name in alike if name not in types}
    for _ in range(_COPIES):
        for one in function.instructions:
            if one.form.carries in _COPYING and one.written and one.read:
                _share(types, declared, one.written[0], one.read[0])
    widths = {name: "u" + kind[1:] for name, kind in declared.items() if kind[0] == "b"}
    return widths | types


def _alike(declared: dict[str, str], name: str, kind: str) -> bool:
    """Whether a register is declared as wide as a type."""
    return declared.get(name, "")[1:] == kind[1:]


def _share(types: dict[str, str], declared: dict[str, str], one: str, other: str) -> None:
    """A register and its copy hold the same, if one of them is known."""
    known = types.get(one) or types.get(other)
    if known and _alike(declared, one, known) and _alike(declared, other, known):
        types.setdefault(one, known)
        types.setdefault(other, known)


def _goes_on(at: int, one: Instruction, readers: list[int], code: Code) -> bool:
    """Whether another line reads what this instruction writes, or a loop's next round."""
    return any(code[reader].line != one.line or reader <= at for reader in readers)


def _readers(code: Code) -> dict[str, list[int]]:
    readers: dict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(code):
        for name in (*one.read, *([one.guard.name] if one.guard else [])):
            readers[name].append(at)
    return readers


@dataclass(frozen=True)
class _Use:
    """The registers of an instruction, by what it does with them."""

    bases: frozenset[str]  # of addresses
    values: frozenset[str]
    makes: frozenset[str]
    scaled: frozenset[str] | None  # what makes bytes of an index, has that index here


def _addresses(function: Function) -> set[str]:
    """Registers that serve as addresses alone, and sums on the way to one."""
    uses: dict[str, list[_Use]] = defaultdict(list)
    for one in function.instructions:
        use = _use(one)
        for name in use.bases | use.values:
            uses[name].append(use)
    hidden: set[str] = set()
    before = -1
    while len(hidden) > before:
        before = len(hidden)
        for name, users in list(uses.items()):
            if all(_makes_address(name, use, hidden) for use in users):
                hidden.add(name)
                del uses[name]
    return hidden


def _use(one: Instruction) -> _Use:
    bases: list[str] = []
    values: list[str] = []
    for position, operand in enumerate(one.operands):
        role = one.form.role(position)
        if role is not Role.WRITTEN:
            (bases if role is Role.ADDRESS else values).extend(registers(operand))
    scaled = frozenset(registers(*one.operands[3:])) if one.form.scales else None
    return _Use(frozenset(bases), frozenset(values), frozenset(one.written), scaled)


def _makes_address(name: str, use: _Use, hidden: set[str]) -> bool:
    if name in use.bases:
        return name not in use.values
    made = bool(use.makes) and use.makes <= hidden | {name}
    # What makes bytes of an index has an index of the learner's for its source.
    return made and not (use.scaled is not None and name not in use.scaled)


def _is_set_up(one: Instruction) -> bool:
    """Whether an instruction only fetches a parameter, or makes an address global."""
    spaces = [transfer.space for _, transfer in one.form.transfers]
    return one.form.of_address or "param" in spaces


def _built_in(one: Instruction) -> str:
    """`threadIdx.x` for an instruction that reads `%tid.x`."""
    if one.form.carries is not Carries.COPIED or not isinstance(one.operands[-1], Symbol):
        return ""
    name, _, axis = one.operands[-1].name.partition(".")
    return f"{_BUILT_IN[name]}.{axis}" if name in _BUILT_IN else ""
