"""What a lesson is and what an exercise asks, as data.

A `Requirement` and a `Ban` ask for the way in which an answer is made, beside what it costs: they
are about the instructions that an element of the result was made by, those on the ways from the
inputs to it, as the simulated GPU has followed them. What is done beside that, and thrown away,
multiplied by 0 or taken off again, has no part in it.
"""

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from ..errors import NotInCourse, unless
from . import authors
from .kinds import ExerciseKind, Write, answers
from .mistakes import WrongKernel, wrong_kernels

Dim = int | tuple[int, ...]
Blank = tuple[tuple[int, ...], type]  # the shape and dtype of a buffer that nobody has written
Buffers = dict[str, Any]  # NumPy's arrays or CuPy's, by name

COUNTERS = ("global_sectors", "inst_executed")  # what a contest compares


class Boxes(str):
    """The name of a buffer that a launch passes by its tensor map, of which a copy moves a box of
    this shape, with a swizzle of so many bytes (see `grader.cuda.tensor_map`)."""

    box: tuple[int, ...]
    swizzle: int

    def __new__(cls, buffer: str, box: tuple[int, ...], swizzle: int = 0) -> "Boxes":
        self = super().__new__(cls, buffer)
        self.box, self.swizzle = box, swizzle
        return self

    def called(self, buffer: str) -> "Boxes":
        """The same of another buffer."""
        return Boxes(buffer, self.box, self.swizzle)


@dataclass(frozen=True)
class Launch:
    """One kernel launch. In `args` a string names a buffer of the problem; a NumPy scalar is
    passed by value, so its dtype must be the parameter's type (np.int32 for an int). The blocks of
    a `cooperative` launch run all at the same time; exercises have none."""

    kernel: str
    grid: Dim
    block: Dim
    args: tuple[str | np.generic, ...]
    shared_mem: int = 0
    cooperative: bool = False


@dataclass(frozen=True)
class Expected:
    """What an output must hold after the last launch.

    `value` is the reference (float64 for floats, exact integers otherwise), `dtype` what the
    kernel writes. An element is right when abs(found - value) <= atol + rtol * abs(value);
    `atol` may be an array of value's shape. NaN equals NaN, infinities equal by sign.
    """

    value: np.ndarray
    dtype: np.dtype | type
    atol: float | np.ndarray = 0.0
    rtol: float = 0.0


@dataclass(frozen=True)
class Problem:
    """One case made concrete. Inputs must come back unchanged; outputs and scratch buffers are
    poisoned before the first launch; `scratch` gives (shape, dtype) by name. `order`: in which
    the simulated GPU's threads run, as `simulator.Options` has it; blocks hand over in any.
    `begins`: buffers that are a stretch of another array, so many elements behind its first one,
    and so aligned as one element is, and no more."""

    inputs: Mapping[str, np.ndarray]
    outputs: Mapping[str, Expected]
    launches: tuple[Launch, ...]
    scratch: Mapping[str, Blank] = field(default_factory=dict)
    order: str = "lockstep"
    begins: Mapping[str, int] = field(default_factory=dict)

    def comparing(self, outputs: Collection[str]) -> "Problem":
        """The same problem where only these outputs are compared; the others are scratch."""
        return replace(
            self,
            outputs={name: self.outputs[name] for name in outputs},
            scratch={
                **self.scratch,
                **{
                    name: (one.value.shape, np.dtype(one.dtype).type)
                    for name, one in self.outputs.items()
                    if name not in outputs
                },
            },
        )


@dataclass(frozen=True)
class Times:
    """So many times what the exercise's own solution takes, on the same case."""

    factor: float


@dataclass(frozen=True)
class Budget:
    """An upper limit on one of the simulated GPU's counters, summed over the case's launches.
    When a lesson is read, a limit in `Times` becomes a number by the solution's kept counts, and
    `times` keeps what it was. `per`: a unit to say the limit in, and how many of them the case has,
    such as ("row", 6), where warps, blocks and launches do not say it well (`costs.per`)."""

    counter: str
    at_most: int | Times
    why: str
    per: tuple[str, int] | None = None
    times: Times | None = None

    @property
    def number(self) -> int:
        """The limit; 0 while it is relative to a solution that nobody has measured."""
        return self.at_most if isinstance(self.at_most, int) else 0

    @property
    def relative(self) -> Times | None:
        """What it is relative to ours; None if it was stated as a number."""
        return self.at_most if isinstance(self.at_most, Times) else self.times

    def beside(self, solution: Mapping[str, int]) -> "Budget":
        """This budget as a number; `solution` holds its counters that are not 0."""
        return (
            self
            if isinstance(self.at_most, int)
            else replace(
                self,
                at_most=math.ceil(self.at_most.factor * solution.get(self.counter, 0)),
                times=self.at_most,
            )
        )


