"""A PTX program as plain data: what `parse` makes of the text, what `link` puts together, and what
the table says of each way to write an instruction (`Form`)."""

from collections.abc import Callable, Iterable
from enum import Enum, auto
from functools import cached_property
from typing import Any

import msgspec

from ..errors import Held


class Role(Enum):
    """What an instruction does with one of its operands."""

    WRITTEN, READ, ADDRESS = range(3)


class Flow(Enum):
    """Where a thread goes on after an instruction: at the NEXT one; after a BRANCH at its label, or
    (if guarded) at the next one; after a TABLE at one of a list of labels; in the function of a
    CALL; after a RETURN in the caller, or out of the kernel. EXIT and TRAP end it."""

    NEXT, BRANCH, TABLE, CALL, RETURN, EXIT, TRAP = range(7)


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


class Transfer(msgspec.Struct, frozen=True):
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


class Form(msgspec.Struct, frozen=True):
    """One way to write an instruction, found once for each instruction of a program.

    `opcode` is as written; `name` its first word; `mods` the others, in the order in which the
    table names them; `type` the last of them that is a type ("" if none is). `roles` are those of
    the operands, the last one's also that of all further ones. `transfers` pairs operands (by
    position) with what happens at that address. `control`: lanes may part, wait or end here;
    `collective`: those that a mask names must come to it together; `orders`: it can order what
    threads do that do not meet at a barrier; `atomic`: it is one of what C++ calls so; `scales`: it
    multiplies integers, or shifts them to the left; `converts`: `type` is that of its source;
    `of_address`: it makes an address of one state space one of another; `by_chance`: its result
    depends on whose turn it is; `asks`: it compares numbers, for a condition.
    `build(instruction, index, wave)` makes the step that executes it; None: the simulated GPU
    does not have it. `select(instruction)` says what it computes, where that is done lane by lane
    (see `table.Elementwise`).
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
    by_chance: bool = False
    asks: bool = False
    build: Callable[..., Any] | None = None
    select: Callable[..., Any] | None = None

    def role(self, position: int) -> Role:
        return self.roles[min(position, len(self.roles) - 1)]

    def has(self, *mods: str) -> bool:
        """Whether it has one of these modifiers."""
        return not set(mods).isdisjoint(self.mods)

    def one_of(self, mods: Iterable[str]) -> str | None:
        """The first of its modifiers that is one of `mods`."""
        return next((mod for mod in self.mods if mod in mods), None)

    def goes_to(self, *spaces: str) -> bool:
        """Whether it reads or writes in one of these state spaces. A call's parameters and results
        are in "param"."""
        return any(one.space in spaces for _, one in self.transfers)

    @property
    def reads(self) -> bool:
        """Whether it is a plain or a volatile load."""
        return any(one.verb == "reads" for _, one in self.transfers)

    @property
    def compares(self) -> bool:
        return any(one.compares for _, one in self.transfers)

    def transfer(self, position: int) -> Transfer:
        """What happens at the address that stands at this position."""
        return dict(self.transfers)[position]


class AtLine(Exception):
    """What is wrong, with its facts, and the `line` of the source on which it stands, where that
    is known."""

    def __init__(self, what: str, line: int | None = None, **facts: Any):
        super().__init__(what)
        self.line, self.facts = line, facts


class Malformed(AtLine):
    """PTX that does not hold together: a name in `say.ptx_faults.MALFORMED`, with its facts."""


class Unsupported(AtLine):
    """An instruction that the simulated GPU does not have: a name in `say.ptx_faults.UNSUPPORTED`,
    with its facts."""


def require(holds: Held | None, fault: str, **facts: Any) -> Held:
    """Malformed, with the fault of that name, unless it holds; returns it, which then is not
    None."""
    if not holds:
        raise Malformed(fault, **facts)
    return holds


class Register(msgspec.Struct, frozen=True):
    name: str


class Immediate(msgspec.Struct, frozen=True):
    """A literal: an int, or a float given by its bits (`0f3F800000` is width 4)."""

    value: int
    float_width: int = 0


class Symbol(msgspec.Struct, frozen=True):
    """A label, variable, parameter, function or special register, by name."""

    name: str


class Negated(msgspec.Struct, frozen=True):
    """`!p`, a predicate read as its opposite."""

    register: Register


class Address(msgspec.Struct, frozen=True):
    """`[base+offset]`; the base is a register, a symbol, or None for an absolute address."""

    base: Register | Symbol | None
    offset: int


class Vector(msgspec.Struct, frozen=True):
    """`{a, b, c, d}`, or the pair `a|b` of two destinations."""

    items: tuple[Any, ...]


Operand = Register | Immediate | Symbol | Negated | Address | Vector


def components(operand: Operand) -> tuple[Operand, ...]:
    """What an operand consists of: the items of a vector, or itself alone."""
    return operand.items if isinstance(operand, Vector) else (operand,)


def several(operand: Operand, *numbers: int) -> tuple[Operand, ...]:
    """What an operand consists of; Malformed unless that are so many, or one of these numbers."""
    found = components(operand)
    require(len(found) in numbers, "parts_of_an_operand", parts=len(found), wanted=numbers)
    return found


def symbol_of(operand: Any) -> str:
    """The name that an operand consists of; Malformed if it is no name."""
    require(isinstance(operand, Register | Symbol), "no_name")
    return str(operand.name)


def address_of(operand: Operand) -> Address:
    """The address that an operand is; Malformed if it is none."""
    return require(
        operand if isinstance(operand, Address) else None,
        "no_address",
    )


def immediate_of(operand: Any) -> int:
    """The number that an operand is; Malformed if it is none."""
    require(isinstance(operand, Immediate), "no_number")
    return int(operand.value)


SINK = Register("_")  # takes what nobody wants


def used_parts(target: Vector, size: int, used: int) -> Vector:
    """A vector of parts of so many bytes, with the sink for those of which no byte is used; `used`
    has a bit for each."""
    part = (1 << size) - 1
    return Vector(
        tuple(one if used >> n * size & part else SINK for n, one in enumerate(target.items))
    )


def mentioned(operand: Operand | None) -> tuple[Register | Symbol, ...]:
    """The registers and symbols in an operand."""
    match operand:
        case Register() | Symbol():
            return (operand,)
        case Negated(inner) | Address(inner):
            return mentioned(inner)
        case Vector(items):
            return tuple(one for item in items for one in mentioned(item))
    return ()


def registers(*operands: Operand | None) -> list[str]:
    """The names of the registers in some operands."""
    return [
        part.name
        for operand in operands
        for part in mentioned(operand)
        if isinstance(part, Register)
    ]


class Instruction(msgspec.Struct, frozen=True, dict=True):
    """`@!p opcode operands;`, and the learner's source line it stems from (None: unknown). What
    the opcode means stands in its `form`. `callers`: the lines of the calls that it was inlined
    through, innermost first."""

    form: Form
    operands: tuple[Operand, ...]
    guard: Register | None = None
    guard_negated: bool = False
    line: int | None = None
    callers: tuple[int, ...] = ()

    @cached_property
    def selected(self) -> Any:
        """What its form selects: `table.Elementwise`, worked out once for all launches."""
        return self.form.select(self) if self.form.select else None

    @cached_property
    def written(self) -> list[str]:
        """The registers that it writes."""
        return self.registers_of(Role.WRITTEN)

    @cached_property
    def read(self) -> list[str]:
        """The registers among its other operands, those of addresses included."""
        return self.registers_of(Role.READ, Role.ADDRESS)

    @cached_property
    def used(self) -> list[str]:
        """The registers that it reads, its guard included."""
        return [*self.read, *registers(self.guard)]

    def registers_of(self, *roles: Role) -> list[str]:
        """The registers among the operands that have one of these roles."""
        return registers(
            *[one for at, one in enumerate(self.operands) if self.form.role(at) in roles]
        )


class Variable(msgspec.Struct, frozen=True):
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


class Function(msgspec.Struct, frozen=True, dict=True):
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
    tables: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    directives: dict[str, tuple[int, ...]] = msgspec.field(default_factory=dict)

    @cached_property
    def symbols(self) -> frozenset[str]:
        """The names of variables, parameters and functions that its instructions use."""
        bases = (
            getattr(operand, "base", operand)
            for one in self.instructions
            for operand in one.operands
        )
        return frozenset(base.name for base in bases if isinstance(base, Symbol))


class PtxModule(msgspec.Struct, frozen=True):
    functions: dict[str, Function]
    variables: dict[str, Variable]


FUNCTIONS_AT = 0x4000_0000_0000


class LinkedFunction(msgspec.Struct, frozen=True):
    """One function within a linked program: where it starts, and whether it may be called again
    while it runs."""

    entry: int
    function: Function
    recursive: bool


class LinkedProgram(msgspec.Struct, frozen=True, dict=True):
    """`function` is the kernel with all it calls; `parts` the functions in it by name (the
    kernel's own included); `owner` says for each instruction whose it is; `addresses` what a
    pointer to a function holds; `module_variables` are the names of what no function owns."""

    function: Function
    parts: dict[str, LinkedFunction]
    owner: tuple[str, ...]
    addresses: dict[str, int]
    module_variables: frozenset[str]

    @cached_property
    def passed(self) -> dict[str, Variable]:
        """The parameters and results of calls, and of the functions that are called, by name."""
        return {one.name: one for one in self.function.variables if one.space == "param"}


def function_addresses(program: PtxModule) -> dict[str, int]:
    """The address that stands for each function."""
    return {name: FUNCTIONS_AT + 16 * number for number, name in enumerate(program.functions)}
