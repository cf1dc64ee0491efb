"""The short exercises on broadcasting, between those of exercises.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    DIVISION,
    Ban,
    Break,
    Bug,
    Case,
    Cheaper,
    Exactly,
    Exercise,
    Expected,
    Order,
    Problem,
    Rule,
    covering,
    hidden,
    one_launch,
    work_is_shared,
)
from grader.course.inputs import quarters, whole_numbers
from grader.course.variants import operation

BLOCK = 64
TILE = (32, 8)


def scaled(rng: np.random.Generator, n: int, grid: int = 0, draw=quarters) -> Problem:
    x, factor = draw(rng, n), quarters(rng, 1)
    arrays = {"x": x, "factor": factor}
    return one_launch(
        "one_for_all", grid or -(-n // BLOCK), BLOCK, arrays, {"out": x * factor}, np.int32(n)
    )


def one_for_each_block(problem: Problem) -> Problem:
    """For variants: in each launch, block b has a factor of its own, b + 1 times the first."""
    inputs, outputs = dict(problem.inputs), {}
    for launch in problem.launches:
        x, factor, out = launch.args[:3]
        inputs[factor] = (inputs[factor] * np.arange(1, launch.grid + 1)).astype(np.float32)
        factors = np.repeat(inputs[factor], BLOCK)[: inputs[x].size]
        outputs[out] = Expected(inputs[x] * factors.astype(np.float64), np.float32)
    return replace(problem, inputs=inputs, outputs=outputs)


def of_each_block(rule: Rule) -> Rule:
    parameters = (one.replace("factor[1]", "factor[gridDim.x]") for one in rule.parameters)
    return replace(rule, parameters=tuple(parameters))


one_for_all = Exercise(
    name="one_for_all",
    title="One number for all",
    source="0_one_for_all.cu",
    operations={"one for each block": operation(one_for_each_block, of_each_block)},
    kind=Bug(given="    out[i] = x[i] * factor[i];\n"),
    minutes=1,
    teaches="an array of one element has no element i",
    cases=(
        Case("two blocks", lambda rng: scaled(rng, 100), points=1),
        covering(
            "a single element, and many",
            lambda rng, n, grid, block, draw: scaled(rng, n, grid, draw),
        ),
    ),
    hints=(
        "The comment says how many elements `factor` has. Which of them does thread 5 read?",
        "All threads need the same element, the only one there is.",
    ),
)


def copied(rng: np.random.Generator) -> Problem:
    x = quarters(rng, (32, 32))
    return one_launch("worst_copy", 1, 1024, {"x": x}, {"out": x})


worst_copy = Exercise(
    name="worst_copy",
    title="The most expensive copy",
    source="3_worst_copy.cu",
    kind=Break(
        given="""
    const int row = threadIdx.x / 32;
    const int col = threadIdx.x % 32;