@dataclass(frozen=True)
class Hazard:
    """What a case must go wrong by: a verdict's `status`, on the line that has the words of
    `between` in it; of a race, between the lines that have the one and the other."""

    status: str
    between: tuple[str, ...]


@dataclass(frozen=True)
class Exactly:
    """A counter of the simulated GPU that must come to `count` over the case's launches."""

    counter: str
    count: int
    why: str


@dataclass(frozen=True)
class Kind:
    """A kind of instruction.

    `named`: what a learner calls one: "16-byte load from global memory". `worth`: by a regular
    expression for a whole PTX opcode, how many of the kind such an instruction stands for.
    `last`: it is asked for at the end of each element's way alone, where it is stored.
    `orders`: it makes no value but orders what threads do, so what counts is how often warps
    execute it.
    """

    named: str
    worth: Mapping[str, int]
    last: bool = False
    orders: bool = False


_WIDE = r"(\.[\w:]+)*\.(v4\.[bfsu]32|v2\.[bfsu]64|v8\.b16|b128)"
LOAD_16 = Kind(
    "16-byte load from global memory",
    {rf"ld(\.global)?{_WIDE}": 1, r"cp\.async\.cg\..*": 1},
)
STORE_16 = Kind("16-byte store to global memory", {rf"st(\.global)?{_WIDE}": 1}, last=True)
SHUFFLE = Kind("shuffle", {r"shfl\.sync\..*": 1, r"redux\.sync\..*": 5})  # 5: what 32 lanes take
TENSOR_CORE = Kind("product on tensor cores", {r"w?mma\..*": 1})
DIVISION = Kind("division", {r"(div|rem|rcp)\..*": 1})
FENCE = Kind(
    "fence",
    {
        r"(membar|fence)\..*": 1,
        r"atom\.(.*\.)?acq_rel\..*": 2,  # one in front of it, and one behind it
        r"atom\.(.*\.)?(release|acquire)\..*": 1,
        # A strong load needs no fence between the flag and itself: no cache answers it.
        r"ld\.(volatile|relaxed|acquire)\..*": 1,
    },
    orders=True,
)


@dataclass(frozen=True)
class Requirement:
    """What must be on the way to every element of the outputs `of` (none named: of all of them).

    Without `levels`, every way from an input to the element passes at least `at_least` of the
    kind. With `levels` the kind brings the parts of a sum or a maximum together, in a tree of so
    many levels, or fewer where there are too few parts (what one load brings is one): the part that
    has the longest way passes that many, and half of the parts pass one. `but`: so many elements
    may do without, of all outputs together. Of a kind that orders, warps must execute `at_least`
    over the case's launches.
    """

    kind: Kind
    why: str
    at_least: int = 1
    levels: int = 0
    of: tuple[str, ...] = ()
    but: int = 0


@dataclass(frozen=True)
class Ban:
    """What must not be on the way to any element, nor to the index that it was found by."""

    kind: Kind
    why: str


@dataclass(frozen=True)
class Case:
    """One input to try a kernel on. `name` is its category, the only thing a learner is told of
    a hidden case; `problem` draws a fresh `Problem` from a random generator. `hazard`: what the
    case must go wrong by, where that is asked. `ours`: what the case costs the solution, by
    counter, as far as it is kept; set when the case is found. `own_name`: what the exercise itself
    calls it, if this is a case of another operation."""

    name: str
    problem: Callable[[np.random.Generator], Problem]
    points: float
    visible: bool = True
    budgets: tuple[Budget, ...] = ()
    requires: tuple[Requirement, ...] = ()
    bans: tuple[Ban, ...] = ()
    exactly: tuple[Exactly, ...] = ()
    hazard: Hazard | None = None
    ours: Mapping[str, int] = field(default_factory=dict)
    own_name: str = ""


@dataclass(frozen=True)
class MappedArray:
    """The array of a rule that its kernel gets by a tensor map: its `shape`, in expressions, and
    the `box` and `swizzle` of the map (see `Boxes`)."""

    name: str
    shape: tuple[str, ...]
    box: tuple[int, ...]
    swizzle: int = 0


