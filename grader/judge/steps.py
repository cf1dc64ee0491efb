"""What each case costs the exercise's own solution, measured and kept with the lesson.

`grader build` measures it once and writes steps.json. The judge takes a multiple of the steps for
the most that a learner's kernel may take, and the counters for budgets that are relative to the
solution, and need not run the solution itself.
"""

from __future__ import annotations

import hashlib
import json

from ..course import Exercise, Lesson, solution_counts
from ..course.solution_counts import CACHE_KEY, FILE, Counts
from .cases import CaseInstance, described, instantiate

SEEDS = (0, 1, 2)  # sizes do not depend on the seed, branches on the data may
_ENOUGH = 10_000_000


def of_solution(lesson: Lesson, exercise: Exercise) -> dict[str, int]:
    """The solution's steps by the case's name; none for what has not been measured."""
    counts = solution_counts.of_exercise(lesson.path, exercise.name)
    return {case: counted["steps"] for case, counted in counts.items()}


def write(lesson: Lesson) -> bool:
    """Write the lesson's steps.json; whether there was anything to change."""
    path, now = lesson.path / FILE, text(lesson)
    changed = not path.is_file() or path.read_text() != now
    if changed:
        path.write_text(now)
    return changed


def stale(lesson: Lesson) -> bool:
    """Whether steps.json is missing, or of other exercises and solutions than there are."""
    return solution_counts.kept(lesson.path).get(CACHE_KEY) != _cache_key(lesson)


def text(lesson: Lesson) -> str:
    """What steps.json must hold. Measured anew only where an exercise or a solution has changed
    since it was written."""
    if not stale(lesson):
        return (lesson.path / FILE).read_text()
    lines = [f'"{CACHE_KEY}": "{_cache_key(lesson)}"']
    for exercise in lesson.exercises:
        counts = measure(lesson, exercise).items()
        cases = [f"  {_json(case)}: {_json(row)}" for case, row in counts]
        lines.append(f"{_json(exercise.name)}: {{\n{_rows(cases)}\n }}")
    return f"{{\n{_rows([f' {line}' for line in lines])}\n}}\n"


def measure(lesson: Lesson, exercise: Exercise) -> Counts:
    """What each case costs the solution, the most over a few seeds, by the case's name."""
    most: Counts = {}
    source = lesson.solution(exercise)
    for seed in SEEDS:
        for one in instantiate(exercise, seed, hidden=True):
            row = most.setdefault(one.case.name, {})
            for counter, count in _counted(source, one).items():
                row[counter] = max(row.get(counter, 0), count)
    return most


def _counted(source: str, one: CaseInstance) -> dict[str, int]:
    from .simulated import run_case

    inputs = {name: value.copy() for name, value in one.problem.inputs.items()}
    ran = run_case(source, described(one, _ENOUGH), inputs)
    counters = ran.counters if one.case.budgets else {}
    return {"steps": ran.steps, **{name: count for name, count in counters.items() if count}}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rows(rows: list[str]) -> str:
    return ",\n".join(rows)


def _cache_key(lesson: Lesson) -> str:
    sources = [(lesson.path / "exercises.py").read_text()]
    sources += [lesson.solution(exercise) for exercise in lesson.exercises]
    return hashlib.sha256("\0".join(sources).encode()).hexdigest()[:16]
