"""What a run left in its buffers, held against what is expected: a CaseResult that teaches.

`Words` has a case in the learner's words: their own names for the exercise's buffers, and the
kernel's signature. The exercise calls its buffers `total_again` or `y_0`, so that each has a name
of its own; the learner's kernel calls them what its parameters are called.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
from msgspec import structs

from ..compilers.declared import Declarations, StructMember
from ..compilers.parameters import Parameter, compatible, parameters
from ..course import Budget, Case, Expected, Launch, Problem, costs
from ..cuda.errors import Message, in_parts
from ..errors import AuthorError, counted
from ..say import verdict_answers as say
from ..status import Status
from .cases import CaseInstance, of_buffer, of_failure
from .protocol import Element, Failed, Ran, Reply, Scene
from .verdict import CaseResult, Mismatch, told_apart

Parameters = tuple[Parameter, ...]


@dataclass(frozen=True)
class Words:
    """`source` is the learner's, `solution` the exercise's own; `problem` the case."""

    source: str
    solution: str
    problem: Problem

    def name(self, buffer: str) -> str:
        """The learner's name for a buffer, in the last launch that it is passed to."""
        found = self._parameter(self.source, buffer)
        return found.name if found and found.name else buffer

    def element(self, element: Element) -> str:
        """An element as the learner writes it: `y[3]`, of an array of structs `total[3].sum`. An
        array that the exercise calls one of one dimension has one index."""
        index, name, member = [*self.index(element)], self.name(element.buffer), ""
        if len(index) > 1 and index[-1] < len(members := self.members(element.buffer)):
            *index, at = index
            member = f".{members[at].name}"
        elif len(index) > 1 and self._is_flat(element.buffer):
            index = [element.index]
        written = ", ".join(map(str, index))
        return f"{name}[{written}]{member}" if written else name

    def run(self, first: Element, last: Element) -> str:
        """Neighbouring elements: `x[3] to x[9]`; without the members of structs that are whole."""
        members = self.members(first.buffer)
        ends = [*dict.fromkeys(map(self.element, (first, last)))]
        if len(ends) > 1 and members:
            outer = (
                ends[0].removesuffix(f".{members[0].name}"),
                ends[1].removesuffix(f".{members[-1].name}"),
            )
            ends = [*dict.fromkeys(outer)] if not any("." in one for one in outer) else ends
        return " to ".join(ends)

    def block(self, elements: Sequence[Element]) -> str:
        """`x[0 to 7, 4]` for several rows of an array, or parts of them; "rows 0 to 7 of x" for
        whole rows of one to which the exercise gives one dimension; "" where the elements, of one
        buffer and in order, are no such block."""
        buffer, shape = elements[0].buffer, self._shape(elements[0].buffer)
        if len(shape) < 2:
            return ""
        places = np.unravel_index([one.index for one in elements], shape)
        ends = [(int(one.min()), int(one.max())) for one in places]
        are_alone = len(elements) < 3 or all(end == first for first, end in ends[:-1])
        fills = math.prod(1 + end - first for first, end in ends) == len(elements)
        if not fills or self.members(buffer):
            return ""
        if self._is_flat(buffer):
            is_whole = len(ends) == 2 and ends[1] == (0, shape[1] - 1)
            rows = (
                f"rows {ends[0][0]} to {ends[0][1]}" if len({*ends[0]}) > 1 else f"row {ends[0][0]}"
            )
            return f"{rows} of {self.name(buffer)}" if is_whole else ""
        written = (f"{one} to {end}" if end > one else str(one) for one, end in ends)
        return "" if are_alone else f"{self.name(buffer)}[{', '.join(written)}]"

    def members(self, buffer: str) -> tuple[StructMember, ...]:
        """The members of the struct or vector of which a buffer's last dimension is made; none
        where it is of no such."""
        found, shape = self._parameter(self.source, buffer), self._shape(buffer)
        members = self._declared.members(found.type.rstrip("* ") if found and found.pointer else "")
        return members if (len(members),) == shape[-1:] else ()

    @cached_property
    def _declared(self) -> Declarations:
        return Declarations(self.source)

    def _is_flat(self, buffer: str) -> bool:
        """Whether the exercise's own text above the kernel gives an array one dimension."""
        found = self._parameter(self.solution, buffer)
        return found is not None and bool(
            re.search(
                rf"^// +(?:\w+, )*{found.name}\b[^\[\n]*?\b\w+\[([^\],\n]+)\](?!\[)",
                self.solution,
                re.MULTILINE,
            )
        )

    def index(self, element: Element) -> tuple[int, ...]:
        """Where an element stands, one number for each dimension of its buffer."""
        shape = self._shape(element.buffer)
        return tuple(int(one) for one in np.unravel_index(element.index, shape)) if shape else ()

    def last_of(self, name: str) -> str:
        """A sentence, after a blank, about the row and the column of the last element of an array
        that the learner calls `name`; "" if it has no such."""
        rows_and_columns = (
            f" The last element, `{name}[{last.index}]`, is in row {found[1]}, column {found[2]}."
            for buffer in (*self.problem.inputs, *self.problem.outputs)
            for last in [Element(buffer, math.prod(self._shape(buffer)) - 1)]
            if (found := re.search(r"\[(\d+), (\d+)\]$", self.element(last)))
            and self.name(buffer) == name
        )
        return next(rows_and_columns, "")

    def place(self, element: Element) -> tuple[int, ...]:
        """The same of a flat buffer as an array of the shape that an input of whole numbers gives
        for as many elements, if just one does."""
        shape = self._shape(element.buffer)
        shapes = {
            tuple(one.tolist())
            for one in self.problem.inputs.values()
            if one.dtype.kind in "iu" and one.ndim == 1 and 1 < one.size < 9
        }
        fit = [one for one in shapes if (math.prod(one),) == shape and min(one) > 0]
        return (
            self.index(element)
            if len(fit) != 1
            else tuple(int(one) for one in np.unravel_index(element.index, fit[0]))
        )

    def constant(self, buffer: str) -> bool:
        """Whether the exercise's signature declares a buffer const."""
        found = self._parameter(self.solution, buffer)
        return found is None or found.constant

    def launch(self, buffer: str) -> int | None:
        """The number, from 1, of the launch that a buffer is passed to; None unless it is passed to
        one alone, of a kernel that runs more than once."""
        launches = self.problem.launches
        passed = [number for number, one in enumerate(launches, start=1) if buffer in one.args]
        kernels = {launches[number - 1].kernel for number in passed}
        again = sum(one.kernel in kernels for one in launches)
        return passed[0] if len(passed) == 1 and again > 1 else None

    def when(self, buffer: str) -> str:
        """ "In launch 2 of 3 (n = 33): " where the kernel that a buffer is passed to runs more than
        once."""
        number = self.launch(buffer)
        if number is None:
            return ""
        sizes = ", ".join(self.sizes(self.problem.launches[number - 1]))
        with_sizes = f" ({sizes})" if sizes else ""
        return f"In launch {number} of {len(self.problem.launches)}{with_sizes}: "

    def numbers(self, launch: Launch, kind: type[np.number] = np.integer) -> dict[str, Any]:
        """The numbers of a kind that a launch passes, by parameter: whole ones, or floats."""
        return {
            one.name: arg.item()
            for one, arg in zip(
                parameters(self.solution, launch.kernel) or (), launch.args, strict=False
            )
            if isinstance(arg, kind)
        }

    def sizes(self, launch: Launch) -> list[str]:
        """The same in words: "n = 33"."""
        return [f"{name} = {number:,}" for name, number in self.numbers(launch).items()]

    def explained(self, failure: Failed) -> Failed:
        """`failure`, told as what it is where the learner has changed a kernel's signature."""
        if failure.status == Status.COMPILE_ERROR:
            return failure
        for kernel, mine, given in self._signatures():
            changed = _changed(kernel, mine, given)
            if changed and failure.status == Status.LAUNCH_ERROR:
                return structs.replace(failure, parts=changed)
        parts = self.order()
        parts += failure.parts.while_open if parts.first else failure.parts
        return structs.replace(failure, parts=parts)

    def order(self) -> Message:
        """What is said of parameters in another order; nothing where they are not."""
        return next(
            filter(None, (_order(*row) for row in self._signatures() if not _changed(*row))),
            Message(),
        )

    def _signatures(self) -> Iterator[tuple[str, Parameters, Parameters]]:
        """Each kernel that is launched, with the learner's parameters and the exercise's."""
        for kernel in dict.fromkeys(launch.kernel for launch in self.problem.launches):
            mine, given = (parameters(text, kernel) for text in (self.source, self.solution))
            if mine is not None and given is not None:
                yield kernel, mine, given

    def _shape(self, buffer: str) -> tuple[int, ...]:
        inputs, outputs = self.problem.inputs, self.problem.outputs
        if buffer in self.problem.scratch:
            return self.problem.scratch[buffer][0]
        return inputs[buffer].shape if buffer in inputs else outputs[buffer].value.shape

    def _parameter(self, source: str, buffer: str) -> Parameter | None:
        declared = (
            pair
            for launch in reversed(self.problem.launches)
            for pair in zip(parameters(source, launch.kernel) or (), launch.args, strict=False)
        )
        return next((one for one, passed in declared if passed == buffer), None)


