"""The course judged with each compiler, side by side.

`python tests/two_compilers.py [WORD] [--jobs N] [--part K/M]` compiles every file of the lessons,
and judges every solution, typical mistake, right alternative, answer that goes around what is
taught, and mistake in values alone, once with NVRTC and once with clang; then prints the table of
docs/compilers.md, and each difference. WORD: only those whose kind or path contains it. --part
2/3: the second of three parts of about the same size and mixture, always the same. --rows FILE:
what comes is kept there, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

import msgspec
import suites

from grader import compilers, course
from grader.cuda.errors import CompileError
from grader.judge import Verdict, judge

SEED = 18
BLOCK = 160  # answers that are judged with one compiler, and then with the other
# Where the two differ, and why, is told in docs/compilers.md.
EXCEPTIONS = {
    "01_expand_where/where/one_thread",
    "02_tree_reduction/interleaved/one_thread",
    "03_shuffle_reduction/below_max/first_lane_does_the_row",
    "03_shuffle_reduction/warp_sum/dummy_shuffles",
    "05_online_softmax/two_by_hand/no_guard",
    "06_pack_vectorization/any_type/lane_0_alone",
    "06_pack_vectorization/warp_per_row/union_over_bytes",
    "07_fused_softmax/masked_softmax/clamped_and_float4",
    "07_fused_softmax/read_once/read_twice",
    "08_project/attention_row/thread_0_alone",
    "08_project/layer_norm/warp_0_alone",
    "08_project/top_four/lists_merged",
}
KINDS = ("file", "solution", "mistake", "alternatives", "skips", "mistakes")
HEADS = {
    "file": "files of the lessons",
    "solution": "solutions",
    "mistake": "typical mistakes",
    "alternatives": "right answers of other styles",
    "skips": "answers that go around what is taught",
    "mistakes": "mistakes in values alone",
}


@dataclass(frozen=True)
class Tried:
    """A source and how it is tried: a `kind` of `KINDS`, and the id of an exercise but for a
    file, which is only compiled."""

    kind: str
    path: str
    exercise: str
    source: str

    @property
    def name(self) -> str:
        return f"{self.kind} {self.path}"


Judged = tuple[str, str]  # a compiler and the name of what was tried


@dataclass(frozen=True)
class Found:
    """What one compiler led to. `cases` are the statuses, one by one."""

    status: str
    line: int | None = None
    points: float = 0.0
    cases: tuple[str, ...] = ()

    @property
    def compiled(self) -> bool:
        return self.status != "compile_error"

    def __str__(self) -> str:
        line = f", line {self.line}" if self.line else ""
        return f"{self.status}{line}, {self.points:g} points"


@dataclass(frozen=True)
class Row:
    """A line of the file that `--rows` names."""

    compiler: str
    name: str
    found: Found


def everything() -> Iterator[Tried]:
    for lesson in course.lessons():
        for path in sorted(lesson.path.glob("*.cu")):
            yield Tried("file", f"{lesson.name}/{path.stem}", "", path.read_text())
        for exercise in lesson.exercises:
            yield Tried("solution", exercise.id, exercise.id, lesson.solution(exercise))
        for wrong in lesson.wrong_kernels:
            exercise = f"{lesson.name}/{wrong.exercise}"
            yield Tried("mistake", f"{exercise}/{wrong.name}", exercise, wrong.source)
    for suite in ("alternatives", "skips", "mistakes"):
        for answer in suites.answers(suite):
            yield Tried(suite, answer.path, answer.exercise, answer.source)


def chosen(word: str, part: int, parts: int) -> list[Tried]:
    listed = list(everything())
    random.Random(SEED).shuffle(listed)
    return [one for one in listed[part - 1 :: parts] if word in one.name]


def found(one: Tried) -> Found:
    """What comes of it with this process's compiler."""
    if one.kind == "file":
        try:
            compilers.compile_ptx(one.source)
        except CompileError as error:
            return Found("compile_error", error.line)
        return Found("compiled")
    verdict = judged(one)
    statuses = tuple(case.status for case in verdict.cases)
    return Found(verdict.status, verdict.line, verdict.points, statuses)


