"""The short exercises on online softmax, between those of exercises.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    Budget,
    Bug,
    Case,
    Exercise,
    Expected,
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


def other_answers(answers, inputs: int = 1, rtol: float = 1e-4, atol: float = 0.0):
    """For `operation`: in each launch, `answers(*arrays)` is expected of its first `inputs`."""

    def other(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            exact = (problem.inputs[one].astype(np.float64) for one in launch.args[:inputs])
            with np.errstate(all="ignore"):  # of infinities
                values = answers(*exact)
            made = (Expected(one, np.float32, rtol=rtol, atol=atol) for one in values)
            outputs |= zip(launch.args[inputs:], made, strict=False)
        return replace(problem, outputs=outputs)

    return other


def called(problem: Problem, old: str, new: str) -> Problem:
    """The same with another name for an output."""

    def named(argument):
        return argument.replace(old, new) if isinstance(argument, str) else argument

    launches = (replace(one, args=tuple(map(named, one.args))) for one in problem.launches)
    return replace(
        problem,
        outputs={named(name): one for name, one in problem.outputs.items()},
        begins={named(name): at for name, at in problem.begins.items()},
        launches=tuple(launches),
    )


def with_minimum(problem: Problem) -> Problem:
    """The numbers with the other sign, and `minimum` in place of `maximum`."""
    outputs = {
        name: replace(one, value=-one.value) if name.startswith("maximum") else one
        for name, one in problem.outputs.items()
    }
    inputs = {name: -x for name, x in problem.inputs.items()}
    return called(replace(problem, inputs=inputs, outputs=outputs), "maximum", "minimum")


def of_minimum(rule: Rule) -> Rule:
    """The rule of a kernel whose parameter is called `minimum`."""
    parameters = tuple(one.replace("maximum", "minimum") for one in rule.parameters)
    return replace(rule, parameters=parameters)


def pairs_in_base_2(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Maximum, and sum of powers of 2, of each row."""
    largest = x.max(axis=1)
    return largest, np.exp2(x - largest[:, None]).sum(axis=1)


