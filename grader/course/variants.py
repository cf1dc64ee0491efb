"""Exercises drawn anew: with another operation, and with arrays that lie in memory in another way.

Most of a variant is made mechanically of what authors have written already. Inputs and expected
outputs are stored in other layouts, and every access to them in the solution and in given lines is
written so. A layout is told once, by an expression that is read as C++ in kernels and by NumPy for
arrays. So references, rules, promises and budgets stay the author's own. In a kernel to write, the
given lines that reach for such an array become the learner's. A bug to find may also be another
named mistake. An author may add operations: a maximum in place of a sum, whole numbers in place of
floats.

`python -m tools.variants` looks for variants, and keeps those in the lesson's variants.json that
the judge has tried: the operation, names of layouts, how many times the costs are, and which lines
of the solution change. In a course as learners may have it, they are changes of what is handed out.
"""

import getpass
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from functools import cached_property, partial
from hashlib import sha256
from math import ceil
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import numpy as np

from ..course_folder import KERNELS
from ..errors import NotInCourse, unless
from . import kinds, rules, solution_counts
from .model import Case, Exercise, Launch, Lesson, Problem, Rule

FILE = "variants"  # .json, in a lesson's folder

# For `operation`: what is called otherwise where numbers have the other sign, and the smallest is
# sought in place of the largest.
MIRRORED = {
    **{"-inf": "inf", "minus infinity": "infinity", "-1e20": "1e20", "-1e30": "1e30"},
    **{"about -": "about ", "about ": "about -", "below": "above", "above": "below"},
    **{"negative": "positive", "lowest": "largest", "largest": "smallest"},
    **{"maximum": "minimum", "maxima": "minima"},
}

# Of a text's lines: the first, from 0, how many, and what stands there instead.
Change = tuple[int, int, str]


class Refused(ValueError):
    """An exercise cannot be drawn anew in this way; the sentence says why."""


# ---- layouts: ways for an array to lie in memory ----


@dataclass(frozen=True)
class Layout:
    """Where element `i` of an array lies: `place`, over i, its row r and column c, the array's
    length L, its rows R and columns C, and W, the elements that the kernel moves at once. `size`:
    how many elements it takes in all. With a `sign` the element is two others, the one at `place`
    and the one at `second`, added or subtracted."""

    place: str
    size: str = "L"
    second: str = ""
    sign: str = ""

    @property
    def fills(self) -> bool:
        """True if no place is left over, as outputs need it."""
        return self.size == "L"


_OF_ROWS = {
    "rows reversed": Layout("(R - 1 - r) * C + c"),
    "rows rotated": Layout("(r + 1) % R * C + c"),
    "even rows first": Layout("(r % 2 * ((R + 1) // 2) + r // 2) * C + c"),
    "odd rows first": Layout("((r + 1) % 2 * (R // 2) + r // 2) * C + c"),
    "padded rows": Layout("r * (C + 1W) + c", "R * (C + 1W)"),
    "every second row": Layout("(2 * r + 1) * C + c", "2 * R * C"),
    "neighbouring rows exchanged": Layout("(r ^ 1) * C + c", "(R + R % 2) * C"),
    "behind a row": Layout("(r + 1) * C + c", "(R + 1) * C"),
    "padded rows reversed": Layout("(R - 1 - r) * (C + 1W) + c", "R * (C + 1W)"),
}
SINGLE = {  # elements are moved one by one
    "behind a header": Layout("i + 3", "L + 3"),
    "every second": Layout("2 * i", "2 * L"),
    "every second, the odd ones": Layout("2 * i + 1", "2 * L"),
    "every third": Layout("3 * i + 1", "3 * L"),
    "reversed": Layout("L - 1 - i"),
    "reversed behind a header": Layout("L + 2 - i", "L + 3"),
    "reversed, every second": Layout("2 * (L - 1 - i)", "2 * L"),
    "neighbours exchanged": Layout("i ^ 1", "L + L % 2"),
    "warps reversed": Layout("i ^ 31", "(L + 31) // 32 * 32"),
    "warps apart": Layout("i + i // 32", "L + (L + 31) // 32"),
    "pairs apart": Layout("i + i // 2", "L + (L + 1) // 2"),
    "rotated": Layout("(i + 5) % L"),
    "halves exchanged": Layout("(i + L // 2) % L"),
    "even ones first": Layout("i % 2 * ((L + 1) // 2) + i // 2"),
    "odd ones first": Layout("(i + 1) % 2 * (L // 2) + i // 2"),
    "sums of neighbours": Layout("2 * i", "2 * L", "2 * i + 1", "+"),
    "differences of neighbours": Layout("2 * i", "2 * L", "2 * i + 1", "-"),
    "sums of two arrays": Layout("i", "2 * L", "L + i", "+"),
    "differences of two arrays": Layout("i", "2 * L", "L + i", "-"),
    "columns first": Layout("c * R + r"),
    "each row reversed": Layout("r * C + C - 1 - c"),
    **_OF_ROWS,
}
GROUPS = {  # W of them are moved at once
    "behind a header": Layout("i + 2W", "L + 2W"),
    "every second group": Layout("i // 1W * 2W + i % 1W", "(L + 1W - 1) // 1W * 2W"),
    "every second group, the odd ones": Layout(
        "i // 1W * 2W + 1W + i % 1W", "(L + 1W - 1) // 1W * 2W"
    ),
    "every third group": Layout("i // 1W * 3W + 1W + i % 1W", "(L + 1W - 1) // 1W * 3W"),
    "neighbouring groups exchanged": Layout("i ^ 1W", "(L + 2W - 1) // 2W * 2W"),
    "groups reversed": Layout("L - 1W - i // 1W * 1W + i % 1W"),
    "groups rotated": Layout("(i + 1W) % L"),
    **_OF_ROWS,
}


