"""The values behind one element, as the worker that has run the kernel tells them: `Cone`.

What merely hands a value on (loads, stores, shuffles, moves) is left out; what remains are the
steps that computed something, and the elements and constants that they began with.
"""

from __future__ import annotations

import numpy as np

from ..cuda.simulator.isa.form import Carries
from ..cuda.simulator.numeric.types import DTYPES
from ..cuda.simulator.observers.provenance import Graph
from ..cuda.simulator.program.ptx import Immediate, Instruction, Operand, Register
from .elements import Elements
from .protocol import Cone, Op, Step

MOST = 60_000  # values
_UNTYPED = {"b16": "f16", "b32": "f32", "b64": "f64"}
_HANDED_ON = (Carries.CHOSEN, Carries.COPIED, Carries.ACROSS)


def cone(graph: Graph, elements: Elements, root: int) -> Cone:
    """What a node was made of, step by step; empty where that is too much to tell."""
    behind = graph.behind(root)
    return _Gathered(graph, elements, behind).all() if len(behind) <= MOST else Cone()


class _Gathered:
    def __init__(self, graph: Graph, elements: Elements, behind: dict[int, tuple[int, int]]):
        self.graph, self.elements, self.behind = graph, elements, behind
        nodes = np.array(list(behind), np.int64)
        self.at = dict(zip(behind, graph.at[nodes].tolist(), strict=True))
        self.places = {node: place for place, node in enumerate(behind)}
        self.bits = graph.value[nodes]
        self.numbers: dict[str, list[float]] = {}  # by type, what all the values are as such
        self.read: dict[int, list[str]] = {}  # by instruction, the registers that it reads
        self.ops: dict[int, int] = {}
        self.told: list[Op] = []
        self.steps: list[Step] = []
        self.constants: dict[tuple[int, float], int] = {}
        self.leaves: dict[int, int] = {}
        self.shown: dict[int, int] = {0: -1}  # by node, the step that its value was made at

    def all(self) -> Cone:
        for node in reversed(self.behind):
            if self.graph.code[self.at[node]] is not None:
                self.shown[node] = self._step(node)
        return Cone(tuple(self.told), tuple(self.steps))

    def _step(self, node: int) -> int:
        instruction = self.graph.code[self.at[node]]
        assert instruction is not None, "all() has asked"
        sources = self._sources(node)
        if _hands_on(instruction):
            made = [one for one in sources if one > 0]
            if made:
                return self.shown[made[0]]
            if sources:
                return self._leaf(sources[0], node)
            return self._constant(node, self._number(node, instruction))
        return self._computed(node, instruction, sources)

    def _computed(self, node: int, instruction: Instruction, sources: list[int]) -> int:
        at = self.at[node]
        if at not in self.read:
            self.read[at] = list(dict.fromkeys(instruction.read))
        names = self.read[at]
        by_name = dict(zip(names, [*sources, *[0] * len(names)], strict=False))
        operands: list[int] = []
        for operand in instruction.operands[1:] if len(names) == len(sources) else ():
            if isinstance(operand, Register):
                operands.append(self._source(by_name[operand.name], node))
            elif isinstance(operand, Immediate):
                operands.append(self._constant(node, _literal(operand)))
        operands = operands or [self._source(one, node) for one in sources]
        value = self._number(node, instruction)
        self.steps.append(Step(self._op(node), value, tuple(operands), self._thread(node)))
        return len(self.steps) - 1

    def _source(self, source: int, node: int) -> int:
        if source < 0:
            return self._leaf(source, node)
        return self.shown[source] if source else self._constant(node, 0.0)

    def _sources(self, node: int) -> list[int]:
        """What a node was made of, by number; values that only stand side by side apart."""
        found: list[int] = []
        for one in self.behind[node]:
            if one > 0 and self.graph.code[self.at[one]] is None:
                found += self._sources(one)
            elif one:
                found.append(one)
        return found

    def _leaf(self, source: int, node: int) -> int:
        if source not in self.leaves:
            element = self.elements.behind(self.graph, source)
            instruction = self.graph.code[self.at[node]]
            value = self._number(node, instruction) if instruction else 0.0
            if element is not None:
                value = float(self.elements.buffers[element.buffer].flat[element.index])
            self.leaves[source] = len(self.steps)
            self.steps.append(Step(-1, value, (), self._thread(node), element))
        return self.leaves[source]

    def _constant(self, node: int, value: float) -> int:
        key = self.at[node], value
        if key not in self.constants:
            self.constants[key] = len(self.steps)
            self.steps.append(Step(self._op(node), value, (), self._thread(node)))
        return self.constants[key]

    def _op(self, node: int) -> int:
        at = self.at[node]
        if at not in self.ops:
            instruction = self.graph.code[at]
            form = instruction.form if instruction else None
            self.ops[at] = len(self.told)
            line = instruction.line if instruction else None
            self.told.append(Op(form.opcode if form else "", line))
        return self.ops[at]

    def _number(self, node: int, instruction: Instruction) -> float:
        """A value as its instruction means it, bits without a type as the float that they may
        be."""
        kind = _UNTYPED.get(instruction.form.type, instruction.form.type)
        if (dtype := DTYPES.get(kind)) is None:
            return 0.0
        if kind not in self.numbers:
            in_bytes = self.bits.view(np.uint8).reshape(len(self.bits), -1)
            narrow = np.ascontiguousarray(in_bytes[:, : dtype.itemsize]).view(dtype)
            self.numbers[kind] = narrow[:, 0].astype(np.float64).tolist()
        return self.numbers[kind][self.places[node]]

    def _thread(self, node: int) -> tuple[int, int]:
        return self.graph.place(node)


def _hands_on(instruction: Instruction) -> bool:
    form = instruction.form
    return bool(form.transfers and not form.atomic) or form.carries in _HANDED_ON


def _literal(operand: Operand) -> float:
    assert isinstance(operand, Immediate), "the caller has asked"
    if not operand.float_width:
        return float(operand.value)
    bits = np.array([operand.value], f"u{operand.float_width}")
    return float(bits.view(f"f{operand.float_width}")[0])
