"""What the exercises on online softmax ask: inputs, references, launches, budgets, hints.

References are computed in float64 from a copy of the inputs. What rounding may do to an answer
follows from how it is computed; `grader.course.tolerances` has the derivation.
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
    exponentials,
    hidden,
    large,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, normal, offset
from grader.course.references import softmax
from grader.course.tolerances import gamma, softmax_bound
from grader.course.variants import MIRRORED, operation

BLOCK = 256
WARPS = BLOCK // 32
SECTOR = 8  # floats
ROUNDINGS = 6  # in a merge: an exponential within 2 ulp, which are 4, a product and a sum


def ceil_div(n: int, size: int) -> int:
    return -(-n // size)


def merges_in(threads: int) -> int:
    """Between a thread's pair and that of all, which are a power of two."""
    return threads.bit_length() - 1


def pair_bound(below: np.ndarray, weights: np.ndarray, merges: int) -> np.ndarray:
    """Largest error of a pair's sum, the sum over the last axis of weights * exp(-below), float64:
    `below` is how far each summand's own maximum lies below the largest. As in `softmax_bound`,
    rounded arguments of exp come to 3 * below operations in all, and every merge to 6."""
    operations = 3 * np.minimum(below, 200) + ROUNDINGS * merges
    return (weights * np.exp(-below) * gamma(operations)).sum(axis=-1) + 2.0**-124


# --- operations of variants --------------------------------------------------------------------


def other_answers(expected):
    """For `operation`: where a launch writes `y`, `expected(x, launch)` takes its place."""

    def other(problem: Problem) -> Problem:
        outputs = dict(problem.outputs)
        for launch in problem.launches:
            arrays = [name for name in launch.args if isinstance(name, str)]
            if arrays[-1].startswith("y"):
                with np.errstate(all="ignore"):  # of infinities
                    outputs[arrays[-1]] = expected(problem.inputs[arrays[0]], launch)
        return replace(problem, outputs=outputs)

    return other


def in_base_2(x: np.ndarray) -> np.ndarray:
    """float64: numbers whose softmax is that of x with 2^x in place of e^x."""
    return np.log(2) * x.astype(np.float64)


def with_zero(x: np.ndarray, axis: int) -> np.ndarray:
    """One more element along the axis: 0."""
    return np.concatenate([x, np.zeros_like(x.take([0], axis))], axis)


def base_2(x: np.ndarray, merges: int, axis: int = -1) -> Expected:
    """Softmax with 2^x in place of e^x."""
    return softmaxed(in_base_2(x), merges, axis)


def beside_zero(x: np.ndarray, merges: int, axis: int = -1) -> Expected:
    """Softmax with one more element, 0, whose share is left out."""
    one, rest = softmaxed(with_zero(x, axis), merges + 1, axis), np.arange(x.shape[axis])
    return replace(one, value=one.value.take(rest, axis), atol=one.atol.take(rest, axis))


def logarithms(x: np.ndarray, merges: int, axis: int = -1) -> Expected:
    """The logarithm of the softmax, x - m - log(s) with the maximum m and the sum s. What is
    relative in s is absolute in log(s), and each operation is rounded, also that of m + log(s)."""
    exact = x.astype(np.float64)
    largest = exact.max(axis, keepdims=True)
    below = exact - largest
    logarithm = np.log(np.exp(below).sum(axis, keepdims=True))
    operations = 3 * np.minimum(-below, 200) + 4 + ROUNDINGS * merges
    of_sum = np.nansum(softmax(x, axis) * gamma(operations), axis, keepdims=True)
    bound = 2 * of_sum + gamma(4) * (1 - below + np.abs(largest) + np.abs(logarithm))
    value = below - logarithm
    value[value < np.finfo(np.float32).min] = -np.inf
    return Expected(value, np.float32, atol=np.where(np.isfinite(value), bound, 0.0))


def smallest_first(problem: Problem) -> Problem:
    """Softmin: each number has the other sign, in pairs too, whose sums stay as they are."""

    def pairs(array: np.ndarray) -> np.ndarray:
        return array * np.array([-1, 1], array.dtype)

    inputs = {
        name: -array if name.startswith("x") else pairs(array)
        for name, array in problem.inputs.items()
    }
    outputs = {
        name: one if name.startswith("y") else replace(one, value=pairs(one.value))
        for name, one in problem.outputs.items()
    }
    return replace(problem, inputs=inputs, outputs=outputs)


