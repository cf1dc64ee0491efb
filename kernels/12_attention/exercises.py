"""What the long exercises on attention ask: inputs, references, launches, budgets, hints.

References are computed in float64. How far rounding may take an answer is derived in `attended`.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from grader.course import (
    TENSOR_CORE,
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    Requirement,
    Rule,
    WritingStep,
    covering,
    exponentials,
    hidden,
    large,
    together,
    work_is_shared,
)
from grader.course.inputs import Draw
from grader.course.references import softmax
from grader.course.tolerances import UNIT_ROUNDOFF, gamma
from grader.course.variants import operation

DIM = 32  # elements of a query, a key, a value
SCALE = np.float32(DIM**-0.5)
ROUNDINGS = 6  # of a rescaled sum per key: an exponential within 2 ulp, a product and a sum
SECTOR = 8  # floats

Arrays = dict[str, np.ndarray]


def around_1(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Values whose mean is not 0."""
    return 1 + rng.standard_normal(shape)


def vectors(
    rng: np.random.Generator,
    queries: int,
    keys: int,
    center: float = 0,
    rise: float = 0,
    draw: Draw = around_1,
) -> Arrays:
    """q, k and v whose scores have a standard deviation of about 2 around `center`, which `rise`s
    from each key to the next; `draw` makes the values."""
    q, k = (rng.standard_normal((rows, DIM)) for rows in (queries, keys))
    v = draw(rng, (keys, DIM))
    q[:, 0] = 4
    k *= 2
    k[:, 0] = (center + rise * np.arange(keys)) / (4 * SCALE)
    return {name: one.astype(np.float32) for name, one in (("q", q), ("k", k), ("v", v))}


