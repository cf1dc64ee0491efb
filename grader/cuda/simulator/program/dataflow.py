"""Which buffers a kernel may read and write, found by following pointers through its code.

Flow-insensitive: a register may hold a pointer into whatever any instruction that sets it derives
it from. What was loaded from memory may point anywhere.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from .linker import Image
from .ptx import Address, Instruction, Operand, Symbol, Vector, mentioned

ANYWHERE = "*"
_STORES = ("st", "red", "atom")
_NO_RESULT = ("st", "red", "cp", "bra", "bar", "barrier", "ret", "exit", "membar", "fence")


@dataclass(frozen=True)
class Traffic:
    """Names of parameters and variables that memory instructions reach; ANYWHERE stands for all.
    `reads` and `writes` are through plain loads and stores, `atomics` through atomics; `targets`
    gives, by instruction, what a store or an atomic may reach."""

    reads: frozenset[str]
    writes: frozenset[str]
    atomics: frozenset[str]
    targets: dict[int, frozenset[str]]

    def touches(self, names: set[str], kinds: tuple[str, ...]) -> bool:
        """Whether accesses of these kinds may reach what goes by any of `names`."""
        reached = frozenset().union(*(getattr(self, kind) for kind in kinds))
        return ANYWHERE in reached or not reached.isdisjoint(names)


def traffic(image: Image) -> Traffic:
    """Follow the pointers of a kernel and of all it calls."""
    points = _points_to(image)
    reached: dict[str, set[str]] = {"reads": set(), "writes": set(), "atomics": set()}
    targets: dict[int, frozenset[str]] = {}
    for at, instruction in enumerate(image.function.instructions):
        kind = _kind(instruction)
        if kind:
            address = [o for o in instruction.operands if isinstance(o, Address)][-1]
            names = points[_name(address)] or {ANYWHERE}
            reached[kind] |= names
            if kind != "reads":
                targets[at] = frozenset(names)
    return Traffic(*(frozenset(names) for names in reached.values()), targets)


def _kind(instruction: Instruction) -> str | None:
    if instruction.base == "cp":  # from global to shared memory; the source comes last
        return "reads" if "global" in instruction.mods else None
    if {"shared", "local", "param", "const"} & {mod.partition("::")[0] for mod in instruction.mods}:
        return None
    if instruction.base in ("atom", "red"):
        return "atomics"
    return {"ld": "reads", "ldu": "reads", "st": "writes"}.get(instruction.base)


def _points_to(image: Image) -> dict[str, set[str]]:
    flows = [flow for one in image.function.instructions for flow in _flows(one, image)]
    points: dict[str, set[str]] = defaultdict(set)
    variables = {v.name for v in image.function.variables} - {
        v.name for part in image.parts.values() for v in (*part.parameters, *part.results)
    }
    for parameter in image.function.parameters:
        points[parameter.name] = {parameter.name}
    changed = True
    while changed:
        changed = False
        for target, source in flows:
            known = points[source] or ({source} if source in _roots(source, variables) else set())
            if not known <= points[target]:
                points[target] |= known
                changed = True
    return points


def _roots(name: str, variables: set[str]) -> set[str]:
    """A symbol that is no variable of the kernel's own stands for a module variable."""
    own = name in variables or name.startswith("%") or "::" in name or "#" in name
    return set() if own else {name}


def _flows(one: Instruction, image: Image) -> list[tuple[str, str]]:
    """(target, source): what holds a pointer in the source may hold it in the target."""
    if one.base == "call":
        return _call_flows(one, image)
    if one.base in _NO_RESULT and not (one.base == "st" and "param" in one.mods):
        return []
    target, *sources = one.operands or (None,)
    if target is None:
        return []
    if one.base in ("ld", "ldu") and "param" not in one.mods:
        wide = one.type.endswith("64")
        return [(name, ANYWHERE) for name in _names(target) if wide]
    return [(name, source) for name in _names(target) for s in sources for source in _names(s)]


def _call_flows(one: Instruction, image: Image) -> list[tuple[str, str]]:
    groups = [operand for operand in one.operands if isinstance(operand, Vector)]
    called = next((o for o in one.operands if not isinstance(o, Vector)), None)
    arguments = groups[-1].items if groups else ()
    results = groups[0].items if len(groups) > 1 else ()
    name = getattr(called, "name", "")
    parts = [image.parts[name]] if name in image.parts else list(image.parts.values())
    if name not in image.parts and isinstance(called, Symbol):
        return [(result.name, f"{name}()") for result in results]
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
