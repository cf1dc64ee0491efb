"""Exercises drawn anew: another layout of the arrays, made from what authors have written already.

A variant stores arrays in another way: element `i` of `x` lies at `x[n - 1 - i]`, at `x[2 * i + 1]`
between elements of others, in another order of rows, or as the sum of two. A `Layout` says so
once: its expression is C++ in the kernels, and NumPy's indices of inputs and expected outputs. So
references, rules, promises and budgets stay the author's own, and named mistakes are made anew like
the solution. The learner's part grows by the given lines that reach for an array whose layout has
changed: what is asked must be theirs to think of.

What cannot be made by reading the source is `Refused`: an array that is passed on, or of which the
kernel does not know the length. What can be made is tried by the judge (`grader.judge.anew`), and
kept in the lesson's variants.json, which has no solution in it.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, product
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from ..course_folder import KERNELS
from ..errors import NotInCourse
from . import kinds, mistakes, rules, solution_counts
from .model import Case, Exercise, Launch, Problem, Rule

FILE = "variants"  # .json, in a lesson's folder
_FEWEST_CASES = 2  # elements of an array that has a layout
_LONGEST = 12  # given lines that may become the learner's

Numbers = Mapping[str, int]


class Refused(ValueError):
    """A variant that cannot be made; the sentence says why."""


@dataclass(frozen=True)
class Layout:
    """Where element `i` of an array lies: `place`, over i, its row r and column c, the array's
    length L, its rows R and columns C, and W, the elements that the kernel moves at once. `size`:
    how many elements it takes in all. With a `sign` the element is two others, one at `place`,
    added to or less the one at `second`."""

    place: str
    size: str = "L"
    second: str = ""
    sign: str = ""

    @property
    def needs(self) -> set[str]:
        return set(re.findall(r"\b[LRCrc]\b", f"{self.place} {self.second}"))

    @property
    def fills(self) -> bool:
        """Whether no place is left over, as an output needs it."""
        return self.size == "L"


_OF_ROWS = {
    "rows reversed": Layout("(R - 1 - r) * C + c"),
    "rows rotated": Layout("(r + 1) % R * C + c"),
    "even rows first": Layout("(r % 2 * ((R + 1) // 2) + r // 2) * C + c"),
    "odd rows first": Layout("((r + 1) % 2 * (R // 2) + r // 2) * C + c"),
    "padded rows": Layout("r * (C + W) + c", "R * (C + W)"),
    "every second row": Layout("(2 * r + 1) * C + c", "2 * R * C"),
    "neighbouring rows exchanged": Layout("(r ^ 1) * C + c", "(R + R % 2) * C"),
    "behind a row": Layout("(r + 1) * C + c", "(R + 1) * C"),
    "padded rows reversed": Layout("(R - 1 - r) * (C + W) + c", "R * (C + W)"),
}
# Of single elements, and where a kernel moves W at once of groups.
SINGLE = {
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
GROUPS = {
    "behind a header": Layout("i + 2 * W", "L + 2 * W"),
    "every second group": Layout("i // W * (2 * W) + i % W", "2 * L"),
    "every second group, the odd ones": Layout("i // W * (2 * W) + W + i % W", "2 * L"),
    "every third group": Layout("i // W * (3 * W) + W + i % W", "3 * L"),
    "neighbouring groups exchanged": Layout("i ^ W", "(L + 2 * W - 1) // (2 * W) * (2 * W)"),
    "groups reversed": Layout("L - W - i // W * W + i % W"),
    "groups rotated": Layout("(i + W) % L"),
    **_OF_ROWS,
}
LAYOUTS = {1: SINGLE}


@dataclass(frozen=True)
class Anew:
    """How an exercise is drawn anew: the name of a layout by array, a named mistake that is planted
    as the bug to find, with its lines, and by counter how many times the costs of the solution."""

    layouts: Mapping[str, str] = field(default_factory=dict)
    bug: str = ""
    given: str = ""
    costs: Mapping[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        said = [f"{array}: {layout}" for array, layout in self.layouts.items()]
        return ", ".join([*said, *([f"bug: {self.bug}"] if self.bug else [])])


@dataclass(frozen=True)
class Array:
    """An array of an exercise by its `name` in the kernels, in `places`: kernel, parameter, and its
    length there, "" where the kernel does not know it. `width`: how many elements are moved at
    once; `role`: "input", or "output" where a kernel writes it, too; `real`: it holds floats, and no structures of `unit` numbers;
    `why` it can have no layout, if so."""

    name: str
    places: tuple[tuple[str, str, str], ...]
    width: int
    role: str
    real: bool = False
    unit: int = 1
    why: str = ""

    def layouts(self) -> Iterator[str]:
        """Those that it can have."""
        lengths = [length for _, _, length in self.places]
        for name, one in (SINGLE if self.width == 1 else GROUPS).items():
            rows = one.needs & set("RCrc")
            able = one.fills if self.role == "output" else self.real or not one.sign
            if able and not self.why and all((" * " in length if rows else length) or not one.needs for length in lengths):
                yield name

    def layout(self, name: str) -> Layout:
        one = (SINGLE if self.width == 1 else GROUPS)[name]
        places = (re.sub(r"\bW\b", str(self.width), text) for text in (one.place, one.size))
        place, size = (re.sub(r"\((\d+) \* (\d+)\)", _multiplied, text) for text in places)
        return replace(one, place=place, size=size)


def _multiplied(found: re.Match[str]) -> str:
    return str(int(found[1]) * int(found[2]))


# ---- what a source says ----

_COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
_KERNEL = re.compile(
    r"__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?(\w+)\s*\(([^)]*)\)\s*\{"
)
_TYPE = r"(?:const\s+)?\w+(?:\s*<[^<>]*>)?"
_CAST = re.compile(
    rf"(?:reinterpret_cast\s*<\s*(?P<t>{_TYPE})\s*\*\s*>\s*\(|\(\s*(?P<u>{_TYPE})\s*\*\s*\)\s*\(?)"
    r"\s*(?P<p>\w+)\b"
)
_ALIAS = re.compile(
    rf"^[ \t]*{_TYPE}\s*\*\s*(?:__restrict__\s+)?(?:const\s+)?(?P<name>\w+)\s*=\s*(?P<is>[^;]*);[ \t]*\n?",
    re.MULTILINE,
)
_SIDE_EFFECT = re.compile(r"\+\+|--|[^=!<>]=[^=]|atomic")
_WIDTHS = {"float2": 2, "float4": 4, "int4": 4, "uint4": 4, "double2": 2}


def masked(source: str) -> str:
    """The source with blanks in place of comments and texts, each character where it was."""
    return _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)


@dataclass(frozen=True)
class KernelText:
    """A kernel of a source: the types of its `parameters` by name; its body is from character
    `begin` to `end`."""

    name: str
    parameters: Mapping[str, str]
    begin: int
    end: int


def kernels(source: str) -> list[KernelText]:
    """The kernels of a source, in order."""
    mask = masked(source)
    found = list(_KERNEL.finditer(mask))
    ends = [*(one.start() for one in found[1:]), len(mask)]
    return [
        KernelText(
            one[1],
            {
                re.findall(r"\w+", text)[-1]: re.sub(r"\w+\s*$", "", text)
                for text in one[2].split(",")
                if text.strip()
            },
            one.end(),
            mask.rindex("}", one.end(), end),
        )
        for one, end in zip(found, ends, strict=True)
    ]


def closing(mask: str, begin: int) -> int:
    """Where the bracket closes that opens at `begin`."""
    depth = 0
    for at in range(begin, len(mask)):
        depth += (mask[at] in "([{") - (mask[at] in ")]}")
        if depth == 0:
            return at
    raise Refused("a bracket is not closed")


@dataclass(frozen=True)
class _Pointer:
    """What stands for a parameter's array: elements of the type `cast`, `width` of the array's own
    each, from the array's element `offset` on."""

    parameter: str
    cast: str = ""
    width: int = 1
    offset: str = ""

    def element(self, index: str) -> str:
        """The index in the array of what stands at `index`."""
        own = index if self.width == 1 else f"{self.width} * {_inside(index)}"
        if own in ("0", f"{self.width} * 0"):
            return self.offset or "0"
        return f"{self.offset} + {own}" if self.offset else own


