"""Put mistakes of meaning into every solution, and see which of them no case notices.

    python -m tools.adversary [LESSON[/EXERCISE]] [--jobs N] [--alternatives K --seed S]

For each exercise it prints how many changes were made (`changes.py`), and what became of them:

same PTX   the compiler makes the solution's program of it
caught     a case of the exercise does not give its full points
equal      every launch of a few dozen that the rules allow leaves what the solution leaves
shared     the results are equal, and the work is still shared: no thread executes more than 3
           times what the busiest thread of the solution does; where the change takes an
           exponential twice, it computes no more of them than 1.25 times the solution's
excused    a person says why it is no mistake (excused.toml)
survived   a case is missing that tells it from the solution

Survivors are printed as a diff, with a launch that tells the two apart where one was found, and the
exit status is 1 if there are any. With --alternatives, K changes of the right answers of other
styles are tried instead, drawn by the seed for each exercise. --json FILE writes a line for each
change; a run that was cut off goes on where its file ends. --again FILE tries those alone that
survived by such a file.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "tests")]

import suites  # noqa: E402

from grader import course  # noqa: E402
from tools import trials  # noqa: E402
from tools.changes import Change, changes, in_few_words  # noqa: E402
from tools.equivalent_mutants import program_of  # noqa: E402

Answer = TypeVar("Answer")
EXCUSED = HERE / "excused.toml"
NAMES = "exercise", "answer", "kind", "before", "after"  # by which a change is known
PART = 6  # changes that a process tries before it is given others
SECONDS = 60  # of the clock for the cases of one change; one that takes longer is caught
SEARCH = 240  # the same for the launches that may tell it from the solution, or count its work
FATES = "same PTX", "caught", "equal", "shared", "excused", "survived", "does not compile"


@dataclass(frozen=True)
class Tried:
    """What became of a change: `fate` is one of FATES; `by` is the case that caught it, or the
    launch that tells it from the solution."""

    exercise: str
    answer: str
    place: int  # its number among the changes of the answer
    kind: str
    line: int
    before: str
    after: str
    fate: str
    by: str
    seconds: float


@dataclass(frozen=True)
class Part:
    """Some changes of one answer; `places` are their numbers."""

    exercise: str
    answer: str
    source: str
    places: tuple[int, ...]


def excused() -> set[tuple[str, str]]:
    """Exercise and change of what is excused by hand."""
    listed = tomllib.loads(EXCUSED.read_text(encoding="utf-8")).get("excused", ())
    return {(one["exercise"], one["change"]) for one in listed}


def tried(part: Part) -> list[Tried]:
    """What becomes of a part's changes."""
    bench = trials.bench(part.exercise)
    ours, every = program_of(part.source), changes(part.source)
    if ours is None:
        raise SystemExit(f"{part.exercise}: {part.answer} does not compile.")
    told_apart = partial(trials.told_apart, bench, part.source, cached={})
    known: dict[str, tuple[str, str]] = {}
    rows = []
    for place in part.places:
        change, start = every[place], time.monotonic()
        fate, by = _fate(bench, change, ours, known, told_apart)
        if fate == "survived" and (part.exercise, in_few_words(change)) in excused():
            fate = "excused"
        rows.append(
            Tried(
                *(part.exercise, part.answer, place, change.kind, change.line),
                *(change.before, change.after, fate, by, round(time.monotonic() - start, 2)),
            )
        )
    return rows


def _fate(
    bench: trials.Bench,
    change: Change,
    ours: str | None,
    known: dict[str, tuple[str, str]],
    told_apart: Callable[[str], str | None],
) -> tuple[str, str]:
    program = program_of(change.source)
    if program is None:
        return "does not compile", ""
    if program == ours:
        return "same PTX", ""
    if program not in known:
        known[program] = _tried(bench, change, told_apart)
    return known[program]


def _within(seconds: int, function: Callable[[], Answer], otherwise: Answer) -> Answer:
    """What a function returns, or something else if it takes longer."""
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(seconds)
    try:
        return function()
    except TimeoutError:
        return otherwise
    finally:
        signal.alarm(0)


def _too_long(*_: object) -> None:
    raise TimeoutError


def _tried(
    bench: trials.Bench, change: Change, told_apart: Callable[[str], str | None]
) -> tuple[str, str]:
    if by := _within(SECONDS, lambda: bench.fails(change.source), "it takes too long"):
        return "caught", by
    if change.of_work:
        counter = "exponentials" if change.is_an_exponential else "longest_path"
        shared = _within(SEARCH, lambda: bench.costs_no_more(change.source, counter), False)
        return ("shared", "") if shared else ("survived", "the same results, by more work")
    undecided = "no launch told the two apart in the time there is"
    launch = _within(SEARCH, lambda: told_apart(change.source), undecided)
    if launch is None:
        return "survived", "no rule says how to make more launches"
    return ("survived", launch) if launch else ("equal", "")


def parts(word: str, alternatives: int, seed: int) -> Iterator[Part]:
    """What is to be tried: all changes of the solutions, or some of those of the alternatives."""
    for lesson in course.lessons():
        for exercise in lesson.exercises:
            if word not in exercise.id or _is_to_break(exercise.id):
                continue
            if not alternatives:
                source = lesson.solution(exercise)
                yield from _cut(exercise.id, "solution", source, range(len(changes(source))))
    if alternatives:
        yield from _sampled(word, alternatives, seed)


