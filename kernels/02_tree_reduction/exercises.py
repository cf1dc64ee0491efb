"""What the exercises on tree reduction ask: inputs, references, launches, budgets, hints.

Every reference is computed in float64 from a copy of the inputs. A sum may differ from it by what
rounding can do to a tree of that depth and no more, so that an element left out always shows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    FENCE,
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
    hidden,
    large,
    longest_path,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, negative, offset, quarters, spikes
from grader.course.tolerances import sum_bound
from grader.course.variants import MIRRORED, below_zero, of_ints, operation, signed, whole

BLOCK = 256  # threads per block, and leaves of its tree
WARPS = BLOCK // 32
TREE_DEPTH = 8  # additions between a leaf of 256 and the root
HALF_BLOCK = BLOCK // 2  # threads of the larger blocks in variants


def of_any_size(problem):
    """Hidden cases: `problem(x, spare_blocks, block)` of all sizes that may be."""

    def make(rng, n, grid, block, draw):
        return problem(draw(rng, n), grid - blocks_for(n, block), block)

    return any_blocks(make)


def any_blocks(make):
    """Hidden cases of all sizes, by what a fault in them would be."""
    return (
        covering("arrays that begin anywhere", make, lambda row: row["anywhere"]),
        covering("one block, of 32 to 256 threads", make, lambda row: row["grid"] == 1),
        covering("several blocks, up to more than 32", make),
    )


def stretches(values: np.ndarray, blocks: int, block: int, fill: float) -> np.ndarray:
    """float64[blocks, block]: the elements block by block, `fill` where there are none."""
    rows = np.full(blocks * block, fill)
    rows[: values.size] = values
    return rows.reshape(blocks, block)


def blocks_for(n: int, block: int = BLOCK) -> int:
    return -(-n // block)


# --- budgets -----------------------------------------------------------------------------------

TREE_LOADS = 2 * (4 + 2 + 1 + 5) + 1  # warps at work per step, two loads each; then the result


def tree_budgets(blocks: int) -> tuple[Budget, ...]:
    """What an interleaved tree of 256 leaves needs in each block."""
    return (
        Budget(
            "shared_load_wavefronts",
            TREE_LOADS * blocks,
            f"{TREE_LOADS} per block: 4, 2 and 1 warps fold at strides 128, 64 and 32, one warp at "
            "each of the five other strides, two loads each, and one load for the result",
        ),
        Budget(
            "divergent_branches",
            20 * blocks,
            "20 per block: only strides 16, 8, 4, 2 and 1 must split a warp, and only one warp; 8 "
            "are enough",
        ),
        *work_is_shared(),
    )


# --- operations of variants --------------------------------------------------------------------


def spikes_below_zero(x: np.ndarray) -> np.ndarray:
    """Where elements are 0, the others below 0: each of them is the smallest where it stands."""
    return -np.abs(x) if (x == 0).any() else x


def small(x: np.ndarray) -> np.ndarray:
    return whole(x) % 97


def magnitudes(rows: np.ndarray) -> np.ndarray:
    return np.fmax.reduce(np.abs(rows), axis=-1, initial=0.0)


def largest(rows: np.ndarray) -> np.ndarray:
    return np.fmax.reduce(rows, axis=-1, initial=-np.inf)


def smallest(rows: np.ndarray) -> np.ndarray:
    return np.fmin.reduce(rows, axis=-1, initial=np.inf)


def of_blocks(fold, fill: float, numbers=np.copy):
    """In each launch, the elements of each block of `numbers(x)` are folded: float64[blocks] of
    float64[blocks, block], with `fill` where a thread has no element."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = {}, {}
        for launch in problem.launches:
            x, partial = launch.args[:2]
            inputs[x] = numbers(problem.inputs[x])
            rows = stretches(inputs[x], launch.grid, launch.block, fill)
            outputs[partial] = Expected(fold(rows), inputs[x].dtype)
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


