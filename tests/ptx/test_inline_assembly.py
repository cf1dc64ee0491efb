"""PTX that nobody's compiler made: what does not hold together is refused with the line that it
stands on, and what goes wrong in the simulated GPU itself is never blamed on anybody's `asm`."""

import random
from collections import Counter

import numpy as np
import pytest

from grader import compilers
from grader.cuda import simulator
from grader.cuda.errors import CudaError, OutOfBounds, UnsupportedInstruction
from grader.ptx.instructions import OPCODES
from grader.ptx.table import effect

SEED = 13
OF_EACH = 4  # instructions of each line of the table
LINE = 3  # where the source has its asm

SOURCE = """extern "C" __global__ void k(int* y)
{
  asm volatile("...");
}"""
PTX = f"""
.version 8.5
.target sm_90
.address_size 64
.global .align 8 .b8 table[64];
.func (.param .b32 result) twice(.param .b32 given)
{{
  .reg .b32 %r<2>;
  ld.param.b32 %r1, [given];
  st.param.b32 [result], %r1;
  ret;
}}
.visible .entry k(.param .u64 y)
{{
  .reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>; .reg .b64 %rd<4>;
  .reg .f32 %f<4>; .reg .f64 %fd<4>;
  .shared .align 16 .b8 tile[1024];
  .loc 1 1 0
  ld.param.u64 %rd1, [y];
  mov.u32 %r1, 7;
  setp.eq.u32 %p1, %r1, 7;
  .loc 1 {LINE} 0
  INSTRUCTION
  .loc 1 4 0
DONE:
  ret;
}}
.file 1 "{compilers.SOURCE_NAME}"
"""

REGISTERS = [f"%{kind}{n}" for kind in ("p", "h", "r", "rd", "f", "fd") for n in (1, 2)]
FITTING = {
    "p": ("pred",),
    "h": ("b16", "u16", "s16", "f16", "bf16", "u8", "s8", "b8"),
    "r": ("b32", "u32", "s32", "f16x2", "bf16x2", "s16x2", "u16x2"),
    "rd": ("b64", "u64", "s64"),
    "f": ("f32", "b32"),
    "fd": ("f64", "b64"),
}
NUMBERS = ["0", "1", "-1", "4", "31", "32", "0xffffffff", "0xffffffffffffffff", "0f3F800000"]
NUMBERS += ["0d3FF0000000000000", "99999999999999999999999"]
NAMES = ["%tid.x", "%laneid", "%clock64", "%nothing.x", "y", "tile", "table", "twice", "DONE", "_"]
NAMES += ["nowhere", "%r99"]
ADDRESSES = ["[%rd1]", "[%r1]", "[tile]", "[tile+4]", "[y]", "[0]", "[table+60]", "[%p1]"]
ADDRESSES += ["[%h1]", "[nowhere]", "[%r99]", "[_]", "[-8]", "[%fd1+4]", "[DONE]", "[twice]"]


class Written:
    """Not compiled: PTX as a test has written it."""

    starts_programs = False
    text = ""

    def identity(self):
        return [self.text]

    def compile(self, job):
        return compilers.Program(self.text.encode(), {}, files=("so it is not kept",))


@pytest.fixture
def outcome(monkeypatch):
    """What becomes of an instruction: None, or the CudaError that it ends in."""
    written = Written()
    monkeypatch.setitem(compilers.COMPILERS, "written", written)
    monkeypatch.setenv(compilers.CHOICE, "written")

    def run(instruction):
        written.text = PTX.replace("INSTRUCTION", instruction)
        try:
            with simulator.observe():
                kernel = simulator.RawModule(code=SOURCE).get_function("k")
                kernel(1, 32, (np.zeros(64, np.int32),))
        except CudaError as error:
            return error
        return None

    return run


def some_operand(rng, kind="", depth=0):
    """Mostly what could hold a value of PTX type `kind`."""
    fitting = [name for name, kinds in FITTING.items() if kind in kinds]
    what = rng.randrange(24)
    if what < 9:
        return f"%{rng.choice(fitting or [*FITTING])}{rng.choice((1, 2))}"
    if what < 12:
        return rng.choice(REGISTERS)
    if what < 15:
        return rng.choice(NUMBERS)
    if what < 17:
        return rng.choice(NAMES)
    if what == 17:
        return "!" + rng.choice(REGISTERS)
    if what == 18:
        return rng.choice(REGISTERS) + "|" + rng.choice([*REGISTERS, "_"])
    if what < 22 and not depth:
        parts = [some_operand(rng, kind, 1) for _ in range(rng.choice((0, 1, 2, 2, 4, 4, 8)))]
        opening, closing = rng.choice(("{}", "{}", "{}", "()"))
        return opening + ", ".join(parts) + closing
    return rng.choice(ADDRESSES)


