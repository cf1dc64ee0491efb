"""A launch that an exercise's rule allows, what may be found by trying it, and what that costs.

And launches whose sizes are just below, at and just above the numbers that stand in a kernel's PTX:
there it may begin to do something else.
"""

import ast
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cache, cached_property
from itertools import chain, combinations, product

import numpy as np

from ..course import Expected, Rule, rules
from ..cuda.errors import CudaError
from ..machine.lanes import WARP
from ..ptx.program import Form, Function, Immediate, Instruction, PtxModule, components
from ..status import Status

MOST_ELEMENTS = 2**22  # of an array, and threads of a grid
DRAWN = 4093  # made-up numbers, which come again and again in a longer array: a prime

FAULTS = frozenset(
    {
        Status.OUT_OF_BOUNDS,
        Status.MISALIGNED,
        Status.DATA_RACE,
        Status.BARRIER_DIVERGENCE,
        Status.SHUFFLE_DIVERGENCE,
        Status.UNINITIALIZED_READ,  # of what the kernel itself should have written
    }
)


class Outcome(StrEnum):
    PROVED = "proved"
    COUNTEREXAMPLE = "counterexample"
    NOT_DECIDED = "not decided"


Argument = np.ndarray | np.generic


@dataclass(frozen=True)
class Trial:
    """A launch to be tried."""

    rule: Rule
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    numbers: Mapping[str, int]  # the whole-number parameters

    @staticmethod
    def named(rule: Rule, numbers: Mapping[str, int]) -> "Trial":
        """The launch whose `names` are these numbers."""
        grid, block = (
            rules.dimensions(tuple(numbers[f"{name}.{axis}"] for axis in rules.AXES))
            for name in ("gridDim", "blockDim")
        )
        return Trial(
            rule, grid, block, {name: number for name, number in numbers.items() if "." not in name}
        )

    @property
    def shared_mem(self) -> int:
        return int(rules.value(self.rule.shared_mem, self.names))

    @property
    def names(self) -> dict[str, int]:
        return rules.launch_names(self.grid, self.block) | dict(self.numbers)

    @property
    def threads(self) -> int:
        return math.prod(self.grid) * math.prod(self.block)

    def sizes(self) -> Iterator[int]:
        """The elements of each array."""
        return (
            int(rules.value(one.length, self.names))
            for one in rules.parameters(self.rule)
            if one.length is not None
        )

    def keeps_to_its_rule(self) -> bool:
        """And is small enough to be tried."""
        return (
            self.numbers.keys()
            == {one.name for one in rules.parameters(self.rule) if rules.is_whole(one)}
            and all(0 <= number < 2**31 for number in self.numbers.values())
            and self.block in map(rules.dimensions, self.rule.blocks)
            and min(self.grid) >= 1
            and all(one == 1 for one in self.grid[self.rule.grid :])
            and all(rules.value(one, self.names) for one in self.rule.where)
            and all(0 <= size <= MOST_ELEMENTS for size in (self.threads, *self.sizes()))
        )

    def arguments(self) -> dict[str, Argument]:
        """What the kernel is given, by parameter: made-up numbers where any will do."""
        rng = np.random.default_rng(0)
        return {one.name: self._argument(one, rng) for one in rules.parameters(self.rule)}

    def _argument(self, one: rules.RuleParameter, rng: np.random.Generator) -> Argument:
        if one.length is None:
            # A factor: of scores, of a gradient, of a row. Above 0, as in the cases.
            scalar: np.generic = one.dtype.type(self.numbers.get(one.name, rng.integers(1, 5) / 4))
            return scalar
        mapped = next((each.shape for each in self.rule.maps if each.name == one.name), None)
        shape = [int(rules.value(size, self.names)) for size in mapped or (one.length,)]
        if one.zero or one.out:
            return np.zeros(shape, one.dtype)
        few = min(math.prod(shape), DRAWN)
        # Quarters: sums of them are exact, in whatever order they are added up.
        drawn = rng.integers(0, 2, few) if one.dtype.kind == "b" else rng.integers(-8, 9, few) / 4
        return np.resize(drawn.astype(one.dtype), shape)

    def __str__(self) -> str:
        """In the exercise's words: n = 257, 2 blocks of 256 threads."""
        said = [f"{name} = {number:,}" for name, number in self.numbers.items()]
        blocks, threads = (
            " x ".join(f"{one:,}" for one in rules.without_ones(shape))
            for shape in (self.grid, self.block)
        )
        ends = ["" if one == "1" else "s" for one in (blocks, threads)]
        return ", ".join([*said, f"{blocks} block{ends[0]} of {threads} thread{ends[1]}"])


