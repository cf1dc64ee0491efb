"""What the analysis takes instructions to mean is what the simulated GPU makes of them."""

import pytest

pytest.importorskip("z3")

import instruction_meanings
import random_programs
import value_meanings
from arithmetic_checks import CHECKS
from instruction_meanings import INSTRUCTIONS

from grader.proofs.meanings import OnIntegers
from grader.ptx.numbers import ON_ARRAYS


@pytest.mark.parametrize("one", INSTRUCTIONS, ids=str)
def test_an_instruction_means_what_the_simulated_gpu_does(one):
    assert instruction_meanings.wrong(one) == []


def test_addresses_and_masks_mean_what_they_do_to_bytes():
    assert value_meanings.wrong() == []


def test_every_operation_that_meanings_are_written_with_is_known_and_tried():
    known = {name for name in vars(OnIntegers) if not name.startswith("_")}
    assert known == vars(ON_ARRAYS).keys()
    assert known == set().union(*(one.operations() for one in INSTRUCTIONS))


@pytest.mark.parametrize("check", CHECKS, ids=lambda one: one.__name__)
def test_integers_are_computed_with_as_they_are(check):
    check()


PROGRAMS = {seed: random_programs.drawn(seed) for seed in range(40)}


@pytest.fixture(scope="module")
def registers():
    return random_programs.executed(PROGRAMS)


@pytest.mark.parametrize("seed", PROGRAMS)
def test_a_random_program_leaves_what_the_simulated_gpu_leaves(seed, registers):
    one = PROGRAMS[seed]
    assert random_programs.wrong(one, random_programs.rows(one, seed), registers[seed]) == []
