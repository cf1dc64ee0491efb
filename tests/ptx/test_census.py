"""Every instruction that teaching kernels are compiled to is executed, and gives what it should."""

import re

import numpy as np
import pytest
from census_kernels import LANES, TABLE, Kernel, load, store, update
from census_programs import PROGRAMS, Program
from census_units import UNITS
from ptx_reference_forms import expected as reference

from grader import cuda
from grader.bench import conformance
from grader.bench.conformance.forms import InlineForm, plain
from grader.bench.conformance.samples import samples
from grader.cuda import simulator
from grader.machine.events import Observer
from grader.ptx.program import Flow

pytestmark = pytest.mark.slow

OPCODES = {opcode: unit for unit, opcodes in UNITS.items() for opcode in opcodes.split()}
BLOCK = conformance.BLOCK


def _same(rows):
    return [row[0] for row in rows]


def _predicates(operation: str, result) -> tuple[InlineForm, object]:
    asm = "{ .reg .pred p, q; setp.lt.u32 p, %1, %2; setp.eq.u32 q, %1, 0; "
    one_source = operation in ("not", "mov")
    asm += f"{operation}.pred p, {'p' if one_source else 'p, q'}; selp.u32 %0, 1, 0, p; }}"
    form = InlineForm("census", f"{operation}.pred", asm, ("u32", "u32"), "u32")
    return form, lambda rows: [int(result(a < b, a == 0)) for a, b in rows]


def _selections():
    for kind, bits in (("b32", "b32"), ("u16", "b16"), ("u64", "b64")):
        asm = f"{{ .reg .pred p; setp.ne.u32 p, %3, 0; selp.{kind} %0, %1, %2, p; }}"
        form = InlineForm("census", f"selp.{kind}", asm, (bits, bits, "bit"), bits)
        yield form, lambda rows: [a if c else b for a, b, c in rows]


def _carried(rows):
    return [((a * b >> 32) + c + (a + b >> 32)) & 0xFFFFFFFF for a, b, c in rows]


def own_forms():
    """Forms of opcodes that `conformance` spells otherwise, and what they give."""
    for kind in ("u32", "u64", "f32", "u16", "f64", "b16"):
        yield plain("census", f"mov.{kind}", (f"b{kind[1:]}",), f"b{kind[1:]}"), _same
    for name in ("add", "sub", "mul"):
        for kind in ("f32", "f64", "f16", "f16x2")[: 3 if name == "sub" else 4]:
            form = plain("census", f"{name}.{kind}", (kind, kind), kind)
            yield form, lambda rows, form=form: reference(form, rows)
    yield _predicates("or", lambda p, q: p or q)
    yield _predicates("and", lambda p, q: p and q)
    yield _predicates("xor", lambda p, q: p != q)
    yield _predicates("not", lambda p, q: not p)
    yield _predicates("mov", lambda p, q: p)
    yield from _selections()
    narrow = InlineForm("census", "cvt.s16.s8", "cvt.s16.s8 %0, %1;", ("b16",), "b16")
    yield narrow, lambda rows: [((a & 0xFF ^ 0x80) - 0x80) & 0xFFFF for (a,) in rows]
    asm = "{ .reg .u32 t; add.cc.u32 t, %1, %2; madc.hi.cc.u32 %0, %1, %2, %3; }"
    yield InlineForm("census", "madc.hi.cc.u32", asm, ("u32",) * 3, "u32"), _carried


def _opcodes(form: InlineForm) -> set[str]:
    return set(re.findall(r"(?:^|[;{] *)([a-z]\w*\.[\w.:]+)", form.asm))


def _known_forms():
    """The fewest forms of `conformance`, in their order, that have the census's opcodes."""
    wanted = set(OPCODES)
    for form in conformance.FORMS:
        if wanted & _opcodes(form):
            wanted -= _opcodes(form)
            yield form


FORMS = [*own_forms(), *((form, None) for form in _known_forms())]
_SPELLED = set().union(*(_opcodes(form) for form, _ in FORMS))
_BUILDERS = {"ld": load, "st": store, "atom": update, "red": update}
MEMORY: list[Kernel] = [
    _BUILDERS[opcode.partition(".")[0]](opcode, number)
    for number, opcode in enumerate(OPCODES)
    if opcode not in _SPELLED and opcode.partition(".")[0] in _BUILDERS and ".param" not in opcode
]
_SOURCE = f"__constant__ unsigned char table[] = {{{', '.join(map(str, TABLE))}}};\n"


class Executed:
    """Runs kernels and notes which instructions a warp came to."""

    def __init__(self):
        self.opcodes: set[str] = set()
        self.wrong: dict[str, str] = {}

    def observed(self):
        return simulator.observe(observers=(self.observer,))

    def observer(self, report) -> Observer:
        code, opcodes = report.wave.kernel.instructions, self.opcodes

        class Opcodes(Observer):
            def run(self, first, last, lanes):
                for instruction in code[first : last + 1]:
                    opcodes.add(instruction.form.opcode)
                    if instruction.form.flow is Flow.CALL and len(instruction.operands) > 3:
                        opcodes.add("call.indirect")

        return Opcodes()

    def forms(self) -> None:
        chosen = tuple(form for form, _ in FORMS)
        module = simulator.RawModule(code=conformance.source(chosen))
        for number, (form, result) in enumerate(FORMS):
            inputs = samples(form, BLOCK)
            out = np.zeros(BLOCK, f"u{form.output_size}")
            with self.observed():
                module.get_function(f"form_{number}")(1, BLOCK, (*inputs, out))
            if not form.bounds:
                rows = list(zip(*[array.tolist() for array in inputs], strict=True))
                wanted = np.array((result or (lambda r, f=form: reference(f, r)))(rows), out.dtype)
                self._compare(form.name, conformance.distance(form, out, wanted))

    def memory(self) -> None:
        module = simulator.RawModule(code=_SOURCE + "".join(k.source for k in MEMORY))
        random = np.random.default_rng(1)
        for kernel in MEMORY:
            given = random.integers(0, 120, (LANES, kernel.in_bytes)).astype(np.uint8)
            given[:, 1::2] = 0x40 | given[:, 1::2] & 7  # floats of moderate size
            out = np.zeros((LANES, kernel.out_bytes), np.uint8)
            with self.observed():
                module.get_function(kernel.name)(1, LANES, (given, out))
            self._compare(kernel.name, out != kernel.expected(given))

    def program(self, name: str, program: Program) -> None:
        out = np.zeros(len(program.expected), program.dtype)
        with self.observed():
            kernel = simulator.RawModule(code=program.source).get_function("k")
            kernel(program.grid, program.block, (out, *program.arguments))
        self._compare(name, out != program.expected)

    def _compare(self, name: str, apart: np.ndarray) -> None:
        if np.any(apart):
            self.wrong[name] = f"{np.count_nonzero(apart)} of {apart.size} are wrong"


@pytest.fixture(scope="module")
def executed():
    noted = Executed()
    noted.forms()
    noted.memory()
    for name, program in PROGRAMS.items():
        noted.program(name, program)
    with pytest.raises(cuda.CudaError), noted.observed():
        code = 'extern "C" __global__ void k() { asm volatile("trap;"); }'
        simulator.RawModule(code=code).get_function("k")(1, 1, ())
    return noted


def test_every_kernel_gives_what_it_should(executed):
    assert executed.wrong == {}


@pytest.mark.parametrize("unit", UNITS)
def test_every_opcode_of_the_census_is_executed(executed, unit):
    assert set(UNITS[unit].split()) <= executed.opcodes
