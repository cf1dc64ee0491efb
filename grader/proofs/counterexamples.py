"""From a question that may have an answer to launches that can be tried."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import z3

from .atoms import Formula, Scope, term
from .effort import Effort
from .prove import Doubt
from .setting import AXES, Setting
from .trial import MOST_ELEMENTS, Trial

# Elements of an array and threads of a grid, tier by tier.
MOST_AT_ONCE = (2**10, 2**13, 2**17, MOST_ELEMENTS)
TRIES = 6  # of a tier


def trials(doubt: Doubt, effort: Effort) -> Iterator[Trial]:
    """Launches in which the fault may show, small ones first. Products are what they are in each
    of them: the sizes are guessed with what the lemmas say, and asked for again as numbers."""
    setting = doubt.thread.setting
    question = doubt.question
    scene, atoms = question.scene, setting.on.atoms
    grid = sorted(name for name, one in atoms.by_name.items() if one.scope is Scope.GRID)
    free = [name for name in grid if _is_size(name, setting)]
    every = [z3.Int(name) >= atoms.by_name[name].low for name in free]
    fault = [*question.formulas, *every]
    for most in MOST_AT_ONCE:
        small = [term(size) <= most for size in setting.sizes()]
        tried: list[Formula] = []
        for _ in range(TRIES):
            if not effort.left:
                return
            guess = scene.ask([*fault, *small, *tried], effort)
            if not isinstance(guess, dict):
                break
            values = {name: guess[name] for name in free}
            tried.append(z3.Or([z3.Int(name) != number for name, number in values.items()]))
            if isinstance(scene.ask(fault, effort, values), dict):
                trial = _trial(setting, values)
                if trial.keeps_to_its_rule():  # guessed products may be larger in truth
                    yield trial


def _is_size(name: str, setting: Setting) -> bool:
    """Whether an atom is a number that a launch gives, and not one that follows from others."""
    given = set().union(*(value.atoms for value in setting.numbers.values()))
    return name in given


def _trial(setting: Setting, values: Mapping[str, int]) -> Trial:
    numbers = {name: value.value(values) for name, value in setting.numbers.items()}
    x, y, z = (numbers[f"gridDim.{axis}"] for axis in AXES)
    wide, tall, deep = (numbers[f"blockDim.{axis}"] for axis in AXES)
    own = {name: number for name, number in numbers.items() if "." not in name}
    return Trial(setting.rule, (x, y, z), (wide, tall, deep), own)
