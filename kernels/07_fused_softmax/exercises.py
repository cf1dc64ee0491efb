"""What the exercises on fused softmax ask: inputs, references, launches, budgets, hints.

References are computed in float64 from a copy of the inputs. What rounding may do to an answer
follows from how it is computed; `grader.course.tolerances` has the derivation, `attention_bound`
below adds the scale.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    LOAD_16,
    SHUFFLE,
    STORE_16,
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    Requirement,
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

BLOCK = 128  # threads per block, if a case does not say otherwise: four warps
SECTOR = 8  # floats
PACK = 4  # floats
REQUEST = 32 * PACK  # floats that a warp asks for with one 16-byte load
ROUNDINGS = 6  # in a merge: an exponential within 2 ulp, which are 4, a product and a sum


def ceil_div(n, size):
    return -(-n // size)


# --- inputs ------------------------------------------------------------------------------------


def below(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """float32[rows, columns], -130 to -110: next to a maximum of 0, nothing of them would be left.
    The largest of row r stands r columns before the end, round about."""
    x = rng.uniform(-130, -115, (rows, columns)).astype(np.float32)
    r = np.arange(rows)
    x[r, (columns - 1 - r) % columns] = rng.uniform(-112, -110, rows)
    return x


def masked(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Rows of numbers around -120 of which all but the last 40, and some of these, are -inf, so
    that most lanes, and in long rows most warps, see nothing else."""
    x = below(rng, rows, columns)
    x[:, :-40] = -np.inf
    x[rng.random((rows, columns)) < 0.3] = -np.inf
    x[:, -1] = rng.uniform(-112, -110, rows)
    return x


