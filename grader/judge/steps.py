"""What each case costs the exercise's own solution, measured and kept with the lesson.

`grader build` measures it once and writes steps.json. The judge takes a multiple of the steps for
the most that a learner's kernel may take, and the counters for budgets that are relative to the
solution, and need not run the solution itself.
"""

from __future__ import annotations

import hashlib
import json

from ..course import Exercise, Lesson, authors, solution_counts
from ..course.solution_counts import CACHE_KEY, FILE, Counts
from ..errors import AuthorError
from ..status import Status
from .cases import CaseInstance, described, instantiate
from .judging import judge
from .simulated import run_case

SEEDS = (0, 1, 2)  # sizes do not depend on the seed, branches on the data may
_ENOUGH = 10_000_000


def write(lesson: Lesson) -> bool:
    """Write the lesson's steps.json; whether there was anything to change."""
    path, now = lesson.path / FILE, text(lesson)
    changed = not path.is_file() or path.read_text(encoding="utf-8") != now
    if changed:
        path.write_text(now, encoding="utf-8")
    return changed


def stale(lesson: Lesson) -> bool:
    """Whether steps.json is missing, or of other exercises and solutions than there are."""
    return solution_counts.kept(lesson.path).get(CACHE_KEY) != _cache_keys(lesson)


def text(lesson: Lesson) -> str:
    """What steps.json must hold. An exercise is measured anew only where its solution, or the file
    that defines it, has changed since it was written."""
    kept, keys = solution_counts.kept(lesson.path), _cache_keys(lesson)
    before = kept.get(CACHE_KEY, {})
    lines = [f'"{CACHE_KEY}": {_json(keys)}']
    for exercise in lesson.exercises:
        name = exercise.name
        known = before.get(name) == keys[name] and name in kept
        counts = kept[name] if known else measure(lesson, exercise)
        cases = [f"  {_json(case)}: {_json(row)}" for case, row in counts.items()]
        lines.append(f"{_json(name)}: {{\n{_rows(cases)}\n }}")
    return f"{{\n{_rows([f' {line}' for line in lines])}\n}}\n"


def measure(lesson: Lesson, exercise: Exercise) -> Counts:
    """What each case costs the solution, the most over a few seeds, by the case's name."""
    most: Counts = {}
    _require_hazards(lesson, exercise)
    source = lesson.solution(exercise)
    for seed in SEEDS:
        for one in instantiate(exercise, seed, hidden=True):
            if one.case.hazard:
                continue  # it comes to no end
            row = most.setdefault(one.case.name, {})
            for counter, count in _counted(source, one).items():
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


def _counted(source: str, one: CaseInstance) -> dict[str, int]:
    inputs = {name: value.copy() for name, value in one.problem.inputs.items()}
    ran = run_case(source, described(one, _ENOUGH), inputs)
    counters = ran.counters if one.case.budgets else {}
    return {"steps": ran.steps, **{name: count for name, count in counters.items() if count}}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _rows(rows: list[str]) -> str:
    return ",\n".join(rows)


def _cache_keys(lesson: Lesson) -> dict[str, str]:
    """By exercise, a name for its solution and the file that defines it."""
    keys = {}
    for exercise in lesson.exercises:
        both = authors.text(lesson.path / exercise.file), lesson.solution(exercise)
        keys[exercise.name] = hashlib.sha256("\0".join(both).encode()).hexdigest()[:16]
    return keys
