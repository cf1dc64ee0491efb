"""What the project asks: inputs, references, launches, budgets, hints; and what its leaderboard
counts.

References are computed in float64 from a copy of the inputs. How far rounding may take an answer is
derived here, beside what `grader.course.tolerances` has.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    Budget,
    Case,
    Contest,
    Exercise,
    Expected,
    Launch,
    Problem,
    Rule,
    WritingStep,
    covering,
    exponentials,
    hidden,
    large,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, normal
from grader.course.references import softmax
from grader.course.tolerances import UNIT_ROUNDOFF, gamma, softmax_bound
from grader.course.variants import MIRRORED, operation

BLOCK = 128  # threads per block, if a case does not say otherwise: four warps
WARPS = BLOCK // 32
SECTOR = 8  # floats
REQUEST = 128  # floats that a warp asks for with one 16-byte load
ROUNDINGS = 6  # in a merge of pairs: an exponential within 2 ulp, which are 4, a product and a sum
MERGES = 10  # of two butterflies: in a warp, and among the warps of a block


def ceil_div(n, size):
    return -(-n // size)


def least_instructions(elements: int, a_lane: int, moved: int) -> int:
    """Of a warp, for so many elements: `a_lane` operations on each, 32 elements an instruction,
    and `moved` loads and stores of each, 128 elements an instruction."""
    return ceil_div(elements * a_lane, 32) + ceil_div(elements * moved, REQUEST)


# --- layer_norm --------------------------------------------------------------------------------

EPSILON = np.float32(1e-5)


def layer_normed(
    x: np.ndarray, weight: np.ndarray, bias: np.ndarray, epsilon: np.float32, block: int
) -> Expected:
    """The rows of x normalised, and how far Welford's triples in float32 may be off.

    k updates and merges lie behind a result: columns / block of the one, 10 of the other. Write u
    for the unit roundoff, M for the largest magnitude in the row, D for the largest distance from
    its mean, s for sqrt(variance + epsilon).

    1. The mean. An update or a merge moves it towards another one, so errors are averaged, and
       never grow; it adds u M for the sum and less than 6 u D for difference, quotient and product.
       In all at most e = k u (M + 6 D).
    2. The squared distances. Each product of two distances is off by e times their magnitudes
       (twice e in a merge); by Cauchy and Schwarz these add up to less than 16 e / s, relative to
       s**2, and a term in e**2, for up to ten levels of merges. Sums and products add gamma(k + 8).
    3. y is (x - mean) / s, so e / s from the mean, half of the relative error of s**2, and six
       roundings, weighted; then the bias is added.
    """
    exact = x.astype(np.float64)
    mean = exact.mean(axis=1, keepdims=True)
    apart = exact - mean
    s = np.sqrt((apart**2).mean(axis=1, keepdims=True) + np.float64(epsilon))
    value = apart / s * weight.astype(np.float64) + bias.astype(np.float64)
    updates = ceil_div(x.shape[1], block) + MERGES
    most, furthest = (np.abs(one).max(axis=1, keepdims=True) for one in (exact, apart))
    t = updates * UNIT_ROUNDOFF * (most + 6 * furthest) / s
    of_square = 16 * t + 16 * t**2 + gamma(updates + 8)
    off = t + (np.abs(apart / s) + t) * (of_square + gamma(6))
    bound = np.abs(weight) * off + gamma(2) * (np.abs(value) + np.abs(bias))
    return Expected(value, np.float32, atol=bound)


def any_norm(rng: np.random.Generator, columns: int, grid: int, block: int, draw) -> Problem:
    return normalising(rng, draw(rng, (grid, columns)), block)


def normalising(
    rng: np.random.Generator, x: np.ndarray, block: int = BLOCK, epsilon: np.float32 = EPSILON
) -> Problem:
    """One launch of `layer_norm`, a block per row."""
    rows, columns = x.shape
    weight = rng.uniform(0.5, 2, columns).astype(np.float32)
    bias = rng.uniform(1, 3, columns).astype(np.float32)
    args = ("x", "weight", "bias", "y", np.int32(columns), epsilon)
    return Problem(
        inputs={"x": x, "weight": weight, "bias": bias},
        outputs={"y": layer_normed(x, weight, bias, epsilon, block)},
        launches=(Launch("layer_norm", rows, block, args),),
    )


def far_from_zero(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Numbers of standard deviation 1 around 8,192, or -8,192: float32 squares of them are off by
    4, four times their variance."""
    sign = np.where(np.arange(rows) % 2, -1, 1)[:, None]
    return (sign * 8192 + rng.standard_normal((rows, columns))).astype(np.float32)


