"""The table of instructions: what it knows, what it refuses, and that nobody else knows better."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import grader
from grader import compilers
from grader.bench import conformance
from grader.cuda import UnsupportedInstruction, simulator
from grader.ptx.instructions import OPCODES, resolve
from grader.ptx.parse import parse
from grader.ptx.program import Address, Carries, Flow, Register
from grader.ptx.table import forms_of

GRADER = Path(grader.__file__).parent
SIMULATOR = [GRADER / room for room in ("machine", "ptx", "say", "watch")]
A, B, C, D = (Register(f"%r{n}") for n in range(4))
AT = Address(Register("%rd1"), 0)


def run(asm: str) -> None:
    code = 'extern "C" __global__ void k(int* y) {\n  int v = 1;\n'
    code += f'  asm volatile("{asm}" : "+r"(v));\n  y[threadIdx.x] = v;\n}}'
    simulator.RawModule(code=code).get_function("k")((1,), (32,), (np.zeros(32, np.int32),))


@pytest.mark.parametrize(
    ("instruction", "reason"),
    [
        ("add.bogus.s32 %0, %0, %0;", "modifier `.bogus`"),
        ("min.nonsense.wide.s32 %0, %0, %0;", "modifier `.nonsense`"),
        ("add.sat.u32 %0, %0, %0;", "not with these modifiers together"),
        ("mul.s32 %0, %0, %0;", "or not without others"),
        ("add.s32 %0, %0;", "not its operands of `add`"),
        ("frobnicate.s32 %0, %0;", "`frobnicate.s32`"),
    ],
)
def test_what_ptx_does_not_know_is_refused_with_its_line_and_a_reason(instruction, reason):
    with pytest.raises(UnsupportedInstruction) as caught:
        run(instruction)
    assert caught.value.line == 3
    assert reason in str(caught.value)


def test_an_instruction_that_is_never_come_to_is_not_refused():
    code = 'extern "C" __global__ void k(int* y) { if (y[0] > 5) asm volatile("frobnicate.s32;"); }'
    simulator.RawModule(code=code).get_function("k")((1,), (32,), (np.zeros(32, np.int32),))


def test_modifiers_may_stand_in_another_order():
    written = resolve("vote.ballot.sync.b32", (A, B, C))
    assert written.mods == resolve("vote.sync.ballot.b32", (A, B, C)).mods
    assert written.opcode == "vote.ballot.sync.b32"


@pytest.mark.parametrize(
    ("opcode", "operands", "transfers"),
    [
        ("ld.global.v4.f32", (A, AT), [(1, "reads", "global", 4, 4)]),
        ("ld.global.v8.f32", (A, AT), [(1, "reads", "global", 4, 8)]),
        ("st.shared::cta.u8", (AT, B), [(0, "writes", "shared", 1, 1)]),
        ("atom.add.release.gpu.u32", (A, AT, B), [(1, "updates", "generic", 4, 1)]),
        (
            "cp.async.ca.shared.global",
            (AT, AT, C),
            [(0, "writes", "shared", 4, 1), (1, "reads", "global", 4, 1)],
        ),
        ("prefetch.global.L2", (AT,), []),
        ("add.s32", (A, B, C), []),
    ],
)
def test_the_form_says_what_happens_at_which_address(opcode, operands, transfers):
    found = [
        (at, one.verb, one.space, one.size, one.components)
        for at, one in resolve(opcode, operands).transfers
    ]
    assert found == transfers


def test_the_form_says_where_threads_go_and_what_becomes_of_unset_values():
    assert resolve("bra.uni", (A,)).flow is Flow.BRANCH
    assert resolve("trap", ()).flow is Flow.TRAP
    assert resolve("selp.b32", (A, B, C, D)).carries is Carries.CHOSEN
    assert resolve("shfl.sync.bfly.b32", (A, B, C, D, D)).collective
    assert resolve("membar.gl", ()).orders
    assert not resolve("ld.global.f32", (A, AT)).orders


_EVENTS = {"barrier", "fence"}  # words that traces and reports have for what has happened


def _opcodes_in(path: Path) -> set[str]:
    """The opcodes that a module's code (not its docstrings) spells."""
    tree = ast.parse(path.read_text())
    texts = [n for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) is str]
    return {n.value for n in texts} & {*OPCODES} - _EVENTS


def test_no_module_outside_the_table_spells_an_opcode_or_looks_at_modifiers():
    table = {GRADER / "ptx" / f"{name}.py" for name in ("program", "syntax", "table")}
    files = [path for room in SIMULATOR for path in room.rglob("*.py") if path not in table]
    outside = [path for path in files if path.parent != GRADER / "ptx" / "instructions"]
    assert len(outside) > 20
    spelled = {path.name: found for path in outside if (found := _opcodes_in(path))}
    assert spelled == {}
    text = re.compile(r"\.mods\b|\.opcode\.")
    assert [path.name for path in outside if text.search(path.read_text())] == []


# Entries of the table that have no row in `grader.bench.conformance`, and where they are tried.
ELSEWHERE = {
    "activemask": "who is active is up to the scheduler; test_kernels.py",
    "applypriority createpolicy discard prefetch prefetchu": "hints, which compute nothing",
    "griddepcontrol pmevent nanosleep setmaxnreg": "change nothing that one grid can see",
    "bar barrier fence membar": "order threads: test_hazards.py, test_faults.py",
    "bra brx call exit ret trap": "control: test_kernels.py, test_census.py",
    "cp mbarrier": "copies and their barriers: test_async.py; boxes: test_tensor_maps.py, on "
    "hardware too",
    "stmatrix": "what ldmatrix undoes: test_tensor_cores.py",
    "wmma": "its fragments are opaque: test_tensor_cores.py has products, on hardware too",
    "getctarank mapa": "addresses within a cluster: test_kernels.py",
    "cvta isspacep ld ldu mov st": "memory and moves, in every kernel of every row; st.async: "
    "test_cluster_messages.py, on hardware too",
}


def test_every_opcode_has_conformance_rows_or_a_reason_for_none():
    tried = set()
    for form in conformance.FORMS:
        tried |= set(re.findall(r"(?:^|[{;] *)([a-z]\w*)[. ]", form.asm))
    excused = {name for names in ELSEWHERE for name in names.split()}
    assert {*OPCODES} - tried - excused == set()
    assert excused <= {*OPCODES}


@pytest.mark.parametrize("family", dict.fromkeys(form.family for form in conformance.FORMS))
def test_the_table_knows_every_instruction_of_the_conformance_rows(family):
    forms = tuple(form for form in conformance.FORMS if form.family == family)
    ptx = compilers.compile_ptx(conformance.source(forms), ("-arch=compute_90",))
    functions = parse(ptx.text, compilers.SOURCE_NAME).functions.values()
    unknown = {
        one.form.opcode
        for function in functions
        for one in function.instructions
        if one.form.build is None
    }
    assert unknown == set()


def test_one_way_to_write_an_instruction_stands_in_one_entry():
    """No two entries of an opcode accept the same modifiers."""
    for form in conformance.FORMS:
        for opcode in re.findall(r"(?:^|[{;] *)([a-z]\w*(?:\.[\w:]+)+)", form.asm):
            assert len(forms_of(opcode)) == 1, opcode
