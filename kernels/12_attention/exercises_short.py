"""The short exercises on attention.

References are computed in float64. How far rounding may take an answer is derived in `attended`.
"""

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
    covering,
    hidden,
    one_launch,
    work_is_shared,
)
from grader.course.references import softmax
from grader.course.tolerances import gamma, sum_bound
from grader.course.variants import operation

DIM = 32  # elements of a query, a key, a value
SCALE = np.float32(DIM**-0.5)
ROUNDINGS = 6  # of a rescaled sum per key: an exponential within 2 ulp, a product and a sum


def vectors(
    rng: np.random.Generator, queries: int, keys: int, center: float = 0, rise: float = 0
) -> dict[str, np.ndarray]:
    """q, k and v whose scores have a standard deviation of about 2 around `center`, which `rise`s
    from each key to the next. The mean of the values is not 0."""
    q, k, v = (rng.standard_normal((rows, DIM)) for rows in (queries, keys, keys))
    q[:, 0] = 4
    k *= 2
    k[:, 0] = (center + rise * np.arange(keys)) / (4 * SCALE)
    return {name: one.astype(np.float32) for name, one in (("q", q), ("k", k), ("v", 1 + v))}


def scores_of(q: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """scale * q K^T in float64, and the sum of the magnitudes of each score's terms."""
    left, right = q.astype(np.float64), k.astype(np.float64)
    scale = np.float64(SCALE)
    return scale * left @ right.T, scale * np.abs(left) @ np.abs(right).T


def seen_by(queries: int, keys: int) -> np.ndarray:
    """Which keys each query sees, the queries being the last positions: bool[queries, keys]."""
    return np.arange(keys) <= np.arange(queries)[:, None] + keys - queries


def attended(
    q: np.ndarray, k: np.ndarray, v: np.ndarray, seen: np.ndarray | bool = True
) -> Expected:
    """softmax(scale * q K^T) V over the keys that a query has `seen`, and how far float32 may be
    off. A score is an inner product of DIM terms, scaled. An error of it, which is absolute, makes
    a relative one of its exponential. With that, the weights are those of a softmax (see
    `softmax_bound`), rescaled at most once per key. y is a mean of values with these weights. It is
    off by the mean of |value| times the relative error of its weight and of the sum of weights.
    """
    scores, magnitude = scores_of(q, k)
    scores = np.where(seen, scores, -np.inf)
    weights, values = softmax(scores), v.astype(np.float64)
    distance = np.minimum(scores.max(axis=1, keepdims=True) - scores, 200)
    relative = np.expm1(gamma(DIM + 4) * magnitude)
    relative += gamma(3 * distance + 6 + ROUNDINGS * len(k))
    of_sum = (weights * relative).sum(axis=1, keepdims=True)
    off = weights * (relative + of_sum + gamma(5)) / (1 - of_sum)
    return Expected(weights @ values, np.float32, atol=off @ np.abs(values))


# --- causal_scores -----------------------------------------------------------------------------


def masked(rng: np.random.Generator, queries: int, keys: int, grid=None, block=None) -> Problem:
    """One launch over all scores, and with a given `grid` of spare blocks, too."""
    given = vectors(rng, queries, keys)
    scores, magnitude = scores_of(given["q"], given["k"])
    return one_launch(
        "causal_scores",
        grid or (-(-keys // 32), -(-queries // 8)),
        (32, 8),
        {"q": given["q"], "k": given["k"]},
        {"s": np.where(seen_by(queries, keys), scores, -np.inf)},
        SCALE,
        np.int32(queries),
        np.int32(keys),
        atol=sum_bound(DIM + 4, magnitude),
    )


causal_scores = Exercise(
    name="causal_scores",
    title="The last queries of a sequence",
    source="0_causal_scores.cu",
    kind=Bug(given="    const bool seen = key <= row;\n"),
    minutes=1,
    teaches="a causal mask compares positions, not row numbers",
    cases=(
        Case("six queries, six keys", lambda rng: masked(rng, 6, 6), points=0.5),
        Case("two queries, six keys", lambda rng: masked(rng, 2, 6), points=0.5),
        covering("other numbers of queries and keys", masked),
    ),
    hints=(
        "A sequence has six positions, and the two queries are the last ones. At which position is "
        "query 0?",
        "Key 0 is at position 0, but query 0 is at position keys - queries.",
    ),
)


# --- one_row -----------------------------------------------------------------------------------


def rows(rng: np.random.Generator, keys: int, grid: int, block: int, center=0.0) -> Problem:
    """One launch of `one_row`, with one block per query."""
    given = vectors(rng, grid, keys, center)
    launch = Launch(
        "one_row", grid, block, ("q", "k", "v", "y", SCALE, np.int32(keys)), shared_mem=4 * keys
    )
    return Problem(inputs=given, outputs={"y": attended(**given)}, launches=(launch,))


one_row = Exercise(
    name="one_row",
    title="One block per query",
    source="1_one_row.cu",
    kind=Place(),
    minutes=4,
    teaches="the three phases of attention, and what each needs from the one before",
    cases=(
        Case(
            "no race, and no barrier too many",
            lambda rng: rows(rng, 70, 3, 64),
            points=2,
            budgets=(
                Budget(
                    "barriers",
                    3 * 3 * 2,
                    "three for each of two warps: the scores are there, all threads have read "
                    "them, the weights are there",
                ),
            ),
        ),
        covering("blocks of 1 to 32 warps, and other numbers of keys", rows),
        hidden("scores around 130", lambda rng: rows(rng, 33, 2, 64, center=130.0)),
    ),
    hints=(
        "The kernel has three phases: scores, weights, sums. Which lines write `weight`, and which "
        "lines read what other threads have written?",
        "A thread that is ahead writes exp(score - largest) into a cell. Does another thread still "
        "need the score in this cell?",
        "One barrier after the scores, one after the loop for the maximum, one after the weights.",
    ),
    hints_on={"data_race": "The report names two lines. A barrier belongs between them."},
)


# --- one_query ---------------------------------------------------------------------------------


def queried(rng: np.random.Generator, queries: int, keys: int, grid=None, block=32, **drawn):
    """One launch of `one_query`, with one thread per query."""
    given = vectors(rng, queries, keys, **drawn)
    args = ("q", "k", "v", "y", SCALE, np.int32(queries), np.int32(keys))
    launch = Launch("one_query", grid or -(-queries // block), block, args)
    return Problem(inputs=given, outputs={"y": attended(**given)}, launches=(launch,))


one_query = Exercise(
    name="one_query",
    title="The output is rescaled, too",
    source="2_one_query.cu",
    kind=Order(
        (
            "const float shrink = expf(largest - before);",
            "sum = sum + weight;",
            "for (int d = 0; d < DIM; d++) total[d] += weight * v[key * DIM + d];",
            "const float weight = expf(score - before);",
        )
    ),
    minutes=5,
    teaches="a sum of values is rescaled like the sum of weights",
    cases=(
        Case("one key", lambda rng: queried(rng, 3, 1), points=0.5),
        Case("scores that rise", lambda rng: queried(rng, 5, 9, rise=0.7), points=1.5),
        covering("other numbers of queries and keys", queried, factor=6),
        hidden("scores around 130", lambda rng: queried(rng, 4, 21, center=130.0)),
    ),
    hints=(
        "The new maximum needs the old one. Which line must come before `largest` changes?",
        "`sum` and `total` are sums of the same weights. Whatever happens to one of them happens "
        "to the other.",
        "The old sums are multiplied by e^(old maximum - new maximum), which is at most 1.",
    ),
)


# --- causal_tiles ------------------------------------------------------------------------------


def caused(rng: np.random.Generator, queries: int, keys: int, grid=None, block=None) -> Problem:
    given = vectors(rng, queries, keys)
    args = ("q", "k", "v", "y", SCALE, np.int32(queries), np.int32(keys))
    launch = Launch("causal_tiles", grid or -(-queries // 32), 32, args)
    expected = attended(**given, seen=seen_by(queries, keys))
    return Problem(inputs=given, outputs={"y": expected}, launches=(launch,))


OF_A_TILE = 2 * 32 * DIM // 8  # sectors of 32 keys and their values
OF_QUERIES = 32 * DIM  # sectors of 32 queries, read by one thread each, one element at a time

causal_tiles = Exercise(
    name="causal_tiles",
    title="Tiles that no query sees",
    source="4_causal_tiles.cu",
    kind=Cheaper(given="    const int end = keys;\n"),
    minutes=4,
    teaches="a causal mask leaves out whole tiles, so it costs half as much as no mask",
    cases=(
        Case(
            "within budget",
            lambda rng: caused(rng, 96, 96),
            points=2,
            budgets=(
                Budget(
                    "global_load_sectors",
                    (1 + 2 + 3) * OF_A_TILE + 3 * OF_QUERIES,
                    "the three blocks need one, two and three of the three tiles",
                ),
                *work_is_shared(),
            ),
        ),
        Case("40 queries, 100 keys", lambda rng: caused(rng, 40, 100), points=1),
        covering("other numbers of queries and keys", caused),
    ),
    hints=(
        "Which query of a block sees the most keys? At which position is it?",
        "The last query of the block is TILE * (blockIdx.x + 1) - 1. The keys end one position "
        "after its own, but there are only `keys` keys.",
    ),
)


# --- short_tile --------------------------------------------------------------------------------


def weighted(rng: np.random.Generator, keys: int, grid: int = 2, block=None) -> Problem:
    """One launch of `short_tile`: four rows of weights per block."""
    given = vectors(rng, 4 * grid, keys)
    p = softmax(scores_of(given["q"], given["k"])[0]).astype(np.float32)
    weights, values = p.astype(np.float64), given["v"].astype(np.float64)
    bound = sum_bound(2 * keys, weights @ np.abs(values))
    return one_launch(
        "short_tile",
        grid,
        128,
        {"p": p, "v": given["v"]},
        {"y": weights @ values},
        np.int32(keys),
        atol=bound,
    )


def in_half_blocks(problem: Problem) -> Problem:
    """For `short_tile`: twice as many blocks, of 64 threads and two rows."""
    launches = (replace(one, grid=2 * one.grid, block=64) for one in problem.launches)
    return replace(problem, launches=tuple(launches))


UNSET = Hazard("uninitialized_read", ("of_v[j][lane]",))

short_tile = Exercise(
    name="short_tile",
    title="A weight of 0 is not enough",
    source="5_short_tile.cu",
    operations={"blocks of 64": operation(in_half_blocks)},
    kind=Break(
        given="            of_v[j][lane] = first + j < keys ? v[(first + j) * DIM + lane] : 0.0f;\n"
    ),
    minutes=3,
    teaches="0 times what is in unset memory can be NaN, so a short tile is filled with 0",
    cases=(
        Case("20 keys", lambda rng: weighted(rng, 20), points=1.5, hazard=UNSET),
        Case(
            "other numbers", lambda rng: weighted(rng, 20), points=0.5, visible=False, hazard=UNSET
        ),
        hidden("50 keys, of which the second tile has 18", lambda rng: weighted(rng, 50)),
        hidden("64 keys", lambda rng: weighted(rng, 64)),
    ),
    hints=(
        "What is in a cell of shared memory that no thread has written? What is 0 * NaN?",
        "Only keys that exist must be loaded. What does the given line write for the others?",
        "With 50 keys, the cells after the last key still have the values of the first tile, and 0 "
        "times these is 0. So write only the cells of keys that exist.",
    ),
)
