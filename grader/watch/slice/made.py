"""What one value was made of, asked of a graph."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...ptx.numbers import DTYPES
from ...ptx.program import Carries, Immediate, Instruction
from . import Graph, Origin, Slice, hands_on

MOST_TIMES = 1000  # counted no further
_NUMBERS = ("f16", "f32", "f64", "s32", "s64", "u32", "u64")
_HANDED_ON = (Carries.ONE_OF, Carries.CHOSEN, Carries.COPIED)


@dataclass(frozen=True)
class Input:
    """Bytes of memory from before the launches that went into a value: `size` bytes at `origin`,
    loaded at `node`, in so many ways (`times`: as often as a sum would hold it)."""

    origin: Origin
    size: int
    node: int
    times: int


def inputs_of(graph: Graph, root: int, extremes: bool = True) -> list[Input]:
    """Of what a value was made, what steered its making left out; in order of memory. Without
    `extremes`, what went through a maximum or a minimum is left out too."""
    made_of = graph.slice_of(root)
    times = _times(graph, made_of, extremes)
    sizes = graph.by_instruction(_size, made_of.nodes, 1)
    found: dict[tuple[int, int, int], Input] = {}
    for source, node, size, ways in made_of.inputs(sizes, times):
        if ways:
            origin = graph.origin(source)
            key = (origin.address, origin.offset, size)
            before = found[key].times if key in found else 0
            found[key] = Input(origin, size, node, min(before + ways, MOST_TIMES))
    return [found[key] for key in sorted(found)]


def _times(graph: Graph, made_of: Slice, extremes: bool) -> npt.NDArray[np.int64]:
    """In how many ways each of the nodes went into the first of them."""
    ends = (
        np.zeros(len(made_of), bool) if extremes else graph.carrying(made_of.nodes, Carries.ONE_OF)
    )
    times = [1] + [0] * len(made_of)  # the last one's is that of sources that are no nodes
    for at, (left, right, ends_here) in enumerate(
        zip(*made_of.places(), ends.tolist(), strict=True)
    ):
        ways = times[at]
        if ends_here:
            ways = times[at] = 0
        elif ways > MOST_TIMES:
            ways = times[at] = MOST_TIMES
        times[left] += ways
        times[right] += ways
    return np.array(times[:-1], np.int64)


def extreme(graph: Graph, root: int) -> bool:
    """Whether a value was made by a maximum or a minimum."""
    return bool(graph.carrying(graph.slice_of(root).nodes, Carries.ONE_OF).any())


@dataclass(frozen=True)
class Source:
    """Where a value came from that may have been handed on: `found` is a negative number for an
    input, 0 for a constant, else the node that computed it; `node` the first that had it."""

    found: int
    node: int


def came_from(graph: Graph, root: int) -> Source:
    """Follows a value back through all that merely handed it on, the winner of a maximum among
    them."""
    node = root
    while same := [
        one for one in graph.sources(node) if one > 0 and graph.value[one] == graph.value[node]
    ]:
        node = same[0]
    sources = graph.sources(node)
    if not any(sources):
        return Source(0 if _written(graph, node) else node, node)
    if (instruction := graph.instruction(node)) and hands_on(instruction, _HANDED_ON):
        return Source(next((one for one in sources if one < 0), 0), node)
    return Source(node, node)


def operands(graph: Graph, node: int) -> tuple[float, ...]:
    """The values that an instruction computed one of."""
    return tuple(number(graph, one) if one > 0 else 0.0 for one in graph.sources(node) if one)


def first_nan(graph: Graph, root: int) -> int | None:
    """The earliest value behind one that is NaN; None if there is none."""
    nodes = graph.slice_of(root).nodes
    types = graph.by_instruction(lambda one: one.form.type, nodes, "")
    for kind in ("f16", "f32", "f64"):
        some = nodes[types == kind]
        found = some[np.isnan(graph.value[some].view(DTYPES[kind])[:: 8 // DTYPES[kind].itemsize])]
        if len(found):
            return int(found.min())
    return None


def number(graph: Graph, node: int) -> float:
    """A value as its instruction means it; 0 where that is no number."""
    instruction = graph.instruction(node)
    kind = instruction.form.type if instruction else ""
    return float(graph.value[node : node + 1].view(DTYPES[kind])[0]) if kind in _NUMBERS else 0.0


def _size(instruction: Instruction) -> int:
    """Bytes that a load takes from memory for one value."""
    transfers = instruction.form.transfers
    return transfers[-1][1].size if transfers else 1


def _written(graph: Graph, node: int) -> bool:
    """Whether a value is in the code; a thread's index does not."""
    instruction = graph.instruction(node)
    given = instruction.operands[1:] if instruction else ()
    return bool(given) and all(isinstance(one, Immediate) for one in given)
