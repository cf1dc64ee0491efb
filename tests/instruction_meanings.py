"""What the analysis takes instructions to mean, beside what the simulated GPU makes of them.

An instruction is executed by the simulated GPU on many operands. For each of them the analysis is
asked whether it may have that result, and whether it may have another. So are programs of several
instructions, drawn at random, for all numbers that their inputs may be at once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from unittest.mock import MagicMock

import numpy as np
import z3

from grader.cuda import simulator
from grader.proofs import meanings
from grader.proofs.atoms import Atoms, Polynomial, Scope, term
from grader.proofs.solver import Solver
from grader.proofs.values import Arithmetic, Unknown, Value
from grader.ptx import program
from grader.ptx.program import Register
from grader.ptx.table import resolve

_LETTERS = {16: "h", 32: "r", 64: "l"}
_TYPES = {16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}


@dataclass(frozen=True)
class Instruction:
    """`opcode`, the bits of its result (1: a predicate) and of its operands; `constants` are those
    that are numbers, by position. `known`: whether the analysis knows the result."""

    opcode: str
    result: int
    operands: tuple[int, ...]
    constants: tuple[tuple[int, int], ...] = ()
    known: bool = True

    @property
    def executable(self) -> program.Instruction:
        registers = (Register("%d"), *(Register(f"%a{k}") for k in range(len(self.operands))))
        return program.Instruction(resolve(self.opcode, registers), registers)

    def operations(self) -> set[str]:
        """Those of `meanings.OnIntegers` that its meaning is written with."""
        select, spy = self.executable.form.select, MagicMock()
        if select is not None and (meaning := select(self.executable).meaning):
            meaning(spy)(*self.operands)
        return {name.partition(".")[0] for name, _, _ in spy.mock_calls}

    def __str__(self) -> str:
        return " ".join((self.opcode, *(str(number) for _, number in self.constants)))


def _binary(opcode: str, bits: int = 32, result: int | None = None) -> Instruction:
    return Instruction(opcode, result or bits, (bits, bits))


def _by(opcode: str, number: int, bits: int = 32, known: bool = True) -> Instruction:
    second = 32 if opcode.startswith("sh") else bits
    return Instruction(opcode, bits, (bits, second), ((1, number),), known)


def _unknown(opcode: str, *operands: int, result: int = 32) -> Instruction:
    return Instruction(opcode, result, operands, known=False)


MODULAR = ("add.", "sub.", "mul.lo", "mad.lo", "neg", "not", "shl", "cvt.u32.u64", "cvt.u16.u32")
LOOSE = ("and.b32", "or.b32", "xor.b32")  # of which the analysis knows bounds
_COMPARED = [
    *(f"setp.{how}.{kind}" for how in ("eq", "lt", "ge") for kind in ("s32", "u32")),
    *("setp.ne.s32", "setp.le.s32", "setp.gt.u32", "setp.lo.u32", "setp.hs.u32", "setp.lt.s16"),
    *("setp.ls.u32", "setp.hi.u32"),
]
INSTRUCTIONS = [
    *map(_binary, ("add.s32", "sub.s32", "mul.lo.s32", "mul.hi.u32", "mul.hi.s32")),
    *map(_binary, ("div.s32", "div.u32", "rem.s32", "rem.u32")),
    *map(_binary, ("min.s32", "min.u32", "max.s32", "max.u32")),
    *(_binary(opcode, 16) for opcode in ("add.s16", "sub.s16", "mul.lo.s16", "min.u16")),
    *(_binary(opcode, 64) for opcode in ("add.s64", "sub.s64", "mul.lo.s64")),
    *(_binary(opcode, 32, 64) for opcode in ("mul.wide.s32", "mul.wide.u32")),
    _binary("mul.wide.u16", 16, 32),
    Instruction("mad.lo.s32", 32, (32, 32, 32)),
    Instruction("mad.hi.s32", 32, (32, 32, 32)),
    Instruction("mad.wide.u32", 64, (32, 32, 64)),
    Instruction("mad.wide.s32", 64, (32, 32, 64)),
    *(Instruction(f"sad.{kind}32", 32, (32, 32, 32)) for kind in "su"),
    *(Instruction(opcode, 32, (32,)) for opcode in ("neg.s32", "abs.s32", "not.b32", "mov.u32")),
    *(_by("shl.b32", amount) for amount in (0, 3, 31, 32)),
    *(_by(f"shr.{kind}", amount) for kind in ("u32", "s32", "b32") for amount in (0, 5, 31, 33)),
    *(_by(f"shr.{kind}64", amount, 64) for kind in "us" for amount in (32, 70)),
    *(_by(f"sh{way}32", 2**32 - 1) for way in ("l.b", "r.u", "r.s")),
    *(_by("and.b32", mask) for mask in (31, 124, -32, 0, -1, 0x7FFFFFFF, 253, 0x0F0F0F0F)),
    _by("and.b32", 0x55555555, known=False),
    *(_by("and.b16", mask, 16) for mask in (255, -1)),
    *(_by("mul.hi.u32", number) for number in (0xCCCCCCCD, 3)),
    *(_by("div.s32", number) for number in (7, -3, 4)),
    *(_by("rem.s32", number) for number in (7, 4)),
    *(_by("rem.u32", number) for number in (6, 32)),
    *(_unknown(opcode, 32, 32) for opcode in ("add.sat.s32", "sub.sat.s32")),
    *(_unknown(opcode, 32, 32) for opcode in ("shl.b32", "shr.u32", "shr.s32")),
    *(_unknown(opcode, 32, 32) for opcode in ("min.relu.s32", "max.relu.s32")),
    _unknown("mad.hi.sat.s32", 32, 32, 32),
    *(_unknown(f"cvt.sat.{kind}", 32) for kind in ("u8.s32", "s8.s32", "u32.s32", "s32.u32")),
    *(_unknown(f"{name}.b32", 32) for name in ("popc", "clz", "brev")),
    *(_unknown(opcode, 32, 32) for opcode in ("add.u16x2", "min.s16x2", "max.relu.s16x2")),
    _by("xor.b32", -1),
    _by("or.b32", -1, known=False),
    _by("or.b32", 5, known=False),
    _by("xor.b32", 5, known=False),
    *map(_binary, LOOSE),
    Instruction("cvt.s64.s32", 64, (32,)),
    Instruction("cvt.u64.u32", 64, (32,)),
    Instruction("cvt.u32.u64", 32, (64,)),
    Instruction("cvt.s64.u64", 64, (64,)),
    Instruction("cvt.s32.s16", 32, (16,)),
    Instruction("cvt.u32.u16", 32, (16,)),
    Instruction("cvt.u16.u32", 16, (32,)),
    Instruction("cvt.s32.s8", 32, (32,)),
    Instruction("cvt.u32.u8", 32, (32,)),
    Instruction("cvt.u8.u32", 32, (32,)),
    Instruction("cvt.s8.s32", 32, (32,)),
    Instruction("cvt.s8.u16", 32, (16,)),
    *(Instruction(one, 1, (16 if one.endswith("16") else 32,) * 2) for one in _COMPARED),
]

_EDGES = (0, 1, 2, 3, 5, 31, 32, 33, 100, 2**15 - 1, 2**15, 2**31 - 1, 2**31, 2**32 - 1, 2**32 - 7)


def operands(one: Instruction, number: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Bit patterns to try: edges and random ones; no division by 0."""
    rng = np.random.default_rng([seed, len(one.opcode), *one.operands])
    constants = dict(one.constants)
    found: list[tuple[int, ...]] = []
    while len(found) < number:
        drawn = []
        for position, bits in enumerate(one.operands):
            edge = int(rng.choice(_EDGES)) if rng.random() < 0.7 else int(rng.integers(2**62))
            edge = -edge if rng.random() < 0.3 else edge
            drawn.append(constants.get(position, edge) % 2**bits)
        if len(found) % 3 == 2 and not constants:
            drawn = [drawn[0] % 2**bits for bits in one.operands]  # the same in all
        if not (one.opcode.startswith(("div", "rem")) and drawn[1] == 0):
            found.append(tuple(drawn))
    return found


