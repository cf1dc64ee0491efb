"""No meaning of an instruction, no way to compute with integers and no lemma about loops can change
without being noticed.

A changed one either excludes what happens, or allows what does not, or knows less than before.
WARPWISE_MUTANTS=all tries every change, else a sample of them is tried.
"""

import inspect
import os
import random

import pytest
from mutants import mutants

pytest.importorskip("z3")

import instruction_meanings
from analysed_loops import LOOPS, excluded, said
from instruction_meanings import INSTRUCTIONS

from grader.cuda.analysis import meanings, rounds
from grader.cuda.analysis.values import Arithmetic

pytestmark = pytest.mark.slow
ALL = "WARPWISE_MUTANTS" in os.environ
SAMPLE = 3  # of a function's changes

# Changes after which the function says the same, or less of what no instruction here asks.
EQUIVALENT = ()


def about(name):
    """The instructions that a meaning is for; for a helper, those of all."""
    names = {opcode for opcode, one in meanings.MEANINGS.items() if one.__name__ == name}
    found = [one for one in INSTRUCTIONS if one.opcode.partition(".")[0] in names]
    return found or INSTRUCTIONS


def knows(one):
    """What is known of an instruction's result, in a word."""
    return instruction_meanings.kind_of_result(one)


MEANINGS = sorted({one.__name__ for one in meanings.MEANINGS.values()} - {"moved", "selected"})
HELPERS = ["_on_predicates", "_on_bits", "_masked", "_field", "_bounded", "_apart", "_compared"]
COMPUTING = ["read_as", "wrapped", "floor_quotient", "quotient", "low_bits"]


def sampled(function):
    made = list(mutants(function))
    return made if ALL else random.Random(function.__name__).sample(made, min(SAMPLE, len(made)))


def noticed(instructions, before):
    try:
        if instruction_meanings.wrong_about_pointers():
            return True
        return any(
            knows(one) != before[one] or instruction_meanings.wrong(one) for one in instructions
        )
    except Exception:
        return True


@pytest.mark.parametrize("name", MEANINGS + HELPERS)
def test_no_meaning_can_change_without_being_noticed(name, monkeypatch):
    function = vars(meanings)[name]
    instructions = about(name)
    before = {one: knows(one) for one in instructions}
    for text, mutant in sampled(function):
        with monkeypatch.context() as patched:
            patched.setattr(meanings, name, mutant)
            for opcode, one in meanings.MEANINGS.items():
                if one is function:
                    patched.setitem(meanings.MEANINGS, opcode, mutant)
            assert noticed(instructions, before) or text in EQUIVALENT, text


@pytest.mark.parametrize("name", COMPUTING)
def test_no_way_to_compute_can_change_without_being_noticed(name, monkeypatch):
    before = {one: knows(one) for one in INSTRUCTIONS}
    for text, mutant in sampled(inspect.unwrap(vars(Arithmetic)[name])):
        with monkeypatch.context() as patched:
            patched.setattr(Arithmetic, name, mutant)
            assert noticed(INSTRUCTIONS, before) or text in EQUIVALENT, text


ABOUT_LOOPS = [
    *("_learned", "_step", "_at_start", "_integer", "_even", "_epoch", "leaving", "_grouped"),
    *("_say_what_was_before", "_one_step_back", "_not_passed", "_steps_of", "_link_epochs"),
]


def launch(loop):
    """A number of elements, and of blocks."""
    return (200, 3) if loop.grid == "gridDim.x >= 1" else (200, 1)


def wrong_about_loops():
    """The first loop that is not understood, and what is wrong about that; None if all are."""
    try:
        for loop in LOOPS:
            if (said(loop) == "proved") != loop.right:
                return loop.name, said(loop)
        for loop in (one for one in LOOPS if one.right):
            if found := excluded(loop, *launch(loop)):
                return loop.name, found
    except Exception as error:
        return "", repr(error)
    return None


def test_loops_are_understood_and_what_happens_in_them_is_not_excluded():
    assert wrong_about_loops() is None


@pytest.mark.parametrize("name", ABOUT_LOOPS)
def test_no_lemma_about_loops_can_change_without_being_noticed(name, monkeypatch):
    for text, mutant in sampled(vars(rounds.AnyRound)[name]):
        with monkeypatch.context() as patched:
            patched.setattr(rounds.AnyRound, name, mutant)
            assert wrong_about_loops() or text in EQUIVALENT, text


def test_no_change_of_what_steps_to_zero_is_not_noticed(monkeypatch):
    for text, mutant in sampled(rounds.not_passed):
        with monkeypatch.context() as patched:
            patched.setattr(rounds, "not_passed", mutant)
            assert wrong_about_loops() or text in EQUIVALENT, text
