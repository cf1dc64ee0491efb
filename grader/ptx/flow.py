"""Where control and values may go in a kernel and all that it calls: loops, the buffers behind
pointers, registers that never got a value, loads that a compare-and-swap may follow.

What is said of values is flow-insensitive: a register may hold what any instruction that sets it
makes it of. What was loaded from memory may point anywhere.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_

from ..graphs import postorder
from .program import (
    Address,
    Carries,
    Flow,
    Function,
    Instruction,
    LinkedProgram,
    Operand,
    Role,
    Symbol,
    Vector,
    address_of,
    mentioned,
    registers,
    symbol_of,
)

ANYWHERE = "*"
_HEAP = "what the driver returned"
_FOLLOWED = ("shared", "local", "generic")  # the memory through which what never was set may go
_MEMORY = "shared or local memory"
PASSED = "what calls pass and hand back"

Ways = Sequence[tuple[Iterable[str], Iterable[str]]]  # (where something goes, where it comes from)


def spread(start: Iterable[str], ways: Ways) -> set[str]:
    """All that is reached from `start` by these ways, itself included."""
    reached, before = set(start), -1
    while len(reached) != before:
        before = len(reached)
        for onward, origins in ways:
            if not reached.isdisjoint(origins):
                reached.update(onward)
    return reached


def successors(code: Function, at: int) -> list[int]:
    """Where a thread may go on after an instruction; calls come back to where they were made."""
    one = code.instructions[at]
    flow = one.form.flow
    if flow is Flow.TABLE:
        return [code.labels[label] for label in code.tables[symbol_of(one.operands[1])]]
    onward = [code.labels[symbol_of(one.operands[0])]] if flow is Flow.BRANCH else []
    if one.guard is not None or flow not in (Flow.BRANCH, Flow.RETURN, Flow.EXIT, Flow.TRAP):
        onward.append(at + 1)
    return [successor for successor in onward if successor < len(code.instructions)]


def repeats(code: Function, at: int) -> bool:
    """Whether a thread that has executed the instruction at `at` may come to it again."""
    return any(reaches(code, after, at) for after in successors(code, at))


def reaches(code: Function, start: int, goal: int) -> bool:
    """Whether a thread that stands before `start` may come to `goal`."""
    return goal in postorder(start, partial(successors, code))


def deciding(linked: LinkedProgram) -> frozenset[str]:
    """The registers that have a say in where a thread goes on, or in which memory it touches; what
    was loaded from memory is made of nothing here."""
    start: set[str] = set()
    ways: list[tuple[list[str], list[str]]] = []
    for one in linked.function.instructions:
        start.update(registers(one.guard), one.registers_of(Role.ADDRESS))
        if one.form.control:  # of what a warp does together, the mask alone
            start.update(registers(one.operands[-1]) if one.form.collective else one.read)
        place = [PASSED] if passes(one, linked) else []
        loaded = one.form.carries is Carries.LOADED
        ways.append((place, one.written) if loaded else (one.read, [*one.written, *place]))
    return frozenset(spread(start, ways))


def endless_loop(kernel: Function, executed: set[int], at: int) -> int:
    """The jump back of the outermost loop that has gone round, by which instructions were
    `executed` of late; `at` where none has, as in a recursion."""
    code = kernel.instructions
    loops = [
        (end - kernel.labels[operand.name], end)
        for end in executed
        if code[end].form.flow is Flow.BRANCH
        for operand in code[end].operands
        if isinstance(operand, Symbol) and kernel.labels.get(operand.name, end + 1) <= end
    ]
    return max(loops, default=(0, at))[1]


def block_ends(kernel: Function, noticed: Iterable[int] = ()) -> list[int]:
    """For each instruction, the index of the one that ends its straight run: the next control
    instruction, or the last one before a label or one of `noticed`."""
    code, targets = kernel.instructions, {*kernel.labels.values(), *noticed}
    ends, end = [0] * len(code), len(code) - 1
    for at in reversed(range(len(code))):
        if code[at].form.control or at + 1 in targets:
            end = at
        ends[at] = end
    return ends


@dataclass(frozen=True)
class MemoryUse:
    """Names of parameters and variables that memory instructions reach; ANYWHERE stands for all.
    `reached`: by verb ("reads" and "writes": by plain loads and stores, "updates": by atomics);
    `targets` gives, by instruction, what a store or an atomic may reach, `touched` what any access
    may."""

    reached: dict[str, set[str]]
    targets: dict[int, frozenset[str]]
    touched: dict[int, frozenset[str]]

    def touches(self, names: set[str], verbs: tuple[str, ...]) -> bool:
        """Whether accesses of these verbs may reach what goes by any of `names`."""
        reached = set[str]().union(*(self.reached.get(verb, ()) for verb in verbs))
        return ANYWHERE in reached or not reached.isdisjoint(names)


def memory_use(linked: LinkedProgram) -> MemoryUse:
    """Follow the pointers of a kernel and of all it calls."""
    parameters = {parameter.name for parameter in linked.function.parameters}
    ways = [way for one in linked.function.instructions for way in _pointers(one, linked)]
    points = {
        root: spread({root}, ways)
        for root in {ANYWHERE, _HEAP} | parameters | linked.module_variables
    }
    reached: dict[str, set[str]] = defaultdict(set)  # by verb
    targets: dict[int, frozenset[str]] = {}
    touched: dict[int, frozenset[str]] = defaultdict(frozenset)
    for at, instruction in enumerate(linked.function.instructions):
        for position, transfer in instruction.form.transfers:
            if transfer.may_touch("global"):
                (name,) = _names(address_of(instruction.operands[position]))
                names = {root for root, held in points.items() if name in held} or {ANYWHERE}
                reached[transfer.verb] |= names
                touched[at] |= names
                if transfer.verb != "reads":
                    targets[at] = frozenset(names)
    return MemoryUse(dict(reached), targets, dict(touched))


def _pointers(one: Instruction, linked: LinkedProgram) -> Ways:
    """What may hold a pointer from now on, and what held it."""
    if one.form.flow is Flow.CALL:
        return _pointers_of_call(one, linked)
    if one.form.carries is not Carries.LOADED or one.form.goes_to("param"):
        return [_made_of(one)]
    return [(one.written, [ANYWHERE])] if any(t.size == 8 for _, t in one.form.transfers) else []


def _pointers_of_call(one: Instruction, linked: LinkedProgram) -> Ways:
    groups = [operand for operand in one.operands if isinstance(operand, Vector)]
    called = next((o for o in one.operands if not isinstance(o, Vector)), None)
    arguments = _names(groups[-1]) if groups else []
    results = _names(groups[0]) if len(groups) > 1 else []
    name = getattr(called, "name", "")
    if name not in linked.parts and isinstance(called, Symbol):
        return [(results, [_HEAP])]
    parts = [linked.parts[name]] if name in linked.parts else linked.parts.values()
    return [
        *(
            ([parameter.name], [slot])
            for part in parts
            for parameter, slot in zip(part.function.parameters, arguments, strict=False)
        ),
        *(
            ([slot], [result.name])
            for part in parts
            for slot, result in zip(results, part.function.results, strict=False)
        ),
    ]


def _names(*operands: Operand) -> list[str]:
    """The registers and symbols in some operands."""
    return [
        *(one.name for operand in operands for one in mentioned(operand)),
        *(ANYWHERE for one in operands if isinstance(one, Address) and one.base is None),
    ]


def _made_of(one: Instruction) -> tuple[list[str], list[str]]:
    """What an instruction gives a value, a register or the slot of a call's parameter, and of
    what; what goes to memory or comes from it is left out."""
    if one.form.carries in (Carries.STORED, Carries.LOADED) and not one.form.goes_to("param"):
        return one.written, []
    others = (
        operand for at, operand in enumerate(one.operands) if one.form.role(at) is not Role.WRITTEN
    )
    return (
        (_names(one.operands[0]), _names(*one.operands[1:]))
        if one.form.carries is Carries.STORED
        else (one.written, _names(*others))
    )


def swap_starts(kernel: Function) -> frozenset[int]:
    """The plain loads whose value may reach what a compare-and-swap compares with, by index, as in

        old = *sum;
        do { assumed = old; old = atomicCAS(sum, assumed, f(assumed)); } while (old != assumed);

    What such a load finds may be old: the swap then fails, and the loop takes another turn."""
    code = kernel.instructions
    compared = [name for one in code if one.form.compares for name in registers(one.operands[2])]
    if not compared:
        return frozenset()
    wanted = spread(
        compared,
        [
            ([] if one.form.atomic else of, results)
            for one, (results, of) in zip(code, map(_made_of, code), strict=True)
        ],
    )
    return frozenset(
        at
        for at, one in enumerate(code)
        if one.form.carries is Carries.LOADED
        and not one.form.goes_to("param")
        and not wanted.isdisjoint(one.written)
    )


@dataclass(frozen=True)
class MaybeUninitialized:
    """Registers that may be read before anything was written to them: variables of the source
    that never got a value, where the compiler left them in.

    They are those live at a function's entry, by the backward equations of live variables (Aho,
    Lam, Sethi, Ullman, "Compilers", section 9.2.5)."""

    at_entry: frozenset[str]  # some path reads them before it writes them
    reached: frozenset[str]  # these, and all that are computed from them
    # Registers of which a choice may discard what is computed from them, so that the compiler may
    # load them before it is known whether they are wanted, written or not; and those that are only
    # copied, as a struct's padding is.
    discardable: frozenset[str]


def maybe_uninitialized(linked: LinkedProgram) -> MaybeUninitialized:
    """The registers of a kernel and of all it calls that may hold what was never set. Functions
    that recurse are left out: theirs are kept and restored by depth."""
    bit = {name: 1 << number for number, name in enumerate(linked.function.registers)}
    live = _live(linked.function, bit)
    masks = [live[part.entry] for part in linked.parts.values() if not part.recursive]
    at_entry = frozenset(name for name, own in bit.items() if any(mask & own for mask in masks))
    # Backwards, from what a choice reads, and from what is needed.
    code = linked.function.instructions
    choosable = spread(
        (
            name
            for one in code
            if one.form.carries in (Carries.CHOSEN, Carries.ALL_BITS, Carries.ALL_BITS_SET)
            for name in one.read
        ),
        [(one.read, one.written) for one in code if one.form.carries is not Carries.LOADED],
    )
    copies = [(one.read, one.written) for one in code if one.form.carries is Carries.COPIED]
    only_copied = linked.function.registers.keys() - spread(_needed(linked), copies)
    return MaybeUninitialized(
        at_entry, _reached(linked, at_entry), frozenset(choosable | only_copied)
    )


def with_loads(maybe: MaybeUninitialized, linked: LinkedProgram) -> MaybeUninitialized:
    """The same where discardable registers, too, may hold what never was set."""
    loaded = {
        name
        for one in linked.function.instructions
        if one.form.carries is Carries.LOADED
        for name in one.written
    }
    return replace(maybe, reached=_reached(linked, maybe.at_entry | (loaded & maybe.discardable)))


def passes(one: Instruction, linked: LinkedProgram) -> str | None:
    """The parameter of a call, or the result, that an instruction loads or stores."""
    position = {Carries.LOADED: 1, Carries.STORED: 0}.get(one.form.carries)
    base = None if position is None else address_of(one.operands[position]).base
    return base.name if isinstance(base, Symbol) and base.name in linked.passed else None


def _needed(linked: LinkedProgram) -> set[str]:
    """The registers that something computes with, decides by or makes an address of, or that go
    into memory where nobody follows them. What is printed lies in local memory, where nobody sees
    it read."""
    code = linked.function.instructions
    called = {
        operand.name
        for one in code
        if one.form.flow is Flow.CALL
        for operand in one.operands
        if isinstance(operand, Symbol)
    }
    followed = {"shared"} if called - linked.parts.keys() else {*_FOLLOWED}
    needed = {one.guard.name for one in code if one.guard}
    for one in code:
        form = one.form
        if form.carries is Carries.STORED and (form.goes_to(*followed) or passes(one, linked)):
            needed.update(registers(one.operands[0], *one.operands[2:]))
        elif form.carries is not Carries.COPIED:
            needed.update(one.read)
    return needed


def _live(code: Function, bit: dict[str, int]) -> list[int]:
    """For each instruction the registers live before it, as a set of bits."""

    def bits(names: Iterable[str]) -> int:
        return sum({bit.get(name, 0) for name in names})  # the sink `_` is not declared

    onward = [successors(code, at) for at in range(len(code.instructions))]
    reads = [bits(one.used) for one in code.instructions]
    writes = [0 if one.guard else bits(one.written) for one in code.instructions]
    live, before = [0] * len(reads), None
    while live != before:
        before = list(live)
        for at in reversed(range(len(live))):
            live[at] = reads[at] | (
                reduce(or_, (live[successor] for successor in onward[at]), 0) & ~writes[at]
            )
    return live


def _reached(linked: LinkedProgram, start: frozenset[str]) -> frozenset[str]:
    """All registers that what `start` holds may flow into, also by way of shared or local memory,
    which stands as one place for all of it, and so do the parameters of calls."""
    ways: list[tuple[list[str], list[str]]] = []
    for one in linked.function.instructions if start else ():
        memory = [_MEMORY] if one.form.goes_to(*_FOLLOWED) else []
        place = [PASSED] if passes(one, linked) else memory
        loads, stores = (one.form.carries is how for how in (Carries.LOADED, Carries.STORED))
        into, out_of = place if stores else one.written, place if loads else one.read
        ways.append((into, registers(*one.operands[1:]) if stores else out_of))
    return frozenset(spread(start, ways) - {_MEMORY, PASSED})
