"""Which buffers a kernel may read and write, found by following pointers through its code.

Flow-insensitive: a register may hold a pointer into whatever any instruction that sets it derives
it from. What was loaded from memory may point anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from .forms.form import Carries, Flow, Role
from .linked import LinkedProgram
from .ptx import Address, Instruction, Operand, Symbol, Vector, address_of, mentioned

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
