"""Forms of comparison and selection."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .inline_form import INTEGERS, Form, plain, predicate

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
