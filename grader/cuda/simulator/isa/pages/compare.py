"""Comparison and selection (PTX ISA, "Comparison and Selection Instructions")."""

from __future__ import annotations

import numpy as np

from ...engine.operands import read
from ...numeric.numbers import flush, from_bfloat
from ...numeric.types import DTYPES, size_of
from ...program.ptx import Instruction, components
from ..form import Carries
from ..steps import Elementwise
from ..table import effect, elementwise

_ORDERED = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}
_UNORDERED = {  # true also where an operand is NaN: what is left when the opposite fails
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
_COMBINE = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
_FLOATS = ("f16", "bf16", "f32", "f64")


def _comparison(instruction: Instruction, kind: str):
    """The comparison that the first modifier names, on registers of a scalar `kind`."""
    name = instruction.form.mods[0]
    if kind not in _FLOATS:
        return _ORDERED[name]
    compare = _UNORDERED.get(name) or _ORDERED.get(name)
    if kind == "bf16":
        return lambda a, b: compare(from_bfloat(a), from_bfloat(b))
    if "ftz" in instruction.form.mods:
        return lambda a, b: compare(flush(a), flush(b))
    return compare


def _combination(instruction: Instruction):
    return _COMBINE.get(instruction.form.one_of(_COMBINE))


_ON_INTEGERS = "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"
_ON_FLOATS = f"{'|'.join(_UNORDERED)}|eq|lt|le|gt|ge"
_COMBINING = "|".join(_COMBINE)


def _lines(kinds_of_integers: str, kinds_of_floats: str) -> list[str]:
    """Both comparisons, alone and combined with a predicate."""
    alone = [
        f"{_ON_INTEGERS} {{0}} {kinds_of_integers} : d, a, b{{1}}",
        f"{_ON_FLOATS} {{0}} ftz? {kinds_of_floats} : d, a, b{{1}}",
    ]
    combined = ((line.format(_COMBINING, ", c")) for line in alone)
    return [*(line.format("", "") for line in alone), *combined]


@effect("setp", *_lines("INT|BITS", "FLOAT|f16x2|bf16x2"))
def setp(instruction: Instruction, at: int, machine):
    """p[|q], a, b[, c]: q gets the opposite; of a pair of halves, p is for the lower and q for
    the upper."""
    target, a, b, *rest = instruction.operands
    kind = instruction.form.type
    pair = kind.endswith("x2")
    compare = _comparison(instruction, kind.removesuffix("x2"))
    combine = _combination(instruction)
    outs = [
        machine.registers.write(register, "pred") if register.name != "_" else None
        for register in components(target)
    ]
    a, b = read(a, kind, machine), read(b, kind, machine)
    extra = read(rest[0], "pred", machine) if rest else None
    results = _of_halves(compare, kind) if pair else _and_opposite(compare)

    def step(lanes):
        for out, result in zip(outs, results(a[lanes], b[lanes]), strict=False):
            if out is not None:
                out[lanes] = result if combine is None else combine(result, extra[lanes])

    def plain_step(lanes):
        if type(lanes) is slice:
            compare(a[lanes], b[lanes], out=outs[0][lanes])
        else:
            outs[0][lanes] = compare(a[lanes], b[lanes])

    plain = len(outs) == 1 and not rest and not pair and isinstance(compare, np.ufunc)
    return plain_step if plain else step


def _and_opposite(compare):
    def results(a, b):
        result = compare(a, b)
        yield result
        yield ~result

    return results


def _of_halves(compare, kind: str):
    dtype = DTYPES[kind.removesuffix("x2")]

    def results(a, b):
        return [
            compare(*[np.ascontiguousarray(x).view(dtype)[half::2] for x in (a, b)])
            for half in (0, 1)
        ]

    return results


_TRUE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}


_RESULTS = "u16|s16|u32|s32|f32|HALF"


@elementwise("set", *_lines(f"{_RESULTS} INT|BITS", f"{_RESULTS} FLOAT|f16x2|bf16x2"))
def set_(instruction: Instruction):
    """1.0 or all ones where true, else 0."""
    result, source = (instruction.form.mods[-2], instruction.form.mods[-1])
    compare, combine = (
        _comparison(instruction, source.removesuffix("x2")),
        _combination(instruction),
    )
    scalar = result.removesuffix("x2")
    bits = 8 * size_of(scalar)
    true = np.array(_TRUE.get(scalar, (1 << bits) - 1), f"u{bits // 8}")

    def compute(a, b, extra=None):
        if source.endswith("x2"):
            dtype = DTYPES[source.removesuffix("x2")]
            a, b = (np.ascontiguousarray(x).view(dtype) for x in (a, b))
        held = compare(a, b)
        if combine:
            held = combine(held, extra)
        found = held * true
        return found.view(np.uint32) if result.endswith("x2") else found

    kinds = (source, source, "pred") if combine else (source, source)
    return Elementwise(compute, kinds, f"b{8 * size_of(result)}")


@elementwise("selp", "BITS|INT|f32|f64 : d, a, b, c", carries=Carries.CHOSEN)
def selp(instruction: Instruction):
    kind = f"b{8 * size_of(instruction.form.type)}"
    return Elementwise(lambda a, b, p: b ^ (a ^ b) * p, (kind, kind, "pred"), kind)


@elementwise("slct", "ftz? BITS|INT|f32|f64 s32|f32 : d, a, b, c")
def slct(instruction: Instruction):
    """a where c >= 0 (so for -0, not for NaN), else b."""
    kind, test = instruction.form.mods[-2:]
    bits = f"b{8 * size_of(kind)}"
    value = flush if "ftz" in instruction.form.mods else np.asarray
    return Elementwise(lambda a, b, c: np.where(value(c) >= 0, a, b), (bits, bits, test), bits)


_KINDS_OF_NUMBER = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda a: a == a,
    "notanumber": lambda a: a != a,
    "normal": lambda a: np.isfinite(a) & ((a == 0) | (np.abs(a) >= np.finfo(a.dtype).tiny)),
    "subnormal": lambda a: (a != 0) & (np.abs(a) < np.finfo(a.dtype).tiny),
}


@elementwise("testp", f"{'|'.join(_KINDS_OF_NUMBER)} f32|f64 : d, a")
def testp(instruction: Instruction):
    """Whether a is a number of that kind; hardware calls zero normal."""
    return Elementwise(_KINDS_OF_NUMBER[instruction.form.mods[0]], (instruction.form.type,), "pred")