def an_instruction(rng, name, syntax):
    """With modifiers that one line of the table allows, with as many operands as there may be, most
    often, and with addresses where it has them."""
    slots = [slot for slot in syntax.slots if not slot.optional or rng.random() < 0.5]
    mods = [rng.choice(slot.choices) for slot in slots]
    operands = rng.choice(syntax.operands)
    most = 6 if operands.open or rng.random() < 0.1 else len(operands.roles)
    number = rng.randint(min(operands.required, most), most)
    at = {position for position, _ in operands.addresses}
    kind = mods[-1] if mods else ""
    words = [rng.choice(ADDRESSES) if n in at else some_operand(rng, kind) for n in range(number)]
    guard = rng.choice(("", "", "", "", "", "@%p1 ", "@!%p1 ", "@%r1 ", "@nowhere "))
    return f"{guard}{'.'.join([name, *mods])} {', '.join(words)};"


def instructions():
    rng = random.Random(SEED)
    for name, lines in OPCODES.items():
        for syntax, _ in lines:
            for _ in range(OF_EACH):
                yield an_instruction(rng, name, syntax)


def not_blamed_rightly(outcome, instructions):
    """Those that end in no sentence about their own line, and how the others end."""
    found, ends = [], Counter()
    for instruction in instructions:
        try:
            error = outcome(instruction)
        except Exception as fault:
            found.append(f"{instruction}  {type(fault).__name__}: {fault}")
            continue
        ends[type(error).__name__] += 1
        if error is not None and error.line != LINE:
            found.append(f"{instruction}  line {error.line}: {error}")
    return found, ends


def test_every_instruction_is_executed_or_refused_by_its_line(outcome):
    found, ends = not_blamed_rightly(outcome, instructions())
    assert found == []
    assert ends["NoneType"] > 100
    assert ends["UnsupportedInstruction"] > 300


def test_text_that_is_no_ptx_is_refused_by_its_line(outcome):
    rng = random.Random(SEED)
    words = [
        *REGISTERS,
        *NUMBERS,
        *NAMES,
        *ADDRESSES,
        "add.s32",
        "ld.global.u32",
        "mov.b64",
        "call",
    ]
    words += [*"()[]!@|,;+-", ".reg", ".b32", "089", "%r<3>", ".branchtargets", "bra"]
    soup = [" ".join(rng.choices(words, k=rng.randint(1, 9))) + ";" for _ in range(300)]
    found, ends = not_blamed_rightly(outcome, soup)
    assert found == []
    assert ends["UnsupportedInstruction"] > 50


@pytest.fixture
def stumble(monkeypatch):
    """An instruction of ours that has a fault."""
    monkeypatch.setitem(OPCODES, "stumble", [])

    @effect("stumble", "s32 : d, a")
    def build(instruction, at, machine):
        return machine.nowhere

    return "stumble.s32"


def test_a_fault_of_ours_is_not_blamed_on_the_kernel_s_asm(stumble):
    code = f"""extern "C" __global__ void k(int* y) {{  // asm
      asm volatile("{stumble} %0, %1;" : "=r"(y[threadIdx.x]) : "r"(1));
    }}"""
    kernel = simulator.RawModule(code=code).get_function("k")
    with pytest.raises(AttributeError, match="nowhere"):
        kernel(1, 32, (np.zeros(32, np.int32),))


@pytest.mark.parametrize(
    ("instruction", "why"),
    [
        ("add.s32 {%r1, %r2}, %r1, %r1;", "a register of type .s32 is expected"),
        ("add.s64 %rd1, %r1, %rd1;", "%r1 is no register for a value of type .s64"),
        ("add.s32 %r1, %p1, %r1;", "%p1 is no register for a value of type .s32"),
        ("ld.global.v4.u32 {%r1, %r2}, [%rd1];", "an operand has 2 parts and not 4"),
        ("mov.u32 %r1, [nowhere];", "not its operands"),
        ("mov.u32 %r1, nowhere;", "nothing called nowhere"),
        ("brx.idx %r1, DONE;", "no such list of labels"),
        ("add.s32 %r1, %r1, 089;", "089 is no number with 8 for its base"),
        (f"mov.b64 %rd1, {'{' * 999};", "operands within operands"),
        ("call (%r1), twice, (%r1);", "%r1 is no parameter of a call"),
    ],
)
def test_what_does_not_hold_together_is_said(outcome, instruction, why):
    error = outcome(instruction)
    assert isinstance(error, UnsupportedInstruction)
    assert error.line == LINE
    assert why in str(error)


def test_bytes_just_below_address_0_are_out_of_bounds(outcome):
    assert isinstance(outcome("ld.b64 %rd1, [-8];"), OutOfBounds)
