"""The machine, the instructions and the readers of PTX name what they find wrong, with facts; `say`
has the words: each raise gives what the words of its name take."""

import ast
import inspect
from pathlib import Path

import pytest

from grader.machine.wave import MISSED_BARRIER
from grader.say.machine_faults import FAULTS
from grader.say.ptx_faults import MALFORMED, UNSUPPORTED

ROOT = Path(__file__).parents[2] / "grader"
FILES = [*sorted((ROOT / "machine").rglob("*.py")), *sorted((ROOT / "ptx").rglob("*.py"))]
NODES = [node for path in FILES for node in ast.walk(ast.parse(path.read_text()))]


def raised(function, position):
    """The name of each fault that a call of `function` is given at that position, and the names of
    its facts."""
    for node in NODES:
        if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == function:
            fault = node.args[position]
            if isinstance(fault, ast.Constant):
                yield fault.value, frozenset(one.arg for one in node.keywords)


def waiting():
    """The same of the groups that wait forever."""
    for node in NODES:
        if isinstance(node, ast.Tuple) and len(node.elts) == 4 and node.elts[2:]:
            fault, facts = node.elts[2:]
            if isinstance(fault, ast.Constant) and isinstance(facts, ast.Dict):
                yield fault.value, frozenset(one.value for one in facts.keys)


# By table: its words, the faults that are raised, and those that are named in another way.
RAISED = {
    # `Undefined` names a division.
    "machine_faults": (FAULTS, [*raised("error", 3), *waiting()], {"division_by_zero"}),
    "malformed": (MALFORMED, [*raised("require", 1), *raised("Malformed", 0)], set()),
    "unsupported": (UNSUPPORTED, [*raised("Unsupported", 0)], set()),
}


@pytest.mark.parametrize("table", RAISED)
def test_the_words_of_a_fault_get_its_facts(table):
    words, found, named_otherwise = RAISED[table]
    assert {*found} == {
        (name, frozenset(inspect.signature(text).parameters))
        for name, text in words.items()
        if name not in named_otherwise
    }


def test_a_missed_barrier_has_words_of_its_own():
    assert MISSED_BARRIER not in FAULTS
