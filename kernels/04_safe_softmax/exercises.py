"""What the exercises on safe softmax ask: inputs, references, launches, budgets, hints.

References are float64. What rounding can do to a float32 softmax is derived in
grader.course.tolerances.softmax_bound; a sum of exponentials that is checked by itself follows
steps 1 to 3 of the same derivation.
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
from grader.course.inputs import heavy_tailed, negative, normal, offset
from grader.course.references import softmax
from grader.course.tolerances import gamma, softmax_bound
from grader.course.variants import MIRRORED, operation

SECTOR = 8  # floats in a sector of 32 bytes
IN_BLOCK = (
    5 + 32
)  # additions on the way from a thread to its block's sum, were warps added one by one
TINY = 2.0**-124  # what may be flushed to zero
LOWEST = np.finfo(np.float32).min


def passes(n: int, threads: int) -> int:
    """How many elements the busiest of `threads` owns."""
    return -(-n // threads)


# --- inputs ------------------------------------------------------------------------------------


def level(rng: np.random.Generator, shape) -> np.ndarray:
    """The same number everywhere: every element has the same share, so each is missed."""
    return np.full(shape, rng.uniform(-50, 50), np.float32)


def steep(rng: np.random.Generator, shape) -> np.ndarray:
    """exp of it runs from far below the smallest float to far above the largest."""
    return normal(rng, shape, scale=60)


def deep(rng: np.random.Generator, shape) -> np.ndarray:
    """So far below 0 that exp of it is 0; the largest element of a row is its last."""
    return np.sort(negative(rng, shape), axis=-1) - 200


def huge(rng: np.random.Generator, shape) -> np.ndarray:
    """Both signs, up to the largest float: even a difference overflows."""
    return rng.uniform(-3.4e38, 3.4e38, shape).astype(np.float32)


def lowest(rng: np.random.Generator, shape) -> np.ndarray:
    """The lowest float there is, but in the first row: what some libraries mask with."""
    x = np.full(shape, LOWEST)
    x[0] = normal(rng, shape[1])
    return x


def masked(rng: np.random.Generator, shape) -> np.ndarray:
    """About half of the elements are -inf; the last never is."""
    x = normal(rng, shape)
    x[rng.random(shape) < 0.5] = -np.inf
    x[..., -1] = 1
    return x


def with_one(rng: np.random.Generator, n: int, value: float) -> np.ndarray:
    """Normal numbers, and `value` once."""
    x = normal(rng, n)
    x[rng.integers(n)] = value
    return x


# --- operations of variants --------------------------------------------------------------------


def other_answers(expected, additions):
    """For `operation`: where a launch writes `y`, `expected(x, number)` takes its place; `number`
    is that of the additions, `additions(x, launch)`."""

    def other(problem: Problem) -> Problem:
        outputs = dict(problem.outputs)
        for launch in problem.launches:
            x = problem.inputs[launch.args[0]]
            for name in outputs.keys() & set(launch.args):
                if name.startswith("y"):
                    with np.errstate(all="ignore"):  # of infinities
                        outputs[name] = expected(x, additions(x, launch))
        return replace(problem, outputs=outputs)

    return other


def in_base_2(x: np.ndarray) -> np.ndarray:
    """float64: numbers whose softmax is that of x with 2^x in place of e^x."""
    return np.log(2) * x.astype(np.float64)


def base_2(x: np.ndarray, additions: int) -> Expected:
    """Softmax with 2^x in place of e^x."""
    x = in_base_2(x)
    return Expected(softmax(x), np.float32, atol=softmax_bound(x, additions))


def with_zero(x: np.ndarray, additions: int) -> Expected:
    """Softmax of each row and one more element, 0, whose share is left out."""
    x = np.concatenate([x, np.zeros((*x.shape[:-1], 1), x.dtype)], axis=-1)
    bound = softmax_bound(x, additions + 6)  # the element 0 is merged once
    return Expected(softmax(x)[..., :-1], np.float32, atol=bound[..., :-1])


def logarithms(x: np.ndarray, additions: int) -> Expected:
    """The logarithm of the softmax, x - m - log(s) with the maximum m and the sum s. What is
    relative in s is absolute in log(s), and each operation is rounded, also that of m + log(s)."""
    exact = x.astype(np.float64)
    largest = exact.max(axis=-1, keepdims=True)
    below = exact - largest
    logarithm = np.log(np.exp(below).sum(axis=-1, keepdims=True))
    terms = softmax(x) * gamma(3 * np.minimum(-below, 200) + 4 + additions)
    of_sum = np.nansum(terms, axis=-1, keepdims=True)
    bound = 2 * of_sum + gamma(4) * (1 - below + np.abs(largest) + np.abs(logarithm))
    value = below - logarithm
    value[value < LOWEST] = -np.inf
    return Expected(value, np.float32, atol=np.where(np.isfinite(value), bound, 0.0))


def smallest_first(problem: Problem) -> Problem:
    """Softmin: each number has the other sign, the largest and its kernel's name too."""

    def negated(argument):
        return -argument if isinstance(argument, np.float32) else argument

    launches = tuple(
        replace(
            launch,
            kernel=launch.kernel.replace("_max", "_min"),
            args=(launch.args[0], negated(launch.args[1]), *launch.args[2:]),
        )
        for launch in problem.launches
    )
    outputs = {
        name: replace(one, value=-one.value) if name.startswith("maxima") else one
        for name, one in problem.outputs.items()
    }
    inputs = {name: -x for name, x in problem.inputs.items()}
    return replace(problem, inputs=inputs, outputs=outputs, launches=launches)


