"""The short exercises on asynchronous copies."""

from __future__ import annotations

import numpy as np

from grader.course import (
    Bug,
    Case,
    Exercise,
    Expected,
    Launch,
    Order,
    Problem,
    covering,
    hidden,
)
from grader.course.inputs import quarters

TILE = 256


def reversed_tiles(kernel: str, x: np.ndarray) -> Problem:
    y = x.reshape(-1, TILE)[:, ::-1].ravel().astype(np.float64)
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(y, np.float32)},
        launches=(Launch(kernel, len(x) // TILE, TILE, ("x", "y")),),
    )


def some_tiles(kernel: str, tiles: int):
    return lambda rng: reversed_tiles(kernel, quarters(rng, tiles * TILE))


def any_tiles(kernel: str):
    """Problems of that kernel at the sizes that a rule's launches have."""

    def make(rng: np.random.Generator, grid, block, draw=quarters):
        return reversed_tiles(kernel, draw(rng, int(np.atleast_1d(grid)[0]) * TILE))

    return make


reverse_tiles = Exercise(
    name="reverse_tiles",
    title="Wait for the copy",
    source="0_reverse_tiles.cu",
    kind=Bug(given="    __pipeline_wait_prior(1);\n"),
    minutes=1,
    teaches="wait_prior(n) leaves the n newest groups under way",
    cases=(
        Case("three tiles", some_tiles("reverse_tiles", 3), points=1),
        covering("other numbers of tiles", any_tiles("reverse_tiles")),
    ),
    hints=(
        "`__pipeline_wait_prior(n)` returns when at most n of this thread's groups are under way.",
        "The thread has committed one group. How many may be under way when it reads the tile?",
    ),
)

bulk_reverse = Exercise(
    name="bulk_reverse",
    title="One bulk copy",
    source="2_bulk_reverse.cu",
    kind=Order(
        (
            "if (t == 0) mbarrier_init(&full, 256);",
            "if (t == 0) mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, "
            "256);",
            "if (t == 0) cp_async_bulk(space_cluster, space_global, tile, x + first, 256, &full);",
            "while (!mbarrier_try_wait_parity(&full, 1)) {}",
        )
    ),
    minutes=5,
    teaches="the life of an mbarrier: set up, expect, copy, wait",
    cases=(
        Case("one tile", some_tiles("bulk_reverse", 1), points=0.5),
        Case("three tiles", some_tiles("bulk_reverse", 3), points=1.5),
        covering("other numbers of tiles", any_tiles("bulk_reverse")),
        hidden("forty tiles", some_tiles("bulk_reverse", 40)),
    ),
    hints=(
        "One thread arrives, and one copy brings bytes. How many arrivals and how many bytes does "
        "the mbarrier count?",
        "No thread may wait at the mbarrier before it is set up. Which line makes sure of this?",
        "A new mbarrier is in phase 0. A wait with parity 0 returns when phase 0 is over. A wait "
        "with parity 1 returns at once.",
    ),
    hints_on={
        "uninitialized_read": "Which line makes the threads wait until the tile is there?",
        "timeout": "Are as many arrivals and bytes expected as come?",
    },
)
