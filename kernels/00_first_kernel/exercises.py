"""What the exercises on first kernels ask: inputs, references, launches, budgets, hints.

Every reference is computed in float64 from a copy of the inputs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    Rule,
    covering,
    hidden,
    large,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, normal, offset, whole_numbers
from grader.course.tolerances import sum_bound
from grader.course.variants import operation

BLOCK = 256  # threads of a block in one dimension
TILE = (32, 8)  # threads of a block in two: along a row, and from row to row
WARP = 32


def sector_budgets(threads: int, loads: int) -> tuple[Budget, ...]:
    """For `threads` threads (whole warps) of which each loads `loads` floats and stores one, side
    by side."""
    warps = threads // WARP
    return (
        Budget(
            "global_load_sectors",
            4 * loads * warps,
            f"{4 * loads} for 32 threads: 32 neighbouring floats lie in 4 sectors of 32 bytes. It "
            "is enough if each thread reads what its own element needs, and neighbouring threads "
            "own neighbouring elements",
        ),
        Budget(
            "global_store_sectors",
            4 * warps,
            "4 for 32 threads, if each writes one element and neighbouring threads write "
            "neighbouring elements",
        ),
        *work_is_shared(),
    )


# --- operations of variants --------------------------------------------------------------------


def with_length(array: str, length: str):
    """The rule, in which `array` has that length."""

    def made(rule: Rule) -> Rule:
        parameters = (
            f"float {array}[{length}]" if one.startswith(f"float {array}[") else one
            for one in rule.parameters
        )
        return replace(rule, parameters=tuple(parameters))

    return made


def every_second(x: np.ndarray) -> np.ndarray:
    """Half as many elements, rounded up."""
    return x[::2].copy()


def twice_each(x: np.ndarray, n: int) -> np.ndarray:
    """n elements: each of x twice."""
    return np.repeat(x, 2)[:n]


def of_vectors(terms, joined=np.add, y_given=np.copy):
    """In each launch, out is `joined` of the two `terms(a, x, y)`, of which the first is rounded;
    `y_given` makes the array that the kernel gets of y."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = dict(problem.inputs), {}
        for launch in problem.launches:
            x, y, out, a, _ = launch.args
            inputs[y] = y_given(inputs[y])
            product, other = terms(np.float64(a), inputs[x].astype(np.float64), inputs[y])
            exact = joined(product, other)
            bound = sum_bound(2, np.abs(product) + np.abs(exact))
            outputs[out] = Expected(exact, np.float32, atol=bound)
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