@dataclass(frozen=True)
class Found:
    """Knowledge of what a source's kernels do at every size."""

    outcome: Outcome
    kernel: str = ""
    error: CudaError | None = None  # what the simulated GPU said of the launch `trial`
    trial: Trial | None = None
    why: str = ""  # a kernel is not decided, in a sentence
    suspected: tuple[int, ...] = ()  # lines of what could be neither excluded nor shown
    seconds: float = field(default=0.0, compare=False)  # of this process's own time
    spent: int = 0  # of an `Effort`


# ---- whether outputs are those of a right kernel ----

NEAR = 0.01  # of a floating-point element and of the mean size: rounding stays far below it
NOTHING = 1e-5  # what rounding may leave where elements of the size of 1 cancel


def as_wanted(right: Argument) -> Expected:
    """What is expected of an output, of any shape, that holds `right` after a right kernel."""
    if right.dtype.kind in "iub":
        return Expected(np.asarray(right), right.dtype)
    value = np.asarray(right, np.float64)
    sizes = np.abs(value[np.isfinite(value)])
    mean = float(sizes.mean()) if sizes.size else 0.0
    return Expected(value, right.dtype, NEAR * mean + NOTHING, NEAR)


def is_as_wanted(found: Argument, right: Argument) -> bool:
    """Whether an output is near enough to what a right kernel leaves in it."""
    wanted = as_wanted(right)
    return np.allclose(
        found.astype(wanted.value.dtype), wanted.value, wanted.rtol, wanted.atol, True
    )


# ---- what it costs, counted so that it comes to the same on every machine, busy or not ----

SECOND = 1_000_000  # units of Z3's own measure ("rlimit"), in 0.3 s to 3 s
INSTRUCTION = 200  # that a symbolic thread executes, in the same units
FORMULA = 30  # that a question holds
LAUNCH = 2_000  # on the simulated GPU
BOUND = 50  # for each instruction of the kernel
STEP = 15  # of it, which is up to 2,048 threads' instruction
TRIALS = 1.5  # seconds, as `seconds` has them, for launches before there is any reasoning
MOST_OF_ONE = SECOND  # for one question


@dataclass
class Meter:
    """Effort that has been spent."""

    spent: int = 0


@dataclass(frozen=True)
class Effort:
    """A limit on what may be spent, in Z3's units, of which about a `SECOND` is spent in one."""

    most: int
    meter: Meter = field(default_factory=Meter)  # of all that share the limit

    @property
    def left(self) -> int:
        return max(self.most - self.meter.spent, 0)

    def but(self, part: float) -> "Effort":
        """The same that leaves so much of what is left."""
        return replace(self, most=self.most - int(part * self.left))

    def shared(self, others: int) -> "Effort":
        """The same that leaves as much to each of so many others."""
        return self.but(others / (others + 1))

    def spend(self, units: int) -> None:
        self.meter.spent += units

    def replay(self, instructions: int, steps: int) -> None:
        """A launch on the simulated GPU, of a kernel of so many instructions."""
        self.spend(LAUNCH + instructions * BOUND + steps * STEP)


# ---- launches at the numbers that stand in a kernel's PTX ----

LARGEST = 1 << 22
MOST_FACTOR = 1 << 12
NO_SIZE = ("bar", "barrier", "shfl", "vote", "match", "redux", "prmt", "lop3", "activemask")
NARROW = re.compile(r"\.[sub](8|16)\b")  # integers of fewer than 32 bits
COMPARES = ("setp", "set", "min", "max", "sub", "add", "selp", "slct")
SMALLEST_WIDTH = 8  # bits
BESIDE = (1, 4, 2, 0)  # what is added to a number: odd and even, just above it and at it
USUAL, WHOLE_PACK = 3, 4  # of a size that does not matter, where the rule allows it
LARGE = 1024
PACK = 4  # elements
FACTORS = (PACK, 32)  # packs and warps, of which the PTX need not say anything
MOST_BLOCKS = 6  # that numbers speak of
MOST_PAIRED = 4  # numbers that are tried two at a time
AWAY = 64  # so far away a number is looked for that the rule allows
MOST_DRAWN = 2**14  # threads of a launch that is drawn at random
AT_RANDOM = 20  # launches


