"""Which threads of which blocks touched the elements of an array."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from grader.cuda.simulator import Event
from grader.watch.arrays import Array

from .moments import addresses

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
        numbers: list[int] = np.unique(self.block).tolist()
        return numbers


def ownership(events: Iterable[Event], array: Array, kind: str) -> Ownership:
    """What the "load", "store" or "atomic" events did with `array`."""
    address, who = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for event in events:
        if event.buffer != array.buffer or event.kind != kind:
            continue
        for byte in range(0, event.width, array.dtype.itemsize):
            address.append(addresses(event) + byte)
            who.append(event.block * _MOST_THREADS + event.threads)
    element, owner = array.elements(np.concatenate(address)), np.concatenate(who)
    owners = int(owner.max(initial=0)) + 1
    element, owner = np.divmod(np.unique((element * owners + owner)[element >= 0]), owners)
    elements, first = np.unique(element, return_index=True)
    block, thread = np.divmod(owner, _MOST_THREADS)
    return Ownership(elements, np.append(first, len(element)), block, thread)


def sentences(found: Ownership) -> list[str]:
    """One for each stretch of elements that belong to the same threads, or one by one to threads
    that follow each other, e.g. "elements 32 to 63: block 1 threads 0 to 31"."""
    stretches: list[_Stretch] = []
    for element in found.elements.tolist():
        one = _Stretch(element, element, found.of(element), found.of(element))
        if stretches and (longer := stretches[-1].with_next(one)):
            stretches[-1] = longer
        else:
            stretches.append(one)
    return [stretch.sentence for stretch in stretches]


@dataclass(frozen=True)
class _Stretch:
    """Elements from `first` to `last`; who has the first, and who has the last."""

    first: int
    last: int
    begin: list[tuple[int, int]]
    end: list[tuple[int, int]]

    def with_next(self, one: _Stretch) -> _Stretch | None:
        """Itself and the element after it, if that goes on in the same way."""
        alone, same = self.first == self.last, one.begin == self.end
        ((block, thread), *others) = self.end
        on = not others and one.begin == [(block, thread + 1)]
        steady = same if self.begin == self.end else on
        if one.first == self.last + 1 and (steady or (alone and on)):
            return replace(self, last=one.last, end=one.end)
        return None

    @property
    def sentence(self) -> str:
        place = f"elements {self.first} to {self.last}"
        if self.first == self.last:
            place = f"element {self.first}"
        if self.begin != self.end:
            ((block, low),), ((_, high),) = self.begin, self.end
            return f"{place}: block {block} threads {low} to {high}"
        who = ", ".join(f"block {block} thread {thread}" for block, thread in self.begin[:3])
        more = f" and {len(self.begin) - 3} more" if len(self.begin) > 3 else ""
        return f"{place}: {who}{more}"
