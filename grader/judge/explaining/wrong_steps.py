"""Rules about the steps on the way to a value: the first wrong one, NaN, lost digits, results that
a float cannot hold, values that refer to different maxima.

In a softmax that is computed in parts, exp(x - m) refers to m, and so does a sum of such values, or
a product with any other number. A factor exp(m - n) brings a value from m to n, and a division by a
sum takes the maximum away.
"""

import math
import re
from dataclasses import replace

import numpy as np

from ...compilers.declared import given_on
from ...cuda.errors import Message
from ...errors import counted
from ...say.verdict_answers import NEXT
from ...status import Pattern
from ..protocol import Element, ThreadPath, ThreadPlace
from .about import About
from .choices import NO_NAN
from .conditions import last_conditions
from .descent import beyond
from .factors import scaled
from .parting import Parting, step
from .trail import ANY_ORDER, NO_ELEMENT, Trail
from .used import Told, capital, times

# A value has the factor exp(one number - the other); None for what it does not have.
Refers = tuple[float | None, float | None]
NOTHING: Refers = (None, None)


def mixed_up(trail: Trail) -> tuple[int, tuple[int, int], tuple[Refers, Refers]] | None:
    """The first step that puts two values together which refer to different maxima, what made them,
    and what they refer to; None if there is none. In a product the second is a factor for values
    that refer to its first number."""
    known, ends = [NOTHING] * len(trail), {-math.inf}
    for at in range(len(trail)):
        verb, made = trail.verb(at), trail.sources(at)
        used = [known[one] for one in made]
        if verb in ("rcp", "div"):
            used[-1] = used[-1][::-1]
        if verb.startswith("ex"):
            known[at] = _exponential(trail, made[0], math.log(2) if "2" in verb else 1.0)
            ends |= {one for one in known[at][1:] if one is not None}
        elif verb in ("mul", "div", "add") and len(used) == 2:
            is_sum = verb == "add"
            wanted = [end if is_sum else start for start, end in used]
            both = [(a, b) for a, b in ((0, 1), (1, 0)) if None not in (used[a][1], wanted[b])]
            fit = [
                (a, b)
                for a, b in both
                if math.isclose(used[a][1] or 0.0, wanted[b] or 0.0, rel_tol=1e-5)
            ]
            for a, b in both:
                if not fit and (is_sum or wanted[b] in ends):
                    return at, (made[a], made[b]), (used[a], used[b])
            starts, stops = (
                [one for one in side if one is not None] for side in zip(*used, strict=True)
            )
            new = (
                (used[fit[0][0]][0], used[fit[0][1]][1])
                if fit and not is_sum
                else (None if is_sum else (*starts, None)[0], (*stops, None)[0])
            )
            known[at] = new if trail.value[at] else NOTHING
        elif verb in ("half", "single", "rcp"):
            known[at] = used[0]
    return None


def from_itself(trail: Trail, at: int) -> int | None:
    """The difference of two equal numbers that an exponential is of; None if it is of another."""
    of = _unscaled(trail, trail.sources(at)[0] if trail.verb(at).startswith("ex") else at)
    return of if trail.verb(of) == "sub" and trail.value[of] == 0 else None


def _unscaled(trail: Trail, at: int) -> int:
    """What a step only multiplies by a constant; the step itself if it does something else."""
    given = [one for one in trail.sources(at) if not trail.constant[one]]
    return given[0] if trail.verb(at) == "mul" and len(given) == 1 else at


def _exponential(trail: Trail, of: int, scale: float) -> Refers:
    """What an exponential of a difference refers to; a constant may scale its argument before."""
    if (given := _unscaled(trail, of)) != of:
        of, scale = given, 1.0
    start, end = (float(trail.value[one]) * scale for one in (*trail.sources(of), of, of)[:2])
    start = -math.inf if trail.value[of] == -math.inf else start  # a constant may be given as bits
    return (start, end) if trail.verb(of) == "sub" and math.isfinite(end) else NOTHING


OFTEN = 8  # times as often as in the solution: no other formula uses an element so often
_DIGITS = {
    "single": "A float has about 7 digits.",
    "half": "A float of 16 bits has about 3 digits.",
}
FEWER = 10  # times less wrong without rounding: then rounding is the cause
MUCH = 8  # times smaller than what it was made of: a difference in which much cancels
_NARROW = 1e-2  # of a value: less than that 16 bits leave out


