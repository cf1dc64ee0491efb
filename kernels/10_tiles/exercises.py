"""What the exercises on tiles ask: inputs, references, launches, budgets, hints.

A transpose must be exact. The reference of a product is computed in float64. A result may
differ from it by as much as rounding can change so many multiplications and additions.
"""

from __future__ import annotations

import re
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
from grader.course.inputs import heavy_tailed, offset, quarters
from grader.course.tolerances import sum_bound
from grader.course.variants import operation

TILE = 32  # rows and columns of a tile of a transpose
SIDE = 16  # of a tile of a product
WARPS = SIDE * SIDE // 32


def tiles(n: int, side: int) -> int:
    return -(-n // side)


def in_other_blocks(block: tuple[int, int], problem=replace, numbers=()):
    """For `operation`: such blocks in launches and rules, and of each `problem` another one. The
    rules have other `numbers`, each in place of one."""

    def other(made: Problem) -> Problem:
        launches = tuple(replace(launch, block=block) for launch in made.launches)
        return problem(replace(made, launches=launches))

    def told(text: str) -> str:
        for old, new in numbers:
            text = re.sub(rf"\b{old}\b", f"{new}", text)
        return text

    def rule(one: Rule) -> Rule:
        return replace(
            one,
            blocks=(block,),
            where=tuple(map(told, one.where)),
            edges=tuple(tuple(map(told, edges)) for edges in one.edges),
            passes=told(one.passes),
        )

    return other, rule


# --- transpose ---------------------------------------------------------------------------------


def transposed(kernel: str, x: np.ndarray, rows: int, spare: tuple[int, int] = (0, 0)) -> Problem:
    """One launch over x as a matrix of `rows`, with `spare` blocks more along x and y."""
    cols = x.size // rows
    grid = (tiles(cols, TILE) + spare[0], tiles(rows, TILE) + spare[1])
    return Problem(
        inputs={"x": x.reshape(rows, cols)},
        outputs={"y": Expected(x.reshape(rows, cols).T.astype(np.float64), np.float32)},
        launches=(Launch(kernel, grid, (TILE, 8), ("x", "y", np.int32(rows), np.int32(cols))),),
    )


def random_matrix(kernel: str, rng: np.random.Generator, rows: int, cols: int) -> Problem:
    return transposed(kernel, quarters(rng, rows * cols), rows)


def any_matrix(kernel: str):
    """Problems of that kernel at the sizes that a rule's launches have."""

    def make(rng: np.random.Generator, rows: int, cols: int, grid, block, draw=quarters):
        across, down = (*np.atleast_1d(grid), 1)[:2]
        spare = (int(across) - tiles(cols, TILE), int(down) - tiles(rows, TILE))
        return transposed(kernel, draw(rng, rows * cols), rows, spare)

    return make


def no_conflicts(why: str) -> tuple[Budget, ...]:
    return (
        Budget("shared_load_bank_conflicts", 0, why),
        Budget("shared_store_bank_conflicts", 0, why),
    )


ELEMENTS = 64 * 64  # elements of the case with budgets

transpose = Exercise(
    name="transpose",
    title="Transpose through shared memory",
    minutes=10,
    teaches="read rows and write rows; transpose in shared memory",
    source="1_transpose.cu",
    operations={"blocks of 32 x 4": operation(*in_other_blocks((TILE, 4)))},
    cases=(
        Case("one tile", lambda rng: random_matrix("transpose", rng, 32, 32), points=1),
        Case(
            "a border on the right and below",
            lambda rng: random_matrix(
                "transpose", rng, 32 + int(rng.integers(1, 32)), 64 + int(rng.integers(1, 32))
            ),
            points=1,
        ),
        covering(
            "arrays that begin anywhere", any_matrix("transpose"), lambda row: row["anywhere"]
        ),
        covering("other shapes, and blocks without an element", any_matrix("transpose")),
        hidden(
            "one row, and one column",
            lambda rng: together(
                random_matrix("transpose", rng, 1, 100), random_matrix("transpose", rng, 100, 1)
            ),
        ),
        Case(
            "within budget",
            lambda rng: random_matrix("transpose", rng, 64, 64),
            points=4,
            budgets=(
                Budget(
                    "global_sectors",
                    2 * ELEMENTS // 8,
                    "each element is read once and written once, 8 to a sector of 32 bytes: a warp "
                    "goes along a row both times",
                ),
                *no_conflicts(
                    "the 32 cells that a warp reads at once can lie in 32 different banks"
                ),
                *work_is_shared(),
            ),
        ),
        large(
            "more than 65,536 elements",
            lambda rng: random_matrix("transpose", rng, 3, 22_000 + int(rng.integers(99))),
        ),
    ),
    hints=(
        "A warp has 32 lanes along a row of x, so it reads full sectors. In y a row holds a column "
        "of x. Which elements should a warp write at once?",
        "tile[k][lane] takes x[(top + k) * cols + left + lane]. After a barrier, row left + k of y "
        "takes the cells tile[lane][k].",
        "The cells tile[0][k], tile[1][k], ... lie 32 words apart, so all are in one bank. With "
        "rows of 33 cells they lie 33 words apart.",
        "Guards: an element of x needs top + k < rows and left + lane < cols. An element of y "
        "needs left + k < cols and top + lane < rows.",
    ),
    hints_on={
        "wrong_answer": "Which two indices change places, and on which side of the barrier?",
        "data_race": "A warp reads cells that eight warps write. When are all of them written?",
        "out_of_bounds": "Does the guard for y use the number of rows of y, or of x?",
        "uninitialized_read": "The block has 8 rows of threads. Do they fill 32 rows of the tile?",
        "over_budget": "Does the card name sectors or bank conflicts? On which line?",
    },
)


# --- products ----------------------------------------------------------------------------------


def product_of(a: np.ndarray, b: np.ndarray) -> Expected:
    left, right = a.astype(np.float64), b.astype(np.float64)
    bound = sum_bound(2 * len(b), np.abs(left) @ np.abs(right))
    return Expected(left @ right, np.float32, atol=bound)


def multiplied(
    kernel: str,
    a: np.ndarray,
    b: np.ndarray,
    shape: tuple[int, int, int],
    block_of_c: int = SIDE,
    spare: tuple[int, int] = (0, 0),
) -> Problem:
    """c = a b of m by k and k by n elements, `shape` being (m, n, k)."""
    m, n, k = shape
    a, b = a.reshape(m, k), b.reshape(k, n)
    grid = (tiles(n, block_of_c) + spare[0], tiles(m, block_of_c) + spare[1])
    numbers = tuple(np.int32(one) for one in shape)
    return Problem(
        inputs={"a": a, "b": b},
        outputs={"c": product_of(a, b)},
        launches=(Launch(kernel, grid, (SIDE, SIDE), ("a", "b", "c", *numbers)),),
    )


def random_product(
    kernel: str,
    rng: np.random.Generator,
    m: int,
    n: int,
    k: int,
    block_of_c: int = SIDE,
    draw=quarters,
) -> Problem:
    return multiplied(kernel, draw(rng, m * k), draw(rng, k * n), (m, n, k), block_of_c)


def any_product(kernel: str, block_of_c: int = SIDE):
    """Problems of that kernel at the sizes that a rule's launches have."""

    def make(rng: np.random.Generator, m: int, n: int, k: int, grid, block, draw=quarters):
        across, down = (*np.atleast_1d(grid), 1)[:2]
        spare = (int(across) - tiles(n, block_of_c), int(down) - tiles(m, block_of_c))
        a, b = draw(rng, m * k), draw(rng, k * n)
        return multiplied(kernel, a, b, (m, n, k), block_of_c, spare)

    return make


def compared(distance):
    """For products: c[row][col] is the sum over j of `distance(a[row][j] - b[j][col])`."""

    def made(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            a, b, c = launch.args[:3]
            m, n, k = map(int, launch.args[3:6])
            left, right = (problem.inputs[one].astype(np.float64) for one in (a, b))
            sums = np.zeros((m, n))
            magnitude = np.zeros((m, n))
            for j in range(k):
                sums += distance(left[:, j, None] - right[None, j])
                magnitude += distance(np.abs(left[:, j, None]) + np.abs(right[None, j]))
            bound = sum_bound(2 * k + 2, magnitude)
            outputs[c] = Expected(sums, np.float32, atol=bound)
        return replace(problem, outputs=outputs)

    return made


def in_half_the_grid(problem: Problem) -> Problem:
    """Half as many blocks along x and y, each for twice as many rows and columns."""
    launches = (
        replace(launch, grid=tuple(tiles(blocks, 2) for blocks in launch.grid))
        for launch in problem.launches
    )
    return replace(problem, launches=tuple(launches))


def half_of_c(problem: Problem) -> Problem:
    """The upper half of the rows of c, and the left half of its columns."""
    inputs, outputs, launches = {}, {}, []
    for launch in problem.launches:
        a, b, c, m, n, k = launch.args
        inputs |= {a: problem.inputs[a][: m // 2], b: problem.inputs[b][:, : n // 2].copy()}
        outputs[c] = product_of(inputs[a], inputs[b])
        launches.append(replace(launch, args=(a, b, c, np.int32(m // 2), np.int32(n // 2), k)))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


DISTANCES = {
    "distances": operation(compared(np.abs)),
    "squared distances": operation(compared(np.square)),
}

SECTORS_OF_A_TILE = SIDE * SIDE // 8

product = Exercise(
    name="product",
    title="A product over tiles",
    minutes=12,
    teaches="read each tile once, and use each of its elements sixteen times",
    source="4_product.cu",
    operations=DISTANCES
    | {
        "blocks of 32 x 32": operation(
            *in_other_blocks((32, 32), in_half_the_grid, [(16, 32)]),
            words={"a multiple of 16": "a multiple of 32"},
        )
    },
    cases=(
        Case("one tile", lambda rng: random_product("product", rng, 16, 16, 16), points=1),
        Case(
            "no side a multiple of 16",
            lambda rng: random_product(
                "product", rng, 17 + int(rng.integers(9)), 33 + int(rng.integers(9)), 23
            ),
            points=1,
        ),
        covering("arrays that begin anywhere", any_product("product"), lambda row: row["anywhere"]),
        covering("other shapes, and blocks without an element", any_product("product")),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(
                random_product("product", rng, 20, 18, 40, draw=offset),
                random_product("product", rng, 18, 20, 35, draw=heavy_tailed),
            ),
        ),
        Case(
            "within budget",
            lambda rng: random_product("product", rng, 32, 32, 64),
            points=5,
            budgets=(
                Budget(
                    "global_load_sectors",
                    4 * 4 * 2 * SECTORS_OF_A_TILE,
                    "each of 4 blocks reads 4 tiles of a and 4 of b, each element once",
                ),
                Budget(
                    "barriers",
                    4 * 4 * 2 * WARPS,
                    "two for each pair of tiles: one when they are there, one when all have used "
                    "them",
                ),
                *work_is_shared(),
            ),
        ),
    ),
    hints=(
        "A block has 256 threads, and a tile has 256 elements. So each thread loads one element of "
        "a and one of b. Then there is a barrier.",
        "The tile of a begins in column `first`: thread (tx, ty) loads a[row * k + first + tx]. "
        "The tile of b begins in row `first`: it loads b[(first + ty) * n + col].",
        "Then sum += of_a[ty][j] * of_b[j][tx] for 16 values of j. The next round writes the tiles "
        "again. Which threads may still read the old ones?",
        "There are no elements past a border. A 0 in their place adds nothing.",
    ),
    hints_on={
        "wrong_answer": "Which elements does the first wrong sum use? Follow j through both tiles.",
        "data_race": "Two barriers: between store and use, and between use and the next store.",
        "out_of_bounds": "A load from a needs two conditions, and a load from b needs two others.",
        "barrier_divergence": "Threads past the border must reach the barriers, too.",
        "over_budget": "A block should load each element from global memory once.",
    },
)

TWO_STEPS = 16  # the length k of the case with budgets
BLOCK_OF_C = 64

register_tile = Exercise(
    name="register_tile",
    title="Sixteen sums in registers",
    minutes=10,
    teaches="two loads of 16 bytes are enough for sixteen multiply-adds",
    source="5_register_tile.cu",
    operations=DISTANCES
    | {"blocks of 8 x 8": operation(*in_other_blocks((8, 8), half_of_c, [(64, 32)]))},
    cases=(
        Case(
            "one block of c",
            lambda rng: random_product("register_tile", rng, 64, 64, 8, BLOCK_OF_C),
            points=1,
        ),
        Case(
            "two blocks by one",
            lambda rng: random_product("register_tile", rng, 64, 128, 24, BLOCK_OF_C),
            points=1,
        ),
        covering("other shapes", any_product("register_tile", BLOCK_OF_C)),
        hidden(
            "34 blocks in a row, and in a column",
            lambda rng: together(
                random_product("register_tile", rng, 64, 34 * 64, 8, BLOCK_OF_C),
                random_product("register_tile", rng, 34 * 64, 64, 8, BLOCK_OF_C),
            ),
        ),
        hidden(
            "large offsets",
            lambda rng: random_product("register_tile", rng, 128, 64, 16, BLOCK_OF_C, draw=offset),
        ),
        Case(
            "within budget",
            lambda rng: random_product("register_tile", rng, 64, 4 * 64, TWO_STEPS, BLOCK_OF_C),
            points=4,
            budgets=(
                Budget(
                    "shared_load_requests",
                    4 * 2 * TWO_STEPS * WARPS,
                    "for each j, each warp of the 4 blocks loads its rows and its columns once",
                ),
                Budget(
                    "global_load_sectors",
                    4 * 2 * BLOCK_OF_C * TWO_STEPS // 8,
                    "each of 4 blocks loads each element of a and b once, for its tiles",
                ),
                *work_is_shared(),
            ),
        ),
    ),
    hints=(
        "The thread's four rows are one pack, of_a[j][ty]. Its four columns are of_b[j][tx].",
        "A float4 in a variable is one load of 16 bytes. `rows.x` is then in a register.",
        "Each of the four rows is multiplied by each of the four columns: sums[0].x += rows.x * "
        "cols.x, sums[0].y += rows.x * cols.y, and so on, up to sums[3].w += rows.w * cols.w.",
    ),
    hints_on={
        "wrong_answer": "Which row and which column belong to sums[r].y?",
        "over_budget": "How many loads from shared memory does one round of j need?",
        "uninitialized_read": "A row of a tile has 16 packs: ty and tx are already their numbers.",
    },
)
