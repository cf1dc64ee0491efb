"""Why a case fails. The element, index or launch that is told of is followed, in the answer and in
the solution: what the element was made of and what was done with that, held against what the
solution makes it of.

Only what was seen in the two runs is said. Both are followed on the simulated device (see
`sandbox.slices`), in the worker's process; what is expected stays here.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache, cached_property, partial
from itertools import compress, islice, product
from typing import TypeVar

import numpy as np

from ...compilers.declared import Declarations, unused_parameters
from ...course import Expected, Problem, rules
from ...cuda.errors import Message
from ...errors import counted
from ...say import places, verdict_answers as say
from ...status import Pattern, Status
from .. import cases, compare
from ..cases import CaseInstance
from ..compare import Words, Wrong
from ..protocol import Choice, Element, Failed, Made, Ran, ThreadPath, ThreadPlace
from ..session import Outcomes
from ..verdict import CaseResult
from . import telling, thread_paths
from .made_of import MadeOf, in_words, is_tied
from .telling import Pair, Told, capital, constant, copied, factor, times, whole
from .thread_paths import (
    COMPARED,
    after_doubts,
    after_value,
    last_conditions,
    may_ask,
    sides_as_asked,
)
from .trail import NO_ELEMENT

Known = TypeVar("Known", bound=Outcomes)

_ENOUGH = {
    Pattern.OVERFLOWED,
    Pattern.CONSTANT_WON,
    Pattern.CANCELLED,
    Pattern.TOO_OFTEN,
    Pattern.OTHER_STEP,
}
OFTEN = 8  # times as often as in the solution: no other formula uses an element so often
_NARROW = 1e-2  # of a value: less than that 16 bits leave out
_NO_NAN = " No comparison with NaN is true, except `!=`."
Said = tuple[Pattern, Message, int | None]  # a pattern, its message, and the line of that


def _with_nan(choices: Sequence[Choice]) -> Choice | None:
    """The first choice by a comparison with NaN."""
    return next((one for one in choices if any(map(math.isnan, one.values))), None)


def _near(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-4)


class Explanation(MadeOf):
    """What was done with it, beside what it was made of."""

    @cached_property
    def _fell(self) -> tuple[Choice, Choice | None] | None:
        """The first choice that took the wrong side: the other one's value, or the value that the
        same choice takes in the solution, is what belongs there. And a choice of the solution's
        that takes that value."""
        wrong = self._ways.met or [(self._found, self._wanted)]
        usual = {"0", *(f"{value:.4g}" for value in self.ours.behind.value)}
        by_data = sorted(self.mine.choices, key=lambda choice: any(choice.fixed))
        taking = [
            [other for other in self.ours.choices if _near(other.taken, wanted)]
            for _, wanted in wrong
        ]
        tied = [one for one in self.mine.choices if is_tied(one)]
        if tied and any(self.tie()):
            return tied[0], None
        for one, (at, (found, wanted)) in product(by_data, enumerate(wrong)):
            ours = taking[at]
            alike = [c for c in ours if c.holds != one.holds and c.values[0] == one.values[0]]
            took = (found != 0 or at > 0) and _near(one.taken, found)
            new = math.isnan(found) or f"{one.taken:.4g}" not in usual
            right = _near(one.refused, wanted) and wanted != 0
            if (alike and took) or (right and (took or new)):
                return one, next(iter(alike or ours), None)
        return None

    def nan(self) -> Told:
        """Where the first NaN arises."""
        origin = self.mine.origin
        if isinstance(origin, Element) and math.isnan(self._input(origin)):
            name = self._name(origin)
            is_other = self._all_told and origin not in self._ours
            yield (
                Message(
                    f"{self._here} uses {name}, but should not." if is_other else "",
                    f"{name} is NaN in the input.{'' if is_other else _NO_NAN}",
                    f"Which condition or index should leave out {name}?"
                    if is_other
                    else f"Which comparison decides about {name}?",
                ),
                None,
            )
        elif (place := self.mine.nan) and self._arose:
            strange = sorted(self.mine.operands, key=math.isinf)[1:]  # of two
            divides = self._ways.first_nan.startswith("divides")
            remedy = (
                "Should this division happen? If so, which step makes the "
                f"{strange[0]:g} that it divides by?"
                if divides and strange and len(set(self.mine.operands)) == 1
                else "".join(f"Which step makes the {one:g}?" for one in strange)
            )
            why = ""
            if given := next(self._infinite(), None):
                name = self._name(given)
                why = f"{name} is already {self._input(given):g} in the input."
                remedy = (
                    f"Which condition should skip this step for {name}?"
                    if given in self._ours
                    else f"Does {self._here} need {name}?"
                )
            said = f"{capital(place.who)} {self._ways.first_nan or 'makes a NaN'}{place.on}."
            yield Message(f"{said} This gives the first NaN.", why, remedy), place.line

    def _infinite(self) -> Iterator[Element]:
        """The elements of inputs among the operands of the first NaN that are infinite."""
        infinite = {*filter(math.isinf, self.mine.operands)}
        yield from sorted(
            (one for one in self._mine if infinite and self._input(one) in infinite),
            key=lambda one: self._name(one) not in self._ways.first_nan,
        )

    def narrowed(self) -> Told:
        """A step that leaves digits out, which the solution keeps, where little more is wrong."""
        mine, ours = (
            [one for one in ("single", "half") for _ in np.flatnonzero(trail.does(one))[:1]]
            for trail in self._ways.both
        )
        if not (self._wanted and abs(self._found / self._wanted - 1) < _NARROW):
            return
        for verb in (one for one in mine if one not in ours):
            trail, _ = self._ways.both
            at = int(np.flatnonzero(trail.does(verb))[0])
            digits = {"single": "A float has about 7 digits", "half": "16 bits have 3 digits"}[verb]
            yield (
                Message(
                    f"{capital(trail.place(at).who)} {trail.words(at)}{trail.place(at).on}.",
                    f"{digits}.",
                    "Which type should this value have?",
                ),
                trail.line(at),
            )

    def cancelled(self) -> Told:
        """Roundings that large numbers leave where they cancel."""
        finite = math.isfinite(self._found - self._wanted)
        found = self._ways.cancelled(self._wanted) if finite and self._same else None
        if found:
            place, words, exact = found
            yield (
                Message(
                    f"It loses its digits by cancellation{place.on}.",
                    f"{capital(place.who)} {words}. A float has about 7 digits. Where large "
                    "numbers almost cancel, mostly their rounding errors are left. In double, "
                    f"the same steps give {exact:.6g}.",
                    "Which formula does not subtract two large numbers?",
                ),
                place.line,
            )

    def chosen(self) -> Told:
        """The first `?:` on the path whose choice is another one than in the solution."""
        found = self._fell
        # A compiler makes comparisons of its own, which the line does not have.
        if found and may_ask(found[0], self._declared.line(found[0].place.line or 0)):
            one, other = found
            ours = f"Our kernel {in_words(other)}." if other else ""
            step = self._ways.descended
            elsewhere = step and step.bad and step.place.line != one.place.line
            why = step.told.first if step and elsewhere and self._same else ""
            theirs = other.values if other else ()
            text = self._declared.line(one.place.line)
            strange = [
                value
                for value in compress(one.values, one.fixed)
                if value not in theirs and re.search(rf"\b{value:g}\b", text)
            ]
            asked = f"Is the choice{one.place.on} right for {one.place.who}?"
            said, here = (
                f"{self.chosen_by(one)}.{_NO_NAN * bool(_with_nan([one]))}",
                self._steady(one),
            )
            remedy = self._guarded(one.place, not (here or _with_nan([one]))) or asked
            remedy = f"Is the {strange[0]:g} in your code the right number?" if strange else remedy
            unusual = self._declared.unusual(self._usual)
            if any(int(at) in unusual for at in re.findall(r"\(line (\d+)\)", here)[:1]):
                remedy = after_value(here, remedy)
            told = Message(said, f"{here} {why}".strip(), remedy, ours)
            yield told, one.place.line

    def _steady(self, choice: Choice) -> str:
        """The value of a name that a choice's condition compares with something else, if that name
        has one value in all rounds of a loop, and the other side another in each."""
        line = choice.place.line or 0
        guard, at = self._declared.guard(line)
        asks, sides = COMPARED.findall(guard), COMPARED.split(guard)
        rounds = [one for one in self.mine.choices if one.place == choice.place]
        if at != line or len(asks) != 1 or len(rounds) < 2:
            return ""
        known, ways = (
            self._values(at, choice.place),
            [sides_as_asked(one, asks[0]) for one in rounds],
        )
        for side, name in enumerate(map(str.strip, sides)):
            values = (set[float]([both[side] for both in some]) for some in ways)
            for value in set.intersection(*values) if name.isidentifier() else ():
                others = [both[1 - side] for some in ways for both in some if both[side] == value]
                is_sure = any(len(some) == 1 for some in ways) or f"`{name}` is {value:g} " in known
                if is_sure and len({*others}) > 1:
                    given = self._declared.computed_on(name, at)
                    listed = ", ".join(f"{one:g}" for one in dict.fromkeys(others))
                    return (
                        f"Here `{name}` is {value:g}{given}, and `{sides[1 - side].strip()}` is "
                        f"{listed}.{self._behind(given)}"
                    )
        return ""

    def _behind(self, given: str) -> str:
        """A sentence, after a blank, about what the solution has not alike of that from which a
        value is computed that is `given` on a line."""
        line = int((re.findall(r"\(line (\d+)\)", given) or ["0"])[0])
        text = self._declared.line(line).partition("=")[2]
        behind = self._declared.doubtful(text, line, self._usual) if line else []
        known = " and ".join(f"`{one}` (line {at})" for one, at in behind)
        return f" It uses {known}." * (0 < len(behind) < 3)

    def decided(self) -> Told:
        """Of an element that is another one's copy, the first element, of an array that gives no
        data, which decides what is copied: where one of another value decides in the solution, or
        the same one does and another is taken."""
        if len(self._mine) != 1 or len(self._ours) != 1:
            return
        data = {one.buffer for one in (*self._mine, *self._ours)}
        mine, ours = (
            [one for one in side.decisions if one[0].buffer not in data]
            for side in (self.mine, self.ours)
        )
        for (one, value, place), (other, expected, _) in zip(mine, ours, strict=False):
            said = f"{capital(place.who)} decides by {self._name(one)} ({value:g}){place.on}"
            if value != expected:
                yield (
                    Message(
                        f"{said}.",
                        ours=f"Our kernel decides by {self._name(other)} ({expected:g}).",
                    ),
                    place.line,
                )
            elif one == mine[-1][0] == other and len(data) == 2:
                yield (
                    Message(
                        f"{said}. The value is right. The choice that depends on it is wrong.",
                        remedy=f"For which values of {self.words.name(one.buffer)} should "
                        f"{self._here} come from {self._name(next(iter(self._ours)))}?",
                    ),
                    place.line,
                )

    def descended(self, of_others: bool) -> Told:
        """The step on the way back from it that has a wrong value, or is the wrong one; only one
        with a wrong value if its elements are others."""
        found, end = self._ways.descended, self._ways.found
        if found is None or end is None or (of_others and end.bad is None):
            return
        (words, made, call), is_nan = (
            found.bad or ("", None, None),
            math.isnan(found.place.values[0]),
        )
        call = None if call in found.calls else call  # the step is in that call, too
        number, line, search = found.number, found.place.line, self._declared.with_number
        called = [at for at in found.calls if number is not None and search(at, number, 0)]
        there = None if number is None or made is None else search([*called, made][0], number)
        why = f"{words} is not the right value here."
        where = f"the call on line {call} (there from line {made})" if call else f"line {made}"
        why += f" It comes from {where}." if number is None else ""
        loop, ask = Message(), ""
        if found.lost and not of_others:
            # No round of a loop brings in what another thread loads, unless threads exchange there.
            loads = [one.loaded for lost in found.lost for one in self._loads.get(lost, ())]
            who = {(one.block, one.thread) for one in loads}
            is_own = not who or (found.place.block, found.place.thread) in who
            if is_own or self._declared.exchanges(made or 0):
                loop, _ = self._its_loop(made)
            why += f" It does not use {self._listed(found.lost, 'or')}, but should. {loop.first}"
            later = "" if is_own else ", or correct the result later"
            ask = f"Which step should bring {self._listed(found.lost)} into this value{later}?"
            if any(one[0].loaded.block != found.place.block for one in self._loads.values()):
                why = f"{why.rstrip()} {self._loaded(found.lost)}"
        if found.more and not of_others:
            why += f" It uses {self._listed(found.more)}, but should not."
        if number is not None and search(0, number, len(self._declared.lines)):
            where = f" (line {there})" if there else ""
            why = f"The {number:g} is a number in your code{where}."
            line = line if NO_ELEMENT in found.mine else there or line
            ask = (
                f"Should {found.place.who} do this step without an element? If it should, "
                f"which value belongs here instead of {number:g}, or in the place of the result?"
                if NO_ELEMENT in found.mine
                else f"Which value should be here instead of {number:g}?"
            )
        elif not words:
            right = "Everything that this step uses is right. The step itself is wrong."
            why = right if found.right else " ".join(found.sides) if found.sides[0] else ""
            missing = "Which operation belongs here, or which value or step is missing?" * bool(why)
            ask = "What should this step do with its values?" if found.right else missing
            is_swapped = (
                found.right and found.mine.split()[0] == found.ours.split()[0] == "subtracts"
            )
            ask = "Which of these two values should be subtracted?" if is_swapped else ask
            ask = (
                f"Should {found.place.who} do this step without an element? If it should, which "
                "value belongs there instead of 0?"
                if found.mine.endswith(f" from 0 ({NO_ELEMENT})")
                else f"Should this step use {found.lacks}, too?"
                if found.lacks
                else ask
            )
            if found.right and re.fullmatch(r"computes \S+", found.mine):  # of tensor cores
                passed = re.findall(r"\w+", self._declared.line((0, *found.calls)[-1]))
                arrays = {one for one in passed if self._declared.find(one, "")}
                lines = sorted({at for one in arrays for at in self._declared.writers(one)})
                filled = " and ".join(f"line {at}" for at in lines)
                why, ask = (
                    "The values are right, but some are in the wrong registers."
                    + f" Its arrays get values on {filled}." * bool(lines),
                    "Which element belongs in each register of this instruction?",
                )
        elif made is None:
            scaled = any(self.scaled())  # another step may lack the factor as well
            again = self._again(words)
            why = "" if scaled else f"{words} does not belong in this step.{again}"
            ask = "" if scaled else f"Which value should be here instead of {words}?"
            ask = "Which line uses this element too often?" if again else ask
        elif found.another and not ask:
            why = f"{words} comes from line {made}, and belongs elsewhere."
            ask = (
                f"Which other value should line {found.place.line} use? Or does line {made} lack a "
                "step?"
            )
        elif not (ask or is_nan):
            ask = f"Which value should line {call or made} give here?"
            uses = f"Should line {found.place.line} use this value? If it should, {ask.lower()}"
            ask = uses if (call or made) != found.place.line else ask
        if found.mine.startswith("takes the exponential of") and found.mine.endswith(")"):
            _, ours = self._ways.both
            if ours.does("sub").any():
                why = f"No maximum is subtracted from {found.mine.partition(' of ')[2]}."
                ask = "Which maximum belongs to this exponential?"
        if NO_ELEMENT in found.mine and found.mine.count("(") == 1:
            why += self._without(found.place)
        told = found.told
        is_opaque = number is not None and re.fullmatch(r"computes \S+", found.mine)
        if is_nan or is_opaque or found == self._joined:  # it has been told, or says nothing
            told = replace(told, first="")
        why = "" if is_nan and (not number or math.isnan(number)) else why.strip()
        yield told + Message(why=why, remedy=loop.remedy or ask), line

    def _without(self, place: ThreadPlace) -> str:
        """A sentence, after a blank, about the condition that gives a thread no element."""
        here = place.line or 0
        path = self.pair.path(place) if len(self.words.problem.launches) == 1 else ThreadPath()
        asked, at = last_conditions(path, self.words.source, here)
        is_why = asked.endswith("false") and (at or here) < here
        return f" {capital(place.who)} has no element: {asked}." * is_why

    def _again(self, words: str) -> str:
        """A sentence, after a blank, about the element in these words, if it is used far more often
        than in the solution."""
        mine, ours = times(self.mine.summed), times(self.ours.summed)
        often = (one for one in mine if mine[one] > OFTEN * ours.get(one, mine[one]))
        named = next((one for one in often if f"({self._name(one)})" in words), None)
        return (
            f" {self._here} uses {self._name(named)} {mine[named]} times, and should use it "
            f"{counted(ours[named], 'time')}."
            if named
            else ""
        )

    def _instead(self) -> Told:
        """Only what the solution does there, where more is told of the step already."""
        for told, line in self.descended(False):
            ours = told.ours if isinstance(told, Message) else ""
            yield Message(ours=ours), line if ours or not any(self.scaled()) else None

    def beyond(self) -> Told:
        """An exponential, or another result, that is too large or too small for a float."""
        steps = self._ways.beyond if math.isfinite(self._wanted) else []
        if not steps or math.isfinite(self._found or math.inf):
            return
        first, *after = steps
        result, *given = first.place.values
        if all(map(math.isfinite, given)):
            size = "large" if result else "small"
            then = f"The result is too {size} for a float, which makes it {result:g}."
            why = " ".join([then, *(one.told.first for one in after)])
            yield first.told + Message(why=why), first.place.line

    def goes_on(self, from_parts: bool) -> Told:
        """The solution has the value too, and makes another of it."""
        if further := self._ways.goes_on(from_parts):
            yield (
                Message(
                    "This value is only an intermediate result: a step after it is missing.",
                    remedy=say.NEXT[Pattern.LEFT_EARLY],
                    ours=f"Our kernel then {further}.",
                ),
                None,
            )

    def scaled(self) -> Told:
        """All wrong elements wrong by one factor, or by one amount."""
        found, expected = self.pair.wrong.found, self.pair.wrong.expected
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
                    > 0.9 * self.words.problem.outputs[self.pair.wrong.element.buffer].value.size
                    or not self._ways.descended
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
            asked = f"{self._named(by)}Which step {does} by {by:.6g}, or should {undoes} by it?"
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
        same = f" {self._here} uses the right elements." * (
            self._same and not (self._ways.descended and self._ways.descended.lost)
        )
        which = "It" if len(found) == 1 else f"Each of the {len(found)} wrong elements"
        yield Message(f"{which} {what}.{same}", remedy=ask), None

    def _named(self, factor: float) -> str:
        """A sentence, before a blank, about the parameter that a factor is, or is 1 over."""
        numbers = self.words.numbers(self._launch(self.pair.wrong.element.buffer), np.floating)
        return next(
            (
                f"{factor:.6g} is {over}`{name}`. "
                for name, number in numbers.items()
                for over, value in (("", number), ("1 / ", 1 / number if number else math.inf))
                if _near(factor, value)
            ),
            "",
        )

    def first_step(self) -> ThreadPlace | None:
        """The first step that goes wrong, with its value: it loads what does not belong here, makes
        a NaN, chooses otherwise than ours, or is one that ours does not take."""
        strange = [one for one in self.mine.used if one.first not in self._ours]
        if strange and self._all_told:
            first = strange[0].first
            array = self.words.problem.inputs.get(first.buffer, np.empty(0))
            return strange[0].loaded.with_values(*array.flat[first.index : first.index + 1])
        if self.mine.nan and self._arose:
            return self.mine.nan.with_values(math.nan, *self.mine.operands)
        if found := self._fell:
            return found[0].place.with_values(found[0].taken, *found[0].values)
        return self._ways.descended.place if self._ways.descended else None

    def told(self) -> list[Said]:
        """What it is made of, if that is wrong, is told first, then what was done with it."""
        made_of = _first(
            (Pattern.NOBODY_WROTE, self.nobody),
            (Pattern.OTHER_STEP, self.narrowed),
            (Pattern.OTHER_STEP, self.divided),
            (Pattern.OTHER_ELEMENTS, self.without_stride),
            (Pattern.OTHER_PLACE, self.elsewhere),
            (Pattern.OTHER_ELEMENTS, self.shuffled),
            (Pattern.OTHER_PLACE, self.other_place),
            (Pattern.OTHER_PLACE, self.misplaced),
            (Pattern.CONSTANT_WON, self.constant),
            (Pattern.OTHER_ELEMENTS, self.other_elements),
            (Pattern.OTHER_ELEMENTS, self.other_summands),
            (Pattern.OTHER_STEP, self._ways.mixed),
            (Pattern.OVERFLOWED, self.beyond),
            (Pattern.CANCELLED, self.cancelled),
            (Pattern.TOO_OFTEN, self.too_often),
            (Pattern.OTHER_PLACE, self.other_winner),
            (Pattern.OTHER_PLACE, self.tie),
        )
        lines = [line for _, line in self.tie()]
        is_placed = any((told, line) in self.misplaced() for _, told, line in made_of)
        if any(pattern in _ENOUGH for pattern, _, _ in made_of) or any(lines) or is_placed:
            return made_of
        chose = self._fell[0].place.line or 0 if self._fell else 0
        other_loop = chose and any(
            line in self._declared.loops and line != self._declared.loop(chose)[1]
            for _, _, line in made_of
        )
        # The choice says more than a load and its loop.
        if any(self.decided()) or other_loop:
            made_of = [(one, replace(said, why="", remedy=""), None) for one, said, _ in made_of]
        # Where nothing should be used, no operand of a NaN should.
        done = [] if made_of and not self._ours else _first((Pattern.FIRST_NAN, self.nan))
        done += [] if made_of else _first((Pattern.SCALED, self.scaled))
        apart = any(pattern == Pattern.OTHER_ELEMENTS for pattern, _, _ in made_of)
        is_told = apart and any(line for _, _, line in made_of)
        step = self._ways.descended
        is_number = step is not None and step.number is not None
        rounds = step is not None and step.mine.startswith("rounds ")
        done += _first(
            (Pattern.CHOSEN_OTHERWISE, self.decided),
            (Pattern.CHOSEN_OTHERWISE, self.chosen),
            (
                Pattern.CONSTANT_WON if is_number else Pattern.OTHER_STEP,
                partial(self.descended, apart)
                if is_number or rounds or not (done or is_told)
                else self._instead,
            ),
            (Pattern.LEFT_EARLY, partial(self.goes_on, bool(made_of))),
        )
        if any(any(rule()) for rule in (self.without_stride, self.shuffled, self.elsewhere)):
            done = [  # all of it after another one's facts
                (one, replace(said, first="", why=f"{said.first} {said.why}".strip()), line)
                for one, said, line in done
            ]
        return [*made_of, *done]


def _first(*rules: tuple[Pattern, Callable[[], Told]]) -> list[Said]:
    """What the first rule says that applies."""
    said = (
        (pattern, Message(told) if isinstance(told, str) else told, line)
        for pattern, rule in rules
        for told, line in rule()
    )
    return list(islice(said, 1))


def explained(result: CaseResult, pair: Pair, words: Words) -> CaseResult:
    """`result` with sentences on why, and the line that it is about, as far as that was seen."""
    about = Explanation(pair, words)
    result = replace(result, made_of=about.parts(), differs=about.first_step())
    told = about.told()
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
        if not is_known and (made := about._ways.last_line) not in (None, line):
            parts += Message(**{"why" if told else "first": f"Its value comes from line {made}."})
    leads = [
        one
        for one in told
        if one[0] in (Pattern.LEFT_EARLY, Pattern.CONSTANT_WON, Pattern.CHOSEN_OTHERWISE)
    ] + told
    pattern, lead, _ = leads[0] if leads else (Pattern.NOBODY_WROTE, Message(), None)
    at = about._ways.last_line or line
    usual = "" if told or not line else f"Which values should line {at} use?"
    advice = (
        lead.remedy,
        *(message.remedy for _, message, _ in told),
        result.parts.remedy,
        say.NEXT.get(pattern),
        usual and about._doubting(about._declared.line(at), at, usual),
    )
    remedy = next(filter(None, advice), "")  # one is enough
    result = result.saying(parts + Message(why=result.parts.why, remedy=remedy))
    return replace(result, line=line, patterns=patterns)


# ---- how far it is followed ----


def explained_case(judged: Known, at: int) -> Known:
    """The case at a place, told with the reason why it fails, as far as that can be followed."""
    instance, outcome, result = judged.instances[at], judged.outcomes[at], judged.results[at]
    if instance.case.hazard:
        return judged
    if isinstance(outcome, Failed) and (earlier := _before(judged, at, outcome)):
        first, launches = earlier.results[at], len(earlier.instances[at].problem.launches)
        told = result.saying(
            say.already_wrong(first.parts, launches, len(instance.problem.launches), result.parts)
        )
        return judged.with_result(at, replace(told, line=first.line or result.line))
    problem = instance.problem
    if compare.apart(problem) and result.where:  # one launch is followed sooner than all
        launch = problem.launches[result.where.launch - 1]
        written = [name for name in problem.outputs if name in launch.args]
        instance = replace(
            instance, problem=replace(problem.comparing(written), launches=(launch,))
        )
    if isinstance(outcome, Failed) and str(beyond := thread_paths.beyond_row(judged, at, outcome)):
        parts = replace(result.parts, why="", remedy="") + beyond
        return judged.with_result(at, _in_coordinates(result.saying(parts), problem))
    if result.status in (Status.OUT_OF_BOUNDS, Status.UNINITIALIZED_READ) and isinstance(
        outcome, Failed
    ):
        seen = telling.beyond_an_array(judged, instance, judged.words[at])
        parts = thread_paths.of_stray(judged, at, outcome, seen)
        return judged.with_result(at, _in_coordinates(result.saying(parts), problem))
    if "bank_conflicts" in result.parts.first:
        found = thread_paths.in_one_bank(judged, at)
        return judged.with_result(at, result.saying(result.parts + found))
    if changed := _changed_inputs(result, judged.words[at]):
        return _only_written(judged, at, changed.pop())
    if isinstance(outcome, Ran) and result.where and result.where.order != problem.order:
        instance = replace(instance, problem=replace(instance.problem, order=result.where.order))
        (outcome,) = judged.session.run((instance,))
    wrong = (
        compare.first_wrong(instance, outcome)
        if result.status == Status.WRONG_ANSWER and isinstance(outcome, Ran)
        else None
    )
    if wrong is None:
        return judged
    both = judged.session, judged.ours

    def followed(instance: CaseInstance) -> list[tuple[Made, ...]]:
        with ThreadPoolExecutor(len(both)) as pool:
            return list(pool.map(lambda one: one.follow(instance, (wrong.element,)), both))

    made = followed(instance)
    if not all(made) and (alone := _launch_alone(judged, at, wrong)):
        instance = alone
        made = followed(instance)
    if not all(made):
        unwritten = wrong.element.buffer if not wrong.written else ""
        return _only_written(judged, at, judged.words[at].name(unwritten)) if unwritten else judged
    (mine,), (ours,) = made
    pair, copies = Pair(wrong, mine, ours), copied(mine, ours)
    if copies and copies[0] != copies[1] and wrong.others:
        others = [session.follow(instance, wrong.others) for session in both]
        pair = replace(pair, others=tuple(zip(*others, strict=False)))
    if result.where:
        number = min(result.where.launch, len(instance.problem.launches))
        pair = replace(pair, path=cache(partial(judged.session.path, instance, number)))
    told = explained(result, pair, judged.words[at])
    told = cases.in_block(told, problem, mine.stored.block) if mine.stored else told
    return judged.with_result(at, _in_coordinates(told, problem))


def doubted(judged: Known, at: int) -> Known:
    """The case at a place, with a question about the parameters that only the solution uses; or
    else about the only line that the solution has not alike, if nothing is said of that line."""
    result, words = judged.results[at], judged.words[at]
    unused = [
        f"`{name}`"
        for kernel in dict.fromkeys(one.kernel for one in words.problem.launches)
        for name in unused_parameters(judged.source, kernel)
        if name not in unused_parameters(words.solution, kernel)
    ]
    # Of a kernel that has hardly begun, does not compile or is right, something else says more; a
    # later step may need what this one does not.
    is_apart = result.status in (Status.COMPILE_ERROR, Status.OVER_BUDGET) or judged.exercise.steps
    if 0 < len(unused) < 3 and not is_apart:
        named, told = " and ".join(unused), result.parts
        known = "".join(re.findall(r"^This thread should be here, but .*?\. ", told.remedy))
        guards = f" {told.remedy}" * ("guard" in told.remedy.lower())
        why = f"No line uses {' or '.join(unused)}. {told.why}".strip()
        asked = f"{known}Which line should use {named}?{guards}"
        return judged.with_result(at, result.saying(replace(told, why=why, remedy=asked)))
    usual = Declarations(words.solution)
    (line, *others) = Declarations(judged.source).unusual(usual) or (0,)
    said = f"line {result.line} {result.parts}"
    if not line or others or re.search(rf"\blines? (?:\d+ and )?{line}\b", said):
        return judged
    remedy = after_doubts([("", line)], result.parts.remedy or "What should be different there?")
    return judged.with_result(at, result.saying(replace(result.parts, remedy=remedy)))


def _launch_alone(judged: Outcomes, at: int, wrong: Wrong) -> CaseInstance | None:
    """The first launch that gets a wrong output, as a case of its own after the solution's earlier
    launches; None where there are none, or where it goes right then."""
    instance = judged.instances[at]
    problem, buffer = instance.problem, wrong.element.buffer
    number = next(n for n, one in enumerate(problem.launches) if buffer in one.args)
    *before, launch = problem.launches[: number + 1]
    if not before:
        return None
    between = {name: Expected(np.zeros(*made), made[1]) for name, made in problem.scratch.items()}
    earlier = replace(
        problem, outputs={**problem.outputs, **between}, scratch={}, launches=tuple(before)
    )
    (ran,) = judged.ours.run((replace(instance, problem=earlier),))
    if not isinstance(ran, Ran):
        return None
    left = {
        name: ran.arrays[f"output/{name}"]
        for name in earlier.outputs
        if name in launch.args and ran.arrays[f"written/{name}"].all()
    }
    given = {name: one for name, one in problem.inputs.items() if name in launch.args}
    written = [name for name in problem.outputs if name in launch.args and name not in left]
    scratch = {name: made for name, made in problem.scratch.items() if name not in left}
    alone = replace(
        replace(problem, scratch=scratch).comparing(written),
        inputs=given | left,
        launches=(launch,),
    )
    one = replace(instance, problem=alone)
    (outcome,) = judged.session.run((one,))
    return one if isinstance(outcome, Ran) and compare.first_wrong(one, outcome) else None


def _in_coordinates(result: CaseResult, problem: Problem) -> CaseResult:
    """A result whose threads and blocks are named by their coordinates, where they have several."""
    launch = problem.launches[result.where.launch - 1 if result.where else -1]
    shapes = rules.dimensions(launch.block), rules.dimensions(launch.grid)
    return result.saying(places.in_coordinates(result.parts, *shapes))


def _changed_inputs(result: CaseResult, words: Words) -> set[str]:
    """The inputs that a result tells of, as a counter that is not put back, by the learner's names;
    none where it tells of an output."""
    return {one.buffer for one in result.mismatches} & {*map(words.name, words.problem.inputs)}


def _only_written(judged: Known, at: int, name: str) -> Known:
    """With the condition under which the only line that writes to an array does so."""
    result = judged.results[at]
    declared = Declarations(judged.source)
    said, line = declared.only_written(name)
    atomics = [
        at
        for at, text in enumerate(declared.lines, 1)
        if re.search(rf"\batomic\w+\([^;]*\b{name}\b", text)
    ]
    if len(atomics) == 1 and not declared.writers(name):
        said, line = f"Only the atomic on line {atomics[0]} changes {name}.", atomics[0]
    return judged.with_result(at, replace(result.saying(result.parts + Message(said)), line=line))


def _before(judged: Known, at: int, failure: Failed) -> Known | None:
    """The same with only the launches of a case that came before the one that failed, where they
    left something wrong that no later launch writes; None where they did not."""
    instance, words = judged.instances[at], judged.words[at]
    where, problem = cases.of_failure(instance, failure), instance.problem
    if where is None or where.launch < 2:
        return None
    launches, later = problem.launches[: where.launch - 1], problem.launches[where.launch - 1 :]
    passed = {one for launch in later for one in launch.args if isinstance(one, str)}
    left = [
        name
        for name in problem.outputs
        if name not in passed or (words.constant(name) and name in str(launches))
    ]
    earlier = replace(instance, problem=replace(problem.comparing(left), launches=launches))
    (outcome,) = judged.session.run((earlier,))
    result = compare.on_simulator(earlier, outcome, replace(words, problem=earlier.problem))
    again = all(one.kernel == launches[0].kernel for one in later)  # else another may put it back
    if (
        result.status != Status.WRONG_ANSWER
        or not isinstance(outcome, Ran)
        or (not again and _changed_inputs(result, words))
    ):
        return None
    judged = replace(
        judged,
        instances=(*judged.instances[:at], earlier, *judged.instances[at + 1 :]),
        outcomes=(*judged.outcomes[:at], outcome, *judged.outcomes[at + 1 :]),
    )
    return explained_case(judged.with_result(at, result), at)
