"""The short exercises on tiles."""

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
    Place,
    Problem,
    Rule,
    covering,
    hidden,
    one_launch,
    work_is_shared,
)
from grader.course.inputs import quarters
from grader.course.tolerances import sum_bound
from grader.course.variants import operation

TILE, SIDE = 32, 16
WARPS = SIDE * SIDE // 32


def transposed(
    kernel: str, tile: tuple[int, int], x: np.ndarray, rows: int, spare: tuple[int, int] = (0, 0)
) -> Problem:
    """One launch over x as a matrix of `rows`; a block turns a `tile` of columns by rows."""
    cols = x.size // rows
    grid = (-(-cols // tile[0]) + spare[0], -(-rows // tile[1]) + spare[1])
    return Problem(
        inputs={"x": x.reshape(rows, cols)},
        outputs={"y": Expected(x.reshape(rows, cols).T.astype(np.float64), np.float32)},
        launches=(Launch(kernel, grid, (TILE, 8), ("x", "y", np.int32(rows), np.int32(cols))),),
    )


def some_matrix(kernel: str, tile: tuple[int, int], rows: int, cols: int):
    return lambda rng: transposed(kernel, tile, quarters(rng, rows * cols), rows)


def any_matrix(kernel: str, tile: tuple[int, int]):
    """Problems of that kernel at the sizes that a rule's launches have."""

    def make(rng: np.random.Generator, rows: int, cols: int, grid, block, draw=quarters):
        across, down = (*np.atleast_1d(grid), 1)[:2]
        spare = (int(across) - -(-cols // tile[0]), int(down) - -(-rows // tile[1]))
        return transposed(kernel, tile, draw(rng, rows * cols), rows, spare)

    return make


def in_low_blocks(problem: Problem) -> Problem:
    """Blocks of 32 x 4 threads."""
    launches = (replace(launch, block=(TILE, 4)) for launch in problem.launches)
    return replace(problem, launches=tuple(launches))


def for_low_blocks(rule: Rule) -> Rule:
    return replace(rule, blocks=((TILE, 4),))


BY_ELEMENT, BY_TILE = (TILE, 8), (TILE, TILE)

naive_transpose = Exercise(
    name="naive_transpose",
    title="Right for squares",
    source="0_naive_transpose.cu",
    kind=Bug(given="    y[col * cols + row] = x[row * cols + col];\n"),
    minutes=1,
    teaches="rows of x and rows of y have different lengths",
    cases=(
        Case("a square", some_matrix("naive_transpose", BY_ELEMENT, 32, 32), points=0.5),
        Case("three rows of 40", some_matrix("naive_transpose", BY_ELEMENT, 3, 40), points=0.5),
        covering("other shapes", any_matrix("naive_transpose", BY_ELEMENT)),
    ),
    hints=("How many elements has a row of y?", "A row of y holds a column of x."),
)

swizzle = Exercise(
    name="swizzle",
    title="Swizzle a tile",
    source="2_swizzle.cu",
    operations={"blocks of 32 x 4": operation(in_low_blocks, for_low_blocks)},
    kind=Cheaper(given="    return 32 * row + col;\n"),
    minutes=5,
    teaches="the exclusive or spreads rows and columns over all banks",
    cases=(
        Case(
            "within budget",
            some_matrix("swizzle", BY_TILE, 64, 32),
            points=2,
            budgets=(
                Budget(
                    "shared_load_bank_conflicts",
                    0,
                    "the 32 elements of a column lie in 32 banks",
                ),
                Budget(
                    "shared_store_bank_conflicts", 0, "the 32 elements of a row lie in 32 banks"
                ),
                *work_is_shared(),
            ),
        ),
        covering("other shapes", any_matrix("swizzle", BY_TILE)),
        hidden("a border on both sides", some_matrix("swizzle", BY_TILE, 45, 50)),
    ),
    hints=(
        "The bank is the cell modulo 32, so now it is `col`. All elements of a column have the "
        "same `col`, so they have the same bank.",
        "In a column, `col ^ row` is a different number from 0 to 31 for each row.",
    ),
)


def product_of(a: np.ndarray, b: np.ndarray) -> Expected:
    left, right = a.astype(np.float64), b.astype(np.float64)
    bound = sum_bound(2 * len(b), np.abs(left) @ np.abs(right))
    return Expected(left @ right, np.float32, atol=bound)


def multiplied(kernel: str, rng: np.random.Generator, m: int, n: int, k: int, draw=quarters):
    """c = a b of m by k and k by n elements, by blocks of 16 x 16."""
    a, b = draw(rng, m * k).reshape(m, k), draw(rng, k * n).reshape(k, n)
    return Problem(
        inputs={"a": a, "b": b},
        outputs={"c": product_of(a, b)},
        launches=(
            Launch(
                kernel,
                (n // SIDE, m // SIDE),
                (SIDE, SIDE),
                ("a", "b", "c", np.int32(m), np.int32(n), np.int32(k)),
            ),
        ),
    )


def in_quarter_tiles(problem: Problem) -> Problem:
    """Matrices with half as many rows and columns, and tiles of 8 x 8 elements."""
    inputs, outputs, launches = {}, {}, []
    for launch in problem.launches:
        a, b, c, *numbers = launch.args
        m, n, k = (np.int32(one // 2) for one in numbers)
        inputs |= {a: problem.inputs[a][:m, :k].copy(), b: problem.inputs[b][:k, :n].copy()}
        outputs[c] = product_of(inputs[a], inputs[b])
        block = (SIDE // 2, SIDE // 2)
        launches.append(replace(launch, block=block, args=(a, b, c, m, n, k)))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


def for_quarter_tiles(rule: Rule) -> Rule:
    def told(text: str) -> str:
        return text.replace("16", "8")

    return replace(
        rule,
        blocks=((SIDE // 2, SIDE // 2),),
        where=tuple(map(told, rule.where)),
        edges=tuple(tuple(map(told, edges)) for edges in rule.edges),
        passes=told(rule.passes),
    )


STEPS = 4

two_buffers = Exercise(
    name="two_buffers",
    title="Double buffering",
    source="6_two_buffers.cu",
    operations={"blocks of 8 x 8": operation(in_quarter_tiles, for_quarter_tiles)},
    kind=Place(),
    minutes=4,
    teaches="with two buffers, one barrier per step is enough",
    cases=(
        Case(
            "no race, and no barrier too many",
            lambda rng: multiplied("two_buffers", rng, 16, 32, SIDE * STEPS),
            points=2,
            budgets=(
                Budget(
                    "barriers",
                    2 * WARPS * (STEPS + 1),
                    "one per step, and at most one more: the same barrier says that these tiles "
                    "are there and that the other two may be overwritten",
                ),
            ),
        ),
        covering(
            "other shapes",
            lambda rng, m, n, k, grid, block, draw=quarters: multiplied(
                "two_buffers", rng, m, n, k, draw
            ),
        ),
    ),
    hints=(
        "Which line writes what another thread reads? On which line does it read?",
        "In a step, threads read one buffer and then write the other one. In the next step they "
        "read what was written. Where must all threads have arrived before any thread goes on?",
        "One barrier at the beginning of each step is enough.",
    ),
    hints_on={"data_race": "The report names two lines. A barrier belongs between them."},
)


def row_sums(rng: np.random.Generator, cols: int) -> Problem:
    x = quarters(rng, 32 * cols).reshape(32, cols)
    sums = x.sum(axis=1, dtype=np.float64)
    bound = sum_bound(cols, np.abs(x).sum(axis=1, dtype=np.float64))
    return one_launch("one_buffer", 1, 64, {"x": x}, {"y": sums}, np.int32(cols), atol=bound)


TOO_SOON = Hazard("data_race", ("tile[filled]", "tile[used]"))

one_buffer = Exercise(
    name="one_buffer",
    title="One buffer for two warps",
    source="7_one_buffer.cu",
    kind=Break(given="        const int filled = first / 32 % 2, used = 1 - filled;\n"),
    minutes=3,
    teaches="why the next tile needs a buffer of its own",
    cases=(
        Case("three steps", lambda rng: row_sums(rng, 96), points=1.5, hazard=TOO_SOON),
        Case(
            "other numbers",
            lambda rng: row_sums(rng, 96),
            points=0.5,
            visible=False,
            hazard=TOO_SOON,
        ),
        hidden("a single step, in which nobody meets", lambda rng: row_sums(rng, 32)),
    ),
    hints=(
        "In one step warp 0 fills one buffer and warp 1 uses the other. When would they meet?",
        "With one buffer for both warps, a matrix of 32 columns still gets the right sums: warp 0 "
        "has nothing to load while warp 1 adds.",
    ),
)
