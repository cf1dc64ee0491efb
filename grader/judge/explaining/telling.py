"""What is told of a wrong element, and the words for it: the ground that the rules stand on.

Where the learner's way to a wrong element and the solution's part, in words.

Both are compared value by value, backwards (see `descent`). The step where the ways part is told
beside what the solution does with the same values.

How the elements that were taken stand to those that should have been: one rule for all of them.

A rule is told only if every wrong element that was looked at keeps to it. Of an index that leaves
an array which it should copy from, it is told by which strides it goes, and should: the case is run
again with room around its inputs, so that the run comes to its end, and elements of the output are
told the place that they were taken from, wherever that lies.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, reduce
from itertools import combinations, groupby, islice
from operator import itemgetter, or_

import numpy as np

from ...compilers.declared import Declarations
from ...cuda.errors import Message
from ...grouped import grouped
from ...say.places import called
from ..cases import CaseInstance
from ..compare import Words, Wrong
from ..protocol import Element, Made, SliceSteps, ThreadPath, ThreadPlace, Used
from ..session import Outcomes
from ..verdict import Part
from .descent import Descent, DescentEnd, beyond
from .maxima import from_itself, mixed_up
from .thread_paths import after_doubts
from .trail import ANY_ORDER, NO_ELEMENT, Numbers, Trail

Index = tuple[int, ...]
Rows = Sequence[tuple[Index, Index]]  # taken, and what should have been, both of one array

ROOM = 1 << 14  # elements before and behind
FEW = 3  # different places at least, for a rule about numbers


def rule(rows: Rows) -> str:
    """A sentence; nothing where there is no rule. All indices are of one length."""
    return (
        ""
        if not rows or any(len(mine) != len(ours) for mine, ours in rows)
        else _exchanged_dimensions(rows) or _along_one(rows)
    )


def _exchanged_dimensions(rows: Rows) -> str:
    """Two dimensions that have changed places."""
    dimensions = len(rows[0][0])
    for a, b in combinations(range(dimensions), 2):
        swapped = all(mine == _exchanged(ours, a, b) for mine, ours in rows)
        if swapped and any(mine != ours for mine, ours in rows):
            return (
                "Row and column are swapped."
                if dimensions == 2
                else f"The {ORDINALS[a]} and the {ORDINALS[b]} index are swapped."
            )
    return ""


def _exchanged(index: Index, a: int, b: int) -> Index:
    return tuple(index[{a: b, b: a}.get(at, at)] for at in range(len(index)))


def _along_one(rows: Rows) -> str:
    """A rule about the one dimension in which the two differ."""
    mine, ours = (np.array([row[at] for row in rows]) for at in (0, 1))
    other = (mine != ours).any(axis=0)
    if mine.ndim != 2 or other.sum() != 1:
        return ""
    which = "the index" if mine.shape[1] == 1 else f"the {ORDINALS[other.argmax()]} index"
    a, b = mine[:, other].ravel(), ours[:, other].ravel()
    if len(np.unique(b)) < FEW:
        return ""
    off, total, some = a - b, a + b, b != 0
    ratios = np.unique(a[some] / b[some])
    rules = (
        ((a == a[0]).all(), f"is always {a[0]}"),
        ((off == off[0]).all(), f"is {abs(off[0])} too {'large' if off[0] > 0 else 'small'}"),
        ((total == total[0]).all(), f"is {total[0]} minus the correct one"),
        (
            len(ratios) == 1 and not a[~some].any(),
            f"is {factor(float(ratios[0]))} what it should be",
        ),
    )
    found = next((said for holds, said in rules if holds), "")
    return (
        f"In all {len(rows)} elements that the grader compared, {which} {found}." if found else ""
    )


def by_strides(places: Sequence[Index], mine: Sequence[int], ours: Sequence[int]) -> str:
    """How far the places taken lie apart, in elements, from one element of the output to the next
    along each of its dimensions, beside how far they should. `places` are those of the output,
    `mine` and `ours` flat indices. Nothing where they are no linear function of the place."""
    if len({len(place) for place in places}) != 1 or len(places[0]) < 2:
        return ""
    found, wanted = _strides(places, mine), _strides(places, ours)
    if found is None or wanted is None or found[:-1] == wanted[:-1]:
        return ""
    flat = len(places[0]) == 2
    names = (
        ("row", "column")
        if flat
        else tuple(f"the {one} coordinate" for one in ORDINALS[: len(places[0])])
    )
    steps = [
        f"by {a} instead of {b} " + (f"from {name} to {name}" if flat else f"if {name} grows by 1")
        for name, a, b in zip(names, found[:-1], wanted[:-1], strict=True)
        if a != b
    ]
    swapped = [
        f" {capital(names[a])} and {names[b]} are swapped."
        for a, b in combinations(range(len(names)), 2)
        if _exchanged(found[:-1], a, b) == wanted[:-1]
    ]
    return f"The index changes {', '.join(steps)}.{''.join(swapped[:1])}"


def _strides(places: Sequence[Index], taken: Sequence[int]) -> Index | None:
    """The whole numbers, a last one for where it begins, by which `taken` depends on `places`."""
    rows = np.column_stack([np.array(places), np.ones(len(places), int)])
    fitted, _, rank, _ = np.linalg.lstsq(rows, np.array(taken), rcond=None)
    whole = np.rint(fitted).astype(int)
    # One more than there are unknowns: what always fits is no rule.
    return (
        None
        if rank < rows.shape[1] or len(places) <= rank or (rows @ whole != taken).any()
        else tuple(whole.tolist())
    )


LOOKED_AT = 24  # elements of the output


def beyond_an_array(judged: Outcomes, instance: CaseInstance, words: Words) -> Message:
    """A rule for a case, or the step that goes wrong; nothing where the output is no copy, or
    neither is found."""
    elements = _of_a_copy(instance)
    if not elements:
        return Message()
    mine, ours = (one.follow(instance, elements, ROOM) for one in (judged.session, judged.ours))
    taken = grouped(  # by buffer: (place in the output, taken, what should have been)
        (pair[1].buffer, (words.place(element), pair[0].index, pair[1].index))
        for element, *both in zip(elements, mine, ours, strict=False)
        if (pair := copied(*both))
    )
    for buffer, rows in taken.items():
        flat = [((one,), (other,)) for _, one, other in rows]
        if said := rule(flat) or by_strides(*zip(*rows, strict=True)):
            return Message(
                why=re.sub("[Tt]he index", rf"\g<0> into {words.name(buffer)}", said, count=1)
            )
    steps = (index_step(*pair, words.element) for pair in zip(mine, ours, strict=False))
    return next((one for one in steps if one.why), Message())


def _of_a_copy(instance: CaseInstance) -> tuple[Element, ...]:
    """Some elements of an output of which each element is an input's."""
    inputs = [one.ravel() for one in instance.problem.inputs.values() if one.dtype.kind == "f"]
    for name, expected in instance.problem.outputs.items():
        value = expected.value
        if value.size and inputs and np.isin(value, np.concatenate(inputs)).all():
            spread = np.linspace(0, value.size - 1, LOOKED_AT).astype(int)
            first = np.arange(min(LOOKED_AT // 2, value.size))
            return tuple(Element(name, int(at)) for at in np.union1d(spread, first))
    return ()


MOST = 600  # parts told of
FEW_LINES = 6
NAMED = 3  # elements, or runs of them, that a sentence lists
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

Times = dict[Element, int]  # how often each element went in
# A message, or a fact without advice, and the line that it is about; or nothing.
Told = Iterator[tuple[str | Message, int | None]]


def _in_order(one: Element) -> tuple[str, int]:
    return one.buffer, one.index


def runs(values: Mapping[Element, object]) -> Iterator[list[Element]]:
    """Neighbouring elements of one value."""
    ordered = sorted(values, key=_in_order)
    alike = [(one.buffer, one.index - at, values[one]) for at, one in enumerate(ordered)]
    for _, group in groupby(zip(alike, ordered, strict=True), itemgetter(0)):
        yield [one for _, one in group]


def constant(values: np.ndarray, apart: float = 1e-4) -> bool:
    """Whether all are alike, but for rounding: so far apart at most, of the largest."""
    return bool(np.ptp(values) <= apart * np.abs(values).max())


MUCH_LARGER = 1025  # times: no factor in a formula


def whole(ratio: float) -> bool:
    """Whether a ratio is a whole number, or one over a whole number; for one element alone any
    other is no pattern."""
    larger = max(abs(ratio), 1 / max(abs(ratio), 1e-30))
    return 1.5 < larger < MUCH_LARGER and abs(larger - round(larger)) < 1e-4 * larger


def factor(ratio: float) -> str:
    """ "1/4 of" or "3 times"."""
    return (
        f"1/{round(1 / ratio)} of"
        if 0 < abs(ratio) < 0.7 and abs(1 / ratio - round(1 / ratio)) < 1e-3
        else f"{ratio:.6g} times"
    )


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def times(used: Sequence[Used]) -> Times:
    """How often each element went in."""
    return {
        Element(one.first.buffer, index): one.times
        for one in used
        for index in range(one.first.index, one.first.index + one.count)
    }


def threads(places: Sequence[ThreadPlace]) -> str:
    """Threads in words, or their blocks, where they are in several."""
    blocks = sorted({one.block for one in places})
    return (
        f"threads of {_run('block', blocks)}"
        if len(blocks) > 1
        else f"{_run('thread', sorted({one.thread for one in places}))} of block {blocks[0]}"
    )


def _run(noun: str, numbers: list[int]) -> str:
    first, last = numbers[0], numbers[-1]
    together = f"{noun}s {first} to {last}" if first < last else f"{noun} {first}"
    return together if last - first < len(numbers) else f"{len(numbers)} {noun}s"


def only(made: Made) -> Element | None:
    """The one element that something was made of; None where there are more, or none."""
    (first, *others) = times(made.used) or (None,)
    return first if made.whole and not made.cut and not others else None


def copied(mine: Made, ours: Made) -> tuple[Element, Element] | None:
    """The elements that one is a copy of and should be, if both are of one buffer."""
    one, other = only(mine), only(ours)
    return (one, other) if one and other and one.buffer == other.buffer else None


@dataclass(frozen=True)
class Pair:
    """A wrong element in both runs: `mine` is the learner's, `ours` the solution's; `others` are
    some more wrong ones where it is another input's copy. `path` is what one of the learner's
    threads did in the launch that wrote it."""

    wrong: Wrong
    mine: Made
    ours: Made
    others: tuple[tuple[Made, Made], ...] = ()
    path: Callable[[ThreadPlace], ThreadPath] = lambda _: ThreadPath()


class About:
    """One wrong element in both runs."""

    def __init__(self, pair: Pair, words: Words):
        self.pair, self.words = pair, words
        self.mine, self.ours = pair.mine, pair.ours
        self._declared, self._usual = map(Declarations, (words.source, words.solution))
        steps = pair.mine.behind, pair.ours.behind
        self._ways = TwoTrails(*steps, words.element, cache(self._declared.product_line))
        self._mine, self._ours = times(pair.mine.used), times(pair.ours.used)
        self._joined: Parting | None = None  # the step that has been told
        self._here = words.element(pair.wrong.element)
        self._found, self._wanted = (
            float(one.flat[0]) for one in (pair.wrong.found, pair.wrong.expected)
        )
        # A NaN that was computed from other numbers.
        self._arose = self.mine.nan is not None and math.isnan(self._found)
        self._all_told = all(one.whole and not one.cut for one in (pair.mine, pair.ours))
        self._same = self._all_told and bool(self._mine) and self._mine.keys() == self._ours.keys()

    @cached_property
    def _loads(self) -> dict[Element, list[Used]]:
        """By element what is known of the instructions that load it."""
        return grouped((one.first, one) for one in self.mine.loads)

    def _name(self, element: Element) -> str:
        """An element as the learner writes it, with its launch where that is another one."""
        return self.words.element(element) + self._other_launch(element.buffer)

    def _array(self, buffer: str) -> str:
        """An array's name above its cells, as in "launch 1: y"."""
        launch = self._other_launch(buffer).removeprefix(" of ")
        return f"{launch}: {self.words.name(buffer)}" if launch else self.words.name(buffer)

    def _other_launch(self, buffer: str) -> str:
        """ " of launch 1" where the wrong element is in another launch's array."""
        number = self.words.launch(buffer)
        here = self.words.launch(self.pair.wrong.element.buffer)
        return f" of launch {number}" if number and here and number != here else ""

    def _listed(self, elements: Iterable[Element], joined: str = "and") -> str:
        """Elements by name, runs and blocks of them as such; of many the first few. The launch of
        neighbours in the list is said once."""
        arrays = grouped((one.buffer, one) for one in sorted({*elements}, key=_in_order))
        blocks = {buffer: self.words.block(some) for buffer, some in arrays.items()}
        listed = [
            list(dict.fromkeys((run[0], run[-1])))
            for buffer, some in arrays.items()
            for run in ([some] if blocks[buffer] else runs(dict.fromkeys(some)))
        ]
        named = [
            blocks[ends[0].buffer] or self.words.run(ends[0], ends[-1]) for ends in listed[:NAMED]
        ]
        if (rest := len(listed) - NAMED) > 0:
            alone = all(len(ends) == 1 for ends in listed[NAMED:])
            named.append(f"{rest} more" if alone else "others")
            joined = "and"
        launches = [self._other_launch(ends[0].buffer) for ends in listed[: len(named)]]
        *before, last = (
            name + (launch if launch != after else "")
            for name, launch, after in zip(named, launches, [*launches[1:], ""], strict=True)
        )
        return ", ".join(before) + (f" {joined} " if before else "") + last

    def _loaded(self, elements: Collection[Element], are_named: bool = True) -> str:
        """Who loads some elements, in a sentence, or that nobody uses them; `are_named`: by the
        sentence before it."""
        never = [one for one in elements if one not in self._loads]
        if not self._loads or not elements:
            return ""
        are_named = are_named and len(never) in (0, len(elements))
        them = "it" if len(elements) == 1 else "them"
        them = them if are_named else self._listed(never or elements)
        if never:  # a compiler leaves out a load whose value nobody uses
            return f"No thread uses {them}."
        who = threads([self._loads[one][0].loaded for one in elements])
        verb, end = ("load" if "s " in who else "loads"), self._last_use(elements)
        most = "most of " * any(self._last_use([one]) != end for one in elements)
        last = (
            f" The results are in {self._listed(kept)}, but no thread uses them."
            if (kept := self._kept(elements))
            else f" Line {end} is the last line that uses {most}{them}." * bool(end)
        )
        return f"{capital(who)} {verb} {them}.{last}"

    def _kept(self, elements: Collection[Element]) -> list[Element]:
        """Where the results of most of the elements were left, if that is an array that the kernel
        reads, so that it hands them over."""
        own = self.pair.wrong.element.buffer
        left = (
            [used.kept for used in self._loads[one] if used.kept and used.kept.buffer != own]
            for one in elements
            if one in self._loads
        )
        kept = [some[-1] if some else None for some in left]
        places = sorted({one for one in kept if one}, key=lambda one: one.index)
        names = {one.buffer for one in places}
        if len(names) != 1 or 2 * sum(map(bool, kept)) <= len(elements):
            return []
        return places if self._reader(*names) else []

    def _reader(self, buffer: str) -> int | None:
        """The first line that reads an array other than that of the wrong element, or passes it to
        a function."""
        if buffer == self.pair.wrong.element.buffer:
            return None
        name, lines = self.words.name(buffer), range(1, 1 + len(self._declared.lines))
        written = self._declared.writers(name)
        read = (at for at in lines if at not in written and self._declared.index(at, name))
        return next(read, None) or self._declared.reads_in_function(name)

    def _last_use(self, elements: Collection[Element]) -> int | None:
        """The line that was the last to use most of the elements, if no output came of that."""
        uses = [self._loads[one][-1].last if one in self._loads else None for one in elements]
        (line, count), *_ = Counter(use.line if use else None for use in uses).most_common()
        return line if 2 * count > len(uses) else None

    def _only_load(self, elements: Collection[Element]) -> int | None:
        """The line that loads from the arrays of these elements, if it is one: a compiler may give
        a load in front of a loop another line, which does not name the array."""
        arrays = {one.buffer for one in elements}
        loads = [one for one in self.mine.loads if one.first.buffer in arrays]
        lines = {one.loaded.line for one in loads}
        if len(lines) != 1:
            return None
        (line,), name = lines, self.words.name(loads[0].first.buffer)
        read = [
            at for at in range(1, 1 + len(self._declared.lines)) if self._declared.index(at, name)
        ]
        return read[0] if len(read) == 1 and not self._declared.mentions(line, name) else line

    def _its_loop(self, line: int | None, is_last: bool = False) -> tuple[Message, int | None]:
        """What is to be asked of the loop that a line is in, or else of the only one that counts,
        that has another head than those of the solution; and its line, or else the one given.
        `is_last`: the line is the last that uses something, so that a loop before it is not the
        reason."""
        heads, usual = self._declared.loops, self._usual.loops.values()
        _, at = self._declared.loop(line or 0)
        known = {*map(_unnamed, usual)}
        new = [
            one
            for one, head in heads.items()
            if _unnamed(head) not in known and (one == at or head.startswith("for"))
            if not line
            or not self._declared.in_kernel(line)
            or one <= max(line, self._declared.end(line) if at else 0)
        ]
        if at not in new and (len(new) != 1 or (is_last and new[0] < (line or 0))):
            return Message(), line
        at, there = (at, f"Line {line} is in") if at in new else (new[0], "Look at")
        return Message(
            f"{there} the loop on line {at}: `{heads[at]}`.",
            remedy=f"Write down the rounds of the loop on line {at}: where does it begin, how far "
            "does it step, and when does it end?",
        ), at

    def _guarded(self, place: ThreadPlace, is_doubted: bool = True) -> str:
        """What to ask of a thread where an `if` or a `?:` stands on the line itself; if
        `is_doubted`, first about the only name in its condition that the solution has not alike."""
        line = place.line or 0
        guard, at = self._declared.guard(line)
        guard = guard if at == line else self._declared.choice(line)
        names = self._declared.doubtful(guard, line, self._usual) if is_doubted else []
        return after_doubts(names, f"Should `{guard}` hold for {place.who}?") if guard else ""

    def _doubting(self, words: str, line: int | None, asked: str) -> str:
        """A question about a line, if that is known, after one about what alone in an expression on
        it is not as in the solution; only where few lines are not."""
        return (
            asked
            if len(self._declared.unusual(self._usual).keys() - {line}) > FEW_LINES
            else after_doubts(self._declared.doubtful(words, line or 0, self._usual), asked)
        )

    def _parts(self, mine: Times, ours: Times) -> tuple[Part, ...]:
        """Runs of neighbouring elements that went in as often, and should have; none where they are
        too many."""
        often = {one: (mine.get(one, 0), ours.get(one, 0)) for one in {*mine, *ours}}
        index = self.words.index
        parts = tuple(
            Part(self._array(first.buffer), index(first), first.index, 1 + len(rest), *often[first])
            for first, *rest in runs(often)
        )
        return parts if len(parts) <= MOST else ()


def _unnamed(head: str) -> str:
    """The head of a loop, whatever its counter is called, and however it is halved or doubled: up
    or down, the powers of two below a number are the same ones."""
    for written, usual in (("<<= 1", "*= 2"), (">>= 1", "/= 2"), (">= 1;", "> 0;")):
        head = head.replace(written, usual)
    counter = re.match(r"for \((?:\w+ )+(\w+) =", head)
    head = re.sub(rf"\b{counter[1]}\b", "_", head) if counter else head
    head = head.replace(" ", "").replace("_+=_", "_*=2")
    return re.sub(r"_=(\d+);_>0;_/=2", lambda n: f"_=1;_<{2 * int(n[1])};_*=2", head)


CLOSE = (15, 22, 40)  # bits in which values that are the same agree, tried in this order: 40 only
DIGITS = (6, 7, 12)  # of doubles; digits in which they are told then
FEWER = 10  # times less wrong without rounding: then rounding is the cause
MUCH = 8  # times smaller than what it was made of: a difference in which much cancels


@dataclass(frozen=True)
class Parting:
    """Where the ways part, and what is done there, in words: `mine` (with `place`) and `ours`,
    or what ours does first, empty where the solution has no step that is to be compared. `bad`:
    the value that is wrong in it, in words, with the line that it was made on, None for an
    element, and the line of the outermost call that leads there; `number`: it, if it stands in
    the code; `lost`: elements that do not come into it, and `more` that should not; `right`:
    all of its values are the right ones; `sides`: those that are, and the others; `another`:
    the wrong value belongs elsewhere, and the right one is there, too. `lacks`: values that the
    solution uses there, and that are elsewhere in the learner's. `calls`: the lines of the calls
    that lead there. `is_new`: none of its values was made on its own line."""

    place: ThreadPlace
    mine: str
    ours: str = ""
    bad: tuple[str, int | None, int | None] | None = None
    number: float | None = None
    lost: tuple[Element, ...] = ()
    more: tuple[Element, ...] = ()
    right: bool = False
    sides: tuple[str, ...] = ("", "")
    another: bool = False
    lacks: str = ""
    calls: tuple[int, ...] = ()
    is_new: bool = False

    @property
    def told(self) -> Message:
        """The learner's step with its place, and ours: "On line 3, thread 1 of block 0 adds"."""
        who = f"{self.place.who} {self.mine}."
        who = f"On{self.place.on[3:]}, {who}" if self.place.on else f"T{who[1:]}"
        chain = called(self.calls).strip(" ()")
        return Message(
            who,
            f"This code is {chain}." if chain else "",
            ours=f"Our kernel {self.ours}." if self.ours else "",
        )


class TwoTrails:
    """The learner's way to an element and the solution's; `named`: what an element is called;
    `product_line`: where the learner wrote the product that a line adds."""

    def __init__(
        self,
        mine: SliceSteps,
        ours: SliceSteps,
        named: Callable[[Element], str],
        product_line: Callable[[int | None], int | None] = lambda line: line,
    ):
        self._cones, self._named, self._product_line = (mine, ours), named, product_line

    @cached_property
    def both(self) -> list[Trail]:
        """Both, values told apart as `CLOSE` has it, so that the two elements are."""
        has_doubles = any(op.opcode.endswith("f64") for one in self._cones for op in one.ops)
        for bits, digits in islice(zip(CLOSE, DIGITS, strict=True), 2 + has_doubles):
            mine, ours = self._cones
            trails = [
                Trail(mine, self._named, digits, self._product_line),
                Trail(ours, self._named, digits),
            ]
            for trail, keys in zip(trails, _keys(trails, bits), strict=True):
                trail.have_keys(keys)
            if not all(map(len, trails)) or trails[0].key(-1) != trails[1].key(-1):
                break
        return trails

    @property
    def last_line(self) -> int | None:
        """The line of the learner's last step."""
        mine = self.both[0]
        return mine.line(len(mine) - 1) if len(mine) else None

    @property
    def line_before(self) -> int | None:
        """The line of the learner's last step that is not on the line of the very last."""
        mine = self.both[0]
        lines = (mine.line(at) for at in reversed(range(len(mine))))
        return next((one for one in lines if one not in (None, self.last_line)), self.last_line)

    @property
    def first_nan(self) -> str:
        """What the learner's first step does that gives NaN; "" where that has no words."""
        mine = self.both[0]
        for at in np.flatnonzero(np.isnan(mine.value) & (mine.op >= 0))[:1].tolist():
            return "" if mine.words(at).startswith("computes") else mine.words(at)
        return ""

    @cached_property
    def _descent(self) -> Descent:
        return Descent(*self.both)

    @cached_property
    def found(self) -> DescentEnd | None:
        """Where the way back from the element ends; see `descent`."""
        return self._descent.found()

    @property
    def met(self) -> list[tuple[float, float]]:
        """The values that were passed on the way back, and what the solution has there; NaN for
        those that never came in."""
        lost, (mine, ours) = self.found.lost if self.found else (), self.both
        passed = [(float(mine.value[a]), float(ours.value[b])) for a, b in self._descent.met]
        return passed + [(math.nan, float(ours.value[one])) for one in lost]

    @property
    def verbs(self) -> tuple[str, str]:
        """What the last step does, and the one where the ways part, or that makes its wrong value;
        "" where none does."""
        mine, end, found = self.both[0], len(self.both[0]) - 1, self.found
        last = mine.verb(end) if end >= 0 and mine.sources(end) else ""
        parts = (found.bad, found.at) if found else ()
        made = (mine.verb(at) for at in parts if at is not None and mine.sources(at))
        return last, next(made, "")

    @cached_property
    def descended(self) -> Parting | None:
        """What is wrong there: a value of a step, or the step."""
        found, (mine, ours) = self.found, self.both
        if found is None or (found.bad is None and found.lost):
            return None
        at, bad, told, before = found.at, found.bad, _step(mine, found.at), None
        other = _partner(mine, ours, at) if found.partner is None else found.partner
        # The first term is subtracted from 0.
        given, is_turned = mine.sources(at)[mine.verb(at) == "sub" :], False
        strange = list(filter(mine.stands, given if np.isfinite(mine.value[at]) else ()))
        if other is not None:
            strange, missing = _apart(mine, ours, at, other), _apart(ours, mine, other, at)
            before = _left_out(mine, ours, other) if bad is None and not found.first else None
            is_first = found.first or before is not None
            words = ours.words(other if before is None else before)
            words, right = f"{'first ' * is_first}{words}", not (strange or missing or is_first)
            fixed = [one for one in mine.sources(at) if mine.constant[one]]
            # The solution's step, what leads to it, and what uses its result.
            around = set().union(*map(ours.operands, (*missing, *ours.users(ours.key(other)))))
            new = (one for one in strange if not found.first and mine.key(one) not in around)
            unknown = {*fixed, *new}
            # What the solution does first, it does with the others.
            others = [one for one in mine.sources(at) if found.first and one not in strange]
            fine = [one for one in mine.sources(at) if one not in {*unknown, *others}]
            known, doubted, elsewhere = (_few(mine, some) for some in (fine, unknown, others))
            wanted = set().union(
                *({ours.key(one)} & mine.keys or ours.operands(one) for one in missing)
            )
            held = [mine.made(key) for key in wanted & mine.keys - mine.operands(at)]
            on_lines = "".join(f" (line {on})" for one in held if (on := mine.line(one)))
            lacks = f"{mine.said(held[0])}{on_lines}" if strange and len(held) == 1 else ""
            lacks = "" if NO_ELEMENT in lacks else lacks
            told = replace(
                told,
                ours=words,
                right=right,
                sides=(
                    f"{known} {'are' if ' and ' in known else 'is'} right here." if known else "",
                    f"{doubted} or the operation is wrong, or a step is missing."
                    if doubted and not lacks
                    else ""
                    if doubted or (lacks and not elsewhere)
                    else f"A step with {elsewhere} is missing before this one."
                    if elsewhere
                    else "The operation is wrong, or a step is missing."
                    if fixed or strange
                    else "This step, or one before it, is wrong.",
                ),
                lacks=lacks,
            )
            # A compiler adds what a line subtracts.
            is_own = len(fixed) == 1 and bool(known) and not is_first and mine.stands(fixed[0])
            is_turned = mine.verb(at) == "add" and (
                (bool(fixed) and ours.verb(other) == "sub")
                or (is_own and mine.value[fixed[0]] < 0 and ours.verb(other) != "add")
            )
            # A step with a number of the code, where the solution does something else.
            if bad is None and is_own and is_turned and ours.verb(other) != "sub":
                bad = fixed[0]
            if is_turned:
                told = replace(told, mine=f"subtracts {-mine.value[fixed[0]]:g} from {known}")
            is_one = len(strange) == len(missing) == 1 and (
                is_turned or mine.verb(at) == ours.verb(other)
            )
            strange = strange if is_one and not is_first else []
            both_known = all(ours.key(one) in mine.keys for one in missing) and all(
                mine.key(one) in ours.keys for one in strange
            )
            told = replace(told, another=is_one and both_known)
        elif bad is None and _is_extra(mine, ours, at):
            told = replace(told, ours=f"has no step that {told.mine}")
        for wrong in [bad] if bad is not None else strange[:1]:
            lost = tuple(one for step in found.lost if (one := ours.element(step)))
            more = tuple(one for step in found.more if (one := mine.element(step)))
            made = mine.line(wrong) if mine.stands(wrong) or not mine.constant[wrong] else None
            number = float(mine.value[wrong]) if mine.stands(wrong) else None
            told = replace(
                told,
                bad=(mine.said(wrong), made, (*mine.ops[mine.op[wrong]].calls, None)[-2:][0]),
                number=-number if number and is_turned else number,
                lost=lost,
                more=more,
                sides=(_few(mine, [one for one in mine.sources(at) if one != wrong]), ""),
            )
        # Right values may be added in any order, and their sums be right elsewhere.
        return (
            None
            if (told.another and bad is None and mine.verb(at) in ANY_ORDER)
            or re.match(r"computes \S+ from .*,", told.mine)  # what a compiler makes of an index
            or told.ours == told.mine
            else told
        )

    def parting_of_indices(self) -> Parting | None:
        """Where the ways part of whole numbers, small ones, which say little alone: a step is known
        if the solution comes to its value from the same ones in the same way."""
        mine, ours = self.both
        taken = {ours.taken(at) for at in range(len(ours))}
        known = [mine.taken(at) in taken for at in range(len(mine))]
        for at in range(len(mine)):
            partner = (
                _partner(mine, ours, at) if all(known[one] for one in mine.sources(at)) else None
            )
            if (
                not known[at]
                and partner is not None
                and (
                    mine.verb(at) == ours.verb(partner)
                    or mine.operands(at) == ours.operands(partner)
                )
                and mine.value[at] != ours.value[partner]
            ):
                computed = [one for one in mine.sources(at) if mine.element(one) is None]
                alike = mine.verb(at) == ours.verb(partner) and len(computed) == 1
                bad = (mine.said(computed[0]), None, None) if alike else None
                return replace(_step(mine, at), ours=ours.words(partner), bad=bad)
        return None

    def joined(self, foreign: Container[Element], right: Collection[Element]) -> Parting | None:
        """The step in which elements that do not belong there join right ones; the last one that
        adds to all right ones and no other, else the first; the last step if there is none."""
        mine, held = self.both[0], list[int]()  # a bit for each right element, and one for others
        bits = {one: 2 << number for number, one in enumerate(right)}
        joins, late = [], []
        for at in range(len(mine)):
            one, inside = mine.element(at), [held[source] for source in mine.sources(at)]
            own = 0 if one is None else bits.get(one, int(one in foreign))
            held.append(reduce(or_, inside, own))
            if inside and held[at] & 1 and held[at] > 1:
                joins += [at] if not any(one & 1 and one > 1 for one in inside) else []
                late += [at] if sum(bits.values()) in inside and mine.verb(at) in ANY_ORDER else []
        if joins:
            return _step(mine, (late or joins[:1])[-1])
        return _step(mine, len(mine) - 1) if len(mine) and mine.sources(len(mine) - 1) else None

    def doubled(self, elements: Collection[Element]) -> Parting | None:
        """The first step two of whose values already use the same one of some elements, not only
        in a search for a maximum or minimum."""
        mine, held = self.both[0], list[int]()
        bits = {one: 1 << number for number, one in enumerate(elements)}
        for at in range(len(mine)):
            searches = mine.verb(at) in ("max", "min")
            inside = [] if searches else [held[source] for source in mine.sources(at)]
            own = mine.element(at)
            held.append(reduce(or_, inside, bits.get(own, 0) if own else 0))
            if mine.verb(at) in ANY_ORDER and sum(inside) != held[at]:
                lines = {mine.line(one) for one in mine.sources(at)}
                is_new = mine.line(at) not in lines
                return replace(_step(mine, at), sides=self._brought(at), is_new=is_new)
        return None

    def _brought(self, at: int) -> tuple[str, str]:
        """The one other thread that brings a value to a step, which it made on a line before, and
        what to ask of it; "" where that is not known."""
        mine, place = self.both[0], self.both[0].place
        others = [one for one in mine.sources(at) if place(one).who != place(at).who]
        ways = [(*mine.ops[mine.op[one]].calls[::-1], mine.line(one)) for one in (*others, at)]
        made, used = next(
            (both for both in zip(*ways[:2], strict=False) if both[0] != both[-1]), (None, None)
        )
        first, warps = (
            place((*others, at)[0]),
            {(p.block, p.thread // 32) for p in map(place, (*others, at))},
        )
        return (
            (
                f"{capital(first.who)} brings a value from line {made}.",
                f"Which value should {first.who} bring to line {used}?",
            )
            if len(others) == len(warps) == 1 and made and used
            else ("", "")
        )

    def mixed(self) -> Told:
        """The step that puts exponentials of different maxima together, where the solution has
        such exponentials and maxima, too, and no such step; nothing if a sum of others lacks
        elements, or where a step is known that is wrong, or uses a wrong element."""
        (mine, ours), known = self.both, self.descended
        has_both = ours.does("exp", "exp2", "ex2").any() and ours.does("max").any()
        found = mixed_up(mine) if has_both else None
        is_known = known is not None and (known.right or (known.bad or ("", 0))[1] is None)
        if not found or is_known or np.isnan(mine.value[-1]) or mixed_up(ours):
            return
        at, made, ((_, end), (start, new)) = found
        (one, other), is_sum = map(mine.said, made), mine.verb(at) == "add"
        again = "already " * (not is_sum and end == new)
        why = f"{one} was {again}computed with the maximum {self._maximum(end)}. " + (
            f"{other} was computed with the maximum {self._maximum(new)}."
            if is_sum
            else f"{other} is a factor for values with the maximum {self._maximum(start)}."
        )
        if not (is_sum and self.found and self.found.lost):
            asked = (
                "How often should this step happen?"
                if again
                else "How can both values have the same maximum before this step?"
            )
            if (apart := from_itself(mine, made[1])) is not None and not is_sum:
                words, on = mine.words(apart), mine.place(apart).on
                why += f" It is 1, because {mine.place(apart).who} {words}{on}."
                asked = f"Should these two values be the same{on}?"
            yield _step(mine, at).told + Message(why=why, remedy=asked), mine.line(at)

    def _maximum(self, value: float | None) -> str:
        """A maximum in words, with the last line that makes it."""
        mine, value = self.both[0], value or 0.0
        made = np.flatnonzero(mine.does("max") & np.isclose(mine.value, value, 1e-5, 0))
        line = mine.line(int(made[-1])) if len(made) else None
        return f"{value:.6g}" + f" (line {line})" * bool(line)

    @property
    def beyond(self) -> list[Parting]:
        """The step that makes what a float cannot hold of right values, where the solution has
        none, and the one that makes infinity of that; if the element is finite only one that the
        solution does not have."""
        mine, ours = self.both
        found = () if beyond(ours) else beyond(mine)
        if not found:
            return []
        known = [self._descent.known(one) for one in (found[0], *mine.sources(found[0]))]
        is_harmless = known[0] and np.isfinite(mine.value[-1])
        return (
            []
            if is_harmless or (self.descended and not all(known[1:]))
            else [_step(mine, at) for at in dict.fromkeys(found)]
        )

    def goes_on(self, from_parts: bool) -> str:
        """What the solution does next with the value that `mine` ends with; "" if it never has
        it. With `from_parts` sums, maxima and the like are passed over: more of them may follow
        anywhere."""
        mine, ours = self.both
        if not (mine and ours and mine.value[-1]):
            return ""
        new = sorted(
            (user for user in ours.users(mine.key(-1)) if ours.key(user) not in mine.keys),
            key=lambda user: ours.verb(user) in ANY_ORDER,
        )
        return (
            "" if not new or (from_parts and ours.verb(new[0]) in ANY_ORDER) else ours.words(new[0])
        )

    def cancelled(self, wanted: float) -> tuple[ThreadPlace, str, float] | None:
        """Where numbers cancel so that rounding explains a wrong element that should be `wanted`:
        the sum or difference that loses most digits, in words, and the element that the same steps
        give in float64, which is right."""
        mine, _ = self.both
        exact = mine.in_float64()
        if not len(mine) or abs(exact[-1] - wanted) > abs(mine.value[-1] - wanted) / FEWER:
            return None
        largest = np.zeros(len(mine))
        np.maximum.at(largest, mine.owner, np.abs(mine.value[mine.source]))
        cancels = mine.does("add", "sub") & (np.abs(mine.value) < largest / MUCH)
        with np.errstate(all="ignore"):
            lost = np.nan_to_num(np.abs(exact / mine.value - 1))
        at = int(np.where(cancels, lost, -1).argmax())
        return (mine.place(at), mine.words(at), float(exact[-1])) if cancels[at] else None


_OF_THE_COMPILER = re.compile(
    r"computes |(multiplies \S+|to the left) by \d\d?;"
)  # bytes from elements


def index_step(mine: Made, ours: Made, named: Callable[[Element], str]) -> Message:
    """Where the index of an element that was handed on goes another way than the solution's."""
    one, other = copied(mine, ours) or (None, None)
    found = TwoTrails(mine.index, ours.index, named).parting_of_indices() if one != other else None
    if (
        not (found and found.ours)
        or _OF_THE_COMPILER.search(f"{found.mine};{found.ours};")
        or (found.mine == found.ours and min(found.place.values) >= 0)  # told alike by chance
    ):
        return Message()
    why, remedy = "This step makes the index wrong.", "What should this step compute?"
    if found.bad:  # what it does is right
        why = f"This step should use another value than {found.bad[0]}."
        remedy = f"Which value should line {found.place.line} use instead of {found.bad[0]}?"
    if found.mine == found.ours:  # of the same numbers: one of them should have no sign
        why, remedy = (
            "The right number is above 2,147,483,647, too large for an int.",
            "Which type can hold this number?",
        )
    return replace(found.told, first="", why=f"{found.told.first} {why}", remedy=remedy)


def _keys(trails: list[Trail], bits: int) -> list[Numbers]:
    """By step a number that is the same for values that are the same on both ways, 0 for 0."""
    rounded = []
    for trail in trails:
        mantissa, exponent = np.frexp(trail.value)
        rounded.append(np.ldexp(np.round(np.ldexp(mantissa, bits)), exponent - bits))
    known, keys = np.unique(np.concatenate([[0.0], *rounded]), return_inverse=True)
    keys = np.where(keys == keys[0], 0, keys + 1)[1:]
    names = sorted({name for one in trails for name in one.behind.buffers})
    parts = np.split(keys, [len(trails[0])])
    for part, trail in zip(parts, trails, strict=True):
        number = np.array([names.index(one) for one in trail.behind.buffers], np.int64)
        some = trail.buffer >= 0
        part[some] = len(known) + 2 + (trail.index[some] * len(names) + number[trail.buffer[some]])
    return parts


def _step(mine: Trail, at: int) -> Parting:
    """A step of the learner's alone."""
    given = [mine.value[one] for one in mine.sources(at) if not mine.constant[one]]
    return Parting(
        mine.place(at).with_values(mine.value[at], *given),
        mine.words(at),
        calls=mine.ops[mine.op[at]].calls,
    )


def _few(trail: Trail, steps: Collection[int]) -> str:
    """The values of a few steps in words; "" of more."""
    return " and ".join(map(trail.said, steps)) if len(steps) <= FEW else ""


def _apart(one: Trail, other: Trail, at: int, step: int) -> list[int]:
    """The values that a step uses, and that one of the other way does not, or not as often."""
    used = Counter(other.shown(source) for source in other.sources(step))
    mine = [(one.shown(source), source) for source in one.sources(at)]
    return [
        source
        for number, (shown, source) in enumerate(mine, 1)
        if sum(each == shown for each, _ in mine[:number]) > used[shown]
    ]


def _partner(mine: Trail, ours: Trail, at: int) -> int | None:
    """The step of the solution that uses most of the same values, and that `mine` never takes; or
    that does the same with another value in the place of one of them."""
    verb, keys = mine.verb(at), mine.operands(at)
    users = [user for key in keys - {0} or keys for user in ours.users(key)]
    new = [user for user in users if ours.key(user) not in mine.keys]
    other = [user for user in users if users.count(user) == len(keys) and ours.verb(user) != verb]
    new = new or [user for user in other if len(keys) > 1 or (mine.calls(at) and ours.calls(user))]
    given = sum(not mine.constant[one] for one in mine.sources(at))
    alike = [user for user in users if ours.verb(user) == verb and verb not in ANY_ORDER]
    return max(
        new or [user for user in alike if users.count(user) == given - 1],
        key=lambda user: (users.count(user), ours.verb(user) == verb, -user),
        default=None,
    )


def _is_extra(mine: Trail, ours: Trail, at: int) -> bool:
    """Whether the solution never does the same with one of these values, whatever comes of it; of
    what has a word."""
    verb, has_word = mine.verb(at), mine.calls(at) or not mine.words(at).startswith("computes")
    same = (ours.verb(one) == verb for key in mine.operands(at) for one in ours.users(key))
    return has_word and verb not in ANY_ORDER and not any(same)


def _left_out(mine: Trail, ours: Trail, partner: int) -> int | None:
    """What the solution makes of one of the values before `partner`, and `mine` never does."""
    for at in ours.sources(partner):
        if (
            ours.operands(at) & mine.keys
            and ours.key(at) not in mine.keys
            and ours.verb(at) not in ANY_ORDER
        ):
            return at
    return None
