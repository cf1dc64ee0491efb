"""Forms of integer arithmetic, logic and bits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .inline_form import INTEGERS, Form, fixed, names, plain

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
