"""On which conditions a thread came to a line, in the line's words and with values; what to ask of
them. A compiler asks `x < 1` for `x <= 0`, turns a comparison round, or asks the opposite.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from ...compilers.declared import Declarations
from ...course import Launch, rules
from ...grouped import grouped
from ...machine.lanes import coordinates
from ..compare import Words
from ..protocol import Choice, ThreadPath, ThreadPlace

ASKS = {
    **{"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="},
    **{"lo": "<", "ls": "<=", "hi": ">", "hs": ">="},
    **{"equ": "==", "neu": "!=", "ltu": "<", "leu": "<=", "gtu": ">", "geu": ">="},
}
_NOT = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_NEIGHBOUR = {"<": ("<=", -1), ">=": (">", -1), ">": (">=", 1), "<=": ("<", 1)}
COMPARED = re.compile(r"(?<![<>=!-])(?:[=!<>]=|[<>](?![<>=]))")
_BARE = re.compile(r"\bif \((!?\w+)\)")  # a variable alone: whether it is not 0
COMPUTED = re.compile(r"\w [-+*/%] \w+ [<>]=? |[<>]=? \w+ [-+*/%] \w")  # before it is compared
MOST = 2  # comparisons of one line


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
    every = [
        *((*form, one.holds) for form in forms),
        *((_NOT.get(asks, ""), left, right, not one.holds) for asks, left, right in forms),
    ]
    operators, numbers = set(COMPARED.findall(text)), set(re.findall(r"\d+", text))
    for asks, *sides, holds in every:
        left, right = (_number(value) for value, _ in sides)
        stands = all(_number(abs(value)) in numbers for value, is_fixed in sides if is_fixed)
        trivial = asks == "==" and left == right and not is_telling
        if asks in operators and stands and not trivial:
            return f"`{left} {asks} {right}` is {str(holds).lower()}"
    bare = _BARE.search(text)
    return (
        f"`{bare[1]}` is {str((one.values[0] != 0) != ('!' in bare[1])).lower()}"
        if bare and operator_of(one) in ("==", "!=") and one.fixed[1] and one.values[1] == 0
        else ""
    )


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


def is_tied(choice: Choice) -> bool:
    """Whether two floats are compared that are equal, and not numbers of the code."""
    return of_floats(choice) and choice.values[0] == choice.values[1] and not any(choice.fixed)


def in_words(choice: Choice, text: str = "") -> str:
    """A choice in words; without what it asks where its line, the `text`, asks something else, or
    computes what it compares: a compiler turns comparisons of whole numbers round."""
    if text and not COMPUTED.search(text) and (written := as_written(choice, text)):
        return f"takes {choice.taken:.6g}, because {written}"
    one, other = choice.values
    is_turned = text and (
        operator_of(choice) not in COMPARED.findall(text) or COMPUTED.search(text)
    )
    return (
        f"asks whether {one:.6g} {operator_of(choice) or 'against'} {other:.6g}, and takes "
        f"{choice.taken:.6g}"
        if not is_turned or of_floats(choice)
        else f"chooses {choice.taken:.6g}, not {choice.refused:.6g}"
        if f"{choice.taken:.6g}" != f"{choice.refused:.6g}"
        else f"chooses {choice.taken:.6g}"
    )


def after_value(here: str, asked: str, among: str = "") -> str:
    """A question, after one about the only value that is told `here`; if there are numbers in
    `among`, about the only one that is one of these, or is too large for them."""
    first = [
        f"Is {one[2]} the right value of `{one[1]}` (line {one[3]})? If it is, "
        for one in re.finditer(r"`(\w+)` is (-?\d+|true|false) \(line (\d+)(, unsigned)?", here)
        if one[4]
        or not among
        or one[2].isalpha()
        or re.search(rf"(?<![\w-]){one[2]}\b", among.partition("`")[2])
    ]
    return f"{first[0]}{asked[0].lower()}{asked[1:]}" if len(first) == 1 else asked


def after_doubts(doubted: Sequence[tuple[str, int | None]], asked: str) -> str:
    """A question, after one about what is doubted, if that is one thing or two: names with lines,
    or a line without a name."""
    said = " and ".join(f"`{name}` (line {at})" if name else f"line {at}" for name, at in doubted)
    forms = {1: f"Is {said} right? If it is, ", 2: f"Are {said} right? If they are, "}
    first = forms.get(len(doubted), "") if len(dict(doubted)) == len(doubted) else ""
    asked = asked.removeprefix("Is the index right? If it is, ") if first else asked
    asked = f"{asked[0].upper()}{asked[1:]}"
    return f"{first}{asked[0].lower()}{asked[1:]}" if first else asked


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
    # Also one that is trivial, such as `0 == 0`, if nothing else decides.
    every = held[-most:] + [
        as_written(one, declared.line(line), True) for one in asked if one.place.line == line
    ]
    last = [one for one in dict.fromkeys(every) if one.endswith(decides_alone)][:most]
    last = last or held[-most:]
    part = "the part " if len(last) == 1 and joined else ""
    return f"on line {line}, {part}{' and '.join(last)}", line


def without_round(path: ThreadPath, source: str) -> dict[int, str]:
    """By line the loops in which a thread makes no round, with the comparison that ends them, ":
    `0 < 0` is false"; "" where a compiler asks something else, and the thread never comes to a
    `while` in the loop."""
    declared = Declarations(source)
    asked = grouped(
        (at, as_written(one, declared.line(at)))
        for one in path.branches
        if (at := one.place.line or 0) in declared.loops
    )
    inside = {
        at: [one for one in range(at + 1, declared.end(at)) if "while (" in declared.line(one)]
        for at in asked
    }
    begins = {at: re.findall(r"= (\d+);", declared.loop(at)[0]) for at in asked}
    return {
        at: f": {said[0]}" if said[0] else ""
        for at, said in asked.items()
        # A comparison with another number than the first one comes after a round.
        if not begins[at] or not said[0] or f"`{begins[at][0]} " in said[0]
        if all(one.endswith("false") for one in said)
        or (len(said) == 1 and not said[0] and inside[at] and asked.keys().isdisjoint(inside[at]))
    }


def numbers_of(thread: ThreadPlace, launch: Launch, words: Words) -> dict[str, int]:
    """The whole numbers that a thread knows: gridDim.x and so on, its own indices, parameters."""
    known = rules.launch_names(launch.grid, launch.block) | words.numbers(launch)
    places = ("blockIdx", thread.block, launch.grid), ("threadIdx", thread.thread, launch.block)
    for name, linear, shape in places:
        at = coordinates(linear, rules.dimensions(shape))
        known |= {f"{name}.{axis}": int(one) for axis, one in zip(rules.AXES, at, strict=True)}
    return known


def compared_on(declared: Declarations, line: int, known: Mapping[str, int], asked: str) -> str:
    """A sentence, after a blank, with the values that the names on a line have, as far as they
    follow from whole numbers that are `known`, and with the one that the only comparison that was
    `asked` there had of a variable; "" where there is none."""
    told = "".join(
        f" Here {one}."
        for one in re.findall("^: (.+)", declared.computed_on(declared.line(line), line, known))
    )
    sides = COMPARED.split(declared.guard(line)[0])
    if bare := re.search(r"`(!?)(\w+)` is (true|false)", asked):
        value, made = (bare[1] == "!") != (bare[3] == "true"), declared.given(bare[2], line)[1]
        return told or f" `{bare[2]}` is {str(value).lower()} (line {made})." * bool(made)
    compared = re.findall(r"`(\S+) [<>=!]=? (\S+)`", asked) if len(sides) == 2 else []
    named = zip(compared[0], map(str.strip, sides), strict=True) if len(compared) == 1 else ()
    return told + "".join(
        f" `{name}` is {value} (line {at})."
        for value, name in named
        if (at := declared.given(name, line, value)[1]) and f"`{name}` is" not in told
    )