def _inside(text: str) -> str:
    """A part of a product."""
    simple = re.fullmatch(r"[\w.]+(\([^()]*\))?|\((?:[^()]|\([^()]*\))*\)|[\w.]+<\w+>\([^()]*\)", text)
    return text if simple else f"({text})"


def _width(kind: str, source: str, unknown: int = 0) -> int:
    """How many elements of an array one of another type has."""
    name = re.sub(r"\b(const|__restrict__)\b|\*", "", kind).strip()
    packed = re.fullmatch(r"\w+\s*<\s*\w+\s*,\s*(\d+)\s*>", name)
    aligned = re.search(rf"\b(?:alignas|__align__)\s*\(\s*(\d+)\s*\)\s*{re.escape(name)}\b", source)
    if packed or aligned or name in _WIDTHS:
        return int(packed[1]) if packed else _WIDTHS.get(name) or int(aligned[1]) // 4  # type: ignore[index]
    if unknown:
        return unknown
    raise Refused(f"it is not known how many elements a {name} has")


class _Body:
    """The body of a kernel, of which some arrays get a layout."""

    def __init__(self, source: str, kernel: KernelText, wanted: Mapping[str, Callable[[str], str]]):
        self.source, self.mask, self.kernel = source, masked(source), kernel
        self.wanted = wanted
        self.pointers = {name: _Pointer(name) for name in wanted}
        self.gone: list[tuple[int, int]] = []
        for found in _ALIAS.finditer(self.mask, kernel.begin, kernel.end):
            if pointer := self._alias(found["is"].strip()):
                self.pointers[found["name"]] = pointer
                self.gone.append(found.span())

    def _alias(self, text: str) -> _Pointer | None:
        """`x + row * columns`, `&x[first]`, `reinterpret_cast<const float4*>(x) + start`."""
        if found := _CAST.match(text):
            if found["p"] not in self.pointers:
                return None
            end = closing(text, text.rindex("(", 0, found.start("p")))
            inner, after = text[found.start("p") : end], text[end + 1 :].strip().lstrip("+").strip()
            base = self._alias(inner)
            assert base is not None
            kind = found["t"] or found["u"]
            wide = _Pointer(base.parameter, kind, _width(kind, self.source), base.offset)
            return replace(wide, offset=wide.element(after)) if after else wide
        plain = re.fullmatch(r"(\w+)(?:\s*\+\s*(.*))?", text, re.DOTALL)
        address = re.fullmatch(r"&\s*(\w+)\s*\[(.*)\]", text, re.DOTALL)
        name, offset = (plain or address).groups() if plain or address else ("", "")
        known = self.pointers.get(name)
        if known is None or not offset:
            return known
        return replace(known, offset=known.element(offset.strip()))

    def text(self) -> str:
        return self._between(self.kernel.begin, self.kernel.end)

    def _between(self, begin: int, end: int) -> str:
        out, at = [], begin
        for found in re.finditer(r"\w+|\(\s*\(|\(", self.mask[:end]):
            if found.start() < max(at, begin):
                continue
            if span := next((one for one in self.gone if one[0] <= found.start() < one[1]), None):
                out.append(self.source[at : span[0]])
                at = span[1]
            elif made := self._at(found.start(), found[0]):
                text, first, last = made
                out.append(self.source[at:first] + text)
                at = last
        return "".join(out) + self.source[at:end]

    def _at(self, start: int, word: str) -> tuple[str, int, int] | None:
        """What is put in place of what begins here, and where that begins and ends."""
        mask, pointer, end = self.mask, self.pointers.get(word), start + len(word)
        if pointer is None:
            outer = word.startswith("(") and len(word) > 1
            cast = _CAST.match(mask, end - 1 if outer else start)
            if not cast or cast["p"] not in self.pointers:
                return None
            end = closing(mask, mask.rindex("(", 0, cast.start("p"))) + 1
            pointer = self._alias(self.source[end - 1 - (end - 1 - cast.start()) : end])
            if outer:
                end = mask.index(")", end) + 1
        elif re.search(r"(\.|->|::)\s*$", mask[:start]):
            return None
        assert pointer is not None
        follows = re.compile(r"\s*").match(mask, end)
        bracket = follows.end() if follows else end
        if mask[bracket : bracket + 1] == "[":
            close = closing(mask, bracket)
            return self._put(pointer, self._between(bracket + 1, close), start, close + 1)
        if found := re.search(r"(?<![\w)\]])\s*(\*)\s*$", mask[:start]):
            return self._put(pointer, "0", found.start(1), end)
        raise Refused(f"the array {pointer.parameter} is passed on, or pointed into")

    def _put(self, pointer: _Pointer, index: str, first: int, last: int) -> tuple[str, int, int]:
        if _SIDE_EFFECT.search(index):
            raise Refused("an index has a side effect")
        written = re.match(r"\s*([-+*/&|^]?=(?!=)|\+\+|--)", self.mask[last:])
        taken = re.search(r"(?<![\w)\]])\s*&\s*$", self.mask[:first])
        made = self.wanted[pointer.parameter](pointer.element(index))
        if pointer.width > 1 or pointer.cast:
            made = f"reinterpret_cast<{pointer.cast}*>(&{made})[0]"
        if made.startswith("(") and (written or taken):
            raise Refused("an array of two parts is written to")
        return made, first, last


