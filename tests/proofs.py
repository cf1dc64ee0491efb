"""What reasoning about every size says of kernels whose worth is known.

`python tests/proofs.py table [WORD]` prints it for all solutions, mistakes and right alternatives,
or for those whose lesson or name contains WORD: proved, shown to be wrong by a launch that was
tried on the simulated GPU, or not decided; and the seconds it took.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import suites

from grader import course
from grader.cuda import analysis
from grader.cuda.analysis import Found
from grader.cuda.errors import CudaError
from grader.judge import Limits

FAULTS = frozenset(
    {"out_of_bounds", "misaligned", "data_race", "barrier_divergence", "shuffle_divergence"}
)


@dataclass(frozen=True)
class Known:
    """A kernel: `kind` is "solution", "mistake" or "alternative"; `status` and `line` what the
    judge must say of a mistake."""

    kind: str
    name: str
    exercise: course.Exercise
    source: str
    status: str = ""
    line: int | None = None


def solutions() -> Iterator[Known]:
    for lesson in course.lessons():
        for exercise in lesson.exercises:
            yield Known("solution", exercise.id, exercise, lesson.solution(exercise))


def mistakes() -> Iterator[Known]:
    """Those that are about places in memory, races or who meets."""
    for lesson in course.lessons():
        for one in lesson.wrong_kernels:
            if one.status in FAULTS:
                exercise = lesson.exercise(one.exercise)
                name = f"{exercise.id}/{one.name}"
                yield Known("mistake", name, exercise, one.source, one.status, one.line)


def alternatives() -> Iterator[Known]:
    for answer in suites.answers("alternatives"):
        exercise = course.exercise(answer.exercise)
        yield Known("alternative", answer.path, exercise, answer.source)


def examined(one: Known, seconds: float = Limits().reasoning) -> Found:
    return analysis.examine(one.source, one.exercise.rules, seconds)


def row(one: Known, found: Found) -> str:
    said = found.outcome.value
    if found.error:
        there = "" if one.line in (None, found.error.line) else f" (announced: line {one.line})"
        said += f": {found.error.status}, line {found.error.line}{there}; {found.trial}"
    elif found.why:
        lines = ", ".join(map(str, found.suspected))
        said += f": {found.why}; lines {lines}" if lines else f": {found.why}"
    cost = f"{found.seconds:.1f} s, {found.spent / 1e6:.1f} M"
    return f"{one.kind} | {one.name} | {one.status} | {said} | {cost}"


def table(word: str = "") -> None:
    outcomes: Counter[tuple[str, str]] = Counter()
    for one in (*solutions(), *mistakes(), *alternatives()):
        if word not in f"{one.kind} {one.name}":
            continue
        try:
            found = examined(one)
        except CudaError as error:  # an alternative that needs another compiler's options
            print(f"{one.kind} | {one.name} | {type(error).__name__}", flush=True)
            continue
        outcomes[one.kind, found.outcome.value] += 1
        print(row(one, found), flush=True)
    for (kind, outcome), number in sorted(outcomes.items()):
        print(f"{kind}: {number} {outcome}")


if __name__ == "__main__":
    table(*sys.argv[2:3])
