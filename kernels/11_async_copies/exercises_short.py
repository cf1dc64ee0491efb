"""The short exercises on asynchronous copies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    Boxes,
    Break,
    Budget,
    Bug,
    Case,
    Cheaper,
    Exercise,
    Expected,
    Hazard,
    Kind,
    Launch,
    Order,
    Place,
    Problem,
    Requirement,
    Rule,
    covering,
    hidden,
    one_launch,
    work_is_shared,
)
from grader.course.inputs import quarters
from grader.course.variants import operation

TILE = 256


# --- operations of variants --------------------------------------------------------------------


def in_half_tiles(answer):
    """For `operation`: every second element, and tiles and blocks of 128. `answer(tiles)` is the
    output, of float64[tiles, 128]."""

    def made(problem: Problem) -> Problem:
        inputs, outputs, launches = {}, {}, []
        for launch in problem.launches:
            x, y = launch.args[:2]
            inputs[x] = problem.inputs[x][::2].copy()
            tiles = inputs[x].reshape(-1, TILE // 2).astype(np.float64)
            outputs[y] = replace(problem.outputs[y], value=answer(tiles).ravel())
            launches.append(replace(launch, block=TILE // 2))
        return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))

    return operation(made, for_half_tiles)


def for_half_tiles(rule: Rule) -> Rule:
    halved = (one.replace(f"{TILE}", f"{TILE // 2}") for one in rule.parameters)
    return replace(rule, blocks=(TILE // 2,), parameters=tuple(halved))


# --- reversed tiles ----------------------------------------------------------------------------


def reversed_tiles(kernel: str, x: np.ndarray) -> Problem:
    y = x.reshape(-1, TILE)[:, ::-1].ravel().astype(np.float64)
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(y, np.float32)},
        launches=(Launch(kernel, len(x) // TILE, TILE, ("x", "y")),),
    )


REVERSED = {"blocks of 128": in_half_tiles(np.fliplr)}


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
    operations=REVERSED,
    kind=Bug(given="    __pipeline_wait_prior(1);\n"),
    minutes=1,
    teaches="wait_prior(n) leaves the n newest groups in flight",
    cases=(
        Case("three tiles", some_tiles("reverse_tiles", 3), points=1),
        covering("other numbers of tiles", any_tiles("reverse_tiles")),
    ),
    hints=(
        "`__pipeline_wait_prior(n)` returns when at most n of this thread's groups are in flight.",
        "The thread has committed one group. How many may be in flight when it reads the tile?",
    ),
)

bulk_reverse = Exercise(
    name="bulk_reverse",
    title="One bulk copy",
    source="2_bulk_reverse.cu",
    operations=REVERSED,
    kind=Order(
        (
            "if (t == 0) mbarrier_init(&full, 256);",
            "if (t == 0) mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &full, "
            "256);",
            "if (t == 0) cp_async_bulk(space_cluster, space_global, tile, x + first, 256, &full);",
            "while (!mbarrier_try_wait_parity(&full, 1)) continue;",
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


# --- two_roles ---------------------------------------------------------------------------------


def roles(rng: np.random.Generator, tiles: int) -> Problem:
    """Two blocks of so many tiles of 8 rows; their column sums are exact."""
    x = quarters(rng, (2, 8 * tiles, 128))
    sums = x.sum(axis=1, dtype=np.float64)
    return one_launch("two_roles", 2, 160, {"x": x}, {"y": sums}, np.int32(8 * tiles))


TOO_SOON = Hazard("data_race", ("cp_async_bulk(", "sum += tile"))

two_roles = Exercise(
    name="two_roles",
    title="A stage that is given back too early",
    source="4_two_roles.cu",
    kind=Break(
        given="            for (int r = 0; r < 8; r++) sum += tile[k % 2][128 * r + t];\n"
        "            mbarrier_arrive(sem_release, scope_cta, space_shared, &empty[k % 2]);\n"
    ),
    minutes=3,
    teaches="what an arrival promises: all that the thread did before it",
    cases=(
        Case("five tiles", lambda rng: roles(rng, 5), points=1.5, hazard=TOO_SOON),
        Case(
            "other numbers", lambda rng: roles(rng, 5), points=0.5, visible=False, hazard=TOO_SOON
        ),
        hidden("two tiles, one for each stage", lambda rng: roles(rng, 2)),
    ),
    hints=(
        "An arrival at `empty` says that the thread no longer needs the stage. When would this "
        "sentence be false?",
        "Both lines stay in the kernel. Only their order changes.",
    ),
    hints_on={
        "timeout": (
            "The producer still needs 128 arrivals for each tile. Each consumer must arrive once "
            "per tile."
        )
    },
)


# --- triple_tiles ------------------------------------------------------------------------------

PROXY_FENCE = Kind("proxy fence", {r"fence\.proxy\.async\..*": 1}, orders=True)
STORED, STORING = 3, 2  # tiles of a block, and blocks, of the case with a budget


def tripled(rng: np.random.Generator, tiles: int, grid=1, block=None, draw=quarters) -> Problem:
    x = draw(rng, int(np.atleast_1d(grid)[0]) * tiles * TILE)
    y = 3 * x.astype(np.float64)
    return one_launch("triple_tiles", grid, TILE, {"x": x}, {"y": y}, np.int32(tiles))


triple_tiles = Exercise(
    name="triple_tiles",
    title="Before a copy reads, and after",
    source="5_triple_tiles.cu",
    operations={"blocks of 128": in_half_tiles(lambda tiles: 3 * tiles)},
    kind=Place(),
    minutes=4,
    teaches="a proxy fence between ordinary stores and a copy that reads them",
    cases=(
        Case(
            "no race, and no barrier too many",
            lambda rng: tripled(rng, STORED, STORING),
            points=2,
            budgets=(
                Budget(
                    "barriers",
                    2 * STORED * STORING * TILE // 32,
                    "two for each tile: all threads have stored their elements, and the copy has "
                    "read them",
                ),
            ),
            requires=(
                Requirement(
                    PROXY_FENCE,
                    "a copy sees what ordinary stores wrote only after a proxy fence",
                    at_least=STORED * STORING,
                ),
            ),
        ),
        covering("other numbers of tiles and blocks", tripled),
        hidden("seven tiles", lambda rng: tripled(rng, 7)),
    ),
    hints=(
        "Thread 0 issues a copy of the whole tile. What must all the other threads have done?",
        "The copy is no ordinary access. Which fence makes ordinary stores visible to it?",
        "In the next round, each thread stores into the tile again. What must have happened to the "
        "last copy? Thread 0 waits for it. How do the others know?",
    ),
    hints_on={
        "data_race": "The report names two lines. A barrier or a proxy fence belongs between them.",
        "over_budget": (
            "Each round needs two barriers, and a `fence_proxy_async(space_shared)` in each thread "
            "that has stored something, before the first of them."
        ),
    },
)


# --- shared_weights ----------------------------------------------------------------------------

CLUSTER, WEIGHTS, CLUSTERS = 4, 1024, 2  # blocks; elements; clusters of the case with a budget


def weighted(rng: np.random.Generator, grid=CLUSTER, block=None, draw=quarters) -> Problem:
    """y = w * x for as many tiles x as blocks."""
    w, x = quarters(rng, WEIGHTS), draw(rng, (int(np.atleast_1d(grid)[0]), WEIGHTS))
    y = w.astype(np.float64) * x
    return one_launch("shared_weights", grid, 256, {"w": w, "x": x}, {"y": y})


shared_weights = Exercise(
    name="shared_weights",
    title="From block to block",
    source="6_shared_weights.cu",
    kind=Cheaper(
        given="        cp_async_bulk(space_cluster, space_global, weights, w, 4096, &full);\n"
    ),
    minutes=8,
    teaches="copies from block to block, and the mbarrier that each of them tells",
    cases=(
        Case("one cluster", weighted, points=1),
        Case(
            "within budget",
            lambda rng: weighted(rng, CLUSTERS * CLUSTER),
            points=3,
            budgets=(
                Budget(
                    "global_sectors",
                    CLUSTERS * ((1 + 2 * CLUSTER) * WEIGHTS * 4 // 32 + 32),
                    "1,152 for the weights once per cluster, and for x and y once; 32 more, in "
                    "case that a warp is divided when it stores",
                    per=("cluster", CLUSTERS),
                ),
                *work_is_shared(10),
            ),
        ),
        covering("other numbers of clusters", weighted),
    ),
    hints=(
        "One block of the cluster copies from global memory. When it has the weights, it can send "
        "them to the shared memory of the other three.",
        "`cp_async_bulk(space_cluster, space_shared, to, from, bytes, barrier)` copies from this "
        "block's shared memory to another block's. `to` and `barrier` are both in the block that "
        "gets the weights.",
        "`cluster.map_shared_rank(weights, b)` is the address of `weights` in block b of the "
        "cluster. `cluster.map_shared_rank(&full, b)` is the address of its mbarrier.",
        "Block 0 must have the weights before it sends them: thread 0 waits for its own `full`.",
    ),
    hints_on={
        "timeout": "Each block waits for 4,096 bytes. Who tells the mbarrier of block 3?",
        "uninitialized_read": "Has block 0 waited for its own copy before it sends the weights?",
        "over_budget": "How many blocks of a cluster still copy from `w`?",
    },
)


# --- warpgroup ---------------------------------------------------------------------------------

ROWS, COLUMNS, STEP = 64, 32, 64  # of a block's part of c; elements of k per step


def grouped(rng: np.random.Generator, k: int, grid=(1, 1), block=None) -> Problem:
    """c = a b^T for factors of whole numbers up to 8, whose sums are exact."""
    across, along = grid
    shapes = (ROWS * across, k), (COLUMNS * along, k)
    a, b = (rng.integers(-8, 9, shape).astype(np.float16) for shape in shapes)
    return Problem(
        inputs={"a": a, "b": b},
        outputs={"c": Expected(a.astype(np.float64) @ b.T.astype(np.float64), np.float32)},
        launches=(
            Launch(
                "warpgroup",
                grid,
                128,
                (
                    Boxes("a", (ROWS, STEP), 128),
                    Boxes("b", (COLUMNS, STEP), 128),
                    "c",
                    np.int32(k),
                ),
            ),
        ),
    )


warpgroup = Exercise(
    name="warpgroup",
    title="The life of a product",
    source="9_warpgroup.cu",
    kind=Order(("while (!mbarrier_try_wait_parity(&full, 0)) continue;", "__syncwarp();")),
    minutes=5,
    teaches="a product of a warpgroup: fence, issue, commit, wait",
    cases=(
        Case("one step", lambda rng: grouped(rng, STEP), points=0.5),
        Case("three steps, four blocks", lambda rng: grouped(rng, 3 * STEP, (2, 2)), points=1.5),
        covering("other sizes", grouped),
    ),
    hints=(
        "A product reads shared memory and registers, and writes registers, while the threads go "
        "on. What must be true before it is issued?",
        "The boxes must have come, and the registers must be free: the fence. After the products "
        "come the commit and the wait.",
        "The next step's copies overwrite the boxes. All four warps must have waited for their "
        "products by then.",
    ),
    hints_on={
        "uninitialized_read": "Which line makes the threads wait for what they use?",
        "data_race": "When have all four warps waited for their products of this step?",
    },
)
