"""Rules about a choice between values that took the wrong side: `?:`, a maximum, ties."""

import math
import re
from itertools import compress

from ...cuda.errors import Message
from ..protocol import Choice, Element
from .about import About
from .conditions import COMPARED, after_doubts, after_value, in_words, may_ask, sides_as_asked
from .used import Told, capital

NO_NAN = " No comparison with NaN is true, except `!=`."


def chosen_by(about: About, one: Choice) -> str:
    """A choice with its place, in words."""
    on = f"{one.place.on.strip()}, " if one.place.on else ""
    return capital(f"{on}{one.place.who} {in_words(one, about.declared.line(one.place.line or 0))}")


def chosen(about: About) -> Told:
    """The first `?:` on the path whose choice is another one than in the solution."""
    found = about.fell
    # A compiler makes comparisons of its own, which the line does not have.
    if found and may_ask(found[0], about.declared.line(found[0].place.line or 0)):
        one, other = found
        ours = f"Our kernel {in_words(other)}." if other else ""
        step = about.ways.descended
        elsewhere = step and step.bad and step.place.line != one.place.line
        why = step.told.first if step and elsewhere and about.same_elements else ""
        theirs, text = other.values if other else (), about.declared.line(one.place.line)
        strange = [
            value
            for value in compress(one.values, one.fixed)
            if value not in theirs and re.search(rf"\b{value:g}\b", text)
        ]
        asked = f"Is the choice{one.place.on} right for {one.place.who}?"
        here, is_nan = _steady(about, one), any(map(math.isnan, one.values))
        said = f"{chosen_by(about, one)}.{NO_NAN * is_nan}"
        remedy = (
            f"Is the {strange[0]:g} in your code the right number?"
            if strange
            else about.guarded(one.place, not (here or is_nan)) or asked
        )
        unusual = about.declared.unusual(about.usual)
        if any(int(at) in unusual for at in re.findall(r"\(line (\d+)\)", here)[:1]):
            remedy = after_value(here, remedy)
        yield Message(said, f"{here} {why}".strip(), remedy, ours), one.place.line


def _steady(about: About, choice: Choice) -> str:
    """The value of a name that a choice's condition compares with something else, if that name
    has one value in all rounds of a loop, and the other side another in each."""
    line = choice.place.line or 0
    guard, at = about.declared.guard(line)
    asks, sides = COMPARED.findall(guard), COMPARED.split(guard)
    rounds = [one for one in about.mine.choices if one.place == choice.place]
    if at != line or len(asks) != 1 or len(rounds) < 2:
        return ""
    known, ways = (
        about.values(at, choice.place),
        [sides_as_asked(one, asks[0]) for one in rounds],
    )
    for side, name in enumerate(map(str.strip, sides)):
        values = (set[float]([both[side] for both in some]) for some in ways)
        for value in set.intersection(*values) if name.isidentifier() else ():
            others = [both[1 - side] for some in ways for both in some if both[side] == value]
            is_sure = any(len(some) == 1 for some in ways) or f"`{name}` is {value:g} " in known
            if is_sure and len({*others}) > 1:
                given = about.declared.computed_on(name, at)
                listed = ", ".join(f"{one:g}" for one in dict.fromkeys(others))
                return (
                    f"Here `{name}` is {value:g}{given}, and `{sides[1 - side].strip()}` is "
                    f"{listed}.{_behind(about, given)}"
                )
    return ""


def _behind(about: About, given: str) -> str:
    """A sentence, after a blank, about what the solution has not alike of that from which a
    value is computed that is `given` on a line."""
    line = int((re.findall(r"\(line (\d+)\)", given) or ["0"])[0])
    text = about.declared.line(line).partition("=")[2]
    behind = about.declared.doubtful(text, line, about.usual) if line else []
    known = " and ".join(f"`{one}` (line {at})" for one, at in behind)
    return f" It uses {known}." * (0 < len(behind) < 3)


def decided(about: About) -> Told:
    """Of an element that is another one's copy, the first element, of an array that gives no
    data, which decides what is copied: where one of another value decides in the solution, or
    the same one does and another is taken."""
    if len(about.elements) != 1 or len(about.right_elements) != 1:
        return
    data = {one.buffer for one in (*about.elements, *about.right_elements)}
    mine, ours = (
        [one for one in side.decisions if one[0].buffer not in data]
        for side in (about.mine, about.ours)
    )
    for (one, value, place), (other, expected, _) in zip(mine, ours, strict=False):
        said = f"{capital(place.who)} decides by {about.name(one)} ({value:g}){place.on}"
        if value != expected:
            yield (
                Message(
                    f"{said}.",
                    ours=f"Our kernel decides by {about.name(other)} ({expected:g}).",
                ),
                place.line,
            )
        elif one == mine[-1][0] == other and len(data) == 2:
            yield (
                Message(
                    f"{said}. The value is right. The choice that depends on it is wrong.",
                    remedy=f"For which values of {about.words.name(one.buffer)} should "
                    f"{about.here} come from {about.name(next(iter(about.right_elements)))}?",
                ),
                place.line,
            )


def tie(about: About) -> Told:
    """The number of an element in its row, where another one of the same value is meant."""
    if about.tied:
        named, lines = " and ".join(map(about.name, about.tied)), about.tied_on(about.tied)
        on = " and ".join(f"line {at}" for at in lines)
        why, asked, line = "", "Which of two equal elements wins?", None
        if lines[1:]:
            why, line = f"Equal values are compared on {on}.", lines[0]
            asked = after_doubts(
                about.declared.doubtful_here(about.declared.line(line), line, about.usual),
                "Which of two equal elements should win on each of these lines?",
            )
        elif unlike := [
            (line, *re.findall("[<>]=", about.declared.line(line)))
            for line in about.declared.unusual(about.usual).keys() - about.declared.loops.keys()
            if re.search("[<>]=", about.declared.line(line))
        ]:
            line, operator, *_ = min(unlike)
            why = f"On line {line}, `{operator}` is true for equal values, too."
            asked = "Which of two equal elements should come first there?"
        first = f"{named} are both {about.input(about.tied[0]):.6g}. "
        yield Message(f"{first}{about.here} is the index of the wrong one.", why, asked), line


def other_winner(about: About) -> Told:
    """One element in the place of another, of many that it was looked for in."""
    mine, ours = about.mine.origin, about.ours.origin
    if isinstance(mine, Element) and isinstance(ours, Element) and mine != ours:
        said = (
            f"{about.here} is a copy of {about.name(mine)}, and should be a copy of "
            f"{about.name(ours)}."
        )
        loop, line = about.its_loop(about.last_use([ours]), is_last=True)
        why, at = f"{about.who_loads([ours], False)} {loop.first}".strip(), None
        remedy = f"Which step chooses {about.name(mine)} here?"
        chosen = [one for step in about.mine.choices for one in (step.taken, step.refused)]
        loads = [one.loaded for one in about.mine.used if one.first == mine]
        if loads and chosen and about.wanted not in chosen:  # it was not among them
            at, who = loads[0].line, loads[0].who
            why = f"{capital(who)} loads {about.name(mine)}{loads[0].on}. {why}"
            remedy = f"Which elements should {who} choose from?"
        yield Message(said, why, loop.remedy or remedy), line if loop.first else at