def of_biases(bias_of, bias_given=lambda bias, rows, cols: bias, after=np.copy):
    """In each launch, `bias_of(bias, cols)` is added to x, and out is `after` of the sum;
    `bias_given(bias, rows, cols)` is the array that the kernel gets."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = dict(problem.inputs), {}
        for launch in problem.launches:
            x, bias, out = launch.args[:3]
            rows, cols = inputs[x].shape
            inputs[bias] = bias_given(inputs[bias], rows, cols)
            exact = inputs[x].astype(np.float64) + bias_of(inputs[bias], cols)
            bound = sum_bound(1, np.abs(exact))
            outputs[out] = Expected(after(exact), np.float32, atol=bound)
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


def of_pictures(turned):
    """In each launch, the second array is `turned` of the first."""

    def made(problem: Problem) -> Problem:
        outputs = {
            after: Expected(turned(problem.inputs[before]).astype(np.float64), np.float32)
            for before, after, *_ in (launch.args for launch in problem.launches)
        }
        return replace(problem, outputs=outputs)

    return made


def left_on_both_sides(picture: np.ndarray) -> np.ndarray:
    """The left half, and its mirror image in place of the right one."""
    cols = np.arange(picture.shape[1])
    return picture[:, np.minimum(cols, cols[::-1])]


# --- saxpy -------------------------------------------------------------------------------------


def a_x_plus_y(rng: np.random.Generator, n: int, draw=normal, spare_blocks: int = 0) -> Problem:
    """One launch over vectors of n elements that `draw` makes, with `spare_blocks` too many."""
    x, y = draw(rng, n), draw(rng, n)
    a = np.float32(rng.uniform(-3, 3))
    product = np.float64(a) * x
    bound = sum_bound(2, np.abs(product) + np.abs(y))  # rounded once after * and once after +
    grid = -(-n // BLOCK) + spare_blocks
    return Problem(
        inputs={"x": x, "y": y},
        outputs={"out": Expected(product + y, np.float32, atol=bound)},
        launches=(Launch("saxpy", grid, BLOCK, ("x", "y", "out", a, np.int32(n))),),
    )


def a_x_plus_y_on(rng: np.random.Generator, n: int, grid: int, block: int, draw) -> Problem:
    return a_x_plus_y(rng, n, draw, spare_blocks=grid - -(-n // BLOCK))


saxpy = Exercise(
    name="saxpy",
    title="a times x plus y",
    minutes=5,
    teaches="one thread, one element, one guard",
    source="4_saxpy.cu",
    operations={
        "y from the end": operation(of_vectors(lambda a, x, y: (a * x, y[::-1]))),
        "the larger one": operation(of_vectors(lambda a, x, y: (a * x, y), np.fmax)),
        "the positive part of x": operation(
            of_vectors(lambda a, x, y: (a * np.fmax(x, 0), y)),
        ),
        "y for two elements": operation(
            of_vectors(lambda a, x, y: (a * x, twice_each(y, x.size)), y_given=every_second),
            with_length("y", "(n + 1) // 2"),
        ),
    },
    cases=(
        Case("four full blocks", lambda rng: a_x_plus_y(rng, 4 * BLOCK), points=1),
        Case(
            "four blocks, the last one not full",
            lambda rng: a_x_plus_y(rng, 3 * BLOCK + int(rng.integers(33, 200))),
            points=2,
        ),
        covering("arrays that begin anywhere", a_x_plus_y_on, lambda row: row["anywhere"]),
        covering(
            "lengths around the edge of a warp and of a block",
            a_x_plus_y_on,
            lambda row: row["grid"] <= 2,
        ),
        covering("blocks that have no element at all", a_x_plus_y_on),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(a_x_plus_y(rng, 700, offset), a_x_plus_y(rng, 700, heavy_tailed)),
        ),
        Case(
            "within budget",
            lambda rng: a_x_plus_y(rng, 16 * BLOCK),
            points=5.5,
            budgets=sector_budgets(16 * BLOCK, loads=2),
        ),
        large(
            "more than 65,536 elements",
            lambda rng: a_x_plus_y(rng, 65_536 + int(rng.integers(300, 5_000))),
        ),
    ),
    hints=(
        "Two lines are enough, and `scale` shows both: one that finds out which element belongs "
        "to this thread, and one that does the work for it.",
        "`blockIdx.x` blocks of `blockDim.x` threads come before this block, and `threadIdx.x` "
        "threads before this thread within it.",
        "There may be more threads than elements. Only those with `i < n` may touch the arrays: "
        "`if (i < n) out[i] = ...;`",
    ),
    hints_on={
        "other_elements": (
            "Which i does this thread compute, and which elements stand in a * x[i] + y[i]? "
            "The block counts as well as the thread in it."
        ),
        "out_of_bounds": (
            "The grid has whole blocks, so there are more threads than elements. Which question "
            "must a thread ask before it touches an array?"
        ),
        "over_budget": (
            "One thread, one element: with as many threads as elements nobody needs a loop, and "
            "neighbouring threads should own neighbouring elements."
        ),
    },
)


# --- matrices ----------------------------------------------------------------------------------


def tiles_for(rows: int, cols: int) -> tuple[int, int]:
    """A grid of blocks of TILE that covers the matrix."""
    return -(-cols // TILE[0]), -(-rows // TILE[1])


WIDE_AND_TALL = ((3, 500), (150, 5), (2, 33_001), (8_300, 8))  # more than 65,536 elements


def each_shape(problem, shapes):
    """A case's problem: `problem(rng, rows, cols)` for every one of the shapes."""
    return lambda rng: together(*(problem(rng, *shape) for shape in shapes))


def of_any_shape(problem):
    """Hidden cases: `problem(rng, rows, cols, draw, grid)` of all sizes that may be."""

    def make(rng, rows, cols, grid, block, draw):
        return problem(rng, rows, cols, draw, grid)

    return (
        covering("arrays that begin anywhere", make, lambda row: row["anywhere"]),
        covering("sizes around the edges of a block, one row or column, and blocks of none", make),
    )


def beyond_whole_tiles(problem):
    """A case's problem: some tiles, and a random remainder in both directions."""
    return lambda rng: problem(rng, 16 + int(rng.integers(1, 7)), 64 + int(rng.integers(1, 31)))


# --- add_bias ----------------------------------------------------------------------------------


def biased(rng: np.random.Generator, rows: int, cols: int, draw=normal, grid=()) -> Problem:
    x, bias = draw(rng, (rows, cols)), draw(rng, cols)
    exact = x.astype(np.float64) + bias
    args = ("x", "bias", "out", np.int32(rows), np.int32(cols))
    return Problem(
        inputs={"x": x, "bias": bias},
        outputs={"out": Expected(exact, np.float32, atol=sum_bound(1, np.abs(exact)))},
        launches=(Launch("add_bias", grid or tiles_for(rows, cols), TILE, args),),
    )