def _is_to_break(exercise_id: str) -> bool:
    """Whether an exercise asks for a kernel that goes wrong: most changes break it no less."""
    lesson, _, name = exercise_id.partition("/")
    return course.lesson(lesson).exercise(name).kind.name == "break"


def _sampled(word: str, number: int, seed: int) -> Iterator[Part]:
    by_exercise = defaultdict(list)
    for answer in suites.answers("alternatives"):
        if word in answer.exercise and not _is_to_break(answer.exercise):
            by_exercise[answer.exercise].append(answer)
    for exercise, answers in by_exercise.items():
        pool = [(one, at) for one in answers for at in range(len(changes(one.source)))]
        chosen = random.Random(f"{seed} {exercise}").sample(pool, min(number, len(pool)))
        of_answer = defaultdict(list)
        for answer, at in chosen:
            of_answer[answer].append(at)
        for answer, places in of_answer.items():
            yield from _cut(exercise, answer.name, answer.source, places)


def _cut(exercise: str, answer: str, source: str, places: range | list[int]) -> Iterator[Part]:
    for at in range(0, len(places), PART):
        yield Part(exercise, answer, source, tuple(places[at : at + PART]))


def again(path: Path) -> Iterator[Part]:
    """What survived by a file that --json has written, as far as it can still be made."""
    lines = path.read_text(encoding="utf-8").splitlines()
    survived = [row for row in map(json.loads, lines) if row["fate"] == "survived"]
    wanted = {tuple(row[name] for name in NAMES) for row in survived}
    texts = {(one.exercise, one.name): one.source for one in suites.answers("alternatives")}
    for lesson in course.lessons():
        texts |= {(one.id, "solution"): lesson.solution(one) for one in lesson.exercises}
    for exercise, answer in sorted({(row["exercise"], row["answer"]) for row in survived}):
        source = texts[exercise, answer]
        places = [
            at
            for at, one in enumerate(changes(source))
            if (exercise, answer, one.kind, one.before, one.after) in wanted
        ]
        yield from _cut(exercise, answer, source, places)


def split(chosen: list[Part], file: Path | None) -> tuple[list[Tried], list[Part]]:
    """The rows of the chosen parts that an earlier run wrote to a file, and the parts left."""
    if not file or not file.exists():
        return [], chosen
    written = [Tried(**json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
    known = {(row.exercise, row.answer, row.place): row for row in written}
    rows, left = [], []
    for part in chosen:
        of_part = [known.get((part.exercise, part.answer, place)) for place in part.places]
        if None in of_part:
            left.append(part)
        else:
            rows += of_part
    return rows, left


def run(chosen: list[Part], jobs: int, file: Path | None) -> list[Tried]:
    """All rows; each is added to `file` when it is known."""
    rows = []
    if jobs == 1:
        found: Iterator[list[Tried]] = map(tried, chosen)
    else:
        pool = multiprocessing.get_context("fork").Pool(jobs)
        found = pool.imap_unordered(tried, chosen)
    for some in found:
        rows += some
        if file:
            with file.open("a", encoding="utf-8") as lines:
                lines.writelines(json.dumps(asdict(row)) + "\n" for row in some)
    return rows


def table(rows: list[Tried]) -> None:
    """A line for each exercise, and the survivors behind them."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        counts[row.exercise][row.fate] += 1
    counts["all"] = sum(counts.values(), Counter())
    print(f"{'exercise':36} {'changes':>8} " + " ".join(f"{fate:>9}" for fate in FATES))
    for exercise, fates in counts.items():
        made = sum(fates.values()) - fates["does not compile"]
        print(f"{exercise:36} {made:8} " + " ".join(f"{fates[fate]:9}" for fate in FATES))
    for row in rows:
        if row.fate == "survived":
            change = Change(row.kind, row.line, row.before, row.after, "")
            print(f"\n{row.exercise}, {row.answer}, line {row.line}: {row.kind}")
            print(in_few_words(change))
            print(f"  {row.by}")


def main() -> int:
    """Try what the command line asks for; 1 where something survived."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    asked.add_argument("word", nargs="?", default="", metavar="LESSON[/EXERCISE]")
    asked.add_argument("--jobs", type=int, default=1, metavar="N")
    asked.add_argument("--alternatives", type=int, default=0, metavar="K")
    asked.add_argument("--seed", type=int, default=0, metavar="S")
    asked.add_argument("--json", type=Path, metavar="FILE")
    asked.add_argument("--again", type=Path, metavar="FILE")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory() as cache:  # of programs that nobody asks for again
        os.environ["XDG_CACHE_HOME"] = cache
        if given.again:
            chosen = list(again(given.again))
        else:
            chosen = list(parts(given.word, given.alternatives, given.seed))
        random.Random(given.seed).shuffle(chosen)  # the long ones lie together
        rows, left = split(chosen, given.json)
        rows += run(left, given.jobs, given.json)
    rows.sort(key=lambda row: (row.exercise, row.line))
    table(rows)
    return int(any(row.fate == "survived" for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