@dataclass(frozen=True)
class Constants:
    """Some numbers of a kernel, in the order in which they are to be tried."""

    limits: tuple[int, ...]  # that an index or a size may pass
    factors: tuple[int, ...]  # by which something is multiplied or divided, or that are added to it


def code_of(program: PtxModule, kernel: str) -> list[object]:
    """A kernel in a program, but for the lines of its source."""
    return [
        *program.variables.values(),
        *(
            [
                [(x.form, x.operands, x.guard, x.guard_negated) for x in one.instructions],
                *(one.variables, one.labels, one.directives),
            ]
            for one in _functions(program, kernel)
        ),
    ]


def _functions(program: PtxModule, kernel: str) -> list[Function]:
    """A kernel, and what it may call."""
    return [one for one in program.functions.values() if one.name == kernel or not one.entry]


def constants(
    program: PtxModule, kernel: str, other: PtxModule | None
) -> tuple[Constants, Constants]:
    """The constants of a kernel that `other`, a program known to be right, does not use in the same
    way, and those that it does."""
    mine, usual = _uses(program, kernel), _uses(other, kernel) if other else {}
    return (
        _constants([use for use in mine if use not in usual]),
        _constants([use for use in mine if use in usual]),
    )


def _constants(uses: Sequence[tuple[str, int]]) -> Constants:
    """Comparisons come first, then widths, then all others; the numbers of each in their order."""
    ordered = sorted(uses, key=lambda use: (use[0] not in COMPARES, use[0] != "width"))
    limits = dict.fromkeys(n for name, n in ordered if name != "factor" and 1 < n <= LARGEST)
    added = [n for name, n in uses if name in ("factor", "add", "sub")]
    return Constants(tuple(limits), tuple(dict.fromkeys(n for n in added if 1 < n <= MOST_FACTOR)))


