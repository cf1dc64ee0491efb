"""The cost of each case for the exercise's own solution, measured and kept with the lesson; and all
that an author has overlooked which no one file of a lesson shows.

`grader build` measures it once with each compiler that is here, and writes a file for each. The
judge takes a multiple of the steps for the most that a learner's kernel may take, and the counters
for budgets that are relative to the solution, and need not run the solution itself.

What the judge finds of each mistake that a lesson names, measured when the lesson is built.

Nothing is kept of a mistake that ends the run, so that nothing can be known of the rest; whose
cases fail in different ways, or in other ways with other inputs; and none where what it leaves
is no evidence of right work.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from .. import compilers, course
from ..course import (
    Case,
    Exercise,
    Lesson,
    WrongKernel,
    authors,
    chosen,
    classes,
    rules,
    solution_counts,
)
from ..cuda.errors import CudaError
from ..errors import AuthorError
from ..grouped import grouped
from ..status import Pattern, Status
from .cases import CaseInstance, described, instantiate
from .judging import STANDARD_LIMITS, judge
from .partial import HAZARDS, KEPT_IN, SEED, Finding, NamedFault, left_wrong
from .protocol import Ran
from .sandbox.simulated import run_case
from .session import Session


def require_no_oversight(lesson: Lesson) -> None:
    """AuthorError with the first, its file and line."""
    assert lesson.wrong_kernels is not None, "mistakes.toml is read: it raises its own"
    for sentence in _all(lesson):
        raise AuthorError(sentence)


def _all(lesson: Lesson) -> Iterator[str]:
    for exercise in lesson.exercises:
        yield from (
            f"{authors.place_of(lesson.path, exercise.name, known)}: {known!r} in hints_on is "
            "neither a status nor a pattern of a verdict."
            for known in set(exercise.hints_on) - set(Status) - set(Pattern)
        )
        yield from (
            f"{authors.place_of(lesson.path, exercise.name, case.name)}: case {case.name!r} draws "
            "other numbers each time: take all that is random from problem's own argument."
            for case in exercise.cases
            if not _draws_the_same(case)
        )
        launches = (one for problem in classes.drawn(exercise) for one in problem.launches)
        yield from (
            f"{authors.at(lesson.path / 'rules.py', kernel)}: {exercise.name} launches no kernel "
            f"{kernel!r}."
            for kernel in {rule.kernel for rule in exercise.rules}
            - {one.kernel for one in launches}
        )
        yield from (
            f"{authors.at(lesson.path / 'rules.py', exercise.name)}: {sentence}"
            for sentence in rules.departures(exercise)
        )


def _draws_the_same(case: Case) -> bool:
    """Whether the inputs depend on the seed alone."""
    first, second = (case.problem(np.random.default_rng(0)).inputs for _ in range(2))
    return first.keys() == second.keys() and all(
        first[name].tobytes() == second[name].tobytes() for name in first
    )


SEEDS = (0, 1, 2)  # sizes do not depend on the seed, branches on the data may


def write(lesson: Lesson) -> list[Path]:
    """Write the lesson's counts, and say which files were not as they must be. AuthorError where a
    solution that is new, or whose exercise is, does not get full marks: then nothing is written."""
    return [
        solution_counts.file(lesson.path, name)
        for name, compiler in compilers.COMPILERS.items()
        if _written(lesson, name, compiler.available())
    ]


def _written(lesson: Lesson, compiler: str, available: bool) -> bool:
    """Whether there was anything to change in that compiler's file."""
    path, keys = solution_counts.file(lesson.path, compiler), _cache_keys(lesson)
    now = text(lesson, compiler)
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    if before == now:
        return False
    measured = _measured(lesson, compiler) if available else keys
    path.write_text(now, encoding="utf-8")  # budgets are relative to it
    try:
        with compilers.used(compiler) if available else nullcontext():
            for exercise in filter(
                _is_kernel, course.lesson(lesson.name, lesson.path.parent).exercises
            ):
                if keys[exercise.name] != measured.get(exercise.name):
                    _require_full_marks(lesson, exercise)
    except BaseException:
        path.write_text(before, encoding="utf-8") if before else path.unlink()
        raise
    return True


def _is_kernel(exercise: Exercise) -> bool:
    """False for a question: it costs nothing, and a hash of its right answer would give that
    away."""
    return bool(exercise.cases)


def _require_full_marks(lesson: Lesson, exercise: Exercise) -> None:
    for case in judge(exercise.id, exercise.solution, root=lesson.path.parent, sizes=False).cases:
        if case.status != Status.PASSED:
            line = f", and {exercise.source}, line {case.line}" if case.line else ""
            raise _failing(
                f"{authors.place_of(lesson.path, exercise.name, case.name)}{line}",
                case.name,
                case.message,
            )