@dataclass(frozen=True)
class Rule:
    """For which launches the kernel of an `exercise` must be right, so that it can be reasoned
    about for every size. `parameters` are the kernel's, with the elements of each array: "float
    x[rows * columns]", "int rows"; "unsigned ticket[1] = 0" where it starts at 0, "out int
    place[n]" where it is only written, "int shape[]" where only what is in it could say how much it
    must hold. Expressions are `rules.value`'s, over the whole-number parameters and blockDim.x,
    gridDim.x and so on.

    `blocks` are the shapes that a block may have, `where` says what is always true, `contents` what
    is true of what stands in arrays, in words for the page. `shared_mem` is the dynamic shared
    memory in bytes, `grid` how many dimensions the grid has. No array has more than `most` elements
    and no grid more threads. `maps` are the arrays that are passed by a tensor map.

    The rest says which classes of launches its cases must meet (`classes`). `edges`: of a
    parameter, the sizes whose neighbours are classes of their own, ("n", "32", "blockDim.x") where
    nothing is said; a parameter without any is what the case makes of it. `values`: the classes of
    `inputs.VALUES` that its floating-point arrays may hold, each element of another one where the
    kernel is `elementwise`. `aligned`: arrays begin at multiples of 16 bytes; else anywhere.
    `passes`: how often the busiest thread repeats its work, where that is not the elements of the
    largest array by threads. `rows`: how many rows of values the first array has, where that is
    not its length without the last factor.
    """

    exercise: str
    kernel: str
    parameters: tuple[str, ...]
    blocks: tuple[Dim, ...]
    where: tuple[str, ...] = ()
    grid: int = 1
    shared_mem: str = "0"
    contents: str = ""
    most: int = 2**30
    edges: tuple[tuple[str, ...], ...] = ()
    values: tuple[str, ...] = ()
    aligned: bool = False
    elementwise: bool = False
    passes: str = ""
    rows: str = ""
    maps: tuple[MappedArray, ...] = ()


@dataclass(frozen=True)
class WritingStep:
    """A part of an exercise that a learner writes and checks before the next. `name` is a few words
    ("the loss"), `write` one sentence on what to write. It is passed when its `cases` leave the
    right `outputs`; without `outputs`, when they pass. Without `cases` these are all visible cases
    that have no budget. The last step of an exercise has neither: it is passed when the exercise
    is."""

    name: str
    write: str
    cases: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Exercise:
    """A kernel to write, or to do something else with: `kind` says what, and what is handed out. Or
    a question, which has no `source` and no `cases`: its answers lie in answers.toml.
    `source` is the solved .cu file, with the part that is the learner's between BEGIN SOLUTION and
    END SOLUTION. `hints` is a ladder, climbed one by one; `hints_on` are hints for a status, or for
    a `Pattern` of a wrong answer, shown first while the last check ended in it. `minutes`: how long
    it takes somebody who has read the page up to there; `teaches`: the one thing, in a few words.
    `steps`: what is written and checked one after the other; the last one is the whole exercise.
    `operations`: by name, what makes another exercise of this one for its variants, with another
    operation or other types (see `grader.course.variants.operation`).
    `id` is "lesson/name", `file` the name of the file that defines it, `solution` the text of
    `source`, `rules` those of the lesson's rules.py, and `size_points` what the case is worth that
    tries sizes of its own (0: there is none); all are set when it is found."""

    name: str
    title: str
    source: str = ""
    cases: tuple[Case, ...] = ()
    hints: tuple[str, ...] = ()
    hints_on: Mapping[str, str] = field(default_factory=dict)
    kind: ExerciseKind = field(default_factory=Write)
    minutes: int = 0
    teaches: str = ""
    steps: tuple[WritingStep, ...] = ()
    operations: Mapping[str, Callable[["Exercise"], "Exercise"]] = field(default_factory=dict)
    id: str = ""
    file: str = ""
    solution: str = ""
    rules: tuple[Rule, ...] = ()
    size_points: float = 0.0

    @property
    def points(self) -> float:
        return sum(case.points for case in self.cases) + self.size_points + self.kind.points

    @property
    def solved(self) -> bool:
        """Whether `solution` is one; it is not in a course as learners may have it."""
        return bool(answers(self.solution))


@dataclass(frozen=True)
class Variant:
    """One way to solve a benchmark's problem: the lesson's file `source`, or several where it
    chooses among their kernels, and its launches over the benchmark's arrays at a size; none at a
    size that it is not made for. The launches may be repeated on the same arrays: what they count
    in, they set to zero themselves."""

    source: str | tuple[str, ...]
    launches: Callable[[tuple[int, ...]], tuple[Launch, ...]]