def sunken(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """As `below`, but row 1 is one and the same number far below -1e20."""
    x = below(rng, rows, columns)
    x[1] = -3e25
    return x


def half_masked(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """As `below`, but of every second row all but the end is -inf, for whole warps."""
    x = below(rng, rows, columns)
    x[::2] = masked(rng, (rows + 1) // 2, columns)
    return x


def enormous(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Rows of one and the same number each, of magnitudes from 2e20 to 3e38 and either sign."""
    one = rng.uniform(2e20, 3e38, (rows, 1)) * np.where(np.arange(rows) % 2, 1, -1)[:, None]
    return np.repeat(one, columns, axis=1).astype(np.float32)


def without_answer(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """Row 0 has a NaN, row 1 is nothing but -inf, row 2 has an infinity; the others have none."""
    x = normal(rng, (rows, columns))
    x[0, int(rng.integers(columns))] = np.nan
    x[1] = -np.inf
    x[2, int(rng.integers(columns))] = np.inf
    return x


def softmaxed(x: np.ndarray, merges: int) -> Expected:
    """x's softmax, with what rounding may do where no element takes part in more `merges`, and
    each is rescaled once more at the end."""
    bound = softmax_bound(x, ROUNDINGS * (merges + 1))
    return Expected(softmax(x), np.float32, atol=bound)


# --- operations of variants --------------------------------------------------------------------


def other_answers(expected):
    """For `operation`: `expected(x, launch)` is what each launch must write."""

    def other(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            x, y = launch.args[:2]
            with np.errstate(all="ignore"):  # of infinities
                outputs[y] = expected(problem.inputs[x], launch)
        return replace(problem, outputs=outputs)

    return operation(other)


def base_2(x: np.ndarray, merges: int) -> Expected:
    """Softmax with 2^x in place of e^x."""
    return softmaxed(np.log(2) * x.astype(np.float64), merges)


def beside_zero(x: np.ndarray, merges: int) -> Expected:
    """Softmax with one more element in each row, 0, whose share is left out."""
    one = softmaxed(np.concatenate([x, np.zeros_like(x[:, :1])], axis=1), merges + 1)
    return replace(one, value=one.value[:, :-1], atol=one.atol[:, :-1])


def logarithms(x: np.ndarray, merges: int) -> Expected:
    """The logarithm of the softmax, x - m - log(s) with the maximum m and the sum s. What is
    relative in s is absolute in log(s); __logf is off by 2**-21 at most, or by 3 ulp; and each
    operation is rounded, also that of m + log(s)."""
    exact = x.astype(np.float64)
    largest = exact.max(axis=1, keepdims=True)
    below = exact - largest
    logarithm = np.log(np.exp(below).sum(axis=1, keepdims=True))
    operations = 3 * np.minimum(-below, 200) + 4 + ROUNDINGS * (merges + 1)
    of_sum = 2 * np.nansum(softmax(x) * gamma(operations), axis=1, keepdims=True)
    bound = of_sum + gamma(8) * (1 - below + np.abs(largest) + np.abs(logarithm)) + 2.0**-21
    value = below - logarithm
    value[value < np.finfo(np.float32).min] = -np.inf
    return Expected(value, np.float32, atol=np.where(np.isfinite(value), bound, 0.0))


def smallest_first(problem: Problem) -> Problem:
    """Softmin: each number has the other sign."""
    return replace(problem, inputs={name: -x for name, x in problem.inputs.items()})


# --- warp_softmax ------------------------------------------------------------------------------


def of_warps(expected):
    """`expected` where a warp has a row."""
    return other_answers(lambda x, launch: expected(x, warp_merges(x)))


def warp_merges(x: np.ndarray) -> int:
    return ceil_div(x.shape[1], 32) + 5


def by_warps(x: np.ndarray, block: int = BLOCK, spare_blocks: int = 0) -> Problem:
    """One launch of `warp_softmax`, a warp per row."""
    rows, columns = x.shape
    grid = ceil_div(rows, block // 32) + spare_blocks
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return Problem(
        inputs={"x": x},
        outputs={"y": softmaxed(x, warp_merges(x))},
        launches=(Launch("warp_softmax", grid, block, args),),
    )


def any_warps(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    return by_warps(draw(rng, (rows, columns)), block, grid - ceil_div(rows, block // 32))


def one_pass(elements: int) -> tuple[Budget, ...]:
    """What one read and one write of `elements` floats need, in rows of whole requests."""
    requests = elements // REQUEST
    why = "a warp moves 32 packs of 16 bytes with one request"
    return (
        Budget("global_load_requests", requests, why),
        Budget("global_store_requests", requests, why),
        Budget("global_load_sectors", elements // SECTOR, "x is read once, in whole sectors"),
        Budget("global_store_sectors", elements // SECTOR, "y is written once, in whole sectors"),
        *work_is_shared(),
        exponentials(1.5),
    )


def in_packs(met: str) -> tuple[Requirement, ...]:
    """Rows of whole packs, and lanes that meet by shuffles: `met` says what for."""
    return (
        Requirement(LOAD_16, "rows are whole packs, and 32 packs are one request"),
        Requirement(STORE_16, "rows are whole packs, and 32 packs are one request"),
        Requirement(SHUFFLE, met, levels=5),
    )


def of_a_warp(rows: int) -> tuple[Budget, ...]:
    """What a warp per row needs beside its loads and stores."""
    return (
        Budget("shuffles", 10 * rows, "5 for the largest and 5 for the sum, or 10 for the pair"),
        Budget("barriers", 0, "a row belongs to one warp, and shuffles need no barrier"),
        Budget(
            "local_load_requests",
            0,
            "the row stays in registers, which have no addresses: each index into the array must "
            "be a number that the compiler knows",
        ),
    )


warp_softmax = Exercise(
    name="warp_softmax",
    title="Softmax with one warp per row",
    minutes=12,
    teaches="softmax of short rows, one warp per row",
    source="2_warp_softmax.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": of_warps(base_2),
        "logarithms": of_warps(logarithms),
        "one more element": of_warps(beside_zero),
    },
    cases=(
        Case("8 rows of 100", lambda rng: by_warps(normal(rng, (8, 100), scale=3)), points=1),
        Case(
            "7 rows of 1,000, far below zero, one below -1e20",
            lambda rng: by_warps(sunken(rng, 7, 1000)),
            points=2,
        ),
        covering(
            "rows as long as they may be, or nearly", any_warps, lambda row: row["columns"] > 1000
        ),
        covering(
            "blocks of 2 to 32 warps, and some without any row",
            any_warps,
            lambda row: row["block"] > 32,
        ),
        covering("blocks of one warp, columns around a warp's packs", any_warps),
        hidden("masked with -inf", lambda rng: by_warps(masked(rng, 6, 520))),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(
                by_warps(offset(rng, (5, 260))), by_warps(heavy_tailed(rng, (5, 260)))
            ),
        ),
        hidden("numbers of magnitudes up to 3e38", lambda rng: by_warps(enormous(rng, 6, 132))),
        hidden(
            "a NaN, nothing but -inf, an infinity",
            lambda rng: by_warps(without_answer(rng, 6, 132)),
        ),
        Case(
            "within budget",
            lambda rng: by_warps(normal(rng, (8, 1024), scale=3)),
            points=7,
            budgets=(*one_pass(8 * 1024), *of_a_warp(8)),
            requires=in_packs("every lane needs the row's largest element and its sum"),
        ),
        large("more than 65,536 elements", lambda rng: by_warps(below(rng, 70, 1000), block=512)),
    ),
    hints=(
        "Lesson 06's `warp_per_row` is the frame: one row per warp, `Pack<float, 4> "
        "kept[PACKS]`, two "
        "loops over k with `#pragma unroll`, and in each a test whether pack k * 32 + lane exists. "
        "Only the work between the loops is new.",
        "The row stays in registers, so find its maximum first, with 5 butterfly steps and fmaxf. "
        "Start from -INFINITY.",
        "Then replace each kept element by __expf(element - largest), add these, and add the "
        "sums of all lanes in 5 more butterfly steps. A lane adds only the packs that exist.",
        "Divide once: share = 1.0f / sum, and multiply. Lanes without a pack take part in the "
        "shuffles, too. A warp without a row returns, all 32 lanes.",
    ),
    hints_on={
        "constant_won": ("What does the maximum start from, if all of a row is negative?"),
        "other_elements": (
            "Maximum and sum are those of all 32 lanes: how many steps does a butterfly over "
            "them take?"
        ),
        "over_budget": (
            "The row is read once, in packs, and lives in `kept` until it is written: no loop goes "
            "back to x."
        ),
        "wrong_answer": (
            "Maximum and sum are those of all 32 lanes before anything is divided; the maximum "
            "starts from -INFINITY."
        ),
    },
)


# --- block_softmax -----------------------------------------------------------------------------


def block_merges(x: np.ndarray, block: int) -> int:
    return ceil_div(x.shape[1], min(block, 128)) + 10


def of_blocks(expected):
    """`expected` where a block has a row."""
    return other_answers(lambda x, launch: expected(x, block_merges(x, launch.block)))


def by_blocks(x: np.ndarray, block: int = BLOCK, blocks: int | None = None) -> Problem:
    """One launch of `block_softmax`, a block per row, or `blocks` blocks for all of them."""
    rows, columns = x.shape
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return Problem(
        inputs={"x": x},
        outputs={"y": softmaxed(x, block_merges(x, block))},
        launches=(Launch("block_softmax", blocks or rows, block, args, 4 * columns),),
    )


def any_blocks(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    return by_blocks(draw(rng, (rows, columns)), block, grid)


ROWS, LONG = 3, 4096  # of the case with a budget
WARPS = BLOCK // 32


def of_a_block(rows: int, columns: int) -> tuple[Budget, ...]:
    """What a block of BLOCK threads per row needs beside its loads and stores."""
    packed = rows * columns // PACK // 8  # a wavefront carries 128 bytes, which are 8 packs
    exchanged = rows * 2 * WARPS
    return (
        Budget(
            "barriers",
            2 * WARPS * rows,
            "2 per warp and row: one exchange of pairs, not one for maxima and one for sums",
        ),
        Budget("shuffles", 20 * WARPS * rows, "10 in a warp and 10 among the warps' pairs"),
        Budget(
            "shared_store_wavefronts",
            2 * packed + exchanged,
            "each pack is written at most twice, as x and as exponentials, 8 packs per wavefront",
        ),
        Budget(
            "shared_load_wavefronts",
            3 * packed + exchanged,
            "each pack is read at most three times; floats that lie 16 bytes apart would take four "
            "times as many",
        ),
    )


block_softmax = Exercise(
    name="block_softmax",
    title="One block per row, the row in shared memory",
    minutes=14,
    teaches="one read, one write, one block per row",
    source="4_block_softmax.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "one more element": of_blocks(beside_zero),
    },
    cases=(
        Case(
            "3 rows of 2,000, and 3 of 300",
            lambda rng: together(*(by_blocks(normal(rng, (3, n), scale=3)) for n in (2000, 300))),
            points=1,
        ),
        Case(
            "7 rows of 600 and 2 blocks, far below zero, some masked with -inf",
            lambda rng: by_blocks(half_masked(rng, 7, 600), blocks=2),
            points=2,
        ),
        covering("blocks of one warp", any_blocks, lambda row: row["block"] == 32),
        covering("columns around a block's packs, and some blocks without any row", any_blocks),
        hidden(
            "masked with -inf: warps that see nothing else",
            lambda rng: by_blocks(masked(rng, 3, 700), blocks=2),
        ),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(
                by_blocks(offset(rng, (3, 300))), by_blocks(heavy_tailed(rng, (3, 300)))
            ),
        ),
        hidden("numbers of magnitudes up to 3e38", lambda rng: by_blocks(enormous(rng, 4, 700))),
        hidden(
            "a NaN, nothing but -inf, an infinity",
            lambda rng: by_blocks(without_answer(rng, 5, 300), blocks=2),
        ),
        hidden("blocks of 32 warps", lambda rng: by_blocks(below(rng, 2, 4000), block=1024)),
        Case(
            "within budget",
            lambda rng: by_blocks(normal(rng, (ROWS, LONG), scale=3)),
            points=7,
            budgets=(*one_pass(ROWS * LONG), *of_a_block(ROWS, LONG)),
            requires=in_packs("every lane needs the result of its warp"),
        ),
        large(
            "more than 65,536 elements",
            lambda rng: by_blocks(below(rng, 8, 9_000), block=512, blocks=2),
        ),
    ),
    hints=(
        "Thread t owns packs t, t + blockDim.x, ... in all three loops. No other thread reads its "
        "packs in `kept`, so `kept` needs no barrier. Load and store whole packs: "
        "`Pack<float, 4> pack = kept[p];`",
        "First each warp alone: its maximum by 5 butterfly steps, then the exponentials relative "
        "to *this* maximum, stored in `kept`, then their sum by 5 more steps. A warp that has "
        "nothing but -INFINITY subtracts 0.",
        "Then the exchange: lane 0 writes {largest, sum} to of_warp[warp], a barrier, and every "
        "warp merges all pairs: `butterfly(lane < warps ? of_warp[lane] : Pair{-INFINITY, 0.0f})`. "
        "The next row writes to of_warp again. Which warps may still be reading it?",
        "The exponentials of a warp are relative to the warp's maximum. Multiply them by "
        "__expf(mine.max - all.max) / all.sum: then they are relative to the row's maximum, and "
        "divided by the row's sum.",
    ),
    hints_on={
        "other_elements": (
            "Each warp has its own pair: are all of them merged, and does every thread get the "
            "result?"
        ),
        "over_budget": (
            "Store and load whole packs in `kept`. One exchange of {largest, sum} between the "
            "warps is enough."
        ),
        "wrong_answer": (
            "The exponentials in `kept` are relative to the warp's maximum. Which factor "
            "makes them relative to the row's maximum?"
        ),
    },
)


# --- masked_softmax ----------------------------------------------------------------------------


def seen(rows: int, queries: int, keys: int) -> np.ndarray:
    """int[rows]: how many keys, from the first on, each row may look at."""
    query = np.arange(rows) % queries
    return np.clip(query + 1 + keys - queries, 0, keys)


def masked_scores(x: np.ndarray, scale: np.float32, queries: int) -> np.ndarray:
    """scale * x where a key is seen, -inf for all others; float64."""
    rows, keys = x.shape
    allowed = np.arange(keys) < seen(rows, queries, keys)[:, None]
    with np.errstate(invalid="ignore"):
        return np.where(allowed, np.float64(scale) * x.astype(np.float64), -np.inf)


def attention(x: np.ndarray, scale: np.float32, queries: int) -> Expected:
    """softmax(scale * x) over the keys that are seen, 0 for all others; a row that sees nothing,
    or nothing but -inf, is 0 throughout."""
    return attention_weights(masked_scores(x, scale, queries))


def attention_weights(scores: np.ndarray) -> Expected:
    with np.errstate(invalid="ignore"):
        value = softmax(scores)
    value[np.isneginf(scores).all(axis=1)] = 0.0
    return Expected(value, np.float32, atol=attention_bound(scores, value))


def attention_bound(scores: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Largest error of a float32 softmax of the scores, float64[rows][keys].

    As `grader.course.tolerances.softmax_bound`, and on top of it: a score is a rounded product,
    of x and a scale that may have been multiplied by log2(e) first, so it is off by up to 3 u of
    its own magnitude, before the maximum is subtracted. What is absolute in the argument of exp
    is relative in its result. A lane adds up to 32 terms, and 5 levels follow; each may be a
    merge.
    """
    finite = np.where(np.isfinite(scores), scores, 0.0)  # all else has an exact answer, or none
    largest = np.where(np.isfinite(scores), scores, -np.inf).max(axis=1, keepdims=True)
    largest = np.where(np.isneginf(largest), 0.0, largest)
    distance = np.clip(largest - finite, 0, 200)  # exp(-200) is far below 2**-126
    operations = 3 * (distance + np.abs(finite) + np.abs(largest)) + 4
    merges = ROUNDINGS * (ceil_div(scores.shape[1], 32) + 6)
    of_sum = np.nansum(value * gamma(operations + merges), axis=1, keepdims=True)
    relative = (gamma(operations + 5) + of_sum) / (1 - of_sum)
    return np.nan_to_num(value * relative + 2.0**-124)


def attention_in_base_2(x: np.ndarray, launch: Launch) -> Expected:
    scale, _, queries, _ = launch.args[2:]
    return attention_weights(np.log(2) * masked_scores(x, scale, queries))


def attention_beside_zero(x: np.ndarray, launch: Launch) -> Expected:
    """One more score in each row, 0, whose share is left out."""
    scale, _, queries, _ = launch.args[2:]
    scores = masked_scores(x, scale, queries)
    one = attention_weights(np.concatenate([scores, np.zeros_like(scores[:, :1])], axis=1))
    return replace(one, value=one.value[:, :-1], atol=one.atol[:, :-1])


def seen_to_the_end(problem: Problem) -> Problem:
    """The same from the end: the last query and the last key become the first."""
    inputs, outputs = {}, {}
    for launch in problem.launches:
        x, y, _, _, queries, keys = launch.args

        def turned(array: np.ndarray, shape=(-1, queries, keys)) -> np.ndarray:
            return array.reshape(shape)[:, ::-1, ::-1].reshape(array.shape)

        one = problem.outputs[y]
        inputs[x] = turned(problem.inputs[x])
        outputs[y] = replace(one, value=turned(one.value), atol=turned(one.atol))
    return replace(problem, inputs=inputs, outputs=outputs)


def attended(
    x: np.ndarray, queries: int, scale: float = 0.125, block: int = BLOCK, spare_blocks: int = 0
) -> Problem:
    """One launch of `masked_softmax`, a warp per row."""
    rows, keys = x.shape
    grid = ceil_div(rows, block // 32) + spare_blocks
    of = (np.float32(scale), np.int32(rows), np.int32(queries), np.int32(keys))
    return Problem(
        inputs={"x": x},
        outputs={"y": attention(x, np.float32(scale), queries)},
        launches=(Launch("masked_softmax", grid, block, ("x", "y", *of)),),
    )


def scores(
    rng: np.random.Generator, heads: int, queries: int, keys: int, around: float = 0.0
) -> np.ndarray:
    """float32[heads * queries, keys]: normal numbers where a key is seen; what is not to be seen
    is NaN, infinite or enormous."""
    rows = heads * queries
    x = around + normal(rng, (rows, keys), scale=8)
    hidden_keys = np.arange(keys) >= seen(rows, queries, keys)[:, None]
    x[hidden_keys] = rng.choice([np.nan, np.inf, 3e38, -3e38, 1e4], hidden_keys.sum())
    return x.astype(np.float32)


def padded(rng: np.random.Generator, heads: int, queries: int, keys: int) -> np.ndarray:
    """Scores in which the first third of the keys is -inf already, so that the first queries see
    nothing else."""
    x = scores(rng, heads, queries, keys)
    x[:, : keys // 3] = np.where(np.isfinite(x[:, : keys // 3]), -np.inf, x[:, : keys // 3])
    return x


def last_without_answer(rng: np.random.Generator) -> np.ndarray:
    """2 heads, 6 queries, 40 keys; a NaN in the last row of the one, an infinity in the other's."""
    x = scores(rng, 2, 6, 40)
    x[5, int(rng.integers(40))] = np.nan
    x[11, int(rng.integers(40))] = np.inf
    return x


def any_scores(rng, rows: int, queries: int, keys: int, grid: int, block: int, draw) -> Problem:
    """What a query does not see is NaN, infinite or enormous, as in `scores`. The queries of a head
    are of the same values, as only the last one sees all of them. No other sees a NaN or an
    infinity: a kernel may write 0 for a key that is not seen, or 0 times NaN."""
    heads = [draw(rng, (rows // queries, keys)) for _ in range(min(queries, 32))]
    x = np.stack([heads[query % 32] for query in range(queries)], axis=1).reshape(rows, keys)
    hidden_keys = np.arange(keys) >= seen(rows, queries, keys)[:, None]
    x[hidden_keys.any(axis=1)[:, None] & ~(x < np.inf)] = 0.0
    x[hidden_keys] = rng.choice([np.nan, np.inf, 3e38, -3e38, 1e4], hidden_keys.sum())
    return attended(x, queries, block=block, spare_blocks=grid - ceil_div(rows, block // 32))


HEADS, SQUARE = 2, 96  # of the case with a budget: as many queries as keys


def triangle(heads: int, n: int) -> tuple[int, int, int]:
    """Requests and sectors that loading the seen packs takes, and stores of all packs."""
    visible = seen(heads * n, n, n)
    requests = ceil_div(visible, REQUEST).sum()
    return int(requests), int(ceil_div(visible, SECTOR).sum()), heads * n * ceil_div(n, REQUEST)


def triangle_budgets(heads: int, n: int) -> tuple[Budget, ...]:
    requests, sectors, stores = triangle(heads, n)
    return (
        Budget(
            "global_load_sectors",
            sectors,
            "no pack beyond the last key that is seen is loaded: little more than half of x",
        ),
        Budget("global_load_requests", requests, "a warp moves 32 packs with one request"),
        Budget("global_store_requests", stores, "a warp moves 32 packs with one request"),
        Budget("global_store_sectors", heads * n * n // SECTOR, "y is written once, zeros too"),
        *of_a_warp(heads * n),
        *work_is_shared(),
        exponentials(),
    )


masked_softmax = Exercise(
    name="masked_softmax",
    title="Scale and mask in front",
    minutes=14,
    teaches="scale and mask in front, in one kernel",
    source="8_masked_softmax.cu",
    operations={
        "base 2": other_answers(attention_in_base_2),
        "one more element": other_answers(attention_beside_zero),
        "from its own key on": operation(seen_to_the_end),
    },
    cases=(
        Case(
            "2 heads, 12 queries and keys, a negative scale",
            lambda rng: attended(scores(rng, 2, 12, 12), queries=12, scale=-5.0),
            points=1,
        ),
        Case(
            "3 heads, 7 queries, 260 keys, scores around 2,000",
            lambda rng: attended(scores(rng, 3, 7, 260, around=2000), queries=7),
            points=2,
        ),
        Case(
            "more queries than keys, rows that see nothing, scores around -200,000",
            lambda rng: attended(scores(rng, 2, 13, 8, around=-2e5), queries=13),
            points=1,
        ),
        hidden(
            "one query, and one key to see",
            lambda rng: together(
                attended(scores(rng, 9, 1, 132), queries=1), attended(scores(rng, 3, 4, 4), 4)
            ),
        ),
        covering(
            "as many keys as there may be, or nearly", any_scores, lambda row: row["keys"] > 1000
        ),
        covering(
            "blocks of 2 to 32 warps, and some without any row",
            any_scores,
            lambda row: row["block"] > 32,
        ),
        covering("blocks of one warp, keys around a warp's packs", any_scores),
        hidden(
            "large scales, negative ones, and none at all",
            lambda rng: together(
                attended(scores(rng, 1, 9, 36, around=200), 9, scale=3.0),
                attended(scores(rng, 1, 9, 36, around=200), 9, scale=-2.5),
                attended(scores(rng, 1, 9, 36), 9, scale=0.0),
            ),
        ),
        hidden(
            "scores far below -10,000",
            lambda rng: attended(scores(rng, 2, 9, 36, around=-2e5), 9),
        ),
        hidden("keys that are -inf already", lambda rng: attended(padded(rng, 2, 30, 36), 30)),
        hidden(
            "a NaN and an infinity where they are seen",
            lambda rng: attended(last_without_answer(rng), 6),
        ),
        Case(
            "within budget",
            lambda rng: attended(scores(rng, HEADS, SQUARE, SQUARE), SQUARE),
            points=8.5,
            budgets=triangle_budgets(HEADS, SQUARE),
            requires=in_packs("every lane needs the row's largest and its sum"),
        ),
        large(
            "more than 65,536 elements",
            lambda rng: attended(scores(rng, 7, 10, 1000), 10, block=512),
        ),
    ),
    hints=(
        "Row r belongs to query q = r % queries. The last query, queries - 1, sees all keys. So q "
        "sees `q + 1 + keys - queries` of them: keys 0 up to that, and it may be 0 or less.",
        "A pack whose first key lies beyond what is seen is not loaded. In the pack at the border "
        "some elements are seen and some not: choose, `key < seen ? scale * value : -INFINITY`. "
        "(Adding -INFINITY would not do: NaN + -INFINITY is NaN.)",
        "Scale first, then look for the largest: with a negative scale the largest x is the "
        "smallest score.",
        "A row that sees nothing has the maximum -INFINITY. Subtract 0 in that case, as merge "
        "does. Then every exponential is 0, and so is the sum. Divide by it only if it is not 0.",
        "All packs of y are written, also those of keys not seen: their exponentials are 0.",
    ),
    hints_on={
        "chosen_otherwise": (
            "Query q sees the keys up to its own place, counted from the end: write down the "
            "first and the last query of a small case."
        ),
        "constant_won": (
            "A masked key must be below every possible score. Which number is below all others?"
        ),
        "over_budget": "A pack whose first key is not seen is not loaded at all.",
        "wrong_answer": (
            "How many keys does query q see? The last query sees all of them, the one before it "
            "all but one."
        ),
    },
)
