"""What one thread did: on which conditions it came to a stray access, or past a store.

The path of the learner's thread is the fact; the path of the solution's thread of the same number
says whether it has anything to do there.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...compilers.declared import Declarations
from ...course import Launch, rules
from ...cuda.errors import Message
from ...grouped import grouped
from ...machine.lanes import coordinates
from ...status import Status
from ..cases import of_failure, thread_of
from ..compare import Words
from ..protocol import Choice, Failed, ThreadPath, ThreadPlace
from ..session import Outcomes

ASKS = {
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
    **{"lo": "<", "ls": "<=", "hi": ">", "hs": ">="},
    **{"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="},
}
_NOT = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NEIGHBOUR = {"<": ("<=", -1), ">=": (">", -1), ">": (">=", 1), "<=": ("<", 1)}
COMPARED = re.compile(r"(?<![<>=!-])(?:[=!<>]=|[<>](?![<>=]))")
COMPUTED = re.compile(r"\w [-+*/%] \w+ [<>]=? |[<>]=? \w+ [-+*/%] \w")  # before it is compared
MOST = 2  # comparisons of one line


def after_value(here: str, asked: str, among: str = "") -> str:
    """A question, after one about the only value that is told `here`; if there are numbers in
    `among`, about the only one that is one of these, or is too large for them."""
    first = [
        f"Is {one[2]} the right value of `{one[1]}` (line {one[3]})? If it is, "
        for one in re.finditer(r"`(\w+)` is (-?\d+) \(line (\d+)(, unsigned)?", here)
        if one[4] or not among or re.search(rf"(?<![\w-]){one[2]}\b", among.partition("`")[2])
    ]
    return f"{first[0]}{asked[0].lower()}{asked[1:]}" if len(first) == 1 else asked


def last_conditions(
    path: ThreadPath, source: str, before: int = 0, decides: Callable[[Choice], bool] | None = None
) -> tuple[str, int | None]:
    """The last branch of a thread that says something, as its line asks, with values: "on line 8,
    `64 < 64` is false"; and the line. "" where there is none. `before`: of those before this line,
    if there is one; `decides`: of those alone for which it is true."""
    declared = Declarations(source)
    # A compiler unrolls loops, and then asks what the line of a loop does not.
    asked = [
        one
        for one in path.branches
        if one.place.line and declared.condition(one.place.line)[1] != one.place.line
        if decides is None or decides(one)
    ]
    said = [
        (at, said)
        for one in asked
        if (at := one.place.line) and (said := as_written(one, declared.line(at), at < before))
    ]
    line = next((at for at, _ in said[::-1] if at < before), said[-1][0] if said else 0)
    most = 1 if declared.loop(line)[0] else MOST  # of the last round alone
    plain = (as_written(one, declared.line(line)) for one in asked if one.place.line == line)
    held = [*dict.fromkeys([*filter(None, plain)] or [text for at, text in said if at == line])]
    if not held:
        return "", None
    joined = {*re.findall(r"&&|\|\|", declared.line(line))}
    decides_alone = {"&&": "false", "||": "true"}.get("".join(joined), "neither")
    last = [one for one in held[-most:] if one.endswith(decides_alone)] or held[-most:]
    part = "the part " if len(last) == 1 and joined else ""
    return f"on line {line}, {part}{' and '.join(last)}", line


def as_written(one: Choice, text: str, is_telling: bool = False) -> str:
    """A comparison as its line has it: a compiler asks `x < 1` for `x <= 0`, turns it round, or
    asks the opposite. "" for one that the compiler made, as of a loop that it unrolled, and for a
    number that equals itself, if that is not `is_telling`: thread 0 asks `threadIdx.x == 0`."""
    asks = operator_of(one)
    a, b = zip(one.values, one.fixed, strict=True)
    forms = [(asks, a, b)]
    if one.fixed[1] and asks in _NEIGHBOUR and not of_floats(one):
        other, step = _NEIGHBOUR[asks]
        forms.append((other, a, (b[0] + step, True)))
    forms += [(TURNED[asks], right, left) for asks, left, right in forms if asks in TURNED]
    every = [(*form, one.holds) for form in forms]
    every += [(_NOT.get(asks, ""), left, right, not one.holds) for asks, left, right in forms]
    operators, numbers = set(COMPARED.findall(text)), set(re.findall(r"\d+", text))
    for asks, *sides, holds in every:
        left, right = (_number(value) for value, _ in sides)
        stands = all(_number(abs(value)) in numbers for value, is_fixed in sides if is_fixed)
        trivial = asks == "==" and left == right and not is_telling
        if asks in operators and stands and not trivial:
            return f"`{left} {asks} {right}` is {str(holds).lower()}"
    return ""


def sides_as_asked(one: Choice, asks: str) -> list[tuple[float, float]]:
    """What a comparison holds on its left side and on its right one, as its line `asks`; two ways
    where it cannot be seen which side a compiler has changed: it compares `x > 4` for `x >= 5`.
    Nothing where it asks something else."""
    (a, b), operator = one.values, operator_of(one)
    kinds = {asks, _NOT.get(asks)}
    if asks in ("==", "!="):
        return [(a, b), (b, a)] if operator in kinds else []
    for said, left, right in ((operator, a, b), (TURNED.get(operator, ""), b, a)):
        near, step = _NEIGHBOUR.get(said, ("", 0))
        if said in kinds:
            return [(left, right)]
        if near in kinds:
            return [(left, right + step), (left - step, right)]
    return []


def of_floats(one: Choice) -> bool:
    """Whether a comparison is one of floats."""
    return one.opcode.endswith(("f16", "f32", "f64"))


def may_ask(one: Choice, text: str) -> bool:
    """Whether a line has a comparison that a compiler may make this one of, or none at all."""
    asks, there = operator_of(one), set(COMPARED.findall(text))
    kin = {asks, _NOT.get(asks), TURNED.get(asks), _NOT.get(TURNED.get(asks, ""))}
    return not there or asks not in ("==", "!=") or bool(kin & there)


def operator_of(one: Choice) -> str:
    """The operator of a comparison; "" where C++ has none."""
    return next((ASKS[part] for part in one.opcode.split(".") if part in ASKS), "")


def _number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < 1 << 53 else f"{value:.6g}"


def without_round(path: ThreadPath, source: str) -> dict[int, str]:
    """By line the loops in which a thread makes no round, with the comparison that ends them:
    "`0 < 0` is false"."""
    declared = Declarations(source)
    asked = grouped(
        (at, as_written(one, declared.line(at)))
        for one in path.branches
        if (at := one.place.line or 0) in declared.loops
    )
    return {at: said[0] for at, said in asked.items() if all(one.endswith("false") for one in said)}


_NO_PLACE = re.compile(r"\d|(?:block|grid)Dim\.|(?:int|const|unsigned|size_t|sizeof|min|max)$")
_OF_THREADS = re.compile(r"(?:threadIdx|blockIdx)\..|asm|thread_rank")


def _array(said: str) -> str:
    """The array of the first element that a sentence names; "" if it names none."""
    return next(iter(re.findall(r"`(\w+)\[", said)), "")


class _Decides:
    """Tells the comparisons that decide who comes to the access on line `here`, of which was
    `said`, and with which index: those by size, of threads, that share a name with the index (if
    that is known), and those of a loop only if the access is in it."""

    def __init__(self, declared: Declarations, here: int, said: str):
        self._declared, self._here = declared, here
        array = _array(said)
        self._made = declared.made_of(declared.index(here, array) if array else "", False)

    def __call__(self, one: Choice) -> bool:
        line = one.place.line or 0
        asked = self._declared.made_of(self._declared.line(line), False)
        shared = self._made & asked - self._declared.constants.keys()
        return (
            False
            if line in self._declared.loops and self._declared.loop(self._here)[1] != line
            else operator_of(one) not in ("==", "!=")
            and any(map(_OF_THREADS.match, asked))
            and (not self._made or any(not _NO_PLACE.match(name) for name in shared))
        )


def numbers_of(thread: ThreadPlace, launch: Launch, words: Words) -> dict[str, int]:
    """The whole numbers that a thread knows: gridDim.x and so on, its own indices, parameters."""
    known = rules.launch_names(launch.grid, launch.block) | words.numbers(launch)
    places = ("blockIdx", thread.block, launch.grid), ("threadIdx", thread.thread, launch.block)
    for name, linear, shape in places:
        at = coordinates(linear, rules.dimensions(shape))
        known |= {f"{name}.{axis}": int(one) for axis, one in zip(rules.AXES, at, strict=True)}
    return known


def values_on(declared: Declarations, line: int, known: Mapping[str, int]) -> str:
    """A sentence, after a blank, with the values that the names on a line have, as far as they
    follow from whole numbers that are `known`; "" where they do not."""
    computed = declared.computed_on(declared.line(line), line, known)
    return f" Here {computed[2:]}." if computed.startswith(":") else ""


def compared_on(declared: Declarations, line: int, known: Mapping[str, int], asked: str) -> str:
    """As `values_on`, with the value that the only comparison that was `asked` on the line had of a
    variable, if that does not follow."""
    told, sides = values_on(declared, line, known), COMPARED.split(declared.guard(line)[0])
    compared = re.findall(r"`(\S+) [<>=!]=? (\S+)`", asked) if len(sides) == 2 else []
    named = zip(compared[0], map(str.strip, sides), strict=True) if len(compared) == 1 else ()
    return told + "".join(
        f" `{name}` is {value} (line {at})."
        for value, name in named
        if (at := declared.given(name, line)[1]) and f"`{name}` is" not in told
    )


def beyond_row(judged: Outcomes, at: int, failure: Failed) -> Message:
    """Of a fault at an element of a shared array: an index that is larger than its row, so that it
    is in the next one."""
    where, line = of_failure(judged.instances[at], failure), failure.line or 0
    thread = where and thread_of(judged.instances[at].problem, where)
    named = re.search(r"`(\w+)\[\d+\]\[", judged.results[at].parts.first)
    if not (where and thread and named):
        return Message()
    launch = judged.instances[at].problem.launches[where.launch - 1]
    known = numbers_of(thread, launch, judged.words[at])
    indices = Declarations(judged.source).indices(line, named[1], known)
    for at, (index, value, length) in enumerate(indices, 1):
        if value is not None and length and value >= length:
            has, short = (
                (f"a row of `{named[1]}` has {length} elements", "is the row too short")
                if at == len(indices)
                else (f"`{named[1]}` has {length} there", "has the array too few rows")
            )
            return Message(
                why=f"The index `{index}` is {value} for {thread.who}, but {has}."
                + " So it is an element of the next row." * (at == len(indices)),
                remedy=f"Is the index too large, or {short}?",
            )
    return Message()


def after_doubts(doubted: Sequence[tuple[str, int | None]], asked: str) -> str:
    """A question, after one about what is doubted, if that is one thing or two: names with lines,
    or a line without a name."""
    said = " and ".join(f"`{name}` (line {at})" if name else f"line {at}" for name, at in doubted)
    forms = {1: f"Is {said} right? If it is, ", 2: f"Are {said} right? If they are, "}
    first = forms.get(len(doubted), "") if len(dict(doubted)) == len(doubted) else ""
    return f"{first}{asked[0].lower()}{asked[1:]}" if first else asked


def in_one_bank(judged: Outcomes, at: int) -> Message:
    """Of bank conflicts at a line: two lanes of the first warp and their elements in one bank, as
    far as the indices there follow from the threads' numbers."""
    declared, line = Declarations(judged.source), judged.results[at].line or 0
    launch, words = judged.instances[at].problem.launches[0], judged.words[at]
    for name, (array, *_) in declared.variables.items():
        if array.memory != "shared" or None in (sizes := array.dimensions):
            continue
        banks = dict[int, dict[int, tuple[int, list[int]]]]()
        size, elements = declared.size(array.type) or 4, [one or 1 for one in sizes]
        for lane in range(min(32, math.prod(rules.dimensions(launch.block)))):
            known = numbers_of(ThreadPlace(0, lane, line), launch, words)
            fixed = dict.fromkeys(re.findall(r"\w+", declared.line(line)), 0)  # a first round's
            found = declared.indices(line, name, fixed | known)
            place = [one for _, one, _ in found if one is not None]
            if len(place) == len(elements):
                cell = int(np.ravel_multi_index(place, elements, mode="wrap"))
                banks.setdefault(cell * size // 4 % 32, {}).setdefault(cell, (lane, place))
        most = max(banks.values(), key=len, default={})
        if len(most) > 1:
            (one, first), (other, second), *_ = most.values()
            here, there = ("".join(f"[{at}]" for at in place) for place in (first, second))
            return Message(
                why=f"On line {line}, lane {one} accesses `{name}{here}` and lane {other} "
                f"`{name}{there}`, which are in the same bank.",
                remedy="Which index, or which length of a row, would put them in different banks?",
            )
    return Message()


def of_stray(judged: Outcomes, at: int, failure: Failed, seen: Message) -> Message:
    """Of an access outside of its array: the last condition that let its thread pass. Where the
    solution's thread of that number uses the array, too, no guard is to stop the learner's.
    `seen`: how the index comes about, which says more than its number does."""
    told, instance, words = judged.results[at].parts, judged.instances[at], judged.words[at]
    where = of_failure(instance, failure)
    thread = where and thread_of(instance.problem, where)
    if not where or not thread:
        return told
    mine, ours = (
        session.path(instance, where.launch, thread) for session in (judged.session, judged.ours)
    )
    declared, here = Declarations(judged.source), failure.line or 0
    is_beyond = failure.status == Status.OUT_OF_BOUNDS
    asked, line = last_conditions(
        mine, judged.source, decides=_Decides(declared, here, told.first) if is_beyond else None
    )
    loop, head = declared.condition(here)
    works = is_beyond and any(f"`{words.name(one)}[" in told.first for one in ours.used)
    several = "One access of" in told.why  # whose index may be right
    known = numbers_of(thread, instance.problem.launches[where.launch - 1], words)
    values = compared_on(declared, line, known, asked) if line and asked else ""
    usual = Declarations(words.solution)
    unusual, array = declared.unusual(usual), _array(told.first)
    is_its_own = line in (here, declared.guard(here)[1])
    doubted = [  # a value that is compared
        (one, at)
        for one, at in declared.doubtful(declared.line(line), line or 0, usual)
        if {*re.findall(rf"`{one}` is (-?\d+)", values)} & {*re.findall(r"-?\d+", asked)}
        or (asked and is_its_own and not is_beyond)
    ]
    if is_beyond and not doubted:
        doubted = declared.doubtful(loop, head, usual) if not asked else []
        doubted += [one for one in declared.pointer(here, array) if one[1] in unusual]
    sizes = ", ".join(words.sizes(instance.problem.launches[where.launch - 1]))
    remedy = re.sub(r"(?<=the array here)(?=\?)", f", with {sizes}" * bool(sizes), told.remedy)
    if is_beyond and not array:
        on = f"line {here}{declared.computed_on(declared.line(here), here)}"
        asked, remedy = "", f"Which part of the address on {on} is wrong?"
    if works and not (loop or several):
        index = declared.index(here, array)
        computed = declared.computed_on(index, here, known)
        of = f"{', with' if computed else ' with'} {sizes}" if sizes else ""
        asked, doubted = "", []
        names = declared.doubtful(index, here, usual)
        remedy = f"This thread should be here, but its index is wrong{computed}{of}. " + (
            after_doubts(names, "Which other part of the index is wrong?")
            if len(names) == 1 and not computed.startswith(":")
            else "How should the index be computed?"
        )
    elif (
        asked
        and (is_beyond or (is_its_own and asked.endswith("true")))
        and remedy.startswith(("Is the index right", "Should this"))
    ):
        same = f"condition or the index on line {here}"
        apart = f"condition on line {line} or the index on line {here}"
        remedy = f"Is the {same if line == here else apart} wrong for this thread?"
    arrays = {words.name(name): one for name, one in instance.problem.inputs.items()}
    for index in re.findall(r"\[(\w+)\]", declared.line(here)) if is_beyond else ():
        right, made = declared.given(index, here)
        source = right.partition("[")[0]
        if source in arrays and arrays[source].dtype.kind in "iu":
            told, doubted = replace(told, why=f"Line {made} loads `{index}` from `{source}`."), []
            remedy = f"What must hold for `{index}` before line {here} uses it as an index?"
    joins = re.findall(r"&&|\|\|", declared.line(line)) if "the part " in asked else []
    if is_beyond and asked.endswith(
        {"&&": "false", "||": "true"}.get("".join({*joins}), "neither")
    ):
        doubted = []
        remedy = f"On line {line} one part of the condition decides alone. Is `{joins[0]}` right?"
    why = (
        f"The launch has {sizes}."
        * bool(sizes and not is_beyond and ("copy" in told.first or (asked and is_its_own))),
        f"Before that, {asked}.{values}" if asked and (is_its_own or is_beyond) else "",
        *(told.why, seen.why),
    )
    return Message(
        told.first,
        seen.why if seen.remedy else " ".join(filter(None, why)),
        seen.remedy or after_doubts(doubted, remedy),
    )