"""
    ),
    minutes=3,
    teaches="what makes a load touch 32 sectors: lanes that are far apart",
    cases=(
        Case(
            "32 sectors per request, loading and storing",
            copied,
            points=1.5,
            exactly=(
                Exactly(
                    "global_load_sectors",
                    1024,
                    "32 warps load once each, and each lane of a warp must use a sector of its own",
                ),
                Exactly("global_store_sectors", 1024, "the same holds for the stores"),
            ),
        ),
        hidden("other numbers", copied),
    ),
    hints=(
        "32 sectors are the most that 32 lanes can touch. How far apart must neighbouring lanes "
        "read, at least?",
        "As it stands, `col` differs from lane to lane. Let `row` do so.",
    ),
)


def three_dims(
    rng: np.random.Generator, shape: tuple[int, int, int], own: tuple, grid: int = 0
) -> Problem:
    x = whole_numbers(rng, own)
    strides = [stride // 4 if size > 1 else 0 for size, stride in zip(own, x.strides, strict=True)]
    out = np.ascontiguousarray(np.broadcast_to(x, shape))
    numbers = [np.int32(number) for number in (shape[1], shape[2], *strides, out.size)]
    grid = grid or -(-out.size // BLOCK)
    return one_launch("three_coordinates", grid, BLOCK, {"x": x}, {"out": out}, *numbers)


def any_three(rng, rows: int, cols: int, n: int, grid: int, block: int) -> Problem:
    """One of the three dimensions is expanded, or none."""
    shape = (n // (rows * cols), rows, cols)
    expanded = (rows + cols + n) % 4
    own = tuple(1 if at == expanded else size for at, size in enumerate(shape))
    return three_dims(rng, shape, own, grid)


def rows_fastest(problem: Problem) -> Problem:
    """For variants: in each launch, out is [planes, cols, rows]."""
    outputs = {
        name: replace(one, value=one.value.transpose(0, 2, 1).copy())
        for name, one in problem.outputs.items()
    }
    return replace(problem, outputs=outputs)


three_coordinates = Exercise(
    name="three_coordinates",
    title="Three coordinates, in order",
    source="4_three_coordinates.cu",
    operations={"rows fastest": operation(rows_fastest)},
    kind=Order(
        (
            "const int row = i % rows;",
            "const int plane = rest / cols;",
            "const int rest = i % cols;",
        )
    ),
    minutes=5,
    teaches="remainder and quotient, from the last dimension to the first",
    cases=(
        Case("no dimension expanded", lambda rng: three_dims(rng, (3, 4, 5), (3, 4, 5)), 0.5),
        Case("rows expanded", lambda rng: three_dims(rng, (2, 7, 9), (2, 1, 9)), 1),
        hidden("planes expanded", lambda rng: three_dims(rng, (6, 3, 8), (1, 3, 8))),
        covering("columns expanded; other sizes and grids", any_three),
    ),
    hints=(
        "The last dimension runs fastest: its coordinate is what is left over when `i` is divided "
        "by its size. The quotient counts rows, of all planes.",
        "Nothing can be used above the line that declares it: `rest` needs `i`, `row` and `plane` "
        "need `rest`. Seven lines are needed.",
    ),
)

NO_DIVISION = Ban(DIVISION, "the thread knows its row and its column already")


def summed(rng: np.random.Generator, rows: int, cols: int, grid=(), draw=quarters) -> Problem:
    a, b = draw(rng, rows), quarters(rng, cols)
    grid = grid or (-(-cols // TILE[0]), -(-rows // TILE[1]))
    size = np.int32(rows), np.int32(cols)
    out = {"out": a[:, None] + b}
    return one_launch("outer_sum", grid, TILE, {"a": a, "b": b}, out, *size)


def b_from_the_end(problem: Problem) -> Problem:
    """For variants: in each launch, the last element of b is for column 0."""
    outputs = dict(problem.outputs)
    for launch in problem.launches:
        a, b, out = launch.args[:3]
        value = problem.inputs[a][:, None] + problem.inputs[b][::-1].astype(np.float64)
        outputs[out] = replace(outputs[out], value=value)
    return replace(problem, outputs=outputs)


outer_sum = Exercise(
    name="outer_sum",
    title="Divisions that undo a product",
    source="8_outer_sum.cu",
    operations={"b from the end": operation(b_from_the_end)},
    kind=Cheaper(given="    out[i] = a[i / cols] + b[i % cols];\n"),
    minutes=2,
    teaches="a coordinate that is there need not be divided for",
    cases=(
        Case("some elements", lambda rng: summed(rng, 5, 7), points=0.5),
        Case(
            "no division",
            lambda rng: summed(rng, 16, 64),
            points=1.5,
            bans=(NO_DIVISION,),
            budgets=work_is_shared(),
        ),
        covering(
            "other shapes and grids; arrays that begin anywhere",
            lambda rng, rows, cols, grid, block, draw: summed(rng, rows, cols, grid, draw),
        ),
    ),
    hints=(
        "What is `i / cols`, if `i` is `row * cols + col`?",
        "Only `out` needs the flat index. `a` has a number for each row, `b` one for each column.",
    ),
)
