"""Why an element is wrong: what it was made of, held against what the solution makes it of.

Only what was seen in the two runs is said. Both are followed on the simulated device (see
`following`), in the worker's process; what is expected stays here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

from ...status import Pattern
from ..verdict import CaseResult
from ..words import Words
from .done_with import DoneWith
from .made_of import MadeOf
from .telling import Pair, Told


def explained(result: CaseResult, pair: Pair, words: Words) -> CaseResult:
    """`result` with a sentence on why, and the line that it is about, as far as that was seen."""
    made_of, done_with = MadeOf(pair, words), DoneWith(pair, words)
    result = replace(result, made_of=made_of.parts())
    told = [(pattern, one) for pattern, one in _all_told(made_of, done_with) if one]
    if not told:
        return result
    line = next((line for _, (_, line) in told if line), None)
    sentences = [sentence for _, (sentence, _) in told]
    if line is None and pair.wrong.written and pair.mine.stored:
        sentences.append(made_of.stored(pair.mine.stored))
    message = " ".join([result.message, *sentences])
    patterns = tuple(str(pattern) for pattern, _ in told)
    return replace(result, message=message, line=line, patterns=patterns)


def _all_told(parts: MadeOf, steps: DoneWith) -> Iterator[tuple[Pattern, Told]]:
    """What it is made of, if that is amiss, is told first, then what was done with it."""
    made_of = _first(
        (Pattern.NOBODY_WROTE, parts.nobody),
        (Pattern.OTHER_PLACE, parts.other_place),
        (Pattern.CONSTANT_WON, parts.constant),
        (Pattern.CONSTANT_WON, parts.constant_extreme),
        (Pattern.OTHER_ELEMENTS, parts.other_elements),
        (Pattern.OTHER_ELEMENTS, parts.other_summands),
        (Pattern.TOO_OFTEN, parts.too_often),
        (Pattern.OTHER_PLACE, parts.other_winner),
    )
    right = not any(told for _, told in made_of)
    done = [(Pattern.FIRST_NAN, steps.nan())]
    done += [(Pattern.SCALED, steps.scaled())] if right else []
    done += _first(
        (Pattern.CHOSEN_OTHERWISE, steps.chosen),
        (Pattern.OTHER_STEP, steps.parting),
        (Pattern.LEFT_EARLY, partial(steps.goes_on, not right)),
    )
    yield from [*made_of, *done]
    if right and not any(told for _, told in done):
        yield from _first(
            (Pattern.OTHER_PLACE, parts.tie),
            (Pattern.OTHER_STEP, steps.other_order),
            (Pattern.OTHER_STEP, steps.fewer_steps),
            (Pattern.OTHER_STEP, steps.arithmetic),
        )


def _first(*rules: tuple[Pattern, Callable[[], Told]]) -> list[tuple[Pattern, Told]]:
    """What the first rule says that applies."""
    return next(([(pattern, told)] for pattern, rule in rules if (told := rule())), [])
