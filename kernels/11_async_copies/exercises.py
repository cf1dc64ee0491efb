"""What the exercises on asynchronous copies ask: inputs, references, launches, budgets, hints.

A reversed tile must be exact. The reference of a sum is computed in float64, and a result may
differ from it by as much as rounding can change so many additions.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    TENSOR_CORE,
    Boxes,
    Budget,
    Case,
    Exercise,
    Expected,
    Kind,
    Launch,
    Problem,
    Requirement,
    Rule,
    covering,
    hidden,
    one_launch,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, offset, quarters
from grader.course.tolerances import sum_bound
from grader.course.variants import operation

COLUMNS, ROWS = 128, 8  # of a tile
WARPS = COLUMNS // 32

ASYNC_16 = Kind("16-byte asynchronous copy", {r"cp\.async\.cg\..*": 1})
BULK = Kind("bulk copy", {r"cp\.async\.bulk\..*": 1})


# --- sums of columns ---------------------------------------------------------------------------


def column_sums(kernel: str, x: np.ndarray, rows: int) -> Problem:
    """One block per part of x of so many `rows`."""
    blocks = x.size // (rows * COLUMNS)
    return Problem(
        inputs={"x": x},
        outputs={"y": sums_of_parts(x.reshape(blocks, rows, COLUMNS))},
        launches=(Launch(kernel, blocks, COLUMNS, ("x", "y", np.int32(rows))),),
    )


def sums_of_parts(parts: np.ndarray) -> Expected:
    """The sums of the columns of each part."""
    exact = parts.astype(np.float64)
    bound = sum_bound(parts.shape[1], np.abs(exact).sum(axis=1))
    return Expected(exact.sum(axis=1).ravel(), np.float32, atol=bound.ravel())


def some_columns(kernel: str, blocks: int, rows: int, draw=quarters):
    return lambda rng: column_sums(kernel, draw(rng, blocks * rows * COLUMNS), rows)


def any_columns(kernel: str):
    """Problems of that kernel at the sizes that a rule's launches have."""

    def make(rng: np.random.Generator, rows: int, grid, block, draw=quarters):
        blocks = int(np.atleast_1d(grid)[0])
        return column_sums(kernel, draw(rng, blocks * rows * COLUMNS), rows)

    return make


def largest_of_columns(problem: Problem) -> Problem:
    """The largest element of each column. All are below 0, so that one that begins with 0 shows."""
    inputs, outputs = {}, {}
    for launch in problem.launches:
        x, y, rows = launch.args
        inputs[x] = -np.abs(problem.inputs[x])
        parts = inputs[x].reshape(-1, int(rows), COLUMNS)
        outputs[y] = Expected(parts.max(axis=1).ravel(), np.float32)
    return replace(problem, inputs=inputs, outputs=outputs)


def magnitudes_of_columns(problem: Problem) -> Problem:
    """The sum of |x| of each column."""
    inputs, outputs = {}, {}
    for launch in problem.launches:
        x, y, rows = launch.args
        signs = np.where(np.arange(problem.inputs[x].size) % 3 == 1, -1, 1)
        inputs[x] = (problem.inputs[x] * signs).astype(np.float32)
        sums = np.abs(inputs[x]).astype(np.float64).reshape(-1, int(rows), COLUMNS).sum(axis=1)
        outputs[y] = Expected(sums.ravel(), np.float32, atol=sum_bound(int(rows), sums.ravel()))
    return replace(problem, inputs=inputs, outputs=outputs)


