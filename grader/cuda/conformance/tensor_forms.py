"""Forms of tensor cores: products of the matrices that the registers of a warp hold, and what loads
them. Each form gives out one of the result's registers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .inline_form import Form

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
