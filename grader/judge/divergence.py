"""The first step on the way to a wrong element that the solution does not take.

Both ways are compared value by value: a step is known if the solution comes to its value too, be
it in another order or another thread. The first one that is not known, though all that it was
computed from is, is where the ways part; it is told beside what the solution does with the same
values. Where both do the same in another order nothing is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .protocol import Cone, Op, Place, Step

CLOSE = (5, 7)  # significant digits in which values that are the same agree, tried in this order
LOG2_E = 1.442695
KINDS = {"exponential": ("ex2",), "division": ("div", "rcp"), "multiplication": ("mul",)}
ANY_ORDER = ("add", "max", "min", "and", "or", "xor")
_SAY = {
    "add": "adds {0} and {1}",
    "sub": "subtracts {1} from {0}",
    "mul": "multiplies {0} by {1}",
    "div": "divides {0} by {1}",
    "rcp": "divides 1 by {0}",
    "rem": "takes what {0} leaves when divided by {1}",
    "neg": "changes the sign of {0}",
    "abs": "takes the magnitude of {0}",
    "max": "takes the larger of {0} and {1}",
    "min": "takes the smaller of {0} and {1}",
    "ex2": "takes 2 to the power of {0}",
    "lg2": "takes the logarithm of {0}",
    "sqrt": "takes the square root of {0}",
    "exp": "takes the exponential of {0}",
    "exp2": "takes 2 to the power of {0}",
    "cut": "cuts {0} to a whole number",
    "half": "rounds {0} to 16 bits",
    "shl": "shifts {0} to the left by {1}",
    "shr": "shifts {0} to the right by {1}",
}
_WHOLE = re.compile(r"cvt\..*\.[su](8|16|32|64)\.f\d+|cvt\.r[mpnz]i\..*")
_HALF = re.compile(r"cvt\..*\.b?f16\.f(32|64)")


@dataclass(frozen=True)
class Parting:
    """Where the ways part, and what is done there, in words: `mine` (with `place`) and `ours`, or
    what ours does first, empty where the solution has no step that is to be compared.
    `constant`: a number that stands in the learner's code and not in the solution's, None if there
    is none in this step."""

    place: Place
    mine: str
    ours: str = ""
    constant: float | None = None


@dataclass(frozen=True)
class Extreme:
    """A maximum or minimum that the solution does not come to: its value, and the line on which
    that stands in the code; `ours` is the solution's."""

    value: float
    line: int | None
    ours: float


class Ways:
    """The learner's way to an element and the solution's."""

    def __init__(self, mine: Cone, ours: Cone):
        self._cones = [_in_single_steps(one) for one in (mine, ours)]
        self._ways: dict[int, list[_Way]] = {}

    def parting(self, any_order: bool = False) -> Parting | None:
        """Where the ways part; None where they do not. Sums, maxima and the like of other pairs of
        values, which may be a matter of their order alone, are passed over, or with `any_order`
        are all that is looked for."""
        if not all(one.steps for one in self._cones):
            return None
        for digits in CLOSE:
            mine, ours = self._to(digits)
            found = next(_partings(mine, ours, any_order), None)
            if found is not None:
                return found
        return None

    def goes_on(self) -> str:
        """What the solution does next with the value that `mine` ends with; "" if it never has
        it."""
        if not all(one.steps for one in self._cones):
            return ""
        mine, ours = self._to(CLOSE[0])
        further = ours.users.get(mine.key(len(mine.steps) - 1), ())
        new = [user for user in further if ours.key(user) not in mine.keys]
        return ours.words(new[0]) if new else ""

    def constant_extreme(self) -> Extreme | None:
        """Of a maximum that a number in the code has won, where in the solution an element wins."""
        mine, ours = map(_tops, self._to(CLOSE[0]))
        expected = {value for value, _ in ours}
        for value, line in mine if ours else ():
            if line is not None and value not in expected:
                return Extreme(value, line, ours[-1][0])
        return None

    def passed(self, kind: str) -> tuple[int, int]:
        """The most steps of a kind on one way, in the learner's and in the solution's."""
        mine, ours = (way.passed(KINDS[kind]) for way in self._to(CLOSE[0]))
        return mine, ours

    def _to(self, digits: int) -> list[_Way]:
        if digits not in self._ways:
            self._ways[digits] = [_Way(one, digits) for one in self._cones]
        return self._ways[digits]