# ---- a layout in C++, and in NumPy ----

_LOW = re.compile(r"[?<>&|^=,]")


def _substituted(text: str, names: Mapping[str, str]) -> str:
    """A layout's expression in C++, with texts in place of its names."""

    def put(found: re.Match[str]) -> str:
        if found[0] not in names:
            return found[0]
        made, before = names[found[0]], text[: found.start()].rstrip()[-1:]
        after = text[found.end() :].lstrip()[:1]
        alone = before in ("", "+", "(") and after in ("", "+", "-", ")") and not _LOW.search(made)
        factor = before in ("", "(", "+", "*") and not re.search(r"[^\w.* ]", made)
        return made if alone or factor else _inside(made)

    return re.sub(r"\b[A-Za-z]\w*\b", put, text).replace("//", "/")


def _terms(text: str) -> list[str]:
    """The summands of an expression."""
    depth, parts = 0, [""]
    for sign in text:
        depth += (sign in "([{<") - (sign in ")]}>")
        if sign == "+" and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    return [part.strip() for part in parts]


def _row_and_column(index: str, columns: str) -> tuple[str, str]:
    """The two of a linear index, read from it where it is `row * columns + column`."""
    terms = [] if re.search(r"[-?]", re.sub(r"\([^()]*\)|->", "", index)) else _terms(index)
    for term in terms:
        for pattern in (rf"(.+) \* {re.escape(columns)}", rf"{re.escape(columns)} \* (.+)"):
            if found := re.fullmatch(pattern, term, re.DOTALL):
                rest = " + ".join(one for one in terms if one is not term)
                return found[1], rest or "0"
    return f"{_inside(index)} / {_inside(columns)}", f"{_inside(index)} % {_inside(columns)}"


