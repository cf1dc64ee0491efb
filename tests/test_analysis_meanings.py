"""What the analysis takes instructions to mean is what the simulated GPU makes of them."""

import random

import pytest
from mutants import mutants

pytest.importorskip("z3")

import instruction_meanings
from instruction_meanings import INSTRUCTIONS

from grader.cuda.analysis import meanings
from grader.cuda.analysis.values import Arithmetic


@pytest.mark.parametrize("one", INSTRUCTIONS, ids=str)
def test_an_instruction_means_what_the_simulated_gpu_does(one):
    assert instruction_meanings.wrong(one) == []


def mutated():
    """Each function that says what instructions mean, with the instructions it is for."""
    for name, function in sorted(meanings.MEANINGS.items()):
        for text, mutant in mutants(function):
            yield name, text, lambda patch, n=name, m=mutant: patch.setitem(meanings.MEANINGS, n, m)
    for name in ("_masked", "_apart"):
        for text, mutant in mutants(getattr(meanings, name)):
            change = lambda patch, n=name, m=mutant: patch.setattr(meanings, n, m)  # noqa: E731
            yield "and", text, change
    for name in ("floor_quotient", "low_bits", "wrapped"):
        for text, mutant in mutants(getattr(Arithmetic, name)):
            change = lambda patch, n=name, m=mutant: patch.setattr(Arithmetic, n, m)  # noqa: E731
            yield "", text, change


def is_noticed(name):
    about = [one for one in INSTRUCTIONS if name in ("", one.opcode.partition(".")[0])]
    for one in about:
        try:
            if instruction_meanings.wrong(one, 3):
                return True
        except Exception:  # a mutant that cannot even run
            return True
    return False


# Changes of the drawn sample that change nothing for any integer.
def test_a_changed_meaning_is_noticed(monkeypatch):
    sample = random.Random(20).sample(list(mutated()), 8)
    missed = []
    for name, text, change in sample:
        with monkeypatch.context() as patch:
            change(patch)
            if not is_noticed(name):
                missed.append((name, text))
    assert missed == []
