"""The sentences about what was done with what a wrong element is made of, each None where it does
not apply."""

from __future__ import annotations

import math

import numpy as np

from ...counted import counted
from ..protocol import Choice
from . import decisions, phrases
from .telling import About, Told


class DoneWith(About):
    """The steps on its way."""

    def nan(self) -> Told:
        """Where the first NaN arises."""
        place = self.mine.nan
        if place is None or not math.isnan(self._found):
            return None
        what = " and ".join(f"{one:g}" for one in self.mine.operands)
        made = f", made of {what}" if len(self.mine.operands) > 1 else ""
        return f"The first NaN on its way arises {phrases.at(place)}{made}.", None

    def chosen(self) -> Told:
        """The first `?:` on its way that fell otherwise than in the solution."""
        found = decisions.fell_otherwise(self.mine.choices, self.ours.choices)
        if found is not None:
            one, other = found
            said = f"{self._choice(one)}; ours {decisions.words(other)}."
            number = decisions.strange_number(one, other)
            said += (
                "" if number is None else f" The {number:g} stands in the code, and not in ours."
            )
            return said, one.place.line
        for mine in decisions.new(self.mine.choices, self.ours.choices):
            if won := self._ways.beaten(mine.values, mine.taken):
                return f"{self._choice(mine)}; ours {won}.", mine.place.line
        nan = decisions.with_nan(self.mine.choices)
        if nan is None or decisions.with_nan(self.ours.choices):
            return None
        return f"{self._choice(nan)}: no comparison with NaN holds.", nan.place.line

    def _choice(self, one: Choice) -> str:
        where = f"on line {one.place.line} " if one.place.line else ""
        return phrases.capital(f"{where}{phrases.who(one.place)} {decisions.words(one)}")

    def parting(self) -> Told:
        """The first step that the solution does not take."""
        found = self._ways.parting()
        if found is None:
            return None
        sentence = f"The first step on its way that ours does not take: {phrases.parted(found)}."
        if found.constant is not None:
            sentence += f" The {found.constant:g} stands in the code, and not in ours."
        return sentence, found.place.line

    def goes_on(self, from_parts: bool) -> Told:
        """The solution has the value too, and makes another of it."""
        further = self._ways.goes_on(from_parts)
        said = f"{self._here} is what ours has on its way there, and ours goes on: it {further}."
        return (said, None) if further else None

    def other_order(self) -> Told:
        """The first sum, maximum or the like of two values that the solution does not take."""
        found = self._ways.parting(any_order=True)
        if found is None:
            return None
        return (
            f"{self._here} is made of the right elements. The first step on its way that ours does "
            f"not take: {phrases.parted(found)}. Another order is no mistake, another value is.",
            found.place.line,
        )

    def scaled(self) -> Told:
        """All wrong elements wrong by one factor, or by one amount."""
        found, expected = self.pair.wrong.found, self.pair.wrong.expected
        if not (np.isfinite(found).all() and np.isfinite(expected).all()):
            return None
        with np.errstate(all="ignore"):
            ratio, off = found / expected, found - expected
        what = ""
        telling = (len(ratio) > 1 or phrases.whole(ratio.flat[0])) and abs(ratio.flat[0] - 1) > 1e-3
        if found.all() and expected.all() and phrases.constant(ratio) and telling:
            what = f"{phrases.factor(float(ratio.mean()))} what it should be"
        elif len(off) > 1 and phrases.constant(off):
            amount = float(off.mean())
            what = f"{abs(amount):.6g} too {'large' if amount > 0 else 'small'}"
        if not what:
            return None
        which = "It is" if len(found) == 1 else f"Each of the {len(found)} wrong elements is"
        same = " The elements that it is made of are the right ones." if self._same() else ""
        return f"{which} {what}.{same}", None

    def fewer_steps(self) -> Told:
        """Kinds of arithmetic that the solution does more or less of on the way."""
        for kind in ("exponential", "division", "multiplication"):
            mine, ours = self._ways.passed(kind)
            if (mine != ours and kind != "multiplication") or (mine == 0) != (ours == 0):
                sentence = (
                    f"An element passes {_number(mine, kind)} on its way into "
                    f"{self._here}, and {_number(ours, kind)} in a right kernel."
                )
                return sentence, None
        return None

    def arithmetic(self) -> Told:
        if not self._same():
            return None
        return (
            f"{self._here} is made of the right elements: what is done with them differs.",
            None,
        )


def _number(count: int, kind: str) -> str:
    return counted(count, kind) if count else f"no {kind}s"
