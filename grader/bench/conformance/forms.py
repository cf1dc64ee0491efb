"""Every form of an instruction that the devices are compared on, as PTX in inline assembly: %0 is
the result, %1, %2, ... are the inputs.

A row of a table stands for several forms: `(a|b)` for either, and a capital letter for what comes
after `for`, which may be several letters that go together.

    add.R(|.ftz).T : T T > T for T=f32      an instruction whose operands are just its inputs
    setp.eq.T : T T for T=f32               one that sets a predicate, which comes out as 0 or 1
    shl.T %0, %1, 5 : T > T for T=b32       one with immediate operands
    name = { asm } : T > T for T=b32        anything else
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import pi

INTEGERS = ("s16", "u16", "s32", "u32", "s64", "u64")


def size_of(kind: str) -> int:
    """Bytes of the register for a PTX type, or for what `samples` calls e.g. "few b64"."""
    return int(kind[-2:]) // 8 if kind[-2:].isdigit() else 4


@dataclass(frozen=True)
class Bound:
    """A limit on the distance of a result from the true value, where the magnitude of the last
    input lies from `low` to `high`."""

    what: str  # "relative", "absolute", or units of the last place ("ulp")
    error: float
    low: float = 0.0
    high: float = float("inf")


@dataclass(frozen=True)
class InlineForm:
    """One instruction with its modifiers."""

    family: str
    name: str
    asm: str
    inputs: tuple[str, ...]  # types, or what else `samples` knows
    output: str
    bounds: tuple[Bound, ...] = ()  # the first one that an input lies in counts; none: exact
    memory: str = ""  # "global" or "shared": it works on a cell there that holds the first input
    combined: str = ""  # with `memory`, what goes out: a formula of {d} and {cell}

    @property
    def input_sizes(self) -> tuple[int, ...]:
        return tuple(size_of(kind) for kind in self.inputs)

    @property
    def output_size(self) -> int:
        return size_of(self.output)

    @property
    def half(self) -> "InlineForm":
        """The same on one half of a pair."""
        return replace(self, output=self.output.removesuffix("x2"))


def plain(family: str, opcode: str, inputs: tuple[str, ...], output: str) -> InlineForm:
    """An instruction whose operands are just its inputs."""
    operands = ", ".join(f"%{n}" for n in range(len(inputs) + 1))
    return InlineForm(family, opcode, f"{opcode} {operands};", inputs, output)


# ---- rows ----

_ALWAYS = {"R": "(rn|rz|rm|rp)", "I": "|".join(INTEGERS)}


def forms_of(family: str, table: str) -> Iterator[InlineForm]:
    """The forms of a family's rows."""
    for row in filter(None, map(str.strip, table.splitlines())):
        text, _, letters = row.partition(" for ")
        for written in _with_letters(_replaced(text, _ALWAYS), _replaced(letters, _ALWAYS)):
            parts = re.split(r"[()]", written)  # what stands in parentheses is every second
            choices = [part.split("|") if n % 2 else [part] for n, part in enumerate(parts)]
            yield from (_form(family, "".join(chosen)) for chosen in product(*choices))


def _with_letters(text: str, letters: str) -> Iterator[str]:
    """A row once for each of the values of its letters, e.g. of "T:U=s16:s32|u16:u32 V=f32"."""
    pairs = [one.partition("=")[::2] for one in letters.split()]
    yield from (
        _replaced(
            text,
            {
                letter: word
                for (names, _), value in zip(pairs, values, strict=True)
                for letter, word in zip(names.split(":"), value.split(":"), strict=True)
            },
        )
        for values in product(*(given.split("|") for _, given in pairs))
    )


def _replaced(text: str, letters: dict[str, str]) -> str:
    return re.sub(r"\b[A-Z]\b", lambda letter: letters.get(letter[0], letter[0]), text)


