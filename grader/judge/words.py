"""A case in the learner's words: their own names for the exercise's buffers, and its signature.

The exercise calls its buffers `total_again` or `y_0`, so that each has a name of its own; the
learner's kernel calls them what its parameters are called.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from ..compilers.declared import Parameter, compatible, parameters
from ..counted import counted
from ..course import Problem
from ..cuda.errors import Message
from ..say import verdict_answers as say
from ..status import Status
from .protocol import Element, Failed

Parameters = tuple[Parameter, ...]


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
        passed = [number for number, one in enumerate(launches, start=1) if buffer in one.args]
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
        for kernel, mine, given in self._signatures():
            changed = _changed(kernel, mine, given)
            if changed and failure.status == Status.LAUNCH_ERROR:
                return replace(failure, message=str(changed), parts=changed)
        parts = self.order()
        parts += failure.told.while_open if parts.first else failure.told
        return replace(failure, message=str(parts), parts=parts)

    def order(self) -> Message:
        """What is said of parameters in another order; nothing where they are not."""
        for kernel, mine, given in self._signatures():
            if not _changed(kernel, mine, given) and (said := _order(kernel, mine, given)):
                return said
        return Message()

    def _signatures(self) -> Iterator[tuple[str, Parameters, Parameters]]:
        """Each kernel that is launched, with the learner's parameters and the exercise's."""
        for kernel in dict.fromkeys(launch.kernel for launch in self.problem.launches):
            mine, given = (parameters(text, kernel) for text in (self.source, self.solution))
            if mine is not None and given is not None:
                yield kernel, mine, given

    def _shape(self, buffer: str) -> tuple[int, ...]:
        inputs, outputs = self.problem.inputs, self.problem.outputs
        if buffer in self.problem.scratch:
            return self.problem.scratch[buffer][0]
        return inputs[buffer].shape if buffer in inputs else outputs[buffer].value.shape

    def _parameter(self, source: str, buffer: str) -> Parameter | None:
        declared = (
            pair
            for launch in reversed(self.problem.launches)
            for pair in zip(parameters(source, launch.kernel) or (), launch.args, strict=False)
        )
        return next((one for one, passed in declared if passed == buffer), None)


def _changed(kernel: str, mine: Parameters, given: Parameters) -> Message | None:
    """What is said of parameters that do not serve in place of the given ones; None if all do."""
    if len(mine) != len(given):
        what = f"`{kernel}` takes {counted(len(mine), 'parameter')} instead of {len(given)}"
    else:
        what = _first(mine, given, lambda one, other: not compatible(one, other))
    return say.another_signature(_signature(kernel, given), what) if what else None


def _order(kernel: str, mine: Parameters, given: Parameters) -> Message | None:
    """What is said of parameters with the names that are given, at other places; None if none
    is."""
    if sorted(one.name for one in mine) != sorted(one.name for one in given):
        return None
    first = _first(mine, given, lambda one, other: one.name != other.name)
    return say.reordered(_signature(kernel, given), first) if first else None


def _first(
    mine: Parameters, given: Parameters, differ: Callable[[Parameter, Parameter], bool]
) -> str:
    """The first parameter that differs from the given one, in words; "" if none does."""
    pairs = enumerate(zip(mine, given, strict=True), start=1)
    different = (say.in_place_of(n, a.text, b.text) for n, (a, b) in pairs if differ(a, b))
    return next(different, "")


def _signature(kernel: str, declared: Parameters) -> str:
    return f"`{kernel}({', '.join(one.text for one in declared)})`"
