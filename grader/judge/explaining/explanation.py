"""Why a wrong element is wrong: the first rule that applies says what it was made of, and another
one what was done with that. A rule takes what is known of the element, and yields a message and its
line where it applies.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice

import numpy as np

from ...cuda.errors import Message
from ...say.verdict_answers import NEXT
from ...status import Pattern
from ..compare import Words
from ..protocol import ThreadPlace
from ..verdict import CaseResult, Part
from .about import About, Pair
from .choices import chosen, decided, other_winner, tie
from .elements import other_elements, other_summands, too_often
from .factors import number_won, scaled, stood_in
from .lanes import shuffled, without_stride
from .stores import elsewhere, misplaced, nobody_wrote, other_place
from .used import Times, Told, capital, runs, times
from .wrong_steps import (
    cancelled,
    descended,
    divided,
    first_nan,
    goes_on,
    instead,
    mixed,
    narrowed,
    overflowed,
)

MOST = 600  # parts told of
_ENOUGH = {
    Pattern.OVERFLOWED,
    Pattern.CONSTANT_WON,
    Pattern.CANCELLED,
    Pattern.TOO_OFTEN,
    Pattern.OTHER_STEP,
}
Rule = Callable[[About], Told]
Said = tuple[Pattern, Message, int | None]  # a pattern, its message, and the line of that


_MADE_OF: tuple[
    tuple[Pattern, Rule], ...
] = (  # of what an element was made; the first that applies
    (Pattern.NOBODY_WROTE, nobody_wrote),
    (Pattern.OTHER_STEP, narrowed),
    (Pattern.OTHER_STEP, divided),
    (Pattern.OTHER_ELEMENTS, without_stride),
    (Pattern.OTHER_PLACE, elsewhere),
    (Pattern.OTHER_ELEMENTS, shuffled),
    (Pattern.OTHER_PLACE, other_place),
    (Pattern.OTHER_PLACE, misplaced),
    (Pattern.CONSTANT_WON, stood_in),
    (Pattern.CONSTANT_WON, number_won),
    (Pattern.OTHER_ELEMENTS, other_elements),
    (Pattern.OTHER_ELEMENTS, other_summands),
    (Pattern.OTHER_STEP, mixed),
    (Pattern.OVERFLOWED, overflowed),
    (Pattern.CANCELLED, cancelled),
    (Pattern.TOO_OFTEN, too_often),
    (Pattern.OTHER_PLACE, other_winner),
    (Pattern.OTHER_PLACE, tie),
)


def _parts(about: About) -> tuple[Part, ...]:
    """What it was made of and should have been, where that is not the same."""
    if about.is_complete and about.elements.keys() != about.right_elements.keys():
        return _runs(about, about.elements, about.right_elements)
    return (
        _runs(about, times(about.mine.summed), times(about.ours.summed))
        if any(too_often(about))
        else ()
    )


def _runs(about: About, mine: Times, ours: Times) -> tuple[Part, ...]:
    """Runs of neighbouring elements that went in as often, and should have; none where they are
    too many."""
    often = {one: (mine.get(one, 0), ours.get(one, 0)) for one in {*mine, *ours}}
    index = about.words.index
    parts = tuple(
        Part(about.array(first.buffer), index(first), first.index, 1 + len(rest), *often[first])
        for first, *rest in runs(often)
    )
    return parts if len(parts) <= MOST else ()


def _first_step(about: About) -> ThreadPlace | None:
    """The first step that goes wrong, with its value: it loads what does not belong here, makes
    a NaN, chooses otherwise than ours, or is one that ours does not take."""
    strange = [one for one in about.mine.used if one.first not in about.right_elements]
    if strange and about.is_complete:
        first = strange[0].first
        array = about.words.problem.inputs.get(first.buffer, np.empty(0))
        return strange[0].loaded.with_values(*array.flat[first.index : first.index + 1])
    if about.mine.nan and about.nan_arose:
        return about.mine.nan.with_values(math.nan, *about.mine.operands)
    if found := about.fell:
        return found[0].place.with_values(found[0].taken, *found[0].values)
    return about.ways.descended.place if about.ways.descended else None


def _told(about: About) -> list[Said]:
    """What it is made of, if that is wrong, is told first, then what was done with it."""
    made_of = _first(about, *_MADE_OF)
    is_placed = any((told, line) in misplaced(about) for _, told, line in made_of)
    is_tied = any(line for _, line in tie(about))
    if any(pattern in _ENOUGH for pattern, _, _ in made_of) or is_tied or is_placed:
        return made_of
    chose = about.fell[0].place.line or 0 if about.fell else 0
    other_loop = chose and any(
        line in about.declared.loops and line != about.declared.loop(chose)[1]
        for _, _, line in made_of
    )
    # The choice says more than a load and its loop.
    if any(decided(about)) or other_loop:
        made_of = [(one, replace(said, why="", remedy=""), None) for one, said, _ in made_of]
    # Where nothing should be used, no operand of a NaN should.
    is_first = not made_of or about.right_elements
    done = _first(about, (Pattern.FIRST_NAN, first_nan)) if is_first else []
    done += [] if made_of else _first(about, (Pattern.SCALED, scaled))
    apart = any(pattern == Pattern.OTHER_ELEMENTS for pattern, _, _ in made_of)
    is_told = apart and any(line for _, _, line in made_of)
    step = about.ways.descended
    is_number = step is not None and step.number is not None
    rounds = step is not None and step.mine.startswith("rounds ")
    is_whole = is_number or rounds or not (done or is_told)
    done += _first(
        about,
        (Pattern.CHOSEN_OTHERWISE, decided),
        (Pattern.CHOSEN_OTHERWISE, chosen),
        (
            Pattern.CONSTANT_WON if is_number else Pattern.OTHER_STEP,
            partial(descended, of_others=apart) if is_whole else instead,
        ),
        (Pattern.LEFT_EARLY, partial(goes_on, from_parts=bool(made_of))),
    )
    if any(any(rule(about)) for rule in (without_stride, shuffled, elsewhere)):
        done = [  # all of it after another one's facts
            (one, replace(said, first="", why=f"{said.first} {said.why}".strip()), line)
            for one, said, line in done
        ]
    return [*made_of, *done]


def _first(about: About, *rules: tuple[Pattern, Rule]) -> list[Said]:
    """What the first rule says that applies."""
    said = (
        (pattern, Message(told) if isinstance(told, str) else told, line)
        for pattern, rule in rules
        for told, line in rule(about)
    )
    return list(islice(said, 1))


def explained(result: CaseResult, pair: Pair, words: Words) -> CaseResult:
    """`result` with sentences on why, and the line that it is about, as far as that was seen."""
    about = About(pair, words)
    result = replace(result, made_of=_parts(about), differs=_first_step(about))
    told = _told(about)
    line, patterns = (
        next((line for _, _, line in told if line), None),
        tuple(str(pattern) for pattern, _, _ in told),
    )
    parts = replace(result.parts, why="", remedy="")
    for _, message, _ in told:
        again = message.first and message.first in f"{parts.first} {parts.why}"
        parts += replace(message, first="" if again else message.first, remedy="")
    if line is None and pair.wrong.written and (stored := pair.mine.stored):
        named = about.words.element(pair.wrong.element)
        parts += Message(f"{capital(stored.who)} wrote {named}{stored.on}.")
        line = stored.line
        is_known = {*patterns} - {str(Pattern.OTHER_ELEMENTS)}
        if not is_known and (made := about.ways.last_line) not in (None, line):
            parts += Message(**{"why" if told else "first": f"Its value comes from line {made}."})
    leads = [
        one
        for one in told
        if one[0] in (Pattern.LEFT_EARLY, Pattern.CONSTANT_WON, Pattern.CHOSEN_OTHERWISE)
    ] + told
    pattern, lead, _ = leads[0] if leads else (Pattern.NOBODY_WROTE, Message(), None)
    at = about.ways.last_line or line
    usual = "" if told or not line else f"Which values should line {at} use?"
    advice = (
        lead.remedy,
        *(message.remedy for _, message, _ in told),
        result.parts.remedy,
        NEXT.get(pattern),
        usual and about.doubting(about.declared.line(at), at, usual),
    )
    remedy = next(filter(None, advice), "")  # one is enough
    result = result.saying(parts + Message(why=result.parts.why, remedy=remedy))
    return replace(result, line=line, patterns=patterns)