def _form(family: str, row: str) -> InlineForm:
    left, _, operands = row.rpartition(" : ")
    given, _, output = operands.partition(" > ")
    inputs = tuple(kind.replace("-", " ") for kind in given.split())
    name, _, asm = left.partition(" = ")
    if name.startswith(("atom.", "red.")):
        return _atomic(family, name, inputs, output)
    if asm or "%" in name:
        return InlineForm(family, name, asm or f"{name};", inputs, output)
    if output:
        return plain(family, name, inputs, output)
    sources = ", ".join(f"%{n}" for n in range(1, len(inputs) + 1))
    asm = f"{{ .reg .pred p; {name} p, {sources}; selp.u32 %0, 1, 0, p; }}"
    return InlineForm(family, name, asm, inputs, "u32")


# ---- numbers ----

_FLOATING = """
    B.R(|.ftz)(|.sat).T : T T > T for T=f32
    B.R.T : T T > T for T=f64
    B.rn(|.ftz)(|.sat).T : T T > T for T=f16|f16x2
    B.rn.T : T T > T for T=bf16|bf16x2
"""
_FUSED = (
    _FLOATING.replace("T T >", "T T T >")
    + """
    B.rn.relu.T : T T T > T for T=f16|f16x2|bf16|bf16x2
"""
)
_COMPARED = "eq|ne|lt|le|gt|ge"
_BOTH_PREDICATES = "selp.u32 t, 1, 0, p; selp.u32 u, 2, 0, q; or.b32 %0, t, u; }"
_CLAMPED = "|".join(  # result and source, where not every integer of one is one of the other
    f"{result}:{source}"
    for result, source in product(INTEGERS, repeat=2)
    if int(result[1:]) < int(source[1:])
    or (result[0] != source[0] and (source[0] == "s" or result[1:] == source[1:]))
)
_OF_NUMBERS = {
    **{f"{B}, floating point": _FLOATING.replace("B.", f"{B}.") for B in ("add", "sub", "mul")},
    "fma, floating point": _FUSED.replace("B.", "fma."),
    "div, rcp, sqrt": """
        div.R(|.ftz).T : T T > T for T=f32
        div.R.T : T T > T for T=f64
        (rcp|sqrt).R(|.ftz).T : T > T for T=f32
        (rcp|sqrt).R.T : T > T for T=f64
    """,
    "min, max, neg, abs": """
        (min|max)(|.ftz)(|.NaN)(|.xorsign.abs).T : T T > T for T=f32|f16|f16x2
        (min|max)(|.NaN)(|.xorsign.abs).T : T T > T for T=bf16|bf16x2
        (min|max|copysign).T : T T > T for T=f64
        copysign.T : T T > T for T=f32
        (neg|abs).T : T > T for T=f32|f64|f16|f16x2|bf16|bf16x2
        (neg|abs).ftz.T : T > T for T=f32|f16
    """,
    "integer arithmetic": """
        (add|sub|mul.lo|mul.hi|div|rem|min|max).T : T T > T for T=I
        (mad.lo|mad.hi|sad).T : T T T > T for T=I
        mul.wide.T : T T > U for T:U=s16:s32|u16:u32|s32:s64|u32:u64
        mad.wide.T : T T U > U for T:U=s16:s32|u16:u32|s32:s64|u32:u64
        (neg|abs).T : T > T for T=s16|s32|s64
        (add.sat|sub.sat|min.relu|max.relu).s32 : s32 s32 > s32
        mad.hi.sat.s32 : s32 s32 s32 > s32
        (add|min|max).T : T T > T for T=s16x2|u16x2
        max.relu.s16x2 : s16x2 s16x2 > s16x2
        mul24.(lo|hi).T : T T > T for T=s32|u32
        mad24.(lo|hi).T : T T T > T for T=s32|u32
        (dp4a|dp2a.lo|dp2a.hi).T.U : b32 b32 s32 > s32 for T:U=s32:s32|s32:u32|u32:s32
        (dp4a|dp2a.lo|dp2a.hi).u32.u32 : b32 b32 u32 > u32
    """,
    "SIMD video": """
        (vadd|vsub|vabsdiff|vmin|vmax)(2|4).T.T.T(|.sat|.add) : b32 b32 b32 > b32 for T=u32|s32
    """,
    # Chains on two 64-bit numbers; the result is the low 64 bits, the carry added on top.
    "carry chains": "\n".join(
        f"{name} = {{ .reg .b32 l, h, m, k, c; .reg .b64 t; mov.b64 {{l, h}}, %1; "
        f"mov.b64 {{m, k}}, %2; {chain} mov.b64 t, {{l, h}}; shl.b64 %0, t, 1; "
        "cvt.u64.u32 t, c; xor.b64 %0, %0, t; } : u64 u64 > u64"
        for name, chain in {
            "add.cc, addc": "add.cc.u32 l, l, m; addc.cc.u32 h, h, k; addc.u32 c, 0, 0;",
            "sub.cc, subc": "sub.cc.u32 l, l, m; subc.cc.u32 h, h, k; subc.u32 c, 0, 0;",
            "mad.lo.cc, madc.hi": (
                "mad.lo.cc.u32 l, l, m, k; madc.hi.u32 h, h, m, k; addc.u32 c, 0, 0;"
            ),
            "mad.hi.cc, madc.lo.cc": (
                "mad.hi.cc.u32 l, l, m, k; madc.lo.cc.u32 h, h, m, k; addc.u32 c, 0, 0;"
            ),
            "signed": ("mad.hi.cc.s32 l, l, m, k; madc.hi.cc.s32 h, h, m, k; addc.s32 c, 0, 0;"),
        }.items()
    )
    + """
        B.cc.T = { .reg .b64 t, c; B.cc.T t, %1, %2; Bc.T c, %1, %2; xor.b64 %0, t, c; } : T T > u64
    """.replace("Bc.T", "C.T").rstrip()
    + " for B:C:T=add:addc:u64|sub:subc:s64",
    "logic, shifts, bits": """
        (and|or|xor).T : T T > T for T=b16|b32|b64
        (not|cnot).T : T > T for T=b16|b32|b64
        shl.T : T amount > T for T=b16|b32|b64
        shr.T : T amount > T for T=I
        shl.T %0, %1, 5 : T > T for T=b16|b32|b64
        shr.T %0, %1, 5 : T > T for T=I
        shr.s32 %0, %1, 40 : s32 > s32
        shf.(l|r).(wrap|clamp).b32 : b32 b32 amount > b32
        lop3.b32 %0, %1, %2, %3, 0x(1e|96|e8|ca|0|ff) : b32 b32 b32 > b32
        (popc|clz).T : T > u32 for T=b32|b64
        brev.T : T > T for T=b32|b64
        bfi.T : T T amount amount > T for T=b32|b64
        bfi.T %0, %1, %2, 5, 9 : T T > T for T=b32|b64
        bfe.T : T amount amount > T for T=u32|s32|u64|s64
        bfe.T %0, %1, 3, 7 : T > T for T=u32|s32|u64|s64
        bfind(|.shiftamt).T : T > u32 for T=u32|s32|u64|s64
        prmt.b32(|.f4e|.b4e|.rc8|.ecl|.ecr|.rc16) : b32 b32 b32 > b32
        prmt.b32 %0, %1, %2, 0x(7531|123|5410|4440|ba98) : b32 b32 > b32
        fns.b32 : b32 lane rank > b32
        bmsk.(clamp|wrap).b32 : amount amount > b32
        szext.(clamp|wrap).T : T amount > T for T=u32|s32
        lop3.or.b32 = { .reg .pred p, q; .reg .b32 t; setp.lt.u32 q, %1, %2; \
lop3.or.b32 t|p, %1, %2, %3, 0x80, q; selp.u32 %0, t, 7, p; } : b32 b32 b32 > b32
    """,
    "comparison, selection": f"""
        setp.({_COMPARED}|equ|neu|ltu|leu|gtu|geu|num|nan).T : T T for T=f32|f64|f16|bf16
        setp.({_COMPARED}).T : T T for T=I
        setp.(lo|ls|hi|hs).T : T T for T=u16|u32|u64
        setp.(eq|ne).T : T T for T=b16|b32|b64
        setp.lt.ftz.f32 : f32 f32
        setp.C.B.T = {{ .reg .pred p, q, r; .reg .b32 t, u; setp.ne.u32 r, %3, 0; \
setp.C.B.T p|q, %1, %2, N; {_BOTH_PREDICATES} : T T bit > u32 \
for C:T:N=lt:s32:r|geu:f32:!r B=and|or|xor
        setp.C.T = {{ .reg .pred p, q; .reg .b32 t, u; setp.C.T p|q, %1, %2; \
{_BOTH_PREDICATES} : T T > u32 for T=f16x2|bf16x2 C=lt|eq|geu|num
        set.(lt|ne).U.T : T T > U for U=u32|s32|f32 T=s32|u64|f32|f64
        set.(eq|neu|gt).T.T : T T > T for T=f16|f16x2|bf16|bf16x2
        set.(eq|neu|gt).u32.f16 : f16 f16 > u32
        set.lt.xor.u32.s32 = {{ .reg .pred r; setp.ne.u32 r, %3, 0; \
set.lt.xor.u32.s32 %0, %1, %2, r; }} : s32 s32 bit > u32
        selp.T = {{ .reg .pred p; setp.ne.u32 p, %3, 0; selp.T %0, %1, %2, p; }} : T T bit > T \
for T=b16|s32|f32|b64|f64
        slct.T.U : T T U > T for T=b16|u32|f32|s64|f64 U=s32|f32
        testp.(finite|infinite|number|notanumber|normal|subnormal).T : T for T=f32|f64
    """,
    "conversion": f"""
        cvt.R.U.T : T > U for U=f16|f32|f64 T=I
        cvt.rn.bf16.T : T > bf16 for T=s32|u32|s64|u64|s16
        cvt.(rni|rzi|rmi|rpi).U.T : T > U for U=I T=f16|f32|f64
        cvt.rzi.U.bf16 : bf16 > U for U=I
        cvt.(rni|rzi|rmi|rpi).(s8|u8).T : T > u32 for T=f32|f64
        cvt.(rzi|rpi).ftz.s32.f32 : f32 > s32
        cvt.U.T : T > U for U=I T=I
        cvt.sat.U.T : T > U for U:T={_CLAMPED}
        cvt(|.sat).(s8|u8).T : T > u32 for T=s32|u32|s64
        cvt.U.T : V > U for U=s32|u32|s64 T:V=s8:s16|u8:u16
        cvt.R(|.ftz)(|.sat).f32.f64 : f64 > f32
        cvt.R(|.sat).f16.T : T > f16 for T=f32|f64
        cvt.(rn|rz)(|.relu).U.f32 : f32 > U for U=f16|bf16
        cvt.(rn|rz)(|.relu).U.f32 : f32 f32 > U for U=f16x2|bf16x2
        cvt(|.sat).U.T : T > U for U:T=f64:f32|f32:f16|f64:f16
        cvt.U.bf16 : bf16 > U for U=f32|f64
        cvt.rn.U.T : T > U for U:T=bf16:f16|bf16:f64|f16:bf16
        cvt(|.ftz).sat.f32.f32 : f32 > f32
        cvt.sat.f64.f64 : f64 > f64
        cvt.(rni|rzi|rmi|rpi).T.T : T > T for T=f16|f32|f64
        cvt.(rni|rzi|rmi|rpi).(ftz|sat).f32.f32 : f32 > f32
        cvt.(rna|rn|rz|rn.relu).tf32.f32 : f32 > tf32
        cvt.pack.sat.(u16|s16).s32 : s32 s32 > b32
        cvt.pack.sat.(u8|s8).s32.b32 : s32 s32 b32 > b32
    """,
}

