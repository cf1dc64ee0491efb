"""What is on the way from the inputs to an output, as the worker that has run the kernel tells it.

Of several ways the one with the fewest instructions of a kind counts: what is done beside the
work and thrown away in the end, be it multiplied by 0 or taken off again, changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from ...machine.memory.allocations import allocation_of
from ...watch.slice import Graph
from ..protocol import Asked, CaseRequest, Element, ThreadPlace, Way
from .slices import Elements, place_of

NEVER = 1 << 40  # so many instructions pass what no input goes into
LOOKED_AT = 24  # elements of an output whose trees are measured
ENOUGH = 60_000  # values behind them, after which no other tree is
SPACES = {"shared": "shared memory", "local": "local memory"}


def way(graph: Graph, elements: Elements, case: CaseRequest, asked: Asked) -> Way:
    """The answer to one question, after the launches that `graph` holds."""
    worth = _worth(graph, asked)
    roots = {name: elements.roots(graph, name) for name in asked.outputs}
    inputs = {allocation_of(elements.buffers[name]).address for name in case.inputs}
    if asked.banned:
        return _banned(graph, roots, worth)
    if asked.last:
        return _stored(graph, roots, worth, asked.at_least)
    leaves = graph.leaves(inputs, 0, NEVER)
    fewest = _fewest(graph, leaves, worth)
    unfollowed = _unfollowed(graph, roots, fewest)
    if unfollowed:
        return unfollowed
    if asked.levels:
        return _met(graph, elements, roots, worth, leaves, asked.levels)
    short = {name: np.flatnonzero(fewest[nodes] < asked.at_least) for name, nodes in roots.items()}
    return _passed(graph, elements, roots, worth, leaves, short)


def _worth(graph: Graph, asked: Asked) -> npt.NDArray[np.int64]:
    """By instruction of the graph's code, how many of the kind it stands for."""
    kinds = [(re.compile(opcode), count) for opcode, count in asked.worth.items()]
    opcodes = [one.form.opcode if one else "" for one in graph.code]
    found = {
        opcode: max((count for kind, count in kinds if kind.fullmatch(opcode)), default=0)
        for opcode in set(opcodes)
    }
    return np.array([found[opcode] for opcode in opcodes], np.int64)


