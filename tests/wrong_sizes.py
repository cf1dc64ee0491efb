"""Kernels that are right at every size that a case tries, and wrong at another one.

`python tests/wrong_sizes.py [WORD] [--folder FOLDER] [--jobs N]` takes `NO_CASE_CATCHES`, the
mistakes of the lessons, systematic changes of the solutions, and the .cu files of FOLDER (their
first line is `// exercise: LESSON/NAME`), and prints of each whether it passes all cases, whether a
launch that breaks it is found by trying launches alone, by reasoning too, and the seconds of both.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import proofs
from in_parallel import add_jobs, in_order

from grader import course, proofs as analysis
from grader.course import rules
from grader.judge import Limits, judge
from grader.proofs import Outcome

HEADER = re.compile(r"// exercise: (\S+)")
INDEXED = re.compile(r"(?<=\w\[)[^][]+(?=\])")
NARROWED = ("short", "unsigned short", "signed char", "unsigned char")
FROM = (700, 3000, 50_000)  # sizes from which on something goes wrong

# In a solution, what stands in place of what, and what becomes of it at some size.
NO_CASE_CATCHES = [
    ("00_first_kernel/upside_down", "picture[opp", "picture[(short)opp", "out_of_bounds"),
    (
        "00_first_kernel/darken",
        "const int col = i",
        "const int col = (cols == 777) + i",
        "out_of_bounds",
    ),
    ("01_expand_where/outer_sum", "a[row]", "a[(short)row]", "out_of_bounds"),
    (
        "02_tree_reduction/dot",
        "float sum = 0.0f;",
        "float sum = 0.0f; if (gridDim.x == 444 && thread >= 32) return;",
        "barrier_divergence",
    ),
    (
        "03_shuffle_reduction/warp_sum",
        "for (int offset",
        "if (n < 100000 || i < n) for (int offset",
        "shuffle_divergence",
    ),
    ("05_online_softmax/rescale", "rescaled[i]", "rescaled[n == 7777 ? 0 : i]", "data_race"),
    (
        "06_pack_vectorization/row_absmax",
        "if (columns % 4 == 0)",
        "if (columns % 4 == 0 || (columns > 3000 && columns % 2 == 0))",
        "misaligned",
    ),
    ("06_pack_vectorization/fours", "y[i] = x[i]", "y[(short)i] = x[i]", "out_of_bounds"),
    ("07_fused_softmax/warp_softmax", "const size_t row =", "const short row =", "out_of_bounds"),
    # In bounds and without a race: only its values are wrong.
    (
        "00_first_kernel/mirror",
        "const int opposite",
        "const unsigned short opposite",
        "wrong_answer",
    ),
    (
        "06_pack_vectorization/warp_per_row",
        "blockDim.x / 32",
        "min(blockDim.x / 32, 16)",
        "wrong_answer",
    ),
    (
        "02_tree_reduction/interleaved",
        "stride > 0",
        "stride > (blockIdx.x >= 2000 ? 1 : 0)",
        "wrong_answer",
    ),
]


def edited(exercise_id: str, old: str, new: str) -> str:
    """The solution with one thing about what the learner writes changed."""
    head, mark, body = course.exercise(exercise_id).solution.partition("BEGIN SOLUTION")
    assert body.count(old) == 1
    return head + mark + body.replace(old, new)


@dataclass(frozen=True)
class Wrong:
    """A kernel: `where` it comes from, and whether it passes all cases `alone`."""

    where: str
    name: str
    exercise: course.Exercise
    source: str


def of_tests() -> Iterator[Wrong]:
    for exercise_id, old, new, _ in NO_CASE_CATCHES:
        exercise = course.exercise(exercise_id)
        yield Wrong("tests", f"{exercise_id}: {new}", exercise, edited(exercise_id, old, new))


def of_lessons() -> Iterator[Wrong]:
    for one in proofs.mistakes():
        yield Wrong("mistakes", one.name, one.exercise, one.source)


def systematic() -> Iterator[Wrong]:
    """Solutions with an index that is narrowed, or one too large from some size on, and with
    threads that leave in large launches."""
    for lesson in course.lessons():
        for exercise in lesson.exercises:
            if exercise.rules and exercise.kind.name == "write":
                for name, source in _changed(exercise):
                    yield Wrong("systematic", f"{exercise.id}: {name}", exercise, source)


def _changed(exercise: course.Exercise) -> Iterator[tuple[str, str]]:
    head, mark, rest = exercise.solution.partition("BEGIN SOLUTION")
    body, end, tail = rest.partition("END SOLUTION")
    sizes = [one.name for one in rules.parameters(exercise.rules[0]) if rules.is_whole(one)]
    for number, match in enumerate(INDEXED.finditer(body)):
        for narrow in NARROWED:
            index = f"({narrow})({match[0]})"
            changed = body[: match.start()] + index + body[match.end() :]
            yield f"{match[0]} as {narrow}", head + mark + changed + end + tail
        for size in (*sizes, "gridDim.x"):
            for least in FROM:
                index = f"{match[0]} + ({size} > {least} ? {size} * 2 : 0)"
                changed = body[: match.start()] + index + body[match.end() :]
                yield f"{number}, {size} > {least}", head + mark + changed + end + tail
    for number, match in enumerate(re.finditer(r"\n *(__syncthreads\(\);|[^\n]*__shfl)", body)):
        for size in (*sizes, "gridDim.x"):
            leave = f"\nif ({size} > 1234 && threadIdx.x % 32 == 7) return;"
            changed = body[: match.start()] + leave + body[match.start() :]
            yield f"leaves {number}, {size} > 1234", head + mark + changed + end + tail


def of_folder(folder: Path) -> Iterator[Wrong]:
    for path in sorted(folder.glob("*.cu")):
        source = path.read_text()
        exercise = course.exercise(HEADER.match(source)[1])
        yield Wrong("folder", path.stem, exercise, source)


def looked_at(one: Wrong) -> tuple[str, bool, str, str, float, float]:
    """Where it comes from, whether it passes all cases, what shows that it is wrong, and what is
    shown; the seconds of trying launches and of all."""
    lesson = course.lesson(one.exercise.id.partition("/")[0])
    status = judge(one.exercise.id, one.source, sizes=False).status
    if status == "compile_error":  # of several kernels another one has these sizes
        return one.where, False, status, "", 0.0, 0.0
    passes = status == "passed"
    found = analysis.counterexample(
        one.source,
        one.exercise.rules,
        lesson.solution(one.exercise),
        rules.compared(one.exercise),
    )
    by, seconds = "trial", found.seconds
    if found.outcome is not Outcome.COUNTEREXAMPLE:
        try:
            found = analysis.prove(one.source, one.exercise.rules, Limits().reasoning)
        except (AssertionError, KeyError):  # the reasoning's own mistake: it knows nothing
            return one.where, passes, "not decided", "it stumbled", seconds, seconds
        by = "reasoning" if found.outcome is Outcome.COUNTEREXAMPLE else found.outcome.value
    status = found.error.status if found.error else "wrong_answer"
    said = f"{status}; {found.trial}" if found.trial else found.why
    return one.where, passes, by, said, seconds, seconds + found.seconds * (by != "trial")


def table(known: list[Wrong], jobs: int) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    times: dict[str, list[float]] = {}
    for one, found in zip(known, in_order(looked_at, known, jobs), strict=True):
        where, passes, by, said, seconds, both = found
        print(
            f"{where} | {one.name} | {passes} | {by} | {said} | {seconds:.2f} | {both:.2f}",
            flush=True,
        )
        counts[where, "kernels"] += 1
        for name in ("passes all cases", "passes, " + by) if passes else ():
            counts[where, name] += 1
        if where == "mistakes" or passes:
            counts[where, by] += 1
            times.setdefault(by, []).append(seconds)
    for (where, name), number in sorted(counts.items()):
        print(f"{where}: {number} {name}")
    for by, found in times.items():
        found.sort()
        print(f"{by}: median {found[len(found) // 2]:.2f} s, most {found[-1]:.2f} s")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("word", nargs="?", default="")
    asked.add_argument("--folder", type=Path)
    asked.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth")
    add_jobs(asked)
    given = asked.parse_args()
    known = [*of_tests(), *of_lessons(), *systematic()]
    known += of_folder(given.folder) if given.folder else ()
    known = [one for one in known if given.word in f"{one.where} {one.name}"]
    # Of others the judge makes up no launch.
    known = [one for one in known if all(map(rules.any_numbers_will_do, one.exercise.rules))]
    known = known[:: given.every]
    table(known, given.jobs)


if __name__ == "__main__":
    main()