def rescaled(
    rng: np.random.Generator, n: int, grid: int = 0, draw=quarters, about: float = 0
) -> Problem:
    """`from` and `to` are `about` a number, of which e^x may be beyond all floats."""
    total, start = draw(rng, n), quarters(rng, n) + np.float32(about)
    end = quarters(rng, n) + np.float32(about + 3)
    exact = total * np.exp(start.astype(np.float64) - end)
    arrays = {"sum": total, "from": start, "to": end}
    grid = grid or -(-n // BLOCK)
    return one_launch("rescale", grid, BLOCK, arrays, {"rescaled": exact}, np.int32(n), rtol=1e-4)


rescale = Exercise(
    name="rescale",
    title="A sum relative to another number",
    source="0_rescale.cu",
    operations={
        "base 2": operation(
            other_answers(lambda total, start, end: (total * np.exp2(start - end),), 3)
        ),
        "logarithms": operation(
            other_answers(lambda total, start, end: (total + start - end,), 3, atol=1e-3)
        ),
    },
    kind=Bug(given="    if (i < n) rescaled[i] = sum[i] * expf(to[i] - from[i]);\n"),
    minutes=1,
    teaches="e^(x - to) is e^(x - from) times e^(from - to)",
    cases=(
        Case("a block and a bit", lambda rng: rescaled(rng, 70), points=1),
        covering(
            "other numbers",
            lambda rng, n, grid, block, draw: rescaled(rng, n, grid, draw, 300),
        ),
    ),
    hints=(
        "If `to` is larger than `from`, every exponent gets smaller, and so does the sum.",
        "e^(x - to) = e^(x - from) * e^(from - to).",
    ),
)


def in_one_pass(rng: np.random.Generator, rows: int, columns: int, offset: float) -> Problem:
    return pairs_of(normal(rng, (rows, columns), 4) + np.float32(offset), 1)


def pairs_of(x: np.ndarray, grid: int) -> Problem:
    largest = x.max(axis=1)
    total = np.exp(x.astype(np.float64) - largest[:, None]).sum(axis=1)
    outputs = {"maximum": largest, "sum": total}
    return one_launch(
        "online_lines", grid, 32, {"x": x}, outputs, *map(np.int32, x.shape), rtol=1e-4
    )


online_lines = Exercise(
    name="online_lines",
    title="One pass, line by line",
    source="1_online_lines.cu",
    operations={
        "minimum": operation(with_minimum, of_minimum, MIRRORED),
        "base 2": operation(other_answers(pairs_in_base_2)),
    },
    kind=Order(
        (
            "total = total + expf(value - largest);",
            "total = total * expf(largest - before) + expf(value - largest);",
            "largest = fmaxf(largest, x[row * columns]);",
        )
    ),
    minutes=5,
    teaches="keep the old maximum until the sum has been rescaled",
    cases=(
        Case("rows of 6", lambda rng: in_one_pass(rng, 9, 6, 0), points=1),
        Case("rows about 500", lambda rng: in_one_pass(rng, 9, 6, 500), points=1),
        covering(
            "one element per row, and many",
            lambda rng, rows, columns, grid, block, draw: pairs_of(
                draw(rng, (rows, columns)), grid
            ),
        ),
    ),
    hints=(
        "Inside the loop there are four lines. Move its closing brace, too. The first line in the "
        "loop reads the element.",
        "The line that rescales the sum needs both maxima, the old one and the new one. So set "
        "`before` before `largest` changes.",
    ),
)


def by_twos(rng: np.random.Generator, n: int, offset: float = 0.0, block: int = BLOCK) -> Problem:
    return halves_merged(normal(rng, (n, 2), 3) + np.float32(offset), -(-n // block), block)


def halves_merged(x: np.ndarray, grid: int, block: int) -> Problem:
    largest = x.max(axis=1)
    total = np.exp(x.astype(np.float64) - largest[:, None]).sum(axis=1)
    outputs = {"maximum": largest, "sum": total}
    return one_launch("two_by_hand", grid, block, {"x": x}, outputs, np.int32(len(x)), rtol=1e-5)


def logarithm_of_two(problem: Problem) -> Problem:
    """log(e^a + e^b) in place of the sum."""

    def answers(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return x.max(axis=1), np.logaddexp(x[:, 0], x[:, 1])

    return called(other_answers(answers, rtol=1e-5, atol=1e-5)(problem), "sum", "log_sum")


def of_logarithm(rule: Rule) -> Rule:
    """The rule of a kernel whose parameter is called `log_sum`."""
    parameters = tuple(one.replace(" sum[", " log_sum[") for one in rule.parameters)
    return replace(rule, parameters=parameters)


two_by_hand = Exercise(
    name="two_by_hand",
    title="Two pairs, merged by hand",
    source="1_two_by_hand.cu",
    operations={
        "minimum": operation(with_minimum, of_minimum, MIRRORED),
        "base 2": operation(other_answers(pairs_in_base_2, rtol=1e-5)),
        "logarithm": operation(logarithm_of_two, of_logarithm),
    },
    minutes=5,
    teaches="the pair of two elements: what a merge is, before its general form",
    cases=(
        Case("a full block", lambda rng: by_twos(rng, BLOCK), points=0.5),
        Case("a last block that is not full", lambda rng: by_twos(rng, 100), points=0.5),
        Case("numbers about 400", lambda rng: by_twos(rng, 40, 400.0), points=0.5),
        Case(
            "within budget",
            lambda rng: by_twos(rng, 4 * 256, block=256),
            points=3,
            budgets=(
                Budget(
                    "global_load_requests",
                    2 * 32,
                    "2 per warp: each thread loads its two numbers",
                ),
                *work_is_shared(),
                exponentials(),
            ),
        ),
        covering(
            "lengths around the edges of a warp and a block, and other grids and values",
            lambda rng, n, grid, block, draw: halves_merged(draw(rng, (n, 2)), grid, block),
        ),
        # The pairs begin where two floats may be loaded at once.
        hidden("numbers about -400", lambda rng: by_twos(rng, 40, -400.0)),
    ),
    hints=(
        "The larger of the two contributes e^0 = 1 to the sum; the other one contributes "
        "e^(smaller - larger).",
        "`fmaxf(a, b)` is the larger one. Write both terms the same way, e^(a - m) + e^(b - m), "
        "and no `if` is needed.",
        "Threads with `i >= n` own nothing.",
    ),
    hints_on={
        "out_of_bounds": "The last block has threads without a pair of numbers: guard.",
        "wrong_answer": "Both exponents are relative to the larger number, so none is above 0.",
    },
)


def columns_of(
    rng: np.random.Generator, length: int, inner: int, scale: float = 3, offset: float = 0
) -> Problem:
    x = normal(rng, (length, inner), scale) + np.float32(offset)
    return down_columns(x, -(-inner // BLOCK))


def down(answer, rtol: float = 1e-3, atol: float = 1e-9):
    """`answer(x)` is expected of one launch down the columns."""
    return operation(other_answers(lambda x: (answer(x),), rtol=rtol, atol=atol))


def beside_zero(x: np.ndarray) -> np.ndarray:
    """Softmax with one more element in each column, 0, whose share is left out."""
    return softmax(np.concatenate([x, np.zeros_like(x[:1])]), axis=0)[:-1]


def logarithms(x: np.ndarray) -> np.ndarray:
    """The logarithm of the softmax."""
    below = x - x.max(axis=0)
    return below - np.log(np.exp(below).sum(axis=0))


def smallest_first(problem: Problem) -> Problem:
    """Softmin: each number has the other sign."""
    return replace(problem, inputs={name: -x for name, x in problem.inputs.items()})


def any_columns(rng, length: int, inner: int, grid: int, block: int, draw) -> Problem:
    return down_columns(draw(rng, (inner, length)).T.copy(), grid)


def down_columns(x: np.ndarray, grid: int) -> Problem:
    size = map(np.int32, x.shape)
    y = {"y": softmax(x, axis=0)}
    return one_launch("one_column", grid, BLOCK, {"x": x}, y, *size, rtol=1e-3, atol=1e-9)


one_column = Exercise(
    name="one_column",
    title="One column per thread",
    source="7_one_column.cu",
    operations={
        "softmin": operation(smallest_first, words=MIRRORED),
        "base 2": down(lambda x: softmax(np.log(2) * x, axis=0)),
        "logarithms": down(logarithms, rtol=1e-5, atol=1e-4),
        "one more element": down(beside_zero),
    },
    minutes=7,
    teaches="the index along an axis, and which thread should own a column",
    cases=(
        Case("a matrix of 5 by 64", lambda rng: columns_of(rng, 5, 64), points=0.5),
        Case("columns that fill no block", lambda rng: columns_of(rng, 7, 90), points=1),
        covering("arrays that begin anywhere", any_columns, lambda row: row["anywhere"]),
        covering("a single column, a single row, and other sizes", any_columns),
        hidden("large differences", lambda rng: columns_of(rng, 9, 33, 60)),
        hidden("numbers about -300", lambda rng: columns_of(rng, 9, 33, offset=-300)),
        Case(
            "within budget",
            lambda rng: columns_of(rng, 12, 128),
            points=3.5,
            budgets=(
                Budget(
                    "global_load_sectors",
                    2 * 12 * 128 // 8,
                    "8 floats per sector, read twice: neighbouring threads own neighbouring "
                    "columns, and a pass finds maximum and sum together",
                ),
                Budget("global_store_sectors", 12 * 128 // 8, "8 floats per sector, written once"),
                *work_is_shared(),
                exponentials(),
            ),
        ),
    ),
    hints=(
        "Before element k of column i there are k full rows of `inner` elements, and i elements.",
        "The pair of a single element is (x, 1). Begin with the pair of no elements, and `merge` "
        "one element after the other into it.",
        "A second loop writes `expf(x - all.max) / all.sum`.",
    ),
    hints_on={
        "out_of_bounds": "There may be more threads than columns.",
        "over_budget": "One pass finds maximum and sum: a third load is one too many.",
    },
)
