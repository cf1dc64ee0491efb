"""What a run left in its buffers, held against what is expected: a CaseResult that teaches."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ..course import Case, Expected, Problem
from ..errors import AuthorError
from .cases import Drawn
from .process import Answer
from .verdict import CaseResult, Mismatch, told_apart
from .words import Words

SHOWN = 5  # mismatches listed
ENOUGH = 8  # elements: among fewer, where the wrong ones lie is no pattern
FROM_NAN = (
    " NaN is what 0 / 0, infinity / infinity and infinity - infinity give, and what the compiler "
    "may put in the place of a variable that never got a value."
)


def on_simulator(drawn: Drawn, answer: Answer, words: Words) -> CaseResult:
    """The case's result from what the simulated device answered."""
    answer = words.explained(answer)
    if answer.status != "ran":
        stopped = _over_budget_when_stopped(drawn.case, answer)
        return stopped or failed(drawn.case, answer.status, answer.message, answer.line)
    wrong = (
        _changed_input(drawn, answer, words)
        or _unwritten(drawn, answer, words)
        or _wrong_output(drawn, answer, words)
    )
    if wrong:
        return replace(wrong, message=f"{words.order()}{wrong.message}")
    return (
        _over_budget(drawn, answer)
        or _lacks_instruction(drawn, answer.opcodes)
        or _passed(drawn.case)
    )


def on_gpu(drawn: Drawn, answer: Answer, words: Words) -> CaseResult:
    """The same from what the hardware answered; it neither counts nor knows who wrote, and has
    run the case twice, over memory poisoned in two ways."""
    if answer.status != "ran":
        return failed(drawn.case, answer.status, answer.message, answer.line)
    result = (
        _changed_input(drawn, answer, words)
        or _wrong_output(drawn, answer, words)
        or _wrong_output(drawn, answer, words, "second")
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


def _changed_input(drawn: Drawn, answer: Answer, words: Words) -> CaseResult | None:
    for name, before in drawn.problem.inputs.items():
        after = answer.arrays[f"input/{name}"]
        changed = (_bytes(before) != _bytes(after)).any(axis=1).reshape(after.shape)
        if changed.any():
            first, *rest = _mismatches(words.name(name), changed, before, after)
            tell = _not_const if words.constant(name) else _not_put_back
            return _wrong(drawn.case, tell(first), [first, *rest])
    return None


def _not_const(first: Mismatch) -> str:
    was, is_now = first.values
    return (
        f"The kernel changed its input: {first.place} was {was} and is {is_now} afterwards. Others "
        f"still need {first.buffer} as it was, and the exercise declares it const; with that, the "
        "compiler shows you every line that writes to it."
    )


def _not_put_back(first: Mismatch) -> str:
    was, is_now = first.values
    return (
        f"{first.place} is not put back: it was {was} before the kernel ran and is {is_now} "
        "afterwards, and the next launch begins with that. Before the kernel ends, the last thread "
        f"that needs it must set it to {was} again."
    )


def _bytes(array: np.ndarray) -> np.ndarray:
    """(elements, bytes an element): equal here is bit for bit, NaN and -0.0 included."""
    return np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, array.itemsize)


def _unwritten(drawn: Drawn, answer: Answer, words: Words) -> CaseResult | None:
    for buffer in drawn.problem.outputs:
        missing = ~answer.arrays[f"written/{buffer}"]
        name, when = words.name(buffer), words.when(buffer)
        if missing.all() and missing.size:
            what = f"Nothing was ever written to {name}: no thread got as far as storing a result."
        elif missing.any():
            what = _left_out(name, missing)
        else:
            continue
        return failed(
            drawn.case, "wrong_answer", _because(f"{when}{what}", words.launch(buffer), answer)
        )
    return None


def _left_out(name: str, missing: np.ndarray) -> str:
    place = _label(name, np.argwhere(missing)[0])
    others = int(missing.sum()) - 1
    also = f", nor {'was' if others == 1 else 'were'} {others} other" if others else ""
    also += "s" if others > 1 else ""
    return (
        f"{place} was never written{also}; {name} has {missing.size} elements. Each needs a thread "
        f"that stores to it: work out which thread should own {place}, and which guard or index "
        "keeps it away."
    )


