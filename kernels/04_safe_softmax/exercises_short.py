"""The short exercises on safe softmax, between those of exercises.py."""

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
    Order,
    Problem,
    Rule,
    covering,
    exponentials,
    hidden,
    one_launch,
    work_is_shared,
)
from grader.course.inputs import normal, quarters
from grader.course.references import softmax
from grader.course.variants import MIRRORED, operation

BLOCK = 64


def negated(problem: Problem, outputs: bool = True) -> Problem:
    """The inputs with the other sign, and if so said the outputs."""
    return replace(
        problem,
        inputs={name: -x for name, x in problem.inputs.items()},
        outputs={
            name: replace(one, value=-one.value) if outputs else one
            for name, one in problem.outputs.items()
        },
    )


def of_smallest(rule: Rule) -> Rule:
    """The rule of a kernel whose parameter is called `smallest`."""
    return replace(
        rule, parameters=tuple(one.replace("largest", "smallest") for one in rule.parameters)
    )


def from_x(answer, rtol: float = 0.0, atol: float = 0.0):
    """For `operation`: the last array of a launch is `answer(x, *others)`, of its inputs."""

    def other(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            arrays = [one for one in launch.args if isinstance(one, str)]
            exact = (problem.inputs[one].astype(np.float64) for one in arrays[:-1])
            with np.errstate(all="ignore"):  # of infinities, and a division by 0
                value = answer(*exact)
            outputs[arrays[-1]] = Expected(value, np.float32, rtol=rtol, atol=atol)
        return replace(problem, outputs=outputs)

    return other


def parts(rng: np.random.Generator, n: int, grid: int = 0, draw=quarters) -> Problem:
    x = draw(rng, n)
    total = x.sum(keepdims=True)
    y = {"y": x / total.astype(np.float64)}
    grid = grid or -(-n // BLOCK)
    return one_launch("share", grid, BLOCK, {"x": x, "sum": total}, y, np.int32(n), rtol=1e-6)


share = Exercise(
    name="share",
    title="The division by the sum",
    source="0_share.cu",
    operations={
        "beside the others": operation(from_x(lambda x, total: x / (total - x), rtol=1e-6))
    },
    kind=Bug(given="    if (i < n) y[i] = *sum / x[i];\n"),
    minutes=1,
    teaches="a softmax ends with a quotient: part divided by whole",
    cases=(
        Case("a block and a bit", lambda rng: parts(rng, 70), points=1),
        covering(
            "one element, and many elements",
            lambda rng, n, grid, block, draw: parts(rng, n, grid, draw),
        ),
    ),
    hints=("Which of the two is the part, and which is the whole?", "Shares add up to 1."),
)


def log_softmax(x: np.ndarray) -> np.ndarray:
    below = x - x.max(axis=1, keepdims=True)
    return below - np.log(np.exp(below).sum(axis=1, keepdims=True))


def rows_alone(rng: np.random.Generator, shape: tuple[int, int], offset: float) -> Problem:
    x = normal(rng, shape, 3) + np.float32(offset)
    size = np.int32(shape[0]), np.int32(shape[1])
    y = {"y": softmax(x)}
    return one_launch("softmax_alone", 1, 32, {"x": x}, y, *size, rtol=1e-4, atol=1e-9)


def any_alone(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    x, size = draw(rng, (rows, columns)), (np.int32(rows), np.int32(columns))
    y = {"y": softmax(x)}
    return one_launch("softmax_alone", grid, block, {"x": x}, y, *size, rtol=1e-4, atol=1e-9)


def peaks(rng: np.random.Generator) -> Problem:
    """Rows whose first element, or last one, is far above all others."""
    x = normal(rng, (6, 7))
    x[:3, 0] = x[3:, -1] = 200
    y = {"y": softmax(x)}
    return one_launch("softmax_alone", 1, 32, {"x": x}, y, np.int32(6), np.int32(7), atol=1e-9)


softmax_alone = Exercise(
    name="softmax_alone",
    title="A safe softmax, line by line",
    source="2_softmax_alone.cu",
    operations={
        "softmin": operation(lambda problem: negated(problem, outputs=False), words=MIRRORED),
        "logarithms": operation(from_x(log_softmax, rtol=1e-4, atol=1e-4)),
    },
    kind=Order(
        (
            "float largest = 0.0f;",
            "for (int c = 0; c < columns; c++) sum += expf(in[c]);",
            "for (int c = 0; c < columns; c++) out[c] = expf(in[c]) / sum;",
        )
    ),
    minutes=4,
    teaches="maximum, sum, quotient: three passes, and why in this order",
    cases=(
        Case("rows of 5", lambda rng: rows_alone(rng, (7, 5), 0), points=0.5),
        Case("rows about 100", lambda rng: rows_alone(rng, (7, 5), 100), points=1),
        Case("rows about -200", lambda rng: rows_alone(rng, (7, 5), -200), points=1),
        covering("other lengths, grids and values", any_alone),
        hidden("the largest at either end", peaks),
    ),
    hints=(
        "Five lines are needed. The sum needs the maximum, and the answer needs both.",
        "A maximum that begins at 0 is wrong for a row of very negative numbers: then every "
        "e^(x - 0) is 0.",
    ),
)


def any_largest(rng, columns: int, grid: int, block: int, draw) -> Problem:
    x = draw(rng, (grid, columns))
    out = {"largest": x.max(axis=1)}
    return one_launch("lowest", grid, block, {"x": x}, out, np.int32(columns))


def largest_of(rng: np.random.Generator, columns: int, scale: float) -> Problem:
    x = -(rng.uniform(0.5, 1, (3, columns)) * scale).astype(np.float32)
    out = {"largest": x.max(axis=1)}
    return one_launch("lowest", 3, 32, {"x": x}, out, np.int32(columns))


lowest = Exercise(
    name="lowest",
    title="A start below every number",
    source="2_lowest.cu",
    operations={"minimum": operation(negated, of_smallest, {"very negative": "very large"})},
    kind=Bug(given="    float found = lane < columns ? x[blockIdx.x * columns + lane] : -1e20f;\n"),
    minutes=3,
    teaches="no number can replace minus infinity",
    cases=(
        Case("ordinary numbers", lambda rng: largest_of(rng, 20, 100), points=0.5),
        Case("very negative numbers", lambda rng: largest_of(rng, 20, 3e38), points=1),
        covering("one element per row, and other grids and values", any_largest),
    ),
    hints=(
        "Which value do the lanes without an element have? Which elements are below this value?",
        "C++ has a float that is below every other: `-INFINITY`.",
    ),
)


def below(rng: np.random.Generator) -> Problem:
    x = quarters(rng, 64)
    return one_launch("too_early", 1, 64, {"x": x}, {"y": x - x.max()})


RACE = Hazard("data_race", ("of_warp[t / 32] =", "y[t] ="))

too_early = Exercise(
    name="too_early",
    title="Read before it is written",
    source="5_too_early.cu",
    operations={"minimum": operation(negated)},
    kind=Break(given="    __syncthreads();\n"),
    minutes=3,
    teaches="a barrier for a warp is not one for the block",
    cases=(
        Case("a race between the two warps", below, points=1.5, hazard=RACE),
        Case("other numbers", below, points=0.5, visible=False, hazard=RACE),
    ),
    hints=(
        "Which line makes sure that the other warp has written its maximum?",
        "Remove it, or replace it by a barrier for fewer threads.",
    ),
)


def summed_exponentials(rng: np.random.Generator, rows: int) -> Problem:
    x = -quarters(rng, (rows, 128))
    total = {"total": np.exp(x.astype(np.float64)).sum(axis=1)}
    return one_launch("side_by_side", rows, 32, {"x": x}, total, rtol=1e-4)


side_by_side = Exercise(
    name="side_by_side",
    title="Which four elements per lane?",
    source="5_side_by_side.cu",
    operations={
        "squares": operation(from_x(lambda x: (x**2).sum(axis=1), rtol=1e-5)),
        "base 2": operation(from_x(lambda x: np.exp2(x).sum(axis=1), rtol=1e-4)),
    },
    kind=Cheaper(given="        const int c = 4 * threadIdx.x + k;\n"),
    minutes=4,
    teaches="a lane's elements are a warp apart, not side by side",
    cases=(
        Case(
            "within budget",
            lambda rng: summed_exponentials(rng, 3),
            points=2,
            budgets=(
                Budget(
                    "global_load_sectors",
                    3 * 16,
                    "16 for a row of 128: each of the warp's four loads touches four sectors",
                ),
                *work_is_shared(),
                exponentials(),
            ),
        ),
        covering(
            "more rows; arrays that begin anywhere",
            lambda rng, grid, block: summed_exponentials(rng, grid),
        ),
    ),
    hints=(
        "Look at the first load of the loop, k = 0: which elements do lanes 0, 1 and 2 ask for?",
        "In one load, neighbouring lanes should ask for neighbouring elements. The next load "
        "continues 32 elements further.",
    ),
)
