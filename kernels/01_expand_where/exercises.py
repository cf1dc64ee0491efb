"""What the exercises on expand and where ask: inputs, references, launches, budgets, hints.

Nothing is computed, only copied, so every answer must be exact. An operand reaches its kernel as
it lies in memory (a flat buffer, and strides in elements); the reference is NumPy's broadcasting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import prod

import numpy as np

from grader.course import (
    DIVISION,
    Ban,
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    Rule,
    covering,
    hidden,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, normal, whole_numbers
from grader.course.variants import operation

BLOCK = 128  # threads per block
WARPS = BLOCK // 32

Shape = tuple[int, ...]


# --- operands ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Operand:
    """An array as it lies in memory: `view` shows `buffer` (one dimension), from its first element
    on, with strides of its own."""

    buffer: np.ndarray
    view: np.ndarray

    def strides(self, shape: Shape) -> np.ndarray:
        """int32[len(shape)]: in elements, when expanded to `shape`; 0 along expanded dimensions."""
        moved = np.broadcast_to(self.view, shape).strides
        return whole(stride // self.buffer.itemsize for stride in moved)

    def at(self, shape: Shape, first: int, count: int) -> np.ndarray:
        """`count` elements of the operand expanded to `shape`, from flat index `first` on. The
        expanded array itself is never made, so it may be larger than any memory."""
        shape = shape or (1,)  # a single number has the flat index 0 and no coordinates
        flat = np.arange(first, first + count)
        return np.broadcast_to(self.view, shape)[np.unravel_index(flat, shape)]


def whole(values, dtype=np.int32) -> np.ndarray:
    """`values` as an array."""
    return np.array(list(values), dtype)


def plain(values: np.ndarray) -> Operand:
    """Without gaps, the last dimension running fastest."""
    return Operand(values.ravel(), values)


def turned(values: np.ndarray) -> Operand:
    """The transpose of a plain array: the first dimension runs fastest."""
    buffer = np.ascontiguousarray(values.T).ravel()
    return Operand(buffer, buffer.reshape(values.T.shape).T)


def with_gaps(values: np.ndarray) -> Operand:
    """Every third element of a buffer; a number between two of them belongs to somebody else."""
    buffer = np.full(3 * values.size, -777, values.dtype)
    buffer[::3] = values.ravel()
    return Operand(buffer, buffer[::3].reshape(values.shape))


def chance(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """uint8: 0 or 1, what NumPy and PyTorch store for False and True."""
    return rng.integers(0, 2, shape).astype(np.uint8)


def exactly(values: np.ndarray) -> Expected:
    return Expected(values.astype(np.float64), np.float32)


def blocks_for(n: int) -> int:
    return -(-n // BLOCK)


# --- operations of variants --------------------------------------------------------------------


def of_outputs(shown):
    """Every output is `shown` of what it is in the exercise."""

    def made(problem: Problem) -> Problem:
        outputs = {name: exactly(shown(one.value)) for name, one in problem.outputs.items()}
        return replace(problem, outputs=outputs)

    return made


def of_columns(rule: Rule) -> Rule:
    """The rule of an out that holds column after column."""
    parameters = (one.replace("out[rows * cols]", "out[cols * rows]") for one in rule.parameters)
    return replace(rule, parameters=tuple(parameters))


def from_the_back(values: np.ndarray) -> np.ndarray:
    return values[::-1]


BACK_TO_FRONT = operation(of_outputs(from_the_back))


def of_places(moved=lambda coordinate, size: coordinate, order="C"):
    """In each launch of expand or fast_expand, an element of out has the coordinates that are
    `moved` in x; `order`: whether the last dimension runs fastest (C) or the first (F)."""

    def made(problem: Problem) -> Problem:
        outputs = {}
        for launch in problem.launches:
            x, out, shape, *_, strides, _, first, count = launch.args
            sizes = tuple(map(int, problem.inputs[shape])) or (1,)
            steps = (*problem.inputs[strides], 0)
            flat = int(first) + np.arange(int(count))
            coordinates = np.unravel_index(flat, sizes, order)
            place = sum(
                moved(one, size) * int(step)
                for one, size, step in zip(coordinates, sizes, steps, strict=False)
            )
            outputs[out] = exactly(problem.inputs[x][place])
        return replace(problem, outputs=outputs)

    return made


def every_second_element(problem: Problem) -> Problem:
    """In each launch of expand, every second element of the window, beginning with the first."""
    launches = (
        replace(one, args=(*one.args[:-1], np.int32((one.args[-1] + 1) // 2)))
        for one in problem.launches
    )
    shorter = of_outputs(lambda values: values[::2])(problem)
    return replace(shorter, launches=tuple(launches))


def to_twice_as_far(rule: Rule) -> Rule:
    """The rule of a window of which every second element is wanted."""
    return replace(rule, contents=rule.contents.replace("first + count", "first + 2 * count - 1"))


def first_fastest(problem: Problem) -> Problem:
    """In each launch of where, the first dimension of out runs fastest."""
    outputs = {}
    for launch in problem.launches:
        out, shape = launch.args[3:5]
        values = problem.outputs[out].value.reshape(problem.inputs[shape])
        outputs[out] = exactly(values.ravel(order="F"))
    return replace(problem, outputs=outputs)


def of_conditions(zero: tuple[int, ...], other: tuple[int, ...]):
    """In each launch of where, what is 0 in cond becomes one of `zero`, in turn, and what is not
    becomes one of `other`; what is chosen stays the same."""

    def made(problem: Problem) -> Problem:
        inputs = dict(problem.inputs)
        for launch in problem.launches:
            cond = inputs[launch.args[0]]
            sides = (np.resize(whole(side, np.uint8), cond.size) for side in (zero, other))
            inputs[launch.args[0]] = np.where(cond == 0, *sides)
        return replace(problem, inputs=inputs)

    return made


def with_multiplier_of_twice(problem: Problem) -> Problem:
    """In each launch of fast_expand, multipliers and shifts for another formula: n // divisor ==
    (2 * n * multiplier >> 32) >> shift for every n below 2^31."""
    inputs = dict(problem.inputs)
    for launch in problem.launches:
        shape, multipliers, shifts = launch.args[2:5]
        sizes = [int(size) for size in inputs[shape]]
        inputs[multipliers] = whole(
            (-(-(2 ** (31 + (size - 1).bit_length())) // size) for size in sizes), np.uint32
        )
        inputs[shifts] = whole((size - 1).bit_length() for size in sizes)
    return replace(problem, inputs=inputs)


# --- expand_2d ---------------------------------------------------------------------------------


def expansion_2d(x: Operand, rows: int, cols: int, grid: int = 0) -> Problem:
    row_stride, col_stride = x.strides((rows, cols))
    args = ("x", "out", np.int32(rows), np.int32(cols), row_stride, col_stride)
    return Problem(
        inputs={"x": x.buffer},
        outputs={"out": exactly(np.broadcast_to(x.view, (rows, cols)))},
        launches=(Launch("expand_2d", grid or blocks_for(rows * cols), BLOCK, args),),
    )


def any_2d(rng: np.random.Generator, rows: int, cols: int, grid: int, block: int, draw) -> Problem:
    """A plain matrix, a row, a column, a transposed matrix or one with gaps, as the sizes say."""
    forms = (
        lambda: plain(draw(rng, (rows, cols))),
        lambda: plain(draw(rng, (1, cols))),
        lambda: plain(draw(rng, (rows, 1))),
        lambda: turned(draw(rng, (rows, cols))),
        lambda: with_gaps(draw(rng, (rows, cols))),
    )
    return expansion_2d(forms[(rows + 2 * cols + grid) % len(forms)](), rows, cols, grid)


def sectors_2d(n: int) -> tuple[Budget, ...]:
    why = "neighbouring threads own neighbouring floats, so the 128 bytes of a warp are 4 sectors"
    return (
        Budget("global_store_sectors", n // 8, why),
        Budget("global_load_sectors", n // 8, why),
        *work_is_shared(),
    )


expand_2d = Exercise(
    name="expand_2d",
    title="Expand in two dimensions",
    minutes=6,
    teaches="a stride of 0 repeats a row or a column",
    source="2_expand_2d.cu",
    operations={
        "columns from the end": operation(of_outputs(lambda values: values[:, ::-1])),
        "column after column": operation(of_outputs(np.transpose), of_columns),
        "the lower triangle": operation(of_outputs(np.tril)),
    },
    cases=(
        Case(
            "one row, repeated downwards",
            lambda rng: expansion_2d(plain(whole_numbers(rng, (1, 37))), 5, 37),
            points=1,
        ),
        Case(
            "one column, repeated sideways; a transposed matrix; one with gaps",
            lambda rng: together(
                expansion_2d(plain(normal(rng, (23, 1))), 23, 9),
                expansion_2d(turned(normal(rng, (23, 9))), 23, 9),
                expansion_2d(with_gaps(normal(rng, (11, 13))), 11, 13),
            ),
            points=2,
        ),
        covering("arrays that begin anywhere", any_2d, lambda row: row["anywhere"]),
        covering("a single row or column, and sizes around a block's and the grid's", any_2d),
        hidden(
            "an input with gaps between its elements",
            lambda rng: together(
                expansion_2d(with_gaps(normal(rng, (11, 13))), 11, 13),
                expansion_2d(with_gaps(normal(rng, (11, 1))), 11, 13),
                expansion_2d(with_gaps(normal(rng, (1, 13))), 11, 13),
            ),
        ),
        hidden("many blocks", lambda rng: expansion_2d(plain(normal(rng, (1, 61))), 67, 61)),
        Case(
            "within budget",
            lambda rng: expansion_2d(plain(normal(rng, (1, 64))), 32, 64),
            points=5,
            budgets=sectors_2d(32 * 64),
        ),
    ),
    hints=(
        "Lay the rows of out one after another. With 6 columns, element 13 is in row 2 and column "
        "1. What do you do to 13 and 6 to get the 2, and what to get the 1?",
        "`row = i / cols` counts the full rows before element i, and `col = i % cols` is what is "
        "left over. The number of rows is not needed for either.",
        "The element of x lies at row * row_stride + col * col_stride, whatever the strides are.",
        "The last block has more threads than there are elements left: only those with "
        "i < rows * cols own one.",
    ),
    hints_on={
        "other_place": (
            "An element of the answer has a row and a column, out of i and cols. Each is "
            "multiplied by its own stride, and a stride of 0 stays where it is."
        ),
        "wrong_answer": (
            "Try it on paper with 2 rows of 3 columns: elements 0, 1, 2 of out are row 0. Does / "
            "cols or / rows give the row?"
        ),
        "over_budget": (
            "Thread i owns element i of out: neighbouring threads then store side by side, and "
            "nobody loops."
        ),
    },
)


# --- expand ------------------------------------------------------------------------------------


def expansion(
    x: Operand, shape: Shape, first: int = 0, count: int | None = None, grid: int = 0
) -> Problem:
    """`count` elements of x expanded to `shape`, from `first` on; all of them by default. `grid`:
    more blocks than are needed."""
    count = prod(shape) - first if count is None else count
    args = ("x", "out", "shape", "strides", np.int32(len(shape)), np.uint32(first), np.int32(count))
    return Problem(
        inputs={"x": x.buffer, "shape": whole(shape), "strides": x.strides(shape)},
        outputs={"out": exactly(x.at(shape, first, count))},
        launches=(Launch("expand", grid or blocks_for(count), BLOCK, args),),
    )


def of_shape(rng: np.random.Generator, own: Shape, shape: Shape) -> Problem:
    return expansion(plain(normal(rng, own)), shape)


def split(count: int, dims: int) -> Shape:
    """A shape of `dims` dimensions and `count` elements."""
    shape: Shape = ()
    for _ in range(dims - 1):
        size = next((one for one in (3, 2, 5, 7) if count % one == 0), 1)
        shape, count = (size, *shape), count // size
    return (count, *shape)


def every_second(shape: Shape) -> Shape:
    """The same, with a 1 in every second dimension."""
    return tuple(1 if at % 2 else size for at, size in enumerate(shape))


def any_expansion(rng, dims: int, count: int, grid: int, block: int, draw) -> Problem:
    shape = split(count, dims)
    return expansion(plain(draw(rng, every_second(shape))), shape, grid=grid)


def a_one_everywhere(shape: Shape) -> list[tuple[Shape, Shape]]:
    """For every position: x has a 1 there and is expanded; and both have a 1 there."""
    pairs = []
    for position in range(len(shape)):
        own = (*shape[:position], 1, *shape[position + 1 :])
        pairs += [(own, shape), (own, own)]
    return pairs


def beyond_int(rng: np.random.Generator) -> Problem:
    """4,000,000,000 elements, of which a window beyond 2^31 is wanted, across a change of the first
    coordinate."""
    edge = 100_000_000 * int(rng.integers(24, 39))
    first = edge - int(rng.integers(50, 250))
    x = plain(normal(rng, (40, 1, 100, 1)))
    return expansion(x, (40, 1000, 100, 1000), first, 300)


def walk_budgets(warps: int, loads: int, why: str, stores: int = 1) -> tuple[Budget, ...]:
    return (
        Budget("global_load_requests", warps * loads, f"{loads} per warp: {why}"),
        Budget(
            "global_store_sectors",
            warps * 4 * stores,
            "4 per warp for a store: neighbouring threads own neighbouring floats of out",
        ),
        *work_is_shared(),
    )


expand = Exercise(
    name="expand",
    title="Expand any number of dimensions",
    minutes=10,
    teaches="N dimensions: a coordinate and a stride each",
    source="4_expand.cu",
    operations={
        "the first dimension fastest": operation(of_places(order="F")),
        "back to front": BACK_TO_FRONT,
        "every second element": operation(every_second_element, to_twice_as_far),
    },
    cases=(
        Case("2x1x5x1 to 2x4x5x6", lambda rng: of_shape(rng, (2, 1, 5, 1), (2, 4, 5, 6)), points=1),
        Case(
            "a transposed array, five dimensions, and a window beyond the largest int",
            lambda rng: together(
                expansion(turned(normal(rng, (7, 1, 11))), (7, 5, 11)),
                of_shape(rng, (3, 1, 2, 1, 5), (3, 2, 2, 3, 5)),
                beyond_int(rng),
            ),
            points=2,
        ),
        hidden(
            "no dimension, and one; more than 65,536 elements",
            lambda rng: together(
                of_shape(rng, (), ()),
                of_shape(rng, (1,), (200,)),
                of_shape(rng, (2, 33_000), (2, 33_000)),
            ),
        ),
        hidden(
            "a size of 1 at every position",
            lambda rng: together(*(of_shape(rng, *two) for two in a_one_everywhere((3, 4, 5)))),
        ),
        covering(
            "other numbers of dimensions and elements",
            any_expansion,
            lambda row: not row["anywhere"],
        ),
        hidden(
            "transposed inputs, and inputs with gaps",
            lambda rng: together(
                expansion(turned(normal(rng, (4, 1, 3, 5))), (4, 2, 3, 5)),
                expansion(with_gaps(normal(rng, (4, 3, 1))), (4, 3, 6)),
            ),
        ),
        covering("arrays that begin anywhere", any_expansion),
        hidden("flat indices beyond the largest int", beyond_int),
        Case(
            "within budget",
            lambda rng: of_shape(rng, (4, 1, 8, 16), (4, 4, 8, 16)),
            points=6,
            budgets=walk_budgets(
                64, 2 * 4 + 1, "size and stride of each of the 4 dimensions, once, and the element"
            ),
        ),
    ),
    hints=(
        "Begin with the last dimension, which runs fastest: its coordinate is the flat index "
        "modulo its size. Divide by the size, and what is left is a flat index into the other "
        "dimensions.",
        "A loop from `d = dims - 1` down to 0. In each round: the coordinate, its share of the "
        "place in x, and what is left of the flat index.",
        "The share of dimension d is `coordinate * strides[d]`. An expanded dimension needs no "
        "`if`: its stride is 0.",
        "The flat index of this thread's element is `first + i`, and its place in out is `i`. "
        "An int ends at 2,147,483,647; `first` is unsigned for a reason.",
    ),
    hints_on={
        "other_place": (
            "Take the coordinates apart from the last dimension on: what is left of the flat "
            "index after each, and which stride belongs to which coordinate?"
        ),
        "wrong_answer": (
            "Which dimension do you begin with? The last one runs fastest, so its coordinate is "
            "what is left over after dividing by its size."
        ),
        "over_budget": (
            "Each size and each stride is needed once: one walk from the last dimension to the "
            "first gives all coordinates."
        ),
    },
)


# --- where -------------------------------------------------------------------------------------


def choice(cond: Operand, x: Operand, y: Operand, shape: Shape, grid: int = 0) -> Problem:
    """where(cond, x, y), each expanded to `shape`."""
    operands = {"cond": cond, "x": x, "y": y}
    strides = {f"{name}_strides": one.strides(shape) for name, one in operands.items()}
    n = prod(shape)
    args = (*operands, "out", "shape", *strides, np.int32(len(shape)), np.int32(n))
    chosen = np.where(*(np.broadcast_to(one.view, shape) for one in operands.values()))
    return Problem(
        inputs={name: one.buffer for name, one in operands.items()}
        | {"shape": whole(shape), **strides},
        outputs={"out": exactly(chosen.ravel())},
        launches=(Launch("where", grid or blocks_for(n), BLOCK, args),),
    )


def of_shapes(rng: np.random.Generator, cond: Shape, x: Shape, y: Shape) -> Problem:
    shape = np.broadcast_shapes(cond, x, y)
    return choice(
        plain(chance(rng, cond)), plain(normal(rng, x)), plain(offset_from(rng, y)), shape
    )


def any_choice(rng, dims: int, n: int, grid: int, block: int, draw) -> Problem:
    shape = split(n, dims)
    own = every_second(shape)
    cond, x, y = (chance(rng, shape), draw(rng, own), offset_from(rng, shape))
    return choice(plain(cond), plain(x), plain(y), shape, grid)


def offset_from(rng: np.random.Generator, shape: Shape) -> np.ndarray:
    """Far from the other side's numbers, so that a wrong choice is also a wrong number."""
    return 100 + normal(rng, shape)


