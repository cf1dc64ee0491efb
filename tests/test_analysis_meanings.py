"""What the analysis takes instructions to mean is what the simulated GPU makes of them."""

import pytest

pytest.importorskip("z3")

import instruction_meanings
from instruction_meanings import INSTRUCTIONS

from grader.cuda.analysis.atoms import Atoms, Scope, term
from grader.cuda.analysis.effort import seconds
from grader.cuda.analysis.scenes import Scene
from grader.cuda.analysis.values import Arithmetic


@pytest.mark.parametrize("one", INSTRUCTIONS, ids=str)
def test_an_instruction_means_what_the_simulated_gpu_does(one):
    assert instruction_meanings.wrong(one) == []


def test_addresses_are_computed_within_their_array():
    assert instruction_meanings.wrong_about_pointers() == []


@pytest.mark.parametrize(("low", "high"), [(0, 3), (0, 4), (-1, 3), (-5, 9)])
def test_low_bits_are_those_of_every_integer_up_to_its_bounds(low, high):
    on = Arithmetic(Atoms(), frozenset())
    atom = on.atoms.integer("a", low, high, Scope.THREAD)
    for value, by in ((atom, 1), (atom * 2, 2), (atom * 3 + 1, 3)):
        rest = on.low_bits(value, 2)
        for number in range(low, high + 1):
            exact = number * by + (by == 3)
            wrong = [term(atom) == number, term(rest) != exact % 4]
            right = [term(atom) == number, term(rest) == exact % 4]
            assert Scene(on.atoms).ask(wrong, seconds(60)) is None
            assert isinstance(Scene(on.atoms).ask(right, seconds(60)), dict)
