"""The values behind one element, as the worker that has run the kernel tells them: `SliceSteps`.

What merely hands a value on (loads, stores, shuffles, moves) is left out; what remains are the
steps that computed something, and the elements and constants that they began with. A sum of
exponentials has tens of thousands of values behind it, so all of an instruction are told at once.
"""

from bisect import bisect_right
from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from ...errors import unless
from ...grouped import grouped
from ...machine.memory.allocations import allocation_of
from ...ptx.link import built_in
from ...ptx.numbers import DTYPES
from ...ptx.program import Carries, Immediate, Instruction, Register, address_of
from ...watch.observe import described
from ...watch.slice import Graph, hands_on
from ..protocol import Arrays, Element, Op, SliceSteps, ThreadPlace

MOST = 60_000  # values
UNTYPED = {"b16": "f16", "b32": "f32", "b64": "f64"}
_hands_on = partial(hands_on, ways=(Carries.CHOSEN, Carries.COPIED, Carries.ACROSS))

# Where a value came from: a node by its number, what lay in memory by a negative one, and a
# constant by one from here on.
_CONSTANT = 1 << 40

Numbers = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


class Elements:
    """The elements of some buffers, by the bytes that hold them. What lies `beyond` a buffer is
    counted on if that is asked for, below 0 before it."""

    def __init__(self, buffers: Arrays, beyond: bool = False):
        self.buffers, self.beyond = buffers, beyond
        self._at = grouped((allocation_of(array).address, name) for name, array in buffers.items())
        self._places: dict[str, tuple[npt.NDArray[np.intp], npt.NDArray[np.int64]]] = {}

    def at(self, address: int, offset: int) -> Element | None:
        """What lies at an offset of an allocation; None where no buffer does."""
        for name in self._at.get(address, ()):
            if name not in self._places:
                places = self._in_order(name)
                order = np.argsort(places, kind="stable")
                self._places[name] = order, places[order]
            order, places = self._places[name]
            found = bisect_right(places, offset) - 1  # sooner than NumPy's, for one
            if found >= 0 and offset - places[found] < self.buffers[name].itemsize:
                return Element(name, int(order[found]))
            if self.beyond and self.buffers[name].flags.c_contiguous and len(places):
                return Element(name, (offset - int(places[0])) // self.buffers[name].itemsize)
        return None

    def behind(self, graph: Graph, leaf: int) -> Element | None:
        """The element that a byte from before the launches belonged to."""
        return self.at(*graph.origin(leaf))

    def stored(self, graph: Graph, node: int) -> Element | None:
        """The element that a store wrote to, of a pack the first; None outside of the buffers."""
        instruction = unless(graph.instruction(node), AssertionError("a store is one"))
        position, _ = instruction.form.transfers[-1]
        place = (
            int(graph.value[graph.right[node]]) + address_of(instruction.operands[position]).offset
        )
        return next(filter(None, (self.at(one, place - one) for one in self._at)), None)

    def roots(self, graph: Graph, name: str) -> npt.NDArray[np.int32]:
        """The node that each element of a buffer holds, in C order; of one of several stores the
        first byte's."""
        return graph.memory(allocation_of(self.buffers[name]).address)[self._in_order(name)]

    def _in_order(self, name: str) -> npt.NDArray[np.int64]:
        return described(self.buffers[name], 0, name).places()


def place_of(graph: Graph, node: int) -> ThreadPlace:
    """Who made a value, and where."""
    return ThreadPlace(*graph.place(node), graph.line(node))


def places_of(graph: Graph, nodes: Numbers) -> Iterator[ThreadPlace]:
    """The same of many values."""
    lines = graph.by_instruction(lambda one: one.line, nodes, None)
    return map(ThreadPlace, *(one.tolist() for one in (*graph.places(nodes), lines)))


def slice_of(graph: Graph, elements: Elements, root: int) -> SliceSteps:
    """What a node was made of, step by step; empty where that is too much to tell."""
    return (
        SliceSteps()
        if not 0 < len(graph.slice_of(root)) <= MOST
        else _Gathered(graph, root).told(elements)
    )


class _Gathered:
    """`nodes`: all behind the root, lowest first, made by the instructions `at`. `owner` and
    `source`: by place in `nodes`, what each was made of, in the order of operands; those of one
    owner from `begin` on."""

    def __init__(self, graph: Graph, root: int):
        behind = graph.slice_of(root)
        self.graph, self.nodes = graph, behind.nodes[::-1]
        self.at = graph.at[self.nodes].astype(np.int64)
        self.bits = graph.value[self.nodes]
        self.hands_on = graph.by_instruction(_hands_on, self.nodes)
        self.computed = np.flatnonzero(~self.hands_on & (self.at > 0))
        self.owner, self.source = self._pairs(behind.left[::-1], behind.right[::-1])
        self.begin = np.searchsorted(self.owner, np.arange(len(self.nodes) + 1))
        self.constants: dict[tuple[int, float], int] = {}

    def told(self, elements: Elements) -> SliceSteps:
        """First what lay in memory, then constants, then what was computed."""
        shown = self._shown()
        owner, operand = self._operands()
        operand = self._followed(operand, shown)
        used = np.concatenate([operand, shown[-1:]])
        leaves, computed = np.unique(-used[used < 0]), self.computed
        sources, first = np.unique(self.source, return_index=True)
        loaders = self.owner[first[np.searchsorted(sources, -leaves)]]  # who first read them
        made, first = np.unique(self.at, return_index=True)
        # Who first came by the constants.
        users = first[np.searchsorted(made, np.array([at for at, _ in self.constants], np.int64))]
        places = np.concatenate([loaders, users, computed])
        block, thread = self.graph.places(self.nodes[places])
        value, begun = self._as_numbers(places), len(leaves) + len(users)
        value[len(leaves) : begun] = [number for _, number in self.constants]
        names = list(elements.buffers)
        buffer, index = np.full(len(places), -1), np.full(len(places), -1)
        for place, leaf in enumerate(leaves.tolist()):
            element = elements.behind(self.graph, -leaf)
            if element and 0 <= element.index < elements.buffers[element.buffer].size:
                buffer[place], index[place] = names.index(element.buffer), element.index
                value[place] = float(elements.buffers[element.buffer].flat[element.index])
        ops, op = np.unique(self.at[places[len(leaves) :]], return_inverse=True)
        counted = np.bincount(owner, minlength=len(self.nodes))[computed]
        return SliceSteps(
            ops=tuple(self._op(one) for one in ops.tolist()),
            op=np.concatenate([np.full(len(leaves), -1), op]),
            value=value,
            first=np.cumsum(np.concatenate([np.zeros(1 + begun, int), counted])),
            operands=self._numbered(operand, leaves, computed),
            block=block,
            thread=thread,
            buffers=tuple(names),
            buffer=buffer,
            index=index,
        )

    def _pairs(self, left: npt.NDArray[np.int32], right: npt.NDArray[np.int32]) -> list[Numbers]:
        """What each node was made of; values that only stand side by side are taken apart."""
        owner = np.repeat(np.arange(len(self.nodes)), 2)
        source = np.stack([left, right], axis=1).reshape(-1).astype(np.int64)
        while True:
            owner, source = owner[source != 0], source[source != 0]
            place = np.searchsorted(self.nodes, source)
            together = (source > 0) & (self.at[np.minimum(place, len(self.nodes) - 1)] == 0)
            if not together.any():
                return [owner, source]
            times = 1 + together
            begin = (np.cumsum(times) - times)[together]
            owner, source = np.repeat(owner, times), np.repeat(source, times)
            source[begin], source[begin + 1] = left[place[together]], right[place[together]]

    def _shown(self) -> Numbers:
        """Of each node where its value came from, itself if it was computed there."""
        made, first = self.source > 0, np.zeros(len(self.nodes), np.int64)
        for some in (
            np.ones(len(made), bool),
            made,
        ):  # of several the first, a node if there is one
            first[self.owner[some][::-1]] = self.source[some][::-1]
        alone = np.flatnonzero(self.hands_on & (first == 0))
        first[alone] = list(
            map(self._constant, self.at[alone].tolist(), self._as_numbers(alone).tolist())
        )
        shown = np.where(self.hands_on, first, self.nodes)
        while (further := self._followed(shown, shown)).tobytes() != shown.tobytes():
            shown = further
        return shown

    def _followed(self, values: Numbers, shown: Numbers) -> Numbers:
        """Of nodes among `values` what is `shown` for them."""
        nodes, found = (values > 0) & (values < _CONSTANT), values.copy()
        found[nodes] = shown[np.searchsorted(self.nodes, values[nodes])]
        return found

    def _operands(self) -> tuple[Numbers, Numbers]:
        """What every computed value was computed from, constants too: owners and operands."""
        computed = self.computed[np.argsort(self.at[self.computed], kind="stable")]
        cuts = np.flatnonzero(np.diff(self.at[computed])) + 1
        plain = np.zeros(len(self.nodes), bool)  # those whose operands cannot be told apart
        owners, operands = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for rows in np.split(computed, cuts) if len(computed) else ():
            instruction = unless(
                self.graph.code[self.at[rows[0]]], AssertionError("what was computed has one")
            )
            names = list(dict.fromkeys(instruction.read))
            whole = np.diff(self.begin)[rows] == len(names)
            plain[rows[~whole]] = True
            columns = list(self._columns(instruction, names, rows[whole]))
            plain[rows] |= not columns
            owners += [rows[whole]] * len(columns)
            operands += columns
        owners.append(self.owner[plain[self.owner]])
        operands.append(self.source[plain[self.owner]])
        owner, operand = np.concatenate(owners), np.concatenate(operands)
        order = np.argsort(owner, kind="stable")
        return owner[order], operand[order]

    def _columns(
        self, instruction: Instruction, names: list[str], rows: Numbers
    ) -> Iterator[Numbers]:
        """An instruction's operands, each for all the values that it made."""
        for operand in instruction.operands[1:]:
            if isinstance(operand, Register) and operand.name in names:
                yield self.source[self.begin[rows] + names.index(operand.name)]
            elif isinstance(operand, Immediate) and len(rows):
                yield np.full(len(rows), self._constant(int(self.at[rows[0]]), literal(operand)))

    def _constant(self, at: int, value: float) -> int:
        return _CONSTANT + self.constants.setdefault((at, value), len(self.constants))

    def _numbered(self, operand: Numbers, leaves: Numbers, computed: Numbers) -> Numbers:
        """Steps in the place of what they tell."""
        before = len(leaves) + len(self.constants)
        number = np.where(operand < 0, np.searchsorted(leaves, -operand), 0)
        number[operand >= _CONSTANT] = operand[operand >= _CONSTANT] - _CONSTANT + len(leaves)
        nodes = (operand > 0) & (operand < _CONSTANT)
        number[nodes] = np.searchsorted(self.nodes[computed], operand[nodes]) + before
        return number

    def _as_numbers(self, places: Numbers) -> Values:
        """Values as their instructions mean them."""
        types = self.graph.by_instruction(_type, self.nodes[places], "")
        numbers = np.zeros(len(places))
        for kind in np.unique(types).tolist():
            some = types == kind
            numbers[some] = as_numbers(self.bits[places[some]], kind)
        return numbers

    def _op(self, at: int) -> Op:
        """What an instruction is told as; one that hands on what stands nowhere has no opcode but
        a name, such as "@threadIdx.x"."""
        instruction = unless(self.graph.code[at], AssertionError("a step has one"))
        nameless = _hands_on(instruction) and not any(
            isinstance(one, Immediate) for one in instruction.operands[1:]
        )
        opcode = f"@{built_in(instruction)}" if nameless else instruction.form.opcode
        return Op(opcode, instruction.line, instruction.callers)


def as_numbers(bits: npt.NDArray[np.uint64], kind: str) -> Values:
    """What bits mean as a PTX type; those without one as floats, or as the whole numbers that they
    must be where the float would be next to nothing. 0 for what is no number."""
    dtype = DTYPES.get(UNTYPED.get(kind, kind))
    if dtype is None:
        return np.zeros(len(bits))
    narrow = np.ascontiguousarray(bits.view(np.uint8).reshape(-1, 8)[:, : dtype.itemsize])
    numbers: Values = narrow.view(dtype)[:, 0].astype(np.float64)
    if kind in UNTYPED:
        whole = narrow.view(f"i{dtype.itemsize}")[:, 0]
        numbers = np.where(np.abs(numbers) < np.finfo(dtype).tiny, whole, numbers)
    return numbers


def _type(instruction: Instruction) -> str:
    """The type of what it makes; of a conversion that is named first."""
    kind, parts = instruction.form.type, instruction.form.opcode.split(".")
    if parts[0] == "cvt" and len(parts) > 2 and parts[-2] in DTYPES:
        return parts[-2]
    return kind if _hands_on(instruction) else kind.replace("b", "s") if kind in UNTYPED else kind


def literal(operand: Immediate) -> float:
    """The number that stands there."""
    value, width = operand.value, operand.float_width
    return float(np.array([value], f"u{width}").view(f"f{width}")[0] if width else value)