def named(name: str) -> Layout:
    """The layout of that name."""
    found = re.fullmatch(r"(.*), (\d+) at once", name)
    one, width = (GROUPS[found[1]], int(found[2])) if found else (SINGLE[name], 1)

    def told(text: str) -> str:
        return re.sub(r"(\d+)W", lambda times: f"{int(times[1]) * width}", text)

    return replace(one, place=told(one.place), size=told(one.size))


def places(
    layout: Layout, length: int, columns: int, second: bool = False
) -> tuple[np.ndarray, int]:
    """Where all elements of an array lie, int[length]; and how many places there are."""
    i, across = np.arange(length), max(1, columns)
    names: dict[str, Any] = {
        "L": length,
        "R": length // across,
        "C": columns,
        "i": i,
        "r": i // across,
        "c": i % across,
    }
    found = eval(layout.second if second else layout.place, {"__builtins__": {}}, names)
    whole = eval(layout.size, {"__builtins__": {}}, names)
    unless(
        not length
        or (found.min() >= 0 and found.max() < whole and len(np.unique(found)) == length),
        Refused("two elements would have one place"),
    )
    return found, whole


def stored(
    array: np.ndarray, layout: Layout, columns: int, unit: int, rng: np.random.Generator
) -> np.ndarray:
    """An array, of elements of `unit` numbers, in a layout; flat. The numbers at other places look
    like it, and are none of it."""
    flat = array.reshape(-1, unit)
    at, whole = places(layout, len(flat), columns)
    made = rng.choice(flat, whole) if len(flat) else flat.copy()
    made = (1 - made).astype(array.dtype) if array.dtype.kind == "f" else made
    made[at] = flat
    if layout.sign:  # 2x and -x, or 2x less x; of what has no double itself and 0, of 0 two ones
        with np.errstate(over="ignore", invalid="ignore"):
            twice, sign = flat + flat, 1 if layout.sign == "-" else -1
            apart = np.isfinite(twice) & (flat != 0)
            made[at] = np.where(apart, twice, np.where(flat == 0, sign, flat))
            made[places(layout, len(flat), columns, second=True)[0]] = np.where(
                apart, sign * flat, (flat == 0).astype(array.dtype)
            )
    return made.ravel()


