"""Which threads of which blocks touched the elements of an array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from grader.cuda.simulator.watching.arrays import Array

_MOST_THREADS = 1024  # of a block


@dataclass(frozen=True)
class Ownership:
    """`elements`: int64, those that somebody touched, ascending. Their owners are
    `block` and `thread`, of element k from `first[k]` to `first[k + 1]`."""

    elements: np.ndarray
    first: np.ndarray
    block: np.ndarray
    thread: np.ndarray

    def of(self, element: int) -> list[tuple[int, int]]:
        """(block, thread) of everyone who touched `element`."""
        at = int(np.searchsorted(self.elements, element))
        if at == len(self.elements) or self.elements[at] != element:
            return []
        mine = slice(self.first[at], self.first[at + 1])
        return list(zip(self.block[mine].tolist(), self.thread[mine].tolist(), strict=True))

    @property
    def shared(self) -> int:
        """How many elements several threads touched."""
        return int(np.count_nonzero(np.diff(self.first) > 1))

    @property
    def blocks(self) -> list[int]:
        return np.unique(self.block).tolist()


def ownership(events, array: Array, kind: str) -> Ownership:
    """What the "load", "store" or "atomic" events did with `array`."""
    address, who = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for event in events:
        if event.buffer != array.buffer or event.kind != kind:
            continue
        for byte in range(0, event.width, array.dtype.itemsize):
            address.append(event.address + byte)
            who.append(event.block * _MOST_THREADS + event.threads)
    element, owner = array.elements(np.concatenate(address)), np.concatenate(who)
    owners = int(owner.max(initial=0)) + 1
    element, owner = np.divmod(np.unique((element * owners + owner)[element >= 0]), owners)
    elements, first = np.unique(element, return_index=True)
    block, thread = np.divmod(owner, _MOST_THREADS)
    return Ownership(elements, np.append(first, len(element)), block, thread)
