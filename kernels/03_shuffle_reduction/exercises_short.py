"""The short exercises on shuffles, between those of exercises.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    SHUFFLE,
    Break,
    Budget,
    Bug,
    Case,
    Cheaper,
    Exercise,
    Expected,
    Hazard,
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


def of_x(outputs, numbers=np.copy, dtype=np.float32, rtol: float = 0.0):
    """For `operation`: in each launch `outputs(x)` is expected, array by array, of `numbers(x)`."""

    def other(problem: Problem) -> Problem:
        inputs, expected = {}, {}
        for launch in problem.launches:
            first, *others = launch.args
            inputs[first] = numbers(problem.inputs[first])
            with np.errstate(invalid="ignore"):  # of infinities
                made = outputs(inputs[first].astype(np.float64))
            values = (Expected(one, dtype, rtol=rtol) for one in made)
            expected |= zip(others, values, strict=False)
        return replace(problem, inputs=inputs, outputs=expected)

    return other


def numbered(rng: np.random.Generator, n: int) -> Problem:
    start = rng.integers(1, 100, n).astype(np.int32)
    thread = np.arange(n, dtype=np.int32)
    out = {"lane": start + thread % 32, "warp": start + thread // 32}
    return one_launch("lane_and_warp", 1, n, {"start": start}, out)


def counted_back(problem: Problem) -> Problem:
    """The same, but a lane's number and a warp's are counted from 31 down."""
    return replace(
        problem,
        outputs={
            f"{name}{number}": replace(one, value=2 * start + 31 - one.value)
            for start, launch in ((problem.inputs[one.args[0]], one) for one in problem.launches)
            for number in [launch.args[0].removeprefix("start")]
            for name, one in (
                (name, problem.outputs[f"{name}{number}"]) for name in ("lane", "warp")
            )
        },
    )


lane_and_warp = Exercise(
    name="lane_and_warp",
    title="Which lane of which warp?",
    source="0_lane_and_warp.cu",
    operations={"counted from 31 down": operation(counted_back)},
    kind=Bug(
        given="""
    lane[i] = start[i] + i / 32;
    warp[i] = start[i] + i % 32;
"""
    ),
    minutes=1,
    teaches="lane and warp: remainder and quotient by 32",
    cases=(
        Case("two warps and a half", lambda rng: numbered(rng, 80), points=1),
        covering("blocks of other sizes", lambda rng, grid, block: numbered(rng, block)),
    ),
    hints=(
        "Thread 33 is lane 1 of warp 1. What do `33 / 32` and `33 % 32` give, and thread 5?",
        "Two signs have changed places.",
    ),
)


def of_warps(
    rng: np.random.Generator, kernel: str, reduce, warps: int = 2, draw=quarters
) -> Problem:
    """A block of whole warps; y is what `reduce` makes of the rows of 32 elements."""
    x = draw(rng, (warps, 32))
    return one_launch(kernel, 1, 32 * warps, {"x": x}, {"y": reduce(x)}, rtol=1e-6)


def ranked(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    """No two elements of a row are equal, so that each half has a largest of its own."""
    rows, columns = shape
    ranks = rng.permuted(np.tile(np.arange(1, columns + 1), (rows, 1)), axis=1)
    return (ranks * np.arange(1, rows + 1)[:, None] / 4).astype(np.float32)


def shares(x: np.ndarray) -> np.ndarray:
    return x / x.max(axis=1, keepdims=True).astype(np.float64)


def by_smallest(x: np.ndarray) -> tuple:
    rows = x.reshape(-1, 32)
    return (rows / rows.min(axis=1, keepdims=True),)


def by_sum(x: np.ndarray) -> tuple:
    rows = x.reshape(-1, 32)
    return (rows / rows.sum(axis=1, keepdims=True),)


to_the_largest = Exercise(
    name="to_the_largest",
    title="A share of the largest",
    source="3_to_the_largest.cu",
    operations={
        "smallest": operation(of_x(by_smallest, rtol=1e-6)),
        "sum": operation(of_x(by_sum, rtol=1e-6)),
    },
    kind=Order(
        (
            "const float other = __shfl_down_sync(0xffffffff, largest, apart);",
            "for (int apart = 1; apart < 16; apart *= 2) {",
            "float largest = 0.0f;",
        )
    ),
    minutes=4,
    teaches="a butterfly leaves the result in every lane",
    cases=(
        Case(
            "two warps",
            lambda rng: of_warps(rng, "to_the_largest", shares, draw=ranked),
            points=1.5,
        ),
        covering(
            "blocks of other sizes, and other numbers",
            lambda rng, grid, block, draw: of_warps(
                rng, "to_the_largest", shares, block // 32, draw
            ),
        ),
    ),
    hints=(
        "Every lane needs the result, as each divides by it: which of the two shuffles leaves it "
        "in all of them?",
        "Begin with the lane's own element. Two lines stand inside the loop, and its brace is one "
        "of the lines. How many steps do 32 lanes take?",
    ),
)


def partly(rng: np.random.Generator, n: int) -> Problem:
    x = quarters(rng, n)
    sums = np.add.reduceat(x, np.arange(0, n, 32))
    return one_launch("absent_lanes", -(-n // 64), 64, {"x": x}, {"total": sums}, np.int32(n))


def largest_of_warps(x: np.ndarray) -> tuple:
    return (np.maximum.reduceat(x, np.arange(0, x.size, 32)),)


absent_lanes = Exercise(
    name="absent_lanes",
    title="Lanes that have left",
    source="4_absent_lanes.cu",
    operations={"largest": operation(of_x(largest_of_warps))},
    kind=Break(given=""),
    minutes=3,
    teaches="every lane of a mask must come: no early return before a shuffle",
    cases=(
        Case(
            "a last warp that is not full: lanes read from lanes that have left",
            lambda rng: partly(rng, 100 + int(rng.integers(1, 20))),
            points=1.5,
            hazard=Hazard("shuffle_divergence", ("__shfl_xor_sync(0xffffffff, sum, apart)",)),
        ),
        Case("full warps", lambda rng: partly(rng, 64), points=0.5),
        hidden("more full warps", lambda rng: partly(rng, 192)),
    ),
    hints=(
        "The mask names all 32 lanes. Which line could send some of them away before they get to "
        "the shuffle?",
        "Let the threads without an element leave early, as lesson 00 does it.",
    ),
)


def summed(x: np.ndarray) -> np.ndarray:
    return np.broadcast_to(x.sum(axis=1, keepdims=True), x.shape)


def largest_everywhere(x: np.ndarray) -> tuple:
    rows = x.reshape(-1, 32)
    return (np.broadcast_to(np.fmax.reduce(rows, axis=1, keepdims=True), rows.shape),)


def smallest_everywhere(x: np.ndarray) -> tuple:
    return (-largest_everywhere(-x)[0],)


five_steps = Exercise(
    name="five_steps",
    title="From 31 shuffles to five",
    source="5_five_steps.cu",
    operations={
        "largest": operation(of_x(largest_everywhere)),
        "smallest": operation(of_x(smallest_everywhere)),
    },
    kind=Cheaper(
        given="""
    for (int from = 1; from < 32; from++) {
        sum += __shfl_xor_sync(0xffffffff, x[i], from);
    }
