"""Comparison and selection (PTX ISA, "Comparison and Selection Instructions")."""

from typing import Any

import numpy as np

from ..numbers import DTYPES, ON_ARRAYS, flush, from_bfloat, size_of
from ..program import Carries, Instruction, Register
from ..table import Compute, Elementwise, Meaning, elementwise

_ORDERED = {  # by name: the operation
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
    "lo": "less",  # this and those below go with unsigned integers alone
    "ls": "less_equal",
    "hi": "greater",
    "hs": "greater_equal",
}
# Of floating-point numbers, some also true where an operand is NaN: what is left when the opposite
# fails.
_UNORDERED: dict[str, Compute] = {
    "equ": lambda a, b: ~((a < b) | (a > b)),
    "neu": np.not_equal,
    "ltu": lambda a, b: ~(a >= b),
    "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b),
    "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: (a == a) & (b == b),
    "nan": lambda a, b: (a != a) | (b != b),
    "ne": lambda a, b: (a < b) | (a > b),
}
_FLOATS = ("f16", "bf16", "f32", "f64")
_COMBINING = {name: f"bitwise_{name}" for name in ("and", "or", "xor")}


def _lines(integers: str, floats: str) -> list[str]:
    """Both comparisons, alone and combined with a predicate."""
    alone = [
        f"{'|'.join(_ORDERED)} {{0}} {integers} : d, a, b{{1}}",
        f"{'|'.join(_UNORDERED)}|eq|lt|le|gt|ge {{0}} ftz? {floats} : d, a, b{{1}}",
    ]
    return [
        *(line.format("", "") for line in alone),
        *(line.format("|".join(_COMBINING), ", c") for line in alone),
    ]


def _comparison(instruction: Instruction, kind: str) -> Meaning:
    """The comparison that the first modifier names, of numbers of a scalar `kind`."""
    name, flushes = instruction.form.mods[0], instruction.form.has("ftz")
    number = from_bfloat if kind == "bf16" else flush if flushes else None

    def meaning(on: Any) -> Compute:
        if kind not in _FLOATS:
            return getattr(on, _ORDERED[name])
        compare = _UNORDERED.get(name) or getattr(on, _ORDERED[name])
        return (lambda a, b: compare(number(a), number(b))) if number else compare

    return meaning


def _combined(meaning: Meaning, instruction: Instruction) -> Meaning:
    """A comparison with what it does to the predicate that it is combined with, if there is one."""
    if (name := instruction.form.one_of(_COMBINING)) is None:
        return meaning

    def combination(on: Any) -> Compute:
        compare, combine = meaning(on), getattr(on, _COMBINING[name])
        return lambda a, b, c: combine(compare(a, b), c)

    return combination


def _on_pairs(compare: Compute, kind: str) -> Compute:
    """A comparison of what registers hold, two numbers of a scalar `kind` each: (2 * lanes,)."""
    return lambda a, b, *c: compare(
        *[np.ascontiguousarray(x).view(DTYPES[kind]) for x in (a, b)], *[np.repeat(x, 2) for x in c]
    )


@elementwise("setp", *_lines("INT|BITS", "FLOAT|f16x2|bf16x2"), asks=True)
def setp(instruction: Instruction) -> Elementwise:
    """p[|q], a, b[, c]: q gets the opposite; of a pair of halves, p is for the lower and q for
    the upper."""
    kind, target = instruction.form.type, instruction.operands[0]
    scalar, sources = kind.removesuffix("x2"), (kind, kind, "pred")[: len(instruction.operands) - 1]
    meaning = _comparison(instruction, scalar)
    whole = _combined(meaning, instruction)
    holds = whole(ON_ARRAYS)
    if scalar != kind:
        of_pairs = _on_pairs(holds, scalar)
        return Elementwise(lambda *x: of_pairs(*x).reshape(-1, 2).T, sources, ("pred", "pred"))
    if isinstance(target, Register):
        return Elementwise(holds, sources, "pred", meaning=None if scalar in _FLOATS else whole)
    fails = _combined(lambda on: lambda a, b: ~meaning(on)(a, b), instruction)(ON_ARRAYS)
    return Elementwise(lambda *x: (holds(*x), fails(*x)), sources, ("pred", "pred"))


_RESULTS = "u16|s16|u32|s32|f32|f16|bf16"


@elementwise(
    "set",
    *_lines(f"{_RESULTS} INT|BITS", f"{_RESULTS} FLOAT"),
    *_lines("", "f16x2|bf16x2 f16x2|bf16x2")[1::2],  # those on floating-point numbers
)
def set_(instruction: Instruction) -> Elementwise:
    """1.0 or all ones where true, else 0."""
    result, source = instruction.form.mods[-2:]
    kind, scalar = source.removesuffix("x2"), result.removesuffix("x2")
    scalars = _combined(_comparison(instruction, kind), instruction)(ON_ARRAYS)
    compare = scalars if kind == source else _on_pairs(scalars, kind)
    size, word = size_of(scalar), f"u{size_of(result)}"
    true = np.array(
        {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}.get(scalar, (1 << 8 * size) - 1),
        f"u{size}",
    )
    return Elementwise(
        lambda *operands: (compare(*operands) * true).view(word),
        (source, source, "pred")[: len(instruction.operands) - 1],
        f"b{8 * size_of(result)}",
    )


@elementwise("selp", "BITS|INT|f32|f64 : d, a, b, c", carries=Carries.CHOSEN)
def selp(instruction: Instruction) -> Elementwise:
    kind = f"b{8 * size_of(instruction.form.type)}"
    return Elementwise(
        lambda a, b, p: b ^ (a ^ b) * p,  # faster than `np.where`
        (kind, kind, "pred"),
        kind,
        meaning=lambda on: lambda a, b, p: on.select(p, a, b),
    )


@elementwise(
    "slct",
    *[f"{one} : d, a, b, c" for one in ("BITS|INT|f32|f64 s32", "ftz? BITS|INT|f32|f64 f32")],
)
def slct(instruction: Instruction) -> Elementwise:
    """a where c >= 0 (so for -0, not for NaN), else b."""
    kind, test = instruction.form.mods[-2:]
    bits = f"b{8 * size_of(kind)}"
    value: Compute = flush if instruction.form.has("ftz") else np.asarray
    return Elementwise(lambda a, b, c: np.where(value(c) >= 0, a, b), (bits, bits, test), bits)
