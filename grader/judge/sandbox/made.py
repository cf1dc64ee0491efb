"""What became of an element, as the worker that has run the kernel tells it: `Made`.

What is on the way from the inputs to an output, as the worker that has run the kernel tells it.

Of several ways the one with the fewest instructions of a kind counts: what is done beside the
work and thrown away in the end, be it multiplied by 0 or taken off again, changes nothing.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import groupby, islice
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from ...errors import unless
from ...grouped import grouped
from ...machine.memory.allocations import allocation_of
from ...ptx.program import Carries, Flow, Immediate, Instruction, Register
from ...watch.slice import Graph, came_from, extreme, first_nan, inputs_of, number, operands
from ..protocol import (
    Asked,
    CaseRequest,
    Choice,
    Crossing,
    Decision,
    Element,
    Made,
    ThreadPath,
    ThreadPlace,
    Used,
    Way,
)
from .slices import Elements, as_numbers, literal, place_of, places_of, slice_of

MOST = 2000  # told of
DEEP = 8  # comparisons of one condition
MOST_BRANCHES, FEW_STORED = 32, 1024  # told of a thread

Numbers = Callable[[str], npt.NDArray[np.float64]]  # every value of a graph, as a PTX type


def choices(graph: Graph, root: int) -> tuple[Choice, ...]:
    """The comparisons by which values on the way to a node were chosen, in order; of those that are
    alike in all but their places the first."""
    numbers = cache(partial(as_numbers, graph.value))  # all at once, for each type
    alike = grouped(
        ((one.opcode, one.values, one.fixed, one.holds, one.taken), one)
        for node in _carrying(graph, root, Carries.CHOSEN)[::-1][:MOST].tolist()
        for one in _asked(graph, node, numbers)
    )
    return tuple(first for first, *_ in alike.values())


def _shuffles(graph: Graph, root: int) -> tuple[Crossing, ...]:
    """The first shuffle of each kind on the way to a node, by which a thread gets another one's
    value, and by which it gets its own."""
    first: dict[tuple[str, bool], Crossing] = {}
    for node in _carrying(graph, root, Carries.ACROSS).tolist():
        opcode, left = graph.code[graph.at[node]].form.opcode, int(graph.left[node])
        own = left > 0 and bool(graph.thread[left] == graph.thread[node])
        first[opcode, own] = opcode, place_of(graph, node), own
    return tuple(first.values())


def _decisions(graph: Graph, elements: Elements, root: int, index: int) -> Iterator[Decision]:
    """The branches of the thread that made a node, before it, and the choices on its way and on
    that to its `index`, as far as they depended on an element; each element once."""
    own = np.flatnonzero(graph.thread[:root] == graph.thread[root])
    asked = [(node, int(graph.left[node])) for node in _branches(graph, own)] + [
        (node, int(graph.right[node]))
        for end in (root, index)
        for node in _carrying(graph, end, Carries.CHOSEN).tolist()
    ]
    met: set[Element] = set()
    for node, predicate in sorted(asked)[:MOST]:
        for source in (one for test in _tests(graph, predicate) for one in graph.sources(test)):
            found = came_from(graph, source).found if source > 0 else 0
            element = elements.behind(graph, found) if found < 0 else None
            if element and element not in met:
                met.add(element)
                value = float(elements.buffers[element.buffer].flat[element.index])
                yield element, value, place_of(graph, node)


def _carrying(graph: Graph, root: int, kind: Carries) -> npt.NDArray[Any]:
    """The nodes on the way to a node whose instructions carry values so, the last one first."""
    nodes = graph.slice_of(root).nodes
    return np.asarray(nodes[graph.carrying(nodes, kind)])


def _branches(graph: Graph, nodes: npt.NDArray[np.int64]) -> list[int]:
    """Those of the nodes at which a thread branched."""
    return list(
        nodes[graph.by_instruction(lambda one: one.form.flow is Flow.BRANCH, nodes)].tolist()
    )


def _asked(graph: Graph, node: int, numbers: Numbers) -> Iterator[Choice]:
    """What was asked for a value to be chosen, and which it was."""
    instruction = unless(graph.instruction(node), AssertionError("a choice is one"))
    taken = float(numbers(instruction.form.type)[node])
    first, bits = graph.refused[bisect_right(graph.refused, node, key=itemgetter(0)) - 1]
    refused = float(as_numbers(bits[node - first : node - first + 1], instruction.form.type)[0])
    yield from _compares(graph, node, int(graph.right[node]), numbers, (taken, refused))


def _compares(
    graph: Graph, node: int, predicate: int, numbers: Numbers, chosen: tuple[float, float]
) -> Iterator[Choice]:
    """The comparisons that a predicate was made of, by which `node` was chosen, or branched;
    `chosen` are the values that were taken and refused."""
    for test in _tests(graph, predicate):
        compared = unless(graph.instruction(test), AssertionError("_tests has asked"))
        values = list(_compared(graph, test, compared, numbers))
        if len(values) == 2:
            (one, is_fixed), (other, other_fixed) = values
            yield Choice(
                compared.form.opcode,
                place_of(graph, node),
                (one, other),
                (is_fixed, other_fixed),
                bool(graph.value[test]),
                *chosen,
            )


def _tests(graph: Graph, predicate: int) -> Iterator[int]:
    """The comparisons that a predicate was made of."""
    ahead, left = [predicate], DEEP
    while ahead and left:
        node, left = ahead.pop(), left - 1
        if (instruction := graph.instruction(node)) is None:
            continue
        if instruction.form.opcode.startswith("setp."):
            yield node
        elif instruction.form.type == "pred":
            ahead += [int(graph.right[node]), int(graph.left[node])]


def _compared(
    graph: Graph, test: int, instruction: Instruction, numbers: Numbers
) -> Iterator[tuple[float, bool]]:
    """The two numbers that were compared, and whether each is in the code."""
    made_of = int(graph.left[test]), int(graph.right[test])
    sources = dict(zip(dict.fromkeys(instruction.read), made_of, strict=False))
    for one in instruction.operands[1:3]:
        if isinstance(one, Immediate):
            yield literal(one), True
        elif isinstance(one, Register) and (source := sources.get(one.name, 0)) > 0:
            yield float(numbers(instruction.form.type)[source]), False


MOST_USED = 4096  # runs of elements told of
MOST_LOADS = 1 << 15  # elements told of
MOST_PEERS = 1 << 10  # values
MOST_BEHIND = 300_000  # values; more are told to have been stored, and nothing else


def made(graph: Graph, elements: Elements, element: Element) -> Made:
    """The making of one element of one of the buffers, after the launches that `graph` holds."""
    root = int(elements.roots(graph, element.buffer)[element.index])
    if root <= 0:
        return Made(whole=graph.whole)
    if len(graph.slice_of(root)) > MOST_BEHIND:
        return Made(stored=place_of(graph, root), cut=True, whole=graph.whole)
    used, source = _used(graph, elements, root), came_from(graph, root)
    # The node of the place that it was loaded from; 0 for what was not.
    address = int(graph.right[source.node]) if source.found < 0 else 0
    told = Made(
        stored=place_of(graph, root),
        used=tuple(used[:MOST_USED]),
        cut=len(used) > MOST_USED,
        whole=graph.whole,
        index=slice_of(graph, elements, address),
    )
    if elements.beyond:  # of what lies there only the place is known
        return told
    summed = _used(graph, elements, root, extremes=False) if extreme(graph, root) else used
    nan = first_nan(graph, root)
    handed_on = elements.behind(graph, source.found) if source.found < 0 else None
    return replace(
        told,
        origin=handed_on or ("" if source.found else "constant"),
        origin_line=graph.line(source.node),
        nan=place_of(graph, nan) if nan else None,
        operands=operands(graph, nan) if nan else (),
        summed=tuple(summed[:MOST_USED]),
        behind=slice_of(graph, elements, root),
        choices=choices(graph, root),
        shuffles=_shuffles(graph, root),
        decisions=tuple(_decisions(graph, elements, root, address)),
        loads=tuple(_loads(graph, elements)),
        peers=_peers(graph, root),
    )


def path_of(graph: Graph, thread: ThreadPlace, elements: Elements | None) -> ThreadPath:
    """What a thread did in the last launch of `graph`; what it used and stored only if the
    `elements` are known."""
    blocks, threads = graph.places(np.arange(len(graph)))
    own = np.flatnonzero(
        (blocks == thread.block) & (threads == thread.thread) & (graph.at >= graph.last_launch)
    )
    numbers = cache(partial(as_numbers, graph.value))
    branches = [
        one
        for node in _branches(graph, own)[-MOST_BRANCHES:]
        for one in _compares(graph, node, int(graph.left[node]), numbers, (0.0, 0.0))
    ]
    if elements is None:
        return ThreadPath(tuple(branches))
    stores = own[graph.carrying(own, Carries.STORED)].tolist()
    written = (
        (element, graph.line(node)) for node in stores if (element := elements.stored(graph, node))
    )
    stored = [*islice(written, FEW_STORED)]
    sources = np.concatenate([graph.left[own], graph.right[own]])
    read = {elements.behind(graph, leaf) for leaf in np.unique(sources[sources < 0]).tolist()}
    used = {one.buffer for one in (*read, *(one for one, _ in stored)) if one}
    return ThreadPath(tuple(branches), tuple(sorted(used)), tuple(stored))


def _loads(graph: Graph, elements: Elements) -> Iterator[Used]:
    """By instruction each element that it loaded from where it lay before the launches, how often,
    who did so first, and where that was used last."""
    nodes = np.flatnonzero(graph.left < 0)
    pairs = np.stack([graph.left[nodes], graph.at[nodes]])
    _, first, times = np.unique(pairs, axis=1, return_index=True, return_counts=True)
    if len(times) > MOST_LOADS:
        return
    nodes = nodes[first]
    ends = graph.ends()[nodes]
    who, last = places_of(graph, nodes), places_of(graph, ends)
    lost = graph.by_instruction(_is_lost, ends).tolist()
    is_kept = graph.carrying(ends, Carries.STORED) & ~np.array(lost, bool)
    stored = cache(partial(elements.stored, graph))
    kept = (
        stored(end) if is_it else None for end, is_it in zip(ends.tolist(), is_kept, strict=True)
    )
    rows = zip(graph.left[nodes].tolist(), times.tolist(), who, last, lost, kept, strict=True)
    yield from (
        Used(element, 1, often, loaded, end if is_lost else None, place)
        for leaf, often, loaded, end, is_lost, place in rows
        if (element := elements.behind(graph, leaf))
    )


def _is_lost(instruction: Instruction) -> bool:
    """Whether what nothing was made of was stored in no buffer, and decides nothing."""
    form = instruction.form
    in_no_buffer = {one.space for _, one in form.transfers} <= {"shared"}
    return form.type != "pred" and (form.carries is not Carries.STORED or in_no_buffer)


def _peers(graph: Graph, root: int) -> dict[int, float]:
    """What each thread of the block that stored a node last had at the instruction that made what
    was stored."""
    stored = max(int(graph.left[root]), 0)
    nodes = np.flatnonzero(graph.at[:root] == graph.at[stored]) if stored else np.array([stored])
    mine = nodes[graph.places(nodes)[0] == graph.place(root)[0]]
    return {graph.place(one)[1]: number(graph, one) for one in mine[-MOST_PEERS:].tolist()}


def _used(graph: Graph, elements: Elements, root: int, extremes: bool = True) -> list[Used]:
    """What a value was made of; neighbours that went in equally often are told together."""
    found = (
        (element, one)
        for one in inputs_of(graph, root, extremes)
        if (element := elements.at(one.origin.address, one.origin.offset))
    )
    runs = groupby(
        enumerate(found), lambda row: (row[1][0].buffer, row[1][0].index - row[0], row[1][1].times)
    )
    told = ([pair for _, pair in run] for _, run in runs)
    return [
        Used(run[0][0], len(run), run[0][1].times, place_of(graph, run[0][1].node)) for run in told
    ]


NEVER = 1 << 40  # so many instructions pass what no input goes into
LOOKED_AT = 24  # elements of an output whose trees are measured
ENOUGH = 60_000  # values behind them, after which no other tree is
Counts = npt.NDArray[np.int64]
SPACES = {"shared": "shared memory", "local": "local memory"}


def way(graph: Graph, elements: Elements, case: CaseRequest, asked: Asked) -> Way:
    """The answer to one question, after the launches that `graph` holds."""
    own = _worth(graph, asked)
    roots = {name: np.maximum(elements.roots(graph, name), 0) for name in asked.outputs}
    if asked.banned:
        last = _last(graph, own)
        return _at_fault(graph, own, {name: last[nodes] for name, nodes in roots.items()})
    if asked.last:
        return _at_fault(
            graph,
            own,
            {
                name: np.where(own[nodes] < asked.at_least, nodes, 0)
                for name, nodes in roots.items()
            },
        )
    leaves = graph.leaves(
        {allocation_of(elements.buffers[name]).address for name in case.inputs}, 0, NEVER
    )
    tree = partial(_Tree, graph, own, leaves)
    if asked.levels:
        return _met(elements, roots, tree, asked.levels)
    fewest = graph.forward(np.minimum, lambda some, made: made + own[some], leaves, NEVER)
    for name, nodes in roots.items():
        if graph.whole and len(nodes) and (fewest[nodes] >= NEVER).all():
            return Way(len(nodes), Element(name, 0))
    count, first = _short(
        {name: np.flatnonzero(fewest[nodes] < asked.at_least) for name, nodes in roots.items()}
    )
    if first is None:
        return Way()
    ways = tree(int(roots[first.buffer][first.index])).leaves
    leaf, (passed, node) = min(ways.items(), key=lambda one: (one[1][0], -one[0]))
    return Way(count, first, passed, elements.behind(graph, leaf), place_of(graph, node))


def _worth(graph: Graph, asked: Asked) -> Counts:
    """By node, how many of the kind its instruction stands for."""
    kinds = [(re.compile(opcode), count) for opcode, count in asked.worth.items()]

    @cache
    def worth(opcode: str) -> int:
        return max((count for kind, count in kinds if kind.fullmatch(opcode)), default=0)

    return graph.by_instruction(lambda one: worth(one.form.opcode), slice(None), worth("")).astype(
        np.int64
    )


def _last(graph: Graph, own: Counts) -> Counts:
    """By node, the last one of the kind on the ways to it, of indices too; 0: there is none."""
    numbers = np.arange(len(graph), dtype=np.int64)

    return graph.forward(
        np.maximum,
        lambda some, made: np.where(own[some] > 0, numbers[some], made),
        graph.leaves((), 0, 0),
        steered=True,
    )


def _at_fault(graph: Graph, own: Counts, nodes: Mapping[str, Counts]) -> Way:
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
    elements: Elements, roots: Mapping[str, Counts], tree_of: "Callable[[int], _Tree]", levels: int
) -> Way:
    for name, nodes in roots.items():
        seen = loads = 0
        for index in _spread(len(nodes)):
            tree = tree_of(int(nodes[index]))
            # The fewest of the kind on a way, by address and place of what one load brought.
            ways = ((tree.graph.origin(leaf), *way) for leaf, way in tree.leaves.items())
            by_load = grouped(
                ((origin.address, origin.offset // _width(tree.graph, node)), count)
                for origin, count, node in ways
            )
            passed = {load: min(counts) for load, counts in by_load.items()}
            called_for = min(levels, len(passed).bit_length() - 1) if passed else 0
            # What has come by the kind may be little beside the rest.
            few = 2 * sum(map(bool, passed.values())) < len(passed) > 1
            met = 0 if few else max(passed.values(), default=0)
            if met < called_for:
                return _not_met(elements, Element(name, index), tree, met)
            seen, loads = seen + tree.size, loads + len(passed)
            if seen > ENOUGH:
                break
        if loads == 0 and tree.graph.whole:  # no input goes into any: its making was not seen
            return Way(len(nodes), Element(name, 0))
    return Way()


def _not_met(elements: Elements, element: Element, tree: "_Tree", passed: int) -> Way:
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

    def __init__(self, graph: Graph, own: Counts, inputs: Counts, root: int):
        self.graph, self.root, self._own = graph, root, own
        self._behind = graph.slice_of(root, choices=True)  # a maximum by `?:` is one too
        self.size, passed = len(self._behind), own[self._behind.nodes].tolist()
        self._onward = [0] * self.size  # the place of the next node on the nearest way to the root
        nearest = [0] + [NEVER] * (self.size - 1)
        for at, (left, right) in enumerate(zip(*self._behind.places(), strict=True)):
            count = passed[at] = nearest[at] + passed[at]
            for source in (left, right):
                if source >= 0 and count < nearest[source]:
                    nearest[source], self._onward[source] = count, at
        self.leaves: dict[int, tuple[int, int]] = {}
        for leaf, node, fewest in self._behind.inputs(np.array(passed)):
            if inputs[-1 - leaf] == 0:
                self.leaves[leaf] = min((fewest, node), self.leaves.get(leaf, (NEVER, 0)))

    def crossing(self, node: int) -> tuple[ThreadPlace, str]:
        """Where, on the way from a node to the root, a thread first has what another one had other
        than by an instruction of the kind."""
        graph, nodes, here = self.graph, self._behind.nodes, node
        at = int(np.searchsorted(-nodes, -node))
        while at:
            at = self._onward[at]
            before, here = here, int(nodes[at])
            instruction = graph.instruction(here)
            if instruction and graph.thread[before] != graph.thread[here] and not self._own[here]:
                form = instruction.form
                how = next(
                    (SPACES[one.space] for _, one in form.transfers if one.space in SPACES),
                    "global memory",
                )
                return place_of(graph, here), "an atomic" if form.atomic else how
        return place_of(graph, node), ""


def _width(graph: Graph, node: int) -> int:
    """Bytes that the load at a node takes from memory."""
    instruction = graph.instruction(node)
    transfers = instruction.form.transfers if instruction else ()
    return transfers[-1][1].width if transfers else 1


def _spread(size: int) -> Iterator[int]:
    """Some numbers below `size`: the first, the last, and others between them, far ones first."""
    told = np.unique(np.linspace(0, size - 1, min(size, LOOKED_AT)).astype(int))
    order = sorted(range(len(told)), key=lambda at: f"{at:08b}"[::-1])
    yield from dict.fromkeys([int(told[0]), int(told[-1]), *(int(told[at]) for at in order)])
