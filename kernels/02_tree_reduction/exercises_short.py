"""The short exercises on tree reduction, between those of exercises.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    FENCE,
    Break,
    Budget,
    Bug,
    Case,
    Exactly,
    Exercise,
    Expected,
    Hazard,
    Kind,
    Launch,
    Place,
    Problem,
    Requirement,
    Rule,
    anywhere,
    covering,
    hidden,
    longest_path,
    one_launch,
)
from grader.course.inputs import quarters, whole_numbers
from grader.course.variants import operation


def total_of(
    rng: np.random.Generator, kernel: str, n: int, block: int, *numbers, draw=quarters
) -> Problem:
    """One block that adds up n numbers that a float32 holds."""
    x = draw(rng, n)
    return one_launch(kernel, 1, block, {"x": x}, {"total": x.sum(keepdims=True)}, *numbers)


def alone(rng: np.random.Generator, n: int, draw=quarters) -> Problem:
    return total_of(rng, "one_thread", n, 1, np.int32(n), draw=draw)


def squared(problem: Problem) -> Problem:
    outputs = {}
    for launch in problem.launches:
        x, total = launch.args[:2]
        exact = np.square(problem.inputs[x].astype(np.float64)).sum(keepdims=True)
        outputs[total] = Expected(exact, np.float32, rtol=2.0**-18)
    return replace(problem, outputs=outputs)


one_thread = Exercise(
    name="one_thread",
    title="A sum that lacks one",
    source="0_one_thread.cu",
    operations={"sum of squares": operation(squared)},
    kind=Bug(given="    for (int i = 1; i < n; i++) {\n"),
    minutes=1,
    teaches="what a reduction is, by one thread",
    cases=(
        Case("ten elements", lambda rng: alone(rng, 10), points=1),
        covering(
            "a single element, and other lengths",
            lambda rng, n, grid, block, draw: alone(rng, n, draw),
        ),
    ),
    hints=("Which element is never added?", "Elements are counted from 0."),
)


def circled(rng: np.random.Generator) -> Problem:
    x = quarters(rng, 64)
    sums = np.roll(x, -2) + np.roll(x, -3)
    return one_launch("three_barriers", 1, 64, {"x": x}, {"y": sums})


def two_circles(problem: Problem) -> Problem:
    """For `three_barriers`: twice as many cells and threads."""
    inputs, outputs, launches = {}, {}, []
    for launch in problem.launches:
        x, y = launch.args
        inputs[x] = np.concatenate([problem.inputs[x], problem.inputs[x] + 1])
        sums = np.roll(inputs[x], -2) + np.roll(inputs[x], -3)
        outputs[y] = replace(problem.outputs[y], value=sums.astype(np.float64))
        launches.append(replace(launch, block=128))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


def for_two_circles(rule: Rule) -> Rule:
    doubled = (one.replace("64", "128") for one in rule.parameters)
    return replace(rule, blocks=(128,), parameters=tuple(doubled))


three_barriers = Exercise(
    name="three_barriers",
    title="As many barriers as needed",
    source="1_three_barriers.cu",
    operations={"a block of 128": operation(two_circles, for_two_circles)},
    kind=Place(),
    minutes=6,
    teaches="a barrier between a write and a read, and a read and a write",
    cases=(
        Case(
            "no race, and no barrier too many",
            circled,
            points=2,
            budgets=(
                Budget(
                    "barriers",
                    3 * 2,
                    "three for each of two warps. A barrier between accesses to different cells "
                    "is not needed. Remove one barrier at a time, and see which races appear",
                ),
            ),
        ),
        covering("arrays that begin anywhere", lambda rng, grid, block: circled(rng)),
    ),
    hints=(
        "Ask of each two lines that touch `tile`, one after the other: does another thread touch "
        "the same cell, and does one of the two write?",
        "A thread may not change its cell before its left neighbour has read it: that is a barrier "
        "as well.",
        "The report of a race names the two lines between which one is missing.",
    ),
)


def there_and_back(rng: np.random.Generator) -> Problem:
    x = quarters(rng, 32)
    return one_launch("eight_ways", 1, 32, {"x": x}, {"y": x})


eight_ways = Exercise(
    name="eight_ways",
    title="Eight lanes per bank",
    source="2_eight_ways.cu",
    kind=Break(given="    return lane;\n"),
    minutes=3,
    teaches="which strides make lanes meet in a bank",
    cases=(
        Case(
            "8 wavefronts per request",
            there_and_back,
            points=1.5,
            exactly=(
                Exactly(
                    "shared_load_wavefronts",
                    8,
                    "eight lanes must use the same bank, so that the one load of the warp takes "
                    "eight wavefronts",
                ),
            ),
        ),
        hidden("other numbers", there_and_back),
    ),
    hints=(
        "There are 32 banks, and word w lies in bank w % 32. With a stride of 2, lanes t and t + "
        "16 meet: two to a bank.",
        "How many different banks do 32 lanes use, if eight of them share each? Which stride hits "
        "only those?",
    ),
)


def folded(rng: np.random.Generator) -> Problem:
    return total_of(rng, "left_waiting", 64, 64)


STUCK = Hazard("barrier_divergence", ("__syncthreads()",))

left_waiting = Exercise(
    name="left_waiting",
    title="A barrier that half of the block never reaches",
    source="2_left_waiting.cu",
    kind=Break(
        given="""
        if (thread < stride) {
            tile[thread] += tile[thread + stride];
        }
        __syncthreads();
