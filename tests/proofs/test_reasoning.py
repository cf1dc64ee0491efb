"""What is known of every size is kept for all answers that compile to the same, and for no
others."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from small_lesson import SOLUTION, instead

pytest.importorskip("z3")

import grader
from grader import proofs as analysis
from grader.course import Rule
from grader.judge.protocol import Examine
from grader.judge.sandbox import reasoning

RULE = Rule(
    exercise="add",
    kernel="add",
    parameters=("float x[n]", "float y[n]", "float total[n]", "int n"),
    blocks=(64,),
    where=("n >= 1", "gridDim.x * blockDim.x >= n"),
)
A_COMPUTED_MASK = SOLUTION.replace(
    "total[i] = x[i] + y[i];",
    "total[i] = __shfl_down_sync(__ballot_sync(__activemask(), 1), x[i], 0) + y[i];",
)
EFFORT = 1.0


@pytest.fixture
def asked(tmp_path, monkeypatch, cache_home):
    """How often launches are tried, with an empty cache."""
    cache_home(tmp_path)
    sources = []
    tried = analysis.counterexample

    def counted(source, *rest):
        sources.append(source)
        return tried(source, *rest)

    monkeypatch.setattr(analysis, "counterexample", counted)
    return sources


def examined(source, rule=RULE, effort=EFFORT):
    return reasoning.examined(source, Examine((rule,), SOLUTION, {}, effort, 1.5))


def test_names_and_empty_lines_make_no_other_kernel(asked):
    renamed = SOLUTION.replace("int i ", "int place ").replace("[i]", "[place]")
    renamed = "// mine\n\n" + renamed.replace("i < n", "place < n")
    assert examined(SOLUTION).proved
    assert examined(renamed) == examined(SOLUTION)
    assert len(asked) == 1


def test_a_variable_that_no_kernel_uses_makes_no_other_kernel(asked):
    examined(SOLUTION)
    examined(SOLUTION + "__device__ int spare = 7;\n__constant__ int* where = &spare;\n")
    assert len(asked) == 1


def test_a_variable_that_a_kernel_uses_makes_another_one(asked):
    for value in (1, 2):
        used = SOLUTION.replace("x[i] + y[i]", "x[i] + y[i] + table[i % 2]")
        examined(f"__constant__ int table[2] = {{0, {value}}};\n{used}")
    assert len(asked) == 2


def test_lines_are_those_of_the_answer_that_asks(asked):
    here, there = examined(A_COMPUTED_MASK), examined("\n\n" + A_COMPUTED_MASK)
    assert len(asked) == 1
    assert here.lines and "computed" in here.why
    assert [line + 2 for line in here.lines] == list(there.lines)


@pytest.mark.parametrize(
    "other",
    [
        instead("    if (i <= n) total[i] = x[i] + y[i];"),
        SOLUTION.replace("const float* x", "float* x"),
    ],
)
def test_another_kernel_is_asked_about_anew(asked, other):
    examined(SOLUTION)
    examined(other)
    assert len(asked) == 2


def test_another_rule_effort_or_reasoner_is_another_question(asked, monkeypatch):
    examined(SOLUTION)
    examined(SOLUTION, rule=replace(RULE, blocks=(32,)))
    examined(SOLUTION, effort=2 * EFFORT)
    reasoning.examined(
        SOLUTION, Examine((RULE,), "", {}, EFFORT, 1.5)
    )  # in a course without solutions
    monkeypatch.setattr(reasoning, "reasoners", lambda: "another Z3")
    examined(SOLUTION)
    assert len(asked) == 5


def test_what_is_damaged_on_disk_is_asked_about_anew(asked, tmp_path):
    examined(SOLUTION)
    for kept in (tmp_path / "warpwise").iterdir():
        kept.write_bytes(b"x" + kept.read_bytes())
    assert examined(SOLUTION).proved
    assert len(asked) == 2


def test_a_kernel_that_breaks_is_kept_with_its_launch(asked):
    wrong = instead("    total[i] = x[i] + y[i];")
    first = examined(wrong)
    assert first.tried is not None and not first.proved
    assert examined(wrong) == first and len(asked) == 1


def test_every_room_that_reasoning_imports_is_a_reasoner():
    code = "import sys, grader.proofs.trying; print(*sys.modules)"
    names = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    rooms = {name.split(".")[1] for name in names if name.startswith("grader.") and name[7:]}
    folders = {room for room in rooms if (Path(grader.__file__).parent / room).is_dir()}
    assert folders <= set(reasoning.REASONERS)
