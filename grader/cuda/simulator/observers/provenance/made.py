"""What one value was made of, asked of a graph: plain data for whoever explains it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...program.ptx import Instruction
from .graph import Graph, Origin

MOST_TIMES = 1000  # counted no further
_FLOATS = {("f", 2): np.float16, ("f", 4): np.float32, ("f", 8): np.float64}


@dataclass(frozen=True)
class Input:
    """Bytes of memory from before the launches that went into a value: `size` bytes at `origin`,
    loaded by `thread` on `line`, in so many ways (`times`: as often as a sum would hold it)."""

    origin: Origin
    size: int
    thread: int
    line: int | None
    times: int


@dataclass(frozen=True)
class Step:
    """One instruction of one thread, and the source line it stems from."""

    opcode: str
    thread: int
    line: int | None


def inputs_of(graph: Graph, root: int) -> list[Input]:
    """Of what a value was made, what steered its making left out; in order of memory."""
    times: Counter[int] = Counter({root: 1})
    found: dict[tuple[Origin, int], Input] = {}
    for node in graph.reaching(root):
        ways = min(times.pop(node), MOST_TIMES)
        for source in graph.sources(node):
            if source > 0:
                times[source] += ways
            elif source < 0:
                one = _input(graph, node, source, ways)
                before = found.get((one.origin, one.size))
                found[one.origin, one.size] = _added(before, one) if before else one
    return sorted(found.values(), key=lambda one: (one.origin.address, one.origin.offset))


def last_step(graph: Graph, node: int) -> Step:
    """What made a value: who stored it, where it lies in memory."""
    instruction = graph.code[graph.at[node]]
    opcode = instruction.form.opcode if instruction else ""
    return Step(opcode, int(graph.thread[node]), instruction.line if instruction else None)


def came_from(graph: Graph, root: int, is_same: Callable[[int], bool]) -> int:
    """Follows a value back through all that merely handed it on, a maximum's winner included: the
    node that computed it, a negative number for an input, 0 for a constant. `is_same(node)` says
    whether a node holds the same value."""
    node = root
    while node > 0:
        onward = [one for one in graph.sources(node) if one > 0 and is_same(one)]
        if not onward:
            return _handed_on(graph, node)
        node = onward[0]
    return node


def _handed_on(graph: Graph, node: int) -> int:
    """What a node that holds no other node's value made of: the input it loaded, the constant it
    is, or itself."""
    sources = graph.sources(node)
    inputs = [one for one in sources if one < 0]
    if len(sources) == 1 and inputs:
        return inputs[0]
    return node


def first_that(graph: Graph, root: int, holds: Callable[[int], bool]) -> int | None:
    """The earliest node behind a value of which something holds that holds of none of its
    sources, such as being NaN; None if there is none."""
    there = [node for node in graph.reaching(root) if holds(node)]
    return min(there, default=None)


def number(graph: Graph, node: int) -> float:
    """The value of a node as the float or integer that its instruction made."""
    instruction = graph.code[graph.at[node]]
    kind = _type(instruction) if instruction else ""
    return float(as_type(int(graph.value[node]), kind))


def as_type(bits: int, kind: str) -> np.generic:
    """Bits as a value of a PTX type such as "f32" or "s64"."""
    letter, size = kind[:1], max(1, int(kind[1:] or 32) // 8) if kind[1:].isdigit() else 4
    raw = np.array(bits & ((1 << 8 * size) - 1), f"u{size}")
    if (letter, size) in _FLOATS:
        return raw.view(_FLOATS[letter, size])[()]
    return raw.view(f"{'i' if letter == 's' else 'u'}{size}")[()]


def _type(instruction: Instruction) -> str:
    return instruction.form.type


def _input(graph: Graph, node: int, source: int, ways: int) -> Input:
    instruction = graph.code[graph.at[node]]
    size = (
        instruction.form.transfers[-1][1].size if instruction and instruction.form.transfers else 1
    )
    line = instruction.line if instruction else None
    return Input(graph.origin(source), size, int(graph.thread[node]), line, ways)


def _added(one: Input, other: Input) -> Input:
    times = min(one.times + other.times, MOST_TIMES)
    return Input(other.origin, other.size, other.thread, other.line, times)
