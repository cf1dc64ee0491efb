"""What the exercises on shuffles ask: inputs, references, launches, budgets, hints.

Every reference is computed in float64 from a copy of the inputs. A sum may differ from it by what
rounding can do in whatever order its summands are added, and no more; a maximum not at all.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    SHUFFLE,
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    Requirement,
    Rule,
    covering,
    hidden,
    large,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, negative, offset, quarters, spikes
from grader.course.tolerances import UNIT_ROUNDOFF, gamma, sum_bound
from grader.course.variants import MIRRORED, of_ints, operation, signed, whole

WARP = 32
STEPS = 5  # log2(WARP)
THREE_WARPS = 96  # threads: whole warps, and no power of two


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


# --- operations of variants --------------------------------------------------------------------


def in_each_launch(made):
    """For `operation`: `made(x, launch)` gives what takes the place of a launch's first argument,
    and what is expected of those that follow it."""

    def other(problem: Problem) -> Problem:
        inputs, outputs = dict(problem.inputs), dict(problem.outputs)
        for launch in problem.launches:
            first, *others = launch.args
            with np.errstate(invalid="ignore"):  # of infinities
                inputs[first], *expected = made(problem.inputs[first], launch)
            outputs |= zip(others, expected, strict=False)
        return replace(problem, inputs=inputs, outputs=outputs)

    return other


# Words of the cases of `magnitudes`, whose numbers have both signs.
OF_BOTH_SIGNS = {
    "negative numbers and -inf": "numbers and infinities of both signs",
    "negative numbers": "numbers of both signs",
    "minus infinity": "infinities",
}


# --- warp_sum ----------------------------------------------------------------------------------


def of_warps(fold, fill: float, numbers=np.copy):
    """`total` is what `fold` makes of each warp's `numbers(x)`: float64[warps] of float64[warps,
    32], with `fill` where a lane has no element."""

    def made(x: np.ndarray, launch: Launch) -> tuple:
        x = numbers(x)
        rows = np.full(ceil_div(x.size, WARP) * WARP, fill)
        rows[: x.size] = x
        return x, Expected(fold(rows.reshape(-1, WARP)), x.dtype)

    return in_each_launch(made)


def powers_of_2(x: np.ndarray) -> np.ndarray:
    """Powers of 2 of both signs, none of them 1: their products are exact."""
    size = np.array([0.25, 0.5, 2.0, 4.0], np.float32)[np.abs(whole(x)) % 4]
    return np.where(whole(x) < 0, -size, size)


def above_zero(x: np.ndarray) -> np.ndarray:
    """Numbers above 0, so that a lane that brings 0 shows in a minimum; where elements are 0, the
    others below it."""
    return -x if (x == 0).any() else np.abs(x)


def warp_sums(x: np.ndarray, block: int = THREE_WARPS, spare_blocks: int = 0) -> Problem:
    """One launch of `warp_sum` over x, with `spare_blocks` that have nothing to do."""
    rows = np.zeros(ceil_div(x.size, WARP) * WARP)
    rows[: x.size] = x
    rows = rows.reshape(-1, WARP)
    bound = sum_bound(WARP - 1, np.abs(rows).sum(axis=1))
    grid = ceil_div(x.size, block) + spare_blocks
    return Problem(
        inputs={"x": x},
        outputs={"total": Expected(rows.sum(axis=1), np.float32, atol=bound)},
        launches=(Launch("warp_sum", grid, block, ("x", "total", np.int32(x.size))),),
    )


def any_sums(rng: np.random.Generator, n: int, grid: int, block: int, draw) -> Problem:
    return warp_sums(draw(rng, n), block, grid - ceil_div(n, block))


def warp_sum_budgets(warps: int) -> tuple[Budget, ...]:
    """What folding so many warps by shuffles needs."""
    return (
        Budget(
            "shuffles",
            STEPS * warps,
            f"{STEPS} per warp: every step halves the number of lanes whose values are still apart",
        ),
        Budget("shared_load_wavefronts", 0, "the lanes pass their values on without any memory"),
        Budget("barriers", 0, "a warp does not wait for other warps"),
        *work_is_shared(),
    )


warp_sum = Exercise(
    name="warp_sum",
    title="The sum of a warp",
    minutes=6,
    teaches="registers of 32 lanes summed without memory",
    source="2_warp_sum.cu",
    operations={
        "minimum": operation(
            of_warps(lambda rows: np.fmin.reduce(rows, axis=1), np.inf, above_zero)
        ),
        "sum of ints": operation(
            of_warps(lambda rows: rows.sum(axis=1), 0.0, whole),
            of_ints,
            {"large offsets and heavy tails": "other numbers"},
        ),
        "product": operation(
            of_warps(lambda rows: rows.prod(axis=1), 1.0, powers_of_2),
            words={
                "large offsets and heavy tails": "other numbers",
                ": only the last one of each warp counts": "",
            },
        ),
    },
    cases=(
        Case("one warp", lambda rng: warp_sums(quarters(rng, WARP), block=32), points=1),
        Case(
            "seven warps or more, the last one partly filled",
            lambda rng: warp_sums(quarters(rng, 193 + int(rng.integers(1, 31)))),
            points=1,
        ),
        covering("arrays that begin anywhere", any_sums, lambda row: row["anywhere"]),
        covering("lengths around the edges of a warp and a block, and blocks of none", any_sums),
        hidden(
            "large offsets and heavy tails, blocks of 32 and of 1,024 threads",
            lambda rng: together(
                warp_sums(offset(rng, 700), block=32), warp_sums(heavy_tailed(rng, 700), block=1024)
            ),
        ),
        Case(
            "within budget",
            lambda rng: warp_sums(quarters(rng, 4 * THREE_WARPS)),
            points=4,
            budgets=warp_sum_budgets(12),
            requires=(
                Requirement(
                    SHUFFLE,
                    f"{STEPS} steps combine 32 values, and each step is one shuffle per warp",
                    levels=STEPS,
                ),
            ),
        ),
        large(
            "more than 65,536 elements: only the last one of each warp counts",
            lambda rng: warp_sums(spikes(rng, int(rng.integers(66_000, 67_000)), WARP)),
        ),
    ),
    hints=(
        "Fold, as in the last lesson, but the lanes instead of a tile. In the first step lane 0 "
        "adds what lane 16 holds, lane 1 what lane 17 holds. How far is it in the second step?",
        "`__shfl_down_sync(full_mask, sum, offset)` gives a lane the `sum` of the lane `offset` "
        "further up. All 32 lanes must come to it, also those whose result nobody needs.",
        "Start with `offset = 16`, halve it while it is above 0, and add to `sum` what the shuffle "
        "returns.",
    ),
    hints_on={
        "other_elements": (
            "After the step with offset 16 lane 0 holds two elements. How many after each "
            "further step, and which steps are needed for 32?"
        ),
        "over_budget": (
            "Five shuffles do it if every step halves the number of lanes whose sums are still "
            "apart: offsets 16, 8, 4, 2, 1."
        ),
        "shuffle_divergence": (
            "All 32 lanes must come to a shuffle whose mask names them, those past the end too."
        ),
    },
)


# --- below_max ---------------------------------------------------------------------------------


def below(x: np.ndarray, width: int, block: int = THREE_WARPS, grid: int = 0) -> Problem:
    """One launch of `below_max` over x, float32[rows, columns]. The largest is one of the
    elements, so the subtraction is all that is rounded."""
    rows, columns = x.shape
    exact = x.astype(np.float64)
    with np.errstate(invalid="ignore"):  # -inf minus -inf is NaN
        exact = exact - exact.max(axis=1, keepdims=True)
    sizes = (np.int32(rows), np.int32(columns), np.int32(width))
    grid = grid or ceil_div(rows * width, block)
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(exact, np.float32, rtol=UNIT_ROUNDOFF)},
        launches=(Launch("below_max", grid, block, ("x", "y", *sizes)),),
    )


def any_below(rng, rows: int, columns: int, width: int, grid: int, block: int, draw) -> Problem:
    return below(draw(rng, (rows, columns)), width, block, grid)


def above_smallest(x: np.ndarray, launch: Launch) -> tuple:
    """The numbers with the other sign, and how far each lies above the smallest of its row."""
    exact = -x.astype(np.float64)
    exact = exact - exact.min(axis=1, keepdims=True)
    return -x, Expected(exact, np.float32, rtol=UNIT_ROUNDOFF)


def below_magnitude(x: np.ndarray, launch: Launch) -> tuple:
    """Numbers of both signs, and how far each one's magnitude lies below the largest of its row."""
    exact = np.abs(x.astype(np.float64))
    exact = exact - exact.max(axis=1, keepdims=True)
    return signed(x), Expected(exact, np.float32, rtol=UNIT_ROUNDOFF)


