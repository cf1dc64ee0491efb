"""Look for variants of exercises, or try those again that are kept (see `grader.course.variants`).

    python -m tools.variants LESSON[/EXERCISE] [--wanted N] [--more] [--texts] [--check] [--every N]

A variant is kept if its own solution passes every case, also that of sizes no case tries, with the
exercise's budgets in proportion to what its solution costs; if each named mistake, made in it as
in the exercise, fails a case; and if its indices are neither the exercise's own nor those of
another: the indices in what the learner writes or is given, one number for another. Of a "write it"
20 are looked for, of others 6. Those found are written into the lesson's variants.json, and all
that were refused are listed with the reason. With --more those that are kept stay, untried.

With --texts those that are kept get the texts that they would have now, for example after you
have changed a comment. With --check they are tried again, or one of each N with the exercise's own
number; the exit status is 1 if one is refused now.

A lesson's operations.toml says how the text changes for each entry of `Exercise.operations`:

    [EXERCISE.OPERATION]
    says = "partial[b] is the maximum of block b's part of x, and no sum"
    edits = [['regular expression', 'text in its place'], ...]
    right = ["double_count"]     # named mistakes that are right answers here

The edits are made one after the other, with all that is found, in the solution, in given lines and
in the named mistakes. `[passed_on]` says which arrays a kernel passes on to functions, in parts of
how many elements, each beginning at a multiple of that: `bulk_ring = { x = 1024 }`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
import sys
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import combinations, permutations, product
from typing import Any

import msgspec
import numpy as np

from grader import course
from grader.course import (
    Exercise,
    Lesson,
    kinds,
    mistakes,
    rules,
    solution_counts,
    variants as varied,
)
from grader.course.mistakes import WrongKernel
from grader.course.variants import Anew, ArrayUse, LayoutPlan, Refused, Use, renamed
from grader.errors import CourseError
from grader.judge import judge
from grader.judge.cases import instantiate
from grader.judge.judging import STANDARD_LIMITS
from grader.judge.protocol import Ran
from grader.judge.session import Session
from grader.status import Status
from grader.watch.counters import PATHS
from tools.accesses import (
    COMMENT,
    closing,
    kernels,
    masked,
    needs,
    of_width,
    rewritten,
    widest,
    width,
    writer,
)

WRITTEN, OTHERS = 20, 6  # variants that are looked for
# Of arrays, by the name that an author gave them.
NAMES = {
    "x": ("data", "input", "given"),
    "y": ("result", "output", "answer"),
    "out": ("result", "output", "answer"),
    "partial": ("part", "parts", "of_block"),
    "total": ("result", "output", "answer"),
}
ONLY_READ = {**NAMES, "y": ("second", "other", "partner")}  # of those that no kernel writes
TRIES = 3  # times as many are tried
LOOKED_AT = 500  # of so many the indices are compared
MOST_COSTLY = 3.5  # times what the exercise's own solution costs
LIMITS = replace(STANDARD_LIMITS, reasoning=0.0)


@dataclass(frozen=True)
class Operation:
    """What operations.toml says of an operation, see above."""

    name: str = ""
    says: str = ""
    edits: tuple[tuple[str, str], ...] = ()
    right: tuple[str, ...] = ()

    def edited(self, text: str) -> str:
        for pattern, new in self.edits:
            text = re.sub(pattern, new, text, flags=re.MULTILINE)
        return text

    def of(self, exercise: Exercise) -> Exercise:
        """The exercise with this operation, its texts included."""
        if not self.name:
            return exercise
        other, kind = exercise.operations[self.name](exercise), exercise.kind
        if isinstance(kind, kinds.Given):
            kind = replace(kind, given=self.edited(kind.given))
        elif isinstance(kind, kinds.Order):
            kind = replace(kind, distractors=tuple(map(self.edited, kind.distractors)))
        solution = self.edited(exercise.solution)
        if solution == exercise.solution:
            raise ValueError(f"{exercise.id}: {self.name} changes nothing in the solution.")
        return replace(other, solution=solution, kind=kind)


@cache
def _file(lesson: str) -> dict[str, dict[str, dict[str, Any]]]:
    """What operations.toml of a lesson holds."""
    path = course.KERNELS / lesson / "operations.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def passed_on(exercise: Exercise) -> dict[str, int]:
    """By parameter, in parts of how many elements its array is passed on."""
    return _file(exercise.id.partition("/")[0]).get("passed_on", {}).get(exercise.name, {})


def operations(exercise: Exercise) -> list[Operation]:
    """The exercise's own operation, and then the others."""
    others = _file(exercise.id.partition("/")[0]).get(exercise.name, {})
    if strange := others.keys() ^ exercise.operations.keys():
        raise ValueError(f"{exercise.id}: only one of two files knows {', '.join(strange)}.")
    return [
        Operation(),
        *(msgspec.convert({"name": name, **one}, Operation) for name, one in others.items()),
    ]


