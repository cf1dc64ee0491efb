"""What authors write cases with: inputs that bring mistakes to light, each a float32 array;
problems of one launch, problems put together, and budgets that say that work is shared.

A kernel that is right for uniform random numbers can still be wrong: partial sums look plausible,
a forgotten element changes little, a large offset hides in rounding.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .model import Boxes, Budget, Case, Dim, Expected, Launch, Problem, Times

Shape = int | tuple[int, ...]
Draw = Callable[[np.random.Generator, Shape], np.ndarray]

ROWS = 64  # of an array that are looked at, along each dimension


def whole_numbers(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """1 to 9: their float32 sums are exact, and one element too few or too many always shows."""
    return rng.integers(1, 10, shape).astype(np.float32)


def quarters(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """0.25 to 9.75 in steps of a quarter, none of them whole: their float32 sums are exact like
    those of `whole_numbers`, and a value that went through an int always shows."""
    whole, part = rng.integers(0, 10, shape), rng.choice([0.25, 0.5, 0.75], shape)
    return np.asarray(whole + part, np.float32)


def normal(rng: np.random.Generator, shape: Shape, scale: float = 1.0) -> np.ndarray:
    """Standard normal numbers times `scale`."""
    return (scale * rng.standard_normal(shape)).astype(np.float32)


def offset(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """A large common part and a small individual one."""
    return (1000 + rng.standard_normal(shape)).astype(np.float32)


def heavy_tailed(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Mostly small numbers of both signs, a few enormous ones."""
    return rng.standard_cauchy(shape).astype(np.float32)


def negative(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """-100 to -0.5: 0 is larger than all of them."""
    return -rng.uniform(0.5, 100, shape).astype(np.float32)


def spikes(rng: np.random.Generator, n: int, every: int) -> np.ndarray:
    """Zero but for the last element of every stretch of `every`, and the last of all."""
    x = np.zeros(n, np.float32)
    x[every - 1 :: every] = rng.uniform(1, 2, x[every - 1 :: every].size)
    x[-1] = rng.uniform(1, 2)
    return x


def level(rng: np.random.Generator, n: Shape) -> np.ndarray:
    """One and the same number everywhere, from 1 to 2."""
    return np.full(n, rng.uniform(1, 2), np.float32)


def _sprinkled(special: float) -> Draw:
    """Quarters, but `special` at one place of each row that chance takes."""

    def draw(rng: np.random.Generator, n: Shape) -> np.ndarray:
        x = quarters(rng, n)
        rows = x.reshape(-1, x.shape[-1])
        rows[np.arange(len(rows)), rng.integers(rows.shape[1], size=len(rows))] = special
        return x

    return draw


@dataclass(frozen=True)
class Values:
    """A class of values that a kernel must stand: how a page calls them, how a row of them is
    drawn, and how a row of float64 is known to be one."""

    said: str
    draw: Draw
    known: Callable[[np.ndarray], bool]


HUGE, TINY = 1e30, 1e-30

VALUES = {
    "ordinary": Values(
        "ordinary", quarters, lambda x: bool((np.abs(x) < 1e6).all() and (x % 1 != 0).any())
    ),
    "negative": Values("negative", negative, lambda x: bool(((x < 0) & (x > -1e6)).all())),
    "equal": Values("all equal", level, lambda x: bool((x == x[0]).all() and 0 < abs(x[0]) < 1e6)),
    "zeros": Values("zeros", lambda rng, n: np.zeros(n, np.float32), lambda x: not x.any()),
    "large offset": Values("around 1,000", offset, lambda x: bool(((x > 900) & (x < 1100)).all())),
    "huge": Values(
        "huge (1e30)",
        lambda rng, n: (HUGE * rng.uniform(1, 9, n)).astype(np.float32),
        lambda x: bool(((x > HUGE) & (x < np.inf)).all()),
    ),
    "far below": Values(
        "below -1e30",
        lambda rng, n: -rng.uniform(1e35, 3e38, n).astype(np.float32),
        lambda x: bool(((x < -HUGE) & (x > -np.inf)).all()),
    ),
    "tiny": Values(
        "tiny (1e-30)",
        lambda rng, n: (TINY * rng.uniform(0.1, 0.9, n)).astype(np.float32),
        lambda x: bool(((np.abs(x) < TINY) & (x != 0)).all()),
    ),
    "all -inf": Values(
        "all -inf",
        lambda rng, n: np.full(n, -np.inf, np.float32),
        lambda x: bool(np.isneginf(x).all()),
    ),
    "a -inf": Values("some -inf", _sprinkled(-np.inf), lambda x: bool(np.isneginf(x).any())),
    "a +inf": Values("some +inf", _sprinkled(np.inf), lambda x: bool(np.isposinf(x).any())),
    "a NaN": Values("some NaN", _sprinkled(np.nan), lambda x: bool(np.isnan(x).any())),
}


def mixed(classes: Sequence[str]) -> Draw:
    """Draws arrays whose rows, along the last dimension, are of the `classes` in turn, or where
    there are fewer rows than classes whose elements are."""

    def draw(rng: np.random.Generator, shape: Shape) -> np.ndarray:
        shape = (shape,) if isinstance(shape, int) else shape
        x = np.empty(shape, np.float32)
        rows = x.reshape(-1, shape[-1] if math.prod(shape[:-1]) >= len(classes) else 1)
        for first, one in enumerate(classes[: len(rows)]):
            some = rows[first :: len(classes)]
            some[:] = VALUES[one].draw(rng, some.shape)
        return x

    return draw


def classes_of(array: np.ndarray, classes: Iterable[str], elementwise: bool = False) -> set[str]:
    """Of which `classes` a row of the array is, along whichever dimension, or all of it, or where
    elements go their own ways (`elementwise`) one of the first, or of those that are not finite."""
    rows = [array.ravel()]
    if elementwise:
        some = (array, array.reshape(-1, array.shape[-1])[:, 0], array[~np.isfinite(array)])
        rows += [*np.concatenate([one.ravel()[:ROWS] for one in some]).reshape(-1, 1)]
    elif array.ndim > 1:
        for axis in range(array.ndim):
            along = np.moveaxis(array, axis, -1).reshape(-1, array.shape[axis])
            rows += [*along[: ROWS // 2], *along[ROWS // 2 :][-ROWS // 2 :]]
    wide = [row.astype(np.float64) for row in rows if row.size]
    return {name for name in classes if any(VALUES[name].known(row) for row in wide)}


# ---- problems, and budgets ----


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
    dtype = np.float32 if value.dtype == np.float64 else value.dtype
    return (
        Expected(value.astype(np.float64), dtype, atol=atol, rtol=rtol)
        if value.dtype.kind == "f"
        else Expected(value, value.dtype)
    )


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

    return Problem(
        suffixed("inputs"),
        suffixed("outputs"),
        tuple(
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
        ),
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