"""
    ),
    minutes=5,
    teaches="what a tree saves, in shuffles",
    cases=(
        Case("one warp", lambda rng: of_warps(rng, "five_steps", summed, 1), points=0.5),
        Case(
            "within budget",
            lambda rng: of_warps(rng, "five_steps", summed, 4),
            points=1.5,
            budgets=(
                Budget(
                    "shuffles",
                    5 * 4,
                    "5 for a warp: each step doubles the number of values in a lane's result",
                ),
                *work_is_shared(),
            ),
            requires=(Requirement(SHUFFLE, "no value may go through memory", levels=5),),
        ),
        covering(
            "other numbers; arrays that begin anywhere",
            lambda rng, grid, block, draw: of_warps(rng, "five_steps", summed, block // 32, draw),
        ),
    ),
    hints=(
        "As it stands, a lane asks each of the 31 others for its own element. After one step, a "
        "lane could hold the sum of two; whom should it ask then, and for what?",
        "Offer `sum` in place of `x[i]`, and halve the distance at every step.",
    ),
)


def both(rng: np.random.Generator, warps: int) -> Problem:
    x = quarters(rng, 32 * warps)
    found = np.array([x.sum(), x.max()], np.float32)
    return one_launch("sum_and_largest", 1, 32 * warps, {"x": x}, {"found": found})


def sum_and_smallest(x: np.ndarray) -> tuple:
    return (np.array([x.sum(), x.min()]),)


def both_of_ints(x: np.ndarray) -> tuple:
    return (np.array([x.sum(), x.max()], np.int32),)


def four_times(x: np.ndarray) -> np.ndarray:
    return (4 * x).astype(np.int32)


def of_ints(rule: Rule) -> Rule:
    """The rule with ints in place of floats."""
    return replace(rule, parameters=tuple(one.replace("float", "int") for one in rule.parameters))


sum_and_largest = Exercise(
    name="sum_and_largest",
    title="One array for two reductions",
    source="8_sum_and_largest.cu",
    operations={
        "smallest": operation(of_x(sum_and_smallest)),
        "ints": operation(of_x(both_of_ints, four_times, np.int32), of_ints),
    },
    kind=Place(),
    minutes=5,
    teaches="a barrier also before an array is used again",
    cases=(
        Case(
            "four warps, and no barrier too many",
            lambda rng: both(rng, 4),
            points=2,
            budgets=(
                Budget(
                    "barriers",
                    3 * 4,
                    "three for each of four warps. Remove one barrier at a time, and see whether "
                    "a race appears",
                ),
            ),
        ),
        covering("blocks of other sizes", lambda rng, grid, block: both(rng, block // 32)),
    ),
    hints=(
        "Warps write to `of_warp`, thread 0 reads it; and then all of that again. Between which "
        "two is there no barrier?",
        "The second reduction may not write before the first has been read.",
    ),
)