def _accessor(parameter: str, length: str, layout: Layout) -> Callable[[str], str]:
    """Writes an access to what the exercise calls the parameter's element of that index."""
    length = length.replace("//", "/")
    rows, _, columns = length.rpartition(" * ")

    def access(index: str) -> str:
        names = {"i": index, "L": length, "R": rows, "C": columns}
        if {"r", "c"} & layout.needs:
            names |= dict(zip("rc", _row_and_column(index, columns), strict=True))
        first = f"{parameter}[{_substituted(layout.place, names)}]"
        if not layout.sign:
            return first
        return f"({first} {layout.sign} {parameter}[{_substituted(layout.second, names)}])"

    return access


def _evaluated(text: str, length: int, columns: int) -> np.ndarray:
    """A layout's expression for all elements of an array."""
    i = np.arange(length)
    names = {"L": length, "C": columns, "i": i}
    if columns:
        names |= {"R": length // columns, "r": i // columns, "c": i % columns}
    return np.asarray(eval(text, {"__builtins__": {}}, names))


# ---- the arrays of an exercise ----


def _calls(exercise: Exercise) -> list[tuple[Problem, Launch, KernelText]]:
    known = {one.name: one for one in kernels(exercise.solution)}
    return [
        (problem, launch, known[launch.kernel])
        for case in exercise.cases
        for problem in [case.problem(np.random.default_rng(0))]
        for launch in problem.launches
        if launch.kernel in known
    ]


def _names(kernel: KernelText, launch: Launch) -> dict[str, int]:
    """The whole numbers that a kernel knows in a launch."""
    pairs = zip(kernel.parameters, launch.args, strict=False)
    whole = {name: int(arg) for name, arg in pairs if isinstance(arg, np.integer)}
    return rules.launch_names(launch.grid, launch.block) | whole


def _size(problem: Problem, buffer: str) -> tuple[int, ...]:
    if buffer in problem.inputs:
        return problem.inputs[buffer].shape
    if buffer in problem.outputs:
        return problem.outputs[buffer].value.shape
    return problem.scratch[buffer][0]


def arrays(exercise: Exercise) -> tuple[Array, ...]:
    """The arrays of an exercise that can have a layout."""
    calls = _calls(exercise)
    members: dict[tuple[str, str], set[tuple[str, str]]] = {}
    passed: dict[tuple[str, str], list[tuple[Problem, Launch, KernelText, str]]] = {}
    by_buffer: dict[tuple[int, str], set[tuple[str, str]]] = {}
    for problem, launch, kernel in calls:
        for name, arg in zip(kernel.parameters, launch.args, strict=False):
            if isinstance(arg, str):
                passed.setdefault((kernel.name, name), []).append((problem, launch, kernel, arg))
                by_buffer.setdefault((id(problem), arg), set()).add((kernel.name, name))
    for some in by_buffer.values():
        joined = set(some).union(*(members.get(one, set()) for one in some))
        members |= dict.fromkeys(joined, joined)
    groups = list({frozenset(one): None for one in members.values()})
    found = [_array(exercise, [(*one, passed[one]) for one in sorted(group)]) for group in groups]
    names = [one.name for one in found]
    return tuple(
        replace(one, name=f"{one.places[0][0]}.{one.name}")
        if names.count(one.name) > 1 and one.places
        else one
        for one in found
    )


def _array(exercise: Exercise, group: list[tuple[str, str, list[Any]]]) -> Array:
    name, calls = group[0][1], [one for _, _, some in group for one in some]
    try:
        return _able(exercise, group, calls)
    except Refused as error:
        return Array(name, (), 1, "", why=str(error))


def _able(exercise: Exercise, group: list[tuple[str, str, list[Any]]], calls: list[Any]) -> Array:
    source, name = exercise.solution, group[0][1]
    roles = {
        "input" if arg in problem.inputs else "output" if arg in problem.outputs else "scratch"
        for problem, _, _, arg in calls
    }
    if roles == {"scratch"}:
        raise Refused(f"{name} is neither given nor looked at")
    held = [
        problem.inputs[arg] if arg in problem.inputs else problem.outputs[arg].value
        for problem, _, _, arg in calls
        if arg not in problem.scratch
    ]
    unit = _width(calls[0][2].parameters[name], source, 1)
    if max(one.size for one in held) <= unit:
        raise Refused(f"{name} is a single value")
    if roles == {"input"} and not any(one.any() for one in held):
        raise Refused(f"{name} is 0 before the launch")
    if any(type(arg) is not str for *_, arg in calls):
        raise Refused(f"{name} is passed by a tensor map")
    width = 1
    for kernel, parameter, some in group:
        body = _Body(source, some[0][2], {parameter: lambda index: "x[0]"})
        body.text()
        casts = _CAST.finditer(body.mask, body.kernel.begin, body.kernel.end)
        wide = [_width(one["t"] or one["u"], source) for one in casts if one["p"] == parameter]
        width = max(width, *wide, *(one.width for one in body.pointers.values()))
    places = tuple((kernel, one, _length(exercise, one, some, unit)) for kernel, one, some in group)
    is_real = unit == 1 and {one.dtype.kind for one in held} == {"f"}
    role = "input" if roles == {"input"} else "output"
    return Array(name, places, width, role, is_real, unit)


def _length(exercise: Exercise, name: str, calls: list[Any], unit: int) -> str:
    """An expression for the elements of a parameter, that holds in all launches; "" if there is
    none. A product is of rows and columns where the array has these."""
    kernel = calls[0][2]
    given = [
        one.length
        for rule in exercise.rules
        if rule.kernel == kernel.name
        for one in rules.parameters(rule)
        if one.name == name and one.length and unit == 1
    ]
    launches = [
        (_names(kernel, launch), (*_size(problem, arg)[:-1], _size(problem, arg)[-1] // unit))
        for problem, launch, _, arg in calls
    ]
    known = [one for one in launches[0][0] if "." not in one] + ["gridDim.x", "blockDim.x"]
    products = [f"{a} * {b}" for a, b in product(known, known) if a != b]

    def holds(text: str, shaped: bool) -> bool:
        rows, _, columns = text.rpartition(" * ")
        return all(
            rules.value(text, names) == np.prod(shape)
            and (not shaped or (len(shape) == 2 and rules.value(columns, names) == shape[1]))
            for names, shape in launches
        )

    able = chain(
        (one for one in given if holds(one, shaped=False)),
        (one for one in products if holds(one, shaped=True)),
        (one for one in [*known, *products] if holds(one, shaped=False)),
    )
    return next(able, "")


# ---- an exercise with other layouts ----

Plan = Mapping[tuple[str, str], tuple[Array, Layout, str]]  # by kernel and parameter


def plan_of(known: tuple[Array, ...], anew: Anew) -> Plan:
    """Which layout each array gets; `known` are those of the exercise."""
    by_name = {one.name: one for one in known}
    return {
        (kernel, name): (by_name[array], by_name[array].layout(layout), length)
        for array, layout in anew.layouts.items()
        for kernel, name, length in by_name[array].places
    }


def recoded_source(source: str, plan: Plan) -> str:
    """A source whose kernels find their arrays in the layouts of the plan."""
    out, at = [], 0
    for kernel in kernels(source):
        wanted = {
            name: _accessor(name, length, layout)
            for (of, name), (_, layout, length) in plan.items()
            if of == kernel.name
        }
        if wanted:
            out += [source[at : kernel.begin], _Body(source, kernel, wanted).text()]
            at = kernel.end
    return "".join(out) + source[at:]


def _heading(plan: Plan) -> str:
    """What the plan changes, in the comment that an exercise begins with."""
    lines = []
    for (_, name), (_, layout, length) in plan.items():
        access, element = _accessor(name, length, layout), "i"
        if {"r", "c"} & layout.needs:
            columns = length.rpartition(" * ")[2].replace("//", "/")
            lines.append(f"element (row, column) of {name}: {access(f'row * {columns} + column')}")
        else:
            lines.append(f"element i of {name}: {access(element)}")
        lines[-1] += "" if layout.fills or layout.sign else "; other places hold other data"
    told = "".join(f"//   {line}\n" for line in dict.fromkeys(lines))
    return f"// Drawn anew. Here arrays lie in memory in another way than the text below says:\n{told}//\n"


@dataclass(frozen=True)
class _Drawn:
    """Draws the problem of a case, with arrays in the layouts of the plan."""

    draw: Callable[[np.random.Generator], Problem]
    plan: Plan
    kernels: Mapping[str, KernelText]

    @property
    def __wrapped__(self) -> Callable[[np.random.Generator], Problem]:
        return getattr(self.draw, "__wrapped__", self.draw)

    def __call__(self, rng: np.random.Generator) -> Problem:
        problem = self.draw(rng)
        inputs, outputs = dict(problem.inputs), dict(problem.outputs)
        for arg, layout, columns, unit in self._buffers(problem):
            if arg in inputs:
                inputs[arg] = _stored(problem.inputs[arg], layout, columns, unit, rng)
            elif arg in outputs:
                one = problem.outputs[arg]
                atol = np.broadcast_to(one.atol, one.value.shape)
                value, bound = (_moved(each, layout, columns, unit) for each in (one.value, atol))
                outputs[arg] = replace(one, value=value, atol=bound if np.ndim(one.atol) else one.atol)
        return replace(problem, inputs=inputs, outputs=outputs)

    def _buffers(self, problem: Problem) -> list[tuple[str, Layout, int, int]]:
        """The buffers that have a layout, their columns, and the numbers of an element."""
        found = {}
        for launch in problem.launches:
            kernel = self.kernels.get(launch.kernel)
            for name, arg in zip(kernel.parameters if kernel else (), launch.args, strict=False):
                if kernel and (kernel.name, name) in self.plan:
                    array, layout, length = self.plan[kernel.name, name]
                    size = int(np.prod(_size(problem, str(arg)))) // array.unit
                    names = _names(kernel, launch)
                    if length and rules.value(length, names) != size:
                        raise Refused(f"{arg} has {size} elements, and not {length}")
                    columns = length.rpartition(" * ")[2] if " * " in length else ""
                    known = (layout, rules.value(columns, names) if columns else 0, array.unit)
                    if found.setdefault(str(arg), known) != known:
                        raise Refused(f"{arg} is of several shapes")
        return [(arg, *known) for arg, known in found.items()]


def _places(size: int, text: str, layout: Layout, columns: int) -> tuple[np.ndarray, int]:
    """Where all elements lie, and how many there are in all."""
    whole = int(_evaluated(layout.size, size, columns))
    places = _evaluated(text, size, columns)
    if size and (places.min() < 0 or places.max() >= whole or len(np.unique(places)) < size):
        raise Refused("two elements would have one place")
    return places, whole


def _moved(array: np.ndarray, layout: Layout, columns: int, unit: int) -> np.ndarray:
    places, whole = _places(array.size // unit, layout.place, layout, columns)
    stored = np.empty((whole, unit), array.dtype)
    stored[places] = array.reshape(-1, unit)
    return stored.ravel()


def _stored(
    array: np.ndarray, layout: Layout, columns: int, unit: int, rng: np.random.Generator
) -> np.ndarray:
    """An input in its layout. What is left over looks like the input, and is none of it."""
    flat = array.reshape(-1, unit)
    places, whole = _places(len(flat), layout.place, layout, columns)
    stored = rng.choice(flat, whole) if flat.size else np.zeros((whole, unit), array.dtype)
    if array.dtype.kind == "f":
        stored = (1 - stored).astype(array.dtype)
    with np.errstate(over="ignore", invalid="ignore"):
        stored[places] = flat
        if layout.sign:  # of 2x and -x, or of 2x less x; of 1 and 1 where x is 0
            twice, sign = flat + flat, 1 if layout.sign == "-" else -1
            apart = np.isfinite(twice) & (flat != 0)
            seconds, _ = _places(len(flat), layout.second, layout, columns)
            stored[places] = np.where(apart, twice, np.where(flat == 0, sign, flat))
            stored[seconds] = np.where(apart, sign * flat, (flat == 0).astype(array.dtype))
    return stored.ravel()


def recoded(exercise: Exercise, anew: Anew, plan: Plan, name: str = "") -> Exercise:
    """The exercise drawn anew by a plan (`plan_of`); Refused where that cannot be."""
    reached = re.compile("|".join(rf"\b{one}\b *\[" for _, one in plan) or "(?!)")
    source = recoded_source(exercise.solution, plan)
    if anew.layouts:
        source = _heading(plan) + source
    kind = exercise.kind
    fragments = [
        *([kind.given] if isinstance(kind, kinds.Given) else []),
        *(getattr(kind, "distractors", ())),
        *(words for case in exercise.cases if case.hazard for words in case.hazard.between),
    ]
    told = dict(zip(fragments, _fragments(exercise, fragments, plan), strict=True))
    if isinstance(kind, kinds.Given):
        kind = replace(kind, given=anew.given or told[kind.given])
    elif isinstance(kind, kinds.Order):
        kind = replace(kind, distractors=tuple(told[one] for one in kind.distractors))
    elif isinstance(kind, kinds.Write):
        source = _with_all_that_reaches(source, reached)
    hints = () if anew.bug else tuple(one for one in exercise.hints if not reached.search(one))
    texts = kernels(exercise.solution)
    by_name = {one.name: one for one in texts}
    return replace(
        exercise,
        name=name or exercise.name,
        id=f"{exercise.id.partition('/')[0]}/{name or exercise.name}",
        solution=source,
        kind=kind,
        hints=hints,
        hints_on={} if anew.bug else exercise.hints_on,
        rules=tuple(_rule(rule, plan) for rule in exercise.rules),
        cases=tuple(
            _case(replace(case, problem=_Drawn(case.problem, plan, by_name)), anew, told)
            for case in exercise.cases
        ),
    )


def _fragments(exercise: Exercise, fragments: list[str], plan: Plan) -> list[str]:
    """Lines that belong where the answer stands, in the layouts of the plan."""
    out = []
    for one in fragments:
        mark = "//@@\n"
        if kinds.is_solution(exercise.solution):
            whole = mistakes.in_answer(exercise.solution, lambda old: f"{old}{mark}{one}\n{mark}")
        else:  # as learners have it
            whole = exercise.solution.replace(kinds.YOURS, f"{mark}{one}\n{mark}{kinds.YOURS}", 1)
        made = recoded_source(whole, plan).split(mark)
        out.append(made[1][:-1] if len(made) > 1 else one)
    return out


def _case(case: Case, anew: Anew, told: Mapping[str, str]) -> Case:
    times = anew.costs
    budgets = tuple(
        replace(one, at_most=ceil(one.number * times.get(one.counter, 1.0))) for one in case.budgets
    )
    ours = {name: ceil(count * times.get(name, 1.0)) for name, count in case.ours.items()}
    hazard = case.hazard and replace(
        case.hazard, between=tuple(told[words] for words in case.hazard.between)
    )
    return replace(case, budgets=budgets, ours=ours, hazard=hazard)


def _rule(rule: Rule, plan: Plan) -> Rule:
    """The rule with the lengths that its arrays have in the layouts."""

    def sized(text: str) -> str:
        found = re.fullmatch(r"(.* )?(\w+)\[([^]]+)\](.*)", text)
        if not found or (rule.kernel, found[2]) not in plan:
            return text
        layout, length = plan[rule.kernel, found[2]][1], found[3]
        rows, _, columns = length.rpartition(" * ")
        names = {"L": f"({length})", "R": f"({rows})", "C": f"({columns})"}
        size = re.sub(r"\b[LRC]\b", lambda one: names[one[0]], layout.size)
        return f"{found[1]}{found[2]}[{length if layout.fills else size}]{found[4]}"

    return replace(rule, parameters=tuple(map(sized, rule.parameters)))


def _with_all_that_reaches(source: str, reached: re.Pattern[str]) -> str:
    """The source, the learner's part grown by given lines beside it that reach for an array. (Where
    no solution is, these lines are left out.)"""
    lines = source.splitlines(keepends=True)
    code = masked(source).splitlines(keepends=True)
    begin, end = (
        [at for at, line in enumerate(lines) if re.search(words, line)]
        for words in (r"// BEGIN SOLUTION|" + kinds.YOURS, r"// END SOLUTION|" + kinds.YOURS)
    )
    for first, last in reversed(list(zip(begin, end, strict=True))):
        up, down = _reaching(code, first, -1, reached), _reaching(code, last, 1, reached)
        above, below = lines[first - up : first], lines[last + 1 : last + 1 + down]
        kept = [one for one, text in zip(above, code[first - up : first], strict=True) if not text.strip()]
        taken = [one for one, text in zip(above, code[first - up : first], strict=True) if text.strip()]
        mark = lines[first]
        inner = [] if first == last else [*taken, *lines[first + 1 : last], *below, lines[last]]
        lines[first - up : last + 1 + down] = [*(one for one in kept if one.strip()), mark, *inner]
    return _with_places(lines, reached)


_NEXT_DOOR = re.compile(
    rf"[ \t]*// END SOLUTION\n[ \t]*// BEGIN SOLUTION\n|([ \t]*{kinds.YOURS}\n)(?:[ \t]*{kinds.YOURS}\n)+"
)


def _with_places(lines: list[str], reached: re.Pattern[str]) -> str:
    """The same, where each other line that reaches for an array, if it is one statement, is a
    place of its own for the learner."""
    code, out, given = masked("".join(lines)).splitlines(), [], True
    is_solved = kinds.is_solution("".join(lines))
    for at, line in enumerate(lines):
        given = (given or "END SOLUTION" in line) and "BEGIN SOLUTION" not in line
        begins = code[at - 1].rstrip().endswith((";", "{", "}")) or not code[at - 1].strip()
        ends = code[at].rstrip().endswith(";") and code[at].count("(") == code[at].count(")")
        indent = line[: len(line) - len(line.lstrip())]
        if not (given and begins and ends and reached.search(code[at])):
            out.append(line)
        elif is_solved:
            out += [f"{indent}// BEGIN SOLUTION\n", line, f"{indent}// END SOLUTION\n"]
        else:
            out.append(f"{indent}{kinds.YOURS}\n")
    return _NEXT_DOOR.sub(lambda found: found[1] or "", "".join(out))


def _reaching(code: list[str], mark: int, step: int, reached: re.Pattern[str]) -> int:
    """How many lines from the mark on, upward (-1) or downward, end with one that reaches for an
    array; their brackets are closed, and they are whole statements."""
    most, depth = 0, 0
    for count in range(1, _LONGEST + 1):
        at = mark + step * count
        if not 0 <= at < len(code):
            break
        line = code[at]
        depth += step * sum((sign in "([{") - (sign in ")]}") for sign in line)
        if depth < 0:
            break
        before = code[at - 1].rstrip() if step < 0 else line.rstrip()
        whole = before.endswith((";", "{", "}")) or not before.strip()
        if depth == 0 and whole and reached.search(line):
            most = count
        elif step < 0 and depth == 0 and reached.search(line):
            break
    return most


# ---- which variants there are ----


def candidates(exercise: Exercise, wrong: tuple[mistakes.WrongKernel, ...] = ()) -> tuple[Anew, ...]:
    """All variants that may be made, in an order that depends on the exercise alone."""
    known = [one for one in arrays(exercise) if not one.why]
    choices = [("", *one.layouts()) for one in known]
    layouts = [
        {one.name: name for one, name in zip(known, names, strict=True) if name}
        for names in product(*choices)
        if 1 <= sum(map(bool, names)) <= 2
    ]
    bugs = [("", ""), *_bugs(exercise, wrong)]
    made = [
        Anew(chosen, *bug) for bug in bugs for chosen in ([{}, *layouts] if bug[0] else layouts)
    ]
    return tuple(sorted(made, key=lambda one: _order(exercise, str(one))))


def _order(exercise: Exercise, said: str) -> bytes:
    return hashlib.sha256(f"{exercise.id} {said}".encode()).digest()


def _bugs(
    exercise: Exercise, wrong: tuple[mistakes.WrongKernel, ...]
) -> Iterator[tuple[str, str]]:
    """Named mistakes that can be planted, each with its lines."""
    outside = kinds.Write().handed_out(exercise.solution)
    for one in wrong if isinstance(exercise.kind, kinds.Bug) else ():
        lines = kinds.answers(one.source)
        if one.exercise == exercise.name and kinds.Write().handed_out(one.source) == outside:
            given = "".join(lines)
            if len(lines) == 1 and given.split() != exercise.kind.given.split():  # type: ignore[attr-defined]
                yield one.name, given


def structure(exercise: Exercise, plan_names: set[str]) -> frozenset[str]:
    """The indices of arrays in what the learner writes, or is given to change, with one number for
    another."""
    own = "".join(kinds.answers(exercise.solution)) if isinstance(exercise.kind, kinds.Write) else ""
    text = masked(own or exercise.solution)
    found = set()
    for one in re.finditer(r"(?<!\.)\b(\w+)\s*\[", text):
        if one[1] in plan_names:
            index = text[one.end() : closing(text, one.end() - 1)]
            found.add(re.sub(r"\s+", "", re.sub(r"\b\d+\b", "N", f"{one[1]}[{index}]")))
    return frozenset(found)


def kept(lesson: Path) -> dict[str, tuple[Anew, ...]]:
    """The variants that were tried and are kept with the lesson, by exercise."""
    rows = solution_counts.kept(lesson, what=FILE)
    return {name: tuple(Anew(**row) for row in some) for name, some in rows.items()}


def variants(exercise: Exercise, root: Path = KERNELS) -> tuple[Anew, ...]:
    """The variants of an exercise that are kept."""
    return kept(root / exercise.id.partition("/")[0]).get(exercise.name, ())


def vary(exercise: Exercise, seed: int, root: Path = KERNELS) -> Exercise:
    """The exercise drawn anew, with as many points; it is called after its number."""
    known = variants(exercise, root)
    if not known:
        raise NotInCourse(f"There are no variants of {exercise.id}.")
    number = seed % len(known)
    plan = plan_of(arrays(exercise), known[number])
    return recoded(exercise, known[number], plan, f"{exercise.name}_{number + 1}")


def text(rows: Mapping[str, tuple[Anew, ...]]) -> str:
    """variants.json with these variants, by exercise."""
    made = [
        f" {json.dumps(name)}: [\n"
        + ",\n".join(f"  {json.dumps(_row(one))}" for one in some)
        + "\n ]"
        for name, some in rows.items()
    ]
    return "{\n" + ",\n".join(made) + "\n}\n"


def _row(one: Anew) -> dict[str, Any]:
    given = {"layouts": dict(one.layouts), "bug": one.bug, "given": one.given, "costs": dict(one.costs)}
    return {name: value for name, value in given.items() if value}