def _failing(place: str, case: str, message: str) -> AuthorError:
    said = " ".join(message.split()).rstrip(".")
    return AuthorError(f"{place}: the solution fails the case {case!r}: {said}.")


def stale(lesson: Lesson) -> list[Path]:
    """The files of counts that are missing though their compiler is here, or of other exercises
    and solutions than there are."""
    keys = _cache_keys(lesson)
    return [
        solution_counts.file(lesson.path, name)
        for name, compiler in compilers.COMPILERS.items()
        for measured in [_measured(lesson, name)]
        if not (measured == keys if compiler.available() else measured.items() <= keys.items())
    ]


def text(lesson: Lesson, compiler: str) -> str:
    """What its file with that compiler must hold. An exercise is measured anew only where its
    solution, or the file that defines it, has changed since it was written; with a compiler that
    is not here, it is left out then."""
    keys, kept = _cache_keys(lesson), solution_counts.kept(lesson.path, compiler)
    before, counts = _measured(lesson, compiler), dict[str, solution_counts.Counts]()
    is_here = compilers.COMPILERS[compiler].available()
    with compilers.used(compiler) if is_here else nullcontext():
        for one in filter(_is_kernel, lesson.exercises):
            if before.get(one.name) == keys[one.name] and one.name in kept:
                counts[one.name] = kept[one.name]
            elif is_here:
                counts[one.name] = measure(lesson, one)
    measured_by = {solution_counts.CACHE_KEY: {name: keys[name] for name in counts}}
    return solution_counts.laid_out(measured_by | counts) + "\n" if is_here or kept else ""


def _measured(lesson: Lesson, compiler: str) -> dict[str, str]:
    """By exercise, the fingerprint of what was measured last."""
    return dict(solution_counts.kept(lesson.path, compiler).get(solution_counts.CACHE_KEY, {}))


def measure(lesson: Lesson, exercise: Exercise) -> solution_counts.Counts:
    """What each case costs the solution, the most over a few seeds, by the case's name. AuthorError
    where a case is to go wrong and the solution does not go wrong so."""
    asked = {one.name for one in exercise.cases if one.hazard}
    results = (
        judge(exercise.id, lesson.solution(exercise), root=lesson.path.parent).cases
        if asked
        else ()
    )
    for result in results:
        if result.status != Status.PASSED and result.name in asked:
            raise AuthorError(
                f"{authors.place_of(lesson.path, exercise.name)}: {exercise.source} does not break "
                f"as the case {result.name!r} asks: {result.message}"
            )
    counts = grouped(
        (one.case.name, _counted(lesson, exercise, one))
        for seed in SEEDS
        for one in instantiate(exercise, seed, hidden=True)
        if not one.case.hazard  # which comes to no end
    )
    return {
        name: {
            counter: max(one.get(counter, 0) for one in each)
            for counter in dict.fromkeys(chain(*each))
        }
        for name, each in counts.items()
    }


def _counted(lesson: Lesson, exercise: Exercise, one: CaseInstance) -> dict[str, int]:
    """What a case costs the solution. What goes wrong is its author's to mend: on a line of the
    kernel, or in the case, which launches it."""
    try:
        ran = run_case(lesson.solution(exercise), described(one, steps=10_000_000))
    except CudaError as error:
        place = (
            f"{authors.shown(lesson.path / exercise.source)}, line {error.line}"
            if error.line
            else authors.place_of(lesson.path, exercise.name, one.case.name)
        )
        raise _failing(place, one.case.name, str(error)) from error
    counters = ran.counters if one.case.budgets else {}
    for counter in {budget.counter for budget in one.case.budgets} - counters.keys():
        raise AuthorError(
            f"{authors.place_of(lesson.path, exercise.name, counter)}: there is no counter "
            f"{counter!r}; there are: {', '.join(sorted(counters))}."
        )
    return {"steps": ran.steps, **{name: count for name, count in counters.items() if count}}


def _cache_keys(lesson: Lesson) -> dict[str, str]:
    """By exercise, a name for its solution, the file that defines it, and its chosen launches."""
    rows = chosen.kept(lesson.path)
    parts = {
        one.name: (
            authors.text(lesson.path / one.file),
            lesson.solution(one),
            *(json.dumps(row, ensure_ascii=False) for row in rows.get(one.name, ())),
        )
        for one in filter(_is_kernel, lesson.exercises)
    }
    return {
        name: hashlib.sha256("\0".join(some).encode()).hexdigest()[:16]
        for name, some in parts.items()
    }


KEY = "key"  # beside a fault: a fingerprint of what was measured
FORM = "1"  # of what is kept: raised when a finding changes its words