# ---- approximations ----

# Special functions, and the errors that the PTX ISA documents. It calls the f64 approximations
# "gross": the upper 32 bits of a float64 have a significand of 21.
_APPROXIMATIONS = (
    ("(rcp|sqrt).approx(|.ftz).f32 : f32 > f32", Bound("relative", 2.0**-23)),
    ("rsqrt.approx(|.ftz).f32 : f32 > f32", Bound("relative", 2.0**-22.9)),
    ("ex2.approx(|.ftz).f32 : f32 > f32", Bound("relative", 2.0**-22)),
    (
        "lg2.approx(|.ftz).f32 : f32 > f32",
        Bound("absolute", 2.0**-22, 0.5, 2.0),
        Bound("relative", 2.0**-22),
    ),
    (
        "(sin|cos).approx(|.ftz).f32 : f32 > f32",
        Bound("absolute", 2.0**-20.5, high=2 * pi),
        Bound("absolute", 2.0**-14.7, high=100 * pi),
    ),
    ("div.approx(|.ftz).f32 : f32 f32 > f32", Bound("ulp", 2, 2.0**-126, 2.0**126)),
    ("div.full(|.ftz).f32 : f32 f32 > f32", Bound("ulp", 2)),
    ("tanh.approx.f32 : f32 > f32", Bound("relative", 2.0**-11)),
    ("(rcp.approx.ftz|rsqrt.approx.ftz|rsqrt.approx).f64 : f64 > f64", Bound("relative", 2.0**-19)),
    ("ex2.approx.T : T > T for T=f16|f16x2", Bound("relative", 2.0**-9.9)),
    ("ex2.approx.ftz.T : T > T for T=bf16|bf16x2", Bound("relative", 2.0**-7)),
    ("tanh.approx.T : T > T for T=f16|f16x2", Bound("absolute", 2.0**-10.987)),
    # Documented as 2^-8, which is rounded: of all 65,536 inputs, an H200 goes beyond it, to
    # 1.00007 * 2^-8, at those of +-0.74609375 alone. It cuts where the simulated GPU rounds.
    ("tanh.approx.T : T > T for T=bf16|bf16x2", Bound("absolute", 1.0001 * 2.0**-8)),
)


