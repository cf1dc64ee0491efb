"""What became of an element, as the worker that has run the kernel tells it: `Made`."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from ....watch.slice import Graph
from ....watch.slice import made as making
from ...protocol import Element, Made, Used
from .choices import choices
from .cone import cone
from .elements import Elements, place_of

MOST_USED = 4096  # runs of elements told of
MOST_BEHIND = 300_000  # values; more are told to have been stored, and nothing else


def made(graph: Graph, elements: Elements, element: Element) -> Made:
    """The making of one element of one of the buffers, after the launches that `graph` holds."""
    root = elements.root(graph, element)
    if root <= 0:
        return Made(whole=graph.whole)
    if len(graph.slice_of(root)) > MOST_BEHIND:
        return Made(stored=place_of(graph, root), cut=True, whole=graph.whole)
    used = _used(graph, elements, root)
    if elements.beyond:  # of what lies there only the place is known
        stored, cut = place_of(graph, root), len(used) > MOST_USED
        return Made(stored=stored, used=tuple(used[:MOST_USED]), cut=cut, whole=graph.whole)
    summed = _used(graph, elements, root, extremes=False) if making.extreme(graph, root) else used
    nan = making.first_nan(graph, root)
    source = making.came_from(graph, root)
    return Made(
        stored=place_of(graph, root),
        used=tuple(used[:MOST_USED]),
        cut=len(used) > MOST_USED,
        origin=_origin(graph, elements, source.found),
        origin_line=graph.line(source.node),
        nan=place_of(graph, nan) if nan else None,
        operands=making.operands(graph, nan) if nan else (),
        whole=graph.whole,
        summed=tuple(summed[:MOST_USED]),
        cone=cone(graph, elements, root),
        choices=choices(graph, root),
        index=cone(graph, elements, _address(graph, source)),
    )


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
        last = runs[-1] if runs else None
        if last and _continues(last, element, one.times):
            runs[-1] = replace(last, count=last.count + 1)
        else:
            runs.append(Used(element, 1, one.times, place_of(graph, one.node)))
    return runs


def _continues(last: Used, element: Element, times: int) -> bool:
    following = Element(last.first.buffer, last.first.index + last.count)
    return (following, last.times) == (element, times)


def _origin(graph: Graph, elements: Elements, source: int) -> Element | Literal["constant", ""]:
    if source > 0:
        return ""
    if source == 0:
        return "constant"
    return elements.behind(graph, source) or ""
