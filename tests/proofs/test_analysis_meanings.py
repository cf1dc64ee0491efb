"""What the analysis takes instructions to mean is what the simulated GPU makes of them."""

import pytest

pytest.importorskip("z3")

import instruction_meanings
import random_programs
import value_meanings
from arithmetic_checks import CHECKS
from instruction_meanings import INSTRUCTIONS

from grader.proofs import meanings


@pytest.mark.parametrize("one", INSTRUCTIONS, ids=str)
def test_an_instruction_means_what_the_simulated_gpu_does(one):
    assert instruction_meanings.wrong(one) == []


def test_addresses_and_masks_mean_what_they_do_to_bytes():
    assert value_meanings.wrong() == []


def test_every_meaning_is_tried():
    opcodes = {one.opcode.partition(".")[0] for one in INSTRUCTIONS}
    assert meanings.MEANINGS.keys() - opcodes == {"cvta", "selp"}  # by addresses and programs


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