def _because(message: str, launch: int | None, answer: Answer) -> str:
    """The message; of a later launch, with what earlier ones have left changed."""
    return f"{message} {answer.left.get(launch, '')}".rstrip()


def _wrong_output(
    drawn: Drawn, answer: Answer, words: Words, run: str = "output"
) -> CaseResult | None:
    for buffer, expected in drawn.problem.outputs.items():
        found = answer.arrays[f"{run}/{buffer}"]
        wrong = ~_right(expected, found)
        if wrong.any():
            mismatches = _mismatches(words.name(buffer), wrong, expected.value, found)
            when = words.when(buffer)
            message = f"{when}{_first_wrong(mismatches[0], expected)}{_pattern(wrong)}"
            return _wrong(drawn.case, _because(message, words.launch(buffer), answer), mismatches)
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
    wanted, is_now = first.values
    sentence = f"{first.place} should be {wanted} and is {is_now}"
    if np.isnan(first.found) and not np.isnan(first.expected):
        return f"{sentence}.{FROM_NAN}"
    if expected.value.dtype.kind != "f" or not np.isfinite([first.expected, first.found]).all():
        return f"{sentence}."
    atol = np.broadcast_to(expected.atol, expected.value.shape)[first.index]
    here = float(atol + expected.rtol * abs(first.expected))
    off, most = told_apart(abs(first.found - first.expected), here, digits=2)
    explained = f", and rounding explains at most {most}" if here else ""
    return f"{sentence}: off by {off}{explained}."


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


def _over_budget(drawn: Drawn, answer: Answer) -> CaseResult | None:
    case = drawn.case
    for budget in case.budgets:
        counter, counters = budget.counter, answer.counters
        if counter not in counters:
            known = ", ".join(sorted(counters))
            raise AuthorError(f"The case {case.name!r} budgets {counter!r}; there are: {known}.")
        count = counters[counter]
        if count > budget.at_most:
            line, share = answer.costs.get(counter, (None, 0))
            dearest = f"; line {line} alone costs {share:,}" if line else ""
            message = (
                f"The answer is right, but {counter} came to {count:,} and the budget is "
                f"{budget.at_most:,}{dearest}. {_sentence(budget.why, drawn.problem)}"
            )
            return failed(case, "over_budget", message, line)
    return None


def _over_budget_when_stopped(case: Case, answer: Answer) -> CaseResult | None:
    """A run that was stopped had come to more than the budget already, and what is counted never
    falls: so one thread that does the work of all is told that, not that it may never end."""
    for budget in case.budgets:
        count = answer.counters.get(budget.counter, 0)
        if answer.status == "timeout" and count > budget.at_most:
            message = (
                f"{answer.message} By then {budget.counter} had come to {count:,}, and the budget "
                f"is {budget.at_most:,}."
            )
            return failed(case, "over_budget", message, answer.line)
    return None


def _lacks_instruction(drawn: Drawn, opcodes: dict[str, int]) -> CaseResult | None:
    case = drawn.case
    for requirement in case.requires:
        wanted = re.compile(requirement.instruction)
        count = sum(times for opcode, times in opcodes.items() if wanted.fullmatch(opcode))
        if count < requirement.at_least:
            message = (
                f"The answer is right, but its warps executed {requirement.named} {count:,} "
                f"{'time' if count == 1 else 'times'} "
                f"where {requirement.at_least:,} are called for. "
                f"{_sentence(requirement.why, drawn.problem)}"
            )
            return failed(case, "over_budget", message)
    return None


def _sentence(text: str, problem: Problem) -> str:
    """An author's reason as a sentence; a buffer's name that it begins with stays as it is."""
    named = text.partition(" ")[0] in {*problem.inputs, *problem.outputs, *problem.scratch}
    return f"{text[:1] if named else text[:1].upper()}{text[1:].rstrip('.')}."


def _mismatches(name: str, where: np.ndarray, expected, found) -> list[Mismatch]:
    indices = [tuple(int(i) for i in index) for index in np.argwhere(where)[:SHOWN]]
    return [Mismatch(name, at, float(expected[at]), float(found[at])) for at in indices]


def _label(name: str, index) -> str:
    return f"{name}[{', '.join(str(int(i)) for i in index)}]" if len(index) else name