def first_nan(about: About) -> Told:
    """Where the first NaN arises."""
    origin = about.mine.origin
    if isinstance(origin, Element) and math.isnan(about.input(origin)):
        name = about.name(origin)
        is_other = about.is_complete and origin not in about.right_elements
        yield (
            Message(
                f"{about.here} uses {name}, but should not." if is_other else "",
                f"{name} is NaN in the input.{'' if is_other else NO_NAN}",
                f"Which condition or index should leave out {name}?"
                if is_other
                else f"Which comparison decides about {name}?",
            ),
            None,
        )
    elif (place := about.mine.nan) and about.nan_arose:
        strange = sorted(about.mine.operands, key=math.isinf)[1:]  # of two
        remedy = (
            f"Should this division happen? If so, why is its divisor {strange[0]:g}?"
            if about.ways.first_nan.startswith("divides")
            and strange
            and len(set(about.mine.operands)) == 1
            else "".join(f"Which step makes the {one:g}?" for one in strange)
        )
        why, infinite = "", {*filter(math.isinf, about.mine.operands)}
        given = min(
            (one for one in about.elements if infinite and about.input(one) in infinite),
            key=lambda one: about.name(one) not in about.ways.first_nan,
            default=None,
        )
        if given:
            name = about.name(given)
            why = f"{name} is already {about.input(given):g} in the input."
            remedy = (
                f"Which condition should prevent this step if {name} is {about.input(given):g}?"
                if given in about.right_elements
                else f"Does {about.here} need {name}?"
            )
        said = f"{capital(place.who)} {about.ways.first_nan or 'makes a NaN'}{place.on}."
        yield Message(f"{said} This gives the first NaN.", why, remedy), place.line


def narrowed(about: About) -> Told:
    """A step that leaves digits out, which the solution keeps, where little more is wrong."""
    mine, ours = about.ways.both
    is_near = about.wanted and abs(about.found / about.wanted - 1) < _NARROW
    for verb, digits in _DIGITS.items() if is_near else ():
        for at in np.flatnonzero(mine.does(verb) & (not ours.does(verb).any()))[:1].tolist():
            yield (
                Message(
                    f"{capital(mine.place(at).who)} {mine.words(at)}{mine.place(at).on}.",
                    digits,
                    "Which type should this value have?",
                ),
                mine.line(at),
            )


def cancelled(about: About) -> Told:
    """Roundings that large numbers leave where they cancel: the sum or difference that loses most
    digits, if the same steps in float64 give what is right."""
    mine, _ = about.ways.both
    off, exact = abs(about.found - about.wanted), mine.in_float64()
    if not (about.same_elements and math.isfinite(off) and len(mine)):
        return
    largest = np.zeros(len(mine))
    np.maximum.at(largest, mine.owner, np.abs(mine.value[mine.source]))
    cancels = mine.does("add", "sub") & (np.abs(mine.value) < largest / MUCH)
    with np.errstate(all="ignore"):
        lost = np.nan_to_num(np.abs(exact / mine.value - 1))
    at = int(np.where(cancels, lost, -1).argmax())
    place = mine.place(at)
    if cancels[at] and abs(exact[-1] - about.wanted) <= abs(mine.value[-1] - about.wanted) / FEWER:
        yield (
            Message(
                f"It loses its digits by cancellation{place.on}.",
                f"{capital(place.who)} {mine.words(at)}. A float has about 7 digits. Where large "
                "numbers almost cancel, mostly their rounding errors are left. In double, "
                f"the same steps give {exact[-1]:.6g}.",
                "Which formula does not subtract two large numbers?",
            ),
            place.line,
        )


def divided(about: About) -> Told:
    """A division of two whole numbers on the way to a float, which the solution does not
    have."""
    way = {
        *(op.line for op in about.mine.behind.ops),
        *(one.place.line for one in about.mine.choices),
    }
    for line in sorted(about.declared.unusual(about.usual).keys() & way):
        if found := about.declared.whole_division(line):
            yield (
                Message(
                    f"On line {line}, `{found}` divides two ints.",
                    "The result is an int, too: the part after the point is lost.",
                    "Which type should one of the two numbers have?",
                ),
                line,
            )


