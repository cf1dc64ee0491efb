"""What the analysis must make of addresses, masks and what it knows nothing of, row by row.

The simulated GPU has no such values to compare with: what is right follows from what an address is,
a multiple of 256 and the bytes from there.
"""

from __future__ import annotations

import z3

from grader.proofs import meanings
from grader.proofs.atoms import Atoms, Polynomial, Scope, term
from grader.proofs.values import Arithmetic, Pointer, Unknown, Value
from grader.ptx.program import Instruction, Register
from grader.ptx.table import resolve

ANYTHING = z3.Bool("anything")  # a condition of which nothing is known


def wrong() -> list[str]:
    """Where the analysis does not say of addresses and masks what it must, in sentences."""
    on = Arithmetic(Atoms(), frozenset())
    a, b = (on.atoms.integer(name, 0, 99, Scope.THREAD) for name in "ab")
    p, q, other = Pointer("x", a), Pointer("x", b), Pointer("y", b)
    c = on.atoms.integer("c", -1, 99, Scope.THREAD)
    u = Unknown("u")
    four, held = Polynomial.of(4), on.atoms.boolean("held", Scope.THREAD)
    at_8, at_256, number = Pointer("x", a * 8), Pointer("x", a * 256), Polynomial.of
    rows: list[tuple[str, list[Value], Value | None]] = [
        ("add.s64", [p, b], Pointer("x", a + b)),
        ("add.s64", [b, p], Pointer("x", a + b)),
        ("sub.s64", [p, b], Pointer("x", a - b)),
        ("sub.s64", [p, q], a - b),
        ("sub.s64", [q, p], b - a),
        ("sub.s64", [p, other], on.integer(p, "s64") - on.integer(other, "s64")),
        ("sub.s64", [b, p], b - on.integer(p, "s64")),
        ("add.s64", [p, q], on.integer(p, "s64") + on.integer(q, "s64")),
        ("mad.lo.s64", [b, four, p], Pointer("x", a + b * 4)),
        ("cvt.u64.s64", [p], p),
        ("mad.lo.s64", [b, four, a], a + b * 4),
        ("mad.wide.u32", [b, four, u], b * 4 + on.integer(u, "u64")),
        ("mad.lo.s32", [b, four, u], b * 4 + on.integer(u, "s32")),
        ("shl.b32", [a, number(32)], number(0)),
        ("cvt.u32.u64", [p], on.integer(p, "u32")),
        ("cvt.u16.u64", [a], a),
        ("cvt.u16.u16", [c], c),
        ("cvt.rzi.s32.f32", [a], None),
        ("cvt.rn.f32.s32", [a], None),
        ("cvt.f64.s32", [a], None),
        ("cvt.bf16.s32", [a], None),
        ("cvt.u32.u64", [u], u),  # what it is read as later decides between which bounds it lies
        ("cvt.u8.u32", [u], on.integer(u, "u8")),
        ("cvt.rn.f16x2.f32", [a, b], None),
        ("or.b64", [p, four], None),
        ("or.b64", [four, p], None),
        ("or.b64", [p, number(7)], None),
        ("and.b64", [p, q], None),
        ("not.b64", [p], None),
        ("xor.b64", [p, q], None),
        ("and.b64", [at_8, number(7)], number(0)),
        ("and.b64", [number(7), at_8], number(0)),
        ("and.b64", [p, number(0)], number(0)),
        ("and.b64", [at_256, number(255)], number(0)),
        ("and.b64", [at_256, number(511)], None),
        ("and.b64", [at_256, number(256)], None),
        ("and.b64", [at_256, number(254)], None),
        ("or.b32", [a * 8, number(7)], a * 8 + 7),
        ("or.b32", [number(7), a * 8], a * 8 + 7),
        ("or.b32", [a * 8, number(8)], None),
        ("or.b32", [a * 9, number(7)], None),
        ("or.b32", [a, number(128)], a + 128),
        ("or.b32", [a, number(384)], a + 384),
        ("or.b32", [a, number(64)], None),
        ("or.b32", [c, number(128)], None),
        ("or.b32", [number(6), number(4)], None),
        ("xor.b32", [a, number(-1)], a * -1 - 1),
        ("xor.b32", [number(2**32 - 1), a], a * -1 - 1),
        ("xor.b32", [a * 8, number(7)], None),
        ("and.b32", [number(6), number(12)], number(4)),
        ("and.b32", [a, number(2**32 - 1)], a),
        ("and.b32", [a * 8, number(0x55555554)], None),
        ("mov.b64", [p], p),
        ("cvta.to.global.u64", [p], p),
        ("selp.b64", [p, p, held], p),
        ("xor.b64", [four, p], None),
        ("and.b64", [p, Polynomial.of(-4)], None),
        ("and.b64", [p, b], None),
        ("and.b64", [p, Polynomial.of(2047)], None),
        ("setp.lt.s64", [p, q], term(a) < term(b)),
        ("setp.eq.s64", [p, q], term(a) == term(b)),
        ("setp.lt.s64", [p, other], ANYTHING),
        ("setp.lt.s64", [other, p], ANYTHING),
        ("setp.lt.s64", [p, a], ANYTHING),
        ("setp.lt.s64", [a, p], ANYTHING),
        ("setp.lt.s64", [a, a + 1], z3.BoolVal(True)),
        ("setp.ge.s64", [a, a + 1], z3.BoolVal(False)),
        ("setp.lt.f32", [Unknown("f"), Unknown("g")], ANYTHING),
        *((f"{name}.f32", [a, b], None) for name in ("add", "sub", "mul", "min", "max")),
        *((f"{name}.f32", [a], None) for name in ("neg", "abs")),
        ("mov.f32", [u], u),
        ("selp.f32", [u, u, held], u),
        ("setp.lt.bf16", [a, b], ANYTHING),
        ("setp.ltu.f64", [a, b], ANYTHING),
        ("setp.lt.xor.s32", [a, b, held], z3.Xor(term(a) < term(b), held)),
        ("setp.lt.and.s32", [a, b, held], z3.And(term(a) < term(b), held)),
        ("setp.lt.or.s32", [a, b, held], z3.Not(z3.And(z3.Not(term(a) < term(b)), z3.Not(held)))),
    ]
    return [said for row in rows if (said := _said(on, *row))]


def _said(on: Arithmetic, opcode: str, given: list[Value], right: Value | None) -> str:
    registers = (Register("%d"), *(Register(f"%a{k}") for k in range(len(given))))
    found = meanings.computed(on, Instruction(resolve(opcode, registers), registers), given)
    if isinstance(right, z3.BoolRef) or isinstance(found, z3.BoolRef):
        both = isinstance(right, z3.BoolRef) and isinstance(found, z3.BoolRef)
        same = both and (found.eq(right) or (right is ANYTHING and "comparison" in str(found)))
    else:
        same = isinstance(found, Unknown) if right is None else found == right
    return "" if same else f"{opcode} of {given} is {found}"
