"""Exercises drawn anew: their arrays lie in memory in another way.

A variant is made mechanically of what authors have written already. Inputs and expected outputs are
stored in other layouts (`layouts`), and every access to them in the solution and in given lines is
written so. So references, rules, promises and budgets stay the author's own. In a kernel to write,
the given lines that reach for such an array become the learner's. A bug to find may also be another
named mistake.

`python -m tools.variants` looks for variants, and keeps those in the lesson's variants.json that
the judge has tried: names of layouts, how many times the costs are, and which lines of the solution
change. In a course as learners may have it, they are changes of what is handed out.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property
from math import ceil
from pathlib import Path

import msgspec
import numpy as np

from ..course_folder import KERNELS
from ..errors import NotInCourse, unless
from . import kinds, layouts, rules, solution_counts
from .layouts import Layout, Refused, stored
from .model import Case, Exercise, Launch, Lesson, Problem, Rule

FILE = "variants"  # .json, in a lesson's folder

# Of a text's lines: the first, from 0, how many, and what stands there instead.
Change = tuple[int, int, str]


@dataclass(frozen=True)
class ArrayUse:
    """An array of the kernels. `lengths`, by "kernel.parameter": its elements in terms that the
    kernel knows, "" if there are none. An element has `unit` numbers."""

    lengths: Mapping[str, str]
    unit: int = 1


@dataclass(frozen=True)
class Anew:
    """How an exercise is drawn anew: by array the name of its layout, and what is known of it; the
    `parameters` of each kernel; changes of the solution (see `changed`); what its kind hands out as
    `given` lines, perhaps with another `bug`, or as `distractors`; by case, the lines that its
    hazard is `between`; by counter, how many times what the exercise's own solution costs."""

    layouts: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, ArrayUse] = field(default_factory=dict)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    given: str = ""
    bug: bool = False
    distractors: tuple[str, ...] = ()
    between: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        said = [f"{array}: {layout}" for array, layout in self.layouts.items()]
        return ", ".join([*said, *(["another bug"] if self.bug else [])])


# ---- the arrays of an exercise ----


@dataclass(frozen=True)
class Use:
    """A launch that passes a buffer to a kernel."""

    problem: Problem
    launch: Launch
    parameters: tuple[str, ...]  # the kernel's
    buffer: str

    @property
    def numbers(self) -> dict[str, int]:
        """The whole numbers that the kernel knows."""
        return rules.launch_names(self.launch.grid, self.launch.block) | {
            name: int(arg)
            for name, arg in zip(self.parameters, self.launch.args, strict=False)
            if isinstance(arg, np.integer)
        }

    @property
    def held(self) -> np.ndarray | None:
        """The array that is given, or looked at."""
        output = self.problem.outputs.get(self.buffer)
        return self.problem.inputs.get(self.buffer, output.value if output else None)

    @property
    def shape(self) -> tuple[int, ...]:
        return self.problem.scratch[self.buffer][0] if self.held is None else self.held.shape


# ---- an exercise in other layouts ----


@dataclass(frozen=True)
class LayoutPlan:
    """The layouts that arrays get."""

    anew: Anew

    @cached_property
    def places(self) -> dict[tuple[str, str], tuple[ArrayUse, Layout, str]]:
        """By kernel and parameter, the array, its layout, and its length there."""
        anew = self.anew
        return {
            (kernel, parameter): (anew.arrays[array], layouts.named(name), length)
            for array, name in anew.layouts.items()
            for at, length in anew.arrays[array].lengths.items()
            for kernel, parameter in [at.split(".")]
        }

    def problem(self, problem: Problem, rng: np.random.Generator) -> Problem:
        """A problem in the layouts; Refused where an array is of another length than it should."""
        inputs, outputs = dict(problem.inputs), dict(problem.outputs)
        for use, array, layout, length in self._uses(problem):
            numbers, unit = use.numbers, array.unit
            unless(
                not length or rules.value(length, numbers) * unit == np.prod(use.shape),
                Refused(f"{use.buffer} has not {length} elements"),
            )
            columns = rules.value(length.rpartition(" * ")[2] or "0", numbers)
            if one := problem.outputs.get(use.buffer):
                value, atol = (
                    stored(part, layout, columns, unit, rng)
                    for part in (one.value, np.broadcast_to(one.atol, one.value.shape))
                )
                outputs[use.buffer] = replace(one, value=value, atol=atol)
            elif use.held is not None:
                inputs[use.buffer] = stored(use.held, layout, columns, unit, rng)
        return replace(problem, inputs=inputs, outputs=outputs)

    def _uses(self, problem: Problem) -> Iterator[tuple[Use, ArrayUse, Layout, str]]:
        for launch in problem.launches:
            parameters = self.anew.parameters.get(launch.kernel, ())
            for name, arg in zip(parameters, launch.args, strict=False):
                if (launch.kernel, name) in self.places:
                    yield (
                        Use(problem, launch, parameters, str(arg)),
                        *self.places[launch.kernel, name],
                    )

    def rule(self, rule: Rule) -> Rule:
        """The rule, with the lengths that arrays have in the layouts."""

        def sized(text: str) -> str:
            found = re.fullmatch(r"(.* )(\w+)\[([^]]+)\](.*)", text)
            _, layout, _ = self.places.get((rule.kernel, found[2] if found else ""), (0, 0, 0))
            if not found or not isinstance(layout, Layout):
                return text
            rows, _, columns = found[3].rpartition(" * ")
            names = {"L": f"({found[3]})", "R": f"({rows})", "C": f"({columns})"}
            size = re.sub(r"\b[LRC]\b", lambda one: names[one[0]], layout.size)
            return f"{found[1]}{found[2]}[{found[3] if layout.fills else size}]{found[4]}"

        return replace(rule, parameters=tuple(map(sized, rule.parameters)))