def alike(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Normal rows, but row 0 is one and the same number."""
    x = normal(rng, (rows, columns))
    x[0] = rng.integers(1, 9)
    return x


def with_other_weights(problem: Problem, other) -> Problem:
    """For `layer_norm`: y is `other(normed, weight, bias)`, float64 of all three. Its bound is that
    of normed, times by how much y changes with normed, and two roundings."""
    outputs = {}
    for launch in problem.launches:
        _, weight, bias = (problem.inputs[name].astype(np.float64) for name in launch.args[:3])
        before = problem.outputs[launch.args[3]]
        normed = (before.value - bias) / weight
        value = other(normed, weight, bias)
        slope = other(1.0, weight, bias) - other(0.0, weight, bias)
        bound = before.atol / weight * slope + gamma(2) * np.abs(value)
        outputs[launch.args[3]] = replace(before, value=value, atol=bound)
    return replace(problem, outputs=outputs)


def bias_first(problem: Problem) -> Problem:
    return with_other_weights(problem, lambda normed, weight, bias: (normed + bias) * weight)


def weight_from_one(problem: Problem) -> Problem:
    return with_other_weights(problem, lambda normed, weight, bias: normed * (1 + weight) + bias)


NORM_ROWS, NORM_COLUMNS = 3, 1536


layer_norm = Exercise(
    name="layer_norm",
    title="Layer normalisation, with Welford's triples",
    source="1_layer_norm.cu",
    operations={
        "bias first": operation(bias_first),
        "weights from 1": operation(weight_from_one),
    },
    minutes=30,
    teaches="a statistic as a triple that merges, and cancellation",
    steps=(
        WritingStep(
            "rows near zero",
            "Compute mean and variance of each row, and write y; here any formula is exact enough.",
            cases=("3 rows of 300",),
        ),
        WritingStep(
            "rows far from zero",
            "Compute both with triples: number by number in a thread, then with `merge`.",
            cases=("3 rows of 77, far from zero", "within budget"),
            outputs=("y",),
        ),
        WritingStep("the cost", "Read x only twice, and let the warps exchange triples once."),
    ),
    cases=(
        Case(
            "3 rows of 300", lambda rng: normalising(rng, normal(rng, (3, 300), scale=3)), points=1
        ),
        Case(
            "3 rows of 77, far from zero",
            lambda rng: normalising(rng, far_from_zero(rng, 3, 77)),
            points=2,
        ),
        covering("arrays that begin anywhere", any_norm, lambda row: row["anywhere"]),
        covering("blocks of 1 to 32 warps, rows of all lengths", any_norm),
        hidden(
            "one column, and rows of one and the same number",
            lambda rng: together(
                normalising(rng, normal(rng, (2, 1))), normalising(rng, alike(rng, 3, 50))
            ),
        ),
        hidden(
            "heavy tails, and a large epsilon",
            lambda rng: together(
                normalising(rng, heavy_tailed(rng, (3, 260))),
                normalising(rng, normal(rng, (2, 260)), epsilon=np.float32(0.5)),
            ),
        ),
        Case(
            "within budget",
            lambda rng: normalising(rng, far_from_zero(rng, 2, 1536), block=256),
            points=6.5,
            budgets=(
                Budget(
                    "global_load_sectors",
                    4 * 2 * 1536 // SECTOR + 2 * 8,
                    "x is read twice, once for mean and variance together; weight and bias once",
                ),
                Budget("global_store_sectors", 2 * 1536 // SECTOR, "y is written once"),
                Budget("barriers", 2 * 8, "1 per warp and row: the warps exchange triples once"),
                Budget("shuffles", 2 * 8 * 30, "three numbers on 5 levels, and 5 more"),
                *work_is_shared(2),
            ),
        ),
        large(
            "rows for the leaderboard",
            lambda rng: normalising(rng, normal(rng, (NORM_ROWS, NORM_COLUMNS)), block=256),
        ),
    ),
    hints=(
        "A new number changes the mean by (value - mean) / n, with n counted first.",
        "What it adds to m2 is (value - old mean) * (value - new mean): the first is too large, "
        "the second too small, and their product is right.",
        "In merge, the new mean is a.mean + (b.mean - a.mean) * b.n / n. The new m2 is the sum of "
        "both m2, plus (b.mean - a.mean) squared, times a.n * b.n / n.",
        "If both are empty, n is 0, and 0 / 0 is NaN. The triple of a thread without a number is "
        "{0, 0, 0}, and so is the triple of a lane without a warp.",
        "The exchange is lesson 03's: butterfly(mine), lane 0 writes to of_warp, a barrier, and "
        "every warp merges `lane < warps ? of_warp[lane] : Welford{0.0f, 0.0f, 0.0f}`.",
    ),
    hints_on={
        "other_step": (
            "Compare each number of your formula with the formula on the page, for a row of two "
            "elements."
        ),
        "over_budget": (
            "Mean and variance come out of one pass: no loop for the mean before the one for the "
            "squares."
        ),
        "wrong_answer": (
            "Try merge on paper: {1, 2, 0} and {1, 4, 0} are {2, 3, 2}. And the variance is m2 "
            "over n, then epsilon is added."
        ),
    },
)

layer_norm_contest = Contest(
    exercise="layer_norm",
    sectors=4 * NORM_ROWS * NORM_COLUMNS // SECTOR,  # x, weight, bias, y: once each
    instructions=least_instructions(NORM_ROWS * NORM_COLUMNS, a_lane=4, moved=4),
)


# --- cross_entropy -----------------------------------------------------------------------------


def classified(x: np.ndarray, target: np.ndarray, block: int) -> dict[str, Expected]:
    """Loss and gradient of rows x and their targets; both 0 where the target is -1.

    The gradient is a softmax, for which `softmax_bound` holds, less 1 or 0: one rounding more. The
    loss, log(sum) + max - x[target], may be added up in any order, so it is off by 3 u of the
    largest magnitude that can come between. The sum's relative error is what its logarithm is off
    by, and the logarithm itself, fast ones too, by 2**-21 or 4 u of its own.
    """
    additions = ROUNDINGS * (ceil_div(x.shape[1], block) + MERGES + 1)
    counts = target >= 0
    rows, right = np.arange(len(x)), np.maximum(target, 0)
    exact = x.astype(np.float64)
    share, largest = softmax(x), exact.max(axis=1)
    gradient = share.copy()
    gradient[rows, right] -= 1
    log_sum = np.log(np.exp(exact - largest[:, None]).sum(axis=1))
    distance = np.clip(largest[:, None] - exact, 0, 200)
    of_sum = (share * gamma(3 * distance + 4 + additions)).sum(axis=1)
    magnitude = np.abs(largest) + np.abs(exact[rows, right]) + log_sum
    of_loss = of_sum / (1 - of_sum) + 3 * UNIT_ROUNDOFF * magnitude + 2.0**-21
    of_gradient = softmax_bound(x, additions) + 2 * UNIT_ROUNDOFF
    loss = largest - exact[rows, right] + log_sum
    return {
        "loss": Expected(np.where(counts, loss, 0), np.float32, np.where(counts, of_loss, 0)),
        "gradient": Expected(
            np.where(counts[:, None], gradient, 0),
            np.float32,
            np.where(counts[:, None], of_gradient, 0),
        ),
    }


def classifying(
    rng: np.random.Generator, x: np.ndarray, skipped: tuple[int, ...] = (), block: int = BLOCK
) -> Problem:
    """One launch of `cross_entropy`, a block per row. The rows `skipped` do not count; the first
    that does has the last class for target, the last one its first that is not -inf, and the
    others any such."""
    rows, classes = x.shape
    target = np.full(rows, -1, np.int32)
    counts = np.setdiff1d(np.arange(rows), skipped)
    for row in counts:
        target[row] = rng.choice(np.flatnonzero(np.isfinite(x[row])))
    if len(counts):
        target[counts[-1]] = np.flatnonzero(np.isfinite(x[counts[-1]]))[0]
        target[counts[0]] = classes - 1
    return Problem(
        inputs={"x": x, "target": target},
        outputs=classified(x, target, block),
        launches=(
            Launch(
                "cross_entropy",
                rows,
                block,
                ("x", "target", "loss", "gradient", np.int32(classes)),
                4 * classes,
            ),
        ),
    )


def any_classes(rng: np.random.Generator, classes: int, grid: int, block: int, draw) -> Problem:
    """Scores of any values; every third row does not count, nor does one that is all -inf. The
    score of the first target is finite, as all targets' are."""
    x = draw(rng, (grid, classes))
    finite = np.isfinite(x)
    skipped = np.flatnonzero(~finite.any(axis=1) | (np.arange(grid) % 3 == 2))
    for row in np.setdiff1d(np.arange(grid), skipped)[:1]:
        swapped = [np.flatnonzero(finite[row])[0], -1]
        x[row, swapped] = x[row, swapped[::-1]]
    return classifying(rng, x, tuple(skipped), block)


def below(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """-130 to -110: next to a maximum of 0, nothing of them would be left. So far apart that the
    share of many is 0 in float32."""
    x = rng.uniform(-130, -115, (rows, columns)).astype(np.float32)
    r = np.arange(rows)
    x[r, (columns - 1 - r) % columns] = rng.uniform(-112, -110, rows)
    return x


def masked(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """As `below`, with all but the last 20 numbers -inf, so that whole warps see nothing else."""
    x = below(rng, rows, columns)
    x[:, :-20] = -np.inf
    return x


def confident(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Scores of which one is 150 above all others: where that is not the target, the target's
    share is 0 in float32, and its logarithm -inf."""
    x = normal(rng, (rows, columns))
    x[np.arange(rows), rng.integers(0, columns - 1, rows)] = 150
    return x


def of_negated(problem: Problem) -> Problem:
    """The first array has the other sign: the scores of `cross_entropy`, or the query of
    `attention_row`, for which a key that is less like it then weighs more."""
    inputs = dict(problem.inputs)
    for launch in problem.launches:
        inputs[launch.args[0]] = -problem.inputs[launch.args[0]]
    return replace(problem, inputs=inputs)


def from_one(problem: Problem) -> Problem:
    """For `cross_entropy`: classes are counted from 1, and 0 does not count."""
    inputs = dict(problem.inputs)
    for launch in problem.launches:
        inputs[launch.args[1]] = problem.inputs[launch.args[1]] + np.int32(1)
    return replace(problem, inputs=inputs)


def plus_infinity(rule: Rule) -> Rule:
    return replace(rule, values=tuple(one.replace("a -inf", "a +inf") for one in rule.values))


ENTROPY_ROWS, ENTROPY_COLUMNS = 3, 2048

cross_entropy = Exercise(
    name="cross_entropy",
    title="Softmax with cross-entropy, and its backward pass",
    source="2_cross_entropy.cu",
    operations={
        "negated scores": operation(of_negated, plus_infinity, MIRRORED),
        "classes from 1": operation(from_one),
    },
    minutes=30,
    teaches="a loss and its gradient with one read and one write",
    steps=(
        WritingStep(
            "the loss",
            "Write `loss` for each row: 0 if it does not count, else (max - the target's score) + "
            "log(sum).",
            outputs=("loss",),
        ),
        WritingStep(
            "the gradient",
            "Write `gradient`: the softmax, minus 1 at the target; 0 in rows that do not count.",
            outputs=("gradient",),
        ),
        WritingStep("the cost", "Keep the row in shared memory, so that x is read only once."),
    ),
    cases=(
        Case(
            "3 rows of 300",
            lambda rng: classifying(rng, normal(rng, (3, 300), scale=3)),
            points=1,
        ),
        Case(
            "4 rows of 77, far below zero; the first and another do not count",
            lambda rng: classifying(rng, below(rng, 4, 77), skipped=(0, 2)),
            points=2,
        ),
        Case(
            "3 rows that are sure of the wrong class",
            lambda rng: classifying(rng, confident(rng, 3, 200)),
            points=1,
        ),
        covering(
            "rows of more than 1,000 classes",
            any_classes,
            lambda row: row["classes"] > 1000,
            factor=4,
        ),
        covering("blocks of 1 to 32 warps, arrays that begin anywhere", any_classes),
        hidden("masked with -inf", lambda rng: classifying(rng, masked(rng, 3, 400))),
        hidden(
            "heavy tails, and scores around 1,000",
            lambda rng: together(
                classifying(rng, heavy_tailed(rng, (3, 260))),
                classifying(rng, 1000 + normal(rng, (3, 260))),
            ),
        ),
        Case(
            "within budget",
            lambda rng: classifying(rng, normal(rng, (2, 512), scale=3)),
            points=6.5,
            budgets=(
                Budget(
                    "global_load_sectors",
                    2 * 512 // SECTOR + 2 * WARPS + 2,
                    "x is read once; the target by every warp, and perhaps its score again",
                ),
                Budget(
                    "global_store_sectors", 2 * 512 // SECTOR + 2, "the gradient is written once"
                ),
                *work_is_shared(),
                exponentials(1.1),
            ),
        ),
        large(
            "rows for the leaderboard",
            lambda rng: classifying(
                rng, normal(rng, (ENTROPY_ROWS, ENTROPY_COLUMNS), scale=3), block=256
            ),
        ),
    ),
    hints=(
        "Where does the row stay between its two uses? There is shared memory for it, and a "
        "thread may read what it has written itself without a barrier.",
        "One pass finds the pair (max, sum) while it keeps the row; lesson 05 has merge, lesson 07 "
        "the exchange between the warps of a block.",
        "loss = (max - x[target]) + log(sum). Do not take the logarithm of the softmax: where "
        "that is 0, its logarithm is -infinity.",
        "Look at the target first: with -1 the whole block writes zeros and returns, and no "
        "thread reads x[-1].",
    ),
    hints_on={
        "chosen_otherwise": (
            "The gradient equals the softmax, except for one class: which one, and by how much?"
        ),
        "over_budget": "x goes from global memory to where you keep it, and nowhere reads x again.",
        "wrong_answer": (
            "At the target the gradient is softmax - 1, elsewhere softmax. Does the loss come from "
            "max, sum and x[target] alone?"
        ),
        "data_race": "The target's score was kept by another thread: what comes in between?",
    },
)

cross_entropy_contest = Contest(
    exercise="cross_entropy",
    sectors=2 * ENTROPY_ROWS * ENTROPY_COLUMNS // SECTOR + 2,  # targets and losses in one each
    instructions=least_instructions(ENTROPY_ROWS * ENTROPY_COLUMNS, a_lane=4, moved=2),
)


# --- top_four ----------------------------------------------------------------------------------

K = 4


def choosing(x: np.ndarray, block: int = BLOCK, spare_blocks: int = 0) -> Problem:
    """One launch of `top_four`, a warp per row."""
    rows, columns = x.shape
    order = np.argsort(-x.astype(np.float64), axis=1, kind="stable")[:, :K]
    grid = ceil_div(rows, block // 32) + spare_blocks
    return Problem(
        inputs={"x": x},
        outputs={
            "value": Expected(np.take_along_axis(x, order, 1).astype(np.float64), np.float32),
            "index": Expected(order.astype(np.int64), np.int32),
        },
        launches=(
            Launch(
                "top_four",
                grid,
                block,
                ("x", "value", "index", np.int32(rows), np.int32(columns)),
            ),
        ),
    )


def any_ranks(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    return choosing(draw(rng, (rows, columns)), block, grid - ceil_div(rows, block // 32))


def negative(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """-100 to -1, each row's largest in its last columns."""
    x = rng.uniform(-100, -50, (rows, columns)).astype(np.float32)
    x[:, -K:] = rng.uniform(-40, -1, (rows, K))
    return x


def tied(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Few different numbers: the largest stands several times, for one lane and for several."""
    return rng.integers(-3, 2, (rows, columns)).astype(np.float32)


def one_lane(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """All four largest belong to the same lane, if lanes take every 32nd column."""
    x = normal(rng, (rows, columns))
    for r in range(rows):
        x[r, int(rng.integers(32)) :: 32][-6:] += 20
    return x


def few_that_count(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """-inf but for two numbers per row, and none in row 0; some far below -1e20."""
    x = np.full((rows, columns), -np.inf, np.float32)
    for r in range(1, rows):
        x[r, rng.choice(columns, 2, replace=False)] = rng.uniform(-3e30, 1, 2)
    x[-1, rng.choice(columns, K, replace=False)] = rng.uniform(-1, 1, K)  # the seed decides
    return x


def ranked(problem: Problem, order) -> Problem:
    """For `top_four`: `order(x)` gives the columns of a row as they rank."""
    outputs = {}
    for launch in problem.launches:
        x = problem.inputs[launch.args[0]]
        columns = np.array([order(row)[:K] for row in x])
        values = np.take_along_axis(x, columns, 1).astype(np.float64)
        outputs[launch.args[1]] = Expected(values, np.float32)
        outputs[launch.args[2]] = Expected(columns.astype(np.int64), np.int32)
    return replace(problem, outputs=outputs)


def smallest_first(problem: Problem) -> Problem:
    inputs = {name: -x for name, x in problem.inputs.items()}
    return ranked(replace(problem, inputs=inputs), lambda row: np.argsort(row, kind="stable"))


def last_of_equals(problem: Problem) -> Problem:
    return ranked(problem, lambda row: row.size - 1 - np.argsort(-row[::-1], kind="stable"))


def other_end(rule: Rule) -> Rule:
    """The rule of the smallest numbers: what is -inf among the largest is +inf there."""
    return replace(rule, values=("ordinary", "negative", "equal", "a -inf", "a +inf"))


TOP_ROWS, TOP_COLUMNS = 32, 512

top_four = Exercise(
    name="top_four",
    title="The four largest of each row",
    source="3_top_four.cu",
    operations={
        "smallest four": operation(smallest_first, other_end, MIRRORED),
        "last of equal numbers": operation(last_of_equals),
    },
    minutes=30,
    teaches="a sorted list in registers, and a total order for ties",
    steps=(
        WritingStep(
            "the values",
            "Write the four values of each row, in the order of the task.",
            cases=(
                "8 rows of 128, in some of them the largest all in one lane",
                "6 rows of 20, below zero",
            ),
            outputs=("value",),
        ),
        WritingStep(
            "their columns",
            "Keep each index with its value, and write the index.",
            cases=(
                "8 rows of 128, in some of them the largest all in one lane",
                "6 rows of 20, below zero",
            ),
            outputs=("index",),
        ),
        WritingStep(
            "equal values",
            "Sort equal values by their index, in a lane and among lanes.",
            cases=("5 rows of 200 with equal numbers",),
        ),
        WritingStep("the cost", "Read x once, keep the four in registers, and use no barrier."),
    ),
    cases=(
        Case(
            "8 rows of 128, in some of them the largest all in one lane",
            lambda rng: choosing(np.vstack([normal(rng, (5, 128)), one_lane(rng, 3, 128)])),
            points=1,
        ),
        Case("6 rows of 20, below zero", lambda rng: choosing(negative(rng, 6, 20)), points=2),
        Case("5 rows of 200 with equal numbers", lambda rng: choosing(tied(rng, 5, 200)), points=1),
        covering("arrays that begin anywhere", any_ranks, lambda row: row["anywhere"]),
        covering("blocks of 1 to 32 warps, some without any row", any_ranks),
        hidden("the largest all in one lane", lambda rng: choosing(one_lane(rng, 6, 320))),
        hidden("rows of -inf, or nearly", lambda rng: choosing(few_that_count(rng, 5, 70))),
        Case(
            "within budget",
            lambda rng: choosing(normal(rng, (8, 256))),
            points=6.5,
            budgets=(
                Budget("global_load_sectors", 8 * 256 // SECTOR, "x is read once"),
                Budget("shuffles", 8 * 40, "value and index on 5 levels, for each of the four"),
                Budget("barriers", 0, "a row belongs to one warp, and shuffles need no barrier"),
                Budget(
                    "local_load_requests",
                    0,
                    "a lane's four stay in registers, which have no addresses: each index into the "
                    "array must be a number that the compiler knows",
                ),
                *work_is_shared(),
            ),
        ),
        large(
            "rows for the leaderboard",
            lambda rng: choosing(normal(rng, (TOP_ROWS, TOP_COLUMNS))),
        ),
    ),
    hints=(
        "First each lane for itself: the four largest of its columns, in order. A new entry is "
        "compared with each of the four, from the first on. If it comes before an entry, exchange "
        "the two, and compare the displaced entry with the next.",
        "Which of two comes first is one function of (value, index), and the same one everywhere: "
        "the larger value; of equal ones the smaller index.",
        "Then four rounds. In each round, a butterfly compares the first entries of all lanes, "
        "value and index together: 10 shuffles. The lane that has the best entry removes it.",
        "The sentinel is {-INFINITY, the largest int}: every entry of the row comes before it, "
        "-INFINITY too.",
    ),
    hints_on={
        "other_place": (
            "After a lane has removed its first entry, is its second entry now the first one?"
        ),
        "over_budget": (
            "The row is read once: what a lane may need later it has kept. Loops over the kept "
            "four run over numbers that the compiler knows, from 0 to K."
        ),
        "wrong_answer": "Of equal values, does the smaller index win, in a lane and among lanes?",
    },
)

top_four_contest = Contest(
    exercise="top_four",
    sectors=TOP_ROWS * (TOP_COLUMNS + 2 * K) // SECTOR,
    instructions=least_instructions(TOP_ROWS * TOP_COLUMNS, a_lane=1, moved=1),
)


# --- attention_row -----------------------------------------------------------------------------

DIM = 64


def attended(
    q: np.ndarray, keys: np.ndarray, values: np.ndarray, scale: np.float32, block: int
) -> Expected:
    """softmax(scale * q K^T) V for each head, and how far the online pair in float32 may be off.

    A score is an inner product of 64 terms, scaled: off by gamma(64 + 4) of the sum of magnitudes
    (Higham, section 3.1), the scale being multiplied by log2(e) first, perhaps. What is absolute
    in an argument of exp is relative in its result. Else the weights are those of a softmax
    (`softmax_bound`), and so is their sum; and y is a mean of values with these weights, off by
    the mean of |value| times its weight's relative error, and that of the sum.
    """
    exact = [one.astype(np.float64) for one in (q, keys, values)]
    magnitude = np.float64(scale) * np.einsum("hd,hnd->hn", *map(np.abs, exact[:2]))
    scores = np.float64(scale) * np.einsum("hd,hnd->hn", *exact[:2])
    weights = softmax(scores)
    distance = np.clip(scores.max(axis=1, keepdims=True) - scores, 0, 200)
    merges = ROUNDINGS * (keys.shape[1] / (block // 32) + 32)
    relative = np.expm1(gamma(DIM + 4) * np.abs(magnitude)) + gamma(3 * distance + 6 + merges)
    of_sum = (weights * relative).sum(axis=1, keepdims=True)
    off = (relative + of_sum + gamma(5)) / (1 - of_sum)
    value = np.einsum("hn,hnd->hd", weights, exact[2])
    bound = np.einsum("hn,hnd->hd", weights * off, np.abs(exact[2]))
    return Expected(value, np.float32, atol=bound)


def attending(
    rng: np.random.Generator,
    scores: np.ndarray,
    scale: float = 0.125,
    block: int = BLOCK,
    jump: float = 1.0,
) -> Problem:
    """One launch of `attention_row` whose scores are about `scores`, float64[heads][keys]; the
    values of a head's last key are `jump` times as large as the others."""
    heads, count = scores.shape
    q = rng.standard_normal((heads, DIM))
    along = q / (q**2).sum(axis=1, keepdims=True)  # whose product with q is 1
    keys = 0.2 * rng.standard_normal((heads, count, DIM))
    keys += (scores / scale)[:, :, None] * along[:, None, :]
    values = 1 + rng.standard_normal((heads, count, DIM))
    values[:, -1] *= jump
    q, keys, values = (one.astype(np.float32) for one in (q, keys, values))
    args = ("q", "K", "V", "y", np.float32(scale), np.int32(count))
    return Problem(
        inputs={"q": q, "K": keys, "V": values},
        outputs={"y": attended(q, keys, values, np.float32(scale), block)},
        launches=(Launch("attention_row", heads, block, args),),
    )


def any_keys(rng: np.random.Generator, keys: int, grid: int, block: int, draw) -> Problem:
    return attending(rng, draw(rng, (grid, keys)).astype(np.float64), block=block)


def around(rng: np.random.Generator, heads: int, keys: int, center: float = 0) -> np.ndarray:
    """Scores of standard deviation 2 around `center`, the largest somewhere in the last half."""
    scores = center + 2 * rng.standard_normal((heads, keys))
    scores[np.arange(heads), rng.integers(keys // 2, keys, heads)] += 3
    return scores


def rising(rng: np.random.Generator, heads: int, keys: int) -> np.ndarray:
    """Scores that rise by about a half from key to key, so that every maximum is soon another."""
    return 0.5 * np.arange(keys) - 40 + 0.2 * rng.standard_normal((heads, keys))


def peaked(rng: np.random.Generator, heads: int, keys: int) -> np.ndarray:
    """Scores around 0, but in each head that of one key, its first key, then its second ..., so far
    above them that e^score is beyond all floats."""
    scores = around(rng, heads, keys)
    scores[np.arange(heads), np.arange(heads) % keys] = 130
    return scores


def with_the_query(problem: Problem) -> Problem:
    """For `attention_row`: the query is added to the result."""
    outputs = {}
    for launch in problem.launches:
        q, before = problem.inputs[launch.args[0]], problem.outputs[launch.args[3]]
        value = before.value + q.astype(np.float64)
        atol = before.atol + gamma(1) * (np.abs(value) + np.abs(before.value))
        outputs[launch.args[3]] = replace(before, value=value, atol=atol)
    return replace(problem, outputs=outputs)


ROW_HEADS, ROW_KEYS = 2, 96  # of the case with a budget
BOARD_HEADS, BOARD_KEYS = 2, 192


attention_row = Exercise(
    name="attention_row",
    title="Attention, one row",
    source="4_attention_row.cu",
    operations={
        "negative scale": operation(of_negated),
        "plus the query": operation(with_the_query),
    },
    minutes=30,
    teaches="the online pair with a third number: FlashAttention's idea",
    steps=(
        WritingStep(
            "scores near zero",
            "Compute the scores of all keys, and the sum of the values, weighted with exp(score).",
            cases=("2 heads, 40 keys",),
        ),
        WritingStep(
            "all scores",
            "Subtract the maximum so far, and rescale sum and total when it changes.",
            outputs=("y",),
        ),
        WritingStep(
            "the cost",
            "Let the warps share the keys, read K and V once, and exchange between warps once.",
        ),
    ),
    cases=(
        Case("2 heads, 40 keys", lambda rng: attending(rng, around(rng, 2, 40)), points=1),
        Case(
            "2 heads, 33 keys, scores around -130",
            lambda rng: attending(rng, around(rng, 2, 33, -130)),
            points=1,
        ),
        Case(
            "2 heads, 60 keys, scores that rise from key to key",
            lambda rng: attending(rng, rising(rng, 2, 60)),
            points=2,
        ),
        covering("fewer keys than warps, and one", any_keys, lambda row: row["keys"] < 8),
        covering("blocks of 1 to 32 warps", any_keys),
        hidden(
            "scores around 130, one score of 130, another scale, and 40 heads",
            lambda rng: together(
                attending(rng, around(rng, 1, 33, 130)),
                attending(rng, around(rng, 1, 33, 20), scale=1.0),
                attending(rng, peaked(rng, 4, 40)),
                attending(rng, around(rng, 40, 36)),
            ),
        ),
        hidden(
            "a last key with large values",
            lambda rng: attending(rng, around(rng, 2, 31), jump=1000.0),
        ),
        Case(
            "within budget",
            lambda rng: attending(rng, around(rng, ROW_HEADS, ROW_KEYS)),
            points=8,
            budgets=(
                Budget(
                    "global_load_sectors",
                    ROW_HEADS * DIM * (2 * ROW_KEYS + WARPS) // SECTOR,
                    "K and V are read once, and q once by each warp",
                ),
                Budget(
                    "global_load_requests",
                    ROW_HEADS * (2 * ROW_KEYS + 2 * WARPS),
                    "a key or a value has 256 bytes, and a warp asks for that or more at once",
                ),
                Budget("global_store_sectors", ROW_HEADS * DIM // SECTOR, "y and nothing else"),
                Budget(
                    "barriers", 2 * ROW_HEADS * WARPS, "the warps of a block meet once, or twice"
                ),
                *work_is_shared(),
                exponentials(),
            ),
        ),
        large(
            "heads for the leaderboard",
            lambda rng: attending(rng, around(rng, BOARD_HEADS, BOARD_KEYS), block=256),
        ),
    ),
    hints=(
        "Let the warps take turns with the keys. Of the 64 numbers of q, a key or a value a lane "
        "has two, as a float2. A butterfly of sums makes the score.",
        "For each key: the new maximum, the factor exp(old - new) by which everything so far "
        "shrinks, and exp(score - new), the weight of this key. Sum and weighted sum of values are "
        "treated alike.",
        "At the end each warp has a maximum, a sum, and 64 sums of values: to shared memory, a "
        "barrier, and one warp merges what all of them have found.",
        "A warp that had no key has {-INFINITY, 0}. Its factor is exp(-INFINITY - largest), which "
        "is 0, as long as some warp had one.",
    ),
    hints_on={
        "left_early": "The weights must add up to 1: by what must the sum of values be divided?",
        "over_budget": (
            "K and V are read once, in the same turn of the loop; lanes side by side read numbers "
            "side by side, two or four at a time."
        ),
        "wrong_answer": (
            "When the maximum changes, rescale the weighted sum of values like the sum. Do it "
            "again when you merge the results of the warps."
        ),
    },
)

attention_row_contest = Contest(
    exercise="attention_row",
    sectors=BOARD_HEADS * DIM * (2 * BOARD_KEYS + 2) // SECTOR,
    instructions=least_instructions(BOARD_HEADS * DIM * BOARD_KEYS, a_lane=2, moved=2),
)