def from_mean(x: np.ndarray, launch: Launch) -> tuple:
    """Numbers whose sum no float32 overflows, and how far each lies above the mean of its row."""
    x = np.where(np.abs(x) > 1e30, x * np.float32(1e-8), x)
    exact = x.astype(np.float64)
    magnitude = np.abs(exact).mean(axis=1, keepdims=True)
    bound = gamma(WARP) * np.where(np.isfinite(magnitude), magnitude, 0.0)
    exact = exact - exact.mean(axis=1, keepdims=True)
    atol = np.broadcast_to(bound, exact.shape)
    return x, Expected(exact, np.float32, atol=atol, rtol=2 * UNIT_ROUNDOFF)


def some_minus_infinity(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Negative numbers; about every third element is -inf, and all of row 1."""
    x = negative(rng, (rows, columns))
    x[rng.random(x.shape) < 1 / 3] = -np.inf
    x[1] = -np.inf
    return x


def below_budgets(rows: int, columns: int, width: int) -> tuple[Budget, ...]:
    """What full segments need: as many lanes as elements, full warps."""
    warps, steps = rows * width // WARP, int(np.log2(width))
    return (
        Budget(
            "shuffles",
            steps * warps,
            f"{steps} per warp, log2({width}): if both lanes of a pair compute the result, no lane "
            "must be told afterwards",
        ),
        Budget(
            "global_load_sectors",
            rows * columns * 4 // 32,
            "every element is loaded once, 8 to a sector of 32 bytes",
        ),
        *work_is_shared(),
    )


below_max = Exercise(
    name="below_max",
    title="Several rows in a warp",
    minutes=9,
    teaches="a butterfly leaves the result in every lane",
    source="5_below_max.cu",
    operations={
        "minimum": operation(in_each_launch(above_smallest), words=MIRRORED),
        "largest magnitude": operation(in_each_launch(below_magnitude), words=OF_BOTH_SIGNS),
        "mean": operation(in_each_launch(from_mean)),
    },
    cases=(
        Case(
            "full segments: 12 rows of 8 elements",
            lambda rng: below(quarters(rng, (12, 8)), 8),
            points=1,
        ),
        Case(
            "negative numbers and -inf, rows shorter than their segments, lanes without a row",
            lambda rng: together(
                below(some_minus_infinity(rng, 5, 5), 8),
                below(negative(rng, (7, 12)), 16),
                below(1000 * negative(rng, (4, 20)), 32),
            ),
            points=2,
        ),
        covering("arrays that begin anywhere", any_below, lambda row: row["anywhere"]),
        covering(
            "segments wider than they would have to be",
            any_below,
            lambda row: 2 * row["columns"] <= row["width"],
        ),
        covering("other rows, and blocks of all sizes", any_below),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(
                below(offset(rng, (40, 13)), 16), below(heavy_tailed(rng, (40, 7)), 8)
            ),
        ),
        hidden(
            "minus infinity among the elements, and in a whole row",
            lambda rng: below(some_minus_infinity(rng, 10, 6), 8),
        ),
        Case(
            "within budget",
            lambda rng: below(negative(rng, (24, 16)), 16),
            points=6,
            budgets=below_budgets(24, 16, 16),
            requires=(Requirement(SHUFFLE, "4 steps combine the 16 lanes of a row", levels=4),),
        ),
        large(
            "more than 65,536 elements",
            lambda rng: below(negative(rng, (4_500, 15)), 16, block=256),
        ),
    ),
    hints=(
        "A lane owns an element if `row < rows && column < columns`. The others have none, but "
        "they come to every shuffle: with which value do they never win?",
        "Every lane of the segment needs the largest, so swap in pairs: "
        "`__shfl_xor_sync(full_mask, largest, offset)` gives a lane the value of lane "
        "`lane ^ offset`.",
        "With which offset do the steps begin, if no lane may read from another segment? For "
        "segments of 8 lanes the offsets are 4, 2 and 1.",
        "Keep the element in one variable and the largest in another. At the end only the lanes "
        "that own an element write `y[row * columns + column]`.",
    ),
    hints_on={
        "other_elements": (
            "No lane may read from another segment: with which offset does the first "
            "step stay within one?"
        ),
        "constant_won": (
            "A lane without an element takes part too: with which number does it never win?"
        ),
        "over_budget": (
            "log2(width) shuffles are enough if both lanes of a pair take the larger of the two."
        ),
        "shuffle_divergence": (
            "Lanes without an element come to every shuffle, with a value that never wins."
        ),
    },
)


# --- row_share ---------------------------------------------------------------------------------


def shares(x: np.ndarray, blocks: int, block: int) -> Problem:
    """One launch of `row_share` over x, float32[rows, columns]; no row has numbers of both signs.

    Then a row's sum has a relative error of at most k u / (1 - k u) after k rounded additions
    (Higham, section 4.2), the division adds one u: so has each share. No order of adding up a
    thread's elements, a warp's lanes and a block's warps takes more than k additions.
    """
    rows, columns = x.shape
    exact = x.astype(np.float64)
    k = ceil_div(columns, block) + 2 * WARP
    with np.errstate(invalid="ignore"):  # infinities, where a row has them
        share = exact / exact.sum(axis=1, keepdims=True)
        distance = exact - exact.max(axis=1, keepdims=True)
    sizes = (np.int32(rows), np.int32(columns))
    return Problem(
        inputs={"x": x},
        outputs={
            "share": Expected(share, np.float32, rtol=(k + 2) * UNIT_ROUNDOFF),
            "below": Expected(distance, np.float32, rtol=UNIT_ROUNDOFF),
        },
        launches=(Launch("row_share", blocks, block, ("x", "share", "below", *sizes)),),
    )


def of_magnitudes(x: np.ndarray, launch: Launch) -> tuple:
    """Numbers of both signs, and the answers for their magnitudes."""
    return signed(x), *shares(np.abs(x), launch.grid, launch.block).outputs.values()


def of_squares(x: np.ndarray, launch: Launch) -> tuple:
    """Numbers whose squares are no smaller than a float32 can be, and the shares of the squares,
    each of which is rounded."""
    x = np.where(np.abs(x) < 1e-20, x * np.float32(1e20), x)
    share, distance = shares(x, launch.grid, launch.block).outputs.values()
    squares = x.astype(np.float64) ** 2
    value = squares / squares.sum(axis=1, keepdims=True)
    return x, replace(share, value=value, rtol=share.rtol + 2 * UNIT_ROUNDOFF), distance


def above(problem: Problem) -> Problem:
    """The numbers with the other sign, and `above`, how far each lies above the smallest, in place
    of `below`."""

    def named(argument):
        return argument.replace("below", "above") if isinstance(argument, str) else argument

    return replace(
        problem,
        inputs={name: -x for name, x in problem.inputs.items()},
        outputs={
            named(name): replace(one, value=-one.value) if "below" in name else one
            for name, one in problem.outputs.items()
        },
        begins={named(name): at for name, at in problem.begins.items()},
        launches=tuple(
            replace(launch, args=tuple(map(named, launch.args))) for launch in problem.launches
        ),
    )


def with_above(rule: Rule) -> Rule:
    """The rule of a kernel whose parameter is called `above`, and not `below`."""
    parameters = tuple(one.replace(" below[", " above[") for one in rule.parameters)
    return replace(rule, parameters=parameters)


def any_shares(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    return shares(draw(rng, (rows, columns)), grid, block)


def last_is_larger(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Zero but for the last element of every row, so that the last warp with data decides."""
    x = np.zeros((rows, columns), np.float32)
    x[:, -1] = rng.uniform(1, 2, rows)
    return x


def share_budgets(calls: int, warps: int) -> tuple[Budget, ...]:
    """What so many calls of block_all_reduce need, each in a block of `warps` warps."""
    why = "one place is written by each warp, and read by every warp: no more than that and one"
    return (
        Budget(
            "barriers",
            2 * warps * calls,
            "2 for each warp and call: one before of_warp is written, as other warps may still "
            "read it, and one before it is read",
            per=("warp and call", warps * calls),
        ),
        Budget("shared_load_wavefronts", (warps + 1) * calls, why, per=("call", calls)),
        Budget("shared_store_wavefronts", (warps + 1) * calls, why, per=("call", calls)),
        Budget(
            "shuffles",
            2 * STEPS * warps * calls,
            f"{STEPS} for the values of a warp and {STEPS} for the results of the warps",
            per=("warp and call", warps * calls),
        ),
        *work_is_shared(),
    )


row_share = Exercise(
    name="row_share",
    title="Every thread of the block has the result",
    minutes=12,
    teaches="warps first, then the warps of a block",
    source="8_row_share.cu",
    operations={
        "minimum": operation(above, with_above, MIRRORED),
        "magnitudes": operation(in_each_launch(of_magnitudes), words=OF_BOTH_SIGNS),
        "squares": operation(in_each_launch(of_squares)),
    },
    cases=(
        Case(
            "one row, one block of 12 warps",
            lambda rng: shares(quarters(rng, (1, 500)), 1, 384),
            points=1,
        ),
        Case(
            "5 rows of negative numbers for 2 blocks of 3 warps",
            lambda rng: shares(negative(rng, (5, 200)), 2, THREE_WARPS),
            points=2,
        ),
        covering("arrays that begin anywhere", any_shares, lambda row: row["anywhere"]),
        covering("rows of all lengths, and blocks of 1 to 32 warps", any_shares),
        hidden(
            "only the last element of a row counts",
            lambda rng: together(
                shares(last_is_larger(rng, 3, 160), 2, 160),
                shares(last_is_larger(rng, 3, 513), 1, 256),
            ),
        ),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(
                shares(offset(rng, (4, 600)), 2, 128),
                shares(np.abs(heavy_tailed(rng, (4, 600))), 2, 128),
            ),
        ),
        hidden(
            "minus infinity among the elements, and in a whole row",
            lambda rng: shares(some_minus_infinity(rng, 5, 70), 2, 64),
        ),
        Case(
            "within budget",
            lambda rng: shares(quarters(rng, (4, 512)), 2, 256),
            points=6,
            budgets=share_budgets(calls=8, warps=8),
            requires=(
                Requirement(
                    SHUFFLE,
                    f"{STEPS} steps combine the 32 values of a warp",
                    levels=STEPS,
                ),
            ),
        ),
        large(
            "rows of more than 65,536 elements",
            lambda rng: shares(quarters(rng, (2, 66_000)), 1, 1024),
        ),
    ),
    hints=(
        "First every warp by itself: `warp_all_reduce<Op>(value)`. Then one lane of each warp puts "
        "the result where the other warps can read it.",
        "Let every warp read all the places and reduce them once more: lane w takes place w, and "
        "`warp_all_reduce` gives all its lanes the result. Then no thread has to pass the result "
        "on.",
        "There may be fewer warps than lanes. A lane without a place brings `Op::identity()`; it "
        "must not stay away, for `warp_all_reduce` names all 32 lanes.",
        "Between writing and reading of_warp there must be a `__syncthreads()`. And before "
        "writing? A slower warp may still be reading what the call before left there.",
    ),
    hints_on={
        "constant_won": (
            "Lanes that stand for no warp take part in the last reduction: with the identity of "
            "the operation."
        ),
        "other_elements": (
            "A block may have 1 warp or 32, and its result belongs to all of them: who has put "
            "what into of_warp, and who reads it?"
        ),
        "data_race": (
            "of_warp is used again and again: who may still be reading what the call before left "
            "there?"
        ),
        "over_budget": (
            "After one place a warp is written, let every warp read all of them and reduce once "
            "more: then no thread has to pass the result on."
        ),
    },
)