def of_smallest(rule: Rule) -> Rule:
    """The rule of a kernel that looks for the smallest, with the names that say so."""
    parameters = tuple(
        one.replace("largest", "smallest").replace("maxima", "minima") for one in rule.parameters
    )
    return replace(rule, kernel=rule.kernel.replace("_max", "_min"), parameters=parameters)


# --- elementary --------------------------------------------------------------------------------


def by_block(x: np.ndarray, blocks: int, block: int, fill: float) -> np.ndarray:
    """float64[blocks, elements]: what each block's threads own, `fill` where there is nothing."""
    count = passes(x.size, blocks * block)
    owned = np.full(count * blocks * block, fill)
    owned[: x.size] = x
    return owned.reshape(count, blocks, block).swapaxes(0, 1).reshape(blocks, count * block)


def exponential_sums(x: np.ndarray, blocks: int, block: int) -> Expected:
    """The sums that `exp_sum` leaves, and what rounding can do to them."""
    distance = x.max() - by_block(x, blocks, block, -np.inf)
    terms = np.exp(-distance)
    additions = passes(x.size, blocks * block) + IN_BLOCK
    relative = gamma(3 * np.minimum(distance, 200) + 4 + additions)
    return Expected(terms.sum(axis=1), np.float32, atol=(terms * relative).sum(axis=1) + TINY)


def in_three_launches(x: np.ndarray, blocks: int = 2, block: int = 128) -> Problem:
    """The three launches of the elementary softmax; what the host finds in between is given."""
    largest = x.max()
    total = np.float32(np.exp(x.astype(np.float64) - largest).sum())
    n = np.int32(x.size)
    maxima = by_block(x, blocks, block, -np.inf).max(axis=1)
    return Problem(
        inputs={"x": x},
        outputs={
            "maxima": Expected(maxima, np.float32),
            "sums": exponential_sums(x, blocks, block),
            "y": Expected(softmax(x), np.float32, atol=softmax_bound(x, additions=1)),
        },
        launches=(
            Launch("partial_max", blocks, block, ("x", "maxima", n)),
            Launch("exp_sum", blocks, block, ("x", largest, "sums", n)),
            Launch("normalize", blocks, block, ("x", largest, total, "y", n)),
        ),
    )