def of_products(fold, numbers, dtype=np.float32):
    """For `dot`: `fold(x * y)` of the `numbers` of both, in float64, in place of the sum."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = {}, {}
        for launch in problem.launches:
            x, y, result = launch.args[:3]
            if x in problem.inputs:
                inputs |= {name: numbers(problem.inputs[name]) for name in (x, y)}
                total = fold(inputs[x].astype(np.float64) * inputs[y])
            else:
                inputs[y] = problem.inputs[y].astype(dtype)  # ones
            if result in problem.outputs:
                outputs[result] = Expected(np.array([total]), dtype, rtol=2.0**-23)
        scratch = {name: (shape, dtype) for name, (shape, _) in problem.scratch.items()}
        return replace(problem, inputs=inputs, outputs=outputs, scratch=scratch)

    return made


def of_the_grid(fold, numbers):
    """For `last_block`: the numbers of each block are folded, and those of all."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = dict(problem.inputs), {}
        for launch in problem.launches:
            x, partial, total = launch.args[:3]
            inputs[x] = numbers(problem.inputs[x])
            owner = np.arange(inputs[x].size) // launch.block % launch.grid
            of_blocks = [fold(inputs[x][owner == block]) for block in range(launch.grid)]
            outputs[partial] = Expected(np.array(of_blocks), inputs[x].dtype)
            outputs[total] = Expected(np.array([fold(inputs[x])]), inputs[x].dtype)
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


OTHER_NUMBERS = {"large offsets and heavy tails": "other numbers"}  # of ints

OF_BLOCKS = {
    "minimum": operation(of_blocks(smallest, np.inf, spikes_below_zero)),
    "largest magnitude": operation(of_blocks(magnitudes, 0.0, signed)),
}


def with_half_blocks(answers):
    """Blocks of 128 threads in place of 256, each with every second element of its part, and the
    last of all. `answers` has the outputs of the problem that comes of it."""

    def made(problem: Problem) -> Problem:
        inputs, launches = dict(problem.inputs), []
        for launch in problem.launches:
            *arrays, n = launch.args
            if launch.block == BLOCK and arrays[0] in inputs:  # and no results of a launch before
                for one in arrays:
                    if one in inputs and problem.inputs[one].size == n:
                        inputs[one] = every_second(problem.inputs[one])
                n = np.int32(blocks_for(int(n), 2))
            block = min(launch.block, HALF_BLOCK)
            launches.append(replace(launch, block=block, args=(*arrays, n)))
        smaller = replace(problem, inputs=inputs, launches=tuple(launches))
        return replace(smaller, outputs=answers(smaller))

    words = {"32 to 256": "32 to 128", "65,536": "32,768"}
    return operation(made, up_to_half_blocks, words)


def every_second(x: np.ndarray) -> np.ndarray:
    """The elements 1, 3, 5, ..., and the last one."""
    return np.concatenate([x[1::2], x[x.size - x.size % 2 :]])


def up_to_half_blocks(rule: Rule) -> Rule:
    return replace(rule, blocks=tuple(one for one in rule.blocks if one <= HALF_BLOCK))


def of_each_launch(expected):
    """The outputs of launches with two arrays: `expected(x, blocks, block)` of the first."""

    def answers(problem: Problem) -> dict[str, Expected]:
        return {
            launch.args[1]: expected(problem.inputs[launch.args[0]], launch.grid, launch.block)
            for launch in problem.launches
        }

    return answers


# --- interleaved -------------------------------------------------------------------------------


def sum_of_each(x: np.ndarray, blocks: int, block: int) -> Expected:
    rows = stretches(x, blocks, block, 0.0)
    bound = sum_bound(TREE_DEPTH, np.abs(rows).sum(axis=1))
    return Expected(rows.sum(axis=1), np.float32, atol=bound)


