"""A launch that an exercise's rule allows, what may be found by trying it, and what that costs."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import numpy as np

from ..course import Expected, Rule, rules
from ..cuda.errors import CudaError
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
