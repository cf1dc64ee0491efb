"""What authors write cases with: problems of one launch, problems put together, budgets that say
that work is shared."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .model import Boxes, Budget, Case, Dim, Expected, Launch, Problem, Times


def one_launch(
    kernel: str,
    grid: Dim,
    block: Dim,
    inputs: Mapping[str, np.ndarray],
    outputs: Mapping[str, np.ndarray],
    *numbers: np.generic,
    atol: float | np.ndarray = 0.0,
    rtol: float = 0.0,
) -> Problem:
    """One launch of `kernel`, which is passed the inputs, the outputs and the `numbers` in this
    order. An output's array is what must be there afterwards, in the dtype that the kernel writes;
    in float64 a float32 is meant."""
    return Problem(
        inputs=dict(inputs),
        outputs={name: _expected(value, atol, rtol) for name, value in outputs.items()},
        launches=(Launch(kernel, grid, block, (*inputs, *outputs, *numbers)),),
    )


def _expected(value: np.ndarray, atol: float | np.ndarray, rtol: float) -> Expected:
    if value.dtype.kind != "f":
        return Expected(value, value.dtype)
    dtype = np.float32 if value.dtype == np.float64 else value.dtype
    return Expected(value.astype(np.float64), dtype, atol=atol, rtol=rtol)


def hidden(name: str, problem: Callable[[np.random.Generator], Problem]) -> Case:
    """A case of which a learner is told the category and no more; half a point."""
    return Case(name, problem, points=0.5, visible=False)


def large(name: str, problem: Callable[[np.random.Generator], Problem]) -> Case:
    """The same with so many elements that one thread alone would be stopped: its path is held
    against the solution's, so that this is what it is told."""
    return replace(hidden(name, problem), budgets=(longest_path(),))


def anywhere(problem: Problem) -> Problem:
    """The same with inputs and outputs that begin one element into a larger array, where no access
    of several elements is aligned; for kernels whose header promises nothing more."""
    return replace(problem, begins=dict.fromkeys([*problem.inputs, *problem.outputs], 1))


def together(*problems: Problem) -> Problem:
    """Several small problems as one; the buffers of number k get the suffix _k."""

    def suffixed(buffers: str) -> dict[str, Any]:
        return {
            f"{name}_{k}": value
            for k, problem in enumerate(problems)
            for name, value in getattr(problem, buffers).items()
        }

    launches = tuple(
        replace(
            launch,
            args=tuple(
                arg.called(f"{arg}_{k}")
                if isinstance(arg, Boxes)
                else f"{arg}_{k}"
                if isinstance(arg, str)
                else arg
                for arg in launch.args
            ),
        )
        for k, problem in enumerate(problems)
        for launch in problem.launches
    )
    return Problem(
        suffixed("inputs"),
        suffixed("outputs"),
        launches,
        suffixed("scratch"),
        begins=suffixed("begins"),
    )


def longest_path(factor: float = 3) -> Budget:
    """That no thread does alone what others could share."""
    return Budget(
        "longest_path",
        Times(factor),
        f"the busiest thread may execute at most {factor:g} times as many instructions as ours: "
        "let all threads share the work",
    )


def work_is_shared(factor: float = 3) -> tuple[Budget, ...]:
    """That work is shared, and not done one after the other at an atomic either."""
    return longest_path(factor), Budget(
        "atomics", Times(1), "threads take turns at an atomic, where ours work at the same time"
    )


def exponentials(factor: float = 1.25) -> Budget:
    """That no exponential is computed twice: each takes a warp as long as several additions."""
    return Budget(
        "exponentials",
        Times(factor),
        "keep an exponential that is needed again, or compute it in one place",
    )
