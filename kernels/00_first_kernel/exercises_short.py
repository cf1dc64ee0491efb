"""The short exercises on first kernels, between those of exercises.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    Break,
    Budget,
    Bug,
    Case,
    Cheaper,
    Exercise,
    Expected,
    Hazard,
    Launch,
    Order,
    Place,
    Problem,
    covering,
    hidden,
    work_is_shared,
)
from grader.course.inputs import normal, quarters, whole_numbers
from grader.course.variants import operation

BLOCK = 64
TILE = (32, 8)


def of_elements(function):
    """For variants: in each launch, the second array is `function` of the first."""

    def made(problem: Problem) -> Problem:
        outputs = {
            y: replace(problem.outputs[y], value=function(problem.inputs[x].astype(np.float64)))
            for x, y, *_ in (launch.args for launch in problem.launches)
        }
        return replace(problem, outputs=outputs)

    return made


def one_each(
    kernel: str, x: np.ndarray, y: np.ndarray, *numbers: np.generic, grid: int = 0
) -> Problem:
    """One launch of a kernel over x, a thread per element; y is what it must write. `grid`: more
    blocks than are needed."""
    args = ("x", "y", *numbers, np.int32(x.size))
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(y.astype(np.float64), np.float32, rtol=1e-6)},
        launches=(Launch(kernel, grid or -(-x.size // BLOCK), BLOCK, args),),
    )


def short_last_block(rng: np.random.Generator) -> int:
    return 2 * BLOCK + int(rng.integers(5, 60))


def tripled(x: np.ndarray, grid: int = 0) -> Problem:
    return one_each("triple", x, 3 * x, grid=grid)


triple = Exercise(
    name="triple",
    title="Three times every element",
    source="0_triple.cu",
    kind=Bug(given="        y[i] = 3.0f + x[i];\n"),
    minutes=1,
    teaches="to change a kernel, run its cell, and ask check()",
    cases=(
        Case("two full blocks", lambda rng: tripled(whole_numbers(rng, 2 * BLOCK)), points=1),
        covering(
            "other lengths, grids and values",
            lambda rng, n, grid, block, draw: tripled(draw(rng, n), grid),
        ),
    ),
    hints=(
        "Only the line that begins with `y[i]` is about the numbers; compare it with the comment "
        "at the top.",
        "`+` adds, `*` multiplies.",
    ),
)


def squared(rng: np.random.Generator, n: int, grid: int = 0, draw=whole_numbers) -> Problem:
    x, mean = draw(rng, n), np.float32(rng.integers(2, 9))
    return one_each("squares", x, (x - mean) ** 2, mean, grid=grid)


squares = Exercise(
    name="squares",
    title="The distance from the mean, squared",
    source="2_squares.cu",
    operations={"from the end": operation(replace)},
    kind=Order(
        (
            "for (int i = 0; i < n; i++)",
            "if (i > n) return;",
            "const int i = blockIdx.x * gridDim.x + threadIdx.x;",
        )
    ),
    minutes=4,
    teaches="the order of a kernel: its element, the guard, the work",
    cases=(
        Case("two full blocks", lambda rng: squared(rng, 2 * BLOCK), points=1),
        Case("a last block that is not full", lambda rng: squared(rng, short_last_block(rng)), 1),
        covering(
            "other lengths, grids and values",
            lambda rng, n, grid, block, draw: squared(rng, n, grid, draw),
        ),
    ),
    hints=(
        "Four lines are needed. The first one finds out which element is mine; nothing can be said "
        "about `i` before.",
        "A thread that owns no element must return before `x[i]` is read. Elements are counted "
        "from 0: is there an `x[n]`?",
    ),
)


def risen(rng: np.random.Generator, n: int, grid: int = 0, draw=whole_numbers) -> Problem:
    x = draw(rng, n)
    return one_each("rise", x, np.concatenate([[0], np.diff(x)]), grid=grid)


rise = Exercise(
    name="rise",
    title="The guard that is missing",
    source="3_rise.cu",
    operations={"to the next": operation(of_elements(lambda x: np.append(np.diff(x), 0)))},
    kind=Place(),
    minutes=2,
    teaches="which accesses a guard must stand in front of",
    cases=(
        Case("two full blocks", lambda rng: risen(rng, 2 * BLOCK), points=0.5),
        Case("a last block that is not full", lambda rng: risen(rng, short_last_block(rng)), 1),
        covering(
            "other lengths, grids and values",
            lambda rng, n, grid, block, draw: risen(rng, n, grid, draw),
        ),
    ),
    hints=(
        "Three accesses have an `i` in their brackets. Which threads must not get to any of them?",
        "A thread leaves a kernel with `return;`. Those whose `i` is n or more have nothing to do.",
    ),
)


def halved(rng: np.random.Generator, n: int, spare: int = 0) -> Problem:
    """`spare`: so many elements more than the kernel is told of."""
    x = whole_numbers(rng, n + spare)
    args = ("x", "y", np.int32(n))
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(x / 2.0, np.float32)},
        launches=(Launch("one_too_far", -(-n // BLOCK), BLOCK, args),),
    )


one_too_far = Exercise(
    name="one_too_far",
    title="One element too many",
    source="4_one_too_far.cu",
    kind=Break(given="    if (i < n) {\n"),
    minutes=2,
    teaches="what a guard that is off by one does, and when nobody notices",
    cases=(
        Case(
            "a last block that is not full: one thread reads beyond the end",
            lambda rng: halved(rng, short_last_block(rng)),
            points=1,
            hazard=Hazard("out_of_bounds", ("y[i] = 0.5f * x[i]",)),
        ),
        Case("full blocks", lambda rng: halved(rng, 2 * BLOCK), points=0.5),
        Case(
            "one element more than n: that far, and no further",
            lambda rng: halved(rng, short_last_block(rng), spare=1),
            points=0.5,
        ),
        hidden("more full blocks", lambda rng: halved(rng, 3 * BLOCK)),
    ),
    hints=(
        "Elements 0 to n - 1 exist. Which is the first one that does not, and how does the guard "
        "let its thread pass?",
        "Change one character: add one.",
    ),
)


def darkened(rng: np.random.Generator, rows: int, cols: int, grid: int = 0) -> Problem:
    picture = quarters(rng, (rows, cols))
    args = ("picture", "darker", np.int32(rows), np.int32(cols))
    return Problem(
        inputs={"picture": picture},
        outputs={"darker": Expected(picture / 2.0, np.float32)},
        launches=(Launch("darken", grid or -(-rows * cols // BLOCK), BLOCK, args),),
    )


darken = Exercise(
    name="darken",
    title="Half of every pixel, with an eighth of the sectors",
    source="5_darken.cu",
    kind=Cheaper(
        given="""
    const int row = i % rows;
    const int col = i / rows;