def _fewest(
    graph: Graph, leaves: npt.NDArray[np.int64], worth: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Of each node, the fewest of the kind on a way to it from an input."""
    own = worth[graph.at]
    return graph.forward(np.minimum, lambda some, made: made + own[some], leaves, NEVER)


def _unfollowed(
    graph: Graph, roots: dict[str, npt.NDArray[np.int32]], fewest: npt.NDArray[np.int64]
) -> Way | None:
    """Where no input goes into any element of an output, its making was not seen."""
    for name, nodes in roots.items():
        if graph.whole and len(nodes) and (fewest[np.maximum(nodes, 0)] >= NEVER).all():
            return Way(len(nodes), Element(name, 0))
    return None


def _passed(
    graph: Graph,
    elements: Elements,
    roots: dict[str, npt.NDArray[np.int32]],
    worth: npt.NDArray[np.int64],
    leaves: npt.NDArray[np.int64],
    short: dict[str, npt.NDArray[np.intp]],
) -> Way:
    """The first of the elements that pass too few of the kind, `short`, by output."""
    found = _first(short)
    if found is None:
        return Way()
    tree = _Tree(graph, int(roots[found.buffer][found.index]), worth, leaves)
    leaf, (passed, node) = min(tree.leaves.items(), key=lambda one: (one[1][0], -one[0]))
    part, place = elements.behind(graph, leaf), place_of(graph, node)
    return Way(_count(short), found, passed, part, place)


def _stored(
    graph: Graph,
    roots: dict[str, npt.NDArray[np.int32]],
    worth: npt.NDArray[np.int64],
    at_least: int,
) -> Way:
    own = worth[graph.at]
    short = {
        name: np.flatnonzero((own[np.maximum(nodes, 0)] < at_least) & (nodes > 0))
        for name, nodes in roots.items()
    }
    found = _first(short)
    if found is None:
        return Way()
    root = int(roots[found.buffer][found.index])
    return Way(_count(short), found, int(own[root]), place=place_of(graph, root))


def _banned(
    graph: Graph, roots: dict[str, npt.NDArray[np.int32]], worth: npt.NDArray[np.int64]
) -> Way:
    """`place` is the last instruction of the kind before the first element, by number."""
    own = worth[graph.at]
    numbers = np.arange(len(graph), dtype=np.int64)

    def step(some: slice, made: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        return np.where(own[some] > 0, numbers[some], made)

    leaves = graph.leaves((), 0, 0)
    last = graph.forward(np.maximum, step, leaves, steered=True)
    with_one = {name: np.flatnonzero(last[np.maximum(nodes, 0)]) for name, nodes in roots.items()}
    found = _first(with_one)
    if found is None:
        return Way()
    node = int(last[roots[found.buffer][found.index]])
    return Way(_count(with_one), found, int(own[node]), place=place_of(graph, node))


def _met(
    graph: Graph,
    elements: Elements,
    roots: dict[str, npt.NDArray[np.int32]],
    worth: npt.NDArray[np.int64],
    leaves: npt.NDArray[np.int64],
    levels: int,
) -> Way:
    for name, nodes in roots.items():
        seen = 0
        for index in _spread(len(nodes)):
            tree = _Tree(graph, int(nodes[index]), worth, leaves)
            passed = tree.by_load()
            called_for = min(levels, len(passed).bit_length() - 1) if passed else 0
            met = max(passed.values(), default=0)
            if 2 * sum(map(bool, passed.values())) < len(passed) > 1:
                met = 0  # what has come by the kind is little beside the rest
            if met < called_for:
                return _not_met(graph, elements, Element(name, index), tree, met)
            seen += tree.size
            if seen > ENOUGH:
                break
    return Way()


def _not_met(graph: Graph, elements: Elements, element: Element, tree: _Tree, passed: int) -> Way:
    """The part that is asked about is one that another thread has loaded, if there is one."""
    elsewhere = [
        (leaf, node)
        for leaf, (count, node) in tree.leaves.items()
        if count < max(passed, 1) and graph.thread[node] != graph.thread[tree.root]
    ]
    leaf, node = max(elsewhere or [(leaf, node) for leaf, (_, node) in tree.leaves.items()])
    place, by = tree.crossing(node) if elsewhere else (place_of(graph, node), "")
    return Way(1, element, passed, elements.behind(graph, leaf), place, by)


class _Tree:
    """The nearest way from every input to one node. `leaves`: by byte from before the launch (a
    negative number) how many of the kind it passes, and the node that loaded it; `size`: nodes."""

    def __init__(
        self,
        graph: Graph,
        root: int,
        worth: npt.NDArray[np.int64],
        inputs: npt.NDArray[np.int64],
    ):
        self.graph, self.root, self.worth = graph, root, worth
        self._behind = graph.slice_of(root, choices=True)  # a maximum by `?:` is one too
        self.size = len(self._behind)
        passed = worth[graph.at[self._behind.nodes]].tolist()
        self._onward = [0] * self.size  # the place of the next node on the nearest way to the root
        nearest = [0] + [NEVER] * (self.size - 1)
        for at, (left, right) in enumerate(zip(*self._behind.places(), strict=True)):
            count = passed[at] = nearest[at] + passed[at]
            if left >= 0 and count < nearest[left]:
                nearest[left], self._onward[left] = count, at
            if right >= 0 and count < nearest[right]:
                nearest[right], self._onward[right] = count, at
        self.leaves = self._leaves(np.array(passed), inputs)

    def _leaves(
        self, passed: npt.NDArray[np.int64], inputs: npt.NDArray[np.int64]
    ) -> dict[int, tuple[int, int]]:
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
            if not self.worth[graph.at[here]]:
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


def _first(short: dict[str, npt.NDArray[np.intp]]) -> Element | None:
    return next((Element(name, int(at[0])) for name, at in short.items() if len(at)), None)


def _count(short: dict[str, npt.NDArray[np.intp]]) -> int:
    return sum(map(len, short.values()))