def _tops(way: _Way) -> list[tuple[float, int | None]]:
    """The results of all maxima and minima, and the line where a result stands in the code; None
    where it was loaded or computed."""
    kinds = {at: way.verb(at) for at, step in enumerate(way.steps) if step.sources}
    inner = {
        source
        for at, kind in kinds.items()
        if kind in ("max", "min")
        for source in way.steps[at].sources
    }
    return [
        (way.steps[at].value, _in_code(way, at))
        for at, kind in kinds.items()
        if kind in ("max", "min") and at not in inner
    ]


def _in_code(way: _Way, top: int) -> int | None:
    """The line of the number in the code that a maximum is, if no other value is the same."""
    value, at = way.steps[top].value, top
    while way.steps[at].sources and way.verb(at) in ("max", "min"):
        same = [one for one in way.steps[at].sources if way.steps[one].value == value]
        if not same:
            return None
        at = min(same, key=way.is_constant)
    return way.line(at) if way.is_constant(at) else None


def _partings(mine: _Way, ours: _Way, any_order: bool) -> Iterator[Parting]:
    known: list[bool] = []
    for at in range(len(mine.steps)):
        known.append(_known(mine, ours, at) or mine.keeps(at, known))
    for at, step in enumerate(mine.steps):
        if (
            known[at]
            or step.op < 0
            or at in mine.inner
            or not all(known[one] for one in step.sources)
        ):
            continue
        found = _told(mine, ours, at, any_order)
        if found is not None:
            yield found


def _known(mine: _Way, ours: _Way, at: int) -> bool:
    """Whether the solution comes to a value. A maximum is one of two, so that it must be a maximum
    there too, if the solution does anything with the two."""
    if mine.is_constant(at):
        return True
    if mine.key(at) not in ours.keys:
        return False
    pair, verb = mine.operand_keys(at), mine.verb(at)
    if verb not in ("max", "min") or len(pair) < 2:
        return True
    users = [set(ours.users.get(key, ())) for key in pair]
    verbs = {ours.verb(user) for user in set.intersection(*users)}
    return not verbs or verb in verbs


def _told(mine: _Way, ours: _Way, at: int, any_order: bool) -> Parting | None:
    place = Place(*mine.steps[at].place, mine.line(at))
    constant = next((one for one in mine.constants(at) if one not in ours.in_code), None)
    partner = _partner(mine, ours, at)
    before = None if partner is None else _left_out(mine, ours, partner)
    if before is not None and not any_order:
        return Parting(place, mine.words(at), f"first {ours.words(before)}", constant)
    if partner is not None and _in_another_order(mine, at, ours, partner) == any_order:
        return Parting(place, mine.words(at), ours.words(partner), constant)
    alone = partner is None and mine.verb(at) not in ANY_ORDER
    if not any_order and (constant is not None or alone or mine.verb(at) in ("cut", "half")):
        return Parting(place, mine.words(at), "", constant)
    return None


def _partner(mine: _Way, ours: _Way, at: int) -> int | None:
    """The step of the solution that uses most of the same values, and that `mine` never takes; or
    that does the same with another value in the place of one of them."""
    verb, keys = mine.verb(at), mine.operand_keys(at)
    shared: dict[int, int] = {}
    for key in keys - {"0"} or keys:
        for user in ours.users.get(key, ()):
            shared[user] = shared.get(user, 0) + 1
    new = [user for user in shared if ours.key(user) not in mine.keys]
    new = new or [u for u in shared if shared[u] == len(keys) > 1 and ours.verb(u) != verb]
    alike = [user for user in shared if ours.verb(user) == verb and verb not in ANY_ORDER]
    return max(
        new or [user for user in alike if shared[user] == len(keys) - 1],
        key=lambda user: (shared[user], ours.verb(user) == verb, -user),
        default=None,
    )


