"""Which instructions may come after which."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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


class ControlFlow:
    """The control flow of a kernel and what it calls; calls return to where they were made. For
    what is said of a barrier or a loop, never for what is found."""

    def __init__(self, code: Function):
        self.code = code

    def repeats(self, at: int) -> bool:
        """Whether a thread that has executed the instruction at `at` may come to it again."""
        return any(self.reaches(after, at) for after in self._after(at))

    def reaches(self, start: int, goal: int) -> bool:
        """Whether a thread that stands before `start` may come to `goal`."""
        seen, pending = {start}, [start]
        while pending:
            at = pending.pop()
            if at == goal:
                return True
            new = [after for after in self._after(at) if after not in seen]
            seen.update(new)
            pending += new
        return False

    def _after(self, at: int) -> list[int]:
        code = self.code.instructions
        one = code[at]
        goes = one.form.flow
        if goes in (Flow.RETURN, Flow.EXIT, Flow.TRAP) and one.guard is None:
            return []
        after = [at + 1] if at + 1 < len(code) else []
        if goes is Flow.BRANCH:
            target = self.code.labels[symbol_of(one.operands[0])]
            return [target, *after] if one.guard else [target]
        if goes is Flow.TABLE:
            return self._tabled
        return after

    @cached_property
    def _tabled(self) -> list[int]:
        names = {name for table in self.code.tables.values() for name in table}
        return [self.code.labels[name] for name in names if name in self.code.labels]


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


def block_ends(kernel: Function) -> list[int]:
    """For each instruction, the index of the one that ends its straight run: the next control
    instruction, or the last one before a label."""
    code = kernel.instructions
    targets = set(kernel.labels.values())
    ends, end = [0] * len(code), len(code) - 1
    for at in reversed(range(len(code))):
        if code[at].form.control or at + 1 in targets:
            end = at
        ends[at] = end
    return ends


ANYWHERE = "*"
_HEAP = "what the driver returned"
_KINDS = {"reads": "reads", "writes": "writes", "updates": "atomics"}  # by verb: part of MemoryUse


@dataclass(frozen=True)
class MemoryUse:
    """Names of parameters and variables that memory instructions reach; ANYWHERE stands for all.
    `reads` and `writes` are through plain loads and stores, `atomics` through atomics; `targets`
    gives, by instruction, what a store or an atomic may reach, `touched` what any access may."""

    reads: frozenset[str]
    writes: frozenset[str]
    atomics: frozenset[str]
    targets: dict[int, frozenset[str]]
    touched: dict[int, frozenset[str]]

    def touches(self, names: set[str], kinds: tuple[str, ...]) -> bool:
        """Whether accesses of these kinds may reach what goes by any of `names`."""
        reached = frozenset().union(*(getattr(self, kind) for kind in kinds))
        return ANYWHERE in reached or not reached.isdisjoint(names)


def memory_use(linked: LinkedProgram) -> MemoryUse:
    """Follow the pointers of a kernel and of all it calls."""
    points = _points_to(linked)
    reached: dict[str, set[str]] = {kind: set() for kind in _KINDS.values()}
    targets: dict[int, frozenset[str]] = {}
    touched: dict[int, frozenset[str]] = {}
    for at, instruction in enumerate(linked.function.instructions):
        for position, transfer in instruction.form.transfers:
            if transfer.may_touch("global"):
                names = points[_name(address_of(instruction.operands[position]))] or {ANYWHERE}
                reached[_KINDS[transfer.verb]] |= names
                touched[at] = touched.get(at, frozenset()) | names
                if transfer.verb != "reads":
                    targets[at] = frozenset(names)
    reads, writes, atomics = (frozenset(names) for names in reached.values())
    return MemoryUse(reads, writes, atomics, targets, touched)


def _points_to(linked: LinkedProgram) -> dict[str, set[str]]:
    points: dict[str, set[str]] = defaultdict(set)
    parameters = {parameter.name for parameter in linked.function.parameters}
    for root in {ANYWHERE, _HEAP} | parameters | linked.module_variables:
        points[root] = {root}
    flows = [flow for one in linked.function.instructions for flow in _flows(one, linked)]
    changed = True
    while changed:
        changed = False
        for target, source in flows:
            known = points[source]
            if not known <= points[target]:
                points[target] |= known
                changed = True
    return points


def _flows(one: Instruction, linked: LinkedProgram) -> list[tuple[str, str]]:
    """(target, source): what holds a pointer in the source may hold it in the target."""
    form = one.form
    if form.flow is Flow.CALL:
        return _call_flows(one, linked)
    passed = any(transfer.space == "param" for _, transfer in form.transfers)
    if form.carries is Carries.STORED:  # perhaps into the slot of a call's argument
        return _between(one.operands[:1], one.operands[1:]) if passed else []
    results = [o for at, o in enumerate(one.operands) if form.role(at) is Role.WRITTEN]
    if form.carries is Carries.LOADED and not passed:
        wide = any(transfer.size == 8 for _, transfer in form.transfers)
        return [(name, ANYWHERE) for result in results for name in _names(result) if wide]
    return _between(results, [o for o in one.operands if o not in results])


def _between(targets: Sequence[Operand], sources: Sequence[Operand]) -> list[tuple[str, str]]:
    names = [name for source in sources for name in _names(source)]
    return [(name, source) for target in targets for name in _names(target) for source in names]


def _call_flows(one: Instruction, linked: LinkedProgram) -> list[tuple[str, str]]:
    groups = [operand for operand in one.operands if isinstance(operand, Vector)]
    called = next((o for o in one.operands if not isinstance(o, Vector)), None)
    arguments = list(mentioned(groups[-1])) if groups else []
    results = list(mentioned(groups[0])) if len(groups) > 1 else []
    name = getattr(called, "name", "")
    parts = [linked.parts[name]] if name in linked.parts else list(linked.parts.values())
    if name not in linked.parts and isinstance(called, Symbol):
        return [(result.name, _HEAP) for result in results]
    flows = []
    for part in parts:
        given = zip(part.parameters, arguments, strict=False)
        flows += [(parameter.name, slot.name) for parameter, slot in given]
        returned = zip(results, part.results, strict=False)
        flows += [(slot.name, result.name) for slot, result in returned]
    return flows


def _names(operand: Operand) -> list[str]:
    if isinstance(operand, Address):
        return [_name(operand)]
    return [one.name for one in mentioned(operand)]


def _name(address: Address) -> str:
    return address.base.name if address.base is not None else ANYWHERE


_ENDS = (Flow.RETURN, Flow.EXIT, Flow.TRAP)
_CHOICES = (Carries.CHOSEN, Carries.ALL_BITS, Carries.ALL_BITS_SET)
_FOLLOWED = ("shared", "local", "generic")  # the memory through which what never was set may go
_MEMORY = "shared or local memory"
_PASSED = "what calls pass and hand back"


@dataclass(frozen=True)
class MaybeUninitialized:
    """`at_entry`: registers that some path reads before it writes them; `reached`: these and all
    that are computed from them; `discardable`: registers of which a choice may discard what is
    computed from them, so that the compiler may load them before it is known whether they are
    wanted, written or not; and those that are only copied, as a struct's padding is."""

    at_entry: frozenset[str]
    reached: frozenset[str]
    discardable: frozenset[str]


