"""How many instruction steps each case takes the exercise's own solution, kept with the lesson.

`grader build` measures them once and writes steps.json; the judge takes a multiple of them for the
most a learner's kernel may take, and need not run the solution itself.
"""

from __future__ import annotations

import hashlib
import json

from ..course import Exercise, Lesson
from .cases import described, instantiate

FILE = "steps.json"
SEEDS = (0, 1, 2)  # sizes do not depend on the seed, branches on the data may
_CACHE_KEY = "cache_key"
_ENOUGH = 10_000_000


def of_solution(lesson: Lesson, exercise: Exercise) -> dict[str, int]:
    """The solution's steps by the case's name; none for what has not been measured."""
    path = lesson.path / FILE
    kept = json.loads(path.read_text()) if path.is_file() else {}
    return kept.get(exercise.name, {})


def write(lesson: Lesson) -> bool:
    """Write the lesson's steps.json; whether there was anything to change."""
    path, now = lesson.path / FILE, text(lesson)
    changed = not path.is_file() or path.read_text() != now
    if changed:
        path.write_text(now)
    return changed


def stale(lesson: Lesson) -> bool:
    """Whether steps.json is missing, or of other exercises and solutions than there are."""
    path = lesson.path / FILE
    return not path.is_file() or json.loads(path.read_text()).get(_CACHE_KEY) != _cache_key(lesson)


def text(lesson: Lesson) -> str:
    """What steps.json must hold. Measured anew only where an exercise or a solution has changed
    since it was written."""
    if not stale(lesson):
        return (lesson.path / FILE).read_text()
    counted = {exercise.name: measure(lesson, exercise) for exercise in lesson.exercises}
    return (
        json.dumps({_CACHE_KEY: _cache_key(lesson), **counted}, indent=1, ensure_ascii=False) + "\n"
    )


def measure(lesson: Lesson, exercise: Exercise) -> dict[str, int]:
    """The most steps that a case takes the solution over a few seeds, by the case's name."""
    from .simulated import run_case

    most = dict.fromkeys((case.name for case in exercise.cases), 0)
    source = lesson.solution(exercise)
    for seed in SEEDS:
        for one in instantiate(exercise, seed, hidden=True):
            inputs = {name: value.copy() for name, value in one.problem.inputs.items()}
            ran = run_case(source, described(one, _ENOUGH), inputs)
            most[one.case.name] = max(most[one.case.name], ran.steps)
    return most


def _cache_key(lesson: Lesson) -> str:
    sources = [(lesson.path / "exercises.py").read_text()]
    sources += [lesson.solution(exercise) for exercise in lesson.exercises]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]