def half(launch: Launch) -> Launch:
    """The launch in blocks of half as many threads. Those along an axis are fewer; if each has one
    for itself already, a tile is narrower."""
    if isinstance(launch.block, int):
        return replace(launch, block=launch.block // 2)
    across, along = launch.block
    if along > 1:
        return replace(launch, block=(across, along // 2))
    outer, tiles = launch.grid
    return replace(launch, grid=(outer, 2 * tiles), block=(across // 2, along))


def with_half_blocks(answers):
    """Blocks of 128 threads in place of 256, in launches and rules. `answers(problem)` computes the
    outputs anew, as a thread has more elements, and a block fewer pairs."""

    def problem(made: Problem) -> Problem:
        return answers(replace(made, launches=tuple(map(half, made.launches))))

    def rule(one: Rule) -> Rule:
        shapes = [
            block // 2 if isinstance(block, int) else (block[0], block[1] // 2)
            for block in one.blocks
        ]
        return replace(one, blocks=tuple(shape for shape in shapes if np.all(shape)))

    return operation(problem, rule)


# --- merge -------------------------------------------------------------------------------------


def ordinary(rng: np.random.Generator, n: int) -> np.ndarray:
    """float32[n, 2]: pairs of stretches with up to a hundred elements."""
    return np.stack([normal(rng, n, scale=5), rng.uniform(1, 100, n)], axis=1).astype(np.float32)


def some_empty(rng: np.random.Generator, n: int) -> np.ndarray:
    """By the toss of a coin, a pair is that of no element, or of a single one that is -inf."""
    pairs = ordinary(rng, n)
    chosen = rng.random(n) < 0.5
    pairs[chosen, 0], pairs[chosen, 1] = -np.inf, rng.integers(0, 2, chosen.sum())
    return pairs


def some_sunken(rng: np.random.Generator, n: int) -> np.ndarray:
    """As `some_empty`, but the first ten have one and the same maximum, far below -1e20."""
    pairs = some_empty(rng, n)
    pairs[:10] = ordinary(rng, 10)
    pairs[:10, 0] = -3e25
    return pairs


def far_apart(rng: np.random.Generator, n: int) -> np.ndarray:
    """Maxima of all magnitudes: where two meet, one sum mostly vanishes beside the other."""
    pairs = ordinary(rng, n)
    pairs[:, 0] *= rng.choice([1, 10, 100, 1e18, 1e37], n).astype(np.float32)
    return pairs


def merged(*pairs: np.ndarray) -> np.ndarray:
    """float64[n, 2]: the exact pair of all stretches together, each float[n, 2]."""
    largest, sums = np.stack(pairs, axis=-1).astype(np.float64).transpose(1, 0, 2)
    most = largest.max(axis=1)
    return np.stack([most, (sums * np.exp(-_below(largest, most))).sum(axis=1)], axis=1)


def merged_bound(*pairs: np.ndarray) -> np.ndarray:
    """float64[n, 2]: no maximum is ever rounded; a sum takes part in every one of the merges. Where
    all elements are -inf, a sum may count them or be 0: with any larger maximum it becomes 0."""
    largest, sums = np.stack(pairs, axis=-1).astype(np.float64).transpose(1, 0, 2)
    most = largest.max(axis=1)
    bound = pair_bound(_below(largest, most), sums, merges=len(pairs) - 1)
    bound[np.isneginf(most)] = sums.sum(axis=1)[np.isneginf(most)]
    return np.stack([np.zeros_like(bound), bound], axis=1)


def _below(largest: np.ndarray, most: np.ndarray) -> np.ndarray:
    """How far each maximum lies below the largest of its row; 0 where all are -inf."""
    return np.where(np.isneginf(most), 0, most)[:, None] - largest


def merging(a: np.ndarray, b: np.ndarray, grid: int = 0) -> Problem:
    """merged[i] = merge(a[i], b[i])."""
    n = len(a)
    return Problem(
        inputs={"a": a, "b": b},
        outputs={"merged": Expected(merged(a, b), np.float32, atol=merged_bound(a, b))},
        launches=(_merge_pairs("a", "b", "merged", n, grid),),
    )


def grouping(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> Problem:
    """(a b) c and a (b c), which are the same but for rounding."""
    n = len(a)
    expected = Expected(merged(a, b, c), np.float32, atol=merged_bound(a, b, c))
    return Problem(
        inputs={"a": a, "b": b, "c": c},
        scratch={"ab": ((n, 2), np.float32), "bc": ((n, 2), np.float32)},
        outputs={"ab_c": expected, "a_bc": expected},
        launches=(
            _merge_pairs("a", "b", "ab", n),
            _merge_pairs("ab", "c", "ab_c", n),
            _merge_pairs("b", "c", "bc", n),
            _merge_pairs("a", "bc", "a_bc", n),
        ),
    )


def _merge_pairs(a: str, b: str, out: str, n: int, grid: int = 0) -> Launch:
    return Launch("merge_pairs", grid or ceil_div(n, BLOCK), BLOCK, (a, b, out, np.int32(n)))


def merged_in_base_2(problem: Problem) -> Problem:
    """What is expected of pairs whose sums are of powers of 2."""
    outputs = dict(problem.outputs)
    parts = {name: (pairs,) for name, pairs in problem.inputs.items()}
    for launch in problem.launches:
        a, b, out, _ = launch.args
        parts[out] = parts[a] + parts[b]
        if out in outputs:
            some = [in_base_2(pairs) * [1, 1 / np.log(2)] for pairs in parts[out]]
            value = merged(*some)
            value[:, 0] = np.max([pairs[:, 0] for pairs in parts[out]], axis=0)
            outputs[out] = Expected(value, np.float32, atol=merged_bound(*some))
    return replace(problem, outputs=outputs)


def apart(problem: Problem, first: str = "max") -> Problem:
    """The two halves of pairs in arrays of their own."""
    halves = (first, 0), ("sum", 1)
    return replace(
        problem,
        inputs={
            f"{half}_{name}": pairs[:, at].copy()
            for name, pairs in problem.inputs.items()
            for half, at in halves
        },
        outputs={
            f"{half}_{name}": replace(one, value=one.value[:, at], atol=one.atol[:, at])
            for name, one in problem.outputs.items()
            for half, at in halves
        },
        scratch={
            f"{half}_{name}": (shape[:1], dtype)
            for name, (shape, dtype) in problem.scratch.items()
            for half, _ in halves
        },
        launches=tuple(
            replace(
                launch,
                args=(
                    *(f"{half}_{name}" for name in launch.args[:3] for half, _ in halves),
                    launch.args[3],
                ),
            )
            for launch in problem.launches
        ),
    )


def minima_apart(problem: Problem) -> Problem:
    return apart(smallest_first(problem), "min")


def of_halves(rule: Rule, first: str = "max") -> Rule:
    """The rule of a kernel that gets the halves of pairs apart."""
    names = (f"{half}_{name}" for name in ("a", "b", "merged") for half in (first, "sum"))
    return replace(rule, parameters=(*(f"float {name}[n]" for name in names), "int n"))


def of_minima(rule: Rule) -> Rule:
    return of_halves(rule, "min")


merge = Exercise(
    name="merge",
    title="Merge two pairs",
    minutes=7,
    teaches="pairs of maximum and sum, merged in any order",
    source="2_merge.cu",
    operations={
        "minimum": operation(smallest_first, words=MIRRORED),
        "base 2": operation(merged_in_base_2),
        "two arrays": operation(apart, of_halves),
        "two arrays, minimum": operation(minima_apart, of_minima, MIRRORED),
    },
    cases=(
        Case(
            "ordinary pairs",
            lambda rng: merging(ordinary(rng, 300), ordinary(rng, 300)),
            points=1,
        ),
        Case(
            "one part is empty, or both; some are far below -1e20",
            lambda rng: merging(*(some_sunken(rng, 200) for _ in range(2))),
            points=2,
        ),
        covering(
            "very different or very large maxima; other lengths and grids",
            lambda rng, n, grid, block: merging(far_apart(rng, n), far_apart(rng, n), grid),
        ),
        hidden(
            "equal maxima",
            lambda rng: merging(*(_with_maxima(ordinary(rng, 99), m) for m in _twice(rng, 99))),
        ),
        hidden(
            "three in a row, in either grouping",
            lambda rng: grouping(*(ordinary(rng, 200) for _ in range(3))),
        ),
        hidden(
            "three in a row, some of them empty",
            lambda rng: grouping(*(some_empty(rng, 200) for _ in range(3))),
        ),
        Case(
            "within budget",
            lambda rng: merging(some_empty(rng, 2 * BLOCK), some_empty(rng, 2 * BLOCK)),
            points=5,
            budgets=(
                Budget(
                    "divergent_branches",
                    0,
                    "which of the two is larger, or empty, differs from lane to lane, so a branch "
                    "on it divides the warp; the same few operations serve all cases",
                ),
                *work_is_shared(),
                exponentials(),
            ),
        ),
    ),
    hints=(
        "a.sum adds up exp(x - a.max). By which factor do you multiply it to get the sum of "
        "exp(x - m)?",
        "exp(x - m) = exp(x - a.max) * exp(a.max - m). With m the larger of the two maxima, both "
        "factors are at most 1, and one of them is 1.",
        "If both parts are empty, m is -INFINITY, and -INFINITY - -INFINITY is NaN. Both sums "
        "are 0, so any factor that is a number will do: subtract 0 in place of m in that case.",
        "`m == -INFINITY ? 0.0f : m` needs no branch: the compiler makes it a select.",
    ),
    hints_on={
        "other_step": (
            "A sum is relative to its own maximum. Which factor rescales it to the common one? "
            "Is that factor at most 1?"
        ),
        "chosen_otherwise": (
            "Only the empty part needs a choice. Compare with -INFINITY: any other number may be "
            "an element."
        ),
        "over_budget": (
            "Compute both factors in every lane, and choose with ?: between values that are "
            "already computed."
        ),
        "wrong_answer": (
            "Each sum is relative to its own maximum. Rescale both to the common one before you "
            "add. What if both parts are empty?"
        ),
    },
)


def _twice(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    maxima = normal(rng, n, scale=100)
    return maxima, maxima


def _with_maxima(pairs: np.ndarray, maxima: np.ndarray) -> np.ndarray:
    pairs[:, 0] = maxima
    return pairs


# --- rows --------------------------------------------------------------------------------------


def climbing(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Each element is larger than the one before, so the maximum moves at every step."""
    return np.sort(normal(rng, (rows, columns), scale=10))


def masked(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Half of the elements are -inf, the first of every row among them, and whole threads'."""
    x = normal(rng, (rows, columns))
    x[rng.random((rows, columns)) < 0.5] = -np.inf
    x[:, : columns // 3] = -np.inf
    x[:, -1] = rng.uniform(0, 1, rows)
    return x


def sunken(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Every row is one and the same number, far below -1e20."""
    return np.repeat(-rng.uniform(2e20, 3e38, (rows, 1)), columns, axis=1).astype(np.float32)


def with_a_peak(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """In the first row one element is so large that nothing of the others is left."""
    x = normal(rng, (rows, columns), scale=3)
    x[0, int(rng.integers(columns))] = 150
    return x


def far_from_zero(rng: np.random.Generator, columns: int) -> np.ndarray:
    """float32[5, columns]: two rows around 1,000, two around -1,000, one of a single number far
    below -1e20."""
    x = offset(rng, (4, columns))
    x[2:] -= 2000
    return np.concatenate([x, sunken(rng, 1, columns)])


def without_answer(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """The first row has a NaN, the second is nothing but -inf; the others are as they should be."""
    x = normal(rng, (rows, columns))
    x[0, int(rng.integers(columns))] = np.nan
    x[1] = -np.inf
    return x


def softmaxed(x: np.ndarray, merges: int, axis: int = -1) -> Expected:
    """x's softmax, with what rounding may do where no element takes part in more `merges`."""
    bound = softmax_bound(x, ROUNDINGS * merges, axis)
    return Expected(softmax(x, axis), np.float32, atol=bound)


def row_merges(x: np.ndarray, block: int = BLOCK) -> int:
    return ceil_div(x.shape[1], block) + merges_in(block)


def of_rows(expected):
    """`expected` for one launch over rows."""
    return operation(row_answers(expected))


def row_answers(expected):
    return other_answers(lambda x, launch: expected(x, row_merges(x, launch.block)))


def rows_of(x: np.ndarray) -> Problem:
    """`online_row` on x, a block for each row."""
    rows, columns = x.shape
    return Problem(
        inputs={"x": x},
        outputs={"y": softmaxed(x, row_merges(x))},
        launches=(Launch("online_row", rows, BLOCK, ("x", "y", np.int32(columns))),),
    )


def any_rows(rng, columns: int, grid: int, block: int, draw) -> Problem:
    return rows_of(draw(rng, (grid, columns)))


def two_reads_one_write(elements: int) -> tuple[Budget, Budget]:
    """For elements that lie in whole sectors of 32 bytes."""
    sectors = elements // SECTOR
    return (
        Budget(
            "global_load_sectors",
            2 * sectors,
            "x is read twice, once to compute the pair and once to write the output, each time in "
            "whole sectors of 8 floats",
        ),
        Budget("global_store_sectors", sectors, "y is written once, in whole sectors of 8 floats"),
    )


def butterflies(rows: int) -> tuple[Budget, ...]:
    return (
        Budget(
            "barriers",
            2 * WARPS * rows,
            "2 per warp: shuffles need none, only the exchange through shared memory does",
        ),
        Budget(
            "shuffles",
            160 * rows,
            "2 per level for each of 8 warps: 5 levels within the warp, and 5 more across warps",
        ),
    )


online_row = Exercise(
    name="online_row",
    title="Row softmax in two passes",
    minutes=10,
    teaches="one pass fewer over a row",
    source="4_online_row.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": of_rows(base_2),
        "logarithms": of_rows(logarithms),
        "one more element": of_rows(beside_zero),
        "blocks of 128": with_half_blocks(row_answers(softmaxed)),
    },
    cases=(
        Case(
            "two rows of 1,000, one of them with a peak",
            lambda rng: rows_of(with_a_peak(rng, 2, 1000)),
            points=1,
        ),
        Case(
            "five rows of 700, far above zero, below, and below -1e20",
            lambda rng: rows_of(far_from_zero(rng, 700)),
            points=2,
        ),
        covering("arrays that begin anywhere", any_rows, lambda row: row["anywhere"]),
        covering("rows of all lengths, few and many", any_rows),
        hidden("the maximum moves at every step", lambda rng: rows_of(climbing(rng, 2, 520))),
        hidden("heavy tails", lambda rng: rows_of(heavy_tailed(rng, (2, 300)))),
        hidden("masked with -inf", lambda rng: rows_of(masked(rng, 3, 300))),
        hidden("rows far below -1e20", lambda rng: rows_of(sunken(rng, 3, 300))),
        hidden(
            "a row with a NaN, a row of -inf alone",
            lambda rng: rows_of(without_answer(rng, 4, 300)),
        ),
        Case(
            "within budget",
            lambda rng: rows_of(normal(rng, (4, 4096))),
            points=7,
            budgets=(
                *two_reads_one_write(4 * 4096),
                *butterflies(4),
                *work_is_shared(),
                exponentials(1.1),
            ),
            requires=(
                Requirement(
                    SHUFFLE,
                    "with __shfl_xor_sync each lane sends both halves of its pair at 5 levels, "
                    "and then every lane has the warp's pair",
                    levels=5,
                ),
            ),
        ),
        large("a row of more than 65,536 elements", lambda rng: rows_of(normal(rng, (1, 66_000)))),
    ),
    hints=(
        "Start from the pair of no elements. The pair of a single element x is {x, 1.0f}, because "
        "exp(x - x) is 1; so the loop is `mine = merge(mine, {x[start + i], 1.0f})`.",
        "Within a warp: for apart = 16, 8, 4, 2, 1, fetch the maximum and the sum of lane ^ apart "
        "with __shfl_xor_sync, and merge that pair into your own. All 32 lanes take part.",
        "Across warps: lane 0 of each warp writes its pair into of_warp. After a barrier, each "
        "warp reads the eight pairs (lane % 8) and merges them with apart = 4, 2, 1.",
        "Write in a loop like the first: y is exp(x - all.max) / all.sum.",
    ),
    hints_on={
        "constant_won": (
            "Start from the pair of no elements: which maximum is below every number?"
        ),
        "other_elements": (
            "First merge the pairs of the lanes of a warp, then the pairs of the 8 warps. Which "
            "pairs are missing?"
        ),
        "over_budget": (
            "The first pass computes the pair, element by element with merge. The second pass "
            "writes. No pass finds the maximum alone."
        ),
        "wrong_answer": (
            "A pair starts from {-INFINITY, 0.0f}. The divisor at the end is the sum that belongs "
            "to all.max."
        ),
    },
)


# --- long vector -------------------------------------------------------------------------------


def vector_merges(x: np.ndarray, blocks: int, block: int = BLOCK) -> int:
    return ceil_div(x.size, blocks * block) + ceil_div(blocks, block) + 2 * merges_in(block)


def pair_of(x: np.ndarray, merges: int) -> Expected:
    """The pair of all of x."""
    exact = x.astype(np.float64)
    largest = exact.max()
    below = (0 if np.isneginf(largest) else largest) - exact
    total = np.array([[largest, np.exp(-below).sum()]])
    bound = np.array([[0, pair_bound(below, np.ones(x.size), merges)]])
    return Expected(total, np.float32, atol=bound)


def vector(x: np.ndarray, blocks: int) -> Problem:
    """Three launches over x, the first and the last with `blocks` blocks."""
    n, merges = x.size, vector_merges(x, blocks)
    return Problem(
        inputs={"x": x},
        scratch={"partial": ((blocks, 2), np.float32)},
        outputs={"total": pair_of(x, merges), "y": softmaxed(x, merges)},
        launches=(
            Launch("block_pairs", blocks, BLOCK, ("x", "partial", np.int32(n))),
            Launch("merge_partials", 1, BLOCK, ("partial", "total", np.int32(blocks))),
            Launch("normalize", blocks, BLOCK, ("x", "total", "y", np.int32(n))),
        ),
    )


def total_of(pairs: np.ndarray, block: int = BLOCK, unit: float = 1) -> Expected:
    """The pair of all parts. Exponents are in `unit`s: log(2) for powers of 2."""
    largest, sums = pairs.astype(np.float64).T
    below = unit * (largest.max() - largest)
    total = np.array([[largest.max(), (sums * np.exp(-below)).sum()]])
    bound = pair_bound(below, sums, ceil_div(len(pairs), block) + merges_in(block))
    return Expected(total, np.float32, atol=np.array([[0, bound]]))


def partials(rng: np.random.Generator, blocks: int) -> Problem:
    """The second launch alone, on pairs some of which are empty."""
    pairs = some_empty(rng, blocks)
    pairs[0] = ordinary(rng, 1)
    return Problem(
        inputs={"partial": pairs},
        outputs={"total": total_of(pairs)},
        launches=(Launch("merge_partials", 1, BLOCK, ("partial", "total", np.int32(blocks))),),
    )


def in_powers_of_2(problem: Problem) -> Problem:
    """The launches over one vector, with 2^x in place of e^x."""
    outputs = dict(problem.outputs)
    for launch in problem.launches:
        if launch.kernel == "normalize":
            x, total, y, _ = launch.args
            array = problem.inputs[x]
            merges = vector_merges(array, launch.grid)
            with np.errstate(all="ignore"):  # of infinities
                pair = pair_of(in_base_2(array), merges)
                outputs |= {total: pair, y: base_2(array, merges)}
            pair.value[0, 0] = array.max()
        elif launch.args[0] in problem.inputs and launch.kernel == "merge_partials":
            pairs = problem.inputs[launch.args[0]]
            outputs[launch.args[1]] = total_of(pairs, unit=np.log(2))
    return replace(problem, outputs=outputs)


def vector_answers(problem: Problem) -> Problem:
    """The launches over one vector, in blocks of any number of threads."""
    outputs = dict(problem.outputs)
    for launch in problem.launches:
        if launch.kernel == "normalize":
            x, total, y, _ = launch.args
            array = problem.inputs[x]
            merges = vector_merges(array, launch.grid, launch.block)
            with np.errstate(all="ignore"):  # of infinities
                outputs |= {total: pair_of(array, merges), y: softmaxed(array, merges)}
        elif launch.args[0] in problem.inputs and launch.kernel == "merge_partials":
            outputs[launch.args[1]] = total_of(problem.inputs[launch.args[0]], launch.block)
    return replace(problem, outputs=outputs)


def for_half_as_many_warps(other):
    """The operation, with budgets that are said for half as many warps."""

    def made(exercise: Exercise) -> Exercise:
        def said(budget: Budget) -> Budget:
            return replace(budget, per=budget.per and (budget.per[0], budget.per[1] // 2))

        one = other(exercise)
        cases = (replace(case, budgets=tuple(map(said, case.budgets))) for case in one.cases)
        return replace(one, cases=tuple(cases))

    return made


def vector_logarithms(x: np.ndarray, launch: Launch) -> Expected:
    return logarithms(x, vector_merges(x, launch.grid))


def any_vector(rng, kernel: str, grid: int, block: int, n=0, blocks=0, draw=normal) -> Problem:
    """All three launches for `n` elements, or the second alone for pairs of `blocks`."""
    return partials(rng, blocks) if blocks else vector(draw(rng, n), grid)


def of_minus_infinity(rng: np.random.Generator) -> np.ndarray:
    """Nothing but -inf, of a length up to 500."""
    return np.full(int(rng.integers(300, 500)), -np.inf, np.float32)


def below_zero(rng: np.random.Generator, n: int) -> np.ndarray:
    """-60 to -50: next to a maximum of 0, nothing of them would be left."""
    return -rng.uniform(50, 60, n).astype(np.float32)


def long_vector_budgets(n: int, blocks: int) -> tuple[Budget, ...]:
    pairs = ceil_div(blocks, SECTOR // 2)
    return (
        Budget(
            "global_load_sectors",
            2 * n // SECTOR + pairs + blocks * WARPS,
            "x is read twice; the partial pairs once, four to a sector, by neighbouring threads; "
            "and each warp of the last launch reads the total",
        ),
        Budget(
            "global_store_sectors",
            n // SECTOR + blocks + 1,
            "y is written once, a pair for each block and one for the total",
        ),
        Budget(
            "barriers",
            WARPS * (blocks + 1),
            "one per warp in each of the first two launches, for any number of elements",
            per=("warp of the first two launches", WARPS * (blocks + 1)),
        ),
        *work_is_shared(),
        exponentials(),
    )


long_vector = Exercise(
    name="long_vector",
    title="One long vector, many blocks",
    minutes=12,
    teaches="pairs from all blocks of a grid",
    source="6_long_vector.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": operation(in_powers_of_2),
        "logarithms": operation(other_answers(vector_logarithms)),
        "blocks of 128": for_half_as_many_warps(with_half_blocks(vector_answers)),
    },
    cases=(
        Case(
            "one block, and three for 200 elements",
            lambda rng: together(
                vector(normal(rng, 1000, scale=3), 1), vector(normal(rng, 200, scale=3), 3)
            ),
            points=1,
        ),
        Case(
            "seven blocks, all below zero",
            lambda rng: vector(below_zero(rng, 4000 + int(rng.integers(900))), 7),
            points=2,
        ),
        covering("more blocks than elements, and other lengths", any_vector),
        Case(
            "more blocks than a block has threads",
            lambda rng: vector(below_zero(rng, 300 * BLOCK + int(rng.integers(900))), 263),
            points=1,
        ),
        hidden("the maximum moves at every step", lambda rng: vector(climbing(rng, 1, 1500)[0], 4)),
        hidden("heavy tails", lambda rng: vector(heavy_tailed(rng, 3000), 6)),
        hidden("masked with -inf", lambda rng: vector(masked(rng, 1, 3000)[0], 6)),
        hidden(
            "far below -1e20, and nothing but -inf",
            lambda rng: together(
                vector(sunken(rng, 1, 700)[0], 4), vector(of_minus_infinity(rng), 3)
            ),
        ),
        Case(
            "within budget",
            lambda rng: vector(normal(rng, 16 * 32 * BLOCK), 32),
            points=6.5,
            budgets=long_vector_budgets(16 * 32 * BLOCK, 32),
        ),
    ),
    hints=(
        "`block_pairs` is the first half of the row softmax, with a grid-stride loop: from "
        "`thread` on, in steps of `threads`. What pair does a block without any element write?",
        "`merge_block` takes each thread's pair and returns the block's. All 256 threads must call "
        "it once, outside any `if`, because it has a barrier.",
        "`merge_partials` runs with one block of 256 threads, and there may be more pairs than "
        "that. Each thread starts from {-INFINITY, 0.0f}, merges pairs threadIdx.x, threadIdx.x + "
        "256 ... into it, and then the block merges.",
    ),
    hints_on={
        "constant_won": ("Both kernels merge pairs. Do both start from the pair of no elements?"),
        "other_elements": (
            "Which loop reads all partial pairs, if there are more of them than threads?"
        ),
        "over_budget": (
            "In the second launch each of the 256 threads merges partial pairs in a loop with a "
            "step of 256. Then the block merges."
        ),
        "wrong_answer": (
            "Are there more partial pairs than threads in the second launch? And are pairs merged, "
            "not added?"
        ),
    },
)


# --- any axis ----------------------------------------------------------------------------------


def block_shape(inner: int) -> tuple[int, int]:
    """(across, along) for columns side by side: a power of two, at most a warp of them."""
    across = min(32, 1 << (inner - 1).bit_length())
    return across, BLOCK // across


def axis_merges(length: int, along: int) -> int:
    return ceil_div(length, along) + merges_in(along)


def of_axis(expected):
    """`expected` for one launch along the middle axis."""
    return operation(axis_answers(expected))


def axis_answers(expected):
    return other_answers(
        lambda x, launch: expected(x, axis_merges(x.shape[1], launch.block[1]), axis=1)
    )


def along_axis(x: np.ndarray, grid=(), block=()) -> Problem:
    """`softmax_axis` along the middle axis of x, float32[outer, length, inner]."""
    outer, length, inner = x.shape
    across, along = block or block_shape(inner)
    merges = axis_merges(length, along)
    grid = grid or (outer, ceil_div(inner, across))
    args = ("x", "y", np.int32(length), np.int32(inner))
    return Problem(
        inputs={"x": x},
        outputs={"y": softmaxed(x, merges, axis=1)},
        launches=(Launch("softmax_axis", grid, (across, along), args),),
    )


def columns_of(make, rng: np.random.Generator, outer: int, length: int, inner: int) -> np.ndarray:
    """float32[outer, length, inner]: what `make` makes of a row, put into each column."""
    return make(rng, outer * inner, length).reshape(outer, inner, length).transpose(0, 2, 1).copy()


def any_axis(rng, length: int, inner: int, grid, block, draw) -> Problem:
    rows = draw(rng, (grid[0] * inner, length))
    x = rows.reshape(grid[0], inner, length).transpose(0, 2, 1).copy()
    return along_axis(x, grid, block)


def axis_budgets(*shapes: tuple[int, int, int]) -> tuple[Budget, ...]:
    """For arrays whose tiles lie in whole sectors."""
    barriers = sum(
        outer * ceil_div(inner, across) * WARPS * along.bit_length()
        for outer, _, inner in shapes
        for across, along in [block_shape(inner)]
    )
    return (
        *two_reads_one_write(sum(outer * length * inner for outer, length, inner in shapes)),
        Budget(
            "barriers",
            barriers,
            "for each warp, one after the tile is written and one per step of the tree",
        ),
        *work_is_shared(),
        exponentials(),
    )


FULL_TILES = ((3, 96, 64), (2, 512, 1), (2, 100, 8))

axis = Exercise(
    name="axis",
    title="Softmax along any axis",
    minutes=15,
    teaches="softmax along any axis, read along memory",
    source="7_softmax_axis.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": of_axis(base_2),
        "logarithms": of_axis(logarithms),
        "one more element": of_axis(beside_zero),
        "blocks of 128": with_half_blocks(axis_answers(softmaxed)),
    },
    cases=(
        Case(
            "the middle axis of 3 x 100 x 32",
            lambda rng: along_axis(normal(rng, (3, 100, 32), scale=3)),
            points=1,
        ),
        Case(
            "the first axis of 90 x 77, the last of 5 x 300",
            lambda rng: together(
                along_axis(offset(rng, (1, 90, 77))), along_axis(offset(rng, (5, 300, 1)) - 2000)
            ),
            points=2,
        ),
        covering("arrays that begin anywhere", any_axis, lambda row: row["anywhere"]),
        covering("axes of all lengths, few and many neighbouring columns", any_axis),
        hidden(
            "the maximum moves at every step",
            lambda rng: along_axis(columns_of(climbing, rng, 2, 120, 40)),
        ),
        hidden(
            "masked with -inf, and far below -1e20",
            lambda rng: together(
                along_axis(columns_of(masked, rng, 2, 60, 40)),
                along_axis(columns_of(sunken, rng, 2, 20, 12)),
            ),
        ),
        hidden(
            "a column with a NaN, a column of -inf alone",
            lambda rng: along_axis(columns_of(without_answer, rng, 2, 50, 20)),
        ),
        Case(
            "within budget",
            lambda rng: together(*(along_axis(normal(rng, shape)) for shape in FULL_TILES)),
            points=6,
            budgets=axis_budgets(*FULL_TILES),
        ),
        large(
            "more than 65,536 elements along the axis, and beside it",
            lambda rng: together(
                along_axis(normal(rng, (1, 66_000, 1))), along_axis(normal(rng, (1, 3, 33_000)))
            ),
        ),
    ),
    hints=(
        "The first element of your column is (o, 0, i), at o * length * inner + i with o = "
        "blockIdx.x. From one element of the column to the next, the index grows by `inner`.",
        "Thread (threadIdx.x, threadIdx.y) takes k = threadIdx.y, threadIdx.y + along, ... Then "
        "neighbouring threads, whose threadIdx.x differ by one, read neighbouring elements.",
        "A thread with i >= inner has no column to read or to write. But it must write {-INFINITY, "
        "0.0f} into its element of the tile, and it must reach all barriers.",
        "Merge along k only: the element of thread (j, k) is tile[k * across + j]. It merges the "
        "element of thread (j, k + stride), which is stride * across further. In the end row 0 has "
        "the results.",
    ),
    hints_on={
        "other_elements": (
            "From one element of a column to the next, the index grows by `inner`. Is this true in "
            "both loops?"
        ),
        "over_budget": (
            "The threads (j, 0), (j, 1), ... share a column: each computes the pair of its part. A "
            "tree along k merges the pairs."
        ),
        "data_race": "Each step of the tree reads what other threads wrote in the step before.",
    },
)
