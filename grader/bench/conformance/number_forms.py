"""Forms of arithmetic on numbers, of comparison and selection, and of conversion."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import pi

from .inline_form import INTEGERS, ROUNDINGS, Bound, Form, fixed, names, plain, predicate

# ---- floating point, and the special functions ----


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


# ---- integers and bits ----

_WIDE = {"s16": "s32", "u16": "u32", "s32": "s64", "u32": "u64"}


def integers() -> Iterator[Form]:
    family = "integer arithmetic"
    for kind in INTEGERS:
        two, three = (kind, kind), (kind, kind, kind)
        for name in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield plain(family, f"{name}.{kind}", two, kind)
        for name in ("mad.lo", "mad.hi", "sad"):
            yield plain(family, f"{name}.{kind}", three, kind)
        if kind in _WIDE:
            yield plain(family, f"mul.wide.{kind}", two, _WIDE[kind])
            yield plain(family, f"mad.wide.{kind}", (*two, _WIDE[kind]), _WIDE[kind])
        if kind[0] == "s":
            yield plain(family, f"neg.{kind}", (kind,), kind)
            yield plain(family, f"abs.{kind}", (kind,), kind)
    for name in ("add.sat.s32", "sub.sat.s32", "min.relu.s32", "max.relu.s32"):
        yield plain(family, name, ("s32", "s32"), "s32")
    yield plain(family, "mad.hi.sat.s32", ("s32",) * 3, "s32")
    for name, kind in product(("add", "min", "max"), ("s16x2", "u16x2")):
        yield plain(family, f"{name}.{kind}", (kind, kind), kind)
    yield plain(family, "max.relu.s16x2", ("s16x2", "s16x2"), "s16x2")
    for half, kind in product(("lo", "hi"), ("s32", "u32")):
        yield plain(family, f"mul24.{half}.{kind}", (kind, kind), kind)
        yield plain(family, f"mad24.{half}.{kind}", (kind,) * 3, kind)
    for one, other in product(("s32", "u32"), repeat=2):
        result = "s32" if "s32" in (one, other) else "u32"
        for name in ("dp4a", "dp2a.lo", "dp2a.hi"):
            yield plain(family, f"{name}.{one}.{other}", ("b32", "b32", result), result)
    for base, number, mod in product(
        ("vadd", "vsub", "vabsdiff", "vmin", "vmax"), "24", ("", "sat", "add")
    ):
        for name in names(f"{base}{number}", ("u32.u32.u32", "s32.s32.s32"), (mod,)):
            yield plain("SIMD video", name, ("b32",) * 3, "b32")


_CROSSWISE = "mad.hi.cc.u32 l, l, m, k; madc.lo.cc.u32 h, h, m, k; addc.u32 c, 0, 0;"
_CARRIES = {
    "add.cc, addc": "add.cc.u32 l, l, m; addc.cc.u32 h, h, k; addc.u32 c, 0, 0;",
    "sub.cc, subc": "sub.cc.u32 l, l, m; subc.cc.u32 h, h, k; subc.u32 c, 0, 0;",
    "mad.lo.cc, madc.hi": "mad.lo.cc.u32 l, l, m, k; madc.hi.u32 h, h, m, k; addc.u32 c, 0, 0;",
    "mad.hi.cc, madc.lo.cc": _CROSSWISE,
    "signed": "mad.hi.cc.s32 l, l, m, k; madc.hi.cc.s32 h, h, m, k; addc.s32 c, 0, 0;",
}


def carries() -> Iterator[Form]:
    """Chains on two 64-bit numbers; the result is the low 64 bits, the carry added on top."""
    for name, chain in _CARRIES.items():
        asm = (
            "{ .reg .b32 l, h, m, k, c; .reg .b64 t; mov.b64 {l, h}, %1; mov.b64 {m, k}, %2; "
            f"{chain} mov.b64 t, {{l, h}}; shl.b64 %0, t, 1; cvt.u64.u32 t, c; "
            "xor.b64 %0, %0, t; }"
        )
        yield Form("carry chains", name, asm, ("u64", "u64"), "u64")
    for kind, sum_ in (("u64", "add"), ("s64", "sub")):
        asm = (
            f"{{ .reg .b64 t, c; {sum_}.cc.{kind} t, %1, %2; {sum_}c.{kind} c, %1, %2; "
            "xor.b64 %0, t, c; }"
        )
        yield Form("carry chains", f"{sum_}.cc.{kind}", asm, (kind, kind), "u64")


def bits() -> Iterator[Form]:
    family = "logic, shifts, bits"
    for kind, name in product(("b16", "b32", "b64"), ("and", "or", "xor")):
        yield plain(family, f"{name}.{kind}", (kind, kind), kind)
    for kind, name in product(("b16", "b32", "b64"), ("not", "cnot")):
        yield plain(family, f"{name}.{kind}", (kind,), kind)
    for name in ("shl.b16", "shl.b32", "shl.b64", *(f"shr.{kind}" for kind in INTEGERS)):
        kind = name.split(".")[1]
        yield plain(family, name, (kind, "amount"), kind)
        yield fixed(family, f"{name} %0, %1, 5", (kind,), kind)
    yield fixed(family, "shr.s32 %0, %1, 40", ("s32",), "s32")
    for name in names("shf", ("l", "r"), ("wrap", "clamp"), ("b32",)):
        yield plain(family, name, ("b32", "b32", "amount"), "b32")
    for table in (0x1E, 0x96, 0xE8, 0xCA, 0x00, 0xFF):
        yield fixed(family, f"lop3.b32 %0, %1, %2, %3, 0x{table:x}", ("b32",) * 3, "b32")
    asm = "{ .reg .pred p, q; .reg .b32 t; setp.lt.u32 q, %1, %2; "
    asm += "lop3.or.b32 t|p, %1, %2, %3, 0x80, q; selp.u32 %0, t, 7, p; }"
    yield Form(family, "lop3.or.b32", asm, ("b32",) * 3, "b32")
    for kind in ("b32", "b64"):
        yield plain(family, f"popc.{kind}", (kind,), "u32")
        yield plain(family, f"clz.{kind}", (kind,), "u32")
        yield plain(family, f"brev.{kind}", (kind,), kind)
        yield plain(family, f"bfi.{kind}", (kind, kind, "amount", "amount"), kind)
        yield fixed(family, f"bfi.{kind} %0, %1, %2, 5, 9", (kind, kind), kind)
    for kind in ("u32", "s32", "u64", "s64"):
        yield plain(family, f"bfe.{kind}", (kind, "amount", "amount"), kind)
        yield fixed(family, f"bfe.{kind} %0, %1, 3, 7", (kind,), kind)
        yield plain(family, f"bfind.{kind}", (kind,), "u32")
        yield plain(family, f"bfind.shiftamt.{kind}", (kind,), "u32")
    yield plain(family, "prmt.b32", ("b32",) * 3, "b32")
    for mode in ("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"):
        yield plain(family, f"prmt.b32.{mode}", ("b32",) * 3, "b32")
    for selector in (0x7531, 0x0123, 0x5410, 0x4440, 0xBA98):
        yield fixed(family, f"prmt.b32 %0, %1, %2, 0x{selector:x}", ("b32", "b32"), "b32")
    yield plain(family, "fns.b32", ("b32", "lane", "rank"), "b32")
    for name in ("bmsk.clamp.b32", "bmsk.wrap.b32"):
        yield plain(family, name, ("amount", "amount"), "b32")
    for name in names("szext", ("clamp", "wrap"), ("u32", "s32")):
        yield plain(family, name, (name[-3:], "amount"), name[-3:])


# ---- comparison and selection ----

_ON_INTEGERS = ("eq", "ne", "lt", "le", "gt", "ge")
_ON_FLOATS = (*_ON_INTEGERS, "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan")


def comparisons() -> Iterator[Form]:
    family = "comparison, selection"
    for kind in ("f32", "f64", "f16", "bf16"):
        for name in _ON_FLOATS:
            yield predicate(family, f"setp.{name}.{kind}", (kind, kind))
    for kind in INTEGERS:
        for name in _ON_INTEGERS:
            yield predicate(family, f"setp.{name}.{kind}", (kind, kind))
    for name, kind in product(("lo", "ls", "hi", "hs"), ("u16", "u32", "u64")):
        yield predicate(family, f"setp.{name}.{kind}", (kind, kind))
    for name in ("eq", "ne"):
        for kind in ("b16", "b32", "b64"):
            yield predicate(family, f"setp.{name}.{kind}", (kind, kind))
    yield predicate(family, "setp.lt.ftz.f32", ("f32", "f32"))
    for combine in ("and", "or", "xor"):
        for name, kind, negation in (("lt", "s32", ""), ("geu", "f32", "!")):
            asm = "{ .reg .pred p, q, r; .reg .b32 t, u; setp.ne.u32 r, %3, 0; "
            asm += f"setp.{name}.{combine}.{kind} p|q, %1, %2, {negation}r; "
            asm += "selp.u32 t, 1, 0, p; selp.u32 u, 2, 0, q; or.b32 %0, t, u; }"
            yield Form(family, f"setp.{name}.{combine}.{kind}", asm, (kind, kind, "bit"), "u32")
    for kind, name in product(("f16x2", "bf16x2"), ("lt", "eq", "geu", "num")):
        asm = f"{{ .reg .pred p, q; .reg .b32 t, u; setp.{name}.{kind} p|q, %1, %2; "
        asm += "selp.u32 t, 1, 0, p; selp.u32 u, 2, 0, q; or.b32 %0, t, u; }"
        yield Form(family, f"setp.{name}.{kind}", asm, (kind, kind), "u32")
    for result, source in product(("u32", "s32", "f32"), ("s32", "u64", "f32", "f64")):
        for name in ("lt", "ne"):
            yield plain(family, f"set.{name}.{result}.{source}", (source, source), result)
    for name in ("eq", "neu", "gt"):
        for kind in ("f16", "bf16", "f16x2", "bf16x2"):
            yield plain(family, f"set.{name}.{kind}.{kind}", (kind, kind), kind)
        yield plain(family, f"set.{name}.u32.f16", ("f16", "f16"), "u32")
    asm = "{ .reg .pred r; setp.ne.u32 r, %3, 0; set.lt.xor.u32.s32 %0, %1, %2, r; }"
    yield Form(family, "set.lt.xor.u32.s32", asm, ("s32", "s32", "bit"), "u32")
    for kind in ("b16", "s32", "f32", "b64", "f64"):
        asm = f"{{ .reg .pred p; setp.ne.u32 p, %3, 0; selp.{kind} %0, %1, %2, p; }}"
        yield Form(family, f"selp.{kind}", asm, (kind, kind, "bit"), kind)
    for kind in ("b16", "u32", "f32", "s64", "f64"):
        yield plain(family, f"slct.{kind}.s32", (kind, kind, "s32"), kind)
        yield plain(family, f"slct.{kind}.f32", (kind, kind, "f32"), kind)
    for kind in ("f32", "f64"):
        for name in ("finite", "infinite", "number", "notanumber", "normal", "subnormal"):
            yield predicate(family, f"testp.{name}.{kind}", (kind,))


# ---- conversion ----

_EIGHT_BITS = {"s8": "s16", "u8": "u16"}


def conversions() -> Iterator[Form]:
    family = "conversion"
    for result, source in product(("f16", "f32", "f64"), INTEGERS):
        for mode in ROUNDINGS:
            yield plain(family, f"cvt.{mode}.{result}.{source}", (source,), result)
    for source in ("s32", "u32", "s64", "u64", "s16"):
        yield plain(family, f"cvt.rn.bf16.{source}", (source,), "bf16")
    for result, source in product((*INTEGERS, "s8", "u8"), ("f16", "f32", "f64", "bf16")):
        for mode in ("rni", "rzi", "rmi", "rpi"):
            if result in _EIGHT_BITS:
                if source in ("f32", "f64"):
                    yield plain(family, f"cvt.{mode}.{result}.{source}", (source,), "u32")
            elif source != "bf16" or mode == "rzi":
                yield plain(family, f"cvt.{mode}.{result}.{source}", (source,), result)
    yield plain(family, "cvt.rzi.ftz.s32.f32", ("f32",), "s32")
    yield plain(family, "cvt.rpi.ftz.s32.f32", ("f32",), "s32")
    for result, source in product(INTEGERS, repeat=2):
        yield plain(family, f"cvt.{result}.{source}", (source,), result)
        if not _holds(result, source):
            yield plain(family, f"cvt.sat.{result}.{source}", (source,), result)
    for result, source in product(("s8", "u8"), ("s32", "u32", "s64")):
        yield plain(family, f"cvt.{result}.{source}", (source,), "u32")
        yield plain(family, f"cvt.sat.{result}.{source}", (source,), "u32")
    for result, source in product(("s32", "u32", "s64"), ("s8", "u8")):
        yield plain(family, f"cvt.{result}.{source}", (_EIGHT_BITS[source],), result)
    yield from _between_floats(family)
    for name in ("cvt.pack.sat.u16.s32", "cvt.pack.sat.s16.s32"):
        yield plain(family, name, ("s32", "s32"), "b32")
    for name in ("cvt.pack.sat.u8.s32.b32", "cvt.pack.sat.s8.s32.b32"):
        yield plain(family, name, ("s32", "s32", "b32"), "b32")


def _holds(result: str, source: str) -> bool:
    """Whether every integer of one type is one of the other, so that there is nothing to clamp."""
    more = int(result[1:]) - int(source[1:])
    return more >= 0 if result[0] == source[0] else source[0] == "u" and more > 0


def _between_floats(family: str) -> Iterator[Form]:
    for name in names("cvt", ROUNDINGS, ("", "ftz"), ("", "sat"), ("f32.f64",)):
        yield plain(family, name, ("f64",), "f32")
    for name in names("cvt", ROUNDINGS, ("", "sat"), ("f16.f32", "f16.f64")):
        yield plain(family, name, (name[-3:],), "f16")
    for name in names("cvt", ("rn", "rz"), ("", "relu"), ("f16", "bf16"), ("f32",)):
        yield plain(family, name, ("f32",), name.split(".")[-2])
    for name in names("cvt", ("rn", "rz"), ("", "relu"), ("f16x2", "bf16x2"), ("f32",)):
        yield plain(family, name, ("f32", "f32"), name.split(".")[-2])
    for name in names("cvt", ("", "sat"), ("f64.f32", "f32.f16", "f64.f16")):
        yield plain(family, name, (name[-3:],), name.split(".")[-2])
    for name in ("cvt.f32.bf16", "cvt.f64.bf16"):
        yield plain(family, name, ("bf16",), name.split(".")[1])
    for name in ("cvt.rn.bf16.f16", "cvt.rn.bf16.f64", "cvt.rn.f16.bf16"):
        yield plain(family, name, (name.split(".")[-1],), name.split(".")[-2])
    yield plain(family, "cvt.sat.f32.f32", ("f32",), "f32")
    yield plain(family, "cvt.ftz.sat.f32.f32", ("f32",), "f32")
    yield plain(family, "cvt.sat.f64.f64", ("f64",), "f64")
    for mode in ("rni", "rzi", "rmi", "rpi"):
        for kind in ("f16", "f32", "f64"):
            yield plain(family, f"cvt.{mode}.{kind}.{kind}", (kind,), kind)
        yield plain(family, f"cvt.{mode}.ftz.f32.f32", ("f32",), "f32")
        yield plain(family, f"cvt.{mode}.sat.f32.f32", ("f32",), "f32")
    for mode in ("rna", "rn", "rz", "rn.relu"):
        yield plain(family, f"cvt.{mode}.tf32.f32", ("f32",), "tf32")