# ---- what is drawn ----


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
    hazard is `between`; by counter, how many times what the exercise's own solution costs; the name
    of another `operation`, if it has one; other `names` of arrays, by the exercise's own."""

    layouts: Mapping[str, str] = field(default_factory=dict)
    arrays: Mapping[str, ArrayUse] = field(default_factory=dict)
    parameters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    given: str = ""
    bug: bool = False
    distractors: tuple[str, ...] = ()
    between: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    costs: Mapping[str, float] = field(default_factory=dict)
    operation: str = ""
    names: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        said = [f"{array}: {layout}" for array, layout in self.layouts.items()]
        return ", ".join(filter(None, (self.operation, *said, "another bug" * self.bug)))


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
            (kernel, anew.names.get(own, own)): (anew.arrays[array], named(name), length)
            for array, name in anew.layouts.items()
            for at, length in anew.arrays[array].lengths.items()
            for kernel, own in [at.split(".")]
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
            yield from (
                (Use(problem, launch, parameters, str(arg)), *self.places[launch.kernel, name])
                for name, arg in zip(parameters, launch.args, strict=False)
                if (launch.kernel, name) in self.places
            )

    def rule(self, rule: Rule) -> Rule:
        """The rule, with the names of arrays, and the lengths that they have in the layouts."""

        def sized(text: str) -> str:
            text = renamed(text, self.anew.names)
            found = re.fullmatch(r"(.* )(\w+)\[([^]]+)\](.*)", text)
            _, layout, length = self.places.get(
                (rule.kernel, found[2] if found else ""), (0, 0, "")
            )
            if not found or not isinstance(layout, Layout):
                return text
            rows, _, columns = (length or found[3]).rpartition(" * ")
            names = {"L": f"({found[3]})", "R": f"({rows})", "C": f"({columns})"}
            size = re.sub(r"\b[LRC]\b", lambda one: names[one[0]], layout.size)
            return f"{found[1]}{found[2]}[{found[3] if layout.fills else size}]{found[4]}"

        return replace(
            rule,
            parameters=tuple(map(sized, rule.parameters)),
            contents=renamed(rule.contents, self.anew.names),
        )


@dataclass(frozen=True)
class _Drawn:
    """Draws the problem of a case, and makes another one of it."""

    draw: Callable[[np.random.Generator], Problem]
    other: Callable[[Problem, np.random.Generator], Problem]

    @property
    def __wrapped__(self) -> object:
        """By which a case of chosen launches is known."""
        return getattr(self.draw, "__wrapped__", self.draw)

    def __call__(self, rng: np.random.Generator) -> Problem:
        return self.other(self.draw(rng), rng)


def operation(
    problem: Callable[[Problem], Problem],
    rule: Callable[[Rule], Rule] = replace,
    words: Mapping[str, str] = MappingProxyType({}),
) -> Callable[[Exercise], Exercise]:
    """Another operation, for `Exercise.operations`: of each `problem` that a case draws it makes
    the one to solve instead, and likewise of each `rule`. Points, budgets and what is required
    stay. Hints are left out, as they speak of the exercise's own operation. `words`, each with what
    stands in its place, are those of the cases that would be untrue.

    A file operations.toml in the lesson's folder, which learners do not get, says how the solution
    changes (see docs/authoring.md)."""

    def other(exercise: Exercise) -> Exercise:
        changed = replace(
            exercise,
            hints=(),
            hints_on={},
            cases=tuple(
                replace(case, problem=_Drawn(case.problem, lambda made, _: problem(made)))
                for case in exercise.cases
            ),
            rules=tuple(map(rule, exercise.rules)),
        )
        untrue = "|".join(map(re.escape, words)) or "(?!)"
        return _reworded(changed, partial(re.sub, untrue, lambda found: words[found[0]]))

    return other


def of_ints(rule: Rule) -> Rule:
    """The rule with ints in place of floats, for `operation`."""
    return replace(
        rule,
        parameters=tuple(one.replace("float ", "int ") for one in rule.parameters),
        values=(),
    )


def below_zero(x: np.ndarray) -> np.ndarray:
    """Where no element is 0, numbers below 0, so that a maximum that begins with 0 shows."""
    return x if (x == 0).any() else -np.abs(x)


def signed(x: np.ndarray) -> np.ndarray:
    """Every third number with the other sign."""
    return np.where(np.arange(x.size).reshape(x.shape) % 3 == 1, -x, x).astype(x.dtype)


def whole(x: np.ndarray) -> np.ndarray:
    """Whole numbers of both signs, which nothing rounds."""
    finite = np.nan_to_num(4 * x.astype(np.float64), nan=3, posinf=5, neginf=-7)
    return signed((finite.astype(np.int64) % 10_007).astype(np.int32))


def changes(text: str, wanted: str) -> tuple[Change, ...]:
    """What to change of a text to get the `wanted` one."""
    old, new = text.splitlines(keepends=True), wanted.splitlines(keepends=True)
    return tuple(
        (a, b - a, "".join(new[c:d]))
        for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    )


def changed(text: str, changes: tuple[Change, ...]) -> str:
    """The text with these changes."""
    lines = text.splitlines(keepends=True)
    for first, count, new in reversed(changes):
        lines[first : first + count] = [new]
    return "".join(lines)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """A sentence with other names of arrays: of `x[i]` and "x is read", not of "exp(x - m)"."""

    def pattern(name: str) -> str:
        alone = rf"|(?<![-+*/^=<>\d] )(?<![\w.({{]){name}(?!'|\w| ?[-+*/^=<>]| \d)"
        return rf"(?<![.\w]){name}(?=\[|  )" + alone * (len(name) == 1)

    return re.sub("|".join(map(pattern, names)) or "(?!)", lambda one: names[one[0]], text)