def sums(x: np.ndarray, spare_blocks: int = 0, block: int = BLOCK) -> Problem:
    """One launch of `interleaved` over x, with `spare_blocks` that have nothing to do."""
    blocks = blocks_for(x.size, block) + spare_blocks
    return Problem(
        inputs={"x": x},
        outputs={"partial": sum_of_each(x, blocks, block)},
        launches=(Launch("interleaved", blocks, block, ("x", "partial", np.int32(x.size))),),
    )


interleaved = Exercise(
    name="interleaved",
    title="Fold the tile",
    minutes=9,
    teaches="a tree whose strides let whole warps be idle",
    source="2_interleaved.cu",
    operations=OF_BLOCKS
    | {
        "maximum": operation(of_blocks(largest, -np.inf, below_zero)),
        "sum of ints": operation(
            of_blocks(lambda rows: rows.sum(axis=1), 0.0, whole), of_ints, OTHER_NUMBERS
        ),
        "blocks of 128": with_half_blocks(of_each_launch(sum_of_each)),
    },
    cases=(
        Case("one full block", lambda rng: sums(quarters(rng, BLOCK)), points=1),
        Case(
            "three blocks, the last one short",
            lambda rng: sums(quarters(rng, 2 * BLOCK + int(rng.integers(33, 200)))),
            points=2,
        ),
        *of_any_size(sums),
        hidden(
            "many blocks: only the last element of each counts, and one has none",
            lambda rng: sums(spikes(rng, int(rng.integers(9_000, 10_000)), BLOCK), spare_blocks=1),
        ),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(sums(offset(rng, 700)), sums(heavy_tailed(rng, 700))),
        ),
        Case(
            "within budget",
            lambda rng: sums(quarters(rng, 4 * BLOCK)),
            points=6,
            budgets=tree_budgets(4),
        ),
        large("more than 65,536 elements", lambda rng: sums(quarters(rng, 66_000))),
    ),
    hints=(
        "With 256 cells, the first step folds cells 128 to 255 onto cells 0 to 127. Which thread "
        "adds which two cells? What is the stride of the second step, and of the last one?",
        "Start with `stride = blockDim.x / 2`, halve it at every step, and let only the threads "
        "below the stride add `tile[thread + stride]` to their own cell.",
        "A step reads what other threads wrote in the step before, so a `__syncthreads()` ends "
        "every step. All threads of the block must reach it, those that added nothing too.",
        "The last step folds tile[1] onto tile[0]: the loop runs as long as `stride > 0`.",
    ),
    hints_on={
        "other_elements": (
            "Follow a lost element: at which stride should its cell be added to another, and "
            "is there such a step?"
        ),
        "too_often": (
            "A cell that has been added is done with. Which threads add at a step, and from "
            "which cells?"
        ),
        "data_race": (
            "A step reads cells that other threads wrote in the step before. Who waits for whom, "
            "and where?"
        ),
        "barrier_divergence": (
            "A barrier is for all threads of the block, those with nothing to add included. Is "
            "it inside an `if`?"
        ),
        "over_budget": (
            "Let whole warps become idle: with 256 cells, threads 0 to 127 fold the upper half "
            "onto the lower one, then threads 0 to 63."
        ),
    },
)


# --- max ---------------------------------------------------------------------------------------


def largest_of_each(x: np.ndarray, blocks: int, block: int) -> Expected:
    return Expected(stretches(x, blocks, block, -np.inf).max(axis=1), np.float32)


def maxima(x: np.ndarray, spare_blocks: int = 0, block: int = BLOCK) -> Problem:
    """One launch of `block_max` over x. A maximum is one of the inputs, so nothing is rounded."""
    blocks = blocks_for(x.size, block) + spare_blocks
    return Problem(
        inputs={"x": x},
        outputs={"partial": largest_of_each(x, blocks, block)},
        launches=(Launch("block_max", blocks, block, ("x", "partial", np.int32(x.size))),),
    )


