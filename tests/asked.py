"""What the cases of each exercise ask, and what they do not: `python tests/suites.py asked [WORD]`.

A line for each question of `QUESTIONS`: what asks it, why it does not apply, or NOT ASKED.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grader import course
from grader.compilers.lexer import without_comments
from grader.judge import cases

Arrays = list[np.ndarray]


@dataclass(frozen=True)
class Asked:
    """An exercise with all its cases made concrete, hidden ones too."""

    exercise: course.Exercise
    instances: Sequence[cases.CaseInstance]
    code: str

    @property
    def inputs(self) -> Arrays:
        return [a for one in self.instances for a in one.problem.inputs.values()]

    @property
    def data(self) -> Arrays:
        """Floating-point inputs."""
        return [array for array in self.inputs if array.dtype.kind == "f"]

    @property
    def shapes(self) -> list[tuple[int, ...]]:
        made = [e.value for one in self.instances for e in one.problem.outputs.values()]
        return [array.shape for array in (*self.inputs, *made)]


def block_sizes(one: Asked) -> str:
    launches = [launch for case in one.instances for launch in case.problem.launches]
    found = sorted({math.prod(np.atleast_1d(launch.block).tolist()) for launch in launches})
    allowed = {size for rule in one.exercise.rules for size in rule.blocks}
    if len(found) == 1:
        return f"only {found[0]}: the rule allows no other" if len(allowed) == 1 else ""
    return ", ".join(map(str, found))


def long_arrays(one: Asked) -> str:
    most = max(math.prod(shape) for shape in one.shapes)
    return f"{most:,} elements" if most > 2**15 else ""


def residues(one: Asked) -> str:
    if not re.search(r"reinterpret_cast|float4|Pack|Four", one.code):
        return "no packs"
    if any(
        "% 4" in condition or "% 8" in condition
        for r in one.exercise.rules
        for condition in r.where
    ):
        return "whole packs, by the rule"
    if any("4 * count" in p for rule in one.exercise.rules for p in rule.parameters):
        return "whole packs, by the rule"
    found = {math.prod(shape) % 4 for shape in one.shapes if shape}
    return f"{', '.join(map(str, sorted(found)))} modulo 4" if len(found) > 1 else ""


def strides(one: Asked) -> str:
    given = [
        array
        for case in one.instances
        for name, array in case.problem.inputs.items()
        if "stride" in name
    ]
    if not given:
        return "no strides are given"
    found = sorted({int(number) for array in given for number in array.ravel()})
    return ", ".join(map(str, found[:8])) if set(found) - {0, 1} else ""


def offsets(one: Asked) -> str:
    some = [case.case.name for case in one.instances if case.problem.begins]
    if not some and re.search(r"reinterpret_cast|float4|Pack", one.code):
        return "packs: arrays begin at multiples of 16 bytes"
    return some[0] if some else ""


def degenerate(one: Asked) -> str:
    found = {
        "nothing": any(0 in shape for shape in one.shapes),
        "one element": any(shape and math.prod(shape) == 1 for shape in one.shapes),
        "one row or column": any(len(s) > 1 and 1 in s and math.prod(s) > 1 for s in one.shapes),
    }
    return ", ".join(name for name, there in found.items() if there)


def values(one: Asked) -> str:
    if not one.data:
        return "no floating-point input"
    every = np.concatenate([array.ravel().astype(np.float64) for array in one.data])
    found = {
        "NaN": np.isnan(every).any(),
        "infinities": np.isinf(every).any(),
        "all -inf": any(a.size and np.isneginf(a).all() for a in _rows(one.data)),
        "all below -1e30": any(a.size and (a < -1e30).all() for a in _rows(one.data)),
        "no whole numbers": (np.isfinite(every) & (every % 1 != 0)).any(),
    }
    return ", ".join(name for name, there in found.items() if there)


def _rows(arrays: Arrays) -> Iterator[np.ndarray]:
    for array in arrays:
        yield array
        yield from array if array.ndim > 1 else ()


def orders_of_blocks(one: Asked) -> str:
    found = {o for case in one.instances for o in cases.described(case, 1).orders}
    if found:
        return ", ".join(sorted(found))
    return "" if "__threadfence" in one.code else "no block hands anything to another"


QUESTIONS: dict[str, Callable[[Asked], str]] = {
    "block sizes": block_sizes,
    "beyond 2^15 elements": long_arrays,
    "residues": residues,
    "strides": strides,
    "offset pointers": offsets,
    "one or none": degenerate,
    "values": values,
    "orders of blocks": orders_of_blocks,
}


# What the case of sizes asks of places in memory, races and meetings, though not of values.
BY_REASONING = "block sizes", "beyond 2^15 elements", "one or none"

# What lies in the launch that a broken kernel is given with.
BY_LAUNCH = "block sizes", "beyond 2^15 elements", "one or none", "offset pointers"


def otherwise(one: Asked, question: str) -> str:
    """Why a question that no case asks need not be asked; nothing where it should be."""
    if question in BY_REASONING and one.exercise.size_points:
        return "by reasoning for every size, not by values"
    if one.exercise.kind.name in ("place", "order"):
        return "the lines are given, and only their order is the learner's"
    if question in BY_LAUNCH and one.exercise.kind.name in ("bug", "break"):
        return "the kernel is given with its launch, and only where it goes wrong is asked"
    return ""


def table(word: str = "") -> None:
    missing = 0
    for lesson in course.lessons():
        for exercise in lesson.exercises:
            if word not in exercise.id or not exercise.cases or exercise.cases[0].hazard:
                continue
            print(f"{exercise.id} ({exercise.kind.name})")
            code = without_comments(lesson.solution(exercise))
            one = Asked(exercise, cases.instantiate(exercise, 0, True), code)
            for question, answer in QUESTIONS.items():
                said = answer(one) or otherwise(one, question)
                missing += not said
                print(f"    {question}: {said or 'NOT ASKED'}")
    print(f"{missing} questions are not asked")