# ---- warps and atomics ----

_OF_WARPS = """
    shfl.sync.(down|bfly|idx).b32 %0, %1, %2, (31|6175|0), 0xffffffff : b32 lane > b32
    shfl.sync.up.b32 %0, %1, %2, (0|6144), 0xffffffff : b32 lane > b32
    vote.sync.M.pred = { .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.M.pred q, p, 0xffffffff; \
selp.u32 %0, 1, 0, q; } : rare-bit > u32 for M=all|any|uni
    vote.sync.ballot.b32 = { .reg .pred p; setp.ne.u32 p, %1, 0; \
vote.sync.ballot.b32 %0, !p, 0xffffffff; } : bit > u32
    match.any.sync.T %0, %1, 0xffffffff : few-T > u32 for T=b32|b64
    match.all.sync.T = { .reg .pred p; .reg .b32 t; match.all.sync.T t|p, %1, 0xffffffff; \
selp.u32 %0, t, 5, p; } : same-T > u32 for T=b32|b64
    redux.sync.(add|min|max).T %0, %1, 0xffffffff : T > T for T=s32|u32
    redux.sync.(and|or|xor).b32 %0, %1, 0xffffffff : b32 > b32
    elect.sync = { .reg .pred p; .reg .b32 t; elect.sync t|p, 0xffffffff; selp.u32 %0, t, %1, p; } \
: b32 > u32
"""
_ATOMICS = """
    atom.S.add.T : T T > T for S=global|shared T=u32|s32|u64|f32|f64
    atom.S.(min|max).T : T T > T for S=global|shared T=s32|u32|s64|u64
    atom.S.(and|or|xor|exch).T : T T > T for S=global|shared T=b32|b64
    atom.S.(inc|dec).u32 : u32 u32 > u32 for S=global|shared
    atom.S.add.noftz.T : T T > T for S=global|shared T=f16|f16x2|bf16|bf16x2
    atom.S.cas.T : few-T few-T few-T > T for S=global|shared T=b16|b32|b64
    atom.(relaxed.gpu.global|acquire.cta.global|acq_rel.sys.global|release.gpu).add.u32 \
: u32 u32 > u32
    red.S.add.T : T T > T for S=global|shared T=u32|f32
    red.S.max.s32 : s32 s32 > s32 for S=global|shared
    red.S.or.b32 : b32 b32 > b32 for S=global|shared
"""