def _changed(kernel: str, mine: Parameters, given: Parameters) -> Message | None:
    """What is said of parameters that do not serve in place of the given ones; None if all do."""
    what = (
        _first(mine, given, lambda one, other: not compatible(one, other))
        if len(mine) == len(given)
        else f"`{kernel}` takes {counted(len(mine), 'parameter')} instead of {len(given)}"
    )
    return say.another_signature(_signature(kernel, given), what) if what else None


def _order(kernel: str, mine: Parameters, given: Parameters) -> Message | None:
    """What is said of parameters with the names that are given, at other places; None if none
    is."""
    if sorted(one.name for one in mine) != sorted(one.name for one in given):
        return None
    first = _first(mine, given, lambda one, other: one.name != other.name)
    return say.reordered(_signature(kernel, given), first) if first else None


def _first(
    mine: Parameters, given: Parameters, differ: Callable[[Parameter, Parameter], bool]
) -> str:
    """The first parameter that differs from the given one, in words; "" if none does."""
    return next(
        (
            say.in_place_of(number, one.text, other.text)
            for number, (one, other) in enumerate(zip(mine, given, strict=True), start=1)
            if differ(one, other)
        ),
        "",
    )


def _signature(kernel: str, declared: Parameters) -> str:
    return f"`{kernel}({', '.join(one.text for one in declared)})`"


