"""One wrong element in both runs: `About`. It has the facts that all rules share, and their words:
names of elements, who loads them, loops and conditions on their way.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product

import numpy as np
from msgspec.structs import replace

from ...compilers.declared import ASSIGNED, Declarations
from ...course import Launch
from ...course.rules import dimensions
from ...cuda.errors import Message
from ...grouped import grouped
from ..compare import Words, Wrong
from ..protocol import Choice, Element, Made, ThreadPath, ThreadPlace, Used
from .conditions import after_doubts, after_value, compared_on, is_tied, last_conditions, numbers_of
from .parting import Parting
from .two_trails import TwoTrails
from .used import capital, in_order, near, runs, threads, times

FEW_LINES = 6
NAMED = 3  # elements, or runs of them, that a sentence lists
FEW_PLACES = 3  # elements, at the beginning and at the end of all wrong ones


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
        self.declared, self.usual = map(Declarations, (words.source, words.solution))
        self.mine, self.ours = self._at_source(pair.mine), pair.ours
        self.ways = TwoTrails(
            pair.mine.behind, pair.ours.behind, words.element, cache(self.declared.written)
        )
        self.elements, self.right_elements = times(pair.mine.used), times(pair.ours.used)
        self.joined: Parting | None = None  # the step that has been told
        self.here = words.element(pair.wrong.element)
        self.found, self.wanted = (
            float(one.flat[0]) for one in (pair.wrong.found, pair.wrong.expected)
        )
        # A NaN that was computed from other numbers.
        self.nan_arose = self.mine.nan is not None and math.isnan(self.found)
        self.is_complete = all(one.whole and not one.cut for one in (pair.mine, pair.ours))
        self.same_elements = (
            self.is_complete
            and bool(self.elements)
            and self.elements.keys() == self.right_elements.keys()
        )

    def _at_source(self, made: Made) -> Made:
        """The same with the lines on which loads are written."""

        read_line = cache(self.declared.read_line)

        def read(one: Used) -> Used:
            line = read_line(one.loaded.line, self.words.name(one.first.buffer))
            return replace(one, loaded=replace(one.loaded, line=line))

        return replace(made, used=tuple(map(read, made.used)), loads=tuple(map(read, made.loads)))

    @cached_property
    def loads(self) -> dict[Element, list[Used]]:
        """By element what is known of the instructions that load it."""
        return grouped((one.first, one) for one in self.mine.loads)

    def name(self, element: Element) -> str:
        """An element as the learner writes it, with its launch where that is another one."""
        return self.words.element(element) + self.other_launch(element.buffer)

    def array(self, buffer: str) -> str:
        """An array's name above its cells, as in "launch 1: y"."""
        launch = self.other_launch(buffer).removeprefix(" of ")
        return f"{launch}: {self.words.name(buffer)}" if launch else self.words.name(buffer)

    def other_launch(self, buffer: str) -> str:
        """ " of launch 1" where the wrong element is in another launch's array."""
        number = self.words.launch(buffer)
        here = self.words.launch(self.pair.wrong.element.buffer)
        return f" of launch {number}" if number and here and number != here else ""

    def listed(self, elements: Iterable[Element], joined: str = "and") -> str:
        """Elements by name, runs and blocks of them as such; of many the first few. The launch of
        neighbours in the list is said once."""
        arrays = grouped((one.buffer, one) for one in sorted({*elements}, key=in_order))
        blocks = {buffer: self.words.block(some) for buffer, some in arrays.items()}
        listed = [
            list(dict.fromkeys((run[0], run[-1])))
            for buffer, some in arrays.items()
            for run in ([some] if blocks[buffer] else runs(dict.fromkeys(some)))
        ]
        if sum(map(len, arrays.values())) == 2:  # "x[0] and x[1]", not "x[0] to x[1]"
            listed = [[one] for ends in listed for one in ends]
        named = [
            blocks[ends[0].buffer] or self.words.run(ends[0], ends[-1]) for ends in listed[:NAMED]
        ]
        if (rest := len(listed) - NAMED) > 0:
            named.append(
                f"{rest} more" if all(len(one) == 1 for one in listed[NAMED:]) else "others"
            )
            joined = "and"
        launches = [self.other_launch(ends[0].buffer) for ends in listed[: len(named)]]
        *before, last = (
            name + (launch if launch != after else "")
            for name, launch, after in zip(named, launches, [*launches[1:], ""], strict=True)
        )
        return ", ".join(before) + (f" {joined} " if before else "") + last

    def who_loads(self, elements: Collection[Element], are_named: bool = True) -> str:
        """Who loads some elements, in a sentence, or that nobody uses them; `are_named`: by the
        sentence before it."""
        never = [one for one in elements if one not in self.loads]
        if not self.loads or not elements:
            return ""
        it = "it" if len(elements) == 1 else "them"
        is_known = are_named and len(never) in (0, len(elements))
        them = it if is_known else self.listed(never or elements)
        if never:  # a compiler leaves out a load whose value nobody uses
            return f"No thread uses {them}."
        who = threads([self.loads[one][0].loaded for one in elements])
        verb, end = ("load" if "s " in who else "loads"), self.last_use(elements)
        most = "most of " * any(self.last_use([one]) != end for one in elements)
        last = (
            f" The results are in {self.listed(kept)}, but no thread uses them."
            if (kept := self.kept(elements))
            else f" Line {end} is the last line that uses {most}{them}." * bool(end)
        )
        loaded = self.loads[next(iter(elements))][0].loaded
        arrays = re.findall(r"\b(\w+)\[", self.declared.line(loaded.line))
        copied = arrays and all(self.declared.find(one, "shared") for one in arrays)
        return f"{capital(who)} {verb} {them}{' from shared memory' * bool(copied)}.{last}"

    def kept(self, elements: Collection[Element]) -> list[Element]:
        """Where the results of most of the elements were left, if that is an array that the kernel
        reads, so that it hands them over."""
        own = self.pair.wrong.element.buffer
        left = (
            [used.kept for used in self.loads[one] if used.kept and used.kept.buffer != own]
            for one in elements
            if one in self.loads
        )
        kept = [some[-1] if some else None for some in left]
        places = sorted({one for one in kept if one}, key=lambda one: one.index)
        names = {one.buffer for one in places}
        is_one = len(names) == 1 and 2 * sum(map(bool, kept)) > len(elements)
        return places if is_one and self.reader(*names) else []

    def reader(self, buffer: str) -> int | None:
        """The first line that reads an array other than that of the wrong element, or passes it to
        a function."""
        if buffer == self.pair.wrong.element.buffer:
            return None
        name, lines = self.words.name(buffer), range(1, 1 + len(self.declared.lines))
        written = self.declared.writers(name)
        read = (at for at in lines if at not in written and self.declared.index(at, name))
        return next(read, None) or self.declared.reads_in_function(name)

    def last_use(self, elements: Collection[Element]) -> int | None:
        """The line that was the last to use most of the elements, if no output came of that."""
        uses = [self.loads[one][-1].last if one in self.loads else None for one in elements]
        (line, count), *_ = Counter(use.line if use else None for use in uses).most_common()
        return line if 2 * count > len(uses) else None

    def only_load(self, elements: Collection[Element]) -> int | None:
        """The line that loads from the arrays of these elements, if it is one: a compiler may give
        a load in front of a loop another line, which does not name the array."""
        arrays = {one.buffer for one in elements}
        loads = [one for one in self.mine.loads if one.first.buffer in arrays]
        lines = {one.loaded.line for one in loads}
        if len(lines) != 1:
            return None
        (line,), name = lines, self.words.name(loads[0].first.buffer)
        read = [
            at for at in range(1, 1 + len(self.declared.lines)) if self.declared.index(at, name)
        ]
        return read[0] if len(read) == 1 and not self.declared.mentions(line, name) else line

    def copies(self, elements: Collection[Element]) -> list[int]:
        """The lines on which asynchronous copies name the arrays of these elements."""
        names = "|".join({self.words.name(one.buffer) for one in elements})
        text = "\n".join(self.declared.lines)
        calls = rf"(?:cp_async_bulk|memcpy_async)\w*\([^;]*?(?<![.\w])(?:{names})\b"
        ends = (call.end() for call in re.finditer(calls, text))
        return sorted({1 + text.count("\n", 0, end) for end in ends})

    @cached_property
    def unlike_loops(self) -> set[int]:
        """The lines of the loops whose head stands in the solution less often, or not at all."""
        mine, ours = (
            Counter(map(_unnamed, one.loops.values())) for one in (self.declared, self.usual)
        )
        more = mine - ours
        return {at for at, head in self.declared.loops.items() if _unnamed(head) in more}

    def its_loop(self, line: int | None, is_last: bool = False) -> tuple[Message, int | None]:
        """What is to be asked of the loop that a line is in, or else of the only one that counts,
        that has another head than those of the solution; and its line, or else the one given.
        `is_last`: the line is the last that uses something, so that a loop before it is not the
        reason."""
        heads = self.declared.loops
        _, at = self.declared.loop(line or 0)
        new = [
            one
            for one, head in heads.items()
            if one in self.unlike_loops and (one == at or head.startswith("for"))
            if not line
            or not self.declared.in_kernel(line)
            or one <= max(line, self.declared.end(line) if at else 0)
        ]
        if at not in new and (len(new) != 1 or (is_last and new[0] < (line or 0))):
            return Message(), line
        at, there = (at, f"Line {line} is in") if at in new else (new[0], "Look at")
        end, counted = self.declared.end(at), re.findall(r"\w+", heads[at])
        steps = [
            one
            for one in (range(at + 1, end + 1) if heads[at].startswith("while") else ())
            if any(re.search(ASSIGNED.format(name), self.declared.line(one)) for name in counted)
        ]
        said = "".join(
            f" Line {one} is its step: `{self.declared.line(one).strip()}`." for one in steps
        )
        parts = " ".join([heads[at], *map(self.declared.line, steps)])
        asked = (
            f"Write down the rounds of the loop on line {at}: where does it begin, in which "
            "direction and how far does it step, and when does it end?"
        )
        return Message(
            f"{there} the loop on line {at}: `{heads[at]}`.{said * (len(steps) == 1)}",
            remedy=after_doubts(self.declared.doubtful_here(parts, at, self.usual), asked),
        ), at

    def guarded(self, place: ThreadPlace, is_doubted: bool = True) -> str:
        """What to ask of a thread where an `if` or a `?:` stands on the line itself; if
        `is_doubted`, first about the only name in its condition that the solution has not alike."""
        line = place.line or 0
        guard, at = self.declared.guard(line)
        guard = guard if at == line else self.declared.choice(line)
        names = self.declared.doubtful(guard, line, self.usual) if is_doubted else []
        return after_doubts(names, f"Should `{guard}` hold for {place.who}?") if guard else ""

    def doubting(self, words: str, line: int | None, asked: str) -> str:
        """A question about a line, if that is known, after one about what alone in an expression on
        it is not as in the solution; only where few lines are not."""
        return (
            asked
            if len(self.declared.unusual(self.usual).keys() - {line}) > FEW_LINES
            else after_doubts(self.declared.doubtful(words, line or 0, self.usual), asked)
        )

    def values(self, line: int, thread: ThreadPlace, asked: str = "") -> str:
        """A sentence, after a blank, with the values that the names on a line have for a thread, or
        had in what was `asked` there; "" where they are not known."""
        known = numbers_of(thread, self.launch(self.pair.wrong.element.buffer), self.words)
        return compared_on(self.declared, line, known, asked)

    def doubted(self, asked: str, here: str, who: str) -> str:
        """What to ask of a condition: first of a value in it that an earlier line gives, and that
        the solution computes otherwise."""
        known = f"Should this condition be {str(asked.endswith('false')).lower()} for {who}?"
        doubt = after_value(here, known, asked)
        names = re.findall(r"of `(\w+)` \(line (\d+)\)\? If", doubt)
        return (
            known
            if names and not self.declared.doubtful(names[0][0], int(names[0][1]) + 1, self.usual)
            else doubt
        )

    def chooses(self, element: Element) -> str:
        """What to ask of the step that takes an element in another one's place."""
        step = self.ways.descended
        return (
            f"Should line {step.place.line} choose {self.name(element)}?"
            if step and step.place.line
            else f"Which step chooses {self.name(element)} here?"
        )

    def launch(self, buffer: str) -> Launch:
        return next(one for one in self.words.problem.launches if buffer in one.args)

    def numbers(self, buffer: str, index: str) -> str:
        """The numbers behind an index that the launch of a buffer has: ": cols = 9"."""
        launch, names = self.launch(buffer), self.declared.made_of(index)
        known = (
            *self.words.sizes(launch),
            f"gridDim.x = {dimensions(launch.grid)[0]}",
            f"blockDim.x = {dimensions(launch.block)[0]}",
            *(
                f"{self.words.name(one)} = {{{', '.join(map(str, array.ravel()))}}}"
                for one, array in self.words.problem.inputs.items()
                if one in launch.args and array.dtype.kind in "iu" and array.size <= FEW_PLACES + 1
            ),
        )
        given = [one for one in known if one.partition(" ")[0] in names]
        return f": {', '.join(given)}" * bool(given)

    def input(self, one: Element) -> float:
        """The value of an element before the kernel ran; 0.0 if it is of no input."""
        given = self.words.problem.inputs.get(one.buffer, np.empty(0))
        return float(given.flat[one.index]) if one.index < given.size else 0.0

    def passed(self, who: ThreadPlace | None) -> tuple[str, int | None]:
        """The last conditions on the way of a thread (see `last_conditions`) to a line."""
        path = self.pair.path(who) if who else ThreadPath()
        return last_conditions(path, self.words.source, (who and who.line) or 0)

    def after(self, line: int) -> str:
        """What to ask of the line that was the last to use what is missing."""
        guard, at = self.declared.guard(line)
        return (
            after_doubts(
                self.declared.doubtful(guard, line, self.usual),
                f"For which threads is the condition on line {line} true?",
            )
            if at == line
            else f"Is line {line} right? If it is, which step should use its result?"
        )

    @cached_property
    def tied(self) -> list[Element]:
        """Where a wrong element is the number of an element in its row: that one and the right one,
        if both have one value."""
        numbers = self.found, self.wanted
        if self.pair.wrong.found.dtype.kind not in "iu" or min(numbers) < 0:
            return []
        *row, _ = self.words.index(self.pair.wrong.element) or (0,)
        places = [(*row, int(at)) for at in numbers]
        return next(
            (
                [Element(name, int(np.ravel_multi_index(at, array.shape))) for at in places]
                for name, array in self.words.problem.inputs.items()
                if array.ndim == len(places[0])
                and (np.array(places) < array.shape).all()
                and array[places[0]] == array[places[1]]
            ),
            [],
        )

    def tied_on(self, elements: Sequence[Element]) -> list[int]:
        """The lines that compare two equal floats on the way of some elements."""
        paths = (
            way
            for one in elements
            for used in self.loads.get(one, ())[:1]
            for way in self.pair.path(used.loaded).branches
        )
        return sorted({one.place.line or 0 for one in (*self.mine.choices, *paths) if is_tied(one)})

    @cached_property
    def fell(self) -> tuple[Choice, Choice | None] | None:
        """The first choice that took the wrong side: the other one's value, or the value that the
        same choice takes in the solution, is what belongs there. And a choice of the solution's
        that takes that value."""
        wrong = self.ways.met or [(self.found, self.wanted)]
        usual = {"0", *(f"{value:.4g}" for value in self.ours.behind.value)}
        by_data = sorted(self.mine.choices, key=lambda choice: any(choice.fixed))
        taking = [
            [other for other in self.ours.choices if near(other.taken, wanted)]
            for _, wanted in wrong
        ]
        if self.tied and (equal := [*filter(is_tied, self.mine.choices)]):
            return equal[0], None
        for one, (at, (found, wanted)) in product(by_data, enumerate(wrong)):
            ours = taking[at]
            alike = [c for c in ours if c.holds != one.holds and c.values[0] == one.values[0]]
            took = (found != 0 or at > 0) and near(one.taken, found)
            new = math.isnan(found) or f"{one.taken:.4g}" not in usual
            if (alike and took) or (near(one.refused, wanted) and wanted != 0 and (took or new)):
                return one, next(iter(alike or ours), None)
        return None


def _unnamed(head: str) -> str:
    """The head of a loop, whatever its counter is called, and however it is halved or doubled: up
    or down, the powers of two below a number are the same ones."""
    for written, usual in (("<<= 1", "*= 2"), (">>= 1", "/= 2"), (">= 1;", "> 0;")):
        head = head.replace(written, usual)
    counter = re.match(r"for \((?:\w+ )+(\w+) =", head)
    head = re.sub(rf"\b{counter[1]}\b", "_", head) if counter else head
    head = head.replace(" ", "").replace("_+=_", "_*=2")
    return re.sub(r"_=(\d+);_>0;_/=2", lambda n: f"_=1;_<{2 * int(n[1])};_*=2", head)
