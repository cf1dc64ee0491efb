"""What the exercises on scans ask: inputs, references, launches, budgets, hints.

Every reference is computed in float64 from a copy of the inputs. A sum may differ from it by what
rounding can do to so many additions and no more, so that an element left out always shows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    WritingStep,
    covering,
    hidden,
    large,
    longest_path,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, offset, quarters, spikes
from grader.course.tolerances import sum_bound
from grader.course.variants import below_zero, of_ints, operation, whole

BLOCK = 256
WARPS = BLOCK // 32
IN_A_BLOCK = 64  # additions at most: along a warp, and along the sums of 32 warps


def blocks_for(n: int, block: int = BLOCK) -> int:
    return -(-n // block)


def in_rows(x: np.ndarray, length: int) -> np.ndarray:
    """float64[rows, length]: x in its order, 0 behind its end."""
    rows = np.zeros(blocks_for(x.size, length) * length)
    rows[: x.size] = x
    return rows.reshape(-1, length)


def scanned(sums: np.ndarray, magnitudes: np.ndarray, additions: int) -> Expected:
    """An output of running sums, each within what rounding does to so many additions."""
    return Expected(sums, np.float32, atol=sum_bound(additions, magnitudes))


# --- operations of variants --------------------------------------------------------------------


def running(rows: np.ndarray, scan: np.ufunc, first: float) -> np.ndarray:
    """float64 of the shape of rows: each row's running results, which begin with `first`."""
    return scan.accumulate(np.hstack([np.full((len(rows), 1), first), rows]), axis=1)


def scanning_blocks(scan: np.ufunc, first: float, numbers):
    """For `block_scan`: each block's running results of `numbers(x)`."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = {}, {}
        for launch in problem.launches:
            x, inclusive, exclusive = launch.args[:3]
            inputs[x] = numbers(problem.inputs[x])
            whole_rows = running(in_rows(inputs[x], launch.block), scan, first)
            for name, part in ((inclusive, whole_rows[:, 1:]), (exclusive, whole_rows[:, :-1])):
                outputs[name] = Expected(part.ravel()[: inputs[x].size], inputs[x].dtype)
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


def scanning_the_grid(scan: np.ufunc, first: float, numbers):
    """For `look_back`: the results of each tile, up to each tile, and up to each element."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = dict(problem.inputs), {}
        for launch in problem.launches:
            x, y, own, up_to = launch.args[:4]
            inputs[x] = numbers(problem.inputs[x])
            padded = np.full(launch.grid * launch.block, first)
            padded[: inputs[x].size] = inputs[x]
            tiles = scan.reduce(padded.reshape(launch.grid, -1), axis=1)
            values = {
                own: tiles,
                up_to: scan.accumulate(tiles),
                y: scan.accumulate(padded)[: inputs[x].size],
            }
            outputs |= {name: Expected(one, inputs[x].dtype) for name, one in values.items()}
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


