"""A comparison of a run in the words of its line: a compiler asks `x < 1` for `x <= 0`, turns it
round, or asks the opposite.
"""

import re

from ..protocol import Choice

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


def is_tied(choice: Choice) -> bool:
    """Whether two floats are compared that are equal, and not numbers of the code."""
    return of_floats(choice) and choice.values[0] == choice.values[1] and not any(choice.fixed)


def in_words(choice: Choice, text: str = "") -> str:
    """A choice in words; without what it asks where its line, the `text`, asks something else, or
    computes what it compares: a compiler turns comparisons of whole numbers round."""
    if text and not COMPUTED.search(text) and (written := as_written(choice, text)):
        return f"takes {choice.taken:.6g}, because {written}"
    one, other = choice.values
    asks = f"asks whether {one:.6g} {operator_of(choice) or 'against'} {other:.6g}, and "
    is_turned = text and (
        operator_of(choice) not in COMPARED.findall(text) or COMPUTED.search(text)
    )
    asks_it = not is_turned or of_floats(choice)
    chosen = f"chooses {choice.taken:.6g}, not {choice.refused:.6g}"
    return f"{asks}takes {choice.taken:.6g}" if asks_it else chosen