"""
    ),
    minutes=3,
    teaches="what the report of a divergent barrier says",
    cases=(
        Case(
            "the block is stuck at the barrier",
            folded,
            points=1.5,
            hazard=STUCK,
        ),
        Case("other numbers", folded, points=0.5, visible=False, hazard=STUCK),
    ),
    hints=(
        "All threads of a block must reach a barrier. Where must a barrier stand so that only "
        "some of them reach it?",
        "Move the barrier of the loop by one line.",
    ),
)


def drawn(rng: np.random.Generator, blocks: int, block: int) -> Problem:
    """A grid of `blocks`, launched twice: `finished` must be 0 again for the second time."""
    value = quarters(rng, 1)
    names = ("copy", "copy_again")
    return Problem(
        inputs={"value": value, "finished": np.zeros(1, np.uint32)},
        outputs={name: Expected(value.astype(np.float64), np.float32) for name in names},
        launches=tuple(
            Launch("ticket", blocks, block, ("value", "finished", name)) for name in names
        ),
    )


def of_an_array(problem: Problem) -> Problem:
    """The last block copies four values."""
    inputs, outputs = dict(problem.inputs), {}
    for launch in problem.launches:
        value, _, copy = launch.args
        inputs[value] = (problem.inputs[value] + np.arange(4)).astype(np.float32)
        outputs[copy] = Expected(inputs[value], np.float32)
    return replace(problem, inputs=inputs, outputs=outputs)


def of_arrays(rule: Rule) -> Rule:
    parameters = tuple(
        one.replace("[1]", "[4]") if "finished" not in one else one for one in rule.parameters
    )
    return replace(rule, parameters=parameters)


TICKET = Kind("atomic operation", {r"(atom|red)\..*": 1}, orders=True)

ticket = Exercise(
    name="ticket",
    title="Who is last?",
    source="6_ticket.cu",
    operations={"four values": operation(of_an_array, of_arrays)},
    minutes=6,
    teaches="a ticket tells a block that all others have finished",
    cases=(
        Case("blocks of one thread", lambda rng: drawn(rng, 5, 1), points=0.5),
        Case("blocks of 64 threads", lambda rng: drawn(rng, 7, 64), points=0.5),
        covering("one block, and other sizes", lambda rng, grid, block: drawn(rng, grid, block)),
        Case(
            "blocks in another order",
            lambda rng: replace(drawn(rng, 20, 32), order="shuffled"),
            points=0.5,
        ),
        hidden(
            "many blocks; arrays that begin anywhere",
            lambda rng: anywhere(drawn(rng, 200, 32)),
        ),
        Case(
            "within budget",
            lambda rng: drawn(rng, 40, 64),
            points=2.5,
            budgets=(
                Budget("atomics", 2 * 40, "one ticket for each block, drawn by one thread"),
                longest_path(),
            ),
            requires=(Requirement(TICKET, "every block must draw a ticket", at_least=2 * 40),),
        ),
    ),
    hints=(
        "`atomicAdd(finished, 1)` returns what was there before: 0 to the first who draws. What "
        "does the last of gridDim.x blocks get?",
        "One thread of a block draws: `if (threadIdx.x == 0)`. The one with the last ticket writes "
        "`*copy`, and sets `*finished` back to 0 for the next launch.",
    ),
    hints_on={
        "data_race": "Two blocks may read the same number before either adds 1: draw by atomicAdd.",
        "over_budget": "A block needs one ticket, whatever the number of its threads.",
    },
)


def left_behind(rng: np.random.Generator, blocks: int) -> Problem:
    """Each block one thread; twice, as `finished` must be 0 again."""
    x = whole_numbers(rng, blocks)
    exact = x.sum(dtype=np.float64, keepdims=True)
    totals = ("total", "total_again")
    return Problem(
        inputs={"x": x, "finished": np.zeros(1, np.uint32)},
        scratch={"stored": ((blocks,), np.float32)},
        outputs={name: Expected(exact, np.float32) for name in totals},
        launches=tuple(
            Launch("two_fences", blocks, 1, ("x", "finished", "stored", name)) for name in totals
        ),
    )


two_fences = Exercise(
    name="two_fences",
    title="A fence on either side of the ticket",
    source="6_two_fences.cu",
    kind=Place(),
    minutes=3,
    teaches="what a fence orders, for the writer and for the reader",
    cases=(
        Case(
            "eight blocks",
            lambda rng: left_behind(rng, 8),
            points=1.5,
            requires=(
                Requirement(
                    FENCE,
                    "Each block needs one between its number and its ticket; and the last block "
                    "needs one more, between its ticket and the numbers of the others",
                    at_least=2 * (8 + 1),
                ),
            ),
        ),
        covering(
            "one block, and many; arrays that begin anywhere",
            lambda rng, grid, block: left_behind(rng, grid),
        ),
    ),
    hints=(
        "The number must be there before the ticket is: what stands between the two?",
        "The block with the last ticket must not read older values: a second "
        "fence, between the ticket and the loop.",
    ),
    hints_on={
        "data_race": "The report names a write and a read of `stored`. Which fence orders them?",
    },
)
