"""What a run left in its buffers, held against what is expected: a CaseResult that teaches."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ..course import Case, Expected
from ..errors import AuthorError
from .cases import Drawn
from .process import Answer
from .verdict import CaseResult, Mismatch

SHOWN = 5  # mismatches listed
ENOUGH = 8  # elements: among fewer, where the wrong ones lie is no pattern
FROM_NAN = (
    " NaN is what 0 / 0, infinity / infinity and infinity - infinity give, and what the compiler "
    "may put in the place of a variable that never got a value."
)


def on_simulator(drawn: Drawn, answer: Answer) -> CaseResult:
    """The case's result from what the simulated device answered."""
    if answer.status != "ran":
        return failed(drawn.case, answer.status, answer.message, answer.line)
    return (
        _changed_input(drawn, answer)
        or _unwritten(drawn, answer)
        or _wrong_output(drawn, answer)
        or _over_budget(drawn.case, answer.counters)
        or _lacks_instruction(drawn.case, answer.opcodes)
        or _passed(drawn.case)
    )


def on_gpu(drawn: Drawn, answer: Answer) -> CaseResult:
    """The same from what the hardware answered; it neither counts nor knows who wrote, and has
    run the case twice, over memory poisoned in two ways."""
    if answer.status != "ran":
        return failed(drawn.case, answer.status, answer.message, answer.line)
    result = (
        _changed_input(drawn, answer)
        or _wrong_output(drawn, answer)
        or _wrong_output(drawn, answer, "second")
    )
    if result is None:
        return _passed(drawn.case)
    return replace(
        result, message=f"Right on the simulated GPU, wrong on the GPU: {result.message}"
    )


def failed(case: Case, status: str, message: str, line: int | None = None) -> CaseResult:
    """No points, and why."""
    return CaseResult(case.name, case.visible, status, 0.0, case.points, message, line)


def _passed(case: Case) -> CaseResult:
    return CaseResult(case.name, case.visible, "passed", case.points, case.points)


def _wrong(case: Case, message: str, mismatches: list[Mismatch]) -> CaseResult:
    return replace(failed(case, "wrong_answer", message), mismatches=tuple(mismatches))


def _changed_input(drawn: Drawn, answer: Answer) -> CaseResult | None:
    for name, before in drawn.problem.inputs.items():
        after = answer.arrays[f"input/{name}"]
        changed = (_bytes(before) != _bytes(after)).any(axis=1).reshape(after.shape)
        if changed.any():
            first, *rest = _mismatches(name, changed, before, after)
            message = (
                f"The kernel changed its input: {_place(first)} was {first.expected:.9g} and is "
                f"{first.found:.9g} afterwards. Others still need {name} as it was; declare it "
                "const and the compiler shows you every line that writes to it."
            )
            return _wrong(drawn.case, message, [first, *rest])
    return None


