"""What the exercises on tiles ask: inputs, references, launches, budgets, hints.

A transpose must be exact. A product is computed in float64 from a copy of the inputs; it may differ
by what rounding can do to so many products and sums, and no more.
"""

from __future__ import annotations

import numpy as np

from grader.course import (
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    covering,
    hidden,
    large,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, offset, quarters
from grader.course.tolerances import sum_bound

TILE = 32  # rows and columns of a tile that is turned
SIDE = 16  # of a tile of a product
WARPS = SIDE * SIDE // 32


def tiles(n: int, side: int) -> int:
    return -(-n // side)


# --- transpose ---------------------------------------------------------------------------------


def turned_over(kernel: str, x: np.ndarray, rows: int, spare: tuple[int, int] = (0, 0)) -> Problem:
    """One launch over x as a matrix of `rows`, with `spare` blocks more along x and y."""
    cols = x.size // rows
    grid = (tiles(cols, TILE) + spare[0], tiles(rows, TILE) + spare[1])
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(x.reshape(rows, cols).T.ravel().astype(np.float64), np.float32)},
        launches=(Launch(kernel, grid, (TILE, 8), ("x", "y", np.int32(rows), np.int32(cols))),),
    )


def random_matrix(kernel: str, rng: np.random.Generator, rows: int, cols: int) -> Problem:
    return turned_over(kernel, quarters(rng, rows * cols), rows)


def any_matrix(kernel: str):
    """Problems of that kernel at the sizes that a rule's launches have."""

    def make(rng: np.random.Generator, rows: int, cols: int, grid, block, draw=quarters):
        across, down = (*np.atleast_1d(grid), 1)[:2]
        spare = (int(across) - tiles(cols, TILE), int(down) - tiles(rows, TILE))
        return turned_over(kernel, draw(rng, rows * cols), rows, spare)

    return make


def no_conflicts(why: str) -> tuple[Budget, ...]:
    return (
        Budget("shared_load_bank_conflicts", 0, why),
        Budget("shared_store_bank_conflicts", 0, why),
    )


TURNED = 64 * 64  # elements of the case with budgets

transpose = Exercise(
    name="transpose",
    title="Turn a tile",
    minutes=10,
    teaches="read rows, write rows, and turn in between, in shared memory",
    source="1_transpose.cu",
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
                    2 * TURNED // 8,
                    "each element is read once and written once, 8 to a sector of 32 bytes: a warp "
                    "goes along a row both times",
                ),
                *no_conflicts("the 32 cells that a warp wants at once lie in 32 banks"),
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
        "The cells tile[0][k], tile[1][k], ... lie 32 words apart, all in one bank. With rows of "
        "33 cells they lie 33 words apart.",
        "The border: an element of x needs top + k < rows and left + lane < cols. An element of y "
        "needs left + k < cols and top + lane < rows.",
    ),
    hints_on={
        "wrong_answer": "Which two indices change places, and on which side of the barrier?",
        "data_race": "A warp reads cells that eight warps have written. What lies between?",
        "out_of_bounds": "In y the limits of rows and columns have changed places, too.",
        "uninitialized_read": "Are all 32 rows of the tile filled by only 8 rows of threads?",
        "over_budget": "Sectors, or banks? The card says which one, and the line.",
    },
)


# --- products ----------------------------------------------------------------------------------


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
    left, right = a.reshape(m, k).astype(np.float64), b.reshape(k, n).astype(np.float64)
    bound = sum_bound(2 * k, np.abs(left) @ np.abs(right))
    grid = (tiles(n, block_of_c) + spare[0], tiles(m, block_of_c) + spare[1])
    numbers = tuple(np.int32(one) for one in shape)
    return Problem(
        inputs={"a": a, "b": b},
        outputs={"c": Expected((left @ right).ravel(), np.float32, atol=bound.ravel())},
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


SECTORS_OF_A_TILE = SIDE * SIDE // 8

product = Exercise(
    name="product",
    title="A product over tiles",
    minutes=12,
    teaches="read each tile once, and use each of its elements sixteen times",
    source="4_product.cu",
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
        "The block has 256 threads, and a tile has 256 elements: each thread brings one element of "
        "a and one of b. Then there is a barrier.",
        "The tile of a begins in column `first`: thread (tx, ty) brings a[row * k + first + tx]. "
        "The tile of b begins in row `first`: it brings b[(first + ty) * n + col].",
        "Then sum += of_a[ty][j] * of_b[j][tx] for 16 values of j. The next round writes the tiles "
        "again: who may still be reading?",
        "Elements past a border do not exist. A 0 in their place adds nothing.",
    ),
    hints_on={
        "wrong_answer": "Which elements does the first wrong sum use? Follow j in both tiles.",
        "data_race": "Two barriers: between store and use, and between use and the next store.",
        "out_of_bounds": "The borders of a and of b differ: two sides, and two conditions each.",
        "barrier_divergence": "Threads past the border come to the barriers, too.",
        "over_budget": "Each element comes from global memory once per block.",
    },
)

TWO_STEPS = 16  # the length k of the case with budgets
BLOCK_OF_C = 64

register_tile = Exercise(
    name="register_tile",
    title="Sixteen sums in registers",
    minutes=10,
    teaches="two loads of 16 bytes feed sixteen products",
    source="5_register_tile.cu",
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
            "large offsets",
            lambda rng: random_product("register_tile", rng, 128, 64, 16, BLOCK_OF_C, draw=offset),
        ),
        Case(
            "within budget",
            lambda rng: random_product("register_tile", rng, 64, 64, TWO_STEPS, BLOCK_OF_C),
            points=4,
            budgets=(
                Budget(
                    "shared_load_requests",
                    2 * TWO_STEPS * WARPS,
                    "a warp loads twice for each j: four rows with one load, and four columns",
                ),
                *work_is_shared(),
            ),
        ),
    ),
    hints=(
        "The thread's four rows lie side by side in of_a[j][ty], its four columns in of_b[j][tx].",
        "A float4 in a variable is one load of 16 bytes. `rows.x` is then in a register.",
        "Each of the four rows is multiplied by each of the four columns: sums[0].x += rows.x * "
        "cols.x, sums[0].y += rows.x * cols.y, and so on, up to sums[3].w += rows.w * cols.w.",
    ),
    hints_on={
        "wrong_answer": "Which row and which column belong to sums[r].y?",
        "over_budget": "How many loads from shared memory does one round of j need?",
        "out_of_bounds": "The tiles have 16 packs per row: ty and tx are already their numbers.",
    },
)
