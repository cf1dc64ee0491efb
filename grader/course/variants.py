"""Exercises drawn anew: their arrays lie in memory in another way.

A variant is made mechanically of what authors have written already. Inputs and expected outputs are
stored in other layouts (`layouts`), and every access to them in the solution, in given lines and in
named mistakes is written so (`accesses`). So references, rules, promises and budgets stay the
author's own. In a kernel to write, the given lines that reach for such an array become the
learner's. A bug to find may also be another named mistake.

`python -m tools.variants` looks for variants, and keeps those in the lesson's variants.json that
the judge has tried: names of layouts, how many times the costs are, and no solution. So `vary`
works in a course as learners may have it, too.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil
from pathlib import Path

import msgspec
import numpy as np

from ..course_folder import KERNELS
from ..errors import NotInCourse
from . import kinds, layouts, mistakes, rules, solution_counts
from .accesses import KernelText, Refused, kernels, masked, rewritten
from .layouts import Layout, stored
from .model import Case, Exercise, Launch, Problem, Rule

FILE = "variants"  # .json, in a lesson's folder


@dataclass(frozen=True)
class ArrayUse:
    """An array of the kernels. `lengths`, by "kernel.parameter": its elements in terms that the
    kernel knows, "" if there are none. An element has `unit` numbers."""

    lengths: Mapping[str, str]
    unit: int = 1


@dataclass(frozen=True)
class Anew:
    """How an exercise is drawn anew: by array the name of its layout, and what is known of it;
    other lines that are `given`, with another bug to find; by counter, how many times what the
    exercise's own solution costs."""

    layouts: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, ArrayUse] = field(default_factory=dict)
    given: str = ""
    costs: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        said = [f"{array}: {layout}" for array, layout in self.layouts.items()]
        return ", ".join([*said, *(["another bug"] if self.given else [])])


# ---- the arrays of an exercise ----


@dataclass(frozen=True)
class Use:
    """A launch that passes a buffer to a kernel."""

    problem: Problem
    launch: Launch
    kernel: KernelText
    buffer: str

    @property
    def numbers(self) -> dict[str, int]:
        """The whole numbers that the kernel knows."""
        pairs = zip(self.kernel.parameters, self.launch.args, strict=False)
        own = {name: int(arg) for name, arg in pairs if isinstance(arg, np.integer)}
        return rules.launch_names(self.launch.grid, self.launch.block) | own

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
    """The layouts that the arrays of an `exercise` get."""

    exercise: Exercise
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

    def source(self, text: str) -> str:
        """A source with this exercise's kernels, in the layouts."""
        writers = {
            at: layouts.writer(at[1], length, layout)
            for at, (_, layout, length) in self.places.items()
        }
        return rewritten(text, writers)

    def lines(self, text: str) -> str:
        """Lines that can stand in the answer's place, in the layouts."""
        mark, given = "//@@\n", self.exercise.solution
        if kinds.is_solution(given):
            whole = mistakes.in_answer(given, lambda old: f"{old}{mark}{text}\n{mark}")
        else:  # as learners have it
            at = given.find(kinds.YOURS) if kinds.YOURS in given else kernels(given)[-1].end
            whole = f"{given[:at]}{mark}{text}\n{mark}{given[at:]}"
        return self.source(whole).partition(mark)[2].partition(mark)[0][:-1]

    @property
    def heading(self) -> str:
        """The task's own sentences, as the first lines of its comment."""
        told = ["Drawn anew. Here arrays lie in memory in another way than the text below says:"]
        for (_, name), (_, layout, length) in self.places.items():
            write = layouts.writer(name, length, layout)
            at, element = "i", "element i"
            if {"r", "c"} & layout.needs:
                columns = length.rpartition(" * ")[2].replace("//", "/")
                at, element = f"row * {columns} + column", "element (row, column)"
            more = "" if layout.fills or layout.sign else "; other places hold other data"
            told.append(f"  {element} of {name} is {write(at)}{more}")
        return "".join(f"// {one}\n" for one in dict.fromkeys(told)) + "//\n"

    def problem(self, problem: Problem, rng: np.random.Generator) -> Problem:
        """A problem in the layouts; Refused where an array is of another length than it should."""
        inputs, outputs = dict(problem.inputs), dict(problem.outputs)
        for use, array, layout, length in self._uses(problem):
            numbers, unit = use.numbers, array.unit
            if length and rules.value(length, numbers) * unit != np.prod(use.shape):
                raise Refused(f"{use.buffer} has not {length} elements")
            columns = rules.value(length.rpartition(" * ")[2] or "0", numbers)
            if one := problem.outputs.get(use.buffer):
                parts = one.value, np.broadcast_to(one.atol, one.value.shape)
                value, atol = (stored(part, layout, columns, unit, rng) for part in parts)
                outputs[use.buffer] = replace(one, value=value, atol=atol)
            elif use.held is not None:
                inputs[use.buffer] = stored(use.held, layout, columns, unit, rng)
        return replace(problem, inputs=inputs, outputs=outputs)

    def _uses(self, problem: Problem) -> Iterator[tuple[Use, ArrayUse, Layout, str]]:
        known = {one.name: one for one in kernels(self.exercise.solution)}
        for launch in problem.launches:
            kernel = known[launch.kernel]
            for name, arg in zip(kernel.parameters, launch.args, strict=False):
                if (kernel.name, name) in self.places:
                    use = Use(problem, launch, kernel, str(arg))
                    yield use, *self.places[kernel.name, name]

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