def mixed(about: About) -> Told:
    """The step that puts exponentials of different maxima together, where the solution has such
    exponentials and maxima, too, and no such step; nothing if a sum of others lacks elements, or
    where a step is known that is wrong, or uses a wrong element."""
    (mine, ours), known, end = about.ways.both, about.ways.descended, about.ways.found
    has_both = ours.does("exp", "exp2", "ex2").any() and ours.does("max").any()
    found = mixed_up(mine) if has_both else None
    is_known = known is not None and (known.right or (known.bad or ("", 0))[1] is None)
    if not found or is_known or np.isnan(mine.value[-1]) or mixed_up(ours):
        return
    at, made, ((_, stop), (start, new)) = found
    (one, other), is_sum = map(mine.said, made), mine.verb(at) == "add"
    if is_sum and end and end.lost:
        return
    again = "already " * (not is_sum and stop == new)
    asked = (
        "How often should this step happen?"
        if again
        else "How can the kernel first give both values the same maximum?"
    )
    why = f"{one} was {again}computed with the maximum {_maximum(about, stop, made[0])}. " + (
        f"{other} was computed with the maximum {_maximum(about, new, made[1])}."
        if is_sum
        else f"{other} is a factor for values with the maximum {_maximum(about, start, made[1])}."
    )
    if (apart := from_itself(mine, made[1])) is not None and not is_sum:
        words, on = mine.words(apart), mine.place(apart).on
        why += f" It is 1, because {mine.place(apart).who} {words}{on}."
        asked = f"Should these two values be the same{on}?"
    yield step(mine, at).told + Message(why=why, remedy=asked), mine.line(at)


def _maximum(about: About, value: float | None, before: int) -> str:
    """A maximum in words, with the last line that makes it before a step, and the variable that
    gets it there, if that line gives one."""
    mine, value = about.ways.both[0], value or 0.0
    made = np.flatnonzero((mine.does("max") & np.isclose(mine.value, value, 1e-5, 0))[:before])
    line = mine.line(int(made[-1])) if len(made) else None
    gets = re.findall(r"(\w+) = f?maxf?\((?:[^()]|\([^()]*\))*\);", about.declared.line(line))
    return f"{value:.6g}" + f" ({f'`{gets[0]}`, ' if gets else ''}line {line})" * bool(line)


def descended(about: About, of_others: bool) -> Told:
    """The step on the way back from it that has a wrong value, or is the wrong one; only one
    with a wrong value if its elements are others."""
    found, end = about.ways.descended, about.ways.found
    if found is None or end is None or (of_others and end.bad is None):
        return
    found = replace(found, lost=(), more=()) if of_others else found
    line, number, lines = found.place.line, found.number, len(about.declared.lines)
    # No round of a loop brings in what another thread loads, unless threads exchange there.
    made = found.bad and found.bad[1]
    is_asked = found.lost and (_loads_itself(about, found) or about.declared.exchanges(made or 0))
    loop = about.its_loop(made)[0] if is_asked else Message()
    if number is not None and about.declared.with_number(0, number, lines):
        said, given = _of_number(about, found, number)
        line = line if NO_ELEMENT in found.mine else given or line
    elif not found.bad:
        said = _of_step(about, found)
    elif found.bad[1] is None:
        said = _of_element(about, found.bad[0])
    else:
        said = _of_value(about, found, loop)
    said = _of_exponential(about, found) or said
    if NO_ELEMENT in found.mine and found.mine.count("(") == 1:
        said = replace(said, why=said.why + _without(about, found.place))
    told, is_nan = found.told, math.isnan(found.place.values[0])
    is_opaque = number is not None and re.fullmatch(r"computes \S+", found.mine)
    if is_nan or is_opaque or found == about.joined:  # it has been told, or says nothing
        told = replace(told, first="")
    if said.first:  # of a call
        told, line = replace(told, first="", why=""), found.bad and found.bad[1]
    why = "" if is_nan and (not number or math.isnan(number)) else said.why.strip()
    yield told + replace(said, why=why, remedy=loop.remedy or said.remedy), line


def _loads_itself(about: About, found: Parting) -> bool:
    """Whether the thread of a step loads some of the elements that it lacks, or nobody does."""
    loads = [one.loaded for lost in found.lost for one in about.loads.get(lost, ())]
    who = {(one.block, one.thread) for one in loads}
    return not who or (found.place.block, found.place.thread) in who