def _uses(program: PtxModule, kernel: str) -> dict[tuple[str, int], None]:
    """What is done with each number: the opcode's first word, "width" where integers wrap there,
    "factor" where something is multiplied or divided by it, "array" where so many elements lie in
    an array of the kernel's own."""
    functions = _functions(program, kernel)
    uses: dict[tuple[str, int], None] = {}
    for function in functions:
        uses |= dict.fromkeys(use for one in function.instructions for use in _of_instruction(one))
        uses |= dict.fromkeys(_divisors(uses))
    return uses | dict.fromkeys(
        ("array", one.size // width)
        for one in (*program.variables.values(), *(one for f in functions for one in f.variables))
        for width in (4, 8, 1)
    )


def _of_instruction(one: Instruction) -> Iterator[tuple[str, int]]:
    form = one.form
    if form.transfers or form.name in NO_SIZE:
        return
    parts = [part for operand in one.operands for part in components(operand)]
    numbers = [one.value for one in parts if isinstance(one, Immediate) and not one.float_width]
    truth = form.name in ("setp", "selp") and set(numbers) & {0, 1}  # as a bool is kept, in 16 bits
    if form.type != "b8" and not truth and (narrow := NARROW.search(form.opcode)):
        bits = int(narrow[1])
        yield from (("width", 1 << bits - 1), ("width", 1 << bits))
    if form.name == "cvt" and "f16" in form.opcode and form.type[:1] in "su":
        yield "width", 2048  # to which half is exact; a float is so beyond LARGEST
    yield from chain.from_iterable(_of_number(form, number) for number in numbers)


def _of_number(form: Form, number: int) -> Iterator[tuple[str, int]]:
    name, bits = form.name, int(form.type[1:]) if form.type[1:].isdigit() else 32
    if name in ("shl", "shr"):
        if 0 <= number < MOST_FACTOR.bit_length():
            yield "factor", 1 << number
        if SMALLEST_WIDTH <= bits - number < LARGEST.bit_length():  # the rest is lost, or a sign
            yield from (("width", 1 << bits - number), ("width", 1 << bits - number - 1))
    elif name == "and" and number > 0 and not number & number + 1:
        yield from (("width", number + 1), ("factor", number + 1))
    else:
        yield name, abs(number)
    if name in ("mul", "mad", "div", "rem"):
        yield "factor", abs(number)
        if form.has("lo") and number > 1:  # from where on the product needs more bits
            yield from (("width", 2**31 // number), ("width", 2**32 // number))


def _divisors(uses: Iterable[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The numbers by which the compiler divides: it multiplies by 2 to the power of 32 and more,
    divided by that number and rounded up, and shifts the product."""
    known = list(uses)
    shifts = {32, *(n % 32 + 32 for name, n in known if name == "shr")}
    large = [magic for name, magic in known if name in ("mul", "mad") and magic > 1 << 28]
    yield from (
        ("factor", round(by))
        for by in (2.0**shift / magic for magic in large for shift in shifts)
        if 2 < by < MOST_FACTOR and abs(by - round(by)) < by * 2**-28
    )


# ---- launches at them ----


def launches(rule: Rule, own: Constants, shared: Constants) -> Iterator[Trial]:
    """Launches that keep to a rule; those come first in which a kernel is most likely to go wrong
    that differs from a right one by `own` and has `shared` with it."""
    at = _Launches(rule)
    numbers = (*own.limits, *own.factors)
    meant = at.blocks_of(numbers)
    blocks = list(dict.fromkeys([at.usual_blocks[0], *meant, *at.usual_blocks]))
    every = tuple(
        dict.fromkeys((*own.factors, *FACTORS, *map(math.prod, at.usual_blocks), *shared.factors))
    )
    return chain(
        at.around(numbers, at.single, blocks[:1]),
        at.around(
            [n * by for by in (1, PACK) for n in own.limits],  # of elements, or of packs
            at.rounds,
            at.blocks[:1],
            (1,),
        ),
        at.around(numbers, at.single, blocks[1:]),
        at.ordinary([*meant, *at.few_blocks]),
        at.around(numbers, at.made, blocks),
        at.paired(numbers[:MOST_PAIRED], blocks),
        at.around(numbers, at.single, blocks, (-1, 3)),
        at.around(_combined(own.limits, every), at.single, at.usual_blocks),
        at.around(numbers, [*at.single, *at.made], at.few_blocks, usual=40),
        at.around((*shared.limits, *shared.factors), at.single, at.usual_blocks),
        at.ordinary(at.blocks),
        at.around(_combined(own.limits, every), at.made, at.usual_blocks),
        random_trials(rule, np.random.default_rng(0), AT_RANDOM),
    )


def _combined(limits: tuple[int, ...], factors: tuple[int, ...]) -> Iterator[int]:
    """Products, quotients, sums and differences of numbers, each once."""
    pairs = list(product(limits, factors))
    made = (
        *(a * b for a, b in pairs),
        *(-(-a // b) for a, b in pairs),
        *(n for a, b in pairs for n in (a + b, a - b)),
        *(n for a, b in product(limits, limits) for n in (a * b, a + b, a - b)),
    )
    yield from dict.fromkeys(n for n in made if 1 < n <= LARGEST)


@dataclass(frozen=True)
class _Launches:
    """The launches that a rule allows."""

    rule: Rule
    asked: set[tuple[object, ...]] = field(default_factory=set)  # of `_fitting`

    @cached_property
    def blocks(self) -> list[tuple[int, int, int]]:
        return sorted(map(rules.dimensions, self.rule.blocks), key=math.prod)

    @cached_property
    def few_blocks(self) -> list[tuple[int, int, int]]:
        """The smallest, the largest, and one of three warps, say, whose half is odd."""
        odd = [one for one in self.blocks if math.prod(one) & math.prod(one) - 1]
        return list(dict.fromkeys([self.blocks[0], self.blocks[-1], *odd[:1]]))

    def blocks_of(self, numbers: Iterable[int]) -> list[tuple[int, int, int]]:
        """The blocks of which a number says the width, the threads or the warps."""
        known = {*numbers}
        return [
            one
            for one in self.blocks
            if known & ({*one[: self.rule.grid], math.prod(one), math.prod(one) / WARP} - {1})
        ][:MOST_BLOCKS]

    @cached_property
    def usual_blocks(self) -> list[tuple[int, int, int]]:
        """Two of few threads, so that a launch of many blocks costs little."""
        small = [one for one in self.blocks if math.prod(one) <= 256]
        return list(dict.fromkeys([*small[-1:], self.blocks[0]]))

    @cached_property
    def sizes(self) -> list[str]:
        """The kernel's whole-number parameters."""
        return [one.name for one in rules.parameters(self.rule) if rules.is_whole(one)]

    @cached_property
    def axes(self) -> list[str]:
        """The dimensions of the grid that may be more than 1."""
        return [f"gridDim.{axis}" for axis in rules.AXES[: self.rule.grid]]

    @cached_property
    def single(self) -> list[str]:
        """What an index may be as large as: the sizes and the dimensions of the grid."""
        return [*self.sizes, *self.axes]

    @cached_property
    def made(self) -> list[str]:
        """Products and quotients of them: those that the rule speaks of, the threads of the grid,
        and the rounds of the work."""
        lengths = [one.length for one in rules.parameters(self.rule) if one.length]
        made = [
            part
            for one in (*lengths, *self.rule.where)
            for part in _made(one, ast.Mult, ast.FloorDiv)
        ]
        threads = [f"{axis} * blockDim.{axis[-1]}" for axis in self.axes]
        quantities = (*made, *threads, *self.rounds)
        return list(
            dict.fromkeys(one for one in quantities if _names(one).intersection(self.single))
        )

    @cached_property
    def rounds(self) -> list[str]:
        """How often a thread, a block or a grid goes on to the next part of the work."""
        return [
            f"{size} // {by}"
            for size in self.sizes
            for by in ("(gridDim.x * blockDim.x)", "blockDim.x", "gridDim.x")
        ]

    @cached_property
    def loose(self) -> list[str]:
        """The dimensions of the grid that may be as large as a size is, or not: with many blocks,
        each has little to do, and only some of them are tried."""
        lengths = [one.length for one in rules.parameters(self.rule) if one.length]
        tied = [*self.rule.where, *(one for one in lengths if _names(one) & {*self.sizes})]
        return [axis for axis in self.axes if not any(axis in _names(one) for one in tied)]

    def ordinary(self, blocks: Iterable[tuple[int, int, int]]) -> Iterator[Trial]:
        """Small launches of some sizes, each with each of some blocks."""
        for usual, block in product((1, 2, 3, 31, 33, 300), blocks):
            yield from self._fitting(block, {}, usual)
            yield from self._fitting(block, dict.fromkeys(self.axes, 2), usual)

    def around(
        self,
        numbers: Iterable[int],
        quantities: Iterable[str],
        blocks: Iterable[tuple[int, int, int]],
        beside: Iterable[int] = BESIDE,
        usual: int = USUAL,
    ) -> Iterator[Trial]:
        """Launches in which each of some quantities is a number, or that and so many more; in some
        of them the other sizes fill packs."""
        for more, block, number, quantity in product(beside, blocks, numbers, quantities):
            if number + more > 0:
                others = WHOLE_PACK if more == 4 and usual == USUAL else usual
                yield from self._reaching(quantity, number + more, block, others)

    def paired(
        self, numbers: Sequence[int], blocks: Sequence[tuple[int, int, int]]
    ) -> Iterator[Trial]:
        """Launches in which two sizes are one of the numbers each, or one more."""
        sizes = list(combinations(self.sizes, 2))
        for pairs in (sizes, [one for one in combinations(self.single, 2) if one not in sizes]):
            for (x, y), one, other, pair, block in product(
                product((1, 0), repeat=2), numbers, numbers, pairs, blocks
            ):
                yield from self._fitting(
                    block, dict(zip(pair, (one + x, other + y), strict=True)), USUAL
                )

    def _reaching(
        self, quantity: str, number: int, block: tuple[int, int, int], usual: int
    ) -> Iterator[Trial]:
        """Launches in which a quantity is just that number, or the next that it may be, by each of
        the sizes that it is made of, while the others are small, or large."""
        for name in sorted(_names(quantity).intersection(self.single)):
            others = _names(quantity) & {*self.sizes} - {name}
            for size in (usual, LARGE) if others else (usual,):
                if needed := self._needed(quantity, name, number, self._names(block, {}, size)):
                    given = dict.fromkeys(others, size) | needed
                    many = dict.fromkeys(self.loose, number) if quantity in self.sizes else {}
                    yield from self._fitting(block, many | given, usual)

    def _needed(
        self, quantity: str, name: str, number: int, names: Mapping[str, int]
    ) -> dict[str, int]:
        """The least value of a size with which a quantity comes to a number and that the rule
        allows; nothing where there is none near."""
        least = _least(lambda n: _value(quantity, {**names, name: n}) >= number)
        alone = [one for one in self.rule.where if _names(one).intersection(self.single) == {name}]
        near = ({name: n} for n in range(least, least + AWAY) if least)
        return next((it for it in near if all(_value(one, {**names, **it}) for one in alone)), {})

    def _names(
        self, block: tuple[int, int, int], given: Mapping[str, int], usual: int
    ) -> dict[str, int]:
        return rules.launch_names((1, 1, 1), block) | dict.fromkeys(self.sizes, usual) | dict(given)

    def _fitting(
        self, block: tuple[int, int, int], given: Mapping[str, int], usual: int
    ) -> Iterator[Trial]:
        """The launch in which sizes are as `given`, and all others near `usual`; nothing where the
        rule allows none."""
        asked = block, tuple(sorted(given.items())), usual
        if asked in self.asked:
            return
        self.asked.add(asked)
        names = self._names(block, given, usual)
        for _ in range(8):  # so many changes at the most, until it keeps to its rule
            amiss = [one for one in self.rule.where if not _value(one, names)]
            if not amiss:
                trial = Trial.named(self.rule, names)
                yield from [trial] if trial.keeps_to_its_rule() else self._fitting(block, given, 1)
                return
            changed = [
                names | {name: number}
                for name in sorted(_names(amiss[0]).intersection(self.single) - given.keys())
                for number in self._mending(amiss[0], name, names)
            ]
            if not changed:
                return
            names = min(changed, key=lambda now: sum(not _value(c, now) for c in self.rule.where))

    def _mending(self, condition: str, name: str, names: dict[str, int]) -> Iterator[int]:
        """Values of a size with which a condition holds."""
        if name in self.axes:
            least = _least(lambda n: _value(condition, names | {name: n}) > 0)
            yield from [least] if least else []
            return
        parts = {_value(one, names) for one in (*_made(condition), *_names(condition))}
        near = [
            *(part + more for part in parts for more in range(4)),
            *(times * int(one) for one in re.findall(r"\d+", condition) for times in (1, 2)),
        ]
        nearest = sorted({*range(1, 41), *near}, key=lambda n: abs(n - names[name]))
        yield from (n for n in nearest if n >= 1 and _value(condition, names | {name: n}))


def _value(expression: str, names: Mapping[str, int]) -> int:
    """What an expression comes to, a condition to 0 or 1; 0 where something is divided by 0."""
    try:
        return int(rules.value(expression, names))
    except ZeroDivisionError:
        return 0


@cache
def _names(expression: str) -> frozenset[str]:
    """The names in an expression, of parameters and of dimensions."""
    return frozenset(re.findall(r"[A-Za-z_][\w.]*", expression))


@cache
def _made(expression: str, *by: type[ast.operator]) -> tuple[str, ...]:
    """The sums, products and so on that an expression is made of; all, or of the operators `by`."""
    return tuple(
        ast.unparse(one)
        for one in ast.walk(ast.parse(expression, mode="eval"))
        if isinstance(one, ast.BinOp) and (not by or isinstance(one.op, by))
    )


def _least(holds: Callable[[int], bool]) -> int:
    """The smallest number from 1 on with which something holds that holds for all larger ones; 0
    where it does not up to LARGEST."""
    least = bisect_left(range(LARGEST + 1), True, lo=1, key=holds)
    return least if least <= LARGEST else 0


def random_trials(rule: Rule, rng: np.random.Generator, number: int) -> Iterator[Trial]:
    """Small launches drawn at random that keep to a rule."""
    whole = [p.name for p in rules.parameters(rule) if rules.is_whole(p)]
    for _ in range(200 * number):
        largest = int(rng.choice([4, 40, 300]))
        numbers = {name: int(rng.integers(1, largest + 1)) for name in whole}
        block = rules.dimensions(rule.blocks[int(rng.integers(len(rule.blocks)))])
        x, y = (int(rng.integers(1, largest // 4 + 2)) for _ in "xy")
        trial = Trial(rule, (x, y if rule.grid > 1 else 1, 1), block, numbers)
        if trial.threads <= MOST_DRAWN and all(
            rules.value(condition, trial.names) for condition in rule.where
        ):
            number -= 1
            yield trial
        if not number:
            return
