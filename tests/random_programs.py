"""Programs of a few instructions drawn at random, beside what the simulated GPU makes of them.

An input may be anything within bounds that are drawn, too. What the analysis has then found out
about a program, once it knows which of its integers may wrap, must hold for all of these: of some,
the simulated GPU says what is in each register. No other value may be possible.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import z3
from instruction_meanings import answer

from grader.cuda import simulator
from grader.proofs import meanings
from grader.proofs.atoms import Atoms, Formula, Polynomial, Scope, term
from grader.proofs.launches import Effort
from grader.proofs.search import MOST_RUNS, unmet
from grader.proofs.solver import Solver
from grader.proofs.values import Arithmetic, Unknown, Value
from grader.ptx.program import Instruction, Register
from grader.ptx.table import resolve

INPUTS = 3
STEPS = 5
ROWS = 4
EFFORT = 3_000_000
BOUNDS = ((0, 40), (1, 7), (-20, 20), (0, 2**31 - 1), (-(2**31), 2**31 - 1), (2**31 - 9, 2**31 - 1))
_NUMBERS = (0, 1, 2, 3, 4, 5, 7, 31, 32, 60, 255, -1, -4, 65535)
_LETTERS = {1: "r", 32: "r", 64: "l"}


@dataclass(frozen=True)
class Shape:
    """An opcode, the bits of its operands, which of them is a number and of what kind it is."""

    opcode: str
    operands: tuple[int, ...]
    result: int = 32
    number: int | None = None
    least: int = -(2**31)
    most: int = 2**31


_TWO = (32, 32)
SHAPES = (
    *(Shape(f"{name}.s32", _TWO) for name in ("add", "sub", "mul.lo", "min", "max", "add", "sub")),
    *(Shape(f"{name}.s32", _TWO, number=1) for name in ("add", "mul.lo", "min", "max")),
    *(Shape(f"{name}.u32", _TWO) for name in ("min", "max")),
    *(Shape(f"{name}.{kind}32", _TWO, 32, 1, 1) for name in ("div", "rem") for kind in "su"),
    *(Shape(f"{name}.s32", _TWO) for name in ("div", "rem")),
    *(Shape(f"{name}.s32", (32,)) for name in ("neg", "abs")),
    Shape("not.b32", (32,)),
    *(Shape(f"{name}32", _TWO, 32, 1, 0, 33) for name in ("shl.b", "shr.s", "shr.u")),
    Shape("and.b32", _TWO, 32, 1, -4),
    Shape("mad.lo.s32", (32, 32, 32)),
    *(Shape(f"mul.wide.{kind}32", _TWO, 64) for kind in "su"),
    *(Shape(f"mad.wide.{kind}32", (32, 32, 64), 64, 1, 1, 32) for kind in "su"),
    *(Shape(f"{name}.s64", (64, 64), 64) for name in ("add", "sub")),
    *(Shape(f"cvt.{to}.{source}", (32,), 64) for to, source in (("s64", "s32"), ("u64", "u32"))),
    Shape("cvt.u32.u64", (64,)),
    *(Shape(f"shr.{kind}64", (64, 32), 64, 1, 0, 40) for kind in "su"),
    *(Shape(f"setp.{how}.{kind}32", _TWO, 1) for how in ("lt", "ge", "eq", "ne") for kind in "su"),
    *(Shape("selp.b32", (32, 32, 1)) for _ in range(4)),
    *(Shape("selp.b64", (64, 64, 1), 64) for _ in range(2)),
    *(Shape(f"{name}.pred", (1, 1), 1) for name in ("and", "or", "xor")),
    Shape("not.pred", (1,), 1),
    Shape("mov.pred", (1,), 1, 0, -1, 1),
    *(Shape(f"{name}.pred", (1, 1), 1, 1, -1, 1) for name in ("and", "or")),
)


@dataclass(frozen=True)
class Step:
    """An instruction whose operands are registers by number, or a number (`shape.number`)."""

    shape: Shape
    operands: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """`bounds` of the inputs, which are the first registers; each step makes one more."""

    bounds: tuple[tuple[int, int], ...]
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        lines = [f"{one.shape.opcode} {one.operands}" for one in self.steps]
        return "; ".join([str(self.bounds), *lines])

    @property
    def bits(self) -> list[int]:
        return [32] * INPUTS + [one.shape.result for one in self.steps]


def drawn(seed: int) -> Program:
    rng = np.random.default_rng([20, seed])
    bounds = tuple(BOUNDS[at] for at in rng.integers(0, len(BOUNDS), INPUTS))
    bits, steps = [32] * INPUTS, []
    while len(steps) < STEPS:
        shape = SHAPES[rng.integers(len(SHAPES))]
        needed = {wide for k, wide in enumerate(shape.operands) if k != shape.number}
        if needed <= set(bits):
            steps.append(Step(shape, tuple(_operand(rng, shape, bits, k) for k in _places(shape))))
            bits.append(shape.result)
    return Program(bounds, tuple(steps))


def _places(shape: Shape) -> range:
    return range(len(shape.operands))


def _operand(rng: np.random.Generator, shape: Shape, bits: list[int], place: int) -> int:
    """A register, as a rule a late one; or a number."""
    if place == shape.number:
        return int(rng.choice([one for one in _NUMBERS if shape.least <= one < shape.most]))
    fitting = [k for k, wide in enumerate(bits) if wide == shape.operands[place]]
    return int(fitting[-1] if rng.random() < 0.4 else rng.choice(fitting))


def rows(program: Program, seed: int) -> np.ndarray:
    """(ROWS, INPUTS) inputs within their bounds, ends among them."""
    rng = np.random.default_rng([21, seed])
    columns = []
    for low, high in program.bounds:
        near = [low, high, *rng.integers(low, high, 2, endpoint=True), *range(low, low + 3)]
        columns.append(rng.choice(near, ROWS))
    return np.stack(columns, axis=1)


def source(program: Program, name: str) -> str:
    """A kernel in which thread t executes it on row t, and leaves all registers in a row of out."""
    kinds = {1: "unsigned", 32: "unsigned", 64: "unsigned long long"}
    bits = program.bits
    lines = [f"unsigned v{k} = in[t * {INPUTS} + {k}];" for k in range(INPUTS)]
    for number, one in enumerate(program.steps, INPUTS):
        lines.append(f"{kinds[one.shape.result]} v{number}; {_asm(one, number)}")
    lines += [f"out[t * {len(bits)} + {k}] = v{k};" for k in range(len(bits))]
    inside = "\n    ".join(["int t = threadIdx.x;", *lines])
    given = "const unsigned* in, unsigned long long* out"
    return f'extern "C" __global__ void {name}({given}) {{\n    {inside}\n}}'


def _asm(one: Step, number: int) -> str:
    shape = one.shape
    names, read, before = [], [], []
    for place, operand in enumerate(one.operands):
        if place == shape.number:
            names.append(str(operand))
            continue
        read.append(f'"{_LETTERS[shape.operands[place]]}"(v{operand})')
        names.append(f"%{len(read)}")
        if shape.operands[place] == 1:
            before.append(f".reg .pred q{place}; setp.ne.u32 q{place}, %{len(read)}, 0;")
            names[-1] = f"q{place}"
    target, after = ("p", "selp.u32 %0, 1, 0, p;") if shape.result == 1 else ("%0", "")
    before += [".reg .pred p;"] if shape.result == 1 else []
    text = " ".join([*before, f"{shape.opcode} {target}, {', '.join(names)};", after])
    out = _LETTERS[shape.result]
    return f'asm("{{ {text} }}" : "={out}"(v{number}) : {", ".join(read)});'


def executed(programs: dict[int, Program]) -> dict[int, np.ndarray]:
    """What the simulated GPU leaves in each register, (ROWS, registers), by seed."""
    code = "\n".join(source(one, f"k{seed}") for seed, one in programs.items())
    module, found = simulator.RawModule(code=code), {}
    for seed, one in programs.items():
        out = np.zeros((ROWS, len(one.bits)), np.uint64)
        given = rows(one, seed).astype(np.int64).astype(np.uint32).ravel()
        with simulator.options(checks=False):
            module.get_function(f"k{seed}")(1, ROWS, (given, out.reshape(-1)))
        found[seed] = out
    return found


def wrong(program: Program, inputs: np.ndarray, registers: np.ndarray) -> list[str]:
    """Where the analysis excludes what happens, or allows something else, in sentences."""
    on, values = understood(program)
    found = []
    for row, left in zip(inputs.tolist(), registers.tolist(), strict=True):
        if _by_zero(program, left):
            continue
        given = [term(one) == number for one, number in zip(values, row, strict=False)]
        same = [
            _same(value, bits, number)
            for value, bits, number in zip(values, program.bits, left, strict=True)
            if not isinstance(value, Unknown)
        ]
        scene = Solver(on.atoms)
        if answer(scene, [*given, *same]) == z3.unsat:
            found.append(f"{program} of {row} is {left}, which is excluded")
        elif answer(scene, [*given, z3.Not(z3.And(same))]) == z3.sat:
            found.append(f"{program} of {row} is {left}, and other values are allowed")
    return found


def _by_zero(program: Program, left: list[int]) -> bool:
    """Whether something is divided by 0, of which nothing is said."""
    names = ("div", "rem")
    steps = [one for one in program.steps if one.shape.opcode.startswith(names)]
    return any(one.shape.number is None and left[one.operands[1]] == 0 for one in steps)


def understood(program: Program) -> tuple[Arithmetic, list[Value]]:
    """What the analysis takes to be in each register, as soon as it knows what may wrap."""
    wraps: frozenset[int] = frozenset()
    for _ in range(MOST_RUNS):
        on = Arithmetic(Atoms(), wraps)
        values: list[Value] = [
            on.atoms.integer(f"in{k}", low, high, Scope.THREAD)
            for k, (low, high) in enumerate(program.bounds)
        ]
        for at, one in enumerate(program.steps):
            on.at = at
            values.append(_computed(on, one, values))
        failed = unmet(on, Effort(EFFORT))
        if not failed:
            return on, values
        wraps |= failed
    raise AssertionError(f"it is never known what wraps in {program}")


def _computed(on: Arithmetic, one: Step, values: list[Value]) -> Value:
    read = [
        Polynomial.of(operand) if place == one.shape.number else values[operand]
        for place, operand in enumerate(one.operands)
    ]
    registers = (Register("%d"), *(Register(f"%{k}") for k in range(len(read))))
    instruction = Instruction(resolve(one.shape.opcode, registers), registers)
    return meanings.computed(on, instruction, read)


def _same(value: Value, bits: int, number: int) -> Formula:
    if isinstance(value, z3.BoolRef):
        return value if number else z3.Not(value)
    assert isinstance(value, Polynomial)
    if bits == 1:
        return z3.BoolVal((value.number != 0) == (number != 0))
    return (term(value) - number) % 2**bits == 0