def scanning_segments(scan: np.ufunc, numbers):
    """For `segments`: the running results from the start of each segment."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = dict(problem.inputs), {}
        for launch in problem.launches:
            x, head, y = launch.args[:3]
            inputs[x] = numbers(problem.inputs[x])
            starts = problem.inputs[head].astype(bool) | (np.arange(inputs[x].size) % 32 == 0)
            parts = np.split(inputs[x].astype(np.float64), np.flatnonzero(starts)[1:])
            value = np.concatenate([scan.accumulate(one) for one in parts])
            outputs[y] = Expected(value, inputs[x].dtype)
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


# --- block_scan --------------------------------------------------------------------------------


def block_sums(x: np.ndarray, block: int = BLOCK, spare_blocks: int = 0) -> Problem:
    """One launch of `block_scan` over x, with `spare_blocks` that have no element."""
    rows = in_rows(x, block)
    sums, magnitudes = (np.cumsum(one, axis=1) for one in (rows, np.abs(rows)))
    before, less = (np.hstack([np.zeros((len(one), 1)), one[:, :-1]]) for one in (sums, magnitudes))
    n = x.size
    return Problem(
        inputs={"x": x},
        outputs={
            "inclusive": scanned(sums.ravel()[:n], magnitudes.ravel()[:n], IN_A_BLOCK),
            "exclusive": scanned(before.ravel()[:n], less.ravel()[:n], IN_A_BLOCK),
        },
        launches=(
            Launch(
                "block_scan",
                len(rows) + spare_blocks,
                block,
                ("x", "inclusive", "exclusive", np.int32(n)),
            ),
        ),
    )


def any_block_sums(rng: np.random.Generator, n: int, grid: int, block: int, draw) -> Problem:
    return block_sums(draw(rng, n), block, grid - blocks_for(n, block))


block_scan = Exercise(
    name="block_scan",
    title="Scan a block by shuffles",
    minutes=12,
    teaches="scan in two levels: within warps, then over their sums",
    source="3_block_scan.cu",
    operations={
        "maximum": operation(scanning_blocks(np.fmax, -np.inf, below_zero)),
        "minimum": operation(scanning_blocks(np.fmin, np.inf, np.copy)),
        "sum of ints": operation(
            scanning_blocks(np.add, 0.0, whole),
            of_ints,
            {"large offsets and heavy tails": "other numbers"},
        ),
    },
    cases=(
        Case("one full block", lambda rng: block_sums(quarters(rng, BLOCK)), points=1),
        Case(
            "three blocks, the last one short",
            lambda rng: block_sums(quarters(rng, 2 * BLOCK + int(rng.integers(33, 200)))),
            points=1,
        ),
        covering("arrays that begin anywhere", any_block_sums, lambda row: row["anywhere"]),
        covering("blocks of all sizes, and blocks without an element", any_block_sums),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(
                block_sums(offset(rng, 700), 1024), block_sums(heavy_tailed(rng, 700), 96)
            ),
        ),
        Case(
            "within budget",
            lambda rng: block_sums(quarters(rng, 4 * BLOCK)),
            points=5,
            budgets=(
                Budget(
                    "barriers",
                    2 * WARPS * 4,
                    "the warps meet once when their results are there, and once more if one "
                    "warp scans them for all: inside a warp, shuffles need no barrier",
                ),
                Budget(
                    "shuffles",
                    12 * WARPS * 4,
                    "five for the scan of a warp, five for that of the warps, and two to spare",
                ),
                Budget(
                    "shared_load_wavefronts",
                    WARPS * WARPS * 4,
                    "a warp reads the results of other warps, once each at most: its own elements "
                    "are in registers",
                ),
                *work_is_shared(),
            ),
        ),
        large(
            "more than 65,536 elements",
            lambda rng: block_sums(spikes(rng, int(rng.integers(66_000, 67_000)), 32)),
        ),
    ),
    hints=(
        "Begin with one warp. `__shfl_up_sync(~0u, sum, offset)` gives a lane the `sum` of the "
        "lane that is `offset` below it. Which lanes may add it at a distance of 1, 2, 4, 8, 16?",
        "Lane 31 of a warp then has the sum of the whole warp. Where can it leave it so that the "
        "other warps see it, and what must lie between the write and the read?",
        "Each lane needs the sums of all warps before its own: of_warp[0] to of_warp[warp - 1]. "
        "A warp can add 32 of them in five shuffles.",
        "For the exclusive result one more shuffle with a distance of 1 moves the sums up by one "
        "lane. Lane 0 has nothing before it in its warp, so it takes 0.",
    ),
    hints_on={
        "wrong_answer": (
            "Compare the first element that is wrong with its place: is it in a lane below "
            "`offset`, in lane 0, or in warp 1?"
        ),
        "data_race": "Who writes of_warp, and who reads it? What lies between the two?",
        "shuffle_divergence": (
            "All 32 lanes come to a shuffle. Only what they do with its result is conditional."
        ),
        "over_budget": "A warp scans its own 32 values by five shuffles, without a barrier.",
    },
)


# --- look_back ---------------------------------------------------------------------------------


def one_pass(x: np.ndarray, grid: int, block: int = BLOCK) -> Problem:
    """A launch of `scan_grid` over x; state and counts must be 0 again after it."""
    tiles = in_rows(x, block)
    spare = np.zeros(grid - len(tiles))
    own, magnitude = (np.concatenate([one.sum(axis=1), spare]) for one in (tiles, np.abs(tiles)))
    whole = x.astype(np.float64)
    additions = IN_A_BLOCK + grid
    return Problem(
        inputs={
            "x": x,
            "state": np.zeros(grid, np.uint32),
            "counts": np.zeros(2, np.uint32),
        },
        outputs={
            "own": scanned(own, magnitude, IN_A_BLOCK),
            "up_to": scanned(np.cumsum(own), np.cumsum(magnitude), additions),
            "y": scanned(np.cumsum(whole), np.cumsum(np.abs(whole)), additions),
        },
        launches=(
            Launch(
                "scan_grid",
                grid,
                block,
                ("x", "y", "own", "up_to", "state", "counts", np.int32(x.size)),
            ),
        ),
    )


def any_pass(rng: np.random.Generator, n: int, grid: int, block: int, draw) -> Problem:
    return one_pass(draw(rng, n), grid, block)


def whole_pass(rng: np.random.Generator, n: int, block: int = BLOCK) -> Problem:
    return one_pass(quarters(rng, n), blocks_for(n, block), block)


look_back = Exercise(
    name="look_back",
    title="A scan of the grid in one pass",
    minutes=14,
    teaches="decoupled look-back: a state, a fence, and the sum it speaks of",
    steps=(
        WritingStep(
            "the result of the tile",
            "Write `own[tile]`, and then its state 1.",
            outputs=("own",),
        ),
        WritingStep(
            "the result up to the tile",
            "Look back for the result of all tiles before; write `up_to[tile]` and its state 2.",
            outputs=("up_to",),
        ),
        WritingStep(
            "the result and the fences",
            "Return the result of all tiles before, and put a fence between each result and its "
            "state.",
        ),
    ),
    source="5_look_back.cu",
    operations={
        "maximum": operation(scanning_the_grid(np.fmax, -np.inf, below_zero)),
        "sum of ints": operation(scanning_the_grid(np.add, 0.0, whole), of_ints),
    },
    cases=(
        Case("one block", lambda rng: whole_pass(rng, 200), points=0.5),
        Case(
            "five blocks, the last one short",
            lambda rng: whole_pass(rng, 4 * BLOCK + int(rng.integers(33, 200))),
            points=1.5,
        ),
        covering("arrays that begin anywhere", any_pass, lambda row: row["anywhere"]),
        covering("blocks of all sizes, and blocks without an element", any_pass),
        hidden(
            "blocks in another order",
            lambda rng: replace(whole_pass(rng, 7 * 32 - 5, 32), order="shuffled"),
        ),
        hidden(
            "many blocks: only the last element of each counts",
            lambda rng: one_pass(spikes(rng, 16 * 32, 32), 16, 32),
        ),
        Case(
            "within budget",
            lambda rng: whole_pass(rng, 16 * 64, 64),
            points=5,
            budgets=(
                Budget("atomics", 2 * 16, "the two that are given: one to begin, one to end"),
                longest_path(),
            ),
        ),
    ),
    hints=(
        "First publish: own[tile], then a fence, then state[tile] = 1. Why in this order?",
        "Then look at the tiles before yours, from the nearest one on: b = tile - 1, tile - 2, ... "
        "Read state[b] until it is not 0. What does 1 say, and what does 2 say?",
        "After the state, a fence; only then read the sum. With state 1 add own[b] and go on to "
        "the next tile. With state 2 add up_to[b], and you have everything.",
        "At last publish up_to[tile], the sum of what you have gathered and of your own tile; a "
        "fence; state[tile] = 2. Return what you have gathered.",
    ),
    hints_on={
        "data_race": (
            "The report names a write and a read of a sum. A fence belongs between the write and "
            "its state, and one between the state and the read."
        ),
        "wrong_answer": (
            "own[b] is one tile, up_to[b] is all tiles up to b. Which of them ends the search?"
        ),
        "timeout": "A tile waits for a state that is never written. Which one, and who writes it?",
        "over_budget": "One look at each tile is enough, and the first state of 2 ends the search.",
    },
)


# --- segments ----------------------------------------------------------------------------------


def in_segments(
    x: np.ndarray, head: np.ndarray, block: int = BLOCK, spare_blocks: int = 0
) -> Problem:
    """One launch of `segments`: each warp's elements, summed from the last head on."""
    sums, magnitudes = np.zeros((2, x.size))
    for i, value in enumerate(x.astype(np.float64)):
        goes_on = i % 32 and not head[i]
        sums[i] = value + (sums[i - 1] if goes_on else 0)
        magnitudes[i] = abs(value) + (magnitudes[i - 1] if goes_on else 0)
    grid = blocks_for(x.size, block) + spare_blocks
    return Problem(
        inputs={"x": x, "head": head},
        outputs={"y": scanned(sums, magnitudes, 32)},
        launches=(Launch("segments", grid, block, ("x", "head", "y", np.int32(x.size))),),
    )