SHOWN = 5  # mismatches listed
_IN_ORDER = ("input", "output", "written", "second")  # arrays of a run in the case's own order


def on_simulator(
    instance: CaseInstance, outcome: Reply, words: Words, name_the_dearest: bool = True
) -> CaseResult:
    """The case's result from what came of it on the simulated device. Over budget, it names the
    line that costs most, unless that is the learner's to find."""
    if isinstance(outcome, Failed):
        told = words.explained(outcome)
        return _over_budget_when_stopped(instance, told) or failed(
            instance.case, told.status, told.parts, told.line, of_failure(instance, told)
        )
    return (
        wrong(instance, outcome, words)
        or _over_budget(instance, outcome, name_the_dearest)
        or _not_exactly(instance, outcome)
        or passed(instance.case)
    )


def wrong(instance: CaseInstance, ran: Ran, words: Words) -> CaseResult | None:
    """The case's result if an input was changed, or an output is not written or is wrong."""
    found = (
        _changed_input(instance, ran, words)
        or wrong_output(instance, ran, words)
        or _wrong_in_another_order(instance, ran, words)
    )
    return found and found.saying(words.order() + found.parts)


def wrong_output(instance: CaseInstance, ran: Ran, words: Words) -> CaseResult | None:
    """The case's result if an element of an output is not written, or is wrong."""
    return _unwritten(instance, ran, words) or _wrong_output(instance, ran, words)


def on_gpu(instance: CaseInstance, outcome: Reply, words: Words) -> CaseResult:
    """The same from what came of it on the hardware; it neither counts nor knows who wrote, and has
    run the case twice, over memory poisoned in two ways."""
    if isinstance(outcome, Failed):
        return failed(instance.case, outcome.status, outcome.parts, outcome.line)
    result = (
        _changed_input(instance, outcome, words)
        or _wrong_output(instance, outcome, words)
        or _wrong_output(instance, outcome, words, "second")
    )
    return (
        passed(instance.case) if result is None else result.saying(say.ON_HARDWARE + result.parts)
    )