"""
    ),
    minutes=4,
    teaches="neighbouring threads own neighbouring elements",
    cases=(
        Case("some pixels", lambda rng: darkened(rng, 7, 9), points=0.5),
        Case(
            "within budget",
            lambda rng: darkened(rng, 32, 64),
            points=1.5,
            budgets=(
                Budget(
                    "global_load_sectors",
                    32 * 64 // 8,
                    "4 for a warp: its 32 threads read 32 pixels side by side",
                ),
                *work_is_shared(),
            ),
        ),
        covering(
            "other shapes and grids; arrays that begin anywhere",
            lambda rng, rows, cols, grid, block: darkened(rng, rows, cols, grid),
        ),
    ),
    hints=(
        "Write down row and col of the threads with i = 0, 1 and 2. Are their pixels neighbours in "
        "memory?",
        "A row has `cols` pixels, so the first `cols` threads should own the first row.",
    ),
)


def turned(rng: np.random.Generator, rows: int, cols: int, grid=()) -> Problem:
    picture = normal(rng, (rows, cols))
    args = ("picture", "turned", np.int32(rows), np.int32(cols))
    grid = grid or (-(-cols // TILE[0]), -(-rows // TILE[1]))
    return Problem(
        inputs={"picture": picture},
        outputs={"turned": Expected(picture[::-1].astype(np.float64), np.float32)},
        launches=(Launch("upside_down", grid, TILE, args),),
    )


upside_down = Exercise(
    name="upside_down",
    title="Right for square pictures",
    source="9_upside_down.cu",
    operations={"half a turn": operation(of_elements(lambda picture: picture[::-1, ::-1]))},
    kind=Bug(given="    turned[row * rows + col] = picture[opposite * rows + col];\n"),
    minutes=4,
    teaches="a row has `cols` elements; square tests hide it",
    cases=(
        Case("a square picture", lambda rng: turned(rng, 32, 32), points=0.5),
        Case("more columns than rows", lambda rng: turned(rng, 9, 40), points=1),
        covering(
            "other shapes and grids; arrays that begin anywhere",
            lambda rng, rows, cols, grid, block: turned(rng, rows, cols, grid),
        ),
    ),
    hints=(
        "Try a picture of 2 rows and 3 columns on paper. Where in memory does row 1 begin?",
        "How many elements lie before row `opposite`? As many rows, of how many elements each?",
    ),
)
