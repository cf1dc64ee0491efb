"""Forms that work across a warp, and atomics."""

from __future__ import annotations

from collections.abc import Iterator

from .inline_form import Form, fixed


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