def powers_of_2(problem: Problem) -> Problem:
    """The three launches with 2^x in place of e^x."""
    outputs, launches = dict(problem.outputs), []
    for launch in problem.launches:
        name, largest, *others = launch.args
        x = problem.inputs[name]
        if launch.kernel == "exp_sum":
            outputs[others[0]] = exponential_sums(in_base_2(x), launch.grid, launch.block)
        if launch.kernel == "normalize":
            others[0] = np.float32(np.exp2(x.astype(np.float64) - largest).sum())
            outputs[others[1]] = base_2(x, additions=1)
        launches.append(replace(launch, args=(name, largest, *others)))
    return replace(problem, outputs=outputs, launches=tuple(launches))


def any_three(rng, kernel: str, n: int, grid: int, block: int, draw) -> Problem:
    """All three launches, whichever `kernel` the sizes are meant for."""
    return in_three_launches(draw(rng, n), grid, block)


def elementary_budgets(n: int, blocks: int, warps: int) -> tuple[Budget, ...]:
    return (
        Budget(
            "global_load_sectors",
            3 * n // SECTOR,
            "each of the three launches reads x once, and neighbouring threads read neighbouring "
            "elements: 4 sectors of 32 bytes for the 32 floats of a warp",
        ),
        Budget(
            "global_store_sectors",
            n // SECTOR + 2 * blocks,
            "y is written once, by neighbouring threads, and a block writes two partial results",
        ),
        Budget(
            "barriers",
            4 * warps * blocks,
            "a block reduces once in each of two launches, after its loop and not in it; by "
            "shuffles that takes a barrier or two",
            per=("warp and reduction", 2 * warps * blocks),
        ),
        *work_is_shared(),
        exponentials(),
    )


def shuffled(*of: str) -> tuple[Requirement, ...]:
    """That what a warp has found meets by shuffles, in the outputs `of` or in all of them."""
    why = "5 steps combine 32 lanes, in each reduction of a block"
    return (Requirement(SHUFFLE, why, levels=5, of=of),)


elementary = Exercise(
    name="elementary",
    title="One vector, three launches, and the host in between",
    minutes=9,
    teaches="the sum of exponentials, block by block",
    source="3_elementary.cu",
    operations={
        "softmin": operation(smallest_first, of_smallest, MIRRORED),
        "base 2": operation(powers_of_2),
        "log-softmax": operation(other_answers(logarithms, lambda x, launch: 1)),
    },
    cases=(
        Case(
            "as many threads as elements", lambda rng: in_three_launches(steep(rng, 256)), points=1
        ),
        Case(
            "five passes, the last one short",
            lambda rng: in_three_launches(steep(rng, 4 * 256 + int(rng.integers(33, 200)))),
            points=2,
        ),
        covering("arrays that begin anywhere", any_three, lambda row: row["anywhere"]),
        covering("lengths around the edges of a warp, a block and the grid", any_three),
        large(
            "many blocks, every element counts the same",
            lambda rng: in_three_launches(level(rng, 1_501), blocks=61, block=32),
        ),
        hidden(
            "negative numbers, large offsets and heavy tails",
            lambda rng: together(
                *(in_three_launches(draw(rng, 400)) for draw in (deep, offset, heavy_tailed))
            ),
        ),
        hidden(
            "huge values, and minus infinity here and there",
            lambda rng: together(
                in_three_launches(huge(rng, 400)), in_three_launches(masked(rng, 400))
            ),
        ),
        Case(
            "within budget",
            lambda rng: in_three_launches(normal(rng, 2048), blocks=2, block=256),
            points=6,
            budgets=elementary_budgets(2048, blocks=2, warps=8),
            requires=shuffled("maxima", "sums"),
        ),
        large(
            "more than 65,536 elements, 3 blocks",
            lambda rng: in_three_launches(level(rng, 66_000), blocks=3, block=1024),
        ),
    ),
    hints=(
        "Use `partial_max` as a pattern for both kernels. In all three launches a thread owns the "
        "same elements, so the loop is exactly the same.",
        "In `exp_sum` a thread adds expf(x[i] - largest) to its `sum`. After the loop, when every "
        "thread of the block is there, one line combines the sums of the block. Which operation, "
        "and what is its identity?",
        "After the loop write `sum = block_all_reduce<add>(sum, 0.0f, of_warp);`. `normalize` "
        "needs no reduction: its loop writes expf(x[i] - largest) / total to y[i].",
    ),
    hints_on={
        "constant_won": (
            "The largest of negative numbers is negative: what does the search start from?"
        ),
        "other_step": (
            "Largest, then sum of exp(x - largest), then quotient: compare this with your line, "
            "number by number."
        ),
        "over_budget": (
            "Add up in a register first; one reduction of the block comes after the loop, by the "
            "function above."
        ),
        "wrong_answer": (
            "Do both kernels subtract `largest` before expf? Does exactly one thread process each "
            "element?"
        ),
    },
)


