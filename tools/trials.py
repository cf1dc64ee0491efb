"""What becomes of a changed kernel: a case fails it, or a small launch tells it from the solution.

All of it happens in this process, without the judge's worker: the kernels are ours. The cases, the
steps that they may take, and what is asked of the way to the answer are those of the judge.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import msgspec
import numpy as np

from grader import compilers, course
from grader.course import (
    Exercise,
    Launch,
    Lesson,
    Problem,
    Rule,
    chosen,
    classes,
    rules,
    solution_counts,
)
from grader.course.model import Case
from grader.cuda.errors import CudaError
from grader.judge import Limits, arrangement, compare, technique
from grader.judge.cases import CaseInstance, described, instantiate
from grader.judge.compare import Words
from grader.judge.protocol import Ran
from grader.judge.sandbox.simulated import run_case
from grader.proofs.launches import Trial
from grader.status import Status

Shape = tuple[int, int, int]
SEED = 0
LIMITS = Limits()
MOST_THREADS, MOST_ELEMENTS = 2_200, 4_000  # of a small launch
SMALL_LAUNCHES = 45  # of a kernel
MOST_STEPS = 60_000  # of a launch of the solution
NOTHING = 1e-34  # what thousands of the smallest normal floats come to, as far as sums are asked
# Times ours, what the course allows where it counts that: instructions of the busiest thread, and
# exponentials.
MOST_WORK = {"longest_path": 3.0, "exponentials": 1.25}
MOST_TRIED = 700  # launches that are looked at for each shape of a block
MOST_COST = 210_000  # threads and elements of a wide launch
MOST_TIMES = 100  # what it takes, in times of the smallest launch (`classes.cost`)
_WIDE_GRIDS = ((40, 1, 1), (300, 1, 1), (2200, 1, 1), (1, 300, 1), (40, 40, 1))
_WIDE_SIZES = (1, 3, 36, 300, 33_000, 70_000)
# What stands among whole numbers, and of which classes of `inputs.VALUES` that is: a rule that
# promises none of them promises nothing of such a launch.
SPECIAL: dict[str, tuple[tuple[float | None, ...], tuple[str, ...]]] = {
    "whole numbers": ((), ()),
    "all -inf": ((-np.inf,), ("all -inf",)),
    "some -inf": ((-np.inf, None), ("a -inf", "all -inf")),
    "+inf": ((np.inf, None, None, None), ("a +inf",)),
    "NaN": ((np.nan, None, None, None), ("a NaN",)),
    "huge": ((3e38, -3e38, None), ("huge", "far below")),
    "tiny": ((1e-30, -1e-30), ("tiny",)),
    "0": ((0.0, -0.0), ()),
    "far from 0": ((-1e4, -1e4 + 1, 1e4), ("large offset",)),
}


@dataclass(frozen=True)
class Bench:
    """An exercise, ready to try kernels: its cases in the order of what they cost, the steps of its
    solution by case, and by counter and launch what the solution's are, once they are known."""

    lesson: Lesson
    exercise: Exercise
    instances: tuple[CaseInstance, ...]
    steps: Mapping[str, int]
    ours: dict[tuple[str, int], int | None] = field(default_factory=dict, compare=False)

    def fails(self, source: str) -> str:
        """The first case that does not get its full points, and why; "" if all do."""
        handed_out = self.lesson.handed_out(self.exercise)
        if changed := arrangement.changed(self.exercise, handed_out, source):
            return f"what is given: {changed[0]}"
        for one in self.instances:
            if reason := self._fails(source, one):
                return f"{one.case.name}: {reason}"
        return ""

    def _fails(self, source: str, one: CaseInstance) -> str:
        allowed = max(LIMITS.steps, LIMITS.steps_ratio * self.steps.get(one.case.name, 0))
        request = described(one, allowed)
        words = Words(source, self.exercise.solution, one.problem)
        try:
            ran = run_case(source, request)
            result = compare.on_simulator(one, ran, words, False)
            if result.status == Status.PASSED:
                result = technique.lacks_order(one, ran.opcodes) or result
            if result.status == Status.PASSED and (asked := technique.questions(one)):
                request = msgspec.structs.replace(request, asked=asked)
                result = technique.departs(one, run_case(source, request), words) or result
        except (CudaError, MemoryError) as error:
            return type(error).__name__
        return "" if result.status == Status.PASSED else str(result.status)

    def small_launches(self) -> Iterator[tuple[str, CaseInstance]]:
        """Launches that the exercise's rules allow, in words, and as cases without expectations;
        each with values of one class, in turn."""
        for rule in self.exercise.rules:
            if any(one.length == "" for one in rules.parameters(rule)):
                yield from _drawn(self.exercise, rule)
            elif all(one.length for one in rules.parameters(rule) if one.length is not None):
                promised = [
                    what
                    for what, (_, known) in SPECIAL.items()
                    if not (rule.values and known) or set(known) & set(rule.values)
                ]
                launches = small(rule)  # few of them come again, with other values
                often = max(len(launches), SMALL_LAUNCHES // 2)
                again = itertools.islice(itertools.cycle(launches), often)
                for trial, what in zip(again, itertools.cycle(promised), strict=False):
                    yield f"{rule.kernel} with {trial}; {what}", _instance(trial, what)

    def costs_no_more(self, source: str, counter: str = "longest_path") -> bool:
        """Whether in no case and no launch the counter is more than `MOST_WORK` times what it is in
        the solution: by default the instructions of the busiest thread."""
        launches = [one for _, one in self.small_launches()]
        for at, one in enumerate((*self.instances, *launches)):
            if (counter, at) not in self.ours:
                self.ours[counter, at] = _counted(counter, self.exercise.solution, one)
            ours = self.ours[counter, at]
            if ours is not None:
                mine = _counted(counter, source, one)
                if mine is None or mine > MOST_WORK[counter] * ours:
                    return False
        return True


@cache
def bench(exercise_id: str) -> Bench:
    """The bench of "lesson/name"."""
    name, _, exercise_name = exercise_id.partition("/")
    lesson = course.lesson(name)
    exercise = lesson.exercise(exercise_name)
    kept = solution_counts.of_exercise(lesson.path, exercise_name, compilers.chosen_name())
    steps = {case: counted["steps"] for case, counted in kept.items()}
    instances = instantiate(exercise, SEED, hidden=True)
    ordered = sorted(instances, key=lambda one: steps.get(one.case.name, 0))
    return Bench(lesson, exercise, tuple(ordered), steps)


def told_apart(bench: Bench, right: str, source: str, cached: dict[int, object]) -> str | None:
    """The first small launch after which the two kernels have left something else; "" if all have
    left the same, None if the exercise has no rule to make launches by. What the `right` one leaves
    is kept in `cached`, by the launch's number."""
    tried = 0
    for number, (said, one) in enumerate(bench.small_launches()):
        if number not in cached:
            cached[number] = _left(right, one, MOST_STEPS)
        ours = cached[number]
        if not isinstance(ours, Ran):
            continue  # a right answer need not stand this launch
        tried += 1
        mine = _left(source, one, max(LIMITS.steps, LIMITS.steps_ratio * ours.steps))
        if not isinstance(mine, Ran):
            return f"{said}: {mine}"
        for name in one.problem.inputs:
            if not _equal(*(ran.arrays[f"input/{name}"] for ran in (ours, mine))):
                return f"{said}: {name}"
    return "" if tried else None


@cache
def small(rule: Rule) -> tuple[Trial, ...]:
    """A few dozen launches within a rule: the smallest, and some of the next, with sizes around the
    edges of a block and of the rule; then some with many blocks and with coordinates beyond 16
    bits."""
    numbers = [one.name for one in rules.parameters(rule) if rules.is_whole(one)]
    blocks = [rules.dimensions(one) for one in rule.blocks]
    found, wide = [], []
    rng = np.random.default_rng(SEED)
    for block in blocks[:3] + blocks[-1:] if len(blocks) > 4 else blocks:
        edges = {1, 2, 3, 4, 5, 8, 12, 31, 32, 33, 64, *block}
        edges |= {side + 1 for side in block} | {2 * side + 4 for side in block}
        for grid, sizes in _some(rng, _grids(rule), sorted(edges), len(numbers)):
            trial = Trial(rule, grid, block, dict(zip(numbers, sizes, strict=True)))
            if trial.keeps_to_its_rule() and _is_small(trial):
                found.append(trial)
        for grid, sizes in _some(rng, _WIDE_GRIDS, _WIDE_SIZES, len(numbers)):
            trial = Trial(rule, grid, block, dict(zip(numbers, sizes, strict=True)))
            if trial.keeps_to_its_rule() and _is_cheap(trial):
                wide.append(trial)
    at_edges = list(_at_edges(rule))
    found += filter(_is_small, at_edges)
    if not found:  # every launch of the rule is larger
        every = sorted(at_edges, key=_cost)
        found = [one for one in every if _cost(one) <= 2 * _cost(every[0])]
    found.sort(key=_cost)
    first, rest = found[: SMALL_LAUNCHES // 2], found[SMALL_LAUNCHES // 2 :]
    rest = [rest[at] for at in rng.permutation(len(rest))[: SMALL_LAUNCHES // 2]]
    return (*first, *rest, *_covering(wide))


def _some(
    rng: np.random.Generator,
    grids: Sequence[tuple[int, int, int]],
    sizes: Sequence[int],
    numbers: int,
) -> Iterator[tuple[tuple[int, int, int], tuple[int, ...]]]:
    """Grids with sizes of so many numbers: all of them, or some where they are too many."""
    every = len(grids) * len(sizes) ** numbers
    chosen = range(every) if every <= MOST_TRIED else rng.integers(0, every, MOST_TRIED).tolist()
    for at in chosen:
        at, grid = divmod(at, len(grids))
        picked = []
        for _ in range(numbers):
            at, place = divmod(at, len(sizes))
            picked.append(sizes[place])
        yield grids[grid], tuple(picked)


def _at_edges(rule: Rule) -> Iterator[Trial]:
    """The launches by which the rule's classes are found, or some of them: these keep to the rule,
    however little it allows."""
    trials = (Trial(rule, grid, block, sizes) for grid, block, sizes in _promised(rule))
    return (trial for trial in trials if trial.keeps_to_its_rule())


def _promised(rule: Rule) -> Iterator[tuple[Shape, Shape, dict[str, int]]]:
    """Grid, block and numbers of the launches by which the rule's classes are found, or of some."""
    made = classes.promised(rule).launches
    names = [one.name for one in rules.parameters(rule) if rules.is_whole(one)]
    order = np.random.default_rng(SEED).permutation(classes.count_of(made))
    for at in order[:MOST_TRIED]:
        row = {name: int(sizes[at]) for name, sizes in made.items()}
        grid, block = (
            (row[f"{shape}.x"], row[f"{shape}.y"], row[f"{shape}.z"])
            for shape in ("gridDim", "blockDim")
        )
        yield grid, block, {name: row[name] for name in names if name in row}


def _is_cheap(trial: Trial) -> bool:
    """As wide launches go."""
    numbers = {name: np.array([number]) for name, number in trial.names.items()}
    times, _ = classes.cost(trial.rule, numbers)
    return _cost(trial) <= MOST_COST and float(times[0]) <= MOST_TIMES


def _cost(trial: Trial) -> int:
    """Its threads, and the elements of its largest array."""
    return trial.threads + max(trial.sizes(), default=0)


def _covering(wide: list[Trial]) -> list[Trial]:
    """A few cheap launches in which every number is as large as in any of them."""
    chosen: dict[tuple[str, ...], Trial] = {}
    for trial in sorted(wide, key=_cost):
        for what in _large(trial):
            chosen.setdefault(what, trial)
    covered: set[tuple[str, ...]] = set()
    kept = []
    for trial in sorted({id(one): one for one in chosen.values()}.values(), key=_cost)[::-1]:
        if new := set(_large(trial)) - covered:
            covered |= new
            kept.append(trial)
    return kept[::-1]


def _large(trial: Trial) -> Iterator[tuple[str, ...]]:
    """Which of its numbers, and the elements of which arrays, are beyond 32, 8 and 16 bits; the
    same where every thread has an element, and of two numbers at once."""
    numbers = trial.names | {f"array {at}": size for at, size in enumerate(trial.sizes())}
    busy = max(trial.sizes(), default=0) >= trial.threads
    large = [
        (name, str(limit))
        for name, number in numbers.items()
        for limit in (32, 0xFF, 0x7FFF, 0xFFFF)
        if number > limit
    ]
    yield from large
    if busy:
        yield from (("busy", *one) for one in large)
    yield from ((*one, *two) for one, two in itertools.combinations(large, 2) if one[0] != two[0])


def _grids(rule: Rule) -> list[tuple[int, int, int]]:
    if rule.grid == 1:
        return [(blocks, 1, 1) for blocks in (1, 2, 3)]
    return [(1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 3, 1)]


def _is_small(trial: Trial) -> bool:
    return trial.threads <= MOST_THREADS and max(trial.sizes(), default=0) <= MOST_ELEMENTS


def _instance(trial: Trial, what: str) -> CaseInstance:
    given = trial.arguments()
    arrays, rng = {}, np.random.default_rng(SEED)
    for name, value in given.items():
        if isinstance(value, np.ndarray):
            most = 2 if value.dtype.kind == "b" else max(1, min(trial.numbers.values(), default=9))
            arrays[name] = _values(value, what, most, rng)
    args = rules.passed(trial.rule, given)
    launch = Launch(trial.rule.kernel, trial.grid, trial.block, args, trial.shared_mem)
    problem = Problem(arrays, {}, (launch,))
    return CaseInstance(Case("small", lambda rng: problem, 0.0), problem)


def _values(made_up: np.ndarray, what: str, most: int, rng: np.random.Generator) -> np.ndarray:
    """Whole numbers in place of those made up, and among them those of a class of values; an array
    of whole numbers holds such as are less than `most`: they may be places."""
    if not made_up.any():
        return made_up
    if made_up.dtype.kind != "f":
        return rng.integers(0, most, made_up.shape).astype(made_up.dtype)
    values = rng.integers(-9, 10, made_up.shape).astype(made_up.dtype)
    if special := SPECIAL[what][0]:
        chosen = rng.integers(0, len(special), values.shape)
        for at, one in enumerate(special):
            if one is not None:
                with np.errstate(over="ignore"):
                    values[chosen == at] = one
    return values


def _drawn(exercise: Exercise, rule: Rule) -> Iterator[tuple[str, CaseInstance]]:
    """Launches whose arrays the exercise's own covering case makes, since only their contents say
    how much they must hold: with ordinary values, and with every class of values that the rule
    promises, in turn."""
    covering = [made for case in exercise.cases if (made := chosen.of_case(case))]
    small = (one for one in _promised(rule) if math.prod((*one[0], *one[1])) <= MOST_THREADS)
    values = itertools.cycle([["ordinary"], list(rule.values)] if rule.values else [None])
    for draws in covering[:1]:
        for grid, block, sizes in itertools.islice(small, SMALL_LAUNCHES):
            row = {"grid": grid, "block": block, **sizes, "values": next(values)}
            made = replace(draws, rows=(row,))(np.random.default_rng(SEED))
            unset = {
                name: np.zeros(one.value.shape, one.dtype) for name, one in made.outputs.items()
            }
            problem = Problem({**unset, **made.inputs}, {}, made.launches)
            case = Case("small", lambda rng, problem=problem: problem, 0.0)
            yield f"{rule.kernel} with {row}", CaseInstance(case, problem)


def _left(source: str, one: CaseInstance, steps: int) -> Ran | str:
    """What a launch leaves, or what stops it."""
    try:
        return run_case(source, described(one, steps))
    except (CudaError, MemoryError) as error:
        return type(error).__name__


def _counted(counter: str, source: str, one: CaseInstance) -> int | None:
    """A counter of a launch; None where the launch is stopped."""
    ran = _left(source, one, 8 * MOST_STEPS)
    return ran.counters[counter] if isinstance(ran, Ran) else None


def _equal(ours: np.ndarray, mine: np.ndarray) -> bool:
    """Whether they are the same but for what another order of the same sums rounds."""
    if ours.dtype.kind != "f":
        return bool(np.array_equal(ours, mine))
    eps = float(np.finfo(ours.dtype).eps)
    return bool(np.allclose(ours, mine, rtol=32 * eps, atol=NOTHING, equal_nan=True))