def recoded(exercise: Exercise, anew: Anew, number: int = 0) -> Exercise:
    """The exercise drawn anew, called after its number; Refused where that cannot be."""
    plan = LayoutPlan(exercise, anew)
    name, kind = f"{exercise.name}_{number + 1}", exercise.kind
    reached = re.compile("|".join(rf"\b{name}\s*\[" for _, name in plan.places) or "(?!)")
    source = plan.source(exercise.solution)
    if isinstance(kind, kinds.Write):
        source = _with_places(source, reached)
    elif isinstance(kind, kinds.Order):
        kind = replace(kind, distractors=tuple(map(plan.lines, kind.distractors)))
        for line in kind.lines(source):  # as learners have it
            source = source.replace(f"//   {line}\n", f"//   {plan.lines(line)}\n")
    elif isinstance(kind, kinds.Given):
        given = kind.given, anew.given or kind.given
        before, now = (plan.lines(one.strip("\n")) for one in given)
        kind = replace(kind, given=now and f"{now}\n")
        source = source if exercise.solved or not before else source.replace(before, now)
    return replace(
        exercise,
        name=name,
        id=f"{exercise.id.partition('/')[0]}/{name}",
        solution=(plan.heading if plan.places else "") + source,
        kind=kind,
        hints=tuple(one for one in exercise.hints if not (anew.given or reached.search(one))),
        hints_on={} if anew.given else exercise.hints_on,
        rules=tuple(map(plan.rule, exercise.rules)),
        cases=tuple(_case(case, plan) for case in exercise.cases),
    )


def _case(case: Case, plan: LayoutPlan) -> Case:
    def times(counter: str, count: int) -> int:
        return ceil(count * plan.anew.costs.get(counter, 1.0))

    hazard = case.hazard
    return replace(
        case,
        problem=_Drawn(case.problem, plan),
        budgets=tuple(replace(one, at_most=times(one.counter, one.number)) for one in case.budgets),
        ours={name: times(name, count) for name, count in case.ours.items()},
        hazard=hazard and replace(hazard, between=tuple(map(plan.lines, hazard.between))),
    )


_NEXT_DOOR = re.compile(
    r"[ \t]*// END SOLUTION\n[ \t]*// BEGIN SOLUTION\n"
    rf"|(?<={kinds.YOURS}\n)(?:[ \t]*{kinds.YOURS}\n)+"
)


def _with_places(source: str, reached: re.Pattern[str]) -> str:
    """The source, each given line that reaches for an array, if it is one statement, a place of its
    own for the learner."""
    lines, code = source.splitlines(keepends=True), masked(source).splitlines()
    is_solved, given, out = kinds.is_solution(source), True, ""
    for at, line in enumerate(lines):
        given = (given or "END SOLUTION" in line) and "BEGIN SOLUTION" not in line
        begins = code[at - 1].rstrip().endswith((";", "{", "}")) or not code[at - 1].strip()
        ends = code[at].rstrip().endswith(";") and code[at].count("(") == code[at].count(")")
        indent = line[: len(line) - len(line.lstrip())]
        if not (given and begins and ends and reached.search(code[at])):
            out += line
        elif is_solved:
            out += f"{indent}// BEGIN SOLUTION\n{line}{indent}// END SOLUTION\n"
        else:
            out += f"{indent}{kinds.YOURS}\n"
    return _NEXT_DOOR.sub("", out)


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
    known = variants(exercise, root)
    if not known:
        raise NotInCourse(f"There are no variants of {exercise.id}.")
    number = seed % len(known)
    return recoded(exercise, known[number], number)


def asked(exercise: Exercise) -> str | Exercise:
    """An exercise's name, for the judge, who reads the lesson as it is now; itself if it is drawn
    anew."""
    return exercise if isinstance(exercise.cases[0].problem, _Drawn) else exercise.id
