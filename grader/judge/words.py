"""A case in the learner's words: their own names for the exercise's buffers, and its signature.

The exercise calls its buffers `total_again` or `y_0`, so that each has a name of its own; the
learner's kernel calls them what its parameters are called.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from ..compilers.declared import Parameter, compatible, parameters
from ..counted import counted
from ..course import Launch, Problem
from ..say import verdict_answers as say
from ..status import Status
from .protocol import Element, Failed


@dataclass(frozen=True)
class Words:
    """`source` is the learner's, `solution` the exercise's own; `problem` the case."""

    source: str
    solution: str
    problem: Problem

    def name(self, buffer: str) -> str:
        """The learner's name for a buffer, in the last launch that it is passed to."""
        found = self._parameter(self.source, buffer)
        return found.name if found and found.name else buffer

    def element(self, element: Element) -> str:
        """An element as the learner writes it: `y[3]`."""
        index = ", ".join(map(str, self.index(element)))
        name = self.name(element.buffer)
        return f"{name}[{index}]" if index else name

    def index(self, element: Element) -> tuple[int, ...]:
        """Where an element stands, one number for each dimension of its buffer."""
        shape = self._shape(element.buffer)
        return tuple(int(one) for one in np.unravel_index(element.index, shape)) if shape else ()

    def place(self, element: Element) -> tuple[int, ...]:
        """The same of a flat buffer as an array of the shape that an input of whole numbers gives
        for as many elements, if just one does."""
        shape = self._shape(element.buffer)
        given = [one for one in self.problem.inputs.values() if one.dtype.kind in "iu"]
        shapes = {tuple(one.tolist()) for one in given if one.ndim == 1 and 1 < one.size < 9}
        fit = [one for one in shapes if (math.prod(one),) == shape and min(one) > 0]
        if len(fit) != 1:
            return self.index(element)
        return tuple(int(one) for one in np.unravel_index(element.index, fit[0]))

    def constant(self, buffer: str) -> bool:
        """Whether the exercise's signature declares a buffer const."""
        found = self._parameter(self.solution, buffer)
        return found is None or found.constant

    def launch(self, buffer: str) -> int | None:
        """The number, from 1, of the launch that a buffer is passed to; None unless it is passed to
        one alone, of a kernel that runs more than once."""
        launches = self.problem.launches
        passed = [number for number, one in enumerate(launches, start=1) if buffer in _names(one)]
        kernels = {launches[number - 1].kernel for number in passed}
        again = sum(one.kernel in kernels for one in launches)
        return passed[0] if len(passed) == 1 and again > 1 else None

    def when(self, buffer: str) -> str:
        """ "In launch 2 of 3: " where the kernel that a buffer is passed to runs more than once."""
        number = self.launch(buffer)
        return f"In launch {number} of {len(self.problem.launches)}: " if number else ""

    def explained(self, failure: Failed) -> Failed:
        """`failure`, told as what it is where the learner has changed a kernel's signature."""
        if failure.status == Status.COMPILE_ERROR:
            return failure
        for kernel in dict.fromkeys(launch.kernel for launch in self.problem.launches):
            mine, given = (parameters(text, kernel) for text in (self.source, self.solution))
            if mine is None or given is None:
                continue
            if not _match(mine, given):
                if failure.status == Status.LAUNCH_ERROR:
                    return replace(failure, message=_changed(kernel, mine, given))
            elif _reordered(mine, given):
                return replace(failure, message=f"{_order(kernel, mine, given)} {failure.message}")
        return failure

    def order(self) -> str:
        """A sentence about parameters that stand in another order, with a space after it; "" where
        they do not."""
        for kernel in dict.fromkeys(launch.kernel for launch in self.problem.launches):
            mine, given = (parameters(text, kernel) for text in (self.source, self.solution))
            if mine and given and _match(mine, given) and _reordered(mine, given):
                return f"{_order(kernel, mine, given)} "
        return ""

    def _shape(self, buffer: str) -> tuple[int, ...]:
        problem = self.problem
        if buffer in problem.inputs:
            return problem.inputs[buffer].shape
        if buffer in problem.outputs:
            return problem.outputs[buffer].value.shape
        return problem.scratch[buffer][0]

    def _parameter(self, source: str, buffer: str) -> Parameter | None:
        for launch in reversed(self.problem.launches):
            declared = parameters(source, launch.kernel) or ()
            for one, passed in zip(declared, launch.args, strict=False):
                if isinstance(passed, str) and passed == buffer:
                    return one
        return None


def _names(launch: Launch) -> list[str]:
    return [one for one in launch.args if isinstance(one, str)]


def _match(mine: tuple[Parameter, ...], given: tuple[Parameter, ...]) -> bool:
    return len(mine) == len(given) and all(map(compatible, mine, given))


def _reordered(mine: tuple[Parameter, ...], given: tuple[Parameter, ...]) -> bool:
    """Whether the parameters have the exercise's names, at other places."""
    names = [[one.name for one in side] for side in (mine, given)]
    return names[0] != names[1] and sorted(names[0]) == sorted(names[1])


def _changed(kernel: str, mine: tuple[Parameter, ...], given: tuple[Parameter, ...]) -> str:
    what = f"here it takes {counted(len(mine), 'parameter')} in place of {len(given)}"
    if len(mine) == len(given):
        pairs = enumerate(zip(mine, given, strict=True), start=1)
        number, one, other = next((n, a, b) for n, (a, b) in pairs if not compatible(a, b))
        what = f"here {say.in_place_of(number, one.text, other.text)}"
    return say.another_signature(_signature(kernel, given), what)


def _order(kernel: str, mine: tuple[Parameter, ...], given: tuple[Parameter, ...]) -> str:
    pairs = enumerate(zip(mine, given, strict=True), 1)
    number, one, other = next((n, a, b) for n, (a, b) in pairs if a.name != b.name)
    first = say.in_place_of(number, one.text, other.text)
    return say.reordered(_signature(kernel, given), first)


def _signature(kernel: str, declared: tuple[Parameter, ...]) -> str:
    return f"`{kernel}({', '.join(one.text for one in declared)})`"
