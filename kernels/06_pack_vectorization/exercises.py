"""What the exercises on packs ask: inputs, references, launches, budgets, hints.

Every reference is computed in float64 from a copy of the inputs. A magnitude is one of the inputs,
so it must be exact. A quotient is rounded once; twice that is forgiven, so that multiplying by a
rounded reciprocal passes too wherever the reciprocal is an ordinary number.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from grader.course import (
    LOAD_16,
    SHUFFLE,
    STORE_16,
    Budget,
    Case,
    Exercise,
    Expected,
    Launch,
    Problem,
    Requirement,
    Rule,
    Times,
    covering,
    hidden,
    large,
    together,
    work_is_shared,
)
from grader.course.inputs import heavy_tailed, normal, offset, quarters
from grader.course.variants import operation

BLOCK = 128  # threads per block, if a case does not say otherwise: four warps
SECTOR = 32  # bytes
PACK = 16  # bytes
WARP_REQUEST = 32 * PACK  # bytes that a warp asks for with one 16-byte load
# Of each type: digits after the point in the significand, and the smallest positive number.
DIGITS = {np.float16: (11, 2.0**-24), np.float32: (24, 2.0**-149), np.float64: (53, 2.0**-1074)}


def blocks_for(rows: int, block: int = BLOCK) -> int:
    """Blocks for a warp per row."""
    return -(-rows // (block // 32))


# --- inputs ------------------------------------------------------------------------------------


def planted(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """float32[rows, columns] of magnitudes up to 0.5; the largest of row r, negative in every
    second row and different for each, stands r columns before the end, round about."""
    x = rng.uniform(-0.5, 0.5, (rows, columns)).astype(np.float32)
    r = np.arange(rows)
    sign = np.where(r % 2, 1, -1)
    x[r, (columns - 1 - r) % columns] = sign * rng.uniform(0.6, 0.9, rows)
    return x


def with_odd_rows(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """As `planted`, but row 1 ends with a NaN, row 2 has numbers around 1e-40, row 3 zeros."""
    x = planted(rng, rows, columns)
    x[1, -1] = np.nan
    x[2] *= 1e-40
    x[3] = 0
    return x


def rising_in_front(rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """As `planted`, but the largest of each row is its first, larger than that of the row before
    and of the other sign."""
    x = planted(rng, rows, columns)
    r = np.arange(rows)
    x[:, 0] = (1 + r + rng.uniform(0, 0.5, rows)) * np.where(r % 2, -1, 1)
    return x


def silent(rng: np.random.Generator) -> np.ndarray:
    """float32[6, 132]: rows of zeros, of negative zeros, and rows with one number that is not."""
    x = np.zeros((6, 132), np.float32)
    x[1] = -0.0
    x[2:4, -1] = rng.uniform(-2, -1, 2)
    x[5, int(rng.integers(132))] = 1e-3
    return x


def not_numbers(rng: np.random.Generator) -> np.ndarray:
    """float32[6, 132]: rows with a NaN, with nothing else, and with infinities of both signs."""
    x = planted(rng, 6, 132)
    x[0, int(rng.integers(132))] = np.nan
    x[1] = np.nan
    x[2, [3, 100]] = np.nan
    x[3, int(rng.integers(132))] = np.inf
    x[4, int(rng.integers(132))] = -np.inf
    x[4, 0] = np.nan
    return x


def extremes(rng: np.random.Generator) -> np.ndarray:
    """float32[4, 132] with magnitudes near the largest float, 1e30, 1e-30 and the smallest."""
    scales = np.array([3.4e38, 1e30, 1e-30, 1e-42])[:, None]
    return (scales * planted(rng, 4, 132)).astype(np.float32)


# --- operations of variants --------------------------------------------------------------------


def of_doubles(rule: Rule) -> Rule:
    """The rule with doubles in place of floats."""
    parameters = tuple(one.replace("float ", "double ") for one in rule.parameters)
    return replace(rule, parameters=parameters)


def with_parameter(of: str, to: str):
    """The rule with the parameter `to` in place of `of`."""

    def made(rule: Rule) -> Rule:
        parameters = tuple(to if one == of else one for one in rule.parameters)
        return replace(rule, parameters=parameters)

    return made


def a_factor_each(problem: Problem) -> Problem:
    """In each launch of scale_packed, every element has a factor of its own, a multiple of what is
    the factor of all."""
    inputs, outputs, launches = dict(problem.inputs), {}, []
    for launch in problem.launches:
        x, y, factor, n = launch.args
        factors = x.replace("x", "factor", 1)
        inputs[factors] = factor * np.resize(np.float32([1, -2, 0.5, 3, -1, 4, 0.25]), int(n))
        value = inputs[x].astype(np.float64) * inputs[factors]
        outputs[y] = replace(problem.outputs[y], value=value)
        launches.append(replace(launch, args=(x, y, factors, n)))
    return replace(problem, inputs=inputs, outputs=outputs, launches=tuple(launches))


def pairs_exchanged(problem: Problem) -> Problem:
    """In each launch of scale_packed, y[i] is made of x[i ^ 1]; x has an even length."""
    inputs = dict(problem.inputs)
    for launch in problem.launches:
        x, _, _, n = launch.args
        even = 1 - np.resize(inputs[x], n + n % 2)
        even[np.arange(n) ^ 1] = inputs[x]
        inputs[x] = even
    return replace(problem, inputs=inputs)


def of_rows(result, given=np.copy):
    """In each launch, `result(x)` is expected of what `given` makes of the rows in x."""

    def made(problem: Problem) -> Problem:
        inputs, outputs = {}, {}
        for launch in problem.launches:
            x, y = launch.args[:2]
            inputs[x] = given(problem.inputs[x])
            outputs[y] = result(inputs[x])
        return replace(problem, inputs=inputs, outputs=outputs)

    return made


def inverted(x: np.ndarray) -> np.ndarray:
    """1 / x, whose magnitude is smallest where that of x is largest; zeros, the smallest numbers
    and infinities stay as they are."""
    ordinary = np.isfinite(x) & (np.abs(x) > 1e-30)
    return np.where(ordinary, 1 / np.where(ordinary, x, 1), x).astype(np.float32)


def below_zero(x: np.ndarray) -> np.ndarray:
    """Numbers below 0, the largest of them where x has its largest magnitude."""
    return -np.abs(inverted(x))


def within_reach(x: np.ndarray) -> np.ndarray:
    """x, but a quarter of all numbers so large that a difference of two could be too large."""
    large = np.abs(x) > np.finfo(x.dtype).max / 4
    return np.where(large, x / 4, x).astype(x.dtype)


def with_more_digits(x: np.ndarray) -> np.ndarray:
    """Doubles that no float is; those below all ordinary floats are below all ordinary doubles."""
    wide = x.astype(np.float64)
    wide *= 1 + 1e-9 * np.resize(np.arange(7), x.shape)
    tiny = np.abs(wide) < np.finfo(np.float32).tiny
    return np.where(tiny, wide * 1e-275, wide)


def smallest_magnitudes(x: np.ndarray) -> Expected:
    value = np.fmin.reduce(np.abs(x.astype(np.float64)), axis=1, initial=np.inf)
    return Expected(value, np.float32)


def largest_elements(x: np.ndarray) -> Expected:
    value = np.fmax.reduce(x.astype(np.float64), axis=1, initial=-np.inf)
    return Expected(value, np.float32)


def magnitudes_of_doubles(x: np.ndarray) -> Expected:
    return Expected(magnitudes(x), np.float64)


def less(fold, first: float):
    """Each row less what `fold` makes of its elements, passing over NaN, and of `first`. What is
    computed as a float may be rounded once more, to a half."""

    def of(x: np.ndarray) -> Expected:
        wide = x.astype(np.float64)
        with np.errstate(invalid="ignore"):  # inf - inf is NaN, here and there
            value = wide - fold.reduce(wide, axis=1, initial=first, keepdims=True)
        digits, smallest = DIGITS[x.dtype.type]
        return Expected(value, x.dtype.type, atol=smallest, rtol=1.01 * 2.0**-digits)

    return of


VERY_LARGE = {
    "the largest floats there are, and the smallest": "very large floats, and the smallest",
    "the largest numbers of each type": "very large numbers of each type",
}
OF_DIFFERENCES = {
    "less the largest": operation(of_rows(less(np.fmax, -np.inf), within_reach), words=VERY_LARGE),
    "less the smallest": operation(
        of_rows(less(np.fmin, np.inf), within_reach),
        words=VERY_LARGE | {"the largest anywhere": "the smallest anywhere"},
    ),
}
ALL_MAGNITUDES = {
    "heavy tails, large offsets, the largest and smallest floats": "numbers of all magnitudes",
}


# --- scale_packed ------------------------------------------------------------------------------


def scaled(x: np.ndarray, factor: float, spare_blocks: int = 0) -> Problem:
    """One launch of `scale_packed` over x; `factor` is a float, so a product is rounded once."""
    blocks = -(-x.size // (4 * BLOCK)) + spare_blocks
    args = ("x", "y", np.float32(factor), np.int32(x.size))
    return Problem(
        inputs={"x": x},
        outputs={"y": Expected(x.astype(np.float64) * factor, np.float32, rtol=2.0**-24)},
        launches=(Launch("scale_packed", blocks, BLOCK, args),),
    )


def any_scaled(rng: np.random.Generator, n: int, grid: int, block: int, draw) -> Problem:
    return scaled(draw(rng, n), 3.5, grid - -(-n // (4 * block)))


def thrice(rng: np.random.Generator, *lengths: int) -> Problem:
    return together(*(scaled(quarters(rng, n), 3.5) for n in lengths))


PACKED = 1024  # packs in the case with a budget
TAIL = 3  # elements behind them


def copy_budgets() -> tuple[Budget, ...]:
    """What 1,024 packs and a tail of 3 need, the tail taken by one thread or by three."""
    requests = PACKED // 32 + TAIL
    sectors = PACKED * PACK // SECTOR + TAIL
    because = "a warp moves 32 packs with one request, and a tail of 3 takes at most 3 more"
    return (
        Budget("global_load_requests", requests, because),
        Budget("global_store_requests", requests, because),
        Budget("global_load_sectors", sectors, "every sector is read once, the tail's 3 times"),
        Budget("global_store_sectors", sectors, "every sector is written once, the tail's 3 times"),
        *work_is_shared(),
    )


scale_packed = Exercise(
    name="scale_packed",
    title="Packs and a tail",
    minutes=9,
    teaches="16 bytes per load, and a tail",
    source="6_scale_packed.cu",
    operations={
        "a factor for each": operation(
            a_factor_each, with_parameter("float factor", "float factor[n]")
        ),
        "pairs exchanged": operation(
            pairs_exchanged, with_parameter("float x[n]", "float x[n + n % 2]")
        ),
    },
    cases=(
        Case("1,024 elements: packs only", lambda rng: thrice(rng, 1024), points=1),
        Case("1,030 elements: packs and a tail of 2", lambda rng: thrice(rng, 1030), points=2),
        hidden("fewer elements than a pack", lambda rng: thrice(rng, 1, 2, 3)),
        covering(
            "lengths around a pack, a warp's packs and a block's, and other values", any_scaled
        ),
        hidden(
            "tails of 0 to 3 behind a block's packs", lambda rng: thrice(rng, 512, 513, 514, 515)
        ),
        hidden(
            "a block that has nothing to do",
            lambda rng: scaled(normal(rng, 1030), -0.5, spare_blocks=1),
        ),
        hidden(
            "heavy tails and large offsets",
            lambda rng: together(
                scaled(heavy_tailed(rng, 602), 0.25), scaled(offset(rng, 603), -8)
            ),
        ),
        Case(
            "within budget",
            lambda rng: thrice(rng, 4 * PACKED + TAIL),
            points=6,
            budgets=copy_budgets(),
            requires=(
                Requirement(LOAD_16, "one for each whole pack", but=3 * TAIL),
                Requirement(STORE_16, "one for each whole pack", but=3 * TAIL),
            ),
        ),
        large("more than 65,536 elements", lambda rng: thrice(rng, 66_000)),
    ),
    hints=(
        "`reinterpret_cast<const Pack<float, 4>*>(x)` is the same address, seen as an array of "
        "packs. Its element p is 16 * p bytes after the start of x: the index counts packs, not "
        "floats.",
        "There are n / 4 whole packs, rounded down. A thread with p < n / 4 loads one, multiplies "
        "its four elements, and stores it, also as a pack.",
        "n % 4 elements are left, from number 4 * (n / 4) on. The thread with p == n / 4 has no "
        "whole pack: it can take them one by one, guarded by n.",
    ),
    hints_on={
        "left_early": ("A pack has four elements. Do you scale all of them?"),
        "nobody_wrote": ("n / 4 packs are whole. Which thread takes the elements after them?"),
        "over_budget": (
            "Load a whole pack into a variable, multiply its four elements, store the whole pack: "
            "two accesses for four floats."
        ),
        "misaligned": (
            "A pack must be at a multiple of 16 bytes. The index of an array of packs counts "
            "packs, not floats."
        ),
    },
)


# --- row_absmax --------------------------------------------------------------------------------


def magnitudes(x: np.ndarray) -> np.ndarray:
    """float64[rows]: the largest |x| of each row, passing over NaN; 0 if there is nothing else."""
    return np.fmax.reduce(np.abs(x.astype(np.float64)), axis=1, initial=0.0)


def found(x: np.ndarray, block: int = BLOCK, spare_blocks: int = 0) -> Problem:
    """One launch of `row_absmax`, a warp per row."""
    rows, columns = x.shape
    grid = blocks_for(rows, block) + spare_blocks
    args = ("x", "absmax", np.int32(rows), np.int32(columns))
    return Problem(
        inputs={"x": x},
        outputs={"absmax": Expected(magnitudes(x), np.float32)},
        launches=(Launch("row_absmax", grid, block, args),),
    )


def any_found(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    return found(draw(rng, (rows, columns)), block, grid - blocks_for(rows, block))


WIDTHS = (512, 260)  # columns: four requests of a warp; two, and one pack more


def absmax_budgets(rows: int) -> tuple[Budget, ...]:
    """What `rows` rows of each of WIDTHS need."""
    return (
        Budget(
            "global_load_requests",
            rows * (4 + 3),
            "one request of a warp brings 32 packs: a row of 512 columns takes 4, one of 260 takes "
            "3",
        ),
        *frugal(len(WIDTHS) * rows, rows * sum(WIDTHS)),
    )


def frugal(rows: int, elements: int) -> tuple[Budget, ...]:
    """What `rows` rows of `elements` elements in all need at any width."""
    return (
        Budget(
            "global_load_bytes",
            4 * elements,
            "every element is read once",
            per=("element", elements),
        ),
        Budget(
            "global_store_bytes",
            4 * rows,
            "one lane of each warp writes the result of its row",
            per=("row", rows),
        ),
        Budget("shuffles", 5 * rows, "32 lanes agree in five exchanges", per=("row", rows)),
        Budget("barriers", 0, "one warp processes a row, and shuffles need no barrier"),
        *work_is_shared(),
    )


row_absmax = Exercise(
    name="row_absmax",
    title="One warp per row, packs if all rows are aligned",
    minutes=12,
    teaches="one warp per row: packs if all rows are aligned",
    source="7_row_absmax.cu",
    operations={
        "smallest magnitude": operation(
            of_rows(smallest_magnitudes, inverted),
            words=ALL_MAGNITUDES | {"the largest anywhere": "the smallest anywhere"},
        ),
        "largest element": operation(of_rows(largest_elements, below_zero), words=ALL_MAGNITUDES),
        "doubles": operation(of_rows(magnitudes_of_doubles, with_more_digits), of_doubles),
    },
    cases=(
        Case(
            "8 rows of 28 columns: zeros, tiny numbers and a NaN among them",
            lambda rng: found(with_odd_rows(rng, 8, 28)),
            points=1,
        ),
        Case(
            "7 rows of 130 columns, which is no multiple of 4",
            lambda rng: found(rising_in_front(rng, 7, 130)),
            points=2,
        ),
        covering(
            "rows of whole packs, and blocks of all sizes",
            any_found,
            lambda row: row["columns"] % 4 == 0,
        ),
        covering("rows of other lengths, and blocks of all sizes", any_found),
        hidden(
            "the largest anywhere, around a pack, a warp and its packs",
            lambda rng: together(
                *(found(planted(rng, 9, n)) for n in (1, 3, 4, 5, 31, 33, 124, 127, 132, 260))
            ),
        ),
        hidden("rows of zeros", lambda rng: found(silent(rng))),
        hidden("NaN and infinities", lambda rng: found(not_numbers(rng))),
        hidden(
            "heavy tails, large offsets, the largest and smallest floats",
            lambda rng: together(
                found(heavy_tailed(rng, (6, 132))),
                found(-offset(rng, (6, 132))),
                found(extremes(rng)),
            ),
        ),
        Case(
            "within budget at any width",
            lambda rng: found(planted(rng, 6, 131)),
            points=0.5,
            visible=False,
            budgets=frugal(6, 6 * 131),
        ),
        Case(
            "within budget",
            lambda rng: together(*(found(planted(rng, 4, columns)) for columns in WIDTHS)),
            points=7,
            budgets=absmax_budgets(4),
            requires=(
                Requirement(LOAD_16, "rows of 512 and of 260 columns are whole packs"),
                Requirement(SHUFFLE, "32 lanes agree in five exchanges", levels=5),
            ),
        ),
        large(
            "more than 65,536 elements, and rows of more than 32,768",
            lambda rng: together(
                found(planted(rng, 70, 1000)),
                found(planted(rng, 2, 33_000)),
                found(planted(rng, 2, 33_001)),
            ),
        ),
    ),
    hints=(
        "A warp without a row may return at once, because all of its lanes do. Then each lane "
        "finds the largest absolute value of the elements that it reads itself.",
        "Row r starts 4 * r * columns bytes after the start of x. That is a multiple of 16 for "
        "every r only if columns is a multiple of 4. Then lane l takes packs l, l + 32, l + 64, "
        "... of its row. Otherwise it takes elements l, l + 32, l + 64, ...",
        "Start with 0: no absolute value is smaller. Then five `__shfl_xor_sync(0xffffffff, "
        "largest, distance)` with distances 16, 8, 4, 2 and 1, each followed by fmaxf. Lane 0 "
        "writes.",
    ),
    hints_on={
        "other_step": (
            "First take the absolute value, then the maximum: the largest number need not have the "
            "largest absolute value."
        ),
        "chosen_otherwise": ("What does your comparison do with NaN, and what does fmaxf do?"),
        "over_budget": (
            "In rows whose length is a multiple of 4, a lane takes packs lane, lane + 32, ...; "
            "five shuffles, and one lane writes."
        ),
        "misaligned": (
            "With 130 columns row 1 begins at float 130, which is not a multiple of 16 bytes. When "
            "may a row be read in packs?"
        ),
    },
)


# --- warp_per_row and any_type -----------------------------------------------------------------


def quotients(x: np.ndarray) -> Expected:
    """Each row over its magnitude, a row of zeros as it is.

    With unit roundoff u, multiplying by a rounded reciprocal errs by (1 + u)^2 at most, and for
    doubles the reference errs by another u. Below the normal numbers half a step is added."""
    scale = magnitudes(x)[:, None]
    with np.errstate(invalid="ignore"):  # inf / inf is NaN, here and there
        value = x.astype(np.float64) / np.where(scale > 0, scale, 1.0)
    digits, smallest = DIGITS[x.dtype.type]
    roundings = 3.01 if x.dtype == np.float64 else 2.01
    return Expected(value, x.dtype.type, atol=smallest, rtol=roundings * 2.0**-digits)


def rows_of(kernel: str, x: np.ndarray, block: int = BLOCK, spare_blocks: int = 0) -> Problem:
    """One launch of `kernel`, a warp per row."""
    rows, columns = x.shape
    grid = blocks_for(rows, block) + spare_blocks
    args = ("x", "y", np.int32(rows), np.int32(columns))
    return Problem({"x": x}, {"y": quotients(x)}, (Launch(kernel, grid, block, args),))


def divided(x: np.ndarray, **how) -> Problem:
    return rows_of("warp_per_row", x, **how)


def any_divided(rng, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    x = draw(rng, (rows, columns))
    return divided(x, block=block, spare_blocks=grid - blocks_for(rows, block))


def pass_budgets(rows: int, row_bytes: int, shuffles: int) -> tuple[Budget, ...]:
    """What one pass over rows of `row_bytes` needs, in whole warp requests."""
    requests = rows * row_bytes // WARP_REQUEST
    why = f"{requests // rows} per row: a warp moves 32 packs of 16 bytes with one request"
    return (
        Budget(
            "global_load_bytes",
            rows * row_bytes,
            "every element is read once; the second time it comes from a register",
        ),
        Budget("global_load_requests", requests, why),
        Budget("global_store_requests", requests, why),
        Budget("global_load_sectors", rows * row_bytes // SECTOR, "nothing is read twice"),
        Budget(
            "local_load_requests",
            0,
            "the row stays in registers, which have no addresses: each index into the array must "
            "be a number that the compiler knows",
        ),
        Budget("barriers", 0, "a row is a warp's own, and shuffles need no barrier"),
        Budget("shuffles", shuffles, f"with {shuffles // rows} per row, every lane has the result"),
        Budget(
            "inst_executed",
            Times(2),
            "twice as many as ours are enough, but not if packs are taken apart byte by byte",
        ),
        *work_is_shared(),
    )


IN_PACKS_BY_A_WARP = (
    Requirement(LOAD_16, "rows are whole packs, and 32 packs are one request"),
    Requirement(STORE_16, "rows are whole packs, and 32 packs are one request"),
    Requirement(SHUFFLE, "all lanes need the result of their row, in five exchanges", levels=5),
)


warp_per_row = Exercise(
    name="warp_per_row",
    title="The row in the registers of a warp",
    minutes=10,
    teaches="one warp per row needs no barrier",
    source="4_warp_per_row.cu",
    operations=OF_DIFFERENCES
    | {
        "doubles": operation(of_rows(lambda x: quotients(x), with_more_digits), of_doubles),
    },
    cases=(
        Case("8 rows of 100 columns", lambda rng: divided(planted(rng, 8, 100)), points=1),
        Case(
            "7 rows of 256 columns: zeros, tiny numbers and a NaN among them",
            lambda rng: divided(with_odd_rows(rng, 7, 256)),
            points=2,
        ),
        covering("columns around a warp's packs, and blocks of all sizes", any_divided),
        hidden(
            "the largest anywhere, around a warp's packs",
            lambda rng: together(*(divided(planted(rng, 9, n)) for n in (4, 124, 132, 260))),
        ),
        hidden(
            "rows of the largest lengths",
            lambda rng: together(*(divided(planted(rng, 5, n)) for n in (1020, 1024))),
        ),
        hidden("rows of zeros", lambda rng: divided(silent(rng))),
        hidden("NaN and infinities", lambda rng: divided(not_numbers(rng))),
        hidden(
            "the largest floats there are, and the smallest", lambda rng: divided(extremes(rng))
        ),
        hidden(
            "heavy tails and large offsets",
            lambda rng: together(
                divided(heavy_tailed(rng, (6, 132))), divided(-offset(rng, (6, 132)))
            ),
        ),
        Case(
            "within budget",
            lambda rng: divided(planted(rng, 8, 1024)),
            points=7,
            budgets=pass_budgets(rows=8, row_bytes=4096, shuffles=8 * 5),
            requires=IN_PACKS_BY_A_WARP,
        ),
        large("more than 65,536 elements", lambda rng: divided(planted(rng, 70, 1000), block=512)),
    ),
    hints=(
        "Start from `row_in_registers`. Its thread becomes a lane, its block a warp: a lane's "
        "packs are lane, lane + 32, lane + 64, ..., and a row is `blockIdx.x * (blockDim.x / 32) + "
        "threadIdx.x / 32`. A warp without a row returns as a whole.",
        "`Pack<float, 4> kept[PACKS];` stays in registers if both loops count `for (int k = 0; k < "
        "PACKS; k++)`, with `#pragma unroll`, and ask *inside* whether pack k * 32 + lane exists.",
        "You need no CUB, no shared variable and no barrier. After five `__shfl_xor_sync` every "
        "lane has the largest absolute value. All 32 lanes must take part, even without a pack.",
        "A row of zeros would be 0 / 0. Divide it by 1.",
    ),
    hints_on={
        "other_elements": (
            "A lane keeps packs lane, lane + 32, ...: are all of the row's packs kept, and do "
            "all lanes get the maximum?"
        ),
        "over_budget": (
            "Read each pack once and keep it. Both loops count k from 0 to PACKS with #pragma "
            "unroll, so every index is known at compile time."
        ),
        "shuffle_divergence": (
            "Lanes without a pack must take part in the shuffles, too. Only a whole warp without a "
            "row returns."
        ),
    },
)


def planted_as(kind: type, rng: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    """`planted`, in any type; doubles use all their digits, halves are rounded first."""
    x = planted(rng, rows, columns).astype(kind)
    return x * (1 + rng.uniform(0, 1e-9, x.shape)) if kind is np.float64 else x


KERNELS = {np.float16: "scale_halves", np.float32: "scale_floats", np.float64: "scale_doubles"}


def typed(kind: type, x: np.ndarray, **how) -> Problem:
    return rows_of(KERNELS[kind], x.astype(kind), **how)


def any_typed(rng, kernel: str, rows: int, columns: int, grid: int, block: int, draw) -> Problem:
    (kind,) = (kind for kind, name in KERNELS.items() if name == kernel)
    x = draw(rng, (rows, columns))
    return typed(kind, x, block=block, spare_blocks=grid - blocks_for(rows, block))


def each_type(rng: np.random.Generator, rows: int, packs: int, **how) -> Problem:
    """The three kernels, one after the other, on rows of `packs` packs."""
    return together(
        *(
            typed(kind, planted_as(kind, rng, rows, packs * PACK // np.dtype(kind).itemsize), **how)
            for kind in KERNELS
        )
    )


any_type = Exercise(
    name="any_type",
    title="One template for halves, floats and doubles",
    minutes=14,
    teaches="one template for floats, doubles and halves",
    source="8_any_type.cu",
    operations=OF_DIFFERENCES,
    cases=(
        Case(
            "8 rows of 256 halves, one of zeros",
            lambda rng: typed(np.float16, with_odd_rows(rng, 8, 256)),
            points=1,
        ),
        Case("7 rows of 64 packs, each type", lambda rng: each_type(rng, 7, 64), points=2),
        hidden(
            "rows of 1, 31 and 33 packs",
            lambda rng: together(*(each_type(rng, 5, packs) for packs in (1, 31, 33))),
        ),
        hidden(
            "rows of the largest length, and no row for the last warp",
            lambda rng: each_type(rng, 3, 256),
        ),
        covering("rows of all lengths, blocks of all sizes, and other values", any_typed),
        hidden(
            "rows of zeros, NaN and infinities",
            lambda rng: together(
                *(
                    typed(kind, make(rng)[:, :128])
                    for kind in KERNELS
                    for make in (silent, not_numbers)
                )
            ),
        ),
        hidden(
            "the largest numbers of each type",
            lambda rng: together(
                *(
                    typed(kind, np.finfo(kind).max * planted(rng, 4, 128).astype(kind))
                    for kind in KERNELS
                )
            ),
        ),
        Case(
            "within budget: halves",
            lambda rng: typed(np.float16, planted_as(np.float16, rng, 4, 2048)),
            points=3,
            budgets=pass_budgets(rows=4, row_bytes=4096, shuffles=4 * 5),
            requires=IN_PACKS_BY_A_WARP,
        ),
        Case(
            "within budget: doubles",
            lambda rng: typed(np.float64, planted_as(np.float64, rng, 4, 512)),
            points=3,
            budgets=pass_budgets(rows=4, row_bytes=4096, shuffles=4 * 10),
            requires=IN_PACKS_BY_A_WARP,
        ),
        large(
            "more than 65,536 elements",
            lambda rng: typed(np.float16, planted_as(np.float16, rng, 40, 2048), block=512),
        ),
    ),
    hints=(
        "`alignas(sizeof(T) * N)` before the struct's name tells the compiler that a pack may be "
        "loaded as one. How many values of type T make 16 bytes? `16 / sizeof(T)`.",
        "Take your `warp_per_row`: float becomes T where it is stored in memory or in a pack, "
        "4 becomes N, and a float for arithmetic becomes `typename Arithmetic<T>::type`.",
        "Convert with `static_cast<Real>(...)` after the load and with `static_cast<T>(...)` "
        "before the store. `fmax` and `fabs` take floats and doubles; `__shfl_xor_sync` does too.",
    ),
    hints_on={
        "other_step": (
            "Which type does your arithmetic use? A double keeps 53 bits only if every step does."
        ),
        "over_budget": (
            "16 / sizeof(T) values make a pack of 16 bytes, and alignas must say so; both loops "
            "over k are unrolled."
        ),
        "wrong_answer": ("Compute halves as floats, and doubles as doubles. Where do you convert?"),
    },
)
