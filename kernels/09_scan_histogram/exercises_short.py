"""The short exercises on scans, and those on histograms."""

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
    Rule,
    covering,
    hidden,
    longest_path,
    one_launch,
    work_is_shared,
)
from grader.course.inputs import quarters
from grader.course.tolerances import sum_bound
from grader.course.variants import operation

BLOCK = 256


def running(
    rng: np.random.Generator, kernel: str, n: int, block: int, *numbers, draw=quarters, first=0
) -> Problem:
    """One block; y[i] is the sum of x[0] to x[i], or of as many less as `first` says."""
    x = draw(rng, n)
    sums, magnitudes = (
        np.concatenate([np.zeros(first), np.cumsum(one)[: n - first]])
        for one in (x.astype(np.float64), np.abs(x).astype(np.float64))
    )
    bound = sum_bound(2 * n, magnitudes)
    return one_launch(kernel, 1, block, {"x": x}, {"y": sums}, *numbers, atol=bound)


def alone(rng: np.random.Generator, n: int, draw=quarters) -> Problem:
    return running(rng, "running_total", n, 1, np.int32(n), draw=draw)


running_total = Exercise(
    name="running_total",
    title="A total that lags behind",
    source="0_running_total.cu",
    kind=Bug(
        given="""
        y[i] = sum;
        sum += x[i];
"""
    ),
    minutes=1,
    teaches="inclusive and exclusive scan, by one thread",
    cases=(
        Case("ten elements", lambda rng: alone(rng, 10), points=1),
        covering(
            "a single element, and other lengths",
            lambda rng, n, grid, block, draw: alone(rng, n, draw),
        ),
    ),
    hints=("Which elements are in y[0]? Which should be in it?", "Exchange two lines."),
)


def doubled(rng: np.random.Generator, block: int, draw=quarters) -> Problem:
    return running(rng, "doubling", block, block, draw=draw)


doubling = Exercise(
    name="doubling",
    title="Two barriers per step",
    source="1_doubling.cu",
    kind=Place(),
    minutes=5,
    teaches="a step that reads and writes one tile needs two barriers",
    cases=(
        Case(
            "no race, and no barrier too many",
            lambda rng: doubled(rng, 64),
            points=2,
            budgets=(
                Budget(
                    "barriers",
                    2 * 6 * 2,
                    "two in each of six steps, for each of two warps: a barrier between accesses "
                    "to different cells is not needed",
                ),
            ),
        ),
        covering(
            "blocks of other sizes; arrays that begin anywhere",
            lambda rng, grid, block, draw: doubled(rng, block, draw),
        ),
    ),
    hints=(
        "A step has a write and a read of the tile. Which thread reads the cell that this thread "
        "has written?",
        "After the last line of a step comes the first line of the next step. Which threads may "
        "still be reading then?",
    ),
    hints_on={"data_race": "The report names two lines. A barrier belongs between them."},
)


def up_down(rng: np.random.Generator, block: int, draw=quarters) -> Problem:
    return running(rng, "up_and_down", block, block, draw=draw, first=1)


up_and_down = Exercise(
    name="up_and_down",
    title="One step of the down-sweep",
    source="2_up_and_down.cu",
    kind=Order(
        (
            "if (works) tile[right] = left;",
            "const float left = works ? tile[right] : 0.0f;",
            "if (works) tile[right - offset] += left;",
        )
    ),
    minutes=5,
    teaches="the down-sweep of Blelloch's scan",
    cases=(
        Case("a block of 32", lambda rng: up_down(rng, 32), points=0.5),
        Case("a block of 256", lambda rng: up_down(rng, 256), points=1.5),
        covering(
            "the other blocks; arrays that begin anywhere",
            lambda rng, grid, block, draw: up_down(rng, block, draw),
        ),
    ),
    hints=(
        "Before a step, the right cell of a pair has the sum of all elements before the pair. The "
        "left cell has the sum of the left half. Which sum must each cell have afterwards?",
        "The left cell gets the old value of the right cell. The right cell gets its own value "
        "plus the old value of the left cell. So read the left cell before you write it.",
    ),
)


