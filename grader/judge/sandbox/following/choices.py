"""What an element's value was chosen by: the comparisons behind `?:` on its way.

The worker that has run the kernel tells them. What an `if` leaves out is not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from ....ptx.program import Carries, Immediate, Instruction, Register
from ....watch.slice import Graph
from ...protocol import Choice
from .cone import as_numbers, literal
from .elements import place_of

MOST = 2000  # told of
DEEP = 8  # comparisons of one condition

Numbers = Callable[[str], npt.NDArray[np.float64]]  # every value of a graph, as a PTX type
_Asked = tuple[str, tuple[float, float], tuple[bool, bool], bool, float]  # a Choice without place


def choices(graph: Graph, root: int) -> tuple[Choice, ...]:
    """The comparisons by which values on the way to a node were chosen, in order; of those that are
    alike in all but their places the first."""
    carried = [one is not None and one.form.carries is Carries.CHOSEN for one in graph.code]
    nodes = graph.slice_of(root).nodes[::-1]
    chosen = nodes[np.array(carried, bool)[graph.at[nodes]]][:MOST]
    numbers = cache(partial(as_numbers, graph.value))  # all at once, for each type
    first: dict[_Asked, int] = {}
    for node in chosen.tolist():
        for asked in _asked(graph, node, numbers):
            first.setdefault(asked, node)
    return tuple(
        Choice(opcode, place_of(graph, node), values, fixed, holds, taken)
        for (opcode, values, fixed, holds, taken), node in first.items()
    )


def _asked(graph: Graph, node: int, numbers: Numbers) -> Iterator[_Asked]:
    """What was asked for a value to be chosen, and which it was."""
    instruction = graph.code[graph.at[node]]
    taken = float(numbers(instruction.form.type)[node]) if instruction else 0.0
    for test in _tests(graph, int(graph.right[node])):
        compared = graph.code[graph.at[test]]
        assert compared is not None, "_tests has asked"
        values = _compared(graph, test, compared, numbers)
        if len(values) == 2:
            (one, is_fixed), (other, other_fixed) = values
            fixed = is_fixed, other_fixed
            yield compared.form.opcode, (one, other), fixed, bool(graph.value[test]), taken


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
    """The two numbers that were compared, and whether each stands in the code."""
    sources = int(graph.left[test]), int(graph.right[test])
    found = []
    for number, which in _operands(instruction):
        if which is None:
            found.append((number, True))
        elif (source := sources[which]) > 0:
            found.append((float(numbers(instruction.form.type)[source]), False))
    return found


@cache
def _operands(instruction: Instruction) -> list[tuple[float, int | None]]:
    """Of each operand of a comparison the number that stands in the code, or which of the sources
    it is."""
    names = list(dict.fromkeys(instruction.read))[:2]
    found: list[tuple[float, int | None]] = []
    for one in instruction.operands[1:3]:
        if isinstance(one, Immediate):
            found.append((literal(one), None))
        elif isinstance(one, Register) and one.name in names:
            found.append((0.0, names.index(one.name)))
    return found
