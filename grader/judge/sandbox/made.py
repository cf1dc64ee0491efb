"""What became of an element, as the worker that has run the kernel tells it: `Made`."""

from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cache, partial
from operator import itemgetter
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from ...ptx.program import Carries, Flow, Immediate, Instruction, Register
from ...watch.slice import Graph
from ...watch.slice import made as making
from ..protocol import Choice, Crossing, Decision, Element, Made, ThreadPath, ThreadPlace, Used
from .slices import Elements, as_numbers, literal, place_of, slice_of

MOST = 2000  # told of
DEEP = 8  # comparisons of one condition
MOST_BRANCHES, FEW_STORED = 32, 4  # told of a thread

Numbers = Callable[[str], npt.NDArray[np.float64]]  # every value of a graph, as a PTX type


def choices(graph: Graph, root: int) -> tuple[Choice, ...]:
    """The comparisons by which values on the way to a node were chosen, in order; of those that are
    alike in all but their places the first."""
    chosen = _carrying(graph, root, Carries.CHOSEN)[::-1][:MOST]
    numbers = cache(partial(as_numbers, graph.value))  # all at once, for each type
    first: dict[object, Choice] = {}
    for node in chosen.tolist():
        for one in _asked(graph, node, numbers):
            first.setdefault((one.opcode, one.values, one.fixed, one.holds, one.taken), one)
    return tuple(first.values())


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
    flows = np.array([one.form.flow if one else None for one in graph.code])
    own = np.flatnonzero(graph.thread[:root] == graph.thread[root])
    branches = own[flows[graph.at[own]] == Flow.BRANCH]
    asked = [(node, int(graph.left[node])) for node in branches.tolist()]
    for end in (root, index):
        chosen = _carrying(graph, end, Carries.CHOSEN).tolist()
        asked += [(node, int(graph.right[node])) for node in chosen]
    met: set[Element] = set()
    for node, predicate in sorted(asked)[:MOST]:
        sources = [source for test in _tests(graph, predicate) for source in graph.sources(test)]
        for source in sources:
            found = making.came_from(graph, source).found if source > 0 else 0
            element = elements.behind(graph, found) if found < 0 else None
            if element and element not in met:
                met.add(element)
                value = float(elements.buffers[element.buffer].flat[element.index])
                yield element, value, place_of(graph, node)


def _carrying(graph: Graph, root: int, kind: Carries) -> npt.NDArray[Any]:
    """The nodes on the way to a node whose instructions carry values so, the last one first."""
    carried = [one is not None and one.form.carries is kind for one in graph.code]
    nodes = graph.slice_of(root).nodes
    chosen: npt.NDArray[Any] = nodes[np.array(carried, bool)[graph.at[nodes]]]
    return chosen


def _asked(graph: Graph, node: int, numbers: Numbers) -> Iterator[Choice]:
    """What was asked for a value to be chosen, and which it was."""
    instruction = graph.code[graph.at[node]]
    assert instruction is not None, "a choice is one"
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
        compared = graph.code[graph.at[test]]
        assert compared is not None, "_tests has asked"
        values = _compared(graph, test, compared, numbers)
        if len(values) == 2:
            (one, is_fixed), (other, other_fixed) = values
            fixed = is_fixed, other_fixed
            holds = bool(graph.value[test])
            place = place_of(graph, node)
            yield Choice(compared.form.opcode, place, (one, other), fixed, holds, *chosen)


def _tests(graph: Graph, predicate: int) -> Iterator[int]:
    """The comparisons that a predicate was made of."""
    ahead, left = [predicate], DEEP
    while ahead and left:
        node, left = ahead.pop(), left - 1
        instruction = graph.code[graph.at[node]] if node > 0 else None
        if instruction is None:
            continue
        if instruction.form.opcode.startswith("setp."):
            yield node
        elif instruction.form.type == "pred":
            ahead += [int(graph.right[node]), int(graph.left[node])]


def _compared(
    graph: Graph, test: int, instruction: Instruction, numbers: Numbers
) -> list[tuple[float, bool]]:
    """The two numbers that were compared, and whether each is in the code."""
    names = list(dict.fromkeys(instruction.read))[:2]
    sources = dict(zip(names, (int(graph.left[test]), int(graph.right[test])), strict=False))
    found = []
    for one in instruction.operands[1:3]:
        if isinstance(one, Immediate):
            found.append((literal(one), True))
        elif isinstance(one, Register) and (source := sources.get(one.name, 0)) > 0:
            found.append((float(numbers(instruction.form.type)[source]), False))
    return found


MOST_USED = 4096  # runs of elements told of
MOST_LOADS = 1 << 15  # elements told of
MOST_PEERS = 1 << 10  # values
MOST_BEHIND = 300_000  # values; more are told to have been stored, and nothing else