def handed_over(rng: np.random.Generator, blocks: int) -> Problem:
    x = quarters(rng, blocks)
    return Problem(
        inputs={
            "x": x,
            "done": np.zeros(blocks, np.uint32),
            "taken": np.zeros(1, np.uint32),
        },
        outputs={"y": Expected(np.cumsum(x, dtype=np.float64), np.float32)},
        launches=(Launch("hand_over", blocks, 1, ("x", "y", "done", "taken")),),
    )


TOO_EARLY = Hazard("data_race", ("y[tile] =", "before = y[tile - 1]"))

hand_over = Exercise(
    name="hand_over",
    title="A flag that comes too early",
    source="4_hand_over.cu",
    kind=Break(
        given="""
    y[tile] = before + x[tile];
    __threadfence();
    done[tile] = tile + 1 < gridDim.x;
"""
    ),
    minutes=3,
    teaches="what a fence before a flag promises",
    cases=(
        Case("eight blocks", lambda rng: handed_over(rng, 8), points=1.5, hazard=TOO_EARLY),
        Case(
            "other numbers",
            lambda rng: handed_over(rng, 8),
            points=0.5,
            visible=False,
            hazard=TOO_EARLY,
        ),
        hidden("a single block, which has nobody to wait for", lambda rng: handed_over(rng, 1)),
    ),
    hints=(
        "The other block reads y as soon as it has read the flag. When must y be in memory?",
        "Change the order of the lines, or remove one of them.",
    ),
)


def counted(rng: np.random.Generator, n: int, most: int = 256, blocks: int = 2) -> Problem:
    """n random bytes below `most`, and how often each is there."""
    values = rng.integers(0, most, n, dtype=np.uint8)
    return Problem(
        inputs={"values": values},
        outputs={"bins": Expected(np.bincount(values, minlength=256), np.int32)},
        launches=(
            Launch("clear", 1, BLOCK, ("bins",)),
            Launch("private_bins", blocks, BLOCK, ("values", "bins", np.int32(n))),
        ),
    )