def write_faults(lesson: Lesson) -> list[Path]:
    """Write what is found of the lesson's mistakes with each compiler that is here, and say which
    files were not as they must be."""
    written = []
    for name, compiler in compilers.COMPILERS.items():
        path = solution_counts.file(lesson.path, name, KEPT_IN)
        before = path.read_text(encoding="utf-8") if path.is_file() else ""
        if compiler.available() and (now := _text(lesson, name)) != before:
            path.write_text(now, encoding="utf-8")
            written.append(path)
    return written


def stale_faults(lesson: Lesson) -> list[Path]:
    """The files that are missing though their compiler is here, or of other mistakes."""
    keys = {_key(lesson, one) for one in lesson.wrong_kernels}
    return [
        solution_counts.file(lesson.path, name, KEPT_IN)
        for name, compiler in compilers.COMPILERS.items()
        if compiler.available() and _known(lesson, name).keys() != keys
    ]


def found(lesson: Lesson, mistake: WrongKernel) -> dict[str, Finding]:
    """What is found of a mistake with the compiler in use, by case; nothing where it is left
    out."""
    exercise = lesson.exercise(mistake.exercise)
    hazard = mistake.status in HAZARDS
    if not (hazard or (mistake.status == Status.WRONG_ANSWER and lesson.leaves(mistake) > 0)):
        return {}
    judged = partial(
        judge,
        exercise.id,
        mistake.source,
        root=lesson.path.parent,
        sizes=False,
        partial_marks=False,
    )
    failed, again = (
        {one.name: one.status for one in judged(seed=seed).cases if one.status != Status.PASSED}
        for seed in (SEED, 0)  # the second shows what depends on the inputs
    )
    if failed != again or set(failed.values()) != {mistake.status}:
        return {}
    instances = tuple(
        replace(one, tolerated=mistake.status if hazard else "")
        for one in instantiate(exercise, SEED, hidden=True)
        if one.case.name in failed
    )
    steps = {one.name: one.ours.get("steps", 0) for one in exercise.cases}
    with Session(mistake.source, STANDARD_LIMITS, steps) as session:
        outcomes = session.run(instances)
    pairs = [
        (one, ran) for one, ran in zip(instances, outcomes, strict=True) if isinstance(ran, Ran)
    ]
    if len(pairs) < len(instances):
        return {}
    wrong: dict[str, Finding] = {one.case.name: left_wrong(one, ran) for one, ran in pairs}
    if not hazard:
        return wrong if _evidence(pairs) >= len(pairs) else {}
    known = all(ran.causes for _, ran in pairs) and not any(wrong.values())
    return {one.case.name: ran.causes for one, ran in pairs} if known else {}


def _evidence(pairs: list[tuple[CaseInstance, Ran]]) -> int:
    """How much speaks for right work: elements that are right, and different numbers of those that
    are wrong. Nothing written, zeros and NaN everywhere could come of any kernel."""
    count, numbers = 0, set()
    for instance, ran in pairs:
        count += sum(one.value.size for one in instance.problem.outputs.values())
        for name, wrong, samples in left_wrong(instance, ran):
            count -= wrong if name in instance.problem.outputs else 0
            numbers |= {value for _, value in samples if isinstance(value, float) and value}
    return count + len(numbers)


def _text(lesson: Lesson, compiler: str) -> str:
    """What the file with that compiler must hold. A mistake is measured anew only where it, the
    solution, the chosen launches, or the file that defines the exercise has changed."""
    known = _known(lesson, compiler)
    own: dict[str, list[dict[str, Any]]] = {}
    with compilers.used(compiler):
        for mistake in lesson.wrong_kernels:
            key = _key(lesson, mistake)
            cases = known[key] if key in known else found(lesson, mistake)
            leaves = lesson.leaves(mistake)
            said = mistake.mistake if cases and leaves else ""  # what nobody is told stays here
            own.setdefault(mistake.exercise, []).append(
                {KEY: key, **asdict(NamedFault(said, mistake.status, leaves, cases))}
            )
    return solution_counts.laid_out(own) + "\n"


def _known(lesson: Lesson, compiler: str) -> dict[str, dict[str, Finding]]:
    """What was found, by `_key`."""
    return {
        one[KEY]: one["cases"]
        for one in chain(*solution_counts.kept(lesson.path, compiler, KEPT_IN).values())
    }


def _key(lesson: Lesson, mistake: WrongKernel) -> str:
    """A name for all that the findings of a mistake depend on."""
    exercise = lesson.exercise(mistake.exercise)
    parts = (
        FORM,
        authors.text(lesson.path / exercise.file),
        json.dumps(chosen.kept(lesson.path).get(exercise.name, ())),
        lesson.solution(exercise),
        mistake.source,
        mistake.status,
        repr(lesson.leaves(mistake) > 0),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]