def _atomic(family: str, name: str, inputs: tuple[str, ...], output: str) -> InlineForm:
    """What goes out: of floats the value left in the cell, else that and the value found."""
    operands = "".join(f", %{n}" for n in range(2, len(inputs) + 1))
    finds = not name.startswith("red")
    asm = f"{name} %0, [%1]{operands};" if finds else f"{name} [%1]{operands}; mov.b32 %0, 0;"
    return InlineForm(
        *(family, name, asm, inputs, output),
        memory="shared" if ".shared" in name else "global",
        combined="{d} ^ {cell}" if finds and not output.startswith(("f", "bf")) else "{cell}",
    )


# ---- tensor cores ----

# By type of the factors: the type of a register as `samples` knows it, and the shapes.
_FACTORS = {
    "f16": ("warp f16x2", ("m16n8k8", "m16n8k16")),
    "bf16": ("warp bf16x2", ("m16n8k8", "m16n8k16")),
    "tf32": ("warp f32", ("m16n8k4", "m16n8k8")),
    "s8": ("b32", ("m16n8k16", "m16n8k32")),
    "u8": ("b32", ("m16n8k16", "m16n8k32")),
}
_SUMS = {"f16": ("warp f16x2", 2), "f32": ("warp f32", 4), "s32": ("s32", 4)}
_PRODUCTS = (  # types of the result and of the factors
    ("f16", "f16", "f16"),
    *(("f32", kind, kind) for kind in ("f16", "bf16", "tf32")),
    *product(("s32", "satfinite.s32"), ("s8", "u8"), ("s8", "u8")),
)