def in_half_blocks(problem: Problem) -> Problem:
    """As many blocks, of 128 threads."""
    launches = (replace(launch, block=BLOCK // 2) for launch in problem.launches)
    return replace(problem, launches=tuple(launches))


def for_half_blocks(rule: Rule) -> Rule:
    return replace(rule, blocks=(BLOCK // 2,))


private_bins = Exercise(
    name="private_bins",
    title="Private bins",
    source="8_private_bins.cu",
    operations={"blocks of 128": operation(in_half_blocks, for_half_blocks)},
    kind=Cheaper(given="        atomicAdd(&bins[values[i]], 1);\n"),
    minutes=3,
    teaches="count on the chip, and add once per block and bin",
    cases=(
        Case(
            "within budget",
            lambda rng: counted(rng, 16 * BLOCK),
            points=2,
            budgets=(
                Budget(
                    "global_sectors",
                    16 * BLOCK // 32 + 32 + 2 * 32,
                    "the bytes once, 32 to a sector; 32 sectors of bins when they are cleared, and "
                    "32 when each of two blocks adds what it has counted",
                ),
                *work_is_shared(),
            ),
        ),
        covering(
            "other lengths and grids",
            lambda rng, kernel, grid, block, n=BLOCK: counted(rng, n, 256, grid),
        ),
        hidden("all values alike", lambda rng: counted(rng, 700 + int(rng.integers(9)), 1)),
    ),
    hints=(
        "How many threads go to global memory for each element, and how many per block at the end?",
        "The block has its own array, `mine`. Which line should use it?",
    ),
)


def together_counted(values: np.ndarray) -> Problem:
    bins = np.bincount(values, minlength=256).astype(np.int32)
    return one_launch(
        "together", 1, BLOCK, {"values": values}, {"bins": bins}, np.int32(values.size)
    )


def bytes_below(rng: np.random.Generator, n: int, most: int) -> np.ndarray:
    return rng.integers(0, most, n, dtype=np.uint8)


def four_per_warp(rng: np.random.Generator, warps: int) -> np.ndarray:
    """Each warp has four different bytes, eight times each, in any order."""
    four = np.array([rng.choice(256, 4, replace=False) for _ in range(warps)])
    return rng.permuted(np.repeat(four, 8, axis=1), axis=1).astype(np.uint8).ravel()


def of_other_bins(problem: Problem, bins) -> Problem:
    """For `together`: byte v belongs to bin `bins(v)`."""
    outputs = {}
    for launch in problem.launches:
        values, counts = launch.args[:2]
        counted = np.bincount(bins(problem.inputs[values].astype(np.int64)), minlength=256)
        outputs[counts] = Expected(counted, np.int32)
    return replace(problem, outputs=outputs)


def by_quotient(problem: Problem) -> Problem:
    return of_other_bins(problem, lambda values: values // 8)


def by_remainder(problem: Problem) -> Problem:
    return of_other_bins(problem, lambda values: values % 10)


def half_of_the_bytes(problem: Problem) -> Problem:
    """For `together`: a block of 128 threads, and the first half of the bytes."""
    inputs, outputs, launches = {}, {}, []
    for launch in in_half_blocks(problem).launches:
        values, counts, n = launch.args
        inputs[values] = problem.inputs[values][: (n + 1) // 2]
        outputs[counts] = Expected(np.bincount(inputs[values], minlength=256), np.int32)
        args = (values, counts, np.int32(inputs[values].size))
        launches.append(replace(launch, args=args))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


TOGETHER = 32  # warps' worth of bytes

together_exercise = Exercise(
    name="together",
    title="Bins without an atomic",
    minutes=9,
    teaches="lanes with the same bin add once, together",
    source="9_together.cu",
    operations={
        "values of eight": operation(by_quotient),
        "last digits": operation(by_remainder),
        "a block of 128": operation(half_of_the_bytes, for_half_blocks, {"256 bytes": "128 bytes"}),
    },
    cases=(
        Case("256 bytes", lambda rng: together_counted(bytes_below(rng, BLOCK, 256)), points=0.5),
        Case(
            "few values, the last pass short",
            lambda rng: together_counted(bytes_below(rng, BLOCK + int(rng.integers(33, 200)), 5)),
            points=1,
        ),
        covering(
            "other lengths",
            lambda rng, n, grid, block: together_counted(bytes_below(rng, n, 256)),
        ),
        hidden(
            "all values alike",
            lambda rng: together_counted(np.full(500, rng.integers(256), np.uint8)),
        ),
        Case(
            "within budget",
            lambda rng: together_counted(four_per_warp(rng, TOGETHER)),
            points=3,
            budgets=(
                longest_path(),
                Budget(
                    "atomics",
                    0,
                    "the bins of a warp are its own, and one "
                    "lane adds for all lanes with the same byte: so no two lanes add to one bin",
                ),
            ),
        ),
    ),
    hints=(
        "In `same = __match_any_sync(~0u, value)`, bit l is 1 if lane l has the same value as this "
        "lane. All 32 lanes must call it.",
        "The lowest lane with this value adds for all. It is lane `__ffs(same) - 1`, because "
        "`__ffs` counts bits from 1. It adds `__popc(same)`.",
        "Lanes past the end take part with a value that is not a byte, for example 256. They add "
        "nothing. `__syncwarp()` orders this iteration before the next one.",
    ),
    hints_on={
        "wrong_answer": "How many bytes does one addition stand for? Do lanes past the end count?",
        "data_race": (
            "Two lanes add to one bin. Is it in the same iteration, or one in this iteration and "
            "one in the next?"
        ),
        "shuffle_divergence": "All lanes of the mask must call `__match_any_sync`.",
        "out_of_bounds": "Lanes past the end have no byte, and no bin.",
        "over_budget": (
            "One lane adds for all lanes with the same byte. Then a plain addition is enough."
        ),
    },
)
