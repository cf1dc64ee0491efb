"""The verdicts of this checkout ("new") beside those of another one ("old"), on the same answers.

    python tests/compare_verdicts.py OTHER [WORD] [--mutants 200] [--every 1] [--rows FILE] [--all]
                                     [--jobs 1]

Every solution, typical mistake, right alternative, answer that goes around what is taught and
mistake in values (`two_compilers`), and some mutants (drawn with a seed) are judged by both, each
in a process of its own with its own course and its own environment, .venv, as `make` sets it up.
Printed are the differences, in groups of those that differ in the same things, and how long each
kind of answer took. The exit status is 1 if anything differs. Exercises that one of them does not
have are left out. WORD: only answers whose kind or path contains it. --rows: verdicts are kept in
that file, and what it holds is not judged again. --all: each group's answers, not three of them.
--jobs: so many processes of each checkout share the answers; old and new run at the same time.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

import two_compilers

from grader import course
from grader.judge import sizes

HERE = Path(__file__).resolve().parent.parent
SEED = 13
SHOWN = 3  # answers of a group
WRITING = Lock()  # on the file of rows

# What runs in either checkout: an answer a line, a verdict and its seconds a line.
_JUDGE = """
import dataclasses, json, sys, time
from pathlib import Path
import grader
from grader.judge import judge
assert Path(grader.__file__).resolve().is_relative_to(Path.cwd()), grader.__file__
for line in sys.stdin:
    answer, start = json.loads(line), time.perf_counter()
    try:
        verdict = dataclasses.asdict(judge(answer["exercise"], answer["source"]))
    except LookupError:
        verdict = None
    print(json.dumps({"v": verdict, "s": time.perf_counter() - start}, default=repr), flush=True)
"""

# The exercises of a checkout, one a line.
_EXERCISES = """
from grader import course
for lesson in course.lessons():
    print(*(exercise.id for exercise in lesson.exercises), sep="\\n")
"""

Row = dict  # "tree", "kind", "path", "exercise"; "v": the verdict as a dict; "s": its seconds


def answers(mutants: int) -> Iterator[dict[str, str]]:
    """What is judged: {"kind", "path", "exercise", "source"}."""
    sys.path.insert(0, str(HERE))
    from tools.mutants import mutants as mutants_of

    for one in two_compilers.everything():
        if one.kind != "file":
            yield vars(one)
    changed = [
        (exercise.id, mutant)
        for lesson in course.lessons()
        for exercise in lesson.exercises
        for mutant in mutants_of(lesson.solution(exercise))
    ]
    for exercise_id, mutant in random.Random(SEED).sample(changed, min(mutants, len(changed))):
        path = f"{exercise_id}/{mutant.kind} on line {mutant.line}: {mutant.after.strip()}"
        yield {"kind": "mutant", "path": path, "exercise": exercise_id, "source": mutant.source}


def run_in(checkout: Path, code: str) -> dict[str, object]:
    """The arguments of `subprocess` that run Python code with a checkout's own course."""
    return {
        "args": [checkout / ".venv/bin/python", "-c", code],
        "cwd": checkout,
        "env": {**os.environ, "WARPWISE_DEVICE": "simulator"},
        "text": True,
        "stdout": subprocess.PIPE,
    }


def exercises(checkout: Path) -> set[str]:
    """The ids of a checkout's exercises."""
    return set(subprocess.run(check=True, **run_in(checkout, _EXERCISES)).stdout.split())


def judged(tree: str, checkout: Path, asked: list[dict[str, str]], kept: Path | None) -> list[Row]:
    """What the judge of a checkout says of each answer, as rows; they are kept one by one."""
    if not asked:
        return []
    rows = []
    with subprocess.Popen(stdin=subprocess.PIPE, **run_in(checkout, _JUDGE)) as process:
        for answer in asked:
            process.stdin.write(json.dumps(answer) + "\n")
            process.stdin.flush()
            about = {key: answer[key] for key in ("kind", "path", "exercise")}
            rows.append({"tree": tree, **about, **json.loads(process.stdout.readline())})
            if kept:
                with WRITING, kept.open("a") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    return rows


