"""What an author has overlooked that no one file of a lesson shows: said when it is built."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..course import Case, Exercise, Lesson, authors, rules
from ..errors import AuthorError
from ..status import Pattern, Status


def require_none(lesson: Lesson) -> None:
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
    """Whether the inputs hang on the seed alone."""
    first, second = (case.problem(np.random.default_rng(0)).inputs for _ in range(2))
    return first.keys() == second.keys() and all(
        first[name].tobytes() == second[name].tobytes() for name in first
    )


def _launched(exercise: Exercise) -> set[str]:
    problems = (case.problem(np.random.default_rng(0)) for case in exercise.cases)
    return {launch.kernel for problem in problems for launch in problem.launches}