def made(graph: Graph, elements: Elements, element: Element) -> Made:
    """The making of one element of one of the buffers, after the launches that `graph` holds."""
    root = elements.root(graph, element)
    if root <= 0:
        return Made(whole=graph.whole)
    if len(graph.slice_of(root)) > MOST_BEHIND:
        return Made(stored=place_of(graph, root), cut=True, whole=graph.whole)
    used = _used(graph, elements, root)
    told = Made(
        stored=place_of(graph, root),
        used=tuple(used[:MOST_USED]),
        cut=len(used) > MOST_USED,
        whole=graph.whole,
    )
    if elements.beyond:  # of what lies there only the place is known
        return told
    summed = _used(graph, elements, root, extremes=False) if making.extreme(graph, root) else used
    nan = making.first_nan(graph, root)
    source = making.came_from(graph, root)
    address = _address(graph, source)
    return replace(
        told,
        origin=_origin(graph, elements, source.found),
        origin_line=graph.line(source.node),
        nan=place_of(graph, nan) if nan else None,
        operands=making.operands(graph, nan) if nan else (),
        summed=tuple(summed[:MOST_USED]),
        behind=slice_of(graph, elements, root),
        choices=choices(graph, root),
        shuffles=_shuffles(graph, root),
        decisions=tuple(_decisions(graph, elements, root, address)),
        index=slice_of(graph, elements, address),
        loads=tuple(_loads(graph, elements)),
        peers=_peers(graph, root),
    )


def path_of(graph: Graph, thread: ThreadPlace, elements: Elements | None) -> ThreadPath:
    """What a thread did in the last launch of `graph`; what it used and stored only if the
    `elements` are known."""
    blocks, threads = graph.places(np.arange(len(graph)))
    mine = (blocks == thread.block) & (threads == thread.thread) & (graph.at >= graph.last_launch)
    own = np.flatnonzero(mine)
    flows = np.array([one is not None and one.form.flow is Flow.BRANCH for one in graph.code])
    numbers = cache(partial(as_numbers, graph.value))
    branches = [
        one
        for node in own[flows[graph.at[own]]][-MOST_BRANCHES:].tolist()
        for one in _compares(graph, node, int(graph.left[node]), numbers, (0.0, 0.0))
    ]
    if elements is None:
        return ThreadPath(tuple(branches))
    stored: list[tuple[Element, int | None]] = []
    for name in elements.passed(graph):
        roots = elements.roots(graph, name)
        for at in np.flatnonzero((roots > 0) & mine[np.maximum(roots, 0)])[:FEW_STORED].tolist():
            stored.append((Element(name, at), graph.line(int(roots[at]))))
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
    ends = graph.ends()
    for node, often in zip(nodes[first].tolist(), times.tolist(), strict=True):
        if element := elements.behind(graph, int(graph.left[node])):
            last = place_of(graph, end) if _is_lost(graph, end := int(ends[node])) else None
            yield Used(element, 1, often, place_of(graph, node), last)


def _is_lost(graph: Graph, end: int) -> bool:
    """Whether a node that nothing was made of was stored in no buffer, and decides nothing."""
    instruction = graph.code[graph.at[end]]
    if instruction is None or instruction.form.type == "pred":
        return False
    form = instruction.form
    spaces = {one.space for _, one in form.transfers}
    return form.carries is not Carries.STORED or spaces <= {"shared"}


def _peers(graph: Graph, root: int) -> dict[int, float]:
    """What each thread of the block that stored a node last had at the instruction that made what
    was stored."""
    stored = max(int(graph.left[root]), 0)
    nodes = np.flatnonzero(graph.at[:root] == graph.at[stored]) if stored else np.array([stored])
    mine = nodes[graph.places(nodes)[0] == graph.place(root)[0]]
    return {graph.place(one)[1]: making.number(graph, one) for one in mine[-MOST_PEERS:].tolist()}


def _address(graph: Graph, source: making.Source) -> int:
    """The node of the place that an element was loaded from; 0 for what was not."""
    return int(graph.right[source.node]) if source.found < 0 else 0


def _used(graph: Graph, elements: Elements, root: int, extremes: bool = True) -> list[Used]:
    """What a value was made of; neighbours that went in equally often are told together."""
    runs: list[Used] = []
    for one in making.inputs_of(graph, root, extremes):
        element = elements.at(one.origin.address, one.origin.offset)
        if element is None:
            continue
        last, here = runs[-1] if runs else None, (element.buffer, element.index, one.times)
        if last and (last.first.buffer, last.first.index + last.count, last.times) == here:
            runs[-1] = replace(last, count=last.count + 1)
        else:
            runs.append(Used(element, 1, one.times, place_of(graph, one.node)))
    return runs


def _origin(graph: Graph, elements: Elements, source: int) -> Element | Literal["constant", ""]:
    if source > 0:
        return ""
    if source == 0:
        return "constant"
    return elements.behind(graph, source) or ""
