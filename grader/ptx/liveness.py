"""Registers that may be read before anything was written to them: variables of the source that
never got a value, where the compiler left them in.

They are those live at a function's entry, by the backward equations of live variables (Aho, Lam,
Sethi, Ullman, "Compilers", section 9.2.5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from .forms.form import Carries, Flow
from .linked import LinkedProgram
from .ptx import Instruction, Symbol, address_of, registers, symbol_of

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
