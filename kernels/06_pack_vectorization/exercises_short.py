"""The short exercises on packs, between those of exercises.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    LOAD_16,
    SHUFFLE,
    Break,
    Budget,
    Bug,
    Case,
    Cheaper,
    Exercise,
    Hazard,
    Problem,
    Requirement,
    Rule,
    covering,
    one_launch,
    work_is_shared,
)
from grader.course.inputs import normal, quarters
from grader.course.tolerances import sum_bound
from grader.course.variants import operation

BLOCK = 64


def of_first_array(function, bound=lambda x: 0.0):
    """For variants: in each launch, the second array is `function` of the first, within `bound`."""

    def made(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            before, after = launch.args[:2]
            x = problem.inputs[before].astype(np.float64)
            outputs[after] = replace(problem.outputs[after], value=function(x), atol=bound(x))
        return replace(problem, outputs=outputs)

    return made


def twice_the_blocks(problem: Problem) -> Problem:
    """For variants: in each launch, twice as many blocks."""
    launches = (replace(one, grid=2 * one.grid) for one in problem.launches)
    return replace(problem, launches=tuple(launches))


def of_packs_of_two(rule: Rule) -> Rule:
    where = (one.replace("4 * gridDim", "2 * gridDim") for one in rule.where)
    return replace(rule, where=tuple(where))


def of_whole_packs(rule: Rule) -> Rule:
    """The rule of arrays that are rows of four."""
    parameters = (one.replace("4 * count", "count * 4") for one in rule.parameters)
    return replace(rule, parameters=tuple(parameters))


def in_fours(x: np.ndarray) -> np.ndarray:
    return x.reshape(-1, 4)


def of_row(fold):
    """What `fold` makes of each row, in each of its places."""
    return lambda x: np.broadcast_to(fold(x, axis=1, keepdims=True), x.shape)


def copied(rng: np.random.Generator, n: int, grid: int = 0, draw=quarters) -> Problem:
    x, grid = draw(rng, n), grid or -(-n // BLOCK)
    return one_launch("fours", grid, BLOCK, {"x": x}, {"y": x}, np.int32(n))


fours = Exercise(
    name="fours",
    title="How many packs of four?",
    source="0_fours.cu",
    operations={
        "packs from the end": operation(of_first_array(lambda x: in_fours(x)[::-1].ravel())),
        "packs of two": operation(twice_the_blocks, of_packs_of_two),
    },
    kind=Bug(given="    if (i < n) y[i] = x[i];\n"),
    minutes=1,
    teaches="n floats are n / 4 packs",
    cases=(
        Case("100 floats", lambda rng: copied(rng, 100), points=1),
        covering(
            "one pack, and other lengths and values",
            lambda rng, n, grid, block, draw: copied(rng, n, grid, draw),
        ),
    ),
    hints=(
        "`x[i]` is pack i here, four floats at once. How many packs are 100 floats?",
        "The guard counts floats, and should count packs.",
    ),
)


def doubled(rng: np.random.Generator, count: int, grid: int = 0, draw=quarters) -> Problem:
    x = draw(rng, 4 * count)
    grid = grid or -(-count // BLOCK)
    return one_launch("one_load", grid, BLOCK, {"x": x}, {"y": 2 * x}, np.int32(count))


one_load = Exercise(
    name="one_load",
    title="Four loads in one",
    source="5_one_load.cu",
    operations={
        "each pack reversed": operation(
            of_first_array(lambda x: 2 * in_fours(x)[:, ::-1].ravel()), of_whole_packs
        ),
    },
    kind=Cheaper(given="    for (int k = 0; k < 4; k++) y[4 * p + k] = 2.0f * x[4 * p + k];\n"),
    minutes=5,
    teaches="a cast to a pack, and one load for its four elements",
    cases=(
        Case("a block that is not full", lambda rng: doubled(rng, 50), points=0.5),
        Case(
            "within budget",
            lambda rng: doubled(rng, 128),
            points=2,
            budgets=(
                Budget("global_load_requests", 4, "one per warp: 16 bytes per lane at once"),
                Budget("global_store_requests", 4, "one per warp: 16 bytes per lane at once"),
                *work_is_shared(),
            ),
            requires=(Requirement(LOAD_16, "one for each warp"),),
        ),
        covering(
            "one pack, and other lengths and values",
            lambda rng, count, grid, block, draw: doubled(rng, count, grid, draw),
        ),
    ),
    hints=(
        "`reinterpret_cast<const Four*>(x)` is the same memory, seen as an array of packs. Which "
        "of them belongs to thread p?",
        "Load a whole `Four` into a variable, change its elements, store it whole.",
    ),
)


def groups_of(rng: np.random.Generator, groups: int) -> Problem:
    x = quarters(rng, 4 * groups + 4)
    total = x[:-4].reshape(groups, 4).sum(axis=1)
    grid = -(-groups // BLOCK)
    return one_launch("one_float_off", grid, BLOCK, {"x": x}, {"total": total}, np.int32(groups))


SLOT = Hazard("misaligned", ("reinterpret_cast<const float4*>(first)",))

one_float_off = Exercise(
    name="one_float_off",
    title="One float off",
    source="5_one_float_off.cu",
    operations={
        "two sums": operation(of_first_array(lambda x: x[:-4].reshape(-1, 2).sum(axis=1))),
    },
    kind=Break(given="    const float* first = x + 4 * i;\n"),
    minutes=2,
    teaches="16 bytes can be loaded only from a multiple of 16",
    cases=(
        Case("a misaligned load", lambda rng: groups_of(rng, 70), points=1.5, hazard=SLOT),
        Case("other numbers", lambda rng: groups_of(rng, 70), 0.5, False, hazard=SLOT),
    ),
    hints=(
        "A float4 must lie at a multiple of 16 bytes. Where must it begin to break this rule?",
        "Let each group begin one float later.",
    ),
)


def magnitudes(rng: np.random.Generator, rows: int, draw=normal) -> Problem:
    x = draw(rng, (rows, 32))
    y = np.broadcast_to(np.abs(x).max(axis=1, keepdims=True), x.shape)
    return one_launch("no_waiting", rows // 4, 128, {"x": x}, {"y": y})


no_waiting = Exercise(
    name="no_waiting",
    title="A warp without barriers",
    source="4_no_waiting.cu",
    operations={
        "smallest magnitude": operation(of_first_array(of_row(lambda x, **how: abs(x).min(**how)))),
        "sum": operation(
            of_first_array(of_row(np.sum), lambda x: sum_bound(5, of_row(np.sum)(np.abs(x))))
        ),
    },
    kind=Cheaper(
        given="""
        __shared__ float of_thread[128];
        of_thread[threadIdx.x] = largest;
        __syncthreads();
        const float other = of_thread[threadIdx.x ^ apart];
        __syncthreads();
"""
    ),
    minutes=4,
    teaches="within a warp a shuffle needs no memory and no barrier",
    cases=(
        Case(
            "no barrier, no shared memory",
            lambda rng: magnitudes(rng, 8),
            points=2,
            budgets=(
                Budget("barriers", 0, "one warp processes a row, so no warp waits for another"),
                Budget(
                    "shared_store_requests",
                    0,
                    "a shuffle passes values between lanes without shared memory",
                ),
                *work_is_shared(),
            ),
            requires=(Requirement(SHUFFLE, "no value may go through memory", levels=5),),
        ),
        covering(
            "other numbers; arrays that begin anywhere",
            lambda rng, grid, block, draw: magnitudes(rng, 4 * grid, draw),
        ),
    ),
    hints=(
        "Threads `threadIdx.x` and `threadIdx.x ^ apart` are lanes of one warp. How do lanes pass "
        "a value without memory?",
        "One line, `__shfl_xor_sync(0xffffffff, largest, apart)`, replaces five lines.",
    ),
)
