"""A PTX program as plain data: what `parser` makes of the text and the machine executes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..counted import counted
from .forms.form import Form, Role


class Malformed(Exception):
    """PTX that does not hold together, and why; it stands on `line` of the source, where that is
    known."""

    def __init__(self, why: str, line: int | None = None):
        super().__init__(why)
        self.line = line


@dataclass(frozen=True)
class Register:
    name: str


@dataclass(frozen=True)
class Immediate:
    """A literal: an int, or a float given by its bits (`0f3F800000` is width 4)."""

    value: int
    float_width: int = 0


@dataclass(frozen=True)
class Symbol:
    """A label, variable, parameter, function or special register, by name."""

    name: str


@dataclass(frozen=True)
class Negated:
    """`!p`, a predicate read as its opposite."""

    register: Register


@dataclass(frozen=True)
class Address:
    """`[base+offset]`; the base is a register, a symbol, or None for an absolute address."""

    base: Register | Symbol | None
    offset: int


@dataclass(frozen=True)
class Vector:
    """`{a, b, c, d}`, or the pair `a|b` of two destinations."""

    items: tuple[Any, ...]


Operand = Register | Immediate | Symbol | Negated | Address | Vector


def components(operand: Operand) -> tuple[Operand, ...]:
    """What an operand consists of: the items of a vector, or itself alone."""
    return operand.items if isinstance(operand, Vector) else (operand,)


def several(operand: Operand, *numbers: int) -> tuple[Operand, ...]:
    """What an operand consists of; Malformed unless that are so many, or one of these numbers."""
    found = components(operand)
    if len(found) not in numbers:
        expected = " or ".join(map(str, numbers))
        raise Malformed(f"an operand has {counted(len(found), 'part')} and not {expected}")
    return found


def symbol_of(operand: object) -> str:
    """The name that an operand consists of; Malformed if it is no name."""
    if not isinstance(operand, Register | Symbol):
        raise Malformed("a name is expected among the operands")
    return operand.name


def address_of(operand: Operand) -> Address:
    """The address that an operand is; Malformed if it is none."""
    if not isinstance(operand, Address):
        raise Malformed("an address is expected among the operands")
    return operand


def immediate_of(operand: Operand) -> int:
    """The number that an operand is; Malformed if it is none."""
    if not isinstance(operand, Immediate):
        raise Malformed("a number is expected among the operands")
    return operand.value


def is_sink(operand: Operand) -> bool:
    """Whether an operand is `_`, which takes what nobody wants."""
    return isinstance(operand, Register) and operand.name == "_"


def used_parts(target: Vector, size: int, used: int) -> Vector:
    """A vector of parts of so many bytes, with the sink for those of which no byte is used; `used`
    has a bit for each."""
    part = (1 << size) - 1
    items = enumerate(target.items)
    return Vector(tuple(one if used >> n * size & part else Register("_") for n, one in items))


def mentioned(operand: Operand | None) -> Iterator[Register | Symbol]:
    """The registers and symbols in an operand."""
    if isinstance(operand, Register | Symbol):
        yield operand
    elif isinstance(operand, Negated):
        yield operand.register
    elif isinstance(operand, Address):
        yield from mentioned(operand.base)
    elif isinstance(operand, Vector):
        for item in operand.items:
            yield from mentioned(item)


def registers(*operands: Operand | None) -> list[str]:
    """The names of the registers in some operands."""
    found = (one for operand in operands for one in mentioned(operand))
    return [one.name for one in found if isinstance(one, Register)]


@dataclass(frozen=True)
class Instruction:
    """`@!p opcode operands;`, and the learner's source line it stems from (None: unknown). What
    the opcode means stands in its `form`. `callers`: the lines of the calls that it was inlined
    through, innermost first."""

    form: Form
    operands: tuple[Operand, ...]
    guard: Register | None = None
    guard_negated: bool = False
    line: int | None = None
    callers: tuple[int, ...] = ()

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        """Worked out once, as it is asked for whenever the instruction is bound."""
        return hash((self.form, self.operands, self.line))

    @cached_property
    def written(self) -> list[str]:
        """The registers that it writes."""
        return self._registers((Role.WRITTEN,))

    @cached_property
    def read(self) -> list[str]:
        """The registers among its other operands, those of addresses included."""
        return self._registers((Role.READ, Role.ADDRESS))

    def _registers(self, roles: tuple[Role, ...]) -> list[str]:
        pairs = enumerate(self.operands)
        return registers(*(one for at, one in pairs if self.form.role(at) in roles))


@dataclass(frozen=True)
class Variable:
    """A variable in a state space ("global", "const", "shared", "local"), or a parameter
    ("param"). `initial` holds its leading bytes; `pointers` the symbols whose addresses stand in
    it, by byte offset. A size of 0 marks `extern __shared__`."""

    name: str
    space: str
    type: str
    size: int
    align: int
    initial: bytes = b""
    pointers: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Function:
    """A kernel (`entry`) or a device function. `labels` maps a label to the index of the
    instruction it precedes; `registers` a register to its type; `tables` the name of a
    `.branchtargets` list to its labels; `directives` such as "maxntid" to their numbers."""

    name: str
    entry: bool
    parameters: tuple[Variable, ...]
    results: tuple[Variable, ...]
    instructions: tuple[Instruction, ...]
    labels: dict[str, int]
    registers: dict[str, str]
    variables: tuple[Variable, ...]
    line: int | None = None
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    directives: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The names of variables, parameters and functions that its instructions use."""
        operands = (operand for one in self.instructions for operand in one.operands)
        bases = (getattr(operand, "base", operand) for operand in operands)
        return frozenset(base.name for base in bases if isinstance(base, Symbol))


@dataclass(frozen=True)
class Program:
    functions: dict[str, Function]
    variables: dict[str, Variable]
    source_file: str
