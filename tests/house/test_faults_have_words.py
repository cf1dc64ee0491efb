"""The machine and the instructions name what they find wrong; `say.machine_faults` has words."""

import ast
import inspect
from pathlib import Path

from grader.machine.wave import MISSED_BARRIER
from grader.say.machine_faults import FAULTS

ROOT = Path(__file__).parents[2] / "grader"
FILES = [*sorted((ROOT / "machine").rglob("*.py")), *sorted((ROOT / "ptx").rglob("*.py"))]
NODES = [node for path in FILES for node in ast.walk(ast.parse(path.read_text()))]


def raised():
    """The name of each fault that `report.error` is given, and the names of its facts."""
    for node in NODES:
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "error":
            fault = node.args[3]
            if isinstance(fault, ast.Constant):
                yield fault.value, {one.arg for one in node.keywords}


def waiting():
    """The same of the groups that wait forever."""
    for node in NODES:
        if isinstance(node, ast.Tuple) and len(node.elts) == 4 and node.elts[2:]:
            fault, facts = node.elts[2:]
            if isinstance(fault, ast.Constant) and isinstance(facts, ast.Dict):
                yield fault.value, {one.value for one in facts.keys}


def test_the_words_of_a_fault_get_its_facts():
    found = dict([*raised(), *waiting()])
    assert MISSED_BARRIER not in FAULTS
    assert found == {
        name: set(inspect.signature(words).parameters)
        for name, words in FAULTS.items()
        if name != "division_by_zero"  # `Undefined` names it
    }