@dataclass(frozen=True)
class Benchmark:
    """Kernels to be timed against each other on a GPU, and against libraries.

    A size is a tuple such as (rows, columns); `extents` names what it holds, for the axis of a
    picture. `arrays(xp, size)` makes every buffer, by name, on
    the device, inputs filled with random numbers; `result` names the buffer that holds the answer,
    `reference(arrays)` gives it as float64 on the device, and `rtol` how near (relative to the
    largest magnitude of the answer) a variant must come to be timed at all. `xp` is cupy, or
    stands for numpy where the simulated GPU runs every variant at `tiny_size()`.

    `decoded` makes numbers of what the result buffer holds, where that is bits.

    `bytes(size)` is the least that must be read and written, `flops(size)` the floating-point
    operations, where a lesson draws a roofline. A library is a function from the arrays to a
    function of no arguments that does the same work, and returns its answer or None where that
    is in the result buffer. It is called for each of several copies of the arrays, and may raise
    ImportError.
    """

    name: str
    title: str
    sizes: tuple[tuple[int, ...], ...]
    arrays: Callable[[ModuleType, tuple[int, ...]], Buffers]
    result: str
    reference: Callable[[Buffers], Any]
    rtol: float
    bytes: Callable[[tuple[int, ...]], int]
    variants: Mapping[str, Variant]
    libraries: Mapping[str, Callable[[Buffers], Callable[[], object]]] = field(default_factory=dict)
    flops: Callable[[tuple[int, ...]], int] | None = None
    tiny: tuple[int, ...] = ()
    extents: tuple[str, ...] = ("elements",)
    decoded: Callable[[Any], Any] | None = None

    def tiny_size(self) -> tuple[int, ...]:
        """`tiny`, or the first size with its largest extent halved until it has few elements."""
        size = list(self.tiny or self.sizes[0])
        # The simulated GPU gets through so many in a moment.
        while not self.tiny and math.prod(size) > 4096:
            size[size.index(max(size))] //= 2
        return tuple(size)


@dataclass(frozen=True)
class Shown:
    """Launches of a file that the lesson shows, and neither asks for nor times, so that
    `grader counters` can count them. Its kernels read `arrays` and write over them; `blank` gives
    (shape, dtype) of buffers that nobody has written before the first launch."""

    source: str
    launches: tuple[Launch, ...]
    arrays: Mapping[str, np.ndarray] = field(default_factory=dict)
    blank: Mapping[str, Blank] = field(default_factory=dict)


@dataclass(frozen=True, order=True)
class Standing:
    """How many times the least a kernel costs; a smaller one is better, traffic first: it is what
    bounds a kernel on rows, and of two that move the same the one with fewer instructions leaves
    more of the time to others. In hundredths, as they are shown."""

    sectors: float
    instructions: float


@dataclass(frozen=True)
class Contest:
    """A contest for the cheapest answer to an exercise.

    It is counted on the exercise's last case, which is hidden and has a budget. Times depend on
    the machine, and on how they are taken; these counts depend on the kernel alone. The lesson's
    page derives the two least ones.
    """

    exercise: str
    sectors: int  # the fewest of 32 bytes that must be loaded and stored
    instructions: int  # the fewest that warps must execute

    def standing(self, counters: Mapping[str, int]) -> Standing:
        """Where the `contest` of a passed verdict puts its kernel."""
        moved, executed = (counters[name] for name in COUNTERS)
        return Standing(round(moved / self.sectors, 2), round(executed / self.instructions, 2))


Named = TypeVar("Named", Exercise, Benchmark)


@dataclass(frozen=True)
class Lesson:
    name: str
    path: Path
    title: str
    exercises: tuple[Exercise, ...]
    benchmarks: tuple[Benchmark, ...] = ()
    shown: tuple[Shown, ...] = ()
    contests: tuple[Contest, ...] = ()

    def exercise(self, name: str) -> Exercise:
        return self._called("exercise", name, self.exercises)

    def benchmark(self, name: str) -> Benchmark:
        return self._called("benchmark", name, self.benchmarks)

    def _called(self, what: str, name: str, among: tuple[Named, ...]) -> Named:
        called = {one.name: one for one in among}
        return unless(
            called.get(name),
            NotInCourse(
                f"Lesson {self.name} has no {what} {name!r}; it has: {', '.join(called) or 'none'}."
            ),
        )

    def contest(self, exercise: str) -> Contest | None:
        """The contest for the exercise of that name, if there is one."""
        return next((one for one in self.contests if one.exercise == exercise), None)

    def solution(self, exercise: Exercise) -> str:
        return exercise.solution or authors.text(self.path / exercise.source)

    def handed_out(self, exercise: Exercise) -> str:
        """The kernel as learners get it."""
        return exercise.kind.handed_out(self.solution(exercise))

    def leaves(self, mistake: WrongKernel) -> float:
        """The part of the points that an answer keeps whose only fault is this mistake."""
        return (
            self.exercise(mistake.exercise).kind.fault_leaves
            if mistake.leaves is None
            else mistake.leaves
        )

    @property
    def wrong_kernels(self) -> tuple[WrongKernel, ...]:
        """The mistakes that learners make, exercise by exercise; raises MistakeError."""
        return wrong_kernels(
            self.path, {exercise.name: self.solution(exercise) for exercise in self.exercises}
        )