def _reworded(exercise: Exercise, told: Callable[[str], str]) -> Exercise:
    """The exercise with each of its sentences as it is `told`."""
    return replace(
        exercise,
        hints=tuple(map(told, exercise.hints)),
        hints_on={on: told(one) for on, one in exercise.hints_on.items()},
        steps=tuple(
            replace(one, write=told(one.write), cases=tuple(map(told, one.cases)))
            for one in exercise.steps
        ),
        cases=tuple(
            replace(
                case,
                name=told(case.name),
                own_name=case.own_name or case.name,
                budgets=tuple(replace(one, why=told(one.why)) for one in case.budgets),
                requires=tuple(replace(one, why=told(one.why)) for one in case.requires),
            )
            for case in exercise.cases
        ),
    )


def recoded(exercise: Exercise, anew: Anew, number: int = 0) -> Exercise:
    """The exercise drawn anew, called after its number."""
    if anew.operation:
        exercise = exercise.operations[anew.operation](exercise)
    exercise = _reworded(exercise, partial(renamed, names=anew.names))
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
        title=f"{exercise.title}, drawn anew",
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


def own(exercise: Exercise, drawn: Mapping[str, str]) -> Exercise:
    """The exercise as a learner has it who got these variants, by exercise and as JSON; under its
    own name."""
    return replace(
        read(exercise, drawn[exercise.name]) if exercise.name in drawn else exercise,
        name=exercise.name,
        id=exercise.id,
    )


def owned(lesson: Lesson, drawn: Mapping[str, str]) -> Lesson:
    """The lesson as that learner has it; without contests, as variants cost different amounts."""
    return replace(
        lesson, exercises=tuple(own(one, drawn) for one in lesson.exercises), contests=()
    )


def mine(lesson: Lesson, key: str) -> Lesson:
    """The lesson as who is logged in has it, by the name that nbgrader's exchange uses."""
    login = getpass.getuser()
    login = os.environ.get("JUPYTERHUB_USER", login) if login == "jovyan" else login
    return owned(lesson, drawn(lesson.path, key, login))


def _case(case: Case, plan: LayoutPlan) -> Case:
    anew, hazard = plan.anew, case.hazard

    def times(counter: str, count: int) -> int:
        return ceil(count * anew.costs.get(counter, 1.0))

    return replace(
        case,
        problem=_Drawn(case.problem, plan.problem),
        budgets=tuple(
            replace(
                one,
                at_most=most,
                # What an author says of a budget has the figures of the exercise itself.
                why=one.why
                if is_same
                else "It is enough for work like ours, with arrays that lie in memory as they do "
                "here",
            )
            for one in case.budgets
            for most in [times(one.counter, one.number)]
            for is_same in [one.relative or most == one.number]
        ),
        ours={name: times(name, count) for name, count in case.ours.items()},
        hazard=hazard
        and replace(hazard, between=anew.between.get(case.own_name or case.name, hazard.between)),
    )


# ---- the variants that are kept ----


def kept(lesson: Path) -> dict[str, tuple[Anew, ...]]:
    """The variants in a lesson's folder, by exercise."""
    return msgspec.convert(solution_counts.kept(lesson, what=FILE), dict[str, tuple[Anew, ...]])


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


def drawn(lesson: Path, key: str, learner: str) -> dict[str, str]:
    """A learner's variants of the exercises in a lesson's folder, by exercise and as JSON. The
    class's `key` and the learner's name decide which."""
    return {
        name: msgspec.json.encode(some[int(number, 16) % len(some)]).decode()
        for name, some in kept(lesson).items()
        for number in [sha256(f"{key}\n{name}\n{learner}".encode()).hexdigest()]
    }


def published(lesson: Lesson) -> bytes:
    """variants.json as learners may have it, with changes of what is handed out."""
    return msgspec.json.encode(
        {
            name: tuple(
                replace(anew, changes=changes(given, lesson.handed_out(recoded(one, anew, number))))
                for number, anew in enumerate(some)
            )
            for name, some in kept(lesson.path).items()
            for one in [lesson.exercise(name)]
            for given in [lesson.handed_out(one)]
        }
    )


def asked(exercise: Exercise) -> str | Exercise:
    """An exercise's name, for the judge, who reads the lesson as it is now; itself if it is drawn
    anew."""
    return (
        exercise
        if exercise.cases and isinstance(exercise.cases[0].problem, _Drawn)
        else exercise.id
    )
