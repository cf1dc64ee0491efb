"""Which element of which buffer lies where, and what the graph says of it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ....machine.memory.allocations import allocation_of
from ....watch.arrays import described
from ....watch.slice import Graph
from ...protocol import Arrays, Element, Place


class Elements:
    """The elements of some buffers, by the bytes that hold them. What lies `beyond` a buffer is
    counted on if that is asked for, below 0 before it."""

    def __init__(self, buffers: Arrays, beyond: bool = False):
        self.buffers, self.beyond = buffers, beyond
        self._at: dict[int, list[str]] = {}
        self._places: dict[str, tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]] = {}
        for name, array in buffers.items():
            self._at.setdefault(allocation_of(array).address, []).append(name)

    def at(self, address: int, offset: int) -> Element | None:
        """What lies at an offset of an allocation; None where no buffer does."""
        for name in self._at.get(address, ()):
            order, places = self._sorted(name)
            found = int(np.searchsorted(places, offset, side="right")) - 1
            if found >= 0 and offset - places[found] < self.buffers[name].itemsize:
                return Element(name, int(order[found]))
            if self.beyond and self.buffers[name].flags.c_contiguous and len(places):
                return Element(name, (offset - int(places[0])) // self.buffers[name].itemsize)
        return None

    def behind(self, graph: Graph, leaf: int) -> Element | None:
        """The element that a byte from before the launches belonged to."""
        origin = graph.origin(leaf)
        return self.at(origin.address, origin.offset)

    def roots(self, graph: Graph, name: str) -> npt.NDArray[np.int32]:
        """The node that each element of a buffer holds, in C order; of one of several stores the
        first byte's."""
        memory: npt.NDArray[np.int32] = graph.memory(allocation_of(self.buffers[name]).address)
        return memory[self._in_order(name)]

    def root(self, graph: Graph, element: Element) -> int:
        """The node that an element holds."""
        return int(self.roots(graph, element.buffer)[element.index])

    def _sorted(self, name: str) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]:
        if name not in self._places:
            places = self._in_order(name)
            order = np.argsort(places, kind="stable")
            self._places[name] = order, places[order]
        return self._places[name]

    def _in_order(self, name: str) -> npt.NDArray[np.int64]:
        places: npt.NDArray[np.int64] = described(self.buffers[name], 0, name).places()
        return places


def place_of(graph: Graph, node: int) -> Place:
    """Who made a value, and where."""
    return Place(*graph.place(node), graph.line(node))