def heads(rng: np.random.Generator, n: int, every: int = 7) -> np.ndarray:
    return rng.random(n) < 1 / every


def any_segments(rng: np.random.Generator, n: int, grid: int, block: int, draw) -> Problem:
    return in_segments(draw(rng, n), heads(rng, n), block, grid - blocks_for(n, block))


def some_segments(rng: np.random.Generator, n: int, every: int = 7) -> Problem:
    return in_segments(quarters(rng, n), heads(rng, n, every))


segments = Exercise(
    name="segments",
    title="Sums that start again",
    minutes=9,
    teaches="a segmented scan: a lane adds only from its own segment",
    source="6_segments.cu",
    operations={
        "maximum": operation(scanning_segments(np.fmax, below_zero)),
        "sum of ints": operation(scanning_segments(np.add, whole), of_ints),
    },
    cases=(
        Case("one block", lambda rng: some_segments(rng, BLOCK), points=1),
        Case(
            "long segments and short ones, the last warp partly filled",
            lambda rng: together(
                some_segments(rng, 2 * BLOCK + int(rng.integers(1, 31)), 40),
                some_segments(rng, 100 + int(rng.integers(1, 27)), 2),
            ),
            points=1,
        ),
        covering("arrays that begin anywhere", any_segments, lambda row: row["anywhere"]),
        covering("other lengths and blocks", any_segments),
        hidden(
            "every element a segment, and none",
            lambda rng: together(
                in_segments(quarters(rng, 70), np.ones(70, bool)),
                in_segments(quarters(rng, 70), np.zeros(70, bool)),
            ),
        ),
        Case(
            "within budget",
            lambda rng: some_segments(rng, 4 * BLOCK),
            points=4.5,
            budgets=(
                Budget(
                    "shuffles",
                    5 * WARPS * 4,
                    "five for each warp, as in a scan without segments: a ballot tells every lane "
                    "where all segments begin",
                ),
                Budget("barriers", 0, "no warp waits for another one"),
                Budget("shared_load_wavefronts", 0, "the lanes need no memory to pass on a result"),
                *work_is_shared(),
            ),
        ),
        large("more than 65,536 elements", lambda rng: some_segments(rng, 66_001)),
    ),
    hints=(
        "In a scan a lane adds what comes from `offset` lanes below, if there is such a lane. Here "
        "there is one more condition: that lane must belong to the same segment.",
        "In `bits = __ballot_sync(~0u, starts)`, bit l is 1 if a segment starts at lane l. A "
        "segment always starts at lane 0, so set bit 0 as well: `| 1`.",
        "Clear the bits above your own lane: `& (~0u >> (31 - lane))`. The highest bit that is "
        "left is the start of your segment: `31 - __clz(bits)`.",
    ),
    hints_on={
        "wrong_answer": "From which lane does the wrong sum take an element: of another segment?",
        "shuffle_divergence": "All 32 lanes come to a shuffle. Only the addition is conditional.",
        "out_of_bounds": "Lanes past the end have no element and no head, but they take part.",
        "over_budget": (
            "Send the sums by shuffle. After one ballot, each lane knows the starts of all "
            "segments."
        ),
    },
)