def attended(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> dict[str, Expected]:
    """softmax(scale * q K^T) V and the logarithms of the sums of exponentials, and how far float32
    may be off. A score is an inner product of DIM terms, scaled. An error of it, which is absolute,
    makes a relative one of its exponential. With that, the weights are those of a softmax (see
    `softmax_bound`), rescaled at most once per key. y is a mean of values with these weights. It is
    off by the mean of |value| times the relative error of its weight and of the sum of weights. A
    logarithm is off by the relative error of its argument, and of its own by at most 2**-21.
    """
    left, right, values = (one.astype(np.float64) for one in (q, k, v))
    scores, magnitude = (np.float64(SCALE) * a @ b.T for a, b in pairs_of(left, right))
    weights, top = softmax(scores), scores.max(axis=1, keepdims=True)
    relative = np.expm1(gamma(DIM + 4) * magnitude)
    relative += gamma(3 * np.minimum(top - scores, 200) + 6 + ROUNDINGS * len(k))
    of_sum = (weights * relative).sum(axis=1, keepdims=True)
    off = weights * (relative + of_sum + gamma(5)) / (1 - of_sum)
    log_sum = np.log(np.exp(scores - top).sum(axis=1))
    of_lse = 2 * of_sum[:, 0] + 2.0**-21 + 3 * UNIT_ROUNDOFF * (np.abs(top[:, 0]) + log_sum)
    return {
        "lse": Expected(top[:, 0] + log_sum, np.float32, atol=of_lse),
        "y": Expected(weights @ values, np.float32, atol=off @ np.abs(values)),
    }


def pairs_of(left: np.ndarray, right: np.ndarray) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Two factors, and their magnitudes."""
    return (left, right), (np.abs(left), np.abs(right))


# --- operations of variants --------------------------------------------------------------------


def in_other_blocks(threads: int, rows: int, of_before: int):
    """Blocks of so many `threads`, which have `rows` rows instead of `of_before`: as many blocks as
    the rows need, in launches and rules."""

    def problem(made: Problem) -> Problem:
        launches = (
            replace(launch, grid=-(-launch.grid * of_before // rows), block=threads)
            for launch in made.launches
        )
        return replace(made, launches=tuple(launches))

    def told(text: str) -> str:
        return re.sub(rf"\b{of_before}\b", f"{rows}", text)

    def rule(one: Rule) -> Rule:
        where, edges = map(told, one.where), (tuple(map(told, some)) for some in one.edges)
        return replace(one, blocks=(threads,), where=tuple(where), edges=tuple(edges))

    return operation(problem, rule)


# --- tiled -------------------------------------------------------------------------------------

ROWS, KEYS = 16, 32  # queries of a block, keys of a tile


def in_tiles(
    rng: np.random.Generator, queries: int, keys: int, grid=None, block=None, **drawn
) -> Problem:
    """One launch of `tiled`."""
    given = vectors(rng, queries, keys, **drawn)
    args = ("q", "k", "v", "y", "lse", SCALE, np.int32(queries), np.int32(keys))
    launch = Launch("tiled", grid or -(-queries // ROWS), 128, args)
    return Problem(inputs=given, outputs=attended(**given), launches=(launch,))


tiled = Exercise(
    name="tiled",
    title="Attention over tiles",
    source="3_tiled.cu",
    minutes=25,
    teaches="scores stay in registers, and the output is rescaled once per tile",
    steps=(
        WritingStep(
            "the pair of each row",
            "Compute the scores of each tile, and from them `largest` and `sum` of each row.",
            outputs=("lse",),
        ),
        WritingStep(
            "the output",
            "Rescale `total`, and add the values of the tile with their weights.",
            outputs=("y",),
        ),
        WritingStep("the cost", "Read each key and each value once per block."),
    ),
    operations={"blocks of 256": in_other_blocks(256, 2 * ROWS, ROWS)},
    cases=(
        Case("16 queries, one tile of keys", lambda rng: in_tiles(rng, 16, 32), points=1),
        Case(
            "scores that rise over three tiles",
            lambda rng: in_tiles(rng, 16, 96, rise=0.3),
            points=1.5,
        ),
        Case(
            "numbers that are no multiples",
            lambda rng: in_tiles(rng, 16 + int(rng.integers(1, 16)), 32 + int(rng.integers(1, 32))),
            points=1.5,
        ),
        covering("arrays that begin anywhere", in_tiles, lambda row: row["anywhere"]),
        covering("other numbers of queries and keys", in_tiles),
        hidden(
            "scores around 130 and around -130",
            lambda rng: together(
                in_tiles(rng, 5, 50, center=130.0), in_tiles(rng, 5, 50, center=-130.0)
            ),
        ),
        Case(
            "within budget",
            lambda rng: in_tiles(rng, 32, 96),
            points=6,
            budgets=(
                Budget(
                    "global_load_sectors",
                    2 * (ROWS + 3 * 2 * KEYS) * DIM // SECTOR,
                    "each of 2 blocks reads its queries once, and each key and value once",
                ),
                Budget(
                    "barriers",
                    2 * 3 * 2 * 4,
                    "two for each of three tiles: one when it is there, one when all have used it",
                ),
                Budget("shared_load_bank_conflicts", 0, "a row of of_k has one spare cell"),
                Budget(
                    "shuffles",
                    2 * 3 * 16 * (5 + 5 + 32),
                    "per tile and row 5 for the maximum, 5 for the sum, and one for each weight",
                ),
                exponentials(),
                *work_is_shared(),
            ),
        ),
        large("1,500 keys", lambda rng: in_tiles(rng, 3, 1500 + int(rng.integers(99)))),
    ),
    hints=(
        "The tiles first: a warp loads rows of 32 elements, so its lane is the element's number. "
        "Four warps share the 32 rows. Fill rows past the last key with 0. Then all threads wait.",
        "For the scores, a lane is a key: add of_q[4 * warp + r][d] * of_k[lane][d] over d. The "
        "score of a key that does not exist is -INFINITY, so its weight is 0.",
        "The new largest is the maximum of the old one and of max_of_lanes(score). Then sum[r] = "
        "sum[r] * expf(before - largest[r]) + sum_of_lanes(weight). Rescale total[r] alike.",
        "For the output, a lane is an element of the row. __shfl_sync(~0u, weight, j) is the "
        "weight of key j. Multiply it with of_v[j][lane]. At last, all threads wait once more.",
    ),
    hints_on={
        "wrong_answer": "Is a row wrong that has one tile of keys, or only one that has several?",
        "data_race": "Two barriers: between store and use, and between use and the next store.",
        "out_of_bounds": "The last tile can have fewer than 32 keys. Which loads need a guard?",
        "uninitialized_read": "Which cells of a short last tile has no thread written?",
        "over_budget": "A block should load each key and value from global memory once.",
    },
)


# --- ragged ------------------------------------------------------------------------------------

TILE = 32  # queries of a block, and keys of a tile


def batch(rng: np.random.Generator, *lengths: tuple[int, int], spare: int = 0) -> Problem:
    """One launch of `ragged` over sequences of so many queries and keys each, with `spare` blocks
    of queries more. Sequences have different values, so a key of another one shows."""
    parts = [vectors(rng, queries, keys, rise=0.1) for queries, keys in lengths]
    q_from, k_from = (np.cumsum([0, *some], dtype=np.int32) for some in zip(*lengths, strict=True))
    outputs = [attended(**part)["y"] if len(part["k"]) else unseen(part["q"]) for part in parts]
    args = ("q", "k", "v", "y", "q_from", "k_from", SCALE)
    blocks = -(-max(queries for queries, _ in lengths) // TILE) + spare
    packed = {name: np.concatenate([part[name] for part in parts]) for name in "qkv"}
    value, bound = (
        np.concatenate([getattr(one, part) for one in outputs]) for part in ("value", "atol")
    )
    return Problem(
        inputs={**packed, "q_from": q_from, "k_from": k_from},
        outputs={"y": Expected(value, np.float32, atol=bound)},
        launches=(Launch("ragged", (blocks, len(lengths)), TILE, args),),
    )


def any_batch(rng: np.random.Generator, grid, block=None) -> Problem:
    """A batch that needs that whole grid. Of many sequences most have no query and no key."""
    blocks, sequences, *_ = (*np.atleast_1d(grid), 1)
    most = (min(TILE * blocks, 40), 40) if sequences <= 100 else (3, 40)
    lengths = rng.integers(0, np.add(most, 1), (sequences, 2))
    lengths[rng.random(sequences) < 1 - 100 / sequences] = 0
    longest = TILE * blocks - int(rng.integers(TILE))
    lengths[rng.integers(sequences)] = longest, rng.integers(1, 40 if blocks == 1 else 4)
    return batch(rng, *((int(queries), int(keys)) for queries, keys in lengths))


def long_before(rng: np.random.Generator) -> Problem:
    """Keys and queries whose numbers do not fit into 16 bits."""
    return together(batch(rng, (0, 33_000), (3, 5)), batch(rng, (33_000, 2), (3, 2)))


def unseen(q: np.ndarray) -> Expected:
    """The output of queries without keys."""
    return Expected(np.zeros(q.shape), np.float32, atol=np.zeros(q.shape))


ragged = Exercise(
    name="ragged",
    title="Sequences of different lengths",
    source="6_ragged.cu",
    minutes=15,
    teaches="offsets instead of one length, and what a sequence without keys needs",
    cases=(
        Case("one sequence of 32 keys", lambda rng: batch(rng, (32, 32)), points=1),
        Case("three sequences", lambda rng: batch(rng, (20, 40), (7, 33), (33, 5)), points=2),
        Case("a sequence without keys", lambda rng: batch(rng, (3, 6), (5, 0), (2, 9)), points=1),
        hidden(
            "a sequence without queries, first, last and between",
            lambda rng: together(
                batch(rng, (0, 9), (4, 6), (3, 1)),
                batch(rng, (4, 6), (0, 0), (3, 40)),
                batch(rng, (3, 7), (4, 33), (0, 8)),
            ),
        ),
        hidden("blocks without a query", lambda rng: batch(rng, (5, 34), (40, 3), spare=2)),
        hidden("multiples of the tile", lambda rng: batch(rng, (32, 64), (64, 32), (31, 65))),
        covering("other numbers of sequences", any_batch),
        hidden("33,000 keys of a sequence without queries, before others", long_before),
        Case(
            "within budget",
            lambda rng: batch(rng, (32, 64), (32, 32), (32, 0)),
            points=7,
            budgets=(
                Budget(
                    "global_load_sectors",
                    3 * (TILE * DIM + 8) + 3 * 2 * TILE * DIM // SECTOR,
                    "each key and value of the three tiles is read once, and each query once, by "
                    "its own thread; up to eight reads of offsets per block",
                ),
                Budget(
                    "barriers",
                    3 * 2,
                    "two for each of three tiles: a sequence of no keys has no tile",
                ),
                *work_is_shared(),
            ),
        ),
    ),
    hints=(
        "Block (x, b) works for sequence b: its first query is q_from[b] + 32 * x. All its threads "
        "need the keys k_from[b] to k_from[b + 1] - 1.",
        "A thread past the last query must not read q or write y. But it loads keys, and it "
        "reaches the barriers like all others.",
        "The last tile of a sequence is short. The cells after it in k are not unset: they are "
        "keys of the next sequence. So add only the keys that belong to this sequence.",
        "Without keys, `sum` is 0. What is 0 / 0?",
    ),
    hints_on={
        "wrong_answer": "Does a sequence get keys of the next one, or does it begin too early?",
        "barrier_divergence": "Threads without a query must reach the barriers, too.",
        "out_of_bounds": "Which thread has no query, and which row of a tile has no key?",
        "data_race": "Two barriers: between store and use, and between use and the next store.",
        "over_budget": "A block should load each of its keys once, and no key of other sequences.",
    },
)


# --- tensor_tile -------------------------------------------------------------------------------

STEP = 16  # queries of a warp, and keys of a tile


def halves(rng: np.random.Generator, keys: int, grid: int = 1, block=None, **drawn) -> Problem:
    """16 random queries per block."""
    return of_halves(**vectors(rng, STEP * int(np.atleast_1d(grid)[0]), keys, **drawn))


def of_halves(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> Problem:
    """One launch of `tensor_tile`. The products of halves are exact in float32, but a tensor core
    may cut off where float32 rounds: twice the error of a score. A weight is rounded to a half: by
    2**-11 of itself, or where it is small by 2**-25 of the largest."""
    given = {name: one.astype(np.float16) for name, one in (("q", q), ("k", k), ("v", v))}
    exact = attended(**given)
    values = np.abs(given["v"].astype(np.float64))
    left, right = (given[name].astype(np.float64) for name in "qk")
    weights = softmax(np.float64(SCALE) * left @ right.T)
    y, lse = exact["y"], exact["lse"]
    rounded = weights @ values * 2.0**-11 + 2.0**-25 * values.sum(axis=0)
    args = ("q", "k", "v", "y", "lse", SCALE, np.int32(len(k)))
    return Problem(
        inputs=given,
        outputs={
            "lse": Expected(lse.value, np.float32, atol=2 * lse.atol),
            "y": Expected(y.value, np.float32, atol=2 * y.atol + rounded),
        },
        launches=(Launch("tensor_tile", len(q) // STEP, 32, args),),
    )


def one_key_each(rng: np.random.Generator) -> Problem:
    """Eight tiles of which each row of queries has one key with a score far above all others, in
    another lane from tile to tile. A maximum without it lets an exponential overflow."""
    tiles, step = np.arange(8), np.arange(STEP)
    q, k = (np.zeros((rows, DIM)) for rows in (STEP, STEP * len(tiles)))
    q[step, step] = 200
    k[STEP * tiles[:, None] + (step + 2 * tiles[:, None]) % STEP, step] = 200 * (1 + tiles[:, None])
    return of_halves(q, k, 1 + rng.standard_normal(k.shape))


tensor_tile = Exercise(
    name="tensor_tile",
    title="A tile on tensor cores",
    source="7_tensor_tile.cu",
    minutes=25,
    teaches="the result of one product is, lane by lane, a factor of the next",
    steps=(
        WritingStep(
            "the pair of each row",
            "Compute `largest` over the four lanes of a row, and this lane's part of `sum`.",
            outputs=("lse",),
        ),
        WritingStep(
            "the output",
            "Rescale `total`, pack the weights as halves, and multiply them with the values.",
            outputs=("y",),
        ),
        WritingStep("the cost", "Use shuffles only for the maximum, and no memory for weights."),
    ),
    cases=(
        Case("one tile of keys", lambda rng: halves(rng, 16), points=1),
        Case("scores that rise over four tiles", lambda rng: halves(rng, 64, rise=0.3), points=3),
        covering("other numbers of queries and keys", halves),
        hidden(
            "scores around 130 and around -130",
            lambda rng: together(halves(rng, 48, center=130), halves(rng, 48, center=-130)),
        ),
        hidden("one key far above the others in each tile", one_key_each),
        Case(
            "within budget",
            lambda rng: halves(rng, 64, grid=2),
            points=5,
            requires=(
                Requirement(
                    TENSOR_CORE,
                    "scores and outputs are both products on tensor cores",
                    of=("y",),
                ),
            ),
            budgets=(
                Budget(
                    "shuffles",
                    2 * (4 * 2 * 2 + 4),
                    "two per tile for each of a lane's two rows, and four at the end for the sums",
                ),
                Budget(
                    "shared_store_requests",
                    0,
                    "a weight is already in the lane that needs it for the next product",
                ),
                exponentials(1.1),
                *work_is_shared(),
            ),
        ),
    ),
    hints=(
        "A lane has parts of two rows, group and group + 8. Row group has score[0][0], "
        "score[0][1], score[1][0] and score[1][1]. Row group + 8 has the others, from score[0][2].",
        "The four lanes of a group share these rows. So after its own four scores a lane takes the "
        "maximum with __shfl_xor_sync for 1 and for 2. The sum needs no shuffles: these are at the "
        "end of the kernel.",
        "Rescale total[n][0] and total[n][1] for row group, total[n][2] and total[n][3] for row "
        "group + 8. The scores are not scaled yet: the weight is expf(scale * score - largest).",
        "The factor of 16 x 16 has four registers: rows group and group + 8 of columns 0 to 7, "
        "then of columns 8 to 15. So register 0 packs score[0][0] and score[0][1], register 1 "
        "score[0][2] and score[0][3], registers 2 and 3 the same of score[1].",
        "In column `group` of the other factor, b0 packs rows column and column + 1, and b1 rows "
        "column + 8 and column + 9. A row is a key. So with at = v + (first + column) * DIM + 8 * "
        "n + group: two(at[0], at[DIM]) and two(at[8 * DIM], at[9 * DIM]).",
    ),
    hints_on={
        "wrong_answer": "Are all rows wrong, or only the lower eight? Only lse, or y as well?",
        "shuffle_divergence": "All 32 lanes must reach each shuffle and each product.",
    },
)


# --- backward ----------------------------------------------------------------------------------


def saved(rng: np.random.Generator, queries: int, keys: int, **drawn: float) -> Arrays:
    """What the backward pass gets: q, k, v, the gradient dy of the output, and of the forward pass
    its output y and its lse."""
    given = vectors(rng, queries, keys, **drawn)
    forward = {name: one.value.astype(np.float32) for name, one in attended(**given).items()}
    dy = (1 + rng.standard_normal((queries, DIM))).astype(np.float32)
    return {**given, **forward, "dy": dy}


def delta_of(y: np.ndarray, dy: np.ndarray, **_: np.ndarray) -> Expected:
    terms = y.astype(np.float64) * dy
    bound = gamma(DIM) * np.abs(terms).sum(axis=1)
    return Expected(terms.sum(axis=1), np.float32, atol=bound)


def gradients(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, y: np.ndarray, dy: np.ndarray, lse: np.ndarray
) -> dict[str, Expected]:
    """The gradients of q, k and v, and how far float32 may be off. The argument of a weight's
    exponential is a score less lse. It is off by the score's rounding and by that of both
    magnitudes. A gradient of a score is p (dy . v - dy . y): both inner products are off by
    gamma(DIM + 3) of their magnitudes. Each sum over rows adds one rounding per row, and three for
    its products."""
    q, k, v, y, dy, lse = (one.astype(np.float64) for one in (q, k, v, y, dy, lse))
    scale, (queries, keys) = np.float64(SCALE), (len(q), len(k))
    (scores, magnitude), (into, of_into) = (
        [a @ b.T for a, b in pairs_of(*pair)] for pair in ((scale * q, k), (dy, v))
    )
    argument = scores - lse[:, None]
    p = np.exp(argument)
    relative = np.expm1(gamma(DIM + 4) * magnitude + gamma(3) * np.abs(lse)[:, None])
    relative += gamma(3 * np.minimum(np.abs(argument), 200) + 6)
    ds = p * (into - (dy * y).sum(axis=1, keepdims=True))
    apart = of_into + (np.abs(dy) * np.abs(y)).sum(axis=1, keepdims=True)
    of_ds = np.abs(ds) * relative + (1 + relative) * p * gamma(DIM + 3) * apart
    of_p = p * (relative + gamma(queries + 3))
    by_query, by_key = (scale * (of_ds + gamma(rows + 3) * np.abs(ds)) for rows in (keys, queries))
    return {
        "dv": Expected(p.T @ dy, np.float32, atol=of_p.T @ np.abs(dy)),
        "dk": Expected(scale * ds.T @ q, np.float32, atol=by_key.T @ np.abs(q)),
        "dq": Expected(scale * ds @ k, np.float32, atol=by_query @ np.abs(k)),
    }


SHARED = ("q", "k", "v", "dy", "lse", "delta")
ARRAYS = {
    "deltas": ("y", "dy", "delta"),
    "key_gradients": (*SHARED, "dk", "dv"),
    "query_gradients": (*SHARED, "dq"),
}


def launched(kernel: str, queries: int, keys: int, grid: int | None = None) -> Launch:
    rows = keys if kernel == "key_gradients" else queries
    sizes = (SCALE, np.int32(queries), np.int32(keys))
    numbers = sizes[1:2] if kernel == "deltas" else sizes
    return Launch(kernel, grid or -(-rows // 4), 128, (*ARRAYS[kernel], *numbers))


def backwards(rng: np.random.Generator, queries: int, keys: int, **drawn: float) -> Problem:
    """The three launches of the backward pass."""
    given = saved(rng, queries, keys, **drawn)
    return Problem(
        inputs=given,
        outputs={"delta": delta_of(**given), **gradients(**given)},
        launches=tuple(launched(kernel, queries, keys) for kernel in ARRAYS),
    )


def one_kernel(
    rng: np.random.Generator, kernel: str, queries: int, grid: int, block: int, keys: int = 5
) -> Problem:
    """A launch of one of them, with the right delta as its input where it needs one."""
    given = saved(rng, queries, keys)
    delta = delta_of(**given)
    found = {"delta": delta, **gradients(**given)}
    needed = {**given, "delta": delta.value.astype(np.float32)}
    written = [name for name in ("delta", "dk", "dv", "dq") if name in ARRAYS[kernel][2:]]
    if kernel != "deltas":
        written.remove("delta")
    return Problem(
        inputs={name: needed[name] for name in ARRAYS[kernel] if name not in written},
        outputs={name: found[name] for name in written},
        launches=(launched(kernel, queries, keys, grid),),
    )


backward = Exercise(
    name="backward",
    title="The backward pass",
    source="8_backward.cu",
    minutes=30,
    teaches="gradients of attention, with weights computed again instead of saved",
    steps=(
        WritingStep("delta", "In `deltas`, write the sum of dy * y.", outputs=("delta",)),
        WritingStep(
            "the gradients of K and V",
            "In `key_gradients`, compute each weight and the gradient of its score, and write `dk` "
            "and `dv`.",
            outputs=("dv", "dk"),
        ),
        WritingStep("the gradient of Q", "In `query_gradients`, write `dq`.", outputs=("dq",)),
        WritingStep("the cost", "Use one exponential per weight, in each of the two kernels."),
    ),
    operations={"blocks of 64": in_other_blocks(64, 2, 4)},
    cases=(
        Case("4 queries, 4 keys", lambda rng: backwards(rng, 4, 4), points=2),
        Case("6 queries, 19 keys", lambda rng: backwards(rng, 6, 19), points=3),
        covering("other numbers of queries and keys", one_kernel),
        hidden(
            "scores around 130 and around -130, and scores that rise",
            lambda rng: together(
                backwards(rng, 5, 9, center=130.0),
                backwards(rng, 5, 9, center=-130.0),
                backwards(rng, 9, 5, rise=1.0),
            ),
        ),
        *(
            Case(
                f"within budget: {kernel}",
                lambda rng, kernel=kernel: one_kernel(rng, kernel, 16, 4, 128, keys=16),
                points=1 if kernel == "deltas" else 3.5,
                budgets=(exponentials(), *work_is_shared()),
            )
            for kernel in ARRAYS
        ),
    ),
    hints=(
        "delta is an inner product of two rows of 32 elements. A lane has one element of each, and "
        "sum_of_lanes adds the products.",
        "The weight is exp(score - lse): it needs no maximum and no sum, because both are in lse. "
        "For dv, the warp's key takes part in each query's output: dv is the sum of weight * dy.",
        "The gradient of a weight is the inner product of dy and the key's value. The gradient of "
        "the score is weight * (this gradient - delta[row]).",
        "The score is scale * (q . k). So dk is the sum of scale * (gradient of the score) * q "
        "over all queries, and dq is the sum of scale * (gradient of the score) * k over all keys.",
    ),
    hints_on={
        "wrong_answer": "Which of the four outputs is wrong first? Compare it with its formula.",
        "other_step": "Check the formula of this step with one query and one key, on paper.",
    },
)
