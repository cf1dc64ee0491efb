"""Comparison and selection (PTX ISA, "Comparison and Selection Instructions")."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from ...machine.events import Step
from ...machine.lanes import Lanes
from ...machine.memory.access import LaneValues
from ...machine.wave import Wave
from ..numbers import DTYPES, flush, from_bfloat, size_of
from ..program import Carries, Instruction, is_sink, several
from ..table import Compute, Elementwise, effect, elementwise

_ORDERED: dict[str, Compute] = {
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
_UNORDERED: dict[
    str, Compute
] = {  # true also where an operand is NaN: what is left when the opposite fails
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
_COMBINE: dict[str, Compute] = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}
Results = Callable[[np.ndarray, np.ndarray], Iterable[np.ndarray]]
_FLOATS = ("f16", "bf16", "f32", "f64")


def _comparison(instruction: Instruction, kind: str) -> Compute:
    """The comparison that the first modifier names, on registers of a scalar `kind`."""
    name = instruction.form.mods[0]
    if kind not in _FLOATS:
        return _ORDERED[name]
    compare = _UNORDERED.get(name) or _ORDERED[name]
    if kind == "bf16":
        return lambda a, b: compare(from_bfloat(a), from_bfloat(b))
    if "ftz" in instruction.form.mods:
        return lambda a, b: compare(flush(a), flush(b))
    return compare


def _combination(instruction: Instruction) -> Compute | None:
    return _COMBINE.get(instruction.form.one_of(_COMBINE) or "")


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
def setp(instruction: Instruction, at: int, wave: Wave) -> Step:
    """p[|q], a, b[, c]: q gets the opposite; of a pair of halves, p is for the lower and q for
    the upper."""
    target, a, b, *rest = instruction.operands
    kind = instruction.form.type
    pair = kind.endswith("x2")
    compare = _comparison(instruction, kind.removesuffix("x2"))
    combine = _combination(instruction)
    outs = [
        wave.registers.write(register, "pred") if not is_sink(register) else None
        for register in several(target, 1, 2)
    ]
    a, b = wave.read(a, kind), wave.read(b, kind)
    if len(outs) == 1 and outs[0] is not None and not (rest or pair):
        return _one_result(compare, outs[0], a, b)
    extra = wave.read(rest[0], "pred") if rest else None
    results = _of_halves(compare, kind) if pair else _and_opposite(compare)

    def step(lanes: Lanes) -> None:
        for out, result in zip(outs, results(a[lanes], b[lanes]), strict=False):
            if out is not None:
                out[lanes] = (
                    result if combine is None or extra is None else combine(result, extra[lanes])
                )

    return step


def _one_result(compare: Compute, out: np.ndarray, a: LaneValues, b: LaneValues) -> Step:
    """Of a comparison that is neither combined with anything nor negated."""

    def step(lanes: Lanes) -> None:
        out[lanes] = compare(a[lanes], b[lanes])

    def in_place(lanes: Lanes) -> None:
        if type(lanes) is slice:
            compare(a[lanes], b[lanes], out=out[lanes])
        else:
            out[lanes] = compare(a[lanes], b[lanes])

    return in_place if isinstance(compare, np.ufunc) else step


def _and_opposite(compare: Compute) -> Results:
    def results(a: np.ndarray, b: np.ndarray) -> Iterator[np.ndarray]:
        result = compare(a, b)
        yield result
        yield ~result

    return results


def _of_halves(compare: Compute, kind: str) -> Results:
    dtype = DTYPES[kind.removesuffix("x2")]

    def results(a: np.ndarray, b: np.ndarray) -> list[np.ndarray]:
        return [
            compare(*[np.ascontiguousarray(x).view(dtype)[half::2] for x in (a, b)])
            for half in (0, 1)
        ]

    return results


_TRUE = {"f32": 0x3F800000, "f16": 0x3C00, "bf16": 0x3F80}

_RESULTS = "u16|s16|u32|s32|f32|f16|bf16"
_OF_PAIRS = _lines("", "f16x2|bf16x2 f16x2|bf16x2")[1::2]  # those on floating-point numbers


@elementwise("set", *_lines(f"{_RESULTS} INT|BITS", f"{_RESULTS} FLOAT"), *_OF_PAIRS)
def set_(instruction: Instruction) -> Elementwise:
    """1.0 or all ones where true, else 0."""
    result, source = (instruction.form.mods[-2], instruction.form.mods[-1])
    compare, combine = (
        _comparison(instruction, source.removesuffix("x2")),
        _combination(instruction),
    )
    scalar = result.removesuffix("x2")
    bits = 8 * size_of(scalar)
    true = np.array(_TRUE.get(scalar, (1 << bits) - 1), f"u{bits // 8}")

    def compute(a: np.ndarray, b: np.ndarray, extra: np.ndarray | None = None) -> np.ndarray:
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
def selp(instruction: Instruction) -> Elementwise:
    kind = f"b{8 * size_of(instruction.form.type)}"
    return Elementwise(lambda a, b, p: b ^ (a ^ b) * p, (kind, kind, "pred"), kind)


@elementwise("slct", "ftz? BITS|INT|f32|f64 s32|f32 : d, a, b, c")
def slct(instruction: Instruction) -> Elementwise:
    """a where c >= 0 (so for -0, not for NaN), else b."""
    kind, test = instruction.form.mods[-2:]
    bits = f"b{8 * size_of(kind)}"
    value: Compute = flush if "ftz" in instruction.form.mods else np.asarray

    def choose(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
        return np.where(value(c) >= 0, a, b)

    return Elementwise(choose, (bits, bits, test), bits)
