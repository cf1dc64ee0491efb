"""Forms that work across a warp or on shared cells: shuffles and votes, atomics, tensor cores.

Each form of a tensor core's instruction gives out one of the result's registers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .inline_form import Form, fixed

# ---- warps and atomics ----


def warps() -> Iterator[Form]:
    family = "warp"
    for mode in ("up", "down", "bfly", "idx"):
        for clamp in (0x1F, 0x181F, 0x0) if mode != "up" else (0x0, 0x1800):
            text = f"shfl.sync.{mode}.b32 %0, %1, %2, {clamp}, 0xffffffff"
            yield fixed(family, text, ("b32", "lane"), "b32")
    for mode in ("all", "any", "uni"):
        asm = "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; "
        asm += f"vote.sync.{mode}.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q; }}"
        yield Form(family, f"vote.sync.{mode}.pred", asm, ("rare bit",), "u32")
    asm = "{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, !p, 0xffffffff; }"
    yield Form(family, "vote.sync.ballot.b32", asm, ("bit",), "u32")
    for kind in ("b32", "b64"):
        text = f"match.any.sync.{kind} %0, %1, 0xffffffff"
        yield fixed(family, text, (f"few {kind}",), "u32")
        asm = f"{{ .reg .pred p; .reg .b32 t; match.all.sync.{kind} t|p, %1, 0xffffffff; "
        asm += "selp.u32 %0, t, 5, p; }"
        yield Form(family, f"match.all.sync.{kind}", asm, (f"same {kind}",), "u32")
    for name in ("add", "min", "max"):
        for kind in ("s32", "u32"):
            yield fixed(family, f"redux.sync.{name}.{kind} %0, %1, 0xffffffff", (kind,), kind)
    for name in ("and", "or", "xor"):
        yield fixed(family, f"redux.sync.{name}.b32 %0, %1, 0xffffffff", ("b32",), "b32")
    asm = "{ .reg .pred p; .reg .b32 t; elect.sync t|p, 0xffffffff; selp.u32 %0, t, %1, p; }"
    yield Form(family, "elect.sync", asm, ("b32",), "u32")


_ATOMICS = {
    "add": ("u32", "s32", "u64", "f32", "f64"),
    "min": ("s32", "u32", "s64", "u64"),
    "max": ("s32", "u32", "s64", "u64"),
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
    "exch": ("b32", "b64"),
    "inc": ("u32",),
    "dec": ("u32",),
    "add.noftz": ("f16", "f16x2", "bf16", "bf16x2"),
}
_BOTH = "{d} ^ {cell}"  # the value found and the value left


def atomics() -> Iterator[Form]:
    family = "atomics"
    for space in ("global", "shared"):
        for name, kinds in _ATOMICS.items():
            for kind in kinds:
                yield _atomic(family, f"atom.{{}}{name}.{kind}", space, (kind, kind), kind)
        for kind in ("b16", "b32", "b64"):
            yield _atomic(family, f"atom.{{}}cas.{kind}", space, (f"few {kind}",) * 3, kind)
        for name in ("red.{}add.u32", "red.{}max.s32", "red.{}add.f32", "red.{}or.b32"):
            kind = name[-3:]
            opcode = name.format(f"{space}.")
            asm = f"{opcode} [%1], %2; mov.b32 %0, 0;"
            yield Form(family, opcode, asm, (kind, kind), kind, memory=space, combined="{cell}")
    for mods in ("relaxed.gpu.global", "acquire.cta.global", "acq_rel.sys.global", "release.gpu"):
        yield _atomic(family, f"atom.{mods}.add.u32", "global", ("u32", "u32"), "u32")


def _atomic(family: str, opcode: str, space: str, inputs: tuple[str, ...], output: str) -> Form:
    opcode = opcode.format(f"{space}.")
    operands = "".join(f", %{n}" for n in range(2, len(inputs) + 1))
    asm = f"{opcode} %0, [%1]{operands};"
    combined = "{cell}" if output.startswith(("f", "bf")) else _BOTH
    return Form(family, opcode, asm, inputs, output, memory=space, combined=combined)


# ---- tensor cores ----

# By type of the factors: the type of a register as `samples` knows it, and the shapes.
_FACTORS = {
    "f16": ("warp f16x2", ("m16n8k8", "m16n8k16")),
    "bf16": ("warp bf16x2", ("m16n8k8", "m16n8k16")),
    "tf32": ("warp f32", ("m16n8k4", "m16n8k8")),
    "s8": ("b32", ("m16n8k16", "m16n8k32")),
    "u8": ("b32", ("m16n8k16", "m16n8k32")),
}
_PER_REGISTER = {"f16": 2, "bf16": 2, "tf32": 1, "s8": 4, "u8": 4}


def tensors() -> Iterator[Form]:
    yield from _products("f16", "f16", "f16", "f16", "warp f16x2", 2)
    for kind in ("f16", "bf16", "tf32"):
        yield from _products("f32", kind, kind, "f32", "warp f32", 4)
    for first, second in product(("s8", "u8"), repeat=2):
        yield from _products("s32", first, second, "s32", "s32", 4)
        yield from _products("satfinite.s32", first, second, "s32", "s32", 4)
    for size, trans, space in product((1, 2, 4), ("", ".trans"), (".shared", "")):
        yield from _loads(size, f"ldmatrix.sync.aligned.m8n8.x{size}{trans}{space}.b16")


def _products(d: str, a: str, b: str, c: str, sum_kind: str, sums: int) -> Iterator[Form]:
    kind, shapes = _FACTORS[a]
    for shape in shapes:
        k = int(shape.rpartition("k")[2])
        of_a, of_b = (k * rows // 32 // _PER_REGISTER[a] for rows in (16, 8))
        opcode = f"mma.sync.aligned.{shape}.row.col.{d}.{a}.{b}.{c}"
        inputs = (*(kind,) * (of_a + of_b), *(sum_kind,) * sums)
        first_b, first_c = 1 + of_a, 1 + of_a + of_b
        sources = [_list(1, of_a), _list(first_b, of_b), _list(first_c, sums)]
        output = "f16x2" if c == "f16" else c
        for number in range(sums):
            yield Form(
                "tensor cores",
                f"{opcode} d{number}",
                f"{{ .reg .b32 d<{sums}>; {opcode} {{{_names(sums)}}}, {', '.join(sources)}; "
                f"mov.b32 %0, d{number}; }}",
                inputs,
                output,
            )


def _list(first: int, count: int) -> str:
    return "{" + ", ".join(f"%{n}" for n in range(first, first + count)) + "}"


def _names(count: int) -> str:
    return ", ".join(f"d{n}" for n in range(count))


def _loads(size: int, opcode: str) -> Iterator[Form]:
    """From the 32 cells of the warp; each matrix of a load takes its rows in another order."""
    generic = ".shared" not in opcode
    address = "cvta.shared.u64 a, %1; " if generic else "mov.b64 a, %1; "
    for number in range(size):
        asm = (
            f"{{ .reg .b32 d<{size}>, l, m, r; .reg .b64 a, o; {address}"
            "mov.u32 l, %laneid; shr.u32 m, l, 3; xor.b32 r, l, m; and.b32 r, r, 7; "
            "mul.lo.u32 r, r, 16; mul.lo.u32 l, l, 4; sub.s32 r, r, l; cvt.s64.s32 o, r; "
            f"add.s64 a, a, o; bar.warp.sync 0xffffffff; {opcode} {{{_names(size)}}}, [a]; "
            f"mov.b32 %0, d{number}; }}"
        ).replace("%laneid", "%%laneid")
        name = f"{opcode} d{number}"
        yield Form("tensor cores", name, asm, ("b32",), "u32", memory="shared", combined="{d}")