def _of_number(about: About, found: Parting, number: float) -> tuple[Message, int | None]:
    """Of a wrong value that is a number in the code; and the line that it stands on."""
    made, search = found.bad and found.bad[1], about.declared.with_number
    called = [at for at in found.calls if search(at, number, 0)]
    there = None if made is None else search([*called, made][0], number)
    where = f" (line {there})" if there else ""
    added = re.findall(r"\b(\w+) \+= .* \* ", about.declared.line(found.place.line))
    asked = (
        f"Should {found.place.who} do this step without an element? If it should, which value "
        + (  # a factor does not take an element out of a sum's later use
            f"should `{added[0]}` have after line {found.place.line}?"
            if added and found.mine.startswith("multiplies ")
            else f"should it use instead of {number:g}?"
        )
        if NO_ELEMENT in found.mine
        else f"Which value should be here instead of {number:g}?"
    )
    return Message(why=f"The {number:g} is a number in your code{where}.", remedy=asked), there


def _of_step(about: About, found: Parting) -> Message:
    """Of a step that is wrong itself."""
    passed = re.findall(r"\w+", about.declared.line((0, *found.calls)[-1]))
    is_swapped = found.mine.split()[0] == found.ours.split(" ")[0] == "subtracts"
    if found.right and re.fullmatch(r"computes \S+", found.mine):  # of tensor cores
        arrays = {one for one in passed if about.declared.find(one, "")}
        lines = sorted({at for one in arrays for at in about.declared.writers(one)})
        filled = " and ".join(f"line {at}" for at in lines)
        return Message(
            why="The values are right, but some are in the wrong registers."
            + f" Its arrays get values on {filled}." * bool(lines),
            remedy="Which element belongs in each register of this instruction?",
        )
    is_told = found.sides[0] or found.ours.startswith("first ")
    why = " ".join(found.sides).strip() if is_told else ""
    asked = (
        f"Which step should come before line {found.place.line}?"
        if "is missing before" in why
        else "Which operation belongs here, or which value or step is missing?" * bool(why)
    )
    if found.right:
        why = "Everything that this step uses is right. The step itself is wrong."
        asked = (
            "Which of these two values should be subtracted?"
            if is_swapped
            else "What should this step do with its values?"
        )
    if found.mine.endswith(f" from 0 ({NO_ELEMENT})"):
        asked = (
            f"Should {found.place.who} do this step without an element? If it should, which value "
            "belongs there instead of 0?"
        )
    elif found.before and not found.right:
        why = f"Before that, it {found.before}."
        asked = "Which of these two steps should come first?"
    elif found.lacks:
        asked = f"Should this step use {_with_name(about, found, *found.lacks)}, too?"
    return Message(why=why, remedy=asked)


def _with_name(about: About, found: Parting, said: str, lines: tuple[int, ...]) -> str:
    """A value in words, made on the first of some lines, which the others call: with the variable
    that gets it in the function of a step, if its line gives one."""
    here, declared = found.place.line or 0, about.declared
    line = next((at for at in lines[::-1] if at not in found.calls), 0)
    if all(map(declared.in_kernel, (line, here))) and declared.head(line) != declared.head(here):
        return said  # another kernel's variable
    names = [name for name, _ in given_on(about.declared.line(line))]
    known = f"`{names[0]}` ({said}, line {line})" if len(names) == 1 else f"{said} (line {line})"
    return known if line else said


def _of_element(about: About, words: str) -> Message:
    """Of an element, in words, that a step should not use."""
    if any(scaled(about)):  # another step may lack the factor as well
        return Message()
    again = _again(about, words)
    return Message(
        why=f"{words} does not belong in this step.{again}",
        remedy="Which line uses this element too often?"
        if again
        else f"Which value should be here instead of {words}?",
    )


def _of_value(about: About, found: Parting, loop: Message) -> Message:
    """Of a value that was computed, and is wrong."""
    words, made, call = found.bad or ("", None, None)
    call = None if call in found.calls else call  # the step is in that call, too
    if found.another and not found.lost:
        return Message(
            why=f"{words} comes from line {made}. {words} is right in another step, but not in "
            "this one.",
            remedy=f"Which other value should line {found.place.line} use?"
            + f" Or does line {made} lack a step?"
            * (found.lacks is None and made in about.declared.unusual(about.usual)),
        )
    if re.fullmatch(r"computes \S+", found.mine) and found.calls and not (found.lost or found.more):
        return Message(
            f"Line {made} gives {words} to the call on line {found.calls[-1]}.",
            "It is not the right value.",
            remedy=f"Which value should line {made} give there?",
        )
    where = f"the call on line {call} (there from line {made})" if call else f"line {made}"
    why = f"{words} is not the right value here."
    why += f" It comes from {where}." if found.number is None else ""
    asked = f"Which value should line {call or made} give here?"
    if (call or made) != found.place.line:
        asked = f"Should line {found.place.line} use this value? If it should, {asked.lower()}"
    asked = "" if math.isnan(found.place.values[0]) else asked
    if found.lost:
        later = "" if _loads_itself(about, found) else ", or correct the result later"
        asked = f"Which step should bring {about.listed(found.lost)} into this value{later}?"
        why += f" It does not use {about.listed(found.lost, 'or')}, but should. {loop.first}"
        if any(one[0].loaded.block != found.place.block for one in about.loads.values()):
            why = f"{why.rstrip()} {about.who_loads(found.lost)}"
    if found.more:
        why += f" It uses {about.listed(found.more)}, but should not."
    return Message(why=why, remedy=asked)