def rising(rng: np.random.Generator, n: int) -> np.ndarray:
    """The largest element is the last one of every block, and of all."""
    return np.sort(negative(rng, n))


def sunken(rng: np.random.Generator, n: int) -> np.ndarray:
    """Rising numbers, but in the second block far below -1e30, and from the third on -inf."""
    x = rising(rng, n)
    x[BLOCK : 2 * BLOCK] = np.sort(-rng.uniform(1e35, 3e38, BLOCK))
    x[2 * BLOCK :] = -np.inf
    return x


def lowest(rng: np.random.Generator, n: int) -> np.ndarray:
    """Close to the lowest float32 there is; the second block holds nothing but -inf."""
    x = (-3.4e38 * rng.uniform(0.9, 1, n)).astype(np.float32)
    x[BLOCK : 2 * BLOCK] = -np.inf
    return x


maximum = Exercise(
    name="max",
    title="The largest of any number of elements",
    minutes=6,
    teaches="the identity of an operation pads a tree",
    source="3_max.cu",
    operations={
        "minimum": operation(of_blocks(smallest, np.inf, np.negative), words=MIRRORED),
        "largest magnitude": operation(
            of_blocks(magnitudes, 0.0, signed),
            words={
                "negative numbers, numbers far below -1e30": (
                    "numbers of both signs, some with magnitudes far above 1e30"
                ),
                "one of -inf": "one of infinities",
                "the lowest floats there are": "the largest magnitudes there are",
            },
        ),
        "blocks of 128": with_half_blocks(of_each_launch(largest_of_each)),
    },
    cases=(
        Case("one full block", lambda rng: maxima(negative(rng, BLOCK)), points=1),
        Case(
            "negative numbers, numbers far below -1e30, a short last block, one of -inf",
            lambda rng: together(
                maxima(rising(rng, 2 * BLOCK + int(rng.integers(33, 200)))),
                maxima(sunken(rng, 2 * BLOCK + int(rng.integers(33, 200)))),
            ),
            points=2,
        ),
        *of_any_size(maxima),
        hidden(
            "the lowest floats there are, and blocks without any number",
            lambda rng: maxima(lowest(rng, 700), spare_blocks=1),
        ),
        Case(
            "within budget",
            lambda rng: maxima(negative(rng, 4 * BLOCK)),
            points=5.5,
            budgets=tree_budgets(4),
        ),
        large(
            "more than 65,536 elements, numbers of both signs",
            lambda rng: maxima(heavy_tailed(rng, int(rng.integers(66_000, 67_000)))),
        ),
    ),
    hints=(
        "A thread past the end has no element, and its cell is folded all the same. Which value "
        "can go into a max without ever changing it? For a sum it is 0.",
        "`-INFINITY` is the identity of max: fmaxf(-INFINITY, v) is v for every v. Every thread "
        "of the block fills its own cell, so no thread returns early.",
        "The loop is that of the interleaved sum, with `fmaxf(a, b)` in place of `a + b`.",
    ),
    hints_on={
        "constant_won": (
            "What stands in the cells that no element goes into must never win: what is "
            "smaller than every number there is?"
        ),
        "wrong_answer": (
            "What does a thread past the end put into its cell? It must lose against every float "
            "there is, -3e38 too."
        ),
        "over_budget": ("The fold is that of the sum, with half as many threads in every step."),
    },
)


# --- dot ---------------------------------------------------------------------------------------


def dot_product(x: np.ndarray, y: np.ndarray, blocks: int, block: int) -> Expected:
    passes = blocks_for(x.size, blocks * block)
    exact = x.astype(np.float64) * y.astype(np.float64)
    additions = (passes + TREE_DEPTH) + (blocks_for(blocks, block) + TREE_DEPTH)
    bound = sum_bound(additions, np.abs(exact).sum(keepdims=True))
    return Expected(exact.sum(keepdims=True), np.float32, atol=bound)


