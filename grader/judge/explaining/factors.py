"""Rules about numbers: a factor or an amount that all wrong elements share, and a number of the
code in the place of an input.
"""

import math
import re

import numpy as np

from ...cuda.errors import Message
from ..protocol import Element
from .about import About
from .elements import no_round
from .used import Told, constant, factor, near, whole


def scaled(about: About) -> Told:
    """All wrong elements wrong by one factor, or by one amount."""
    found, expected = about.pair.wrong.found, about.pair.wrong.expected
    if not all(np.isfinite(one).all() for one in (found, expected)):
        return
    with np.errstate(all="ignore"):
        ratio, off = found / expected, found - expected
    first = ratio.flat[0]
    # A part of an output may have one factor by chance: then a step that is wrong says more.
    is_telling = (
        whole(first)
        or abs(first + 1) < 1e-3
        or (
            len(ratio) > 1
            and (
                len(ratio)
                > 0.9 * about.words.problem.outputs[about.pair.wrong.element.buffer].value.size
                or not about.ways.descended
            )
        )
    )
    if (
        found.all()
        and expected.all()
        and constant(ratio, 3e-4)
        and is_telling
        and abs(first - 1) > 1e-3
    ):
        times = float(ratio.mean())
        by = max(times, 1 / times, key=abs)
        does, undoes = ("multiplies", "divide") if abs(times) > 1 else ("divides", "multiply")
        asked = f"{_named(about, by)}Which step {does} by {by:.6g}, or should {undoes} by it?"
        what, ask = (
            (f"is {factor(times)} what it should be", asked)
            if abs(times + 1) > 1e-3
            else ("has the wrong sign", "Which step gives the wrong sign?")
        )
    elif len(off) > 1 and constant(off):
        amount = float(off.mean())
        what, ask = (
            f"is {abs(amount):.6g} too {'large' if amount > 0 else 'small'}",
            f"Which step {'adds' if amount > 0 else 'should add'} {abs(amount):.6g}?",
        )
    else:
        return
    same = f" {about.here} uses the right elements." * (
        about.same_elements and not (about.ways.descended and about.ways.descended.lost)
    )
    which = "It" if len(found) == 1 else f"Each of the {len(found)} wrong elements"
    yield Message(f"{which} {what}.{same}", remedy=ask), None


def _named(about: About, factor: float) -> str:
    """A sentence, before a blank, about the parameter that a factor is, or is 1 over."""
    numbers = about.words.numbers(about.launch(about.pair.wrong.element.buffer), np.floating)
    return next(
        (
            f"{factor:.6g} is {over}`{name}`. "
            for name, number in numbers.items()
            for over, value in (("", number), ("1 / ", 1 / number if number else math.inf))
            if near(factor, value)
        ),
        "",
    )


def stood_in(about: About) -> Told:
    """A number that the code gives where there is no element, and that is counted like one: alone
    the place of that number in the output is wrong, and too large."""
    index, found = about.pair.wrong.element.index, about.pair.wrong.found
    given = rf"\?[^?:;]*:\s*{index}u?\s*;"
    lines = [at for at, one in enumerate(about.declared.lines, 1) if re.search(given, one)]
    if found.dtype.kind in "iu" and found.size == len(lines) == 1 and about.found > about.wanted:
        yield (
            Message(
                f"{about.here} also counts the {index} that line {lines[0]} gives where "
                f"`{about.declared.choice(lines[0])}` is false.",
                remedy=f"Which value should line {lines[0]} give there, so that nothing counts it?",
            ),
            lines[0],
        )


def number_won(about: About) -> Told:
    """A constant won where an input should have."""
    if (
        about.mine.origin != "constant"
        or about.ours.origin == "constant"
        or not {*about.ways.verbs} <= {"", "max", "min"}
    ):
        return
    line = about.mine.origin_line
    line = about.declared.with_number(line, about.found) if line else None
    line = line or about.declared.only_with(about.found)
    there = f" (line {line})" if line else ""
    sentence = f"This {about.found:g} comes from a number in your code{there}. "
    if isinstance(about.ours.origin, Element) and (about.elements or math.isinf(about.wanted)):
        which, side = ("largest", "below") if about.found > about.wanted else ("smallest", "above")
        sentence += (
            f"The search for the {which} starts from it, but every element is {side} "
            f"{about.found:g}, even the {which}, {about.name(about.ours.origin)}."
        )
        remedy = f"What should a search for the {which} start from?"
    elif not about.ours.origin and (about.elements or about.right_elements):
        return  # it is computed: the step that loses its elements says more
    elif not about.ours.origin:
        sentence = f"The {about.found:g} is a number in your code{there}. "
        remedy = f"Which value should be here instead of {about.found:g}?"
    elif skipped := no_round(about):
        told, remedy, line = skipped
        sentence += f"No input has replaced it. {told}"
    elif line and (asked := about.declared.choice(line)) and about.mine.stored:
        here = about.values(line, about.mine.stored)
        sentence += f"On line {line}, `{asked}` decides for {about.found:g}.{here}"
        remedy = f"Is `{asked}` the right condition on line {line}?"
    else:
        asked, _ = about.passed(about.mine.stored)
        sentence += f"No input has replaced it{f': {asked}' if asked else ''}."
        put = f"hich line should put {about.listed(about.right_elements)} in its place?"
        remedy = f"Is this the right condition? If it is, w{put}" if asked else f"W{put}"
    yield Message(sentence, remedy=remedy), line