@dataclass(frozen=True)
class Able:
    """An array of the kernels, whose elements are moved `width` at once. `only_read`: no kernel
    writes it; `real`: it holds floats."""

    use: ArrayUse
    width: int
    only_read: bool
    real: bool

    @property
    def layouts(self) -> list[str]:
        """The names of those that it can have."""
        return [
            name
            for name, one in of_width(self.width).items()
            if (self.real if one.sign else True)
            and (one.fills or self.only_read)
            and all(
                (" * " in length if needs(one) & set("RCrc") else length) or not needs(one)
                for length in self.use.lengths.values()
            )
        ]


def arrays(exercise: Exercise) -> dict[str, Able | str]:
    """By name, the arrays of an exercise that can have another layout; of others, why not."""
    texts = kernels(exercise.solution)
    known = {one.name: tuple(one.parameters) for one in texts}
    uses: dict[tuple[str, str], list[Use]] = defaultdict(list)
    alike: dict[tuple[str, str], set[tuple[str, str]]] = {}  # the same array in other kernels
    for case in exercise.cases:
        problem, seen = case.problem(np.random.default_rng(0)), defaultdict(set)
        for launch in problem.launches:
            kernel = launch.kernel
            for name, arg in zip(known[kernel], launch.args, strict=False):
                if isinstance(arg, str):
                    uses[kernel, name].append(Use(problem, launch, known[kernel], arg))
                    seen[arg].add((kernel, name))
        for some in seen.values():
            joined = some.union(*(alike.get(one, set()) for one in some))
            alike |= dict.fromkeys(joined, joined)
    # Kernels with one body have its arrays in common.
    of_body: dict[tuple[int, str], set[tuple[str, str]]] = defaultdict(set)
    for one in texts:
        for name in one.parameters:
            of_body[one.begin, name] |= alike.get((one.name, name), set())
    for joined in of_body.values():
        alike |= dict.fromkeys(joined, joined)
    found: dict[str, Able | str] = {}
    for group in dict.fromkeys(map(frozenset, alike.values())):
        (kernel_name, name), *_ = sorted(group)
        name = f"{kernel_name}.{name}" if name in found else name
        try:
            found[name] = _array(exercise, name, {one: uses[one] for one in sorted(group)})
        except Refused as error:
            found[name] = str(error)
    return found


def _array(exercise: Exercise, name: str, uses: Mapping[tuple[str, str], list[Use]]) -> Able:
    every = [use for some in uses.values() for use in some]
    held = [use.held for use in every if use.held is not None]
    only_read = all(use.buffer in use.problem.inputs for use in every)
    texts = {one.name: one for one in kernels(exercise.solution)}
    kernel, parameter = next(iter(uses))
    unit = width(texts[kernel].parameters[parameter], exercise.solution, unknown=1)
    reasons = {
        "is neither given nor looked at": not held,
        "is a single value": held and max(one.size for one in held) <= unit,
        "is 0 before the launch": only_read and not any(one.any() for one in held),
        "is passed by a tensor map": any(type(use.buffer) is not str for use in every),
    }
    for why in (why for why, holds in reasons.items() if holds):
        raise Refused(f"{name} {why}")
    lengths = {".".join(at): _length(exercise, at, some, unit) for at, some in uses.items()}
    return Able(
        ArrayUse(lengths, unit),
        max(
            widest(exercise.solution, texts[kernel], one, passed_on(exercise).get(one, 0))
            for kernel, one in uses
        ),
        only_read,
        real=unit == 1 and all(one.dtype.kind == "f" for one in held),
    )