@cache
def _module() -> simulator.RawModule:
    return simulator.RawModule(code="\n".join(map(_kernel, INSTRUCTIONS, range(1000))))


def _kernel(one: Instruction, number: int) -> str:
    """A kernel that executes an instruction on what thread t finds in arrays."""
    constants = dict(one.constants)
    out = 32 if one.result == 1 else one.result
    arrays = ", ".join(f"const {_TYPES[bits]}* a{k}" for k, bits in enumerate(one.operands))
    places = [str(constants.get(k, f"%{k + 1}")) for k in range(len(one.operands))]
    inputs = ", ".join(f'"{_LETTERS[bits]}"(a{k}[t])' for k, bits in enumerate(one.operands))
    text = f"{one.opcode} %0, {', '.join(places)};"
    if one.result == 1:
        text = f"{{ .reg .pred p; {one.opcode} p, {', '.join(places)}; selp.u32 %0, 1, 0, p; }}"
    return (
        f'extern "C" __global__ void k{number}({arrays}, {_TYPES[out]}* out) {{\n'
        f"    int t = threadIdx.x;\n    {_TYPES[out]} d;\n"
        f'    asm("{text}" : "={_LETTERS[out]}"(d) : {inputs});\n    out[t] = d;\n}}'
    )


@cache
def executed(one: Instruction, number: int) -> list[tuple[tuple[int, ...], int]]:
    """Operands and results, as the simulated GPU has them."""
    tried = operands(one, number)
    columns = zip(*tried, strict=True)
    arrays = [
        np.array(column, dtype=f"u{bits // 8}")
        for column, bits in zip(columns, one.operands, strict=True)
    ]
    out = np.zeros(number, dtype=f"u{max(one.result, 32) // 8}" if one.result != 16 else "u2")
    kernel = _module().get_function(f"k{INSTRUCTIONS.index(one)}")
    kernel(1, number, (*arrays, out))
    return [(given, int(result)) for given, result in zip(tried, out, strict=True)]