def dot_products(problem: Problem) -> dict[str, Expected]:
    """The output of each launch on x and y, or on its partial results."""
    outputs = {}
    for launch in problem.launches:
        x, y, result = launch.args[:3]
        if x in problem.inputs:
            arrays = problem.inputs[x], problem.inputs[y]
            total = dot_product(*arrays, launch.grid, launch.block)
        if result in problem.outputs:
            outputs[result] = total
    return outputs


def products(x: np.ndarray, y: np.ndarray, blocks: int, block: int = BLOCK) -> Problem:
    """`dot` on a grid of `blocks`, then once more with one block, on its partial results and ones:
    so it is the dot product that counts, and not which block took which elements. A single block
    is done after the first launch, and shows a sign that two launches turn back."""
    return Problem(
        inputs={"x": x, "y": y, "ones": np.ones(blocks, np.float32)},
        scratch={"partial": ((blocks,), np.float32)},
        outputs={"total": dot_product(x, y, blocks, block)},
        launches=(
            Launch("dot", blocks, block, ("x", "y", "partial", np.int32(x.size))),
            Launch("dot", 1, block, ("partial", "ones", "total", np.int32(blocks))),
        )
        if blocks > 1
        else (Launch("dot", 1, block, ("x", "y", "total", np.int32(x.size))),),
    )


def whole_products(rng: np.random.Generator, n: int, blocks: int, block: int = BLOCK) -> Problem:
    return products(quarters(rng, n), quarters(rng, n), blocks, block)


def dot_budgets(blocks: int, passes: int) -> tuple[Budget, ...]:
    """What `passes` full passes of a grid-stride loop and a tree in every block need, and the
    second launch with its one pass and one block."""
    sectors = 2 * (passes * blocks * WARPS * 4 + 1)
    return (
        Budget(
            "global_load_sectors",
            sectors,
            "4 sectors of 32 bytes for each warp and vector in every pass: neighbouring threads "
            "read neighbouring elements; and 2 for the second launch",
        ),
        Budget(
            "barriers",
            (TREE_DEPTH + 1) * WARPS * (blocks + 1),
            "one for the filled tile and one per step, for each of a block's 8 warps: the tree is "
            "built once, however many passes there are",
        ),
        *tree_budgets(blocks + 1),
    )


dot = Exercise(
    name="dot",
    title="A dot product on a grid of any size",
    minutes=9,
    teaches="a grid-stride loop in front of a tree",
    source="4_dot.cu",
    operations={
        "largest product": operation(of_products(largest, below_zero)),
        "largest magnitude": operation(of_products(magnitudes, signed)),
        "product of ints": operation(of_products(np.sum, small, np.int32), of_ints, OTHER_NUMBERS),
        "blocks of 128": with_half_blocks(dot_products),
    },
    cases=(
        Case("as many threads as elements", lambda rng: whole_products(rng, 512, 2), points=1),
        Case(
            "five passes, the last one short",
            lambda rng: whole_products(rng, 4 * 512 + int(rng.integers(33, 400)), 2),
            points=2,
        ),
        *any_blocks(
            lambda rng, n, grid, block, draw: products(draw(rng, n), quarters(rng, n), grid, block)
        ),
        hidden(
            "many blocks: only the last element of each counts",
            lambda rng: products(spikes(rng, 19_000, BLOCK), spikes(rng, 19_000, BLOCK), 40),
        ),
        hidden(
            "large offsets and heavy tails",
            lambda rng: products(offset(rng, 2000), heavy_tailed(rng, 2000), 3),
        ),
        Case(
            "within budget",
            lambda rng: whole_products(rng, 33 * 8 * BLOCK, 8),
            points=6,
            budgets=dot_budgets(8, 33),
        ),
        large("more than 65,536 elements, 3 blocks", lambda rng: whole_products(rng, 66_000, 3)),
    ),
    hints=(
        "A thread's first element is number blockIdx.x * blockDim.x + threadIdx.x of the grid. "
        "How many threads does the whole grid have? That is the distance to its next element.",
        "Add the products up in a register, a plain `float sum = 0.0f`. No other thread can see "
        "it, so no barrier is needed until it is written into the tile.",
        "Write `tile[thread] = sum` once, after the loop, also for a thread that had no element. "
        "Then a barrier, and the same fold as before.",
    ),
    hints_on={
        "other_elements": (
            "All threads of the grid share x: where does a thread begin, and how far is it to "
            "its next element?"
        ),
        "too_often": (
            "How many threads does the whole grid have, not the block alone? That is the step "
            "from element to element."
        ),
        "barrier_divergence": (
            "The first loop is of different length for different threads, so no barrier may stand "
            "in it."
        ),
        "over_budget": (
            "Each thread adds up in a register, in steps of the whole grid; the tree comes once, "
            "after the loop."
        ),
    },
)


