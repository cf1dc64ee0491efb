"""What an element's value was chosen by: the comparisons behind `?:` on its way.

The worker that has run the kernel tells them (`choices`), and the judge looks for the first that
fell otherwise than in the solution (`fell_otherwise`). What an `if` leaves out is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from ..cuda.simulator.isa.form import Carries
from ..cuda.simulator.observers.provenance import Graph
from ..cuda.simulator.program.ptx import Immediate, Instruction
from .cone import as_numbers, literal
from .elements import place_of
from .protocol import Choice

MOST = 2000  # told of
DEEP = 8  # comparisons of one condition
_ASKS = {
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
    **{"lo": "<", "ls": "<=", "hi": ">", "hs": ">="},
    **{"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="},
}


def choices(graph: Graph, root: int) -> tuple[Choice, ...]:
    """The comparisons by which values on the way to a node were chosen, in order."""
    carried = [one is not None and one.form.carries is Carries.CHOSEN for one in graph.code]
    nodes = graph.behind(root).nodes[::-1]
    chosen = nodes[np.array(carried, bool)[graph.at[nodes]]][:MOST]
    return tuple(told for node in chosen.tolist() for told in _told(graph, node))


def _told(graph: Graph, node: int) -> Iterator[Choice]:
    instruction = graph.code[graph.at[node]]
    taken = _as(graph, node, instruction.form.type) if instruction else 0.0
    for test in _tests(graph, int(graph.right[node])):
        compared = graph.code[graph.at[test]]
        assert compared is not None, "_tests has asked"
        values = _compared(graph, test, compared)
        if len(values) == 2:
            (one, is_fixed), (other, other_fixed) = values
            yield Choice(
                compared.form.opcode,
                place_of(graph, node),
                (one, other),
                (is_fixed, other_fixed),
                bool(graph.value[test]),
                taken,
            )


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


def _compared(graph: Graph, test: int, instruction: Instruction) -> list[tuple[float, bool]]:
    """The two numbers that were compared, and whether each stands in the code."""
    sources = [int(graph.left[test]), int(graph.right[test])]
    by_name = dict(zip(dict.fromkeys(instruction.read), sources, strict=False))
    found = []
    for operand in instruction.operands[1:3]:
        if isinstance(operand, Immediate):
            found.append((literal(operand), True))
        elif (source := by_name.get(getattr(operand, "name", ""), 0)) > 0:
            found.append((_as(graph, source, instruction.form.type), False))
    return found


def _as(graph: Graph, node: int, kind: str) -> float:
    return float(as_numbers(graph.value[node : node + 1], kind)[0])


def fell_otherwise(mine: Sequence[Choice], ours: Sequence[Choice]) -> tuple[Choice, Choice] | None:
    """The first choice of `mine` that fell otherwise than one of `ours` about the same value."""
    about: dict[object, dict[object, Choice]] = {}  # by a value and where it stands
    for one in ours:
        for value in _about(one):
            about.setdefault(value, {}).setdefault((one.opcode, one.holds, one.taken), one)
    for one in new(mine, ours):
        others = [other for value in _about(one) for other in about.get(value, {}).values()]
        apart = [other for other in others if _apart(one, other)]
        if apart:
            return one, min(apart, key=lambda other: other.opcode != one.opcode)
    return None


def new(mine: Sequence[Choice], ours: Sequence[Choice]) -> list[Choice]:
    """Those of `mine` that `ours` does not have."""
    known = {_asked(one) for one in ours}
    return [one for one in mine if _asked(one) not in known]


def strange_number(one: Choice, other: Choice) -> float | None:
    """A number that stands in the code of `one`, and not in that of `other`."""
    numbers = [
        [v for v, fixed in zip(c.values, c.fixed, strict=True) if fixed] for c in (one, other)
    ]
    return next((number for number in numbers[0] if number not in numbers[1]), None)


def with_nan(mine: Sequence[Choice]) -> Choice | None:
    """The first choice by a comparison with NaN."""
    return next((one for one in mine if any(map(math.isnan, one.values))), None)


def words(choice: Choice) -> str:
    one, other = choice.values
    asks = next((_ASKS[part] for part in choice.opcode.split(".") if part in _ASKS), "against")
    return f"asks whether {one:.6g} {asks} {other:.6g}, and takes {choice.taken:.6g}"


def _asked(one: Choice) -> tuple[object, ...]:
    return one.opcode, *(f"{value:.5g}" for value in one.values), one.holds


def _about(one: Choice) -> list[tuple[int, str]]:
    """Its values that do not stand in the code, with their places."""
    numbered = enumerate(zip(one.values, one.fixed, strict=True))
    return [(place, f"{value:.5g}") for place, (value, fixed) in numbered if not fixed]


def _apart(one: Choice, other: Choice) -> bool:
    """Whether two choices about the same value took another, and by another answer or question."""
    return one.taken != other.taken and (one.opcode != other.opcode or one.holds != other.holds)