@dataclass(frozen=True)
class _Drawn:
    """Draws the problem of a case in the layouts of a plan."""

    draw: Callable[[np.random.Generator], Problem]
    plan: LayoutPlan

    @property
    def __wrapped__(self) -> object:
        """By which a case of chosen launches is known."""
        return getattr(self.draw, "__wrapped__", self.draw)

    def __call__(self, rng: np.random.Generator) -> Problem:
        return self.plan.problem(self.draw(rng), rng)


def changes(text: str, wanted: str) -> tuple[Change, ...]:
    """What to change of a text to get the `wanted` one."""
    old, new = text.splitlines(keepends=True), wanted.splitlines(keepends=True)
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return tuple((a, b - a, "".join(new[c:d])) for tag, a, b, c, d in steps if tag != "equal")


def changed(text: str, changes: tuple[Change, ...]) -> str:
    """The text with these changes."""
    lines = text.splitlines(keepends=True)
    for first, count, new in reversed(changes):
        lines[first : first + count] = [new]
    return "".join(lines)


def recoded(exercise: Exercise, anew: Anew, number: int = 0) -> Exercise:
    """The exercise drawn anew, called after its number."""
    plan, kind = LayoutPlan(anew), exercise.kind
    name = f"{exercise.name}_{number + 1}"
    reached = re.compile("|".join(rf"\b{name}\s*\[" for _, name in plan.places) or "(?!)")
    if isinstance(kind, kinds.Order):
        kind = replace(kind, distractors=anew.distractors)
    elif isinstance(kind, kinds.Given):
        kind = replace(kind, given=anew.given)
    return replace(
        exercise,
        name=name,
        id=f"{exercise.id.partition('/')[0]}/{name}",
        solution=changed(exercise.solution, anew.changes),
        kind=kind,
        hints=tuple(one for one in exercise.hints if not (anew.bug or reached.search(one))),
        hints_on={} if anew.bug else exercise.hints_on,
        rules=tuple(map(plan.rule, exercise.rules)),
        cases=tuple(_case(case, plan) for case in exercise.cases),
    )


def read(exercise: Exercise, text: str) -> Exercise:
    """The exercise as the variant that is JSON in `text` has it."""
    return recoded(exercise, msgspec.json.decode(text, type=Anew))


def _case(case: Case, plan: LayoutPlan) -> Case:
    anew, hazard = plan.anew, case.hazard

    def times(counter: str, count: int) -> int:
        return ceil(count * anew.costs.get(counter, 1.0))

    return replace(
        case,
        problem=_Drawn(case.problem, plan),
        budgets=tuple(replace(one, at_most=times(one.counter, one.number)) for one in case.budgets),
        ours={name: times(name, count) for name, count in case.ours.items()},
        hazard=hazard and replace(hazard, between=anew.between.get(case.name, hazard.between)),
    )


# ---- the variants that are kept ----


def kept(lesson: Path) -> dict[str, tuple[Anew, ...]]:
    """The variants in a lesson's folder, by exercise."""
    rows = solution_counts.kept(lesson, what=FILE)
    return msgspec.convert(rows, dict[str, tuple[Anew, ...]])


def variants(exercise: Exercise, root: Path = KERNELS) -> tuple[Anew, ...]:
    """The variants of an exercise."""
    return kept(root / exercise.id.partition("/")[0]).get(exercise.name, ())


def vary(exercise: Exercise, seed: int, root: Path = KERNELS) -> Exercise:
    """The exercise drawn anew, with as many points; NotInCourse where it has no variants."""
    known = unless(
        variants(exercise, root), NotInCourse(f"There are no variants of {exercise.id}.")
    )
    number = seed % len(known)
    return recoded(exercise, known[number], number)


def published(lesson: Lesson) -> bytes:
    """variants.json as learners may have it, with changes of what is handed out."""
    rows = kept(lesson.path)
    for one in lesson.exercises:
        given = lesson.handed_out(one)
        rows[one.name] = tuple(
            replace(anew, changes=changes(given, lesson.handed_out(recoded(one, anew, number))))
            for number, anew in enumerate(rows.get(one.name, ()))
        )
    return msgspec.json.encode(rows)


def asked(exercise: Exercise) -> str | Exercise:
    """An exercise's name, for the judge, who reads the lesson as it is now; itself if it is drawn
    anew."""
    is_drawn = exercise.cases and isinstance(exercise.cases[0].problem, _Drawn)
    return exercise if is_drawn else exercise.id