# --- on the device -----------------------------------------------------------------------------


def grid_additions(n: int, blocks: int, block: int) -> int:
    """On the way from an element to the sum of all."""
    return passes(n, blocks * block) + IN_BLOCK + passes(blocks, block) + IN_BLOCK


def on_one_grid(x: np.ndarray, blocks: int = 3, block: int = 128) -> Problem:
    """The three launches of the softmax that never leaves the device."""
    n = np.int32(x.size)
    additions = grid_additions(x.size, blocks, block)
    return Problem(
        inputs={"x": x},
        scratch={"maxima": ((blocks,), np.float32), "sums": ((blocks,), np.float32)},
        outputs={"y": Expected(softmax(x), np.float32, atol=softmax_bound(x, additions))},
        launches=(
            Launch("vector_max", blocks, block, ("x", "maxima", n)),
            Launch("vector_exp_sum", blocks, block, ("x", "maxima", "sums", n)),
            Launch("vector_normalize", blocks, block, ("x", "maxima", "sums", "y", n)),
        ),
    )


def of_grid(expected):
    """`expected` for the launches on one grid."""
    return operation(
        other_answers(expected, lambda x, launch: grid_additions(x.size, launch.grid, launch.block))
    )


def any_grid(rng, kernel: str, n: int, grid: int, block: int, draw) -> Problem:
    """All three launches, whichever `kernel` the sizes are meant for."""
    return on_one_grid(draw(rng, n), grid, block)


def on_device_budgets(n: int, blocks: int, warps: int) -> tuple[Budget, ...]:
    reductions = 5  # one in the first launch, two in each of the others
    return (
        Budget(
            "global_load_sectors",
            3 * n // SECTOR + 3 * blocks * passes(blocks, SECTOR),
            "each launch reads x once; every block of the second reads the maxima once, and every "
            "block of the third the maxima and the sums: neighbouring threads, neighbouring places",
        ),
        Budget(
            "global_store_sectors",
            n // SECTOR + 2 * blocks,
            "y is written once, by neighbouring threads, and a block writes two partial results",
        ),
        Budget(
            "barriers",
            3 * reductions * warps * blocks,
            "five reductions in all, with two or three barriers each",
            per=("warp and reduction", reductions * warps * blocks),
        ),
        *work_is_shared(),
        exponentials(),
    )