# --- last_block --------------------------------------------------------------------------------


def sums_of_the_grid(x: np.ndarray, blocks: int, block: int) -> tuple[Expected, Expected]:
    """What each block's threads own adds up to, and all of x."""
    of_block = blocks_for(x.size, blocks * block) + TREE_DEPTH
    additions = of_block + (blocks_for(blocks, block) + TREE_DEPTH)
    owner = np.arange(x.size) // block % blocks
    own, own_magnitude = (
        np.bincount(owner, weights=one, minlength=blocks) for one in (x, np.abs(x))
    )
    exact = x.sum(dtype=np.float64, keepdims=True)
    bound = sum_bound(additions, np.abs(x).sum(dtype=np.float64, keepdims=True))
    return (
        Expected(own, np.float32, atol=sum_bound(of_block, own_magnitude)),
        Expected(exact, np.float32, atol=bound),
    )


def sums_and_totals(problem: Problem) -> dict[str, Expected]:
    outputs = {}
    for launch in problem.launches:
        x, partial, total = launch.args[:3]
        both = sums_of_the_grid(problem.inputs[x], launch.grid, launch.block)
        outputs |= zip((partial, total), both, strict=True)
    return outputs


def in_one_launch(x: np.ndarray, blocks: int, block: int = BLOCK, times: int = 2) -> Problem:
    """`last_block` on a grid of `blocks`, twice: `finished` must be 0 again for the second time.
    Every total takes one number from each block, and the same blocks may finish in any order."""
    partial, total = sums_of_the_grid(x, blocks, block)
    totals = ("total", "total_again")[:times]
    return Problem(
        inputs={"x": x, "finished": np.zeros(1, np.uint32)},
        outputs={"partial": partial, **dict.fromkeys(totals, total)},
        launches=tuple(
            Launch(
                "last_block", blocks, block, ("x", "partial", name, "finished", np.int32(x.size))
            )
            for name in totals
        ),
    )


def whole_sum(rng: np.random.Generator, n: int, blocks: int, block: int = BLOCK) -> Problem:
    return in_one_launch(quarters(rng, n), blocks, block)


def last_block_budgets(n: int, blocks: int) -> tuple[Budget, ...]:
    """Two launches: x once, the partial sums once, one ticket per block."""
    return (
        Budget(
            "global_load_sectors",
            2 * (n + blocks) // 8,
            "8 elements a sector, of x and of the partial results alike: neighbouring threads read "
            "neighbouring elements, when the last block finishes too",
        ),
        Budget("atomics", 2 * blocks, "one ticket for each block, drawn by one of its threads"),
        longest_path(),
    )


def fences(blocks: int) -> Requirement:
    """The simulated GPU asks for the fence of the block that writes; CUDA's memory model asks for
    one in the block that reads, too, unless its loads are volatile, relaxed or acquire loads."""
    return Requirement(
        FENCE,
        "Each block needs one between its partial result and its ticket. The last block needs "
        "one more, between its ticket and the partial results that it reads; or it reads them by "
        "volatile, relaxed or acquire loads",
        at_least=2 * (blocks + 1),
    )


