"""What became of an element, as the worker that has run the kernel tells it: `Made`."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec.structs import replace

from ..cuda.simulator.memory.allocations import allocation_of
from ..cuda.simulator.observers.arrays import Array, described
from ..cuda.simulator.observers.provenance import Graph
from ..cuda.simulator.observers.provenance import made as making
from .protocol import Arrays, Element, Made, Place, Used

MOST_USED = 4096  # runs of elements told of
KINDS = {
    "exponential": frozenset({"ex2"}),
    "division": frozenset({"div", "rcp"}),
    "multiplication": frozenset({"mul", "mad", "fma"}),
    "shuffle": frozenset({"shfl", "redux"}),
}


def made(graph: Graph, buffers: Arrays, element: Element) -> Made:
    """The making of one element of one of the `buffers`, after the launches that `graph` holds."""
    root = int(memory_of(graph, buffers[element.buffer])[_offset(buffers, element)])
    if root <= 0:
        return Made(whole=graph.whole)
    used = _used(graph, buffers, root)
    nan = making.first_that(graph, root, math.isnan)
    source = making.came_from(graph, root)
    return Made(
        stored=place_of(graph, root),
        used=tuple(used[:MOST_USED]),
        cut=len(used) > MOST_USED,
        origin=_origin(graph, buffers, source.found),
        origin_line=graph.line(source.node),
        nan=place_of(graph, nan) if nan else None,
        operands=making.operands(graph, nan) if nan else (),
        passed={kind: making.passes(graph, root, names) for kind, names in KINDS.items()},
        whole=graph.whole,
    )


def _used(graph: Graph, buffers: Arrays, root: int) -> list[Used]:
    """What a value was made of; neighbours that went in equally often are told together."""
    runs: list[Used] = []
    for one in making.inputs_of(graph, root):
        element = element_at(buffers, one.origin.address, one.origin.offset)
        if element is None:
            continue
        last = runs[-1] if runs else None
        if last and _continues(last, element, one.times):
            runs[-1] = replace(last, count=last.count + 1)
        else:
            runs.append(Used(element, 1, one.times, place_of(graph, one.node)))
    return runs


def _continues(last: Used, element: Element, times: int) -> bool:
    following = Element(last.first.buffer, last.first.index + last.count)
    return (following, last.times) == (element, times)


def _origin(graph: Graph, buffers: Arrays, source: int) -> Element | Literal["constant", ""]:
    if source > 0:
        return ""
    if source == 0:
        return "constant"
    origin = graph.origin(source)
    return element_at(buffers, origin.address, origin.offset) or ""


def place_of(graph: Graph, node: int) -> Place:
    return Place(*graph.place(node), graph.line(node))


def memory_of(graph: Graph, array: np.ndarray) -> np.ndarray:
    return graph.memory(allocation_of(array).address)


def _offset(buffers: Arrays, element: Element) -> int:
    """The first byte of an element in its allocation."""
    array = described_as(buffers, element.buffer)
    place = np.unravel_index(element.index, array.shape) if array.shape else ()
    return array.offset + sum(int(n) * step for n, step in zip(place, array.strides, strict=True))


def element_at(buffers: Arrays, address: int, offset: int) -> Element | None:
    """What lies at an offset of an allocation; None where no buffer does."""
    for name, array in buffers.items():
        if allocation_of(array).address == address:
            index = int(described_as(buffers, name).elements(np.array([offset]))[0])
            if index >= 0:
                return Element(name, index)
    return None


def described_as(buffers: Arrays, name: str) -> Array:
    return described(buffers[name], 0, name)