on_device = Exercise(
    name="on_device",
    title="One vector, three launches, without the host",
    minutes=12,
    teaches="two launches in place of a host in between",
    source="4_on_device.cu",
    operations={
        "softmin": operation(smallest_first, of_smallest, MIRRORED),
        "base 2": of_grid(base_2),
        "logarithms": of_grid(logarithms),
        "one more element": of_grid(with_zero),
    },
    cases=(
        Case(
            "as many threads as elements",
            lambda rng: on_one_grid(steep(rng, 512), blocks=4),
            points=1,
        ),
        Case(
            "four blocks, three passes, the last one short, all far below 0",
            lambda rng: on_one_grid(deep(rng, 2 * 512 + int(rng.integers(33, 400))), blocks=4),
            points=1,
        ),
        Case(
            "more blocks than a block has threads",
            lambda rng: on_one_grid(level(rng, 2_301), blocks=71, block=32),
            points=2,
        ),
        Case(
            "within budget",
            lambda rng: on_one_grid(normal(rng, 4096), blocks=8, block=128),
            points=7,
            budgets=on_device_budgets(4096, blocks=8, warps=4),
            requires=shuffled(),
        ),
        covering("arrays that begin anywhere", any_grid, lambda row: row["anywhere"]),
        covering(
            "blocks of one warp and of thirty-two",
            any_grid,
            lambda row: row["block"] in (32, 1024),
        ),
        covering("lengths around the edges of a warp, a block and the grid", any_grid),
        hidden(
            "negative numbers, large offsets and heavy tails",
            lambda rng: together(
                *(on_one_grid(draw(rng, 700)) for draw in (deep, offset, heavy_tailed))
            ),
        ),
        hidden(
            "huge values, infinities, and not-a-number",
            lambda rng: together(
                on_one_grid(huge(rng, 700)),
                on_one_grid(masked(rng, 700)),
                on_one_grid(with_one(rng, 400, np.nan)),
                on_one_grid(with_one(rng, 400, np.inf)),
                on_one_grid(np.full(400, LOWEST)),
                on_one_grid(np.full(400, -np.inf, np.float32)),
            ),
        ),
        large(
            "more than 65,536 elements, 3 blocks",
            lambda rng: on_one_grid(level(rng, 66_000), blocks=3, block=1024),
        ),
    ),
    hints=(
        "`finish` combines gridDim.x numbers with one block. You know how threads share out more "
        "elements than there are threads: a loop whose step is the number of threads, here those "
        "of the block. It combines into `value`.",
        "After that loop every thread holds a part, and `block_all_reduce<combine>(value, "
        "identity, of_warp)` gives all of them the whole.",
        "`vector_exp_sum` begins with `largest = finish<fmaxf>(maxima, -INFINITY, of_warp)` and "
        "continues as in the last exercise. `vector_normalize` needs two such lines; the second "
        "one adds `sums`, from 0.0f.",
    ),
    hints_on={
        "other_elements": (
            "A later launch reads the partial results of all blocks. There may be more blocks than "
            "a block has threads."
        ),
        "constant_won": (
            "What does the search for the maximum start from, in the first launch and in `finish`?"
        ),
        "over_budget": (
            "In `finish`, the threads of the block share the partial results. Then "
            "block_all_reduce combines the results of the threads."
        ),
        "wrong_answer": (
            "With more blocks than a block has threads, a thread of `finish` takes more than one "
            "partial result."
        ),
    },
)


# --- rows --------------------------------------------------------------------------------------


def rows_of(x: np.ndarray, grid: int, block: int = 128) -> Problem:
    """One launch of `row_softmax` over x, float32[rows, columns]."""
    rows, columns = x.shape
    bound = softmax_bound(x, additions=passes(columns, block) + IN_BLOCK)
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(softmax(x), np.float32, atol=bound)},
        launches=(Launch("row_softmax", grid, block, args),),
    )


def of_rows(expected):
    """`expected` for one launch over rows."""
    return operation(
        other_answers(expected, lambda x, launch: passes(x.shape[1], launch.block) + IN_BLOCK)
    )