last_block = Exercise(
    name="last_block",
    title="A sum in one launch",
    minutes=14,
    teaches="one launch: the last block finishes",
    steps=(
        WritingStep(
            "the results of the blocks",
            "Let thread 0 of each block write the block's result to `partial`.",
            outputs=("partial",),
        ),
        WritingStep(
            "the total",
            "Let each block draw a ticket, and let the last one write the whole result to `total`.",
            outputs=("total",),
        ),
        WritingStep(
            "the next launch, the fences and the cost",
            "Set `finished` back to 0, put both fences in, and let neighbouring threads read "
            "neighbouring results.",
        ),
    ),
    source="7_last_block.cu",
    operations={
        "maximum": operation(of_the_grid(largest, below_zero)),
        "minimum": operation(of_the_grid(smallest, spikes_below_zero)),
        "largest magnitude": operation(of_the_grid(magnitudes, signed)),
        "sum of ints": operation(of_the_grid(np.sum, whole), of_ints),
        "blocks of 128": with_half_blocks(sums_and_totals),
    },
    cases=(
        Case("one block", lambda rng: whole_sum(rng, 700, 1), points=0.5),
        Case(
            "five blocks, the last pass short",
            lambda rng: whole_sum(rng, 2 * 5 * BLOCK + int(rng.integers(33, 400)), 5),
            points=2,
        ),
        *any_blocks(lambda rng, n, grid, block, draw: in_one_launch(draw(rng, n), grid, block, 1)),
        Case(
            "more blocks than a block has threads",
            lambda rng: whole_sum(rng, 257 * 32, 257, block=32),
            points=0.5,
        ),
        hidden(
            "blocks that finish in another order",
            lambda rng: replace(whole_sum(rng, 360, 3, block=64), order="shuffled"),
        ),
        hidden(
            "many blocks: only the last element of each counts",
            lambda rng: in_one_launch(spikes(rng, 10 * BLOCK, BLOCK), 10),
        ),
        Case(
            "the last block reads after its ticket",
            lambda rng: whole_sum(rng, 3 * BLOCK, 3),
            points=1,
            requires=(fences(3),),
        ),
        Case(
            "within budget",
            lambda rng: whole_sum(rng, 64 * BLOCK, 64),
            points=7,
            budgets=last_block_budgets(64 * BLOCK, 64),
        ),
        large("more than 65,536 elements, 5 blocks", lambda rng: whole_sum(rng, 66_000, 5)),
    ),
    hints=(
        "Thread 0 of each block does what the block of `tickets` did: it leaves the sum in "
        "partial[blockIdx.x], then a fence, then `atomicAdd(finished, 1)`. The ticket of the last "
        "block is gridDim.x - 1.",
        "Only thread 0 knows the ticket, and all threads must know whether to go on. Let it write "
        "`last`, and let all of them read it after a `__syncthreads()`.",
        "The last block adds up gridDim.x numbers with blockDim.x threads, and either may be "
        "larger. Which loop lets any number of threads read any number of elements? Here the "
        "threads are those of one block.",
        "Each thread of the last block adds up partial[thread], partial[thread + blockDim.x], ... "
        "in a register; `block_sum` does the rest. Thread 0 writes `*total`, and sets `*finished` "
        "back to 0, or the next launch draws tickets that are too high.",
    ),
    hints_on={
        "other_elements": (
            "The last block needs the sums of all blocks, and there may be more of them than "
            "it has threads."
        ),
        "data_race": (
            "What a thread wrote to partial must be visible to all blocks before it draws its "
            "ticket. The block with the last ticket must read after that."
        ),
        "over_budget": (
            "The last block has as many threads as any other: let all of them add up partial sums, "
            "then call block_sum once more."
        ),
    },
)
