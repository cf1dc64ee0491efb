"""What the analysis holds to be true cannot change without being noticed.

A sample of its changes is tried; WARPWISE_MUTANTS=all tries all of them, some two hours of a core,
and sees that those which are called equivalent in equivalent_analysis_mutants.toml are."""

import os
import random

import pytest

pytest.importorskip("z3")

from analysis_mutants import Survivor, explained, places, survives, survivor
from python_mutants import mutants

ALL = "WARPWISE_MUTANTS" in os.environ
TRIED = 6
PLACES = places()


def sampled():
    if ALL:
        return [(one, *mutant) for one in PLACES for mutant in mutants(one.function)]
    drawn = random.Random(31)
    changes = ((one, [*mutants(one.function)]) for one in drawn.sample(PLACES, TRIED))
    return [(one, *drawn.choice(made)) for one, made in changes]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "text", "mutant"), sampled(), ids=lambda one: getattr(one, "name", "")
)
def test_a_change_is_noticed_or_says_the_same(place, text, mutant):
    one = survivor(place, text)
    if one not in explained():
        assert not survives(place, mutant), f"\n- {one.before}\n+ {one.after}"
    elif ALL:
        assert survives(place, mutant), f"called equivalent, and noticed: {one.after}"


def test_every_change_that_is_called_equivalent_can_be_made():
    made = {survivor(place, text) for place in PLACES for text, _ in mutants(place.function)}
    assert explained().keys() <= made


@pytest.mark.slow
def test_what_is_wrong_about_an_instruction_is_noticed():
    place = next(one for one in PLACES if one.name == "negative")
    (_, mutant), *_ = mutants(place.function)
    assert not survives(place, mutant)
    assert isinstance(survivor(place, "def negative(): ..."), Survivor)
