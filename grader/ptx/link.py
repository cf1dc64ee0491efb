"""A kernel and the device functions it may call, put together as one program, with what analyses
say of it and what each of its source lines assigns.

Functions come before the kernel, callees before their callers where the call graph allows it: of
several groups of threads the machine runs the one at the lowest instruction, so those inside a
call are back before the others go on without them.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, product
from typing import Any

import numpy as np
from msgspec.structs import replace

from ..graphs import postorder
from ..grouped import grouped
from .flow import (
    MaybeUninitialized,
    MemoryUse,
    block_ends,
    deciding,
    maybe_uninitialized,
    memory_use,
    swap_starts,
)
from .numbers import DTYPES, stored
from .program import (
    SINK,
    Address,
    Carries,
    Flow,
    Form,
    Function,
    Immediate,
    Instruction,
    LinkedFunction,
    LinkedProgram,
    Malformed,
    Negated,
    Operand,
    PtxModule,
    Register,
    Role,
    Symbol,
    Variable,
    Vector,
    function_addresses,
    registers,
    require,
)

# ---- what each source line of a program assigns, as far as registers tell ----
#
# A line table names no variables, so all that is known of a register is which line wrote it and
# which lines read it. What a line computes on its way (an address, a product that is added at once)
# is left out; what other lines read, or the same line when a loop comes round again, is what it
# assigned.

_COPIES = 3  # of copies that are followed
_BUILT_IN = {"%tid": "threadIdx", "%ntid": "blockDim", "%ctaid": "blockIdx", "%nctaid": "gridDim"}


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
    code, hidden = function.instructions, _addresses(function)
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
            types |= {
                name: one.form.type
                for name in (*one.written, *one.read)
                if name not in types and _alike(declared, name, one.form.type)
            }
    copies = [
        one
        for one in function.instructions
        if one.form.carries in (Carries.COPIED, Carries.CHOSEN, Carries.ACROSS)
    ]
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


# ---- one program ----

Calls = dict[str, frozenset[str]]  # by function: what it calls, or takes the address of, and more


@dataclass(eq=False)
class Group:
    """Registers that are stored alike, and how many they are."""

    dtype: np.dtype
    size: int = 0


@dataclass(eq=False)
class Seen:
    """A group of registers as instructions see it that take them as `dtype`."""

    group: Group
    dtype: np.dtype


Place = tuple[Seen, int]  # a register as an instruction sees it: of which group, which of these


class Places:
    """Where the registers lie that a program names."""

    def __init__(self, function: Function):
        self.groups: dict[str, tuple[Group, int]] = {}  # and which of the group it is, by name
        self._seen: dict[tuple[Group, np.dtype], Seen] = {}
        self._places: dict[tuple[str, str], Place] = {}  # by name and type, those asked for
        kinds, growing = function.registers, dict[np.dtype, Group]()
        for one in function.instructions:
            for name in registers(*one.operands, one.guard):
                if name not in self.groups and kinds.get(name) in DTYPES:
                    dtype = stored(kinds[name])
                    # A group has few registers: what nobody comes to is not made.
                    if dtype not in growing or growing[dtype].size == 64:
                        growing[dtype] = Group(dtype)
                    self.groups[name] = growing[dtype], growing[dtype].size
                    growing[dtype].size += 1

    def read(self, register: Operand, kind: str) -> Place:
        """Where a register lies as a PTX type, of which it may be wider. Malformed if it is no
        register, or too small a one."""
        if not isinstance(register, Register):
            raise Malformed("no_register", kind=kind)
        if (known := self._places.get((register.name, kind))) is not None:
            return known
        require(register != SINK, "read_of_the_sink")
        (group, number), dtype = self.groups[register.name], DTYPES[kind]
        require(
            group.dtype.itemsize >= dtype.itemsize
            and (group.dtype.kind == "b") == (kind == "pred"),
            "wrong_register",
            name=register.name,
            kind=kind,
        )
        place = self._seen.setdefault((group, dtype), Seen(group, dtype)), number
        return self._places.setdefault((register.name, kind), place)

    def written(self, register: Operand, kind: str) -> Place:
        """The same of what results of a type are assigned to: a wider register is extended by the
        sign of `kind`."""
        seen, number = self.read(register, kind)
        dtype, size = seen.dtype, seen.group.dtype.itemsize
        if size == dtype.itemsize or dtype.kind == "f":
            return seen, number
        dtype = np.dtype(f"{dtype.kind}{size}")
        return self._seen.setdefault((seen.group, dtype), Seen(seen.group, dtype)), number


@dataclass(frozen=True)
class Executable:
    """`block_end` is what `block_ends` makes of the program; `swap_starts` what the function of
    that name finds."""

    linked: LinkedProgram
    block_end: list[int]
    memory_use: MemoryUse
    maybe_uninitialized: MaybeUninitialized
    swap_starts: frozenset[int]
    # By instruction, what `table` finds of it once for all launches.
    moves: dict[int, Any] = field(default_factory=dict)

    @cached_property
    def depends_on_order(self) -> bool:
        """Whether it uses what an atomic or a volatile load finds."""
        return bool(self._by_order)

    @cached_property
    def depends_on_blocks(self) -> bool:
        """Whether it uses what an atomic or a volatile load finds that other blocks may write."""
        return any(not form.goes_to("shared") for form in self._by_order)

    @cached_property
    def _by_order(self) -> list[Form]:
        return [
            one.form
            for one in self.linked.function.instructions
            if (one.form.atomic and one.written)
            or (one.form.reads and any(transfer.strong for _, transfer in one.form.transfers))
        ]

    @cached_property
    def orders(self) -> bool:
        """Whether it can order what threads do that do not meet at a barrier."""
        return any(one.form.orders for one in self.linked.function.instructions)

    @cached_property
    def cells(self) -> dict[str, int]:
        """By space, the bytes of the narrowest access that may go there."""
        transfers = [
            transfer
            for one in self.linked.function.instructions
            for _, transfer in one.form.transfers
        ]
        return {
            space: min((one.size for one in transfers if one.may_touch(space)), default=4)
            for space in ("shared", "global")
        }

    @cached_property
    def asynchronous(self) -> bool:
        """Whether a copy engine or a tensor core works for it beside its threads."""
        return any(one.form.has("bulk", "mma_async") for one in self.linked.function.instructions)

    @cached_property
    def places(self) -> Places:
        """Where its registers lie."""
        return Places(self.linked.function)

    @cached_property
    def exits(self) -> set[int]:
        """The instructions where every thread that comes there leaves the kernel."""
        name, owner = self.linked.function.name, self.linked.owner
        return {
            at
            for at, one in enumerate(self.linked.function.instructions)
            if one.form.flow in (Flow.RETURN, Flow.EXIT) and one.guard is None and owner[at] == name
        }

    @cached_property
    def deciding(self) -> frozenset[str]:
        """What the function of that name finds."""
        return deciding(self.linked)

    @cached_property
    def register_types(self) -> dict[str, str]:
        """What `register_types` makes of the program, for those who play it."""
        return register_types(self.linked.function)

    @cached_property
    def assigned(self) -> dict[int, tuple[Result, ...]]:
        """What `assigned` makes of it, likewise."""
        return assigned(self.linked.function, self.register_types)


def executable(program: PtxModule, kernel: Function) -> Executable:
    """Nothing of it changes when it runs."""
    linked = link(program, kernel)
    return Executable(
        linked,
        block_ends(linked.function),
        memory_use(linked),
        maybe_uninitialized(linked),
        swap_starts(linked.function),
    )


def link(program: PtxModule, kernel: Function) -> LinkedProgram:
    """Everything that `kernel` can reach, with names made distinct by function."""
    calls = {name: function.symbols for name, function in program.functions.items()}
    order = _reachable(
        kernel.name,
        calls,
        {symbol for v in program.variables.values() for _, symbol in v.pointers if symbol in calls},
    )
    functions = [
        program.functions[name] if name == kernel.name else _renamed(program.functions[name])
        for name in order
    ]
    starts = [0, *accumulate(len(function.instructions) for function in functions)]
    return LinkedProgram(
        _merged(kernel, functions, starts),
        {
            name: LinkedFunction(start, function, _is_recursive(name, calls))
            for name, start, function in zip(order, starts, functions, strict=False)
        },
        tuple(
            name
            for name, function in zip(order, functions, strict=True)
            for _ in function.instructions
        ),
        function_addresses(program),
        frozenset(program.variables),
    )


def _merged(kernel: Function, functions: list[Function], starts: list[int]) -> Function:
    """All functions as one, the kernel's own included; what the others are given and return are
    variables like others."""
    passed = {
        f.name: (*f.parameters, *f.results) if f.name != kernel.name else () for f in functions
    }
    return replace(
        kernel,
        instructions=tuple(one for f in functions for one in f.instructions),
        variables=tuple(v for f in functions for v in (*f.variables, *passed[f.name])),
        labels={
            label: start + at
            for start, f in zip(starts, functions, strict=False)
            for label, at in f.labels.items()
        },
        registers={name: kind for f in functions for name, kind in f.registers.items()},
        tables={name: labels for f in functions for name, labels in f.tables.items()},
    )


def _reachable(start: str, calls: Calls, tabled: set[str]) -> list[str]:
    """Functions reachable from `start`, callees first. An indirect call may reach any function
    whose address stands in a table."""
    return postorder(start, lambda name: sorted((calls[name] | tabled) & calls.keys()))


def _is_recursive(name: str, calls: Calls) -> bool:
    """Whether `name` may run below a call that it makes."""
    called = calls[name] & calls.keys()
    return name in called or any(name in _reachable(one, calls, set()) for one in called)


def _renamed(function: Function) -> Function:
    """The function with its own names prefixed, so that no other function's are the same."""
    variables = (*function.variables, *function.parameters, *function.results)
    own = {*function.labels, *function.registers, *function.tables, *(v.name for v in variables)}

    def new(name: str) -> str:
        return f"{function.name}::{name}" if name in own else name

    def moved(declared: Sequence[Variable]) -> tuple[Variable, ...]:
        return tuple(replace(v, name=new(v.name)) for v in declared)

    return replace(
        function,
        instructions=tuple(
            replace(
                one,
                operands=tuple(_operand(operand, new) for operand in one.operands),
                guard=_operand(one.guard, new),
            )
            for one in function.instructions
        ),
        labels={new(name): at for name, at in function.labels.items()},
        registers={new(name): kind for name, kind in function.registers.items()},
        tables={new(name): tuple(map(new, names)) for name, names in function.tables.items()},
        variables=moved(function.variables),
        parameters=moved(function.parameters),
        results=moved(function.results),
    )


def _operand(value: Any, new: Callable[[str], str]) -> Any:
    """An operand with other names: the `new` one for each."""
    match value:
        case Register(name) | Symbol(name):
            return type(value)(new(name))
        case Negated(register):
            return Negated(_operand(register, new))
        case Address(base, offset):
            return Address(_operand(base, new), offset)
        case Vector(items):
            return Vector(tuple(_operand(item, new) for item in items))
    return value