def _length(exercise: Exercise, at: tuple[str, str], uses: list[Use], unit: int) -> str:
    """An array's elements in terms of its kernel, as in all launches; "" where there are none. A
    product is of rows and columns, if the array has these."""
    named = [name for name in uses[0].numbers if "." not in name] + ["gridDim.x", "blockDim.x"]
    products = [f"{rows} * {columns}" for rows, columns in permutations(named, 2)]
    said = [
        one.length
        for rule in exercise.rules
        if rule.kernel == at[0] and unit == 1
        for one in rules.parameters(rule)
        if one.name == at[1] and one.length
    ]
    said = [*_told(exercise.solution, at[1]), *said]
    numbers = [use.numbers for use in uses]
    sizes = [int(np.prod(use.shape)) // unit for use in uses]
    columns_of = [use.shape[-1] if len(use.shape) == 2 else -1 for use in uses]

    def holds(text: str, now: list[int]) -> bool:
        try:
            return all(
                rules.value(text, one) == size for one, size in zip(numbers, now, strict=True)
            )
        except rules.RuleError:  # it has a name that the kernel does not know
            return False

    shaped = [one for one in products if holds(one.rpartition(" * ")[2], columns_of)]
    able = (one for one in [*said, *shaped, *named, *products] if holds(one, sizes))
    return next(able, "")


def _told(solution: str, name: str) -> list[str]:
    """The length of an array as the task's first lines say it: "rows * (2*n)" for
    `x  float[rows][2 * n]`."""
    lines = re.findall(rf"^//\s+(?:\w+, )*{name}(?:, \w+)*\s+(\w+\[.*)", solution, re.M)
    shapes = [one for line in lines for one in re.findall(r"\b\w+\[(.*?)\](?!\[)", line)]
    dimensions = [re.split(r"\]\[|, ", one.replace("/", "//")) for one in shapes]
    return [
        " * ".join([*rows, columns if not rows else _inside(columns)])
        for *rows, columns in dimensions
    ]


def _inside(text: str) -> str:
    """A product as one factor of another, without blanks."""
    return f"({text.replace(' ', '')})" if " " in text else text


# ---- a variant's text ----


@dataclass(frozen=True)
class Text:
    """Writes what stands in an exercise anew: a `draft` has its layouts, what is known of these
    arrays, and perhaps other `given` lines, with another bug, as authors wrote them."""

    exercise: Exercise
    draft: Anew

    @cached_property
    def operation(self) -> Operation:
        [found] = [one for one in operations(self.exercise) if one.name == self.draft.operation]
        return found

    @cached_property
    def own(self) -> Anew:
        """The draft, with the exercise's own names."""
        return replace(self.draft, names={})

    @cached_property
    def names(self) -> dict[str, str]:
        """Other names of arrays, as the draft has it by chance. An array keeps its name where some
        sentence of the exercise would go on calling it so, or where a text knows the new one."""
        exercise, solution = self.exercise, self.operation.edited(self.exercise.solution)
        told = [
            self.operation.says,
            *exercise.hints,
            *exercise.hints_on.values(),
            *(one.write for one in exercise.steps),
            *(one.contents for one in exercise.rules),
            *(one.name for one in exercise.cases),
            *(each.why for one in exercise.cases for each in one.budgets),
            *(each.why for one in exercise.cases for each in one.requires),
        ]
        course_of = course.lesson(exercise.id.partition("/")[0])
        wrong = [one.source for one in course_of.wrong_kernels if one.exercise == exercise.name]
        known = {word for text in (solution, *told, *wrong) for word in re.findall(r"\w+", text)}
        types = [one for kernel in kernels(solution) for one in kernel.parameters.items()]
        written = {name for name, kind in types if "const" not in kind}
        chance = random.Random(f"{exercise.id} {self.draft.layouts} {self.draft.operation}")
        names: dict[str, str] = {}
        for name in sorted(dict(types).keys() & NAMES.keys()):
            new = chance.choice([name, *(NAMES if name in written else ONLY_READ)[name]])
            stays = re.compile(rf"(?<![\w.])(?<!\d ){name}\b")  # but for 16 x 16
            texts = [called(solution, {name: new})]
            texts += [renamed(one, {name: new}) for one in told]
            if new not in known and not any(map(stays.search, texts)):
                names[name] = new
                known.add(new)
        return names

    def source(self, text: str) -> str:
        """A source with this exercise's kernels, in the layouts, with the names."""
        writers = {
            at: writer(at[1], length, layout)
            for at, (_, layout, length) in LayoutPlan(self.own).places.items()
        }
        edited = self.operation.edited(text)
        return called(rewritten(edited, writers, passed_on(self.exercise)), self.names)

    def lines(self, text: str) -> str:
        """Lines that can stand in the answer's place, in the layouts."""
        mark = "//@@\n"
        whole = mistakes.in_answer(self.exercise.solution, lambda old: f"{old}{mark}{text}\n{mark}")
        return self.source(whole).partition(mark)[2].partition(mark)[0][:-1]

    @property
    def heading(self) -> str:
        """The task's own sentences, as the first lines of its comment."""
        names = self.names
        told = [f"`{new}` is what the lesson calls `{name}`." for name, new in names.items()]
        if self.operation.says:
            told.append(f"Here {renamed(self.operation.says, names)}.")
        if self.draft.layouts:
            told.append("Here arrays lie in memory in another way than the text below says:")
        told = [f"Drawn anew. {' '.join(told[:1])}", *told[1:]]
        for (_, name), (_, layout, length) in LayoutPlan(self.own).places.items():
            name = names.get(name, name)
            write = writer(name, length, layout)
            at = "i"
            if {"r", "c"} & needs(layout):
                at = f"row * {length.rpartition(' * ')[2].replace('//', '/')} + column"
            more = "" if layout.fills or layout.sign else "; other places hold other data"
            told.append(f"  element {at} of {name} is {write(at)}{more}")
        return "".join(f"// {one}\n" for one in dict.fromkeys(told)) + "//\n"

    def anew(self) -> Anew:
        """The whole variant, but for its costs; Refused where it cannot be."""
        exercise, draft, kind, names = self.exercise, self.draft, self.exercise.kind, self.names
        places = LayoutPlan(replace(draft, names=names)).places
        reached = re.compile("|".join(rf"\b{name}\s*\[" for _, name in places) or "(?!)")
        text = self.source(exercise.solution)
        heading = self.heading if places or names or self.operation.says else ""
        if isinstance(kind, kinds.Write):
            text = with_places(text, reached)
        given, lines = draft.given or getattr(kind, "given", ""), getattr(kind, "distractors", ())
        now = self.lines(given.strip("\n")) if given else ""
        return Anew(
            draft.layouts,
            draft.arrays,
            {one.name: tuple(one.parameters) for one in kernels(text)},
            varied.changes(exercise.solution, heading + text),
            now and f"{now}\n",
            bool(draft.given),
            tuple(map(self.lines, lines)),
            {
                case.name: tuple(map(self.lines, case.hazard.between))
                for case in exercise.cases
                if case.hazard and case.hazard.between
            },
            operation=draft.operation,
            names=names,
        )


def called(source: str, names: Mapping[str, str]) -> str:
    """The source, and what its comments say, with other names of arrays."""
    words = re.compile("|".join(rf"(?<![\w.])(?<!->){one}\b" for one in names) or "(?!)")
    parts = re.split(f"({COMMENT.pattern})", source, flags=re.DOTALL)
    parts[::2] = [words.sub(lambda one: names[one[0]], code) for code in parts[::2]]
    parts[1::2] = [text if text[0] == '"' else _in_comment(text, names) for text in parts[1::2]]
    return "".join(parts)


def _in_comment(text: str, names: Mapping[str, str]) -> str:
    """A comment with other names of arrays, its columns where they were, as far as they fit."""
    row = re.compile(r"(//\s+\w+(?:, \w+)*  )( *)(\S)")

    def told(found: re.Match[str]) -> str:
        name = renamed(found[1], names)
        return name.ljust(found.start(3) - found.start(1)) + found[3]

    return renamed(row.sub(told, text, count=1), names)


def uncalled(source: str, anew: Anew) -> str:
    """A source of the variant, with the exercise's own names of arrays."""
    return called(source, {new: name for name, new in anew.names.items()})


_NEXT_DOOR = re.compile(r"[ \t]*// END SOLUTION\n[ \t]*// BEGIN SOLUTION\n")


def with_places(source: str, reached: re.Pattern[str]) -> str:
    """The source, each given line that reaches for an array, if it is one statement, a place of its
    own for the learner."""
    lines, code = source.splitlines(keepends=True), masked(source).splitlines()
    given, out = True, ""
    for at, line in enumerate(lines):
        given = (given or "END SOLUTION" in line) and "BEGIN SOLUTION" not in line
        begins = code[at - 1].rstrip().endswith((";", "{", "}")) or not code[at - 1].strip()
        ends = code[at].rstrip().endswith(";") and code[at].count("(") == code[at].count(")")
        indent = line[: len(line) - len(line.lstrip())]
        if not (given and begins and ends and reached.search(code[at])):
            out += line
        else:
            out += f"{indent}// BEGIN SOLUTION\n{line}{indent}// END SOLUTION\n"
    return _NEXT_DOOR.sub("", out)


@dataclass
class Found:
    """What came of looking for variants: those `kept`, why others were not, how many the judge
    `tried`, and seconds."""

    kept: list[Anew] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    tried: int = 0
    seconds: float = 0.0


def found(
    lesson: Lesson, exercise: Exercise, wanted: int = 0, known: tuple[Anew, ...] = ()
) -> Found:
    """Look for so many variants of an exercise, the `known` ones among them."""
    made, begun = Found([*known]), time.monotonic()
    wanted = wanted or (WRITTEN if isinstance(exercise.kind, kinds.Write) else OTHERS)
    able = arrays(exercise)
    made.refused.update(one for one in able.values() if isinstance(one, str))
    seen = {differs(exercise, one) for one in (Anew(), *known)}
    for one in candidates(lesson, exercise)[:LOOKED_AT]:
        if len(made.kept) >= wanted or made.tried == TRIES * wanted:
            break
        try:
            made_of = Text(exercise, one).anew()
            key = differs(exercise, made_of)
            if key in seen:
                raise Refused("its indices are those of another")
            seen.add(key)
            made.tried += 1
            made.kept.append(tried(lesson, exercise, made_of))
        except Refused as error:
            made.refused[str(error)] += 1
    made.seconds = time.monotonic() - begun
    return made


def candidates(lesson: Lesson, exercise: Exercise) -> list[Anew]:
    """All variants that may be made, of each operation, with other layouts of one array or two, in
    an order that depends on the exercise alone."""
    bugs = [Anew(), *bugs_of(exercise, lesson.wrong_kernels)]
    made = []
    for operation in operations(exercise):
        every = arrays(operation.of(exercise))
        able = {name: one for name, one in every.items() if isinstance(one, Able)}
        chosen = [
            dict(zip(names, layouts, strict=True))
            for count in range(3)
            for names in combinations(able, count)
            for layouts in product(*[able[name].layouts for name in names])
        ]
        made += [
            replace(
                bug,
                layouts=some,
                arrays={name: able[name].use for name in some},
                operation=operation.name,
            )
            for bug in bugs
            for some in chosen
            if some or bug.given or operation.name
        ]
    names = [f"{one.operation}{exercise.id} {one} {one.given}".encode() for one in made]
    order = sorted(zip(names, made, strict=True), key=lambda one: hashlib.sha256(one[0]).digest())
    return [one for _, one in order]


def bugs_of(exercise: Exercise, wrong: tuple[WrongKernel, ...]) -> Iterator[Anew]:
    """Named mistakes that can be planted: all that is wrong stands in the answer's place."""
    blank = kinds.Write().handed_out
    for one in wrong if isinstance(exercise.kind, kinds.Bug) else ():
        if one.exercise == exercise.name and blank(one.source) == blank(exercise.solution):
            given = "".join(kinds.answers(one.source))
            if len(kinds.answers(one.source)) == 1 and given.strip():
                yield Anew(given=given.strip("\n"))


def indices(variant: Exercise, exercise: Exercise, anew: Anew) -> frozenset[str]:
    """The indices of arrays in what the learner writes, or is given to change, each number N, and
    each array by the exercise's own name."""
    writes = isinstance(exercise.kind, kinds.Write)
    own = "".join(kinds.answers(variant.solution)) if writes else variant.solution
    text = masked(uncalled(own, anew))
    accesses = re.finditer(r"(?<!\.)\b\w+\s*\[", text)
    return frozenset(
        re.sub(
            r"\s+", "", re.sub(r"\b\d+\b", "N", text[one.start() : closing(text, one.end() - 1)])
        )
        for one in accesses
    )


def differs(exercise: Exercise, anew: Anew) -> tuple[str, frozenset[str], frozenset[str]]:
    """By which two variants are told apart: another bug, the named mistakes that are none there,
    and the indices."""
    new = varied.recoded(exercise, anew) if anew != Anew() else exercise
    right = frozenset(Text(exercise, anew).operation.right)
    return anew.given if anew.bug else "", right, indices(new, exercise, anew)


def tried(lesson: Lesson, exercise: Exercise, anew: Anew) -> Anew:
    """The variant with what its solution costs; Refused where it is not as it must be."""
    made = replace(anew, costs=_costs(exercise, varied.recoded(exercise, anew)))
    require(lesson, exercise, made)
    return made


def require(lesson: Lesson, exercise: Exercise, anew: Anew) -> None:
    """Refused where the variant's solution does not pass, or a mistake in it does."""
    new, text = varied.recoded(exercise, anew), Text(exercise, anew)
    verdict = judge(new, new.solution, root=lesson.path.parent, limits=LIMITS, partial_marks=False)
    for case in verdict.cases:
        if case.status != Status.PASSED:
            raise Refused(f"its solution fails: {case.status}")
    for one in lesson.wrong_kernels:
        if one.exercise == exercise.name:
            is_right = one.name in text.operation.right
            if is_right == _fails(lesson, new, one.source, text):
                how = "do not pass" if is_right else "do not catch"
                raise Refused(f"its cases {how} {one.name}")


def _costs(exercise: Exercise, new: Exercise) -> dict[str, float]:
    """By counter that a budget is on, how many times what the exercise's own solution costs. Of the
    cases that only limit a path, which are large, the cheapest is enough."""
    kept = {one.name: own.ours for one, own in zip(new.cases, exercise.cases, strict=True)}
    limited = [one for one in new.cases if one.budgets]
    on_paths = [one for one in limited if {each.counter for each in one.budgets} <= set(PATHS)]
    cheapest = sorted(on_paths, key=lambda one: one.ours.get("steps", 0))[:1]
    some = [one for one in limited if one not in on_paths or one in cheapest]
    instances = instantiate(replace(new, cases=tuple(some)), 0, hidden=True)
    allowed = {one.name: one.ours.get("steps", 0) for one in some}
    with Session(new.solution, STANDARD_LIMITS, allowed) as session:
        outcomes = session.run(instances) if instances else []
    times: dict[str, float] = {}
    for one, ran in zip(instances, outcomes, strict=True):
        if not isinstance(ran, Ran):
            raise Refused(f"its solution fails: {ran.status}")
        for counter in {budget.counter for budget in one.case.budgets}:
            now, before = ran.counters.get(counter, 0), kept[one.case.name].get(counter, 0)
            if before:
                times[counter] = max(times.get(counter, 0.0), round(now / before + 0.005, 2))
    if dear := [counter for counter, ratio in times.items() if ratio > MOST_COSTLY]:
        raise Refused(f"its solution costs more than {MOST_COSTLY} times as many {dear[0]}")
    return {counter: ratio for counter, ratio in times.items() if abs(ratio - 1) > 0.01}


def _fails(lesson: Lesson, new: Exercise, mistake: str, text: Text) -> bool:
    """True if a named mistake, made in the variant, gets less than full marks; the cheapest cases
    come first. One that does other things to its arrays than the solution does is not made."""
    try:
        source = text.source(mistake)
    except Refused:
        return True
    cheap = sorted(new.cases, key=lambda one: one.ours.get("steps", 0))
    for cases in filter(None, (cheap[:1], cheap[1:3], cheap[3:])):
        some = replace(new, cases=tuple(cases), steps=(), size_points=0.0)
        verdict = judge(some, source, root=lesson.path.parent, partial_marks=False, explained=False)
        if any(one.status != Status.PASSED for one in verdict.cases):
            return True
    return False


# ---- the command ----


def keep(lesson: Lesson, exercise: Exercise, kept: Iterable[Anew]) -> None:
    """Write these variants of an exercise into the lesson's variants.json."""
    rows = varied.kept(lesson.path) | {exercise.name: tuple(kept)}
    ordered = {one.name: rows[one.name] for one in lesson.exercises if rows.get(one.name)}
    path = solution_counts.file(lesson.path, what=varied.FILE)
    path.write_text(text(ordered), encoding="utf-8")


def with_new_texts(lesson: Lesson, exercise: Exercise) -> Iterator[Anew]:
    """The kept variants, with the texts that they would have now."""
    bugs = [one.given for one in bugs_of(exercise, lesson.wrong_kernels)]
    for one in varied.variants(exercise, lesson.path.parent):
        drafts = (replace(one, given=given) for given in (bugs if one.bug else [""]))
        made = (Text(exercise, draft).anew() for draft in drafts)
        yield next(
            replace(new, costs=one.costs)
            for new in made
            if not one.bug or uncalled(new.given, new) == uncalled(one.given, one)
        )


def written(lesson: Lesson, exercise: Exercise, wanted: int, more: bool) -> None:
    """Keep the variants that are found of an exercise, and say what came of all."""
    kept = varied.variants(exercise, lesson.path.parent) if more else ()
    made = found(lesson, exercise, wanted, kept)
    keep(lesson, exercise, made.kept)
    print(
        f"{exercise.id} ({exercise.kind.title}): {len(made.kept)} variants of {made.tried} tried, "
        f"in {made.seconds:.0f} s",
        *(f"  refused, {times} x: {why}" for why, times in made.refused.most_common()),
        sep="\n",
        flush=True,
    )


def text(rows: dict[str, tuple[Anew, ...]]) -> str:
    """variants.json with these variants, by exercise."""
    made = [
        f" {json.dumps(name)}: [\n"
        + ",\n".join(f"  {json.dumps(_row(one), ensure_ascii=False)}" for one in some)
        + "\n ]"
        for name, some in rows.items()
    ]
    return "{\n" + ",\n".join(made) + "\n}\n"


def _row(one: Anew) -> dict[str, object]:
    return {name: value for name, value in msgspec.to_builtins(one).items() if value}


def refused(lesson: Lesson, exercise: Exercise, every: int = 1) -> Iterator[str]:
    """Sentences on kept variants that are not as they must be, or one of each `every` of them."""
    known = varied.variants(exercise, lesson.path.parent)
    for number, one in enumerate(known):
        if number % every == len(exercise.id) % min(every, len(known)):
            try:
                require(lesson, exercise, one)
            except Refused as error:
                yield f"{exercise.id}, {one}: {error}."


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", help="LESSON or LESSON/EXERCISE")
    parser.add_argument("--wanted", type=int, default=0, help="so many variants of each exercise")
    parser.add_argument("--more", action="store_true", help="keep those that are kept, and more")
    parser.add_argument("--texts", action="store_true", help="write the kept texts anew, untried")
    parser.add_argument("--check", action="store_true", help="try those again that are kept")
    parser.add_argument("--every", type=int, default=1, help="only one of so many")
    options = parser.parse_args()
    name, _, exercise = options.what.partition("/")
    lesson = course.lesson(course.full_name(name))
    status = 0
    for one in [lesson.exercise(exercise)] if exercise else lesson.exercises:
        if options.check:
            said = list(refused(lesson, one, options.every))
            print(*said, f"{one.id}: tried", sep="\n", flush=True)
            status |= bool(said)
        elif options.texts:
            keep(lesson, one, with_new_texts(lesson, one))
        else:
            written(lesson, one, options.wanted, options.more)
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except CourseError as error:
        sys.exit(str(error))