add_bias = Exercise(
    name="add_bias",
    title="A bias for every column",
    minutes=7,
    teaches="two dimensions: x along the row",
    source="6_add_bias.cu",
    operations={
        "a bias for every row": operation(
            of_biases(
                lambda bias, cols: bias[:, None], lambda bias, rows, _: np.resize(bias, rows)
            ),
            with_length("bias", "rows"),
        ),
        "a bias for two columns": operation(
            of_biases(twice_each, lambda bias, rows, cols: every_second(bias)),
            with_length("bias", "(cols + 1) // 2"),
        ),
        "nothing below 0": operation(
            of_biases(lambda bias, cols: bias, after=lambda exact: np.fmax(exact, 0))
        ),
    },
    cases=(
        Case("one full block", lambda rng: biased(rng, 8, 32, whole_numbers), points=1),
        Case("some blocks, and a remainder in both directions", beyond_whole_tiles(biased), 2),
        *of_any_shape(biased),
        large("wide and tall", each_shape(biased, WIDE_AND_TALL)),
        Case(
            "within budget",
            lambda rng: biased(rng, 32, 64),
            points=4.5,
            budgets=sector_budgets(32 * 64, loads=2),
        ),
    ),
    hints=(
        "`brighten` shows how a thread finds its column and its row: the same formula twice, once "
        "with .x and once with .y.",
        "The matrix lies in memory row after row, and a row has `cols` elements. How many elements "
        "come before the first one of row 3?",
        "The guard has two halves, and both must hold: `row < rows && col < cols`. A thread beyond "
        "the right edge would otherwise own an element of the next row.",
        "The bias depends on the column alone: `out[i] = x[i] + bias[col]` with "
        "`i = row * cols + col`.",
    ),
    hints_on={
        "other_elements": (
            "Every element of a column gets the same number: which of the two coordinates picks it?"
        ),
        "out_of_bounds": (
            "Blocks cover the matrix and a bit more, at the right edge and at the lower one. The "
            "guard has a half for each."
        ),
        "over_budget": (
            "There is one thread per element of the matrix, so no thread needs a loop."
        ),
    },
)


# --- mirror ------------------------------------------------------------------------------------


def levels(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.uniform(0, 1, shape).astype(np.float32)


def reflected(rng: np.random.Generator, rows: int, cols: int, draw=levels, grid=()) -> Problem:
    """Nothing is computed, only copied, so the answer must be exact."""
    picture = draw(rng, (rows, cols))
    args = ("picture", "mirror", np.int32(rows), np.int32(cols))
    return Problem(
        inputs={"picture": picture},
        outputs={"mirror": Expected(picture[:, ::-1].astype(np.float64), np.float32)},
        launches=(Launch("mirrored", grid or tiles_for(rows, cols), TILE, args),),
    )


mirror = Exercise(
    name="mirror",
    title="A mirror",
    minutes=9,
    teaches="a whole kernel: who writes what, and from where",
    source="7_mirror.cu",
    operations={
        "upside down": operation(of_pictures(lambda picture: picture[::-1])),
        "half a turn": operation(of_pictures(lambda picture: picture[::-1, ::-1])),
        "both sides alike": operation(of_pictures(left_on_both_sides)),
    },
    cases=(
        Case("one full block", lambda rng: reflected(rng, 8, 32), points=1),
        Case("some blocks, and a remainder in both directions", beyond_whole_tiles(reflected), 2),
        *of_any_shape(reflected),
        large("wide and tall", each_shape(reflected, WIDE_AND_TALL)),
        Case(
            "within budget",
            lambda rng: reflected(rng, 32, 128),
            points=4.5,
            budgets=sector_budgets(32 * 128, loads=1),
        ),
    ),
    hints=(
        "Decide who owns what first: let each thread own one pixel of `mirror`, the one it writes. "
        "Which pixel of `picture` does it have to read?",
        "In a row of 5, column 0 takes from column 4, column 1 from 3, column 2 from itself. What "
        "is the sum of the two numbers?",
        "`const int opposite = cols - 1 - col;` The row stays what it is, and so do the index, the "
        "guard and the launch of `brighten`.",
    ),
    hints_on={
        "other_place": (
            "The row stays what it is. Of 8 columns, which one lands in column 0, and which in "
            "column 7?"
        ),
        "out_of_bounds": (
            "Columns are counted from 0, so the last one is cols - 1. Which column faces column 0?"
        ),
        "over_budget": "There is one thread per pixel, so no thread needs a loop.",
    },
)
