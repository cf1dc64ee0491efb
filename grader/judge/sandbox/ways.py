"""What is on the way from the inputs to an output, as the worker that has run the kernel tells it.

Of several ways the one with the fewest instructions of a kind counts: what is done beside the
work and thrown away in the end, be it multiplied by 0 or taken off again, changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import numpy.typing as npt

from ...machine.memory.allocations import allocation_of
from ...watch.slice import Graph
from ..protocol import Asked, CaseRequest, Element, ThreadPlace, Way
from .slices import Elements, place_of

NEVER = 1 << 40  # so many instructions pass what no input goes into
LOOKED_AT = 24  # elements of an output whose trees are measured
ENOUGH = 60_000  # values behind them, after which no other tree is
Numbers = npt.NDArray[np.int64]
SPACES = {"shared": "shared memory", "local": "local memory"}


def way(graph: Graph, elements: Elements, case: CaseRequest, asked: Asked) -> Way:
    """The answer to one question, after the launches that `graph` holds."""
    own = _worth(graph, asked)
    roots = {name: np.maximum(elements.roots(graph, name), 0) for name in asked.outputs}
    if asked.banned:
        last = _last(graph, own)
        return _at_fault(graph, own, {name: last[nodes] for name, nodes in roots.items()})
    if asked.last:
        few = own < asked.at_least
        stored = {name: np.where(few[nodes], nodes, 0) for name, nodes in roots.items()}
        return _at_fault(graph, own, stored)
    inputs = {allocation_of(elements.buffers[name]).address for name in case.inputs}
    leaves = graph.leaves(inputs, 0, NEVER)
    fewest = graph.forward(np.minimum, lambda some, made: made + own[some], leaves, NEVER)
    for name, nodes in roots.items():  # if no input goes into any, its making was not seen
        if graph.whole and len(nodes) and (fewest[nodes] >= NEVER).all():
            return Way(len(nodes), Element(name, 0))
    tree = partial(_Tree, graph, own, leaves)
    if asked.levels:
        return _met(elements, roots, tree, asked.levels)
    short = {name: np.flatnonzero(fewest[nodes] < asked.at_least) for name, nodes in roots.items()}
    count, first = _short(short)
    if first is None:
        return Way()
    ways = tree(int(roots[first.buffer][first.index])).leaves
    leaf, (passed, node) = min(ways.items(), key=lambda one: (one[1][0], -one[0]))
    return Way(count, first, passed, elements.behind(graph, leaf), place_of(graph, node))


def _worth(graph: Graph, asked: Asked) -> Numbers:
    """By node, how many of the kind its instruction stands for."""
    kinds = [(re.compile(opcode), count) for opcode, count in asked.worth.items()]
    opcodes = [one.form.opcode if one else "" for one in graph.code]
    found = {
        opcode: max((count for kind, count in kinds if kind.fullmatch(opcode)), default=0)
        for opcode in set(opcodes)
    }
    worth: Numbers = np.array([found[opcode] for opcode in opcodes], np.int64)[graph.at]
    return worth


def _last(graph: Graph, own: Numbers) -> Numbers:
    """By node, the last one of the kind on the ways to it, of indices too; 0: there is none."""
    numbers = np.arange(len(graph), dtype=np.int64)

    def step(some: slice, made: Numbers) -> Numbers:
        return np.where(own[some] > 0, numbers[some], made)

    return graph.forward(np.maximum, step, graph.leaves((), 0, 0), steered=True)


def _at_fault(graph: Graph, own: Numbers, nodes: Mapping[str, Numbers]) -> Way:
    """The first element, by output, that has a node which should not be on its way (else 0)."""
    count, first = _short({name: np.flatnonzero(some) for name, some in nodes.items()})
    if first is None:
        return Way()
    node = int(nodes[first.buffer][first.index])
    return Way(count, first, int(own[node]), place=place_of(graph, node))


def _short(short: Mapping[str, npt.NDArray[np.intp]]) -> tuple[int, Element | None]:
    """How many elements there are, by output, and the first."""
    first = (Element(name, int(at[0])) for name, at in short.items() if len(at))
    return sum(map(len, short.values())), next(first, None)


def _met(
    elements: Elements, roots: Mapping[str, Numbers], tree_of: Callable[[int], _Tree], levels: int
) -> Way:
    for name, nodes in roots.items():
        seen = 0
        for index in _spread(len(nodes)):
            tree = tree_of(int(nodes[index]))
            passed = tree.by_load()
            called_for = min(levels, len(passed).bit_length() - 1) if passed else 0
            met = max(passed.values(), default=0)
            if 2 * sum(map(bool, passed.values())) < len(passed) > 1:
                met = 0  # what has come by the kind is little beside the rest
            if met < called_for:
                return _not_met(elements, Element(name, index), tree, met)
            seen += tree.size
            if seen > ENOUGH:
                break
    return Way()


def _not_met(elements: Elements, element: Element, tree: _Tree, passed: int) -> Way:
    """The part that is asked about is one that another thread has loaded, if there is one."""
    graph = tree.graph
    elsewhere = [
        (leaf, node)
        for leaf, (count, node) in tree.leaves.items()
        if count < max(passed, 1) and graph.thread[node] != graph.thread[tree.root]
    ]
    leaf, node = max(elsewhere or [(leaf, node) for leaf, (_, node) in tree.leaves.items()])
    place, by = tree.crossing(node) if elsewhere else (place_of(graph, node), "")
    return Way(1, element, passed, elements.behind(graph, leaf), place, by)


class _Tree:
    """The shortest path from every input to one node. `leaves`: by byte of an input (a negative
    number), how many instructions of the kind are on the path, and the node that loaded the byte.
    `size`: the number of nodes."""

    def __init__(self, graph: Graph, own: Numbers, inputs: Numbers, root: int):
        self.graph, self.root, self._own = graph, root, own
        self._behind = graph.slice_of(root, choices=True)  # a maximum by `?:` is one too
        self.size = len(self._behind)
        passed = own[self._behind.nodes].tolist()
        self._onward = [0] * self.size  # the place of the next node on the nearest way to the root
        nearest = [0] + [NEVER] * (self.size - 1)
        for at, (left, right) in enumerate(zip(*self._behind.places(), strict=True)):
            count = passed[at] = nearest[at] + passed[at]
            if left >= 0 and count < nearest[left]:
                nearest[left], self._onward[left] = count, at
            if right >= 0 and count < nearest[right]:
                nearest[right], self._onward[right] = count, at
        self.leaves = self._leaves(np.array(passed), inputs)

    def _leaves(self, passed: Numbers, inputs: Numbers) -> dict[int, tuple[int, int]]:
        leaves: dict[int, tuple[int, int]] = {}
        for sources in (self._behind.left, self._behind.right):
            some = np.flatnonzero(sources < 0)
            some = some[inputs[-1 - sources[some]] == 0]
            rows = (sources[some], passed[some], self._behind.nodes[some])
            for leaf, count, node in zip(*(row.tolist() for row in rows), strict=True):
                leaves[leaf] = min((count, node), leaves.get(leaf, (NEVER, 0)))
        return leaves

    def by_load(self) -> dict[tuple[int, int], int]:
        """The fewest of the kind on a way, by address and place of what one load brought."""
        fewest: dict[tuple[int, int], int] = {}
        for leaf, (count, node) in self.leaves.items():
            origin = self.graph.origin(leaf)
            load = origin.address, origin.offset // _width(self.graph, node)
            fewest[load] = min(count, fewest.get(load, NEVER))
        return fewest

    def crossing(self, node: int) -> tuple[ThreadPlace, str]:
        """Where, on the way from a node to the root, a thread first has what another one had other
        than by an instruction of the kind."""
        graph, nodes, here = self.graph, self._behind.nodes, node
        at = int(np.searchsorted(-nodes, -node))
        while at:
            at = self._onward[at]
            before, here = here, int(nodes[at])
            instruction = graph.code[graph.at[here]]
            if graph.thread[before] == graph.thread[here] or instruction is None:
                continue
            if not self._own[here]:
                form = instruction.form
                spaces = [one.space for _, one in form.transfers]
                how = next((SPACES[one] for one in spaces if one in SPACES), "global memory")
                return place_of(graph, here), "an atomic" if form.atomic else how
        return place_of(graph, node), ""


def _width(graph: Graph, node: int) -> int:
    """Bytes that the load at a node takes from memory."""
    instruction = graph.code[graph.at[node]]
    transfers = instruction.form.transfers if instruction else ()
    return transfers[-1][1].width if transfers else 1


def _spread(size: int) -> Iterator[int]:
    """Some numbers below `size`: the first, the last, and others between them, far ones first."""
    told = np.unique(np.linspace(0, size - 1, min(size, LOOKED_AT)).astype(int))
    order = sorted(range(len(told)), key=lambda at: f"{at:08b}"[::-1])
    yield from dict.fromkeys([int(told[0]), int(told[-1]), *(int(told[at]) for at in order)])