def _bytes(array: np.ndarray) -> np.ndarray:
    """(elements, bytes an element): equal here is bit for bit, NaN and -0.0 included."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, array.itemsize)


def _unwritten(drawn: Drawn, answer: Answer) -> CaseResult | None:
    for name in drawn.problem.outputs:
        missing = ~answer.arrays[f"written/{name}"]
        if missing.all() and missing.size:
            return failed(
                drawn.case,
                "wrong_answer",
                f"Nothing was ever written to {name}: no thread got as far as storing a result.",
            )
        if missing.any():
            place = _label(name, np.argwhere(missing)[0])
            return failed(
                drawn.case,
                "wrong_answer",
                f"{place} was never written, nor were {missing.sum() - 1} others of the "
                f"{missing.size} elements. Each needs a thread that stores to it: work out which "
                f"thread should own {place}, and which guard or index keeps it away.",
            )
    return None


def _wrong_output(drawn: Drawn, answer: Answer, run: str = "output") -> CaseResult | None:
    for name, expected in drawn.problem.outputs.items():
        found = answer.arrays[f"{run}/{name}"]
        wrong = ~_right(expected, found)
        if wrong.any():
            mismatches = _mismatches(name, wrong, expected.value, found)
            message = _first_wrong(mismatches[0], expected) + _pattern(wrong)
            return _wrong(drawn.case, message, mismatches)
    return None


def _right(expected: Expected, found: np.ndarray) -> np.ndarray:
    """Which elements are right. Integers must be equal, and so must NaN and infinities; a
    tolerance is for finite numbers only (an infinite one would allow everything)."""
    value = expected.value
    right = found == value
    if value.dtype.kind in "fc":
        with np.errstate(invalid="ignore", over="ignore"):
            difference = np.abs(found.astype(value.dtype) - value)
            close = difference <= expected.atol + expected.rtol * np.abs(value)
        right |= close & np.isfinite(value) & np.isfinite(found)
        right |= np.isnan(value) & np.isnan(found)
    return right


def _first_wrong(first: Mismatch, expected: Expected) -> str:
    sentence = f"{_place(first)} should be {first.expected:.9g} and is {first.found:.9g}"
    if np.isnan(first.found) and not np.isnan(first.expected):
        return f"{sentence}.{FROM_NAN}"
    if expected.value.dtype.kind != "f" or not np.isfinite([first.expected, first.found]).all():
        return f"{sentence}."
    atol = np.broadcast_to(expected.atol, expected.value.shape)[first.index]
    here = float(atol + expected.rtol * abs(first.expected))
    off = abs(first.found - first.expected)
    explained = f", and rounding explains at most {here:.2g}" if here else ""
    return f"{sentence}: off by {off:.2g}{explained}."


def _pattern(wrong: np.ndarray) -> str:
    """What the wrong elements have in common, where that points at a cause."""
    size, count = wrong.size, int(wrong.sum())
    if size == 1:
        return ""
    if count == size:
        return f" All {count} elements are wrong."
    right_first = int(wrong.ravel().argmax())
    if size < ENOUGH or right_first + count < size:
        return f" {count} of {size} elements {_are(count)} wrong."
    if 2 * count < size:  # what is left over after whole blocks is less than they are
        which = f"last {count}" if count > 1 else "last"
        return (
            f" Only the {which} of {size} elements {_are(count)} wrong: look at what happens at "
            "the end, where the last block may be only partly filled."
        )
    which = f"first {right_first}" if right_first > 1 else "first"
    return (
        f" Only the {which} of {size} elements {_are(right_first)} right: look at what is "
        "different after that, such as another warp, another block or another round of a loop."
    )


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _over_budget(case: Case, counters: dict[str, int]) -> CaseResult | None:
    for budget in case.budgets:
        if budget.counter not in counters:
            known = ", ".join(sorted(counters))
            raise AuthorError(
                f"The case {case.name!r} budgets {budget.counter!r}; there are: {known}."
            )
        count = counters[budget.counter]
        if count > budget.at_most:
            message = (
                f"The answer is right, but {budget.counter} came to {count:,} and the budget is "
                f"{budget.at_most:,}. {_sentence(budget.why)}"
            )
            return failed(case, "over_budget", message)
    return None


def _lacks_instruction(case: Case, opcodes: dict[str, int]) -> CaseResult | None:
    for requirement in case.requires:
        wanted = re.compile(requirement.instruction)
        count = sum(times for opcode, times in opcodes.items() if wanted.fullmatch(opcode))
        if count < requirement.at_least:
            message = (
                f"The answer is right, but its warps executed {requirement.named} {count:,} times "
                f"where {requirement.at_least:,} are called for. {_sentence(requirement.why)}"
            )
            return failed(case, "over_budget", message)
    return None


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _mismatches(name: str, where: np.ndarray, expected, found) -> list[Mismatch]:
    indices = [tuple(int(i) for i in index) for index in np.argwhere(where)[:SHOWN]]
    return [Mismatch(name, at, float(expected[at]), float(found[at])) for at in indices]


def _place(mismatch: Mismatch) -> str:
    return _label(mismatch.buffer, mismatch.index)


def _label(name: str, index) -> str:
    return f"{name}[{', '.join(str(int(i)) for i in index)}]" if len(index) else name