def any_truth(rng: np.random.Generator) -> Problem:
    cond = rng.choice(np.array([0, 1, 2, 128, 255], np.uint8), (3, 1, 61))
    x, y = plain(normal(rng, (1, 5, 61))), plain(offset_from(rng, (3, 5, 1)))
    return choice(plain(cond), x, y, (3, 5, 61))


def masked_vector(rng: np.random.Generator) -> Problem:
    """x where the mask is not 0, and NaN there where it is: then a single number is chosen."""
    cond = rng.choice(np.array([0, 0, 1, 2, 128, 255], np.uint8), 300)
    x = normal(rng, 300)
    x[cond == 0] = np.nan
    return choice(plain(cond), plain(x), plain(offset_from(rng, (1,))), (300,))


def not_chosen(rng: np.random.Generator) -> Problem:
    """NaN and infinities, most of them where the other side is chosen."""
    cond = chance(rng, (11, 1, 7))
    x, y = heavy_tailed(rng, (11, 1, 7)), heavy_tailed(rng, (11, 3, 7))
    x[cond == 0] = rng.choice(np.array([np.nan, np.inf, -np.inf], np.float32), np.sum(cond == 0))
    y[np.broadcast_to(cond, y.shape) == 1] = np.nan
    x[0, 0, 0] = y[0, 0, 0] = np.nan
    return choice(plain(cond), plain(x), plain(y), (11, 3, 7))