def failed(
    case: Case,
    status: Status,
    message: str | Message,
    line: int | None = None,
    where: Scene | None = None,
    mismatches: Sequence[Mismatch] = (),
) -> CaseResult:
    """No points, and why."""
    parts = in_parts(message)
    return CaseResult(
        case.name,
        case.visible,
        status,
        points=0.0,
        max_points=case.points,
        message=str(parts),
        line=line,
        mismatches=tuple(mismatches),
        where=where,
        parts=parts,
    )


def passed(case: Case) -> CaseResult:
    """All points."""
    return CaseResult(case.name, case.visible, Status.PASSED, case.points, case.points)


def _changed_input(instance: CaseInstance, ran: Ran, words: Words) -> CaseResult | None:
    for name, before in instance.problem.inputs.items():
        after = ran.arrays[f"input/{name}"]
        changed = (_bytes(before) != _bytes(after)).any(axis=1).reshape(after.shape)
        if changed.any():
            mismatches = _mismatches(words, name, changed, before, after)
            first = mismatches[0]
            return _wrong_answer(
                instance,
                name,
                say.changed_input(first.place, first.buffer, *first.values)
                if words.constant(name)
                else say.not_put_back(first.place, *first.values),
                mismatches,
            )
    return None


def _wrong_answer(
    instance: CaseInstance,
    buffer: str,
    message: Message,
    mismatches: Sequence[Mismatch] = (),
    order: str = "",
) -> CaseResult:
    """The result of a case in which a buffer is not as it should be."""
    return failed(
        instance.case,
        Status.WRONG_ANSWER,
        message,
        where=of_buffer(instance, buffer, order),
        mismatches=mismatches,
    )


