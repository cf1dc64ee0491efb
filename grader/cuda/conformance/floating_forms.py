"""Forms of floating-point arithmetic and of the special functions."""

from __future__ import annotations

from collections.abc import Iterator
from math import pi

from .inline_form import ROUNDINGS, Bound, Form, names, plain


def floating() -> Iterator[Form]:
    for base, arity in (("add", 2), ("sub", 2), ("mul", 2), ("fma", 3)):
        family = f"{base}, floating point"
        for name in names(base, ROUNDINGS, ("", "ftz"), ("", "sat"), ("f32",)):
            yield plain(family, name, ("f32",) * arity, "f32")
        for name in names(base, ROUNDINGS, ("f64",)):
            yield plain(family, name, ("f64",) * arity, "f64")
        for kind in ("f16", "f16x2"):
            for name in names(base, ("rn",), ("", "ftz"), ("", "sat"), (kind,)):
                yield plain(family, name, (kind,) * arity, kind)
        for kind in ("bf16", "bf16x2"):
            yield plain(family, f"{base}.rn.{kind}", (kind,) * arity, kind)
    for kind in ("f16", "f16x2", "bf16", "bf16x2"):
        yield plain("fma, floating point", f"fma.rn.relu.{kind}", (kind,) * 3, kind)
    for base, arity in (("div", 2), ("rcp", 1), ("sqrt", 1)):
        for name in names(base, ROUNDINGS, ("", "ftz"), ("f32",)):
            yield plain("div, rcp, sqrt", name, ("f32",) * arity, "f32")
        for name in names(base, ROUNDINGS, ("f64",)):
            yield plain("div, rcp, sqrt", name, ("f64",) * arity, "f64")
    for base in ("min", "max"):
        for kind in ("f32", "f16", "f16x2", "bf16", "bf16x2"):
            ftz = ("",) if "bf" in kind else ("", "ftz")
            for name in names(base, ftz, ("", "NaN"), ("", "xorsign.abs"), (kind,)):
                yield plain("min, max, neg, abs", name, (kind,) * 2, kind)
        yield plain("min, max, neg, abs", f"{base}.f64", ("f64", "f64"), "f64")
    for name in ("neg", "abs"):
        for kind in ("f32", "ftz.f32", "f64", "f16", "ftz.f16", "f16x2", "bf16", "bf16x2"):
            last = kind.split(".")[-1]
            yield plain("min, max, neg, abs", f"{name}.{kind}", (last,), last)
    for kind in ("f32", "f64"):
        yield plain("min, max, neg, abs", f"copysign.{kind}", (kind, kind), kind)


# The errors that the PTX ISA documents, and where. It calls the f64 approximations "gross": the
# upper 32 bits of a float64 have a significand of 21.
_WAVE = (Bound("absolute", 2.0**-20.5, high=2 * pi), Bound("absolute", 2.0**-14.7, high=100 * pi))
_APPROXIMATE = {
    "rcp.approx": (Bound("relative", 2.0**-23),),
    "sqrt.approx": (Bound("relative", 2.0**-23),),
    "rsqrt.approx": (Bound("relative", 2.0**-22.9),),
    "ex2.approx": (Bound("relative", 2.0**-22),),
    "lg2.approx": (Bound("absolute", 2.0**-22, 0.5, 2.0), Bound("relative", 2.0**-22)),
    "sin.approx": _WAVE,
    "cos.approx": _WAVE,
}
_DIVISIONS = {
    "div.approx": (Bound("ulp", 2, 2.0**-126, 2.0**126),),
    "div.full": (Bound("ulp", 2),),
}
_HALVES = {
    "ex2.approx.f16": Bound("relative", 2.0**-9.9),
    "ex2.approx.ftz.bf16": Bound("relative", 2.0**-7),
    "tanh.approx.f16": Bound("absolute", 2.0**-10.987),
    # Documented as 2^-8, which is rounded: of all 65,536 inputs, an H200 goes beyond it, to
    # 1.00007 * 2^-8, at those of +-0.74609375 alone. It cuts where the simulated GPU rounds.
    "tanh.approx.bf16": Bound("absolute", 1.0001 * 2.0**-8),
}


def special() -> Iterator[Form]:
    family = "special functions"
    for choices, arity in ((_APPROXIMATE, 1), (_DIVISIONS, 2)):
        for base, bounds in choices.items():
            for name in (f"{base}.f32", f"{base}.ftz.f32"):
                yield plain(family, name, ("f32",) * arity, "f32", bounds=bounds)
    tanh = (Bound("relative", 2.0**-11),)
    yield plain(family, "tanh.approx.f32", ("f32",), "f32", bounds=tanh)
    for name in ("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64"):
        yield plain(family, name, ("f64",), "f64", bounds=(Bound("relative", 2.0**-19),))
    for name, bound in _HALVES.items():
        for opcode in (name, f"{name}x2"):
            kind = opcode.split(".")[-1]
            yield plain(family, opcode, (kind,), kind, bounds=(bound,))