def all_turned(rng: np.random.Generator) -> Problem:
    """A transposed mask, a transposed x with gaps nowhere, and a y of which every third counts."""
    cond, x = turned(chance(rng, (6, 1, 5))), turned(normal(rng, (6, 7, 1)))
    return choice(cond, x, with_gaps(offset_from(rng, (7, 5))), (6, 7, 5))


where = Exercise(
    name="where",
    title="where, with everything broadcast",
    minutes=9,
    teaches="three arrays, broadcast against each other",
    source="5_where.cu",
    operations={
        "the first dimension fastest": operation(first_fastest),
        "back to front": BACK_TO_FRONT,
        "true from 128 on": operation(of_conditions((0, 5, 127), (128, 200, 255))),
        "x where the condition is 0": operation(of_conditions((1, 2, 128, 255), (0,))),
    },
    cases=(
        Case(
            "a mask, a vector and a single number",
            masked_vector,
            points=1,
        ),
        Case(
            "2x1x5x6, 1x4x5x1 and 2x4x1x6",
            lambda rng: of_shapes(rng, (2, 1, 5, 6), (1, 4, 5, 1), (2, 4, 1, 6)),
            points=2,
        ),
        hidden(
            "no dimension, fewer dimensions than the answer has, and more than 65,536 elements",
            lambda rng: together(
                of_shapes(rng, (), (), ()),
                of_shapes(rng, (7, 1, 1), (9,), (3, 1)),
                of_shapes(rng, (2, 33_000), (2, 33_000), (33_000,)),
            ),
        ),
        hidden(
            "a size of 1 at every position of every operand",
            lambda rng: together(
                *(
                    of_shapes(rng, *operands)
                    for own, full in a_one_everywhere((3, 4, 5))[::2]
                    for operands in ((own, full, full), (full, own, full), (full, full, own))
                )
            ),
        ),
        covering(
            "other numbers of dimensions and elements", any_choice, lambda row: not row["anywhere"]
        ),
        hidden("transposed operands, and operands with gaps", all_turned),
        covering("arrays that begin anywhere", any_choice),
        hidden("a condition that is true, but not 1", any_truth),
        hidden("NaN and infinities on the side that is not chosen", not_chosen),
        Case(
            "within budget",
            lambda rng: of_shapes(rng, (8, 1, 8, 16), (1, 4, 8, 1), (8, 4, 1, 16)),
            points=6.5,
            budgets=walk_budgets(
                128,
                4 * 4 + 3,
                "a size and three strides of each of the 4 dimensions, then cond, x and y: the "
                "coordinates are the same for all three, so one loop is enough",
                stores=2,  # one in each branch of an if
            ),
        ),
    ),
    hints=(
        "The walk is that of expand, over the shape of out. Which part of it depends on the "
        "operand, and which does not?",
        "The coordinates belong to out, so all three operands share them. Keep three places and "
        "add coordinate * stride to each, with its own stride.",
        "Then it is the kernel of one dimension again: "
        "out[i] = cond[...] ? x[...] : y[...], each at its own place.",
    ),
    hints_on={
        "other_place": (
            "One set of coordinates, three places: each operand has strides of its own, and "
            "the condition is looked up at its own place."
        ),
        "over_budget": (
            "The three operands share their coordinates. One walk over the dimensions is enough, "
            "with a stride of each operand in every round."
        ),
        "wrong_answer": (
            "Does each of the three places move by its own strides? And what counts as true: 1, or "
            "anything but 0?"
        ),
    },
)