def _left_out(mine: _Way, ours: _Way, partner: int) -> int | None:
    """What the solution makes of one of the values before `partner`, and `mine` never does."""
    for at in ours.steps[partner].sources:
        used = [one for one in ours.steps[at].sources if not ours.is_constant(one)]
        known = any(ours.key(one) in mine.keys for one in used)
        if known and ours.key(at) not in mine.keys and ours.verb(at) not in ANY_ORDER:
            return at
    return None


def _in_another_order(mine: _Way, at: int, ours: _Way, partner: int) -> bool:
    verb = mine.verb(at)
    return verb == ours.verb(partner) and verb in ANY_ORDER


@dataclass
class _Way:
    """A cone with what is asked of it again and again."""

    cone: Cone
    digits: int
    keys: set[object] = field(default_factory=set)
    users: dict[object, list[int]] = field(default_factory=dict)
    in_code: set[float] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.steps = self.cone.steps
        self._constant = [one.op >= 0 and not one.sources for one in self.steps]
        self._keys = [self._key(one) for one in self.steps]
        self._verbs = [_verb(one.opcode) for one in self.cone.ops]
        self.inner: set[int] = set()  # steps in the middle of an exponential
        self._inside: set[int] = set()  # all the steps of exponentials
        self._exponential: dict[int, str] = {}  # the first ones, and what kind of exponential it is
        self._together: dict[object, list[int]] = {}  # steps by line and thread
        for at, step in enumerate(self.steps):
            if step.op >= 0:
                self._together.setdefault((self.line(at), step.place), []).append(at)
        for at in range(len(self.steps)):
            if self._does(at, "ex2"):
                self._gather(at)
        self._gather_between()
        for at, step in enumerate(self.steps):
            if self.is_constant(at):
                self.in_code.add(step.value)
                continue
            self.keys.add(self.key(at))
            for source in set(step.sources):
                if not self.is_constant(source):
                    self.users.setdefault(self.key(source), []).append(at)

    def is_constant(self, at: int) -> bool:
        return self._constant[at]

    def key(self, at: int) -> object:
        """The same for values that are the same in both ways."""
        return self._keys[at]

    def _key(self, step: Step) -> object:
        if step.element is not None:
            return step.element.buffer, step.element.index
        return f"{step.value:.{self.digits}g}"

    def operand_keys(self, at: int) -> set[object]:
        return {self.key(one) for one in self.steps[at].sources if not self.is_constant(one)}

    def keeps(self, at: int, known: list[bool]) -> bool:
        """Whether a step has left a known value as it was, as adding 0 does."""
        step = self.steps[at]
        if step.op < 0:
            return False
        same = (one for one in step.sources if self.steps[one].value == step.value)
        return self.verb(at) in ("add", "sub", "mul") and any(known[one] for one in same)

    def constants(self, at: int) -> list[float]:
        return [self.steps[one].value for one in self.steps[at].sources if self.is_constant(one)]

    def line(self, at: int) -> int | None:
        return self.cone.ops[self.steps[at].op].line

    def verb(self, at: int) -> str:
        """What a step does, nothing where a value lay in memory; of the first step of an
        exponential, all of that."""
        op = self.steps[at].op
        return self._exponential.get(at) or (self._verbs[op] if op >= 0 else "")

    def words(self, at: int) -> str:
        step, verb = self.steps[at], self.verb(at)
        values = [self._value(one) for one in step.sources]
        given = [one for one in step.sources if not self.is_constant(one)]
        if verb in ("exp", "exp2"):
            values = [said for one, said in zip(step.sources, values, strict=True) if one in given]
        phrase = _SAY.get(verb, "")
        if not phrase or phrase.count("{") > len(values):
            return f"computes {self._value(at)} from {', '.join(values)}"
        return phrase.format(*values)

    def passed(self, verbs: tuple[str, ...]) -> int:
        """The most steps of some kinds on one way to the element."""
        most: list[int] = []
        for step in self.steps:
            own = step.op >= 0 and self._verbs[step.op] in verbs
            most.append(own + max((most[one] for one in step.sources), default=0))
        return most[-1] if most else 0

    def _value(self, at: int) -> str:
        said = f"{self.steps[at].value:.{max(self.digits, 6)}g}"
        return f"{said} (an exponential)" if self._is_power(at) else said

    def _is_power(self, at: int) -> bool:
        """Whether a value is a power of 2, or one scaled by another on the same line."""
        step = self.steps[at]
        if step.op < 0:
            return False
        here = [one for one in step.sources if self.steps[one].op >= 0]
        of_power = any(
            self._verbs[self.steps[one].op] == "ex2" and self.line(one) == self.line(at)
            for one in here
        )
        return self._verbs[step.op] == "ex2" or (self._verbs[step.op] == "mul" and of_power)

    def _does(self, at: int, verb: str) -> bool:
        return self.steps[at].op >= 0 and self._verbs[self.steps[at].op] == verb

    def _gather(self, power: int) -> None:
        """An exponential is made of one value by several steps, on the same line by the same
        thread."""
        inside, ahead = {power}, [power]
        while ahead:
            for one in self.steps[ahead.pop()].sources:
                step = self.steps[one]
                alike = step.sources and step.op >= 0 and self.line(one) == self.line(power)
                if alike and step.place == self.steps[power].place and one not in inside:
                    inside.add(one)
                    ahead.append(one)
        while two := {at for at in inside if len(self._given(at, inside)) > 1}:
            inside -= two
        first = {at for at in inside if self._given(at, inside)}
        numbers = [number for at in inside for number in self.constants(at)]
        kind = "exp" if any(abs(one - LOG2_E) < 1e-4 for one in numbers) else "exp2"
        self._exponential |= dict.fromkeys(first, kind)
        self.inner |= inside - first
        self._inside |= inside

    def _gather_between(self) -> None:
        """What stands between the steps of an exponential, and is made of one of them alone."""
        powers = [at for at in range(len(self.steps)) if self._does(at, "ex2")]
        for where in {(self.line(one), self.steps[one].place) for one in powers}:
            for at in self._together[where]:
                given = [one for one in self.steps[at].sources if not self.is_constant(one)]
                alone = len(given) == 1 and given[0] in self.inner
                if alone and not self._does(given[0], "ex2") and at not in self._inside:
                    self.inner.add(at)

    def _given(self, at: int, inside: set[int]) -> set[int]:
        """What a step takes from outside."""
        return {
            one for one in self.steps[at].sources if one not in inside and not self.is_constant(one)
        }


def _in_single_steps(cone: Cone) -> Cone:
    """The same with a product that is added at once as two steps."""
    ops, steps, now = list(cone.ops), list[Step](), list[int]()
    for step in cone.steps:
        sources = tuple(now[one] for one in step.sources)
        verb = _verb(cone.ops[step.op].opcode) if step.op >= 0 else ""
        if verb in ("fma", "mad") and len(sources) == 3:
            line = cone.ops[step.op].line
            product = steps[sources[0]].value * steps[sources[1]].value
            ops += [Op("mul", line), Op("add", line)]
            steps.append(Step(len(ops) - 2, product, sources[:2], step.place))
            sources = len(steps) - 1, sources[2]
            step = Step(len(ops) - 1, step.value, (), step.place)
        steps.append(Step(step.op, step.value, sources, step.place, step.element))
        now.append(len(steps) - 1)
    return Cone(tuple(ops), tuple(steps))


def _verb(opcode: str) -> str:
    if _HALF.fullmatch(opcode):
        return "half"
    if _WHOLE.fullmatch(opcode):
        return "cut"
    return opcode.partition(".")[0]