def maybe_uninitialized(linked: LinkedProgram) -> MaybeUninitialized:
    """The registers of a kernel and of all it calls that may hold what was never set. Functions
    that recurse are left out: theirs are kept and restored by depth."""
    bit = {name: 1 << number for number, name in enumerate(linked.function.registers)}
    live = _live(linked, bit)
    entries = [part.entry for part in linked.parts.values() if not part.recursive]
    mask = 0
    for entry in entries:
        mask |= live[entry]
    at_entry = frozenset(name for name, own in bit.items() if mask & own)
    return MaybeUninitialized(at_entry, _reached(linked, at_entry), _discardable(linked))


def with_loads(maybe: MaybeUninitialized, linked: LinkedProgram) -> MaybeUninitialized:
    """The same where discardable registers, too, may hold what never was set."""
    code = linked.function.instructions
    loaded = {n for one in code if one.form.carries is Carries.LOADED for n in one.written}
    start = maybe.at_entry | (loaded & maybe.discardable)
    return replace(maybe, reached=_reached(linked, start))


def passes(one: Instruction, linked: LinkedProgram) -> str | None:
    """The parameter of a call, or the result, that an instruction loads or stores."""
    position = {Carries.LOADED: 1, Carries.STORED: 0}.get(one.form.carries)
    base = None if position is None else address_of(one.operands[position]).base
    return base.name if isinstance(base, Symbol) and base.name in linked.passed else None


def _discardable(linked: LinkedProgram) -> frozenset[str]:
    return _choosable(linked) | _only_copied(linked)