# --- fast_expand -------------------------------------------------------------------------------


def multiplier_and_shift(divisor: int) -> tuple[int, int]:
    """(multiplier, shift) with n // divisor == (n + (n * multiplier >> 32)) >> shift for every n
    below 2^32, for divisors from 1 to 2^31 (T. Granlund and P. L. Montgomery, Division by invariant
    integers using multiplication, PLDI 1994)."""
    shift = (divisor - 1).bit_length()
    return (2 ** (32 + shift) // divisor) + 1 - 2**32, shift


def fast_expansion(
    x: Operand, shape: Shape, first: int = 0, count: int | None = None, grid: int = 0
) -> Problem:
    plain_problem = expansion(x, shape, first, count)
    multipliers, shifts = zip(*map(multiplier_and_shift, shape), strict=True) if shape else ((), ())
    count = plain_problem.outputs["out"].value.size
    arrays = {
        "shape": whole(shape, np.uint32),
        "multipliers": whole(multipliers, np.uint32),
        "shifts": whole(shifts),
        "strides": x.strides(shape),
    }
    args = ("x", "out", *arrays, np.int32(len(shape)), np.uint32(first), np.int32(count))
    return Problem(
        inputs={"x": x.buffer, **arrays},
        outputs=plain_problem.outputs,
        launches=(Launch("fast_expand", grid or blocks_for(count), BLOCK, args),),
    )


def fast_of_shape(rng: np.random.Generator, own: Shape, shape: Shape) -> Problem:
    return fast_expansion(plain(normal(rng, own)), shape)


def any_fast(rng, dims: int, count: int, grid: int, block: int, draw) -> Problem:
    shape = split(count, dims)
    return fast_expansion(plain(draw(rng, every_second(shape))), shape, grid=grid)


def high_window(rng: np.random.Generator, outer: int, middle: int, inner: int) -> Problem:
    """The last change of the first coordinate that lies 200 elements below 2^31. The middle
    dimension is expanded, so `outer` and `inner` alone say how much memory x takes."""
    slab = middle * inner
    edge = (2**31 - 200) // slab * slab
    x = plain(normal(rng, (outer, 1, inner)))
    return fast_expansion(x, (outer, middle, inner), edge - int(rng.integers(50, 100)), 200)


def last_elements(rng: np.random.Generator) -> Problem:
    """The last flat indices below 2^31, where rest + upper half comes closest to 2^32."""
    x = plain(normal(rng, (8192, 1, 7)))
    return fast_expansion(x, (8192, 2**31 // 8192 // 7 + 1, 7), 2**31 - 200, 200)


fast_expand = Exercise(
    name="fast_expand",
    title="Expand without dividing",
    minutes=10,
    teaches="the divisions that need not be done",
    source="7_fast_expand.cu",
    operations={
        "every dimension reversed": operation(of_places(lambda at, size: size - 1 - at)),
        "each element for two": operation(of_places(lambda at, size: at // 2)),
        "another formula": operation(with_multiplier_of_twice),
    },
    cases=(
        Case(
            "2x1x5x1 to 2x4x5x6",
            lambda rng: fast_of_shape(rng, (2, 1, 5, 1), (2, 4, 5, 6)),
            points=1,
        ),
        Case(
            "a window just below 2^31",
            lambda rng: high_window(rng, 31, 10_000_019, 7),
            points=2,
        ),
        covering("other numbers of dimensions and elements; arrays that begin anywhere", any_fast),
        hidden(
            "no dimension; powers of two and their neighbours; more than 65,536 elements",
            lambda rng: together(
                fast_of_shape(rng, (), ()),
                fast_of_shape(rng, (2, 33_000), (2, 33_000)),
                *(fast_of_shape(rng, (3, n, 1), (3, n, 2)) for n in (1, 2, 3, 7, 8, 9, 31, 33)),
            ),
        ),
        hidden(
            "divisors large and small, at the highest flat indices",
            lambda rng: together(
                high_window(rng, 3, 2**30 - 101, 1),
                high_window(rng, 33, 65_537, 1_001),
                high_window(rng, 65, 6_700_417, 5),
                high_window(rng, 9, 2**28, 1),
                last_elements(rng),
            ),
        ),
        hidden(
            "six dimensions, transposed, with gaps",
            lambda rng: together(
                fast_of_shape(rng, (1, 3, 1, 2, 1, 3), (2, 3, 2, 2, 3, 3)),
                fast_expansion(turned(normal(rng, (4, 1, 3, 5))), (4, 2, 3, 5)),
                fast_expansion(with_gaps(normal(rng, (4, 3, 1))), (4, 3, 6)),
            ),
        ),
        Case(
            "within budget",
            lambda rng: fast_of_shape(rng, (4, 1, 8, 16), (4, 4, 8, 16)),
            points=5,
            budgets=walk_budgets(
                64, 4 * 4 + 1, "four numbers for each of the 4 dimensions, and the element"
            ),
            bans=(Ban(DIVISION, "/ and % are slow, and `multipliers` and `shifts` replace them"),),
        ),
    ),
    hints=(
        "The comment at the head of the kernel gives the quotient as a formula. `>> 32` of the "
        "64-bit product is what __umulhi returns, so only a sum and a shift are left.",
        "The coordinate is the remainder, and a remainder needs no division once the quotient is "
        "there: it is what `quotient` times the size leaves of `rest`.",
        "Keep it unsigned: the sum of `rest` and the upper half may pass 2^31. In an int it would "
        "turn negative, and >> would keep it so.",
        "The rest is as in expand: coordinate * strides[d] goes to the place, and the quotient is "
        "what is left of the flat index.",
    ),
    hints_on={
        "other_place": (
            "The quotient decides everything after it: compare yours with rest / shape[d] for "
            "a small index, by hand."
        ),
        "over_budget": (
            "A remainder needs no % once the quotient is known: it is what quotient * shape[d] "
            "leaves of rest."
        ),
        "wrong_answer": (
            "The sum of rest and the upper half may pass 2^31: which types keep it positive?"
        ),
    },
)
