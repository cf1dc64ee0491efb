"""Forms of floating-point arithmetic and of the special functions."""

from __future__ import annotations

from collections.abc import Iterator

from .form import ROUNDINGS, Form, names, plain


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


# The errors that the PTX ISA documents, and where.
_APPROXIMATE = (
    ("rcp.approx", ("relative", 2.0**-23), None),
    ("sqrt.approx", ("relative", 2.0**-23), None),
    ("rsqrt.approx", ("relative", 2.0**-22.9), None),
    ("ex2.approx", ("relative", 2.0**-22), None),
    ("lg2.approx", ("absolute", 2.0**-22), (0.5, 2.0)),
    ("sin.approx", ("absolute", 2.0**-20.5), (-6.2831, 6.2831)),
    ("cos.approx", ("absolute", 2.0**-20.5), (-6.2831, 6.2831)),
)


def special() -> Iterator[Form]:
    family = "special functions"
    for base, bound, domain in _APPROXIMATE:
        for name in (f"{base}.f32", f"{base}.ftz.f32"):
            yield plain(family, name, ("f32",), "f32", bound=bound, domain=domain)
    yield plain(family, "tanh.approx.f32", ("f32",), "f32", bound=("relative", 2.0**-11))
    for name in ("div.approx.f32", "div.approx.ftz.f32", "div.full.f32", "div.full.ftz.f32"):
        yield plain(family, name, ("f32", "f32"), "f32", bound=("relative", 2.0**-22))
    for name in ("rcp.approx.ftz.f64", "rsqrt.approx.ftz.f64", "rsqrt.approx.f64"):
        yield plain(family, name, ("f64",), "f64", bound=("relative", 2.0**-19))
    for kind in ("f16", "f16x2"):
        yield plain(family, f"ex2.approx.{kind}", (kind,), kind, bound=("relative", 2.0**-9.9))
        yield plain(family, f"tanh.approx.{kind}", (kind,), kind, bound=("absolute", 2.0**-10.987))
    for kind in ("bf16", "bf16x2"):
        yield plain(family, f"ex2.approx.ftz.{kind}", (kind,), kind, bound=("relative", 2.0**-7))
        yield plain(family, f"tanh.approx.{kind}", (kind,), kind, bound=("absolute", 2.0**-8))