def differences(old: dict, new: dict) -> list[str]:
    """In what two verdicts differ, in words that differences of one sort share."""
    pairs = {
        "status": (old["status"], new["status"]),
        "most": (old["max_points"], new["max_points"]),
    }
    said = [f"{what} {a} -> {b}" for what, (a, b) in pairs.items() if a != b]
    if old["points"] != new["points"]:
        part = ", a part for one fault" if new.get("partial") else ""
        said.append(f"points {'up' if new['points'] > old['points'] else 'down'}{part}")
    if old["line"] != new["line"] and old["status"] == new["status"]:
        gone = " lost" if new["line"] is None else " found" if old["line"] is None else ""
        said.append(f"line{gone or ' another'}")
    before, now = ({case["name"]: case for case in one["cases"]} for one in (old, new))
    said += ["other cases"] * (list(before) != list(now))
    for name in before.keys() & now.keys():
        a, b = before[name]["status"], now[name]["status"]
        said += [f"{'sizes' if name == sizes.NAME else 'a case'} {a} -> {b}"] * (a != b)
    return sorted(set(said))


def told(rows: list[Row], shown: int) -> Iterator[str]:
    """The groups of differences, the largest first, and the times."""
    both: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in rows:
        both[row["kind"], row["path"]][row["tree"]] = row
    groups, seconds = defaultdict(list), defaultdict(list)
    for (kind, path), trees in both.items():
        if len(trees) < 2 or not all(row["v"] for row in trees.values()):
            continue
        old, new = trees["old"]["v"], trees["new"]["v"]
        seconds[kind].append((trees["old"]["s"], trees["new"]["s"]))
        if said := differences(old, new):
            points = f"{path}: {old['points']:g} -> {new['points']:g} of {new['max_points']:g}"
            groups[kind, "; ".join(said)].append(points)
    for (kind, said), paths in sorted(groups.items(), key=lambda group: -len(group[1])):
        yield f"{len(paths)} {kind}: {said}"
        yield from (f"    {path}" for path in paths[:shown])
    compared = sum(map(len, seconds.values()))
    yield f"{sum(map(len, groups.values()))} of {compared} verdicts differ"
    for kind, times in seconds.items():
        ratios = sorted(new / old for old, new in times)
        middle, late = ratios[len(ratios) // 2], ratios[int(0.95 * len(ratios))]
        old, new = map(sum, zip(*times, strict=True))
        yield (
            f"{kind}: {len(times)} answers, new/old p50 {middle:.2f}, p95 {late:.2f}, "
            f"sum {new / old:.2f} ({old:.0f} s, {new:.0f} s)"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--every", type=int, default=1, help="judge only one in so many answers")
    parser.add_argument("--rows", type=Path, help="keep the verdicts in this file")
    parser.add_argument("--all", action="store_true", help="print each group's answers")
    parser.add_argument("--jobs", type=int, default=1, help="processes of each checkout")
    chosen = parser.parse_args()
    in_both = exercises(HERE) & exercises(chosen.other.resolve())
    asked = [
        one
        for one in answers(chosen.mutants)
        if one["exercise"] in in_both and chosen.word in f"{one['kind']} {one['path']}"
    ]
    asked = asked[:: chosen.every]
    there = chosen.rows is not None and chosen.rows.exists()
    rows = [json.loads(line) for line in chosen.rows.read_text().splitlines()] if there else []
    done = {(row["tree"], row["kind"], row["path"]) for row in rows}

    def missing(tree: str, checkout: Path, share: int) -> list[Row]:
        left = [one for one in asked if (tree, one["kind"], one["path"]) not in done]
        return judged(tree, checkout, left[share :: chosen.jobs], chosen.rows)

    trees = (("new", HERE), ("old", chosen.other.resolve()))
    shares = [(*tree, share) for share in range(chosen.jobs) for tree in trees]
    with ThreadPoolExecutor(len(shares)) as pool:
        for more in pool.map(missing, *zip(*shares, strict=True)):
            rows += more
    wanted = {(one["kind"], one["path"]) for one in asked}
    rows = [row for row in rows if (row["kind"], row["path"]) in wanted]
    lines = list(told(rows, len(rows) if chosen.all else SHOWN))
    print("\n".join(lines))
    return 0 if any(line.startswith("0 of ") for line in lines) else 1


if __name__ == "__main__":
    raise SystemExit(main())
