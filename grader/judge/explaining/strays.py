"""Accesses that do not belong where they go: outside of an array, to the next row, to what nobody
wrote, and several lanes in one bank.

The path of the learner's thread is the fact; the path of the solution's thread of the same number
says whether it has anything to do there.
"""

import math
import re
from collections.abc import Callable

import numpy as np

from ...compilers.declared import Declarations
from ...course import rules
from ...cuda.errors import Message
from ...say.places import BELOW, PASSES
from ...status import Status
from ..cases import of_failure, thread_of
from ..protocol import Choice, Failed, ThreadPlace
from ..session import Outcomes
from .conditions import (
    after_doubts,
    after_value,
    compared_on,
    last_conditions,
    numbers_of,
    operator_of,
)

_NO_PLACE = re.compile(r"\d|(?:block|grid)Dim\.|(?:int|const|unsigned|size_t|sizeof|min|max)$")
_LEAVES = re.compile(r"\b(?:return|continue)\b")
_GUARD = "Guard the access: "
_OF_THREADS = re.compile(r"(?:threadIdx|blockIdx)\..|asm|thread_rank")


def _deciding(declared: Declarations, here: int, array: str) -> Callable[[Choice], bool]:
    """Tells the comparisons that decide who comes to the access of an array on line `here`, and
    with which index: those by size, of threads, that share a name with the index (if that is
    known), and those of a loop only if the access is in it."""
    made = declared.made_of(declared.index(here, array) if array else "", False)

    def decides(one: Choice) -> bool:
        line = one.place.line or 0
        asks = declared.line(line)
        asked = declared.made_of(asks, False)
        shared = made & asked - declared.constants.keys()
        head, begin = declared.loop(line)  # the access may come after this loop
        return (
            not (line in declared.loops and declared.loop(here)[1] != line)
            and (
                not head or begin <= here <= declared.end(begin) or _LEAVES.search(asks) is not None
            )
            and operator_of(one) not in ("==", "!=")
            and any(map(_OF_THREADS.match, asked))
            and (not made or any(not _NO_PLACE.match(name) for name in shared))
        )

    return decides


def beyond_row(judged: Outcomes, at: int, failure: Failed) -> Message:
    """Of a fault at an element of a shared array: an index that is larger than its row, so that it
    is in the next one."""
    where, line = of_failure(judged.instances[at], failure), failure.line or 0
    thread = where and thread_of(judged.instances[at].problem, where)
    named = re.search(r"`(\w+)\[\d+\]\[", judged.results[at].parts.first)
    if not (where and thread and named):
        return Message()
    launch = judged.instances[at].problem.launches[where.launch - 1]
    known = numbers_of(thread, launch, judged.words[at])
    indices = Declarations(judged.source).indices(line, named[1], known)
    for at, (index, value, length) in enumerate(indices, 1):
        if value is not None and length and value >= length:
            has, short = (
                (f"a row of `{named[1]}` has {length} elements", "is the row too short")
                if at == len(indices)
                else (f"`{named[1]}` has {length} there", "has the array too few rows")
            )
            return Message(
                why=f"The index `{index}` is {value} for {thread.who}, but {has}."
                + " So it is an element of the next row." * (at == len(indices)),
                remedy=f"Is the index too large, or {short}?",
            )
    return Message()