def _only_copied(linked: LinkedProgram) -> frozenset[str]:
    """The registers that nothing computes with, decides by or makes an address of: whatever they
    hold goes at most into other such registers, into memory where it is followed, and into calls.
    What is printed lies in local memory, where nobody sees it read."""
    code = linked.function.instructions
    followed = {*_FOLLOWED} - ({"local", "generic"} if _calls_the_driver(linked) else set())
    needed, copies = set[str](), list[tuple[list[str], list[str]]]()
    for one in code:
        needed.update([one.guard.name] if one.guard else [])
        if one.form.carries is Carries.COPIED:
            copies.append((one.written, one.read))
        elif one.form.carries is Carries.STORED and _goes(one, followed, linked):
            needed.update(registers(one.operands[0], *one.operands[2:]))
        else:
            needed.update(one.read)
    before = -1
    while len(needed) != before:
        before = len(needed)
        for written, read in copies:
            if not needed.isdisjoint(written):
                needed.update(read)
    return frozenset(linked.function.registers.keys() - needed)


def _goes(one: Instruction, spaces: set[str], linked: LinkedProgram) -> bool:
    into = any(transfer.space in spaces for _, transfer in one.form.transfers)
    return into or passes(one, linked) is not None


def _calls_the_driver(linked: LinkedProgram) -> bool:
    calls = (one for one in linked.function.instructions if one.form.flow is Flow.CALL)
    named = (operand for one in calls for operand in one.operands if isinstance(operand, Symbol))
    return any(operand.name not in linked.parts for operand in named)


def _choosable(linked: LinkedProgram) -> frozenset[str]:
    code = linked.function.instructions
    found = {n for one in code if one.form.carries in _CHOICES for n in one.read}
    before = -1
    while len(found) != before:
        before = len(found)
        for one in code:
            if one.form.carries is not Carries.LOADED and not found.isdisjoint(one.written):
                found.update(one.read)
    return frozenset(found)


def _live(linked: LinkedProgram, bit: dict[str, int]) -> list[int]:
    """For each instruction the registers live before it, as a set of bits."""
    code = linked.function.instructions
    onward = [_successors(linked, at) for at in range(len(code))]
    reads, writes = zip(*(_bits(one, bit) for one in code), strict=True) if code else ((), ())
    live = [0] * len(code)
    changed = True
    while changed:
        changed = False
        for at in reversed(range(len(code))):
            after = 0
            for successor in onward[at]:
                after |= live[successor]
            before = reads[at] | (after & ~writes[at])
            changed |= before != live[at]
            live[at] = before
    return live


def _bits(one: Instruction, bit: dict[str, int]) -> tuple[int, int]:
    """What an instruction reads, and what it writes in any case."""
    written, read = one.written, one.read
    if one.guard:
        read, written = [*read, one.guard.name], []
    return _union(read, bit), _union(written, bit)


def _union(names: list[str], bit: dict[str, int]) -> int:
    found = 0
    for name in names:
        found |= bit.get(name, 0)  # the sink `_` is not declared
    return found


def _successors(linked: LinkedProgram, at: int) -> list[int]:
    """Where a thread may go on within the same function."""
    function, one = linked.function, linked.function.instructions[at]
    flow = one.form.flow
    if flow is Flow.TABLE:
        return [function.labels[label] for label in function.tables[symbol_of(one.operands[1])]]
    onward = [function.labels[symbol_of(one.operands[0])]] if flow is Flow.BRANCH else []
    falls_through = one.guard is not None or flow not in (Flow.BRANCH, *_ENDS)
    if falls_through and at + 1 < len(linked.owner) and linked.owner[at + 1] == linked.owner[at]:
        onward.append(at + 1)
    return [successor for successor in onward if successor < len(linked.owner)]


def _reached(linked: LinkedProgram, start: frozenset[str]) -> frozenset[str]:
    """All registers that what `start` holds may flow into, also by way of shared or local memory,
    which stands as one place for all of it, and so do the parameters of calls."""
    code = linked.function.instructions if start else ()
    flows = [_flow(one, linked) for one in code]
    reached, before = set(start), -1
    while len(reached) != before:
        before = len(reached)
        for written, read in flows:
            if not reached.isdisjoint(read):
                reached.update(written)
    return frozenset(reached - {_MEMORY, _PASSED})


def _flow(one: Instruction, linked: LinkedProgram) -> tuple[list[str], list[str]]:
    """What an instruction writes, and what of it that comes from."""
    memory = [_MEMORY] if any(t.space in _FOLLOWED for _, t in one.form.transfers) else []
    place = [_PASSED] if passes(one, linked) else memory
    if one.form.carries is Carries.LOADED:
        return one.written, place
    if one.form.carries is Carries.STORED:
        return place, registers(*one.operands[1:])
    return one.written, one.read


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
