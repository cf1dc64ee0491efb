"""Slices: of which inputs, by which instructions, on which lanes, each value was made.

This is the dynamic dependence graph of a launch (Agrawal and Horgan, "Dynamic program slicing",
1990); and what is asked of it about one value.

A node is a value that one thread made at one instruction. Nodes are numbered as they are made, so
that a node's sources have lower numbers, and whatever is to be known of all of them is one pass in
that order. 0 stands for a constant. Negative numbers stand for bytes that lay in memory before the
launch: -1 for the first byte of the first memory, and so on.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...ptx.numbers import DTYPES
from ...ptx.program import Carries, Immediate, Instruction

MOST_NODES = 1 << 23  # some 200 MB if all are written
_COLUMNS = {
    "at": np.int32,
    "thread": np.int32,
    "left": np.int32,
    "right": np.int32,
    "value": np.uint64,
}


def _column(name: str) -> property:
    """What a `Graph` knows of each node under that name, as a view (nodes,)."""
    return property(lambda graph: graph._columns[name][: graph._size])


class TooLong(Exception):
    """A run makes more values than can be followed."""


class Origin(NamedTuple):
    """Where a byte lay before the launches: `offset` bytes into the buffer at `address`."""

    address: int
    offset: int


@dataclass(frozen=True, eq=False)
class Slice:
    """Of what one value was made: nodes and their sources, 0 where there is none."""

    nodes: npt.NDArray[np.int64]  # (nodes,), the value itself included, highest number first
    left: npt.NDArray[Any]  # (nodes,) int32
    right: npt.NDArray[Any]  # (nodes,) int32

    def __len__(self) -> int:
        return len(self.nodes)

    def places(self) -> tuple[list[int], list[int]]:
        """Where the sources of each stand among the nodes, -1 for what is none of them."""
        sources = np.stack([self.left, self.right])
        left, right = np.where(sources > 0, np.searchsorted(-self.nodes, -sources), -1).tolist()
        return left, right

    def inputs(self, *more: npt.NDArray[Any]) -> Iterator[tuple[int, ...]]:
        """Each source that is a byte from before the launches, the node that was made of it, and
        what `more` says of that node."""
        for sources in (self.left, self.right):
            some = np.flatnonzero(sources < 0)
            yield from zip(
                *(one[some].tolist() for one in (sources, self.nodes, *more)), strict=True
            )


class Graph:
    """The values of one launch after the other.

    `at`: the instruction, as an index into `code`, int32 (nodes,). `thread`: its number in the
    grid, int32. `left`, `right`: what the value was made of, int32; of what goes to or comes from
    memory `left` is the value and `right` the address, of a choice the chosen one and what it was
    chosen by (see `_steers`). `value`: its bits, uint64. `whole`: nothing was done that is not
    followed (copies by a copy engine, matrix operations). `detailed`: branches are nodes too, made
    of what decides them, and so is a lane's own value that a shuffle gives back; what a copy engine
    brings into shared memory is what it was before. `refused`: then, by the first of some nodes,
    the bits of what each of them might have been by another choice.
    """

    def __init__(self, detailed: bool = False) -> None:
        self.detailed = detailed
        self.code: list[Instruction | None] = [None]  # None: values side by side are one
        self.whole = True
        self.refused: list[tuple[int, npt.NDArray[np.uint64]]] = []
        self._launches: list[tuple[int, int]] = []  # where its code begins, and a block's threads
        self._size = 1
        # The system gives no memory for zeros that nobody has written.
        self._columns = {name: np.zeros(MOST_NODES, kind) for name, kind in _COLUMNS.items()}
        self._batches = [1]  # where each set of nodes that do not depend on each other begins
        self._begins: list[int] = []  # by memory from before: its first byte's number, counted up
        self._addresses: list[int] = []
        self.memories: dict[int, npt.NDArray[Any]] = {}  # by address, see `memory`
        self._bytes = 0
        # The latest slice, by its node, the number of nodes, and whether choices count.
        self._latest: dict[tuple[int, int, bool], Slice] = {}
        self._rights: dict[bool, npt.NDArray[Any]] = {}  # by whether choices count
        self._ends = np.zeros(0, np.int64)

    def __len__(self) -> int:
        return self._size

    at, thread, left, right, value = map(_column, _COLUMNS)

    def instruction(self, node: int) -> Instruction | None:
        """What made a value; None of constants, and where values only stand side by side."""
        return self.code[self.at[node]] if node > 0 else None

    def by_instruction(
        self,
        what: Callable[[Instruction], Any],
        nodes: npt.NDArray[np.int64] | slice,
        otherwise: Any = False,
    ) -> npt.NDArray[Any]:
        """`what` there is to say of the instructions that made these values; `otherwise` where
        there is none."""
        known = np.array([otherwise if one is None else what(one) for one in self.code])
        return np.asarray(known[self.at[nodes]])

    def carrying(self, nodes: npt.NDArray[np.int64], kind: Carries) -> npt.NDArray[Any]:
        """Which of these values were made by instructions that carry values so: bool (nodes,)."""
        return self.by_instruction(lambda one: one.form.carries is kind, nodes)

    def enter(self, code: Sequence[Instruction], threads: int) -> int:
        """A launch of this code begins, of blocks of so many threads; where it stands in `code`."""
        self._launches.append((len(self.code), threads))
        self.code += code
        return len(self.code) - len(code)

    @property
    def last_launch(self) -> int:
        """Where the code of the latest launch begins in `code`."""
        return self._launches[-1][0] if self._launches else 0

    def place(self, node: int) -> tuple[int, int]:
        """The block and the thread in it that made a value, by linear index."""
        before = bisect_right(self._launches, self.at[node], key=itemgetter(0)) - 1
        return divmod(int(self.thread[node]), self._launches[max(before, 0)][1])

    def places(self, nodes: npt.NDArray[np.int64]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """The same of many nodes: blocks and threads."""
        begins, threads = np.array(self._launches).T
        return divmod(
            self.thread[nodes].astype(np.int64),
            threads[np.maximum(np.searchsorted(begins, self.at[nodes], side="right") - 1, 0)],
        )

    def line(self, node: int) -> int | None:
        """The source line that made a value."""
        instruction = self.instruction(node)
        return instruction.line if instruction else None

    def add(
        self,
        at: int,
        thread: npt.NDArray[Any],
        left: npt.NDArray[Any],
        right: npt.NDArray[Any] | int,
    ) -> npt.NDArray[Any]:
        """A node for each thread; their numbers."""
        first = self._size
        self._size += len(thread)
        if self._size > MOST_NODES:
            raise TooLong
        for name, values in (("at", at), ("thread", thread), ("left", left), ("right", right)):
            self._columns[name][first : self._size] = values
        self._batches.append(self._size)
        return np.arange(first, self._size, dtype=np.int32)

    def begin_memory(self, address: int, size: int) -> None:
        """Memory that holds what lay there before."""
        self.memories[address] = -1 - np.arange(self._bytes, self._bytes + size, dtype=np.int32)
        self._begins.append(self._bytes)
        self._addresses.append(address)
        self._bytes += size

    def memory(self, address: int, size: int = 0) -> npt.NDArray[Any]:
        """The node that each byte of the memory at an address holds, int32, nothing at first; a
        view."""
        if address not in self.memories:
            self.memories[address] = np.zeros(size, np.int32)
        return self.memories[address]

    def origin(self, source: int) -> Origin:
        """What a negative number stands for."""
        which = bisect_right(self._begins, -1 - source) - 1
        return Origin(self._addresses[which], -1 - source - self._begins[which])

    def sources(self, node: int) -> tuple[int, ...]:
        """What a value was made of, without what steers."""
        left, right = int(self.left[node]), int(self.right[node])
        instruction = self.instruction(node)
        return (left,) if instruction and _steers(instruction) else (left, right)

    def slice_of(self, root: int, choices: bool = False) -> Slice:
        """Of what a node was made; what steers is left out (but for what a value was chosen by,
        with `choices`)."""
        wanted = root, self._size, choices
        if wanted not in self._latest:
            right, reached = self._sources(choices), np.zeros(self._size, bool)
            ahead = np.array([root] if root > 0 else [], np.int64)
            while len(ahead):
                reached[ahead] = True
                sources = np.concatenate([self.left[ahead], right[ahead]])
                sources = sources[sources > 0]
                ahead = np.unique(sources[~reached[sources]])
            nodes = np.flatnonzero(reached)[::-1]
            self._latest = {wanted: Slice(nodes, self.left[nodes], right[nodes])}
        return self._latest[wanted]

    def _sources(self, choices: bool = False) -> npt.NDArray[Any]:
        """The right source of every node, 0 for what merely steers; with `choices` what a value was
        chosen by is a source too."""
        if len(self._rights.get(choices, ())) != self._size:
            kept = Carries.CHOSEN if choices else None
            steers = self.by_instruction(
                lambda one: _steers(one) and one.form.carries is not kept, slice(None)
            )
            self._rights[choices] = np.where(steers, 0, self.right)
        return self._rights[choices]

    def forward(
        self,
        combine: Callable[[npt.NDArray[Any], npt.NDArray[Any]], npt.NDArray[Any]],
        step: Callable[[slice, npt.NDArray[Any]], npt.NDArray[Any]],
        leaves: npt.NDArray[Any],
        of_constants: int = 0,
        steered: bool = False,
    ) -> npt.NDArray[Any]:
        """Of each node what `step` makes of what `combine` makes of its sources, in order of
        numbers: int64 (nodes,). `leaves` is that of each byte from before the launch, int64
        (bytes,), `of_constants` that of a constant, and of what merely steers unless it is to be
        asked too (`steered`)."""
        made, left = np.full(self._size, of_constants, np.int64), self.left
        right = self.right if steered else self._sources()
        for first, last in zip(self._batches, self._batches[1:], strict=False):
            some = slice(first, last)
            made[some] = step(
                some, combine(_of(left[some], made, leaves), _of(right[some], made, leaves))
            )
        return made

    def ends(self) -> npt.NDArray[Any]:
        """Of each node the latest one that it went into, itself where nothing was made of it: int64
        (nodes,)."""
        if len(self._ends) != self._size:
            ends, right = np.arange(self._size), self._sources()
            for first, last in zip(self._batches[-2::-1], self._batches[:0:-1], strict=True):
                latest = ends[first:last].copy()
                for some in (self.left[first:last], right[first:last]):
                    np.maximum.at(ends, np.maximum(some, 0), latest)
            self._ends = ends
        return self._ends

    def leaves(self, addresses: Collection[int], inside: int, outside: int) -> npt.NDArray[Any]:
        """For each byte of an input, `inside` if it was in memory at one of these addresses, else
        `outside`: int64 (bytes,)."""
        return np.repeat(
            np.where([one in addresses for one in self._addresses], inside, outside),
            np.diff([*self._begins, self._bytes]),
        )


def _of(
    sources: npt.NDArray[Any], made: npt.NDArray[Any], leaves: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """What is known of sources: of nodes by their number, of bytes from before by theirs."""
    of_bytes = sources < 0
    found = made[np.where(of_bytes, 0, sources)]
    if of_bytes.any():
        found[of_bytes] = leaves[-1 - sources[of_bytes]]
    return found


def hands_on(instruction: Instruction, ways: Collection[Carries]) -> bool:
    """Whether an instruction does not compute a value but finds it, or carries it in one of these
    ways."""
    form = instruction.form
    return bool(form.transfers and not form.atomic) or form.carries in ways


def _steers(instruction: Instruction) -> bool:
    """Whether `right` merely says which value `left` is."""
    form = instruction.form
    return form.carries is Carries.CHOSEN or (
        bool(form.transfers) and (not form.atomic or form.compares)
    )


# ---- what one value was made of ----

MOST_TIMES = 1000  # counted no further
_NUMBERS = ("f16", "f32", "f64", "s32", "s64", "u32", "u64")


@dataclass(frozen=True)
class Input:
    """Bytes of memory from before the launches that went into a value: those at `origin`, loaded
    at `node`, in so many ways (`times`: as often as a sum would hold it)."""

    origin: Origin
    node: int
    times: int


def inputs_of(graph: Graph, root: int, extremes: bool = True) -> list[Input]:
    """Of what a value was made, what steered its making left out; in order of memory. Without
    `extremes`, what went through a maximum or a minimum is left out too."""
    made_of = graph.slice_of(root)
    sizes = graph.by_instruction(_size, made_of.nodes, 1)
    found: dict[tuple[int, int, int], Input] = {}
    for source, node, size, ways in made_of.inputs(sizes, _times(graph, made_of, extremes)):
        if ways:
            origin = graph.origin(source)
            key = (origin.address, origin.offset, size)
            before = found[key].times if key in found else 0
            found[key] = Input(origin, node, min(before + ways, MOST_TIMES))
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
    instruction = graph.instruction(node)
    is_found = instruction and hands_on(
        instruction, (Carries.ONE_OF, Carries.CHOSEN, Carries.COPIED)
    )
    return Source(next((one for one in sources if one < 0), 0) if is_found else node, node)


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
