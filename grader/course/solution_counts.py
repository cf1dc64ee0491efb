"""What each case costs the exercise's own solution, kept with the lesson, a file for each compiler.

By exercise and case: `steps`, how many instruction steps the simulated GPU takes, and of cases with
a budget every counter that is not 0. `grader build` measures them (`grader.judge.steps`):
steps.json with NVRTC, steps.clang.json with clang, since what one makes of a solution is no measure
for what the other makes of an answer.
"""

import json
from itertools import repeat
from pathlib import Path
from typing import Any

COMPILER = "nvrtc"  # whose counts stand in where nobody measured with another
CACHE_KEY = "cache_key"  # beside the exercises' names: of each, a fingerprint of what was measured

Counts = dict[str, dict[str, int]]  # by case and counter


def file(lesson: Path, compiler: str = COMPILER, what: str = "steps") -> Path:
    """Where they are kept, in the lesson's folder; `what` else is measured lies beside it."""
    return lesson / (f"{what}.json" if compiler == COMPILER else f"{what}.{compiler}.json")


def laid_out(data: Any, deep: int = 2) -> str:
    """JSON in which each entry of the outer levels, so many, has a line of its own; what holds
    nothing but numbers and words has one line."""
    held = data.values() if isinstance(data, dict) else data if isinstance(data, list) else ()
    if not deep or not any(isinstance(one, dict | list) for one in held):
        return json.dumps(data, ensure_ascii=False)
    names = (json.dumps(name, ensure_ascii=False) + ": " for name in data)
    named, (opens, closes) = (names, "{}") if isinstance(data, dict) else (repeat(""), "[]")
    rows = (name + laid_out(one, deep - 1) for name, one in zip(named, held, strict=False))
    return f"{opens}\n {(',' + chr(10)).join(rows).replace(chr(10), chr(10) + ' ')}\n{closes}"


def kept(lesson: Path, compiler: str = COMPILER, what: str = "steps") -> dict[str, Any]:
    """All that this file holds; nothing where there is none."""
    path = file(lesson, compiler, what)
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def of_exercise(lesson: Path, exercise: str, compiler: str = COMPILER) -> Counts:
    """The solution's counts by case; a counter that is not there is 0 where others are."""
    measured = kept(lesson, compiler)
    return dict((measured if exercise in measured else kept(lesson)).get(exercise, {}))