# --- compact -----------------------------------------------------------------------------------


def compacted(x: np.ndarray, block: int = BLOCK) -> Problem:
    """One launch of `compact`: what is positive in front, the rest from the end."""
    keep = x > 0
    y = np.concatenate([x[keep], x[~keep][::-1]]).astype(np.float64)
    return Problem(
        inputs={"x": x},
        outputs={
            "y": Expected(y, np.float32),
            "count": Expected(np.array([keep.sum()]), np.int32),
        },
        launches=(Launch("compact", 1, block, ("x", "y", "count", np.int32(x.size))),),
    )


def signed(rng: np.random.Generator, n: int) -> np.ndarray:
    """Numbers of both signs, no two alike; a few are 0."""
    x = rng.permutation(n).astype(np.float32) - n // 3
    x[rng.random(n) < 0.05] = 0.0
    return x


def any_signs(rng: np.random.Generator, n: int, grid: int, block: int, draw) -> Problem:
    x = draw(rng, n)
    return compacted(np.where(np.isfinite(x) & (rng.random(n) < 0.5), -x, x), block)


def of_others(keep):
    """For `compact`: the elements come to the front of which `keep(x)` is true."""

    def made(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            x, y, count = launch.args[:3]
            values = problem.inputs[x]
            front = keep(values)
            both = np.concatenate([values[front], values[~front][::-1]])
            outputs[y] = Expected(both.astype(np.float64), np.float32)
            outputs[count] = Expected(np.array([front.sum()]), np.int32)
        return replace(problem, outputs=outputs)

    return made


PASSES = 6

compact = Exercise(
    name="compact",
    title="Only the positive ones",
    minutes=12,
    teaches="the place of an element is how many are kept before it",
    source="7_compact.cu",
    operations={
        "negative": operation(of_others(lambda x: x < 0), words={"positive": "negative"}),
        "large": operation(
            of_others(lambda x: np.abs(x) > 3),
            words={"all are positive, and none": "all are above 0, and all below"},
        ),
    },
    cases=(
        Case("one part, full", lambda rng: compacted(signed(rng, BLOCK)), points=1),
        Case(
            "several parts, the last one short",
            lambda rng: compacted(signed(rng, 2 * BLOCK + int(rng.integers(33, 200)))),
            points=1,
        ),
        covering("arrays that begin anywhere", any_signs, lambda row: row["anywhere"]),
        covering("other lengths and blocks", any_signs),
        hidden(
            "all are positive, and none",
            lambda rng: together(
                compacted(quarters(rng, 300), 96), compacted(-quarters(rng, 300), 96)
            ),
        ),
        Case(
            "within budget",
            lambda rng: compacted(signed(rng, PASSES * BLOCK)),
            points=4.5,
            budgets=(
                Budget(
                    "barriers",
                    2 * WARPS * PASSES,
                    "two for each part: one when the counts of all warps are there, one when they "
                    "have been read",
                ),
                Budget(
                    "global_load_sectors",
                    PASSES * BLOCK // 8,
                    "each element is read once, 8 to a sector of 32 bytes",
                ),
                *work_is_shared(),
            ),
        ),
    ),
    hints=(
        "An element that is kept goes to the place that says how many are kept before it. That is "
        "an exclusive scan of zeros and ones.",
        "Within a warp a ballot does this scan at once: `__popc` counts the bits of a number that "
        "are 1, and `(1u << lane) - 1` has just the bits below your lane.",
        "Before the warp there are the earlier warps of this part, and all earlier parts: `kept`. "
        "Each warp leaves its count in of_warp.",
        "An element that is not kept: i - place others are before it. So its place is "
        "n - 1 - (i - place).",
    ),
    hints_on={
        "wrong_answer": "Count by hand for the first wrong place: how many are kept before it?",
        "data_race": (
            "Is it of_warp? It is written again in the next part; have all threads read it by "
            "then? Is it y? Two threads have one place: does a lane count itself, or one past the "
            "end store?"
        ),
        "shuffle_divergence": "Threads past the end come to the ballot and to the barriers, too.",
        "over_budget": "A ballot and `__popc` scan a warp; only counts of warps go through memory.",
    },
)