def _of_exponential(about: About, found: Parting) -> Message | None:
    """Of an exponential from which no maximum is subtracted, where the solution subtracts one; None
    of another step."""
    is_alone = found.mine.startswith("takes the exponential of") and found.mine.endswith(")")
    return (
        Message(
            why=f"No maximum is subtracted from {found.mine.partition(' of ')[2]}.",
            remedy="Which maximum belongs to this exponential?",
        )
        if is_alone and about.ways.both[1].does("sub").any()
        else None
    )


def _without(about: About, place: ThreadPlace) -> str:
    """A sentence, after a blank, about the condition that gives a thread no element."""
    here = place.line or 0
    path = about.pair.path(place) if len(about.words.problem.launches) == 1 else ThreadPath()
    asked, at = last_conditions(path, about.words.source, here)
    return (
        f" {capital(place.who)} has no element: {asked}.{about.values(at or 0, place, asked)}"
    ) * (asked.endswith("false") and (at or here) < here)


def _again(about: About, words: str) -> str:
    """A sentence, after a blank, about the element in these words, if it is used far more often
    than in the solution."""
    mine, ours = times(about.mine.summed), times(about.ours.summed)
    often = (one for one in mine if mine[one] > OFTEN * ours.get(one, mine[one]))
    named = next((one for one in often if f"({about.name(one)})" in words), None)
    return (
        f" {about.here} uses {about.name(named)} {mine[named]} times, and should use it "
        f"{counted(ours[named], 'time')}."
        if named
        else ""
    )


def instead(about: About) -> Told:
    """Only what the solution does there, where more is told of the step already."""
    for told, line in descended(about, False):
        ours = told.ours if isinstance(told, Message) else ""
        yield Message(ours=ours), line if ours or not any(scaled(about)) else None


def overflowed(about: About) -> Told:
    """The step that makes what a float cannot hold of right values, such as an exponential, where
    the solution has none, and the one that makes infinity of that; if the element is finite only
    one that the solution does not have."""
    mine, ours = about.ways.both
    is_strange = math.isfinite(about.wanted) and not math.isfinite(about.found or math.inf)
    found = beyond(mine) if is_strange and not beyond(ours) else ()
    known = [about.ways.known(one) for at in found[:1] for one in (at, *mine.sources(at))]
    is_harmless = known and known[0] and np.isfinite(mine.value[-1])
    if not found or is_harmless or (about.ways.descended and not all(known[1:])):
        return
    first, *after = (step(mine, at) for at in dict.fromkeys(found))
    result, *given = first.place.values
    if all(map(math.isfinite, given)):
        size = "large" if result else "small"
        why = [
            f"The result is too {size} for a float, which makes it {result:g}.",
            *(one.told.first for one in after),
        ]
        yield first.told + Message(why=" ".join(why)), first.place.line


def goes_on(about: About, from_parts: bool) -> Told:
    """The solution has the value too, and makes another of it. With `from_parts` sums, maxima and
    the like are passed over: more of them may follow anywhere."""
    mine, ours = about.ways.both
    trivial = (0, 1) if from_parts else (0,)  # which stand anywhere
    if not (mine and ours) or mine.value[-1] in trivial:
        return
    new = (user for user in ours.users(mine.key(-1)) if ours.key(user) not in mine.keys)
    after = min(new, key=lambda user: ours.verb(user) in ANY_ORDER, default=None)
    if after is not None and not (from_parts and ours.verb(after) in ANY_ORDER):
        yield (
            Message(
                "This value is only an intermediate result: a step after it is missing.",
                remedy=NEXT[Pattern.LEFT_EARLY],
                ours=f"Our kernel then {ours.words(after)}.",
            ),
            None,
        )
