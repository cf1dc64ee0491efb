"""The short exercises on fused softmax, between those of exercises.py."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

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
    Place,
    Problem,
    Rule,
    covering,
    hidden,
    large,
    one_launch,
    work_is_shared,
)
from grader.course.inputs import normal, quarters
from grader.course.references import softmax
from grader.course.variants import MIRRORED, operation

TILE = (32, 8)


def from_x(answer, rtol: float = 0.0, atol: float = 0.0):
    """For `operation`: `answer(x)` is expected of each launch."""

    def other(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            x, y = launch.args[:2]
            value = answer(problem.inputs[x].astype(np.float64))
            outputs[y] = Expected(value, np.float32, rtol=rtol, atol=atol)
        return replace(problem, outputs=outputs)

    return operation(other)


def smallest_first(problem: Problem) -> Problem:
    """Softmin: each number has the other sign."""
    return replace(problem, inputs={name: -x for name, x in problem.inputs.items()})


def softmax_in_base_2(x: np.ndarray) -> np.ndarray:
    return softmax(np.log(2) * x)


def masked(rng, n: int, grid: tuple[int, int] | None = None, block=TILE, draw=quarters) -> Problem:
    x = draw(rng, (n, n))
    y = np.where(np.tri(n, dtype=bool), x, np.float32(-np.inf))
    grid = grid or (-(-n // TILE[0]), -(-n // TILE[1]))
    return one_launch("causal", grid, TILE, {"x": x}, {"y": y}, np.int32(n))


def later_keys(x: np.ndarray) -> np.ndarray:
    """A query sees itself and the keys after it."""
    return np.where(np.tri(len(x), dtype=bool).T, x, -np.inf)


causal = Exercise(
    name="causal",
    title="Does a query see itself?",
    source="0_causal.cu",
    operations={"later keys": from_x(later_keys)},
    kind=Bug(given="    y[q * n + k] = k < q ? x[q * n + k] : -INFINITY;\n"),
    minutes=1,
    teaches="a causal mask, with the diagonal in it",
    cases=(
        Case("ten queries", lambda rng: masked(rng, 10), points=1),
        covering("a single one, and many", masked),
        large("two hundred queries", lambda rng: masked(rng, 200)),
    ),
    hints=(
        "The comment says which keys query q sees. Try query 0.",
        "Query 0 sees key 0, and nothing else.",
    ),
)


def normal_rows(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return normal(rng, shape, 4)


def rows_of(rng, kernel: str, grid: int, block: int, draw=normal_rows) -> Problem:
    rows = grid
    x = draw(rng, (rows, 128))
    return one_launch(kernel, rows, block, {"x": x}, {"y": softmax(x)}, rtol=1e-3, atol=1e-9)


def half_of_the_columns(problem: Problem) -> Problem:
    """The left half of each row, in blocks of half as many threads."""
    inputs, outputs, launches = {}, {}, []
    for launch in problem.launches:
        x, y = launch.args[:2]
        columns = launch.block // 2
        inputs[x] = problem.inputs[x][:, :columns].copy()
        outputs[y] = replace(problem.outputs[y], value=softmax(inputs[x].astype(np.float64)))
        launches.append(replace(launch, block=columns))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


def for_rows_of_64(rule: Rule) -> Rule:
    shorter = (one.replace("128", "64") for one in rule.parameters)
    return replace(rule, blocks=(64,), parameters=tuple(shorter))


def peaks(rng: np.random.Generator) -> Problem:
    """Rows of which one element is far above all others, each time another one."""
    x = normal(rng, (4, 128))
    x[range(4), rng.integers(0, 32, 4) + 32 * np.arange(4)] = 200
    return one_launch("read_once", 4, 32, {"x": x}, {"y": softmax(x)}, atol=1e-9)


read_once = Exercise(
    name="read_once",
    title="Read once",
    source="1_read_once.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": from_x(softmax_in_base_2, rtol=1e-3, atol=1e-9),
    },
    kind=Cheaper(
        given="""
    for (int c = lane; c < 128; c += 32) largest = fmaxf(largest, in[c]);
    largest = warp_max(largest);
    for (int c = lane; c < 128; c += 32) sum += __expf(in[c] - largest);
    sum = warp_sum(sum);
    for (int c = lane; c < 128; c += 32) out[c] = __expf(in[c] - largest) / sum;
"""
    ),
    minutes=6,
    teaches="a row that fits in a warp's registers is read once",
    cases=(
        Case(
            "within budget",
            lambda rng: rows_of(rng, "read_once", 3, 32),
            points=2,
            budgets=(
                Budget(
                    "global_load_sectors",
                    3 * 16,
                    "16 for a row of 128: what is needed again can stay in registers",
                ),
                *work_is_shared(),
            ),
        ),
        covering("more rows; arrays that begin anywhere", partial(rows_of, kernel="read_once")),
        hidden("the largest far above all others, anywhere", peaks),
    ),
    hints=(
        "Each lane has four elements of its row. Where can they stay until they are needed again?",
        "`float kept[4];` and loops over k from 0 to 3, whose index the compiler knows: then it is "
        "four registers, and no memory.",
        "Then the second and the third pass load no sectors. The exponentials can stay in `kept`, "
        "too.",
    ),
)


def totals(rng: np.random.Generator, rows: int, columns: int) -> Problem:
    x = quarters(rng, (rows, columns))
    total = {"total": x.sum(axis=1)}
    return one_launch("part_of_a_row", rows, 32, {"x": x}, total, np.int32(columns))


UNSET = Hazard("uninitialized_read", ("sum += row[c]",))

part_of_a_row = Exercise(
    name="part_of_a_row",
    title="Read before it was written",
    source="4_part_of_a_row.cu",
    operations={"largest": from_x(lambda x: x.max(axis=1))},
    kind=Break(
        given="    for (int c = threadIdx.x; c < columns; c += 32) row[c] = in[c];\n",
    ),
    minutes=2,
    teaches="shared memory has no defined value before a thread writes it",
    cases=(
        Case(
            "an element that nobody wrote",
            lambda rng: totals(rng, 2, 100),
            points=1.5,
            hazard=UNSET,
        ),
        Case("other numbers", lambda rng: totals(rng, 2, 100), 0.5, False, hazard=UNSET),
    ),
    hints=(
        "The row is copied, and then read. What if the copy ends before the last element?",
        "Do not copy the last element.",
    ),
)

one_exchange = Exercise(
    name="one_exchange",
    title="One exchange, one barrier",
    source="4_one_exchange.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": from_x(softmax_in_base_2, rtol=1e-3, atol=1e-9),
        "blocks of 64": operation(half_of_the_columns, for_rows_of_64),
    },
    kind=Place(),
    minutes=3,
    teaches="pairs need one exchange where maximum and sum needed two",
    cases=(
        Case(
            "no race, and no barrier too many",
            lambda rng: rows_of(rng, "one_exchange", 2, 128),
            points=2,
            budgets=(
                Budget("barriers", 2 * 4, "one for each of a block's four warps: they meet once"),
            ),
        ),
        covering("more rows", partial(rows_of, kernel="one_exchange")),
    ),
    hints=(
        "Which array is written by one thread and read by others?",
        "Shuffles wait for the lanes of a warp by themselves.",
    ),
)
