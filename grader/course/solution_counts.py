"""What each case costs the exercise's own solution, kept with the lesson in steps.json.

By exercise and case: `steps`, how many instruction steps the simulated GPU takes, and of cases with
a budget every counter that is not 0. `grader build` measures them (`grader.judge.steps`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = "steps.json"
CACHE_KEY = "cache_key"  # beside the exercises' names: of each, a fingerprint of what was measured

Counts = dict[str, dict[str, int]]  # by case and counter


def kept(lesson: Path) -> dict[str, Any]:
    """All that steps.json of the lesson's folder holds; nothing where there is none."""
    path = lesson / FILE
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def of_exercise(lesson: Path, exercise: str) -> Counts:
    """The solution's counts by case; a counter that is not there is 0 where others are."""
    counts: Counts = kept(lesson).get(exercise, {})
    return counts


def steps(lesson: Path, exercise: str) -> dict[str, int]:
    """The solution's steps by the case's name; none for what has not been measured."""
    return {case: counted["steps"] for case, counted in of_exercise(lesson, exercise).items()}
