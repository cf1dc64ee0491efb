"""The course judged with each compiler, side by side.

`python tests/two_compilers.py [WORD] [--jobs N] [--part K/M]` compiles every file of the lessons,
and judges every solution, typical mistake, right alternative, answer that goes around what is
taught, and mistake in values alone, once with NVRTC and once with clang; then prints the table of
docs/compilers.md, and each difference. WORD: only those whose kind or path contains it. --part
2/3: the second of three parts of about the same size and mixture, always the same.
"""

from __future__ import annotations

import argparse
import os
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import suites

from grader import course
from grader.cuda import compilers
from grader.cuda.errors import CompileError
from grader.judge import Verdict, judge

SEED = 18
# Where the two differ, and why, is told in docs/compilers.md.
EXCEPTIONS = {
    "06_pack_vectorization/any_type/lane_0_alone",
    "06_pack_vectorization/warp_per_row/largest_without_a_start",
    "07_fused_softmax/masked_softmax/clamped_and_float4",
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


def with_compiler(name: str, listed: list[Tried], jobs: int) -> Iterator[Found]:
    """What that compiler leads to, in order, by so many processes."""
    with ProcessPoolExecutor(
        jobs, initializer=os.environ.update, initargs=({compilers.CHOICE: name},)
    ) as pool:
        yield from pool.map(found, listed)


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
    given = parser.parse_args()
    listed = chosen(given.word, *map(int, given.part.split("/")))
    jobs = max(1, given.jobs // 2)  # both at once
    columns = [with_compiler(name, listed, jobs) for name in ("nvrtc", "clang")]
    pairs: dict[str, list[tuple[Found, Found]]] = {kind: [] for kind in KINDS}
    for one, *both in zip(listed, *columns, strict=True):
        pairs[one.kind].append((both[0], both[1]))
        if said := difference(one, *both):
            print(said, flush=True)
    print("\n| | tried | compiled alike | same status | and line | same points | same cases |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for kind in KINDS:
        print(row(kind, pairs[kind]))


if __name__ == "__main__":
    main()