def wrong(one: Instruction, number: int = 3) -> list[str]:
    """Where the analysis excludes what happens, allows what does not, or leaves to be proved what
    holds anyhow, in sentences."""
    found = []
    for count, (given, result) in enumerate(executed(one, number)):
        for wraps in (frozenset(), frozenset({0})):
            asked = Asked(one, given, result, wraps, signed=count % 2 == 0, around=count % 3)
            said = asked.wrong()
            found += [f"{one} of {given} is {result}: {said}"] if said else []
    return found


@dataclass(frozen=True)
class Asked:
    """An instruction on `given`, of which the simulated GPU makes `result`. What the analysis knows
    of operands: next to nothing, or how large they are at most or at least (`around` 0, 1, 2)."""

    one: Instruction
    given: tuple[int, ...]
    result: int
    wraps: frozenset[int]
    signed: bool
    around: int

    def wrong(self) -> str:
        on, values = Arithmetic(Atoms(), self.wraps), self.values()
        computed = meanings.computed(on, *self._read(on, values))
        if said := self._wrongly_owed(on, values):
            return said
        if any(
            not owed.low <= owed.value.value(values) <= owed.high for owed in _known(on, values)
        ):
            return ""  # the analysis would find that it may wrap, and take the other way
        if isinstance(computed, Unknown) or not self.one.known:
            unknown = isinstance(computed, Unknown)
            return "" if unknown != self.one.known else "not known" if unknown else "taken as known"
        given = [z3.Int(name) == value for name, value in values.items()]
        return self._told(Solver(on.atoms), given, computed)

    def values(self) -> dict[str, int]:
        """The operands that are no numbers, as the analysis may know them: with their sign."""
        constants = dict(self.one.constants)
        shown = {}
        for position, (bits, pattern) in enumerate(zip(self.one.operands, self.given, strict=True)):
            negative = self.signed and pattern >= 2 ** (bits - 1)
            if position not in constants:
                shown[f"a{position}"] = pattern - 2**bits if negative else pattern
        return shown

    def bounds(self, value: int) -> tuple[int, int]:
        return ((-(2**63), 2**64), (value - 3, value), (value, value + 3))[self.around]

    def _read(
        self, on: Arithmetic, values: dict[str, int]
    ) -> tuple[program.Instruction, list[Value]]:
        constants, read = dict(self.one.constants), []
        for position in range(len(self.one.operands)):
            name = f"a{position}"
            if position in constants:
                read.append(Polynomial.of(constants[position]))
            else:
                read.append(on.atoms.integer(name, *self.bounds(values[name]), Scope.THREAD))
        return self.one.executable, read

    def _wrongly_owed(self, on: Arithmetic, values: dict[str, int]) -> str:
        """What is left to be proved of numbers that fit whatever the instruction may read."""
        least = min(map(int, re.findall(r"\.[sub](\d+)", self.one.opcode)))
        fit = all(0 <= value < 2 ** (least - 1) for value in values.values())
        ends = [end for value in values.values() for end in self.bounds(value)]
        owed = [one for one in on.obligations if one.value.atoms <= values.keys()]
        if owed and self.one.opcode.startswith(MODULAR):
            return "it is to be proved what makes no difference"
        if self.wraps and owed:
            return "it is to be proved that what wraps does not"
        if owed and all(0 <= end < 2 ** (least - 1) for end in ends):
            return "it is to be proved what is known"
        broken = any(not one.low <= one.value.value(values) <= one.high for one in owed)
        return "it is to be proved what is not so" if fit and broken else ""

    def _told(self, scene: Solver, given: list, computed: Value) -> str:
        if isinstance(computed, z3.BoolRef):
            same = other = computed if self.result else z3.Not(computed)
        else:
            assert isinstance(computed, Polynomial)
            found = term(computed)
            same = other = (found - self.result) % 2**self.one.result == 0
            if self.one.opcode in LOOSE and not self.one.constants:
                low, high = possible(self.one.opcode, *self.given)
                other = z3.And(found >= low, found <= high)
        if answer(scene, [*given, same]) == z3.unsat:
            return "excluded"
        if answer(scene, [*given, z3.Not(other)]) == z3.sat:
            return "not the only result"
        return ""


def possible(opcode: str, a: int, b: int) -> tuple[int, int]:
    """The least and the largest that the analysis may allow, as it looks at no bit."""
    name, _, bits = opcode.partition(".b")
    most = 2 ** int(bits) - 1
    if name == "and":
        return max(0, a + b - most), min(a, b)
    if name == "or":
        return max(a, b), min(a + b, most)
    return abs(a - b), min(a + b, most)


def _known(on: Arithmetic, values: dict[str, int]) -> list:
    """The obligations about operands themselves; those about what is computed hold by facts."""
    return [one for one in on.obligations if one.value.atoms <= values.keys()]


def answer(scene: Solver, formulas: list[z3.BoolRef]) -> z3.CheckSatResult:
    """With products that are products, as they are in a launch."""
    known, _ = scene.known(formulas)
    names = {name for one in known for name in scene.atoms.constants(one) if "*" in name}
    solver = z3.SimpleSolver()
    solver.set("timeout", 20_000)
    solver.add(known)
    solver.add([z3.Int(name) == z3.Product(*map(z3.Int, name.split("*"))) for name in names])
    return solver.check()