def _bytes(array: np.ndarray) -> np.ndarray:
    """(elements, bytes per element): equal here is bit for bit, NaN and -0.0 included."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, array.itemsize)


def _unwritten(instance: CaseInstance, ran: Ran, words: Words) -> CaseResult | None:
    for buffer in _smallest_first(instance.problem):
        missing, name = ~ran.arrays[f"written/{buffer}"], words.name(buffer)
        if missing.any():
            first = Element(buffer, int(missing.argmax()))
            what = (
                say.nothing_written(name)
                if missing.all()
                else say.left_out(words.element(first), name, missing.size, int(missing.sum()))
            )
            return _wrong_answer(instance, buffer, _in_its_launch(what, buffer, words, ran))
    return None


def _in_its_launch(message: Message, buffer: str, words: Words, ran: Ran) -> Message:
    """A message about a buffer, with its launch where a kernel runs more than once; of a later one,
    with what earlier ones have left changed."""
    launch = words.launch(buffer)
    told = replace(message, first=f"{words.when(buffer)}{message.first}")
    return told + say.left_changed(ran.left.get(launch, "") if launch else "")


def _wrong_in_another_order(instance: CaseInstance, ran: Ran, words: Words) -> CaseResult | None:
    """Threads that hand something over must leave the same whoever comes first."""
    for order in dict.fromkeys(name.rpartition("/")[0] for name in ran.arrays):
        if order not in _IN_ORDER and (wrong := _wrong_output(instance, ran, words, order)):
            return wrong.saying(say.in_another_order(order, wrong.parts))
    return None


def _wrong_output(
    instance: CaseInstance, ran: Ran, words: Words, of: str = "output"
) -> CaseResult | None:
    for buffer, expected in _smallest_first(instance.problem).items():
        found = ran.arrays[f"{of}/{buffer}"]
        wrong = ~right(expected, found)
        if wrong.any():
            at = int(wrong.ravel().argmax())
            mismatches = _mismatches(words, buffer, wrong, expected.value, found)
            parts = f"{'members' if words.members(buffer) else 'elements'} of {words.name(buffer)}"
            told = _first_wrong(mismatches[0], expected) + say.pattern(
                parts, wrong.size, int(wrong.sum()), at
            )
            return _wrong_answer(
                instance,
                buffer,
                _in_its_launch(told, buffer, words, ran),
                mismatches,
                order=of if of not in _IN_ORDER else "",
            )
    return None


def _smallest_first(problem: Problem) -> Mapping[str, Expected]:
    """The outputs in their own order, or where each launch has arrays of its own, those of the
    launch with the fewest elements first: it is the easiest to understand."""
    if not apart(problem):
        return problem.outputs
    sizes = {name: one.size for name, one in problem.inputs.items()} | {
        name: one.value.size for name, one in problem.outputs.items()
    }
    of_launch = {
        name: sum(sizes.get(one, 0) for one in names)
        for names in _passed(problem)
        for name in names
    }
    return dict(sorted(problem.outputs.items(), key=lambda one: of_launch.get(one[0], 0)))


def apart(problem: Problem) -> bool:
    """Whether it has several launches, and none goes on with what another has made."""
    passed = list(chain(*_passed(problem)))
    return len(problem.launches) > 1 and len(passed) == len(set(passed))


def _passed(problem: Problem) -> list[list[str]]:
    """The buffers that each launch gets."""
    return [[arg for arg in one.args if isinstance(arg, str)] for one in problem.launches]


OTHERS = 7  # wrong elements beside the first that are looked at


@dataclass(frozen=True)
class Wrong:
    """The first element of an output that is wrong, or that nobody wrote, and what all such
    elements of this output hold and should hold, in C order; `others` are a few more of them."""

    element: Element
    found: npt.NDArray[Any]
    expected: npt.NDArray[Any]
    written: bool
    others: tuple[Element, ...]


def first_wrong(instance: CaseInstance, ran: Ran) -> Wrong | None:
    """The output that a case is a wrong answer for; None where all are right."""
    outputs = _smallest_first(instance.problem)
    found = {buffer: ran.arrays[f"output/{buffer}"] for buffer in outputs}
    masks = {buffer: ~ran.arrays[f"written/{buffer}"] for buffer in outputs}
    written = not any(mask.any() for mask in masks.values())
    if written:
        masks = {buffer: ~right(one, found[buffer]) for buffer, one in outputs.items()}
    for buffer, wrong in masks.items():
        if wrong.any():
            first, *rest = np.flatnonzero(wrong)
            others = [rest[len(rest) * at // OTHERS] for at in range(min(OTHERS, len(rest)))]
            elements = [Element(buffer, int(at)) for at in (first, *dict.fromkeys(others))]
            return Wrong(
                elements[0],
                found[buffer][wrong],
                outputs[buffer].value[wrong],
                written,
                tuple(elements[1:]),
            )
    return None


def right(expected: Expected, found: np.ndarray) -> np.ndarray:
    """Which elements are right. Integers must be equal, and so must NaN and infinities; a
    tolerance is for finite numbers only (an infinite one would allow everything)."""
    value = expected.value
    right: np.ndarray = found == value
    if value.dtype.kind in "fc":
        with np.errstate(invalid="ignore", over="ignore"):
            difference = np.abs(found.astype(value.dtype) - value)
            close = difference <= expected.atol + expected.rtol * np.abs(value)
        right |= close & np.isfinite(value) & np.isfinite(found) | np.isnan(value) & np.isnan(found)
    return right


def _first_wrong(first: Mismatch, expected: Expected) -> Message:
    place, (wanted, is_now) = first.place, first.values
    if np.isnan(first.found) and not np.isnan(first.expected):
        return say.wrong_element(place, wanted, is_now, nan=True)
    if expected.value.dtype.kind != "f" or not np.isfinite([first.expected, first.found]).all():
        return say.wrong_element(place, wanted, is_now)
    here = float(
        np.broadcast_to(expected.atol, expected.value.shape)[first.index]
        + expected.rtol * abs(first.expected)
    )
    off, most = told_apart(abs(first.found - first.expected), here, digits=2)
    off = f"{float(off):,.0f}" if "e+0" in off else off
    rounded = abs(first.found - first.expected) <= FAR * here  # else it is no question of rounding
    return say.wrong_element(place, wanted, is_now, say.off_by(off, most) if rounded else "")


FAR = 100  # times what rounding can do


def _count(case: Case, counter: str, counters: dict[str, int]) -> int:
    """What a counter came to."""
    if counter not in counters:
        alike = ", ".join(get_close_matches(counter, counters, n=5, cutoff=0.3))
        raise AuthorError(
            f"The case {case.name!r} budgets {counter!r}, which no counter is called; "
            f"some are: {alike or ', '.join(sorted(counters)[:5])}. docs/counters.md has all."
        )
    return counters[counter]


def _not_exactly(instance: CaseInstance, ran: Ran) -> CaseResult | None:
    for wanted in instance.case.exactly:
        count = _count(instance.case, wanted.counter, ran.counters)
        if count != wanted.count:
            return failed(
                instance.case,
                Status.OVER_BUDGET,
                say.not_exactly(
                    costs.named(wanted.counter),
                    count,
                    wanted.count,
                    reason(wanted.why, wanted.count, instance.problem),
                ),
            )
    return None


def _over_budget(instance: CaseInstance, ran: Ran, name_the_dearest: bool) -> CaseResult | None:
    case = instance.case
    for budget in case.budgets:
        counter = budget.counter
        count = _count(case, counter, ran.counters)
        if not isinstance(budget.at_most, int):
            raise AuthorError(
                f"The case {case.name!r} budgets {counter} by the solution's own, which is not "
                "known: run `grader build`, which measures it."
            )
        if count > budget.at_most:
            dearest = ran.costs.get(counter, (None, 0)) if name_the_dearest else (None, 0)
            why = Message(why=_why(budget, instance.problem))
            traffic = re.fullmatch(r"global_(load|store)_(requests|sectors|bytes)", counter)
            bytes_moved = f"global_{traffic[1]}_bytes" if traffic else ""
            if traffic and (usual := case.ours.get(bytes_moved)):
                moved, sectors = ran.counters[bytes_moved], f"global_{traffic[1]}_sectors"
                why = say.traffic(traffic[1], moved, usual, ran.counters[sectors], dearest[0]) + why
            return failed(
                case,
                Status.OVER_BUDGET,
                say.over_budget(costs.named(counter), count, budget.at_most, dearest, why),
                dearest[0],
            )
    return None


def _over_budget_when_stopped(instance: CaseInstance, told: Failed) -> CaseResult | None:
    """A run that was stopped had come to more than the budget already, and what is counted never
    falls: so one thread that does the work of all is told that, not that it may never end."""
    for budget in instance.case.budgets:
        count, most = told.counters.get(budget.counter, 0), budget.at_most
        if told.status == Status.TIMEOUT and isinstance(most, int) and count > most:
            return failed(
                instance.case,
                Status.OVER_BUDGET,
                say.stopped_over_budget(
                    told.parts,
                    costs.named(budget.counter),
                    count,
                    most,
                    _why(budget, instance.problem),
                ),
                told.line,
            )
    return None


def _why(budget: Budget, problem: Problem) -> str:
    """The author's reason for a budget, and what the number comes from."""
    return reason(budget.why, 0 if budget.relative else budget.number, problem, budget.per)


def reason(text: str, number: int, problem: Problem, per: tuple[str, int] | None = None) -> str:
    """An author's reason for a number as a sentence, and where the number comes from."""
    return sentence(text, problem) + costs.explained(number, problem, per)


def sentence(text: str, problem: Problem) -> str:
    """An author's reason as a sentence; a buffer's name that it begins with stays as it is."""
    named = text.partition(" ")[0] in {*problem.inputs, *problem.outputs, *problem.scratch}
    return f"{text[:1] if named else text[:1].upper()}{text[1:].rstrip('.')}."


def _mismatches(
    words: Words, buffer: str, where: np.ndarray, expected: np.ndarray, found: np.ndarray
) -> list[Mismatch]:
    return [
        Mismatch(
            *(words.name(buffer), at, float(expected[at]), float(found[at])),
            words.element(Element(buffer, index)),
        )
        for at, index in zip(
            map(tuple, np.argwhere(where)[:SHOWN].tolist()),
            np.flatnonzero(where)[:SHOWN].tolist(),
            strict=True,
        )
    ]