def in_one_bank(judged: Outcomes, at: int) -> Message:
    """Of bank conflicts at a line: two lanes of the first warp and their elements in one bank, as
    far as the indices there follow from the threads' numbers."""
    declared, line = Declarations(judged.source), judged.results[at].line or 0
    begins = re.findall(r"\b(\w+) = (\d+)[;,]", declared.loop(line)[0])
    first_round = {name: int(value) for name, value in begins}
    launch, words = judged.instances[at].problem.launches[0], judged.words[at]
    for name, (array, *_) in declared.variables.items():
        if array.memory != "shared" or None in (sizes := array.dimensions):
            continue
        banks = dict[int, dict[int, tuple[int, list[int]]]]()
        size, elements = declared.size(array.type) or 4, [one or 1 for one in sizes]
        for lane in range(min(32, math.prod(rules.dimensions(launch.block)))):
            known = numbers_of(ThreadPlace(0, lane, line), launch, words)
            unknown = dict.fromkeys(re.findall(r"\w+", declared.line(line)), 0)
            found = declared.indices(line, name, unknown | first_round | known)
            place = [one for _, one, _ in found if one is not None]
            if len(place) == len(elements):
                cell = int(np.ravel_multi_index(place, elements, mode="wrap"))
                banks.setdefault(cell * size // 4 % 32, {}).setdefault(cell, (lane, place))
        most = max(banks.values(), key=len, default={})
        if len(most) > 1:
            (one, first), (other, second), *_ = most.values()
            here, there = ("".join(f"[{at}]" for at in place) for place in (first, second))
            return Message(
                why=f"On line {line}, lane {one} accesses `{name}{here}` and lane {other} "
                f"`{name}{there}`, which are in the same bank.",
                remedy="Which index, or which length of a row, would put them in different banks?",
            )
    return Message()


def of_stray(judged: Outcomes, at: int, failure: Failed, seen: Message) -> Message:
    """Of an access outside of its array, or of what nobody wrote: the last condition that let its
    thread pass, and what to ask. `seen`: how the index comes about, which says more than its number
    does."""
    told, instance = judged.results[at].parts, judged.instances[at]
    where = of_failure(instance, failure)
    thread = where and thread_of(instance.problem, where)
    if not where or not thread:
        return told
    stray = _Stray(judged, at, failure, where.launch, thread)
    said = stray.outside() if stray.is_outside else stray.unwritten()
    return Message(
        told.first,
        seen.why if seen.remedy else f"{said.why} {seen.why}".strip(),
        seen.remedy or said.remedy,
    )


class _Stray:
    """A thread's access outside of its array, or of what nobody wrote, in launch number `launch`.
    `asked`, with the `line` that asks it and the `values` there: the last condition that let the
    thread pass; `is_own`: it stands at the access itself."""

    def __init__(
        self, judged: Outcomes, at: int, failure: Failed, launch: int, thread: ThreadPlace
    ):
        self.told, self.words, self.here = (
            judged.results[at].parts,
            judged.words[at],
            failure.line or 0,
        )
        instance, self.is_outside = judged.instances[at], failure.status == Status.OUT_OF_BOUNDS
        self.inputs = instance.problem.inputs
        self.declared, self.usual = map(Declarations, (judged.source, self.words.solution))
        mine, self.ours = (
            session.path(instance, launch, thread) for session in (judged.session, judged.ours)
        )
        # The array of the first element that the message names; "" if it names none.
        self.array = next(iter(re.findall(r"`(\w+)\[", self.told.first)), "")
        decides = _deciding(self.declared, self.here, self.array) if self.is_outside else None
        self.asked, self.line = last_conditions(mine, judged.source, decides=decides)
        _, _, chosen = self.declared.line(self.here).partition("?")
        choice = self.declared.choice(self.here) if f"{self.array}[" in chosen else ""
        guard, at = (choice, self.here) if choice else self.declared.guard(self.here)
        self.branch = ""
        # A condition that the access is in itself, or about one thread alone, says nothing.
        is_told = at == self.here and f"{self.array}[" not in guard and "==" not in guard
        says_more = self.is_outside and (guard.isidentifier() or is_told)
        if guard and says_more and (self.line or 0) < at:
            self.asked, self.line, self.branch = "", at, guard
        given = instance.problem.launches[launch - 1]
        self.known = numbers_of(thread, given, self.words)
        self.sizes = ", ".join(self.words.sizes(given))
        self.with_sizes = f", with {self.sizes}" * bool(self.sizes)
        # What is asked already, with the launch's sizes where it asks about an array's.
        self.usually = re.sub(r"(?<=the array here)(?=\?)", self.with_sizes, self.told.remedy)
        self.is_own = self.line in (self.here, self.declared.guard(self.here)[1])
        self.values = (
            compared_on(self.declared, self.line, self.known, self.asked) if self.line else ""
        )

    def outside(self) -> Message:
        """Why, and what to ask, where it is outside of its array. Where the solution's thread of
        that number uses the array, too, no guard is to stop the learner's."""
        before, line = (f"Before that, {self.asked}.{self.values}" if self.asked else ""), self.here
        if self.branch:
            before = f"The access is in the branch `{self.branch}` (line {self.line})."
        loaded, asked = self._loaded_index(), self._condition_or_index()
        if not self.array:
            on = f"line {line}{self.declared.computed_on(self.declared.line(line), line)}"
            before, asked = "", f"Which part of the address on {on} is wrong?"
        is_right = any(f"`{self.words.name(one)}[" in self.told.first for one in self.ours.used)
        several = "One access of" in self.told.why  # whose index may be right
        why, beside = loaded.why or self.told.why, ""
        if is_right and not (self.declared.condition(line)[0] or several):
            beside, asked = self._wrong_index()
            before, why = "", why.removeprefix(BELOW)
        else:
            asked = after_doubts(self._doubted(), asked)
        return Message(
            why=" ".join(filter(None, (before, why, beside))),
            remedy=(self._decides_alone() if before else "") or loaded.remedy or asked,
        )

    def unwritten(self) -> Message:
        """Why, and what to ask, where nobody wrote what it reads."""
        is_copy = "copy" in self.told.first  # it is late, whatever lets the thread pass
        is_asked = bool(self.asked) and self.is_own and not is_copy
        why = (
            f"The launch has {self.sizes}." if self.sizes and (is_asked or is_copy) else "",
            f"Before that, {self.asked}.{self.values}" if is_asked else "",
            self.told.why,
        )
        asked = (
            self._condition_or_index() if is_asked and self.asked.endswith("true") else self.usually
        )
        return Message(why=" ".join(filter(None, why)), remedy=after_doubts(self._doubted(), asked))

    def _condition_or_index(self) -> str:
        """The question about the condition that let the thread pass; else what is asked usually."""
        where = (
            f"condition or the index on line {self.here}"
            if self.line == self.here
            else f"condition on line {self.line} or the index on line {self.here}"
        )
        if (
            self.asked
            and (self.is_own or _LEAVES.search(self.declared.line(self.line)))
            and self.usually.startswith(_GUARD)
        ):
            limit = self.usually.removeprefix(_GUARD).replace(PASSES, "")
            return f"The condition on line {self.line} should stop this thread: {limit}"
        is_asked = (self.asked or self.branch) and self.usually.startswith(
            ("Is the index right", "Should this")
        )
        return f"Is the {where} wrong for this thread?" if is_asked else self.usually

    def _doubted(self) -> list[tuple[str, int]]:
        """What the solution has not alike: of values that are compared; else of the loop's
        condition, and of the array's pointer."""
        told, asked = self.values, {*re.findall(r"-?\d+", self.asked)}
        if self.told.remedy.startswith("Which of"):
            return []
        if self.branch:
            return self.declared.doubtful(self.branch, self.line or 0, self.usual)
        if not (self.is_outside or (self.asked and self.is_own)):
            guard, at = self.declared.guard(self.here)
            return self.declared.doubtful_here(guard, at, self.usual)[-1:]
        doubted = [
            (one, at)
            for one, at in self.declared.doubtful(
                self.declared.line(self.line), self.line or 0, self.usual
            )
            if {*re.findall(rf"`{one}` is (-?\d+)", told)} & asked
            or (self.asked and self.is_own and not self.is_outside)
        ]
        index = self.declared.index(self.here, self.array)
        doubted += [
            one
            for one in self.declared.doubtful_here(index, self.here, self.usual)
            if f"{one[0]}(" in index  # a function
        ]
        if doubted or not self.is_outside:
            return doubted
        unusual = self.declared.unusual(self.usual)
        loop = () if self.asked else self.declared.condition(self.here)
        return [
            *(self.declared.doubtful(*loop, self.usual) if loop else ()),
            *(one for one in self.declared.pointer(self.here, self.array) if one[1] in unusual),
        ]

    def _wrong_index(self) -> tuple[str, str]:
        """How an index comes about, and what to ask of it, where the thread should be there."""
        index = self.declared.index(self.here, self.array)
        computed = self.declared.computed_on(index, self.here, self.known)
        told = (
            f"Here {computed[2:]}{self.with_sizes}."
            if computed.startswith(":")
            else f"The index is computed on{computed.translate({40: '', 41: ''})}{self.with_sizes}."
            if computed
            else f"The launch has {self.sizes}." * bool(self.sizes)
        ) + self.words.last_of(self.array)
        names = self.declared.doubtful(index, self.here, self.usual)
        others = [one for one in names if f"`{one[0]}` is" not in computed]
        known = [one for name, _ in names for one in re.findall(rf"`{name}` is [^`]*\)", computed)]
        return told, f"This thread should execute line {self.here}, but with another index. " + (
            after_doubts(others, "Which other part of the index is wrong?")
            if 0 < len(others) < 3
            else f"Which index of `{self.array}` does it need there?"
            if f"`{index}` is" in computed
            else after_value("".join(known), "Which other part of the index is wrong?")
            if len(known) == 1
            else "How should the index be computed?"
        )

    def _loaded_index(self) -> Message:
        """Of an index that was loaded from an input."""
        arrays = {self.words.name(name): one for name, one in self.inputs.items()}
        for index in re.findall(r"\[(\w+)\]", self.declared.line(self.here)):
            right, made = self.declared.given(index, self.here)
            source = right.partition("[")[0]
            if source in arrays and arrays[source].dtype.kind in "iu":
                return Message(
                    why=f"Line {made} loads `{index}` from `{source}`.",
                    remedy=f"What must hold for `{index}` before line {self.here} uses it as an "
                    "index?",
                )
        return Message()

    def _decides_alone(self) -> str:
        """What to ask of a condition of which one part decides alone."""
        joins = re.findall(r"&&|\|\|", self.declared.line(self.line))
        alone = {"&&": "false", "||": "true"}.get("".join({*joins}), "neither")
        return (
            f"On line {self.line} one part of the condition decides alone. Is `{joins[0]}` right?"
            if "the part " in self.asked and self.asked.endswith(alone)
            else ""
        )
