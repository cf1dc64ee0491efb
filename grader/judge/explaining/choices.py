"""Rules about a choice between values that took the wrong side (`?:`, a maximum, ties), about the
lanes of a shuffle, and about the rounds of a loop, that bring the wrong values.
"""

import math
import re
from collections.abc import Sequence
from itertools import compress

from ...cuda.errors import Message
from ...say.verdict_answers import LOOP_FAULTS
from ..protocol import Choice, Element
from .about import About
from .conditions import (
    COMPARED,
    after_doubts,
    after_value,
    in_words,
    may_ask,
    of_floats,
    sides_as_asked,
)
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
                    f"{listed}.{_behind(about, name, given)}"
                )
    return ""


def _behind(about: About, name: str, given: str) -> str:
    """A sentence, after a blank, about what the solution has not alike of that from which a
    variable is computed that is `given` on a line."""
    line = int((re.findall(r"\(line (\d+)\)", given) or ["0"])[0])
    text = about.declared.line(line).partition("=")[2]
    behind = about.declared.doubtful(text, line, about.usual) if line else []
    known = " and ".join(f"`{one}` (line {at})" for one, at in behind)
    return f" `{name}` is computed from {known}." * (0 < len(behind) < 3)


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
            index = about.declared.index(place.line or 0, about.words.name(one.buffer))
            yield (
                Message(
                    f"{said}, and should decide by {about.name(other)} ({expected:g}).",
                    remedy=f"Compute the index `{index}`"
                    f"{about.declared.computed_on(index, place.line or 0)} by hand for {place.who}."
                    * bool(index and one != other),
                ),
                place.line,
            )
        elif one == mine[-1][0] == other and len(data) == 2:
            yield (
                Message(
                    f"{said}. {about.name(one)} is right. The choice that depends on it is wrong.",
                    remedy=f"For which values of {about.words.name(one.buffer)} should "
                    f"{about.here} come from {about.name(next(iter(about.right_elements)))}?",
                ),
                place.line,
            )


def of_equals(about: About, lines: Sequence[int]) -> Message:
    """That some lines compare equal elements, and what to ask of them."""
    on = " and ".join(f"line {at}" for at in lines)
    return Message(
        why=f"Equal elements are compared on {on}.",
        remedy=after_doubts(
            about.declared.doubtful_here(about.declared.line(lines[0]), lines[0], about.usual),
            f"For which threads is the condition on {on} true if elements are equal?"
            if not lines[1:] and "==" in about.declared.line(lines[0])
            else f"Which of two equal elements should come first on {on}?",
        ),
    )


def tie(about: About) -> Told:
    """The number of an element in its row, where another one of the same value is meant."""
    if about.tied:
        named, lines = " and ".join(map(about.name, about.tied)), about.tied_on(about.tied)
        why, asked, line = "", "Which of two equal elements wins?", None
        if lines[1:]:
            line, equal = lines[0], of_equals(about, lines)
            why, asked = equal.why, equal.remedy
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
        remedy = about.chooses(mine)
        chosen = [one for step in about.mine.choices for one in (step.taken, step.refused)]
        loads = [one.loaded for one in about.mine.used if one.first == mine]
        if loads and chosen and about.wanted not in chosen:  # it was not among them
            at, who = loads[0].line, loads[0].who
            why = f"{capital(who)} loads {about.name(mine)}{loads[0].on}. {why}"
            remedy = f"Which elements should {who} choose from?"
        yield Message(said, why, loop.remedy or remedy), line if loop.first else at


def without_stride(about: About) -> Told:
    """A loop over strides in which each round goes equally far, or passes on the same; and one
    that keeps nothing of the round before."""
    for line in range(1, 1 + len(about.declared.lines)) if about.pair.wrong.written else ():
        for find, words in LOOP_FAULTS:
            if found := find(about.declared, line):
                yield words(line, *found), line
                break


def shuffled(about: About) -> Told:
    """A shuffle that brings other lanes' values than the solution's."""
    mine, ours = ({_way(one) for one, *_ in side.shuffles} for side in (about.mine, about.ours))
    instead = " and ".join(f"`__shfl_{way}sync`" for way in sorted(ours) if ours - mine)
    lost = "What should a thread do where its shuffle finds no lane?"
    asked = "From which lane should this value come?" if instead else lost
    for opcode, place, own in about.mine.shuffles if about.elements != about.right_elements else ():
        way = _way(opcode)
        name, opposite = f"`__shfl_{way}sync`", {"up_": "down_"}.get(way, "up_") in ours - mine
        because = {"xor_": "names the lane itself", "up_": "goes below lane 0"}.get(
            way, "goes beyond the last lane"
        )
        fact = (
            f"gets its own value back, because {name} {because}"
            if own
            else f"takes a value with {name}"
        )
        guards = [
            (said, one.place.line)
            for one in about.mine.choices
            if not of_floats(one)
            and about.declared.loop(one.place.line or 0)[1]
            == about.declared.loop(place.line or 0)[1]
            and (said := about.guarded(one.place))
        ]
        asks, line = guards[0] if own and guards else ("", place.line)
        if own and way == "xor_":
            asked, instead = "Compute the third argument by hand for each round.", ""
        elif (
            not way or way in ours or not (own or (ours and opposite) or _beyond_reach(about, way))
        ):
            continue
        elif own and name[1:-1] in about.words.solution:  # with another value for such lanes
            asked, instead = lost, ""
        elif "xor_" in ours and (not own or about.declared.loop(place.line or 0)[0]):
            asked = (
                f"After the last {name}, only the {'first' if way == 'down_' else 'last'} lane has "
                "the whole result. Which lanes need it?"
            )
        yield (
            Message(
                f"{capital(place.who)} {fact}{place.on}.",
                remedy=asks or asked,
                ours=f"Our kernel uses {instead}." if instead else "",
            ),
            line,
        )
    if about.ours.shuffles and not about.mine.shuffles and about.mine.stored:
        for at, text in enumerate(about.declared.lines, start=1):
            found = re.search(r"__shfl_(up|down)_sync", text)
            if found and f"{found[1]}_" not in ours:
                lanes = "lower" if found[1] == "up" else "higher"
                said = (
                    f"{capital(about.mine.stored.who)} gets no value of another lane: on line "
                    f"{at}, `{found[0]}` brings values of {lanes} lanes."
                )
                yield Message(said, remedy=asked, ours=f"Our kernel uses {instead}."), at


def _beyond_reach(about: About, way: str) -> bool:
    """Whether all that is missing was loaded by lanes from which such a shuffle brings nothing
    to the thread that stored it."""
    side = {"down_": -1, "up_": 1}.get(way, 0)
    lost = about.right_elements.keys() - about.elements.keys()
    loads = [some[-1].loaded for one in lost if (some := about.loads.get(one))]
    me = about.mine.stored.thread if about.mine.stored else 0
    return (
        len(loads) == len(lost) > 0
        and not any(own for *_, own in about.mine.shuffles)
        and all((one.thread - me) * side > 0 for one in loads)
    )


def _way(opcode: str) -> str:
    """ "xor_" of `__shfl_xor_sync`, "" of `__shfl_sync`."""
    return {"bfly": "xor_", "idx": ""}.get(mode := opcode.split(".")[2], f"{mode}_")
