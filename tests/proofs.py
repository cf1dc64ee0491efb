"""What reasoning about every size says of kernels whose worth is known.

`python tests/proofs.py table [WORD] [--every N] [--jobs N]` prints it for all solutions, mistakes
and right alternatives, or for those whose kind, lesson or name contains WORD: proved, shown to be
wrong by a launch that was tried on the simulated GPU, or not decided; and the seconds it took.

`python tests/proofs.py stable [WORD] [--jobs N]` proves the solutions with several seeds of Z3's
and efforts, and says whose outcome hangs on that.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

import suites
import z3
from in_parallel import add_jobs, in_order

from grader import course, proofs as analysis
from grader.cuda.errors import CudaError
from grader.judge import Limits
from grader.proofs import Found

FAULTS = frozenset(
    {"out_of_bounds", "misaligned", "data_race", "barrier_divergence", "shuffle_divergence"}
)

SEEDS = (0, 1, 2)  # of Z3's search
EFFORTS = (10.0, Limits().reasoning, Limits().reasoning / 2)


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
        for exercise in filter(attrgetter("cases"), lesson.exercises):  # no question
            yield Known("solution", exercise.id, exercise, lesson.solution(exercise))


def mistakes() -> Iterator[Known]:
    """Those that are about places in memory, races or who meets; but for kernels that are to go
    wrong, of which no size is right."""
    for lesson in course.lessons():
        for one in lesson.wrong_kernels:
            exercise = lesson.exercise(one.exercise)
            if one.status in FAULTS and not isinstance(exercise.kind, course.Break):
                name = f"{exercise.id}/{one.name}"
                yield Known("mistake", name, exercise, one.source, one.status, one.line)


def alternatives() -> Iterator[Known]:
    for answer in suites.answers("alternatives"):
        exercise = course.exercise(answer.exercise)
        yield Known("alternative", answer.path, exercise, answer.source)


def examined(one: Known, seconds: float = Limits().reasoning) -> Found:
    return analysis.prove(one.source, one.exercise.rules, seconds)


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


def tabled(one: Known) -> tuple[str, str]:
    """What becomes of a kernel, and its row."""
    try:
        found = examined(one)
    except CudaError as error:  # an alternative that needs another compiler's options
        return type(error).__name__, f"{one.kind} | {one.name} | {type(error).__name__}"
    return found.outcome.value, row(one, found)


def table(word: str, every: int, jobs: int) -> None:
    known = [*solutions(), *mistakes(), *alternatives()]
    known = [one for one in known if word in f"{one.kind} {one.name}"][::every]
    outcomes: Counter[tuple[str, str]] = Counter()
    for one, (outcome, said) in zip(known, in_order(tabled, known, jobs), strict=True):
        outcomes[one.kind, outcome] += 1
        print(said, flush=True)
    for (kind, outcome), number in sorted(outcomes.items()):
        print(f"{kind}: {number} {outcome}")


def stability(one: Known) -> dict[float, list[str]]:
    """By effort, what becomes of a kernel with each seed."""
    found: dict[float, list[str]] = {}
    for seconds in EFFORTS:
        found[seconds] = []
        for seed in SEEDS:
            z3.set_param("smt.random_seed", seed)
            found[seconds].append(examined(one, seconds).outcome.value)
    return found


def stable(word: str, every: int, jobs: int) -> None:
    known = [one for one in solutions() if one.exercise.rules and word in one.name][::every]
    always: Counter[float] = Counter()
    for one, found in zip(known, in_order(stability, known, jobs), strict=True):
        always.update(at for at, said in found.items() if {*said} == {"proved"})
        told = (f"{at:g} s: {', '.join(dict.fromkeys(said))}" for at, said in found.items())
        print(f"{one.name} | {' | '.join(told)}", flush=True)
    for seconds in EFFORTS:
        seeds = len(SEEDS)
        print(f"{seconds:g} s: {always[seconds]} of {len(known)} proved with all {seeds} seeds")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("what", choices=["table", "stable"])
    asked.add_argument("word", nargs="?", default="")
    asked.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth")
    add_jobs(asked)
    given = asked.parse_args()
    {"table": table, "stable": stable}[given.what](given.word, given.every, given.jobs)


if __name__ == "__main__":
    main()
