"""The verdicts of this checkout beside those of another one, on the same answers.

    python tests/compare_verdicts.py OTHER [--mutants 200] [--every 1] [--ignore counters ...]

Every solution, every typical mistake and some mutants (drawn with a seed) are judged by both, each
in a process of its own with its own course and its own environment, .venv, as `make` sets it up.
What differs is printed, and the exit status is 1 if anything does. Answers to exercises that one
of them does not have are left out, and counted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
SEED = 13

# What runs in either checkout: an answer a line, a verdict a line.
_JUDGE = """
import dataclasses, json, sys
from pathlib import Path
import grader
from grader.judge import judge
assert Path(grader.__file__).resolve().is_relative_to(Path.cwd()), grader.__file__
for line in sys.stdin:
    answer = json.loads(line)
    try:
        verdict = dataclasses.asdict(judge(answer["exercise"], answer["source"]))
    except LookupError:
        verdict = None
    print(json.dumps(verdict), flush=True)
"""
_CASE = ("name", "visible", "status", "points", "max_points", "message", "line")
_WHOLE = ("points", "max_points", "status", "message", "line", "counters")


def answers(mutants: int) -> Iterator[dict[str, str]]:
    """What is judged: {"name", "exercise", "source"}."""
    sys.path.insert(0, str(HERE))
    from grader import course
    from tools.mutants import mutants as mutants_of

    changed = []
    for lesson in course.lessons():
        for exercise in lesson.exercises:
            solution = lesson.solution(exercise)
            yield {"name": "solution", "exercise": exercise.id, "source": solution}
            changed += [(exercise.id, mutant) for mutant in mutants_of(solution)]
        for wrong in lesson.wrong_kernels:
            exercise_id = f"{lesson.name}/{wrong.exercise}"
            yield {"name": wrong.name, "exercise": exercise_id, "source": wrong.source}
    for exercise_id, mutant in random.Random(SEED).sample(changed, min(mutants, len(changed))):
        name = f"{mutant.kind} on line {mutant.line}"
        yield {"name": name, "exercise": exercise_id, "source": mutant.source}


def verdicts(checkout: Path, asked: list[dict[str, str]]) -> list[dict | None]:
    """What the judge of a checkout says of each answer; None where it has no such exercise."""
    environment = {**os.environ, "WARPWISE_DEVICE": "simulator"}
    lines = "".join(json.dumps(one) + "\n" for one in asked)
    done = subprocess.run(
        [checkout / ".venv/bin/python", "-c", _JUDGE],
        input=lines,
        cwd=checkout,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def differences(one: dict, other: dict, ignored: frozenset[str]) -> list[str]:
    """What two verdicts do not agree on."""
    rows = [(key, one[key], other[key]) for key in _WHOLE]
    for mine, theirs in zip(one["cases"], other["cases"], strict=False):
        rows += [(f"{mine['name']}: {key}", mine[key], theirs[key]) for key in _CASE]
    rows.append(("cases", len(one["cases"]), len(other["cases"])))
    return [
        f"{what}: {mine!r} here, {theirs!r} there"
        for what, mine, theirs in rows
        if mine != theirs and what.rpartition(": ")[2] not in ignored
    ]


def compare(other: Path, asked: list[dict[str, str]], ignored: frozenset[str]) -> Counter[str]:
    """Prints what differs; how many verdicts are "the same", "different" or "not there", and how
    many of each status there are."""
    found: Counter[str] = Counter()
    with ThreadPoolExecutor(2) as pool:
        both = list(pool.map(lambda checkout: verdicts(checkout, asked), (HERE, other)))
    for answer, mine, theirs in zip(asked, *both, strict=True):
        if mine is None or theirs is None:
            found["not there"] += 1
            continue
        differing = differences(mine, theirs, ignored)
        found["different" if differing else "the same"] += 1
        found[mine["status"]] += 1
        if differing:
            print(f"{answer['exercise']}, {answer['name']}")
            print(*(f"    {one}" for one in differing), sep="\n")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--every", type=int, default=1, help="judge only one in so many answers")
    parser.add_argument("--ignore", nargs="*", default=[], choices=sorted({*_WHOLE, *_CASE}))
    chosen = parser.parse_args()
    asked = list(answers(chosen.mutants))[:: chosen.every]
    found = compare(chosen.other.resolve(), asked, frozenset(chosen.ignore))
    print(
        ", ".join(f"{count} {what}" for what, count in found.items()), f"of {len(asked)} verdicts"
    )
    return 1 if found["different"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