def any_rows(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    return rows_of(draw(rng, (rows, columns)), grid, block)


def of_all_kinds(rng: np.random.Generator, columns: int) -> np.ndarray:
    """float32[5, columns]: a row of numbers, one far below zero, one much further, two others."""
    sunken = -rng.uniform(1e25, 2e25, (1, columns)).astype(np.float32)
    sunken[:, 1:] = sunken[:, :1]
    some, deepest = normal(rng, (2, columns)), deep(rng, (1, columns))
    return np.concatenate([some[:1], deepest, sunken, level(rng, (1, columns)), some[1:] - 90])


def without_a_number(rng: np.random.Generator, columns: int) -> np.ndarray:
    """Rows with a NaN and with an infinity, one of -inf throughout, and good rows between them."""
    odd = [with_one(rng, columns, np.nan), with_one(rng, columns, np.inf)]
    odd += [np.full(columns, -np.inf, np.float32), np.full(columns, np.nan, np.float32)]
    return np.stack([row for one in odd for row in (one, masked(rng, columns))])


def row_budgets(rows: int, columns: int, warps: int) -> tuple[Budget, ...]:
    sectors = rows * columns // SECTOR
    return (
        Budget(
            "global_load_sectors",
            3 * sectors,
            "three passes: one for the maximum, one for the sum, one for the quotients; 4 sectors "
            "of 32 bytes for the 32 floats of a warp",
        ),
        Budget(
            "global_store_sectors",
            sectors,
            "an element is stored once, when its quotient is known, by neighbouring threads",
        ),
        Budget(
            "barriers",
            3 * 2 * rows * warps,
            "two reductions per row, and by shuffles one takes two barriers or three",
            per=("warp and reduction", 2 * rows * warps),
        ),
        *work_is_shared(),
        exponentials(1.6),  # online, in one pass for maximum and sum, takes three for our two
    )


row_softmax = Exercise(
    name="row_softmax",
    title="Every row of a matrix, in three passes",
    minutes=14,
    teaches="one block per row, three passes",
    source="5_row_softmax.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": of_rows(base_2),
        "logarithms": of_rows(logarithms),
        "one more element": of_rows(with_zero),
    },
    cases=(
        Case("two rows, two blocks", lambda rng: rows_of(steep(rng, (2, 300)), grid=2), points=1),
        Case(
            "five rows, two blocks: some far below -1e20, some level, some steep",
            lambda rng: rows_of(of_all_kinds(rng, int(rng.integers(70, 120))), grid=2),
            points=2,
        ),
        covering("arrays that begin anywhere", any_rows, lambda row: row["anywhere"]),
        covering("rows of all lengths, and blocks of one warp to thirty-two", any_rows),
        hidden(
            "every element of a row counts the same, and some blocks have no row",
            lambda rng: rows_of(level(rng, (3, 401)), grid=5, block=256),
        ),
        hidden(
            "negative numbers, large offsets and heavy tails",
            lambda rng: together(
                *(rows_of(draw(rng, (3, 140)), grid=3) for draw in (deep, offset, heavy_tailed))
            ),
        ),
        hidden(
            "huge values, and rows of the lowest float",
            lambda rng: together(
                *(rows_of(draw(rng, (3, 140)), grid=3) for draw in (huge, lowest))
            ),
        ),
        hidden(
            "infinities and not-a-number",
            lambda rng: rows_of(without_a_number(rng, 150), grid=3, block=64),
        ),
        Case(
            "within budget",
            lambda rng: rows_of(normal(rng, (3, 4096)), grid=3, block=256),
            points=6.5,
            budgets=row_budgets(3, 4096, warps=8),
            requires=shuffled(),
        ),
        large(
            "a row of more than 65,536 elements",
            lambda rng: rows_of(level(rng, (1, 66_000)), grid=1, block=1024),
        ),
    ),
    hints=(
        "A loop over rows goes around everything: it starts at blockIdx.x, and its step is "
        "gridDim.x. All threads of a block run it equally often, so they may meet at barriers.",
        "Within a row there are three loops over columns, each from threadIdx.x in steps of "
        "blockDim.x: one for the largest element, one for the sum, one that writes y. Between "
        "them all threads combine what they found.",
        "`largest = block_all_reduce<fmaxf>(largest, -INFINITY, of_warp);` gives every thread the "
        "maximum of the row. The sum is combined with `add`, from 0.0f.",
        "A thread without an element in a short row still takes part in both reductions, with the "
        "identity that its variable started from.",
    ),
    hints_on={
        "constant_won": (
            "All elements of a row can be far below zero. What do largest and sum "
            "start from, in each row?"
        ),
        "other_elements": (
            "Every thread of the block owns part of the row: does the result contain the parts "
            "of all threads?"
        ),
        "over_budget": (
            "Three passes over the row, shared by all threads of the block, and one reduction "
            "after each of the first two."
        ),
        "wrong_answer": (
            "What do the maximum and the sum of a row start from, and do they start again for "
            "the next row?"
        ),
    },
)