def judged(one: Tried) -> Verdict:
    """check()'s verdict on a mistake in values, which must be named there; else the grade's."""
    return judge(one.exercise, one.source, hidden=one.kind != "mistakes")


def all_found(listed: list[Tried], jobs: int, rows: Path | None) -> dict[Judged, Found]:
    """What each compiler leads to, by so many processes. What stands in the file `rows` is not
    judged again; what comes is added there as it comes."""
    known = read(rows)
    with ProcessPoolExecutor(jobs) as pool:
        asked = (pair for pair in in_blocks(listed) if (pair[0], pair[1].name) not in known)
        left = {pool.submit(found_by, *pair): pair for pair in asked}
        for done in as_completed(left):
            compiler, one = left[done]
            known[compiler, one.name] = done.result()
            if rows:
                with rows.open("ab") as file:
                    row = Row(compiler, one.name, done.result())
                    file.write(msgspec.json.encode(row) + b"\n")
    return known


def in_blocks(listed: list[Tried]) -> Iterator[tuple[str, Tried]]:
    """Pairs of a compiler and what is tried: a process that goes on to the other compiler starts
    anew, and who stops early has both."""
    for start in range(0, len(listed), BLOCK):
        for compiler in compilers.COMPILERS:
            yield from ((compiler, one) for one in listed[start : start + BLOCK])


def found_by(compiler: str, one: Tried) -> Found:
    with compilers.used(compiler):
        return found(one)


def read(rows: Path | None) -> dict[Judged, Found]:
    lines = rows.read_bytes().splitlines() if rows and rows.exists() else []
    known = (msgspec.json.decode(line, type=Row) for line in lines)
    return {(row.compiler, row.name): row.found for row in known}


def difference(one: Tried, first: Found, second: Found) -> str | None:
    """How the two verdicts differ, in words; None if they do not."""
    if first == second:
        return None
    if str(first) != str(second):
        return f"{one.name}: {first} | {second}"
    pairs = zip(first.cases, second.cases, strict=True)
    cases = (f"case {at} {a} | {b}" for at, (a, b) in enumerate(pairs, start=1) if a != b)
    return f"{one.name}: {first}; {', '.join(cases)}"


def row(kind: str, pairs: list[tuple[Found, Found]]) -> str:
    same = [
        sum(a.compiled == b.compiled for a, b in pairs),
        sum(a.status == b.status for a, b in pairs),
        sum((a.status, a.line) == (b.status, b.line) for a, b in pairs),
        sum(a.points == b.points for a, b in pairs),
        sum(a.cases == b.cases for a, b in pairs),
    ]
    return f"| {HEADS[kind]} | {len(pairs)} | {' | '.join(map(str, same))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description="The course judged with each compiler.")
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--part", default="1/1", metavar="K/M")
    parser.add_argument("--rows", type=Path, metavar="FILE")
    given = parser.parse_args()
    listed = chosen(given.word, *map(int, given.part.split("/")))
    known = all_found(listed, given.jobs, given.rows)
    pairs: dict[str, list[tuple[Found, Found]]] = {kind: [] for kind in KINDS}
    for one in listed:
        first, second = (known[compiler, one.name] for compiler in compilers.COMPILERS)
        pairs[one.kind].append((first, second))
        if said := difference(one, first, second):
            print(said)
    print("\n| | tried | compiled alike | same status | and line | same points | same cases |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in KINDS:
        print(row(kind, pairs[kind]))
    failing = [found for pair in pairs["solution"] for found in pair if found.status != "passed"]
    if failing:  # the same of all, perhaps, and no judge at all
        sys.exit(f"Solutions do not pass: {failing[0]}")


if __name__ == "__main__":
    main()