def half_of_the_columns(problem: Problem) -> Problem:
    """Every second column, and so half as many threads per block."""
    inputs, outputs, launches = {}, {}, []
    for launch in problem.launches:
        x, y, rows = launch.args
        inputs[x] = problem.inputs[x][::2].copy()
        outputs[y] = sums_of_parts(inputs[x].reshape(-1, int(rows), COLUMNS // 2))
        launches.append(replace(launch, block=COLUMNS // 2))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


def for_half_of_the_columns(rule: Rule) -> Rule:
    halved = (one.replace(f"{COLUMNS}", f"{COLUMNS // 2}") for one in rule.parameters)
    return replace(rule, blocks=(COLUMNS // 2,), parameters=tuple(halved))


OF_COLUMNS = {
    "maximum": operation(largest_of_columns),
    "sum of magnitudes": operation(magnitudes_of_columns),
    "blocks of 64": operation(half_of_the_columns, for_half_of_the_columns),
}

TILES = 12  # of the case with budgets


def cases_of_columns(kernel: str, barriers: Budget, copies: Requirement) -> tuple[Case, ...]:
    """The cases of a kernel that sums columns; the last one also asks for at most so many barriers,
    and for such copies."""
    return (
        Case("one tile", some_columns(kernel, 1, ROWS), points=0.5),
        Case("two blocks of eleven tiles", some_columns(kernel, 2, 11 * ROWS), points=1.5),
        covering("other numbers of rows and blocks", any_columns(kernel)),
        hidden(
            "large offsets and heavy tails",
            lambda rng: together(
                some_columns(kernel, 1, 7 * ROWS, offset)(rng),
                some_columns(kernel, 2, 6 * ROWS, heavy_tailed)(rng),
            ),
        ),
        Case(
            "within budget",
            some_columns(kernel, 2, TILES * ROWS),
            points=4,
            budgets=(barriers, *work_is_shared()),
            requires=(copies,),
        ),
    )


copy_pipeline = Exercise(
    name="copy_pipeline",
    title="A pipeline of three stages",
    minutes=12,
    teaches="wait for the oldest group only, and keep the next copies in flight",
    source="1_copy_pipeline.cu",
    operations=OF_COLUMNS,
    cases=cases_of_columns(
        "copy_pipeline",
        Budget(
            "barriers",
            2 * WARPS * (TILES + 1),
            "one per tile, and at most one more: the same barrier says that tile k is there and "
            "that all threads have used tile k - 1",
        ),
        Requirement(ASYNC_16, "asynchronous copies bring every element"),
    ),
    hints=(
        "Before the loop, issue the copies of tiles 0 and 1, and commit a group for each. In round "
        "k, how many groups may still be in flight when the thread needs tile k?",
        "In round k wait with `__pipeline_wait_prior(1)`. Then a barrier: the copies of the other "
        "threads have arrived, too.",
        "After the barrier of round k no thread uses tile k - 1 any more. Tile k + 2 may go into "
        "its stage, (k + 2) % 3.",
        "Commit a group in every round, also if there is no tile left to copy. Otherwise "
        "`__pipeline_wait_prior(1)` does not wait for the last tile.",
    ),
    hints_on={
        "wrong_answer": "Which tile does stage k % 3 hold in round k?",
        "uninitialized_read": (
            "Count the groups that this thread has committed when it waits. Is tile k one of the "
            "groups that it waits for? And is there a barrier for the copies of other threads?"
        ),
        "data_race": "When have all threads used the stage that the next copy fills?",
        "out_of_bounds": "The last tiles have no tile two places after them.",
        "over_budget": "One barrier per tile is enough, if the copies are issued after it.",
    },
)

BYTES = ROWS * COLUMNS * 4

bulk_ring = Exercise(
    name="bulk_ring",
    title="A ring of bulk copies",
    minutes=12,
    teaches="a phase per use of a stage: bytes expected, bytes sent, and a parity that flips",
    source="3_bulk_ring.cu",
    operations=OF_COLUMNS,
    cases=cases_of_columns(
        "bulk_ring",
        Budget(
            "barriers",
            2 * WARPS * (TILES + 2),
            "one when the mbarriers are set up, and one per tile, so that its stage may be filled "
            "again",
        ),
        Requirement(BULK, "bulk copies bring every element"),
    ),
    hints=(
        "For tile k, thread 0 first tells full[k % 4] how many bytes it must expect, and then "
        "issues the copy. A tile has 8 * 128 floats. How many bytes are these?",
        "Stage k % 4 is used for the first time in rounds 0 to 3, for the second time in rounds 4 "
        "to 7. Its mbarrier is in phase 0, then in phase 1, then in phase 0 again.",
        "So wait for tile k with the parity k / 4 % 2.",
        "In round k, copies of tiles up to k + 3 may be in flight. A barrier at the end of the "
        "round says that all threads have used tile k.",
    ),
    hints_on={
        "wrong_answer": "Which tile does stage k % 4 hold in round k?",
        "uninitialized_read": (
            "A wait for a phase that is already over returns at once. Which parity does the "
            "thread wait with in round 4?"
        ),
        "data_race": "When have all threads used the stage that the next copy fills?",
        "timeout": (
            "A phase ends when all arrivals and all bytes are there. How many of each does the "
            "mbarrier expect, and how many come?"
        ),
        "misaligned": "Sizes and addresses of a bulk copy are multiples of 16 bytes.",
        "out_of_bounds": "There is no tile after the last one.",
        "over_budget": "Thread 0 alone issues the copies; one barrier per tile is enough.",
    },
)


# --- tensor_ring -------------------------------------------------------------------------------

HEIGHT, WIDTH, STEP = 32, 16, 32  # of a block's part of c; elements of k per stage


def multiplied(rng: np.random.Generator, k: int, grid=(1, 1), block=None, draw=None) -> Problem:
    """c = a b for factors of whole numbers up to 8, whose sums are exact; or for those drawn. A
    tensor core may cut off where float32 rounds: twice the error of a sum."""
    across, along = (*np.atleast_1d(grid).tolist(), 1)[:2]
    draw = draw or (lambda rng, shape: rng.integers(-8, 9, shape))
    a, b = (draw(rng, (rows, k)).astype(np.float16) for rows in (HEIGHT * across, WIDTH * along))
    slices = [np.ascontiguousarray(one.reshape(len(one), -1, 8).swapaxes(0, 1)) for one in (a, b)]
    left, right = a.astype(np.float64), b.astype(np.float64)
    bound = 2 * sum_bound(k, np.abs(left) @ np.abs(right).T)
    return one_launch(
        "tensor_ring",
        (across, along),
        96,
        {"a": slices[0], "b": slices[1]},
        {"c": left @ right.T},
        np.int32(k),
        atol=bound,
    )


def one_consumer(problem: Problem) -> Problem:
    """For `tensor_ring`: half of the rows of a and c, and one warp that multiplies."""
    inputs, outputs, launches = dict(problem.inputs), {}, []
    for launch in problem.launches:
        a, _, c, _ = launch.args
        one, rows = problem.outputs[c], inputs[a].shape[1] // 2
        inputs[a] = inputs[a][:, :rows].copy()
        outputs[c] = replace(one, value=one.value[:rows], atol=one.atol[:rows])
        launches.append(replace(launch, block=64))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


def for_one_consumer(rule: Rule) -> Rule:
    a, b, _, k = rule.parameters
    parameters = (a.replace("32", "16"), b, "float c[256 * gridDim.x * gridDim.y]", k)
    return replace(rule, blocks=(64,), parameters=parameters)


STEPS, GRID = 5, (2, 2)

tensor_ring = Exercise(
    name="tensor_ring",
    title="A producer for tensor cores",
    minutes=20,
    teaches="producer and consumers that meet only at the mbarriers of a stage",
    source="7_tensor_ring.cu",
    operations={"one consumer": operation(one_consumer, for_one_consumer)},
    cases=(
        Case("one step", lambda rng: multiplied(rng, STEP), points=1),
        Case("seven steps", lambda rng: multiplied(rng, 7 * STEP), points=2.5),
        covering("other sizes", multiplied),
        hidden(
            "normal numbers",
            lambda rng: multiplied(rng, 4 * STEP, draw=lambda rng, at: rng.standard_normal(at)),
        ),
        Case(
            "within budget",
            lambda rng: multiplied(rng, STEPS * STEP, GRID),
            points=4.5,
            budgets=(
                Budget(
                    "barriers",
                    3 * GRID[0] * GRID[1],
                    "one when the mbarriers are set up; after that, each warp waits only for a "
                    "stage that it needs",
                ),
                Budget("global_load_requests", 0, "only bulk copies read a and b"),
                *work_is_shared(),
            ),
            requires=(
                Requirement(BULK, "bulk copies bring every element"),
                Requirement(TENSOR_CORE, "the products are made on tensor cores"),
            ),
        ),
    ),
    hints=(
        "The producer, for each step: wait until the stage is empty, expect the bytes, copy. A "
        "consumer, for each step: wait until the stage is full, multiply, say that it is empty.",
        "Step `step` uses stage s = step % STAGES for the (step / STAGES)-th time. The consumers "
        "wait with parity step / STAGES % 2.",
        "A new mbarrier is in phase 0, and a wait with parity 1 returns at once. So the producer "
        "waits with parity (step / STAGES + 1) % 2: at first it does not wait at all.",
        "The four slices of a step are 4 * step to 4 * step + 3. Slice i of the stage has 32 rows "
        "of a, 512 bytes, and 16 columns of b, 256 bytes. All eight copies have 3,072 bytes.",
        "In `a`, a slice has rows * 8 elements. The block's part begins at row `top` of the slice: "
        "a + (slice * rows + top) * 8. For `b`, take `columns` and `left`.",
        "`empty` was set up for 64 arrivals: each of the 64 threads of warps 0 and 1 arrives once "
        "per step, after `multiply`.",
    ),
    hints_on={
        "wrong_answer": "Which slices belong to a step? Which of their rows belong to this block?",
        "uninitialized_read": "Does each consumer wait for `full` before it multiplies?",
        "data_race": (
            "Each thread that copies must have waited for `empty`. Each consumer arrives at "
            "`empty` only after it has multiplied."
        ),
        "timeout": (
            "A phase ends when all arrivals and all bytes are there. How many of each does the "
            "mbarrier expect, and how many come?"
        ),
        "misaligned": "A row of a slice has 8 halves: 16 bytes. Where does row `top` begin?",
        "out_of_bounds": "How many elements has a slice of `a`, and how many has a slice of `b`?",
    },
)


# --- neighbours --------------------------------------------------------------------------------

BOX = (10, 40)


def sums_of_neighbours(x: np.ndarray) -> Expected:
    rows, columns = x.shape
    padded = np.pad(x.astype(np.float64), 1)

    def over_neighbours(values: np.ndarray) -> np.ndarray:
        return sum(values[i : i + rows, j : j + columns] for i in range(3) for j in range(3))

    bound = sum_bound(9, over_neighbours(np.abs(padded)))
    return Expected(over_neighbours(padded), np.float32, atol=bound)


def summed(
    rng: np.random.Generator, rows: int, columns: int, grid=None, block=None, draw=quarters
) -> Problem:
    """Sums of 3 x 3 elements; places outside of x count as 0."""
    x = draw(rng, (rows, columns))
    return Problem(
        inputs={"x": x},
        outputs={"y": sums_of_neighbours(x)},
        launches=(
            Launch(
                "neighbours",
                grid or (-(-columns // 32), -(-rows // 8)),
                (32, 8),
                (Boxes("x", BOX), "y", np.int32(rows), np.int32(columns)),
            ),
        ),
    )


def some_neighbours(rows: int, columns: int, draw=quarters):
    return lambda rng: summed(rng, rows, columns, draw=draw)


def of_other_places(places: tuple[tuple[int, int], ...]):
    """For `neighbours`: the sum of the elements at so many rows and columns from the own one."""

    def made(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            x = problem.inputs[str(launch.args[0])].astype(np.float64)
            padded, (rows, columns) = np.pad(x, 1), x.shape
            parts = [padded[1 + i : 1 + i + rows, 1 + j : 1 + j + columns] for i, j in places]
            bound = sum_bound(9, sum(map(np.abs, parts)))
            outputs[launch.args[1]] = Expected(sum(parts), np.float32, atol=bound)
        return replace(problem, outputs=outputs)

    return made


LOW_BOX = (6, 40)


def upper_half(problem: Problem) -> Problem:
    """For `neighbours`: half of the rows, in blocks of half as many."""
    inputs, outputs, launches = {}, {}, []
    for launch in problem.launches:
        x, y, rows, columns = launch.args
        inputs[x] = problem.inputs[x][: (rows + 1) // 2]
        outputs[y] = sums_of_neighbours(inputs[x])
        args = (Boxes(x, LOW_BOX), y, np.int32(len(inputs[x])), columns)
        launches.append(replace(launch, block=(32, 4), args=args))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


def for_low_boxes(rule: Rule) -> Rule:
    return replace(
        rule,
        blocks=((32, 4),),
        where=tuple(one.replace("y * 8", "y * 4") for one in rule.where),
        edges=(("rows", "4"), ("columns", "32")),
        maps=tuple(replace(one, box=LOW_BOX) for one in rule.maps),
    )


BLOCKS = 6  # of the case with budgets

neighbours = Exercise(
    name="neighbours",
    title="A box with neighbours",
    minutes=12,
    teaches="a box of a tensor map: coordinates, bytes, and zeros outside of the tensor",
    source="8_neighbours.cu",
    operations={
        "cross": operation(of_other_places(((-1, 0), (0, -1), (0, 0), (0, 1), (1, 0)))),
        "corners": operation(of_other_places(((-1, -1), (-1, 1), (1, -1), (1, 1)))),
        "blocks of 32 x 4": operation(upper_half, for_low_boxes, {"16 rows": "8 rows"}),
    },
    cases=(
        Case("one block", some_neighbours(8, 32), points=1),
        Case("twelve blocks", some_neighbours(24, 128), points=2),
        covering("other sizes", summed),
        hidden("one row, many blocks", some_neighbours(1, 1092, offset)),
        hidden("many rows of blocks", some_neighbours(265, 132)),
        hidden("heavy tails", some_neighbours(17, 68, heavy_tailed)),
        Case(
            "within budget: 16 rows of 96 columns",
            some_neighbours(16, 96),
            points=5.5,
            budgets=(
                Budget(
                    "barriers",
                    BLOCKS * 8,
                    "one when the mbarrier is set up; each thread waits for the box by itself",
                ),
                Budget("global_load_requests", 0, "only the copy reads x"),
                *work_is_shared(),
            ),
            requires=(Requirement(BULK, "a copy brings every element"),),
        ),
    ),
    hints=(
        "The box must have the rows from top - 1 to top + 8, and at least the columns from "
        "left - 1 to left + 32. In a box, coordinate 0 is the column, and coordinate 1 is the row.",
        "A box begins at a multiple of 16 bytes: of 4 floats. Which multiple of 4 is the last one "
        "before column left - 1?",
        "The box begins at column left - 4. So x[top][left] is box[1][4].",
        "The copy writes all 10 x 40 elements of the box, also those outside of x. How many bytes "
        "must the mbarrier expect?",
    ),
    hints_on={
        "wrong_answer": "Where in the box is the element that this thread writes to y?",
        "uninitialized_read": "Does each thread wait for the mbarrier before it reads the box?",
        "misaligned": "In which column does the box begin? It must be a multiple of 4.",
        "timeout": "The mbarrier waits for all bytes of the box, also for those outside of x.",
        "out_of_bounds": "The last blocks have threads that have no element of y.",
        "over_budget": "Each element of x comes with the box. Does a thread still read x itself?",
    },
)