def _products(d: str, a: str, b: str) -> Iterator[InlineForm]:
    """A warp's product, a form for each register of the result that a thread holds."""
    c = d.removeprefix("satfinite.")
    (kind, shapes), (sum_kind, sums) = _FACTORS[a], _SUMS[c]
    for shape in shapes:
        k, per_register = int(shape.rpartition("k")[2]), {"tf32": 1, "s8": 4, "u8": 4}.get(a, 2)
        of_a, of_b = (k * rows // 32 // per_register for rows in (16, 8))
        opcode = f"mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{c}"
        inputs = (*(kind,) * (of_a + of_b), *(sum_kind,) * sums)
        numbers = [f"%{n}" for n in range(1, 1 + len(inputs))]
        parts = numbers[:of_a], numbers[of_a:-sums], numbers[-sums:]
        sources = ", ".join(f"{{{', '.join(part)}}}" for part in parts)
        yield from (
            InlineForm(
                "tensor cores",
                f"{opcode} d{number}",
                asm=f"{{ .reg .b32 d<{sums}>; {opcode} {{{_names(sums)}}}, {sources}; "
                f"mov.b32 %0, d{number}; }}",
                inputs=inputs,
                output="f16x2" if c == "f16" else c,
            )
            for number in range(sums)
        )


_OF_GROUPS = (  # types of the result and of the factors, and of the registers of A
    *(("f32", kind, kind) for kind in ("f16", "bf16", "tf32")),
    ("f16", "f16", "f16"),
    *product(("f32", "f16"), ("e4m3", "e5m2"), ("e4m3", "e5m2")),
    *product(("s32", "satfinite.s32"), ("s8", "u8"), ("s8", "u8")),
)


def _group_products(d: str, a: str, b: str) -> Iterator[InlineForm]:
    """Products of four warps with 8 columns, A in registers, B in the first half of 128 cells."""
    c = d.removeprefix("satfinite.")
    sum_kind, sums = _SUMS[c]
    kind, other = (_FACTORS[x][0] if x in _FACTORS else f"quarters {x}" for x in (a, b))
    k = 256 // {"f16": 16, "bf16": 16, "tf32": 32}.get(a, 8)
    scales = {"f16": ", 1, 1, 0", "bf16": ", 1, 1, 0", "s8": "", "u8": ""}.get(a, ", 1, 1")
    opcode = f"wgmma.mma_async.sync.aligned.m64n8k{k}.{d}.{a}.{b}"
    inputs = (other, *(kind,) * 4, *(sum_kind,) * sums)
    numbers = [f"%{n}" for n in range(2, 2 + 4 + sums)]
    moves = "".join(f"mov.b32 d{n}, {numbers[4 + n]}; " for n in range(sums))
    return (
        InlineForm(
            "warpgroup products",
            f"{opcode} d{number}",
            asm=f"{{ .reg .pred p; .reg .b32 d<{sums}>, t; .reg .b64 a, o; {moves}"
            "mov.u32 t, %%tid.x; mul.wide.u32 o, t, 4; sub.s64 a, %1, o; shr.u64 a, a, 4; "
            f"or.b64 a, a, {256 >> 4 << 32 | 128 >> 4 << 16}; setp.eq.u32 p, t, t; "
            "fence.proxy.async; bar.sync 0; wgmma.fence.sync.aligned; "
            f"{opcode} {{{_names(sums)}}}, {{{', '.join(numbers[:4])}}}, a, p{scales}; "
            f"wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; bar.sync 0; "
            f"mov.b32 %0, d{number}; }}",
            inputs=inputs,
            output="f16x2" if c == "f16" else c,
            memory="shared",
            combined="{d}",
        )
        for number in range(sums)
    )


def _names(count: int) -> str:
    return ", ".join(f"d{n}" for n in range(count))


def _loads(size: int, opcode: str) -> Iterator[InlineForm]:
    """From the 32 cells of the warp; each matrix of a load takes its rows in another order."""
    address = "mov.b64 a, %1; " if ".shared" in opcode else "cvta.shared.u64 a, %1; "
    return (
        InlineForm(
            "tensor cores",
            f"{opcode} d{number}",
            asm=f"{{ .reg .b32 d<{size}>, l, m, r; .reg .b64 a, o; {address}"
            "mov.u32 l, %%laneid; shr.u32 m, l, 3; xor.b32 r, l, m; and.b32 r, r, 7; "
            "mul.lo.u32 r, r, 16; mul.lo.u32 l, l, 4; sub.s32 r, r, l; cvt.s64.s32 o, r; "
            f"add.s64 a, a, o; bar.warp.sync 0xffffffff; {opcode} {{{_names(size)}}}, [a]; "
            f"mov.b32 %0, d{number}; }}",
            inputs=("b32",),
            output="u32",
            memory="shared",
            combined="{d}",
        )
        for number in range(size)
    )


FORMS: tuple[InlineForm, ...] = (
    *(form for family, table in _OF_NUMBERS.items() for form in forms_of(family, table)),
    *(
        replace(form, bounds=tuple(bounds))
        for row, *bounds in _APPROXIMATIONS
        for form in forms_of("special functions", row)
    ),
    *forms_of("warp", _OF_WARPS),
    *forms_of("atomics", _ATOMICS),
    *(form for types in _PRODUCTS for form in _products(*types)),
    *(
        form
        for size, trans, space in product((1, 2, 4), ("", ".trans"), (".shared", ""))
        for form in _loads(size, f"ldmatrix.sync.aligned.m8n8.x{size}{trans}{space}.b16")
    ),
    *(form for types in _OF_GROUPS for form in _group_products(*types)),
)
