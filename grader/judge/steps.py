"""The cost of each case for the exercise's own solution, measured and kept with the lesson; and all
that an author has overlooked which no one file of a lesson shows.

`grader build` measures it once with each compiler that is here, and writes a file for each. The
judge takes a multiple of the steps for the most that a learner's kernel may take, and the counters
for budgets that are relative to the solution, and need not run the solution itself.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import numpy as np

from .. import compilers, course
from ..course import Case, Exercise, Lesson, authors, chosen, rules, solution_counts
from ..cuda.errors import CudaError
from ..errors import AuthorError
from ..status import Pattern, Status
from .cases import CaseInstance, described, instantiate
from .judging import judge
from .sandbox.simulated import run_case


def require_no_oversight(lesson: Lesson) -> None:
    """AuthorError with the first, its file and line."""
    assert lesson.wrong_kernels is not None, "mistakes.toml is read: it raises its own"
    for sentence in _all(lesson):
        raise AuthorError(sentence)


def _all(lesson: Lesson) -> Iterator[str]:
    for exercise in lesson.exercises:
        for known in set(exercise.hints_on) - set(Status) - set(Pattern):
            place = authors.place_of(lesson.path, exercise.name, known)
            yield f"{place}: {known!r} in hints_on is neither a status nor a pattern of a verdict."
        for case in exercise.cases:
            if not _draws_the_same(case):
                place = authors.place_of(lesson.path, exercise.name, case.name)
                what = f"case {case.name!r} draws other numbers each time"
                yield f"{place}: {what}: take all that is random from problem's own argument."
        for kernel in {rule.kernel for rule in exercise.rules} - _launched(exercise):
            place = authors.at(lesson.path / "rules.py", kernel)
            yield f"{place}: {exercise.name} launches no kernel {kernel!r}."
        for sentence in rules.departures(exercise):
            yield f"{authors.at(lesson.path / 'rules.py', exercise.name)}: {sentence}"


def _draws_the_same(case: Case) -> bool:
    """Whether the inputs depend on the seed alone."""
    first, second = (case.problem(np.random.default_rng(0)).inputs for _ in range(2))
    return first.keys() == second.keys() and all(
        first[name].tobytes() == second[name].tobytes() for name in first
    )


def _launched(exercise: Exercise) -> set[str]:
    problems = (case.problem(np.random.default_rng(0)) for case in exercise.cases)
    return {launch.kernel for problem in problems for launch in problem.launches}


SEEDS = (0, 1, 2)  # sizes do not depend on the seed, branches on the data may
_ENOUGH = 10_000_000
_json = partial(json.dumps, ensure_ascii=False)


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
            for exercise in course.lesson(lesson.name, lesson.path.parent).exercises:
                if keys[exercise.name] != measured.get(exercise.name):
                    _require_full_marks(lesson, exercise)
    except BaseException:
        path.write_text(before, encoding="utf-8") if before else path.unlink()
        raise
    return True


def _require_full_marks(lesson: Lesson, exercise: Exercise) -> None:
    verdict = judge(exercise.id, exercise.solution, root=lesson.path.parent, sizes=False)
    for case in verdict.cases:
        if case.status != Status.PASSED:
            place = authors.place_of(lesson.path, exercise.name, case.name)
            if case.line:
                place += f", and {exercise.source}, line {case.line}"
            raise _failing(place, case.name, case.message)


def _failing(place: str, case: str, message: str) -> AuthorError:
    said = " ".join(message.split()).rstrip(".")
    return AuthorError(f"{place}: the solution fails the case {case!r}: {said}.")


def stale(lesson: Lesson) -> list[Path]:
    """The files of counts that are missing though their compiler is here, or of other exercises
    and solutions than there are."""
    found, keys = [], _cache_keys(lesson)
    for name, compiler in compilers.COMPILERS.items():
        measured = _measured(lesson, name)
        true = measured == keys if compiler.available() else measured.items() <= keys.items()
        if not true:
            found.append(solution_counts.file(lesson.path, name))
    return found


def text(lesson: Lesson, compiler: str) -> str:
    """What its file with that compiler must hold. An exercise is measured anew only where its
    solution, or the file that defines it, has changed since it was written; with a compiler that
    is not here, it is left out then."""
    keys, kept = _cache_keys(lesson), solution_counts.kept(lesson.path, compiler)
    before, counts = _measured(lesson, compiler), dict[str, solution_counts.Counts]()
    is_here = compilers.COMPILERS[compiler].available()
    with compilers.used(compiler) if is_here else nullcontext():
        for one in lesson.exercises:
            if before.get(one.name) == keys[one.name] and one.name in kept:
                counts[one.name] = kept[one.name]
            elif is_here:
                counts[one.name] = measure(lesson, one)
    if not (is_here or kept):
        return ""
    lines = [f' "{solution_counts.CACHE_KEY}": {_json({name: keys[name] for name in counts})}']
    for name, measured in counts.items():
        cases = [f"  {_json(case)}: {_json(row)}" for case, row in measured.items()]
        lines.append(f" {_json(name)}: {{\n" + ",\n".join(cases) + "\n }")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _measured(lesson: Lesson, compiler: str) -> dict[str, str]:
    """By exercise, the fingerprint of what was measured last."""
    keys: dict[str, str] = solution_counts.kept(lesson.path, compiler).get(
        solution_counts.CACHE_KEY, {}
    )
    return keys


def measure(lesson: Lesson, exercise: Exercise) -> solution_counts.Counts:
    """What each case costs the solution, the most over a few seeds, by the case's name."""
    most: solution_counts.Counts = {}
    _require_hazards(lesson, exercise)
    for seed in SEEDS:
        for one in instantiate(exercise, seed, hidden=True):
            if one.case.hazard:
                continue  # it comes to no end
            row = most.setdefault(one.case.name, {})
            for counter, count in _counted(lesson, exercise, one).items():
                row[counter] = max(row.get(counter, 0), count)
    return most


def _require_hazards(lesson: Lesson, exercise: Exercise) -> None:
    """AuthorError where a case is to go wrong and the solution does not go wrong so."""
    asked = {one.name for one in exercise.cases if one.hazard}
    if not asked:
        return
    for result in judge(exercise.id, lesson.solution(exercise), root=lesson.path.parent).cases:
        if result.status != Status.PASSED and result.name in asked:
            place = authors.place_of(lesson.path, exercise.name)
            raise AuthorError(
                f"{place}: {exercise.source} does not break as the case {result.name!r} asks: "
                f"{result.message}"
            )


def _counted(lesson: Lesson, exercise: Exercise, one: CaseInstance) -> dict[str, int]:
    """What a case costs the solution. What goes wrong is its author's to mend: on a line of the
    kernel, or in the case, which launches it."""
    try:
        ran = run_case(lesson.solution(exercise), described(one, _ENOUGH))
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
    keys, rows = {}, chosen.kept(lesson.path)
    for exercise in lesson.exercises:
        parts = [authors.text(lesson.path / exercise.file), lesson.solution(exercise)]
        parts += map(_json, rows.get(exercise.name, ()))
        keys[exercise.name] = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
    return keys
